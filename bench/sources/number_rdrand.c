/*
 * RDRAND of x86: the CPU's generator, itself reseeded by its hardware.
 */
#include "bench/sources/numbers.h"
#include "lib/cpurand.h"

NUMBER_INSN_LOOP(rdrand_32, uint32_t, cpurand_rdrand_32)
NUMBER_INSN_LOOP(rdrand_64, uint64_t, cpurand_rdrand_64)

const struct number_source number_rdrand = {
	.ns_name	= "rdrand",
	.ns_descr	= "RDRAND instruction: the CPU's generator",
	.ns_hardware	= true,
	.ns_has		= cpurand_has_rdrand,
	.ns_batch	= { [NUMBER_32] = rdrand_32, [NUMBER_64] = rdrand_64 },
};
