#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bench/assure/page.h"
#include "bench/console/figure.h"

enum {
	INDENT		= 14,
	DEEPER		= 4,	/* where a command goes on */
	BACKSLASH	= 2	/* it and the end of its line */
};

static const char *const words[] = {
	[EVIDENCE_HOLDS] = "",
	[EVIDENCE_FAILS] = "FAILS. ",
	[EVIDENCE_MISSING] = "Not run. ",
	[EVIDENCE_NONE] = "None. ",
};

enum evidence_state
page_verdict(const struct page *pg)
{
	enum evidence_state worst = EVIDENCE_HOLDS;
	unsigned i;

	for (i = 0; i < evidence_count; i++) {
		if (pg->pg_rows[i] == NULL) {
			if (worst == EVIDENCE_HOLDS)
				worst = EVIDENCE_MISSING;
			continue;
		}
		if (pg->pg_rows[i]->er_state == EVIDENCE_FAILS)
			return (EVIDENCE_FAILS);
		if (pg->pg_rows[i]->er_state == EVIDENCE_MISSING)
			worst = EVIDENCE_MISSING;
	}
	return (worst);
}

static void
row(FILE *out, const char *name, const char *text)
{
	char first[INDENT];

	/* A blank comes behind it. */
	snprintf(first, sizeof(first), "%-*s", INDENT - 1, name);
	first[0] = (char)toupper((unsigned char)first[0]);
	figure_wrap(out, first, INDENT, text);
}

/* Commands, a line each, broken as a shell puts them together again. */
static void
commands(FILE *out, const char *name, const char *text)
{
	size_t column, n;

	for (; *text != '\0'; text += *text == '\n') {
		column = (size_t)fprintf(out, "%-*s", INDENT, name);
		for (name = ""; *text != '\0' && *text != '\n'; text += n) {
			text += *text == ' ';
			n = strcspn(text, " \n");
			if (column + n + (text[n] == ' ' ? BACKSLASH : 0) >
			    FIGURE_COLUMNS)
				column = (size_t)fprintf(out, "\\\n%*s",
				    INDENT + DEEPER, "") - BACKSLASH;
			column += (size_t)fprintf(out, "%.*s%s", (int)n, text,
			    text[n] == ' ' ? " " : "");
		}
		fputc('\n', out);
	}
}

/* Rows in that state. */
static unsigned
count(const struct page *pg, enum evidence_state state)
{
	unsigned i, n = 0;

	for (i = 0; i < evidence_count; i++)
		n += pg->pg_rows[i] != NULL &&
		    pg->pg_rows[i]->er_state == state;
	return (n);
}

/* Adds to a text of that size; what it has no room for is left out. */
static void __attribute__((format(printf, 3, 4)))
append(char *text, size_t size, const char *fmt, ...)
{
	const size_t used = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + used, size - used, fmt, ap);
	va_end(ap);
}

/* A row's name as it stands before a row. */
static void
append_name(char *text, size_t size, const char *before, unsigned i)
{
	const char *name = evidences[i]->ev_name;

	append(text, size, "%s%c%s", before, toupper((unsigned char)name[0]),
	    name + 1);
}

static void
claim(FILE *out, const struct page *pg)
{
	char text[EVIDENCE_TEXT_SIZE] = "";
	const char *before = " There is no evidence for it under ";
	const enum evidence_state verdict = page_verdict(pg);
	unsigned i;

	if (verdict == EVIDENCE_FAILS) {
		append(text, sizeof(text), "NONE: design %s does not hold. See "
		    "what fails below.", pg->pg_design->ra_ident);
	} else if (count(pg, EVIDENCE_HOLDS) == 0) {
		append(text, sizeof(text), "NONE: nothing that was looked at "
		    "speaks for design %s.", pg->pg_design->ra_ident);
	} else {
		append(text, sizeof(text), "Design %s holds within the bounds "
		    "below%s.", pg->pg_design->ra_ident,
		    verdict == EVIDENCE_MISSING ? ", as far as was looked: not "
		    "all rows were run" : "");
		for (i = 0; i < evidence_count; i++) {
			if (pg->pg_rows[i] == NULL ||
			    pg->pg_rows[i]->er_state != EVIDENCE_NONE)
				continue;
			append_name(text, sizeof(text), before, i);
			before = ", ";
		}
		if (count(pg, EVIDENCE_NONE) > 0)
			append(text, sizeof(text), ".");
	}
	row(out, "Claim", text);
}

/*
 * What the design allows itself: the ledger and the schedules hold it to that
 * and to no more.
 */
static void
allowed(FILE *out, const struct random_algorithm *ra)
{
	char text[EVIDENCE_TEXT_SIZE] = "";

	if (ra->ra_lag == GENERATOR_LAG_ANY)
		append(text, sizeof(text), "A read may use keys from before "
		    "any number of reseeds that had ended when it began. ");
	else if (ra->ra_lag > 0)
		append(text, sizeof(text), "A read may use keys from before "
		    "the last %s that had ended when it began: ra_lag is %"
		    PRIu32 ". ", ra->ra_lag == 1 ? "reseed" : "reseeds",
		    ra->ra_lag);
	if (ra->ra_stored_bytes == GENERATOR_STORED_ANY)
		append(text, sizeof(text), "All that a read returns may have "
		    "been made before it, and kept: how much is not bounded. ");
	else if (ra->ra_stored_bytes > 0)
		append(text, sizeof(text), "Of what a read returns %" PRIu64
		    " bytes may have been made before it, and kept. ",
		    ra->ra_stored_bytes);
	if (text[0] == '\0')
		return;
	append(text, sizeof(text), "That is its own word, and the rows below "
	    "check no more.");
	row(out, "Allowed", text);
}

static void
not_shown(FILE *out, const struct page *pg)
{
	char text[EVIDENCE_TEXT_SIZE + 32 * EVIDENCE_BOUNDS_SIZE] = "";
	unsigned i;

	for (i = 0; i < evidence_count; i++) {
		if (pg->pg_rows[i] == NULL ||
		    pg->pg_rows[i]->er_unshown[0] == '\0')
			continue;
		append_name(text, sizeof(text), "", i);
		append(text, sizeof(text), ": %s ", pg->pg_rows[i]->er_unshown);
	}
	append(text, sizeof(text), "Weak memory in schedules: they are "
	    "sequentially consistent; ThreadSanitizer runs stand in. "
	    "Interrupts, a kernel's scheduler and its stack. That the ciphers "
	    "and hashes are good. Machines other than this one's kind. What "
	    "lies beyond the bounds.");
	row(out, "Not shown", text);
}

/* What the whole is limited by, and then what each row says it is. */
static void
bounds(FILE *out, const struct page *pg)
{
	char text[EVIDENCE_TEXT_SIZE + 32 * EVIDENCE_BOUNDS_SIZE] = "";
	const struct assure_params *ap = pg->pg_params;
	unsigned i;

	append(text, sizeof(text), "Seed %" PRIu64 ", a budget of %g s, %u of "
	    "this machine's CPUs. ", ap->ap_seed, pg->pg_budget_s,
	    ap->ap_jobs);
	for (i = 0; i < evidence_count; i++) {
		if (pg->pg_rows[i] == NULL ||
		    pg->pg_rows[i]->er_bounds[0] == '\0')
			continue;
		append_name(text, sizeof(text), "", i);
		append(text, sizeof(text), ": %s ", pg->pg_rows[i]->er_bounds);
	}
	row(out, "Bounds", text);
}

void
page_print(FILE *out, const struct page *pg)
{
	char text[2 * EVIDENCE_TEXT_SIZE];
	unsigned i;

	fprintf(out, "SAFETY CASE: %s\n%s, rngsim %s\n%s\n\n",
	    pg->pg_design->ra_ident, pg->pg_when, pg->pg_revision,
	    pg->pg_host);
	claim(out, pg);
	bounds(out, pg);
	row(out, "Stands for", pg->pg_design->ra_stands);
	row(out, "To argue", pg->pg_design->ra_argument);
	allowed(out, pg->pg_design);
	for (i = 0; i < evidence_count; i++) {
		if (pg->pg_rows[i] == NULL) {
			row(out, evidences[i]->ev_name, "Not asked for.");
			continue;
		}
		snprintf(text, sizeof(text), "%s%s",
		    words[pg->pg_rows[i]->er_state], pg->pg_rows[i]->er_text);
		row(out, evidences[i]->ev_name, text);
	}
	not_shown(out, pg);
	commands(out, "Replay", pg->pg_command);
	for (i = 0; i < evidence_count; i++)
		if (pg->pg_rows[i] != NULL)
			commands(out, "", pg->pg_rows[i]->er_replay);
}
