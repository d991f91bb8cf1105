/*
 * Output that two copies of a machine return, of bytes written out here.
 */
#include <string.h>

#include "bench/explore/output_check.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum { BYTES = 100 };

static struct clone cl;
static uint8_t first[BYTES], other[BYTES];

/* What is found of n bytes that the second machine returned. */
static void
check(const uint8_t *buf, size_t n, size_t again)
{
	const size_t got = clone_second(&cl, buf, n);

	ATF_CHECK_MSG(got == again, "%zu of %zu; want %zu", got, n, again);
}

/* The first machine returned first[]. */
static void
begin(void)
{
	for (unsigned i = 0; i < BYTES; i++) {
		first[i] = (uint8_t)splitmix_out(i + 1);
		other[i] = (uint8_t)splitmix_out(i + 1001);
	}
	memset(&cl, 0, sizeof(cl));
	clone_first(&cl, first, BYTES);
}

TEST(clone__counts_bytes, "All of a read, a part at any place, two parts, and "
    "nothing that is shorter than a window")
{
	begin();
	check(first, BYTES, BYTES);
	check(first + 13, 31, 31);
	check(first + 50, OUTPUT_CHECK_SURE, OUTPUT_CHECK_SURE);
	check(first + 50, OUTPUT_CHECK_SURE - 1, 0);
	check(other, BYTES, 0);
	memcpy(other + 3, first + 40, 9);
	memcpy(other + 60, first + 7, 20);
	check(other, BYTES, 29);
	/* At its end, and two parts that adjoin. */
	memcpy(other + BYTES - 10, first, 10);
	memcpy(other + 80, first + 60, 10);
	check(other, BYTES, 49);
	memset(&cl, 0, sizeof(cl));
	check(first, BYTES, 0);
}

TEST(clone__any_bytes, "Zeros are bytes as any other")
{
	static const uint8_t zeros[16];

	begin();
	check(zeros, sizeof(zeros), 0);
	clone_first(&cl, zeros, sizeof(zeros));
	check(zeros, sizeof(zeros), sizeof(zeros));
	check(first, BYTES, BYTES);
	clone_first(&cl, other, BYTES);
	check(other, BYTES, BYTES);
}

TEST(clone__too_much, "What is too much is not found; what came before is")
{
	static uint8_t part[CLONE_BYTES];

	begin();
	for (unsigned i = 0; i < sizeof(part); i++)
		part[i] = (uint8_t)splitmix_out(i + 100000);
	clone_first(&cl, part, sizeof(part));
	check(part + sizeof(part) - BYTES, BYTES, 0);
	check(first, BYTES, BYTES);
	ATF_CHECK(cl.clo_count == CLONE_BYTES);
}

TEST_PROGRAM()
