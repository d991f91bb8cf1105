/* rngsim calibrate: a profile of this machine. */
#include "bench/cmd.h"
#include "bench/predict/calibrate.h"

/* Opens what will be written; makes the folders of the host's profile. */
static int
open_output(const struct options *op, const char **path, struct atomic_file *of)
{
	static char host[PATH_MAX];
	char *slash = host;
	int error;

	*path = op->op_output;
	if (*path != NULL)
		return (command_open(*path, of));
	if (profile_host_path(host, sizeof(host)) != 0)
		return (run_error("no HOME to keep the profile in: use -o "
		    "FILE"));
	*path = host;
	while ((slash = strchr(slash + 1, '/')) != NULL) {
		*slash = '\0';
		error = mkdir(host, 0777) == 0 || errno == EEXIST ? 0 : errno;
		*slash = '/';
		if (error != 0)
			return (run_error("%s: %s", host, strerror(error)));
	}
	return (command_open(host, of));
}

static int
calibrate(const struct options *op, const char *path, struct atomic_file *of)
{
	char busy[CALIBRATE_TEXT_SIZE] = "";
	static struct calibration cb;
	const int error = calibrate_measure(&cb, op->op_time_s,
	    GIVEN(op, FORCE), command_argv, busy);

	if (error == EBUSY)
		return (complain(EXIT_UNFIT, "this machine is not fit to be "
		    "calibrated: %s; or use --force, which marks the profile",
		    busy));
	if (error != 0)
		return (run_error("%s", busy));
	calibrate_describe(&cb, busy);
	if (crypto_failed() != NULL)
		return (run_error("libcrypto refused to compute %s",
		    crypto_failed()));
	if (command_write(path, of, profile_write, &cb.cb_profile) != 0)
		return (EXIT_FAILURE);
	calibrate_print(stdout, &cb, busy);
	run_note("the profile is %s", path);
	return (EXIT_SUCCESS);
}

static int
run(struct options *op)
{
	const bool native = getenv(CALIBRATE_NATIVE) != NULL;
	struct atomic_file of = { .of_fd = -1 };
	const char *path;
	int error, status;

	/* Executing the program again leaves open files behind. */
	if ((status = command_crypto_mode(native ? CRYPTO_NATIVE :
	    CRYPTO_KERNEL)) == 0)
		status = command_crypto();
	if (status != 0)
		return (status);
	if (native) {
		error = calibrate_native(op->op_time_s, stdout);
		return (error == 0 ? EXIT_SUCCESS : run_error("%s",
		    strerror(error)));
	}
	stop_catch_signals();
	status = open_output(op, &path, &of);
	if (status == EXIT_SUCCESS)
		status = calibrate(op, path, &of);
	atomic_file_abort(&of);
	return (status);
}

const struct command cmd_calibrate = { NULL, run, NEEDS_THREAD };
