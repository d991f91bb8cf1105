/* The commands, and what is done before and after each. */
#include "bench/cli/progress.h"
#include "bench/cmd.h"
#include "bench/compare/compare.h"
#include "bench/explore/strategy.h"
#include "bench/predict/published.h"

const struct command *const commands[COMMANDS] = {
#define	COMMAND(name, ...)	[COMMAND_##name] = &cmd_##name,
#include "bench/options/command.tbl"
};

void
command_families(void)
{
	family_benchmarks = family_published_loops;
	family_evidences = assure_checks;
	family_number_sources = sources_names;
	family_panels = report_panels;
	family_quantities = compare_quantities;
	family_simulated_locks = explore_locks;
	family_strategies = explore_strategies;
	family_units = family_published_units;
	operand_families[COMMAND_list] = list_topics;
	operand_families[COMMAND_reproduce] = reproduce_names;
}

static int
run(const struct command *cmd, struct options *op)
{
	const unsigned needs = cmd->cmd_needs;
	struct mthread self;
	int status = 0;

	progress_quiet = GIVEN(op, QUIET);
	if ((needs & NEEDS_MODE) != 0)
		status = command_crypto_mode(op->op_crypto);
	if ((needs & NEEDS_STOP) != 0)
		stop_catch_signals();
	if (status == 0 && (needs & NEEDS_SEED) != 0)
		status = options_seed(op);
	if (status == 0 && (needs & NEEDS_CRYPTO) != 0)
		status = command_crypto();
	if (status != 0)
		return (status);
	if ((needs & NEEDS_THREAD) != 0)
		machine_attach(&self, usage_command);
	status = cmd->cmd_run(op);
	if ((needs & NEEDS_THREAD) != 0)
		machine_detach();
	crypto_fini();
	return (status);
}

int
command_execute(enum command_id cm, char *argv[])
{
	static struct options op;
	int status;

	command_argv = argv;
	command_families();
	json_set_alloc_funcs(xmalloc, free);
	status = options_read(&op, cm, argv + 1);
	if (status == 0 && op.op_help)
		options_help(cm);
	else if (status == 0 && commands[cm]->cmd_check != NULL)
		status = commands[cm]->cmd_check(&op);
	if (status == 0 && !op.op_help)
		status = run(commands[cm], &op);
	/* Report crypto failures that no caller checked for. */
	if (status == EXIT_SUCCESS && crypto_failed() != NULL)
		status = run_error("libcrypto refused to compute %s",
		    crypto_failed());
	options_free(&op);
	return (status);
}
