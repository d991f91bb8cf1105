#include "lib/base/base.h"
#include "lib/base/hist.h"

CTASSERT(HIST_BUCKETS * sizeof(uint32_t) < 16384);

/* The end of the first bucket up to which a share q of count lie; 0: none. */
static uint64_t
quantile(const uint32_t *bucket, unsigned n, unsigned sub_bits, uint64_t count,
    double q)
{
	/* A count has more digits than a double. */
	const uint64_t rank = q < 1 ? (uint64_t)ceil(q * (double)count) : count;
	const unsigned sub = 1u << sub_bits;
	uint64_t seen = bucket[0];
	unsigned i;

	KASSERT(q >= 0 && q <= 1, ("quantile %f", q));
	if (count == 0)
		return (0);
	for (i = 0; i + 1 < n && (seen < rank || seen == 0); i++)
		seen += bucket[i + 1];
	/* The largest value that hist_index_of() maps to it. */
	return (i < sub ? i : (((uint64_t)(sub + i % sub) + 1) <<
	    (i / sub - 1)) - 1);
}

void
hist_merge(struct hist *h, const struct hist *from)
{
	h->hi_count += from->hi_count;
	h->hi_total += from->hi_total;
	h->hi_max = MAX(h->hi_max, from->hi_max);
	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		h->hi_bucket[i] += from->hi_bucket[i];
}

uint64_t
hist_quantile(const struct hist *h, double q)
{
	const uint64_t last = quantile(h->hi_bucket, HIST_BUCKETS,
	    HIST_SUB_BITS, h->hi_count, q);

	return (MIN(last, h->hi_max));
}

void
hist_small_merge(struct hist_small *h, const struct hist_small *from)
{
	for (unsigned i = 0; i < HIST_SMALL_BUCKETS; i++)
		h->hsm_bucket[i] += from->hsm_bucket[i];
}

uint64_t
hist_small_count(const struct hist_small *h)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < HIST_SMALL_BUCKETS; i++)
		count += h->hsm_bucket[i];
	return (count);
}

uint64_t
hist_small_quantile(const struct hist_small *h, double q)
{
	return (quantile(h->hsm_bucket, HIST_SMALL_BUCKETS,
	    HIST_SMALL_SUB_BITS, hist_small_count(h), q));
}
