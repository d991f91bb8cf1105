/* --help, and what shells offer to complete. */
#include "bench/options/options.h"

enum {
	DESCRIPTION	= 29,	/* its column in help */
	VALUES		= 14	/* column of what follows their name in help */
};

static void
help_option(const struct option_def *od, enum command_id cm)
{
	const struct family *fa = od->od_family;
	struct text values = { .s = "" };
	const char *value = od->od_value, *def = option_default(od, cm);
	bool words = def != NULL && def[0] == '(';

	if ((cm == COMMAND_run || cm == COMMAND_cat) && value != NULL &&
	    strcmp(value, "LIST") == 0)
		value = "VALUE";
	/* What it accepts, where the description does not have it. */
	if (od->od_type != TYPE_NAME && od->od_type != TYPE_NAMES) {
		if (od->od_max < INT64_MAX / 2)
			(void)option_range(&values, od);
	} else if (fa->fam_title == NULL && fa->fam_topic == NULL)
		(void)option_accepted(&values, od, cm);
	format_wrapf(stdout, FORMATF("  %s--%s%s%s", od->od_letter == '\0' ?
	    "    " : FORMATF("-%c, ", od->od_letter), od->od_name,
	    value != NULL ? " " : "", value != NULL ? value : ""), DESCRIPTION,
	    "%s%s%s%s%s%s", od->od_descr, values.s[0] != '\0' ? ": " : "",
	    values.s, def == NULL ? "" : words ? " " : " (", def == NULL ? "" :
	    def, def == NULL || words ? "" : ")");
}

/* The members of a family that are too many for an option's description. */
static void
help_family(const struct family *fa)
{
	if (fa->fa_descr == NULL) {
		format_wrap(stdout, FORMATF("  %s", fa->fam_title), VALUES,
		    TEXT_OF(family_join, fa, 0, NULL));
		return;
	}
	printf("\n%s:\n", fa->fam_title);
	for (unsigned i = 0; fa->fa_name(i) != NULL; i++)
		format_wrap(stdout, FORMATF("  %s", fa->fa_name(i)), VALUES,
		    fa->fa_descr(i));
}

void
options_help(enum command_id cm)
{
	const struct command_text *ct = &command_texts[cm];
	const char *at = ct->ct_usage, *bar;
	const struct family *fa;
	bool any = false;

	/* "A | B" are two lines. */
	printf("Usage: rngsim %s ", ct->ct_name);
	for (; (bar = strstr(at, " | ")) != NULL; at = bar + 3)
		printf("%.*s\n       rngsim %s ", (int)(bar - at), at,
		    ct->ct_name);
	printf("%s\n\n", at);
	format_wrap(stdout, "", 0, ct->ct_text);
	puts("\nOptions:");
	for (unsigned id = 0; id < OPTIONS; id++)
		if (option_takes(cm, id))
			help_option(&option_defs[id], cm);
	for (unsigned id = 0; id < OPTIONS; id++) {
		fa = option_defs[id].od_family;
		if (!option_takes(cm, id) || fa == NULL ||
		    fa->fam_title == NULL)
			continue;
		if (!any && fa->fa_descr == NULL)
			puts("\nValues:");
		any = true;
		help_family(fa);
	}
	if (operand_families[cm].fam_title != NULL)
		help_family(&operand_families[cm]);
	printf("\nSee rngsim-%s(1).%s\n", ct->ct_name, option_takes(cm,
	    OPTION_LOCK) ? "  \"rngsim list\" describes these values." : "");
}

/* The word before the cursor. */
struct word {
	const char	*wo_text;
	size_t		 wo_kept;	/* of it, as it stands */
};

/* Prints a candidate, and a line on it after a tab. */
static void
offer(const struct word *w, const char *name, const char *tail,
    const char *descr)
{
	const char *part = w->wo_text + w->wo_kept;

	if (strncmp(name, part, strlen(part)) == 0)
		printf("%.*s%s%s\t%s\n", (int)w->wo_kept, w->wo_text, name,
		    tail, descr);
}

static void
offer_family(const struct word *w, const struct family *fa, uint64_t mask)
{
	const char *name;

	for (unsigned i = 0; (name = fa->fa_name(i)) != NULL; i++)
		if (mask == 0 || (mask >> i & 1) != 0)
			offer(w, name, "", fa->fa_descr == NULL ? "" :
			    fa->fa_descr(i));
}

static void
offer_sysctl(void *context, const struct design *de __unused,
    const struct design_sysctl *dy)
{
	if (dy != NULL)
		offer(context, dy->dy_name, "=", dy->dy_descr);
}

/* Values of an option; of a list, what follows the last comma. */
static void
offer_values(struct word w, unsigned id)
{
	const struct option_def *od = &option_defs[id];
	const char *comma = strrchr(w.wo_text + w.wo_kept, ',');
	const struct bench_tunables *bt = bench_tunables;
	const struct tunable *tn;

	if (od->od_type == TYPE_NAMES && comma != NULL)
		w.wo_kept = (size_t)(comma + 1 - w.wo_text);
	if (od->od_family != NULL)
		offer_family(&w, od->od_family, od->od_max);
	if ((od->od_flags & ALL) != 0)
		offer(&w, "all", "", "");
	for (; od->od_set == option_tunable && bt->btu_table != NULL; bt++)
		for (tn = bt->btu_table; tn->tn_name != NULL; tn++)
			offer(&w, tn->tn_name, "=", tn->tn_descr);
	if (od->od_set == option_tunable)
		options_sysctls(offer_sysctl, &w);
	for (unsigned i = 0; od->od_set == option_failpoint && i < FAILPOINTS;
	    i++)
		offer(&w, failpoint_defs[i].fd_name, "=", "");
	if (strcmp(od->od_name, "profile") != 0)
		return;
	offer(&w, "host", "", "");
	for (unsigned i = 0; profile_shipped[i].ps_name != NULL; i++)
		offer(&w, profile_shipped[i].ps_name, "", "");
}

/* The option of which a word is all but the value; OPTIONS: none. */
static unsigned
find(enum command_id cm, const char *word)
{
	return (word[0] != '-' || (word[1] != '-' && strlen(word) != 2) ?
	    OPTIONS : option_find(cm, word));
}

/* Operands are those that the usage has in lower case: "check PATH | list". */
static void
offer_operands(const struct word *w, enum command_id cm, const char *before)
{
	const char *at = command_texts[cm].ct_usage;

	if (cm == COMMAND_list && strcmp(before, "designs") == 0)
		offer_family(w, &family_designs, 0);
	else if (cm == COMMAND_list && strcmp(before, "profiles") == 0)
		offer_values(*w, OPTION_PROFILE);
	else if (operand_families[cm].fa_name != NULL)
		offer_family(w, &operand_families[cm], 0);
	for (; at != NULL; at = (at = strstr(at, " | ")) == NULL ? NULL :
	    at + 3)
		if (at[0] >= 'a' && at[0] <= 'z')
			offer(w, FORMATF("%.*s", (int)strcspn(at, " "), at), "",
			    "");
}

void
options_complete(int words, char *const word[])
{
	struct word w = { .wo_text = words > 0 ? word[words - 1] : "" };
	const char *before = words > 1 ? word[words - 2] : "";
	enum command_id cm;
	unsigned id;
	int found;

	if (words <= 1) {
		offer_family(&w, &family_commands, 0);
		offer(&w, "--help", "", "list the commands");
		offer(&w, "--version", "", "print the version");
		return;
	}
	if ((found = family_find(&family_commands, word[0])) == -1)
		return;
	cm = (enum command_id)found;
	id = find(cm, before);
	if (id < OPTIONS && option_defs[id].od_value != NULL &&
	    strchr(before, '=') == NULL) {
		offer_values(w, id);
		return;
	}
	id = find(cm, w.wo_text);
	if (id < OPTIONS && strchr(w.wo_text, '=') != NULL) {
		w.wo_kept = strcspn(w.wo_text, "=") + 1;
		offer_values(w, id);
	} else if (w.wo_text[0] == '-')
		for (id = 0; id < OPTIONS; id++) {
			if (option_takes(cm, id))
				offer(&w, FORMATF("--%s",
				    option_defs[id].od_name), "",
				    option_defs[id].od_descr);
		}
	else
		offer_operands(&w, cm, before);
}
