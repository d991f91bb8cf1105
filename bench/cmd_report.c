#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cmd.h"
#include "bench/report/plot.h"
#include "bench/report/report.h"

/* The outputs, each an option. */
static const struct view {
	enum option_id	vw_option;
	enum report	vw_report;
} views[] = {
	{ OPTION_FORMAT, REPORT_TABLE },
	{ OPTION_PLOT, REPORT_TABLE },
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
	unsigned i;

	for (i = 0; i < VIEWS; i++) {
		if (op->op_text[views[i].vw_option] == NULL)
			continue;
		name = option_defs[views[i].vw_option].od_name;
		if (first != NULL)
			return (usage_error("report", "--%s and --%s: expected "
			    "one of them", first, name));
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
		return (usage_error("report", "-H: expected --lockstat beside "
		    "it"));
	if (op->op_operands == 0)
		return (usage_error("report", "missing operand: expected a "
		    "result FILE"));
	return (0);
}

/* Returns: the exit status. */
static int
output(const struct options *op, const struct result *r)
{
	enum report report = (enum report)op->op_format;
	char why[RESULT_TEXT_SIZE] = "";
	unsigned i;
	int error;

	if (op->op_plot != NULL) {
		error = plot_write(r, op->op_plot, why);
		return (error == 0 ? EXIT_SUCCESS :
		    run_error("report", "%s: %s", op->op_plot, why));
	}
	for (i = 0; i < VIEWS; i++)
		if (op->op_text[views[i].vw_option] != NULL &&
		    views[i].vw_option != OPTION_FORMAT)
			report = views[i].vw_report;
	if (GIVEN(op, HISTOGRAM))
		report = REPORT_LOCKSTAT_HISTOGRAM;
	if (report >= REPORT_FORMATS && r->cell_count == 0)
		puts("no cells");
	error = report_emit(stdout, r, report);
	return (error == 0 ? EXIT_SUCCESS :
	    run_error("report", "stdout: %s", strerror(error)));
}

static int
run(struct options *op)
{
	char why[RESULT_TEXT_SIZE] = "";
	const char *file = op->op_operand[0];
	struct result r;
	int status;

	if (result_load(file, &r, why) != 0)
		return (run_error("report", "%s: %s", file, why));
	status = output(op, &r);
	result_free(&r);
	return (status);
}

const struct command cmd_report = { check, run, 0 };
