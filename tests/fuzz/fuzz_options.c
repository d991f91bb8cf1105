/*
 * Command lines of the measuring commands, up to where they would begin.
 */
#include "bench/options/options.h"
#include "tests/fuzz/words.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const unsigned kinds[] = { OPTIONS_RUN, OPTIONS_SWEEP,
	    OPTIONS_CAT };
	char *argv[WORDS_MAX + 1], *text;
	struct options op;
	int argc, status;
	unsigned i;

	fuzz_begin();
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		text = fuzz_text(data, size);
		argc = words_split(text, argv);
		status = options_parse(&op, kinds[i], argc, argv);
		FUZZ_CHECK(status == 0 || status == EXIT_USAGE ||
		    status == EXIT_FAILURE);
		FUZZ_CHECK(status != 0 || op.op_help ||
		    (op.op_designs.ol_count > 0 && op.op_locks.ol_count > 0 &&
		    op.op_readers.ol_count > 0 && op.op_repeats > 0));
		options_free(&op);
		free(text);
	}
	return (0);
}
