#include "bench/explore/event_trace.h"
#include "bench/page/page.h"

enum {
	STEP_COLUMNS	= 7,	/* of text */
	/* Units of the picture. */
	ROW		= 22,
	TOP		= 30,
	STEP_WIDTH	= 60,
	THREAD_WIDTH	= 190,
	BAR_WIDTH	= 5,
	BARS		= 4,	/* locks whose bars stand side by side */
	TEXT_AT		= BARS * (BAR_WIDTH + 2) + 10
};

void
event_trace_add(struct event_trace *et, uint64_t step, unsigned thread,
    const char *fmt, ...)
{
	struct trace_event *te;

	MPASS(thread < EVENT_TRACE_THREADS_MAX);
	if (et == NULL)
		return;
	te = &et->et_event[et->et_count++ % EVENT_TRACE_EVENTS];
	te->te_step = step;
	te->te_thread = thread;
	VFORMAT(te->te_text, sizeof(te->te_text), fmt);
}

/* A counter; in a buffer that is FORMATF()'s. */
#define	COUNTER(c)							\
	(uint128_hi(c) == 0 ? FORMATF("%" PRIu64, uint128_lo(c)) :	\
	FORMATF("%" PRIx64 ":%" PRIx64, uint128_hi(c), uint128_lo(c)))

void
event_trace_add_record(struct event_trace *et, uint64_t step,
    const struct ledger_record *lr)
{
	const char *lo = COUNTER(lr->lgr_lo), *op = ledger_op_names[lr->lgr_op];
	const unsigned key = lr->lgr_key;

	event_trace_add(et, step, lr->lgr_thread, "%s",
	    lr->lgr_op == LEDGER_BEGIN ?
	    FORMATF("reads %s", COUNTER(lr->lgr_hi)) :
	    lr->lgr_op == LEDGER_END ? "returns" :
	    lr->lgr_op == LEDGER_SET || lr->lgr_op == LEDGER_WIPE ?
	    FORMATF("%s K%u%s", op, key, lr->lgr_wiped ? " gone" : "") :
	    /* The last counter; a log has the one after it. */
	    lr->lgr_op == LEDGER_USE ?
	    FORMATF("use K%u %s..%s", key, lo, COUNTER(lr->lgr_hi - 1)) :
	    lr->lgr_op == LEDGER_INSTALL ? FORMATF("K is K%u C %s", key, lo) :
	    lr->lgr_op == LEDGER_EVENT ? FORMATF("event P%s", lo) :
	    lr->lgr_op == LEDGER_DRAIN ? FORMATF("drain %s pools", lo) :
	    FORMATF("%s %u", op, lr->lgr_generation));
}

/* The first event that is kept. */
static unsigned
first_event(const struct event_trace *et)
{
	return (MAX(et->et_count, EVENT_TRACE_EVENTS) - EVENT_TRACE_EVENTS);
}

static const struct trace_event *
event_at(const struct event_trace *et, unsigned i)
{
	return (&et->et_event[i % EVENT_TRACE_EVENTS]);
}

/* Gives each thread that has events a column, from 0.  Returns: how many. */
static int
set_columns(const struct event_trace *et, int column[EVENT_TRACE_THREADS_MAX])
{
	int columns = 0;

	for (unsigned i = 0; i < EVENT_TRACE_THREADS_MAX; i++)
		column[i] = -1;
	for (unsigned i = first_event(et); i < et->et_count; i++)
		column[event_at(et, i)->te_thread] = 0;
	for (unsigned i = 0; i < EVENT_TRACE_THREADS_MAX; i++)
		if (column[i] == 0)
			column[i] = columns++;
	return (columns);
}

/* The first event of those that are kept with which all is lost, or behind. */
static unsigned
lost_event(const struct event_trace *et)
{
	unsigned i = first_event(et);

	while (i < et->et_count && event_at(et, i)->te_step < et->et_lost)
		i++;
	return (et->et_lost == 0 ? UINT_MAX : i);
}

void
event_trace_print(FILE *out, const struct event_trace *et)
{
	const unsigned first = first_event(et), lost = lost_event(et);
	int column[EVENT_TRACE_THREADS_MAX], columns, width;
	const struct trace_event *te;

	if ((columns = set_columns(et, column)) == 0)
		return;
	width = (FORMAT_COLUMNS - 1 - STEP_COLUMNS) / columns;
	width = MIN(width, EVENT_TRACE_TEXT_SIZE);
	fprintf(out, "%*s", STEP_COLUMNS - 1, "step");
	for (unsigned i = 0; i < EVENT_TRACE_THREADS_MAX; i++)
		if (column[i] >= 0)
			fprintf(out, " %-*.*s", column[i] + 1 == columns ? 0 :
			    width - 1, width - 1, et->et_name[i]);
	fputc('\n', out);
	if (first > 0)
		fprintf(out, "%*s (%u before these)\n", STEP_COLUMNS - 1,
		    "...", first);
	for (unsigned i = first;; i++) {
		if (i == lost)
			fprintf(out, "%*" PRIu64 " %s\n", STEP_COLUMNS - 1,
			    et->et_lost, et->et_lost_text);
		if (i == et->et_count)
			break;
		te = event_at(et, i);
		fprintf(out, "%*" PRIu64 " %*s%.*s\n", STEP_COLUMNS - 1,
		    te->te_step, column[te->te_thread] * width, "", width - 1,
		    te->te_text);
	}
	for (unsigned i = 0; i < et->et_locks; i++)
		fprintf(out, "%sL%u %s", i == 0 ? "       " : ", ", i + 1,
		    et->et_lock[i]);
	if (et->et_locks > 0)
		fputc('\n', out);
}

/* The lock of an event "tries L1", "holds L1", "frees L1"; 0: another event. */
static unsigned
lock_of(const struct trace_event *te, const char *verb)
{
	const size_t len = strlen(verb);
	unsigned lock = 0;

	if (strncmp(te->te_text, verb, len) == 0)
		(void)sscanf(te->te_text + len, " L%u", &lock);
	return (lock);
}

/* A bar from an event that takes or requests a lock to the one that ends it. */
static void
draw_bar(FILE *out, const struct event_trace *et, unsigned i, int x, int y,
    const char *class, const char *begin, const char *end)
{
	const struct trace_event *te = event_at(et, i), *other;
	const unsigned lock = lock_of(te, begin);
	unsigned k;

	if (lock == 0)
		return;
	for (k = i + 1; k < et->et_count; k++) {
		other = event_at(et, k);
		if (other->te_thread == te->te_thread &&
		    lock_of(other, end) == lock)
			break;
	}
	fprintf(out, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" "
	    "height=\"%u\"/>\n", class, x + (int)(lock - 1) % BARS *
	    (BAR_WIDTH + 2), y, BAR_WIDTH, (k - i) * ROW);
}

static void
draw_text(FILE *out, int x, int y, const char *text)
{
	fprintf(out, "<text x=\"%d\" y=\"%d\">", x, y);
	page_escape(out, text, strlen(text));
	fputs("</text>\n", out);
}

void
event_trace_draw(FILE *out, const struct event_trace *et)
{
	const unsigned first = first_event(et), lost = lost_event(et);
	const int height = TOP + (int)(et->et_count - first + 1) * ROW;
	int column[EVENT_TRACE_THREADS_MAX], width, x, y;
	const struct trace_event *te;

	width = STEP_WIDTH + set_columns(et, column) * THREAD_WIDTH;
	fprintf(out, "<div class=\"table timeline\" tabindex=\"0\">"
	    "<svg role=\"img\" aria-label=\"Timeline of threads; the text "
	    "above has its events\" width=\"%d\" height=\"%d\" "
	    "viewBox=\"0 0 %d %d\">\n", width, height, width, height);
	for (unsigned i = 0; i < EVENT_TRACE_THREADS_MAX; i++) {
		if (column[i] < 0)
			continue;
		x = STEP_WIDTH + column[i] * THREAD_WIDTH;
		fprintf(out, "<path d=\"M%d,%d V%d\"/>\n", x, TOP - 6, height);
		draw_text(out, x, TOP - 10, et->et_name[i]);
	}
	for (unsigned i = first;; i++) {
		y = TOP + (int)(i - first) * ROW + ROW / 2;
		if (i == lost)
			fprintf(out, "<path class=\"lost\" d=\"M0,%d H%d\">"
			    "<title>%s</title></path>\n", y - ROW / 2, width,
			    et->et_lost_text);
		if (i == et->et_count)
			break;
		te = event_at(et, i);
		x = STEP_WIDTH + column[te->te_thread] * THREAD_WIDTH;
		draw_bar(out, et, i, x + 4, y, "held", "holds", "frees");
		draw_bar(out, et, i, x + 4, y, "asked", "tries", "holds");
		fprintf(out, "<circle cx=\"%d\" cy=\"%d\" r=\"4\"/>\n", x, y);
		draw_text(out, 4, y + 4, FORMATF("%" PRIu64, te->te_step));
		draw_text(out, x + TEXT_AT, y + 4, te->te_text);
	}
	fprintf(out, "</svg></div>\n<p class=\"legend\">Time runs downwards; a "
	    "number at the left is the step. A solid bar: the thread holds a "
	    "lock; a hollow one: it waits for it.%s</p>\n", et->et_lost == 0 ?
	    "" : " From the line across on, no run that was tried ended well.");
}
