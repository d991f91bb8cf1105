/*
 * Which machine is simulated, and what a run on it is told.
 */
#ifndef BENCH_VIRTUAL_H
#define BENCH_VIRTUAL_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/cell/cell.h"
#include "lib/crypto.h"
#include "lib/profile.h"
#include "lib/vm.h"

/* What an engine that simulates is called; documents say so too. */
#define	VIRTUAL_NAME	"virtual"

struct virtual_machine {
	struct profile	 vi_profile;
	struct vm_topology vi_topology;
};

/*
 * Makes the machine of a profile, or one like it of another shape.
 *
 *   vi           out
 *   name         in   as profile_load() takes it
 *   cpus, nodes  in   as vm_topology_make() takes them
 *   error        out  on failure: why, for people
 *
 * Returns: 0; EINVAL where the name or its contents are wrong, ERANGE where the
 * shape is; ENOENT for a file that is not there; else what profile_load()
 * returns.
 */
int virtual_make(struct virtual_machine *vi, const char *name, unsigned cpus,
    unsigned nodes, char error[PROFILE_ERROR_SIZE]);

/*
 * The seed of one repeat of one cell: cells that differ in design,
 * lock, cipher, readers or size draw different jitter, and so do repeats.
 */
uint64_t virtual_seed(uint64_t seed, unsigned repeat, const struct cell *ce);

/*
 * How a cell is run: everything but what only the caller knows, which is NULL.
 *
 *   pr      in   the machine's profile, or one drawn from it
 *   native  in   whether ciphers have the CPU's instructions
 *   mc      out
 */
void virtual_config(const struct virtual_machine *vi, const struct profile *pr,
    const struct cell_params *cp, bool native, uint64_t seed,
    struct machine_config *mc);

/*
 * Memory that one run needs at most, in bytes.
 *
 *   readers  in
 *   size     in  bytes of the largest request
 *   bytes    in  whether its bytes are made
 *   parts    in  whether the design has a part with a lock for each CPU, of
 *                whatever kind
 */
uint64_t virtual_memory_bytes(const struct virtual_machine *vi,
    unsigned readers, uint64_t size, bool bytes, bool parts);

/*
 * Says in a result's cell of which machine its figures are, and whether its
 * readers were more than that has CPUs.
 */
void virtual_describe(const struct virtual_machine *vi,
    struct result_cell *rc);

#endif
