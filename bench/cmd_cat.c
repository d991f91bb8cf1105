#include "bench/cli/stop.h"
#include "bench/cmd.h"
#include "bench/survey/cat.h"
#include "bench/sweep/sweep.h"

/* Whether this machine has the memory for it. */
static int
check_memory(const struct options *op)
{
	uint64_t memory = replicate_memory_bytes();
	uint64_t needed = cat_memory_bytes(op);

	if (needed <= memory / 4 * 3)
		return (0);
	return (run_error("the readers' buffers need %.3g GB, this "
	    "machine has %.3g: use fewer readers (-r) or smaller requests (-s)",
	    (double)needed / 1e9, (double)memory / 1e9));
}

static int
run(struct options *op)
{
	int status;

	status = check_memory(op);
	if (status == 0)
		status = command_crypto_mode(op->op_crypto);
	if (status == 0)
		status = command_crypto();
	if (status == 0)
		status = options_load_hash(op);
	if (status != 0)
		return (status);
	stop_catch_signals();
	stop_interrupt_calls();
	return (cat(op));
}

const struct command cmd_cat = { options_finish, run, NEEDS_THREAD };
