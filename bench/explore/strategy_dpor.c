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
#include "bench/explore/strategy.h"

enum {
	THREADS		= VM_OLDER,	/* stores' too */
	NODES_MAX	= 1 << 18,	/* of a schedule, as are the next two */
	STEPS_MAX	= 1 << 18,
	USES_MAX	= 1 << 22,
	KEPT_MAX	= 1 << 23,	/* uses of steps that may sleep */
	WORDS_MAX	= 1 << 16,	/* used by a schedule */
	WORDS_ROOM	= 2 * WORDS_MAX
};

#define	NONE		UINT32_MAX
#define	WORD_SHIFT	2
#define	BIT(thread)	(UINT32_C(1) << (thread))

/* A word, and in the lowest bit whether it is written. */
typedef uint64_t use_t;

struct step {
	uint32_t	dst_first;	/* of its uses */
	uint32_t	dst_node;	/* where it was chosen; NONE: alone */
	unsigned	dst_thread;
	/* Of each thread, how many of its steps happen before, or are it. */
	uint32_t	dst_clock[THREADS];
};

/* What the step of a thread uses at a node, by all the ways it can go. */
struct known {
	uint32_t	kn_first;	/* in dp_kept */
	uint32_t	kn_uses;
};

struct node {
	uint32_t	nd_enabled;	/* threads, a bit each */
	uint32_t	nd_asleep;
	uint32_t	nd_todo;
	uint32_t	nd_done;
	unsigned	nd_taken;	/* a thread; of nd_ways: which */
	unsigned	nd_ways;	/* of one thread; 0: a choice of it */
	uint64_t	nd_hash;	/* of all uses before */
	uint32_t	nd_kept;	/* dp_kepts before it */
	struct known	nd_known[THREADS];	/* of what is done or taken */
};

/* The last steps that used a word. */
struct word {
	uint64_t	wd_word;
	uint32_t	wd_run;		/* this is of that run only */
	uint32_t	wd_store;	/* a step, or NONE */
	uint32_t	wd_load[THREADS];	/* since; NONE */
};

/*
 * All of it is there from the start, and is touched as it is used: what was
 * allocated in a run would move what the run allocates.
 */
struct dpor {
	uint32_t	dp_nodes;
	uint32_t	dp_at;		/* the next node of this run */
	uint32_t	dp_fresh;	/* steps from nodes on are new */
	uint32_t	dp_steps;	/* of this run */
	uint32_t	dp_uses;
	uint32_t	dp_kepts;
	uint32_t	dp_words;
	uint32_t	dp_run;
	uint32_t	dp_last[THREADS];	/* its last step, or NONE */
	uint64_t	dp_hash;
	bool		dp_chosen;	/* the step that begins next */
	bool		dp_idle;	/* nothing is noted to the run's end */
	const struct known *dp_asleep[THREADS];	/* NULL: it is awake */
	struct node	dp_node[NODES_MAX];
	struct step	dp_step[STEPS_MAX];
	use_t		dp_use[USES_MAX];
	use_t		dp_kept[KEPT_MAX];
	struct word	dp_word[WORDS_ROOM];
};

CTASSERT(THREADS <= 32);

static struct dpor *
dpor_of(struct strategy *sg)
{
	struct dpor **dp = (void *)sg->sg_state;

	if (*dp == NULL)
		*dp = xcalloc(1, sizeof(**dp));
	return (*dp);
}

/* The search cannot go on, and nothing that it says would be true. */
static void
give_up(struct strategy *sg, struct dpor *dp, int error)
{
	sg->sg_error = error;
	dp->dp_idle = true;
}

static struct word *
word_of(struct dpor *dp, uint64_t word)
{
	uint32_t i = (uint32_t)(word * UINT64_C(0x9e3779b97f4a7c15) >> 32);
	struct word *wd;

	while ((wd = &dp->dp_word[i++ % WORDS_ROOM])->wd_run == dp->dp_run)
		if (wd->wd_word == word)
			return (wd);
	memset(wd, 0xff, sizeof(*wd));
	wd->wd_word = word;
	wd->wd_run = dp->dp_run;
	dp->dp_words++;
	return (wd);
}

/* Whether a step happens before another one. */
static inline bool
before(const struct dpor *dp, uint32_t i, const struct step *later)
{
	const struct step *st = &dp->dp_step[i];

	return (later->dst_clock[st->dst_thread] >=
	    st->dst_clock[st->dst_thread]);
}

/*
 * Of the steps after the i-th that do not happen after it, last the j-th, which
 * is given as if the i-th had not been: the threads whose first one can be
 * first of all.
 */
static uint32_t
initials(const struct dpor *dp, uint32_t i, uint32_t j,
    const struct step *last)
{
	uint32_t first[THREADS], set = 0, threads = 0;
	const struct step *st;
	bool can;

	for (uint32_t k = i + 1; k <= j; k++) {
		st = k == j ? last : &dp->dp_step[k];
		if (before(dp, i, st) || (threads & BIT(st->dst_thread)) != 0)
			continue;
		can = true;
		for (uint32_t left = threads; left != 0; left &= left - 1)
			can &= !before(dp, first[__builtin_ctz(left)], st);
		first[st->dst_thread] = k;
		threads |= BIT(st->dst_thread);
		set |= can ? BIT(st->dst_thread) : 0;
	}
	return (set);
}

/* Steps i and j conflict, and nothing else orders them: try j first. */
static void
race(struct dpor *dp, uint32_t i, uint32_t j, const struct step *last)
{
	const uint32_t n = dp->dp_step[i].dst_node;
	const uint32_t bit = BIT(last->dst_thread);
	struct node *nd;
	uint32_t set;

	if (n == NONE)
		return;
	nd = &dp->dp_node[n];
	set = initials(dp, i, j, last);
	if ((set & (nd->nd_todo | nd->nd_asleep)) != 0)
		return;
	/* None: the j-th step could not be earlier. */
	set &= nd->nd_enabled;
	nd->nd_todo |= (set & bit) != 0 ? bit : set & -set;
}

static void
join(struct step *st, const struct step *earlier)
{
	for (unsigned t = 0; t < THREADS; t++)
		st->dst_clock[t] = MAX(st->dst_clock[t], earlier->dst_clock[t]);
}

/* Notes the last step of a thread that conflicts with a step. */
static void
add_rival(const struct dpor *dp, uint32_t rival[THREADS], uint32_t i,
    const struct step *st)
{
	const unsigned t = i == NONE ? 0 : dp->dp_step[i].dst_thread;

	if (i != NONE && t != st->dst_thread && !before(dp, i, st) &&
	    (rival[t] == NONE || rival[t] < i))
		rival[t] = i;
}

/* Orders a step after those that it conflicts with, and finds its races. */
static void
order(struct dpor *dp, uint32_t j, bool fresh)
{
	struct step *st = &dp->dp_step[j];
	uint32_t rival[THREADS];
	struct step last;
	struct word *wd;

	memset(rival, 0xff, sizeof(rival));
	for (uint32_t u = st->dst_first; u < dp->dp_uses; u++) {
		wd = word_of(dp, dp->dp_use[u] >> 1);
		add_rival(dp, rival, wd->wd_store, st);
		for (unsigned t = 0; (dp->dp_use[u] & 1) != 0 && t < THREADS;
		    t++)
			add_rival(dp, rival, wd->wd_load[t], st);
	}
	for (unsigned r = 0; r < THREADS && fresh; r++) {
		if (rival[r] == NONE)
			continue;
		last = *st;
		for (unsigned k = 0; k < THREADS; k++)
			if (k != r && rival[k] != NONE)
				join(&last, &dp->dp_step[rival[k]]);
		if (!before(dp, rival[r], &last))
			race(dp, rival[r], j, &last);
	}
	for (unsigned r = 0; r < THREADS; r++)
		if (rival[r] != NONE)
			join(st, &dp->dp_step[rival[r]]);
	for (uint32_t u = st->dst_first; u < dp->dp_uses; u++) {
		wd = word_of(dp, dp->dp_use[u] >> 1);
		if ((dp->dp_use[u] & 1) != 0) {
			memset(wd->wd_load, 0xff, sizeof(wd->wd_load));
			wd->wd_store = j;
		} else {
			wd->wd_load[st->dst_thread] = j;
		}
	}
}

/* Whether a step conflicts with what another one would use. */
static bool
conflicts(const struct dpor *dp, const struct step *st,
    const struct known *kn)
{
	const use_t *kept = &dp->dp_kept[kn->kn_first];

	for (uint32_t u = st->dst_first; u < dp->dp_uses; u++)
		for (uint32_t k = 0; k < kn->kn_uses; k++)
			if (dp->dp_use[u] >> 1 == kept[k] >> 1 &&
			    ((dp->dp_use[u] | kept[k]) & 1) != 0)
				return (true);
	return (false);
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

/* The current step has ended. */
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
	order(dp, j, fresh);
	dp->dp_last[st->dst_thread] = j;
	if (st->dst_node != NONE && fresh)
		learn(dp, &dp->dp_node[st->dst_node], st);
	for (unsigned t = 0; t < THREADS; t++)
		if (dp->dp_asleep[t] != NULL && (t == st->dst_thread ||
		    conflicts(dp, st, dp->dp_asleep[t])))
			dp->dp_asleep[t] = NULL;
}

static void
step_begin(struct dpor *dp, unsigned thread, uint32_t node)
{
	const uint32_t last = dp->dp_last[thread];
	struct step *st = &dp->dp_step[dp->dp_steps++];

	*st = (struct step){ .dst_first = dp->dp_uses, .dst_node = node,
	    .dst_thread = thread };
	if (last != NONE)
		join(st, &dp->dp_step[last]);
	st->dst_clock[thread]++;
}

static void
dpor_access(struct strategy *sg, unsigned thread, const void *p, size_t n,
    bool store)
{
	struct dpor *dp = dpor_of(sg);
	uint64_t word = (uintptr_t)p >> WORD_SHIFT;
	const uint64_t end = (uintptr_t)p + MAX(n, 1);
	/* Uses of the step at its end, which may be new words and kept. */
	const size_t most = n + (dp->dp_steps == 0 ? 0 :
	    dp->dp_uses - dp->dp_step[dp->dp_steps - 1].dst_first);

	if (dp->dp_idle || thread == 0)
		return;
	if (dp->dp_steps == STEPS_MAX || dp->dp_words + most > WORDS_MAX ||
	    dp->dp_uses + n > USES_MAX || dp->dp_kepts + most > KEPT_MAX) {
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
		for (; word << WORD_SHIFT < end; word++) {
			dp->dp_use[dp->dp_uses++] = word << 1 | store;
			dp->dp_hash = (dp->dp_hash ^ (word << 1 | store)) *
			    UINT64_C(0x9e3779b97f4a7c15);
		}
	}
}

/* The node that a run comes to: one of the last run's, or a new one. */
static struct node *
next_node(struct strategy *sg, struct dpor *dp, uint32_t enabled,
    unsigned ways)
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
	struct dpor *dp = dpor_of(sg);

	return (dp->dp_idle ? 0 : next_node(sg, dp, 0, ways)->nd_taken % ways);
}

/* The thread to begin with: the current one, or one that is awake. */
static unsigned
prefer(const struct vm_choice *vo, uint32_t may)
{
	const uint64_t ways = choice_among(vo, may);
	const uint64_t awake = ways & choice_awake(vo);

	return (choice_continues(vo) && (ways >> vo->vo_self & 1) != 0 ?
	    (unsigned)vo->vo_self : (unsigned)__builtin_ctzll(
	    awake != 0 ? awake : ways));
}

static unsigned
dpor_choose(struct strategy *sg, const struct vm_choice *vo)
{
	struct dpor *dp = dpor_of(sg);
	uint32_t asleep = 0, enabled = 0;
	struct node *nd;
	unsigned i;

	if (vo->vo_point == VM_POINT_VALUE || vo->vo_point == VM_POINT_CPU)
		return (way(sg, vo->vo_count));
	if (dp->dp_idle)
		return (prefer(vo, UINT32_MAX));
	step_end(dp);
	for (i = 0; i < vo->vo_count; i++)
		enabled |= BIT(vo->vo_thread[i]);
	for (unsigned t = 0; t < THREADS; t++)
		asleep |= dp->dp_asleep[t] != NULL ? BIT(t) : 0;
	if ((enabled & ~asleep) == 0) {
		dp->dp_idle = true;
		sg->sg_redundant++;
		return (prefer(vo, UINT32_MAX));
	}
	nd = next_node(sg, dp, enabled, 0);
	if (dp->dp_idle)
		return (prefer(vo, UINT32_MAX));
	if (nd->nd_todo == 0) {
		nd->nd_asleep = asleep;
		nd->nd_taken = vo->vo_thread[prefer(vo, enabled & ~asleep)];
		nd->nd_todo = BIT(nd->nd_taken);
	}
	for (uint32_t set = nd->nd_done; set != 0; set &= set - 1)
		dp->dp_asleep[__builtin_ctz(set)] =
		    &nd->nd_known[__builtin_ctz(set)];
	step_begin(dp, nd->nd_taken, dp->dp_at - 1);
	dp->dp_chosen = true;
	for (i = 0; vo->vo_thread[i] != nd->nd_taken; i++)
		continue;
	return (i);
}

static bool
dpor_running(struct strategy *sg)
{
	return (way(sg, 2) == 0);
}

/* The next path: the last node that has another way takes it. */
static bool
next_path(struct dpor *dp)
{
	uint32_t left;
	struct node *nd;

	for (; dp->dp_nodes > 0; dp->dp_nodes--) {
		nd = &dp->dp_node[dp->dp_nodes - 1];
		if (nd->nd_ways > 0) {
			if (++nd->nd_taken < nd->nd_ways)
				return (true);
			continue;
		}
		nd->nd_done |= BIT(nd->nd_taken);
		left = nd->nd_todo & ~nd->nd_done & ~nd->nd_asleep;
		if (left != 0) {
			nd->nd_taken = (unsigned)__builtin_ctz(left);
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
		    (unsigned)__builtin_popcount(nd->nd_todo & ~nd->nd_done &
		    ~nd->nd_asleep & ~BIT(nd->nd_taken));
	}
	return (open);
}

static bool
dpor_begin(struct strategy *sg)
{
	struct dpor *dp = dpor_of(sg);

	if (dp->dp_run > 0) {
		if (!dp->dp_idle)
			step_end(dp);
		if (sg->sg_error != 0 || !next_path(dp))
			return (false);
	}
	sg->sg_open = count_open(dp);
	dp->dp_fresh = dp->dp_nodes == 0 ? 0 : dp->dp_nodes - 1;
	dp->dp_at = dp->dp_steps = dp->dp_uses = dp->dp_words = 0;
	dp->dp_idle = dp->dp_chosen = false;
	dp->dp_hash = 0;
	dp->dp_run++;
	memset(dp->dp_last, 0xff, sizeof(dp->dp_last));
	memset(dp->dp_asleep, 0, sizeof(dp->dp_asleep));
	return (true);
}

static void
dpor_fini(struct strategy *sg)
{
	free(dpor_of(sg));
}

const struct strategy_class strategy_dpor = {
	.sy_name	= "dpor",
	.sy_descr	= "all schedules, but one of those that are equivalent",
	.sy_begin	= dpor_begin,
	.sy_choose	= dpor_choose,
	.sy_running	= dpor_running,
	.sy_access	= dpor_access,
	.sy_polls	= VM_POLLS_ONCE,
	.sy_values	= true,
	.sy_all		= true,
	.sy_fini	= dpor_fini,
};
