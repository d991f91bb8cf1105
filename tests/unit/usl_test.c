#include <errno.h>
#include <math.h>

#include <gsl/gsl_randist.h>

#include "bench/report/report.h"
#include "bench/report/usl_curve.h"
#include "bench/stats/stats.h"
#include "tests/unit/result_fixture.h"
#include "tests/unit/test.h"

enum {
	MOST_POINTS	= 16,
	REPEATS		= 20,
	NO_ROOM		= 81	/* columns */
};

static struct result r;
static char *text;

static const unsigned powers[] = { 1, 2, 4, 8, 16 };

static gsl_rng *
seeded(uint64_t seed)
{
	gsl_rng *rng = stats_rng(seed);

	ATF_REQUIRE(rng != NULL);
	return (rng);
}

/* A cell's repeats, and what is computed from them. */
static void
set_cell(struct result_cell *c, double mb_per_s, double noise, gsl_rng *rng)
{
	double *totals = fixture_reals(c->repeats, mb_per_s);

	for (unsigned i = 0; i < c->repeats; i++) {
		if (noise > 0)
			totals[i] *= exp(gsl_ran_gaussian(rng, noise));
		c->samples[i].total_mb_per_s = totals[i];
	}
	snprintf(c->ci95_of, sizeof(c->ci95_of), RESULT_CI95_REPEATS);
	stats_ci95_median(totals, c->repeats, 7, &c->total_mb_per_s_ci95[0],
	    &c->total_mb_per_s_ci95[1]);
	c->total_mb_per_s = stats_median(totals, c->repeats);
	free(totals);
}

/* One curve of n cells. */
static void
make_curve(const unsigned *readers, const double *mb_per_s, unsigned n,
    unsigned repeats, double noise, gsl_rng *rng)
{
	struct fixture_cell grid[MOST_POINTS];

	ATF_REQUIRE(n <= MOST_POINTS);
	for (unsigned i = 0; i < n; i++)
		grid[i] = (struct fixture_cell){ "locked", "aes", readers[i],
		    repeats, 1, 0, false };
	fixture_result(&r, grid, n);
	for (unsigned i = 0; i < n; i++)
		set_cell(&r.cells[i], mb_per_s[i], noise, rng);
}

/* A curve that follows a law. */
static void
make_law(const struct usl_law *law, double noise, gsl_rng *rng)
{
	double mb_per_s[nitems(powers)];

	for (unsigned i = 0; i < nitems(powers); i++)
		mb_per_s[i] = usl_at(law, powers[i]);
	make_curve(powers, mb_per_s, nitems(powers), REPEATS, noise, rng);
}

static struct curves cs;
static struct usl_curve uc;

/* The fit of a result's first curve. */
static void
fit_first(void)
{
	curves_find(&r, &cs);
	ATF_REQUIRE(cs.cs_count >= 1);
	usl_curve_fit(&cs.cs_curves[0], 1, true, &uc);
}

/* Prints anew, checks that it can be read, and joins the lines. */
static void
print(void)
{
	size_t column = 0, used = 0;

	free(text);
	text = fixture_printed(usl_print, &r);
	ATF_CHECK(strstr(text, "nan") == NULL);
	ATF_CHECK(strstr(text, "inf") == NULL);
	for (size_t i = 0; text[i] != '\0'; i++) {
		column = text[i] == '\n' ? 0 : column + 1;
		ATF_CHECK_MSG(column < NO_ROOM, "%s", text);
	}
	for (size_t i = 0; text[i] != '\0'; i++) {
		if (strncmp(text + i, "\n  ", 3) == 0 && text[i + 3] != ' ') {
			text[used++] = ' ';
			i += 2;
		} else {
			text[used++] = text[i];
		}
	}
	text[used] = '\0';
}

static void
about(double expected, double found, double tolerance)
{
	ATF_CHECK_MSG(fabs(found - expected) <= tolerance,
	    "expected %g +- %g, found %g", expected, tolerance, found);
}

TEST(usl_fit__recovers_exact_laws, "Totals computed from a law give that law "
    "back, at the bounds too, in any order and scale")
{
	static const struct usl_law laws[] = {
		{ 190, 0.05, 0.002 }, { 1000, 0, 0 }, { 1e-4, 0.9, 0 },
		{ 5e6, 0, 0.1 }, { 400, 1, 0 }, { 400, 2.5, 0.3 },
		/* Kleen's global lock, in nodes. */
		{ 1, 0.483, 0.587 }, { 100, 1e-6, 1e-9 }
	};
	static const unsigned readers[] = { 64, 1, 3, 2, 1000, 17 };
	struct usl_point points[nitems(readers)];
	struct usl_law law;

	for (size_t i = 0; i < nitems(laws); i++) {
		for (size_t k = 0; k < nitems(readers); k++)
			points[k] = (struct usl_point){ readers[k],
			    usl_at(&laws[i], readers[k]) };
		ATF_REQUIRE_EQ(0, usl_fit(points, nitems(readers), &law));
		about(1, law.ul_gamma / laws[i].ul_gamma, 1e-7);
		about(laws[i].ul_sigma, law.ul_sigma, 1e-7);
		about(laws[i].ul_kappa, law.ul_kappa, 1e-9);
	}
}

static double
squares(const struct usl_point *points, unsigned n, const struct usl_law *law)
{
	double error, sum = 0;

	for (unsigned i = 0; i < n; i++) {
		error = log(points[i].up_mb_per_s /
		    usl_at(law, points[i].up_readers));
		sum += error * error;
	}
	return (sum);
}

TEST(usl_fit__is_least, "No law nearby, nor any of many others, has smaller "
    "squares, whatever the data")
{
	double best;
	struct usl_point points[nitems(powers)];
	struct usl_law law, other;
	gsl_rng *rng = seeded(11);

	for (unsigned round = 0; round < 200; round++) {
		for (unsigned i = 0; i < nitems(powers); i++)
			points[i] = (struct usl_point){ powers[i],
			    100 * exp(gsl_ran_gaussian(rng,
			    round % 4 * 0.3)) };
		ATF_REQUIRE_EQ(0, usl_fit(points, nitems(powers), &law));
		ATF_REQUIRE(law.ul_gamma > 0 && law.ul_sigma >= 0 &&
		    law.ul_kappa >= 0);
		best = squares(points, nitems(powers), &law);
		for (unsigned k = 0; k < 200; k++) {
			double far = k % 2 == 0 ? 1e-3 : 0.5;

			other.ul_gamma = law.ul_gamma *
			    exp(gsl_ran_gaussian(rng, far));
			other.ul_sigma = fabs(law.ul_sigma +
			    gsl_ran_gaussian(rng, far));
			other.ul_kappa = fabs(law.ul_kappa +
			    gsl_ran_gaussian(rng, far * far));
			ATF_REQUIRE_MSG(squares(points, nitems(powers),
			    &other) >= best * (1 - 1e-9) - 1e-12,
			    "round %u: %g %g %g is better", round,
			    other.ul_gamma, other.ul_sigma, other.ul_kappa);
		}
	}
	gsl_rng_free(rng);
}

TEST(usl_fit__refuses_too_few, "Two numbers of readers do not make a law, "
    "however often measured")
{
	static const struct usl_point points[] = {
		{ 1, 100 }, { 2, 150 }, { 1, 101 }, { 2, 149 }, { 3, 160 }
	};
	struct usl_law law;

	ATF_CHECK_EQ(EDOM, usl_fit(points, 0, &law));
	ATF_CHECK_EQ(EDOM, usl_fit(points, 4, &law));
	ATF_CHECK_EQ(0, usl_fit(points, 5, &law));
}

TEST(usl_knee__is_the_first, "The knee is where looking at every number of "
    "readers in turn finds it, the peak where totals turn")
{
	struct usl_law law = { 100, 0, 0 };
	gsl_rng *rng = seeded(5);
	unsigned n;
	double peak;

	ATF_CHECK_EQ(0, usl_knee(&law, 100000));
	ATF_CHECK(isinf(usl_peak(&law)));
	for (unsigned round = 0; round < 100; round++) {
		law.ul_sigma = pow(10, -4 * gsl_rng_uniform(rng));
		law.ul_kappa = pow(10, -6 * gsl_rng_uniform(rng));
		for (n = 1; n <= 200; n++)
			if (usl_at(&law, n + 1.0) - usl_at(&law, n) < 50)
				break;
		ATF_CHECK_EQ(n > 200 ? 0 : n, usl_knee(&law, 200));
		peak = usl_peak(&law);
		ATF_CHECK(usl_at(&law, peak) >= usl_at(&law, peak * 1.01));
		ATF_CHECK(peak == 1 || usl_at(&law, peak) >=
		    usl_at(&law, peak / 1.01));
	}
	gsl_rng_free(rng);
}

TEST(usl_curve_fit__intervals_cover, "Of many noisy curves most intervals "
    "hold the law behind them, and not by being wide")
{
	static const struct usl_law truth = { 190, 0.06, 0.004 };
	enum { CURVES = 60 };
	const double behind[] = { [USL_GAMMA] = 190, [USL_SIGMA] = 0.06,
	    [USL_KAPPA] = 0.004 };
	unsigned held[nitems(behind)] = { 0 }, i, k;
	gsl_rng *rng = seeded(3);

	for (i = 0; i < CURVES; i++) {
		make_law(&truth, 0.02, rng);
		fit_first();
		ATF_REQUIRE(uc.uc_fitted && uc.uc_sure);
		about(190, uc.uc_law.ul_gamma, 5);
		about(0.06, uc.uc_law.ul_sigma, 0.03);
		about(0.004, uc.uc_law.ul_kappa, 0.002);
		for (k = 0; k < nitems(behind); k++)
			held[k] += uc.uc_ci95[k][0] <= behind[k] &&
			    uc.uc_ci95[k][1] >= behind[k];
		ATF_CHECK(uc.uc_ci95[USL_GAMMA][1] -
		    uc.uc_ci95[USL_GAMMA][0] < 10);
		ATF_CHECK(uc.uc_ci95[USL_KAPPA][1] -
		    uc.uc_ci95[USL_KAPPA][0] < 0.003);
		curves_free(&cs);
		result_free(&r);
	}
	/* 57 are expected of a perfect interval; 52 is two deviations less. */
	for (k = 0; k < nitems(behind); k++)
		ATF_CHECK_MSG(held[k] >= 52, "%u of %d hold figure %u",
		    held[k], CURVES, k);
	gsl_rng_free(rng);
}

TEST(usl_print__says_everything, "A curve with a knee, a peak and a fall, its "
    "figures and their intervals")
{
	static const struct usl_law law = { 100, 0.1, 0.02 };
	gsl_rng *rng = seeded(9);
	char *again;

	make_law(&law, 0.001, rng);
	print();
	check_has(text, "measured on Example 9000 Processor, 4 CPUs");
	check_has(text, "\nsigma 0.");
	check_has(text, ", kappa 0.0");
	check_has(text, ", gamma 100.");
	check_has(text, "knee 3 readers: one more adds less than half");
	check_has(text, "peak predicted at 6.7 readers, ");
	check_has(text, "\nretrograde measured, ");
	check_has(text, " at 8 readers fall to ");
	check_has(text, " at 16; predicted beyond 6.7");
	check_has(text, "     4    ");
	check_has(text, " knee\n");
	check_has(text, " beyond the peak\n");
	check_has(text, " retrograde\n");
	/* The same seed, the same words. */
	again = text;
	text = NULL;
	print();
	ATF_CHECK_STREQ(again, text);
	free(again);
	result_free(&r);
	gsl_rng_free(rng);
}

TEST(usl_print__does_not_extrapolate, "Beyond four times the data there is a "
    "word instead of a number, below it a number with a word")
{
	/* Peaks at 300 and 40, of data to 16. */
	static const struct usl_law laws[] = {
		{ 100, 0.001, 0.999 / 90000 }, { 100, 0.001, 0.999 / 1600 }
	};
	gsl_rng *rng = seeded(2);

	make_law(&laws[0], 0.0005, rng);
	print();
	check_has(text, "\nknee beyond 4 x the data (> 64): not claimed");
	check_has(text, "\npeak beyond 4 x the data (> 64): not claimed");
	check_has(text, "\nretrograde none measured\n");
	check_has_not(text, "predicted");
	check_has_not(text, "300");
	result_free(&r);
	make_law(&laws[1], 0, rng);
	print();
	check_has(text, "\npeak predicted at 40 readers, ");
	check_has(text, "; beyond the data, which end at 16");
	result_free(&r);
	gsl_rng_free(rng);
}

TEST(usl_print__refuses_by_name, "A curve of too few points is named and not "
    "fitted; others still are; cells left out have their reason")
{
	static const struct fixture_cell grid[] = {
		{ "locked",	"aes", 1, 5, 100, 1, false },
		{ "locked",	"aes", 2, 5, 110, 1, false },
		{ "locked",	"aes", 3, 5, 115, 1, false },
		{ "concurrent",	"aes", 1, 5, 100, 1, false },
		{ "concurrent",	"aes", 2, 5, 190, 1, false },
		{ "concurrent",	"aes", 3, 5, 280, 1, false },
	};

	fixture_result(&r, grid, nitems(grid));
	snprintf(r.cells[1].gate, RESULT_TEXT_SIZE, "drift of 12 %%");
	print();
	check_has(text, "not fitted: expected at least 3 numbers of readers, "
	    "there are 2");
	check_has(text, " left out: failed a gate\n");
	check_has(text, "\nconcurrent\n");
	r.cells[4].total_mb_per_s = 0;
	print();
	check_has(text, " left out: no rate of readers\n");
	result_free(&r);
	fixture_result(&r, grid, 0);
	print();
	check_has(text, "no cells");
	result_free(&r);
}

TEST(usl_print__tells_regimes_apart, "More readers than CPUs are left out "
    "where four other points remain, else used")
{
	static const unsigned readers[] = { 1, 2, 3, 4, 5, 6 };
	static const double mb_per_s[] = { 100, 195, 285, 370, 90, 80 };

	make_curve(readers, mb_per_s, nitems(readers), 5, 0, NULL);
	r.cells[4].oversubscribed = r.cells[5].oversubscribed = true;
	fit_first();
	ATF_CHECK_EQ(4, uc.uc_points);
	ATF_CHECK_EQ(4, uc.uc_most);
	about(0.02, uc.uc_off, 0.02);
	curves_free(&cs);
	print();
	check_has(text, " left out: more readers than CPUs\n");
	check_has(text, "\nretrograde none measured\n");
	r.cells[3].oversubscribed = true;
	fit_first();
	ATF_CHECK_EQ(6, uc.uc_points);
	curves_free(&cs);
	print();
	check_has_not(text, "left out");
	result_free(&r);
}

TEST(usl_print__sane_words_for_odd_data, "Flat, linear, falling, jagged, tiny "
    "and huge totals: no nan, no inf, no line too long")
{
	static const struct {
		double		 mb_per_s[4];
		const char	*words;
	} odd[] = {
		{ { 100, 100, 100, 100 }, "peak none: the law is flat" },
		{ { 100, 200, 300, 400 }, "peak none, kappa is 0" },
		{ { 100, 300, 600, 1000 }, "a poor fit" },
		{ { 400, 210, 140, 105 }, "peak predicted at 1 reader" },
		{ { 100, 1, 100, 1 }, "a poor fit" },
		{ { 1, 1e9, 1, 1 }, "a poor fit" },
		{ { 1e-6, 1e12, 1e-6, 1e12 }, "a poor fit" },
		{ { 1e-300, 1e-300, 1e-300, 1e-300 }, "no rate of readers" },
		{ { 1e300, 1, 1, 1 }, "no rate of readers" },
		{ { 0, 0, 0, 0 }, "there are 0" },
		{ { 1e12, 1e-6, 1e-6, 1e-6 }, "a poor fit" },
	};
	static const unsigned readers[] = { 1, 2, 3, 4 };

	for (size_t i = 0; i < nitems(odd); i++) {
		for (unsigned repeats = 1; repeats <= 3; repeats += 2) {
			make_curve(readers, odd[i].mb_per_s, 4, repeats, 0,
			    NULL);
			print();
			check_has(text, odd[i].words);
			if (repeats == 1 && strstr(text, "\nfit") != NULL)
				check_has(text, "no intervals, there are too "
				    "few");
			result_free(&r);
		}
	}
}

TEST(usl_print__zero_repeats_in_resamples, "Repeats of 0 among others do not "
    "upset the bootstrap")
{
	static const double mb_per_s[] = { 100, 180, 300, 500, 800 };

	make_curve(powers, mb_per_s, nitems(powers), 5, 0, NULL);
	for (unsigned i = 0; i < 2; i++)
		r.cells[1].samples[i].total_mb_per_s = 0;
	fit_first();
	ATF_CHECK(uc.uc_fitted && uc.uc_sure);
	ATF_CHECK(isfinite(uc.uc_ci95[USL_GAMMA][1]));
	curves_free(&cs);
	print();
	result_free(&r);
}

/* What a cell's median is of, its interval is of. */
TEST(usl_curve_fit__takes_all_repeats, "Repeats that failed their gates are "
    "in the intervals, as in the median that is fitted")
{
	static const struct usl_law law = { 100, 0.1, 0.02 };
	gsl_rng *rng = seeded(5);
	struct usl_curve kept[2];

	make_law(&law, 0.05, rng);
	for (unsigned i = 0; i < 2; i++) {
		for (unsigned k = 0; k < REPEATS / 2; k++)
			snprintf(r.cells[1].samples[k].gate, RESULT_NAME_SIZE,
			    "%s", i == 0 ? "" : "skew");
		fit_first();
		kept[i] = uc;
		ATF_CHECK(uc.uc_fitted && uc.uc_sure);
		curves_free(&cs);
	}
	about(kept[0].uc_law.ul_gamma, kept[1].uc_law.ul_gamma, 0);
	for (unsigned i = 0; i < 2; i++)
		about(kept[0].uc_ci95[USL_SIGMA][i],
		    kept[1].uc_ci95[USL_SIGMA][i], 0);
	result_free(&r);
	gsl_rng_free(rng);
}

TEST(usl_print__poor_law_tells_nothing, "A law that is far off has no "
    "figures, no knee and no peak")
{
	static const double mb_per_s[] = { 100, 180, 90, 240, 60 };

	make_curve(powers, mb_per_s, nitems(powers), REPEATS, 0, NULL);
	print();
	check_has(text, "a poor fit, this curve has another shape");
	check_has_not(text, "\nknee ");
	check_has_not(text, "\npeak ");
	check_has_not(text, " knee\n");
	check_has_not(text, "beyond the peak");
	check_has_not(text, "predicted");
	result_free(&r);
}

TEST(usl_print__knee_below_the_data, "A knee and a peak of fewer readers than "
    "were measured are said to be")
{
	static const struct usl_law law = { 100, 0.1, 0.225 };
	static const unsigned readers[] = { 4, 8, 12, 16 };
	double mb_per_s[nitems(readers)];

	for (unsigned i = 0; i < nitems(readers); i++)
		mb_per_s[i] = usl_at(&law, readers[i]);
	make_curve(readers, mb_per_s, nitems(readers), REPEATS, 0, NULL);
	print();
	check_has(text, "\npeak predicted at 2 readers, ");
	check_has(text, "half of gamma; below the data, which begin at 4\n");
	check_has(text, " MB/s; below the data, which begin at 4\n");
	check_has_not(text, " knee\n");
	result_free(&r);
}

TEST(curves_find__by_all_but_readers, "Curves keep the order of measuring, "
    "their cells that of readers; names say what differs")
{
	static const struct fixture_cell grid[] = {
		{ "locked",	"chacha20", 4, 1, 1, 0, false },
		{ "concurrent",	"aes", 2, 1, 2, 0, false },
		{ "locked",	"chacha20", 1, 1, 3, 0, false },
		{ "concurrent",	"aes", 1, 1, 4, 0, false },
		{ "concurrent",	"aes", 1, 1, 5, 0, false },
	};
	char name[CURVE_NAME_SIZE];
	struct text common = { .s = "" };

	fixture_result(&r, grid, nitems(grid));
	r.cells[4].rate_per_s = 50;
	snprintf(r.cells[4].arrivals, RESULT_NAME_SIZE, "poisson");
	curves_find(&r, &cs);
	ATF_REQUIRE_EQ(3, cs.cs_count);
	ATF_CHECK_EQ(2, cs.cs_curves[0].cu_count);
	ATF_CHECK_EQ(&r.cells[2], cs.cs_curves[0].cu_cells[0]);
	ATF_CHECK_EQ(&r.cells[0], cs.cs_curves[0].cu_cells[1]);
	ATF_CHECK_EQ(&r.cells[3], cs.cs_curves[1].cu_cells[0]);
	ATF_CHECK_EQ(&r.cells[4], cs.cs_curves[2].cu_cells[0]);
	curve_name(&cs, &cs.cs_curves[0], CURVE_PARTS, name);
	ATF_CHECK_STREQ("locked, chacha20, closed loop", name);
	curve_name(&cs, &cs.cs_curves[2], CURVE_CIPHER, name);
	ATF_CHECK_STREQ("concurrent, 50/s poisson", name);
	curve_common(&cs, &common);
	ATF_CHECK_STREQ("kernel-style crypto, lock mtx, requests of 64 KiB",
	    common.s);
	curves_free(&cs);
	result_free(&r);
}

TEST(curves_find__polls_only_where_they_tell, "A name has the polls where one "
    "lock has several, not where each kind has its own")
{
	static const struct fixture_cell grid[] = {
		{ "locked",	"aes", 1, 1, 1, 0, false },
		{ "locked",	"aes", 1, 1, 2, 0, false },
		{ "locked",	"aes", 1, 1, 3, 0, false },
	};
	char name[CURVE_NAME_SIZE];
	struct text common = { .s = "" };

	fixture_result(&r, grid, 2);
	snprintf(r.cells[1].lock, RESULT_NAME_SIZE, "ticket");
	r.cells[1].spin_polls = 4096;
	curves_find(&r, &cs);
	curve_name(&cs, &cs.cs_curves[1], CURVE_PARTS, name);
	ATF_CHECK_STREQ("locked, ticket", name);
	curve_common(&cs, &common);
	ATF_CHECK_STREQ("aes, kernel-style crypto, requests of 64 KiB",
	    common.s);
	curves_free(&cs);
	result_free(&r);
	fixture_result(&r, grid, 3);
	r.cells[2].spin_polls = 4096;
	snprintf(r.cells[1].lock, RESULT_NAME_SIZE, "ticket");
	curves_find(&r, &cs);
	curve_name(&cs, &cs.cs_curves[2], CURVE_PARTS, name);
	ATF_CHECK_STREQ("locked, mtx, 4096 polls", name);
	curves_free(&cs);
	result_free(&r);
}

TEST_PROGRAM()
