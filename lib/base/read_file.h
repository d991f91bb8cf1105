/* Whole files in memory. */
#pragma once

#include <stddef.h>

/*
 * Reads an open file or pipe from where it is to its end, into *text, which is
 * to be freed and ends with a NUL beyond *size.  Returns: 0; EFBIG above max
 * bytes; else the error of read(2).
 */
int read_file(int fd, size_t max, char **text, size_t *size);
