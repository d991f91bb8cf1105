/* lib/base/memory.h, and streams in memory, which do not fail either. */
#pragma once

#include <stdio.h>

#include "lib/base/memory.h"

/* As open_memstream(3). */
FILE *xmemstream(char **text, size_t *len);

/* Closes such a stream: its text is whole. */
void xmemclose(FILE *stream);
