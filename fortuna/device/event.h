/*
 * Entropy events as the program sees them, with FreeBSD 15's sources; objects
 * have the types of their own releases.
 */
#ifndef FORTUNA_DEVICE_EVENT_H
#define FORTUNA_DEVICE_EVENT_H

#include <stdint.h>

#include "lib/base/kassert.h"

enum { HARVEST_ENTROPY_BYTES = 8 };

/*
 * Where an event came from.  ENVIRONMENTAL sources are timed happenings of the
 * machine, PURE ones are hardware generators.
 */
enum random_entropy_source {
#define	EVENT_SOURCE(name)	RANDOM_##name,
#include "fortuna/device/event.tbl"
#undef EVENT_SOURCE
	ENTROPYSOURCE,
	RANDOM_ENVIRONMENTAL_END = RANDOM_RANDOMDEV,
	RANDOM_PURE_START = RANDOM_PURE_TPM
};

CTASSERT(ENTROPYSOURCE <= 32);	/* a mask word holds them all */

/* The sources' names: "CACHED", "PURE_RDRAND". */
extern const char *const random_source_names[ENTROPYSOURCE];

/*
 * The source of that name.
 *
 * Returns: 0, or ENOENT.
 */
int random_source_number(const char *name, uint8_t *source);

/*
 * One event.  Only he_somecounter and he_size bytes of he_entropy are hashed;
 * he_destination modulo the number of pools says into which.
 */
struct harvest_event {
	uint32_t	he_somecounter;	/* low bits of the cycle counter */
	uint8_t		he_entropy[HARVEST_ENTROPY_BYTES];
	uint8_t		he_size;	/* bytes valid, 1..8 */
	uint8_t		he_destination;
	uint8_t		he_source;	/* enum random_entropy_source */
};

#endif
