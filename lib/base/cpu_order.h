/* Orders in which threads fill a machine's CPUs. */
#pragma once

enum cpu_order {
	CPU_COMPACT,	/* a node's cores, the next node's, then siblings */
	CPU_SCATTER,	/* a core of each node in turn, then siblings */
	CPU_SMT_FIRST,	/* a core's hardware threads, then the next core */
	CPU_ORDERS
};

/* One of a machine's CPUs. */
struct cpu_spot {
	unsigned	cs_core;
	unsigned	cs_nth;		/* which of its core's threads */
	unsigned	cs_place;	/* cores of its node before it */
};

/* Lists n CPUs, given in compact order, in another order. */
void cpu_order_ranks(enum cpu_order order, const struct cpu_spot *spots,
    unsigned n, unsigned *ranks);
