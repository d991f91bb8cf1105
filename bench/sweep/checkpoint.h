/*
 * What a run has measured so far, on disk, so that another can go on with it.
 *
 * Beside the file that the result will be stands a journal (console/journal.h).
 * Its first record says what the run is: arguments, seed, host; each of the
 * others is one finished repeat, or one profile drawn, and is written before
 * the next repeat begins; on disk then, too, where it was measured, and within
 * a moment where it was simulated.  Writing it never falls into a measurement.
 */
#ifndef BENCH_CHECKPOINT_H
#define BENCH_CHECKPOINT_H

#include <jansson.h>

#include "bench/cell/cell.h"
#include "bench/console/journal.h"
#include "bench/options/options.h"
#include "bench/result/result.h"
#include "bench/sweep/summary.h"

#define	CHECKPOINT_SCHEMA	"rngsim-journal/1"

enum { CHECKPOINT_ERROR_SIZE = 1024 };

/* What a journal is of. */
struct checkpoint_head {
	json_t		*ch_record;
	char		**ch_argv;	/* NULL-terminated */
	uint64_t	 ch_seed;
};

struct checkpoint_draw {
	unsigned	 cd_cell;
	unsigned	 cd_sample;
	double		 cd_total;
	double		 cd_harvest;
};

struct checkpoint {
	struct journal	 ck_journal;
	const char	*ck_file;	/* the result's, as the user named it */
	const json_t	*ck_head;	/* to go on with; NULL: begin */
	struct result	*ck_result;	/* whose sittings are noted */
	unsigned	 ck_repeats;	/* of each cell */
	bool		*ck_has;	/* by cell and repeat: there already */
	unsigned	 ck_before;	/* repeats there already */
	unsigned	 ck_done;	/* and those that came */
	struct checkpoint_draw *ck_draws;	/* there already */
	unsigned	 ck_draw_count;
	unsigned	 ck_draw_room;
	bool		 ck_noted;	/* that this is another sitting */
};

/*
 * Reads what the journal beside a file is of, whoever has it.
 *
 *   real  in   the file, symbolic links followed
 *   head  out  checkpoint_head_free() it
 *   why   out  on failure: for people, the journal's name included
 *
 * Returns: 0; ENOENT when there is none; EINVAL when it is none; else what the
 * system said.
 */
int checkpoint_peek(const char *real, struct checkpoint_head *head,
    char why[CHECKPOINT_ERROR_SIZE]);

void checkpoint_head_free(struct checkpoint_head *head);

/*
 * Keeps others away from the journal beside a file, and makes it where there is
 * none; or takes it as it is, to go on.
 *
 *   ck    out  checkpoint_close() it, also after a failure
 *   file  in   as the user calls it
 *   head  in   of the run to go on with; NULL to begin one
 *   why   out  as above
 *
 * Returns: 0; EBUSY; else what the system said.
 */
int checkpoint_claim(struct checkpoint *ck, const char *file, const char *real,
    const struct checkpoint_head *head, char why[CHECKPOINT_ERROR_SIZE]);

/*
 * A name beside the journal, for the result until it is complete; to be freed.
 * NULL when there is no memory.
 */
char *checkpoint_temp(const struct checkpoint *ck);

/*
 * Writes the first record; or compares it with what this run is, and takes up
 * what has been measured.
 *
 *   r      in/out  filled in but for cells; when going on, its times and costs
 *                  become those of the first sitting
 *   cells  in/out  all of the run, controls behind the others
 *   error  out     on failure: for people
 *
 * Returns: 0, or an errno value.
 */
int checkpoint_begin(struct checkpoint *ck, const struct options *op,
    struct result *r, struct sweep_cell *cells, unsigned count,
    char error[CELL_ERROR_SIZE]);

/* Whether a repeat of a cell need not be measured.  ck may be NULL. */
bool checkpoint_has(const struct checkpoint *ck, unsigned cell,
    unsigned repeat);

/* How many repeats need not be measured.  Likewise. */
unsigned checkpoint_repeats_before(const struct checkpoint *ck);

/* The draws that are there already.  Likewise. */
const struct checkpoint_draw *checkpoint_draws(const struct checkpoint *ck,
    unsigned *count);

/*
 * Writes a repeat that is about to be added to its cell.  Does nothing without
 * a checkpoint.
 *
 *   order  in   its place in the run
 *   error  out  on failure: for people
 *
 * Returns: 0, or what the system said; the run should end then.
 */
int checkpoint_add(struct checkpoint *ck, const struct cell *ce, unsigned cell,
    unsigned repeat, unsigned order, struct cell_measure *cm,
    char error[CELL_ERROR_SIZE]);

/* Writes a draw, likewise. */
int checkpoint_add_draw(struct checkpoint *ck,
    const struct checkpoint_draw *cd, char error[CELL_ERROR_SIZE]);

/*
 * Ends it.
 *
 *   keep  in  whether somebody may want to go on
 *
 * Returns: 0, or what the system said to removing it.
 */
int checkpoint_close(struct checkpoint *ck, bool keep);

#endif
