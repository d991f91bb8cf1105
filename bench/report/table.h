/*
 * Parts of the table of readers against designs, for its files alone.
 */
#ifndef BENCH_REPORT_TABLE_H
#define BENCH_REPORT_TABLE_H

#include "bench/report/curve.h"

enum {
	TABLE_MARK_SIZE	= 8,	/* "[a]" */
	TABLE_MARKS	= 26,
	TABLE_FIGURES	= 4,
	TABLE_CELL_SIZE	= 4 * FORMAT_SIZE
};

/* A footnote: a gate and notes, of the first design, the second or both. */
struct note {
	const struct result_cell *no_cell;
	unsigned	 no_designs;	/* bit 0, bit 1; 0: of rows' designs */
};

/* What is explained below the rows that use it. */
struct table {
	FILE		*tb_out;
	const struct result *tb_result;
	bool		 tb_star;	/* an oversubscribed row */
	bool		 tb_paren;	/* a ratio that shows nothing */
	bool		 tb_sliced;	/* a ratio of slices */
	bool		 tb_spread;	/* a cell without a spread */
	bool		 tb_gate;	/* a cell that failed a gate */
	bool		 tb_long;	/* rows of a cell each */
	bool		 tb_lock_loop;	/* rows of locks alone */
	bool		 tb_loop[2];	/* rows in closed loop, in open loop */
	/* Of one block: curves that differ in design, the baseline first. */
	const struct column *tb_columns;
	const struct curve **tb_group;
	unsigned	 tb_count;
	const struct result_cell **tb_cells;	/* room for one of each */
	struct note	 tb_notes[TABLE_MARKS];
	unsigned	 tb_note_count;
	bool		 tb_notes_more;
};

/* Makes the group of curve i; false: an earlier curve's group has it. */
bool table_group(struct table *tb, const struct curves *cs, unsigned i);

/*
 * Finds the group's next number of readers.
 *
 *   after  in   the one before; 0 at first
 *   cells  out  the curves' cells, NULL where a curve has none
 *
 * Returns: 0 after the last.
 */
unsigned table_next(const struct table *tb, unsigned after,
    const struct result_cell **cells);

/* Starts the group's block: its heading. */
void table_block(struct table *tb);

/*
 * Prints what to print of a cell: rate, spread, harvest CPU, p99; in open loop
 * rate, spread and both p99.
 *
 * Returns: false for no cell.
 */
bool table_figures(struct table *tb, const struct result_cell *cell, bool open,
    char bufs[TABLE_FIGURES][FORMAT_SIZE]);

/* In parentheses where nothing is shown; a blank where one would close. */
void table_ratio(struct table *tb, const struct result_cell *base,
    const struct result_cell *cell, char text[TABLE_CELL_SIZE]);

/* Whether a cell has a gate or notes. */
bool table_noted(const struct result_cell *cell);

/* Adds a footnote's mark; rows with the same footnote share it. */
void table_mark(struct table *tb, const struct result_cell *cell,
    unsigned designs, char marks[2 * TABLE_MARK_SIZE]);
/* Prints the block's footnotes. */
void table_notes(struct table *tb);

/* Prints a line for each cell of the group, where profiles were drawn. */
void table_bands(struct table *tb, bool open);

/* Prints a block with a row for each cell of the group. */
void table_long(struct table *tb);

/* Prints one such block of all cells, for a page. */
void table_page(struct table *tb, const struct curves *cs);

#endif
