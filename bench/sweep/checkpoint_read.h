/*
 * Taking up what a checkpoint has; for bench/sweep/checkpoint.c.
 */
#ifndef BENCH_CHECKPOINT_READ_H
#define BENCH_CHECKPOINT_READ_H

#include "bench/sweep/checkpoint.h"

enum { CHECKPOINT_WHAT_SIZE = 128 };

/*
 * Reads what an open journal is of, as checkpoint_peek().
 *
 *   path  in   as messages call it
 */
int checkpoint_peek_open(int fd, const char *path,
    struct checkpoint_head *head, char why[CHECKPOINT_ERROR_SIZE]);

/* Compares the first record with this run and adds the others to the cells. */
int checkpoint_take_up(struct checkpoint *ck, const struct options *op,
    struct result *r, double cycles_per_us, struct sweep_cell *cells,
    unsigned count, char error[CELL_ERROR_SIZE]);

/* Adds a sitting to a result.  Returns: 0 or ENOMEM. */
int checkpoint_note(struct result *r, const struct result_resumed *rr);

/* What a record says that it is of. */
void checkpoint_what(const struct cell *ce, char what[CHECKPOINT_WHAT_SIZE]);

#endif
