/*
 * A read looks for a reseed while it has the mutex.
 */
#define	FORTUNA_COUNT(n)	random_fortuna_pre_read()
#include "fortuna.c"
