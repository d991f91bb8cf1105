/*
 * Recorded events, as replay reads them.
 */
#include "harvest/record.h"
#include "tests/fuzz/fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct harvest_error error = { .text = "" };
	struct random_event event;
	const char *expected = NULL;
	struct record r;
	char *text;

	fuzz_begin();
	text = fuzz_text(data, size);
	if (record_parse(text, &event, &expected) != 0)
		FUZZ_CHECK(expected != NULL);
	free(text);
	if (record_load(&r, fuzz_file(0, data, size), &error) != 0) {
		FUZZ_CHECK(error.text[0] != '\0');
		return (0);
	}
	for (size_t i = 0; i < r.rc_count; i++)
		FUZZ_CHECK(r.rc_events[i].he_size > 0 &&
		    r.rc_events[i].he_size <= HARVEST_ENTROPY_BYTES &&
		    r.rc_events[i].he_source < ENTROPYSOURCE);
	record_fini(&r);
	return (0);
}
