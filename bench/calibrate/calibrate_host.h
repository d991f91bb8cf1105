/*
 * What else goes on on this machine.
 */
#ifndef BENCH_CALIBRATE_HOST_H
#define BENCH_CALIBRATE_HOST_H

#include "bench/calibrate/calibrate_stats.h"

/* CPU time so far, of all CPUs together, in seconds. */
struct calibrate_usage {
	double		us_busy_s;
	double		us_steal_s;
	double		us_total_s;	/* 0: the system does not say */
	double		us_own_s;	/* of this process and its children */
};

void calibrate_usage(struct calibrate_usage *us);

/*
 * Fills in cc_others and cc_steal from what happened since.
 *
 *   cc  in/out
 */
void calibrate_usage_since(const struct calibrate_usage *then,
    struct calibrate_conditions *cc);

/* The 1-minute load average of each CPU; 0 where there is none. */
double calibrate_load(void);

#endif
