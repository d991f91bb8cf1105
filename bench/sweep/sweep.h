/*
 * Measures the cells that options name, on this machine or on simulated ones
 * (replicate.c), and makes the cells of a result (summary.c).  Each finished
 * repeat is written to a journal, so that --resume can continue the run
 * (checkpoint.c).
 *
 * Unless stated otherwise functions return 0 or an errno value, and write a
 * message into "error" or "why" (CELL_ERROR_SIZE bytes) on failure.
 */
#ifndef BENCH_SWEEP_SWEEP_H
#define BENCH_SWEEP_SWEEP_H

#include "bench/compare/compare.h"
#include "bench/options/options.h"
#include "bench/result/field.h"
#include "bench/sweep/journal.h"

/* A robust ranking's median gain is at least this. */
#define	UNCERTAINTY_MARGIN	0.01

enum {
	GRID_TEXT_SIZE		= 128,
	REPEAT_JSON_DIGITS	= 17,	/* they keep every double */
	UNCERTAINTY_LEAST	= 10	/* draws for a statement */
};

/* A cell under way: its samples so far, and the sum of all else measured. */
struct sweep_cell {
	struct cell	sc_cell;
	struct result_sample *sc_samples;
	unsigned	sc_count;
	unsigned	sc_drifted;	/* of these within their windows */
	struct cell_measure sc_sum;
};

/* A journal's first line. */
struct checkpoint_head {
	json_t		*ch_record;
	char		**ch_argv;	/* NULL-terminated */
	uint64_t	 ch_seed;
	field_NAME	 ch_started;
	struct result_host ch_host;
	/* How fast the cycle counter is; 0 on a simulated machine. */
	double		 ch_cycles_per_us;
};

/* A repeat with a drawn profile. */
struct checkpoint_draw {
	unsigned	 cd_cell;
	unsigned	 cd_round;	/* a profile's repeats in turn */
	unsigned	 cd_count;	/* QUANTITIES */
	double		 cd_values[QUANTITIES];
};

struct checkpoint {
	struct journal	 ck_journal;
	const char	*ck_file;	/* the result's name, from the user */
	char		*ck_why;	/* where messages go */
	const struct checkpoint_head *ck_head;	/* NULL: a new run */
	size_t		 ck_at;		/* of the next line to read, bytes */
	unsigned	 ck_line;	/* in messages; 0: not of one line */
	struct result	*ck_result;	/* whose resumptions are noted */
	struct sweep_cell *ck_cells;
	unsigned	 ck_count;	/* cells, controls included */
	unsigned	 ck_repeats;	/* of each cell */
	bool		*ck_has;	/* by cell and repeat: in the journal */
	unsigned	 ck_before;	/* repeats in the journal at first */
	unsigned	 ck_done;	/* lines added since */
	struct checkpoint_draw *ck_draws;	/* in the journal at first */
	unsigned	 ck_draw_count;
	bool		 ck_noted;	/* the resumption is in the journal */
};

/*
 * Measures every cell of the options' grid.  Each repeat visits all cells once,
 * in an order drawn from the seed.
 *
 *   argv  in   the program's, for the document
 *   ck    in   claimed: each repeat is written to it, and those that it has
 *              are not measured; or NULL
 *   r     out  the complete repeats, also after a failure; result_free() it
 *
 * Returns: 0; EINTR when interrupted; else the engine's error.
 */
int sweep_run(const struct options *op, char *const argv[],
    struct checkpoint *ck, struct result *r, char error[CELL_ERROR_SIZE]);

/*
 * Runs the options' cell op_repeats times with fail points, and prints on
 * stdout what was injected and what came of it.
 *
 * Returns: an exit status, after a message on stderr if it is not 0.
 */
int failpoint_run(const struct options *op);

/*
 * trace_begin() opens the file of --trace and sets op_observer, before anything
 * runs; *tl is NULL without --trace.  trace_end() writes it, also after an
 * interrupted run.  Both return 0, or EXIT_FAILURE after a message.
 */
int trace_begin(struct options *op, struct timeline **tl);
int trace_end(struct options *op, struct timeline *tl);

/*
 * Fills in what a result says of the whole run, and makes room for cells and
 * controls.  Returns: 0 or ENOMEM, with r for result_free().
 */
int describe_run(const struct options *op, char *const argv[], unsigned cells,
    unsigned controls, struct result *r);

/*
 * Measures the costs of a time stamp and of profiling an acquisition.  Returns:
 * 0 or ENOMEM.
 */
int host_calibrate(struct result_host *host);

/* The first cell of the options' grid. */
struct cell grid_first(const struct options *op);

/*
 * Makes the cells of the grid and, behind them, controls: each lock around
 * nothing, and each cipher with nothing shared.
 *
 *   cells  out  to be freed, after summary_free() of each
 *   grid   out  how many are of the grid
 *   count  out  controls included
 */
void grid_make(const struct options *op, struct sweep_cell **cells,
    unsigned *grid, unsigned *count);

/*
 * How many jobs the grid can be: of a simulated machine one for each cell; on
 * this machine cells that are measured side by side are in one.
 */
unsigned grid_jobs(const struct options *op);

/* Whether --part has the cell of this index; controls are in all parts. */
bool grid_has(const struct options *op, unsigned cell);

/* "locked mtx aes, 2 readers" */
const char *grid_text(const struct cell *ce, char text[GRID_TEXT_SIZE]);

/* The engine that runs the cells. */
const struct engine *grid_engine(const struct options *op);

/*
 * Completes a repeat's sample: its place among all repeats of the run, its gate
 * and, of a simulated machine, its trace.
 */
void summary_sample(const struct cell *ce, struct cell_measure *cm,
    unsigned order);

/* Adds one repeat's measure to its cell; cm is empty afterwards. */
void summary_add(struct sweep_cell *sc, struct cell_measure *cm);

/* Frees what a cell points to; it has no samples afterwards. */
void summary_free(struct sweep_cell *sc);

/*
 * Makes the result's cell, which takes over the arrays of sc, a cell with a
 * sample.
 */
void summary_finish(struct sweep_cell *sc, const struct options *op,
    const struct result_host *host, struct result_cell *rc);

/* A part of it: fails the gate of a cell whose throughput drifted. */
void summary_gate_trend(struct result_cell *rc);

/* A journal's fields of struct cell_measure and struct checkpoint_draw. */
extern const struct field repeat_fields[], draw_fields[];

/* Reads a repeat.  cell_measure_free() cm also after a failure. */
int repeat_load(const json_t *object, unsigned readers,
    struct cell_measure *cm, char why[RESULT_TEXT_SIZE]);

/* The first line of a run as JSON; NULL when there is no memory. */
json_t *head_format(const struct options *op, const struct result *r);

/* Reads it.  head_free() it also after a failure. */
int head_load(const char *line, size_t size, struct checkpoint_head *head,
    char why[RESULT_TEXT_SIZE]);
void head_free(struct checkpoint_head *head);

/*
 * Locks the journal beside a file and, to resume a run, reads its first line.
 *
 *   ck    out  checkpoint_close() it, also after a failure
 *   file  in   the name from the user
 *   real  in   the file, symbolic links followed
 *   head  out  head_free() it after ck is closed; NULL: begin a run
 *
 * Returns: 0; ENOENT when there is no journal; EINVAL when it is not one; else
 * the system's error.
 */
int checkpoint_claim(struct checkpoint *ck, const char *file, const char *real,
    struct checkpoint_head *head, char why[CELL_ERROR_SIZE]);

/* The part of it that reads the first line of a claimed journal. */
int checkpoint_read(struct checkpoint *ck, struct checkpoint_head *head);

/*
 * Of a new run, writes the first line.  Of a resumed one, compares the first
 * line with this run and adds the repeats of the other lines to their cells.
 *
 *   r      in/out  filled in but for cells; when resuming, its times and costs
 *                  become those of the first line
 *   cells  in/out  all of the run, controls behind the others
 *   why    out     also of checkpoint_add() and checkpoint_add_draw()
 */
int checkpoint_begin(struct checkpoint *ck, const struct options *op,
    struct result *r, struct sweep_cell *cells, unsigned count,
    char why[CELL_ERROR_SIZE]);

/* Whether the journal has a repeat; ck may be NULL here and in the next two. */
bool checkpoint_has(const struct checkpoint *ck, unsigned cell,
    unsigned repeat);

/*
 * Write a repeat that is about to be added to its cell, or a draw; the run
 * should end if that fails.
 */
int checkpoint_add(struct checkpoint *ck, unsigned cell, unsigned repeat,
    const struct cell_measure *cm);
int checkpoint_add_draw(struct checkpoint *ck,
    const struct checkpoint_draw *cd);

/* Ends it; "keep" is whether the run can be resumed. */
int checkpoint_close(struct checkpoint *ck, bool keep);

/*
 * Runs on simulated machines: each round visits every cell once.  Threads of
 * the host share the runs; outcomes and their order do not depend on how many.
 */
struct replicate {
	const struct options *rp_options;
	const struct cell *const *rp_cells;
	unsigned	 rp_cell_count;
	unsigned	 rp_rounds;
	/*
	 * One for every op_repeats rounds, its repeats.  NULL: the options'
	 * profile, and round i is repeat i.
	 */
	const struct profile *rp_profiles;
	const char	*rp_label;	/* for progress */
	/* Whether to leave out a run; called on any thread. */
	bool		(*rp_skip)(void *context, unsigned cell,
			    unsigned round);
	/*
	 * Takes a run's outcome, in order of runs, on the caller's thread.  cm
	 * is empty after an error; the caller frees what is left in it.
	 *
	 * Returns: 0, or an error that ends all.
	 */
	int		(*rp_take)(void *context, unsigned cell, unsigned round,
			    int error, const char *why,
			    struct cell_measure *cm);
	void		*rp_context;
};

/* The memory that this process may have: the host's, or ulimit -v. */
uint64_t replicate_memory_bytes(void);

/*
 * The number of runs at a time: what the host's CPUs and memory allow, or
 * rngsim.virtual.threads.  0: no memory for one.
 *
 *   needed  out  bytes that one of them needs at most
 */
unsigned replicate_threads(const struct options *op, uint64_t *needed);

/* Does all runs.  Returns: 0, the error of rp_take(), or ENOMEM. */
int replicate_run(const struct replicate *rp);

/*
 * Repeats all repeats of each cell with op_uncertainty profiles drawn around
 * that of the options, the i-th the same for all cells.  Fills in the
 * uncertainty of the cells and of the result.
 *
 *   like  in  the cells of r->cells
 *
 * Returns: 0; EINTR when interrupted, with the draws that all cells have filled
 * in if they are at least UNCERTAINTY_LEAST; else the engine's error,
 * and nothing is filled in.
 */
int uncertainty_run(const struct options *op, struct checkpoint *ck,
    const struct cell *const *like, struct result *r,
    char error[CELL_ERROR_SIZE]);

/*
 * Makes bands, effects and rankings of samples.
 *
 *   r         in/out  cells have uncertainty.total_samples and the others
 *   profiles  in      as many as there are samples, drawn around base
 */
void uncertainty_analyse(struct result *r, const struct profile *profiles,
    const struct profile *base);

/* The same with the profiles that the options draw. */
void uncertainty_redraw(const struct options *op, struct result *r);

#endif
