#if defined(__FreeBSD__)
#include <sys/auxv.h>
#endif

#include <fcntl.h>

#include "bench/cli/child.h"

static void __attribute__((noreturn))
become(const struct child *ch, int out, int failed)
{
	char *const *argv = (char *const *)(uintptr_t)ch->cld_argv;
	int from;

	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		from = ch->cld_fd[fd] == CHILD_PIPE ? out : ch->cld_fd[fd];
		if (from != 0)
			dup2(from, fd);
	}
	if (ch->ch_main != NULL) {
		setpgid(0, 0);
		close(failed);
		close(ch->cld_out);
		ch->ch_main(ch->cld_arg, out);
		_exit(EXIT_SUCCESS);
	}
	if (ch->cld_env != NULL)
		(void)putenv((char *)(uintptr_t)ch->cld_env);
#if defined(__linux__)
	if (ch->cld_again)
		execv("/proc/self/exe", argv);
#endif
	execvp(argv[0], argv);
	(void)!write(failed, &errno, sizeof(errno));
	_exit(127);
}

int
child_start(struct child *ch)
{
	int error = 0, failed[2], out[2];

	if (ch->ch_main != NULL)
		fflush(NULL);
	if (pipe2(out, O_CLOEXEC) == -1)
		return (errno);
	if (pipe2(failed, O_CLOEXEC) == -1) {
		error = errno;
		close(out[0]);
		close(out[1]);
		return (error);
	}
	ch->cld_out = out[0];
	if ((ch->cld_pid = fork()) == 0)
		become(ch, out[1], failed[1]);
	if (ch->cld_pid == -1)
		error = errno;
	close(failed[1]);
	close(out[1]);
	/* Successful execution closes the other end. */
	while (error == 0 && read(failed[0], &error, sizeof(error)) == -1)
		KASSERT(errno == EINTR, ("read: %s", strerror(errno)));
	close(failed[0]);
	if (error != 0) {
		close(ch->cld_out);
		if (ch->cld_pid != -1)
			(void)child_wait(ch->cld_pid);
	} else if (ch->ch_main != NULL)
		setpgid(ch->cld_pid, ch->cld_pid);
	return (error);
}

int
child_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) == -1)
		KASSERT(errno == EINTR, ("waitpid: %s", strerror(errno)));
	return (status);
}

int
child_output(const char *const argv[], const char *env, bool err, char **text)
{
	struct child ch = { .cld_argv = argv, .cld_env = env,
	    .cld_fd = { 0, CHILD_PIPE, err ? CHILD_PIPE : 0 } };
	size_t size;

	*text = NULL;
	if ((errno = child_start(&ch)) != 0)
		return (-1);
	(void)read_file(ch.cld_out, SIZE_MAX, text, &size);
	close(ch.cld_out);
	return (child_wait(ch.cld_pid));
}

void
program_find(char path[PROGRAM_PATH_SIZE])
{
#if defined(__FreeBSD__)
	if (elf_aux_info(AT_EXECPATH, path, PROGRAM_PATH_SIZE) != 0)
		path[0] = '\0';
#else
	ssize_t n = readlink("/proc/self/exe", path, PROGRAM_PATH_SIZE - 1);

	path[n < 0 ? 0 : n] = '\0';
#endif
}

/* Whether prefix/rest is so many levels above the program. */
static bool
above(unsigned levels, const char *prefix, const char *rest, int mode,
    char path[PROGRAM_PATH_SIZE])
{
	size_t room, used;

	program_find(path);
	used = strlen(path);
	for (; levels > 0 && used > 0; levels--)
		while (used > 0 && path[--used] != '/')
			continue;
	if (path[used] != '/')
		return (false);
	room = PROGRAM_PATH_SIZE - used;
	return ((size_t)snprintf(path + used, room, "/%s%s", prefix, rest) <
	    room && access(path, mode) == 0);
}

bool
program_data(const char *shared, const char *source,
    char path[PROGRAM_PATH_SIZE])
{
	const int mode = R_OK | X_OK;

	return ((shared != NULL && above(2, "share/rngsim/", shared, mode,
	    path)) || (source != NULL && (above(2, "", source, mode, path) ||
	    /* A build in a build's folder, build/asan, and its tests. */
	    above(3, "", source, mode, path) ||
	    above(4, "", source, mode, path))));
}

bool
program_sibling(const char *flavour, char path[PROGRAM_PATH_SIZE])
{
	return (above(1, flavour, "/rngsim", X_OK, path));
}
