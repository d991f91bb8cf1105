/* Clocks.  The only file that reads one on the real machine. */
#pragma once

#include <pthread.h>
#include <time.h>

#include "lib/base/base.h"

#define	NS_PER_S	INT64_C(1000000000)
#define	NS_PER_MS	INT64_C(1000000)
#define	NS_PER_US	INT64_C(1000)

#if defined(CLOCK_MONOTONIC_COARSE)
#define	TICK_COARSE	CLOCK_MONOTONIC_COARSE
#elif defined(CLOCK_MONOTONIC_FAST)
#define	TICK_COARSE	CLOCK_MONOTONIC_FAST
#else
#define	TICK_COARSE	CLOCK_MONOTONIC
#endif

/*
 * A clock, such as a thread's of pthread_getcpuclockid(3): its CPU time, user
 * and system.  Below 0 where clock_gettime(2) fails, as after the thread's end.
 */
static inline int64_t
tick_read_ns(clockid_t clock)
{
	struct timespec ts = { .tv_sec = -1 };

	clock_gettime(clock, &ts);
	return ((int64_t)ts.tv_sec * NS_PER_S + ts.tv_nsec);
}

/* Nanoseconds of CLOCK_MONOTONIC. */
static inline int64_t
tick_ns(void)
{
	return (tick_read_ns(CLOCK_MONOTONIC));
}

/*
 * The same clock as of the last timer tick, as getsbinuptime(9): an order of
 * magnitude cheaper and some milliseconds late.
 */
static inline int64_t
tick_coarse_ns(void)
{
	return (tick_read_ns(TICK_COARSE));
}

/*
 * The cycle counter, get_cyclecount(9): cheap, monotonic per CPU, of unknown
 * unit.  Falls back on CLOCK_MONOTONIC where the CPU offers none.
 */
static inline uint64_t
tick_cycles(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return (__builtin_ia32_rdtsc());
#elif defined(__aarch64__)
	uint64_t v;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
	return (v);
#else
	return ((uint64_t)tick_ns());
#endif
}

/* Measures tick_cycles() for 10 ms.  Call it once, before other threads. */
void tick_calibrate(void);

/* A difference of tick_cycles() in ns; 0 if negative, of CPUs out of step. */
int64_t tick_cycles_to_ns(uint64_t cycles);

/* The difference of two tick_cycles(); 0 for a negative one. */
static inline uint64_t
tick_since(uint64_t then, uint64_t now)
{
	return (now - then > UINT64_MAX / 2 ? 0 : now - then);
}

uint64_t tick_ns_to_cycles(uint64_t ns);
