#include <sys/stat.h>

#include "lib/base/base.h"

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
		n = read(fd, buf + used, CHUNK);
		if (n > 0)
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
