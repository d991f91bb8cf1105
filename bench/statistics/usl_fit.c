#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "bench/statistics/usl_fit.h"
#include "lib/kassert.h"

/*
 * N/X(N) = a + b (N - 1) + c N (N - 1) is linear in a = 1/gamma, b = sigma a
 * and c = kappa a, and none of them is negative when none of gamma, sigma and
 * kappa is.
 */
enum {
	USL_TERMS	= 3,
	USL_STEPS	= 40,	/* of Gauss and Newton; some five are usual */
	USL_HALVINGS	= 10	/* of one of them */
};

/* Below this share of its length a column depends on those before it. */
static const double usl_dependent = 1e-10;

/* A gamma this many times the largest total is no rate of a reader. */
static const double usl_gamma_most = 1e6;

/* When to stop: the part of the squares that a step took away. */
static const double usl_converged = 1e-12;

static double
time_per_unit(const double terms[USL_TERMS], double readers)
{

	return (terms[0] + (readers - 1) * (terms[1] + readers * terms[2]));
}

static double
dot(const double *a, const double *b, unsigned n)
{
	double sum = 0;
	unsigned i;

	for (i = 0; i < n; i++)
		sum += a[i] * b[i];
	return (sum);
}

/*
 * Weighted linear least squares around the present terms, NULL before there
 * are any, over those terms that active says; the others are 0.  By orthogonal
 * columns, as squaring the matrix would halve the digits.
 *
 *   next  out  the solution
 *   rest  out  what remains of the squares
 *
 * Returns: whether the columns are independent and the solution is a law.
 */
static bool
solve(const struct usl_point *p, unsigned n, double *scratch,
    const double *terms, unsigned active, double next[USL_TERMS],
    double *rest)
{
	double *columns[USL_COLUMNS], norm, r[USL_TERMS][USL_COLUMNS];
	double least = INFINITY, slope;
	unsigned i, j, k, used = 0, which[USL_TERMS];

	for (j = 0; j < USL_TERMS; j++)
		if ((active & 1U << j) != 0)
			which[used++] = j;
	for (j = 0; j <= used; j++)
		columns[j] = scratch + (size_t)j * n;
	for (i = 0; i < n; i++) {
		double more = p[i].up_readers - 1;
		double y = p[i].up_readers / p[i].up_mb_per_s;
		double at = terms == NULL ? y :
		    time_per_unit(terms, p[i].up_readers);
		double w = sqrt(p[i].up_weight);

		least = fmin(least, y);
		for (j = 0; j < used; j++)
			columns[j][i] = w / at * (which[j] == 0 ? 1 :
			    which[j] == 1 ? more : more * p[i].up_readers);
		columns[used][i] = w * (1 + log(y / at));
	}
	for (j = 0; j < used; j++) {
		slope = sqrt(dot(columns[j], columns[j], n));
		for (k = 0; k < j; k++) {
			r[k][j] = dot(columns[k], columns[j], n);
			for (i = 0; i < n; i++)
				columns[j][i] -= r[k][j] * columns[k][i];
		}
		norm = sqrt(dot(columns[j], columns[j], n));
		if (!(norm > usl_dependent * slope))
			return (false);
		for (i = 0; i < n; i++)
			columns[j][i] /= norm;
		r[j][j] = norm;
	}
	for (j = 0; j < used; j++) {
		r[j][used] = dot(columns[j], columns[used], n);
		for (i = 0; i < n; i++)
			columns[used][i] -= r[j][used] * columns[j][i];
	}
	*rest = dot(columns[used], columns[used], n);
	for (j = 0; j < USL_TERMS; j++)
		next[j] = 0;
	for (j = used; j-- > 0;) {
		double sum = r[j][used];

		for (k = j + 1; k < used; k++)
			sum -= r[j][k] * next[which[k]];
		next[which[j]] = sum / r[j][j];
	}
	return (next[0] * usl_gamma_most > least && next[1] >= 0 &&
	    next[2] >= 0);
}

/*
 * The same with no term negative.  Three terms make so few subsets that trying
 * them is both the simplest way and the fastest.
 */
static bool
solve_bounded(const struct usl_point *p, unsigned n, double *scratch,
    const double *terms, double best[USL_TERMS])
{
	static const unsigned subsets[] = { 3, 5, 1 };
	double least = INFINITY, next[USL_TERMS], rest;
	unsigned i, j;

	/* Nothing is better than an unbounded solution within the bounds. */
	if (solve(p, n, scratch, terms, 7, best, &rest))
		return (true);
	for (i = 0; i < sizeof(subsets) / sizeof(subsets[0]); i++) {
		if (!solve(p, n, scratch, terms, subsets[i], next, &rest) ||
		    rest >= least)
			continue;
		least = rest;
		for (j = 0; j < USL_TERMS; j++)
			best[j] = next[j];
	}
	return (isfinite(least));
}

static double
squares(const struct usl_point *p, unsigned n, const double terms[USL_TERMS])
{
	double error, sum = 0;
	unsigned i;

	for (i = 0; i < n; i++) {
		error = log(time_per_unit(terms, p[i].up_readers) *
		    p[i].up_mb_per_s / p[i].up_readers);
		sum += p[i].up_weight * error * error;
	}
	return (sum);
}

/*
 * Goes from terms towards next, as far as that lowers the squares: between two
 * laws there are only laws.
 *
 * Returns: the squares, as before when no step lowered them.
 */
static double
step(const struct usl_point *p, unsigned n, double terms[USL_TERMS],
    const double next[USL_TERMS], double before)
{
	double after, part = 1, there[USL_TERMS];
	unsigned i, j;

	for (i = 0; i < USL_HALVINGS; i++, part /= 2) {
		for (j = 0; j < USL_TERMS; j++)
			there[j] = terms[j] + part * (next[j] - terms[j]);
		after = squares(p, n, there);
		if (after < before) {
			for (j = 0; j < USL_TERMS; j++)
				terms[j] = there[j];
			return (after);
		}
	}
	return (before);
}

static bool
enough(const struct usl_point *p, unsigned n)
{
	double seen[USL_LEAST];
	unsigned count = 0, i, k;

	for (i = 0; i < n; i++) {
		for (k = 0; k < count; k++)
			if (seen[k] == p[i].up_readers)
				break;
		if (k == count)
			seen[count++] = p[i].up_readers;
		if (count == USL_LEAST)
			return (true);
	}
	return (false);
}

int
usl_fit(const struct usl_point *points, unsigned n, double *scratch,
    struct usl_law *law)
{
	double after, before, next[USL_TERMS], terms[USL_TERMS];
	unsigned i;

	for (i = 0; i < n; i++)
		KASSERT(points[i].up_readers >= 1 &&
		    points[i].up_mb_per_s >= USL_MB_PER_S_MIN &&
		    points[i].up_mb_per_s <= USL_MB_PER_S_MAX &&
		    points[i].up_weight > 0, ("point %u", i));
	if (!enough(points, n))
		return (EDOM);
	if (!solve_bounded(points, n, scratch, NULL, terms))
		return (EDOM);
	after = squares(points, n, terms);
	for (i = 0; i < USL_STEPS; i++) {
		before = after;
		if (!solve_bounded(points, n, scratch, terms, next))
			break;
		after = step(points, n, terms, next, before);
		if (before - after <= usl_converged * before)
			break;
	}
	law->ul_gamma = 1 / terms[0];
	law->ul_sigma = terms[1] / terms[0];
	law->ul_kappa = terms[2] / terms[0];
	return (0);
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
