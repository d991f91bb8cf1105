/*
 * Parts of "make bench" and what they share.
 */
#ifndef BENCH_FIGURES_H
#define BENCH_FIGURES_H

#include <stdint.h>

#include "bench/cell/cell.h"

enum {
	FIGURES_ROUNDS_MAX	= 31,
	KIB			= 1024
};

/* The median of n values, left as they are; n is at most FIGURES_ROUNDS_MAX. */
double figures_median(const double *v, unsigned n);

/* "1.93 (1.90..1.97)": the median and the middle half, each printed by fmt. */
const char *figures_spread(const double *v, unsigned n, const char *fmt,
    char buf[64]);

/* Prints what a part measures, on which machine and when. */
void figures_heading(const char *what);

/*
 * Measures one repeat of a cell; ends the program when that fails.
 *
 *   skipcount  in  debug.lock.prof.skipcount
 */
void figures_run_cell(const struct engine *engine, const struct cell *ce,
    double time_s, unsigned skipcount, struct result_sample *rs);

/* The same under a ledger, which must find nothing wrong. */
void figures_run_ledgered(const struct engine *engine, const struct cell *ce,
    double time_s, struct result_sample *rs);

/*
 * The parts.  Each measures and prints; what it was aimed at stands in its
 * heading.
 *
 * Returns: the program's exit status.
 */
int figures_effect(void);
int figures_limit(void);
int figures_rivals(void);
int figures_profiling(void);
int figures_locks(void);
int figures_designs(void);
int figures_hash(void);
int figures_virtual(void);
int figures_explore(void);
int figures_cat(void);
int figures_ledger(void);

#endif
