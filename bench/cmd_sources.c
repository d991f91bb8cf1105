/*
 * rngsim sources: what numbers cost, by whom they are made.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/cmd.h"
#include "bench/console/arguments.h"
#include "bench/console/choice.h"
#include "bench/console/gnuplot.h"
#include "bench/console/outfile.h"
#include "bench/console/stop.h"
#include "bench/console/usage.h"
#include "bench/sources/sources_print.h"
#include "lib/kassert.h"
#include "lib/machine.h"
#include "lib/number.h"
#include "lib/tick.h"

enum { ITEM_SIZE = 64 };

enum format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON, FORMATS };

static const char *const format_names[FORMATS] = { "table", "csv", "json" };

static const double seconds_least = 0.001;
static const double seconds_most = 3600;

enum { OPTION_SOURCE, OPTION_THREADS, OPTION_TIME, OPTION_REPEATS,
	OPTION_BITS, OPTION_FORMAT, OPTION_OUTPUT, OPTION_PLOT, OPTION_HELP,
	OPTIONS };

static const struct argument options[OPTIONS] = {
	[OPTION_SOURCE] = { 's', "source", "LIST", "sources (all)", false },
	[OPTION_THREADS] = { 'r', "threads", "LIST", "threads that read, "
	    "1..1024: up to that number, or a list with ranges, as 1-4,8 "
	    "(as many as CPUs)", false },
	[OPTION_TIME] = { 't', "time", "SECONDS", "measured time of each "
	    "repeat (0.002)", false },
	[OPTION_REPEATS] = { 'n', "repeats", "N", "repeats of each point, "
	    "1..1000 (25)", false },
	[OPTION_BITS] = { '\0', "bits", "LIST", "bits of one read: 32, 64 "
	    "(both)", false },
	[OPTION_FORMAT] = { '\0', "format", "FORMAT", "what stdout gets: "
	    "table, csv, json (table)", false },
	[OPTION_OUTPUT] = { 'o', "output", "FILE", "write the JSON document "
	    "there, too", false },
	[OPTION_PLOT] = { '\0', "plot", "OUT", "draw OUT.png or OUT.svg: "
	    "throughput against threads", false },
	[OPTION_HELP] = { 'h', "help", NULL, "this text", false },
};

struct request {
	struct sources_options rq_options;
	enum format	 rq_format;
	const char	*rq_output;
	const char	*rq_plot;
};

/* What is written besides stdout; opened before anything is measured. */
struct outputs {
	struct outfile	ou_json;
	struct outfile	ou_plot;
};

static const char *
source_name(unsigned i)
{

	return (number_sources[i]->ns_name);
}

static const char *
format_name(unsigned i)
{

	return (format_names[i]);
}

static int
add_source(void *context, const char *label, const char *item)
{
	struct request *rq = context;
	struct sources_options *so = &rq->rq_options;
	unsigned i, k = 0;
	int error;

	error = choice_find("sources", label, item, number_source_count,
	    source_name, &k);
	if (error != 0)
		return (error);
	for (i = 0; i < so->so_sources; i++)
		if (so->so_source[i] == number_sources[k])
			return (usage_error("sources", "%s: \"%s\" is named "
			    "twice", label, item));
	so->so_source[so->so_sources++] = number_sources[k];
	return (0);
}

/* Keeps numbers of threads in order. */
static int
add_count(struct sources_options *so, const char *label, const char *item,
    unsigned threads)
{
	unsigned i = so->so_thread_counts, k;

	while (i > 0 && so->so_threads[i - 1] > threads)
		i--;
	if (i > 0 && so->so_threads[i - 1] == threads)
		return (usage_error("sources", "%s: \"%s\" is named twice",
		    label, item));
	for (k = so->so_thread_counts++; k > i; k--)
		so->so_threads[k] = so->so_threads[k - 1];
	so->so_threads[i] = threads;
	return (0);
}

static int
add_threads(void *context, const char *label, const char *item)
{
	struct request *rq = context;
	char low[ITEM_SIZE], *dash;
	uint64_t first, last, v;
	int status = 0;

	snprintf(low, sizeof(low), "%s", item);
	dash = strchr(low, '-');
	if (dash != NULL)
		*dash++ = '\0';
	if (number_parse(low, &first) != 0 || first < 1 ||
	    first > SOURCES_THREADS_MAX || (dash != NULL &&
	    (number_parse(dash, &last) != 0 || last < 1 ||
	    last > SOURCES_THREADS_MAX)))
		return (usage_error("sources", "%s: \"%s\": expected a number "
		    "of threads or a range such as 1-4, 1..%d", label, item,
		    SOURCES_THREADS_MAX));
	if (dash == NULL)
		last = first;
	if (last < first)
		return (usage_error("sources", "%s: \"%s\" descends: expected "
		    "the smaller number first", label, item));
	for (v = first; v <= last && status == 0; v++)
		status = add_count(&rq->rq_options, label, item, (unsigned)v);
	return (status);
}

/* A number alone stands for all up to it. */
static int
set_threads(struct request *rq, const char *label, const char *value)
{
	struct sources_options *so = &rq->rq_options;
	int status;
	unsigned i;

	status = choice_each("sources", label, value, add_threads, rq);
	if (status != 0 || strpbrk(value, ",-") != NULL)
		return (status);
	so->so_thread_counts = so->so_threads[0];
	for (i = 0; i < so->so_thread_counts; i++)
		so->so_threads[i] = i + 1;
	return (0);
}

static int
add_bits(void *context, const char *label, const char *item)
{
	struct request *rq = context;
	uint64_t bits;
	unsigned w;

	for (w = 0; w < NUMBER_WIDTHS; w++)
		if (number_parse(item, &bits) == 0 && number_bits[w] == bits)
			break;
	if (w == NUMBER_WIDTHS)
		return (usage_error("sources", "%s: \"%s\": expected 32 or "
		    "64", label, item));
	if (rq->rq_options.so_width[w])
		return (usage_error("sources", "%s: \"%s\" is named twice",
		    label, item));
	rq->rq_options.so_width[w] = true;
	return (0);
}

static int
set_repeats(struct request *rq, const char *label, const char *value)
{
	uint64_t v;

	if (number_parse(value, &v) != 0 || v < 1 || v > SOURCES_REPEATS_MAX)
		return (usage_error("sources", "%s: \"%s\": expected repeats, "
		    "1..%d", label, value, SOURCES_REPEATS_MAX));
	rq->rq_options.so_repeats = (unsigned)v;
	return (0);
}

static int
set(void *context, unsigned i, const char *label, const char *value)
{
	struct request *rq = context;
	double *time_s = &rq->rq_options.so_time_s;
	unsigned index = 0;
	int error;

	switch (i) {
	case OPTION_SOURCE:
		return (choice_each("sources", label, value, add_source,
		    rq));
	case OPTION_THREADS:
		return (set_threads(rq, label, value));
	case OPTION_BITS:
		return (choice_each("sources", label, value, add_bits,
		    rq));
	case OPTION_REPEATS:
		return (set_repeats(rq, label, value));
	case OPTION_FORMAT:
		error = choice_find("sources", label, value, FORMATS,
		    format_name, &index);
		rq->rq_format = (enum format)index;
		return (error);
	case OPTION_TIME:
		if (number_parse_real(value, time_s) != 0 ||
		    *time_s < seconds_least || *time_s > seconds_most)
			return (usage_error("sources", "%s: \"%s\": expected "
			    "seconds, %g..%g", label, value, seconds_least,
			    seconds_most));
		return (0);
	case OPTION_OUTPUT:
		if (value[0] == '\0')
			return (usage_error("sources", "%s: \"\": expected a "
			    "file name", label));
		rq->rq_output = value;
		return (0);
	default:
		if (!gnuplot_path_ok(value))
			return (usage_error("sources", "%s: \"%s\": expected "
			    "a name that ends in .png or .svg", label, value));
		rq->rq_plot = value;
		return (0);
	}
}

static void
help(const struct arguments *as)
{
	unsigned i;

	puts("Usage: rngsim sources [OPTIONS]\n\nTimes sources of random "
	    "numbers on this machine, by one thread and by more,\nand sets "
	    "published figures beside them.\n");
	arguments_help(as);
	puts("\nSources:");
	for (i = 0; i < number_source_count; i++)
		printf("  %-9s %s%s\n", number_sources[i]->ns_name,
		    number_sources[i]->ns_descr,
		    number_source_has(number_sources[i]) ? "" :
		    " (absent here)");
}

/* What was not said. */
static void
defaults(struct sources_options *so)
{
	unsigned i;
	bool any = false;

	KASSERT(number_source_count <= SOURCES_MAX, ("too many sources"));
	for (i = 0; so->so_sources == 0 && i < number_source_count; i++)
		so->so_source[i] = number_sources[i];
	if (so->so_sources == 0)
		so->so_sources = number_source_count;
	for (i = 0; so->so_thread_counts == 0 && i < cpu_count() &&
	    i < SOURCES_THREADS_MAX; i++)
		so->so_threads[i] = i + 1;
	if (so->so_thread_counts == 0)
		so->so_thread_counts = i;
	for (i = 0; i < NUMBER_WIDTHS; i++)
		any |= so->so_width[i];
	for (i = 0; !any && i < NUMBER_WIDTHS; i++)
		so->so_width[i] = true;
}

static int
open_plot(const char *path, struct outfile *of)
{
	char why[GNUPLOT_ERROR_SIZE] = "";
	int error, null;

	error = outfile_open(of, path);
	if (error == 0) {
		/* Whether it can be drawn at all. */
		null = open("/dev/null", O_WRONLY | O_CLOEXEC);
		error = null == -1 ? errno : gnuplot_draw("", 0, null, why);
		if (null != -1)
			close(null);
	}
	if (error != 0)
		return (run_error("sources", "%s: %s", path, why[0] != '\0' ?
		    why : strerror(error)));
	return (0);
}

static int
open_outputs(const struct request *rq, struct outputs *ou)
{
	int error;

	if (rq->rq_output != NULL) {
		error = outfile_open(&ou->ou_json, rq->rq_output);
		if (error != 0)
			return (run_error("sources", "%s: %s", rq->rq_output,
			    strerror(error)));
	}
	return (rq->rq_plot != NULL ? open_plot(rq->rq_plot, &ou->ou_plot) :
	    0);
}

static int
draw(const struct request *rq, const struct sources *sr, struct outfile *of)
{
	char *script = NULL, why[GNUPLOT_ERROR_SIZE] = "";
	size_t len;
	FILE *out;
	int error = ENOMEM;

	if (!sources_any(sr))
		return (run_error("sources", "%s: nothing to draw",
		    rq->rq_plot));
	out = open_memstream(&script, &len);
	if (out != NULL) {
		sources_print_plot(out, sr, gnuplot_path_svg(rq->rq_plot));
		if (fclose(out) == 0)
			error = gnuplot_draw(script, len, of->of_fd, why);
	}
	free(script);
	if (error == 0)
		error = outfile_commit(of, NULL, 0);
	if (error != 0)
		return (run_error("sources", "%s: %s", rq->rq_plot,
		    why[0] != '\0' ? why : strerror(error)));
	return (0);
}

static int
show(const struct request *rq, const struct sources *sr, struct outputs *ou)
{
	char *text = sources_format_json(sr);
	int error, status = EXIT_SUCCESS;

	if (text == NULL)
		return (run_error("sources", "no memory"));
	if (rq->rq_output != NULL) {
		error = outfile_commit(&ou->ou_json, text, strlen(text));
		if (error != 0)
			status = run_error("sources", "%s: %s", rq->rq_output,
			    strerror(error));
	}
	if (rq->rq_plot != NULL && draw(rq, sr, &ou->ou_plot) != 0)
		status = EXIT_FAILURE;
	if (rq->rq_format == FORMAT_JSON)
		fputs(text, stdout);
	else if (rq->rq_format == FORMAT_CSV)
		sources_print_csv(stdout, sr);
	else
		sources_print_table(stdout, sr);
	free(text);
	return (status);
}

/* Sources that are wrong or dead make a failure; those absent do not. */
static int
judge(const struct sources *sr)
{
	unsigned absent = 0, i;
	int status = EXIT_SUCCESS;

	for (i = 0; i < sr->sr_count; i++) {
		const struct sources_curve *sc = &sr->sr_curves[i];
		const char *name = sc->sc_source->ns_name;
		const unsigned bits = number_bits[sc->sc_width];

		absent += sc->sc_status == SOURCES_ABSENT;
		if (sc->sc_status == SOURCES_WRONG)
			status = run_error("sources", "%s, %u bits: the first "
			    "numbers are wrong: %s", name, bits,
			    sc->sc_source->ns_known != NULL ? "others are "
			    "published" : "all are the same");
		else if (sc->sc_status == SOURCES_DEAD)
			status = run_error("sources", "%s, %u bits: gave no "
			    "number in %d tries", name, bits, NUMBER_TRIES);
	}
	if (absent == sr->sr_count)
		return (run_error("sources", "nothing was timed: this machine "
		    "has none of these sources, or they have no such reads"));
	return (status);
}

static int
measure(const struct request *rq, struct outputs *ou)
{
	char why[SOURCES_TEXT_SIZE];
	struct sources sr;
	int error, status;

	error = sources_measure(&sr, &rq->rq_options, why);
	if (error != 0 && error != EINTR) {
		status = run_error("sources", "%s", why);
	} else {
		status = show(rq, &sr, ou);
		if (judge(&sr) != EXIT_SUCCESS)
			status = EXIT_FAILURE;
		if (error != 0)
			status = run_error("sources", "%s", why);
	}
	sources_free(&sr);
	return (status);
}

static int
run(int argc, char *argv[], char *const whole[])
{
	static struct request rq;
	const struct arguments as = { .as_command = "sources",
	    .as_table = options, .as_options = OPTIONS, .as_set = set,
	    .as_context = &rq };
	struct outputs ou = { { .of_fd = -1 }, { .of_fd = -1 } };
	struct mthread self;
	bool wants_help;
	int status;

	(void)whole;
	rq = (struct request){ .rq_options = { .so_repeats = 25,
	    .so_time_s = 0.002 } };
	status = arguments_parse(&as, &argc, argv, &wants_help);
	if (status == 0 && wants_help) {
		help(&as);
		return (EXIT_SUCCESS);
	}
	if (status != 0)
		return (status);
	if (rq.rq_output != NULL && rq.rq_plot != NULL &&
	    strcmp(rq.rq_output, rq.rq_plot) == 0)
		return (usage_error("sources", "--plot and -o name the same "
		    "file, \"%s\": expected two", rq.rq_plot));
	defaults(&rq.rq_options);
	stop_catch_signals();
	status = open_outputs(&rq, &ou);
	if (status == 0) {
		tick_calibrate();
		machine_attach(&self, "sources");
		status = measure(&rq, &ou);
		machine_detach();
	}
	outfile_abort(&ou.ou_json);
	outfile_abort(&ou.ou_plot);
	return (status);
}

const struct command cmd_sources = {
	.cmd_name	= "sources",
	.cmd_args	= "[-s LIST] [-r LIST] [OPTIONS]",
	.cmd_descr	= "what numbers cost, by hardware and computed",
	.cmd_run	= run,
};
