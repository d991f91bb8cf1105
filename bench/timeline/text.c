/*
 * A timeline as text: a column for each CPU that ran a thread, a line for each
 * instant at which one of them changed.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/format.h"
#include "bench/cli/memory.h"
#include "bench/timeline/impl.h"

enum {
	CODE_SIZE	= 12,
	NARROW		= 8,		/* columns of a cell, */
	WIDE		= 12,		/* where there are few */
	TIME_WIDTH	= 12,
	ASLEEP_MAX	= 4		/* named for each lock */
};

struct writer {
	struct timeline *wr_tl;
	FILE		*wr_out;
	bool		 wr_column[CPUS_MAX];	/* it ran a thread */
	unsigned	 wr_columns;
	int		 wr_width;	/* of a cell */
	char		 wr_code[VM_THREADS_MAX][CODE_SIZE];
	struct text	 wr_line;
	struct text	 wr_last;	/* the line printed before */
};

/* "reader12": r12; "rand_harvestq": rh; if that is taken, t and a number. */
static void
code_thread(struct writer *wr, uint32_t t)
{
	const char *name = wr->wr_tl->tl_thread_name[t];
	size_t digits = strlen(name), used = 0;
	char *text = wr->wr_code[t];
	uint32_t i;

	while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
		digits--;
	for (size_t k = 0; k < digits && used < 2; k++)
		if (k == 0 || strchr("_- ", name[k - 1]) != NULL)
			text[used++] = name[k];
	snprintf(text + used, CODE_SIZE - used, "%.5s", name + digits);
	for (i = 0; i < t && strcmp(wr->wr_code[i], text) != 0; i++)
		continue;
	if (used == 0 || i < t)
		snprintf(text, CODE_SIZE, "t%u", t);
}

/* "A" to "Z", then "A1". */
static const char *
code_lock(char buf[FORMAT_CELL], uint32_t lock)
{
	return (format_cell(buf, "%c%.0u", 'A' + (int)(lock % 26), lock / 26));
}

#define	LOCK(lock)	code_lock((char[FORMAT_CELL]){ 0 }, lock)

/* What a CPU does: its thread, what that holds and asks for. */
static void
add_cell(struct writer *wr, uint32_t cpu)
{
	const uint32_t t = wr->wr_tl->tl_first.st_on[cpu];
	const struct thread_now *tn;
	struct text cell = { .s = "." };

	if (t != NONE) {
		tn = &wr->wr_tl->tl_first.st_thread[t];
		cell.s[0] = '\0';
		text_add(&cell, "%s%s", wr->wr_code[t], tn->tn_holds > 0 ||
		    tn->tn_asks != NONE ? " " : "");
		for (uint32_t i = 0; i < tn->tn_holds; i++)
			text_add(&cell, "%s", LOCK(tn->tn_held[i]));
		if (tn->tn_asks != NONE)
			text_add(&cell, "?%s", LOCK(tn->tn_asks));
	}
	text_add(&wr->wr_line, "%-*s ", wr->wr_width - 1, cell.s);
}

/* Threads without a CPU that ask for a lock, by lock. */
static void
add_asleep(struct writer *wr)
{
	const struct thread_now *tn = wr->wr_tl->tl_first.st_thread;
	uint32_t n, t;

	for (uint32_t lock = 0; lock < wr->wr_tl->tl_locks; lock++) {
		for (n = t = 0; t < wr->wr_tl->tl_threads; t++)
			if (tn[t].tn_asks == lock && tn[t].tn_cpu == NONE &&
			    n++ < ASLEEP_MAX)
				text_add(&wr->wr_line, "%s%s%s", n > 1 ? "," :
				    LOCK(lock), n > 1 ? "" : "?",
				    wr->wr_code[t]);
		if (n > ASLEEP_MAX)
			text_add(&wr->wr_line, "+%u", n - ASLEEP_MAX);
		if (n > 0)
			text_add(&wr->wr_line, " ");
	}
}

/* Prints the instant, if it looks unlike the one before. */
static void
put_line(struct writer *wr, uint64_t ns)
{
	wr->wr_line.s[0] = '\0';
	for (uint32_t i = 0; i < wr->wr_tl->tl_cpus; i++)
		if (wr->wr_column[i])
			add_cell(wr, i);
	add_asleep(wr);
	for (size_t used = strlen(wr->wr_line.s); used > 0 &&
	    wr->wr_line.s[used - 1] == ' ';)
		wr->wr_line.s[--used] = '\0';
	if (strcmp(wr->wr_line.s, wr->wr_last.s) == 0)
		return;
	fprintf(wr->wr_out, "%*" PRIu64 ".%03u  %s\n", TIME_WIDTH - 6,
	    ns / 1000, (unsigned)(ns % 1000), wr->wr_line.s);
	wr->wr_last = wr->wr_line;
}

/* Names may hold anything. */
static void
put_paragraph(FILE *out, const char *first, int indent, struct text *t)
{
	text_clean(t);
	if (t->s[0] != '\0')
		format_wrap(out, first, indent, t->s);
}

static void
put_head(struct writer *wr)
{
	const struct timeline *tl = wr->wr_tl;
	struct text t = { .s = "" };

	for (unsigned i = 0; i < tl->tl_fact_count; i++)
		text_list(&t, "%s %s", tl->tl_facts[i].tf_name,
		    tl->tl_facts[i].tf_value);
	put_paragraph(wr->wr_out, "", 0, &t);
	fprintf(wr->wr_out, "\n%*s  ", TIME_WIDTH - 2, "us");
	for (unsigned i = 0; i < tl->tl_cpus; i++)
		if (wr->wr_column[i])
			fprintf(wr->wr_out, "%-*s ", wr->wr_width - 1,
			    FORMATF("CPU%u", i));
	fputs("off CPU\n", wr->wr_out);
}

static void
put_legend(struct writer *wr)
{
	const struct timeline *tl = wr->wr_tl;
	const uint32_t idle = tl->tl_cpus - wr->wr_columns;
	struct text locks = { .s = "" }, threads = { .s = "" };

	fputs("\nA cell has the thread that runs, the locks it holds, and ?A "
	    "for one it asks for;\n\".\" is idle.  Off CPU are others that "
	    "ask.\nTimes count from the opening of the measured window.\n",
	    wr->wr_out);
	if (idle > 0)
		fprintf(wr->wr_out, "%u of %u CPUs ran nothing and %s no "
		    "column.\n", idle, tl->tl_cpus, idle == 1 ? "has" : "have");
	for (uint32_t i = 0; i < tl->tl_threads; i++)
		text_list(&threads, "%s %s", wr->wr_code[i],
		    tl->tl_thread_name[i]);
	for (uint32_t i = 0; i < tl->tl_locks; i++)
		text_list(&locks, "%s %s", LOCK(i), tl->tl_lock_name[i]);
	put_paragraph(wr->wr_out, "  threads  ", TIME_WIDTH, &threads);
	put_paragraph(wr->wr_out, "  locks    ", TIME_WIDTH, &locks);
	if (tl->tl_left_out > 0)
		fprintf(wr->wr_out, "%" PRIu64 " events after this are left "
		    "out.\n", tl->tl_left_out);
	if (tl->tl_fault[0] != '\0')
		fprintf(wr->wr_out, "It ends here: %s.\n", tl->tl_fault);
}

/* Codes, and the columns. */
static void
prepare(struct writer *wr)
{
	const struct timeline *tl = wr->wr_tl;

	for (uint32_t i = 0; i < tl->tl_threads; i++)
		code_thread(wr, i);
	for (uint32_t i = 0; i < tl->tl_events; i++)
		if (tl->tl_event[i].ev_kind == VM_CPU_ON)
			wr->wr_column[tl->tl_event[i].ev_cpu] = true;
	for (uint32_t i = 0; i < tl->tl_cpus; i++) {
		wr->wr_column[i] |= wr->wr_tl->tl_first.st_on[i] != NONE;
		wr->wr_columns += wr->wr_column[i];
	}
	wr->wr_width = wr->wr_columns * WIDE <= 60 ? WIDE : NARROW;
}

void
timeline_write_text(struct timeline *tl, FILE *out)
{
	struct writer *wr = xcalloc(1, sizeof(*wr));
	const struct event *ev = tl->tl_event, *end = ev + tl->tl_events;

	wr->wr_tl = tl;
	wr->wr_out = out;
	prepare(wr);
	put_head(wr);
	if (ev == end || ev->ev_ns > tl->tl_from_ns)
		put_line(wr, tl->tl_from_ns);
	for (; ev < end; ev++) {
		state_apply(&wr->wr_tl->tl_first, ev);
		if (ev->ev_ns < tl->tl_until_ns && (ev + 1 == end ||
		    ev[1].ev_ns != ev->ev_ns))
			put_line(wr, ev->ev_ns);
	}
	put_legend(wr);
	free(wr);
}
