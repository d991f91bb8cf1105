#include <inttypes.h>

#include "bench/options/option_set.h"
#include "lib/number.h"

int
option_interleave(struct options *op, const char *name, const char *text)
{

	if (number_parse_size(text, &op->op_interleave_bytes) != 0 ||
	    op->op_interleave_bytes < 1 ||
	    op->op_interleave_bytes > OPTIONS_SIZE_MAX_BYTES)
		return (usage_error(op->op_command, "%s: \"%s\": expected "
		    "bytes, 1..1g, with k, m or g for 2^10, 2^20, 2^30", name,
		    text));
	return (0);
}

int
option_stream(struct options *op, const char *name, const char *text)
{
	uint64_t v;

	if (number_parse(text, &v) != 0 || v >= CELL_READERS_MAX)
		return (usage_error(op->op_command, "%s: \"%s\": expected a "
		    "reader, 0..%d", name, text, CELL_READERS_MAX - 1));
	op->op_stream = (int)v;
	return (0);
}

int
option_cat_finish(struct options *op)
{
	uint64_t readers = op->op_readers.ol_value[0];

	if (op->op_stream >= 0 && (uint64_t)op->op_stream >= readers)
		return (usage_error(op->op_command, "--stream: there is no "
		    "reader %d among %" PRIu64 ": expected 0..%" PRIu64
		    ", or more readers (-r)", op->op_stream, readers,
		    readers - 1));
	if (op->op_place.pl_harvest >= 0)
		return (usage_error(op->op_command, "--place: \"%s\": there "
		    "is no harvest thread: expected CPUs for readers only",
		    op->op_place_text));
	return (0);
}
