#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/result/result_check.h"
#include "bench/result/result_part.h"
#include "bench/sweep/repeat_json.h"
#include "harvest/mask.h"

enum { WORD_DIGITS = 16 };

/* What a measure has besides its arrays and histograms. */
#define	MEMBER(member, kind)						\
	{ #member, RESULT_FIELD_##kind, true,				\
	    offsetof(struct cell_measure, cm_##member), NULL }

static const struct result_field rest_fields[] = {
	MEMBER(acquisitions, REAL),
	MEMBER(backlog, REAL),
	MEMBER(unbound, BOOL),
	MEMBER(displaced, BOOL),
	{ "ledger", RESULT_FIELD_OBJECT, true,
	    offsetof(struct cell_measure, cm_ledger), result_field_ledger },
	{ NULL, RESULT_FIELD_NAME, false, 0, NULL }
};

static const struct {
	const char	*hm_key;
	size_t		 hm_offset;	/* in struct cell_measure */
} measure_hists[] = {
	{ "latency", offsetof(struct cell_measure, cm_latency) },
	{ "uncorrected", offsetof(struct cell_measure, cm_uncorrected) },
	{ "harvest_latency", offsetof(struct cell_measure,
	    cm_harvest_latency) },
};

static const struct {
	const char	*hr_key;
	size_t		 hr_offset;	/* in struct cell_row */
} row_hists[] = {
	{ "hold", offsetof(struct cell_row, cr_hold) },
	{ "spin", offsetof(struct cell_row, cr_spin) },
	{ "block", offsetof(struct cell_row, cr_block) },
};

enum {
	MEASURE_HISTS	= sizeof(measure_hists) / sizeof(measure_hists[0]),
	ROW_HISTS	= sizeof(row_hists) / sizeof(row_hists[0])
};

json_t *
repeat_json_word(uint64_t v)
{
	char text[WORD_DIGITS + 1];

	snprintf(text, sizeof(text), "%016" PRIx64, v);
	return (json_string(text));
}

int
repeat_json_load_word(const json_t *object, const char *key, uint64_t *out)
{
	const char *text = json_string_value(json_object_get(object, key));

	if (text == NULL || strlen(text) != WORD_DIGITS ||
	    strspn(text, "0123456789abcdef") != WORD_DIGITS)
		return (EINVAL);
	*out = strtoull(text, NULL, 16);
	return (0);
}

/* Buckets that counted anything, each with its number before it. */
static json_t *
buckets_format(const uint32_t *bucket, unsigned n)
{
	json_t *array = json_array();
	unsigned i;

	for (i = 0; array != NULL && i < n; i++)
		if (bucket[i] != 0 &&
		    (json_array_append_new(array, json_integer(i)) != 0 ||
		    json_array_append_new(array, json_integer(bucket[i])) !=
		    0)) {
			json_decref(array);
			return (NULL);
		}
	return (array);
}

static int
buckets_load(const json_t *array, uint32_t *bucket, unsigned n)
{
	json_int_t at, count, before = -1;
	size_t i;

	if (!json_is_array(array) || json_array_size(array) % 2 != 0)
		return (EINVAL);
	for (i = 0; i < json_array_size(array); i += 2) {
		const json_t *first = json_array_get(array, i);
		const json_t *second = json_array_get(array, i + 1);

		at = json_integer_value(first);
		count = json_integer_value(second);
		if (!json_is_integer(first) || !json_is_integer(second) ||
		    at <= before || at >= (json_int_t)n || count < 1 ||
		    count > UINT32_MAX)
			return (EINVAL);
		bucket[at] = (uint32_t)count;
		before = at;
	}
	return (0);
}

static json_t *
hist_format(const struct hist *h)
{

	return (json_pack("{s:o, s:o, s:o, s:o}",
	    "count", repeat_json_word(h->hi_count),
	    "total", repeat_json_word(h->hi_total),
	    "max", repeat_json_word(h->hi_max),
	    "buckets", buckets_format(h->hi_bucket, HIST_BUCKETS)));
}

static int
hist_load(const json_t *object, struct hist *h)
{

	if (repeat_json_load_word(object, "count", &h->hi_count) != 0 ||
	    repeat_json_load_word(object, "total", &h->hi_total) != 0 ||
	    repeat_json_load_word(object, "max", &h->hi_max) != 0)
		return (EINVAL);
	return (buckets_load(json_object_get(object, "buckets"),
	    h->hi_bucket, HIST_BUCKETS));
}

static json_t *
row_format(const struct cell_row *cr)
{
	json_t *object = result_part_format(result_field_row, &cr->cr_row);
	unsigned i;

	for (i = 0; object != NULL && i < ROW_HISTS; i++) {
		const struct hist_small *hs = (const void *)
		    ((const char *)cr + row_hists[i].hr_offset);

		if (json_object_set_new(object, row_hists[i].hr_key,
		    buckets_format(hs->hs_bucket, HIST_SMALL_BUCKETS)) != 0) {
			json_decref(object);
			return (NULL);
		}
	}
	return (object);
}

static int
row_load(struct value_at *at, const json_t *object, struct cell_row *cr)
{
	unsigned i;
	int error;

	error = value_fields(at, object, result_field_row, &cr->cr_row);
	for (i = 0; error == 0 && i < ROW_HISTS; i++) {
		struct hist_small *hs = (void *)((char *)cr +
		    row_hists[i].hr_offset);

		if (buckets_load(json_object_get(object, row_hists[i].hr_key),
		    hs->hs_bucket, HIST_SMALL_BUCKETS) != 0)
			error = value_refuse(at, row_hists[i].hr_key,
			    "no histogram");
	}
	return (error);
}

static json_t *
rows_format(const struct cell_measure *cm)
{
	json_t *array = json_array();
	unsigned i;

	for (i = 0; array != NULL && i < cm->cm_row_count; i++)
		if (json_array_append_new(array, row_format(&cm->cm_rows[i])) !=
		    0) {
			json_decref(array);
			return (NULL);
		}
	return (array);
}

/* An array of structures that one table describes. */
static json_t *
parts_format(const struct result_field *table, const void *parts, size_t size,
    unsigned n)
{
	json_t *array = json_array();
	unsigned i;

	for (i = 0; array != NULL && i < n; i++)
		if (json_array_append_new(array, result_part_format(table,
		    (const char *)parts + i * size)) != 0) {
			json_decref(array);
			return (NULL);
		}
	return (array);
}

json_t *
repeat_json_format(const struct cell_measure *cm, unsigned readers)
{
	json_t *object;
	unsigned i;
	int failed;

	object = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
	    "sample", result_sample_format(&cm->cm_sample, readers),
	    "rows", rows_format(cm),
	    "waits", parts_format(result_field_wait, cm->cm_waits,
	    sizeof(*cm->cm_waits), cm->cm_wait_count),
	    "health", parts_format(result_field_health, cm->cm_health,
	    sizeof(*cm->cm_health), cm->cm_health_count),
	    "rest", result_part_format(rest_fields, cm),
	    "events", repeat_json_word(cm->cm_outcome.mo_events),
	    "trace_hash", repeat_json_word(cm->cm_outcome.mo_hash));
	failed = object == NULL;
	for (i = 0; !failed && i < MEASURE_HISTS; i++)
		failed = json_object_set_new(object, measure_hists[i].hm_key,
		    hist_format((const void *)((const char *)cm +
		    measure_hists[i].hm_offset)));
	if (failed) {
		json_decref(object);
		return (NULL);
	}
	return (object);
}

static int
load_rows(struct value_at *at, const json_t *object, struct cell_measure *cm)
{
	const json_t *rows = json_object_get(object, "rows");
	unsigned i, n = (unsigned)json_array_size(rows);
	int error = 0;

	if (!json_is_array(rows))
		return (value_refuse(at, "rows", "not an array"));
	cm->cm_rows = calloc(n + 1, sizeof(*cm->cm_rows));
	if (cm->cm_rows == NULL)
		return (ENOMEM);
	cm->cm_row_count = n;
	for (i = 0; error == 0 && i < n; i++)
		error = row_load(at, json_array_get(rows, i), &cm->cm_rows[i]);
	return (error);
}

static int
load_waits(struct value_at *at, const json_t *object, struct cell_measure *cm)
{
	const json_t *waits = json_object_get(object, "waits");
	unsigned i, n = (unsigned)json_array_size(waits);
	int error = 0;

	if (!json_is_array(waits))
		return (value_refuse(at, "waits", "not an array"));
	cm->cm_waits = calloc(n + 1, sizeof(*cm->cm_waits));
	if (cm->cm_waits == NULL)
		return (ENOMEM);
	cm->cm_wait_count = n;
	for (i = 0; error == 0 && i < n; i++)
		error = value_fields(at, json_array_get(waits, i),
		    result_field_wait, &cm->cm_waits[i]);
	return (error);
}

/* What a summary counts on, and a result can do without. */
static int
check_sample(struct value_at *at, const struct result_sample *rs,
    unsigned readers)
{
	double sum;

	if (rs->reader_cpu == NULL)
		return (value_refuse(at, "reader_cpu", "missing"));
	if (rs->intervals < 1 || rs->intervals > CELL_INTERVALS)
		return (value_refuse(at, "interval_mb_per_s", "%u numbers, "
		    "expected 1 to %d", rs->intervals, CELL_INTERVALS));
	if (!result_check_sum(rs, readers, &sum))
		return (value_refuse(at, "total_mb_per_s", "%.9g is not the "
		    "sum of its readers, %.9g", rs->total_mb_per_s, sum));
	return (0);
}

/* Each source there is has a row at most. */
static int
check_source(struct value_at *at, const struct cell_measure *cm, size_t row)
{
	const char *source = cm->cm_health[row].source;
	unsigned i;

	for (i = 0; i < ENTROPYSOURCE; i++)
		if (strcmp(random_source_names[i], source) == 0)
			break;
	if (i == ENTROPYSOURCE)
		return (value_refuse(at, "health", "\"%.32s\" is no source",
		    source));
	for (i = 0; i < row; i++)
		if (strcmp(cm->cm_health[i].source, source) == 0)
			return (value_refuse(at, "health", "%s has two rows",
			    source));
	return (0);
}

static int
load_health(struct value_at *at, const json_t *object, struct cell_measure *cm)
{
	const json_t *health = json_object_get(object, "health");
	size_t i, n = json_array_size(health);
	int error = 0;

	if (!json_is_array(health) || n > ENTROPYSOURCE)
		return (value_refuse(at, "health", "no array of sources"));
	cm->cm_health_count = (unsigned)n;
	for (i = 0; error == 0 && i < n; i++) {
		error = value_fields(at, json_array_get(health, i),
		    result_field_health, &cm->cm_health[i]);
		if (error == 0)
			error = check_source(at, cm, i);
	}
	return (error);
}

static int
load_rest(struct value_at *at, const json_t *object, struct cell_measure *cm)
{
	unsigned i;
	int error;

	error = value_fields(at, json_object_get(object, "rest"), rest_fields,
	    cm);
	for (i = 0; error == 0 && i < MEASURE_HISTS; i++)
		if (hist_load(json_object_get(object, measure_hists[i].hm_key),
		    (void *)((char *)cm + measure_hists[i].hm_offset)) != 0)
			error = value_refuse(at, measure_hists[i].hm_key,
			    "no histogram");
	if (error == 0 && (repeat_json_load_word(object, "events",
	    &cm->cm_outcome.mo_events) != 0 || repeat_json_load_word(object,
	    "trace_hash", &cm->cm_outcome.mo_hash) != 0))
		error = value_refuse(at, "events", "not 16 hexadecimal "
		    "digits, or trace_hash");
	return (error);
}

int
repeat_json_load(const json_t *object, unsigned readers,
    struct cell_measure *cm, char error[RESULT_TEXT_SIZE])
{
	struct value_at at = { .va_error = error };
	int status;

	memset(cm, 0, sizeof(*cm));
	error[0] = '\0';
	status = result_sample_load(&at, json_object_get(object, "sample"),
	    &cm->cm_sample, readers);
	if (status == 0)
		status = check_sample(&at, &cm->cm_sample, readers);
	if (status == 0)
		status = load_rows(&at, object, cm);
	if (status == 0)
		status = load_waits(&at, object, cm);
	if (status == 0)
		status = load_health(&at, object, cm);
	if (status == 0)
		status = load_rest(&at, object, cm);
	if (status == ENOMEM)
		snprintf(error, RESULT_TEXT_SIZE, "no memory");
	return (status);
}
