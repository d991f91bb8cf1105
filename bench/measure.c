/* From a command line to a result: what run and sweep share. */
#include "bench/cmd.h"
#include "bench/predict/calibrate.h"
#include "bench/report/report.h"
#include "bench/sweep/sweep.h"
#include "bench/timeline/timeline.h"

/* Everything that can be found wrong before anything is measured. */
static int
prepare(struct options *op)
{
	uint64_t memory = replicate_memory_bytes(), needed;
	int error;

	if (op->op_simulated && replicate_threads(op, &needed) == 0)
		return (run_error("the simulated machine and its readers need "
		    "up to %.3g GB, this machine has %.3g for them: use fewer "
		    "readers (-r)%s", (double)needed / 1e9, (double)memory /
		    1e9, op->op_verify ? ", smaller requests (-s, --workload) "
		    "or no --verify" : " or fewer --cpus"));
	needed = option_list_max(&op->op_readers) *
	    workload_max_bytes(&op->op_workload, option_list_max(
	    &op->op_sizes));
	if (!op->op_simulated && needed > memory / 4 * 3)
		return (run_error("the readers' buffers need %.3g GB, this "
		    "machine has %.3g: use fewer readers (-r) or smaller "
		    "requests (-s, --workload)", (double)needed / 1e9,
		    (double)memory / 1e9));
	/* Simulated costs do not depend on this host's instructions. */
	error = command_crypto_mode(op->op_simulated ? CRYPTO_NATIVE :
	    op->op_crypto);
	if (error != 0)
		return (error);
	tick_calibrate();
	if ((error = command_crypto()) == 0)
		error = options_load_hash(op);
	return (error != 0 ? error : options_seed(op));
}

/* Writes the file of --trace, also after an interrupted run. */
static int
trace_end(struct options *op)
{
	const struct vm_topology *vt = &op->op_machine.vi_topology;
	const struct cell ce = grid_first(op);
	const struct profile *pr = &op->op_machine.vi_profile;
	char remark[TIMELINE_REMARK_SIZE], *text;
	int status;

	if (op->op_observer == NULL)
		return (0);
	text = timeline_end(op->op_observer, json_pack("{s:s, s:s, s:s, s:s, "
	    "s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "claim", "predicted",
	    "engine", VIRTUAL_NAME, "profile", pr->pr_name, "guessed_share",
	    FORMATF("%.3f", profile_share(pr, PROVENANCE_GUESSED)), "cpus",
	    FORMATF("%u", vt->tp_cpus), "nodes", FORMATF("%u", vt->tp_nodes),
	    "design", ce.ce_design, "lock", ce.ce_lock, "cipher",
	    ce.ce_cipher->ci_name, "readers", FORMATF("%u", ce.ce_readers),
	    "request_bytes", FORMATF("%" PRIu64, ce.ce_request_bytes), "seed",
	    FORMATF("%" PRIu64, op->op_seed)), remark);
	op->op_observer = NULL;
	status = command_commit(op->op_trace, text, strlen(text));
	free(text);
	if (status == 0 && remark[0] != '\0')
		(void)run_error("%s: %s", op->op_trace, remark);
	return (status);
}

/* Whether repeats are kept: the journal beside the result is open. */
#define	KEPT(ck)	((ck)->ckp_journal.jo_fd != -1)

static const struct checkpoint not_kept = { .ckp_journal.jo_fd = -1 };

/* Opens -o before anything is measured; when resumed the journal is open. */
static int
open_result(const struct options *op, struct checkpoint *ck)
{
	char *temp = NULL, why[CELL_ERROR_SIZE];
	int error = 0, status;

	if (op->op_output == NULL)
		return (0);
	/* Traces and recorded events would lack a repeat not measured again. */
	if (!KEPT(ck) && op->op_trace == NULL && op->op_ledger_path == NULL &&
	    op->op_config.bc_harvest.record_file[0] == '\0')
		error = checkpoint_claim(ck, op->op_output, NULL, why);
	if (error != 0 && error != ENOTSUP) {
		checkpoint_close(ck, true);
		return (run_error("%s", why));
	}
	/* The name is free: this process has the journal. */
	if (KEPT(ck))
		temp = journal_name(ck->ckp_journal.jo_path, ".tmp");
	status = command_open(op->op_output, temp);
	free(temp);
	if (status != 0)
		checkpoint_close(ck, true);
	return (status);
}

/*
 * Puts the result where it should be.  What is kept of repeats goes when all is
 * in the result; a failure before the first cell leaves an earlier file.
 */
static int
close_result(const struct options *op, struct checkpoint *ck,
    const struct result *r, int error)
{
	bool some = ck->ckp_before + ck->ckp_done > 0;
	bool keep = error != 0 && error != EDEADLK &&
	    (error == EINTR || some || ck->ckp_head != NULL);
	int status = EXIT_SUCCESS;

	if (op->op_output == NULL)
		return (status);
	if (error != 0 && error != EINTR && r->cell_count == 0)
		atomic_file_abort_all();
	else
		status = command_write(op->op_output, report_json, r);
	if (!KEPT(ck))
		return (status);
	keep = keep || (status != EXIT_SUCCESS && some);
	/* What could not be taken up will not be the next time. */
	if (keep && (error == EINTR || ck->ckp_done > 0 || error == 0))
		run_note("\"rngsim %s --resume %s\" goes on with what is "
		    "missing", usage_command, op->op_output);
	error = checkpoint_close(ck, keep);
	return (error == 0 ? status : run_error("%s: cannot remove its "
	    "journal: %s", op->op_output, strerror(error)));
}

static int
show(const struct options *op, const struct result *r)
{
	return (GIVEN(op, QUIET) && op->op_output != NULL ? EXIT_SUCCESS :
	    report_show(report_printers[op->op_format], r));
}

static int
measure(struct options *op, struct checkpoint *ck, char *const argv[])
{
	char why[CELL_ERROR_SIZE] = "";
	struct calibrate_conditions cc = { .cc_load = 0 };
	struct result r;
	int error, status;
	bool lost;

	stop_catch_signals();
	if ((status = open_result(op, ck)) == 0)
		status = command_open(op->op_trace, NULL);
	if (status == 0 && op->op_trace != NULL)
		op->op_observer = timeline_new(
		    op->op_machine.vi_topology.tp_cpus,
		    &(struct timeline_span){ op->op_trace_from_ps,
		    op->op_trace_to_ps }, TIMELINE_EVENTS_MAX);
	if (status == 0 && op->op_ledger_path != NULL) {
		op->op_ledger_log = fopen(op->op_ledger_path, "we");
		if (op->op_ledger_log == NULL)
			status = run_error("%s: %s", op->op_ledger_path,
			    strerror(errno));
	}
	if (status != 0) {
		(void)trace_end(op);
		/* While this process has the journal, and so the name. */
		atomic_file_abort_all();
		return (status);
	}
	calibrate_watch(&cc);
	error = sweep_run(op, argv, KEPT(ck) ? ck : NULL, &r, why);
	if (!op->op_simulated) {
		calibrate_watch(&cc);
		(void)calibrate_objections(&cc, r.unfit, sizeof(r.unfit));
	}
	/* Of several lines where threads could not go on. */
	if (error != 0)
		fprintf(stderr, "rngsim: %s: %s\n", usage_command, why);
	status = error != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
	status |= trace_end(op);
	if (op->op_ledger_log != NULL) {
		lost = ferror(op->op_ledger_log) != 0;
		errno = 0;
		if (fclose(op->op_ledger_log) != 0 || lost)
			status = run_error("%s: %s", op->op_ledger_path,
			    errno != 0 ? strerror(errno) :
			    "not all could be written");
	}
	status |= close_result(op, ck, &r, error);
	if (r.cell_count > 0 || error == 0)
		status |= show(op, &r);
	result_free(&r);
	return (status);
}

/*
 * Continues the run that has a journal beside the file of --resume.  A complete
 * result is shown again; that of a job stays if it is of the same command.
 * Returns: false if there is nothing to resume, and why (CELL_ERROR_SIZE).
 */
static bool
go_on(const struct options *given, int *status, char *why)
{
	const char *file = given->op_resume;
	const bool job = given->op_part_of > 0;
	struct result begun = { .cells = NULL };
	struct checkpoint ck = not_kept;
	char unread[RESULT_TEXT_SIZE];
	struct options op;
	int error = checkpoint_claim(&ck, file, &begun, why);

	if (error != 0)
		checkpoint_close(&ck, true);
	if (error == ENOMSG || (error == ENOENT &&
	    (result_load(file, &begun, unread) != 0 || !begun.complete ||
	    (job && !field_same_words(begun.argv, command_argv))))) {
		result_free(&begun);
		return (false);
	}
	if (error != 0 && error != ENOENT) {
		result_free(&begun);
		*status = run_error("--resume: %s", why);
		return (true);
	}
	*status = options_resume(&op, given, begun.argv, begun.seed);
	if (*status == 0 && error == 0) {
		*status = prepare(&op);
		if (*status == 0)
			*status = measure(&op, &ck, begun.argv);
	} else if (*status == 0) {
		run_note("%s is complete: nothing was measured", file);
		*status = job ? EXIT_SUCCESS : show(&op, &begun);
	}
	checkpoint_close(&ck, true);
	options_free(&op);
	result_free(&begun);
	return (true);
}

int
command_measure(struct options *op)
{
	/* A job of a plan can be run again. */
	const struct options job = { .op_cmd = op->op_cmd, .op_given = 1,
	    .op_resume = op->op_output, .op_part_of = op->op_part_of };
	char why[CELL_ERROR_SIZE];
	struct checkpoint ck = not_kept;
	unsigned most;
	int status;

	if (op->op_resume != NULL)
		return (go_on(op, &status, why) ? status : run_error("--resume "
		    "%s: nothing to resume: %s", op->op_resume, why));
	if (op->op_part_of > 0 && op->op_output != NULL &&
	    go_on(&job, &status, why))
		return (status);
	if ((status = options_finish(op)) != 0)
		return (status);
	most = grid_jobs(op);
	if (op->op_part_of > most || op->op_parts > most)
		return (usage_error("%s: expected at most %u job%s: %s",
		    op->op_plan != NULL ? "--parts" : "--part", most, PLURAL(
		    most), op->op_simulated ? "there are no more cells" : "all "
		    "designs, locks and ciphers are measured side by side"));
	if (op->op_plan != NULL) {
		status = options_seed(op);
		return (status != 0 ? status : plan_write(op,
		    op->op_parts > 0 ? op->op_parts : most));
	}
	if ((status = prepare(op)) != 0)
		return (status);
	return (op->op_faults.fl_count > 0 ? failpoint_run(op) :
	    measure(op, &ck, command_argv));
}
