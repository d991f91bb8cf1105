#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cat/cat.h"
#include "bench/cmd.h"
#include "bench/console/stop.h"
#include "bench/options/options.h"
#include "bench/sweep/replicate.h"

/* Whether this machine has the memory for it. */
static int
check_memory(const struct options *op)
{
	uint64_t memory = replicate_memory_bytes();
	uint64_t needed = cat_memory_bytes(op);

	if (needed <= memory / 4 * 3)
		return (0);
	return (run_error(op->op_command, "the readers' buffers need %.3g GB, "
	    "this machine has %.3g: use fewer readers (-r) or smaller "
	    "requests (-s)", (double)needed / 1e9, (double)memory / 1e9));
}

static int
cat_with_crypto(const struct options *op, char *const whole[])
{
	struct mthread self;
	const char *missing;
	int error, status;

	error = crypto_mode_enter(op->op_crypto, whole);
	if (error != 0)
		return (run_error(op->op_command, "cannot execute the program "
		    "anew for --crypto: %s", strerror(error)));
	if (crypto_init(&missing) != 0)
		return (run_error(op->op_command, "%s does not offer a working "
		    "%s", crypto_version(), missing));
	status = options_load_hash(op);
	if (status == 0) {
		stop_catch_signals();
		stop_interrupt_calls();
		machine_attach(&self, "cat");
		status = cat(op);
		machine_detach();
	}
	crypto_fini();
	return (status);
}

static int
run(int argc, char *argv[], char *const whole[])
{
	struct options op;
	int status;

	status = options_parse(&op, OPTIONS_CAT, argc, argv);
	if (status != 0 || op.op_help) {
		if (status == 0) {
			puts("Usage: rngsim cat [OPTIONS]\n\nWrites raw "
			    "generator output to stdout: what the readers "
			    "read, in turn.\n");
			options_help(OPTIONS_CAT);
		}
		options_free(&op);
		return (status);
	}
	status = check_memory(&op);
	if (status == 0)
		status = cat_with_crypto(&op, whole);
	options_free(&op);
	return (status);
}

const struct command cmd_cat = {
	.cmd_name	= "cat",
	.cmd_args	= "[-n BYTES] [OPTIONS]",
	.cmd_descr	= "raw generator output on stdout",
	.cmd_run	= run,
};
