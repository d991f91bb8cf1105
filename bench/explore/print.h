/*
 * The output of rngsim explore.
 */
#ifndef BENCH_EXPLORE_PRINT_H
#define BENCH_EXPLORE_PRINT_H

#include "bench/explore/campaign.h"

/* A campaign's row, below the titles. */
void explore_print_row(FILE *out, const struct campaign *cn,
    const struct campaign_result *ce);

/* What follows from n schedules without a failure, of each row. */
void explore_print_excluded(FILE *out, uint64_t n, bool rows);

/*
 * What follows when no campaign has failed.
 *
 *   cn   in  one of the campaigns
 *   sum  in  their sum
 */
void explore_print_sum(FILE *out, const struct campaign *cn,
    const struct campaign_result *sum, unsigned campaigns);

/*
 * The broken property, where it was found, and the last steps if they were
 * traced.
 *
 *   turns  in  turns of the schedule before it was shrunk, or 0
 */
void explore_print_failure(FILE *out, const struct counterexample *cx,
    const struct replay *ry, unsigned turns);

/* A counterexample's page. */
struct explore_page {
	const char	*eg_path;
	const struct counterexample *eg_case;
	const struct replay *eg_replay;	/* traced, and a failure */
};

/*
 * Prints a page with the timeline as a picture.
 *
 *   of  in  a struct explore_page
 */
void explore_page(FILE *out, const void *of);

#endif
