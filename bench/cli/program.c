#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if defined(__FreeBSD__)
#include <sys/auxv.h>
#endif

#include "bench/cli/program.h"

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
	    /* A build in a build's folder: build/asan. */
	    above(3, "", source, mode, path))));
}

bool
program_sibling(const char *flavour, char path[PROGRAM_PATH_SIZE])
{
	return (above(1, flavour, "/rngsim", X_OK, path));
}
