/*
 * From a command line to a result: what run and sweep share.
 */
#include <stdlib.h>

#include "bench/cmd.h"
#include "bench/cli/stop.h"
#include "bench/report/report.h"
#include "bench/sweep/sweep.h"
#include "lib/machine/tick.h"

/* The largest sum of buffers that a cell of the grid would need, in bytes. */
static uint64_t
buffers_bytes(const struct options *op)
{
	uint64_t readers = 0, size = 0;

	for (unsigned i = 0; i < op->op_readers.ol_count; i++)
		if (op->op_readers.ol_value[i] > readers)
			readers = op->op_readers.ol_value[i];
	for (unsigned i = 0; i < op->op_sizes.ol_count; i++)
		if (op->op_sizes.ol_value[i] > size)
			size = op->op_sizes.ol_value[i];
	return (readers * workload_max_bytes(&op->op_workload, size));
}

/* Whether this machine has the memory for it. */
static int
check_memory(const struct options *op)
{
	uint64_t memory = replicate_memory_bytes(), needed;

	if (op->op_simulated) {
		if (replicate_threads(op, &needed) > 0)
			return (0);
		return (run_error("the simulated machine and its readers need "
		    "up to %.3g GB, this machine has %.3g for them: use fewer "
		    "readers (-r)%s", (double)needed / 1e9, (double)memory /
		    1e9, op->op_verify ? ", smaller requests (-s, --workload) "
		    "or no --verify" : " or fewer --cpus"));
	}
	if (buffers_bytes(op) > memory / 4 * 3) {
		return (run_error("the readers' buffers need %.3g GB, "
		    "this machine has %.3g: use fewer readers (-r) or smaller "
		    "requests (-s, --workload)", (double)buffers_bytes(op) /
		    1e9, (double)memory / 1e9));
	}
	return (0);
}

/* Everything that can be found wrong before anything is measured. */
static int
prepare(struct options *op)
{
	int error;

	error = check_memory(op);
	if (error != 0)
		return (error);
	/* Simulated costs do not depend on this host's instructions. */
	error = command_crypto_mode(op->op_simulated ? CRYPTO_NATIVE :
	    op->op_crypto);
	if (error != 0)
		return (error);
	tick_calibrate();
	error = command_crypto();
	if (error == 0)
		error = options_load_hash(op);
	return (error != 0 ? error : options_seed(op));
}

static int
write_result(const struct options *op, struct atomic_file *of,
    const struct result *r)
{
	char *text;
	int error;

	text = result_format_json(r);
	error = command_commit(op->op_output, of, text, strlen(text));
	free(text);
	return (error);
}

/* Opens the ledger's log, if there is to be one. */
static int
open_ledger_log(struct options *op)
{
	if (op->op_ledger_path == NULL)
		return (0);
	op->op_ledger_log = fopen(op->op_ledger_path, "we");
	if (op->op_ledger_log != NULL)
		return (0);
	return (run_error("%s: %s", op->op_ledger_path, strerror(errno)));
}

static int
close_ledger_log(struct options *op)
{
	bool lost;

	if (op->op_ledger_log == NULL)
		return (0);
	lost = ferror(op->op_ledger_log) != 0;
	if (fclose(op->op_ledger_log) == 0 && !lost)
		return (0);
	return (run_error("%s: %s", op->op_ledger_path, errno != 0 ?
	    strerror(errno) : "not all could be written"));
}

/* Where the result goes, and what is known until it is there. */
struct target {
	struct atomic_file	 ta_file;
	struct checkpoint ta_checkpoint;
	bool		 ta_kept;	/* repeats are */
};

static const struct target no_target = { .ta_file.of_fd = -1,
    .ta_checkpoint.ck_journal.jo_fd = -1 };

/*
 * A trace and recorded events are of one repeat, which would be missing if it
 * were not measured again.
 */
static bool
wants_checkpoint(const struct options *op)
{
	return (op->op_trace == NULL && op->op_ledger_path == NULL &&
	    op->op_config.bc_harvest.record_file[0] == '\0');
}

/*
 * Opens what -o names, before anything is measured; of a run that is resumed
 * the journal is open already.
 */
static int
open_target(const struct options *op, struct target *ta)
{
	struct checkpoint *ck = &ta->ta_checkpoint;
	char *real, *temp = NULL, why[CELL_ERROR_SIZE] = "";
	int error;

	if (op->op_output == NULL)
		return (0);
	error = atomic_file_resolve(op->op_output, &real);
	if (error == 0 && real != NULL && !ta->ta_kept &&
	    wants_checkpoint(op)) {
		error = checkpoint_claim(ck, op->op_output, real, NULL, why);
		ta->ta_kept = error == 0;
	}
	if (error == 0 && ta->ta_kept) {
		/* The name is free: this process has the journal. */
		temp = journal_name(ck->ck_journal.jo_path, ".tmp");
	}
	if (error == 0)
		error = atomic_file_open_as(&ta->ta_file, op->op_output, temp);
	free(temp);
	free(real);
	if (error == 0)
		return (0);
	checkpoint_close(ck, true);
	return (why[0] != '\0' ? run_error("%s", why) :
	    run_error("%s: %s", op->op_output, strerror(error)));
}

/*
 * Puts the result where it should be.  What is kept of repeats goes when all
 * that can be had is in the result; a failure before the first cell leaves an
 * earlier file alone.
 */
static int
close_target(const struct options *op, struct target *ta,
    const struct result *r, int error)
{
	struct checkpoint *ck = &ta->ta_checkpoint;
	bool some = ck->ck_before + ck->ck_done > 0;
	bool keep = error != 0 && error != EDEADLK &&
	    (error == EINTR || some || ck->ck_head != NULL);
	int status = EXIT_SUCCESS;

	if (op->op_output == NULL)
		return (status);
	if (error != 0 && error != EINTR && r->cell_count == 0)
		atomic_file_abort(&ta->ta_file);
	else if (write_result(op, &ta->ta_file, r) != 0)
		status = EXIT_FAILURE;
	if (!ta->ta_kept)
		return (status);
	keep = keep || (status != EXIT_SUCCESS && some);
	/* What could not be taken up will not be the next time. */
	if (keep && (error == EINTR || ck->ck_done > 0 || error == 0))
		run_note("\"rngsim %s --resume %s\" goes on with what is "
		    "missing", usage_command, op->op_output);
	error = checkpoint_close(ck, keep);
	return (error == 0 ? status : run_error("%s: cannot remove its "
	    "journal: %s", op->op_output, strerror(error)));
}

static int
show(const struct options *op, const struct result *r)
{
	int error;

	if (GIVEN(op, QUIET) && op->op_output != NULL)
		return (EXIT_SUCCESS);
	error = report_emit(stdout, r, (enum report)op->op_format);
	if (error == 0)
		return (EXIT_SUCCESS);
	return (run_error("stdout: %s", strerror(error)));
}

static int
measure(struct options *op, struct target *ta, char *const argv[])
{
	char why[CELL_ERROR_SIZE] = "";
	struct timeline *tl;
	struct result r;
	int error, status = EXIT_SUCCESS;

	stop_catch_signals();
	if (open_target(op, ta) != 0)
		return (EXIT_FAILURE);
	if (trace_begin(op, &tl) != 0) {
		atomic_file_abort(&ta->ta_file);
		return (EXIT_FAILURE);
	}
	if (open_ledger_log(op) != 0) {
		atomic_file_abort(&ta->ta_file);
		(void)trace_end(op, tl);
		return (EXIT_FAILURE);
	}
	error = sweep_run(op, argv, ta->ta_kept ? &ta->ta_checkpoint : NULL,
	    &r, why);
	if (error != 0) {
		fprintf(stderr, "rngsim: %s: %s\n", usage_command, why);
		status = EXIT_FAILURE;
	}
	if (trace_end(op, tl) != 0)
		status = EXIT_FAILURE;
	if (close_ledger_log(op) != 0)
		status = EXIT_FAILURE;
	if (close_target(op, ta, &r, error) != 0)
		status = EXIT_FAILURE;
	if ((r.cell_count > 0 || error == 0) && show(op, &r) != 0)
		status = EXIT_FAILURE;
	result_free(&r);
	return (status);
}

/* A complete result is shown again. */
static int
show_complete(const struct options *given, const char *why)
{
	const char *file = given->op_resume;
	char error[RESULT_TEXT_SIZE];
	struct options_begun ob;
	struct options op;
	struct result r;
	int status;

	if (result_load(file, &r, error) != 0 || !r.complete)
		return (run_error("--resume %s: nothing to resume: %s",
		    file, why));
	ob = (struct options_begun){ .ob_argv = r.argv, .ob_seed = r.seed };
	status = options_resume(&op, given, &ob);
	if (status == 0) {
		run_note("%s is complete: nothing was measured", file);
		status = show(&op, &r);
	}
	options_free(&op);
	result_free(&r);
	return (status);
}

static int
resume(const struct options *given)
{
	struct target ta = no_target;
	struct checkpoint *ck = &ta.ta_checkpoint;
	const char *file = given->op_resume;
	char why[CELL_ERROR_SIZE];
	struct checkpoint_head head = { .ch_record = NULL };
	struct options_begun ob;
	struct options op;
	char *real;
	int error, status;

	error = atomic_file_resolve(file, &real);
	if (error != 0)
		return (run_error("--resume: %s: %s", file, strerror(error)));
	if (real == NULL)
		return (run_error("--resume: %s: not a regular file, and so "
		    "without a journal", file));
	error = checkpoint_claim(ck, file, real, &head, why);
	free(real);
	if (error != 0) {
		checkpoint_close(ck, true);
		return (error == ENOENT ? show_complete(given, why) :
		    run_error("--resume: %s", why));
	}
	ta.ta_kept = true;
	ob = (struct options_begun){ .ob_argv = head.ch_argv,
	    .ob_seed = head.ch_seed };
	status = options_resume(&op, given, &ob);
	if (status == 0)
		status = prepare(&op);
	if (status == 0)
		status = measure(&op, &ta, head.ch_argv);
	else
		checkpoint_close(ck, true);
	options_free(&op);
	head_free(&head);
	return (status);
}

/* Whether the journal of a file has a whole line, so that a run can go on. */
static bool
has_journal(const char *file)
{
	char *line = NULL, *path = NULL, *real = NULL;
	bool whole = false;
	size_t size = 0;
	FILE *in = NULL;
	ssize_t n;

	if (atomic_file_resolve(file, &real) == 0 && real != NULL)
		path = journal_name(real, ".journal");
	if (path != NULL)
		in = fopen(path, "re");
	if (in != NULL) {
		n = getline(&line, &size, in);
		whole = n > 0 && line[n - 1] == '\n';
		fclose(in);
	}
	free(line);
	free(path);
	free(real);
	return (whole);
}

/*
 * A job of a plan can be run again: what is complete stays, what was killed
 * goes on.  Returns: whether that was so, and its status.
 */
static bool
part_again(const struct options *op, int *status)
{
	const struct options given = { .op_cmd = op->op_cmd,
	    .op_resume = op->op_output, .op_given = 1 };
	char why[RESULT_TEXT_SIZE];
	struct result r;
	bool same;
	unsigned i;

	if (op->op_part_of == 0 || op->op_output == NULL)
		return (false);
	if (has_journal(op->op_output)) {
		*status = resume(&given);
		return (true);
	}
	if (result_load(op->op_output, &r, why) != 0)
		return (false);
	for (i = 1, same = r.complete; same && r.argv[i] != NULL; i++)
		same = command_argv[i] != NULL &&
		    strcmp(r.argv[i], command_argv[i]) == 0;
	same = same && command_argv[i] == NULL;
	result_free(&r);
	*status = EXIT_SUCCESS;
	if (same)
		run_note("%s is complete: nothing was measured", op->op_output);
	return (same);
}

/* The jobs of --plan, or whether --part is one of them. */
static int
check_part(struct options *op)
{
	const unsigned most = grid_jobs(op);

	if (op->op_part_of > most || op->op_parts > most)
		return (usage_error("%s: expected at most %u job%s: %s",
		    op->op_plan != NULL ? "--parts" : "--part", most, PLURAL(
		    most), op->op_simulated ? "there are no more cells" : "all "
		    "designs, locks and ciphers are measured side by side"));
	return (0);
}

int
command_measure(struct options *op)
{
	struct target ta = no_target;
	int status;

	if (op->op_resume != NULL)
		return (resume(op));
	if (part_again(op, &status))
		return (status);
	status = options_finish(op);
	if (status == 0)
		status = check_part(op);
	if (status == 0 && op->op_plan != NULL) {
		status = options_seed(op);
		return (status != 0 ? status : plan_write(op, command_argv,
		    op->op_parts > 0 ? op->op_parts : grid_jobs(op)));
	}
	if (status == 0)
		status = prepare(op);
	if (status == 0)
		status = op->op_faults.fl_count > 0 ? failpoint_run(op) :
		    measure(op, &ta, command_argv);
	return (status);
}
