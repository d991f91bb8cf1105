/*
 * Windows, rows and sums of a lock profile, with time stamps made up by the
 * test, so that every figure is known.
 */
#include <inttypes.h>

#include "lib/lock/profiling.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum { THREADS = 4, SITES = 3 };

static const char *const site_names[SITES] = { "first", "second", "third" };

static struct mthread self;
static struct lockprof prof;
static struct lockprof_owner owner;

static void
setup(void)
{
	support_machine(&self);
	lockprof_init(&prof, THREADS, SITES, site_names);
}

/* A finished hold of so many cycles, as thread's, after a wait or none. */
static void
hold_after(unsigned thread, unsigned site, uint64_t cycles,
    const struct lock_wait *w)
{
	struct lockprof_hold lh = { .lh_start_cycles = 1000, .lh_site = site,
	    .lh_weight = 1, .lh_contended = w != NULL };

	if (w != NULL)
		lh.lh_wait = *w;
	self.mt_index = thread;
	lockprof_released(&prof, &lh, 1000 + cycles);
}

static void
hold(unsigned thread, unsigned site, uint64_t cycles)
{
	hold_after(thread, site, cycles, NULL);
}

static void
hold_contended(unsigned thread, unsigned site, uint64_t cycles, uint64_t spin,
    uint64_t block)
{
	const struct lock_wait w = { .lw_spin_cycles = spin,
	    .lw_block_cycles = block };

	hold_after(thread, site, cycles, &w);
}

#define	CHECK_FIGURE(field)						\
	ATF_CHECK_EQ_MSG(want->field, r.field, "%" PRIu64, r.field)

static void
check_row(unsigned site, unsigned first, unsigned last,
    const struct lockprof_row *want)
{
	struct lockprof_row r;

	lockprof_sum(&prof, site, first, last, &r);
	CHECK_FIGURE(lr_count);
	CHECK_FIGURE(lr_contended);
	CHECK_FIGURE(lr_hold_cycles);
	CHECK_FIGURE(lr_hold_max_cycles);
	CHECK_FIGURE(lr_spin_cycles);
	CHECK_FIGURE(lr_block_cycles);
	CHECK_FIGURE(lr_wait_max_cycles);
}

static uint64_t
count(unsigned site)
{
	struct lockprof_row r;

	lockprof_sum(&prof, site, 0, THREADS - 1, &r);
	return (r.lr_count);
}

TEST(lockprof__closed_records_nothing, "Before it is opened and after it "
    "is closed, releases leave the rows as they are")
{
	setup();
	hold(0, 0, 10);
	ATF_CHECK_EQ(0, count(0));
	lockprof_open(&prof, true);
	ATF_CHECK_EQ(0, count(0));
	hold(0, 0, 10);
	ATF_CHECK_EQ(1, count(0));
	lockprof_open(&prof, false);
	hold(0, 0, 10);
	hold(1, 0, 10);
	ATF_CHECK_EQ(1, count(0));
	lockprof_fini(&prof);
}

TEST(lockprof__release_decides, "A hold that spans the opening "
    "counts, one that spans the closing does not")
{
	struct lockprof_hold early, late;

	setup();
	lockprof_acquired(&prof, &owner, &early, 0, NULL);
	lockprof_open(&prof, true);
	lockprof_released(&prof, &early, lockprof_stamp());
	ATF_CHECK_EQ(1, count(0));
	lockprof_acquired(&prof, &owner, &late, 0, NULL);
	lockprof_open(&prof, false);
	lockprof_released(&prof, &late, lockprof_stamp());
	ATF_CHECK_EQ(1, count(0));
	lockprof_fini(&prof);
}

TEST(lockprof_sum__adds_and_takes_maxima, "Totals are added over the threads "
    "asked for and over no others; maxima are the greatest")
{
	setup();
	lockprof_open(&prof, true);
	hold(0, 1, 100);
	hold_contended(1, 1, 20, 5, 6);
	hold_contended(1, 1, 30, 8, 0);
	hold(2, 1, 70);
	hold_contended(3, 1, 1, 0, 1000);
	hold(1, 0, 4096);
	hold(1, 2, 8192);
	lockprof_open(&prof, false);
	check_row(1, 0, 0, &(struct lockprof_row){ .lr_count = 1,
	    .lr_hold_cycles = 100, .lr_hold_max_cycles = 100 });
	check_row(1, 1, 2, &(struct lockprof_row){ .lr_count = 3,
	    .lr_contended = 2, .lr_hold_cycles = 120, .lr_hold_max_cycles = 70,
	    .lr_spin_cycles = 13, .lr_block_cycles = 6,
	    .lr_wait_max_cycles = 11 });
	check_row(1, 0, 3, &(struct lockprof_row){ .lr_count = 5,
	    .lr_contended = 3, .lr_hold_cycles = 221,
	    .lr_hold_max_cycles = 100, .lr_spin_cycles = 13,
	    .lr_block_cycles = 1006, .lr_wait_max_cycles = 1000 });
	check_row(0, 0, 3, &(struct lockprof_row){ .lr_count = 1,
	    .lr_hold_cycles = 4096, .lr_hold_max_cycles = 4096 });
	lockprof_fini(&prof);
}

TEST(lockprof_sum__histograms_and_holders, "Holds, spins and blocks are "
    "counted by length, waits by the site that held the lock, yields added up")
{
	struct lock_wait w = { .lw_holder = 2, .lw_spin_cycles = 5,
	    .lw_yields = 3 };
	struct lockprof_row r;

	setup();
	lockprof_open(&prof, true);
	hold_after(0, 0, 6, &w);
	w = (struct lock_wait){ .lw_holder = 2, .lw_spin_cycles = 2,
	    .lw_block_cycles = 4, .lw_yields = 1 };
	hold_after(1, 0, 3, &w);
	w.lw_holder = 0;
	hold_after(1, 0, 3, &w);
	/* A lock that was never held. */
	w.lw_holder = LOCKPROF_NO_SITE;
	hold_after(1, 0, 3, &w);
	hold(1, 0, 7);
	lockprof_sum(&prof, 0, 0, 1, &r);
	ATF_CHECK_EQ(5, hist_small_count(&r.lr_hold));
	ATF_CHECK_EQ(3, hist_small_quantile(&r.lr_hold, 0.6));
	ATF_CHECK_EQ(6, hist_small_quantile(&r.lr_hold, 0.8));
	ATF_CHECK_EQ(7, hist_small_quantile(&r.lr_hold, 1));
	ATF_CHECK_EQ(4, hist_small_count(&r.lr_spin));
	ATF_CHECK_EQ(2, hist_small_quantile(&r.lr_spin, 0.75));
	ATF_CHECK_EQ(3, hist_small_count(&r.lr_block));
	ATF_CHECK_EQ(4, hist_small_quantile(&r.lr_block, 0));
	ATF_CHECK_EQ(6, r.lr_yields);
	ATF_CHECK_EQ(2, r.lr_for[2].lv_count);
	ATF_CHECK_EQ(5 + 6, r.lr_for[2].lv_cycles);
	ATF_CHECK_EQ(1, r.lr_for[0].lv_count);
	ATF_CHECK_EQ(6, r.lr_for[0].lv_cycles);
	ATF_CHECK_EQ(0, r.lr_for[1].lv_count);
	lockprof_fini(&prof);
}

TEST(lockprof__skipcount, "Of holds without a wait about one in skipcount + "
    "1 is timed and stands for all, at every site of a pattern; contended "
    "ones always are; counts are exact")
{
	enum { EVERY = 8, HOLDS = 80000, CYCLES = 100 };
	struct lock_wait w = { .lw_spin_cycles = 5, .lw_holder = 1 };
	struct lockprof_hold lh;
	struct lockprof_row r;
	double held;
	unsigned timed = 0;

	setup();
	self.mt_index = 0;
	prof.lp_skipcount = EVERY - 1;
	lockprof_open(&prof, true);
	for (unsigned i = 0; i < HOLDS; i++) {
		lockprof_acquired(&prof, &owner, &lh, i % 2, NULL);
		timed += lh.lh_weight != 0;
		ATF_CHECK(lh.lh_weight == 0 || lh.lh_weight == EVERY);
		lockprof_released(&prof, &lh, lh.lh_start_cycles + CYCLES);
	}
	ATF_CHECK_MSG(timed > HOLDS / EVERY * 9 / 10 &&
	    timed < HOLDS / EVERY * 11 / 10, "%u timed", timed);
	for (unsigned i = 0; i < 2; i++) {
		lockprof_sum(&prof, i, 0, 0, &r);
		ATF_CHECK_EQ(HOLDS / 2, r.lr_count);
		ATF_CHECK_EQ(CYCLES, r.lr_hold_max_cycles);
		ATF_CHECK_EQ(CYCLES * hist_small_count(&r.lr_hold),
		    r.lr_hold_cycles);
		held = (double)r.lr_hold_cycles;
		ATF_CHECK_MSG(held > HOLDS / 2 * CYCLES * 0.85 &&
		    held < HOLDS / 2 * CYCLES * 1.15,
		    "site %u: %" PRIu64, i, r.lr_hold_cycles);
	}
	for (unsigned i = 0; i < 10; i++) {
		lockprof_acquired(&prof, &owner, &lh, 2, &w);
		ATF_CHECK_EQ(1, lh.lh_weight);
		lockprof_released(&prof, &lh, lh.lh_start_cycles + CYCLES);
	}
	lockprof_sum(&prof, 2, 0, 0, &r);
	ATF_CHECK_EQ(10, r.lr_contended);
	ATF_CHECK_EQ(10 * CYCLES, r.lr_hold_cycles);
	lockprof_fini(&prof);
}

TEST(lockprof_sum_threads__reacquire, "Acquisitions from one of a thread's "
    "to its next, at whatever site")
{
	static const unsigned order[] = { 0, 1, 0, 0, 2, 1 };
	struct lockprof_thread sum;
	struct lockprof_hold lh;

	setup();
	lockprof_open(&prof, true);
	for (unsigned i = 0; i < nitems(order); i++) {
		self.mt_index = order[i];
		lockprof_acquired(&prof, &owner, &lh, i % SITES, NULL);
		lockprof_released(&prof, &lh, lockprof_stamp());
	}
	lockprof_open(&prof, false);
	/* Thread 0 after 2 and 1, thread 1 after 4. */
	lockprof_sum_threads(&prof, 0, 2, &sum);
	ATF_CHECK_EQ(3, hist_small_count(&sum.lpt_reacquire));
	ATF_CHECK_EQ(1, hist_small_quantile(&sum.lpt_reacquire, 0));
	ATF_CHECK_EQ(2, hist_small_quantile(&sum.lpt_reacquire, 0.5));
	ATF_CHECK_EQ(4, hist_small_quantile(&sum.lpt_reacquire, 1));
	lockprof_sum_threads(&prof, 2, 2, &sum);
	ATF_CHECK_EQ(0, hist_small_count(&sum.lpt_reacquire));
	lockprof_fini(&prof);
}

TEST(lockprof_sum_threads__several_locks, "Where locks share a profile, a "
    "distance is between acquisitions of the same one")
{
	/* Of another lock, then of that one again. */
	static const unsigned locks[] = { 0, 0, 1, 1, 0 };
	static struct lockprof_owner owners[2];
	struct lockprof_thread sum;
	struct lockprof_hold lh;

	setup();
	for (size_t i = 0; i < 2; i++) {
		atomic_init_64(&owners[i].lpo_acquisitions, 0);
		atomic_init_32(&owners[i].lpo_site, LOCKPROF_NO_SITE);
	}
	atomic_init_64(&owners[1].lpo_acquisitions, 1000);
	lockprof_open(&prof, true);
	self.mt_index = 0;
	for (size_t i = 0; i < nitems(locks); i++) {
		lockprof_acquired(&prof, &owners[locks[i]], &lh, 0, NULL);
		lockprof_released(&prof, &lh, 0);
	}
	lockprof_sum_threads(&prof, 0, 0, &sum);
	ATF_CHECK_EQ(2, hist_small_count(&sum.lpt_reacquire));
	ATF_CHECK_EQ(1, hist_small_quantile(&sum.lpt_reacquire, 1));
	lockprof_fini(&prof);
}

TEST(lockprof__none_is_allowed, "A lock without a profile costs nothing and "
    "touches nothing")
{
	struct lockprof_hold lh;

	memset(&lh, 0x5a, sizeof(lh));
	lockprof_acquired(NULL, &owner, &lh, 0, NULL);
	lockprof_released(NULL, &lh, 1);
	ATF_CHECK(support_all((const uint8_t *)&lh, sizeof(lh), 0x5a));
}

TEST(lockprof__memory, "A profile has memory for a row of each thread at each "
    "site and for each thread, and none is left when it ends")
{
	const volatile uint64_t *allocated = support_allocated();
	const volatile uint64_t *freed = support_freed();
	uint64_t before;

	support_machine(&self);
	for (unsigned n = 2; n < 8; n++) {
		before = *allocated - *freed;
		lockprof_init(&prof, 2 * n, n, site_names);
		ATF_CHECK(*allocated - *freed - before >= 2 * n * (n *
		    sizeof(struct lockprof_row) +
		    sizeof(struct lockprof_thread)));
		lockprof_fini(&prof);
		ATF_CHECK_EQ(before, *allocated - *freed);
		ATF_CHECK(support_all((const uint8_t *)&prof, sizeof(prof), 0));
	}
}

static void
sum_beyond_sites(void *arg __unused)
{
	struct lockprof_row r;

	lockprof_sum(&prof, SITES, 0, 0, &r);
}

static void
sum_beyond_threads(void *arg __unused)
{
	struct lockprof_row r;

	lockprof_sum(&prof, 0, 0, THREADS, &r);
}

static void
init_empty(void *arg __unused)
{
	struct lockprof lp;

	lockprof_init(&lp, 0, SITES, site_names);
}

TEST(lockprof__misuse, "Rows that are not there are refused, not read")
{
	setup();
	ATF_CHECK(support_asserts(sum_beyond_sites, NULL));
	ATF_CHECK(support_asserts(sum_beyond_threads, NULL));
	ATF_CHECK(support_asserts(init_empty, NULL));
	lockprof_fini(&prof);
}

TEST_PROGRAM()
