#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/cli/usage.h"

/* Text that was typed or read must not drive the terminal. */
static void
complain(const char *command, const char *fmt, va_list ap)
{
	char text[1024];

	vsnprintf(text, sizeof(text), fmt, ap);
	fputs("rngsim: ", stderr);
	if (command != NULL)
		fprintf(stderr, "%s: ", command);
	for (const char *p = text; *p != '\0'; p++) {
		if (*p >= ' ' && *p <= '~')
			fputc(*p, stderr);
		else
			fprintf(stderr, "\\x%02x", (unsigned char)*p);
	}
	fputc('\n', stderr);
}

int
usage_error(const char *command, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(command, fmt, ap);
	va_end(ap);
	return (EXIT_USAGE);
}

int
run_error(const char *command, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(command, fmt, ap);
	va_end(ap);
	return (EXIT_FAILURE);
}
