#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/format.h"
#include "bench/cli/memory.h"
#include "bench/report/comparable.h"
#include "lib/lock/lock.h"

bool
comparable_gated(const struct result_cell *cell)
{
	return (cell->gate[0] != '\0');
}

bool
comparable_sliced(const struct result_cell *cell)
{
	return (cell->repeats > 0 && cell->samples[0].together > 0);
}

bool
comparable_few_repeats(const struct result_cell *cell)
{
	/* Not every document has what an interval is of. */
	if (cell->ci95_of[0] == '\0')
		return (cell->repeats < RESULT_CI95_REPEATS_MIN);
	return (cell->repeats == 1 ||
	    strcmp(cell->ci95_of, RESULT_CI95_PARTS) == 0);
}

const char *
comparable_spread(const struct result_cell *cell, char *buf)
{
	double total = cell->total_mb_per_s;

	if (comparable_few_repeats(cell))
		snprintf(buf, FORMAT_SIZE, "?");
	else if (total > 0)
		format_percent(buf, fmin(1e6, 50 / total *
		    (cell->total_mb_per_s_ci95[1] -
		    cell->total_mb_per_s_ci95[0])));
	else
		snprintf(buf, FORMAT_SIZE, "-");
	return (buf);
}

bool
comparable_indistinct(const struct result_cell *a, const struct result_cell *b)
{
	return (comparable_few_repeats(a) || comparable_few_repeats(b) ||
	    (a->total_mb_per_s_ci95[0] <= b->total_mb_per_s_ci95[1] &&
	    b->total_mb_per_s_ci95[0] <= a->total_mb_per_s_ci95[1]));
}

/* Whether drawn profiles, if any, agree with the totals' order. */
static bool
robust(const struct result_cell *a, const struct result_cell *b)
{
	const unsigned n = a->uncertainty.samples;
	double *scratch = xcalloc((size_t)n + 1, sizeof(*scratch));
	struct stats_change sc = { .sc_share = 1 };

	if (n > 0 && n == b->uncertainty.samples) {
		stats_change(a->uncertainty.total_samples,
		    b->uncertainty.total_samples, n, scratch, &sc);
		if (sc.sc_median * (b->total_mb_per_s - a->total_mb_per_s) < 0)
			sc.sc_share = 0;
	}
	free(scratch);
	return (sc.sc_share >= STATS_ROBUST);
}

bool
comparable_unranked(const struct result_cell *a, const struct result_cell *b)
{
	return (a->repeats < COMPARABLE_REPEATS ||
	    b->repeats < COMPARABLE_REPEATS || comparable_indistinct(a, b) ||
	    !robust(a, b));
}

bool
comparable_open_loop(const struct result_cell *cell)
{
	return (cell->rate_per_s > 0);
}

/* A mix begins with a size; a recording's name ends in its hash. */
static bool
sizes_vary(const struct result_cell *cell)
{
	return (isdigit((unsigned char)cell->workload[0]) ||
	    strchr(cell->workload, '#') != NULL);
}

const char *
comparable_workload(const struct result_cell *cell, char buf[COMPARABLE_SIZE])
{
	const char *bytes = FORMAT(bytes, cell->request_bytes);
	struct text t = { .s = "" };

	if (sizes_vary(cell))
		text_add(&t, "workload %s (mean request %s)", cell->workload,
		    bytes);
	else
		text_add(&t, "requests of %s%s%s", bytes,
		    cell->workload[0] == '\0' ? "" : ", ", cell->workload);
	if (comparable_open_loop(cell))
		text_add(&t, ", %s due a second for each reader, %s arrivals",
		    FORMAT(real, cell->rate_per_s), cell->arrivals);
	snprintf(buf, COMPARABLE_SIZE, "%.*s", COMPARABLE_SIZE - 1, t.s);
	return (buf);
}

const char *
comparable_load(const struct result_cell *cell, char buf[COMPARABLE_SIZE])
{
	const bool vary = sizes_vary(cell);
	struct text t = { .s = "" };

	text_add(&t, "%u reader%s of %s%s%s", cell->readers,
	    PLURAL(cell->readers), vary ? "" :
	    FORMAT(bytes, cell->request_bytes),
	    vary || cell->workload[0] == '\0' ? "" : ", ", cell->workload);
	if (comparable_open_loop(cell))
		text_add(&t, " at %g/s each, %s", cell->rate_per_s,
		    cell->arrivals);
	snprintf(buf, COMPARABLE_SIZE, "%.*s", COMPARABLE_SIZE - 1, t.s);
	return (buf);
}

const char *
comparable_lock(const struct result_cell *cell, char buf[COMPARABLE_SIZE])
{
	const struct lock_class *lc = lock_class_find(cell->lock);
	/* A file may name kinds that this program does not have. */
	bool yields = lc != NULL ? (lc->lc_knobs & LK_SPIN_POLLS) != 0 :
	    cell->spin_polls > 0;

	/* On a simulated machine no lock holder loses its CPU. */
	if (provenance_predicted(cell))
		yields = cell->spin_polls > 0;
	if (yields && cell->spin_polls != lock_config_default(1).spin_polls)
		snprintf(buf, COMPARABLE_SIZE, "%s, %u polls", cell->lock,
		    cell->spin_polls);
	else
		snprintf(buf, COMPARABLE_SIZE, "%s", cell->lock);
	return (buf);
}

const char *
comparable_place(const struct result *r)
{
	return (r->place[0] == '\0' || strcmp(r->place, "compact") == 0 ?
	    NULL : r->place);
}

const char *
comparable_model(const struct result *r, char buf[COMPARABLE_SIZE])
{
	snprintf(buf, COMPARABLE_SIZE, "%s%s", r->harvest_model[0] == '\0' ?
	    "" : ", harvest model ", r->harvest_model);
	return (buf);
}

const char *
comparable_crypto(const struct result_cell *cell)
{
	return (strcmp(cell->crypto, "kernel") == 0 ? "kernel-style crypto" :
	    strcmp(cell->crypto, "native") == 0 ? "native crypto" :
	    strcmp(cell->crypto, "source") == 0 ? "kernel sources' crypto" :
	    cell->crypto);
}

static double
sample_value(const struct result_cell *cell, unsigned i, size_t offset)
{
	double v;

	memcpy(&v, (const char *)&cell->samples[i] + offset, sizeof(v));
	return (v);
}

double *
comparable_values(const struct result_cell *cell, size_t offset)
{
	double *values = xcalloc((size_t)cell->repeats + 1, sizeof(*values));

	for (unsigned i = 0; i < cell->repeats; i++)
		values[i] = sample_value(cell, i, offset);
	return (values);
}

/* Counts instead of sorting, as sorting would need memory. */
double
comparable_median(const struct result_cell *cell, size_t offset)
{
	const unsigned n = cell->repeats;
	double high = 0, low = 0, v;
	unsigned below, k, upto;

	for (unsigned i = 0; i < n; i++) {
		v = sample_value(cell, i, offset);
		for (k = below = upto = 0; k < n; k++) {
			below += sample_value(cell, k, offset) < v;
			upto += sample_value(cell, k, offset) <= v;
		}
		if (below <= (n - 1) / 2 && (n - 1) / 2 < upto)
			low = v;
		if (below <= n / 2 && n / 2 < upto)
			high = v;
	}
	return (0.5 * low + 0.5 * high);
}

double
comparable_quantile(const struct result_cell *cell, size_t offset,
    double together)
{
	double median = comparable_median(cell, offset);

	return (median > 0 ? median : together);
}

const char provenance_guesses[] = "intervals show the model's random "
    "variation, not errors of its guessed values; --uncertainty shows those";

bool
provenance_predicted(const struct result_cell *cell)
{
	return (strcmp(cell->engine, "virtual") == 0);
}

const char *
provenance_short(const struct result_cell *cell)
{
	return (provenance_predicted(cell) ? "predicted" : "measured");
}

enum result_kind
provenance_of(const struct result *r)
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->cell_count; i++)
		n += provenance_predicted(&r->cells[i]);
	return (r->cell_count == 0 ? RESULT_EMPTY : n == 0 ? RESULT_MEASURED :
	    n == r->cell_count ? RESULT_PREDICTED : RESULT_BOTH);
}

bool
provenance_ledgered(const struct result *r)
{
	for (unsigned i = 0; i < r->cell_count; i++)
		if (r->cells[i].ledger.records > 0 &&
		    !provenance_predicted(&r->cells[i]))
			return (true);
	return (false);
}

void
provenance_repeats(const struct result *r, unsigned *least, unsigned *most)
{
	unsigned n;

	*least = *most = 0;
	for (unsigned i = 0; i < r->cell_count; i++) {
		n = r->cells[i].repeats;
		*least = i == 0 || n < *least ? n : *least;
		*most = n > *most ? n : *most;
	}
}

const char *
provenance_word(const struct result *r)
{
	static const char *const words[] = {
		[RESULT_EMPTY] = "no cells",
		[RESULT_MEASURED] = "measured",
		[RESULT_PREDICTED] = "predicted",
		[RESULT_BOTH] = "measured and predicted",
	};

	return (words[provenance_of(r)]);
}

const char *
provenance_cell(const struct result_cell *cell, char buf[COMPARABLE_SIZE])
{
	if (!provenance_predicted(cell) || cell->profile[0] == '\0')
		snprintf(buf, COMPARABLE_SIZE, "%s", provenance_short(cell));
	else
		snprintf(buf, COMPARABLE_SIZE, "%s for %s, %s %% of its values "
		    "guessed", provenance_short(cell), cell->profile,
		    FORMAT(percent, 100 * fmin(cell->guessed_share, 1)));
	return (buf);
}

const char *
provenance_machine(const struct result *r, char buf[COMPARABLE_SIZE])
{
	const struct result_cell *cell, *first = NULL;

	buf[0] = '\0';
	for (cell = r->cells; cell < r->cells + r->cell_count; cell++) {
		if (cell->profile[0] == '\0')
			continue;
		if (first == NULL)
			first = cell;
		if (strcmp(first->profile, cell->profile) != 0 ||
		    first->cpus != cell->cpus || first->nodes != cell->nodes) {
			snprintf(buf, COMPARABLE_SIZE, "several machines");
			return (buf);
		}
	}
	if (first != NULL)
		snprintf(buf, COMPARABLE_SIZE, "%s, %u CPU%s in %u node%s, "
		    "%s %% of its values guessed", first->profile, first->cpus,
		    PLURAL(first->cpus), first->nodes, PLURAL(first->nodes),
		    FORMAT(percent, 100 * fmin(first->guessed_share, 1)));
	return (buf);
}

const char *
provenance_head(const struct result *r, bool engines, char buf[COMPARABLE_SIZE])
{
	const enum result_kind kind = provenance_of(r);
	const bool both = kind == RESULT_BOTH;
	char machine[COMPARABLE_SIZE];

	provenance_machine(r, machine);
	if (kind == RESULT_EMPTY)
		snprintf(buf, COMPARABLE_SIZE, "no cells; on");
	else if (kind == RESULT_MEASURED)
		snprintf(buf, COMPARABLE_SIZE, "measured%s on",
		    engines ? " (engine real)" : "");
	else
		snprintf(buf, COMPARABLE_SIZE, "%spredicted%s%s%.400s%s "
		    "computed on%s", both ? "measured on, and " : "",
		    engines && !both ? " (engine virtual)" : "",
		    machine[0] != '\0' ? " for " : "", machine,
		    both ? "" : ",", both ? ", as each says," : "");
	return (buf);
}
