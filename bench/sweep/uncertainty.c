#include <gsl/gsl_statistics.h>

#include "bench/sweep/sweep.h"

/* Gives a cell the medians over repeats of its first n profiles. */
static void
gather(const struct sweeping *sw, unsigned cell, unsigned n,
    struct result_band *rb)
{
	const unsigned repeats = sw->sw_options->op_repeats;
	const struct cell *ce = &sw->sw_cells[cell].sc_cell;
	double *medians, *scratch = xcalloc(repeats, sizeof(*scratch));

	for (unsigned q = 0; q < QUANTITIES; q++) {
		if (q == QUANTITY_SEEDED ? !ce->ce_until_seeded :
		    q >= QUANTITY_PRODUCED && ce->ce_producers == 0)
			continue;
		medians = xcalloc(n, sizeof(*medians));
		memcpy((char *)rb + quantities[q].qu_drawn, &medians,
		    sizeof(medians));
		for (unsigned i = 0; i < n; i++) {
			for (unsigned k = 0; k < repeats; k++)
				scratch[k] = grid_drawn(sw, cell,
				    (i + 1) * repeats + k)[q];
			medians[i] = stats_median(scratch, repeats);
		}
	}
	free(scratch);
	rb->samples = n;
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
	const char *prefix;
	size_t n;

	for (unsigned i = 0; i < r->cell_count; i++) {
		prefix = FORMATF("%s.%s.", r->cells[i].cipher,
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
	const struct result_band *rb;
	struct result_parameter *rp;
	double *values = xcalloc(3 * (size_t)n, sizeof(*values));
	double effect, *work = values + n;

	ru->parameters = xcalloc(PROFILE_VALUES, sizeof(*ru->parameters));
	for (unsigned key = 0; key < PROFILE_VALUES; key++) {
		if (!profile_varies(base, (enum profile_key)key) ||
		    !profile_used(base, (enum profile_key)key) ||
		    !in_use(r, profile_fields[key].pf_key))
			continue;
		rp = &ru->parameters[ru->parameter_count++];
		TEXT_SET(rp->key, profile_fields[key].pf_key);
		TEXT_SET(rp->provenance, provenance_names[base->pr_from[key]]);
		for (unsigned i = 0; i < n; i++)
			values[i] = profiles[i].pr_value[key];
		for (unsigned cell = 0; cell < r->cell_count; cell++) {
			rb = &r->cells[cell].uncertainty;
			effect = gsl_stats_spearman(values, 1,
			    r->cells[cell].readers > 0 ||
			    rb->events_samples == NULL ? rb->total_samples :
			    rb->events_samples, 1, n, work);
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
    bool by_lock, struct result_uncertainty *ru)
{
	const struct result_cell *better = a, *worse = b;
	struct result_ranking *rr = ARRAY_ADD(ru->rankings, ru->ranking_count);
	struct stats_change sc;

	stats_change(b->uncertainty.total_samples,
	    a->uncertainty.total_samples, a->uncertainty.samples, &sc);
	if (sc.chg_median < 0) {
		better = b;
		worse = a;
	}
	*rr = (struct result_ranking){ .readers = a->readers,
	    .request_bytes = a->request_bytes, .share = sc.chg_share,
	    /* As compare ranks them, the profile's own sign included. */
	    .robust = sc.chg_share >= STATS_ROBUST &&
	    fabs(sc.chg_median) > STATS_MARGIN_PREDICTED &&
	    better->total_mb_per_s > worse->total_mb_per_s };
	strcpy(rr->by, by_lock ? "lock" : "design");
	strcpy(rr->better, by_lock ? better->lock : better->design);
	strcpy(rr->worse, by_lock ? worse->lock : worse->design);
	strcpy(rr->like, by_lock ? a->design : a->lock);
	strcpy(rr->cipher, a->cipher);
}

/* Ranks all pairs of cells that differ in their design or their lock alone. */
static void
find_rankings(struct result *r)
{
	const struct result_cell *end = r->cells + r->cell_count;

	for (unsigned by_lock = 0; by_lock < 2; by_lock++)
	for (const struct result_cell *a = r->cells; a < end; a++)
	for (const struct result_cell *b = a + 1; b < end; b++)
		if ((strcmp(a->design, b->design) != 0) != by_lock &&
		    (strcmp(a->lock, b->lock) != 0) == by_lock &&
		    strcmp(a->cipher, b->cipher) == 0 &&
		    a->readers == b->readers && a->readers > 0 &&
		    a->producers == b->producers &&
		    a->request_bytes == b->request_bytes)
			rank_pair(a, b, by_lock != 0, &r->uncertainty);
}

/* What drawn profiles say of all cells together. */
static void
relate(struct result *r, const struct profile *profiles,
    const struct profile *base)
{
	struct result_uncertainty *ru = &r->uncertainty;

	memset(ru, 0, sizeof(*ru));
	TEXT_SET(ru->profile, base->pr_name);
	ru->samples = r->cells[0].uncertainty.samples;
	ru->margin = STATS_MARGIN_PREDICTED;
	find_effects(r, profiles, base);
	find_rankings(r);
}

void
uncertainty_analyse(struct result *r, const struct profile *profiles,
    const struct profile *base)
{
	const unsigned n = r->cells[0].uncertainty.samples;

	MPASS(r->cell_count > 0 && n > 0);
	for (unsigned i = 0; i < r->cell_count; i++) {
		struct result_band *rb = &r->cells[i].uncertainty;

		stats_band(rb->total_samples, n, rb->total_mb_per_s);
		stats_band(rb->harvest_cpu_samples, n, rb->harvest_cpu_percent);
		stats_band(rb->latency_p99_samples, n, rb->latency_p99_ns);
		if (rb->events_samples != NULL)
			stats_band(rb->events_samples, n, rb->events_per_s);
	}
	relate(r, profiles, base);
}

struct profile *
uncertainty_profiles(const struct options *op)
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
	struct profile *profiles = uncertainty_profiles(op);

	relate(r, profiles, &op->op_machine.vi_profile);
	free(profiles);
}

void
uncertainty_finish(const struct sweeping *sw)
{
	const unsigned repeats = sw->sw_options->op_repeats;
	const struct sweep_cell *sc = sw->sw_cells;
	struct result *r = sw->sw_result;
	struct result_cell *rc = r->cells;
	unsigned i, n, round;

	/* The drawn profiles that all cells have had, with all repeats. */
	for (round = repeats; round < sw->sw_rounds; round++) {
		for (i = 0; i < sw->sw_grid && (sc[i].sc_result.repeats == 0 ||
		    *grid_has(sw, i, round));)
			i++;
		if (i < sw->sw_grid)
			break;
	}
	n = round / repeats - 1;
	if (r->cell_count == 0 || n < UNCERTAINTY_LEAST)
		return;
	for (i = 0; i < sw->sw_grid; i++)
		if (sc[i].sc_result.repeats > 0)
			gather(sw, i, n, &(rc++)->uncertainty);
	uncertainty_analyse(r, sw->sw_profiles,
	    &sw->sw_options->op_machine.vi_profile);
}
