#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/figure.h"
#include "bench/group.h"
#include "bench/plot_script.h"
#include "lib/kassert.h"

enum {
	PLOT_PANELS	= 4,	/* ciphers side by side */
	PLOT_CURVES	= 12,	/* more than anybody tells apart */
	PLOT_TICS	= 16,	/* each number of readers labelled */
	PLOT_LOG_READERS = 48,	/* from here on powers of two are shown */
	PLOT_WIDE	= 50,	/* largest over smallest: logarithmic */
	PLOT_NAME_SIZE	= 5 * RESULT_NAME_SIZE
};

/* What the panels of one cipher have in common. */
struct panel {
	const struct result *pa_result;
	const char	*pa_cipher;
	unsigned	 pa_curves;
	unsigned	 pa_least;	/* readers */
	unsigned	 pa_most;
	unsigned	 pa_fits;	/* most not oversubscribed, or 0 */
	unsigned	 pa_over;	/* fewest oversubscribed, or 0 */
	double		 pa_harvest_least;	/* percent */
	double		 pa_harvest_most;
	bool		 pa_log;	/* readers on a logarithmic axis */
};

/* What does not vary among all cells and so goes to the title. */
struct common {
	bool	co_engine;
	bool	co_lock;
	bool	co_crypto;
	bool	co_size;
};

/*
 * As one string of gnuplot.  Between single quotes only the quote itself and
 * the line's end are special; doubling the quote is gnuplot's way to write one,
 * but not at the beginning of a string, so it becomes a space.  Backquotes run
 * commands elsewhere and are not missed here.
 */
static void
print_quoted(FILE *out, const char *text)
{

	fputc('\'', out);
	for (; *text != '\0'; text++)
		fputc((unsigned char)*text < ' ' || *text == '\'' ||
		    *text == '`' ? ' ' : *text, out);
	fputc('\'', out);
}

static struct common
find_common(const struct result *r)
{
	struct common co = { true, true, true, true };
	unsigned i;

	for (i = 1; i < r->cell_count; i++) {
		const struct result_cell *a = &r->cells[0], *b = &r->cells[i];

		co.co_engine &= strcmp(a->engine, b->engine) == 0;
		co.co_lock &= strcmp(a->lock, b->lock) == 0;
		co.co_crypto &= strcmp(a->crypto, b->crypto) == 0;
		co.co_size &= a->request_bytes == b->request_bytes;
	}
	return (co);
}

/* The n-th cipher; NULL when there are no more. */
static const char *
cipher_at(const struct result *r, unsigned n)
{
	unsigned i, k;

	for (i = 0; i < r->cell_count; i++) {
		for (k = 0; k < i; k++)
			if (strcmp(r->cells[k].cipher, r->cells[i].cipher) == 0)
				break;
		if (k == i && n-- == 0)
			return (r->cells[i].cipher);
	}
	return (NULL);
}

static void
measure_panel(struct panel *pa)
{
	unsigned i;

	pa->pa_least = UINT32_MAX;
	pa->pa_harvest_least = INFINITY;
	for (i = 0; i < pa->pa_result->cell_count; i++) {
		const struct result_cell *c = &pa->pa_result->cells[i];
		unsigned n = c->readers;

		if (strcmp(c->cipher, pa->pa_cipher) != 0)
			continue;
		pa->pa_least = n < pa->pa_least ? n : pa->pa_least;
		pa->pa_most = n > pa->pa_most ? n : pa->pa_most;
		if (!c->oversubscribed && n > pa->pa_fits)
			pa->pa_fits = n;
		if (c->oversubscribed &&
		    (pa->pa_over == 0 || n < pa->pa_over))
			pa->pa_over = n;
		pa->pa_harvest_least = fmin(pa->pa_harvest_least,
		    c->harvest.cpu_percent);
		pa->pa_harvest_most = fmax(pa->pa_harvest_most,
		    c->harvest.cpu_percent);
	}
	pa->pa_log = pa->pa_most >= PLOT_LOG_READERS;
}

static void
curve_name(const struct result_cell *group, const char *design,
    const struct common *co, char name[PLOT_NAME_SIZE])
{
	char bytes[32];

	snprintf(name, PLOT_NAME_SIZE, "%s%s%s%s%s%s%s%s%s", design,
	    co->co_lock ? "" : ", ", co->co_lock ? "" : group->lock,
	    co->co_crypto ? "" : ", ", co->co_crypto ? "" : group->crypto,
	    co->co_size ? "" : ", ", co->co_size ? "" :
	    figure_bytes(bytes, group->request_bytes),
	    co->co_engine ? "" : ", ",
	    co->co_engine ? "" : group_claim(group));
}

/*
 * One curve's numbers: readers, MB/s of each, its interval, harvest CPU.  As
 * with sizes and ratios elsewhere, a reader's share is the total's mean.
 */
static void
print_curve(FILE *out, const struct panel *pa, unsigned index,
    const struct result_cell *group, const char *design,
    const struct common *co)
{
	char name[PLOT_NAME_SIZE];
	unsigned readers = 0;

	curve_name(group, design, co, name);
	fprintf(out, "name%u = ", index);
	print_quoted(out, name);
	fprintf(out, "\n$curve%u << EOD\n", index);
	while ((readers = group_readers_above(pa->pa_result, group,
	    readers)) != 0) {
		const struct result_cell *c;

		c = group_cell(pa->pa_result, group, design, readers);
		if (c == NULL)
			continue;
		fprintf(out, "%u %.9g %.9g %.9g %.9g\n", readers,
		    c->total_mb_per_s / readers,
		    c->total_mb_per_s_ci95[0] / readers,
		    c->total_mb_per_s_ci95[1] / readers,
		    c->harvest.cpu_percent);
	}
	fputs("EOD\n", out);
}

static void
print_curves(FILE *out, struct panel *pa, const struct common *co)
{
	const struct result_cell *group = NULL;
	const char *design;
	unsigned n;

	while ((group = group_next(pa->pa_result, group)) != NULL) {
		if (strcmp(group->cipher, pa->pa_cipher) != 0)
			continue;
		for (n = 0; pa->pa_curves < PLOT_CURVES; n++) {
			design = group_design(pa->pa_result, group, n);
			if (design == NULL)
				break;
			print_curve(out, pa, pa->pa_curves++, group, design,
			    co);
		}
	}
}

static void
print_readers_axis(FILE *out, const struct panel *pa)
{
	unsigned i, count = 0, n, seen[PLOT_TICS];

	if (pa->pa_log)
		fprintf(out, "set logscale x 2\nset xrange [%g:%g]\n",
		    pa->pa_least / 1.15, pa->pa_most * 1.15);
	else
		fprintf(out, "unset logscale x\nset xrange [%g:%g]\n",
		    pa->pa_least - 0.4, pa->pa_most + 0.4);
	fputs("set xtics autofreq\n", out);
	for (i = 0; i < pa->pa_result->cell_count; i++) {
		const struct result_cell *c = &pa->pa_result->cells[i];

		if (strcmp(c->cipher, pa->pa_cipher) != 0)
			continue;
		for (n = 0; n < count; n++)
			if (seen[n] == c->readers)
				break;
		if (n < count)
			continue;
		if (count == PLOT_TICS)
			return;
		seen[count++] = c->readers;
	}
	/* Few enough to name every one that was measured. */
	fputs("set xtics (", out);
	for (n = 0; n < count; n++)
		fprintf(out, "%s%u", n > 0 ? ", " : "", seen[n]);
	fputs(")\n", out);
}

/* Shades where threads outnumber CPUs: other rules hold there. */
static void
print_shade(FILE *out, const struct panel *pa)
{
	double from;

	fputs("unset object 1\n", out);
	if (pa->pa_over == 0)
		return;
	from = pa->pa_fits == 0 || pa->pa_fits >= pa->pa_over ?
	    pa->pa_over : pa->pa_log ?
	    sqrt((double)pa->pa_fits * pa->pa_over) :
	    (pa->pa_fits + pa->pa_over) / 2.0;
	fputs("set object 1 rectangle from ", out);
	if (pa->pa_fits == 0)
		fputs("graph 0, graph 0", out);
	else
		fprintf(out, "first %g, graph 0", from);
	fputs(" to graph 1, graph 1 behind fillcolor rgb '#e4e4e4' "
	    "fillstyle solid noborder\n", out);
}

static void
print_rates(FILE *out, const struct panel *pa)
{
	unsigned i;

	fputs("set title ", out);
	print_quoted(out, pa->pa_cipher);
	fputs(" offset 0,-0.4\nset ylabel 'MB/s of each reader'\n"
	    "unset logscale y\nset yrange [0:*]\n"
	    "set offsets 0, 0, graph 0.06, 0\nset xlabel ''\nunset key\n"
	    "plot ", out);
	for (i = 0; i < pa->pa_curves; i++)
		fprintf(out, "%s$curve%u using 1:2:3:4 with yerrorbars "
		    "linestyle %u dashtype 1 pointtype -1, $curve%u "
		    "using 1:2 with linespoints linestyle %u",
		    i > 0 ? ", " : "", i, i + 1, i, i + 1);
	fputc('\n', out);
}

static void
print_harvest(FILE *out, const struct panel *pa)
{
	double least = pa->pa_harvest_least, most = pa->pa_harvest_most;
	unsigned i;

	fputs("unset title\nset xlabel 'readers' offset 0,0.3\n"
	    "set ylabel 'CPU of the harvest thread, %'\n"
	    "set key bmargin center horizontal Left reverse samplen 5\n", out);
	if (least > 0 && most / least > PLOT_WIDE)
		fprintf(out, "set logscale y 10\nset yrange [%g:%g]\n",
		    least / 1.5, most * 1.5);
	else
		fprintf(out, "unset logscale y\nset yrange [0:%g]\n",
		    most > 0 ? most * 1.08 : 1);
	fputs("plot ", out);
	for (i = 0; i < pa->pa_curves; i++)
		fprintf(out, "%s$curve%u using 1:5 with linespoints "
		    "linestyle %u title name%u", i > 0 ? ", " : "", i, i + 1,
		    i);
	fputc('\n', out);
}

/* Told apart by colour, dashes and points each, so black and white will do. */
static void
print_styles(FILE *out)
{
	static const struct {
		const char	*colour;
		unsigned	 point;
	} styles[] = {
		{ "#000000", 6 }, { "#0060b0", 7 }, { "#d05000", 4 },
		{ "#007850", 5 }, { "#a03080", 8 }, { "#806000", 9 }
	};
	const unsigned count = sizeof(styles) / sizeof(styles[0]);
	unsigned i;

	for (i = 0; i < PLOT_CURVES; i++)
		fprintf(out, "set style line %u linewidth 2 pointsize 1.3 "
		    "linecolor rgb '%s' pointtype %u dashtype %u\n", i + 1,
		    styles[i % count].colour, styles[i % count].point,
		    i == 0 ? 2 : i == 1 ? 1 : i % 5 + 1);
}

static void
print_terminal(FILE *out, unsigned panels, bool svg)
{
	unsigned width = panels == 1 ? 1000 : 640 * panels;

	if (svg) {
		fprintf(out, "set terminal svg noenhanced size %u,760 "
		    "font 'Helvetica,14' background '#ffffff'\n", width);
		return;
	}
	fprintf(out, "if (strstrt(GPVAL_TERMINALS, ' pngcairo ') > 0) {\n"
	    "set terminal pngcairo noenhanced size %u,760 font 'Sans,11'\n"
	    "} else {\n"
	    "set terminal png noenhanced size %u,760 medium\n}\n", width,
	    width);
}

static void
print_title(FILE *out, const struct result *r, const struct common *co,
    unsigned panels)
{
	char text[3 * RESULT_TEXT_SIZE], workload[GROUP_WORKLOAD_SIZE];
	const struct result_cell *c = &r->cells[0];

	snprintf(text, sizeof(text), "%s%s on %s, %u CPU%s",
	    r->complete ? "" : "INCOMPLETE, ", co->co_engine ?
	    group_claim(c) : "measured and predicted", r->host.cpu_model,
	    r->host.cpus, r->host.cpus == 1 ? "" : "s");
	fputs("title1 = ", out);
	print_quoted(out, text);
	snprintf(text, sizeof(text), "%s%s%s%s%sbars: 95 %% intervals, "
	    "shaded: more readers than CPUs",
	    co->co_lock ? "lock " : "", co->co_lock ? c->lock : "",
	    co->co_lock ? ", " : "",
	    co->co_size ? group_workload(c, workload) : "",
	    co->co_size ? ", " : "");
	fputs("\ntitle2 = ", out);
	print_quoted(out, text);
	snprintf(text, sizeof(text), "%s%sINVARIANTS %s, ",
	    co->co_crypto ? group_crypto(c) : "", co->co_crypto ? ", " : "",
	    r->host.invariants ? "on" : "off");
	fputs("\ntitle3 = ", out);
	print_quoted(out, text);
	fprintf(out, "\nset multiplot layout 2,%u columnsfirst title "
	    "title1 . \"\\n\" . title3 . title2\n", panels);
}

void
plot_script_print(FILE *out, const struct result *r, bool svg)
{
	const struct common co = find_common(r);
	unsigned n, panels = 0;

	KASSERT(r->cell_count > 0, ("nothing to draw"));
	while (panels < PLOT_PANELS && cipher_at(r, panels) != NULL)
		panels++;
	print_terminal(out, panels, svg);
	print_styles(out);
	/* Margins of one size keep the two panels' axes in line. */
	fputs("set grid y linecolor rgb '#bbbbbb'\nset tics nomirror\n"
	    "set border 3\nset lmargin 11\nset errorbars 1.5\n", out);
	print_title(out, r, &co, panels);
	for (n = 0; n < panels; n++) {
		struct panel pa = { .pa_result = r };

		pa.pa_cipher = cipher_at(r, n);
		measure_panel(&pa);
		print_curves(out, &pa, &co);
		print_readers_axis(out, &pa);
		print_shade(out, &pa);
		print_rates(out, &pa);
		print_harvest(out, &pa);
	}
	fputs("unset multiplot\n", out);
}
