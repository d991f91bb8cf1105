/*
 * Reads a text file line by line.  The first error is kept as a message with
 * the file's name; later calls then do nothing.
 */
#pragma once

#include "lib/base/base.h"

enum {
	LINES_ERROR_SIZE	= 512,
	LINES_BYTES_MAX		= 1 << 20	/* of one line */
};

struct lines {
	FILE		*li_in;
	const char	*li_name;	/* the file's, for messages */
	uint64_t	 li_number;	/* of the last line read, from 1 */
	char		*li_text;	/* the last line, without its newline */
	int		 li_error;	/* errno value; 0: none so far */
	char		*li_message;	/* LINES_ERROR_SIZE bytes */
};

/*
 * Opens a file, "-" for standard input; lines_close() it even on failure.
 * Returns: li_error, and in LINES_ERROR_SIZE bytes the message.
 */
int lines_open(struct lines *li, const char *path, char *message);

/*
 * Reads the next line into li_text, without a carriage return at its end.
 * Returns: false at the end of the file and after an error.
 */
bool lines_next(struct lines *li);

/*
 * Sets the error and its message, unless there was an earlier one: about the
 * last line read, "FILE:LINE: ...", or about the file.  Returns: li_error.
 */
int lines_fail(struct lines *li, int error, bool line, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

#define	lines_refuse(li, ...)	lines_fail(li, EINVAL, true, __VA_ARGS__)
#define	lines_refuse_file(li, ...) lines_fail(li, EINVAL, false, __VA_ARGS__)

void lines_close(struct lines *li);
