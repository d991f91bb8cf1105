/*
 * The contract of generators, asked of kernel sources: tests/kernel, beside the
 * designs that the cases name.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/kernel/ksource.h"
#include "fortuna/generator.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

static const struct {
	const char	*name;
	unsigned	 flags;
} sources[] = {
	{ "fortuna",	RA_FORTUNA_BYTES },
	{ "spin",	RA_FORTUNA_BYTES },
	{ "split",	RA_FORTUNA_BYTES },
	{ "assign",	RA_FORTUNA_BYTES },
	{ "percpu",	0 },
};

enum { BUILT_IN = 4 };

static const struct random_algorithm *walked[BUILT_IN + nitems(sources)];
static unsigned walked_count;

static void __attribute__((constructor))
walk_built_in(void)
{
	static const char *const names[BUILT_IN] = { "none", "locked",
	    "concurrent", "batch" };

	for (; walked_count < BUILT_IN; walked_count++)
		walked[walked_count] = generator_find(names[walked_count]);
}

/*
 * Finds the sources above this program, and has them compiled into the build's
 * folder, once for all cases.
 */
static void
find_sources(char folder[PATH_MAX])
{
	char path[PATH_MAX], probe[PATH_MAX + 32], *slash;
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	ATF_REQUIRE(n > 0);
	path[n] = '\0';
	snprintf(probe, sizeof(probe), "%.*s/../kernel-cache",
	    (int)(strrchr(path, '/') - path), path);
	ATF_REQUIRE_EQ(0, setenv("XDG_CACHE_HOME", probe, 1));
	do {
		slash = strrchr(path, '/');
		if (slash == NULL)
			atf_tc_skip("no tests/kernel above the program");
		*slash = '\0';
		snprintf(probe, sizeof(probe), "%s/tests/kernel/fortuna.c",
		    path);
	} while (access(probe, R_OK) != 0);
	snprintf(folder, PATH_MAX, "%.4000s/tests/kernel", path);
	snprintf(probe, sizeof(probe), "%s/fortuna/kernel", path);
	ATF_REQUIRE_EQ(0, setenv("RNGSIM_KERNEL", probe, 1));
}

static void
open_sources(void)
{
	char folder[PATH_MAX], spec[KSOURCE_SPEC_SIZE];
	char why[KSOURCE_WHY_SIZE] = "";
	struct random_algorithm *ra;
	const char *name;

	find_sources(folder);
	for (unsigned i = 0; i < nitems(sources); i++) {
		snprintf(spec, sizeof(spec), "kernel:%.4000s/%s.c",
		    folder, sources[i].name);
		ATF_REQUIRE_MSG(ksource_open(spec, false, &name, why) == 0,
		    "%s: %s", spec, why);
		/* What a source claims the cases check. */
		ra = (struct random_algorithm *)(uintptr_t)generator_find(name);
		ra->ra_flags |= sources[i].flags;
		walked[walked_count++] = ra;
	}
}

#define	support_crypto()	(support_crypto(), open_sources())
#undef	generators
#undef	generator_count
#define	generators	walked
#define	generator_count	walked_count
#include "tests/unit/generator_contract_test.c"
