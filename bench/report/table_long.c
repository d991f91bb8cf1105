/*
 * Tables with a row for each cell: of many designs, and of drawn profiles.
 */
#include <string.h>

#include "bench/report/comparable.h"
#include "bench/report/report.h"
#include "bench/report/table.h"

enum {
	PARTS		= CURVE_PARTS - 1,	/* but the design */
	COLUMNS		= 8,
	COLUMNS_MARKS	= COLUMNS - 1
};

/* Cells in closed loop, in open loop, and of locks alone. */
enum kind {
	CLOSED,
	OPEN,
	LOCKS,
	KINDS
};

static const struct column long_columns[KINDS][COLUMNS] = {
	[CLOSED] = { { "readers", 7 }, { "design", -18 }, { "MB/s ", 8 },
	    { "+-%", 5 }, { "harv%", 5 }, { "p99", 7 }, { "ratio ", 11 },
	    { "", 0 } },
	[OPEN] = { { "readers", 7 }, { "design", -18 }, { "req/s ", 8 },
	    { "+-%", 5 }, { "p99", 7 }, { "begun", 7 }, { "", 0 }, { "", 0 } },
	[LOCKS] = { { "readers", 7 }, { "design", -18 }, { "ns ", 8 },
	    { "+-%", 5 }, { "thread", 7 }, { "p99", 7 }, { "", 0 }, { "", 0 } }
};
/* On a page texts have all the room they need. */
static const struct column note_column = { "notes; ! a gate failed", -1 };

static const struct column part_columns[CURVE_PARTS] = {
	[CURVE_CIPHER] = { "cipher", -1 }, [CURVE_CRYPTO] = { "crypto", -1 },
	[CURVE_LOCK] = { "lock", -1 }, [CURVE_SPIN_POLLS] = { "polls", 1 },
	[CURVE_SIZE] = { "request", 1 }, [CURVE_WORKLOAD] = { "workload", -1 },
	[CURVE_RATE] = { "load", -1 }, [CURVE_ENGINE] = { "figures", -1 }
};

static enum kind
kind_of(const struct result_cell *cell)
{
	return (comparable_open_loop(cell) ? OPEN : cell->acquisition_ns > 0 ?
	    LOCKS : CLOSED);
}

/*
 * Prints a cell's row.
 *
 *   parts  in  texts that stand before it on a page
 */
static void
print_row(struct table *tb, const char *const *parts, unsigned count,
    const struct result_cell *base, const struct result_cell *cell)
{
	const bool open = comparable_open_loop(cell);
	char bufs[TABLE_FIGURES][FORMAT_SIZE], note[2 * RESULT_TEXT_SIZE + 8];
	char marks[2 * TABLE_MARK_SIZE] = "", ratio[TABLE_CELL_SIZE] = "";
	const char *texts[PARTS + COLUMNS];
	unsigned i;

	for (i = 0; i < count; i++)
		texts[i] = parts[i];
	texts[i++] = FORMATF("%u%c", cell->readers,
	    cell->oversubscribed ? '*' : ' ');
	tb->tb_star |= cell->oversubscribed;
	texts[i++] = cell->design;
	table_figures(tb, cell, open, bufs);
	for (; i < count + 2 + TABLE_FIGURES; i++)
		texts[i] = bufs[i - count - 2];
	if (!open && cell != base)
		table_ratio(tb, base, cell, ratio);
	texts[i++] = ratio;
	snprintf(note, sizeof(note), "%s%s%s%s",
	    comparable_gated(cell) ? "! " : "", cell->gate,
	    comparable_gated(cell) && cell->notes[0] != '\0' ? "; " : "",
	    cell->notes);
	if (format_marked(tb->tb_out))
		texts[i++] = note;
	else
		table_mark(tb, cell, 0, marks);
	if (marks[0] != '\0')
		texts[i++] = marks;
	columns_row(tb->tb_out, tb->tb_columns, i, texts);
}

/* The rows of the group, by readers; at each number the baseline first. */
static void
print_rows(struct table *tb, const char *const *parts, unsigned count)
{
	unsigned readers = 0;

	while ((readers = table_next(tb, readers, tb->tb_cells)) > 0)
		for (unsigned i = 0; i < tb->tb_count; i++)
			if (tb->tb_cells[i] != NULL)
				print_row(tb, parts, count, tb->tb_cells[0],
				    tb->tb_cells[i]);
}

void
table_bands(struct table *tb, bool open)
{
	const struct column columns[] = {
		{ "readers", 7 }, { "", -1 }, { "design", -16 },
		{ open ? "req/s" : "MB/s", -17 }, { "harv%", -15 },
		{ "p99", -19 }
	};
	const struct result_cell *c;
	const struct result_band *rb;
	unsigned readers = 0;
	double unit;

	if (tb->tb_result->uncertainty.samples == 0)
		return;
	fputs("From 10 % to 90 % of the drawn profiles:\n", tb->tb_out);
	COLUMNS_TITLES(tb->tb_out, columns);
	while ((readers = table_next(tb, readers, tb->tb_cells)) > 0) {
		for (unsigned i = 0; i < tb->tb_count; i++) {
			c = tb->tb_cells[i];
			if (c == NULL || c->uncertainty.samples == 0)
				continue;
			rb = &c->uncertainty;
			unit = c->readers * (open ?
			    (double)c->request_bytes / 1e6 : 1);
			COLUMNS_ROW(tb->tb_out, columns, FORMAT(count,
			    c->readers), "", c->design,
			    VIEW_BAND(rb->total_mb_per_s, c->total_mb_per_s,
			    format_real, unit),
			    VIEW_BAND(rb->harvest_cpu_percent,
			    c->harvest.cpu_percent, format_percent, 1),
			    VIEW_BAND(view_p99_band(rb), COMPARABLE_QUANTILE(c,
			    latency_ns.p99), format_ns, 1));
		}
	}
}

void
table_long(struct table *tb)
{
	const enum kind kind = kind_of(tb->tb_group[0]->cu_cells[0]);

	tb->tb_long = true;
	table_block(tb);
	tb->tb_columns = long_columns[kind];
	columns_titles(tb->tb_out, tb->tb_columns, COLUMNS);
	print_rows(tb, NULL, 0);
	table_notes(tb);
	table_bands(tb, kind == OPEN);
}

/* The groups of one kind; what their curves differ in begins rows. */
static void
print_page(struct table *tb, const struct curves *cs, enum kind kind)
{
	char bufs[CURVE_PARTS][CURVE_NAME_SIZE];
	const char *parts[CURVE_PARTS] = { NULL };
	struct column columns[PARTS + COLUMNS];
	unsigned count = 0;
	const struct result_cell *c;
	bool any = false;

	for (unsigned part = 0; part < CURVE_PARTS; part++)
		if (cs->cs_varies[part] && part != CURVE_DESIGN)
			columns[count++] = part_columns[part];
	memcpy(columns + count, long_columns[kind], sizeof(long_columns[0]));
	columns[count + COLUMNS_MARKS] = note_column;
	tb->tb_columns = columns;
	for (unsigned i = 0; i < cs->cs_count; i++) {
		c = cs->cs_curves[i].cu_cells[0];
		if (kind_of(c) != kind || !table_group(tb, cs, i))
			continue;
		if (!any)
			columns_titles(tb->tb_out, columns, count + COLUMNS);
		any = true;
		tb->tb_loop[kind == OPEN] = true;
		tb->tb_lock_loop |= kind == LOCKS;
		count = 0;
		for (unsigned part = 0; part < CURVE_PARTS; part++)
			if (cs->cs_varies[part] && part != CURVE_DESIGN)
				parts[count++] = curve_part(c,
				    (enum curve_part)part, bufs[part]);
		print_rows(tb, parts, count);
	}
	tb->tb_columns = NULL;
}

void
table_page(struct table *tb, const struct curves *cs)
{
	struct text t = { .s = "" };

	tb->tb_long = true;
	curve_common(cs, &t);
	format_wrap(tb->tb_out, "All cells:", 2, t.s);
	for (unsigned i = 0; i < KINDS; i++)
		print_page(tb, cs, (enum kind)i);
	for (unsigned i = 0; i < cs->cs_count; i++) {
		if (tb->tb_result->uncertainty.samples == 0 ||
		    !table_group(tb, cs, i))
			continue;
		table_block(tb);
		table_bands(tb,
		    comparable_open_loop(cs->cs_curves[i].cu_cells[0]));
	}
}
