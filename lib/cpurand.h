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
#ifndef LIB_CPURAND_H
#define LIB_CPURAND_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

#if defined(__x86_64__)

static inline bool
cpurand_has_rdrand(void)
{
	unsigned a, b, c, d;

	return (__get_cpuid(1, &a, &b, &c, &d) && (c & bit_RDRND) != 0);
}

static inline bool
cpurand_has_rdseed(void)
{
	unsigned a, b, c, d;

	return (__get_cpuid_count(7, 0, &a, &b, &c, &d) &&
	    (b & bit_RDSEED) != 0);
}

/* In assembly, as compilers have intrinsics only where all CPUs have these. */
#define	CPURAND_STEP(insn, bits)					\
static inline bool							\
cpurand_##insn##_##bits(uint##bits##_t *word)				\
{									\
	uint##bits##_t v;						\
	bool ok;							\
									\
	__asm__ volatile(#insn " %0" : "=r"(v), "=@ccc"(ok));		\
	if (ok)								\
		*word = v;						\
	return (ok);							\
}

CPURAND_STEP(rdrand, 32)
CPURAND_STEP(rdrand, 64)
CPURAND_STEP(rdseed, 32)
CPURAND_STEP(rdseed, 64)

#else

#define	CPURAND_ABSENT(insn, bits)					\
static inline bool							\
cpurand_##insn##_##bits(uint##bits##_t *word)				\
{									\
									\
	(void)word;							\
	return (false);							\
}

CPURAND_ABSENT(rdrand, 32)
CPURAND_ABSENT(rdrand, 64)
CPURAND_ABSENT(rdseed, 32)
CPURAND_ABSENT(rdseed, 64)

static inline bool
cpurand_has_rdrand(void)
{

	return (false);
}

static inline bool
cpurand_has_rdseed(void)
{

	return (false);
}

#endif

#if defined(__aarch64__)

/* The kernel tells, as user code need not be able to ask the CPU. */
static inline bool
cpurand_has_rndr(void)
{
	const unsigned long hwcap2_rng = 1ul << 16;
	unsigned long v = 0;

#if defined(__FreeBSD__)
	if (elf_aux_info(AT_HWCAP2, &v, sizeof(v)) != 0)
		return (false);
#else
	v = getauxval(AT_HWCAP2);
#endif
	return ((v & hwcap2_rng) != 0);
}

/* By their numbers: assemblers know the names only when told of the CPU. */
#define	CPURAND_STEP(insn, number)					\
static inline bool							\
cpurand_##insn##_64(uint64_t *word)					\
{									\
	uint32_t ok;							\
	uint64_t v;							\
									\
	__asm__ volatile("mrs %0, " number "\n\tcset %w1, ne" :		\
	    "=&r"(v), "=r"(ok) : : "cc");				\
	if (ok != 0)							\
		*word = v;						\
	return (ok != 0);						\
}

CPURAND_STEP(rndr, "s3_3_c2_c4_0")
CPURAND_STEP(rndrrs, "s3_3_c2_c4_1")

#else

static inline bool
cpurand_has_rndr(void)
{

	return (false);
}

static inline bool
cpurand_rndr_64(uint64_t *word)
{

	(void)word;
	return (false);
}

static inline bool
cpurand_rndrrs_64(uint64_t *word)
{

	(void)word;
	return (false);
}

#endif

#endif
