#include <math.h>
#include <string.h>

#include "bench/cli/format.h"
#include "bench/report/comparable.h"
#include "bench/report/report.h"
#include "lib/lock/lock.h"

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

/* The line that names a cell, and why its figures must not be ranked. */
static void
print_heading(FILE *out, const struct result *r, const struct result_cell *cell)
{
	char buf[COMPARABLE_SIZE], provenance[COMPARABLE_SIZE];
	struct text t = { .s = "" };

	text_add(&t, "%s, lock %s, ", cell->design, comparable_lock(cell, buf));
	text_add(&t, "%s, %s crypto, %s", cell->cipher, cell->crypto,
	    comparable_load(cell, buf));
	if (comparable_place(r) != NULL)
		text_add(&t, ", place %s", comparable_place(r));
	if (provenance_predicted(cell))
		text_add(&t, ", %s", provenance_cell(cell, provenance));
	format_wrap(out, "", 2, t.s);
	if (comparable_gated(cell))
		format_wrap(out, "!", 2, cell->gate);
}

bool
view_cell(FILE *out, const struct result *r, const struct result_cell *cell)
{
	if (cell > r->cells)
		fputc('\n', out);
	print_heading(out, r, cell);
	if (cell->lock_profile_rows == 0)
		fputs(cell->profiled ? "  no lock was taken\n" :
		    "  not profiled: there is nothing to show\n", out);
	return (cell->lock_profile_rows > 0);
}

bool
view_detailed(const struct result_cell *cell)
{
	const struct result_row *row;

	for (unsigned i = 0; i < cell->lock_profile_rows; i++) {
		row = &cell->lock_profile[i];
		if (row->cnt_hold > 0)
			return (true);
		/* Where there are distributions, every hold is in one. */
		for (unsigned bin = 0; bin < RESULT_LOG2_BINS; bin++)
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
	for (unsigned i = 0; i < LOCKS; i++) {
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

	for (unsigned i = 0; i < LOCKS; i++)
		if (locks[i].kind != NULL && strcmp(lock, locks[i].name) == 0)
			kind = locks[i].kind;
	/* A file may name kinds that this program does not have. */
	lc = lock_class_find(kind);
	return (lc == NULL ? kind : lc->lc_type);
}

const char *
view_band(char buf[VIEW_SIZE], const double *band, double own,
    const char *(*format)(char *, double), double unit)
{
	char high[FORMAT_SIZE], low[FORMAT_SIZE];

	if (band == NULL || !(unit > 0))
		return ("-");
	snprintf(buf, VIEW_SIZE, "[%s..%s]%s", format(low, band[0] / unit),
	    format(high, band[1] / unit),
	    band[0] <= own && own <= band[1] ? "" : "^");
	return (buf);
}

const double *
view_p99_band(const struct result_band *rb)
{
	return (rb->latency_p99_samples == NULL ? NULL : rb->latency_p99_ns);
}
