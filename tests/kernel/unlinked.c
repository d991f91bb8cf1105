/*
 * An interface that is declared and is nowhere.
 */
#include <sys/types.h>

#define	FORTUNA_COUNT(n)	random_account(n)
void random_account(size_t);
#include "fortuna.c"
