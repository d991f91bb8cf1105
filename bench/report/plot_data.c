#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/report/plot_data.h"
#include "bench/result/group.h"
#include "lib/kassert.h"

enum {
	PLOT_LOG_READERS = 48,	/* from here on powers of two are shown */
	PLOT_LAW_POINTS	= 48	/* that look like a line */
};

/* How far beyond the data the readers' axis goes. */
static const double plot_further = 0.25;
static const double plot_log_further = 1.5;

static const double plot_s_per_ns = 1e-9;

double
plot_data_end(const struct plot_column *co)
{
	double end = co->co_log ? co->co_most * plot_log_further :
	    co->co_most + plot_further * (co->co_most - co->co_least);

	return (fmin(end, (double)USL_REACH * co->co_most));
}

static void
widen(struct plot_range *pr, double v)
{

	pr->pr_low = fmin(pr->pr_low, v);
	pr->pr_high = fmax(pr->pr_high, v);
}

/*
 * What the band around a cell's total spans: of a prediction with drawn
 * profiles theirs, as that is how far it may be off.
 */
static const double *
band_of(const struct result_cell *c)
{

	return (c->uncertainty.samples > 0 ? c->uncertainty.total_mb_per_s :
	    c->total_mb_per_s_ci95);
}

/* Likewise of the harvest thread's CPU; NULL: nothing is known of it. */
static const double *
harvest_band_of(const struct result_cell *c)
{

	return (c->uncertainty.samples > 0 ?
	    c->uncertainty.harvest_cpu_percent : NULL);
}

static void
measure_cell(struct plot_column *co, const struct result_cell *c)
{
	unsigned n = c->readers;

	co->co_least = n < co->co_least ? n : co->co_least;
	co->co_most = n > co->co_most ? n : co->co_most;
	if (!c->oversubscribed && n > co->co_fits)
		co->co_fits = n;
	if (c->oversubscribed && (co->co_over == 0 || n < co->co_over))
		co->co_over = n;
	widen(&co->co_total, fmax(c->total_mb_per_s, band_of(c)[1]));
	widen(&co->co_reader, fmax(c->total_mb_per_s, band_of(c)[1]) / n);
	widen(&co->co_harvest, c->harvest.cpu_percent);
	if (harvest_band_of(c) != NULL) {
		widen(&co->co_harvest, harvest_band_of(c)[0]);
		widen(&co->co_harvest, harvest_band_of(c)[1]);
	}
	if (c->latency_ns.p50 > 0) {
		widen(&co->co_latency, c->latency_ns.p50 * plot_s_per_ns);
		widen(&co->co_latency, c->latency_ns.p999 * plot_s_per_ns);
	}
}

static int
compare_counts(const void *left, const void *right)
{
	const unsigned *a = left, *b = right;

	return ((*a > *b) - (*a < *b));
}

/* The numbers of readers; where they are too many, some from end to end. */
static int
find_counts(const struct plot_data *pl, struct plot_column *co)
{
	unsigned *all, i, k, n = 0, room = 0;

	for (i = 0; i < co->co_count; i++)
		room += pl->pl_curves.cs_curves[co->co_curves[i]].cu_count;
	all = calloc((size_t)room + 1, sizeof(*all));
	if (all == NULL)
		return (ENOMEM);
	for (i = 0; i < co->co_count; i++) {
		const struct curve *cu =
		    &pl->pl_curves.cs_curves[co->co_curves[i]];

		for (k = 0; k < cu->cu_count; k++)
			all[n++] = cu->cu_cells[k]->readers;
	}
	qsort(all, n, sizeof(*all), compare_counts);
	for (i = k = 0; i < n; i++)
		if (i == 0 || all[i] != all[k - 1])
			all[k++] = all[i];
	co->co_all_counts = k <= PLOT_COUNTS;
	co->co_count_count = k < PLOT_COUNTS ? k : PLOT_COUNTS;
	for (i = 0; i < co->co_count_count; i++)
		co->co_counts[i] = co->co_all_counts ? all[i] :
		    all[i * (k - 1) / (PLOT_COUNTS - 1)];
	free(all);
	return (0);
}

static int
measure_column(struct plot_data *pl, struct plot_column *co)
{
	unsigned i, k;

	co->co_least = UINT32_MAX;
	co->co_total.pr_low = co->co_reader.pr_low = INFINITY;
	co->co_latency.pr_low = co->co_harvest.pr_low = INFINITY;
	for (i = 0; i < co->co_count; i++) {
		const struct curve *cu =
		    &pl->pl_curves.cs_curves[co->co_curves[i]];

		for (k = 0; k < cu->cu_count; k++) {
			measure_cell(co, cu->cu_cells[k]);
			pl->pl_gated |= group_gated(cu->cu_cells[k]);
		}
	}
	co->co_log = co->co_most >= PLOT_LOG_READERS;
	return (find_counts(pl, co));
}

static int
find_columns(struct plot_data *pl)
{
	struct plot_column *co;
	const char *cipher;
	unsigned i, n;

	for (i = 0; i < pl->pl_curves.cs_count; i++) {
		cipher = pl->pl_curves.cs_curves[i].cu_cells[0]->cipher;
		for (n = 0; n < pl->pl_column_count; n++)
			if (strcmp(pl->pl_columns[n].co_cipher, cipher) == 0)
				break;
		if (n == PLOT_COLUMNS) {
			pl->pl_ciphers_left_out++;
			continue;
		}
		co = &pl->pl_columns[n];
		if (n == pl->pl_column_count) {
			co->co_cipher = cipher;
			co->co_curves = calloc(PLOT_BLOCKS * PLOT_CURVES,
			    sizeof(*co->co_curves));
			if (co->co_curves == NULL)
				return (ENOMEM);
			pl->pl_column_count++;
		}
		if (co->co_count == PLOT_BLOCKS * PLOT_CURVES)
			co->co_left_out++;
		else
			co->co_curves[co->co_count++] = i;
	}
	return (0);
}

/* Even on a logarithmic axis, and dense enough on another. */
static double
law_place(double from, double to, unsigned i)
{

	return (from * pow(to / from, i / (double)PLOT_LAW_POINTS));
}

/* Where a curve's law ends. */
static double
law_end(const struct plot_column *co, const struct usl_curve *uc)
{

	return (fmin(plot_data_end(co), usl_curve_reach(uc)));
}

/* What is drawn of the laws is in the frame too. */
static void
measure_laws(const struct plot_data *pl, struct plot_column *co)
{
	const struct usl_curve *uc;
	unsigned i, k;
	double n, total;

	for (i = 0; i < co->co_count; i++) {
		uc = &pl->pl_laws[co->co_curves[i]];
		for (k = 0; uc->uc_holds && k <= PLOT_LAW_POINTS; k++) {
			n = law_place(uc->uc_least, law_end(co, uc), k);
			total = usl_at(&uc->uc_law, n);
			widen(&co->co_total, total);
			widen(&co->co_reader, total / n);
		}
	}
}

int
plot_data_find(const struct result *r, struct plot_data *pl)
{
	struct plot_data found = { .pl_result = r };
	unsigned i;
	int error;

	KASSERT(r->cell_count > 0, ("nothing to draw"));
	error = curves_find(r, &found.pl_curves);
	if (error != 0)
		return (error);
	found.pl_laws = calloc(found.pl_curves.cs_count,
	    sizeof(*found.pl_laws));
	error = found.pl_laws == NULL ? ENOMEM : find_columns(&found);
	for (i = 0; i < found.pl_column_count && error == 0; i++)
		error = measure_column(&found, &found.pl_columns[i]);
	for (i = 0; i < found.pl_curves.cs_count && error == 0; i++)
		error = usl_curve_fit(&found.pl_curves.cs_curves[i], r->seed,
		    0, &found.pl_laws[i]);
	for (i = 0; i < found.pl_column_count && error == 0; i++)
		measure_laws(&found, &found.pl_columns[i]);
	if (error != 0)
		plot_data_free(&found);
	else
		*pl = found;
	return (error);
}

void
plot_data_free(struct plot_data *pl)
{
	unsigned i;

	for (i = 0; i < pl->pl_column_count; i++)
		free(pl->pl_columns[i].co_curves);
	if (pl->pl_laws != NULL)
		for (i = 0; i < pl->pl_curves.cs_count; i++)
			usl_curve_free(&pl->pl_laws[i]);
	free(pl->pl_laws);
	curves_free(&pl->pl_curves);
}

unsigned
plot_data_rows(const struct plot_data *pl, unsigned curve, bool gated)
{
	const struct curve *cu = &pl->pl_curves.cs_curves[curve];
	unsigned i, n = 0;

	for (i = 0; i < cu->cu_count; i++)
		n += group_gated(cu->cu_cells[i]) == gated;
	return (n);
}

/* A number of readers' place among those named; false: it is not named. */
static bool
find_place(const struct plot_column *co, unsigned readers, unsigned *place)
{

	for (*place = 0; *place < co->co_count_count; (*place)++)
		if (co->co_counts[*place] == readers)
			return (true);
	return (false);
}

bool
plot_data_timed(const struct plot_data *pl, const struct plot_column *co,
    unsigned curve, bool gated)
{
	const struct curve *cu = &pl->pl_curves.cs_curves[curve];
	unsigned i, place;

	for (i = 0; i < cu->cu_count; i++)
		if (group_gated(cu->cu_cells[i]) == gated &&
		    cu->cu_cells[i]->latency_ns.p50 > 0 &&
		    find_place(co, cu->cu_cells[i]->readers, &place))
			return (true);
	return (false);
}

bool
plot_data_harvest_bands(const struct plot_data *pl, unsigned curve)
{
	const struct curve *cu = &pl->pl_curves.cs_curves[curve];
	unsigned i;

	for (i = 0; i < cu->cu_count; i++)
		if (!group_gated(cu->cu_cells[i]) &&
		    harvest_band_of(cu->cu_cells[i]) != NULL)
			return (true);
	return (false);
}

static void
print_cells(FILE *out, const struct curve *cu, bool gated)
{
	const double *harvest;
	unsigned i;

	for (i = 0; i < cu->cu_count; i++) {
		const struct result_cell *c = cu->cu_cells[i];

		if (group_gated(c) != gated)
			continue;
		harvest = harvest_band_of(c);
		fprintf(out, "%u %.9g %.9g %.9g %.9g %.9g %.9g\n", c->readers,
		    c->total_mb_per_s, band_of(c)[0], band_of(c)[1],
		    c->harvest.cpu_percent, harvest == NULL ?
		    c->harvest.cpu_percent : harvest[0], harvest == NULL ?
		    c->harvest.cpu_percent : harvest[1]);
	}
	fputs("EOD\n", out);
}

static void
print_latencies(FILE *out, const struct plot_column *co,
    const struct curve *cu, double shift, bool gated)
{
	unsigned i, place;

	for (i = 0; i < cu->cu_count; i++) {
		const struct result_latency *l = &cu->cu_cells[i]->latency_ns;

		if (group_gated(cu->cu_cells[i]) != gated || l->p50 <= 0 ||
		    !find_place(co, cu->cu_cells[i]->readers, &place))
			continue;
		fprintf(out, "%.4f %.9g %.9g %.9g %.9g\n", place + shift,
		    l->p50 * plot_s_per_ns, l->p90 * plot_s_per_ns,
		    l->p99 * plot_s_per_ns, l->p999 * plot_s_per_ns);
	}
	fputs("EOD\n", out);
}

static void
print_law(FILE *out, const struct usl_law *law, double from, double to)
{
	unsigned i;
	double n;

	for (i = 0; i <= PLOT_LAW_POINTS; i++) {
		n = law_place(from, to, i);
		fprintf(out, "%.6g %.9g\n", n, usl_at(law, n));
	}
}

void
plot_data_print(FILE *out, const struct plot_data *pl,
    const struct plot_column *co, unsigned curve, double shift)
{
	const struct curve *cu = &pl->pl_curves.cs_curves[curve];
	const struct usl_curve *uc = &pl->pl_laws[curve];

	fprintf(out, "$c%u << EOD\n", curve);
	print_cells(out, cu, false);
	fprintf(out, "$g%u << EOD\n", curve);
	print_cells(out, cu, true);
	fprintf(out, "$t%u << EOD\n", curve);
	print_latencies(out, co, cu, shift, false);
	fprintf(out, "$h%u << EOD\n", curve);
	print_latencies(out, co, cu, shift, true);
	if (!uc->uc_holds)
		return;
	fprintf(out, "$w%u << EOD\n", curve);
	print_law(out, &uc->uc_law, uc->uc_least, uc->uc_most);
	fputs("EOD\n", out);
	fprintf(out, "$x%u << EOD\n", curve);
	print_law(out, &uc->uc_law, uc->uc_most, law_end(co, uc));
	fputs("EOD\n", out);
}
