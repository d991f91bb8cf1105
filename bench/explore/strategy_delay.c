/*
 * Delay bounding: threads have turns, each until it blocks or yields, but for a
 * bounded number of delays, at drawn steps, where the next thread is skipped.
 *
 * Paper: M. Emmi, S. Qadeer, Z. Rakamaric, "Delay-bounded scheduling", POPL
 * 2011.  A program's first run has no delay.
 */
#include "bench/explore/strategy.h"

enum { DELAY_MAX = 8 };

struct delay {
	unsigned	de_delays;
	uint32_t	de_delay[DELAY_MAX];	/* steps */
	unsigned	de_last;	/* the thread that ran last */
};

static bool
delay_begin(struct strategy *st)
{
	struct delay *de = st->st_state;

	de->de_last = 0;
	de->de_delays = strategy_draw_steps(st, de->de_delay, st->st_parameter);
	return (true);
}

static unsigned
delay_choose(struct strategy *st, const struct vm_choice *vo)
{
	struct delay *de = st->st_state;
	unsigned chosen;

	chosen = choice_continues(vo) ? (unsigned)vo->vo_self :
	    choice_next(vo, de->de_last);
	for (unsigned i = 0; vo->vo_count > 1 && i < de->de_delays; i++)
		if (de->de_delay[i] == st->st_steps)
			chosen = choice_next(vo, vo->vo_thread[chosen]);
	de->de_last = vo->vo_thread[chosen];
	return (chosen);
}

const struct strategy_class strategy_delay = {
	.sy_name	= "delay",
	.sy_descr	= "in turn, with B drawn delays",
	.sy_means	= "delays B",
	.sy_least	= 0,
	.sy_most	= DELAY_MAX,
	.sy_usual	= 2,
	.sy_bytes	= sizeof(struct delay),
	.sy_begin	= delay_begin,
	.sy_choose	= delay_choose,
};
