/* Pinning: the CPU of each thread of a cell. */
#pragma once

#include "lib/vm/topology.h"

enum { PINNING_ERROR_SIZE = 160 };

struct pinning {
	unsigned	*pl_ranks;	/* of readers, in turn; NULL: float */
	unsigned	 pl_count;
	int		 pl_harvest;	/* rank; -1: any */
	unsigned	 pl_cpus;	/* of the machine */
};

/*
 * Reads the argument of --place: "compact", "scatter" or "smt-first", orders of
 * all usable CPUs (lib/machine/cpu.h); "none", no thread is bound; or a list of
 * CPUs with ranges, and after a slash the harvest thread's: "0-3,8/9".  vt is
 * the simulated machine, which numbers CPUs by rank; NULL: the host, with the
 * operating system's numbers.  Returns: 0, or EINVAL with what is wrong.
 */
int pinning_parse(struct pinning *pl, const char *text,
    const struct vm_topology *vt, char error[PINNING_ERROR_SIZE]);

void pinning_free(struct pinning *pl);

/*
 * The rank of reader i's CPU, and of the harvest thread's: the given one, else
 * one that no reader has.  MACHINE_CPU_ANY: the thread floats, as the harvest
 * thread does when readers have all CPUs.
 */
int pinning_reader(const struct pinning *pl, unsigned i);
int pinning_harvest(const struct pinning *pl, unsigned readers);
