/*
 * Checks of a read's output, with keystream that is written out here.
 */
#include <string.h>

#include "bench/explore/output_check.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum { BYTES = 64 };

static struct output_check oc;
static const uint8_t no_key[CIPHER_KEY_BYTES];

/* The number-th bytes: unlike all others, no canary, not 0. */
static uint8_t *
bytes(unsigned number)
{
	static uint8_t made[4][BYTES];
	static unsigned next;
	uint8_t *out = made[next++ % nitems(made)];
	unsigned x;

	for (unsigned i = 0; i < BYTES; i++) {
		x = (number * BYTES + i + 1) * 2654435761u;
		out[i] = (uint8_t)(x >> 24);
		if (out[i] == OUTPUT_CHECK_CANARY || out[i] == 0)
			out[i]++;
	}
	return (out);
}

/* A thread makes the number-th bytes, under a key that is no output. */
static void
make(unsigned thread, unsigned number)
{
	ATF_CHECK(output_check_made(&oc, thread, no_key, bytes(number),
	    BYTES));
}

static void
check(const char *want, unsigned thread, const uint8_t *buf, size_t n,
    uint64_t stored_bytes)
{
	const char *got = output_check_returned(&oc, thread, buf, n,
	    stored_bytes);

	if (want == NULL)
		ATF_CHECK_MSG(got == NULL, "%s", got);
	else
		ATF_CHECK_MSG(got != NULL && strstr(got, want) != NULL,
		    "\"%s\", not \"%s\"", got == NULL ? "nothing" : got,
		    want);
}

TEST(output_check_returned__right, "a read may return what it made "
    "itself, whole, in part or in pieces, or nothing")
{
	uint8_t both[2 * BYTES];

	output_check_clear(&oc);
	check(NULL, 0, both, 0, 0);
	output_check_begin(&oc, 0);
	make(0, 1);
	check(NULL, 0, bytes(1), BYTES, 0);
	/* The rest of a block is discarded. */
	output_check_begin(&oc, 0);
	make(0, 2);
	check(NULL, 0, bytes(2), 5, 0);
	/* Two blocks of a read, with another thread's between them. */
	output_check_begin(&oc, 0);
	output_check_begin(&oc, 1);
	make(0, 3);
	make(1, 4);
	make(0, 5);
	memcpy(both, bytes(3), BYTES);
	memcpy(both + BYTES, bytes(5), BYTES);
	check(NULL, 0, both, sizeof(both), 0);
	check(NULL, 1, bytes(4), BYTES, 0);
}

TEST(output_check_returned__handed_out_before, "output is not handed out "
    "again, to the same or another thread, nor in the same read")
{
	uint8_t twice[2 * BYTES];

	output_check_clear(&oc);
	output_check_begin(&oc, 0);
	make(0, 1);
	check(NULL, 0, bytes(1), BYTES, 0);
	check("handed out before", 0, bytes(1), BYTES, 0);
	/* However much a design may keep. */
	check("handed out before", 1, bytes(1), BYTES, UINT64_MAX);
	output_check_begin(&oc, 1);
	check("handed out before", 1, bytes(1), 16, UINT64_MAX);
	output_check_begin(&oc, 0);
	make(0, 2);
	memcpy(twice, bytes(2), BYTES);
	memcpy(twice + BYTES, bytes(2), BYTES);
	check("handed out before", 0, twice, sizeof(twice), 0);
	/* Not in the next run. */
	output_check_clear(&oc);
	output_check_begin(&oc, 0);
	make(0, 1);
	check(NULL, 0, bytes(1), BYTES, 0);
}

TEST(output_check_returned__few_bytes, "what a design keeps is not used up by "
    "a few bytes that other keystream has, too")
{
	uint8_t own[BYTES], kept[BYTES], other[BYTES];

	memcpy(own, bytes(1), BYTES);
	memcpy(kept, bytes(2), BYTES);
	memcpy(other, bytes(3), BYTES);
	kept[7] = own[10];
	memcpy(other + 20, own + 10, 3);
	output_check_clear(&oc);
	output_check_begin(&oc, 1);
	ATF_CHECK(output_check_made(&oc, 1, no_key, kept, BYTES));
	ATF_CHECK(output_check_made(&oc, 1, no_key, other, BYTES));
	output_check_begin(&oc, 0);
	ATF_CHECK(output_check_made(&oc, 0, no_key, own, BYTES));
	/* One byte of what it keeps is found in the other's read. */
	output_check_begin(&oc, 1);
	check(NULL, 1, kept + 7, 1, 1);
	check(NULL, 0, own, BYTES, 1);
}

TEST(output_check_returned__elsewhere, "keystream made before a read or by "
    "another thread is reported, beyond what a design keeps")
{
	output_check_clear(&oc);
	output_check_begin(&oc, 0);
	make(0, 1);
	output_check_begin(&oc, 1);
	check("made before it, or for another", 1, bytes(1), 16, 0);
	output_check_begin(&oc, 0);
	make(0, 2);
	output_check_begin(&oc, 0);
	check("made before it, or for another", 0, bytes(2), 16, 0);
	/* A design that keeps 16 bytes, and one that keeps 15. */
	make(0, 3);
	output_check_begin(&oc, 0);
	check(NULL, 0, bytes(3), 16, 16);
	make(0, 4);
	output_check_begin(&oc, 0);
	check("made before it, or for another", 0, bytes(4), 16, 15);
}

TEST(output_check_returned__nowhere, "bytes that no cipher made are reported, "
    "and bytes that were not written")
{
	uint8_t buf[BYTES];

	output_check_clear(&oc);
	output_check_begin(&oc, 0);
	check("what is no keystream", 0, bytes(7), BYTES, UINT64_MAX);
	make(0, 1);
	memcpy(buf, bytes(1), BYTES);
	buf[BYTES - 1] ^= 0x80;
	check("what is no keystream", 0, buf, BYTES, 0);
	for (unsigned i = 0; i < BYTES; i += BYTES - 1) {
		output_check_clear(&oc);
		output_check_begin(&oc, 0);
		make(0, 1);
		memcpy(buf, bytes(1), BYTES);
		buf[i] = OUTPUT_CHECK_CANARY;
		check("not all of the buffer was written", 0, buf, BYTES, 0);
	}
}

TEST(output_check_made__canary, "keystream loses the byte that marks "
    "unwritten buffers, and its other bytes are found")
{
	uint8_t buf[BYTES];

	output_check_clear(&oc);
	output_check_begin(&oc, 0);
	memcpy(buf, bytes(1), BYTES);
	buf[3] = OUTPUT_CHECK_CANARY;
	ATF_CHECK(output_check_made(&oc, 0, no_key, buf, BYTES));
	ATF_CHECK(memchr(buf, OUTPUT_CHECK_CANARY, BYTES) == NULL);
	check(NULL, 0, buf, BYTES, 0);
}

TEST(output_check_made__keys, "no key is handed out, neither before it is used "
    "nor after")
{
	uint8_t key[CIPHER_KEY_BYTES];

	output_check_clear(&oc);
	/* A key is made after the output; each is used once. */
	output_check_begin(&oc, 0);
	make(0, 1);
	memcpy(key, bytes(1) + BYTES - CIPHER_KEY_BYTES, sizeof(key));
	check(NULL, 0, bytes(1), BYTES - CIPHER_KEY_BYTES, 0);
	output_check_begin(&oc, 0);
	ATF_CHECK(output_check_made(&oc, 0, key, bytes(2), BYTES));
	check(NULL, 0, bytes(2), BYTES, 0);
	/* It is handed out after it was used. */
	check("there is a key in it", 0, key, sizeof(key), UINT64_MAX);
	/* Another is used after it was handed out. */
	output_check_clear(&oc);
	output_check_begin(&oc, 0);
	make(0, 3);
	check(NULL, 0, bytes(3), BYTES, 0);
	memcpy(key, bytes(3) + 1, sizeof(key));
	ATF_CHECK(!output_check_made(&oc, 0, key, bytes(4), BYTES));
}

TEST(output_check_made__full, "a run with more keystream than there is room "
    "for passes, but not an unwritten buffer")
{
	static uint8_t much[OUTPUT_CHECK_BYTES_MAX];
	uint8_t canary = OUTPUT_CHECK_CANARY;

	output_check_clear(&oc);
	output_check_begin(&oc, 0);
	ATF_CHECK(output_check_made(&oc, 0, no_key, much, sizeof(much)));
	check("what is no keystream", 0, bytes(1), BYTES, 0);
	make(0, 1);
	check(NULL, 0, bytes(2), BYTES, 0);
	check("not all of the buffer", 0, &canary, 1, 0);
	/* Or more pieces. */
	output_check_clear(&oc);
	output_check_begin(&oc, 0);
	for (unsigned i = 0; i < OUTPUT_CHECK_PIECES_MAX; i++)
		ATF_CHECK(output_check_made(&oc, 0, no_key, much, 1));
	check("what is no keystream", 0, bytes(99), BYTES, 0);
	make(0, 1);
	check(NULL, 0, bytes(99), BYTES, 0);
}

TEST_PROGRAM()
