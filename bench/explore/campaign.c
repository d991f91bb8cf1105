#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/explore/campaign.h"
#include "bench/explore/distinct.h"
#include "lib/tick.h"

enum { PROGRESS_NS = 100 * 1000 * 1000 };

/* All that host threads share. */
struct crew {
	const struct campaign *cw_campaign;
	uint64_t	 cw_block_size;
	_Atomic uint64_t cw_next;	/* block */
	_Atomic uint64_t cw_done;	/* schedules */
	_Atomic uint64_t cw_failed;	/* number; UINT64_MAX: none */
	pthread_mutex_t	 cw_mutex;	/* guards what follows */
	pthread_cond_t	 cw_over;	/* a thread has ended */
	unsigned	 cw_running;
	int		 cw_error;
	struct campaign_result *cw_result;
	struct distinct	 cw_distinct;
};

/* One host thread. */
struct hand {
	struct crew	*hd_crew;
	pthread_t	 hd_thread;
	struct trial	*hd_trial;
	struct strategy	 hd_strategy;
	struct schedule	 hd_made;
	struct trial_outcome hd_outcome;
	struct campaign_result hd_result;	/* its part */
	struct distinct	 hd_distinct;
};

/* Neighbours become strangers; streams for other ends have other salts. */
static uint64_t
mix(uint64_t seed, uint64_t number, uint64_t salt)
{
	uint64_t state = seed ^ salt * UINT64_C(0xd1342543de82ef95);

	state = splitmix_next(&state) + number;
	return (splitmix_next(&state));
}

enum { SALT_SCENARIO = 1, SALT_SCHEDULE = 2, SALT_DRAWS = 3 };

void
campaign_limits(const struct trial_subject *tb, struct scenario_limits *sm)
{

	memset(sm, 0, sizeof(*sm));
	sm->sm_readers_least = 2;
	sm->sm_readers_most = 4;
	sm->sm_block_bytes = tb->tb_cipher->ci_block_bytes;
	sm->sm_whole_blocks = tb->tb_cipher->ci_whole_blocks;
	sm->sm_hybrid_bytes = tb->tb_generator.hybrid_bytes;
	sm->sm_timer = tb->tb_design->ra_timer != NULL;
	sm->sm_queue = tb->tb_faults != NULL &&
	    faults_need_queue(tb->tb_faults);
}

/* The first failure by number is the one that is kept. */
static int
keep_failure(struct hand *hd, const struct scenario *sn, uint64_t number)
{
	struct crew *cw = hd->hd_crew;
	const struct campaign *cn = cw->cw_campaign;
	struct explore_case *ca = &cw->cw_result->ce_case;
	const struct strategy *used = hd->hd_strategy.st_used;
	int error = 0;

	pthread_mutex_lock(&cw->cw_mutex);
	if (number < atomic_load(&cw->cw_failed)) {
		atomic_store(&cw->cw_failed, number);
		cw->cw_result->ce_failed = true;
		cw->cw_result->ce_outcome = hd->hd_outcome;
		ca->ca_subject = cn->cn_subject;
		ca->ca_seed = cn->cn_seed;
		ca->ca_number = number;
		(void)strategy_name(ca->ca_strategy, used->st_class,
		    used->st_parameter);
		ca->ca_draws = mix(cn->cn_seed, number, SALT_DRAWS);
		ca->ca_scenario = *sn;
		snprintf(ca->ca_word, sizeof(ca->ca_word), "%s",
		    hd->hd_outcome.to_word);
		ca->ca_hash = hd->hd_outcome.to_hash;
		error = schedule_copy(&ca->ca_schedule, &hd->hd_made);
	}
	pthread_mutex_unlock(&cw->cw_mutex);
	return (error);
}

static void
count_faults(struct campaign_result *ce, const uint64_t *evaluated,
    const uint64_t *executed)
{
	unsigned i;

	for (i = 0; i < FAULT_POINTS; i++) {
		ce->ce_evaluated[i] += evaluated[i];
		ce->ce_executed[i] += executed[i];
	}
}

static void
count(struct hand *hd, uint64_t scenario)
{
	const struct trial_outcome *to = &hd->hd_outcome;
	struct campaign_result *ce = &hd->hd_result;

	ce->ce_schedules++;
	ce->ce_steps += to->to_steps;
	if (to->to_steps > ce->ce_steps_most)
		ce->ce_steps_most = to->to_steps;
	ce->ce_reads += to->to_reads;
	ce->ce_reseeds += to->to_reseeds;
	ce->ce_blocks += to->to_blocks;
	ce->ce_by[strategy_index(hd->hd_strategy.st_used->st_class)]++;
	if (hd->hd_crew->cw_campaign->cn_subject.tb_faults != NULL)
		count_faults(ce, to->to_evaluated, to->to_executed);
	distinct_add(&hd->hd_distinct, mix(to->to_order, scenario, 0));
}

/* Schedules first to end - 1, of one scenario; EALREADY: one failed. */
static int
run_block(struct hand *hd, uint64_t block, uint64_t first, uint64_t end)
{
	const struct campaign *cn = hd->hd_crew->cw_campaign;
	const struct trial_chooser tc = trial_chooser_of(&hd->hd_strategy);
	struct scenario sn;
	uint64_t number;
	int error = 0;

	scenario_draw(&sn, &cn->cn_limits, mix(cn->cn_seed, block,
	    SALT_SCENARIO));
	strategy_scenario(&hd->hd_strategy);
	for (number = first; error == 0 && number < end; number++) {
		if (!strategy_begin(&hd->hd_strategy, mix(cn->cn_seed, number,
		    SALT_SCHEDULE), (unsigned)(number - first))) {
			hd->hd_result.ce_exhausted = true;
			return (hd->hd_strategy.st_no_memory ? ENOMEM : 0);
		}
		error = trial_run(hd->hd_trial, &cn->cn_subject, &sn, &tc,
		    mix(cn->cn_seed, number, SALT_DRAWS), &hd->hd_made, NULL,
		    &hd->hd_outcome);
		strategy_end(&hd->hd_strategy);
		if (error != 0)
			break;
		if (number >= cn->cn_first || hd->hd_outcome.to_word != NULL)
			count(hd, block);
		else
			hd->hd_result.ce_ahead++;
		atomic_fetch_add_explicit(&hd->hd_crew->cw_done, 1,
		    memory_order_relaxed);
		if (hd->hd_outcome.to_word != NULL) {
			error = keep_failure(hd, &sn, number);
			return (error != 0 ? error : EALREADY);
		}
		if (hd->hd_strategy.st_no_memory)
			error = ENOMEM;
		if (cn->cn_subject.tb_stop != NULL &&
		    __atomic_load_n(cn->cn_subject.tb_stop, __ATOMIC_RELAXED))
			error = EINTR;
	}
	return (error);
}

static int
work(struct hand *hd)
{
	struct crew *cw = hd->hd_crew;
	const struct campaign *cn = cw->cw_campaign;
	uint64_t block, end, first;
	int error;

	for (;;) {
		block = atomic_fetch_add(&cw->cw_next, 1);
		first = block * cw->cw_block_size;
		if (first >= cn->cn_end ||
		    first >= atomic_load(&cw->cw_failed))
			return (0);
		end = cn->cn_end - first < cw->cw_block_size ? cn->cn_end :
		    first + cw->cw_block_size;
		error = run_block(hd, block, first, end);
		if (error != 0)
			return (error == EALREADY ? 0 : error);
		if (hd->hd_result.ce_exhausted)
			return (0);
	}
}

static void
merge(struct crew *cw, const struct hand *hd)
{
	const struct campaign_result *from = &hd->hd_result;
	struct campaign_result *ce = cw->cw_result;
	unsigned i;

	ce->ce_schedules += from->ce_schedules;
	ce->ce_ahead += from->ce_ahead;
	ce->ce_steps += from->ce_steps;
	if (from->ce_steps_most > ce->ce_steps_most)
		ce->ce_steps_most = from->ce_steps_most;
	ce->ce_reads += from->ce_reads;
	ce->ce_reseeds += from->ce_reseeds;
	ce->ce_blocks += from->ce_blocks;
	ce->ce_seconds += from->ce_seconds;
	ce->ce_exhausted |= from->ce_exhausted;
	for (i = 0; i < CAMPAIGN_CLASSES_MAX; i++)
		ce->ce_by[i] += from->ce_by[i];
	count_faults(ce, from->ce_evaluated, from->ce_executed);
	distinct_merge(&cw->cw_distinct, &hd->hd_distinct);
}

static void *
hand_main(void *arg)
{
	struct hand *hd = arg;
	struct crew *cw = hd->hd_crew;
	const struct campaign *cn = cw->cw_campaign;
	struct timespec cpu;
	int error;

	error = trial_new(&hd->hd_trial);
	if (error == 0)
		error = strategy_init(&hd->hd_strategy, cn->cn_strategy,
		    cn->cn_parameter);
	if (error == 0)
		error = work(hd);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
	hd->hd_result.ce_seconds = (double)cpu.tv_sec +
	    (double)cpu.tv_nsec / (double)NS_PER_S;
	pthread_mutex_lock(&cw->cw_mutex);
	if (error != 0 && cw->cw_error == 0)
		cw->cw_error = error;
	/* Nobody need begin another. */
	if (error != 0)
		atomic_store(&cw->cw_next, UINT64_MAX / cw->cw_block_size);
	merge(cw, hd);
	cw->cw_running--;
	pthread_cond_signal(&cw->cw_over);
	pthread_mutex_unlock(&cw->cw_mutex);
	strategy_fini(&hd->hd_strategy);
	trial_free(hd->hd_trial);
	schedule_free(&hd->hd_made);
	return (NULL);
}

/* Until all have ended. */
static void
wait_for_all(struct crew *cw)
{
	const struct campaign *cn = cw->cw_campaign;
	struct timespec until;

	pthread_mutex_lock(&cw->cw_mutex);
	while (cw->cw_running > 0) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += PROGRESS_NS;
		if (until.tv_nsec >= NS_PER_S) {
			until.tv_nsec -= NS_PER_S;
			until.tv_sec++;
		}
		(void)pthread_cond_timedwait(&cw->cw_over, &cw->cw_mutex,
		    &until);
		if (cn->cn_progress == NULL)
			continue;
		pthread_mutex_unlock(&cw->cw_mutex);
		cn->cn_progress(cn->cn_context, atomic_load(&cw->cw_done));
		pthread_mutex_lock(&cw->cw_mutex);
	}
	pthread_mutex_unlock(&cw->cw_mutex);
}

/* As many as there is work for, one for a search that is a single path. */
static unsigned
hands_wanted(const struct crew *cw)
{
	const struct campaign *cn = cw->cw_campaign;
	uint64_t blocks;

	blocks = (cn->cn_end - atomic_load(&cw->cw_next) *
	    cw->cw_block_size - 1) / cw->cw_block_size + 1;
	return (blocks < cn->cn_jobs ? (unsigned)blocks : cn->cn_jobs);
}

static int
run_hands(struct crew *cw, struct hand *hand, unsigned hands)
{
	unsigned i, made;
	int error = 0;

	cw->cw_running = hands;
	for (made = 0; error == 0 && made < hands; made += error == 0) {
		hand[made].hd_crew = cw;
		error = pthread_create(&hand[made].hd_thread, NULL, hand_main,
		    &hand[made]);
	}
	if (error != 0) {
		pthread_mutex_lock(&cw->cw_mutex);
		cw->cw_running -= hands - made;
		pthread_mutex_unlock(&cw->cw_mutex);
	}
	/* Fewer do it too. */
	if (made > 0)
		error = 0;
	wait_for_all(cw);
	for (i = 0; i < made; i++)
		pthread_join(hand[i].hd_thread, NULL);
	return (error);
}

int
campaign_run(const struct campaign *cn, struct campaign_result *ce)
{
	const bool single = cn->cn_strategy == &strategy_dfs;
	struct crew *cw;
	struct hand *hand = NULL;
	unsigned hands;
	int error;

	CTASSERT(CAMPAIGN_BLOCK % 10 == 0);
	MPASS(cn->cn_first < cn->cn_end && cn->cn_jobs > 0);
	MPASS(strategy_count <= CAMPAIGN_CLASSES_MAX);
	memset(ce, 0, sizeof(*ce));
	cw = calloc(1, sizeof(*cw));
	if (cw == NULL)
		return (ENOMEM);
	cw->cw_campaign = cn;
	cw->cw_result = ce;
	cw->cw_block_size = single ? UINT64_MAX : CAMPAIGN_BLOCK;
	atomic_init(&cw->cw_next, single ? 0 : cn->cn_first / CAMPAIGN_BLOCK);
	atomic_init(&cw->cw_done, 0);
	atomic_init(&cw->cw_failed, UINT64_MAX);
	pthread_mutex_init(&cw->cw_mutex, NULL);
	pthread_cond_init(&cw->cw_over, NULL);
	hands = hands_wanted(cw);
	hand = calloc(hands, sizeof(*hand));
	trial_catch_assertions(true);
	error = hand == NULL ? ENOMEM : run_hands(cw, hand, hands);
	trial_catch_assertions(false);
	if (error == 0)
		error = cw->cw_error;
	ce->ce_distinct = distinct_estimate(&cw->cw_distinct);
	pthread_cond_destroy(&cw->cw_over);
	pthread_mutex_destroy(&cw->cw_mutex);
	free(hand);
	free(cw);
	/* A failure that was found before is worth more. */
	return (ce->ce_failed && error == EINTR ? 0 : error);
}
