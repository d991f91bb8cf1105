/*
 * A read copies the key by assignment, which the glue does not see.
 */
#define	FORTUNA_COPY(to, from)	(*(to) = *(from))
#include "fortuna.c"
