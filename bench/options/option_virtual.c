/*
 * The options that say which machine is simulated, and what they need.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bench/options/option_set.h"
#include "lib/number.h"

enum {
	VIRTUAL_CPUS_MAX	= 1024,
	VIRTUAL_NODES_MAX	= 64,
	UNCERTAINTY_MIN		= 10,
	UNCERTAINTY_MAX		= 1000
};

static const struct engine *const engines[OPTION_ENGINES] = {
	&ENGINE(real), &ENGINE(virtual)
};

const char *
option_engine_name(unsigned i)
{

	return (engines[i]->en_name);
}

int
option_engine(struct options *op, const char *name, const char *text)
{
	unsigned i = 0;
	int error;

	error = choice_find(op->op_command, name, text, OPTION_ENGINES,
	    option_engine_name, &i);
	if (error == 0)
		op->op_simulated = engines[i]->en_simulated;
	return (error);
}

/* Remembers an option that only a simulated machine understands. */
static void
needs_virtual(struct options *op, const char *name)
{

	if (op->op_virtual_option[0] == '\0')
		snprintf(op->op_virtual_option, sizeof(op->op_virtual_option),
		    "%s", name);
}

/* A number from least to most. */
static int
parse_count(struct options *op, const char *name, const char *text,
    const char *what, unsigned least, unsigned most, unsigned *out)
{
	uint64_t v;

	if (number_parse(text, &v) != 0 || v < least || v > most)
		return (usage_error(op->op_command, "%s: \"%s\": expected %s, "
		    "%u..%u", name, text, what, least, most));
	*out = (unsigned)v;
	return (0);
}

int
option_profile(struct options *op, const char *name, const char *text)
{

	if (text[0] == '\0')
		return (usage_error(op->op_command, "%s: \"\": expected a "
		    "profile's name or a file; \"rngsim list profiles\" has "
		    "the names", name));
	op->op_profile = text;
	needs_virtual(op, name);
	return (0);
}

int
option_cpus(struct options *op, const char *name, const char *text)
{

	needs_virtual(op, name);
	return (parse_count(op, name, text, "CPUs to simulate", 1,
	    VIRTUAL_CPUS_MAX, &op->op_cpus));
}

int
option_nodes(struct options *op, const char *name, const char *text)
{

	return (parse_count(op, name, text, "NUMA nodes", 1,
	    VIRTUAL_NODES_MAX, &op->op_nodes));
}

int
option_verify(struct options *op, const char *name, const char *text)
{

	(void)text;
	op->op_verify = true;
	needs_virtual(op, name);
	return (0);
}

int
option_uncertainty(struct options *op, const char *name, const char *text)
{

	needs_virtual(op, name);
	return (parse_count(op, name, text, "profiles to draw",
	    UNCERTAINTY_MIN, UNCERTAINTY_MAX, &op->op_uncertainty));
}

/* Defaults anew, for the simulated machine, and what -S says over them. */
static void
apply_defaults(struct options *op)
{
	const struct virtual_machine *vi = &op->op_machine;
	struct tunable_set sets[BENCH_TUNABLE_SETS];
	const struct tunable_set *set;
	const struct tunable *tn;
	char name[128], *value;
	unsigned i;
	int error;

	bench_config_default(&op->op_config, vi->vi_topology.vt_cpus);
	/* Where nobody loses his CPU while he holds a lock, none is offered. */
	if (vi->vi_profile.pr_value[PROFILE_OS_PREEMPT] < 0.5)
		op->op_config.bc_lock.spin_polls = 0;
	bench_config_sets(&op->op_config, sets);
	for (i = 0; i < op->op_tunable_count; i++) {
		snprintf(name, sizeof(name), "%s", op->op_tunables[i]);
		value = strchr(name, '=');
		*value = '\0';
		tn = tunable_find(sets, BENCH_TUNABLE_SETS, name, &set);
		value = strchr(op->op_tunables[i], '=') + 1;
		error = tunable_set_text(tn, set->ts_base, value);
		KASSERT(error == 0, ("a tunable that was good is so no more"));
	}
}

/* Lock kinds that use the host's atomics or threads. */
static int
check_locks(const struct options *op)
{
	const char *names[64], *name;
	char known[512] = "";
	unsigned count = 0, i;
	size_t used = 0;

	for (i = 0; i < lock_class_count; i++)
		if (ENGINE(virtual).en_lock_find(lock_classes[i]->lc_name) !=
		    NULL && count < sizeof(names) / sizeof(names[0]))
			names[count++] = lock_classes[i]->lc_name;
	for (i = 0; i < count && used < sizeof(known); i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used,
		    "%s%s", i == 0 ? "" : i + 1 == count ? " or " : ", ",
		    names[i]);
	for (i = 0; i < op->op_locks.ol_count; i++) {
		name = lock_classes[op->op_locks.ol_value[i]]->lc_name;
		if (ENGINE(virtual).en_lock_find(name) == NULL)
			return (usage_error(op->op_command, "-l: \"%s\" uses "
			    "this host's atomics or threads, which engine %s "
			    "does not have: expected %s", name, VIRTUAL_NAME,
			    known));
	}
	return (0);
}

/*
 * --nodes on the machine there is: threads in turn are taken to be on them, and
 * the result says by which tunable.
 */
static int
pretend_nodes(struct options *op)
{
	char text[64];

	if (op->op_nodes == 0)
		return (0);
	op->op_pretended = true;
	snprintf(text, sizeof(text), "rngsim.lock.nodes=%u", op->op_nodes);
	return (option_tunable(op, "--nodes", text));
}

int
option_virtual_finish(struct options *op)
{
	const char *profile = op->op_profile != NULL ? op->op_profile : "host";
	char why[PROFILE_ERROR_SIZE];
	int error;

	if (!op->op_simulated) {
		if (op->op_virtual_option[0] == '\0')
			return (pretend_nodes(op));
		return (usage_error(op->op_command, "%s is about a simulated "
		    "machine: add --engine %s", op->op_virtual_option,
		    VIRTUAL_NAME));
	}
	error = virtual_make(&op->op_machine, profile, op->op_cpus,
	    op->op_nodes, why);
	if (error == EINVAL)
		return (usage_error(op->op_command, "--profile: %s", why));
	if (error == ERANGE)
		return (usage_error(op->op_command, "%s: %s", op->op_nodes !=
		    0 ? "--nodes" : "--cpus", why));
	if (error != 0)
		return (run_error(op->op_command, "--profile: %s", why));
	error = check_locks(op);
	if (error != 0)
		return (error);
	apply_defaults(op);
	if (!op->op_config.bc_lock.prof_enable)
		return (usage_error(op->op_command, "-S: debug.lock.prof.enable"
		    "=0 saves nothing on engine %s, where profiling takes no "
		    "time: leave it out", VIRTUAL_NAME));
	return (0);
}
