#include <math.h>

#include "bench/figure.h"
#include "bench/report_fairness.h"

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

	if (known && v >= 0.0005 && v < 99.9995)
		snprintf(buf, FIGURE_SIZE, "%.3f", v);
	else if (known)
		figure_real(buf, v);
	else
		snprintf(buf, FIGURE_SIZE, "-");
	return (buf);
}

static void
print_indexes(FILE *out, const char *of, double cov, double jain,
    double min_max, double cna, bool known)
{
	char buf[4][FIGURE_SIZE];

	/* The busier half has at least half; 0 is a document without it. */
	fprintf(out, "%-5s cov %s jain %s min/max %s cna %s | ", of,
	    figure_text(buf[0], cov, known), index_text(buf[1], jain, known),
	    index_text(buf[2], min_max, known),
	    index_text(buf[3], cna, cna > 0));
}

static void
print_cell(FILE *out, const struct result_cell *cell)
{
	const struct result_fairness *f = &cell->fairness;
	char p50[FIGURE_SIZE], p99[FIGURE_SIZE], share[FIGURE_SIZE];
	bool reacquired = f->reacquire_p50 > 0;

	print_indexes(out, "bytes", f->cov, f->jain, f->min_max, f->cna, true);
	if (cell->lock_profile_rows > 0)
		fprintf(out, "hold-share harvest %s %%\n", figure_percent(share,
		    fmin(f->hold_share_harvest, 1) * 100));
	else
		fputs("hold-share harvest -\n", out);
	print_indexes(out, "hold", f->hold_cov, f->hold_jain, f->hold_min_max,
	    f->hold_cna, f->hold_cna > 0);
	if (reacquired)
		fprintf(out, "reacquire p50 %s p99 %s\n",
		    figure_count(p50, f->reacquire_p50),
		    figure_count(p99, f->reacquire_p99));
	else
		fputs("reacquire p50 - p99 -\n", out);
}

int
report_fairness(FILE *out, const struct result *r)
{
	unsigned i;

	for (i = 0; i < r->cell_count; i++) {
		view_heading(out, &r->cells[i]);
		print_cell(out, &r->cells[i]);
	}
	return (0);
}
