/*
 * A read copies the key by assignment.
 */
#define	FORTUNA_COPY(to, from)	(*(to) = *(from))
#include "fortuna.c"
