/*
 * How evenly the readers were served.
 */
#ifndef BENCH_REPORT_FAIRNESS_H
#define BENCH_REPORT_FAIRNESS_H

#include "bench/report/view.h"

/*
 * Two lines for each cell: the bytes that readers got, and the time that they
 * held Fortuna's lock.  What the document lacks is "-".
 */
view_printer report_fairness;

#endif
