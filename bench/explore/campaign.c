#include "bench/explore/campaign.h"
#include "bench/sweep/pool.h"

/* Schedules that are a task of the pool, and their part of the result. */
struct block {
	struct execution *bk_execution;	/* for all blocks of the slot */
	struct campaign_result bk_result;
	int		 bk_error;
};

#define	COLUMN(member, kind, how, optional)				\
	{ .f_key = #member, .f_kind = FIELD_##kind,			\
	    .f_how = FIELD_HOW_##how, .f_optional = optional,		\
	    .f_offset = offsetof(struct campaign_row, member) }
#define	ROW(member, kind, how)	COLUMN(member, kind, how, false)

const struct field campaign_row_fields[] = {
	ROW(design, NAME, 0), ROW(lock, NAME, 0), ROW(cipher, NAME, 0),
	ROW(schedules, SEED, SUM), ROW(steps, SEED, SUM),
	ROW(steps_most, SEED, MAX), ROW(reads, SEED, SUM),
	ROW(reseeds, SEED, SUM), ROW(blocks, SEED, SUM),
	COLUMN(copied_bytes, SEED, SUM, true),
	COLUMN(again_bytes, SEED, SUM, true),
	COLUMN(late_bytes, SEED, SUM, true),
	ROW(cpu_s, REAL, SUM),
	{ .f_key = NULL }
};

struct crew {
	const struct campaign *cy_campaign;
	uint64_t	 cy_block_size;
	uint64_t	 cy_first;	/* block */
	_Atomic uint64_t cy_done;	/* schedules */
	struct block	*cy_block;	/* by slot */
	struct campaign_result *cy_result;
};

enum salt { SALT_SCENARIO = 1, SALT_SCHEDULE = 2, SALT_DRAWS = 3 };

/* A seed for each purpose; those of adjacent numbers are unrelated. */
static uint64_t
seed_of(const struct campaign *cn, uint64_t number, enum salt salt)
{
	uint64_t state = cn->cn_seed ^ salt * UINT64_C(0xd1342543de82ef95);

	state = splitmix_next(&state) + number;
	return (splitmix_next(&state));
}

bool
campaign_is_whole(const struct campaign *cn)
{
	return (cn->cn_strategy != NULL && cn->cn_strategy->sy_all);
}

void
campaign_limits(struct campaign *cn)
{
	const struct subject *tb = &cn->cn_subject;

	cn->cn_limits = (struct scenario_limits){ .lim_readers_least = 2,
	    .lim_readers_most = campaign_is_whole(cn) ? 2 : 4,
	    .lim_all = campaign_is_whole(cn), .lim_reads = 1, .lim_reseeds = 1,
	    .lim_events = (tb->tb_design->de_flags & DE_NULL) != 0 ? 2 :
	    SCENARIO_RESEED_EVENTS,
	    .lim_block_bytes = tb->tb_cipher->ci_block_bytes,
	    .lim_whole_blocks = tb->tb_cipher->ci_whole_blocks,
	    .lim_timer = !design_info(tb->tb_design).di_probed,
	    .lim_sources = tb->tb_faults == NULL &&
	    (ledger_allowed >> LEDGER_SOURCES & 1) == 0,
	    .lim_own_queue = design_info(tb->tb_design).di_queued };
	for (unsigned i = FAILPOINT_QUEUE; tb->tb_faults != NULL &&
	    i < FAILPOINTS; i++)
		cn->cn_limits.lim_queue |= tb->tb_faults->fl_text[i] != NULL;
}

struct text
campaign_bound(const struct campaign *cn)
{
	struct scenario sn;
	struct text t = { .s = "" };

	scenario_draw(&sn, &cn->cn_limits, seed_of(cn, 0, SALT_SCENARIO));
	if (sn.sn_queue) {
		text_add(&t, "2 producers with %u events each and a pass of "
		    "the harvest thread beside them", sn.sn_bursts *
		    SCENARIO_QUEUE_EVENTS);
		return (t);
	}
	text_add(&t, "%u reader%s with %u read%s each, of ", sn.sn_readers,
	    PLURAL(sn.sn_readers), sn.sn_reads[0], PLURAL(sn.sn_reads[0]));
	if (cn->cn_limits.lim_sizes > 1)
		text_add(&t, "a drawn size");
	else
		text_add(&t, "%u bytes", sn.sn_read[0][0].stp_amount);
	if ((cn->cn_subject.tb_design->de_flags & DE_NULL) != 0)
		text_add(&t, ", and %u events", sn.sn_bursts *
		    cn->cn_limits.lim_events);
	else
		text_add(&t, ", and events for %u reseed%s", sn.sn_bursts,
		    PLURAL(sn.sn_bursts));
	return (t);
}

void
campaign_add(struct campaign_result *sum, const struct campaign_result *ce)
{
	field_merge(campaign_row_fields, &sum->cgr_row, &ce->cgr_row);
	sum->cgr_ahead += ce->cgr_ahead;
	sum->cgr_exhausted += ce->cgr_exhausted;
	sum->cgr_redundant += ce->cgr_redundant;
	sum->cgr_open += ce->cgr_open;
	for (unsigned i = 0; i < FAILPOINTS; i++) {
		sum->cgr_evaluated[i] += ce->cgr_evaluated[i];
		sum->cgr_executed[i] += ce->cgr_executed[i];
	}
}

/* Runs a schedule, which has begun, and keeps its failure. */
static int
run_schedule(struct block *bk, const struct campaign *cn,
    const struct scenario *sn, struct strategy *sg, uint64_t number)
{
	const struct subject *tb = &cn->cn_subject;
	const struct vm_control vh = { .vh_choose = strategy_choose,
	    .vh_running = sg->sg_class->sy_running, .vh_context = sg,
	    .vh_polls = sg->sg_class->sy_polls,
	    .vh_access = sg->sg_class->sy_access };
	const uint64_t draws = seed_of(cn, campaign_is_whole(cn) ? 0 : number,
	    SALT_DRAWS);
	struct campaign_result *ce = &bk->bk_result;
	struct outcome *to = &ce->cgr_outcome;
	const int error = execution_run(bk->bk_execution, tb, sn, &vh, draws,
	    NULL, to);

	if (error != 0)
		return (error);
	if (number < cn->cn_first && to->to_word == NULL)
		ce->cgr_ahead++;
	else {
		field_merge(campaign_row_fields, &ce->cgr_row,
		    &(struct campaign_row){ .schedules = 1,
		    .steps = to->to_steps, .steps_most = to->to_steps,
		    .reads = to->to_reads, .reseeds = to->to_reseeds,
		    .blocks = to->to_blocks, .copied_bytes = to->to_copied,
		    .again_bytes = to->to_again, .late_bytes = to->to_late });
		for (unsigned i = 0; i < FAILPOINTS && tb->tb_faults != NULL;
		    i++) {
			ce->cgr_evaluated[i] += to->to_faults.fo_evaluated[i];
			ce->cgr_executed[i] += to->to_faults.fo_executed[i];
		}
	}
	if (to->to_word != NULL) {
		ce->cgr_failed = true;
		ce->cgr_case = (struct counterexample){ .cx_subject = *tb,
		    .cx_seed = cn->cn_seed, .cx_number = number,
		    .cx_draws = draws, .cx_scenario = *sn,
		    .cx_hash = to->to_hash };
		strategy_name(ce->cgr_case.cx_strategy, sg);
		strcpy(ce->cgr_case.cx_word, to->to_word);
		schedule_copy(&ce->cgr_case.cx_schedule, to->to_made);
		to->to_made = NULL;
	}
	return (tb->tb_stop != NULL &&
	    __atomic_load_n(tb->tb_stop, __ATOMIC_RELAXED) ? EINTR : 0);
}

/* jemalloc's; other allocators and sanitizers have none. */
int mallctl(const char *name, void *old, size_t *old_bytes, void *new,
    size_t new_bytes) __attribute__((weak));

/*
 * From now on the same allocations of the caller's thread have the same
 * addresses in each run, whatever other threads do.
 */
static void
allocate_alike(void)
{
	size_t bytes = sizeof(unsigned);
	ssize_t decay_ms = -1;
	bool cached = false;
	unsigned arena;

	if (mallctl != NULL &&
	    mallctl("arenas.create", &arena, &bytes, NULL, 0) == 0) {
		(void)mallctl("thread.arena", NULL, NULL, &arena, bytes);
		(void)mallctl("thread.tcache.enabled", NULL, NULL, &cached,
		    sizeof(cached));
		/* Memory that is given back after a time is not found again. */
		(void)mallctl(FORMATF("arena.%u.dirty_decay_ms", arena), NULL,
		    NULL, &decay_ms, sizeof(decay_ms));
	}
}

/* Runs the schedules of a scenario, up to one that fails. */
static void
run_block(void *context, unsigned task, unsigned slot)
{
	struct crew *cy = context;
	const struct campaign *cn = cy->cy_campaign;
	const uint64_t block = cy->cy_first + task;
	struct block *bk = &cy->cy_block[slot];
	struct campaign_result *ce = &bk->bk_result;
	uint64_t number = block * cy->cy_block_size;
	struct scenario aged, sn;
	struct strategy sg;
	const int64_t before_ns = tick_read_ns(CLOCK_THREAD_CPUTIME_ID);

	memset(ce, 0, sizeof(*ce));
	bk->bk_error = 0;
	if (bk->bk_execution == NULL)
		bk->bk_execution = execution_new();
	scenario_draw(&sn, &cn->cn_limits, seed_of(cn, block, SALT_SCENARIO));
	aged = sn;
	aged.sn_seeded = aged.sn_aged = 1;
	aged.sn_queue = aged.sn_real = aged.sn_sources = aged.sn_signals =
	    aged.sn_calls = 0;
	if (campaign_is_whole(cn))
		allocate_alike();
	strategy_init(&sg, cn->cn_strategy, cn->cn_parameter);
	for (uint64_t i = 0; i < cy->cy_block_size && number < cn->cn_end &&
	    bk->bk_error == 0 && !ce->cgr_failed; i++, number++) {
		if (!strategy_begin(&sg, seed_of(cn, number, SALT_SCHEDULE))) {
			ce->cgr_exhausted = 1;
			break;
		}
		/* Few, as one takes as long as a hundred others. */
		bk->bk_error = run_schedule(bk, cn, i == 0 && !sn.sn_unpaced &&
		    block % AGED_EVERY == AGED_EVERY / 8 && sn.sn_copied == 0 &&
		    cn->cn_subject.tb_faults == NULL ? &aged : &sn, &sg,
		    number);
		atomic_fetch_add_explicit(&cy->cy_done, 1,
		    memory_order_relaxed);
	}
	ce->cgr_redundant = sg.sg_redundant;
	ce->cgr_open = sg.sg_open;
	if (bk->bk_error == 0)
		bk->bk_error = sg.sg_error;
	strategy_fini(&sg);
	ce->cgr_row.cpu_s = (double)(tick_read_ns(CLOCK_THREAD_CPUTIME_ID) -
	    before_ns) / (double)NS_PER_S;
}

/* Blocks are taken in order, so the first failure is the one that is kept. */
static int
take_block(void *context, unsigned task __unused, unsigned slot)
{
	struct crew *cy = context;
	struct block *bk = &cy->cy_block[slot];
	struct campaign_result *ce = &bk->bk_result, *sum = cy->cy_result;

	campaign_add(sum, ce);
	if (!ce->cgr_failed)
		return (bk->bk_error);
	sum->cgr_failed = true;
	sum->cgr_case = ce->cgr_case;
	sum->cgr_outcome = ce->cgr_outcome;
	memset(&ce->cgr_case, 0, sizeof(ce->cgr_case));
	return (EALREADY);
}

static void
show_progress(void *context)
{
	const struct crew *cy = context;

	cy->cy_campaign->cn_progress(cy->cy_campaign->cn_context,
	    atomic_load(&cy->cy_done));
}

uint64_t
campaign_parts(const struct campaign *cn)
{
	return (campaign_is_whole(cn) ? 1 : howmany(cn->cn_end,
	    CAMPAIGN_BLOCK));
}

void
campaign_split(struct campaign *cn, unsigned part, unsigned parts)
{
	const uint64_t blocks = campaign_parts(cn);

	MPASS(part >= 1 && part <= parts && parts <= blocks);
	cn->cn_first = blocks * (part - 1) / parts * CAMPAIGN_BLOCK;
	cn->cn_end = MIN(cn->cn_end, blocks * part / parts * CAMPAIGN_BLOCK);
}

int
campaign_run(const struct campaign *cn, struct campaign_result *ce)
{
	const uint64_t size = campaign_is_whole(cn) ? UINT64_MAX :
	    CAMPAIGN_BLOCK;
	const struct subject *tb = &cn->cn_subject;
	const uint64_t end = (cn->cn_end - 1) / size + 1;
	const unsigned slots = POOL_AHEAD * cn->cn_jobs;
	struct crew cy = { .cy_campaign = cn, .cy_block_size = size,
	    .cy_first = cn->cn_first / size, .cy_result = ce };
	struct pool_job pj = { .pj_work = run_block, .pj_take = take_block,
	    .pj_idle = cn->cn_progress != NULL ? show_progress : NULL,
	    .pj_context = &cy };
	int error = 0;

	MPASS(cn->cn_first < cn->cn_end && cn->cn_jobs > 0);
	memset(ce, 0, sizeof(*ce));
	TEXT_SET(ce->cgr_row.design, tb->tb_design->de_ident);
	TEXT_SET(ce->cgr_row.lock, tb->tb_lock->lc_name);
	TEXT_SET(ce->cgr_row.cipher, tb->tb_cipher->ci_name);
	cy.cy_block = xcalloc(slots, sizeof(*cy.cy_block));
	execution_catch_assertions(true);
	for (; error == 0 && cy.cy_first < end; cy.cy_first += pj.pj_tasks) {
		pj.pj_tasks = (unsigned)MIN(end - cy.cy_first, UINT_MAX);
		error = pool_run(&pj, MIN(pj.pj_tasks, cn->cn_jobs));
	}
	for (unsigned i = 0; i < slots; i++) {
		execution_free(cy.cy_block[i].bk_execution);
		counterexample_free(&cy.cy_block[i].bk_result.cgr_case);
	}
	free(cy.cy_block);
	return (error == EALREADY ? 0 : error);
}
