/*
 * harvest/record.c: what it takes, what it refuses and how it says so.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "harvest/record.h"
#include "tests/unit/test.h"

/* An event without the padding behind it. */
enum { EVENT_BYTES = offsetof(struct random_event, he_source) + 1 };

TEST(record__parse, "the lines of known-answer scripts, with or without a "
    "source")
{
	struct random_event event;
	const char *expected;

	ATF_REQUIRE_EQ(0, record_parse("event 255 4294967295 00ffA5", &event,
	    &expected));
	ATF_CHECK_EQ(255, event.he_destination);
	ATF_CHECK_EQ(UINT32_MAX, event.he_somecounter);
	ATF_CHECK_EQ(3, event.he_size);
	ATF_CHECK_EQ(0, memcmp("\x00\xff\xa5\0\0\0\0", event.he_entropy, 8));
	ATF_CHECK_EQ(RANDOM_CACHED, event.he_source);
	ATF_REQUIRE_EQ(0, record_parse("\tevent  0 0\t0102030405060708 "
	    "PURE_RDSEED \n", &event, &expected));
	ATF_CHECK_EQ(8, event.he_size);
	ATF_CHECK_EQ(RANDOM_PURE_RDSEED, event.he_source);
}

TEST(record__refuses, "each malformed field is named")
{
	static const struct {
		const char	*line;
		const char	*expected;
	} cases[] = {
		{ "", "\"event" },
		{ "events 0 0 00", "\"event" },
		{ "read 20", "\"event" },
		{ "event", "destination" },
		{ "event 256 0 00", "destination" },
		{ "event -1 0 00", "destination" },
		{ "event 0x10 0 00", "destination" },
		{ "event 1.5 0 00", "destination" },
		{ "event 0", "counter" },
		{ "event 0 4294967296 00", "counter" },
		{ "event 0 99999999999999999999999999999 00", "counter" },
		{ "event 0 0", "hexadecimal" },
		{ "event 0 0 0", "hexadecimal" },
		{ "event 0 0 0g", "hexadecimal" },
		{ "event 0 0 0x00", "hexadecimal" },
		{ "event 0 0 010203040506070809", "hexadecimal" },
		{ "event 0 0 0102030405060708090a0b0c0d0e0f", "hexadecimal" },
		{ "event 0 0 00 interrupt", "source" },
		{ "event 0 0 00 7", "source" },
		{ "event 0 0 00 NOT_A_SOURCE_AND_VERY_LONG", "source" },
		{ "event 0 0 00 SWI SWI", "nothing after" },
		{ "event 0 0 00\r", "hexadecimal" },
	};
	struct random_event event;
	const char *expected;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ATF_CHECK_EQ_MSG(EINVAL, record_parse(cases[i].line, &event,
		    &expected), "%s", cases[i].line);
		ATF_CHECK_MSG(strstr(expected, cases[i].expected) != NULL,
		    "%s: expected %s", cases[i].line, expected);
	}
}

TEST(record__names_the_line, "a person looks for the line in an editor: "
    "comments and empty lines count")
{
	struct harvest_error error;
	struct record r;

	atf_utils_create_file("bad", "# comment\n\nevent 0 1 02\n  # another\n"
	    "event 0 1 xx\nevent 0 1 02\n");
	ATF_CHECK_EQ(EINVAL, record_load(&r, "bad", &error));
	ATF_CHECK_STREQ("bad:5: expected 1 to 8 bytes in hexadecimal after the "
	    "counter", error.text);
	ATF_CHECK_EQ(NULL, r.rc_events);
	atf_utils_create_file("zero", "event 0 1 02\nevent 0 1 0%c2\n", '\0');
	ATF_CHECK_EQ(EINVAL, record_load(&r, "zero", &error));
	ATF_CHECK_STREQ("zero:2: a NUL byte: expected text", error.text);
	ATF_CHECK_EQ(ENOENT, record_load(&r, "absent", &error));
	ATF_CHECK(strncmp("absent: ", error.text, 8) == 0);
	ATF_CHECK_EQ(EISDIR, record_load(&r, ".", &error));
	ATF_CHECK(strncmp(".: ", error.text, 3) == 0);
}

TEST(record__no_final_newline, "editors leave it out; empty files are records "
    "of nothing")
{
	struct harvest_error error;
	struct record r;

	atf_utils_create_file("f", "event 1 2 03");
	ATF_REQUIRE_EQ(0, record_load(&r, "f", &error));
	ATF_CHECK_EQ(1, r.rc_count);
	record_fini(&r);
	atf_utils_create_file("f", "%s", "");
	ATF_REQUIRE_EQ(0, record_load(&r, "f", &error));
	ATF_CHECK_EQ(0, r.rc_count);
	record_fini(&r);
}

static struct random_event
numbered(unsigned i)
{
	struct random_event event = { 0 };

	event.he_somecounter = i * UINT32_C(2654435761);
	event.he_size = (uint8_t)(1 + i % HARVEST_ENTROPY_BYTES);
	event.he_destination = (uint8_t)i;
	event.he_source = (uint8_t)(i % ENTROPYSOURCE);
	for (unsigned b = 0; b < event.he_size; b++)
		event.he_entropy[b] = (uint8_t)(i * 31 + b);
	return (event);
}

/* Adds the first n events. */
static void
add_numbered(struct record *r, unsigned n)
{
	struct random_event event;

	for (unsigned i = 0; i < n; i++) {
		event = numbered(i);
		record_add(r, &event);
	}
}

TEST(record__round_trip, "what is written is read back, every source and size, "
    "past the first allocation")
{
	enum { N = 1000 };
	struct harvest_error error;
	struct random_event event;
	struct record r;
	struct stat st;

	ATF_REQUIRE_EQ(0, record_create(&r, "r", N, &error));
	add_numbered(&r, N);
	ATF_CHECK_EQ(0, record_finish(&r));
	record_fini(&r);
	ATF_REQUIRE_EQ(0, stat("r", &st));
	ATF_CHECK_EQ_MSG(0, st.st_mode & 077, "entropy is its owner's");
	ATF_REQUIRE_EQ_MSG(0, record_load(&r, "r", &error), "%s", error.text);
	ATF_REQUIRE_EQ(N, r.rc_count);
	for (unsigned i = 0; i < N; i++) {
		event = numbered(i);
		ATF_CHECK_EQ_MSG(0, memcmp(&event, &r.rc_events[i],
		    EVENT_BYTES), "event %u", i);
	}
	record_fini(&r);
}

TEST(record__full, "the first events are kept, the loss is reported and stands "
    "in the file")
{
	struct harvest_error error;
	struct random_event event;
	struct record r;

	ATF_REQUIRE_EQ(0, record_create(&r, "r", 3, &error));
	add_numbered(&r, 5);
	ATF_CHECK_EQ(2, r.rc_lost);
	ATF_CHECK_EQ(EOVERFLOW, record_finish(&r));
	record_fini(&r);
	ATF_REQUIRE_EQ(0, record_load(&r, "r", &error));
	ATF_REQUIRE_EQ(3, r.rc_count);
	event = numbered(2);
	ATF_CHECK_EQ(0, memcmp(&event, &r.rc_events[2], EVENT_BYTES));
	record_fini(&r);
	ATF_CHECK(atf_utils_grep_file("^# 2 more were not recorded$", "r"));
}

TEST(record__create_fails, "said before the run, not after it")
{
	struct harvest_error error;
	struct record r;

	ATF_CHECK_EQ(ENOENT, record_create(&r, "no/such/folder", 1, &error));
	ATF_CHECK(strncmp("no/such/folder: ", error.text, 16) == 0);
}

TEST(record__write_fails, "a full disk is an error, not a short record")
{
	struct harvest_error error;
	struct record r;

	if (record_create(&r, "/dev/full", 1000, &error) != 0)
		atf_tc_skip("no /dev/full here");
	add_numbered(&r, 1000);
	ATF_CHECK(record_finish(&r) != 0);
	record_fini(&r);
}

TEST_PROGRAM()
