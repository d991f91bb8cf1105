#include <errno.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/result/result_uncertainty.h"
#include "bench/statistics/stats.h"
#include "bench/sweep/replicate.h"
#include "bench/sweep/uncertainty.h"

static const double band_low = 0.1, band_high = 0.9;

struct uncertainty {
	const struct options *un_options;
	struct checkpoint *un_checkpoint;
	const struct cell *un_cells;
	struct result	*un_result;
	unsigned	 un_samples;
	struct profile	*un_profiles;	/* [sample] */
	double		*un_harvest;	/* [cell][sample] */
	bool		*un_has;	/* [sample][cell]: drawn earlier */
	unsigned	 un_taken;	/* in that order */
	char		*un_error;
};

/* All cells with one profile, then with the next. */
static void
choose(void *context, unsigned i, struct replica *re)
{
	const struct uncertainty *un = context;

	re->re_cell = &un->un_cells[i % un->un_result->cell_count];
	re->re_repeat = 0;
	re->re_profile = &un->un_profiles[i / un->un_result->cell_count];
	re->re_skip = un->un_has[i];
}

static void
keep(struct uncertainty *un, unsigned cell, unsigned sample, double total,
    double harvest)
{

	un->un_result->cells[cell].uncertainty.total_samples[sample] = total;
	un->un_harvest[cell * un->un_samples + sample] = harvest;
}

static int
take(void *context, unsigned i, int error, const char *why,
    struct cell_measure *cm)
{
	struct uncertainty *un = context;
	unsigned cell = i % un->un_result->cell_count;
	unsigned sample = i / un->un_result->cell_count;

	if (un->un_has[i]) {
		un->un_taken++;
		return (0);
	}
	if (error != 0) {
		snprintf(un->un_error, CELL_ERROR_SIZE, "with profile %u of "
		    "%u drawn: %.*s", sample + 1, un->un_samples,
		    CELL_ERROR_SIZE - 64, why);
		return (error);
	}
	error = checkpoint_add_draw(un->un_checkpoint,
	    &(struct checkpoint_draw){ cell, sample,
	    cm->cm_sample.total_mb_per_s, cm->cm_sample.harvest.cpu_percent },
	    un->un_error);
	if (error != 0)
		return (error);
	keep(un, cell, sample, cm->cm_sample.total_mb_per_s,
	    cm->cm_sample.harvest.cpu_percent);
	un->un_taken++;
	return (0);
}

/* What was drawn earlier need not be drawn again. */
static unsigned
take_up(struct uncertainty *un)
{
	const struct checkpoint_draw *cd;
	unsigned cells = un->un_result->cell_count, count, i, n = 0;

	cd = checkpoint_draws(un->un_checkpoint, &count);
	for (i = 0; i < count; i++) {
		bool *has;

		if (cd[i].cd_cell >= cells ||
		    cd[i].cd_sample >= un->un_samples)
			continue;
		has = &un->un_has[cd[i].cd_sample * cells + cd[i].cd_cell];
		n += !*has;
		*has = true;
		keep(un, cd[i].cd_cell, cd[i].cd_sample, cd[i].cd_total,
		    cd[i].cd_harvest);
	}
	return (n);
}

/* An interruption leaves those draws that all cells had. */
static bool
cut(struct uncertainty *un)
{
	unsigned cells = un->un_result->cell_count, i;
	unsigned whole = un->un_taken / cells;

	if (whole < UNCERTAINTY_LEAST)
		return (false);
	for (i = 0; i < cells; i++) {
		un->un_result->cells[i].uncertainty.samples = whole;
		memmove(&un->un_harvest[i * whole],
		    &un->un_harvest[i * un->un_samples],
		    whole * sizeof(*un->un_harvest));
	}
	return (true);
}

/* values stay as they are; scratch has room for as many. */
static void
band(const double *values, unsigned n, double *scratch, double out[2])
{

	memcpy(scratch, values, n * sizeof(*scratch));
	out[0] = stats_quantile(scratch, n, band_low);
	out[1] = stats_quantile(scratch, n, band_high);
}

/* Spearman's coefficient; 0 where one of the two does not vary. */
static double
rank_correlation(const double *x, const double *y, unsigned n, double *work)
{
	double v = gsl_stats_spearman(x, 1, y, 1, n, work);

	return (isfinite(v) ? fmax(-1, fmin(1, v)) : 0);
}

static int
by_effect(const void *left, const void *right)
{
	const struct result_parameter *a = left, *b = right;

	if (fabs(a->effect) > fabs(b->effect))
		return (-1);
	if (fabs(a->effect) < fabs(b->effect))
		return (1);
	return (strcmp(a->key, b->key));
}

/* Whether a value is part of any cell: each charges for one cipher. */
static bool
in_use(const struct result *r, const char *key)
{
	char prefix[2 * RESULT_NAME_SIZE + 2];
	unsigned c, i;

	for (c = 0; c < cipher_count; c++) {
		size_t n = strlen(ciphers[c]->ci_name);

		if (strncmp(key, ciphers[c]->ci_name, n) == 0 && key[n] == '.')
			break;
	}
	if (c == cipher_count)
		return (true);
	for (i = 0; i < r->cell_count; i++) {
		snprintf(prefix, sizeof(prefix), "%s.%s.", r->cells[i].cipher,
		    r->cells[i].crypto);
		if (strncmp(key, prefix, strlen(prefix)) == 0)
			return (true);
	}
	return (false);
}

static int
find_effects(struct result *r, const struct profile *profiles,
    const struct profile *base)
{
	struct result_uncertainty *ru = &r->uncertainty;
	unsigned cell, i, key, n = ru->samples;
	struct result_parameter *rp;
	double *values, *work;

	ru->parameters = calloc(PROFILE_VALUES, sizeof(*ru->parameters));
	values = calloc(3 * (size_t)n, sizeof(*values));
	if (ru->parameters == NULL || values == NULL) {
		free(values);
		return (ENOMEM);
	}
	work = values + n;
	for (key = 0; key < PROFILE_VALUES; key++) {
		if (!profile_varies(base, (enum profile_key)key) ||
		    !profile_used(base, (enum profile_key)key) ||
		    !in_use(r, profile_fields[key].pf_key))
			continue;
		rp = &ru->parameters[ru->parameter_count++];
		snprintf(rp->key, sizeof(rp->key), "%s",
		    profile_fields[key].pf_key);
		snprintf(rp->provenance, sizeof(rp->provenance), "%s",
		    provenance_name(base->pr_from[key]));
		for (i = 0; i < n; i++)
			values[i] = profiles[i].pr_value[key];
		for (cell = 0; cell < r->cell_count; cell++)
			rp->effect += rank_correlation(values,
			    r->cells[cell].uncertainty.total_samples, n,
			    work) / r->cell_count;
	}
	free(values);
	qsort(ru->parameters, ru->parameter_count, sizeof(*ru->parameters),
	    by_effect);
	return (0);
}

/* Whether two cells differ in their design or their lock alone. */
static bool
ranks(const struct result_cell *a, const struct result_cell *b, bool by_lock)
{

	return (strcmp(a->design, b->design) != 0) == !by_lock &&
	    (strcmp(a->lock, b->lock) != 0) == by_lock &&
	    strcmp(a->cipher, b->cipher) == 0 && a->readers == b->readers &&
	    a->request_bytes == b->request_bytes;
}

/* What a's and b's samples, each pair of one profile, say of who is better. */
static void
rank_pair(const struct result_cell *a, const struct result_cell *b,
    bool by_lock, double *scratch, struct result_ranking *rr)
{
	const double *va = a->uncertainty.total_samples;
	const double *vb = b->uncertainty.total_samples;
	const struct result_cell *better = a, *worse = b;
	unsigned i, n = a->uncertainty.samples, won = 0;
	double margin;

	for (i = 0; i < n; i++)
		scratch[i] = vb[i] > 0 ? va[i] / vb[i] - 1 : va[i] > 0;
	margin = stats_median(scratch, n);
	if (margin < 0) {
		better = b;
		worse = a;
	}
	for (i = 0; i < n; i++)
		won += better->uncertainty.total_samples[i] >
		    worse->uncertainty.total_samples[i];
	snprintf(rr->by, sizeof(rr->by), by_lock ? "lock" : "design");
	snprintf(rr->better, sizeof(rr->better), "%s", by_lock ?
	    better->lock : better->design);
	snprintf(rr->worse, sizeof(rr->worse), "%s", by_lock ? worse->lock :
	    worse->design);
	snprintf(rr->like, sizeof(rr->like), "%s", by_lock ? a->design :
	    a->lock);
	snprintf(rr->cipher, sizeof(rr->cipher), "%s", a->cipher);
	rr->readers = a->readers;
	rr->request_bytes = a->request_bytes;
	rr->share = (double)won / n;
	rr->robust = rr->share >= UNCERTAINTY_ROBUST &&
	    fabs(margin) >= UNCERTAINTY_MARGIN;
}

static int
find_rankings(struct result *r, double *scratch)
{
	struct result_uncertainty *ru = &r->uncertainty;
	struct result_ranking *grown;
	unsigned a, b, by_lock, room = 0;

	for (by_lock = 0; by_lock < 2; by_lock++)
	for (a = 0; a < r->cell_count; a++)
	for (b = a + 1; b < r->cell_count; b++) {
		if (!ranks(&r->cells[a], &r->cells[b], by_lock != 0))
			continue;
		if (ru->ranking_count == room) {
			room = 2 * room + 16;
			grown = realloc(ru->rankings, room * sizeof(*grown));
			if (grown == NULL)
				return (ENOMEM);
			ru->rankings = grown;
		}
		grown = &ru->rankings[ru->ranking_count++];
		memset(grown, 0, sizeof(*grown));
		rank_pair(&r->cells[a], &r->cells[b], by_lock != 0, scratch,
		    grown);
	}
	return (0);
}

int
uncertainty_analyse(struct result *r, const double *harvest,
    const struct profile *profiles, const struct profile *base)
{
	struct result_uncertainty *ru = &r->uncertainty;
	unsigned i, n = r->cells[0].uncertainty.samples;
	double *scratch;
	int error;

	MPASS(r->cell_count > 0 && n > 0);
	memset(ru, 0, sizeof(*ru));
	snprintf(ru->profile, sizeof(ru->profile), "%s", base->pr_name);
	ru->samples = n;
	scratch = calloc(n, sizeof(*scratch));
	if (scratch == NULL)
		return (ENOMEM);
	for (i = 0; i < r->cell_count; i++) {
		struct result_band *rb = &r->cells[i].uncertainty;

		band(rb->total_samples, n, scratch, rb->total_mb_per_s);
		band(harvest + i * n, n, scratch, rb->harvest_cpu_percent);
	}
	error = find_effects(r, profiles, base);
	if (error == 0)
		error = find_rankings(r, scratch);
	free(scratch);
	return (error);
}

static int
prepare(struct uncertainty *un)
{
	const struct options *op = un->un_options;
	struct result *r = un->un_result;
	struct result_band *rb;
	unsigned i;

	un->un_profiles = calloc(un->un_samples, sizeof(*un->un_profiles));
	un->un_harvest = calloc((size_t)r->cell_count * un->un_samples,
	    sizeof(*un->un_harvest));
	un->un_has = calloc((size_t)r->cell_count * un->un_samples,
	    sizeof(*un->un_has));
	if (un->un_profiles == NULL || un->un_harvest == NULL ||
	    un->un_has == NULL)
		return (ENOMEM);
	for (i = 0; i < un->un_samples; i++)
		profile_sample(&op->op_machine.vi_profile, i, un->un_samples,
		    op->op_seed, &un->un_profiles[i]);
	for (i = 0; i < r->cell_count; i++) {
		rb = &r->cells[i].uncertainty;
		rb->total_samples = calloc(un->un_samples, sizeof(double));
		if (rb->total_samples == NULL)
			return (ENOMEM);
		rb->samples = un->un_samples;
	}
	return (0);
}

int
uncertainty_run(const struct options *op, struct checkpoint *ck,
    const struct cell *like, const volatile sig_atomic_t *stop,
    struct result *r, char error_text[CELL_ERROR_SIZE])
{
	struct uncertainty un = { .un_options = op, .un_checkpoint = ck,
	    .un_cells = like, .un_result = r,
	    .un_samples = op->op_uncertainty, .un_error = error_text };
	struct replicate rp = {
		.rp_options = op,
		.rp_replicas = r->cell_count * op->op_uncertainty,
		.rp_stop = stop,
		.rp_label = "drawn profiles",
		.rp_choose = choose,
		.rp_take = take,
		.rp_context = &un,
	};
	unsigned i;
	int error, error2 = 0;
	bool some;

	error = prepare(&un);
	if (error == 0) {
		rp.rp_before = take_up(&un);
		error = replicate_run(&rp);
	}
	some = error == 0 || (error == EINTR && cut(&un));
	if (some)
		error2 = uncertainty_analyse(r, un.un_harvest, un.un_profiles,
		    &op->op_machine.vi_profile);
	if (error2 != 0)
		error = error2;
	for (i = 0; i < r->cell_count && (!some || error2 != 0); i++)
		result_band_free(&r->cells[i].uncertainty);
	if (!some || error2 != 0)
		result_uncertainty_free(&r->uncertainty);
	if (error != 0 && error_text[0] == '\0')
		snprintf(error_text, CELL_ERROR_SIZE, "%s", strerror(error));
	free(un.un_profiles);
	free(un.un_harvest);
	free(un.un_has);
	return (error);
}
