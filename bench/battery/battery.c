/*
 * rngsim-battery: "make stat"'s own tools, for bench/battery/battery.sh.
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/battery/battery.h"
#include "lib/number.h"

static const struct {
	const char	*name;
	const char	*operands;
	int		 low, high;	/* how many of them */
	battery_command	*run;
} commands[] = {
	{ "duplicates", "READERS GRAIN", 2, 2, battery_duplicates },
	{ "xor", "READERS GRAIN I J", 4, 4, battery_xor },
	{ "broken", "NAME [BYTES]", 1, 2, battery_broken },
	{ "count", "FILE", 1, 1, battery_count },
	{ "band", "BLOCKS ALPHA", 2, 2, battery_band },
	{ "binomial", "BLOCKS FAILURES", 2, 2, battery_binomial },
	{ "chisq", "DEGREES STATISTIC", 2, 2, battery_chisq },
	{ "sidak", "ALPHA NUMBER", 2, 2, battery_sidak },
	{ "uniform", "", 0, 0, battery_uniform },
};

enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

void
battery_die(int status, const char *fmt, ...)
{
	va_list ap;

	fputs("rngsim-battery: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(status);
}

uint64_t
battery_size(const char *text, uint64_t low, uint64_t high)
{
	uint64_t v;

	if (number_parse_size(text, &v) != 0 || v < low || v > high)
		battery_die(BATTERY_USAGE, "\"%s\": expected %ju..%ju", text,
		    (uintmax_t)low, (uintmax_t)high);
	return (v);
}

double
battery_real(const char *text, double low, double high)
{
	char *end;
	double v;

	errno = 0;
	v = strtod(text, &end);
	if (end == text || *end != '\0' || errno != 0 ||
	    !(v >= low && v <= high))
		battery_die(BATTERY_USAGE, "\"%s\": expected %g..%g", text,
		    low, high);
	return (v);
}

size_t
battery_read(void *buf, size_t n)
{
	size_t got;

	got = fread(buf, 1, n, stdin);
	if (ferror(stdin))
		battery_die(EXIT_FAILURE, "stdin: %s", strerror(errno));
	return (got);
}

bool
battery_write(const void *buf, size_t n)
{

	if (fwrite(buf, 1, n, stdout) == n)
		return (true);
	if (errno != EPIPE)
		battery_die(EXIT_FAILURE, "stdout: %s", strerror(errno));
	return (false);
}

static _Noreturn void
usage(void)
{
	unsigned i;

	for (i = 0; i < COMMANDS; i++)
		fprintf(stderr, "%s rngsim-battery %s %s\n",
		    i == 0 ? "Usage:" : "      ", commands[i].name,
		    commands[i].operands);
	exit(BATTERY_USAGE);
}

int
main(int argc, char *argv[])
{
	unsigned i;
	int status;

	signal(SIGPIPE, SIG_IGN);
	if (argc < 2)
		usage();
	for (i = 0; strcmp(commands[i].name, argv[1]) != 0; )
		if (++i == COMMANDS)
			usage();
	if (argc - 2 < commands[i].low || argc - 2 > commands[i].high)
		usage();
	status = commands[i].run(argc - 2, argv + 2);
	errno = 0;
	if (fflush(stdout) != 0 && errno != EPIPE)
		battery_die(EXIT_FAILURE, "stdout: %s", strerror(errno));
	return (status);
}
