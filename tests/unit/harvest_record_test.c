/*
 * harvest/record.c: what it writes, and how it says that it cannot.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "harvest/harvest.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

static struct random_event
numbered(unsigned i)
{
	struct random_event event = { 0 };

	event.he_somecounter = i * UINT32_C(2654435761);
	event.he_size = (uint8_t)(1 + i % HARVEST_ENTROPY_BYTES);
	event.he_destination = (uint8_t)i;
	event.he_source = (uint8_t)(i % ENTROPYSOURCE);
	for (unsigned b = 0; b < event.he_size; b++)
		event.he_entropy[b] = (uint8_t)(i * 31 + b);
	return (event);
}

/* Adds the first n events. */
static void
add_numbered(struct record *r, unsigned n)
{
	struct random_event event;

	for (unsigned i = 0; i < n; i++) {
		event = numbered(i);
		record_add(r, &event);
	}
}

/* Whether the next line of a file is of the i-th event. */
static bool
has_numbered(FILE *f, unsigned i)
{
	const struct random_event event = numbered(i);
	char hex[2 * HARVEST_ENTROPY_BYTES + 1], source[64];
	unsigned counter, destination, byte;

	if (fscanf(f, "event %u %u %16s %63s\n", &destination, &counter, hex,
	    source) != 4 || destination != event.he_destination ||
	    counter != event.he_somecounter ||
	    strlen(hex) != 2u * event.he_size ||
	    strcmp(source, random_source_names[event.he_source]) != 0)
		return (false);
	for (unsigned b = 0; b < event.he_size; b++)
		if (sscanf(hex + (size_t)2 * b, "%2x", &byte) != 1 ||
		    byte != event.he_entropy[b])
			return (false);
	return (true);
}

TEST(record__written, "every source and size, for its owner alone; a full one "
    "keeps the first events, and the loss is reported and stands in the file")
{
	enum { N = 1000, LOST = 2 };
	char error[HARVEST_ERROR_SIZE];
	struct record r;
	struct stat st;
	char line[80];
	FILE *f;

	/* Nothing stays of a file that there is, and of what r was. */
	atf_utils_create_file("r", "%099999d", 0);
	ATF_REQUIRE_EQ(0, chmod("r", 0600));
	memset(&r, 0xa5, sizeof(r));
	ATF_REQUIRE_EQ(0, record_create(&r, "r", N, error));
	add_numbered(&r, N + LOST);
	ATF_CHECK_EQ(LOST, r.rc_lost);
	ATF_CHECK_EQ(EOVERFLOW, record_finish(&r));
	ATF_CHECK_EQ(0, record_finish(&r));
	record_fini(&r);
	ATF_CHECK(support_all((const uint8_t *)&r, sizeof(r), 0));
	ATF_REQUIRE_EQ(0, stat("r", &st));
	ATF_CHECK_EQ_MSG(0, st.st_mode & 077, "entropy is its owner's");
	ATF_REQUIRE((f = fopen("r", "r")) != NULL);
	ATF_REQUIRE(fgets(line, sizeof(line), f) != NULL && line[0] == '#');
	for (unsigned i = 0; i < N; i++)
		ATF_REQUIRE_MSG(has_numbered(f, i), "event %u", i);
	ATF_REQUIRE(fgets(line, sizeof(line), f) != NULL);
	ATF_CHECK_STREQ("# 2 more were not recorded\n", line);
	ATF_CHECK(fgets(line, sizeof(line), f) == NULL);
	fclose(f);
	/* Nothing is said of a loss that was none. */
	ATF_REQUIRE_EQ(0, record_create(&r, "r", 1, error));
	add_numbered(&r, 1);
	ATF_CHECK_EQ(0, record_finish(&r));
	record_fini(&r);
	ATF_CHECK(atf_utils_compare_file("r", "# event destination counter "
	    "bytes source\nevent 0 0 00 CACHED\n"));
}

TEST(record__touched, "no event is the first one on its page of memory")
{
	enum { N = 1 << 18 };
	struct rusage before, after;
	char error[HARVEST_ERROR_SIZE];
	struct record r;

	ATF_REQUIRE_EQ(0, record_create(&r, "r", N, error));
	getrusage(RUSAGE_SELF, &before);
	add_numbered(&r, N);
	getrusage(RUSAGE_SELF, &after);
	ATF_CHECK_MSG(after.ru_minflt - before.ru_minflt < N / 2048,
	    "%ld page faults", after.ru_minflt - before.ru_minflt);
	record_fini(&r);
}

TEST(record__create_fails, "said before the run, not after it")
{
	char error[HARVEST_ERROR_SIZE];
	struct record r;

	ATF_CHECK_EQ(ENOENT, record_create(&r, "no/such/folder", 1, error));
	ATF_CHECK(strncmp("no/such/folder: ", error, 16) == 0);
}

TEST(record__write_fails, "a full disk is an error, not a short record")
{
	char error[HARVEST_ERROR_SIZE];
	struct record r;

	if (record_create(&r, "/dev/full", 1000, error) != 0)
		atf_tc_skip("no /dev/full here");
	add_numbered(&r, 1000);
	ATF_CHECK(record_finish(&r) != 0);
	record_fini(&r);
	/* So few that closing the file is what writes them. */
	ATF_REQUIRE_EQ(0, record_create(&r, "/dev/full", 1, error));
	add_numbered(&r, 1);
	ATF_CHECK_EQ(ENOSPC, record_finish(&r));
	record_fini(&r);
}

TEST_PROGRAM()
