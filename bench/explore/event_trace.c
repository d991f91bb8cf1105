#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "bench/cli/format.h"
#include "bench/explore/event_trace.h"
#include "lib/base/kassert.h"

enum { STEP_COLUMNS = 7 };

void
event_trace_add(struct event_trace *et, uint64_t step, unsigned thread,
    const char *fmt, ...)
{
	struct trace_event *te = &et->et_event[et->et_count++ %
	    EVENT_TRACE_EVENTS];
	va_list ap;

	MPASS(thread < EVENT_TRACE_THREADS_MAX);
	te->te_step = step;
	te->te_thread = thread;
	va_start(ap, fmt);
	vsnprintf(te->te_text, sizeof(te->te_text), fmt, ap);
	va_end(ap);
}

/* A counter; in a buffer that is FORMATF()'s. */
#define	COUNTER(c)							\
	(uint128_hi(c) == 0 ? FORMATF("%" PRIu64, uint128_lo(c)) :	\
	FORMATF("%" PRIx64 ":%" PRIx64, uint128_hi(c), uint128_lo(c)))

void
event_trace_add_record(struct event_trace *et, uint64_t step,
    const struct ledger_record *lr)
{
	const char *lo = COUNTER(lr->lr_lo), *op = ledger_op_names[lr->lr_op];
	const unsigned key = lr->lr_key, thread = lr->lr_thread;

	switch (lr->lr_op) {
	case LEDGER_BEGIN:
		event_trace_add(et, step, thread, "reads %s",
		    COUNTER(lr->lr_hi));
		break;
	case LEDGER_END:
		event_trace_add(et, step, thread, "returns");
		break;
	case LEDGER_SET:
	case LEDGER_WIPE:
		event_trace_add(et, step, thread, "%s K%u%s", op, key,
		    lr->lr_wiped ? " gone" : "");
		break;
	case LEDGER_USE:
		/* The last counter; a log has the one after it. */
		event_trace_add(et, step, thread, "use K%u %s..%s", key, lo,
		    COUNTER(uint128_before(lr->lr_hi)));
		break;
	case LEDGER_INSTALL:
		event_trace_add(et, step, thread, "K is K%u C %s", key, lo);
		break;
	case LEDGER_EVENT:
		event_trace_add(et, step, thread, "event P%s", lo);
		break;
	case LEDGER_DRAIN:
		event_trace_add(et, step, thread, "drain %s pools", lo);
		break;
	default:
		event_trace_add(et, step, thread, "%s %u", op,
		    lr->lr_generation);
	}
}

void
event_trace_print(FILE *out, const struct event_trace *et)
{
	const unsigned first = et->et_count > EVENT_TRACE_EVENTS ?
	    et->et_count - EVENT_TRACE_EVENTS : 0;
	int at[EVENT_TRACE_THREADS_MAX], columns = 0, width;
	bool used[EVENT_TRACE_THREADS_MAX] = { false };
	const struct trace_event *te;
	unsigned i;

	for (i = first; i < et->et_count; i++)
		used[et->et_event[i % EVENT_TRACE_EVENTS].te_thread] = true;
	for (i = 0; i < EVENT_TRACE_THREADS_MAX; i++) {
		at[i] = columns;
		columns += used[i];
	}
	if (columns == 0)
		return;
	width = (FORMAT_COLUMNS - 1 - STEP_COLUMNS) / columns;
	if (width > EVENT_TRACE_TEXT_SIZE)
		width = EVENT_TRACE_TEXT_SIZE;
	fprintf(out, "%*s", STEP_COLUMNS - 1, "step");
	for (i = 0; i < EVENT_TRACE_THREADS_MAX; i++)
		if (used[i])
			fprintf(out, " %-*.*s", at[i] + 1 == columns ? 0 :
			    width - 1, width - 1, i == 0 ? "setup" :
			    et->et_name[i]);
	fputc('\n', out);
	if (first > 0)
		fprintf(out, "%*s (%u before these)\n", STEP_COLUMNS - 1,
		    "...", first);
	for (i = first; i < et->et_count; i++) {
		te = &et->et_event[i % EVENT_TRACE_EVENTS];
		fprintf(out, "%*" PRIu64 " %*s%.*s\n", STEP_COLUMNS - 1,
		    te->te_step, at[te->te_thread] * width, "", width - 1,
		    te->te_text);
	}
	for (i = 0; i < et->et_locks; i++)
		fprintf(out, "%sL%u %s", i == 0 ? "       " : ", ", i + 1,
		    et->et_lock[i]);
	if (et->et_locks > 0)
		fputc('\n', out);
}
