/* Fits, predicts and prints. */
#include "bench/cell/virtual.h"
#include "bench/cli/stop.h"
#include "bench/predict/reproduce.h"
#include "bench/stats/stats.h"

enum { FIT_STEPS_MAX = 40, JSON_DIGITS = 6 };

/* A share of the published number. */
static const double fit_tolerance = 0.0005;

const struct reproduction *const reproductions[] = {
#define	REPRODUCTION(name)	&reproduce_##name,
#define	PUBLISHED(name, file, profile, map, descr)			\
	&(const struct reproduction){ .rn_name = name, .rn_descr = descr, \
	    .rn_profile = profile, .rn_file = file, .rn_map = map },
#include "bench/predict/reproduce.tbl"
};

const unsigned reproduction_count = nitems(reproductions);

/* Sets a run's figures: the medians over seeds. */
static int
medians(struct reproducing *ri, unsigned run)
{
	double figures[REPRODUCE_FIGURES], values[REPRODUCE_FIGURES][
	    REPRODUCE_SEEDS];
	int error = 0;

	KASSERT(run < REPRODUCE_RUNS_MAX, ("run %u", run));
	for (unsigned i = 0; error == 0 && i < REPRODUCE_SEEDS; i++) {
		error = ri->ri_what->rn_run(&ri->ri_profile, run,
		    ri->ri_seed + i, figures, ri->ri_error);
		for (unsigned k = 0; error == 0 && k < REPRODUCE_FIGURES; k++)
			values[k][i] = figures[k];
	}
	for (unsigned k = 0; error == 0 && k < REPRODUCE_FIGURES; k++)
		ri->ri_figures[run][k] = stats_median(values[k],
		    REPRODUCE_SEEDS);
	return (error);
}

/* What is predicted of a row. */
static double
value(const struct reproducing *ri, const struct reproduce_row *rr)
{
	return (ri->ri_figures[rr->rr_run][rr->rr_figure]);
}

/*
 * How far the fitted figure is off: the inverse of a rate is a sum of costs, so
 * published / figure is nearly linear in a cost.
 */
static int
off(struct reproducing *ri, double *share)
{
	const struct reproduction *rn = ri->ri_what;
	const struct reproduce_row *rr = &rn->rn_rows[rn->rn_fit_row];
	const double *v = &ri->ri_figures[rn->rn_fit_run][rr->rr_figure];
	const int error = medians(ri, rn->rn_fit_run);

	KASSERT(error != 0 || *v > 0, ("a figure of %g", *v));
	*share = error == 0 ? rr->rr_published / *v - 1 : 0;
	return (error);
}

/*
 * By false position between the ends of the range, if the figure is too high at
 * one and too low at the other; an end that stays twice counts half (Illinois).
 */
static int
fit(struct reproducing *ri)
{
	const struct reproduction *rn = ri->ri_what;
	double *value = &ri->ri_profile.pr_value[rn->rn_fit_key];
	double at[2] = { rn->rn_fit_high, 0 }, now = 1, share[2] = { 0 };
	unsigned moved, last = 2;
	int error = 0;

	for (unsigned i = 0; i < 2 && error == 0; i++) {
		*value = at[i];
		error = off(ri, &share[i]);
	}
	*value = fabs(share[0]) < fabs(share[1]) ? at[0] : at[1];
	for (unsigned i = 0; error == 0 && i < FIT_STEPS_MAX &&
	    (share[0] < 0) != (share[1] < 0) && fabs(now) > fit_tolerance;
	    i++) {
		*value = (at[0] * share[1] - at[1] * share[0]) /
		    (share[1] - share[0]);
		error = off(ri, &now);
		moved = (now < 0) != (share[0] < 0);
		at[moved] = *value;
		share[moved] = now;
		share[!moved] /= moved == last ? 2 : 1;
		last = moved;
	}
	/* More than four digits are noise. */
	*value = strtod(FORMATF("%.4g", *value), NULL);
	ri->ri_profile.pr_from[rn->rn_fit_key] = PROVENANCE_FITTED;
	return (error);
}

int
reproduce(struct reproducing *ri, const struct reproduction *rn,
    const struct profile *pr, uint64_t seed)
{
	int error;

	memset(ri, 0, sizeof(*ri));
	ri->ri_what = rn;
	ri->ri_profile = *pr;
	ri->ri_given = pr->pr_value[rn->rn_fit_key];
	ri->ri_seed = seed;
	error = fit(ri);
	for (unsigned i = 0; error == 0 && i < rn->rn_runs; i++)
		error = medians(ri, i);
	if (error != 0 && ri->ri_error[0] == '\0')
		snprintf(ri->ri_error, sizeof(ri->ri_error), "%s",
		    strerror(error));
	return (error);
}

int
reproduce_cell(const struct profile *pr, unsigned cpus,
    struct cell_params *cp, struct cell_measure *cm, char why[CELL_ERROR_SIZE])
{
	struct virtual_machine vi = { .vi_profile = *pr };
	struct pinning place = { .pl_harvest = -1 };
	struct machine_config mc;
	int error = vm_topology_make(pr, cpus, 0, &vi.vi_topology, why);

	if (error == 0)
		error = pinning_parse(&place, "compact", &vi.vi_topology, why);
	if (error == 0) {
		cp->cp_place = &place;
		cp->cp_machine = &mc;
		cp->cp_stop = &stop_signal;
		virtual_config(&vi, pr, cp, false, virtual_seed(cp->cp_seed, 0,
		    &cp->cp_cell), &mc);
		error = ENGINE(virtual).en_run(cp, cm, why);
	}
	pinning_free(&place);
	return (error);
}

bool
reproduce_within(const struct reproducing *ri, unsigned row)
{
	const struct reproduce_row *rr = &ri->ri_what->rn_rows[row];
	const double v = value(ri, rr);

	return (v >= rr->rr_low && v <= rr->rr_high);
}

unsigned
reproduce_missed(const struct reproducing *ri)
{
	unsigned missed = 0;

	for (unsigned i = 0; i < ri->ri_what->rn_row_count; i++)
		missed += !reproduce_within(ri, i);
	return (missed);
}

#define	ROW_FORMAT	"s:s, s:f, s:f, s:s, s:b, s:s, s:[f, f]"

/* Of enum reproduce_role. */
static const char *const roles[] = { "fitted", "input", "predicted" };

static const struct column columns[] = {
	{ "", -34 }, { "publ.", 7 }, { "accepted", 11 }, { "pred.", 7 },
	{ "", -5 }, { " within", 0 }
};

void
reproduce_print(FILE *out, const void *of)
{
	const struct reproducing *ri = of;
	const struct reproduction *rn = ri->ri_what;
	const enum profile_key key = rn->rn_fit_key;
	const char *unit = profile_unit_name(profile_fields[key].pf_unit);
	const struct reproduce_row *rr = rn->rn_rows;

	fprintf(out, "%s: %s\n", rn->rn_name, rn->rn_descr);
	format_wrapf(out, "predicted", 2, "for %s, %s %% of its values "
	    "guessed; medians of %d runs, seeds from %" PRIu64,
	    ri->ri_profile.pr_name, FORMAT(percent, 100 *
	    profile_share(&ri->ri_profile, PROVENANCE_GUESSED)),
	    REPRODUCE_SEEDS, ri->ri_seed);
	format_wrapf(out, "fitted   ", 2, "%s = %.4g%s%s; the profile has "
	    "%.4g", profile_fields[key].pf_key, ri->ri_profile.pr_value[key],
	    *unit != '\0' ? " " : "", unit, ri->ri_given);
	putc('\n', out);
	COLUMNS_TITLES(out, columns);
	for (unsigned i = 0; i < rn->rn_row_count; i++, rr++)
		COLUMNS_ROW(out, columns, rr->rr_name,
		    rr->rr_published_high > 0 ? FORMATF("%.4g-%.4g",
		    rr->rr_published, rr->rr_published_high) :
		    FORMATF("%.4g", rr->rr_published),
		    FORMATF("%.4g-%.4g", rr->rr_low, rr->rr_high),
		    FORMAT(real, value(ri, rr)),
		    rr->rr_unit, FORMATF(" %s",
		    !reproduce_within(ri, i) ? "NO" : rr->rr_role ==
		    REPRODUCE_PREDICTED ? "yes" : roles[rr->rr_role]));
	if (rn->rn_word_count > 0)
		fputs("\nin words\n", out);
	for (unsigned i = 0; i < rn->rn_word_count; i++, rr++)
		format_wrapf(out, " ", 4, "%s: \"%s\": %s %s", rr->rr_name,
		    rr->rr_said, FORMAT(real, value(ri, rr)), rr->rr_unit);
	putc('\n', out);
	for (unsigned i = 0; rn->rn_remarks[i] != NULL; i++)
		format_wrap(out, "*", 2, rn->rn_remarks[i]);
}

static json_t *
json_row(const void *of, unsigned i)
{
	const struct reproducing *ri = of;
	const struct reproduce_row *rr = &ri->ri_what->rn_rows[i];

	/* Arguments that the format does not name are not read. */
	return (json_pack(rr->rr_published_high > 0 ?
	    "{" ROW_FORMAT ", s:f, s:f}" : "{" ROW_FORMAT "}",
	    "name", rr->rr_name, "published", rr->rr_published,
	    "predicted", value(ri, rr),
	    "unit", rr->rr_unit, "within", reproduce_within(ri, i),
	    "role", roles[rr->rr_role], "accepted", rr->rr_low, rr->rr_high,
	    "published_low", rr->rr_published,
	    "published_high", rr->rr_published_high));
}

static json_t *
json_words(const void *of, unsigned i)
{
	const struct reproducing *ri = of;
	const struct reproduction *rn = ri->ri_what;
	const struct reproduce_row *rr = &rn->rn_rows[rn->rn_row_count + i];

	return (json_pack("{s:s, s:s, s:f, s:s}", "name", rr->rr_name,
	    "published", rr->rr_said, "predicted", value(ri, rr),
	    "unit", rr->rr_unit));
}

void
reproduce_print_json(FILE *out, const void *of)
{
	const struct reproducing *ri = of;
	const struct reproduction *rn = ri->ri_what;
	const enum profile_key key = rn->rn_fit_key;
	json_t *remarks = json_array();

	for (unsigned i = 0; rn->rn_remarks[i] != NULL; i++)
		json_array_append_new(remarks, json_string(rn->rn_remarks[i]));
	json_print(out, json_pack("{s:s, s:s, s:s, s:f, s:{s:s, "
	    "s:f, s:s, s:f}, s:I, s:b, s:o, s:o, s:o}", "reproduction",
	    rn->rn_name, "claim", "predicted", "profile",
	    ri->ri_profile.pr_name, "guessed_share",
	    profile_share(&ri->ri_profile, PROVENANCE_GUESSED), "fitted",
	    "key", profile_fields[key].pf_key, "value",
	    ri->ri_profile.pr_value[key], "unit",
	    profile_unit_name(profile_fields[key].pf_unit), "profile_value",
	    ri->ri_given, "seed", (json_int_t)ri->ri_seed, "holds",
	    reproduce_missed(ri) == 0,
	    "rows", json_list(rn->rn_row_count, json_row, ri),
	    "words", json_list(rn->rn_word_count, json_words, ri),
	    "remarks", remarks), JSON_DIGITS);
}
