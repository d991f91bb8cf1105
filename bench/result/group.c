#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "bench/console/figure.h"
#include "bench/result/group.h"
#include "lib/kassert.h"
#include "lib/lock.h"

/* The design that stands for what is there today. */
static const char group_baseline[] = "locked";

bool
group_same(const struct result_cell *a, const struct result_cell *b)
{

	/* Text keeps fewer digits of a rate than a double has. */
	return (a->request_bytes == b->request_bytes &&
	    strcmp(a->workload, b->workload) == 0 &&
	    strcmp(a->arrivals, b->arrivals) == 0 &&
	    fabs(a->rate_per_s - b->rate_per_s) <= 1e-9 * a->rate_per_s &&
	    strcmp(a->engine, b->engine) == 0 &&
	    strcmp(a->lock, b->lock) == 0 &&
	    strcmp(a->cipher, b->cipher) == 0 &&
	    strcmp(a->crypto, b->crypto) == 0);
}

const struct result_cell *
group_next(const struct result *r, const struct result_cell *last)
{
	unsigned i, k;

	i = last == NULL ? 0 : (unsigned)(last - r->cells) + 1;
	KASSERT(i <= r->cell_count, ("cell %u of %u", i, r->cell_count));
	for (; i < r->cell_count; i++) {
		for (k = 0; k < i; k++)
			if (group_same(&r->cells[k], &r->cells[i]))
				break;
		if (k == i)
			return (&r->cells[i]);
	}
	return (NULL);
}

/* Whether the cell is the first of its group with its design. */
static bool
introduces(const struct result *r, const struct result_cell *cell)
{
	const struct result_cell *c;

	for (c = r->cells; c < cell; c++)
		if (group_same(c, cell) && strcmp(c->design, cell->design) == 0)
			return (false);
	return (true);
}

const char *
group_design(const struct result *r, const struct result_cell *group,
    unsigned n)
{
	const struct result_cell *c, *end = r->cells + r->cell_count;
	bool has_baseline = false;

	for (c = r->cells; c < end; c++)
		if (group_same(c, group) &&
		    strcmp(c->design, group_baseline) == 0)
			has_baseline = true;
	if (has_baseline && n == 0)
		return (group_baseline);
	n -= has_baseline;
	for (c = r->cells; c < end; c++) {
		if (!group_same(c, group) || !introduces(r, c))
			continue;
		if (strcmp(c->design, group_baseline) == 0)
			continue;
		if (n-- == 0)
			return (c->design);
	}
	return (NULL);
}

unsigned
group_readers_above(const struct result *r, const struct result_cell *group,
    unsigned readers)
{
	unsigned best = 0, i;

	for (i = 0; i < r->cell_count; i++) {
		const struct result_cell *c = &r->cells[i];

		if (c->readers > readers && group_same(c, group) &&
		    (best == 0 || c->readers < best))
			best = c->readers;
	}
	return (best);
}

const struct result_cell *
group_cell(const struct result *r, const struct result_cell *group,
    const char *design, unsigned readers)
{
	unsigned i;

	for (i = 0; i < r->cell_count; i++) {
		const struct result_cell *c = &r->cells[i];

		if (c->readers == readers && group_same(c, group) &&
		    strcmp(c->design, design) == 0)
			return (c);
	}
	return (NULL);
}

bool
group_gated(const struct result_cell *cell)
{

	return (cell->gate[0] != '\0');
}

bool
group_few_repeats(const struct result_cell *cell)
{

	/* Not every document says what an interval is of. */
	if (cell->ci95_of[0] == '\0')
		return (cell->repeats < RESULT_CI95_REPEATS_MIN);
	return (cell->repeats == 1 ||
	    strcmp(cell->ci95_of, RESULT_CI95_PARTS) == 0);
}

const char *
group_spread(const struct result_cell *cell, char *buf)
{
	double total = cell->total_mb_per_s;

	if (group_few_repeats(cell))
		snprintf(buf, FIGURE_SIZE, "?");
	else if (total > 0)
		figure_percent(buf, fmin(1e6, 50 / total *
		    (cell->total_mb_per_s_ci95[1] -
		    cell->total_mb_per_s_ci95[0])));
	else
		snprintf(buf, FIGURE_SIZE, "-");
	return (buf);
}

bool
group_indistinct(const struct result_cell *a, const struct result_cell *b)
{

	return (group_few_repeats(a) || group_few_repeats(b) ||
	    (a->total_mb_per_s_ci95[0] <= b->total_mb_per_s_ci95[1] &&
	    b->total_mb_per_s_ci95[0] <= a->total_mb_per_s_ci95[1]));
}

bool
group_unranked(const struct result_cell *a, const struct result_cell *b)
{

	return (a->repeats < GROUP_REPEATS_WEAK ||
	    b->repeats < GROUP_REPEATS_WEAK || group_indistinct(a, b));
}

const char *
group_claim(const struct result_cell *cell)
{

	return (strcmp(cell->engine, "virtual") == 0 ? "predicted" :
	    "measured");
}

bool
group_open_loop(const struct result_cell *cell)
{

	return (cell->rate_per_s > 0);
}

/* Mixes begin with a size; the name of a recording has its hash behind it. */
static bool
sizes_vary(const struct result_cell *cell)
{

	return (isdigit((unsigned char)cell->workload[0]) ||
	    strchr(cell->workload, '#') != NULL);
}

const char *
group_workload(const struct result_cell *cell, char buf[GROUP_WORKLOAD_SIZE])
{
	char bytes[32], rate[FIGURE_SIZE];
	size_t used;
	int n;

	figure_bytes(bytes, cell->request_bytes);
	if (!sizes_vary(cell))
		n = snprintf(buf, GROUP_WORKLOAD_SIZE, "requests of %s%s%s",
		    bytes, cell->workload[0] == '\0' ? "" : ", ",
		    cell->workload);
	else
		n = snprintf(buf, GROUP_WORKLOAD_SIZE, "workload %s (%s in the "
		    "mean)", cell->workload, bytes);
	used = n < 0 ? 0 : (size_t)n;
	if (group_open_loop(cell) && used < GROUP_WORKLOAD_SIZE)
		snprintf(buf + used, GROUP_WORKLOAD_SIZE - used,
		    ", %s due a second to each reader, %s arrivals",
		    figure_real(rate, cell->rate_per_s), cell->arrivals);
	return (buf);
}

const char *
group_load(const struct result_cell *cell, char buf[GROUP_WORKLOAD_SIZE])
{
	char bytes[32];
	int n;

	n = snprintf(buf, GROUP_WORKLOAD_SIZE, "%u reader%s of %s%s%s",
	    cell->readers, cell->readers == 1 ? "" : "s",
	    figure_bytes(bytes, cell->request_bytes),
	    cell->workload[0] == '\0' ? "" : ", ", cell->workload);
	if (group_open_loop(cell) && n > 0 && n < GROUP_WORKLOAD_SIZE)
		snprintf(buf + n, GROUP_WORKLOAD_SIZE - (size_t)n,
		    ", %s %g/s each", cell->arrivals, cell->rate_per_s);
	return (buf);
}

const char *
group_lock(const struct result_cell *cell, char buf[GROUP_LOCK_SIZE])
{
	const struct lock_class *lc = lock_class_find(cell->lock);
	/* A file may name kinds that this program does not have. */
	bool yields = lc != NULL ? (lc->lc_knobs & LK_SPIN_POLLS) != 0 :
	    cell->spin_polls > 0;

	/* Nobody yields where nobody who holds a lock loses its CPU. */
	if (strcmp(group_claim(cell), "measured") != 0)
		yields = cell->spin_polls > 0;
	if (yields && cell->spin_polls != lock_config_default(1).spin_polls)
		snprintf(buf, GROUP_LOCK_SIZE, "%s, %u polls", cell->lock,
		    cell->spin_polls);
	else
		snprintf(buf, GROUP_LOCK_SIZE, "%s", cell->lock);
	return (buf);
}

const char *
group_place(const struct result *r)
{

	return (r->place[0] == '\0' || strcmp(r->place, "compact") == 0 ?
	    NULL : r->place);
}

const char *
group_crypto(const struct result_cell *cell)
{

	return (strcmp(cell->crypto, "kernel") == 0 ? "kernel-style crypto" :
	    strcmp(cell->crypto, "native") == 0 ? "native crypto" :
	    cell->crypto);
}
