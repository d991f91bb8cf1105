#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "bench/compare/clip.h"
#include "bench/compare/verdict.h"
#include "bench/console/figure.h"
#include "bench/result/claim.h"
#include "bench/result/group.h"

enum {
	ALONE_SHOWN	= 8,	/* cells without a partner; more are counted */
	CLAIM_PAIR_SIZE	= 2 * CLAIM_SIZE + 8
};

const char *const verdict_names[COMPARE_REFUSED + 1] = {
	[COMPARE_BETTER] = "better",
	[COMPARE_WORSE] = "worse",
	[COMPARE_NONE] = "no difference shown",
	[COMPARE_REFUSED] = "refused"
};

const char *const verdict_stops[COMPARE_STOP_HARVEST + 1] = {
	[COMPARE_STOP_NONE] = "",
	[COMPARE_STOP_OVERLAP] = "the medians' intervals overlap",
	[COMPARE_STOP_P] = "no p below 0.05 after Holm",
	[COMPARE_STOP_MARGIN] = "not above the margin",
	[COMPARE_STOP_RESOLUTION] = "not above a histogram bucket's width",
	[COMPARE_STOP_NOISE] = "not above what the machine moved by",
	[COMPARE_STOP_HARVEST] = "less, but fewer events or later ones"
};

static const char verdict_guesses[] = "intervals and p are of the model's own "
    "chance, not of its guesses; --uncertainty shows those";

static void __attribute__((format(printf, 2, 3)))
add(char *text, const char *fmt, ...)
{
	size_t len = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + len, COMPARE_TEXT_SIZE - len, fmt, ap);
	va_end(ap);
	clip_utf8(text);
}

/* A change with its sign: "+0.31", "-3.0", "+109". */
static const char *
change_figure(char buf[FIGURE_SIZE], double share)
{
	double v = 100 * share;

	if (fabs(v) >= 999999.5)
		snprintf(buf, FIGURE_SIZE, "%+.1e", v);
	else
		snprintf(buf, FIGURE_SIZE, "%+.*f", fabs(v) < 0.995 ? 2 :
		    fabs(v) < 99.95 ? 1 : 0, v);
	return (buf);
}

static const char *
p_figure(char buf[FIGURE_SIZE], double p)
{

	if (p < 1e-99)
		snprintf(buf, FIGURE_SIZE, "<1e-99");
	else
		snprintf(buf, FIGURE_SIZE, "%.*g", p < 0.00095 ? 1 :
		    /* Which side of it must show. */
		    fabs(p - COMPARE_ALPHA) < 0.001 ? 3 : 2, p);
	return (buf);
}

/*
 * Readers and what they read.
 *
 *   claim  in  what the cell is if it was not measured
 */
static void
add_load(char *text, const struct result_cell *cell, const char *claim)
{
	char bytes[32];

	add(text, "%u reader%s of ", cell->readers,
	    cell->readers == 1 ? "" : "s");
	if (cell->workload[0] != '\0')
		add(text, "%s", cell->workload);
	else
		add(text, "%s", figure_bytes(bytes, cell->request_bytes));
	if (cell->rate_per_s > 0)
		add(text, " at %g/s each, %s", cell->rate_per_s,
		    cell->arrivals);
	/* What is not said is measured, with --crypto kernel. */
	if (strcmp(cell->crypto, "kernel") != 0)
		add(text, ", %s", group_crypto(cell));
	if (strcmp(cell->engine, "virtual") == 0)
		add(text, ", %s", claim);
	if (cell->oversubscribed)
		add(text, ", oversubscribed");
}

void
verdict_cell(char *text, const struct result_cell *cell)
{

	text[0] = '\0';
	add(text, "%s, %s, %s, ", cell->design, cell->lock, cell->cipher);
	add_load(text, cell, group_claim(cell));
}

static void
pair_text(char *text, const struct compare *co, const struct compare_pair *pa,
    const char *claim)
{
	const struct result_cell *cell = pa->pa_cell[1];

	text[0] = '\0';
	if (co->co_by == COMPARE_RESULTS) {
		add(text, "%s, %s, %s, ", cell->design, cell->lock,
		    cell->cipher);
		add_load(text, cell, claim);
		return;
	}
	add(text, "%s instead of %s, ", compare_name(co, pa, 1),
	    compare_name(co, pa, 0));
	if (co->co_by != COMPARE_DESIGN)
		add(text, "%s, ", cell->design);
	if (co->co_by != COMPARE_LOCK)
		add(text, "%s, ", cell->lock);
	if (co->co_by != COMPARE_CIPHER)
		add(text, "%s, ", cell->cipher);
	add_load(text, cell, claim);
}

void
verdict_pair(char *text, const struct compare *co,
    const struct compare_pair *pa)
{

	pair_text(text, co, pa, group_claim(pa->pa_cell[1]));
}

/* The claims of both cells, where they are not one and the same. */
static const char *
pair_claim(char buf[CLAIM_PAIR_SIZE], const struct compare_pair *pa)
{
	char a[CLAIM_SIZE], b[CLAIM_SIZE];

	claim_cell(pa->pa_cell[0], a);
	claim_cell(pa->pa_cell[1], b);
	if (strcmp(a, b) == 0)
		snprintf(buf, CLAIM_PAIR_SIZE, "%s", b);
	else
		snprintf(buf, CLAIM_PAIR_SIZE, "B %s, A %s", b, a);
	return (buf);
}

/* Whether one median is too small to tell, so that the change is a bound. */
static bool
is_bound(const struct quantity *qu, const struct compare_row *row)
{

	return ((row->cr_median[0] <= qu->qu_floor) !=
	    (row->cr_median[1] <= qu->qu_floor));
}

/* "total MB/s 982.1 to 2056.3, +109 % (" ... the interval, then whatever. */
static void
add_change(char *text, const struct quantity *qu,
    const struct compare_row *row, const char *interval)
{
	char a[QUANTITY_SIZE], b[QUANTITY_SIZE], change[FIGURE_SIZE];
	char high[FIGURE_SIZE], low[FIGURE_SIZE];

	add(text, "%s %s to %s, %s%s %% (%s%s to %s %%)", qu->qu_title,
	    quantity_figure(qu, a, row->cr_median[0]),
	    quantity_figure(qu, b, row->cr_median[1]),
	    is_bound(qu, row) ? "at least " : "",
	    change_figure(change, row->cr_change), interval,
	    change_figure(low, row->cr_change_ci95[0]),
	    change_figure(high, row->cr_change_ci95[1]));
}

/* What a row ends in. */
static void
add_verdict(char *text, const struct compare_row *row)
{

	add(text, "%s", verdict_names[row->cr_verdict]);
	if (row->cr_stop != COMPARE_STOP_NONE)
		add(text, " (%s)", verdict_stops[row->cr_stop]);
}

static void
add_few(char *text, const struct compare_pair *pa)
{

	if (pa->pa_few)
		add(text, ", few repeats (%u and %u)", pa->pa_repeats[0],
		    pa->pa_repeats[1]);
}

void
verdict_sentence(char *text, const struct compare *co,
    const struct compare_pair *pa, unsigned q)
{
	const struct compare_row *row = &pa->pa_row[q];
	char claim[CLAIM_PAIR_SIZE], rank[FIGURE_SIZE], welch[FIGURE_SIZE];

	pair_text(text, co, pa, pair_claim(claim, pa));
	add_few(text, pa);
	add(text, ": ");
	if (row->cr_verdict == COMPARE_REFUSED) {
		add(text, "%s: %s: refused", quantities[q].qu_title,
		    pa->pa_refused);
		return;
	}
	add_change(text, &quantities[q], row, "95 % interval ");
	add(text, ", Holm p %s (Welch) and %s (Mann-Whitney): ",
	    p_figure(welch, row->cr_p_welch), p_figure(rank, row->cr_p_rank));
	add_verdict(text, row);
}

static bool
is_predicted(const struct compare *co)
{

	return (claim_of(co->co_result[0]) != CLAIM_MEASURED ||
	    claim_of(co->co_result[1]) != CLAIM_MEASURED);
}

/* What changes must be above, margin and machine alone. */
static double
least_change(const struct compare *co)
{

	return (fmax(co->co_margin, co->co_noise));
}

static void
print_claim(FILE *out, const struct compare *co, unsigned side,
    const char *prefix)
{
	const struct result *r = co->co_result[side];
	char machine[CLAIM_SIZE];

	if (claim_of(r) == CLAIM_MEASURED)
		return;
	claim_machine(r, machine);
	fprintf(out, "%s%s%s%s%s\n", prefix, co->co_by != COMPARE_RESULTS ?
	    "" : side == 0 ? "A: " : "B: ", claim_word(r),
	    machine[0] != '\0' ? " for " : "", machine);
}

void
verdict_print_flags(FILE *out, const struct compare *co, const char *prefix)
{
	unsigned i, side;

	for (side = 0; side < (co->co_by == COMPARE_RESULTS ? 2 : 1); side++)
		print_claim(out, co, side, prefix);
	if (is_predicted(co))
		fprintf(out, "%s%s\n", prefix, verdict_guesses);
	for (i = 0; i < co->co_flag_count; i++)
		fprintf(out, "%s%s\n", prefix, co->co_flags[i]);
	if (co->co_noise > co->co_margin)
		fprintf(out, "%schanges up to %.2g %%, by which the machine "
		    "itself moved, are not ranked\n", prefix,
		    100 * co->co_noise);
	if (co->co_alone_count[0] + co->co_alone_count[1] > 0)
		fprintf(out, "%snot compared, for want of a partner: cells of "
		    "A %u, of B %u\n", prefix, co->co_alone_count[0],
		    co->co_alone_count[1]);
}

void
verdict_print_sentences(FILE *out, const struct compare *co)
{
	char text[COMPARE_TEXT_SIZE];
	unsigned i, q;

	verdict_print_flags(out, co, "# ");
	for (i = 0; i < co->co_pair_count; i++) {
		for (q = 0; q < QUANTITIES; q++) {
			if (!compare_has_row(co, &co->co_pairs[i], q))
				continue;
			verdict_sentence(text, co, &co->co_pairs[i], q);
			fprintf(out, "%s\n", text);
		}
	}
}

/* Below a pair's first line. */
static void
print_indented(FILE *out, const char *text)
{
	char first[FIGURE_COLUMNS];
	size_t n = strcspn(text, " ");

	snprintf(first, sizeof(first), "  %.*s", (int)n, text);
	figure_wrap(out, first, 4, text + n);
}

static void
print_row(FILE *out, const struct quantity *qu, const struct compare_row *row)
{
	char rank[FIGURE_SIZE], text[COMPARE_TEXT_SIZE] = "";
	char welch[FIGURE_SIZE];

	add_change(text, qu, row, "");
	add(text, ", p %s/%s: ", p_figure(welch, row->cr_p_welch),
	    p_figure(rank, row->cr_p_rank));
	add_verdict(text, row);
	print_indented(out, text);
}

static void
print_pair(FILE *out, const struct compare *co, const struct compare_pair *pa,
    bool all)
{
	char same[COMPARE_TEXT_SIZE] = "", text[COMPARE_TEXT_SIZE];
	const struct compare_row *row;
	unsigned q;

	verdict_pair(text, co, pa);
	add_few(text, pa);
	add(text, ":");
	fputc('\n', out);
	figure_wrap(out, "", 2, text);
	if (pa->pa_refused[0] != '\0') {
		snprintf(text, sizeof(text), "%s: refused", pa->pa_refused);
		print_indented(out, text);
		return;
	}
	for (q = 0; q < QUANTITIES; q++) {
		row = &pa->pa_row[q];
		if (!compare_has_row(co, pa, q))
			continue;
		/* A clear change has its rule behind it, at length. */
		if (all || row->cr_verdict != COMPARE_NONE ||
		    row->cr_stop != COMPARE_STOP_NONE)
			print_row(out, &quantities[q], row);
		else
			add(same, "%s%s", same[0] == '\0' ? "" : ", ",
			    quantities[q].qu_title);
	}
	if (same[0] == '\0')
		return;
	text[0] = '\0';
	add(text, "%s: no difference shown", same);
	print_indented(out, text);
}

static void
print_origin(FILE *out, const struct compare *co, unsigned side)
{
	const struct result *r = co->co_result[side];
	char first[4] = "", head[CLAIM_SIZE], text[COMPARE_TEXT_SIZE] = "";
	unsigned i, least = UINT_MAX, most = 0;

	for (i = 0; i < r->cell_count; i++) {
		if (r->cells[i].repeats < least)
			least = r->cells[i].repeats;
		if (r->cells[i].repeats > most)
			most = r->cells[i].repeats;
	}

	if (co->co_by == COMPARE_RESULTS)
		snprintf(first, sizeof(first), "%c:", "AB"[side]);
	add(text, "%s, %s %s, %u CPU%s, %s, %s, revision %s, INVARIANTS %s, ",
	    strcmp(co->co_path[side], "-") == 0 ? "stdin" :
	    co->co_path[side], claim_head(r, false, head), r->host.cpu_model,
	    r->host.cpus, r->host.cpus == 1 ? "" : "s", r->host.kernel,
	    r->host.libcrypto, r->host.revision, r->host.invariants ? "on" :
	    "off");
	if (least < most)
		add(text, "%u to ", least);
	add(text, "%u x %g s, %s", most, r->time_s, r->started);
	figure_wrap(out, first, 2, text);
}

/* A name given on the command line may hold anything. */
static void
print_alone(FILE *out, const struct compare *co)
{
	char text[COMPARE_TEXT_SIZE];
	unsigned i, side;

	for (side = 0; side < 2; side++) {
		for (i = 0; i < co->co_alone_count[side]; i++) {
			if (i == ALONE_SHOWN) {
				fprintf(out, "- %u more\n",
				    co->co_alone_count[side] - i);
				break;
			}
			verdict_cell(text, co->co_alone[side][i]);
			add(text, ": %s, not compared",
			    co->co_by != COMPARE_RESULTS ? "no partner" :
			    side == 0 ? "only in A" : "only in B");
			figure_wrap(out, "-", 2, text);
		}
	}
}

static void
print_end(FILE *out, const struct compare *co)
{
	const double least = least_change(co);
	const unsigned *rows = co->co_rows;
	char text[COMPARE_TEXT_SIZE] = "";

	fprintf(out, "\n%u pair%s: %u row%s better, %u worse, %u no difference "
	    "shown, %u refused\n", co->co_pair_count, co->co_pair_count == 1 ?
	    "" : "s", rows[COMPARE_BETTER], rows[COMPARE_BETTER] == 1 ? "" :
	    "s", rows[COMPARE_WORSE], rows[COMPARE_NONE],
	    rows[COMPARE_REFUSED]);
	if (is_predicted(co)) {
		add(text, "Predicted: %s.", verdict_guesses);
		figure_wrap(out, "", 2, text);
		text[0] = '\0';
	}
	if (co->co_tests == 0)
		return;
	add(text, "Medians of A to B; in brackets the 95 %% interval of the "
	    "change; p of Welch's and of Mann and Whitney's test, both "
	    "corrected for %u tests (Holm): the chance of any wrong better or "
	    "worse above is at most %.0f %%, as far as repeats are "
	    "independent. Changes up to %.2g %%%s are not ranked, of "
	    "latencies up to %.2g %%.", co->co_tests,
	    100 * COMPARE_ALPHA, 100 * least, co->co_noise > co->co_margin ?
	    ", by which the machine itself moved," : "", 100 * fmax(least,
	    quantities[quantity_find("latency_p50_ns")].qu_resolution));
	figure_wrap(out, "", 2, text);
}

void
verdict_print(FILE *out, const struct compare *co, bool all)
{
	unsigned i;

	print_origin(out, co, 0);
	if (co->co_by == COMPARE_RESULTS)
		print_origin(out, co, 1);
	for (i = 0; i < co->co_flag_count; i++)
		figure_wrap(out, "-", 2, co->co_flags[i]);
	print_alone(out, co);
	for (i = 0; i < co->co_pair_count; i++)
		print_pair(out, co, &co->co_pairs[i], all);
	print_end(out, co);
}
