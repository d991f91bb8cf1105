/*
 * The program's commands: a family, one file bench/cmd_NAME.c and one line in
 * bench/cmd.tbl each.
 */
#ifndef BENCH_CMD_H
#define BENCH_CMD_H

#include "bench/cli/atomic_file.h"
#include "bench/options/options.h"

struct command {
	/*
	 * Finds what is wrong with the options together; NULL: nothing.
	 *
	 * Returns: 0, or an exit status after a message.
	 */
	int	(*cmd_check)(struct options *op);
	/*
	 * Runs the command.
	 *
	 * Returns: the exit status.  main() flushes and checks stdout.
	 */
	int	(*cmd_run)(struct options *op);
	unsigned cmd_needs;
};

/* What is set up before cmd_run and ended after it, in this order. */
enum {
	NEEDS_STOP	= 1 << 0,	/* stop_catch_signals() */
	NEEDS_SEED	= 1 << 1,	/* options_seed() */
	NEEDS_CRYPTO	= 1 << 2,	/* crypto_init() */
	NEEDS_THREAD	= 1 << 3	/* machine_attach() */
};

#define	COMMAND(name, ...)	extern const struct command cmd_##name;
#include "bench/cmd.tbl"
#undef COMMAND

extern const struct command *const commands[COMMANDS];

/*
 * Reads arguments, checks and runs.
 *
 *   argv  in  the program's, with the command in argv[1]
 *
 * Returns: the exit status.
 */
int command_execute(enum command_id cm, int argc, char *argv[]);

/* Measures, writes and shows: run and sweep. */
int command_measure(struct options *op);

/* The program's own argv, to execute it anew. */
extern char *const *command_argv;

/* The functions below print why they failed and return an exit status, or 0. */

/* Starts libcrypto; crypto_fini() ends it. */
int command_crypto(void);

/* Executes the program anew where libcrypto's instructions are others. */
int command_crypto_mode(enum crypto_mode mode);

/* Opens the file that becomes path; does nothing without a path. */
int command_open(const char *path, struct atomic_file *of);

/* Writes text and completes such a file. */
int command_commit(const char *path, struct atomic_file *of, const char *text,
    size_t len);

/* The same with what a function prints. */
int command_write(const char *path, struct atomic_file *of,
    void (*print)(FILE *out, const void *arg), const void *arg);

#endif
