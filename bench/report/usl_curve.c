#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

#include "bench/cli/memory.h"
#include "bench/report/comparable.h"
#include "bench/report/usl_curve.h"

/* A resample without any read counts as this part of the total. */
static const double usl_floor = 1e-3;

/* A law that is off by more is not this curve's. */
static const double usl_poor = USL_POOR_PERCENT / 100.0;

/* The cells used: their points, and medians of resampled repeats. */
struct work {
	unsigned	 wk_count;
	const struct result_cell **wk_cells;
	struct usl_point *wk_points;
	double		*wk_medians;	/* HYPOTHESIS_RESAMPLES of each */
};

enum usl_use
usl_curve_use(const struct usl_curve *uc, const struct result_cell *c)
{
	if (comparable_gated(c))
		return (USL_GATED);
	if (!(c->total_mb_per_s >= USL_MB_PER_S_MIN &&
	    c->total_mb_per_s <= USL_MB_PER_S_MAX))
		return (USL_NOTHING);
	return (c->oversubscribed && !uc->uc_over ? USL_OVERSUBSCRIBED :
	    USL_USED);
}

/* Counts the cells to use, with oversubscribed ones or without. */
static void
choose(const struct curve *cu, bool over, struct usl_curve *uc)
{
	const struct result_cell *c;

	*uc = (struct usl_curve){ .uc_over = over };
	/* In the order of readers. */
	for (unsigned i = 0; i < cu->cu_count; i++) {
		c = cu->cu_cells[i];
		if (usl_curve_use(uc, c) != USL_USED)
			continue;
		uc->uc_readers += uc->uc_points == 0 ||
		    c->readers != uc->uc_most;
		if (uc->uc_points++ == 0)
			uc->uc_least = c->readers;
		uc->uc_most = c->readers;
	}
	uc->uc_reach = USL_REACH * uc->uc_most;
}

/* Draws from each cell's repeats, independently. */
static void
draw(struct work *wk, uint64_t seed)
{
	struct resample rs;
	double *totals;

	wk->wk_medians = xcalloc((size_t)wk->wk_count * HYPOTHESIS_RESAMPLES,
	    sizeof(*wk->wk_medians));
	for (unsigned i = 0; i < wk->wk_count; i++) {
		const struct result_cell *c = wk->wk_cells[i];

		totals = comparable_values(c, offsetof(struct result_sample,
		    total_mb_per_s));
		resample_init(&rs, c->repeats, seed + i);
		gsl_sort(totals, 1, c->repeats);
		resample_medians(&rs, totals, wk->wk_medians + (size_t)i *
		    HYPOTHESIS_RESAMPLES);
		resample_fini(&rs);
		free(totals);
	}
}

static void
find_intervals(struct usl_curve *uc, struct work *wk, uint64_t seed)
{
	unsigned done = 0;
	double *figures[USL_FIGURES];
	struct usl_law law;

	for (unsigned i = 0; i < wk->wk_count; i++)
		if (comparable_few_repeats(wk->wk_cells[i]))
			return;
	draw(wk, seed);
	figures[0] = xcalloc((size_t)USL_FIGURES * HYPOTHESIS_RESAMPLES,
	    sizeof(double));
	for (unsigned i = 1; i < USL_FIGURES; i++)
		figures[i] = figures[i - 1] + HYPOTHESIS_RESAMPLES;
	for (unsigned i = 0; i < HYPOTHESIS_RESAMPLES; i++) {
		for (unsigned k = 0; k < wk->wk_count; k++)
			wk->wk_points[k].up_mb_per_s = fmin(USL_MB_PER_S_MAX,
			    fmax(fmax(USL_MB_PER_S_MIN, usl_floor *
			    wk->wk_cells[k]->total_mb_per_s),
			    wk->wk_medians[k * HYPOTHESIS_RESAMPLES + i]));
		if (usl_fit(wk->wk_points, wk->wk_count, &law) != 0)
			continue;
		figures[USL_GAMMA][done] = law.ul_gamma;
		figures[USL_SIGMA][done] = law.ul_sigma;
		figures[USL_KAPPA][done++] = law.ul_kappa;
	}
	uc->uc_sure = done > 0;
	for (unsigned i = 0; i < USL_FIGURES && uc->uc_sure; i++) {
		uc->uc_ci95[i][0] = stats_quantile(figures[i], done, 0.025);
		uc->uc_ci95[i][1] = stats_quantile(figures[i], done, 0.975);
	}
	free(figures[0]);
}

static void
fit(const struct curve *cu, uint64_t seed, bool intervals,
    struct usl_curve *uc, struct work *wk)
{
	double off;

	for (unsigned i = 0; i < cu->cu_count; i++) {
		if (usl_curve_use(uc, cu->cu_cells[i]) != USL_USED)
			continue;
		wk->wk_cells[wk->wk_count] = cu->cu_cells[i];
		wk->wk_points[wk->wk_count++] = (struct usl_point){
		    .up_readers = cu->cu_cells[i]->readers,
		    .up_mb_per_s = cu->cu_cells[i]->total_mb_per_s };
	}
	if (usl_fit(wk->wk_points, wk->wk_count, &uc->uc_law) != 0)
		return;
	uc->uc_fitted = true;
	for (unsigned i = 0; i < wk->wk_count; i++) {
		off = usl_at(&uc->uc_law, wk->wk_points[i].up_readers) /
		    wk->wk_points[i].up_mb_per_s - 1;
		uc->uc_off = fmax(uc->uc_off, fabs(off));
	}
	uc->uc_holds = uc->uc_off <= usl_poor;
	uc->uc_peak = usl_peak(&uc->uc_law);
	uc->uc_knee = usl_knee(&uc->uc_law, uc->uc_reach);
	if (intervals)
		find_intervals(uc, wk, seed);
}

void
usl_curve_fit(const struct curve *cu, uint64_t seed, bool intervals,
    struct usl_curve *uc)
{
	struct work wk = { .wk_count = 0 };

	/* Oversubscribed cells are used only where others are too few. */
	choose(cu, false, uc);
	if (uc->uc_readers < USL_FITTING)
		choose(cu, true, uc);
	if (uc->uc_readers < USL_LEAST)
		return;
	wk.wk_cells = xcalloc(cu->cu_count, sizeof(*wk.wk_cells));
	wk.wk_points = xcalloc(cu->cu_count, sizeof(*wk.wk_points));
	fit(cu, seed, intervals, uc, &wk);
	free(wk.wk_cells);
	free(wk.wk_points);
	free(wk.wk_medians);
}

bool
usl_curve_falls(const struct curve *cu, const struct usl_curve *uc,
    const struct result_cell **from, const struct result_cell **to)
{
	const struct result_cell *c, *top = NULL;

	for (unsigned i = 0; i < cu->cu_count; i++) {
		c = cu->cu_cells[i];
		if (usl_curve_use(uc, c) == USL_USED && (top == NULL ||
		    c->total_mb_per_s > top->total_mb_per_s))
			top = c;
	}
	for (unsigned i = 0; i < cu->cu_count && top != NULL; i++) {
		c = cu->cu_cells[i];
		if (usl_curve_use(uc, c) != USL_USED ||
		    c->readers <= top->readers || comparable_unranked(top, c))
			continue;
		*from = top;
		*to = c;
		return (true);
	}
	return (false);
}
