/*
 * Measures cells that options name, on this machine or on simulated ones
 * (replicate.c), and makes the cells of a result (summary.c).  Each finished
 * repeat goes to a journal, so that --resume can continue (checkpoint.c).
 *
 * Unless stated otherwise functions return 0 or an errno value, and write a
 * message into "error" or "why" (CELL_ERROR_SIZE bytes) on failure.
 */
#pragma once

#include "bench/cli/stop.h"
#include "bench/options/options.h"
#include "bench/result/comparable.h"

enum {
	REPEAT_JSON_DIGITS	= 17,	/* they keep every double */
	UNCERTAINTY_LEAST	= 10,	/* draws for a statement */
	JOURNAL_MAX		= 1 << 30	/* bytes */
};

/* A cell under way: its samples so far, and the sum of all else measured. */
struct sweep_cell {
	struct cell	sc_cell;
	struct result_cell sc_result;
	unsigned	sc_drifted;	/* of these within their windows */
	struct cell_measure sc_sum;
	atomic_bool	sc_stuck;	/* it deadlocked, and is left out */
};

/*
 * A run under way.  Each round visits every cell once: op_repeats rounds with
 * the options' machine, then as many with each drawn profile.
 */
struct sweeping {
	const struct options *sw_options;
	struct checkpoint *sw_checkpoint;	/* or NULL */
	struct result	*sw_result;
	struct sweep_cell *sw_cells;	/* the grid's, then controls */
	unsigned	 sw_grid;	/* how many are the grid's */
	unsigned	 sw_count;	/* controls included */
	unsigned	 sw_rounds;
	bool		*sw_has;	/* by round and cell: it is done */
	/* Figures with drawn profiles, and the profiles. */
	double		(*sw_drawn)[QUANTITIES];	/* by round, cell */
	struct profile	*sw_profiles;
	char		*sw_error;	/* CELL_ERROR_SIZE bytes */
};

/*
 * An append-only file of lines.  A last line without a newline was torn when
 * the program ended, and is ignored.  A lock keeps other processes out.
 */
struct journal {
	int	 jo_fd;		/* -1: not open */
	char	*jo_path;
	bool	 jo_new;	/* remove the file if it stays empty */
	char	*jo_text;	/* its whole lines when it was claimed */
	off_t	 jo_end;	/* behind the last whole line, bytes */
	/*
	 * Longest time between two fsync(2); 0: one for each line.  A killed
	 * process loses no line, but a power failure may lose those since.
	 */
	int64_t	 jo_patience_ns;
	int64_t	 jo_synced_ns;	/* tick_ns() of the last one */
	bool	 jo_dirty;	/* lines were written since */
};

struct checkpoint {
	struct journal	 ckp_journal;
	const char	*ckp_file;	/* the result's name, from the user */
	char		*ckp_why;	/* where messages go */
	json_t		*ckp_head;	/* the first line; NULL: a new run */
	size_t		 ckp_at;	/* of the next line to read, bytes */
	unsigned	 ckp_line;	/* in messages; 0: not of one line */
	struct sweeping	*ckp_run;
	unsigned	 ckp_before;	/* repeats in the journal at first */
	unsigned	 ckp_drawn;	/* and runs with drawn profiles */
	unsigned	 ckp_done;	/* runs added since */
};

/*
 * Measures every cell of the options' grid; each repeat visits all cells once,
 * in an order drawn from the seed.  ck is claimed, or NULL: each repeat is
 * written to it, and those that it has are not measured.  r has the complete
 * repeats, also after a failure; result_free() it.  Returns also EINTR.
 */
int sweep_run(const struct options *op, char *const argv[],
    struct checkpoint *ck, struct result *r, char error[CELL_ERROR_SIZE]);

/*
 * Runs the options' cell op_repeats times with fail points, and prints what was
 * injected and what came of it.  Returns: an exit status, after a message.
 */
int failpoint_run(const struct options *op);

/* Fills in what r says of the whole run; makes room for cells and controls. */
void describe_run(const struct options *op, char *const argv[], unsigned cells,
    unsigned controls, struct result *r);

/* The first cell of the options' grid. */
struct cell grid_first(const struct options *op);

/* Makes the cells of the options' grid and, behind them, controls. */
void grid_make(struct sweeping *sw);
void grid_free(struct sweeping *sw);
/* Frees what a cell points to; it has no samples afterwards. */
void grid_clear(struct sweep_cell *sc);

/* Whether a cell has had a round. */
static inline bool *
grid_has(const struct sweeping *sw, unsigned cell, unsigned round)
{
	return (&sw->sw_has[(size_t)round * sw->sw_count + cell]);
}

/* Its figures with a drawn profile. */
static inline double *
grid_drawn(const struct sweeping *sw, unsigned cell, unsigned round)
{
	return (sw->sw_drawn[(size_t)(round - sw->sw_options->op_repeats) *
	    sw->sw_grid + cell]);
}

/* What runs a repeat of a cell; cells to compare get the same requests. */
struct cell_params grid_params(const struct options *op, const struct cell *ce,
    unsigned repeat);

/* The simulated machine of a repeat. */
void grid_machine(const struct options *op, const struct profile *pr,
    unsigned repeat, struct cell_params *cp, struct machine_config *mc);

/*
 * How many jobs the grid can be: of a simulated machine one for each cell; on
 * this machine cells that are measured side by side are in one.
 */
unsigned grid_jobs(const struct options *op);

/* Whether --part has the cell of this index; controls are in all parts. */
bool grid_in_part(const struct options *op, unsigned cell);

/* Adds "locked mtx aes, 2 readers, 65536 bytes". */
const char *grid_text(struct text *t, const struct cell *ce);

const struct engine *grid_engine(const struct options *op);

/* Completes a sample: its place in the run, gate and, if simulated, trace. */
void summary_sample(const struct cell *ce, struct cell_measure *cm,
    unsigned order);

/* Adds a repeat's measure to its cell; cm is empty afterwards. */
void summary_add(struct sweep_cell *sc, struct cell_measure *cm);

/* Makes the result's cell, which takes over all but the number of repeats. */
void summary_finish(struct sweep_cell *sc, const struct options *op,
    const struct result_host *host, struct result_cell *rc);

/* A part of it: fails the gate of a cell whose throughput drifted. */
void summary_gate_trend(struct result_cell *rc);

/* A journal's fields of struct cell_measure. */
extern const struct field repeat_fields[];

/* Reads a repeat.  cell_measure_free() cm also after a failure. */
int repeat_load(const json_t *object, unsigned readers,
    struct cell_measure *cm, char why[RESULT_TEXT_SIZE]);

/* The first line of a run as JSON: its result, as far as it is known. */
json_t *head_format(const struct options *op, const struct result *r);

/* Reads it, or is NULL.  result_free() begun, also after a failure. */
json_t *head_load(const char *line, size_t size, struct result *begun,
    char why[RESULT_TEXT_SIZE]);

/*
 * Locks the journal beside a file and, to resume a run, reads its first line
 * into begun as head_load(); NULL begins a run.  checkpoint_close() ck also
 * after a failure: ENOTSUP for a file that is written directly, ENOENT where
 * there is no journal, ENOMSG where it has no whole line, or another.
 */
int checkpoint_claim(struct checkpoint *ck, const char *file,
    struct result *begun, char why[CELL_ERROR_SIZE]);

/* The part of it that reads the first line of a claimed journal. */
int checkpoint_read(struct checkpoint *ck, struct result *begun);

/*
 * Of a new run, writes the first line.  Of a resumed one, compares the first
 * line, whose times and costs it takes over, and adds the other lines' repeats.
 */
int checkpoint_begin(struct checkpoint *ck, struct sweeping *sw);

/*
 * Takes what a round of a cell measured, and empties cm: writes it to the
 * journal, if there is one, then adds it to the cell, as repeat "order" of the
 * run.  An error of writing should end the run.
 */
int checkpoint_take(struct sweeping *sw, unsigned cell, unsigned round,
    unsigned order, struct cell_measure *cm);

/* Ends it; "keep" is whether the run can be resumed. */
int checkpoint_close(struct checkpoint *ck, bool keep);

/* The memory that this process may have: the host's, or ulimit -v. */
uint64_t replicate_memory_bytes(void);

/*
 * The number of runs at a time: what the host's CPUs and memory allow, or
 * rngsim.virtual.threads.  0: no memory for one, which needs so many bytes.
 */
unsigned replicate_threads(const struct options *op, uint64_t *needed);

/*
 * Does all rounds on simulated machines, on threads of the host; outcomes and
 * their order do not depend on how many.  A cell that deadlocks is left out,
 * with a message, and EDEADLK is returned after the other cells.
 */
int replicate_run(struct sweeping *sw);

/*
 * Fills in the uncertainty of cells and result, if all cells have had
 * UNCERTAINTY_LEAST drawn profiles.
 */
void uncertainty_finish(const struct sweeping *sw);

/*
 * Makes bands, effects and rankings of the samples in a result's cells, one for
 * each of the profiles, drawn around base.
 */
void uncertainty_analyse(struct result *r, const struct profile *profiles,
    const struct profile *base);

/* The profiles that the options draw, to be freed. */
struct profile *uncertainty_profiles(const struct options *op);
/* Effects and rankings alone, with these. */
void uncertainty_redraw(const struct options *op, struct result *r);

/* path with a suffix, to be freed. */
char *journal_name(const char *path, const char *suffix);

/*
 * Opens, or creates, locks and reads a journal; the file stays as it is.  Close
 * no other descriptor of the file: that would release this process's lock, and
 * journal_close() jo also after a failure.  EBUSY: *other has it; 0: unknown.
 */
int journal_claim(struct journal *jo, const char *path, bool create,
    pid_t *other);

/*
 * Empties a journal and writes its first line.  One of two or more lines is
 * kept: renamed to its path with ".old" behind it.
 */
int journal_begin(struct journal *jo, const char *first, bool *kept);

/* Reads the whole lines of an open journal; a part of journal_claim(). */
int journal_read(struct journal *jo);

/* Cuts off a torn last line, and frees jo_text; journal_add() follows. */
int journal_continue(struct journal *jo);

/* Adds a line with its newline.  On failure the file is as before. */
int journal_add(struct journal *jo, const char *line);

/* Removes an open journal's file, and closes it. */
int journal_remove(struct journal *jo);

/* Closes a journal, if it is open. */
void journal_close(struct journal *jo);
