/*
 * The safety case of a design on one screen.
 */
#ifndef BENCH_ASSURE_PAGE_H
#define BENCH_ASSURE_PAGE_H

#include <stdio.h>

#include "bench/assure/evidence.h"

/* A page in the making; rows in the order of evidences[]. */
struct page {
	const struct assure_params *pg_params;
	const struct random_algorithm *pg_design;
	/* NULL: not asked for. */
	const struct evidence_row *const *pg_rows;
	double		 pg_budget_s;	/* of all rows */
	const char	*pg_revision;	/* of the program */
	const char	*pg_when;	/* RFC 3339 */
	const char	*pg_host;
	const char	*pg_command;	/* to make this page again */
};

/* What the whole comes to: the worst of its rows' states. */
enum evidence_state page_verdict(const struct page *pg);

void page_print(FILE *out, const struct page *pg);

#endif
