/*
 * Depth-first search: all schedules there are with so many preemptions at most.
 *
 * Paper: M. Musuvathi, S. Qadeer, "Iterative context bounding for systematic
 * testing of multithreaded programs", PLDI 2007.  A preemption is a
 * switch from a thread that could continue, a sleep that ends while a thread is
 * awake, or machine_running() returning false.  A thread that yields does not
 * run before all others that are awake have run or yielded too: otherwise a
 * spinner would run for ever.
 */
#include <stdlib.h>

#include "bench/cli/memory.h"
#include "bench/explore/strategy.h"

enum { DFS_BRANCHES_AT_FIRST = 1024 };

/* A point where there was more than one way. */
struct dfs_branch {
	uint8_t		db_taken;	/* which way, 0 the first */
	uint8_t		db_ways;
};

struct dfs {
	struct dfs_branch *dfs_branch;
	unsigned	dfs_count;	/* branches of the path */
	unsigned	dfs_room;
	unsigned	dfs_at;		/* of this run */
	unsigned	dfs_preemptions;	/* of this run */
	uint32_t	dfs_yielded;	/* threads, a bit each */
};

/* The next path: the last branch that has another way takes it. */
static bool
advance(struct dfs *dfs)
{
	struct dfs_branch *db;

	while (dfs->dfs_count > 0) {
		db = &dfs->dfs_branch[dfs->dfs_count - 1];
		if (++db->db_taken < db->db_ways)
			return (true);
		dfs->dfs_count--;
	}
	return (false);
}

static bool
dfs_begin(struct strategy *st)
{
	struct dfs *dfs = st->st_state;

	if (st->st_index == 0)
		dfs->dfs_count = 0;
	else if (!advance(dfs))
		return (false);
	dfs->dfs_at = 0;
	dfs->dfs_preemptions = 0;
	dfs->dfs_yielded = 0;
	return (true);
}

/* Which of that many ways to take here. */
static unsigned
branch(struct dfs *dfs, unsigned ways)
{
	if (ways <= 1)
		return (0);
	if (dfs->dfs_at < dfs->dfs_count)
		return (dfs->dfs_branch[dfs->dfs_at++].db_taken);
	if (dfs->dfs_count == dfs->dfs_room) {
		dfs->dfs_room = dfs->dfs_room == 0 ? DFS_BRANCHES_AT_FIRST :
		    dfs->dfs_room * 2;
		dfs->dfs_branch = xreallocarray(dfs->dfs_branch,
		    dfs->dfs_room, sizeof(*dfs->dfs_branch));
	}
	dfs->dfs_branch[dfs->dfs_count++] = (struct dfs_branch){
	    .db_ways = (uint8_t)ways };
	dfs->dfs_at++;
	return (0);
}

/* Choices that are no preemption; a bit each, by index. */
static uint64_t
free_ways(struct dfs *dfs, const struct vm_choice *vo)
{
	uint64_t awake = 0, rested = 0;

	if (choice_continues(vo))
		return (UINT64_C(1) << vo->vo_self);
	if (vo->vo_point == VM_POINT_YIELD && vo->vo_self >= 0)
		dfs->dfs_yielded |= 1u << vo->vo_thread[vo->vo_self];
	for (unsigned i = 0; i < vo->vo_count; i++) {
		if (!choice_awake(vo, i))
			continue;
		awake |= UINT64_C(1) << i;
		if ((dfs->dfs_yielded >> vo->vo_thread[i] & 1) == 0)
			rested |= UINT64_C(1) << i;
	}
	if (rested != 0)
		return (rested);
	/* All have yielded: another round, this thread last. */
	dfs->dfs_yielded = 0;
	if (vo->vo_point == VM_POINT_YIELD && vo->vo_self >= 0 &&
	    (awake & ~(UINT64_C(1) << vo->vo_self)) != 0) {
		dfs->dfs_yielded = 1u << vo->vo_thread[vo->vo_self];
		awake &= ~(UINT64_C(1) << vo->vo_self);
	}
	return (awake != 0 ? awake : UINT64_MAX >> (64 - vo->vo_count));
}

/* The index of the nth bit. */
static unsigned
nth(uint64_t bits, unsigned n)
{
	for (; n > 0; n--)
		bits &= bits - 1;
	return ((unsigned)__builtin_ctzll(bits));
}

static unsigned
dfs_choose(struct strategy *st, const struct vm_choice *vo)
{
	struct dfs *dfs = st->st_state;
	uint64_t all = UINT64_MAX >> (64 - vo->vo_count), free, costly = 0;
	unsigned chosen, free_count, way, ways;

	if (vo->vo_count == 1)
		return (0);
	free = free_ways(dfs, vo);
	/* To preempt a thread that yields would be the same switch. */
	if (dfs->dfs_preemptions < st->st_parameter &&
	    vo->vo_point != VM_POINT_YIELD)
		costly = all & ~free;
	free_count = (unsigned)__builtin_popcountll(free);
	ways = free_count + (unsigned)__builtin_popcountll(costly);
	way = branch(dfs, ways);
	if (way < free_count) {
		chosen = nth(free, way);
	} else {
		chosen = nth(costly, way - free_count);
		dfs->dfs_preemptions++;
	}
	return (chosen);
}

static bool
dfs_running(struct strategy *st)
{
	struct dfs *dfs = st->st_state;

	if (dfs->dfs_preemptions >= st->st_parameter || branch(dfs, 2) == 0)
		return (true);
	dfs->dfs_preemptions++;
	return (false);
}

static void
dfs_fini(struct strategy *st)
{
	struct dfs *dfs = st->st_state;

	free(dfs->dfs_branch);
}

const struct strategy_class strategy_dfs = {
	.sy_name	= "dfs",
	.sy_descr	= "all schedules with at most C preemptions",
	.sy_means	= "preemptions C",
	.sy_least	= 0,
	.sy_most	= 8,
	.sy_usual	= 2,
	.sy_bytes	= sizeof(struct dfs),
	.sy_begin	= dfs_begin,
	.sy_choose	= dfs_choose,
	.sy_running	= dfs_running,
	.sy_values	= true,
	.sy_fini	= dfs_fini,
};
