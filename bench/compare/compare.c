#include "bench/compare/compare.h"

/* The seeds of A's and B's draws; fixed, so that a verdict can be repeated. */
static const uint64_t draw_seed[2] = { 1, 2 };

static const double margin_measured = 0.01;

/* Sides that lost shares of CPU time further apart are not compared. */
static const double lost_differs = 0.05;

struct judge {
	struct compare	*ju_compare;
	struct resample	 ju_draws[2];	/* of as many as the last pair had */
	double		*ju_values[2];	/* of one quantity, sorted */
	double		*ju_medians[2];
	double		*ju_p;		/* both tests' of each row tested */
	unsigned	 ju_p_count;
};

/* The values of a quantity with each profile, or NULL. */
static const double *
draws_of(const struct compare_row *row, unsigned side)
{
	const double *v;

	memcpy(&v, (const char *)&row->cmr_pair->pa_cell[side]->uncertainty +
	    row->cmr_quantity->qu_drawn, sizeof(v));
	return (v);
}

/* Adds why the draws of two cells cannot be compared one by one, if so. */
static void
check_draws(const struct compare *co, const struct compare_pair *pa,
    struct text *why)
{
	const struct result *const *r = co->co_result;
	const unsigned n[2] = { pa->pa_cell[0]->uncertainty.samples,
	    pa->pa_cell[1]->uncertainty.samples };
	const struct compare_row *row;

	if (n[0] + n[1] == 0)
		return;
	if (n[0] != n[1] || r[0]->seed != r[1]->seed ||
	    (r[0] != r[1] && !(r[0]->complete && r[1]->complete)))
		text_add(why, "drawn profiles: %s has %u, %s has %u; expected "
		    "two complete results with the same --uncertainty and "
		    "--seed", compare_name(co, pa, 0), n[0],
		    compare_name(co, pa, 1), n[1]);
	for (row = pa->pa_row; row < pa->pa_row + QUANTITIES &&
	    why->s[0] == '\0'; row++)
		if (row->cmr_wanted && (draws_of(row, 0) == NULL ||
		    draws_of(row, 1) == NULL))
			text_add(why, "drawn profiles: an older file, without "
			    "their %s; -q leaves it out",
			    row->cmr_quantity->qu_name);
}

/* Fills in pa_refused if the pair cannot be judged. */
static void
check_pair(const struct compare *co, struct compare_pair *pa)
{
	const struct result_cell *a = pa->pa_cell[0], *b = pa->pa_cell[1];
	struct text why = { .s = "" };
	double lost[2] = { 0 };
	struct drift trend;

	for (unsigned side = 0; side < 2 && why.s[0] == '\0'; side++)
		if (pa->pa_cell[side]->gate[0] != '\0')
			text_add(&why, "gate: %s: %s", compare_name(co, pa,
			    side), pa->pa_cell[side]->gate);
	/* Within one run, load falls on both. */
	for (unsigned side = 0; side < 2 && co->co_by == COMPARE_RESULTS;
	    side++)
		lost[side] = comparable_lost(pa->pa_cell[side],
		    &co->co_result[side]->host);
	pa->pa_lost = fabs(lost[1] - lost[0]) / (1 - fmin(lost[0], lost[1]));
	if (why.s[0] == '\0' && (pa->pa_lost > lost_differs ||
	    fmax(lost[0], lost[1]) > COMPARABLE_LOST_MOST))
		text_add(&why, "readers lost %.0f %% of their CPU time to "
		    "other work in A, %.0f %% in B: measure both again, at "
		    "rest", 100 * lost[0], 100 * lost[1]);
	pa->pa_unfit = why.s[0] != '\0';
	if (why.s[0] == '\0' && (a->repeats < COMPARE_REPEATS_MIN ||
	    b->repeats < COMPARE_REPEATS_MIN))
		text_add(&why, "too few repeats: %s has %u, %s has %u, and %d "
		    "are needed", compare_name(co, pa, 0), a->repeats,
		    compare_name(co, pa, 1), b->repeats, COMPARE_REPEATS_MIN);
	if (why.s[0] == '\0')
		check_draws(co, pa, &why);
	for (unsigned side = 0; side < 2 && why.s[0] == '\0'; side++) {
		drift_of(pa->pa_cell[side], NULL, &trend);
		if (trend.dft_drift)
			text_add(&why, "drift over the run: total MB/s of %s "
			    "moved by %+.1f %% from its first to its last "
			    "repeat (p %.2g)", compare_name(co, pa, side),
			    100 * trend.dft_change, trend.dft_p);
	}
	drift_of(a, b, &trend);
	if (why.s[0] == '\0' && trend.dft_drift)
		text_add(&why, "the difference drifted over the run: by %+.1f "
		    "%% (p %.2g); measure again, for longer",
		    100 * trend.dft_change, trend.dft_p);
	(void)format_wrong(pa->pa_refused, sizeof(pa->pa_refused), "%s", why.s);
	utf8_truncate(pa->pa_refused);
}

/* Medians, the change of B over A, and intervals from the draws of both. */
static void
measure(struct judge *ju, struct compare_row *row)
{
	double *ratios = ju->ju_medians[1], *v;
	const struct result_cell *c;

	for (unsigned side = 0; side < 2; side++) {
		v = ju->ju_values[side];
		c = row->cmr_pair->pa_cell[side];
		for (unsigned i = 0; i < c->repeats; i++)
			v[i] = quantity_value(row->cmr_quantity, c, i);
		row->cmr_median[side] = stats_median(v, c->repeats);
		resample_medians(&ju->ju_draws[side], v, ju->ju_medians[side]);
		resample_interval(ju->ju_medians[side], row->cmr_ci95[side]);
	}
	for (unsigned i = 0; i < HYPOTHESIS_RESAMPLES; i++)
		ratios[i] /= ju->ju_medians[0][i];
	resample_interval(ratios, row->cmr_change_ci95);
	row->cmr_change = row->cmr_median[1] / row->cmr_median[0] - 1;
	row->cmr_change_ci95[0] -= 1;
	row->cmr_change_ci95[1] -= 1;
}

/* Tests the values that measure() left sorted. */
static void
test(struct judge *ju, struct compare_row *row)
{
	const double *a = ju->ju_values[0], *b = ju->ju_values[1];
	const struct result_cell *const *cell = row->cmr_pair->pa_cell;
	const unsigned na = cell[0]->repeats, nb = cell[1]->repeats;
	const unsigned draws = cell[0]->uncertainty.samples;

	/* All values are equal: one reader is always fair.  That is no test. */
	if (fmin(a[0], b[0]) >= fmax(a[na - 1], b[nb - 1]))
		return;
	if (draws > 0) {
		row->cmr_basis = COMPARE_BY_DRAWS;
		for (unsigned side = 0; side < 2; side++)
			for (unsigned i = 0; i < draws; i++)
				ju->ju_values[side][i] =
				    fmax(row->cmr_quantity->qu_floor,
				    draws_of(row, side)[i]);
		stats_change(a, b, draws, &row->cmr_drawn);
		return;
	}
	if (provenance_predicted(cell[0]) && provenance_predicted(cell[1]) &&
	    a[0] >= a[na - 1] && b[0] >= b[nb - 1]) {
		row->cmr_basis = COMPARE_BY_VALUE;
		row->cmr_p[0] = row->cmr_p[1] = 0;
		return;
	}
	row->cmr_tests = 2;
	row->cmr_apart = a[na - 1] < b[0] || b[nb - 1] < a[0];
	ju->ju_p[ju->ju_p_count++] = hypothesis_welch(a, na, b, nb);
	ju->ju_p[ju->ju_p_count++] = hypothesis_mann_whitney(a, na, b, nb);
}

/* Whether in a repeat no read ended, so that its latencies are 0. */
static bool
unread(const struct result_cell *c)
{
	for (unsigned i = 0; i < c->repeats; i++)
		if (c->samples[i].latency_ns.p50 <= 0)
			return (c->time_to_seeded_ns <= 0);
	return (false);
}

static void
measure_pair(struct judge *ju, struct compare_pair *pa)
{
	const struct result *const *r = ju->ju_compare->co_result;
	const bool few = comparable_few_passes(r[0]) ||
	    comparable_few_passes(r[1]);
	struct compare_row *row;
	struct paired pd;
	unsigned n;

	for (unsigned q = 0; q < QUANTITIES; q++)
		pa->pa_row[q].cmr_verdict = COMPARE_REFUSED;
	check_pair(ju->ju_compare, pa);
	if (pa->pa_refused[0] != '\0')
		return;
	for (unsigned side = 0; side < 2; side++) {
		n = pa->pa_cell[side]->repeats;
		if (ju->ju_draws[side].rsm_n == n)
			continue;
		free(ju->ju_draws[side].rs_middle);
		resample_init(&ju->ju_draws[side], n, draw_seed[side]);
	}
	for (unsigned q = 0; q <= QUANTITIES; q++) {
		row = &pa->pa_row[q];
		/* Harvest CPU is judged by these two, wanted or not. */
		if (!row->cmr_wanted && q != QUANTITY_HARVEST_P99 &&
		    q != QUANTITY_EVENTS)
			continue;
		row->cmr_verdict = COMPARE_NONE;
		row->cmr_p[0] = row->cmr_p[1] = 1;
		measure(ju, row);
		if (few && (q == QUANTITY_HARVEST_CPU ||
		    q == QUANTITY_HARVEST_P99))
			row->cmr_stop = COMPARE_STOP_PASSES;
		else if ((q == QUANTITY_P50 || q == QUANTITY_P99) &&
		    (unread(pa->pa_cell[0]) || unread(pa->pa_cell[1])))
			row->cmr_stop = COMPARE_STOP_UNREAD;
		if (row->cmr_stop != COMPARE_STOP_NONE)
			continue;
		comparable_paired(pa->pa_cell[0], pa->pa_cell[1],
		    row->cmr_quantity, &pd);
		if (pd.prd_count > 0) {
			row->cmr_basis = COMPARE_BY_PAIRS;
			row->cmr_change = pd.prd_change;
			memcpy(row->cmr_change_ci95, pd.prd_ci95,
			    sizeof(pd.prd_ci95));
			row->cmr_tests = row->cmr_wanted && pd.prd_p < 1;
			ju->ju_p[ju->ju_p_count] = pd.prd_p;
			ju->ju_p_count += row->cmr_tests;
		} else if (row->cmr_wanted)
			test(ju, row);
	}
}

static bool
overlap(const struct compare_row *row)
{
	return (row->cmr_ci95[0][0] <= row->cmr_ci95[1][1] &&
	    row->cmr_ci95[1][0] <= row->cmr_ci95[0][1]);
}

/* Whether B had less or, for a sign of -1, more. */
static bool
less(const struct compare_row *row, int sign)
{
	return (row->cmr_basis == COMPARE_BY_PAIRS ?
	    sign * row->cmr_change_ci95[sign > 0] < 0 :
	    sign * row->cmr_change < 0 && !overlap(row));
}

static void
decide(const struct compare *co, struct compare_row *row)
{
	const struct compare_row *rows = row->cmr_pair->pa_row;
	const struct quantity *qu = row->cmr_quantity;
	const bool drawn = row->cmr_basis == COMPARE_BY_DRAWS;
	const bool paired = row->cmr_basis == COMPARE_BY_PAIRS;
	const bool robust = row->cmr_drawn.chg_share >= STATS_ROBUST;
	const double change = fabs(compare_change(row));
	const double moved = compare_noise_of(co, row->cmr_pair);
	const bool unlikely = !drawn &&
	    fmin(row->cmr_p[0], row->cmr_p[1]) >= COMPARE_ALPHA;
	const bool stops[COMPARE_STOPS] = {
		[COMPARE_STOP_OVERLAP] = !drawn && !paired && overlap(row),
		[COMPARE_STOP_REPEATS] = row->cmr_apart && unlikely &&
		    change > fmax(fmax(co->co_margin, moved),
		    qu->qu_resolution),
		[COMPARE_STOP_P] = unlikely,
		[COMPARE_STOP_DRAWS] = drawn && (!robust ||
		    compare_change(row) * row->cmr_change <= 0),
		[COMPARE_STOP_MARGIN] = change <= co->co_margin,
		[COMPARE_STOP_RESOLUTION] = change <= qu->qu_resolution,
		[COMPARE_STOP_NOISE] = !paired && change <= moved,
		/* B's harvest thread delivered fewer events, or later. */
		[COMPARE_STOP_HARVEST] = compare_change(row) < 0 &&
		    qu == &quantities[QUANTITY_HARVEST_CPU] &&
		    (less(&rows[QUANTITY_EVENTS], 1) ||
		    less(&rows[QUANTITY_HARVEST_P99], -1)),
	};

	if (row->cmr_stop >= COMPARE_STOP_PASSES ||
	    (row->cmr_change_ci95[0] <= 0 && row->cmr_change_ci95[1] >= 0 &&
	    !(drawn && robust)))
		return;
	for (unsigned i = 0; i < COMPARE_STOPS && row->cmr_stop == 0; i++)
		if (stops[i])
			row->cmr_stop = (enum compare_stop)i;
	if (row->cmr_stop == COMPARE_STOP_NONE)
		row->cmr_verdict = (compare_change(row) > 0) ==
		    qu->qu_more_is_better ? COMPARE_BETTER : COMPARE_WORSE;
}

unsigned
compare_repeats(const struct compare *co)
{
	double orders = 1;
	unsigned n = 0;

	/* Of all orders of n and n values two have either side above. */
	while (2 / orders * co->co_tests >= COMPARE_ALPHA) {
		n++;
		orders *= (4 * n - 2.0) / n;
	}
	return (n);
}

double
compare_margin(const struct result *r)
{
	return (provenance_of(r) == RESULT_MEASURED ? margin_measured :
	    STATS_MARGIN_PREDICTED);
}

double
compare_change(const struct compare_row *row)
{
	return (row->cmr_basis == COMPARE_BY_DRAWS ? row->cmr_drawn.chg_median :
	    row->cmr_change);
}

struct compare_row *
compare_next(const struct compare *co, const struct compare_row *row)
{
	struct compare_pair *pa = co->co_pairs;
	unsigned q = 0;

	if (row != NULL) {
		pa += row->cmr_pair - co->co_pairs;
		q = (unsigned)(row - pa->pa_row) + 1;
	}
	for (; pa < co->co_pairs + co->co_pair_count; pa++, q = 0)
		for (; q < QUANTITIES; q++)
			if (pa->pa_row[q].cmr_wanted)
				return (&pa->pa_row[q]);
	return (NULL);
}

/* What must stand beside the rows, and is not known before. */
static void
flag_rows(struct compare *co)
{
	const unsigned *alone = co->co_alone_count, side = alone[0] == 0;

	if (provenance_of(co->co_result[0]) != RESULT_MEASURED)
		compare_flag(co, "predicted: %s",
		    co->co_result[0]->uncertainty.samples == 0 ?
		    provenance_guesses : "ranked by the drawn profiles: better "
		    "or worse in 90 % or more of them, and in the profile "
		    "itself");
	if (co->co_noise > co->co_margin)
		compare_flag(co, "changes up to %.2g %%, by which the machine "
		    "itself moved, are not ranked", 100 * co->co_noise);
	if (alone[0] + alone[1] == 0)
		return;
	compare_flag(co, "not compared, without a partner: cells of A %u, of B "
	    "%u, such as %s in %c", alone[0], alone[1],
	    TEXT_OF(describe_cell, co->co_alone[side]), "AB"[side]);
}

void
compare_judge(struct compare *co)
{
	struct judge ju = { .ju_compare = co };
	size_t most = HYPOTHESIS_RESAMPLES;
	struct compare_row *row = NULL;
	const struct result_cell *c;
	const double *p;
	double *room;

	for (unsigned i = 0; i < 2 * co->co_pair_count; i++) {
		c = co->co_pairs[i / 2].pa_cell[i % 2];
		most = MAX(c->repeats, most);
		most = MAX(c->uncertainty.samples, most);
	}
	flag_rows(co);
	room = xcalloc(4 * most + (size_t)co->co_pair_count * QUANTITIES * 2,
	    sizeof(*room));
	for (unsigned side = 0; side < 2; side++) {
		ju.ju_values[side] = room + side * most;
		ju.ju_medians[side] = room + (2 + side) * most;
	}
	p = ju.ju_p = room + 4 * most;
	for (unsigned i = 0; i < co->co_pair_count; i++)
		measure_pair(&ju, &co->co_pairs[i]);
	hypothesis_holm(ju.ju_p, ju.ju_p_count);
	co->co_tests = ju.ju_p_count;
	while ((row = compare_next(co, row)) != NULL) {
		/* In the order in which the tests left them. */
		for (unsigned i = 0; i < row->cmr_tests; i++)
			row->cmr_p[i] = *p++;
		if (row->cmr_verdict != COMPARE_REFUSED)
			decide(co, row);
		co->co_rows[row->cmr_verdict]++;
	}
	free(ju.ju_draws[0].rs_middle);
	free(ju.ju_draws[1].rs_middle);
	free(room);
}

void
compare_flag(struct compare *co, const char *fmt, ...)
{
	char text[COMPARE_TEXT_SIZE];

	VFORMAT(text, sizeof(text), fmt);
	utf8_truncate(text);
	field_add_word(&co->co_flags, text);
	co->co_flag_count++;
}

void
compare_free(struct compare *co)
{
	field_free_words(co->co_flags);
	free(co->co_pairs);
	*co = (struct compare){ .co_pairs = NULL };
}
