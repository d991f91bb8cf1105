/*
 * What follows from several options of run, sweep and cat together.
 */
#include "bench/cell/slices.h"
#include "bench/cli/memory.h"
#include "bench/kernel/ksource.h"
#include "bench/options/options.h"
#include "fortuna/kernel/design.h"
#include "lib/base/parse_number.h"

/* Percent. */
#define	UNTIL_MIN	0.01
#define	PS_PER_MS	1e9

enum { TRACE_MS_MAX = 86400 * 1000, TUNABLE_NAME_SIZE = 128 };

/*
 * Sets "name=value" in op_config; the rest of text after the name is *value.
 *
 * Returns: NULL for another text, with *value NULL, or another name.
 */
static const struct tunable *
set_tunable(struct options *op, const char *text, const char **value,
    int *error)
{
	struct tunable_set sets[BENCH_TUNABLE_SETS];
	char name[TUNABLE_NAME_SIZE];
	const struct tunable_set *set;
	const struct tunable *tn;
	size_t n = strcspn(text, "=");

	*value = NULL;
	if (n == 0 || text[n] == '\0' || n >= sizeof(name))
		return (NULL);
	*value = text + n + 1;
	snprintf(name, sizeof(name), "%.*s", (int)n, text);
	bench_config_sets(&op->op_config, sets);
	tn = tunable_find(sets, BENCH_TUNABLE_SETS, name, &set);
	if (tn != NULL)
		*error = tunable_set_text(tn, set->ts_base, *value);
	return (tn);
}

bool
options_tunable_seen(const struct options *op, const char *name)
{
	size_t n = strlen(name);

	for (unsigned i = 0; i < op->op_tunable_count; i++)
		if (strncmp(op->op_tunables[i], name, n) == 0 &&
		    op->op_tunables[i][n] == '=')
			return (true);
	return (false);
}

int
option_tunable(struct options *op, const char *label, const char *text)
{
	char range[OPTION_TEXT_SIZE];
	const struct tunable *tn;
	const char *value;
	int error;

	tn = set_tunable(op, text, &value, &error);
	if (value == NULL)
		return (usage_error("%s: \"%s\": expected name=value; \"rngsim "
		    "list tunables\" has the names", label, text));
	/* Another name may be a kernel source's: finish_tunables(). */
	snprintf(range, sizeof(range), "%.*s", (int)(value - 1 - text), text);
	if (options_tunable_seen(op, range))
		return (usage_error("%s: %s is set twice", label, range));
	if (tn != NULL && error != 0) {
		tunable_range(tn, range, sizeof(range));
		return (usage_error("%s: %s: \"%s\": expected %s", label,
		    tn->tn_name, value, range));
	}
	op->op_tunables = xreallocarray(op->op_tunables,
	    op->op_tunable_count + 2, sizeof(*op->op_tunables));
	op->op_tunables[op->op_tunable_count++] = xstrdup(text);
	op->op_tunables[op->op_tunable_count] = NULL;
	return (0);
}

int
option_failpoint(struct options *op, const char *label, const char *text)
{
	char why[FAILPOINTS_ERROR_SIZE];

	if (failpoints_parse(&op->op_faults, text, why) != 0)
		return (usage_error("%s: %s", label, why));
	return (0);
}

int
option_fail_if(struct options *op, const char *label, const char *text)
{
	if (op->op_fail_ifs == OPTIONS_FAIL_IF_MAX)
		return (usage_error("%s is given more than %d times", label,
		    OPTIONS_FAIL_IF_MAX));
	op->op_fail_if[op->op_fail_ifs++] = text;
	return (0);
}

/* A percentage, as a share. */
static int
read_percent(const char *label, const char *text, double least, double *share)
{
	char number[64];
	size_t n = strspn(text, ".0123456789");
	double percent;

	snprintf(number, sizeof(number), "%.*s", (int)n, text);
	if (parse_real(number, &percent) != 0 || percent < least ||
	    percent > 100 || (text[n] != '\0' && strcmp(text + n, "%") != 0))
		return (usage_error("%s: \"%s\": expected %g%% to 100%%", label,
		    text, least));
	*share = percent / 100;
	return (0);
}

int
option_margin(struct options *op, const char *label, const char *text)
{
	return (read_percent(label, text, 0, &op->op_margin));
}

int
option_until(struct options *op, const char *label, const char *text)
{
	return (read_percent(label, text, UNTIL_MIN, &op->op_until));
}

int
option_trace_time(struct options *op, const char *label, const char *text)
{
	const char *dash = strchr(text, '-');
	uint64_t ps[2];
	char from[64] = "0";
	double ms[2];

	if (dash != NULL)
		snprintf(from, sizeof(from), "%.*s", (int)(dash - text), text);
	if (parse_real(from, &ms[0]) == 0 && ms[0] <= TRACE_MS_MAX &&
	    parse_real(dash == NULL ? text : dash + 1, &ms[1]) == 0 &&
	    ms[1] <= TRACE_MS_MAX) {
		ps[0] = (uint64_t)(ms[0] * PS_PER_MS + 0.5);
		ps[1] = (uint64_t)(ms[1] * PS_PER_MS + 0.5);
		op->op_trace_span = (struct timeline_span){ ps[0], ps[1] };
		if (ps[1] > ps[0])
			return (0);
	}
	return (usage_error("%s: \"%s\": expected milliseconds of the window, "
	    "more than 0, or from when to when, such as 5-7.5, at most %d",
	    label, text, TRACE_MS_MAX));
}

int
option_workload(struct options *op, const char *label, const char *text)
{
	char why[WORKLOAD_ERROR_SIZE] = "";
	int error;

	error = workload_parse(text, &op->op_workload, why);
	if (error == EINVAL)
		return (usage_error("%s: %s", label, why));
	if (error != 0)
		return (run_error("%s: %s", label, why));
	return (0);
}

/* Sets the tunables again, over the defaults of a simulated machine. */
static void
configure_machine(struct options *op)
{
	const struct virtual_machine *vi = &op->op_machine;
	const char *value;
	int error;

	bench_config_default(&op->op_config, vi->vi_topology.vt_cpus);
	/* Polling saves a spinner's CPU only where threads are preempted. */
	if (vi->vi_profile.pr_value[PROFILE_OS_PREEMPT] < 0.5)
		op->op_config.bc_lock.spin_polls = 0;
	for (unsigned i = 0; i < op->op_tunable_count; i++)
		if (set_tunable(op, op->op_tunables[i], &value, &error) != NULL)
			KASSERT(error == 0, ("\"%s\"", op->op_tunables[i]));
}

/* Without a simulated machine --nodes is a tunable, which results record. */
static int
finish_host(struct options *op)
{
	char label[OPTION_LABEL_SIZE], text[64];

	for (unsigned id = 0; id < OPTIONS; id++)
		if ((option_defs[id].od_flags & SIMULATED) != 0 &&
		    op->op_text[id] != NULL)
			return (usage_error("%s is about a simulated machine: "
			    "add --engine %s", option_label((enum option_id)id,
			    label), VIRTUAL_NAME));
	if (op->op_nodes == 0)
		return (0);
	op->op_pretended = true;
	snprintf(text, sizeof(text), OPTIONS_LOCK_NODES "=%u", op->op_nodes);
	return (option_tunable(op, "--nodes", text));
}

static int
finish_machine(struct options *op)
{
	char why[PROFILE_ERROR_SIZE];
	int error;

	if (!op->op_simulated)
		return (finish_host(op));
	error = virtual_make(&op->op_machine, op->op_profile, op->op_cpus,
	    op->op_nodes, why);
	if (error == EINVAL)
		return (usage_error("--profile: %s", why));
	if (error == ERANGE)
		return (usage_error("%s: %s", op->op_nodes != 0 ? "--nodes" :
		    "--cpus", why));
	if (error != 0)
		return (run_error("--profile: %s", why));
	op->op_cpus = op->op_machine.vi_topology.vt_cpus;
	op->op_nodes = op->op_machine.vi_topology.vt_nodes;
	error = options_check_simulated_locks(op);
	if (error != 0)
		return (error);
	configure_machine(op);
	if (!op->op_config.bc_lock.prof_enable)
		return (usage_error("-S: debug.lock.prof.enable=0 saves "
		    "nothing on engine %s, where profiling takes no time: "
		    "leave it out", VIRTUAL_NAME));
	return (0);
}

static int
finish_workload(struct options *op)
{
	struct workload *wl = &op->op_workload;
	bool recorded = wl->wl_arrivals == ARRIVALS_RECORDED;

	if (GIVEN(op, SIZE) && (recorded || wl->wl_size_count > 0))
		return (usage_error("-s and --workload %s both set the sizes "
		    "of requests: drop one of them", wl->wl_text));
	if (GIVEN(op, ARRIVALS) && !GIVEN(op, RATE))
		return (usage_error("--arrivals: expected --rate with it"));
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

/* Gives the kernel sources among the designs what only they have. */
static int
set_kernels(const char *text)
{
	char name[TUNABLE_NAME_SIZE], why[KERNEL_ERROR_SIZE];
	const int n = (int)strcspn(text, "=");

	snprintf(name, sizeof(name), "%.*s", n, text);
	switch (kernel_design_set(name, text + n + 1, why)) {
	case 0:
		return (0);
	case ENOENT:
		return (usage_error("-S: \"%s\" is no tunable; \"rngsim list "
		    "tunables\" has the names", name));
	default:
		return (usage_error("-S: %s: \"%s\": %s", name, text + n + 1,
		    why));
	}
}

/* Whether a mode can be set for kernel sources: beside them only its twin. */
static bool
has_kernels(const struct option_list *designs, const char *twin)
{
	const char *name;
	unsigned kernels = 0;

	for (unsigned i = 0; i < designs->ol_count; i++) {
		name = generators[designs->ol_value[i]]->ra_ident;
		if (ksource_named(name))
			kernels++;
		else if (strcmp(name, twin) != 0)
			return (false);
	}
	return (kernels > 0);
}

/* A FreeBSD tunable that means an option's value, or contradicts it. */
static int
tunable_as_option(struct options *op, const char *tunable, enum option_id id,
    struct option_list *ol, const char *value)
{
	char label[OPTION_LABEL_SIZE];
	uint64_t wanted;

	if (!options_tunable_seen(op, tunable))
		return (0);
	wanted = (uint64_t)family_find(option_defs[id].od_family, value);
	option_label(id, label);
	if (op->op_text[id] != NULL && (ol->ol_count > 1 ||
	    ol->ol_value[0] != wanted))
		return (usage_error("-S %s means %s %s, but %s says otherwise: "
		    "drop one of them", tunable, label, value, label));
	ol->ol_count = 0;
	return (option_list_add(ol, label, value, wanted));
}

/* Sources that do not exist, files that are not there: before measuring. */
static int
finish_sources(const struct options *op)
{
	const struct harvest_config *hc = &op->op_config.bc_harvest;
	struct random_source_list list;
	struct harvest_error why;
	int error;

	if (random_source_list_parse(&list, hc->sources, &why) != 0)
		return (usage_error("-S: %s", why.text));
	error = random_sources_check(hc, &list, &why);
	if (error == EINVAL && hc->replay_file[0] == '\0')
		return (usage_error("-S: %s", why.text));
	if (error != 0)
		return (run_error("%s", why.text));
	if (hc->record_file[0] != '\0' && (op->op_cmd != COMMAND_run ||
	    op->op_repeats > 1 || op->op_uncertainty > 0))
		return (usage_error("-S: rngsim.harvest.record holds "
		    "the events of one repeat: expected \"rngsim run\" without "
		    "-n%s", op->op_uncertainty > 0 ? " and --uncertainty" :
		    ""));
	return (0);
}

static int
finish_tunables(struct options *op)
{
	const struct program_config *pc = &op->op_config.bc_program;
	static const char concurrent_read[] =
	    "kern.random.fortuna.concurrent_read";
	const struct lock_config *lc = &op->op_config.bc_lock;
	const char *twin, *value;
	unsigned i;
	int error;

	for (i = 0; i < op->op_tunable_count; i++)
		if (set_tunable(op, op->op_tunables[i], &value, &error) ==
		    NULL && (error = set_kernels(op->op_tunables[i])) != 0)
			return (error);
	twin = pc->concurrent_read ? "concurrent" : "locked";
	if (options_tunable_seen(op, concurrent_read) &&
	    has_kernels(&op->op_designs, twin))
		error = set_kernels(pc->concurrent_read ?
		    "kern.random.fortuna.concurrent_read=1" :
		    "kern.random.fortuna.concurrent_read=0");
	else
		error = tunable_as_option(op, concurrent_read, OPTION_DESIGN,
		    &op->op_designs, twin);
	if (error == 0)
		error = tunable_as_option(op,
		    "kern.random.use_chacha20_cipher", OPTION_CIPHER,
		    &op->op_ciphers, pc->use_chacha20_cipher ? "chacha20" :
		    "aes");
	if (error == 0 && lc->delay_base > lc->delay_max)
		error =
		    usage_error("-S: debug.lock.delay_base is %u, more than "
		    "debug.lock.delay_max, %u", lc->delay_base, lc->delay_max);
	return (error != 0 ? error : finish_sources(op));
}

/* Repeats end when differences are known: there must be some to be known. */
static int
finish_until(struct options *op)
{
	if (op->op_until == 0)
		return (!GIVEN(op, TIME_LIMIT) ? 0 :
		    usage_error("--time-limit: expected --until with it"));
	if (op->op_simulated || op->op_ledger ||
	    op->op_time_s < SLICES_MIN_TIME_S || op->op_designs.ol_count *
	    op->op_locks.ol_count * op->op_ciphers.ol_count < 2)
		return (usage_error("--until: expected two designs, locks or "
		    "ciphers or more to compare, -t %g or more, --engine real, "
		    "and no --ledger", SLICES_MIN_TIME_S));
	op->op_until_repeats = op->op_repeats;
	op->op_repeats = OPTIONS_REPEATS_MAX;
	return (0);
}

/* The defaults that options.tbl has in words. */
static int
finish_lists(struct options *op)
{
	unsigned cpus = op->op_simulated ? op->op_cpus : cpu_count();
	bool sweep = op->op_cmd == COMMAND_sweep;
	int error = 0;

	if (cpus > CELL_READERS_MAX)
		cpus = CELL_READERS_MAX;
	if (op->op_ciphers.ol_count == 0)
		for (unsigned v = 0; error == 0 && v < cipher_count; v++)
			error = option_list_add(&op->op_ciphers, "", "", v);
	if (op->op_readers.ol_count > 0)
		return (error);
	for (unsigned v = 1; sweep && error == 0 && v < cpus;
	    v = op->op_simulated ? v * 2 : v + 1)
		error = option_list_add(&op->op_readers, "", "", v);
	if (error == 0)
		error = option_list_add(&op->op_readers, "", "", cpus);
	if (error == 0 && sweep && !op->op_simulated && cpus < CELL_READERS_MAX)
		error = option_list_add(&op->op_readers, "", "", cpus + 1);
	return (error);
}

static int
finish_place(struct options *op)
{
	char why[PINNING_ERROR_SIZE];
	int error;

	error = pinning_parse(&op->op_place, op->op_place_text,
	    op->op_simulated ? &op->op_machine.vi_topology : NULL, why);
	if (error == EINVAL)
		return (usage_error("--place: \"%s\": %s", op->op_place_text,
		    why));
	if (error != 0)
		return (run_error("--place: %s", why));
	return (0);
}

/* A lock loop is the null design's, with no events and one byte a request. */
static int
finish_loop(struct options *op)
{
	static const char sources[] = "rngsim.harvest.sources";
	const int none = family_find(&family_designs, "none");
	int error = 0;

	if (!op->op_lock_loop)
		return (0);
	if (!GIVEN(op, DESIGN)) {
		op->op_designs.ol_count = 0;
		error =
		    option_list_add(&op->op_designs, "", "", (uint64_t)none);
	}
	if (error != 0)
		return (error);
	if (op->op_designs.ol_count != 1 ||
	    op->op_designs.ol_value[0] != (uint64_t)none)
		return (usage_error("--loop: \"lock\" is of design none: "
		    "expected -d none or no -d"));
	if (GIVEN(op, SIZE) || op->op_workload.wl_size_count > 0)
		return (usage_error("--loop: \"lock\" reads nothing: expected "
		    "no sizes of requests"));
	op->op_sizes.ol_value[0] = op->op_sizes.ol_count = 1;
	/* One cipher is as good as the other. */
	if (op->op_ciphers.ol_count == 0)
		error = option_list_add(&op->op_ciphers, "", "", 0);
	return (error != 0 ? error : options_tunable_seen(op, sources) ? 0 :
	    option_tunable(op, "--loop", "rngsim.harvest.sources=none"));
}

int
options_finish(struct options *op)
{
	static int (*const steps[])(struct options *) = { finish_machine,
		finish_workload, finish_loop, finish_tunables, finish_lists,
		finish_until, finish_place };
	int error = 0;

	op->op_ledger |= op->op_ledger_path != NULL;
	for (unsigned i = 0; error == 0 && i < sizeof(steps) / sizeof(steps[0]);
	    i++)
		error = steps[i](op);
	return (error != 0 ? error : options_check(op));
}
