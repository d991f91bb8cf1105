#include "bench/cli/memory.h"

FILE *
xmemstream(char **text, size_t *len)
{
	FILE *stream = open_memstream(text, len);

	if (stream == NULL)
		no_memory();
	return (stream);
}

void
xmemclose(FILE *stream)
{
	if (fclose(stream) != 0)
		no_memory();
}
