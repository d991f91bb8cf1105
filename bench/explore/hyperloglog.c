#include <math.h>

#include "bench/explore/hyperloglog.h"

void
hyperloglog_add(struct hyperloglog *hl, uint64_t hash)
{
	const uint64_t rest = hash << HYPERLOGLOG_BITS |
	    UINT64_C(1) << (HYPERLOGLOG_BITS - 1);
	uint8_t *rank = &hl->hl_register[hash >> (64 - HYPERLOGLOG_BITS)];

	if (*rank < __builtin_clzll(rest) + 1)
		*rank = (uint8_t)(__builtin_clzll(rest) + 1);
}

void
hyperloglog_merge(struct hyperloglog *hl, const struct hyperloglog *from)
{
	for (unsigned i = 0; i < HYPERLOGLOG_REGISTERS; i++)
		if (hl->hl_register[i] < from->hl_register[i])
			hl->hl_register[i] = from->hl_register[i];
}

double
hyperloglog_estimate(const struct hyperloglog *hl)
{
	const double m = HYPERLOGLOG_REGISTERS;
	double estimate, sum = 0;
	unsigned empty = 0;

	for (unsigned i = 0; i < HYPERLOGLOG_REGISTERS; i++) {
		sum += ldexp(1, -hl->hl_register[i]);
		empty += hl->hl_register[i] == 0;
	}
	estimate = 0.7213 / (1 + 1.079 / m) * m * m / sum;
	/* Few values are counted by the registers that are still 0. */
	if (estimate <= 2.5 * m && empty > 0)
		return (m * log(m / empty));
	return (estimate);
}
