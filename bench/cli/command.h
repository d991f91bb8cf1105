/*
 * What commands do alike; messages.  Functions print why they failed, and
 * return an exit status or 0.
 */
#pragma once

#include "bench/cli/atomic_file.h"
#include "lib/base/base.h"
#include "lib/crypto/crypto.h"

enum {
	EXIT_USAGE	= 2,
	EXIT_UNFIT	= 3	/* the machine: try elsewhere */
};

/* The command's name in messages; NULL: none was given. */
extern const char *usage_command;

/*
 * Prints "rngsim: COMMAND: ..." on stderr, with bytes that are not printable as
 * \xHH.  Returns: status.
 */
int complain(int status, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* An error in the arguments; another failure; what is no failure. */
#define	usage_error(...)	complain(EXIT_USAGE, __VA_ARGS__)
#define	run_error(...)		complain(EXIT_FAILURE, __VA_ARGS__)
#define	run_note(...)		((void)complain(EXIT_SUCCESS, __VA_ARGS__))

/* A usage error, if errno says that what an argument names is wrong; or not. */
#define	argument_error(error, ...)					\
	complain((error) == EINVAL || (error) == ENOENT || (error) == ESRCH || \
	    (error) == ERANGE ? EXIT_USAGE : EXIT_FAILURE, __VA_ARGS__)

/* The program's own argv, to execute it anew. */
extern char *const *command_argv;

/* Starts libcrypto; crypto_fini() ends it. */
int command_crypto(void);

/* Executes the program anew where libcrypto's instructions are others. */
int command_crypto_mode(enum crypto_mode mode);

/*
 * Opens the file that becomes path when it is complete, as atomic_file_open()
 * with temp; exit(3) gives it up.  These do nothing without a path.
 */
int command_open(const char *path, const char *temp);

/* Writes text and completes the file that was opened with this pointer. */
int command_commit(const char *path, const char *text, size_t len);

/*
 * Writes what stdout holds back: only then an error shows, errno, if it is not
 * 0.  Says nothing of a pipe whose reader has ended.  Returns: an exit status.
 */
int command_flush(void);

/* The same with what a function prints. */
int command_write(const char *path, void (*print)(FILE *out, const void *arg),
    const void *arg);
