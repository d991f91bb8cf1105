/*
 * What predictions with drawn profiles say, in a result document.
 */
#ifndef BENCH_RESULT_UNCERTAINTY_H
#define BENCH_RESULT_UNCERTAINTY_H

#include <jansson.h>

#include "bench/result/result.h"
#include "bench/result/value.h"

/* The object of one cell, or of the whole; NULL when there is no memory. */
json_t *result_band_format(const struct result_band *rb);
json_t *result_uncertainty_format(const struct result_uncertainty *ru);

/*
 * Reads them; what the objects hold is for result_free().
 *
 *   object  in  what the key "uncertainty" has
 *
 * Returns: 0; EINVAL with the message written; ENOMEM.
 */
int result_band_load(struct value_at *at, const json_t *object,
    struct result_band *rb);
int result_uncertainty_load(struct value_at *at, const json_t *object,
    struct result_uncertainty *ru);

/* Frees what they point to. */
void result_band_free(struct result_band *rb);
void result_uncertainty_free(struct result_uncertainty *ru);

#endif
