/*
 * An assertion that fails at the third read.
 */
#include <sys/types.h>

#define	FORTUNA_COUNT(n)						\
	KASSERT(++fortuna_reads < 3, ("read %u", fortuna_reads))
static u_int fortuna_reads;
#include "fortuna.c"
