#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "bench/console/figure.h"
#include "bench/report/table.h"
#include "bench/result/claim.h"
#include "bench/result/group.h"
#include "lib/kassert.h"

enum {
	TABLE_TEXT_SIZE	= 2048,
	TABLE_MARK_SIZE	= 8,	/* "[a]" */
	TABLE_MARKS	= 26
};

/* What is explained below the rows that use it. */
struct table {
	FILE		*tb_out;
	const struct result *tb_result;
	bool		 tb_star;	/* an oversubscribed row */
	bool		 tb_paren;	/* a ratio that shows nothing */
	bool		 tb_once;	/* a cell without a spread */
	bool		 tb_gate;	/* a cell that failed its gates */
	bool		 tb_open;	/* a block in open loop */
	bool		 tb_closed;	/* and in closed loop */
	/* Of one block. */
	const struct result_cell *tb_notes[TABLE_MARKS];
	unsigned	 tb_note_count;
	bool		 tb_notes_more;
};

static void __attribute__((format(printf, 2, 3)))
add(char text[TABLE_TEXT_SIZE], const char *fmt, ...)
{
	size_t len = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + len, TABLE_TEXT_SIZE - len, fmt, ap);
	va_end(ap);
}

static void
print_head(struct table *tb)
{
	const struct result *r = tb->tb_result;
	const struct result_host *h = &r->host;
	unsigned i, max = 0, min = r->cell_count > 0 ? r->cells[0].repeats : 0;
	char head[CLAIM_SIZE], text[TABLE_TEXT_SIZE] = "";

	for (i = 0; i < r->cell_count; i++) {
		if (r->cells[i].repeats > max)
			max = r->cells[i].repeats;
		if (r->cells[i].repeats < min)
			min = r->cells[i].repeats;
	}
	if (!r->complete)
		figure_wrap(tb->tb_out, "INCOMPLETE:", 2,
		    "stopped before everything was done");
	add(text, "%s %s, %u CPU%s", claim_head(r, true, head), h->cpu_model,
	    h->cpus, h->cpus == 1 ? "" : "s");
	if (h->cpu_quota > 0)
		add(text, " (quota %.2f)", fmin(h->cpu_quota, 1e6));
	add(text, ", %s, %s, INVARIANTS %s, ", h->kernel, h->libcrypto,
	    h->invariants ? "on (checks are timed too: no figures to quote)" :
	    "off");
	if (claim_ledgered(r))
		add(text, "ledger on (its checks are timed too), ");
	if (min == max)
		add(text, "%u", max);
	else
		add(text, "%u to %u", min, max);
	add(text, " x %g%s s, %s, seed %" PRIu64, r->time_s,
	    claim_of(r) == CLAIM_PREDICTED ? " virtual" : "", r->started,
	    r->seed);
	if (group_place(r) != NULL)
		add(text, ", place %s", group_place(r));
	/* A machine may change between two sittings, a simulated one not. */
	for (i = 0; claim_of(r) != CLAIM_PREDICTED && i < r->resumed_count;
	    i++)
		add(text, ", resumed %s from repeat %u on", r->resumed[i].at,
		    r->resumed[i].order);
	figure_wrap(tb->tb_out, "", 2, text);
}

static void
print_list(FILE *out, const char *first, char *const *texts)
{
	char text[TABLE_TEXT_SIZE] = "";
	char *c;

	if (texts == NULL || *texts == NULL)
		return;
	for (; *texts != NULL; texts++)
		add(text, "%s%s", *texts, texts[1] == NULL ? "" : " ");
	for (c = text; *c != '\0'; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = ' ';
	figure_wrap(out, first, 2, text);
}

/* A footnote's mark; cells of a block with the same gate and notes share it. */
static void
mark(struct table *tb, const struct result_cell *cell,
    char buf[TABLE_MARK_SIZE])
{
	unsigned i;

	buf[0] = '\0';
	if (cell == NULL || (cell->notes[0] == '\0' && !group_gated(cell)))
		return;
	for (i = 0; i < tb->tb_note_count; i++)
		if (strcmp(tb->tb_notes[i]->notes, cell->notes) == 0 &&
		    strcmp(tb->tb_notes[i]->gate, cell->gate) == 0)
			break;
	if (i == TABLE_MARKS) {
		tb->tb_notes_more = true;
		snprintf(buf, TABLE_MARK_SIZE, "[+]");
		return;
	}
	if (i == tb->tb_note_count)
		tb->tb_notes[tb->tb_note_count++] = cell;
	snprintf(buf, TABLE_MARK_SIZE, "[%c]", (int)('a' + i));
}

static void
print_notes(struct table *tb)
{
	char first[TABLE_MARK_SIZE], text[TABLE_TEXT_SIZE];
	const struct result_cell *cell;
	unsigned i;

	for (i = 0; i < tb->tb_note_count; i++) {
		cell = tb->tb_notes[i];
		text[0] = '\0';
		if (group_gated(cell))
			add(text, "! %s%s", cell->gate,
			    cell->notes[0] != '\0' ? "; " : "");
		add(text, "%s", cell->notes);
		snprintf(first, sizeof(first), "[%c]", (int)('a' + i));
		figure_wrap(tb->tb_out, first, 4, text);
	}
	if (tb->tb_notes_more)
		figure_wrap(tb->tb_out, "[+]", 4,
		    "noted; the result file has the text");
}

static void
print_cell(struct table *tb, const struct result_cell *cell, bool open)
{
	char rate[FIGURE_SIZE], spread[FIGURE_SIZE], cpu[FIGURE_SIZE];
	char p99[FIGURE_SIZE], uncorrected[FIGURE_SIZE];

	if (cell == NULL) {
		fprintf(tb->tb_out, " %7s %5s %*s %7s", "-", "-", open ? 7 : 5,
		    "-", "-");
		return;
	}
	figure_real(rate, cell->total_mb_per_s / cell->readers);
	tb->tb_once |= group_few_repeats(cell);
	tb->tb_gate |= group_gated(cell);
	fprintf(tb->tb_out, " %7s%c%5s", rate, group_gated(cell) ? '!' : ' ',
	    group_spread(cell, spread));
	figure_ns(p99, cell->latency_ns.p99);
	if (open)
		fprintf(tb->tb_out, " %7s %7s", p99, figure_ns(uncorrected,
		    cell->latency_uncorrected_ns.p99));
	else
		fprintf(tb->tb_out, " %5s %7s", figure_percent(cpu,
		    cell->harvest.cpu_percent), p99);
}

/* Returns what is left of the column, where a parenthesis would stand. */
static const char *
print_ratio(struct table *tb, const struct result_cell *base,
    const struct result_cell *cell)
{
	char text[FIGURE_SIZE + 2], number[FIGURE_SIZE];
	double ratio;

	if (base == NULL || cell == NULL || base->total_mb_per_s <= 0 ||
	    group_gated(base) || group_gated(cell)) {
		fprintf(tb->tb_out, " %7s", "-");
		return (" ");
	}
	ratio = cell->total_mb_per_s / base->total_mb_per_s;
	if (ratio >= 9999.5)
		snprintf(number, sizeof(number), ">9999");
	else
		snprintf(number, sizeof(number), "%.*f",
		    ratio < 99.995 ? 2 : 1, ratio);
	if (!group_unranked(base, cell)) {
		fprintf(tb->tb_out, " %7s", number);
		return (" ");
	}
	tb->tb_paren = true;
	snprintf(text, sizeof(text), "(%s)", number);
	fprintf(tb->tb_out, " %8s", text);
	return ("");
}

static void
print_row(struct table *tb, const struct result_cell *base,
    const struct result_cell *cell, const char *design)
{
	char marks[2][TABLE_MARK_SIZE];
	const char *rest = "";
	const struct result_cell *any = base != NULL ? base : cell;
	bool open, star;

	if (any == NULL)
		return;
	open = group_open_loop(any);
	star = (base != NULL && base->oversubscribed) ||
	    (cell != NULL && cell->oversubscribed);
	tb->tb_star |= star;
	fprintf(tb->tb_out, "%6u%c", any->readers, star ? '*' : ' ');
	print_cell(tb, base, open);
	if (design != NULL) {
		print_cell(tb, cell, open);
		if (!open)
			rest = print_ratio(tb, base, cell);
	}
	mark(tb, base, marks[0]);
	mark(tb, cell, marks[1]);
	/* The same footnote twice says no more than once. */
	if (strcmp(marks[0], marks[1]) == 0)
		marks[1][0] = '\0';
	if (marks[0][0] != '\0' || marks[1][0] != '\0')
		fprintf(tb->tb_out, "%s %s%s", rest, marks[0],
		    marks[1]);
	fputc('\n', tb->tb_out);
}

/* A line for each number of readers, where profiles were drawn. */
static void
print_bands(struct table *tb, const struct result_cell *group,
    const char *first, const char *design)
{
	const struct result_cell *cell[2];
	const struct result *r = tb->tb_result;
	char band[TABLE_BAND_SIZE];
	unsigned readers = 0;

	if (r->uncertainty.samples == 0)
		return;
	fprintf(tb->tb_out, "   10-90 %%  %-*.24s%.24s\n",
	    design == NULL ? 0 : 28, first, design == NULL ? "" : design);
	while ((readers = group_readers_above(r, group, readers)) != 0) {
		cell[0] = group_cell(r, group, first, readers);
		cell[1] = design == NULL ? NULL :
		    group_cell(r, group, design, readers);
		fprintf(tb->tb_out, "%6u     ", readers);
		if (cell[1] == NULL)
			fprintf(tb->tb_out, "%s\n", cell[0] == NULL ? "-" :
			    table_band(band, cell[0]));
		else
			fprintf(tb->tb_out, "%-28s", cell[0] == NULL ? "-" :
			    table_band(band, cell[0]));
		if (cell[1] != NULL)
			fprintf(tb->tb_out, "%s\n", table_band(band,
			    cell[1]));
	}
}

/* One design beside the first; design is NULL when there is only one. */
static void
print_pair(struct table *tb, const struct result_cell *group,
    const char *first, const char *design)
{
	const struct result *r = tb->tb_result;
	const char *columns = group_open_loop(group) ?
	    "    MB/s   +-%     p99   begun" : "    MB/s   +-% harv%     p99";
	unsigned readers = 0;

	tb->tb_open |= group_open_loop(group);
	tb->tb_closed |= !group_open_loop(group);
	tb->tb_note_count = 0;
	tb->tb_notes_more = false;
	if (design == NULL)
		fprintf(tb->tb_out, "%11s%.24s", "", first);
	else
		fprintf(tb->tb_out, "%11s%-*.24s    %.24s", "",
		    group_open_loop(group) ? 26 : 24, first, design);
	fprintf(tb->tb_out, "\n%7s%s%s%s\n", "readers", columns,
	    design == NULL ? "" : columns, design == NULL ||
	    group_open_loop(group) ? "" : "   ratio");
	while ((readers = group_readers_above(r, group, readers)) != 0)
		print_row(tb, group_cell(r, group, first, readers),
		    design == NULL ? NULL :
		    group_cell(r, group, design, readers), design);
	print_notes(tb);
	print_bands(tb, group, first, design);
}

static void
print_group(struct table *tb, const struct result_cell *group)
{
	char lock[GROUP_LOCK_SIZE], workload[GROUP_WORKLOAD_SIZE];
	char text[TABLE_TEXT_SIZE] = "";
	const char *design, *first;
	unsigned n = 1;

	first = group_design(tb->tb_result, group, 0);
	KASSERT(first != NULL, ("a group without designs"));
	add(text, "%s, %s, lock %s, %s, %s", group->cipher,
	    group_crypto(group), group_lock(group, lock),
	    group_workload(group, workload), group_claim(group));
	design = group_design(tb->tb_result, group, n++);
	do {
		fputc('\n', tb->tb_out);
		figure_wrap(tb->tb_out, "", 2, text);
		print_pair(tb, group, first, design);
		design = group_design(tb->tb_result, group, n++);
	} while (design != NULL);
}

static void
print_legend(const struct table *tb)
{
	char text[TABLE_TEXT_SIZE];

	fputc('\n', tb->tb_out);
	if (tb->tb_closed)
		figure_wrap(tb->tb_out, "", 2, "MB/s is of each reader, in the "
		    "mean; +-% half its 95 % interval; harv% the harvest "
		    "thread's CPU; p99 of one read request; ratio of the "
		    "totals.");
	if (tb->tb_open)
		figure_wrap(tb->tb_out, "", 2, "Open loop: MB/s is of each "
		    "reader, in the mean; +-% half its 95 % interval; p99 of "
		    "one read request since it was due; begun: since it began, "
		    "as a closed loop would count.");
	if (claim_of(tb->tb_result) != CLAIM_MEASURED &&
	    tb->tb_result->uncertainty.samples == 0)
		figure_wrap(tb->tb_out, "", 2, "Predicted: intervals are of "
		    "the model's own chance, not of its guesses; "
		    "--uncertainty shows those.");
	if (tb->tb_gate)
		figure_wrap(tb->tb_out, "!", 2, "failed a gate: to be neither "
		    "ranked nor averaged with others.");
	if (tb->tb_star)
		figure_wrap(tb->tb_out, "*", 2, "more readers than CPUs: "
		    "the scheduler is in these numbers.");
	if (tb->tb_paren) {
		snprintf(text, sizeof(text), "no difference shown: the 95 %% "
		    "intervals overlap, or there are fewer than %d repeats; "
		    "compare tests it.", GROUP_REPEATS_WEAK);
		figure_wrap(tb->tb_out, "( )", 4, text);
	}
	if (tb->tb_once)
		figure_wrap(tb->tb_out, "?", 2, "too few repeats: the spread "
		    "between them is not known.");
}

/* What the measuring itself cost. */
static void
print_costs(const struct table *tb)
{
	const struct result *r = tb->tb_result;
	char buf[FIGURE_SIZE], text[TABLE_TEXT_SIZE] = "";
	bool profiled = false;
	double max = 0;
	unsigned i;

	for (i = 0; i < r->cell_count; i++) {
		profiled |= r->cells[i].profiled;
		max = fmax(max, r->cells[i].profile_cost_percent);
	}
	if (profiled) {
		add(text, "at most %s %% of the readers' time, ",
		    figure_percent(buf, max));
		add(text, "%s ns an acquisition; ",
		    figure_real(buf, r->host.profile_ns));
	} else {
		add(text, "none, it is off; ");
	}
	add(text, "a time stamp costs %s ns.",
	    figure_real(buf, r->host.clock_ns));
	figure_wrap(tb->tb_out, "Cost of lock profiling:", 2, text);
}

void
table_print(FILE *out, const struct result *r)
{
	struct table tb = { .tb_out = out, .tb_result = r };
	const struct result_cell *group = NULL;

	KASSERT(r->cell_count == 0 || r->cells != NULL, ("no cells"));
	print_head(&tb);
	print_list(out, "tunables:", r->tunables);
	print_list(out, "sources absent here:", r->sources_skipped);
	if (r->cell_count == 0) {
		fputs("\nno cells\n", out);
		return;
	}
	if (r->cell_count == 1) {
		fputc('\n', out);
		table_cell_print(out, &r->cells[0]);
	} else {
		while ((group = group_next(r, group)) != NULL)
			print_group(&tb, group);
		print_legend(&tb);
	}
	table_controls_print(out, r);
	table_ledger_print(out, r);
	table_uncertainty_print(out, r);
	/* Profiling takes no virtual time. */
	if (claim_of(r) != CLAIM_PREDICTED)
		print_costs(&tb);
}
