/*
 * RDSEED: the CPU's conditioned noise, which RDRAND is seeded from.
 *
 * Stands for sys/dev/random/ivy.c, FreeBSD 14, without its option to gather
 * an independent seed from many draws.
 */
#include "harvest/harvest.h"
#include "lib/machine/cpurand.h"

RANDOM_INSTRUCTION(rdseed, RDSEED);
