#include <math.h>

#include "bench/console/gnuplot.h"
#include "bench/report/plot_panel.h"

/* Names on a logarithmic axis: each so many times the one before. */
#define	NAMED_APART	1.45

enum {
	PANEL_LEFT	= 80,	/* pixels around the axes */
	PANEL_RIGHT	= 14,
	PANEL_TOP	= 26,
	PANEL_BOTTOM	= 44,
	PANEL_POINTS	= 20,	/* of a curve, beside each other */
	PANEL_WIDE	= 50	/* largest over smallest: logarithmic */
};

void
plot_panel_styles(FILE *out)
{
	/*
	 * Told apart by dashes and shapes, so that black and white will do.
	 * The shape before a filled one is the same, hollow.
	 */
	static const struct {
		const char	*colour;
		unsigned	 filled;
		const char	*dashes;	/* dots alone are the law's */
	} styles[PLOT_CURVES] = {
		{ "#000000", 7, "1" }, { "#0060b0", 5, "'- '" },
		{ "#c84800", 9, "'_ '" }, { "#007850", 11, "'-. '" },
		{ "#a03080", 13, "'_. '" }, { "#806000", 15, "'_.. '" }
	};
	unsigned i;

	for (i = 0; i < PLOT_CURVES; i++) {
		fprintf(out, "set style line %u linewidth 1.6 pointsize 1.2 "
		    "linecolor rgb '%s' pointtype %u dashtype %s\n", i + 1,
		    styles[i].colour, styles[i].filled, styles[i].dashes);
		fprintf(out, "set style line %u linewidth 1.4 pointsize 1.4 "
		    "linecolor rgb '%s' pointtype %u dashtype 1\n",
		    i + 1 + PLOT_CURVES, styles[i].colour,
		    styles[i].filled - 1);
	}
}

void
plot_panel_grid(FILE *out)
{

	fputs("set grid noxtics ytics back linetype 1 linewidth 0.6 linecolor "
	    "rgb '#b0b0b0' dashtype 1\n", out);
}

void
plot_panel_place(const struct plot_sheet *ps, const struct plot_box *bx,
    const char *title)
{
	const double h = ps->ps_height, w = ps->ps_width;

	fprintf(ps->ps_out, "set lmargin at screen %.5f\n"
	    "set rmargin at screen %.5f\nset tmargin at screen %.5f\n"
	    "set bmargin at screen %.5f\n", (bx->bx_left + PANEL_LEFT) / w,
	    (bx->bx_left + bx->bx_width - PANEL_RIGHT) / w,
	    1 - (bx->bx_top + PANEL_TOP) / h,
	    1 - (bx->bx_top + bx->bx_height - PANEL_BOTTOM) / h);
	fputs("set title ", ps->ps_out);
	gnuplot_quote(ps->ps_out, title);
	fputs(" offset 0,-0.6\n", ps->ps_out);
}

void
plot_panel_empty(const struct plot_sheet *ps, const char *why)
{

	fputs("set label 1 ", ps->ps_out);
	gnuplot_quote(ps->ps_out, why);
	fputs(" at graph 0.5, graph 0.5 center\nunset logscale\n"
	    "set xrange [0:1]\nset yrange [0:1]\nunset xtics\nunset ytics\n"
	    "unset xlabel\nunset ylabel\nplot NaN notitle\nset tics nomirror\n"
	    "unset label 1\n", ps->ps_out);
}

static void
print_readers_axis(FILE *out, const struct plot_column *co)
{
	double end = plot_data_end(co);
	unsigned i, named = 0, v;

	if (co->co_log)
		fprintf(out, "set logscale x 2\nset xrange [%g:%g]\n",
		    co->co_least / 1.15, end * 1.05);
	else
		fprintf(out, "unset logscale x\nset xrange [%g:%g]\n",
		    co->co_least - 0.4, end + 0.4);
	fputs("set xlabel 'readers' offset 0,0.5\n", out);
	if (!co->co_all_counts) {
		fputs("set xtics autofreq\n", out);
		return;
	}
	fputs("set xtics (", out);
	for (i = 0; i < co->co_count_count; i++) {
		v = co->co_counts[i];
		/* A name too near to the last one would be printed over it. */
		if (co->co_log && i > 0 && v < NAMED_APART * named) {
			fprintf(out, ", '' %u", v);
			continue;
		}
		fprintf(out, "%s%u", i > 0 ? ", " : "", v);
		named = v;
	}
	fputs(")\n", out);
}

/* Shades where threads outnumber CPUs: other rules hold there. */
static void
print_shade(FILE *out, const struct plot_column *co)
{
	double from;

	fputs("unset object 1\n", out);
	if (co->co_over == 0)
		return;
	from = co->co_fits == 0 || co->co_fits >= co->co_over ?
	    co->co_over : co->co_log ?
	    sqrt((double)co->co_fits * co->co_over) :
	    (co->co_fits + co->co_over) / 2.0;
	fputs("set object 1 rectangle from ", out);
	if (co->co_fits == 0)
		fputs("graph 0, graph 0", out);
	else
		fprintf(out, "first %g, graph 0", from);
	fputs(" to graph 1, graph 1 behind fillcolor rgb '#e8e8e8' "
	    "fillstyle solid noborder\n", out);
}

/* Points so dense that they hide each other tell no curves apart. */
static unsigned
interval(const struct plot_sheet *ps, unsigned curve)
{

	return (1 + plot_data_rows(ps->ps_data, curve, false) / PANEL_POINTS);
}

/*
 * The elements of one curve in a panel of rates.
 *
 *   per  in  what divides a rate: "1" or "$1"
 */
static void
print_rates(const struct plot_sheet *ps, unsigned curve, unsigned style,
    const char *per)
{
	FILE *out = ps->ps_out;

	if (ps->ps_data->pl_laws[curve].uc_holds) {
		fprintf(out, ", $w%u using 1:($2/%s) with lines linestyle %u "
		    "linewidth 1.2 dashtype '. '", curve, per, style);
		fprintf(out, ", $x%u using 1:($2/%s) with lines linestyle %u "
		    "linewidth 1 dashtype '.   '", curve, per, style);
	}
	if (plot_data_rows(ps->ps_data, curve, false) > 0)
		fprintf(out, ", $c%u using 1:($2/%s):($3/%s):($4/%s) with "
		    "yerrorbars linestyle %u dashtype 1 linewidth 1 pointtype "
		    "-1, $c%u using 1:($2/%s) with linespoints linestyle %u "
		    "pointinterval %u", curve, per, per, per, style, curve,
		    per, style, interval(ps, curve));
	if (plot_data_rows(ps->ps_data, curve, true) > 0)
		fprintf(out, ", $g%u using 1:($2/%s) with points linestyle "
		    "%u", curve, per, style + PLOT_CURVES);
}

static void
print_bands(const struct plot_sheet *ps, const struct plot_block *pb,
    const char *per)
{
	unsigned i;

	for (i = 0; i < pb->pb_count; i++)
		if (plot_data_rows(ps->ps_data, pb->pb_curves[i], false) > 1)
			fprintf(ps->ps_out, ", $c%u using 1:($3/%s):($4/%s) "
			    "with filledcurves linestyle %u fillstyle "
			    "transparent solid 0.15 noborder",
			    pb->pb_curves[i], per, per, i + 1);
}

static void
print_rate_panel(const struct plot_sheet *ps, const struct plot_block *pb,
    const struct plot_range *pr, const char *per)
{
	unsigned i;

	print_readers_axis(ps->ps_out, pb->pb_column);
	print_shade(ps->ps_out, pb->pb_column);
	fprintf(ps->ps_out, "unset logscale y\nset yrange [0:%g]\n"
	    "set ytics autofreq\nset format y '%%g'\n"
	    "set ylabel 'MB/s' offset 0.5,0\nplot NaN notitle",
	    pr->pr_high > 0 ? pr->pr_high * 1.08 : 1);
	/* Below all lines. */
	print_bands(ps, pb, per);
	for (i = 0; i < pb->pb_count; i++)
		print_rates(ps, pb->pb_curves[i], i + 1, per);
	fputs("\nunset object 1\n", ps->ps_out);
}

void
plot_panel_total(const struct plot_sheet *ps, const struct plot_block *pb,
    const struct plot_box *bx)
{

	plot_panel_place(ps, bx, "total MB/s");
	print_rate_panel(ps, pb, &pb->pb_column->co_total, "1");
}

void
plot_panel_reader(const struct plot_sheet *ps, const struct plot_block *pb,
    const struct plot_box *bx)
{

	plot_panel_place(ps, bx, "MB/s of each reader");
	print_rate_panel(ps, pb, &pb->pb_column->co_reader, "$1");
}

/* Bands of several cells, bars of each. */
static void
print_harvest_bands(const struct plot_sheet *ps, const struct plot_block *pb)
{
	unsigned curve, i;

	for (i = 0; i < pb->pb_count; i++) {
		curve = pb->pb_curves[i];
		if (!plot_data_harvest_bands(ps->ps_data, curve))
			continue;
		if (plot_data_rows(ps->ps_data, curve, false) > 1)
			fprintf(ps->ps_out, ", $c%u using 1:6:7 with "
			    "filledcurves linestyle %u fillstyle transparent "
			    "solid 0.15 noborder", curve, i + 1);
		fprintf(ps->ps_out, ", $c%u using 1:5:6:7 with yerrorbars "
		    "linestyle %u dashtype 1 linewidth 1 pointtype -1", curve,
		    i + 1);
	}
}

void
plot_panel_harvest(const struct plot_sheet *ps, const struct plot_block *pb,
    const struct plot_box *bx)
{
	const struct plot_range *pr = &pb->pb_column->co_harvest;
	FILE *out = ps->ps_out;
	unsigned curve, i;

	plot_panel_place(ps, bx, "CPU of the harvest thread");
	print_readers_axis(out, pb->pb_column);
	print_shade(out, pb->pb_column);
	if (pr->pr_low > 0 && pr->pr_high / pr->pr_low > PANEL_WIDE)
		fprintf(out, "set logscale y 10\nset yrange [%g:%g]\n",
		    pr->pr_low / 1.5, pr->pr_high * 1.5);
	else
		fprintf(out, "unset logscale y\nset yrange [0:%g]\n",
		    pr->pr_high > 0 ? pr->pr_high * 1.08 : 1);
	fputs("set ytics autofreq\nset format y '%g'\n"
	    "set ylabel '% of one CPU' offset 0.5,0\nplot NaN notitle", out);
	/* Below all lines. */
	print_harvest_bands(ps, pb);
	for (i = 0; i < pb->pb_count; i++) {
		curve = pb->pb_curves[i];
		if (plot_data_rows(ps->ps_data, curve, false) > 0)
			fprintf(out, ", $c%u using 1:5 with linespoints "
			    "linestyle %u pointinterval %u", curve, i + 1,
			    interval(ps, curve));
		if (plot_data_rows(ps->ps_data, curve, true) > 0)
			fprintf(out, ", $g%u using 1:5 with points linestyle "
			    "%u", curve, i + 1 + PLOT_CURVES);
	}
	fputs("\nunset object 1\n", out);
}

/*
 * A bar up from each median, with ticks that grow with the percentile.
 *
 *   block  in  't' or 'h'
 *   style  in  of the points
 */
static void
print_bars(FILE *out, char block, unsigned curve, unsigned style)
{

	fprintf(out, ", $%c%u using 1:2:2:5 with yerrorbars linestyle %u "
	    "dashtype 1 linewidth 1", block, curve, style);
	fprintf(out, ", $%c%u using ($1-0.02):3:(0.04):(0) with vectors nohead "
	    "linestyle %u dashtype 1", block, curve, style);
	fprintf(out, ", $%c%u using ($1-0.045):4:(0.09):(0) with vectors "
	    "nohead linestyle %u dashtype 1 linewidth 2.4", block, curve,
	    style);
}

static void
print_percentiles(const struct plot_sheet *ps, const struct plot_block *pb,
    unsigned i)
{
	const unsigned curve = pb->pb_curves[i];
	FILE *out = ps->ps_out;

	if (plot_data_timed(ps->ps_data, pb->pb_column, curve, false)) {
		fprintf(out, ", $t%u using 1:2 with lines linestyle %u "
		    "linewidth 0.8", curve, i + 1);
		print_bars(out, 't', curve, i + 1);
	}
	if (plot_data_timed(ps->ps_data, pb->pb_column, curve, true))
		print_bars(out, 'h', curve, i + 1 + PLOT_CURVES);
}

static void
print_places_axis(FILE *out, const struct plot_column *co)
{
	unsigned i;

	fprintf(out, "unset logscale x\nset xrange [-0.6:%g]\nset xtics (",
	    co->co_count_count - 0.4);
	for (i = 0; i < co->co_count_count; i++)
		fprintf(out, "%s'%u' %u", i > 0 ? ", " : "", co->co_counts[i],
		    i);
	fprintf(out, ")\nset xlabel 'readers%s' offset 0,0.5\n",
	    co->co_all_counts ? "" : ", not all named");
}

/* As print_shade(), between places. */
static void
print_places_shade(FILE *out, const struct plot_column *co)
{
	unsigned i;

	for (i = 0; i < co->co_count_count; i++)
		if (co->co_over != 0 && co->co_counts[i] >= co->co_over)
			break;
	if (i < co->co_count_count)
		fprintf(out, "set object 1 rectangle from first %g, graph 0 to "
		    "graph 1, graph 1 behind fillcolor rgb '#e8e8e8' "
		    "fillstyle solid noborder\n", i - (i == 0 ? 0.6 : 0.5));
}

void
plot_panel_latency(const struct plot_sheet *ps, const struct plot_block *pb,
    const struct plot_box *bx)
{
	const struct plot_range *pr = &pb->pb_column->co_latency;
	FILE *out = ps->ps_out;
	unsigned i;

	plot_panel_place(ps, bx, "latency of one read: p50 to p99.9");
	if (isinf(pr->pr_low)) {
		plot_panel_empty(ps, "there are no latencies");
		return;
	}
	print_places_axis(out, pb->pb_column);
	print_places_shade(out, pb->pb_column);
	fprintf(out, "set logscale y 10\nset yrange [%g:%g]\n"
	    "set ytics autofreq\nset format y '%%.0s %%cs'\n"
	    "unset ylabel\nset errorbars 0.8\nplot NaN notitle",
	    pr->pr_low / 1.6, fmax(pr->pr_high, pr->pr_low) * 1.6);
	for (i = 0; i < pb->pb_count; i++)
		print_percentiles(ps, pb, i);
	fputs("\nunset object 1\nset errorbars 1\n", out);
}
