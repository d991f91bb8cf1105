/* rngsim explore: runs schedules that time alone would not give. */
#include "bench/cli/progress.h"
#include "bench/cmd.h"
#include "bench/explore/print.h"
#include "bench/kernel/ksource.h"

/* Sizes of texts, short runs to shrink a failure, parts of a plan. */
enum { WHY_SIZE = 256, NAME_SIZE = 64, SHRINK_RUNS = 10 * 1000, PARTS = 100 };

#define	SPIN_POLLS	"rngsim.lock.spin_polls"

/* Options that the command for an unshrunk failure repeats. */
static const enum option_id kept[] = { OPTION_EXPLORE_READERS,
    OPTION_EXPLORE_SIZE, OPTION_EACH_READS, OPTION_RESEEDS, OPTION_ALLOW,
    OPTION_MEMORY, OPTION_STRATEGY, OPTION_CLONE };

/* The campaigns of a command line, one for each row. */
struct exploration {
	const struct options *ep_op;
	struct campaign	 ep_campaign;	/* the current one */
	struct campaign_result ep_sum;
	struct document	 ep_document;
	uint64_t	 ep_before;	/* schedules of completed campaigns */
	uint64_t	 ep_total;
};

FAMILY(explore_locks, virtual_lock_class_count,
    virtual_lock_classes[i]->lc_name, .fam_title = "lock");

static void
progress(void *context, uint64_t done)
{
	struct exploration *ep = context;
	const struct subject *tb = &ep->ep_campaign.cn_subject;

	progress_update(MIN(ep->ep_before + done, ep->ep_total),
	    FORMATF("%s, %s, %s", tb->tb_design->de_ident,
	    tb->tb_lock->lc_name, tb->tb_cipher->ci_name));
}

/* What all campaigns share.  Returns: 0, or EXIT_USAGE after a message. */
static int
make_campaign(struct campaign *cn, const struct options *op)
{
	const char *text = op->op_exhaustive ? strategy_dpor.sy_name :
	    op->op_strategy;
	const struct option_list *designs = &op->op_designs;
	char range[DESIGN_RANGE_SIZE], why[WHY_SIZE];
	struct kern_setting set;
	unsigned d;

	*cn = (struct campaign){ .cn_seed = op->op_seed, .cn_jobs = op->op_jobs,
	    .cn_first = op->op_only, .cn_end = GIVEN(op, ONLY) ? op->op_only +
	    1 : op->op_schedules,
	    /* Of how many is not known before the end. */
	    .cn_progress = op->op_exhaustive ? NULL : progress };
	subject_default(&cn->cn_subject);
	cn->cn_subject.tb_stop = &stop_signal;
	cn->cn_subject.tb_memory = op->op_memory;
	if (op->op_faults.fl_count > 0)
		cn->cn_subject.tb_faults = &op->op_faults;
	for (unsigned i = 0; i < op->op_tunable_count; i++) {
		design_setting(&set, op->op_tunables[i]);
		/* The first chosen design that has it, or just the first. */
		for (d = 0; d < designs->ol_count && design_check(design_at(
		    designs->ol_value[d]), HARVEST_MODEL_newest, &set,
		    range) == ENOENT;)
			d++;
		cn->cn_subject.tb_design = design_at(
		    designs->ol_value[d < designs->ol_count ? d : 0]);
		if (counterexample_set_tunable(&cn->cn_subject,
		    op->op_tunables[i], why, sizeof(why)) != 0)
			return (usage_error("-S: %s", why));
	}
	if (text == NULL)
		return (0);
	cn->cn_strategy = strategy_parse(text, &cn->cn_parameter);
	if (cn->cn_strategy != NULL)
		return (0);
	return (usage_error("--strategy: \"%s\": expected %s", text,
	    strategy_accepted().s));
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
	tb->tb_lock = virtual_lock_classes[op->op_locks.ol_value[row /
	    of_ciphers % of_locks]];
	tb->tb_design = design_at(op->op_designs.ol_value[row / of_ciphers /
	    of_locks]);
	campaign_limits(cn);
	if (GIVEN(op, EACH_READS) || GIVEN(op, RESEEDS) ||
	    op->op_clone != CLONE_NONE) {
		sm->lim_all = true;
		sm->lim_readers_most = sm->lim_readers_least;
	}
	if (GIVEN(op, EXPLORE_READERS)) {
		sm->lim_readers_least = (unsigned)op->op_readers.ol_value[0];
		sm->lim_readers_most = sm->lim_readers_least - 1 +
		    op->op_readers.ol_count;
	}
	sm->lim_clone = (enum clone_mode)op->op_clone;
	sm->lim_reads = op->op_reads;
	sm->lim_reseeds = op->op_reseeds;
	sm->lim_sizes = op->op_sizes.ol_count;
	sm->lim_size = op->op_sizes.ol_value;
}

/* Prints how to replay the file, unless it is NULL, and how to find it anew. */
static void
print_again(const struct options *op, const struct counterexample *cx,
    const char *path)
{
	const struct subject *tb = &cx->cx_subject;

	putchar('\n');
	if (path != NULL) {
		fputs("Again:    rngsim explore --replay ", stdout);
		format_word(stdout, path);
		printf(GIVEN(op, ALLOW) ? " --allow %s\n" : "\n",
		    op->op_text[OPTION_ALLOW]);
	}
	printf("Unshrunk: rngsim explore -d %s -l %s -c %s%s",
	    ksource_words(tb->tb_design->de_ident), tb->tb_lock->lc_name,
	    tb->tb_cipher->ci_name, op->op_exhaustive ? " --exhaustive" : "");
	for (unsigned i = 0; i < nitems(kept); i++)
		if (op->op_text[kept[i]] != NULL)
			printf(" --%s %s", option_defs[kept[i]].od_name,
			    op->op_text[kept[i]]);
	for (unsigned i = 0; i < cx->cx_settings; i++) {
		printf(" \\\n    %s ", cx->cx_setting[i].gv_failpoint ?
		    "--failpoint" : "-S");
		format_word(stdout, cx->cx_setting[i].gv_text);
	}
	printf(" \\\n    --seed %" PRIu64 " --only %" PRIu64 "\n", cx->cx_seed,
	    cx->cx_number);
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
report_failure(struct exploration *ep, struct campaign_result *ce)
{
	const struct options *op = ep->ep_op;
	struct counterexample *cx = &ce->cgr_case;
	const unsigned turns = schedule_turns(&cx->cx_schedule.sd_choices);
	struct execution *ex = execution_new();
	char name[NAME_SIZE], *text;
	const char *path = schedule_path(op, cx->cx_seed, name);
	struct replay ry;
	int error;

	/* The settings that the command line has made. */
	for (unsigned i = 0; i < op->op_tunable_count; i++)
		counterexample_add(cx, false, "%s", op->op_tunables[i]);
	for (unsigned i = 0; i < FAILPOINTS; i++)
		if (op->op_faults.fl_text[i] != NULL)
			counterexample_add(cx, true, "%s=%s",
			    failpoint_defs[i].fd_name,
			    op->op_faults.fl_text[i]);
	if ((error = shrink(ex, cx, SHRINK_RUNS)) == 0)
		error = counterexample_run(ex, cx, true, &ry);
	if (error == 0 && !ry.ry_same)
		error = EPROTO;
	if (error == 0)
		find_lost(ex, cx, &ry);
	execution_free(ex);
	if (error != 0)
		ry = (struct replay){ .ry_outcome = ce->cgr_outcome };
	explore_print_failure(stdout, &(struct explore_page){ .eg_case = cx,
	    .eg_replay = &ry, .eg_turns = error == 0 ? turns : 0 });
	if (error == EPROTO)
		(void)run_error("the same schedule gave another result when it "
		    "was run again: the run is not deterministic");
	else if (error != 0)
		(void)run_error("cannot make it smaller: %s", strerror(error));
	document_failure(&ep->ep_document, cx, &ry.ry_outcome);
	text = counterexample_text(cx);
	print_again(op, cx, command_open(path, NULL) == 0 &&
	    command_commit(path, text, strlen(text)) == 0 ? path : NULL);
	free(text);
	/* Only stdout has the failure: a full disk must not hide it. */
	errno = 0;
	(void)command_flush();
}

/* Runs the current row; EALREADY: something failed and was reported. */
static int
run_row(struct exploration *ep)
{
	const struct campaign *cn = &ep->ep_campaign;
	struct document *doc = &ep->ep_document;
	struct campaign_result ce;
	int error = campaign_run(cn, &ce);

	if (error == 0 || error == EINTR) {
		/* A line that is drawn over would stay below the row. */
		if (progress_line.prg_out != NULL)
			fputs("\r\033[K", progress_line.prg_out);
		explore_print_row(stdout, &ce);
		fflush(stdout);
		*ARRAY_ADD(doc->rows, doc->row_count) = ce.cgr_row;
		campaign_add(&ep->ep_sum, &ce);
		ep->ep_before += cn->cn_end - cn->cn_first;
	}
	if (error == 0 && ce.cgr_failed) {
		progress_fini();
		report_failure(ep, &ce);
		error = EALREADY;
	}
	counterexample_free(&ce.cgr_case);
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
	printf("seed %" PRIu64 "\n\n%-10s %-12s %-8s %11s %7s %7s %7s\n",
	    op->op_seed, "design", "lock", "cipher", "schedules", "per s",
	    "steps", "most");
	fflush(stdout);
	progress_init(ep->ep_total, 0);
	for (i = 0; error == 0 && i < rows; i++) {
		set_row(cn, op, i);
		error = run_row(ep);
	}
	progress_fini();
	if (error == 0)
		explore_print_sum(stdout, cn, &ep->ep_sum, rows);
	ep->ep_document.head.complete = error == 0 || error == EALREADY;
	return (error == 0 ? EXIT_SUCCESS : error == EALREADY ? EXIT_FAILURE :
	    error == EINTR ? run_error("interrupted: %u of %u rows, the last "
	    "in part; nothing had failed", i, rows) : run_error("%s",
	    error == EPROTO ? "the same choices made another run: nothing was "
	    "shown" : error == EFBIG ? "too long a schedule: expected fewer "
	    "readers, or shorter reads" : strerror(error)));
}

static int
replay(const struct options *op)
{
	const char *path = op->op_replay;
	char message[LINES_ERROR_SIZE];
	struct counterexample cx;
	struct execution *ex;
	struct replay ry;
	const struct explore_page page = { path, &cx, &ry, 0 };
	int status = EXIT_FAILURE;
	int error = counterexample_load(&cx, path, message);

	if (error == 0) {
		ex = execution_new();
		execution_catch_assertions(true);
		error = counterexample_run(ex, &cx, true, &ry);
		if (error == 0 && ry.ry_same)
			find_lost(ex, &cx, &ry);
		execution_free(ex);
		snprintf(message, sizeof(message), "%s: %s", path,
		    strerror(error));
	}
	if (error != 0)
		(void)run_error("%s", message);
	else if (ry.ry_outcome.to_word == NULL) {
		printf("Does not fail: \"%s\" was recorded.%s\n", cx.cx_word,
		    ry.ry_exact ? "" : "\nThe schedule could not be followed "
		    "to its end.\nThat excludes nothing: search again.");
		status = op->op_html == NULL ? EXIT_SUCCESS :
		    run_error("%s: not written: nothing failed", op->op_html);
	} else {
		explore_print_failure(stdout, &page);
		printf("\n%s\n", ry.ry_same ? "As recorded." :
		    "Fails, but not as recorded.");
		if (op->op_html != NULL)
			(void)command_write(op->op_html, explore_page, &page);
	}
	counterexample_free(&cx);
	return (status);
}

/* For "all": every member but those that promise nothing. */
static void
take_all(struct options *op)
{
	const bool designs = op->op_designs.ol_count == 0;
	const bool locks = op->op_locks.ol_count == 0;
	const bool all_ciphers = op->op_ciphers.ol_count == 0;

	for (unsigned i = 0; designs && design_at(i) != NULL; i++)
		if ((design_at(i)->de_flags & DE_NULL) == 0)
			option_list_add(&op->op_designs, "-d", "", i);
	for (unsigned i = 0; locks && i < virtual_lock_class_count; i++)
		if ((virtual_lock_classes[i]->lc_flags & LC_EXCLUDES) != 0)
			option_list_add(&op->op_locks, "-l", "", i);
	for (unsigned i = 0; all_ciphers && i < cipher_count; i++)
		option_list_add(&op->op_ciphers, "-c", "", i);
}

static int
check(struct options *op)
{
	const char *readers = op->op_text[OPTION_EXPLORE_READERS];
	struct campaign cn;
	uint64_t most;
	int error;

	if (op->op_output != NULL && holds_text(op->op_output))
		return (usage_error("-o: \"%s\" is there already: expected a "
		    "new file", op->op_output));
	if (op->op_replay != NULL &&
	    op->op_given > 1u + GIVEN(op, HTML) + GIVEN(op, ALLOW))
		return (usage_error("--replay: the file names all there is to "
		    "run: expected no other option but --allow and --html"));
	if (GIVEN(op, HTML) && op->op_replay == NULL)
		return (usage_error("--html: expected --replay with it; a "
		    "failure leaves a file for that"));
	if (readers != NULL && strchr(readers, ',') != NULL)
		return (usage_error("-r: \"%s\": expected 1..%d, or a range "
		    "such as 2-4", readers, SCENARIO_READERS_MAX));
	/* Reads before and after several reseeds. */
	if (op->op_clone != CLONE_NONE && !GIVEN(op, EACH_READS))
		op->op_reads = SCENARIO_READS_MAX;
	if (op->op_clone != CLONE_NONE && !GIVEN(op, RESEEDS))
		op->op_reseeds = SCENARIO_BURSTS_MAX;
	if (op->op_exhaustive && !GIVEN(op, SCHEDULES))
		op->op_schedules = UINT64_C(1000000000000);
	for (unsigned i = 0; op->op_exhaustive && !GIVEN(op, EXPLORE_LOCK) &&
	    i < virtual_lock_class_count; i++)
		if (strcmp(virtual_lock_classes[i]->lc_name,
		    EXECUTION_ALL_LOCK) == 0)
			op->op_locks.ol_value[0] = i;
	if (op->op_exhaustive && !options_tunable_seen(op, SPIN_POLLS) &&
	    (error = option_tunable(op, "--exhaustive", SPIN_POLLS "=0")) != 0)
		return (error);
	take_all(op);
	if ((error = make_campaign(&cn, op)) != 0)
		return (error);
	if (op->op_clone != CLONE_NONE && (campaign_is_whole(&cn) ||
	    GIVEN(op, EXPLORE_SIZE) || op->op_reads == 0))
		return (usage_error("--clone: expected no -s, no --reads 0, "
		    "no --exhaustive, no strategy dpor"));
	if (op->op_reads == 0 && (readers != NULL || GIVEN(op, EXPLORE_SIZE)))
		return (usage_error("--reads 0: expected no -r, no -s"));
	most = op->op_part_of > 0 || op->op_plan != NULL ?
	    campaign_parts(&cn) : UINT64_MAX;
	if (op->op_parts == 0)
		op->op_parts = most < PARTS ? (unsigned)most : PARTS;
	if (op->op_parts > most || op->op_part_of > most)
		return (usage_error("%s: expected at most %" PRIu64 " job%s "
		    "of these schedules", op->op_plan != NULL ? "--parts" :
		    "--part", most, PLURAL(most)));
	return (0);
}

static int
run(struct options *op)
{
	struct exploration ep = { .ep_op = op };
	int status;

	if (op->op_replay != NULL) {
		status = command_open(op->op_html, NULL);
		return (status == 0 ? replay(op) : status);
	}
	if (op->op_jobs == 0)
		op->op_jobs = MIN(cpu_count(), CAMPAIGN_JOBS_MAX);
	if (op->op_plan != NULL)
		return (plan_write(op, op->op_parts));
	if (document_again(op, command_argv, &status))
		return (status);
	status = make_campaign(&ep.ep_campaign, op);
	if (status == 0 && op->op_part_of > 0)
		campaign_split(&ep.ep_campaign, op->op_part, op->op_part_of);
	if (status == 0)
		status = command_open(op->op_json, NULL);
	if (status != 0)
		return (status);
	document_begin(&ep.ep_document, op->op_seed);
	status = run_rows(&ep);
	return (document_end(&ep.ep_document, command_argv, op->op_json) == 0 ?
	    status : EXIT_FAILURE);
}

const struct command cmd_explore = { check, run,
    NEEDS_STOP | NEEDS_SEED | NEEDS_CRYPTO };
