#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/result/result_check.h"
#include "bench/statistics/stats.h"

/* A document's numbers are decimal; its own arithmetic was not. */
static const double rounding_share = 1e-6;

/* A member of a cell that is the median of its samples' member. */
struct median {
	const char	*name;
	size_t		 cell_offset;
	size_t		 sample_offset;
	/* The object that holds it in a sample; all of it 0: not given. */
	size_t		 object_offset;
	size_t		 object_size;
};

#define	MEDIAN(object, member, type) {					\
	#object "." #member, offsetof(struct result_cell, object.member), \
	offsetof(struct result_sample, object.member),			\
	offsetof(struct result_sample, object), sizeof(struct type)	\
}

static const struct median medians[] = {
	{ "total_mb_per_s", offsetof(struct result_cell, total_mb_per_s),
	    offsetof(struct result_sample, total_mb_per_s), 0, 0 },
	MEDIAN(fairness, min_max, result_fairness),
	MEDIAN(fairness, cov, result_fairness),
	MEDIAN(fairness, jain, result_fairness),
	MEDIAN(fairness, hold_share_harvest, result_fairness),
	MEDIAN(harvest, cpu_percent, result_harvest),
	MEDIAN(harvest, spin_percent, result_harvest),
	MEDIAN(harvest, block_percent, result_harvest),
	MEDIAN(harvest, events_per_s, result_harvest),
	MEDIAN(harvest, dropped, result_harvest),
	MEDIAN(harvest, discarded, result_harvest),
};

enum { MEDIANS = sizeof(medians) / sizeof(medians[0]) };

/* Which cell is looked at, and room for as many values as it has repeats. */
struct place {
	const struct result_cell *cell;
	const char	*array;	/* "cells" or "controls" */
	unsigned	 index;
	double		*values;
	double		*scratch;
	char		*error;
};

int
result_cell_order(const void *left, const void *right)
{
	const struct result_cell *a = *(const struct result_cell *const *)left;
	const struct result_cell *b =
	    *(const struct result_cell *const *)right;
	const char *const names[][2] = {
		{ a->engine, b->engine }, { a->design, b->design },
		{ a->lock, b->lock }, { a->cipher, b->cipher },
		{ a->crypto, b->crypto }, { a->workload, b->workload },
		{ a->arrivals, b->arrivals },
	};
	int d;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		d = strcmp(names[i][0], names[i][1]);
		if (d != 0)
			return (d);
	}
	d = (a->readers > b->readers) - (a->readers < b->readers);
	if (d == 0)
		d = (a->request_bytes > b->request_bytes) -
		    (a->request_bytes < b->request_bytes);
	if (d == 0)
		d = (a->rate_per_s > b->rate_per_s) -
		    (a->rate_per_s < b->rate_per_s);
	return (d);
}

static bool
near(double a, double b)
{

	return (fabs(a - b) <= rounding_share * fmax(fabs(a), fabs(b)));
}

/* The median of the place's values; those of repeats that passed, or all. */
static double
median_of(struct place *pl, bool passed)
{
	unsigned i, n = 0;

	for (i = 0; i < pl->cell->repeats; i++)
		if (!passed || pl->cell->samples[i].gate[0] == '\0')
			pl->scratch[n++] = pl->values[i];
	return (n > 0 ? stats_median(pl->scratch, n) : NAN);
}

static int
check_median(struct place *pl, const char *member, double stated)
{
	double median = median_of(pl, false);

	if (near(stated, median) || near(stated, median_of(pl, true)))
		return (0);
	snprintf(pl->error, RESULT_TEXT_SIZE, "%s[%u].%s: %.9g is not the "
	    "median of its samples, %.9g: the file was edited", pl->array,
	    pl->index, member, stated, median);
	return (EINVAL);
}

static double
real_at(const void *base, size_t offset)
{
	double v;

	memcpy(&v, (const char *)base + offset, sizeof(v));
	return (v);
}

/* Whether every sample says something in the object. */
static bool
given(const struct result_cell *c, const struct median *m)
{
	unsigned i;
	size_t at;

	for (i = 0; i < c->repeats; i++) {
		for (at = 0; at < m->object_size; at += sizeof(double))
			if (real_at(&c->samples[i], m->object_offset + at) > 0)
				break;
		if (m->object_size > 0 && at >= m->object_size)
			return (false);
	}
	return (true);
}

static int
check_medians(struct place *pl)
{
	const struct result_cell *c = pl->cell;
	const struct median *m;
	unsigned i;
	int error = 0;

	for (m = medians; m < medians + MEDIANS && error == 0; m++) {
		if (!given(c, m))
			continue;
		for (i = 0; i < c->repeats; i++)
			pl->values[i] = real_at(&c->samples[i],
			    m->sample_offset);
		error = check_median(pl, m->name, real_at(c, m->cell_offset));
	}
	return (error);
}

static int
check_readers(struct place *pl)
{
	const struct result_cell *c = pl->cell;
	char member[RESULT_NAME_SIZE];
	unsigned i, k;
	int error = 0;

	for (k = 0; k < c->readers && error == 0; k++) {
		for (i = 0; i < c->repeats; i++)
			pl->values[i] = c->samples[i].reader_mb_per_s[k];
		snprintf(member, sizeof(member), "reader_mb_per_s[%u]", k);
		error = check_median(pl, member, c->reader_mb_per_s[k]);
	}
	return (error);
}

bool
result_check_sum(const struct result_sample *rs, unsigned readers, double *sum)
{

	*sum = stats_mean(rs->reader_mb_per_s, readers) * readers;
	return (near(*sum, rs->total_mb_per_s));
}

static int
check_sums(struct place *pl)
{
	const struct result_cell *c = pl->cell;
	double sum;
	unsigned i;

	for (i = 0; i < c->repeats; i++) {
		if (result_check_sum(&c->samples[i], c->readers, &sum))
			continue;
		snprintf(pl->error, RESULT_TEXT_SIZE, "%s[%u].samples[%u]"
		    ".total_mb_per_s: %.9g is not the sum of its readers, "
		    "%.9g: the file was edited", pl->array, pl->index, i,
		    c->samples[i].total_mb_per_s, sum);
		return (EINVAL);
	}
	return (0);
}

static int
check_cell(struct place *pl)
{
	const struct result_cell *c = pl->cell;
	int error = ENOMEM;

	pl->values = calloc(2 * (size_t)c->repeats, sizeof(double));
	if (pl->values != NULL) {
		pl->scratch = pl->values + c->repeats;
		error = check_sums(pl);
	}
	if (error == 0)
		error = check_medians(pl);
	if (error == 0)
		error = check_readers(pl);
	free(pl->values);
	return (error);
}

static int
check_twice(const char *array, const struct result_cell *cells, unsigned count,
    char error[RESULT_TEXT_SIZE])
{
	const struct result_cell **sorted;
	int status = 0;
	unsigned i, k;

	sorted = calloc((size_t)count + 1, sizeof(*sorted));
	if (sorted == NULL)
		return (ENOMEM);
	for (i = 0; i < count; i++)
		sorted[i] = &cells[i];
	qsort(sorted, count, sizeof(*sorted), result_cell_order);
	for (i = 0; i < count && status == 0; i++) {
		for (k = i; k-- > 0 && status == 0;) {
			if (result_cell_order(&sorted[k], &sorted[i]) != 0)
				break;
			if (sorted[k]->spin_polls != sorted[i]->spin_polls)
				continue;
			snprintf(error, RESULT_TEXT_SIZE, "%s[%td] and "
			    "%s[%td] are the same cell", array,
			    sorted[k] - cells, array, sorted[i] - cells);
			status = EINVAL;
		}
	}
	free(sorted);
	return (status);
}

static int
check_cells(const char *array, const struct result_cell *cells, unsigned count,
    char error[RESULT_TEXT_SIZE])
{
	struct place pl = { .array = array, .error = error };
	int status;

	status = check_twice(array, cells, count, error);
	for (pl.index = 0; pl.index < count && status == 0; pl.index++) {
		pl.cell = &cells[pl.index];
		status = check_cell(&pl);
	}
	return (status);
}

int
result_check(const struct result *r, char error[RESULT_TEXT_SIZE])
{
	int status;

	status = check_cells("cells", r->cells, r->cell_count, error);
	if (status == 0)
		status = check_cells("controls", r->controls, r->control_count,
		    error);
	if (status == ENOMEM)
		snprintf(error, RESULT_TEXT_SIZE, "%s", strerror(ENOMEM));
	return (status);
}
