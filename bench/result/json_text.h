/*
 * Documents as text.
 */
#ifndef BENCH_JSON_TEXT_H
#define BENCH_JSON_TEXT_H

#include <jansson.h>

/*
 * As json_dumps(), which in jansson 2.14 leaves out a key that it has no memory
 * for, and says nothing.
 *
 * Returns: the text, to be freed; NULL when there was no memory, or no value.
 */
char *json_text(const json_t *value, size_t flags);

#endif
