/*
 * On which CPU each thread of a cell runs.
 */
#ifndef BENCH_PLACE_H
#define BENCH_PLACE_H

#include <stdbool.h>

#include "lib/vm_topology.h"

enum { PLACE_ERROR_SIZE = 160 };

struct place {
	unsigned	*pl_ranks;	/* for readers, in turn; NULL: none */
	unsigned	 pl_count;
	int		 pl_harvest;	/* rank asked for; -1: not */
	unsigned	 pl_cpus;	/* of the machine */
};

/*
 * Reads what --place takes: "compact", "scatter" or "smt-first", orders of all
 * usable CPUs (lib/cpu.h); "none", nobody is bound; or a list of CPUs as the
 * operating system numbers them, with ranges, and the harvest thread's after a
 * slash: "0-3,8/9".
 *
 *   pl     out  freed by place_free()
 *   error  out  on failure: what is wrong, for people
 *
 * Returns: 0; EINVAL; ENOMEM.
 */
int place_parse(struct place *pl, const char *text,
    char error[PLACE_ERROR_SIZE]);

/* The same on a simulated machine, whose CPUs are numbered by rank. */
int place_parse_virtual(struct place *pl, const char *text,
    const struct vm_topology *vt, char error[PLACE_ERROR_SIZE]);

void place_free(struct place *pl);

/* Whether threads are to be bound at all. */
bool place_binds(const struct place *pl);

/*
 * The rank of reader i's CPU, and of the harvest thread's beside so many
 * readers: the one asked for, else one that no reader has.  MACHINE_CPU_ANY
 * where a thread is to float, as the harvest thread does when readers have all
 * CPUs.
 */
int place_reader(const struct place *pl, unsigned i);
int place_harvest(const struct place *pl, unsigned readers);

#endif
