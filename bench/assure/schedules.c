/* Schedules that time would not give, plain and with fail points set. */
#include "bench/assure/evidence.h"
#include "bench/cli/stop.h"
#include "bench/explore/campaign.h"

enum {
	/* Schedules between two looks at the clock. */
	SCHEDULES_STEP	= 4000,
	WEAK_ONE_IN	= 5,	/* of the schedules */
	FAULTS_STEP	= 400,
	/* In one memory no more, in a second of the row's time; or in all. */
	EXECUTIONS_EACH_S	= 5000,
	EXECUTIONS_IN_ALL	= 10 * 1000
};

/* A lock that blocks and one that is fair. */
static const char *const locks[] = { "mtx", "ticket" };

/* Of a fail point.  Any value but 0 changes a decision; ms move the clock. */
static const char *const specs[] = { "50%return(250)", "3*return(-250)",
	"30%yield", "10%sleep(1)", "2*pause" };

enum { LOCKS = nitems(locks), SPECS = nitems(specs) };

/* The campaigns of a row. */
struct explored {
	const struct assure_params *ed_params;
	struct campaign	 ed_campaign;	/* the next one */
	struct campaign_result ed_sum;
	uint64_t	 ed_weak;	/* schedules with weak memory */
	uint64_t	 ed_least;	/* others, of a lock and a cipher */
};

static void
describe_failure(const struct assure_params *ap,
    const struct campaign_result *ce, struct evidence_row *row)
{
	const struct counterexample *cx = &ce->cgr_case;
	const struct subject *tb = &cx->cx_subject;
	const struct outcome *to = &ce->cgr_outcome;

	row->er_state = EVIDENCE_FAILS;
	row->er_text[0] = '\0';
	row_says(row, "%s: broken rule: %s: %s. Lock %s, %s, schedule %" PRIu64
	    ". ", to->to_word, to->to_sentence, to->to_detail,
	    tb->tb_lock->lc_name, tb->tb_cipher->ci_name, cx->cx_number);
	evidence_say(row->er_replay, "rngsim explore -d %s -l %s -c %s --seed "
	    "%" PRIu64, ap->ap_spec, tb->tb_lock->lc_name,
	    tb->tb_cipher->ci_name, cx->cx_seed);
	if (strcmp(cx->cx_strategy, strategy_dpor.sy_name) == 0)
		evidence_say(row->er_replay, " --exhaustive%s",
		    cx->cx_scenario.sn_queue ? " --reads 0" : "");
	else
		evidence_say(row->er_replay, " --only %" PRIu64, cx->cx_number);
	if (tb->tb_memory != VM_SC)
		evidence_say(row->er_replay, " --memory %s",
		    vm_memory_names[tb->tb_memory]);
	row_lines(row);
	/* The first is every subject's. */
	for (unsigned i = 1; i < tb->tb_settings; i++)
		evidence_say(row->er_replay, " -S %s=%" PRId64,
		    tb->tb_setting[i].kv_name, tb->tb_setting[i].kv_value);
	for (unsigned i = 0; tb->tb_faults != NULL && i < FAILPOINTS; i++)
		if (tb->tb_faults->fl_text[i] != NULL) {
			row_says(row, "Fail point %s. ",
			    failpoint_defs[i].fd_name);
			evidence_say(row->er_replay, " --failpoint '%s=%s'",
			    failpoint_defs[i].fd_name,
			    tb->tb_faults->fl_text[i]);
		}
}

static void
begin(struct explored *ed, const struct assure_params *ap)
{
	struct campaign *cn = &ed->ed_campaign;

	*ed = (struct explored){ .ed_params = ap, .ed_least = UINT64_MAX };
	subject_default(&cn->cn_subject);
	cn->cn_subject.tb_design = ap->ap_design;
	cn->cn_subject.tb_stop = &stop_signal;
	cn->cn_seed = ap->ap_seed;
	cn->cn_jobs = ap->ap_jobs;
}

/*
 * Runs a campaign, a step and then more until time is over.  A seed's
 * schedules do not depend on time, so what the first step finds is always
 * found.  Returns: whether nothing failed.
 */
static bool
explore(struct explored *ed, unsigned step, double time_s,
    struct evidence_row *row)
{
	int64_t until_ns = tick_ns() + (int64_t)(time_s * (double)NS_PER_S);
	struct campaign *cn = &ed->ed_campaign;
	struct campaign_result ce;
	int error;

	campaign_limits(cn);
	cn->cn_end = 0;
	do {
		cn->cn_first = cn->cn_end;
		cn->cn_end += step;
		error = campaign_run(cn, &ce);
		campaign_add(&ed->ed_sum, &ce);
		if (cn->cn_subject.tb_memory == VM_WEAK)
			ed->ed_weak += ce.cgr_row.schedules;
		if (error == 0 && ce.cgr_failed)
			describe_failure(ed->ed_params, &ce, row);
		counterexample_free(&ce.cgr_case);
	} while (error == 0 && !ce.cgr_failed && tick_ns() < until_ns);
	if (error != 0)
		row_missing(row, "%s. ", strerror(error));
	return (error == 0 && !ce.cgr_failed);
}

/* The same, then a smaller part with weak memory. */
static bool
explore_memories(struct explored *ed, double time_s, struct evidence_row *row)
{
	unsigned *memory = &ed->ed_campaign.cn_subject.tb_memory;
	const double weak_s = time_s / WEAK_ONE_IN;
	bool right;

	*memory = VM_SC;
	right = explore(ed, SCHEDULES_STEP, time_s - weak_s, row);
	ed->ed_least = MIN(ed->ed_least, ed->ed_campaign.cn_end);
	*memory = VM_WEAK;
	return (right && explore(ed, SCHEDULES_STEP / (WEAK_ONE_IN - 1),
	    weak_s, row));
}

void
schedules_gather(const struct assure_params *ap, struct evidence_row *row)
{
	const unsigned n = design_info(ap->ap_design).di_ciphers;
	const bool modes = design_has_modes(ap->ap_design);
	const unsigned rounds = LOCKS * n * (modes ? 2 : 1);
	struct explored ed;
	struct campaign_result *sum = &ed.ed_sum;
	struct subject *tb = &ed.ed_campaign.cn_subject;

	begin(&ed, ap);
	tb->tb_settings += modes;
	for (unsigned i = 0; i < rounds; i++) {
		tb->tb_lock = virtual_lock_class_find(locks[i / n % LOCKS]);
		tb->tb_cipher = ciphers[i % n];
		if (modes)
			tb->tb_setting[tb->tb_settings - 1] =
			    (struct kern_setting){ DESIGN_MODE,
			    i < rounds / 2 };
		if (!explore_memories(&ed, ap->ap_budget_s / rounds, row))
			return;
	}
	row_says(row, "%s thousand, %s thousand of them with weak memory: "
	    "%" PRIu64 " reads, %" PRIu64 " reseeds, %" PRIu64 " blocks; all "
	    "under the ledger, none fails. At 95 %%, a fault shows in at most "
	    "%s of a thousand scenarios of each lock and cipher.",
	    FORMAT(count, (double)sum->cgr_row.schedules / 1000),
	    FORMAT(count, (double)ed.ed_weak / 1000),
	    sum->cgr_row.reads, sum->cgr_row.reseeds, sum->cgr_row.blocks,
	    FORMAT(real, 3e3 * CAMPAIGN_BLOCK / (double)ed.ed_least));
	evidence_say(row->er_bounds, "%u to %u readers and the harvest thread, "
	    "reads of 0 to 8 KiB and some of AES to 2 MiB, %s and %s, %s, "
	    "drawn strategies%s.", ed.ed_campaign.cn_limits.lim_readers_least,
	    ed.ed_campaign.cn_limits.lim_readers_most, locks[0], locks[1],
	    EVIDENCE_CIPHERS(n), modes ? ", " DESIGN_MODE " 1 and 0" : "");
	for (unsigned i = 0; i <= modes; i++)
		evidence_say(row->er_replay, "%srngsim explore -d %s -l %s,%s "
		    "-c aes%s --seed %" PRIu64 "%s", i > 0 ? "\n" : "",
		    ap->ap_spec, locks[0], locks[1], n == 1 ? "" :
		    ",chacha20", ap->ap_seed, !modes ? "" :
		    FORMATF(" -S " DESIGN_MODE "=%u", 1 - i));
}

/* Of a campaign's scenario, in each memory. */
static void
exhaust_memories(struct explored *ed, const char *what,
    struct evidence_row *row)
{
	struct campaign *cn = &ed->ed_campaign;
	struct campaign_result ce;
	int error = 0;

	for (unsigned m = VM_SC; m < VM_MEMORIES; m++) {
		cn->cn_subject.tb_memory = m;
		error = campaign_run(cn, &ce);
		if (error == 0 && ce.cgr_failed)
			describe_failure(ed->ed_params, &ce, row);
		counterexample_free(&ce.cgr_case);
		if (error != 0 || ce.cgr_failed)
			break;
		row_says(row, "%s%s: %s%" PRIu64 " executions%s", m == VM_SC ?
		    what : "; ", vm_memory_names[m], ce.cgr_exhausted > 0 ?
		    "all " : "", ce.cgr_row.schedules - ce.cgr_redundant,
		    ce.cgr_exhausted > 0 ? "" : FORMATF(", not all: at least "
		    "%" PRIu64 " ways more", ce.cgr_open));
	}
	if (error != 0)
		row_missing(row, "%s. ", error == EPROTO ? "Memory has other "
		    "addresses in each run, so these differ" : strerror(error));
}

static void
exhaust(const struct assure_params *ap, const struct lock_class *lc,
    struct evidence_row *row)
{
	struct explored ed;
	struct campaign *cn = &ed.ed_campaign;
	struct subject *tb = &cn->cn_subject;
	const bool queued = design_info(ap->ap_design).di_queued;
	struct text bound;

	begin(&ed, ap);
	cn->cn_strategy = &strategy_dpor;
	cn->cn_end = (uint64_t)lround(fmax(EXECUTIONS_IN_ALL,
	    EXECUTIONS_EACH_S * ap->ap_budget_s));
	tb->tb_lock = lc;
	tb->tb_lock_config.spin_polls = 0;
	tb->tb_cipher = ciphers[design_info(tb->tb_design).di_ciphers - 1];
	campaign_limits(cn);
	bound = campaign_bound(cn);
	exhaust_memories(&ed, "", row);
	if (queued && row->er_state == EVIDENCE_HOLDS) {
		cn->cn_limits.lim_reads = 0;
		text_add(&bound, "; %s", campaign_bound(cn).s);
		exhaust_memories(&ed, ". The queue alone: ", row);
	}
	if (row->er_state != EVIDENCE_HOLDS)
		return;
	row_says(row, ". None fails.");
	evidence_say(row->er_bounds, "%s; %s, %s, lock %s%s.", bound.s,
	    tb->tb_design->de_ident, tb->tb_cipher->ci_name, lc->lc_name,
	    !design_has_modes(tb->tb_design) ? "" : ", one value of "
	    DESIGN_MODE);
	evidence_say(row->er_replay, "rngsim explore -d %s -l %s --exhaustive "
	    "--memory weak", ap->ap_spec, lc->lc_name);
}

void
exhaustive_gather(const struct assure_params *ap, struct evidence_row *row)
{
	exhaust(ap, virtual_lock_class_find(EXECUTION_ALL_LOCK), row);
}

/* Design none takes no steps but the lock's. */
void
executions_gather(const struct assure_params *ap, struct evidence_row *row)
{
	struct assure_params bare = *ap;

	bare.ap_design = design_find(bare.ap_spec = "none");
	if (ap->ap_simulated_lock != NULL)
		exhaust(&bare, ap->ap_simulated_lock, row);
	else
		row_none(row, "This kind has no simulated flavour. ");
}

/* All specifications of one point; whether to go on. */
static bool
try_point(struct explored *ed, unsigned point, double time_s,
    struct evidence_row *row)
{
	struct subject *tb = &ed->ed_campaign.cn_subject;
	char error[FAILPOINTS_ERROR_SIZE];
	bool right = true;

	for (unsigned i = 0; right && i < SPECS; i++) {
		struct failpoint_list fl = { .fl_count = 0 };

		right = failpoints_parse(&fl, FORMATF("%s=%s",
		    failpoint_defs[point].fd_name, specs[i]), error) == 0;
		KASSERT(right, ("%s", error));
		tb->tb_faults = &fl;
		tb->tb_lock = virtual_lock_class_find(locks[i % LOCKS]);
		tb->tb_cipher = ciphers[(point + i) %
		    design_info(tb->tb_design).di_ciphers];
		right = right && explore(ed, FAULTS_STEP, time_s, row);
	}
	tb->tb_faults = NULL;
	return (right);
}

void
faults_gather(const struct assure_params *ap, struct evidence_row *row)
{
	const double time_s = ap->ap_budget_s / (FAILPOINTS * SPECS);
	const struct design_info di = design_info(ap->ap_design);
	/* FreeBSD's files have these, the design's have not. */
	const uint32_t lacks = ~di.di_points &
	    design_info(design_find("concurrent")).di_points;
	struct text absent = { .s = "" }, missed = { .s = "" };
	struct explored ed;
	const struct campaign_result *sum = &ed.ed_sum;
	uint64_t executed = 0;
	unsigned asked = 0, hit = 0;

	begin(&ed, ap);
	for (unsigned i = 0; i < FAILPOINTS; i++) {
		if ((lacks >> i & 1) != 0) {
			text_list(&absent, "%s", failpoint_defs[i].fd_name);
			continue;
		}
		asked++;
		if (!try_point(&ed, i, time_s, row))
			return;
		/* Only this campaign has set it. */
		executed += sum->cgr_executed[i];
		hit += sum->cgr_executed[i] > 0;
		if (sum->cgr_executed[i] > 0)
			continue;
		/* Fortuna has its own, those of -l only with such a lock. */
		text_list(sum->cgr_evaluated[i] == 0 && (!di.di_probed ||
		    (di.di_points >> i & 1) == 0) && i < FAILPOINT_QUEUE ?
		    &absent : &missed, "%s", failpoint_defs[i].fd_name);
	}
	row_says(row, "%u of %u declared points hit, %s thousand "
	    "times in %s thousand schedules: %" PRIu64 " reads, all served, %"
	    PRIu64 " reseeds; all under the ledger, none fails.", hit,
	    asked, FORMAT(real, (double)executed / 1000),
	    FORMAT(count, (double)sum->cgr_row.schedules / 1000),
	    sum->cgr_row.reads, sum->cgr_row.reseeds);
	if (absent.s[0] != '\0')
		row_says(row, " Not in this design: %s.", absent.s);
	if (missed.s[0] != '\0')
		row_fails(row, " Never hit: %s.", missed.s);
	evidence_say(row->er_bounds, "%u to %u readers, each point with",
	    ed.ed_campaign.cn_limits.lim_readers_least,
	    ed.ed_campaign.cn_limits.lim_readers_most);
	for (unsigned i = 0; i < SPECS; i++)
		evidence_say(row->er_bounds, "%s %s", i == 0 ? "" : ",",
		    specs[i]);
	evidence_say(row->er_bounds, ".");
	evidence_say(row->er_replay, "rngsim explore -d %s --failpoint "
	    "'%s=%s' --seed %" PRIu64, ap->ap_spec,
	    failpoint_defs[0].fd_name, specs[0], ap->ap_seed);
}

void
lock_explore(const struct assure_params *ap, const struct strategy_class *sy,
    struct evidence_row *row)
{
	struct explored ed;

	if (ap->ap_simulated_lock == NULL) {
		evidence_say(row->er_unshown, "many orders of threads: this "
		    "kind has no simulated flavour.");
		return;
	}
	begin(&ed, ap);
	ed.ed_campaign.cn_strategy = sy;
	ed.ed_campaign.cn_subject.tb_lock = ap->ap_simulated_lock;
	ed.ed_campaign.cn_subject.tb_cipher = ciphers[cipher_count - 1];
	if (explore_memories(&ed, ap->ap_budget_s, row))
		row_says(row, "%s thousand schedules of %s under design %s, %s "
		    "thousand of them with weak memory: none fails. ",
		    FORMAT(count, (double)ed.ed_sum.cgr_row.schedules / 1000),
		    sy == NULL ? "drawn strategies" : FORMATF("strategy %s",
		    sy->sy_name), ed.ed_campaign.cn_subject.tb_design->de_ident,
		    FORMAT(count, (double)ed.ed_weak / 1000));
}
