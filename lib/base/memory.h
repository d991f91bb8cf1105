/* Memory; where there is none these end the program, after a message. */
#pragma once

#include <stdio.h>

/* As malloc(3), calloc(3), reallocarray(3) and strdup(3). */
void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
void *xreallocarray(void *p, size_t n, size_t size);
char *xstrdup(const char *text);

/* As aligned_alloc(3), with zeros; any size. */
void *xaligned(size_t alignment, size_t size);

/* Pages of zeros, taken when written, for munmap(2); NULL with errno set. */
void *map_zeros(size_t n);

/* As open_memstream(3); closes such a stream: its text is whole. */
FILE *xmemstream(char **text, size_t *len);
void xmemclose(FILE *stream);

/* What they do without memory. */
void no_memory(void) __attribute__((noreturn));
