#include <math.h>
#include <string.h>

#include "bench/cli/format.h"
#include "bench/report/report.h"

static const struct column columns[] = {
	{ "waited", -30 }, { "held from", -16 }, { "waits", 7 },
	{ "total", 7 }, { "mean", 7 }, { "% time", 6 }
};

/* The waits for one lock, in the document's order. */
static void
print_lock(FILE *out, const struct result_cell *cell, const char *lock)
{
	const struct result_wait *end = cell->waits + cell->wait_rows;
	double count = 0, total = 0;

	for (const struct result_wait *w = cell->waits; w < end; w++) {
		if (strcmp(w->lock, lock) != 0)
			continue;
		count = view_sum(count, w->count);
		total = view_sum(total, w->wait_total_ns);
	}
	fprintf(out, "\n%s: %s wait%s, %s\n", lock, FORMAT(count, count),
	    PLURAL(count), FORMAT(ns, total));
	COLUMNS_TITLES(out, columns);
	for (const struct result_wait *w = cell->waits; w < end; w++)
		if (strcmp(w->lock, lock) == 0)
			COLUMNS_ROW(out, columns, FORMATF("%.18s (%.9s)",
			    w->site, w->role), FORMATF("%.16s", w->holder),
			    FORMAT(count, w->count),
			    FORMAT(ns, w->wait_total_ns), FORMAT(ns,
			    view_mean(w->wait_total_ns, w->count)),
			    FORMAT(percent, 100 * fmin(1,
			    view_mean(w->wait_total_ns, total))));
}

void
report_waits_cell(FILE *out, const struct result_cell *cell)
{
	bool contended = false;
	unsigned k;

	for (unsigned i = 0; i < cell->lock_profile_rows; i++)
		contended |= cell->lock_profile[i].contended > 0;
	if (cell->wait_rows == 0)
		fputs(contended && !view_detailed(cell) ?
		    "  the document has waits, but not their holders\n" :
		    "  no thread waited\n", out);
	for (unsigned i = 0; i < cell->wait_rows; i++) {
		for (k = 0; strcmp(cell->waits[k].lock,
		    cell->waits[i].lock) != 0; k++)
			continue;
		if (k == i)
			print_lock(out, cell, cell->waits[i].lock);
	}
}

void
report_waits(FILE *out, const struct result *r)
{
	bool any = false;

	for (const struct result_cell *cell = r->cells;
	    cell < r->cells + r->cell_count; cell++) {
		if (!view_cell(out, r, cell))
			continue;
		any |= cell->wait_rows > 0;
		report_waits_cell(out, cell);
	}
	if (!any)
		return;
	fputc('\n', out);
	format_wrap(out, "", 2, "All repeats together.  A row is a place and "
	    "role that waited, and the place from which the lock was held, or "
	    "had been held last, when the wait began.  The whole wait counts "
	    "there.  % time is of all waiting for the lock.");
}
