#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/compare.h"
#include "bench/stats.h"
#include "lib/kassert.h"

/* The keys that a cell may be one of several by, and what A then is. */
static const struct {
	const char	*name;
	size_t		 offset;
	const char	*base;	/* NULL: the first measured */
} dimensions[] = {
	[COMPARE_RESULTS] = { "result", 0, NULL },
	[COMPARE_DESIGN] = { "design", offsetof(struct result_cell, design),
	    "locked" },
	[COMPARE_LOCK] = { "lock", offsetof(struct result_cell, lock), "mtx" },
	[COMPARE_CIPHER] = { "cipher", offsetof(struct result_cell, cipher),
	    NULL },
};

static const char *
name_of(const struct result_cell *cell, enum compare_by by)
{

	return ((const char *)cell + dimensions[by].offset);
}

const char *
compare_name(const struct compare *co, const struct compare_pair *pa,
    unsigned side)
{

	if (co->co_by == COMPARE_RESULTS)
		return (side == 0 ? "A" : "B");
	return (name_of(pa->pa_cell[side], co->co_by));
}

int
compare_order(const void *left, const void *right)
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

/* The cells in that order; NULL when there is no memory. */
static const struct result_cell **
sorted(const struct result *r)
{
	const struct result_cell **cells;
	unsigned i;

	cells = calloc(r->cell_count + 1, sizeof(*cells));
	if (cells == NULL)
		return (NULL);
	for (i = 0; i < r->cell_count; i++)
		cells[i] = &r->cells[i];
	qsort(cells, r->cell_count, sizeof(*cells), compare_order);
	return (cells);
}

static const struct result_cell *
find(const struct result_cell *const *cells, unsigned count,
    const struct result_cell *like)
{
	const struct result_cell *const *found;

	found = bsearch(&like, cells, count, sizeof(*cells), compare_order);
	return (found == NULL ? NULL : *found);
}

/* A document's numbers are decimal; its own arithmetic was not. */
static bool
near(double a, double b)
{

	return (fabs(a - b) <= 1e-6 * fmax(fabs(a), fabs(b)));
}

static int
check_median(const struct result *r, unsigned i,
    char error[COMPARE_TEXT_SIZE])
{
	const struct result_cell *c = &r->cells[i];
	double median, *scratch;
	unsigned k;

	scratch = calloc(c->repeats, sizeof(*scratch));
	if (scratch == NULL) {
		snprintf(error, COMPARE_TEXT_SIZE, "%s", strerror(ENOMEM));
		return (ENOMEM);
	}
	for (k = 0; k < c->repeats; k++)
		scratch[k] = c->samples[k].total_mb_per_s;
	median = stats_median(scratch, c->repeats);
	free(scratch);
	if (near(median, c->total_mb_per_s))
		return (0);
	snprintf(error, COMPARE_TEXT_SIZE, "cells[%u].total_mb_per_s: %.9g is "
	    "not the median of its samples, %.9g: the file was edited", i,
	    c->total_mb_per_s, median);
	return (EINVAL);
}

/* All of the total is some reader's. */
static int
check_readers(const struct result *r, unsigned i,
    char error[COMPARE_TEXT_SIZE])
{
	const struct result_cell *c = &r->cells[i];
	double sum;
	unsigned k;

	for (k = 0; k < c->repeats; k++) {
		sum = stats_mean(c->samples[k].reader_mb_per_s, c->readers) *
		    c->readers;
		if (near(sum, c->samples[k].total_mb_per_s))
			continue;
		snprintf(error, COMPARE_TEXT_SIZE, "cells[%u].samples[%u]"
		    ".total_mb_per_s: %.9g is not the sum of its readers, "
		    "%.9g: the file was edited", i, k,
		    c->samples[k].total_mb_per_s, sum);
		return (EINVAL);
	}
	return (0);
}

int
compare_check(const struct result *r, char error[COMPARE_TEXT_SIZE])
{
	const struct result_cell **cells;
	unsigned i;
	int status = 0;

	if (r->cell_count == 0) {
		snprintf(error, COMPARE_TEXT_SIZE, "holds no cell");
		return (EINVAL);
	}
	cells = sorted(r);
	if (cells == NULL) {
		snprintf(error, COMPARE_TEXT_SIZE, "%s", strerror(ENOMEM));
		return (ENOMEM);
	}
	for (i = 1; i < r->cell_count && status == 0; i++) {
		if (compare_order(&cells[i - 1], &cells[i]) != 0)
			continue;
		snprintf(error, COMPARE_TEXT_SIZE, "cells[%td] and cells[%td] "
		    "are the same cell", cells[i - 1] - r->cells,
		    cells[i] - r->cells);
		status = EINVAL;
	}
	free(cells);
	for (i = 0; i < r->cell_count && status == 0; i++) {
		status = check_median(r, i, error);
		if (status == 0)
			status = check_readers(r, i, error);
	}
	return (status);
}

static void
add_pair(struct compare *co, const struct result_cell *a,
    const struct result_cell *b)
{

	co->co_pairs[co->co_pair_count++] = (struct compare_pair){
		.pa_cell = { a, b }
	};
}

static void
add_alone(struct compare *co, unsigned side, const struct result_cell *cell)
{

	co->co_alone[side][co->co_alone_count[side]++] = cell;
}

/* In B's compare_order, and what only A has in A's. */
static void
match_results(struct compare *co, const struct result_cell *const *a,
    const struct result_cell *const *b)
{
	const struct result *ra = co->co_result[0], *rb = co->co_result[1];
	const struct result_cell *partner;
	unsigned i;

	for (i = 0; i < rb->cell_count; i++) {
		partner = find(a, ra->cell_count, &rb->cells[i]);
		if (partner != NULL)
			add_pair(co, partner, &rb->cells[i]);
		else
			add_alone(co, 1, &rb->cells[i]);
	}
	for (i = 0; i < ra->cell_count; i++)
		if (find(b, rb->cell_count, &ra->cells[i]) == NULL)
			add_alone(co, 0, &ra->cells[i]);
}

static const char *
find_base(const struct compare *co, const char *base)
{
	const struct result *r = co->co_result[0];
	const char *wanted = base != NULL ? base : dimensions[co->co_by].base;
	unsigned i;

	for (i = 0; i < r->cell_count && wanted != NULL; i++)
		if (strcmp(name_of(&r->cells[i], co->co_by), wanted) == 0)
			return (wanted);
	return (base != NULL ? NULL : name_of(&r->cells[0], co->co_by));
}

static bool
paired(const struct compare *co, const struct result_cell *cell)
{
	unsigned i;

	for (i = 0; i < co->co_pair_count; i++)
		if (co->co_pairs[i].pa_cell[0] == cell)
			return (true);
	return (false);
}

static void
match_within(struct compare *co, const struct result_cell *const *cells,
    const char *base)
{
	const struct result *r = co->co_result[0];
	const struct result_cell *partner;
	struct result_cell like;
	unsigned i;

	for (i = 0; i < r->cell_count; i++) {
		if (strcmp(name_of(&r->cells[i], co->co_by), base) == 0)
			continue;
		like = r->cells[i];
		snprintf((char *)&like + dimensions[co->co_by].offset,
		    RESULT_NAME_SIZE, "%s", base);
		partner = find(cells, r->cell_count, &like);
		if (partner != NULL)
			add_pair(co, partner, &r->cells[i]);
		else
			add_alone(co, 1, &r->cells[i]);
	}
	for (i = 0; i < r->cell_count; i++)
		if (strcmp(name_of(&r->cells[i], co->co_by), base) == 0 &&
		    !paired(co, &r->cells[i]))
			add_alone(co, 0, &r->cells[i]);
}

static int
explain_none(const struct compare *co, const char *base,
    char error[COMPARE_TEXT_SIZE])
{
	const char *what = dimensions[co->co_by].name;

	if (co->co_by == COMPARE_RESULTS)
		snprintf(error, COMPARE_TEXT_SIZE, "no cell is in both: "
		    "expected two results with the same engine, design, lock, "
		    "cipher, crypto, readers and request size");
	else if (base == NULL)
		snprintf(error, COMPARE_TEXT_SIZE, "--base: no cell has that "
		    "%s; the first has %s", what,
		    name_of(&co->co_result[0]->cells[0], co->co_by));
	else
		snprintf(error, COMPARE_TEXT_SIZE, "nothing to compare with "
		    "%s %s: no other cell is like one of its but for the %s",
		    what, base, what);
	return (EINVAL);
}

int
compare_match(struct compare *co, const char *base,
    char error[COMPARE_TEXT_SIZE])
{
	const struct result_cell **cells[2];
	unsigned side;
	int status = ENOMEM;

	cells[0] = sorted(co->co_result[0]);
	cells[1] = sorted(co->co_result[1]);
	co->co_pairs = calloc(co->co_result[1]->cell_count + 1,
	    sizeof(*co->co_pairs));
	for (side = 0; side < 2; side++)
		co->co_alone[side] = calloc(co->co_result[side]->cell_count +
		    1, sizeof(*co->co_alone[side]));
	if (cells[0] != NULL && cells[1] != NULL && co->co_pairs != NULL &&
	    co->co_alone[0] != NULL && co->co_alone[1] != NULL) {
		if (co->co_by == COMPARE_RESULTS) {
			match_results(co, cells[0], cells[1]);
		} else {
			base = find_base(co, base);
			if (base != NULL)
				match_within(co, cells[0], base);
		}
		status = co->co_pair_count > 0 ? 0 :
		    explain_none(co, base, error);
	} else {
		snprintf(error, COMPARE_TEXT_SIZE, "%s", strerror(ENOMEM));
	}
	free(cells[0]);
	free(cells[1]);
	return (status);
}
