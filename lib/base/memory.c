#include <sys/mman.h>

#include "lib/base/base.h"

void
no_memory(void)
{
	fputs("rngsim: no memory\n", stderr);
	exit(EXIT_FAILURE);
}

static void *
checked(void *p)
{
	if (p == NULL)
		no_memory();
	return (p);
}

void *
xmalloc(size_t size)
{
	return (checked(malloc(size > 0 ? size : 1)));
}

void *
xcalloc(size_t n, size_t size)
{
	return (checked(calloc(n > 0 ? n : 1, size)));
}

void *
xreallocarray(void *p, size_t n, size_t size)
{
	return (checked(reallocarray(p, n > 0 ? n : 1, size)));
}

char *
xstrdup(const char *text)
{
	return (checked(strdup(text)));
}

void *
xaligned(size_t alignment, size_t size)
{
	size += -size % alignment;
	return (memset(checked(aligned_alloc(alignment, size)), 0, size));
}

void *
map_zeros(size_t n)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	void *map;

#ifdef MAP_NORESERVE
	flags |= MAP_NORESERVE;
#endif
	map = mmap(NULL, n, PROT_READ | PROT_WRITE, flags, -1, 0);
	return (map == MAP_FAILED ? NULL : map);
}

FILE *
xmemstream(char **text, size_t *len)
{
	return (checked(open_memstream(text, len)));
}

void
xmemclose(FILE *stream)
{
	if (fclose(stream) != 0)
		no_memory();
}
