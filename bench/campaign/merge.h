/*
 * Results of the jobs of a plan (--plan) as one result.
 *
 * Functions return 0, or EXIT_FAILURE after a message.
 */
#ifndef BENCH_CAMPAIGN_MERGE_H
#define BENCH_CAMPAIGN_MERGE_H

#include "bench/cli/atomic_file.h"
#include "bench/options/options.h"
#include "bench/result/result.h"

enum { MERGE_HOSTS_MAX = 64 };

/* What a part is of. */
struct merge_head {
	const char	*mh_file;
	char		**mh_argv;	/* to be freed by the caller; or NULL */
	uint64_t	 mh_seed;
	const char	*mh_started;
	const char	*mh_revision;
	bool		 mh_complete;
	unsigned	 mh_host;	/* at most one more than before */
};

struct merge_part {
	const char	*mp_file;	/* NULL: missing */
	struct result_cell *mp_cells;
	unsigned	 mp_cell_count;
};

struct merge {
	bool		 mg_across;
	char		**mg_argv;	/* the first part's; NULL: none yet */
	unsigned	 mg_words;
	unsigned	 mg_parts;
	uint64_t	 mg_seed;
	const char	*mg_first;	/* file */
	field_NAME	 mg_revision;
	field_NAME	 mg_started;	/* the earliest */
	struct merge_part *mg_part;	/* mg_parts for each host */
	unsigned	 mg_hosts;
	struct result_host mg_host[MERGE_HOSTS_MAX];
	unsigned	 mg_refused;
};

/*
 * Takes a part that is complete, of the same plan, and not there twice.
 *
 *   mh    in/out  mh_argv becomes NULL where it was taken over
 *   slot  out     the part
 */
int merge_take(struct merge *mg, struct merge_head *mh,
    struct merge_part **slot);

/* Fails with the parts that are missing, or if any file was refused. */
int merge_missing(struct merge *mg);

/*
 * The plan's command line with "-o output", if there is one; its array is to be
 * freed.
 */
char **merge_argv(const struct merge *mg, const char *output);

void merge_free(struct merge *mg);

/* Merges the results that the operands name; complains of each bad one. */
int merge_results(const struct options *op, struct atomic_file *of);

#endif
