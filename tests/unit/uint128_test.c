/*
 * Counter arithmetic.
 *
 * The edge values of the first three cases are those of FreeBSD's
 * tests/sys/devrandom/uint128_test.c.
 */
#include <inttypes.h>

#include "lib/crypto/cipher.h"
#include "lib/crypto/uint128.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

struct number {
	uint64_t	hi;
	uint64_t	lo;
};

/* Each the successor of the one beside it. */
static const struct {
	struct number	before;
	struct number	after;
} increments[] = {
	{ { 0, 0 },			{ 0, 1 } },
	{ { 0, 1 },			{ 0, 2 } },
	{ { 0, 0xff },			{ 0, 0x100 } },
	{ { 0, UINT32_MAX },		{ 0, UINT64_C(1) << 32 } },
	{ { 0, UINT64_MAX },		{ 1, 0 } },
	{ { UINT32_MAX, UINT64_MAX },	{ UINT64_C(1) << 32, 0 } },
	/* Beyond FreeBSD's: around 2^63 and the wrap to zero. */
	{ { 0, INT64_MAX },		{ 0, UINT64_C(1) << 63 } },
	{ { INT64_MAX, UINT64_MAX },	{ UINT64_C(1) << 63, 0 } },
	{ { UINT64_MAX, UINT64_MAX },	{ 0, 0 } },
};

static uint128_t
number(const struct number *n)
{
	return (uint128_make(n->hi, n->lo));
}

static void
check_number(uint128_t x, const struct number *want, const char *what,
    size_t i)
{
	ATF_CHECK_MSG(uint128_hi(x) == want->hi && uint128_lo(x) == want->lo,
	    "%s %zu: %#" PRIx64 ":%016" PRIx64 ", not %#" PRIx64
	    ":%016" PRIx64, what, i, uint128_hi(x), uint128_lo(x), want->hi,
	    want->lo);
}

TEST(uint128_inc, "Increment carries through all 128 bits, FreeBSD's edge "
    "values")
{
	for (size_t i = 0; i < nitems(increments); i++) {
		uint128_t x = number(&increments[i].before);

		uint128_increment(&x);
		check_number(x, &increments[i].after, "row", i);
		ATF_CHECK_MSG(uint128_equals(x, number(&increments[i].after)),
		    "row %zu: not equal", i);
	}
}

static const struct {
	struct number	before;
	uint64_t	add;
	struct number	after;
} additions[] = {
	{ { 0, 0 }, 1, { 0, 1 } },
	{ { 0, 1 }, UINT32_MAX, { 0, UINT64_C(1) << 32 } },
	{ { 0, 1 }, UINT64_MAX, { 1, 0 } },
	{ { 0, UINT64_C(0x1111111111111111) }, UINT64_C(0xf0123456789abcde),
	    { 1, UINT64_C(0x0123456789abcdef) } },
	{ { UINT32_MAX, 1 }, UINT64_MAX, { UINT64_C(1) << 32, 0 } },
	/* Beyond FreeBSD's: nothing, no carry at the brim, the wrap. */
	{ { 7, 9 }, 0, { 7, 9 } },
	{ { 5, 1 }, UINT64_MAX - 1, { 5, UINT64_MAX } },
	{ { 5, UINT64_MAX }, UINT64_MAX, { 6, UINT64_MAX - 1 } },
};

TEST(uint128_add64, "Adding 64 bits carries into the high half, FreeBSD's "
    "edge values")
{
	for (size_t i = 0; i < nitems(additions); i++) {
		uint128_t x = number(&additions[i].before);

		uint128_add64(&x, additions[i].add);
		check_number(x, &additions[i].after, "row", i);
	}
}

TEST(uint128_add64__wraps, "Arithmetic is modulo 2^128: a carry out of the "
    "high half is lost")
{
	static const struct number zero = { 0, 0 }, top = { 0, UINT64_MAX - 1 };
	static const struct number last = { UINT64_MAX, UINT64_MAX };
	static const struct number low = { 0, UINT64_MAX }, high = { 1, 0 };
	uint128_t x;

	x = uint128_make(UINT64_MAX, UINT64_MAX);
	uint128_add64(&x, 1);
	check_number(x, &zero, "adding", 0);
	x = uint128_make(UINT64_MAX, UINT64_MAX);
	uint128_add64(&x, UINT64_MAX);
	check_number(x, &top, "adding", 1);
	x = uint128_make(UINT64_MAX, 1);
	uint128_add64(&x, UINT64_MAX);
	check_number(x, &zero, "adding", 2);
	check_number(uint128_before(x), &last, "before", 0);
	check_number(uint128_before(uint128_make(1, 0)), &low, "before", 1);
	check_number(uint128_before(uint128_make(1, 1)), &high, "before", 2);
}

TEST(uint128_chacha_ctr, "Drawing one ChaCha20 block moves the counter as "
    "increment does")
{
	static const uint8_t zero_key[CIPHER_KEY_BYTES];
	uint8_t block[CIPHER_BLOCK_MAX_BYTES];
	struct cipher_key ck;

	support_crypto();
	ATF_REQUIRE_EQ(0, cipher_key_init(&ck, cipher_find("chacha20")));
	cipher_key_set(&ck, zero_key);
	for (size_t i = 0; i < nitems(increments); i++) {
		uint128_t x = number(&increments[i].before);

		cipher_keystream(&ck, &x, block, sizeof(block));
		check_number(x, &increments[i].after, "row", i);
	}
	cipher_key_fini(&ck);
	crypto_fini();
}

TEST(uint128_equals__each_half, "Numbers that differ in either half are "
    "different")
{
	uint128_t x = uint128_make(2, 3);

	ATF_CHECK(uint128_equals(x, uint128_make(2, 3)));
	ATF_CHECK(!uint128_equals(x, uint128_make(3, 2)));
	for (unsigned bit = 0; bit < 64; bit++) {
		ATF_CHECK_MSG(!uint128_equals(x,
		    uint128_make(2, 3 ^ UINT64_C(1) << bit)), "bit %u", bit);
		ATF_CHECK_MSG(!uint128_equals(x,
		    uint128_make(2 ^ UINT64_C(1) << bit, 3)), "bit %u",
		    64 + bit);
	}
}

TEST(uint128_is_zero__any_bit, "Zero means unseeded, so no other number may "
    "pass for it")
{
	ATF_CHECK(uint128_is_zero(uint128_make(0, 0)));
	for (unsigned bit = 0; bit < 64; bit++) {
		ATF_CHECK_MSG(!uint128_is_zero(
		    uint128_make(0, UINT64_C(1) << bit)), "bit %u", bit);
		ATF_CHECK_MSG(!uint128_is_zero(
		    uint128_make(UINT64_C(1) << bit, 0)), "bit %u", 64 + bit);
	}
}

TEST(uint128_encode_le__round_trip, "Bytes go least significant first, to "
    "any alignment, and decode to the same number")
{
	uint8_t bytes[UINT128_BYTES + 8];
	uint64_t draws = 1;
	uint128_t x, y;
	unsigned offset;

	/* The order itself: byte i of this number is i. */
	uint128_encode_le(bytes, uint128_make(UINT64_C(0x0f0e0d0c0b0a0908),
	    UINT64_C(0x0706050403020100)));
	for (unsigned i = 0; i < UINT128_BYTES; i++)
		ATF_CHECK_EQ_MSG(i, bytes[i], "%u", bytes[i]);
	for (unsigned i = 0; i < 1000; i++) {
		offset = i % 7 + 1;
		x = uint128_make(support_draw(&draws), support_draw(&draws));
		memset(bytes, 0xa5, sizeof(bytes));
		uint128_encode_le(bytes + offset, x);
		ATF_REQUIRE_MSG(support_all(bytes, offset, 0xa5) &&
		    support_all(bytes + offset + UINT128_BYTES, 8 - offset,
		    0xa5), "bytes around the 16 were touched, offset %u",
		    offset);
		y = uint128_decode_le(bytes + offset);
		ATF_REQUIRE_MSG(uint128_equals(x, y), "draw %u, offset %u", i,
		    offset);
	}
}

TEST_PROGRAM()
