/*
 * Entropy events: what a generator consumes.
 *
 * Stands for struct harvest_event in sys/dev/random/random_harvestq.h and enum
 * random_entropy_source in sys/sys/random.h, FreeBSD 15.  The type belongs to
 * the consumer, so generators do not depend on the harvest side.
 */
#ifndef FORTUNA_EVENT_H
#define FORTUNA_EVENT_H

#include <stdint.h>

#include "lib/base/kassert.h"

enum { HARVEST_ENTROPY_BYTES = 8 };

/*
 * Where an event came from.  ENVIRONMENTAL sources are timed happenings of the
 * machine, PURE ones are hardware generators.
 */
enum random_entropy_source {
#define	EVENT_SOURCE(name)	RANDOM_##name,
#include "fortuna/event.tbl"
#undef EVENT_SOURCE
	ENTROPYSOURCE,
	RANDOM_ENVIRONMENTAL_END = RANDOM_RANDOMDEV,
	RANDOM_PURE_START = RANDOM_PURE_TPM
};

CTASSERT(ENTROPYSOURCE <= 32);	/* a mask word holds them all */

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
