/*
 * What all of random(4) shares.
 */
#include <sys/param.h>
#include <sys/systm.h>
#include <sys/kernel.h>
#include <sys/malloc.h>
#include <sys/sysctl.h>

#include <dev/random/randomdev.h>

SYSCTL_NODE(_kern, OID_AUTO, random, CTLFLAG_RW | CTLFLAG_MPSAFE, 0,
    "Random numbers");

MALLOC_DEFINE(M_ENTROPY, "entropy", "Entropy and output");
