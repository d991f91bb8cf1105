#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/memory.h"
#include "bench/result/check.h"
#include "bench/stats/stats.h"

/* A document's numbers are decimal; the arithmetic was not. */
static const double rounding_share = 1e-6;

/* A walk over the numbers that are medians. */
struct walk {
	struct result_cell *wa_cell;
	result_median_fn *wa_each;
	void		*wa_context;
	struct result_median wa_median;
};

/*
 * One number, or one for each reader.
 *
 *   f, twin            in  the field of a cell and that of a sample
 *   at, twin_at        in  offsets in both of the structures that have them
 */
static int
walk_field(struct walk *wa, const char *object, const struct field *f,
    size_t at, const struct field *twin, size_t twin_at)
{
	const struct result_cell *c = wa->wa_cell;
	struct result_median *rm = &wa->wa_median;
	unsigned n;
	int error = 0;

	n = f->f_shape == FIELD_EACH ? c->readers :
	    f->f_how == FIELD_HOW_MEDIAN;
	for (unsigned k = 0; k < n && error == 0; k++) {
		snprintf(rm->rm_name, sizeof(rm->rm_name),
		    f->f_shape == FIELD_EACH ? "%s%s[%u]" : "%s%s", object,
		    f->f_key, k);
		rm->rm_number = (double *)field_elements(f,
		    (char *)wa->wa_cell + at) + k;
		for (unsigned i = 0; i < c->repeats; i++)
			rm->rm_values[i] = ((const double *)field_elements(
			    twin, (const char *)&c->samples[i] + twin_at))[k];
		error = wa->wa_each(wa->wa_context, rm);
	}
	return (error);
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

int
result_medians(struct result_cell *c, result_median_fn *each, void *context)
{
	struct walk wa = { .wa_cell = c, .wa_each = each,
	    .wa_context = context };
	struct result_median *rm = &wa.wa_median;
	const struct field *f, *m, *s;
	char object[RESULT_NAME_SIZE];
	int error = 0;

	rm->rm_values = xcalloc(c->repeats, sizeof(double));
	for (f = result_cell_fields; f->f_key != NULL && error == 0; f++) {
		for (s = result_sample_fields; s->f_key != NULL; s++)
			if (strcmp(s->f_key, f->f_key) == 0)
				break;
		rm->rm_lacking = f->f_kind == FIELD_OBJECT &&
		    s->f_key != NULL && lacks(c, s);
		if (s->f_key == NULL || f->f_shape == FIELD_ARRAY)
			continue;
		if (f->f_kind != FIELD_OBJECT) {
			error = walk_field(&wa, "", f, 0, s, 0);
			continue;
		}
		snprintf(object, sizeof(object), "%s.", f->f_key);
		for (m = f->f_table; m->f_key != NULL && error == 0; m++)
			error = walk_field(&wa, object, m, f->f_offset, m,
			    s->f_offset);
	}
	free(rm->rm_values);
	return (error);
}

int
result_cell_order(const void *left, const void *right)
{
	static const size_t names[] = {
		offsetof(struct result_cell, engine),
		offsetof(struct result_cell, design),
		offsetof(struct result_cell, lock),
		offsetof(struct result_cell, cipher),
		offsetof(struct result_cell, crypto),
		offsetof(struct result_cell, workload),
		offsetof(struct result_cell, arrivals),
		offsetof(struct result_cell, host),
	};
	const struct result_cell *a = *(const struct result_cell *const *)left;
	const struct result_cell *b = *(const struct result_cell *const *)right;
	size_t i;
	int d = 0;

	for (i = 0; d == 0 && i < sizeof(names) / sizeof(names[0]); i++)
		d = strcmp((const char *)a + names[i],
		    (const char *)b + names[i]);
#define	THEN(member)							\
	if (d == 0)							\
		d = (a->member > b->member) - (a->member < b->member)
	THEN(readers);
	THEN(request_bytes);
	THEN(rate_per_s);
#undef THEN
	return (d);
}

static bool
near(double a, double b)
{
	return (fabs(a - b) <= rounding_share * fmax(fabs(a), fabs(b)));
}

/* The cell that is checked. */
struct checked {
	const struct result_cell *cell;
	const char	*array;	/* "cells" or "controls" */
	unsigned	 index;
	char		*error;
};

/* Accepts the median of all repeats, and of those that passed their gate. */
static int
check_median(void *context, struct result_median *rm)
{
	const struct checked *ch = context;
	const struct result_cell *c = ch->cell;
	unsigned passed = 0;
	double *v = rm->rm_values, all, own;

	if (rm->rm_lacking)
		return (0);
	for (unsigned i = 0; i < c->repeats; i++)
		if (c->samples[i].gate[0] == '\0') {
			own = v[i];
			v[i] = v[passed];
			v[passed++] = own;
		}
	own = passed > 0 ? stats_median(v, passed) : NAN;
	all = stats_median(v, c->repeats);
	if (near(*rm->rm_number, all) || near(*rm->rm_number, own))
		return (0);
	snprintf(ch->error, RESULT_TEXT_SIZE, "%s[%u].%s: %.9g is not the "
	    "median of its samples, %.9g: the file was edited", ch->array,
	    ch->index, rm->rm_name, *rm->rm_number, all);
	return (EINVAL);
}

bool
result_check_sum(const struct result_sample *rs, unsigned readers, double *sum)
{
	*sum = stats_mean(rs->reader_mb_per_s, readers) * readers;
	return (near(*sum, rs->total_mb_per_s));
}

static int
check_cell(struct checked *ch)
{
	struct result_cell c = *ch->cell;
	double sum;

	if (c.profile[0] != '\0' && (c.nodes < 1 || c.nodes > c.cpus)) {
		snprintf(ch->error, RESULT_TEXT_SIZE, "%s[%u].nodes: %u is out "
		    "of range for %u CPUs", ch->array, ch->index, c.nodes,
		    c.cpus);
		return (EINVAL);
	}
	for (unsigned i = 0; i < c.repeats; i++) {
		if (result_check_sum(&c.samples[i], c.readers, &sum))
			continue;
		snprintf(ch->error, RESULT_TEXT_SIZE, "%s[%u].samples[%u]"
		    ".total_mb_per_s: %.9g is not the sum of its readers, "
		    "%.9g: the file was edited", ch->array, ch->index, i,
		    c.samples[i].total_mb_per_s, sum);
		return (EINVAL);
	}
	return (result_medians(&c, check_median, ch));
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
			snprintf(error, RESULT_TEXT_SIZE, "%s[%td] and "
			    "%s[%td] are the same cell", array,
			    sorted[k] - cells, array, sorted[i] - cells);
			status = EINVAL;
		}
	free(sorted);
	return (status);
}

static int
check_cells(const char *array, const struct result_cell *cells, unsigned count,
    char error[RESULT_TEXT_SIZE])
{
	struct checked ch = { .array = array, .error = error };
	int status;

	status = check_twice(array, cells, count, error);
	for (; ch.index < count && status == 0; ch.index++) {
		ch.cell = &cells[ch.index];
		status = check_cell(&ch);
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
	return (status);
}
