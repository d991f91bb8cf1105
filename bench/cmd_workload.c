#include "bench/cmd.h"

static const char names_files[] = "strace -y shows which reads are of "
    "/dev/urandom";

static int
check(struct options *op)
{
	const int status = options_action(op);

	return (status != 0 || op->op_operands == 2 || op->op_output == NULL ?
	    status : usage_error("-o: expected it with import only"));
}

static int
import(const char *path, const char *output)
{
	struct recording rec;
	struct text comment = { .s = "" };
	struct text found = { .s = "" };	/* and left out, in one line */
	char message[LINES_ERROR_SIZE] = "", *text = NULL;
	struct import_summary iu;
	const uint64_t *n = iu.iu_count;
	size_t size;
	int status;
	FILE *out;

	if (import_load(path, &rec, &iu, message) != 0) {
		run_error("%s", message);
		if (n[IMPORT_RANDOM] == 0 && n[IMPORT_READ_UNKNOWN] > 0)
			run_note("%" PRIu64 " reads are of files not known; %s",
			    n[IMPORT_READ_UNKNOWN], names_files);
		return (EXIT_FAILURE);
	}
	text_add(&found, "%" PRIu64 " request%s of %u thread%s in %u stream%s, "
	    "%.6g s; left out: %" PRIu64 " calls without bytes, %" PRIu64
	    " reads of other files, %" PRIu64 " reads of files not known, %"
	    PRIu64 " other calls", n[IMPORT_RANDOM], PLURAL(n[IMPORT_RANDOM]),
	    iu.iu_threads, PLURAL(iu.iu_threads), rec.rec_count,
	    PLURAL(rec.rec_count), (double)rec.rec_length_ns / 1e9,
	    n[IMPORT_FAILED], n[IMPORT_READ_OTHER], n[IMPORT_READ_UNKNOWN],
	    n[IMPORT_OTHER]);
	text_add(&comment, "# From %.200s, strace's: %s.", path, found.s);
	text_clean(comment.s);
	text_add(&comment, "\n");
	out = xmemstream(&text, &size);
	recording_print(out, &rec, comment.s);
	xmemclose(out);
	recording_free(&rec);
	if (output == NULL)
		fputs(text, stdout);
	if ((status = command_open(output, NULL)) == 0)
		status = command_commit(output, text, size);
	free(text);
	if (status != EXIT_SUCCESS)
		return (status);
	run_note("%s", found.s);
	if (n[IMPORT_READ_UNKNOWN] > 0)
		run_note("%s", names_files);
	return (EXIT_SUCCESS);
}

static int
run(struct options *op)
{
	if (op->op_operand[0][0] == 'i')
		return (import(op->op_operand[1], op->op_output));
	if (workload_list(stdout) == 0)
		return (run_error("no recorded workloads are installed; "
		    "RNGSIM_WORKLOADS names a folder of them"));
	return (EXIT_SUCCESS);
}

const struct command cmd_workload = { check, run, 0 };
