#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>

#include "bench/cli/memory.h"
#include "bench/sweep/sweep.h"

struct uncertainty {
	const struct options *un_options;
	struct checkpoint *un_checkpoint;
	struct result	*un_result;
	unsigned	 un_rounds;	/* profiles times repeats */
	struct profile	*un_profiles;	/* [sample] */
	double		*un_values;	/* [cell][round][quantity] */
	char		*un_error;
};

/* The first is NAN where it is not drawn. */
static double *
drawn(const struct uncertainty *un, unsigned cell, unsigned round)
{
	return (&un->un_values[((size_t)cell * un->un_rounds + round) *
	    QUANTITIES]);
}

/* Whether it is drawn. */
static bool
skip(void *context, unsigned cell, unsigned round)
{
	return (!isnan(*drawn(context, cell, round)));
}

/* Ignores a draw from the journal that is not of this run. */
static void
keep(struct uncertainty *un, const struct checkpoint_draw *cd)
{
	if (cd->cd_cell < un->un_result->cell_count &&
	    cd->cd_round < un->un_rounds && cd->cd_count == QUANTITIES)
		memcpy(drawn(un, cd->cd_cell, cd->cd_round), cd->cd_values,
		    sizeof(cd->cd_values));
}

static int
take(void *context, unsigned cell, unsigned round, int error,
    const char *why, struct cell_measure *cm)
{
	struct uncertainty *un = context;
	struct checkpoint_draw cd = { .cd_cell = cell, .cd_round = round,
	    .cd_count = QUANTITIES };
	unsigned q;

	if (error != 0) {
		snprintf(un->un_error, CELL_ERROR_SIZE, "with profile %u of "
		    "%u drawn: %.*s", round / un->un_options->op_repeats + 1,
		    un->un_options->op_uncertainty, CELL_ERROR_SIZE - 64, why);
		return (error);
	}
	for (q = 0; q < QUANTITIES; q++)
		cd.cd_values[q] = quantity_raw(&quantities[q], &cm->cm_sample,
		    un->un_result->cells[cell].readers);
	error = checkpoint_add_draw(un->un_checkpoint, &cd);
	if (error == 0)
		keep(un, &cd);
	return (error);
}

/* The number of profiles that all cells have, with all repeats. */
static unsigned
whole(struct uncertainty *un)
{
	const unsigned cells = un->un_result->cell_count;
	unsigned done = 0;

	while (done < un->un_rounds * cells && skip(un, done % cells,
	    done / cells))
		done++;
	return (done / cells / un->un_options->op_repeats);
}

/* Gives a cell the medians over repeats of its first n profiles. */
static void
gather(struct uncertainty *un, unsigned cell, unsigned n)
{
	struct result_band *rb = &un->un_result->cells[cell].uncertainty;
	const unsigned repeats = un->un_options->op_repeats;
	double *medians, *scratch = xcalloc(repeats, sizeof(*scratch));

	for (unsigned q = 0; q < QUANTITIES; q++) {
		medians = xcalloc(n, sizeof(*medians));
		memcpy((char *)rb + quantities[q].qu_drawn, &medians,
		    sizeof(medians));
		for (unsigned i = 0; i < n; i++) {
			for (unsigned k = 0; k < repeats; k++)
				scratch[k] = drawn(un, cell,
				    i * repeats + k)[q];
			medians[i] = stats_median(scratch, repeats);
		}
	}
	free(scratch);
	rb->samples = n;
}

/* values stay as they are; scratch has room for as many. */
static void
band(const double *values, unsigned n, double *scratch, double out[2])
{
	memcpy(scratch, values, n * sizeof(*scratch));
	out[0] = stats_quantile(scratch, n, STATS_BAND_LOW);
	out[1] = stats_quantile(scratch, n, STATS_ROBUST);
}

static int
by_effect(const void *left, const void *right)
{
	const struct result_parameter *a = left, *b = right;
	double x = fabs(a->effect), y = fabs(b->effect);

	return (x > y ? -1 : x < y ? 1 : strcmp(a->key, b->key));
}

/* Whether some cell uses a value: costs of ciphers may be unused. */
static bool
in_use(const struct result *r, const char *key)
{
	char prefix[2 * RESULT_NAME_SIZE + 2];
	size_t n;

	for (unsigned i = 0; i < r->cell_count; i++) {
		snprintf(prefix, sizeof(prefix), "%s.%s.", r->cells[i].cipher,
		    r->cells[i].crypto);
		if (strncmp(key, prefix, strlen(prefix)) == 0)
			return (true);
	}
	for (unsigned c = 0; c < cipher_count; c++) {
		n = strlen(ciphers[c]->ci_name);
		if (strncmp(key, ciphers[c]->ci_name, n) == 0 && key[n] == '.')
			return (false);
	}
	return (true);
}

static void
find_effects(struct result *r, const struct profile *profiles,
    const struct profile *base)
{
	struct result_uncertainty *ru = &r->uncertainty;
	unsigned n = ru->samples;
	struct result_parameter *rp;
	double effect, *values, *work;

	ru->parameters = xcalloc(PROFILE_VALUES, sizeof(*ru->parameters));
	values = xcalloc(3 * (size_t)n, sizeof(*values));
	work = values + n;
	for (unsigned key = 0; key < PROFILE_VALUES; key++) {
		if (!profile_varies(base, (enum profile_key)key) ||
		    !profile_used(base, (enum profile_key)key) ||
		    !in_use(r, profile_fields[key].pf_key))
			continue;
		rp = &ru->parameters[ru->parameter_count++];
		snprintf(rp->key, sizeof(rp->key), "%s",
		    profile_fields[key].pf_key);
		snprintf(rp->provenance, sizeof(rp->provenance), "%s",
		    provenance_name(base->pr_from[key]));
		for (unsigned i = 0; i < n; i++)
			values[i] = profiles[i].pr_value[key];
		for (unsigned cell = 0; cell < r->cell_count; cell++) {
			effect = gsl_stats_spearman(values, 1, r->cells[cell].
			    uncertainty.total_samples, 1, n, work);
			/* Not a number where one of the two does not vary. */
			if (isfinite(effect))
				rp->effect += fmax(-1, fmin(1, effect)) /
				    r->cell_count;
		}
	}
	free(values);
	qsort(ru->parameters, ru->parameter_count, sizeof(*ru->parameters),
	    by_effect);
}

/* Ranks two cells by their samples, each pair with the same profile. */
static void
rank_pair(const struct result_cell *a, const struct result_cell *b,
    bool by_lock, double *scratch, struct result_ranking *rr)
{
	const struct result_cell *better = a, *worse = b;
	struct stats_change sc;

	stats_change(b->uncertainty.total_samples,
	    a->uncertainty.total_samples, a->uncertainty.samples, scratch, &sc);
	if (sc.sc_median < 0) {
		better = b;
		worse = a;
	}
	strcpy(rr->by, by_lock ? "lock" : "design");
	strcpy(rr->better, by_lock ? better->lock : better->design);
	strcpy(rr->worse, by_lock ? worse->lock : worse->design);
	strcpy(rr->like, by_lock ? a->design : a->lock);
	strcpy(rr->cipher, a->cipher);
	rr->readers = a->readers;
	rr->request_bytes = a->request_bytes;
	rr->share = sc.sc_share;
	rr->robust = rr->share >= STATS_ROBUST &&
	    fabs(sc.sc_median) >= UNCERTAINTY_MARGIN;
}

/* Ranks all pairs of cells that differ in their design or their lock alone. */
static void
find_rankings(struct result *r, double *scratch)
{
	struct result_uncertainty *ru = &r->uncertainty;
	const struct result_cell *end = r->cells + r->cell_count;
	struct result_ranking *grown;

	for (unsigned by_lock = 0; by_lock < 2; by_lock++)
	for (const struct result_cell *a = r->cells; a < end; a++)
	for (const struct result_cell *b = a + 1; b < end; b++) {
		if ((strcmp(a->design, b->design) != 0) == by_lock ||
		    (strcmp(a->lock, b->lock) != 0) != by_lock ||
		    strcmp(a->cipher, b->cipher) != 0 ||
		    a->readers != b->readers ||
		    a->request_bytes != b->request_bytes)
			continue;
		ru->rankings = xreallocarray(ru->rankings,
		    ru->ranking_count + 1, sizeof(*grown));
		grown = &ru->rankings[ru->ranking_count++];
		memset(grown, 0, sizeof(*grown));
		rank_pair(a, b, by_lock != 0, scratch, grown);
	}
}

void
uncertainty_analyse(struct result *r, const struct profile *profiles,
    const struct profile *base)
{
	struct result_uncertainty *ru = &r->uncertainty;
	unsigned n = r->cells[0].uncertainty.samples;
	double *scratch;

	MPASS(r->cell_count > 0 && n > 0);
	memset(ru, 0, sizeof(*ru));
	snprintf(ru->profile, sizeof(ru->profile), "%s", base->pr_name);
	ru->samples = n;
	scratch = xcalloc(n, sizeof(*scratch));
	for (unsigned i = 0; i < r->cell_count; i++) {
		struct result_band *rb = &r->cells[i].uncertainty;

		band(rb->total_samples, n, scratch, rb->total_mb_per_s);
		band(rb->harvest_cpu_samples, n, scratch,
		    rb->harvest_cpu_percent);
		band(rb->latency_p99_samples, n, scratch, rb->latency_p99_ns);
	}
	find_effects(r, profiles, base);
	find_rankings(r, scratch);
	free(scratch);
}

/* To be freed. */
static struct profile *
draw_profiles(const struct options *op)
{
	struct profile *pr = xcalloc(op->op_uncertainty, sizeof(*pr));

	for (unsigned i = 0; i < op->op_uncertainty; i++)
		profile_sample(&op->op_machine.vi_profile, i,
		    op->op_uncertainty, op->op_seed, &pr[i]);
	return (pr);
}

void
uncertainty_redraw(const struct options *op, struct result *r)
{
	struct profile *profiles = draw_profiles(op);

	uncertainty_analyse(r, profiles, &op->op_machine.vi_profile);
	free(profiles);
}

static void
prepare(struct uncertainty *un)
{
	const struct options *op = un->un_options;
	const size_t n = (size_t)un->un_result->cell_count * un->un_rounds *
	    QUANTITIES;

	un->un_profiles = draw_profiles(op);
	un->un_values = xcalloc(n, sizeof(*un->un_values));
	for (size_t i = 0; i < n; i += QUANTITIES)
		un->un_values[i] = NAN;
}

int
uncertainty_run(const struct options *op, struct checkpoint *ck,
    const struct cell *const *like, struct result *r,
    char error_text[CELL_ERROR_SIZE])
{
	struct uncertainty un = { .un_options = op, .un_checkpoint = ck,
	    .un_result = r, .un_rounds = op->op_uncertainty * op->op_repeats,
	    .un_error = error_text };
	struct replicate rp = {
		.rp_options = op,
		.rp_cells = like,
		.rp_cell_count = r->cell_count,
		.rp_rounds = un.un_rounds,
		.rp_label = "drawn profiles",
		.rp_skip = skip,
		.rp_take = take,
		.rp_context = &un,
	};
	unsigned i, n = 0;
	int error;

	prepare(&un);
	rp.rp_profiles = un.un_profiles;
	for (i = 0; ck != NULL && i < ck->ck_draw_count; i++)
		keep(&un, &ck->ck_draws[i]);
	error = replicate_run(&rp);
	if (error == 0 || error == EINTR)
		n = whole(&un);
	for (i = 0; i < r->cell_count && n >= UNCERTAINTY_LEAST; i++)
		gather(&un, i, n);
	if (n >= UNCERTAINTY_LEAST)
		uncertainty_analyse(r, un.un_profiles,
		    &op->op_machine.vi_profile);
	if (error != 0 && error_text[0] == '\0')
		snprintf(error_text, CELL_ERROR_SIZE, "%s", strerror(error));
	free(un.un_profiles);
	free(un.un_values);
	return (error);
}
