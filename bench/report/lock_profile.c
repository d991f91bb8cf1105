#include <math.h>
#include <string.h>

#include "bench/report/report.h"
#include "bench/result/comparable.h"
#include "bench/result/describe.h"

/* More than any machine counts; figures stay finite whatever a file has. */
static const double largest = 1e300;

static const struct column columns[] = {
	{ "site (role): its holds", -32 }, { "count", 7 }, { "total", 7 },
	{ "mean", 7 }, { "p50", 7 }, { "p99", 7 }, { "max", 7 }
};

static double
mean(double total, double count)
{
	return (count > 0 ? fmin(total / count, largest) : 0);
}

/*
 * A row of durations, if there are any.
 *
 *   q     in  NULL: there are none
 *   most  in  not exceeded, as quantiles of a histogram are a little too high;
 *             0: unknown
 */
static void
print_times(FILE *out, const char *what, double count, double total_ns,
    const struct result_quantiles *q, double most_ns)
{
	const double limit_ns = most_ns > 0 ? most_ns : largest;

	if (count <= 0)
		return;
	/* Quantiles of 0 below a total above 0: the document lacks them. */
	if (q != NULL && q->p999 <= 0 && total_ns > 0)
		q = NULL;
	COLUMNS_ROW(out, columns, what, FORMAT(count, count),
	    FORMAT(ns, total_ns), FORMAT(ns, mean(total_ns, count)),
	    q == NULL ? NULL : FORMAT(ns, fmin(q->p50, limit_ns)),
	    q == NULL ? NULL : FORMAT(ns, fmin(q->p99, limit_ns)),
	    most_ns > 0 ? FORMAT(ns, most_ns) : NULL);
}

static void
print_count(FILE *out, const char *what, double count)
{
	const char *const texts[] = { what, FORMAT(count, count) };

	if (count > 0)
		columns_row(out, columns, 2, texts);
}

static void
print_site(FILE *out, const struct result_cell *cell,
    const struct result_row *row)
{
	print_times(out, FORMATF("%s (%s)", row->site, row->role), row->count,
	    row->hold_total_ns, &row->hold_ns, row->hold_max_ns);
	print_count(out, "  delayed others", row->cnt_hold);
	print_times(out, "  waited", row->contended, row->wait_total_ns, NULL,
	    row->wait_max_ns);
	print_times(out, "    awake", row->spin_count, row->spin_total_ns,
	    &row->spin_ns, 0);
	print_times(out, "    asleep", row->block_count, row->block_total_ns,
	    &row->block_ns, 0);
	print_count(out, "    yielded its CPU", row->yields);
	for (const struct result_wait *w = cell->waits;
	    w < cell->waits + cell->wait_rows; w++)
		if (strcmp(w->lock, row->lock) == 0 &&
		    strcmp(w->site, row->site) == 0 &&
		    strcmp(w->role, row->role) == 0)
			print_times(out, FORMATF("    for %s", w->holder),
			    w->count, w->wait_total_ns, NULL, 0);
}

void
lock_profile_print_cell(FILE *out, const struct result_cell *cell)
{
	const struct result_row *row = cell->lock_profile;

	if (cell->lock_profile_rows == 0) {
		fputs(cell->profiled ? "no lock was taken\n" :
		    "locks were not profiled\n", out);
		return;
	}
	COLUMNS_TITLES(out, columns);
	for (; row < cell->lock_profile + cell->lock_profile_rows; row++) {
		if (row == cell->lock_profile ||
		    strcmp(row->lock, row[-1].lock) != 0)
			fprintf(out, "%s\n", row->lock);
		print_site(out, cell, row);
	}
}

void
lock_profile_print_legend(FILE *out)
{
	format_wrap(out, "", 2, "All repeats together.  delayed others: waits "
	    "that began during a hold, cnt_hold of LOCK_PROFILING(9); waited: "
	    "from the first failed attempt to the acquisition, awake and "
	    "asleep are parts of it; for: the site from which the lock was "
	    "held, or had been held last, when the wait began.");
}

void
lock_profile_print(FILE *out, const void *result)
{
	const struct result *r = result;

	table_head_print(out, r);
	for (const struct result_cell *cell = r->cells;
	    cell < r->cells + r->cell_count; cell++) {
		struct text t = { .s = "" };

		describe_cell(&t, cell);
		fputc('\n', out);
		format_wrap(out, "", 2, t.s);
		if (comparable_gated(cell))
			format_wrap(out, "!", 2, cell->gate);
		lock_profile_print_cell(out, cell);
	}
	fputc('\n', out);
	if (r->cell_count > 0)
		lock_profile_print_legend(out);
}
