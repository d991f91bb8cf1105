/*
 * RNDRRS of Arm: the same, reseeded before each number.
 */
#include "bench/sources/numbers.h"
#include "lib/cpurand.h"

NUMBER_INSN_LOOP(rndrrs_64, uint64_t, cpurand_rndrrs_64)

const struct number_source number_rndrrs = {
	.ns_name	= "rndrrs",
	.ns_descr	= "RNDRRS instruction: the same, reseeded each time",
	.ns_hardware	= true,
	.ns_has		= cpurand_has_rndr,
	.ns_batch	= { [NUMBER_64] = rndrrs_64 },
};
