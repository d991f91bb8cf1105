/*
 * Recorded events: a text file that a run leaves, "event D T HEX SOURCE" for
 * each.  D is the destination, 0..255, and T the counter, 0..2^32 - 1, both
 * decimal; HEX is 1 to 8 bytes in order; SOURCE is a name of
 * random_source_names.
 */
#pragma once

#include "fortuna/device/event.h"
#include "harvest/config.h"

enum {
	/* Of a file or a run: 16 MB, minutes at the usual rates. */
	RECORD_EVENTS_MAX	= 1024 * 1024
};

struct record {
	struct random_event *rc_events;
	size_t		 rc_count;
	size_t		 rc_room;	/* events rc_events has room for */
	uint64_t	 rc_lost;	/* events that found it full */
	FILE		*rc_file;	/* where record_finish() writes */
};

/*
 * Starts a record in memory with room for so many events, all of it touched,
 * and creates its file, readable by its owner only; an existing file is
 * replaced.  Returns: 0, or the error of open(2) and why.
 */
int record_create(struct record *r, const char *path, size_t room,
    struct harvest_error *error);

/*
 * Writes the events to the file of record_create(), if any, and closes it.  A
 * record that was full says so in the file's last line.
 *
 * Returns: 0; EOVERFLOW when events were lost, the file then holds the first
 * rc_room of them; the error of write(2).
 */
int record_finish(struct record *r);

/* Wipes and releases.  What was not finished is not written. */
void record_fini(struct record *r);

/*
 * Appends an event; one thread at a time.  When the record is full the event is
 * dropped and counted in rc_lost.  Does not allocate, does no I/O.
 */
static inline void
record_add(struct record *r, const struct random_event *event)
{
	if (r->rc_count == r->rc_room) {
		r->rc_lost++;
		return;
	}
	r->rc_events[r->rc_count++] = *event;
}
