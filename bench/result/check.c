#include <gsl/gsl_statistics_double.h>

#include "bench/result/result.h"
#include "bench/stats/stats.h"

/* A document's numbers are decimal; the arithmetic was not. */
static const double rounding_share = 1e-6;
/* By so much the last sleep of a window may end late. */
static const double late_s = 0.4;

/* A walk over the numbers of a cell that are medians of its samples'. */
struct walk {
	const char	*wa_array;	/* "cells" or "controls" */
	unsigned	 wa_index;
	char		*wa_error;	/* NULL: set them */
	struct result_cell *wa_cell;
	bool		 wa_lacking;	/* an object that some sample lacks */
	double		*wa_values;
};

/* The cell's name, and what is wrong with it. */
#define	wrong(wa, ...)							\
	((void)snprintf((wa)->wa_error, RESULT_TEXT_SIZE, "%s[%u].",	\
	    (wa)->wa_array, (wa)->wa_index),				\
	    APPEND((wa)->wa_error, RESULT_TEXT_SIZE, __VA_ARGS__), EINVAL)

static bool
near(double a, double b)
{
	return (fabs(a - b) <= rounding_share * fmax(fabs(a), fabs(b)));
}

/*
 * Accepts the median of all repeats, and of those that passed their gate.
 * reader is in the name; -1: not one of each reader's.
 */
static int
check_median(const struct walk *wa, const char *object, const struct field *f,
    int reader, double number)
{
	const struct result_cell *c = wa->wa_cell;
	double *v = wa->wa_values, all, own;
	unsigned passed = 0;

	for (unsigned i = 0; i < c->repeats; i++)
		if (c->samples[i].gate[0] == '\0') {
			own = v[i];
			v[i] = v[passed];
			v[passed++] = own;
		}
	own = passed > 0 ? stats_median(v, passed) : NAN;
	all = stats_median(v, c->repeats);
	if (wa->wa_lacking || near(number, all) || near(number, own))
		return (0);
	return (wrong(wa, "%s%s%s: %.9g is not the median of its samples, "
	    "%.9g: the file was edited", object, f->f_key, reader < 0 ? "" :
	    FORMATF("[%d]", reader), number, all));
}

/* Whether a sample lacks an object: all its numbers are 0. */
static bool
lacks(const struct result_cell *c, const struct field *object)
{
	size_t k, n = object->f_size / sizeof(double);
	const double *v;

	for (unsigned i = 0; i < c->repeats; i++) {
		v = field_elements(object, &c->samples[i]);
		for (k = 0; k < n && v[k] <= 0; k++)
			continue;
		if (k == n)
			return (true);
	}
	return (false);
}

/*
 * Fields of a cell, or of an object in it, that samples have too.  at, twin_at:
 * where the structures of both tables begin.
 */
static int
walk(struct walk *wa, const char *object, const struct field *f, size_t at,
    const struct field *twins, size_t twin_at)
{
	struct result_cell *c = wa->wa_cell;
	const struct field *s;
	double *number;
	unsigned n;
	int error = 0;

	for (; f->f_key != NULL && error == 0; f++) {
		for (s = twins; s->f_key != NULL; s++)
			if (strcmp(s->f_key, f->f_key) == 0)
				break;
		if (s->f_key == NULL || f->f_shape == FIELD_ARRAY)
			continue;
		if (f->f_kind == FIELD_OBJECT) {
			wa->wa_lacking = lacks(c, s);
			error = walk(wa, FORMATF("%s.", f->f_key), f->f_table,
			    f->f_offset, f->f_table, s->f_offset);
			wa->wa_lacking = false;
			continue;
		}
		number = field_elements(f, (char *)c + at);
		n = f->f_shape == FIELD_EACH ? c->readers :
		    f->f_how == FIELD_HOW_MEDIAN;
		for (unsigned k = 0; k < n && error == 0; k++) {
			for (unsigned i = 0; i < c->repeats; i++)
				wa->wa_values[i] =
				    ((const double *)field_elements(s, twin_at +
				    (const char *)&c->samples[i]))[k];
			if (wa->wa_error == NULL)
				number[k] = stats_median(wa->wa_values,
				    c->repeats);
			else
				error = check_median(wa, object, f,
				    f->f_shape == FIELD_EACH ? (int)k : -1,
				    number[k]);
		}
	}
	return (error);
}

static int
medians(struct walk *wa)
{
	int error;

	wa->wa_values = xcalloc(wa->wa_cell->repeats, sizeof(double));
	error = walk(wa, "", result_cell_fields, 0, result_sample_fields, 0);
	free(wa->wa_values);
	return (error);
}

void
result_set_medians(struct result_cell *c)
{
	(void)medians(&(struct walk){ .wa_cell = c });
}

int
result_cell_order(const void *left, const void *right)
{
#define	AT(member)	offsetof(struct result_cell, member)
	static const size_t names[] = { AT(engine), AT(design), AT(lock),
	    AT(cipher), AT(crypto), AT(workload), AT(arrivals), AT(producer),
	    AT(host) };
#undef AT
	const struct result_cell *a = *(const struct result_cell *const *)left;
	const struct result_cell *b = *(const struct result_cell *const *)right;
	int d = 0;

	for (size_t i = 0; d == 0 && i < nitems(names); i++)
		d = strcmp((const char *)a + names[i],
		    (const char *)b + names[i]);
#define	THEN(member)							\
	if (d == 0)							\
		d = (a->member > b->member) - (a->member < b->member)
	THEN(producers);
	THEN(readers);
	THEN(request_bytes);
	THEN(rate_per_s);
#undef THEN
	if (d == 0)
		d = (a->time_to_seeded_ns > 0) - (b->time_to_seeded_ns > 0);
	return (d);
}

bool
result_check_sum(const struct result_sample *rs, unsigned readers, double *sum)
{
	*sum = gsl_stats_mean(rs->reader_mb_per_s, 1, readers) * readers;
	return (near(*sum, rs->total_mb_per_s));
}

/* Whether repeat i is a copy of another: equal, and in its place of the run. */
static bool
copied(const struct result_cell *c, unsigned i)
{
	const struct result_sample *a = &c->samples[i], *b = c->samples;

	while (b < a && !(a->order > 0 && a->order == b->order &&
	    near(a->total_mb_per_s, b->total_mb_per_s)))
		b++;
	return (b < a);
}

static int
check_cell(struct walk *wa, struct result_cell c)
{
	double sum;

	if (c.profile[0] != '\0' && (c.nodes < 1 || c.nodes > c.cpus))
		return (wrong(wa, "nodes: %u is out of range for %u CPUs",
		    c.nodes, c.cpus));
	for (unsigned i = 0; i < c.repeats; i++) {
		if (copied(&c, i))
			return (wrong(wa, "samples[%u].order: another repeat "
			    "has this place and total: the file was edited",
			    i));
		if (c.producers != c.samples[i].producer_count ||
		    (c.producers > 0) != (c.producer_per_s != NULL))
			return (wrong(wa, "producer_per_s: not %u numbers, or "
			    "samples[%u] has others", c.producers, i));
		if (!result_check_sum(&c.samples[i], c.readers, &sum))
			return (wrong(wa, "samples[%u].total_mb_per_s: %.9g is "
			    "not the sum of its readers, %.9g: the file was "
			    "edited", i, c.samples[i].total_mb_per_s, sum));
	}
	wa->wa_cell = &c;
	return (medians(wa));
}

static int
check_twice(const char *array, const struct result_cell *cells, unsigned count,
    char error[RESULT_TEXT_SIZE])
{
	const struct result_cell **sorted;
	int status = 0;

	sorted = xcalloc((size_t)count + 1, sizeof(*sorted));
	for (unsigned i = 0; i < count; i++)
		sorted[i] = &cells[i];
	qsort(sorted, count, sizeof(*sorted), result_cell_order);
	for (unsigned i = 0; i < count && status == 0; i++)
		for (unsigned k = i; k-- > 0 && status == 0 &&
		    result_cell_order(&sorted[k], &sorted[i]) == 0;) {
			if (sorted[k]->spin_polls != sorted[i]->spin_polls)
				continue;
			status = format_wrong(error, RESULT_TEXT_SIZE,
			    "%s[%td] and %s[%td] are the same cell", array,
			    sorted[k] - cells, array, sorted[i] - cells);
		}
	free(sorted);
	return (status);
}

/* A window is as long as asked for, or a little longer: one is not late. */
static int
check_windows(const struct result *r, char error[RESULT_TEXT_SIZE])
{
	double least_s = HUGE_VAL, window_s;

	for (unsigned i = 0; i < r->cell_count; i++)
		for (unsigned k = 0; k < r->cells[i].repeats; k++)
			if ((window_s = r->cells[i].samples[k].window_s) > 0)
				least_s = fmin(least_s, window_s);
	if (r->time_s <= 0 || isinf(least_s) || (least_s >= 0.9 * r->time_s &&
	    least_s <= 1.5 * r->time_s + late_s))
		return (0);
	return (format_wrong(error, RESULT_TEXT_SIZE, "time_s: %.9g, but the "
	    "shortest window_s is %.9g: the file was edited", r->time_s,
	    least_s));
}

int
result_check(const struct result *r, char error[RESULT_TEXT_SIZE])
{
	struct walk wa = { .wa_error = error };
	const struct result_cell *cells;
	unsigned count;
	int status = check_windows(r, error);

	for (unsigned i = 0; i < 2 && status == 0; i++) {
		wa.wa_array = i == 0 ? "cells" : "controls";
		cells = i == 0 ? r->cells : r->controls;
		count = i == 0 ? r->cell_count : r->control_count;
		status = check_twice(wa.wa_array, cells, count, error);
		for (wa.wa_index = 0; wa.wa_index < count && status == 0;
		    wa.wa_index++)
			status = check_cell(&wa, cells[wa.wa_index]);
	}
	return (status);
}
