/*
 * What several test programs need.
 *
 * Everything is inline, so that a program which is linked against part of the
 * objects takes what it uses and nothing else.
 */
#ifndef TESTS_UNIT_SUPPORT_H
#define TESTS_UNIT_SUPPORT_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <atf-c.h>

#include "lib/machine/cpu.h"
#include "lib/crypto/crypto.h"
#include "lib/base/base.h"
#include "lib/machine/machine.h"
#include "lib/machine/tick.h"
#ifdef MACHINE_VIRTUAL
#include "lib/vm/impl.h"
#include "tests/unit/vm_fixture.h"
#endif

/* Starts libcrypto or fails the test. */
static inline void
support_crypto(void)
{
	const char *missing = NULL;
	int error;

	error = crypto_init(&missing);
	ATF_REQUIRE_MSG(error == 0, "libcrypto: %s",
	    missing == NULL ? "?" : missing);
}

/*
 * Tests that are compiled for each flavour of the machine have bodies that run
 * on it: MACHINE_TEST() in place of TEST().
 */
#ifdef MACHINE_VIRTUAL
enum { SUPPORT_CPUS = 4, SUPPORT_NODES = 2 };

#define	SUPPORT_LIMIT_PS	UINT64_C(600000000000000)

struct support_part {
	void		(*sp_fn)(void *);
	void		*sp_arg;
};

/* The test's thread is one among others, not the machine's first. */
static inline void
support_first(void *arg)
{
	struct support_part *sp = arg;
	struct mthread test;
	int error;

	error = machine_spawn(&test, "test", MACHINE_CPU_ANY, sp->sp_fn,
	    sp->sp_arg);
	ATF_REQUIRE_EQ(0, error);
	machine_join(&test);
}

/*
 * Runs fn(arg) on a machine; EDEADLK when that got stuck, and why is told, or
 * took longer than the limit.
 */
static inline int
support_run(void (*fn)(void *), void *arg, uint64_t limit_ps,
    struct machine_outcome *mo)
{
	struct machine_config mc = fixture_config(SUPPORT_CPUS, SUPPORT_NODES);
	struct support_part sp = { .sp_fn = fn, .sp_arg = arg };

	mc.mc_limit_ps = limit_ps;
	return (vm_run(&mc, support_first, &sp, mo));
}

#define	MACHINE_TEST(name, text)					\
static void	name##_on_machine(void *arg);				\
									\
TEST(name, text)							\
{									\
	struct machine_outcome mo;					\
	int error;							\
									\
	error = support_run(name##_on_machine, NULL, SUPPORT_LIMIT_PS,	\
	    &mo);							\
	ATF_CHECK_MSG(error == 0, "%s: %s", strerror(error),		\
	    mo.mo_stuck);						\
}									\
									\
static void								\
name##_on_machine(void *arg __attribute__((unused)))
#else
#define	MACHINE_TEST(name, text)	TEST(name, text)
#endif

/* CPUs of the machine that tests run on. */
static inline unsigned
support_cpus(void)
{
#ifdef MACHINE_VIRTUAL
	return (SUPPORT_CPUS);
#else
	return (cpu_count());
#endif
}

/* Whether a thread sleeps in the machine. */
static inline bool
support_asleep(struct mthread *td)
{
#ifdef MACHINE_VIRTUAL
	return (td->mt_thread->vt_state == VM_BLOCKED);
#else
	return (atomic_load_32(&td->mt_offcpu) != 0);
#endif
}

/*
 * Makes the test's own thread one of the machine's, if it is not; td outlives
 * the test.
 */
static inline void
support_machine(struct mthread *td __unused)
{
#ifdef MACHINE_VIRTUAL
#else
	int error;

	error = cpu_init();
	ATF_REQUIRE_MSG(error == 0, "cpu_init: %s", strerror(error));
	tick_calibrate();
	machine_attach(td, "test");
#endif
}

/* Zeroed memory for n objects that may hold a struct mthread or a lock. */
static inline void *
support_alloc(size_t n, size_t size)
{
	size_t bytes = n * size;
	void *p;

	bytes += -bytes % MACHINE_CACHE_LINE;
	p = aligned_alloc(MACHINE_CACHE_LINE, bytes);
	ATF_REQUIRE_MSG(p != NULL, "%zu bytes", bytes);
	memset(p, 0, bytes);
	return (p);
}

static inline void
support_spawn(struct mthread *td, const char *name, int cpu,
    void (*fn)(void *), void *arg)
{
	int error;

	error = machine_spawn(td, name, cpu, fn, arg);
	ATF_REQUIRE_MSG(error == 0, "%s: %s", name, strerror(error));
}

/* Waits for another thread to set a flag; leaves it the CPU. */
static inline void
support_await(struct m32 *flag)
{
	while (atomic_load_acq_32(flag) == 0)
		machine_yield();
}

/* jemalloc's; NULL where a sanitizer or a system has another malloc(3). */
extern int mallctl(const char *, void *, size_t *, void *, size_t)
    __attribute__((weak));

/*
 * The count of bytes that this thread has allocated, or freed.  Volatile, as
 * compilers assume that malloc(3) changes no variable.  Skips the test where
 * there is no count.
 */
static inline const volatile uint64_t *
support_count(const char *name)
{
	const volatile uint64_t *p = NULL;
	uint64_t before;
	size_t size = sizeof(p);
	void *volatile some;

	if (mallctl == NULL || mallctl(name, &p, &size, NULL, 0) != 0 ||
	    p == NULL)
		atf_tc_skip("the allocator does not count");
	/* An allocation would be seen. */
	before = *p;
	some = malloc(1000);
	ATF_REQUIRE(some != NULL);
	free(some);
	ATF_REQUIRE(*p >= before + 1000);
	return (p);
}
#define	support_allocated()	support_count("thread.allocatedp")
#define	support_freed()		support_count("thread.deallocatedp")

/* The first offset at which a and b differ; n when they do not. */
static inline size_t
support_mismatch(const uint8_t *a, const uint8_t *b, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (a[i] != b[i])
			break;
	return (i);
}

/* Whether all n bytes are c. */
static inline bool
support_all(const uint8_t *p, size_t n, uint8_t c)
{
	for (; n > 0; n--, p++)
		if (*p != c)
			return (false);
	return (true);
}

/* Writes the n bytes that hex, of 2 * n digits, stands for. */
static inline void
support_unhex(const char *hex, uint8_t *out, size_t n)
{
	char digits[3] = { 0 };

	ATF_REQUIRE_MSG(strlen(hex) == 2 * n, "\"%s\" is not %zu bytes", hex,
	    n);
	for (size_t i = 0; i < n; i++) {
		memcpy(digits, hex + 2 * i, 2);
		out[i] = (uint8_t)strtoul(digits, NULL, 16);
	}
}

/* A small generator of test data: xorshift64*; never a source of secrets. */
static inline uint64_t
support_draw(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (*state * UINT64_C(0x2545f4914f6cdd1d));
}

static jmp_buf support_trap;

static inline void
support_trapped(const char *file __unused, int line __unused,
    const char *func __unused,
    const char *expr __unused, const char *msg __unused)
{
	longjmp(support_trap, 1);
}

/* Whether fn(arg), run by this thread, fails an assertion. */
static inline bool
support_asserts(void (*fn)(void *), void *arg)
{
	kassert_handler *const before = kassert_failed;

	kassert_failed = support_trapped;
	if (setjmp(support_trap) != 0) {
		kassert_failed = before;
		return (true);
	}
	fn(arg);
	kassert_failed = before;
	return (false);
}

#endif
