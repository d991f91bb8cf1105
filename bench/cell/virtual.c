#include "bench/cell/virtual.h"

enum {
	/* More than seeding, warm-up, window and requests take: stuck. */
	VIRTUAL_REST_S	= 10,
	VIRTUAL_HAND_OVER_NS = 20 * 1000,	/* of a lock, at most */
	VIRTUAL_CELL_BYTES = 1 << 20,	/* pools, queue and results */
	VIRTUAL_PAGE_BYTES = 4096,	/* between two keys */
	VIRTUAL_PART_BYTES = 4096,	/* of a CPU: lock, key, their lines */
	VIRTUAL_LOCK_LINES = 4		/* for each thread, rounded up */
};

static const uint64_t ps_per_ms = UINT64_C(1000) * 1000 * 1000;

int
virtual_make(struct virtual_machine *vi, const char *name, unsigned cpus,
    unsigned nodes, char error[PROFILE_ERROR_SIZE])
{
	int status = profile_load(&vi->vi_profile, name, error);

	if (status != 0)
		return (status == ESRCH ? EINVAL : status);
	return (vm_topology_make(&vi->vi_profile, cpus, nodes,
	    &vi->vi_topology, error) == 0 ? 0 : ERANGE);
}

uint64_t
virtual_seed(uint64_t seed, unsigned repeat, const struct cell *ce)
{
	const char *const texts[] = { ce->ce_design, ce->ce_lock,
	    ce->ce_cipher->ci_name };
	uint64_t v = splitmix(seed + repeat);

	for (unsigned i = 0; i < 3; i++) {
		for (const char *p = texts[i]; *p != '\0'; p++)
			v = splitmix(v ^ (unsigned char)*p);
		v = splitmix(v);
	}
	v = splitmix(v ^ ce->ce_readers ^ (uint64_t)ce->ce_producers << 32);
	return (splitmix(v ^ ce->ce_request_bytes));
}

void
virtual_config(const struct virtual_machine *vi, const struct profile *pr,
    const struct cell_params *cp, bool native, uint64_t seed,
    struct machine_config *mc)
{
	const struct program_config *pc = &cp->cp_config->bc_program;
	const struct vm_costs *vc = &mc->mc_costs;
	const struct cell *ce = &cp->cp_cell;
	uint64_t bytes = ce->ce_workload == NULL ? ce->ce_request_bytes :
	    workload_max_bytes(ce->ce_workload, ce->ce_request_bytes);

	*mc = (struct machine_config){ .mc_topology = vi->vi_topology,
	    .mc_seed = seed };
	vm_costs(pr, ce->ce_cipher->ci_name, native, &mc->mc_costs);
	/*
	 * The requests under way at the window's end, if all readers wait for
	 * each other, to their buffers' ends; twice, as other threads run too.
	 */
	bytes = MIN(bytes, RANDOMDEV_PIECE_BYTES);
	mc->mc_limit_ps = (pc->seed_timeout_ms + pc->warmup_ms +
	    VIRTUAL_REST_S * 1000 + (uint64_t)(cp->cp_time_s * 1e3)) *
	    ps_per_ms + 2 * (uint64_t)(ce->ce_readers + 1) * (bytes *
	    (vc->vc_unit_fs[COST_KEYSTREAM] + vc->vc_unit_fs[COST_COPYOUT]) /
	    1000 + (bytes / VIRTUAL_PAGE_BYTES + 1) *
	    (2 * vc->vc_cost_ps[COST_KEYSTREAM] + vc->vc_cost_ps[COST_KEY_SET] +
	    vc->vc_cost_ps[COST_LOCK] + VIRTUAL_HAND_OVER_NS * UINT64_C(1000)));
}

uint64_t
virtual_memory_bytes(const struct virtual_machine *vi, unsigned readers,
    uint64_t size, bool bytes, bool parts)
{
	const unsigned cpus = vi->vi_topology.tp_cpus;
	unsigned threads = readers + 1 + RANDOM_SOURCES + 1;
	uint64_t each, part = 0;

	each = LOCKPROF_SITES_MAX * sizeof(struct lockprof_row) +
	    2 * sizeof(struct lockprof_thread) + 2 * sizeof(struct hist) + 4096;
	if (parts)
		part = VIRTUAL_PART_BYTES + (uint64_t)threads *
		    VIRTUAL_LOCK_LINES * MACHINE_CACHE_LINE;
	return (vm_memory_bytes(threads) + threads * each + cpus * part +
	    size * (bytes ? readers : 1) + VIRTUAL_CELL_BYTES);
}
