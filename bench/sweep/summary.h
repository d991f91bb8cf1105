/*
 * From a cell's repeats to the cell of a result: medians, intervals, gates.
 */
#ifndef BENCH_SUMMARY_H
#define BENCH_SUMMARY_H

#include "bench/cell/cell.h"
#include "bench/result/result.h"

/* A cell under way: its samples so far and what they add up to. */
struct sweep_cell {
	struct cell	sc_cell;
	struct result_sample *sc_samples;
	unsigned	sc_count;
	unsigned	sc_drifted;	/* of these within their windows */
	struct hist	sc_latency;
	struct hist	sc_uncorrected;
	struct hist	sc_harvest_latency;
	struct cell_row	*sc_rows;
	unsigned	sc_row_count;
	struct result_wait *sc_waits;
	unsigned	sc_wait_count;
	struct result_health sc_health[ENTROPYSOURCE];
	unsigned	sc_health_count;
	double		sc_acquisitions;
	bool		sc_unbound;
	bool		sc_displaced;
	double		sc_backlog;	/* the largest of a repeat */
	struct result_ledger sc_ledger;	/* all repeats' */
};

/*
 * Moves one repeat's measure into its cell; cm is empty afterwards.
 *
 *   order  in  its place among all repeats of the run
 *
 * Returns: 0 or ENOMEM.
 */
int summary_add(struct sweep_cell *sc, struct cell_measure *cm,
    unsigned order);

/* Frees what a cell under way points to. */
void summary_free(struct sweep_cell *sc);

/* Leaves a cell without any, and without room for them. */
void summary_forget(struct sweep_cell *sc);

/*
 * Makes the result's cell, which takes over sc's arrays.  sc has a sample.
 *
 * Of a simulated machine nothing is said but the engine's name; see
 * virtual_describe().
 *
 *   crypto  in  the mode's name
 *   seed    in  of the bootstrap
 *
 * Returns: 0 or ENOMEM.
 */
int summary_finish(struct sweep_cell *sc, const char *crypto, uint64_t seed,
    const struct result_host *host, const struct engine *engine,
    const struct lock_config *config, struct result_cell *rc);

/*
 * Fails the gate of each cell whose throughput moved over the run by more than
 * chance allows for in any of them.
 *
 * Returns: 0 or ENOMEM.
 */
int summary_gate_trend(struct result_cell *cells, unsigned count);

#endif
