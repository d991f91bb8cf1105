/*
 * How all commands are told what to do.
 *
 * Options begin with "-" and stand anywhere among the operands; "-" alone is an
 * operand, and so is every word behind "--".  A short option's value is the
 * rest of its word, or the next word; a long one's stands behind "=", or is the
 * next word.  Long names are written in full, as a later option could make any
 * beginning of one ambiguous.
 */
#ifndef BENCH_ARGUMENTS_H
#define BENCH_ARGUMENTS_H

#include <stdbool.h>

enum {
	ARGUMENTS_OPTIONS_MAX	= 64,	/* of a command */
	ARGUMENTS_LABEL_SIZE	= 40
};

/* An option.  The one called "help" needs no telling what it does. */
struct argument {
	char		 ag_short;	/* or '\0' */
	const char	*ag_long;
	const char	*ag_value;	/* in help and complaints; NULL: none */
	const char	*ag_descr;
	bool		 ag_repeats;	/* may be given more than once */
};

/* What a command takes. */
struct arguments {
	const char	*as_command;
	/* Its options in the order of help; or NULL, where as_option tells. */
	const struct argument *as_table;
	/* NULL: it takes none of this number. */
	const struct argument *(*as_option)(const void *context, unsigned i);
	unsigned	 as_options;	/* numbers there are */
	int		 as_operands;	/* the most of them */
	/* What to add to complaints; NULL: that --help lists the options. */
	const char	*as_hint;
	/*
	 * Takes an option; called in the order in which they are given, never
	 * for help.
	 *
	 *   label  in  the option as the user is told of it: "-r"
	 *   value  in  NULL for one that takes none; stays as long as argv
	 *
	 * Returns: 0, or an exit status after saying what is wrong.
	 */
	int		 (*as_set)(void *context, unsigned i, const char *label,
			    const char *value);
	void		*as_context;	/* of the two above */
};

/*
 * Goes through a command's arguments, as far as the first error or help.
 *
 *   argc, argv  in/out  argv[0] stays; behind it remain the operands
 *   help        out     whether it was asked for
 *
 * Returns: 0, or an exit status after saying what is wrong.
 */
int arguments_parse(const struct arguments *as, int *argc, char *argv[],
    bool *help);

/* Prints the options, for --help. */
void arguments_help(const struct arguments *as);

/*
 * For commands that take operands and only --help: prints help or complains.
 *
 *   argc, argv  in/out  as arguments_parse() has them
 *   max         in      operands
 *   usage       in      one line
 *   descr       in      what --help says below it
 *
 * Returns: whether to go on; *status is the exit status if not.
 */
bool arguments_operands(int *argc, char *argv[], int max, const char *usage,
    const char *descr, int *status);

#endif
