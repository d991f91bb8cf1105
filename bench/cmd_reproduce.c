/*
 * rngsim reproduce: published results beside predictions.
 */
#include <stdlib.h>

#include "bench/cli/program.h"
#include "bench/cmd.h"
#include "bench/page/page.h"
#include "bench/predict/published.h"
#include "bench/predict/reproduce.h"

CTASSERT(REPRODUCE_SEEDS == 5);	/* as the range of --seed allows */

/* Reproductions, then files. */
static const struct reproduction_file *
file_of(unsigned i)
{
	return (i >= reproduction_count ?
	    &reproduction_files[i - reproduction_count] : NULL);
}

static const char *
reproduction_name(unsigned i)
{
	if (i >= reproduction_count + reproduction_file_count)
		return (NULL);
	return (file_of(i) != NULL ? file_of(i)->re_name :
	    reproductions[i]->rd_name);
}

static const char *
reproduction_descr(unsigned i)
{
	return (file_of(i) != NULL ? file_of(i)->re_descr :
	    reproductions[i]->rd_descr);
}

const struct family family_reproductions = { .fa_name = reproduction_name,
    .fa_descr = reproduction_descr, .fa_title = "Publications" };

/* Options that say something about a file of figures. */
static int
check_file_options(const struct options *op)
{
	static const enum option_id options[] = { OPTION_MAP, OPTION_WHERE,
	    OPTION_PUBLISHED_LOOP, OPTION_UNITS, OPTION_PUBLISHED_THREADS,
	    OPTION_PUBLISHED_PLACE, OPTION_PUBLISHED_TIME,
	    OPTION_PUBLISHED_UNCERTAINTY };
	char label[OPTION_LABEL_SIZE];
	unsigned i;

	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (op->op_text[options[i]] != NULL)
			return (usage_error("%s is for a file of figures: "
			    "\"%s\" has none", option_label(options[i], label),
			    op->op_operand[0]));
	return (op->op_format != FORMAT_CSV ? 0 : usage_error("--format: "
	    "\"csv\": expected table or json with \"%s\"", op->op_operand[0]));
}

static int
check(struct options *op)
{
	char known[512];
	int i;

	if (op->op_published != NULL) {
		if (op->op_operands > 0)
			return (usage_error("\"%s\" and --published: expected "
			    "one of them", op->op_operand[0]));
		if (op->op_profile == NULL || op->op_map == NULL)
			return (usage_error("--published: expected --profile "
			    "and --map with it"));
		return (0);
	}
	if (op->op_operands == 0 && op->op_given > 0)
		return (usage_error("expected a NAME with these options; "
		    "\"rngsim reproduce\" lists the names"));
	if (op->op_operands == 0)
		return (0);
	i = family_find(&family_reproductions, op->op_operand[0]);
	if (i != -1)
		return (file_of((unsigned)i) != NULL ? 0 :
		    check_file_options(op));
	family_join(&family_reproductions, 0, NULL, known, sizeof(known));
	return (usage_error("\"%s\": expected %s", op->op_operand[0], known));
}

static void
print_table(FILE *out, const void *rg)
{
	reproduce_print(out, rg);
}

static void
print_page(FILE *out, const void *of)
{
	const struct reproducing *rg = of;
	const unsigned missed = reproduce_missed(rg);
	struct text t = { .s = "" };

	text_add(&t, "for %s; computed by rngsim, beside published figures",
	    rg->rg_profile.pr_name);
	page_begin(out, FORMATF("rngsim: reproduce %s",
	    rg->rg_what->rd_name), PAGE_PREDICTED, t.s);
	page_paragraph(out, missed > 0 ? "p class=\"worse\"" :
	    "p class=\"better\"", missed == 0 ? "All figures are within what "
	    "is accepted." : FORMATF("%u of %u figures lie outside what is "
	    "accepted.", missed, rg->rg_what->rd_row_count));
	page_printed(out, print_table, rg);
	page_end(out);
}

static int
show(const struct options *op, const struct reproducing *rg,
    struct atomic_file *of)
{
	const unsigned missed = reproduce_missed(rg);

	if (op->op_html != NULL &&
	    command_write(op->op_html, of, print_page, rg) != 0)
		return (EXIT_FAILURE);
	if (op->op_format == FORMAT_JSON)
		reproduce_print_json(stdout, rg);
	else
		reproduce_print(stdout, rg);
	if (missed == 0)
		return (EXIT_SUCCESS);
	/* The message follows its table. */
	fflush(stdout);
	return (run_error("%s: %u of %u figures %s outside what is accepted",
	    rg->rg_what->rd_name, missed, rg->rg_what->rd_row_count, missed ==
	    1 ? "lies" : "lie"));
}

static int
refuse_profile(int error, const char *why)
{
	if (error == EINVAL || error == ENOENT || error == ESRCH)
		return (usage_error("--profile: %s", why));
	return (run_error("--profile: %s", why));
}

static int
run_one(const struct options *op, const struct reproduction *rd)
{
	char why[PROFILE_ERROR_SIZE] = "";
	static struct reproducing rg;
	static struct profile pr;
	struct atomic_file of = { .of_fd = -1 };
	int error, status;

	error = profile_load(&pr, op->op_profile != NULL ? op->op_profile :
	    rd->rd_profile, why);
	if (error != 0)
		return (refuse_profile(error, why));
	status = command_open(op->op_html, &of);
	if (status != 0)
		return (status);
	error = reproduce(&rg, rd, &pr, op->op_seed);
	status = error == 0 ? show(op, &rg, &of) :
	    run_error("%s", error == EINTR ? "interrupted" : rg.rg_error);
	atomic_file_abort(&of);
	return (status);
}

static void
print_published(FILE *out, const void *pb)
{
	published_print(out, pb);
}

static void
print_published_page(FILE *out, const void *of)
{
	const struct published *pb = of;
	struct text t = { .s = "" };

	text_add(&t, "for %s; computed by rngsim, beside published figures",
	    pb->pb_machine.vi_profile.pr_name);
	page_begin(out, "rngsim: reproduce", PAGE_PREDICTED, t.s);
	page_printed(out, print_published, pb);
	page_end(out);
}

static int
show_file(const struct options *op, const struct published *pb,
    struct atomic_file *of)
{
	int error = 0;

	if (op->op_html != NULL &&
	    command_write(op->op_html, of, print_published_page, pb) != 0)
		return (EXIT_FAILURE);
	if (op->op_format == FORMAT_JSON)
		error = published_print_json(stdout, pb);
	else if (op->op_format == FORMAT_CSV)
		published_print_csv(stdout, pb);
	else
		published_print(stdout, pb);
	return (error == 0 ? EXIT_SUCCESS : run_error("%s", strerror(error)));
}

static int
run_file(const struct options *op, const struct reproduction_file *re)
{
	char folder[PROGRAM_PATH_SIZE] = "", path[PROGRAM_PATH_SIZE + 64];
	char why[PROFILE_ERROR_SIZE] = "";
	struct published_request pq = { .pq_path = op->op_published,
	    .pq_map = op->op_map, .pq_where = op->op_where,
	    .pq_loop = GIVEN(op, PUBLISHED_LOOP) ? (int)op->op_loop : -1,
	    .pq_units = GIVEN(op, UNITS) ? (int)op->op_units : -1,
	    .pq_place = op->op_place_text, .pq_threads =
	    op->op_readers.ol_value, .pq_thread_count =
	    op->op_readers.ol_count, .pq_time_s = op->op_time_s,
	    .pq_seed = op->op_seed, .pq_samples = op->op_uncertainty };
	const char *profile = op->op_profile;
	struct atomic_file of = { .of_fd = -1 };
	static struct published pb;
	int error;

	if (re != NULL) {
		if (!program_data("published", "lib/published", folder))
			return (run_error("the files of published figures are "
			    "not installed"));
		snprintf(path, sizeof(path), "%s/%s", folder, re->re_file);
		pq.pq_path = path;
		pq.pq_map = pq.pq_map != NULL ? pq.pq_map : re->re_map;
		profile = profile != NULL ? profile : re->re_profile;
		if (pq.pq_loop < 0 && re->re_loop != NULL)
			pq.pq_loop = family_find(&family_published_loops,
			    re->re_loop);
	}
	error = virtual_make(&pb.pb_machine, profile, 0, 0, why);
	if (error != 0)
		return (refuse_profile(error == ERANGE ? EINVAL : error, why));
	error = command_open(op->op_html, &of);
	if (error != 0)
		return (error);
	error = published_open(&pb, &pq);
	if (error == EINVAL || error == ENOENT)
		error = usage_error("%s", pb.pb_error);
	else if (error == 0 && (error = published_predict(&pb)) == 0)
		error = show_file(op, &pb, &of);
	else
		error = run_error("%s", error == EINTR ? "interrupted" :
		    pb.pb_error);
	published_free(&pb);
	atomic_file_abort(&of);
	return (error);
}

static int
run(struct options *op)
{
	unsigned i;

	if (op->op_published != NULL)
		return (run_file(op, NULL));
	for (i = 0; op->op_operands == 0 && reproduction_name(i) != NULL; i++)
		printf("  %-16s %s\n", reproduction_name(i),
		    reproduction_descr(i));
	if (op->op_operands == 0)
		return (EXIT_SUCCESS);
	i = (unsigned)family_find(&family_reproductions, op->op_operand[0]);
	return (file_of(i) != NULL ? run_file(op, file_of(i)) :
	    run_one(op, reproductions[i]));
}

const struct command cmd_reproduce = { check, run, NEEDS_STOP | NEEDS_CRYPTO };
