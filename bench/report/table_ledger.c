/*
 * What ledgers checked, and what that cost, below a result's tables.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/console/figure.h"
#include "bench/report/table.h"

enum { LEDGER_TEXT = 512, LEDGER_COST = 96 };

/*
 * Of a repeat's rate against that of the same without a ledger, just before:
 * the median, the least and the most.
 */
static void
put_cost(char text[LEDGER_COST], const struct result_cell *cell)
{
	double cost, high = -HUGE_VAL, low = HUGE_VAL, median;
	unsigned i;

	if (cell->ledger.plain_mb_per_s <= 0) {
		snprintf(text, LEDGER_COST, strcmp(cell->engine, "virtual") ==
		    0 ? "takes no virtual time" : "its cost was not measured");
		return;
	}
	for (i = 0; i < cell->repeats; i++) {
		const struct result_sample *rs = &cell->samples[i];

		if (rs->plain_mb_per_s <= 0)
			continue;
		cost = 100 * (1 - rs->total_mb_per_s / rs->plain_mb_per_s);
		low = fmin(low, cost);
		high = fmax(high, cost);
	}
	median = 100 * (1 - cell->total_mb_per_s / cell->ledger.plain_mb_per_s);
	if (low > high)
		snprintf(text, LEDGER_COST, "cost %.1f %%", median);
	else
		snprintf(text, LEDGER_COST, "cost %.1f %% (%.1f..%.1f)", median,
		    low, high);
}

void
table_ledger_print(FILE *out, const struct result *r)
{
	char cost[LEDGER_COST], text[LEDGER_TEXT];
	unsigned i;
	bool any = false;

	for (i = 0; i < r->cell_count; i++) {
		const struct result_cell *cell = &r->cells[i];
		const struct result_ledger *rl = &cell->ledger;

		if (rl->records <= 0)
			continue;
		if (!any && r->cell_count > 1)
			fputc('\n', out);
		any = true;
		put_cost(cost, cell);
		snprintf(text, sizeof(text), "ledger: %s %s %s, %u reader%s of "
		    "%ju bytes: %.0f blocks of %.0f keys checked, %.0f reads, "
		    "%.0f reseeds, %.0f events, %.0f violations; %s%s",
		    cell->design, cell->lock, cell->cipher, cell->readers,
		    cell->readers == 1 ? "" : "s",
		    (uintmax_t)cell->request_bytes, rl->blocks, rl->keys,
		    rl->reads, rl->reseeds, rl->events, rl->violations, cost,
		    rl->forgotten > 0 ? "; the return of the oldest keys would "
		    "not have been noticed" : "");
		figure_wrap(out, "", 2, text);
	}
}
