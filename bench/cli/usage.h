/*
 * Messages: one line on stderr, "rngsim: COMMAND: ...", with bytes that are not
 * printable as \xHH.
 */
#ifndef BENCH_CLI_USAGE_H
#define BENCH_CLI_USAGE_H

#include <stdlib.h>

enum {
	EXIT_USAGE	= 2,
	EXIT_UNFIT	= 3	/* the machine: try elsewhere */
};

/* The command's name in messages; NULL: none was given. */
extern const char *usage_command;

/* Prints a message.  Returns: status. */
int complain(int status, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* An error in the arguments; another failure; what is no failure. */
#define	usage_error(...)	complain(EXIT_USAGE, __VA_ARGS__)
#define	run_error(...)		complain(EXIT_FAILURE, __VA_ARGS__)
#define	run_note(...)		((void)complain(EXIT_SUCCESS, __VA_ARGS__))

#endif
