#include <gsl/gsl_fit.h>
#include <gsl/gsl_statistics_double.h>

#include "bench/result/comparable.h"
#include "bench/result/describe.h"
#include "lib/lock/lock.h"

/* Quantiles are bucket ends: neighbours differ by one part in HIST_SUB. */
#define	BUCKET	(1.0 / HIST_SUB)

#define	AT(member)	offsetof(struct result_sample, member)
#define	DRAWN(member)	offsetof(struct result_band, member##_samples)
#define	LATENCY(name, title, member, drawn)				\
	{ name, title, QUANTITY_NS, false, false, 10, BUCKET, AT(member), \
	    DRAWN(drawn) }

const struct quantity quantities[QUANTITIES + 1] = {
	[QUANTITY_TOTAL] = { "total_mb_per_s", "total MB/s", QUANTITY_MB_PER_S,
	    true, false, 1e-3, 0, AT(total_mb_per_s), DRAWN(total) },
	{ "reader_mb_per_s_min", "slowest reader's MB/s", QUANTITY_MB_PER_S,
	    true, true, 1e-3, 0, AT(reader_mb_per_s), DRAWN(reader_min) },
	[QUANTITY_P50] = LATENCY("latency_p50_ns", "read p50", latency_ns.p50,
	    latency_p50),
	LATENCY("latency_p99_ns", "read p99", latency_ns.p99, latency_p99),
	[QUANTITY_HARVEST_CPU] = { "harvest_cpu_percent", "harvest CPU",
	    QUANTITY_PERCENT, false, false, 0.1, 0, AT(harvest.cpu_percent),
	    DRAWN(harvest_cpu) },
	[QUANTITY_HARVEST_P99] = LATENCY("harvest_latency_p99_ns",
	    "harvest p99", harvest.latency_p99_ns, harvest_p99),
	{ "fairness_min_max", "fairness min/max", QUANTITY_SHARE, true, true,
	    1e-3, 0, AT(fairness.min_max), DRAWN(fairness_min_max) },
	{ "fairness_jain", "fairness Jain", QUANTITY_SHARE, true, true, 1e-3,
	    0, AT(fairness.jain), DRAWN(fairness_jain) },
	[QUANTITY_PRODUCED] = { "production_events_per_s",
	    "producers' events/s", QUANTITY_SHARE, true, false, 1, 0,
	    AT(production.events_per_s), DRAWN(events) },
	LATENCY("call_p50_ns", "producers' call p50", call_ns.p50, call_p50),
	LATENCY("call_p99_ns", "producers' call p99", call_ns.p99, call_p99),
	[QUANTITY_SEEDED] = { "time_to_seeded_ns", "time to seeded",
	    QUANTITY_NS, false, false, 10, 0, AT(time_to_seeded_ns),
	    DRAWN(time_to_seeded) },
	[QUANTITY_EVENTS] = { "harvest_events_per_s", "harvest events",
	    QUANTITY_SHARE, true, false, 1, 0, AT(harvest.events_per_s), 0 }
};

bool
quantity_of(const struct quantity *qu, const struct result_cell *c)
{
	const ptrdiff_t q = qu - quantities;

	if (q >= QUANTITY_PRODUCED && q < QUANTITY_SEEDED)
		return (c->producers > 0);
	if (q == QUANTITY_SEEDED || (c->time_to_seeded_ns > 0 &&
	    (q < QUANTITY_P50 || qu->qu_of_several)))
		return (q == QUANTITY_SEEDED && c->time_to_seeded_ns > 0);
	return (c->readers > 1 || !(qu->qu_of_several || (c->readers == 0 &&
	    q < QUANTITY_HARVEST_CPU)));
}

double
quantity_raw(const struct quantity *qu, const struct result_sample *s,
    unsigned readers)
{
	double v;

	if (qu->qu_offset != AT(reader_mb_per_s)) {
		memcpy(&v, (const char *)s + qu->qu_offset, sizeof(v));
		return (v);
	}
	return (readers == 0 ? 0 :
	    gsl_stats_min(s->reader_mb_per_s, 1, readers));
}

double
quantity_value(const struct quantity *qu, const struct result_cell *c,
    unsigned repeat)
{
	return (fmax(qu->qu_floor, quantity_raw(qu, &c->samples[repeat],
	    c->readers)));
}

const char *
quantity_figure(struct text *t, const struct quantity *qu, double v)
{
	const enum quantity_unit unit = qu->qu_unit;

	text_add(t, "%s%s%s", v <= qu->qu_floor ? "<" : "",
	    unit == QUANTITY_NS ? FORMAT(ns, v) : unit == QUANTITY_PERCENT ?
	    FORMAT(percent, v) : unit == QUANTITY_MB_PER_S ? FORMAT(real, v) :
	    FORMATF("%.4g", fmin(v, 1e9)),
	    unit == QUANTITY_PERCENT ? " %" : "");
	return (t->s);
}

double
comparable_lost(const struct result_cell *cell, const struct result_host *host)
{
	const struct lock_class *lc = lock_class_find(cell->lock);
	const double n = cell->readers, cpus = host->cpu_quota > 0 ?
	    host->cpu_quota : host->cpus;
	double lost = COMPARABLE_MEDIAN(cell, readers_delayed_percent) / 100;
	const double ran = COMPARABLE_MEDIAN(cell, readers_cpu_percent) / 100;

	if (lost <= 0 && ran > 0 && cell->workload[0] == '\0' &&
	    cell->rate_per_s <= 0 && (n < 2 || (lc != NULL &&
	    (lc->lc_flags & LC_SPIN) != 0)))
		lost = 1 - ran / n;
	if (n >= cpus)
		lost -= (n - cpus + cell->harvest.cpu_percent / 100) / n;
	return (provenance_predicted(cell) || cell->host[0] != '\0' ? 0 :
	    fmin(1, fmax(0, lost * n / fmin(n, fmax(cpus, 1)))));
}

bool
comparable_few_passes(const struct result *r)
{
	double rate_hz = 10;

	for (char *const *t = r->tunables; t != NULL && *t != NULL; t++)
		(void)sscanf(*t, "rngsim.harvest.rate_hz=%lf", &rate_hz);
	return (r->time_s > 0 && rate_hz > 0 && r->cells->acquisition_ns <= 0 &&
	    r->time_s * rate_hz < COMPARABLE_PASSES);
}

bool
comparable_few_repeats(const struct result_cell *cell)
{
	/* Not every document has what an interval is of. */
	if (cell->ci95_of[0] == '\0')
		return (cell->repeats < RESULT_CI95_REPEATS_MIN);
	return (cell->repeats == 1 ||
	    strcmp(cell->ci95_of, RESULT_CI95_PARTS) == 0);
}

const char *
comparable_spread(const struct result_cell *cell, char buf[FORMAT_SIZE])
{
	const double *ci95 = cell->total_mb_per_s_ci95;
	const double total = cell->total_mb_per_s;

	return (comparable_few_repeats(cell) ? "?" : !(total > 0) ? "-" :
	    format_percent(buf, fmin(1e6, 50 / total * (ci95[1] - ci95[0]))));
}

bool
comparable_indistinct(const struct result_cell *a, const struct result_cell *b)
{
	return (comparable_few_repeats(a) || comparable_few_repeats(b) ||
	    (a->total_mb_per_s_ci95[0] <= b->total_mb_per_s_ci95[1] &&
	    b->total_mb_per_s_ci95[0] <= a->total_mb_per_s_ci95[1]));
}

bool
comparable_unranked(const struct result_cell *a, const struct result_cell *b)
{
	const unsigned n = a->uncertainty.samples;
	struct stats_change sc = { .chg_share = 1 };

	/* Drawn profiles, if any, must agree with the totals' order. */
	if (n > 0 && n == b->uncertainty.samples) {
		stats_change(a->uncertainty.total_samples,
		    b->uncertainty.total_samples, n, &sc);
		if (sc.chg_median * (b->total_mb_per_s - a->total_mb_per_s) < 0)
			sc.chg_share = 0;
	}
	return (a->repeats < COMPARABLE_REPEATS ||
	    b->repeats < COMPARABLE_REPEATS || comparable_indistinct(a, b) ||
	    sc.chg_share < STATS_ROBUST);
}

double
comparable_median(const struct result_cell *cell, size_t offset)
{
	double median, *values;

	if (cell->repeats == 0)
		return (0);
	values = xcalloc(cell->repeats, sizeof(*values));
	for (unsigned i = 0; i < cell->repeats; i++)
		memcpy(&values[i], (const char *)&cell->samples[i] + offset,
		    sizeof(*values));
	median = stats_median(values, cell->repeats);
	free(values);
	return (median);
}

double
comparable_quantile(const struct result_cell *cell, size_t offset,
    double together)
{
	double median = comparable_median(cell, offset);

	return (median > 0 ? median : together);
}

/* The repeat of b measured side by side with i of a; b->repeats: none. */
static unsigned
partner(const struct result_cell *a, unsigned i, const struct result_cell *b)
{
	unsigned k;

	for (k = 0; k < b->repeats; k++)
		if (b->samples[k].slices > 0 && a->samples[i].slices > 0 &&
		    b->samples[k].together == a->samples[i].together)
			break;
	return (k);
}

/*
 * Up to "parts" medians of the logarithms of slices' ratios, over each part of
 * a repeat.  scratch has room for all slices.  Returns: how many.
 */
static unsigned
slices_logs(const struct result_sample *a, const struct result_sample *b,
    unsigned parts, double *scratch, double *logs)
{
	const unsigned blocks = MIN(a->slices, b->slices);
	unsigned count = 0, i = 0, n;

	for (unsigned part = 0; part < parts; part++) {
		for (n = 0; i < blocks * (part + 1) / parts; i++)
			if (a->slice_mb_per_s[i] > 0 &&
			    b->slice_mb_per_s[i] > 0)
				scratch[n++] = log(b->slice_mb_per_s[i] /
				    a->slice_mb_per_s[i]);
		if (n > 0)
			logs[count++] = stats_median(scratch, n);
	}
	return (count);
}

/*
 * Logarithms of ratios of repeats that go together; of totals up to "parts" of
 * each.  x, NULL or with parts 1, gets each pair's time.  Returns: how many.
 */
static unsigned
pair_logs(const struct result_cell *a, const struct result_cell *b,
    const struct quantity *qu, unsigned parts, double *scratch, double *logs,
    double *x)
{
	unsigned k, n = 0;

	for (unsigned i = 0; i < a->repeats; i++) {
		k = partner(a, i, b);
		if (k == b->repeats)
			continue;
		if (x != NULL)
			x[n] = a->samples[i].order;
		if (qu == &quantities[QUANTITY_TOTAL]) {
			n += slices_logs(&a->samples[i], &b->samples[k], parts,
			    scratch, logs + n);
			continue;
		}
		logs[n] = log(quantity_value(qu, b, k) /
		    quantity_value(qu, a, i));
		n += isfinite(logs[n]) != 0;
	}
	return (n);
}

static unsigned
most_slices(const struct result_cell *cell)
{
	unsigned most = 0;

	for (unsigned i = 0; i < cell->repeats; i++)
		most = MAX(cell->samples[i].slices, most);
	return (most);
}

void
comparable_paired(const struct result_cell *a, const struct result_cell *b,
    const struct quantity *qu, struct paired *pd)
{
	const unsigned most = most_slices(a);
	unsigned pairs = 0, parts;
	struct paired whole;
	double *scratch;

	*pd = (struct paired){ .prd_count = 0 };
	for (unsigned i = 0; i < a->repeats; i++)
		pairs += partner(a, i, b) < b->repeats;
	if (pairs == 0)
		return;
	parts = (BATCHES_LEAST + pairs - 1) / pairs;
	scratch = xcalloc(most + (size_t)parts * a->repeats, sizeof(*scratch));
	paired_estimate(scratch + most, pair_logs(a, b, qu, parts, scratch,
	    scratch + most, NULL), pd);
	paired_estimate(scratch + most, pair_logs(a, b, qu, 1, scratch,
	    scratch + most, NULL), &whole);
	if (whole.prd_error > pd->prd_error)
		*pd = whole;
	free(scratch);
}

/*
 * A drift refuses a cell, so that a false alarm costs a measurement and claims
 * nothing: each cell is asked alone, and one in fifty that did not drift may be
 * refused.  DRIFT_REPEATS_MIN repeats in their order have p = 0.017.  Of pairs
 * one in a thousand may be: their differences seldom drift.
 */
static const double drift_p = 0.02, drift_pair_p = 0.001, drift_share = 0.05;

/* The drift of y over x, as a share of unit. */
static void
fit(const double *x, const double *y, unsigned n, double unit, double least_p,
    struct drift *tr)
{
	double cov00, cov01, cov11, first, intercept, last, slope, sum;

	if (n < DRIFT_REPEATS_MIN)
		return;
	gsl_stats_minmax(&first, &last, x, 1, n);
	if (first >= last)
		return;
	tr->dft_p = hypothesis_trend(x, y, n);
	gsl_fit_linear(x, 1, y, 1, n, &intercept, &slope, &cov00, &cov01,
	    &cov11, &sum);
	slope *= last - first;
	if (unit > 0 && isfinite(slope / unit))
		tr->dft_change = slope / unit;
	tr->dft_drift = tr->dft_p < least_p &&
	    fabs(tr->dft_change) >= drift_share;
}

void
drift_of(const struct result_cell *a, const struct result_cell *b,
    struct drift *tr)
{
	const unsigned repeats = a->repeats;
	double *x = xcalloc(3 * (size_t)repeats + most_slices(a) + 1,
	    sizeof(*x)), *y = x + repeats, *rest = y + repeats;
	unsigned n;

	*tr = (struct drift){ .dft_p = 1 };
	if (b != NULL) {
		n = pair_logs(a, b, &quantities[QUANTITY_TOTAL], 1, rest, y, x);
		fit(x, y, n, 1, drift_pair_p, tr);
	} else if (a->profile[0] == '\0' && !comparable_sliced(a)) {
		for (unsigned i = 0; i < repeats; i++) {
			x[i] = a->samples[i].order;
			y[i] = rest[i] = a->samples[i].total_mb_per_s;
		}
		fit(x, y, repeats, stats_median(rest, repeats), drift_p, tr);
	}
	free(x);
}
