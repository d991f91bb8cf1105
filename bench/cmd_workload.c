#include <inttypes.h>
#include <stdlib.h>

#include "bench/cmd.h"

enum { COMMENT_SIZE = 1024 };

static int
check(struct options *op)
{
	const char *action = op->op_operands > 0 ? op->op_operand[0] : NULL;
	bool import, list;

	if (action == NULL)
		return (usage_error("missing operand: expected import or "
		    "list"));
	import = strcmp(action, "import") == 0;
	list = strcmp(action, "list") == 0;
	if (!import && !list)
		return (usage_error("\"%s\": expected import or list", action));
	if (list && op->op_operands > 1)
		return (usage_error("surplus operand \"%s\"",
		    op->op_operand[1]));
	if (!list && op->op_operands < 2)
		return (usage_error("missing operand: expected a FILE that "
		    "strace wrote"));
	if (!import && op->op_output != NULL)
		return (usage_error("-o: expected it with import only"));
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

static void
print_document(FILE *out, const void *arg)
{
	const struct document *d = arg;

	recording_print(out, d->do_recording, d->do_comment);
}

static int
emit(const struct options *op, const struct document *d)
{
	struct atomic_file of;
	int status;

	if (op->op_output == NULL) {
		print_document(stdout, d);
		return (0);
	}
	status = command_open(op->op_output, &of);
	return (status != 0 ? status :
	    command_write(op->op_output, &of, print_document, d));
}

static int
import(const struct options *op)
{
	char found[COMMENT_SIZE / 2], comment[COMMENT_SIZE];
	char message[LINES_ERROR_SIZE] = "";
	struct strace_summary ss;
	struct recording rec;
	int status;

	if (strace_import(op->op_operand[1], &rec, &ss, message) != 0) {
		run_error("%s", message);
		if (ss.ss_requests == 0 && ss.ss_reads_unknown > 0)
			run_note("%" PRIu64 " reads are of files not known; "
			    "strace -y shows those of /dev/urandom",
			    ss.ss_reads_unknown);
		return (EXIT_FAILURE);
	}
	describe(&ss, &rec, found, sizeof(found));
	snprintf(comment, sizeof(comment), "# From %.200s, strace's: %s.\n",
	    op->op_operand[1], found);
	for (char *c = comment; c[0] != '\0' && c[1] != '\0'; c++)
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
run(struct options *op)
{
	if (op->op_operand[0][0] == 'i')
		return (import(op));
	if (workload_list(stdout) == 0)
		return (run_error("no recorded workloads are installed; "
		    "RNGSIM_WORKLOADS names a folder of them"));
	return (EXIT_SUCCESS);
}

const struct command cmd_workload = { check, run, 0 };
