#include <openssl/evp.h>

#include "lib/base/embed.h"
#include "bench/page/page.h"

EMBED(style, "bench/page/page.css");
EMBED(script, "bench/page/page.js");

enum {
	LEFT_MAX	= 64,	/* columns whose alignment is kept */
	MARK_LEN	= 3	/* of a mark, such as "[a]" */
};

static const char end_of_table[] = "</tbody></table></div>\n";
static const char end_of_plain[] = "</pre>\n";

struct marked {
	FILE		*mk_out;
	const char	*mk_end;	/* of the open element; "" outside */
	bool		 mk_left[LEFT_MAX];
	unsigned	 mk_columns;	/* of the table */
	/* The line before, which may be a table's caption or a row in it. */
	const char	*mk_held;
	size_t		 mk_held_len;
};

static const struct {
	const char	*cl_class, *cl_word;
} claims[] = {
	[RESULT_EMPTY] = { "empty", "Empty: nothing was measured" },
	[RESULT_MEASURED] = { "measured", "Measured" },
	[RESULT_PREDICTED] = { "predicted", "Predicted, not measured" },
	[RESULT_BOTH] = { "predicted", "Some measured, some predicted" },
	[RESULT_CHECKED] = { "checked", "Checked" },
	[RESULT_FAILED] = { "failed", "Failed" }
};

void
page_escape(FILE *out, const char *text, size_t len)
{
	for (const char *end = text + len; text < end; text++)
		if (*text != '\0' && strchr("<>&\"'", *text) != NULL)
			fprintf(out, "&#%d;", *text);
		else
			/* Other control characters may not be in HTML. */
			fputc((unsigned char)*text >= ' ' || *text == '\n' ||
			    *text == '\t' ? *text : ' ', out);
}

void
page_paragraph(FILE *out, const char *element, const char *text)
{
	fprintf(out, "<%s>", element);
	page_escape(out, text, strlen(text));
	fprintf(out, "</%.*s>\n", (int)strcspn(element, " "), element);
}

void
page_begin(FILE *out, const char *title, enum result_kind claim,
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
	    "default-src 'none'; style-src 'unsafe-inline'; "
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

/* The next text of a marked line; NULL after the last. */
static const char *
next_text(const char **at, size_t *len)
{
	const char *text = *at, *end = strpbrk(text, (char[]){ MARK_CELL,
	    '\n', '\0' });

	if (end == NULL || *end == '\n')
		return (NULL);
	*at = end + 1;
	for (; text < end && *text == ' '; text++)
		continue;
	for (; end > text && end[-1] == ' '; end--)
		continue;
	*len = (size_t)(end - text);
	return (text);
}

/* Ends the open element and begins another, or none. */
static void
begin(struct marked *mk, const char *element, const char *end)
{
	fprintf(mk->mk_out, "%s%s", mk->mk_end, element);
	mk->mk_end = end;
}

/* Prints the text of the held line, if there is one, as an element. */
static void
print_held(struct marked *mk, const char *element, const char *end)
{
	const char *at = mk->mk_held, *text;
	size_t len;

	if (at == NULL)
		return;
	fputs(element, mk->mk_out);
	if (*at != MARK_TEXT)
		page_escape(mk->mk_out, at, mk->mk_held_len);
	else
		for (at++; (text = next_text(&at, &len)) != NULL;) {
			page_escape(mk->mk_out, text, len);
			fputc(' ', mk->mk_out);
		}
	fputs(end, mk->mk_out);
	mk->mk_held = NULL;
}

/* What was held belongs to nothing that follows. */
static void
flush(struct marked *mk)
{
	const char *at = mk->mk_held, *text;
	size_t len = 0;

	if (at == NULL)
		return;
	if (*at == MARK_TEXT) {
		at++;
		text = next_text(&at, &len);
		begin(mk, len == 0 ? "<p><b>" : len > MARK_LEN ?
		    "<p class=\"item\"><b>" : "<p class=\"item mark\"><b>",
		    "</span></p>\n");
		page_escape(mk->mk_out, text, len);
		fputs("</b> <span>", mk->mk_out);
		text = next_text(&at, &len);
		page_escape(mk->mk_out, text, len);
		begin(mk, "", "");
		mk->mk_held = NULL;
	/* Blanks of a line that is not marked align it with others. */
	} else if (*at == ' ' || memmem(at, mk->mk_held_len, "  ", 2) != NULL) {
		if (mk->mk_end != end_of_plain)
			begin(mk, "<pre tabindex=\"0\">", end_of_plain);
		print_held(mk, "", "\n");
	} else {
		begin(mk, "", "");
		print_held(mk, "<p>", "</p>\n");
	}
}

static void
print_titles(struct marked *mk, const char *at)
{
	const char *text;
	bool left;
	size_t len;

	begin(mk, "<div class=\"table\" tabindex=\"0\"><table>\n",
	    end_of_table);
	print_held(mk, "<caption>", "</caption>\n");
	mk->mk_columns = 0;
	fputs("<thead><tr>", mk->mk_out);
	while ((text = next_text(&at, &len)) != NULL) {
		left = *text == MARK_LEFT;
		if (mk->mk_columns < LEFT_MAX)
			mk->mk_left[mk->mk_columns++] = left;
		fprintf(mk->mk_out, "<th scope=\"col\"%s>",
		    left ? " class=\"l\"" : "");
		page_escape(mk->mk_out, text + left, len - left);
		fputs("</th>", mk->mk_out);
	}
	fputs("</tr></thead>\n<tbody>\n", mk->mk_out);
}

static void
print_row(struct marked *mk, const char *at)
{
	const char *text;
	unsigned i = 0;
	size_t len;

	if (mk->mk_end == end_of_table)
		print_held(mk, FORMATF("<tr><th scope=\"rowgroup\" "
		    "colspan=\"%u\" class=\"l\">", mk->mk_columns),
		    "</th></tr>\n");
	else
		print_titles(mk, "");
	fputs("<tr>", mk->mk_out);
	for (; (text = next_text(&at, &len)) != NULL; i++) {
		fputs(i == 0 ? "<th scope=\"row\"" : "<td", mk->mk_out);
		fputs(i < mk->mk_columns && mk->mk_left[i] ? " class=\"l\">" :
		    ">", mk->mk_out);
		page_escape(mk->mk_out, text, len);
		fputs(i == 0 ? "</th>" : "</td>", mk->mk_out);
	}
	/* Columns that a row leaves out at its end. */
	for (; i < mk->mk_columns; i++)
		fputs("<td></td>", mk->mk_out);
	fputs("</tr>\n", mk->mk_out);
}

static void
print_marked(FILE *out, const char *text)
{
	struct marked mk = { .mk_out = out, .mk_end = "" };
	const char *end;

	for (; *text != '\0'; text = end + (*end == '\n')) {
		end = text + strcspn(text, "\n");
		if (*text == MARK_TITLES)
			print_titles(&mk, text + 1);
		else if (*text == MARK_ROW)
			print_row(&mk, text + 1);
		else {
			flush(&mk);
			if (end == text)
				begin(&mk, "", "");
			else
				mk.mk_held = text;
			mk.mk_held_len = (size_t)(end - text);
		}
	}
	flush(&mk);
	begin(&mk, "", "");
}

void
page_printed(FILE *out, page_printer *print, const void *of)
{
	char *text = NULL;
	size_t size;
	FILE *marked = xmemstream(&text, &size);

	format_mark(marked);
	print(marked, of);
	format_mark(NULL);
	xmemclose(marked);
	print_marked(out, text);
	free(text);
}
