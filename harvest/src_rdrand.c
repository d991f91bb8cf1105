/*
 * RDRAND: the CPU's generator, itself a generator reseeded by hardware.
 *
 * Stands for sys/dev/random/ivy.c, FreeBSD 14, without its option to gather
 * an independent seed from many draws.
 */
#include "harvest/harvest.h"
#include "lib/machine/cpurand.h"

static size_t
rdrand_read(void *state __unused, void *buf, size_t len)
{
	return (random_source_words(cpurand_rdrand_64, buf, len));
}

RANDOM_SOURCE(rdrand) = {
	.rs_ident	= "rdrand",
	.rs_descr	= "RDRAND instruction, polled by the harvest thread",
	.rs_source	= RANDOM_PURE_RDRAND,
	.rs_present	= cpurand_has_rdrand,
	.rs_read	= rdrand_read,
};
