#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include "bench/compare/compare.h"
#include "bench/result/json_text.h"

#define	PAIRED	(1u << COMPARE_BY_PAIRS)
#define	DRAWN	(1u << COMPARE_BY_DRAWS)

/* The figures of a row that was not refused. */
static const struct figure {
	const char	*fg_name;
	size_t		 fg_offset;
	bool		 fg_pair;	/* of low and high */
	double		 fg_unit;
	unsigned	 fg_bases;	/* that have it; 0: all */
} figures[] = {
#define	AT(member)	offsetof(struct compare_row, member)
	{ "median_a", AT(cr_median[0]), false, 1, 0 },
	{ "median_a_ci95", AT(cr_ci95[0]), true, 1, 0 },
	{ "median_b", AT(cr_median[1]), false, 1, 0 },
	{ "median_b_ci95", AT(cr_ci95[1]), true, 1, 0 },
	{ "change_percent", AT(cr_change), false, 100, 0 },
	{ "change_percent_ci95", AT(cr_change_ci95), true, 100, 0 },
	{ "p_welch", AT(cr_p[0]), false, 1, ~PAIRED },
	{ "p_mann_whitney", AT(cr_p[1]), false, 1, ~PAIRED },
	/* The last columns of CSV. */
	{ "drawn_change_percent", AT(cr_drawn.sc_median), false, 100, DRAWN },
	{ "drawn_change_percent_band", AT(cr_drawn.sc_band), true, 100, DRAWN },
	{ "drawn_share", AT(cr_drawn.sc_share), false, 1, DRAWN },
	{ "p_paired", AT(cr_p[0]), false, 1, PAIRED },
#undef AT
};

enum {
	FIGURES	= sizeof(figures) / sizeof(figures[0]),
	LATER	= FIGURES - 4	/* the first of those */
};

static double
figure(const struct compare_row *row, const struct figure *fg, unsigned i)
{
	const char *at = (const char *)row + fg->fg_offset;

	return (fg->fg_unit * ((const double *)(const void *)at)[i]);
}

static bool
has_figure(const struct compare_row *row, const struct figure *fg)
{

	return (row->cr_verdict != COMPARE_REFUSED && (fg->fg_bases == 0 ||
	    (fg->fg_bases & 1u << row->cr_basis) != 0));
}

static void
print_figures(FILE *out, const struct compare_row *row, unsigned from,
    unsigned to)
{
	const struct figure *fg;
	unsigned k;

	for (fg = figures + from; fg < figures + to; fg++) {
		for (k = 0; k <= fg->fg_pair; k++) {
			fputc(',', out);
			if (row == NULL)
				fprintf(out, "%s%s", fg->fg_name, !fg->fg_pair ?
				    "" : k == 0 ? "_low" : "_high");
			else if (has_figure(row, fg))
				fprintf(out, "%.9g", figure(row, fg, k));
		}
	}
}

/* Empty where the cell was measured. */
static void
print_machine(FILE *out, const struct result_cell *cell)
{

	fputc(',', out);
	format_quoted(out, cell->profile);
	fputc(',', out);
	if (cell->profile[0] != '\0')
		fprintf(out, "%.9g", cell->guessed_share);
}

static void
print_csv_row(FILE *out, const struct compare *co,
    const struct compare_row *row)
{
	const struct result_cell *a = row->cr_pair->pa_cell[0];
	const struct result_cell *b = row->cr_pair->pa_cell[1];
	const char *const names[] = {
		b->engine, a->design, b->design, a->lock, b->lock, a->cipher,
		b->cipher, b->crypto
	};
	struct text t = { .s = "" };
	unsigned i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		format_quoted(out, names[i]);
		fputc(',', out);
	}
	fprintf(out, "%u,%" PRIu64 ",", b->readers, b->request_bytes);
	format_quoted(out, b->workload);
	fprintf(out, ",%.9g,%s,%u,%u", b->rate_per_s,
	    row->cr_quantity->qu_name, a->repeats, b->repeats);
	print_figures(out, row, 0, LATER);
	fprintf(out, ",%s,", verdict_names[row->cr_verdict]);
	verdict_sentence(&t, co, row);
	format_quoted(out, t.s);
	fputc(',', out);
	format_quoted(out, verdict_stops[row->cr_stop]);
	print_machine(out, a);
	print_machine(out, b);
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
	if (j == NULL && *error == 0)
		*error = json_error_code(&why) == json_error_invalid_utf8 ?
		    EILSEQ : json_error_code(&why) ==
		    json_error_numeric_overflow ? ERANGE : ENOMEM;
	return (j);
}

/* Adds an element to an array, or a member to an object, and notes failures. */
static void
append(json_t *to, const char *key, json_t *value, int *error)
{

	if ((key == NULL ? json_array_append_new(to, value) :
	    json_object_set_new(to, key, value)) != 0 && *error == 0)
		*error = ENOMEM;
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
json_row(const struct compare *co, const struct compare_row *row, int *error)
{
	struct text t = { .s = "" };
	const struct figure *fg;
	json_t *object;

	object = pack(error, "{s:s}", "quantity", row->cr_quantity->qu_name);
	for (fg = figures; fg < figures + FIGURES; fg++)
		if (has_figure(row, fg))
			append(object, fg->fg_name, fg->fg_pair ? pack(error,
			    "[f, f]", figure(row, fg, 0), figure(row, fg, 1)) :
			    pack(error, "f", figure(row, fg, 0)), error);
	append(object, "verdict", pack(error, "s",
	    verdict_names[row->cr_verdict]), error);
	if (row->cr_verdict != COMPARE_REFUSED)
		append(object, "stopped_by", pack(error, "s",
		    verdict_stops[row->cr_stop]), error);
	verdict_sentence(&t, co, row);
	append(object, "sentence", pack(error, "s", t.s), error);
	return (object);
}

static json_t *
json_pairs(const struct compare *co, int *error)
{
	const struct compare_pair *pa;
	json_t *pairs = json_array(), *rows;
	unsigned q;

	for (pa = co->co_pairs; pa < co->co_pairs + co->co_pair_count; pa++) {
		rows = json_array();
		for (q = 0; q < QUANTITIES; q++)
			if (pa->pa_row[q].cr_wanted)
				append(rows, NULL, json_row(co,
				    &pa->pa_row[q], error), error);
		append(pairs, NULL, pack(error,
		    "{s:o, s:o, s:i, s:i, s:s, s:o}", "a",
		    json_cell(pa->pa_cell[0], error), "b",
		    json_cell(pa->pa_cell[1], error), "repeats_a",
		    (int)pa->pa_cell[0]->repeats, "repeats_b",
		    (int)pa->pa_cell[1]->repeats, "refused", pa->pa_refused,
		    "rows", rows), error);
	}
	return (pairs);
}

int
verdict_print_json(FILE *out, const struct compare *co)
{
	json_t *alone[2], *flags, *top;
	unsigned i, side;
	char *text = NULL;
	int error = 0;

	flags = json_array();
	for (i = 0; i < co->co_flag_count; i++)
		append(flags, NULL, pack(&error, "s", co->co_flags[i]),
		    &error);
	for (side = 0; side < 2; side++) {
		alone[side] = json_array();
		for (i = 0; i < co->co_alone_count[side]; i++)
			append(alone[side], NULL, json_cell(
			    co->co_alone[side][i], &error), &error);
	}
	top = pack(&error, "{s:s, s:o, s:o, s:o, s:f, s:f, s:i, s:o}",
	    "schema", "rngsim-comparison/1", "flags", flags, "only_in_a",
	    alone[0], "only_in_b", alone[1], "margin_percent",
	    100 * co->co_margin, "moved_percent", 100 * co->co_noise, "tests",
	    (int)co->co_tests, "pairs", json_pairs(co, &error));
	if (top != NULL && error == 0)
		text = json_text(top, JSON_INDENT(1) |
		    JSON_REAL_PRECISION(9));
	json_decref(top);
	if (text == NULL)
		return (error != 0 ? error : ENOMEM);
	fprintf(out, "%s\n", text);
	free(text);
	return (0);
}
