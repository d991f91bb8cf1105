/*
 * Curves: the cells of a result that differ in the number of readers alone.
 */
#ifndef BENCH_REPORT_CURVE_H
#define BENCH_REPORT_CURVE_H

#include "bench/cli/format.h"
#include "bench/result/result.h"

enum { CURVE_NAME_SIZE = 2 * RESULT_TEXT_SIZE };

/* What the cells of a curve have in common. */
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
	const struct result_cell **cu_cells;	/* by readers */
	unsigned	 cu_count;		/* at least 1 */
};

/* All curves of a result, by their first cell in the document. */
struct curves {
	struct curve	*cs_curves;
	unsigned	 cs_count;
	const struct result_cell **cs_cells;	/* of all curves */
	bool		 cs_varies[CURVE_PARTS];
	bool		 cs_named[CURVE_PARTS];	/* parts of curves' names */
};

/*
 * Sorts a result's cells into curves.
 *
 *   r   in   must outlive cs; may have no cells
 *   cs  out  for curves_free()
 */
void curves_find(const struct result *r, struct curves *cs);
void curves_free(struct curves *cs);

/*
 * Whether two cells are alike in all parts, or in all but one.
 *
 *   but  in  the part that may differ; CURVE_PARTS: none
 */
bool curve_alike(const struct result_cell *a, const struct result_cell *b,
    enum curve_part but);

/*
 * One part as text.  Cells are alike in a part if its texts are equal.
 *
 *   buf  out  may hold the text
 */
const char *curve_part(const struct result_cell *c, enum curve_part part,
    char buf[CURVE_NAME_SIZE]);

/*
 * A curve's name: its design and what is not common to all curves.
 *
 *   but  in  a part to leave out; CURVE_PARTS: none
 */
void curve_name(const struct curves *cs, const struct curve *cu,
    enum curve_part but, char name[CURVE_NAME_SIZE]);

/* Adds what is common to all curves, except design and engine. */
void curve_common(const struct curves *cs, struct text *t);

#endif
