/*
 * Keys: by fingerprint, in a table of places with a lock each.
 *
 * A place is found by the fingerprint, so that a new key, its use and its end
 * touch the same one or two cache lines and no others of the table.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ledger_impl.h"

/* The product of two words, its halves added up. */
static inline uint64_t
mul_fold(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__)
	__extension__ unsigned __int128 product = (unsigned __int128)a * b;

	return ((uint64_t)product ^ (uint64_t)(product >> 64));
#else
	uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
	uint64_t mid = ah * bl + (al * bl >> 32), more = al * bh +
	    (uint32_t)mid;

	return ((a * b) ^ (ah * bh + (mid >> 32) + (more >> 32)));
#endif
}

/*
 * Two keyed hashes of the four words of a key.  Who has the secret and the
 * fingerprint knows 96 bits about 256.
 *
 * Returns: whether there is a key at all.
 */
static inline bool
fingerprint(const struct ledger *lg, const uint8_t *key,
    struct ledger_print *lf)
{
	const uint64_t *secret = lg->lg_secret;
	uint64_t w[CIPHER_KEY_BYTES / sizeof(uint64_t)];

	memcpy(w, key, sizeof(w));
	if ((w[0] | w[1] | w[2] | w[3]) == 0)
		return (false);
	lf->lf_a = mul_fold(w[0] ^ secret[0], w[1] ^ secret[1]) +
	    mul_fold(w[2] ^ secret[2], w[3] ^ secret[3]);
	lf->lf_b = (uint32_t)(mul_fold(w[0] ^ secret[4], w[2] ^ secret[5]) +
	    mul_fold(w[1] ^ secret[6], w[3] ^ secret[7]));
	return (true);
}

int
ledger_keys_init(struct ledger *lg)
{
	const size_t places = LEDGER_BUCKETS * sizeof(*lg->lg_bucket);
	const size_t spares = LEDGER_SPARES * sizeof(*lg->lg_spare);
	struct ledger_key *lk;
	unsigned i;

	lg->lg_room = malloc((LEDGER_BUCKETS + LEDGER_SPARES) * LEDGER_ROOM *
	    sizeof(*lg->lg_room));
	lg->lg_bucket = aligned_alloc(LINE, places);
	lg->lg_spare = aligned_alloc(LINE, spares);
	lg->lg_chunk[0] = malloc(sizeof(*lg->lg_chunk[0]));
	if (lg->lg_bucket == NULL || lg->lg_spare == NULL ||
	    lg->lg_room == NULL || lg->lg_chunk[0] == NULL)
		return (ENOMEM);
	lg->lg_chunks = 1;
	memset(lg->lg_bucket, 0, places);
	memset(lg->lg_spare, 0, spares);
	for (i = 0; i < LEDGER_BUCKETS + LEDGER_SPARES; i++) {
		lk = i < LEDGER_BUCKETS ? &lg->lg_bucket[i] :
		    &lg->lg_spare[i - LEDGER_BUCKETS];
		lk->lk_more = &lg->lg_room[i * LEDGER_ROOM];
		lk->lk_more_room = LEDGER_ROOM;
	}
	return (0);
}

/* What is in the places is of another epoch from now on. */
void
ledger_keys_reset(struct ledger *lg)
{

	lg->lg_dead = 0;
}

/* Whether its ranges are still where it had room for them at first. */
static bool
first_room(const struct ledger *lg, const struct ledger_key *lk)
{

	return (lk->lk_more >= lg->lg_room && lk->lk_more < lg->lg_room +
	    (LEDGER_BUCKETS + LEDGER_SPARES) * LEDGER_ROOM);
}

void
ledger_keys_fini(struct ledger *lg)
{
	struct ledger_key *lk, *next;
	unsigned i;

	for (i = 0; lg->lg_bucket != NULL && i < LEDGER_BUCKETS; i++)
		for (lk = &lg->lg_bucket[i]; lk != NULL; lk = next) {
			next = lk->lk_next;
			if (!first_room(lg, lk))
				free(lk->lk_more);
			if (lk != &lg->lg_bucket[i] && (lk < lg->lg_spare ||
			    lk >= lg->lg_spare + LEDGER_SPARES))
				free(lk);
		}
	free(lg->lg_bucket);
	free(lg->lg_spare);
	free(lg->lg_room);
	for (i = 0; i < LEDGER_CHUNKS; i++)
		free(lg->lg_chunk[i]);
}

static struct ledger_key *
bucket_of(struct ledger *lg, const struct ledger_print *lf)
{

	return (&lg->lg_bucket[lf->lf_a % LEDGER_BUCKETS]);
}

/* The key in its bucket, alive or gone; NULL: it is not there. */
static struct ledger_key *
find(const struct ledger *lg, struct ledger_key *bucket,
    const struct ledger_print *lf)
{
	struct ledger_key *lk;

	for (lk = bucket; lk != NULL; lk = lk->lk_next)
		if (lk->lk_a == lf->lf_a && lk->lk_b == lf->lf_b &&
		    lk->lk_epoch == lg->lg_epoch)
			return (lk);
	return (NULL);
}

/* One more place in a bucket; NULL when there is no memory. */
static struct ledger_key *
add_place(struct ledger *lg, struct ledger_key *bucket)
{
	struct ledger_key *lk;
	uint32_t spare;

	spare = atomic_fetch_add(&lg->lg_spares, 1);
	if (spare < LEDGER_SPARES) {
		lk = &lg->lg_spare[spare];
	} else {
		lk = aligned_alloc(_Alignof(struct ledger_key), sizeof(*lk));
		if (lk == NULL) {
			atomic_store(&lg->lg_error, ENOMEM);
			return (NULL);
		}
		memset(lk, 0, sizeof(*lk));
	}
	lk->lk_next = bucket->lk_next;
	bucket->lk_next = lk;
	return (lk);
}

/* A place in the bucket that has no key, or one that is gone. */
static struct ledger_key *
place(struct ledger *lg, struct ledger_key *bucket)
{
	struct ledger_key *lk;

	for (lk = bucket; lk != NULL; lk = lk->lk_next)
		if (lk->lk_epoch != lg->lg_epoch || lk->lk_objects == 0)
			return (lk);
	return (add_place(lg, bucket));
}

/* A thread's next slice of the keys that are gone. */
static void
dead_slice(struct ledger *lg, struct ledger_thread *lt)
{
	unsigned chunk;
	uint64_t at;

	ledger_lock(&lg->lg_dead_lock);
	at = lg->lg_dead % LEDGER_DEAD_MAX;
	chunk = (unsigned)(at / LEDGER_CHUNK);
	if (chunk == lg->lg_chunks) {
		lg->lg_chunk[chunk] = malloc(sizeof(*lg->lg_chunk[chunk]));
		if (lg->lg_chunk[chunk] == NULL) {
			ledger_unlock(&lg->lg_dead_lock);
			atomic_store(&lg->lg_error, ENOMEM);
			return;
		}
		lg->lg_chunks++;
	}
	lg->lg_dead += LEDGER_SLICE;
	ledger_unlock(&lg->lg_dead_lock);
	lt->lt_dead = &lg->lg_chunk[chunk]->lc_dead[at % LEDGER_CHUNK];
	memset(lt->lt_dead, 0, LEDGER_SLICE * sizeof(*lt->lt_dead));
	lt->lt_dead_left = LEDGER_SLICE;
}

static void
bury(struct ledger_at *la, const struct ledger_print *lf, uint32_t number)
{
	struct ledger_thread *lt = la->la_thread;

	if (lt->lt_dead_left == 0)
		dead_slice(la->la_lg, lt);
	if (lt->lt_dead_left == 0)
		return;
	*lt->lt_dead++ = (struct ledger_dead){ .ld_a = lf->lf_a,
	    .ld_b = lf->lf_b, .ld_number = number };
	lt->lt_dead_left--;
}

static bool
same_key(const struct ledger_record *lr, const struct ledger_record *like)
{

	return (lr->lr_key == like->lr_key && lr->lr_op == like->lr_op);
}

/* Keys changed: what may have led to one that is unknown. */
static bool
any_change(const struct ledger_record *lr, const struct ledger_record *like)
{

	(void)like;
	return (lr->lr_key != 0 && (lr->lr_op == LEDGER_SET ||
	    lr->lr_op == LEDGER_WIPE));
}

/* Counters modulo 2^128, from one that is known to be the lower. */
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

/* A violation with a key that nobody has set, or not to all appearances. */
static void
unknown_key(struct ledger_at *la, const struct ledger_record *second)
{
	struct ledger_record first = *second;
	bool known;

	if (second->lr_op == LEDGER_USE && atomic_load_explicit(
	    &la->la_lg->lg_reseeds, memory_order_relaxed) == 0 &&
	    atomic_load_explicit(&la->la_lg->lg_cores,
	    memory_order_relaxed) > 0) {
		ledger_wrong(la, LEDGER_UNSEEDED, NULL, second);
		return;
	}
	known = ledger_search(la->la_lg, any_change, &first);
	ledger_wrong(la, LEDGER_TORN, known ? &first : NULL, second);
}

/* The object no longer has the key. */
static void
lose(struct ledger_at *la, const struct ledger_print *lf)
{
	struct ledger *lg = la->la_lg;
	struct ledger_thread *lt = la->la_thread;
	struct ledger_key *bucket = bucket_of(lg, lf), *lk;
	struct ledger_record lr = { .lr_op = LEDGER_WIPE };
	unsigned i;

	ledger_lock(&bucket->lk_lock);
	lk = find(lg, bucket, lf);
	if (lk != NULL && lk->lk_objects > 0) {
		lr.lr_key = lk->lk_number;
		lr.lr_generation = lk->lk_generation;
		lr.lr_wiped = --lk->lk_objects == 0;
	}
	ledger_unlock(&bucket->lk_lock);
	ledger_record(la, &lr);
	if (lr.lr_key == 0)
		unknown_key(la, &lr);
	if (!lr.lr_wiped)
		return;
	ledger_add(&lt->lt_counts.lo_wipes, 1);
	bury(la, lf, lr.lr_key);
	for (i = lt->lt_used; i-- > 0;)
		if (lt->lt_key[i].lt_number == lr.lr_key)
			lt->lt_key[i] = lt->lt_key[--lt->lt_used];
}

/* Makes the place the key's. */
static void
fill(struct ledger_at *la, struct ledger_key *lk, const struct ledger_print *lf)
{
	struct ledger_thread *lt = la->la_thread;
	struct ledger *lg = la->la_lg;

	lk->lk_a = lf->lf_a;
	lk->lk_b = lf->lf_b;
	lk->lk_epoch = lg->lg_epoch;
	if (lt->lt_numbers == 0) {
		lt->lt_numbers = lt->lt_simulated || lg->lg_config.lc_log !=
		    NULL ? 1 : LEDGER_NUMBERS;
		lt->lt_number = atomic_fetch_add_explicit(&lg->lg_numbers,
		    lt->lt_numbers, memory_order_relaxed) + 1;
	}
	lt->lt_numbers--;
	lk->lk_number = lt->lt_number++;
	if (lt->lt_reseeding != LEDGER_NO_CORE) {
		lk->lk_core = lt->lt_reseeding;
		lk->lk_generation = lt->lt_reseed;
	} else {
		lk->lk_core = lt->lt_core;
		lk->lk_generation = lt->lt_generation;
	}
	lk->lk_objects = 1;
	lk->lk_ranges = 0;
	lk->lk_is_installed = lk->lk_is_retired = false;
}

static void
gain(struct ledger_at *la, const struct ledger_print *lf)
{
	struct ledger *lg = la->la_lg;
	struct ledger_key *bucket = bucket_of(lg, lf), *lk;
	struct ledger_record first, lr = { .lr_op = LEDGER_SET };
	bool again = false, made = false;

	ledger_lock(&bucket->lk_lock);
	lk = find(lg, bucket, lf);
	if (lk != NULL && lk->lk_objects++ == 0) {
		again = true;
	} else if (lk == NULL) {
		lk = place(lg, bucket);
		if (lk != NULL)
			fill(la, lk, lf);
		made = true;
	}
	if (lk != NULL) {
		lr.lr_key = lk->lk_number;
		lr.lr_generation = lk->lk_generation;
	}
	ledger_unlock(&bucket->lk_lock);
	if (made)
		ledger_add(&la->la_thread->lt_counts.lo_keys, 1);
	ledger_record(la, &lr);
	if (!again)
		return;
	first = lr;
	first.lr_op = LEDGER_WIPE;
	first.lr_wiped = true;
	first.lr_seq = 0;
	first.lr_time_ns = 0;
	(void)ledger_search(lg, same_key, &first);
	ledger_wrong(la, LEDGER_REVIVED, &first, &lr);
}

void
ledger_key_set(struct ledger *lg, const uint8_t *had, const uint8_t *key)
{
	struct ledger_print new = { 0, 0 }, old = { 0, 0 };
	struct ledger_at la;
	bool gains, loses;

	loses = fingerprint(lg, had, &old);
	gains = fingerprint(lg, key, &new);
	if (!gains && !loses)
		return;
	/* One that is set was just drawn. */
	if (gains)
		ledger_enter_again(lg, &la);
	else
		ledger_enter(lg, &la);
	if (loses)
		lose(&la, &old);
	if (gains)
		gain(&la, &new);
	ledger_leave(&la);
}

static inline bool
less(uint128_t a, uint128_t b)
{

	return (uint128_hi(a) < uint128_hi(b) ||
	    (uint128_hi(a) == uint128_hi(b) && uint128_lo(a) < uint128_lo(b)));
}

/* Whether b follows a, or is it; modulo 2^128, at most half of it apart. */
static inline bool
follows(uint128_t b, uint128_t a)
{
	uint64_t hi = uint128_hi(b) - uint128_hi(a) -
	    (uint128_lo(b) < uint128_lo(a));

	return (hi >> 63 == 0);
}

/* a + 1 == b, without going round. */
static inline bool
adjacent(uint128_t a, uint128_t b)
{

	uint128_increment(&a);
	return (uint128_equals(a, b) && !uint128_is_zero(a));
}

/* Joins to range what touches it; false: they are apart. */
static inline bool
join(struct ledger_range *range, const struct ledger_range *more)
{

	if (adjacent(range->lx_last, more->lx_first))
		range->lx_last = more->lx_last;
	else if (adjacent(more->lx_last, range->lx_first))
		range->lx_first = more->lx_first;
	else
		return (false);
	return (true);
}

static inline bool
meets(const struct ledger_range *a, const struct ledger_range *b)
{

	return (!less(a->lx_last, b->lx_first) &&
	    !less(b->lx_last, a->lx_first));
}

/* One range apart from all others of the key. */
static void
add_apart(struct ledger *lg, struct ledger_key *lk,
    const struct ledger_range *range)
{
	struct ledger_range *more;
	uint32_t max, room;

	if (lk->lk_ranges > 0 && lk->lk_ranges - 1u == lk->lk_more_room) {
		room = lk->lk_more_room == 0 ? LEDGER_ROOM :
		    2 * lk->lk_more_room;
		more = room > UINT16_MAX ? NULL : malloc(room * sizeof(*more));
		if (more == NULL) {
			atomic_store(&lg->lg_error, ENOMEM);
			return;
		}
		if (lk->lk_more_room > 0)
			memcpy(more, lk->lk_more, lk->lk_more_room *
			    sizeof(*more));
		if (!first_room(lg, lk))
			free(lk->lk_more);
		lk->lk_more = more;
		lk->lk_more_room = room;
	}
	if (lk->lk_ranges == 0)
		lk->lk_range = *range;
	else
		lk->lk_more[lk->lk_ranges - 1] = *range;
	lk->lk_ranges++;
	max = atomic_load_explicit(&lg->lg_ranges_max, memory_order_relaxed);
	while (lk->lk_ranges > max && !atomic_compare_exchange_weak(
	    &lg->lg_ranges_max, &max, lk->lk_ranges))
		;
}

static inline struct ledger_range *
range_at(struct ledger_key *lk, unsigned i)
{

	return (i == 0 ? &lk->lk_range : &lk->lk_more[i - 1]);
}

/*
 * Adds a range to those used, joined with its neighbours.
 *
 * Returns: whether it is disjoint from all of them.
 */
static bool
add_range(struct ledger *lg, struct ledger_key *lk, struct ledger_range range)
{
	unsigned i, joined;

	for (i = 0; i < lk->lk_ranges; i++)
		if (meets(range_at(lk, i), &range))
			return (false);
	for (joined = 0; joined < lk->lk_ranges; joined++)
		if (join(range_at(lk, joined), &range))
			break;
	if (joined == lk->lk_ranges) {
		add_apart(lg, lk, &range);
		return (true);
	}
	/* It may have closed a gap to one more, which comes later. */
	for (i = joined + 1; i < lk->lk_ranges; i++)
		if (join(range_at(lk, joined), range_at(lk, i))) {
			*range_at(lk, i) = *range_at(lk, lk->lk_ranges - 1u);
			lk->lk_ranges--;
			break;
		}
	return (true);
}

/* The same for blocks from a counter on, which may go round. */
static bool
add_blocks(struct ledger *lg, struct ledger_key *lk, uint128_t ctr,
    uint64_t blocks)
{
	const uint128_t max = uint128_make(UINT64_MAX, UINT64_MAX);
	struct ledger_range range = { .lx_first = ctr, .lx_last = ctr };

	uint128_add64(&range.lx_last, blocks - 1);
	if (!less(range.lx_last, range.lx_first))
		return (add_range(lg, lk, range));
	return (add_range(lg, lk, (struct ledger_range){ ctr, max }) &&
	    add_range(lg, lk, (struct ledger_range){ uint128_make(0, 0),
	    range.lx_last }));
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
	if (!add_blocks(lg, lk, ctr, blocks))
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
use_wrong(struct ledger_at *la, enum use_verdict verdict, uint128_t bound,
    const struct ledger_record *use)
{
	struct ledger_record first = *use;

	first.lr_seq = 0;
	first.lr_time_ns = 0;
	switch (verdict) {
	case USE_REUSES:
		(void)ledger_search(la->la_lg, overlap, &first);
		ledger_wrong(la, LEDGER_REUSE, &first, use);
		break;
	case USE_EARLY:
	case USE_LATE:
		first.lr_op = LEDGER_INSTALL;
		first.lr_lo = bound;
		(void)ledger_search(la->la_lg, same_or_next_install, &first);
		ledger_wrong(la, LEDGER_TORN, &first, use);
		break;
	case USE_GONE:
		unknown_key(la, use);
		break;
	case USE_GOOD:
		break;
	}
}

/* In a read: the key must go when it returns, and must not be too old. */
static void
use_in_read(struct ledger_at *la, const struct ledger_print *lf,
    const struct ledger_record *use)
{
	struct ledger_thread *lt = la->la_thread;
	struct ledger_record first;
	unsigned i;
	uint32_t needed;

	if (atomic_load_explicit(&la->la_lg->lg_ended,
	    memory_order_relaxed) == 0 && atomic_load_explicit(
	    &la->la_lg->lg_cores, memory_order_relaxed) > 0)
		ledger_wrong(la, LEDGER_UNSEEDED, NULL, use);
	needed = ledger_core_needs(la->la_lg, lt->lt_core, lt->lt_ended);
	if (lt->lt_generation < needed) {
		first = (struct ledger_record){ .lr_op = LEDGER_RESEED,
		    .lr_lo = uint128_make(0, lt->lt_core),
		    .lr_generation = needed };
		(void)ledger_search(la->la_lg, that_reseed, &first);
		ledger_wrong(la, LEDGER_STALE, &first, use);
	}
	for (i = lt->lt_used; i-- > 0;)
		if (lt->lt_key[i].lt_number == use->lr_key)
			return;
	/* So many at a time: the oldest is not watched any more. */
	if (lt->lt_used == LEDGER_USED_MAX)
		memmove(&lt->lt_key[0], &lt->lt_key[1],
		    --lt->lt_used * sizeof(lt->lt_key[0]));
	lt->lt_key[lt->lt_used].lt_print = *lf;
	lt->lt_key[lt->lt_used++].lt_number = use->lr_key;
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
	struct ledger_at la;
	uint128_t bound = ctr;

	if (blocks == 0)
		return;
	ledger_enter(lg, &la);
	uint128_add64(&lr.lr_hi, blocks);
	if (fingerprint(lg, key, &lf)) {
		bucket = bucket_of(lg, &lf);
		ledger_lock(&bucket->lk_lock);
		lk = find(lg, bucket, &lf);
		verdict = use_key(lg, lk, ctr, blocks);
		if (lk != NULL) {
			lr.lr_key = lk->lk_number;
			lr.lr_generation = la.la_thread->lt_generation =
			    lk->lk_generation;
			la.la_thread->lt_core = lk->lk_core;
			if (verdict == USE_EARLY)
				bound = lk->lk_installed;
			else if (verdict == USE_LATE)
				bound = lk->lk_retired;
		}
		ledger_unlock(&bucket->lk_lock);
	}
	ledger_add(&la.la_thread->lt_counts.lo_blocks, blocks);
	ledger_record(&la, &lr);
	if (__builtin_expect(verdict != USE_GOOD, 0))
		use_wrong(&la, verdict, bound, &lr);
	else if (la.la_thread->lt_reading)
		use_in_read(&la, &lf, &lr);
	ledger_leave(&la);
}

void
ledger_install(struct ledger *lg, unsigned core, const uint8_t *key,
    uint128_t ctr)
{
	struct ledger_record lr = { .lr_op = LEDGER_INSTALL, .lr_lo = ctr,
	    .lr_hi = uint128_make(0, core) };
	struct ledger_core *lc = &lg->lg_core[core];
	struct ledger_key *bucket, *lk;
	struct ledger_print lf, old;
	struct ledger_at la;
	bool had;

	if (!fingerprint(lg, key, &lf))
		return;
	ledger_enter_again(lg, &la);
	ledger_lock(&lc->lc_lock);
	had = lc->lc_keyed;
	old = lc->lc_key;
	lc->lc_key = lf;
	lc->lc_keyed = true;
	ledger_unlock(&lc->lc_lock);
	if (had && !ledger_print_equals(&old, &lf)) {
		bucket = bucket_of(lg, &old);
		ledger_lock(&bucket->lk_lock);
		lk = find(lg, bucket, &old);
		if (lk != NULL && lk->lk_objects > 0) {
			lk->lk_retired = ctr;
			lk->lk_is_retired = true;
		}
		ledger_unlock(&bucket->lk_lock);
	}
	bucket = bucket_of(lg, &lf);
	ledger_lock(&bucket->lk_lock);
	lk = find(lg, bucket, &lf);
	if (lk != NULL) {
		lk->lk_installed = ctr;
		lk->lk_is_installed = true;
		lr.lr_key = lk->lk_number;
		lr.lr_generation = lk->lk_generation;
	}
	ledger_unlock(&bucket->lk_lock);
	ledger_record(&la, &lr);
	if (lr.lr_key == 0)
		unknown_key(&la, &lr);
	ledger_leave(&la);
}

uint64_t
ledger_lineage(struct ledger *lg)
{
	struct ledger_at la;

	ledger_enter(lg, &la);
	ledger_leave(&la);
	return ((uint64_t)la.la_thread->lt_core << 32 |
	    la.la_thread->lt_generation);
}

void
ledger_set_lineage(struct ledger *lg, uint64_t lineage)
{
	struct ledger_at la;

	ledger_enter(lg, &la);
	la.la_thread->lt_core = (uint16_t)(lineage >> 32);
	la.la_thread->lt_generation = (uint32_t)lineage;
	ledger_leave(&la);
}

void
ledger_keys_returned(struct ledger_at *la, struct ledger_record *end)
{
	struct ledger_thread *lt = la->la_thread;
	struct ledger *lg = la->la_lg;
	struct ledger_key *bucket, *lk;
	struct ledger_record first;
	bool kept;
	unsigned i;

	for (i = 0; i < lt->lt_used; i++) {
		bucket = bucket_of(lg, &lt->lt_key[i].lt_print);
		ledger_lock(&bucket->lk_lock);
		lk = find(lg, bucket, &lt->lt_key[i].lt_print);
		kept = lk != NULL && lk->lk_objects > 0;
		ledger_unlock(&bucket->lk_lock);
		if (!kept)
			continue;
		first = (struct ledger_record){ .lr_op = LEDGER_USE,
		    .lr_key = lt->lt_key[i].lt_number };
		(void)ledger_search(lg, same_key, &first);
		ledger_wrong(la, LEDGER_KEPT, &first, end);
	}
	lt->lt_used = 0;
}

/* Of all that are gone, the i-th. */
static const struct ledger_dead *
dead_at(const struct ledger *lg, uint64_t i)
{

	return (&lg->lg_chunk[i / LEDGER_CHUNK]->lc_dead[i % LEDGER_CHUNK]);
}

/*
 * Whether a key is among those that are gone more than once: each is looked for
 * in an index, which is as large as it must be.
 */
static void
check_dead(struct ledger_at *la)
{
	struct ledger *lg = la->la_lg;
	const uint64_t n = lg->lg_dead < LEDGER_DEAD_MAX ? lg->lg_dead :
	    LEDGER_DEAD_MAX;
	const uint64_t size = n * LEDGER_SEEN, each = sizeof(
	    lg->lg_chunk[0]->lc_seen) / sizeof(lg->lg_chunk[0]->lc_seen[0]);
	const struct ledger_dead *ld, *other;
	struct ledger_record first, second;
	uint64_t at, i;
	uint32_t *seen;

	for (i = 0; i < size; i += each)
		memset(lg->lg_chunk[i / each]->lc_seen, 0,
		    (size_t)(size - i < each ? size - i : each) *
		    sizeof(*seen));
	for (i = 0; i < n; i++) {
		ld = dead_at(lg, i);
		if (ld->ld_number == 0)
			continue;
		/* The low bits chose the bucket; all are as good. */
		for (at = ld->ld_a % size;; at = at + 1 == size ? 0 : at + 1) {
			seen = &lg->lg_chunk[at / each]->lc_seen[at % each];
			if (*seen == 0)
				break;
			other = dead_at(lg, *seen - 1);
			if (other->ld_a != ld->ld_a || other->ld_b != ld->ld_b)
				continue;
			if (other->ld_number > ld->ld_number) {
				const struct ledger_dead *later = other;

				other = ld;
				ld = later;
			}
			first = (struct ledger_record){ .lr_op = LEDGER_WIPE,
			    .lr_key = other->ld_number, .lr_wiped = true };
			second = (struct ledger_record){ .lr_op = LEDGER_SET,
			    .lr_key = ld->ld_number };
			(void)ledger_search(lg, same_key, &first);
			(void)ledger_search(lg, same_key, &second);
			ledger_wrong(la, LEDGER_REVIVED, &first, &second);
			return;
		}
		*seen = (uint32_t)i + 1;
	}
}

void
ledger_keys_finish(struct ledger_at *la)
{
	struct ledger *lg = la->la_lg;
	struct ledger_record set = { .lr_op = LEDGER_SET };
	struct ledger_result le;
	struct ledger_key *lk;
	unsigned i;

	ledger_result(lg, &le);
	for (i = 0; le.le_keys != le.le_wipes && i < LEDGER_BUCKETS; i++)
		for (lk = &lg->lg_bucket[i]; lk != NULL; lk = lk->lk_next)
			if (lk->lk_epoch == lg->lg_epoch &&
			    lk->lk_objects > 0) {
				set.lr_key = lk->lk_number;
				set.lr_generation = lk->lk_generation;
				(void)ledger_search(lg, same_key, &set);
				ledger_wrong(la, LEDGER_WIPED, NULL, &set);
				return;
			}
	check_dead(la);
}
