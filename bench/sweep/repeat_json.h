/*
 * One repeat's measure as JSON, exactly: what is read is what was written.
 */
#ifndef BENCH_REPEAT_JSON_H
#define BENCH_REPEAT_JSON_H

#include <jansson.h>

#include "bench/cell/cell.h"
#include "bench/result/result.h"

/* Digits that tell any two doubles apart; for json_dumps(3). */
enum { REPEAT_JSON_DIGITS = 17 };

/* NULL when there is no memory. */
json_t *repeat_json_format(const struct cell_measure *cm, unsigned readers);

/*
 * Reads it.
 *
 *   cm     out  cell_measure_free() it, also after a failure
 *   error  out  on failure: the member, and what is wrong with it
 *
 * Returns: 0, EINVAL or ENOMEM.
 */
int repeat_json_load(const json_t *object, unsigned readers,
    struct cell_measure *cm, char error[RESULT_TEXT_SIZE]);

/* A number of 64 bits, as hexadecimal digits. */
json_t *repeat_json_word(uint64_t v);
int repeat_json_load_word(const json_t *object, const char *key,
    uint64_t *out);

#endif
