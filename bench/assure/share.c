#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__FreeBSD__)
#include <sys/auxv.h>
#endif

#include "bench/assure/share.h"
#include "lib/kassert.h"

void
share_program(struct assure_params *ap)
{
#if defined(__FreeBSD__)
	if (elf_aux_info(AT_EXECPATH, ap->ap_program,
	    sizeof(ap->ap_program)) != 0)
		ap->ap_program[0] = '\0';
#else
	ssize_t n;

	n = readlink("/proc/self/exe", ap->ap_program,
	    sizeof(ap->ap_program) - 1);
	ap->ap_program[n < 0 ? 0 : n] = '\0';
#endif
}

/* The folder that is so many levels above the program. */
static bool
above(const struct assure_params *ap, unsigned levels,
    char path[EVIDENCE_PATH_SIZE])
{
	char *slash;
	unsigned i;

	snprintf(path, EVIDENCE_PATH_SIZE, "%s", ap->ap_program);
	for (i = 0; i < levels; i++) {
		slash = strrchr(path, '/');
		if (slash == NULL)
			return (false);
		*slash = '\0';
	}
	return (true);
}

/* What is there below such a folder. */
static bool
below(const struct assure_params *ap, unsigned levels, const char *prefix,
    const char *rest, int mode, char path[EVIDENCE_PATH_SIZE])
{
	size_t room, used;

	if (!above(ap, levels, path))
		return (false);
	used = strlen(path);
	room = EVIDENCE_PATH_SIZE - used;
	return ((size_t)snprintf(path + used, room, "%s%s", prefix, rest) <
	    room && access(path, mode) == 0);
}

bool
share_find(const struct assure_params *ap, const char *shared,
    const char *source, char path[EVIDENCE_PATH_SIZE])
{

	return (below(ap, 2, "/share/rngsim/", shared, R_OK | X_OK, path) ||
	    below(ap, 2, "/", source, R_OK | X_OK, path) ||
	    /* A build in a build's folder: build/asan. */
	    below(ap, 3, "/", source, R_OK | X_OK, path));
}

bool
share_sibling(const struct assure_params *ap, const char *flavour,
    char path[EVIDENCE_PATH_SIZE])
{
	char rest[EVIDENCE_PATH_SIZE];

	snprintf(rest, sizeof(rest), "%s/rngsim", flavour);
	return (below(ap, 1, "/", rest, X_OK, path));
}

int
share_run(char *const argv[], const char *name, const char *value)
{
	int null, status;
	pid_t pid;

	pid = fork();
	if (pid == -1)
		return (-1);
	if (pid == 0) {
		null = open("/dev/null", O_WRONLY);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		if (name != NULL)
			setenv(name, value, 1);
		execvp(argv[0], argv);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) == -1)
		KASSERT(errno == EINTR, ("waitpid: %s", strerror(errno)));
	return (status);
}
