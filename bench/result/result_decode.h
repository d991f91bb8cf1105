/*
 * From parsed JSON to a result; every member is checked on the way.
 */
#ifndef BENCH_RESULT_DECODE_H
#define BENCH_RESULT_DECODE_H

#include <jansson.h>

#include "bench/result/result.h"

/*
 * Reads a result from a document.
 *
 *   top    in   the whole document
 *   r      out  freed by result_free(); untouched on failure
 *   error  out  on failure: the member's path and what is wrong with it
 *
 * Returns: 0, EINVAL or ENOMEM.
 */
int result_decode(const json_t *top, struct result *r,
    char error[RESULT_TEXT_SIZE]);

#endif
