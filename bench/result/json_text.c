#include <errno.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

char *
json_document(json_t *root, size_t flags)
{
	char *line, *text = json_text(root, flags);

	json_decref(root);
	if (text == NULL || asprintf(&line, "%s\n", text) < 0)
		line = NULL;
	free(text);
	return (line);
}

int
json_print(FILE *out, json_t *root, unsigned digits)
{
	char *text = json_document(root, JSON_INDENT(1) |
	    JSON_REAL_PRECISION(digits));

	if (text == NULL)
		return (ENOMEM);
	fputs(text, out);
	free(text);
	return (0);
}

void
json_append(json_t **array, json_t *element)
{

	/* Fails for NULL, an element without memory. */
	if (json_array_append_new(*array, element) != 0) {
		json_decref(*array);
		*array = NULL;
	}
}

json_t *
json_list(unsigned n, json_t *(*element)(const void *of, unsigned i),
    const void *of)
{
	json_t *list = json_array();
	unsigned i;

	for (i = 0; list != NULL && i < n; i++)
		json_append(&list, element(of, i));
	return (list);
}

/*
 * Where alloc() jumps when there is no memory; NULL outside json_parse().
 * jansson 2.14 reads past its buffer when it has no memory for a string.
 */
static _Thread_local jmp_buf *starved;

static void *
alloc(size_t size)
{
	void *p = malloc(size);

	if (p == NULL && starved != NULL)
		longjmp(*starved, 1);
	return (p);
}

json_t *
json_parse(const char *text, size_t size, json_error_t *where)
{
	json_t *value;
	jmp_buf out;

	json_set_alloc_funcs(alloc, free);
	starved = &out;
	if (setjmp(out) == 0) {
		value = json_loadb(text, size, JSON_REJECT_DUPLICATES, where);
		starved = NULL;
		return (value);
	}
	/* What was parsed so far is leaked. */
	starved = NULL;
	where->text[0] = '\0';
	return (NULL);
}

json_t *
json_text_new(const char *text)
{
	json_t *value = json_string(text);
	char *c, *copy;

	if (value != NULL || (copy = strdup(text)) == NULL)
		return (value);
	for (c = copy; *c != '\0'; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	value = json_string(copy);
	free(copy);
	return (value);
}
