/*
 * What --workload takes.  Its canonical text means the same; it plays.
 */
#include "bench/workload/workload.h"
#include "tests/fuzz/fuzz.h"

enum { STEPS = 64 };

static void
play(const struct workload *wl)
{
	struct workload_player wp;
	struct workload_step st;

	workload_begin(&wp, wl, 4096, 1, 3);
	for (unsigned i = 0; i < STEPS; i++) {
		workload_next(&wp, &st);
		FUZZ_CHECK(st.st_bytes > 0 &&
		    st.st_bytes <= workload_max_bytes(wl, 4096));
	}
	(void)workload_mean_bytes(wl, 4096);
	(void)workload_rate(wl);
	(void)workload_due(&wp, UINT64_C(1000000000));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char error[WORKLOAD_ERROR_SIZE] = "";
	struct workload again, wl;
	char *text;

	fuzz_begin();
	text = fuzz_text(data, size);
	if (workload_parse(text, &wl, error) != 0) {
		FUZZ_CHECK(error[0] != '\0');
	} else {
		play(&wl);
		if (wl.wl_recording.rec_count == 0 && wl.wl_text[0] != '\0') {
			FUZZ_CHECK(workload_parse(wl.wl_text, &again, error) ==
			    0);
			FUZZ_CHECK(strcmp(wl.wl_text, again.wl_text) == 0);
			workload_free(&again);
		}
	}
	workload_free(&wl);
	free(text);
	return (0);
}
