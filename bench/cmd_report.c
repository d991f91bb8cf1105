#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cmd.h"
#include "bench/options.h"
#include "bench/plot.h"
#include "bench/report.h"

static const char usage[] = "Usage: rngsim report FILE [OPTIONS]\n\n"
    "Shows a result again; FILE may be - for stdin.\n\nOptions:\n"
    "  -h, --help           this text\n"
    "      --format NAME    what stdout gets: table, csv, json, ministat or\n"
    "                       will-it-scale\n"
    "      --plot OUT       draw OUT.png or OUT.svg instead: MB/s of each\n"
    "                       reader and the harvest thread's CPU time against\n"
    "                       readers";

struct report_options {
	const char	*ro_file;
	const char	*ro_plot;
	const char	*ro_format;
	enum report_format ro_format_index;
	bool		 ro_help;
};

/*
 * Options may stand before or after FILE; a value after a space or an equals
 * sign.
 */
static int
parse(struct report_options *ro, int argc, char *argv[])
{
	const char **value;
	const char *name;
	size_t n;
	int i;

	for (i = 1; i < argc; i++) {
		n = strcspn(argv[i], "=");
		value = NULL;
		name = argv[i];
		if (strcmp(name, "-h") == 0 || strcmp(name, "--help") == 0) {
			ro->ro_help = true;
			return (0);
		} else if (n == 6 && strncmp(name, "--plot", n) == 0) {
			value = &ro->ro_plot;
		} else if (n == 8 && strncmp(name, "--format", n) == 0) {
			value = &ro->ro_format;
		} else if (name[0] == '-' && name[1] != '\0') {
			return (usage_error("report", "unknown option %s; "
			    "\"rngsim report --help\" lists them", name));
		} else if (ro->ro_file != NULL) {
			return (usage_error("report", "surplus operand \"%s\"",
			    name));
		} else {
			ro->ro_file = name;
			continue;
		}
		if (*value != NULL)
			return (usage_error("report", "%.*s is given twice",
			    (int)n, name));
		if (name[n] == '=')
			*value = name + n + 1;
		else if (++i < argc)
			*value = argv[i];
		else
			return (usage_error("report", "%s: expected a value "
			    "after it", name));
	}
	return (0);
}

static int
check_format(struct report_options *ro)
{
	unsigned i;

	if (ro->ro_format == NULL)
		return (0);
	for (i = 0; i < REPORT_FORMATS; i++) {
		if (strcmp(report_format_names[i], ro->ro_format) == 0) {
			ro->ro_format_index = (enum report_format)i;
			return (0);
		}
	}
	return (usage_error("report", "--format: \"%s\": expected table, csv, "
	    "json, ministat or will-it-scale", ro->ro_format));
}

static int
check(struct report_options *ro)
{

	if (ro->ro_plot != NULL && !plot_path_ok(ro->ro_plot))
		return (usage_error("report", "--plot: \"%s\": expected a name "
		    "that ends in .png or .svg", ro->ro_plot));
	if (ro->ro_plot != NULL && ro->ro_format != NULL)
		return (usage_error("report", "--plot and --format: expected "
		    "one of them"));
	if (check_format(ro) != 0)
		return (EXIT_USAGE);
	if (ro->ro_file == NULL)
		return (usage_error("report", "missing operand: expected a "
		    "result FILE"));
	return (0);
}
static int
run(int argc, char *argv[], char *const whole[])
{
	struct report_options ro = { .ro_file = NULL };
	char why[RESULT_TEXT_SIZE] = "";
	struct result r;
	int error, status;

	(void)whole;
	status = parse(&ro, argc, argv);
	if (status == 0 && ro.ro_help) {
		puts(usage);
		return (EXIT_SUCCESS);
	}
	if (status == 0)
		status = check(&ro);
	if (status != 0)
		return (status);
	error = result_load(ro.ro_file, &r, why);
	if (error != 0)
		return (run_error("report", "%s: %s", ro.ro_file, why));
	if (ro.ro_plot != NULL) {
		error = plot_write(&r, ro.ro_plot, why);
		if (error != 0)
			run_error("report", "%s: %s", ro.ro_plot, why);
	} else {
		error = report_emit(stdout, &r, ro.ro_format_index);
		if (error != 0)
			run_error("report", "stdout: %s", strerror(error));
	}
	result_free(&r);
	return (error != 0 ? EXIT_FAILURE : EXIT_SUCCESS);
}

const struct command cmd_report = {
	.cmd_name	= "report",
	.cmd_args	= "FILE [--plot OUT] [--format NAME]",
	.cmd_descr	= "a result again, in another form or as a plot",
	.cmd_run	= run,
};
