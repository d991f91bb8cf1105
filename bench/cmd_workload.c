#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cell/strace_import.h"
#include "bench/cell/workload.h"
#include "bench/cell/workload_folder.h"
#include "bench/cmd.h"
#include "bench/console/arguments.h"
#include "bench/console/outfile.h"
#include "bench/console/usage.h"

enum { SHOW_SIZES = WORKLOAD_SIZES_MAX, COMMENT_SIZE = 1024 };

static const char usage[] = "Usage: rngsim workload import FILE [-o OUT]\n"
    "       rngsim workload show NAME|@FILE\n"
    "       rngsim workload list\n\n"
    "import makes a workload file for --workload @OUT of what\n\n"
    "  strace -f -r -y -e trace=getrandom,read -o FILE PROGRAM\n\n"
    "wrote; FILE may be - for stdin.  show says what is in one, list names "
    "those that\ncome with the program.\n";

static const struct argument options[] = {
	{ 'h', "help", NULL, "this text", false },
	{ 'o', "output", "OUT", "write it there, not to stdout", false },
};

enum { OPTIONS = sizeof(options) / sizeof(options[0]) };

struct workload_options {
	const char	*wo_action;
	const char	*wo_operand;
	const char	*wo_output;
};

static int
set(void *context, unsigned i, const char *label, const char *value)
{
	struct workload_options *wo = context;

	(void)i;
	if (value[0] == '\0')
		return (usage_error("workload", "%s: \"\": expected a file "
		    "name", label));
	wo->wo_output = value;
	return (0);
}

static int
check(const struct workload_options *wo)
{
	const char *action = wo->wo_action;
	bool import, list;

	if (action == NULL)
		return (usage_error("workload", "missing operand: expected "
		    "import, show or list"));
	import = strcmp(action, "import") == 0;
	list = strcmp(action, "list") == 0;
	if (!import && !list && strcmp(action, "show") != 0)
		return (usage_error("workload", "\"%s\": expected import, "
		    "show or list", action));
	if (list && wo->wo_operand != NULL)
		return (usage_error("workload", "surplus operand \"%s\"",
		    wo->wo_operand));
	if (!list && wo->wo_operand == NULL)
		return (usage_error("workload", "missing operand: expected %s",
		    import ? "a FILE that strace wrote" :
		    "a workload's NAME or @FILE"));
	if (!import && wo->wo_output != NULL)
		return (usage_error("workload", "-o: expected it with import "
		    "only"));
	return (0);
}

/* What was found and left out, in one line. */
static void
describe(const struct strace_summary *ss, const struct recording *rec,
    char *buf, size_t size)
{
	int n;

	n = snprintf(buf, size, "%" PRIu64 " request%s of %" PRIu64
	    " thread%s in %u stream%s, %.6g s", ss->ss_requests,
	    ss->ss_requests == 1 ? "" : "s", ss->ss_threads,
	    ss->ss_threads == 1 ? "" : "s", rec->rec_count,
	    rec->rec_count == 1 ? "" : "s", (double)rec->rec_length_ns / 1e9);
	if (n < 0 || (size_t)n >= size)
		return;
	snprintf(buf + n, size - (size_t)n, "; left out: %" PRIu64
	    " calls without bytes, %" PRIu64 " reads of other files, %" PRIu64
	    " reads of files not known, %" PRIu64 " other calls",
	    ss->ss_failed, ss->ss_reads_other, ss->ss_reads_unknown,
	    ss->ss_calls_other);
}

static int
write_text(const char *path, const char *text, size_t len)
{
	struct outfile of;
	int error;

	error = outfile_open(&of, path);
	if (error == 0)
		error = outfile_commit(&of, text, len);
	if (error != 0)
		return (run_error("workload", "%s: %s", path,
		    strerror(error)));
	return (EXIT_SUCCESS);
}

static int
emit(const struct workload_options *wo, const struct recording *rec,
    const char *comment)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out;
	int status;

	if (wo->wo_output == NULL) {
		recording_print(stdout, rec, comment);
		return (EXIT_SUCCESS);
	}
	out = open_memstream(&text, &len);
	if (out == NULL)
		return (run_error("workload", "no memory"));
	recording_print(out, rec, comment);
	if (fclose(out) != 0)
		status = run_error("workload", "no memory");
	else
		status = write_text(wo->wo_output, text, len);
	free(text);
	return (status);
}

static int
import(const struct workload_options *wo)
{
	char found[COMMENT_SIZE / 2], comment[COMMENT_SIZE];
	char message[LINES_ERROR_SIZE] = "", *c;
	struct strace_summary ss;
	struct recording rec;
	int status;

	if (strace_import(wo->wo_operand, &rec, &ss, message) != 0) {
		run_error("workload", "%s", message);
		if (ss.ss_requests == 0 && ss.ss_reads_unknown > 0)
			fprintf(stderr, "rngsim: workload: %" PRIu64 " reads "
			    "are of files not known; strace -y shows those of "
			    "/dev/urandom\n", ss.ss_reads_unknown);
		return (EXIT_FAILURE);
	}
	describe(&ss, &rec, found, sizeof(found));
	snprintf(comment, sizeof(comment), "# From %.200s, strace's: %s.\n",
	    wo->wo_operand, found);
	for (c = comment; c[0] != '\0' && c[1] != '\0'; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	status = emit(wo, &rec, comment);
	recording_free(&rec);
	if (status != EXIT_SUCCESS)
		return (status);
	fprintf(stderr, "rngsim: workload: %s\n", found);
	if (ss.ss_reads_unknown > 0)
		fprintf(stderr, "rngsim: workload: strace -y shows which reads "
		    "are of /dev/urandom\n");
	return (EXIT_SUCCESS);
}

static int
ascending(const void *a, const void *b)
{
	const struct recording_request *ra = a, *rb = b;

	return (ra->rq_bytes < rb->rq_bytes ? -1 :
	    ra->rq_bytes > rb->rq_bytes);
}

/* How often each size is asked for: the recording as a mix. */
static void
show_sizes(struct recording_request *all, size_t n)
{
	size_t i, run;
	unsigned shown = 0;

	qsort(all, n, sizeof(*all), ascending);
	fputs("size mix  ", stdout);
	for (i = 0; i < n && shown < SHOW_SIZES; i += run, shown++) {
		for (run = 1; i + run < n &&
		    all[i + run].rq_bytes == all[i].rq_bytes; run++)
			continue;
		printf("%c%" PRIu64 ":%zu", shown == 0 ? ' ' : ',',
		    all[i].rq_bytes, run);
	}
	puts(i < n ? ",..." : "");
}

static int
show(const struct workload_options *wo)
{
	struct recording_request *all;
	char error_text[WORKLOAD_ERROR_SIZE];
	const struct recording *rec;
	struct workload wl;
	double bytes;
	size_t n = 0;
	unsigned i;
	int error;

	error = workload_parse_recorded(wo->wo_operand, &wl, error_text);
	if (error == EINVAL)
		return (usage_error("workload", "show: %s", error_text));
	if (error != 0)
		return (run_error("workload", "%s", error_text));
	rec = &wl.wl_recording;
	all = calloc(recording_requests(rec), sizeof(*all));
	if (all == NULL) {
		workload_free(&wl);
		return (run_error("workload", "no memory"));
	}
	printf("workload   %s\nlength     %.6g s\n", wl.wl_text,
	    (double)rec->rec_length_ns / 1e9 / wl.wl_speed);
	for (i = 0; i < rec->rec_count; i++) {
		const struct recording_stream *rm = &rec->rec_streams[i];

		printf("stream     %s: %zu requests\n", rm->rm_name,
		    rm->rm_count);
		memcpy(&all[n], rm->rm_requests, rm->rm_count * sizeof(*all));
		n += rm->rm_count;
	}
	bytes = workload_mean_bytes(&wl, 0);
	printf("requests   %zu, %.6g/s, %.6g bytes in the mean\n", n,
	    workload_rate(&wl) * rec->rec_count, bytes);
	show_sizes(all, n);
	free(all);
	workload_free(&wl);
	return (EXIT_SUCCESS);
}

static int
run(int argc, char *argv[], char *const whole[])
{
	struct workload_options wo = { .wo_output = NULL };
	const struct arguments as = { .as_command = "workload",
	    .as_table = options, .as_options = OPTIONS, .as_operands = 2,
	    .as_set = set, .as_context = &wo };
	bool help;
	int status;

	(void)whole;
	status = arguments_parse(&as, &argc, argv, &help);
	if (status == 0 && help) {
		puts(usage);
		arguments_help(&as);
		return (EXIT_SUCCESS);
	}
	wo.wo_action = argc > 1 ? argv[1] : NULL;
	wo.wo_operand = argc > 2 ? argv[2] : NULL;
	if (status == 0)
		status = check(&wo);
	if (status != 0)
		return (status);
	if (strcmp(wo.wo_action, "import") == 0)
		return (import(&wo));
	if (strcmp(wo.wo_action, "show") == 0)
		return (show(&wo));
	if (workload_list(stdout) == 0)
		return (run_error("workload", "no recorded workloads beside "
		    "the program; RNGSIM_WORKLOADS names a folder of them"));
	return (EXIT_SUCCESS);
}

const struct command cmd_workload = {
	.cmd_name	= "workload",
	.cmd_args	= "import FILE [-o OUT] | show NAME|@FILE | list",
	.cmd_descr	= "make workload files of strace's output; show them",
	.cmd_run	= run,
};
