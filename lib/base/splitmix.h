/* SplitMix64: for simulations, and for hashes that no attacker chooses. */
#pragma once

#include <stdint.h>

#define	SPLITMIX_STEP	UINT64_C(0x9e3779b97f4a7c15)

/* Its output function, a bijection. */
static inline uint64_t
splitmix_out(uint64_t v)
{
	v = (v ^ v >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	v = (v ^ v >> 27) * UINT64_C(0x94d049bb133111eb);
	return (v ^ v >> 31);
}

/* A step and its output. */
static inline uint64_t
splitmix(uint64_t v)
{
	return (splitmix_out(v + SPLITMIX_STEP));
}

/* The next draw. */
static inline uint64_t
splitmix_next(uint64_t *state)
{
	return (splitmix_out(*state += SPLITMIX_STEP));
}

/*
 * Exponential with mean 1, by von Neumann's comparisons, as libraries differ in
 * logarithms.  Of uniform draws that descend, a run of length n from x has an
 * odd n with chance exp(-x); each start given up stands for a whole unit.
 */
static inline double
splitmix_exponential(uint64_t *state)
{
	uint64_t first, last, next;
	unsigned n;

	for (unsigned whole = 0;; whole++) {
		first = last = splitmix_next(state);
		for (n = 1; (next = splitmix_next(state)) < last; n++)
			last = next;
		if (n % 2 == 1)
			return (whole + (double)(first >> 11) * 0x1p-53);
	}
}
