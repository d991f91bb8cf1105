/*
 * The document in a page; see page_data() in bench/page/page.h.
 */
#include <ctype.h>
#include <errno.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "bench/cli/memory.h"
#include "bench/result/json_text.h"
#include "bench/result/result.h"

static const char start[] = "<script type=\"application/json\" "
    "id=\"rngsim-result";
static const char packed_start[] = "\" data-deflate=\"";

/* Text of that size from base64 of it compressed; NULL: it is none. */
static char *
unpack(const char *text, size_t len, size_t size)
{
	unsigned char *packed = xmalloc(len + 1);
	char *out = xmalloc(size + 1);
	uLongf have = size;
	int n;

	n = EVP_DecodeBlock(packed, (const unsigned char *)text, (int)len);
	/* Padding is decoded too; it is behind the end. */
	if (n > 0 && uncompress((Bytef *)out, &have, packed, (uLong)n) ==
	    Z_OK && have == size) {
		out[size] = '\0';
	} else {
		free(out);
		out = NULL;
	}
	free(packed);
	return (out);
}

/* Moves the document to the start of the text. */
static int
extract(char **text, size_t *len, const char *at)
{
	const char *end = strstr(at, "</script>");
	unsigned long size;
	char *after, *out;

	if (end == NULL)
		return (EINVAL);
	if (strncmp(at, "\">", 2) == 0) {
		*len = (size_t)(end - at) - 2;
		memmove(*text, at + 2, *len);
		return (0);
	}
	if (strncmp(at, packed_start, sizeof(packed_start) - 1) != 0)
		return (EINVAL);
	at += sizeof(packed_start) - 1;
	errno = 0;
	size = strtoul(at, &after, 10);
	if (errno != 0 || !isdigit((unsigned char)*at) || size == 0 || size >
	    RESULT_FILE_MAX || strncmp(after, "\">", 2) != 0 ||
	    (end - after - 2) % 4 != 0)
		return (EINVAL);
	out = unpack(after + 2, (size_t)(end - after) - 2, size);
	if (out == NULL)
		return (EINVAL);
	free(*text);
	*text = out;
	*len = size;
	return (0);
}

int
json_unpage(char **text, size_t *len, char *error)
{
	const char *at;
	int status;

	if (*len == 0 || strncmp(*text, "<!DOCTYPE html>", 15) != 0)
		return (0);
	at = strstr(*text, start);
	if (at == NULL || strstr(at + 1, start) != NULL) {
		snprintf(error, RESULT_TEXT_SIZE, "a page that holds %s: "
		    "expected a page of one result", at == NULL ? "no result" :
		    "two results");
		return (EINVAL);
	}
	status = extract(text, len, at + sizeof(start) - 1);
	if (status != 0)
		snprintf(error, RESULT_TEXT_SIZE, "the result in this page is "
		    "damaged");
	return (status);
}
