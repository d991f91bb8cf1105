#include "lib/base/lines.h"

int
lines_fail(struct lines *li, int error, bool line, const char *fmt, ...)
{
	int n;

	if (li->li_error != 0)
		return (li->li_error);
	li->li_error = error;
	n = snprintf(li->li_message, LINES_ERROR_SIZE, line ? "%.200s:%" PRIu64
	    ": " : "%.200s: ", li->li_name, li->li_number);
	VFORMAT(li->li_message + n, LINES_ERROR_SIZE - (size_t)n, fmt);
	return (error);
}

int
lines_open(struct lines *li, const char *path, char *message)
{
	const bool named = strcmp(path, "-") != 0;

	*li = (struct lines){ .li_name = named ? path : "stdin",
	    .li_in = named ? fopen(path, "re") : stdin, .li_message = message };
	if (li->li_in == NULL)
		return (lines_fail(li, errno, false, "%s", strerror(errno)));
	li->li_text = xmalloc(LINES_BYTES_MAX);
	return (0);
}

bool
lines_next(struct lines *li)
{
	size_t n = 0;
	int c;

	if (li->li_error != 0)
		return (false);
	li->li_number++;
	errno = EIO;
	while ((c = getc(li->li_in)) != EOF && c != '\n') {
		if (c == '\0')
			lines_refuse(li, "a NUL byte: expected text");
		else if (n == LINES_BYTES_MAX - 1)
			lines_refuse(li, "longer than %d bytes",
			    LINES_BYTES_MAX - 1);
		if (li->li_error != 0)
			return (false);
		li->li_text[n++] = (char)c;
	}
	if (ferror(li->li_in)) {
		lines_fail(li, errno, false, "%s", strerror(errno));
		return (false);
	}
	if (n == 0 && c == EOF) {
		li->li_number--;
		return (false);
	}
	if (n > 0 && li->li_text[n - 1] == '\r')
		n--;
	li->li_text[n] = '\0';
	return (true);
}

void
lines_close(struct lines *li)
{
	if (li->li_in != NULL && li->li_in != stdin)
		fclose(li->li_in);
	free(li->li_text);
	li->li_in = NULL;
	li->li_text = NULL;
}
