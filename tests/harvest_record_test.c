/*
 * harvest/record.c: what it takes, what it refuses and how it says so.
 */
#include <atf-c.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "harvest/record.h"

/* An event without the padding behind it. */
enum { EVENT_BYTES = offsetof(struct harvest_event, he_source) + 1 };

ATF_TC(record__parse);
ATF_TC_HEAD(record__parse, tc)
{

	atf_tc_set_md_var(tc, "descr", "the lines of known-answer scripts, "
	    "with or without a source");
}
ATF_TC_BODY(record__parse, tc)
{
	struct harvest_event event;
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

ATF_TC(record__refuses);
ATF_TC_HEAD(record__refuses, tc)
{

	atf_tc_set_md_var(tc, "descr", "each malformed field is named");
}
ATF_TC_BODY(record__refuses, tc)
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
	struct harvest_event event;
	const char *expected;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ATF_CHECK_EQ_MSG(EINVAL, record_parse(cases[i].line, &event,
		    &expected), "%s", cases[i].line);
		ATF_CHECK_MSG(strstr(expected, cases[i].expected) != NULL,
		    "%s: expected %s", cases[i].line, expected);
	}
}

static void
write_file(const char *name, const char *text, size_t n)
{
	FILE *file;

	file = fopen(name, "w");
	ATF_REQUIRE(file != NULL);
	ATF_REQUIRE_EQ(n, fwrite(text, 1, n, file));
	ATF_REQUIRE_EQ(0, fclose(file));
}

ATF_TC(record__names_the_line);
ATF_TC_HEAD(record__names_the_line, tc)
{

	atf_tc_set_md_var(tc, "descr", "a person looks for the line in an "
	    "editor: comments and empty lines count");
}
ATF_TC_BODY(record__names_the_line, tc)
{
	static const char text[] = "# comment\n\nevent 0 1 02\n  # another\n"
	    "event 0 1 xx\nevent 0 1 02\n";
	static const char zero[] = "event 0 1 02\nevent 0 1 0\0" "2\n";
	struct harvest_error error;
	struct record r;

	write_file("bad", text, sizeof(text) - 1);
	ATF_CHECK_EQ(EINVAL, record_load(&r, "bad", &error));
	ATF_CHECK_STREQ("bad:5: expected 1 to 8 bytes in hexadecimal after the "
	    "counter", error.text);
	ATF_CHECK_EQ(NULL, r.r_events);
	write_file("zero", zero, sizeof(zero) - 1);
	ATF_CHECK_EQ(EINVAL, record_load(&r, "zero", &error));
	ATF_CHECK_STREQ("zero:2: expected text, not a zero byte", error.text);
	ATF_CHECK_EQ(ENOENT, record_load(&r, "absent", &error));
	ATF_CHECK(strncmp("absent: ", error.text, 8) == 0);
	ATF_CHECK_EQ(EISDIR, record_load(&r, ".", &error));
	ATF_CHECK(strncmp(".: ", error.text, 3) == 0);
}

ATF_TC(record__no_final_newline);
ATF_TC_HEAD(record__no_final_newline, tc)
{

	atf_tc_set_md_var(tc, "descr", "editors leave it out; empty files are "
	    "records of nothing");
}
ATF_TC_BODY(record__no_final_newline, tc)
{
	struct harvest_error error;
	struct record r;

	write_file("f", "event 1 2 03", 12);
	ATF_REQUIRE_EQ(0, record_load(&r, "f", &error));
	ATF_CHECK_EQ(1, r.r_count);
	record_fini(&r);
	write_file("f", "", 0);
	ATF_REQUIRE_EQ(0, record_load(&r, "f", &error));
	ATF_CHECK_EQ(0, r.r_count);
	record_fini(&r);
}

static struct harvest_event
numbered(unsigned i)
{
	struct harvest_event event = { 0 };
	unsigned b;

	event.he_somecounter = i * UINT32_C(2654435761);
	event.he_size = (uint8_t)(1 + i % HARVEST_ENTROPY_BYTES);
	event.he_destination = (uint8_t)i;
	event.he_source = (uint8_t)(i % ENTROPYSOURCE);
	for (b = 0; b < event.he_size; b++)
		event.he_entropy[b] = (uint8_t)(i * 31 + b);
	return (event);
}

ATF_TC(record__round_trip);
ATF_TC_HEAD(record__round_trip, tc)
{

	atf_tc_set_md_var(tc, "descr", "what is written is read back, every "
	    "source and size, past the first allocation");
}
ATF_TC_BODY(record__round_trip, tc)
{
	enum { N = 1000 };
	struct harvest_error error;
	struct harvest_event event;
	struct record r;
	struct stat st;
	unsigned i;

	ATF_REQUIRE_EQ(0, record_create(&r, "r", N, &error));
	for (i = 0; i < N; i++) {
		event = numbered(i);
		record_add(&r, &event);
	}
	ATF_CHECK_EQ(0, record_finish(&r));
	record_fini(&r);
	ATF_REQUIRE_EQ(0, stat("r", &st));
	ATF_CHECK_EQ_MSG(0, st.st_mode & 077, "entropy is its owner's");
	ATF_REQUIRE_EQ_MSG(0, record_load(&r, "r", &error), "%s", error.text);
	ATF_REQUIRE_EQ(N, r.r_count);
	for (i = 0; i < N; i++) {
		event = numbered(i);
		ATF_CHECK_EQ_MSG(0, memcmp(&event, &r.r_events[i],
		    EVENT_BYTES), "event %u", i);
	}
	record_fini(&r);
}

ATF_TC(record__full);
ATF_TC_HEAD(record__full, tc)
{

	atf_tc_set_md_var(tc, "descr", "the first events are kept, the loss is "
	    "reported and stands in the file");
}
ATF_TC_BODY(record__full, tc)
{
	struct harvest_error error;
	struct harvest_event event;
	struct record r;
	unsigned i;

	ATF_REQUIRE_EQ(0, record_create(&r, "r", 3, &error));
	for (i = 0; i < 5; i++) {
		event = numbered(i);
		record_add(&r, &event);
	}
	ATF_CHECK_EQ(2, r.r_lost);
	ATF_CHECK_EQ(EOVERFLOW, record_finish(&r));
	record_fini(&r);
	ATF_REQUIRE_EQ(0, record_load(&r, "r", &error));
	ATF_REQUIRE_EQ(3, r.r_count);
	event = numbered(2);
	ATF_CHECK_EQ(0, memcmp(&event, &r.r_events[2], EVENT_BYTES));
	record_fini(&r);
	ATF_CHECK(atf_utils_grep_file("^# 2 more were not recorded$", "r"));
}

ATF_TC(record__create_fails);
ATF_TC_HEAD(record__create_fails, tc)
{

	atf_tc_set_md_var(tc, "descr", "said before the run, not after it");
}
ATF_TC_BODY(record__create_fails, tc)
{
	struct harvest_error error;
	struct record r;

	ATF_CHECK_EQ(ENOENT, record_create(&r, "no/such/folder", 1, &error));
	ATF_CHECK(strncmp("no/such/folder: ", error.text, 16) == 0);
}

ATF_TC(record__write_fails);
ATF_TC_HEAD(record__write_fails, tc)
{

	atf_tc_set_md_var(tc, "descr", "a full disk is an error, not a short "
	    "record");
}
ATF_TC_BODY(record__write_fails, tc)
{
	struct harvest_error error;
	struct harvest_event event;
	struct record r;
	unsigned i;

	if (record_create(&r, "/dev/full", 1000, &error) != 0)
		atf_tc_skip("no /dev/full here");
	for (i = 0; i < 1000; i++) {
		event = numbered(i);
		record_add(&r, &event);
	}
	ATF_CHECK(record_finish(&r) != 0);
	record_fini(&r);
}

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, record__parse);
	ATF_TP_ADD_TC(tp, record__refuses);
	ATF_TP_ADD_TC(tp, record__names_the_line);
	ATF_TP_ADD_TC(tp, record__no_final_newline);
	ATF_TP_ADD_TC(tp, record__round_trip);
	ATF_TP_ADD_TC(tp, record__full);
	ATF_TP_ADD_TC(tp, record__create_fails);
	ATF_TP_ADD_TC(tp, record__write_fails);
	return (atf_no_error());
}
