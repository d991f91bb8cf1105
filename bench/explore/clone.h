/*
 * Two machines that go on from one snapshot: which bytes of the second one's
 * output the first one returned, too.
 */
#pragma once

#include "lib/base/base.h"

enum {
	CLONE_WINDOW	= 8,		/* bytes; equal ones are no accident */
	CLONE_BYTES	= 1 << 10	/* of output, more than --clone has */
};

/* The first machine's output after the copy; all zero: none. */
struct clone {
	uint8_t		 clo_bytes[CLONE_BYTES];
	size_t		 clo_count;
};

/* The first machine returned n bytes; what is too much is forgotten. */
void clone_first(struct clone *cl, const uint8_t *buf, size_t n);

/* The second one did.  Returns: how many of them the first one returned. */
size_t clone_second(const struct clone *cl, const uint8_t *buf, size_t n);
