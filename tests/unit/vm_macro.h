/*
 * What handing over a lock costs, in closed form: the large picture of what
 * lib/vm/line.c does access by access.
 *
 * A hand-over is a write that takes copies away and a read that brings one.
 * Which lines these are depends on the lock; which CPUs have copies, on where
 * its waiters are.  Waiters come in random order.  The model has think, hold
 * and what the lock takes, and leaves out what is rare.
 */
#ifndef TESTS_UNIT_VM_MACRO_H
#define TESTS_UNIT_VM_MACRO_H

#include <math.h>

#include "lib/vm/vm.h"

/* How far CPU a is from b. */
#define	DISTANCE(tp, a, b)						\
	vm_place_distance(vm_topology_place(tp, a), vm_topology_place(tp, b))

/* Costs of one machine and the load on it, ns; CPUs 0..threads - 1 in use. */
struct macro {
	const struct machine_config *ma_machine;
	const unsigned	*ma_cpus;	/* of the threads */
	unsigned	 ma_threads;
	double		 ma_think;
	double		 ma_hold;
	unsigned	 ma_pass_limit;
	/* Means over all pairs of CPUs, made by macro_init(). */
	double		 ma_latency;	/* of one CPU to another */
	double		 ma_service;	/* for which the home is busy with it */
	double		 ma_farther;	/* the larger one of two */
	double		 ma_near;	/* latency of another in the node */
	double		 ma_far;	/* from another node */
	double		 ma_near_service;
	double		 ma_node_latency;	/* of any copy in the node */
	double		 ma_node_service;
	double		 ma_write;	/* when all nodes have copies */
	unsigned	 ma_nodes;	/* with threads */
	double		 ma_hit;
	double		 ma_rmw;
};

static inline double
macro_ns(uint64_t ps)
{
	return ((double)ps / 1000);
}

/* The nodes in use, and the factor of what is between them. */
static inline double
macro_nodes(struct macro *ma)
{
	const struct machine_config *mc = ma->ma_machine;
	uint64_t nodes = 0;

	for (unsigned i = 0; i < ma->ma_threads; i++)
		nodes |= UINT64_C(1) << vm_topology_node(&mc->mc_topology,
		    ma->ma_cpus[i]);
	ma->ma_nodes = (unsigned)__builtin_popcountll(nodes);
	return (ma->ma_nodes > 2 ? 1 + (double)mc->mc_costs.vc_cong_ppm / 1e6 *
	    (ma->ma_nodes - 2) : 1);
}

/* The mean of the larger one of a CPU's latencies to two others. */
static inline double
macro_farther(const struct macro *ma, double far)
{
	const struct vm_costs *vc = &ma->ma_machine->mc_costs;
	const struct vm_topology *vt = &ma->ma_machine->mc_topology;
	unsigned before, k, n = ma->ma_threads, upto;
	double lat[VM_DISTANCES], sum = 0;

	for (unsigned d = 0; d < VM_DISTANCES; d++)
		lat[d] = d == VM_REMOTE ? far : macro_ns(vc->vc_lat_ps[d]);
	for (unsigned i = 0; i < n; i++) {
		before = 0;
		for (unsigned d = VM_SMT; d < VM_DISTANCES; d++) {
			for (k = upto = 0; k < n; k++)
				upto += k != i && DISTANCE(vt,
				    ma->ma_cpus[i], ma->ma_cpus[k]) <= d;
			sum += lat[d] * (double)(upto * upto - before *
			    before) / ((n - 1) * (n - 1));
			before = upto;
		}
	}
	return (sum / n);
}

static inline void
macro_init(struct macro *ma)
{
	const struct vm_costs *vc = &ma->ma_machine->mc_costs;
	const struct vm_topology *vt = &ma->ma_machine->mc_topology;
	double factor = macro_nodes(ma), far = 0, lat = 0, near = 0, service;
	enum vm_distance d, node;
	unsigned near_pairs = 0, pairs = 0;

	node = vt->tp_ccx_cores * vt->tp_nodes >= vt->tp_cores ? VM_CCX :
	    VM_SOCK;
	ma->ma_node_latency = macro_ns(vc->vc_lat_ps[node]);
	ma->ma_node_service = macro_ns(vc->vc_service_ps[node]);
	far = macro_ns(vc->vc_lat_ps[VM_REMOTE]) * factor;
	service = macro_ns(vc->vc_service_ps[VM_REMOTE]) * factor;
	ma->ma_service = 0;
	for (unsigned i = 0; i < ma->ma_threads; i++) {
		for (unsigned k = 0; k < ma->ma_threads; k++) {
			if (i == k)
				continue;
			d = DISTANCE(vt, ma->ma_cpus[i], ma->ma_cpus[k]);
			pairs++;
			lat += d == VM_REMOTE ? far :
			    macro_ns(vc->vc_lat_ps[d]);
			ma->ma_service += d == VM_REMOTE ? service :
			    ma->ma_node_service;
			if (d == VM_REMOTE)
				continue;
			near_pairs++;
			near += macro_ns(vc->vc_lat_ps[d]);
		}
	}
	ma->ma_latency = lat / pairs;
	ma->ma_service /= pairs;
	ma->ma_near = near_pairs > 0 ? near / near_pairs : far;
	ma->ma_far = far;
	ma->ma_farther = macro_farther(ma, far);
	ma->ma_write = ma->ma_nodes == 1 ? ma->ma_node_latency : far +
	    (ma->ma_nodes - 2) * macro_ns(vc->vc_ps[PROFILE_LINE_INVALIDATE]);
	ma->ma_hit = macro_ns(vc->vc_lat_ps[VM_SELF]);
	ma->ma_rmw = macro_ns(vc->vc_ps[PROFILE_LAT_RMW]);
}

/* How many wait when an owner releases, at a period. */
static inline double
macro_waiters(const struct macro *ma, double period)
{
	double waiters = ma->ma_threads - 1 - ma->ma_think / period;

	return (waiters > 0 ? waiters : 0);
}

/* One of so many: at least one came in a time, at one a period. */
static inline double
macro_came(double time, double period)
{
	return (1 - exp(-time / period));
}

typedef double macro_step(const struct macro *ma, double period);

/* A period that is what its step says of it. */
static inline double
macro_solve(const struct macro *ma, macro_step *step)
{
	double period = ma->ma_hold + ma->ma_write;

	for (unsigned i = 0; i < 200; i++)
		period = (period + step(ma, period)) / 2;
	return (period);
}

/*
 * A ticket lock: the release reads the line again if a thread drew meanwhile,
 * takes it from all waiters, and they read it, so that the next one waits for
 * half of them.  A thread that draws during the release comes first.
 */
static inline double
macro_ticket_of(const struct macro *ma, double period, double waiters,
    double write, double latency, double service)
{
	return (ma->ma_hold + macro_came(ma->ma_hold, period) * fmin(latency,
	    ma->ma_node_latency) + write * (1 + 1.5 * write / period) +
	    latency + service * waiters / 2 + 3 * ma->ma_hit);
}

static inline double
macro_ticket(const struct macro *ma, double period)
{
	return (macro_ticket_of(ma, period, macro_waiters(ma, period),
	    ma->ma_write, ma->ma_latency, ma->ma_service));
}

/* The successor's own line is taken from it, and read by it. */
static inline double
macro_queue(const struct macro *ma, double period)
{
	(void)period;
	return (ma->ma_hold + 2 * ma->ma_latency + ma->ma_service / 2);
}

/* A node's line was written by the one behind, and must go from there too. */
static inline double
macro_mcs(const struct macro *ma, double period)
{
	return (macro_queue(ma, period) - ma->ma_latency + ma->ma_farther +
	    4 * ma->ma_hit);
}

static inline double
macro_clh(const struct macro *ma, double period)
{
	return (macro_queue(ma, period) + 2 * ma->ma_hit);
}

/*
 * The head of the queue reads the word, takes it, and notifies the next one,
 * which has read the word again before the hold is over.
 */
static inline double
macro_qspin(const struct macro *ma, double period)
{
	double came = macro_came(ma->ma_hold, period);

	return (ma->ma_hold + came * ma->ma_farther + (1 - came) *
	    ma->ma_latency + ma->ma_latency + ma->ma_service / 2 + 2 *
	    ma->ma_latency + 3 * ma->ma_farther * ma->ma_farther / period + 2 *
	    ma->ma_rmw + 3 * ma->ma_hit);
}

/*
 * A ticket lock of the node for pass_limit hand-overs; after that the one of
 * all nodes, where one waits for each other node, and then another node's.
 */
static inline double
macro_cohort(const struct macro *ma, double period)
{
	double near, passes = ma->ma_pass_limit, waiters;

	waiters = fmax((double)ma->ma_threads / ma->ma_nodes - 1 -
	    ma->ma_think / period, 0);
	near = macro_ticket_of(ma, period, waiters, ma->ma_node_latency,
	    ma->ma_near, ma->ma_node_service) + ma->ma_hit +
	    macro_came(ma->ma_near, period) * ma->ma_near;
	return ((near * passes + ma->ma_hold + ma->ma_write + ma->ma_far +
	    ma->ma_service * (ma->ma_nodes - 1) / 2) / (passes + 1));
}

#endif
