/* The parts of one cell while it runs; for bench/cell alone. */
#pragma once

#include "bench/cell/slices.h"

enum phase {
	PHASE_START,		/* behind the barrier */
	PHASE_WARM,		/* running, not recorded */
	PHASE_MEASURE,
	PHASE_STOP,
	PHASE_CLOSE,		/* readers and producers have ended, */
	PHASE_ENDED		/* all have */
};

/* A reader and what it saw; the first line is its own while it runs. */
struct reader {
	_Alignas(MACHINE_CACHE_LINE)
	struct m64	 r_bytes;	/* in the window, for the intervals */
	struct cell_run	*r_run;
	unsigned	 r_index;
	struct randomdev *r_dev;	/* its own, or run_dev */
	uint8_t		*r_buf;		/* its own, or run_buf */
	size_t		 r_buf_bytes;
	bool		 r_hashed;	/* r_digest is, over all output */
	struct digest	 r_digest;
	struct workload_player r_player;
	int		 r_error;
	double		 r_edge_bytes;	/* of requests across its edges */
	/* Their shares in the window, less 1 for each that r_latency has. */
	double		 r_edge_requests;
	/* When it noticed that the window opened, or 0, and closed. */
	uint64_t	 r_start_cycles, r_stop_cycles;
	double		 r_backlog;	/* requests due and never begun */
	int64_t		 r_cpu_ns;
	unsigned	 r_cpu, r_node;
	bool		 r_displaced;	/* by the host, off its CPU */
	/* From its request before the first seed to the bytes; 0: none. */
	uint64_t	 r_blocked_cycles;
	double		 r_delayed;	/* machine_thread_delayed() */
	struct hist	 r_latency;	/* cycles; open loop: since due */
	struct hist	 r_uncorrected;	/* open loop: since it began */
	_Alignas(MACHINE_CACHE_LINE) struct mthread r_td;
};

/* The same of a producer of events; interrupts of one source of --producers. */
struct event_producer {
	_Alignas(MACHINE_CACHE_LINE)
	struct m64	 evp_events;	/* in the window, as the next ones */
	uint64_t	 evp_fate[RANDOM_FATES];
	uint64_t	 evp_lost;	/* packets without room in the NIC */
	struct hist	 evp_call;	/* cycles */
	int64_t		 evp_cpu_ns;
	struct cell_run	*evp_run;
	const struct producing *evp_producing;
	unsigned	 evp_index;
	uint64_t	 evp_work_ns;
	uint64_t	 evp_draw;	/* the generator's state */
	/* When the next packet arrives, and since the producer began. */
	double		 evp_plan_ns;
	uint64_t	 evp_next_ns;
	unsigned	 evp_queued;	/* packets that have */
	uint64_t	 evp_entropy[PRODUCING_BYTES_MAX / 8];
	bool		 evp_displaced;
	_Alignas(MACHINE_CACHE_LINE) struct mthread evp_td;
};

/* A thread of an entropy source. */
struct producer {
	struct cell_run	*p_run;
	unsigned	 p_index;
	struct mthread	 p_td;
};

/* Outlives its machine's threads. */
struct cell_run {
	const struct cell_params *run_params;
	struct cell_measure *run_measure;
	char		*run_error;	/* text */
	int		 run_status;
	struct ledger	**run_ledger;	/* the shared one's, the readers' */
	unsigned	 run_ledgers;	/* 0: none are kept */
	struct randomdev *run_dev;
	struct harvest	 run_sources;
	/* As the window began, and ended. */
	struct harvest_totals run_totals[2];
	uint32_t	 run_reseeds[2];
	struct lockprof	 run_prof;
	struct hist	 run_delivery;	/* cycles */
	struct reader	*run_readers;
	unsigned	 run_started;	/* readers spawned */
	uint8_t		*run_buf;	/* shared; NULL: each has its own */
	struct producer	 run_producers[RANDOM_SOURCES];
	unsigned	 run_producers_started;
	struct event_producer *run_event_producers;
	unsigned	 run_event_producers_started;
	struct mthread	 run_harvest;
	bool		 run_harvest_started;
	unsigned	 run_harvest_cpu;	/* where it ended */
	struct mthread	 run_main, run_watch;
	bool		 run_watched;
	struct failpoints *run_faults;	/* &run_fault_points; NULL: none */
	struct failpoints run_fault_points;
	uint64_t	 run_open_cycles;	/* the window, */
	uint64_t	 run_close_cycles;	/* published by run_phase */
	_Alignas(MACHINE_CACHE_LINE) struct m32 run_phase;
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	 run_ready;	/* readers, producers at the barrier */
};

/* Indexes of the threads: readers, harvest, sources', producers, main. */
static inline unsigned
index_harvest(const struct cell_run *run)
{
	return (run->run_params->cp_cell.ce_readers);
}

static inline unsigned
index_producers(const struct cell_run *run)
{
	return (index_harvest(run) + 1 + RANDOM_SOURCES);
}

static inline unsigned
index_main(const struct cell_run *run)
{
	return (index_producers(run) + run->run_params->cp_cell.ce_producers);
}

/* Whether reader i waited to the end because a fail point made it. */
static inline bool
cell_left_waiting(const struct cell_run *run, unsigned i)
{
	return (run->run_faults != NULL &&
	    run->run_readers[i].r_error == EINTR);
}

extern const struct engine FLAVOURED(engine);

/* Prints why a run failed.  Returns: error. */
#define	cell_fail(run, error, ...)					\
	format_error(error, (run)->run_error, CELL_ERROR_SIZE, __VA_ARGS__)

/* cell_fail() with ETIMEDOUT: not seeded after waited_ms. */
int cell_unseeded(struct cell_run *run, struct randomdev *rd,
    unsigned waited_ms);

/*
 * Makes a ledger for each generator if cp_ledger is set, as ledger_new(); sums
 * them up and frees them, also after a failure.  Returns: 0, or EPROTO after a
 * violation, with its text in run_error.
 */
int cell_ledgers_make(struct cell_run *run);
int cell_ledgers_free(struct cell_run *run, struct result_ledger *rl);

/*
 * Makes the measure's empty arrays and all but the threads.  Returns: 0;
 * ENOMEM; an errno value after cell_fail().
 */
int cell_setup(struct cell_run *run);

/* Ends that, also after a failure, with the ledgers' last checks. */
void cell_teardown(struct cell_run *run);

/* The body of a reader's thread; arg is its struct reader. */
void cell_reader_main(void *arg);

/* Wait at the barrier, as one that others wait for, or as another. */
void cell_wait_start(struct cell_run *run);
void cell_wait_open(struct cell_run *run);

/* Waits until a time, or the end of the phase.  Returns: the time. */
uint64_t cell_wait_until(struct cell_run *run, uint64_t until,
    enum phase phase);

/* Producers of events: made, run (arg is one), and their figures. */
void cell_producers_setup(struct cell_run *run);
void cell_producer_main(void *arg);
void cell_producers_collect(struct cell_run *run, struct cell_measure *cm);

/* Makes the measure of a run whose threads were joined. */
void cell_collect(struct cell_run *run);

/* The outcome of the fail points, with or without a window. */
void cell_collect_faults(struct cell_run *run, struct failpoint_outcome *fo);
