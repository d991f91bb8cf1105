/*
 * The harvest mask: which sources' events are taken, and its three sysctls.
 *
 * Stands for random_check_uint_harvestmask(), random_print_harvestmask() and
 * random_print_harvestmask_symbolic() of sys/dev/random/random_harvestq.c,
 * FreeBSD 15.  Bit i is enum random_entropy_source i.
 */
#ifndef HARVEST_MASK_H
#define HARVEST_MASK_H

#include <stddef.h>
#include <stdint.h>

#include "fortuna/event.h"

#define	MASK_BIT(source)	(UINT32_C(1) << (source))
#define	MASK_ALL		(MASK_BIT(ENTROPYSOURCE) - 1)
#define	MASK_PURE		(MASK_ALL & ~(MASK_BIT(RANDOM_PURE_START) - 1))
#define	MASK_ENVIRONMENTAL	(MASK_ALL & ~MASK_PURE)
/* What needs RANDOM_ENABLE_ETHER, RANDOM_ENABLE_UMA: it costs too much. */
#define	MASK_COSTLY		(MASK_BIT(RANDOM_NET_ETHER) |		\
				    MASK_BIT(RANDOM_UMA))
/* What a write cannot change. */
#define	MASK_IMMUTABLE		(MASK_PURE | MASK_COSTLY)
/* The default before any pure source registers: 7135. */
#define	MASK_DEFAULT		(MASK_ENVIRONMENTAL & ~MASK_COSTLY)

enum {
	MASK_BIN_SIZE		= ENTROPYSOURCE + 1,
	MASK_SYMBOLIC_SIZE	= 512	/* holds every source's name */
};

/* The sources' names: "CACHED", "PURE_RDRAND". */
extern const char *const random_source_names[ENTROPYSOURCE];

/*
 * The source of that name.
 *
 * Returns: 0, or ENOENT.
 */
int random_source_number(const char *name, uint8_t *source);

/*
 * The mask as the kernel boots with it.
 *
 *   registered  in  MASK_PURE bits of the pure sources there are
 *   compiled    in  MASK_COSTLY bits whose kernel option is set
 */
uint32_t mask_default(uint32_t registered, uint32_t compiled);

/*
 * Writes kern.random.harvest.mask; MASK_IMMUTABLE bits keep their value.
 *
 * Returns: 0, or EINVAL for a bit that is no source's; *mask is unchanged then.
 */
int mask_write(uint32_t *mask, uint32_t value);

/* kern.random.harvest.mask_bin: one digit per source, the highest first. */
void mask_bin(uint32_t mask, char buf[MASK_BIN_SIZE]);

/*
 * kern.random.harvest.mask_symbolic: names, the highest source first, disabled
 * environmental ones in brackets, disabled pure ones left out.
 */
void mask_symbolic(uint32_t mask, char buf[MASK_SYMBOLIC_SIZE]);

#endif
