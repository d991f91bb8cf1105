/*
 * Parts of a result by themselves, for files that hold less than one.
 */
#ifndef BENCH_RESULT_PART_H
#define BENCH_RESULT_PART_H

#include <jansson.h>

#include "bench/result/result.h"
#include "bench/result/result_field.h"
#include "bench/result/value.h"

/*
 * A text; bytes above 0x7f are replaced where it is not UTF-8, which JSON needs
 * to be.
 */
json_t *result_text_format(const char *text);

/* The structure at base as an object; NULL when there is no memory. */
json_t *result_part_format(const struct result_field *table,
    const void *base);

/* A sample of a cell with so many readers, likewise. */
json_t *result_sample_format(const struct result_sample *s,
    unsigned readers);

/*
 * Reads what result_sample_format() made.
 *
 *   s  out  zeroed by the caller; result_sample_free() it, also after a failure
 *
 * Returns: 0, EINVAL with the message written, or ENOMEM.
 */
int result_sample_load(struct value_at *at, const json_t *object,
    struct result_sample *s, unsigned readers);

/* Frees what a sample points to. */
void result_sample_free(struct result_sample *s);

#endif
