#include "bench/cli/format.h"

enum { UTF8_FOLLOW_MAX = 3 };	/* bytes of a character behind its first */

const char *
format_real(char buf[FORMAT_SIZE], double v)
{
	static const char *const suffixes[] = { "M", "G", "T", "P" };
	unsigned s = 0;

	KASSERT(v >= 0 && isfinite(v), ("%g in a table", v));
	/* Three digits of exponent would not fit. */
	if (v < 1e-99)
		v = 0;
	v = MIN(v, 9.9e99);
	if (v < 999999.5) {
		snprintf(buf, FORMAT_SIZE, v > 0 && v < 0.001 ? "%.1e" :
		    v == 0 || v >= 9999.5 ? "%.0f" : v < 0.0995 ? "%.4f" :
		    v < 9.995 ? "%.2f" : "%.1f", v);
		return (buf);
	}
	/* As rounded: 999.95 M is 1.0 G. */
	for (v /= 1e6; v >= 999.95 && s < 3; s++)
		v /= 1000;
	snprintf(buf, FORMAT_SIZE, v < 999.95 ? "%.1f%s" : "%.0e%s", v,
	    suffixes[s]);
	return (buf);
}

const char *
format_count(char buf[FORMAT_SIZE], double v)
{
	KASSERT(v >= 0, ("%g counted", v));
	if (v >= 999999.5)
		return (format_real(buf, v));
	snprintf(buf, FORMAT_SIZE, "%.0f", v);
	return (buf);
}

const char *
format_percent(char buf[FORMAT_SIZE], double v)
{
	KASSERT(v >= 0 && isfinite(v), ("%g in a table", v));
	snprintf(buf, FORMAT_SIZE, v >= 9999.5 ? ">9999" : v == 0 ||
	    v >= 99.95 ? "%.0f" : v < 0.995 ? "%.2f" : "%.1f", v);
	return (buf);
}

const char *
format_change(char buf[FORMAT_SIZE], double share)
{
	double v = 100 * share;

	snprintf(buf, FORMAT_SIZE, fabs(v) >= 999999.5 ? "%+.1e" :
	    fabs(v) < 0.995 ? "%+.2f" : fabs(v) < 99.95 ? "%+.1f" : "%+.0f", v);
	return (buf);
}

const char *
format_ns(char buf[FORMAT_SIZE], double ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	unsigned u = 0;

	KASSERT(ns >= 0 && isfinite(ns), ("%g ns", ns));
	/* As rounded: 999.6 ns is 1.00 us. */
	for (; ns >= 999.5 && u < 3; u++)
		ns /= 1000;
	snprintf(buf, FORMAT_SIZE, ns >= 99999.5 ? "%.0e%s" : u == 0 || ns >=
	    99.95 ? "%.0f%s" : ns >= 9.995 ? "%.1f%s" : "%.2f%s", ns, units[u]);
	return (buf);
}

const char *
format_whole(char buf[32], uint64_t v, const char *const *unit)
{
	for (; v != 0 && v % 1024 == 0 && unit[1] != NULL; unit++)
		v /= 1024;
	snprintf(buf, 32, "%" PRIu64 "%s", v, *unit);
	return (buf);
}

/* Pages are made one at a time, by the thread that runs the command. */
static FILE *diverted;
static format_taker *taker;
static void *taker_context;

void
format_divert(FILE *out, format_taker *take, void *context)
{
	diverted = out;
	taker = take;
	taker_context = context;
}

void
format_wrap(FILE *out, const char *first, int indent, const char *text)
{
	const size_t columns = FORMAT_COLUMNS, start = (size_t)indent;
	size_t begin, column = strlen(first), len;

	if (out == diverted) {
		taker(taker_context, LINE_TEXT, NULL, 2,
		    (const char *const[]){ first, text });
		return;
	}
	KASSERT(column < columns && start < columns, ("no room"));
	fputs(first, out);
	begin = column == 0 ? 0 : column < start ? start : column + 1;
	fprintf(out, "%*s", (int)(begin - column), "");
	column = begin;
	for (;; text += len) {
		text += strspn(text, " ");
		if ((len = strcspn(text, " ")) == 0)
			break;
		if (column > begin && column + 1 + len > columns) {
			fprintf(out, "\n%*s", indent, "");
			column = begin = start;
		} else if (column > begin) {
			fputc(' ', out);
			column++;
		}
		/* A word longer than a line is cut where the line ends. */
		len = MIN(len, columns - column);
		fwrite(text, 1, len, out);
		column += len;
	}
	fputc('\n', out);
}

const char *
format_cell(char buf[FORMAT_CELL], const char *fmt, ...)
{
	VFORMAT(buf, FORMAT_CELL, fmt);
	return (buf);
}

void
format_quoted(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text != '\0'; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

void
format_word(FILE *out, const char *word)
{
	if (word[0] != '\0' && word[strspn(word, "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%")] == '\0') {
		fputs(word, out);
		return;
	}
	fputc('\'', out);
	for (const char *c = word; *c != '\0'; c++)
		fputs(*c == '\'' ? "'\\''" : (char[]){ *c, '\0' }, out);
	fputc('\'', out);
}

void
columns_row(FILE *out, const struct column *columns, unsigned n,
    const char *const *texts)
{
	char *line = NULL;
	size_t len;
	FILE *row;

	if (out == diverted) {
		taker(taker_context, LINE_ROW, columns, n, texts);
		return;
	}
	row = xmemstream(&line, &len);
	/* A precision below 0 is none. */
	for (unsigned i = 0; i < n; i++)
		fprintf(row, "%s%*.*s", i > 0 ? " " : "", columns[i].width,
		    -columns[i].width - (columns[i].width == 0),
		    texts[i] != NULL ? texts[i] : "-");
	xmemclose(row);
	/* Blanks at the end of a line are left out. */
	while (len > 0 && line[len - 1] == ' ')
		len--;
	fprintf(out, "%.*s\n", (int)len, line);
	free(line);
}

void
columns_titles(FILE *out, const struct column *columns, unsigned n)
{
	const char *texts[FORMAT_TABLE_MAX];

	MPASS(n <= FORMAT_TABLE_MAX);
	for (unsigned i = 0; i < n; i++)
		texts[i] = columns[i].title;
	if (out == diverted)
		taker(taker_context, LINE_TITLES, columns, n, texts);
	else
		columns_row(out, columns, n, texts);
}

void
utf8_truncate(char *text)
{
	size_t at = strlen(text), follow = 0, needed;
	unsigned char first;

	for (; at > 0 && follow < UTF8_FOLLOW_MAX &&
	    ((unsigned char)text[at - 1] & 0xc0) == 0x80; at--)
		follow++;
	first = at == 0 ? 0 : (unsigned char)text[at - 1];
	needed = first > 0xf4 ? 0 : first >= 0xf0 ? 3 : first >= 0xe0 ? 2 :
	    first >= 0xc2;
	if (needed > follow)
		text[at - 1] = '\0';
}

const char *
text_add(struct text *t, const char *fmt, ...)
{
	const size_t len = strlen(t->s);

	VFORMAT(t->s + len, FORMAT_TEXT - len, fmt);
	utf8_truncate(t->s);
	return (t->s);
}

void
text_clean(char *text)
{
	for (char *c = text; *c != '\0'; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = ' ';
}
