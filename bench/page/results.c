/* The page of a result, or of two that are compared. */
#include "bench/compare/compare.h"
#include "bench/page/page.h"
#include "bench/report/report.h"

enum { SUBJECT_PLACES = 3 };	/* that a sentence names */

/*
 * Compares by the first of design, lock and cipher that differs, or the two
 * results.  Returns: 0; or an error, and why there is no comparison.
 */
static int
compare(const struct page_results *pr, struct compare *co,
    char why[COMPARE_TEXT_SIZE])
{
	const struct result *a = pr->pgr_result, *b = &a[pr->pgr_count - 1];
	const bool two = a != b;
	const struct compare wanted = {
		.co_result = { a, b },
		.co_path = { pr->pgr_path[0], pr->pgr_path[two] },
		.co_wanted = two ? (1u << QUANTITIES) - 1 :
		    1u << QUANTITY_TOTAL | 1u << QUANTITY_P99 |
		    1u << QUANTITY_HARVEST_CPU | 1u << QUANTITY_PRODUCED |
		    1u << QUANTITY_SEEDED,
		.co_margin = compare_margin(a), .co_page = true
	};
	unsigned by = two ? COMPARE_RESULTS : COMPARE_DESIGN;
	int error;

	if (a->cell_count == 0 || b->cell_count == 0)
		return (format_wrong(why, COMPARE_TEXT_SIZE, "There are no "
		    "cells, so there is nothing to compare or to draw."));
	do {
		compare_free(co);
		*co = wanted;
		co->co_by = (enum compare_by)by;
		if ((error = compare_conditions(co, false, why)) == 0)
			error = compare_match(co, NULL, why);
	} while (error != 0 && !two && by++ < COMPARE_CIPHER);
	if (error != 0 && !two)
		snprintf(why, COMPARE_TEXT_SIZE, "No two cells differ in "
		    "design, lock or cipher alone, so there is nothing to "
		    "compare.");
	if (error == 0)
		compare_judge(co);
	return (error);
}

/* What rows of a sentence have in common: B's design, lock or cipher. */
static const char *
subject(const struct compare *co, const struct compare_pair *pa)
{
	return (co->co_by == COMPARE_RESULTS ? pa->pa_cell[1]->design :
	    compare_name(co, pa, 1));
}

/*
 * "total MB/s: better in 3 of 4 (+2.0 % to +100 %), worse in 1 of 4 (-3.0 %:
 * chacha20, 16 readers of 64 KiB)".  A colour is for most cells only.
 */
static void
print_subject(FILE *out, const struct compare *co,
    const struct compare_pair *pa)
{
	double change[COMPARE_REFUSED + 1][2] = { { 0 } };
	unsigned n[COMPARE_REFUSED + 1] = { 0 }, all = 0, v;
	const unsigned q = pa->pa_cell[1]->time_to_seeded_ns > 0 ?
	    QUANTITY_SEEDED : pa->pa_cell[1]->readers > 0 ? QUANTITY_TOTAL :
	    QUANTITY_PRODUCED;
	struct text t = { .s = "" };
	struct text where[COMPARE_REFUSED + 1] = { { .s = "" } };
	const struct compare_row *row;

	for (const struct compare_pair *p = co->co_pairs;
	    p < co->co_pairs + co->co_pair_count; p++) {
		if (strcmp(subject(co, p), subject(co, pa)) != 0)
			continue;
		row = &p->pa_row[q];
		if (!row->cmr_wanted)
			continue;
		v = row->cmr_verdict;
		if (n[v]++ == 0)
			change[v][0] = change[v][1] = compare_change(row);
		change[v][0] = fmin(change[v][0], compare_change(row));
		change[v][1] = fmax(change[v][1], compare_change(row));
		all++;
		text_add(&where[v], "%s", n[v] > 1 ? "; " : ": ");
		if (p->pa_cell[1]->acquisition_ns <= 0)
			text_add(&where[v], "%s, ", p->pa_cell[1]->cipher);
		describe_load(&where[v], p->pa_cell[1]);
	}
	for (v = 0; v <= COMPARE_REFUSED; v++) {
		const char *low = FORMAT(change, change[v][0]);
		const char *high = FORMAT(change, change[v][1]);

		if (n[v] == 0)
			continue;
		text_list(&t, "%s in %u of %u", verdict_names[v], n[v], all);
		if (v < COMPARE_NONE)
			text_add(&t, " (%s %%%s%s)", low,
			    strcmp(low, high) == 0 ? "" :
			    FORMATF(" to %s %%", high),
			    2 * n[v] > all || n[v] > SUBJECT_PLACES ? "" :
			    where[v].s);
	}
	fprintf(out, "<p%s>\n",
	    n[COMPARE_WORSE] == 0 && 2 * n[COMPARE_BETTER] > all ?
	    " class=\"better\"" :
	    n[COMPARE_BETTER] == 0 && 2 * n[COMPARE_WORSE] > all ?
	    " class=\"worse\"" : "");
	page_paragraph(out, "strong", FORMATF("%s%s instead of %s",
	    subject(co, pa), co->co_by == COMPARE_RESULTS ? ", B" : "",
	    compare_name(co, pa, 0)));
	/* It may be longer than a cell of a table. */
	page_paragraph(out, "span", TEXT_OF(text_add, "%s: %s.",
	    quantities[q].qu_title, t.s));
	fputs("</p>\n", out);
}

/* Values and lists of words. */
static void
print_provenance(FILE *out, const void *r)
{
	static const struct column columns[] = { { "field", -1 },
	    { "value", -1 } };
	json_t *head = result_format_head(r), *value;
	const char *key;
	char *text;

	COLUMNS_TITLES(out, columns);
	json_object_foreach(head, key, value) {
		if (json_is_object(value) || (json_is_array(value) &&
		    !json_is_string(json_array_get(value, 0))))
			continue;
		text = json_dumps(value, JSON_ENCODE_ANY |
		    JSON_REAL_PRECISION(9));
		COLUMNS_ROW(out, columns, key, text);
		free(text);
	}
	json_decref(head);
}

static void
print_result(FILE *out, const struct page_results *pr, unsigned side)
{
	const struct result *r = &pr->pgr_result[side];
	const char ab = "ab"[side];
	const char *of = pr->pgr_count == 1 ? "" : side == 0 ? " of A" :
	    " of B";
	char *picture = NULL, why[RESULT_TEXT_SIZE];
	const struct result_cell *c;
	size_t size;

	if (r->cell_count > 0) {
		page_section(out, FORMATF("charts-%c", ab), FORMATF("Charts%s",
		    of));
		if (plot_draw(r, &(struct plot){ .plt_form = PLOT_PAGE,
		    .plt_panels = PLOT_USUAL, .plt_width = 320 }, &picture,
		    &size, why) == 0)
			fputs(picture, out);
		else {
			fprintf(stderr, "rngsim: report: %s: a page without "
			    "charts: %s\n", pr->pgr_file, why);
			page_paragraph(out, "p class=\"warning\"",
			    FORMATF("No charts: %.100s", why));
		}
		free(picture);
	}
	page_section(out, FORMATF("cells-%c", ab), FORMATF("Cells%s", of));
	page_printed(out, table_print, r);
	page_section(out, FORMATF("each-%c", ab), FORMATF("Each cell%s: "
	    "readers, latencies, lock profile", of));
	for (c = r->cells; c < r->cells + r->cell_count; c++) {
		fputs("<details>", out);
		page_paragraph(out, "summary", TEXT_OF(describe_cell, c));
		page_printed(out, table_cell_print,
		    &(struct table_cell){ r, c });
		/* The page's script draws their distribution. */
		if (comparable_sliced(c))
			fputs("<p class=\"values\">MB/s of slices:", out);
		for (const struct result_sample *s = c->samples;
		    s < c->samples + c->repeats; s++)
			for (unsigned i = 0; i < s->slices; i++)
				fprintf(out, " %s", FORMAT(real,
				    s->slice_mb_per_s[i]));
		fputs("</details>\n", out);
	}
	page_section(out, FORMATF("provenance-%c", ab),
	    FORMATF("Provenance%s", of));
	page_printed(out, print_provenance, r);
}

/* Whether a pair is the first of its subject. */
static bool
is_first(const struct compare *co, const struct compare_pair *pa)
{
	const struct compare_pair *earlier = co->co_pairs;

	while (earlier < pa &&
	    strcmp(subject(co, earlier), subject(co, pa)) != 0)
		earlier++;
	return (earlier == pa);
}

void
page_results(FILE *out, const void *of)
{
	const struct page_results *pr = of;
	enum result_kind kind = provenance_of(pr->pgr_result);
	struct text line = { .s = "" }, title = { .s = "" };
	struct compare co = { .co_pairs = NULL };
	char why[COMPARE_TEXT_SIZE] = "";
	const bool compared = compare(pr, &co, why) == 0;
	bool complete = true;

	for (unsigned side = 0; side < pr->pgr_count; side++) {
		const struct result *r = &pr->pgr_result[side];

		complete = complete && r->complete;
		if (provenance_of(r) != kind)
			kind = RESULT_BOTH;
		text_add(&line, "%s", side == 0 ? "" : "; B: ");
		describe_result(&line, r);
	}
	for (unsigned i = 0; co.co_by != COMPARE_RESULTS && compared &&
	    i < co.co_pair_count; i++)
		if (is_first(&co, &co.co_pairs[i]))
			text_list(&title, "%s", subject(&co, &co.co_pairs[i]));
	if (pr->pgr_count == 2)
		text_add(&title, "%s (B) instead of %s (A)", pr->pgr_path[1],
		    pr->pgr_path[0]);
	else if (title.s[0] != '\0')
		text_add(&title, " instead of %s: %s", compare_name(&co,
		    co.co_pairs, 0), pr->pgr_path[0]);
	else
		text_add(&title, "rngsim: %s", pr->pgr_path[0]);
	page_begin(out, title.s, kind, line.s);
	if (!complete)
		page_paragraph(out, "p class=\"warning\"", "INCOMPLETE: "
		    "stopped before everything was done.");
	/* A sentence for each subject. */
	for (unsigned i = 0; compared && i < co.co_pair_count; i++)
		if (is_first(&co, &co.co_pairs[i]))
			print_subject(out, &co, &co.co_pairs[i]);
	if (compared) {
		page_section(out, "differences", "Differences");
		page_printed(out, verdict_print, &co);
	} else
		page_paragraph(out, "p class=\"warning\"", why);
	compare_free(&co);
	for (unsigned side = 0; side < pr->pgr_count; side++)
		print_result(out, pr, side);
	page_end(out);
}
