/*
 * The loops of benchmarks, and the units that they publish.
 */
#include "bench/predict/published.h"

const struct published_unit published_units[] = {
	{ "ns-per-thread", { "per thread", "every thread" }, 0, true, false },
	{ "count", { "per run" }, 1e9, false, true },
	{ "ops-per-us", { "ops/us" }, 1e3, false, false },
	{ "ops-per-s", { "per second", "ops/s" }, 1e9, false, false },
	{ "ns", { "ns " }, 0, false, false },
	{ .un_name = NULL }
};

/*
 * What an operation of each does, after the programs' sources; the first whose
 * sign is in a header line is taken.  Times that are in no file are guessed:
 * three divisions of locktorture 45 ns, its way round 15 ns.
 */
const struct published_loop published_loops[] = {
	{ .pl_name = "lockhammer", .pl_sign = "lockhammer",
	    .pl_descr = "acquire; delay; release; delay; delays as the lock "
	    "\"empty\" has them", .pl_place = "smt-first", .pl_takes = 1 },
	{ .pl_name = "open1", .pl_sign = "open1",
	    .pl_descr = "two acquisitions an operation; pauses as one thread "
	    "has them", .pl_place = "compact", .pl_lines = 1, .pl_takes = 2,
	    .pl_pause_of_one = true },
	{ .pl_name = "locktorture", .pl_sign = "locktorture",
	    .pl_descr = "holds of 505 ns / threads on the mean; lines of flags "
	    "and counters", .pl_place = "scatter", .pl_hold_ns = 45,
	    .pl_hold_shared_ns = 505, .pl_pause_ns = 15, .pl_lines = 2,
	    .pl_takes = 1, .pl_shared_random = true },
	{ .pl_name = "travisdowns", .pl_sign = "counter++",
	    .pl_descr = "lock; add to a counter; unlock", .pl_place = "compact",
	    .pl_lines = 1, .pl_takes = 1 },
	{ .pl_name = "lockbench", .pl_sign = "lock(); unlock();",
	    .pl_descr = "lock; unlock", .pl_place = "compact", .pl_takes = 1 },
	{ .pl_name = "smalllocks", .pl_sign = "runContended",
	    .pl_descr = "folly's: a lock, 1 or 5 lines, and burn() as the "
	    "variant has it", .pl_place = "scatter", .pl_pause_ns = 600,
	    .pl_lines = 1, .pl_takes = 1 },
	{ .pl_name = "plain", .pl_descr = "lock; crit_ns; unlock; par_ns",
	    .pl_place = "compact", .pl_takes = 1 },
	{ .pl_name = NULL }
};

/* An iteration of burn(), as its figures of one thread show. */
static const double burn_ns = 0.6;

static const char *
unit_name(unsigned i)
{
	return (published_units[i].un_name);
}

static const char *
loop_name(unsigned i)
{
	return (published_loops[i].pl_name);
}

static const char *
loop_descr(unsigned i)
{
	return (published_loops[i].pl_descr);
}

const struct family family_published_units = { .fa_name = unit_name };
const struct family family_published_loops = { .fa_name = loop_name,
    .fa_descr = loop_descr, .fa_title = "Loops" };

/* The published value of a lock, with the threads and the group of another. */
static double
beside(const struct published *pb, const struct published_row *pr,
    const char *lock, unsigned threads, double crit_ns, double par_ns)
{
	const struct published_row *other;

	for (unsigned i = 0; i < pb->pb_row_count; i++) {
		other = &pb->pb_rows[i];
		if (other->pr_threads == threads &&
		    other->pr_crit_ns == crit_ns &&
		    other->pr_par_ns == par_ns &&
		    strcmp(pb->pb_locks.pn_name[other->pr_lock], lock) == 0 &&
		    (crit_ns != pr->pr_crit_ns || par_ns != pr->pr_par_ns ||
		    other->pr_group == pr->pr_group))
			return (other->pr_ns);
	}
	return (0);
}

/*
 * What threads take that only delay: the pause takes as much longer.  The hold
 * does not, as the others wait meanwhile and leave the core to its thread.
 */
static void
lengthen(const struct published *pb, const struct published_row *pr,
    struct critical_section *se)
{
	const double asked = pr->pr_crit_ns + pr->pr_par_ns;
	const double idle = beside(pb, pr, "empty", 1, 0, 0);
	const double alone = beside(pb, pr, "empty", pr->pr_threads,
	    pr->pr_crit_ns, pr->pr_par_ns) * pr->pr_threads;

	if (asked > 0 && alone - idle > asked)
		se->se_think_ns *= (alone - idle) / asked;
	/* The calls of the loop, half of them inside. */
	se->se_hold_ns += idle / 2;
	se->se_think_ns += idle / 2;
}

/* The delays of a variant "workN_unlockedM"; else five lines are written. */
static void
vary(const char *group, struct critical_section *se)
{
	const char *at = strstr(group, "variant=");
	unsigned held, out;

	if (at == NULL)
		return;
	if (sscanf(at, "variant=work%u_unlocked%u", &held, &out) == 2) {
		se->se_hold_ns += burn_ns * held;
		se->se_think_ns = burn_ns * out;
	} else {
		se->se_lines = 5;
	}
}

/*
 * Whether the kernel of a row's version is older than Linux 5.7, as the header
 * line "# kernels: v3=v5.2.0-rc2 ..." has it.
 */
static bool
before_5_7(const struct published *pb, const struct published_row *pr)
{
	static const char key[] = "version=";
	const char *version = strstr(pb->pb_groups.pn_name[pr->pr_group], key);
	const char *at = pb->pb_kernels;
	unsigned major, minor;
	size_t n;

	if (version == NULL)
		return (false);
	version += sizeof(key) - 1;
	n = strcspn(version, " ");
	while ((at = strstr(at, version)) != NULL) {
		if (strncmp(at + n, "=v", 2) == 0)
			return (sscanf(at + n, "=v%u.%u", &major, &minor) ==
			    2 && (major < 5 || (major == 5 && minor < 7)));
		at += n;
	}
	return (false);
}

void
published_section(const struct published *pb, const struct published_row *pr,
    struct critical_section *se)
{
	const struct published_loop *pl = pb->pb_loop;
	double one;

	*se = (struct critical_section){
		.se_lock = pb->pb_kind[pr->pr_lock]->lc_name,
		.se_threads = pr->pr_contenders,
		.se_hold_ns = pr->pr_crit_ns + pl->pl_hold_ns +
		    pl->pl_hold_shared_ns / pr->pr_contenders,
		.se_think_ns = pr->pr_par_ns + pl->pl_pause_ns,
		.se_lines = pl->pl_lines,
	};
	if (pl->pl_shared_random && before_5_7(pb, pr))
		se->se_common_before = se->se_common_writes = 1;
	if (strcmp(pl->pl_name, "smalllocks") == 0)
		vary(pb->pb_groups.pn_name[pr->pr_group], se);
	lengthen(pb, pr, se);
	one = beside(pb, pr, pb->pb_locks.pn_name[pr->pr_lock], 1,
	    pr->pr_crit_ns, pr->pr_par_ns);
	if (pl->pl_pause_of_one && one > se->se_hold_ns)
		se->se_think_ns += one - se->se_hold_ns;
}
