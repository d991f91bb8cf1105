#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/memory.h"
#include "bench/report/comparable.h"
#include "bench/report/report.h"
#include "bench/report/table.h"

/* The design that the others are compared with. */
static const char baseline[] = "locked";

/* Readers, then a design's columns once or twice, the ratio, marks. */
static const struct column closed_columns[] = {
	{ "readers", 7 }, { "MB/s   +-%", 13 }, { "harv%", 5 }, { "p99", 7 },
	{ "MB/s   +-%", 13 }, { "harv%", 5 }, { "p99", 7 }, { "ratio ", 8 },
	{ "", 0 }
};
/* Ratios of cells that were measured side by side have an interval. */
static const struct column sliced_columns[] = {
	{ "readers", 7 }, { "MB/s   +-%", 12 }, { "harv%", 5 }, { "p99", 6 },
	{ "MB/s   +-%", 12 }, { "harv%", 5 }, { "p99", 6 },
	{ "ratio +-% ", 11 }, { "", 0 }
};
static const struct column open_columns[] = {
	{ "readers", 7 }, { "req/s   +-%", 13 }, { "p99", 7 }, { "begun", 7 },
	{ "req/s   +-%", 13 }, { "p99", 7 }, { "begun", 7 }, { "", 0 },
	{ "", 0 }
};
/* Of locks alone: time between acquisitions, of all and of one thread. */
static const struct column lock_columns[] = {
	{ "readers", 7 }, { "ns   +-%", 13 }, { "thread", 7 }, { "p99", 7 },
	{ "", 6 }
};
enum {
	COLUMN_READERS,
	COLUMN_DESIGN,
	COLUMN_PER_DESIGN = 3,
	COLUMN_RATIO = COLUMN_DESIGN + 2 * COLUMN_PER_DESIGN,
	COLUMN_MARKS,
	COLUMNS
};

static void
print_head(struct table *tb)
{
	const struct result *r = tb->tb_result;
	const struct result_host *h = &r->host;
	const bool predicted = provenance_of(r) == RESULT_PREDICTED;
	unsigned max, min;
	struct text t = { .s = "" };
	char head[COMPARABLE_SIZE];

	provenance_repeats(r, &min, &max);
	if (!r->complete)
		format_wrap(tb->tb_out, "INCOMPLETE:", 2,
		    "stopped before everything was done");
	text_add(&t, "%s %s, %u CPU%s", provenance_head(r, true, head),
	    h->cpu_model, h->cpus, PLURAL(h->cpus));
	if (h->cpu_quota > 0)
		text_add(&t, " (quota %.2f)", fmin(h->cpu_quota, 1e6));
	text_add(&t, ", %s, %s, INVARIANTS %s%s", h->kernel, h->libcrypto,
	    h->invariants ? "on (checks are timed too: no figures to quote)" :
	    "off", comparable_model(r, head));
	if (provenance_ledgered(r))
		text_add(&t, ", ledger on (its checks are timed too)");
	if (min != max)
		text_list(&t, "%u to %u", min, max);
	else
		text_list(&t, "%u", max);
	text_add(&t, " x %g%s s, %s, seed %" PRIu64, r->time_s,
	    predicted ? " virtual" : "", r->started, r->seed);
	if (comparable_place(r) != NULL)
		text_add(&t, ", place %s", comparable_place(r));
	/* A machine may change between two sittings, a simulated one not. */
	for (unsigned i = 0; !predicted && i < r->resumed_count; i++)
		text_add(&t, ", resumed %s from repeat %u on",
		    r->resumed[i].at, r->resumed[i].order);
	format_wrap(tb->tb_out, "", 2, t.s);
}

static void
print_list(FILE *out, const char *first, char *const *texts)
{
	struct text t = { .s = "" };

	if (texts == NULL || *texts == NULL)
		return;
	for (; *texts != NULL; texts++)
		text_add(&t, "%s%s", *texts, texts[1] == NULL ? "" : " ");
	text_clean(&t);
	format_wrap(out, first, 2, t.s);
}

static const char *
design_of(const struct table *tb, unsigned side)
{
	return (tb->tb_group[side]->cu_cells[0]->design);
}

bool
table_noted(const struct result_cell *cell)
{
	return (cell != NULL && (cell->notes[0] != '\0' ||
	    comparable_gated(cell)));
}

static bool
same_note(const struct result_cell *a, const struct result_cell *b)
{
	return (strcmp(a->notes, b->notes) == 0 &&
	    strcmp(a->gate, b->gate) == 0);
}

void
table_mark(struct table *tb, const struct result_cell *cell, unsigned designs,
    char marks[2 * TABLE_MARK_SIZE])
{
	size_t len = strlen(marks);
	unsigned i;

	if (!table_noted(cell))
		return;
	for (i = 0; i < tb->tb_note_count; i++)
		if (same_note(tb->tb_notes[i].no_cell, cell) &&
		    tb->tb_notes[i].no_designs == designs)
			break;
	tb->tb_notes_more |= i == TABLE_MARKS;
	if (i == tb->tb_note_count && i < TABLE_MARKS)
		tb->tb_notes[tb->tb_note_count++] =
		    (struct note){ cell, designs };
	snprintf(marks + len, TABLE_MARK_SIZE, "[%c]",
	    i == TABLE_MARKS ? '+' : (int)('a' + i));
}

void
table_notes(struct table *tb)
{
	char first[TABLE_MARK_SIZE];

	for (unsigned i = 0; i < tb->tb_note_count; i++) {
		const struct note *no = &tb->tb_notes[i];
		const struct result_cell *cell = no->no_cell;
		bool gated = comparable_gated(cell);

		snprintf(first, sizeof(first), "[%c]", (int)('a' + i));
		format_wrapf(tb->tb_out, first, 4, "%s%s%s%s%s%s",
		    no->no_designs == 0 ? "" : no->no_designs == 3 ? "both" :
		    design_of(tb, no->no_designs - 1),
		    no->no_designs == 0 ? "" : ": ",
		    gated ? "! " : "", cell->gate,
		    gated && cell->notes[0] != '\0' ? "; " : "", cell->notes);
	}
	if (tb->tb_notes_more)
		format_wrap(tb->tb_out, "[+]", 4,
		    "noted; the result file has the text");
}

bool
table_figures(struct table *tb, const struct result_cell *cell, bool open,
    char bufs[TABLE_FIGURES][FORMAT_SIZE])
{
	double rate;

	if (cell == NULL)
		return (false);
	rate = open ? COMPARABLE_MEDIAN(cell, reads_per_s) :
	    cell->acquisition_ns > 0 ? cell->acquisition_ns * cell->readers :
	    cell->total_mb_per_s;
	tb->tb_spread |= comparable_few_repeats(cell);
	tb->tb_gate |= comparable_gated(cell);
	snprintf(bufs[0], FORMAT_SIZE, "%.*s%c", FORMAT_WIDTH,
	    FORMAT(real, rate / cell->readers),
	    comparable_gated(cell) ? '!' : ' ');
	snprintf(bufs[1], FORMAT_SIZE, "%.*s", FORMAT_WIDTH,
	    comparable_spread(cell, bufs[2]));
	if (open)
		format_ns(bufs[3], COMPARABLE_QUANTILE(cell,
		    latency_uncorrected_ns.p99));
	else if (cell->acquisition_ns > 0)
		format_real(bufs[2], cell->acquisition_thread_ns);
	else
		format_percent(bufs[2], cell->harvest.cpu_percent);
	format_ns(bufs[open ? 2 : 3],
	    COMPARABLE_QUANTILE(cell, latency_ns.p99));
	return (true);
}

/* Fills in one design's columns. */
static void
fill_design(struct table *tb, const struct result_cell *cell, bool open,
    const char **texts, char bufs[TABLE_FIGURES][FORMAT_SIZE])
{
	char spread[FORMAT_SIZE];

	texts[0] = "-     -";
	if (!table_figures(tb, cell, open, bufs))
		return;
	snprintf(spread, sizeof(spread), "%5s", bufs[1]);
	strcat(bufs[0], spread);
	texts[0] = bufs[0];
	texts[1] = bufs[2];
	texts[2] = bufs[3];
}

void
table_ratio(struct table *tb, const struct result_cell *base,
    const struct result_cell *cell, char text[TABLE_CELL_SIZE])
{
	char number[FORMAT_SIZE];
	struct paired pd;
	double ratio;
	bool shown;

	snprintf(text, TABLE_CELL_SIZE, "- ");
	if (base == NULL || cell == NULL || base->total_mb_per_s <= 0 ||
	    comparable_gated(base) || comparable_gated(cell))
		return;
	comparable_paired(base, cell, NULL, NULL, &pd);
	ratio = pd.pd_count > 0 ? 1 + pd.pd_change :
	    cell->total_mb_per_s / base->total_mb_per_s;
	shown = pd.pd_count > 0 ? pd.pd_ci95[0] > 0 || pd.pd_ci95[1] < 0 :
	    !comparable_unranked(base, cell);
	snprintf(number, sizeof(number), ratio >= 9999.5 ? ">9999" : "%.*f",
	    ratio < 99.995 ? 2 : 1, ratio);
	tb->tb_paren |= !shown;
	tb->tb_sliced |= pd.pd_count > 0;
	snprintf(text, TABLE_CELL_SIZE, shown ? "%s%s " : "(%s%s)", number,
	    pd.pd_count == 0 ? "" : FORMATF(" %s", FORMAT(percent, fmin(9999,
	    50 * (pd.pd_ci95[1] - pd.pd_ci95[0]) / ratio))));
}

unsigned
table_next(const struct table *tb, unsigned after,
    const struct result_cell **cells)
{
	const struct curve *cu;
	unsigned k, least = 0;

	for (unsigned i = 0; i < tb->tb_count; i++)
		for (cu = tb->tb_group[i], k = 0; k < cu->cu_count; k++)
			if (cu->cu_cells[k]->readers > after && (least == 0 ||
			    cu->cu_cells[k]->readers < least))
				least = cu->cu_cells[k]->readers;
	for (unsigned i = 0; i < tb->tb_count; i++) {
		cells[i] = NULL;
		for (cu = tb->tb_group[i], k = 0; k < cu->cu_count; k++)
			if (cu->cu_cells[k]->readers == least)
				cells[i] = cu->cu_cells[k];
	}
	return (least);
}

static void
print_row(struct table *tb, const struct result_cell *const cells[2], bool open)
{
	char bufs[2][TABLE_FIGURES][FORMAT_SIZE];
	char marks[2 * TABLE_MARK_SIZE] = "", ratio[TABLE_CELL_SIZE] = "";
	const char *texts[COLUMNS] = { NULL };
	const struct result_cell *any = cells[0] != NULL ? cells[0] : cells[1];
	const unsigned designs = tb->tb_count;
	const unsigned end = COLUMN_DESIGN + designs * COLUMN_PER_DESIGN;
	bool star = false;

	for (unsigned i = 0; i < 2; i++) {
		star |= cells[i] != NULL && cells[i]->oversubscribed;
		fill_design(tb, cells[i], open, texts + COLUMN_DESIGN +
		    i * COLUMN_PER_DESIGN, bufs[i]);
	}
	tb->tb_star |= star;
	texts[COLUMN_READERS] = FORMATF("%u%c", any->readers, star ? '*' : ' ');
	if (table_noted(cells[0]) && table_noted(cells[1]) &&
	    same_note(cells[0], cells[1])) {
		table_mark(tb, cells[0], 3, marks);
	} else {
		table_mark(tb, cells[0], 1, marks);
		table_mark(tb, cells[1], 2, marks);
	}
	if (designs == 2) {
		if (!open)
			table_ratio(tb, cells[0], cells[1], ratio);
		texts[end] = ratio;
	}
	texts[end + designs - 1] = marks;
	columns_row(tb->tb_out, tb->tb_columns, end + designs -
	    (marks[0] == '\0'), texts);
}

void
table_block(struct table *tb)
{
	const struct result_cell *first = tb->tb_group[0]->cu_cells[0];
	char lock[COMPARABLE_SIZE], workload[COMPARABLE_SIZE];

	tb->tb_note_count = 0;
	tb->tb_notes_more = false;
	tb->tb_loop[comparable_open_loop(first)] = true;
	fputc('\n', tb->tb_out);
	format_wrapf(tb->tb_out, "", 2, "%s, %s, lock %s, %s, %s",
	    first->cipher, comparable_crypto(first),
	    comparable_lock(first, lock), comparable_workload(first, workload),
	    provenance_short(first));
}

/* A block: one design beside the first, or the first alone. */
static void
print_pair(struct table *tb)
{
	const struct result_cell *first = tb->tb_group[0]->cu_cells[0];
	const bool open = comparable_open_loop(first);
	unsigned readers = 0;

	table_block(tb);
	if (tb->tb_count == 1)
		fprintf(tb->tb_out, "%11s%.24s\n", "", first->design);
	else
		fprintf(tb->tb_out, "%11s%-*.24s%.24s\n", "", open ? 30 : 28,
		    first->design, design_of(tb, 1));
	tb->tb_lock_loop |= first->acquisition_ns > 0;
	tb->tb_columns = open ? open_columns : first->acquisition_ns > 0 ?
	    lock_columns : tb->tb_count > 1 &&
	    comparable_sliced(first) ? sliced_columns : closed_columns;
	columns_titles(tb->tb_out, tb->tb_columns, tb->tb_count > 1 ? COLUMNS :
	    COLUMN_DESIGN + COLUMN_PER_DESIGN);
	while ((readers = table_next(tb, readers, tb->tb_cells)) > 0)
		print_row(tb, tb->tb_cells, open);
	table_notes(tb);
	table_bands(tb, open);
}

bool
table_group(struct table *tb, const struct curves *cs, unsigned i)
{
	const struct curve *end = cs->cs_curves + cs->cs_count;
	const struct result_cell *first = cs->cs_curves[i].cu_cells[0];

	tb->tb_count = 0;
	for (const struct curve *cu = cs->cs_curves; cu < end; cu++) {
		if (!curve_alike(cu->cu_cells[0], first, CURVE_DESIGN))
			continue;
		/* The group was printed with its first curve. */
		if (cu < cs->cs_curves + i)
			return (false);
		tb->tb_group[tb->tb_count++] = cu;
		if (strcmp(cu->cu_cells[0]->design, baseline) != 0)
			continue;
		memmove(tb->tb_group + 1, tb->tb_group, (tb->tb_count - 1) *
		    sizeof(cu));
		tb->tb_group[0] = cu;
	}
	return (true);
}

/* A block for each set of curves that differ in their design alone. */
static void
print_groups(struct table *tb, const struct curves *cs)
{
	for (unsigned i = 0; i < cs->cs_count; i++) {
		if (!table_group(tb, cs, i))
			continue;
		if (tb->tb_count > 2)
			table_long(tb);
		else
			print_pair(tb);
	}
}

static void
print_legend(const struct table *tb)
{
	FILE *out = tb->tb_out;

	fputc('\n', out);
	if (tb->tb_lock_loop)
		format_wrap(out, "", 2, "ns: between acquisitions of the whole "
		    "system; +-%: half its 95 % interval; thread: between "
		    "those of one thread, the mean; p99: of one round, the "
		    "median of the repeats' p99.");
	else if (tb->tb_loop[0])
		format_wrapf(out, "", 2, "MB/s: of each reader, the mean; "
		    "+-%%: half its 95 %% interval; harv%%: the harvest "
		    "thread's share of a CPU; p99: of one read request, the "
		    "median of the repeats' p99; ratio: %s%s.",
		    tb->tb_long ? "MB/s over those of the first design listed" :
		    "right MB/s over left MB/s", tb->tb_sliced ?
		    ", of slices that alternated" : "");
	if (tb->tb_loop[1])
		format_wrap(out, "", 2, "Open loop: req/s: requests a second "
		    "of each reader, the mean; +-%: half its 95 % interval; "
		    "p99: of one request from when it was due, the median of "
		    "the repeats' p99; begun: from when it began, as a closed "
		    "loop would count.");
	if (provenance_of(tb->tb_result) != RESULT_MEASURED &&
	    tb->tb_result->uncertainty.samples == 0)
		format_wrapf(out, "", 2, "Predicted: %s.", provenance_guesses);
	if (tb->tb_gate)
		format_wrap(out, "!", 2, "failed a gate: do not rank it or "
		    "average it with others.");
	if (tb->tb_star)
		format_wrap(out, "*", 2, "more readers than CPUs: the "
		    "scheduler is in these numbers.");
	if (tb->tb_paren && tb->tb_sliced)
		format_wrap(out, "( )", 4, "no difference shown: the interval "
		    "of the ratio contains 1.");
	else if (tb->tb_paren)
		format_wrapf(out, "( )", 4, "not tested: fewer than %d "
		    "repeats, or intervals overlap%s; \"rngsim compare\" "
		    "tests.", COMPARABLE_REPEATS,
		    tb->tb_result->uncertainty.samples == 0 ? "" :
		    ", or drawn profiles disagree");
	if (tb->tb_spread)
		format_wrap(out, "?", 2, "in +-%: too few repeats for an "
		    "interval.");
}

/* What the measuring itself cost. */
static void
print_costs(const struct table *tb)
{
	const struct result *r = tb->tb_result;
	struct text t = { .s = "" };
	bool profiled = false;
	double max = 0;

	for (unsigned i = 0; i < r->cell_count; i++) {
		profiled |= r->cells[i].profiled;
		max = fmax(max, r->cells[i].profile_cost_percent);
	}
	if (profiled)
		text_add(&t, "at most %s %% of the readers' time, %s ns an "
		    "acquisition", FORMAT(percent, max),
		    FORMAT(real, r->host.profile_ns));
	else
		text_add(&t, "none, it is off");
	text_add(&t, "; a time stamp costs %s ns.",
	    FORMAT(real, r->host.clock_ns));
	format_wrap(tb->tb_out, "Cost of lock profiling:", 2, t.s);
}

void
table_print(FILE *out, const struct result *r)
{
	struct table tb = { .tb_out = out, .tb_result = r };
	struct curves cs;

	curves_find(r, &cs);
	tb.tb_group = xcalloc(cs.cs_count + 1, sizeof(*tb.tb_group));
	tb.tb_cells = xcalloc(cs.cs_count + 1, sizeof(*tb.tb_cells));
	print_head(&tb);
	print_list(out, "tunables:", r->tunables);
	print_list(out, "sources absent here:", r->sources_skipped);
	if (r->cell_count == 0)
		fputs("\nno cells\n", out);
	if (r->cell_count == 1) {
		fputc('\n', out);
		table_cell_print(out, &r->cells[0]);
	} else if (r->cell_count > 1) {
		if (format_marked(out))
			table_page(&tb, &cs);
		else
			print_groups(&tb, &cs);
		print_legend(&tb);
	}
	free(tb.tb_group);
	free(tb.tb_cells);
	curves_free(&cs);
	if (r->cell_count == 0)
		return;
	table_below_print(out, r);
	/* Profiling takes no virtual time. */
	if (provenance_of(r) != RESULT_PREDICTED)
		print_costs(&tb);
}
