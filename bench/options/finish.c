/* What follows from several options of run, sweep and cat together. */
#include "bench/cell/slices.h"
#include "bench/kernel/ksource.h"
#include "bench/options/options.h"

/* Without a simulated machine --nodes is a tunable, which results record. */
static int
finish_host(struct options *op)
{
	for (unsigned id = 0; id < OPTIONS; id++)
		if ((option_defs[id].od_flags & SIMULATED) != 0 &&
		    op->op_text[id] != NULL)
			return (usage_error("%s is about a simulated machine: "
			    "add --engine %s", option_label(id), VIRTUAL_NAME));
	op->op_pretended = op->op_nodes != 0;
	return (op->op_pretended ? option_tunable(op, "--nodes",
	    FORMATF(OPTIONS_LOCK_NODES "=%u", op->op_nodes)) : 0);
}

static int
finish_machine(struct options *op)
{
	struct virtual_machine *vi = &op->op_machine;
	char why[PROFILE_ERROR_SIZE];
	const char *value;
	int error;

	if (!op->op_simulated)
		return (finish_host(op));
	if ((error = virtual_make(vi, op->op_profile, op->op_cpus, op->op_nodes,
	    why)) != 0)
		return (complain(error == EINVAL || error == ERANGE ?
		    EXIT_USAGE : EXIT_FAILURE, "%s: %s", error != ERANGE ?
		    "--profile" : op->op_nodes != 0 ? "--nodes" : "--cpus",
		    why));
	op->op_cpus = vi->vi_topology.tp_cpus;
	op->op_nodes = vi->vi_topology.tp_nodes;
	if ((error = options_check_simulated_locks(op)) != 0)
		return (error);
	/* Sets the tunables again, over a simulated machine's defaults. */
	bench_config_default(&op->op_config, op->op_cpus);
	/* Polling saves a spinner's CPU only where threads are preempted. */
	if (vi->vi_profile.pr_value[PROFILE_OS_PREEMPT] < 0.5)
		op->op_config.bc_lock.spin_polls = 0;
	for (unsigned i = 0; i < op->op_tunable_count; i++)
		if (bench_config_set(&op->op_config, op->op_tunables[i],
		    &value, &error) != NULL)
			KASSERT(error == 0, ("\"%s\"", op->op_tunables[i]));
	return (op->op_config.bc_lock.prof_enable ? 0 : usage_error("-S: "
	    "debug.lock.prof.enable=0 saves nothing on engine %s, where "
	    "profiling takes no time: leave it out", VIRTUAL_NAME));
}

static int
finish_workload(struct options *op)
{
	struct workload *wl = &op->op_workload;
	const bool recorded = wl->wl_arrivals == ARRIVALS_RECORDED;

	if (GIVEN(op, SIZE) && (recorded || wl->wl_size_count > 0))
		return (usage_error("-s and --workload %s both set the sizes "
		    "of requests: drop one of them", wl->wl_text));
	if (!GIVEN(op, RATE))
		return (0);
	if (recorded || wl->wl_pause_ns != 0)
		return (usage_error("--rate and --workload %s both set when "
		    "requests begin: drop one of them", wl->wl_text));
	wl->wl_rate_per_s = op->op_rate_per_s;
	wl->wl_arrivals = (enum workload_arrivals)(ARRIVALS_CONSTANT +
	    op->op_arrivals);
	return (0);
}

/* A sysctl of a source: one of the designs must have it. */
static int
add_setting(struct options *op, const char *text)
{
	struct bench_config *bc = &op->op_config;
	struct kern_setting set;
	char range[DESIGN_RANGE_SIZE];
	struct text names = { .s = "" };	/* of designs that have it */
	const struct design *de;
	bool found = false;
	int error;

	design_setting(&set, text);
	for (unsigned i = 0; i < op->op_designs.ol_count; i++) {
		de = design_at(op->op_designs.ol_value[i]);
		error = design_check(de, bc->bc_harvest.queue, &set, range);
		if (error == EINVAL)
			return (usage_error("-S: %s: \"%s\": expected %s",
			    set.kv_name, strchr(text, '=') + 1, range));
		found |= error == 0;
	}
	for (size_t i = 0; (de = design_at(i)) != NULL; i++)
		if (design_check(de, bc->bc_harvest.queue, &set, range) !=
		    ENOENT)
			text_list(&names, "%s", de->de_ident);
	if (names.s[0] == '\0')
		return (usage_error("-S: \"%s\" is no tunable; \"rngsim list "
		    "tunables\" has the names", set.kv_name));
	if (!found)
		return (usage_error("-S: %s has no effect on the designs of "
		    "-d: expected one of %s", set.kv_name, names.s));
	if (bc->bc_settings == DESIGN_SETTINGS_MAX)
		return (usage_error("-S: more than %d sysctls of designs",
		    DESIGN_SETTINGS_MAX));
	bc->bc_setting[bc->bc_settings++] = set;
	return (0);
}

/* A FreeBSD tunable that means an option's value, or contradicts it. */
static int
tunable_as_option(struct options *op, const char *tunable, enum option_id id,
    struct option_list *ol, const char *value)
{
	const char *label = option_label(id);
	uint64_t wanted;

	if (!options_tunable_seen(op, tunable))
		return (0);
	wanted = (uint64_t)family_find(option_defs[id].od_family, value);
	if (op->op_text[id] != NULL && (ol->ol_count > 1 ||
	    ol->ol_value[0] != wanted))
		return (usage_error("-S %s means %s %s, but %s says otherwise: "
		    "drop one of them", tunable, label, value, label));
	ol->ol_count = 0;
	return (option_list_add(ol, label, value, wanted));
}

static int
finish_sources(const struct options *op)
{
	const struct harvest_config *hc = &op->op_config.bc_harvest;
	struct random_source_list list;
	char why[HARVEST_ERROR_SIZE];

	if (random_source_list_parse(&list, hc->sources, why) != 0)
		return (usage_error("-S: %s", why));
	return (hc->record_file[0] == '\0' || (op->op_cmd == COMMAND_run &&
	    op->op_repeats <= 1 && op->op_uncertainty == 0) ? 0 :
	    usage_error("-S: rngsim.harvest.record holds the events of one "
	    "repeat: expected \"rngsim run\" without -n%s",
	    op->op_uncertainty > 0 ? " and --uncertainty" : ""));
}

static int
finish_tunables(struct options *op)
{
	static const char concurrent_read[] =
	    "kern.random.fortuna.concurrent_read";
	const struct program_config *pc = &op->op_config.bc_program;
	const struct lock_config *lc = &op->op_config.bc_lock;
	bool kernels = false, others = false;
	const char *name, *twin, *value;
	int error;

	for (unsigned i = 0; i < op->op_tunable_count; i++)
		if (bench_config_set(&op->op_config, op->op_tunables[i],
		    &value, &error) == NULL &&
		    (error = add_setting(op, op->op_tunables[i])) != 0)
			return (error);
	twin = pc->concurrent_read ? "concurrent" : "locked";
	/* A mode can be set for kernel sources: beside them only its twin. */
	for (unsigned i = 0; i < op->op_designs.ol_count; i++) {
		name = design_at(op->op_designs.ol_value[i])->de_ident;
		kernels |= ksource_named(name);
		others |= !ksource_named(name) && strcmp(name, twin) != 0;
	}
	if (options_tunable_seen(op, concurrent_read) && kernels && !others)
		error = add_setting(op, FORMATF("%s=%d", concurrent_read,
		    pc->concurrent_read));
	else
		error = tunable_as_option(op, concurrent_read, OPTION_DESIGN,
		    &op->op_designs, twin);
	if (error == 0)
		error = tunable_as_option(op, "kern.random.use_chacha20_cipher",
		    OPTION_CIPHER, &op->op_ciphers, pc->use_chacha20_cipher ?
		    "chacha20" : "aes");
	if (error == 0 && lc->delay_base > lc->delay_max)
		error = usage_error("-S: debug.lock.delay_base is %u, more "
		    "than debug.lock.delay_max, %u", lc->delay_base,
		    lc->delay_max);
	return (error != 0 ? error : finish_sources(op));
}

/* Repeats end when differences are known: there must be some to be known. */
static int
finish_until(struct options *op)
{
	if (op->op_until == 0)
		return (0);
	if (op->op_simulated || op->op_ledger ||
	    option_list_max(&op->op_producers) > 0 ||
	    workload_max_bytes(&op->op_workload,
	    option_list_max(&op->op_sizes)) > SLICES_REQUEST_MAX_BYTES ||
	    op->op_time_s < SLICES_MIN_TIME_S || op->op_designs.ol_count *
	    op->op_locks.ol_count * op->op_ciphers.ol_count < 2)
		return (usage_error("--until: expected two designs, locks or "
		    "ciphers or more to compare, -s of at most %d, -t %g or "
		    "more, --engine real, no --producers and no --ledger",
		    SLICES_REQUEST_MAX_BYTES, SLICES_MIN_TIME_S));
	op->op_until_repeats = op->op_repeats;
	op->op_repeats = OPTIONS_REPEATS_MAX;
	return (0);
}

/* The defaults that options.tbl has in words. */
static int
finish_lists(struct options *op)
{
	const bool sweep = op->op_cmd == COMMAND_sweep;
	unsigned cpus = op->op_simulated ? op->op_cpus : cpu_count();

	cpus = MIN(cpus, CELL_READERS_MAX);
	if (op->op_ciphers.ol_count == 0)
		for (unsigned v = 0; v < cipher_count; v++)
			option_list_add(&op->op_ciphers, "", "", v);
	if (op->op_producers.ol_count == 0)
		option_list_add(&op->op_producers, "", "", 0);
	if (op->op_readers.ol_count > 0)
		return (0);
	if (GIVEN(op, PRODUCERS))
		return (option_list_add(&op->op_readers, "", "", 0));
	for (unsigned v = 1; sweep && v < cpus;
	    v = op->op_simulated ? v * 2 : v + 1)
		option_list_add(&op->op_readers, "", "", v);
	option_list_add(&op->op_readers, "", "", cpus);
	if (sweep && !op->op_simulated && cpus < CELL_READERS_MAX)
		option_list_add(&op->op_readers, "", "", cpus + 1);
	return (0);
}

static int
finish_place(struct options *op)
{
	char why[PINNING_ERROR_SIZE];

	return (pinning_parse(&op->op_place, op->op_place_text,
	    op->op_simulated ? &op->op_machine.vi_topology : NULL, why) == 0 ?
	    0 : usage_error("--place: \"%s\": %s", op->op_place_text, why));
}

/* In a closed loop a producer never leaves its CPU to what is bound there. */
static int
check_place(const struct options *op, unsigned producers)
{
	const struct pinning *pl = &op->op_place;
	const unsigned cpus = pl->pl_count;

	if (cpus == 0)
		return (usage_error("--place: \"none\": expected CPUs, which "
		    "producers are bound to"));
	if (producers > cpus)
		return (usage_error("--producers: %u, and %u CPU%s: expected "
		    "one for each", producers, cpus, PLURAL(cpus)));
	if (op->op_producing.prw_rate_per_s > 0)
		return (0);
	if (producers + option_list_max(&op->op_readers) > cpus &&
	    option_list_max(&op->op_readers) > 0)
		return (usage_error("--producers: %u and %ju readers on %u "
		    "CPU%s: a producer without rate= leaves its CPU to no "
		    "thread: expected one for each, or rate=", producers,
		    (uintmax_t)option_list_max(&op->op_readers), cpus,
		    PLURAL(cpus)));
	for (unsigned i = 0; i < producers; i++)
		if (pl->pl_harvest == (int)pl->pl_ranks[i])
			return (usage_error("--place: \"%s\": the harvest "
			    "thread's CPU has producer %u, which leaves it to "
			    "no thread: expected another, or rate=",
			    op->op_place_text, i));
	return (0);
}

static int
finish_producers(struct options *op)
{
	const struct producing *pg = &op->op_producing;
	const unsigned most = (unsigned)option_list_max(&op->op_producers);
	struct text lines = { .s = "" };	/* of a curve */
	bool none = false;
	unsigned n;

	for (unsigned i = 0; i < op->op_readers.ol_count; i++)
		none |= op->op_readers.ol_value[i] == 0;
	for (unsigned i = 0; i < op->op_producers.ol_count; i++) {
		n = (unsigned)op->op_producers.ol_value[i];
		if (n == 0 && none)
			return (usage_error("-r: \"0\": expected a number of "
			    "readers, 1..%d; 0 only with --producers above 0",
			    CELL_READERS_MAX));
		if (n > 0 && GIVEN(op, PRODUCER) &&
		    producing_work_ns(pg, n) == 0) {
			for (unsigned k = 1; k <= PRODUCERS_MAX; k++)
				if (pg->prw_curve_ns[k] != 0)
					text_list(&lines, "%u", k);
			return (usage_error("--producer: %s has no line for %u "
			    "producer%s: expected a line \"%u NS\", or "
			    "--producers of what it has: %s", pg->prw_path, n,
			    PLURAL(n), n, lines.s[0] == '\0' ? "nothing" :
			    lines.s));
		}
		if (n > 0 && GIVEN(op, PRODUCER) &&
		    (double)producing_work_ns(pg, n) > op->op_time_s * 1e9)
			return (usage_error("--producer: %s: the work of one "
			    "event, %.9g s, is longer than the window: "
			    "expected %g s or less, or a larger -t",
			    pg->prw_text, (double)producing_work_ns(pg, n) /
			    1e9, op->op_time_s));
	}
	if (most > 0 && !GIVEN(op, PRODUCER))
		return (usage_error("--producers: expected --producer with it: "
		    "what they do"));
	return (most == 0 ? 0 : check_place(op, most));
}

/* A lock loop is the null design's, with no events and one byte a request. */
static int
finish_loop(struct options *op)
{
	const uint64_t none = (uint64_t)family_find(&family_designs, "none");

	if (!op->op_lock_loop)
		return (0);
	if (!GIVEN(op, DESIGN)) {
		op->op_designs.ol_count = 0;
		option_list_add(&op->op_designs, "", "", none);
	}
	if (op->op_designs.ol_count != 1 || op->op_designs.ol_value[0] != none)
		return (usage_error("--loop: \"lock\" is of design none: "
		    "expected -d none or no -d"));
	if (GIVEN(op, SIZE) || op->op_workload.wl_size_count > 0)
		return (usage_error("--loop: \"lock\" reads nothing: expected "
		    "no sizes of requests"));
	op->op_sizes.ol_value[0] = op->op_sizes.ol_count = 1;
	/* One cipher is as good as the other. */
	if (op->op_ciphers.ol_count == 0)
		option_list_add(&op->op_ciphers, "", "", 0);
	return (options_tunable_seen(op, "rngsim.harvest.sources") ? 0 :
	    option_tunable(op, "--loop", "rngsim.harvest.sources=none"));
}

/* A window ends with a first seed, for which design and device must wait. */
static int
finish_seeding(struct options *op)
{
	const struct design *de;
	const char *lock;

	if (!op->op_until_seeded)
		return (0);
	for (unsigned i = 0; i < op->op_designs.ol_count; i++) {
		de = design_at(op->op_designs.ol_value[i]);
		if ((de->de_flags & DE_NULL) != 0 ||
		    design_info(de).di_never_blocks)
			return (usage_error("--until-seeded: -d %s: expected a "
			    "design whose readers wait for a seed",
			    de->de_ident));
		for (unsigned l = 0; l < op->op_locks.ol_count; l++) {
			lock = lock_classes[op->op_locks.ol_value[l]]->lc_name;
			if (cell_apart(de->de_ident, lock))
				return (usage_error("--until-seeded: -l %s: "
				    "expected a lock: without one each reader "
				    "has a generator that nothing feeds",
				    lock));
		}
	}
	op->op_time_s = 0;
	op->op_config.bc_program.controls = false;
	return (options_tunable_seen(op, "rngsim.harvest.boot_entropy_bytes") ?
	    0 : option_tunable(op, "--until-seeded",
	    "rngsim.harvest.boot_entropy_bytes=0"));
}

int
options_finish(struct options *op)
{
	static int (*const steps[])(struct options *) = { finish_machine,
		finish_workload, finish_loop, finish_tunables, finish_lists,
		finish_until, finish_place, finish_producers, finish_seeding };
	int error = 0;

	op->op_ledger |= op->op_ledger_path != NULL;
	for (unsigned i = 0; error == 0 && i < nitems(steps); i++)
		error = steps[i](op);
	return (error != 0 ? error : options_check(op));
}

int
options_seed(struct options *op)
{
	uint32_t chosen;	/* short enough to be typed again */

	if (op->op_seed_given)
		return (0);
	if (getentropy(&chosen, sizeof(chosen)) != 0)
		return (run_error("no seed: %s", strerror(errno)));
	op->op_seed = chosen;
	return (0);
}
