#include <gsl/gsl_randist.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/cli/memory.h"
#include "bench/cli/progress.h"
#include "bench/cli/stop.h"
#include "bench/result/json_text.h"
#include "bench/stats/stats.h"
#include "bench/survey/survey.h"

enum { JSON_DIGITS = 12 };

static int
visit_all(struct survey *sy, unsigned *points, gsl_rng *rng)
{
	char label[SURVEY_LABEL_SIZE];
	struct progress p;
	unsigned i, order = 0;
	int error = 0;

	progress_init(&p, (uint64_t)sy->sy_points * sy->sy_repeats, 0);
	while (!survey_complete(sy) && error == 0) {
		gsl_ran_shuffle(rng, points, sy->sy_points, sizeof(*points));
		for (i = 0; i < sy->sy_points && error == 0; i++, order++) {
			sy->sy_kind->sk_label(sy, points[i], label);
			progress_update(&p, order, label);
			error = sy->sy_kind->sk_visit(sy, points[i]);
			if (error == 0 && stop_asked())
				error = EINTR;
		}
		sy->sy_done += error == 0;
	}
	progress_fini(&p);
	return (error);
}

int
survey_visit(struct survey *sy)
{
	unsigned *points = xcalloc(sy->sy_points + 1, sizeof(*points));
	gsl_rng *rng = stats_rng(SURVEY_SEED);
	int error = 0;

	for (unsigned i = 0; i < sy->sy_points; i++)
		points[i] = i;
	if (sy->sy_points == 0)
		sy->sy_done = sy->sy_repeats;
	else
		error = visit_all(sy, points, rng);
	/* Times of failed computations are no costs. */
	if (crypto_failed() != NULL) {
		snprintf(sy->sy_why, sizeof(sy->sy_why),
		    "%s could no longer be computed", crypto_failed());
		sy->sy_done = 0;
		error = EIO;
	}
	gsl_rng_free(rng);
	free(points);
	return (error);
}

int
survey_measure(struct survey *sy)
{
	sy->sy_done = 0;
	sy->sy_why[0] = '\0';
	result_now(sy->sy_started);
	result_host_fill(&sy->sy_host);
	return (sy->sy_kind->sk_measure(sy));
}

void
survey_add_host(struct text *t, const struct survey *sy)
{
	const struct result_host *host = &sy->sy_host;

	text_add(t, "%s, %u CPU%s, %s", host->cpu_model, host->cpus,
	    PLURAL(host->cpus), sy->sy_started);
}

void
survey_print_host(FILE *out, const struct survey *sy, const char *more)
{
	struct text t = { .s = "" };

	survey_add_host(&t, sy);
	text_add(&t, "%s", more);
	format_wrap(out, survey_complete(sy) ? "measured on" :
	    "INCOMPLETE, measured on", 2, t.s);
}

void
survey_add_repeats(struct text *t, const struct survey *sy)
{
	text_add(t, "of %s%u repeat%s of %g s", survey_complete(sy) ? "" :
	    "at most ", sy->sy_repeats, PLURAL(sy->sy_repeats), sy->sy_time_s);
}

char *
survey_json(const struct survey *sy)
{
	return (json_document(sy->sy_kind->sk_json(sy), JSON_INDENT(2) |
	    JSON_REAL_PRECISION(JSON_DIGITS)));
}

/* The files of a command. */
struct output {
	struct survey	*ou_survey;
	const char	*ou_path;	/* of the document; NULL: none */
	const char	*ou_plot_path;	/* of the picture; NULL: none */
	struct atomic_file ou_file;
	struct atomic_file ou_plot_file;
};

/* Prints what is wrong with a file; 0 stays 0. */
static int
failed(const char *path, int error, const char *why)
{
	return (error == 0 ? 0 : run_error("%s: %s", path, why != NULL &&
	    why[0] != '\0' ? why : strerror(error)));
}

static int
open_files(struct output *ou)
{
	char why[GNUPLOT_ERROR_SIZE] = "";
	int status = 0;

	if (ou->ou_path != NULL)
		status = failed(ou->ou_path,
		    atomic_file_open(&ou->ou_file, ou->ou_path), NULL);
	if (status == 0 && ou->ou_plot_path != NULL) {
		status = failed(ou->ou_plot_path, atomic_file_open(
		    &ou->ou_plot_file, ou->ou_plot_path), NULL);
		/* Draws nothing, which shows whether gnuplot can be run. */
		if (status == 0)
			status = failed(ou->ou_plot_path, gnuplot_draw(NULL,
			    NULL, false, NULL, why), why);
	}
	return (status);
}

static int
draw(struct output *ou)
{
	const struct survey *sy = ou->ou_survey;
	char why[GNUPLOT_ERROR_SIZE] = "";
	int error;

	if (!sy->sy_kind->sk_drawn(sy))
		return (run_error("%s: nothing to draw", ou->ou_plot_path));
	error = gnuplot_draw(sy->sy_kind->sk_plot, sy,
	    gnuplot_path_svg(ou->ou_plot_path), &ou->ou_plot_file, why);
	return (failed(ou->ou_plot_path, error, why));
}

static int
print_all(struct output *ou, unsigned format)
{
	const struct survey *sy = ou->ou_survey;
	char *text = survey_json(sy);
	int status = EXIT_SUCCESS;

	if (ou->ou_path != NULL)
		status = failed(ou->ou_path,
		    atomic_file_commit(&ou->ou_file, text, strlen(text)), NULL);
	if (ou->ou_plot_path != NULL && draw(ou) != 0)
		status = EXIT_FAILURE;
	if (format == FORMAT_JSON)
		fputs(text, stdout);
	else if (format == FORMAT_CSV)
		sy->sy_kind->sk_csv(stdout, sy);
	else
		sy->sy_kind->sk_table(stdout, sy);
	free(text);
	return (status);
}

static int
measure(struct output *ou, unsigned format)
{
	struct survey *sy = ou->ou_survey;
	int error, status = EXIT_SUCCESS;

	error = survey_measure(sy);
	if (error == 0 || error == EINTR)
		status = print_all(ou, format);
	if (error == EINTR)
		status = run_error("interrupted: %u of %u repeats are complete",
		    sy->sy_done, sy->sy_repeats);
	else if (error != 0)
		status = run_error("%s", sy->sy_why[0] != '\0' ? sy->sy_why :
		    strerror(error));
	return (status);
}

int
survey_command(struct survey *sy, const struct options *op)
{
	struct output ou = { .ou_survey = sy, .ou_path = op->op_output,
	    .ou_plot_path = op->op_plot, .ou_file = { .of_fd = -1 },
	    .ou_plot_file = { .of_fd = -1 } };
	int status;

	status = open_files(&ou);
	if (status == 0)
		status = measure(&ou, op->op_format);
	atomic_file_abort(&ou.ou_file);
	atomic_file_abort(&ou.ou_plot_file);
	return (status);
}
