/*
 * One panel of a picture, as gnuplot(1) is told to draw it.
 *
 * A panel stands in a rectangle of pixels, counted from the picture's upper
 * left corner, and leaves no setting behind that another does not set.
 */
#ifndef BENCH_PLOT_PANEL_H
#define BENCH_PLOT_PANEL_H

#include <stdio.h>

#include "bench/report/plot_data.h"

enum { PLOT_MATRICES = 4 };	/* of waits, in one column */

/* Pixels. */
struct plot_box {
	unsigned	bx_left;
	unsigned	bx_top;
	unsigned	bx_width;
	unsigned	bx_height;
};

/* The whole picture and what is being drawn into it. */
struct plot_sheet {
	FILE		*ps_out;
	const struct plot_data *ps_data;
	unsigned	 ps_width;	/* pixels */
	unsigned	 ps_height;
};

/* A few curves of a column. */
struct plot_block {
	const struct plot_column *pb_column;
	const unsigned	*pb_curves;	/* places in pl_curves */
	unsigned	 pb_count;	/* at most PLOT_CURVES */
};

typedef void plot_panel(const struct plot_sheet *ps,
    const struct plot_block *pb, const struct plot_box *bx);

/* Total MB/s and MB/s of each reader, and the law, against readers. */
plot_panel plot_panel_total;
plot_panel plot_panel_reader;

/* Percentiles of one read's latency against readers. */
plot_panel plot_panel_latency;

/* CPU of the harvest thread against readers. */
plot_panel plot_panel_harvest;

/* Where a panel's axes are, and its title. */
void plot_panel_place(const struct plot_sheet *ps, const struct plot_box *bx,
    const char *title);

/* Draws an empty panel that says why. */
void plot_panel_empty(const struct plot_sheet *ps, const char *why);

/* Lines across the panels that follow, where the tics are. */
void plot_panel_grid(FILE *out);

/* The lines' styles, 1 to PLOT_CURVES; hollow ones follow. */
void plot_panel_styles(FILE *out);

/*
 * The cells of a column whose waits are worth a matrix: of each design that
 * with the most waiting, the first designs.
 *
 * Returns: how many.
 */
unsigned plot_waits_cells(const struct plot_data *pl,
    const struct plot_column *co,
    const struct result_cell *cells[PLOT_MATRICES]);

/* Who waited for whom, in shares of all waiting. */
void plot_waits_print(const struct plot_sheet *ps,
    const struct result_cell *c, const struct plot_box *bx);

#endif
