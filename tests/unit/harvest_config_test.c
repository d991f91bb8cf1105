/*
 * harvest/config.c, and names of sources and lists of them.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "harvest/harvest.h"
#include "tests/unit/test.h"

static const struct {
	const char	*name;
	const char	*value;		/* the default */
	const char	*good;
	const char	*bad;
} tunables[] = {
	{ "rngsim.harvest.model", "newest", "2019", "2020" },
	{ "rngsim.harvest.rate_hz", "0", "1000", "1001" },
	{ "rngsim.harvest.sources", "rdrand,interrupt", "none", NULL },
	{ "rngsim.harvest.boot_entropy_bytes", "2048", "0", "1048577" },
	{ "rngsim.harvest.record", "", "file", NULL },
	{ "rngsim.source.interrupt.rate_hz", "1000", "1000000", "0" },
};

TEST(harvest_config__tunables, "names, defaults and ranges are what users' "
    "scripts depend on")
{
	struct harvest_config config = harvest_config_default();
	const struct tunable *tn;
	char buf[TUNABLE_STRING_SIZE];
	size_t i;

	for (i = 0; i < sizeof(tunables) / sizeof(tunables[0]); i++) {
		tn = tunable_find(harvest_tunables, tunables[i].name);
		ATF_REQUIRE_MSG(tn != NULL, "%s", tunables[i].name);
		tunable_format(tn, &config, buf, sizeof(buf));
		ATF_CHECK_STREQ(tunables[i].value, buf);
		ATF_CHECK_EQ(0, tunable_set_text(tn, &config,
		    tunables[i].good));
		tunable_format(tn, &config, buf, sizeof(buf));
		ATF_CHECK_STREQ(tunables[i].good, buf);
		if (tunables[i].bad != NULL)
			ATF_CHECK_EQ_MSG(EINVAL, tunable_set_text(tn, &config,
			    tunables[i].bad), "%s", tunables[i].name);
	}
	ATF_CHECK_EQ(NULL, harvest_tunables[i].tn_name);
}

TEST(source_list__parse, "order is kept; what the machine lacks is skipped and "
    "said")
{
	static const enum random_source_index asked[] = { SOURCE_interrupt,
	    SOURCE_rdseed, SOURCE_rdrand };
	const struct random_source *rs;
	struct random_source_list sl;
	char error[HARVEST_ERROR_SIZE];
	unsigned skipped = 0, used = 0;

	ATF_REQUIRE_EQ(0, random_source_list_parse(&sl,
	    "interrupt,rdseed,rdrand", error));
	ATF_CHECK_EQ(3, sl.rsl_count + sl.rsl_skipped_count);
	for (unsigned i = 0; i < 3; i++) {
		rs = random_sources[asked[i]];
		if (random_source_present(rs))
			ATF_CHECK_EQ(rs, sl.rsl_source[used++]);
		else
			ATF_CHECK_EQ(rs, sl.rsl_skipped[skipped++]);
	}
}

TEST(source_list__refuses, "the message names the value and what would be "
    "accepted")
{
	static const struct {
		const char	*list;
		const char	*says;
	} cases[] = {
		{ "", "unknown source \"\"" },
		{ "none,", "unknown source \"\"" },
		{ "none,,interrupt", "unknown source \"\"" },
		{ "none, interrupt", "unknown source \" interrupt\"" },
		{ "rdrandom", "unknown source \"rdrandom\"" },
		{ "none,interrupt,none", "repeated source \"none\"" },
		{ "rdrand,rdrand", "repeated source \"rdrand\"" },
		{ "rdseed,rdseed", "repeated source \"rdseed\"" },
	};
	struct random_source_list sl;
	char error[HARVEST_ERROR_SIZE];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ATF_CHECK_EQ_MSG(EINVAL, random_source_list_parse(&sl,
		    cases[i].list, error), "\"%s\"", cases[i].list);
		ATF_CHECK_MSG(strncmp(error, cases[i].says,
		    strlen(cases[i].says)) == 0, "%s", error);
		ATF_CHECK_MSG(strstr(error, "accepted: none, rdrand, "
		    "rdseed, interrupt") != NULL, "%s", error);
	}
}

TEST(source_list__longest, "the longest text a tunable holds is an unknown "
    "name, not an overflow")
{
	char list[TUNABLE_STRING_SIZE];
	struct random_source_list sl;
	char error[HARVEST_ERROR_SIZE];

	memset(list, 'x', sizeof(list) - 1);
	list[sizeof(list) - 1] = '\0';
	ATF_CHECK_EQ(EINVAL, random_source_list_parse(&sl, list, error));
	ATF_CHECK(strstr(error, "interrupt") != NULL);
}

TEST_PROGRAM()
