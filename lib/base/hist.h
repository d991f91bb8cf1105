/*
 * Log-linear histograms of durations, as HdrHistogram's.  Buckets are exact
 * below HIST_SUB, then HIST_SUB to each power of two, so a quantile is at most
 * one part in HIST_SUB too high.  One writer at a time.
 */
#pragma once

#include <stdint.h>

enum {
	HIST_SUB_BITS	= 5,
	HIST_SUB	= 1 << HIST_SUB_BITS,
	HIST_EXPONENTS	= 64 - HIST_SUB_BITS + 1,
	HIST_BUCKETS	= HIST_EXPONENTS * HIST_SUB
};

struct hist {
	uint64_t	hi_count, hi_max, hi_total;
	uint32_t	hi_bucket[HIST_BUCKETS];
};

/* Smaller and coarser; the last bucket has all from 2^HIST_SMALL_BITS up. */
enum {
	HIST_SMALL_SUB_BITS	= 3,
	HIST_SMALL_SUB		= 1 << HIST_SMALL_SUB_BITS,
	HIST_SMALL_BITS		= 42,
	HIST_SMALL_BUCKETS	= (HIST_SMALL_BITS - HIST_SMALL_SUB_BITS + 1) *
	    HIST_SMALL_SUB
};

struct hist_small {
	uint32_t	hsm_bucket[HIST_SMALL_BUCKETS];
};

/*
 * The log-linear bucket of v, monotone in v, with 2^sub_bits to each power of
 * two: with HIST_SUB_BITS 0..HIST_BUCKETS - 1.
 */
static inline unsigned
hist_index_of(uint64_t v, unsigned sub_bits)
{
	unsigned exponent;

	if (v < 1u << sub_bits)
		return ((unsigned)v);
	exponent = 63u - (unsigned)__builtin_clzll(v);
	return ((exponent - sub_bits) * (1u << sub_bits) +
	    (unsigned)(v >> (exponent - sub_bits)));
}

static inline void
hist_add(struct hist *h, uint64_t v)
{
	h->hi_count++;
	h->hi_total += v;
	if (v > h->hi_max)
		h->hi_max = v;
	h->hi_bucket[hist_index_of(v, HIST_SUB_BITS)]++;
}

/* Counts v n times. */
static inline void
hist_small_add(struct hist_small *h, uint64_t v, uint32_t n)
{
	h->hsm_bucket[v >> HIST_SMALL_BITS != 0 ? HIST_SMALL_BUCKETS - 1 :
	    hist_index_of(v, HIST_SMALL_SUB_BITS)] += n;
}

void hist_merge(struct hist *h, const struct hist *from);
void hist_small_merge(struct hist_small *h, const struct hist_small *from);

/*
 * The smallest bucket end that at least a share q of the values do not exceed,
 * at most the largest value; 0 for an empty histogram.
 */
uint64_t hist_quantile(const struct hist *h, double q);
uint64_t hist_small_quantile(const struct hist_small *h, double q);

uint64_t hist_small_count(const struct hist_small *h);
