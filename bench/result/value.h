/*
 * The members of a parsed result, one at a time, checked for type and range.
 *
 * Functions that return int return 0, or EINVAL with the message written: the
 * path of the member and what is wrong with it.
 */
#ifndef BENCH_VALUE_H
#define BENCH_VALUE_H

#include <jansson.h>

#include "bench/result/result.h"
#include "bench/result/result_field.h"

enum {
	VALUE_WHERE_SIZE = 96	/* "cells[4294967295].samples[...]" fits */
};

/* Where in the document the reader is. */
struct value_at {
	char	*va_error;	/* the message, RESULT_TEXT_SIZE bytes */
	char	 va_where[VALUE_WHERE_SIZE];	/* "cells[3].host." or "" */
};

/* Says what is wrong with the member key of where the reader is. */
int value_refuse(struct value_at *at, const char *key,
    const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/*
 * Goes down into a member.
 *
 * Returns: what brings value_leave() back up.
 */
size_t value_enter(struct value_at *at, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void value_leave(struct value_at *at, size_t up);

/* The member key; NULL, with the message written, when it is missing. */
json_t *value_needed(struct value_at *at, const json_t *object,
    const char *key);

/* A number, finite and not negative. */
int value_real(struct value_at *at, const json_t *j,
    const char *key, double *out);

/* An integer, 0..UINT_MAX. */
int value_count(struct value_at *at, const json_t *j,
    const char *key, unsigned *out);

/* Every member that table describes, into the structure at base. */
int value_fields(struct value_at *at, const json_t *object,
    const struct result_field *table, void *base);

#endif
