#include <math.h>
#include <string.h>

#include "bench/console/figure.h"
#include "bench/report/table.h"
#include "bench/report/view.h"
#include "bench/result/group.h"
#include "lib/kassert.h"

enum {
	TABLE_LABEL	= 15,
	TABLE_FAIRNESS	= 128,	/* of a line's text */
	TABLE_READERS	= 1024	/* printed one by one; the file has all */
};

static const char *
percent_of(char buf[FIGURE_SIZE], double part, double whole)
{

	return (figure_percent(buf, whole > 0 ? fmin(part / whole, 1e6) * 100 :
	    0));
}

static void
print_total(FILE *out, const struct result_cell *cell)
{
	char total[FIGURE_SIZE], low[FIGURE_SIZE], high[FIGURE_SIZE];
	char text[RESULT_TEXT_SIZE];
	int n;

	figure_real(total, cell->total_mb_per_s);
	figure_real(low, cell->total_mb_per_s_ci95[0]);
	figure_real(high, cell->total_mb_per_s_ci95[1]);
	n = snprintf(text, sizeof(text), "%s MB/s, 95 %% interval %s to %s, ",
	    total, low, high);
	if (n < 0 || (size_t)n >= sizeof(text))
		return;
	if (group_few_repeats(cell))
		snprintf(text + n, sizeof(text) - (size_t)n,
		    "of window parts");
	else
		snprintf(text + n, sizeof(text) - (size_t)n, "%u repeats",
		    cell->repeats);
	figure_wrap(out, "total", TABLE_LABEL, text);
}

/* What drawn profiles gave. */
static void
print_band(FILE *out, const struct result_cell *cell)
{
	const struct result_band *rb = &cell->uncertainty;
	char cpu[2][FIGURE_SIZE], total[2][FIGURE_SIZE];

	if (rb->samples == 0)
		return;
	fprintf(out, "%-*s[%s..%s] MB/s in total, harvest CPU [%s..%s] %%\n",
	    TABLE_LABEL, "10-90 %", figure_real(total[0],
	    rb->total_mb_per_s[0]), figure_real(total[1],
	    rb->total_mb_per_s[1]), figure_percent(cpu[0],
	    rb->harvest_cpu_percent[0]), figure_percent(cpu[1],
	    rb->harvest_cpu_percent[1]));
}

static void
print_readers(FILE *out, const struct result_cell *cell)
{
	char buf[FIGURE_SIZE];
	unsigned column = TABLE_LABEL, i;

	fprintf(out, "%-*s", TABLE_LABEL, "each reader");
	for (i = 0; i < cell->readers && i < TABLE_READERS; i++) {
		/* Room for " MB/s" behind the last. */
		if (column + FIGURE_WIDTH + 1 + 5 > FIGURE_COLUMNS) {
			fprintf(out, "\n%*s", TABLE_LABEL, "");
			column = TABLE_LABEL;
		}
		column += (unsigned)fprintf(out, "%-*s", FIGURE_WIDTH + 1,
		    figure_real(buf, cell->reader_mb_per_s[i]));
	}
	fprintf(out, "%s\n", i < cell->readers ? "..." : "MB/s");
}

static void
print_latency(FILE *out, const char *label, const struct result_latency *l)
{
	char p50[FIGURE_SIZE], p90[FIGURE_SIZE], p99[FIGURE_SIZE];
	char p999[FIGURE_SIZE], max[FIGURE_SIZE];

	fprintf(out, "%-*sp50 %s, p90 %s, p99 %s, p99.9 %s, max %s\n",
	    TABLE_LABEL, label, figure_ns(p50, l->p50),
	    figure_ns(p90, l->p90), figure_ns(p99, l->p99),
	    figure_ns(p999, l->p999), figure_ns(max, l->max));
}

static void
print_harvest(FILE *out, const struct result_harvest *h, double hold_share)
{
	char cpu[FIGURE_SIZE], spin[FIGURE_SIZE], block[FIGURE_SIZE];
	char events[FIGURE_SIZE], dropped[FIGURE_SIZE], p99[FIGURE_SIZE];

	fprintf(out, "%-*sCPU %s %%; waiting for locks: %s %% awake, %s %% "
	    "asleep\n", TABLE_LABEL, "harvest",
	    figure_percent(cpu, h->cpu_percent),
	    figure_percent(spin, h->spin_percent),
	    figure_percent(block, h->block_percent));
	fprintf(out, "%*s%s events/s, %s dropped, p99 of one %s\n",
	    TABLE_LABEL, "", figure_real(events, h->events_per_s),
	    figure_real(dropped, h->dropped),
	    figure_ns(p99, h->latency_p99_ns));
	fprintf(out, "%*sholds %s %% of the time that the lock is held\n",
	    TABLE_LABEL, "", percent_of(cpu, hold_share, 1));
}

static void
print_health(FILE *out, const struct result_cell *cell)
{
	char discarded[FIGURE_SIZE], failed[2][FIGURE_SIZE];
	char passed[FIGURE_SIZE], text[RESULT_TEXT_SIZE];
	const struct result_health *rh;
	unsigned i;
	int n;

	for (i = 0; i < cell->health_rows; i++) {
		rh = &cell->health[i];
		n = snprintf(text, sizeof(text), "%.31s: %s discarded, %s "
		    "starts passed", rh->source,
		    figure_count(discarded, rh->discarded),
		    figure_count(passed, rh->passed));
		if (rh->repetitions + rh->proportions > 0)
			snprintf(text + n, sizeof(text) - (size_t)n, ", failed "
			    "by repetition %s, by proportion %s",
			    figure_count(failed[0], rh->repetitions),
			    figure_count(failed[1], rh->proportions));
		figure_wrap(out, i == 0 ? "health tests" : " ", TABLE_LABEL,
		    text);
	}
}

/* cna is half at least: 0 is a document that does not say. */
static void
print_indexes(FILE *out, const char *label, double min_max, double cov,
    double jain, double cna)
{
	char buf[2][FIGURE_SIZE], text[TABLE_FAIRNESS];
	int n;

	n = snprintf(text, sizeof(text), "min/max %.3f, cov %s, Jain's index "
	    "%.3f", fmin(min_max, 1), figure_real(buf[0], cov), fmin(jain, 1));
	if (cna > 0)
		snprintf(text + n, sizeof(text) - (size_t)n,
		    ", busier half %s %%",
		    figure_percent(buf[1], 100 * fmin(cna, 1)));
	figure_wrap(out, label, TABLE_LABEL, text);
}

static void
print_fairness(FILE *out, const struct result_fairness *f)
{
	char p50[FIGURE_SIZE], p99[FIGURE_SIZE];

	print_indexes(out, "fairness", f->min_max, f->cov, f->jain, f->cna);
	if (f->hold_cna > 0)
		print_indexes(out, "  of holding", f->hold_min_max,
		    f->hold_cov, f->hold_jain, f->hold_cna);
	if (f->reacquire_p50 > 0)
		fprintf(out, "%*slock again after p50 %s, p99 %s "
		    "acquisitions by anybody\n", TABLE_LABEL, "",
		    figure_count(p50, f->reacquire_p50),
		    figure_count(p99, f->reacquire_p99));
}

static void
print_row(FILE *out, const struct result_row *row, bool detailed)
{
	char count[FIGURE_SIZE], contended[FIGURE_SIZE], hold[FIGURE_SIZE];
	char hold_max[FIGURE_SIZE], wait[FIGURE_SIZE], wait_max[FIGURE_SIZE];
	char cnt_hold[FIGURE_SIZE];

	fprintf(out, "  %-13.13s %-8.8s %7s %6s %7s %7s %7s %7s %8s\n",
	    row->site, row->role, figure_count(count, row->count),
	    percent_of(contended, row->contended, row->count),
	    figure_ns(hold, view_mean(row->hold_total_ns, row->count)),
	    figure_ns(hold_max, row->hold_max_ns),
	    figure_ns(wait, view_mean(row->wait_total_ns, row->count)),
	    figure_ns(wait_max, row->wait_max_ns),
	    detailed ? figure_count(cnt_hold, row->cnt_hold) : "-");
}

static void
print_locks(FILE *out, const struct result_cell *cell)
{
	const struct result_row *row;
	unsigned i;

	if (cell->lock_profile_rows == 0)
		return;
	fprintf(out, "\n  %-13s %-8s %7s %6s %7s %7s %7s %7s %8s\n", "site",
	    "role", "count", "cont%", "hold", "max", "wait", "max", "cnt_hold");
	for (i = 0; i < cell->lock_profile_rows; i++) {
		row = &cell->lock_profile[i];
		if (i == 0 || strcmp(row->lock, row[-1].lock) != 0)
			fprintf(out, "%.31s\n", row->lock);
		print_row(out, row, view_detailed(cell));
	}
	figure_wrap(out, "", 2, "All repeats together; hold and wait are the "
	    "means of one acquisition, cont% the share that had to wait, "
	    "cnt_hold the waits that began during a hold.");
}

void
table_cell_print(FILE *out, const struct result_cell *cell)
{
	char bytes[32], lock[GROUP_LOCK_SIZE], workload[GROUP_WORKLOAD_SIZE];
	bool plain = cell->workload[0] == '\0' && !group_open_loop(cell);

	KASSERT(cell->readers > 0, ("a cell without readers"));
	fprintf(out, "%-*s%.24s, lock %.36s, %s\n", TABLE_LABEL, "design",
	    cell->design, group_lock(cell, lock), group_claim(cell));
	fprintf(out, "%-*s%s, %.24s\n", TABLE_LABEL, "cipher", cell->cipher,
	    group_crypto(cell));
	fprintf(out, "%-*s%u%s%s%s\n", TABLE_LABEL, "readers", cell->readers,
	    plain ? ", requests of " : "",
	    plain ? figure_bytes(bytes, cell->request_bytes) : "",
	    cell->oversubscribed ? ", more threads than CPUs" : "");
	if (!plain)
		figure_wrap(out, "load", TABLE_LABEL,
		    group_workload(cell, workload));
	print_total(out, cell);
	print_band(out, cell);
	print_readers(out, cell);
	if (group_open_loop(cell)) {
		print_latency(out, "due to end", &cell->latency_ns);
		print_latency(out, "begin to end",
		    &cell->latency_uncorrected_ns);
	} else {
		print_latency(out, "one read", &cell->latency_ns);
	}
	print_fairness(out, &cell->fairness);
	print_harvest(out, &cell->harvest, cell->fairness.hold_share_harvest);
	print_health(out, cell);
	if (group_gated(cell))
		figure_wrap(out, "! gate", TABLE_LABEL, cell->gate);
	if (cell->notes[0] != '\0')
		figure_wrap(out, "notes", TABLE_LABEL, cell->notes);
	print_locks(out, cell);
	fputc('\n', out);
}
