/*
 * rngsim: finds the command and runs it.
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/cmd.h"
#include "bench/options/options.h"
#include "lib/cpu.h"
#include "lib/crypto.h"

#ifndef RNGSIM_REVISION
#define	RNGSIM_REVISION	"unknown"
#endif

static const struct command *const commands[] = {
#define	COMMAND(name)	&cmd_##name,
#include "bench/cmd.tbl"
#undef COMMAND
};

enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static void
help(void)
{
	unsigned i;

	puts("Usage: rngsim COMMAND [OPTIONS]\n\n"
	    "Runs FreeBSD's Fortuna under a lock design of your choice, with "
	    "readers and\nthe harvest thread contending for it, and measures "
	    "who gets what.\n\nCommands:");
	for (i = 0; i < COMMANDS; i++)
		printf("  %-9s %s\n", commands[i]->cmd_name,
		    commands[i]->cmd_descr);
	puts("\n\"rngsim COMMAND --help\" has a command's options.  Try:\n"
	    "  rngsim sweep -o result.json\n"
	    "  rngsim report result.json --plot result.png");
}

/*
 * A standard descriptor that is closed would be the number of the next file
 * opened, and messages would land in it.  Opened the wrong way round, so that
 * using it is an error still.
 */
static void
keep_standard_descriptors(void)
{
	int fd;

	for (fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) == -1 && errno == EBADF)
			(void)open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

static int
dispatch(int argc, char *argv[])
{
	unsigned i;

	if (argc < 2)
		return (usage_error(NULL, "expected a command; \"rngsim "
		    "--help\" lists them"));
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "help") == 0) {
		if (argc > 2)
			return (usage_error(NULL, "surplus operand \"%s\"; "
			    "try \"rngsim COMMAND --help\"", argv[2]));
		help();
		return (EXIT_SUCCESS);
	}
	if (strcmp(argv[1], "--version") == 0) {
		if (argc > 2)
			return (usage_error(NULL, "surplus operand \"%s\"",
			    argv[2]));
		puts("rngsim " RNGSIM_REVISION);
		return (EXIT_SUCCESS);
	}
	for (i = 0; i < COMMANDS; i++)
		if (strcmp(commands[i]->cmd_name, argv[1]) == 0)
			return (commands[i]->cmd_run(argc - 1, argv + 1,
			    argv));
	return (usage_error(NULL, "unknown %s \"%s\"; \"rngsim --help\" lists "
	    "the commands", argv[1][0] == '-' ? "option" : "command", argv[1]));
}

int
main(int argc, char *argv[])
{
	int error, status;

	keep_standard_descriptors();
	/* Numbers are written with a point, whatever the user's locale. */
	setlocale(LC_ALL, "C");
	/* Full disks and gone readers are errors of write(2), not deaths. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	error = cpu_init();
	if (error != 0) {
		fprintf(stderr, "rngsim: cannot read the CPU topology: %s\n",
		    strerror(error));
		return (EXIT_FAILURE);
	}
	status = dispatch(argc, argv);
	/* Whoever has not looked would have done so in vain. */
	if (crypto_failed() != NULL && status == EXIT_SUCCESS) {
		fprintf(stderr, "rngsim: libcrypto refused to compute %s\n",
		    crypto_failed());
		status = EXIT_FAILURE;
	}
	cpu_fini();
	errno = 0;
	/* A command that failed has said why. */
	if ((fflush(stdout) != 0 || ferror(stdout)) && status == EXIT_SUCCESS) {
		fprintf(stderr, "rngsim: stdout: %s\n",
		    strerror(errno != 0 ? errno : EIO));
		return (EXIT_FAILURE);
	}
	return (status);
}
