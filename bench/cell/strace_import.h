/*
 * From what strace(1) wrote of a program to a recording of what the program
 * asked of its random number generator.
 *
 * Taken are getrandom(2), and read(2) of what strace -y shows to be
 * /dev/random or /dev/urandom, each with the bytes that it got and the time it
 * began.  A thread whose life begins after another's end goes on with that
 * one's stream, so that a shell's commands are one stream and not a thousand.
 */
#ifndef BENCH_STRACE_IMPORT_H
#define BENCH_STRACE_IMPORT_H

#include "bench/cell/recording.h"

/* What was found. */
struct strace_summary {
	uint64_t	ss_requests;
	uint64_t	ss_threads;	/* that asked for something */
	/* Left out: */
	uint64_t	ss_failed;	/* without bytes: EAGAIN and its like */
	uint64_t	ss_reads_unknown;	/* of what -y would show */
	uint64_t	ss_reads_other;	/* of another file */
	uint64_t	ss_calls_other;	/* neither getrandom nor read */
};

/*
 * Reads a trace made with strace -r, with -f or without, by -o or from standard
 * error.
 *
 *   path     in   or "-" for standard input
 *   rec      out  streams, the busiest first; recording_free() it; empty on
 *                 failure
 *   ss       out  filled in as far as the trace was read
 *   message  out  on failure: file, line, and what is wrong there
 *
 * Returns: 0; EINVAL for a file of another form or without any request; else
 * what the system said.
 */
int strace_import(const char *path, struct recording *rec,
    struct strace_summary *ss, char message[LINES_ERROR_SIZE]);

#endif
