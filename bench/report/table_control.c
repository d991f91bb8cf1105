#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/console/figure.h"
#include "bench/report/table.h"
#include "bench/result/group.h"
#include "bench/statistics/stats.h"

enum { CONTROL_INDENT = 2 };

/*
 * Requests per second of all readers, the median over repeats; 0 when there
 * is no memory.
 */
static double
median_rate(const struct result_cell *cell)
{
	double *rates, median;
	unsigned i;

	rates = calloc(cell->repeats, sizeof(*rates));
	if (rates == NULL)
		return (0);
	for (i = 0; i < cell->repeats; i++)
		rates[i] = cell->samples[i].reads_per_s;
	median = stats_median(rates, cell->repeats);
	free(rates);
	return (median);
}

/* The lock around nothing: each request is one acquisition. */
static void
describe_empty(char *text, size_t size, const struct result_cell *cell)
{
	char ns[FIGURE_SIZE];
	double per_s = median_rate(cell);
	int n;

	n = snprintf(text, size, "lock %s around nothing, %u reader%s: ",
	    cell->lock, cell->readers, cell->readers == 1 ? "" : "s");
	if (per_s > 0)
		snprintf(text + n, size - (size_t)n, "%s ns an acquisition",
		    figure_real(ns, fmin(1e9 / per_s, 1e99)));
	else
		snprintf(text + n, size - (size_t)n, "no acquisition");
}

/* No sharing: what the same readers would get without the lock. */
static void
describe_alone(char *text, size_t size, const struct result_cell *cell)
{
	char bytes[32], each[FIGURE_SIZE], spread[FIGURE_SIZE];

	snprintf(text, size, "no sharing, %s, %s, %u reader%s of %s: %s MB/s "
	    "each, +-%s %%", cell->design, cell->cipher, cell->readers,
	    cell->readers == 1 ? "" : "s",
	    figure_bytes(bytes, cell->request_bytes),
	    figure_real(each, cell->total_mb_per_s / cell->readers),
	    group_spread(cell, spread));
}

void
table_controls_print(FILE *out, const struct result *r)
{
	const struct result_cell *cell;
	char text[4 * RESULT_TEXT_SIZE];
	size_t len;
	unsigned i;

	for (i = 0; i < r->control_count; i++) {
		cell = &r->controls[i];
		if (strcmp(cell->lock, "none") == 0)
			describe_alone(text, sizeof(text), cell);
		else
			describe_empty(text, sizeof(text), cell);
		len = strlen(text);
		if (strcmp(group_claim(cell), "measured") != 0)
			len += (size_t)snprintf(text + len, sizeof(text) - len,
			    ", %s", group_claim(cell));
		if (group_gated(cell))
			snprintf(text + len, sizeof(text) - len, " (! %s)",
			    cell->gate);
		figure_wrap(out, "control:", CONTROL_INDENT, text);
	}
}
