/*
 * Tunables, fail points and names of the harvest side, on every machine.
 */
#ifndef HARVEST_HARVEST_CONFIG_H
#define HARVEST_HARVEST_CONFIG_H

#include "lib/base/failpoint.h"
#include "lib/base/tunable.h"

enum {
	HARVEST_RATE_MIN_HZ	= 1,
	HARVEST_RATE_MAX_HZ	= 1000,
	HARVEST_RATE_HZ		= 10,
	INTERRUPT_RATE_MIN_HZ	= 1,
	INTERRUPT_RATE_MAX_HZ	= 1000 * 1000,
	INTERRUPT_RATE_HZ	= 1000,
	BOOT_ENTROPY_BYTES	= 2048,
	BOOT_ENTROPY_MAX_BYTES	= 1024 * 1024,
	ONDEMAND_PASS		= 1,
	ONDEMAND_PASS_MAX	= 1000 * 1000,
	HARVEST_ERROR_SIZE	= 512
};

/* The models, in table order; an index into harvest_model_names. */
enum harvest_model_index {
#define	HARVEST_MODEL(name, word)	HARVEST_MODEL_##name,
#include "harvest/harvest_model.tbl"
#undef HARVEST_MODEL
	HARVEST_MODELS
};

/* A tunable that has no effect without health tests. */
#define	NIST_HEALTHTEST_ONDEMAND	"kern.random.nist_healthtest_ondemand"
/* The harvest side's fail points. */
enum harvest_failpoint {
#define	FAILPOINT(name, where, descr)	FAILPOINT_##name,
#include "harvest/failpoint.tbl"
#undef FAILPOINT
	HARVEST_FAILPOINTS
};

extern const struct failpoint_def harvest_failpoints[HARVEST_FAILPOINTS];

/* NULL-terminated. */
extern const char *const harvest_model_names[HARVEST_MODELS + 1];

/* The harvest side's tunables. */
struct harvest_config {
	unsigned	mask;		/* written at start, by mask_write() */
	uint32_t	compiled;	/* MASK_COSTLY bits a kernel was built
					   with; no tunable */
	unsigned	model;		/* enum harvest_model_index */
	unsigned	rate_hz;	/* passes of the harvest thread */
	unsigned	boot_entropy_bytes;
	unsigned	interrupt_rate_hz;
	bool		nist_healthtest_enabled;
	unsigned	nist_healthtest_ondemand;	/* mask of sources */
	unsigned	ondemand_pass;	/* before which it is written, from 1 */
	char		sources[TUNABLE_STRING_SIZE];	/* comma list */
	char		replay_file[TUNABLE_STRING_SIZE];
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

#endif
