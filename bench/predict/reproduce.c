#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_roots.h>

#include "bench/predict/reproduce.h"
#include "bench/stats/stats.h"

enum { FIT_STEPS_MAX = 40 };

/* A share of the published number. */
static const double fit_tolerance = 0.0005;

const struct reproduction *const reproductions[] = {
#define	REPRODUCTION(name)	&reproduce_##name,
#define	PUBLISHED(name, file, profile, map, descr)			\
	&(const struct reproduction){ .rn_name = name, .rn_descr = descr, \
	    .rn_profile = profile, .rn_file = file, .rn_map = map },
#include "bench/predict/reproduce.tbl"
#undef REPRODUCTION
#undef PUBLISHED
};

const unsigned reproduction_count = sizeof(reproductions) /
    sizeof(reproductions[0]);

/* Sets a run's figures: the medians over seeds. */
static int
medians(struct reproducing *ri, unsigned run)
{
	double figures[REPRODUCE_FIGURES], values[REPRODUCE_FIGURES][
	    REPRODUCE_SEEDS];
	char why[CELL_ERROR_SIZE] = "";
	unsigned i, k;
	int error;

	KASSERT(run < REPRODUCE_RUNS_MAX, ("run %u", run));
	for (i = 0; i < REPRODUCE_SEEDS; i++) {
		error = ri->ri_what->rn_run(&ri->ri_profile, run, ri->ri_free,
		    ri->ri_seed + i, figures, why);
		if (error != 0) {
			snprintf(ri->ri_error, sizeof(ri->ri_error), "%s",
			    why);
			return (error);
		}
		for (k = 0; k < REPRODUCE_FIGURES; k++)
			values[k][i] = figures[k];
	}
	for (k = 0; k < REPRODUCE_FIGURES; k++)
		ri->ri_figures[run][k] = stats_median(values[k],
		    REPRODUCE_SEEDS);
	return (0);
}

double
reproduce_value(const struct reproducing *ri, const struct reproduce_figure *rf)
{
	const double v = ri->ri_figures[rf->rf_run][rf->rf_figure];

	return (rf->rf_base == REPRODUCE_ABSOLUTE ? v :
	    v / ri->ri_figures[rf->rf_base][rf->rf_figure]);
}

struct fit {
	struct reproducing *fi_rg;
	const struct reproduce_fit *fi_what;
	double		*fi_value;	/* what is fitted */
	double		 fi_off;	/* off() of the latest one tried */
	int		 fi_error;
};

/*
 * The inverse of a rate is a sum of costs, so published / figure is nearly
 * linear in a cost, and the search takes few steps.
 */
static double
off(double value, void *context)
{
	struct fit *fi = context;
	struct reproducing *ri = fi->fi_rg;
	const struct reproduce_fit *ff = fi->fi_what;
	const struct reproduce_figure *rf = &ff->ff_figure;
	double v;

	*fi->fi_value = value;
	if (fi->fi_error == 0 && rf->rf_base != REPRODUCE_ABSOLUTE)
		fi->fi_error = medians(ri, (unsigned)rf->rf_base);
	if (fi->fi_error == 0)
		fi->fi_error = medians(ri, rf->rf_run);
	if (fi->fi_error != 0)
		return (GSL_NAN);
	v = reproduce_value(ri, rf);
	KASSERT(v > 0, ("a figure of %g", v));
	fi->fi_off = ri->ri_what->rn_rows[ff->ff_row].rr_published / v - 1;
	return (fi->fi_off);
}

/* The figure is too high at one end of the range and too low at the other. */
static int
search(struct fit *fi)
{
	gsl_function f = { .function = off, .params = fi };
	gsl_error_handler_t *handler = gsl_set_error_handler_off();
	gsl_root_fsolver *solver;
	int status = GSL_ENOMEM;
	char digits[32];

	solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
	if (solver != NULL) {
		status = gsl_root_fsolver_set(solver, &f, 0,
		    fi->fi_what->ff_high);
		for (unsigned i = 0;
		    status == GSL_SUCCESS && i < FIT_STEPS_MAX &&
		    fabs(fi->fi_off) > fit_tolerance; i++)
			status = gsl_root_fsolver_iterate(solver);
		gsl_root_fsolver_free(solver);
	}
	gsl_set_error_handler(handler);
	/* More than four digits are noise. */
	snprintf(digits, sizeof(digits), "%.4g", *fi->fi_value);
	*fi->fi_value = strtod(digits, NULL);
	if (fi->fi_error != 0)
		return (fi->fi_error);
	if (status == GSL_SUCCESS)
		return (0);
	snprintf(fi->fi_rg->ri_error, CELL_ERROR_SIZE, "the figure of row "
	    "\"%s\" cannot be fitted: %s",
	    fi->fi_rg->ri_what->rn_rows[fi->fi_what->ff_row].rr_name,
	    gsl_strerror(status));
	return (EDOM);
}

static int
fit(struct reproducing *ri, const struct reproduce_fit *ff)
{
	const enum profile_key key = ff->ff_key;
	struct profile *pr = &ri->ri_profile;
	struct fit fi = { .fi_rg = ri, .fi_what = ff,
	    .fi_value = key == PROFILE_VALUES ? &ri->ri_free :
	    &pr->pr_value[key] };
	double above, below;
	int error;

	below = off(0, &fi);
	above = off(ff->ff_high, &fi);
	error = fi.fi_error;
	if (error == 0 && (below < 0) == (above < 0))
		*fi.fi_value = fabs(below) < fabs(above) ? 0 : ff->ff_high;
	else if (error == 0)
		error = search(&fi);
	if (key != PROFILE_VALUES)
		pr->pr_from[key] = PROVENANCE_FITTED;
	return (error);
}

int
reproduce(struct reproducing *ri, const struct reproduction *rn,
    const struct profile *pr, uint64_t seed)
{
	int error = 0;

	memset(ri, 0, sizeof(*ri));
	ri->ri_what = rn;
	ri->ri_profile = *pr;
	ri->ri_given = pr->pr_value[rn->rn_fits[0].ff_key];
	ri->ri_seed = seed;
	for (unsigned i = 0; error == 0 && i < rn->rn_fit_count; i++)
		error = fit(ri, &rn->rn_fits[i]);
	for (unsigned i = 0; error == 0 && i < rn->rn_runs; i++)
		error = medians(ri, i);
	if (error != 0 && ri->ri_error[0] == '\0')
		snprintf(ri->ri_error, sizeof(ri->ri_error), "%s",
		    strerror(error));
	return (error);
}

bool
reproduce_within(const struct reproducing *ri, unsigned row)
{
	const struct reproduce_row *rr = &ri->ri_what->rn_rows[row];
	const double v = reproduce_value(ri, &rr->rr_figure);

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
