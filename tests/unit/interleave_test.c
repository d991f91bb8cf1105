/*
 * Streams made one, against the plainest way to say where each byte comes from.
 */
#include <errno.h>

#include "bench/survey/interleave.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum { READERS_MAX = 9, OUTPUT = 5000, PIECE = 64 };

/* Readers whose bytes are known, cut anyhow. */
struct synthetic {
	uint64_t	 sy_draws;
	uint64_t	 sy_given[READERS_MAX];
	uint64_t	 sy_end;	/* of each stream */
	int		 sy_error;	/* there */
	uint8_t		 sy_piece[READERS_MAX][PIECE];
};

static uint8_t
byte_of(unsigned reader, uint64_t i)
{

	return ((uint8_t)(reader * 101 + i * 7 + (i >> 8) * 13));
}

static int
fetch(void *context, unsigned reader, const uint8_t **bytes, size_t *n)
{
	struct synthetic *sy = context;
	size_t i;

	*n = 1 + support_draw(&sy->sy_draws) % PIECE;
	if (*n > sy->sy_end - sy->sy_given[reader])
		*n = (size_t)(sy->sy_end - sy->sy_given[reader]);
	for (i = 0; i < *n; i++)
		sy->sy_piece[reader][i] = byte_of(reader,
		    sy->sy_given[reader]++);
	*bytes = sy->sy_piece[reader];
	return (*n == 0 ? sy->sy_error : 0);
}

/* Byte at of the whole, by counting. */
static uint8_t
expected(unsigned readers, uint64_t grain, uint64_t at, unsigned *reader)
{
	uint64_t round = at / (grain * readers), in = at % (grain * readers);

	*reader = (unsigned)(in / grain);
	return (byte_of(*reader, round * grain + in % grain));
}

static void
check(unsigned readers, uint64_t grain)
{
	struct synthetic sy = { .sy_draws = readers * 1000 + grain,
	    .sy_end = UINT64_MAX };
	const uint8_t *bytes;
	struct interleave il;
	unsigned reader, want;
	uint64_t at = 0;
	size_t i, n;

	ATF_REQUIRE_EQ(0, interleave_init(&il, readers, grain, fetch, &sy));
	while (at < OUTPUT) {
		ATF_REQUIRE_EQ(0, interleave_next(&il, OUTPUT - at, &reader,
		    &bytes, &n));
		ATF_REQUIRE(n > 0 && n <= OUTPUT - at);
		for (i = 0; i < n; i++, at++) {
			uint8_t b = expected(readers, grain, at, &want);

			ATF_REQUIRE_EQ_MSG(b, bytes[i], "%u readers, grain "
			    "%ju, byte %ju", readers, (uintmax_t)grain,
			    (uintmax_t)at);
			ATF_REQUIRE_EQ_MSG(want, reader, "%u readers, grain "
			    "%ju, byte %ju is said to be of reader %u", readers,
			    (uintmax_t)grain, (uintmax_t)at, reader);
		}
	}
	interleave_fini(&il);
}

TEST(interleave_next__turns, "turns")
{
	static const uint64_t grains[] = { 1, 2, 7, 16, 63, 64, 65, 1000,
	    4096, 100000 };
	unsigned i, readers;

	for (readers = 1; readers <= READERS_MAX; readers++)
		for (i = 0; i < nitems(grains); i++)
			check(readers, grains[i]);
}

TEST(interleave_next__sole_reader, "sole reader")
{
	struct synthetic sy = { .sy_draws = 1, .sy_end = UINT64_MAX };
	const uint8_t *bytes;
	struct interleave il;
	unsigned i, reader;
	size_t longest = 0, n;

	/* Is not cut at the grain. */
	ATF_REQUIRE_EQ(0, interleave_init(&il, 1, 1, fetch, &sy));
	for (i = 0; i < 100; i++) {
		ATF_REQUIRE_EQ(0, interleave_next(&il, UINT64_MAX, &reader,
		    &bytes, &n));
		ATF_CHECK_EQ(0, reader);
		longest = n > longest ? n : longest;
	}
	ATF_CHECK(longest > PIECE / 2);
	interleave_fini(&il);
}

TEST(interleave_next__ends, "ends")
{
	struct synthetic sy = { .sy_draws = 1, .sy_end = 100 };
	const uint8_t *bytes;
	struct interleave il;
	unsigned reader, total = 0;
	size_t n;

	ATF_REQUIRE_EQ(0, interleave_init(&il, 3, 30, fetch, &sy));
	do {
		ATF_REQUIRE_EQ(0, interleave_next(&il, UINT64_MAX, &reader,
		    &bytes, &n));
		total += (unsigned)n;
	} while (n > 0);
	/* Three whole grains of each, and ten of the first, which ends. */
	ATF_CHECK_EQ(0, reader);
	ATF_CHECK_EQ_MSG(280, total, "%u bytes", total);
	sy.sy_error = EWOULDBLOCK;
	ATF_CHECK_EQ(EWOULDBLOCK, interleave_next(&il, UINT64_MAX, &reader,
	    &bytes, &n));
	interleave_fini(&il);
}

/* Shares by counting; of one reader's until it has given n. */
static void
check_share(unsigned readers, uint64_t grain, uint64_t n, int only)
{
	uint64_t given[READERS_MAX] = { 0 }, got, sum = 0, at;
	unsigned i, reader;

	for (at = 0; sum < n; at++) {
		(void)expected(readers, grain, at, &reader);
		given[reader]++;
		sum += only < 0 || reader == (unsigned)only;
	}
	for (i = 0; i < readers; i++) {
		/* Grains are skipped whole or not begun. */
		if (only >= 0 && i != (unsigned)only)
			given[i] = (given[i] + grain - 1) / grain * grain;
		got = interleave_share(readers, grain, n, only, i);
		ATF_CHECK_EQ_MSG(given[i], got, "reader %u of %u, grain %ju, "
		    "%ju bytes, only %d: %ju, not %ju", i, readers,
		    (uintmax_t)grain, (uintmax_t)n, only, (uintmax_t)got,
		    (uintmax_t)given[i]);
	}
}

TEST(interleave_share__adds_up, "adds up")
{
	static const uint64_t grains[] = { 1, 3, 16, 100 };
	unsigned i, readers;
	uint64_t n;
	int only;

	for (readers = 1; readers <= 5; readers++)
		for (i = 0; i < nitems(grains); i++)
			for (n = 1; n < 700; n += n < 40 ? 1 : 37)
				for (only = -1; only < (int)readers; only++)
					check_share(readers, grains[i], n,
					    only);
}

TEST(interleave_share__large, "large")
{
	const uint64_t most = UINT64_MAX - 1;

	ATF_CHECK_EQ(UINT64_MAX, interleave_share(4, 64, UINT64_MAX, -1, 3));
	ATF_CHECK_EQ(UINT64_MAX, interleave_share(4, 64, UINT64_MAX, 2, 0));
	ATF_CHECK_EQ(most, interleave_share(1, 64, most, -1, 0));
	ATF_CHECK_EQ(most, interleave_share(2, 64, most, 1, 1));
	/* The last grain of the others would end above what can be counted. */
	ATF_CHECK_EQ(UINT64_MAX, interleave_share(2, 64, most, 1, 0));
	ATF_CHECK_EQ(most / 2, interleave_share(2, 1, most, -1, 0));
	ATF_CHECK_EQ(most, interleave_share(1024, 1 << 30, most, 5, 5));
}

TEST_PROGRAM()
