/*
 * Published results beside predictions: fitting, medians, what is within, and
 * what documents say of it.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "bench/predict/reproduce.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

static struct profile profile;
static struct reproducing ri;

static void
load(const char *name)
{
	char why[PROFILE_ERROR_SIZE] = "";

	ATF_REQUIRE_EQ_MSG(0, profile_load(&profile, name, why), "%s", why);
}

static void
begin(void)
{
	const char *missing;

	ATF_REQUIRE_EQ(0, cpu_init());
	tick_calibrate();
	ATF_REQUIRE_EQ(0, crypto_init(&missing));
}

/*
 * In place of runs: what is fitted is the rate of cost 1234, times a factor;
 * the figures of the second cell depend on the seed, those of others fit.
 */
enum { PUBLISHED = 57670, ROW_SEED = 1 };

static unsigned runs;		/* of all seeds together */
static uint64_t bad_seed;
static double factor, failing_cost;

static int
figures_of(const struct profile *pr, unsigned run, uint64_t seed,
    double *figures, char why[CELL_ERROR_SIZE])
{
	static const double rates[] = { 57, 0, 195, 430 };
	const double cost = pr->pr_value[PROFILE_OP_LOCK_PAIR];
	const unsigned cell = run % REPRODUCE_CELLS;

	runs++;
	figures[REPRODUCE_RATE] = run == REPRODUCE_FIT ? factor * PUBLISHED /
	    1e3 * (10 + 1234) / (10 + cost) : cell == ROW_SEED ?
	    (double)(seed * seed) + 29 : rates[cell];
	figures[REPRODUCE_HARVEST] = cell < 2 ? 50 : 0.5;
	figures[REPRODUCE_VARIATION] = 100 - (double)seed;
	snprintf(why, CELL_ERROR_SIZE, "seed %d", (int)seed);
	return (seed >= bad_seed ? ERANGE : cost == failing_cost ? EDEADLK :
	    0);
}

/* Fits the cost to a rate so many times that of the publication. */
static int
fit_cost(double f)
{
	factor = f;
	return (reproduce(&ri, figures_of, &profile, 7));
}

static void
begin_plain(void)
{
	begin();
	load("graviton3");
	bad_seed = UINT64_MAX;
	failing_cost = -1;
	runs = 0;
	ATF_REQUIRE_EQ(0, fit_cost(1));
}

static double
fitted(void)
{
	return (ri.ri_profile.pr_value[PROFILE_OP_LOCK_PAIR]);
}

TEST(fit__finds, "a cost that gives the published rate, to four digits and in "
    "few steps")
{
	begin_plain();
	ATF_REQUIRE(profile.pr_from[PROFILE_OP_LOCK_PAIR] !=
	    PROVENANCE_FITTED);
	ATF_CHECK_EQ(profile.pr_value[PROFILE_OP_LOCK_PAIR], ri.ri_given);
	ATF_CHECK(fabs(fitted() - 1234) <= 2);
	ATF_CHECK_EQ(PROVENANCE_FITTED,
	    ri.ri_profile.pr_from[PROFILE_OP_LOCK_PAIR]);
	/* 8 steps, and the rows' runs. */
	ATF_CHECK_MSG(runs <= REPRODUCE_SEEDS * (8 + REPRODUCE_FIT), "%u",
	    runs);
	ATF_REQUIRE_EQ(0, fit_cost(1.23456789));
	ATF_CHECK(fabs(fitted() - (1.23456789 * 1244 - 10)) <= 3);
	ATF_CHECK(fabs(fitted() - round(fitted())) < 1e-9);
}

TEST(fit__nearer_end, "of the range, for a rate that no cost in it gives")
{
	begin_plain();
	ATF_REQUIRE_EQ(0, fit_cost(0.001));
	ATF_CHECK_EQ(0, fitted());
	ATF_REQUIRE_EQ(0, fit_cost(1000));
	ATF_CHECK_EQ(20000, fitted());
}

TEST(fit__fails_with_a_run, "at an end of the range and between them, with "
    "the run's reason")
{
	begin_plain();
	failing_cost = 20000;
	ATF_CHECK_EQ(EDEADLK, fit_cost(2));
	ATF_CHECK_STREQ("seed 7", ri.ri_error);
	failing_cost = -1;
	ATF_REQUIRE_EQ(0, fit_cost(2));
	failing_cost = fitted();
	ATF_CHECK_EQ(EDEADLK, fit_cost(2));
}

TEST(medians__over_seeds, "7 to 11; the first seed that fails is reported, "
    "whichever ends first")
{
	begin_plain();
	ATF_CHECK_EQ(110, ri.ri_figures[ROW_SEED][REPRODUCE_RATE]);
	ATF_CHECK_EQ(91, ri.ri_figures[ROW_SEED][REPRODUCE_VARIATION]);
	bad_seed = 9;
	ATF_CHECK_EQ(ERANGE, fit_cost(1));
	ATF_CHECK_STREQ("seed 9", ri.ri_error);
}

TEST(within__ends_included, "of the accepted range; no number that is none")
{
	static const struct {
		double	 figure;
		bool	 within;
	} cases[] = { { 108, true }, { 118, true }, { 107.99, false },
	    { 118.01, false }, { NAN, false } };
	unsigned i;

	begin_plain();
	ATF_CHECK_EQ(0, reproduce_missed(&ri));
	for (i = 0; i < nitems(cases); i++) {
		ri.ri_figures[ROW_SEED][REPRODUCE_RATE] = cases[i].figure;
		ATF_CHECK_EQ(cases[i].within, reproduce_within(&ri,
		    ROW_SEED));
		ATF_CHECK_EQ(!cases[i].within, reproduce_missed(&ri));
	}
}

/* What reproduce_print_json() or another writes. */
static char *
printed(reproduce_printer *print)
{
	char *text = NULL;
	size_t size;
	FILE *out;

	out = open_memstream(&text, &size);
	ATF_REQUIRE(out != NULL);
	print(out, &ri);
	ATF_REQUIRE_EQ(0, fclose(out));
	return (text);
}

TEST(documents__say_the_same, "table and JSON have the same rows; one that "
    "is not within stands out in each")
{
	static const char *const missed[] = { " NO\n", "\"within\": false" };
	reproduce_printer *const prints[] = { reproduce_print,
	    reproduce_print_json };
	const char *key, *name, *role, *unit, *fitted_unit;
	double accepted[2], high, predicted, published, share, value;
	int holds, seed, within;
	unsigned of_fit = 0;
	char *text;
	json_t *rows, *top;
	unsigned i;

	begin_plain();
	text = printed(reproduce_print_json);
	top = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	ATF_REQUIRE_MSG(top != NULL, "%s", text);
	ATF_REQUIRE_EQ(0, json_unpack(top, "{s:s, s:b, s:i, s:o, s:{s:s, s:F, "
	    "s:s}, s:F}", "profile", &name, "holds", &holds, "seed", &seed,
	    "rows", &rows, "fitted", "key", &key, "value", &value, "unit",
	    &fitted_unit, "guessed_share", &share));
	ATF_CHECK_STREQ("graviton3", name);
	ATF_CHECK(holds);
	ATF_CHECK_EQ(7, seed);
	ATF_CHECK_STREQ("op.lock_pair", key);
	ATF_CHECK_STREQ("ns", fitted_unit);
	ATF_CHECK_EQ(fitted(), value);
	ATF_CHECK(share > 0 && share < 1);
	ATF_REQUIRE_EQ(REPRODUCE_ROWS, json_array_size(rows));
	ATF_CHECK(json_object_get(json_array_get(rows, 0), "published_high") ==
	    NULL);
	ATF_REQUIRE_EQ(0, json_unpack(json_array_get(rows, 4), "{s:F}",
	    "published_high", &high));
	ATF_CHECK_EQ(99, high);
	ATF_REQUIRE_EQ(0, json_unpack(json_array_get(rows, ROW_SEED), "{s:s, "
	    "s:F, s:F, s:s, s:b, s:s}", "name", &name, "published",
	    &published, "predicted", &predicted, "unit", &unit, "within",
	    &within, "role", &role));
	ATF_CHECK_STREQ("chacha20 locked: each reader", name);
	ATF_CHECK_EQ(113, published);
	ATF_CHECK_EQ(110, predicted);
	ATF_CHECK_STREQ("MB/s", unit);
	ATF_CHECK(within);
	ATF_CHECK_STREQ("predicted", role);
	/* What was published is accepted itself; one row is fitted. */
	for (i = 0; i < REPRODUCE_ROWS; i++) {
		ATF_REQUIRE_EQ(0, json_unpack(json_array_get(rows, i), "{s:F, "
		    "s:s, s:[F, F]}", "published", &published, "role", &role,
		    "accepted", &accepted[0], &accepted[1]));
		ATF_CHECK_MSG(accepted[0] <= published && published <=
		    accepted[1], "row %u", i);
		of_fit += strcmp(role, "fitted") == 0;
	}
	ATF_CHECK_EQ(1, of_fit);
	json_decref(top);
	free(text);
	for (i = 0; i < nitems(prints); i++) {
		ri.ri_figures[ROW_SEED][REPRODUCE_RATE] = 110;
		text = printed(prints[i]);
		ATF_CHECK(strstr(text, missed[i]) == NULL);
		free(text);
		ri.ri_figures[ROW_SEED][REPRODUCE_RATE] = 4;
		text = printed(prints[i]);
		ATF_CHECK_MSG(strstr(text, missed[i]) != NULL, "%s", text);
		free(text);
	}
}

TEST(another_machine__misses, "a machine that is not the published one is not "
    "taken for it")
{
	static const struct {
		enum profile_key key;
		double		 factor;
		unsigned	 row;
	} cases[] = {
		/* ChaCha20 locked: each reader. */
		{ PROFILE_CHACHA20_KERNEL_BYTE, 1.5, 1 },
		/* AES locked; so slow that no hold makes up for it. */
		{ PROFILE_AES_KERNEL_BYTE, 2, 0 },
		/* AES concurrent: rand_harvestq. */
		{ PROFILE_EV_SOURCE, 20, 6 },
	};

	begin();
	for (unsigned i = 0; i < nitems(cases); i++) {
		load(reproductions->rn_profile);
		ATF_CHECK_EQ(PROVENANCE_FITTED,
		    profile.pr_from[PROFILE_OP_LOCK_PAIR]);
		profile.pr_value[cases[i].key] *= cases[i].factor;
		ATF_REQUIRE_EQ_MSG(0, reproduce(&ri, reproduce_run, &profile,
		    1), "%s", ri.ri_error);
		ATF_CHECK_MSG(!reproduce_within(&ri, cases[i].row), "row %u",
		    cases[i].row);
	}
}

TEST_PROGRAM()
