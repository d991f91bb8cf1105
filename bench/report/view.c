#include <math.h>
#include <string.h>

#include "bench/console/figure.h"
#include "bench/report/view.h"
#include "bench/result/claim.h"
#include "bench/result/group.h"
#include "lib/kassert.h"
#include "lib/lock.h"

/*
 * The locks that are profiled, by name: the file in which the kernel takes
 * them, and their kind where the cell does not choose it.
 */
static const struct {
	const char	*name;
	const char	*file;
	const char	*kind;
} locks[] = {
	{ "reseed mutex", "fortuna.c", NULL },
	{ "entropy harvest mutex", "random_harvestq.c", "mtx-spin" },
};

enum { LOCKS = sizeof(locks) / sizeof(locks[0]) };

/* More than any machine counts. */
static const double view_largest = 1e300;

void
view_heading(FILE *out, const struct result *r, const struct result_cell *cell)
{
	char claim[CLAIM_SIZE], load[GROUP_WORKLOAD_SIZE];
	char lock[GROUP_LOCK_SIZE], text[4 * RESULT_TEXT_SIZE];
	const char *place = group_place(r);
	bool told = strcmp(group_claim(cell), "measured") == 0;

	snprintf(text, sizeof(text), "%s, lock %s, %s, %s crypto, "
	    "%s%s%s%s%s",
	    cell->design, group_lock(cell, lock), cell->cipher, cell->crypto,
	    group_load(cell, load), place != NULL ? ", place " : "",
	    place != NULL ? place : "", told ? "" : ", ",
	    told ? "" : claim_cell(cell, claim));
	figure_wrap(out, "", 2, text);
	if (group_gated(cell))
		figure_wrap(out, "!", 2, cell->gate);
}

bool
view_profiled(FILE *out, const struct result_cell *cell)
{

	if (cell->lock_profile_rows > 0)
		return (true);
	fputs(cell->profiled ? "  no lock was taken\n" :
	    "  not profiled: there is nothing to show\n", out);
	return (false);
}

bool
view_detailed(const struct result_cell *cell)
{
	const struct result_row *row;
	unsigned bin, i;

	for (i = 0; i < cell->lock_profile_rows; i++) {
		row = &cell->lock_profile[i];
		if (row->cnt_hold > 0)
			return (true);
		/* Where there are distributions, every hold is in one. */
		for (bin = 0; bin < RESULT_LOG2_BINS; bin++)
			if (row->hold_log2[bin] > 0)
				return (true);
	}
	return (false);
}

const char *
view_whole(char buf[VIEW_SIZE], double v, int width)
{
	int digits;

	KASSERT(v >= 0 && isfinite(v), ("%g in a view", v));
	MPASS(width >= 6 && width <= 20);
	v = floor(v);
	if (v < pow(10, width)) {
		snprintf(buf, VIEW_SIZE, "%.0f", v);
		return (buf);
	}
	/* A point and its digits are left out first, last the exponent's. */
	digits = v >= 1e99 ? width - 7 : width - 6;
	snprintf(buf, VIEW_SIZE, "%.*e", digits > 0 ? digits : 0, v);
	return (buf);
}

double
view_sum(double a, double b)
{

	return (fmin(a + b, view_largest));
}

double
view_mean(double total, double count)
{

	return (count > 0 ? fmin(total / count, view_largest) : 0);
}

const char *
view_site(char buf[VIEW_SIZE], const char *lock, const char *site)
{
	unsigned i;

	for (i = 0; i < LOCKS; i++) {
		if (strcmp(lock, locks[i].name) == 0) {
			snprintf(buf, VIEW_SIZE, "%s:%s", locks[i].file, site);
			return (buf);
		}
	}
	snprintf(buf, VIEW_SIZE, "%s", site);
	return (buf);
}

const char *
view_class(const struct result_cell *cell, const char *lock)
{
	const char *kind = cell->lock;
	const struct lock_class *lc;
	unsigned i;

	for (i = 0; i < LOCKS; i++)
		if (locks[i].kind != NULL && strcmp(lock, locks[i].name) == 0)
			kind = locks[i].kind;
	/* A file may name kinds that this program does not have. */
	lc = lock_class_find(kind);
	return (lc == NULL ? kind : lc->lc_type);
}

bool
view_same_lock(const struct result_row *a, const struct result_row *b)
{

	return (strcmp(a->lock, b->lock) == 0);
}

bool
view_same_site(const struct result_row *a, const struct result_row *b)
{

	return (view_same_lock(a, b) && strcmp(a->site, b->site) == 0);
}

bool
view_first(const struct result_cell *cell, unsigned i,
    bool (*same)(const struct result_row *, const struct result_row *))
{
	unsigned k;

	for (k = 0; k < i; k++)
		if (same(&cell->lock_profile[k], &cell->lock_profile[i]))
			return (false);
	return (true);
}
