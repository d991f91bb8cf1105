#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/result/result_decode.h"
#include "bench/result/result_field.h"
#include "bench/result/result_part.h"
#include "bench/result/result_uncertainty.h"
#include "bench/result/value.h"
#include "bench/result/value_array.h"
#include "lib/kassert.h"
#include "lib/number.h"

enum { TRACE_HASH_SIZE = 2 * 8 + 1 };

/* A number for each reader: another member states how many there are. */
static int
load_reader_reals(struct value_at *at, const json_t *object, double **out,
    unsigned readers)
{
	unsigned count = 0;
	int error;

	error = value_reals(at, object, "reader_mb_per_s", out, &count);
	if (error == 0 && count != readers)
		return (value_refuse(at, "reader_mb_per_s",
		    "%u numbers for %u readers", count, readers));
	return (error);
}

static int
load_reader_cpus(struct value_at *at, const json_t *object, unsigned **out,
    unsigned readers)
{
	const json_t *array;
	unsigned count, i;
	void *cpus;
	int error;

	error = value_array(at, object, "reader_cpu", &array, sizeof(**out),
	    &cpus, &count);
	if (error != 0)
		return (error);
	*out = cpus;
	if (count != readers)
		return (value_refuse(at, "reader_cpu", "%u CPUs for %u readers",
		    count, readers));
	for (i = 0; error == 0 && i < count; i++)
		error = value_count(at, json_array_get(array, i), "reader_cpu",
		    &(*out)[i]);
	return (error);
}

/* Hexadecimal digits, size less one of them. */
static bool
is_hex(const char *text, size_t size)
{

	return (strlen(text) == size - 1 &&
	    strspn(text, "0123456789abcdef") == size - 1);
}

static int
load_output(struct value_at *at, const json_t *object,
    char (**out)[RESULT_SHA256_SIZE], unsigned readers)
{
	const json_t *array;
	unsigned count, i;
	const char *text;
	void *hashes;
	int error;

	error = value_array(at, object, "output_sha256", &array, sizeof(**out),
	    &hashes, &count);
	if (error != 0)
		return (error);
	*out = hashes;
	if (count != readers)
		return (value_refuse(at, "output_sha256", "%u hashes for %u "
		    "readers", count, readers));
	for (i = 0; i < count; i++) {
		text = json_string_value(json_array_get(array, i));
		if (text == NULL || !is_hex(text, RESULT_SHA256_SIZE))
			return (value_refuse(at, "output_sha256", "[%u]: not "
			    "64 hexadecimal digits", i));
		memcpy((*out)[i], text, RESULT_SHA256_SIZE);
	}
	return (0);
}

/* What only samples of simulated machines have, or those under a ledger. */
static int
load_virtual_sample(struct value_at *at, const json_t *object,
    struct result_sample *s, unsigned readers)
{
	int error;

	error = value_fields(at, object, result_field_sample_ledger, s);
	if (error == 0)
		error = value_fields(at, object, result_field_sample_virtual,
		    s);
	if (error == 0 && s->trace_hash[0] != '\0' &&
	    !is_hex(s->trace_hash, TRACE_HASH_SIZE))
		error = value_refuse(at, "trace_hash", "not 16 hexadecimal "
		    "digits");
	if (error == 0 && json_object_get(object, "output_sha256") != NULL)
		error = load_output(at, object, &s->output_sha256, readers);
	return (error);
}

static int
load_log2(struct value_at *at, const json_t *object, const char *key,
    double *bins)
{
	unsigned count = 0;
	double *v = NULL;
	int error;

	error = value_reals(at, object, key, &v, &count);
	if (error == 0 && count > RESULT_LOG2_BINS)
		error = value_refuse(at, key, "%u bins, expected at most %d",
		    count, RESULT_LOG2_BINS);
	if (error == 0)
		memcpy(bins, v, count * sizeof(*v));
	free(v);
	return (error);
}

static int
load_row(struct value_at *at, const json_t *object, void *element,
    const struct result_cell *cell)
{
	const struct result_log2 *rl;
	int error;

	(void)cell;
	error = value_fields(at, object, result_field_row, element);
	for (rl = result_log2; error == 0 && rl->rl_key != NULL; rl++)
		if (json_object_get(object, rl->rl_key) != NULL)
			error = load_log2(at, object, rl->rl_key,
			    (double *)(void *)((char *)element +
			    rl->rl_offset));
	return (error);
}

static int
load_wait(struct value_at *at, const json_t *object, void *element,
    const struct result_cell *cell)
{

	(void)cell;
	return (value_fields(at, object, result_field_wait, element));
}

static int
load_health_row(struct value_at *at, const json_t *object, void *element,
    const struct result_cell *cell)
{

	(void)cell;
	return (value_fields(at, object, result_field_health, element));
}

/* Only there where sources were tested. */
static int
load_health(struct value_at *at, const json_t *object,
    struct result_cell *cell)
{
	void *rows = NULL;
	int error;

	if (json_object_get(object, "health") == NULL)
		return (0);
	error = value_objects(at, object, "health", sizeof(*cell->health),
	    &rows, &cell->health_rows, load_health_row, cell);
	cell->health = rows;
	return (error);
}

static int
load_sample(struct value_at *at, const json_t *object, void *element,
    const struct result_cell *cell)
{
	struct result_sample *s = element;
	unsigned readers = cell->readers;
	int error;

	error = value_fields(at, object, result_field_sample, s);
	if (error == 0)
		error = load_reader_reals(at, object, &s->reader_mb_per_s,
		    readers);
	if (error == 0 && json_object_get(object, "reader_cpu") != NULL)
		error = load_reader_cpus(at, object, &s->reader_cpu, readers);
	if (error == 0 && json_object_get(object, "interval_mb_per_s") != NULL)
		error = value_reals(at, object, "interval_mb_per_s",
		    &s->interval_mb_per_s, &s->intervals);
	if (error == 0)
		error = load_virtual_sample(at, object, s, readers);
	return (error);
}

int
result_sample_load(struct value_at *at, const json_t *object,
    struct result_sample *s, unsigned readers)
{
	const struct result_cell of = { .readers = readers };

	return (load_sample(at, object, s, &of));
}

static int
load_samples(struct value_at *at, const json_t *object,
    struct result_cell *cell)
{
	unsigned stated = cell->repeats;
	void *samples = NULL;
	int error;

	error = value_objects(at, object, "samples", sizeof(*cell->samples),
	    &samples, &cell->repeats, load_sample, cell);
	cell->samples = samples;
	if (error == 0 && (cell->repeats != stated || stated == 0))
		return (value_refuse(at, "repeats",
		    "%u, but there are %u samples",
		    stated, cell->repeats));
	return (error);
}

static int
load_lock_profile(struct value_at *at, const json_t *object,
    struct result_cell *cell)
{
	void *rows = NULL;
	int error;

	error = value_objects(at, object, "lock_profile",
	    sizeof(*cell->lock_profile), &rows, &cell->lock_profile_rows,
	    load_row, cell);
	cell->lock_profile = rows;
	if (error != 0 || json_object_get(object, "waits") == NULL)
		return (error);
	rows = NULL;
	error = value_objects(at, object, "waits", sizeof(*cell->waits), &rows,
	    &cell->wait_rows, load_wait, cell);
	cell->waits = rows;
	return (error);
}

static int
load_interval(struct value_at *at, const json_t *object, double out[2])
{
	static const char key[] = "total_mb_per_s_ci95";
	unsigned count = 0;
	double *v = NULL;
	int error;

	error = value_reals(at, object, key, &v, &count);
	if (error == 0 && (count != 2 || v[0] > v[1]))
		error = value_refuse(at, key, "not [low, high]");
	if (error == 0)
		memcpy(out, v, 2 * sizeof(*v));
	free(v);
	return (error);
}

/* What cells are selected and grouped by must be there to do it. */
static int
check_point(struct value_at *at, const struct result_cell *cell)
{

	if (cell->engine[0] == '\0')
		return (value_refuse(at, "engine", "empty"));
	if (cell->design[0] == '\0')
		return (value_refuse(at, "design", "empty"));
	if (cell->lock[0] == '\0')
		return (value_refuse(at, "lock", "empty"));
	if (cell->cipher[0] == '\0')
		return (value_refuse(at, "cipher", "empty"));
	if (cell->readers == 0)
		return (value_refuse(at, "readers", "0 is out of range"));
	if (cell->guessed_share > 1)
		return (value_refuse(at, "guessed_share", "%g is out of range",
		    cell->guessed_share));
	if (cell->profile[0] != '\0' && (cell->nodes < 1 ||
	    cell->nodes > cell->cpus))
		return (value_refuse(at, "nodes", "%u is out of range for %u "
		    "CPUs", cell->nodes, cell->cpus));
	return (0);
}

static int
load_cell(struct value_at *at, const json_t *object, void *element,
    const struct result_cell *unused)
{
	struct result_cell *cell = element;
	const json_t *j;
	int error;

	(void)unused;
	error = value_fields(at, object, result_field_cell, cell);
	if (error == 0)
		error = value_fields(at, object, result_field_cell_virtual,
		    cell);
	if (error == 0)
		error = value_fields(at, object, result_field_cell_pretended,
		    cell);
	if (error == 0)
		error = value_fields(at, object, result_field_cell_ledger,
		    cell);
	if (error == 0)
		error = load_samples(at, object, cell);
	else
		cell->repeats = 0;	/* as many as there are to free */
	if (error == 0)
		error = check_point(at, cell);
	if (error == 0)
		error = load_interval(at, object, cell->total_mb_per_s_ci95);
	if (error == 0)
		error = load_reader_reals(at, object, &cell->reader_mb_per_s,
		    cell->readers);
	if (error == 0)
		error = load_lock_profile(at, object, cell);
	if (error == 0)
		error = load_health(at, object, cell);
	j = json_object_get(object, "uncertainty");
	if (error == 0 && j != NULL)
		error = result_band_load(at, j, &cell->uncertainty);
	return (error);
}

static int
load_resumed(struct value_at *at, const json_t *object, void *element,
    const struct result_cell *unused)
{

	(void)unused;
	return (value_fields(at, object, result_field_resumed, element));
}

static int
load_schema(struct value_at *at, const json_t *top)
{
	const json_t *j;

	if (!json_is_object(top)) {
		snprintf(at->va_error, RESULT_TEXT_SIZE,
		    "not an object; expected schema \"%s\"", RESULT_SCHEMA);
		return (EINVAL);
	}
	j = value_needed(at, top, "schema");
	if (j == NULL)
		return (EINVAL);
	if (!json_is_string(j))
		return (value_refuse(at, "schema", "not a string"));
	if (strcmp(json_string_value(j), RESULT_SCHEMA) != 0)
		return (value_refuse(at, "schema", "\"%.32s\", expected \"%s\"",
		    json_string_value(j), RESULT_SCHEMA));
	return (0);
}

static int
load_seed(struct value_at *at, const json_t *top, uint64_t *seed)
{
	const json_t *j;

	j = value_needed(at, top, "seed");
	if (j == NULL)
		return (EINVAL);
	if (json_is_integer(j) && json_integer_value(j) >= 0) {
		*seed = (uint64_t)json_integer_value(j);
		return (0);
	}
	if (json_is_string(j) && number_parse(json_string_value(j), seed) == 0)
		return (0);
	return (value_refuse(at, "seed", "not a number from 0 to 2^64 - 1"));
}

static int
load_top(struct value_at *at, const json_t *top, struct result *r)
{
	const json_t *j;
	void *cells = NULL, *resumed = NULL;
	int error;

	error = load_schema(at, top);
	if (error == 0)
		error = load_seed(at, top, &r->seed);
	if (error == 0)
		error = value_fields(at, top, result_field_top, r);
	if (error == 0)
		error = value_texts(at, top, "argv", true, &r->argv);
	if (error == 0)
		error = value_texts(at, top, "tunables", false, &r->tunables);
	if (error == 0)
		error = value_texts(at, top, "sources", false, &r->sources);
	if (error == 0)
		error = value_texts(at, top, "sources_skipped", false,
		    &r->sources_skipped);
	if (error == 0 && json_object_get(top, "resumed") != NULL)
		error = value_objects(at, top, "resumed", sizeof(*r->resumed),
		    &resumed, &r->resumed_count, load_resumed, NULL);
	r->resumed = resumed;
	if (error == 0)
		error = value_objects(at, top, "cells", sizeof(*r->cells),
		    &cells, &r->cell_count, load_cell, NULL);
	r->cells = cells;
	j = json_object_get(top, "uncertainty");
	if (error == 0 && j != NULL)
		error = result_uncertainty_load(at, j, &r->uncertainty);
	if (error != 0 || json_object_get(top, "controls") == NULL)
		return (error);
	cells = NULL;
	error = value_objects(at, top, "controls", sizeof(*r->controls),
	    &cells, &r->control_count, load_cell, NULL);
	r->controls = cells;
	return (error);
}

int
result_decode(const json_t *top, struct result *r,
    char error[RESULT_TEXT_SIZE])
{
	struct value_at at = { .va_error = error };
	struct result loaded = { .cells = NULL };
	int status;

	KASSERT(top != NULL, ("no document"));
	error[0] = '\0';
	status = load_top(&at, top, &loaded);
	if (status != 0) {
		result_free(&loaded);
		if (error[0] == '\0')
			snprintf(error, RESULT_TEXT_SIZE, "%s",
			    strerror(status));
		return (status);
	}
	*r = loaded;
	return (0);
}
