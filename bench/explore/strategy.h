/*
 * Strategies: which thread runs at each choice.
 *
 * A strategy is one file bench/explore/strategy_NAME.c that ends in its class,
 * and one line in strategy.tbl.  Its choices depend on seeds and on the choices
 * it is given, and on nothing else.
 */
#ifndef BENCH_EXPLORE_STRATEGY_H
#define BENCH_EXPLORE_STRATEGY_H

#include "bench/explore/schedule.h"
#include "lib/base/splitmix.h"

enum {
	/* Numbers of threads and of their stores are below it. */
	STRATEGY_THREADS_MAX	= VM_OLDER,
	STRATEGY_NAME_SIZE	= 16	/* "pct:3" */
};

struct strategy;

struct strategy_class {
	const char	*sy_name;	/* as --strategy takes it */
	const char	*sy_descr;	/* one line */
	const char	*sy_means;	/* of the parameter; NULL: none */
	unsigned	 sy_least;	/* the parameter's bounds */
	unsigned	 sy_most;
	unsigned	 sy_usual;
	size_t		 sy_bytes;	/* of st_state, zero at first */
	/* Begins a schedule; false: there are no more.  NULL: no need. */
	bool		(*sy_begin)(struct strategy *st);
	/* As vh_choose.  NULL if sy_begin sets st_used. */
	unsigned	(*sy_choose)(struct strategy *st,
			    const struct vm_choice *vo);
	/* As vh_running.  NULL: always true. */
	bool		(*sy_running)(struct strategy *st);
	bool		 sy_polls;	/* vh_polls */
	bool		 sy_values;	/* chooses at VM_POINT_VALUE too */
	/* Frees what st_state points to; NULL: nothing. */
	void		(*sy_fini)(struct strategy *st);
};

#define	STRATEGY(name)	extern const struct strategy_class strategy_##name;
#include "bench/explore/strategy.tbl"
#undef STRATEGY

enum {
#define	STRATEGY(name)	STRATEGY_IS_##name,
#include "bench/explore/strategy.tbl"
#undef STRATEGY
	strategy_count
};

/* The family, in table order. */
extern const struct strategy_class *const strategy_classes[strategy_count];

/*
 * A strategy at work, for one host thread.  Schedules of the same scenario
 * follow each other; it learns from the earlier ones.
 */
struct strategy {
	const struct strategy_class *st_class;
	unsigned	 st_parameter;
	uint64_t	 st_index;	/* of the schedule; 0: new scenario */
	uint64_t	 st_random;	/* state of the schedule's draws */
	/* Choices with more than one thread. */
	uint32_t	 st_steps;	/* of this schedule, so far */
	uint32_t	 st_most_steps;	/* of any one before; 0: unknown */
	struct strategy	*st_used;	/* this one, or the part that chooses */
	void		*st_state;
};

/*
 * Reads "pct" or "pct:3".
 *
 *   class      out  unless ENOENT
 *   parameter  out  sy_usual if text has none
 *
 * Returns: 0; ENOENT for an unknown name; ERANGE for a parameter out of its
 * bounds; EINVAL for a parameter where there is none.
 */
int strategy_parse(const char *text, const struct strategy_class **class,
    unsigned *parameter);

/* The inverse. */
const char *strategy_name(char buf[STRATEGY_NAME_SIZE],
    const struct strategy_class *class, unsigned parameter);

/* Where a class is in the table. */
unsigned strategy_index(const struct strategy_class *class);

void strategy_init(struct strategy *st, const struct strategy_class *class,
    unsigned parameter);
void strategy_fini(struct strategy *st);

/* Begins a schedule, false when there are no more; and ends it. */
bool strategy_begin(struct strategy *st, uint64_t seed, uint64_t index);
void strategy_end(struct strategy *st);

/* vh_choose and vh_running of a strategy, which is their context. */
unsigned strategy_choose(void *st, const struct vm_choice *vo);
bool strategy_running(void *st);

/* Draws a number below n, n > 0. */
static inline unsigned
strategy_below(uint64_t *state, unsigned n)
{
	return ((unsigned)((splitmix_next(state) >> 32) * n >> 32));
}

/*
 * Draws n steps below st_most_steps.
 *
 * Returns: n; 0 for a scenario's first schedule.
 */
unsigned strategy_draw_steps(struct strategy *st, uint32_t *step, unsigned n);

/* sy_running: true or false, equally likely. */
bool strategy_toss(struct strategy *st);

#endif
