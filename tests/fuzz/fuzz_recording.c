/*
 * Workload files.  What is taken is printed so that it is taken again.
 */
#include "bench/workload/recording.h"
#include "tests/fuzz/fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char message[LINES_ERROR_SIZE] = "";
	struct recording again, rec;
	char *printed = NULL;
	size_t length;
	FILE *f;

	fuzz_begin();
	if (recording_load(fuzz_file(0, data, size), &rec, message) != 0) {
		FUZZ_CHECK(message[0] != '\0' && rec.rec_count == 0);
		return (0);
	}
	f = open_memstream(&printed, &length);
	FUZZ_CHECK(f != NULL);
	recording_print(f, &rec, "# again\n");
	FUZZ_CHECK(fclose(f) == 0);
	FUZZ_CHECK(recording_load(fuzz_file(1, (uint8_t *)printed, length),
	    &again, message) == 0);
	FUZZ_CHECK(recording_requests(&rec) == recording_requests(&again) &&
	    recording_hash(&rec) == recording_hash(&again));
	free(printed);
	recording_free(&again);
	recording_free(&rec);
	return (0);
}
