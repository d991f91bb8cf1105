/*
 * A reproduction as people and programs read it: published and predicted, side
 * by side.
 */
#ifndef BENCH_BESIDE_H
#define BENCH_BESIDE_H

#include <stdio.h>

#include "bench/reproduce/reproduce.h"

/* At most 80 columns wide.  Errors of out are for the caller to ask for. */
void beside_print(FILE *out, const struct reproducing *rg);

/* One line for each row, RFC 4180; likewise. */
void beside_print_csv(FILE *out, const struct reproducing *rg);

/*
 * One document.
 *
 * Returns: 0, or ENOMEM.
 */
int beside_print_json(FILE *out, const struct reproducing *rg);

#endif
