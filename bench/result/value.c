#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bench/result/value.h"
#include "lib/kassert.h"

/* As result.c; a larger number could not be written again. */
static const double value_real_max = 1e300;

int
value_refuse(struct value_at *at, const char *key, const char *fmt, ...)
{
	size_t len;
	va_list ap;
	int n;

	n = snprintf(at->va_error, RESULT_TEXT_SIZE, "%s%s: ", at->va_where,
	    key);
	KASSERT(n > 0, ("snprintf"));
	len = (size_t)n < RESULT_TEXT_SIZE ? (size_t)n : RESULT_TEXT_SIZE - 1;
	va_start(ap, fmt);
	vsnprintf(at->va_error + len, RESULT_TEXT_SIZE - len, fmt, ap);
	va_end(ap);
	return (EINVAL);
}

size_t
value_enter(struct value_at *at, const char *fmt, ...)
{
	size_t len = strlen(at->va_where);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(at->va_where + len, VALUE_WHERE_SIZE - len, fmt, ap);
	va_end(ap);
	return (len);
}

void
value_leave(struct value_at *at, size_t up)
{

	KASSERT(up < VALUE_WHERE_SIZE, ("%zu", up));
	at->va_where[up] = '\0';
}

json_t *
value_needed(struct value_at *at, const json_t *object, const char *key)
{
	json_t *j;

	j = json_object_get(object, key);
	if (j == NULL)
		value_refuse(at, key, "missing");
	return (j);
}

/* Control characters would reach the terminal of whoever looks at a report. */
static int
load_text(struct value_at *at, const json_t *j, const char *key, char *out,
    size_t size)
{
	const char *c;

	if (!json_is_string(j))
		return (value_refuse(at, key, "not a string"));
	if (json_string_length(j) >= size)
		return (value_refuse(at, key, "longer than %zu bytes",
		    size - 1));
	for (c = json_string_value(j); *c != '\0'; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return (value_refuse(at, key,
			    "has a control character"));
	memcpy(out, json_string_value(j), json_string_length(j) + 1);
	return (0);
}

int
value_real(struct value_at *at, const json_t *j, const char *key, double *out)
{
	double v;

	if (!json_is_number(j))
		return (value_refuse(at, key, "not a number"));
	v = json_number_value(j);
	if (!isfinite(v) || v < 0 || v > value_real_max)
		return (value_refuse(at, key, "%g is out of range", v));
	*out = v;
	return (0);
}

int
value_count(struct value_at *at, const json_t *j, const char *key,
    unsigned *out)
{
	json_int_t v;

	if (!json_is_integer(j))
		return (value_refuse(at, key, "not an integer"));
	v = json_integer_value(j);
	if (v < 0 || v > UINT_MAX)
		return (value_refuse(at, key, "%" JSON_INTEGER_FORMAT
		    " is out of range", v));
	*out = (unsigned)v;
	return (0);
}

static int
load_bytes(struct value_at *at, const json_t *j, const char *key, uint64_t *out)
{

	if (!json_is_integer(j))
		return (value_refuse(at, key, "not an integer"));
	if (json_integer_value(j) < 1)
		return (value_refuse(at, key, "%" JSON_INTEGER_FORMAT
		    " is out of range", json_integer_value(j)));
	*out = (uint64_t)json_integer_value(j);
	return (0);
}

static int
load_object(struct value_at *at, const json_t *j, const struct result_field *f,
    void *out)
{
	size_t up;
	int error;

	if (!json_is_object(j))
		return (value_refuse(at, f->rf_key, "not an object"));
	up = value_enter(at, "%s.", f->rf_key);
	error = value_fields(at, j, f->rf_table, out);
	value_leave(at, up);
	return (error);
}

static int
load_field(struct value_at *at, const json_t *j, const struct result_field *f,
    void *p)
{

	switch (f->rf_kind) {
	case RESULT_FIELD_NAME:
		return (load_text(at, j, f->rf_key, p, RESULT_NAME_SIZE));
	case RESULT_FIELD_TEXT:
		return (load_text(at, j, f->rf_key, p, RESULT_TEXT_SIZE));
	case RESULT_FIELD_BOOL:
		if (!json_is_boolean(j))
			return (value_refuse(at, f->rf_key,
			    "not true or false"));
		*(bool *)p = json_is_true(j);
		return (0);
	case RESULT_FIELD_COUNT:
		return (value_count(at, j, f->rf_key, p));
	case RESULT_FIELD_BYTES:
		return (load_bytes(at, j, f->rf_key, p));
	case RESULT_FIELD_REAL:
		return (value_real(at, j, f->rf_key, p));
	case RESULT_FIELD_OBJECT:
		return (load_object(at, j, f, p));
	}
	return (value_refuse(at, f->rf_key, "of no known kind"));
}

int
value_fields(struct value_at *at, const json_t *object,
    const struct result_field *table, void *base)
{
	const struct result_field *f;
	int error;

	for (f = table; f->rf_key != NULL; f++) {
		json_t *j = json_object_get(object, f->rf_key);

		if (j == NULL && !f->rf_needed)
			continue;
		if (j == NULL)
			return (value_refuse(at, f->rf_key, "missing"));
		error = load_field(at, j, f, (char *)base + f->rf_offset);
		if (error != 0)
			return (error);
	}
	return (0);
}
