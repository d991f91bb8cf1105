/*
 * Strategies: who goes on where time does not say.
 *
 * A strategy is one file bench/explore/strategy_NAME.c that ends in its class,
 * and one line in strategy.tbl.  What it chooses depends on seeds and on the
 * choices it is given, and on nothing else.
 */
#ifndef BENCH_STRATEGY_H
#define BENCH_STRATEGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/explore/schedule.h"
#include "lib/splitmix.h"

enum {
	STRATEGY_THREADS_MAX	= 16,	/* of one run, their numbers too */
	STRATEGY_NAME_SIZE	= 16	/* "pct:3" */
};

struct strategy;

/*
 * What a strategy offers.
 *
 * sy_scenario	another program is run from now: what was learned about the
 *		last is forgotten.  NULL: nothing is learned.
 * sy_begin	begins the index-th schedule of this program; false when all
 *		there are were had.
 * sy_choose	as vh_choose.  NULL, and sy_running too: st_used chooses, which
 *		sy_begin sets.
 * sy_running	as vh_running.
 * sy_end	the schedule is over.  NULL: nothing is learned.
 * sy_fini	frees what the state points to; NULL: nothing.
 */
struct strategy_class {
	const char	*sy_name;	/* as --strategy takes it */
	const char	*sy_descr;	/* one line */
	const char	*sy_means;	/* its parameter; NULL: it has none */
	unsigned	 sy_least;	/* which is between these */
	unsigned	 sy_most;
	unsigned	 sy_usual;
	size_t		 sy_bytes;	/* of its state, zero at first */
	void		(*sy_scenario)(struct strategy *st);
	bool		(*sy_begin)(struct strategy *st, unsigned index);
	unsigned	(*sy_choose)(struct strategy *st,
			    const struct vm_choice *vo);
	bool		(*sy_running)(struct strategy *st);
	void		(*sy_end)(struct strategy *st);
	void		(*sy_fini)(struct strategy *st);
};

#define	STRATEGY(name)	extern const struct strategy_class strategy_##name;
#include "bench/explore/strategy.tbl"
#undef STRATEGY

/* The family, in table order. */
extern const struct strategy_class *const strategy_classes[];
extern const unsigned strategy_count;

/* A strategy at work, for one host thread. */
struct strategy {
	const struct strategy_class *st_class;
	unsigned	 st_parameter;
	uint64_t	 st_random;	/* of this schedule's draws */
	/* Who chooses: itself, or of which it is made now. */
	struct strategy	*st_used;
	void		*st_state;
	bool		 st_no_memory;	/* and so not all that it promised */
};

/*
 * Reads "pct" or "pct:3".
 *
 *   parameter  out  the usual one where none is said
 *
 * Returns: 0; ENOENT for an unknown name; ERANGE for a parameter that is not
 * between the least and the most; EINVAL where there should be none.  *class
 * is set in all cases but the first.
 */
int strategy_parse(const char *text, const struct strategy_class **class,
    unsigned *parameter);

/* The same in the other direction. */
const char *strategy_name(char buf[STRATEGY_NAME_SIZE],
    const struct strategy_class *class, unsigned parameter);

/* Where a class is in the table. */
unsigned strategy_index(const struct strategy_class *class);

/* Returns: 0 or ENOMEM. */
int strategy_init(struct strategy *st, const struct strategy_class *class,
    unsigned parameter);
void strategy_fini(struct strategy *st);

void strategy_scenario(struct strategy *st);
bool strategy_begin(struct strategy *st, uint64_t seed, unsigned index);
void strategy_end(struct strategy *st);

static inline unsigned
strategy_choose(struct strategy *st, const struct vm_choice *vo)
{

	return (st->st_used->st_class->sy_choose(st->st_used, vo));
}

static inline bool
strategy_running(struct strategy *st)
{

	return (st->st_used->st_class->sy_running(st->st_used));
}

/* One below n, n > 0; as even as 32 bits can be. */
static inline unsigned
strategy_below(uint64_t *state, unsigned n)
{

	return ((unsigned)((splitmix_next(state) >> 32) * n >> 32));
}

/* For those that toss a coin. */
bool strategy_toss(struct strategy *st);

/* For those that say what is so on a machine that takes nobody's CPU. */
bool strategy_always(struct strategy *st);

/* The i-th of those who are awake, or of all where nobody is. */
unsigned strategy_ith_awake(const struct vm_choice *vo, unsigned i);

#endif
