/*
 * Documents as text, and texts in documents.  jansson's functions find memory,
 * or end the program: command_execute() sees to that.
 */
#ifndef BENCH_RESULT_JSON_TEXT_H
#define BENCH_RESULT_JSON_TEXT_H

#include <jansson.h>
#include <stdio.h>

/* A document, which is released, as text with a newline at the end. */
char *json_document(json_t *root, size_t flags);

/* Prints that, indented by 1. */
void json_print(FILE *out, json_t *root, unsigned digits);

/* An array of element(of, 0..n - 1). */
json_t *json_list(unsigned n, json_t *(*element)(const void *of, unsigned i),
    const void *of);

/* A string; bytes above 0x7f become '?' in a text that is not UTF-8. */
json_t *json_text_new(const char *text);

#endif
