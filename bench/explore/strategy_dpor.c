/*
 * Dynamic partial-order reduction: of all schedules, one of each class of those
 * that differ only in the order of steps that can be swapped.
 *
 * P. A. Abdulla, S. Aronis, B. Jonsson, K. Sagonas, "Optimal dynamic partial
 * order reduction", POPL 2014: source sets (algorithm 1) with sleep sets
 * (P. Godefroid, 1996).  A step is what a thread does from one choice to the
 * next; two steps conflict if they are of one thread, or use the same 4 bytes
 * and one of them writes.  A store that is committed is a step of a thread of
 * its own.  What a load returns, where a thread is in its kernel, and whether a
 * wait is given up are tried one after the other.
 *
 * Where all threads that could run are asleep, as all that they could do was
 * run before, the schedule is run to its end and counted as redundant.
 */
#include "bench/explore/dpor.h"

/* The search cannot go on, and nothing that it says would be true. */
static void
give_up(struct strategy *sg, struct dpor *dp, int error)
{
	sg->sg_error = error;
	dp->dp_idle = true;
}

/* The thread of a number of choices. */
static unsigned
thread_of(struct dpor *dp, unsigned number)
{
	uint8_t *t = &dp->dp_thread[number];

	if (*t == 0) {
		/* It is told apart no more: the run is the last one. */
		if (dp->dp_threads == THREADS)
			return (THREADS - 1);
		dp->dp_owner[dp->dp_threads] = (uint8_t)vm_owner(number);
		*t = (uint8_t)++dp->dp_threads;
	}
	return (*t - 1u);
}

/*
 * Keeps what the taken step of a node has used.  No later node has kept
 * anything yet, so it is at the end.
 */
static void
learn(struct dpor *dp, struct node *nd, const struct step *st)
{
	struct known *kn = &nd->nd_known[st->dst_thread];
	uint32_t k;

	if (kn->kn_uses == 0)
		kn->kn_first = dp->dp_kepts;
	for (uint32_t u = st->dst_first; u < dp->dp_uses; u++) {
		for (k = kn->kn_first; k < dp->dp_kepts &&
		    dp->dp_kept[k] != dp->dp_use[u]; k++)
			continue;
		if (k == dp->dp_kepts)
			dp->dp_kept[dp->dp_kepts++] = dp->dp_use[u];
	}
	kn->kn_uses = dp->dp_kepts - kn->kn_first;
}

static void
step_end(struct dpor *dp)
{
	const bool fresh = dp->dp_at > dp->dp_fresh;
	uint32_t j;
	struct step *st;

	if (dp->dp_steps == 0)
		return;
	j = dp->dp_steps - 1;
	st = &dp->dp_step[j];
	dpor_order(dp, j, fresh);
	dp->dp_last[st->dst_thread] = j;
	if (st->dst_node != NONE && fresh)
		learn(dp, &dp->dp_node[st->dst_node], st);
	for (unsigned t = 0; t < THREADS; t++)
		if (dp->dp_asleep[t] != NULL && (t == st->dst_thread ||
		    (!dpor_own(dp, t, st->dst_thread) &&
		    dpor_conflicts(dp, st, dp->dp_asleep[t]))))
			dp->dp_asleep[t] = NULL;
}

static void
step_begin(struct dpor *dp, unsigned thread, uint32_t node)
{
	dpor_step_init(dp, &dp->dp_step[dp->dp_steps++], thread, node);
}

/* What a thread is to wait for. */
static void
note_await(struct dpor *dp, struct awaited *aw, const void *p, size_t n,
    enum vm_use use)
{
	unsigned i = 0;

	if (use == VM_USE_UNTIL) {
		aw->aw_value = (uintptr_t)p;
		aw->aw_is = n > 0;
		return;
	}
	*aw = (struct awaited){ .aw_word = (uintptr_t)p >> WORD_SHIFT,
	    .aw_count = (uint32_t)(n >> WORD_SHIFT) };
	while (i < dp->dp_awaited && dp->dp_await[i].aw_word != aw->aw_word)
		i++;
	if (i == dp->dp_awaited && i < AWAITED_MAX)
		dp->dp_await[dp->dp_awaited++] = *aw;
}

static void
dpor_access(void *context, unsigned number, const void *p, size_t n,
    enum vm_use use)
{
	struct strategy *sg = context;
	struct dpor *dp = sg->sg_memory;
	const unsigned thread = thread_of(dp, number);
	uint64_t word = (uintptr_t)p >> WORD_SHIFT;
	const uint64_t end = (uintptr_t)p + MAX(n, 1);
	/* Uses of the step at its end, which may be new words and kept. */
	const size_t most = n + (dp->dp_steps == 0 ? 0 :
	    dp->dp_uses - dp->dp_step[dp->dp_steps - 1].dst_first);

	if (dp->dp_idle || number == 0)
		return;
	if (use == VM_USE_AWAIT || use == VM_USE_UNTIL) {
		note_await(dp, &dp->dp_awaits[thread], p, n, use);
	} else if (dp->dp_threads == THREADS || dp->dp_steps == STEPS_MAX ||
	    dp->dp_words + most > WORDS_MAX || dp->dp_uses + n > USES_MAX ||
	    dp->dp_kepts + most > KEPT_MAX) {
		give_up(sg, dp, EFBIG);
	} else if (p == NULL) {
		if (!dp->dp_chosen) {
			step_end(dp);
			step_begin(dp, thread, NONE);
		}
		dp->dp_chosen = false;
	} else {
		MPASS(dp->dp_steps > 0 &&
		    dp->dp_step[dp->dp_steps - 1].dst_thread == thread);
		dp->dp_access = dp->dp_uses;
		for (; word << WORD_SHIFT < end; word++) {
			dp->dp_use[dp->dp_uses++] = word << USE_SHIFT | use;
			dp->dp_hash = (dp->dp_hash ^ dp->dp_use[dp->dp_uses -
			    1]) * UINT64_C(0x9e3779b97f4a7c15);
		}
	}
}

/* The node that a run comes to: one of the last run's, or a new one. */
static struct node *
next_node(struct strategy *sg, struct dpor *dp, uint64_t enabled, unsigned ways)
{
	struct node *nd = &dp->dp_node[dp->dp_at++];

	if (dp->dp_at > dp->dp_nodes) {
		dp->dp_nodes++;
		*nd = (struct node){ .nd_enabled = enabled, .nd_ways = ways,
		    .nd_hash = dp->dp_hash, .nd_kept = dp->dp_kepts };
	}
	if (nd->nd_enabled != enabled || nd->nd_ways != ways ||
	    nd->nd_hash != dp->dp_hash)
		give_up(sg, dp, EPROTO);
	else if (dp->dp_at == NODES_MAX)
		give_up(sg, dp, EFBIG);
	return (nd);
}

/* Which of that many ways to go. */
static unsigned
way(struct strategy *sg, unsigned ways)
{
	struct dpor *dp = sg->sg_memory;

	return (dp->dp_idle ? 0 : next_node(sg, dp, 0, ways)->nd_taken % ways);
}

/*
 * A load may return a value that is older than the latest one, if it comes
 * after the store of a later one for another reason than this word: else the
 * schedule where it comes before that store shows the same.
 */
static unsigned
older(struct strategy *sg, unsigned ways)
{
	struct dpor *dp = sg->sg_memory;
	unsigned known, taken;

	if (dp->dp_idle)
		return (0);
	known = dpor_values(dp, ways);
	taken = ways - known == 1 ? 0 : way(sg, ways - known);
	return (taken == 0 ? 0 : known + taken);
}

/* The thread to begin with: the current one, or one that is awake. */
static unsigned
prefer(struct dpor *dp, const struct vm_choice *vo, uint64_t may)
{
	uint64_t awake, ways = 0;

	for (unsigned i = 0; i < vo->vo_count; i++)
		ways |= (may >> thread_of(dp, vo->vo_thread[i]) & 1) << i;
	awake = ways & choice_awake(vo);
	return (choice_continues(vo) && (ways >> vo->vo_self & 1) != 0 ?
	    (unsigned)vo->vo_self : (unsigned)__builtin_ctzll(
	    awake != 0 ? awake : ways));
}

static unsigned
dpor_choose(struct strategy *sg, const struct vm_choice *vo)
{
	struct dpor *dp = sg->sg_memory;
	uint64_t asleep = 0, enabled = 0;
	struct node *nd;
	unsigned i;

	if (vo->vo_point == VM_POINT_VALUE)
		return (older(sg, vo->vo_count));
	if (choice_is_own(vo))
		return (way(sg, vo->vo_count));
	if (dp->dp_idle)
		return (prefer(dp, vo, UINT64_MAX));
	step_end(dp);
	for (i = 0; i < vo->vo_count; i++)
		enabled |= BIT(thread_of(dp, vo->vo_thread[i]));
	for (unsigned t = 0; t < dp->dp_threads; t++)
		asleep |= dp->dp_asleep[t] != NULL ? BIT(t) : 0;
	if ((enabled & ~asleep) == 0) {
		dp->dp_idle = true;
		sg->sg_redundant++;
		return (prefer(dp, vo, UINT64_MAX));
	}
	nd = next_node(sg, dp, enabled, 0);
	if (dp->dp_idle)
		return (prefer(dp, vo, UINT64_MAX));
	if (nd->nd_todo == 0) {
		nd->nd_asleep = asleep;
		nd->nd_taken = thread_of(dp, vo->vo_thread[prefer(dp, vo,
		    enabled & ~asleep)]);
		nd->nd_todo = BIT(nd->nd_taken);
	}
	for (uint64_t set = nd->nd_done; set != 0; set &= set - 1)
		dp->dp_asleep[__builtin_ctzll(set)] =
		    &nd->nd_known[__builtin_ctzll(set)];
	step_begin(dp, nd->nd_taken, dp->dp_at - 1);
	dp->dp_chosen = true;
	for (i = 0; thread_of(dp, vo->vo_thread[i]) != nd->nd_taken; i++)
		continue;
	return (i);
}

static bool
dpor_running(void *sg)
{
	return (way(sg, 2) == 0);
}

/* The next path: the last node that has another way takes it. */
static bool
next_path(struct dpor *dp)
{
	uint64_t left;
	struct node *nd;

	for (; dp->dp_nodes > 0; dp->dp_nodes--) {
		nd = &dp->dp_node[dp->dp_nodes - 1];
		if (nd->nd_ways > 0) {
			if (++nd->nd_taken < nd->nd_ways)
				return (true);
			continue;
		}
		nd->nd_done |= BIT(nd->nd_taken);
		if ((left = nd->nd_todo & ~nd->nd_done & ~nd->nd_asleep) != 0) {
			nd->nd_taken = (unsigned)__builtin_ctzll(left);
			return (true);
		}
		dp->dp_kepts = nd->nd_kept;
	}
	return (false);
}

/* Ways that are known and not taken yet. */
static uint64_t
count_open(const struct dpor *dp)
{
	const struct node *nd;
	uint64_t open = 0;

	for (uint32_t i = 0; i < dp->dp_nodes; i++) {
		nd = &dp->dp_node[i];
		open += nd->nd_ways > 0 ? nd->nd_ways - 1 - nd->nd_taken :
		    (unsigned)__builtin_popcountll(nd->nd_todo & ~nd->nd_done &
		    ~nd->nd_asleep & ~BIT(nd->nd_taken));
	}
	return (open);
}

static bool
dpor_begin(struct strategy *sg)
{
	struct dpor *dp = sg->sg_memory;

	if (dp == NULL)
		dp = sg->sg_memory = xcalloc(1, sizeof(*dp));
	if (dp->dp_run > 0) {
		dp->dp_over = true;
		if (!dp->dp_idle) {
			step_end(dp);
			for (unsigned t = 0; t < dp->dp_threads; t++)
				dpor_order_pending(dp, t);
		}
		if (sg->sg_error != 0 || !next_path(dp))
			return (false);
	}
	sg->sg_open = count_open(dp);
	dp->dp_fresh = dp->dp_nodes == 0 ? 0 : dp->dp_nodes - 1;
	dp->dp_at = dp->dp_steps = dp->dp_uses = dp->dp_words =
	    dp->dp_stores = 0;
	dp->dp_idle = dp->dp_chosen = dp->dp_over = false;
	dp->dp_hash = 0;
	dp->dp_run++;
	memset(dp->dp_last, 0xff, sizeof(dp->dp_last));
	memset(dp->dp_asleep, 0, sizeof(dp->dp_asleep));
	memset(dp->dp_awaits, 0, sizeof(dp->dp_awaits));
	return (true);
}

const struct strategy_class strategy_dpor = {
	.sy_name	= "dpor",
	.sy_descr	= "all schedules, but one of those that are equivalent",
	.sy_begin	= dpor_begin,
	.sy_choose	= dpor_choose,
	.sy_running	= dpor_running,
	.sy_access	= dpor_access,
	.sy_polls	= VM_POLLS_ONCE,
	.sy_all		= true,
};
