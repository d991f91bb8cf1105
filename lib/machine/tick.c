#include "lib/machine/tick.h"

/* Written once by tick_calibrate(), before threads start. */
static double cycles_per_ns = 1.0;

void
tick_calibrate(void)
{
	int64_t ns0 = tick_ns(), ns1;
	uint64_t c0 = tick_cycles(), c1;

	do {
		ns1 = tick_ns();
		c1 = tick_cycles();
	} while (ns1 - ns0 < 10 * NS_PER_MS);
	cycles_per_ns = (double)(c1 - c0) / (double)(ns1 - ns0);
	KASSERT(cycles_per_ns > 0, ("%f cycles per ns", cycles_per_ns));
}

int64_t
tick_cycles_to_ns(uint64_t cycles)
{
	return (cycles > UINT64_MAX / 2 ? 0 :
	    (int64_t)((double)cycles / cycles_per_ns));
}

uint64_t
tick_ns_to_cycles(uint64_t ns)
{
	return ((uint64_t)((double)ns * cycles_per_ns));
}
