/*
 * What happened in a simulated run, when: who ran on which CPU, who held which
 * lock while who waited for it.
 *
 * Collects what a machine tells its observer (lib/vm.h) in one run, from a span
 * of its virtual time, and writes it as a file: trace events in JSON, as
 * Perfetto and chrome://tracing read them, or, where the file's name ends in
 * ".txt", text with a column for each CPU that ran anything; see rngsim(1).
 */
#ifndef BENCH_TIMELINE_H
#define BENCH_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/vm.h"

enum {
	TIMELINE_SLICES_MAX	= 1 << 20,	/* 40 bytes each */
	TIMELINE_FAULT_SIZE	= 256
};

struct timeline;

/* Virtual time to keep, since the measured window opened. */
struct timeline_span {
	uint64_t	ts_from_ps;
	uint64_t	ts_to_ps;	/* more than ts_from_ps */
};

/* Something to say about the run in the file. */
struct timeline_fact {
	const char	*tf_name;
	const char	*tf_value;
};

struct timeline_outcome {
	bool		to_opened;	/* the span was reached at all */
	uint64_t	to_until_ps;	/* and kept to there */
	uint64_t	to_slices;
	uint64_t	to_left_out;	/* for want of room, behind that */
	/*
	 * What notes told that cannot be, such as two holders of a lock; the
	 * file ends there.  Empty: nothing.
	 */
	char		to_fault[TIMELINE_FAULT_SIZE];
};

/* Whether a file of that name gets text. */
bool timeline_is_text(const char *path);

/*
 * Starts a timeline; before the run, as a path that cannot be written should
 * not cost one.
 *
 *   tlp     out
 *   cpus    in   of the machine
 *   slices  in   the most to keep, at least 1; usually TIMELINE_SLICES_MAX
 *
 * Returns: 0, ENOMEM, or what outfile_open() returns.
 */
int timeline_open(struct timeline **tlp, const char *path, unsigned cpus,
    const struct timeline_span *span, uint32_t slices);

/* For the machine's mc_observer; lives as long as the timeline. */
const struct vm_observer *timeline_observer(struct timeline *tl);

/*
 * Writes the file, whole or not at all, and frees the timeline.  The run is
 * over, however it ended; what was under way then ends there.
 *
 *   facts  in
 *   to     out
 *
 * Returns: 0, or what the system said.
 */
int timeline_close(struct timeline *tl, const struct timeline_fact *facts,
    unsigned count, struct timeline_outcome *to);

/* Frees the timeline and leaves the file as it was. */
void timeline_abort(struct timeline *tl);

/*
 * What a person should know about an outcome, after timeline_close().
 *
 * Returns: whether there is anything.
 */
bool timeline_remark(const struct timeline_outcome *to, char *text,
    size_t size);

#endif
