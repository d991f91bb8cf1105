/*
 * Tunables, a line "name=value" each.  What was set reads back as itself.
 */
#include "bench/cell/cell.h"
#include "tests/fuzz/fuzz.h"

static void
set(struct bench_config *bc, char *line)
{
	char again[TUNABLE_STRING_SIZE], range[1024], text[TUNABLE_STRING_SIZE];
	char *value = strchr(line, '=');
	const struct tunable *tn;
	size_t base;

	if (value == NULL)
		return;
	*value++ = '\0';
	if ((tn = bench_tunable(line, &base)) == NULL)
		return;
	tunable_range(tn, range, sizeof(range));
	tunable_format(tn, (char *)bc + base, text, sizeof(text));
	if (tunable_set_text(tn, (char *)bc + base, value) != 0) {
		tunable_format(tn, (char *)bc + base, again, sizeof(again));
		FUZZ_CHECK(strcmp(text, again) == 0);
		return;
	}
	tunable_format(tn, (char *)bc + base, text, sizeof(text));
	FUZZ_CHECK(tunable_set_text(tn, (char *)bc + base, text) == 0);
	tunable_format(tn, (char *)bc + base, again, sizeof(again));
	FUZZ_CHECK(strcmp(text, again) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bench_config bc;
	char *save = NULL, *text;

	fuzz_begin();
	bench_config_default(&bc, 4);
	text = fuzz_text(data, size);
	for (char *line = strtok_r(text, "\n", &save); line != NULL;
	    line = strtok_r(NULL, "\n", &save))
		set(&bc, line);
	free(text);
	return (0);
}
