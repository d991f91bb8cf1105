/*
 * rngsim validate: what the simulated machine predicts of this one, and what it
 * does.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/cmd.h"
#include "bench/console/arguments.h"
#include "bench/console/outfile.h"
#include "bench/console/seed.h"
#include "bench/console/stop.h"
#include "bench/options/options.h"
#include "bench/sweep/replicate.h"
#include "bench/sweep/sweep.h"
#include "bench/validate/validate.h"
#include "bench/validate/validate_words.h"
#include "lib/tick.h"

static const struct argument options[VALIDATE_OPTIONS] = {
	[VALIDATE_CIPHER] = { 'c', "cipher", "LIST", "ciphers (all)", false },
	[VALIDATE_DESIGN] = { 'd', "design", "LIST", "designs (all but none)",
	    false },
	[VALIDATE_LOCK] = { 'l', "lock", "LIST", "lock kinds (all that both "
	    "engines have, but none)", false },
	[VALIDATE_READERS] = { 'r', "readers", "LIST", "reader threads (1 to "
	    "CPUs)", false },
	[VALIDATE_SIZE] = { 's', "size", "LIST", "bytes of one read request "
	    "(64k)", false },
	[VALIDATE_TIME] = { 't', "time", "SECONDS", "measured time of each "
	    "repeat (0.25)", false },
	[VALIDATE_CRYPTO] = { '\0', "crypto", "MODE", "how libcrypto may "
	    "compute (kernel)", false },
	[VALIDATE_PLACE] = { '\0', "place", "ORDER", "CPUs for readers "
	    "(compact)", false },
	[VALIDATE_REPEATS] = { 'n', "repeats", "N", "repeats of each measured "
	    "cell (5)", false },
	[VALIDATE_SET] = { 'S', "set", "NAME=VALUE", "a tunable by its sysctl "
	    "name", true },
	[VALIDATE_SEED] = { '\0', "seed", "N", SEED_DESCR, false },
	[VALIDATE_PROFILE] = { '\0', "profile", "PROFILE", "what operations "
	    "cost: a name, or a file in .conf (host)", false },
	[VALIDATE_FORMAT] = { '\0', "format", "FORMAT", "what stdout gets: "
	    "table, json (table)", false },
	[VALIDATE_FROM] = { '\0', "from", "RESULT", "judge what a sweep "
	    "measured, and measure nothing", false },
	[VALIDATE_OUTPUT] = { 'o', "output", "FILE", "write the JSON document "
	    "there, too", false },
	[VALIDATE_HELP] = { 'h', "help", NULL, "this text", false },
};

static int
set(void *context, unsigned i, const char *label, const char *value)
{
	struct validate_options *vo = context;

	if (i == VALIDATE_SET) {
		if (vo->vo_tunables == VALIDATE_TUNABLES_MAX)
			return (usage_error("validate", "%s: more than %d of "
			    "them", label, VALIDATE_TUNABLES_MAX));
		vo->vo_tunable[vo->vo_tunables++] = value;
		return (0);
	}
	if (i == VALIDATE_FORMAT && strcmp(value, "table") != 0 &&
	    strcmp(value, "json") != 0)
		return (usage_error("validate", "%s: \"%s\": expected table or "
		    "json", label, value));
	if ((i == VALIDATE_FROM || i == VALIDATE_OUTPUT) && value[0] == '\0')
		return (usage_error("validate", "%s: \"\": expected a file "
		    "name", label));
	vo->vo_value[i] = value;
	return (0);
}

/* What a result that is there already has decided. */
static int
check_from(const struct validate_options *vo)
{
	static const unsigned said[] = { VALIDATE_CIPHER, VALIDATE_DESIGN,
	    VALIDATE_LOCK, VALIDATE_READERS, VALIDATE_SIZE, VALIDATE_CRYPTO,
	    VALIDATE_PLACE, VALIDATE_REPEATS };
	const struct argument *ag;
	unsigned i;

	if (vo->vo_value[VALIDATE_FROM] == NULL)
		return (0);
	for (i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		ag = &options[said[i]];
		if (vo->vo_value[said[i]] != NULL)
			return (usage_error("validate", "--%s: the result that "
			    "--from names says so already: drop one of them",
			    ag->ag_long));
	}
	if (vo->vo_tunables > 0)
		return (usage_error("validate", "--set: the result that --from "
		    "names says so already: drop one of them"));
	return (0);
}

/* Predictions of another machine's profile would be held against this one. */
static int
check_profile(const struct validate_options *vo)
{
	const char *name = vo->vo_value[VALIDATE_PROFILE];
	char path[PATH_MAX];

	if (name != NULL && strcmp(name, "host") != 0)
		return (0);
	if (profile_host_path(path, sizeof(path)) == 0 &&
	    access(path, F_OK) == 0)
		return (0);
	return (run_error("validate", "there is no profile of this machine: "
	    "run \"rngsim calibrate\" first, or name another with --profile"));
}

/* Found late, it would cost what was measured until then. */
static int
check_memory(const struct options *simulated)
{
	uint64_t needed;

	if (replicate_threads(simulated, &needed) > 0)
		return (0);
	return (run_error("validate", "the simulated machine needs up to %.3g "
	    "GB, more than this one can spare: use fewer readers (-r)",
	    (double)needed / 1e9));
}

/*
 *   op         in  what runs first
 *   simulated  in  what runs last; it may be the same
 */
static int
prepare(const struct validate_options *vo, const struct options *op,
    const struct options *simulated, char *const whole[], struct outfile *of)
{
	const char *missing, *path = vo->vo_value[VALIDATE_OUTPUT];
	int error;

	error = check_profile(vo);
	if (error == 0)
		error = check_memory(simulated);
	if (error != 0)
		return (error);
	/* Before there is anything that executing anew would leave behind. */
	if (!op->op_simulated)
		error = crypto_mode_enter(op->op_crypto, whole);
	if (error != 0)
		return (run_error("validate", "cannot execute the program "
		    "anew for --crypto: %s", strerror(error)));
	stop_catch_signals();
	error = path == NULL ? 0 : outfile_open(of, path);
	if (error != 0)
		return (run_error("validate", "%s: %s", path,
		    strerror(error)));
	tick_calibrate();
	if (crypto_init(&missing) != 0)
		return (run_error("validate", "%s does not offer a working "
		    "%s; check OPENSSL_CONF and the loaded providers",
		    crypto_version(), missing));
	return (0);
}

static int
sweep(const struct options *op, char *const whole[], struct result *r)
{
	char why[CELL_ERROR_SIZE] = "";

	if (sweep_run(op, whole, NULL, r, why) != 0)
		return (run_error("validate", "%s", why));
	return (0);
}

static int
show(const struct validate_options *vo, const struct validation *va,
    const struct result *measured, const struct result *predicted,
    struct outfile *of)
{
	const char *format = vo->vo_value[VALIDATE_FORMAT];
	const char *path = vo->vo_value[VALIDATE_OUTPUT];
	char *text = validate_format_json(va, measured, predicted);
	int error = 0;

	if (text == NULL)
		return (run_error("validate", "no memory"));
	if (path != NULL)
		error = outfile_commit(of, text, strlen(text));
	if (format != NULL && strcmp(format, "json") == 0)
		fputs(text, stdout);
	else
		validate_print_table(stdout, va, measured, predicted);
	free(text);
	if (error != 0)
		return (run_error("validate", "%s: %s", path,
		    strerror(error)));
	if (va->va_judged == 0)
		return (run_error("validate", "nothing to judge: of %u cells "
		    "none has 2 or more readers with a CPU each and passed "
		    "its gates", va->va_count));
	return (va->va_met ? EXIT_SUCCESS : EXIT_FAILURE);
}

static int
compare(const struct validate_options *vo, const struct result *measured,
    const struct result *predicted, struct outfile *of)
{
	struct validation va;
	int error, status;

	error = validate_make(measured, predicted, &va);
	if (error == ENOENT)
		return (run_error("validate", "no cell was both measured and "
		    "predicted"));
	if (error != 0)
		return (run_error("validate", "%s", strerror(error)));
	status = show(vo, &va, measured, predicted, of);
	validate_free(&va);
	return (status);
}

/* What was measured, where nothing predicts it. */
static void
keep(const struct validate_options *vo, const struct result *measured,
    struct outfile *of)
{
	const char *path = vo->vo_value[VALIDATE_OUTPUT];
	char *text;
	int error;

	if (path == NULL)
		return;
	text = result_format_json(measured);
	error = text == NULL ? ENOMEM : outfile_commit(of, text, strlen(text));
	free(text);
	if (error != 0)
		run_error("validate", "%s: %s", path, strerror(error));
	else
		run_error("validate", "%s has what was measured: judge it "
		    "with --from %s", path, path);
}

/* Both sides; each is complete, or nothing is judged. */
static int
validate_measured(const struct validate_options *vo, char *const whole[],
    struct outfile *of)
{
	struct result measured = { .cells = NULL };
	struct result predicted = { .cells = NULL };
	struct options real, simulated;
	static struct validate_words words[2];
	int status;

	memset(&simulated, 0, sizeof(simulated));
	validate_words(&words[0], vo);
	words[1] = words[0];
	status = validate_words_parse(&words[0], vo, false, &real);
	if (status == 0)
		status = validate_words_parse(&words[1], vo, true, &simulated);
	if (status == 0) {
		status = prepare(vo, &real, &simulated, whole, of);
		if (status == 0)
			status = sweep(&real, whole, &measured);
		if (status == 0) {
			status = sweep(&simulated, whole, &predicted);
			if (status != 0)
				keep(vo, &measured, of);
		}
		if (status == 0)
			status = compare(vo, &measured, &predicted, of);
		result_free(&measured);
		result_free(&predicted);
		crypto_fini();
	}
	options_free(&simulated);
	options_free(&real);
	return (status);
}

static int
validate_from(const struct validate_options *vo, char *const whole[],
    struct outfile *of)
{
	const char *path = vo->vo_value[VALIDATE_FROM];
	struct result measured, predicted = { .cells = NULL };
	char why[RESULT_TEXT_SIZE];
	static struct validate_words words;
	struct options simulated;
	int status;

	if (result_load(path, &measured, why) != 0)
		return (run_error("validate", "%s: %s", path, why));
	if (!validate_words_of(&words, vo, &measured)) {
		result_free(&measured);
		return (run_error("validate", "%s has no cell that engine real "
		    "measured and engine %s could predict", path,
		    VIRTUAL_NAME));
	}
	status = validate_words_parse(&words, vo, true, &simulated);
	if (status == 0) {
		status = prepare(vo, &simulated, &simulated, whole, of);
		if (status == 0)
			status = sweep(&simulated, whole, &predicted);
		if (status == 0)
			status = compare(vo, &measured, &predicted, of);
		result_free(&predicted);
		crypto_fini();
	}
	options_free(&simulated);
	result_free(&measured);
	return (status);
}

static int
run(int argc, char *argv[], char *const whole[])
{
	static struct validate_options vo;
	const struct arguments as = { .as_command = "validate",
	    .as_table = options, .as_options = VALIDATE_OPTIONS, .as_set = set,
	    .as_context = &vo };
	struct outfile of = { .of_fd = -1 };
	bool help;
	int status;

	memset(&vo, 0, sizeof(vo));
	status = arguments_parse(&as, &argc, argv, &help);
	if (status == 0 && help) {
		puts("Usage: rngsim validate [OPTIONS]\n\nMeasures cells on "
		    "this machine, predicts the same with its profile\n"
		    "(\"rngsim calibrate\" makes that), and prints how far "
		    "apart they are.\n");
		arguments_help(&as);
		return (EXIT_SUCCESS);
	}
	if (status == 0)
		status = check_from(&vo);
	if (status == 0)
		status = seed_choose(as.as_command, &vo.vo_seed);
	if (status != 0)
		return (status);
	status = vo.vo_value[VALIDATE_FROM] != NULL ?
	    validate_from(&vo, whole, &of) :
	    validate_measured(&vo, whole, &of);
	outfile_abort(&of);
	return (status);
}

const struct command cmd_validate = {
	.cmd_name	= "validate",
	.cmd_args	= "[--profile PROFILE] [--from RESULT] [OPTIONS]",
	.cmd_descr	= "predictions against measurements on this machine",
	.cmd_run	= run,
};
