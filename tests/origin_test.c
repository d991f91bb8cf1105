/*
 * Where output came from: what bench/explore/origin.h promises, by hand.
 */
#include <string.h>

#include "bench/explore/origin.h"
#include "tests/support.h"

enum { BYTES = 64 };

static struct origin origin;
static const uint8_t no_key[CIPHER_KEY_BYTES];

static void
begin_run(void)
{

	ATF_REQUIRE_EQ(0, origin_init(&origin));
	origin_clear(&origin);
}

/* Bytes that are nowhere else, no canary and no zeros; by number. */
static uint8_t *
bytes(unsigned number)
{
	static uint8_t made[4][BYTES];
	static unsigned next;
	uint8_t *out = made[next++ % nitems(made)];
	unsigned i, x;

	for (i = 0; i < BYTES; i++) {
		x = (number * BYTES + i + 1) * 2654435761u;
		out[i] = (uint8_t)(x >> 24);
		if (out[i] == ORIGIN_CANARY || out[i] == 0)
			out[i]++;
	}
	return (out);
}

/* A thread makes them; under a key that is nobody's output. */
static void
make(unsigned thread, unsigned number)
{

	ATF_CHECK(origin_made(&origin, thread, no_key, bytes(number), BYTES));
}

static void
check(const char *want, unsigned thread, const uint8_t *buf, size_t n,
    uint64_t stored_bytes)
{
	const char *said = origin_returned(&origin, thread, buf, n,
	    stored_bytes);

	if (want == NULL)
		ATF_CHECK_MSG(said == NULL, "%s", said);
	else
		ATF_CHECK_MSG(said != NULL && strstr(said, want) != NULL,
		    "\"%s\", not \"%s\"", said == NULL ? "nothing" : said,
		    want);
}

static void
end_run(void)
{

	origin_fini(&origin);
}

ATF_TC(origin_returned__right);
ATF_TC_HEAD(origin_returned__right, tc)
{

	atf_tc_set_md_var(tc, "descr", "Nothing is said of what a read made "
	    "itself, whole, in part, in pieces, and of reads of nothing");
}
ATF_TC_BODY(origin_returned__right, tc)
{
	uint8_t both[2 * BYTES];

	(void)tc;
	begin_run();
	check(NULL, 0, both, 0, 0);
	origin_begin(&origin, 0);
	make(0, 1);
	check(NULL, 0, bytes(1), BYTES, 0);
	/* The rest of a block is thrown away. */
	origin_begin(&origin, 0);
	make(0, 2);
	check(NULL, 0, bytes(2), 5, 0);
	/* Two blocks that were made one after the other; another between. */
	origin_begin(&origin, 0);
	origin_begin(&origin, 1);
	make(0, 3);
	make(1, 4);
	make(0, 5);
	memcpy(both, bytes(3), BYTES);
	memcpy(both + BYTES, bytes(5), BYTES);
	check(NULL, 0, both, sizeof(both), 0);
	check(NULL, 1, bytes(4), BYTES, 0);
	end_run();
}

ATF_TC(origin_returned__handed_out_before);
ATF_TC_HEAD(origin_returned__handed_out_before, tc)
{

	atf_tc_set_md_var(tc, "descr", "What was handed out is not handed out "
	    "again, to the same or another, nor in the same read");
}
ATF_TC_BODY(origin_returned__handed_out_before, tc)
{
	uint8_t twice[2 * BYTES];

	(void)tc;
	begin_run();
	origin_begin(&origin, 0);
	make(0, 1);
	check(NULL, 0, bytes(1), BYTES, 0);
	check("handed out before", 0, bytes(1), BYTES, 0);
	/* However much a design may keep. */
	check("handed out before", 1, bytes(1), BYTES, UINT64_MAX);
	origin_begin(&origin, 1);
	check("handed out before", 1, bytes(1), 16, UINT64_MAX);
	origin_begin(&origin, 0);
	make(0, 2);
	memcpy(twice, bytes(2), BYTES);
	memcpy(twice + BYTES, bytes(2), BYTES);
	check("handed out before", 0, twice, sizeof(twice), 0);
	/* Not in the next run. */
	origin_clear(&origin);
	origin_begin(&origin, 0);
	make(0, 1);
	check(NULL, 0, bytes(1), BYTES, 0);
	end_run();
}

ATF_TC(origin_returned__elsewhere);
ATF_TC_HEAD(origin_returned__elsewhere, tc)
{

	atf_tc_set_md_var(tc, "descr", "What was made before a read or by "
	    "another is told, beyond what a design keeps");
}
ATF_TC_BODY(origin_returned__elsewhere, tc)
{

	(void)tc;
	begin_run();
	origin_begin(&origin, 0);
	make(0, 1);
	origin_begin(&origin, 1);
	check("made before it, or for another", 1, bytes(1), 16, 0);
	origin_begin(&origin, 0);
	make(0, 2);
	origin_begin(&origin, 0);
	check("made before it, or for another", 0, bytes(2), 16, 0);
	/* A design that keeps so much, and a byte less. */
	make(0, 3);
	origin_begin(&origin, 0);
	check(NULL, 0, bytes(3), 16, 16);
	make(0, 4);
	origin_begin(&origin, 0);
	check("made before it, or for another", 0, bytes(4), 16, 15);
	end_run();
}

ATF_TC(origin_returned__nowhere);
ATF_TC_HEAD(origin_returned__nowhere, tc)
{

	atf_tc_set_md_var(tc, "descr", "What no cipher made is told, and what "
	    "nobody wrote");
}
ATF_TC_BODY(origin_returned__nowhere, tc)
{
	uint8_t buf[BYTES];
	unsigned i;

	(void)tc;
	begin_run();
	origin_begin(&origin, 0);
	check("what is no keystream", 0, bytes(7), BYTES, UINT64_MAX);
	make(0, 1);
	memcpy(buf, bytes(1), BYTES);
	buf[BYTES - 1] ^= 0x80;
	check("what is no keystream", 0, buf, BYTES, 0);
	for (i = 0; i < BYTES; i += BYTES - 1) {
		origin_clear(&origin);
		origin_begin(&origin, 0);
		make(0, 1);
		memcpy(buf, bytes(1), BYTES);
		buf[i] = ORIGIN_CANARY;
		check("not all of the buffer was written", 0, buf, BYTES, 0);
	}
	end_run();
}

ATF_TC(origin_made__canary);
ATF_TC_HEAD(origin_made__canary, tc)
{

	atf_tc_set_md_var(tc, "descr", "Keystream loses what would look as if "
	    "nobody had written it, and is what is looked for then");
}
ATF_TC_BODY(origin_made__canary, tc)
{
	uint8_t buf[BYTES];

	(void)tc;
	begin_run();
	origin_begin(&origin, 0);
	memcpy(buf, bytes(1), BYTES);
	buf[3] = ORIGIN_CANARY;
	ATF_CHECK(origin_made(&origin, 0, no_key, buf, BYTES));
	ATF_CHECK(memchr(buf, ORIGIN_CANARY, BYTES) == NULL);
	check(NULL, 0, buf, BYTES, 0);
	end_run();
}

ATF_TC(origin_made__keys);
ATF_TC_HEAD(origin_made__keys, tc)
{

	atf_tc_set_md_var(tc, "descr", "No key is handed out, neither before "
	    "it is used nor after");
}
ATF_TC_BODY(origin_made__keys, tc)
{
	uint8_t key[CIPHER_KEY_BYTES];

	(void)tc;
	begin_run();
	/* A key is drawn behind the output, and both go their ways. */
	origin_begin(&origin, 0);
	make(0, 1);
	memcpy(key, bytes(1) + BYTES - CIPHER_KEY_BYTES, sizeof(key));
	check(NULL, 0, bytes(1), BYTES - CIPHER_KEY_BYTES, 0);
	origin_begin(&origin, 0);
	ATF_CHECK(origin_made(&origin, 0, key, bytes(2), BYTES));
	check(NULL, 0, bytes(2), BYTES, 0);
	/* Somebody gets it after it was used. */
	check("there is a key in it", 0, key, sizeof(key), UINT64_MAX);
	/* Another is used after somebody got it. */
	origin_clear(&origin);
	origin_begin(&origin, 0);
	make(0, 3);
	check(NULL, 0, bytes(3), BYTES, 0);
	memcpy(key, bytes(3) + 1, sizeof(key));
	ATF_CHECK(!origin_made(&origin, 0, key, bytes(4), BYTES));
	end_run();
}

ATF_TC(origin_made__full);
ATF_TC_HEAD(origin_made__full, tc)
{

	atf_tc_set_md_var(tc, "descr", "Of a run with more keystream than "
	    "there is room for nothing is said, but of a buffer that is not "
	    "written");
}
ATF_TC_BODY(origin_made__full, tc)
{
	static uint8_t much[ORIGIN_BYTES_MAX];
	uint8_t canary = ORIGIN_CANARY;
	unsigned i;

	(void)tc;
	begin_run();
	origin_begin(&origin, 0);
	ATF_CHECK(origin_made(&origin, 0, no_key, much, sizeof(much)));
	check("what is no keystream", 0, bytes(1), BYTES, 0);
	make(0, 1);
	check(NULL, 0, bytes(2), BYTES, 0);
	check("not all of the buffer", 0, &canary, 1, 0);
	/* Or more pieces. */
	origin_clear(&origin);
	origin_begin(&origin, 0);
	for (i = 0; i < ORIGIN_PIECES_MAX; i++)
		ATF_CHECK(origin_made(&origin, 0, no_key, much, 1));
	check("what is no keystream", 0, bytes(99), BYTES, 0);
	make(0, 1);
	check(NULL, 0, bytes(99), BYTES, 0);
	end_run();
}

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, origin_returned__right);
	ATF_TP_ADD_TC(tp, origin_returned__handed_out_before);
	ATF_TP_ADD_TC(tp, origin_returned__elsewhere);
	ATF_TP_ADD_TC(tp, origin_returned__nowhere);
	ATF_TP_ADD_TC(tp, origin_made__canary);
	ATF_TP_ADD_TC(tp, origin_made__keys);
	ATF_TP_ADD_TC(tp, origin_made__full);
	return (atf_no_error());
}
