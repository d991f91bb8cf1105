#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/result/json_text.h"
#include "bench/result/result.h"
#include "bench/result/result_field.h"
#include "bench/result/result_part.h"
#include "bench/result/result_uncertainty.h"
#include "lib/kassert.h"

enum {
	/*
	 * Digits a double keeps on every machine: 0.1 stays 0.1, and a file
	 * that was loaded is written again as it was.
	 */
	RESULT_DIGITS	= 15,
	RESULT_INDENT	= 2
};

/* Above this the digits printed could round up past the largest double. */
static const double result_real_max = 1e300;

/* Whole numbers up to here have at most RESULT_DIGITS digits. */
static const double result_whole_max = 1e15;

static json_t *
format_real(double v)
{

	KASSERT(isfinite(v) && fabs(v) <= result_real_max,
	    ("%g has no place in a result", v));
	if (v == floor(v) && fabs(v) < result_whole_max)
		return (json_integer((json_int_t)v));
	return (json_real(v));
}

/*
 * Text that comes from outside, arguments above all, need not be UTF-8, and
 * what is not cannot be JSON: such bytes are replaced rather than the result
 * lost.
 */
json_t *
result_text_format(const char *text)
{
	char *copy, *c;
	json_t *j;

	j = json_string(text);
	if (j != NULL)
		return (j);
	copy = strdup(text);
	if (copy == NULL)
		return (NULL);
	for (c = copy; *c != '\0'; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	j = json_string(copy);
	free(copy);
	return (j);
}

/* The setters take over value, NULL included, as jansson's *_new() do. */
static bool
set(json_t *object, const char *key, json_t *value)
{

	return (json_object_set_new(object, key, value) == 0);
}

static bool
append(json_t *array, json_t *value)
{

	return (json_array_append_new(array, value) == 0);
}

static bool set_fields(json_t *object, const struct result_field *table,
    const void *base);

static json_t *
format_fields(const struct result_field *table, const void *base)
{
	json_t *object;

	object = json_object();
	if (object != NULL && !set_fields(object, table, base)) {
		json_decref(object);
		return (NULL);
	}
	return (object);
}

static json_t *
format_field(const struct result_field *f, const void *base)
{
	const void *p = (const char *)base + f->rf_offset;
	uint64_t bytes;

	switch (f->rf_kind) {
	case RESULT_FIELD_NAME:
	case RESULT_FIELD_TEXT:
		return (result_text_format(p));
	case RESULT_FIELD_BOOL:
		return (json_boolean(*(const bool *)p));
	case RESULT_FIELD_COUNT:
		return (json_integer(*(const unsigned *)p));
	case RESULT_FIELD_BYTES:
		bytes = *(const uint64_t *)p;
		KASSERT(bytes <= INT64_MAX, ("%" PRIu64 " bytes", bytes));
		return (json_integer((json_int_t)bytes));
	case RESULT_FIELD_REAL:
		return (format_real(*(const double *)p));
	case RESULT_FIELD_OBJECT:
		return (format_fields(f->rf_table, p));
	}
	return (NULL);
}

json_t *
result_part_format(const struct result_field *table, const void *base)
{

	return (format_fields(table, base));
}

static bool
set_fields(json_t *object, const struct result_field *table, const void *base)
{
	const struct result_field *f;

	for (f = table; f->rf_key != NULL; f++)
		if (!set(object, f->rf_key, format_field(f, base)))
			return (false);
	return (true);
}

static bool
set_texts(json_t *object, const char *key, char *const *texts)
{
	json_t *array;

	array = json_array();
	if (!set(object, key, array))
		return (false);
	for (; texts != NULL && *texts != NULL; texts++)
		if (!append(array, result_text_format(*texts)))
			return (false);
	return (true);
}

static bool
set_reals(json_t *object, const char *key, const double *v, unsigned n)
{
	json_t *array;
	unsigned i;

	KASSERT(v != NULL || n == 0, ("%s: %u of nothing", key, n));
	array = json_array();
	if (!set(object, key, array))
		return (false);
	for (i = 0; i < n; i++)
		if (!append(array, format_real(v[i])))
			return (false);
	return (true);
}

/* What a sample of a simulated machine has besides. */
static bool
set_virtual_sample(json_t *object, const struct result_sample *s,
    unsigned readers)
{
	json_t *array;
	unsigned i;

	if (s->trace_hash[0] != '\0' &&
	    !set_fields(object, result_field_sample_virtual, s))
		return (false);
	if (s->output_sha256 == NULL)
		return (true);
	array = json_array();
	if (!set(object, "output_sha256", array))
		return (false);
	for (i = 0; i < readers; i++)
		if (!append(array, result_text_format(s->output_sha256[i])))
			return (false);
	return (true);
}

static bool
set_sample(json_t *object, const struct result_sample *s, unsigned readers)
{
	json_t *cpus;
	unsigned i;

	if (!set_fields(object, result_field_sample, s) ||
	    !set_reals(object, "reader_mb_per_s", s->reader_mb_per_s,
	    readers) ||
	    !set_reals(object, "interval_mb_per_s", s->interval_mb_per_s,
	    s->intervals) || (s->plain_mb_per_s > 0 &&
	    !set_fields(object, result_field_sample_ledger, s)) ||
	    !set_virtual_sample(object, s, readers))
		return (false);
	if (s->reader_cpu == NULL)
		return (true);
	cpus = json_array();
	if (!set(object, "reader_cpu", cpus))
		return (false);
	for (i = 0; i < readers; i++)
		if (!append(cpus, json_integer(s->reader_cpu[i])))
			return (false);
	return (true);
}

json_t *
result_sample_format(const struct result_sample *s, unsigned readers)
{
	json_t *object = json_object();

	if (object != NULL && !set_sample(object, s, readers)) {
		json_decref(object);
		return (NULL);
	}
	return (object);
}

/* Bins above the last that counted anything are left out. */
static bool
add_row(json_t *rows, const struct result_row *row)
{
	const struct result_log2 *rl;
	const double *bins;
	json_t *object;
	unsigned n;

	object = format_fields(result_field_row, row);
	if (!append(rows, object))
		return (false);
	for (rl = result_log2; rl->rl_key != NULL; rl++) {
		bins = (const double *)(const void *)((const char *)row +
		    rl->rl_offset);
		n = RESULT_LOG2_BINS;
		while (n > 0 && bins[n - 1] <= 0)
			n--;
		if (!set_reals(object, rl->rl_key, bins, n))
			return (false);
	}
	return (true);
}

static bool
set_health(json_t *object, const struct result_cell *cell)
{
	json_t *array;
	unsigned i;

	array = json_array();
	if (!set(object, "health", array))
		return (false);
	for (i = 0; i < cell->health_rows; i++)
		if (!append(array, format_fields(result_field_health,
		    &cell->health[i])))
			return (false);
	return (true);
}

static bool
add_cell(json_t *cells, const struct result_cell *cell)
{
	json_t *array, *object;
	unsigned i;

	object = json_object();
	if (!append(cells, object) ||
	    !set_fields(object, result_field_cell, cell) ||
	    (cell->profile[0] != '\0' &&
	    !set_fields(object, result_field_cell_virtual, cell)) ||
	    (cell->pretended_nodes > 0 &&
	    !set_fields(object, result_field_cell_pretended, cell)) ||
	    (cell->ledger.records > 0 &&
	    !set_fields(object, result_field_cell_ledger, cell)) ||
	    (cell->uncertainty.samples > 0 && !set(object, "uncertainty",
	    result_band_format(&cell->uncertainty))) ||
	    !set_reals(object, "total_mb_per_s_ci95",
	    cell->total_mb_per_s_ci95, 2) ||
	    !set_reals(object, "reader_mb_per_s", cell->reader_mb_per_s,
	    cell->readers))
		return (false);
	array = json_array();
	if (!set(object, "lock_profile", array))
		return (false);
	for (i = 0; i < cell->lock_profile_rows; i++)
		if (!add_row(array, &cell->lock_profile[i]))
			return (false);
	array = json_array();
	if (!set(object, "waits", array))
		return (false);
	for (i = 0; i < cell->wait_rows; i++)
		if (!append(array, format_fields(result_field_wait,
		    &cell->waits[i])))
			return (false);
	if (cell->health_rows > 0 && !set_health(object, cell))
		return (false);
	array = json_array();
	if (!set(object, "samples", array))
		return (false);
	for (i = 0; i < cell->repeats; i++)
		if (!append(array, result_sample_format(&cell->samples[i],
		    cell->readers)))
			return (false);
	return (true);
}

/* JSON's usual integers end at 2^63 - 1; a larger seed is a string. */
static json_t *
format_seed(uint64_t seed)
{
	char buf[24];

	if (seed <= INT64_MAX)
		return (json_integer((json_int_t)seed));
	snprintf(buf, sizeof(buf), "%" PRIu64, seed);
	return (json_string(buf));
}

static bool
add_cells(json_t *top, const char *key, const struct result_cell *cells,
    unsigned count)
{
	json_t *array;
	unsigned i;

	array = json_array();
	if (!set(top, key, array))
		return (false);
	for (i = 0; i < count; i++)
		if (!add_cell(array, &cells[i]))
			return (false);
	return (true);
}

/* The sittings after the first, where there were any. */
static bool
set_resumed(json_t *top, const struct result *r)
{
	json_t *array;
	unsigned i;

	if (r->resumed_count == 0)
		return (true);
	array = json_array();
	if (!set(top, "resumed", array))
		return (false);
	for (i = 0; i < r->resumed_count; i++)
		if (!append(array, format_fields(result_field_resumed,
		    &r->resumed[i])))
			return (false);
	return (true);
}

static bool
fill(json_t *top, const struct result *r)
{

	if (!set(top, "schema", json_string(RESULT_SCHEMA)) ||
	    !set_texts(top, "argv", r->argv) ||
	    !set(top, "seed", format_seed(r->seed)) ||
	    !set_fields(top, result_field_top, r) ||
	    !set_resumed(top, r) ||
	    !set_texts(top, "tunables", r->tunables) ||
	    !set_texts(top, "sources", r->sources) ||
	    !set_texts(top, "sources_skipped", r->sources_skipped))
		return (false);
	if (r->uncertainty.samples > 0 && !set(top, "uncertainty",
	    result_uncertainty_format(&r->uncertainty)))
		return (false);
	return (add_cells(top, "cells", r->cells, r->cell_count) &&
	    add_cells(top, "controls", r->controls, r->control_count));
}

char *
result_format_json(const struct result *r)
{
	char *line, *text = NULL;
	json_t *top;
	size_t len;

	KASSERT(r->cells != NULL || r->cell_count == 0,
	    ("%u cells of nothing", r->cell_count));
	top = json_object();
	if (top == NULL)
		return (NULL);
	if (fill(top, r))
		text = json_text(top, JSON_INDENT(RESULT_INDENT) |
		    JSON_REAL_PRECISION(RESULT_DIGITS));
	json_decref(top);
	if (text == NULL)
		return (NULL);
	len = strlen(text);
	line = realloc(text, len + 2);
	if (line == NULL) {
		free(text);
		return (NULL);
	}
	memcpy(line + len, "\n", 2);
	return (line);
}

void
result_sample_free(struct result_sample *s)
{

	free(s->reader_mb_per_s);
	free(s->reader_cpu);
	free(s->interval_mb_per_s);
	free(s->output_sha256);
}

static void
free_texts(char **texts)
{
	char **t;

	for (t = texts; t != NULL && *t != NULL; t++)
		free(*t);
	free(texts);
}

void
result_cell_free(struct result_cell *cell)
{
	unsigned i;

	for (i = 0; cell->samples != NULL && i < cell->repeats; i++)
		result_sample_free(&cell->samples[i]);
	free(cell->samples);
	result_band_free(&cell->uncertainty);
	free(cell->reader_mb_per_s);
	free(cell->lock_profile);
	free(cell->waits);
	free(cell->health);
}

void
result_free(struct result *r)
{
	unsigned i;

	free_texts(r->argv);
	free(r->resumed);
	free_texts(r->tunables);
	free_texts(r->sources);
	free_texts(r->sources_skipped);
	for (i = 0; r->cells != NULL && i < r->cell_count; i++)
		result_cell_free(&r->cells[i]);
	free(r->cells);
	for (i = 0; r->controls != NULL && i < r->control_count; i++)
		result_cell_free(&r->controls[i]);
	free(r->controls);
	result_uncertainty_free(&r->uncertainty);
	*r = (struct result){ .cells = NULL };
}
