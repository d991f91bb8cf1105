/* Memory.  Where there is none these end the program with a message. */
#ifndef BENCH_CLI_MEMORY_H
#define BENCH_CLI_MEMORY_H

#include <stddef.h>
#include <stdio.h>

/* As malloc(3), calloc(3), reallocarray(3), strdup(3) and open_memstream(3). */
void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
void *xreallocarray(void *p, size_t n, size_t size);
char *xstrdup(const char *text);
FILE *xmemstream(char **text, size_t *len);

/* As aligned_alloc(3), with zeros; any size. */
void *xaligned(size_t alignment, size_t size);

/* Closes such a stream: its text is whole. */
void xmemclose(FILE *stream);

/* What they do without memory. */
void no_memory(void) __attribute__((noreturn));

#endif
