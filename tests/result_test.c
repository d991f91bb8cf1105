#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include "tests/result_fixture.h"

#ifndef nitems
#define	nitems(x)	(sizeof(x) / sizeof((x)[0]))
#endif

static const char file[] = "result.json";

static void
write_text(const char *text, size_t len)
{
	FILE *out;

	out = fopen(file, "w");
	ATF_REQUIRE(out != NULL);
	ATF_REQUIRE_EQ(len, fwrite(text, 1, len, out));
	ATF_REQUIRE(fclose(out) == 0);
}

/* The text of a result with the first old replaced by new. */
static char *
edited(const char *old, const char *new)
{
	char *at, *changed, *text;
	struct result r;
	size_t size;

	fixture_result(&r, fixture_grid, 3);
	text = result_format_json(&r);
	ATF_REQUIRE(text != NULL);
	result_free(&r);
	at = strstr(text, old);
	ATF_REQUIRE_MSG(at != NULL, "no %s in %s", old, text);
	size = strlen(text) + strlen(new) + 1;
	changed = fixture_alloc(size, 1);
	snprintf(changed, size, "%.*s%s%s", (int)(at - text), text, new,
	    at + strlen(old));
	free(text);
	return (changed);
}

/* Writes r and reads it again; what is read is written the same way. */
static void
there_and_back(const struct result *r, struct result *again)
{
	char error[RESULT_TEXT_SIZE] = "", *first, *second;

	first = result_format_json(r);
	ATF_REQUIRE(first != NULL);
	write_text(first, strlen(first));
	ATF_REQUIRE_MSG(result_load(file, again, error) == 0, "%s", error);
	second = result_format_json(again);
	ATF_REQUIRE(second != NULL);
	ATF_CHECK_STREQ(first, second);
	free(first);
	free(second);
}

ATF_TC(result_load__reads_what_was_written);
ATF_TC_HEAD(result_load__reads_what_was_written, tc)
{

	atf_tc_set_md_var(tc, "descr", "A report of a file shows what the run "
	    "showed: every member survives");
}
ATF_TC_BODY(result_load__reads_what_was_written, tc)
{
	const struct result_cell *c;
	struct result again, r;
	unsigned i;

	(void)tc;
	fixture_result(&r, fixture_grid, 3);
	r.cells[1].lock_profile_rows = 0;
	r.cells[2].latency_ns.max = 1e300;
	r.cells[2].latency_ns.p50 = 1.25e-300;
	r.cells[2].harvest.dropped = 123456789012345;
	for (i = 0; i < r.cells[2].repeats; i++)
		r.cells[2].samples[i].harvest.dropped = 123456789012345;
	r.cells[2].health_rows = 2;
	r.cells[2].health = fixture_alloc(2, sizeof(*c->health));
	r.cells[2].health[1] = (struct result_health){ "SWI", 5, 4, 3, 2, 1 };
	r.cells[2].samples[1].window_s = 0.1 + 0.2;
	r.cells[2].request_bytes = INT64_MAX;
	snprintf(r.cells[2].notes, RESULT_TEXT_SIZE, "\"odd\\\" \xc2\xb5");
	r.host.invariants = true;
	r.complete = false;
	there_and_back(&r, &again);
	ATF_REQUIRE_EQ(3, again.cell_count);
	ATF_CHECK_EQ(false, again.complete);
	ATF_CHECK_EQ(42, again.seed);
	ATF_CHECK_STREQ("sweep", again.argv[1]);
	ATF_CHECK(again.argv[2] == NULL);
	ATF_CHECK_STREQ("net_ether", again.sources[1]);
	ATF_CHECK(again.tunables[0] == NULL);
	ATF_CHECK(memcmp(&r.host, &again.host, sizeof(r.host)) == 0);
	ATF_CHECK_EQ(0, again.cells[1].lock_profile_rows);
	c = &again.cells[2];
	ATF_CHECK_EQ(1e300, c->latency_ns.max);
	ATF_CHECK_EQ(1.25e-300, c->latency_ns.p50);
	ATF_CHECK_EQ(123456789012345, c->harvest.dropped);
	ATF_REQUIRE_EQ(2, c->health_rows);
	ATF_CHECK(memcmp(r.cells[2].health, c->health, 2 *
	    sizeof(*c->health)) == 0);
	ATF_CHECK_EQ(0, again.cells[0].health_rows);
	ATF_CHECK_EQ(0.3, c->samples[1].window_s);
	ATF_CHECK_EQ(INT64_MAX, c->request_bytes);
	ATF_CHECK_STREQ(r.cells[2].notes, c->notes);
	ATF_CHECK_EQ(426, c->total_mb_per_s_ci95[0]);
	ATF_CHECK_EQ(86, c->samples[2].reader_mb_per_s[4]);
	ATF_CHECK_EQ(2, c->samples[0].intervals);
	ATF_CHECK(memcmp(r.cells[0].lock_profile, again.cells[0].lock_profile,
	    sizeof(struct result_row)) == 0);
	result_free(&r);
	result_free(&again);
}

ATF_TC(result_load__seed_of_64_bits);
ATF_TC_HEAD(result_load__seed_of_64_bits, tc)
{

	atf_tc_set_md_var(tc, "descr", "A seed above 2^63 - 1, which JSON "
	    "numbers do not carry, replays the run all the same");
}
ATF_TC_BODY(result_load__seed_of_64_bits, tc)
{
	static const uint64_t seeds[] = {
		0, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX
	};
	struct result again, r;
	size_t i;

	(void)tc;
	for (i = 0; i < nitems(seeds); i++) {
		fixture_result(&r, fixture_grid, 1);
		r.seed = seeds[i];
		there_and_back(&r, &again);
		ATF_CHECK_MSG(again.seed == seeds[i], "%" PRIu64, seeds[i]);
		result_free(&r);
		result_free(&again);
	}
}

ATF_TC(result_format_json__has_the_pinned_keys);
ATF_TC_HEAD(result_format_json__has_the_pinned_keys, tc)
{

	atf_tc_set_md_var(tc, "descr", "Scripts depend on these keys; they "
	    "are spelled out here so that renaming a member shows");
}
ATF_TC_BODY(result_format_json__has_the_pinned_keys, tc)
{
	static const char *const keys[] = {
		"schema", "complete", "argv", "seed", "started", "host",
		"cpu_model", "cpus", "numa_nodes", "kernel", "compiler",
		"flags", "libcrypto", "invariants", "cells", "engine",
		"design", "lock", "cipher", "crypto", "readers",
		"request_bytes", "repeats", "oversubscribed",
		"total_mb_per_s", "reader_mb_per_s", "total_mb_per_s_ci95",
		"latency_ns", "p50", "p90", "p99", "p999", "max", "fairness",
		"min_max", "cov", "jain", "hold_share_harvest", "harvest",
		"cpu_percent", "spin_percent", "block_percent",
		"events_per_s", "dropped", "latency_p99_ns", "lock_profile",
		"site", "count", "contended", "hold_total_ns", "hold_max_ns",
		"wait_total_ns", "wait_max_ns", "samples"
	};
	char quoted[64], *text;
	struct result r;
	size_t i;

	(void)tc;
	fixture_result(&r, fixture_grid, 1);
	text = result_format_json(&r);
	ATF_REQUIRE(text != NULL);
	for (i = 0; i < nitems(keys); i++) {
		snprintf(quoted, sizeof(quoted), "\"%s\":", keys[i]);
		ATF_CHECK_MSG(strstr(text, quoted) != NULL, "%s", keys[i]);
	}
	ATF_CHECK(strstr(text, "\"schema\": \"rngsim-result/1\"") != NULL);
	ATF_CHECK_EQ('\n', text[strlen(text) - 1]);
	free(text);
	result_free(&r);
}

ATF_TC(result_format_json__replaces_what_is_no_utf8);
ATF_TC_HEAD(result_format_json__replaces_what_is_no_utf8, tc)
{

	atf_tc_set_md_var(tc, "descr", "An argument may be any bytes; a run "
	    "must not be lost for it");
}
ATF_TC_BODY(result_format_json__replaces_what_is_no_utf8, tc)
{
	struct result again, r;

	(void)tc;
	fixture_result(&r, fixture_grid, 1);
	memcpy(r.argv[1], "a\xff" "b", 4);
	there_and_back(&r, &again);
	ATF_CHECK_STREQ("a?b", again.argv[1]);
	result_free(&r);
	result_free(&again);
}

/* A member of the file replaced, and what the message says of it. */
static const struct {
	const char	*old, *new, *message;
} edits[] = {
	{ "result/1", "result/9",
	    "schema: \"rngsim-result/9\", expected \"rngsim-" },
	{ "\"schema\"", "\"scheme\"", "schema: missing" },
	{ "\"seed\": 42", "\"seed\": -1", "seed: not a number" },
	{ "\"seed\": 42", "\"seed\": \"1x\"", "seed: not a number" },
	{ "\"seed\": 42", "\"seed\": 99999999999999999999", "line" },
	{ "\"complete\": true", "\"complete\": 1",
	    "complete: not true or false" },
	{ "\"readers\"", "\"raeders\"", "cells[0].readers: missing" },
	{ "\"readers\": 5", "\"readers\": 5.5",
	    "cells[2].readers: not an integer" },
	{ "\"readers\": 5", "\"readers\": -5",
	    "cells[2].readers: -5 is out of range" },
	{ "\"readers\": 5", "\"readers\": 4294967296",
	    "cells[2].readers: 4294967296 is out of range" },
	{ "\"readers\": 5", "\"readers\": 6",
	    "5 numbers for 6 readers" },
	{ "\"readers\": 1", "\"readers\": 0", "0 readers" },
	{ "\"repeats\": 5", "\"repeats\": 4",
	    "cells[0].repeats: 4, but there are 5 samples" },
	{ "\"request_bytes\": 65536", "\"request_bytes\": 0",
	    "cells[0].request_bytes: 0 is out of range" },
	{ "\"p999\": 1500000", "\"p999\": -1",
	    "cells[0].latency_ns.p999: -1 is out of range" },
	{ "\"p999\": 1500000", "\"p999\": 1e999", "line" },
	{ "\"p999\": 1500000", "\"p999\": \"1\"",
	    "cells[0].latency_ns.p999: not a number" },
	{ "\"design\": \"locked\"", "\"design\": 7",
	    "cells[0].design: not a string" },
	{ "\"design\": \"locked\"", "\"design\": \"\"",
	    "cells[0].design: empty" },
	{ "\"design\": \"locked\"", "\"design\": \"a\\u001b[2J\"",
	    "cells[0].design: has a control character" },
	{ "\"design\": \"locked\"",
	    "\"design\": \"0123456789012345678901234567890x\"",
	    "cells[0].design: longer than 31 bytes" },
	{ "\"host\": {", "\"host\": [], \"was\": {",
	    "host: not an object" },
	{ "\"cells\": [", "\"cells\": [ 5,",
	    "cells[0]: not an object" },
	{ "\"cells\": [", "\"cells\": 5, \"was\": [",
	    "cells: not an array" },
	{ "\"site\"", "\"sight\"",
	    "cells[0].lock_profile[0].site: missing" },
	{ "\"lock_profile\": [", "\"lock_profile\": [ null, ",
	    "cells[0].lock_profile[0]: not an object" },
	{ "\"argv\": [", "\"argv\": [ 1, ", "argv: [0]: not a string" },
	{ "\"started\"", "\"seed\": 3, \"started\"", "line" },
	{ "\"complete\": true,", "", "complete: missing" },
	{ "\"complete\": true,", "\"complete\": tru,", "line" },
};

ATF_TC(result_load__refuses_what_was_edited);
ATF_TC_HEAD(result_load__refuses_what_was_edited, tc)
{

	atf_tc_set_md_var(tc, "descr", "What is wrong with a file is named by "
	    "the member's path, and nothing is half read");
}
ATF_TC_BODY(result_load__refuses_what_was_edited, tc)
{
	char error[RESULT_TEXT_SIZE], *text;
	struct result r;
	size_t i;

	(void)tc;
	for (i = 0; i < nitems(edits); i++) {
		text = edited(edits[i].old, edits[i].new);
		write_text(text, strlen(text));
		memset(&r, 0x5a, sizeof(r));
		error[0] = '\0';
		ATF_CHECK_EQ_MSG(EINVAL, result_load(file, &r, error), "%s",
		    edits[i].new);
		ATF_CHECK_MSG(strstr(error, edits[i].message) != NULL,
		    "%s: %s", edits[i].new, error);
		ATF_CHECK_EQ(0x5a, *(unsigned char *)&r);
		free(text);
	}
}

ATF_TC(result_load__refuses_every_truncation);
ATF_TC_HEAD(result_load__refuses_every_truncation, tc)
{

	atf_tc_set_md_var(tc, "descr", "A file that was cut anywhere is no "
	    "result and says where it ends");
}
ATF_TC_BODY(result_load__refuses_every_truncation, tc)
{
	char error[RESULT_TEXT_SIZE], *text;
	struct result r;
	size_t len;

	(void)tc;
	text = edited("\"seed\"", "\"seed\"");
	for (len = 0; len + 2 < strlen(text); len += 37) {
		write_text(text, len);
		ATF_REQUIRE_EQ_MSG(EINVAL, result_load(file, &r, error),
		    "%zu bytes", len);
		ATF_CHECK_MSG(strncmp(error, "line ", 5) == 0, "%s", error);
	}
	free(text);
}

ATF_TC(result_load__takes_added_keys);
ATF_TC_HEAD(result_load__takes_added_keys, tc)
{

	atf_tc_set_md_var(tc, "descr", "Adding keys is free within a schema, "
	    "so a file with more or with fewer than ours is read");
}
ATF_TC_BODY(result_load__takes_added_keys, tc)
{
	char error[RESULT_TEXT_SIZE] = "", *text;
	struct result r;

	(void)tc;
	text = edited("\"seed\"", "\"mood\": [ { } ], \"seed\"");
	write_text(text, strlen(text));
	ATF_REQUIRE_MSG(result_load(file, &r, error) == 0, "%s", error);
	result_free(&r);
	free(text);
	text = edited("\"profiled\"", "\"unprofiled\"");
	write_text(text, strlen(text));
	ATF_REQUIRE_MSG(result_load(file, &r, error) == 0, "%s", error);
	ATF_CHECK_EQ(false, r.cells[0].profiled);
	result_free(&r);
	free(text);
}

ATF_TC(result_load__refuses_what_is_no_file);
ATF_TC_HEAD(result_load__refuses_what_is_no_file, tc)
{

	atf_tc_set_md_var(tc, "descr", "Directories, absent files and files "
	    "above the limit are refused before they are read");
}
ATF_TC_BODY(result_load__refuses_what_is_no_file, tc)
{
	char error[RESULT_TEXT_SIZE] = "";
	struct result r;
	int fd;

	(void)tc;
	ATF_CHECK_EQ(EISDIR, result_load(".", &r, error));
	ATF_CHECK_STREQ(strerror(EISDIR), error);
	ATF_CHECK_EQ(ENOENT, result_load("absent", &r, error));
	ATF_CHECK_STREQ(strerror(ENOENT), error);
	fd = open("huge", O_RDWR | O_CREAT, 0600);
	ATF_REQUIRE(fd != -1);
	ATF_REQUIRE(ftruncate(fd, (off_t)RESULT_FILE_MAX + 1) == 0);
	close(fd);
	ATF_CHECK_EQ(EFBIG, result_load("huge", &r, error));
}

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, result_load__reads_what_was_written);
	ATF_TP_ADD_TC(tp, result_load__seed_of_64_bits);
	ATF_TP_ADD_TC(tp, result_format_json__has_the_pinned_keys);
	ATF_TP_ADD_TC(tp, result_format_json__replaces_what_is_no_utf8);
	ATF_TP_ADD_TC(tp, result_load__refuses_what_was_edited);
	ATF_TP_ADD_TC(tp, result_load__refuses_every_truncation);
	ATF_TP_ADD_TC(tp, result_load__takes_added_keys);
	ATF_TP_ADD_TC(tp, result_load__refuses_what_is_no_file);
	return (atf_no_error());
}
