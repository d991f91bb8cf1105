#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/compare/compare_gate.h"

enum { NUMBER_DIGITS = 15 };	/* that a double keeps */

void
compare_quantity_names(char text[COMPARE_TEXT_SIZE])
{
	unsigned q;

	text[0] = '\0';
	for (q = 0; q < QUANTITIES; q++)
		snprintf(text + strlen(text), COMPARE_TEXT_SIZE - strlen(text),
		    "%s%s", q == 0 ? "" : q == QUANTITIES - 1 ? " or " : ", ",
		    quantities[q].qu_name);
}

/* strtod(3) alone would take blanks, exponents, hexadecimal and "inf" too. */
const char *
compare_percentage(const char *text, double *share)
{
	const char *at = text + (*text == '-' || *text == '+');
	unsigned digits = 0, points = 0;
	const char *c;

	for (c = at; isdigit((unsigned char)*c) || *c == '.'; c++) {
		digits += *c != '.';
		points += *c == '.';
	}
	if (digits == 0 || digits > NUMBER_DIGITS || points > 1)
		return (NULL);
	*share = strtod(text, NULL) / 100;
	return (c);
}

int
compare_gate_parse(struct compare_gate *cg, const char *text,
    char error[COMPARE_TEXT_SIZE])
{
	char known[COMPARE_TEXT_SIZE], name[RESULT_NAME_SIZE] = "";
	const char *at = text + strspn(text, " ");
	size_t n = strcspn(at, " <>");
	int q = -1;

	if (n < sizeof(name)) {
		memcpy(name, at, n);
		q = quantity_find(name);
	}
	at += n;
	at += strspn(at, " ");
	if (q == -1 || (*at != '<' && *at != '>')) {
		compare_quantity_names(known);
		snprintf(error, COMPARE_TEXT_SIZE, "expected QUANTITY < "
		    "NUMBER%% or QUANTITY > NUMBER%%, with %.1024s", known);
		return (EINVAL);
	}
	*cg = (struct compare_gate){
		.cg_text = text, .cg_quantity = (unsigned)q,
		.cg_below = *at == '<'
	};
	at++;
	at = compare_percentage(at + strspn(at, " "), &cg->cg_share);
	if (at != NULL)
		at += strspn(at, " ");
	if (at == NULL || at[0] != '%' || at[1 + strspn(at + 1, " ")] != '\0') {
		snprintf(error, COMPARE_TEXT_SIZE, "expected a number and %% "
		    "after %c, such as -5%%", cg->cg_below ? '<' : '>');
		return (EINVAL);
	}
	if (cg->cg_below && cg->cg_share <= -1) {
		snprintf(error, COMPARE_TEXT_SIZE, "no change is below "
		    "-100%%: expected more after <");
		return (EINVAL);
	}
	return (0);
}

bool
compare_gate_met(const struct compare_gate *cg, const struct compare_pair *pa)
{
	const struct compare_row *row = &pa->pa_row[cg->cg_quantity];

	if (row->cr_verdict != COMPARE_BETTER &&
	    row->cr_verdict != COMPARE_WORSE)
		return (false);
	return (cg->cg_below ? row->cr_change < cg->cg_share :
	    row->cr_change > cg->cg_share);
}
