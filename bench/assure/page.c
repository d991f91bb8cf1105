#include <ctype.h>
#include <inttypes.h>
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

static void
claim(FILE *out, const struct page *pg)
{
	char text[EVIDENCE_TEXT_SIZE];

	switch (page_verdict(pg)) {
	case EVIDENCE_FAILS:
		snprintf(text, sizeof(text), "NONE: design %s does not hold. "
		    "See what fails below.", pg->pg_design->ra_ident);
		break;
	case EVIDENCE_MISSING:
		snprintf(text, sizeof(text), "Design %s holds within the "
		    "bounds below, as far as was looked: not all rows were "
		    "run.", pg->pg_design->ra_ident);
		break;
	default:
		snprintf(text, sizeof(text), "Design %s holds within the "
		    "bounds below.", pg->pg_design->ra_ident);
	}
	row(out, "Claim", text);
}

/* What the whole is limited by, and then what each row says it is. */
static void
bounds(FILE *out, const struct page *pg)
{
	char text[EVIDENCE_TEXT_SIZE + 32 * EVIDENCE_BOUNDS_SIZE];
	const struct assure_params *ap = pg->pg_params;
	size_t used;
	unsigned i;

	used = (size_t)snprintf(text, sizeof(text), "Seed %" PRIu64 ", a "
	    "budget of %g s, %u of this machine's CPUs. ", ap->ap_seed,
	    pg->pg_budget_s, ap->ap_jobs);
	for (i = 0; i < evidence_count && used < sizeof(text); i++) {
		if (pg->pg_rows[i] == NULL ||
		    pg->pg_rows[i]->er_bounds[0] == '\0')
			continue;
		text[used] = (char)toupper((unsigned char)
		    evidences[i]->ev_name[0]);
		used++;
		used += (size_t)snprintf(text + used, sizeof(text) - used,
		    "%s: %s ", evidences[i]->ev_name + 1,
		    pg->pg_rows[i]->er_bounds);
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
	for (i = 0; i < evidence_count; i++) {
		if (pg->pg_rows[i] == NULL) {
			row(out, evidences[i]->ev_name, "Not asked for.");
			continue;
		}
		snprintf(text, sizeof(text), "%s%s",
		    words[pg->pg_rows[i]->er_state], pg->pg_rows[i]->er_text);
		row(out, evidences[i]->ev_name, text);
	}
	row(out, "Not shown", "Weak memory in schedules: they are "
	    "sequentially consistent; ThreadSanitizer runs stand in. "
	    "Interrupts, a kernel's scheduler and its stack. That the ciphers "
	    "and hashes are good. Machines other than this one's kind. What "
	    "lies beyond the bounds.");
	commands(out, "Replay", pg->pg_command);
	for (i = 0; i < evidence_count; i++)
		if (pg->pg_rows[i] != NULL)
			commands(out, "", pg->pg_rows[i]->er_replay);
}
