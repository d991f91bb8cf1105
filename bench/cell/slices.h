/*
 * Cells measured side by side on this machine: their windows alternate in short
 * slices, so that what the machine does meanwhile falls on all of them alike.
 *
 * One runs at a time while the others are stopped with their clocks
 * (lib/machine/freezer.h): a cell sees one window as long as that of a cell
 * that runs alone.  A block is a slice of each cell, in random order.  What a
 * cell does in the first part of a slice, when caches are another cell's,
 * counts in its window but not in the slice.
 */
#pragma once

#include <gsl/gsl_rng.h>

#include "bench/cell/cell.h"

/*
 * A shorter window has too few slices to be divided.  ThreadSanitizer delays
 * signals for as long as a thread calls nothing that it intercepts.
 */
#ifdef __SANITIZE_THREAD__
#define	SLICES_MIN_TIME_S	1e9
#else
#define	SLICES_MIN_TIME_S	0.1
#endif

enum {
	/* A slice must hold several requests. */
	SLICES_REQUEST_MAX_BYTES = 1 << 20,
	/* All threads of all cells exist at once. */
	SLICES_READERS_MAX	= 1024
};

/*
 * Runs one repeat of each of 2 or more cells, with one cp_stop, on a real
 * engine.  rng: the order of making the cells, and of each block.  Fills all or
 * none of cm as en_run() does; their samples have slice_mb_per_s: element i of
 * all is of one block.  Returns: as en_run(), with the reason in error.
 */
int slices_run(const struct engine *en, const struct cell_params *cp,
    unsigned count, gsl_rng *rng, struct cell_measure *cm,
    char error[CELL_ERROR_SIZE]);

/* What a cell's first thread reports. */
enum slice_state {
	SLICE_MADE,
	SLICE_READY,	/* its threads are made and wait */
	SLICE_OPEN,	/* its window is */
	SLICE_CLOSING,	/* it is over; threads end, which takes host's locks */
	SLICE_CLOSED,	/* all other threads have ended */
	SLICE_ENDED	/* set by slices_run() */
};

/*
 * Waits there if others must come first; does nothing with NULL, of a cell that
 * runs alone.  SLICE_READY has what its readers made in the window so far, for
 * another thread until SLICE_CLOSED.  Returns: 0; EINTR: the cell is to end.
 */
int slice_report(struct slice_arm *sa, enum slice_state state,
    uint64_t (*bytes)(void *run), void *run);
