/*
 * What health tests said in a cell's repeats; for summary.c.
 */
#ifndef BENCH_SWEEP_SUMMARY_HEALTH_H
#define BENCH_SWEEP_SUMMARY_HEALTH_H

#include "bench/sweep/summary.h"

/* Adds one repeat's rows to those of its cell. */
void summary_health_add(struct sweep_cell *sc, const struct cell_measure *cm);

/* Makes the result's rows.  Returns: 0 or ENOMEM. */
int summary_health_finish(const struct sweep_cell *sc, struct result_cell *rc);

#endif
