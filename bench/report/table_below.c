#include "bench/report/report.h"
#include "lib/lock/lock.h"

enum {
	BELOW_PARAMETERS = 8,
	BELOW_RANKINGS	= 20,	/* printed one by one */
	BELOW_BAR	= 20	/* of an effect of 1 */
};

/* 95 % of the coefficients of unrelated values are below so many sigma. */
static const double two_sigma = 1.96;

static void
print_control(FILE *out, const struct result_cell *cell)
{
	struct text t = { .s = "" };
	char spread[FORMAT_SIZE];
	const double per_s = COMPARABLE_MEDIAN(cell, reads_per_s);
	const bool open = cell->rate_per_s > 0;

	if (strcmp(cell->lock, "none") == 0) {
		/* No sharing: what the same readers get without the lock. */
		text_add(&t, "no sharing, %s, %s, %u reader%s of %s: %s %s "
		    "each", cell->design, cell->cipher, cell->readers,
		    PLURAL(cell->readers), FORMAT(bytes, cell->request_bytes),
		    FORMAT(real, (open ? per_s : cell->total_mb_per_s) /
		    cell->readers), open ? "requests/s" : "MB/s");
		if (!comparable_few_repeats(cell))
			text_add(&t, ", +-%s %%",
			    comparable_spread(cell, spread));
	} else
		/* Each request is one acquisition of the lock. */
		text_add(&t, "lock %s around nothing, %u reader%s: %s",
		    cell->lock, cell->readers, PLURAL(cell->readers),
		    per_s <= 0 ? "no acquisition" : FORMATF("%s ns an "
		    "acquisition", FORMAT(real, fmin(1e9 / per_s, 1e99))));
	if (provenance_predicted(cell))
		text_add(&t, ", %s", provenance_short(cell));
	if (cell->gate[0] != '\0')
		text_add(&t, " (! %s)", cell->gate);
	format_wrap(out, "control:", 2, t.s);
}

/* A repeat's rate over that without a ledger: the median, least and most. */
static void
add_cost(struct text *t, const struct result_cell *cell)
{
	double cost, high = -HUGE_VAL, low = HUGE_VAL;

	if (cell->ledger.plain_mb_per_s <= 0) {
		text_add(t, "; %s", provenance_predicted(cell) ?
		    "takes no virtual time" : "its cost was not measured");
		return;
	}
	for (unsigned i = 0; i < cell->repeats; i++) {
		const struct result_sample *rs = &cell->samples[i];

		if (rs->plain_mb_per_s <= 0)
			continue;
		cost = 100 * (1 - rs->total_mb_per_s / rs->plain_mb_per_s);
		low = fmin(low, cost);
		high = fmax(high, cost);
	}
	text_add(t, "; cost %.1f %%", 100 * (1 - cell->total_mb_per_s /
	    cell->ledger.plain_mb_per_s));
	/* As printed. */
	if (high - low >= 0.05)
		text_add(t, " (%.1f..%.1f)", low, high);
}

static void
print_ledgers(FILE *out, const struct result *r)
{
	bool any = false;

	for (unsigned i = 0; i < r->cell_count; i++) {
		const struct result_cell *cell = &r->cells[i];
		const struct result_ledger *rl = &cell->ledger;
		struct text t = { .s = "" };

		if (rl->records <= 0)
			continue;
		if (!any && r->cell_count > 1)
			fputc('\n', out);
		any = true;
		describe_cell(&t, cell);
		text_add(&t, ": %.0f blocks of %.0f keys checked, %.0f reads, "
		    "%.0f reseeds, %.0f events, %.0f violations", rl->blocks,
		    rl->keys, rl->reads, rl->reseeds, rl->events,
		    rl->violations);
		add_cost(&t, cell);
		if (rl->forgotten > 0)
			text_add(&t, "; reuse of the oldest keys would not "
			    "have been noticed");
		format_wrap(out, "ledger:", 2, t.s);
	}
}

static void
print_rankings(FILE *out, const struct result_uncertainty *ru)
{
	bool all = ru->ranking_count <= BELOW_RANKINGS;
	unsigned robust = 0, shown = 0;

	for (unsigned i = 0; i < ru->ranking_count; i++)
		robust += ru->rankings[i].robust;
	if (ru->ranking_count == 0)
		return;
	format_wrapf(out, "", 2, "Rankings by total MB/s, and in what share of "
	    "the samples they hold: %u of %u robust, in 90 %% or more and by "
	    "more than %g %%%s", robust, ru->ranking_count,
	    ru->margin > 0 ? 100 * ru->margin : 1,
	    all || robust == ru->ranking_count ? "." : "; those that are not:");
	for (unsigned i = 0; i < ru->ranking_count; i++) {
		const struct result_ranking *rr = &ru->rankings[i];

		if ((!all && rr->robust) || shown++ >= BELOW_RANKINGS)
			continue;
		format_wrapf(out, "  ", 4, "%s over %s, %s, %s, %u reader%s of "
		    "%s: %s %%, %s", rr->better, rr->worse, rr->like,
		    rr->cipher, rr->readers, PLURAL(rr->readers), FORMAT(bytes,
		    rr->request_bytes), FORMAT(percent, 100 * rr->share),
		    rr->robust ? "robust" : "not robust");
	}
	if (shown > BELOW_RANKINGS)
		fprintf(out, "  and %u more; the result file has all\n",
		    shown - BELOW_RANKINGS);
}

static void
print_uncertainty(FILE *out, const struct result *r)
{
	static const char bar[] = "####################";
	const struct result_uncertainty *ru = &r->uncertainty;
	const char *rate = r->cell_count > 0 && r->cells->readers == 0 ?
	    "events/s" : "MB/s";
	int n;

	if (ru->samples == 0)
		return;
	/* A cell at length ends in an empty line. */
	if (r->cell_count > 1)
		fputc('\n', out);
	format_wrapf(out, "", 2, "Uncertainty: %u profiles drawn around "
	    "%.200s; brackets hold 10 %% to 90 %% of them; ^: the figure "
	    "above, of the profile itself, is outside.", ru->samples,
	    ru->profile);
	if (ru->parameter_count == 0)
		fputs("  no value of the profile is uncertain\n", out);
	else
		format_wrapf(out, "", 2, "What moved them most: rank "
		    "correlation of a value with the total %s, the mean "
		    "over cells; left of the axis more of it means less %s. "
		    "With so many samples up to %.2f may be chance.", rate,
		    rate, two_sigma / sqrt(ru->samples - 1.0));
	/* A bar to the left of the axis for less, to the right for more. */
	for (unsigned i = 0; i < ru->parameter_count && i < BELOW_PARAMETERS;
	    i++) {
		const struct result_parameter *rp = &ru->parameters[i];

		n = (int)floor(fmin(1, fabs(rp->effect)) * BELOW_BAR + 0.5);
		fprintf(out, "  %-22.22s %-9.9s %5.2f  %*.*s|%.*s\n", rp->key,
		    rp->provenance, rp->effect, BELOW_BAR,
		    rp->effect < 0 ? n : 0, bar, rp->effect < 0 ? 0 : n, bar);
	}
	print_rankings(out, ru);
}

static void
print_costs(FILE *out, const struct result *r)
{
	bool profiled = false;
	double max = 0;

	for (unsigned i = 0; i < r->cell_count; i++) {
		profiled |= r->cells[i].profiled;
		max = fmax(max, r->cells[i].profile_cost_percent);
	}
	format_wrapf(out, "Cost of lock profiling:", 2, "%s; a time stamp "
	    "costs %s ns.", !profiled ? "none, it is off" : FORMATF("at most "
	    "%s %% of the readers' time, %s ns an acquisition",
	    FORMAT(percent, max), FORMAT(real, r->host.profile_ns)),
	    FORMAT(real, r->host.clock_ns));
}

void
table_below_print(FILE *out, const struct result *r)
{
	const struct result_cell *cell, *end = r->cells + r->cell_count;
	const struct lock_class *lc;

	for (unsigned i = 0; i < r->control_count; i++)
		print_control(out, &r->controls[i]);
	/* FreeBSD limits back-off to a multiple of the number of CPUs. */
	for (cell = r->cells; cell < end; cell++) {
		lc = lock_class_find(cell->lock);
		if (provenance_predicted(cell) && cell->readers >= 2 &&
		    cell->readers < cell->cpus && lc != NULL &&
		    (lc->lc_knobs & LK_DELAY) != 0)
			break;
	}
	if (cell < end)
		format_wrapf(out, "", 2, "Fewer readers than CPUs: back-off "
		    "of lock %s counts CPUs, %u here, so --cpus %u with %u "
		    "readers gives other figures.", cell->lock, cell->cpus,
		    cell->readers, cell->readers);
	print_ledgers(out, r);
	if (comparable_few_passes(r))
		format_wrapf(out, "", 2, "Windows of %g s have fewer than %d "
		    "passes of the harvest thread: its figures, marked ?, "
		    "need a larger -t.", r->time_s, COMPARABLE_PASSES);
	print_uncertainty(out, r);
	/* Profiling takes no virtual time. */
	if (provenance_of(r) != RESULT_PREDICTED)
		print_costs(out, r);
}
