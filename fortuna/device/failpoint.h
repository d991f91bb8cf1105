/*
 * The fail points of sources, which ask for them by name, and of their locks.
 */
#ifndef FORTUNA_DEVICE_FAILPOINT_H
#define FORTUNA_DEVICE_FAILPOINT_H

#include "lib/base/failpoint.h"

enum fortuna_failpoint {
#define	FAILPOINT(name, where, descr)	FAILPOINT_##name,
#include "fortuna/device/failpoint.tbl"
#undef FAILPOINT
	FORTUNA_FAILPOINTS,
	/* The first that needs a queue. */
	FAILPOINT_QUEUE = FAILPOINT_harvest_ring_full
};

extern const struct failpoint_def fortuna_failpoints[FORTUNA_FAILPOINTS];

#endif
