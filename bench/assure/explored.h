/*
 * Campaigns of schedules for as long as there is time, and what rows say of
 * them.
 */
#ifndef BENCH_ASSURE_EXPLORED_H
#define BENCH_ASSURE_EXPLORED_H

#include "bench/assure/evidence.h"
#include "bench/explore/campaign.h"

/* All campaigns together. */
struct explored {
	uint64_t	ed_schedules;
	uint64_t	ed_reads;
	uint64_t	ed_reseeds;
	uint64_t	ed_blocks;
	unsigned	ed_readers_least;
	unsigned	ed_readers_most;
	/* Of the last, as struct campaign_result. */
	uint64_t	ed_evaluated[FAULT_POINTS];
	uint64_t	ed_executed[FAULT_POINTS];
};

/* A campaign about ap's design with all its defaults. */
void explored_campaign(const struct assure_params *ap, struct campaign *cn);

/*
 * Runs a campaign, at_once schedules and again as many until time is over.
 * The schedules that a seed gives are the same whatever the time is, so what is
 * found by the first at_once of them is, too.
 *
 *   ed   in, out  added to
 *   row  out      of what fails: which schedule, and how to have it again
 *
 * Returns: whether nothing failed.
 */
bool explored_run(const struct assure_params *ap, struct campaign *cn,
    unsigned at_once, double time_s, struct explored *ed,
    struct evidence_row *row);

#endif
