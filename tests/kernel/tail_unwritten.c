/*
 * A read leaves its last byte as it was.
 */
#define	FORTUNA_MADE(n)		((n) - ((n) > 0))
#include "fortuna.c"
