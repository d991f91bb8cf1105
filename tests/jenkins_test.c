/*
 * harvest/jenkins.c against the values lookup3.c publishes.
 */
#include <atf-c.h>
#include <string.h>

#include "harvest/jenkins.h"

ATF_TC(jenkins__published);
ATF_TC_HEAD(jenkins__published, tc)
{

	atf_tc_set_md_var(tc, "descr", "lookup3.c's own driver states these");
}
ATF_TC_BODY(jenkins__published, tc)
{
	static const char text[] = "Four score and seven years ago";
	static const struct {
		const char	*text;
		uint32_t	 init;
		uint32_t	 hash;
	} cases[] = {
		{ "", 0, 0xdeadbeef },
		{ "", 0xdeadbeef, 0xbd5b7dde },
		{ text, 0, 0x17770551 },
		{ text, 1, 0xcd628161 },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ATF_CHECK_EQ_MSG(cases[i].hash, jenkins_hash(cases[i].text,
		    strlen(cases[i].text), cases[i].init), "case %zu", i);
}

ATF_TC(jenkins__any_alignment);
ATF_TC_HEAD(jenkins__any_alignment, tc)
{

	atf_tc_set_md_var(tc, "descr", "events lie at any address, and bytes "
	    "around the message must not matter");
}
ATF_TC_BODY(jenkins__any_alignment, tc)
{
	uint8_t message[40], buf[64];
	size_t n, offset;
	uint32_t hash;

	for (n = 0; n < sizeof(message); n++)
		message[n] = (uint8_t)(n * 37 + 1);
	for (n = 0; n <= sizeof(message); n++) {
		hash = jenkins_hash(message, n, 7);
		for (offset = 0; offset < 8; offset++) {
			memset(buf, (int)(0xa0 + offset), sizeof(buf));
			memcpy(buf + offset, message, n);
			ATF_CHECK_EQ_MSG(hash, jenkins_hash(buf + offset, n, 7),
			    "%zu bytes at offset %zu", n, offset);
		}
	}
}

ATF_TC(jenkins__length_matters);
ATF_TC_HEAD(jenkins__length_matters, tc)
{

	atf_tc_set_md_var(tc, "descr", "trailing zeros are part of the "
	    "message");
}
ATF_TC_BODY(jenkins__length_matters, tc)
{
	static const uint8_t zeros[26];
	uint32_t hash[26];
	size_t i, n;

	for (n = 0; n < 26; n++) {
		hash[n] = jenkins_hash(zeros, n, 0);
		for (i = 0; i < n; i++)
			ATF_CHECK_MSG(hash[i] != hash[n], "%zu and %zu zeros",
			    i, n);
	}
}

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, jenkins__published);
	ATF_TP_ADD_TC(tp, jenkins__any_alignment);
	ATF_TP_ADD_TC(tp, jenkins__length_matters);
	return (atf_no_error());
}
