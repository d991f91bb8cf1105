#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/cli/usage.h"

const char *usage_command;

/* Text that was typed or read must not drive the terminal. */
int
complain(int status, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fputs("rngsim: ", stderr);
	if (usage_command != NULL)
		fprintf(stderr, "%s: ", usage_command);
	for (const char *p = text; *p != '\0'; p++)
		fprintf(stderr, *p >= ' ' && *p <= '~' ? "%c" : "\\x%02x",
		    (unsigned char)*p);
	fputc('\n', stderr);
	return (status);
}
