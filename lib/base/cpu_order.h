/* Orders in which threads fill a machine's CPUs. */
#pragma once

enum cpu_order {
	CPU_COMPACT,	/* a node's cores, the next node's, then siblings */
	CPU_SCATTER,	/* a core of each node in turn, then siblings */
	CPU_SMT_FIRST,	/* a core's hardware threads, then the next core */
	CPU_ORDERS
};
