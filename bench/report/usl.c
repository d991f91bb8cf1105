#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bench/console/figure.h"
#include "bench/report/curve.h"
#include "bench/report/usl.h"
#include "bench/report/usl_curve.h"
#include "bench/result/claim.h"
#include "bench/result/group.h"

enum {
	USL_TEXT_SIZE	= 4096,
	USL_NAME_WIDTH	= 30	/* of the table's first column */
};

/* A law whose totals differ by less over the data has no peak to speak of. */
static const double usl_flat = 0.02;

struct usl_report {
	FILE		*ur_out;
	struct curves	 ur_curves;
	struct usl_curve *ur_laws;	/* one for each curve */
	bool		 ur_star;
	bool		 ur_unsure;
	bool		 ur_poor;
};

static void __attribute__((format(printf, 2, 3)))
add(char text[USL_TEXT_SIZE], const char *fmt, ...)
{
	size_t len = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + len, USL_TEXT_SIZE - len, fmt, ap);
	va_end(ap);
}

static void
add_interval(char text[USL_TEXT_SIZE], const struct usl_curve *uc,
    const struct usl_interval *ui)
{
	char high[FIGURE_SIZE], low[FIGURE_SIZE];

	if (!uc->uc_sure)
		return;
	add(text, " (%s to %s)", figure_real(low, ui->ui_low),
	    figure_real(high, ui->ui_high));
}

/* A number of readers, whole or not. */
static const char *
readers_text(char buf[FIGURE_SIZE], double n)
{

	snprintf(buf, FIGURE_SIZE, "%.*f", n >= 99.95 ||
	    fabs(n - round(n)) < 0.05 ? 0 : 1, n);
	return (buf);
}

/* An interval of them; nothing is claimed beyond reach. */
static void
add_readers95(char text[USL_TEXT_SIZE], const struct usl_curve *uc,
    const struct usl_interval *ui)
{
	const unsigned reach = usl_curve_reach(uc);
	char buf[FIGURE_SIZE];

	if (!uc->uc_sure)
		return;
	if (ui->ui_low > reach) {
		add(text, " (beyond %u)", reach);
		return;
	}
	add(text, " (%s to ", readers_text(buf, ui->ui_low));
	if (ui->ui_high > reach)
		add(text, "beyond %u)", reach);
	else
		add(text, "%s)", readers_text(buf, ui->ui_high));
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

static const char *
plural(unsigned n)
{

	return (n == 1 ? "" : "s");
}

static void
print_head(FILE *out, const struct result *r)
{
	char head[CLAIM_SIZE], text[USL_TEXT_SIZE] = "";

	if (!r->complete)
		figure_wrap(out, "INCOMPLETE:", 2,
		    "stopped before everything was done");
	add(text, "%s %s, %u CPU%s, INVARIANTS %s, %s",
	    claim_head(r, false, head), r->host.cpu_model, r->host.cpus,
	    plural(r->host.cpus),
	    r->host.invariants ? "on (no figures to quote)" : "off",
	    r->started);
	figure_wrap(out, "", 2, text);
	fputc('\n', out);
	figure_wrap(out, "", 2, "X(N) = gamma N / (1 + sigma (N-1) + "
	    "kappa N (N-1)), the Universal Scalability Law, fitted to the "
	    "total MB/s of N readers.");
}

/* A figure of the table that is a number of readers. */
static const char *
readers_figure(char buf[FIGURE_SIZE], const struct usl_curve *uc, double n)
{

	if (n > 0 && n < uc->uc_least)
		snprintf(buf, FIGURE_SIZE, "<%u", uc->uc_least);
	else if (n > 0 && n <= usl_curve_reach(uc))
		readers_text(buf, n);
	else
		snprintf(buf, FIGURE_SIZE, ">%u", usl_curve_reach(uc));
	return (buf);
}

static void
print_summary_row(FILE *out, const char *name, const struct usl_curve *uc)
{
	char gamma[FIGURE_SIZE], kappa[FIGURE_SIZE], knee[FIGURE_SIZE];
	char off[FIGURE_SIZE], peak[FIGURE_SIZE], sigma[FIGURE_SIZE];

	figure_percent(off, fmin(1e6, 100 * uc->uc_off));
	if (strlen(name) > USL_NAME_WIDTH)
		figure_wrap(out, "", 2, name);
	fprintf(out, "%-*s", USL_NAME_WIDTH,
	    strlen(name) > USL_NAME_WIDTH ? "" : name);
	if (!uc->uc_fitted) {
		fputs(" not fitted, see below\n", out);
		return;
	}
	if (!uc->uc_holds) {
		fprintf(out, " %7s %7s %7s %6s %6s %5s\n", "-", "-", "-", "-",
		    "-", off);
		return;
	}
	if (is_flat(uc))
		snprintf(peak, sizeof(peak), "flat");
	else
		readers_figure(peak, uc, uc->uc_peak);
	fprintf(out, " %7s %7s %7s %6s %6s %5s\n",
	    figure_real(sigma, uc->uc_law.ul_sigma),
	    figure_real(kappa, uc->uc_law.ul_kappa),
	    figure_real(gamma, uc->uc_law.ul_gamma),
	    readers_figure(knee, uc, uc->uc_knee), peak, off);
}

static void
print_summary(struct usl_report *ur)
{
	char name[CURVE_NAME_SIZE];
	unsigned i;

	fputc('\n', ur->ur_out);
	curve_common(&ur->ur_curves, name);
	figure_wrap(ur->ur_out, "", 2, name);
	fprintf(ur->ur_out, "%-*s %7s %7s %7s %6s %6s %5s\n", USL_NAME_WIDTH,
	    "curve", "sigma", "kappa", "gamma", "knee", "peak", "off%");
	for (i = 0; i < ur->ur_curves.cs_count; i++) {
		curve_name(&ur->ur_curves, &ur->ur_curves.cs_curves[i],
		    CURVE_PARTS, name);
		print_summary_row(ur->ur_out, name, &ur->ur_laws[i]);
		ur->ur_poor |= ur->ur_laws[i].uc_fitted &&
		    !ur->ur_laws[i].uc_holds;
	}
}

/* What is to be said of a cell beside its numbers. */
static void
add_marks(char text[USL_TEXT_SIZE], const struct curve *cu,
    const struct usl_curve *uc, unsigned i)
{
	static const char *const words[] = {
		[USL_USED] = "",
		[USL_GATED] = " left out",
		[USL_OVERSUBSCRIBED] = " left out",
		[USL_NOTHING] = " left out"
	};
	const struct result_cell *c = cu->cu_cells[i], *from, *to;
	const char *comma = "";

	add(text, "%s", words[uc->uc_use[i]]);
	if (uc->uc_use[i] != USL_USED || !uc->uc_fitted)
		return;
	if (uc->uc_holds && uc->uc_knee >= uc->uc_least &&
	    c->readers >= uc->uc_knee && (i == 0 ||
	    cu->cu_cells[i - 1]->readers < uc->uc_knee)) {
		add(text, " knee");
		comma = ",";
	}
	if (usl_curve_falls(cu, uc, &from, &to) &&
	    c->readers >= to->readers)
		add(text, "%s retrograde", comma);
	else if (uc->uc_holds && !is_flat(uc) &&
	    c->readers > uc->uc_peak)
		add(text, "%s beyond the peak", comma);
}

static void
print_point(struct usl_report *ur, const struct curve *cu,
    const struct usl_curve *uc, unsigned i)
{
	const struct result_cell *c = cu->cu_cells[i];
	char law[FIGURE_SIZE] = "-", off[1 + FIGURE_SIZE] = "-";
	char marks[USL_TEXT_SIZE] = "", spread[FIGURE_SIZE];
	char total[FIGURE_SIZE];
	double x = c->total_mb_per_s;

	if (uc->uc_fitted && c->readers <= usl_curve_reach(uc)) {
		double at = usl_at(&uc->uc_law, c->readers);

		figure_real(law, at);
		if (x > 0) {
			off[0] = at < x ? '-' : '+';
			figure_percent(off + 1, fmin(1e6,
			    100 * fabs(at / x - 1)));
		}
	}
	ur->ur_star |= c->oversubscribed;
	ur->ur_unsure |= group_few_repeats(c);
	add_marks(marks, cu, uc, i);
	fprintf(ur->ur_out, "%6u%c %7s %5s %7s %6s%s%s\n", c->readers,
	    c->oversubscribed ? '*' : ' ', figure_real(total, x),
	    group_spread(c, spread), law,
	    off, marks[0] != '\0' ? " " : "", marks);
}

static void
print_law(FILE *out, const struct usl_curve *uc)
{
	char buf[FIGURE_SIZE], text[USL_TEXT_SIZE] = "";

	add(text, "%s", figure_real(buf, uc->uc_law.ul_sigma));
	add_interval(text, uc, &uc->uc_sigma);
	add(text, ", kappa %s", figure_real(buf, uc->uc_law.ul_kappa));
	add_interval(text, uc, &uc->uc_kappa);
	add(text, ", gamma %s", figure_real(buf, uc->uc_law.ul_gamma));
	add_interval(text, uc, &uc->uc_gamma);
	add(text, " MB/s");
	if (uc->uc_least > 1)
		add(text, "; gamma is drawn from %u readers down to 1",
		    uc->uc_least);
	if (uc->uc_law.ul_sigma + uc->uc_law.ul_kappa > 1)
		add(text, "; sigma and kappa above 1 together: two readers "
		    "get less than one");
	figure_wrap(out, "sigma", 2, text);
}

static void
print_quality(FILE *out, const struct usl_curve *uc)
{
	char buf[FIGURE_SIZE], text[USL_TEXT_SIZE] = "";

	add(text, "off by at most %s %% at %u points", figure_percent(buf,
	    fmin(1e6, 100 * uc->uc_off)), uc->uc_points);
	if (!uc->uc_holds)
		add(text, ": a poor fit, this curve has another shape, and "
		    "neither knee nor peak is told");
	else if (uc->uc_points == USL_LEAST)
		add(text, ": three figures fitted to three points, which "
		    "says nothing of how well the law holds");
	if (!uc->uc_sure)
		add(text, "; no intervals, there are too few repeats");
	figure_wrap(out, "fit", 2, text);
}

/* A number of readers that is a claim of the law alone. */
static void
add_outside(char text[USL_TEXT_SIZE], const struct usl_curve *uc, double n)
{

	if (n < uc->uc_least)
		add(text, "; below the data, which begin at %u", uc->uc_least);
	else if (n > uc->uc_most)
		add(text, "; beyond the data, which end at %u", uc->uc_most);
}

static void
print_knee(FILE *out, const struct usl_curve *uc)
{
	const unsigned reach = usl_curve_reach(uc);
	char text[USL_TEXT_SIZE] = "";

	if (uc->uc_knee == 0) {
		add(text, "beyond %d x the data (> %u): not claimed",
		    USL_REACH, reach);
	} else {
		add(text, "%u reader%s", uc->uc_knee, plural(uc->uc_knee));
		add_readers95(text, uc, &uc->uc_knee95);
		add(text, ": one more adds less than half of gamma");
		add_outside(text, uc, uc->uc_knee);
	}
	figure_wrap(out, "knee", 2, text);
}

static void
print_peak(FILE *out, const struct usl_curve *uc)
{
	const unsigned reach = usl_curve_reach(uc);
	char buf[FIGURE_SIZE], text[USL_TEXT_SIZE] = "";

	if (is_flat(uc)) {
		add(text, "none: the law is flat, within %g %% from %u to %u "
		    "readers", 100 * usl_flat, uc->uc_least, uc->uc_most);
	} else if (isinf(uc->uc_peak)) {
		add(text, "none, kappa is 0: the law's total never falls; "
		    "beyond %d x the data (> %u) nothing is claimed",
		    USL_REACH, reach);
	} else if (uc->uc_peak > reach) {
		add(text, "beyond %d x the data (> %u): not claimed",
		    USL_REACH, reach);
		if (uc->uc_sure && uc->uc_peak95.ui_low <= reach)
			add(text, "; the interval begins at %s",
			    readers_text(buf, uc->uc_peak95.ui_low));
	} else {
		add(text, "predicted at %s reader%s",
		    readers_text(buf, uc->uc_peak),
		    uc->uc_peak == 1 ? "" : "s");
		add_readers95(text, uc, &uc->uc_peak95);
		add(text, ", %s MB/s", figure_real(buf,
		    usl_at(&uc->uc_law, uc->uc_peak)));
		add_outside(text, uc, uc->uc_peak);
	}
	figure_wrap(out, "peak", 2, text);
}

static void
print_retrograde(FILE *out, const struct curve *cu,
    const struct usl_curve *uc)
{
	char above[FIGURE_SIZE], below[FIGURE_SIZE], text[USL_TEXT_SIZE] = "";
	const char *word = group_claim(cu->cu_cells[0]);
	const struct result_cell *from, *to;

	if (usl_curve_falls(cu, uc, &from, &to))
		add(text, "%s, %s MB/s at %u reader%s fall to %s at %u", word,
		    figure_real(above, from->total_mb_per_s), from->readers,
		    plural(from->readers),
		    figure_real(below, to->total_mb_per_s), to->readers);
	else
		add(text, "none %s", word);
	if (uc->uc_holds && !is_flat(uc) &&
	    uc->uc_peak <= usl_curve_reach(uc))
		add(text, "; predicted beyond %s", readers_text(above,
		    uc->uc_peak));
	figure_wrap(out, "retrograde", 2, text);
}

/* Names the cells that were not used, those of one reason together. */
static void
print_left_out(FILE *out, const struct curve *cu, const struct usl_curve *uc)
{
	char first[32], text[FIGURE_COLUMNS];
	bool over = false;
	unsigned i;

	for (i = 0; i < cu->cu_count; i++) {
		const struct result_cell *c = cu->cu_cells[i];

		over |= uc->uc_use[i] == USL_OVERSUBSCRIBED;
		if (uc->uc_use[i] != USL_GATED && uc->uc_use[i] != USL_NOTHING)
			continue;
		snprintf(first, sizeof(first), "%u left out:", c->readers);
		figure_wrap(out, first, 2, uc->uc_use[i] == USL_GATED ?
		    c->gate : c->total_mb_per_s < USL_MB_PER_S_MIN ?
		    "nobody read anything" : "no machine is that fast");
	}
	if (over)
		figure_wrap(out, "* left out:", 2, "another regime, and there "
		    "are enough points without it");
	if (uc->uc_regimes) {
		snprintf(text, sizeof(text), "another regime, but fewer than "
		    "%d numbers of readers without it", USL_FITTING);
		figure_wrap(out, "* used:", 2, text);
	}
}

static void
print_curve(struct usl_report *ur, unsigned index)
{
	const struct curve *cu = &ur->ur_curves.cs_curves[index];
	const struct usl_curve *uc = &ur->ur_laws[index];
	char name[CURVE_NAME_SIZE], text[USL_TEXT_SIZE] = "";
	FILE *out = ur->ur_out;
	unsigned i;

	curve_name(&ur->ur_curves, cu, CURVE_PARTS, name);
	fputc('\n', out);
	figure_wrap(out, "", 2, name);
	fprintf(out, "%7s %7s %5s %7s %6s\n", "readers", "MB/s", "+-%", "law",
	    "off%");
	for (i = 0; i < cu->cu_count; i++)
		print_point(ur, cu, uc, i);
	if (!uc->uc_fitted) {
		add(text, "expected at least %d numbers of readers, there "
		    "%s %u", USL_LEAST, uc->uc_readers == 1 ? "is" : "are",
		    uc->uc_readers);
		figure_wrap(out, "not fitted:", 2, text);
	} else {
		print_law(out, uc);
		print_quality(out, uc);
		if (uc->uc_holds) {
			print_knee(out, uc);
			print_peak(out, uc);
		}
		print_retrograde(out, cu, uc);
	}
	print_left_out(out, cu, uc);
}

static void
print_legend(const struct usl_report *ur)
{
	char text[USL_TEXT_SIZE] = "";

	fputc('\n', ur->ur_out);
	figure_wrap(ur->ur_out, "", 2, "MB/s is the total; +-% half its 95 % "
	    "interval; law the fitted total, off% how far it is from MB/s. "
	    "In parentheses 95 % intervals, over repeats. The law describes, "
	    "it explains nothing: see rngsim(7).");
	if (ur->ur_poor) {
		add(text, "in the first table: the law is off by more than "
		    "%d %%, so that its figures describe nothing.",
		    USL_POOR_PERCENT);
		figure_wrap(ur->ur_out, "-", 2, text);
	}
	if (ur->ur_star)
		figure_wrap(ur->ur_out, "*", 2, "more readers than CPUs: the "
		    "scheduler is in these numbers.");
	if (ur->ur_unsure)
		figure_wrap(ur->ur_out, "?", 2, "too few repeats: the spread "
		    "between them is not known.");
}

static int
fit_all(struct usl_report *ur, uint64_t seed)
{
	unsigned i;
	int error;

	for (i = 0; i < ur->ur_curves.cs_count; i++) {
		error = usl_curve_fit(&ur->ur_curves.cs_curves[i], seed,
		    USL_RESAMPLES, &ur->ur_laws[i]);
		if (error != 0)
			return (error);
	}
	return (0);
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
	error = ur.ur_laws == NULL ? ENOMEM : fit_all(&ur, r->seed);
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
	if (ur.ur_laws != NULL)
		for (i = 0; i < ur.ur_curves.cs_count; i++)
			usl_curve_free(&ur.ur_laws[i]);
	free(ur.ur_laws);
	curves_free(&ur.ur_curves);
	return (error);
}
