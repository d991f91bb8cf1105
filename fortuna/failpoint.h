/*
 * The generators' fail points: which there are, and the clock's.
 *
 * struct generator and the cores hold the array of their run, or NULL.
 */
#ifndef FORTUNA_FAILPOINT_H
#define FORTUNA_FAILPOINT_H

#include "lib/base/failpoint.h"

enum fortuna_failpoint {
#define	FAILPOINT(name, where, descr)	FAILPOINT_##name,
#include "fortuna/failpoint.tbl"
#undef FAILPOINT
	FORTUNA_FAILPOINTS
};

extern const struct failpoint_def fortuna_failpoints[FORTUNA_FAILPOINTS];

/* An uptime as clock_step has it; never before boot. */
static inline int64_t
failpoint_clock(struct failpoint *points, int64_t now_ns)
{
	int64_t step_ms = failpoint_ask(points, FAILPOINT_clock_step);

	if (step_ms == 0)
		return (now_ns);
	now_ns += step_ms * 1000 * 1000;
	return (now_ns > 0 ? now_ns : 0);
}

#endif
