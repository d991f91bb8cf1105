/*
 * The counters that were used under a key: ranges, joined where they meet.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ledger_impl.h"

bool
ledger_first_room(const struct ledger *lg, const struct ledger_key *lk)
{

	return (lk->lk_more >= lg->lg_room && lk->lk_more < lg->lg_room +
	    (LEDGER_BUCKETS + LEDGER_SPARES) * LEDGER_ROOM);
}

static inline bool
less(uint128_t a, uint128_t b)
{

	return (uint128_hi(a) < uint128_hi(b) ||
	    (uint128_hi(a) == uint128_hi(b) && uint128_lo(a) < uint128_lo(b)));
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
		if (!ledger_first_room(lg, lk))
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

bool
ledger_add_ranges(struct ledger *lg, struct ledger_key *lk, uint128_t ctr,
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
