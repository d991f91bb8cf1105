/* Everything that tunables set, of all layers together. */
#pragma once

#include "harvest/config.h"
#include "lib/lock/lock.h"

/* The program's own tunables. */
struct program_config {
	unsigned	seed_timeout_ms;	/* longest wait for seeding */
	unsigned	warmup_ms;		/* before each window */
	bool		controls;		/* a sweep measures them too */
	unsigned	virtual_threads;	/* runs at a time; 0: CPUs */
	/* FreeBSD's spellings of -d and -c; they count only if set. */
	bool		concurrent_read;
	bool		use_chacha20_cipher;
	char		pool_hash[TUNABLE_STRING_SIZE];	/* "": the source's */
	unsigned	spinmutex;	/* what MTX_SPIN is; 0: FreeBSD's */
};

/* NULL-terminated, by that. */
extern const char *const program_spin_names[];

struct bench_config {
	struct lock_config	bc_lock;
	struct harvest_config	bc_harvest;
	struct program_config	bc_program;
	/* Sysctls of sources, as they were given. */
	struct kern_setting	bc_setting[DESIGN_SETTINGS_MAX];
	unsigned		bc_settings;
};

enum { BENCH_TUNABLE_SETS = 3 };

/* Defaults: FreeBSD's for a machine of ncpus. */
void bench_config_default(struct bench_config *bc, unsigned ncpus);

/* The tables that describe bc; they point into it. */
void bench_config_sets(struct bench_config *bc,
    struct tunable_set sets[BENCH_TUNABLE_SETS]);

/*
 * Sets a tunable from "name=value"; *error is what tunable_set_text() returned;
 * *value is where the value begins, or NULL: text is something else.  Returns:
 * the tunable; NULL: there is none of that name.
 */
const struct tunable *bench_config_set(struct bench_config *bc,
    const char *text, const char **value, int *error);
