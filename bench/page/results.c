/*
 * The page of a result, or of two that are compared.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/page/page.h"
#include "bench/report/comparable.h"
#include "bench/report/plot.h"
#include "bench/report/report.h"
#include "bench/result/field.h"

/* What a page of one result compares: bits of quantities[]. */
static const unsigned compared = 1u << 0 | 1u << 3 | 1u << QUANTITY_HARVEST_CPU;

/* What a gate means, by its beginning. */
static const struct {
	const char	*gt_gate;
	const char	*gt_means;
} gates[] = {
	{ "drift within", "The two halves of a window differ by more than "
	    "10 %. Another program had the CPU, or its frequency changed. "
	    "Measure again on an idle machine." },
	{ "drift over", "The figures rise or fall from the first repeat to "
	    "the last. Their median is of no one state of the machine. "
	    "Measure again, or for longer." },
	{ "binding", "The system refused to bind a thread to its CPU, so that "
	    "its scheduler is in the figures." },
	{ "the host moved", "A thread did not stay on its CPU. The cell "
	    "measures another placement than it names." },
};

static void
print_claim(const struct result *r, struct text *t)
{
	char machine[COMPARABLE_SIZE];

	if (provenance_of(r) > RESULT_MEASURED)
		text_add(t, "for %s; computed ",
		    provenance_machine(r, machine));
	text_add(t, "on %s, %u CPU%s, %s", r->host.cpu_model, r->host.cpus,
	    PLURAL(r->host.cpus), r->started);
	if (r->host.invariants)
		text_add(t, "; INVARIANTS on, no figures to quote");
}

/*
 * Compares by the first of design, lock and cipher that differs, or the two
 * results.
 *
 *   why  out  why there is no comparison
 *
 * Returns: 0 or EINVAL.
 */
static int
compare(const struct page_results *ps, struct compare *co,
    char why[COMPARE_TEXT_SIZE])
{
	const struct result *a = ps->ps_result[0], *b = ps->ps_result[1];
	const bool two = b != NULL;
	const struct compare wanted = {
		.co_result = { a, two ? b : a },
		.co_path = { ps->ps_path[0], ps->ps_path[two] },
		.co_wanted = two ? (1u << QUANTITIES) - 1 : compared,
		.co_margin = compare_margin(a)
	};
	unsigned by = two ? COMPARE_RESULTS : COMPARE_DESIGN;
	int error;

	if (a->cell_count == 0 || (two && b->cell_count == 0)) {
		snprintf(why, COMPARE_TEXT_SIZE, "There are no cells, so there "
		    "is nothing to compare or to draw.");
		return (EINVAL);
	}
	do {
		compare_free(co);
		*co = wanted;
		co->co_by = (enum compare_by)by;
		error = compare_conditions(co, false, why);
		if (error == 0)
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

static void
print_table(FILE *out, const void *r)
{
	table_print(out, r);
}

static void
print_cell(FILE *out, const void *cell)
{
	table_cell_print(out, cell);
	report_waits_cell(out, cell);
}

static void
print_gates(FILE *out, const void *of)
{
	static const struct column columns[] = {
		{ "cell", -1 }, { "gate", -1 }, { "meaning", -1 }
	};
	const struct result *r = of;
	const char *means;
	unsigned i;

	COLUMNS_TITLES(out, columns);
	for (const struct result_cell *c = r->cells;
	    c < r->cells + r->cell_count; c++) {
		struct text t = { .s = "" };

		if (!comparable_gated(c))
			continue;
		for (means = "", i = 0; i < sizeof(gates) / sizeof(gates[0]);
		    i++)
			if (strncmp(c->gate, gates[i].gt_gate,
			    strlen(gates[i].gt_gate)) == 0)
				means = gates[i].gt_means;
		verdict_cell(&t, c);
		COLUMNS_ROW(out, columns, t.s, c->gate, means);
	}
}

/* The fields of a structure that are one value or a list of words. */
static void
print_fields(FILE *out, const struct field *f, const void *base)
{
	static const struct column columns[] = { { "", -1 }, { "", -1 } };
	const char *const *words;
	const void *p;

	for (; f->f_key != NULL; f++) {
		struct text t = { .s = "" };

		p = (const char *)base + f->f_offset;
		if (f->f_shape != FIELD_ONE || !field_given(f, base))
			continue;
		switch (field_types[f->f_kind].ft_form) {
		case FORM_TEXT:
			text_add(&t, "%s", (const char *)p);
			break;
		case FORM_WORDS:
			for (words = *(const char *const *const *)p;
			    words != NULL && *words != NULL; words++)
				text_add(&t, "%s ", *words);
			break;
		case FORM_BOOL:
			text_add(&t, *(const bool *)p ? "yes" : "no");
			break;
		case FORM_UNSIGNED:
			text_add(&t, "%u", *(const unsigned *)p);
			break;
		case FORM_UINT64:
			text_add(&t, "%" PRIu64, *(const uint64_t *)p);
			break;
		case FORM_DOUBLE:
			text_add(&t, "%.9g", *(const double *)p);
			break;
		default:
			continue;
		}
		if (t.s[0] != '\0')
			COLUMNS_ROW(out, columns, f->f_key, t.s);
	}
}

static void
print_provenance(FILE *out, const void *of)
{
	static const struct column titles[] = { { "field", -1 },
	    { "value", -1 } };
	const struct result *r = of;

	COLUMNS_TITLES(out, titles);
	print_fields(out, result_document_fields, r);
	print_fields(out, result_host_fields, &r->host);
}

static void
print_charts(FILE *out, struct page_results *ps, const struct result *r)
{
	struct text legend = { .s = "" };
	char *pictures;
	size_t size;
	int error;

	error = plot_pictures(r, &legend, &pictures, &size, ps->ps_chartless);
	if (error == 0)
		page_pictures(out, pictures, legend.s, !ps->ps_charts);
	else
		page_paragraph(out, "p class=\"warning\"",
		    FORMATF("No charts: %.100s", ps->ps_chartless));
	ps->ps_charts |= error == 0;
	free(pictures);
}

/* Everything about one result but the comparison. */
static void
print_result(FILE *out, struct page_results *ps, unsigned side)
{
	const char *of = ps->ps_result[1] == NULL ? "" : side == 0 ? " of A" :
	    " of B";
	const char ab = side == 0 ? 'a' : 'b';
	const struct result *r = ps->ps_result[side];
	const struct result_cell *c;
	bool gated = false;

	page_section(out, FORMATF("cells-%c", ab), FORMATF("Cells%s", of));
	page_printed(out, print_table, r);
	for (c = r->cells; c < r->cells + r->cell_count; c++)
		gated |= comparable_gated(c);
	if (gated) {
		page_section(out, FORMATF("gates-%c", ab), FORMATF("Cells%s "
		    "that failed a gate: do not rank them", of));
		page_printed(out, print_gates, r);
	}
	page_section(out, FORMATF("each-%c", ab), FORMATF("Each cell%s: "
	    "readers, latencies, locks, waits", of));
	for (c = r->cells; c < r->cells + r->cell_count; c++) {
		struct text t = { .s = "" };

		verdict_cell(&t, c);
		page_fold(out, t.s);
		page_printed(out, print_cell, c);
		page_unfold(out);
	}
	page_section(out, FORMATF("provenance-%c", ab),
	    FORMATF("Provenance%s", of));
	page_printed(out, print_provenance, r);
}

static void
print_data(FILE *out, const struct page_results *ps)
{
	static const char *const names[] = { "rngsim-result",
	    "rngsim-result-b" };
	unsigned side;
	char *json;

	for (side = 0; side < 2; side++) {
		if (ps->ps_result[side] == NULL)
			continue;
		json = result_format_json(ps->ps_result[side]);
		page_data(out, names[side], json);
		free(json);
	}
}

static void
print_charts_of(FILE *out, struct page_results *ps, unsigned side)
{
	const struct result *r = ps->ps_result[side];

	if (r == NULL || r->cell_count == 0)
		return;
	page_section(out, FORMATF("charts-%c", "ab"[side]),
	    FORMATF("Charts%s", ps->ps_result[1] == NULL ? "" : side == 0 ?
	    " of A" : " of B"));
	print_charts(out, ps, r);
}

/* The verdict, then charts; of two results their differences first. */
static void
print_comparison(FILE *out, struct page_results *ps)
{
	const bool two = ps->ps_result[1] != NULL;
	struct compare co = { .co_pairs = NULL };
	char why[COMPARE_TEXT_SIZE] = "";
	int status;

	status = compare(ps, &co, why);
	if (status == 0)
		page_words(out, &co);
	else
		page_paragraph(out, "p class=\"warning\"", why);
	if (!two)
		print_charts_of(out, ps, 0);
	if (status == 0) {
		page_section(out, "differences", "Differences first");
		page_differences(out, &co);
	}
	if (two) {
		print_charts_of(out, ps, 0);
		print_charts_of(out, ps, 1);
	}
	compare_free(&co);
}

void
page_results(FILE *out, struct page_results *ps)
{
	const struct result *r = ps->ps_result[0], *b = ps->ps_result[1];
	const enum result_kind kind = provenance_of(r);
	struct text line = { .s = "" }, title = { .s = "rngsim: " };

	print_claim(r, &line);
	text_add(&title, "%s", ps->ps_path[0]);
	if (b != NULL) {
		text_add(&line, "; B: ");
		print_claim(b, &line);
		text_add(&title, " (A) and %s (B)", ps->ps_path[1]);
	}
	page_begin(out, title.s, b != NULL && provenance_of(b) != kind ?
	    PAGE_BOTH : (enum page_claim)kind, line.s);
	if (!r->complete || (b != NULL && !b->complete))
		page_paragraph(out, "p class=\"warning\"", "INCOMPLETE: "
		    "stopped before everything was done.");
	print_comparison(out, ps);
	print_result(out, ps, 0);
	if (b != NULL)
		print_result(out, ps, 1);
	print_data(out, ps);
	page_end(out);
}
