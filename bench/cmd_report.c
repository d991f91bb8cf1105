#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cmd.h"
#include "bench/console/arguments.h"
#include "bench/console/gnuplot.h"
#include "bench/console/usage.h"
#include "bench/report/plot.h"
#include "bench/report/report.h"
#include "bench/report/report_fairness.h"
#include "bench/report/report_lockprof.h"
#include "bench/report/report_lockstat.h"
#include "bench/report/report_waits.h"
#include "bench/report/usl.h"
#include "bench/report/view.h"
#include "bench/result/select.h"

struct report_options {
	const char	*ro_file;
	const char	*ro_plot;
	enum plot_part	 ro_part;
	enum report_format ro_format;
	struct select	 ro_select;
	/* What chose the output, or NULL: the format's default. */
	const struct report_option *ro_shown;
	bool		 ro_histogram;
};

/*
 * One option, and what it does with its value, which is NULL where it takes
 * none.  or_set returns 0 or an exit status.
 */
struct report_option {
	struct argument	 or_argument;
	int		(*or_set)(struct report_options *ro,
			    const struct report_option *or, const char *value);
	enum select_key	 or_key;	/* of FILTER */
	view_printer	*or_view;	/* of VIEW */
	view_printer	*or_histogram;	/* the same with -H, or NULL */
};

static int set_filter(struct report_options *,
    const struct report_option *, const char *);
static int set_format(struct report_options *,
    const struct report_option *, const char *);
static int set_histogram(struct report_options *,
    const struct report_option *, const char *);
static int set_part(struct report_options *,
    const struct report_option *, const char *);
static int set_plot(struct report_options *,
    const struct report_option *, const char *);
static int set_view(struct report_options *,
    const struct report_option *, const char *);

#define	OPTION(letter, name, value, set, descr)				\
	{ .or_argument = { .ag_short = (letter), .ag_long = (name),	\
	    .ag_value = (value), .ag_descr = (descr) }, .or_set = (set) }
#define	FILTER(letter, name, key, descr)				\
	{ .or_argument = { .ag_short = (letter), .ag_long = (name),	\
	    .ag_value = "LIST", .ag_descr = (descr) },			\
	    .or_set = set_filter, .or_key = (key) }
#define	VIEW(name, view, histogram, descr)				\
	{ .or_argument = { .ag_long = (name), .ag_descr = (descr) },	\
	    .or_set = set_view, .or_view = (view),			\
	    .or_histogram = (histogram) }

/* In the order of --help; a view is one line. */
static const struct report_option options[] = {
	FILTER('c', "cipher", SELECT_CIPHER, "only cells with these ciphers"),
	FILTER('d', "design", SELECT_DESIGN, "only these designs"),
	OPTION('h', "help", NULL, NULL, "this text"),
	OPTION('H', "histogram", NULL, set_histogram,
	    "with --lockstat: distributions too"),
	FILTER('l', "lock", SELECT_LOCK, "only these locks"),
	FILTER('r', "readers", SELECT_READERS,
	    "only these numbers of readers: 1,3-4"),
	FILTER('s', "size", SELECT_SIZE, "only these request sizes: 4k,64k"),
	OPTION('\0', "format", "NAME", set_format,
	    "table, csv, json, ministat or will-it-scale (table)"),
	OPTION('\0', "plot", "OUT", set_plot,
	    "draw OUT.png or OUT.svg: MB/s, latencies, the harvest thread's "
	    "CPU against readers, and waits"),
	OPTION('\0', "plot-only", "PART", set_part,
	    "with --plot: only scale, latency, harvest or waits"),
	VIEW("fairness", report_fairness, NULL,
	    "how evenly readers were served"),
	VIEW("lock-prof", report_lockprof, NULL,
	    "lock profiles as LOCK_PROFILING(9), and in ns"),
	VIEW("lockstat", report_lockstat, report_lockstat_histogram,
	    "lock events as lockstat(1)"),
	VIEW("waits", report_waits, NULL, "who waited for whom"),
	VIEW("usl", usl_print, NULL,
	    "the scaling law of each curve: knee and peak"),
};

enum { OPTIONS = sizeof(options) / sizeof(options[0]) };

/* There is one output. */
static int
show(struct report_options *ro, const struct report_option *or)
{

	if (ro->ro_shown != NULL)
		return (usage_error("report", "--%s and --%s: expected one of "
		    "them", ro->ro_shown->or_argument.ag_long,
		    or->or_argument.ag_long));
	ro->ro_shown = or;
	return (0);
}

static int
set_view(struct report_options *ro, const struct report_option *or,
    const char *value)
{

	(void)value;
	return (show(ro, or));
}

static int
set_format(struct report_options *ro, const struct report_option *or,
    const char *value)
{
	unsigned i;

	for (i = 0; i < REPORT_FORMATS; i++) {
		if (strcmp(report_format_names[i], value) == 0) {
			ro->ro_format = (enum report_format)i;
			return (show(ro, or));
		}
	}
	return (usage_error("report", "--format: \"%s\": expected table, csv, "
	    "json, ministat or will-it-scale", value));
}

static int
set_part(struct report_options *ro, const struct report_option *or,
    const char *value)
{
	unsigned part;

	(void)or;
	for (part = PLOT_ALL + 1; part < PLOT_PARTS; part++) {
		if (strcmp(plot_part_names[part], value) == 0) {
			ro->ro_part = (enum plot_part)part;
			return (0);
		}
	}
	return (usage_error("report", "--plot-only: \"%s\": expected scale, "
	    "latency, harvest or waits", value));
}

static int
set_plot(struct report_options *ro, const struct report_option *or,
    const char *value)
{

	if (!gnuplot_path_ok(value))
		return (usage_error("report", "--plot: \"%s\": expected a name "
		    "that ends in .png or .svg", value));
	ro->ro_plot = value;
	return (show(ro, or));
}

static int
set_filter(struct report_options *ro, const struct report_option *or,
    const char *value)
{
	char why[SELECT_TEXT_SIZE];

	if (select_check(or->or_key, value, why) != 0)
		return (usage_error("report", "-%c: %s",
		    or->or_argument.ag_short, why));
	ro->ro_select.sl_list[or->or_key] = value;
	return (0);
}

static int
set_histogram(struct report_options *ro, const struct report_option *or,
    const char *value)
{

	(void)or;
	(void)value;
	ro->ro_histogram = true;
	return (0);
}

static const struct argument *
option(const void *context, unsigned i)
{

	(void)context;
	return (&options[i].or_argument);
}

static int
set(void *context, unsigned i, const char *label, const char *value)
{

	(void)label;
	return (options[i].or_set(context, &options[i], value));
}

static void
help(const struct arguments *as)
{

	puts("Usage: rngsim report FILE [OPTIONS]\n\n"
	    "Shows a result again; FILE may be - for stdin.\n");
	arguments_help(as);
	puts("\nAt most one of --format, --plot and the options below them.");
}

static int
check(const struct report_options *ro)
{

	if (ro->ro_histogram && (ro->ro_shown == NULL ||
	    ro->ro_shown->or_histogram == NULL))
		return (usage_error("report", "-H: expected --lockstat beside "
		    "it"));
	if (ro->ro_part != PLOT_ALL && ro->ro_plot == NULL)
		return (usage_error("report", "--plot-only: expected --plot "
		    "beside it"));
	if (ro->ro_file == NULL)
		return (usage_error("report", "missing operand: expected a "
		    "result FILE"));
	return (0);
}

static int
print_view(const struct report_options *ro, const struct result *r)
{
	const struct report_option *or = ro->ro_shown;
	int error;

	if (r->cell_count == 0)
		puts("no cells");
	errno = 0;
	error = (ro->ro_histogram ? or->or_histogram : or->or_view)(stdout, r);
	/* A full disk shows at the flush. */
	if (error == 0 && (fflush(stdout) != 0 || ferror(stdout)))
		error = errno != 0 ? errno : EIO;
	return (error);
}

/* Returns: the exit status. */
static int
output(const struct report_options *ro, const struct result *r)
{
	char why[RESULT_TEXT_SIZE] = "";
	int error;

	if (ro->ro_plot != NULL) {
		error = plot_write(r, ro->ro_plot, ro->ro_part, why);
		return (error == 0 ? EXIT_SUCCESS :
		    run_error("report", "%s: %s", ro->ro_plot, why));
	}
	error = ro->ro_shown != NULL && ro->ro_shown->or_view != NULL ?
	    print_view(ro, r) : report_emit(stdout, r, ro->ro_format);
	return (error == 0 ? EXIT_SUCCESS :
	    run_error("report", "stdout: %s", strerror(error)));
}

/* Whether cells were asked for by some property. */
static bool
filtered(const struct select *sl)
{
	unsigned key;

	for (key = 0; key < SELECT_KEYS; key++)
		if (sl->sl_list[key] != NULL)
			return (true);
	return (false);
}

static int
run(int argc, char *argv[], char *const whole[])
{
	struct report_options ro = { .ro_file = NULL };
	const struct arguments as = { .as_command = "report",
	    .as_option = option, .as_options = OPTIONS, .as_operands = 1,
	    .as_set = set, .as_context = &ro };
	char there[SELECT_TEXT_SIZE], why[RESULT_TEXT_SIZE] = "";
	struct result r;
	bool wants_help;
	int status;

	(void)whole;
	status = arguments_parse(&as, &argc, argv, &wants_help);
	if (status == 0 && wants_help) {
		help(&as);
		return (EXIT_SUCCESS);
	}
	ro.ro_file = argc > 1 ? argv[1] : NULL;
	if (status == 0)
		status = check(&ro);
	if (status != 0)
		return (status);
	if (result_load(ro.ro_file, &r, why) != 0)
		return (run_error("report", "%s: %s", ro.ro_file, why));
	if (filtered(&ro.ro_select) && select_cells(&ro.ro_select, &r) != 0) {
		select_describe(&r, there);
		status = run_error("report", "%s: no such cell: expected of %s",
		    ro.ro_file, there[0] != '\0' ? there :
		    "a result that has any");
	} else {
		status = output(&ro, &r);
	}
	result_free(&r);
	return (status);
}

const struct command cmd_report = {
	.cmd_name	= "report",
	.cmd_args	= "FILE [OPTIONS]",
	.cmd_descr	= "a result again: tables, lock profiles, plots",
	.cmd_run	= run,
};
