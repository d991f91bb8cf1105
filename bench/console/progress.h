/*
 * How far a run is, on a terminal's standard error; elsewhere nothing.
 *
 * One line, drawn again and again, and cleared at the end.  Drawing takes CPU
 * time: call between measurements, not during one.
 */
#ifndef BENCH_PROGRESS_H
#define BENCH_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
	FILE	*pr_out;	/* NULL: no terminal, nothing is drawn */
	uint64_t pr_total;	/* steps of all, 1 or more */
	uint64_t pr_before;	/* of these done by an earlier run */
	int64_t	 pr_start_ns;	/* tick_ns() */
};

/* Begins total steps of equal length; the time left is reckoned from here. */
void progress_init(struct progress *p, uint64_t total);

/* The same where so many of them were done before; the line says so. */
void progress_resume(struct progress *p, uint64_t total, uint64_t before);

/*
 * Draws.
 *
 *   done   in  steps completed, at most the total
 *   label  in  what is being done; cut where the line ends
 */
void progress_update(struct progress *p, uint64_t done, const char *label);

/* Clears the line. */
void progress_fini(struct progress *p);

/*
 * The line as drawn, at most columns wide.
 *
 *   left_s  in  seconds to go; negative: not known yet
 */
void progress_format(char *buf, size_t size, unsigned columns, double share,
    double left_s, const char *label);

#endif
