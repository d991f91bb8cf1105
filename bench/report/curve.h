/*
 * Curves: the cells of a result that differ in the number of readers alone.
 */
#ifndef BENCH_CURVE_H
#define BENCH_CURVE_H

#include <stdbool.h>

#include "bench/result/result.h"

enum { CURVE_NAME_SIZE = 2 * RESULT_TEXT_SIZE };

/* What a curve's cells have in common, and what may tell curves apart. */
enum curve_part {
	CURVE_CIPHER,
	CURVE_CRYPTO,
	CURVE_DESIGN,
	CURVE_LOCK,
	CURVE_SPIN_POLLS,
	CURVE_SIZE,
	CURVE_WORKLOAD,
	CURVE_RATE,		/* and how requests arrive */
	CURVE_ENGINE,
	CURVE_PARTS
};

struct curve {
	/* By readers; with as many readers, as measured. */
	const struct result_cell **cu_cells;
	unsigned	 cu_count;	/* at least 1 */
};

/* All of a result's, in the order in which their first cells were measured. */
struct curves {
	struct curve	*cs_curves;
	unsigned	 cs_count;
	const struct result_cell **cs_cells;	/* what the curves point into */
	bool		 cs_varies[CURVE_PARTS];
	/* What belongs in names: polls may follow from the lock. */
	bool		 cs_tells[CURVE_PARTS];
};

/* Whether two cells are of one curve. */
bool curve_same(const struct result_cell *a, const struct result_cell *b);

/*
 * Sorts a result's cells into curves.
 *
 *   r   in   must outlive cs; may have no cells
 *   cs  out  for curves_free(); untouched on failure
 *
 * Returns: 0 or ENOMEM.
 */
int curves_find(const struct result *r, struct curves *cs);

/* Frees what curves_find() allocated. */
void curves_free(struct curves *cs);

/*
 * A curve's name, ", " between its parts: its design and whatever else is not
 * common to all curves.
 *
 *   but  in  a part to leave out in any case; CURVE_PARTS: none
 */
void curve_name(const struct curves *cs, const struct curve *cu,
    enum curve_part but, char name[CURVE_NAME_SIZE]);

/*
 * What is common to all curves, in the same form, but for the design and the
 * engine; there is at least one curve.
 */
void curve_common(const struct curves *cs, char text[CURVE_NAME_SIZE]);

#endif
