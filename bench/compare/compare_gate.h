/*
 * Conditions on a comparison that a script can stop at.
 */
#ifndef BENCH_COMPARE_GATE_H
#define BENCH_COMPARE_GATE_H

#include <stdbool.h>

#include "bench/compare/compare.h"

/* "QUANTITY < NUMBER%" or "QUANTITY > NUMBER%", of the change. */
struct compare_gate {
	const char	*cg_text;	/* the caller's */
	unsigned	 cg_quantity;	/* into quantities[] */
	bool		 cg_below;
	double		 cg_share;
};

/*
 * Reads a condition; blanks are optional.
 *
 *   error  out  what is wrong and what would be right
 *
 * Returns: 0 or EINVAL.
 */
int compare_gate_parse(struct compare_gate *cg, const char *text,
    char error[COMPARE_TEXT_SIZE]);

/* Whether a row is ranked and its change meets the condition. */
bool compare_gate_met(const struct compare_gate *cg,
    const struct compare_pair *pa);

/*
 * Reads a percentage at the start of a text: sign, digits and a point only.
 *
 *   share  out  a hundredth of it
 *
 * Returns: what follows the number; NULL where there is none.
 */
const char *compare_percentage(const char *text, double *share);

/* The quantities' names, as a sentence lists them. */
void compare_quantity_names(char text[COMPARE_TEXT_SIZE]);

#endif
