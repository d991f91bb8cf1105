/*
 * harvest/health.c alone: cut-offs against their formulas, what trips the tests
 * and what does not, and which states lead where.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harvest/health.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

/* A source's tests and what its next events say. */
struct feeder {
	struct health_test fd_test;
	struct harvest_event fd_event;
	uint64_t	fd_accepted;
	uint64_t	fd_random;
};

static void
feeder_init(struct feeder *fd, enum random_entropy_source source)
{
	memset(fd, 0, sizeof(*fd));
	health_init(&fd->fd_test, source, true, 0);
	fd->fd_event.he_source = (uint8_t)source;
	fd->fd_event.he_size = HARVEST_ENTROPY_BYTES;
	fd->fd_random = source;
}

/* One sample of that value. */
static bool
feed(struct feeder *fd, uint64_t value)
{
	bool accepted;

	memcpy(fd->fd_event.he_entropy, &value, sizeof(value));
	accepted = health_event(&fd->fd_test, &fd->fd_event);
	fd->fd_accepted += accepted;
	return (accepted);
}

/* Fixed numbers that look random: splitmix64. */
static uint64_t
draw(struct feeder *fd)
{
	uint64_t z = fd->fd_random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (z ^ z >> 31);
}

/* A start that passes, of values that no test looks for. */
static void
start(struct feeder *fd)
{
	unsigned i;

	for (i = 0; i < HEALTH_STARTUP_SAMPLES; i++)
		ATF_REQUIRE(!feed(fd, UINT64_C(1) << 32 | i));
	ATF_REQUIRE(feed(fd, UINT64_C(1) << 32 | i));
	ATF_REQUIRE_EQ(HEALTH_STEADY, fd->fd_test.ht_state);
	/* To the end of the window that has begun. */
	while (fd->fd_test.ht_apt_seq != 0)
		ATF_REQUIRE(feed(fd, UINT64_C(1) << 32 | ++i));
}

/* Both kinds of sources, by what is assumed of them. */
static const enum random_entropy_source kinds[] = { RANDOM_INTERRUPT,
    RANDOM_PURE_RDRAND };

TEST_CASE(health__cutoffs);
ATF_TC_HEAD(health__cutoffs, tc)
{
	atf_tc_set_md_var(tc, "descr", "For each min-entropy the cut-offs are "
	    "what SP 800-90B's formulas give in exact arithmetic");
	atf_tc_set_md_var(tc, "require.progs", "python3");
}
ATF_TC_BODY(health__cutoffs, tc)
{
	unsigned apt, bits, expected = 1, rct;
	char command[1024];
	FILE *model;

	snprintf(command, sizeof(command), "python3 -B '%s/tests/models/"
	    "health.py' cutoffs", atf_tc_has_config_var(tc, "source") ?
	    atf_tc_get_config_var(tc, "source") : "../..");
	model = popen(command, "r");
	ATF_REQUIRE(model != NULL);
	for (; fscanf(model, "%u %u %u", &bits, &rct, &apt) == 3; expected++) {
		ATF_REQUIRE_EQ(expected, bits);
		ATF_CHECK_EQ_MSG(rct, health_rct_limit(bits), "%u bits: %u, "
		    "not %u", bits, health_rct_limit(bits), rct);
		ATF_CHECK_EQ_MSG(apt, health_apt_cutoff(bits), "%u bits: %u, "
		    "not %u", bits, health_apt_cutoff(bits), apt);
	}
	ATF_CHECK_EQ(0, pclose(model));
	ATF_CHECK_EQ(HEALTH_ENTROPY_MAX + 1, expected);
}

TEST(health__start, "Nothing is accepted of a start; the sample after its 1024 "
    "is, and the source is steady")
{
	struct feeder fd;
	unsigned i;

	for (unsigned k = 0; k < nitems(kinds); k++) {
		feeder_init(&fd, kinds[k]);
		ATF_CHECK_EQ(HEALTH_INIT, fd.fd_test.ht_state);
		for (i = 0; i < 1024; i++) {
			ATF_REQUIRE(!feed(&fd, i));
			ATF_REQUIRE_EQ(HEALTH_STARTUP, fd.fd_test.ht_state);
		}
		ATF_CHECK_EQ(0, fd.fd_test.ht_passed);
		ATF_CHECK(feed(&fd, i));
		ATF_CHECK_EQ(HEALTH_STEADY, fd.fd_test.ht_state);
		ATF_CHECK_EQ(1, fd.fd_test.ht_passed);
		ATF_CHECK_EQ(1024, fd.fd_test.ht_discarded);
	}
}

TEST(health__disabled, "What is not to be tested, and sources of a few "
    "constants, is accepted whatever it says, restarted too")
{
	struct feeder fd;

	for (unsigned k = 0; k < ENTROPYSOURCE; k++) {
		feeder_init(&fd, (enum random_entropy_source)k);
		ATF_CHECK_EQ(k != RANDOM_CACHED && k != RANDOM_PURE_VMGENID,
		    fd.fd_test.ht_state == HEALTH_INIT);
		if (fd.fd_test.ht_state == HEALTH_INIT)
			health_init(&fd.fd_test,
			    (enum random_entropy_source)k, false, 0);
		health_restart(&fd.fd_test);
		for (unsigned i = 0; i < 2000; i++)
			ATF_REQUIRE(feed(&fd, 7));
		ATF_CHECK_EQ(HEALTH_DISABLED, fd.fd_test.ht_state);
		ATF_CHECK_EQ(0, fd.fd_test.ht_discarded);
	}
}

/* n samples of a value in a row, then another. */
static void
check_run(struct feeder *fd, uint64_t value, unsigned n, bool fails)
{
	for (unsigned i = 0; i < n; i++)
		ATF_CHECK_EQ_MSG(!fails || i < n - 1, feed(fd, value),
		    "sample %u of %u", i, n);
	ATF_CHECK_EQ_MSG(!fails, feed(fd, ~value), "after %u", n);
	ATF_CHECK_EQ_MSG(fails, fd->fd_test.ht_repetitions == 1, "%u", n);
	ATF_CHECK_EQ(0, fd->fd_test.ht_proportions);
}

TEST(health__stuck, "34 equal samples of 1 bit or 5 of 8 pass as often as they "
    "come, one more fails, at a start or later")
{
	static const unsigned limits[nitems(kinds)] = { 35, 6 };
	struct feeder fd;
	unsigned i;

	for (unsigned k = 0; k < nitems(kinds); k++) {
		feeder_init(&fd, kinds[k]);
		start(&fd);
		for (i = 0; i < 3; i++)
			check_run(&fd, i, limits[k] - 1, false);
		check_run(&fd, i, limits[k], true);
		ATF_CHECK_EQ(HEALTH_FAILED, fd.fd_test.ht_state);

		feeder_init(&fd, kinds[k]);
		for (i = 0; i < limits[k] - 1; i++) {
			feed(&fd, 0);
			ATF_REQUIRE_EQ(HEALTH_STARTUP, fd.fd_test.ht_state);
		}
		feed(&fd, 0);
		ATF_CHECK_EQ(HEALTH_FAILED, fd.fd_test.ht_state);
		ATF_CHECK_EQ(0, fd.fd_test.ht_passed);
	}
}

/* A window with that many equal to its first, never too many in a row. */
static void
feed_window(struct feeder *fd, unsigned equal, unsigned row)
{
	unsigned same = 0, in_row = 0;

	ATF_REQUIRE_EQ(0, fd->fd_test.ht_apt_seq);
	for (unsigned i = 0; i < HEALTH_APT_WINDOW; i++) {
		if (same < equal && in_row < row) {
			same++;
			in_row++;
			feed(fd, 9);
		} else {
			in_row = 0;
			feed(fd, 1000 + i);
		}
	}
	ATF_REQUIRE_EQ(equal, same);
}

TEST(health__frequent, "328 of 512 samples of 1 bit like the first or 16 of 8 "
    "bits pass, one more fails; each window counts anew")
{
	static const unsigned cutoffs[nitems(kinds)] = { 329, 17 };
	static const unsigned rows[nitems(kinds)] = { 34, 5 };
	struct feeder fd;
	uint64_t accepted;

	for (unsigned k = 0; k < nitems(kinds); k++) {
		feeder_init(&fd, kinds[k]);
		start(&fd);
		for (unsigned i = 0; i < 3; i++) {
			accepted = fd.fd_accepted;
			feed_window(&fd, cutoffs[k] - 1, rows[k]);
			ATF_CHECK_EQ(HEALTH_STEADY, fd.fd_test.ht_state);
			ATF_CHECK_EQ(HEALTH_APT_WINDOW, fd.fd_accepted -
			    accepted);
		}
		feed_window(&fd, cutoffs[k], rows[k]);
		ATF_CHECK_EQ(HEALTH_FAILED, fd.fd_test.ht_state);
		ATF_CHECK_EQ(1, fd.fd_test.ht_proportions);
		ATF_CHECK_EQ(0, fd.fd_test.ht_repetitions);
	}
}

TEST(health__biased, "A coin that falls one way two times of three is no bit "
    "of entropy: it fails by proportion")
{
	struct feeder fd;
	unsigned i;

	feeder_init(&fd, RANDOM_INTERRUPT);
	for (i = 0; i < 10 * HEALTH_APT_WINDOW &&
	    fd.fd_test.ht_state != HEALTH_FAILED; i++)
		feed(&fd, draw(&fd) % 3 < 2);
	ATF_CHECK_EQ_MSG(HEALTH_FAILED, fd.fd_test.ht_state, "after %u", i);
	ATF_CHECK_EQ(1, fd.fd_test.ht_proportions);
}

/*
 * The numbers are fixed.  Of truly random ones a million samples fail with a
 * probability below 2^-60: 2^-80 for each to end 6 equal of 16 bits, less for
 * the rest.
 */
TEST(health__healthy, "A million samples with twice the bits that are assumed "
    "and more never fail, and all after the start are accepted")
{
	static const unsigned bits[nitems(kinds)] = { 8, 16 };
	struct feeder fd;

	for (unsigned k = 0; k < nitems(kinds); k++) {
		feeder_init(&fd, kinds[k]);
		for (unsigned i = 0; i < 1000 * 1000; i++)
			feed(&fd, draw(&fd) >> (64 - bits[k]));
		ATF_CHECK_EQ(HEALTH_STEADY, fd.fd_test.ht_state);
		ATF_CHECK_EQ(1000 * 1000 - 1024, fd.fd_accepted);
	}
}

TEST(health__sample, "The counter is part of a sample, but of a pure source; "
    "what lies behind an event's bytes never is")
{
	struct feeder fd;

	for (unsigned k = 0; k < nitems(kinds); k++) {
		feeder_init(&fd, kinds[k]);
		for (unsigned i = 0; i < 2000; i++) {
			fd.fd_event.he_somecounter = i;
			feed(&fd, 5);
		}
		ATF_CHECK_EQ(kinds[k] == RANDOM_INTERRUPT ? HEALTH_STEADY :
		    HEALTH_FAILED, fd.fd_test.ht_state);

		feeder_init(&fd, kinds[k]);
		fd.fd_event.he_size = 2;
		for (unsigned i = 0; i < 40; i++)
			feed(&fd, (uint64_t)i << 16 | 0x1234);
		ATF_CHECK_EQ(HEALTH_FAILED, fd.fd_test.ht_state);
	}
}

TEST(health__failed_for_good, "No further data makes a failed source good; "
    "starting anew does, from any state")
{
	struct feeder fd;

	for (unsigned k = 0; k < nitems(kinds); k++) {
		feeder_init(&fd, kinds[k]);
		for (unsigned i = 0; i < 40; i++)
			feed(&fd, 0);
		for (unsigned i = 0; i < 1000 * 1000; i++)
			feed(&fd, draw(&fd));
		ATF_CHECK_EQ(HEALTH_FAILED, fd.fd_test.ht_state);
		ATF_CHECK_EQ(0, fd.fd_accepted);
		ATF_CHECK_EQ(1000 * 1000 + 40, fd.fd_test.ht_discarded);

		health_restart(&fd.fd_test);
		ATF_CHECK_EQ(HEALTH_INIT, fd.fd_test.ht_state);
		start(&fd);
		ATF_CHECK_EQ(1, fd.fd_test.ht_repetitions);

		/* A good one pays with another start; half a start is lost. */
		health_restart(&fd.fd_test);
		for (unsigned i = 0; i < 500; i++)
			ATF_CHECK(!feed(&fd, draw(&fd)));
		health_restart(&fd.fd_test);
		start(&fd);
		ATF_CHECK_EQ(2, fd.fd_test.ht_passed);
	}
}

TEST_PROGRAM()
