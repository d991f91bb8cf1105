/*
 * Work of a given length: what a critical section does, or a pause.
 */
#ifndef LIB_MACHINE_WORK_H
#define LIB_MACHINE_WORK_H

#include "lib/machine/machine.h"

/* Charged where work is charged; where it is not, time goes by. */
static inline void
machine_work(uint64_t ns)
{
	uint64_t start;

	machine_charge(COST_WORK, (size_t)ns);
	if (MACHINE_SIMULATED || ns == 0)
		return;
	start = machine_cycles();
	while (machine_cycles_to_ns(machine_cycles_since(start,
	    machine_cycles())) < (int64_t)ns)
		;
}

#endif
