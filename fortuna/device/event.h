/* Where events come from: FreeBSD 15's; objects have their releases' types. */
#pragma once

#include "fortuna/device/abi.h"
#include "lib/base/base.h"

/*
 * Where an event came from.  ENVIRONMENTAL sources are timed happenings of the
 * machine, PURE ones are hardware generators.
 */
enum random_entropy_source {
#define	EVENT_SOURCE(name)	RANDOM_##name,
#include "fortuna/device/event.tbl"
	ENTROPYSOURCE,
	RANDOM_PURE_START = RANDOM_PURE_TPM
};

CTASSERT(ENTROPYSOURCE <= 32);	/* a mask word holds them all */
CTASSERT((int)RANDOM_PURE_START == RANDOM_ABI_PURE);
CTASSERT((int)RANDOM_PURE_VMGENID == RANDOM_ABI_VMGENID);

/* The sources' names: "CACHED", "PURE_RDRAND". */
extern const char *const random_source_names[ENTROPYSOURCE];
