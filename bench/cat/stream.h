/*
 * A reader on a thread of its own, and what it has read: two buffers, one of
 * which it fills with whole requests while the other is taken.
 */
#ifndef BENCH_STREAM_H
#define BENCH_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "fortuna/randomdev.h"

/* One of the buffers. */
struct stream_half {
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	 sh_full;	/* the taker's to look at */
	size_t		 sh_used;
	uint8_t		*sh_bytes;
	int		 sh_error;	/* that ended it, short or empty */
};

struct stream {
	struct stream_half sm_half[2];
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	 sm_stop;
	struct randomdev *sm_dev;
	size_t		 sm_request_bytes;
	size_t		 sm_room_bytes;	/* of each half */
	uint64_t	 sm_left_bytes;	/* to be read */
	unsigned	 sm_next;	/* the half that is taken next */
	bool		 sm_spawned;
	bool		 sm_made;	/* sm_reader is */
	struct generator_reader sm_reader;
	struct mthread	 sm_td;
};

/* Memory that the buffers of a stream take. */
uint64_t stream_memory_bytes(size_t request_bytes, uint64_t bytes);

/*
 * Makes a reader and its thread, which reads nothing before stream_go().
 * Whatever it returns, stream_fini() is due.
 *
 *   sm             out  zeroed by the caller, and where it will stay
 *   rd             in   shared by all
 *   index          in   its number, for the thread's name
 *   cpu            in   rank of its CPU, or MACHINE_CPU_ANY
 *   request_bytes  in   of each request; the last may be shorter
 *   bytes          in   to read in all; UINT64_MAX: no end
 *
 * Returns: 0, or an errno value.
 */
int stream_init(struct stream *sm, struct randomdev *rd, unsigned index,
    int cpu, size_t request_bytes, uint64_t bytes);

/* Lets it read. */
void stream_go(struct stream *sm);

/*
 * Gives back the half that was taken before and waits for the next one.
 *
 *   bytes  out  stay until the next call
 *   n      out  0: all that was to be read has been
 *
 * Returns: 0; EINTR when the program is asked to stop (bench/console/stop.h);
 * what read_random_uio() returned.
 */
int stream_next(struct stream *sm, const uint8_t **bytes, size_t *n);

/* Ends the thread, if there is one. */
void stream_end(struct stream *sm);

/*
 * Wipes and releases everything.  The threads of all streams that share a
 * generator have ended.
 */
void stream_fini(struct stream *sm);

#endif
