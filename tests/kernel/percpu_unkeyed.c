/*
 * A CPU that was never given a key takes that for one of generation 0, if it
 * reads between the first step of C and the first generation.
 */
#define	FORTUNA_LATE		true
#define	FORTUNA_UNKEYED(fc)	false
#include "percpu.c"
