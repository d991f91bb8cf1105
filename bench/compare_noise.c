#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "bench/compare.h"
#include "bench/group.h"
#include "bench/stats.h"

/* Below: parts of a run differ by chance or not enough to matter. */
static const double moved_p = 0.01;
static const double moved_share = 0.01;

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
		for (k = 0; k < c->repeats && c->total_mb_per_s > 0; k++) {
			s = &c->samples[k];
			if (s->order > last / 4 && s->order < last - last / 4)
				continue;
			v[s->order > last / 4][n[s->order > last / 4]++] =
			    s->total_mb_per_s / c->total_mb_per_s;
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
			if (compare_order(&ca, &cb) != 0 ||
			    ca->total_mb_per_s <= 0 ||
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

/* A repeat's total over its cell's median; NAN where it does not count. */
static double
relative_total(const struct result_cell *c, unsigned repeat)
{

	if (repeat >= c->repeats || c->total_mb_per_s <= 0)
		return (NAN);
	return (c->samples[repeat].total_mb_per_s / c->total_mb_per_s);
}

/* The mean over cells of what a block, one repeat of each, got. */
static unsigned
block_mean(const struct result *r, unsigned repeat, double *mean)
{
	double sum = 0, v;
	unsigned i, n = 0;

	for (i = 0; i < r->cell_count; i++) {
		v = relative_total(&r->cells[i], repeat);
		if (isnan(v))
			continue;
		sum += v;
		n++;
	}
	*mean = n > 0 ? sum / n : 0;
	return (n);
}

/*
 * How far all cells varied together from block to block: a disturbance that
 * lasts longer than a repeat falls on several cells, and may have fallen on one
 * run only.  If cells varied independently, block means would vary by the
 * cells' mean variance over their number; an F test says whether they did.
 *
 *   sd  out  of what is common; 0 where nothing is
 */
static int
common_sd(const struct result *r, double *sd)
{
	double common, f, *means, *v, within = 0;
	unsigned blocks = 0, cells = 0, i, k, most = 0, n;

	for (i = 0; i < r->cell_count; i++)
		if (r->cells[i].repeats > most)
			most = r->cells[i].repeats;
	*sd = 0;
	means = calloc((size_t)most * 2 + 1, sizeof(*means));
	if (means == NULL)
		return (ENOMEM);
	v = means + most;
	for (k = 0; k < most; k++)
		if (block_mean(r, k, &means[blocks]) * 2 > r->cell_count)
			blocks++;
	for (i = 0; i < r->cell_count; i++) {
		for (k = n = 0; k < r->cells[i].repeats; k++) {
			v[n] = relative_total(&r->cells[i], k);
			n += isnan(v[n]) ? 0 : 1;
		}
		if (n >= COMPARE_REPEATS_MIN) {
			within += gsl_stats_variance(v, 1, n);
			cells++;
		}
	}
	if (cells >= 2 && blocks >= COMPARE_REPEATS_MIN && within > 0 &&
	    isfinite(within)) {
		within /= cells;
		common = gsl_stats_variance(means, 1, blocks);
		f = common * cells / within;
		if (isfinite(f) && gsl_cdf_fdist_Q(f, blocks - 1.0, cells *
		    (blocks - 1.0)) < moved_p)
			*sd = sqrt(common - within / cells);
	}
	free(means);
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
		error = flag_drift(co, side);
		/* Within one run it falls on both cells of a pair. */
		if (error == 0 && sides == 2)
			error = flag_common(co, side);
	}
	if (error == 0 && sides == 2)
		error = flag_controls(co, same_program);
	return (error);
}
