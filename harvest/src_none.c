/*
 * The null source: polled, and never has anything.  What it measures is the
 * harvest thread's loop and its sleeping.
 */
#include "harvest/harvest.h"

static size_t
none_read(void *state __unused, void *buf __unused, size_t len __unused)
{
	return (0);
}

RANDOM_SOURCE(none) = {
	.rs_ident	= "none",
	.rs_descr	= "delivers nothing: measures the harness",
	.rs_source	= RANDOM_CACHED,
	.rs_read	= none_read,
};
