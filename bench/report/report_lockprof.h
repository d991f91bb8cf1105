/*
 * Lock profiles in the columns of LOCK_PROFILING(9), and in ns.
 */
#ifndef BENCH_REPORT_LOCKPROF_H
#define BENCH_REPORT_LOCKPROF_H

#include "bench/report/view.h"

/*
 * For each cell what debug.lock.prof.stats would print: its columns, in its
 * order, in whole us, a line for each place that takes a lock; but columns are
 * as wide as their headers, and cnt_hold is counted.  Then the same places in
 * ns, by role, with quantiles.  What the document lacks is "-".
 */
view_printer report_lockprof;

#endif
