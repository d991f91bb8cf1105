/*
 * Runs on simulated machines, several at a time.
 */
#ifndef BENCH_REPLICATE_H
#define BENCH_REPLICATE_H

#include "bench/cell/cell.h"
#include "bench/options/options.h"

/* One run. */
struct replica {
	const struct cell *re_cell;
	unsigned	 re_repeat;
	const struct profile *re_profile;
	bool		 re_skip;	/* not run: taken with ECANCELED */
};

struct replicate {
	const struct options *rp_options;
	unsigned	 rp_replicas;
	unsigned	 rp_before;	/* of these done earlier, and skipped */
	const volatile sig_atomic_t *rp_stop;
	const char	*rp_label;	/* what progress says is done */
	/* Says what replica i is, on any thread. */
	void		(*rp_choose)(void *context, unsigned i,
			    struct replica *re);
	/*
	 * Takes what a run said, in order of replicas, on the caller's thread;
	 * cm is empty after an error, and whatever is left in it is freed.
	 *
	 * Returns: 0, or an error that ends it all.
	 */
	int		(*rp_take)(void *context, unsigned i, int error,
			    const char *why, struct cell_measure *cm);
	void		*rp_context;
};

/* Memory that this process may have: the machine's, or less by ulimit -v. */
uint64_t replicate_memory_bytes(void);

/*
 * How many runs may go on at a time: as many as the host has CPUs and memory
 * for, or as rngsim.virtual.threads says.  0: there is no memory for one.
 *
 *   needed  out  bytes that one of them needs at most
 */
unsigned replicate_threads(const struct options *op, uint64_t *needed);

/*
 * Does all runs.  What is taken, and in which order, does not depend on how
 * many go on at a time.
 *
 * Returns: 0, what rp_take() returned, or ENOMEM.
 */
int replicate_run(const struct replicate *rp);

#endif
