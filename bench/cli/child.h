/* Processes: programs, and functions that may crash; where this program is. */
#pragma once

#include <sys/wait.h>

#include "lib/base/base.h"

enum { CHILD_PIPE = -1 };

struct child {
	const char *const *cld_argv;	/* NULL-terminated; searched in PATH */
	bool	 cld_again;	/* this program, executed again */
	const char *cld_env;	/* "NAME=value" to add; or NULL */
	/* Instead of a program; has a process group, and a pipe to write. */
	void	(*ch_main)(void *arg, int out);
	void	*cld_arg;
	/* Become stdin, stdout, stderr; 0 keeps this process's own. */
	int	 cld_fd[3];
	/* Set by child_start(): */
	pid_t	 cld_pid;
	int	 cld_out;	/* the pipe's end to read; the caller closes */
};

/* Returns: 0, or the error of pipe(2), fork(2) or execve(2). */
int child_start(struct child *ch);

/* Waits for its end.  Returns: the status as wait(2) has it. */
int child_wait(pid_t pid);

/*
 * Runs a program for its output, with err that of stderr too, which is to be
 * freed; NULL: it cannot be read.  Returns: as child_wait(); -1 and errno.
 */
int child_output(const char *const argv[], const char *env, bool err,
    char **text);

enum { PROGRAM_PATH_SIZE = 4096 };

/* The path of this program; empty where the system does not have it. */
void program_find(char path[PROGRAM_PATH_SIZE]);

/*
 * Finds the program's data: installed, share/rngsim/SHARED, or else SOURCE in
 * the source tree that it was built from.  Either may be NULL.
 */
bool program_data(const char *shared, const char *source,
    char path[PROGRAM_PATH_SIZE]);

/* Finds the same program in another build, FLAVOUR/rngsim beside this one. */
bool program_sibling(const char *flavour, char path[PROGRAM_PATH_SIZE]);
