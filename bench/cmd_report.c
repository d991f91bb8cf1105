#include "bench/cmd.h"
#include "bench/page/page.h"
#include "bench/report/report.h"

static int
check(struct options *op)
{
	if (op->op_plot != NULL && plot_form(op->op_plot) < 0)
		return (usage_error("--plot: \"%s\": expected a name that ends "
		    "in .png, .svg or .pdf", op->op_plot));
	if (op->op_operands == 0)
		return (usage_error("missing operand: expected a result FILE"));
	if (op->op_operands == 2 && !GIVEN(op, HTML))
		return (usage_error("surplus operand \"%s\": two results need "
		    "--html; \"rngsim compare\" compares them too",
		    op->op_operand[1]));
	return (0);
}

static int
run(struct options *op)
{
	const char *path = op->op_html != NULL ? op->op_html : op->op_plot;
	char why[RESULT_TEXT_SIZE] = "", *picture = NULL;
	struct result r[2] = { { .cells = NULL }, { .cells = NULL } };
	struct page_results pr = { .pgr_file = path, .pgr_result = r,
	    .pgr_count = (unsigned)op->op_operands };
	struct plot plt = { .plt_width = op->op_width,
	    .plt_title = op->op_title };
	int status = command_open(path, NULL);
	size_t size;

	for (unsigned i = 0; i < op->op_panels.ol_count; i++)
		plt.plt_panels |= 1u << op->op_panels.ol_value[i];
	for (int i = 0; status == 0 && i < op->op_operands; i++) {
		pr.pgr_path[i] = strcmp(op->op_operand[i], "-") == 0 ?
		    "stdin" : op->op_operand[i];
		if (result_load(op->op_operand[i], &r[i], why) != 0)
			status = run_error("%s: %s", op->op_operand[i], why);
	}
	if (status == 0 && op->op_html != NULL)
		status = command_write(path, page_results, &pr);
	else if (status == 0 && path != NULL) {
		plt.plt_form = (unsigned)plot_form(path);
		status = plot_draw(r, &plt, &picture, &size, why) != 0 ?
		    run_error("%s: %s", path, why) :
		    command_commit(path, picture, size);
	} else if (status == 0)
		status = report_show(report_printers[GIVEN(op, LOCK_PROF) ?
		    REPORT_LOCK_PROFILE : op->op_format], r);
	free(picture);
	result_free(&r[0]);
	result_free(&r[1]);
	return (status);
}

FAMILY(report_panels, PLOT_PANELS, plot_panels[i], .fam_title = NULL);

const struct command cmd_report = { check, run, 0 };
