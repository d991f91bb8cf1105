#include <sys/mman.h>
#include <sys/stat.h>

#include "lib/base/base.h"

static kassert_handler kassert_abort;

/* Replaceable by tests; see the header. */
kassert_handler *kassert_failed = kassert_abort;

_Thread_local struct hold hold_self;

static void
kassert_abort(const char *file, int line, const char *func, const char *expr,
    const char *msg)
{
	fprintf(stderr, "rngsim: %s:%d: %s: assertion \"%s\" failed: %s\n",
	    file, line, func, expr, msg);
	abort();
}

void
kassert_panic(const char *file, int line, const char *who, const char *text)
{
	if (kassert_failed != kassert_abort)
		kassert_failed(file, line, who, "panic", text);
	fprintf(stderr, "rngsim: %s:%d: %s: panic: %s\n", file, line, who,
	    text);
	_exit(EXIT_FAILURE);
}

const char *
kassert_msg(const char *fmt, ...)
{
	static char buf[256];

	VFORMAT(buf, sizeof(buf), fmt);
	return (buf);
}

void
no_memory(void)
{
	fputs("rngsim: no memory\n", stderr);
	exit(EXIT_FAILURE);
}

/* Ends the hold in which p was allocated. */
static void *
checked(void *p)
{
	hold_end();
	if (p == NULL)
		no_memory();
	return (p);
}

#define	HELD(call)	(hold_begin(), checked(call))

void *
xmalloc(size_t size)
{
	return (HELD(malloc(size > 0 ? size : 1)));
}

void *
xcalloc(size_t n, size_t size)
{
	return (HELD(calloc(n > 0 ? n : 1, size)));
}

void *
xreallocarray(void *p, size_t n, size_t size)
{
	return (HELD(reallocarray(p, n > 0 ? n : 1, size)));
}

char *
xstrdup(const char *text)
{
	return (HELD(strdup(text)));
}

void *
xaligned(size_t alignment, size_t size)
{
	size += -size % alignment;
	return (memset(HELD(aligned_alloc(alignment, size)), 0, size));
}

void
xfree(void *p)
{
	hold_begin();
	free(p);
	hold_end();
}

#ifndef MAP_NORESERVE
#define	MAP_NORESERVE	0
#endif

void *
map_zeros(size_t n)
{
	void *map = mmap(NULL, n, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return (map == MAP_FAILED ? NULL : map);
}

FILE *
xmemstream(char **text, size_t *len)
{
	return (HELD(open_memstream(text, len)));
}

void
xmemclose(FILE *stream)
{
	if (fclose(stream) != 0)
		no_memory();
}

enum { CHUNK = 1 << 16 };

int
read_file(int fd, size_t max, char **text, size_t *size)
{
	size_t room = 0, used = 0;
	char *buf = NULL;
	struct stat sb;
	ssize_t n = 1;
	int error = 0;

	if (fstat(fd, &sb) != 0)
		return (errno);
	if (S_ISREG(sb.st_mode) && (uintmax_t)sb.st_size > max)
		return (EFBIG);
	/* The buffer grows, as a pipe has no size. */
	while (n != 0 && error == 0) {
		if (room - used <= CHUNK) {
			room = 2 * room + 2 * CHUNK;
			buf = xreallocarray(buf, room, 1);
		}
		if ((n = read(fd, buf + used, CHUNK)) > 0)
			used += (size_t)n;
		if (n < 0 && errno != EINTR)
			error = errno;
		else if (used > max)
			error = EFBIG;
	}
	if (error != 0) {
		free(buf);
		return (error);
	}
	buf[used] = '\0';
	*text = buf;
	*size = used;
	return (0);
}

void
hold_raise(void)
{
	const int sig = (int)hold_self.ho_signal;

	hold_self.ho_signal = 0;
	raise(sig);
}
