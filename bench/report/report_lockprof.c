#include <math.h>
#include <string.h>

#include "bench/console/figure.h"
#include "bench/report/report_lockprof.h"

enum {
	NS_PER_US	= 1000,
	NS_WIDTH	= 10	/* of a column of the second block */
};

/*
 * The kernel's header, byte for byte.  The kernel's rows have its narrow
 * formats (6, 6, 2 and 6 columns for the last four numbers) and do not stand
 * below it; these do.
 */
static const char stats_header[] =
    "     max  wait_max       total  wait_total       count    avg wait_avg "
    "cnt_hold cnt_lock name\n";

/* A site of all roles together; only what the kernel has is added up. */
static struct result_row
site_sum(const struct result_cell *cell, const struct result_row *like)
{
	struct result_row sum = *like;
	const struct result_row *row;
	unsigned i;

	for (i = 0; i < cell->lock_profile_rows; i++) {
		row = &cell->lock_profile[i];
		if (row == like || !view_same_site(row, like))
			continue;
		sum.count = view_sum(sum.count, row->count);
		sum.contended = view_sum(sum.contended, row->contended);
		sum.hold_total_ns = view_sum(sum.hold_total_ns,
		    row->hold_total_ns);
		sum.wait_total_ns = view_sum(sum.wait_total_ns,
		    row->wait_total_ns);
		sum.cnt_hold = view_sum(sum.cnt_hold, row->cnt_hold);
		sum.hold_max_ns = fmax(sum.hold_max_ns, row->hold_max_ns);
		sum.wait_max_ns = fmax(sum.wait_max_ns, row->wait_max_ns);
	}
	return (sum);
}

/* One line of the first block.  Divisions truncate, as the kernel's do. */
static void
print_stats(FILE *out, const struct result_cell *cell,
    const struct result_row *like)
{
	const struct result_row row = site_sum(cell, like);
	const double hold_us = row.hold_total_ns / NS_PER_US;
	const double wait_us = row.wait_total_ns / NS_PER_US;
	char buf[VIEW_SIZE];

	fprintf(out, "%8s ", view_whole(buf, row.hold_max_ns / NS_PER_US, 8));
	fprintf(out, "%9s ", view_whole(buf, row.wait_max_ns / NS_PER_US, 9));
	fprintf(out, "%11s ", view_whole(buf, hold_us, 11));
	fprintf(out, "%11s ", view_whole(buf, wait_us, 11));
	fprintf(out, "%11s ", view_whole(buf, row.count, 11));
	fprintf(out, "%6s ", view_whole(buf, view_mean(hold_us, row.count),
	    6));
	fprintf(out, "%8s ", view_whole(buf, view_mean(wait_us, row.count),
	    8));
	fprintf(out, "%8s ", view_detailed(cell) ?
	    view_whole(buf, row.cnt_hold, 8) : "-");
	fprintf(out, "%8s ", view_whole(buf, row.contended, 8));
	fprintf(out, "%s (%s:%s)\n", view_site(buf, row.lock, row.site),
	    view_class(cell, row.lock), row.lock);
}

/*
 * One line of the second block.
 *
 *   q     in  or NULL: there are none
 *   most  in  not exceeded; quantiles of a histogram are a little too high
 *   max   in  or NULL: likewise
 */
static void
print_times(FILE *out, const char *what, double count, double total_ns,
    const struct result_quantiles *q, double most_ns, const double *max_ns)
{
	char buf[5][VIEW_SIZE];

	/* Only a document that lacks them has quantiles of 0 above that. */
	if (q != NULL && q->p999 <= 0 && total_ns > 0)
		q = NULL;
	fprintf(out, "  %-6s %11s %11s", what, view_whole(buf[0], count, 11),
	    view_whole(buf[1], view_mean(total_ns, count), 11));
	if (q == NULL)
		fprintf(out, " %*s %*s %*s", NS_WIDTH, "-", NS_WIDTH, "-",
		    NS_WIDTH, "-");
	else
		fprintf(out, " %*s %*s %*s", NS_WIDTH,
		    view_whole(buf[2], fmin(q->p50, most_ns),
		    NS_WIDTH), NS_WIDTH,
		    view_whole(buf[3], fmin(q->p99, most_ns),
		    NS_WIDTH), NS_WIDTH,
		    view_whole(buf[4], fmin(q->p999, most_ns),
		    NS_WIDTH));
	fprintf(out, " %*s\n", NS_WIDTH, max_ns == NULL ? "-" :
	    view_whole(buf[0], *max_ns, NS_WIDTH));
}

static void
print_ns(FILE *out, const struct result_row *row)
{
	char site[VIEW_SIZE], text[2 * VIEW_SIZE], yields[VIEW_SIZE];
	int n;

	n = snprintf(text, sizeof(text), "%s (%s)",
	    view_site(site, row->lock, row->site), row->role);
	if (row->yields > 0)
		snprintf(text + n, sizeof(text) - (size_t)n,
		    ", CPU yielded %s times",
		    view_whole(yields, row->yields, 11));
	figure_wrap(out, "", 2, text);
	print_times(out, "hold", row->count, row->hold_total_ns, &row->hold_ns,
	    row->hold_max_ns, &row->hold_max_ns);
	if (row->contended <= 0)
		return;
	print_times(out, "wait", row->contended, row->wait_total_ns, NULL,
	    row->wait_max_ns, &row->wait_max_ns);
	if (row->spin_count > 0)
		print_times(out, " spin", row->spin_count, row->spin_total_ns,
		    &row->spin_ns, row->wait_max_ns, NULL);
	if (row->block_count > 0)
		print_times(out, " block", row->block_count,
		    row->block_total_ns, &row->block_ns, row->wait_max_ns,
		    NULL);
}

static void
print_cell(FILE *out, const struct result_cell *cell)
{
	unsigned i;

	fputs(stats_header, out);
	for (i = 0; i < cell->lock_profile_rows; i++)
		if (view_first(cell, i, view_same_site))
			print_stats(out, cell, &cell->lock_profile[i]);
	fprintf(out, "\n  %-6s %11s %11s %*s %*s %*s %*s\n", "ns", "count",
	    "mean", NS_WIDTH, "p50", NS_WIDTH, "p99", NS_WIDTH, "p99.9",
	    NS_WIDTH, "max");
	for (i = 0; i < cell->lock_profile_rows; i++)
		print_ns(out, &cell->lock_profile[i]);
}

int
report_lockprof(FILE *out, const struct result *r)
{
	bool shown = false;
	unsigned i;

	for (i = 0; i < r->cell_count; i++) {
		if (i > 0)
			fputc('\n', out);
		view_heading(out, r, &r->cells[i]);
		if (!view_profiled(out, &r->cells[i]))
			continue;
		print_cell(out, &r->cells[i]);
		shown = true;
	}
	if (shown) {
		fputc('\n', out);
		figure_wrap(out, "", 2, "All repeats together.  First us, as "
		    "LOCK_PROFILING(9) has them, roles together: avg and "
		    "wait_avg are over count, cnt_hold counts the waits that "
		    "began during a hold, cnt_lock those that had to wait.  "
		    "Then ns by role: wait is of the acquisitions that had to "
		    "wait, spin and block its parts awake and asleep.");
	}
	return (0);
}
