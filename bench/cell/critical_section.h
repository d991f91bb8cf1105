/*
 * The critical-section benchmark: threads think, take a lock, hold it and
 * release it, in a loop, as queueing theory and most papers on locks have it.
 * It tests the virtual machine against both.
 */
#pragma once

#include "lib/lock/lock.h"

struct critical_section {
	const char	*se_lock;	/* kind */
	struct lock_config se_lock_config;
	unsigned	 se_threads;
	const unsigned	*se_cpus;	/* rank of each; NULL: 0, 1, 2 ... */
	bool		 se_shuffled;	/* threads take these in any order */
	double		 se_think_ns;	/* between release and next attempt */
	double		 se_hold_ns;
	bool		 se_exponential; /* both are means of drawn times */
	unsigned	 se_lines;	/* data that the lock guards; 0: none */
	/* Mean writes to a word that all share. */
	double		 se_common_writes;	/* in each hold */
	double		 se_common_before;	/* before each attempt */
	uint64_t	 se_least;	/* acquisitions; the window may grow */
	double		 se_warmup_s, se_time_s;
	uint64_t	 se_seed;
};

struct critical_section_outcome {
	uint64_t	 so_count;	/* acquisitions in the window */
	uint64_t	*so_thread;	/* of each thread; the caller frees */
	double		 so_rate_per_s;
	struct machine_outcome so_machine;
};

/* Runs it on a simulated machine.  Returns: 0; ENOMEM; what vm_run() does. */
int virtual_critical_section_run(const struct critical_section *se,
    const struct machine_config *mc, struct critical_section_outcome *so);
