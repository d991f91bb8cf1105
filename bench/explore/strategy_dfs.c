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
#include "bench/explore/strategy.h"

enum { DFS_ROOM = 1024 };	/* branches for which there is memory */

/* A point where there was more than one way. */
struct dfs_branch {
	uint8_t		bh_taken;	/* which way, 0 the first */
	uint8_t		bh_ways;
};

struct dfs {
	struct dfs_branch *dfs_branch;
	unsigned	dfs_count;	/* branches of the path */
	unsigned	dfs_at;		/* of this run */
	unsigned	dfs_preemptions;	/* of this run */
	uint32_t	dfs_yielded;	/* threads, a bit each */
};

CTASSERT(sizeof(struct dfs) <= STRATEGY_STATE_WORDS * sizeof(uint64_t));

/* The next path: the last branch that has another way takes it. */
static bool
dfs_begin(struct strategy *sg)
{
	struct dfs *dfs = (void *)sg->sg_state;
	struct dfs_branch *bh = dfs->dfs_branch;

	dfs->dfs_at = 0;
	dfs->dfs_preemptions = 0;
	dfs->dfs_yielded = 0;
	if (sg->sg_most_steps == 0)
		return (true);
	for (; dfs->dfs_count > 0; dfs->dfs_count--)
		if (++bh[dfs->dfs_count - 1].bh_taken <
		    bh[dfs->dfs_count - 1].bh_ways)
			return (true);
	return (false);
}

/* Which of that many ways to take here. */
static unsigned
branch(struct dfs *dfs, unsigned ways)
{
	if (ways <= 1)
		return (0);
	if (dfs->dfs_at == dfs->dfs_count) {
		if (dfs->dfs_count % DFS_ROOM == 0)
			dfs->dfs_branch = xreallocarray(dfs->dfs_branch,
			    dfs->dfs_count + DFS_ROOM,
			    sizeof(*dfs->dfs_branch));
		dfs->dfs_branch[dfs->dfs_count++] = (struct dfs_branch){
		    .bh_ways = (uint8_t)ways };
	}
	return (dfs->dfs_branch[dfs->dfs_at++].bh_taken);
}

/* Choices that are no preemption; a bit each, by index. */
static uint64_t
free_ways(struct dfs *dfs, const struct vm_choice *vo)
{
	const uint32_t self = vo->vo_point == VM_POINT_YIELD &&
	    vo->vo_self >= 0 ? 1u << vo->vo_thread[vo->vo_self] : 0;
	uint64_t ways;

	if (choice_continues(vo))
		return (UINT64_C(1) << vo->vo_self);
	dfs->dfs_yielded |= self;
	for (;;) {
		ways = choice_awake(vo) & ~choice_among(vo, dfs->dfs_yielded);
		if (ways != 0)
			return (ways);
		if (dfs->dfs_yielded == 0)
			return (UINT64_MAX);
		/* All have yielded: another round, this thread last. */
		dfs->dfs_yielded = dfs->dfs_yielded == self ? 0 : self;
	}
}

static unsigned
dfs_choose(struct strategy *sg, const struct vm_choice *vo)
{
	struct dfs *dfs = (void *)sg->sg_state;
	const uint64_t free = free_ways(dfs, vo);
	unsigned free_count, i, taken, way[VM_CONTROLLED_MAX], ways = 0;

	for (i = 0; i < vo->vo_count; i++)
		if ((free >> i & 1) != 0)
			way[ways++] = i;
	free_count = ways;
	/* To preempt a thread that yields would be the same switch. */
	if (dfs->dfs_preemptions < sg->sg_parameter &&
	    vo->vo_point != VM_POINT_YIELD)
		for (i = 0; i < vo->vo_count; i++)
			if ((free >> i & 1) == 0)
				way[ways++] = i;
	taken = branch(dfs, ways);
	dfs->dfs_preemptions += taken >= free_count;
	return (way[taken]);
}

static bool
dfs_running(struct strategy *sg)
{
	struct dfs *dfs = (void *)sg->sg_state;

	if (dfs->dfs_preemptions >= sg->sg_parameter || branch(dfs, 2) == 0)
		return (true);
	dfs->dfs_preemptions++;
	return (false);
}

static void
dfs_fini(struct strategy *sg)
{
	struct dfs *dfs = (void *)sg->sg_state;

	free(dfs->dfs_branch);
}

const struct strategy_class strategy_dfs = {
	.sy_name	= "dfs",
	.sy_descr	= "all schedules with at most C preemptions",
	.sy_letter	= 'C',
	.sy_least	= 0,
	.sy_most	= 8,
	.sy_usual	= 2,
	.sy_begin	= dfs_begin,
	.sy_choose	= dfs_choose,
	.sy_running	= dfs_running,
	.sy_values	= true,
	.sy_all		= true,
	.sy_fini	= dfs_fini,
};
