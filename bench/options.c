#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/option_set.h"
#include "harvest/source.h"

enum {
	KIND_MEASURE	= OPTIONS_RUN | OPTIONS_SWEEP,
	KIND_ALL	= OPTIONS_RUN | OPTIONS_SWEEP | OPTIONS_CAT,

	OPT_ARRIVALS = 256,
	OPT_CRYPTO,
	OPT_ENGINE,
	OPT_FORMAT,
	OPT_PLACE,
	OPT_RATE,
	OPT_SEED,
	OPT_WORKLOAD
};

/* One option; od_kinds says who takes it. */
struct option_def {
	int		 od_short;	/* or a value above all characters */
	const char	*od_long;
	const char	*od_arg;	/* NULL: takes none */
	const char	*od_descr;
	unsigned	 od_kinds;
	option_setter	*od_set;
};

/* Continues a description under its first line. */
#define	INDENT	"                             "

/* In the order of --help.  A LIST is one value but for sweep. */
static const struct option_def defs[] = {
	{ 'c', "cipher", "LIST", "ciphers (run, cat: chacha20; sweep: all)",
	    KIND_ALL, option_ciphers },
	{ 'd', "design", "LIST", "generator designs (run, cat: concurrent; "
	    "sweep:\n"
	    INDENT "locked,concurrent)", KIND_ALL, option_designs },
	{ 'h', "help", NULL, "this text", KIND_ALL, option_help },
	{ 'l', "lock", "LIST", "lock kinds (mtx)", KIND_ALL, option_locks },
	{ 'n', "repeats", "N", "repeats of each cell (run: 1, sweep: 5)",
	    KIND_MEASURE, option_count },
	{ 'n', "bytes", "BYTES", "bytes to write (0: endless)", OPTIONS_CAT,
	    option_count },
	{ 'o', "output", "FILE", "write the result there, as JSON",
	    KIND_MEASURE, option_output },
	{ 'r', "readers", "LIST", "reader threads, 1..1024 (run: as many as "
	    "CPUs;\n"
	    INDENT "sweep: 1 to CPUs + 1, ranges as 1-4)",
	    KIND_MEASURE, option_readers },
	{ 's', "size", "LIST", "bytes of one read request, 1..1g; k, m, g are "
	    "2^10,\n"
	    INDENT "2^20, 2^30 (64k)", KIND_ALL, option_sizes },
	{ 'S', "set", "NAME=VALUE", "a tunable by its sysctl name", KIND_ALL,
	    option_tunable },
	{ 't', "time", "SECONDS", "measured time of each repeat (1)",
	    KIND_MEASURE, option_time },
	{ OPT_ARRIVALS, "arrivals", "NAME", "how --rate's requests are due "
	    "(constant)", KIND_MEASURE, option_arrivals },
	{ OPT_CRYPTO, "crypto", "MODE", "how libcrypto may compute (run, "
	    "sweep:\n"
	    INDENT "kernel; cat: native)", KIND_ALL, option_crypto },
	{ OPT_ENGINE, "engine", "NAME", "what runs the threads (real)",
	    KIND_MEASURE, option_engine },
	{ OPT_FORMAT, "format", "NAME", "what stdout gets (table)",
	    KIND_MEASURE, option_format },
	{ OPT_PLACE, "place", "ORDER", "CPUs for readers: compact, scatter, "
	    "smt-first,\n"
	    INDENT "none, or a list, as 0-2/3 with the harvest\n"
	    INDENT "thread's last (compact)", KIND_MEASURE, option_place },
	{ OPT_RATE, "rate", "RATE", "open loop: requests/s of each reader",
	    KIND_MEASURE, option_rate },
	{ OPT_SEED, "seed", "N", "seed of all that is drawn (chosen, and "
	    "printed)", KIND_ALL, option_seed },
	{ OPT_WORKLOAD, "workload", "WORKLOAD", "what readers ask for: "
	    "sizes as 16:70,4k:30,\n"
	    INDENT "think=TIME, think~TIME, burst=N:TIME, \"/\" between\n"
	    INDENT "them; or @FILE or a recorded workload's name",
	    KIND_MEASURE, option_workload },
};

CTASSERT(CELL_READERS_MAX == 1024);	/* as the text says */

enum { DEFS = sizeof(defs) / sizeof(defs[0]) };

static const struct option_def *
def_find(enum options_kind kind, int c)
{
	unsigned i;

	for (i = 0; i < DEFS; i++)
		if (defs[i].od_short == c && (defs[i].od_kinds & kind) != 0)
			return (&defs[i]);
	return (NULL);
}

/* getopt_long's two descriptions, from ours. */
static void
getopt_tables(enum options_kind kind, char *shorts, struct option *longs)
{
	unsigned i;

	*shorts++ = ':';
	for (i = 0; i < DEFS; i++) {
		if ((defs[i].od_kinds & kind) == 0)
			continue;
		if (defs[i].od_short < 256) {
			*shorts++ = (char)defs[i].od_short;
			if (defs[i].od_arg != NULL)
				*shorts++ = ':';
		}
		*longs++ = (struct option){ .name = defs[i].od_long,
		    .has_arg = defs[i].od_arg != NULL ? required_argument :
		    no_argument, .val = defs[i].od_short };
	}
	*shorts = '\0';
	memset(longs, 0, sizeof(*longs));
}

/*
 * Long names in full only: getopt_long(3) takes any unambiguous beginning,
 * which a later option can make ambiguous.
 */
static int
refuse_abbreviations(const char *command, const struct option *longs, int argc,
    char *argv[])
{
	const struct option *o;
	size_t n;
	int i;

	for (i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strncmp(argv[i], "--", 2) != 0)
			continue;
		n = strcspn(argv[i] + 2, "=");
		for (o = longs; o->name != NULL; o++)
			if (strlen(o->name) == n &&
			    strncmp(o->name, argv[i] + 2, n) == 0)
				break;
		if (o->name == NULL)
			return (usage_error(command, "unknown option %.*s; "
			    "\"rngsim %s --help\" lists them", (int)n + 2,
			    argv[i], command));
	}
	return (0);
}

/* How the user is told which option is meant. */
static const char *
option_label(const struct option_def *od, char buf[40])
{

	if (od->od_short < 256)
		snprintf(buf, 40, "-%c", od->od_short);
	else
		snprintf(buf, 40, "--%s", od->od_long);
	return (buf);
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
	    op->op_repeats > 1))
		return (usage_error(op->op_command, "-S: "
		    "rngsim.harvest.record holds the events of one repeat: "
		    "expected \"rngsim run\" without -n"));
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

/* Places that need no list always parse. */
static int
default_place(struct options *op)
{

	return (op->op_place_text != NULL ? 0 :
	    option_place(op, "--place", "compact"));
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
		for (v = 1; v <= cpu_count() + 1 && v <= CELL_READERS_MAX; v++)
			op->op_readers.ol_value[op->op_readers.ol_count++] = v;
	list_default(&op->op_readers, cpu_count() < CELL_READERS_MAX ?
	    cpu_count() : CELL_READERS_MAX);
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

static int
parse_all(struct options *op, enum options_kind kind, int argc, char *argv[])
{
	bool seen[DEFS] = { false };
	const struct option_def *od;
	struct option longs[DEFS + 1];
	char label[40], shorts[2 * DEFS + 2];
	int c, error;

	getopt_tables(kind, shorts, longs);
	error = refuse_abbreviations(op->op_command, longs, argc, argv);
	if (error != 0)
		return (error);
	optind = 1;
	while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (c == '?')
			return (usage_error(op->op_command, "unknown option "
			    "-%c; \"rngsim %s --help\" lists them", optopt,
			    op->op_command));
		od = def_find(kind, c == ':' ? optopt : c);
		if (od == NULL)
			return (usage_error(op->op_command, "unknown option"));
		option_label(od, label);
		if (c == ':')
			return (usage_error(op->op_command, "%s: expected %s "
			    "after it", label, od->od_arg));
		if (seen[od - defs] && od->od_set != option_tunable)
			return (usage_error(op->op_command, "%s is given twice",
			    label));
		seen[od - defs] = true;
		error = od->od_set(op, label, optarg);
		if (error != 0 || op->op_help)
			return (error);
	}
	if (optind < argc)
		return (usage_error(op->op_command, "surplus operand \"%s\"",
		    argv[optind]));
	return (0);
}

int
options_parse(struct options *op, enum options_kind kind, int argc,
    char *argv[])
{
	int error;

	if (init(op, kind, argv[0]) != 0)
		return (run_error(argv[0], "no memory"));
	error = parse_all(op, kind, argc, argv);
	if (error != 0 || op->op_help)
		return (error);
	error = option_workload_finish(op);
	if (error == 0)
		error = apply_tunables(op);
	if (error != 0)
		return (error);
	apply_defaults(op);
	error = default_place(op);
	if (error == 0)
		error = option_check_locks(op);
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
	memset(op, 0, sizeof(*op));
}

static void
help_choices(const char *label, unsigned count, const char *(*name)(unsigned))
{
	char names[512];

	option_join_names(names, sizeof(names), count, name);
	printf("  %-8s %s\n", label, names);
}

static const char *
arg_label(enum options_kind kind, const struct option_def *od)
{

	if (od->od_arg == NULL)
		return ("");
	return (kind != OPTIONS_SWEEP && strcmp(od->od_arg, "LIST") == 0 ?
	    "VALUE" : od->od_arg);
}

void
options_help(enum options_kind kind)
{
	char left[64];
	unsigned i;

	puts("Options:");
	for (i = 0; i < DEFS; i++) {
		const struct option_def *od = &defs[i];

		if ((od->od_kinds & (unsigned)kind) == 0)
			continue;
		if (od->od_short < 256)
			snprintf(left, sizeof(left), "-%c, --%s %s",
			    od->od_short, od->od_long, arg_label(kind, od));
		else
			snprintf(left, sizeof(left), "    --%s %s",
			    od->od_long, arg_label(kind, od));
		printf("  %-26s %s\n", left, od->od_descr);
	}
	puts("\nValues:");
	help_choices("design", generator_count, option_design_name);
	help_choices("lock", lock_class_count, option_lock_name);
	help_choices("cipher", cipher_count, option_cipher_name);
	help_choices("crypto", CRYPTO_MODES, option_crypto_name);
	if (kind != OPTIONS_CAT) {
		help_choices("engine", 1, option_engine_name);
		help_choices("format", REPORT_FORMATS, option_format_name);
	}
	puts("\n\"rngsim list\" describes them; \"rngsim list tunables\" has "
	    "what -S sets.");
}
