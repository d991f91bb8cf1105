/*
 * Checks operations in their order: reads, pools, reseeds, events.
 */
#include <inttypes.h>

#include "lib/ledger/impl.h"

static void
check_pool(const struct at *at, struct ledger_core *lc)
{
	const unsigned pool = (unsigned)uint128_lo(at->at_lr->lgr_lo);
	const uint32_t bit = UINT32_C(1) << pool;
	struct ledger_record second = *at->at_lr;

	second.lgr_op = LEDGER_DRAIN;
	second.lgr_seq = at->at_lg->lg_result.le_records + 1;
	second.lgr_lo = pool + 1;
	second.lgr_hi = lc->lgc_drains + 1;
	if ((lc->lgc_taken & bit) != 0)
		ledger_wrong(at->at_lg, LEDGER_POOLS, &lc->lgc_drained,
		    &second);
	if (pool == 0)
		lc->lgc_pool0 = lc->lgc_held[0];
	lc->lgc_taken |= bit;
	lc->lgc_taken_pools++;
	lc->lgc_held[pool] = 0;
}

static void
check_drain(const struct at *at, struct ledger_core *lc)
{
	const struct ledger_core_rule *lu = &lc->lgc_rule;
	const int64_t pace_ns = at->at_lg->lg_config.lgo_pace_ns;
	const struct ledger_record first = lc->lgc_drained;
	const unsigned n = lc->lgc_taken_pools;
	struct ledger_record *lr = at->at_lr;
	const int64_t now_ns = (int64_t)lr->lgr_word;
	const bool some = lc->lgc_drains++ > 0;

	lr->lgr_lo = n;
	lr->lgr_hi = uint128_make((uint64_t)now_ns, lc->lgc_drains);
	lc->lgc_drained = *ledger_record(at, 0, lr->lgr_generation);
	if (lr->lgr_flag && pace_ns != 0 && some &&
	    now_ns - lc->lgc_drained_ns <= pace_ns)
		ledger_wrong(at->at_lg, LEDGER_PACE, &first, lr);
	/* Pools 0 to n - 1, each once. */
	if (n == 0 || lc->lgc_taken != UINT32_MAX >> (32 - n) ||
	    lc->lgc_pool0 < lu->lu_pool0_bytes ||
	    (lu->lu_due != NULL && n != lu->lu_due(lc->lgc_drains)))
		ledger_wrong(at->at_lg, LEDGER_POOLS, &first, lr);
	lc->lgc_drained_ns = now_ns;
	lc->lgc_taken = 0;
	lc->lgc_taken_pools = 0;
	lc->lgc_pool0 = 0;
}

void
ledger_cores_finish(struct ledger *lg)
{
	for (unsigned i = 0; i < lg->lg_cores; i++)
		if (lg->lg_core[i].lgc_unused)
			ledger_wrong_note(lg, LEDGER_POOLS, "a reseed of core "
			    "%u took a seed from pools that no key was made of",
			    i);
}

static void
check_reseeded(const struct at *at, struct ledger_core *lc)
{
	const unsigned i = lc->lgc_ends++ % CORE_RESEEDS;

	at->at_lt->lgt_reseeding = NO_CORE;
	lc->lgc_generation[i] = at->at_lt->lgt_reseed;
	lc->lgc_ended[i] = (uint32_t)++at->at_lg->lg_result.le_reseeds;
	atomic_store_explicit(&at->at_lg->lg_ended, lc->lgc_ended[i],
	    memory_order_release);
	at->at_lr->lgr_lo = at->at_lr->lgr_generation;
	ledger_record(at, 0, at->at_lt->lgt_reseed);
}

static bool
same_reseed(const struct ledger_record *lr, const struct ledger_record *like)
{
	return (lr->lgr_op == LEDGER_RESEED &&
	    lr->lgr_generation == like->lgr_generation);
}

void
ledger_check_age(const struct at *at, const struct ledger_record *use)
{
	const struct ledger_thread *lt = at->at_lt;
	struct ledger *lg = at->at_lg;
	struct ledger_record first = { .lgr_op = LEDGER_RESEED };
	const uint32_t lag = lg->lg_config.lgo_lag;
	const struct ledger_core *lc;
	uint32_t i;

	/* What a reseed generates before its end is for later reads. */
	if (lt->lgt_reseeding != NO_CORE)
		return;
	/* Most keys go back to the last reseed, which has ended. */
	if (lt->lgt_last.l_generation == lg->lg_reseeds &&
	    lg->lg_result.le_reseeds == lg->lg_reseeds && lg->lg_reseeds > 0)
		return;
	/* Also a key that goes back to no reseed, when others do. */
	if ((lt->lgt_last.l_core == NO_CORE || lg->lg_result.le_reseeds == 0) &&
	    lg->lg_cores > 0)
		ledger_wrong(lg, LEDGER_UNSEEDED, &ledger_nothing, use);
	if (lt->lgt_last.l_core == NO_CORE || lag == LEDGER_LAG_ANY)
		return;
	/* The core's last reseed, or one before, that the read must see. */
	lc = &lg->lg_core[lt->lgt_last.l_core];
	for (i = 0; i < lc->lgc_ends && i < CORE_RESEEDS; i++)
		if ((int32_t)(lt->lgt_ended - lc->lgc_ended[(lc->lgc_ends - 1 -
		    i) % CORE_RESEEDS]) >= 0)
			break;
	i += lag;
	if (i >= lc->lgc_ends || i >= CORE_RESEEDS)
		return;
	first.lgr_generation = lc->lgc_generation[(lc->lgc_ends - 1 - i) %
	    CORE_RESEEDS];
	if (lt->lgt_last.l_generation >= first.lgr_generation)
		return;
	first.lgr_lo = lt->lgt_last.l_core;
	first = ledger_search(lg, use, same_reseed, first);
	ledger_wrong(lg, LEDGER_STALE, &first, use);
}

static void
check_begin(const struct at *at)
{
	struct ledger_thread *lt = at->at_lt;

	lt->lgt_reading = true;
	lt->lgt_used = 0;
	lt->lgt_blocks = 0;
	lt->lgt_ended = (uint32_t)uint128_lo(at->at_lr->lgr_lo);
	at->at_lr->lgr_lo = 0;
	ledger_record(at, 0, 0);
}

static void
check_end(const struct at *at)
{
	struct ledger *lg = at->at_lg;
	struct ledger_thread *lt = at->at_lt;
	const uint64_t bytes = uint128_lo(at->at_lr->lgr_hi);
	const uint64_t block = lg->lg_block_bytes;
	const uint64_t stored = lg->lg_config.lgo_stored_bytes;
	const struct ledger_record *end = ledger_record(at, 0, 0);

	lt->lgt_reading = false;
	lg->lg_result.le_reads++;
	if (bytes > 0 && lg->lg_result.le_reseeds == 0 && lg->lg_cores > 0)
		ledger_wrong(lg, LEDGER_UNSEEDED, &ledger_nothing, end);
	/* Without a cipher no keystream is observed. */
	if (block != 0 && !lg->lg_config.lgo_keyless && bytes > stored &&
	    (bytes - stored + block - 1) / block > lt->lgt_blocks)
		ledger_wrong(lg, LEDGER_MADE, &ledger_nothing, end);
	ledger_check_kept(at, end);
}

static void
check_delivered(const struct at *at)
{
	const uint64_t n = at->at_lr->lgr_word;
	const uint64_t put = at->at_lt->lgt_given - at->at_lt->lgt_delivering;

	if (put != n && at->at_lg->lg_cores > 0)
		ledger_wrong_note(at->at_lg, LEDGER_EVENTS, "of %" PRIu64
		    " events given together %" PRIu64 " went into pools or "
		    "were refused", n, put);
}

void
ledger_check(struct ledger *lg, struct ledger_thread *lt,
    struct ledger_record *lr)
{
	struct ledger_core *lc = &lg->lg_core[lr->lgr_generation];
	const struct at at = { lg, lt, lr };

	if (is_violated(lg))
		return;
	switch ((unsigned)lr->lgr_op) {
	case LEDGER_USE:
		ledger_check_use(&at);
		break;
	case LEDGER_SET:
		ledger_check_set(&at);
		break;
	case LEDGER_WIPE:
		ledger_check_wipe(&at);
		break;
	case LEDGER_BEGIN:
		check_begin(&at);
		break;
	case LEDGER_END:
		check_end(&at);
		break;
	case LEDGER_INSTALL:
		ledger_check_install(&at);
		break;
	case LEDGER_EVENT:
		lt->lgt_given++;
		lg->lg_given++;
		lg->lg_result.le_events++;
		lc->lgc_held[uint128_lo(lr->lgr_lo)] += uint128_lo(lr->lgr_hi);
		ledger_record(&at, 0, lr->lgr_generation);
		break;
	case LOGGED_POOL:
		check_pool(&at, lc);
		break;
	case LEDGER_DRAIN:
		check_drain(&at, lc);
		break;
	case LOGGED_SEED_UNUSED:
		lc->lgc_unused = true;
		break;
	case LOGGED_RESEED:
		lt->lgt_reseeding = lr->lgr_generation;
		lt->lgt_reseed = ++lg->lg_reseeds;
		break;
	case LEDGER_RESEED:
		check_reseeded(&at, lc);
		break;
	case LOGGED_LINEAGE:
		lt->lgt_last.l_core = (uint32_t)(lr->lgr_word >> 32) - 1;
		lt->lgt_last.l_generation = (uint32_t)lr->lgr_word;
		break;
	case LOGGED_DELIVER:
		lt->lgt_delivering = lt->lgt_given;
		break;
	case LOGGED_DELIVERED:
		check_delivered(&at);
		break;
	case LOGGED_REFUSED:
		lt->lgt_given++;
		lg->lg_given++;
		lg->lg_refused++;
		break;
	}
}
