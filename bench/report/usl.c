#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/format.h"
#include "bench/report/comparable.h"
#include "bench/report/curve.h"
#include "bench/report/report.h"
#include "bench/report/usl_curve.h"

enum { USL_NAME_WIDTH = 30 };	/* of the first table's first column */

/* A law whose totals differ by less over the data is flat. */
static const double usl_flat = 0.02;

static const struct column summary_columns[] = {
	{ "curve", -USL_NAME_WIDTH }, { "sigma", 7 }, { "kappa", 7 },
	{ "gamma", 7 }, { "knee", 6 }, { "peak", 6 }, { "off%", 5 }
};
static const struct column point_columns[] = {
	{ "readers", 7 }, { "MB/s", 7 }, { "+-%", 5 }, { "law", 7 },
	{ "off%", 6 }, { "", 0 }
};

struct usl_report {
	FILE		*ur_out;
	struct curves	 ur_curves;
	struct usl_curve *ur_laws;	/* one for each curve */
	bool		 ur_star;
	bool		 ur_unsure;
	bool		 ur_poor;
};

static void
add_interval(struct text *t, const struct usl_curve *uc, enum usl_figure i)
{

	if (uc->uc_sure)
		text_add(t, " (%s to %s)", FORMAT(real, uc->uc_ci95[i][0]),
		    FORMAT(real, uc->uc_ci95[i][1]));
}

/* A number of readers, whole or not. */
static const char *
format_readers(char buf[FORMAT_SIZE], double n)
{

	snprintf(buf, FORMAT_SIZE, "%.*f", n >= 99.95 ||
	    fabs(n - round(n)) < 0.05 ? 0 : 1, n);
	return (buf);
}

/* An interval of them; nothing is claimed beyond reach. */
static void
add_readers95(struct text *t, const struct usl_curve *uc, enum usl_figure i)
{
	const unsigned reach = uc->uc_reach;

	if (!uc->uc_sure)
		return;
	if (uc->uc_ci95[i][0] > reach)
		text_add(t, " (beyond %u)", reach);
	else if (uc->uc_ci95[i][1] > reach)
		text_add(t, " (%s to beyond %u)",
		    FORMAT(readers, uc->uc_ci95[i][0]), reach);
	else
		text_add(t, " (%s to %s)", FORMAT(readers, uc->uc_ci95[i][0]),
		    FORMAT(readers, uc->uc_ci95[i][1]));
}

/* Whether the law gives all numbers of readers measured the same total. */
static bool
is_flat(const struct usl_curve *uc)
{
	double first = usl_at(&uc->uc_law, uc->uc_least);
	double last = usl_at(&uc->uc_law, uc->uc_most), top;

	top = fmax(first, last);
	if (uc->uc_peak > uc->uc_least && uc->uc_peak < uc->uc_most)
		top = usl_at(&uc->uc_law, uc->uc_peak);
	return (top - fmin(first, last) <= usl_flat * top);
}

static void
print_head(FILE *out, const struct result *r)
{
	char head[COMPARABLE_SIZE];

	if (!r->complete)
		format_wrap(out, "INCOMPLETE:", 2,
		    "stopped before everything was done");
	format_wrapf(out, "", 2, "%s %s, %u CPU%s, INVARIANTS %s, %s",
	    provenance_head(r, false, head), r->host.cpu_model, r->host.cpus,
	    PLURAL(r->host.cpus), r->host.invariants ?
	    "on (no figures to quote)" : "off", r->started);
	fputc('\n', out);
	format_wrap(out, "", 2, "X(N) = gamma N / (1 + sigma (N-1) + "
	    "kappa N (N-1)), the Universal Scalability Law, fitted to the "
	    "total MB/s of N readers.");
}

/* A figure of the table that is a number of readers. */
static const char *
within_reach(char buf[FORMAT_SIZE], const struct usl_curve *uc, double n)
{

	if (n > 0 && n < uc->uc_least)
		snprintf(buf, FORMAT_SIZE, "<%u", uc->uc_least);
	else if (n > 0 && n <= uc->uc_reach)
		format_readers(buf, n);
	else
		snprintf(buf, FORMAT_SIZE, ">%u", uc->uc_reach);
	return (buf);
}

static void
print_summary_row(FILE *out, const char *name, const struct usl_curve *uc)
{
	char knee[FORMAT_SIZE], peak[FORMAT_SIZE] = "flat";
	const char *off = FORMAT(percent, fmin(1e6, 100 * uc->uc_off));

	if (strlen(name) > USL_NAME_WIDTH) {
		format_wrap(out, "", 2, name);
		name = "";
	}
	if (!uc->uc_fitted) {
		fprintf(out, "%-*s not fitted, see below\n", USL_NAME_WIDTH,
		    name);
		return;
	}
	if (!uc->uc_holds) {
		COLUMNS_ROW(out, summary_columns, name, NULL, NULL, NULL,
		    NULL, NULL, off);
		return;
	}
	if (!is_flat(uc))
		within_reach(peak, uc, uc->uc_peak);
	COLUMNS_ROW(out, summary_columns, name,
	    FORMAT(real, uc->uc_law.ul_sigma),
	    FORMAT(real, uc->uc_law.ul_kappa),
	    FORMAT(real, uc->uc_law.ul_gamma),
	    within_reach(knee, uc, uc->uc_knee), peak, off);
}

static void
print_summary(struct usl_report *ur)
{
	char name[CURVE_NAME_SIZE];
	struct text common = { .s = "" };
	unsigned i;

	fputc('\n', ur->ur_out);
	curve_common(&ur->ur_curves, &common);
	format_wrap(ur->ur_out, "", 2, common.s);
	COLUMNS_TITLES(ur->ur_out, summary_columns);
	for (i = 0; i < ur->ur_curves.cs_count; i++) {
		curve_name(&ur->ur_curves, &ur->ur_curves.cs_curves[i],
		    CURVE_PARTS, name);
		print_summary_row(ur->ur_out, name, &ur->ur_laws[i]);
		ur->ur_poor |= ur->ur_laws[i].uc_fitted &&
		    !ur->ur_laws[i].uc_holds;
	}
}

/* What is worth a word beside a cell's numbers. */
static void
add_marks(struct text *t, const struct curve *cu, const struct usl_curve *uc,
    unsigned i)
{
	const struct result_cell *c = cu->cu_cells[i], *from, *to;

	if (usl_curve_use(uc, c) != USL_USED)
		text_list(t, "left out");
	if (usl_curve_use(uc, c) != USL_USED || !uc->uc_fitted)
		return;
	if (uc->uc_holds && uc->uc_knee >= uc->uc_least &&
	    c->readers >= uc->uc_knee && (i == 0 ||
	    cu->cu_cells[i - 1]->readers < uc->uc_knee))
		text_list(t, "knee");
	if (usl_curve_falls(cu, uc, &from, &to) && c->readers >= to->readers)
		text_list(t, "retrograde");
	else if (uc->uc_holds && !is_flat(uc) && c->readers > uc->uc_peak)
		text_list(t, "beyond the peak");
}

static void
print_point(struct usl_report *ur, const struct curve *cu,
    const struct usl_curve *uc, unsigned i)
{
	const struct result_cell *c = cu->cu_cells[i];
	char law[FORMAT_SIZE] = "-", off[1 + FORMAT_SIZE] = "-";
	char readers[FORMAT_SIZE], spread[FORMAT_SIZE];
	struct text marks = { .s = "" };
	double at, x = c->total_mb_per_s;

	if (uc->uc_fitted && c->readers <= uc->uc_reach) {
		at = usl_at(&uc->uc_law, c->readers);
		format_real(law, at);
		if (x > 0) {
			off[0] = at < x ? '-' : '+';
			format_percent(off + 1, fmin(1e6,
			    100 * fabs(at / x - 1)));
		}
	}
	ur->ur_star |= c->oversubscribed;
	ur->ur_unsure |= comparable_few_repeats(c);
	add_marks(&marks, cu, uc, i);
	snprintf(readers, sizeof(readers), "%u%c", c->readers,
	    c->oversubscribed ? '*' : ' ');
	COLUMNS_ROW(ur->ur_out, point_columns, readers, FORMAT(real, x),
	    comparable_spread(c, spread), law, off, marks.s);
}

static void
print_law(FILE *out, const struct usl_curve *uc)
{
	const struct usl_law *law = &uc->uc_law;
	struct text t = { .s = "" };

	text_add(&t, "%s", FORMAT(real, law->ul_sigma));
	add_interval(&t, uc, USL_SIGMA);
	text_add(&t, ", kappa %s", FORMAT(real, law->ul_kappa));
	add_interval(&t, uc, USL_KAPPA);
	text_add(&t, ", gamma %s", FORMAT(real, law->ul_gamma));
	add_interval(&t, uc, USL_GAMMA);
	text_add(&t, " MB/s");
	if (uc->uc_least > 1)
		text_add(&t, "; gamma is extrapolated from %u readers down to "
		    "1", uc->uc_least);
	if (law->ul_sigma + law->ul_kappa > 1)
		text_add(&t, "; sigma and kappa above 1 together: two readers "
		    "get less than one");
	format_wrap(out, "sigma", 2, t.s);
	t.s[0] = '\0';
	text_add(&t, "off by at most %s %% at %u points",
	    FORMAT(percent, fmin(1e6, 100 * uc->uc_off)), uc->uc_points);
	if (!uc->uc_holds)
		text_add(&t, ": a poor fit, this curve has another shape; no "
		    "knee or peak is given");
	else if (uc->uc_points == USL_LEAST)
		text_add(&t, ": three figures fitted to three points do not "
		    "show how well the law holds");
	if (!uc->uc_sure)
		text_add(&t, "; no intervals, there are too few repeats");
	format_wrap(out, "fit", 2, t.s);
}

/* A number of readers that was not measured. */
static void
add_outside(struct text *t, const struct usl_curve *uc, double n)
{

	if (n < uc->uc_least)
		text_add(t, "; below the data, which begin at %u",
		    uc->uc_least);
	else if (n > uc->uc_most)
		text_add(t, "; beyond the data, which end at %u", uc->uc_most);
}

static void
print_knee_and_peak(FILE *out, const struct usl_curve *uc)
{
	const unsigned reach = uc->uc_reach;
	struct text t = { .s = "" };

	if (uc->uc_knee == 0) {
		text_add(&t, "beyond %d x the data (> %u): not claimed",
		    USL_REACH, reach);
	} else {
		text_add(&t, "%u reader%s", uc->uc_knee, PLURAL(uc->uc_knee));
		add_readers95(&t, uc, USL_KNEE);
		text_add(&t, ": one more adds less than half of gamma");
		add_outside(&t, uc, uc->uc_knee);
	}
	format_wrap(out, "knee", 2, t.s);
	t.s[0] = '\0';
	if (is_flat(uc)) {
		text_add(&t, "none: the law is flat, within %g %% from %u to "
		    "%u readers", 100 * usl_flat, uc->uc_least, uc->uc_most);
	} else if (isinf(uc->uc_peak)) {
		text_add(&t, "none, kappa is 0: the law's total never falls; "
		    "beyond %d x the data (> %u) nothing is claimed",
		    USL_REACH, reach);
	} else if (uc->uc_peak > reach) {
		text_add(&t, "beyond %d x the data (> %u): not claimed",
		    USL_REACH, reach);
		if (uc->uc_sure && uc->uc_ci95[USL_PEAK][0] <= reach)
			text_add(&t, "; the interval begins at %s",
			    FORMAT(readers, uc->uc_ci95[USL_PEAK][0]));
	} else {
		text_add(&t, "predicted at %s reader%s",
		    FORMAT(readers, uc->uc_peak), PLURAL(uc->uc_peak));
		add_readers95(&t, uc, USL_PEAK);
		text_add(&t, ", %s MB/s", FORMAT(real,
		    usl_at(&uc->uc_law, uc->uc_peak)));
		add_outside(&t, uc, uc->uc_peak);
	}
	format_wrap(out, "peak", 2, t.s);
}

static void
print_retrograde(FILE *out, const struct curve *cu,
    const struct usl_curve *uc)
{
	const char *word = provenance_short(cu->cu_cells[0]);
	const struct result_cell *from, *to;
	struct text t = { .s = "" };

	if (usl_curve_falls(cu, uc, &from, &to))
		text_add(&t, "%s, %s MB/s at %u reader%s fall to %s at %u",
		    word, FORMAT(real, from->total_mb_per_s), from->readers,
		    PLURAL(from->readers), FORMAT(real, to->total_mb_per_s),
		    to->readers);
	else
		text_add(&t, "none %s", word);
	if (uc->uc_holds && !is_flat(uc) && uc->uc_peak <= uc->uc_reach)
		text_add(&t, "; predicted beyond %s",
		    FORMAT(readers, uc->uc_peak));
	format_wrap(out, "retrograde", 2, t.s);
}

/* Names the cells that were not used, those of one reason together. */
static void
print_left_out(FILE *out, const struct curve *cu, const struct usl_curve *uc)
{
	enum usl_use use;
	char first[32];
	bool over = false;
	unsigned i;

	for (i = 0; i < cu->cu_count; i++) {
		const struct result_cell *c = cu->cu_cells[i];

		use = usl_curve_use(uc, c);
		over |= use == USL_OVERSUBSCRIBED;
		if (use != USL_GATED && use != USL_NOTHING)
			continue;
		snprintf(first, sizeof(first), "%u left out:", c->readers);
		format_wrap(out, first, 2, use == USL_GATED ?
		    c->gate : c->total_mb_per_s < USL_MB_PER_S_MIN ?
		    "no reader read anything" : "no machine is that fast");
	}
	if (over)
		format_wrap(out, "* left out:", 2, "another regime, and there "
		    "are enough points without it");
	if (uc->uc_regimes)
		format_wrapf(out, "* used:", 2, "another regime, but fewer "
		    "than %d numbers of readers without it", USL_FITTING);
}

static void
print_curve(struct usl_report *ur, unsigned index)
{
	const struct curve *cu = &ur->ur_curves.cs_curves[index];
	const struct usl_curve *uc = &ur->ur_laws[index];
	char name[CURVE_NAME_SIZE];
	FILE *out = ur->ur_out;
	unsigned i;

	curve_name(&ur->ur_curves, cu, CURVE_PARTS, name);
	fputc('\n', out);
	format_wrap(out, "", 2, name);
	COLUMNS_TITLES(out, point_columns);
	for (i = 0; i < cu->cu_count; i++)
		print_point(ur, cu, uc, i);
	if (uc->uc_fitted) {
		print_law(out, uc);
		if (uc->uc_holds)
			print_knee_and_peak(out, uc);
		print_retrograde(out, cu, uc);
	} else {
		format_wrapf(out, "not fitted:", 2, "expected at least %d "
		    "numbers of readers, there %s %u", USL_LEAST,
		    uc->uc_readers == 1 ? "is" : "are", uc->uc_readers);
	}
	print_left_out(out, cu, uc);
}

static void
print_legend(const struct usl_report *ur)
{

	fputc('\n', ur->ur_out);
	format_wrap(ur->ur_out, "", 2, "MB/s: the total; +-%: half its 95 % "
	    "interval; law: the fitted total; off%: how far that is from MB/s. "
	    "In parentheses 95 % intervals, over repeats. The law describes a "
	    "curve, it does not explain it: see rngsim-report(1).");
	if (ur->ur_poor)
		format_wrapf(ur->ur_out, "-", 2, "in the first table: the law "
		    "is off by more than %d %% and does not describe the "
		    "curve.", USL_POOR_PERCENT);
	if (ur->ur_star)
		format_wrap(ur->ur_out, "*", 2, "more readers than CPUs: the "
		    "scheduler is in these numbers.");
	if (ur->ur_unsure)
		format_wrap(ur->ur_out, "?", 2, "in +-%: too few repeats for "
		    "an interval.");
}

int
usl_print(FILE *out, const struct result *r)
{
	struct usl_report ur = { .ur_out = out };
	unsigned i;
	int error;

	error = curves_find(r, &ur.ur_curves);
	if (error != 0)
		return (error);
	ur.ur_laws = calloc((size_t)ur.ur_curves.cs_count + 1,
	    sizeof(*ur.ur_laws));
	error = ur.ur_laws == NULL ? ENOMEM : 0;
	for (i = 0; i < ur.ur_curves.cs_count && error == 0; i++)
		error = usl_curve_fit(&ur.ur_curves.cs_curves[i], r->seed,
		    true, &ur.ur_laws[i]);
	if (error == 0) {
		print_head(out, r);
		if (r->cell_count == 0) {
			fputs("\nno cells\n", out);
		} else {
			print_summary(&ur);
			for (i = 0; i < ur.ur_curves.cs_count; i++)
				print_curve(&ur, i);
			print_legend(&ur);
		}
	}
	free(ur.ur_laws);
	curves_free(&ur.ur_curves);
	return (error);
}
