#include "bench/cmd.h"

static const char names_files[] = "strace -y shows which reads are of "
    "/dev/urandom";

static int
check(struct options *op)
{
	const char *action = op->op_operands > 0 ? op->op_operand[0] : "";
	const bool import = strcmp(action, "import") == 0;

	if (!import && strcmp(action, "list") != 0)
		return (usage_error("\"%s\": expected import or list", action));
	if (!import && op->op_operands > 1)
		return (usage_error("surplus operand \"%s\"",
		    op->op_operand[1]));
	if (import && op->op_operands < 2)
		return (usage_error("missing operand: expected a FILE that "
		    "strace wrote"));
	if (!import && op->op_output != NULL)
		return (usage_error("-o: expected it with import only"));
	return (0);
}

struct document {
	const struct recording *doc_recording;
	struct text	doc_comment;
};

static void
print_document(FILE *out, const void *arg)
{
	const struct document *d = arg;

	recording_print(out, d->doc_recording, d->doc_comment.s);
}

static int
import(const char *path, const char *output)
{
	struct recording rec;
	struct document d = { .doc_recording = &rec };
	struct text found = { .s = "" };	/* and left out, in one line */
	char message[LINES_ERROR_SIZE] = "";
	struct import_summary iu;
	const uint64_t *n = iu.iu_count;
	struct atomic_file of;
	int status;

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
	text_add(&d.doc_comment, "# From %.200s, strace's: %s.", path, found.s);
	text_clean(d.doc_comment.s);
	text_add(&d.doc_comment, "\n");
	status = command_open(output, &of);
	if (output == NULL)
		print_document(stdout, &d);
	else if (status == 0)
		status = command_write(output, &of, print_document, &d);
	recording_free(&rec);
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
