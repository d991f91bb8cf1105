/*
 * RDSEED of x86: the CPU's conditioned noise, which RDRAND is seeded from.
 */
#include "bench/sources/numbers.h"
#include "lib/cpurand.h"

NUMBER_INSN_LOOP(rdseed_32, uint32_t, cpurand_rdseed_32)
NUMBER_INSN_LOOP(rdseed_64, uint64_t, cpurand_rdseed_64)

const struct number_source number_rdseed = {
	.ns_name	= "rdseed",
	.ns_descr	= "RDSEED instruction: the CPU's noise, conditioned",
	.ns_hardware	= true,
	.ns_has		= cpurand_has_rdseed,
	.ns_batch	= { [NUMBER_32] = rdseed_32, [NUMBER_64] = rdseed_64 },
};
