#include <math.h>

#include "bench/console/figure.h"
#include "bench/report/report_fairness.h"

enum {
	LINE_INDENT	= 6,	/* behind "bytes" and "hold" */
	LINE_SIZE	= 128
};

/* An index of 0..1, and "-" where the document has none. */
static const char *
index_text(char buf[FIGURE_SIZE], double v, bool known)
{

	if (known)
		snprintf(buf, FIGURE_SIZE, "%.3f", fmin(v, 1));
	else
		snprintf(buf, FIGURE_SIZE, "-");
	return (buf);
}

static const char *
figure_text(char buf[FIGURE_SIZE], double v, bool known)
{

	if (known && (v <= 0 || v >= 0.0005) && v < 99.9995)
		snprintf(buf, FIGURE_SIZE, "%.3f", v);
	else if (known)
		figure_real(buf, v);
	else
		snprintf(buf, FIGURE_SIZE, "-");
	return (buf);
}

/* One line, of bytes or of hold time; rest follows the bar. */
static void
print_line(FILE *out, const char *of, double cov, double jain, double min_max,
    double cna, bool known, const char *rest)
{
	char buf[4][FIGURE_SIZE], text[LINE_SIZE];

	/* The busier half has at least half; 0 is a document without it. */
	snprintf(text, sizeof(text), "cov %s jain %s min/max %s cna %s | %s",
	    figure_text(buf[0], cov, known), index_text(buf[1], jain, known),
	    index_text(buf[2], min_max, known),
	    index_text(buf[3], cna, cna > 0), rest);
	figure_wrap(out, of, LINE_INDENT, text);
}

static void
print_cell(FILE *out, const struct result_cell *cell)
{
	const struct result_fairness *f = &cell->fairness;
	char p50[FIGURE_SIZE], p99[FIGURE_SIZE], rest[LINE_SIZE];

	if (cell->lock_profile_rows > 0)
		snprintf(rest, sizeof(rest), "hold-share harvest %s %%",
		    figure_percent(p50, fmin(f->hold_share_harvest, 1) * 100));
	else
		snprintf(rest, sizeof(rest), "hold-share harvest -");
	print_line(out, "bytes", f->cov, f->jain, f->min_max, f->cna, true,
	    rest);
	if (f->reacquire_p50 > 0)
		snprintf(rest, sizeof(rest), "reacquire p50 %s p99 %s",
		    figure_count(p50, f->reacquire_p50),
		    figure_count(p99, f->reacquire_p99));
	else
		snprintf(rest, sizeof(rest), "reacquire p50 - p99 -");
	print_line(out, "hold", f->hold_cov, f->hold_jain, f->hold_min_max,
	    f->hold_cna, f->hold_cna > 0, rest);
}

int
report_fairness(FILE *out, const struct result *r)
{
	unsigned i;

	for (i = 0; i < r->cell_count; i++) {
		view_heading(out, r, &r->cells[i]);
		print_cell(out, &r->cells[i]);
	}
	return (0);
}
