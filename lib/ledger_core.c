/*
 * Cores: pools, reseeds and events, with the ledger's own account of each.
 */
#include <inttypes.h>
#include <string.h>

#include "lib/ledger_impl.h"

unsigned
ledger_core(struct ledger *lg, const struct ledger_core_rule *rule)
{
	unsigned core = atomic_fetch_add(&lg->lg_cores, 1);

	MPASS(core < LEDGER_CORES_MAX && rule->lu_pools <= LEDGER_POOLS_MAX);
	memset(&lg->lg_core[core], 0, sizeof(lg->lg_core[core]));
	lg->lg_core[core].lc_rule = *rule;
	return (core);
}

void
ledger_cores_reset(struct ledger *lg)
{

	atomic_store(&lg->lg_cores, 0);
	atomic_store(&lg->lg_ended, 0);
	atomic_store(&lg->lg_reseeds, 0);
}

/*
 * What the pool says it holds, against what it was given.  Fortuna's stops
 * counting at INT32_MAX.
 *
 * Returns: whether they agree.
 */
static bool
holds(const struct ledger_core *lc, unsigned pool, uint64_t held)
{

	return (held == LEDGER_UNCOUNTED || held == lc->lc_held[pool] ||
	    (held == INT32_MAX && lc->lc_held[pool] >= INT32_MAX));
}

void
ledger_event(struct ledger *lg, unsigned core, unsigned pool, uint64_t bytes,
    uint64_t held, bool counted)
{
	struct ledger_record first, lr = { .lr_op = LEDGER_EVENT,
	    .lr_lo = uint128_make(0, pool), .lr_hi = uint128_make(0, bytes),
	    .lr_generation = core };
	struct ledger_core *lc = &lg->lg_core[core];
	struct ledger_at la;
	bool agree;

	ledger_enter(lg, &la);
	if (counted)
		ledger_add(&la.la_thread->lt_counts.lo_events, 1);
	ledger_record(&la, lr);
	lr = ledger_recorded(&la);
	ledger_lock(&lc->lc_lock);
	lc->lc_held[pool] += bytes;
	agree = holds(lc, pool, held);
	first = lc->lc_event;
	lc->lc_event = ledger_settled(&la, &lr);
	ledger_unlock(&lc->lc_lock);
	if (!agree)
		ledger_wrong(&la, LEDGER_EVENTS, first.lr_op == 0 ? NULL :
		    &first, &lr);
	ledger_leave(&la);
}

void
ledger_pool(struct ledger *lg, unsigned core, unsigned pool, uint64_t held)
{
	struct ledger_record event, drained, lr = { .lr_op = LEDGER_DRAIN,
	    .lr_lo = uint128_make(0, pool + 1), .lr_generation = core };
	struct ledger_core *lc = &lg->lg_core[core];
	struct ledger_at la;
	bool agree, twice;

	ledger_enter(lg, &la);
	ledger_lock(&lc->lc_lock);
	agree = holds(lc, pool, held);
	twice = (lc->lc_taken & UINT32_C(1) << pool) != 0;
	if (pool == 0)
		lc->lc_pool0 = lc->lc_held[0];
	lc->lc_taken |= UINT32_C(1) << pool;
	lc->lc_taken_pools++;
	lc->lc_held[pool] = 0;
	event = lc->lc_event;
	drained = lc->lc_drained;
	lr.lr_hi = uint128_make(0, lc->lc_drains + 1);
	ledger_unlock(&lc->lc_lock);
	lr.lr_time_ns = (int64_t)la.la_time;
	lr.lr_thread = la.la_index;
	if (!agree)
		ledger_wrong(&la, LEDGER_EVENTS, event.lr_op == 0 ? NULL :
		    &event, &lr);
	if (twice)
		ledger_wrong(&la, LEDGER_POOLS, drained.lr_op == 0 ?
		    NULL : &drained, &lr);
	ledger_leave(&la);
}

/* The pools whose turn it is. */
static unsigned
turn(const struct ledger_core_rule *rule, uint64_t reseed)
{
	unsigned i;

	for (i = 1; i < rule->lu_pools && reseed % (UINT64_C(1) << i) == 0;)
		i++;
	return (i);
}

void
ledger_drain(struct ledger *lg, unsigned core, int64_t now_ns, bool paced)
{
	const int64_t pace_ns = lg->lg_config.lc_pace_ns;
	struct ledger_core *lc = &lg->lg_core[core];
	struct ledger_record first, lr = { .lr_op = LEDGER_DRAIN,
	    .lr_generation = core };
	bool hasty, pools, some;
	struct ledger_at la;
	unsigned n;

	ledger_enter(lg, &la);
	ledger_lock(&lc->lc_lock);
	n = lc->lc_taken_pools;
	some = lc->lc_drains++ > 0;
	hasty = paced && pace_ns != 0 && some &&
	    now_ns - lc->lc_drained_ns <= pace_ns;
	/* 0 to n - 1, each once. */
	pools = n > 0 && lc->lc_taken == UINT32_MAX >> (32 - n) &&
	    lc->lc_pool0 >= lc->lc_rule.lu_pool0_bytes &&
	    (!lc->lc_rule.lu_fortuna || n == turn(&lc->lc_rule,
	    lc->lc_drains));
	lc->lc_drained_ns = now_ns;
	lc->lc_taken = 0;
	lc->lc_taken_pools = 0;
	lc->lc_pool0 = 0;
	lr.lr_lo = uint128_make(0, n);
	lr.lr_hi = uint128_make((uint64_t)now_ns, lc->lc_drains);
	first = lc->lc_drained;
	ledger_unlock(&lc->lc_lock);
	ledger_record(&la, lr);
	lr = ledger_recorded(&la);
	ledger_lock(&lc->lc_lock);
	lc->lc_drained = ledger_settled(&la, &lr);
	ledger_unlock(&lc->lc_lock);
	if (hasty)
		ledger_wrong(&la, LEDGER_PACE, &first, &lr);
	if (!pools)
		ledger_wrong(&la, LEDGER_POOLS, some ? &first : NULL, &lr);
	ledger_leave(&la);
}

/* A keyed hash of what a seed is made of; not 0. */
static uint64_t
seed_hash(const struct ledger *lg, const void *seed, size_t n)
{
	const uint64_t odd = lg->lg_secret[1] | 1;
	uint64_t hash = n, word;
	const uint8_t *p = seed;
	size_t part;

	for (; n > 0; n -= part, p += part) {
		part = n < sizeof(word) ? n : sizeof(word);
		word = 0;
		memcpy(&word, p, part);
		hash ^= word ^ lg->lg_secret[0];
		hash = (hash * odd ^ mul_high(hash, odd)) + lg->lg_secret[2];
	}
	return (hash == 0 ? 1 : hash);
}

/* Puts another in the place of a hash that is there. */
static bool
change_seed(struct ledger *lg, unsigned core, uint64_t there, uint64_t other)
{
	struct ledger_core *lc = &lg->lg_core[core];
	unsigned i;

	ledger_lock(&lc->lc_lock);
	for (i = 0; i < LEDGER_SEEDS && lc->lc_seed[i] != there;)
		i++;
	if (i < LEDGER_SEEDS)
		lc->lc_seed[i] = other;
	ledger_unlock(&lc->lc_lock);
	return (i < LEDGER_SEEDS);
}

static void
seed_unused(struct ledger_at *la, unsigned core)
{

	ledger_wrong_note(la, LEDGER_POOLS, "what a reseed of core %u took "
	    "from pools is not what a key was made of", core);
}

void
ledger_seed_taken(struct ledger *lg, unsigned core, const void *seed, size_t n)
{
	struct ledger_at la;

	if (change_seed(lg, core, 0, seed_hash(lg, seed, n)))
		return;
	ledger_enter(lg, &la);
	seed_unused(&la, core);
	ledger_leave(&la);
}

void
ledger_seed_used(struct ledger *lg, unsigned core, const void *seed, size_t n)
{

	(void)change_seed(lg, core, seed_hash(lg, seed, n), 0);
}

void
ledger_cores_finish(struct ledger_at *la)
{
	const unsigned cores = atomic_load(&la->la_lg->lg_cores);
	unsigned i, k;

	for (i = 0; i < cores; i++)
		for (k = 0; k < LEDGER_SEEDS; k++)
			if (la->la_lg->lg_core[i].lc_seed[k] != 0)
				seed_unused(la, i);
}

void
ledger_reseed_begin(struct ledger *lg, unsigned core)
{
	struct ledger_at la;

	ledger_enter(lg, &la);
	la.la_thread->lt_reseeding = (uint16_t)core;
	la.la_thread->lt_reseed = atomic_fetch_add(&lg->lg_reseeds, 1) + 1;
	ledger_leave(&la);
}

void
ledger_reseed_end(struct ledger *lg, unsigned core)
{
	struct ledger_record lr = { .lr_op = LEDGER_RESEED,
	    .lr_lo = uint128_make(0, core) };
	struct ledger_core *lc = &lg->lg_core[core];
	struct ledger_at la;
	uint32_t at, ended;

	ledger_enter(lg, &la);
	lr.lr_generation = la.la_thread->lt_reseed;
	la.la_thread->lt_reseeding = LEDGER_NO_CORE;
	ledger_lock(&lc->lc_lock);
	ended = atomic_fetch_add_explicit(&lg->lg_ended, 1,
	    memory_order_release) + 1;
	at = atomic_load_explicit(&lc->lc_ends, memory_order_relaxed);
	atomic_store_explicit(&lc->lc_generation[at % LEDGER_ENDED],
	    lr.lr_generation, memory_order_relaxed);
	atomic_store_explicit(&lc->lc_ended[at % LEDGER_ENDED],
	    ended, memory_order_relaxed);
	atomic_store_explicit(&lc->lc_ends, at + 1, memory_order_release);
	ledger_unlock(&lc->lc_lock);
	ledger_record(&la, lr);
	ledger_leave(&la);
}

uint32_t
ledger_core_needs(const struct ledger *lg, unsigned core, uint32_t ended)
{
	const uint32_t lag = lg->lg_config.lc_lag;
	const struct ledger_core *lc;
	uint32_t at, i, end;

	if (core == LEDGER_NO_CORE || lag == LEDGER_LAG_ANY)
		return (0);
	lc = &lg->lg_core[core];
	end = atomic_load_explicit(&lc->lc_ends, memory_order_acquire);
	for (i = 0; i < end && i < LEDGER_ENDED; i++) {
		at = (end - 1 - i) % LEDGER_ENDED;
		if ((int32_t)(ended - atomic_load_explicit(&lc->lc_ended[at],
		    memory_order_relaxed)) >= 0)
			break;
	}
	i += lag;
	if (i >= end || i >= LEDGER_ENDED)
		return (0);
	return (atomic_load_explicit(&lc->lc_generation[(end - 1 - i) %
	    LEDGER_ENDED], memory_order_relaxed));
}

void
ledger_deliver_begin(struct ledger *lg)
{
	struct ledger_at la;

	ledger_enter(lg, &la);
	la.la_thread->lt_delivering = ledger_given(&la.la_thread->lt_counts);
	ledger_leave(&la);
}

void
ledger_deliver_end(struct ledger *lg, unsigned n, bool counted)
{
	struct ledger_at la;
	uint64_t put;

	ledger_enter(lg, &la);
	put = ledger_given(&la.la_thread->lt_counts) -
	    la.la_thread->lt_delivering;
	if (!counted)
		ledger_add(&la.la_thread->lt_counts.lo_uncounted, put);
	if (put != n && atomic_load_explicit(&lg->lg_cores,
	    memory_order_relaxed) > 0)
		ledger_wrong_note(&la, LEDGER_EVENTS, "of %u given together "
		    "%" PRIu64 " went into pools or were refused", n, put);
	ledger_leave(&la);
}

void
ledger_refused(struct ledger *lg)
{
	struct ledger_at la;

	ledger_enter(lg, &la);
	ledger_add(&la.la_thread->lt_counts.lo_refused, 1);
	ledger_leave(&la);
}

static bool
same_op(const struct ledger_record *lr, const struct ledger_record *like)
{

	return (lr->lr_op == like->lr_op);
}

/*
 * Without a core there are no pools, no pace and no first reseed to check, and
 * all that is asked of them would hold.
 */
static void
finish_hidden(struct ledger_at *la)
{
	const struct ledger *lg = la->la_lg;
	struct ledger_record what = { .lr_op = LEDGER_OPS };
	struct ledger_result le;

	ledger_result(lg, &le);
	if (lg->lg_config.lc_keyless && le.le_blocks > 0)
		what.lr_op = LEDGER_USE;
	else if (!lg->lg_config.lc_keyless && le.le_reads > 0 &&
	    atomic_load(&lg->lg_cores) == 0)
		what.lr_op = LEDGER_END;
	if (what.lr_op == LEDGER_OPS)
		return;
	(void)ledger_search(la, same_op, &what);
	ledger_wrong(la, LEDGER_HIDDEN, NULL, &what);
}

void
ledger_finish(struct ledger *lg, uint64_t delivered)
{
	struct ledger_at la;
	uint64_t given = 0;
	unsigned i;

	if (ledger_violated(lg))
		return;
	for (i = 0; i < lg->lg_threads; i++)
		given += ledger_given(&lg->lg_thread[i]->lt_counts) -
		    atomic_load(&lg->lg_thread[i]->lt_counts.lo_uncounted);
	ledger_enter(lg, &la);
	if (delivered != LEDGER_UNCOUNTED && given != delivered &&
	    atomic_load(&lg->lg_cores) > 0)
		ledger_wrong_note(&la, LEDGER_EVENTS, "%" PRIu64 " were given, "
		    "%" PRIu64 " went into pools or were refused", delivered,
		    given);
	finish_hidden(&la);
	ledger_cores_finish(&la);
	ledger_keys_finish(&la);
	ledger_leave(&la);
}

void
ledger_conserved(struct ledger *lg, uint64_t in, uint64_t processed,
    uint64_t pending, uint64_t dropped, uint64_t discarded)
{
	struct ledger_at la;
	uint64_t refused = 0;
	unsigned i;

	for (i = 0; i < lg->lg_threads; i++)
		refused += atomic_load(&lg->lg_thread[i]->lt_counts.lo_refused);
	ledger_enter(lg, &la);
	if (in != processed + pending + dropped + discarded)
		ledger_wrong_note(&la, LEDGER_EVENTS, "of %" PRIu64 " queued "
		    "%" PRIu64 " were processed, %" PRIu64 " are pending, %"
		    PRIu64 " were dropped, %" PRIu64 " discarded", in,
		    processed, pending, dropped, discarded);
	if (refused != discarded)
		ledger_wrong_note(&la, LEDGER_EVENTS, "%" PRIu64 " were "
		    "discarded, %" PRIu64 " refused", discarded, refused);
	ledger_leave(&la);
}
