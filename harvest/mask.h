/*
 * The harvest mask: which sources' events are taken.
 *
 * Stands for random_check_uint_harvestmask() of
 * sys/dev/random/random_harvestq.c, FreeBSD 15.  Bit i is source i of enum
 * random_entropy_source.
 */
#ifndef HARVEST_MASK_H
#define HARVEST_MASK_H

#include "fortuna/event.h"

#define	MASK_BIT(source)	(UINT32_C(1) << (source))
#define	MASK_ALL		(MASK_BIT(ENTROPYSOURCE) - 1)
#define	MASK_PURE		(MASK_ALL & ~(MASK_BIT(RANDOM_PURE_START) - 1))
#define	MASK_ENVIRONMENTAL	(MASK_ALL & ~MASK_PURE)
/* Off unless built with RANDOM_ENABLE_ETHER, RANDOM_ENABLE_UMA. */
#define	MASK_COSTLY		(MASK_BIT(RANDOM_NET_ETHER) |		\
				    MASK_BIT(RANDOM_UMA))
/* Bits that a write cannot change. */
#define	MASK_IMMUTABLE		(MASK_PURE | MASK_COSTLY)
/* The default before any pure source registers: 7135. */
#define	MASK_DEFAULT		(MASK_ENVIRONMENTAL & ~MASK_COSTLY)

/* The sources' names: "CACHED", "PURE_RDRAND". */
extern const char *const random_source_names[ENTROPYSOURCE];

/*
 * The source of that name.
 *
 * Returns: 0, or ENOENT.
 */
int random_source_number(const char *name, uint8_t *source);

/*
 * The mask at boot.
 *
 *   registered  in  MASK_PURE bits of the pure sources present
 *   compiled    in  MASK_COSTLY bits whose kernel option is set
 */
uint32_t mask_default(uint32_t registered, uint32_t compiled);

/*
 * Writes kern.random.harvest.mask; MASK_IMMUTABLE bits keep their value.
 *
 * Returns: 0, or EINVAL for a bit above the last source, with *mask unchanged.
 */
int mask_write(uint32_t *mask, uint32_t value);

#endif
