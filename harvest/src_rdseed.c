/*
 * RDSEED: the CPU's conditioned noise, which RDRAND is seeded from.
 *
 * Stands for sys/dev/random/ivy.c, FreeBSD 14, without its option to gather
 * an independent seed from many draws.
 */
#include <errno.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#include "harvest/source.h"

#if defined(__x86_64__)
static int
rdseed_probe(void)
{
	unsigned a, b, c, d;

	if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & bit_RDSEED) == 0)
		return (ENOTSUP);
	return (0);
}

static bool __attribute__((target("rdseed")))
rdseed_step(uint64_t *word)
{
	unsigned long long v;

	if (_rdseed64_step(&v) == 0)
		return (false);
	*word = v;
	return (true);
}
#else
static int
rdseed_probe(void)
{

	return (ENOTSUP);
}

static bool
rdseed_step(uint64_t *word)
{

	(void)word;
	return (false);
}
#endif

static size_t
rdseed_read(void *state, void *buf, size_t len)
{

	(void)state;
	return (random_source_words(rdseed_step, buf, len));
}

RANDOM_SOURCE(rdseed) = {
	.rs_ident	= "rdseed",
	.rs_descr	= "RDSEED instruction, polled by the harvest thread",
	.rs_source	= RANDOM_PURE_RDSEED,
	.rs_flags	= RS_POLLED,
	.rs_probe	= rdseed_probe,
	.rs_read	= rdseed_read,
};
