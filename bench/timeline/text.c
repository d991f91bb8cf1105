/*
 * A timeline as text: a column for each CPU that ran a thread, a line for each
 * instant at which one of them changed.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/format.h"
#include "bench/timeline/impl.h"

enum {
	CODE_SIZE	= 12,
	CELL_SIZE	= 64,
	DEPTH_MAX	= 20,		/* slices of a CPU at an instant */
	NARROW		= 8,		/* columns of a cell, */
	WIDE		= 12,		/* where there are few */
	TIME_WIDTH	= 12,
	ASLEEP_MAX	= 4		/* named for each lock */
};

typedef char code[CODE_SIZE];

/* What has codes; an empty code: it does not occur. */
enum { THREADS, LOCKS, WORDS, CODES };

struct cpu_now {
	uint32_t	 cn_slice[DEPTH_MAX];	/* enclosing ones first */
	unsigned	 cn_slices;
	bool		 cn_column;	/* it has one */
};

struct thread_now {
	bool		 tn_on;		/* a CPU */
	uint32_t	 tn_lock;	/* that it waits for; or NONE */
};

struct text_writer {
	const struct timeline *tw_timeline;
	FILE		*tw_out;
	uint32_t	 tw_count[CODES];
	code		*tw_code[CODES];	/* by number */
	struct cpu_now	*tw_cpu;
	struct thread_now *tw_thread;
	uint32_t	*tw_asleep;	/* by lock: waiters without a CPU */
	uint32_t	 tw_columns;
	int		 tw_width;	/* of a cell */
	FILE		*tw_stream;	/* into tw_line */
	char		*tw_line;
	size_t		 tw_size;
	char		*tw_last;	/* the line printed before */
};

static const struct {
	const char	*title;		/* in the legend */
	const char	*(*name)(const struct timeline *, uint32_t);
} coded[CODES] = {
	{ "  threads  ", timeline_thread_name },
	{ "  locks    ", timeline_lock_name },
	{ "  work     ", timeline_word },
};

/* Whether none before the i-th code is this. */
static bool
is_new(code *codes, uint32_t i, const char *text)
{

	while (i-- > 0)
		if (strcmp(codes[i], text) == 0)
			return (false);
	return (true);
}

/* "reader12": r12; "rand_harvestq": rh; if that is taken, t and a number. */
static void
code_thread(code *codes, uint32_t i, const char *name)
{
	size_t digits = strlen(name), used = 0, k;
	char *text = codes[i];

	while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
		digits--;
	for (k = 0; k < digits && used < 2; k++)
		if (k == 0 || strchr("_- ", name[k - 1]) != NULL)
			text[used++] = name[k];
	snprintf(text + used, CODE_SIZE - used, "%.5s", name + digits);
	if (used == 0 || !is_new(codes, i, text))
		snprintf(text, CODE_SIZE, "t%u", i);
}

/* "A" to "Z", then "A1". */
static void
code_lock(code *codes, uint32_t i, const char *name)
{

	(void)name;
	snprintf(codes[i], CODE_SIZE, "%c%.0u", 'A' + (int)(i % 26), i / 26);
}

/* A letter of the word that no other has, or a number. */
static void
code_word(code *codes, uint32_t i, const char *word)
{

	for (; *word != '\0'; word++) {
		snprintf(codes[i], CODE_SIZE, "%c", *word);
		if (*word >= 'a' && *word <= 'z' && is_new(codes, i, codes[i]))
			return;
	}
	snprintf(codes[i], CODE_SIZE, "%u", i);
}

/* What a CPU does: its thread, what that holds, waits for and works at. */
static void
cell(const struct text_writer *tw, const struct cpu_now *cn,
    char text[CELL_SIZE])
{
	static const char *const signs[] = { [SLICE_RUN] = "",
	    [SLICE_TAKE] = "+", [SLICE_WAIT] = "?", [SLICE_HOLD] = "",
	    [SLICE_WORK] = ":" };
	const struct slice *sl;
	const char *what;
	size_t used = 0;
	unsigned i;

	snprintf(text, CELL_SIZE, ".");
	for (i = 0; i < cn->cn_slices && used < CELL_SIZE - 2; i++) {
		sl = &tw->tw_timeline->tl_slice[cn->cn_slice[i]];
		if (sl->sl_kind == SLICE_RUN)
			what = tw->tw_code[THREADS][sl->sl_thread];
		else if (sl->sl_kind != SLICE_WORK)
			what = tw->tw_code[LOCKS][sl->sl_lock];
		else
			what = sl->sl_about == NONE ? "" :
			    tw->tw_code[WORDS][sl->sl_about];
		used += (size_t)snprintf(text + used, CELL_SIZE - used,
		    "%s%s%s", i == 1 ? " " : "", signs[sl->sl_kind], what);
	}
}

/* Waiters without a CPU, by lock. */
static void
put_asleep(struct text_writer *tw)
{
	const uint32_t threads = tw->tw_count[THREADS];
	const struct thread_now *tn = tw->tw_thread;
	uint32_t lock, n, t;

	memset(tw->tw_asleep, 0, tw->tw_count[LOCKS] * sizeof(*tw->tw_asleep));
	for (t = 0; t < threads; t++)
		if (tn[t].tn_lock != NONE && !tn[t].tn_on)
			tw->tw_asleep[tn[t].tn_lock]++;
	for (lock = 0; lock < tw->tw_count[LOCKS]; lock++) {
		if (tw->tw_asleep[lock] == 0)
			continue;
		fprintf(tw->tw_stream, "%s?", tw->tw_code[LOCKS][lock]);
		for (n = t = 0; t < threads && n < ASLEEP_MAX; t++)
			if (tn[t].tn_lock == lock && !tn[t].tn_on)
				fprintf(tw->tw_stream, "%s%s", n++ == 0 ? "" :
				    ",", tw->tw_code[THREADS][t]);
		if (tw->tw_asleep[lock] > n)
			fprintf(tw->tw_stream, "+%u", tw->tw_asleep[lock] - n);
		fputc(' ', tw->tw_stream);
	}
}

/* Ends the text in tw_line, which the next rewind(3) of tw_stream empties. */
static void
end_line(struct text_writer *tw)
{

	fputc('\0', tw->tw_stream);
	fflush(tw->tw_stream);
}

/* Begins a line with a cell of each column, or the columns' heads. */
static void
put_cells(struct text_writer *tw, bool head)
{
	char text[CELL_SIZE];
	uint32_t i;

	rewind(tw->tw_stream);
	for (i = 0; i < tw->tw_timeline->tl_cpus; i++) {
		if (!tw->tw_cpu[i].cn_column)
			continue;
		if (head)
			snprintf(text, sizeof(text), "CPU%u", i);
		else
			cell(tw, &tw->tw_cpu[i], text);
		fprintf(tw->tw_stream, "%-*s ", tw->tw_width - 1, text);
	}
}

/* Prints the instant, if it looks unlike the one before. */
static void
put_line(struct text_writer *tw, uint64_t ns)
{
	size_t used;

	put_cells(tw, false);
	put_asleep(tw);
	end_line(tw);
	for (used = strlen(tw->tw_line); used > 0 &&
	    tw->tw_line[used - 1] == ' ';)
		tw->tw_line[--used] = '\0';
	if (tw->tw_last != NULL && strcmp(tw->tw_line, tw->tw_last) == 0)
		return;
	fprintf(tw->tw_out, "%*" PRIu64 ".%03u  %s\n", TIME_WIDTH - 6,
	    ns / 1000, (unsigned)(ns % 1000), tw->tw_line);
	free(tw->tw_last);
	tw->tw_last = strdup(tw->tw_line);
}

static void
apply(struct text_writer *tw, const struct edge *ed)
{
	const struct slice *sl = &tw->tw_timeline->tl_slice[ed->ed_slice];
	struct thread_now *tn = &tw->tw_thread[sl->sl_thread];
	struct cpu_now *cn;
	unsigned i;

	if (sl->sl_kind == SLICE_WAITER)
		tn->tn_lock = ed->ed_start ? sl->sl_lock : NONE;
	if (!slice_on_cpu(sl))
		return;
	if (sl->sl_kind == SLICE_RUN)
		tn->tn_on = ed->ed_start;
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
	const struct timeline *tl = tw->tw_timeline;
	const uint64_t until = timeline_ns(tl, tl->tl_until_ps);
	struct edge *edge;
	size_t i, n;
	int error;

	error = timeline_edges(tl, SLICE_RUN, SLICE_WAITER, &edge, &n);
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

/* Prints tw_line, in which names may hold anything, as a paragraph. */
static void
put_paragraph(struct text_writer *tw, const char *first, int indent)
{
	char *p;

	end_line(tw);
	for (p = tw->tw_line; *p != '\0'; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	if (p > tw->tw_line)
		format_wrap(tw->tw_out, first, indent, tw->tw_line);
}

static void
put_head(struct text_writer *tw)
{
	const struct timeline *tl = tw->tw_timeline;
	unsigned i;

	rewind(tw->tw_stream);
	for (i = 0; i < tl->tl_fact_count; i++)
		fprintf(tw->tw_stream, "%s%s %s", i == 0 ? "" : ", ",
		    tl->tl_facts[i].tf_name, tl->tl_facts[i].tf_value);
	put_paragraph(tw, "", 0);
	if (i > 0)
		fputc('\n', tw->tw_out);
	put_cells(tw, true);
	fputs("off CPU", tw->tw_stream);
	end_line(tw);
	fprintf(tw->tw_out, "%*s  %s\n", TIME_WIDTH - 2, "us", tw->tw_line);
}

static void
put_legend(struct text_writer *tw)
{
	const struct timeline *tl = tw->tw_timeline;
	const uint32_t idle = tl->tl_cpus - tw->tw_columns;
	const char *before;
	unsigned c;
	uint32_t i;

	fputs("\nA cell has the thread that runs, the locks it holds, ?A for "
	    "one it waits for,\n+A for one it takes, :w for its work; \".\" "
	    "is idle.  Off CPU are other waiters.\nTimes count from the "
	    "opening of the measured window.\n", tw->tw_out);
	if (idle > 0)
		fprintf(tw->tw_out, "%u of %u CPUs ran nothing and %s no "
		    "column.\n", idle, tl->tl_cpus, idle == 1 ? "has" : "have");
	/* "A reseed mutex, B hc_mtx" */
	for (c = 0; c < CODES; c++) {
		rewind(tw->tw_stream);
		before = "";
		for (i = 0; i < tw->tw_count[c]; i++)
			if (tw->tw_code[c][i][0] != '\0') {
				fprintf(tw->tw_stream, "%s%s %s", before,
				    tw->tw_code[c][i], coded[c].name(tl, i));
				before = ", ";
			}
		put_paragraph(tw, coded[c].title, TIME_WIDTH);
	}
	if (tl->tl_left_out > 0)
		fprintf(tw->tw_out, "%" PRIu64 " slices of time after this are "
		    "left out.\n", tl->tl_left_out);
	if (tl->tl_fault[0] != '\0')
		fprintf(tw->tw_out, "It ends here: %s.\n", tl->tl_fault);
}

/* Codes of what occurs, and the columns. */
static void
prepare(struct text_writer *tw)
{
	static void (*const make[CODES])(code *, uint32_t, const char *) = {
	    code_thread, code_lock, code_word };
	const struct timeline *tl = tw->tw_timeline;
	const struct slice *sl;
	unsigned c;
	uint32_t i;

	for (i = 0; i < tl->tl_threads; i++)
		tw->tw_thread[i].tn_lock = NONE;
	for (sl = tl->tl_slice; sl < tl->tl_slice + tl->tl_slices; sl++) {
		tw->tw_code[THREADS][sl->sl_thread][0] = '*';
		if (sl->sl_lock != NONE)
			tw->tw_code[LOCKS][sl->sl_lock][0] = '*';
		if (sl->sl_kind == SLICE_WORK && sl->sl_about != NONE)
			tw->tw_code[WORDS][sl->sl_about][0] = '*';
		if (slice_on_cpu(sl))
			tw->tw_cpu[sl->sl_cpu].cn_column = true;
	}
	for (c = 0; c < CODES; c++)
		for (i = 0; i < tw->tw_count[c]; i++)
			if (tw->tw_code[c][i][0] != '\0')
				make[c](tw->tw_code[c], i,
				    coded[c].name(tl, i));
	for (i = 0; i < tl->tl_cpus; i++)
		tw->tw_columns += tw->tw_cpu[i].cn_column;
	tw->tw_width = tw->tw_columns * WIDE <= 60 ? WIDE : NARROW;
}

int
timeline_write_text(const struct timeline *tl, FILE *out)
{
	struct text_writer tw = { .tw_timeline = tl, .tw_out = out, .tw_count =
	    { tl->tl_threads, tl->tl_locks, tl->tl_words } };
	bool memory = true;
	int error = ENOMEM;
	unsigned c;

	for (c = 0; c < CODES; c++) {
		tw.tw_code[c] = calloc(tw.tw_count[c] + 1, CODE_SIZE);
		memory &= tw.tw_code[c] != NULL;
	}
	tw.tw_cpu = calloc(tl->tl_cpus, sizeof(*tw.tw_cpu));
	tw.tw_thread = calloc(tl->tl_threads + 1, sizeof(*tw.tw_thread));
	tw.tw_asleep = calloc(tl->tl_locks + 1, sizeof(*tw.tw_asleep));
	tw.tw_stream = open_memstream(&tw.tw_line, &tw.tw_size);
	if (memory && tw.tw_cpu != NULL && tw.tw_thread != NULL &&
	    tw.tw_asleep != NULL && tw.tw_stream != NULL) {
		prepare(&tw);
		put_head(&tw);
		error = put_lines(&tw);
		if (error == 0)
			put_legend(&tw);
	}
	if (tw.tw_stream != NULL)
		fclose(tw.tw_stream);
	for (c = 0; c < CODES; c++)
		free(tw.tw_code[c]);
	free(tw.tw_cpu);
	free(tw.tw_thread);
	free(tw.tw_asleep);
	free(tw.tw_line);
	free(tw.tw_last);
	return (error);
}
