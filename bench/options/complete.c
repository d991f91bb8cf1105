/*
 * rngsim --complete: what a word of a command line may be, from the tables.
 * The completions of shells call it, so that they have nothing to keep current.
 */
#include "bench/options/options.h"

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
offer_sysctl(void *context, const struct design *de,
    const struct design_sysctl *dy)
{
	(void)de;
	if (dy != NULL)
		offer(context, dy->dy_name, "=", dy->dy_descr);
}

/* Values of an option; of a list, what follows the last comma. */
static void
offer_values(struct word w, unsigned id)
{
	const struct option_def *od = &option_defs[id];
	const char *comma = strrchr(w.wo_text + w.wo_kept, ',');
	struct tunable_set sets[BENCH_TUNABLE_SETS], *ts;
	struct bench_config config;

	if (od->od_type == TYPE_NAMES && comma != NULL)
		w.wo_kept = (size_t)(comma + 1 - w.wo_text);
	if (od->od_family != NULL)
		offer_family(&w, od->od_family, od->od_max);
	if ((od->od_flags & ALL) != 0)
		offer(&w, "all", "", "");
	bench_config_sets(&config, sets);
	for (ts = sets; od->od_set == option_tunable &&
	    ts < sets + BENCH_TUNABLE_SETS; ts++)
		for (unsigned i = 0; i < ts->ts_count; i++)
			offer(&w, ts->ts_table[i].tn_name, "=",
			    ts->ts_table[i].tn_descr);
	if (od->od_set == option_tunable)
		options_sysctls(offer_sysctl, &w);
	for (unsigned i = 0; od->od_set == option_failpoint && i < FAILPOINTS;
	    i++)
		offer(&w, failpoints_def(i)->fd_name, "=", "");
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
	char name[OPTION_LABEL_SIZE];
	const char *at = command_texts[cm].ct_usage;

	if (cm == COMMAND_list && strcmp(before, "designs") == 0)
		offer_family(w, &family_designs, 0);
	else if (cm == COMMAND_list && strcmp(before, "profiles") == 0)
		offer_values(*w, OPTION_PROFILE);
	else if (operand_families[cm].fa_name != NULL)
		offer_family(w, &operand_families[cm], 0);
	for (; at != NULL; at = (at = strstr(at, " | ")) == NULL ? NULL :
	    at + 3) {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, " "), at);
		if (name[0] >= 'a' && name[0] <= 'z')
			offer(w, name, "", "");
	}
}

void
options_complete(int words, char *const word[])
{
	struct word w = { .wo_text = words > 0 ? word[words - 1] : "" };
	const char *before = words > 1 ? word[words - 2] : "";
	char name[2 * OPTION_LABEL_SIZE];
	enum command_id cm = 0;
	unsigned id;

	if (words <= 1) {
		for (; cm < COMMANDS; cm++)
			offer(&w, command_texts[cm].ct_name, "",
			    command_texts[cm].ct_line);
		offer(&w, "--help", "", "list the commands");
		offer(&w, "--version", "", "print the version");
		return;
	}
	cm = command_find(word[0]);
	if (cm == COMMANDS)
		return;
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
			if (!option_takes(cm, id) ||
			    (option_defs[id].od_flags & HIDDEN) != 0)
				continue;
			snprintf(name, sizeof(name), "--%s",
			    option_defs[id].od_name);
			offer(&w, name, "", option_defs[id].od_descr);
		}
	else
		offer_operands(&w, cm, before);
}
