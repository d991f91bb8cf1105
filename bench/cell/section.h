/*
 * The plainest contention there is: threads that think, take a lock, hold it
 * and let go, for ever.
 *
 * What queueing theory and most papers on locks are about; the virtual machine
 * is held against both with it.  Threads share one lock, or those of a NUMA
 * node have one.
 */
#ifndef BENCH_SECTION_H
#define BENCH_SECTION_H

#include <stdbool.h>

#include "lib/lock.h"
#include "lib/vm.h"

struct section {
	const char	*se_lock;	/* kind */
	struct lock_config se_lock_config;
	unsigned	 se_threads;
	const unsigned	*se_cpus;	/* rank of each; NULL: 0, 1, 2 ... */
	double		 se_think_ns;	/* between release and next attempt */
	double		 se_hold_ns;
	bool		 se_exponential; /* both are drawn, those the means */
	unsigned	 se_lines;	/* data that the lock guards; 0: none */
	bool		 se_node_locks;	/* each node has its lock and data */
	/*
	 * Writes a hold, in the mean, to a word that all threads have in
	 * common, whichever lock they hold.
	 */
	double		 se_common_writes;
	double		 se_warmup_s;
	double		 se_time_s;
	uint64_t	 se_seed;
};

struct section_outcome {
	uint64_t	 so_count;	/* acquisitions in the window */
	uint64_t	*so_thread;	/* of each thread; malloc(3)ed */
	double		 so_rate_per_s;
	struct machine_outcome so_machine;
};

/*
 * Runs it, on the flavour's machine.
 *
 *   mc  in   of a simulated machine; else NULL
 *   so  out  freed by the caller
 *
 * Returns: 0; ENOMEM, EAGAIN; what machine_run() returns.
 */
typedef int	section_runner(const struct section *se,
		    const struct machine_config *mc,
		    struct section_outcome *so);

section_runner	real_section_run, bare_section_run, virtual_section_run;

#endif
