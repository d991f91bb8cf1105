/*
 * The last events of an execution on a page: a column for each thread, time
 * downwards; then step by step.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "bench/cli/memory.h"
#include "bench/explore/print.h"
#include "bench/page/page.h"

enum {
	/* Units of the picture. */
	ROW		= 22,
	TOP		= 30,
	STEP_WIDTH	= 60,
	THREAD_WIDTH	= 190,
	BAR_WIDTH	= 5,
	BARS		= 4,	/* locks whose bars stand side by side */
	TEXT_AT		= BARS * (BAR_WIDTH + 2) + 10
};

static unsigned
first_event(const struct event_trace *et)
{
	return (et->et_count > EVENT_TRACE_EVENTS ?
	    et->et_count - EVENT_TRACE_EVENTS : 0);
}

static const struct trace_event *
event_at(const struct event_trace *et, unsigned i)
{
	return (&et->et_event[i % EVENT_TRACE_EVENTS]);
}

static const char *
thread_name(const struct event_trace *et, unsigned thread)
{
	return (thread == 0 ? "setup" : et->et_name[thread]);
}

/* The lock of an event "tries L1", "holds L1", "frees L1"; 0: another event. */
static unsigned
lock_of(const struct trace_event *te, const char *verb)
{
	const size_t len = strlen(verb);
	unsigned lock = 0;

	if (strncmp(te->te_text, verb, len) != 0 ||
	    sscanf(te->te_text + len, " L%u", &lock) != 1)
		return (0);
	return (lock);
}

/* A bar from an event that takes or requests a lock to the one that ends it. */
static void
print_bar(FILE *out, const struct event_trace *et, unsigned i, int left,
    const char *class, const char *begin, const char *end)
{
	const struct trace_event *te = event_at(et, i);
	const unsigned lock = lock_of(te, begin), first = first_event(et);
	unsigned k;

	if (lock == 0)
		return;
	for (k = i + 1; k < et->et_count; k++)
		if (event_at(et, k)->te_thread == te->te_thread &&
		    lock_of(event_at(et, k), end) == lock)
			break;
	fprintf(out, "<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"%d\" "
	    "height=\"%u\"/>\n", class, (unsigned)left + (lock - 1) % BARS *
	    (BAR_WIDTH + 2), TOP + (i - first) * ROW + ROW / 2, BAR_WIDTH,
	    (k - i) * ROW);
}

static void
print_text(FILE *out, int x, unsigned y, const char *text)
{
	fprintf(out, "<text x=\"%d\" y=\"%u\">", x, y);
	page_escape(out, text, strlen(text));
	fputs("</text>\n", out);
}

static void
print_picture(FILE *out, const struct event_trace *et)
{
	const unsigned first = first_event(et);
	const unsigned height = TOP + (et->et_count - first) * ROW + ROW;
	int at[EVENT_TRACE_THREADS_MAX] = { 0 }, right = STEP_WIDTH;
	const struct trace_event *te;
	unsigned y;

	for (unsigned i = first; i < et->et_count; i++)
		at[event_at(et, i)->te_thread] = 1;
	for (unsigned i = 0; i < EVENT_TRACE_THREADS_MAX; i++) {
		if (at[i] == 0)
			continue;
		at[i] = right;
		right += THREAD_WIDTH;
	}
	fprintf(out, "<div class=\"table timeline\" tabindex=\"0\">"
	    "<svg role=\"img\" aria-label=\"Timeline of threads; the table "
	    "below has its events\" width=\"%d\" height=\"%u\" "
	    "viewBox=\"0 0 %d %u\">\n", right, height, right, height);
	for (unsigned i = 0; i < EVENT_TRACE_THREADS_MAX; i++) {
		if (at[i] == 0)
			continue;
		fprintf(out, "<path d=\"M%d,%d V%u\"/>\n", at[i], TOP - 6,
		    height);
		print_text(out, at[i], TOP - 10, thread_name(et, i));
	}
	for (unsigned i = first; i < et->et_count; i++) {
		te = event_at(et, i);
		y = TOP + (i - first) * ROW + ROW / 2;
		print_bar(out, et, i, at[te->te_thread] + 4, "held", "holds",
		    "frees");
		print_bar(out, et, i, at[te->te_thread] + 4, "asked", "tries",
		    "holds");
		fprintf(out, "<circle cx=\"%d\" cy=\"%u\" r=\"4\"/>\n",
		    at[te->te_thread], y);
		print_text(out, 4, y + 4, FORMATF("%" PRIu64, te->te_step));
		print_text(out, at[te->te_thread] + TEXT_AT, y + 4,
		    te->te_text);
	}
	fputs("</svg></div>\n<p class=\"legend\">Time runs downwards; a number "
	    "at the left is the step. A solid bar: the thread holds a lock; a "
	    "hollow one: it waits for it.", out);
	for (unsigned i = 0; i < et->et_locks; i++) {
		fprintf(out, " L%u: ", i + 1);
		page_escape(out, et->et_lock[i], strlen(et->et_lock[i]));
		fputc('.', out);
	}
	fputs("</p>\n", out);
}

static void
print_steps(FILE *out, const void *of)
{
	static const struct column columns[] = {
		{ "step", 1 }, { "thread", -1 }, { "what it does", -1 }
	};
	const struct event_trace *et = of;
	const struct trace_event *te;

	COLUMNS_TITLES(out, columns);
	for (unsigned i = first_event(et); i < et->et_count; i++) {
		te = event_at(et, i);
		COLUMNS_ROW(out, columns, FORMATF("%" PRIu64, te->te_step),
		    thread_name(et, te->te_thread), te->te_text);
	}
}

static void
print_failure(FILE *out, const void *of)
{
	const struct explore_page *ep = of;

	explore_print_failure(out, ep->ep_case, ep->ep_outcome);
}

void
explore_page(FILE *out, const void *of)
{
	const struct explore_page *ep = of;
	const struct event_trace *et = ep->ep_trace;
	char *file = NULL;
	FILE *memory;
	size_t size;

	page_begin(out, FORMATF("rngsim: %.100s", ep->ep_path),
	    PAGE_CHECKED, "in a controlled schedule, not measured: a schedule "
	    "that breaks a property");
	page_printed(out, print_failure, ep);
	page_section(out, "timeline", "Timeline");
	print_picture(out, et);
	page_section(out, "steps", "Step by step");
	if (first_event(et) > 0)
		page_paragraph(out, "p", FORMATF("%u events before these are "
		    "left out.", first_event(et)));
	page_printed(out, print_steps, et);
	page_section(out, "replay", "To run it again");
	page_paragraph(out, "p", "Save these lines as FILE, and run \"rngsim "
	    "explore --replay FILE\".");
	memory = xmemstream(&file, &size);
	counterexample_print(memory, ep->ep_case);
	xmemclose(memory);
	page_paragraph(out, "pre tabindex=\"0\"", file);
	free(file);
	page_end(out);
}
