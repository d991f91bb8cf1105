/*
 * RDSEED: the CPU's conditioned noise, which RDRAND is seeded from.
 *
 * Stands for sys/dev/random/ivy.c, FreeBSD 14, without its option to gather
 * an independent seed from many draws.
 */
#include "harvest/harvest.h"
#include "lib/machine/cpurand.h"

static size_t
rdseed_read(void *state __unused, void *buf, size_t len)
{
	return (random_source_words(cpurand_rdseed_64, buf, len));
}

RANDOM_SOURCE(rdseed) = {
	.rs_ident	= "rdseed",
	.rs_descr	= "RDSEED instruction, polled by the harvest thread",
	.rs_source	= RANDOM_PURE_RDSEED,
	.rs_present	= cpurand_has_rdseed,
	.rs_read	= rdseed_read,
};
