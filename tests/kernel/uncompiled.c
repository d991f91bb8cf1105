/*
 * A type of a header that is not included.
 */
#include "fortuna.c"

static smr_t fortuna_smr;
