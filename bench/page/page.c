#include <openssl/evp.h>

#include "lib/base/embed.h"
#include "bench/page/page.h"

EMBED(style, "bench/page/page.css");
EMBED(script, "bench/page/page.js");

enum { MARK_LEN = 3 };	/* of a mark, such as "[a]" */

static const char end_of_table[] = "</tbody></table></div>\n";
static const char end_of_plain[] = "</pre>\n";

/* What a function prints, as far as it is on the page. */
struct printed {
	FILE		*pnt_out;
	const char	*pnt_end;	/* of the open element; "" outside */
	unsigned	 pnt_columns;	/* of the table */
	/* The line before, which may be a table's caption or a row in it. */
	char		*pnt_held;	/* NULL: none */
	char		*pnt_first;	/* of a paragraph; NULL: a plain line */
	/* Plain lines, and how much of them is on the page. */
	FILE		*pnt_plain;
	char		*pnt_text;
	size_t		 pnt_size, pnt_taken;
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

/* Without the blanks around it. */
static void
print_text(FILE *out, const char *text)
{
	size_t len;

	text += strspn(text, " ");
	for (len = strlen(text); len > 0 && text[len - 1] == ' '; len--)
		continue;
	page_escape(out, text, len);
}

/* Ends the open element and begins another, or none. */
static void
begin(struct printed *pt, const char *element, const char *end)
{
	fprintf(pt->pnt_out, "%s%s", pt->pnt_end, element);
	pt->pnt_end = end;
}

static void
hold(struct printed *pt, const char *first, const char *text)
{
	free(pt->pnt_first);
	free(pt->pnt_held);
	pt->pnt_first = first == NULL ? NULL : xstrdup(first);
	pt->pnt_held = text == NULL ? NULL : xstrdup(text);
}

/* Prints the text of the held line, if there is one, as an element. */
static void
print_held(struct printed *pt, const char *element, const char *end)
{
	if (pt->pnt_held == NULL)
		return;
	fputs(element, pt->pnt_out);
	if (pt->pnt_first != NULL) {
		print_text(pt->pnt_out, pt->pnt_first);
		fputc(' ', pt->pnt_out);
	}
	print_text(pt->pnt_out, pt->pnt_held);
	fputs(end, pt->pnt_out);
	hold(pt, NULL, NULL);
}

/* What was held belongs to nothing that follows. */
static void
flush(struct printed *pt)
{
	const char *first = pt->pnt_first, *held = pt->pnt_held;

	if (held == NULL)
		return;
	if (first != NULL) {
		begin(pt, first[strspn(first, " \n")] == '\0' ? "<p><b>" :
		    strlen(first) > MARK_LEN ? "<p class=\"item\"><b>" :
		    "<p class=\"item mark\"><b>", "");
		print_text(pt->pnt_out, first);
		fputs("</b> <span>", pt->pnt_out);
		print_text(pt->pnt_out, held);
		fputs("</span></p>\n", pt->pnt_out);
	/* Blanks of a plain line align it with others. */
	} else if (*held == ' ' || strstr(held, "  ") != NULL) {
		if (pt->pnt_end != end_of_plain)
			begin(pt, "<pre tabindex=\"0\">", end_of_plain);
		page_escape(pt->pnt_out, held, strlen(held));
		fputc('\n', pt->pnt_out);
	} else {
		begin(pt, "", "");
		print_held(pt, "<p>", "</p>\n");
	}
	hold(pt, NULL, NULL);
}

static void
print_titles(struct printed *pt, const struct column *columns, unsigned n,
    const char *const *texts)
{
	begin(pt, "<div class=\"table\" tabindex=\"0\"><table>\n",
	    end_of_table);
	print_held(pt, "<caption>", "</caption>\n");
	pt->pnt_columns = n;
	fputs("<thead><tr>", pt->pnt_out);
	for (unsigned i = 0; i < n; i++) {
		fprintf(pt->pnt_out, "<th scope=\"col\"%s>",
		    columns[i].width < 0 ? " class=\"l\"" : "");
		print_text(pt->pnt_out, texts[i]);
		fputs("</th>", pt->pnt_out);
	}
	fputs("</tr></thead>\n<tbody>\n", pt->pnt_out);
}

static void
print_row(struct printed *pt, const struct column *columns, unsigned n,
    const char *const *texts)
{
	if (pt->pnt_end == end_of_table)
		print_held(pt, FORMATF("<tr><th scope=\"rowgroup\" "
		    "colspan=\"%u\" class=\"l\">", pt->pnt_columns),
		    "</th></tr>\n");
	else
		print_titles(pt, columns, 0, texts);
	fputs("<tr>", pt->pnt_out);
	for (unsigned i = 0; i < n; i++) {
		fprintf(pt->pnt_out, "<%s%s>", i == 0 ? "th scope=\"row\"" :
		    "td", columns[i].width < 0 ? " class=\"l\"" : "");
		print_text(pt->pnt_out, texts[i] != NULL ? texts[i] : "-");
		fputs(i == 0 ? "</th>" : "</td>", pt->pnt_out);
	}
	/* Columns that a row leaves out at its end. */
	for (unsigned i = n; i < pt->pnt_columns; i++)
		fputs("<td></td>", pt->pnt_out);
	fputs("</tr>\n", pt->pnt_out);
}

static void
take_plain(struct printed *pt)
{
	char *line;
	size_t len;

	fflush(pt->pnt_plain);
	for (; pt->pnt_taken < pt->pnt_size; pt->pnt_taken += len + 1) {
		line = pt->pnt_text + pt->pnt_taken;
		len = strcspn(line, "\n");
		KASSERT(pt->pnt_taken + len < pt->pnt_size, ("half a line"));
		flush(pt);
		line[len] = '\0';
		if (len == 0)
			begin(pt, "", "");
		else
			hold(pt, NULL, line);
	}
}

static void
take(void *context, enum format_line line, const struct column *columns,
    unsigned n, const char *const *texts)
{
	struct printed *pt = context;

	take_plain(pt);
	if (line == LINE_TITLES)
		print_titles(pt, columns, n, texts);
	else if (line == LINE_ROW)
		print_row(pt, columns, n, texts);
	else {
		flush(pt);
		hold(pt, texts[0], texts[1]);
	}
}

void
page_printed(FILE *out, page_printer *print, const void *of)
{
	struct printed pt = { .pnt_out = out, .pnt_end = "" };

	pt.pnt_plain = xmemstream(&pt.pnt_text, &pt.pnt_size);
	format_divert(pt.pnt_plain, take, &pt);
	print(pt.pnt_plain, of);
	format_divert(NULL, NULL, NULL);
	take_plain(&pt);
	flush(&pt);
	begin(&pt, "", "");
	xmemclose(pt.pnt_plain);
	free(pt.pnt_text);
}
