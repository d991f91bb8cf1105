#include <stdio.h>
#include <string.h>

#include "bench/options/option_set.h"
#include "lib/number.h"

enum { TRACE_MS_MAX = 86400 * 1000 };

#define	PS_PER_MS	1e9

int
option_trace(struct options *op, const char *name, const char *text)
{

	if (text[0] == '\0')
		return (usage_error(op->op_command, "%s: expected the name of "
		    "a file", name));
	op->op_trace = text;
	return (0);
}

/* Milliseconds, as far as they are any. */
static bool
read_ms(const char *text, uint64_t *ps)
{
	double ms;

	if (number_parse_real(text, &ms) != 0 || ms > TRACE_MS_MAX)
		return (false);
	*ps = (uint64_t)(ms * PS_PER_MS + 0.5);
	return (true);
}

int
option_trace_time(struct options *op, const char *name, const char *text)
{
	struct timeline_span *span = &op->op_trace_span;
	char from[64];
	const char *to = text;
	size_t n = strcspn(text, "-");

	span->ts_from_ps = 0;
	snprintf(from, sizeof(from), "%.*s", (int)(n < sizeof(from) ? n :
	    sizeof(from) - 1), text);
	if (text[n] == '-') {
		to = text + n + 1;
		if (!read_ms(from, &span->ts_from_ps))
			to = "";
	}
	if (!read_ms(to, &span->ts_to_ps) ||
	    span->ts_to_ps <= span->ts_from_ps)
		return (usage_error(op->op_command, "%s: \"%s\": expected "
		    "milliseconds of the window, more than 0, or from when to "
		    "when, such as 5-7.5, at most %d", name, text,
		    TRACE_MS_MAX));
	return (0);
}

int
option_trace_finish(struct options *op)
{
	struct timeline_span *span = &op->op_trace_span;

	if (op->op_trace == NULL)
		return (span->ts_to_ps == 0 ? 0 : usage_error(op->op_command,
		    "--trace-time says which part of a trace to write: "
		    "expected --trace FILE as well"));
	if (!op->op_simulated)
		return (usage_error(op->op_command, "--trace shows a simulated "
		    "machine: add --engine %s", VIRTUAL_NAME));
	if (op->op_repeats > 1)
		return (usage_error(op->op_command, "--trace holds one repeat: "
		    "expected \"rngsim run\" without -n %u", op->op_repeats));
	if (op->op_uncertainty > 0)
		return (usage_error(op->op_command, "--trace holds one run: "
		    "expected it without --uncertainty"));
	if (op->op_output != NULL && strcmp(op->op_output, op->op_trace) == 0)
		return (usage_error(op->op_command, "--trace and -o name the "
		    "same file, \"%s\": expected two", op->op_trace));
	if ((double)span->ts_from_ps >= op->op_time_s * 1e3 * PS_PER_MS)
		return (usage_error(op->op_command, "--trace-time begins when "
		    "the window is over: expected less than its %g ms, or "
		    "more of -t", op->op_time_s * 1e3));
	if (span->ts_to_ps == 0)
		span->ts_to_ps = (uint64_t)(OPTION_TRACE_MS * PS_PER_MS);
	return (0);
}
