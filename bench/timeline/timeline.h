/*
 * Timelines of simulated runs: which thread ran on which CPU, and which held or
 * waited for which lock.  What a machine's observer reports (lib/vm/vm.h) in a
 * span of virtual time becomes JSON for Perfetto and chrome://tracing.
 */
#pragma once

#include <jansson.h>

#include "lib/vm/vm.h"

enum {
	TIMELINE_EVENTS_MAX	= 1 << 20,	/* some 200 bytes each */
	TIMELINE_REMARK_SIZE	= 256
};

/* Virtual time to keep, since the measured window opened. */
struct timeline_span {
	uint64_t	spn_from_ps;
	uint64_t	spn_to_ps;	/* more than spn_from_ps */
};

/*
 * Starts a timeline of at most so many events, before the run; for the
 * machine's mc_observer, valid until timeline_end().
 */
const struct vm_observer *timeline_new(unsigned cpus,
    const struct timeline_span *span, uint32_t events);

/*
 * Frees the timeline, after the run, however that ended.  Releases facts,
 * strings about it by name.  Returns: the file's text, to be freed, and what is
 * missing from it, or "".
 */
char *timeline_end(const struct vm_observer *vb, json_t *facts,
    char remark[TIMELINE_REMARK_SIZE]);
