/*
 * harvest/jenkins.c against the values lookup3.c publishes.
 */
#include <string.h>

#include "harvest/jenkins.h"
#include "tests/unit/test.h"

TEST(jenkins__published, "lookup3.c's own driver states these")
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

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ATF_CHECK_EQ_MSG(cases[i].hash, jenkins_hash(cases[i].text,
		    strlen(cases[i].text), cases[i].init), "case %zu", i);
}

TEST(jenkins__any_alignment, "events lie at any address, and bytes around the "
    "message must not matter")
{
	uint8_t message[40], buf[64];
	uint32_t hash;

	for (size_t n = 0; n < sizeof(message); n++)
		message[n] = (uint8_t)(n * 37 + 1);
	for (size_t n = 0; n <= sizeof(message); n++) {
		hash = jenkins_hash(message, n, 7);
		for (size_t offset = 0; offset < 8; offset++) {
			memset(buf, (int)(0xa0 + offset), sizeof(buf));
			memcpy(buf + offset, message, n);
			ATF_CHECK_EQ_MSG(hash, jenkins_hash(buf + offset, n, 7),
			    "%zu bytes at offset %zu", n, offset);
		}
	}
}

TEST(jenkins__length_matters, "trailing zeros are part of the message")
{
	static const uint8_t zeros[26];
	uint32_t hash[26];

	for (size_t n = 0; n < 26; n++) {
		hash[n] = jenkins_hash(zeros, n, 0);
		for (size_t i = 0; i < n; i++)
			ATF_CHECK_MSG(hash[i] != hash[n], "%zu and %zu zeros",
			    i, n);
	}
}

TEST_PROGRAM()
