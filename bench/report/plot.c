#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/memory.h"
#include "bench/report/comparable.h"
#include "bench/report/plot.h"
#include "bench/report/usl_curve.h"
#include "lib/base/kassert.h"

CTASSERT((int)GNUPLOT_ERROR_SIZE == (int)RESULT_TEXT_SIZE);

enum {
	PLOT_CURVES	= 6,	/* in one row: different shapes */
	PLOT_ROWS	= 32,
	/* Pixels, as the scripts have them. */
	PLOT_TITLES	= 92,
	PLOT_LEGEND	= 30,
	PLOT_LINE	= 19,
	PLOT_HEIGHT	= 300,
	PLOT_MATRIX	= 310,
	PLOT_MARGIN	= 14,
	PLOT_PANEL	= 400,
	PLOT_WIDTH	= 2 * PLOT_MARGIN + 4 * PLOT_PANEL,
	PLOT_MATRICES	= 4,
	WAITS_SITES	= 12,	/* of a matrix, each way */
	WAITS_SHOWN	= 25,	/* characters of a name */
	WAITS_NAME_SIZE	= 3 * RESULT_NAME_SIZE
};

GNUPLOT_SCRIPT(sheet, "bench/report/sheet.gnuplot");
GNUPLOT_SCRIPT(curves, "bench/report/curves.gnuplot");
GNUPLOT_SCRIPT(pictures, "bench/report/pictures.gnuplot");
GNUPLOT_SCRIPT(waits, "bench/report/waits.gnuplot");

struct sheet {
	FILE		*sh_out;
	const struct result *sh_result;
	struct curves	 sh_curves;
	bool		 sh_page;	/* a picture for each panel */
	struct usl_curve *sh_laws;	/* one for each curve */
	unsigned	 sh_rows;
	unsigned	 sh_top;	/* where the next row begins */
	unsigned	 sh_left_out;	/* curves there is no room for */
};

/* The rows or the columns of a matrix. */
struct names {
	char		na_text[WAITS_SITES][WAITS_NAME_SIZE];
	unsigned	na_count;
};

static void
print_cell(FILE *out, unsigned curve, const struct result_cell *c)
{
	/* Of predictions with drawn profiles a band is what these gave. */
	bool drawn = c->uncertainty.samples > 0;
	const double *total = drawn ? c->uncertainty.total_mb_per_s :
	    c->total_mb_per_s_ci95;
	const double *cpu = c->uncertainty.harvest_cpu_percent;
	const double latency[] = {
		COMPARABLE_QUANTILE(c, latency_ns.p50),
		COMPARABLE_QUANTILE(c, latency_ns.p90),
		COMPARABLE_QUANTILE(c, latency_ns.p99),
		COMPARABLE_QUANTILE(c, latency_ns.p999)
	};
	unsigned i;

	fprintf(out, "%u %d %u %.9g %.9g %.9g %.9g %.9g %.9g", curve,
	    comparable_gated(c), c->readers, c->total_mb_per_s, total[0],
	    total[1], c->harvest.cpu_percent,
	    drawn ? cpu[0] : c->harvest.cpu_percent,
	    drawn ? cpu[1] : c->harvest.cpu_percent);
	for (i = 0; i < 4; i++)
		if (latency[0] > 0)
			fprintf(out, " %.9g", latency[i] * 1e-9);
		else
			fputs(" NaN", out);
	fprintf(out, " %d\n", c->oversubscribed);
}

static void
print_row(struct sheet *sh, const char *heading, const unsigned *curves,
    unsigned n)
{
	/* gnuplot puts more than ROWS names in two columns. */
	const unsigned legend = PLOT_LEGEND + PLOT_LINE * (n < 4 ||
	    sh->sh_page ? n : (n + 1) / 2);
	char name[CURVE_NAME_SIZE];
	const struct usl_curve *uc;
	const struct curve *cu;
	FILE *out = sh->sh_out;
	unsigned i, k;

	fputs("$D << EOD\n", out);
	for (i = 0; i < n; i++) {
		cu = &sh->sh_curves.cs_curves[curves[i]];
		for (k = 0; k < cu->cu_count; k++)
			print_cell(out, i + 1, cu->cu_cells[k]);
	}
	fputs("EOD\n$LAW << EOD\n", out);
	for (i = 0; i < n; i++) {
		uc = &sh->sh_laws[curves[i]];
		if (uc->uc_holds)
			fprintf(out, "%.9g %.9g %.9g %u %u\n",
			    uc->uc_law.ul_gamma, uc->uc_law.ul_sigma,
			    uc->uc_law.ul_kappa, uc->uc_least, uc->uc_most);
		else
			fputs(" \n", out);
	}
	fprintf(out, "EOD\nTOP = %u\nLEGEND = %u\nN = %u\nREACH = %d\n"
	    "array NAME[%u]\n", sh->sh_top, legend, n, USL_REACH, n);
	for (i = 0; i < n; i++) {
		curve_name(&sh->sh_curves, &sh->sh_curves.cs_curves[curves[i]],
		    CURVE_CIPHER, name);
		gnuplot_set(out, FORMATF("NAME[%u]", i + 1), name);
	}
	gnuplot_set(out, "HEADING", heading);
	if (sh->sh_page)
		fputs("HEIGHT = LEGEND\nTOP = 0\n", out);
	fputs(script_curves, out);
	sh->sh_top += legend + PLOT_HEIGHT;
	sh->sh_rows++;
}

/* Rows of a cipher's curves, evened out: no row of one below a full one. */
static void
print_curves(struct sheet *sh, const char *cipher, const unsigned *curves,
    unsigned count)
{
	unsigned rows = (count + PLOT_CURVES - 1) / PLOT_CURVES;
	unsigned each = (count + rows - 1) / rows, n;
	char heading[RESULT_TEXT_SIZE];

	/* Designs come in pairs mostly; a pair should stay together. */
	if (each % 2 != 0 && each < PLOT_CURVES && count % (each + 1) != 1)
		each++;
	for (unsigned i = 0; i < count; i += n) {
		n = count - i < each ? count - i : each;
		if (sh->sh_rows == PLOT_ROWS) {
			sh->sh_left_out += n;
			continue;
		}
		snprintf(heading, sizeof(heading), rows > 1 ?
		    "%s, curves %u to %u of %u" : "%s", cipher, i + 1, i + n,
		    count);
		print_row(sh, heading, curves + i, n);
	}
}

static double
waited(const struct result_cell *c)
{
	double sum = 0;

	for (unsigned i = 0; i < c->wait_rows; i++)
		sum += c->waits[i].wait_total_ns;
	/* Cells may have different numbers of repeats. */
	return (sum / (c->repeats > 0 ? c->repeats : 1));
}

/*
 * Of each design the cell with the most waiting, of the first designs.
 *
 * Returns: how many there are.
 */
static unsigned
choose_matrices(const struct sheet *sh, const unsigned *curves, unsigned count,
    const struct result_cell *cells[PLOT_MATRICES])
{
	const struct result_cell *c;
	const struct curve *cu;
	unsigned curve, i, n = 0;

	for (curve = 0; curve < count; curve++) {
		cu = &sh->sh_curves.cs_curves[curves[curve]];
		for (unsigned k = 0; k < cu->cu_count; k++) {
			c = cu->cu_cells[k];
			if (waited(c) <= 0 || comparable_gated(c))
				continue;
			for (i = 0; i < n; i++)
				if (strcmp(cells[i]->design, c->design) == 0)
					break;
			if (i == n && n < PLOT_MATRICES)
				cells[n++] = c;
			else if (i < n && waited(c) > waited(cells[i]))
				cells[i] = c;
		}
	}
	return (n);
}

/* A name's place, a new one if need be; WAITS_SITES: there is no room. */
static unsigned
find_name(struct names *na, const char *name)
{
	unsigned i;

	for (i = 0; i < na->na_count; i++)
		if (strcmp(na->na_text[i], name) == 0)
			return (i);
	if (i < WAITS_SITES)
		snprintf(na->na_text[na->na_count++], WAITS_NAME_SIZE, "%s",
		    name);
	return (i);
}

static void
print_tics(FILE *out, const char *axis, const struct names *na)
{
	char text[2 * WAITS_SHOWN + 1];
	unsigned k, n;

	fprintf(out, "set %s (", axis);
	for (unsigned i = 0; i < na->na_count; i++) {
		/* A tic's text is a format. */
		for (k = n = 0; na->na_text[i][k] != '\0' && k < WAITS_SHOWN;
		    k++) {
			if (na->na_text[i][k] == '%')
				text[n++] = '%';
			text[n++] = na->na_text[i][k];
		}
		text[n] = '\0';
		fputs(i > 0 ? ", " : "", out);
		gnuplot_quote(out, text);
		fprintf(out, " %u", i);
	}
	fputs(")\n", out);
}

/* Shares of waiting by place: waiters below, holders across. */
static void
print_matrix(FILE *out, const char *cipher, const struct result_cell *c)
{
	struct names holders = { .na_count = 0 }, waiters = { .na_count = 0 };
	double ns[WAITS_SITES][WAITS_SITES] = { { 0 } }, total = 0;
	unsigned h, w;

	for (const struct result_wait *rw = c->waits;
	    rw < c->waits + c->wait_rows; rw++) {
		total += rw->wait_total_ns;
		if (rw->wait_total_ns <= 0)
			continue;
		w = find_name(&waiters, FORMATF("%s (%s)", rw->site, rw->role));
		h = find_name(&holders, rw->holder);
		if (w < WAITS_SITES && h < WAITS_SITES)
			ns[w][h] += rw->wait_total_ns;
	}
	for (w = 0; w < waiters.na_count; w++)
		for (h = 0; h < holders.na_count; h++)
			fprintf(out, "%u %u %.5g\n", h, w, ns[w][h] / total);
	fprintf(out, "EOD\nHOLDERS = %u\nWAITERS = %u\n", holders.na_count,
	    waiters.na_count);
	gnuplot_set(out, "HEADING", FORMATF("%s, %s, %s, %u reader%s: %% of %s "
	    "waited", c->design, c->lock, cipher, c->readers,
	    PLURAL(c->readers), FORMAT(ns, total)));
	print_tics(out, "xtics", &holders);
	print_tics(out, "ytics", &waiters);
}

static void
print_waits(struct sheet *sh, const char *cipher, const unsigned *curves,
    unsigned count)
{
	const struct result_cell *cells[PLOT_MATRICES] = { NULL };
	FILE *out = sh->sh_out;
	unsigned n;

	if (sh->sh_top > PLOT_ROWS * PLOT_HEIGHT)
		return;
	n = choose_matrices(sh, curves, count, cells);
	if (n == 0)
		return;
	for (unsigned i = 0; i < n; i++) {
		if (i > 0 && i % 2 == 0)
			sh->sh_top += PLOT_MATRIX;
		fprintf(out, "AT = %u\nTOP = %u\n$M << EOD\n", PLOT_MARGIN +
		    i % 2 * 2 * PLOT_PANEL, sh->sh_top);
		print_matrix(out, cipher, cells[i]);
		fputs(script_waits, out);
	}
	sh->sh_top += PLOT_MATRIX;
}

/* Rows of the curves of each cipher in turn, then matrices likewise. */
static void
print_ciphers(struct sheet *sh)
{
	const struct curve *cu = sh->sh_curves.cs_curves;
	unsigned count = sh->sh_curves.cs_count, *curves, k, n;
	const char *cipher;

	curves = xcalloc(count, sizeof(*curves));
	for (unsigned pass = 0; pass < 2; pass++) {
		for (unsigned i = 0; i < count; i++) {
			cipher = cu[i].cu_cells[0]->cipher;
			for (k = n = 0; k < count; k++)
				if (strcmp(cu[k].cu_cells[0]->cipher,
				    cipher) == 0)
					curves[n++] = k;
			if (curves[0] == i)
				(pass == 0 ? print_curves : print_waits)(sh,
				    cipher, curves, n);
		}
	}
	free(curves);
}

static const char legend_latency[] = "latency: point p50, ticks p90 and p99, "
    "end of the bar p99.9";

/* What the marks of panels mean. */
static void
plot_legend(const struct result *r, struct text *t)
{
	bool gated = false;

	for (unsigned i = 0; i < r->cell_count; i++)
		gated |= comparable_gated(&r->cells[i]);
	text_add(t, "bars and bands: ");
	if (r->uncertainty.samples > 0)
		text_add(t, "10 to 90 %% of %u drawn profiles",
		    r->uncertainty.samples);
	else
		text_add(t, "95 %% intervals");
	text_add(t, "; dotted: the fitted law; grey: more readers than "
	    "CPUs%s", gated ? "; open markers: a gate failed" : "");
}

static void
print_titles(const struct sheet *sh, FILE *out)
{
	const struct result *r = sh->sh_result;
	const bool predicted = provenance_of(r) == RESULT_PREDICTED;
	char head[COMPARABLE_SIZE], host[COMPARABLE_SIZE];
	struct text t = { .s = "" };
	snprintf(host, sizeof(host), "%s, %u CPU%s, %s", r->host.cpu_model,
	    r->host.cpus, PLURAL(r->host.cpus), r->started);
	if (!r->complete)
		text_add(&t, "INCOMPLETE, ");
	if (predicted)
		text_add(&t, "predicted: %s", provenance_machine(r, head));
	else
		text_add(&t, "%s %s", provenance_head(r, false, head), host);
	gnuplot_set(out, "TITLE1", t.s);
	t.s[0] = '\0';
	curve_common(&sh->sh_curves, &t);
	text_list(&t, "INVARIANTS %s%s", r->host.invariants ? "on" : "off",
	    comparable_model(r, head));
	if (predicted)
		text_list(&t, "computed on %s", host);
	if (sh->sh_left_out > 0)
		text_add(&t, "; %u curves are left out, there is no room",
		    sh->sh_left_out);
	gnuplot_set(out, "TITLE2", t.s);
	t.s[0] = '\0';
	plot_legend(r, &t);
	gnuplot_set(out, "TITLE3", t.s);
	gnuplot_set(out, "TITLE4", legend_latency);
}

static void
print_body(struct sheet *sh)
{
	sh->sh_laws = xcalloc(sh->sh_curves.cs_count, sizeof(*sh->sh_laws));
	for (unsigned i = 0; i < sh->sh_curves.cs_count; i++)
		usl_curve_fit(&sh->sh_curves.cs_curves[i],
		    sh->sh_result->seed, false, &sh->sh_laws[i]);
	print_ciphers(sh);
	free(sh->sh_laws);
}

/* The script of the picture, or for a page of a picture for each panel. */
static void
print_script(FILE *out, const struct result *r, bool svg, bool page)
{
	struct sheet sh = { .sh_result = r, .sh_top = PLOT_TITLES,
	    .sh_page = page };
	unsigned height;
	char *body = NULL;
	size_t len;

	KASSERT(r->cell_count > 0, ("nothing to draw"));
	curves_find(r, &sh.sh_curves);
	sh.sh_out = xmemstream(&body, &len);
	print_body(&sh);
	xmemclose(sh.sh_out);
	/* The height is known after all rows. */
	height = sh.sh_top + PLOT_MARGIN;
	gnuplot_terminal(out, svg, PLOT_WIDTH, height);
	fprintf(out, "WIDTH = %u\nHEIGHT = %u\nPANEL = %u\n", PLOT_WIDTH,
	    height, PLOT_PANEL);
	print_titles(&sh, out);
	fprintf(out, "%s%s%sunset multiplot\n", script_sheet, page ?
	    script_pictures : "", body);
	free(body);
	curves_free(&sh.sh_curves);
}

void
plot_print(FILE *out, const void *what, bool svg)
{
	print_script(out, what, svg, false);
}

static void
print_pictures(FILE *out, const void *what, bool svg)
{
	print_script(out, what, svg, true);
}

int
plot_pictures(const struct result *r, struct text *legend, char **pictures,
    size_t *size, char error[RESULT_TEXT_SIZE])
{
	int status;

	error[0] = '\0';
	plot_legend(r, legend);
	text_add(legend, "; %s", legend_latency);
	status = gnuplot_run(print_pictures, r, true, pictures, size, error);
	if (status != 0 && error[0] == '\0')
		snprintf(error, RESULT_TEXT_SIZE, "%s", strerror(status));
	return (status);
}

int
plot_write(const struct result *r, const char *path,
    char error[RESULT_TEXT_SIZE])
{
	struct atomic_file of;
	int status;

	error[0] = '\0';
	if (!gnuplot_path_ok(path))
		snprintf(error, RESULT_TEXT_SIZE,
		    "expected a name that ends in .png or .svg");
	else if (r->cell_count == 0)
		snprintf(error, RESULT_TEXT_SIZE, "no cells to draw");
	if (error[0] != '\0')
		return (EINVAL);
	status = atomic_file_open(&of, path);
	if (status == 0) {
		status = gnuplot_draw(plot_print, r, gnuplot_path_svg(path),
		    &of, error);
		atomic_file_abort(&of);
	}
	if (status != 0 && error[0] == '\0')
		snprintf(error, RESULT_TEXT_SIZE, "%s", strerror(status));
	return (status);
}
