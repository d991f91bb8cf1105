#include <stdlib.h>

#include "bench/cmd.h"
#include "bench/page/page.h"
#include "bench/report/plot.h"
#include "bench/report/report.h"

/* The outputs, each an option. */
static const struct view {
	enum option_id	vw_option;
	enum report	vw_report;
} views[] = {
	{ OPTION_FORMAT, REPORT_TABLE },
	{ OPTION_PLOT, REPORT_TABLE },
	{ OPTION_HTML, REPORT_TABLE },
	{ OPTION_LOCK_PROF, REPORT_LOCKPROF },
	{ OPTION_LOCKSTAT, REPORT_LOCKSTAT },
	{ OPTION_WAITS, REPORT_WAITS },
	{ OPTION_USL, REPORT_USL }
};

enum { VIEWS = sizeof(views) / sizeof(views[0]) };

/* There is one output. */
static int
check_one_output(const struct options *op)
{
	const char *first = NULL, *name;

	for (unsigned i = 0; i < VIEWS; i++) {
		if (op->op_text[views[i].vw_option] == NULL)
			continue;
		name = option_defs[views[i].vw_option].od_name;
		if (first != NULL)
			return (usage_error("--%s and --%s: expected one of "
			    "them", first, name));
		first = name;
	}
	return (0);
}

static int
check(struct options *op)
{
	int status;

	status = check_one_output(op);
	if (status != 0)
		return (status);
	if (GIVEN(op, HISTOGRAM) && !GIVEN(op, LOCKSTAT))
		return (usage_error("-H: expected --lockstat beside it"));
	if (op->op_operands == 0)
		return (usage_error("missing operand: expected a result FILE"));
	if (op->op_operands == 2 && !GIVEN(op, HTML))
		return (usage_error("surplus operand \"%s\": two results need "
		    "--html; \"rngsim compare\" compares them too",
		    op->op_operand[1]));
	if (op->op_operands == 2 && strcmp(op->op_operand[0], "-") == 0 &&
	    strcmp(op->op_operand[1], "-") == 0)
		return (usage_error("-: expected stdin once"));
	return (0);
}

/* Returns: the exit status. */
static int
output(const struct options *op, const struct result *r)
{
	enum report report = (enum report)op->op_format;
	char why[RESULT_TEXT_SIZE] = "";
	int error;

	if (op->op_plot != NULL) {
		error = plot_write(r, op->op_plot, why);
		return (error == 0 ? EXIT_SUCCESS :
		    run_error("%s: %s", op->op_plot, why));
	}
	for (unsigned i = 0; i < VIEWS; i++)
		if (op->op_text[views[i].vw_option] != NULL &&
		    views[i].vw_option != OPTION_FORMAT)
			report = views[i].vw_report;
	if (GIVEN(op, HISTOGRAM))
		report = REPORT_LOCKSTAT_HISTOGRAM;
	if (report >= REPORT_FORMATS && r->cell_count == 0)
		puts("no cells");
	error = report_emit(stdout, r, report);
	return (error == 0 ? EXIT_SUCCESS :
	    run_error("stdout: %s", strerror(error)));
}

static void
print_page(FILE *out, const void *ps)
{
	struct page_results *const *page = ps;

	page_results(out, *page);
}

static int
write_page(const struct options *op, const struct result *r,
    struct atomic_file *of)
{
	struct page_results ps = { .ps_chartless = "" };
	struct page_results *page = &ps;
	int status;

	for (int i = 0; i < op->op_operands; i++) {
		ps.ps_result[i] = &r[i];
		ps.ps_path[i] = strcmp(op->op_operand[i], "-") == 0 ?
		    "stdin" : op->op_operand[i];
	}
	status = command_write(op->op_html, of, print_page, &page);
	if (status == 0 && ps.ps_chartless[0] != '\0')
		fprintf(stderr, "rngsim: report: %s: a page without charts: "
		    "%s\n", op->op_html, ps.ps_chartless);
	return (status);
}

static int
run(struct options *op)
{
	struct atomic_file of = { .of_fd = -1 };
	char why[RESULT_TEXT_SIZE] = "";
	struct result r[2];
	int loaded, status;

	status = command_open(op->op_html, &of);
	for (loaded = 0; status == 0 && loaded < op->op_operands; loaded++) {
		if (result_load(op->op_operand[loaded], &r[loaded], why) == 0)
			continue;
		status = run_error("%s: %s", op->op_operand[loaded], why);
		break;
	}
	if (status == 0)
		status = op->op_html != NULL ? write_page(op, r, &of) :
		    output(op, r);
	while (loaded > 0)
		result_free(&r[--loaded]);
	atomic_file_abort(&of);
	return (status);
}

const struct command cmd_report = { check, run, 0 };
