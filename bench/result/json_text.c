#include <errno.h>
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

	for (unsigned i = 0; list != NULL && i < n; i++)
		json_append(&list, element(of, i));
	return (list);
}

/*
 * jansson 2.14 drops the byte of a token that its buffer cannot grow for.  So
 * the first allocation that fails in json_parse() gets spare memory, and the
 * text ends there.
 */
static _Thread_local struct {
	void	*sp_memory;
	size_t	 sp_size;
	bool	 sp_starved;
} spare;

static void *
alloc(size_t size)
{
	void *p = malloc(size);

	if (p == NULL && !spare.sp_starved && size <= spare.sp_size)
		p = spare.sp_memory;
	spare.sp_starved |= p == NULL || p == spare.sp_memory;
	return (p);
}

static void
release(void *p)
{
	if (p != spare.sp_memory)
		free(p);
}

struct source {
	const char	*so_next;
	size_t		 so_left;
};

/* Byte by byte: none behind the allocation that failed. */
static size_t
next_byte(void *to, size_t room, void *arg)
{
	struct source *so = arg;

	if (room == 0 || so->so_left == 0 || spare.sp_starved)
		return (0);
	*(char *)to = *so->so_next++;
	so->so_left--;
	return (1);
}

json_t *
json_parse(const char *text, size_t size, json_error_t *where)
{
	struct source so = { text, size };
	json_t *value = NULL;

	json_set_alloc_funcs(alloc, release);
	/* A buffer that is full doubles. */
	spare.sp_size = 2 * size + 1;
	spare.sp_memory = malloc(spare.sp_size);
	spare.sp_starved = spare.sp_memory == NULL;
	if (!spare.sp_starved)
		value = json_load_callback(next_byte, &so,
		    JSON_REJECT_DUPLICATES, where);
	if (spare.sp_starved) {
		json_decref(value);
		value = NULL;
		where->text[0] = '\0';
	}
	free(spare.sp_memory);
	spare.sp_memory = NULL;
	spare.sp_size = 0;
	return (value);
}

json_t *
json_text_new(const char *text)
{
	json_t *value = json_string(text);
	char *copy;

	if (value != NULL || (copy = strdup(text)) == NULL)
		return (value);
	for (char *c = copy; *c != '\0'; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	value = json_string(copy);
	free(copy);
	return (value);
}
