/*
 * Whether what was chosen goes together: designs with locks, and tunables with
 * those who heed them.
 */
#include <stdio.h>
#include <string.h>

#include "bench/options/option_set.h"

enum { NAMES_SIZE = 512 };

/* A list of names under way. */
struct names {
	char	na_text[NAMES_SIZE];
	size_t	na_used;
};

static const char lock_nodes[] = "rngsim.lock.nodes";

static void
names_add(struct names *na, const char *name)
{
	size_t left = sizeof(na->na_text) - na->na_used;

	if (left <= 1)
		return;
	na->na_used += (size_t)snprintf(na->na_text + na->na_used, left,
	    "%s%s", na->na_used == 0 ? "" : ", ", name);
	if (na->na_used > sizeof(na->na_text) - 1)
		na->na_used = sizeof(na->na_text) - 1;
}

static bool
lock_heeds(const struct lock_class *lc, unsigned knob)
{

	return ((lc->lc_knobs & knob) != 0);
}

/* What a lock's knob is to designs: whoever has nodes counts as locks do. */
static bool
design_heeds_lock(const struct random_algorithm *ra, unsigned knob)
{

	return (knob == LK_NODES && (ra->ra_flags & RA_NODES) != 0);
}

/* Whether some chosen lock or design heeds a lock's knob. */
static bool
lock_knob_heeded(const struct options *op, unsigned knob)
{
	unsigned i;

	for (i = 0; i < op->op_locks.ol_count; i++)
		if (lock_heeds(lock_classes[op->op_locks.ol_value[i]], knob))
			return (true);
	for (i = 0; i < op->op_designs.ol_count; i++)
		if (design_heeds_lock(generators[op->op_designs.ol_value[i]],
		    knob))
			return (true);
	return (false);
}

static int
refuse_lock_knob(const struct options *op, const char *what, unsigned knob)
{
	struct names chosen = { .na_used = 0 }, designs = chosen;
	struct names heeding = chosen;
	unsigned i;

	for (i = 0; i < op->op_locks.ol_count; i++)
		names_add(&chosen, lock_classes[op->op_locks.ol_value[i]]->
		    lc_name);
	for (i = 0; i < lock_class_count; i++)
		if (lock_heeds(lock_classes[i], knob))
			names_add(&heeding, lock_classes[i]->lc_name);
	for (i = 0; i < generator_count; i++)
		if (design_heeds_lock(generators[i], knob))
			names_add(&designs, generators[i]->ra_ident);
	return (usage_error(op->op_command, "%s has no effect on -l %s: "
	    "expected one of %s%s%s%s", what, chosen.na_text,
	    heeding.na_text, designs.na_used == 0 ? "" : "; or -d ",
	    designs.na_text, op->op_pretended ? "; or, to simulate nodes, add "
	    "--engine " VIRTUAL_NAME : ""));
}

static int
check_lock_tunables(const struct options *op)
{
	char what[128];
	unsigned i, knob;

	for (i = 0; i < lock_tunable_count; i++) {
		const char *name = lock_tunables[i].tn_name;

		knob = lock_tunable_knob(name);
		if (knob == 0 || !option_tunable_seen(op, name) ||
		    lock_knob_heeded(op, knob))
			continue;
		snprintf(what, sizeof(what), "-S: %s", name);
		return (refuse_lock_knob(op, op->op_pretended &&
		    strcmp(name, lock_nodes) == 0 ? "--nodes" : what, knob));
	}
	return (0);
}

static int
check_design_tunable(const struct options *op, const char *tunable,
    unsigned knob)
{
	struct names chosen = { .na_used = 0 }, heeding = chosen;
	unsigned i;

	for (i = 0; i < op->op_designs.ol_count; i++) {
		const struct random_algorithm *ra =
		    generators[op->op_designs.ol_value[i]];

		if ((ra->ra_knobs & knob) != 0)
			return (0);
		names_add(&chosen, ra->ra_ident);
	}
	for (i = 0; i < generator_count; i++)
		if ((generators[i]->ra_knobs & knob) != 0)
			names_add(&heeding, generators[i]->ra_ident);
	return (usage_error(op->op_command, "-S: %s has no effect on -d %s: "
	    "expected one of %s", tunable, chosen.na_text, heeding.na_text));
}

static int
check_design_tunables(const struct options *op)
{
	unsigned i, knob;
	int error = 0;

	for (i = 0; i < generator_tunable_count && error == 0; i++) {
		const char *name = generator_tunables[i].tn_name;

		knob = generator_tunable_knob(name);
		if (knob != 0 && option_tunable_seen(op, name))
			error = check_design_tunable(op, name, knob);
	}
	return (error);
}

/* Several locks, one for each part: somebody else's part is not one's own. */
static int
check_exclusion(const struct options *op)
{
	struct names accepted = { .na_used = 0 };
	const char *design = NULL, *lock = NULL;
	unsigned i;

	for (i = 0; i < op->op_designs.ol_count; i++)
		if ((generators[op->op_designs.ol_value[i]]->ra_flags &
		    RA_MANY_LOCKS) != 0)
			design = generators[op->op_designs.ol_value[i]]->
			    ra_ident;
	for (i = 0; i < op->op_locks.ol_count; i++)
		if ((lock_classes[op->op_locks.ol_value[i]]->lc_flags &
		    LC_EXCLUDES) == 0)
			lock = lock_classes[op->op_locks.ol_value[i]]->lc_name;
	if (design == NULL || lock == NULL)
		return (0);
	for (i = 0; i < lock_class_count; i++)
		if ((lock_classes[i]->lc_flags & LC_EXCLUDES) != 0)
			names_add(&accepted, lock_classes[i]->lc_name);
	return (usage_error(op->op_command, "-l: \"%s\" excludes nobody, and "
	    "design %s has locks of several parts: expected one of %s", lock,
	    design, accepted.na_text));
}

/* Tests that are off have no start to begin anew with. */
static int
check_health_tunables(const struct options *op)
{

	if (!option_tunable_seen(op, NIST_HEALTHTEST_ONDEMAND) ||
	    op->op_config.bc_harvest.nist_healthtest_enabled)
		return (0);
	return (usage_error(op->op_command, "-S: " NIST_HEALTHTEST_ONDEMAND
	    " has no effect on sources that are not tested: expected -S "
	    "kern.random.nist_healthtest_enabled=1 too"));
}

int
option_check_choices(const struct options *op)
{
	int error;

	error = check_exclusion(op);
	if (error == 0)
		error = check_lock_tunables(op);
	if (error == 0)
		error = check_design_tunables(op);
	if (error == 0)
		error = check_health_tunables(op);
	return (error);
}
