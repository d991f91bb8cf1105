/*
 * Cases: a run that went wrong, with all that is needed to have it again; and
 * their files, rngsim-result(5).
 */
#ifndef BENCH_CASE_H
#define BENCH_CASE_H

#include <stdio.h>

#include "bench/console/lines.h"
#include "bench/explore/trial.h"

#define	CASE_SCHEMA	"rngsim-schedule/1"

enum {
	CASE_WORD_SIZE		= 24,
	CASE_TUNABLES_MAX	= 32,
	CASE_STRATEGY_SIZE	= 16
};

struct explore_case {
	struct trial_subject ca_subject;
	char		*ca_tunable[CASE_TUNABLES_MAX];	/* "name=value" */
	unsigned	 ca_tunables;
	struct fault_list ca_faults;	/* of a file */
	char		*ca_failpoint[FAULT_POINTS];	/* "name=spec" */
	unsigned	 ca_failpoints;
	/* Where it comes from. */
	uint64_t	 ca_seed;	/* of the campaign */
	uint64_t	 ca_number;	/* of the schedule in it, from 0 */
	char		 ca_strategy[CASE_STRATEGY_SIZE];
	/* What is run. */
	uint64_t	 ca_draws;	/* seed of what hardware would give */
	struct scenario	 ca_scenario;
	struct schedule	 ca_schedule;
	/* What comes of it. */
	char		 ca_word[CASE_WORD_SIZE];
	uint64_t	 ca_hash;
};

/* Frees what it points to. */
void case_free(struct explore_case *ca);

/* Writes it.  The subject's members are named as the families name them. */
void case_print(FILE *out, const struct explore_case *ca);

/*
 * Reads one.
 *
 *   ca       out  case_free() is due either way
 *   message  out  LINES_ERROR_SIZE bytes: what is wrong, with file and line
 *
 * Returns: 0; EINVAL; ENOMEM; what reading said.
 */
int case_load(struct explore_case *ca, const char *path, char *message);

/* Sets a subject's tunable from "name=value"; EINVAL, and why, if it cannot. */
int case_set_tunable(struct trial_subject *tb, const char *text, char *why,
    size_t size);

/* How a case ended when it was run. */
struct case_result {
	struct trial_outcome cr_outcome;
	bool		 cr_exact;	/* the schedule was followed */
	bool		 cr_same;	/* and this came of it, as noted */
};

/*
 * Runs it.
 *
 *   made, moments  out  as trial_run() has them
 *
 * Returns: as trial_run().
 */
int case_run(struct trial *tr, const struct explore_case *ca,
    struct schedule *made, struct moments *moments, struct case_result *cr);

#endif
