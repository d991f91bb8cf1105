/*
 * What fails "rngsim compare" though it could compare, with the reason on
 * stderr.
 */
#ifndef BENCH_COMPARE_FAIL_H
#define BENCH_COMPARE_FAIL_H

#include <stdbool.h>

#include "bench/compare/compare.h"
#include "bench/compare/compare_gate.h"

/*
 * Names the rows that meet a condition, and those that were refused, so that it
 * could not be asked of them; warns of a condition that asks for changes too
 * small to be ranked.
 *
 *   refused_ok  in  the condition may pass by the rows that were not refused
 *
 * Returns: 0 when it passes, or EXIT_FAILURE.  Without any row it does not.
 */
int compare_fail_if(const struct compare *co, const struct compare_gate *cg,
    bool refused_ok);

/* EXIT_FAILURE when every row was refused; else 0. */
int compare_fail_unjudged(const struct compare *co);

#endif
