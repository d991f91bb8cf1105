#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "bench/cli/memory.h"
#include "bench/compare/compare.h"
#include "bench/result/check.h"
#include "bench/result/comparable.h"
#include "bench/result/describe.h"

/* Below: parts of a run differ by chance or not enough to matter. */
static const double moved_p = 0.01;
static const double moved_share = 0.01;

/* Whether a cell can show how the machine moved: a gated one cannot. */
static bool
counts(const struct result_cell *c)
{
	return (!comparable_gated(c) && c->total_mb_per_s > 0);
}

/* Totals of repeats over their cells' medians, by block: a repeat of each. */
struct blocks {
	double		*bl_totals;	/* [block][cell] */
	unsigned	 bl_cells;
	unsigned	 bl_count;	/* 0: too few cells or repeats */
};

static void
find_blocks(const struct result *r, struct blocks *bl)
{
	unsigned n = 0;

	*bl = (struct blocks){ .bl_count = UINT_MAX };
	for (unsigned i = 0; i < r->cell_count; i++) {
		if (!counts(&r->cells[i]))
			continue;
		bl->bl_cells++;
		if (r->cells[i].repeats < bl->bl_count)
			bl->bl_count = r->cells[i].repeats;
	}
	if (bl->bl_cells < 2 || bl->bl_count < COMPARE_REPEATS_MIN)
		bl->bl_count = 0;
	bl->bl_totals = xcalloc(bl->bl_count + 1, (bl->bl_cells + 1) *
	    sizeof(double));
	for (unsigned k = 0; k < bl->bl_count; k++)
		for (unsigned i = 0; i < r->cell_count; i++)
			if (counts(&r->cells[i]))
				bl->bl_totals[n++] =
				    r->cells[i].samples[k].total_mb_per_s /
				    r->cells[i].total_mb_per_s;
}

/* All cells' totals in the last quarter of the run over those in the first. */
static void
flag_drift(struct compare *co, unsigned side, const struct blocks *bl)
{
	const unsigned n = (bl->bl_count + 3) / 4 * bl->bl_cells;
	double change, p, *first = bl->bl_totals, *last;

	if (n == 0)
		return;
	last = first + bl->bl_count * bl->bl_cells - n;
	p = hypothesis_welch(first, n, last, n);
	/* Their order is needed no more. */
	change = stats_median(last, n) / stats_median(first, n) - 1;
	if (p >= moved_p || !(fabs(change) >= moved_share))
		return;
	/* Within one run all cells were visited in turn. */
	if (co->co_by == COMPARE_RESULTS)
		co->co_noise = fmax(co->co_noise, fabs(change));
	compare_flag(co, "drift over the run%s: all cells' MB/s moved by "
	    "%+.1f %% from its first quarter to its last",
	    co->co_by != COMPARE_RESULTS ? "" : side == 0 ? " of A" : " of B",
	    100 * change);
}

/*
 * How far all cells varied together from block to block: a disturbance that
 * lasts longer than a repeat falls on several cells, and may have fallen on one
 * run only.  The F test of a two-way layout without replication decides whether
 * blocks differ by more than chance.
 *
 * Returns: the standard deviation of what is common; 0 where nothing is.
 */
static double
common_sd(const struct blocks *bl)
{
	const unsigned blocks = bl->bl_count, cells = bl->bl_cells;
	const double df = (cells - 1.0) * (blocks - 1.0), *v = bl->bl_totals;
	double between, cell, mean, *means, off, rest = 0;

	means = xcalloc(blocks, sizeof(*means));
	for (unsigned k = 0; k < blocks; k++)
		means[k] = gsl_stats_mean(v + k * cells, 1, cells);
	mean = gsl_stats_mean(means, 1, blocks);
	between = cells * gsl_stats_variance(means, 1, blocks);
	for (unsigned i = 0; i < cells; i++) {
		cell = gsl_stats_mean(v + i, cells, blocks);
		for (unsigned k = 0; k < blocks; k++) {
			off = v[k * cells + i] - cell - means[k] + mean;
			rest += off * off / df;
		}
	}
	free(means);
	if (!isfinite(between) || !isfinite(rest) || between <= rest ||
	    (rest > 0 && gsl_cdf_fdist_Q(between / rest, blocks - 1.0, df) >=
	    moved_p))
		return (0);
	return (sqrt((between - rest) / cells));
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

void
compare_noise(struct compare *co, bool same_program)
{
	const struct result *a = co->co_result[0], *b = co->co_result[1];
	unsigned sides = co->co_by == COMPARE_RESULTS ? 2 : 1;
	struct blocks bl;
	double noise;

	for (unsigned side = 0; side < sides; side++) {
		/* A simulated machine does not move. */
		if (provenance_of(co->co_result[side]) == RESULT_PREDICTED ||
		    (sides == 1 && comparable_sliced(a->cells)))
			continue;
		find_blocks(co->co_result[side], &bl);
		/*
		 * Within one run it falls on both cells of a pair.  95 % of
		 * blocks lie within two standard deviations.
		 */
		noise = sides < 2 || bl.bl_count == 0 ? 0 : 2 * common_sd(&bl);
		if (noise >= moved_share) {
			co->co_noise = fmax(co->co_noise, noise);
			compare_flag(co, "the machine was not quiet during %c: "
			    "all cells' MB/s together varied by +-%.1f %% from "
			    "block to block", "AB"[side], 100 * noise);
		}
		flag_drift(co, side, &bl);
		free(bl.bl_totals);
	}
	for (unsigned i = 0; i < a->control_count && sides == 2; i++)
		for (unsigned k = 0; k < b->control_count; k++)
			flag_control(co, same_program, &a->controls[i],
			    &b->controls[k]);
}
