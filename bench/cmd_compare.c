#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cmd.h"
#include "bench/compare_gate.h"
#include "bench/options.h"
#include "bench/verdict.h"

static const char usage[] =
    "Usage: rngsim compare A.json B.json [OPTIONS]\n"
    "       rngsim compare FILE --by design|lock|cipher [OPTIONS]\n\n"
    "Says what is better, what worse, and what shows no difference: B beside\n"
    "A, or within one result.  A file may be - for stdin.\n\nOptions:\n"
    "  -h, --help           this text\n"
    "  -q, --quantity LIST  only these, of the CSV columns below\n"
    "      --across         compare different hosts and methods too\n"
    "      --all            table: rows without a difference at length too\n"
    "      --base NAME      --by: what to compare with (locked, mtx, or the\n"
    "                       first)\n"
    "      --by KEY         design, lock or cipher\n"
    "      --common         cells that only one file has are no failure\n"
    "      --fail-if EXPR   exit 1 if a row is so: 'total_mb_per_s < -5%';\n"
    "                       may be given more than once\n"
    "      --format NAME    table, sentences, csv, json or ministat\n"
    "      --margin PERCENT changes up to this are not ranked (1)\n"
    "      --side SIDE      ministat: only the columns of a or b\n\n"
    "Quantities:";

enum format {
	FORMAT_TABLE,
	FORMAT_SENTENCES,
	FORMAT_CSV,
	FORMAT_JSON,
	FORMAT_MINISTAT,
	FORMATS
};

static const char *const format_names[FORMATS] = {
	"table", "sentences", "csv", "json", "ministat"
};

enum {
	FAIL_IF_MAX	= 32,
	FAILED_SHOWN	= 16	/* rows on stderr; more are counted */
};

static const double margin_default = 0.01;

struct compare_options {
	const char	*cm_file[2];
	unsigned	 cm_files;
	const char	*cm_quantity;
	const char	*cm_base;
	const char	*cm_by;
	const char	*cm_format;
	const char	*cm_margin;
	const char	*cm_side;
	const char	*cm_fail_if[FAIL_IF_MAX];
	unsigned	 cm_fail_ifs;
	bool		 cm_across;
	bool		 cm_all;
	bool		 cm_common;
	bool		 cm_help;
	/* What was meant. */
	unsigned	 cm_wanted;
	enum compare_by	 cm_by_index;
	enum format	 cm_format_index;
	unsigned	 cm_side_index;
	double		 cm_margin_share;
	struct compare_gate cm_gate[FAIL_IF_MAX];
};

/* Where the option's value goes; *flag, which it sets, where it takes none. */
static const char **
option(struct compare_options *cm, const char *name, size_t len, bool **flag)
{
	const struct {
		const char	*name;
		const char	**value;
		bool		*flag;
	} table[] = {
		{ "-h", NULL, &cm->cm_help },
		{ "--help", NULL, &cm->cm_help },
		{ "-q", &cm->cm_quantity, NULL },
		{ "--quantity", &cm->cm_quantity, NULL },
		{ "--across", NULL, &cm->cm_across },
		{ "--all", NULL, &cm->cm_all },
		{ "--base", &cm->cm_base, NULL },
		{ "--by", &cm->cm_by, NULL },
		{ "--common", NULL, &cm->cm_common },
		{ "--fail-if", &cm->cm_fail_if[cm->cm_fail_ifs], NULL },
		{ "--format", &cm->cm_format, NULL },
		{ "--margin", &cm->cm_margin, NULL },
		{ "--side", &cm->cm_side, NULL },
	};
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (strlen(table[i].name) != len ||
		    strncmp(table[i].name, name, len) != 0)
			continue;
		*flag = table[i].flag;
		return (table[i].value);
	}
	*flag = NULL;
	return (NULL);
}

/* One option, argv[*i]; *i moves to its value where that is a word. */
static int
parse_option(struct compare_options *cm, int argc, char *argv[], int *i)
{
	const char *name = argv[*i], **value;
	size_t n = strcspn(name, "=");
	bool *flag;

	if (cm->cm_fail_ifs == FAIL_IF_MAX - 1 &&
	    strncmp(name, "--fail-if", n) == 0)
		return (usage_error("compare", "--fail-if is given more than "
		    "%d times", FAIL_IF_MAX - 1));
	value = option(cm, name, n, &flag);
	if (flag != NULL) {
		if (name[n] == '=')
			return (usage_error("compare", "%.*s takes no value",
			    (int)n, name));
		*flag = true;
		return (0);
	}
	if (value == NULL)
		return (usage_error("compare", "unknown option %s; \"rngsim "
		    "compare --help\" lists them", name));
	if (*value != NULL)
		return (usage_error("compare", "%.*s is given twice", (int)n,
		    name));
	if (name[n] == '=')
		*value = name + n + 1;
	else if (++*i < argc)
		*value = argv[*i];
	else
		return (usage_error("compare", "%s: expected a value after "
		    "it", name));
	if (cm->cm_fail_if[cm->cm_fail_ifs] != NULL)
		cm->cm_fail_ifs++;
	return (0);
}

static int
parse(struct compare_options *cm, int argc, char *argv[])
{
	int i, status = 0;

	for (i = 1; i < argc && status == 0 && !cm->cm_help; i++) {
		if (argv[i][0] == '-' && argv[i][1] != '\0')
			status = parse_option(cm, argc, argv, &i);
		else if (cm->cm_files == 2)
			status = usage_error("compare", "surplus operand "
			    "\"%s\"", argv[i]);
		else
			cm->cm_file[cm->cm_files++] = argv[i];
	}
	return (status);
}

static int
check_quantities(struct compare_options *cm)
{
	char known[COMPARE_TEXT_SIZE], name[RESULT_NAME_SIZE];
	const char *at = cm->cm_quantity;
	size_t n;
	int q;

	if (at == NULL) {
		cm->cm_wanted = (1u << QUANTITIES) - 1;
		return (0);
	}
	compare_quantity_names(known);
	for (;; at += n + 1) {
		n = strcspn(at, ",");
		snprintf(name, sizeof(name), "%.*s", (int)(n < sizeof(name) ?
		    n : 0), at);
		q = quantity_find(name);
		if (q == -1)
			return (usage_error("compare", "-q: \"%.*s\": expected "
			    "%s", (int)n, at, known));
		if ((cm->cm_wanted & 1u << q) != 0)
			return (usage_error("compare", "-q: %s is there twice",
			    name));
		cm->cm_wanted |= 1u << q;
		if (at[n] == '\0')
			return (0);
	}
}

/* Which of the words it is; -1: none. */
static int
choice(const char *text, const char *const *words, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++)
		if (strcmp(words[i], text) == 0)
			return ((int)i);
	return (-1);
}

static int
check_words(struct compare_options *cm)
{
	static const char *const keys[] = { "design", "lock", "cipher" };
	static const char *const sides[] = { "a", "b" };
	int n;

	if (cm->cm_by != NULL) {
		n = choice(cm->cm_by, keys, 3);
		if (n == -1)
			return (usage_error("compare", "--by: \"%s\": expected "
			    "design, lock or cipher", cm->cm_by));
		cm->cm_by_index = (enum compare_by)(COMPARE_DESIGN + n);
	}
	if (cm->cm_format != NULL) {
		n = choice(cm->cm_format, format_names, FORMATS);
		if (n == -1)
			return (usage_error("compare", "--format: \"%s\": "
			    "expected table, sentences, csv, json or ministat",
			    cm->cm_format));
		cm->cm_format_index = (enum format)n;
	}
	cm->cm_side_index = 2;
	if (cm->cm_side != NULL) {
		n = choice(cm->cm_side, sides, 2);
		if (n == -1)
			return (usage_error("compare", "--side: \"%s\": "
			    "expected a or b", cm->cm_side));
		cm->cm_side_index = (unsigned)n;
	}
	return (0);
}

static int
check_files(const struct compare_options *cm)
{

	if (cm->cm_files == 0)
		return (usage_error("compare", "missing operand: expected two "
		    "result files, or one and --by"));
	if (cm->cm_files == 1 && cm->cm_by == NULL)
		return (usage_error("compare", "one result: expected a second "
		    "one, or --by design, lock or cipher"));
	if (cm->cm_files == 2 && cm->cm_by != NULL)
		return (usage_error("compare", "--by: expected one result, "
		    "not two"));
	if (cm->cm_by == NULL && cm->cm_base != NULL)
		return (usage_error("compare", "--base: expected --by with "
		    "it"));
	if (cm->cm_side != NULL && cm->cm_format_index != FORMAT_MINISTAT)
		return (usage_error("compare", "--side: expected --format "
		    "ministat with it"));
	if (cm->cm_files == 2 && strcmp(cm->cm_file[0], "-") == 0 &&
	    strcmp(cm->cm_file[1], "-") == 0)
		return (usage_error("compare", "-: expected stdin once"));
	return (0);
}

static int
check_numbers(struct compare_options *cm)
{
	char why[COMPARE_TEXT_SIZE];
	const char *rest;
	unsigned i;

	for (i = 0; i < cm->cm_fail_ifs; i++) {
		if (compare_gate_parse(&cm->cm_gate[i], cm->cm_fail_if[i],
		    why) != 0)
			return (usage_error("compare", "--fail-if: \"%s\": "
			    "%s", cm->cm_fail_if[i], why));
		if ((cm->cm_wanted & 1u << cm->cm_gate[i].cg_quantity) == 0)
			return (usage_error("compare", "--fail-if: \"%s\": "
			    "-q leaves this quantity out", cm->cm_fail_if[i]));
	}
	cm->cm_margin_share = margin_default;
	if (cm->cm_margin == NULL)
		return (0);
	rest = compare_percentage(cm->cm_margin, &cm->cm_margin_share);
	if (rest == NULL || strcmp(rest, *rest == '%' ? "%" : "") != 0 ||
	    cm->cm_margin_share < 0 || cm->cm_margin_share > 1)
		return (usage_error("compare", "--margin: \"%s\": expected 0 "
		    "to 100 percent", cm->cm_margin));
	return (0);
}

static int
check(struct compare_options *cm)
{
	int status;

	status = check_words(cm);
	if (status == 0)
		status = check_quantities(cm);
	if (status == 0)
		status = check_numbers(cm);
	if (status == 0)
		status = check_files(cm);
	return (status);
}

/* The rows that meet a condition, on stderr. */
static int
fail_if(const struct compare *co, const struct compare_gate *cg)
{
	char text[COMPARE_TEXT_SIZE];
	const struct compare_pair *pa;
	unsigned failed = 0, i, judged = 0;

	for (i = 0; i < co->co_pair_count; i++) {
		pa = &co->co_pairs[i];
		judged += pa->pa_refused[0] == '\0';
		if (!compare_gate_met(cg, pa))
			continue;
		if (++failed > FAILED_SHOWN)
			continue;
		verdict_sentence(text, co, pa, cg->cg_quantity);
		run_error("compare", "%s: %s", cg->cg_text, text);
	}
	if (failed > FAILED_SHOWN)
		run_error("compare", "%s: %u rows more", cg->cg_text,
		    failed - FAILED_SHOWN);
	if (judged == 0)
		return (run_error("compare", "%s: every row was refused, so "
		    "this cannot be told", cg->cg_text));
	if (judged < co->co_pair_count)
		fprintf(stderr, "rngsim: compare: %s: %u rows were refused "
		    "and not asked\n", cg->cg_text,
		    co->co_pair_count - judged);
	return (failed > 0 ? EXIT_FAILURE : 0);
}

static int
emit(const struct compare_options *cm, const struct compare *co)
{
	unsigned i;
	int status = 0;

	switch (cm->cm_format_index) {
	case FORMAT_TABLE:
		verdict_print(stdout, co, cm->cm_all);
		break;
	case FORMAT_SENTENCES:
		verdict_print_sentences(stdout, co);
		break;
	case FORMAT_CSV:
		verdict_print_csv(stdout, co);
		break;
	case FORMAT_JSON:
		if (verdict_print_json(stdout, co) != 0)
			return (run_error("compare", "%s", strerror(ENOMEM)));
		break;
	case FORMAT_MINISTAT:
		if (verdict_ministat_columns(co, cm->cm_side_index) >
		    VERDICT_MINISTAT_COLUMNS)
			return (run_error("compare", "ministat(1) cuts lines "
			    "of more than %d columns; -q and --side choose "
			    "fewer", VERDICT_MINISTAT_COLUMNS));
		verdict_print_ministat(stdout, co, cm->cm_side_index);
		break;
	case FORMATS:
		break;
	}
	for (i = 0; i < cm->cm_fail_ifs; i++)
		if (fail_if(co, &cm->cm_gate[i]) != 0)
			status = EXIT_FAILURE;
	return (status);
}

/* Cells that one file lacks would be cells that a gate never sees. */
static int
check_alone(const struct compare_options *cm, const struct compare *co)
{
	char text[COMPARE_TEXT_SIZE];
	unsigned side = co->co_alone_count[0] > 0 ? 0 : 1;

	if (cm->cm_by != NULL || cm->cm_common ||
	    co->co_alone_count[0] + co->co_alone_count[1] == 0)
		return (0);
	verdict_cell(text, co->co_alone[side][0]);
	return (run_error("compare", "%u cells are only in A and %u only in B, "
	    "such as \"%s\" in %c; --common compares the others",
	    co->co_alone_count[0], co->co_alone_count[1], text, "AB"[side]));
}

static int
compare(const struct compare_options *cm, const struct result r[2])
{
	struct compare co = {
		.co_result = { &r[0], &r[cm->cm_files - 1] },
		.co_path = { cm->cm_file[0], cm->cm_file[cm->cm_files - 1] },
		.co_by = cm->cm_by_index,
		.co_wanted = cm->cm_wanted,
		.co_margin = cm->cm_margin_share
	};
	char why[COMPARE_TEXT_SIZE] = "";
	unsigned i;
	int error = 0, status = EXIT_FAILURE;

	for (i = 0; i < cm->cm_files && error == 0; i++) {
		error = compare_check(&r[i], why);
		if (error != 0)
			run_error("compare", "%s: %s", cm->cm_file[i], why);
	}
	if (error != 0)
		return (EXIT_FAILURE);
	error = compare_conditions(&co, cm->cm_across, why);
	if (error == 0)
		error = compare_match(&co, cm->cm_base, why);
	if (error != 0) {
		run_error("compare", "%s", why);
	} else if (check_alone(cm, &co) == 0) {
		error = compare_judge(&co);
		if (error != 0)
			run_error("compare", "%s", strerror(error));
		else
			status = emit(cm, &co);
	}
	compare_free(&co);
	return (status);
}

static int
run(int argc, char *argv[], char *const whole[])
{
	struct compare_options cm = { .cm_files = 0 };
	char why[RESULT_TEXT_SIZE] = "";
	struct result r[2];
	unsigned i, loaded = 0;
	int status;

	(void)whole;
	status = parse(&cm, argc, argv);
	if (status == 0 && cm.cm_help) {
		puts(usage);
		for (i = 0; i < QUANTITIES; i++)
			printf("  %s\n", quantities[i].qu_name);
		return (EXIT_SUCCESS);
	}
	if (status == 0)
		status = check(&cm);
	if (status != 0)
		return (status);
	for (; loaded < cm.cm_files && status == 0; loaded++) {
		if (result_load(cm.cm_file[loaded], &r[loaded], why) == 0)
			continue;
		status = run_error("compare", "%s: %s", cm.cm_file[loaded],
		    why);
		break;
	}
	if (status == 0)
		status = compare(&cm, r);
	for (i = 0; i < loaded; i++)
		result_free(&r[i]);
	return (status);
}

const struct command cmd_compare = {
	.cmd_name	= "compare",
	.cmd_args	= "A B | FILE --by KEY [OPTIONS]",
	.cmd_descr	= "a verdict: better, worse or no difference shown",
	.cmd_run	= run,
};
