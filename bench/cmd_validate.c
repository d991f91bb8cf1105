/* rngsim validate: compares predictions for this machine with measurements. */
#include "bench/cmd.h"
#include "bench/predict/calibrate.h"
#include "bench/predict/validate.h"
#include "bench/sweep/sweep.h"

enum { SEEDS = 12 };	/* repeats of the simulated sweep */

static const char lock_profile_tunable[] = "debug.lock.prof.enable=";
static const char model_tunable[] = "rngsim.harvest.model";

/* Adds a value that is not in the list yet. */
static int
add(struct option_list *ol, uint64_t value)
{
	for (unsigned i = 0; i < ol->ol_count; i++)
		if (ol->ol_value[i] == value)
			return (0);
	return (option_list_add(ol, "--from", "", value));
}

/* Of what is not given, all that can be measured and predicted. */
static int
choose_all(struct options *op)
{
	const bool designs = op->op_designs.ol_count == 0;
	const bool locks = op->op_locks.ol_count == 0;
	const bool readers = op->op_readers.ol_count == 0;
	int error = 0;

	for (unsigned i = 0; designs && design_at(i) != NULL; i++)
		if (validate_takes_design(design_at(i)->de_ident))
			error |= add(&op->op_designs, i);
	for (unsigned i = 0; locks && i < lock_class_count; i++)
		if (validate_takes_lock(lock_classes[i]->lc_name))
			error |= add(&op->op_locks, i);
	for (unsigned i = 1; readers && error == 0 && i <= cpu_count() &&
	    i <= CELL_READERS_MAX; i++)
		error = add(&op->op_readers, i);
	return (error);
}

/* The values that a result's cells have, those that can be predicted. */
static int
choose_measured(struct options *op, const struct result *r)
{
	struct option_list *const lists[] = { &op->op_ciphers,
	    &op->op_designs, &op->op_locks, &op->op_readers, &op->op_sizes };
	enum { LISTS = nitems(lists) };
	const struct result_cell *first = NULL, *rc;
	int cipher, error = 0;

	op->op_sizes.ol_count = 0;
	for (rc = r->cells; error == 0 && rc < r->cells + r->cell_count; rc++) {
		cipher = family_find(&family_ciphers, rc->cipher);
		if (!validate_takes(rc) || cipher < 0 ||
		    family_find(&family_crypto, rc->crypto) < 0 ||
		    rc->readers > CELL_READERS_MAX ||
		    rc->request_bytes > OPTIONS_SIZE_MAX_BYTES ||
		    (first != NULL && strcmp(first->crypto, rc->crypto) != 0))
			continue;
		first = first != NULL ? first : rc;
		const uint64_t values[LISTS] = { (uint64_t)cipher,
		    (uint64_t)family_find(&family_designs, rc->design),
		    (uint64_t)family_find(&family_locks, rc->lock),
		    rc->readers, rc->request_bytes };
		for (unsigned i = 0; error == 0 && i < LISTS; i++)
			error = add(lists[i], values[i]);
	}
	if (first == NULL)
		return (run_error("%s has no cell that engine real measured "
		    "and engine %s could predict", op->op_from, VIRTUAL_NAME));
	op->op_crypto = (unsigned)family_find(&family_crypto, first->crypto);
	if (r->place[0] != '\0')
		op->op_place_text = r->place;
	return (error);
}

static int
take_tunables(struct options *op, const struct result *measured)
{
	int error = 0;

	for (char *const *setting = measured->tunables; error == 0 &&
	    setting != NULL && *setting != NULL; setting++)
		/* The locks of a simulated machine are always profiled. */
		if (strncmp(*setting, lock_profile_tunable,
		    strlen(lock_profile_tunable)) != 0)
			error = option_tunable(op, "--from", *setting);
	/* A result of before the model was kept is of the default then. */
	if (error == 0 && !options_tunable_seen(op, model_tunable))
		error = option_tunable(op, "--from", FORMATF("%s=%s",
		    model_tunable, measured->harvest_model[0] != '\0' ?
		    measured->harvest_model : "2019"));
	return (error);
}

/* The simulated sweep's options: the same, and what a result says. */
static int
simulate(const struct options *op, const struct result *measured,
    struct options *simulated)
{
	int error = options_read(simulated, COMMAND_validate, command_argv + 1);

	if (error != 0)
		return (error);
	simulated->op_simulated = true;
	simulated->op_repeats = SEEDS;
	simulated->op_seed = op->op_seed;
	if (op->op_from == NULL)
		error = choose_all(simulated);
	else if ((error = choose_measured(simulated, measured)) == 0)
		error = take_tunables(simulated, measured);
	return (error != 0 ? error : options_finish(simulated));
}

static int
check(struct options *op)
{
	static const enum option_id set[] = { OPTION_CIPHER, OPTION_DESIGN,
	    OPTION_LOCK, OPTION_READERS, OPTION_SIZE, OPTION_CRYPTO,
	    OPTION_PLACE, OPTION_REPEATS, OPTION_SET, OPTIONS };
	const char *given = options_given_of(op, set);

	return (op->op_from == NULL || given == NULL ? 0 : usage_error("%s: "
	    "the result of --from already sets it: drop one of them", given));
}

static int
sweep(const struct options *op, struct result *r)
{
	char why[CELL_ERROR_SIZE] = "";

	return (sweep_run(op, command_argv, NULL, r, why) == 0 ? 0 :
	    run_error("%s", why));
}

static int
refuse_busy(const struct options *op, const struct calibrate_conditions *cc)
{
	char busy[CALIBRATE_TEXT_SIZE];

	if (GIVEN(op, FORCE) || !calibrate_objections(cc, busy, sizeof(busy)))
		return (0);
	return (complain(EXIT_UNFIT, "this machine is not fit to be compared "
	    "with: %s; or use --force", busy));
}

static int
run(struct options *op)
{
	struct calibrate_conditions cc = { .cc_quota = 0 };
	struct result measured = { .cells = NULL }, predicted = measured;
	const bool measure = op->op_from == NULL;
	static struct options simulated;
	char why[RESULT_TEXT_SIZE];
	uint64_t needed;
	int status = 0;

	/* Only the simulated sweep has it. */
	op->op_text[OPTION_PROFILE] = NULL;
	if (!measure && result_load(op->op_from, &measured, why) != 0)
		return (run_error("%s: %s", op->op_from, why));
	if (measure && (status = choose_all(op)) == 0)
		status = options_finish(op);
	if (status == 0)
		status = simulate(op, &measured, &simulated);
	if (status == 0 && replicate_threads(&simulated, &needed) == 0)
		status = run_error("the simulated machine needs up to %.3g GB, "
		    "more than this one can spare: use fewer readers (-r)",
		    (double)needed / 1e9);
	/* Executing the program again leaves open files and threads behind. */
	if (status == 0 && measure)
		status = command_crypto_mode(op->op_crypto);
	if (status == 0) {
		stop_catch_signals();
		tick_calibrate();
		status = command_crypto();
	}
	if (status == 0 && measure) {
		calibrate_await_rest(&cc, !GIVEN(op, FORCE));
		if ((status = refuse_busy(op, &cc)) == 0)
			status = sweep(op, &measured);
		calibrate_watch(&cc);
		if (status == 0)
			status = refuse_busy(op, &cc);
	}
	if (status == 0)
		status = sweep(&simulated, &predicted);
	if (status == 0)
		status = validate_print(stdout, &measured, &predicted);
	options_free(&simulated);
	result_free(&measured);
	result_free(&predicted);
	return (status);
}

const struct command cmd_validate = { check, run, NEEDS_SEED };
