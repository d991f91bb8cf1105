/*
 * Plans: a command as a list of jobs, each a command that stands alone, and the
 * jobs' results as one.  Functions return 0, or an exit status after a message.
 */
#pragma once

#include "bench/options/options.h"

/*
 * Writes the jobs of a command that are not done, and what they have in common,
 * below op_plan.  The seed, which is set, becomes that of the plan.
 */
int plan_write(struct options *op, unsigned jobs);

enum { MERGE_HOSTS_MAX = 64 };

struct merge_part {
	const char	*mp_file;	/* NULL: missing */
	struct result_cell *mp_cells;
	unsigned	 mp_cell_count;
};

/* Starts as zeros but for mg_across. */
struct merge {
	bool		 mg_across;
	/* The first part without cells and with the plan's argv. */
	struct result	 mg_all;
	const char	*mg_first;	/* its file; NULL: none yet */
	unsigned	 mg_words;	/* of the plan's argv */
	unsigned	 mg_parts;
	struct merge_part *mg_part;	/* mg_parts for each host */
	unsigned	 mg_hosts;
	struct result_host mg_host[MERGE_HOSTS_MAX];
	unsigned	 mg_refused;
};

/*
 * Takes a part that is complete, of the same plan, and not there twice: argv,
 * seed, started, complete, host.revision and cells of r; result_free() what is
 * left of it.  It is of "host", at most one more than before.
 */
int merge_take(struct merge *mg, const char *file, struct result *r,
    unsigned host);

/* Fails with the parts that are missing, or if any file was refused. */
int merge_missing(struct merge *mg);

void merge_free(struct merge *mg);

/* Merges the results that the operands name; complains of each bad one. */
int merge_results(const struct options *op);
