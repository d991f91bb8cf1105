#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cell/kat.h"
#include "bench/cmd.h"
#include "bench/console/arguments.h"
#include "bench/options/options.h"

static int
run_file(const char *path)
{
	FILE *in = stdin;
	int error;

	if (path != NULL) {
		in = fopen(path, "re");
		if (in == NULL)
			return (run_error("kat", "%s: %s", path,
			    strerror(errno)));
	}
	error = kat_run(path != NULL ? path : "stdin", in, stdout, stderr);
	if (path != NULL)
		fclose(in);
	/* A line that is no command was complained of by kat_run(). */
	if (error != 0 && error != EINVAL)
		run_error("kat", "%s: %s", path != NULL ? path : "stdin",
		    strerror(error));
	return (error != 0 ? EXIT_FAILURE : EXIT_SUCCESS);
}

static int
run(int argc, char *argv[], char *const whole[])
{
	struct mthread self;
	const char *missing;
	int i, status;

	(void)whole;
	if (!arguments_operands(&argc, argv, INT_MAX, "kat [FILE...]",
	    "Runs known-answer scripts, stdin when no file is named, and "
	    "prints their answers.  rngsim(1) has the language.", &status))
		return (status);
	if (crypto_init(&missing) != 0)
		return (run_error("kat", "%s does not offer a working %s",
		    crypto_version(), missing));
	machine_attach(&self, "kat");
	if (argc == 1)
		status = run_file(NULL);
	for (i = 1; i < argc && status == EXIT_SUCCESS; i++)
		status = run_file(strcmp(argv[i], "-") == 0 ? NULL : argv[i]);
	machine_detach();
	crypto_fini();
	return (status);
}

const struct command cmd_kat = {
	.cmd_name	= "kat",
	.cmd_args	= "[FILE...]",
	.cmd_descr	= "run known-answer scripts",
	.cmd_run	= run,
};
