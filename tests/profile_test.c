/*
 * lib/profile.h: what a machine profile may say.
 */
#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "tests/profile_fixture.h"

static const char file[] = "f.conf";

static void
check_same(const struct profile *a, const struct profile *b)
{
	unsigned key;

	ATF_CHECK_STREQ(a->pr_name, b->pr_name);
	ATF_CHECK_STREQ(a->pr_descr, b->pr_descr);
	for (key = 0; key < PROFILE_VALUES; key++) {
		ATF_CHECK_MSG(a->pr_value[key] == b->pr_value[key],
		    "%s: %.17g is not %.17g", profile_fields[key].pf_key,
		    a->pr_value[key], b->pr_value[key]);
		ATF_CHECK_EQ(a->pr_from[key], b->pr_from[key]);
		ATF_CHECK_STREQ(a->pr_source[key], b->pr_source[key]);
	}
}

static void
parse(struct profile *pr, const char *text)
{
	char error[PROFILE_ERROR_SIZE];

	ATF_REQUIRE_MSG(profile_parse(pr, file, text, error) == 0, "%s", error);
}

ATF_TC(profile__shipped);
ATF_TC_HEAD(profile__shipped, tc)
{

	atf_tc_set_md_var(tc, "descr", "each shipped profile loads under its "
	    "own name and reads the same after it was written");
}
ATF_TC_BODY(profile__shipped, tc)
{
	char error[PROFILE_ERROR_SIZE];
	struct profile again, pr;
	unsigned i, key;
	char *text;

	setenv("RNGSIM_HOST_PROFILE", "/nonexistent/host.conf", 1);
	ATF_REQUIRE(profile_shipped_count() >= 6);
	for (i = 0; i < profile_shipped_count(); i++) {
		ATF_REQUIRE_MSG(profile_load(&pr, profile_shipped_name(i),
		    error) == 0, "%s", error);
		ATF_CHECK_STREQ(profile_shipped_name(i), pr.pr_name);
		text = profile_fixture_text(&pr);
		parse(&again, text);
		check_same(&pr, &again);
		free(text);
		for (key = 0; key < PROFILE_VALUES; key++)
			ATF_CHECK((pr.pr_source[key][0] == '\0') ==
			    (pr.pr_from[key] == PROVENANCE_ABSENT));
	}
}

ATF_TC(profile__round_trip);
ATF_TC_HEAD(profile__round_trip, tc)
{

	atf_tc_set_md_var(tc, "descr", "numbers of all digits, quotes and "
	    "backslashes come back");
}
ATF_TC_BODY(profile__round_trip, tc)
{
	static const double values[] = { 1.0 / 3, 0.1, 999.9999999999999,
	    1e-300, 5e-324, 0, 123456.789, 1e6, 0.30000000000000004 };
	struct profile again, pr;
	char *text;
	size_t i;

	profile_fixture(&pr);
	strcpy(pr.pr_descr, "a \"quote\", a \\, a \\n, /* and */ # // "
	    "@include");
	memset(pr.pr_source[PROFILE_LAT_HIT], 'x', PROFILE_TEXT_SIZE - 1);
	memset(pr.pr_name, 'n', PROFILE_NAME_SIZE - 1);
	for (i = 0; i < nitems(values); i++) {
		/* A pair, for which the 99th percentile is no less. */
		pr.pr_value[PROFILE_OS_WAKE_SAME_P50] = values[i];
		pr.pr_value[PROFILE_OS_WAKE_SAME_P99] = values[i];
		text = profile_fixture_text(&pr);
		parse(&again, text);
		check_same(&pr, &again);
		free(text);
	}
}

ATF_TC(profile__write_fails);
ATF_TC_HEAD(profile__write_fails, tc)
{

	atf_tc_set_md_var(tc, "descr", "a full disk is told");
}
ATF_TC_BODY(profile__write_fails, tc)
{
	struct profile pr;
	FILE *f;

	f = fopen("/dev/full", "w");
	if (f == NULL)
		atf_tc_skip("there is no /dev/full");
	profile_fixture(&pr);
	ATF_CHECK_EQ(ENOSPC, profile_write(&pr, f));
	fclose(f);
}

/* An edit of the fixture's text, and what it should be refused with. */
struct edit {
	const char	*find;
	const char	*with;
	const char	*at;	/* whose line is named; NULL: find's */
	unsigned	 below;	/* lines below that */
	const char	*says;	/* behind FILE:LINE:, its beginning */
};

static const struct edit edits[] = {
	/* Numbers. */
	{ "rmw = (7", "rmw = (-5", NULL, 0, "lat.rmw: -5 is negative" },
	{ "rmw = (7", "rmw = (-0.25", NULL, 0, "lat.rmw: -0.25 is negative" },
	{ "rmw = (7", "rmw = (1e4", NULL, 0, "lat.rmw: 10000 is too large" },
	{ "pause = (7", "pause = (0", NULL, 0, "cpu.pause: 0 is too small" },
	{ "rmw = (7", "rmw = (1e999", NULL, 0, "lat.rmw: inf is not finite" },
	{ "rmw = (7", "rmw = (-1e999", NULL, 0,
	    "lat.rmw: -inf is not finite" },
	{ "rmw = (7", "rmw = (nan", NULL, 0, "lat.rmw: syntax error" },
	{ "rmw = (7", "rmw = (inf", NULL, 0, "lat.rmw: syntax error" },
	{ "rmw = (7", "rmw = (0x7", NULL, 0, "lat.rmw: the number is hexa" },
	{ "rmw = (7", "rmw = (\"7\"", NULL, 0, "lat.rmw: NUMBER is a string" },
	{ "rmw = (7", "rmw = (true", NULL, 0, "lat.rmw: NUMBER is a boolean" },
	{ "rmw = (7", "rmw = ((7)", NULL, 0, "lat.rmw: NUMBER is a list" },
	/* What libconfig wraps to 7. */
	{ "rmw = (7", "rmw = (4294967303", NULL, 0,
	    "lat.rmw: a number of more than 9 digits" },
	{ "rmw = (7", "rmw = (18446744073709551623", NULL, 0,
	    "lat.rmw: a number of more than 9 digits" },
	{ "rmw = (7", "rmw = (0004294967303", NULL, 0,
	    "lat.rmw: a number of more than 9 digits" },
	{ "rmw = (7", "rmw = (99999999999L", NULL, 0,
	    "lat.rmw: a number of more than 9 digits" },
	{ "cpus = (8", "cpus = (8.5", NULL, 0,
	    "topo.cpus: 8.5 is no whole number; expected a whole number, 1.." },
	{ "cpus = (8", "cpus = (0", NULL, 0, "topo.cpus: 0 is too small" },
	{ "cpus = (8", "cpus = (2000", NULL, 0,
	    "topo.cpus: 2000 is too large" },
	{ "preempt = (1", "preempt = (0.5", NULL, 0,
	    "os.preempt: 0.5 is no whole number" },
	{ "preempt = (1", "preempt = (2", NULL, 0,
	    "os.preempt: 2 is too large" },
	/* The rest of a value. */
	{ "rmw = (7, \"ns\"", "rmw = (7, \"us\"", NULL, 0,
	    "lat.rmw: UNIT is \"us\"; expected \"ns\"" },
	{ "rmw = (7, \"ns\"", "rmw = (7, \"\"", NULL, 0,
	    "lat.rmw: UNIT is \"\"; expected \"ns\"" },
	{ "rmw = (7, \"ns\"", "rmw = (7, 5", NULL, 0,
	    "lat.rmw: UNIT is a number; expected \"ns\"" },
	{ "copy = (7, \"ns/B\"", "copy = (7, \"ns\"", NULL, 0,
	    "mem.copy: UNIT is \"ns\"; expected \"ns/B\"" },
	{ "rmw = (7, \"ns\", \"guessed\"", "rmw = (7, \"ns\", \"seen\"", NULL,
	    0, "lat.rmw: PROVENANCE is \"seen\"; expected \"measured\"" },
	{ "rmw = (7, \"ns\", \"guessed\"", "rmw = (7, \"ns\", \"absent\"",
	    NULL, 0, "lat.rmw: PROVENANCE is \"absent\"; expected" },
	{ "rmw = (7, \"ns\", \"guessed\"", "rmw = (7, \"ns\", {}", NULL, 0,
	    "lat.rmw: PROVENANCE is a group; expected" },
	{ "rmw = (7, \"ns\", \"guessed\",\n\t    \"made up\"",
	    "rmw = (7, \"ns\", \"guessed\",\n\t    \"\"", NULL, 1,
	    "lat.rmw: SOURCE is 0 bytes long; expected 1..159" },
	{ "rmw = (7, \"ns\", \"guessed\",\n\t    \"made up\"",
	    "rmw = (7, \"ns\", \"guessed\",\n\t    5", NULL, 1,
	    "lat.rmw: SOURCE is a number; expected a string" },
	{ "rmw = (7, \"ns\", \"guessed\",\n\t    \"made up\"",
	    "rmw = (7, \"ns\", \"guessed\",\n\t    \"\\x1b[1m\"", NULL, 1,
	    "lat.rmw: SOURCE has the byte 0x1b; expected" },
	{ "rmw = (7, \"ns\", \"guessed\",\n\t    \"made up\"",
	    "rmw = (7, \"ns\", \"guessed\",\n\t    \"\xc3\xa4\"", NULL, 1,
	    "lat.rmw: SOURCE has the byte 0xc3; expected" },
	{ "rmw = (7, \"ns\",", "rmw = (7,", NULL, 0,
	    "lat.rmw: is too short a list; expected (NUMBER, \"ns\"" },
	{ "rmw = (7,", "rmw = (7, 7,", NULL, 0,
	    "lat.rmw: is too long a list; expected (NUMBER, \"ns\"" },
	{ "rmw = (7,", "rmw = 7; x = (", NULL, 0,
	    "lat.rmw: is a number; expected (NUMBER, \"ns\"" },
	{ "rmw = (7,", "rmw: {}; x = (", NULL, 0,
	    "lat.rmw: is a group; expected (NUMBER, \"ns\"" },
	{ "rmw = (7,", "rmw = [7, 8]; x = (", NULL, 0,
	    "lat.rmw: is an array; expected (NUMBER, \"ns\"" },
	/* Keys. */
	{ "rmw =", "rnw =", NULL, 0,
	    "lat.rnw: there is no such key; expected one of hit, rmw, smt," },
	{ "cpu: {", "cup: {", NULL, 0,
	    "cup: there is no such key; expected one of name, descr, topo," },
	{ "wake_same: {", "wake: {", NULL, 0,
	    "os.wake: there is no such key; expected one of syscall, read," },
	{ "name =", "nome =", NULL, 0,
	    "nome: there is no such key; expected one of name, descr, topo," },
	{ "rmw =", "hit =", NULL, 0, "lat.hit: there is one in line " },
	{ "cpu: {", "lat: {", NULL, 0, "lat: there is one in line " },
	{ "descr =", "name =", NULL, 0, "name: there is one in line 1" },
	{ "lat: {", "lat = 5;\nlot: {", NULL, 0,
	    "lat: is a number; expected a group of hit, rmw, smt," },
	{ "os: {", "os: { wake_same = 3; };\nox: {", NULL, 0,
	    "os.wake_same: is a number; expected a group of p50, p99" },
	{ "pause = (7, \"ns\", \"guessed\",\n\t    \"made up\");\n", "",
	    "cpu: {", 0, "cpu.pause: is missing; expected (NUMBER, \"ns\"" },
	{ "smt = (2, \"\", \"guessed\",\n\t    \"made up\");\n", "",
	    "topo: {", 0, "topo.smt: is missing; expected (NUMBER, \"\"" },
	{ "smt = (7, \"ns\", \"guessed\",\n\t    \"made up\");\n", "",
	    "lat: {", 0, "lat.smt: is missing; expected (NUMBER, \"ns\"" },
	{ "sock = (7, \"ns\", \"guessed\",\n\t    \"made up\");\n", "",
	    "lat: {", 0, "lat.sock: is missing" },
	{ "remote = (7, \"ns\", \"guessed\",\n\t    \"made up\");\n", "",
	    "lat: {", 0, "lat.remote: is missing" },
	{ "invalidate = (7, \"ns\", \"guessed\",\n\t    \"made up\");\n", "",
	    "line: {", 0, "line.invalidate: is missing" },
	/* Where a group is missing, its keys would be at the end. */
	{ "cpu: {\n\tpause = (7, \"ns\", \"guessed\",\n\t    \"made up\");\n"
	    "};\n", "", "jitter: {", 3, "cpu.pause: is missing" },
	{ "name = \"made-up\";\n", "", "jitter: {", 3,
	    "name: is missing; expected name = \"TEXT\"" },
	{ "descr = \"a machine that nobody has\";\n", "", "jitter: {", 3,
	    "descr: is missing; expected descr = \"TEXT\"" },
	/* Names. */
	{ "\"made-up\"", "5", NULL, 0, "name: is a number; expected a string" },
	{ "\"made-up\"", "\"\"", NULL, 0,
	    "name: is 0 bytes long; expected 1..63" },
	{ "\"made-up\"", "\"a/b\"", NULL, 0,
	    "name: \"a/b\"; expected letters" },
	{ "\"made-up\"", "\"a\\nb\"", NULL, 0, "name: has the byte 0x0a" },
	{ "\"made-up\"", "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"", NULL, 0,
	    "name: is 64 bytes long; expected 1..63" },
	{ "\"a machine that nobody has\"", "(\"a\")", NULL, 0,
	    "descr: is a list; expected a string" },
	/* Sense. */
	{ "cpus = (8", "cpus = (7", NULL, 0,
	    "topo.cpus: 7 is no multiple of topo.smt; expected one of 2" },
	{ "nodes = (2", "nodes = (5", NULL, 0,
	    "topo.nodes: 5 is above the number of cores; expected 1..4" },
	{ "ccx = (1", "ccx = (5", NULL, 0,
	    "topo.ccx: 5 is above the number of cores; expected 1..4" },
	{ "wake_same: {\n\t\tp50 = (7", "wake_same: {\n\t\tp50 = (7.5", NULL, 3,
	    "os.wake_same.p99: 7 is below os.wake_same.p50; expected" },
	{ "wake_cross: {\n\t\tp50 = (7", "wake_cross: {\n\t\tp50 = (9", NULL, 3,
	    "os.wake_cross.p99: 7 is below os.wake_cross.p50; expected" },
	/* Grammar. */
	{ "rmw = (7", "rmw (7", NULL, 0, "lat.rmw: syntax error" },
	{ "rmw = (7", "rmw = (7,,", NULL, 0, "lat.rmw: syntax error" },
	{ "os: {", "os.park = 5;\nos: {", NULL, 0, "os: syntax error" },
	{ "rmw = (7", "rmw = [7, \"a\"", NULL, 0, "lat.rmw: mismatched" },
	{ "topo: {", "@include \"/etc/passwd\"\ntopo: {", NULL, 0,
	    "files cannot be included; expected" },
	{ "topo: {", " \t@include \"x\ntopo: {", NULL, 0,
	    "files cannot be included; expected" },
	{ "name =", "\x01\x02\x7f", NULL, 0, "syntax error; expected name" },
	{ "rmw = (7", "rmw = (7 /* ", "jitter: {", 3, "lat.rmw: syntax error" },
	{ "rmw = (7, \"ns", "rmw = (7, \"\\\\\\", NULL, 0,
	    "lat.rmw: syntax error" },
};

static unsigned
line_of(const char *text, const char *word)
{
	const char *at = strstr(text, word), *p;
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

ATF_TC(profile__refuses);
ATF_TC_HEAD(profile__refuses, tc)
{

	atf_tc_set_md_var(tc, "descr", "what is wrong is said with file, line "
	    "and key, and what would be right");
}
ATF_TC_BODY(profile__refuses, tc)
{
	char error[PROFILE_ERROR_SIZE], want[PROFILE_ERROR_SIZE];
	struct profile pr;
	char *bad, *good;
	size_t i;

	profile_fixture(&pr);
	good = profile_fixture_text(&pr);
	parse(&pr, good);
	for (i = 0; i < nitems(edits); i++) {
		const struct edit *e = &edits[i];

		bad = edited(good, e->find, e->with);
		snprintf(want, sizeof(want), "%s:%u: %s", file, e->below +
		    (e->at == NULL ? line_of(good, e->find) :
		    line_of(bad, e->at)), e->says);
		error[0] = '\0';
		ATF_CHECK_EQ_MSG(EINVAL, profile_parse(&pr, file, bad, error),
		    "\"%s\"", e->with);
		ATF_CHECK_MSG(strncmp(error, want, strlen(want)) == 0,
		    "\"%s\": \"%s\" does not begin with \"%s\"", e->with,
		    error, want);
		ATF_CHECK_MSG(strstr(error, "expected ") != NULL, "%s", error);
		free(bad);
	}
	free(good);
}

ATF_TC(profile__takes);
ATF_TC_HEAD(profile__takes, tc)
{

	atf_tc_set_md_var(tc, "descr", "other ways of writing the same");
}
ATF_TC_BODY(profile__takes, tc)
{
	static const char *const same[][2] = {
		{ "rmw = (7", "rmw = (7.0" },
		{ "rmw = (7", "rmw = (+7" },
		{ "rmw = (7", "rmw = (0.7e1" },
		{ "rmw = (7", "rmw = (7L" },
		{ "rmw = (7", "rmw = (00000000000007" },
		{ "rmw = (7", "rmw = (7.00000000000000" },
		{ "rmw = (7", "// 4294967297\n rmw = (7" },
		{ "rmw = (7", "# @include \"x\"\n rmw = (7" },
		{ "rmw = (7", "/* 4294967297 \" */ rmw = (7" },
		{ "\"made up\"", "\"made\" \" up\"" },
		{ "lat: {", "lat = {" },
		{ "};\n", "}\n" },
		{ ";\n", ";\r\n" },
	};
	struct profile again, pr;
	char *good, *text;
	size_t i;

	profile_fixture(&pr);
	good = profile_fixture_text(&pr);
	for (i = 0; i < nitems(same); i++) {
		text = edited(good, same[i][0], same[i][1]);
		parse(&again, text);
		check_same(&pr, &again);
		free(text);
	}
	/* No zero is negative. */
	text = edited(good, "rmw = (7", "rmw = (-0.0");
	parse(&again, text);
	ATF_CHECK(!signbit(again.pr_value[PROFILE_LAT_RMW]));
	free(text);
	/* Digits in names and strings are no numbers. */
	text = edited(good, "nobody has", "cost 99999999999 a1234567890123");
	parse(&again, text);
	free(text);
	free(good);
}

ATF_TC(profile__optional);
ATF_TC_HEAD(profile__optional, tc)
{

	atf_tc_set_md_var(tc, "descr", "what a small machine has not may be "
	    "absent, and counts for nothing");
}
ATF_TC_BODY(profile__optional, tc)
{
	static const enum profile_key optional[] = { PROFILE_LAT_SMT,
	    PROFILE_LAT_SOCK, PROFILE_LAT_REMOTE, PROFILE_LAT_CONG,
	    PROFILE_LINE_INVALIDATE };
	struct profile again, pr;
	char *text;
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
	text = profile_fixture_text(&pr);
	parse(&again, text);
	check_same(&pr, &again);
	free(text);
	for (key = 0; key < PROFILE_VALUES; key++)
		used += profile_used(&pr, key);
	ATF_CHECK_EQ(PROFILE_VALUES - nitems(optional), used);
	used -= 4;	/* the topology */
	ATF_CHECK_EQ(1, profile_share(&pr, PROVENANCE_GUESSED));
	ATF_CHECK_EQ(0, profile_share(&pr, PROVENANCE_ABSENT));
	pr.pr_from[PROFILE_TOPO_CPUS] = PROVENANCE_MEASURED;
	ATF_CHECK_EQ(1, profile_share(&pr, PROVENANCE_GUESSED));
	pr.pr_from[PROFILE_LAT_HIT] = PROVENANCE_MEASURED;
	ATF_CHECK_EQ(1.0 / used, profile_share(&pr, PROVENANCE_MEASURED));
	ATF_CHECK_EQ((used - 1.0) / used,
	    profile_share(&pr, PROVENANCE_GUESSED));
}

ATF_TC(profile__ps);
ATF_TC_HEAD(profile__ps, tc)
{

	atf_tc_set_md_var(tc, "descr", "every unit of time in picoseconds, "
	    "rounded to the nearest");
}
ATF_TC_BODY(profile__ps, tc)
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
}

static void
ps_of_ratio(void *pr)
{

	(void)profile_ps(pr, PROFILE_LAT_CONG);
}

ATF_TC(profile__ps_of_ratio);
ATF_TC_HEAD(profile__ps_of_ratio, tc)
{

	atf_tc_set_md_var(tc, "descr", "what is no time has no picoseconds");
}
ATF_TC_BODY(profile__ps_of_ratio, tc)
{
	struct profile pr;

	profile_fixture(&pr);
	ATF_CHECK(support_asserts(ps_of_ratio, &pr));
}

static void
write_file(const char *path, const char *text, size_t n)
{
	FILE *f;

	f = fopen(path, "w");
	ATF_REQUIRE(f != NULL);
	ATF_REQUIRE_EQ(n, fwrite(text, 1, n, f));
	ATF_REQUIRE_EQ(0, fclose(f));
}

ATF_TC(profile__load);
ATF_TC_HEAD(profile__load, tc)
{

	atf_tc_set_md_var(tc, "descr", "files by path, shipped ones by name, "
	    "and what is neither");
}
ATF_TC_BODY(profile__load, tc)
{
	char error[PROFILE_ERROR_SIZE];
	struct profile pr;
	char *text;

	profile_fixture(&pr);
	text = profile_fixture_text(&pr);
	write_file("mine.conf", text, strlen(text));
	write_file("mine", text, strlen(text));
	ATF_CHECK_EQ(0, profile_load(&pr, "mine.conf", error));
	ATF_CHECK_STREQ("made-up", pr.pr_name);
	ATF_CHECK_EQ(0, profile_load(&pr, "./mine", error));
	/* No newline at the end, even behind a comment. */
	strcpy(strrchr(text, '}'), "}#");
	write_file("mine.conf", text, strlen(text));
	ATF_CHECK_EQ_MSG(0, profile_load(&pr, "mine.conf", error), "%s", error);

	ATF_CHECK_EQ(ENOENT, profile_load(&pr, "mine", error));
	ATF_CHECK_MSG(strstr(error, "\"mine\": expected host, ") == error,
	    "%s", error);
	ATF_CHECK_EQ(ENOENT, profile_load(&pr, ".conf", error));
	ATF_CHECK_EQ(ENOENT, profile_load(&pr, "", error));
	ATF_CHECK_EQ(ENOENT, profile_load(&pr, "none.conf", error));
	ATF_CHECK_STREQ("none.conf: No such file or directory", error);
	ATF_CHECK_EQ(EISDIR, profile_load(&pr, "./", error));
	write_file("mine.conf", "", 0);
	ATF_CHECK_EQ(EINVAL, profile_load(&pr, "mine.conf", error));
	ATF_CHECK_MSG(strstr(error, "mine.conf:1: name: is missing") == error,
	    "%s", error);
	write_file("mine.conf", "name = \"a\";\0", 12);
	ATF_CHECK_EQ(EINVAL, profile_load(&pr, "mine.conf", error));
	ATF_CHECK_MSG(strstr(error, "has a byte 0; expected") != NULL, "%s",
	    error);
	free(text);
	ATF_REQUIRE((text = malloc(100000)) != NULL);
	memset(text, ' ', 100000);
	write_file("mine.conf", text, 100000);
	ATF_CHECK_EQ(EINVAL, profile_load(&pr, "mine.conf", error));
	ATF_CHECK_MSG(strstr(error, "too long; expected") != NULL, "%s", error);
	free(text);
}

ATF_TC(profile__host);
ATF_TC_HEAD(profile__host, tc)
{

	atf_tc_set_md_var(tc, "descr", "host is the user's own profile where "
	    "there is one, the shipped one elsewhere");
}
ATF_TC_BODY(profile__host, tc)
{
	char error[PROFILE_ERROR_SIZE], path[64];
	struct profile pr;
	char *text;

	unsetenv("RNGSIM_HOST_PROFILE");
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("HOME");
	ATF_CHECK_EQ(ENOENT, profile_host_path(path, sizeof(path)));
	ATF_CHECK_EQ(0, profile_load(&pr, "host", error));
	setenv("HOME", "/h", 1);
	ATF_CHECK_EQ(0, profile_host_path(path, sizeof(path)));
	ATF_CHECK_STREQ("/h/.config/rngsim/host.conf", path);
	ATF_CHECK_EQ(0, profile_load(&pr, "host", error));
	setenv("XDG_CONFIG_HOME", "/x", 1);
	ATF_CHECK_EQ(0, profile_host_path(path, sizeof(path)));
	ATF_CHECK_STREQ("/x/rngsim/host.conf", path);
	unlink("own");
	setenv("RNGSIM_HOST_PROFILE", "own", 1);
	ATF_CHECK_EQ(0, profile_host_path(path, sizeof(path)));
	ATF_CHECK_STREQ("own", path);
	ATF_CHECK_EQ(ENAMETOOLONG, profile_host_path(path, 3));
	ATF_CHECK_EQ(0, profile_load(&pr, "host", error));
	ATF_CHECK_STREQ("host", pr.pr_name);
	profile_fixture(&pr);
	text = profile_fixture_text(&pr);
	write_file("own", text, strlen(text));
	ATF_CHECK_EQ(0, profile_load(&pr, "host", error));
	ATF_CHECK_STREQ("made-up", pr.pr_name);
	/* One that is wrong is not passed over in silence. */
	write_file("own", "name = 5;", 9);
	ATF_CHECK_EQ(EINVAL, profile_load(&pr, "host", error));
	ATF_CHECK_MSG(strstr(error, "own:1: name: ") == error, "%s", error);
	free(text);
}

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, profile__shipped);
	ATF_TP_ADD_TC(tp, profile__round_trip);
	ATF_TP_ADD_TC(tp, profile__write_fails);
	ATF_TP_ADD_TC(tp, profile__refuses);
	ATF_TP_ADD_TC(tp, profile__takes);
	ATF_TP_ADD_TC(tp, profile__optional);
	ATF_TP_ADD_TC(tp, profile__ps);
	ATF_TP_ADD_TC(tp, profile__ps_of_ratio);
	ATF_TP_ADD_TC(tp, profile__load);
	ATF_TP_ADD_TC(tp, profile__host);
	return (atf_no_error());
}
