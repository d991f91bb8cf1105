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

void
ledger_keys_fini(struct ledger *lg)
{
	struct ledger_key *lk, *next;
	unsigned i;

	for (i = 0; lg->lg_bucket != NULL && i < LEDGER_BUCKETS; i++)
		for (lk = &lg->lg_bucket[i]; lk != NULL; lk = next) {
			next = lk->lk_next;
			if (!ledger_first_room(lg, lk))
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

bool
ledger_same_key(const struct ledger_record *lr,
    const struct ledger_record *like)
{

	return (lr->lr_key == like->lr_key && lr->lr_op == like->lr_op);
}

/* The object no longer has the key. */
static void
lose(struct ledger_at *la, const struct ledger_print *lf)
{
	struct ledger *lg = la->la_lg;
	struct ledger_thread *lt = la->la_thread;
	struct ledger_key *bucket = ledger_bucket(lg, lf), *lk;
	struct ledger_record lr = { .lr_op = LEDGER_WIPE };
	unsigned i;

	ledger_lock_keys(la, &bucket->lk_lock);
	lk = ledger_find(lg, bucket, lf);
	if (lk != NULL && lk->lk_objects > 0) {
		lr.lr_key = lk->lk_number;
		lr.lr_generation = lk->lk_generation;
		lr.lr_wiped = --lk->lk_objects == 0;
	}
	ledger_unlock_keys(la, &bucket->lk_lock);
	ledger_record(la, lr);
	if (lr.lr_key == 0)
		ledger_unknown_key(la);
	if (!lr.lr_wiped)
		return;
	ledger_add(&lt->lt_counts.lo_wipes, 1);
	ledger_bury(la, lf, lr.lr_key);
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

static void __attribute__((noinline, cold))
revived(struct ledger_at *la)
{
	const struct ledger_record lr = ledger_recorded(la);
	struct ledger_record first = lr;

	first.lr_op = LEDGER_WIPE;
	first.lr_wiped = true;
	first.lr_seq = 0;
	first.lr_time_ns = 0;
	(void)ledger_search(la, ledger_same_key, &first);
	ledger_wrong(la, LEDGER_REVIVED, &first, &lr);
}

static void
gain(struct ledger_at *la, const struct ledger_print *lf)
{
	struct ledger_thread *lt = la->la_thread;
	struct ledger *lg = la->la_lg;
	struct ledger_key *bucket = ledger_bucket(lg, lf), *lk;
	struct ledger_record lr = { .lr_op = LEDGER_SET };
	bool again = false, made = false;

	ledger_lock_keys(la, &bucket->lk_lock);
	lk = ledger_find(lg, bucket, lf);
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
	ledger_unlock_keys(la, &bucket->lk_lock);
	if (made)
		ledger_add(&lt->lt_counts.lo_keys, 1);
	ledger_record(la, lr);
	if (again)
		revived(la);
}

void
ledger_key_set(struct ledger *lg, const uint8_t *had, const uint8_t *key)
{
	struct ledger_print new = { 0, 0 }, old = { 0, 0 };
	struct ledger_at la;
	bool gains, loses;

	loses = ledger_fingerprint(lg, had, &old);
	gains = ledger_fingerprint(lg, key, &new);
	if (!gains && !loses)
		return;
	/* One that is set was just drawn. */
	if (gains)
		ledger_enter_again(lg, &la);
	else
		ledger_enter_in_read(lg, &la);
	ledger_with_keys(&la);
	if (loses)
		lose(&la, &old);
	if (gains)
		gain(&la, &new);
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

	if (!ledger_fingerprint(lg, key, &lf))
		return;
	ledger_enter_again(lg, &la);
	ledger_with_keys(&la);
	ledger_lock_keys(&la, &lc->lc_key_lock);
	had = lc->lc_keyed;
	old = lc->lc_key;
	lc->lc_key = lf;
	lc->lc_keyed = true;
	ledger_unlock_keys(&la, &lc->lc_key_lock);
	if (had && !ledger_print_equals(&old, &lf)) {
		bucket = ledger_bucket(lg, &old);
		ledger_lock_keys(&la, &bucket->lk_lock);
		lk = ledger_find(lg, bucket, &old);
		if (lk != NULL && lk->lk_objects > 0) {
			lk->lk_retired = ctr;
			lk->lk_is_retired = true;
		}
		ledger_unlock_keys(&la, &bucket->lk_lock);
	}
	bucket = ledger_bucket(lg, &lf);
	ledger_lock_keys(&la, &bucket->lk_lock);
	lk = ledger_find(lg, bucket, &lf);
	if (lk != NULL) {
		lk->lk_installed = ctr;
		lk->lk_is_installed = true;
		lr.lr_key = lk->lk_number;
		lr.lr_generation = lk->lk_generation;
	}
	ledger_unlock_keys(&la, &bucket->lk_lock);
	ledger_record(&la, lr);
	if (lr.lr_key == 0)
		ledger_unknown_key(&la);
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
ledger_keys_returned(struct ledger_at *la)
{
	struct ledger_thread *lt = la->la_thread;
	struct ledger *lg = la->la_lg;
	struct ledger_key *bucket, *lk;
	struct ledger_record first, end;
	bool kept;
	unsigned i;

	ledger_with_keys(la);
	for (i = 0; i < lt->lt_used; i++) {
		bucket = ledger_bucket(lg, &lt->lt_key[i].lt_print);
		ledger_lock_keys(la, &bucket->lk_lock);
		lk = ledger_find(lg, bucket, &lt->lt_key[i].lt_print);
		kept = lk != NULL && lk->lk_objects > 0;
		ledger_unlock_keys(la, &bucket->lk_lock);
		if (!kept)
			continue;
		first = (struct ledger_record){ .lr_op = LEDGER_USE,
		    .lr_key = lt->lt_key[i].lt_number };
		(void)ledger_search(la, ledger_same_key, &first);
		end = ledger_recorded(la);
		ledger_wrong(la, LEDGER_KEPT, &first, &end);
	}
	lt->lt_used = 0;
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
				(void)ledger_search(la, ledger_same_key, &set);
				ledger_wrong(la, LEDGER_WIPED, NULL, &set);
				return;
			}
	ledger_dead_check(la);
}
