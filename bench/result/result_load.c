#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/result/result_check.h"
#include "bench/result/result_decode.h"
#include "lib/kassert.h"

enum { LOAD_CHUNK = 1 << 16 };

/* Reads to the end, growing the buffer; pipes do not tell their length. */
static int
read_all(int fd, char **text, size_t *len)
{
	size_t room = 0, used = 0;
	char *buf = NULL, *more;
	int error = 0;
	ssize_t n;

	for (;;) {
		if (room - used < LOAD_CHUNK) {
			room = 2 * room + LOAD_CHUNK;
			more = realloc(buf, room);
			if (more == NULL) {
				error = ENOMEM;
				break;
			}
			buf = more;
		}
		n = read(fd, buf + used, LOAD_CHUNK);
		if (n == 0)
			break;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			error = errno;
			break;
		}
		used += (size_t)n;
		if (used > RESULT_FILE_MAX) {
			error = EFBIG;
			break;
		}
	}
	if (error != 0) {
		free(buf);
		return (error);
	}
	*text = buf;
	*len = used;
	return (0);
}

static int
read_file(const char *path, char **text, size_t *len)
{
	struct stat sb;
	int error, fd;

	if (strcmp(path, "-") == 0)
		return (read_all(STDIN_FILENO, text, len));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd == -1)
		return (errno);
	if (fstat(fd, &sb) != 0)
		error = errno;
	else if (S_ISDIR(sb.st_mode))
		error = EISDIR;
	else if (S_ISREG(sb.st_mode) && sb.st_size > RESULT_FILE_MAX)
		error = EFBIG;
	else
		error = read_all(fd, text, len);
	close(fd);
	return (error);
}

/*
 * Jansson's reader goes on without the end of a token that it had no memory
 * for, so it is asked of its allocator whether all was well.
 */
static _Thread_local bool json_starved;

static void *
json_alloc(size_t size)
{
	void *p = malloc(size);

	if (p == NULL)
		json_starved = true;
	return (p);
}

static json_t *
read_json(const char *text, size_t len, json_error_t *where)
{
	json_t *top;

	json_starved = false;
	json_set_alloc_funcs(json_alloc, free);
	/* A key that stands twice has two values, and one would be a lie. */
	top = json_loadb(text, len, JSON_REJECT_DUPLICATES, where);
	if (!json_starved)
		return (top);
	json_decref(top);
	return (NULL);
}

int
result_load(const char *path, struct result *r, char error[RESULT_TEXT_SIZE])
{
	struct result loaded;
	json_error_t where;
	size_t len = 0;
	json_t *top;
	char *text;
	int status;

	KASSERT(path != NULL && r != NULL, ("nothing to load"));
	status = read_file(path, &text, &len);
	if (status != 0) {
		snprintf(error, RESULT_TEXT_SIZE, "%s", strerror(status));
		return (status);
	}
	top = read_json(text, len, &where);
	free(text);
	if (top == NULL && json_starved) {
		snprintf(error, RESULT_TEXT_SIZE, "%s", strerror(ENOMEM));
		return (ENOMEM);
	}
	if (top == NULL) {
		snprintf(error, RESULT_TEXT_SIZE, "line %d, column %d: %s",
		    where.line, where.column, where.text);
		return (EINVAL);
	}
	status = result_decode(top, &loaded, error);
	json_decref(top);
	if (status != 0)
		return (status);
	status = result_check(&loaded, error);
	if (status == 0)
		*r = loaded;
	else
		result_free(&loaded);
	return (status);
}
