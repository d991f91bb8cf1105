#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/console/arguments.h"
#include "bench/console/figure.h"
#include "bench/console/seed.h"
#include "bench/options/option_set.h"
#include "harvest/source.h"

enum {
	KIND_MEASURE	= OPTIONS_RUN | OPTIONS_SWEEP,
	KIND_ALL	= OPTIONS_RUN | OPTIONS_SWEEP | OPTIONS_CAT,
	VALUES		= 11	/* column of what follows their name in help */
};

/* One option; od_kinds says who takes it. */
struct option_def {
	struct argument	 od_argument;
	unsigned	 od_kinds;
	option_setter	*od_set;
};

#define	OPTION(letter, name, value, kinds, set, descr)			\
	{ { .ag_short = (letter), .ag_long = (name), .ag_value = (value), \
	    .ag_descr = (descr) }, (kinds), (set) }

/* In the order of --help.  A LIST is one value but for sweep. */
static const struct option_def defs[] = {
	OPTION('c', "cipher", "LIST", KIND_ALL, option_ciphers,
	    "ciphers (run, cat: chacha20; sweep: all)"),
	OPTION('d', "design", "LIST", KIND_ALL, option_designs,
	    "generator designs (run, cat: concurrent; sweep: "
	    "locked,concurrent)"),
	OPTION('h', "help", NULL, KIND_ALL, NULL, "this text"),
	OPTION('l', "lock", "LIST", KIND_ALL, option_locks,
	    "lock kinds (mtx)"),
	OPTION('n', "repeats", "N", KIND_MEASURE, option_count,
	    "repeats of each cell (run: 1, sweep: 5)"),
	OPTION('n', "bytes", "BYTES", OPTIONS_CAT, option_count,
	    "bytes to write (0: endless)"),
	OPTION('o', "output", "FILE", KIND_MEASURE, option_output,
	    "write the result there, as JSON"),
	OPTION('r', "readers", "LIST", KIND_ALL, option_readers,
	    "reader threads, 1..1024 (run: as many as CPUs; sweep: 1 to "
	    "CPUs + 1, ranges as 1-4; engine virtual: powers of two to CPUs; "
	    "cat: 1)"),
	OPTION('s', "size", "LIST", KIND_ALL, option_sizes,
	    "bytes of one read request, 1..1g; k, m, g are 2^10, 2^20, 2^30 "
	    "(64k)"),
	{ { 'S', "set", "NAME=VALUE", "a tunable by its sysctl name", true },
	    KIND_ALL, option_tunable },
	OPTION('t', "time", "SECONDS", KIND_MEASURE, option_time,
	    "measured time of each repeat (1)"),
	OPTION('\0', "arrivals", "NAME", KIND_MEASURE, option_arrivals,
	    "how --rate's requests are due (constant)"),
	OPTION('\0', "cpus", "N", KIND_MEASURE, option_cpus,
	    "CPUs of the simulated machine, 1..1024 (the profile's)"),
	OPTION('\0', "crypto", "MODE", KIND_ALL, option_crypto,
	    "how libcrypto may compute (run, sweep: kernel; cat: native)"),
	OPTION('\0', "engine", "NAME", KIND_MEASURE, option_engine,
	    "what runs the threads (real)"),
	{ { '\0', "failpoint", "NAME=SPEC", "a fail point and what it does, "
	    "as fail(9) has it: 50%return(1)->2*sleep(5); nothing is "
	    "measured then", true }, OPTIONS_RUN, option_failpoint },
	OPTION('\0', "format", "NAME", KIND_MEASURE, option_format,
	    "what stdout gets (table)"),
	OPTION('\0', "interleave", "BYTES", OPTIONS_CAT, option_interleave,
	    "bytes of each reader in a row, 1..1g (64)"),
	OPTION('\0', "ledger", NULL, KIND_MEASURE, option_ledger,
	    "check all that is done with keys, counters, pools and reseeds, "
	    "and say what that costs"),
	OPTION('\0', "ledger-log", "FILE", OPTIONS_RUN, option_ledger_log,
	    "the same, and write each operation there as a line"),
	OPTION('\0', "nodes", "N", KIND_MEASURE, option_nodes,
	    "NUMA nodes of the simulated machine (as the profile's); without "
	    "one, nodes to pretend (none)"),
	OPTION('\0', "place", "ORDER", KIND_ALL, option_place,
	    "CPUs for readers: compact, scatter, smt-first, none, or a list, "
	    "as 0-2/3 with the harvest thread's last (compact)"),
	OPTION('\0', "profile", "PROFILE", KIND_MEASURE, option_profile,
	    "what operations cost on the simulated machine: a name, or a file "
	    "in .conf (host)"),
	OPTION('\0', "rate", "RATE", KIND_MEASURE, option_rate,
	    "open loop: requests/s of each reader"),
	OPTION('\0', "resume", "FILE", KIND_MEASURE, option_resume,
	    "go on with the unfinished run whose result was to be FILE; what "
	    "it was begun with is known"),
	OPTION('\0', "seed", "N", KIND_MEASURE, option_seed, SEED_DESCR),
	OPTION('\0', "seed", "N", OPTIONS_CAT, option_seed,
	    "of the boot entropy, which the host's generator gives without"),
	OPTION('\0', "stream", "K", OPTIONS_CAT, option_stream,
	    "write what reader K reads and none of the others, 0..readers - 1"),
	OPTION('\0', "trace", "FILE", OPTIONS_RUN, option_trace,
	    "write who ran, held and waited when: trace events for Perfetto, "
	    "or text where FILE ends in .txt; with --engine virtual"),
	OPTION('\0', "trace-time", "MS", OPTIONS_RUN, option_trace_time,
	    "the part of the window to trace: its first MS milliseconds, or "
	    "A-B, from when to when (10)"),
	OPTION('\0', "uncertainty", "N", KIND_MEASURE, option_uncertainty,
	    "predict with N profiles drawn around the one given, too"),
	OPTION('\0', "verify", NULL, KIND_MEASURE, option_verify,
	    "make the bytes on the simulated machine too, and their SHA-256"),
	OPTION('\0', "workload", "WORKLOAD", KIND_MEASURE, option_workload,
	    "what readers ask for: sizes as 16:70,4k:30, think=TIME, "
	    "think~TIME, burst=N:TIME, \"/\" between them; or @FILE or a "
	    "recorded workload's name"),
};

CTASSERT(CELL_READERS_MAX == 1024);	/* as the text says */

enum { DEFS = sizeof(defs) / sizeof(defs[0]) };

/* What a command of one kind takes. */
struct taking {
	struct options	*ta_options;
	bool		 ta_takes[DEFS];
	struct argument	 ta_arguments[DEFS];
};

static const struct argument *
taken(const void *context, unsigned i)
{
	const struct taking *ta = context;

	return (ta->ta_takes[i] ? &ta->ta_arguments[i] : NULL);
}

static int
set(void *context, unsigned i, const char *label, const char *value)
{
	const struct taking *ta = context;

	return (defs[i].od_set(ta->ta_options, label, value));
}

static struct arguments
arguments_of(enum options_kind kind, const char *command, struct taking *ta)
{
	unsigned i;

	for (i = 0; i < DEFS; i++) {
		struct argument *ag = &ta->ta_arguments[i];

		*ag = defs[i].od_argument;
		ta->ta_takes[i] = (defs[i].od_kinds & (unsigned)kind) != 0;
		if (kind != OPTIONS_SWEEP && ag->ag_value != NULL &&
		    strcmp(ag->ag_value, "LIST") == 0)
			ag->ag_value = "VALUE";
	}
	return ((struct arguments){ .as_command = command, .as_option = taken,
	    .as_options = DEFS, .as_set = set, .as_context = ta });
}

/* What options_given() collects. */
struct giving {
	struct taking	 gi_taking;
	struct option_given *gi_out;
	unsigned	 gi_count;
};

static const struct argument *
giving_option(const void *context, unsigned i)
{
	const struct giving *gi = context;

	return (taken(&gi->gi_taking, i));
}

static int
giving_set(void *context, unsigned i, const char *label, const char *value)
{
	const struct argument *ag = &defs[i].od_argument;
	static char labels[DEFS][ARGUMENTS_LABEL_SIZE];
	struct giving *gi = context;

	snprintf(labels[i], sizeof(labels[i]), "%s", label);
	gi->gi_out[gi->gi_count++] = (struct option_given){
		.og_name = ag->ag_long, .og_label = labels[i],
		.og_value = value, .og_repeats = ag->ag_repeats };
	return (0);
}

int
options_given(enum options_kind kind, int argc, char *argv[],
    struct option_given *given, unsigned *count, bool *help)
{
	struct giving gi = { .gi_out = given };
	struct arguments as;
	int error;

	as = arguments_of(kind, argv[0], &gi.gi_taking);
	as.as_option = giving_option;
	as.as_set = giving_set;
	as.as_context = &gi;
	error = arguments_parse(&as, &argc, argv, help);
	*count = gi.gi_count;
	return (error);
}

void
options_free_words(char **words)
{
	unsigned i;

	for (i = 0; words != NULL && words[i] != NULL; i++)
		free(words[i]);
	free(words);
}

static int
list_default(struct option_list *ol, uint64_t value)
{

	if (ol->ol_count == 0)
		ol->ol_value[ol->ol_count++] = value;
	return (0);
}

static unsigned
index_of_design(const char *name)
{
	unsigned i;

	for (i = 0; strcmp(generators[i]->ra_ident, name) != 0; i++)
		KASSERT(i + 1 < generator_count, ("no design %s", name));
	return (i);
}

static unsigned
index_of_lock(const char *name)
{
	unsigned i;

	for (i = 0; strcmp(lock_classes[i]->lc_name, name) != 0; i++)
		KASSERT(i + 1 < lock_class_count, ("no lock %s", name));
	return (i);
}

static unsigned
index_of_cipher(const char *name)
{
	unsigned i;

	for (i = 0; strcmp(ciphers[i]->ci_name, name) != 0; i++)
		KASSERT(i + 1 < cipher_count, ("no cipher %s", name));
	return (i);
}

/* A FreeBSD tunable that says the same as an option, or contradicts it. */
static int
tunable_as_option(struct options *op, const char *tunable, const char *option,
    struct option_list *ol, uint64_t wanted, const char *wanted_name)
{

	if (!option_tunable_seen(op, tunable))
		return (0);
	if (ol->ol_count != 0 && (ol->ol_count > 1 ||
	    ol->ol_value[0] != wanted))
		return (usage_error(op->op_command, "-S %s means %s %s, but %s "
		    "says otherwise: drop one of them", tunable, option,
		    wanted_name, option));
	return (list_default(ol, wanted));
}

/* Sources that do not exist, files that are not there: before measuring. */
static int
check_sources(const struct options *op)
{
	const struct harvest_config *hc = &op->op_config.bc_harvest;
	struct random_source_list list;
	struct harvest_error why;
	int error;

	if (random_source_list_parse(&list, hc->sources, &why) != 0)
		return (usage_error(op->op_command, "-S: %s", why.text));
	error = random_sources_check(hc, &list, &why);
	if (error == EINVAL && hc->replay_file[0] == '\0')
		return (usage_error(op->op_command, "-S: %s", why.text));
	if (error != 0)
		return (run_error(op->op_command, "%s", why.text));
	if (hc->record_file[0] != '\0' && (op->op_kind != OPTIONS_RUN ||
	    op->op_repeats > 1 || op->op_uncertainty > 0))
		return (usage_error(op->op_command, "-S: "
		    "rngsim.harvest.record holds the events of one repeat: "
		    "expected \"rngsim run\" without -n%s",
		    op->op_uncertainty > 0 ? " and --uncertainty" : ""));
	return (0);
}

static int
apply_tunables(struct options *op)
{
	const struct program_config *pc = &op->op_config.bc_program;
	const char *design = pc->concurrent_read ? "concurrent" : "locked";
	const char *cipher = pc->use_chacha20_cipher ? "chacha20" : "aes";
	const struct lock_config *lc = &op->op_config.bc_lock;
	int error;

	error = tunable_as_option(op, "kern.random.fortuna.concurrent_read",
	    "-d", &op->op_designs, index_of_design(design), design);
	if (error == 0)
		error = tunable_as_option(op,
		    "kern.random.use_chacha20_cipher", "-c", &op->op_ciphers,
		    index_of_cipher(cipher), cipher);
	if (error != 0)
		return (error);
	if (lc->delay_base > lc->delay_max)
		return (usage_error(op->op_command, "-S: debug.lock.delay_base "
		    "is %u, more than debug.lock.delay_max, %u",
		    lc->delay_base, lc->delay_max));
	return (check_sources(op));
}

/* The CPUs that threads have. */
static unsigned
cpus_of(const struct options *op)
{

	return (op->op_simulated ? op->op_machine.vi_topology.vt_cpus :
	    cpu_count());
}

/*
 * A sweep's numbers of readers: all up to one more than there are CPUs, or on a
 * simulated machine, which may have many, powers of two up to their number.
 */
static void
default_readers(struct options *op)
{
	unsigned cpus = cpus_of(op), v;

	if (!op->op_simulated)
		for (v = 1; v <= cpus + 1 && v <= CELL_READERS_MAX; v++)
			op->op_readers.ol_value[op->op_readers.ol_count++] = v;
	else
		for (v = 1; v < cpus; v *= 2)
			op->op_readers.ol_value[op->op_readers.ol_count++] = v;
	if (op->op_simulated)
		op->op_readers.ol_value[op->op_readers.ol_count++] = cpus;
}

static void
apply_defaults(struct options *op)
{
	bool sweep = op->op_kind == OPTIONS_SWEEP;
	unsigned v;

	if (sweep && op->op_designs.ol_count == 0) {
		list_default(&op->op_designs, index_of_design("locked"));
		op->op_designs.ol_value[op->op_designs.ol_count++] =
		    index_of_design("concurrent");
	}
	list_default(&op->op_designs, index_of_design("concurrent"));
	list_default(&op->op_locks, index_of_lock("mtx"));
	if (sweep && op->op_ciphers.ol_count == 0)
		for (v = 0; v < cipher_count; v++)
			op->op_ciphers.ol_value[op->op_ciphers.ol_count++] = v;
	list_default(&op->op_ciphers, index_of_cipher("chacha20"));
	if (sweep && op->op_readers.ol_count == 0)
		default_readers(op);
	list_default(&op->op_readers, op->op_kind == OPTIONS_CAT ? 1 :
	    cpus_of(op) < CELL_READERS_MAX ? cpus_of(op) : CELL_READERS_MAX);
	list_default(&op->op_sizes, 64 * 1024);
	if (op->op_repeats == 0)
		op->op_repeats = sweep ? 5 : 1;
	if (op->op_time_s <= 0)
		op->op_time_s = 1;
}

static int
check_grid(const struct options *op)
{
	uint64_t cells;

	cells = (uint64_t)op->op_designs.ol_count * op->op_locks.ol_count *
	    op->op_ciphers.ol_count;
	cells *= (uint64_t)op->op_readers.ol_count * op->op_sizes.ol_count;
	if (cells > OPTIONS_CELLS_MAX)
		return (usage_error(op->op_command, "the lists make %" PRIu64
		    " cells: expected at most %d", cells, OPTIONS_CELLS_MAX));
	return (0);
}

static int
init(struct options *op, enum options_kind kind, const char *command)
{
	struct option_list *const lists[] = { &op->op_designs, &op->op_locks,
	    &op->op_ciphers, &op->op_readers, &op->op_sizes };
	unsigned i;

	memset(op, 0, sizeof(*op));
	op->op_command = command;
	op->op_kind = kind;
	op->op_interleave_bytes = 64;
	op->op_stream = -1;
	workload_init(&op->op_workload);
	op->op_crypto = kind == OPTIONS_CAT ? CRYPTO_NATIVE : CRYPTO_KERNEL;
	bench_config_default(&op->op_config, cpu_count());
	op->op_tunables = calloc(1, sizeof(*op->op_tunables));
	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		lists[i]->ol_value = calloc(OPTIONS_LIST_MAX + 1,
		    sizeof(uint64_t));
		if (lists[i]->ol_value == NULL)
			return (ENOMEM);
	}
	return (op->op_tunables == NULL ? ENOMEM : 0);
}

int
options_parse(struct options *op, enum options_kind kind, int argc,
    char *argv[])
{
	struct taking ta = { .ta_options = op };
	struct arguments as;
	int error;

	if (init(op, kind, argv[0]) != 0)
		return (run_error(argv[0], "no memory"));
	as = arguments_of(kind, argv[0], &ta);
	error = arguments_parse(&as, &argc, argv, &op->op_help);
	if (error != 0 || op->op_help)
		return (error);
	error = option_virtual_finish(op);
	if (error == 0)
		error = option_workload_finish(op);
	if (error == 0)
		error = apply_tunables(op);
	if (error != 0)
		return (error);
	apply_defaults(op);
	error = option_place_finish(op);
	if (error == 0)
		error = option_check_choices(op);
	if (error == 0)
		error = option_check_hash(op);
	if (error == 0)
		error = option_trace_finish(op);
	if (error == 0)
		error = option_failpoint_finish(op);
	if (error == 0)
		error = option_ledger_finish(op);
	if (error == 0 && kind == OPTIONS_CAT)
		error = option_cat_finish(op);
	return (error != 0 ? error : check_grid(op));
}

void
options_free(struct options *op)
{
	unsigned i;

	place_free(&op->op_place);
	free(op->op_designs.ol_value);
	free(op->op_locks.ol_value);
	free(op->op_ciphers.ol_value);
	free(op->op_readers.ol_value);
	free(op->op_sizes.ol_value);
	for (i = 0; i < op->op_tunable_count; i++)
		free(op->op_tunables[i]);
	free(op->op_tunables);
	workload_free(&op->op_workload);
	options_free_words(op->op_words);
	memset(op, 0, sizeof(*op));
}

static void
help_choices(const char *label, unsigned count, const char *(*name)(unsigned))
{
	char first[2 + VALUES], names[512];

	choice_join(names, sizeof(names), count, name);
	snprintf(first, sizeof(first), "  %s", label);
	figure_wrap(stdout, first, VALUES, names);
}

void
options_help(enum options_kind kind)
{
	struct taking ta = { .ta_options = NULL };
	struct arguments as = arguments_of(kind, NULL, &ta);

	arguments_help(&as);
	puts("\nValues:");
	help_choices("design", generator_count, option_design_name);
	help_choices("lock", lock_class_count, option_lock_name);
	help_choices("cipher", cipher_count, option_cipher_name);
	help_choices("crypto", CRYPTO_MODES, option_crypto_name);
	if (kind != OPTIONS_CAT) {
		help_choices("engine", OPTION_ENGINES, option_engine_name);
		help_choices("format", REPORT_FORMATS, option_format_name);
	}
	puts("\n\"rngsim list\" describes them; \"rngsim list tunables\" has "
	    "what -S sets.");
}
