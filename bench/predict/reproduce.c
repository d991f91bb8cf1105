#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_roots.h>

#include "bench/predict/reproduce.h"
#include "bench/stats/stats.h"
#include "bench/sweep/pool.h"
#include "lib/machine/cpu.h"

enum {
	FIT_STEPS_MAX	= 40,
	FIT_RUNS	= 10	/* of one fit, about; for progress */
};

/* A share of the published number. */
static const double fit_tolerance = 0.0005;

const struct reproduction *const reproductions[] = {
#define	REPRODUCTION(name)	&reproduce_##name,
#define	PUBLISHED(...)
#include "bench/predict/reproduce.tbl"
#undef REPRODUCTION
#undef PUBLISHED
};

const unsigned reproduction_count = sizeof(reproductions) /
    sizeof(reproductions[0]);

const struct reproduction_file reproduction_files[] = {
#define	REPRODUCTION(name)
#define	PUBLISHED(...)		{ __VA_ARGS__ },
#include "bench/predict/reproduce.tbl"
#undef REPRODUCTION
#undef PUBLISHED
};

const unsigned reproduction_file_count = sizeof(reproduction_files) /
    sizeof(reproduction_files[0]);

/* One run with several seeds, each in its own slot. */
struct medians {
	struct reproducing *me_rg;
	unsigned	 me_run;
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
	struct reproducing *rg = me->me_rg;

	(void)slot;
	me->me_slot[task].error = rg->rg_what->rd_run(&rg->rg_profile,
	    me->me_run, rg->rg_free, rg->rg_seed + task,
	    me->me_slot[task].figures, me->me_slot[task].why);
}

static int
take(void *context, unsigned task, unsigned slot)
{
	struct medians *me = context;

	(void)slot;
	if (me->me_slot[task].error != 0)
		snprintf(me->me_rg->rg_error, CELL_ERROR_SIZE, "%s",
		    me->me_slot[task].why);
	return (me->me_slot[task].error);
}

/* Sets a run's figures: the medians over seeds. */
static int
medians(struct reproducing *rg, unsigned run)
{
	struct medians me = { .me_rg = rg, .me_run = run };
	const struct pool_job pj = {
		.pj_tasks = REPRODUCE_SEEDS,
		.pj_work = work,
		.pj_take = take,
		.pj_context = &me,
	};
	double values[REPRODUCE_SEEDS];
	int error;

	KASSERT(run < REPRODUCE_RUNS_MAX, ("run %u", run));
	progress_update(&rg->rg_progress, rg->rg_done <
	    rg->rg_progress.pr_total ? rg->rg_done : rg->rg_progress.pr_total,
	    rg->rg_what->rd_name);
	error = pool_run(&pj, cpu_count() < REPRODUCE_SEEDS ? cpu_count() :
	    REPRODUCE_SEEDS);
	rg->rg_done++;
	for (unsigned k = 0; error == 0 && k < REPRODUCE_FIGURES; k++) {
		for (unsigned i = 0; i < REPRODUCE_SEEDS; i++)
			values[i] = me.me_slot[i].figures[k];
		rg->rg_figures[run][k] = stats_median(values, REPRODUCE_SEEDS);
	}
	return (error);
}

double
reproduce_value(const struct reproducing *rg, const struct reproduce_figure *rf)
{
	const double v = rg->rg_figures[rf->rf_run][rf->rf_figure];

	return (rf->rf_base == REPRODUCE_ABSOLUTE ? v :
	    v / rg->rg_figures[rf->rf_base][rf->rf_figure]);
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
	struct reproducing *rg = fi->fi_rg;
	const struct reproduce_fit *ft = fi->fi_what;
	const struct reproduce_figure *rf = &ft->ft_figure;
	double v;

	*fi->fi_value = value;
	if (fi->fi_error == 0 && rf->rf_base != REPRODUCE_ABSOLUTE)
		fi->fi_error = medians(rg, (unsigned)rf->rf_base);
	if (fi->fi_error == 0)
		fi->fi_error = medians(rg, rf->rf_run);
	if (fi->fi_error != 0)
		return (GSL_NAN);
	v = reproduce_value(rg, rf);
	KASSERT(v > 0, ("a figure of %g", v));
	fi->fi_off = rg->rg_what->rd_rows[ft->ft_row].rr_published / v - 1;
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
		    fi->fi_what->ft_high);
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
	snprintf(fi->fi_rg->rg_error, CELL_ERROR_SIZE, "the figure of row "
	    "\"%s\" cannot be fitted: %s",
	    fi->fi_rg->rg_what->rd_rows[fi->fi_what->ft_row].rr_name,
	    gsl_strerror(status));
	return (EDOM);
}

static int
fit(struct reproducing *rg, const struct reproduce_fit *ft)
{
	const enum profile_key key = ft->ft_key;
	struct profile *pr = &rg->rg_profile;
	struct fit fi = { .fi_rg = rg, .fi_what = ft,
	    .fi_value = key == PROFILE_VALUES ? &rg->rg_free :
	    &pr->pr_value[key] };
	double above, below;
	int error;

	below = off(0, &fi);
	above = off(ft->ft_high, &fi);
	error = fi.fi_error;
	if (error == 0 && (below < 0) == (above < 0))
		*fi.fi_value = fabs(below) < fabs(above) ? 0 : ft->ft_high;
	else if (error == 0)
		error = search(&fi);
	if (key != PROFILE_VALUES)
		pr->pr_from[key] = PROVENANCE_FITTED;
	return (error);
}

int
reproduce(struct reproducing *rg, const struct reproduction *rd,
    const struct profile *pr, uint64_t seed)
{
	int error = 0;

	memset(rg, 0, sizeof(*rg));
	rg->rg_what = rd;
	rg->rg_profile = *pr;
	rg->rg_given = pr->pr_value[rd->rd_fits[0].ft_key];
	rg->rg_seed = seed;
	progress_init(&rg->rg_progress, rd->rd_runs + FIT_RUNS *
	    rd->rd_fit_count, 0);
	for (unsigned i = 0; error == 0 && i < rd->rd_fit_count; i++)
		error = fit(rg, &rd->rd_fits[i]);
	for (unsigned i = 0; error == 0 && i < rd->rd_runs; i++)
		error = medians(rg, i);
	if (error != 0 && rg->rg_error[0] == '\0')
		snprintf(rg->rg_error, sizeof(rg->rg_error), "%s",
		    strerror(error));
	progress_fini(&rg->rg_progress);
	return (error);
}

bool
reproduce_within(const struct reproducing *rg, unsigned row)
{
	const struct reproduce_row *rr = &rg->rg_what->rd_rows[row];
	const double v = reproduce_value(rg, &rr->rr_figure);

	return (v >= rr->rr_low && v <= rr->rr_high);
}

unsigned
reproduce_missed(const struct reproducing *rg)
{
	unsigned missed = 0;

	for (unsigned i = 0; i < rg->rg_what->rd_row_count; i++)
		missed += !reproduce_within(rg, i);
	return (missed);
}
