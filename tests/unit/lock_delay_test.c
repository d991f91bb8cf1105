#include <limits.h>

#include "lib/lock/lock.h"
#include "lib/lock/spin.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

TEST(lock_config_default__mtx, "mtx(9)'s limit is 256 times the power of two "
    "strictly above the number of CPUs, and at most SHRT_MAX")
{
	static const struct {
		unsigned	ncpus;
		unsigned	max;
	} rows[] = {
		{ 1, 512 },
		{ 2, 1024 },
		{ 3, 1024 },
		{ 4, 2048 },
		{ 7, 2048 },
		{ 8, 4096 },
		{ 16, 8192 },
		{ 32, 16384 },
		{ 63, 16384 },
		{ 64, SHRT_MAX },
		{ 128, SHRT_MAX },
		{ 1024, SHRT_MAX },
		{ UINT_MAX, SHRT_MAX },
	};
	struct lock_config config;

	for (size_t i = 0; i < nitems(rows); i++) {
		config = lock_config_default(rows[i].ncpus);
		ATF_CHECK_EQ_MSG(1, config.delay_base, "%u CPUs: %u",
		    rows[i].ncpus, config.delay_base);
		ATF_CHECK_EQ_MSG(rows[i].max, config.delay_max, "%u CPUs: %u",
		    rows[i].ncpus, config.delay_max);
		ATF_CHECK_MSG(config.prof_enable, "%u CPUs", rows[i].ncpus);
	}
}

static void
default_for(void *arg)
{
	const unsigned *ncpus = arg;

	(void)lock_config_default(*ncpus);
}

TEST(lock_config_default__no_cpus, "A machine without CPUs is a mistake of "
    "the caller")
{
	unsigned ncpus = 0;

	ATF_CHECK(support_asserts(default_for, &ncpus));
}

TEST(lock_delay__doubles_and_caps, "Each delay is twice the last up to the "
    "limit, which it reaches and never exceeds; after more pauses than make it "
    "starve a waiter begins again, where that is configured")
{
	static const struct {
		unsigned	base;
		unsigned	max;
		unsigned	starving;	/* 0: never begins again */
		unsigned	delays[8];	/* of the first eight calls */
	} rows[] = {
		{ 1, 512, 0, { 2, 4, 8, 16, 32, 64, 128, 256 } },
		{ 1, 16, 0, { 2, 4, 8, 16, 16, 16, 16, 16 } },
		{ 1, 5, 0, { 2, 4, 5, 5, 5, 5, 5, 5 } },
		{ 3, 20, 0, { 6, 12, 20, 20, 20, 20, 20, 20 } },
		{ 1, 1, 0, { 1, 1, 1, 1, 1, 1, 1, 1 } },
		{ 7, 7, 0, { 7, 7, 7, 7, 7, 7, 7, 7 } },
		{ 6, 7, 0, { 7, 7, 7, 7, 7, 7, 7, 7 } },
		{ 512, SHRT_MAX, 0, { 1024, 2048, 4096, 8192, 16384,
		    SHRT_MAX, SHRT_MAX, SHRT_MAX } },
		{ 1, 16, 13, { 2, 4, 8, 2, 2, 2, 2, 2 } },
		{ 1, 16, 14, { 2, 4, 8, 16, 2, 2, 2, 2 } },
		{ 1, 16, 29, { 2, 4, 8, 16, 2, 2, 2, 2 } },
		{ 1, 16, 30, { 2, 4, 8, 16, 16, 2, 2, 2 } },
	};
	struct lock_config config;
	struct lock_delay_arg la;
	unsigned delay;

	for (size_t i = 0; i < nitems(rows); i++) {
		config = lock_config_default(1);
		ATF_CHECK(config.starvation_limit == 131072 &&
		    !config.restrict_starvation);
		config.starvation_limit = rows[i].starving;
		config.restrict_starvation = rows[i].starving != 0;
		config.delay_base = rows[i].base;
		config.delay_max = rows[i].max;
		la = lock_delay_arg_init(&config);
		for (size_t k = 0; k < nitems(rows[i].delays); k++) {
			delay = lock_delay_next(&la);
			ATF_CHECK_EQ_MSG(rows[i].delays[k], delay,
			    "%u..%u, call %zu: %u", rows[i].base, rows[i].max,
			    k, delay);
		}
	}
}

TEST_PROGRAM()
