/* Lists what can be reproduced; runs a cell. */
#include "bench/cell/virtual.h"
#include "bench/cli/stop.h"
#include "bench/predict/reproduce.h"

const struct reproduction reproductions[] = {
#define	PUBLISHED(...)	{ __VA_ARGS__ },
#include "bench/predict/reproduce.tbl"
};

const unsigned reproduction_count = nitems(reproductions);

int
reproduce_cell(const struct profile *pr, unsigned cpus,
    struct cell_params *cp, struct cell_measure *cm, char why[CELL_ERROR_SIZE])
{
	struct virtual_machine vi = { .vi_profile = *pr };
	struct pinning place = { .pl_harvest = -1 };
	struct machine_config mc;
	int error = vm_topology_make(pr, cpus, 0, &vi.vi_topology, why);

	if (error == 0)
		error = pinning_parse(&place, "compact", &vi.vi_topology, why);
	if (error == 0) {
		cp->cp_place = &place;
		cp->cp_machine = &mc;
		cp->cp_stop = &stop_signal;
		virtual_config(&vi, pr, cp, false, virtual_seed(cp->cp_seed, 0,
		    &cp->cp_cell), &mc);
		error = ENGINE(virtual).en_run(cp, cm, why);
	}
	pinning_free(&place);
	return (error);
}
