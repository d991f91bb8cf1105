#include <math.h>
#include <stdlib.h>

#include "bench/cli/memory.h"
#include "bench/report/comparable.h"
#include "bench/report/report.h"
#include "bench/report/usl_curve.h"

/* A law whose totals differ by less over the data is flat. */
static const double usl_flat = 0.02;

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
print_head(FILE *out, const struct result *r, const struct curves *cs)
{
	char head[COMPARABLE_SIZE];
	struct text common = { .s = "" };

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
	fputc('\n', out);
	if (cs->cs_count > 0) {
		curve_common(cs, &common);
		format_wrap(out, "", 2, common.s);
	}
}

static const char *const left_out[] = {
	[USL_GATED] = "left out: failed a gate",
	[USL_OVERSUBSCRIBED] = "left out: more readers than CPUs",
	[USL_NOTHING] = "left out: no rate of readers"
};

/* What is worth a word beside a cell's numbers. */
static void
add_marks(struct text *t, const struct curve *cu, const struct usl_curve *uc,
    unsigned i)
{
	const struct result_cell *c = cu->cu_cells[i], *from, *to;
	const enum usl_use use = usl_curve_use(uc, c);

	if (use != USL_USED)
		text_list(t, "%s", left_out[use]);
	if (use != USL_USED || !uc->uc_fitted)
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
	format_wrap(out, "sigma", 2, t.s);
	t.s[0] = '\0';
	text_add(&t, "off by at most %s %% at %u points",
	    FORMAT(percent, fmin(1e6, 100 * uc->uc_off)), uc->uc_points);
	if (!uc->uc_holds)
		text_add(&t, ": a poor fit, this curve has another shape; no "
		    "knee or peak is given");
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
	} else {
		text_add(&t, "predicted at %s reader%s",
		    FORMAT(readers, uc->uc_peak), PLURAL(uc->uc_peak));
		text_add(&t, ", %s MB/s", FORMAT(real,
		    usl_at(&uc->uc_law, uc->uc_peak)));
		add_outside(&t, uc, uc->uc_peak);
	}
	format_wrap(out, "peak", 2, t.s);
}

static void
print_retrograde(FILE *out, const struct curve *cu, const struct usl_curve *uc)
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

static void
print_curve(struct usl_report *ur, unsigned index)
{
	const struct curve *cu = &ur->ur_curves.cs_curves[index];
	const struct usl_curve *uc = &ur->ur_laws[index];
	char name[CURVE_NAME_SIZE];
	FILE *out = ur->ur_out;

	curve_name(&ur->ur_curves, cu, CURVE_PARTS, name);
	fputc('\n', out);
	format_wrap(out, "", 2, name);
	COLUMNS_TITLES(out, point_columns);
	for (unsigned i = 0; i < cu->cu_count; i++)
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
}

static void
print_legend(const struct usl_report *ur)
{
	fputc('\n', ur->ur_out);
	format_wrap(ur->ur_out, "", 2, "MB/s: the total; +-%: half its 95 % "
	    "interval; law: the fitted total; off%: how far that is from MB/s. "
	    "In parentheses 95 % intervals, over repeats. The law describes a "
	    "curve, it does not explain it: see rngsim-report(1).");
	if (ur->ur_star)
		format_wrap(ur->ur_out, "*", 2, "more readers than CPUs: the "
		    "scheduler is in these numbers.");
	if (ur->ur_unsure)
		format_wrap(ur->ur_out, "?", 2, "in +-%: too few repeats for "
		    "an interval.");
}

void
usl_print(FILE *out, const struct result *r)
{
	struct usl_report ur = { .ur_out = out };

	curves_find(r, &ur.ur_curves);
	ur.ur_laws = xcalloc((size_t)ur.ur_curves.cs_count + 1,
	    sizeof(*ur.ur_laws));
	for (unsigned i = 0; i < ur.ur_curves.cs_count; i++)
		usl_curve_fit(&ur.ur_curves.cs_curves[i], r->seed, true,
		    &ur.ur_laws[i]);
	print_head(out, r, &ur.ur_curves);
	if (r->cell_count == 0) {
		fputs("\nno cells\n", out);
	} else {
		for (unsigned i = 0; i < ur.ur_curves.cs_count; i++)
			print_curve(&ur, i);
		print_legend(&ur);
	}
	free(ur.ur_laws);
	curves_free(&ur.ur_curves);
}
