/*
 * What fail points do on the machine that this is compiled for.
 */
#ifndef LIB_FAILPOINT_MACHINE_H
#define LIB_FAILPOINT_MACHINE_H

#include "lib/failpoint.h"
#include "lib/flavour.h"

extern const struct failpoint_machine FLAVOURED(failpoint_machine);

#endif
