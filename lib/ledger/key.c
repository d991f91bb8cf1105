/* Keys by fingerprint, the counters used under each, and retired keys. */
#include "lib/ledger/impl.h"

void
ledger_keys_init(struct ledger *lg)
{
	lg->lg_retired_room = CHUNK;
	lg->lg_retired = xmalloc(CHUNK * sizeof(*lg->lg_retired));
	/* Reads do not allocate, but for very many keys. */
	for (unsigned i = BUCKETS; i < KEYS; i++) {
		lg->lg_bucket[i].lk_next = lg->lg_spare;
		lg->lg_spare = &lg->lg_bucket[i];
	}
}

void
ledger_keys_fini(struct ledger *lg)
{
	struct ledger_key *k, *next;

	for (unsigned i = 0; i < BUCKETS; i++)
		for (k = &lg->lg_bucket[i]; k != NULL; k = next) {
			next = k->lk_next;
			free(k->lk_more);
			if (k < lg->lg_bucket || k >= lg->lg_bucket + KEYS)
				free(k);
		}
	free(lg->lg_retired);
}

/* The key, held or retired; NULL: it is not in its bucket. */
static struct ledger_key *
find(struct ledger *lg, struct print p)
{
	for (struct ledger_key *k = &lg->lg_bucket[p.prt_a % BUCKETS];
	    k != NULL; k = k->lk_next)
		if (print_equals(k->lk_print, p) && k->lk_epoch == lg->lg_epoch)
			return (k);
	return (NULL);
}

/* A place for a new key in the bucket. */
static struct ledger_key *
place(struct ledger *lg, struct ledger_key *bucket)
{
	struct ledger_key *k;

	for (k = bucket; k != NULL; k = k->lk_next)
		if (k->lk_epoch != lg->lg_epoch || k->lk_objects == 0)
			return (k);
	if ((k = lg->lg_spare) != NULL)
		lg->lg_spare = k->lk_next;
	else
		k = xaligned(_Alignof(struct ledger_key), sizeof(*k));
	k->lk_next = bucket->lk_next;
	bucket->lk_next = k;
	return (k);
}

static int
by_print(const void *a, const void *b)
{
	const struct retired *x = a, *y = b;

	return (x->rt_a != y->rt_a ? (x->rt_a < y->rt_a ? -1 : 1) :
	    x->rt_b != y->rt_b ? (x->rt_b < y->rt_b ? -1 : 1) :
	    (x->rt_number > y->rt_number) - (x->rt_number < y->rt_number));
}

static void
check_retired(struct ledger *lg)
{
	const uint64_t n = MIN(lg->lg_result.le_wipes, LEDGER_RETIRED_MAX);
	struct ledger_record first = { .lgr_op = LEDGER_WIPE,
	    .lgr_wiped = true }, second = { .lgr_op = LEDGER_SET };
	struct retired *rt = lg->lg_retired;

	qsort(rt, n, sizeof(*rt), by_print);
	for (uint64_t i = 1; i < n; i++, rt++) {
		if (rt[0].rt_a != rt[1].rt_a || rt[0].rt_b != rt[1].rt_b)
			continue;
		first.lgr_key = rt[0].rt_number;
		second.lgr_key = rt[1].rt_number;
		second = ledger_search(lg, NULL, ledger_same_key, second);
		ledger_wrong(lg, LEDGER_REVIVED, ledger_search(lg, NULL,
		    ledger_same_key, first), &second);
		return;
	}
}

void
ledger_keys_finish(struct ledger *lg)
{
	struct ledger_record set = { .lgr_op = LEDGER_SET };

	for (unsigned i = 0; i < BUCKETS; i++)
		for (const struct ledger_key *k = &lg->lg_bucket[i]; k != NULL;
		    k = k->lk_next) {
			if (k->lk_epoch != lg->lg_epoch || k->lk_objects == 0)
				continue;
			set.lgr_key = k->lk_number;
			set.lgr_generation = k->lk_lineage.l_generation;
			set = ledger_search(lg, NULL, ledger_same_key, set);
			ledger_wrong(lg, LEDGER_WIPED, ledger_nothing, &set);
			return;
		}
	check_retired(lg);
}

/* Changes that may have led to a key that is not set. */
static bool
key_change(const struct ledger_record *lr,
    const struct ledger_record *like __unused)
{
	return (lr->lgr_key != 0 && (lr->lgr_op == LEDGER_SET ||
	    lr->lgr_op == LEDGER_WIPE));
}

static void
not_set(struct ledger *lg, const struct ledger_record *second)
{
	if (second->lgr_op == LEDGER_USE && lg->lg_reseeds == 0 &&
	    lg->lg_cores > 0) {
		ledger_wrong(lg, LEDGER_UNSEEDED, ledger_nothing, second);
		return;
	}
	ledger_wrong(lg, LEDGER_TORN, ledger_search(lg, second, key_change,
	    ledger_nothing), second);
}

static struct ledger_record *
record_key(const struct at *at, const struct ledger_key *k)
{
	return (ledger_record(at, k == NULL ? 0 : k->lk_number,
	    k == NULL ? 0 : k->lk_lineage.l_generation));
}

void
ledger_check_wipe(const struct at *at)
{
	struct ledger *lg = at->at_lg;
	struct ledger_thread *lt = at->at_lt;
	struct ledger_key *k = find(lg, at->at_print);
	uint64_t place;

	if (k == NULL || k->lk_objects == 0) {
		not_set(lg, record_key(at, NULL));
		return;
	}
	at->at_lr->lgr_wiped = --k->lk_objects == 0;
	record_key(at, k);
	if (k->lk_objects > 0)
		return;
	for (unsigned i = lt->lgt_used; i-- > 0;)
		if (lt->lgt_key[i].lgt_number == k->lk_number)
			lt->lgt_key[i] = lt->lgt_key[--lt->lgt_used];
	/* Of more than LEDGER_RETIRED_MAX the oldest is overwritten. */
	place = lg->lg_result.le_wipes % LEDGER_RETIRED_MAX;
	if (place == lg->lg_retired_room) {
		lg->lg_retired_room = 2 * place;
		lg->lg_retired = xreallocarray(lg->lg_retired, 2 * place,
		    sizeof(*lg->lg_retired));
	}
	lg->lg_result.le_wipes++;
	lg->lg_retired[place] = (struct retired){ k->lk_print.prt_a,
	    k->lk_print.prt_b, k->lk_number };
}

void
ledger_check_set(const struct at *at)
{
	const struct ledger_thread *lt = at->at_lt;
	struct ledger *lg = at->at_lg;
	struct ledger_record *set;
	struct ledger_key *k = find(lg, at->at_print);
	bool revived = false;

	if (k != NULL) {
		revived = k->lk_objects++ == 0;
	} else {
		k = place(lg, &lg->lg_bucket[at->at_print.prt_a % BUCKETS]);
		k->lk_print = at->at_print;
		k->lk_epoch = lg->lg_epoch;
		k->lk_number = (uint32_t)++lg->lg_result.le_keys;
		k->lk_lineage = lt->lgt_reseeding == NO_CORE ? lt->lgt_last :
		    (struct lineage){ lt->lgt_reseeding, lt->lgt_reseed };
		k->lk_objects = 1;
		k->lk_ranges = 0;
		k->lk_installed = k->lk_replaced = false;
	}
	set = record_key(at, k);
	if (revived)
		ledger_wrong(lg, LEDGER_REVIVED, ledger_search(lg, set,
		    ledger_same_key, (struct ledger_record){
		    .lgr_op = LEDGER_WIPE, .lgr_key = k->lk_number,
		    .lgr_wiped = true }), set);
}

/* Whether b is a or follows it by less than 2^127. */
static bool
follows(uint128_t b, uint128_t a)
{
	return ((b - a) >> 127 == 0);
}

static struct range *
range_at(struct ledger_key *k, unsigned i)
{
	return (i < KEY_RANGES ? &k->lk_range[i] : &k->lk_more[i - KEY_RANGES]);
}

void
ledger_check_install(const struct at *at)
{
	const uint128_t ctr = at->at_lr->lgr_lo;
	struct ledger_core *lc =
	    &at->at_lg->lg_core[uint128_lo(at->at_lr->lgr_hi)];
	struct ledger_key *k = NULL;

	if (lc->lgc_keyed && !print_equals(lc->lgc_key, at->at_print))
		k = find(at->at_lg, lc->lgc_key);
	if (k != NULL && k->lk_objects > 0) {
		k->lk_replace_ctr = ctr;
		k->lk_replaced = true;
		/* Where C stays, or begins anew, it is no bound. */
		for (unsigned i = 0; i < k->lk_ranges; i++)
			if (follows(range_at(k, i)->rng_last, ctr))
				k->lk_replaced = false;
	}
	lc->lgc_key = at->at_print;
	lc->lgc_keyed = true;
	k = find(at->at_lg, at->at_print);
	record_key(at, k);
	if (k == NULL) {
		not_set(at->at_lg, at->at_lr);
		return;
	}
	/* If others have it already, C is what they have left. */
	k->lk_install_ctr = ctr;
	k->lk_installed = k->lk_objects == 1 && k->lk_ranges == 0;
}

/* Extends a range by another that touches it; false: they are apart. */
static bool
join(struct range *range, const struct range *more)
{
	if (more->rng_first != 0 && range->rng_last + 1 == more->rng_first)
		range->rng_last = more->rng_last;
	else if (range->rng_first != 0 && more->rng_last +
	    1 == range->rng_first)
		range->rng_first = more->rng_first;
	else
		return (false);
	return (true);
}

/* Adds a range, joined with neighbours; whether it is disjoint from all. */
static bool
add_range(struct ledger *lg, struct ledger_key *k, struct range range)
{
	unsigned joined;

	for (unsigned i = 0; i < k->lk_ranges; i++)
		if (range.rng_last >= range_at(k, i)->rng_first &&
		    range_at(k, i)->rng_last >= range.rng_first)
			return (false);
	for (joined = 0; joined < k->lk_ranges; joined++)
		if (join(range_at(k, joined), &range))
			break;
	if (joined == k->lk_ranges) {
		if (joined >= KEY_RANGES)
			ARRAY_EXTEND(k->lk_more, joined - KEY_RANGES);
		*range_at(k, k->lk_ranges++) = range;
		if (k->lk_ranges > lg->lg_result.le_ranges_max)
			lg->lg_result.le_ranges_max = k->lk_ranges;
		return (true);
	}
	/* It may have closed a gap to a later one. */
	for (unsigned i = joined + 1; i < k->lk_ranges; i++)
		if (join(range_at(k, joined), range_at(k, i))) {
			*range_at(k, i) = *range_at(k, --k->lk_ranges);
			break;
		}
	return (true);
}

/* Adds blocks from ctr on, modulo 2^128; whether none was used before. */
static bool
add_blocks(struct ledger *lg, struct ledger_key *k, uint128_t ctr,
    uint64_t blocks)
{
	struct range range = { ctr, ctr + blocks - 1 };

	/* Most follow the only range. */
	if (k->lk_ranges == 1 && k->lk_range[0].rng_last + 1 == ctr &&
	    uint128_lo(ctr) != 0 && uint128_lo(ctr) <= UINT64_MAX - blocks) {
		k->lk_range[0].rng_last += blocks;
		return (true);
	}
	if (k->lk_ranges == 0 && range.rng_last >= ctr) {
		k->lk_range[0] = range;
		k->lk_ranges = 1;
		return (true);
	}
	if (range.rng_last >= ctr)
		return (add_range(lg, k, range));
	return (add_range(lg, k, (struct range){ ctr, ~(uint128_t)0 }) &&
	    add_range(lg, k, (struct range){ 0, range.rng_last }));
}

/* A use of the same key at some of the same counters. */
static bool
overlaps(const struct ledger_record *lr, const struct ledger_record *like)
{
	return (lr->lgr_key == like->lgr_key && lr->lgr_op == LEDGER_USE &&
	    (lr->lgr_lo - like->lgr_lo < like->lgr_hi - like->lgr_lo ||
	    like->lgr_lo - lr->lgr_lo < lr->lgr_hi - lr->lgr_lo));
}

static bool
same_install(const struct ledger_record *lr, const struct ledger_record *like)
{
	return (lr->lgr_op == LEDGER_INSTALL && lr->lgr_lo == like->lgr_lo);
}

/* The key was used before its counter was set, or after it was replaced. */
static void __attribute__((cold, noinline))
torn(struct ledger *lg, const struct ledger_key *k,
    const struct ledger_record *use, uint128_t ctr)
{
	ledger_wrong(lg, LEDGER_TORN, ledger_search(lg, use, same_install,
	    (struct ledger_record){ .lgr_op = LEDGER_INSTALL,
	    .lgr_key = k->lk_number, .lgr_lo = ctr }), use);
}

static void __attribute__((cold, noinline))
reused(struct ledger *lg, const struct ledger_record *use)
{
	struct ledger_record first = *use;

	first.lgr_seq = 0;
	first.lgr_time_ns = 0;
	first.lgr_in_cycles = false;
	ledger_wrong(lg, LEDGER_REUSE, ledger_search(lg, use, overlaps, first),
	    use);
}

/* The key must be gone when the read returns. */
static void
remember(struct ledger_thread *lt, const struct ledger_key *k)
{
	for (unsigned i = lt->lgt_used; i-- > 0;)
		if (lt->lgt_key[i].lgt_number == k->lk_number)
			return;
	/* The oldest of too many is forgotten. */
	if (lt->lgt_used == READ_KEYS)
		memmove(&lt->lgt_key[0], &lt->lgt_key[1],
		    --lt->lgt_used * sizeof(lt->lgt_key[0]));
	lt->lgt_key[lt->lgt_used].lgt_print = k->lk_print;
	lt->lgt_key[lt->lgt_used++].lgt_number = k->lk_number;
}

void
ledger_check_use(const struct at *at)
{
	struct ledger_record *use = at->at_lr;
	const uint128_t ctr = use->lgr_lo, end = use->lgr_hi;
	const uint64_t blocks = (uint64_t)(end - ctr);
	struct ledger_thread *lt = at->at_lt;
	struct ledger *lg = at->at_lg;
	struct ledger_key *k = find(lg, at->at_print);

	if (k != NULL)
		lt->lgt_last = k->lk_lineage;
	lt->lgt_blocks += blocks;
	lg->lg_result.le_blocks += blocks;
	record_key(at, k);
	if (k == NULL || k->lk_objects == 0) {
		not_set(lg, use);
		return;
	}
	if (!add_blocks(lg, k, ctr, blocks))
		reused(lg, use);
	else if (k->lk_installed && !follows(ctr, k->lk_install_ctr))
		torn(lg, k, use, k->lk_install_ctr);
	else if (k->lk_replaced && follows(end - 1, k->lk_replace_ctr))
		torn(lg, k, use, k->lk_replace_ctr);
	if (lt->lgt_reading) {
		ledger_check_age(at, use);
		remember(lt, k);
	}
}

void
ledger_check_kept(const struct at *at, const struct ledger_record *end)
{
	struct ledger_thread *lt = at->at_lt;
	const struct ledger_key *k;

	for (unsigned i = 0; i < lt->lgt_used; i++) {
		k = find(at->at_lg, lt->lgt_key[i].lgt_print);
		if (k != NULL && k->lk_objects > 0)
			ledger_wrong(at->at_lg, LEDGER_KEPT,
			    ledger_search(at->at_lg, end, ledger_same_key,
			    (struct ledger_record){ .lgr_op = LEDGER_USE,
			    .lgr_key = lt->lgt_key[i].lgt_number }), end);
	}
	lt->lgt_used = 0;
}
