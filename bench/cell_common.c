/*
 * What engines of all machines hand back.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/cell.h"
#include "lib/tick.h"

struct result_latency
cell_latency(const struct hist *cycles)
{
#define	Q(q)	((double)tick_cycles_to_ns(hist_quantile(cycles, q)))
	return ((struct result_latency){
		.p50 = Q(0.5),
		.p90 = Q(0.9),
		.p99 = Q(0.99),
		.p999 = Q(0.999),
		.max = Q(1),
	});
#undef Q
}

void
cell_measure_free(struct cell_measure *cm)
{

	free(cm->cm_sample.reader_mb_per_s);
	free(cm->cm_sample.reader_cpu);
	free(cm->cm_sample.interval_mb_per_s);
	free(cm->cm_rows);
	memset(cm, 0, sizeof(*cm));
}
