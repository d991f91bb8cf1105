/*
 * The counters that were used under a key: ranges, joined where they meet.
 */
#include <errno.h>
#include <stdlib.h>

#include "lib/ledger/impl.h"

static struct range *
range_at(struct ledger_key *k, unsigned i)
{
	return (i < KEY_RANGES ? &k->lk_range[i] : &k->lk_more[i - KEY_RANGES]);
}

/* Whether b begins where a ends. */
static bool
adjacent(const struct range *a, const struct range *b)
{
	const uint128_t next = a->rn_last + 1;

	return (next == b->rn_first && next != 0);
}

/* Extends a range by another that touches it; false: they are apart. */
static bool
join(struct range *range, const struct range *more)
{
	if (adjacent(range, more))
		range->rn_last = more->rn_last;
	else if (adjacent(more, range))
		range->rn_first = more->rn_first;
	else
		return (false);
	return (true);
}

static void
add_apart(struct ledger *lg, struct ledger_key *k, const struct range *range)
{
	struct range *more;
	unsigned room;

	if (k->lk_ranges == KEY_RANGES + k->lk_room) {
		room = 2u * k->lk_room + KEY_RANGES;
		more = room > UINT16_MAX ? NULL : realloc(k->lk_more, room *
		    sizeof(*more));
		if (more == NULL) {
			lg->lg_result.le_error = ENOMEM;
			return;
		}
		k->lk_more = more;
		k->lk_room = (uint16_t)room;
	}
	*range_at(k, k->lk_ranges++) = *range;
	if (k->lk_ranges > lg->lg_result.le_ranges_max)
		lg->lg_result.le_ranges_max = k->lk_ranges;
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

	for (unsigned i = 0; i < k->lk_ranges; i++)
		if (range.rn_last >= range_at(k, i)->rn_first &&
		    range_at(k, i)->rn_last >= range.rn_first)
			return (false);
	for (joined = 0; joined < k->lk_ranges; joined++)
		if (join(range_at(k, joined), &range))
			break;
	if (joined == k->lk_ranges) {
		add_apart(lg, k, &range);
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

bool
ledger_add_blocks(struct ledger *lg, struct ledger_key *k, uint128_t ctr,
    uint64_t blocks)
{
	struct range range = { ctr, ctr + blocks - 1 };

	/* Most follow the only range. */
	if (k->lk_ranges == 1 && k->lk_range[0].rn_last + 1 == ctr &&
	    uint128_lo(ctr) != 0 && uint128_lo(ctr) <= UINT64_MAX - blocks) {
		k->lk_range[0].rn_last += blocks;
		return (true);
	}
	if (k->lk_ranges == 0 && range.rn_last >= ctr) {
		k->lk_range[0] = range;
		k->lk_ranges = 1;
		return (true);
	}
	if (range.rn_last >= ctr)
		return (add_range(lg, k, range));
	return (add_range(lg, k, (struct range){ ctr, ~(uint128_t)0 }) &&
	    add_range(lg, k, (struct range){ 0, range.rn_last }));
}
