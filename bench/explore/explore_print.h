/*
 * What rngsim explore says.
 */
#ifndef BENCH_EXPLORE_PRINT_H
#define BENCH_EXPLORE_PRINT_H

#include <stdio.h>

#include "bench/explore/campaign.h"
#include "bench/explore/shrink.h"

/* The line above all rows; a row for each campaign. */
void explore_print_head(FILE *out);
void explore_print_row(FILE *out, const struct campaign *cn,
    const struct campaign_result *ce);

/* What all campaigns together come to, none having failed. */
void explore_print_sum(FILE *out, const struct campaign *cn,
    const struct campaign_result *sum, unsigned campaigns);

/*
 * Adds to a sum, all 0 at first; of ce_schedules that has the fewest of any,
 * and ce_exhausted where all have.
 */
void explore_add(struct campaign_result *sum,
    const struct campaign_result *ce);

/* Which property, both operations, whose run it was. */
void explore_print_failure(FILE *out, const struct explore_case *ca,
    const struct trial_outcome *to);

/* How small it was made. */
void explore_print_shrunk(FILE *out, const struct shrink_result *si);

/* The last of what happened. */
void explore_print_timeline(FILE *out, const struct moments *mo);

#endif
