/*
 * rngsim explore: runs schedules that time alone would not give, and reports
 * what fails in them.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "bench/cli/format.h"
#include "bench/cli/memory.h"
#include "bench/cli/progress.h"
#include "bench/cli/stop.h"
#include "bench/cmd.h"
#include "bench/explore/document.h"
#include "bench/explore/print.h"
#include "bench/explore/shrink.h"
#include "bench/kernel/ksource.h"
#include "lib/machine/cpu.h"

enum {
	WHY_SIZE	= 256,
	NAME_SIZE	= 64,
	SHRINK_RUNS	= 20 * 1000,
	PARTS		= 100	/* of a plan */
};

/* The campaigns of a command line, one for each row. */
struct exploration {
	const struct options *ep_op;
	struct campaign	 ep_campaign;	/* the current one */
	struct campaign_result ep_sum;
	struct progress	 ep_progress;
	json_t		*ep_document;
	uint64_t	 ep_before;	/* schedules of completed campaigns */
	uint64_t	 ep_total;
};

static const char *
lock_name(unsigned i)
{
	const struct lock_class *lc = simulated_lock_at(i);

	return (lc != NULL ? lc->lc_name : NULL);
}

const struct family family_simulated_locks = { .fa_name = lock_name,
    .fa_title = "lock" };

static const char *
strategy_title(unsigned i)
{
	return (i < strategy_count ? strategy_classes[i]->sy_name : NULL);
}

static const char *
strategy_descr(unsigned i)
{
	const struct strategy_class *sy = strategy_classes[i];
	static char text[WHY_SIZE];

	if (sy->sy_means == NULL)
		return (sy->sy_descr);
	snprintf(text, sizeof(text), "%s; %s:%s is %u..%u (%u)", sy->sy_descr,
	    sy->sy_name, strrchr(sy->sy_means, ' ') + 1, sy->sy_least,
	    sy->sy_most, sy->sy_usual);
	return (text);
}

const struct family family_strategies = { .fa_name = strategy_title,
    .fa_descr = strategy_descr, .fa_title = "Strategies" };

static void
progress(void *context, uint64_t done)
{
	struct exploration *ep = context;
	const struct subject *tb = &ep->ep_campaign.cn_subject;
	const uint64_t all = ep->ep_before + done;

	progress_update(&ep->ep_progress, all < ep->ep_total ? all :
	    ep->ep_total, FORMATF("%s, %s, %s", tb->tb_design->ra_ident,
	    tb->tb_lock->lc_name, tb->tb_cipher->ci_name));
}

/*
 * Sets what all campaigns of a command line have in common.
 *
 * Returns: 0, or EXIT_USAGE after a message.
 */
static int
make_campaign(struct campaign *cn, const struct options *op)
{
	const char *text = op->op_strategy;
	char names[WHY_SIZE], why[WHY_SIZE];
	const struct strategy_class *sy;
	int error;

	*cn = (struct campaign){ .cn_seed = op->op_seed, .cn_jobs = op->op_jobs,
	    .cn_first = op->op_only, .cn_end = GIVEN(op, ONLY) ? op->op_only +
	    1 : op->op_schedules, .cn_progress = progress };
	subject_default(&cn->cn_subject);
	cn->cn_subject.tb_stop = &stop_signal;
	cn->cn_subject.tb_memory = op->op_memory;
	if (op->op_faults.fl_count > 0)
		cn->cn_subject.tb_faults = &op->op_faults;
	for (unsigned i = 0; i < op->op_tunable_count; i++)
		if (counterexample_set_tunable(&cn->cn_subject,
		    op->op_tunables[i], why, sizeof(why)) != 0)
			return (usage_error("-S: %s", why));
	error = strategy_parse(text, &sy, &cn->cn_parameter);
	if (error == ENOENT) {
		family_join(&family_strategies, 0, NULL, names, sizeof(names));
		return (usage_error("--strategy: \"%s\": expected %s", text,
		    names));
	}
	if (error == ERANGE)
		return (usage_error("--strategy: \"%s\": expected %s:%u..%u, "
		    "its %s", text, sy->sy_name, sy->sy_least, sy->sy_most,
		    sy->sy_means));
	if (error != 0)
		return (usage_error("--strategy: \"%s\": %s takes no number",
		    text, sy->sy_name));
	cn->cn_strategy = sy;
	return (0);
}

/* Completes the campaign of a row. */
static void
set_row(struct campaign *cn, const struct options *op, unsigned row)
{
	const unsigned of_ciphers = op->op_ciphers.ol_count;
	const unsigned of_locks = op->op_locks.ol_count;
	struct scenario_limits *sm = &cn->cn_limits;
	struct subject *tb = &cn->cn_subject;

	tb->tb_cipher = ciphers[op->op_ciphers.ol_value[row % of_ciphers]];
	tb->tb_lock = simulated_lock_at((unsigned)op->op_locks.ol_value[row /
	    of_ciphers % of_locks]);
	tb->tb_design = simulated_design(generators[op->op_designs.ol_value[
	    row / of_ciphers / of_locks]]->ra_ident);
	campaign_limits(tb, sm);
	if (cn->cn_strategy == &strategy_dfs) {
		sm->sm_small = true;
		sm->sm_readers_most = sm->sm_readers_least;
	}
	if (GIVEN(op, EXPLORE_READERS)) {
		sm->sm_readers_least = (unsigned)op->op_readers.ol_value[0];
		sm->sm_readers_most = sm->sm_readers_least - 1 +
		    op->op_readers.ol_count;
	}
	sm->sm_sizes = op->op_sizes.ol_count;
	for (unsigned i = 0; i < sm->sm_sizes; i++)
		sm->sm_size[i] = (uint32_t)op->op_sizes.ol_value[i];
}

/*
 * Prints the command that replays the file, unless path is NULL, and the one
 * that finds the failure again from its seed.
 */
static void
print_again(const struct exploration *ep, const struct counterexample *cx,
    const char *path)
{
	const struct subject *tb = &cx->cx_subject;
	const struct campaign *cn = &ep->ep_campaign;
	const struct options *op = ep->ep_op;
	char strategy[STRATEGY_NAME_SIZE];

	putchar('\n');
	if (path != NULL) {
		fputs("Again:    rngsim explore --replay ", stdout);
		format_word(stdout, path);
		putchar('\n');
	}
	printf("Unshrunk: rngsim explore -d %s -l %s -c %s",
	    ksource_spec(tb->tb_design->ra_ident), tb->tb_lock->lc_name,
	    tb->tb_cipher->ci_name);
	if (GIVEN(op, EXPLORE_READERS))
		printf(" -r %s", op->op_text[OPTION_EXPLORE_READERS]);
	if (GIVEN(op, EXPLORE_SIZE))
		printf(" -s %s", op->op_text[OPTION_EXPLORE_SIZE]);
	if (op->op_memory != VM_SC)
		printf(" --memory %s", vm_memory_names[op->op_memory]);
	for (unsigned i = 0; i < op->op_tunable_count; i++) {
		fputs(" \\\n    -S ", stdout);
		format_word(stdout, op->op_tunables[i]);
	}
	for (unsigned i = 0; i < FAILPOINTS; i++)
		if (op->op_faults.fl_text[i] != NULL) {
			printf(" \\\n    --failpoint %s=",
			    failpoints_def(i)->fd_name);
			format_word(stdout, op->op_faults.fl_text[i]);
		}
	printf(" \\\n    --strategy %s --seed %" PRIu64 " --only %" PRIu64 "\n",
	    strategy_name(strategy, cn->cn_strategy, cn->cn_parameter),
	    cx->cx_seed, cx->cx_number);
}

static bool
holds_text(const char *path)
{
	struct stat sb;

	return (stat(path, &sb) == 0 && S_ISREG(sb.st_mode) && sb.st_size > 0);
}

/* Where a schedule goes; by default no file of an earlier run. */
static const char *
schedule_path(const struct options *op, uint64_t seed, char name[NAME_SIZE])
{
	if (op->op_output != NULL)
		return (op->op_output);
	snprintf(name, NAME_SIZE, "rngsim-explore-%" PRIu64 ".schedule", seed);
	for (unsigned i = 2; holds_text(name); i++)
		snprintf(name, NAME_SIZE, "rngsim-explore-%" PRIu64
		    "-%u.schedule", seed, i);
	return (name);
}

static void
print_file(FILE *out, const void *cx)
{
	counterexample_print(out, cx);
}

static int
write_file(const struct counterexample *cx, const char *path)
{
	struct atomic_file of;
	int status;

	status = command_open(path, &of);
	return (status == 0 ? command_write(path, &of, print_file, cx) :
	    status);
}

/* Prints a failure; steps: choices before it was shrunk, or 0. */
static void
print_failure(const struct counterexample *cx, const struct outcome *to,
    const struct event_trace *et, uint64_t steps)
{
	explore_print_failure(stdout, cx, to);
	if (steps > 0)
		printf("    shrunk: %" PRIu64 " choices to %" PRIu64 "\n",
		    steps, cx->cx_schedule.sd_choices.sl_steps);
	putchar('\n');
	event_trace_print(stdout, et);
}

static void
report_failure(const struct exploration *ep, struct campaign_result *ce)
{
	const struct options *op = ep->ep_op;
	struct counterexample *cx = &ce->ce_case;
	const uint64_t steps = cx->cx_schedule.sd_choices.sl_steps;
	char name[NAME_SIZE];
	const char *path = schedule_path(op, cx->cx_seed, name);
	struct event_trace et = { .et_count = 0 };
	struct execution *ex = execution_new();
	struct replay_result cr;
	int error;

	for (; cx->cx_tunables < op->op_tunable_count; cx->cx_tunables++)
		cx->cx_tunable[cx->cx_tunables] =
		    xstrdup(op->op_tunables[cx->cx_tunables]);
	execution_catch_assertions(true);
	error = shrink(ex, cx, SHRINK_RUNS);
	if (error == 0)
		error = counterexample_run(ex, cx, &et, &cr);
	if (error == 0 && !cr.cr_same)
		error = EPROTO;
	execution_catch_assertions(false);
	if (error == 0)
		print_failure(cx, &cr.cr_outcome, &et, steps);
	else
		explore_print_failure(stdout, cx, &ce->ce_outcome);
	execution_free(ex);
	if (error == EPROTO)
		(void)run_error("the same schedule gave another result when it "
		    "was run again: the run is not deterministic");
	else if (error != 0)
		(void)run_error("cannot make it smaller: %s", strerror(error));
	document_failure(ep->ep_document, cx, error == 0 ? &cr.cr_outcome :
	    &ce->ce_outcome);
	print_again(ep, cx, write_file(cx, path) == 0 ? path : NULL);
	/* Only stdout has the failure: a full disk must not hide it. */
	errno = 0;
	if (fflush(stdout) != 0 || ferror(stdout))
		(void)run_error("stdout: %s",
		    strerror(errno != 0 ? errno : EIO));
}

/* Runs the current row; EALREADY: something failed and was reported. */
static int
run_row(struct exploration *ep)
{
	const struct campaign *cn = &ep->ep_campaign;
	struct campaign_result ce;
	int error;

	error = campaign_run(cn, &ce);
	if (error == 0 || error == EINTR) {
		/* A line that is drawn over would stay below the row. */
		if (ep->ep_progress.pr_out != NULL)
			fputs("\r\033[K", ep->ep_progress.pr_out);
		explore_print_row(stdout, cn, &ce);
		fflush(stdout);
		document_row(ep->ep_document, cn, &ce);
		explore_add(&ep->ep_sum, &ce);
		ep->ep_before += cn->cn_end - cn->cn_first;
	}
	if (error == 0 && ce.ce_failed) {
		progress_fini(&ep->ep_progress);
		report_failure(ep, &ce);
		error = EALREADY;
	}
	counterexample_free(&ce.ce_case);
	return (error);
}

static int
run_rows(struct exploration *ep)
{
	const struct options *op = ep->ep_op;
	struct campaign *cn = &ep->ep_campaign;
	const unsigned rows = op->op_designs.ol_count * op->op_locks.ol_count *
	    op->op_ciphers.ol_count;
	unsigned i;
	int error = 0;

	ep->ep_total = rows * (cn->cn_end - cn->cn_first);
	cn->cn_context = ep;
	printf("seed %" PRIu64 "\n\n%-10s %-12s %-8s %11s %9s %7s %7s %7s\n",
	    op->op_seed, "design", "lock", "cipher", "schedules", "orders",
	    "per s", "steps", "most");
	fflush(stdout);
	progress_init(&ep->ep_progress, ep->ep_total, 0);
	for (i = 0; error == 0 && i < rows; i++) {
		set_row(cn, op, i);
		error = run_row(ep);
	}
	progress_fini(&ep->ep_progress);
	if (error == 0)
		explore_print_sum(stdout, cn, &ep->ep_sum, rows);
	json_object_set_new(ep->ep_document, "complete", json_boolean(error ==
	    0 || error == EALREADY));
	if (error == EALREADY)
		return (EXIT_FAILURE);
	if (error == EINTR)
		return (run_error("interrupted: %u of %u rows, the last in "
		    "part; nothing had failed", i, rows));
	return (error == 0 ? EXIT_SUCCESS : run_error("%s", strerror(error)));
}

static int
replay(const struct options *op, const char *path, struct atomic_file *of)
{
	struct event_trace et = { .et_count = 0 };
	char message[LINES_ERROR_SIZE];
	struct execution *ex = execution_new();
	struct counterexample cx;
	struct replay_result cr;
	int error, status = EXIT_FAILURE;

	error = counterexample_load(&cx, path, message);
	if (error != 0) {
		counterexample_free(&cx);
		execution_free(ex);
		return (run_error("%s", message));
	}
	execution_catch_assertions(true);
	error = counterexample_run(ex, &cx, &et, &cr);
	execution_catch_assertions(false);
	if (error != 0) {
		(void)run_error("%s: %s", path, strerror(error));
	} else if (cr.cr_outcome.to_word == NULL) {
		printf("Does not fail: \"%s\" was recorded.%s\n", cx.cx_word,
		    cr.cr_exact ? "" : "\nThe schedule could not be followed "
		    "to its end.");
		status = op->op_html == NULL ? EXIT_SUCCESS :
		    run_error("%s: not written: nothing failed", op->op_html);
	} else {
		print_failure(&cx, &cr.cr_outcome, &et, 0);
		printf("\n%s\n", cr.cr_same ? "As recorded." :
		    "Fails, but not as recorded.");
		if (op->op_html != NULL)
			(void)command_write(op->op_html, of, explore_page,
			    &(struct explore_page){ path, &cx, &cr.cr_outcome,
			    &et });
	}
	execution_free(ex);
	counterexample_free(&cx);
	return (status);
}

/* For "all": every member but those that promise nothing. */
static int
take_all(struct options *op)
{
	const bool all_designs = op->op_designs.ol_count == 0;
	const bool all_locks = op->op_locks.ol_count == 0;
	const bool all_ciphers = op->op_ciphers.ol_count == 0;
	unsigned i;
	int error = 0;

	for (i = 0; all_designs && error == 0 && generator_at(i) != NULL; i++)
		if ((generators[i]->ra_flags & RA_NULL) == 0)
			error = option_list_add(&op->op_designs, "-d", "", i);
	for (i = 0; all_locks && error == 0 && lock_name(i) != NULL; i++)
		if ((simulated_lock_at(i)->lc_flags & LC_EXCLUDES) != 0)
			error = option_list_add(&op->op_locks, "-l", "", i);
	for (i = 0; all_ciphers && error == 0 && i < cipher_count; i++)
		error = option_list_add(&op->op_ciphers, "-c", "", i);
	return (error);
}

static int
check_parts(struct options *op, struct campaign *cn)
{
	const uint64_t most = campaign_parts(cn);

	if (op->op_parts == 0)
		op->op_parts = most < PARTS ? (unsigned)most : PARTS;
	if (op->op_parts > most || op->op_part_of > most)
		return (usage_error("%s: expected at most %" PRIu64 " job%s "
		    "of these schedules", op->op_plan != NULL ? "--parts" :
		    "--part", most, PLURAL(most)));
	return (0);
}

static int
check(struct options *op)
{
	const char *readers = op->op_text[OPTION_EXPLORE_READERS];
	struct campaign cn;
	int error;

	if (op->op_output != NULL && holds_text(op->op_output))
		return (usage_error("-o: \"%s\" is there already: expected a "
		    "new file", op->op_output));
	if (op->op_replay != NULL && op->op_given > 1 + GIVEN(op, HTML))
		return (usage_error("--replay: the file names all there is to "
		    "run: expected no other option but --html"));
	if (GIVEN(op, HTML) && op->op_replay == NULL)
		return (usage_error("--html: expected --replay with it; a "
		    "failure leaves a file for that"));
	if (readers != NULL && strchr(readers, ',') != NULL)
		return (usage_error("-r: \"%s\": expected 1..%d, or a range "
		    "such as 2-4", readers, SCENARIO_READERS_MAX));
	if (op->op_sizes.ol_count > SCENARIO_SIZES_MAX)
		return (usage_error("-s: more than %d members",
		    SCENARIO_SIZES_MAX));
	if (op->op_tunable_count > COUNTEREXAMPLE_TUNABLES_MAX)
		return (usage_error("-S: more than %d",
		    COUNTEREXAMPLE_TUNABLES_MAX));
	error = make_campaign(&cn, op);
	if (error == 0 && (op->op_part_of > 0 || op->op_plan != NULL))
		error = check_parts(op, &cn);
	return (error != 0 ? error : take_all(op));
}

static int
run(struct options *op)
{
	struct exploration ep = { .ep_op = op };
	struct atomic_file of = { .of_fd = -1 };
	int status;

	if (op->op_replay != NULL) {
		status = command_open(op->op_html, &of);
		if (status == 0)
			status = replay(op, op->op_replay, &of);
		atomic_file_abort(&of);
		return (status);
	}
	if (op->op_jobs == 0)
		op->op_jobs = cpu_count() < CAMPAIGN_JOBS_MAX ? cpu_count() :
		    CAMPAIGN_JOBS_MAX;
	if (op->op_plan != NULL)
		return (plan_write(op, command_argv, op->op_parts));
	if (document_again(op, command_argv, &status))
		return (status);
	status = make_campaign(&ep.ep_campaign, op);
	if (status == 0 && op->op_part_of > 0)
		campaign_split(&ep.ep_campaign, op->op_part, op->op_part_of);
	if (status == 0)
		status = command_open(op->op_json, &of);
	if (status != 0)
		return (status);
	ep.ep_document = document_new(command_argv, op->op_seed);
	status = run_rows(&ep);
	return (document_write(ep.ep_document, op->op_json, &of) == 0 ? status :
	    EXIT_FAILURE);
}

const struct command cmd_explore = { check, run,
    NEEDS_STOP | NEEDS_SEED | NEEDS_CRYPTO };
