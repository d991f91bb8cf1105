#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/embed.h"
#include "bench/cli/memory.h"
#include "bench/page/page.h"

EMBED(style, "bench/page/page.css");
EMBED(script, "bench/page/page.js");

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
	if (EVP_Digest(embedded_script, strlen(embedded_script), digest, &len,
	    EVP_sha256(), NULL) != 1)
		no_memory();
	EVP_EncodeBlock(hash, digest, (int)len);
	fprintf(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	    "<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\""
	    "width=device-width, initial-scale=1\">\n"
	    "<meta http-equiv=\"Content-Security-Policy\" content=\""
	    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
	    "script-src 'sha256-%s'\">\n", hash);
	page_paragraph(out, "title", title);
	fprintf(out, "<style>\n%s</style>\n</head>\n<body class=\"%s\">\n"
	    "<header>\n<p class=\"claim\"><strong>%s</strong> ", embedded_style,
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
	    "</html>\n", embedded_script);
}

void
page_section(FILE *out, const char *id, const char *title)
{
	fprintf(out, "</section>\n<section id=\"%s\">\n", id);
	page_paragraph(out, "h2", title);
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

void
page_picture(FILE *out, const char *svg, size_t size)
{
	unsigned char *text = xmalloc(size / 3 * 4 + 8);

	EVP_EncodeBlock(text, (const unsigned char *)svg, (int)size);
	fprintf(out, "<img alt=\"Chart; the tables have its figures\" "
	    "src=\"data:image/svg+xml;base64,%s\">\n", text);
	free(text);
}
