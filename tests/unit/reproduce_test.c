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

static const struct reproduction *
find(const char *name)
{
	for (unsigned i = 0; i < reproduction_count; i++)
		if (strcmp(reproductions[i]->rn_name, name) == 0)
			return (reproductions[i]);
	atf_tc_fail("no reproduction %s", name);
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
 * A reproduction of which nothing is simulated.  Figures depend on a cost and
 * on the seed.
 */
enum { RUN_ONE, RUN_SEED, RUN_COST };

static unsigned runs;		/* of all seeds together */
static uint64_t bad_seed;
static double failing_cost;

static int
figures_of(const struct profile *pr, unsigned run, uint64_t seed,
    double *figures, char why[CELL_ERROR_SIZE])
{
	const double cost = pr->pr_value[PROFILE_OP_LOCK_PAIR];

	runs++;
	figures[0] = run == RUN_ONE ? 1 : run == RUN_SEED ?
	    (double)(seed * seed) : 1000 / (10 + cost);
	figures[1] = -(double)seed;
	snprintf(why, CELL_ERROR_SIZE, "seed %d", (int)seed);
	return (seed >= bad_seed ? ERANGE : cost == failing_cost ? EDEADLK :
	    0);
}

static const char *const no_remarks[] = { NULL };

static struct reproduce_row plain_rows[] = {
	{ "one", "", RUN_ONE, 0, NULL, REPRODUCE_PREDICTED, 1, 0, 0.9, 1.1 },
	{ "two", "MB/s", RUN_SEED, 0, NULL, REPRODUCE_FITTED, 2, 3, 80, 81 },
	{ "rate", "", RUN_COST, 0, NULL, REPRODUCE_FITTED, 0, 0, 0, 1000 },
	{ "seeds", "squared", RUN_SEED, 0, "few", REPRODUCE_PREDICTED, 0, 0, 0,
	    0 },
};

enum { WORDS = 1, ROWS = nitems(plain_rows) - WORDS };

static struct reproduction plain = {
	.rn_name	= "plain",
	.rn_descr	= "nothing",
	.rn_profile	= "graviton3",
	.rn_run		= figures_of,
	.rn_runs	= 3,
	.rn_fit_key	= PROFILE_OP_LOCK_PAIR,
	.rn_fit_row	= 2,
	.rn_fit_run	= RUN_COST,
	.rn_rows	= plain_rows,
	.rn_row_count	= ROWS,
	.rn_word_count	= WORDS,
	.rn_remarks	= no_remarks,
};

/* Fits the cost to a rate, between 0 and high. */
static int
fit_cost(double rate, double high)
{
	plain_rows[2].rr_published = rate;
	plain.rn_fit_high = high;
	return (reproduce(&ri, &plain, &profile, 7));
}

static void
begin_plain(void)
{
	begin();
	load("graviton3");
	bad_seed = UINT64_MAX;
	failing_cost = -1;
	runs = 0;
	ATF_REQUIRE_EQ(0, fit_cost(1000. / 1244, 20000));
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
	ATF_CHECK_MSG(runs <= REPRODUCE_SEEDS * (8 + 3), "%u", runs);
	ATF_REQUIRE_EQ(0, fit_cost(1000 / 10.123456, 1));
	ATF_CHECK(fabs(fitted() * 1e4 - round(fitted() * 1e4)) < 1e-9);
}

TEST(fit__nearer_end, "of the range, for a rate that no cost in it gives")
{
	begin_plain();
	ATF_REQUIRE_EQ(0, fit_cost(500, 100));
	ATF_CHECK_EQ(0, fitted());
	ATF_REQUIRE_EQ(0, fit_cost(1, 100));
	ATF_CHECK_EQ(100, fitted());
}

TEST(fit__fails_with_a_run, "at an end of the range and between them, with "
    "the run's reason")
{
	begin_plain();
	failing_cost = 100;
	ATF_CHECK_EQ(EDEADLK, fit_cost(50, 100));
	ATF_CHECK_STREQ("seed 7", ri.ri_error);
	failing_cost = -1;
	ATF_REQUIRE_EQ(0, fit_cost(50, 100));
	failing_cost = fitted();
	ATF_CHECK_EQ(EDEADLK, fit_cost(50, 100));
}

TEST(medians__over_seeds, "7 to 11; the first seed that fails is reported, "
    "whichever ends first")
{
	begin_plain();
	ATF_CHECK_EQ(81, ri.ri_figures[RUN_SEED][0]);
	ATF_CHECK_EQ(-9, ri.ri_figures[RUN_SEED][1]);
	bad_seed = 9;
	ATF_CHECK_EQ(ERANGE, fit_cost(1, 100));
	ATF_CHECK_STREQ("seed 9", ri.ri_error);
}

TEST(within__ends_included, "of the accepted range; no number that is none")
{
	static const struct {
		double	 figure;
		bool	 within;
	} cases[] = { { 80, true }, { 81, true }, { 79.99, false },
	    { 81.01, false }, { NAN, false } };
	unsigned i;

	begin_plain();
	ATF_CHECK_EQ(0, reproduce_missed(&ri));
	for (i = 0; i < nitems(cases); i++) {
		ri.ri_figures[RUN_SEED][0] = cases[i].figure;
		ATF_CHECK_EQ(cases[i].within, reproduce_within(&ri, 1));
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
	double high, predicted, published, share, value;
	int holds, seed, within;
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
	ATF_REQUIRE_EQ(ROWS, json_array_size(rows));
	ATF_CHECK(json_object_get(json_array_get(rows, 0), "published_high") ==
	    NULL);
	ATF_REQUIRE_EQ(0, json_unpack(json_array_get(rows, 1), "{s:s, s:F, "
	    "s:F, s:s, s:b, s:s, s:F}", "name", &name, "published",
	    &published, "predicted", &predicted, "unit", &unit, "within",
	    &within, "role", &role, "published_high", &high));
	ATF_CHECK_STREQ("two", name);
	ATF_CHECK_EQ(2, published);
	ATF_CHECK_EQ(3, high);
	ATF_CHECK_EQ(81, predicted);
	ATF_CHECK_STREQ("MB/s", unit);
	ATF_CHECK(within);
	ATF_CHECK_STREQ("fitted", role);
	json_decref(top);
	free(text);
	for (i = 0; i < nitems(prints); i++) {
		ri.ri_figures[RUN_SEED][0] = 81;
		text = printed(prints[i]);
		ATF_CHECK(strstr(text, missed[i]) == NULL);
		free(text);
		ri.ri_figures[RUN_SEED][0] = 4;
		text = printed(prints[i]);
		ATF_CHECK_MSG(strstr(text, missed[i]) != NULL, "%s", text);
		free(text);
	}
}

TEST(family__is_sound, "each profile has the fitted value; what was published "
    "is accepted itself; one row is fitted; runs are there")
{
	const struct reproduction *rn;
	const struct reproduce_row *rr;
	unsigned n;

	ATF_REQUIRE(reproduction_count >= 2);
	for (unsigned i = 0; i < reproduction_count; i++) {
		rn = reproductions[i];
		if (rn->rn_file != NULL)
			continue;
		load(rn->rn_profile);
		ATF_CHECK_EQ_MSG(PROVENANCE_FITTED,
		    profile.pr_from[rn->rn_fit_key], "%s", rn->rn_name);
		n = 0;
		for (unsigned k = 0; k < rn->rn_row_count; k++) {
			rr = &rn->rn_rows[k];
			ATF_CHECK_MSG(strpbrk(rr->rr_name, ",\"") == NULL &&
			    strpbrk(rr->rr_unit, ",\"") == NULL, "%s",
			    rr->rr_name);
			ATF_CHECK_MSG(rr->rr_low <= rr->rr_published &&
			    rr->rr_high >= rr->rr_published &&
			    rr->rr_high >= rr->rr_published_high, "%s",
			    rr->rr_name);
			ATF_CHECK_MSG(rr->rr_run < rn->rn_runs, "%s",
			    rr->rr_name);
			n += rr->rr_role == REPRODUCE_FITTED;
		}
		ATF_CHECK_EQ_MSG(1, n, "%s", rn->rn_name);
	}
}

TEST(another_machine__misses, "a machine that is not the published one is not "
    "taken for it")
{
	static const struct {
		const char	*name;
		enum profile_key key;
		double		 factor;
		const char	*row;
	} cases[] = {
		{ "fbsd-2019", PROFILE_CHACHA20_KERNEL_BYTE, 1.5,
		    "chacha20 locked: each reader" },
		/* So slow that no hold makes up for it. */
		{ "fbsd-2019", PROFILE_AES_KERNEL_BYTE, 2,
		    "aes locked: each reader" },
		{ "fbsd-2019", PROFILE_EV_SOURCE, 20,
		    "aes concurrent: rand_harvestq" },
	};
	const struct reproduction *rn;
	unsigned k;

	begin();
	for (unsigned i = 0; i < nitems(cases); i++) {
		rn = find(cases[i].name);
		load(rn->rn_profile);
		profile.pr_value[cases[i].key] *= cases[i].factor;
		ATF_REQUIRE_EQ_MSG(0, reproduce(&ri, rn, &profile, 1),
		    "%s", ri.ri_error);
		for (k = 0; k < rn->rn_row_count; k++)
			if (strcmp(rn->rn_rows[k].rr_name, cases[i].row) == 0)
				break;
		ATF_REQUIRE_MSG(k < rn->rn_row_count, "%s", cases[i].row);
		ATF_CHECK_MSG(!reproduce_within(&ri, k), "%s",
		    cases[i].row);
	}
}

TEST_PROGRAM()
