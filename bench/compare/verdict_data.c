#include <inttypes.h>

#include "bench/compare/compare.h"

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
	for (const struct figure *fg = figures + from; fg < figures + to;
	    fg++) {
		for (unsigned k = 0; k <= fg->fg_pair; k++) {
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

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
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
