#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "bench/cli/memory.h"
#include "bench/compare/compare.h"
#include "bench/report/comparable.h"
#include "bench/result/check.h"

/* Below: parts of a run differ by chance or not enough to matter. */
static const double moved_p = 0.01;
static const double moved_share = 0.01;

/* Whether a cell can show how the machine moved: a gated one cannot. */
static bool
counts(const struct result_cell *c)
{
	return (!comparable_gated(c) && c->total_mb_per_s > 0);
}

static double
relative_total(const struct result_cell *c, unsigned repeat)
{
	return (c->samples[repeat].total_mb_per_s / c->total_mb_per_s);
}

/*
 * How the machine moved in the run: all cells' totals, each over its cell's
 * median, in the last quarter of the run over those in the first.
 */
static void
flag_drift(struct compare *co, unsigned side)
{
	const struct result *r = co->co_result[side];
	const struct result_cell *c;
	unsigned count = 0, last = 0, n[2] = { 0, 0 }, order;
	double change = 0, first, p = 1, *v[2];

	for (unsigned i = 0; i < r->cell_count; i++)
		for (unsigned k = 0; k < r->cells[i].repeats; k++, count++)
			last = r->cells[i].samples[k].order > last ?
			    r->cells[i].samples[k].order : last;
	v[0] = xcalloc((size_t)count * 2 + 1, sizeof(double));
	v[1] = v[0] + count;
	for (unsigned i = 0; i < r->cell_count; i++) {
		c = &r->cells[i];
		for (unsigned k = 0; k < c->repeats && counts(c); k++) {
			order = c->samples[k].order;
			if (order <= last / 4)
				v[0][n[0]++] = relative_total(c, k);
			else if (order >= last - last / 4)
				v[1][n[1]++] = relative_total(c, k);
		}
	}
	if (n[0] >= COMPARE_REPEATS_MIN && n[1] >= COMPARE_REPEATS_MIN) {
		p = hypothesis_welch(v[0], n[0], v[1], n[1]);
		first = stats_median(v[0], n[0]);
		if (first > 0)
			change = stats_median(v[1], n[1]) / first - 1;
	}
	free(v[0]);
	if (p >= moved_p || fabs(change) < moved_share)
		return;
	/* Within one run all cells were visited in turn. */
	if (co->co_by == COMPARE_RESULTS)
		co->co_noise = fmax(co->co_noise, fabs(change));
	compare_flag(co, "drift over the run%s: all cells' MB/s moved by "
	    "%+.1f %% from its first quarter to its last",
	    co->co_by != COMPARE_RESULTS ? "" : side == 0 ? " of A" : " of B",
	    100 * change);
}

static void
flag_control(struct compare *co, bool same_program,
    const struct result_cell *a, const struct result_cell *b)
{
	double change;

	if (result_cell_order(&a, &b) != 0 || !counts(a) || !counts(b) ||
	    comparable_indistinct(a, b))
		return;
	change = b->total_mb_per_s / a->total_mb_per_s - 1;
	if (fabs(change) < moved_share)
		return;
	if (same_program)
		co->co_noise = fmax(co->co_noise, fabs(change));
	compare_flag(co, "%s changed: control design %s, lock %s, %u readers "
	    "moved by %+.1f %% from A to B", same_program ? "the machine" :
	    "the machine or the program", a->design, a->lock, a->readers,
	    100 * change);
}

/*
 * How far all cells varied together from block to block, one repeat of each: a
 * disturbance that lasts longer than a repeat falls on several cells, and may
 * have fallen on one run only.  The F test of a two-way layout without
 * replication decides whether blocks differ by more than chance.
 *
 *   v       in   repeats' totals over their cells' medians, a row for each cell
 *   means   out  scratch of as many as blocks
 *
 * Returns: the standard deviation of what is common; 0 where nothing is.
 */
static double
common_sd(const double *v, unsigned cells, unsigned blocks, double *means)
{
	const double df = (cells - 1.0) * (blocks - 1.0);
	double between, cell, mean, off, rest = 0;

	for (unsigned k = 0; k < blocks; k++)
		means[k] = gsl_stats_mean(v + k, blocks, cells);
	mean = gsl_stats_mean(means, 1, blocks);
	between = cells * gsl_stats_variance(means, 1, blocks);
	for (unsigned i = 0; i < cells; i++) {
		cell = gsl_stats_mean(v + i * blocks, 1, blocks);
		for (unsigned k = 0; k < blocks; k++) {
			off = v[i * blocks + k] - cell - means[k] + mean;
			rest += off * off / df;
		}
	}
	if (!isfinite(between) || !isfinite(rest) || between <= rest ||
	    (rest > 0 && gsl_cdf_fdist_Q(between / rest, blocks - 1.0, df) >=
	    moved_p))
		return (0);
	return (sqrt((between - rest) / cells));
}

static void
flag_common(struct compare *co, unsigned side)
{
	const struct result *r = co->co_result[side];
	unsigned blocks = UINT_MAX, cells = 0, n = 0;
	double noise, *v;

	for (unsigned i = 0; i < r->cell_count; i++) {
		if (!counts(&r->cells[i]))
			continue;
		cells++;
		if (r->cells[i].repeats < blocks)
			blocks = r->cells[i].repeats;
	}
	if (cells < 2 || blocks < COMPARE_REPEATS_MIN)
		return;
	v = xcalloc(cells + 1, blocks * sizeof(*v));
	for (unsigned i = 0; i < r->cell_count; i++)
		for (unsigned k = 0; k < blocks && counts(&r->cells[i]); k++)
			v[n++] = relative_total(&r->cells[i], k);
	/* Two standard deviations, as 95 % of blocks lie within. */
	noise = 2 * common_sd(v, cells, blocks, v + n);
	free(v);
	if (noise < moved_share)
		return;
	co->co_noise = fmax(co->co_noise, noise);
	compare_flag(co, "the machine was not quiet during %c: all cells' MB/s "
	    "together varied by +-%.1f %% from block to block", "AB"[side],
	    100 * noise);
}

void
compare_noise(struct compare *co, bool same_program)
{
	const struct result *a = co->co_result[0], *b = co->co_result[1];
	unsigned sides = co->co_by == COMPARE_RESULTS ? 2 : 1;

	for (unsigned side = 0; side < sides; side++) {
		/* A simulated machine does not move. */
		if (provenance_of(co->co_result[side]) == RESULT_PREDICTED ||
		    (sides == 1 && comparable_sliced(a->cells)))
			continue;
		flag_drift(co, side);
		/* Within one run it falls on both cells of a pair. */
		if (sides == 2)
			flag_common(co, side);
	}
	for (unsigned i = 0; i < a->control_count && sides == 2; i++)
		for (unsigned k = 0; k < b->control_count; k++)
			flag_control(co, same_program, &a->controls[i],
			    &b->controls[k]);
}
