#ifndef DEV_RANDOM_HARVESTQ_H
#define	DEV_RANDOM_HARVESTQ_H

#define	HARVESTSIZE	2

struct harvest_event {
	uint32_t	he_somecounter;
	uint32_t	he_entropy[HARVESTSIZE];
	uint8_t		he_size;
	uint8_t		he_bits;
	uint8_t		he_destination;
	uint8_t		he_source;
} __packed;

void read_rate_increment(u_int);

#endif
