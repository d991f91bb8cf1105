#include <stdlib.h>
#include <string.h>

#include "bench/cli/memory.h"
#include "bench/report/comparable.h"
#include "bench/report/curve.h"
#include "lib/base/kassert.h"

const char *
curve_part(const struct result_cell *c, enum curve_part part,
    char buf[CURVE_NAME_SIZE])
{
	switch (part) {
	case CURVE_CIPHER:
		return (c->cipher);
	case CURVE_CRYPTO:
		return (comparable_crypto(c));
	case CURVE_DESIGN:
		return (c->design);
	case CURVE_LOCK:
		return (c->lock);
	case CURVE_SPIN_POLLS:
		snprintf(buf, CURVE_NAME_SIZE, "%u polls", c->spin_polls);
		return (buf);
	case CURVE_SIZE:
		return (format_bytes(buf, c->request_bytes));
	case CURVE_WORKLOAD:
		return (c->workload[0] == '\0' ? "one size" : c->workload);
	case CURVE_RATE:
		if (!comparable_open_loop(c))
			return ("closed loop");
		snprintf(buf, CURVE_NAME_SIZE, "%.9g/s %s", c->rate_per_s,
		    c->arrivals);
		return (buf);
	default:
		return (provenance_short(c));
	}
}

static bool
differ(const struct result_cell *a, const struct result_cell *b, unsigned part)
{
	char ta[CURVE_NAME_SIZE], tb[CURVE_NAME_SIZE];

	return (strcmp(curve_part(a, (enum curve_part)part, ta),
	    curve_part(b, (enum curve_part)part, tb)) != 0);
}

bool
curve_alike(const struct result_cell *a, const struct result_cell *b,
    enum curve_part but)
{
	for (unsigned part = 0; part < CURVE_PARTS; part++)
		if (part != but && differ(a, b, part))
			return (false);
	return (true);
}

static int
by_readers(const void *left, const void *right)
{
	const struct result_cell *const *a = left, *const *b = right;

	if ((*a)->readers != (*b)->readers)
		return ((*a)->readers < (*b)->readers ? -1 : 1);
	/* Equal ones stay in the document's order. */
	return ((*a > *b) - (*a < *b));
}

/* Finds what varies, and what of it belongs in names. */
static void
find_varying(struct curves *cs)
{
	const struct result_cell *a, *b;
	bool polls = false;

	for (unsigned i = 1; i < cs->cs_count; i++) {
		a = cs->cs_curves[i].cu_cells[0];
		for (unsigned part = 0; part < CURVE_PARTS; part++)
			cs->cs_varies[part] |= differ(a,
			    cs->cs_curves[0].cu_cells[0], part);
		/* Polls mostly follow from the lock. */
		for (unsigned k = 0; k < i; k++) {
			b = cs->cs_curves[k].cu_cells[0];
			polls |= a->spin_polls != b->spin_polls &&
			    strcmp(a->lock, b->lock) == 0;
		}
	}
	memcpy(cs->cs_named, cs->cs_varies, sizeof(cs->cs_named));
	cs->cs_named[CURVE_SPIN_POLLS] = polls;
}

void
curves_find(const struct result *r, struct curves *cs)
{
	const struct result_cell *end = r->cells + r->cell_count;
	const struct result_cell **next;
	struct curve *cu;

	*cs = (struct curves){
		.cs_curves = xcalloc(r->cell_count + 1, sizeof(*cu)),
		.cs_cells = xcalloc(r->cell_count + 1, sizeof(*next))
	};
	next = cs->cs_cells;
	for (const struct result_cell *c = r->cells; c < end; c++) {
		for (cu = cs->cs_curves; cu->cu_count > 0; cu++)
			if (curve_alike(cu->cu_cells[0], c, CURVE_PARTS))
				break;
		if (cu->cu_count > 0)
			continue;
		cs->cs_count++;
		cu->cu_cells = next;
		for (const struct result_cell *d = c; d < end; d++)
			if (curve_alike(c, d, CURVE_PARTS))
				*next++ = d;
		cu->cu_count = (unsigned)(next - cu->cu_cells);
		qsort(cu->cu_cells, cu->cu_count, sizeof(*next), by_readers);
	}
	find_varying(cs);
}

void
curves_free(struct curves *cs)
{
	free(cs->cs_curves);
	free(cs->cs_cells);
}

void
curve_name(const struct curves *cs, const struct curve *cu,
    enum curve_part but, char name[CURVE_NAME_SIZE])
{
	const struct result_cell *c = cu->cu_cells[0];
	char buf[CURVE_NAME_SIZE];
	struct text t = { .s = "" };

	text_add(&t, "%s", c->design);
	for (unsigned part = 0; part < CURVE_PARTS; part++)
		if (cs->cs_named[part] && part != but && part != CURVE_DESIGN)
			text_list(&t, "%s", curve_part(c,
			    (enum curve_part)part, buf));
	snprintf(name, CURVE_NAME_SIZE, "%.*s", CURVE_NAME_SIZE - 1, t.s);
}

void
curve_common(const struct curves *cs, struct text *t)
{
	const struct result_cell *c;
	char buf[CURVE_NAME_SIZE];

	KASSERT(cs->cs_count > 0, ("no curves"));
	c = cs->cs_curves[0].cu_cells[0];
	for (unsigned part = 0; part < CURVE_PARTS; part++) {
		/* Defaults are left out. */
		if (cs->cs_varies[part] || part == CURVE_DESIGN ||
		    part == CURVE_ENGINE ||
		    (part == CURVE_SPIN_POLLS && c->spin_polls == 0) ||
		    (part == CURVE_WORKLOAD && c->workload[0] == '\0') ||
		    (part == CURVE_RATE && !comparable_open_loop(c)))
			continue;
		text_list(t, "%s%s", part == CURVE_LOCK ? "lock " :
		    part == CURVE_SIZE ? "requests of " : "",
		    curve_part(c, (enum curve_part)part, buf));
	}
}
