/*
 * JSON documents of calibrate, validate and reproduce.
 */
#ifndef BENCH_PREDICT_DOCUMENT_H
#define BENCH_PREDICT_DOCUMENT_H

#include <stdio.h>

#include <jansson.h>

/* A list of element(of, 0..n - 1); NULL when there is no memory. */
json_t *document_list(unsigned n,
    json_t *(*element)(const void *of, unsigned i), const void *of);

/*
 * The text of a document, which is released.
 *
 *   root    in  or NULL
 *   digits  in  of real numbers
 *
 * Returns: the text, to be freed; NULL when there was no memory, or no root.
 */
char *document_text(json_t *root, unsigned digits);

/* Prints that text; 0 or ENOMEM. */
int document_print(FILE *out, json_t *root, unsigned digits);

#endif
