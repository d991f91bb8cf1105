#include "bench/cli/command.h"
#include "bench/compare/compare.h"

#define	REFUSE(...)	format_wrong(error, COMPARE_TEXT_SIZE, __VA_ARGS__)

FAMILY_DESCR(compare_quantities, quantities[i].qu_title)
FAMILY(compare_quantities, QUANTITIES, quantities[i].qu_name,
    .fa_descr = compare_quantities_descr, .fam_title = "Quantities");

int
compare_gate_parse(struct compare_gate *cg, const char *text,
    char error[COMPARE_TEXT_SIZE])
{
	char name[RESULT_NAME_SIZE], number[32], percent[2], sign[2];
	int end = 0, n, q;
	bool negative, possible;
	double value;

	n = sscanf(text, " %31[a-z0-9_] %1[<>] %31[-+.0-9] %1[%] %n", name,
	    sign, number, percent, &end);
	q = n < 2 ? -1 : family_find(&compare_quantities, name);
	if (q == -1)
		return (REFUSE("expected QUANTITY < NUMBER%% or QUANTITY > "
		    "NUMBER%%, with %.1024s", TEXT_OF(family_join,
		    &compare_quantities, 0, NULL)));
	negative = n > 2 && number[0] == '-';
	possible = n > 3 && strcmp(text + end, "possible") == 0;
	if (n < 4 || (text[end] != '\0' && !possible) || parse_real(number +
	    (negative || number[0] == '+'), &value) != 0)
		return (REFUSE("expected a number and %% after %s, such as "
		    "-5%% or -5%% possible", sign));
	*cg = (struct compare_gate){ .cg_text = text,
	    .cg_quantity = (unsigned)q, .cg_below = sign[0] == '<',
	    .cg_possible = possible,
	    .cg_share = (negative ? -value : value) / 100 };
	return (cg->cg_below && cg->cg_share <= -1 ? REFUSE("no change is "
	    "below -100%%: expected more after <") : 0);
}

bool
compare_gate_met(const struct compare *co, const struct compare_gate *cg,
    const struct compare_pair *pa)
{
	const struct compare_row *row = &pa->pa_row[cg->cg_quantity];
	const double *reach = row->cmr_basis == COMPARE_BY_DRAWS ?
	    row->cmr_drawn.chg_band : row->cmr_change_ci95;
	double change = compare_change(row), slack;

	/* Nothing is excluded. */
	if (row->cmr_stop >= COMPARE_STOP_PASSES)
		return (row->cmr_wanted);
	if (row->cmr_verdict == COMPARE_REFUSED ||
	    (row->cmr_verdict == COMPARE_NONE && !cg->cg_possible))
		return (false);
	if (cg->cg_possible) {
		slack = fmax(compare_noise_of(co, pa),
		    row->cmr_quantity->qu_resolution);
		/* The profile itself may lie outside its band. */
		change = cg->cg_below ? fmin(reach[0], row->cmr_change) -
		    slack : fmax(reach[1], row->cmr_change) + slack;
	}
	return (cg->cg_below ? change < cg->cg_share : change > cg->cg_share);
}

/* Names the rows that meet the condition, or those that were refused. */
static unsigned
name_rows(const struct compare *co, const struct compare_gate *cg, bool refused)
{
	const struct compare_row *row;
	unsigned count = 0;

	for (const struct compare_pair *pa = co->co_pairs;
	    pa < co->co_pairs + co->co_pair_count; pa++) {
		row = &pa->pa_row[cg->cg_quantity];
		if (!(refused ? row->cmr_wanted && pa->pa_refused[0] != '\0' :
		    compare_gate_met(co, cg, pa)))
			continue;
		count++;
		run_error("%s: %s%s%s%s", cg->cg_text, refused ||
		    row->cmr_stop >= COMPARE_STOP_PASSES ? "not tested: " : "",
		    refused ? TEXT_OF(verdict_pair, co, pa, NULL) :
		    TEXT_OF(verdict_sentence, co, row), refused ? ": " : "",
		    pa->pa_refused);
	}
	return (count);
}

/* The status where rows were refused, perhaps by the machine's fault. */
static int
refused_status(const struct compare *co)
{
	for (const struct compare_pair *pa = co->co_pairs;
	    pa < co->co_pairs + co->co_pair_count; pa++)
		if (pa->pa_unfit)
			return (EXIT_UNFIT);
	return (EXIT_FAILURE);
}

int
compare_fail_if(const struct compare *co, const struct compare_gate *cg,
    bool refused_ok)
{
	const double asked = cg->cg_below ? -cg->cg_share : cg->cg_share;
	const double least = fmax(fmax(co->co_margin, co->co_noise),
	    quantities[cg->cg_quantity].qu_resolution);
	unsigned failed, refused, rows = 0;

	/* 0 asks for whatever is ranked. */
	if (asked > 0 && asked < least && !cg->cg_possible)
		run_error("%s: warning: changes up to %.2g %% are not ranked "
		    "and cannot meet this%s", cg->cg_text, 100 * least, least >
		    co->co_noise ? "" : ", as the machine itself moved");
	failed = name_rows(co, cg, false);
	refused = name_rows(co, cg, true);
	for (unsigned i = 0; i < co->co_pair_count; i++)
		rows += co->co_pairs[i].pa_row[cg->cg_quantity].cmr_wanted;
	if (rows == 0)
		return (run_error("%s: no cell has enough readers%s for this "
		    "quantity", cg->cg_text, cg->cg_quantity >=
		    QUANTITY_PRODUCED ? ", or producers," : ""));
	if (rows == refused)
		run_error("%s: every row was refused", cg->cg_text);
	else if (refused > 0 && !refused_ok)
		run_error("%s: %u row%s refused; --refused-ok ignores %s",
		    cg->cg_text, refused, PLURAL(refused), refused == 1 ? "it" :
		    "them");
	return (failed > 0 ? EXIT_FAILURE : rows == refused || (refused > 0 &&
	    !refused_ok) ? refused_status(co) : 0);
}

int
compare_fail_unjudged(const struct compare *co)
{
	const unsigned *rows = co->co_rows;

	if (rows[COMPARE_REFUSED] == 0 || rows[COMPARE_BETTER] +
	    rows[COMPARE_WORSE] + rows[COMPARE_NONE] > 0)
		return (0);
	(void)run_error("every row was refused");
	return (refused_status(co));
}
