/*
 * Tunables of the harvest side, on every machine.
 */
#pragma once

#include "fortuna/device/design.h"
#include "lib/base/tunable.h"

enum {
	HARVEST_RATE_MAX_HZ	= 1000,
	INTERRUPT_RATE_MAX_HZ	= 1000 * 1000,
	BOOT_ENTROPY_BYTES	= 2048,
	HARVEST_ERROR_SIZE	= 512
};

/* Sysctls of random_harvestq.c. */
#define	NIST_HEALTHTEST_ENABLED	"kern.random.nist_healthtest_enabled"
#define	NIST_HEALTHTEST_ONDEMAND "kern.random.nist_healthtest_ondemand"

/* The harvest side's tunables. */
struct harvest_config {
	unsigned	queue;		/* enum design_queue */
	unsigned	rate_hz;	/* passes of its thread; 0: its own */
	unsigned	boot_entropy_bytes;
	unsigned	interrupt_rate_hz;
	char		sources[TUNABLE_STRING_SIZE];	/* comma list */
	char		record_file[TUNABLE_STRING_SIZE]; /* "": no record */
};

/* What was wrong and what is accepted. */
struct harvest_error {
	char		text[HARVEST_ERROR_SIZE];
};

/* FreeBSD's defaults where it has them, and the table that describes them. */
struct harvest_config harvest_config_default(void);
extern const struct tunable harvest_tunables[];
extern const unsigned harvest_tunable_count;
