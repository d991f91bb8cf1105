/*
 * Probabilistic concurrency testing: threads have priorities, drawn at the
 * start, and the highest goes on; at depth - 1 steps, drawn too, that
 * thread is put below all others.
 *
 * Paper: S. Burckhardt, P. Kothari, M. Musuvathi, S. Nagarakatte, "A randomized
 * scheduler with probabilistic guarantees of finding bugs", ASPLOS 2010: with n
 * threads and k steps a fault that needs d orderings is found by a run with
 * probability 1/(n k^(d-1)) or better.  As in Shuttle (Rust), k is learned: the
 * first run of a program takes the oldest first, and k grows whenever a run has
 * more; steps count where there is a choice; a thread that yields or
 * sleeps is put last, or a spinner would spin for ever.
 */
#include <string.h>

#include "bench/explore/strategy.h"

enum { PCT_DEPTH_MAX = 8 };

struct pct {
	int64_t		pct_lowest;		/* priority given so far */
	int64_t		pct_priority[STRATEGY_THREADS_MAX];
	bool		pct_known[STRATEGY_THREADS_MAX];
	unsigned	pct_changes;
	uint32_t	pct_change[PCT_DEPTH_MAX];	/* steps */
};

static bool
pct_begin(struct strategy *st)
{
	struct pct *pct = st->st_state;

	pct->pct_lowest = 0;
	memset(pct->pct_known, 0, sizeof(pct->pct_known));
	pct->pct_changes = strategy_draw_steps(st, pct->pct_change,
	    st->st_parameter - 1);
	return (true);
}

static int64_t
priority_of(struct strategy *st, struct pct *pct, unsigned thread)
{
	MPASS(thread < STRATEGY_THREADS_MAX);
	if (!pct->pct_known[thread]) {
		pct->pct_known[thread] = true;
		pct->pct_priority[thread] = st->st_most_steps == 0 ?
		    STRATEGY_THREADS_MAX - (int64_t)thread :
		    (int64_t)(splitmix_next(&st->st_random) >> 33) + 1;
	}
	return (pct->pct_priority[thread]);
}

static unsigned
highest(struct strategy *st, struct pct *pct, const struct vm_choice *vo)
{
	int64_t best = INT64_MIN, priority;
	unsigned chosen = 0;

	for (unsigned i = 0; i < vo->vo_count; i++) {
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
	unsigned chosen;

	if (vo->vo_self >= 0 && !choice_continues(vo)) {
		(void)priority_of(st, pct, vo->vo_thread[vo->vo_self]);
		pct->pct_priority[vo->vo_thread[vo->vo_self]] =
		    --pct->pct_lowest;
	}
	if (vo->vo_count == 1)
		return (0);
	/* Sleepers too: one that was put last has not slept long enough. */
	chosen = highest(st, pct, vo);
	for (unsigned i = 0; i < pct->pct_changes; i++) {
		if (pct->pct_change[i] != st->st_steps)
			continue;
		pct->pct_priority[vo->vo_thread[chosen]] = --pct->pct_lowest;
		chosen = highest(st, pct, vo);
	}
	return (chosen);
}

const struct strategy_class strategy_pct = {
	.sy_name	= "pct",
	.sy_descr	= "by drawn priorities, lowered at D - 1 drawn steps",
	.sy_means	= "depth D",
	.sy_least	= 1,
	.sy_most	= PCT_DEPTH_MAX,
	.sy_usual	= 3,
	.sy_bytes	= sizeof(struct pct),
	.sy_begin	= pct_begin,
	.sy_choose	= pct_choose,
	.sy_running	= strategy_toss,
};
