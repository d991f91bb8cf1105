/* Figures, texts and tables as people read them, on a terminal. */
#pragma once

#include "lib/base/base.h"

enum {
	FORMAT_SIZE	= 16,	/* of a buffer for any one figure */
	FORMAT_WIDTH	= 7,	/* longest format_real() and format_ns() */
	FORMAT_COLUMNS	= 80,	/* of a line */
	FORMAT_CELL	= 512,	/* of a buffer for a table's cell */
	FORMAT_TABLE_MAX = 16,	/* columns of a table */
	FORMAT_TEXT	= 4096
};

/* A number of 0 or more in three or four digits: "0.012", "431.5". */
const char *format_real(char buf[FORMAT_SIZE], double v);

/* The same for a count: whole as long as six digits hold it. */
const char *format_count(char buf[FORMAT_SIZE], double v);

/* The same for percentages, at most five wide: "3.4", "88.1", ">9999". */
const char *format_percent(char buf[FORMAT_SIZE], double v);

/* A duration: "320ns", "12.3us", "4.56ms", "1.20s". */
const char *format_ns(char buf[FORMAT_SIZE], double ns);

/* A change of a share in percent, with its sign: "+0.31", "-3.0", "+109". */
const char *format_change(char buf[FORMAT_SIZE], double share);

/* In the largest of these units, each 1024 of the last, that makes it whole. */
const char *format_whole(char buf[32], uint64_t v, const char *const *unit);

/* A size: "100 B", "64 KiB"; the same as it is typed: 65536 is "64k". */
#define	format_bytes(buf, n)	format_whole(buf, n,			\
	(const char *const[]){ " B", " KiB", " MiB", " GiB", NULL })
#define	format_size(buf, n)	format_whole(buf, n,			\
	(const char *const[]){ "", "k", "m", "g", NULL })

/* What printf(3) would print, cut at FORMAT_CELL bytes. */
const char *format_cell(char buf[FORMAT_CELL], const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints what is wrong, cut at that size.  Returns: error; or EINVAL. */
#define	format_error(error, why, size, ...)				\
	((void)snprintf(why, size, __VA_ARGS__), (error))
#define	format_wrong(...)	format_error(EINVAL, __VA_ARGS__)

/*
 * FORMAT(real, v) is format_real(v), FORMATF() format_cell(), in a buffer that
 * lasts until the enclosing block ends, also that of an if or a switch.
 */
#define	FORMAT(kind, v)	format_##kind((char[32]){ 0 }, v)
#define	FORMATF(...)	format_cell((char[FORMAT_CELL]){ 0 }, __VA_ARGS__)

/* "" for 1, "s" for any other number. */
#define	PLURAL(n)	((n) == 1 ? "" : "s")

/* Prints text in quotes, for CSV: quotes in it are doubled, RFC 4180. */
void format_quoted(FILE *out, const char *text);

/* Prints a word of a command line, quoted where a shell needs that. */
void format_word(FILE *out, const char *word);

/*
 * Print a paragraph, broken so that no line exceeds FORMAT_COLUMNS.  The first
 * line begins with first, the others with indent spaces.  What printf(3) would
 * make is cut at FORMAT_TEXT bytes.
 */
void format_wrap(FILE *out, const char *first, int indent, const char *text);
#define	format_wrapf(out, first, indent, ...)				\
	format_wrap(out, first, indent, TEXT_OF(text_add, __VA_ARGS__))

/*
 * A column of a table.  A blank separates it from the one before.  Text of
 * width 0 or more is printed whole, at the right end of the column; below 0 at
 * the left end, cut at -width bytes.
 */
struct column {
	const char	*title;
	int		 width;
};

/* Prints the titles of n columns, and a row's texts; NULL is "-". */
void columns_titles(FILE *out, const struct column *columns, unsigned n);
void columns_row(FILE *out, const struct column *columns, unsigned n,
    const char *const *texts);

/* The same for an array of columns, with a row's texts as arguments. */
#define	COLUMNS_TITLES(out, columns)					\
	columns_titles(out, columns, nitems(columns))
#define	COLUMNS_ROW(out, columns, ...)					\
	columns_row(out, columns, nitems(columns),			\
	    (const char *const[]){ __VA_ARGS__ })

/*
 * What columns_titles(), columns_row() and format_wrap() would print to out is
 * given to a function, for a page: texts as these got them.  NULL ends it.
 */
enum format_line { LINE_TITLES, LINE_ROW, LINE_TEXT };

/* LINE_TEXT has no columns, but what it begins with and the rest. */
typedef void format_taker(void *context, enum format_line line,
    const struct column *columns, unsigned n, const char *const *texts);

void format_divert(FILE *out, format_taker *take, void *context);

/* A text that grows by pieces; starts as { .s = "" }. */
struct text {
	char	s[FORMAT_TEXT];
};

/*
 * Append, and return t->s; what does not fit is cut, at a UTF-8 character's
 * end.  text_list() adds ", " before it where the text is not empty.
 */
const char *text_add(struct text *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
#define	text_list(t, ...)						\
	(text_add(t, "%s", (t)->s[0] == '\0' ? "" : ", "),		\
	    text_add(t, __VA_ARGS__))

/* A new text, of what such a function adds, in a buffer as FORMAT() has it. */
#define	TEXT_OF(add, ...)	add(&(struct text){ .s = "" }, __VA_ARGS__)

/* Remove an incomplete UTF-8 character from the end; control characters. */
void utf8_truncate(char *text);
void text_clean(char *text);
