#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/console/figure.h"
#include "bench/result/claim.h"
#include "bench/result/group.h"

static bool
predicted(const struct result_cell *cell)
{

	return (strcmp(group_claim(cell), "measured") != 0);
}

enum claim
claim_of(const struct result *r)
{
	unsigned i, n = 0;

	for (i = 0; i < r->cell_count; i++)
		n += predicted(&r->cells[i]);
	return (n == 0 ? CLAIM_MEASURED : n == r->cell_count ?
	    CLAIM_PREDICTED : CLAIM_BOTH);
}

bool
claim_ledgered(const struct result *r)
{
	unsigned i;

	for (i = 0; i < r->cell_count; i++)
		if (r->cells[i].ledger.records > 0 && !predicted(&r->cells[i]))
			return (true);
	return (false);
}

const char *
claim_word(const struct result *r)
{
	static const char *const words[] = {
		[CLAIM_MEASURED] = "measured",
		[CLAIM_PREDICTED] = "predicted",
		[CLAIM_BOTH] = "measured and predicted",
	};

	return (words[claim_of(r)]);
}

static bool
same_machine(const struct result_cell *a, const struct result_cell *b)
{

	return (strcmp(a->profile, b->profile) == 0 && a->cpus == b->cpus &&
	    a->nodes == b->nodes);
}

const char *
claim_cell(const struct result_cell *cell, char buf[CLAIM_SIZE])
{
	char share[FIGURE_SIZE];

	if (!predicted(cell) || cell->profile[0] == '\0')
		snprintf(buf, CLAIM_SIZE, "%s", group_claim(cell));
	else
		snprintf(buf, CLAIM_SIZE, "%s for %s, %s %% of its values "
		    "guessed", group_claim(cell), cell->profile,
		    figure_percent(share, 100 * fmin(cell->guessed_share, 1)));
	return (buf);
}

const char *
claim_machine(const struct result *r, char buf[CLAIM_SIZE])
{
	const struct result_cell *first = NULL;
	char share[FIGURE_SIZE];
	unsigned i;

	buf[0] = '\0';
	for (i = 0; i < r->cell_count; i++) {
		if (r->cells[i].profile[0] == '\0')
			continue;
		if (first == NULL)
			first = &r->cells[i];
		if (!same_machine(first, &r->cells[i])) {
			snprintf(buf, CLAIM_SIZE, "several machines");
			return (buf);
		}
	}
	if (first != NULL)
		snprintf(buf, CLAIM_SIZE, "%s, %u CPU%s in %u node%s, %s %% "
		    "of its values guessed", first->profile, first->cpus,
		    first->cpus == 1 ? "" : "s", first->nodes,
		    first->nodes == 1 ? "" : "s", figure_percent(share,
		    100 * fmin(first->guessed_share, 1)));
	return (buf);
}

const char *
claim_head(const struct result *r, bool engines, char buf[CLAIM_SIZE])
{
	char machine[CLAIM_SIZE];

	claim_machine(r, machine);
	switch (claim_of(r)) {
	case CLAIM_MEASURED:
		snprintf(buf, CLAIM_SIZE, "measured%s on",
		    engines ? " (engine real)" : "");
		break;
	case CLAIM_PREDICTED:
		snprintf(buf, CLAIM_SIZE, "predicted%s%s%.400s, computed on",
		    engines ? " (engine virtual)" : "",
		    machine[0] != '\0' ? " for " : "", machine);
		break;
	case CLAIM_BOTH:
		snprintf(buf, CLAIM_SIZE, "measured on, and predicted%s%.400s "
		    "computed on, as each says,",
		    machine[0] != '\0' ? " for " : "", machine);
		break;
	}
	return (buf);
}
