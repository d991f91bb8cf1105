/*
 * What strace(1) wrote.  An import is a recording that loads.
 */
#include "bench/workload/recording.h"
#include "tests/fuzz/fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char message[LINES_ERROR_SIZE] = "";
	struct recording again, rec;
	struct import_summary iu;
	char *printed = NULL;
	size_t length;
	FILE *f;

	fuzz_begin();
	if (import_load(fuzz_file(0, data, size), &rec, &iu, message) != 0) {
		FUZZ_CHECK(message[0] != '\0' && rec.rec_count == 0);
		return (0);
	}
	FUZZ_CHECK(iu.iu_count[IMPORT_RANDOM] ==
	    recording_requests(&rec));
	f = open_memstream(&printed, &length);
	FUZZ_CHECK(f != NULL);
	recording_print(f, &rec, "");
	FUZZ_CHECK(fclose(f) == 0);
	FUZZ_CHECK(recording_load(fuzz_file(1, (uint8_t *)printed, length),
	    &again, message) == 0);
	free(printed);
	recording_free(&again);
	recording_free(&rec);
	return (0);
}
