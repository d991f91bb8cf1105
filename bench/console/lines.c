#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench/console/lines.h"

/* The first error is the one that explains the others. */
static int __attribute__((format(printf, 3, 0)))
fail(struct lines *li, int error, const char *fmt, va_list ap, bool numbered)
{
	size_t len;
	int n;

	if (li->li_error != 0)
		return (li->li_error);
	li->li_error = error;
	if (numbered)
		n = snprintf(li->li_message, LINES_ERROR_SIZE,
		    "%.200s:%" PRIu64 ": ", li->li_name, li->li_number);
	else
		n = snprintf(li->li_message, LINES_ERROR_SIZE, "%.200s: ",
		    li->li_name);
	len = n < 0 ? 0 : (size_t)n;
	vsnprintf(li->li_message + len, LINES_ERROR_SIZE - len, fmt, ap);
	return (error);
}

int
lines_refuse(struct lines *li, const char *fmt, ...)
{
	va_list ap;
	int error;

	va_start(ap, fmt);
	error = fail(li, EINVAL, fmt, ap, true);
	va_end(ap);
	return (error);
}

int
lines_refuse_file(struct lines *li, const char *fmt, ...)
{
	va_list ap;
	int error;

	va_start(ap, fmt);
	error = fail(li, EINVAL, fmt, ap, false);
	va_end(ap);
	return (error);
}

static int __attribute__((format(printf, 3, 4)))
fail_file(struct lines *li, int error, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	error = fail(li, error, fmt, ap, false);
	va_end(ap);
	return (error);
}

int
lines_no_memory(struct lines *li)
{

	return (fail_file(li, ENOMEM, "no memory"));
}

int
lines_open(struct lines *li, const char *path, char *message)
{

	*li = (struct lines){ .li_name = path, .li_message = message };
	if (strcmp(path, "-") == 0) {
		li->li_name = "stdin";
		li->li_in = stdin;
	} else {
		li->li_in = fopen(path, "re");
		if (li->li_in == NULL)
			return (fail_file(li, errno, "%s", strerror(errno)));
	}
	li->li_text = malloc(LINES_BYTES_MAX);
	if (li->li_text == NULL)
		return (lines_no_memory(li));
	return (0);
}

bool
lines_next(struct lines *li)
{
	size_t n = 0;
	int c;

	if (li->li_error != 0)
		return (false);
	errno = 0;
	while ((c = getc(li->li_in)) != EOF && c != '\n') {
		if (n == 0)
			li->li_number++;
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
		fail_file(li, errno != 0 ? errno : EIO, "%s",
		    strerror(errno != 0 ? errno : EIO));
		return (false);
	}
	if (n == 0 && c == EOF)
		return (false);
	if (n == 0)
		li->li_number++;
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
