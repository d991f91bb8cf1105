#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_roots.h>

#include "bench/reproduce/reproduce.h"
#include "bench/statistics/stats.h"
#include "bench/sweep/pool.h"
#include "lib/cpu.h"

enum { FIT_STEPS_MAX = 40 };

/* Of the target. */
static const double fit_tolerance = 0.0005;

const struct reproduction *const reproductions[] = {
#define	REPRODUCTION(name)	&reproduce_##name,
#include "bench/reproduce/reproduce.tbl"
#undef REPRODUCTION
};

const unsigned reproduction_count = sizeof(reproductions) /
    sizeof(reproductions[0]);

const char *
reproduce_role_name(enum reproduce_role role)
{
	static const char *const names[REPRODUCE_ROLES] = {
		[REPRODUCE_FITTED] = "fitted",
		[REPRODUCE_INPUT] = "input",
		[REPRODUCE_PREDICTED] = "predicted",
		[REPRODUCE_OPEN] = "open",
	};

	return (names[role]);
}

int
reproduce(struct reproducing *rg, const struct reproduction *rd,
    const struct profile *pr, uint64_t seed, bool refit)
{
	int error = 0;

	MPASS(rd->rd_row_count <= REPRODUCE_ROWS_MAX);
	MPASS(rd->rd_word_count <= REPRODUCE_ROWS_MAX);
	memset(rg, 0, sizeof(*rg));
	rg->rg_what = rd;
	rg->rg_profile = *pr;
	rg->rg_given = pr->pr_value[rd->rd_key];
	rg->rg_seed = seed;
	progress_init(&rg->rg_progress, rd->rd_runs);
	if (refit && rd->rd_refit != NULL)
		error = rd->rd_refit(rg);
	if (error == 0)
		error = rd->rd_run(rg);
	progress_fini(&rg->rg_progress);
	return (error);
}

bool
reproduce_within(const struct reproducing *rg, unsigned row)
{
	const struct reproduce_row *rr = &rg->rg_what->rd_rows[row];

	return (rr->rr_role != REPRODUCE_OPEN &&
	    rg->rg_predicted[row] >= rr->rr_low &&
	    rg->rg_predicted[row] <= rr->rr_high);
}

bool
reproduce_holds(const struct reproducing *rg)
{
	unsigned i;

	for (i = 0; i < rg->rg_what->rd_row_count; i++)
		if (rg->rg_what->rd_rows[i].rr_role != REPRODUCE_OPEN &&
		    !reproduce_within(rg, i))
			return (false);
	return (true);
}

/* Runs with several seeds; each is in the slot of its own. */
struct medians {
	struct reproducing *me_rg;
	reproduce_runner *me_run;
	const void	*me_what;
	struct {
		int	error;
		double	figures[REPRODUCE_FIGURES];
		char	why[CELL_ERROR_SIZE];
	}		 me_slot[REPRODUCE_SEEDS];
};

static void
work(void *context, unsigned task, unsigned slot)
{
	struct medians *me = context;

	(void)slot;
	me->me_slot[task].error = me->me_run(me->me_what,
	    me->me_rg->rg_seed + task, me->me_slot[task].figures,
	    me->me_slot[task].why);
}

static int
take(void *context, unsigned task, unsigned slot)
{
	struct medians *me = context;
	struct reproducing *rg = me->me_rg;

	(void)slot;
	if (me->me_slot[task].error == 0)
		return (0);
	snprintf(rg->rg_error, sizeof(rg->rg_error), "%s",
	    me->me_slot[task].why);
	return (me->me_slot[task].error);
}

static void
drop(void *context, unsigned task, unsigned slot)
{

	(void)context;
	(void)task;
	(void)slot;
}

int
reproduce_medians(struct reproducing *rg, reproduce_runner *run,
    const void *what, double medians[REPRODUCE_FIGURES])
{
	struct medians me = { .me_rg = rg, .me_run = run, .me_what = what };
	const struct pool_job pj = {
		.pj_tasks = REPRODUCE_SEEDS,
		.pj_work = work,
		.pj_take = take,
		.pj_drop = drop,
		.pj_context = &me,
	};
	double values[REPRODUCE_SEEDS];
	unsigned i, k;
	int error;

	progress_update(&rg->rg_progress, rg->rg_done <
	    rg->rg_progress.pr_total ? rg->rg_done : rg->rg_progress.pr_total,
	    rg->rg_what->rd_name);
	error = pool_run(&pj, cpu_count() < REPRODUCE_SEEDS ? cpu_count() :
	    REPRODUCE_SEEDS);
	rg->rg_done++;
	if (error != 0) {
		if (rg->rg_error[0] == '\0')
			snprintf(rg->rg_error, sizeof(rg->rg_error), "%s",
			    strerror(error));
		return (error);
	}
	for (k = 0; k < REPRODUCE_FIGURES; k++) {
		for (i = 0; i < REPRODUCE_SEEDS; i++)
			values[i] = me.me_slot[i].figures[k];
		medians[k] = stats_median(values, REPRODUCE_SEEDS);
	}
	return (0);
}

struct fit {
	struct reproducing *fi_rg;
	enum profile_key fi_key;
	double		 fi_target;
	double		 fi_value;	/* tried last */
	double		 fi_off;	/* what it gave */
	int		 fi_error;
	int		(*fi_figure)(struct reproducing *rg, double *value);
};

/*
 * How far a value is off.  Rates are the inverse of times, which are the sum of
 * costs, so this is close to a straight line and takes few steps.
 */
static double
off(double value, void *context)
{
	struct fit *fi = context;
	double figure = 0;

	if (fi->fi_error != 0)
		return (GSL_NAN);
	fi->fi_rg->rg_profile.pr_value[fi->fi_key] = value;
	fi->fi_value = value;
	fi->fi_error = fi->fi_figure(fi->fi_rg, &figure);
	if (fi->fi_error != 0)
		return (GSL_NAN);
	KASSERT(figure > 0, ("a figure of %g", figure));
	fi->fi_off = fi->fi_target / figure - 1;
	return (fi->fi_off);
}

/* No more digits than are known, and than a person would write. */
static double
rounded(double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.4g", value);
	return (strtod(text, NULL));
}

/* Says that and to what, where the profile has not said so before. */
static void
note_fitted(struct reproducing *rg, enum profile_key key)
{
	struct profile *pr = &rg->rg_profile;

	if (pr->pr_from[key] == PROVENANCE_FITTED)
		return;
	pr->pr_from[key] = PROVENANCE_FITTED;
	snprintf(pr->pr_source[key], sizeof(pr->pr_source[key]), "by rngsim "
	    "reproduce %s", rg->rg_what->rd_name);
}

/* Between ends that are off to different sides. */
static int
search(struct fit *fi, double low, double high)
{
	gsl_function f = { .function = off, .params = fi };
	gsl_root_fsolver *solver;
	unsigned i;
	int status;

	solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
	if (solver == NULL)
		return (ENOMEM);
	status = gsl_root_fsolver_set(solver, &f, low, high);
	for (i = 0; status == GSL_SUCCESS && i < FIT_STEPS_MAX &&
	    fabs(fi->fi_off) > fit_tolerance; i++)
		status = gsl_root_fsolver_iterate(solver);
	gsl_root_fsolver_free(solver);
	fi->fi_rg->rg_profile.pr_value[fi->fi_key] = rounded(fi->fi_value);
	if (fi->fi_error != 0)
		return (fi->fi_error);
	return (status == GSL_SUCCESS ? 0 : EDOM);
}

int
reproduce_fit(struct reproducing *rg, enum profile_key key, double low,
    double high, double target, int (*figure)(struct reproducing *rg,
    double *value))
{
	struct fit fi = { .fi_rg = rg, .fi_key = key, .fi_target = target,
	    .fi_figure = figure };
	gsl_error_handler_t *handler;
	double above, below;
	int error;

	below = off(low, &fi);
	above = off(high, &fi);
	if (fi.fi_error != 0)
		return (fi.fi_error);
	if ((below < 0) == (above < 0)) {
		rg->rg_profile.pr_value[key] = fabs(below) < fabs(above) ?
		    low : high;
		note_fitted(rg, key);
		return (0);
	}
	handler = gsl_set_error_handler_off();
	error = search(&fi, low, high);
	gsl_set_error_handler(handler);
	if (error != 0 && rg->rg_error[0] == '\0')
		snprintf(rg->rg_error, sizeof(rg->rg_error), "%s cannot be "
		    "fitted: %s", profile_fields[key].pf_key,
		    strerror(error));
	if (error == 0)
		note_fitted(rg, key);
	return (error);
}
