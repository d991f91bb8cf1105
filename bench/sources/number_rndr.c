/*
 * RNDR of Arm: the CPU's generator; a read is 64 bits wide.
 */
#include "bench/sources/numbers.h"
#include "lib/cpurand.h"

NUMBER_INSN_LOOP(rndr_64, uint64_t, cpurand_rndr_64)

const struct number_source number_rndr = {
	.ns_name	= "rndr",
	.ns_descr	= "RNDR instruction: the CPU's generator",
	.ns_hardware	= true,
	.ns_has		= cpurand_has_rndr,
	.ns_batch	= { [NUMBER_64] = rndr_64 },
};
