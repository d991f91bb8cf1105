#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/result/json_text.h"

char *
json_text(const json_t *value, size_t flags)
{
	char *text = NULL;
	size_t len = 0;
	bool whole;
	FILE *out;

	out = value == NULL ? NULL : open_memstream(&text, &len);
	if (out == NULL)
		return (NULL);
	whole = json_dumpf(value, out, flags) == 0 && !ferror(out);
	if (fclose(out) == 0 && whole)
		return (text);
	free(text);
	return (NULL);
}
