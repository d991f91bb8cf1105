/*
 * The CPU's own random numbers: RDRAND and RDSEED of x86, RNDR and RNDRRS of
 * Arm.  The only place with these instructions.
 *
 * cpurand_has_X() says whether this CPU has instruction X; without it the step
 * functions return false and execute nothing.  A step makes one number; false
 * when the CPU had none ready, and then *word is not written.
 *
 * Source: Intel's Software Developer's Manual, RDRAND and RDSEED: the carry
 * flag is set on success; Arm's Architecture Reference Manual, RNDR and
 * RNDRRS, FEAT_RNG: the zero flag is set on failure.
 */
#pragma once

#include "lib/base/base.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

static inline bool
cpurand_has_rdrand(void)
{
#if defined(__x86_64__)
	unsigned a, b, c, d;

	return (__get_cpuid(1, &a, &b, &c, &d) && (c & bit_RDRND) != 0);
#else
	return (false);
#endif
}

static inline bool
cpurand_has_rdseed(void)
{
#if defined(__x86_64__)
	unsigned a, b, c, d;

	return (__get_cpuid_count(7, 0, &a, &b, &c, &d) &&
	    (b & bit_RDSEED) != 0);
#else
	return (false);
#endif
}

/* From the kernel: user code may not be allowed to query the CPU. */
static inline bool
cpurand_has_rndr(void)
{
	unsigned long v = 0;

#if defined(__aarch64__) && defined(__FreeBSD__)
	if (elf_aux_info(AT_HWCAP2, &v, sizeof(v)) != 0)
		return (false);
#elif defined(__aarch64__)
	v = getauxval(AT_HWCAP2);
#endif
	return ((v & 1ul << 16) != 0);	/* HWCAP2_RNG */
}

/* In assembly: intrinsics need a compiler flag for CPUs that have these. */
#if defined(__x86_64__)
#define	CPURAND_X86(insn, v, ok)					\
	__asm__ volatile(insn " %0" : "=r"(v), "=@ccc"(ok))
#else
#define	CPURAND_X86(insn, v, ok)	(void)((v) = 0)
#endif
/* By register numbers: assemblers have the names only for some CPUs. */
#if defined(__aarch64__)
#define	CPURAND_ARM(number, v, ok)					\
	__asm__ volatile("mrs %0, " number "\n\tcset %w1, ne" :		\
	    "=&r"(v), "=r"(ok) : : "cc")
#else
#define	CPURAND_ARM(number, v, ok)	(void)((v) = 0)
#endif

#define	CPURAND_STEP(name, bits, arch, text)				\
static inline bool							\
cpurand_##name##_##bits(uint##bits##_t *word)				\
{									\
	uint##bits##_t v;						\
	bool ok = false;						\
									\
	arch(text, v, ok);						\
	if (ok)								\
		*word = v;						\
	return (ok);							\
}

CPURAND_STEP(rdrand, 32, CPURAND_X86, "rdrand")
CPURAND_STEP(rdrand, 64, CPURAND_X86, "rdrand")
CPURAND_STEP(rdseed, 32, CPURAND_X86, "rdseed")
CPURAND_STEP(rdseed, 64, CPURAND_X86, "rdseed")
CPURAND_STEP(rndr, 64, CPURAND_ARM, "s3_3_c2_c4_0")
CPURAND_STEP(rndrrs, 64, CPURAND_ARM, "s3_3_c2_c4_1")
