/*
 * What drawn profiles say, below a result's tables.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/console/figure.h"
#include "bench/report/table.h"
#include "bench/result/group.h"

enum {
	UNCERTAINTY_PARAMETERS	= 8,
	UNCERTAINTY_RANKINGS	= 20,	/* printed one by one */
	UNCERTAINTY_BAR		= 20,	/* of an effect of 1 */
	UNCERTAINTY_TEXT	= 512
};

/* Of what is unrelated 95 % of coefficients are below this many sigma. */
static const double two_sigma = 1.96;

const char *
table_band(char buf[TABLE_BAND_SIZE], const struct result_cell *cell)
{
	const double *v = cell->uncertainty.total_mb_per_s;
	char high[FIGURE_SIZE], low[FIGURE_SIZE];

	if (cell->uncertainty.samples == 0)
		snprintf(buf, TABLE_BAND_SIZE, "-");
	else
		snprintf(buf, TABLE_BAND_SIZE, "[%s..%s]",
		    figure_real(low, v[0] / cell->readers),
		    figure_real(high, v[1] / cell->readers));
	return (buf);
}

/* A bar to the left of the axis for less, to the right for more. */
static void
print_parameter(FILE *out, const struct result_parameter *rp)
{
	static const char bar[] = "####################";
	int n = (int)floor(fmin(1, fabs(rp->effect)) * UNCERTAINTY_BAR + 0.5);

	fprintf(out, "  %-22.22s %-9.9s %5.2f  %*.*s|%.*s\n", rp->key,
	    rp->provenance, rp->effect, UNCERTAINTY_BAR, rp->effect < 0 ? n :
	    0, bar, rp->effect < 0 ? 0 : n, bar);
}

static void
print_parameters(FILE *out, const struct result_uncertainty *ru)
{
	char text[UNCERTAINTY_TEXT];
	unsigned i;

	if (ru->parameter_count == 0) {
		fputs("  no value of the profile is uncertain\n", out);
		return;
	}
	snprintf(text, sizeof(text), "What moved them most: rank correlation "
	    "of a value with the total MB/s, the mean over cells; left of the "
	    "axis more of it means less MB/s.  With so many samples up to "
	    "%.2f may be chance.", two_sigma / sqrt(ru->samples - 1.0));
	figure_wrap(out, "", 2, text);
	for (i = 0; i < ru->parameter_count && i < UNCERTAINTY_PARAMETERS; i++)
		print_parameter(out, &ru->parameters[i]);
}

static void
print_ranking(FILE *out, const struct result_ranking *rr)
{
	char bytes[32], percent[FIGURE_SIZE], text[UNCERTAINTY_TEXT];

	snprintf(text, sizeof(text), "%s over %s, %s, %s, %u reader%s of %s: "
	    "%s %%, %s", rr->better, rr->worse, rr->like,
	    rr->cipher, rr->readers, rr->readers == 1 ? "" : "s",
	    figure_bytes(bytes, rr->request_bytes), figure_percent(percent,
	    100 * rr->share), rr->robust ? "robust" : "not robust");
	figure_wrap(out, "  ", 4, text);
}

static void
print_rankings(FILE *out, const struct result_uncertainty *ru)
{
	unsigned i, robust = 0, shown = 0;
	bool all = ru->ranking_count <= UNCERTAINTY_RANKINGS;
	char text[UNCERTAINTY_TEXT];

	for (i = 0; i < ru->ranking_count; i++)
		robust += ru->rankings[i].robust;
	if (ru->ranking_count == 0)
		return;
	snprintf(text, sizeof(text), "Rankings by total MB/s, and in what "
	    "share of the samples they hold: %u of %u robust, in 90 %% or "
	    "more and by 1 %% or more%s", robust, ru->ranking_count,
	    all || robust == ru->ranking_count ? "." :
	    "; those that are not:");
	figure_wrap(out, "", 2, text);
	for (i = 0; i < ru->ranking_count; i++) {
		if (!all && ru->rankings[i].robust)
			continue;
		if (shown++ < UNCERTAINTY_RANKINGS)
			print_ranking(out, &ru->rankings[i]);
	}
	if (shown > UNCERTAINTY_RANKINGS)
		fprintf(out, "  and %u more; the result file has all\n",
		    shown - UNCERTAINTY_RANKINGS);
}

void
table_uncertainty_print(FILE *out, const struct result *r)
{
	const struct result_uncertainty *ru = &r->uncertainty;
	char text[UNCERTAINTY_TEXT];

	if (ru->samples == 0)
		return;
	snprintf(text, sizeof(text), "Uncertainty: %u profiles drawn around "
	    "%.200s; brackets hold 10 %% to 90 %% of them.", ru->samples,
	    ru->profile);
	/* A cell at length ends in an empty line. */
	if (r->cell_count > 1)
		fputc('\n', out);
	figure_wrap(out, "", 2, text);
	print_parameters(out, ru);
	print_rankings(out, ru);
}
