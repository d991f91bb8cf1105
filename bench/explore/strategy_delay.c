/*
 * Delay bounding: threads have turns, each until it blocks or yields, but for a
 * bounded number of delays, at drawn steps, where who would run is passed over.
 *
 * Paper: M. Emmi, S. Qadeer, Z. Rakamaric, "Delay-bounded scheduling", POPL
 * 2011.  Steps are learned as strategy_pct.c does; the first run has no delay.
 */
#include "bench/explore/strategy.h"

enum { DELAY_MAX = 8 };

struct delay {
	uint32_t	de_most_steps;	/* of a run so far; 0: not known */
	uint32_t	de_steps;	/* of this one */
	unsigned	de_delays;
	uint32_t	de_delay[DELAY_MAX];
	unsigned	de_last;	/* who has the turn */
};

static void
delay_scenario(struct strategy *st)
{
	struct delay *de = st->st_state;

	de->de_most_steps = 0;
}

static bool
delay_begin(struct strategy *st, unsigned index)
{
	struct delay *de = st->st_state;
	unsigned i;

	(void)index;
	de->de_steps = 0;
	de->de_last = 0;
	de->de_delays = de->de_most_steps == 0 ? 0 : st->st_parameter;
	for (i = 0; i < de->de_delays; i++)
		de->de_delay[i] = strategy_below(&st->st_random,
		    de->de_most_steps);
	return (true);
}

static unsigned
delay_choose(struct strategy *st, const struct vm_choice *vo)
{
	struct delay *de = st->st_state;
	unsigned chosen, i;

	if (choice_continues(vo))
		chosen = (unsigned)vo->vo_self;
	else
		chosen = choice_next(vo, de->de_last);
	if (vo->vo_count > 1) {
		for (i = 0; i < de->de_delays; i++)
			if (de->de_delay[i] == de->de_steps)
				chosen = choice_next(vo,
				    vo->vo_thread[chosen]);
		de->de_steps++;
	}
	de->de_last = vo->vo_thread[chosen];
	return (chosen);
}

static void
delay_end(struct strategy *st)
{
	struct delay *de = st->st_state;

	if (de->de_steps > de->de_most_steps)
		de->de_most_steps = de->de_steps;
	if (de->de_most_steps == 0)
		de->de_most_steps = 1;
}

const struct strategy_class strategy_delay = {
	.sy_name	= "delay",
	.sy_descr	= "in turn, with B drawn delays",
	.sy_means	= "delays B",
	.sy_least	= 0,
	.sy_most	= DELAY_MAX,
	.sy_usual	= 2,
	.sy_bytes	= sizeof(struct delay),
	.sy_scenario	= delay_scenario,
	.sy_begin	= delay_begin,
	.sy_choose	= delay_choose,
	.sy_running	= strategy_always,
	.sy_end		= delay_end,
};
