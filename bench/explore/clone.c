#include "bench/explore/clone.h"

void
clone_first(struct clone *cl, const uint8_t *buf, size_t n)
{
	n = MIN(n, CLONE_BYTES - cl->clo_count);
	memcpy(cl->clo_bytes + cl->clo_count, buf, n);
	cl->clo_count += n;
}

size_t
clone_second(const struct clone *cl, const uint8_t *buf, size_t n)
{
	size_t again = 0, end = 0;

	for (size_t at = 0; at < n; at++) {
		if (at + CLONE_WINDOW <= n && memmem(cl->clo_bytes,
		    cl->clo_count, buf + at, CLONE_WINDOW) != NULL)
			end = at + CLONE_WINDOW;
		again += at < end;
	}
	return (again);
}
