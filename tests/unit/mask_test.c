/*
 * harvest/mask.c against the values of FreeBSD 15's kern.random.harvest.
 */
#include <errno.h>
#include <string.h>

#include "harvest/mask.h"
#include "tests/unit/test.h"

static const uint32_t rdrand = MASK_BIT(RANDOM_PURE_RDRAND);
static const uint32_t rdseed = MASK_BIT(RANDOM_PURE_RDSEED);

TEST(mask__default, "what sysctl(8) shows after boot")
{
	ATF_CHECK_EQ(7135, mask_default(0, 0));
	ATF_CHECK_EQ(0x1bdf, mask_default(0, 0));
	ATF_CHECK_EQ(23519, mask_default(rdrand, 0));
	ATF_CHECK_EQ(39903, mask_default(rdseed, 0));
	ATF_CHECK_EQ(0x1fff, mask_default(0, MASK_COSTLY));
}

TEST(mask__write, "immutable bits keep their value, bits of no source are "
    "refused")
{
	static const struct {
		uint32_t	old;
		uint32_t	value;
		int		error;
		uint32_t	mask;
	} cases[] = {
		{ 39903, 0, 0, 32768 },
		{ 39903, 7135, 0, 39903 },
		{ 39903, 511, 0, 32768 | (511 & ~32) },
		{ 7135, MASK_ALL, 0, 7135 },
		{ 0x1fff, 0, 0, 0x420 },
		{ 0, 0x1fff, 0, 7135 },
		{ 39903, MASK_BIT(ENTROPYSOURCE), EINVAL, 39903 },
		{ 39903, UINT32_MAX, EINVAL, 39903 },
	};
	uint32_t mask;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		mask = cases[i].old;
		ATF_CHECK_EQ_MSG(cases[i].error, mask_write(&mask,
		    cases[i].value), "case %zu", i);
		ATF_CHECK_EQ_MSG(cases[i].mask, mask, "case %zu: %u", i, mask);
	}
}

TEST(mask__names, "a record names sources: each name must lead back to its "
    "number")
{
	uint8_t number;

	for (unsigned i = 0; i < ENTROPYSOURCE; i++) {
		ATF_REQUIRE(random_source_names[i] != NULL);
		ATF_CHECK_EQ(0, random_source_number(random_source_names[i],
		    &number));
		ATF_CHECK_EQ(i, number);
		ATF_CHECK_EQ(i >= RANDOM_PURE_START,
		    strncmp(random_source_names[i], "PURE_", 5) == 0);
	}
	ATF_CHECK_EQ(ENOENT, random_source_number("cached", &number));
	ATF_CHECK_EQ(ENOENT, random_source_number("", &number));
}

TEST_PROGRAM()
