/*
 * The arrays of a parsed result, checked as value.h checks single members.
 *
 * Functions return 0, EINVAL with the message written, or ENOMEM.  Out is left
 * alone when there is no array or no memory; in every other case it is for the
 * caller to free: elements behind the one that was wrong are zero.
 */
#ifndef BENCH_RESULT_VALUE_ARRAY_H
#define BENCH_RESULT_VALUE_ARRAY_H

#include <stdbool.h>

#include "bench/result/value.h"

/*
 * The array key itself, and room for its elements and a zero one behind them.
 *
 *   size  in  of an element
 */
int value_array(struct value_at *at, const json_t *object, const char *key,
    const json_t **array, size_t size, void **out, unsigned *count);

/* Texts; NULL stands behind the last.  Only what is needed must be there. */
int value_texts(struct value_at *at, const json_t *object, const char *key,
    bool is_needed, char ***out);

/* Numbers, finite and not negative. */
int value_reals(struct value_at *at, const json_t *object, const char *key,
    double **out, unsigned *count);

/* Reads one element of an array of objects; cell is the one it belongs to. */
typedef int value_element(struct value_at *at, const json_t *object,
    void *element, const struct result_cell *cell);

/* Objects; *count is as many as there is room for. */
int value_objects(struct value_at *at, const json_t *object, const char *key,
    size_t size, void **out, unsigned *count, value_element *element,
    const struct result_cell *cell);

#endif
