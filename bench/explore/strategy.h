/*
 * Strategies: which thread runs at each choice, by seeds and the choices that
 * were given, and by nothing else.  One is a file strategy_NAME.c that ends in
 * its class, and a line in strategy.tbl.
 */
#pragma once

#include "bench/cli/format.h"
#include "bench/explore/schedule.h"
#include "bench/options/family.h"

enum {
	/* Numbers of threads and of their stores are below it. */
	STRATEGY_THREADS_MAX	= VM_OLDER,
	STRATEGY_STATE_WORDS	= 48,
	STRATEGY_NAME_SIZE	= 16	/* "pct:3" */
};

struct strategy;

struct strategy_class {
	const char	*sy_name;	/* as --strategy takes it */
	const char	*sy_descr;	/* one line */
	char		 sy_letter;	/* the parameter's in it; 0: none */
	unsigned	 sy_least, sy_most;	/* the parameter's bounds */
	unsigned	 sy_usual;
	/* Begins a schedule; false: there are no more.  NULL: no need. */
	bool		(*sy_begin)(struct strategy *sg);
	/* As vh_choose. */
	unsigned	(*sy_choose)(struct strategy *sg,
			    const struct vm_choice *vo);
	/* vh_running of a strategy, which is its context. */
	bool		(*sy_running)(void *sg);
	enum vm_polls	 sy_polls;	/* vh_polls */
	/* It goes through all there are, of one scenario, and of one thread. */
	bool		 sy_all;
	/* vh_access, likewise.  NULL: no need. */
	void		(*sy_access)(void *sg, unsigned thread, const void *p,
			    size_t n, enum vm_use use);
};

#define	STRATEGY(name)	extern const struct strategy_class strategy_##name;
#include "bench/explore/strategy.tbl"

/* The family, in table order; NULL after the last. */
extern const struct strategy_class *const strategy_classes[];
extern const struct family explore_strategies;

/* At work on the schedules of one scenario, from which it learns. */
struct strategy {
	const struct strategy_class *sg_class;
	unsigned	 sg_parameter;
	bool		 sg_drawn;	/* both, for each schedule */
	bool		 sg_begun;	/* a schedule */
	uint64_t	 sg_random;	/* state of the schedule's draws */
	/* Choices with more than one thread. */
	uint32_t	 sg_steps;	/* of this schedule, so far */
	uint32_t	 sg_most_steps;	/* of any one before; 0: the first */
	uint64_t	 sg_redundant;	/* schedules that showed nothing new */
	uint64_t	 sg_open;	/* at least so many are left */
	/* EPROTO: the same choices made another run; EFBIG: it is too long. */
	int		 sg_error;
	/* The class's; strategy_fini() frees sg_memory. */
	uint64_t	 sg_state[STRATEGY_STATE_WORDS];
	void		*sg_memory;
};

/*
 * Reads "pct" or "pct:3"; *parameter is sy_usual if text has none.  Returns:
 * NULL for an unknown name and a parameter out of its bounds.
 */
const struct strategy_class *strategy_parse(const char *text,
    unsigned *parameter);

/* What it takes: "random, pct:1..8, ...". */
struct text strategy_accepted(void);

/* The inverse, of the current schedule's. */
const char *strategy_name(char buf[STRATEGY_NAME_SIZE],
    const struct strategy *sg);

/* Begins a scenario.  Without a class each schedule draws one, but not dpor. */
void strategy_init(struct strategy *sg, const struct strategy_class *class,
    unsigned parameter);
void strategy_fini(struct strategy *sg);

/* Begins a schedule, after the last one's end; false: there are no more. */
bool strategy_begin(struct strategy *sg, uint64_t seed);

/* vh_choose of a strategy, which is its context. */
unsigned strategy_choose(void *sg, const struct vm_choice *vo);

/* A number below n, n > 0. */
static inline unsigned
strategy_below(uint64_t *state, unsigned n)
{
	return ((unsigned)((splitmix_next(state) >> 32) * n >> 32));
}

/* Draws a choice of a set, a bit each, that is not empty. */
unsigned strategy_draw(struct strategy *sg, uint64_t set);

/* sy_running: true or false, equally likely. */
bool strategy_toss(void *sg);
