#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "bench/compare/compare.h"
#include "bench/result/claim.h"
#include "bench/result/group.h"
#include "bench/result/result_check.h"
#include "bench/statistics/stats.h"

/* Below: parts of a run differ by chance or not enough to matter. */
static const double moved_p = 0.01;
static const double moved_share = 0.01;

/* Whether a cell can show the machine: what failed a gate shows itself. */
static bool
counts(const struct result_cell *c)
{

	return (!group_gated(c) && c->total_mb_per_s > 0);
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
static int
run_drift(const struct result *r, double *change, double *p)
{
	const struct result_cell *c;
	const struct result_sample *s;
	unsigned count = 0, i, k, last = 0, n[2] = { 0, 0 };
	double first, *v[2];

	for (i = 0; i < r->cell_count; i++) {
		c = &r->cells[i];
		for (k = 0; k < c->repeats; k++, count++)
			if (c->samples[k].order > last)
				last = c->samples[k].order;
	}
	*change = 0;
	*p = 1;
	v[0] = calloc((size_t)count * 2 + 1, sizeof(double));
	if (v[0] == NULL)
		return (ENOMEM);
	v[1] = v[0] + count;
	for (i = 0; i < r->cell_count; i++) {
		c = &r->cells[i];
		for (k = 0; k < c->repeats && counts(c); k++) {
			s = &c->samples[k];
			if (s->order > last / 4 && s->order < last - last / 4)
				continue;
			v[s->order > last / 4][n[s->order > last / 4]++] =
			    relative_total(c, k);
		}
	}
	if (n[0] >= COMPARE_REPEATS_MIN && n[1] >= COMPARE_REPEATS_MIN) {
		*p = hypothesis_welch(v[0], n[0], v[1], n[1]);
		first = stats_median(v[0], n[0]);
		if (first > 0)
			*change = stats_median(v[1], n[1]) / first - 1;
	}
	free(v[0]);
	return (0);
}

static int
flag_drift(struct compare *co, unsigned side)
{
	double change, p;
	int error;

	error = run_drift(co->co_result[side], &change, &p);
	if (error != 0 || p >= moved_p || fabs(change) < moved_share)
		return (error);
	/* Within one run all cells were visited in turn. */
	if (co->co_by == COMPARE_RESULTS)
		co->co_noise = fmax(co->co_noise, fabs(change));
	return (compare_flag(co, "drift over the run%s: all cells' MB/s moved "
	    "by %+.1f %% from its first quarter to its last",
	    co->co_by != COMPARE_RESULTS ? "" : side == 0 ? " of A" : " of B",
	    100 * change));
}

/* Cells without what is compared: as one program they show the machine. */
static int
flag_controls(struct compare *co, bool same_program)
{
	const struct result *a = co->co_result[0], *b = co->co_result[1];
	const struct result_cell *ca, *cb;
	unsigned i, k;
	int error = 0;

	for (i = 0; i < a->control_count && error == 0; i++) {
		ca = &a->controls[i];
		for (k = 0; k < b->control_count && error == 0; k++) {
			double change;

			cb = &b->controls[k];
			if (result_cell_order(&ca, &cb) != 0 ||
			    !counts(ca) || !counts(cb) ||
			    group_indistinct(ca, cb))
				continue;
			change = cb->total_mb_per_s / ca->total_mb_per_s - 1;
			if (fabs(change) < moved_share)
				continue;
			if (same_program)
				co->co_noise = fmax(co->co_noise,
				    fabs(change));
			error = compare_flag(co, "%s changed: control design "
			    "%s, lock %s, %u readers moved by %+.1f %% from A "
			    "to B", same_program ? "the machine" :
			    "the machine or the program", ca->design, ca->lock,
			    ca->readers, 100 * change);
		}
	}
	return (error);
}

/* How many repeats all cells have that say anything of the machine. */
static unsigned
blocks_of(const struct result *r, unsigned *cells)
{
	unsigned blocks = UINT_MAX, i;

	*cells = 0;
	for (i = 0; i < r->cell_count; i++) {
		if (!counts(&r->cells[i]))
			continue;
		(*cells)++;
		if (r->cells[i].repeats < blocks)
			blocks = r->cells[i].repeats;
	}
	return (*cells > 0 ? blocks : 0);
}

/*
 * The variance between blocks and that of what neither block nor cell explains,
 * each over its degrees of freedom and of one cell's total over its median.
 *
 *   means  out  each block's mean over cells; scratch of as many as blocks
 */
static void
block_variances(const struct result *r, unsigned cells, unsigned blocks,
    double *means, double *between, double *rest)
{
	const struct result_cell *c;
	double cell_mean, mean = 0, v;
	unsigned i, k;

	for (i = 0; i < r->cell_count; i++)
		for (k = 0; k < blocks && counts(&r->cells[i]); k++)
			means[k] += relative_total(&r->cells[i], k) / cells;
	for (k = 0; k < blocks; k++)
		mean += means[k] / blocks;
	*between = *rest = 0;
	for (k = 0; k < blocks; k++)
		*between += (means[k] - mean) * (means[k] - mean) * cells;
	for (i = 0; i < r->cell_count; i++) {
		c = &r->cells[i];
		if (!counts(c))
			continue;
		for (k = 0, cell_mean = 0; k < blocks; k++)
			cell_mean += relative_total(c, k) / blocks;
		for (k = 0; k < blocks; k++) {
			v = relative_total(c, k) - cell_mean - means[k] + mean;
			*rest += v * v;
		}
	}
	*between /= blocks - 1.0;
	*rest /= (cells - 1.0) * (blocks - 1.0);
}

/*
 * How far all cells varied together from block to block, one repeat of each: a
 * disturbance that lasts longer than a repeat falls on several cells, and may
 * have fallen on one run only.  The F test of a two-way layout without
 * replication says whether blocks differ by more than chance.
 *
 *   sd  out  of what is common; 0 where nothing is
 */
static int
common_sd(const struct result *r, double *sd)
{
	double between, *means, p, rest;
	unsigned blocks, cells;

	*sd = 0;
	blocks = blocks_of(r, &cells);
	if (cells < 2 || blocks < COMPARE_REPEATS_MIN)
		return (0);
	means = calloc(blocks, sizeof(*means));
	if (means == NULL)
		return (ENOMEM);
	block_variances(r, cells, blocks, means, &between, &rest);
	free(means);
	if (!isfinite(between) || !isfinite(rest) || between <= rest)
		return (0);
	p = rest <= 0 ? 0 : gsl_cdf_fdist_Q(between / rest, blocks - 1.0,
	    (cells - 1.0) * (blocks - 1.0));
	if (p < moved_p)
		*sd = sqrt((between - rest) / cells);
	return (0);
}

static int
flag_common(struct compare *co, unsigned side)
{
	double noise, sd;
	int error;

	error = common_sd(co->co_result[side], &sd);
	/* Two standard deviations, as 95 % of blocks lie within. */
	noise = 2 * sd;
	if (error != 0 || noise < moved_share)
		return (error);
	co->co_noise = fmax(co->co_noise, noise);
	return (compare_flag(co, "the machine was not quiet during %c: all "
	    "cells' MB/s together varied by +-%.1f %% from block to block",
	    "AB"[side], 100 * noise));
}

int
compare_noise(struct compare *co, bool same_program)
{
	unsigned side, sides = co->co_by == COMPARE_RESULTS ? 2 : 1;
	int error = 0;

	for (side = 0; side < sides && error == 0; side++) {
		/* A simulated machine does not move. */
		if (claim_of(co->co_result[side]) == CLAIM_PREDICTED)
			continue;
		error = flag_drift(co, side);
		/* Within one run it falls on both cells of a pair. */
		if (error == 0 && sides == 2)
			error = flag_common(co, side);
	}
	if (error == 0 && sides == 2)
		error = flag_controls(co, same_program);
	return (error);
}
