#include <ctype.h>

#include "bench/assure/evidence.h"
#include "bench/explore/execution.h"
#include "bench/kernel/ksource.h"

enum {
	INDENT		= 14,
	DEEPER		= 4,	/* where a command goes on */
	BACKSLASH	= 2	/* it and the end of its line */
};

static const char *const words[] = { [EVIDENCE_HOLDS] = "",
    [EVIDENCE_FAILS] = "FAILS. ", [EVIDENCE_MISSING] = "Not run. ",
    [EVIDENCE_NONE] = "None. " };

/* Whether the page has that row. */
static bool
has(const struct page *pg, unsigned i)
{
	return (evidences[i].ev_lock == (pg->pg_design == NULL));
}

/* Rows in that state. */
static unsigned
count(const struct page *pg, enum evidence_state state)
{
	unsigned n = 0;

	for (unsigned i = 0; i < EVIDENCE_ROWS; i++)
		n += has(pg, i) && state == (pg->pg_rows[i] == NULL ?
		    EVIDENCE_MISSING : pg->pg_rows[i]->er_state);
	return (n);
}

enum evidence_state
page_verdict(const struct page *pg)
{
	return (count(pg, EVIDENCE_FAILS) > 0 ? EVIDENCE_FAILS :
	    count(pg, EVIDENCE_MISSING) > 0 ? EVIDENCE_MISSING :
	    EVIDENCE_HOLDS);
}

/* Evidence's name as the page has it, in static memory. */
static const char *
title(const char *name)
{
	static char buf[2 * INDENT];

	TEXT_SET(buf, name);
	buf[0] = (char)toupper((unsigned char)buf[0]);
	return (buf);
}

/* Prints a row, unless it is empty. */
static void
row(FILE *out, const char *name, const char *before, const char *text)
{
	/* format_wrap() adds a blank. */
	if (before[0] != '\0' || text[0] != '\0')
		format_wrapf(out, FORMATF("%-*s", INDENT - 1, title(name)),
		    INDENT, "%s%s", before, text);
}

/* Commands, a line each, broken with backslashes as a shell joins them. */
static void
commands(FILE *out, const char *name, const char *text)
{
	size_t column, n;

	for (; *text != '\0'; text += *text == '\n') {
		column = (size_t)fprintf(out, "%-*s", INDENT, name);
		for (name = ""; *text != '\0' && *text != '\n'; text += n) {
			text += *text == ' ';
			n = *text == '\'' ? strcspn(text + 1, "'") + 2 : 0;
			n += strcspn(text + n, " \n");
			if (column + n + (text[n] == ' ' ? BACKSLASH : 0) >
			    FORMAT_COLUMNS)
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
	const enum evidence_state verdict = page_verdict(pg);
	const char *kind = pg->pg_design != NULL ? "design" : "lock";
	const char *name = pg->pg_subject;
	struct text none = { .s = "" }, t = { .s = "" };

	for (unsigned i = 0; i < EVIDENCE_ROWS; i++)
		if (pg->pg_rows[i] != NULL &&
		    pg->pg_rows[i]->er_state == EVIDENCE_NONE)
			text_list(&none, "%s", title(evidences[i].ev_name));
	if (verdict == EVIDENCE_FAILS)
		text_add(&t, "NONE: %s %s does not hold. See what fails "
		    "below.", kind, name);
	else if (count(pg, EVIDENCE_HOLDS) == 0)
		text_add(&t, "NONE: no row supports %s %s.", kind, name);
	else
		text_add(&t, "%c%s %s holds within the bounds below%s.%s%s%s",
		    toupper((unsigned char)kind[0]), kind + 1, name,
		    verdict != EVIDENCE_MISSING ? "" :
		    FORMATF("; not all rows were run: %u are missing",
		    count(pg, EVIDENCE_MISSING)), none.s[0] == '\0' ? "" :
		    " There is no evidence for it under ", none.s,
		    none.s[0] == '\0' ? "" : ".");
	row(out, "claim", "", t.s);
}

/* What the design permits itself; ledger and schedules hold it to no more. */
static void
allowed(FILE *out, const struct design *de)
{
	const struct design_info di = design_info(de);
	struct text t = { .s = "" };

	if (di.di_lag == LEDGER_LAG_ANY)
		text_add(&t, "A read's keys may be any number of reseeds "
		    "old. ");
	else if (di.di_lag > 0)
		text_add(&t, "A read's keys may be %" PRIu32 " reseed%s "
		    "behind those that ended before it began (rm_lag). ",
		    di.di_lag, PLURAL(di.di_lag));
	if (di.di_stored_bytes == LEDGER_STORED_ANY)
		text_add(&t, "All bytes that a read returns may have been made "
		    "before it and stored, without limit. ");
	else if (di.di_stored_bytes > 0)
		text_add(&t, "Up to %" PRIu64 " bytes that a read returns may "
		    "have been made before it and stored. ",
		    di.di_stored_bytes);
	for (unsigned i = 0; i < LEDGER_PROPERTIES; i++)
		if ((ledger_allowed >> i & 1) != 0)
			text_add(&t, "NOT CHECKED, by --allow: %s, %s. ",
			    ledger_properties[i].lgp_word,
			    ledger_properties[i].lgp_text);
	if ((ledger_allowed >> LEDGER_SOURCES & 1) != 0)
		text_add(&t, "NOT CHECKED, by --allow: sources, %s. ",
		    execution_properties[EXECUTION_SOURCES].lgp_text);
	if ((ledger_allowed >> LEDGER_ANSWERS & 1) != 0)
		text_add(&t, "NOT CHECKED, by --allow: answers, its bytes are "
		    "those of FreeBSD. ");
	if (di.di_lag > 0 || di.di_stored_bytes > 0)
		text_add(&t, "The design says so itself; the rows below check "
		    "no more.");
	row(out, "allowed", "", t.s);
}

/* What was compiled of a kernel source, and what was not. */
static void
source(FILE *out, const struct design *de)
{
	char *compiled, *replaced;
	size_t n;
	FILE *c = xmemstream(&compiled, &n), *r = xmemstream(&replaced, &n);

	ksource_say(de->de_ident, c, r);
	xmemclose(c);
	xmemclose(r);
	row(out, "compiled", "", compiled);
	row(out, "replaced", "", replaced);
	free(compiled);
	free(replaced);
}

/* What the page's rows hold a design or a lock to. */
static void
subject(FILE *out, const struct page *pg)
{
	const struct lock_class *lc = pg->pg_params->ap_lock;
	struct text t = { .s = "" };

	if (pg->pg_design != NULL) {
		source(out, pg->pg_design);
		row(out, "stands for", "", pg->pg_design->de_stands);
		row(out, "to argue", "", pg->pg_design->de_argument);
		allowed(out, pg->pg_design);
		return;
	}
	text_add(&t, "%s (%s): %s, waiters %s", lc->lc_descr, lc->lc_type,
	    (lc->lc_flags & LC_EXCLUDES) != 0 ? "excludes" : "excludes nothing",
	    (lc->lc_flags & LC_SLEEPS) != 0 ? "may sleep" : "do not sleep");
	if ((lc->lc_flags & LC_FIFO) != 0)
		text_add(&t, ", first come, first served");
	if ((lc->lc_flags & LC_STARVES) != 0)
		text_add(&t, ", others may pass a waiter for ever");
	text_add(&t, "%s.", (lc->lc_knobs & LK_LIMITS) == 0 ? "" :
	    ", a node's waiters pass others up to a limit");
	row(out, "claims", "", t.s);
}

/* Adds one of the rows' texts, each with its name. */
static void
add_all(struct text *t, const struct page *pg, size_t offset)
{
	const char *s;

	for (unsigned i = 0; i < EVIDENCE_ROWS; i++) {
		if (pg->pg_rows[i] == NULL)
			continue;
		s = (const char *)pg->pg_rows[i] + offset;
		if (*s != '\0')
			text_add(t, "%s: %s ", title(evidences[i].ev_name), s);
	}
}

void
page_print(FILE *out, const void *page)
{
	const struct page *pg = page;
	const struct assure_params *ap = pg->pg_params;
	struct text bounds = { .s = "" }, unshown = { .s = "" };

	fprintf(out, "SAFETY CASE: %s%s\n%s, rngsim %s\n%s\n\n",
	    pg->pg_design != NULL ? "" : "lock ", pg->pg_subject,
	    pg->pg_when, pg->pg_revision, pg->pg_host);
	claim(out, pg);
	text_add(&bounds, "Seed %" PRIu64 ", a budget of %g s, rows took "
	    "%.0f s, %u of this machine's CPUs. ", ap->ap_seed,
	    pg->pg_budget_s, pg->pg_took_s, ap->ap_jobs);
	add_all(&bounds, pg, offsetof(struct evidence_row, er_bounds));
	row(out, "bounds", "", bounds.s);
	subject(out, pg);
	for (unsigned i = 0; i < EVIDENCE_ROWS; i++) {
		const struct evidence_row *er = pg->pg_rows[i];

		if (has(pg, i))
			row(out, evidences[i].ev_name, er == NULL ? "" :
			    words[er->er_state], er == NULL ? "Not selected." :
			    er->er_text);
	}
	add_all(&unshown, pg, offsetof(struct evidence_row, er_unshown));
	if (pg->pg_design != NULL && !design_info(pg->pg_design).di_cored)
		text_add(&unshown, "Pools, reseeds, C and K: the source has "
		    "private names of its own. ");
	text_add(&unshown, "Weak memory beyond rngsim-explore(1)'s: load "
	    "buffering, plain data without a lock. What health tests say of a "
	    "source, and how often the harvest thread runs. Calls of "
	    "read_random() where nothing may sleep. A kernel's scheduler, its "
	    "interrupts and its stack. That the ciphers and hashes are good. "
	    "Other kinds of machines. Anything beyond the bounds.");
	row(out, "not shown", "", unshown.s);
	commands(out, "Replay", pg->pg_command);
	for (unsigned i = 0; i < EVIDENCE_ROWS; i++)
		if (pg->pg_rows[i] != NULL)
			commands(out, "", pg->pg_rows[i]->er_replay);
}
