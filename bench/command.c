/*
 * What several commands do alike.
 */
#include <stdlib.h>

#include "bench/cli/memory.h"
#include "bench/cli/progress.h"
#include "bench/cli/stop.h"
#include "bench/cmd.h"

const struct command *const commands[COMMANDS] = {
#define	COMMAND(name, ...)	[COMMAND_##name] = &cmd_##name,
#include "bench/cmd.tbl"
#undef COMMAND
};

char *const *command_argv;

static int
run(const struct command *cmd, struct options *op)
{
	const unsigned needs = cmd->cmd_needs;
	struct mthread self;
	int status = 0;

	progress_quiet = GIVEN(op, QUIET);
	if ((needs & NEEDS_STOP) != 0)
		stop_catch_signals();
	if ((needs & NEEDS_SEED) != 0)
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
command_execute(enum command_id cm, int argc, char *argv[])
{
	static struct options op;
	int status;

	command_argv = argv;
	json_set_alloc_funcs(xmalloc, free);
	status = options_read(&op, cm, argc - 1, argv + 1);
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

int
command_crypto(void)
{
	const char *missing;

	if (crypto_init(&missing) == 0)
		return (0);
	return (run_error("%s does not offer a working %s; check OPENSSL_CONF "
	    "and the loaded providers", crypto_version(), missing));
}

int
command_crypto_mode(enum crypto_mode mode)
{
	int error = crypto_mode_enter(mode, command_argv);

	return (error == 0 ? 0 : run_error("cannot execute the program anew "
	    "for --crypto: %s", strerror(error)));
}

int
command_open(const char *path, struct atomic_file *of)
{
	int error;

	error = path == NULL ? 0 : atomic_file_open(of, path);
	return (error == 0 ? 0 : run_error("%s: %s", path, strerror(error)));
}

int
command_commit(const char *path, struct atomic_file *of, const char *text,
    size_t len)
{
	int error;

	error = path == NULL ? 0 : atomic_file_commit(of, text, len);
	return (error == 0 ? 0 : run_error("%s: %s", path, strerror(error)));
}

int
command_write(const char *path, struct atomic_file *of,
    void (*print)(FILE *out, const void *arg), const void *arg)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = xmemstream(&text, &len);
	int status;

	print(out, arg);
	xmemclose(out);
	status = command_commit(path, of, text, len);
	free(text);
	return (status);
}
