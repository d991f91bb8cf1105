#include "lib/base/base.h"
#include "lib/base/cpu_order.h"

/* Whether a comes before b, which precedes it in compact order. */
static bool
before(enum cpu_order order, const struct cpu_spot *a, const struct cpu_spot *b)
{
	if (order == CPU_SMT_FIRST)
		return (a->cs_core < b->cs_core);
	return (order == CPU_SCATTER && a->cs_nth == b->cs_nth &&
	    a->cs_place < b->cs_place);
}

void
cpu_order_ranks(enum cpu_order order, const struct cpu_spot *spots, unsigned n,
    unsigned *ranks)
{
	unsigned k;

	KASSERT(order < CPU_ORDERS, ("order %d", (int)order));
	for (unsigned i = 0; i < n; i++) {
		for (k = i; k > 0 && before(order, &spots[i],
		    &spots[ranks[k - 1]]); k--)
			ranks[k] = ranks[k - 1];
		ranks[k] = i;
	}
}
