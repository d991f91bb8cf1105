/*
 * Marked text as HTML.
 */
#include <string.h>

#include "bench/page/page.h"

enum {
	LEFT_MAX	= 64,	/* columns whose alignment is kept */
	MARK_LEN	= 3	/* of a mark, such as "[a]" */
};

enum state {
	OUTSIDE,
	IN_TABLE,
	IN_PLAIN	/* lines as they are */
};

struct marked {
	FILE		*mk_out;
	enum state	 mk_state;
	bool		 mk_left[LEFT_MAX];
	unsigned	 mk_columns;	/* of the table */
	/* The line before, which may be a table's caption or a row in it. */
	const char	*mk_held;
	size_t		 mk_held_len;
};

/* The next text of a marked line; NULL after the last. */
static const char *
next_text(const char **at, size_t *len)
{
	const char *text = *at, *end = strchr(text, MARK_CELL);

	if (end == NULL || memchr(text, '\n', (size_t)(end - text)) != NULL)
		return (NULL);
	*at = end + 1;
	for (; text < end && *text == ' '; text++)
		continue;
	for (; end > text && end[-1] == ' '; end--)
		continue;
	*len = (size_t)(end - text);
	return (text);
}

static void
close_state(struct marked *mk)
{
	if (mk->mk_state == IN_TABLE)
		fputs("</tbody></table></div>\n", mk->mk_out);
	if (mk->mk_state == IN_PLAIN)
		fputs("</pre>\n", mk->mk_out);
	mk->mk_state = OUTSIDE;
}

/* A held line's text alone, in an element's content. */
static void
print_held_text(const struct marked *mk)
{
	const char *at = mk->mk_held, *text;
	size_t len;

	if (*at != MARK_TEXT) {
		page_escape(mk->mk_out, at, mk->mk_held_len);
		return;
	}
	at++;
	while ((text = next_text(&at, &len)) != NULL) {
		page_escape(mk->mk_out, text, len);
		fputc(' ', mk->mk_out);
	}
}

/* Whether blanks of a line that is not marked align it with others. */
static bool
is_plain(const char *line, size_t len)
{
	return (*line == ' ' || memmem(line, len, "  ", 2) != NULL);
}

/* What was held belongs to nothing that follows. */
static void
flush(struct marked *mk)
{
	const char *at = mk->mk_held, *first, *rest;
	size_t first_len, len;

	if (at == NULL)
		return;
	if (mk->mk_state == IN_TABLE)
		close_state(mk);
	if (*at == MARK_TEXT) {
		close_state(mk);
		at++;
		first = next_text(&at, &first_len);
		rest = next_text(&at, &len);
		if (first == NULL || rest == NULL)
			return;
		fputs(first_len == 0 ? "<p><b>" : first_len > MARK_LEN ?
		    "<p class=\"item\"><b>" : "<p class=\"item mark\"><b>",
		    mk->mk_out);
		page_escape(mk->mk_out, first, first_len);
		fputs("</b> <span>", mk->mk_out);
		page_escape(mk->mk_out, rest, len);
		fputs("</span></p>\n", mk->mk_out);
	} else if (is_plain(at, mk->mk_held_len)) {
		if (mk->mk_state != IN_PLAIN)
			fputs("<pre tabindex=\"0\">", mk->mk_out);
		mk->mk_state = IN_PLAIN;
		page_escape(mk->mk_out, at, mk->mk_held_len);
		fputc('\n', mk->mk_out);
	} else {
		close_state(mk);
		fputs("<p>", mk->mk_out);
		page_escape(mk->mk_out, at, mk->mk_held_len);
		fputs("</p>\n", mk->mk_out);
	}
	mk->mk_held = NULL;
}

static void
print_titles(struct marked *mk, const char *at)
{
	const char *text;
	bool left;
	size_t len;

	if (mk->mk_state != OUTSIDE)
		close_state(mk);
	fputs("<div class=\"table\" tabindex=\"0\"><table>\n", mk->mk_out);
	if (mk->mk_held != NULL) {
		fputs("<caption>", mk->mk_out);
		print_held_text(mk);
		fputs("</caption>\n", mk->mk_out);
	}
	mk->mk_held = NULL;
	mk->mk_state = IN_TABLE;
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

	if (mk->mk_held != NULL && mk->mk_state == IN_TABLE) {
		fprintf(mk->mk_out, "<tr><th scope=\"rowgroup\" colspan=\"%u\" "
		    "class=\"l\">", mk->mk_columns);
		print_held_text(mk);
		fputs("</th></tr>\n", mk->mk_out);
		mk->mk_held = NULL;
	}
	if (mk->mk_state != IN_TABLE)
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

void
page_marked(FILE *out, const char *text)
{
	struct marked mk = { .mk_out = out };
	const char *end;

	for (; *text != '\0'; text = end + (*end == '\n')) {
		end = text + strcspn(text, "\n");
		switch (*text) {
		case MARK_TITLES:
			print_titles(&mk, text + 1);
			continue;
		case MARK_ROW:
			print_row(&mk, text + 1);
			continue;
		default:
			break;
		}
		flush(&mk);
		if (end == text) {
			close_state(&mk);
			continue;
		}
		mk.mk_held = text;
		mk.mk_held_len = (size_t)(end - text);
	}
	flush(&mk);
	close_state(&mk);
}
