/*
 * harvest/mask.c against the values of FreeBSD 15's kern.random.harvest.
 */
#include <atf-c.h>
#include <errno.h>
#include <string.h>

#include "harvest/mask.h"

static const uint32_t rdrand = MASK_BIT(RANDOM_PURE_RDRAND);
static const uint32_t rdseed = MASK_BIT(RANDOM_PURE_RDSEED);

ATF_TC(mask__default);
ATF_TC_HEAD(mask__default, tc)
{

	atf_tc_set_md_var(tc, "descr", "what sysctl(8) shows after boot");
}
ATF_TC_BODY(mask__default, tc)
{

	ATF_CHECK_EQ(7135, mask_default(0, 0));
	ATF_CHECK_EQ(0x1bdf, mask_default(0, 0));
	ATF_CHECK_EQ(23519, mask_default(rdrand, 0));
	ATF_CHECK_EQ(39903, mask_default(rdseed, 0));
	ATF_CHECK_EQ(0x1fff, mask_default(0, MASK_COSTLY));
}

ATF_TC(mask__write);
ATF_TC_HEAD(mask__write, tc)
{

	atf_tc_set_md_var(tc, "descr", "immutable bits keep their value, bits "
	    "of no source are refused");
}
ATF_TC_BODY(mask__write, tc)
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
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		mask = cases[i].old;
		ATF_CHECK_EQ_MSG(cases[i].error, mask_write(&mask,
		    cases[i].value), "case %zu", i);
		ATF_CHECK_EQ_MSG(cases[i].mask, mask, "case %zu: %u", i, mask);
	}
}

ATF_TC(mask__bin);
ATF_TC_HEAD(mask__bin, tc)
{

	atf_tc_set_md_var(tc, "descr", "one digit per source, highest first");
}
ATF_TC_BODY(mask__bin, tc)
{
	char buf[MASK_BIN_SIZE];

	mask_bin(mask_default(rdseed, 0), buf);
	ATF_CHECK_STREQ("00000000000001001101111011111", buf);
	mask_bin(0, buf);
	ATF_CHECK_STREQ("00000000000000000000000000000", buf);
	mask_bin(MASK_ALL, buf);
	ATF_CHECK_STREQ("11111111111111111111111111111", buf);
	ATF_CHECK_EQ(ENTROPYSOURCE, strlen(buf));
}

ATF_TC(mask__symbolic);
ATF_TC_HEAD(mask__symbolic, tc)
{

	atf_tc_set_md_var(tc, "descr", "brackets mean disabled; a pure source "
	    "that is not there is not listed");
}
ATF_TC_BODY(mask__symbolic, tc)
{
	char buf[MASK_SYMBOLIC_SIZE];

	mask_symbolic(mask_default(rdseed, 0), buf);
	ATF_CHECK_STREQ("PURE_RDSEED,RANDOMDEV,CALLOUT,[UMA],FS_ATIME,SWI,"
	    "INTERRUPT,NET_NG,[NET_ETHER],NET_TUN,MOUSE,KEYBOARD,ATTACH,CACHED",
	    buf);
	mask_symbolic(0, buf);
	ATF_CHECK_STREQ("[RANDOMDEV],[CALLOUT],[UMA],[FS_ATIME],[SWI],"
	    "[INTERRUPT],[NET_NG],[NET_ETHER],[NET_TUN],[MOUSE],[KEYBOARD],"
	    "[ATTACH],[CACHED]", buf);
	mask_symbolic(MASK_ALL, buf);
	ATF_CHECK_EQ(0, strncmp(buf, "PURE_HIFN,PURE_GLXSB,", 21));
	ATF_CHECK(strlen(buf) < MASK_SYMBOLIC_SIZE);
}

ATF_TC(mask__names);
ATF_TC_HEAD(mask__names, tc)
{

	atf_tc_set_md_var(tc, "descr", "a record names sources: each name must "
	    "lead back to its number");
}
ATF_TC_BODY(mask__names, tc)
{
	uint8_t number;
	unsigned i;

	for (i = 0; i < ENTROPYSOURCE; i++) {
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

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, mask__default);
	ATF_TP_ADD_TC(tp, mask__write);
	ATF_TP_ADD_TC(tp, mask__bin);
	ATF_TP_ADD_TC(tp, mask__symbolic);
	ATF_TP_ADD_TC(tp, mask__names);
	return (atf_no_error());
}
