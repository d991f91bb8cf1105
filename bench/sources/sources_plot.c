#include <math.h>

#include "bench/console/gnuplot.h"
#include "bench/sources/published.h"
#include "bench/sources/sources_print.h"
#include "lib/kassert.h"

enum {
	SHEET_WIDTH	= 1080,	/* pixels, all of these */
	SHEET_HEIGHT	= 520,
	SHEET_TOP	= 96,	/* for titles */
	SHEET_BOTTOM	= 46,
	SHEET_LEFT	= 74,
	SHEET_RIGHT	= 16,
	SHEET_LINE	= 20,
	SHEET_PANELS	= 2,
	SHEET_STYLES	= 8,
	SHEET_TEXT_SIZE	= 512,
	SHEET_NAMED	= 16	/* numbers of threads that are named */
};

/* Above this ratio of the greatest to the least, a logarithmic axis. */
static const double sheet_wide = 20;

/* A panel: hardware or computed. */
struct panel {
	const struct sources *pn_sources;
	bool		 pn_hardware;
	unsigned	 pn_curves;	/* with something to draw */
	double		 pn_low;	/* reads/s */
	double		 pn_high;
	bool		 pn_published;	/* the peak is drawn */
};

static bool
belongs(const struct panel *pn, const struct sources_curve *sc)
{

	return (sc->sc_source->ns_hardware == pn->pn_hardware &&
	    sources_curve_any(pn->pn_sources, sc));
}

static void
panel_init(struct panel *pn, const struct sources *sr, bool hardware)
{
	unsigned i, k;

	*pn = (struct panel){ .pn_sources = sr, .pn_hardware = hardware,
	    .pn_low = INFINITY };
	for (i = 0; i < sr->sr_count; i++) {
		const struct sources_curve *sc = &sr->sr_curves[i];

		if (!belongs(pn, sc))
			continue;
		pn->pn_curves++;
		/* The peak is of reads of this width. */
		pn->pn_published |= sc->sc_width == NUMBER_64;
		for (k = 0; k < sr->sr_options.so_thread_counts; k++) {
			const struct sources_point *sp = &sc->sc_points[k];

			if (sp->sp_count == 0)
				continue;
			pn->pn_low = fmin(pn->pn_low, sp->sp_ci95[0]);
			pn->pn_high = fmax(pn->pn_high, sp->sp_ci95[1]);
		}
	}
	if (pn->pn_published && pn->pn_hardware) {
		pn->pn_low = fmin(pn->pn_low, published_peak_reads_per_s);
		pn->pn_high = fmax(pn->pn_high, published_peak_reads_per_s);
	} else {
		pn->pn_published = false;
	}
}

/* $cI: threads, M reads/s, low, high.  $kI: where it stops growing. */
static void
print_data(FILE *out, const struct sources *sr, unsigned curve)
{
	const struct sources_curve *sc = &sr->sr_curves[curve];
	const struct saturation *sa = &sc->sc_saturation;
	unsigned k;

	fprintf(out, "$c%u << EOD\n", curve);
	for (k = 0; k < sr->sr_options.so_thread_counts; k++) {
		const struct sources_point *sp = &sc->sc_points[k];

		if (sp->sp_count > 0)
			fprintf(out, "%u %.6g %.6g %.6g\n", sp->sp_threads,
			    sp->sp_reads_per_s / 1e6, sp->sp_ci95[0] / 1e6,
			    sp->sp_ci95[1] / 1e6);
	}
	fprintf(out, "EOD\n$k%u << EOD\n", curve);
	for (k = 0; k < sr->sr_options.so_thread_counts; k++) {
		const struct sources_point *sp = &sc->sc_points[k];

		if (sa->sa_verdict == SATURATION_REACHED && sp->sp_count > 0 &&
		    sp->sp_threads == sa->sa_threads)
			fprintf(out, "%u %.6g\n", sp->sp_threads,
			    sp->sp_reads_per_s / 1e6);
	}
	fputs("EOD\n", out);
}

static void
print_styles(FILE *out)
{
	/* Told apart by dashes and shapes, so that black and white will do. */
	static const struct {
		const char	*colour;
		unsigned	 shape;
		const char	*dashes;
	} styles[SHEET_STYLES] = {
		{ "#000000", 7, "1" }, { "#0060b0", 5, "'- '" },
		{ "#c84800", 9, "'_ '" }, { "#007850", 11, "'-. '" },
		{ "#a03080", 13, "'_. '" }, { "#806000", 15, "'_.. '" },
		{ "#505050", 4, "'.. '" }, { "#900000", 6, "'-- '" }
	};
	unsigned i;

	for (i = 0; i < SHEET_STYLES; i++)
		fprintf(out, "set style line %u linewidth 1.6 pointsize 1.1 "
		    "linecolor rgb '%s' pointtype %u dashtype %s\n", i + 1,
		    styles[i].colour, styles[i].shape, styles[i].dashes);
}

static void
print_label(FILE *out, unsigned line, const char *text)
{

	fprintf(out, "set label %u ", line + 1);
	gnuplot_quote(out, text);
	fprintf(out, " at screen %.5f, screen %.5f left front%s\n",
	    14.0 / SHEET_WIDTH, 1 - (16.0 + line * SHEET_LINE) / SHEET_HEIGHT,
	    line == 0 ? " font ',14'" : "");
}

static void
print_titles(FILE *out, const struct sources *sr)
{
	const struct sources_options *so = &sr->sr_options;
	char text[SHEET_TEXT_SIZE];

	snprintf(text, sizeof(text), "%smeasured: %s, %u CPU%s, %s",
	    sr->sr_complete ? "" : "INCOMPLETE, ", sr->sr_host.cpu_model,
	    sr->sr_host.cpus, sr->sr_host.cpus == 1 ? "" : "s",
	    sr->sr_started);
	print_label(out, 0, text);
	snprintf(text, sizeof(text), "medians of %u repeat%s of %g s, "
	    "INVARIANTS %s; SRBDS mitigation: %s", so->so_repeats,
	    so->so_repeats == 1 ? "" : "s", so->so_time_s,
	    sr->sr_host.invariants ? "on" : "off",
	    mitigation_state_names[sr->sr_mitigation.mi_state]);
	print_label(out, 1, text);
	print_label(out, 2, "bars and bands: 95 % intervals; ring: throughput "
	    "stops growing; grey ground: more threads than CPUs");
}

/* Where a panel's axes are: side by side, or alone in the whole width. */
static void
print_place(FILE *out, unsigned at, unsigned panels)
{
	const double width = (double)SHEET_WIDTH / panels;

	fprintf(out, "set lmargin at screen %.5f\nset rmargin at screen %.5f\n"
	    "set tmargin at screen %.5f\nset bmargin at screen %.5f\n",
	    (at * width + SHEET_LEFT) / SHEET_WIDTH,
	    ((at + 1) * width - SHEET_RIGHT) / SHEET_WIDTH,
	    1 - (double)SHEET_TOP / SHEET_HEIGHT,
	    (double)SHEET_BOTTOM / SHEET_HEIGHT);
}

static void
print_axes(FILE *out, const struct panel *pn)
{
	const struct sources_options *so = &pn->pn_sources->sr_options;
	const unsigned cpus = pn->pn_sources->sr_host.cpus;
	const double least = so->so_threads[0];
	const double most = so->so_threads[so->so_thread_counts - 1];
	const bool wide = pn->pn_high > sheet_wide * pn->pn_low;
	const double low = pn->pn_low / 1e6, high = pn->pn_high / 1e6;
	/* Room for the key above what is drawn. */
	const double room = 0.12 * (pn->pn_curves + pn->pn_published);
	unsigned i;

	fprintf(out, "set xrange [%g:%g]\n", least - 0.4, most + 0.4);
	if (so->so_thread_counts > SHEET_NAMED) {
		fputs("set xtics autofreq\n", out);
	} else {
		fputs("set xtics (", out);
		for (i = 0; i < so->so_thread_counts; i++)
			fprintf(out, "%s%u", i > 0 ? ", " : "",
			    so->so_threads[i]);
		fputs(")\n", out);
	}
	if (wide)
		fprintf(out, "set logscale y\nset yrange [%g:%g]\n", low / 1.3,
		    high * 1.3 * pow(high / low, room));
	else
		fprintf(out, "unset logscale y\nset yrange [0:%g]\n", high *
		    (1.05 + room));
	fputs("set format y '%g'\nunset object 1\n", out);
	if (most > cpus)
		fprintf(out, "set object 1 rectangle from first %g, graph 0 to "
		    "graph 1, graph 1 behind fillcolor rgb '#ececec' fillstyle "
		    "solid noborder\n", fmax(cpus + 0.5, least - 0.4));
}

static void
print_curves(FILE *out, const struct panel *pn)
{
	const struct sources *sr = pn->pn_sources;
	char name[SHEET_TEXT_SIZE];
	unsigned i, style = 1;

	fputs("plot", out);
	for (i = 0; i < sr->sr_count; i++) {
		const struct sources_curve *sc = &sr->sr_curves[i];

		if (!belongs(pn, sc))
			continue;
		snprintf(name, sizeof(name), "%s, %u bits",
		    sc->sc_source->ns_name, number_bits[sc->sc_width]);
		fprintf(out, "%s $c%u using 1:3:4 with filledcurves linestyle "
		    "%u fillstyle transparent solid 0.15 noborder notitle, "
		    "$c%u using 1:2:3:4 with yerrorlines linestyle %u title ",
		    style > 1 ? "," : "", i, style, i, style);
		gnuplot_quote(out, name);
		if (sc->sc_saturation.sa_verdict == SATURATION_REACHED)
			fprintf(out, ", $k%u with points pointtype 6 pointsize "
			    "2.6 linewidth 1.6 linecolor rgb '#000000' "
			    "notitle", i);
		style = style % SHEET_STYLES + 1;
	}
	if (pn->pn_published) {
		snprintf(name, sizeof(name), "published: %.4g M 64-bit "
		    "rdrands/s = %.4g Gbit/s, Ivy Bridge",
		    published_peak_reads_per_s / 1e6,
		    published_peak_gbit_per_s);
		fprintf(out, ", %.6g with lines linewidth 2 linecolor rgb "
		    "'#707070' dashtype '.' title ",
		    published_peak_reads_per_s / 1e6);
		gnuplot_quote(out, name);
	}
	putc('\n', out);
}

static void
print_panel(FILE *out, const struct panel *pn, unsigned at, unsigned panels)
{

	print_place(out, at, panels);
	fprintf(out, "set title '%s' offset 0,-0.6\n", pn->pn_hardware ?
	    "hardware" : "computed");
	fputs("set xlabel 'threads' offset 0,0.5\n"
	    "set ylabel 'M reads/s, all threads'\n", out);
	print_axes(out, pn);
	print_curves(out, pn);
	/* Titles went with the first. */
	fputs("unset label\n", out);
}

void
sources_print_plot(FILE *out, const struct sources *sr, bool svg)
{
	struct panel pn[SHEET_PANELS];
	unsigned at = 0, i, panels = 0;

	KASSERT(sources_any(sr), ("nothing to draw"));
	for (i = 0; i < SHEET_PANELS; i++) {
		panel_init(&pn[i], sr, i == 0);
		panels += pn[i].pn_curves > 0;
	}
	gnuplot_terminal(out, svg, SHEET_WIDTH, SHEET_HEIGHT);
	print_styles(out);
	for (i = 0; i < sr->sr_count; i++)
		if (sources_curve_any(sr, &sr->sr_curves[i]))
			print_data(out, sr, i);
	fputs("set tics nomirror\nset border 3\nset errorbars 1\n"
	    "set grid noxtics ytics back linetype 1 linewidth 0.6 linecolor "
	    "rgb '#b0b0b0' dashtype 1\n"
	    "set key top left Left reverse samplen 5 opaque\n"
	    "set multiplot\n", out);
	print_titles(out, sr);
	for (i = 0; i < SHEET_PANELS; i++)
		if (pn[i].pn_curves > 0)
			print_panel(out, &pn[i], at++, panels);
	fputs("unset multiplot\n", out);
}
