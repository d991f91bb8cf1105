#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "bench/csv.h"
#include "bench/group.h"
#include "lib/kassert.h"

enum { SCALE_NAME_SIZE = 5 * RESULT_NAME_SIZE + 32 };

/* Whether two cells are points of one curve: all but the readers agree. */
static bool
same_curve(const struct result_cell *a, const struct result_cell *b)
{

	return (group_same(a, b) && strcmp(a->design, b->design) == 0);
}

/* As group_next(), of curves. */
static const struct result_cell *
next_curve(const struct result *r, const struct result_cell *last)
{
	const struct result_cell *c, *end = r->cells + r->cell_count, *seen;

	for (c = last == NULL ? r->cells : last + 1; c < end; c++) {
		for (seen = r->cells; seen < c; seen++)
			if (same_curve(seen, c))
				break;
		if (seen == c)
			return (c);
	}
	return (NULL);
}

static const struct result_cell *
point(const struct result *r, const struct result_cell *curve,
    unsigned readers)
{

	return (group_cell(r, curve, curve->design, readers));
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
	unsigned cpus = r->host.cpus > 0 ? r->host.cpus : 1, i;

	for (i = 0; i < c->repeats; i++)
		readers += c->samples[i].readers_cpu_percent;
	if (c->repeats > 0)
		used += readers / c->repeats;
	return (fmin(100, fmax(0, 100 - used / cpus)));
}

static void
append_varying(char name[SCALE_NAME_SIZE], bool varies, const char *part)
{
	size_t len = strlen(name);

	if (varies)
		snprintf(name + len, SCALE_NAME_SIZE - len, "-%s", part);
}

/* A curve's name: its design and whatever else is not common to all. */
static void
curve_name(const struct result *r, const struct result_cell *curve,
    char name[SCALE_NAME_SIZE])
{
	bool cipher = false, crypto = false, engine = false, lock = false;
	bool size = false;
	char bytes[24];
	unsigned i;

	for (i = 0; i < r->cell_count; i++) {
		const struct result_cell *c = &r->cells[i];

		engine |= strcmp(c->engine, curve->engine) != 0;
		lock |= strcmp(c->lock, curve->lock) != 0;
		cipher |= strcmp(c->cipher, curve->cipher) != 0;
		crypto |= strcmp(c->crypto, curve->crypto) != 0;
		size |= c->request_bytes != curve->request_bytes;
	}
	snprintf(name, SCALE_NAME_SIZE, "%s", curve->design);
	snprintf(bytes, sizeof(bytes), "%" PRIu64, curve->request_bytes);
	append_varying(name, lock, curve->lock);
	append_varying(name, cipher, curve->cipher);
	append_varying(name, crypto, curve->crypto);
	append_varying(name, engine, curve->engine);
	append_varying(name, size, bytes);
	/* Its readers split lines at commas, quoted or not. */
	for (i = 0; name[i] != '\0'; i++)
		if (strchr(",\"\r\n", name[i]) != NULL)
			name[i] = '_';
}

static unsigned
print_header(FILE *out, const struct result *r)
{
	const struct result_cell *curve = NULL;
	char name[SCALE_NAME_SIZE];
	unsigned curves = 0, i;

	while ((curve = next_curve(r, curve)) != NULL)
		curves++;
	if (curves == 1) {
		/* will-it-scale's own columns; readers are threads. */
		fputs("tasks,processes,processes_idle,threads,threads_idle,"
		    "linear\n0,0,100,0,100,0\n", out);
		return (curves);
	}
	fputs("tasks", out);
	while ((curve = next_curve(r, curve)) != NULL) {
		curve_name(r, curve, name);
		fprintf(out, ",%s,%s_idle", name, name);
	}
	fputs(",linear\n0", out);
	for (i = 0; i < curves; i++)
		fputs(",0,100", out);
	fputs(",0\n", out);
	return (curves);
}

void
csv_print_will_it_scale(FILE *out, const struct result *r)
{
	const struct result_cell *c, *curve = NULL;
	unsigned curves, lowest = readers_above(r, 0), readers;
	double linear = 0;

	curves = print_header(out, r);
	while ((curve = next_curve(r, curve)) != NULL) {
		c = point(r, curve, lowest);
		if (c != NULL)
			linear = fmax(linear, reads_per_s(c) / lowest);
	}
	for (readers = lowest; readers != 0;
	    readers = readers_above(r, readers)) {
		fprintf(out, "%u%s", readers, curves == 1 ? ",0,100" : "");
		while ((curve = next_curve(r, curve)) != NULL) {
			c = point(r, curve, readers);
			if (c == NULL)
				fputs(",,", out);
			else
				fprintf(out, ",%.9g,%.2f", reads_per_s(c),
				    idle_percent(r, c));
		}
		fprintf(out, ",%.9g\n", linear * readers);
	}
}
