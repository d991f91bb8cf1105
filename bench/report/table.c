#include "bench/report/report.h"

enum {
	TABLE_MARK_SIZE	= 8,	/* "[a]" */
	TABLE_MARKS	= 26,
	TABLE_COLUMNS	= 8
};

/* Closed loop, alone or side by side; open loop; locks; producers; seeding. */
enum kind { CLOSED, SLICED, OPEN, LOCKS, PRODUCERS, SEEDING, KINDS };

static const struct column columns[KINDS][TABLE_COLUMNS] = {
	[CLOSED] = { { "readers", 7 }, { "design", -18 }, { "MB/s ", 8 },
	    { "+-%", 5 }, { "harv%", 5 }, { "p99", 7 }, { "ratio ", 11 },
	    { "", 0 } },
	[SLICED] = { { "readers", 7 }, { "design", -18 }, { "MB/s ", 8 },
	    { "+-%", 5 }, { "harv%", 5 }, { "p99", 7 }, { "paired +-% ", 11 },
	    { "", 0 } },
	[OPEN] = { { "readers", 7 }, { "design", -18 }, { "req/s ", 8 },
	    { "+-%", 5 }, { "p99", 7 }, { "begun", 7 }, { "", 0 }, { "", 0 } },
	/* Time between acquisitions, of all and of one thread. */
	[LOCKS] = { { "readers", 7 }, { "design", -18 }, { "ns ", 8 },
	    { "+-%", 5 }, { "thread", 7 }, { "p99", 7 }, { "", 0 }, { "", 0 } },
	[PRODUCERS] = { { "producers", 9 }, { "design", -18 },
	    { "M events/s ", 11 }, { "+-%", 5 }, { "full%", 5 }, { "p99", 7 },
	    { "readers' MB/s", 13 }, { "", 0 } },
	[SEEDING] = { { "readers", 7 }, { "design", -18 }, { "seeded ", 8 },
	    { "+-%", 5 }, { "blocked", 7 }, { "p99", 7 }, { "discarded", 9 },
	    { "", 0 } }
};

/* What stands behind figures of the harvest thread that need longer windows. */
#define	FEW_PASSES(r)	(comparable_few_passes(r) ? "?" : "")

struct table {
	FILE		*tbl_out;
	const struct result *tbl_result;
	/* What the legend explains. */
	bool		 tbl_star;	/* an oversubscribed row */
	bool		 tbl_paren;	/* a ratio that shows nothing */
	bool		 tbl_spread;	/* a cell without a spread */
	bool		 tbl_gate;	/* a cell that failed a gate */
	bool		 tbl_kind[KINDS];
	/* The block's footnotes, each of its first cell. */
	const struct result_cell *tbl_notes[TABLE_MARKS];
	unsigned	 tbl_note_count;
	bool		 tbl_notes_more;
};

static void
print_list(FILE *out, const char *first, char *const *texts)
{
	struct text t = { .s = "" };

	if (texts == NULL || *texts == NULL)
		return;
	for (; *texts != NULL; texts++)
		text_add(&t, "%s%s", *texts, texts[1] == NULL ? "" : " ");
	text_clean(t.s);
	format_wrap(out, first, 2, t.s);
}

void
table_head_print(FILE *out, const struct result *r)
{
	if (!r->complete)
		format_wrap(out, "INCOMPLETE:", 2,
		    "stopped before everything was done");
	format_wrap(out, "", 2, TEXT_OF(describe_result, r));
	if (r->unfit[0] != '\0')
		format_wrap(out, "not fit to measure:", 2, r->unfit);
	print_list(out, "tunables:", r->tunables);
	print_list(out, "sources absent here:", r->sources_skipped);
	if (r->cell_count == 0)
		fputs("\nno cells\n", out);
}

/* Adds the mark of a cell's footnote; cells with the same one share it. */
static void
mark(struct table *tb, const struct result_cell *cell,
    char text[TABLE_MARK_SIZE])
{
	unsigned i;

	if (cell->notes[0] == '\0' && cell->gate[0] == '\0')
		return;
	for (i = 0; i < tb->tbl_note_count; i++)
		if (strcmp(tb->tbl_notes[i]->notes, cell->notes) == 0 &&
		    strcmp(tb->tbl_notes[i]->gate, cell->gate) == 0)
			break;
	tb->tbl_notes_more |= i == TABLE_MARKS;
	if (i == tb->tbl_note_count && i < TABLE_MARKS)
		tb->tbl_notes[tb->tbl_note_count++] = cell;
	snprintf(text, TABLE_MARK_SIZE, "[%c]", i == TABLE_MARKS ? '+' :
	    (int)('a' + i));
}

/* In parentheses where nothing is shown; a blank where one would close. */
static const char *
ratio_text(struct table *tb, const struct result_cell *base,
    const struct result_cell *cell, char buf[FORMAT_CELL])
{
	struct paired pd;
	double ratio;
	bool shown;

	if (base->total_mb_per_s <= 0 || base->gate[0] != '\0' ||
	    cell->gate[0] != '\0')
		return ("- ");
	comparable_paired(base, cell, &quantities[QUANTITY_TOTAL], &pd);
	ratio = pd.prd_count > 0 ? 1 + pd.prd_change :
	    cell->total_mb_per_s / base->total_mb_per_s;
	shown = pd.prd_count > 0 ? pd.prd_ci95[0] > 0 || pd.prd_ci95[1] < 0 :
	    !comparable_unranked(base, cell);
	tb->tbl_paren |= !shown;
	return (format_cell(buf, shown ? "%s%s " : "(%s%s)",
	    ratio >= 9999.5 ? ">9999" : FORMATF("%.*f", ratio < 99.995 ? 2 : 1,
	    ratio), pd.prd_count == 0 ? "" : FORMATF(" %s", FORMAT(percent,
	    fmin(9999, 50 * (pd.prd_ci95[1] - pd.prd_ci95[0]) / ratio)))));
}

static enum kind
kind_of(const struct result_cell *cell)
{
	return (cell->time_to_seeded_ns > 0 ? SEEDING : cell->producers > 0 ?
	    PRODUCERS : cell->rate_per_s > 0 ? OPEN : cell->acquisition_ns > 0 ?
	    LOCKS : comparable_sliced(cell) ? SLICED : CLOSED);
}

static void
print_row(struct table *tb, const struct result_cell *base,
    const struct result_cell *cell)
{
	const enum kind kind = kind_of(cell);
	const bool few = kind >= PRODUCERS ? cell->repeats <
	    RESULT_CI95_REPEATS_MIN : comparable_few_repeats(cell);
	const double *ci95 = kind == SEEDING ? cell->time_to_seeded_ns_ci95 :
	    cell->events_per_s_ci95;
	const double events_per_s = cell->production.events_per_s;
	const double middle = kind == SEEDING ? cell->time_to_seeded_ns :
	    events_per_s;
	const double p99_ns = COMPARABLE_QUANTILE(cell, latency_ns.p99);
	const char *p99 = p99_ns > 0 ? FORMAT(ns, p99_ns) : "-";
	/* Of each reader, but of locks and producers of all. */
	const double rate = kind == PRODUCERS ? events_per_s / 1e6 :
	    kind == LOCKS ? cell->acquisition_ns : (kind == OPEN ?
	    COMPARABLE_MEDIAN(cell, reads_per_s) : cell->total_mb_per_s) /
	    cell->readers;
	char notes[TABLE_MARK_SIZE] = "", ratio[FORMAT_CELL] = "";
	char spread[FORMAT_SIZE];
	const char *const texts[TABLE_COLUMNS] = {
		FORMATF("%u%c", kind == PRODUCERS ? cell->producers :
		    cell->readers, cell->oversubscribed ? '*' : ' '),
		cell->design,
		FORMATF("%s%c", kind == SEEDING ? FORMAT(ns, middle) :
		    FORMAT(real, rate), cell->gate[0] != '\0' ? '!' : ' '),
		kind < PRODUCERS ? comparable_spread(cell, spread) :
		    few ? "?" : FORMAT(percent, fmin(1e6, 50 *
		    (ci95[1] - ci95[0]) / fmax(1, middle))),
		kind == SEEDING ? FORMAT(count, cell->blocked_readers) :
		    kind == PRODUCERS ?
		    FORMAT(percent, cell->production.full_percent) :
		    kind == OPEN ? p99 :
		    kind == LOCKS ? FORMAT(real, cell->acquisition_thread_ns) :
		    FORMATF("%s%s", FORMAT(percent, cell->harvest.cpu_percent),
		    FEW_PASSES(tb->tbl_result)),
		kind == PRODUCERS ?
		    FORMAT(ns, COMPARABLE_QUANTILE(cell, call_ns.p99)) :
		    kind != OPEN ? p99 : FORMAT(ns, COMPARABLE_QUANTILE(cell,
		    latency_uncorrected_ns.p99)),
		kind == SEEDING ? FORMAT(count, cell->harvest.discarded) :
		    kind != PRODUCERS ? (kind == OPEN || kind == LOCKS ||
		    cell == base ? "" : ratio_text(tb, base, cell, ratio)) :
		    cell->readers == 0 ? "-" : FORMATF("%u x %s", cell->readers,
		    FORMAT(real, cell->total_mb_per_s / cell->readers)),
		notes
	};

	mark(tb, cell, notes);
	tb->tbl_star |= cell->oversubscribed;
	tb->tbl_spread |= few;
	tb->tbl_gate |= cell->gate[0] != '\0';
	columns_row(tb->tbl_out, columns[kind], notes[0] == '\0' &&
	    kind < PRODUCERS ? TABLE_COLUMNS - 1 : TABLE_COLUMNS, texts);
}

const char *
band_text(char buf[FORMAT_CELL], const double *band, double own,
    const char *(*format)(char *, double), double unit)
{
	if (band == NULL || !(unit > 0))
		return ("-");
	return (format_cell(buf, "[%s..%s]%s", format((char[32]){ 0 }, band[0] /
	    unit), format((char[32]){ 0 }, band[1] / unit), band[0] <= own &&
	    own <= band[1] ? "" : "^"));
}

/* A line for each cell with drawn profiles. */
static void
print_bands(const struct table *tb, const struct grouped_cell *gc, unsigned n)
{
	const bool open = kind_of(gc->gc_cell) == OPEN;
	const struct column band_columns[] = {
		{ "readers", 7 }, { "", -1 }, { "design", -16 },
		{ open ? "req/s" : "MB/s", -17 }, { "harv%", -15 },
		{ "p99", -19 }
	};

	fputs("From 10 % to 90 % of the drawn profiles:\n", tb->tbl_out);
	COLUMNS_TITLES(tb->tbl_out, band_columns);
	for (unsigned i = 0; i < n; i++) {
		const struct result_cell *c = gc[i].gc_cell;
		const struct result_band *rb = &c->uncertainty;
		const double unit = c->readers *
		    (open ? (double)c->request_bytes / 1e6 : 1);

		if (rb->samples == 0)
			continue;
		COLUMNS_ROW(tb->tbl_out, band_columns, FORMAT(count,
		    c->readers), "", c->design, BAND(rb->total_mb_per_s,
		    c->total_mb_per_s, format_real, unit), FORMATF("%s%s",
		    BAND(rb->harvest_cpu_percent, c->harvest.cpu_percent,
		    format_percent, 1), FEW_PASSES(tb->tbl_result)),
		    BAND(BAND_P99(rb), COMPARABLE_QUANTILE(c, latency_ns.p99),
		    format_ns, 1));
	}
}

static void
print_block(struct table *tb, const struct grouped_cell *gc, unsigned n)
{
	const struct result_cell *base = gc->gc_cell;
	const enum kind kind = kind_of(base);

	fputc('\n', tb->tbl_out);
	format_wrap(tb->tbl_out, "", 2, TEXT_OF(describe_parts, base,
	    ~(1u << PART_DESIGN)));
	tb->tbl_kind[kind] = true;
	columns_titles(tb->tbl_out, columns[kind], TABLE_COLUMNS);
	for (unsigned i = 0; i < n; i++) {
		if (gc[i].gc_cell->readers != base->readers)
			base = gc[i].gc_cell;
		print_row(tb, base, gc[i].gc_cell);
	}
	for (unsigned i = 0; i < tb->tbl_note_count; i++) {
		const struct result_cell *cell = tb->tbl_notes[i];
		const bool gated = cell->gate[0] != '\0';

		format_wrapf(tb->tbl_out, FORMATF("[%c]", (int)('a' + i)), 4,
		    "%s%s%s%s", gated ? "! " : "", cell->gate,
		    gated && cell->notes[0] != '\0' ? "; " : "", cell->notes);
	}
	if (tb->tbl_notes_more)
		format_wrap(tb->tbl_out, "[+]", 4,
		    "noted; the result file has the text");
	tb->tbl_note_count = 0;
	tb->tbl_notes_more = false;
	if (tb->tbl_result->uncertainty.samples > 0 && kind < PRODUCERS)
		print_bands(tb, gc, n);
}

static void
print_legend(const struct table *tb)
{
	FILE *out = tb->tbl_out;

	fputc('\n', out);
	if (tb->tbl_kind[LOCKS])
		format_wrap(out, "", 2, "ns: between acquisitions of the whole "
		    "system; +-%: half its 95 % interval; thread: between "
		    "those of one thread, the mean; p99: of one round, the "
		    "median of the repeats' p99.");
	if (tb->tbl_kind[CLOSED] || tb->tbl_kind[SLICED])
		format_wrapf(out, "", 2, "MB/s: of each reader, the mean; "
		    "+-%%: half its 95 %% interval; harv%%: the harvest "
		    "thread's share of a CPU; p99: of one read request, the "
		    "median of the repeats' p99; %s over that of the first "
		    "design with as many readers%s.", tb->tbl_kind[SLICED] ?
		    "paired: the ratio of MB/s" : "ratio: MB/s",
		    tb->tbl_kind[SLICED] ? " in slices that alternated, which "
		    "load affects less than the column MB/s" : "");
	if (tb->tbl_kind[OPEN])
		format_wrap(out, "", 2, "Open loop: req/s: requests a second "
		    "of each reader, the mean; +-%: half its 95 % interval; "
		    "p99: of one request from when it was due, the median of "
		    "the repeats' p99; begun: from when it began, as a closed "
		    "loop would count.");
	if (tb->tbl_kind[PRODUCERS])
		format_wrap(out, "", 2, "M events/s: 10^6, of all producers; "
		    "+-%: half its 95 % interval; full%: of 100 events, those "
		    "that were not queued for lack of room; p99: of a call "
		    "that queues one, the median of the repeats' p99.");
	if (tb->tbl_kind[SEEDING])
		format_wrap(out, "", 2, "seeded: from boot to the first seed; "
		    "+-%: half its 95 % interval; blocked: readers with a "
		    "request before it; p99: of these requests, the median of "
		    "the repeats' p99; discarded: samples of health tests.");
	if (provenance_of(tb->tbl_result) != RESULT_MEASURED &&
	    tb->tbl_result->uncertainty.samples == 0 && !tb->tbl_kind[SEEDING])
		format_wrapf(out, "", 2, "Predicted: %s.", provenance_guesses);
	if (tb->tbl_gate)
		format_wrap(out, "!", 2, "failed a gate: do not rank it or "
		    "average it with others.");
	if (tb->tbl_star)
		format_wrap(out, "*", 2, tb->tbl_kind[PRODUCERS] ? "more "
		    "readers and producers than CPUs." : "more readers than "
		    "CPUs: the scheduler is in these numbers.");
	if (tb->tbl_paren && tb->tbl_kind[SLICED])
		format_wrap(out, "( )", 4, "no difference shown: the interval "
		    "of the ratio contains 1.");
	else if (tb->tbl_paren)
		format_wrapf(out, "( )", 4, "not tested: fewer than %d "
		    "repeats, or intervals overlap%s; \"rngsim compare\" "
		    "tests.", COMPARABLE_REPEATS,
		    tb->tbl_result->uncertainty.samples == 0 ? "" :
		    ", or drawn profiles disagree");
	if (tb->tbl_spread)
		format_wrap(out, "?", 2, "in +-%: too few repeats for an "
		    "interval.");
}

void
table_print(FILE *out, const void *result)
{
	const struct result *r = result;
	const unsigned n = r->cell_count;
	struct table tb = { .tbl_out = out, .tbl_result = r };
	struct grouped_cell *gc;
	unsigned end;

	table_head_print(out, r);
	if (n == 1) {
		fputc('\n', out);
		table_cell_print(out, &(struct table_cell){ r, r->cells });
	} else if (n > 1) {
		/* Cells of a block differ in design and readers alone. */
		gc = cells_group(r, PART_DESIGN);
		for (unsigned i = 0; i < n; i = end) {
			for (end = i + 1; end < n &&
			    gc[end].gc_group == gc[i].gc_group; end++)
				continue;
			print_block(&tb, gc + i, end - i);
		}
		free(gc);
		print_legend(&tb);
	}
	if (n > 0)
		table_below_print(out, r);
}
