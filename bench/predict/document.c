#include <errno.h>
#include <stdlib.h>

#include "bench/predict/document.h"
#include "bench/result/json_text.h"

json_t *
document_list(unsigned n, json_t *(*element)(const void *of, unsigned i),
    const void *of)
{
	json_t *list = json_array();
	unsigned i;

	for (i = 0; list != NULL && i < n; i++) {
		/* Fails for NULL, an element without memory. */
		if (json_array_append_new(list, element(of, i)) != 0) {
			json_decref(list);
			list = NULL;
		}
	}
	return (list);
}

char *
document_text(json_t *root, unsigned digits)
{
	char *text = NULL;

	if (root != NULL)
		text = json_text(root, JSON_INDENT(1) |
		    JSON_REAL_PRECISION(digits));
	json_decref(root);
	return (text);
}

int
document_print(FILE *out, json_t *root, unsigned digits)
{
	char *text = document_text(root, digits);

	if (text == NULL)
		return (ENOMEM);
	fprintf(out, "%s\n", text);
	free(text);
	return (0);
}
