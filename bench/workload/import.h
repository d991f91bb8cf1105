/*
 * Imports what strace -r writes, to the file of -o or to standard error, as a
 * recording.
 *
 * Requests are getrandom(2), and read(2) of files that strace -y shows to be
 * /dev/random or /dev/urandom.  A thread that starts after another's end
 * continues its stream: the commands of a shell are one stream.  The busiest
 * stream comes first.
 */
#ifndef BENCH_WORKLOAD_IMPORT_H
#define BENCH_WORKLOAD_IMPORT_H

#include "bench/workload/recording.h"

/* What an import found. */
struct import_summary {
	uint64_t	iu_requests;
	uint64_t	iu_threads;	/* with requests */
	/* Left out: */
	uint64_t	iu_failed;	/* without bytes: EAGAIN and others */
	uint64_t	iu_reads_unknown; /* of files that have no name */
	uint64_t	iu_reads_other;	/* of another file */
	uint64_t	iu_calls_other;
};

/* Imports a trace, as recording_load() reads a file. */
int import_load(const char *path, struct recording *rec,
    struct import_summary *iu, char message[LINES_ERROR_SIZE]);

#endif
