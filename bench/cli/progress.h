/*
 * A line on stderr, where that is a terminal, redrawn in place.  Drawing takes
 * CPU time: call these between measurements.
 */
#pragma once

#include "lib/base/base.h"

extern struct progress {
	FILE	*prg_out;	/* NULL: no terminal, nothing is drawn */
	uint64_t prg_total;	/* steps; 0: never begun, as in a child */
	uint64_t prg_before;	/* steps that an earlier run has done */
	int64_t	 prg_start_ns;	/* tick_ns() */
} progress_line;

/* Set by --quiet: nothing is shown. */
extern bool progress_quiet;

/* Begins total steps of equal length, of which an earlier run did some. */
void progress_init(uint64_t total, uint64_t before);

/* Draws the line: steps done of the total, and the current one. */
void progress_update(uint64_t done, const char *label);

/* Clears the line. */
void progress_fini(void);

/* Formats a line of at most width columns; left_s below 0: not known yet. */
void progress_format(char *buf, size_t size, unsigned width, double share,
    double left_s, const char *label);
