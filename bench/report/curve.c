#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/console/figure.h"
#include "bench/report/curve.h"
#include "bench/result/group.h"
#include "lib/kassert.h"

static int
compare_numbers(double a, double b)
{

	return ((a > b) - (a < b));
}

static int
compare_part(const struct result_cell *a, const struct result_cell *b,
    enum curve_part part)
{
	int order;

	switch (part) {
	case CURVE_CIPHER:
		return (strcmp(a->cipher, b->cipher));
	case CURVE_CRYPTO:
		return (strcmp(a->crypto, b->crypto));
	case CURVE_DESIGN:
		return (strcmp(a->design, b->design));
	case CURVE_LOCK:
		return (strcmp(a->lock, b->lock));
	case CURVE_SPIN_POLLS:
		return (compare_numbers(a->spin_polls, b->spin_polls));
	case CURVE_SIZE:
		return ((a->request_bytes > b->request_bytes) -
		    (a->request_bytes < b->request_bytes));
	case CURVE_WORKLOAD:
		return (strcmp(a->workload, b->workload));
	case CURVE_RATE:
		order = strcmp(a->arrivals, b->arrivals);
		return (order != 0 ? order :
		    compare_numbers(a->rate_per_s, b->rate_per_s));
	case CURVE_ENGINE:
		return (strcmp(a->engine, b->engine));
	case CURVE_PARTS:
		break;
	}
	return (0);
}

static int
compare_all(const struct result_cell *a, const struct result_cell *b)
{
	unsigned part;
	int order = 0;

	for (part = 0; part < CURVE_PARTS && order == 0; part++)
		order = compare_part(a, b, (enum curve_part)part);
	return (order);
}

bool
curve_same(const struct result_cell *a, const struct result_cell *b)
{

	return (compare_all(a, b) == 0);
}

/* Puts each curve's cells side by side. */
static int
compare_cells(const void *left, const void *right)
{
	const struct result_cell *const *a = left, *const *b = right;
	int order;

	order = compare_all(*a, *b);
	if (order == 0)
		order = ((*a)->readers > (*b)->readers) -
		    ((*a)->readers < (*b)->readers);
	/* One array holds them all, so that places compare. */
	return (order != 0 ? order : (*a > *b) - (*a < *b));
}

static const struct result_cell *
first_measured(const struct curve *cu)
{
	const struct result_cell *first = cu->cu_cells[0];
	unsigned i;

	for (i = 1; i < cu->cu_count; i++)
		if (cu->cu_cells[i] < first)
			first = cu->cu_cells[i];
	return (first);
}

static int
compare_curves(const void *left, const void *right)
{
	const struct result_cell *a = first_measured(left);
	const struct result_cell *b = first_measured(right);

	return ((a > b) - (a < b));
}

static void
find_varying(struct curves *cs)
{
	unsigned i, part;

	for (part = 0; part < CURVE_PARTS; part++) {
		cs->cs_varies[part] = false;
		for (i = 1; i < cs->cs_count; i++)
			cs->cs_varies[part] |= compare_part(
			    cs->cs_curves[0].cu_cells[0],
			    cs->cs_curves[i].cu_cells[0],
			    (enum curve_part)part) != 0;
		cs->cs_tells[part] = cs->cs_varies[part];
	}
}

/*
 * Whether polls tell curves apart that all parts before leave together, which
 * the order of the cells puts side by side.
 */
static bool
polls_tell(const struct result_cell *const *cells, unsigned n)
{
	unsigned i, part;

	for (i = 1; i < n; i++) {
		for (part = 0; part < CURVE_SPIN_POLLS; part++)
			if (compare_part(cells[i - 1], cells[i],
			    (enum curve_part)part) != 0)
				break;
		if (part == CURVE_SPIN_POLLS && compare_part(cells[i - 1],
		    cells[i], CURVE_SPIN_POLLS) != 0)
			return (true);
	}
	return (false);
}

int
curves_find(const struct result *r, struct curves *cs)
{
	const struct result_cell **cells;
	struct curve *curves;
	unsigned i, n = 0;

	/* One more than needed: calloc(3) of nothing may be NULL. */
	cells = calloc((size_t)r->cell_count + 1, sizeof(*cells));
	curves = calloc((size_t)r->cell_count + 1, sizeof(*curves));
	if (cells == NULL || curves == NULL) {
		free(cells);
		free(curves);
		return (ENOMEM);
	}
	for (i = 0; i < r->cell_count; i++)
		cells[i] = &r->cells[i];
	qsort(cells, r->cell_count, sizeof(*cells), compare_cells);
	for (i = 0; i < r->cell_count; i++) {
		if (i == 0 || !curve_same(cells[i - 1], cells[i]))
			curves[n++].cu_cells = &cells[i];
		curves[n - 1].cu_count++;
	}
	qsort(curves, n, sizeof(*curves), compare_curves);
	cs->cs_curves = curves;
	cs->cs_count = n;
	cs->cs_cells = cells;
	find_varying(cs);
	cs->cs_tells[CURVE_SPIN_POLLS] = polls_tell(cells, r->cell_count);
	return (0);
}

void
curves_free(struct curves *cs)
{

	free(cs->cs_curves);
	free(cs->cs_cells);
}

/* One part as text; in words where it stands among no others of its kind. */
static void
print_part(const struct result_cell *c, enum curve_part part, bool words,
    char text[CURVE_NAME_SIZE])
{
	char bytes[32];

	switch (part) {
	case CURVE_CIPHER:
		snprintf(text, CURVE_NAME_SIZE, "%s", c->cipher);
		break;
	case CURVE_CRYPTO:
		snprintf(text, CURVE_NAME_SIZE, "%s", group_crypto(c));
		break;
	case CURVE_DESIGN:
		snprintf(text, CURVE_NAME_SIZE, "%s", c->design);
		break;
	case CURVE_LOCK:
		snprintf(text, CURVE_NAME_SIZE, "%s%s", words ? "lock " : "",
		    c->lock);
		break;
	case CURVE_SPIN_POLLS:
		snprintf(text, CURVE_NAME_SIZE, "%u polls", c->spin_polls);
		break;
	case CURVE_SIZE:
		snprintf(text, CURVE_NAME_SIZE, "%s%s",
		    words ? "requests of " : "",
		    figure_bytes(bytes, c->request_bytes));
		break;
	case CURVE_WORKLOAD:
		snprintf(text, CURVE_NAME_SIZE, "%s", c->workload[0] == '\0' ?
		    "one size" : c->workload);
		break;
	case CURVE_RATE:
		if (c->rate_per_s > 0)
			snprintf(text, CURVE_NAME_SIZE, "%g/s %s",
			    c->rate_per_s, c->arrivals);
		else
			snprintf(text, CURVE_NAME_SIZE, "closed loop");
		break;
	case CURVE_ENGINE:
		snprintf(text, CURVE_NAME_SIZE, "%s", group_claim(c));
		break;
	case CURVE_PARTS:
		text[0] = '\0';
		break;
	}
}

static void
append(char text[CURVE_NAME_SIZE], const char *part)
{
	size_t used = strlen(text);

	snprintf(text + used, CURVE_NAME_SIZE - used, "%s%s",
	    used > 0 ? ", " : "", part);
}

/* Whether a part has its usual value, which goes without saying. */
static bool
is_usual(const struct result_cell *c, enum curve_part part)
{

	return ((part == CURVE_SPIN_POLLS && c->spin_polls == 0) ||
	    (part == CURVE_WORKLOAD && c->workload[0] == '\0') ||
	    (part == CURVE_RATE && c->rate_per_s <= 0));
}

void
curve_name(const struct curves *cs, const struct curve *cu,
    enum curve_part but, char name[CURVE_NAME_SIZE])
{
	const struct result_cell *c = cu->cu_cells[0];
	char text[CURVE_NAME_SIZE];
	unsigned part;

	snprintf(name, CURVE_NAME_SIZE, "%s", c->design);
	for (part = 0; part < CURVE_PARTS; part++) {
		if (!cs->cs_tells[part] || part == but || part == CURVE_DESIGN)
			continue;
		print_part(c, (enum curve_part)part, false, text);
		append(name, text);
	}
}

void
curve_common(const struct curves *cs, char text[CURVE_NAME_SIZE])
{
	const struct result_cell *c;
	char words[CURVE_NAME_SIZE];
	unsigned part;

	KASSERT(cs->cs_count > 0, ("no curves"));
	c = cs->cs_curves[0].cu_cells[0];
	text[0] = '\0';
	for (part = 0; part < CURVE_PARTS; part++) {
		if (cs->cs_varies[part] || part == CURVE_DESIGN ||
		    part == CURVE_ENGINE || is_usual(c, (enum curve_part)part))
			continue;
		print_part(c, (enum curve_part)part, true, words);
		append(text, words);
	}
}
