#include <stdlib.h>

#include "bench/survey/kat.h"
#include "bench/cmd.h"

static int
run_file(const struct options *op, const char *path)
{
	const bool standard = strcmp(path, "-") == 0;
	const char *name = standard ? "stdin" : path;
	FILE *in = standard ? stdin : fopen(path, "re");
	int error;

	if (in == NULL)
		return (run_error("%s: %s", path, strerror(errno)));
	error = kat_run(name, in, GIVEN(op, DESIGN) ? design_at(
	    op->op_designs.ol_value[0])->de_ident : NULL, stdout, stderr);
	if (!standard)
		fclose(in);
	/* kat_run() has printed what is wrong with a line. */
	if (error != 0 && error != EINVAL)
		run_error("%s: %s", name, strerror(error));
	return (error != 0 ? EXIT_FAILURE : EXIT_SUCCESS);
}

static int
run(struct options *op)
{
	int status = command_crypto_mode(op->op_crypto);

	if (status == 0 && op->op_operands == 0)
		status = run_file(op, "-");
	for (int i = 0; i < op->op_operands && status == EXIT_SUCCESS; i++)
		status = run_file(op, op->op_operand[i]);
	return (status);
}

const struct command cmd_kat = { NULL, run, NEEDS_CRYPTO | NEEDS_THREAD };
