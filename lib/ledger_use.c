/*
 * Keystream, held against what is known of its key, and the reads that it is
 * made in.
 */
#include <string.h>

#include "lib/ledger_impl.h"

/* Keys changed: what may have led to one that is unknown. */
static bool
any_change(const struct ledger_record *lr, const struct ledger_record *like)
{

	(void)like;
	return (lr->lr_key != 0 && (lr->lr_op == LEDGER_SET ||
	    lr->lr_op == LEDGER_WIPE));
}

void __attribute__((cold))
ledger_unknown_key(struct ledger_at *la)
{
	const struct ledger_record second = ledger_recorded(la);
	struct ledger_record first = second;
	bool known;

	if (second.lr_op == LEDGER_USE && atomic_load_explicit(
	    &la->la_lg->lg_reseeds, memory_order_relaxed) == 0 &&
	    atomic_load_explicit(&la->la_lg->lg_cores,
	    memory_order_relaxed) > 0) {
		ledger_wrong(la, LEDGER_UNSEEDED, NULL, &second);
		return;
	}
	known = ledger_search(la, any_change, &first);
	ledger_wrong(la, LEDGER_TORN, known ? &first : NULL, &second);
}

/* A use of the same key at some of the same counters, modulo 2^128. */
static bool
overlap(const struct ledger_record *lr, const struct ledger_record *like)
{
	uint64_t hi, lo;

	if (lr->lr_key != like->lr_key || lr->lr_op != LEDGER_USE)
		return (false);
	/* Whether its begin is in like, or like's in it. */
	lo = uint128_lo(lr->lr_lo) - uint128_lo(like->lr_lo);
	hi = uint128_hi(lr->lr_lo) - uint128_hi(like->lr_lo) -
	    (uint128_lo(lr->lr_lo) < uint128_lo(like->lr_lo));
	if (hi == 0 && lo < uint128_lo(like->lr_hi) - uint128_lo(like->lr_lo))
		return (true);
	lo = -lo;
	hi = -hi - (lo != 0);
	return (hi == 0 &&
	    lo < uint128_lo(lr->lr_hi) - uint128_lo(lr->lr_lo));
}

/* Whether b follows a, or is it; modulo 2^128, at most half of it apart. */
static inline bool
follows(uint128_t b, uint128_t a)
{
	uint64_t hi = uint128_hi(b) - uint128_hi(a) -
	    (uint128_lo(b) < uint128_lo(a));

	return (hi >> 63 == 0);
}

/* What is wrong with a use, of which the key is known. */
enum use_verdict {
	USE_GOOD,
	USE_GONE,
	USE_REUSES,
	USE_EARLY,	/* before the key was K */
	USE_LATE	/* at counters that are the next K's */
};

static enum use_verdict
use_key(struct ledger *lg, struct ledger_key *lk, uint128_t ctr,
    uint64_t blocks)
{
	uint128_t last = ctr;

	if (lk == NULL || lk->lk_objects == 0)
		return (USE_GONE);
	if (!ledger_add_blocks(lg, lk, ctr, blocks))
		return (USE_REUSES);
	if (!lk->lk_is_installed)
		return (USE_GOOD);
	if (!follows(ctr, lk->lk_installed))
		return (USE_EARLY);
	uint128_add64(&last, blocks - 1);
	if (lk->lk_is_retired && follows(last, lk->lk_retired))
		return (USE_LATE);
	return (USE_GOOD);
}

static bool
same_or_next_install(const struct ledger_record *lr,
    const struct ledger_record *like)
{

	return (lr->lr_op == LEDGER_INSTALL &&
	    uint128_equals(lr->lr_lo, like->lr_lo));
}

static bool
that_reseed(const struct ledger_record *lr, const struct ledger_record *like)
{

	return (lr->lr_op == LEDGER_RESEED &&
	    lr->lr_generation == like->lr_generation);
}

static void __attribute__((noinline, cold))
use_wrong(struct ledger_at *la, enum use_verdict verdict, uint128_t bound)
{
	const struct ledger_record use = ledger_recorded(la);
	struct ledger_record first = use;

	first.lr_seq = 0;
	first.lr_time_ns = 0;
	switch (verdict) {
	case USE_REUSES:
		(void)ledger_search(la, overlap, &first);
		ledger_wrong(la, LEDGER_REUSE, &first, &use);
		break;
	case USE_EARLY:
	case USE_LATE:
		first.lr_op = LEDGER_INSTALL;
		first.lr_lo = bound;
		(void)ledger_search(la, same_or_next_install, &first);
		ledger_wrong(la, LEDGER_TORN, &first, &use);
		break;
	case USE_GONE:
		ledger_unknown_key(la);
		break;
	case USE_GOOD:
		break;
	}
}

/* Whether the key that a read has used is too old, or of no reseed at all. */
static void __attribute__((noinline))
use_old(struct ledger_at *la)
{
	const struct ledger_thread *lt = la->la_thread;
	struct ledger_record first, use;
	uint32_t needed;

	/* Also a key that goes back to no reseed, when others do. */
	if ((lt->lt_core == LEDGER_NO_CORE || atomic_load_explicit(
	    &la->la_lg->lg_ended, memory_order_relaxed) == 0) &&
	    atomic_load_explicit(&la->la_lg->lg_cores,
	    memory_order_relaxed) > 0) {
		use = ledger_recorded(la);
		ledger_wrong(la, LEDGER_UNSEEDED, NULL, &use);
	}
	needed = ledger_core_needs(la->la_lg, lt->lt_core, lt->lt_ended);
	if (lt->lt_generation < needed) {
		first = (struct ledger_record){ .lr_op = LEDGER_RESEED,
		    .lr_lo = uint128_make(0, lt->lt_core),
		    .lr_generation = needed };
		(void)ledger_search(la, that_reseed, &first);
		use = ledger_recorded(la);
		ledger_wrong(la, LEDGER_STALE, &first, &use);
	}
}

/* In a read: the key must go when it returns, and must not be too old. */
static inline void
use_in_read(struct ledger_at *la, const struct ledger_print *lf, uint32_t key)
{
	struct ledger_thread *lt = la->la_thread;
	struct ledger *lg = la->la_lg;
	unsigned i;

	/* What goes back to the last reseed, which has ended, is neither. */
	if (lt->lt_generation != atomic_load_explicit(&lg->lg_reseeds,
	    memory_order_relaxed) || atomic_load_explicit(&lg->lg_ended,
	    memory_order_relaxed) == 0)
		use_old(la);
	for (i = lt->lt_used; i-- > 0;)
		if (lt->lt_key[i].lt_number == key)
			return;
	/* So many at a time: the oldest is not watched any more. */
	if (lt->lt_used == LEDGER_USED_MAX)
		memmove(&lt->lt_key[0], &lt->lt_key[1],
		    --lt->lt_used * sizeof(lt->lt_key[0]));
	lt->lt_key[lt->lt_used].lt_print = *lf;
	lt->lt_key[lt->lt_used++].lt_number = key;
}

void
ledger_use(struct ledger *lg, const uint8_t *key, uint128_t ctr,
    uint64_t blocks)
{
	struct ledger_record lr = { .lr_op = LEDGER_USE, .lr_lo = ctr,
	    .lr_hi = ctr };
	enum use_verdict verdict = USE_GONE;
	struct ledger_key *bucket, *lk;
	struct ledger_print lf = { 0, 0 };
	struct ledger_thread *lt;
	struct ledger_at la;
	uint128_t bound = ctr;

	if (blocks == 0)
		return;
	ledger_enter_in_read(lg, &la);
	ledger_with_keys(&la);
	lt = la.la_thread;
	uint128_add64(&lr.lr_hi, blocks);
	if (ledger_fingerprint(lg, key, &lf)) {
		bucket = ledger_bucket(lg, &lf);
		ledger_lock_keys(&la, &bucket->lk_lock);
		lk = ledger_find(lg, bucket, &lf);
		verdict = use_key(lg, lk, ctr, blocks);
		if (lk != NULL) {
			lr.lr_key = lk->lk_number;
			lr.lr_generation = lt->lt_generation =
			    lk->lk_generation;
			lt->lt_core = lk->lk_core;
			if (verdict == USE_EARLY)
				bound = lk->lk_installed;
			else if (verdict == USE_LATE)
				bound = lk->lk_retired;
		}
		ledger_unlock_keys(&la, &bucket->lk_lock);
	}
	ledger_add(&lt->lt_counts.lo_blocks, blocks);
	ledger_record(&la, lr);
	if (__builtin_expect(verdict != USE_GOOD, 0))
		use_wrong(&la, verdict, bound);
	else if (lt->lt_reading)
		use_in_read(&la, &lf, lr.lr_key);
	ledger_leave(&la);
}

void
ledger_begin(struct ledger *lg, uint64_t bytes)
{
	struct ledger_record lr = { .lr_op = LEDGER_BEGIN,
	    .lr_hi = uint128_make(0, bytes) };
	struct ledger_at la;

	ledger_enter(lg, &la);
	la.la_thread->lt_reading = true;
	la.la_thread->lt_used = 0;
	la.la_thread->lt_made = atomic_load_explicit(
	    &la.la_thread->lt_counts.lo_blocks, memory_order_relaxed);
	la.la_thread->lt_ended = atomic_load_explicit(&lg->lg_ended,
	    memory_order_acquire);
	ledger_record(&la, lr);
	ledger_leave(&la);
}

/*
 * Whether a read that returns so many bytes has made them.  A ledger without
 * ciphers is told of no keystream.
 */
static bool
made_enough(const struct ledger *lg, const struct ledger_thread *lt,
    uint64_t bytes)
{
	const uint64_t block_bytes = atomic_load_explicit(&lg->lg_block_bytes,
	    memory_order_relaxed);
	const uint64_t blocks = atomic_load_explicit(&lt->lt_counts.lo_blocks,
	    memory_order_relaxed) - lt->lt_made;

	return (block_bytes == 0 || bytes <= lg->lg_config.lc_stored_bytes ||
	    (bytes - lg->lg_config.lc_stored_bytes + block_bytes - 1) /
	    block_bytes <= blocks);
}

static void __attribute__((noinline, cold))
end_wrong(struct ledger_at *la, enum ledger_property property)
{
	const struct ledger_record end = ledger_recorded(la);

	ledger_wrong(la, property, NULL, &end);
}

void
ledger_end(struct ledger *lg, uint64_t bytes)
{
	struct ledger_record lr = { .lr_op = LEDGER_END,
	    .lr_hi = uint128_make(0, bytes) };
	struct ledger_at la;

	ledger_enter_again(lg, &la);
	la.la_thread->lt_reading = false;
	ledger_add(&la.la_thread->lt_counts.lo_reads, 1);
	ledger_record(&la, lr);
	if (bytes > 0 && atomic_load_explicit(&lg->lg_ended,
	    memory_order_relaxed) == 0 && atomic_load_explicit(&lg->lg_cores,
	    memory_order_relaxed) > 0)
		end_wrong(&la, LEDGER_UNSEEDED);
	if (!made_enough(lg, la.la_thread, bytes))
		end_wrong(&la, LEDGER_MADE);
	if (la.la_thread->lt_used > 0)
		ledger_keys_returned(&la);
	ledger_leave(&la);
}
