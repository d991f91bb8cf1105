/*
 * Published results beside predictions: fitting, medians, what is within, and
 * what documents say of it.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "bench/reproduce/beside.h"
#include "bench/reproduce/reproduce.h"
#include "tests/support.h"

static struct profile profile;
static struct reproducing rg;

static void
load(const char *name)
{
	char why[PROFILE_ERROR_SIZE] = "";

	ATF_REQUIRE_EQ_MSG(0, profile_load(&profile, name, why), "%s", why);
}

static const struct reproduction *
find(const char *name)
{
	unsigned i;

	for (i = 0; i < reproduction_count; i++)
		if (strcmp(reproductions[i]->rd_name, name) == 0)
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

/* A reproduction of which nothing is simulated. */
static unsigned asked;

static int
rate_of_cost(struct reproducing *r, double *value)
{

	asked++;
	*value = 1000 / (10 + r->rg_profile.pr_value[PROFILE_OP_LOCK_PAIR]);
	return (0);
}

static int
rate_fails(struct reproducing *r, double *value)
{

	snprintf(r->rg_error, sizeof(r->rg_error), "worn out");
	*value = 0;
	return (++asked > 2 ? EDEADLK : rate_of_cost(r, value));
}

static int
run_nothing(struct reproducing *r)
{

	r->rg_predicted[0] = 1;
	r->rg_predicted[1] = 2.5;
	return (0);
}

static const char *const no_remarks[] = { NULL };

static const struct reproduce_row plain_rows[] = {
	{ "one", "", REPRODUCE_PREDICTED, 1, 0, 0.9, 1.1 },
	{ "two", "MB/s", REPRODUCE_FITTED, 2, 3, 2.5, 3 },
	{ "three", "", REPRODUCE_OPEN, 3, 0, -1, 1 },
};

static const struct reproduction plain = {
	.rd_name	= "plain",
	.rd_descr	= "nothing",
	.rd_profile	= "graviton3",
	.rd_key		= PROFILE_OP_LOCK_PAIR,
	.rd_rows	= plain_rows,
	.rd_row_count	= nitems(plain_rows),
	.rd_remarks	= no_remarks,
	.rd_runs	= 1,
	.rd_run		= run_nothing,
};

static void
begin_plain(void)
{

	begin();
	load("graviton3");
	ATF_REQUIRE_EQ(0, reproduce(&rg, &plain, &profile, 7, false));
	asked = 0;
}

ATF_TC_WITHOUT_HEAD(fit__finds);
ATF_TC_BODY(fit__finds, tc)
{

	begin_plain();
	ATF_REQUIRE(rg.rg_profile.pr_from[PROFILE_OP_LOCK_PAIR] !=
	    PROVENANCE_FITTED);
	ATF_REQUIRE_EQ(0, reproduce_fit(&rg, PROFILE_OP_LOCK_PAIR, 0, 20000,
	    1000. / 1244, rate_of_cost));
	ATF_CHECK(fabs(rg.rg_profile.pr_value[PROFILE_OP_LOCK_PAIR] - 1234) <=
	    2);
	/* The profile says whose value it is then. */
	ATF_CHECK_EQ(PROVENANCE_FITTED,
	    rg.rg_profile.pr_from[PROFILE_OP_LOCK_PAIR]);
	ATF_CHECK(strstr(rg.rg_profile.pr_source[PROFILE_OP_LOCK_PAIR],
	    "plain") != NULL);
	/* The figure is the inverse of a cost: few steps do. */
	ATF_CHECK_MSG(asked <= 8, "%u", asked);
	/* Four digits. */
	ATF_REQUIRE_EQ(0, reproduce_fit(&rg, PROFILE_OP_LOCK_PAIR, 0, 1,
	    1000 / 10.123456, rate_of_cost));
	ATF_CHECK(fabs(rg.rg_profile.pr_value[PROFILE_OP_LOCK_PAIR] * 1e4 -
	    round(rg.rg_profile.pr_value[PROFILE_OP_LOCK_PAIR] * 1e4)) < 1e-9);
}

ATF_TC_WITHOUT_HEAD(fit__nearer_end);
ATF_TC_BODY(fit__nearer_end, tc)
{

	begin_plain();
	ATF_REQUIRE_EQ(0, reproduce_fit(&rg, PROFILE_OP_LOCK_PAIR, 0, 100,
	    500, rate_of_cost));
	ATF_CHECK_EQ(0, rg.rg_profile.pr_value[PROFILE_OP_LOCK_PAIR]);
	ATF_REQUIRE_EQ(0, reproduce_fit(&rg, PROFILE_OP_LOCK_PAIR, 0, 100,
	    1, rate_of_cost));
	ATF_CHECK_EQ(100, rg.rg_profile.pr_value[PROFILE_OP_LOCK_PAIR]);
}

ATF_TC_WITHOUT_HEAD(fit__fails_with_the_figure);
ATF_TC_BODY(fit__fails_with_the_figure, tc)
{

	begin_plain();
	ATF_CHECK_EQ(EDEADLK, reproduce_fit(&rg, PROFILE_OP_LOCK_PAIR, 0, 100,
	    50, rate_fails));
	ATF_CHECK_STREQ("worn out", rg.rg_error);
}

static int
run_seed(const void *what, uint64_t seed, double figures[REPRODUCE_FIGURES],
    char why[CELL_ERROR_SIZE])
{
	const uint64_t *bad = what;

	snprintf(why, CELL_ERROR_SIZE, "seed %d", (int)seed);
	figures[0] = (double)(seed * seed);
	figures[1] = -(double)seed;
	return (seed >= *bad ? ERANGE : 0);
}

ATF_TC_WITHOUT_HEAD(medians__over_seeds);
ATF_TC_BODY(medians__over_seeds, tc)
{
	double figures[REPRODUCE_FIGURES];
	uint64_t bad = UINT64_MAX;

	begin_plain();
	ATF_REQUIRE_EQ(0, reproduce_medians(&rg, run_seed, &bad, figures));
	/* Seeds 7 to 11. */
	ATF_CHECK_EQ(81, figures[0]);
	ATF_CHECK_EQ(-9, figures[1]);
	/* The first that fails, whichever ends first, is told of. */
	bad = 9;
	ATF_CHECK_EQ(ERANGE, reproduce_medians(&rg, run_seed, &bad, figures));
	ATF_CHECK_STREQ("seed 9", rg.rg_error);
}

ATF_TC_WITHOUT_HEAD(within__ends_included);
ATF_TC_BODY(within__ends_included, tc)
{

	begin_plain();
	ATF_CHECK(reproduce_within(&rg, 0));
	ATF_CHECK(reproduce_within(&rg, 1));
	/* Whatever stands there, nothing was predicted. */
	ATF_CHECK(!reproduce_within(&rg, 2));
	ATF_CHECK(reproduce_holds(&rg));
	rg.rg_predicted[1] = 2.499;
	ATF_CHECK(!reproduce_within(&rg, 1));
	ATF_CHECK(!reproduce_holds(&rg));
	rg.rg_predicted[1] = 3;
	ATF_CHECK(reproduce_holds(&rg));
	rg.rg_predicted[0] = NAN;
	ATF_CHECK(!reproduce_holds(&rg));
}

/* What beside_print_json() or another writes. */
static char *
printed(void (*print)(FILE *out, const struct reproducing *r))
{
	char *text = NULL;
	size_t size;
	FILE *out;

	out = open_memstream(&text, &size);
	ATF_REQUIRE(out != NULL);
	print(out, &rg);
	ATF_REQUIRE_EQ(0, fclose(out));
	return (text);
}

static void
print_json(FILE *out, const struct reproducing *r)
{

	ATF_REQUIRE_EQ(0, beside_print_json(out, r));
}

ATF_TC_WITHOUT_HEAD(documents__say_the_same);
ATF_TC_BODY(documents__say_the_same, tc)
{
	const char *name, *role, *unit, *key, *fitted_unit;
	double predicted, published, share, value;
	json_t *row, *rows, *top;
	int holds, seed, within;
	char *text, want[256];

	begin_plain();
	text = printed(print_json);
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
	ATF_CHECK_EQ(profile.pr_value[PROFILE_OP_LOCK_PAIR], value);
	ATF_CHECK(share > 0 && share < 1);
	ATF_REQUIRE_EQ(3, json_array_size(rows));
	row = json_array_get(rows, 1);
	ATF_REQUIRE_EQ(0, json_unpack(row, "{s:s, s:F, s:F, s:s, s:b, s:s, "
	    "s:F}", "name", &name, "published", &published, "predicted",
	    &predicted, "unit", &unit, "within", &within, "role", &role,
	    "published_high", &value));
	ATF_CHECK_STREQ("two", name);
	ATF_CHECK_EQ(2, published);
	ATF_CHECK_EQ(3, value);
	ATF_CHECK_EQ(2.5, predicted);
	ATF_CHECK_STREQ("MB/s", unit);
	ATF_CHECK(within);
	ATF_CHECK_STREQ("fitted", role);
	row = json_array_get(rows, 2);
	ATF_CHECK(json_is_null(json_object_get(row, "predicted")));
	ATF_CHECK(json_is_null(json_object_get(row, "within")));
	ATF_CHECK_STREQ("open",
	    json_string_value(json_object_get(row, "role")));
	json_decref(top);
	free(text);
	snprintf(want, sizeof(want), "\none,,predicted,1,,,0.9,1.1,1,true,"
	    "\"graviton3\",%.6g\ntwo,MB/s,fitted,2,2,3,2.5,3,2.5,true,"
	    "\"graviton3\",%.6g\nthree,,open,3,,,-1,1,,,\"graviton3\",%.6g\n",
	    share, share, share);
	text = printed(beside_print_csv);
	ATF_CHECK_MSG(strstr(text, want) != NULL, "%s", text);
	ATF_CHECK(strstr(text, ",within,profile,guessed_share\n") != NULL);
	free(text);
	/* A row that is not within stands out, an open one does not. */
	text = printed(beside_print);
	ATF_CHECK(strstr(text, " NO\n") == NULL);
	free(text);
	rg.rg_predicted[1] = 4;
	text = printed(beside_print);
	ATF_CHECK(strstr(text, " NO\n") != NULL);
	free(text);
	text = printed(beside_print_csv);
	ATF_CHECK(strstr(text, ",4,false,") != NULL);
	free(text);
	text = printed(print_json);
	ATF_CHECK(strstr(text, "\"within\": false") != NULL);
	free(text);
}

ATF_TC_WITHOUT_HEAD(family__is_sound);
ATF_TC_BODY(family__is_sound, tc)
{
	const struct reproduction *rd;
	const struct reproduce_row *rr;
	unsigned i, k, n;

	ATF_REQUIRE(reproduction_count >= 2);
	for (i = 0; i < reproduction_count; i++) {
		rd = reproductions[i];
		load(rd->rd_profile);
		ATF_CHECK_EQ_MSG(PROVENANCE_FITTED,
		    profile.pr_from[rd->rd_key], "%s", rd->rd_name);
		n = 0;
		for (k = 0; k < rd->rd_row_count; k++) {
			rr = &rd->rd_rows[k];
			ATF_CHECK_MSG(strpbrk(rr->rr_name, ",\"") == NULL &&
			    strpbrk(rr->rr_unit, ",\"") == NULL, "%s",
			    rr->rr_name);
			/* What was published would itself be accepted. */
			ATF_CHECK_MSG(rr->rr_low <= rr->rr_published &&
			    rr->rr_high >= rr->rr_published &&
			    rr->rr_high >= rr->rr_published_high, "%s",
			    rr->rr_name);
			n += rr->rr_role == REPRODUCE_FITTED;
		}
		/* A second number may be, of what no profile has. */
		ATF_CHECK_MSG(n >= 1 && n <= 2 && n < rd->rd_row_count / 2,
		    "%s: %u rows fitted", rd->rd_name, n);
	}
}

/* Holds, and with the value that the shipped profile has. */
static void
holds(const char *name)
{
	const struct reproduction *rd = find(name);
	double given;
	unsigned i;

	begin();
	load(rd->rd_profile);
	ATF_REQUIRE_EQ_MSG(0, reproduce(&rg, rd, &profile, 1, false), "%s",
	    rg.rg_error);
	for (i = 0; i < rd->rd_row_count; i++)
		ATF_CHECK_MSG(rd->rd_rows[i].rr_role == REPRODUCE_OPEN ||
		    reproduce_within(&rg, i), "%s: %g",
		    rd->rd_rows[i].rr_name, rg.rg_predicted[i]);
	given = profile.pr_value[rd->rd_key];
	ATF_CHECK_MSG(fabs(rg.rg_profile.pr_value[rd->rd_key] / given - 1) <
	    0.05, "fitted %g, shipped %g: rngsim reproduce %s --refit",
	    rg.rg_profile.pr_value[rd->rd_key], given, name);
}

ATF_TC_WITHOUT_HEAD(fbsd_2019__holds);
ATF_TC_BODY(fbsd_2019__holds, tc)
{

	holds("fbsd-2019");
}

ATF_TC_WITHOUT_HEAD(kleen_2015__holds);
ATF_TC_BODY(kleen_2015__holds, tc)
{

	holds("kleen-2015");
}

/* A machine that is not the published one does not pass for it. */
static void
misses(const char *name, enum profile_key key, double factor,
    const char *row)
{
	const struct reproduction *rd = find(name);
	unsigned i;

	load(rd->rd_profile);
	profile.pr_value[key] *= factor;
	ATF_REQUIRE_EQ_MSG(0, reproduce(&rg, rd, &profile, 1, false), "%s",
	    rg.rg_error);
	ATF_CHECK(!reproduce_holds(&rg));
	for (i = 0; i < rd->rd_row_count; i++)
		if (strcmp(rd->rd_rows[i].rr_name, row) == 0)
			break;
	ATF_REQUIRE_MSG(i < rd->rd_row_count, "%s", row);
	ATF_CHECK_MSG(!reproduce_within(&rg, i), "%s: %g", row,
	    rg.rg_predicted[i]);
}

ATF_TC_WITHOUT_HEAD(another_machine__misses);
ATF_TC_BODY(another_machine__misses, tc)
{

	begin();
	misses("fbsd-2019", PROFILE_CHACHA20_KERNEL_BYTE, 1.5,
	    "chacha20 locked: each reader");
	/* So slow that no hold makes up for it. */
	misses("fbsd-2019", PROFILE_AES_KERNEL_BYTE, 2,
	    "aes locked: each reader");
	misses("fbsd-2019", PROFILE_EV_SOURCE, 20,
	    "aes concurrent: rand_harvestq");
	misses("kleen-2015", PROFILE_LAT_CONG, 8, "one pool: 2 nodes");
}

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, fit__finds);
	ATF_TP_ADD_TC(tp, fit__nearer_end);
	ATF_TP_ADD_TC(tp, fit__fails_with_the_figure);
	ATF_TP_ADD_TC(tp, medians__over_seeds);
	ATF_TP_ADD_TC(tp, within__ends_included);
	ATF_TP_ADD_TC(tp, documents__say_the_same);
	ATF_TP_ADD_TC(tp, family__is_sound);
	ATF_TP_ADD_TC(tp, fbsd_2019__holds);
	ATF_TP_ADD_TC(tp, kleen_2015__holds);
	ATF_TP_ADD_TC(tp, another_machine__misses);
	return (atf_no_error());
}
