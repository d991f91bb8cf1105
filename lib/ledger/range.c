/*
 * The counters that were used under a key: ranges, joined where they meet.
 */
#include <errno.h>
#include <stdlib.h>

#include "lib/ledger/impl.h"

static struct range *
range_at(struct ledger_key *k, unsigned i)
{
	return (i < KEY_RANGES ? &k->k_range[i] : &k->k_more[i - KEY_RANGES]);
}

/* Whether b begins where a ends. */
static bool
adjacent(const struct range *a, const struct range *b)
{
	uint128_t next = a->r_last;

	uint128_increment(&next);
	return (uint128_equals(next, b->r_first) && !uint128_is_zero(next));
}

/* Extends a range by another that touches it; false: they are apart. */
static bool
join(struct range *range, const struct range *more)
{
	if (adjacent(range, more))
		range->r_last = more->r_last;
	else if (adjacent(more, range))
		range->r_first = more->r_first;
	else
		return (false);
	return (true);
}

static void
add_apart(struct ledger *lg, struct ledger_key *k, const struct range *range)
{
	struct range *more;
	unsigned room;

	if (k->k_ranges == KEY_RANGES + k->k_room) {
		room = 2u * k->k_room + KEY_RANGES;
		more = room > UINT16_MAX ? NULL : realloc(k->k_more, room *
		    sizeof(*more));
		if (more == NULL) {
			lg->lg_result.le_error = ENOMEM;
			return;
		}
		k->k_more = more;
		k->k_room = (uint16_t)room;
	}
	*range_at(k, k->k_ranges++) = *range;
	if (k->k_ranges > lg->lg_result.le_ranges_max)
		lg->lg_result.le_ranges_max = k->k_ranges;
}

/*
 * Adds a range to those used, joined with its neighbours.
 *
 * Returns: whether it is disjoint from all of them.
 */
static bool
add_range(struct ledger *lg, struct ledger_key *k, struct range range)
{
	unsigned joined;

	for (unsigned i = 0; i < k->k_ranges; i++)
		if (!less(range.r_last, range_at(k, i)->r_first) &&
		    !less(range_at(k, i)->r_last, range.r_first))
			return (false);
	for (joined = 0; joined < k->k_ranges; joined++)
		if (join(range_at(k, joined), &range))
			break;
	if (joined == k->k_ranges) {
		add_apart(lg, k, &range);
		return (true);
	}
	/* It may have closed a gap to a later one. */
	for (unsigned i = joined + 1; i < k->k_ranges; i++)
		if (join(range_at(k, joined), range_at(k, i))) {
			*range_at(k, i) = *range_at(k, --k->k_ranges);
			break;
		}
	return (true);
}

bool
ledger_add_blocks(struct ledger *lg, struct ledger_key *k, uint128_t ctr,
    uint64_t blocks)
{
	const uint128_t max = uint128_make(UINT64_MAX, UINT64_MAX);
	struct range range = { ctr, ctr };
	uint128_t next = k->k_range[0].r_last;

	uint128_increment(&next);
	/* Most follow the only range. */
	if (k->k_ranges == 1 && uint128_equals(next, ctr) &&
	    uint128_lo(ctr) != 0 && uint128_lo(ctr) <= UINT64_MAX - blocks) {
		uint128_add64(&k->k_range[0].r_last, blocks);
		return (true);
	}
	uint128_add64(&range.r_last, blocks - 1);
	if (k->k_ranges == 0 && !less(range.r_last, ctr)) {
		k->k_range[0] = range;
		k->k_ranges = 1;
		return (true);
	}
	if (!less(range.r_last, ctr))
		return (add_range(lg, k, range));
	return (add_range(lg, k, (struct range){ ctr, max }) &&
	    add_range(lg, k, (struct range){ uint128_make(0, 0),
	    range.r_last }));
}
