/*
 * A machine profile to change in tests.
 */
#ifndef TESTS_PROFILE_FIXTURE_H
#define TESTS_PROFILE_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>

#include "lib/profile.h"
#include "tests/support.h"

/* 2 nodes of 2 cores of 2 threads, each core with its own cache. */
static inline void
profile_fixture(struct profile *pr)
{
	unsigned key;

	memset(pr, 0, sizeof(*pr));
	strcpy(pr->pr_name, "made-up");
	strcpy(pr->pr_descr, "a machine that nobody has");
	for (key = 0; key < PROFILE_VALUES; key++) {
		pr->pr_value[key] = profile_fields[key].pf_most < 7 ? 0.5 : 7;
		pr->pr_from[key] = PROVENANCE_GUESSED;
		strcpy(pr->pr_source[key], "made up");
	}
	pr->pr_value[PROFILE_TOPO_CPUS] = 8;
	pr->pr_value[PROFILE_TOPO_SMT] = 2;
	pr->pr_value[PROFILE_TOPO_NODES] = 2;
	pr->pr_value[PROFILE_TOPO_CCX] = 1;
	pr->pr_value[PROFILE_OS_PREEMPT] = 1;
}

/* What profile_write() writes; the caller frees it. */
static inline char *
profile_fixture_text(const struct profile *pr)
{
	char *copy, *text;
	size_t size;
	FILE *f;

	f = open_memstream(&text, &size);
	ATF_REQUIRE(f != NULL);
	ATF_REQUIRE_EQ(0, profile_write(pr, f));
	ATF_REQUIRE_EQ(0, fclose(f));
	/* gcc takes the variable that the stream knew for what it points to. */
	copy = strdup(text);
	ATF_REQUIRE(copy != NULL);
	free(text);
	return (copy);
}

#endif
