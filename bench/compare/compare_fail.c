#include <math.h>
#include <stdlib.h>

#include "bench/compare/compare_fail.h"
#include "bench/compare/verdict.h"
#include "bench/console/usage.h"

enum { FAILED_SHOWN = 16 };	/* rows on stderr; more are counted */

/*
 * A condition that asks for less than what is ranked is met late, and one that
 * is next to nothing reads as if it were strict.
 */
static void
warn_loose(const struct compare *co, const struct compare_gate *cg)
{
	const double asked = cg->cg_below ? -cg->cg_share : cg->cg_share;
	const double least = fmax(fmax(co->co_margin, co->co_noise),
	    quantities[cg->cg_quantity].qu_resolution);

	/* 0 asks for whatever is ranked. */
	if (asked > 0 && asked < least)
		run_error("compare", "%s: warning: changes up to %.2g %% are "
		    "not ranked and cannot meet this%s", cg->cg_text,
		    100 * least, least > co->co_noise ? "" :
		    ", as the machine itself moved");
}

/* Rows that were refused, on stderr; whether a condition was asked of any. */
static bool
name_refused(const struct compare *co, const struct compare_gate *cg,
    unsigned *refused)
{
	char text[COMPARE_TEXT_SIZE];
	const struct compare_pair *pa;
	unsigned asked = 0, i;

	*refused = 0;
	for (i = 0; i < co->co_pair_count; i++) {
		pa = &co->co_pairs[i];
		if (!compare_has_row(co, pa, cg->cg_quantity))
			continue;
		if (pa->pa_refused[0] == '\0') {
			asked++;
		} else if (++*refused <= FAILED_SHOWN) {
			verdict_pair(text, co, pa);
			run_error("compare", "%s: not asked: %s: %s",
			    cg->cg_text, text, pa->pa_refused);
		}
	}
	if (*refused > FAILED_SHOWN)
		run_error("compare", "%s: not asked: %u row%s more",
		    cg->cg_text, *refused - FAILED_SHOWN,
		    *refused == FAILED_SHOWN + 1 ? "" : "s");
	return (asked > 0);
}

int
compare_fail_if(const struct compare *co, const struct compare_gate *cg,
    bool refused_ok)
{
	char text[COMPARE_TEXT_SIZE];
	unsigned failed = 0, i, refused;
	bool asked;

	warn_loose(co, cg);
	for (i = 0; i < co->co_pair_count; i++) {
		if (!compare_gate_met(cg, &co->co_pairs[i]) ||
		    ++failed > FAILED_SHOWN)
			continue;
		verdict_sentence(text, co, &co->co_pairs[i], cg->cg_quantity);
		run_error("compare", "%s: %s", cg->cg_text, text);
	}
	if (failed > FAILED_SHOWN)
		run_error("compare", "%s: %u row%s more", cg->cg_text,
		    failed - FAILED_SHOWN, failed == FAILED_SHOWN + 1 ? "" :
		    "s");
	asked = name_refused(co, cg, &refused);
	if (!asked && refused == 0)
		return (run_error("compare", "%s: no cell has readers enough "
		    "for this quantity", cg->cg_text));
	if (!asked)
		return (run_error("compare", "%s: every row was refused, so "
		    "this cannot be told", cg->cg_text));
	if (refused > 0 && !refused_ok)
		return (run_error("compare", "%s: %u row%s refused, so this "
		    "cannot be told of all; --refused-ok asks the others "
		    "alone", cg->cg_text, refused, refused == 1 ? " was" :
		    "s were"));
	return (failed > 0 ? EXIT_FAILURE : 0);
}

int
compare_fail_unjudged(const struct compare *co)
{
	const unsigned *rows = co->co_rows;

	if (rows[COMPARE_REFUSED] == 0 || rows[COMPARE_BETTER] +
	    rows[COMPARE_WORSE] + rows[COMPARE_NONE] > 0)
		return (0);
	return (run_error("compare", "every row was refused"));
}
