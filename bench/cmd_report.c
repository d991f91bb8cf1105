#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cmd.h"
#include "bench/plot.h"
#include "bench/report.h"
#include "bench/report_fairness.h"
#include "bench/report_lockprof.h"
#include "bench/report_lockstat.h"
#include "bench/report_waits.h"
#include "bench/select.h"
#include "bench/usage.h"
#include "bench/usl.h"
#include "bench/view.h"

struct report_options {
	const char	*ro_file;
	const char	*ro_plot;
	enum plot_part	 ro_part;
	enum report_format ro_format;
	struct select	 ro_select;
	/* What chose the output, or NULL: the format's default. */
	const struct report_option *ro_shown;
	bool		 ro_histogram;
	bool		 ro_help;
};

/*
 * One option, and what it does with its value, which is NULL where it takes
 * none.  or_set returns 0 or an exit status.
 */
struct report_option {
	char		 or_short;	/* or '\0' */
	const char	*or_long;
	const char	*or_arg;	/* NULL: takes none */
	const char	*or_descr;
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
static int set_help(struct report_options *,
    const struct report_option *, const char *);
static int set_histogram(struct report_options *,
    const struct report_option *, const char *);
static int set_part(struct report_options *,
    const struct report_option *, const char *);
static int set_plot(struct report_options *,
    const struct report_option *, const char *);
static int set_view(struct report_options *,
    const struct report_option *, const char *);

/* Continues a description under its first line. */
#define	INDENT	"                             "

#define	OPTION(c, name, arg, set, descr)				\
	{ c, name, arg, descr, set, SELECT_KEYS, NULL, NULL }
#define	FILTER(c, name, key, descr)					\
	{ c, name, "LIST", descr, set_filter, key, NULL, NULL }
#define	VIEW(name, view, histogram, descr)				\
	{ '\0', name, NULL, descr, set_view, SELECT_KEYS, view, histogram }

/* In the order of --help; a view is one line. */
static const struct report_option options[] = {
	FILTER('c', "cipher", SELECT_CIPHER, "only cells with these ciphers"),
	FILTER('d', "design", SELECT_DESIGN, "only these designs"),
	OPTION('h', "help", NULL, set_help, "this text"),
	OPTION('H', "histogram", NULL, set_histogram,
	    "with --lockstat: distributions too"),
	FILTER('l', "lock", SELECT_LOCK, "only these locks"),
	FILTER('r', "readers", SELECT_READERS,
	    "only these numbers of readers: 1,3-4"),
	FILTER('s', "size", SELECT_SIZE, "only these request sizes: 4k,64k"),
	OPTION('\0', "format", "NAME", set_format,
	    "table, csv, json, ministat or will-it-scale\n"
	    INDENT "(table)"),
	OPTION('\0', "plot", "OUT", set_plot,
	    "draw OUT.png or OUT.svg: MB/s, latencies, the\n"
	    INDENT "harvest thread's CPU against readers, and waits"),
	OPTION('\0', "plot-only", "PART", set_part,
	    "with --plot: only scale, latency, harvest or\n"
	    INDENT "waits"),
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

static void
help(void)
{
	char left[64], name[8];
	unsigned i;

	puts("Usage: rngsim report FILE [OPTIONS]\n\n"
	    "Shows a result again; FILE may be - for stdin.\n\nOptions:");
	for (i = 0; i < OPTIONS; i++) {
		const struct report_option *or = &options[i];

		snprintf(name, sizeof(name), or->or_short != '\0' ? "-%c, " :
		    "    ", or->or_short);
		snprintf(left, sizeof(left), "%s--%s %s", name, or->or_long,
		    or->or_arg != NULL ? or->or_arg : "");
		printf("  %-26s %s\n", left, or->or_descr);
	}
	puts("\nAt most one of --format, --plot and the options below them.");
}

/* How the user is told which option is meant. */
static const char *
label(const struct report_option *or, char buf[40])
{

	if (or->or_short != '\0')
		snprintf(buf, 40, "-%c", or->or_short);
	else
		snprintf(buf, 40, "--%s", or->or_long);
	return (buf);
}

/* There is one output. */
static int
show(struct report_options *ro, const struct report_option *or)
{

	if (ro->ro_shown != NULL)
		return (usage_error("report", "--%s and --%s: expected one of "
		    "them", ro->ro_shown->or_long, or->or_long));
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

	if (!plot_path_ok(value))
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
		return (usage_error("report", "-%c: %s", or->or_short, why));
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

static int
set_help(struct report_options *ro, const struct report_option *or,
    const char *value)
{

	(void)or;
	(void)value;
	ro->ro_help = true;
	return (0);
}

/*
 * The option that a word begins with, long names in full only.
 *
 *   value  out  what the word holds of its value, or NULL
 */
static const struct report_option *
option_find(const char *word, const char **value)
{
	const struct report_option *or;
	bool is_long = strncmp(word, "--", 2) == 0;
	size_t n = strcspn(word, "=");

	for (or = options; or < options + OPTIONS; or++) {
		if (is_long && strlen(or->or_long) == n - 2 &&
		    strncmp(or->or_long, word + 2, n - 2) == 0) {
			*value = word[n] == '=' ? word + n + 1 : NULL;
			return (or);
		}
		if (!is_long && word[1] == or->or_short) {
			*value = word[2] != '\0' ? word + 2 : NULL;
			return (or);
		}
	}
	return (NULL);
}

/* One option at argv[*i], and its value if that is the next word. */
static int
parse_option(struct report_options *ro, bool seen[OPTIONS], int argc,
    char *argv[], int *i)
{
	const struct report_option *or;
	const char *value = NULL;
	char name[40];

	or = option_find(argv[*i], &value);
	if (or == NULL)
		return (usage_error("report", "unknown option %.*s; \"rngsim "
		    "report --help\" lists them",
		    (int)strcspn(argv[*i], "="), argv[*i]));
	label(or, name);
	if (seen[or - options])
		return (usage_error("report", "%s is given twice", name));
	seen[or - options] = true;
	if (or->or_arg == NULL && value != NULL)
		return (usage_error("report", "%s takes no value, unlike "
		    "\"%s\"", name, argv[*i]));
	if (or->or_arg != NULL && value == NULL) {
		if (*i + 1 == argc)
			return (usage_error("report", "%s: expected %s after "
			    "it", name, or->or_arg));
		value = argv[++*i];
	}
	return (or->or_set(ro, or, value));
}

/* Options may stand before or after FILE. */
static int
parse(struct report_options *ro, int argc, char *argv[])
{
	bool seen[OPTIONS] = { false };
	int error, i;

	for (i = 1; i < argc; i++) {
		if (argv[i][0] == '-' && argv[i][1] != '\0') {
			error = parse_option(ro, seen, argc, argv, &i);
			if (error != 0 || ro->ro_help)
				return (error);
		} else if (ro->ro_file != NULL) {
			return (usage_error("report", "surplus operand \"%s\"",
			    argv[i]));
		} else {
			ro->ro_file = argv[i];
		}
	}
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
	char there[SELECT_TEXT_SIZE], why[RESULT_TEXT_SIZE] = "";
	struct result r;
	int status;

	(void)whole;
	status = parse(&ro, argc, argv);
	if (status != 0)
		return (status);
	if (ro.ro_help) {
		help();
		return (EXIT_SUCCESS);
	}
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
