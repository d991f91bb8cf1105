/*
 * The health tests of random_harvestq.c, SP 800-90B, section 4.4: what they
 * accept of events that a design is given, against cut-offs from the formulas
 * in tests/models/health.py.
 */
#include "harvest/harvest.h"
#include "tests/unit/device.h"
#include "tests/unit/patched.h"

enum {
	STARTUP		= 1024,		/* samples that are discarded */
	WINDOW		= 512,
	ENTROPY_MAX	= 64,		/* bits of a sample */
	MILLION		= 1000 * 1000
};

/* Both kinds of sources, by what is assumed of them: 1 bit, 8 bits. */
static const struct {
	enum random_entropy_source source;
	unsigned	rct, apt;	/* cut-offs */
} kinds[] = {
	{ RANDOM_INTERRUPT, 35, 329 },
	{ RANDOM_PURE_RDRAND, 6, 17 },
};

/* A device, and what a source's next event says. */
struct feeder {
	struct device	fd_dev;
	struct random_event fd_event;
	uint64_t	fd_accepted;
	uint64_t	fd_fed;
	uint64_t	fd_random;
};

/* With bits at most ENTROPY_MAX or 0, which is unknown. */
static void
make(struct feeder *fd, const struct design *de,
    enum random_entropy_source source, unsigned bits, bool enabled)
{
	const struct kern_setting set[] = {
		{ NIST_HEALTHTEST_ENABLED, enabled },
		{ "kern.random.bits", bits },
	};
	struct randomdev_params rp = device_params(de, ciphers[0]);

	*fd = (struct feeder){ .fd_random = source, .fd_event = {
	    .he_source = (uint8_t)source, .he_size = HARVEST_ENTROPY_BYTES } };
	rp.rp_kernel.kp_settings = set;
	rp.rp_kernel.kp_setting_count = nitems(set);
	device_make_params(&fd->fd_dev, &rp);
	if (source >= RANDOM_PURE_START)
		randomdev_register(fd->fd_dev.d_rd, "test", source,
		    device_read_nothing, NULL);
}

static void
make_kind(struct feeder *fd, unsigned k)
{
	make(fd, design_find("none"), kinds[k].source, 0, true);
}

static uint64_t
discarded(const struct feeder *fd)
{
	return (randomdev_health(fd->fd_dev.d_rd, fd->fd_event.he_source).
	    shl_discarded);
}

/* One sample of that value. */
static bool
feed(struct feeder *fd, uint64_t value)
{
	const uint64_t before = discarded(fd);
	bool accepted;

	memcpy(fd->fd_event.he_entropy, &value, sizeof(value));
	randomdev_deliver(fd->fd_dev.d_rd, &fd->fd_event);
	accepted = discarded(fd) == before;
	fd->fd_fed++;
	fd->fd_accepted += accepted;
	return (accepted);
}

/* A start that passes, of values that are in no test, to a window's end. */
static void
start(struct feeder *fd)
{
	unsigned i;

	for (i = 0; i < STARTUP; i++)
		ATF_REQUIRE(!feed(fd, UINT64_C(1) << 32 | i));
	while (i++ % WINDOW != 0 || i == STARTUP + 1)
		ATF_REQUIRE(feed(fd, UINT64_C(1) << 32 | i));
}

static void
restart(struct feeder *fd, enum random_entropy_source source)
{
	const struct kern_setting set = { NIST_HEALTHTEST_ONDEMAND,
	    INT64_C(1) << source };

	randomdev_set(fd->fd_dev.d_rd, &set);
}

/* Equal samples in a row until one is refused. */
static unsigned
row_until_refused(struct feeder *fd, uint64_t value)
{
	unsigned n = 1;

	while (feed(fd, value))
		ATF_REQUIRE(n++ < 1000);
	return (n);
}

/*
 * Samples of a new window like its first, never "row" of them one after the
 * other, until one is refused, or as many as "most".
 */
static unsigned
window_until_refused(struct feeder *fd, unsigned row, unsigned most)
{
	unsigned in_row = 0, same = 0;
	bool equal, refused = false;

	for (unsigned i = 0; i < WINDOW && !refused; i++) {
		equal = same < most && in_row < row - 1;
		in_row = equal ? in_row + 1 : 0;
		same += equal;
		refused = !feed(fd, equal ? 9 : 1000 + i);
		ATF_REQUIRE(equal || !refused);
	}
	ATF_CHECK_EQ(refused, !feed(fd, 8));
	/* The rest of the window. */
	for (unsigned i = 1; i < WINDOW && !refused; i++)
		feed(fd, 2000 + i);
	return (refused ? same : 0);
}

static const struct patch entropy[] = {
	PATCH("	if (min_entropy == 0)\n",
	    "	min_entropy = bits;\n	if (min_entropy == 0)\n"),
	PATCH("static bool nist_healthtest_enabled;\n",
	    "static u_int bits;\n"
	    "SYSCTL_UINT(_kern_random, OID_AUTO, bits, CTLFLAG_RDTUN, &bits, 0,"
	    " \"\");\n"
	    "static bool nist_healthtest_enabled;\n"),
};

TEST_CASE(cutoffs__formulas);
ATF_TC_HEAD(cutoffs__formulas, tc)
{
	atf_tc_set_md_var(tc, "descr", "For each min-entropy the cut-offs are "
	    "what SP 800-90B's formulas give in exact arithmetic");
	atf_tc_set_md_var(tc, "require.progs", "python3");
}
ATF_TC_BODY(cutoffs__formulas, tc)
{
	static struct mthread self;
	const struct design *de;
	struct source_health hl;
	unsigned apt, bits, expected = 1, rct;
	char command[1024], path[512];
	struct feeder fd;
	FILE *model;

	support_machine(&self);
	support_crypto();
	de = patched(tc, "harvest/random_harvestq.c", entropy, nitems(entropy));
	patched_path(tc, "tests/models/health.py", path, sizeof(path));
	snprintf(command, sizeof(command), "python3 -B '%s' cutoffs", path);
	model = popen(command, "r");
	ATF_REQUIRE(model != NULL);
	for (; fscanf(model, "%u %u %u", &bits, &rct, &apt) == 3; expected++) {
		ATF_REQUIRE_EQ(expected, bits);
		make(&fd, de, RANDOM_INTERRUPT, bits, true);
		start(&fd);
		/* Of a window that begins with another. */
		ATF_REQUIRE(feed(&fd, 1));
		ATF_CHECK_EQ_MSG(rct, row_until_refused(&fd, 7), "%u bits: "
		    "not %u", bits, rct);
		hl = randomdev_health(fd.fd_dev.d_rd, RANDOM_INTERRUPT);
		ATF_CHECK_MSG(hl.shl_repetitions == 1 &&
		    hl.shl_proportions == 0, "%u bits", bits);
		restart(&fd, RANDOM_INTERRUPT);
		start(&fd);
		/* A cut-off of 1 is met by the first repetition. */
		ATF_CHECK_EQ_MSG(apt > 1 ? apt : 2, window_until_refused(&fd,
		    rct, WINDOW), "%u bits: not %u", bits, apt);
		device_free(&fd.fd_dev);
	}
	ATF_CHECK_EQ(0, pclose(model));
	ATF_CHECK_EQ(ENTROPY_MAX + 1, expected);
	crypto_fini();
}

DEVICE_TEST(startup__is_discarded, "Nothing is accepted of a start; the sample "
    "after its 1024 is, all later ones, and that is counted once; equal "
    "samples "
    "end a start at once")
{
	struct source_health hl;
	struct feeder fd;

	for (unsigned k = 0; k < nitems(kinds); k++) {
		make_kind(&fd, k);
		ATF_REQUIRE(!feed(&fd, 0));
		ATF_CHECK(!randomdev_health(fd.fd_dev.d_rd, kinds[k].source).
		    shl_excluded);
		for (unsigned i = 1; i < 3 * STARTUP; i++)
			ATF_REQUIRE_EQ(i >= STARTUP, feed(&fd, i));
		hl = randomdev_health(fd.fd_dev.d_rd, kinds[k].source);
		ATF_CHECK_EQ(1, hl.shl_passed);
		ATF_CHECK_EQ(STARTUP, hl.shl_discarded);
		ATF_CHECK(!hl.shl_excluded);
		for (unsigned fails = 0; fails < 2; fails++) {
			restart(&fd, kinds[k].source);
			for (unsigned i = 1; i < kinds[k].rct + fails; i++)
				ATF_CHECK(!feed(&fd, 0));
			for (unsigned i = 1; i < 2 * STARTUP; i++)
				feed(&fd, i);
			ATF_CHECK_EQ(fails, !feed(&fd, 9));
		}
		device_free(&fd.fd_dev);
	}
}

DEVICE_TEST(disabled__accepts_all, "What is not to be tested, and sources of a "
    "few constants, is accepted whatever it says, restarted too")
{
	struct feeder fd;

	for (unsigned k = 0; k < 2 * ENTROPYSOURCE; k++) {
		const enum random_entropy_source source = k / 2;
		const bool tested = k % 2 != 0 && source != RANDOM_CACHED &&
		    source != RANDOM_PURE_VMGENID;

		make(&fd, design_find("none"), source, 0, k % 2 != 0);
		restart(&fd, source);
		for (unsigned i = 0; i < 2000; i++)
			ATF_REQUIRE_EQ_MSG(!tested, feed(&fd, 7), "source %u, "
			    "event %u", source, i);
		device_free(&fd.fd_dev);
	}
}

DEVICE_TEST(row__stuck, "34 equal samples of 1 bit or 5 of 8 pass as often as "
    "they come, one more fails, and no further data makes it good; starting "
    "anew does, and only the source that is named")
{
	struct random_event other = { .he_size = 8, .he_source = RANDOM_SWI };
	struct source_health hl;
	struct feeder fd;

	for (unsigned k = 0; k < nitems(kinds); k++) {
		make_kind(&fd, k);
		start(&fd);
		for (uint32_t i = 0; i < 2000; i++) {
			other.he_somecounter = i;
			randomdev_deliver(fd.fd_dev.d_rd, &other);
		}
		for (unsigned i = 0; i < 3 * (kinds[k].rct - 1); i++)
			ATF_REQUIRE(feed(&fd, i / (kinds[k].rct - 1)));
		ATF_CHECK_EQ(kinds[k].rct, row_until_refused(&fd, 77));
		for (unsigned i = 0; i < 10 * STARTUP; i++)
			ATF_REQUIRE(!feed(&fd, splitmix_next(&fd.fd_random)));
		hl = randomdev_health(fd.fd_dev.d_rd, kinds[k].source);
		ATF_CHECK(hl.shl_excluded);
		ATF_CHECK_EQ(1, hl.shl_repetitions);
		ATF_CHECK_EQ(0, hl.shl_proportions);
		restart(&fd, kinds[k].source);
		start(&fd);
		/* A good one pays with another start; half a start is lost. */
		for (unsigned i = 0; i < STARTUP / 2; i++) {
			restart(&fd, kinds[k].source);
			ATF_CHECK(!feed(&fd, splitmix_next(&fd.fd_random)));
		}
		restart(&fd, kinds[k].source);
		start(&fd);
		/* The other one went on meanwhile. */
		randomdev_deliver(fd.fd_dev.d_rd, &other);
		ATF_CHECK_EQ(STARTUP, randomdev_health(fd.fd_dev.d_rd,
		    RANDOM_SWI).shl_discarded);
		device_free(&fd.fd_dev);
	}
}

DEVICE_TEST(window__frequent, "328 of 512 samples of 1 bit like the first or "
    "16 of 8 bits pass, one more fails; each window counts anew")
{
	struct source_health hl;
	struct feeder fd;

	for (unsigned k = 0; k < nitems(kinds); k++) {
		make_kind(&fd, k);
		start(&fd);
		for (unsigned i = 0; i < 3; i++)
			ATF_CHECK_EQ(0, window_until_refused(&fd, kinds[k].rct,
			    kinds[k].apt - 1));
		ATF_CHECK_EQ(kinds[k].apt, window_until_refused(&fd,
		    kinds[k].rct, WINDOW));
		hl = randomdev_health(fd.fd_dev.d_rd, kinds[k].source);
		ATF_CHECK_EQ(0, hl.shl_repetitions);
		ATF_CHECK_EQ(1, hl.shl_proportions);
		device_free(&fd.fd_dev);
	}
}

DEVICE_TEST(window__biased, "A coin that falls one way two times of three is "
    "no "
    "bit of entropy: it fails by proportion")
{
	struct feeder fd;
	unsigned row = 0, longest = 0;
	uint64_t last = 2, value;

	make_kind(&fd, 0);
	for (unsigned i = 0; i < 10 * WINDOW; i++) {
		value = splitmix_next(&fd.fd_random) % 3 < 2;
		row = value == last ? row + 1 : 1;
		longest = row > longest ? row : longest;
		last = value;
		feed(&fd, value);
	}
	ATF_CHECK(longest < kinds[0].rct);
	ATF_CHECK(!feed(&fd, 3));
	device_free(&fd.fd_dev);
}

/*
 * The numbers are fixed.  Of truly random ones a million samples fail with a
 * probability below 2^-60: 2^-80 for each to end 6 equal of 16 bits, less for
 * the rest.
 */
DEVICE_TEST(healthy__never_fails, "A million samples with twice the bits that "
    "are assumed and more never fail, and all after the start are accepted")
{
	static const unsigned bits[nitems(kinds)] = { 8, 16 };
	struct feeder fd;

	for (unsigned k = 0; k < nitems(kinds); k++) {
		make_kind(&fd, k);
		for (unsigned i = 0; i < MILLION; i++)
			feed(&fd, splitmix_next(&fd.fd_random) >>
			    (64 - bits[k]));
		ATF_CHECK_EQ(MILLION - STARTUP, fd.fd_accepted);
		device_free(&fd.fd_dev);
	}
}

DEVICE_TEST(sample__parts, "The counter is part of a sample, but of a pure "
    "source; what lies behind an event's bytes never is")
{
	struct feeder fd;

	for (unsigned k = 0; k < nitems(kinds); k++) {
		make_kind(&fd, k);
		for (unsigned i = 0; i < 2000; i++) {
			fd.fd_event.he_somecounter = i;
			feed(&fd, 5);
		}
		ATF_CHECK_EQ(k == 0 ? 2000 - STARTUP : 0, fd.fd_accepted);
		device_free(&fd.fd_dev);

		make_kind(&fd, k);
		fd.fd_event.he_size = 2;
		for (uint64_t i = 0; i < 2000; i++)
			feed(&fd, i << 16 | 0x1234);
		ATF_CHECK_EQ(0, fd.fd_accepted);
		device_free(&fd.fd_dev);
	}
}

TEST_PROGRAM()
