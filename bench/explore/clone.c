#include "bench/explore/clone.h"

/* What is kept of the window at buf, and where that is or would be. */
static unsigned
find(const struct clone *cl, const uint8_t *buf, uint64_t *window)
{
	unsigned i;

	CTASSERT(sizeof(*window) == CLONE_WINDOW);
	memcpy(window, buf, sizeof(*window));
	*window = splitmix_out(*window) | 1;
	i = (unsigned)(*window >> 32) % CLONE_WINDOWS;
	while (cl->clo_window[i] != 0 && cl->clo_window[i] != *window)
		i = (i + 1) % CLONE_WINDOWS;
	return (i);
}

void
clone_first(struct clone *cl, const uint8_t *buf, size_t n)
{
	uint64_t window;
	unsigned i;

	for (; n >= CLONE_WINDOW && cl->clo_windows < CLONE_WINDOWS / 2;
	    n--, buf++) {
		i = find(cl, buf, &window);
		cl->clo_windows += cl->clo_window[i] == 0;
		cl->clo_window[i] = window;
	}
}

size_t
clone_second(const struct clone *cl, const uint8_t *buf, size_t n)
{
	size_t again = 0, end = 0;
	uint64_t window;

	for (size_t at = 0; at < n; at++) {
		if (at + CLONE_WINDOW <= n &&
		    cl->clo_window[find(cl, buf + at, &window)] != 0)
			end = at + CLONE_WINDOW;
		again += at < end;
	}
	return (again);
}
