/*
 * Probabilistic concurrency testing: threads have priorities, drawn at the
 * start, and the highest goes on; at depth - 1 steps, drawn too, that
 * thread is put below all others.
 *
 * Paper: S. Burckhardt, P. Kothari, M. Musuvathi, S. Nagarakatte, "A randomized
 * scheduler with probabilistic guarantees of finding bugs", ASPLOS 2010: with n
 * threads and k steps a fault that needs d orderings is found by a run with
 * probability 1/(n k^(d-1)) or better.  As in Shuttle (Rust), k is learned: a
 * program's first run has no such steps, and k grows whenever a run has more;
 * steps count where there is a choice; a thread that yields or sleeps is put
 * last, or a spinner would spin for ever.
 */
#include "bench/explore/strategy.h"

enum { PCT_DEPTH_MAX = 8 };

struct pct {
	int64_t		pct_lowest;		/* priority given so far */
	int64_t		pct_priority[STRATEGY_THREADS_MAX];	/* 0: none */
	unsigned	pct_changes;
	uint32_t	pct_change[PCT_DEPTH_MAX];	/* steps */
};

CTASSERT(sizeof(struct pct) <= STRATEGY_STATE_WORDS * sizeof(uint64_t));

static bool
pct_begin(struct strategy *sg)
{
	struct pct *pct = (void *)sg->sg_state;

	memset(pct, 0, sizeof(*pct));
	pct->pct_changes = sg->sg_most_steps == 0 ? 0 : sg->sg_parameter - 1;
	for (unsigned i = 0; i < pct->pct_changes; i++)
		pct->pct_change[i] = strategy_below(&sg->sg_random,
		    sg->sg_most_steps);
	return (true);
}

static int64_t
priority_of(struct strategy *sg, struct pct *pct, unsigned thread)
{
	MPASS(thread < STRATEGY_THREADS_MAX);
	if (pct->pct_priority[thread] == 0)
		pct->pct_priority[thread] =
		    (int64_t)(splitmix_next(&sg->sg_random) >> 33) + 1;
	return (pct->pct_priority[thread]);
}

static unsigned
highest(struct strategy *sg, struct pct *pct, const struct vm_choice *vo)
{
	int64_t best = INT64_MIN, priority;
	unsigned chosen = 0;

	for (unsigned i = 0; i < vo->vo_count; i++) {
		priority = priority_of(sg, pct, vo->vo_thread[i]);
		if (priority > best) {
			best = priority;
			chosen = i;
		}
	}
	return (chosen);
}

static unsigned
pct_choose(struct strategy *sg, const struct vm_choice *vo)
{
	struct pct *pct = (void *)sg->sg_state;
	unsigned chosen;

	if (vo->vo_self >= 0 && !choice_continues(vo)) {
		(void)priority_of(sg, pct, vo->vo_thread[vo->vo_self]);
		pct->pct_priority[vo->vo_thread[vo->vo_self]] =
		    --pct->pct_lowest;
	}
	/* Sleepers too: one that was put last has not slept long enough. */
	chosen = highest(sg, pct, vo);
	for (unsigned i = 0; i < pct->pct_changes; i++) {
		if (pct->pct_change[i] != sg->sg_steps)
			continue;
		pct->pct_priority[vo->vo_thread[chosen]] = --pct->pct_lowest;
		chosen = highest(sg, pct, vo);
	}
	return (chosen);
}

const struct strategy_class strategy_pct = {
	.sy_name	= "pct",
	.sy_descr	= "by drawn priorities, lowered at D - 1 drawn steps",
	.sy_letter	= 'D',
	.sy_least	= 1,
	.sy_most	= PCT_DEPTH_MAX,
	.sy_usual	= 3,
	.sy_begin	= pct_begin,
	.sy_choose	= pct_choose,
	.sy_running	= strategy_toss,
};
