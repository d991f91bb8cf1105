#include <math.h>
#include <string.h>

#include "lib/hist.h"
#include "lib/kassert.h"

CTASSERT(HIST_BUCKETS * sizeof(uint32_t) < 16384);

void
hist_init(struct hist *h)
{

	memset(h, 0, sizeof(*h));
}

/* The largest value that hist_index() maps to bucket i. */
static uint64_t
bucket_last(unsigned i)
{
	unsigned shift;

	if (i < HIST_SUB)
		return (i);
	shift = i / HIST_SUB - 1;
	return ((((uint64_t)(HIST_SUB + i % HIST_SUB) + 1) << shift) - 1);
}

void
hist_merge(struct hist *h, const struct hist *from)
{
	unsigned i;

	h->hi_count += from->hi_count;
	h->hi_total += from->hi_total;
	if (from->hi_max > h->hi_max)
		h->hi_max = from->hi_max;
	for (i = 0; i < HIST_BUCKETS; i++)
		h->hi_bucket[i] += from->hi_bucket[i];
}

uint64_t
hist_quantile(const struct hist *h, double q)
{
	uint64_t last, rank, seen = 0;
	unsigned i;

	KASSERT(q >= 0 && q <= 1, ("quantile %f", q));
	if (h->hi_count == 0)
		return (0);
	rank = (uint64_t)ceil(q * (double)h->hi_count);
	if (rank < 1)
		rank = 1;
	for (i = 0; i < HIST_BUCKETS; i++) {
		seen += h->hi_bucket[i];
		if (seen >= rank)
			break;
	}
	if (i == HIST_BUCKETS)
		return (h->hi_max);
	last = bucket_last(i);
	return (last < h->hi_max ? last : h->hi_max);
}
