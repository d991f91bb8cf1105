#include <string.h>

#include "bench/console/gnuplot.h"
#include "bench/report/plot_panel.h"
#include "bench/report/plot_script.h"
#include "bench/result/claim.h"
#include "bench/result/group.h"

/* All in pixels, but for what says otherwise. */
enum {
	SHEET_PANEL_WIDTH = 480,
	SHEET_PANEL_HEIGHT = 290,
	SHEET_MATRIX_HEIGHT = 310,
	SHEET_ROW_PANELS = 2,		/* of one column, side by side */
	SHEET_COLUMN_WIDTH = SHEET_ROW_PANELS * SHEET_PANEL_WIDTH,
	SHEET_MARGIN	= 14,
	SHEET_LINE	= 19,		/* of text */
	SHEET_TITLES	= 4,		/* lines */
	SHEET_GLYPH	= 8,		/* width, rather too much */
	SHEET_SAMPLE	= 48,		/* of a line, in a legend */
	SHEET_LEGEND_MOST = 3,		/* names in one line */
	SHEET_TEXT_SIZE	= 4 * RESULT_TEXT_SIZE,
	/* Numbers of labels and arrows; 1 is the panels' own. */
	SHEET_LABEL	= 100,
	SHEET_KINDS	= 4
};

/* In places of readers. */
static const double sheet_bars_apart = 0.13;

/* The kinds of panels that a block has, and what they belong to. */
static const struct {
	enum plot_part	 part;
	plot_panel	*draw;
} sheet_kinds[SHEET_KINDS] = {
	{ PLOT_SCALE,	plot_panel_total },
	{ PLOT_SCALE,	plot_panel_reader },
	{ PLOT_LATENCY,	plot_panel_latency },
	{ PLOT_HARVEST,	plot_panel_harvest },
};

/* Where the next text goes. */
struct writer {
	const struct plot_sheet *wr_sheet;
	unsigned	 wr_label;	/* number of the next label or arrow */
};

static bool
wanted(enum plot_part asked, enum plot_part part)
{

	return (asked == PLOT_ALL || asked == part);
}

static unsigned
block_count(const struct plot_column *co)
{

	return ((co->co_count + PLOT_CURVES - 1) / PLOT_CURVES);
}

/* The i-th block of a column, evened out: no block of one beside a full one. */
static struct plot_block
block_at(const struct plot_column *co, unsigned i)
{
	unsigned blocks = block_count(co);
	unsigned each = (co->co_count + blocks - 1) / blocks;
	unsigned first;
	struct plot_block pb;

	/* Designs come in pairs mostly; a pair should stay together. */
	if (each % 2 != 0 && each < PLOT_CURVES)
		each++;
	first = i * each < co->co_count ? i * each : co->co_count;
	pb.pb_column = co;
	pb.pb_curves = co->co_curves + first;
	pb.pb_count = co->co_count - first < each ? co->co_count - first :
	    each;
	return (pb);
}

static unsigned
panel_rows(enum plot_part part)
{
	unsigned i, n = 0;

	for (i = 0; i < SHEET_KINDS; i++)
		n += wanted(part, sheet_kinds[i].part);
	return ((n + SHEET_ROW_PANELS - 1) / SHEET_ROW_PANELS);
}

static void
write_text(struct writer *wr, unsigned x, unsigned y, const char *text,
    const char *font)
{
	const struct plot_sheet *ps = wr->wr_sheet;

	fprintf(ps->ps_out, "set label %u ", wr->wr_label++);
	gnuplot_quote(ps->ps_out, text);
	fprintf(ps->ps_out, " at screen %.5f, screen %.5f left front%s\n",
	    x / (double)ps->ps_width, 1 - y / (double)ps->ps_height, font);
}

/* A curve's name after a piece of its line. */
static void
write_sample(struct writer *wr, unsigned x, unsigned y, unsigned style,
    const char *text)
{
	const struct plot_sheet *ps = wr->wr_sheet;
	const double h = ps->ps_height, w = ps->ps_width;

	fprintf(ps->ps_out, "set arrow %u from screen %.5f, screen %.5f to "
	    "screen %.5f, screen %.5f nohead front linestyle %u\n",
	    wr->wr_label, x / w, 1 - y / h, (x + SHEET_SAMPLE) / w, 1 - y / h,
	    style);
	fprintf(ps->ps_out, "set label %u '' at screen %.5f, screen %.5f point "
	    "linestyle %u front\n", wr->wr_label, (x + SHEET_SAMPLE / 2) / w,
	    1 - y / h, style);
	wr->wr_label++;
	write_text(wr, x + SHEET_SAMPLE + SHEET_GLYPH, y, text, "");
}

/* How many names stand beside each other, as the longest allows. */
static unsigned
legend_columns(const struct plot_data *pl, const struct plot_column *co)
{
	char name[CURVE_NAME_SIZE];
	unsigned i, longest = 0, n, width;

	for (i = 0; i < co->co_count; i++) {
		curve_name(&pl->pl_curves,
		    &pl->pl_curves.cs_curves[co->co_curves[i]], CURVE_CIPHER,
		    name);
		n = (unsigned)strlen(name);
		longest = n > longest ? n : longest;
	}
	width = SHEET_SAMPLE + SHEET_GLYPH * (longest + 3);
	n = SHEET_COLUMN_WIDTH / width;
	return (n < 1 ? 1 : n > SHEET_LEGEND_MOST ? SHEET_LEGEND_MOST : n);
}

static unsigned
legend_lines(const struct plot_data *pl, const struct plot_column *co)
{
	unsigned columns = legend_columns(pl, co);
	unsigned most = co->co_count < PLOT_CURVES ? co->co_count :
	    PLOT_CURVES;

	return ((most + columns - 1) / columns);
}

/* Of a block of panels, its heading and legend included. */
static unsigned
block_height(const struct plot_data *pl, const struct plot_column *co,
    enum plot_part part)
{

	return (SHEET_LINE * (2 + legend_lines(pl, co)) +
	    panel_rows(part) * SHEET_PANEL_HEIGHT);
}

static unsigned
matrices_height(const struct plot_data *pl, const struct plot_column *co,
    enum plot_part part)
{
	const struct result_cell *cells[PLOT_MATRICES];
	unsigned n;

	if (!wanted(part, PLOT_WAITS))
		return (0);
	n = plot_waits_cells(pl, co, cells);
	/* Asked for by name, that there are none is worth a panel. */
	if (n == 0 && part == PLOT_WAITS)
		n = 1;
	return ((n + SHEET_ROW_PANELS - 1) / SHEET_ROW_PANELS *
	    SHEET_MATRIX_HEIGHT + (n > 0 ? 2 * SHEET_LINE : 0));
}

static unsigned
column_height(const struct plot_data *pl, const struct plot_column *co,
    enum plot_part part)
{
	unsigned height = matrices_height(pl, co, part);

	if (panel_rows(part) > 0)
		height += block_count(co) * block_height(pl, co, part);
	return (height);
}

static void
draw_legend(const struct plot_sheet *ps, const struct plot_block *pb,
    unsigned x, unsigned y, const char *heading)
{
	const struct plot_data *pl = ps->ps_data;
	const unsigned columns = legend_columns(pl, pb->pb_column);
	struct writer wr = { ps, SHEET_LABEL };
	char name[CURVE_NAME_SIZE];
	unsigned i;

	write_text(&wr, x, y, heading, " font ',13'");
	for (i = 0; i < pb->pb_count; i++) {
		curve_name(&pl->pl_curves,
		    &pl->pl_curves.cs_curves[pb->pb_curves[i]], CURVE_CIPHER,
		    name);
		write_sample(&wr, x + i % columns *
		    (SHEET_COLUMN_WIDTH / columns), y + SHEET_LINE *
		    (1 + i / columns) + SHEET_LINE / 4, i + 1, name);
	}
}

static void
draw_block(const struct plot_sheet *ps, const struct plot_block *pb,
    enum plot_part part, unsigned x, unsigned y)
{
	const struct plot_data *pl = ps->ps_data;
	struct plot_box bx = { x, y, SHEET_PANEL_WIDTH, SHEET_PANEL_HEIGHT };
	unsigned i, k, left = 0;

	for (i = 0; i < pb->pb_count; i++)
		/* Bars side by side. */
		plot_data_print(ps->ps_out, pl, pb->pb_column,
		    pb->pb_curves[i], sheet_bars_apart *
		    (i - (pb->pb_count - 1) / 2.0));
	bx.bx_top += SHEET_LINE * (1 + legend_lines(pl, pb->pb_column)) +
	    SHEET_LINE / 2;
	for (i = 0; i < SHEET_KINDS; i++)
		left += wanted(part, sheet_kinds[i].part);
	for (i = k = 0; i < SHEET_KINDS; i++) {
		if (!wanted(part, sheet_kinds[i].part))
			continue;
		/* One alone has the room of two. */
		bx.bx_width = left-- == 1 && k % SHEET_ROW_PANELS == 0 ?
		    SHEET_COLUMN_WIDTH : SHEET_PANEL_WIDTH;
		bx.bx_left = x + k % SHEET_ROW_PANELS * SHEET_PANEL_WIDTH;
		sheet_kinds[i].draw(ps, pb, &bx);
		/* The legend went with the first. */
		fputs("unset label\nunset arrow\n", ps->ps_out);
		if (++k % SHEET_ROW_PANELS == 0)
			bx.bx_top += SHEET_PANEL_HEIGHT;
	}
}

static void
draw_matrices(const struct plot_sheet *ps, const struct plot_column *co,
    enum plot_part part, unsigned x, unsigned y)
{
	const struct result_cell *cells[PLOT_MATRICES];
	struct plot_box bx = { x, y + SHEET_LINE + SHEET_LINE / 2,
	    SHEET_PANEL_WIDTH, SHEET_MATRIX_HEIGHT };
	struct writer wr = { ps, SHEET_LABEL };
	char heading[SHEET_TEXT_SIZE];
	unsigned i, n;

	if (!wanted(part, PLOT_WAITS))
		return;
	n = plot_waits_cells(ps->ps_data, co, cells);
	if (n == 0 && part != PLOT_WAITS)
		return;
	snprintf(heading, sizeof(heading), "%s: who waited for whom, where "
	    "each design waited most", co->co_cipher);
	write_text(&wr, x, y, heading, " font ',13'");
	if (n == 0) {
		plot_panel_place(ps, &bx, "");
		plot_panel_empty(ps, "no waits were recorded");
	}
	for (i = 0; i < n; i++) {
		bx.bx_left = x + i % SHEET_ROW_PANELS * SHEET_PANEL_WIDTH;
		plot_waits_print(ps, cells[i], &bx);
		fputs("unset label\n", ps->ps_out);
		if (i % SHEET_ROW_PANELS == SHEET_ROW_PANELS - 1)
			bx.bx_top += SHEET_MATRIX_HEIGHT;
	}
	fputs("unset label\n", ps->ps_out);
}

static void
draw_column(const struct plot_sheet *ps, const struct plot_column *co,
    enum plot_part part, unsigned x)
{
	const unsigned blocks = panel_rows(part) > 0 ? block_count(co) : 0;
	unsigned y = SHEET_MARGIN + SHEET_TITLES * SHEET_LINE + SHEET_LINE / 2;
	char heading[SHEET_TEXT_SIZE];
	struct plot_block pb;
	unsigned i;

	for (i = 0; i < blocks; i++) {
		pb = block_at(co, i);
		if (pb.pb_count == 0)
			break;
		snprintf(heading, sizeof(heading), blocks > 1 ?
		    "%s, curves %u to %u of %u" : "%s", co->co_cipher,
		    (unsigned)(pb.pb_curves - co->co_curves) + 1,
		    (unsigned)(pb.pb_curves - co->co_curves) + pb.pb_count,
		    co->co_count + co->co_left_out);
		draw_legend(ps, &pb, x, y, heading);
		draw_block(ps, &pb, part, x, y);
		y += block_height(ps->ps_data, co, part);
	}
	draw_matrices(ps, co, part, x, y);
}

static void
draw_titles(const struct plot_sheet *ps)
{
	const struct plot_data *pl = ps->ps_data;
	const struct result *r = pl->pl_result;
	struct writer wr = { ps, SHEET_LABEL + PLOT_CURVES * 4 };
	char common[CURVE_NAME_SIZE], head[CLAIM_SIZE], host[CLAIM_SIZE];
	const bool is_predicted = claim_of(r) == CLAIM_PREDICTED;
	char bands[64], text[SHEET_TEXT_SIZE];
	unsigned left_out = 0, n, y = SHEET_MARGIN;

	snprintf(bands, sizeof(bands), "95 %% intervals");
	if (r->uncertainty.samples > 0)
		snprintf(bands, sizeof(bands), "10 to 90 %% of %u drawn "
		    "profiles", r->uncertainty.samples);
	snprintf(host, sizeof(host), "%s, %u CPU%s, %s", r->host.cpu_model,
	    r->host.cpus, r->host.cpus == 1 ? "" : "s", r->started);
	if (is_predicted)
		snprintf(text, sizeof(text), "%spredicted: %s",
		    r->complete ? "" : "INCOMPLETE, ", claim_machine(r, head));
	else
		snprintf(text, sizeof(text), "%s%s %s", r->complete ? "" :
		    "INCOMPLETE, ", claim_head(r, false, head), host);
	write_text(&wr, SHEET_MARGIN, y, text, " font ',14'");
	curve_common(&pl->pl_curves, common);
	for (n = 0; n < pl->pl_column_count; n++)
		left_out += pl->pl_columns[n].co_left_out;
	n = (unsigned)snprintf(text, sizeof(text), "%s%sINVARIANTS %s%s%s",
	    common, common[0] != '\0' ? ", " : "", r->host.invariants ? "on" :
	    "off", is_predicted ? ", computed on " : "", is_predicted ? host :
	    "");
	if (n < sizeof(text) && left_out + pl->pl_ciphers_left_out > 0)
		snprintf(text + n, sizeof(text) - n, "; %u curves are left "
		    "out, there is no room", left_out +
		    pl->pl_ciphers_left_out);
	write_text(&wr, SHEET_MARGIN, y += SHEET_LINE, text, "");
	snprintf(text, sizeof(text), "bars and bands: %s; dotted: the fitted "
	    "law; grey ground: more readers than CPUs%s", bands,
	    pl->pl_gated ? "; hollow: a gate was not passed" : "");
	write_text(&wr, SHEET_MARGIN, y += SHEET_LINE, text, "");
	write_text(&wr, SHEET_MARGIN, y + SHEET_LINE, "latency: point p50, "
	    "ticks p90 and p99, end of the bar p99.9", "");
}

int
plot_script_print(FILE *out, const struct result *r, enum plot_part part,
    bool svg)
{
	struct plot_data pl;
	struct plot_sheet ps = { .ps_out = out, .ps_data = &pl };
	unsigned height, i;
	int error;

	error = plot_data_find(r, &pl);
	if (error != 0)
		return (error);
	ps.ps_width = 2 * SHEET_MARGIN + pl.pl_column_count *
	    SHEET_COLUMN_WIDTH + (pl.pl_column_count - 1) * SHEET_MARGIN;
	for (i = 0; i < pl.pl_column_count; i++) {
		height = column_height(&pl, &pl.pl_columns[i], part);
		ps.ps_height = height > ps.ps_height ? height : ps.ps_height;
	}
	ps.ps_height += 2 * SHEET_MARGIN + SHEET_TITLES * SHEET_LINE;
	gnuplot_terminal(out, svg, ps.ps_width, ps.ps_height);
	plot_panel_styles(out);
	plot_panel_grid(out);
	fputs("set tics nomirror\nset border 3\nunset key\nset errorbars 1\n"
	    "set multiplot\n", out);
	draw_titles(&ps);
	for (i = 0; i < pl.pl_column_count; i++)
		draw_column(&ps, &pl.pl_columns[i], part, SHEET_MARGIN + i *
		    (SHEET_COLUMN_WIDTH + SHEET_MARGIN));
	fputs("unset multiplot\n", out);
	plot_data_free(&pl);
	return (0);
}
