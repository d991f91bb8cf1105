/*
 * Which CPUs this process may use, and binding threads to them.
 *
 * The only place that knows hwloc and the host's way of limiting CPUs.  CPUs
 * are addressed by their rank among the allowed ones, 0..cpu_count() - 1, cores
 * before their second hardware threads.
 */
#ifndef LIB_CPU_H
#define LIB_CPU_H

#include <pthread.h>
#include <stdbool.h>

/*
 * Reads the topology and the process's affinity mask.  Call once, from the
 * main thread.
 *
 * Returns: 0, or an errno value when hwloc cannot tell.
 */
int cpu_init(void);

/* Releases what cpu_init() took. */
void cpu_fini(void);

/* Ways of filling a machine; ranks themselves are in compact order. */
enum cpu_order {
	CPU_COMPACT,	/* a node's cores, the next node's, then siblings */
	CPU_SCATTER,	/* a core of each node in turn, then siblings */
	CPU_SMT_FIRST,	/* a core's hardware threads, then the next core */
	CPU_ORDERS
};

/*
 * Lists all ranks in an order.
 *
 *   ranks  out  cpu_count() of them
 */
void cpu_ranks(enum cpu_order order, unsigned *ranks);

/* The rank of a CPU by its operating system's number; -1: not allowed. */
int cpu_rank(unsigned os_index);

/* CPUs in the affinity mask; at least 1. */
unsigned cpu_count(void);

/* CPUs of the machine, allowed or not; at least 1. */
unsigned cpu_count_machine(void);

/*
 * CPUs' worth of time a cgroup grants per second, where that is fewer than the
 * mask holds; else 0.  An affinity mask does not show this limit.
 */
double cpu_quota(void);

/* One more than the greatest of those numbers that an allowed CPU has. */
unsigned cpu_ids(void);

/* NUMA nodes with at least one allowed CPU; at least 1. */
unsigned cpu_nodes(void);

/* The node, 0..cpu_nodes() - 1, of a CPU by its operating system's number. */
unsigned cpu_node(unsigned os_index);

/* The operating system's number of the rank-th allowed CPU. */
unsigned cpu_os_index(unsigned rank);

/*
 * Numbers that tell cores, and last-level caches, apart: two ranks have the
 * same one when they share it.  Where a machine says nothing of caches each
 * core counts as having its own.
 */
unsigned cpu_core(unsigned rank);
unsigned cpu_cache(unsigned rank);

/*
 * What kind of core a CPU is, by the operating system's number: of several
 * kinds the more powerful have the greater numbers.  0 where all are alike, or
 * where the host does not say.
 */
unsigned cpu_kind(unsigned os_index);

/*
 * Binds a thread to one CPU.
 *
 *   thread  in  a running thread
 *   rank    in  taken modulo cpu_count()
 *
 * Returns: 0, or the errno value of the refusal; the thread then floats.
 */
int cpu_bind(pthread_t thread, unsigned rank);

/* The CPU the caller runs on, as the operating system numbers it. */
unsigned cpu_current(void);

/*
 * The processor's name, or "unknown".
 *
 *   buf  out  NUL-terminated, at most size bytes
 */
void cpu_model(char *buf, size_t size);

#endif
