/*
 * Counts distinct values approximately, in little memory.
 *
 * P. Flajolet, E. Fusy, O. Gandouet, F. Meunier, "HyperLogLog: the analysis of
 * a near-optimal cardinality estimation algorithm", AofA 2007.
 */
#ifndef BENCH_EXPLORE_HYPERLOGLOG_H
#define BENCH_EXPLORE_HYPERLOGLOG_H

#include <stdint.h>

/* The standard error is 1.04 / sqrt(HYPERLOGLOG_REGISTERS), below 1 %. */
enum { HYPERLOGLOG_BITS = 14, HYPERLOGLOG_REGISTERS = 1 << HYPERLOGLOG_BITS };

/* All zero: empty. */
struct hyperloglog {
	uint8_t	hl_register[HYPERLOGLOG_REGISTERS];
};

/* Counts a value; hash is a good hash of it. */
void hyperloglog_add(struct hyperloglog *hl, uint64_t hash);

/* Adds the values that another has counted. */
void hyperloglog_merge(struct hyperloglog *hl, const struct hyperloglog *from);

double hyperloglog_estimate(const struct hyperloglog *hl);

#endif
