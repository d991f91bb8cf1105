/*
 * A program's requests for random bytes, and their times: an rngsim-workload(5)
 * file in memory.  A stream has the requests of one thread, or of several that
 * ran in turn.  Times are since the recording's start, and ascend in a stream.
 */
#pragma once

#include "lib/base/lines.h"

#define	RECORDING_MAGIC	"rngsim-workload/1"

/* A week: 1024 of them fit 64 bits. */
#define	RECORDING_LENGTH_MAX_NS	(INT64_C(7) * 24 * 3600 * 1000000000)

enum {
	RECORDING_BYTES_MAX	= 1 << 30,	/* of one request */
	RECORDING_REQUESTS_MAX	= 1000000,
	RECORDING_STREAMS_MAX	= 1024,
	RECORDING_NAME_SIZE	= 64
};

struct recording_stream {
	char		 rcs_name[RECORDING_NAME_SIZE];	/* one word */
	struct recording_request {
		uint64_t	 rq_at_ns;
		uint32_t	 rq_bytes;	/* 1..RECORDING_BYTES_MAX */
	}		*rcs_requests;
	size_t		 rcs_count;	/* at least 1 in a whole recording */
};

struct recording {
	struct recording_stream *rec_streams;
	unsigned	 rec_count;
	/* When it repeats: at least 1 and the last request's time. */
	uint64_t	 rec_length_ns;
};

/* Adds an empty stream; the result is valid until the next is added. */
struct recording_stream *recording_add_stream(struct recording *rec,
    const char *name);

/* Adds a request at the end of a stream. */
void recording_add(struct recording_stream *rm, uint64_t at_ns, uint64_t bytes);

/* Requests of all streams; a hash, the same on every machine. */
size_t recording_requests(const struct recording *rec);
uint32_t recording_hash(const struct recording *rec);

/*
 * Reads a file; "-" is standard input.  rec is for recording_free(), empty on
 * failure.  Returns: 0; EINVAL for a wrong file; else the system's error.
 */
int recording_load(const char *path, struct recording *rec,
    char message[LINES_ERROR_SIZE]);

/* Writes a file; comment has lines to print after the first, or is "". */
void recording_print(FILE *out, const struct recording *rec,
    const char *comment);

void recording_free(struct recording *rec);

/* What a line of a trace is; all but the first are left out. */
enum import_call {
	IMPORT_RANDOM,
	IMPORT_FAILED,		/* without bytes: EAGAIN and others */
	IMPORT_READ_OTHER,	/* of another file */
	IMPORT_READ_UNKNOWN,	/* of a file that has no name */
	IMPORT_OTHER,
	IMPORT_CALLS
};

struct import_summary {
	uint64_t	iu_count[IMPORT_CALLS];
	unsigned	iu_threads;	/* with requests */
};

/*
 * Makes a recording of what strace -r -o writes; as recording_load() reads a
 * file.  Requests are getrandom(2), and read(2) of files that strace -y shows
 * to be /dev/random or /dev/urandom.  A thread that starts after another's end
 * continues its stream: the commands of a shell are one stream.  The busiest
 * stream comes first.
 */
int import_load(const char *path, struct recording *rec,
    struct import_summary *iu, char message[LINES_ERROR_SIZE]);
