/*
 * A timeline as text: a column for each CPU that ran anything, a line for each
 * instant at which one of them changed.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/console/figure.h"
#include "bench/timeline/timeline_record.h"

enum {
	CODE_SIZE	= 12,
	CELL_SIZE	= 64,
	DEPTH_MAX	= 20,		/* slices of a CPU at an instant */
	NARROW		= 8,		/* columns of a cell, */
	WIDE		= 12,		/* where there are few */
	TIME_WIDTH	= 12,
	ASLEEP_MAX	= 4		/* named for each lock */
};

struct code {
	char		 co_text[CODE_SIZE];
};

struct cpu_now {
	uint32_t	 cn_slice[DEPTH_MAX];	/* enclosing ones first */
	unsigned	 cn_slices;
};

struct text_writer {
	const struct record *tw_record;
	FILE		*tw_out;
	struct cpu_now	*tw_cpu;
	uint32_t	*tw_column;	/* the CPUs that have one */
	uint32_t	 tw_columns;
	bool		*tw_on;		/* threads that have a CPU */
	uint32_t	*tw_waits;	/* what a thread waits for; or NONE */
	uint32_t	*tw_asleep;	/* waiters of each lock without a CPU */
	struct code	*tw_thread;
	struct code	*tw_lock;
	struct code	 tw_word[RECORD_WORDS_MAX];
	int		 tw_width;	/* of a cell */
	char		*tw_line;
	char		*tw_last;	/* the line printed before */
	size_t		 tw_line_size;
};

/* Whether none of the first count codes is that. */
static bool
is_new(const struct code *codes, uint32_t count, const char *text)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if (strcmp(codes[i].co_text, text) == 0)
			return (false);
	return (true);
}

/* "reader12": r12; "rand_harvestq": rh; where that is taken, t and a number. */
static void
code_thread(struct code *codes, uint32_t i, const char *name)
{
	size_t digits, length = strlen(name), used = 0, k;
	char *text = codes[i].co_text;

	for (digits = length; digits > 0 && name[digits - 1] >= '0' &&
	    name[digits - 1] <= '9';)
		digits--;
	for (k = 0; k < digits && used < 2; k++)
		if (k == 0 || name[k - 1] == '_' || name[k - 1] == '-' ||
		    name[k - 1] == ' ')
			text[used++] = name[k];
	snprintf(text + used, CODE_SIZE - used, "%.5s", name + digits);
	if (used == 0 || !is_new(codes, i, text))
		snprintf(text, CODE_SIZE, "t%u", i);
}

static void
code_lock(struct code *codes, uint32_t i)
{

	if (i < 26)
		snprintf(codes[i].co_text, CODE_SIZE, "%c", 'A' + (int)i);
	else
		snprintf(codes[i].co_text, CODE_SIZE, "%c%u",
		    'A' + (int)(i % 26), i / 26);
}

/* A letter that the word has and no other took, or a number. */
static void
code_word(struct code *codes, uint32_t i, const char *word)
{
	char *text = codes[i].co_text;

	for (; *word != '\0'; word++) {
		snprintf(text, CODE_SIZE, "%c", *word);
		if (*word >= 'a' && *word <= 'z' && is_new(codes, i, text))
			return;
	}
	snprintf(text, CODE_SIZE, "%u", i);
}

/* What a CPU does: who runs, what it holds, what it waits for, its work. */
static void
cell(const struct text_writer *tw, const struct cpu_now *cn,
    char text[CELL_SIZE])
{
	const struct record *re = tw->tw_record;
	size_t used = 0;
	unsigned i;

	snprintf(text, CELL_SIZE, ".");
	for (i = 0; i < cn->cn_slices && used < CELL_SIZE - 2; i++) {
		const struct slice *sl = &re->re_slice[cn->cn_slice[i]];
		const char *what = "", *code = "";

		switch (sl->sl_kind) {
		case SLICE_RUN:
			code = tw->tw_thread[sl->sl_thread].co_text;
			break;
		case SLICE_TAKE:
		case SLICE_WAIT:
			what = sl->sl_kind == SLICE_WAIT ? "?" : "+";
			code = tw->tw_lock[sl->sl_lock].co_text;
			break;
		case SLICE_HOLD:
			code = tw->tw_lock[sl->sl_lock].co_text;
			break;
		case SLICE_WORK:
			what = ":";
			code = sl->sl_about == RECORD_NONE ? "" :
			    tw->tw_word[sl->sl_about].co_text;
			break;
		case SLICE_HELD:
		case SLICE_WAITER:
			break;
		}
		used += (size_t)snprintf(text + used, CELL_SIZE - used,
		    "%s%s%s", i == 1 ? " " : "", what, code);
	}
}

/* Who waits without a CPU, by lock; not searched for where nobody does. */
static size_t
add_asleep(struct text_writer *tw, size_t used)
{
	const struct record *re = tw->tw_record;
	uint32_t lock, n, t;

	for (lock = 0; lock < re->re_locks; lock++) {
		if (tw->tw_asleep[lock] == 0)
			continue;
		used += (size_t)snprintf(tw->tw_line + used, tw->tw_line_size -
		    used, "%s?", tw->tw_lock[lock].co_text);
		for (n = t = 0; t < re->re_threads; t++) {
			if (tw->tw_waits[t] != lock || tw->tw_on[t] ||
			    n == ASLEEP_MAX)
				continue;
			used += (size_t)snprintf(tw->tw_line + used,
			    tw->tw_line_size - used, "%s%s", n++ == 0 ? "" :
			    ",", tw->tw_thread[t].co_text);
		}
		if (tw->tw_asleep[lock] > n)
			used += (size_t)snprintf(tw->tw_line + used,
			    tw->tw_line_size - used, "+%u",
			    tw->tw_asleep[lock] - n);
		used += (size_t)snprintf(tw->tw_line + used,
		    tw->tw_line_size - used, " ");
		/* Room was made for so much. */
		if (used + CELL_SIZE * 2 > tw->tw_line_size)
			break;
	}
	return (used);
}

static void
trim(char *line, size_t used)
{

	while (used > 0 && line[used - 1] == ' ')
		used--;
	line[used] = '\0';
}

/* Prints the instant, if it looks unlike the one before. */
static void
put_line(struct text_writer *tw, uint64_t ns)
{
	char text[CELL_SIZE], *swap;
	size_t used = 0;
	unsigned i;

	for (i = 0; i < tw->tw_columns; i++) {
		cell(tw, &tw->tw_cpu[tw->tw_column[i]], text);
		used += (size_t)snprintf(tw->tw_line + used, tw->tw_line_size -
		    used, "%-*s ", tw->tw_width - 1, text);
	}
	trim(tw->tw_line, add_asleep(tw, used));
	if (strcmp(tw->tw_line, tw->tw_last) == 0)
		return;
	fprintf(tw->tw_out, "%*" PRIu64 ".%03u  %s\n", TIME_WIDTH - 6,
	    ns / 1000, (unsigned)(ns % 1000), tw->tw_line);
	swap = tw->tw_last;
	tw->tw_last = tw->tw_line;
	tw->tw_line = swap;
}

static void
set_waits(struct text_writer *tw, uint32_t t, uint32_t lock)
{

	if (tw->tw_waits[t] != RECORD_NONE && !tw->tw_on[t])
		tw->tw_asleep[tw->tw_waits[t]]--;
	tw->tw_waits[t] = lock;
	if (lock != RECORD_NONE && !tw->tw_on[t])
		tw->tw_asleep[lock]++;
}

static void
set_on(struct text_writer *tw, uint32_t t, bool on)
{

	if (tw->tw_waits[t] != RECORD_NONE && on != tw->tw_on[t])
		tw->tw_asleep[tw->tw_waits[t]] += on ? UINT32_MAX : 1;
	tw->tw_on[t] = on;
}

static void
apply(struct text_writer *tw, const struct edge *ed)
{
	const struct slice *sl = &tw->tw_record->re_slice[ed->ed_slice];
	struct cpu_now *cn;
	unsigned i;

	if (sl->sl_kind == SLICE_WAITER)
		set_waits(tw, sl->sl_thread, ed->ed_start ? sl->sl_lock :
		    RECORD_NONE);
	if (!slice_on_cpu(sl))
		return;
	if (sl->sl_kind == SLICE_RUN)
		set_on(tw, sl->sl_thread, ed->ed_start);
	cn = &tw->tw_cpu[sl->sl_cpu];
	if (ed->ed_start) {
		if (cn->cn_slices < DEPTH_MAX)
			cn->cn_slice[cn->cn_slices++] = ed->ed_slice;
		return;
	}
	for (i = 0; i < cn->cn_slices && cn->cn_slice[i] != ed->ed_slice; i++)
		continue;
	if (i == cn->cn_slices)
		return;
	cn->cn_slices--;
	memmove(&cn->cn_slice[i], &cn->cn_slice[i + 1],
	    (cn->cn_slices - i) * sizeof(cn->cn_slice[0]));
}

static int
put_lines(struct text_writer *tw)
{
	uint64_t until = record_ns(tw->tw_record, tw->tw_record->re_until_ps);
	struct edge *edge;
	size_t i, n;
	int error;

	error = record_edges(tw->tw_record, SLICE_RUN, SLICE_WAITER, &edge, &n);
	if (error != 0)
		return (error);
	for (i = 0; i < n; i++) {
		apply(tw, &edge[i]);
		if (edge[i].ed_ns < until && (i + 1 == n ||
		    edge[i + 1].ed_ns != edge[i].ed_ns))
			put_line(tw, edge[i].ed_ns);
	}
	free(edge);
	return (0);
}

/* As figure_wrap(), of text that may hold anything. */
static void
put_words(FILE *out, const char *first, int indent, char *text)
{
	char *p;

	for (p = text; *p != '\0'; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	figure_wrap(out, first, indent, text);
}

static int
put_head(struct text_writer *tw)
{
	const struct record *re = tw->tw_record;
	size_t facts = 1, used = 0;
	char cpu[CELL_SIZE], *text;
	unsigned i;

	for (i = 0; i < re->re_fact_count; i++)
		facts += strlen(re->re_facts[i].tf_name) +
		    strlen(re->re_facts[i].tf_value) + 3;
	text = calloc(1, facts);
	if (text == NULL)
		return (ENOMEM);
	for (i = 0; i < re->re_fact_count; i++)
		used += (size_t)snprintf(text + used, facts - used, "%s%s %s",
		    i == 0 ? "" : ", ", re->re_facts[i].tf_name,
		    re->re_facts[i].tf_value);
	if (used > 0) {
		put_words(tw->tw_out, "", 0, text);
		fputc('\n', tw->tw_out);
	}
	free(text);
	fprintf(tw->tw_out, "%*s  ", TIME_WIDTH - 2, "us");
	used = 0;
	for (i = 0; i < tw->tw_columns; i++) {
		snprintf(cpu, sizeof(cpu), "CPU%u", tw->tw_column[i]);
		used += (size_t)snprintf(tw->tw_line + used, tw->tw_line_size -
		    used, "%-*s ", tw->tw_width - 1, cpu);
	}
	snprintf(tw->tw_line + used, tw->tw_line_size - used, "off CPU");
	fprintf(tw->tw_out, "%s\n", tw->tw_line);
	return (0);
}

/* How many CPUs have no column. */
static void
put_idle(const struct text_writer *tw)
{
	const uint32_t cpus = tw->tw_record->re_cpus;
	const uint32_t idle = cpus - tw->tw_columns;

	if (idle > 0)
		fprintf(tw->tw_out, "%u of %u CPUs ran nothing and %s no "
		    "column.\n", idle, cpus, idle == 1 ? "has" : "have");
}

/* One paragraph of a legend: "A reseed mutex, B hc_mtx". */
static int
put_names(struct text_writer *tw, const char *title, uint32_t count,
    const struct code *codes,
    const char *(*name)(const struct record *, uint32_t))
{
	const struct record *re = tw->tw_record;
	size_t size = 1, used = 0;
	char *text;
	uint32_t i;

	for (i = 0; i < count; i++)
		size += CODE_SIZE + RECORD_NAME_SIZE + 4;
	text = calloc(1, size);
	if (text == NULL)
		return (ENOMEM);
	for (i = 0; i < count; i++)
		if (codes[i].co_text[0] != '\0')
			used += (size_t)snprintf(text + used, size - used,
			    "%s%s %s", used == 0 ? "" : ", ", codes[i].co_text,
			    name(re, i));
	if (used > 0)
		put_words(tw->tw_out, title, TIME_WIDTH, text);
	free(text);
	return (0);
}

static int
put_legend(struct text_writer *tw)
{
	const struct record *re = tw->tw_record;
	int error;

	fputs("\nA cell has who runs, the locks it holds, ?A for one it waits "
	    "for, +A for one\nit takes, :w for its work; \".\" is idle.  "
	    "Off CPU are others that wait.\nTimes count from the opening of "
	    "the measured window.\n", tw->tw_out);
	put_idle(tw);
	error = put_names(tw, "  threads  ", re->re_threads, tw->tw_thread,
	    record_thread);
	if (error == 0)
		error = put_names(tw, "  locks    ", re->re_locks,
		    tw->tw_lock, record_lock);
	if (error == 0)
		error = put_names(tw, "  work     ", re->re_words,
		    tw->tw_word, record_word);
	if (re->re_left_out > 0)
		fprintf(tw->tw_out, "Left out behind this: %" PRIu64
		    " slices of time.\n", re->re_left_out);
	if (re->re_fault != NULL)
		fprintf(tw->tw_out, "It ends here: %s.\n", re->re_fault);
	return (error);
}

/* Codes of what occurs; the others stay empty. */
static void
make_codes(struct text_writer *tw)
{
	const struct record *re = tw->tw_record;
	const struct slice *sl;
	uint32_t i;

	for (i = 0; i < re->re_slices; i++) {
		sl = &re->re_slice[i];
		tw->tw_thread[sl->sl_thread].co_text[0] = '*';
		if (sl->sl_lock != RECORD_NONE)
			tw->tw_lock[sl->sl_lock].co_text[0] = '*';
		if (sl->sl_kind == SLICE_WORK && sl->sl_about != RECORD_NONE)
			tw->tw_word[sl->sl_about].co_text[0] = '*';
	}
	for (i = 0; i < re->re_threads; i++)
		if (tw->tw_thread[i].co_text[0] != '\0')
			code_thread(tw->tw_thread, i, record_thread(re, i));
	for (i = 0; i < re->re_locks; i++)
		if (tw->tw_lock[i].co_text[0] != '\0')
			code_lock(tw->tw_lock, i);
	for (i = 0; i < re->re_words; i++)
		if (tw->tw_word[i].co_text[0] != '\0')
			code_word(tw->tw_word, i, record_word(re, i));
}

/* Chooses the columns, and how wide they are. */
static void
find_columns(struct text_writer *tw)
{
	const struct record *re = tw->tw_record;
	uint32_t i;

	/* Marks, then the list in their place: it is never ahead of them. */
	for (i = 0; i < re->re_slices; i++)
		if (slice_on_cpu(&re->re_slice[i]))
			tw->tw_column[re->re_slice[i].sl_cpu] = 1;
	for (i = 0; i < re->re_cpus; i++)
		if (tw->tw_column[i] != 0)
			tw->tw_column[tw->tw_columns++] = i;
	tw->tw_width = tw->tw_columns * WIDE <= 60 ? WIDE : NARROW;
}

int
record_write_text(const struct record *re, FILE *out)
{
	struct text_writer tw = { .tw_record = re, .tw_out = out };
	int error = ENOMEM;

	tw.tw_line_size = (re->re_cpus + 16) * (CELL_SIZE + 1);
	tw.tw_cpu = calloc(re->re_cpus, sizeof(*tw.tw_cpu));
	tw.tw_column = calloc(re->re_cpus, sizeof(*tw.tw_column));
	tw.tw_on = calloc(re->re_threads + 1, sizeof(*tw.tw_on));
	tw.tw_waits = malloc((re->re_threads + 1) * sizeof(*tw.tw_waits));
	tw.tw_asleep = calloc(re->re_locks + 1, sizeof(*tw.tw_asleep));
	tw.tw_thread = calloc(re->re_threads + 1, sizeof(*tw.tw_thread));
	tw.tw_lock = calloc(re->re_locks + 1, sizeof(*tw.tw_lock));
	tw.tw_line = calloc(1, tw.tw_line_size);
	tw.tw_last = calloc(1, tw.tw_line_size);
	if (tw.tw_cpu != NULL && tw.tw_column != NULL && tw.tw_on != NULL &&
	    tw.tw_waits != NULL && tw.tw_asleep != NULL &&
	    tw.tw_thread != NULL && tw.tw_lock != NULL &&
	    tw.tw_line != NULL && tw.tw_last != NULL) {
		memset(tw.tw_waits, 0xff, (re->re_threads + 1) *
		    sizeof(*tw.tw_waits));
		find_columns(&tw);
		make_codes(&tw);
		error = put_head(&tw);
	}
	if (error == 0)
		error = put_lines(&tw);
	if (error == 0)
		error = put_legend(&tw);
	free(tw.tw_cpu);
	free(tw.tw_column);
	free(tw.tw_on);
	free(tw.tw_waits);
	free(tw.tw_asleep);
	free(tw.tw_thread);
	free(tw.tw_lock);
	free(tw.tw_line);
	free(tw.tw_last);
	return (error);
}
