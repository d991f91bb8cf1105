/*
 * Documents as text, and texts in documents.
 */
#ifndef BENCH_RESULT_JSON_TEXT_H
#define BENCH_RESULT_JSON_TEXT_H

#include <jansson.h>
#include <stdio.h>

/*
 * As json_dumps(), which in jansson 2.14 silently leaves out a key for which
 * there is no memory.
 *
 * Returns: the text, to be freed; NULL when there was no memory, or no value.
 */
char *json_text(const json_t *value, size_t flags);

/* The same of a document, which is released, with a newline at the end. */
char *json_document(json_t *root, size_t flags);

/* Prints that, indented by 1; returns 0 or ENOMEM. */
int json_print(FILE *out, json_t *root, unsigned digits);

/* Appends to an array, which becomes NULL without memory: json_pack() fails. */
void json_append(json_t **array, json_t *element);

/* An array of element(of, 0..n - 1); NULL without memory. */
json_t *json_list(unsigned n, json_t *(*element)(const void *of, unsigned i),
    const void *of);

/*
 * As json_loadb() with JSON_REJECT_DUPLICATES, which in jansson 2.14 reads past
 * the end of a token for which there was no memory.  Nothing is left allocated
 * on failure.
 *
 *   where  out  on failure; its text is empty when there was no memory
 */
json_t *json_parse(const char *text, size_t size, json_error_t *where);

/*
 * Replaces a page by the document that it holds; other text stays as it is.
 *
 *   error  out  on failure: what is wrong, RESULT_TEXT_SIZE bytes
 *
 * Returns: 0, EINVAL or ENOMEM.
 */
int json_unpage(char **text, size_t *len, char *error);

/* A string; bytes above 0x7f become '?' in a text that is not UTF-8. */
json_t *json_text_new(const char *text);

#endif
