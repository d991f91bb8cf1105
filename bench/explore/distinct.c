#include <math.h>

#include "bench/explore/distinct.h"

void
distinct_merge(struct distinct *di, const struct distinct *from)
{
	unsigned i;

	for (i = 0; i < DISTINCT_REGISTERS; i++)
		if (di->di_register[i] < from->di_register[i])
			di->di_register[i] = from->di_register[i];
}

double
distinct_estimate(const struct distinct *di)
{
	const double m = DISTINCT_REGISTERS;
	double estimate, sum = 0;
	unsigned empty = 0, i;

	for (i = 0; i < DISTINCT_REGISTERS; i++) {
		sum += ldexp(1, -di->di_register[i]);
		empty += di->di_register[i] == 0;
	}
	estimate = 0.7213 / (1 + 1.079 / m) * m * m / sum;
	/* Few are counted by the registers that are empty. */
	if (estimate <= 2.5 * m && empty > 0)
		return (m * log(m / empty));
	return (estimate);
}
