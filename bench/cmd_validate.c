/*
 * rngsim validate: compares predictions for this machine with measurements.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/stop.h"
#include "bench/cmd.h"
#include "bench/predict/validate.h"
#include "bench/result/field.h"
#include "bench/sweep/sweep.h"
#include "lib/machine/cpu.h"
#include "lib/machine/tick.h"

enum {
	SEEDS		= 3,	/* repeats of the simulated sweep */
	WORDS		= 17,	/* of its command line, beside its tunables */
	LIST_SIZE	= 8192
};

/* Options of the sweeps, in the order of their value[]; lists first. */
static const enum option_id handed[] = { OPTION_CIPHER, OPTION_DESIGN,
	OPTION_LOCK, OPTION_READERS, OPTION_SIZE, OPTION_CRYPTO, OPTION_PLACE,
	OPTION_TIME };

enum { CIPHER, DESIGN, LOCK, READERS, SIZE, LISTS, CRYPTO = LISTS, PLACE, TIME,
	HANDED };

static const char lock_profile_tunable[] = "debug.lock.prof.enable=";
static const char model_tunable[] = "rngsim.harvest.model=";

/* A sweep's command line; options that were parsed from it point into it. */
struct words {
	char		**wo_word;
	int		 wo_count;
	bool		 wo_failed;	/* no memory */
};

static void __attribute__((format(printf, 2, 3)))
add(struct words *wo, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (wo->wo_word == NULL ||
	    vasprintf(&wo->wo_word[wo->wo_count], fmt, ap) < 0)
		wo->wo_failed = true;
	else
		wo->wo_word[++wo->wo_count] = NULL;
	va_end(ap);
}

/* Adds "NAME," to a list ",...,", once; one that does not fit is left out. */
static void __attribute__((format(printf, 2, 3)))
list_add(char list[LIST_SIZE], const char *fmt, ...)
{
	char item[RESULT_NAME_SIZE + 2];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(item, sizeof(item), fmt, ap);
	va_end(ap);
	if (strstr(list, item) == NULL && strlen(list) + strlen(item) <
	    LIST_SIZE)
		strcat(list, item + 1);
}

/* Every design and lock that can be predicted, and every number of readers. */
static void
list_all(char list[LISTS][LIST_SIZE])
{
	unsigned i;

	for (i = 0; i < generator_count; i++)
		if (validate_takes_design(generators[i]->ra_ident))
			list_add(list[DESIGN], ",%s,",
			    generators[i]->ra_ident);
	for (i = 0; i < lock_class_count; i++)
		if (validate_takes_lock(lock_classes[i]->lc_name))
			list_add(list[LOCK], ",%s,", lock_classes[i]->lc_name);
	list_add(list[READERS], ",1-%u,", cpu_count());
}

/* The values that a result's cells have; returns the first cell, or NULL. */
static const struct result_cell *
list_measured(char list[LISTS][LIST_SIZE], const struct result *r)
{
	const struct result_cell *first = NULL, *rc;

	for (rc = r->cells; rc < r->cells + r->cell_count; rc++) {
		if (!validate_takes(rc) || (first != NULL &&
		    strcmp(first->crypto, rc->crypto) != 0))
			continue;
		first = first != NULL ? first : rc;
		list_add(list[CIPHER], ",%s,", rc->cipher);
		list_add(list[DESIGN], ",%s,", rc->design);
		list_add(list[LOCK], ",%s,", rc->lock);
		list_add(list[READERS], ",%u,", rc->readers);
		list_add(list[SIZE], ",%" PRIu64 ",", rc->request_bytes);
	}
	return (first);
}

static bool
sets(const char *setting, const char *tunable)
{

	return (strncmp(setting, tunable, strlen(tunable)) == 0);
}

/* Adds the tunables of a result, or those asked for. */
static void
add_tunables(struct words *wo, char *const *tunables,
    const struct result *measured)
{
	bool model = measured == NULL;

	for (; tunables != NULL && *tunables != NULL; tunables++) {
		/* The locks of a simulated machine are always profiled. */
		if (measured == NULL || !sets(*tunables, lock_profile_tunable))
			add(wo, "--set=%s", *tunables);
		model = model || sets(*tunables, model_tunable);
	}
	/* A result of before the model was kept is of the default then. */
	if (!model)
		add(wo, "--set=%s%s", model_tunable,
		    measured->harvest_model[0] != '\0' ?
		    measured->harvest_model : "2019");
}

/*
 * Makes the options of one of the two sweeps: of the cells asked for, or of
 * every cell of a result that can be predicted.
 *
 *   measured  in   the result, or NULL
 *   sweep     out  options_free() it, also after a failure
 *
 * Returns: 0, or an exit status after a message.
 */
static int
sweep_options(const struct options *op, const struct result *measured,
    bool simulated, struct words *wo, struct options *sweep)
{
	char *const *tunables = op->op_tunables;
	static char list[LISTS][LIST_SIZE];
	const struct result_cell *first;
	const char *value[HANDED];
	unsigned i;
	int status;

	for (i = 0; i < LISTS; i++)
		strcpy(list[i], ",");
	for (i = 0; i < HANDED; i++)
		value[i] = op->op_text[handed[i]];
	if (measured != NULL) {
		first = list_measured(list, measured);
		if (first == NULL)
			return (run_error("validate", "%s has no cell that "
			    "engine real measured and engine %s could predict",
			    op->op_from, VIRTUAL_NAME));
		value[CRYPTO] = first->crypto;
		value[PLACE] = measured->place[0] != '\0' ? measured->place :
		    NULL;
		tunables = measured->tunables;
	} else
		list_all(list);
	if (value[TIME] == NULL)
		value[TIME] = option_default(&option_defs[OPTION_TIME],
		    COMMAND_validate);
	for (i = 0; tunables != NULL && tunables[i] != NULL; i++)
		continue;
	wo->wo_word = calloc(WORDS + i, sizeof(*wo->wo_word));
	add(wo, "validate");
	for (i = 0; i < HANDED; i++)
		if (value[i] != NULL)
			add(wo, "--%s=%s", option_defs[handed[i]].od_name,
			    value[i]);
		else if (i < LISTS && list[i][1] != '\0')
			add(wo, "--%s=%.*s", option_defs[handed[i]].od_name,
			    (int)strlen(list[i]) - 2, list[i] + 1);
	add_tunables(wo, tunables, measured);
	add(wo, "--seed=%" PRIu64, op->op_seed);
	add(wo, "--repeats=%u", simulated ? SEEDS : op->op_repeats);
	if (simulated) {
		add(wo, "--engine=" VIRTUAL_NAME);
		add(wo, "--profile=%s", op->op_profile);
	}
	if (wo->wo_failed)
		return (run_error("validate", "%s", strerror(ENOMEM)));
	status = options_parse(sweep, COMMAND_sweep, wo->wo_count,
	    wo->wo_word);
	/* Designs outside Fortuna are not judged. */
	sweep->op_config.bc_program.controls = false;
	return (status);
}

static int
check(struct options *op)
{
	static const enum option_id more[] = { OPTION_REPEATS, OPTION_SET };
	enum option_id id;
	unsigned i;

	for (i = 0; op->op_from != NULL && i < TIME + 2; i++) {
		id = i < TIME ? handed[i] : more[i - TIME];
		if (op->op_text[id] != NULL)
			return (usage_error("validate", "--%s: the result of "
			    "--from already sets it: drop one of them",
			    option_defs[id].od_name));
	}
	return (0);
}

/*
 * Starts what the sweeps need; first what refuses.
 *
 *   first      in  the first sweep
 *   simulated  in  the last one, or the same
 */
static int
prepare(const struct options *first, const struct options *simulated)
{
	uint64_t needed;
	int status = 0;

	if (replicate_threads(simulated, &needed) == 0)
		return (run_error("validate", "the simulated machine needs up "
		    "to %.3g GB, more than this one can spare: use fewer "
		    "readers (-r)", (double)needed / 1e9));
	/* Executing the program again leaves open files and threads behind. */
	if (!first->op_simulated)
		status = command_crypto_mode(first, first->op_crypto);
	if (status != 0)
		return (status);
	stop_catch_signals();
	tick_calibrate();
	return (command_crypto(first));
}

static int
sweep(const struct options *op, struct result *r)
{
	char why[CELL_ERROR_SIZE] = "";

	if (sweep_run(op, command_argv, NULL, r, why) != 0)
		return (run_error("validate", "%s", why));
	return (0);
}

static int
compare(const struct result *measured, const struct result *predicted)
{
	struct validation va;
	int error, status;

	error = validate_make(measured, predicted, &va);
	if (error != 0)
		return (run_error("validate", "%s", error == ENOENT ? "no cell "
		    "was both measured and predicted" : strerror(error)));
	validate_print(stdout, &va, measured, predicted);
	status = va.va_met ? EXIT_SUCCESS : EXIT_FAILURE;
	if (va.va_judged == 0)
		status = run_error("validate", "nothing to judge: of %u cells "
		    "none has 2 or more readers with a CPU each and passed "
		    "its gates", va.va_count);
	validate_free(&va);
	return (status);
}

static int
run(struct options *op)
{
	struct result measured = { .cells = NULL }, predicted = measured;
	const bool measure = op->op_from == NULL;
	static struct options real, simulated;
	struct words words[2] = { { 0 } };
	char why[RESULT_TEXT_SIZE];
	int status = 0;

	if (!measure && result_load(op->op_from, &measured, why) != 0)
		return (run_error("validate", "%s: %s", op->op_from, why));
	if (measure)
		status = sweep_options(op, NULL, false, &words[0], &real);
	if (status == 0)
		status = sweep_options(op, measure ? NULL : &measured, true,
		    &words[1], &simulated);
	if (status == 0)
		status = prepare(measure ? &real : &simulated, &simulated);
	if (status == 0 && measure)
		status = sweep(&real, &measured);
	if (status == 0)
		status = sweep(&simulated, &predicted);
	if (status == 0)
		status = compare(&measured, &predicted);
	result_free(&measured);
	result_free(&predicted);
	options_free(&simulated);
	options_free(&real);
	field_free_words(words[0].wo_word);
	field_free_words(words[1].wo_word);
	return (status);
}

const struct command cmd_validate = { check, run, NEEDS_SEED };
