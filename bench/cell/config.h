/*
 * Everything that tunables set, of all layers together.
 */
#ifndef BENCH_CELL_CONFIG_H
#define BENCH_CELL_CONFIG_H

#include "fortuna/generator.h"
#include "harvest/harvest_config.h"

/* The program's own tunables. */
struct program_config {
	unsigned	seed_timeout_ms;	/* longest wait for seeding */
	unsigned	warmup_ms;		/* before each window */
	bool		controls;		/* a sweep measures them too */
	unsigned	virtual_threads;	/* runs at a time; 0: CPUs */
	/*
	 * FreeBSD's spellings of -d and -c; a tunable that was not set says
	 * nothing about the options.
	 */
	bool		concurrent_read;
	bool		use_chacha20_cipher;
};

struct bench_config {
	struct lock_config	bc_lock;
	struct generator_config	bc_generator;
	struct harvest_config	bc_harvest;
	struct program_config	bc_program;
};

enum { BENCH_TUNABLE_SETS = 4 };

/* Defaults: FreeBSD's for a machine of ncpus. */
void bench_config_default(struct bench_config *bc, unsigned ncpus);

/*
 * The tables that describe bc.
 *
 *   sets  out  point into bc
 */
void bench_config_sets(struct bench_config *bc,
    struct tunable_set sets[BENCH_TUNABLE_SETS]);

#endif
