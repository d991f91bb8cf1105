#include <errno.h>
#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>

#include "bench/cli/memory.h"
#include "bench/stats/stats.h"
#include "lib/base/kassert.h"

/*
 * N/X(N) = a + b (N - 1) + c N (N - 1), with a = 1/gamma, b = sigma a and
 * c = kappa a, in units of the least N/X(N).  None of the terms may be
 * negative.
 */
enum {
	USL_TERMS	= 3,
	USL_ITERATIONS	= 200,
	/* Sets of terms: all, and those with b or c or both at the bound. */
	USL_ALL		= 7
};

/* A gamma this many times the largest total is no rate of a reader. */
static const double usl_gamma_most = 1e6;

/* The residual where terms give a time of 0 or less: a step not to take. */
static const double usl_refused = 1e3;

struct problem {
	const struct usl_point *points;
	unsigned	terms;		/* bit i: term i is not 0 */
	double		unit;
};

/* What a term is multiplied with. */
static double
factor(unsigned term, double readers)
{
	return (term == 0 ? 1 : term == 1 ? readers - 1 :
	    readers * (readers - 1));
}

static double
time_per_unit(const struct problem *pr, const gsl_vector *x, double readers)
{
	double sum = 0;
	size_t k = 0;

	for (unsigned i = 0; i < USL_TERMS; i++)
		if ((pr->terms & 1U << i) != 0)
			sum += gsl_vector_get(x, k++) * factor(i, readers);
	return (sum);
}

static int
residuals(const gsl_vector *x, void *context, gsl_vector *f)
{
	const struct problem *pr = context;
	const struct usl_point *p = pr->points;
	double t;

	for (size_t i = 0; i < f->size; i++, p++) {
		t = time_per_unit(pr, x, p->up_readers);
		gsl_vector_set(f, i, t > 0 ? log(t * pr->unit *
		    p->up_mb_per_s / p->up_readers) : usl_refused);
	}
	return (GSL_SUCCESS);
}

static int
derivatives(const gsl_vector *x, void *context, gsl_matrix *j)
{
	const struct problem *pr = context;
	const struct usl_point *p = pr->points;
	size_t k;
	unsigned term;

	for (size_t i = 0; i < j->size1; i++, p++)
		for (term = 0, k = 0; term < USL_TERMS; term++)
			if ((pr->terms & 1U << term) != 0)
				gsl_matrix_set(j, i, k++,
				    factor(term, p->up_readers) /
				    time_per_unit(pr, x, p->up_readers));
	return (GSL_SUCCESS);
}

/*
 * Fits some of the terms; the others are 0.
 *
 *   terms  out  of a law, if squares are finite
 */
static void
fit_terms(struct problem *pr, unsigned n, double terms[USL_TERMS],
    double *squares)
{
	gsl_multifit_nlinear_parameters how =
	    gsl_multifit_nlinear_default_parameters();
	gsl_multifit_nlinear_fdf fdf = { .f = residuals, .df = derivatives,
	    .n = n, .params = pr };
	double start[USL_TERMS] = { 1 };
	gsl_multifit_nlinear_workspace *w;
	gsl_vector_view x;
	unsigned i, p = 1;
	int info;

	/* Near 0, from where no step can lead to a wrong sign of the time. */
	for (i = 1; i < USL_TERMS; i++)
		if ((pr->terms & 1U << i) != 0)
			start[p++] = 1e-3;
	fdf.p = p;
	how.solver = gsl_multifit_nlinear_solver_qr;
	w = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &how,
	    fdf.n, p);
	if (w == NULL)
		no_memory();
	x = gsl_vector_view_array(start, p);
	*squares = INFINITY;
	if (gsl_multifit_nlinear_init(&x.vector, &fdf, w) == GSL_SUCCESS) {
		/* Where no step helps any more the fit is as good as it is. */
		gsl_multifit_nlinear_driver(USL_ITERATIONS, 1e-13, 1e-13, 0,
		    NULL, NULL, &info, w);
		gsl_blas_ddot(w->f, w->f, squares);
		for (i = 0, p = 0; i < USL_TERMS; i++)
			terms[i] = (pr->terms & 1U << i) == 0 ? 0 :
			    gsl_vector_get(w->x, p++);
		if (!(terms[0] * usl_gamma_most > 1 && terms[1] >= 0 &&
		    terms[2] >= 0))
			*squares = INFINITY;
	}
	gsl_multifit_nlinear_free(w);
}

static bool
enough(const struct usl_point *p, unsigned n)
{
	unsigned count = 0, k;

	for (unsigned i = 0; i < n; i++) {
		for (k = 0; k < i && p[k].up_readers != p[i].up_readers; k++)
			continue;
		count += k == i;
	}
	return (count >= USL_LEAST);
}

int
usl_fit(const struct usl_point *points, unsigned n, struct usl_law *law)
{
	static const unsigned bounded[] = { USL_ALL, 3, 5, 1 };
	struct problem pr = { .points = points, .unit = INFINITY };
	double best = INFINITY, squares, terms[USL_TERMS] = { 0 };
	gsl_error_handler_t *handler;

	if (!enough(points, n))
		return (EDOM);
	/* GSL's own answer to an error is to abort. */
	handler = gsl_set_error_handler_off();
	for (unsigned i = 0; i < n; i++) {
		KASSERT(points[i].up_readers >= 1 &&
		    points[i].up_mb_per_s >= USL_MB_PER_S_MIN &&
		    points[i].up_mb_per_s <= USL_MB_PER_S_MAX, ("point %u", i));
		pr.unit = fmin(pr.unit, points[i].up_readers /
		    points[i].up_mb_per_s);
	}
	/* Nothing is better than an unbounded solution within the bounds. */
	for (unsigned i = 0; i < 4; i++) {
		pr.terms = bounded[i];
		fit_terms(&pr, n, terms, &squares);
		if (!(squares < best))
			continue;
		best = squares;
		*law = (struct usl_law){ 1 / (pr.unit * terms[0]),
		    terms[1] / terms[0], terms[2] / terms[0] };
		if (i == 0)
			break;
	}
	gsl_set_error_handler(handler);
	return (isfinite(best) ? 0 : EDOM);
}

double
usl_at(const struct usl_law *law, double readers)
{
	return (law->ul_gamma * readers / (1 + (readers - 1) *
	    (law->ul_sigma + law->ul_kappa * readers)));
}

double
usl_peak(const struct usl_law *law)
{
	if (law->ul_sigma + law->ul_kappa >= 1)
		return (1);
	return (law->ul_kappa > 0 ? sqrt((1 - law->ul_sigma) /
	    law->ul_kappa) : INFINITY);
}

unsigned
usl_knee(const struct usl_law *law, unsigned most)
{
	unsigned high = most, low = 0, middle;

	/* What one more adds never grows, until it takes away. */
	while (low < high) {
		middle = low + (high - low + 1) / 2;
		if (usl_at(law, middle + 1.0) - usl_at(law, middle) <
		    law->ul_gamma / 2)
			high = middle - 1;
		else
			low = middle;
	}
	return (low == most ? 0 : low + 1);
}
