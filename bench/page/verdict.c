/*
 * Which design, or result, did better: in words and as a table.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "bench/page/page.h"

/* The rows of one quantity, of what is compared with one name. */
struct tally {
	unsigned	ta_rows[COMPARE_REFUSED + 1];
	unsigned	ta_count;
	/* Least and largest change of those that were ranked. */
	double		ta_change[COMPARE_NONE][2];
	const char	*ta_refused;	/* why, the first */
};

/* What rows of a sentence have in common: B's design, lock or cipher. */
static const char *
subject(const struct compare *co, const struct compare_pair *pa)
{
	return (co->co_by == COMPARE_RESULTS ? pa->pa_cell[1]->design :
	    compare_name(co, pa, 1));
}

static void
count(const struct compare *co, const char *name, const struct quantity *qu,
    struct tally *ta)
{
	const struct compare_row *row = NULL;
	double change, *range;

	*ta = (struct tally){ .ta_count = 0 };
	while ((row = compare_next(co, row)) != NULL) {
		if (row->cr_quantity != qu ||
		    strcmp(subject(co, row->cr_pair), name) != 0)
			continue;
		ta->ta_count++;
		if (row->cr_verdict == COMPARE_REFUSED &&
		    ta->ta_refused == NULL)
			ta->ta_refused = row->cr_pair->pa_refused;
		if (row->cr_verdict < COMPARE_NONE) {
			change = compare_change(row);
			range = ta->ta_change[row->cr_verdict];
			if (ta->ta_rows[row->cr_verdict] == 0)
				range[0] = range[1] = change;
			range[0] = fmin(range[0], change);
			range[1] = fmax(range[1], change);
		}
		ta->ta_rows[row->cr_verdict]++;
	}
}

/* "read p99: better in 3 of 4 (-31 % to -12 %), no difference shown in 1" */
static void
add_tally(struct text *t, const struct quantity *qu, const struct tally *ta)
{
	const char *before = "";

	text_add(t, " %c%s:", toupper((unsigned char)qu->qu_title[0]),
	    qu->qu_title + 1);
	for (unsigned v = 0; v <= COMPARE_REFUSED; v++) {
		if (ta->ta_rows[v] == 0)
			continue;
		text_add(t, "%s %s in %u of %u", before, verdict_names[v],
		    ta->ta_rows[v], ta->ta_count);
		if (v < COMPARE_NONE)
			text_add(t, " (%s %% to %s %%)",
			    FORMAT(change, ta->ta_change[v][0]),
			    FORMAT(change, ta->ta_change[v][1]));
		before = ",";
	}
	text_add(t, ".");
}

/* The sentence that a reader in a hurry takes away. */
static const char *
headline(const struct tally *ta)
{
	const unsigned *rows = ta->ta_rows;

	if (rows[COMPARE_REFUSED] == ta->ta_count)
		return ("cannot be judged against");
	if (rows[COMPARE_BETTER] + rows[COMPARE_WORSE] == 0)
		return ("gives no other MB/s, as far as this shows, than");
	if (rows[COMPARE_BETTER] > 0 && rows[COMPARE_WORSE] > 0)
		return ("gives more MB/s in some cells and less in others "
		    "than");
	return (rows[COMPARE_BETTER] > 0 ? "gives more MB/s than" :
	    "gives less MB/s than");
}

static void
print_subject(FILE *out, const struct compare *co,
    const struct compare_pair *pa)
{
	static const char *const classes[] = { "p class=\"better\"",
	    "p class=\"worse\"", "p" };
	const char *name = subject(co, pa);
	struct text t = { .s = "" };
	const bool results = co->co_by == COMPARE_RESULTS;
	struct tally ta;
	unsigned q;

	count(co, name, quantities, &ta);
	text_add(&t, "%s%s%s %s %s.", results ? name : "", results ? ": " : "",
	    results ? "B" : name, headline(&ta), compare_name(co, pa, 0));
	q = ta.ta_rows[COMPARE_BETTER] > 0 && ta.ta_rows[COMPARE_WORSE] == 0 ?
	    0 : ta.ta_rows[COMPARE_WORSE] > 0 &&
	    ta.ta_rows[COMPARE_BETTER] == 0 ? 1 : 2;
	fprintf(out, "<%s>", classes[q]);
	page_paragraph(out, "strong", t.s);
	t.s[0] = '\0';
	if (ta.ta_refused != NULL && ta.ta_rows[COMPARE_REFUSED] == ta.ta_count)
		text_add(&t, " The first reason: %s.", ta.ta_refused);
	else
		for (q = 0; q < QUANTITIES; q++) {
			count(co, name, &quantities[q], &ta);
			if (ta.ta_count > 0)
				add_tally(&t, &quantities[q], &ta);
		}
	page_escape(out, t.s, strlen(t.s));
	fputs("</p>\n", out);
}

void
page_words(FILE *out, const struct compare *co)
{
	const struct compare_pair *pa, *earlier;

	for (pa = co->co_pairs; pa < co->co_pairs + co->co_pair_count; pa++) {
		for (earlier = co->co_pairs; earlier < pa; earlier++)
			if (strcmp(subject(co, earlier), subject(co, pa)) == 0)
				break;
		if (earlier == pa)
			print_subject(out, co, pa);
	}
}

static void
print_row(FILE *out, const struct compare *co, const struct compare_row *row,
    const struct column *columns, unsigned n)
{
	struct text a = { .s = "" }, b = { .s = "" }, pair = { .s = "" };
	const char *texts[] = { verdict_names[row->cr_verdict],
	    row->cr_quantity->qu_title, NULL, NULL, NULL, NULL, NULL, NULL,
	    NULL };

	verdict_pair(&pair, co, row->cr_pair);
	texts[7] = pair.s;
	texts[8] = row->cr_verdict == COMPARE_REFUSED ?
	    row->cr_pair->pa_refused : verdict_stops[row->cr_stop];
	if (row->cr_verdict != COMPARE_REFUSED) {
		quantity_figure(&a, row->cr_quantity, row->cr_median[0]);
		quantity_figure(&b, row->cr_quantity, row->cr_median[1]);
		texts[2] = FORMATF("%s %%",
		    FORMAT(change, compare_change(row)));
		texts[3] = FORMATF("%s to %s",
		    FORMAT(change, row->cr_change_ci95[0]),
		    FORMAT(change, row->cr_change_ci95[1]));
		texts[4] = a.s;
		texts[5] = b.s;
		texts[6] = row->cr_basis == COMPARE_BY_DRAWS ? FORMATF("drawn "
		    "%s %%", FORMAT(percent, 100 * row->cr_drawn.sc_share)) :
		    FORMATF("%.2g", fmin(row->cr_p[0], row->cr_p[1]));
		columns_row(out, columns, n, texts);
		return;
	}
	columns_row(out, columns, n, texts);
}

struct rows {
	const struct compare *rw_compare;
	enum compare_verdict rw_from, rw_to;
};

static void
print_rows(FILE *out, const void *of)
{
	static const struct column columns[] = {
		{ "verdict", -1 }, { "of", -1 }, { "change", 1 },
		{ "95 % interval, %", 1 }, { "A", 1 }, { "B", 1 }, { "p", 1 },
		{ "compared", -1 }, { "why not ranked", -1 }
	};
	enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };
	const struct rows *rw = of;
	const struct compare_row *row;

	columns_titles(out, columns, COLUMNS);
	for (unsigned v = rw->rw_from; v <= rw->rw_to; v++)
		for (row = compare_next(rw->rw_compare, NULL); row != NULL;
		    row = compare_next(rw->rw_compare, row))
			if (row->cr_verdict == v)
				print_row(out, rw->rw_compare, row, columns,
				    COLUMNS);
}

static void
print_conditions(FILE *out, const void *co)
{
	verdict_print_conditions(out, co);
}

static void
print_end(FILE *out, const void *co)
{
	verdict_print_end(out, co);
}

void
page_differences(FILE *out, const struct compare *co)
{
	const unsigned *n = co->co_rows;
	const struct rows ranked = { co, COMPARE_BETTER, COMPARE_WORSE };
	const struct rows others = { co, COMPARE_NONE, COMPARE_REFUSED };

	page_printed(out, print_conditions, co);
	if (n[COMPARE_BETTER] + n[COMPARE_WORSE] > 0)
		page_printed(out, print_rows, &ranked);
	else
		page_paragraph(out, "p", "No row is better or worse.");
	if (n[COMPARE_NONE] + n[COMPARE_REFUSED] > 0) {
		page_fold(out, FORMATF("No difference shown: %u rows; refused: "
		    "%u rows", n[COMPARE_NONE], n[COMPARE_REFUSED]));
		page_printed(out, print_rows, &others);
		page_unfold(out);
	}
	page_printed(out, print_end, co);
}
