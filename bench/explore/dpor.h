/*
 * What dynamic partial-order reduction keeps: the steps of a schedule, what
 * they use, and which of them happen before which.
 */
#pragma once

#include "bench/explore/strategy.h"

enum {
	THREADS		= 64,		/* stores', too, as they appear */
	VALUES		= 4,		/* of a word, that a load may return */
	NODES_MAX	= 1 << 18,	/* of a schedule, as are the next */
	STEPS_MAX	= 1 << 18,
	USES_MAX	= 1 << 22,
	KEPT_MAX	= 1 << 23,	/* uses of steps that may sleep */
	AWAITED_MAX	= 64,
	WORDS_MAX	= 1 << 16,	/* used by a schedule */
	WORDS_ROOM	= 2 * WORDS_MAX
};

#define	NONE		UINT32_MAX
#define	WORD_SHIFT	2
#define	USE_SHIFT	3
#define	USE_OF(use)	((use) % (1 << USE_SHIFT))
#define	BIT(thread)	(UINT64_C(1) << (thread))

/* A word, and in the lowest bits an enum vm_use. */
typedef uint64_t use_t;

/* A step that stored to a word, and the one before it. */
struct store {
	uint32_t	dss_step;
	uint32_t	dss_before;	/* in dp_store; 0: none */
	bool		dss_known;	/* the value that it left */
	uint64_t	dss_value;
};

/* Words that a thread waits for; a count of 0: it does not. */
struct awaited {
	uint64_t	aw_word;
	uint32_t	aw_count;
	bool		aw_is;		/* until it is the value, or is not */
	uint64_t	aw_value;
};

struct step {
	uint32_t	dst_first;	/* of its uses */
	uint32_t	dst_node;	/* where it was chosen; NONE: alone */
	unsigned	dst_thread;
	struct awaited	dst_awaited;
	/* Of each thread, how many of its steps happen before, or are it. */
	uint32_t	dst_clock[THREADS];
};

/* What the step of a thread uses at a node, by all the ways it can go. */
struct known {
	uint32_t	kn_first;	/* in dp_kept */
	uint32_t	kn_uses;
};

struct node {
	uint64_t	nd_enabled;	/* threads, a bit each */
	uint64_t	nd_asleep, nd_todo, nd_done;
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
	uint32_t	wd_store;	/* in dp_store; 0: none */
	/* Steps, or NONE: of those that left a value, the last first. */
	uint32_t	wd_value[VALUES];
	uint32_t	wd_load[THREADS];	/* since the store */
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
	uint32_t	dp_access;	/* the first use of the last access */
	uint32_t	dp_kepts, dp_words, dp_stores, dp_run;
	/* In order of appearance in all runs. */
	unsigned	dp_threads;
	uint8_t		dp_thread[VM_NUMBERS];	/* of vo_thread's; 0: none */
	uint8_t		dp_owner[THREADS];	/* vm_owner() */
	uint32_t	dp_last[THREADS];	/* its last step, or NONE */
	uint64_t	dp_hash;
	bool		dp_chosen;	/* the step that begins next */
	bool		dp_idle;	/* nothing is noted to the run's end */
	const struct known *dp_asleep[THREADS];	/* NULL: it is awake */
	struct awaited	dp_awaits[THREADS];
	/* Of all runs; words further on are taken for unknown. */
	struct awaited	dp_await[AWAITED_MAX];
	unsigned	dp_awaited;
	bool		dp_over;	/* the run's memory may be gone */
	struct node	dp_node[NODES_MAX];
	struct step	dp_step[STEPS_MAX];
	use_t		dp_use[USES_MAX], dp_kept[KEPT_MAX];
	struct store	dp_store[USES_MAX + 1];
	struct word	dp_word[WORDS_ROOM];
};

CTASSERT(THREADS <= 64 && THREADS <= UINT8_MAX);

/* A thread and its stores wait for each other, and never race. */
static inline bool
dpor_own(const struct dpor *dp, unsigned a, unsigned b)
{
	return (dp->dp_owner[a] == dp->dp_owner[b]);
}

/* Whether a step happens before another one. */
static inline bool
dpor_before(const struct dpor *dp, uint32_t i, const struct step *later)
{
	const struct step *st = &dp->dp_step[i];

	return (later->dst_clock[st->dst_thread] >=
	    st->dst_clock[st->dst_thread]);
}

/* Begins a thread's next step, which comes after its last one. */
void dpor_step_init(struct dpor *dp, struct step *st, unsigned thread,
    uint32_t node);

/*
 * Orders the j-th step, which is complete, after those that it conflicts with.
 * If it is fresh, finds its races: what is to be tried goes to nd_todo.
 */
void dpor_order(struct dpor *dp, uint32_t j, bool fresh);

/* The races of the step that a thread still waits for as the run ends. */
void dpor_order_pending(struct dpor *dp, unsigned thread);

/* Whether the current step conflicts with what another thread would use. */
bool dpor_conflicts(const struct dpor *dp, const struct step *st,
    const struct known *kn);

/*
 * How many of the latest values of a word, whose load is the current step's
 * last access, were stored before the step for no other reason than this word;
 * of ways in all, so at most ways - 1.
 */
unsigned dpor_values(struct dpor *dp, unsigned ways);
