#include <inttypes.h>
#include <stdlib.h>

#include "bench/sweep/sweep.h"
#include "bench/timeline/timeline.h"

static int
failed(const struct options *op, int error)
{
	return (run_error("%s: %s", op->op_trace, strerror(error)));
}

int
trace_begin(struct options *op, struct timeline **tl)
{
	int error;

	*tl = NULL;
	if (op->op_trace == NULL)
		return (0);
	error = timeline_open(tl, op->op_trace,
	    op->op_machine.vi_topology.tp_cpus, &(struct timeline_span){
	    op->op_trace_from_ps, op->op_trace_to_ps }, TIMELINE_EVENTS_MAX);
	if (error != 0)
		return (failed(op, error));
	op->op_observer = timeline_observer(*tl);
	return (0);
}

int
trace_end(struct options *op, struct timeline *tl)
{
	const struct vm_topology *vt = &op->op_machine.vi_topology;
	const struct cell ce = grid_first(op);
	const struct timeline_fact facts[] = {
		{ "claim", "predicted" },
		{ "engine", VIRTUAL_NAME },
		{ "profile", op->op_machine.vi_profile.pr_name },
		{ "guessed_share", FORMATF("%.3f", profile_share(
		    &op->op_machine.vi_profile, PROVENANCE_GUESSED)) },
		{ "cpus", FORMATF("%u", vt->tp_cpus) },
		{ "nodes", FORMATF("%u", vt->tp_nodes) },
		{ "design", ce.ce_design },
		{ "lock", ce.ce_lock },
		{ "cipher", ce.ce_cipher->ci_name },
		{ "readers", FORMATF("%u", ce.ce_readers) },
		{ "request_bytes", FORMATF("%" PRIu64, ce.ce_request_bytes) },
		{ "seed", FORMATF("%" PRIu64, op->op_seed) },
	};
	char remark[TIMELINE_REMARK_SIZE];
	int error;

	if (tl == NULL)
		return (0);
	op->op_observer = NULL;
	error = timeline_close(tl, facts, sizeof(facts) / sizeof(facts[0]),
	    remark);
	if (error != 0)
		return (failed(op, error));
	if (remark[0] != '\0')
		(void)run_error("%s: %s", op->op_trace, remark);
	return (0);
}
