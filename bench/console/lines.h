/*
 * The lines of a text file that people hand in, one at a time.
 *
 * The first thing that is wrong with it is remembered, with file and line; what
 * is called afterwards does nothing.
 */
#ifndef BENCH_LINES_H
#define BENCH_LINES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
	LINES_ERROR_SIZE	= 512,
	LINES_BYTES_MAX		= 1 << 20	/* of one line */
};

struct lines {
	FILE		*li_in;
	const char	*li_name;	/* as messages call the file */
	uint64_t	 li_number;	/* of the line read last, from 1 */
	char		*li_text;	/* it, without its newline */
	int		 li_error;	/* errno value; 0: none so far */
	char		*li_message;	/* LINES_ERROR_SIZE bytes */
};

/*
 * Opens a file.
 *
 *   path     in   or "-" for standard input
 *   message  out  LINES_ERROR_SIZE bytes: what is wrong, once li_error says so
 *
 * Returns: 0, or li_error.  lines_close() is due either way.
 */
int lines_open(struct lines *li, const char *path, char *message);

/*
 * Reads the next line into li_text.  A carriage return at its end is dropped.
 *
 * Returns: false at the end, and when something is or was wrong.
 */
bool lines_next(struct lines *li);

/*
 * Says what is wrong with the line read last: "FILE:LINE: " and the rest.
 *
 * Returns: EINVAL, or the earlier error.
 */
int lines_refuse(struct lines *li, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Says what is wrong with the whole file, likewise. */
int lines_refuse_file(struct lines *li, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Notes that there was no memory.
 *
 * Returns: ENOMEM, or the earlier error.
 */
int lines_no_memory(struct lines *li);

/* Closes the file.  The message stays. */
void lines_close(struct lines *li);

#endif
