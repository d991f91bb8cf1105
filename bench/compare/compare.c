#include <errno.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/compare/clip.h"
#include "bench/compare/compare.h"
#include "bench/result/group.h"
#include "bench/result/trend.h"
#include "bench/statistics/stats.h"
#include "lib/kassert.h"

/* What is drawn for A and for B; fixed, so that a verdict can be repeated. */
static const uint64_t draw_seed[2] = { 1, 2 };

static const char harvest_p99[] = "harvest_latency_p99_ns";

/* What judging needs besides the rows. */
struct judge {
	struct compare	*ju_compare;
	struct resample	 ju_draws[2];	/* of as many as the last pair had */
	double		*ju_values[2];	/* of one quantity, sorted */
	double		*ju_medians[2];
	double		*ju_p;		/* both tests' of each row tested */
	unsigned	 ju_p_count;
};

/* Values of one quantity, in the order of repeats. */
static unsigned
values_of(const struct result_cell *cell, const struct quantity *qu,
    double *out)
{
	unsigned i;

	for (i = 0; i < cell->repeats; i++)
		out[i] = quantity_value(qu, &cell->samples[i], cell->readers);
	return (cell->repeats);
}

static int
refuse_drift(const struct compare *co, struct compare_pair *pa, unsigned side)
{
	struct trend trend;
	int error;

	error = trend_of_cell(pa->pa_cell[side], &trend);
	if (error == 0 && trend.tr_drift)
		snprintf(pa->pa_refused, sizeof(pa->pa_refused), "drift over "
		    "the run: total MB/s of %s moved by %+.1f %% from its "
		    "first to its last repeat (p %.2g)",
		    compare_name(co, pa, side), 100 * trend.tr_change,
		    trend.tr_p);
	return (error);
}

/* Says why the pair cannot be judged, if so; 0 or ENOMEM. */
static int
check_pair(const struct compare *co, struct compare_pair *pa)
{
	const struct result_cell *cell;
	unsigned side;
	int error = 0;

	for (side = 0; side < 2; side++) {
		cell = pa->pa_cell[side];
		pa->pa_repeats[side] = cell->repeats;
		if (cell->gate[0] != '\0') {
			snprintf(pa->pa_refused, sizeof(pa->pa_refused),
			    "gate: %s: %s", compare_name(co, pa, side),
			    cell->gate);
			clip_utf8(pa->pa_refused);
			return (0);
		}
	}
	if (pa->pa_repeats[0] < COMPARE_REPEATS_MIN ||
	    pa->pa_repeats[1] < COMPARE_REPEATS_MIN) {
		snprintf(pa->pa_refused, sizeof(pa->pa_refused), "too few "
		    "repeats: %s has %u, %s has %u, and %d are needed",
		    compare_name(co, pa, 0), pa->pa_repeats[0],
		    compare_name(co, pa, 1), pa->pa_repeats[1],
		    COMPARE_REPEATS_MIN);
		return (0);
	}
	pa->pa_few = pa->pa_repeats[0] < GROUP_REPEATS_WEAK ||
	    pa->pa_repeats[1] < GROUP_REPEATS_WEAK;
	for (side = 0; side < 2 && error == 0 && pa->pa_refused[0] == '\0';
	    side++)
		error = refuse_drift(co, pa, side);
	return (error);
}

/* The change of B over A, and its interval from the draws of both. */
static void
estimate(struct judge *ju, struct compare_row *row, const unsigned n[2])
{
	double *ratios = ju->ju_medians[1];
	unsigned i, side;

	for (side = 0; side < 2; side++) {
		row->cr_median[side] = stats_median(ju->ju_values[side],
		    n[side]);
		resample_medians(&ju->ju_draws[side], ju->ju_values[side],
		    ju->ju_medians[side]);
		resample_interval(ju->ju_medians[side],
		    &row->cr_ci95[side][0], &row->cr_ci95[side][1]);
	}
	for (i = 0; i < HYPOTHESIS_RESAMPLES; i++)
		ratios[i] /= ju->ju_medians[0][i];
	resample_interval(ratios, &row->cr_change_ci95[0],
	    &row->cr_change_ci95[1]);
	row->cr_change = row->cr_median[1] / row->cr_median[0] - 1;
	row->cr_change_ci95[0] -= 1;
	row->cr_change_ci95[1] -= 1;
}

static void
measure_row(struct judge *ju, const struct compare_pair *pa,
    const struct quantity *qu, struct compare_row *row)
{
	unsigned side;

	for (side = 0; side < 2; side++)
		gsl_sort(ju->ju_values[side], 1, values_of(pa->pa_cell[side],
		    qu, ju->ju_values[side]));
	estimate(ju, row, pa->pa_repeats);
}

static void
test_row(struct judge *ju, struct compare_pair *pa, unsigned q)
{
	struct compare_row *row = &pa->pa_row[q];
	const double *a = ju->ju_values[0], *b = ju->ju_values[1];
	const unsigned na = pa->pa_repeats[0], nb = pa->pa_repeats[1];

	row->cr_verdict = COMPARE_NONE;
	row->cr_p_welch = row->cr_p_rank = 1;
	/* All alike: one reader is always fair.  That is no test. */
	if (fmin(a[0], b[0]) >= fmax(a[na - 1], b[nb - 1]))
		return;
	row->cr_tested = true;
	ju->ju_p[ju->ju_p_count++] = hypothesis_welch(a, na, b, nb);
	ju->ju_p[ju->ju_p_count++] = hypothesis_mann_whitney(a, na, b, nb);
}

static int
draw(struct judge *ju, const struct compare_pair *pa)
{
	unsigned side;
	int error = 0;

	for (side = 0; side < 2 && error == 0; side++) {
		if (ju->ju_draws[side].rs_n == pa->pa_repeats[side])
			continue;
		resample_fini(&ju->ju_draws[side]);
		error = resample_init(&ju->ju_draws[side],
		    pa->pa_repeats[side], draw_seed[side]);
	}
	return (error);
}

static bool
overlap(const struct compare_row *row)
{

	return (row->cr_ci95[0][0] <= row->cr_ci95[1][1] &&
	    row->cr_ci95[1][0] <= row->cr_ci95[0][1]);
}

/* Whether B's harvest thread did less than A's, or later. */
static bool
served_worse(const struct compare_pair *pa)
{
	const struct compare_row *p99 = &pa->pa_row[quantity_find(harvest_p99)];

	return ((pa->pa_events.cr_change < 0 && !overlap(&pa->pa_events)) ||
	    (p99->cr_change > 0 && !overlap(p99)));
}

/* Which rule a clear change does not pass. */
static enum compare_stop
stop_of(const struct compare *co, const struct compare_pair *pa, unsigned q)
{
	const struct compare_row *row = &pa->pa_row[q];

	if (overlap(row))
		return (COMPARE_STOP_OVERLAP);
	if (fmin(row->cr_p_welch, row->cr_p_rank) >= COMPARE_ALPHA)
		return (COMPARE_STOP_P);
	if (fabs(row->cr_change) <= co->co_margin)
		return (COMPARE_STOP_MARGIN);
	if (fabs(row->cr_change) <= quantities[q].qu_resolution)
		return (COMPARE_STOP_RESOLUTION);
	if (fabs(row->cr_change) <= co->co_noise)
		return (COMPARE_STOP_NOISE);
	if (quantities[q].qu_of_harvest_work && row->cr_change < 0 &&
	    served_worse(pa))
		return (COMPARE_STOP_HARVEST);
	return (COMPARE_STOP_NONE);
}

static void
decide(const struct compare *co, struct compare_pair *pa, unsigned q)
{
	struct compare_row *row = &pa->pa_row[q];

	if (row->cr_change_ci95[0] <= 0 && row->cr_change_ci95[1] >= 0)
		return;
	row->cr_stop = stop_of(co, pa, q);
	if (row->cr_stop == COMPARE_STOP_NONE)
		row->cr_verdict = (row->cr_change > 0) ==
		    quantities[q].qu_more_is_better ? COMPARE_BETTER :
		    COMPARE_WORSE;
}

static void
decide_all(struct judge *ju)
{
	struct compare *co = ju->ju_compare;
	struct compare_row *row;
	const double *p = ju->ju_p;
	unsigned i, q;

	co->co_tests = ju->ju_p_count;
	for (i = 0; i < co->co_pair_count; i++) {
		for (q = 0; q < QUANTITIES; q++) {
			if (!compare_has_row(co, &co->co_pairs[i], q))
				continue;
			row = &co->co_pairs[i].pa_row[q];
			/* In the order in which test_row() left them. */
			if (row->cr_tested) {
				row->cr_p_welch = *p++;
				row->cr_p_rank = *p++;
				decide(co, &co->co_pairs[i], q);
			}
			co->co_rows[row->cr_verdict]++;
		}
	}
}

static int
judge_pairs(struct judge *ju)
{
	struct compare *co = ju->ju_compare;
	struct compare_pair *pa;
	unsigned i, q;
	int error = 0;
	bool there;

	for (i = 0; i < co->co_pair_count && error == 0; i++) {
		pa = &co->co_pairs[i];
		error = check_pair(co, pa);
		if (error == 0 && pa->pa_refused[0] == '\0')
			error = draw(ju, pa);
		if (error == 0 && pa->pa_refused[0] == '\0')
			measure_row(ju, pa, &quantity_harvest_events,
			    &pa->pa_events);
		for (q = 0; q < QUANTITIES && error == 0; q++) {
			pa->pa_row[q].cr_verdict = COMPARE_REFUSED;
			if (pa->pa_refused[0] != '\0')
				continue;
			there = compare_has_row(co, pa, q);
			/* Wanted or not, harvest CPU is judged by it. */
			if (there || strcmp(quantities[q].qu_name,
			    harvest_p99) == 0)
				measure_row(ju, pa, &quantities[q],
				    &pa->pa_row[q]);
			if (there)
				test_row(ju, pa, q);
		}
	}
	if (error == 0)
		error = hypothesis_holm(ju->ju_p, ju->ju_p_count);
	if (error == 0)
		decide_all(ju);
	return (error);
}

bool
compare_has_row(const struct compare *co, const struct compare_pair *pa,
    unsigned q)
{

	return ((co->co_wanted & 1u << q) != 0 &&
	    (pa->pa_cell[1]->readers > 1 || !quantities[q].qu_of_several));
}

int
compare_judge(struct compare *co)
{
	struct judge ju = { .ju_compare = co };
	const struct compare_pair *pa;
	unsigned i, most = 0, side;
	int error = ENOMEM;
	bool ready = true;

	for (i = 0; i < co->co_pair_count; i++) {
		pa = &co->co_pairs[i];
		for (side = 0; side < 2; side++)
			if (pa->pa_cell[side]->repeats > most)
				most = pa->pa_cell[side]->repeats;
	}
	for (side = 0; side < 2; side++) {
		ju.ju_values[side] = calloc(most + 1, sizeof(double));
		ju.ju_medians[side] = calloc(HYPOTHESIS_RESAMPLES,
		    sizeof(double));
		ready = ready && ju.ju_values[side] != NULL &&
		    ju.ju_medians[side] != NULL;
	}
	ju.ju_p = calloc((size_t)co->co_pair_count * QUANTITIES * 2 + 1,
	    sizeof(double));
	if (ready && ju.ju_p != NULL)
		error = judge_pairs(&ju);
	for (side = 0; side < 2; side++) {
		resample_fini(&ju.ju_draws[side]);
		free(ju.ju_values[side]);
		free(ju.ju_medians[side]);
	}
	free(ju.ju_p);
	return (error);
}

void
compare_free(struct compare *co)
{
	unsigned i;

	for (i = 0; i < co->co_flag_count; i++)
		free(co->co_flags[i]);
	free(co->co_flags);
	free(co->co_alone[0]);
	free(co->co_alone[1]);
	free(co->co_pairs);
	*co = (struct compare){ .co_pairs = NULL };
}
