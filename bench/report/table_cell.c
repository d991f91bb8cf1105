#include "bench/report/report.h"

enum { CELL_LABEL = 15 };

/* A line of a cell, with its label. */
#define	LINE(label, ...) format_wrapf(out, label, CELL_LABEL, __VA_ARGS__)
#define	PERCENT(v)	FORMAT(percent, v)
#define	MILLION(v)	FORMAT(real, (v) / 1e6)

static const struct column columns[] = {
	{ "site (role): its holds", -32 }, { "count", 7 }, { "total", 7 },
	{ "mean", 7 }, { "p50", 7 }, { "p99", 7 }, { "max", 7 }
};

/*
 * A row of durations, if there are any.  q may be NULL.  Its quantiles, which
 * are a little too high, do not exceed most_ns, unless that is 0: unknown.
 */
static void
print_times(FILE *out, const char *what, double count, double total_ns,
    const struct result_quantiles *q, double most_ns)
{
	/* Figures stay finite whatever a file has. */
	const double limit_ns = most_ns > 0 ? most_ns : RESULT_REAL_MAX;

	if (count <= 0)
		return;
	/* Quantiles of 0 below a total above 0: the document lacks them. */
	if (q != NULL && q->p999 <= 0 && total_ns > 0)
		q = NULL;
	COLUMNS_ROW(out, columns, what, FORMAT(count, count), FORMAT(ns,
	    total_ns), FORMAT(ns, fmin(total_ns / count, RESULT_REAL_MAX)),
	    q == NULL ? NULL : FORMAT(ns, fmin(q->p50, limit_ns)),
	    q == NULL ? NULL : FORMAT(ns, fmin(q->p99, limit_ns)),
	    most_ns > 0 ? FORMAT(ns, most_ns) : NULL);
}

static void
print_count(FILE *out, const char *what, double count)
{
	if (count > 0)
		columns_row(out, columns, 2, (const char *const[]){ what,
		    FORMAT(count, count) });
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
	    w != NULL && w < cell->waits + cell->wait_rows; w++)
		if (strcmp(w->lock, row->lock) == 0 &&
		    strcmp(w->site, row->site) == 0 &&
		    strcmp(w->role, row->role) == 0)
			print_times(out, FORMATF("    for %s", w->holder),
			    w->count, w->wait_total_ns, NULL, 0);
}

static void
print_profile(FILE *out, const struct result_cell *cell)
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

static void
print_legend(FILE *out)
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
		fputc('\n', out);
		format_wrap(out, "", 2, TEXT_OF(describe_cell, cell));
		if (cell->gate[0] != '\0')
			format_wrap(out, "!", 2, cell->gate);
		print_profile(out, cell);
	}
	fputc('\n', out);
	if (r->cell_count > 0)
		print_legend(out);
}

/* A rate in MB/s; in open loop in requests per second. */
static double
rate(const struct result_cell *cell, double mb_per_s)
{
	const double total = cell->total_mb_per_s;

	if (cell->rate_per_s <= 0 || total <= 0)
		return (mb_per_s);
	return (fmin(COMPARABLE_MEDIAN(cell, reads_per_s) * (mb_per_s / total),
	    RESULT_REAL_MAX));
}

static void
print_rates(FILE *out, const struct result_cell *cell, const char *mark)
{
	const struct result_band *rb = &cell->uncertainty;
	const char *name = cell->rate_per_s > 0 ? "requests/s" : "MB/s";

	LINE("total", "%s %s, 95 %% interval %s to %s, %s", FORMAT(real,
	    rate(cell, cell->total_mb_per_s)), name, FORMAT(real, rate(cell,
	    cell->total_mb_per_s_ci95[0])), FORMAT(real, rate(cell,
	    cell->total_mb_per_s_ci95[1])), comparable_few_repeats(cell) ?
	    "of window parts" : FORMATF("%u repeats", cell->repeats));
	if (rb->samples > 0)
		LINE("10-90 %", "of the drawn profiles: total %s %s, harvest "
		    "CPU %s%s %%, read p99 %s", BAND(rb->total_mb_per_s,
		    cell->total_mb_per_s, format_real, cell->total_mb_per_s /
		    rate(cell, cell->total_mb_per_s)), name,
		    BAND(rb->harvest_cpu_percent, cell->harvest.cpu_percent,
		    format_percent, 1), mark, BAND(BAND_P99(rb),
		    COMPARABLE_QUANTILE(cell, latency_ns.p99), format_ns, 1));
}

static void
print_readers(FILE *out, const struct result_cell *cell)
{
	const char *name = cell->rate_per_s > 0 ? "requests/s" : "MB/s";
	unsigned column = CELL_LABEL;

	fprintf(out, "%-*s", CELL_LABEL, "each reader");
	for (unsigned i = 0; i < cell->readers; i++) {
		/* Room for the unit behind the last. */
		if (column + FORMAT_WIDTH + 2 + strlen(name) > FORMAT_COLUMNS) {
			fprintf(out, "\n%*s", CELL_LABEL, "");
			column = CELL_LABEL;
		}
		column += (unsigned)fprintf(out, "%-*s", FORMAT_WIDTH + 1,
		    FORMAT(real, rate(cell, cell->reader_mb_per_s[i])));
	}
	fprintf(out, "%s\n", name);
}

/* The largest is of all repeats. */
#define	PRINT_LATENCY(label, cell, member)				\
	(COMPARABLE_QUANTILE(cell, member.p99) <= 0 ?			\
	    LINE(label, "none ended in the window") :			\
	    LINE(label, "p50 %s, p90 %s, p99 %s, p99.9 %s%s, max %s",	\
		FORMAT(ns, COMPARABLE_QUANTILE(cell, member.p50)),	\
		FORMAT(ns, COMPARABLE_QUANTILE(cell, member.p90)),	\
		FORMAT(ns, COMPARABLE_QUANTILE(cell, member.p99)),	\
		FORMAT(ns, COMPARABLE_QUANTILE(cell, member.p999)),	\
		(cell)->repeats > 1 ? " (medians of repeats)" : "",	\
		FORMAT(ns, (cell)->member.max)))

static void
print_health(FILE *out, const struct result_cell *cell)
{
	const struct result_health *rh;

	for (unsigned i = 0; i < cell->health_rows; i++) {
		rh = &cell->health[i];
		LINE(i == 0 ? "health tests" : " ", "%.31s: %s discarded, %s "
		    "starts passed%s", rh->source, FORMAT(count, rh->discarded),
		    FORMAT(count, rh->passed), rh->repetitions +
		    rh->proportions <= 0 ? "" : FORMATF(", failed by "
		    "repetition %s, by proportion %s", FORMAT(count,
		    rh->repetitions), FORMAT(count, rh->proportions)));
	}
}

/* cna is at least a half; 0: the document does not have it. */
static void
print_indexes(FILE *out, const char *label, double min_max, double cov,
    double jain, double cna)
{
	LINE(label, "min/max %.3f, cov %s, Jain's index %.3f%s",
	    fmin(min_max, 1), FORMAT(real, cov), fmin(jain, 1), cna <= 0 ? "" :
	    FORMATF(", busier half %s %%", PERCENT(100 * fmin(cna, 1))));
}

static void
print_producers(FILE *out, const struct result_cell *cell)
{
	const struct result_production *pn = &cell->production;
	struct text t = { .s = "" };

	if (cell->producers == 0)
		return;
	LINE("producers", "%s M events/s, %s; queued %s %%, full %s %%, "
	    "masked %s %%, lost by the NIC %s %%", MILLION(pn->events_per_s),
	    comparable_few_repeats(cell) ? "too few repeats for an interval" :
	    FORMATF("95 %% interval %s to %s", MILLION(cell->
	    events_per_s_ci95[0]), MILLION(cell->events_per_s_ci95[1])),
	    PERCENT(pn->taken_percent), PERCENT(pn->full_percent),
	    PERCENT(pn->masked_percent), PERCENT(pn->lost_percent));
	if (cell->uncertainty.events_per_s[1] > 0)
		LINE("10-90 %", "of the drawn profiles: %s M events/s",
		    BAND(cell->uncertainty.events_per_s, pn->events_per_s,
		    format_real, 1e6));
	for (unsigned i = 0; cell->producers > 1 && i < cell->producers; i++)
		text_add(&t, "%s%s", i == 0 ? "" : " ",
		    MILLION(cell->producer_per_s[i]));
	if (cell->producers > 1)
		LINE("each", "%s", t.s);
	PRINT_LATENCY("one call", cell, call_ns);
	LINE(" ", "CPU %s %% in all; interrupts off %s %% of each; min/max "
	    "%.3f, Jain's index %.3f", PERCENT(pn->cpu_percent),
	    PERCENT(pn->off_percent), pn->min_max, pn->jain);
}

/* What readers got. */
static void
print_reading(FILE *out, const struct result_cell *cell, const char *mark)
{
	const struct result_fairness *f = &cell->fairness;
	const bool open = cell->rate_per_s > 0;

	if (cell->time_to_seeded_ns > 0)
		LINE("seeded", "after %s, 95 %% interval %s to %s; blocked %g "
		    "of %u readers", FORMAT(ns, cell->time_to_seeded_ns),
		    FORMAT(ns, cell->time_to_seeded_ns_ci95[0]), FORMAT(ns,
		    cell->time_to_seeded_ns_ci95[1]), fmin(cell->readers,
		    cell->blocked_readers), cell->readers);
	if (cell->blocked_readers > 0)
		PRINT_LATENCY("blocked", cell, latency_ns);
	if (cell->readers == 0 || cell->time_to_seeded_ns > 0)
		return;
	print_rates(out, cell, mark);
	if (cell->acquisition_ns > 0)
		LINE("acquisitions", "%s ns between those of the whole system, "
		    "%s ns between those of a thread; nodes' min/max %.3f",
		    FORMAT(real, cell->acquisition_ns),
		    FORMAT(real, cell->acquisition_thread_ns), f->node_min_max);
	print_readers(out, cell);
	PRINT_LATENCY(open ? "due to end" : "one read", cell, latency_ns);
	if (open)
		PRINT_LATENCY("begin to end", cell, latency_uncorrected_ns);
	print_indexes(out, "fairness", f->min_max, f->cov, f->jain, f->cna);
}

void
table_cell_print(FILE *out, const void *table_cell)
{
	const struct table_cell *tc = table_cell;
	const struct result_cell *cell = tc->tc_cell;
	const char *mark = comparable_few_passes(tc->tc_result) ? "?" : "";
	const struct result_fairness *f = &cell->fairness;
	const struct result_harvest *h = &cell->harvest;
	const double *ci95 = cell->harvest_cpu_percent_ci95;

	LINE("cell", "%s", TEXT_OF(describe_cell, cell));
	print_producers(out, cell);
	print_reading(out, cell, mark);
	if (f->hold_cna > 0)
		print_indexes(out, "  of holding", f->hold_min_max,
		    f->hold_cov, f->hold_jain, f->hold_cna);
	if (f->reacquire_p50 > 0)
		LINE(" ", "lock again after p50 %s, p99 %s acquisitions by any "
		    "thread", FORMAT(count, f->reacquire_p50),
		    FORMAT(count, f->reacquire_p99));
	LINE("harvest", "CPU %s%s %%%s; waiting for locks: %s%s %% awake, "
	    "%s%s %% asleep", PERCENT(h->cpu_percent), mark, ci95[1] <= 0 ?
	    "" : FORMATF(", 95 %% interval %s%s to %s%s %%", PERCENT(ci95[0]),
	    mark, PERCENT(ci95[1]), mark), PERCENT(h->spin_percent), mark,
	    PERCENT(h->block_percent), mark);
	LINE(" ", "%s%s events/s, %s%s dropped, p99 of one %s%s", FORMAT(real,
	    h->events_per_s), mark, FORMAT(real, h->dropped), mark, FORMAT(ns,
	    COMPARABLE_QUANTILE(cell, harvest.latency_p99_ns)), mark);
	LINE(" ", "holds %s %% of the time that the lock is held",
	    PERCENT(100 * fmin(f->hold_share_harvest, 1e6)));
	print_health(out, cell);
	if (cell->gate[0] != '\0')
		format_wrap(out, "! gate", CELL_LABEL, cell->gate);
	if (cell->notes[0] != '\0')
		format_wrap(out, "notes", CELL_LABEL, cell->notes);
	fputc('\n', out);
	print_profile(out, cell);
	if (cell->lock_profile_rows > 0)
		print_legend(out);
	fputc('\n', out);
}
