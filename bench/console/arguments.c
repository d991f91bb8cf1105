#include <stdio.h>
#include <string.h>

#include "bench/console/arguments.h"
#include "bench/console/figure.h"
#include "bench/console/usage.h"
#include "lib/kassert.h"

enum {
	DESCRIPTION	= 29,	/* its column in help */
	LETTERS_MAX	= 32,	/* of a name that is looked for */
	WRONG_MAX	= 2	/* letters in what was meant otherwise */
};

/* Arguments being gone through. */
struct walk {
	const struct arguments *wk_takes;
	int		 wk_argc;
	char		**wk_argv;
	int		 wk_at;
	bool		 wk_seen[ARGUMENTS_OPTIONS_MAX];
	bool		 wk_help;
};

static const struct argument *
option(const struct arguments *as, unsigned i)
{

	return (as->as_table != NULL ? &as->as_table[i] :
	    as->as_option(as->as_context, i));
}

/*
 * The option that a word begins with.
 *
 *   value  out  what the word holds of its value, or NULL
 *
 * Returns: its number; that of options when it is none of them.
 */
static unsigned
find(const struct arguments *as, const char *word, const char **value)
{
	bool is_long = word[1] == '-';
	size_t n = strcspn(word, "=");
	const struct argument *ag;
	unsigned i;

	for (i = 0; i < as->as_options; i++) {
		ag = option(as, i);
		if (ag == NULL)
			continue;
		if (is_long && strlen(ag->ag_long) == n - 2 &&
		    strncmp(ag->ag_long, word + 2, n - 2) == 0) {
			*value = word[n] == '=' ? word + n + 1 : NULL;
			break;
		}
		if (!is_long && word[1] == ag->ag_short) {
			*value = word[2] != '\0' ? word + 2 : NULL;
			break;
		}
	}
	return (i);
}

/* How many letters are to be put in, taken out or changed to make b of a. */
static unsigned
distance(const char *a, size_t n, const char *b)
{
	unsigned row[LETTERS_MAX + 1], corner, cost, i, k;

	for (k = 0; k <= n; k++)
		row[k] = k;
	for (i = 0; b[i] != '\0'; i++) {
		corner = row[0]++;
		for (k = 1; k <= n; k++) {
			cost = corner + (a[k - 1] != b[i]);
			corner = row[k];
			row[k] = cost < corner + 1 ? cost : corner + 1;
			if (row[k - 1] + 1 < row[k])
				row[k] = row[k - 1] + 1;
		}
	}
	return (row[n]);
}

/* The long option that a word of n letters is nearly, or NULL. */
static const char *
nearly(const struct arguments *as, const char *word, size_t n)
{
	unsigned best = WRONG_MAX + 1, far, i;
	const struct argument *ag;
	const char *name = NULL;

	if (n < 2 + WRONG_MAX || n - 2 > LETTERS_MAX || word[1] != '-')
		return (NULL);
	for (i = 0; i < as->as_options; i++) {
		ag = option(as, i);
		far = ag == NULL ? best : distance(word + 2, n - 2,
		    ag->ag_long);
		if (far < best) {
			best = far;
			name = ag->ag_long;
		}
	}
	return (name);
}

static int
refuse(const struct arguments *as, const char *what, int n, const char *word)
{
	const char *name = nearly(as, word, (size_t)n);
	const char *before = name == NULL ? "" : " nearest is --";
	const char *behind = name == NULL ? "" : ";";

	if (name == NULL)
		name = "";
	if (as->as_hint != NULL)
		return (usage_error(as->as_command, "%s %.*s;%s%s%s %s", what,
		    n, word, before, name, behind, as->as_hint));
	return (usage_error(as->as_command, "%s %.*s;%s%s%s \"rngsim %s "
	    "--help\" lists them", what, n, word, before, name, behind,
	    as->as_command));
}

/* The option at wk_at, which moves to its value where that is a word. */
static int
parse_option(struct walk *wk)
{
	const struct arguments *as = wk->wk_takes;
	const char *value = NULL, *word = wk->wk_argv[wk->wk_at];
	char label[ARGUMENTS_LABEL_SIZE];
	const struct argument *ag;
	unsigned i;

	i = find(as, word, &value);
	if (i == as->as_options)
		return (refuse(as, "unknown option", word[1] == '-' ?
		    (int)strcspn(word, "=") : 2, word));
	ag = option(as, i);
	if (ag->ag_short != '\0')
		snprintf(label, sizeof(label), "-%c", ag->ag_short);
	else
		snprintf(label, sizeof(label), "--%s", ag->ag_long);
	if (wk->wk_seen[i] && !ag->ag_repeats)
		return (usage_error(as->as_command, "%s is given twice",
		    label));
	wk->wk_seen[i] = true;
	if (ag->ag_value == NULL && value != NULL)
		return (usage_error(as->as_command, "%s takes no value, "
		    "unlike \"%s\"", label, word));
	if (ag->ag_value != NULL && value == NULL) {
		if (wk->wk_at + 1 == wk->wk_argc)
			return (usage_error(as->as_command, "%s: expected %s "
			    "after it", label, ag->ag_value));
		value = wk->wk_argv[++wk->wk_at];
	}
	wk->wk_help = strcmp(ag->ag_long, "help") == 0;
	return (wk->wk_help ? 0 : as->as_set(as->as_context, i, label, value));
}

int
arguments_parse(const struct arguments *as, int *argc, char *argv[], bool *help)
{
	struct walk wk = { .wk_takes = as, .wk_argc = *argc, .wk_argv = argv };
	bool operands_only = false;
	int error = 0, operands = 0;
	char *word;

	KASSERT(as->as_options <= ARGUMENTS_OPTIONS_MAX,
	    ("%u options", as->as_options));
	for (wk.wk_at = 1; wk.wk_at < wk.wk_argc && error == 0 && !wk.wk_help;
	    wk.wk_at++) {
		word = argv[wk.wk_at];
		if (!operands_only && strcmp(word, "--") == 0) {
			operands_only = true;
		} else if (!operands_only && word[0] == '-' &&
		    word[1] != '\0') {
			error = parse_option(&wk);
		} else if (operands == as->as_operands) {
			error = usage_error(as->as_command, "surplus operand "
			    "\"%s\"%s%s", word, as->as_hint != NULL ? "; " : "",
			    as->as_hint != NULL ? as->as_hint : "");
		} else {
			/* Those before it have been read already. */
			argv[++operands] = word;
		}
	}
	*argc = 1 + operands;
	*help = wk.wk_help;
	return (error);
}

void
arguments_help(const struct arguments *as)
{
	char left[64], name[8];
	const struct argument *ag;
	unsigned i;

	puts("Options:");
	for (i = 0; i < as->as_options; i++) {
		ag = option(as, i);
		if (ag == NULL)
			continue;
		snprintf(name, sizeof(name), ag->ag_short != '\0' ? "-%c, " :
		    "    ", ag->ag_short);
		snprintf(left, sizeof(left), "  %s--%s%s%s", name, ag->ag_long,
		    ag->ag_value != NULL ? " " : "",
		    ag->ag_value != NULL ? ag->ag_value : "");
		figure_wrap(stdout, left, DESCRIPTION, ag->ag_descr);
	}
}

bool
arguments_operands(int *argc, char *argv[], int max, const char *usage,
    const char *descr, int *status)
{
	static const struct argument option_help = { 'h', "help", NULL,
	    "this text", false };
	char hint[128];
	const struct arguments as = { .as_command = argv[0],
	    .as_table = &option_help, .as_options = 1,
	    .as_operands = max, .as_hint = hint };
	bool alone = *argc == 2, help;

	snprintf(hint, sizeof(hint), "usage: rngsim %s", usage);
	*status = arguments_parse(&as, argc, argv, &help);
	if (*status == 0 && help && !alone)
		*status = usage_error(argv[0], "surplus operand \"%s\" "
		    "beside --help", strcmp(argv[1], "--help") == 0 ||
		    strcmp(argv[1], "-h") == 0 ? argv[2] : argv[1]);
	if (*status == 0 && help) {
		printf("Usage: rngsim %s\n\n", usage);
		figure_wrap(stdout, "", 0, descr);
		putchar('\n');
		arguments_help(&as);
	}
	return (*status == 0 && !help);
}
