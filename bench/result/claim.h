/*
 * What the numbers of a result are, in words: measured or predicted, and of
 * which machine.
 */
#ifndef BENCH_CLAIM_H
#define BENCH_CLAIM_H

#include <stdbool.h>

#include "bench/result/result.h"

enum { CLAIM_SIZE = 2 * RESULT_TEXT_SIZE };

/* What all cells are. */
enum claim {
	CLAIM_MEASURED,		/* or there is none */
	CLAIM_PREDICTED,
	CLAIM_BOTH
};

enum claim claim_of(const struct result *r);

/*
 * Whether figures hold what a ledger cost: some cell had one, and was measured;
 * of a simulated machine it takes no time.
 */
bool claim_ledgered(const struct result *r);

/* "measured" or "predicted", or "measured and predicted". */
const char *claim_word(const struct result *r);

/*
 * What one cell is, complete: "measured", or "predicted for epyc-9654-2s, 38 %
 * of its values guessed", without the machine where the cell does not say.
 *
 * Returns: buf.
 */
const char *claim_cell(const struct result_cell *cell, char buf[CLAIM_SIZE]);

/*
 * The machine of the predicted cells: "epyc-9654-2s, 192 CPUs in 2 nodes, 38 %
 * of its values guessed"; empty where none is, or none says.
 *
 * Returns: buf.
 */
const char *claim_machine(const struct result *r, char buf[CLAIM_SIZE]);

/*
 * What to put before the name of the host: "measured on", "predicted for ...;
 * computed on".
 *
 *   engines  in  name the engine too
 *
 * Returns: buf.
 */
const char *claim_head(const struct result *r, bool engines,
    char buf[CLAIM_SIZE]);

#endif
