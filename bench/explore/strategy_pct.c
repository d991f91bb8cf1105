/*
 * Probabilistic concurrency testing: threads have priorities, drawn at the
 * start, and the highest goes on; at depth - 1 steps, drawn too, who runs is
 * put below all others.
 *
 * Paper: S. Burckhardt, P. Kothari, M. Musuvathi, S. Nagarakatte, "A randomized
 * scheduler with probabilistic guarantees of finding bugs", ASPLOS 2010: with n
 * threads and k steps a fault that needs d orderings is found by a run with
 * probability 1/(n k^(d-1)) or better.  As in Shuttle (Rust), k is learned: the
 * first run of a program takes the oldest first, and k grows whenever a run has
 * more; steps count where there is a choice; who yields or sleeps is put last,
 * or a spinner would spin for ever.
 */
#include <string.h>

#include "bench/explore/strategy.h"

enum { PCT_DEPTH_MAX = 8 };

struct pct {
	uint32_t	pct_most_steps;		/* k; 0: not known */
	uint32_t	pct_steps;		/* of this run */
	int64_t		pct_lowest;		/* priority given so far */
	int64_t		pct_priority[STRATEGY_THREADS_MAX];
	bool		pct_known[STRATEGY_THREADS_MAX];
	unsigned	pct_changes;
	uint32_t	pct_change[PCT_DEPTH_MAX];	/* steps */
	bool		pct_oldest_first;
};

static void
pct_scenario(struct strategy *st)
{
	struct pct *pct = st->st_state;

	pct->pct_most_steps = 0;
}

static bool
pct_begin(struct strategy *st, unsigned index)
{
	struct pct *pct = st->st_state;
	unsigned i;

	(void)index;
	pct->pct_steps = 0;
	pct->pct_lowest = 0;
	memset(pct->pct_known, 0, sizeof(pct->pct_known));
	pct->pct_oldest_first = pct->pct_most_steps == 0;
	pct->pct_changes = pct->pct_oldest_first ? 0 : st->st_parameter - 1;
	for (i = 0; i < pct->pct_changes; i++)
		pct->pct_change[i] = strategy_below(&st->st_random,
		    pct->pct_most_steps);
	return (true);
}

static int64_t
priority_of(struct strategy *st, struct pct *pct, unsigned thread)
{

	MPASS(thread < STRATEGY_THREADS_MAX);
	if (!pct->pct_known[thread]) {
		pct->pct_known[thread] = true;
		pct->pct_priority[thread] = pct->pct_oldest_first ?
		    STRATEGY_THREADS_MAX - (int64_t)thread :
		    (int64_t)(splitmix_next(&st->st_random) >> 33) + 1;
	}
	return (pct->pct_priority[thread]);
}

static unsigned
highest(struct strategy *st, struct pct *pct, const struct vm_choice *vo)
{
	int64_t best = INT64_MIN, priority;
	unsigned chosen = 0, i;

	for (i = 0; i < vo->vo_count; i++) {
		priority = priority_of(st, pct, vo->vo_thread[i]);
		if (priority > best) {
			best = priority;
			chosen = i;
		}
	}
	return (chosen);
}

static unsigned
pct_choose(struct strategy *st, const struct vm_choice *vo)
{
	struct pct *pct = st->st_state;
	unsigned chosen, i;

	if (vo->vo_self >= 0 && !choice_continues(vo)) {
		(void)priority_of(st, pct, vo->vo_thread[vo->vo_self]);
		pct->pct_priority[vo->vo_thread[vo->vo_self]] =
		    --pct->pct_lowest;
	}
	if (vo->vo_count == 1)
		return (0);
	/* Sleepers too: one that was put last has not slept long enough. */
	chosen = highest(st, pct, vo);
	for (i = 0; i < pct->pct_changes; i++) {
		if (pct->pct_change[i] != pct->pct_steps)
			continue;
		pct->pct_priority[vo->vo_thread[chosen]] = --pct->pct_lowest;
		chosen = highest(st, pct, vo);
	}
	pct->pct_steps++;
	return (chosen);
}

static void
pct_end(struct strategy *st)
{
	struct pct *pct = st->st_state;

	if (pct->pct_steps > pct->pct_most_steps)
		pct->pct_most_steps = pct->pct_steps;
	if (pct->pct_most_steps == 0)
		pct->pct_most_steps = 1;
}

const struct strategy_class strategy_pct = {
	.sy_name	= "pct",
	.sy_descr	= "by drawn priorities, lowered at D - 1 drawn steps",
	.sy_means	= "depth D",
	.sy_least	= 1,
	.sy_most	= PCT_DEPTH_MAX,
	.sy_usual	= 3,
	.sy_bytes	= sizeof(struct pct),
	.sy_scenario	= pct_scenario,
	.sy_begin	= pct_begin,
	.sy_choose	= pct_choose,
	.sy_running	= strategy_toss,
	.sy_end		= pct_end,
};
