#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cmd.h"
#include "bench/compare/compare_fail.h"
#include "bench/compare/verdict.h"
#include "bench/console/arguments.h"
#include "bench/options/options.h"
#include "bench/result/claim.h"
#include "bench/result/select.h"

static const char usage[] =
    "Usage: rngsim compare A.json B.json [OPTIONS]\n"
    "       rngsim compare FILE --by design|lock|cipher [OPTIONS]\n\n"
    "Says what is better, what worse, and what shows no difference: B beside\n"
    "A, or within one result.  A file may be - for stdin.\n";

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

enum { FAIL_IF_MAX = 32 };

/*
 * A model's own chance is small beside what it does not know, so that nearly
 * any difference would be clear.
 */
static const double margin_measured = 0.01;
static const double margin_predicted = 0.05;

enum option {
	OPT_HELP,
	OPT_QUANTITY,
	OPT_ACROSS,
	OPT_ALL,
	OPT_BASE,
	OPT_BY,
	OPT_COMMON,
	OPT_FAIL_IF,
	OPT_FORMAT,
	OPT_MARGIN,
	OPT_REFUSED_OK,
	OPT_SIDE,
	/* In the order of enum select_key. */
	OPT_FILTERS,
	OPTIONS = OPT_FILTERS + SELECT_KEYS
};

#define	FILTER(c, name, descr)						\
	{ .ag_short = (c), .ag_long = (name), .ag_value = "LIST",	\
	    .ag_descr = (descr) }
#define	OPTION(name, value, descr)					\
	{ .ag_long = (name), .ag_value = (value), .ag_descr = (descr) }

static const struct argument options[OPTIONS] = {
	[OPT_HELP] = { 'h', "help", NULL, "this text", false },
	[OPT_QUANTITY] = { 'q', "quantity", "LIST",
	    "only these, of those below", false },
	[OPT_ACROSS] = OPTION("across", NULL,
	    "compare different hosts and methods too"),
	[OPT_ALL] = OPTION("all", NULL,
	    "table: rows without a difference at length too"),
	[OPT_BASE] = OPTION("base", "NAME",
	    "--by: what to compare with (locked, mtx, or the first)"),
	[OPT_BY] = OPTION("by", "KEY", "design, lock or cipher"),
	[OPT_COMMON] = OPTION("common", NULL,
	    "cells that only one file has are no failure"),
	[OPT_FAIL_IF] = { '\0', "fail-if", "EXPR", "exit 1 if a row is so: "
	    "'total_mb_per_s < -5%'; may be given more than once", true },
	[OPT_FORMAT] = OPTION("format", "NAME",
	    "table, sentences, csv, json or ministat"),
	[OPT_MARGIN] = OPTION("margin", "PERCENT",
	    "changes up to this are not ranked (1; predictions 5)"),
	[OPT_REFUSED_OK] = OPTION("refused-ok", NULL,
	    "--fail-if: rows that were refused may pass"),
	[OPT_SIDE] = OPTION("side", "SIDE",
	    "ministat: only the columns of a or b"),
	[OPT_FILTERS + SELECT_CIPHER] = FILTER('c', "cipher",
	    "only cells with these ciphers"),
	[OPT_FILTERS + SELECT_DESIGN] = FILTER('d', "design",
	    "only these designs"),
	[OPT_FILTERS + SELECT_LOCK] = FILTER('l', "lock", "only these locks"),
	[OPT_FILTERS + SELECT_READERS] = FILTER('r', "readers",
	    "only these numbers of readers: 1,3-4"),
	[OPT_FILTERS + SELECT_SIZE] = FILTER('s', "size",
	    "only these request sizes: 4k,64k"),
};

struct compare_options {
	const char	*cm_file[2];
	unsigned	 cm_files;
	bool		 cm_given[OPTIONS];
	const char	*cm_value[OPTIONS];	/* NULL: not given, or no */
	const char	*cm_fail_if[FAIL_IF_MAX];
	unsigned	 cm_fail_ifs;
	struct select	 cm_select;
	/* What was meant. */
	unsigned	 cm_wanted;
	enum compare_by	 cm_by_index;
	enum format	 cm_format_index;
	unsigned	 cm_side_index;
	double		 cm_margin_share;	/* if given */
	struct compare_gate cm_gate[FAIL_IF_MAX];
};

static int
set(void *context, unsigned i, const char *label, const char *value)
{
	struct compare_options *cm = context;
	char why[SELECT_TEXT_SIZE];
	enum select_key key;

	if (i >= OPT_FILTERS) {
		key = (enum select_key)(i - OPT_FILTERS);
		if (select_check(key, value, why) != 0)
			return (usage_error("compare", "%s: %s", label, why));
		cm->cm_select.sl_list[key] = value;
	}
	if (i == OPT_FAIL_IF && cm->cm_fail_ifs == FAIL_IF_MAX)
		return (usage_error("compare", "%s is given more than %d "
		    "times", label, FAIL_IF_MAX));
	if (i == OPT_FAIL_IF)
		cm->cm_fail_if[cm->cm_fail_ifs++] = value;
	cm->cm_given[i] = true;
	cm->cm_value[i] = value;
	return (0);
}

static int
check_quantities(struct compare_options *cm)
{
	char known[COMPARE_TEXT_SIZE], name[RESULT_NAME_SIZE];
	const char *at = cm->cm_value[OPT_QUANTITY];
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

	if (cm->cm_value[OPT_BY] != NULL) {
		n = choice(cm->cm_value[OPT_BY], keys, 3);
		if (n == -1)
			return (usage_error("compare", "--by: \"%s\": expected "
			    "design, lock or cipher", cm->cm_value[OPT_BY]));
		cm->cm_by_index = (enum compare_by)(COMPARE_DESIGN + n);
	}
	if (cm->cm_value[OPT_FORMAT] != NULL) {
		n = choice(cm->cm_value[OPT_FORMAT], format_names, FORMATS);
		if (n == -1)
			return (usage_error("compare", "--format: \"%s\": "
			    "expected table, sentences, csv, json or ministat",
			    cm->cm_value[OPT_FORMAT]));
		cm->cm_format_index = (enum format)n;
	}
	cm->cm_side_index = 2;
	if (cm->cm_value[OPT_SIDE] != NULL) {
		n = choice(cm->cm_value[OPT_SIDE], sides, 2);
		if (n == -1)
			return (usage_error("compare", "--side: \"%s\": "
			    "expected a or b", cm->cm_value[OPT_SIDE]));
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
	if (cm->cm_files == 1 && cm->cm_value[OPT_BY] == NULL)
		return (usage_error("compare", "one result: expected a second "
		    "one, or --by design, lock or cipher"));
	if (cm->cm_files == 2 && cm->cm_value[OPT_BY] != NULL)
		return (usage_error("compare", "--by: expected one result, "
		    "not two"));
	if (cm->cm_value[OPT_BY] == NULL && cm->cm_value[OPT_BASE] != NULL)
		return (usage_error("compare", "--base: expected --by with "
		    "it"));
	if (cm->cm_given[OPT_REFUSED_OK] && cm->cm_fail_ifs == 0)
		return (usage_error("compare", "--refused-ok: expected "
		    "--fail-if with it"));
	if (cm->cm_value[OPT_SIDE] != NULL &&
	    cm->cm_format_index != FORMAT_MINISTAT)
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
	if (cm->cm_value[OPT_MARGIN] == NULL)
		return (0);
	rest = compare_percentage(cm->cm_value[OPT_MARGIN],
	    &cm->cm_margin_share);
	if (rest == NULL || strcmp(rest, *rest == '%' ? "%" : "") != 0 ||
	    cm->cm_margin_share < 0 || cm->cm_margin_share > 1)
		return (usage_error("compare", "--margin: \"%s\": expected 0 "
		    "to 100 percent", cm->cm_value[OPT_MARGIN]));
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

static int
emit(const struct compare_options *cm, const struct compare *co)
{
	unsigned i;
	int error = 0, status;

	switch (cm->cm_format_index) {
	case FORMAT_TABLE:
		verdict_print(stdout, co, cm->cm_given[OPT_ALL]);
		break;
	case FORMAT_SENTENCES:
		verdict_print_sentences(stdout, co);
		break;
	case FORMAT_CSV:
		/* A table has no place for them. */
		verdict_print_flags(stderr, co, "rngsim: compare: ");
		verdict_print_csv(stdout, co);
		break;
	case FORMAT_JSON:
		error = verdict_print_json(stdout, co);
		break;
	case FORMAT_MINISTAT:
		if (verdict_ministat_columns(co, cm->cm_side_index) >
		    VERDICT_MINISTAT_COLUMNS)
			return (run_error("compare", "ministat(1) cuts lines "
			    "of more than %d columns; -q and --side choose "
			    "fewer", VERDICT_MINISTAT_COLUMNS));
		error = verdict_print_ministat(stdout, co, cm->cm_side_index);
		break;
	case FORMATS:
		break;
	}
	if (error != 0)
		return (run_error("compare", "%s", strerror(error)));
	status = cm->cm_fail_ifs == 0 ? compare_fail_unjudged(co) : 0;
	for (i = 0; i < cm->cm_fail_ifs; i++)
		if (compare_fail_if(co, &cm->cm_gate[i],
		    cm->cm_given[OPT_REFUSED_OK]) != 0)
			status = EXIT_FAILURE;
	return (status);
}

/* Cells that one file lacks would be cells that a gate never sees. */
static int
check_alone(const struct compare_options *cm, const struct compare *co)
{
	char text[COMPARE_TEXT_SIZE];
	unsigned side = co->co_alone_count[0] > 0 ? 0 : 1;

	if (cm->cm_value[OPT_BY] != NULL || cm->cm_given[OPT_COMMON] ||
	    co->co_alone_count[0] + co->co_alone_count[1] == 0)
		return (0);
	verdict_cell(text, co->co_alone[side][0]);
	return (run_error("compare", "cells only in A: %u, only in B: %u, "
	    "such as \"%s\" in %c; --common compares the others",
	    co->co_alone_count[0], co->co_alone_count[1], text, "AB"[side]));
}

/* Leaves the cells that were asked for; what a machine did, all cells tell. */
static int
filter(const struct compare_options *cm, struct result r[2])
{
	char there[SELECT_TEXT_SIZE];
	unsigned i;

	for (i = 0; i < cm->cm_files; i++) {
		if (select_cells(&cm->cm_select, &r[i]) == 0)
			continue;
		select_describe(&r[i], there);
		return (run_error("compare", "%s: no such cell: expected of "
		    "%s", cm->cm_file[i], there));
	}
	return (0);
}

static int
match(const struct compare_options *cm, struct compare *co)
{
	char why[COMPARE_TEXT_SIZE] = "";
	int error;

	error = compare_match(co, cm->cm_value[OPT_BASE], why);
	if (error == 0)
		return (0);
	if (error == ENOENT &&
	    !compare_base_known(cm->cm_by_index, cm->cm_value[OPT_BASE]))
		return (usage_error("compare", "%s", why));
	return (run_error("compare", "%s", why));
}

static int
compare(const struct compare_options *cm, struct result r[2])
{
	const double margin = claim_of(&r[0]) == CLAIM_MEASURED ?
	    margin_measured : margin_predicted;
	struct compare co = {
		.co_result = { &r[0], &r[cm->cm_files - 1] },
		.co_path = { cm->cm_file[0], cm->cm_file[cm->cm_files - 1] },
		.co_by = cm->cm_by_index,
		.co_wanted = cm->cm_wanted,
		.co_margin = cm->cm_value[OPT_MARGIN] != NULL ?
		    cm->cm_margin_share : margin
	};
	char why[COMPARE_TEXT_SIZE] = "";
	int error, status;
	unsigned i;

	for (i = 0; i < cm->cm_files; i++)
		if (r[i].cell_count == 0)
			return (run_error("compare", "%s: holds no cell",
			    cm->cm_file[i]));
	if (compare_conditions(&co, cm->cm_given[OPT_ACROSS], why) != 0)
		status = run_error("compare", "%s", why);
	else
		status = filter(cm, r);
	if (status == 0)
		status = match(cm, &co);
	if (status == 0)
		status = check_alone(cm, &co);
	if (status == 0) {
		error = compare_judge(&co);
		status = error != 0 ? run_error("compare", "%s",
		    strerror(error)) : emit(cm, &co);
	}
	compare_free(&co);
	return (status);
}

static int
run(int argc, char *argv[], char *const whole[])
{
	struct compare_options cm = { .cm_files = 0 };
	const struct arguments as = { .as_command = "compare",
	    .as_table = options, .as_options = OPTIONS, .as_operands = 2,
	    .as_set = set, .as_context = &cm };
	char why[RESULT_TEXT_SIZE] = "";
	struct result r[2];
	unsigned i, loaded = 0;
	bool help;
	int status;

	(void)whole;
	status = arguments_parse(&as, &argc, argv, &help);
	if (status == 0 && help) {
		puts(usage);
		arguments_help(&as);
		puts("\nQuantities:");
		for (i = 0; i < QUANTITIES; i++)
			printf("  %s\n", quantities[i].qu_name);
		return (EXIT_SUCCESS);
	}
	while (cm.cm_files + 1 < (unsigned)argc) {
		cm.cm_file[cm.cm_files] = argv[cm.cm_files + 1];
		cm.cm_files++;
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
