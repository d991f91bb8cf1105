/*
 * A read leaves its copy of the key behind.
 */
#define	FORTUNA_CLEAR(p)	((void)(p))
#include "fortuna.c"
