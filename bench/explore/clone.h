/*
 * Two machines that go on from one snapshot: which bytes of the second one's
 * output the first one returned, too.
 */
#pragma once

#include "lib/base/base.h"

enum {
	CLONE_WINDOWS	= 1 << 16,	/* of output; half of them are used */
	CLONE_WINDOW	= 8		/* bytes; equal ones are no accident */
};

/* The first machine's output after the copy; all zero: none. */
struct clone {
	uint64_t	 clo_window[CLONE_WINDOWS];	/* 0: free */
	unsigned	 clo_windows;
};

/* The first machine returned n bytes; what is too much is forgotten. */
void clone_first(struct clone *cl, const uint8_t *buf, size_t n);

/* The second one did.  Returns: how many of them the first one returned. */
size_t clone_second(const struct clone *cl, const uint8_t *buf, size_t n);
