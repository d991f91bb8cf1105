#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/memory.h"
#include "bench/result/json_text.h"

char *
json_document(json_t *root, size_t flags)
{
	char *line, *text = json_dumps(root, flags);
	size_t len = strlen(text);

	json_decref(root);
	line = xreallocarray(text, len + 2, 1);
	line[len] = '\n';
	line[len + 1] = '\0';
	return (line);
}

void
json_print(FILE *out, json_t *root, unsigned digits)
{
	char *text = json_document(root, JSON_INDENT(1) |
	    JSON_REAL_PRECISION(digits));

	fputs(text, out);
	free(text);
}

json_t *
json_list(unsigned n, json_t *(*element)(const void *of, unsigned i),
    const void *of)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < n; i++)
		json_array_append_new(list, element(of, i));
	return (list);
}

json_t *
json_text_new(const char *text)
{
	json_t *value = json_string(text);
	char *copy;

	if (value != NULL || (copy = xstrdup(text)) == NULL)
		return (value);
	for (char *c = copy; *c != '\0'; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	value = json_string(copy);
	free(copy);
	return (value);
}
