/*
 * Where output goes: a window over a request that may be larger than memory.
 *
 * Stands for struct uio.  A generator asks for room, fills it and moves on; a
 * plain buffer is one window, a stream drains each window when it is full.
 */
#ifndef FORTUNA_UIO_H
#define FORTUNA_UIO_H

#include <stddef.h>
#include <stdint.h>

#include "lib/crypto/wipe.h"

struct uio {
	uint8_t	*uio_base;	/* where the next byte goes */
	size_t	 uio_room;	/* bytes there are at uio_base */
	uint64_t uio_resid;	/* bytes left of the request */
	/*
	 * Takes the n bytes made at uio_base; NULL: the buffer holds the whole
	 * request and uio_base advances.
	 */
	void	(*uio_drain)(struct uio *uio, size_t n);
};

/* A request of n bytes into one buffer. */
static inline struct uio
uio_buffer(void *buf, size_t n)
{
	return ((struct uio){ .uio_base = buf, .uio_room = n, .uio_resid = n });
}

/*
 * Bytes that may be written at uio_base now: the rest of the request, or a
 * multiple of every block and page size.
 */
static inline size_t
uio_room(const struct uio *uio)
{
	return (uio->uio_resid < uio->uio_room ? (size_t)uio->uio_resid :
	    uio->uio_room);
}

/* Accounts for n bytes written at uio_base, n <= uio_room(). */
static inline void
uio_advance(struct uio *uio, size_t n)
{
	uio->uio_resid -= n;
	if (uio->uio_drain != NULL) {
		uio->uio_drain(uio, n);
	} else {
		uio->uio_base += n;
		uio->uio_room -= n;
	}
}

/* Moves n bytes from a buffer of the generator's, and wipes them there. */
static inline void
uio_move(struct uio *uio, uint8_t *from, size_t n)
{
	size_t m;

	for (; n > 0; from += m, n -= m) {
		m = uio_room(uio) < n ? uio_room(uio) : n;
		memcpy(uio->uio_base, from, m);
		wipe(from, m);
		uio_advance(uio, m);
	}
}

#endif
