#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/verdict.h"
#include "lib/kassert.h"

static bool
wanted(const struct compare *co, unsigned q)
{

	return ((co->co_wanted & 1u << q) != 0);
}

/* RFC 4180, as bench/csv.c does for results. */
static void
print_text(FILE *out, const char *text)
{

	fputc('"', out);
	for (; *text != '\0'; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
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
		print_text(out, names[i]);
		fputc(',', out);
	}
	fprintf(out, "%u,%" PRIu64 ",", b->readers, b->request_bytes);
	print_text(out, b->workload);
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
	print_text(out, text);
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
	    "sentence\n", out);
	for (i = 0; i < co->co_pair_count; i++)
		for (q = 0; q < QUANTITIES; q++)
			if (wanted(co, q))
				print_csv_row(out, co, &co->co_pairs[i], q);
}

static json_t *
json_cell(const struct result_cell *c)
{

	return (json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:I, s:s, s:f, s:s}",
	    "engine", c->engine, "design", c->design, "lock", c->lock,
	    "cipher", c->cipher, "crypto", c->crypto, "readers",
	    (int)c->readers, "request_bytes", (json_int_t)c->request_bytes,
	    "workload", c->workload, "rate_per_s", c->rate_per_s,
	    "arrivals", c->arrivals));
}

static json_t *
json_row(const struct compare *co, const struct compare_pair *pa, unsigned q)
{
	const struct compare_row *row = &pa->pa_row[q];
	char text[COMPARE_TEXT_SIZE];

	verdict_sentence(text, co, pa, q);
	if (row->cr_verdict == COMPARE_REFUSED)
		return (json_pack("{s:s, s:s, s:s}", "quantity",
		    quantities[q].qu_name, "verdict",
		    verdict_names[row->cr_verdict], "sentence", text));
	return (json_pack("{s:s, s:f, s:[f,f], s:f, s:[f,f], s:f, s:[f,f], "
	    "s:f, s:f, s:s, s:s}", "quantity", quantities[q].qu_name,
	    "median_a", row->cr_median[0], "median_a_ci95",
	    row->cr_ci95[0][0], row->cr_ci95[0][1], "median_b",
	    row->cr_median[1], "median_b_ci95", row->cr_ci95[1][0],
	    row->cr_ci95[1][1], "change_percent", 100 * row->cr_change,
	    "change_percent_ci95", 100 * row->cr_change_ci95[0],
	    100 * row->cr_change_ci95[1], "p_welch", row->cr_p_welch,
	    "p_mann_whitney", row->cr_p_rank, "verdict",
	    verdict_names[row->cr_verdict], "sentence", text));
}

static json_t *
json_pair(const struct compare *co, const struct compare_pair *pa)
{
	json_t *pair, *rows;
	unsigned q;

	/* A part that could not be made is NULL and makes the whole NULL. */
	rows = json_array();
	for (q = 0; q < QUANTITIES; q++) {
		if (wanted(co, q) &&
		    json_array_append_new(rows, json_row(co, pa, q)) != 0) {
			json_decref(rows);
			return (NULL);
		}
	}
	pair = json_pack("{s:o, s:o, s:i, s:i, s:s, s:o}", "a",
	    json_cell(pa->pa_cell[0]), "b", json_cell(pa->pa_cell[1]),
	    "repeats_a", (int)pa->pa_repeats[0], "repeats_b",
	    (int)pa->pa_repeats[1], "refused", pa->pa_refused, "rows", rows);
	return (pair);
}

static json_t *
json_alone(const struct compare *co, unsigned side)
{
	json_t *cells;
	unsigned i;

	cells = json_array();
	for (i = 0; i < co->co_alone_count[side]; i++) {
		if (json_array_append_new(cells,
		    json_cell(co->co_alone[side][i])) != 0) {
			json_decref(cells);
			return (NULL);
		}
	}
	return (cells);
}

static json_t *
json_flags(const struct compare *co)
{
	json_t *flags;
	unsigned i;

	flags = json_array();
	for (i = 0; i < co->co_flag_count; i++) {
		if (json_array_append_new(flags,
		    json_string(co->co_flags[i])) != 0) {
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
	unsigned i;

	pairs = json_array();
	for (i = 0; i < co->co_pair_count; i++) {
		if (json_array_append_new(pairs,
		    json_pair(co, &co->co_pairs[i])) != 0) {
			json_decref(pairs);
			return (ENOMEM);
		}
	}
	top = json_pack("{s:s, s:o, s:o, s:o, s:f, s:f, s:i, s:o}", "schema",
	    "rngsim-comparison/1", "flags", json_flags(co), "only_in_a",
	    json_alone(co, 0), "only_in_b", json_alone(co, 1),
	    "margin_percent", 100 * co->co_margin, "moved_percent",
	    100 * co->co_noise, "tests",
	    (int)co->co_tests, "pairs", pairs);
	if (top != NULL)
		text = json_dumps(top, JSON_INDENT(1) |
		    JSON_REAL_PRECISION(9));
	json_decref(top);
	if (text == NULL)
		return (ENOMEM);
	fprintf(out, "%s\n", text);
	free(text);
	return (0);
}

static double
value(const struct compare_pair *pa, unsigned side, unsigned q,
    unsigned repeat)
{
	const struct result_cell *c = pa->pa_cell[side];

	KASSERT(repeat < c->repeats, ("no repeat %u", repeat));
	return (quantity_value(&quantities[q], &c->samples[repeat],
	    c->readers));
}

/* The number of rows of a file: repeats that all columns of it have. */
static unsigned
common_repeats(const struct compare *co, unsigned side, unsigned *most)
{
	const struct compare_pair *pa;
	unsigned i, k, least = 0;

	*most = 0;
	for (i = 0; i < co->co_pair_count; i++) {
		pa = &co->co_pairs[i];
		if (pa->pa_refused[0] != '\0')
			continue;
		for (k = 0; k < 2; k++) {
			if (side != 2 && side != k)
				continue;
			if (*most == 0 || pa->pa_repeats[k] < least)
				least = pa->pa_repeats[k];
			if (pa->pa_repeats[k] > *most)
				*most = pa->pa_repeats[k];
		}
	}
	return (least);
}

/* What a column is, and what ministat(1) will say of it. */
static void
print_legend(FILE *out, const struct compare *co,
    const struct compare_pair *pa, unsigned q, unsigned column, unsigned side)
{
	const struct hypothesis_student *hs = &pa->pa_row[q].cr_student;
	char text[COMPARE_TEXT_SIZE];

	verdict_pair(text, co, pa);
	if (side == 2)
		fprintf(out, "# %u, %u: ", column, column + 1);
	else
		fprintf(out, "# %u: ", column);
	fprintf(out, "%s, %s\n#    Student's t: ", quantities[q].qu_name, text);
	if (isfinite(hs->hs_half_width))
		fprintf(out, "%.6g +/- %.6g, pooled s = %.6g",
		    hs->hs_difference, hs->hs_half_width, hs->hs_pooled_sd);
	else
		fputs("out of range", out);
	fprintf(out, "; compare: %s\n",
	    verdict_names[pa->pa_row[q].cr_verdict]);
}

/* One line of all columns. */
static void
print_repeat(FILE *out, const struct compare *co, unsigned side,
    unsigned repeat)
{
	const struct compare_pair *pa;
	const char *before = "";
	unsigned i, k, q;

	for (i = 0; i < co->co_pair_count; i++) {
		pa = &co->co_pairs[i];
		if (pa->pa_refused[0] != '\0')
			continue;
		for (q = 0; q < QUANTITIES; q++) {
			for (k = 0; k < 2 && wanted(co, q); k++) {
				if (side != 2 && side != k)
					continue;
				fprintf(out, "%s%.9g", before,
				    value(pa, k, q, repeat));
				before = " ";
			}
		}
	}
	fputc('\n', out);
}

unsigned
verdict_ministat_columns(const struct compare *co, unsigned side)
{
	unsigned columns = 0, i, q;

	for (i = 0; i < co->co_pair_count; i++)
		for (q = 0; q < QUANTITIES; q++)
			columns += co->co_pairs[i].pa_refused[0] == '\0' &&
			    wanted(co, q);
	return (side == 2 ? 2 * columns : columns);
}

void
verdict_print_ministat(FILE *out, const struct compare *co, unsigned side)
{
	const struct compare_pair *pa;
	unsigned column = 1, i, least, most, q;

	fprintf(out, "# %s, for ministat -C NUMBER A.txt B.txt with the files "
	    "of --side a and b\n", side == 2 ? "columns of A and B" :
	    side == 1 ? "columns of B" : "columns of A");
	for (i = 0; i < co->co_pair_count; i++) {
		pa = &co->co_pairs[i];
		for (q = 0; q < QUANTITIES && pa->pa_refused[0] == '\0'; q++) {
			if (!wanted(co, q))
				continue;
			print_legend(out, co, pa, q, column, side);
			column += side == 2 ? 2 : 1;
		}
	}
	least = common_repeats(co, side, &most);
	if (least < most)
		fprintf(out, "# repeats %u to %u left out: not every column "
		    "has them\n", least + 1, most);
	for (i = 0; i < least; i++)
		print_repeat(out, co, side, i);
}
