#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "bench/compare/verdict.h"
#include "lib/kassert.h"

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
    const struct compare_pair *pa, unsigned q, unsigned column, unsigned side,
    const struct hypothesis_student *hs)
{
	const char *stop = verdict_stops[pa->pa_row[q].cr_stop];
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
	fprintf(out, "; compare: %s%s%s%s\n",
	    verdict_names[pa->pa_row[q].cr_verdict], stop[0] != '\0' ? " (" :
	    "", stop, stop[0] != '\0' ? ")" : "");
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
			for (k = 0; k < 2 && compare_has_row(co, pa, q); k++) {
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
			    compare_has_row(co, &co->co_pairs[i], q);
	return (side == 2 ? 2 * columns : columns);
}

/*
 * The legend.
 *
 *   n       in   repeats of A's and B's columns
 *   values  out  scratch, as many for each
 */
static void
print_legends(FILE *out, const struct compare *co, unsigned side,
    const unsigned n[2], double *const values[2])
{
	struct hypothesis_student hs;
	const struct compare_pair *pa;
	unsigned column = 1, i, k, q, repeat;

	for (i = 0; i < co->co_pair_count; i++) {
		pa = &co->co_pairs[i];
		for (q = 0; q < QUANTITIES && pa->pa_refused[0] == '\0'; q++) {
			if (!compare_has_row(co, pa, q))
				continue;
			for (k = 0; k < 2; k++)
				for (repeat = 0; repeat < n[k]; repeat++)
					values[k][repeat] = value(pa, k, q,
					    repeat);
			hypothesis_student(values[0], n[0], values[1], n[1],
			    &hs);
			print_legend(out, co, pa, q, column, side, &hs);
			column += side == 2 ? 2 : 1;
		}
	}
}

int
verdict_print_ministat(FILE *out, const struct compare *co, unsigned side)
{
	double *values[2];
	unsigned i, least, most, n[2], unused;

	least = common_repeats(co, side, &most);
	for (i = 0; i < 2; i++)
		n[i] = side == 2 ? least : common_repeats(co, i, &unused);
	values[0] = calloc((size_t)n[0] + n[1] + 1, sizeof(double));
	if (values[0] == NULL)
		return (ENOMEM);
	values[1] = values[0] + n[0];
	verdict_print_flags(out, co, "# ");
	fprintf(out, "# %s, for ministat -C NUMBER A.txt B.txt with the files "
	    "of --side a and b\n", side == 2 ? "columns of A and B" :
	    side == 1 ? "columns of B" : "columns of A");
	print_legends(out, co, side, n, values);
	free(values[0]);
	if (least < most)
		fprintf(out, "# repeats %u to %u left out: not every column "
		    "has them\n", least + 1, most);
	for (i = 0; i < least; i++)
		print_repeat(out, co, side, i);
	return (0);
}
