/*
 * lib/profile/profile.h: the form and contents of machine profiles.
 */
#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "tests/unit/profile_fixture.h"
#include "tests/unit/test.h"

static void
check_same(const struct profile *a, const struct profile *b)
{
	ATF_CHECK_STREQ(a->pr_name, b->pr_name);
	ATF_CHECK_STREQ(a->pr_descr, b->pr_descr);
	for (unsigned key = 0; key < PROFILE_VALUES; key++) {
		ATF_CHECK_MSG(a->pr_value[key] == b->pr_value[key],
		    "%s: %.17g is not %.17g", profile_fields[key].pf_key,
		    a->pr_value[key], b->pr_value[key]);
		ATF_CHECK_EQ(a->pr_from[key], b->pr_from[key]);
		ATF_CHECK_STREQ(a->pr_source[key], b->pr_source[key]);
	}
}

static void
check_round_trip(const struct profile *pr)
{
	struct profile again;

	profile_fixture_again(pr, &again);
	check_same(pr, &again);
}

TEST(profile__shipped, "each shipped profile loads under its own name and "
    "reads the same after it was written")
{
	const struct profile_shipped *ps;
	char error[PROFILE_ERROR_SIZE];
	struct profile pr;

	for (ps = profile_shipped; ps->ps_name != NULL; ps++) {
		ATF_REQUIRE_MSG(profile_load(&pr, ps->ps_name, error) == 0,
		    "%s", error);
		ATF_CHECK_STREQ(ps->ps_name, pr.pr_name);
		check_round_trip(&pr);
		for (unsigned key = 0; key < PROFILE_VALUES; key++)
			ATF_CHECK((pr.pr_source[key][0] == '\0') ==
			    (pr.pr_from[key] == PROVENANCE_ABSENT));
	}
	ATF_CHECK(ps >= profile_shipped + 5);
}

TEST(profile__round_trip, "numbers of all digits, quotes and backslashes are "
    "read as they were written")
{
	static const double values[] = { 1.0 / 3, 0.1, 999.9999999999999,
	    1e-300, 5e-324, 0, 123456.789, 1e6, 0.30000000000000004 };
	struct profile pr;
	size_t i;

	profile_fixture(&pr);
	strcpy(pr.pr_descr, "a \"quote\", a \\, a \\n, # ; { \"");
	memset(pr.pr_source[PROFILE_LAT_HIT], 'x', PROFILE_TEXT_SIZE - 1);
	memset(pr.pr_name, 'n', PROFILE_NAME_SIZE - 1);
	for (i = 0; i < nitems(values); i++) {
		/* A pair: the 99th percentile may not be below the median. */
		pr.pr_value[PROFILE_OS_WAKE_SAME_P50] = values[i];
		pr.pr_value[PROFILE_OS_WAKE_SAME_P99] = values[i];
		check_round_trip(&pr);
	}
}

/* An edit of the fixture's text, and the message that it causes. */
struct edit {
	const char	*find;
	const char	*with;
	const char	*at;	/* the line named; NULL: find's, "": the last */
	const char	*says;	/* its beginning, after FILE:LINE: */
};

#define	RMW	"lat.rmw = 7 ns guessed \"made up\""
#define	A16	"aaaaaaaaaaaaaaaa"
#define	A64	A16 A16 A16 A16

static const struct edit edits[] = {
	/* Numbers. */
	{ "rmw = 7", "rmw = -5", NULL, "lat.rmw: \"-5\" is negative" },
	{ "rmw = 7", "rmw = -0.25", NULL, "lat.rmw: \"-0.25\" is negative" },
	{ "rmw = 7", "rmw = 1e4", NULL, "lat.rmw: \"1e4\" is too large" },
	{ "pause = 7", "pause = 0", NULL, "cpu.pause: \"0\" is too small" },
	{ "rmw = 7", "rmw = 1e999", NULL, "lat.rmw: \"1e999\" is not finite" },
	{ "rmw = 7", "rmw = -1e999", NULL, "lat.rmw: \"-1e999\" is not fin" },
	{ "rmw = 7", "rmw = nan", NULL, "lat.rmw: \"nan\" is not a decimal" },
	{ "rmw = 7", "rmw = inf", NULL, "lat.rmw: \"inf\" is not a decimal" },
	{ "rmw = 7", "rmw = 0x7", NULL, "lat.rmw: \"0x7\" is not a decimal" },
	{ "rmw = 7", "rmw = 7L", NULL, "lat.rmw: \"7L\" is not a decimal" },
	{ "rmw = 7", "rmw = 7,5", NULL, "lat.rmw: \"7,5\" is not a decimal" },
	{ "rmw = 7", "rmw = \"7\"", NULL, "lat.rmw: \"\"7\"\" is not a dec" },
	{ "rmw = 7", "rmw = 18446744073709551623", NULL,
	    "lat.rmw: \"18446744073709551623\" is too large" },
	{ RMW, "lat.rmw =", NULL, "lat.rmw: \"\" is not a decimal number" },
	{ "cpus = 8", "cpus = 8.5", NULL, "topo.cpus: \"8.5\" is not a whole "
	    "number; expected a whole number, 1.." },
	{ "cpus = 8", "cpus = 0", NULL, "topo.cpus: \"0\" is too small" },
	{ "cpus = 8", "cpus = 2000", NULL, "topo.cpus: \"2000\" is too large" },
	{ "preempt = 1", "preempt = 0.5", NULL,
	    "os.preempt: \"0.5\" is not a whole" },
	{ "preempt = 1", "preempt = 2", NULL, "os.preempt: \"2\" is too la" },
	/* The rest of a value. */
	{ "rmw = 7 ns", "rmw = 7 us", NULL,
	    "lat.rmw: UNIT is \"us\"; expected \"ns\"" },
	{ "rmw = 7 ns", "rmw = 7", NULL,
	    "lat.rmw: UNIT is \"guessed\"; expected \"ns\"" },
	{ "copy = 7 ns/B", "copy = 7 ns", NULL,
	    "mem.copy: UNIT is \"ns\"; expected \"ns/B\"" },
	{ "preempt = 1", "preempt = 1 ns", NULL,
	    "os.preempt: PROVENANCE is \"ns\"; expected measured" },
	{ "rmw = 7 ns guessed", "rmw = 7 ns seen", NULL,
	    "lat.rmw: PROVENANCE is \"seen\"; expected measured" },
	{ "rmw = 7 ns guessed", "rmw = 7 ns absent", NULL,
	    "lat.rmw: PROVENANCE is \"absent\"; expected" },
	{ RMW, "lat.rmw = 7 ns guessed \"\"", NULL,
	    "lat.rmw: the text is 0 bytes long; expected 1..159" },
	{ RMW, "lat.rmw = 7 ns guessed \"a", NULL,
	    "lat.rmw: the text is not in quotes; expected \"SOURCE\"" },
	{ RMW, "lat.rmw = 7 ns guessed \"", NULL,
	    "lat.rmw: the text is not in quotes; expected" },
	{ RMW, "lat.rmw = 7 ns guessed a\"", NULL,
	    "lat.rmw: the text is not in quotes; expected" },
	{ RMW, "lat.rmw = 7 ns guessed \"\x1b[1m\"", NULL,
	    "lat.rmw: the text has the byte 0x1b; expected" },
	{ RMW, "lat.rmw = 7 ns guessed \"\xc3\xa4\"", NULL,
	    "lat.rmw: the text has the byte 0xc3; expected" },
	{ RMW, "lat.rmw = 7 ns guessed \"" A64 A64 A64 "\"", NULL,
	    "lat.rmw: the text is 192 bytes long; expected 1..159" },
	{ RMW, RMW A64 A64 A64 A64 A64 A64 A64 A64, NULL,
	    "a line of 544 bytes; expected at most 511" },
	/* Keys. */
	{ "lat.rmw =", "lat.rnw =", NULL, "lat.rnw: there is no such key; "
	    "expected one of lat.hit, lat.rmw, lat.smt," },
	{ "cpu.pause", "cup.pause", NULL, "cup.pause: there is no such key; "
	    "expected name, descr, like, or a key of rngsim-profile(5)" },
	{ "name =", "\x01\x02\x7f =", NULL, "???: there is no such key" },
	{ "lat.rmw =", "lat.hit =", NULL, "lat.hit: there is one in line 8" },
	{ "descr =", "name =", NULL, "name: there is one in line 1" },
	{ "lat.rmw =", "lat.rmw=", NULL, "lat.rmw=: there is no such key" },
	{ RMW, "lat.rmw 7 ns", NULL, "lat.rmw: \"7\" follows; expected \"=\"" },
	{ "cpu.pause", "# cpu.pause", "", "cpu.pause: is missing; expected "
	    "NUMBER ns PROVENANCE \"SOURCE\"" },
	{ "topo.smt", "#", "", "topo.smt: is missing; expected NUMBER PROV" },
	{ "lat.smt", "#", "", "lat.smt: is missing; expected NUMBER ns" },
	{ "lat.sock", "#", "", "lat.sock: is missing" },
	{ "lat.remote", "#", "", "lat.remote: is missing" },
	{ "line.invalidate", "#", "", "line.invalidate: is missing" },
	{ "name", "#", "", "name: is missing; expected name = \"TEXT\"" },
	{ "descr", "#", "", "descr: is missing; expected descr = \"TEXT\"" },
	{ "topo.cpus", "like = \"nil\"\ntopo.cpus", NULL,
	    "like: \"nil\"; expected common, or a profile that comes" },
	{ "topo.smt", "like = \"graviton3\"\ntopo.smt", NULL,
	    "like: expected it before all values" },
	/* Names. */
	{ "\"made-up\"", "5", NULL, "name: the text is not in quotes" },
	{ "\"made-up\"", "\"\"", NULL, "name: the text is 0 bytes long" },
	{ "\"made-up\"", "\"a/b\"", NULL,
	    "name: \"a/b\"; expected letters" },
	{ "\"made-up\"", "\"" A64 "\"", NULL,
	    "name: the text is 64 bytes long; expected 1..63" },
	{ "\"a machine of tests\"", "a", NULL, "descr: the text is not in" },
	/* Sense. */
	{ "cpus = 8", "cpus = 7", NULL,
	    "topo.cpus: 7 is no multiple of topo.smt; expected one of 2" },
	{ "nodes = 2", "nodes = 5", NULL,
	    "topo.nodes: 5 is above the number of cores; expected 1..4" },
	{ "ccx = 1", "ccx = 5", NULL,
	    "topo.ccx: 5 is above the number of cores; expected 1..4" },
	{ "wake_same.p50 = 7", "wake_same.p50 = 7.5", "os.wake_same.p99",
	    "os.wake_same.p99: 7 is below os.wake_same.p50; expected" },
	{ "wake_cross.p50 = 7", "wake_cross.p50 = 9", "os.wake_cross.p99",
	    "os.wake_cross.p99: 7 is below os.wake_cross.p50; expected" },
};

/* The line that begins with or has a word; "": the last one. */
static unsigned
line_of(const char *text, const char *word)
{
	const char *at = *word == '\0' ? text + strlen(text) - 1 :
	    strstr(text, word), *p;
	unsigned line = 1;

	ATF_REQUIRE_MSG(at != NULL, "there is no \"%s\"", word);
	for (p = text; p < at; p++)
		line += *p == '\n';
	return (line);
}

/* A copy of text with one part replaced. */
static char *
edited(const char *text, const char *find, const char *with)
{
	const char *at = strstr(text, find);
	char *out;

	ATF_REQUIRE_MSG(at != NULL, "there is no \"%s\"", find);
	ATF_REQUIRE(asprintf(&out, "%.*s%s%s", (int)(at - text), text, with,
	    at + strlen(find)) >= 0);
	return (out);
}

TEST(profile__refuses, "messages name file, line and key, and what is expected")
{
	char error[PROFILE_ERROR_SIZE], want[PROFILE_ERROR_SIZE];
	struct profile pr;
	char *bad, *good;

	profile_fixture(&pr);
	good = profile_fixture_text(&pr);
	profile_fixture_parse(&pr, good);
	for (size_t i = 0; i < nitems(edits); i++) {
		const struct edit *e = &edits[i];

		bad = edited(good, e->find, e->with);
		snprintf(want, sizeof(want), "f.conf:%u: %s",
		    e->at == NULL ? line_of(good, e->find) :
		    line_of(bad, e->at), e->says);
		error[0] = '\0';
		ATF_CHECK_EQ_MSG(EINVAL, profile_parse(&pr, "f.conf", bad,
		    error),
		    "\"%s\"", e->with);
		ATF_CHECK_MSG(strncmp(error, want, strlen(want)) == 0,
		    "\"%s\": \"%s\" does not begin with \"%s\"", e->with,
		    error, want);
		ATF_CHECK_MSG(strstr(error, "expected ") != NULL, "%s", error);
		free(bad);
	}
	free(good);
}

TEST(profile__takes, "other ways of writing the same")
{
	static const char *const same[][2] = {
		{ "rmw = 7 ", "rmw = 7.0 " },
		{ "rmw = 7 ", "rmw = +7 " },
		{ "rmw = 7 ", "rmw = 0.7e1 " },
		{ "rmw = 7 ", "rmw = 00000000000007 " },
		{ RMW, "\t lat.rmw\t=  7 \tns guessed   \"made up\" \t" },
		{ RMW, "# lat.rmw = 4294967297\n\n \t\n#\n" RMW "\r" },
	};
	struct profile again, pr;
	char *good, *text;

	profile_fixture(&pr);
	good = profile_fixture_text(&pr);
	for (size_t i = 0; i < nitems(same); i++) {
		text = edited(good, same[i][0], same[i][1]);
		profile_fixture_parse(&again, text);
		check_same(&pr, &again);
		free(text);
	}
	/* No zero is negative. */
	text = edited(good, "rmw = 7", "rmw = -0.0");
	profile_fixture_parse(&again, text);
	ATF_CHECK(!signbit(again.pr_value[PROFILE_LAT_RMW]));
	free(text);
	free(good);
}

TEST(profile__like, "values that are left out are guessed to be another's; "
    "with all values in the text nothing is")
{
	struct profile all, like, pr, with;
	char *good, *text, why[PROFILE_ERROR_SIZE];

	ATF_REQUIRE_EQ(0, profile_load(&like, "graviton3", why));
	profile_fixture_parse(&pr, "name = \"n\"\ndescr = \"d\"\n"
	    "like = \"graviton3\"\ntopo.cpus = 8 measured \"here\"\n"
	    "topo.ccx = 8 measured \"here\"\n");
	for (unsigned key = 0; key < PROFILE_VALUES; key++) {
		if (key == PROFILE_TOPO_CPUS || key == PROFILE_TOPO_CCX) {
			ATF_CHECK_EQ(8, pr.pr_value[key]);
			ATF_CHECK_EQ(PROVENANCE_MEASURED, pr.pr_from[key]);
			continue;
		}
		ATF_CHECK_EQ(like.pr_value[key], pr.pr_value[key]);
		ATF_CHECK_EQ(like.pr_from[key] == PROVENANCE_ABSENT ?
		    PROVENANCE_ABSENT : PROVENANCE_GUESSED, pr.pr_from[key]);
	}
	profile_fixture(&all);
	good = profile_fixture_text(&all);
	text = edited(good, "topo.cpus", "like = \"graviton3\"\ntopo.cpus");
	profile_fixture_parse(&with, text);
	check_same(&all, &with);
	free(text);
	free(good);
}

TEST(profile__optional, "values of distances that a small machine does not "
    "have may be absent, and are not counted")
{
	static const enum profile_key optional[] = { PROFILE_LAT_SMT,
	    PROFILE_LAT_SOCK, PROFILE_LAT_REMOTE, PROFILE_LAT_CONG,
	    PROFILE_LINE_INVALIDATE };
	struct profile pr;
	size_t i;
	unsigned key, used = 0;

	profile_fixture(&pr);
	for (i = 0; i < nitems(optional); i++)
		ATF_CHECK(profile_used(&pr, optional[i]));
	pr.pr_value[PROFILE_TOPO_CPUS] = pr.pr_value[PROFILE_TOPO_CCX] = 4;
	pr.pr_value[PROFILE_TOPO_SMT] = pr.pr_value[PROFILE_TOPO_NODES] = 1;
	ATF_CHECK_EQ(1, profile_share(&pr, PROVENANCE_GUESSED));
	for (i = 0; i < nitems(optional); i++) {
		ATF_CHECK(!profile_used(&pr, optional[i]));
		pr.pr_from[optional[i]] = PROVENANCE_ABSENT;
		pr.pr_source[optional[i]][0] = '\0';
		pr.pr_value[optional[i]] = 0;
	}
	check_round_trip(&pr);
	for (key = 0; key < PROFILE_VALUES; key++)
		used += profile_used(&pr, key);
	ATF_CHECK_EQ(PROFILE_VALUES - nitems(optional), used);
	/* The topology, and the errors of the model. */
	used -= 5 + PROFILE_MODEL_PAIR + 1 - PROFILE_MODEL_FIFO;
	ATF_CHECK_EQ(1, profile_share(&pr, PROVENANCE_GUESSED));
	ATF_CHECK_EQ(0, profile_share(&pr, PROVENANCE_ABSENT));
	pr.pr_from[PROFILE_TOPO_CPUS] = PROVENANCE_MEASURED;
	ATF_CHECK_EQ(1, profile_share(&pr, PROVENANCE_GUESSED));
	pr.pr_from[PROFILE_LAT_HIT] = PROVENANCE_MEASURED;
	ATF_CHECK_EQ(1.0 / used, profile_share(&pr, PROVENANCE_MEASURED));
	ATF_CHECK_EQ((used - 1.0) / used,
	    profile_share(&pr, PROVENANCE_GUESSED));
}

static void
ps_of_ratio(void *pr)
{
	(void)profile_ps(pr, PROFILE_LAT_CONG);
}

TEST(profile__ps, "every unit of time in picoseconds, rounded to the nearest; "
    "other units have none")
{
	struct profile pr;

	profile_fixture(&pr);
	ATF_CHECK_EQ(7000, profile_ps(&pr, PROFILE_LAT_CCX));
	ATF_CHECK_EQ(7000000, profile_ps(&pr, PROFILE_OS_WAKE_SAME_P50));
	ATF_CHECK_EQ(7000000000, profile_ps(&pr, PROFILE_OS_QUANTUM));
	ATF_CHECK_EQ(7000, profile_ps(&pr, PROFILE_MEM_COPY));
	pr.pr_value[PROFILE_MEM_COPY] = 0.0073;
	ATF_CHECK_EQ(7, profile_ps(&pr, PROFILE_MEM_COPY));
	pr.pr_value[PROFILE_MEM_COPY] = 0.0076;
	ATF_CHECK_EQ(8, profile_ps(&pr, PROFILE_MEM_COPY));
	ATF_CHECK(support_asserts(ps_of_ratio, &pr));
}

TEST(profile__load, "files by path, shipped ones by name, and what is neither")
{
	char error[PROFILE_ERROR_SIZE];
	struct profile pr;
	char *text;

	profile_fixture(&pr);
	text = profile_fixture_text(&pr);
	atf_utils_create_file("mine.conf", "%s", text);
	atf_utils_create_file("mine", "%s", text);
	ATF_CHECK_EQ(0, profile_load(&pr, "mine.conf", error));
	ATF_CHECK_STREQ("made-up", pr.pr_name);
	ATF_CHECK_EQ(0, profile_load(&pr, "./mine", error));
	/* The last line needs no newline. */
	text[strlen(text) - 1] = '\0';
	atf_utils_create_file("mine.conf", "%s", text);
	ATF_CHECK_EQ_MSG(0, profile_load(&pr, "mine.conf", error), "%s", error);

	ATF_CHECK_EQ(ESRCH, profile_load(&pr, "mine", error));
	ATF_CHECK_MSG(strstr(error, "no profile \"mine\": expected host, ") ==
	    error, "%s", error);
	ATF_CHECK_MSG(strstr(error, "did you") == NULL, "%s", error);
	ATF_CHECK_EQ(ESRCH, profile_load(&pr, ".conf", error));
	ATF_CHECK_EQ(ESRCH, profile_load(&pr, "", error));
	ATF_CHECK_EQ(ENOENT, profile_load(&pr, "none.conf", error));
	ATF_CHECK_STREQ("none.conf: No such file or directory", error);
	ATF_CHECK_EQ(EISDIR, profile_load(&pr, "./", error));
	atf_utils_create_file("mine.conf", "%s", "");
	ATF_CHECK_EQ(EINVAL, profile_load(&pr, "mine.conf", error));
	ATF_CHECK_MSG(strstr(error, "mine.conf:1: name: is missing") == error,
	    "%s", error);
	atf_utils_create_file("mine.conf", "name = \"a\"%c", '\0');
	ATF_CHECK_EQ(EINVAL, profile_load(&pr, "mine.conf", error));
	ATF_CHECK_MSG(strstr(error, "has a byte 0; expected") != NULL, "%s",
	    error);
	atf_utils_create_file("mine.conf", "%100000s", "");
	ATF_CHECK_EQ(EINVAL, profile_load(&pr, "mine.conf", error));
	ATF_CHECK_MSG(strstr(error, "too long; expected") != NULL, "%s", error);
	free(text);
}

TEST(profile__host, "host is the user's own profile, and elsewhere there is "
    "none")
{
	char error[PROFILE_ERROR_SIZE], path[64];
	struct profile pr;
	char *text;

	unsetenv("RNGSIM_HOST_PROFILE");
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("HOME");
	ATF_CHECK_EQ(ENOENT, profile_host_path(path, sizeof(path)));
	ATF_CHECK_EQ(ESRCH, profile_load(&pr, "host", error));
	ATF_CHECK_MSG(strstr(error, "run \"rngsim calibrate\" first, or use "
	    "--profile with fbsd12-vm4-2019, ") != NULL, "%s", error);
	setenv("HOME", "/h", 1);
	ATF_CHECK_EQ(0, profile_host_path(path, sizeof(path)));
	ATF_CHECK_STREQ("/h/.config/rngsim/host.conf", path);
	ATF_CHECK_EQ(ESRCH, profile_load(&pr, "host", error));
	setenv("XDG_CONFIG_HOME", "/x", 1);
	ATF_CHECK_EQ(0, profile_host_path(path, sizeof(path)));
	ATF_CHECK_STREQ("/x/rngsim/host.conf", path);
	unlink("own");
	setenv("RNGSIM_HOST_PROFILE", "own", 1);
	ATF_CHECK_EQ(0, profile_host_path(path, sizeof(path)));
	ATF_CHECK_STREQ("own", path);
	ATF_CHECK_EQ(ENAMETOOLONG, profile_host_path(path, 3));
	ATF_CHECK_EQ(ESRCH, profile_load(&pr, "host", error));
	profile_fixture(&pr);
	text = profile_fixture_text(&pr);
	atf_utils_create_file("own", "%s", text);
	ATF_CHECK_EQ(0, profile_load(&pr, "host", error));
	ATF_CHECK_STREQ("made-up", pr.pr_name);
	/* One that is wrong is not passed over in silence. */
	atf_utils_create_file("own", "name = 5");
	ATF_CHECK_EQ(EINVAL, profile_load(&pr, "host", error));
	ATF_CHECK_MSG(strstr(error, "own:1: name: ") == error &&
	    strstr(error, "; calibrate this machine again") != NULL, "%s",
	    error);
	free(text);
}

TEST_PROGRAM()
