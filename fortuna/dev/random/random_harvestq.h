/* Entropy events, as they are queued and handed to an algorithm. */
#ifndef DEV_RANDOM_HARVESTQ_H
#define	DEV_RANDOM_HARVESTQ_H

#include <sys/types.h>
#include <machine/cpu.h>

#define	HARVESTSIZE	2	/* words */

struct harvest_event {
	uint32_t	he_somecounter;	/* low half of the cycle counter */
	uint32_t	he_entropy[HARVESTSIZE];
	uint8_t		he_size;	/* bytes of he_entropy */
	uint8_t		he_destination;	/* a pool, modulo their number */
	uint8_t		he_source;	/* enum random_entropy_source */
};

static __inline uint32_t
random_get_cyclecount(void)
{
	return ((uint32_t)get_cyclecount());
}

/* Whether to absorb the event; called once for each. */
bool random_harvest_healthtest(const struct harvest_event *event);

/* Words that were read, of a queue whose thread reads its sources by that. */
void read_rate_increment(u_int words);

#endif
