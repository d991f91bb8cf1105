/*
 * Checks operations in their order: reads, pools, reseeds, events.
 */
#include <inttypes.h>
#include <stdarg.h>

#include "lib/ledger/impl.h"
#include "lib/machine/tick.h"

/* With the time in nanoseconds. */
static struct ledger_record
settled(const struct ledger *lg, const struct ledger_record *lr)
{
	struct ledger_record out = *lr;

	if (lr->lr_in_cycles)
		out.lr_time_ns = lg->lg_start_ns + tick_cycles_to_ns(
		    (uint64_t)lr->lr_time_ns - lg->lg_start_cycles);
	out.lr_in_cycles = false;
	return (out);
}

void
ledger_record_line(const struct ledger *lg, const struct ledger_record *lr)
{
	const struct ledger_record line = settled(lg, lr);

	lg->lg_config.lc_record(lg->lg_config.lc_context, &line);
}

const struct ledger_record ledger_nothing = { .lr_op = LEDGER_OPS };

static void
wrong(struct ledger *lg, enum ledger_property property,
    const struct ledger_record *first, const struct ledger_record *second,
    const char *note)
{
	struct ledger_result *le = &lg->lg_result;

	if (is_violated(lg))
		return;
	le->le_violated = true;
	le->le_property = property;
	le->le_first = settled(lg, first);
	le->le_second = settled(lg, second);
	ledger_text(le, note);
	atomic_store_explicit(&lg->lg_violated, true, memory_order_release);
}

void
ledger_wrong(struct ledger *lg, enum ledger_property property,
    const struct ledger_record *first, const struct ledger_record *second)
{
	wrong(lg, property, first, second, "");
}

void
ledger_wrong_note(struct ledger *lg, enum ledger_property property,
    const char *fmt, ...)
{
	char note[192];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(note, sizeof(note), fmt, ap);
	va_end(ap);
	wrong(lg, property, &ledger_nothing, &ledger_nothing, note);
}

struct ledger_record
ledger_search(const struct ledger *lg, const struct ledger_record *before,
    ledger_match *match, struct ledger_record like)
{
	const struct ledger_record *found = NULL, *lr;
	const struct ledger_thread *lt;

	for (unsigned i = 0; i < lg->lg_threads; i++) {
		lt = lg->lg_thread[i];
		/* The thread may be writing beyond lt_tail. */
		for (uint64_t k = 1; k <= lt->lt_tail &&
		    k < LOG_RECORDS - LOG_UNCHECKED; k++) {
			lr = &lt->lt_log[(lt->lt_tail - k) % LOG_RECORDS];
			if (lr->lr_op < LEDGER_OPS && (before == NULL ||
			    lr->lr_seq < before->lr_seq) && match(lr, &like)) {
				if (found == NULL || lr->lr_seq > found->lr_seq)
					found = lr;
				break;
			}
		}
	}
	return (found == NULL ? like : *found);
}

bool
ledger_same_op(const struct ledger_record *lr, const struct ledger_record *like)
{
	return (lr->lr_op == like->lr_op);
}

bool
ledger_same_key(const struct ledger_record *lr,
    const struct ledger_record *like)
{
	return (lr->lr_key == like->lr_key && lr->lr_op == like->lr_op);
}

/* Whether the pool holds what was put into it; it may count up to INT32_MAX. */
static bool
holds(const struct ledger_core *lc, unsigned pool, uint64_t held)
{
	return (held == LEDGER_UNCOUNTED || held == lc->lc_held[pool] ||
	    (held >= INT32_MAX && held < lc->lc_held[pool]));
}

static void
check_event(const struct at *at, struct ledger_core *lc)
{
	const struct ledger_record first = lc->lc_event;
	struct ledger_record *lr = at->at_lr;
	const unsigned pool = (unsigned)uint128_lo(lr->lr_lo);
	const uint64_t held = lr->lr_word;

	if (lr->lr_flag) {
		at->at_lt->lt_given++;
		at->at_lg->lg_given++;
		at->at_lg->lg_result.le_events++;
	}
	lc->lc_held[pool] += uint128_lo(lr->lr_hi);
	lc->lc_event = *ledger_record(at, 0, lr->lr_generation);
	if (!holds(lc, pool, held))
		ledger_wrong(at->at_lg, LEDGER_EVENTS, &first, &lc->lc_event);
}

static void
check_pool(const struct at *at, struct ledger_core *lc)
{
	const unsigned pool = (unsigned)uint128_lo(at->at_lr->lr_lo);
	const uint32_t bit = UINT32_C(1) << pool;
	struct ledger_record second = *at->at_lr;

	second.lr_op = LEDGER_DRAIN;
	second.lr_seq = at->at_lg->lg_result.le_records + 1;
	second.lr_lo = uint128_make(0, pool + 1);
	second.lr_hi = uint128_make(0, lc->lc_drains + 1);
	if (!holds(lc, pool, at->at_lr->lr_word))
		ledger_wrong(at->at_lg, LEDGER_EVENTS, &lc->lc_event, &second);
	if ((lc->lc_taken & bit) != 0)
		ledger_wrong(at->at_lg, LEDGER_POOLS, &lc->lc_drained, &second);
	if (pool == 0)
		lc->lc_pool0 = lc->lc_held[0];
	lc->lc_taken |= bit;
	lc->lc_taken_pools++;
	lc->lc_held[pool] = 0;
}

static void
check_drain(const struct at *at, struct ledger_core *lc)
{
	const struct ledger_core_rule *lu = &lc->lc_rule;
	const int64_t pace_ns = at->at_lg->lg_config.lc_pace_ns;
	const struct ledger_record first = lc->lc_drained;
	const unsigned n = lc->lc_taken_pools;
	struct ledger_record *lr = at->at_lr;
	const int64_t now_ns = (int64_t)lr->lr_word;
	const bool some = lc->lc_drains++ > 0;

	lr->lr_lo = uint128_make(0, n);
	lr->lr_hi = uint128_make((uint64_t)now_ns, lc->lc_drains);
	lc->lc_drained = *ledger_record(at, 0, lr->lr_generation);
	if (lr->lr_flag && pace_ns != 0 && some &&
	    now_ns - lc->lc_drained_ns <= pace_ns)
		ledger_wrong(at->at_lg, LEDGER_PACE, &first, lr);
	/* Pools 0 to n - 1, each once. */
	if (n == 0 || lc->lc_taken != UINT32_MAX >> (32 - n) ||
	    lc->lc_pool0 < lu->lu_pool0_bytes ||
	    (lu->lu_due != NULL && n != lu->lu_due(lc->lc_drains)))
		ledger_wrong(at->at_lg, LEDGER_POOLS, &first, lr);
	lc->lc_drained_ns = now_ns;
	lc->lc_taken = 0;
	lc->lc_taken_pools = 0;
	lc->lc_pool0 = 0;
}

static void
seed_unused(struct ledger *lg, unsigned core)
{
	ledger_wrong_note(lg, LEDGER_POOLS, "a reseed of core %u took a seed "
	    "from pools that no key was made of", core);
}

/* Replaces a hash among the seeds that are not used yet. */
static bool
replace_seed(struct ledger_core *lc, uint64_t hash, uint64_t other)
{
	for (unsigned i = 0; i < CORE_SEEDS; i++)
		if (lc->lc_seed[i] == hash) {
			lc->lc_seed[i] = other;
			return (true);
		}
	return (false);
}

void
ledger_cores_finish(struct ledger *lg)
{
	for (unsigned i = 0; i < lg->lg_cores; i++)
		for (unsigned k = 0; k < CORE_SEEDS; k++)
			if (lg->lg_core[i].lc_seed[k] != 0)
				seed_unused(lg, i);
}

static void
check_reseeded(const struct at *at, struct ledger_core *lc)
{
	const unsigned i = lc->lc_ends++ % CORE_RESEEDS;

	at->at_lt->lt_reseeding = NO_CORE;
	lc->lc_generation[i] = at->at_lt->lt_reseed;
	lc->lc_ended[i] = (uint32_t)++at->at_lg->lg_result.le_reseeds;
	atomic_store_explicit(&at->at_lg->lg_ended, lc->lc_ended[i],
	    memory_order_release);
	at->at_lr->lr_lo = uint128_make(0, at->at_lr->lr_generation);
	ledger_record(at, 0, at->at_lt->lt_reseed);
}

/*
 * The generation that a key of the core must go back to, in a read that began
 * when that many reseeds had ended; 0: to none.
 */
static uint32_t
core_needs(const struct ledger *lg, unsigned core, uint32_t ended)
{
	const uint32_t lag = lg->lg_config.lc_lag;
	const struct ledger_core *lc;
	uint32_t i;

	if (core == NO_CORE || lag == LEDGER_LAG_ANY)
		return (0);
	lc = &lg->lg_core[core];
	for (i = 0; i < lc->lc_ends && i < CORE_RESEEDS; i++)
		if ((int32_t)(ended - lc->lc_ended[(lc->lc_ends - 1 - i) %
		    CORE_RESEEDS]) >= 0)
			break;
	i += lag;
	if (i >= lc->lc_ends || i >= CORE_RESEEDS)
		return (0);
	return (lc->lc_generation[(lc->lc_ends - 1 - i) % CORE_RESEEDS]);
}

static bool
same_reseed(const struct ledger_record *lr, const struct ledger_record *like)
{
	return (lr->lr_op == LEDGER_RESEED &&
	    lr->lr_generation == like->lr_generation);
}

void
ledger_check_age(const struct at *at, const struct ledger_record *use)
{
	const struct ledger_thread *lt = at->at_lt;
	struct ledger *lg = at->at_lg;
	struct ledger_record first = { .lr_op = LEDGER_RESEED };

	/* What a reseed generates before its end is for later reads. */
	if (lt->lt_reseeding != NO_CORE)
		return;
	/* Most keys go back to the last reseed, which has ended. */
	if (lt->lt_last.l_generation == lg->lg_reseeds &&
	    lg->lg_result.le_reseeds == lg->lg_reseeds && lg->lg_reseeds > 0)
		return;
	/* Also a key that goes back to no reseed, when others do. */
	if ((lt->lt_last.l_core == NO_CORE || lg->lg_result.le_reseeds == 0) &&
	    lg->lg_cores > 0)
		ledger_wrong(lg, LEDGER_UNSEEDED, &ledger_nothing, use);
	first.lr_generation = core_needs(lg, lt->lt_last.l_core, lt->lt_ended);
	if (lt->lt_last.l_generation >= first.lr_generation)
		return;
	first.lr_lo = uint128_make(0, lt->lt_last.l_core);
	first = ledger_search(lg, use, same_reseed, first);
	ledger_wrong(lg, LEDGER_STALE, &first, use);
}

static void
check_begin(const struct at *at)
{
	struct ledger_thread *lt = at->at_lt;

	lt->lt_reading = true;
	lt->lt_used = 0;
	lt->lt_blocks = 0;
	lt->lt_ended = (uint32_t)uint128_lo(at->at_lr->lr_lo);
	at->at_lr->lr_lo = uint128_make(0, 0);
	ledger_record(at, 0, 0);
}

static void
check_end(const struct at *at)
{
	struct ledger *lg = at->at_lg;
	struct ledger_thread *lt = at->at_lt;
	const uint64_t bytes = uint128_lo(at->at_lr->lr_hi);
	const uint64_t block = lg->lg_block_bytes;
	const uint64_t stored = lg->lg_config.lc_stored_bytes;
	const struct ledger_record *end = ledger_record(at, 0, 0);

	lt->lt_reading = false;
	lg->lg_result.le_reads++;
	if (bytes > 0 && lg->lg_result.le_reseeds == 0 && lg->lg_cores > 0)
		ledger_wrong(lg, LEDGER_UNSEEDED, &ledger_nothing, end);
	/* Without a cipher no keystream is observed. */
	if (block != 0 && bytes > stored &&
	    (bytes - stored + block - 1) / block > lt->lt_blocks)
		ledger_wrong(lg, LEDGER_MADE, &ledger_nothing, end);
	ledger_check_kept(at, end);
}

static void
check_delivered(const struct at *at)
{
	const uint64_t n = at->at_lr->lr_word;
	const uint64_t put = at->at_lt->lt_given - at->at_lt->lt_delivering;

	if (!at->at_lr->lr_flag)
		at->at_lg->lg_given -= put;
	if (put != n && at->at_lg->lg_cores > 0)
		ledger_wrong_note(at->at_lg, LEDGER_EVENTS, "of %" PRIu64
		    " events given together %" PRIu64 " went into pools or "
		    "were refused", n, put);
}

void
ledger_check(struct ledger *lg, struct ledger_thread *lt,
    struct ledger_record *lr)
{
	struct ledger_core *lc = &lg->lg_core[lr->lr_generation];
	const struct at at = { lg, lt, lr };

	if (is_violated(lg))
		return;
	switch ((unsigned)lr->lr_op) {
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
		check_event(&at, lc);
		break;
	case LOGGED_POOL:
		check_pool(&at, lc);
		break;
	case LEDGER_DRAIN:
		check_drain(&at, lc);
		break;
	case LOGGED_SEED_TAKEN:
		if (!replace_seed(lc, 0, lr->lr_word))
			seed_unused(lg, lr->lr_generation);
		break;
	case LOGGED_SEED_USED:
		/* A seed from elsewhere is no fault. */
		(void)replace_seed(lc, lr->lr_word, 0);
		break;
	case LOGGED_RESEED:
		lt->lt_reseeding = lr->lr_generation;
		lt->lt_reseed = ++lg->lg_reseeds;
		break;
	case LEDGER_RESEED:
		check_reseeded(&at, lc);
		break;
	case LOGGED_LINEAGE:
		lt->lt_last = (struct lineage){
		    (uint32_t)(lr->lr_word >> 32) - 1, (uint32_t)lr->lr_word };
		break;
	case LOGGED_DELIVER:
		lt->lt_delivering = lt->lt_given;
		break;
	case LOGGED_DELIVERED:
		check_delivered(&at);
		break;
	case LOGGED_REFUSED:
		lt->lt_given++;
		lg->lg_given++;
		lg->lg_refused++;
		break;
	}
}
