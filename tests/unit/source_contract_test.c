/*
 * harvest/harvest.h, checked on every line of harvest/source.tbl.
 */
#include <errno.h>
#include <string.h>

#include "harvest/harvest.h"
#include "tests/unit/test.h"

/*
 * Makes the i-th source's state, for whatever configuration it takes; false
 * when it needs something this test has not got.
 */
static bool
make(const struct random_source *rs, void **state)
{
	struct harvest_config config = harvest_config_default();

	*state = NULL;
	if (!random_source_present(rs))
		return (false);
	if (rs->rs_init != NULL)
		*state = rs->rs_init(&config);
	return (true);
}

TEST(source__describes_itself, "listings and the comma list rely on it")
{
	const struct random_source *rs;

	for (unsigned i = 0; i < RANDOM_SOURCES; i++) {
		rs = random_sources[i];
		for (unsigned k = 0; k < i; k++)
			ATF_CHECK(strcmp(rs->rs_ident,
			    random_sources[k]->rs_ident) != 0);
		ATF_CHECK_EQ(strlen(rs->rs_ident), strspn(rs->rs_ident,
		    "abcdefghijklmnopqrstuvwxyz0123456789-"));
		ATF_CHECK(rs->rs_ident[0] != '\0' && rs->rs_descr[0] != '\0');
		ATF_CHECK((unsigned)rs->rs_source < ENTROPYSOURCE);
	}
}

TEST(source__does_one_thing, "the harvest thread reads a source, or a producer "
    "runs it; nothing is both")
{
	const struct random_source *rs;

	for (unsigned i = 0; i < RANDOM_SOURCES; i++) {
		rs = random_sources[i];
		ATF_CHECK_EQ_MSG(1, (rs->rs_read != NULL) +
		    (rs->rs_run != NULL), "%s", rs->rs_ident);
		ATF_CHECK_EQ_MSG(rs->rs_init != NULL, rs->rs_fini != NULL,
		    "%s", rs->rs_ident);
	}
}

TEST(source__stays_in_its_buffer, "the harvest thread passes 8 bytes of its "
    "stack")
{
	const struct random_source *rs;
	uint8_t buf[32];
	size_t got;
	void *state;

	for (unsigned i = 0; i < RANDOM_SOURCES; i++) {
		rs = random_sources[i];
		if (rs->rs_read == NULL || !make(rs, &state))
			continue;
		for (size_t len = 0; len <= 17; len++) {
			memset(buf, 0x5a, sizeof(buf));
			got = rs->rs_read(state, buf, len);
			ATF_CHECK_MSG(got <= len, "%s: %zu of %zu",
			    rs->rs_ident, got, len);
			for (size_t b = got; b < sizeof(buf); b++)
				ATF_CHECK_EQ_MSG(0x5a, buf[b],
				    "%s: byte %zu after %zu", rs->rs_ident, b,
				    got);
		}
		if (rs->rs_fini != NULL)
			rs->rs_fini(state);
	}
}

TEST(source__null_delivers_nothing, "it measures the loop around it")
{
	const struct random_source *rs = random_sources[SOURCE_none];
	uint8_t buf[8];

	ATF_CHECK(random_source_present(rs));
	ATF_CHECK_EQ(0, rs->rs_read(NULL, buf, sizeof(buf)));
}

static void
check_instruction(unsigned i, enum random_entropy_source source)
{
	const struct random_source *rs = random_sources[i];
	uint8_t first[32], second[32];
	size_t got;

	ATF_CHECK_EQ(source, rs->rs_source);
	if (!random_source_present(rs))
		atf_tc_skip("this CPU has no %s instruction", rs->rs_ident);
	got = rs->rs_read(NULL, first, sizeof(first));
	ATF_CHECK_EQ_MSG(0, got % 8, "words are whole: %zu", got);
	if (got < sizeof(first) ||
	    rs->rs_read(NULL, second, sizeof(second)) < sizeof(second))
		atf_tc_skip("%s is exhausted", rs->rs_ident);
	ATF_CHECK(memcmp(first, second, sizeof(first)) != 0);
	ATF_CHECK(memcmp(first, first + 8, 8) != 0);
}

TEST(source__rdrand, "words are fresh each time")
{
	check_instruction(SOURCE_rdrand, RANDOM_PURE_RDRAND);
}

TEST(source__rdseed, "words are fresh each time")
{
	check_instruction(SOURCE_rdseed, RANDOM_PURE_RDSEED);
}

static unsigned step_calls;
static unsigned step_every;	/* succeeds at each such call */

static bool
step(uint64_t *word)
{
	*word = UINT64_C(0x0807060504030201);
	return (++step_calls % step_every == 0);
}

TEST(source__word_retries, "an instruction may fail nine times in a row, not "
    "ten")
{
	static const uint8_t expected[12] = { 1, 2, 3, 4, 5, 6, 7, 8,
	    1, 2, 3, 4 };
	uint8_t buf[12];

	step_every = 10;
	ATF_CHECK_EQ(12, random_source_words(step, buf, 12));
	ATF_CHECK_EQ(20, step_calls);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	ATF_CHECK_EQ(0, memcmp(expected, buf, sizeof(buf)));
#endif
	step_calls = 0;
	step_every = 11;
	ATF_CHECK_EQ_MSG(0, random_source_words(step, buf, 12),
	    "ten failures end the call");
	ATF_CHECK_EQ(10, step_calls);
	step_calls = 10;
	step_every = 11;
	ATF_CHECK_EQ_MSG(8, random_source_words(step, buf, 12),
	    "what there was before is kept");
}

TEST_PROGRAM()
