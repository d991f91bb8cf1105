#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bench/console/figure.h"
#include "bench/report/csv.h"
#include "bench/report/curve.h"
#include "bench/result/claim.h"
#include "bench/result/group.h"

enum { SCALE_NAME_SIZE = 2 * CURVE_NAME_SIZE };

/* A curve's cell with so many readers, or NULL. */
static const struct result_cell *
point(const struct curve *cu, unsigned readers)
{
	unsigned i;

	for (i = 0; i < cu->cu_count && cu->cu_cells[i]->readers <= readers;
	    i++)
		if (cu->cu_cells[i]->readers == readers)
			return (cu->cu_cells[i]);
	return (NULL);
}

/* The smallest number of readers above readers in any curve; 0: none. */
static unsigned
readers_above(const struct result *r, unsigned readers)
{
	unsigned best = 0, i;

	for (i = 0; i < r->cell_count; i++) {
		unsigned n = r->cells[i].readers;

		if (n > readers && (best == 0 || n < best))
			best = n;
	}
	return (best);
}

/* A mix's mean size says too little of what was read: its requests count. */
static double
reads_per_s(const struct result_cell *c)
{
	double sum = 0;
	unsigned i;

	if (c->workload[0] == '\0')
		return (c->total_mb_per_s * 1e6 / (double)c->request_bytes);
	for (i = 0; i < c->repeats; i++)
		sum += c->samples[i].reads_per_s;
	return (c->repeats > 0 ? sum / c->repeats : 0);
}

/*
 * The CPUs' idle share, percent.  will-it-scale reads the whole system's; this
 * is what the run itself left, so another program's load does not show.
 */
static double
idle_percent(const struct result *r, const struct result_cell *c)
{
	double used = c->harvest.cpu_percent, readers = 0;
	unsigned cpus = c->cpus > 0 ? c->cpus : r->host.cpus, i;

	for (i = 0; i < c->repeats; i++)
		readers += c->samples[i].readers_cpu_percent;
	if (c->repeats > 0)
		used += readers / c->repeats;
	return (fmin(100, fmax(0, 100 - used / fmax(1, cpus))));
}

/* A part of a name, if it tells curves apart. */
static void __attribute__((format(printf, 4, 5)))
append(char name[SCALE_NAME_SIZE], const struct curves *cs,
    enum curve_part part, const char *fmt, ...)
{
	size_t len = strlen(name);
	va_list ap;

	if (!cs->cs_tells[part])
		return;
	va_start(ap, fmt);
	vsnprintf(name + len, SCALE_NAME_SIZE - len, fmt, ap);
	va_end(ap);
}

/* What was predicted says so, for which machine, and how much is guessed. */
static void
append_claim(char name[SCALE_NAME_SIZE], const struct result_cell *c)
{
	char share[FIGURE_SIZE];
	size_t len = strlen(name);

	if (strcmp(group_claim(c), "measured") == 0)
		return;
	if (c->profile[0] == '\0')
		snprintf(name + len, SCALE_NAME_SIZE - len, "-%s",
		    group_claim(c));
	else
		snprintf(name + len, SCALE_NAME_SIZE - len,
		    "-%s-%s-%s%%guessed", group_claim(c), c->profile,
		    figure_percent(share, 100 * fmin(c->guessed_share, 1)));
}

/* A curve's name: its design and whatever else is not common to all. */
static void
name_parts(const struct curves *cs, const struct result_cell *c,
    char name[SCALE_NAME_SIZE])
{
	unsigned i;

	snprintf(name, SCALE_NAME_SIZE, "%s", c->design);
	append(name, cs, CURVE_LOCK, "-%s", c->lock);
	append(name, cs, CURVE_CIPHER, "-%s", c->cipher);
	append(name, cs, CURVE_CRYPTO, "-%s", c->crypto);
	append(name, cs, CURVE_ENGINE, "-%s", c->engine);
	append_claim(name, c);
	append(name, cs, CURVE_SIZE, "-%" PRIu64, c->request_bytes);
	append(name, cs, CURVE_WORKLOAD, "-%s", c->workload[0] == '\0' ?
	    "fixed" : c->workload);
	if (c->rate_per_s > 0)
		append(name, cs, CURVE_RATE, "-%g-%s", c->rate_per_s,
		    c->arrivals);
	else
		append(name, cs, CURVE_RATE, "-closed");
	append(name, cs, CURVE_SPIN_POLLS, "-%u", c->spin_polls);
	/* Its readers split lines at commas, quoted or not. */
	for (i = 0; name[i] != '\0'; i++)
		if (strchr(",\"\r\n", name[i]) != NULL)
			name[i] = '_';
}

/*
 * Whether a name, or its idle column's, is that of another column: parts may
 * run together alike.
 */
static bool
is_taken(char (*names)[SCALE_NAME_SIZE], unsigned count, const char *name)
{
	unsigned i;

	if (strcmp(name, "tasks") == 0 || strcmp(name, "linear") == 0)
		return (true);
	for (i = 0; i < count; i++) {
		size_t shorter = strlen(names[i]), len = strlen(name);

		shorter = len < shorter ? len : shorter;
		if (strncmp(names[i], name, shorter) == 0 &&
		    (strcmp(names[i], name) == 0 ||
		    strcmp(names[i] + shorter, "_idle") == 0 ||
		    strcmp(name + shorter, "_idle") == 0))
			return (true);
	}
	return (false);
}

/* Whether will-it-scale's own columns, which have no names, will do. */
static bool
its_own(const struct result *r, const struct curves *cs)
{

	return (cs->cs_count == 1 && claim_of(r) == CLAIM_MEASURED);
}

static int
print_names(FILE *out, const struct curves *cs)
{
	char (*names)[SCALE_NAME_SIZE];
	unsigned i;

	names = calloc((size_t)cs->cs_count + 1, sizeof(*names));
	if (names == NULL)
		return (ENOMEM);
	fputs("tasks", out);
	for (i = 0; i < cs->cs_count; i++) {
		name_parts(cs, cs->cs_curves[i].cu_cells[0], names[i]);
		if (is_taken(names, i, names[i])) {
			size_t len = strlen(names[i]);

			snprintf(names[i] + len, SCALE_NAME_SIZE - len, "#%u",
			    i + 1);
		}
		fprintf(out, ",%s,%s_idle", names[i], names[i]);
	}
	fputs(",linear\n0", out);
	for (i = 0; i < cs->cs_count; i++)
		fputs(",0,100", out);
	fputs(",0\n", out);
	free(names);
	return (0);
}

static void
print_rows(FILE *out, const struct result *r, const struct curves *cs)
{
	const unsigned lowest = readers_above(r, 0);
	const struct result_cell *c;
	unsigned i, readers;
	double linear = 0;

	for (i = 0; i < cs->cs_count; i++) {
		c = point(&cs->cs_curves[i], lowest);
		if (c != NULL)
			linear = fmax(linear, reads_per_s(c) / lowest);
	}
	for (readers = lowest; readers != 0;
	    readers = readers_above(r, readers)) {
		fprintf(out, "%u%s", readers, its_own(r, cs) ? ",0,100" : "");
		for (i = 0; i < cs->cs_count; i++) {
			c = point(&cs->cs_curves[i], readers);
			if (c == NULL)
				fputs(",,", out);
			else
				fprintf(out, ",%.9g,%.2f", reads_per_s(c),
				    idle_percent(r, c));
		}
		fprintf(out, ",%.9g\n", linear * readers);
	}
}

int
csv_print_will_it_scale(FILE *out, const struct result *r)
{
	struct curves cs;
	int error;

	error = curves_find(r, &cs);
	if (error != 0)
		return (error);
	if (its_own(r, &cs))
		/* Readers are threads. */
		fputs("tasks,processes,processes_idle,threads,threads_idle,"
		    "linear\n0,0,100,0,100,0\n", out);
	else
		error = print_names(out, &cs);
	if (error == 0)
		print_rows(out, r, &cs);
	curves_free(&cs);
	return (error);
}
