/*
 * The output of rngsim explore.
 */
#ifndef BENCH_EXPLORE_PRINT_H
#define BENCH_EXPLORE_PRINT_H

#include "bench/explore/campaign.h"

/* A campaign's row, below the titles. */
void explore_print_row(FILE *out, const struct campaign *cn,
    const struct campaign_result *ce);

/*
 * What follows when no campaign has failed.
 *
 *   cn   in  one of the campaigns
 *   sum  in  their sum; but of ce_schedules that of the shortest
 */
void explore_print_sum(FILE *out, const struct campaign *cn,
    const struct campaign_result *sum, unsigned campaigns);

/* Adds a row to that sum. */
void explore_add(struct campaign_result *sum, const struct campaign_result *ce);

/* The broken property and where it was found. */
void explore_print_failure(FILE *out, const struct counterexample *cx,
    const struct outcome *to);

/* A counterexample's page. */
struct explore_page {
	const char	*ep_path;
	const struct counterexample *ep_case;
	const struct outcome *ep_outcome;	/* of its replay: a failure */
	const struct event_trace *ep_trace;
};

/*
 * Prints a page with the timeline as a picture.
 *
 *   of  in  a struct explore_page
 */
void explore_page(FILE *out, const void *of);

#endif
