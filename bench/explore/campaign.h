/*
 * Campaigns: many schedules of one subject, on several host threads.
 */
#ifndef BENCH_CAMPAIGN_H
#define BENCH_CAMPAIGN_H

#include "bench/explore/case.h"
#include "bench/explore/strategy.h"

enum {
	/* Schedules of one scenario, one behind the other on one thread. */
	CAMPAIGN_BLOCK		= 40,
	CAMPAIGN_JOBS_MAX	= 1024,
	CAMPAIGN_CLASSES_MAX	= 16
};

struct campaign {
	struct trial_subject	cn_subject;
	struct scenario_limits	cn_limits;
	const struct strategy_class *cn_strategy;
	unsigned		cn_parameter;
	uint64_t		cn_seed;
	/* From this one on, and this one no more; numbers are from 0. */
	uint64_t		cn_first;
	uint64_t		cn_end;
	unsigned		cn_jobs;	/* host threads */
	/* Called now and then with how many are done; or NULL. */
	void			(*cn_progress)(void *context, uint64_t done);
	void			*cn_context;
};

struct campaign_result {
	uint64_t	ce_schedules;
	/*
	 * Run ahead of cn_first, since strategies learn from them, and counted
	 * nowhere else, but for one that failed.
	 */
	uint64_t	ce_ahead;
	double		ce_distinct;	/* orders of locks, an estimate */
	double		ce_seconds;	/* CPU time of all host threads */
	uint64_t	ce_steps;	/* choices */
	uint64_t	ce_steps_most;	/* of one */
	uint64_t	ce_reads;
	uint64_t	ce_reseeds;
	uint64_t	ce_blocks;	/* of keystream */
	uint64_t	ce_by[CAMPAIGN_CLASSES_MAX];	/* strategy_index() */
	/* Of the fail points, where the subject has any; as fault_def(). */
	uint64_t	ce_evaluated[FAULT_POINTS];
	uint64_t	ce_executed[FAULT_POINTS];
	bool		ce_exhausted;	/* there are no more schedules */
	/* The first that failed, by number, whatever the jobs. */
	bool		ce_failed;
	struct explore_case ce_case;
	struct trial_outcome ce_outcome;
};

/* What scenarios of a subject are drawn from, unless the user says. */
void campaign_limits(const struct trial_subject *tb,
    struct scenario_limits *sm);

/*
 * Runs it, as far as the first failure.
 *
 *   ce  out  case_free(&ce->ce_case) is due
 *
 * Returns: 0, failures included; EINTR when interrupted; ENOMEM; what a
 * constructor or the host's threads said.
 */
int campaign_run(const struct campaign *cn, struct campaign_result *ce);

#endif
