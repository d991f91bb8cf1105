/*
 * The loops of benchmarks, and the units that they publish.
 */
#include <limits.h>

#include "bench/predict/published.h"

const struct published_unit published_units[] = {
	{ "ns-per-thread", { "per thread", "every thread" }, 0, true, false },
	{ "count", { "per run" }, 1e9, false, true },
	{ "ops-per-us", { "ops/us" }, 1e3, false, false },
	{ "ops-per-s", { "per second", "ops/s" }, 1e9, false, false },
	{ "ns", { "ns " }, 0, false, false },
	{ .ub_name = NULL }
};

FAMILY(family_published_units, UINT_MAX, published_units[i].ub_name,
    .fa_title = NULL);

/*
 * What an operation of each does, after the programs' sources; the first whose
 * sign is in a header line is taken.  Times that are in no file are guessed:
 * three divisions of locktorture 45 ns, its way round 15 ns.
 */
const struct published_loop published_loops[] = {
	{ .lb_name = "lockhammer", .lb_sign = "lockhammer",
	    .lb_descr = "acquire; delay; release; delay; delays as the lock "
	    "\"empty\" has them", .lb_place = "smt-first", .lb_takes = 1 },
	{ .lb_name = "open1", .lb_sign = "open1",
	    .lb_descr = "two acquisitions an operation; pauses as one thread "
	    "has them", .lb_place = "compact", .lb_lines = 1, .lb_takes = 2,
	    .lb_pause_of_one = true },
	{ .lb_name = "locktorture", .lb_sign = "locktorture",
	    .lb_descr = "holds of 505 ns / threads on the mean; lines of flags "
	    "and counters", .lb_place = "scatter", .lb_hold_ns = 45,
	    .lb_hold_shared_ns = 505, .lb_pause_ns = 15, .lb_lines = 2,
	    .lb_takes = 1, .lb_shared_random = true },
	{ .lb_name = "travisdowns", .lb_sign = "counter++",
	    .lb_descr = "lock; add to a counter; unlock", .lb_place = "compact",
	    .lb_lines = 1, .lb_takes = 1 },
	{ .lb_name = "lockbench", .lb_sign = "lock(); unlock();",
	    .lb_descr = "lock; unlock", .lb_place = "compact", .lb_takes = 1 },
	{ .lb_name = "smalllocks", .lb_sign = "runContended",
	    .lb_descr = "folly's: a lock, 1 or 5 lines, and burn() as the "
	    "variant has it", .lb_place = "scatter", .lb_pause_ns = 600,
	    .lb_lines = 1, .lb_takes = 1 },
	{ .lb_name = "plain", .lb_sign = "randomUUID",
	    .lb_descr = "lock; crit_ns; unlock; par_ns",
	    .lb_place = "compact", .lb_takes = 1 },
	{ .lb_name = NULL }
};

FAMILY_DESCR(family_published_loops, published_loops[i].lb_descr)
FAMILY(family_published_loops, UINT_MAX, published_loops[i].lb_name,
    .fa_descr = family_published_loops_descr, .fa_title = "Loops");

/* An iteration of burn(), as its figures of one thread show. */
static const double burn_ns = 0.6;

/* The published value of a lock, with the threads and the group of another. */
static double
beside(const struct published *pb, const struct published_row *rb,
    const char *lock, unsigned threads, double crit_ns, double par_ns)
{
	const struct published_row *other;

	for (unsigned i = 0; i < pb->pb_row_count; i++) {
		other = &pb->pb_rows[i];
		if (other->rb_threads == threads &&
		    other->rb_crit_ns == crit_ns &&
		    other->rb_par_ns == par_ns &&
		    strcmp(pb->pb_locks.nm_name[other->rb_lock], lock) == 0 &&
		    (crit_ns != rb->rb_crit_ns || par_ns != rb->rb_par_ns ||
		    other->rb_group == rb->rb_group))
			return (other->rb_ns);
	}
	return (0);
}

/*
 * What threads take that only delay: the pause takes as much longer.  The hold
 * does not, as the others wait meanwhile and leave the core to its thread.
 */
static void
lengthen(const struct published *pb, const struct published_row *rb,
    struct critical_section *se)
{
	const double asked = rb->rb_crit_ns + rb->rb_par_ns;
	const double idle = beside(pb, rb, "empty", 1, 0, 0);
	const double alone = beside(pb, rb, "empty", rb->rb_threads,
	    rb->rb_crit_ns, rb->rb_par_ns) * rb->rb_threads;

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
before_5_7(const struct published *pb, const struct published_row *rb)
{
	static const char key[] = "version=";
	const char *version = strstr(pb->pb_groups.nm_name[rb->rb_group], key);
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
published_section(const struct published *pb, const struct published_row *rb,
    struct critical_section *se)
{
	const struct published_loop *lb = pb->pb_loop;
	double one;

	*se = (struct critical_section){
		.se_lock = pb->pb_kind[rb->rb_lock]->lc_name,
		.se_threads = rb->rb_contenders,
		.se_hold_ns = rb->rb_crit_ns + lb->lb_hold_ns +
		    lb->lb_hold_shared_ns / rb->rb_contenders,
		.se_think_ns = rb->rb_par_ns + lb->lb_pause_ns,
		.se_lines = lb->lb_lines,
	};
	if (lb->lb_shared_random && before_5_7(pb, rb))
		se->se_common_before = se->se_common_writes = 1;
	if (strcmp(lb->lb_name, "smalllocks") == 0)
		vary(pb->pb_groups.nm_name[rb->rb_group], se);
	lengthen(pb, rb, se);
	one = beside(pb, rb, pb->pb_locks.nm_name[rb->rb_lock], 1,
	    rb->rb_crit_ns, rb->rb_par_ns);
	if (lb->lb_pause_of_one && one > se->se_hold_ns)
		se->se_think_ns += one - se->se_hold_ns;
}
