#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__FreeBSD__)
#include <sys/auxv.h>
#endif

#include "bench/cell/workload_folder.h"

enum {
	SUFFIX	= sizeof(WORKLOAD_SUFFIX) - 1,
	FOLDERS	= 3
};

/* The folder above the program's own. */
static bool
program_parent(char path[WORKLOAD_PATH_SIZE])
{
	char *slash;
	unsigned i;
#if defined(__FreeBSD__)
	if (elf_aux_info(AT_EXECPATH, path, WORKLOAD_PATH_SIZE) != 0)
		return (false);
#else
	ssize_t n;

	n = readlink("/proc/self/exe", path, WORKLOAD_PATH_SIZE - 1);
	if (n < 0)
		return (false);
	path[n] = '\0';
#endif
	for (i = 0; i < 2; i++) {
		slash = strrchr(path, '/');
		if (slash == NULL)
			return (false);
		*slash = '\0';
	}
	return (true);
}

/* The i-th folder, if it can be. */
static bool
shipped_folder(unsigned i, char path[WORKLOAD_PATH_SIZE])
{
	static const char *const below[] = { "/share/rngsim/workloads",
	    "/bench/workloads" };
	const char *own = getenv("RNGSIM_WORKLOADS");
	size_t used;

	if (i == 0) {
		snprintf(path, WORKLOAD_PATH_SIZE, "%s",
		    own == NULL ? "" : own);
		return (path[0] != '\0');
	}
	if (!program_parent(path))
		return (false);
	used = strlen(path);
	return ((size_t)snprintf(path + used, WORKLOAD_PATH_SIZE - used, "%s",
	    below[i - 1]) < WORKLOAD_PATH_SIZE - used);
}

bool
workload_find(const char *name, char path[WORKLOAD_PATH_SIZE])
{
	unsigned i;
	size_t room, used;

	for (i = 0; i < FOLDERS && strchr(name, '/') == NULL; i++) {
		if (!shipped_folder(i, path))
			continue;
		used = strlen(path);
		room = WORKLOAD_PATH_SIZE - used;
		if ((size_t)snprintf(path + used, room, "/%s" WORKLOAD_SUFFIX,
		    name) < room && access(path, F_OK) == 0)
			return (true);
	}
	return (false);
}

static int
by_name(const struct dirent **a, const struct dirent **b)
{

	return (strcmp((*a)->d_name, (*b)->d_name));
}

static int
is_workload(const struct dirent *de)
{
	size_t n = strlen(de->d_name);

	return (n > SUFFIX && strcmp(de->d_name + n - SUFFIX,
	    WORKLOAD_SUFFIX) == 0);
}

unsigned
workload_list(FILE *out)
{
	char path[WORKLOAD_PATH_SIZE];
	struct dirent **names;
	unsigned count = 0, i;
	int k, n;

	for (i = 0; i < FOLDERS; i++) {
		if (!shipped_folder(i, path))
			continue;
		n = scandir(path, &names, is_workload, by_name);
		for (k = 0; k < n; k++) {
			fprintf(out, "  %-14.*s %s/%s\n",
			    (int)(strlen(names[k]->d_name) - SUFFIX),
			    names[k]->d_name, path, names[k]->d_name);
			count++;
			free(names[k]);
		}
		if (n >= 0)
			free(names);
	}
	return (count);
}
