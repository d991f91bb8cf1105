/* The commands: bench/cmd_NAME.c and a row of bench/options/command.tbl. */
#pragma once

#include "bench/campaign/campaign.h"

struct command {
	/* Finds what is wrong with options: 0, or a status.  NULL: nothing. */
	int	(*cmd_check)(struct options *op);
	/* Returns: the exit status.  main() flushes and checks stdout. */
	int	(*cmd_run)(struct options *op);
	unsigned cmd_needs;
};

/* What is set up before cmd_run and ended after it, in this order. */
enum {
	NEEDS_MODE	= 1 << 0,	/* command_crypto_mode(), of --crypto */
	NEEDS_STOP	= 1 << 1,	/* stop_catch_signals() */
	NEEDS_SEED	= 1 << 2,	/* options_seed() */
	NEEDS_CRYPTO	= 1 << 3,	/* crypto_init() */
	NEEDS_THREAD	= 1 << 4	/* machine_attach() */
};

#define	COMMAND(name, ...)	extern const struct command cmd_##name;
#include "bench/cli/stop.h"
#include "bench/options/command.tbl"

extern const struct command *const commands[COMMANDS];

/* Names that one command has, for its options and operands. */
extern const struct family assure_checks, explore_locks, list_topics;
extern const struct family report_panels, reproduce_names, sources_names;

/* Gives these to bench/options; a part of command_execute(). */
void command_families(void);

/* Reads the program's arguments, checks and runs.  Returns: the exit status. */
int command_execute(enum command_id cm, char *argv[]);

/* Measures, writes and shows: run and sweep. */
int command_measure(struct options *op);
