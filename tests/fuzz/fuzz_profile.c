/*
 * Profiles.  An accepted profile is the same after it was written and read
 * again, and can be sampled.
 */
#include "lib/profile/profile.h"
#include "tests/fuzz/fuzz.h"

static void
check(const struct profile *pr)
{
	static struct profile again, drawn;
	char error[PROFILE_ERROR_SIZE] = "";
	char *written = NULL;
	size_t length;
	FILE *f;

	f = open_memstream(&written, &length);
	FUZZ_CHECK(f != NULL);
	profile_write(f, pr);
	FUZZ_CHECK(fclose(f) == 0);
	FUZZ_CHECK(profile_parse(&again, "again", written, error) == 0);
	free(written);
	for (unsigned key = 0; key < PROFILE_VALUES; key++)
		FUZZ_CHECK(again.pr_from[key] == pr->pr_from[key] &&
		    (!profile_used(pr, key) ||
		    again.pr_value[key] == pr->pr_value[key]));
	profile_sample(pr, 1, 3, 7, &drawn);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct profile pr;
	char error[PROFILE_ERROR_SIZE] = "";
	char *text;

	fuzz_begin();
	text = fuzz_text(data, size);
	if (profile_parse(&pr, "fuzz", text, error) == 0)
		check(&pr);
	else
		FUZZ_CHECK(error[0] != '\0' && strchr(error, '\n') == NULL);
	free(text);
	return (0);
}
