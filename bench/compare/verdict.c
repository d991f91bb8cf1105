#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/compare/compare.h"
#include "bench/report/comparable.h"

enum { ALONE_SHOWN = 8 };	/* cells without a partner; more are counted */

const char *const verdict_names[COMPARE_REFUSED + 1] = {
	[COMPARE_BETTER] = "better",
	[COMPARE_WORSE] = "worse",
	[COMPARE_NONE] = "no difference shown",
	[COMPARE_REFUSED] = "refused"
};

const char *const verdict_stops[COMPARE_STOPS] = {
	[COMPARE_STOP_NONE] = "",
	[COMPARE_STOP_OVERLAP] = "the medians' intervals overlap",
	[COMPARE_STOP_P] = "no p below 0.05 after Holm",
	[COMPARE_STOP_DRAWS] = "not robust over the drawn profiles",
	[COMPARE_STOP_MARGIN] = "not above the margin",
	[COMPARE_STOP_RESOLUTION] = "not above a histogram bucket's width",
	[COMPARE_STOP_NOISE] = "not above what the machine moved by",
	[COMPARE_STOP_HARVEST] = "less, but fewer events or later ones"
};

static const char *
format_p(char buf[FORMAT_SIZE], double p)
{
	if (p < 1e-99)
		snprintf(buf, FORMAT_SIZE, "<1e-99");
	else
		snprintf(buf, FORMAT_SIZE, "%.*g", p < 0.00095 ? 1 :
		    /* Which side of it must show. */
		    fabs(p - COMPARE_ALPHA) < 0.001 ? 3 : 2, p);
	return (buf);
}

/*
 * Readers and what they read.
 *
 *   provenance  in  printed where the cell was not measured
 */
static void
add_load(struct text *t, const struct result_cell *cell, const char *provenance)
{
	char load[COMPARABLE_SIZE];

	text_add(t, "%s", comparable_load(cell, load));
	/* The default, measured with --crypto kernel, goes without saying. */
	if (strcmp(cell->crypto, "kernel") != 0)
		text_add(t, ", %s", comparable_crypto(cell));
	if (provenance_predicted(cell))
		text_add(t, ", %s", provenance);
	if (cell->oversubscribed)
		text_add(t, ", oversubscribed");
}

void
verdict_cell(struct text *t, const struct result_cell *cell)
{
	text_add(t, "%s, %s, %s, ", cell->design, cell->lock, cell->cipher);
	add_load(t, cell, provenance_short(cell));
}

static void
add_pair(struct text *t, const struct compare *co,
    const struct compare_pair *pa, const char *provenance)
{
	const struct result_cell *cell = pa->pa_cell[1];
	const unsigned n[2] = { pa->pa_cell[0]->repeats, cell->repeats };
	unsigned least;

	if (co->co_by != COMPARE_RESULTS)
		text_add(t, "%s instead of %s, ", compare_name(co, pa, 1),
		    compare_name(co, pa, 0));
	if (co->co_by != COMPARE_DESIGN)
		text_add(t, "%s, ", cell->design);
	if (co->co_by != COMPARE_LOCK)
		text_add(t, "%s, ", cell->lock);
	if (co->co_by != COMPARE_CIPHER)
		text_add(t, "%s, ", cell->cipher);
	if (co->co_by != COMPARE_HOST && cell->host[0] != '\0')
		text_add(t, "%s, ", cell->host);
	add_load(t, cell, provenance);
	least = n[0] < n[1] ? n[0] : n[1];
	if (least >= COMPARE_REPEATS_MIN && least < COMPARABLE_REPEATS)
		text_add(t, ", few repeats (%u and %u)", n[0], n[1]);
}

void
verdict_pair(struct text *t, const struct compare *co,
    const struct compare_pair *pa)
{
	add_pair(t, co, pa, provenance_short(pa->pa_cell[1]));
}

/* What the drawn profiles say. */
static void
add_draws(struct text *t, const struct compare_row *row)
{
	const struct stats_change *sc = &row->cr_drawn;

	if (sc->sc_band[0] <= row->cr_change &&
	    row->cr_change <= sc->sc_band[1])
		text_add(t, " (");
	else
		text_add(t, " (the profile itself, outside the band; ");
	text_add(t, "with %u drawn profiles %s %%, 10 to 90 %% of them %s to "
	    "%s %%, %s in %s %%)",
	    row->cr_pair->pa_cell[0]->uncertainty.samples,
	    FORMAT(change, sc->sc_median), FORMAT(change, sc->sc_band[0]),
	    FORMAT(change, sc->sc_band[1]), sc->sc_median < 0 ? "less" :
	    "more", FORMAT(percent, 100 * sc->sc_share));
}

/*
 * "total MB/s 982.1 to 2056.3, +109 % (" the interval, p and the verdict.
 *
 *   alone  in  no table explains the figures below
 */
static void
add_row(struct text *t, const struct compare_row *row, bool alone)
{
	const struct quantity *qu = row->cr_quantity;
	/* With one median at the floor the change is a bound. */
	bool bound = (row->cr_median[0] <= qu->qu_floor) !=
	    (row->cr_median[1] <= qu->qu_floor);

	text_add(t, "%s ", qu->qu_title);
	quantity_figure(t, qu, row->cr_median[0]);
	text_add(t, " to ");
	quantity_figure(t, qu, row->cr_median[1]);
	text_add(t, ", %s%s %%", bound ? "at least " : "",
	    FORMAT(change, row->cr_change));
	if (row->cr_basis == COMPARE_BY_VALUE)
		text_add(t, ", exact (repeats do not vary, p is 0)");
	else if (row->cr_basis == COMPARE_BY_DRAWS)
		add_draws(t, row);
	else
		text_add(t, " (%s%s to %s %%), %sp %s (%s", alone ?
		    "95 % interval " : "",
		    FORMAT(change, row->cr_change_ci95[0]),
		    FORMAT(change, row->cr_change_ci95[1]), alone ? "Holm " :
		    "", FORMAT(p, row->cr_p[0]),
		    row->cr_basis == COMPARE_BY_PAIRS ? "paired)" :
		    FORMATF("Welch) and %s (Mann-Whitney)",
		    FORMAT(p, row->cr_p[1])));
	text_add(t, ": %s", verdict_names[row->cr_verdict]);
	if (row->cr_stop != COMPARE_STOP_NONE)
		text_add(t, " (%s)", verdict_stops[row->cr_stop]);
}

void
verdict_sentence(struct text *t, const struct compare *co,
    const struct compare_row *row)
{
	const struct compare_pair *pa = row->cr_pair;
	char a[COMPARABLE_SIZE], b[COMPARABLE_SIZE], both[FORMAT_TEXT];

	provenance_cell(pa->pa_cell[0], a);
	provenance_cell(pa->pa_cell[1], b);
	snprintf(both, sizeof(both), "B %s, A %s", b, a);
	add_pair(t, co, pa, strcmp(a, b) == 0 ? b : both);
	text_add(t, ": ");
	if (row->cr_verdict == COMPARE_REFUSED)
		text_add(t, "%s: %s: refused", row->cr_quantity->qu_title,
		    pa->pa_refused);
	else
		add_row(t, row, true);
}

/* What intervals of predictions show; NULL: nothing was predicted. */
static const char *
guesses(const struct compare *co)
{
	if (provenance_of(co->co_result[0]) == RESULT_MEASURED &&
	    provenance_of(co->co_result[1]) == RESULT_MEASURED)
		return (NULL);
	return (co->co_result[0]->uncertainty.samples == 0 ?
	    provenance_guesses : "ranked by the drawn profiles: better or "
	    "worse in 90 % or more of them, and in the profile itself");
}

void
verdict_print_flags(FILE *out, const struct compare *co, const char *prefix)
{
	char machine[COMPARABLE_SIZE];

	for (unsigned side = 0; side < (co->co_by == COMPARE_RESULTS ? 2 : 1);
	    side++) {
		const struct result *r = co->co_result[side];

		if (provenance_of(r) == RESULT_MEASURED)
			continue;
		provenance_machine(r, machine);
		fprintf(out, "%s%s%s%s%s\n", prefix,
		    co->co_by != COMPARE_RESULTS ? "" : side == 0 ? "A: " :
		    "B: ", provenance_word(r), machine[0] != '\0' ? " for " :
		    "", machine);
	}
	if (guesses(co) != NULL)
		fprintf(out, "%s%s\n", prefix, guesses(co));
	for (unsigned i = 0; i < co->co_flag_count; i++)
		fprintf(out, "%s%s\n", prefix, co->co_flags[i]);
	if (co->co_noise > co->co_margin)
		fprintf(out, "%schanges up to %.2g %%, by which the machine "
		    "itself moved, are not ranked\n", prefix,
		    100 * co->co_noise);
	if (co->co_alone_count[0] + co->co_alone_count[1] > 0)
		fprintf(out, "%snot compared, without a partner: cells of A "
		    "%u, of B %u\n", prefix, co->co_alone_count[0],
		    co->co_alone_count[1]);
}

void
verdict_print_sentences(FILE *out, const struct compare *co)
{
	const struct compare_row *row = NULL;

	verdict_print_flags(out, co, "# ");
	while ((row = compare_next(co, row)) != NULL) {
		struct text t = { .s = "" };

		verdict_sentence(&t, co, row);
		fprintf(out, "%s\n", t.s);
	}
}

/* Below a pair's first line. */
static void
print_indented(FILE *out, const char *text)
{
	char first[FORMAT_COLUMNS];
	size_t n = strcspn(text, " ");

	snprintf(first, sizeof(first), "  %.*s", (int)n, text);
	format_wrap(out, first, 4, text + n);
}

/*
 * What begins the colour of a verdict on a terminal, or ends it: cyan and
 * yellow differ for those who see no red or green.
 */
static const char *
colour(FILE *out, enum compare_verdict verdict)
{
	const char *none = getenv("NO_COLOR"), *term = getenv("TERM");

	if (isatty(fileno(out)) == 0 || (none != NULL && none[0] != '\0') ||
	    term == NULL || strcmp(term, "dumb") == 0)
		return ("");
	return (verdict == COMPARE_BETTER ? "\033[36m" :
	    verdict == COMPARE_WORSE ? "\033[33m" : "\033[0m");
}

static void
print_pair(FILE *out, const struct compare *co, const struct compare_pair *pa)
{
	struct text same = { .s = "" }, t = { .s = "" };
	const struct compare_row *row;

	verdict_pair(&t, co, pa);
	fputc('\n', out);
	format_wrapf(out, "", 2, "%s:", t.s);
	if (pa->pa_refused[0] != '\0') {
		t.s[0] = '\0';
		text_add(&t, "%s: refused", pa->pa_refused);
		print_indented(out, t.s);
		return;
	}
	for (unsigned q = 0; q < QUANTITIES; q++) {
		row = &pa->pa_row[q];
		if (!row->cr_wanted)
			continue;
		/* A clear change is printed with the rule that stopped it. */
		if (row->cr_verdict != COMPARE_NONE ||
		    row->cr_stop != COMPARE_STOP_NONE) {
			t.s[0] = '\0';
			add_row(&t, row, false);
			fputs(colour(out, row->cr_verdict), out);
			print_indented(out, t.s);
			fputs(colour(out, COMPARE_NONE), out);
		} else {
			text_list(&same, "%s", quantities[q].qu_title);
		}
	}
	if (same.s[0] == '\0')
		return;
	text_add(&same, ": no difference shown");
	print_indented(out, same.s);
}

static void
print_origin(FILE *out, const struct compare *co, unsigned side)
{
	const struct result *r = co->co_result[side];
	char first[4] = "", head[COMPARABLE_SIZE], least_text[32] = "";
	char model[COMPARABLE_SIZE];
	unsigned least, most;

	provenance_repeats(r, &least, &most);
	if (co->co_by == COMPARE_RESULTS)
		snprintf(first, sizeof(first), "%c:", "AB"[side]);
	if (least < most)
		snprintf(least_text, sizeof(least_text), "%u to ", least);
	format_wrapf(out, first, 2, "%s, %s %s, %u CPU%s, %s, %s, revision %s, "
	    "INVARIANTS %s%s, %s%u x %g s, %s",
	    strcmp(co->co_path[side], "-") == 0 ? "stdin" : co->co_path[side],
	    provenance_head(r, false, head), r->host.cpu_model, r->host.cpus,
	    PLURAL(r->host.cpus), r->host.kernel, r->host.libcrypto,
	    r->host.revision, r->host.invariants ? "on" : "off",
	    comparable_model(r, model), least_text, most, r->time_s,
	    r->started);
}

static void
print_alone(FILE *out, const struct compare *co)
{
	for (unsigned side = 0; side < 2; side++) {
		for (unsigned i = 0; i < co->co_alone_count[side]; i++) {
			struct text t = { .s = "" };

			if (i == ALONE_SHOWN) {
				fprintf(out, "- %u more\n",
				    co->co_alone_count[side] - i);
				break;
			}
			verdict_cell(&t, co->co_alone[side][i]);
			text_add(&t, ": %s, not compared",
			    co->co_by != COMPARE_RESULTS ? "no partner" :
			    side == 0 ? "only in A" : "only in B");
			format_wrap(out, "-", 2, t.s);
		}
	}
}

void
verdict_print_end(FILE *out, const struct compare *co)
{
	/* What changes must be above, margin and machine alone. */
	const double least = fmax(co->co_margin, co->co_noise);
	const double latency = fmax(least,
	    quantities[QUANTITY_P50].qu_resolution);
	const unsigned *rows = co->co_rows;
	struct text t = { .s = "" };
	const bool paired = co->co_by != COMPARE_RESULTS &&
	    comparable_sliced(co->co_result[0]->cells);

	fputc('\n', out);
	format_wrapf(out, "", 2, "%u pair%s: %u row%s better, %u worse, %u no "
	    "difference shown, %u refused", co->co_pair_count,
	    PLURAL(co->co_pair_count), rows[COMPARE_BETTER],
	    PLURAL(rows[COMPARE_BETTER]), rows[COMPARE_WORSE],
	    rows[COMPARE_NONE], rows[COMPARE_REFUSED]);
	if (guesses(co) != NULL)
		format_wrapf(out, "", 2, "Predicted: %s.", guesses(co));
	if (co->co_pair_count * QUANTITIES == rows[COMPARE_REFUSED])
		return;
	text_add(&t, "Medians of A to B; ");
	if (co->co_tests > 0)
		text_add(&t, "in parentheses the 95 %% interval of the change; "
		    "%s, corrected for %u tests (Holm)%s. The chance of any "
		    "wrong better or worse above is at most %.0f %%, if "
		    "repeats are independent. Changes", paired ? "(paired): of "
		    "the ratios of repeats that were measured side by side, "
		    "with p of Yuen's test" : "p of Welch's and of Mann and "
		    "Whitney's test", co->co_tests, paired ? "" : ": one of "
		    "the two below 0.05 is enough for better or worse",
		    100 * COMPARE_ALPHA);
	else
		text_add(&t, "changes");
	text_add(&t, " up to %.2g %%%s", 100 * least, co->co_noise >
	    co->co_margin ? ", by which the machine itself moved," : "");
	if (latency > least)
		text_add(&t, " (latencies: %.2g %%)", 100 * latency);
	format_wrapf(out, "", 2, "%s are reported as no difference shown.",
	    t.s);
}

void
verdict_print_conditions(FILE *out, const struct compare *co)
{
	print_origin(out, co, 0);
	if (co->co_by == COMPARE_RESULTS)
		print_origin(out, co, 1);
	for (unsigned i = 0; i < co->co_flag_count; i++)
		format_wrap(out, "-", 2, co->co_flags[i]);
	print_alone(out, co);
}

void
verdict_print(FILE *out, const struct compare *co)
{
	verdict_print_conditions(out, co);
	for (unsigned i = 0; i < co->co_pair_count; i++)
		print_pair(out, co, &co->co_pairs[i]);
	verdict_print_end(out, co);
}
