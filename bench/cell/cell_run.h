/*
 * The parts of one cell while it runs; for bench/cell*.c.
 */
#ifndef BENCH_CELL_RUN_H
#define BENCH_CELL_RUN_H

#include <errno.h>

#include "bench/cell/cell.h"
#include "fortuna/randomdev.h"
#include "harvest/harvestq.h"
#include "lib/digest.h"

enum phase {
	PHASE_START,		/* behind the barrier */
	PHASE_WARM,		/* running, not recorded */
	PHASE_MEASURE,
	PHASE_STOP
};

enum { WINDOW = 1 };	/* the one window of a run's profiles */

struct cell_run;

/* A reader and what it saw; the first line is its own while it runs. */
struct reader {
	_Alignas(MACHINE_CACHE_LINE)
	struct m64	 r_bytes;	/* in the window, for the intervals */
	struct cell_run	*r_run;
	unsigned	 r_index;
	struct randomdev r_dev;
	uint8_t		*r_buf;		/* its own, or run_buf */
	size_t		 r_buf_bytes;
	bool		 r_made;	/* r_gr is */
	bool		 r_hashed;	/* r_digest is, over all output */
	struct digest	 r_digest;
	struct workload_player r_player;
	struct generator_reader r_gr;
	int		 r_error;
	double		 r_edge_bytes;	/* of requests across its edges */
	/* And their share of one, less 1 for those that r_latency has. */
	double		 r_edge_requests;
	/*
	 * When it first noticed the window's opening, 0 if it did not, and its
	 * close: at the end of a request, or at once while waiting for one.
	 */
	uint64_t	 r_start_cycles;
	uint64_t	 r_stop_cycles;
	double		 r_backlog;	/* requests due and never begun */
	int64_t		 r_cpu_ns;
	unsigned	 r_cpu;
	bool		 r_displaced;	/* by the host, off its CPU */
	struct hist	 r_latency;	/* cycles; open loop: since due */
	struct hist	 r_uncorrected;	/* open loop: since it began */
	_Alignas(MACHINE_CACHE_LINE)
	struct mthread	 r_td;
};

struct producer {
	struct cell_run	*p_run;
	unsigned	 p_index;
	struct mthread	 p_td;
};

/* A run's ledgers, which outlive it wherever it ends. */
struct cell_ledgers {
	struct ledger	**cw_ledger;	/* the shared one's, the readers' */
	unsigned	 cw_count;	/* 0: none are kept */
	struct harvest_totals cw_totals;
	bool		 cw_ended;	/* those are known */
};

struct cell_run {
	const struct cell_params *run_params;
	struct cell_ledgers *run_ledgers;
	char		*run_error;
	struct randomdev run_dev;
	struct harvestq	*run_hq;
	struct lockprof	 run_prof;	/* Fortuna's mutex */
	struct lockprof	 run_hprof;	/* the event queue's */
	struct reader	*run_readers;
	unsigned	 run_started;	/* readers spawned */
	uint8_t		*run_buf;	/* shared; NULL: each has its own */
	struct producer	*run_producers;
	unsigned	 run_producer_count;
	unsigned	 run_producers_started;
	double		*run_hold;	/* each reader's, cycles; for sums */
	struct mthread	 run_harvest;
	bool		 run_harvest_started;
	unsigned	 run_harvest_cpu;	/* where it ended */
	struct mthread	 run_main;
	struct faults	*run_faults;	/* NULL: none; else &run_fault_points */
	struct faults	 run_fault_points;
	uint64_t	 run_open_cycles;	/* the window, */
	uint64_t	 run_close_cycles;	/* published by run_phase */
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	 run_phase;
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	 run_ready;	/* readers at the barrier */
};

/* Indexes of the threads in profiles: readers, harvest, producers, main. */
static inline unsigned
index_harvest(const struct cell_run *run)
{

	return (run->run_params->cp_cell.ce_readers);
}

/* Whether reader i waited to the end because a fail point made it. */
static inline bool
cell_left_waiting(const struct cell_run *run, unsigned i)
{

	return (run->run_faults != NULL &&
	    run->run_readers[i].r_error == EINTR);
}

#define	cell_ledgers_make	FLAVOURED(cell_ledgers_make)
#define	cell_ledgers_finish	FLAVOURED(cell_ledgers_finish)
#define	cell_ledgers_free	FLAVOURED(cell_ledgers_free)
#define	cell_violated		FLAVOURED(cell_violated)
#define	cell_fail		FLAVOURED(cell_fail)
#define	cell_unseeded		FLAVOURED(cell_unseeded)
#define	cell_setup		FLAVOURED(cell_setup)
#define	cell_teardown		FLAVOURED(cell_teardown)
#define	cell_reader_main	FLAVOURED(cell_reader_main)
#define	cell_collect		FLAVOURED(cell_collect)
#define	cell_collect_faults	FLAVOURED(cell_collect_faults)

extern const struct engine FLAVOURED(engine);

/*
 * Notes why a run fails, for people.
 *
 * Returns: error.
 */
int cell_fail(struct cell_run *run, int error, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * cell_fail() for a generator that was not seeded after waited_ms.
 *
 * Returns: ETIMEDOUT.
 */
int cell_unseeded(struct cell_run *run, struct generator *g,
    unsigned waited_ms);

/*
 * Makes everything but the threads.  Whatever it returns, cell_teardown() is
 * due.
 *
 *   cm  out  empty, with its arrays
 *
 * Returns: 0, or an errno value after cell_fail().
 */
int cell_setup(struct cell_run *run, struct cell_measure *cm);

/*
 * Makes the ledgers that a cell needs: one for each generator, none if none are
 * asked for.
 *
 * Returns: 0, or what ledger_new() returned; cell_ledgers_free() is due.
 */
int cell_ledgers_make(struct cell_ledgers *cw, const struct cell_params *cp);

/* What holds at rest: after cell_teardown(). */
void cell_ledgers_finish(struct cell_ledgers *cw);

/*
 * Sums up what they have seen, and frees them.
 *
 *   error  out  if something was wrong: that
 *
 * Returns: 0; EPROTO if something was wrong; ENOMEM if not all was checked.
 */
int cell_ledgers_free(struct cell_ledgers *cw, struct result_ledger *rl,
    char error[CELL_ERROR_SIZE]);

/* Whether one of them has found something. */
bool cell_violated(const struct cell_ledgers *cw);

/* Wipes and releases what cell_setup() made; no thread is running. */
void cell_teardown(struct cell_run *run);

/* The body of a reader's thread; arg is its struct reader. */
void cell_reader_main(void *arg);

/* Makes the measure of a run whose threads were joined. */
void cell_collect(struct cell_run *run, struct cell_measure *cm);

/* What came of the fail points, whether or not there was a window; likewise. */
void cell_collect_faults(struct cell_run *run, struct fault_outcome *fo);

#endif
