#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "bench/cli/memory.h"
#include "bench/page/page.h"
#include "bench/report/plot.h"

GNUPLOT_SCRIPT(style, "bench/page/page.css");
GNUPLOT_SCRIPT(script, "bench/page/page.js");

static const struct {
	const char	*cl_class;
	const char	*cl_word;
} claims[] = {
	[PAGE_EMPTY] = { "empty", "Empty: nothing was measured" },
	[PAGE_MEASURED] = { "measured", "Measured" },
	[PAGE_PREDICTED] = { "predicted", "Predicted, not measured" },
	[PAGE_BOTH] = { "predicted", "Some measured, some predicted" },
	[PAGE_CHECKED] = { "checked", "Checked" }
};

void
page_escape(FILE *out, const char *text, size_t len)
{
	const char *end = text + len;

	for (; text < end; text++)
		switch (*text) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			/* Other control characters may not be in HTML. */
			fputc((unsigned char)*text >= ' ' || *text == '\n' ||
			    *text == '\t' ? *text : ' ', out);
		}
}

void
page_paragraph(FILE *out, const char *element, const char *text)
{
	fprintf(out, "<%s>", element);
	page_escape(out, text, strlen(text));
	fprintf(out, "</%.*s>\n", (int)strcspn(element, " "), element);
}

void
page_begin(FILE *out, const char *title, enum page_claim claim,
    const char *line)
{
	unsigned char digest[EVP_MAX_MD_SIZE], hash[2 * EVP_MAX_MD_SIZE];
	unsigned len;

	/* No other script runs, whatever a file brings into the page. */
	if (EVP_Digest(script_script, strlen(script_script), digest, &len,
	    EVP_sha256(), NULL) != 1)
		no_memory();
	EVP_EncodeBlock(hash, digest, (int)len);
	fprintf(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	    "<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\""
	    "width=device-width, initial-scale=1\">\n"
	    "<meta http-equiv=\"Content-Security-Policy\" content=\""
	    "default-src 'none'; style-src 'unsafe-inline'; "
	    "script-src 'sha256-%s'\">\n", hash);
	page_paragraph(out, "title", title);
	fprintf(out, "<style>\n%s</style>\n</head>\n<body class=\"%s\">\n"
	    "<header>\n<p class=\"claim\"><strong>%s</strong> ", script_style,
	    claims[claim].cl_class, claims[claim].cl_word);
	page_escape(out, line, strlen(line));
	fputs("</p>\n", out);
	page_paragraph(out, "h1", title);
	fputs("</header>\n<main>\n<section>\n", out);
}

void
page_end(FILE *out)
{
	fprintf(out, "</section>\n</main>\n<script>%s</script>\n</body>\n"
	    "</html>\n", script_script);
}

void
page_section(FILE *out, const char *id, const char *title)
{
	fprintf(out, "</section>\n<section id=\"%s\">\n", id);
	page_paragraph(out, "h2", title);
}

void
page_fold(FILE *out, const char *summary)
{
	fputs("<details>", out);
	page_paragraph(out, "summary", summary);
}

void
page_unfold(FILE *out)
{
	fputs("</details>\n", out);
}

void
page_printed(FILE *out, page_printer *print, const void *of)
{
	char *text = NULL;
	FILE *marked;
	size_t size;

	marked = xmemstream(&text, &size);
	format_mark(marked);
	print(marked, of);
	format_mark(NULL);
	xmemclose(marked);
	page_marked(out, text);
	free(text);
}

/* Base64 of compressed text. */
static void
print_packed(FILE *out, const char *name, const char *json, size_t len)
{
	uLongf packed_len = compressBound(len);
	unsigned char *packed = xmalloc(packed_len), *text;

	if (compress(packed, &packed_len, (const Bytef *)json, len) != Z_OK)
		no_memory();
	text = xmalloc(packed_len / 3 * 4 + 8);
	EVP_EncodeBlock(text, packed, (int)packed_len);
	fprintf(out, "<script type=\"application/json\" id=\"%s\" "
	    "data-deflate=\"%zu\">%s</script>\n", name, len, text);
	free(packed);
	free(text);
}

void
page_data(FILE *out, const char *name, const char *json)
{
	size_t len = 0;
	char *text = xmalloc(strlen(json) + 1);

	/* Line breaks are between tokens only; so is the indent behind them. */
	for (size_t i = 0; json[i] != '\0'; i++)
		if (json[i] == '\n')
			i += strspn(json + i + 1, " ");
		else
			text[len++] = json[i];
	text[len] = '\0';
	if (len > RESULT_PAGE_PLAIN_MAX) {
		print_packed(out, name, text, len);
	} else {
		fprintf(out, "<script type=\"application/json\" id=\"%s\">",
		    name);
		/* Only in strings, and the one way out of this element. */
		for (size_t i = 0; i < len; i++)
			if (text[i] == '<')
				fputs("\\u003c", out);
			else
				fputc(text[i], out);
		fputs("</script>\n", out);
	}
	free(text);
}
