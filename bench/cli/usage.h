/*
 * Messages of a command that cannot do what it was asked: one line on stderr,
 * "rngsim: COMMAND: ...", with bytes that are not printable as \xHH.
 */
#ifndef BENCH_CLI_USAGE_H
#define BENCH_CLI_USAGE_H

enum {
	EXIT_USAGE	= 2,
	EXIT_UNFIT	= 3	/* the machine: try elsewhere */
};

/*
 * Reports an error in the arguments.
 *
 *   command  in  its name; NULL: no command was given
 *
 * Returns: EXIT_USAGE.
 */
int usage_error(const char *command, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Reports another failure, likewise.  Returns: EXIT_FAILURE. */
int run_error(const char *command, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
