/*
 * Recorded events: a text file that a run leaves and another one replays.
 *
 * One event per line, as known-answer scripts write them, with the source's
 * name added; empty lines and lines that begin with # are ignored:
 *
 *	event D T HEX [SOURCE]
 *
 * D is the destination, 0..255, and T the counter, 0..2^32 - 1, both decimal;
 * HEX is 1 to 8 bytes in order; SOURCE is a name of random_source_names and
 * CACHED when left out.
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
 * Reads one line, with or without its newline, that is no comment.
 *
 *   event     out  zero beyond he_size; undefined on failure
 *   expected  out  on failure, what should have been there
 *
 * Returns: 0 or EINVAL.
 */
int record_parse(const char *line, struct random_event *event,
    const char **expected);

/*
 * Reads a whole file.
 *
 *   error  out  on failure, "FILE:LINE: expected ..." or why it is unreadable
 *
 * Returns: 0; EINVAL for a malformed line; EFBIG for too many of them; the
 * error of open(2) or read(2).
 */
int record_load(struct record *r, const char *path,
    struct harvest_error *error);

/*
 * Starts a record in memory, all of it touched, and creates its file, readable
 * by its owner only; an existing file is replaced.
 *
 *   room   in   events it can hold
 *   error  out  on failure, why
 *
 * Returns: 0, or the error of open(2).
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
