#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_randist.h>

#include "bench/report/usl_curve.h"
#include "bench/result/group.h"
#include "bench/statistics/stats.h"
#include "lib/kassert.h"

/* In a resample nobody read: so small a part of the total stands for it. */
static const double usl_floor = 1e-3;

/* A law that is off by more is not this curve's. */
static const double usl_poor = USL_POOR_PERCENT / 100.0;

/* What a resample is drawn from, and what the resamples gave. */
enum { USL_GAMMA, USL_SIGMA, USL_KAPPA, USL_PEAK, USL_KNEE, USL_FIGURES };

struct work {
	const struct result_cell **wk_cells;	/* those used */
	struct usl_point *wk_points;
	unsigned	 wk_count;
	double		**wk_totals;	/* each cell's repeats, sorted */
	unsigned	*wk_repeats;
	double		*wk_values;	/* what wk_totals points into */
	double		*wk_scratch;
};

unsigned
usl_curve_reach(const struct usl_curve *uc)
{

	return (USL_REACH * uc->uc_most);
}

static bool
differs(const struct curve *cu, const struct usl_curve *uc, unsigned i)
{
	unsigned k;

	for (k = i; k-- > 0;)
		if (uc->uc_use[k] == USL_USED)
			return (cu->cu_cells[k]->readers !=
			    cu->cu_cells[i]->readers);
	return (true);
}

static void
count_used(const struct curve *cu, struct usl_curve *uc)
{
	bool fits = false, over = false;
	unsigned i;

	uc->uc_points = uc->uc_readers = uc->uc_least = uc->uc_most = 0;
	for (i = 0; i < cu->cu_count; i++) {
		const struct result_cell *c = cu->cu_cells[i];

		if (uc->uc_use[i] != USL_USED)
			continue;
		uc->uc_readers += differs(cu, uc, i);
		uc->uc_least = uc->uc_points++ == 0 ? c->readers :
		    uc->uc_least;
		uc->uc_most = c->readers;
		over |= c->oversubscribed;
		fits |= !c->oversubscribed;
	}
	uc->uc_regimes = over && fits;
}

/* Sorts the cells out; oversubscribed ones go if enough others are left. */
static void
choose(const struct curve *cu, struct usl_curve *uc)
{
	unsigned i, pass;

	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < cu->cu_count; i++) {
			const struct result_cell *c = cu->cu_cells[i];

			uc->uc_use[i] = group_gated(c) ? USL_GATED :
			    !(c->total_mb_per_s >= USL_MB_PER_S_MIN &&
			    c->total_mb_per_s <= USL_MB_PER_S_MAX) ?
			    USL_NOTHING : c->oversubscribed && pass == 0 ?
			    USL_OVERSUBSCRIBED : USL_USED;
		}
		count_used(cu, uc);
		if (uc->uc_readers >= USL_FITTING)
			return;
	}
}

static void
free_work(struct work *wk)
{

	free(wk->wk_cells);
	free(wk->wk_points);
	free(wk->wk_totals);
	free(wk->wk_repeats);
	free(wk->wk_values);
	free(wk->wk_scratch);
}

static int
compare_reals(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return ((*a > *b) - (*a < *b));
}

/* The totals of the cells' repeats, sorted: all, as in the cells' medians. */
static int
collect(const struct curve *cu, const struct usl_curve *uc, struct work *wk)
{
	size_t n = uc->uc_points, values = 1;
	double *next;
	unsigned i, k;

	for (i = 0; i < cu->cu_count; i++)
		values += cu->cu_cells[i]->repeats;
	wk->wk_cells = calloc(n + 1, sizeof(*wk->wk_cells));
	wk->wk_points = calloc(n + 1, sizeof(*wk->wk_points));
	wk->wk_totals = calloc(n + 1, sizeof(*wk->wk_totals));
	wk->wk_repeats = calloc(n + 1, sizeof(*wk->wk_repeats));
	wk->wk_values = calloc(values, sizeof(*wk->wk_values));
	wk->wk_scratch = calloc((n + 1) * USL_COLUMNS,
	    sizeof(*wk->wk_scratch));
	if (wk->wk_cells == NULL || wk->wk_points == NULL ||
	    wk->wk_totals == NULL || wk->wk_repeats == NULL ||
	    wk->wk_values == NULL || wk->wk_scratch == NULL)
		return (ENOMEM);
	next = wk->wk_values;
	for (i = 0; i < cu->cu_count; i++) {
		const struct result_cell *c = cu->cu_cells[i];
		unsigned at = wk->wk_count;

		if (uc->uc_use[i] != USL_USED)
			continue;
		wk->wk_cells[at] = c;
		wk->wk_totals[at] = next;
		for (k = 0; k < c->repeats; k++)
			*next++ = c->samples[k].total_mb_per_s;
		wk->wk_repeats[at] = c->repeats;
		qsort(wk->wk_totals[at], wk->wk_repeats[at], sizeof(double),
		    compare_reals);
		wk->wk_points[at].up_readers = c->readers;
		wk->wk_points[at].up_mb_per_s = c->total_mb_per_s;
		wk->wk_points[at].up_weight = 1;
		wk->wk_count++;
	}
	return (0);
}

/* Of the cell's total in the mean over repeats, relative; < 0: not known. */
static double
variance(const struct work *wk, unsigned at)
{
	unsigned n = wk->wk_repeats[at];
	double cov;

	if (n < 2)
		return (-1);
	cov = stats_cov(wk->wk_totals[at], n);
	return (isfinite(cov) ? cov * cov / (n - 1) : -1);
}

/*
 * A cell's weight shrinks with its repeats' spread, beside the mean of all
 * cells' spreads: what few repeats know of their spread must not make one cell
 * count for nothing, or for everything.
 */
static void
weigh(struct work *wk)
{
	double mean = 0, v;
	unsigned i, known = 0;

	for (i = 0; i < wk->wk_count; i++) {
		v = variance(wk, i);
		if (v >= 0) {
			mean += v;
			known++;
		}
	}
	if (known == 0 || mean <= 0)
		return;
	mean /= known;
	for (i = 0; i < wk->wk_count; i++) {
		v = variance(wk, i);
		wk->wk_points[i].up_weight = mean / (mean + (v < 0 ? mean : v));
	}
}

/*
 * The median of n values drawn from n sorted ones, with replacement, without
 * drawing them all: a value drawn is the one at a uniform place, and of n
 * uniform numbers the k-th smallest has a beta distribution.
 */
static double
resampled_median(gsl_rng *rng, const double *sorted, unsigned n)
{
	unsigned k = (n + 1) / 2;
	double place;
	unsigned first, second;

	if (n == 1)
		return (sorted[0]);
	place = gsl_ran_beta(rng, k, n - k + 1.0);
	first = (unsigned)fmin(place * n, n - 1.0);
	if (n % 2 != 0)
		return (sorted[first]);
	/* The next one: the least of those above, uniform up to 1. */
	place = 1 - (1 - place) * pow(gsl_rng_uniform_pos(rng), 1.0 / (n - k));
	second = (unsigned)fmin(place * n, n - 1.0);
	return (sorted[first] / 2 + sorted[second] / 2);
}

static void
draw(struct work *wk, gsl_rng *rng)
{
	double floor;
	unsigned i;

	for (i = 0; i < wk->wk_count; i++) {
		floor = fmax(USL_MB_PER_S_MIN,
		    usl_floor * wk->wk_cells[i]->total_mb_per_s);
		wk->wk_points[i].up_mb_per_s = fmin(USL_MB_PER_S_MAX,
		    fmax(floor, resampled_median(rng, wk->wk_totals[i],
		    wk->wk_repeats[i])));
	}
}

static void
set_interval(double *values, unsigned n, struct usl_interval *ui)
{

	ui->ui_low = stats_quantile(values, n, 0.025);
	ui->ui_high = stats_quantile(values, n, 0.975);
}

static void
resample(struct usl_curve *uc, struct work *wk, gsl_rng *rng,
    unsigned resamples, double *figures)
{
	const unsigned reach = usl_curve_reach(uc);
	struct usl_law law;
	unsigned done = 0, i, knee;
	double *at[USL_FIGURES];

	for (i = 0; i < USL_FIGURES; i++)
		at[i] = figures + (size_t)i * resamples;
	for (i = 0; i < resamples; i++) {
		draw(wk, rng);
		if (usl_fit(wk->wk_points, wk->wk_count, wk->wk_scratch,
		    &law) != 0)
			continue;
		knee = usl_knee(&law, reach);
		at[USL_GAMMA][done] = law.ul_gamma;
		at[USL_SIGMA][done] = law.ul_sigma;
		at[USL_KAPPA][done] = law.ul_kappa;
		at[USL_PEAK][done] = fmin(2.0 * reach, usl_peak(&law));
		at[USL_KNEE][done++] = knee == 0 ? 2.0 * reach : knee;
	}
	uc->uc_sure = done > 0;
	if (done == 0)
		return;
	set_interval(at[USL_GAMMA], done, &uc->uc_gamma);
	set_interval(at[USL_SIGMA], done, &uc->uc_sigma);
	set_interval(at[USL_KAPPA], done, &uc->uc_kappa);
	set_interval(at[USL_PEAK], done, &uc->uc_peak95);
	set_interval(at[USL_KNEE], done, &uc->uc_knee95);
}

static int
find_intervals(struct usl_curve *uc, struct work *wk, uint64_t seed,
    unsigned resamples)
{
	double *figures;
	gsl_rng *rng;
	unsigned i;

	for (i = 0; i < wk->wk_count; i++)
		if (group_few_repeats(wk->wk_cells[i]))
			return (0);
	figures = calloc((size_t)USL_FIGURES * resamples, sizeof(*figures));
	rng = stats_rng(seed);
	if (figures == NULL || rng == NULL) {
		free(figures);
		if (rng != NULL)
			gsl_rng_free(rng);
		return (ENOMEM);
	}
	resample(uc, wk, rng, resamples, figures);
	free(figures);
	gsl_rng_free(rng);
	return (0);
}

static int
fit(const struct curve *cu, uint64_t seed, unsigned resamples,
    struct usl_curve *uc)
{
	struct work wk = { .wk_count = 0 };
	unsigned i;
	int error;

	error = collect(cu, uc, &wk);
	if (error == 0) {
		weigh(&wk);
		uc->uc_fitted = usl_fit(wk.wk_points, wk.wk_count,
		    wk.wk_scratch, &uc->uc_law) == 0;
	}
	if (uc->uc_fitted) {
		for (i = 0; i < wk.wk_count; i++)
			uc->uc_off = fmax(uc->uc_off, fabs(usl_at(&uc->uc_law,
			    wk.wk_points[i].up_readers) /
			    wk.wk_points[i].up_mb_per_s - 1));
		uc->uc_holds = uc->uc_off <= usl_poor;
		uc->uc_peak = usl_peak(&uc->uc_law);
		uc->uc_knee = usl_knee(&uc->uc_law, usl_curve_reach(uc));
		if (resamples > 0)
			error = find_intervals(uc, &wk, seed, resamples);
	}
	free_work(&wk);
	return (error);
}

int
usl_curve_fit(const struct curve *cu, uint64_t seed, unsigned resamples,
    struct usl_curve *uc)
{
	struct usl_curve found = { .uc_use = NULL };
	int error = 0;

	KASSERT(cu->cu_count > 0, ("a curve without cells"));
	found.uc_use = calloc(cu->cu_count, sizeof(*found.uc_use));
	if (found.uc_use == NULL)
		return (ENOMEM);
	choose(cu, &found);
	if (found.uc_readers >= USL_LEAST)
		error = fit(cu, seed, resamples, &found);
	if (error != 0)
		usl_curve_free(&found);
	else
		*uc = found;
	return (error);
}

void
usl_curve_free(struct usl_curve *uc)
{

	free(uc->uc_use);
}

bool
usl_curve_falls(const struct curve *cu, const struct usl_curve *uc,
    const struct result_cell **from, const struct result_cell **to)
{
	const struct result_cell *top = NULL;
	unsigned i;

	for (i = 0; i < cu->cu_count; i++)
		if (uc->uc_use[i] == USL_USED && (top == NULL ||
		    cu->cu_cells[i]->total_mb_per_s > top->total_mb_per_s))
			top = cu->cu_cells[i];
	for (i = 0; i < cu->cu_count; i++) {
		const struct result_cell *c = cu->cu_cells[i];

		if (uc->uc_use[i] != USL_USED || top == NULL ||
		    c->readers <= top->readers || group_unranked(top, c))
			continue;
		*from = top;
		*to = c;
		return (true);
	}
	return (false);
}
