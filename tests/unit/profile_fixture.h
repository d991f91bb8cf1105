/*
 * A machine profile to change in tests.
 */
#ifndef TESTS_UNIT_PROFILE_FIXTURE_H
#define TESTS_UNIT_PROFILE_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>

#include "lib/profile/profile.h"
#include "tests/unit/support.h"

/* 2 nodes of 2 cores of 2 threads, each core with its own cache. */
static inline void
profile_fixture(struct profile *pr)
{
	memset(pr, 0, sizeof(*pr));
	strcpy(pr->pr_name, "made-up");
	strcpy(pr->pr_descr, "a machine of tests");
	for (unsigned key = 0; key < PROFILE_VALUES; key++) {
		pr->pr_value[key] = profile_fields[key].pf_most < 7 ? 0.5 : 7;
		pr->pr_from[key] = PROVENANCE_GUESSED;
		strcpy(pr->pr_source[key], "made up");
		if (profile_fields[key].pf_unit == PROFILE_SWITCH)
			pr->pr_value[key] = 1;
	}
	pr->pr_value[PROFILE_TOPO_CPUS] = 8;
	pr->pr_value[PROFILE_TOPO_SMT] = 2;
	pr->pr_value[PROFILE_TOPO_NODES] = 2;
	pr->pr_value[PROFILE_TOPO_CCX] = 1;
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
	profile_write(f, pr);
	ATF_REQUIRE_EQ(0, fclose(f));
	/* gcc takes the variable that the stream knew for what it points to. */
	copy = strdup(text);
	ATF_REQUIRE(copy != NULL);
	free(text);
	return (copy);
}

static inline void
profile_fixture_parse(struct profile *pr, const char *text)
{
	char error[PROFILE_ERROR_SIZE];

	ATF_REQUIRE_MSG(profile_parse(pr, "f.conf", text, error) == 0, "%s",
	    error);
}

/* Writes and reads a profile. */
static inline void
profile_fixture_again(const struct profile *pr, struct profile *again)
{
	char *text = profile_fixture_text(pr);

	profile_fixture_parse(again, text);
	free(text);
}

#endif
