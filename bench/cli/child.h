/* Processes: other programs, and functions that may crash or hang. */
#ifndef BENCH_CLI_CHILD_H
#define BENCH_CLI_CHILD_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

enum { CHILD_PIPE = -1 };

struct child {
	const char *const *ch_argv;	/* NULL-terminated; searched in PATH */
	bool	 ch_again;	/* this program, executed again */
	const char *ch_env;	/* "NAME=value" to add; or NULL */
	/* Instead of a program; has a process group, and a pipe to write. */
	void	(*ch_main)(void *arg, int out);
	void	*ch_arg;
	/* Become stdin, stdout, stderr; 0 keeps this process's own. */
	int	 ch_fd[3];
	/* Set by child_start(): */
	pid_t	 ch_pid;
	int	 ch_out;	/* the pipe's end to read; the caller closes */
};

/* Returns: 0, or the error of pipe(2), fork(2) or execve(2). */
int child_start(struct child *ch);

/* Waits for its end.  Returns: the status as wait(2) has it. */
int child_wait(pid_t pid);

/*
 * Starts a program with stdout, and with err stderr, in a pipe.  Returns: the
 * pipe to read; or NULL.
 */
FILE *child_open(const char *const argv[], const char *env, bool err,
    pid_t *pid);

/* Reads what is left and waits.  Returns: as child_wait(). */
int child_close(FILE *in, pid_t pid);

#endif
