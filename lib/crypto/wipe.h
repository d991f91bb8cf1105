/* Erasure that the compiler may not drop. */
#pragma once

#include <string.h>

/*
 * Writes n zeros, even when p is dead afterwards.  Inlined for small objects on
 * the read path; OPENSSL_cleanse() calls through a table.
 */
static inline void
wipe(void *p, size_t n)
{
	memset(p, 0, n);
	__asm__ volatile("" : : "r"(p) : "memory");
}
