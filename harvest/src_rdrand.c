/*
 * RDRAND: the CPU's generator, itself a generator reseeded by hardware.
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
rdrand_probe(void)
{
	unsigned a, b, c, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || (c & bit_RDRND) == 0)
		return (ENOTSUP);
	return (0);
}

static bool __attribute__((target("rdrnd")))
rdrand_step(uint64_t *word)
{
	unsigned long long v;

	if (_rdrand64_step(&v) == 0)
		return (false);
	*word = v;
	return (true);
}
#else
static int
rdrand_probe(void)
{

	return (ENOTSUP);
}

static bool
rdrand_step(uint64_t *word)
{

	(void)word;
	return (false);
}
#endif

static size_t
rdrand_read(void *state, void *buf, size_t len)
{

	(void)state;
	return (random_source_words(rdrand_step, buf, len));
}

RANDOM_SOURCE(rdrand) = {
	.rs_ident	= "rdrand",
	.rs_descr	= "RDRAND instruction, polled by the harvest thread",
	.rs_source	= RANDOM_PURE_RDRAND,
	.rs_flags	= RS_POLLED,
	.rs_probe	= rdrand_probe,
	.rs_read	= rdrand_read,
};
