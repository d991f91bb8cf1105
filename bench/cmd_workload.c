#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/workload/recording.h"
#include "bench/workload/workload.h"
#include "bench/cmd.h"

enum { SHOW_SIZES = WORKLOAD_SIZES_MAX, COMMENT_SIZE = 1024 };

static int
check(struct options *op)
{
	const char *action = op->op_operands > 0 ? op->op_operand[0] : NULL;
	bool import, list;

	if (action == NULL)
		return (usage_error("workload", "missing operand: expected "
		    "import, show or list"));
	import = strcmp(action, "import") == 0;
	list = strcmp(action, "list") == 0;
	if (!import && !list && strcmp(action, "show") != 0)
		return (usage_error("workload", "\"%s\": expected import, "
		    "show or list", action));
	if (list && op->op_operands > 1)
		return (usage_error("workload", "surplus operand \"%s\"",
		    op->op_operand[1]));
	if (!list && op->op_operands < 2)
		return (usage_error("workload", "missing operand: expected %s",
		    import ? "a FILE that strace wrote" :
		    "a workload's NAME or @FILE"));
	if (!import && op->op_output != NULL)
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

struct document {
	const struct recording *do_recording;
	const char	*do_comment;
};

static int
print_document(FILE *out, const void *arg)
{
	const struct document *d = arg;

	recording_print(out, d->do_recording, d->do_comment);
	return (0);
}

static int
emit(const struct options *op, const struct document *d)
{
	struct atomic_file of;
	int status;

	if (op->op_output == NULL)
		return (print_document(stdout, d));
	status = command_open(op, op->op_output, &of);
	return (status != 0 ? status : command_write(op, op->op_output, &of,
	    print_document, d));
}

static int
import(const struct options *op)
{
	char found[COMMENT_SIZE / 2], comment[COMMENT_SIZE];
	char message[LINES_ERROR_SIZE] = "", *c;
	struct strace_summary ss;
	struct recording rec;
	int status;

	if (strace_import(op->op_operand[1], &rec, &ss, message) != 0) {
		run_error("workload", "%s", message);
		if (ss.ss_requests == 0 && ss.ss_reads_unknown > 0)
			fprintf(stderr, "rngsim: workload: %" PRIu64 " reads "
			    "are of files not known; strace -y shows those of "
			    "/dev/urandom\n", ss.ss_reads_unknown);
		return (EXIT_FAILURE);
	}
	describe(&ss, &rec, found, sizeof(found));
	snprintf(comment, sizeof(comment), "# From %.200s, strace's: %s.\n",
	    op->op_operand[1], found);
	for (c = comment; c[0] != '\0' && c[1] != '\0'; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	status = emit(op, &(struct document){ &rec, comment });
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
show(const struct options *op)
{
	struct recording_request *all;
	char error_text[WORKLOAD_ERROR_SIZE];
	const struct recording *rec;
	struct workload wl;
	double bytes;
	size_t n = 0;
	unsigned i;
	int error;

	error = workload_parse_recorded(op->op_operand[1], &wl, error_text);
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
run(struct options *op)
{

	if (op->op_operand[0][0] == 'i')
		return (import(op));
	if (op->op_operand[0][0] == 's')
		return (show(op));
	if (workload_list(stdout) == 0)
		return (run_error("workload", "no recorded workloads are "
		    "installed; RNGSIM_WORKLOADS names a folder of them"));
	return (EXIT_SUCCESS);
}

const struct command cmd_workload = { check, run, 0 };
