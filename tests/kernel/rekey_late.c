/*
 * The mutex is released before K is replaced, and taken again for that.
 */
#define	FORTUNA_COUNT(n) do {						\
	FORTUNA_UNLOCK();						\
	random_fortuna_generate(&key, &counter, buf, n);		\
	FORTUNA_LOCK();							\
} while (0)
#define	FORTUNA_MADE(n)		0
#include "fortuna.c"
