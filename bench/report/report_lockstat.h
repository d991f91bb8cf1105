/*
 * Lock events in the layout of lockstat(1).
 */
#ifndef BENCH_REPORT_LOCKSTAT_H
#define BENCH_REPORT_LOCKSTAT_H

#include "bench/report/view.h"

/*
 * For each cell lockstat(1)'s sections: waiting awake, waiting asleep and
 * holding, of each kind of lock, one line for each place and role, most
 * frequent first.  Lock and Caller are names.
 */
view_printer report_lockstat;

/* The same with each line's distribution, as lockstat(1) -h prints it. */
view_printer report_lockstat_histogram;

#endif
