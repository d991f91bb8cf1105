/*
 * The program's commands: a family, one file bench/cmd_NAME.c and one line in
 * bench/cmd.tbl each.
 */
#ifndef BENCH_CMD_H
#define BENCH_CMD_H

struct command {
	const char	*cmd_name;
	const char	*cmd_args;	/* operands and options, for usage */
	const char	*cmd_descr;	/* one line for --help */
	/*
	 * Runs the command.
	 *
	 *   argc, argv  in  argv[0] is the command's name
	 *   whole       in  the program's own argv, to execute it anew
	 *
	 * Returns: the exit status.  stdout is flushed and checked by main().
	 */
	int		(*cmd_run)(int argc, char *argv[], char *const whole[]);
};

#define	COMMAND(name)	extern const struct command cmd_##name;
#include "bench/cmd.tbl"
#undef COMMAND

/*
 * What run and sweep do: parse, choose libcrypto's instructions, measure,
 * write, show.  kind is OPTIONS_RUN or OPTIONS_SWEEP.
 */
int cmd_measure(unsigned kind, int argc, char *argv[], char *const whole[],
    const struct command *self);

#endif
