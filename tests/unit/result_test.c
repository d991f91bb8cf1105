#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include "tests/unit/result_fixture.h"
#include "tests/unit/test.h"

/* A result, what was read of it, and what is wrong with it. */
static struct result r, again;
static char why[RESULT_TEXT_SIZE];

/* The text of a result of three cells. */
static char *
fixture_text(void)
{
	char *text;

	fixture_result(&r, fixture_grid, 3);
	text = result_format_json(&r);
	ATF_REQUIRE(text != NULL);
	result_free(&r);
	return (text);
}

/* Writes r and reads it again; what is read is written the same way. */
static void
there_and_back(void)
{
	char *first, *second;

	first = result_format_json(&r);
	ATF_REQUIRE(first != NULL);
	ATF_REQUIRE_MSG(fixture_load(first, strlen(first), &again, why) == 0,
	    "%s", why);
	second = result_format_json(&again);
	ATF_REQUIRE(second != NULL);
	ATF_CHECK_STREQ(first, second);
	free(first);
	free(second);
}

TEST(result_load__reads_what_was_written,
    "A report of a file shows what the run showed: every member survives")
{
	const struct result_cell *c;

	fixture_result(&r, fixture_grid, 3);
	r.cells[1].lock_profile_rows = 0;
	r.cells[2].latency_ns.max = 1e300;
	r.cells[2].latency_ns.p50 = 1.25e-300;
	r.cells[2].harvest.dropped = 123456789012345;
	for (unsigned i = 0; i < r.cells[2].repeats; i++)
		r.cells[2].samples[i].harvest.dropped = 123456789012345;
	/* An interval from 0 is one. */
	r.cells[2].harvest_cpu_percent_ci95[1] = nextafter(5, 0);
	r.cells[2].health_rows = 2;
	r.cells[2].health = fixture_alloc(2, sizeof(*c->health));
	r.cells[2].health[1] = (struct result_health){ "SWI", 5, 4, 3, 2, 1 };
	r.cells[2].samples[1].window_s = 1.4 + 0.3;
	r.cells[2].request_bytes = INT64_MAX;
	snprintf(r.cells[2].notes, RESULT_TEXT_SIZE, "\"odd\\\" \xc2\xb5");
	r.host.invariants = true;
	r.complete = false;
	there_and_back();
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
	ATF_CHECK_EQ(1.7, c->samples[1].window_s);
	ATF_CHECK_EQ(INT64_MAX, c->request_bytes);
	ATF_CHECK_STREQ(r.cells[2].notes, c->notes);
	ATF_CHECK_EQ(426, c->total_mb_per_s_ci95[0]);
	ATF_CHECK_EQ(5, c->harvest_cpu_percent_ci95[1]);
	ATF_CHECK_EQ(86, c->samples[2].reader_mb_per_s[4]);
	ATF_CHECK_EQ(2, c->samples[0].intervals);
	ATF_CHECK(memcmp(r.cells[0].lock_profile, again.cells[0].lock_profile,
	    sizeof(struct result_row)) == 0);
	result_free(&r);
	result_free(&again);
}

TEST(result_load__seed_of_64_bits,
    "A seed above 2^63 - 1, which JSON numbers do not carry, replays the run "
    "all the same")
{
	static const uint64_t seeds[] = {
		0, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX
	};

	for (size_t i = 0; i < nitems(seeds); i++) {
		fixture_result(&r, fixture_grid, 1);
		r.seed = seeds[i];
		there_and_back();
		ATF_CHECK_MSG(again.seed == seeds[i], "%" PRIu64, seeds[i]);
		result_free(&r);
		result_free(&again);
	}
}

TEST(result_format_json__has_the_pinned_keys,
    "Scripts depend on these keys; they are spelled out here so that renaming "
    "a member shows")
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

	fixture_result(&r, fixture_grid, 1);
	text = result_format_json(&r);
	ATF_REQUIRE(text != NULL);
	for (size_t i = 0; i < nitems(keys); i++) {
		snprintf(quoted, sizeof(quoted), "\"%s\":", keys[i]);
		ATF_CHECK_MSG(strstr(text, quoted) != NULL, "%s", keys[i]);
	}
	ATF_CHECK(strstr(text, "\"schema\": \"rngsim-result/1\"") != NULL);
	ATF_CHECK_EQ('\n', text[strlen(text) - 1]);
	free(text);
	result_free(&r);
}

TEST(result_format_json__replaces_what_is_no_utf8,
    "An argument may be any bytes; a run must not be lost for it")
{
	fixture_result(&r, fixture_grid, 1);
	memcpy(r.argv[1], "a\xff" "b", 4);
	there_and_back();
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
	{ "\"schema\"", "\"scheme\"", "schema: \"\", expected" },
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
	    "5 elements for 6 readers" },
	{ "\"readers\": 1", "\"readers\": 0", "0 is out of range" },
	{ "\"repeats\": 5", "\"repeats\": 4",
	    "cells[0].samples: 5 elements, but repeats is 4" },
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
	{ "\"argv\": [", "\"argv\": [ 1, ", "argv[0]: not a string" },
	{ "\"started\"", "\"seed\": 3, \"started\"", "line" },
	{ "\"complete\": true,", "", "complete: missing" },
	{ "\"complete\": true,", "\"complete\": tru,", "line" },
};

TEST(result_load__refuses_what_was_edited,
    "What is wrong with a file is named by the member's path, and nothing is "
    "half read")
{
	char *text = fixture_text();

	for (size_t i = 0; i < nitems(edits); i++) {
		memset(&r, 0x5a, sizeof(r));
		ATF_CHECK_EQ_MSG(EINVAL, fixture_load_edited(text, edits[i].old,
		    edits[i].new, &r, why), "%s", edits[i].new);
		ATF_CHECK_MSG(strstr(why, edits[i].message) != NULL,
		    "%s: %s", edits[i].new, why);
		ATF_CHECK_EQ(0x5a, *(unsigned char *)&r);
	}
	free(text);
}

TEST(result_load__refuses_every_truncation,
    "A file that was cut anywhere is no result and says where it ends")
{
	char *text = fixture_text();

	for (size_t len = 0; len + 2 < strlen(text); len += 37) {
		ATF_REQUIRE_EQ_MSG(EINVAL, fixture_load(text, len, &r, why),
		    "%zu bytes", len);
		ATF_CHECK_MSG(strncmp(why, len == 0 ? "it is empty" : "line ",
		    5) == 0, "%s", why);
	}
	free(text);
}

TEST(result_load__takes_added_keys,
    "Adding keys is free within a schema, so a file with more or with fewer "
    "than ours is read")
{
	static const char *const changes[][2] = {
		{ "\"seed\"", "\"mood\": [ { } ], \"seed\"" },
		{ "\"profiled\"", "\"unprofiled\"" },
	};
	char *text = fixture_text();

	for (unsigned i = 0; i < nitems(changes); i++) {
		ATF_REQUIRE_MSG(fixture_load_edited(text, changes[i][0],
		    changes[i][1], &r, why) == 0, "%s", why);
		ATF_CHECK_EQ(i == 0, r.cells[0].profiled);
		result_free(&r);
	}
	free(text);
}

TEST(result_load__refuses_what_is_no_file,
    "Directories, absent files and files above the limit are refused before "
    "they are read")
{
	int fd;

	ATF_CHECK_EQ(EISDIR, result_load(".", &r, why));
	ATF_CHECK_STREQ(strerror(EISDIR), why);
	ATF_CHECK_EQ(ENOENT, result_load("absent", &r, why));
	ATF_CHECK_STREQ(strerror(ENOENT), why);
	fd = open("huge", O_RDWR | O_CREAT, 0600);
	ATF_REQUIRE(fd != -1);
	ATF_REQUIRE(ftruncate(fd, (off_t)RESULT_FILE_MAX + 1) == 0);
	close(fd);
	ATF_CHECK_EQ(EFBIG, result_load("huge", &r, why));
}

enum { CELLS = 3, REPEATS = 5 };

/* Two of a design, and one more as a control would be. */
static const struct fixture_cell grid[CELLS] = {
	{ "locked", "aes", 2, REPEATS, 400, 2, false },
	{ "concurrent", "aes", 2, REPEATS, 800, 2, false },
	{ "locked", "aes", 4, REPEATS, 420, 2, false },
};

static void
set_total(struct result_sample *s, unsigned readers, double mb_per_s)
{
	s->total_mb_per_s = mb_per_s;
	for (unsigned i = 0; i < readers; i++)
		s->reader_mb_per_s[i] = mb_per_s / readers;
}

/* Repeats that go up and down around the cell's figures. */
static void
make(void)
{
	static const double around[REPEATS] = { 2, -1, 0, 1, -2 };
	struct result_cell *c;

	fixture_result(&r, grid, CELLS);
	for (unsigned i = 0; i < CELLS; i++) {
		c = &r.cells[i];
		for (unsigned k = 0; k < REPEATS; k++) {
			set_total(&c->samples[k], c->readers,
			    grid[i].fc_mb_per_s + around[k]);
			c->samples[k].harvest.cpu_percent += around[k] / 10;
			c->samples[k].fairness.min_max += around[k] / 100;
		}
	}
}

/* The result is refused, and the message begins with where. */
static void
refused(const char *where)
{
	why[0] = '\0';
	ATF_CHECK_EQ_MSG(EINVAL, result_check(&r, why), "%s", where);
	ATF_CHECK_MSG(strncmp(why, where, strlen(where)) == 0,
	    "\"%s\", expected \"%s\"", why, where);
	result_free(&r);
	make();
	ATF_REQUIRE_EQ_MSG(0, result_check(&r, why), "%s", why);
}

TEST(result_check__edited,
    "A median that is not its samples', a sum that is not its readers', and a "
    "cell that stands twice are named, in cells and in controls")
{
	make();
	r.cells[2].total_mb_per_s *= 3;
	refused("cells[2].total_mb_per_s: 1260 is not the median of its "
	    "samples, 420");
	r.cells[1].samples[3].total_mb_per_s *= 1.001;
	refused("cells[1].samples[3].total_mb_per_s: ");
	for (unsigned k = 0; k < REPEATS; k++)
		set_total(&r.cells[0].samples[k], 2, 410);
	refused("cells[0].total_mb_per_s: ");
	r.cells[0].reader_mb_per_s[1] = 100;
	refused("cells[0].reader_mb_per_s[1]: ");
	r.cells[0].harvest.cpu_percent = 0;
	refused("cells[0].harvest.cpu_percent: ");
	r.cells[0].harvest.events_per_s *= 2;
	refused("cells[0].harvest.events_per_s: ");
	r.cells[0].fairness.min_max = 1;
	refused("cells[0].fairness.min_max: ");
	r.cells[0].fairness.jain = 1;
	refused("cells[0].fairness.jain: ");
	strcpy(r.cells[1].design, "locked");
	refused("cells[0] and cells[1] are the same cell");
	r.controls = r.cells + 2;
	r.control_count = 1;
	r.cell_count = 2;
	r.controls[0].total_mb_per_s *= 3;
	r.controls[0].notes[0] = '\0';
	why[0] = '\0';
	ATF_CHECK_EQ(EINVAL, result_check(&r, why));
	ATF_CHECK_MSG(strncmp(why, "controls[0].total_mb_per_s", 26) == 0,
	    "%s", why);
	r.controls = NULL;
	r.control_count = 0;
	r.cell_count = CELLS;
	result_free(&r);
}

/* The result passes, and is freed. */
static void
passed(void)
{
	ATF_CHECK_EQ_MSG(0, result_check(&r, why), "%s", why);
	result_free(&r);
}

TEST(result_check__as_measured,
    "What is no edit passes: decimals that were rounded, samples without "
    "objects, a repeat that failed its gate and was left out, one repeat, "
    "other polls, no cell")
{
	make();
	r.cells[0].total_mb_per_s *= 1 + 1e-9;
	r.cells[0].samples[1].total_mb_per_s *= 1 - 1e-9;
	/* The others have medians -0.5 and 1 from 800. */
	strcpy(r.cells[1].samples[2].gate, "drift");
	strcpy(r.cells[1].samples[3].gate, "drift");
	r.cells[1].total_mb_per_s = 799;
	r.cells[1].reader_mb_per_s[0] = r.cells[1].reader_mb_per_s[1] = 399.5;
	r.cells[1].harvest.cpu_percent -= 0.1;
	r.cells[1].fairness.min_max -= 0.01;
	for (unsigned k = 0; k < REPEATS; k++) {
		r.cells[2].samples[k].harvest =
		    (struct result_harvest){ .dropped = 0 };
		r.cells[2].samples[k].fairness =
		    (struct result_fairness){ .cov = 0 };
	}
	ATF_CHECK_EQ_MSG(0, result_check(&r, why), "%s", why);
	strcpy(r.cells[1].samples[2].gate, "");
	strcpy(r.cells[1].samples[3].gate, "");
	ATF_CHECK_EQ(EINVAL, result_check(&r, why));
	result_free(&r);

	make();
	strcpy(r.cells[0].lock, "tas");
	strcpy(r.cells[1].lock, "tas");
	strcpy(r.cells[1].design, "locked");
	r.cells[1].spin_polls = 64;
	passed();

	fixture_result(&r, grid, 0);
	passed();
	fixture_result(&r, &(struct fixture_cell){ "locked", "aes", 2, 1, 400,
	    2, false }, 1);
	passed();
}

TEST_PROGRAM()
