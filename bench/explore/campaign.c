#include <stdlib.h>

#include "bench/cli/memory.h"
#include "bench/explore/campaign.h"
#include "bench/explore/hyperloglog.h"
#include "lib/machine/tick.h"

enum { PROGRESS_NS = 100 * 1000 * 1000, PROGRESS_EVERY = 20 };

/* Shared by the host threads. */
struct crew {
	const struct campaign *cw_campaign;
	uint64_t	 cw_block_size;
	_Atomic uint64_t cw_next;	/* block */
	_Atomic uint64_t cw_done;	/* schedules */
	_Atomic uint64_t cw_failed;	/* number; UINT64_MAX: none */
	_Atomic int	 cw_error;	/* the first; 0: blocks may begin */
	_Atomic int64_t	 cw_shown_ns;	/* progress, the last time */
	pthread_mutex_t	 cw_mutex;	/* guards what follows */
	struct campaign_result *cw_result;
	struct hyperloglog cw_distinct;
};

/* One host thread. */
struct worker {
	struct crew	*wk_crew;
	pthread_t	 wk_thread;
	struct execution *wk_execution;
	struct strategy	 wk_strategy;
	struct outcome	 wk_outcome;
	struct campaign_result wk_result;	/* its part */
	struct hyperloglog wk_distinct;
};

/* Adjacent numbers get unrelated streams; each purpose has its salt. */
static uint64_t
mix(uint64_t seed, uint64_t number, uint64_t salt)
{
	uint64_t state = seed ^ salt * UINT64_C(0xd1342543de82ef95);

	state = splitmix_next(&state) + number;
	return (splitmix_next(&state));
}

enum { SALT_SCENARIO = 1, SALT_SCHEDULE = 2, SALT_DRAWS = 3 };

void
campaign_limits(const struct subject *tb, struct scenario_limits *sm)
{
	memset(sm, 0, sizeof(*sm));
	sm->sm_readers_least = 2;
	sm->sm_readers_most = 4;
	sm->sm_block_bytes = tb->tb_cipher->ci_block_bytes;
	sm->sm_whole_blocks = tb->tb_cipher->ci_whole_blocks;
	sm->sm_hybrid_bytes = tb->tb_generator.hybrid_bytes;
	sm->sm_timer = tb->tb_design->ra_timer != NULL;
	sm->sm_queue = tb->tb_faults != NULL &&
	    failpoints_need_queue(tb->tb_faults);
}

/* The first failure by number is the one that is kept. */
static void
keep_failure(struct worker *wk, const struct scenario *sn, uint64_t number)
{
	struct crew *cw = wk->wk_crew;
	const struct campaign *cn = cw->cw_campaign;
	struct counterexample *cx = &cw->cw_result->ce_case;
	const struct strategy *used = wk->wk_strategy.st_used;

	pthread_mutex_lock(&cw->cw_mutex);
	if (number < atomic_load(&cw->cw_failed)) {
		atomic_store(&cw->cw_failed, number);
		cw->cw_result->ce_failed = true;
		cw->cw_result->ce_outcome = wk->wk_outcome;
		cw->cw_result->ce_outcome.to_made = NULL;
		cx->cx_subject = cn->cn_subject;
		cx->cx_seed = cn->cn_seed;
		cx->cx_number = number;
		(void)strategy_name(cx->cx_strategy, used->st_class,
		    used->st_parameter);
		cx->cx_draws = mix(cn->cn_seed, number, SALT_DRAWS);
		cx->cx_scenario = *sn;
		snprintf(cx->cx_word, sizeof(cx->cx_word), "%s",
		    wk->wk_outcome.to_word);
		cx->cx_hash = wk->wk_outcome.to_hash;
		schedule_copy(&cx->cx_schedule, wk->wk_outcome.to_made);
	}
	pthread_mutex_unlock(&cw->cw_mutex);
}

void
campaign_add(struct campaign_result *sum, const struct campaign_result *ce)
{
	sum->ce_schedules += ce->ce_schedules;
	sum->ce_ahead += ce->ce_ahead;
	sum->ce_seconds += ce->ce_seconds;
	sum->ce_steps += ce->ce_steps;
	if (ce->ce_steps_most > sum->ce_steps_most)
		sum->ce_steps_most = ce->ce_steps_most;
	sum->ce_reads += ce->ce_reads;
	sum->ce_reseeds += ce->ce_reseeds;
	sum->ce_blocks += ce->ce_blocks;
	sum->ce_exhausted |= ce->ce_exhausted;
	for (unsigned i = 0; i < strategy_count; i++)
		sum->ce_by[i] += ce->ce_by[i];
	for (unsigned i = 0; i < FAILPOINTS; i++) {
		sum->ce_evaluated[i] += ce->ce_evaluated[i];
		sum->ce_executed[i] += ce->ce_executed[i];
	}
}

static void
count(struct worker *wk, uint64_t scenario)
{
	const struct outcome *to = &wk->wk_outcome;
	struct campaign_result *ce = &wk->wk_result;

	ce->ce_schedules++;
	ce->ce_steps += to->to_steps;
	if (to->to_steps > ce->ce_steps_most)
		ce->ce_steps_most = to->to_steps;
	ce->ce_reads += to->to_reads;
	ce->ce_reseeds += to->to_reseeds;
	ce->ce_blocks += to->to_blocks;
	ce->ce_by[strategy_index(wk->wk_strategy.st_used->st_class)]++;
	for (unsigned i = 0; i < FAILPOINTS &&
	    wk->wk_crew->cw_campaign->cn_subject.tb_faults != NULL; i++) {
		ce->ce_evaluated[i] += to->to_faults.fo_evaluated[i];
		ce->ce_executed[i] += to->to_faults.fo_executed[i];
	}
	hyperloglog_add(&wk->wk_distinct, mix(to->to_order, scenario, 0));
}

/* Calls cn_progress, ten times a second at most. */
static void
show_progress(struct crew *cw)
{
	const struct campaign *cn = cw->cw_campaign;

	if (cn->cn_progress == NULL || tick_ns() <
	    atomic_load(&cw->cw_shown_ns) + PROGRESS_NS ||
	    pthread_mutex_trylock(&cw->cw_mutex) != 0)
		return;
	atomic_store(&cw->cw_shown_ns, tick_ns());
	cn->cn_progress(cn->cn_context, atomic_load(&cw->cw_done));
	pthread_mutex_unlock(&cw->cw_mutex);
}

/* Schedules first to end - 1, of one scenario; EALREADY: one failed. */
static int
run_block(struct worker *wk, uint64_t block, uint64_t first, uint64_t end)
{
	const struct campaign *cn = wk->wk_crew->cw_campaign;
	const struct subject *tb = &cn->cn_subject;
	struct strategy *st = &wk->wk_strategy;
	struct vm_control vh = { .vh_choose = strategy_choose,
	    .vh_running = strategy_running, .vh_context = st };
	struct scenario sn;
	uint64_t number;
	int error;

	scenario_draw(&sn, &cn->cn_limits, mix(cn->cn_seed, block,
	    SALT_SCENARIO));
	for (number = first; number < end; number++) {
		if (!strategy_begin(st, mix(cn->cn_seed, number,
		    SALT_SCHEDULE), number - first)) {
			wk->wk_result.ce_exhausted = true;
			return (0);
		}
		vh.vh_polls = st->st_used->st_class->sy_polls;
		error = execution_run(wk->wk_execution, tb, &sn, &vh,
		    mix(cn->cn_seed, number, SALT_DRAWS), NULL,
		    &wk->wk_outcome);
		strategy_end(st);
		if (error != 0)
			return (error);
		if (number >= cn->cn_first || wk->wk_outcome.to_word != NULL)
			count(wk, block);
		else
			wk->wk_result.ce_ahead++;
		atomic_fetch_add_explicit(&wk->wk_crew->cw_done, 1,
		    memory_order_relaxed);
		/* Reading the clock takes a while. */
		if (number % PROGRESS_EVERY == 0)
			show_progress(wk->wk_crew);
		if (wk->wk_outcome.to_word != NULL) {
			keep_failure(wk, &sn, number);
			return (EALREADY);
		}
		if (tb->tb_stop != NULL &&
		    __atomic_load_n(tb->tb_stop, __ATOMIC_RELAXED))
			return (EINTR);
	}
	return (0);
}

/* Runs blocks until there are no more, or one failed. */
static int
run_blocks(struct worker *wk)
{
	struct crew *cw = wk->wk_crew;
	const uint64_t last = cw->cw_campaign->cn_end, n = cw->cw_block_size;
	uint64_t block, first;
	int error = 0;

	while (error == 0 && atomic_load(&cw->cw_error) == 0 &&
	    !wk->wk_result.ce_exhausted) {
		block = atomic_fetch_add(&cw->cw_next, 1);
		first = block * n;
		if (first >= last || first >= atomic_load(&cw->cw_failed))
			break;
		error = run_block(wk, block, first, last - first < n ? last :
		    first + n);
	}
	return (error == EALREADY ? 0 : error);
}

static void *
worker_main(void *arg)
{
	struct worker *wk = arg;
	struct crew *cw = wk->wk_crew;
	const struct campaign *cn = cw->cw_campaign;
	struct timespec cpu;
	int error, none = 0;

	wk->wk_execution = execution_new();
	strategy_init(&wk->wk_strategy, cn->cn_strategy, cn->cn_parameter);
	error = run_blocks(wk);
	if (error != 0)
		atomic_compare_exchange_strong(&cw->cw_error, &none, error);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
	wk->wk_result.ce_seconds = (double)cpu.tv_sec +
	    (double)cpu.tv_nsec / (double)NS_PER_S;
	pthread_mutex_lock(&cw->cw_mutex);
	campaign_add(cw->cw_result, &wk->wk_result);
	hyperloglog_merge(&cw->cw_distinct, &wk->wk_distinct);
	pthread_mutex_unlock(&cw->cw_mutex);
	strategy_fini(&wk->wk_strategy);
	execution_free(wk->wk_execution);
	return (NULL);
}

/* Fewer threads do as well. */
static int
run_workers(struct crew *cw, struct worker *worker, unsigned workers)
{
	unsigned made;
	int error = 0;

	for (made = 0; error == 0 && made < workers; made += error == 0) {
		worker[made].wk_crew = cw;
		error = pthread_create(&worker[made].wk_thread, NULL,
		    worker_main, &worker[made]);
	}
	for (unsigned i = 0; i < made; i++)
		pthread_join(worker[i].wk_thread, NULL);
	return (made > 0 ? atomic_load(&cw->cw_error) : error);
}

uint64_t
campaign_parts(const struct campaign *cn)
{
	return (cn->cn_strategy == &strategy_dfs ? 1 :
	    (cn->cn_end + CAMPAIGN_BLOCK - 1) / CAMPAIGN_BLOCK);
}

void
campaign_split(struct campaign *cn, unsigned part, unsigned parts)
{
	const uint64_t blocks = campaign_parts(cn);
	const uint64_t end = blocks * part / parts * CAMPAIGN_BLOCK;

	MPASS(part >= 1 && part <= parts && parts <= blocks);
	cn->cn_first = blocks * (part - 1) / parts * CAMPAIGN_BLOCK;
	if (end < cn->cn_end)
		cn->cn_end = end;
}

int
campaign_run(const struct campaign *cn, struct campaign_result *ce)
{
	const bool single = cn->cn_strategy == &strategy_dfs;
	struct crew *cw;
	struct worker *worker;
	uint64_t blocks;
	unsigned workers;
	int error;

	CTASSERT(CAMPAIGN_BLOCK % 10 == 0);
	MPASS(cn->cn_first < cn->cn_end && cn->cn_jobs > 0);
	memset(ce, 0, sizeof(*ce));
	cw = xcalloc(1, sizeof(*cw));
	cw->cw_campaign = cn;
	cw->cw_result = ce;
	cw->cw_block_size = single ? UINT64_MAX : CAMPAIGN_BLOCK;
	atomic_init(&cw->cw_next, single ? 0 : cn->cn_first / CAMPAIGN_BLOCK);
	atomic_init(&cw->cw_failed, UINT64_MAX);
	atomic_init(&cw->cw_shown_ns, tick_ns());
	pthread_mutex_init(&cw->cw_mutex, NULL);
	/* One for each block; dfs is one block. */
	blocks = (cn->cn_end - 1) / cw->cw_block_size -
	    atomic_load(&cw->cw_next) + 1;
	workers = blocks < cn->cn_jobs ? (unsigned)blocks : cn->cn_jobs;
	worker = xcalloc(workers, sizeof(*worker));
	execution_catch_assertions(true);
	error = run_workers(cw, worker, workers);
	execution_catch_assertions(false);
	ce->ce_distinct = hyperloglog_estimate(&cw->cw_distinct);
	pthread_mutex_destroy(&cw->cw_mutex);
	free(worker);
	free(cw);
	/* A failure found before the interrupt is reported. */
	return (ce->ce_failed && error == EINTR ? 0 : error);
}
