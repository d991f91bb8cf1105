/*
 * Which CPUs this process may use, and binding threads to them.
 *
 * Only this file uses hwloc and cgroups.  CPUs are ranked among the allowed
 * ones, 0..cpu_count() - 1, cores before their second hardware threads.
 */
#pragma once

#include <pthread.h>

#include "lib/base/base.h"
#include "lib/base/cpu_order.h"

/*
 * Reads the topology and the process's affinity mask.  Call once, from the main
 * thread.  Returns: 0, or an errno value when hwloc fails.
 */
int cpu_init(void);
void cpu_fini(void);

/* Lists all cpu_count() ranks in an order. */
void cpu_ranks(enum cpu_order order, unsigned *ranks);

/* The rank of a CPU by its operating system's number; -1: not allowed. */
int cpu_rank(unsigned os_index);

/* CPUs in the affinity mask; at least 1. */
unsigned cpu_count(void);

/* CPUs of the machine, allowed or not; at least 1. */
unsigned cpu_count_machine(void);

/* CPUs' worth of time that a cgroup grants, where fewer than the mask; or 0. */
double cpu_quota(void);

/* One more than the greatest operating system's number of an allowed CPU. */
unsigned cpu_ids(void);

/* NUMA nodes with at least one allowed CPU; at least 1. */
unsigned cpu_nodes(void);

/* The node, 0..cpu_nodes() - 1, of a CPU by its operating system's number. */
unsigned cpu_node(unsigned os_index);

/* The operating system's number of the rank-th allowed CPU. */
unsigned cpu_os_index(unsigned rank);

/*
 * Numbers of cores and of last-level caches: two ranks that share one have the
 * same.  Where the host does not report caches, each core has its own.
 */
unsigned cpu_core(unsigned rank);
unsigned cpu_cache(unsigned rank);

/*
 * The kind of a CPU's core, by the operating system's number: more powerful
 * kinds have greater numbers.  0 where all are alike or it is unknown.
 */
unsigned cpu_kind(unsigned os_index);

/*
 * Binds a running thread to the CPU of a rank, taken modulo cpu_count().
 * Returns: 0, or the errno value of the refusal; the thread then floats.
 */
int cpu_bind(pthread_t thread, unsigned rank);

/* The CPU the caller runs on, as the operating system numbers it. */
unsigned cpu_current(void);

/* The processor's name, or "unknown"; cut to size. */
void cpu_model(char *buf, size_t size);

/* Reads the numbers at a file's start, its path as printf(3): how many. */
unsigned system_numbers(double *numbers, unsigned most, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
