/*
 * How many different ones there were, in little memory.
 *
 * P. Flajolet, E. Fusy, O. Gandouet, F. Meunier, "HyperLogLog: the analysis of
 * a near-optimal cardinality estimation algorithm", AofA 2007.
 */
#ifndef BENCH_DISTINCT_H
#define BENCH_DISTINCT_H

#include <stdint.h>

enum { DISTINCT_BITS = 14, DISTINCT_REGISTERS = 1 << DISTINCT_BITS };

/* Its standard error, 1.04 / sqrt(DISTINCT_REGISTERS). */
#define	DISTINCT_ERROR	0.008125

/* All zero: none so far. */
struct distinct {
	uint8_t	di_register[DISTINCT_REGISTERS];
};

/* Counts one; v is a good hash of it. */
static inline void
distinct_add(struct distinct *di, uint64_t v)
{
	uint64_t rest = v << DISTINCT_BITS | UINT64_C(1) << (DISTINCT_BITS - 1);
	unsigned i = (unsigned)(v >> (64 - DISTINCT_BITS));
	uint8_t rank = (uint8_t)(__builtin_clzll(rest) + 1);

	if (di->di_register[i] < rank)
		di->di_register[i] = rank;
}

/* Adds those that another has counted. */
void distinct_merge(struct distinct *di, const struct distinct *from);

double distinct_estimate(const struct distinct *di);

#endif
