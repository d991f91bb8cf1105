/*
 * rngsim calibrate: a profile of this machine.
 */
#include <sys/stat.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/calibrate/calibrate.h"
#include "bench/cmd.h"
#include "bench/console/arguments.h"
#include "bench/console/outfile.h"
#include "bench/console/stop.h"
#include "bench/console/usage.h"
#include "lib/crypto.h"
#include "lib/kassert.h"
#include "lib/machine.h"
#include "lib/number.h"

enum { PATH_SIZE = PATH_MAX };

static const double seconds_default = 20;
static const double seconds_least = 0.01;
static const double seconds_most = 600;

static const struct argument options[] = {
	{ 'h', "help", NULL, "this text", false },
	{ 'o', "output", "FILE", "write the profile there, not where "
	    "\"--profile host\" finds it", false },
	{ '\0', "force", NULL, "calibrate a busy machine, too, and mark the "
	    "profile", false },
	{ '\0', "format", "FORMAT", "what stdout gets: table, json (table)",
	    false },
	{ 't', "time", "SECONDS", "time for all that is measured (20)",
	    false },
	/* From here on, not in help. */
	{ '\0', "part", "MODE", NULL, false },
};

enum {
	OPTION_HELP,
	OPTION_OUTPUT,
	OPTION_FORCE,
	OPTION_FORMAT,
	OPTION_TIME,
	OPTIONS_SHOWN,
	OPTION_PART	= OPTIONS_SHOWN,
	OPTIONS
};

struct calibrate_options {
	const char	*co_output;
	double		 co_seconds;
	bool		 co_force;
	bool		 co_json;
	/* Measure only what depends on this mode, for the calling process. */
	enum crypto_mode co_part;	/* CRYPTO_MODES: all */
};

static int
set(void *context, unsigned i, const char *label, const char *value)
{
	struct calibrate_options *co = context;
	unsigned m;

	switch (i) {
	case OPTION_OUTPUT:
		if (value[0] == '\0')
			return (usage_error("calibrate", "%s: \"\": expected "
			    "a file name", label));
		co->co_output = value;
		return (0);
	case OPTION_FORCE:
		co->co_force = true;
		return (0);
	case OPTION_FORMAT:
		co->co_json = strcmp(value, "json") == 0;
		if (!co->co_json && strcmp(value, "table") != 0)
			return (usage_error("calibrate", "%s: \"%s\": expected "
			    "table or json", label, value));
		return (0);
	case OPTION_TIME:
		/* A part has a share of it, however small. */
		if (number_parse_real(value, &co->co_seconds) != 0 ||
		    co->co_seconds < (co->co_part == CRYPTO_MODES ?
		    seconds_least : 0) ||
		    co->co_seconds > seconds_most)
			return (usage_error("calibrate", "%s: \"%s\": expected "
			    "seconds, %g..%g", label, value, seconds_least,
			    seconds_most));
		return (0);
	default:
		for (m = 0; m < CRYPTO_MODES; m++)
			if (strcmp(crypto_mode_names[m], value) == 0)
				break;
		co->co_part = (enum crypto_mode)m;
		if (m == CRYPTO_MODES)
			return (usage_error("calibrate", "%s: \"%s\": expected "
			    "kernel or native", label, value));
		return (0);
	}
}

static int
part(const struct calibrate_options *co, char *const whole[])
{
	struct mthread self;
	const char *missing;
	int error;

	error = crypto_mode_enter(co->co_part, whole);
	if (error != 0)
		return (run_error("calibrate", "cannot execute the program "
		    "anew: %s", strerror(error)));
	tick_calibrate();
	if (crypto_init(&missing) != 0)
		return (run_error("calibrate", "%s does not offer a working "
		    "%s; check OPENSSL_CONF and the loaded providers",
		    crypto_version(), missing));
	machine_attach(&self, "calibrate");
	error = calibrate_part(co->co_part, co->co_seconds, stdout);
	machine_detach();
	crypto_fini();
	if (error != 0)
		return (run_error("calibrate", "%s: %s",
		    crypto_mode_names[co->co_part], strerror(error)));
	return (EXIT_SUCCESS);
}

/* Makes the folders that lead to a file. */
static int
make_folders(const char *path)
{
	char folder[PATH_SIZE];
	char *slash;

	snprintf(folder, sizeof(folder), "%s", path);
	for (slash = strchr(folder + 1, '/'); slash != NULL;
	    slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(folder, 0777) != 0 && errno != EEXIST)
			return (errno);
		*slash = '/';
	}
	return (0);
}

/* Opens what is to be written, before anything is measured. */
static int
open_output(const struct calibrate_options *co, char path[PATH_SIZE],
    struct outfile *of)
{
	int error = 0;

	if (co->co_output != NULL) {
		if (strlen(co->co_output) >= PATH_SIZE)
			return (run_error("calibrate", "-o: %s",
			    strerror(ENAMETOOLONG)));
		snprintf(path, PATH_SIZE, "%s", co->co_output);
	} else {
		if (profile_host_path(path, PATH_SIZE) != 0)
			return (run_error("calibrate", "no HOME to keep the "
			    "profile in: use -o FILE"));
		error = make_folders(path);
	}
	if (error == 0)
		error = outfile_open(of, path);
	if (error != 0)
		return (run_error("calibrate", "%s: %s", path,
		    strerror(error)));
	return (EXIT_SUCCESS);
}

static int
write_profile(const struct profile *pr, const char *path, struct outfile *of)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out;
	int error;

	if (crypto_failed() != NULL) {
		outfile_abort(of);
		return (run_error("calibrate", "libcrypto refused to compute "
		    "%s", crypto_failed()));
	}
	out = open_memstream(&text, &len);
	error = out == NULL ? ENOMEM : profile_write(pr, out);
	if (out != NULL && fclose(out) != 0 && error == 0)
		error = ENOMEM;
	if (error == 0)
		error = outfile_commit(of, text, len);
	else
		outfile_abort(of);
	free(text);
	if (error != 0)
		return (run_error("calibrate", "%s: %s", path,
		    strerror(error)));
	return (EXIT_SUCCESS);
}

static int
calibrate(const struct calibrate_options *co, char *const whole[],
    const char *path, struct outfile *of)
{
	const struct calibrate_params params = {
		.cp_seconds = co->co_seconds,
		.cp_force = co->co_force,
		.cp_argv = whole,
	};
	char busy[CALIBRATE_TEXT_SIZE] = "";
	static struct calibration cb;
	static struct profile pr;
	int error;

	error = calibrate_measure(&cb, &params, busy);
	if (error == EBUSY)
		return (run_error("calibrate", "this machine is not fit to be "
		    "calibrated: %s; or use --force, which marks the profile",
		    busy));
	if (error != 0)
		return (run_error("calibrate", "%s", busy));
	calibrate_profile(&cb, busy, &pr);
	if (write_profile(&pr, path, of) != EXIT_SUCCESS)
		return (EXIT_FAILURE);
	if (co->co_json)
		error = calibrate_print_json(stdout, &cb, path, busy);
	else
		calibrate_print_table(stdout, &cb, busy);
	if (error != 0)
		return (run_error("calibrate", "%s", strerror(error)));
	fprintf(stderr, "rngsim: calibrate: the profile is %s\n", path);
	return (EXIT_SUCCESS);
}

static int
run(int argc, char *argv[], char *const whole[])
{
	struct calibrate_options co = { .co_seconds = seconds_default,
	    .co_part = CRYPTO_MODES };
	struct arguments as = { .as_command = "calibrate",
	    .as_table = options, .as_options = OPTIONS, .as_set = set,
	    .as_context = &co };
	struct outfile of = { .of_fd = -1 };
	char path[PATH_SIZE];
	struct mthread self;
	bool help;
	int status;

	CTASSERT(sizeof(options) / sizeof(options[0]) == OPTIONS);
	status = arguments_parse(&as, &argc, argv, &help);
	if (status != 0)
		return (status);
	if (help) {
		puts("Usage: rngsim calibrate [-o FILE] [OPTIONS]\n\nMeasures "
		    "what operations cost on this machine and writes a "
		    "profile.\n");
		as.as_options = OPTIONS_SHOWN;
		arguments_help(&as);
		return (EXIT_SUCCESS);
	}
	if (co.co_part != CRYPTO_MODES)
		return (part(&co, whole));
	stop_catch_signals();
	status = open_output(&co, path, &of);
	if (status != EXIT_SUCCESS)
		return (status);
	tick_calibrate();
	machine_attach(&self, "calibrate");
	status = calibrate(&co, whole, path, &of);
	machine_detach();
	outfile_abort(&of);
	return (status);
}

const struct command cmd_calibrate = {
	.cmd_name	= "calibrate",
	.cmd_args	= "[-o FILE]",
	.cmd_descr	= "a profile of this machine",
	.cmd_run	= run,
};
