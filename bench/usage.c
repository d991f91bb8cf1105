#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/usage.h"

/*
 * One line on stderr.  What was typed or read must neither break it nor drive
 * the terminal.
 */
static void
complain(const char *command, const char *fmt, va_list ap)
{
	char text[1024];
	const char *p;

	vsnprintf(text, sizeof(text), fmt, ap);
	fputs("rngsim: ", stderr);
	if (command != NULL)
		fprintf(stderr, "%s: ", command);
	for (p = text; *p != '\0'; p++) {
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

bool
usage_operands(int argc, char *argv[], int min, int max, const char *usage,
    const char *descr, int *status)
{
	int n = argc - 1;

	*status = 0;
	if (n > 0 && (strcmp(argv[1], "--help") == 0 ||
	    strcmp(argv[1], "-h") == 0)) {
		if (n > 1)
			*status = usage_error(argv[0], "surplus operand "
			    "\"%s\" after %s", argv[2], argv[1]);
		else
			printf("Usage: rngsim %s\n\n%s\n", usage, descr);
		return (false);
	}
	if (n > 0 && argv[1][0] == '-' && argv[1][1] != '\0') {
		*status = usage_error(argv[0], "unknown option %s; usage: "
		    "rngsim %s", argv[1], usage);
		return (false);
	}
	if (n < min || n > max) {
		*status = usage_error(argv[0], "%s operand%s%s%s; usage: "
		    "rngsim %s", n < min ? "missing" : "surplus",
		    n < min ? "" : " \"", n < min ? "" : argv[max + 1],
		    n < min ? "" : "\"", usage);
		return (false);
	}
	return (true);
}
