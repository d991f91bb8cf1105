/*
 * The command line of rngsim explore.
 */
#ifndef BENCH_REQUEST_H
#define BENCH_REQUEST_H

#include "bench/explore/campaign.h"

enum { REQUEST_FAMILY_MAX = 64 };	/* designs, locks, ciphers chosen */

/* What the command line asks for. */
struct request {
	struct trial_subject rq_subject;	/* its tunables */
	const struct random_algorithm *rq_design[REQUEST_FAMILY_MAX];
	unsigned	 rq_designs;
	const struct lock_class *rq_lock[REQUEST_FAMILY_MAX];
	unsigned	 rq_locks;
	const struct cipher *rq_cipher[REQUEST_FAMILY_MAX];
	unsigned	 rq_ciphers;
	unsigned	 rq_readers_least;	/* 0: not given */
	unsigned	 rq_readers_most;
	uint32_t	 rq_size[SCENARIO_SIZES_MAX];
	unsigned	 rq_sizes;
	uint64_t	 rq_schedules;
	const struct strategy_class *rq_strategy;
	unsigned	 rq_parameter;
	uint64_t	 rq_seed;
	bool		 rq_seed_given;
	uint64_t	 rq_only;
	bool		 rq_only_given;
	unsigned	 rq_jobs;
	char		*rq_tunable[CASE_TUNABLES_MAX];
	unsigned	 rq_tunables;
	struct fault_list rq_faults;
	const char	*rq_output;
	const char	*rq_replay;
	bool		 rq_other;	/* an option that --replay has not */
};

/*
 * Reads it.  Prints one message to stderr when something is wrong.
 *
 *   rq    out  request_free() is due either way
 *   help  out  whether help was asked for, and printed
 *
 * Returns: 0, or an exit status.
 */
int request_parse(struct request *rq, int argc, char *argv[], bool *help);
void request_free(struct request *rq);

#endif
