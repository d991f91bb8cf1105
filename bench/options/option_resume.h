/*
 * Going on with a run that was not finished: the options are those that it was
 * begun with.
 */
#ifndef BENCH_OPTION_RESUME_H
#define BENCH_OPTION_RESUME_H

#include <jansson.h>

#include "bench/options/options.h"

/* What an earlier run was told. */
struct options_begun {
	char *const	*ob_argv;	/* the program's, NULL-terminated */
	uint64_t	 ob_seed;	/* chosen or given */
};

/*
 * Looks for --resume among a command's arguments.
 *
 *   file  out  what it names; NULL where there is none, or --help
 *
 * Returns: 0, or an exit status after saying what is wrong.
 */
int options_resume_file(enum options_kind kind, int argc, char *argv[],
    const char **file);

/*
 * Reads the arguments of a command that goes on with file: what they say must
 * be what the run was begun with, but for --format.  The result goes to file.
 *
 * Returns: as options_parse(); EXIT_USAGE after naming the option that differs.
 */
int options_parse_resumed(struct options *op, enum options_kind kind, int argc,
    char *argv[], const char *file, const struct options_begun *ob);

/*
 * All that options make of a run, defaults and the contents of files included;
 * an object whose keys are long names of options.
 *
 * Returns: NULL when there is no memory.
 */
json_t *options_describe(const struct options *op);

#endif
