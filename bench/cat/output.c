#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/cat/output.h"
#include "bench/console/stop.h"
#include "lib/wipe.h"

enum {
	BUFFER_BYTES	= 64 * 1024,
	/* Copying less than this costs less than a system call for it. */
	DIRECT_BYTES	= 16 * 1024,
	PIPE_BYTES	= 256 * 1024
};

int
output_init(struct output *ou, int fd)
{

	ou->ou_fd = fd;
	ou->ou_used = 0;
	ou->ou_buffer = malloc(BUFFER_BYTES);
	if (ou->ou_buffer == NULL)
		return (ENOMEM);
#ifdef F_SETPIPE_SZ
	if (fcntl(fd, F_GETPIPE_SZ) < PIPE_BYTES)
		(void)fcntl(fd, F_SETPIPE_SZ, PIPE_BYTES);
#endif
	return (0);
}

static int
write_all(int fd, const uint8_t *bytes, size_t n)
{
	struct pollfd pfd = { .fd = fd, .events = POLLOUT };
	ssize_t k;

	while (n > 0) {
		if (stop_asked())
			return (EINTR);
		k = write(fd, bytes, n);
		if (k >= 0) {
			bytes += k;
			n -= (size_t)k;
		} else if (errno == EAGAIN) {
			/* Whoever shares the descriptor made it so. */
			(void)poll(&pfd, 1, -1);
		} else if (errno != EINTR) {
			return (errno);
		}
	}
	return (0);
}

int
output_flush(struct output *ou)
{
	size_t n = ou->ou_used;

	ou->ou_used = 0;
	return (write_all(ou->ou_fd, ou->ou_buffer, n));
}

int
output_put(struct output *ou, const uint8_t *bytes, size_t n)
{
	size_t room;
	int error;

	while (n > 0) {
		if (ou->ou_used == 0 && n >= DIRECT_BYTES)
			return (write_all(ou->ou_fd, bytes, n));
		room = BUFFER_BYTES - ou->ou_used;
		if (room > n)
			room = n;
		memcpy(ou->ou_buffer + ou->ou_used, bytes, room);
		ou->ou_used += room;
		bytes += room;
		n -= room;
		if (ou->ou_used == BUFFER_BYTES &&
		    (error = output_flush(ou)) != 0)
			return (error);
	}
	return (0);
}

void
output_fini(struct output *ou)
{

	if (ou->ou_buffer != NULL)
		wipe(ou->ou_buffer, BUFFER_BYTES);
	free(ou->ou_buffer);
	ou->ou_buffer = NULL;
}
