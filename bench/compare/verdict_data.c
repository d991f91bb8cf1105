#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench/compare/verdict.h"
#include "bench/console/figure.h"
#include "bench/result/json_text.h"

/* Empty where the cell was measured. */
static void
print_machine(FILE *out, const struct result_cell *cell)
{

	fputc(',', out);
	figure_quoted(out, cell->profile);
	fputc(',', out);
	if (cell->profile[0] != '\0')
		fprintf(out, "%.9g", cell->guessed_share);
}

static void
print_csv_row(FILE *out, const struct compare *co,
    const struct compare_pair *pa, unsigned q)
{
	const struct compare_row *row = &pa->pa_row[q];
	const struct result_cell *a = pa->pa_cell[0], *b = pa->pa_cell[1];
	const double figures[] = {
		row->cr_median[0], row->cr_ci95[0][0], row->cr_ci95[0][1],
		row->cr_median[1], row->cr_ci95[1][0], row->cr_ci95[1][1],
		100 * row->cr_change, 100 * row->cr_change_ci95[0],
		100 * row->cr_change_ci95[1], row->cr_p_welch, row->cr_p_rank
	};
	const char *const names[] = {
		b->engine, a->design, b->design, a->lock, b->lock, a->cipher,
		b->cipher, b->crypto
	};
	char text[COMPARE_TEXT_SIZE];
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		figure_quoted(out, names[i]);
		fputc(',', out);
	}
	fprintf(out, "%u,%" PRIu64 ",", b->readers, b->request_bytes);
	figure_quoted(out, b->workload);
	fprintf(out, ",%.9g,%s,%u,%u", b->rate_per_s,
	    quantities[q].qu_name, pa->pa_repeats[0], pa->pa_repeats[1]);
	for (i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		if (row->cr_verdict == COMPARE_REFUSED)
			fputc(',', out);
		else
			fprintf(out, ",%.9g", figures[i]);
	}
	fprintf(out, ",%s,", verdict_names[row->cr_verdict]);
	verdict_sentence(text, co, pa, q);
	figure_quoted(out, text);
	fputc(',', out);
	figure_quoted(out, verdict_stops[row->cr_stop]);
	print_machine(out, a);
	print_machine(out, b);
	fputc('\n', out);
}

void
verdict_print_csv(FILE *out, const struct compare *co)
{
	unsigned i, q;

	fputs("engine,design_a,design_b,lock_a,lock_b,cipher_a,cipher_b,"
	    "crypto,readers,request_bytes,workload,rate_per_s,quantity,"
	    "repeats_a,repeats_b,median_a,median_a_ci95_low,"
	    "median_a_ci95_high,median_b,median_b_ci95_low,"
	    "median_b_ci95_high,change_percent,change_percent_ci95_low,"
	    "change_percent_ci95_high,p_welch,p_mann_whitney,verdict,"
	    "sentence,stopped_by,profile_a,guessed_share_a,profile_b,"
	    "guessed_share_b\n", out);
	for (i = 0; i < co->co_pair_count; i++)
		for (q = 0; q < QUANTITIES; q++)
			if (compare_has_row(co, &co->co_pairs[i], q))
				print_csv_row(out, co, &co->co_pairs[i], q);
}

/*
 * json_pack(3) that keeps why the first failed: those around a part that is
 * NULL fail for that alone.
 */
static json_t *
pack(int *error, const char *fmt, ...)
{
	json_error_t why;
	json_t *j;
	va_list ap;

	va_start(ap, fmt);
	j = json_vpack_ex(&why, 0, fmt, ap);
	va_end(ap);
	if (j == NULL && *error == 0) {
		switch (json_error_code(&why)) {
		case json_error_invalid_utf8:
			*error = EILSEQ;
			break;
		case json_error_numeric_overflow:
			*error = ERANGE;
			break;
		default:
			*error = ENOMEM;
			break;
		}
	}
	return (j);
}

static json_t *
json_cell(const struct result_cell *c, int *error)
{

	return (pack(error,
	    "{s:s, s:s, s:s, s:s, s:s, s:i, s:I, s:s, s:f, s:s, s:s, s:f}",
	    "engine", c->engine, "design", c->design, "lock", c->lock,
	    "cipher", c->cipher, "crypto", c->crypto, "readers",
	    (int)c->readers, "request_bytes", (json_int_t)c->request_bytes,
	    "workload", c->workload, "rate_per_s", c->rate_per_s,
	    "arrivals", c->arrivals, "profile", c->profile, "guessed_share",
	    c->guessed_share));
}

static json_t *
json_row(const struct compare *co, const struct compare_pair *pa, unsigned q,
    int *error)
{
	const struct compare_row *row = &pa->pa_row[q];
	char text[COMPARE_TEXT_SIZE];

	verdict_sentence(text, co, pa, q);
	if (row->cr_verdict == COMPARE_REFUSED)
		return (pack(error, "{s:s, s:s, s:s}", "quantity",
		    quantities[q].qu_name, "verdict",
		    verdict_names[row->cr_verdict], "sentence", text));
	return (pack(error, "{s:s, s:f, s:[f,f], s:f, s:[f,f], s:f, s:[f,f], "
	    "s:f, s:f, s:s, s:s, s:s}", "quantity", quantities[q].qu_name,
	    "median_a", row->cr_median[0], "median_a_ci95",
	    row->cr_ci95[0][0], row->cr_ci95[0][1], "median_b",
	    row->cr_median[1], "median_b_ci95", row->cr_ci95[1][0],
	    row->cr_ci95[1][1], "change_percent", 100 * row->cr_change,
	    "change_percent_ci95", 100 * row->cr_change_ci95[0],
	    100 * row->cr_change_ci95[1], "p_welch", row->cr_p_welch,
	    "p_mann_whitney", row->cr_p_rank, "verdict",
	    verdict_names[row->cr_verdict], "stopped_by",
	    verdict_stops[row->cr_stop], "sentence", text));
}

static json_t *
json_pair(const struct compare *co, const struct compare_pair *pa, int *error)
{
	json_t *pair, *rows;
	unsigned q;

	/* A part that could not be made is NULL and makes the whole NULL. */
	rows = json_array();
	for (q = 0; q < QUANTITIES; q++) {
		if (compare_has_row(co, pa, q) && json_array_append_new(rows,
		    json_row(co, pa, q, error)) != 0) {
			json_decref(rows);
			return (NULL);
		}
	}
	pair = pack(error, "{s:o, s:o, s:i, s:i, s:s, s:o}", "a",
	    json_cell(pa->pa_cell[0], error), "b",
	    json_cell(pa->pa_cell[1], error),
	    "repeats_a", (int)pa->pa_repeats[0], "repeats_b",
	    (int)pa->pa_repeats[1], "refused", pa->pa_refused, "rows", rows);
	return (pair);
}

static json_t *
json_alone(const struct compare *co, unsigned side, int *error)
{
	json_t *cells;
	unsigned i;

	cells = json_array();
	for (i = 0; i < co->co_alone_count[side]; i++) {
		if (json_array_append_new(cells,
		    json_cell(co->co_alone[side][i], error)) != 0) {
			json_decref(cells);
			return (NULL);
		}
	}
	return (cells);
}

static json_t *
json_flags(const struct compare *co, int *error)
{
	json_t *flags;
	unsigned i;

	flags = json_array();
	for (i = 0; i < co->co_flag_count; i++) {
		if (json_array_append_new(flags,
		    pack(error, "s", co->co_flags[i])) != 0) {
			json_decref(flags);
			return (NULL);
		}
	}
	return (flags);
}

int
verdict_print_json(FILE *out, const struct compare *co)
{
	json_t *pairs, *top;
	char *text = NULL;
	int error = 0;
	unsigned i;

	pairs = json_array();
	for (i = 0; i < co->co_pair_count; i++) {
		if (json_array_append_new(pairs,
		    json_pair(co, &co->co_pairs[i], &error)) != 0) {
			json_decref(pairs);
			return (error != 0 ? error : ENOMEM);
		}
	}
	top = pack(&error, "{s:s, s:o, s:o, s:o, s:f, s:f, s:i, s:o}",
	    "schema", "rngsim-comparison/1", "flags", json_flags(co, &error),
	    "only_in_a", json_alone(co, 0, &error), "only_in_b",
	    json_alone(co, 1, &error),
	    "margin_percent", 100 * co->co_margin, "moved_percent",
	    100 * co->co_noise, "tests",
	    (int)co->co_tests, "pairs", pairs);
	if (top != NULL)
		text = json_text(top, JSON_INDENT(1) |
		    JSON_REAL_PRECISION(9));
	json_decref(top);
	if (text == NULL)
		return (error != 0 ? error : ENOMEM);
	fprintf(out, "%s\n", text);
	free(text);
	return (0);
}
