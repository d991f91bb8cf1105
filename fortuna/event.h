/*
 * Entropy events: what a generator consumes.
 *
 * Stands for struct harvest_event in sys/dev/random/random_harvestq.h and enum
 * random_entropy_source in sys/sys/random.h, FreeBSD 15.  The consumer owns the
 * type, so generators need not know who harvests.
 */
#ifndef FORTUNA_EVENT_H
#define FORTUNA_EVENT_H

#include <stdint.h>

#include "lib/kassert.h"

enum { HARVEST_ENTROPY_BYTES = 8 };

/*
 * Where an event came from.  ENVIRONMENTAL sources are timed happenings of the
 * machine, PURE ones are hardware generators.
 */
enum random_entropy_source {
	RANDOM_CACHED,
	RANDOM_ATTACH,
	RANDOM_KEYBOARD,
	RANDOM_MOUSE,
	RANDOM_NET_TUN,
	RANDOM_NET_ETHER,
	RANDOM_NET_NG,
	RANDOM_INTERRUPT,
	RANDOM_SWI,
	RANDOM_FS_ATIME,
	RANDOM_UMA,
	RANDOM_CALLOUT,
	RANDOM_RANDOMDEV,
	RANDOM_ENVIRONMENTAL_END = RANDOM_RANDOMDEV,
	RANDOM_PURE_TPM,
	RANDOM_PURE_START = RANDOM_PURE_TPM,
	RANDOM_PURE_RDRAND,
	RANDOM_PURE_RDSEED,
	RANDOM_PURE_NEHEMIAH,
	RANDOM_PURE_RNDTEST,
	RANDOM_PURE_VIRTIO,
	RANDOM_PURE_BROADCOM,
	RANDOM_PURE_CCP,
	RANDOM_PURE_DARN,
	RANDOM_PURE_VMGENID,
	RANDOM_PURE_QUALCOMM,
	RANDOM_PURE_ARMV8,
	RANDOM_PURE_ARM_TRNG,
	RANDOM_PURE_SAFE,
	RANDOM_PURE_GLXSB,
	RANDOM_PURE_HIFN,
	ENTROPYSOURCE
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
