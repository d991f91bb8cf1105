/* Campaigns: many schedules of one subject, on several host threads. */
#pragma once

#include "bench/explore/counterexample.h"
#include "bench/explore/strategy.h"
#include "bench/result/result.h"

enum {
	/* Consecutive schedules of one scenario, on one host thread. */
	CAMPAIGN_BLOCK		= 40,
	AGED_EVERY		= 200,	/* of them one begins late in life */
	CAMPAIGN_JOBS_MAX	= 1024
};

struct campaign {
	struct subject	cn_subject;
	struct scenario_limits	cn_limits;
	const struct strategy_class *cn_strategy;	/* NULL: drawn */
	unsigned		cn_parameter;
	uint64_t		cn_seed;
	/* Schedules cn_first..cn_end - 1, from 0. */
	uint64_t		cn_first, cn_end;
	unsigned		cn_jobs;	/* host threads */
	/* Called by the caller's thread with the schedules done; or NULL. */
	void			(*cn_progress)(void *context, uint64_t done);
	void			*cn_context;
};

/* What was done, in documents too. */
struct campaign_row {
	field_NAME	design, lock, cipher;
	uint64_t	schedules;
	uint64_t	steps;		/* choices */
	uint64_t	steps_most;	/* of one schedule */
	uint64_t	reads, reseeds;
	uint64_t	blocks;		/* of keystream */
	/* As to_copied, to_again and to_late. */
	uint64_t	copied_bytes, again_bytes, late_bytes;
	double		cpu_s;		/* of all host threads */
};

/* For field_merge(), too. */
extern const struct field campaign_row_fields[];

struct campaign_result {
	struct campaign_row cgr_row;
	/* Run before cn_first, for the strategy to learn from; none failed. */
	uint64_t	cgr_ahead;
	/* By fail point, as failpoint_defs has them. */
	uint64_t	cgr_evaluated[FAILPOINTS], cgr_executed[FAILPOINTS];
	unsigned	cgr_exhausted;	/* 1: there are no more schedules */
	/* A search of all: what showed nothing new, and known ones left. */
	uint64_t	cgr_redundant, cgr_open;
	/* The failed schedule with the lowest number, for any cn_jobs. */
	bool		cgr_failed;
	struct counterexample cgr_case;
	struct outcome cgr_outcome;
};

/* Sets the default limits of the scenarios of its subject and strategy. */
void campaign_limits(struct campaign *cn);

/* Whether it is of all executions, which are one block of schedules. */
bool campaign_is_whole(const struct campaign *cn);

/* What is done in each of all executions: threads, reads, reseeds. */
struct text campaign_bound(const struct campaign *cn);

/* Adds a campaign's counts to a sum, which is all 0 at first. */
void campaign_add(struct campaign_result *sum,
    const struct campaign_result *ce);

/* In how many jobs a campaign of cn_first 0 can be run; 1: not in parts. */
uint64_t campaign_parts(const struct campaign *cn);

/* Makes it one of several, from 1: whole blocks, so that none is run twice. */
void campaign_split(struct campaign *cn, unsigned part, unsigned parts);

/*
 * Runs a campaign up to its first failure; counterexample_free() of cgr_case
 * is due then.  Returns: 0, failures included; EINTR when interrupted; ENOMEM;
 * what a constructor returned.
 */
int campaign_run(const struct campaign *cn, struct campaign_result *ce);
