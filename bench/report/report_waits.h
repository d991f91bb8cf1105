/*
 * Who waited for whom.
 */
#ifndef BENCH_REPORT_WAITS_H
#define BENCH_REPORT_WAITS_H

#include "bench/report/view.h"

/*
 * For each cell and lock a matrix: a block of rows for each site and role that
 * waited, a column for each site that held the lock when the wait began.
 */
view_printer report_waits;

#endif
