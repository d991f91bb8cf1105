/*
 * RDRAND: the CPU's generator, itself a generator reseeded by hardware.
 *
 * Stands for sys/dev/random/ivy.c, FreeBSD 14, without its option to gather
 * an independent seed from many draws.
 */
#include "harvest/harvest.h"
#include "lib/machine/cpurand.h"

RANDOM_INSTRUCTION(rdrand, RDRAND);
