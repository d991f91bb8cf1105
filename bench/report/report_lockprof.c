#include <math.h>
#include <string.h>

#include "bench/cli/format.h"
#include "bench/report/report.h"

enum { NS_PER_US = 1000 };

/*
 * The titles are the kernel's header, byte for byte.  The kernel's rows have
 * narrower formats for the last four numbers and do not stand below it; these
 * do.
 */
static const struct column us_columns[] = {
	{ "max", 8 }, { "wait_max", 9 }, { "total", 11 },
	{ "wait_total", 11 }, { "count", 11 }, { "avg", 6 },
	{ "wait_avg", 8 }, { "cnt_hold", 8 }, { "cnt_lock", 8 }, { "name", 0 }
};
static const struct column ns_columns[] = {
	{ "  ns", -8 }, { "count", 11 }, { "mean", 11 }, { "p50", 10 },
	{ "p99", 10 }, { "p99.9", 10 }, { "max", 10 }
};

/*
 * One line of the first block, at a site's first row: the sum over its roles.
 * Divisions truncate, as the kernel's do.
 */
static void
print_us(FILE *out, const struct result_cell *cell, unsigned i)
{
	struct result_row sum = cell->lock_profile[i];
	char name[2 * VIEW_SIZE], site[VIEW_SIZE];
	const struct result_row *row;
	double hold, wait;

	for (unsigned k = 0; k < cell->lock_profile_rows; k++) {
		row = &cell->lock_profile[k];
		if (k == i || strcmp(row->lock, sum.lock) != 0 ||
		    strcmp(row->site, sum.site) != 0)
			continue;
		if (k < i)
			return;
#define	SUM(m)	sum.m = view_sum(sum.m, row->m)
#define	MAX(m)	sum.m = fmax(sum.m, row->m)
		SUM(count);
		SUM(contended);
		SUM(hold_total_ns);
		SUM(wait_total_ns);
		SUM(cnt_hold);
		MAX(hold_max_ns);
		MAX(wait_max_ns);
#undef SUM
#undef MAX
	}
	hold = sum.hold_total_ns / NS_PER_US;
	wait = sum.wait_total_ns / NS_PER_US;
	snprintf(name, sizeof(name), "%.100s (%.60s:%s)", view_site(site,
	    sum.lock, sum.site), view_class(cell, sum.lock), sum.lock);
	COLUMNS_ROW(out, us_columns, VIEW_WHOLE(sum.hold_max_ns / NS_PER_US, 8),
	    VIEW_WHOLE(sum.wait_max_ns / NS_PER_US, 9),
	    VIEW_WHOLE(hold, 11), VIEW_WHOLE(wait, 11),
	    VIEW_WHOLE(sum.count, 11),
	    VIEW_WHOLE(view_mean(hold, sum.count), 6),
	    VIEW_WHOLE(view_mean(wait, sum.count), 8),
	    view_detailed(cell) ? VIEW_WHOLE(sum.cnt_hold, 8) : NULL,
	    VIEW_WHOLE(sum.contended, 8), name);
}

/*
 * One line of the second block.
 *
 *   q     in  or NULL: there are none
 *   most  in  not exceeded; quantiles of a histogram are a little too high
 *   max   in  whether most is the maximum of these
 */
static void
print_times(FILE *out, const char *what, double count, double total_ns,
    const struct result_quantiles *q, double most, bool max)
{
	/* Quantiles of 0 below a total above 0: the document lacks them. */
	if (q != NULL && q->p999 <= 0 && total_ns > 0)
		q = NULL;
	COLUMNS_ROW(out, ns_columns, what, VIEW_WHOLE(count, 11),
	    VIEW_WHOLE(view_mean(total_ns, count), 11),
	    q == NULL ? NULL : VIEW_WHOLE(fmin(q->p50, most), 10),
	    q == NULL ? NULL : VIEW_WHOLE(fmin(q->p99, most), 10),
	    q == NULL ? NULL : VIEW_WHOLE(fmin(q->p999, most), 10),
	    max ? VIEW_WHOLE(most, 10) : NULL);
}

static void
print_ns(FILE *out, const struct result_row *row)
{
	char site[VIEW_SIZE], yields[VIEW_SIZE] = "";

	if (row->yields > 0)
		snprintf(yields, sizeof(yields), ", CPU yielded %.20s times",
		    VIEW_WHOLE(row->yields, 11));
	format_wrapf(out, "", 2, "%s (%s)%s", view_site(site, row->lock,
	    row->site), row->role, yields);
	print_times(out, "  hold", row->count, row->hold_total_ns,
	    &row->hold_ns, row->hold_max_ns, true);
	if (row->contended <= 0)
		return;
	print_times(out, "  wait", row->contended, row->wait_total_ns, NULL,
	    row->wait_max_ns, true);
	if (row->spin_count > 0)
		print_times(out, "   spin", row->spin_count,
		    row->spin_total_ns, &row->spin_ns, row->wait_max_ns, false);
	if (row->block_count > 0)
		print_times(out, "   block", row->block_count,
		    row->block_total_ns, &row->block_ns, row->wait_max_ns,
		    false);
}

void
report_lockprof(FILE *out, const struct result *r)
{
	bool any = false;

	for (const struct result_cell *cell = r->cells;
	    cell < r->cells + r->cell_count; cell++) {
		if (!view_cell(out, r, cell))
			continue;
		any = true;
		COLUMNS_TITLES(out, us_columns);
		for (unsigned i = 0; i < cell->lock_profile_rows; i++)
			print_us(out, cell, i);
		fputc('\n', out);
		COLUMNS_TITLES(out, ns_columns);
		for (unsigned i = 0; i < cell->lock_profile_rows; i++)
			print_ns(out, &cell->lock_profile[i]);
	}
	if (!any)
		return;
	fputc('\n', out);
	format_wrap(out, "", 2, "All repeats together.  First us, as in "
	    "LOCK_PROFILING(9), the sum over roles: avg and wait_avg are over "
	    "count, cnt_hold counts the waits that began during a hold, "
	    "cnt_lock the acquisitions that had to wait.  Then ns by role: "
	    "wait is of the acquisitions that had to wait, spin and block are "
	    "its parts awake and asleep.");
}
