#include <fcntl.h>

#include "bench/result/result.h"

enum { INDENT = 2, PRINTED_DIGITS = 6 };

json_t *
json_read(const char *text, size_t len, json_error_t *where)
{
	*where = (json_error_t){ .line = 1, .text = "a NUL byte" };
	return (memchr(text, '\0', len) != NULL ? NULL :
	    json_loadb(text, len, JSON_REJECT_DUPLICATES, where));
}

int
result_load(const char *path, struct result *r, char error[RESULT_TEXT_SIZE])
{
	const bool named = strcmp(path, "-") != 0;
	struct result loaded = { .cells = NULL };
	const char *schema;
	json_error_t where;
	size_t len = 0;
	json_t *top;
	char *text;
	int fd, status;

	fd = named ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	status = fd == -1 ? errno : read_file(fd, RESULT_FILE_MAX, &text, &len);
	if (named && fd != -1)
		close(fd);
	if (status != 0)
		return (format_error(status, error, RESULT_TEXT_SIZE, "%s",
		    strerror(status)));
	top = json_read(text, len, &where);
	free(text);
	if (top == NULL)
		return (format_wrong(error, RESULT_TEXT_SIZE, len == 0 ?
		    "it is empty: expected a result" : "line %d, column %d: %s",
		    where.line, where.column, where.text));
	schema = json_string_value(json_object_get(top, "schema"));
	status = schema == NULL || strcmp(schema, RESULT_SCHEMA) != 0 ?
	    format_wrong(error, RESULT_TEXT_SIZE, "schema: \"%.32s\", "
	    "expected \"" RESULT_SCHEMA "\"", schema == NULL ? "" : schema) :
	    field_read(result_document_fields, top, &loaded, 0, error);
	if (status == 0)
		status = result_check(&loaded, error);
	if (status == 0)
		*r = loaded;
	else
		result_free(&loaded);
	json_decref(top);
	return (status);
}

char *
result_format_json(const struct result *r)
{
	json_t *top = json_pack("{s:s}", "schema", RESULT_SCHEMA);

	json_object_update_new(top, field_format(result_document_fields, r, 0));
	return (json_document(top, JSON_INDENT(INDENT) |
	    JSON_REAL_PRECISION(RESULT_DIGITS)));
}

json_t *
result_format_head(const struct result *r)
{
	struct result head = *r;
	json_t *all;

	head.cell_count = head.control_count = 0;
	all = field_format(result_document_fields, &head, 0);
	json_object_update_new(all, field_format(result_host_fields, &r->host,
	    0));
	return (all);
}

void
result_free(struct result *r)
{
	field_free(result_document_fields, r);
	*r = (struct result){ .cells = NULL };
}

char *
json_document(json_t *root, size_t flags)
{
	char *text = json_dumps(root, flags);

	json_decref(root);
	text = xreallocarray(text, strlen(text) + 2, 1);
	return (strcat(text, "\n"));
}

void
json_print(FILE *out, json_t *root)
{
	char *text = json_document(root, JSON_INDENT(1) |
	    JSON_REAL_PRECISION(PRINTED_DIGITS));

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

const char *
json_add(struct text *t, const json_t *value)
{
	char *text = json_dumps(value, JSON_ENCODE_ANY |
	    JSON_REAL_PRECISION(9));

	text_add(t, "%.255s", text == NULL ? "unknown" : text);
	free(text);
	return (t->s);
}

json_t *
json_text_new(const char *text)
{
	json_t *value = json_string(text);
	char *copy;

	if (value != NULL)
		return (value);
	copy = xstrdup(text);
	for (char *c = copy; *c != '\0'; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	value = json_string(copy);
	free(copy);
	return (value);
}
