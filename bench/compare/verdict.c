#include "bench/compare/compare.h"

const char *const verdict_names[COMPARE_REFUSED + 1] = {
	[COMPARE_BETTER] = "better", [COMPARE_WORSE] = "worse",
	[COMPARE_NONE] = "no difference shown", [COMPARE_REFUSED] = "refused"
};

const char *const verdict_stops[COMPARE_STOPS] = {
	[COMPARE_STOP_NONE] = "",
	[COMPARE_STOP_OVERLAP] = "the medians' intervals overlap",
	[COMPARE_STOP_REPEATS] = "no p below 0.05 after Holm with so few "
	    "repeats",
	[COMPARE_STOP_P] = "no p below 0.05 after Holm",
	[COMPARE_STOP_DRAWS] = "not robust over the drawn profiles",
	[COMPARE_STOP_MARGIN] = "not above the margin",
	[COMPARE_STOP_RESOLUTION] = "not above a histogram bucket's width",
	[COMPARE_STOP_NOISE] = "not above what the machine moved by",
	[COMPARE_STOP_HARVEST] = "less, but fewer events or later ones",
	[COMPARE_STOP_PASSES] = "windows have too few passes of the harvest "
	    "thread",
	[COMPARE_STOP_UNREAD] = "in a window no read ended"
};

static const struct column row_columns[] = {
	{ "", -21 }, { "A", 8 }, { "B", 8 }, { "change, %", 9 },
	{ "interval", 15 }, { "p", 7 }, { "", -6 }
}, page_columns[] = {
	{ "compared", -1 }, { "quantity", -1 }, { "A", 8 }, { "B", 8 },
	{ "change, %", 9 }, { "interval", 15 }, { "p", 7 }, { "verdict", -1 },
	{ "why not ranked", -1 }
};

static const char *
format_p(char buf[FORMAT_SIZE], double p)
{
	snprintf(buf, FORMAT_SIZE, "%.*g", p < 0.00095 ? 1 :
	    /* Which side of it must show. */
	    fabs(p - COMPARE_ALPHA) < 0.001 ? 3 : 2, p);
	return (p < 1e-99 ? "<1e-99" : buf);
}

const char *
verdict_pair(struct text *t, const struct compare *co,
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
	/* A benchmark of locks has none. */
	if (co->co_by != COMPARE_CIPHER && cell->acquisition_ns <= 0)
		text_add(t, "%s, ", cell->cipher);
	if (co->co_by != COMPARE_HOST && cell->host[0] != '\0')
		text_add(t, "%s, ", cell->host);
	describe_load(t, cell);
	if (provenance_predicted(cell))
		text_add(t, ", %s", provenance != NULL ? provenance :
		    provenance_short(cell));
	least = MIN(n[0], n[1]);
	if (least >= COMPARE_REPEATS_MIN && least < COMPARABLE_REPEATS)
		text_add(t, ", few repeats (%u and %u)", n[0], n[1]);
	return (t->s);
}

/* How many repeats would decide. */
#define	REPEATS_TEXT(co, stop)						\
	((stop) != COMPARE_STOP_REPEATS ? "" : FORMATF(": %u as far apart "  \
	    "would do", compare_repeats(co)))

/* "total MB/s 982.1 to 2056.3, +109 % (" the interval, p and the verdict. */
static void
add_row(struct text *t, const struct compare *co, const struct compare_row *row)
{
	const struct stats_change *sc = &row->cmr_drawn;
	const struct quantity *qu = row->cmr_quantity;
	/* With one median at the floor the change is a bound. */
	bool bound = (row->cmr_median[0] <= qu->qu_floor) !=
	    (row->cmr_median[1] <= qu->qu_floor);

	text_add(t, "%s %s to %s, %s%s%s %%",
	    qu->qu_title, TEXT_OF(quantity_figure, qu, row->cmr_median[0]),
	    TEXT_OF(quantity_figure, qu, row->cmr_median[1]),
	    row->cmr_basis == COMPARE_BY_PAIRS ? "side by side " : "",
	    bound ? "at least " : "", FORMAT(change, row->cmr_change));
	if (row->cmr_basis == COMPARE_BY_VALUE)
		text_add(t, ", exact (repeats do not vary, p is 0)");
	else if (row->cmr_basis == COMPARE_BY_DRAWS)
		text_add(t, " (%swith %u drawn profiles %s %%, 10 to 90 %% of "
		    "them %s to %s %%, %s in %s %%)",
		    sc->chg_band[0] <= row->cmr_change && row->cmr_change <=
		    sc->chg_band[1] ? "" : "the profile itself, outside the "
		    "band; ", row->cmr_pair->pa_cell[0]->uncertainty.samples,
		    FORMAT(change, sc->chg_median),
		    FORMAT(change, sc->chg_band[0]),
		    FORMAT(change, sc->chg_band[1]), sc->chg_median < 0 ?
		    "less" : "more", FORMAT(percent, 100 * sc->chg_share));
	else
		text_add(t, " (95 %% interval %s to %s %%), Holm p %s (%s",
		    FORMAT(change, row->cmr_change_ci95[0]), FORMAT(change,
		    row->cmr_change_ci95[1]), FORMAT(p, row->cmr_p[0]),
		    row->cmr_basis == COMPARE_BY_PAIRS ? "paired)" :
		    FORMATF("Welch) and %s (Mann-Whitney)", FORMAT(p,
		    row->cmr_p[1])));
	text_add(t, ": %s", verdict_names[row->cmr_verdict]);
	if (row->cmr_stop != COMPARE_STOP_NONE)
		text_add(t, " (%s%s)", verdict_stops[row->cmr_stop],
		    REPEATS_TEXT(co, row->cmr_stop));
}

/* Adds "predicted for epyc-9654-2s, 38 % of its values guessed". */
static void
add_provenance(struct text *t, const struct result_cell *cell)
{
	text_add(t, "%s", provenance_short(cell));
	if (provenance_predicted(cell) && cell->profile[0] != '\0')
		text_add(t, " for %s, %s %% of its values guessed",
		    cell->profile,
		    FORMAT(percent, 100 * fmin(cell->guessed_share, 1)));
}

const char *
verdict_sentence(struct text *t, const struct compare *co,
    const struct compare_row *row)
{
	const struct compare_pair *pa = row->cmr_pair;
	struct text a = { .s = "" }, b = { .s = "" }, both = { .s = "" };

	add_provenance(&a, pa->pa_cell[0]);
	add_provenance(&b, pa->pa_cell[1]);
	text_add(&both, "B %s, A %s", b.s, a.s);
	verdict_pair(t, co, pa, strcmp(a.s, b.s) == 0 ? b.s : both.s);
	text_add(t, ": ");
	if (row->cmr_verdict == COMPARE_REFUSED)
		text_add(t, "%s: %s: refused", row->cmr_quantity->qu_title,
		    pa->pa_refused);
	else
		add_row(t, co, row);
	return (t->s);
}

void
verdict_print_flags(FILE *out, const struct compare *co, const char *prefix)
{
	for (unsigned i = 0; i < co->co_flag_count; i++)
		fprintf(out, "%s%s\n", prefix, co->co_flags[i]);
}

void
verdict_print_sentences(FILE *out, const struct compare *co)
{
	const struct compare_row *row = NULL;

	verdict_print_flags(out, co, "# ");
	while ((row = compare_next(co, row)) != NULL)
		fprintf(out, "%s\n", TEXT_OF(verdict_sentence, co, row));
}

/* Cyan and yellow differ for those who see no red or green. */
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
print_row(FILE *out, const struct compare *co, const struct compare_row *row)
{
	const bool drawn = row->cmr_basis == COMPARE_BY_DRAWS;
	const double *range = drawn ? row->cmr_drawn.chg_band :
	    row->cmr_change_ci95;
	const struct quantity *qu = row->cmr_quantity;
	const char *low = FORMAT(change, range[0]);
	const char *high = FORMAT(change, range[1]);
	const bool same = co->co_page && strcmp(low, high) == 0;
	const char *const texts[nitems(page_columns)] = {
	    TEXT_OF(verdict_pair, co, row->cmr_pair, NULL), qu->qu_title,
	    TEXT_OF(quantity_figure, qu, row->cmr_median[0]),
	    TEXT_OF(quantity_figure, qu, row->cmr_median[1]),
	    FORMAT(change, compare_change(row)),
	    same ? low : FORMATF("%s..%s", low, high),
	    row->cmr_basis == COMPARE_BY_VALUE ? "exact" : drawn ?
	    FORMATF("in %s%%", FORMAT(percent, 100 *
	    row->cmr_drawn.chg_share)) : FORMAT(p, fmin(row->cmr_p[0],
	    row->cmr_p[1])), co->co_page || row->cmr_verdict < COMPARE_NONE ?
	    verdict_names[row->cmr_verdict] :
	    row->cmr_stop == COMPARE_STOP_REPEATS ? "few" : "", FORMATF("%s%s",
	    verdict_stops[row->cmr_stop], REPEATS_TEXT(co, row->cmr_stop))
	};

	fputs(colour(out, row->cmr_verdict), out);
	if (co->co_page)
		columns_row(out, page_columns, nitems(page_columns), texts);
	else
		columns_row(out, row_columns, nitems(row_columns), texts + 1);
	fputs(colour(out, COMPARE_NONE), out);
}

/*
 * Whether a row is in the table: a clear change, better or worse or stopped by
 * a rule.  Without -v it is ranked, or would be with more repeats.
 */
static bool
matters(const struct compare *co, const struct compare_row *row)
{
	return (row->cmr_wanted && (row->cmr_verdict < COMPARE_NONE ||
	    row->cmr_stop == COMPARE_STOP_REPEATS || (co->co_verbose &&
	    row->cmr_stop != COMPARE_STOP_NONE)));
}

static void
print_refused(FILE *out, const struct compare *co,
    const struct compare_pair *pa)
{
	const struct compare_pair *p = co->co_pairs;
	unsigned more = 0;

	/* Pairs with one reason are one line. */
	for (; !co->co_verbose && p < co->co_pairs + co->co_pair_count; p++)
		if (p != pa && strcmp(p->pa_refused, pa->pa_refused) == 0) {
			if (p < pa)
				return;
			more++;
		}
	fputc('\n', out);
	format_wrapf(out, "", 2, "%s:", TEXT_OF(verdict_pair, co, pa, NULL));
	format_wrapf(out, "", 2, "refused: %s%s", pa->pa_refused, more == 0 ?
	    "" : FORMATF("; so %s %u more pair%s%s", more == 1 ? "is" : "are",
	    more, PLURAL(more), co->co_page ? "" : ", which -v lists"));
}

static void
print_pair(FILE *out, const struct compare *co, const struct compare_pair *pa)
{
	const struct compare_row *row, *end = pa->pa_row + QUANTITIES;
	struct text t = { .s = "" };
	bool any = false;

	if (pa->pa_refused[0] != '\0') {
		print_refused(out, co, pa);
		return;
	}
	for (row = pa->pa_row; row < end; row++)
		any |= matters(co, row);
	if (!any && !co->co_verbose)
		return;
	fputc('\n', out);
	format_wrapf(out, "", 2, "%s:", TEXT_OF(verdict_pair, co, pa, NULL));
	if (any)
		COLUMNS_TITLES(out, row_columns);
	for (row = pa->pa_row; row < end; row++)
		if (matters(co, row))
			print_row(out, co, row);
	/* The quantities without a verdict, by what stopped them. */
	for (unsigned stop = 0; stop < COMPARE_STOPS && co->co_verbose;
	    stop++) {
		t.s[0] = '\0';
		for (row = pa->pa_row; row < end; row++)
			if (row->cmr_wanted && row->cmr_stop == stop &&
			    row->cmr_verdict == COMPARE_NONE &&
			    stop != COMPARE_STOP_REPEATS)
				text_list(&t, "%s",
				    row->cmr_quantity->qu_title);
		if (t.s[0] != '\0')
			format_wrapf(out, "", 2, "%s: no difference shown%s%s",
			    t.s, stop == COMPARE_STOP_NONE ? "" : ": ",
			    verdict_stops[stop]);
	}
}

static void
print_origin(FILE *out, const struct compare *co, unsigned side)
{
	const char *path = co->co_path[side];
	struct text t = { .s = "" };

	text_add(&t, "%s, ", strcmp(path, "-") == 0 ? "stdin" : path);
	describe_result(&t, co->co_result[side]);
	format_wrap(out, co->co_by != COMPARE_RESULTS ? "" : side == 0 ? "A:" :
	    "B:", 2, t.s);
}

/* What figures of the rows mean, and which changes are not ranked. */
static void
print_legend(FILE *out, const struct compare *co)
{
	/* What changes must be above, margin and machine alone. */
	const double least = fmax(co->co_margin, co->co_noise);
	const double latency = fmax(least,
	    quantities[QUANTITY_P50].qu_resolution);
	const bool paired = co->co_by != COMPARE_RESULTS &&
	    comparable_sliced(co->co_result[0]->cells);
	const struct compare_row *row = compare_next(co, NULL);
	struct text t = { .s = "" };

	while (row != NULL && row->cmr_stop != COMPARE_STOP_REPEATS)
		row = compare_next(co, row);
	text_add(&t, "A, B: medians; ");
	if (row != NULL && !co->co_page)
		text_add(&t, "few: %s, so no difference is shown%s; ",
		    verdict_stops[COMPARE_STOP_REPEATS],
		    REPEATS_TEXT(co, COMPARE_STOP_REPEATS));
	if (paired)
		text_add(&t, "change: of repeats that were measured side by "
		    "side, not of these; ");
	if (co->co_result[0]->uncertainty.samples > 0)
		text_add(&t, "change: the median of the drawn profiles; "
		    "interval: 10 to 90 %% of them; in: the share of them that "
		    "changes so; ");
	if (co->co_tests > 0)
		text_add(&t, "interval: 95 %% of the change; p: %s, corrected "
		    "for %u tests (Holm). The chance of any wrong better or "
		    "worse above is at most %.0f %%, if repeats are "
		    "independent. Changes", paired ? "of Yuen's test" :
		    "the smaller of Welch's and of Mann and Whitney's test",
		    co->co_tests, 100 * COMPARE_ALPHA);
	else
		text_add(&t, "changes");
	text_add(&t, " up to %.2g %%%s", 100 * least, co->co_noise >
	    co->co_margin ? ", by which the machine itself moved," : "");
	if (latency > least)
		text_add(&t, " (latencies: %.2g %%)", 100 * latency);
	format_wrapf(out, "", 2, "%s are reported as no difference shown%s.",
	    t.s, co->co_verbose || co->co_page ? "" : "; -v prints those rows");
}

void
verdict_print(FILE *out, const void *compare)
{
	const struct compare *co = compare;
	const unsigned *rows = co->co_rows;
	const struct compare_row *row;

	format_wrapf(out, "", 2, "%u pair%s: %u row%s better, %u worse, %u no "
	    "difference shown, %u refused", co->co_pair_count,
	    PLURAL(co->co_pair_count), rows[COMPARE_BETTER],
	    PLURAL(rows[COMPARE_BETTER]), rows[COMPARE_WORSE],
	    rows[COMPARE_NONE], rows[COMPARE_REFUSED]);
	print_origin(out, co, 0);
	if (co->co_by == COMPARE_RESULTS)
		print_origin(out, co, 1);
	for (unsigned i = 0; i < co->co_flag_count; i++)
		format_wrap(out, "-", 2, co->co_flags[i]);
	if (co->co_page && rows[COMPARE_BETTER] + rows[COMPARE_WORSE] +
	    rows[COMPARE_NONE] > 0) {
		fputc('\n', out);
		COLUMNS_TITLES(out, page_columns);
	}
	/* What readers get comes first. */
	for (unsigned q = 0; q < QUANTITIES && co->co_page; q++)
		for (row = NULL; (row = compare_next(co, row)) != NULL;)
			if (row->cmr_quantity == &quantities[q] &&
			    row->cmr_verdict != COMPARE_REFUSED)
				print_row(out, co, row);
	for (unsigned i = 0; i < co->co_pair_count; i++)
		if (!co->co_page || co->co_pairs[i].pa_refused[0] != '\0')
			print_pair(out, co, &co->co_pairs[i]);
	fputc('\n', out);
	if (co->co_pair_count * QUANTITIES > rows[COMPARE_REFUSED])
		print_legend(out, co);
}

#define	PAIRED	(1u << COMPARE_BY_PAIRS)
#define	DRAWN	(1u << COMPARE_BY_DRAWS)

/* The figures of a row that was not refused. */
static const struct figure {
	const char	*fg_name;
	size_t		 fg_offset;
	bool		 fg_pair;	/* of low and high */
	double		 fg_unit;
	unsigned	 fg_bases;	/* that have it */
} figures[] = {
#define	AT(member)	offsetof(struct compare_row, member)
	{ "median_a", AT(cmr_median[0]), false, 1, ~0u },
	{ "median_a_ci95", AT(cmr_ci95[0]), true, 1, ~0u },
	{ "median_b", AT(cmr_median[1]), false, 1, ~0u },
	{ "median_b_ci95", AT(cmr_ci95[1]), true, 1, ~0u },
	{ "change_percent", AT(cmr_change), false, 100, ~0u },
	{ "change_percent_ci95", AT(cmr_change_ci95), true, 100, ~0u },
	{ "p_welch", AT(cmr_p[0]), false, 1, ~PAIRED },
	{ "p_mann_whitney", AT(cmr_p[1]), false, 1, ~PAIRED },
	/* The last columns of CSV. */
	{ "drawn_change_percent", AT(cmr_drawn.chg_median), false, 100, DRAWN },
	{ "drawn_change_percent_band", AT(cmr_drawn.chg_band), true, 100,
	    DRAWN },
	{ "drawn_share", AT(cmr_drawn.chg_share), false, 1, DRAWN },
	{ "p_paired", AT(cmr_p[0]), false, 1, PAIRED },
#undef AT
};

enum {
	FIGURES	= nitems(figures),
	LATER	= FIGURES - 4	/* the first of those */
};

static void
print_figures(FILE *out, const struct compare_row *row, unsigned from,
    unsigned to)
{
	for (const struct figure *fg = figures + from; fg < figures + to; fg++)
		for (unsigned k = 0; k <= fg->fg_pair; k++) {
			fputc(',', out);
			if (row == NULL)
				fprintf(out, "%s%s", fg->fg_name, !fg->fg_pair ?
				    "" : k == 0 ? "_low" : "_high");
			else if (row->cmr_verdict != COMPARE_REFUSED &&
			    (fg->fg_bases & 1u << row->cmr_basis) != 0)
				fprintf(out, "%.9g", fg->fg_unit *
				    ((const double *)(const void *)
				    ((const char *)row + fg->fg_offset))[k]);
		}
}

static void
print_csv_row(FILE *out, const struct compare *co,
    const struct compare_row *row)
{
	const struct result_cell *a = row->cmr_pair->pa_cell[0];
	const struct result_cell *b = row->cmr_pair->pa_cell[1], *cell;
	const char *const names[] = { b->engine, a->design, b->design, a->lock,
	    b->lock, a->cipher, b->cipher, b->crypto };

	for (unsigned i = 0; i < nitems(names); i++) {
		format_quoted(out, names[i]);
		fputc(',', out);
	}
	fprintf(out, "%u,%" PRIu64 ",", b->readers, b->request_bytes);
	format_quoted(out, b->workload);
	fprintf(out, ",%.9g,%s,%u,%u", b->rate_per_s,
	    row->cmr_quantity->qu_name, a->repeats, b->repeats);
	print_figures(out, row, 0, LATER);
	fprintf(out, ",%s,", verdict_names[row->cmr_verdict]);
	format_quoted(out, TEXT_OF(verdict_sentence, co, row));
	fputc(',', out);
	format_quoted(out, verdict_stops[row->cmr_stop]);
	for (unsigned side = 0; side < 2; side++) {
		/* Empty where the cell was measured. */
		cell = row->cmr_pair->pa_cell[side];
		fputc(',', out);
		format_quoted(out, cell->profile);
		fputc(',', out);
		if (cell->profile[0] != '\0')
			fprintf(out, "%.9g", cell->guessed_share);
	}
	print_figures(out, row, LATER, FIGURES);
	fputc('\n', out);
}

void
verdict_print_csv(FILE *out, const struct compare *co)
{
	const struct compare_row *row = NULL;

	fputs("engine,design_a,design_b,lock_a,lock_b,cipher_a,cipher_b,"
	    "crypto,readers,request_bytes,workload,rate_per_s,quantity,"
	    "repeats_a,repeats_b", out);
	print_figures(out, NULL, 0, LATER);
	fputs(",verdict,sentence,stopped_by,profile_a,guessed_share_a,"
	    "profile_b,guessed_share_b", out);
	print_figures(out, NULL, LATER, FIGURES);
	fputc('\n', out);
	while ((row = compare_next(co, row)) != NULL)
		print_csv_row(out, co, row);
}
