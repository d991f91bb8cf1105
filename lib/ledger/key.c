/*
 * Keys by fingerprint, the counters used under each, and retired keys.
 */
#include <errno.h>
#include <stdlib.h>

#include "lib/ledger/impl.h"

int
ledger_keys_init(struct ledger *lg)
{
	const size_t size = KEYS * sizeof(*lg->lg_bucket);

	/* Reads do not allocate, but for very many keys. */
	lg->lg_bucket = aligned_alloc(LINE, size);
	lg->lg_retired_room = CHUNK;
	lg->lg_retired = malloc(CHUNK * sizeof(*lg->lg_retired));
	if (lg->lg_bucket == NULL || lg->lg_retired == NULL)
		return (ENOMEM);
	memset(lg->lg_bucket, 0, size);
	for (unsigned i = 0; i < BUCKETS; i++)
		lg->lg_bucket[i].k_next = &lg->lg_bucket[BUCKETS + i];
	for (unsigned i = 2 * BUCKETS; i < KEYS; i++) {
		lg->lg_bucket[i].k_next = lg->lg_spare;
		lg->lg_spare = &lg->lg_bucket[i];
	}
	return (0);
}

void
ledger_keys_fini(struct ledger *lg)
{
	struct ledger_key *k, *next;

	for (unsigned i = 0; lg->lg_bucket != NULL && i < BUCKETS; i++)
		for (k = &lg->lg_bucket[i]; k != NULL; k = next) {
			next = k->k_next;
			free(k->k_more);
			if (k < lg->lg_bucket || k >= lg->lg_bucket + KEYS)
				free(k);
		}
	free(lg->lg_bucket);
	free(lg->lg_retired);
}

static struct ledger_key *
bucket_of(const struct ledger *lg, struct print p)
{
	return (&lg->lg_bucket[p.p_a % BUCKETS]);
}

/* The key, held or retired; NULL: it is not in its bucket. */
static struct ledger_key *
find(const struct ledger *lg, struct print p)
{
	for (struct ledger_key *k = bucket_of(lg, p); k != NULL; k = k->k_next)
		if (print_equals(k->k_print, p) && k->k_epoch == lg->lg_epoch)
			return (k);
	return (NULL);
}

/* A place for a new key in the bucket; NULL when there is no memory. */
static struct ledger_key *
place(struct ledger *lg, struct ledger_key *bucket)
{
	struct ledger_key *k;

	for (k = bucket; k != NULL; k = k->k_next)
		if (k->k_epoch != lg->lg_epoch || k->k_objects == 0)
			return (k);
	k = lg->lg_spare;
	if (k != NULL) {
		lg->lg_spare = k->k_next;
	} else {
		k = aligned_alloc(_Alignof(struct ledger_key), sizeof(*k));
		if (k == NULL) {
			lg->lg_result.le_error = ENOMEM;
			return (NULL);
		}
		memset(k, 0, sizeof(*k));
	}
	k->k_next = bucket->k_next;
	bucket->k_next = k;
	return (k);
}

/* Of more than LEDGER_RETIRED_MAX the oldest is overwritten. */
static void
retire(struct ledger *lg, struct print p, uint32_t number)
{
	const uint64_t at = lg->lg_result.le_wipes++ % LEDGER_RETIRED_MAX;
	struct retired *more;

	if (at == lg->lg_retired_room) {
		more = realloc(lg->lg_retired, 2 * at * sizeof(*more));
		if (more == NULL) {
			lg->lg_result.le_error = ENOMEM;
			lg->lg_result.le_wipes--;
			return;
		}
		lg->lg_retired = more;
		lg->lg_retired_room = 2 * at;
	}
	lg->lg_retired[at] = (struct retired){ p.p_a, p.p_b, number };
}

static int
by_print(const void *a, const void *b)
{
	const struct retired *x = a, *y = b;

	if (x->rt_a != y->rt_a)
		return (x->rt_a < y->rt_a ? -1 : 1);
	if (x->rt_b != y->rt_b)
		return (x->rt_b < y->rt_b ? -1 : 1);
	return ((x->rt_number > y->rt_number) - (x->rt_number < y->rt_number));
}

static void
same_print(struct ledger *lg, const struct retired *rt)
{
	struct ledger_record first = { .lr_op = LEDGER_WIPE,
	    .lr_key = rt[0].rt_number, .lr_wiped = true };
	struct ledger_record second = { .lr_op = LEDGER_SET,
	    .lr_key = rt[1].rt_number };

	first = ledger_search(lg, NULL, ledger_same_key, first);
	second = ledger_search(lg, NULL, ledger_same_key, second);
	ledger_wrong(lg, LEDGER_REVIVED, &first, &second);
}

static void
check_retired(struct ledger *lg)
{
	const uint64_t wipes = lg->lg_result.le_wipes;
	const uint64_t n = wipes < LEDGER_RETIRED_MAX ? wipes :
	    LEDGER_RETIRED_MAX;
	struct retired *all = lg->lg_retired;
	uint64_t i;

	if (lg->lg_result.le_error != 0)
		return;
	qsort(all, n, sizeof(*all), by_print);
	for (i = 1; i < n; i++)
		if (all[i - 1].rt_a == all[i].rt_a &&
		    all[i - 1].rt_b == all[i].rt_b)
			same_print(lg, &all[i - 1]);
}

void
ledger_keys_finish(struct ledger *lg)
{
	struct ledger_record set = { .lr_op = LEDGER_SET };

	for (unsigned i = 0; lg->lg_result.le_keys != lg->lg_result.le_wipes &&
	    i < BUCKETS; i++)
		for (const struct ledger_key *k = &lg->lg_bucket[i]; k != NULL;
		    k = k->k_next)
			if (k->k_epoch == lg->lg_epoch && k->k_objects > 0) {
				set.lr_key = k->k_number;
				set.lr_generation = k->k_lineage.l_generation;
				set = ledger_search(lg, NULL, ledger_same_key,
				    set);
				ledger_wrong(lg, LEDGER_WIPED, &ledger_nothing,
				    &set);
				return;
			}
	check_retired(lg);
}

/* Changes that may have led to a key that is not set. */
static bool
key_change(const struct ledger_record *lr, const struct ledger_record *like)
{
	(void)like;
	return (lr->lr_key != 0 && (lr->lr_op == LEDGER_SET ||
	    lr->lr_op == LEDGER_WIPE));
}

static void
not_set(struct ledger *lg, const struct ledger_record *second)
{
	struct ledger_record first;

	if (second->lr_op == LEDGER_USE && lg->lg_reseeds == 0 &&
	    lg->lg_cores > 0) {
		ledger_wrong(lg, LEDGER_UNSEEDED, &ledger_nothing, second);
		return;
	}
	first = ledger_search(lg, second, key_change, ledger_nothing);
	ledger_wrong(lg, LEDGER_TORN, &first, second);
}

/* The key that is held, also if that is in no checked log yet. */
static struct ledger_key *
find_held(const struct at *at, struct print p)
{
	struct ledger_key *k = find(at->at_lg, p);

	if (__builtin_expect(k == NULL || k->k_objects == 0, 0)) {
		ledger_drain_others(at->at_lg);
		k = find(at->at_lg, p);
	}
	return (k);
}

static struct ledger_record *
record_key(const struct at *at, const struct ledger_key *k)
{
	return (ledger_record(at, k == NULL ? 0 : k->k_number,
	    k == NULL ? 0 : k->k_lineage.l_generation));
}

void
ledger_check_wipe(const struct at *at)
{
	const struct print p = { at->at_lr->lr_word, at->at_lr->lr_print };
	struct ledger_key *k = find_held(at, p);
	struct ledger_thread *lt = at->at_lt;

	if (k == NULL || k->k_objects == 0) {
		not_set(at->at_lg, record_key(at, NULL));
		return;
	}
	at->at_lr->lr_wiped = --k->k_objects == 0;
	record_key(at, k);
	if (k->k_objects > 0)
		return;
	retire(at->at_lg, p, k->k_number);
	for (unsigned i = lt->lt_used; i-- > 0;)
		if (lt->lt_key[i].lt_number == k->k_number)
			lt->lt_key[i] = lt->lt_key[--lt->lt_used];
}

/* Sets up a new key in its place. */
static void
fill(const struct at *at, struct ledger_key *k, struct print p)
{
	const struct ledger_thread *lt = at->at_lt;

	k->k_print = p;
	k->k_epoch = at->at_lg->lg_epoch;
	k->k_number = (uint32_t)++at->at_lg->lg_result.le_keys;
	k->k_lineage = lt->lt_last;
	if (lt->lt_reseeding != NO_CORE)
		k->k_lineage = (struct lineage){ lt->lt_reseeding,
		    lt->lt_reseed };
	k->k_objects = 1;
	k->k_ranges = 0;
	k->k_installed = k->k_replaced = false;
}

void
ledger_check_set(const struct at *at)
{
	struct ledger *lg = at->at_lg;
	const struct print p = { at->at_lr->lr_word, at->at_lr->lr_print };
	struct ledger_record first, *set;
	struct ledger_key *k = find(lg, p);
	bool revived = false;

	if (k != NULL) {
		ledger_drain_others(lg);
		k = find(lg, p);
	}
	if (k != NULL) {
		revived = k->k_objects++ == 0;
	} else {
		k = place(lg, bucket_of(lg, p));
		if (k == NULL)
			return;
		fill(at, k, p);
	}
	set = record_key(at, k);
	if (!revived)
		return;
	first = ledger_search(lg, set, ledger_same_key,
	    (struct ledger_record){ .lr_op = LEDGER_WIPE,
	    .lr_key = k->k_number, .lr_wiped = true });
	ledger_wrong(lg, LEDGER_REVIVED, &first, set);
}

void
ledger_check_install(const struct at *at)
{
	const struct print p = { at->at_lr->lr_word, at->at_lr->lr_print };
	const uint128_t ctr = at->at_lr->lr_lo;
	struct ledger_core *lc;
	struct ledger_key *k;

	lc = &at->at_lg->lg_core[uint128_lo(at->at_lr->lr_hi)];
	if (lc->lc_keyed && !print_equals(lc->lc_key, p)) {
		k = find(at->at_lg, lc->lc_key);
		if (k != NULL && k->k_objects > 0) {
			k->k_replace_ctr = ctr;
			k->k_replaced = true;
		}
	}
	lc->lc_key = p;
	lc->lc_keyed = true;
	k = find_held(at, p);
	record_key(at, k);
	if (k == NULL) {
		not_set(at->at_lg, at->at_lr);
		return;
	}
	k->k_install_ctr = ctr;
	k->k_installed = true;
}

/* A - b modulo 2^128. */
static uint128_t
minus(uint128_t a, uint128_t b)
{
	return (uint128_make(uint128_hi(a) - uint128_hi(b) -
	    (uint128_lo(a) < uint128_lo(b)), uint128_lo(a) - uint128_lo(b)));
}

/* Whether b is a or follows it by less than 2^127. */
static bool
follows(uint128_t b, uint128_t a)
{
	return (uint128_hi(minus(b, a)) >> 63 == 0);
}

/* A use of the same key at some of the same counters. */
static bool
overlaps(const struct ledger_record *lr, const struct ledger_record *like)
{
	return (lr->lr_key == like->lr_key && lr->lr_op == LEDGER_USE &&
	    (less(minus(lr->lr_lo, like->lr_lo), minus(like->lr_hi,
	    like->lr_lo)) || less(minus(like->lr_lo, lr->lr_lo),
	    minus(lr->lr_hi, lr->lr_lo))));
}

static bool
same_install(const struct ledger_record *lr, const struct ledger_record *like)
{
	return (lr->lr_op == LEDGER_INSTALL &&
	    uint128_equals(lr->lr_lo, like->lr_lo));
}

/* Checks a use of a key that is set, at counters ctr to end - 1. */
static inline void
use_key(struct ledger *lg, struct ledger_key *k,
    const struct ledger_record *use, uint128_t ctr, uint128_t end)
{
	struct ledger_record first = { .lr_op = LEDGER_INSTALL,
	    .lr_key = k->k_number };

	if (k->k_installed && !follows(ctr, k->k_install_ctr)) {
		first.lr_lo = k->k_install_ctr;
	} else if (k->k_replaced &&
	    follows(uint128_before(end), k->k_replace_ctr)) {
		first.lr_lo = k->k_replace_ctr;
	} else {
		return;
	}
	first = ledger_search(lg, use, same_install, first);
	ledger_wrong(lg, LEDGER_TORN, &first, use);
}

static void __attribute__((cold, noinline))
reused(struct ledger *lg, const struct ledger_record *use)
{
	struct ledger_record first = *use;

	first.lr_seq = 0;
	first.lr_time_ns = 0;
	first.lr_in_cycles = false;
	first = ledger_search(lg, use, overlaps, first);
	ledger_wrong(lg, LEDGER_REUSE, &first, use);
}

/* The key must be gone when the read returns. */
static void
remember(struct ledger_thread *lt, const struct ledger_key *k)
{
	for (unsigned i = lt->lt_used; i-- > 0;)
		if (lt->lt_key[i].lt_number == k->k_number)
			return;
	/* The oldest of too many is forgotten. */
	if (lt->lt_used == READ_KEYS)
		memmove(&lt->lt_key[0], &lt->lt_key[1],
		    --lt->lt_used * sizeof(lt->lt_key[0]));
	lt->lt_key[lt->lt_used].lt_print = k->k_print;
	lt->lt_key[lt->lt_used++].lt_number = k->k_number;
}

void
ledger_check_use(const struct at *at)
{
	struct ledger_record *use = at->at_lr;
	const uint128_t ctr = use->lr_lo, end = use->lr_hi;
	const uint64_t blocks = uint128_lo(end) - uint128_lo(ctr);
	struct ledger_thread *lt = at->at_lt;
	struct ledger *lg = at->at_lg;
	struct ledger_key *k;

	k = find_held(at, (struct print){ use->lr_word, use->lr_print });
	if (k != NULL)
		lt->lt_last = k->k_lineage;
	lt->lt_blocks += blocks;
	lg->lg_result.le_blocks += blocks;
	record_key(at, k);
	if (k == NULL || k->k_objects == 0) {
		not_set(lg, use);
		return;
	}
	if (!ledger_add_blocks(lg, k, ctr, blocks))
		reused(lg, use);
	else
		use_key(lg, k, use, ctr, end);
	if (lt->lt_reading) {
		ledger_check_age(at, use);
		remember(lt, k);
	}
}

void
ledger_check_kept(const struct at *at, const struct ledger_record *end)
{
	struct ledger_thread *lt = at->at_lt;
	const struct ledger_key *k;
	struct ledger_record use;

	for (unsigned i = 0; i < lt->lt_used; i++) {
		k = find(at->at_lg, lt->lt_key[i].lt_print);
		if (k == NULL || k->k_objects == 0)
			continue;
		use = ledger_search(at->at_lg, end, ledger_same_key,
		    (struct ledger_record){ .lr_op = LEDGER_USE,
		    .lr_key = lt->lt_key[i].lt_number });
		ledger_wrong(at->at_lg, LEDGER_KEPT, &use, end);
	}
	lt->lt_used = 0;
}
