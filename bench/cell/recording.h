/*
 * What a program asked of its random number generator, and when: the in-memory
 * form of an rngsim-workload(5) file.
 *
 * A stream is what one thread asked for, or several that lived one after the
 * other.  Times count from the beginning of the recording, for all streams, and
 * do not descend within one.
 */
#ifndef BENCH_RECORDING_H
#define BENCH_RECORDING_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bench/console/lines.h"

#define	RECORDING_MAGIC	"rngsim-workload/1"

/* A week; more than anybody records, and 1024 of them fit 64 bits. */
#define	RECORDING_LENGTH_MAX_NS	(INT64_C(7) * 24 * 3600 * 1000000000)

enum {
	RECORDING_BYTES_MAX	= 1 << 30,	/* of one request */
	RECORDING_REQUESTS_MAX	= 1000000,
	RECORDING_STREAMS_MAX	= 1024,
	RECORDING_NAME_SIZE	= 64
};

struct recording_request {
	uint64_t	 rq_at_ns;
	uint64_t	 rq_bytes;	/* 1..RECORDING_BYTES_MAX */
};

struct recording_stream {
	char		 rm_name[RECORDING_NAME_SIZE];	/* one word */
	struct recording_request *rm_requests;
	size_t		 rm_count;	/* at least 1 in a whole recording */
	size_t		 rm_room;
};

struct recording {
	struct recording_stream *rec_streams;
	unsigned	 rec_count;
	/* When it begins anew, at least 1 and the last request's time. */
	uint64_t	 rec_length_ns;
};

/*
 * Adds an empty stream.
 *
 *   name  in  cut where it is too long
 *
 * Returns: it, until the next is added; NULL when there is no memory.
 */
struct recording_stream *recording_add_stream(struct recording *rec,
    const char *name);

/*
 * Adds a request at the end of a stream.
 *
 * Returns: 0 or ENOMEM.
 */
int recording_add(struct recording_stream *rm, uint64_t at_ns, uint64_t bytes);

/* Requests of all streams together. */
size_t recording_requests(const struct recording *rec);

/* A number that another recording hardly has; names do not count. */
uint32_t recording_hash(const struct recording *rec);

/*
 * Reads a file.
 *
 *   path     in   or "-" for standard input
 *   rec      out  recording_free() it; empty on failure
 *   message  out  on failure: file, line, and what is wrong there
 *
 * Returns: 0; EINVAL for a file of another form; else what the system said.
 */
int recording_load(const char *path, struct recording *rec,
    char message[LINES_ERROR_SIZE]);

/*
 * Writes what recording_load() reads.
 *
 *   comment  in  lines to stand behind the first, each with its newline; or ""
 */
void recording_print(FILE *out, const struct recording *rec,
    const char *comment);

/* Frees what rec points to and leaves it empty. */
void recording_free(struct recording *rec);

#endif
