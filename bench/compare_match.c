#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/compare.h"
#include "bench/result_check.h"
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

/* The cells in result_cell_order(); NULL when there is no memory. */
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
	qsort(cells, r->cell_count, sizeof(*cells), result_cell_order);
	return (cells);
}

static const struct result_cell *
find(const struct result_cell *const *cells, unsigned count,
    const struct result_cell *like)
{
	const struct result_cell *const *found;

	found = bsearch(&like, cells, count, sizeof(*cells), result_cell_order);
	return (found == NULL ? NULL : *found);
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

/* In B's order, and what only A has in A's. */
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
