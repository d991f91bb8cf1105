/*
 * Log-linear histogram of durations.
 *
 * Buckets are exact below HIST_SUB and then HIST_SUB to each power of two, so a
 * quantile is at most one part in HIST_SUB too high.  Fixed size, no
 * allocation; one writer at a time.  The layout is HdrHistogram's idea, which
 * Debian 12 does not package.
 */
#ifndef LIB_HIST_H
#define LIB_HIST_H

#include <stdint.h>

enum {
	HIST_SUB_BITS	= 5,
	HIST_SUB	= 1 << HIST_SUB_BITS,
	HIST_EXPONENTS	= 64 - HIST_SUB_BITS + 1,
	HIST_BUCKETS	= HIST_EXPONENTS * HIST_SUB
};

struct hist {
	uint64_t	hi_count;
	uint64_t	hi_max;
	uint64_t	hi_total;
	uint32_t	hi_bucket[HIST_BUCKETS];
};

/* Empties h. */
void hist_init(struct hist *h);

/* The bucket that counts v: 0..HIST_BUCKETS - 1, monotone in v. */
static inline unsigned
hist_index(uint64_t v)
{
	unsigned exponent;

	if (v < HIST_SUB)
		return ((unsigned)v);
	exponent = 63u - (unsigned)__builtin_clzll(v);
	return ((exponent - HIST_SUB_BITS + 1) * HIST_SUB +
	    (unsigned)(v >> (exponent - HIST_SUB_BITS)) - HIST_SUB);
}

/* Counts one value, of any unit. */
static inline void
hist_add(struct hist *h, uint64_t v)
{

	h->hi_count++;
	h->hi_total += v;
	if (v > h->hi_max)
		h->hi_max = v;
	h->hi_bucket[hist_index(v)]++;
}

/* Adds from's counts to h. */
void hist_merge(struct hist *h, const struct hist *from);

/*
 * The smallest bucket end below which at least a share q of the values lie,
 * never above the largest value counted.
 *
 *   q  in  0..1
 *
 * Returns: 0 for an empty histogram.
 */
uint64_t hist_quantile(const struct hist *h, double q);

#endif
