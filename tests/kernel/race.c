/*
 * A read counts its bytes when it has released the mutex.
 */
#include <sys/types.h>

#define	FORTUNA_MADE(n)		(fortuna_made += (n), (n))
static u_long fortuna_made;
#include "fortuna.c"
