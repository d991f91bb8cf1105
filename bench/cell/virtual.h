/* Simulated machines, and the configuration of a run on one. */
#pragma once

#include "bench/cell/cell.h"

/* The name of the engine, also in documents. */
#define	VIRTUAL_NAME	"virtual"

struct virtual_machine {
	struct profile	 vi_profile;
	struct vm_topology vi_topology;
};

/*
 * Makes a profile's machine of cpus and nodes, as vm_topology_make() has them.
 * Returns: 0; EINVAL for a wrong name or contents; ERANGE for a wrong shape;
 * else what profile_load() returns.
 */
int virtual_make(struct virtual_machine *vi, const char *name, unsigned cpus,
    unsigned nodes, char error[PROFILE_ERROR_SIZE]);

/* The seed of one repeat of one cell; no two have the same jitter. */
uint64_t virtual_seed(uint64_t seed, unsigned repeat, const struct cell *ce);

/*
 * Configures a run, with the machine's profile or one drawn from it, and
 * whether ciphers use the CPU's instructions; the caller's pointers are NULL.
 */
void virtual_config(const struct virtual_machine *vi, const struct profile *pr,
    const struct cell_params *cp, bool native, uint64_t seed,
    struct machine_config *mc);

/*
 * The memory that one run needs at most, with size that of the largest request,
 * if bytes are made, and if the design has a part with a lock for each CPU.
 */
uint64_t virtual_memory_bytes(const struct virtual_machine *vi,
    unsigned readers, uint64_t size, bool bytes, bool parts);
