#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/compare/compare.h"
#include "bench/result/result_check.h"
#include "fortuna/generator.h"
#include "lib/cipher.h"
#include "lib/kassert.h"
#include "lib/lock.h"

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

/* Pairs must not hang on which of two cells is found. */
static int
check_polls(const struct result *r, const struct result_cell *const *cells,
    char error[COMPARE_TEXT_SIZE])
{
	unsigned i;

	for (i = 1; i < r->cell_count; i++) {
		if (result_cell_order(&cells[i - 1], &cells[i]) != 0)
			continue;
		snprintf(error, COMPARE_TEXT_SIZE, "cells[%td] and cells[%td] "
		    "differ in spin_polls alone: expected one of them",
		    cells[i - 1] - r->cells, cells[i] - r->cells);
		return (EINVAL);
	}
	return (0);
}

/* A default that changed from A to B stands among no tunables. */
static int
flag_polls(struct compare *co, char error[COMPARE_TEXT_SIZE])
{
	const struct result_cell *a, *b;
	unsigned differ = 0, i, shown = 0;
	int status;

	for (i = 0; i < co->co_pair_count; i++) {
		a = co->co_pairs[i].pa_cell[0];
		b = co->co_pairs[i].pa_cell[1];
		if (a->spin_polls == b->spin_polls)
			continue;
		if (differ++ == 0)
			shown = i;
	}
	if (differ == 0 || co->co_by != COMPARE_RESULTS)
		return (0);
	a = co->co_pairs[shown].pa_cell[0];
	b = co->co_pairs[shown].pa_cell[1];
	status = compare_flag(co, "different: rngsim.lock.spin_polls of %u "
	    "pair%s, such as lock %s (A %u, B %u)", differ, differ == 1 ? "" :
	    "s", a->lock, a->spin_polls, b->spin_polls);
	if (status != 0)
		snprintf(error, COMPARE_TEXT_SIZE, "%s", strerror(status));
	return (status);
}

static int
explain_none(const struct compare *co, const char *base,
    char error[COMPARE_TEXT_SIZE])
{
	const char *what = dimensions[co->co_by].name;
	int status = EINVAL;

	if (co->co_by == COMPARE_RESULTS)
		snprintf(error, COMPARE_TEXT_SIZE, "no cell is in both: "
		    "expected two results with the same engine, design, lock, "
		    "cipher, crypto, readers and request size");
	else if (base == NULL) {
		snprintf(error, COMPARE_TEXT_SIZE, "--base: no cell has that "
		    "%s; the first has %s", what,
		    name_of(&co->co_result[0]->cells[0], co->co_by));
		status = ENOENT;
	} else
		snprintf(error, COMPARE_TEXT_SIZE, "nothing to compare with "
		    "%s %s: no other cell is like one of its but for the %s",
		    what, base, what);
	return (status);
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
	if (cells[0] == NULL || cells[1] == NULL || co->co_pairs == NULL ||
	    co->co_alone[0] == NULL || co->co_alone[1] == NULL) {
		snprintf(error, COMPARE_TEXT_SIZE, "%s", strerror(ENOMEM));
		goto out;
	}
	for (side = 0, status = 0; side < 2 && status == 0; side++)
		status = check_polls(co->co_result[side], cells[side], error);
	if (status != 0)
		goto out;
	if (co->co_by == COMPARE_RESULTS) {
		match_results(co, cells[0], cells[1]);
	} else {
		base = find_base(co, base);
		if (base != NULL)
			match_within(co, cells[0], base);
	}
	status = co->co_pair_count > 0 ? flag_polls(co, error) :
	    explain_none(co, base, error);
out:
	free(cells[0]);
	free(cells[1]);
	return (status);
}

bool
compare_base_known(enum compare_by by, const char *name)
{
	unsigned i;

	switch (by) {
	case COMPARE_DESIGN:
		for (i = 0; i < generator_count; i++)
			if (strcmp(name, generators[i]->ra_ident) == 0)
				return (true);
		return (false);
	case COMPARE_LOCK:
		return (lock_class_find(name) != NULL);
	case COMPARE_CIPHER:
		return (cipher_find(name) != NULL);
	case COMPARE_RESULTS:
		break;
	}
	return (true);
}
