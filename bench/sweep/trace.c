#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/sweep/trace.h"

enum { NUMBER_SIZE = 24 };

static int
failed(const struct options *op, int error)
{

	return (run_error(op->op_command, "%s: %s", op->op_trace,
	    strerror(error)));
}

int
trace_begin(struct options *op, struct timeline **tl)
{
	int error;

	*tl = NULL;
	if (op->op_trace == NULL)
		return (0);
	error = timeline_open(tl, op->op_trace,
	    op->op_machine.vi_topology.vt_cpus, &op->op_trace_span,
	    TIMELINE_SLICES_MAX);
	if (error != 0)
		return (failed(op, error));
	op->op_observer = timeline_observer(*tl);
	return (0);
}

static const char *
number(char text[NUMBER_SIZE], uint64_t v)
{

	snprintf(text, NUMBER_SIZE, "%" PRIu64, v);
	return (text);
}

int
trace_end(struct options *op, struct timeline *tl)
{
	char cpus[NUMBER_SIZE], nodes[NUMBER_SIZE], readers[NUMBER_SIZE],
	    seed[NUMBER_SIZE], share[NUMBER_SIZE], size[NUMBER_SIZE];
	const struct timeline_fact facts[] = {
		{ "claim", "predicted" },
		{ "engine", VIRTUAL_NAME },
		{ "profile", op->op_machine.vi_profile.pr_name },
		{ "guessed_share", share },
		{ "cpus", number(cpus, op->op_machine.vi_topology.vt_cpus) },
		{ "nodes", number(nodes,
		    op->op_machine.vi_topology.vt_nodes) },
		{ "design", generators[op->op_designs.ol_value[0]]->ra_ident },
		{ "lock", lock_classes[op->op_locks.ol_value[0]]->lc_name },
		{ "cipher", ciphers[op->op_ciphers.ol_value[0]]->ci_name },
		{ "readers", number(readers, op->op_readers.ol_value[0]) },
		{ "request_bytes", number(size, op->op_sizes.ol_value[0]) },
		{ "seed", number(seed, op->op_seed) },
	};
	struct timeline_outcome to;
	char remark[2 * TIMELINE_FAULT_SIZE];
	int error;

	if (tl == NULL)
		return (0);
	op->op_observer = NULL;
	snprintf(share, sizeof(share), "%.3f", profile_share(
	    &op->op_machine.vi_profile, PROVENANCE_GUESSED));
	error = timeline_close(tl, facts, sizeof(facts) / sizeof(facts[0]),
	    &to);
	if (error != 0)
		return (failed(op, error));
	if (timeline_remark(&to, remark, sizeof(remark)))
		(void)run_error(op->op_command, "%s: %s", op->op_trace,
		    remark);
	return (to.to_fault[0] == '\0' ? 0 : EXIT_FAILURE);
}
