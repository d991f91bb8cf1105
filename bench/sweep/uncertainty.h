/*
 * How far predictions hang on values of the profile that nobody measured: the
 * same cells again with profiles drawn around it.
 */
#ifndef BENCH_UNCERTAINTY_H
#define BENCH_UNCERTAINTY_H

#include "bench/options/options.h"
#include "bench/result/result.h"
#include "bench/sweep/checkpoint.h"

/*
 * A ranking is robust if it holds in this share of the samples, and by so much
 * in their median: less is not worth a change, however certain.
 */
#define	UNCERTAINTY_ROBUST	0.9
#define	UNCERTAINTY_MARGIN	0.01

enum { UNCERTAINTY_LEAST = 10 };	/* draws that say anything */

/*
 * Runs each cell with op_uncertainty profiles, the i-th the same for all, and
 * all else as in its first repeat; fills in the cells' uncertainty and the
 * result's.
 *
 *   op     in      the seed is of the draws too
 *   ck     in      begun; or NULL
 *   like   in      what r->cells[i] is of
 *   error  out     on failure: why, for people
 *
 * Returns: 0; EINTR when interrupted: of the draws that all cells had, if these
 * are at least UNCERTAINTY_LEAST, the same is filled in; ENOMEM; else what the
 * engine said, and then nothing is filled in.
 */
int uncertainty_run(const struct options *op, struct checkpoint *ck,
    const struct cell *like, const volatile sig_atomic_t *stop,
    struct result *r, char error[CELL_ERROR_SIZE]);

/*
 * Makes bands, effects and rankings of samples.
 *
 *   r         in/out  cells have uncertainty.total_samples
 *   harvest   in      the harvest thread's CPU %, [cell][sample]
 *   profiles  in      as many as there are samples
 *   base      in      what they were drawn around
 *
 * Returns: 0 or ENOMEM.
 */
int uncertainty_analyse(struct result *r, const double *harvest,
    const struct profile *profiles, const struct profile *base);

#endif
