/*
 * Random walk: at each choice anyone who could go on, all alike.
 *
 * P. Thomson, A. F. Donaldson, A. Betts, "Concurrency testing using schedule
 * bounding: an empirical study", PPoPP 2014, found it to be no worse than
 * cleverer ones.  Sleeps run out in one of so many choices only: each of them
 * moves time for all.
 */
#include "bench/explore/strategy.h"

enum { RANDOM_SLEEP_ENDS = 8 };

static bool
random_begin(struct strategy *st, unsigned index)
{

	(void)st;
	(void)index;
	return (true);
}

static unsigned
random_choose(struct strategy *st, const struct vm_choice *vo)
{
	unsigned awake = vo->vo_count;

	if (vo->vo_count == 1)
		return (0);
	if (vo->vo_asleep != 0) {
		awake = choice_awake_count(vo);
		if (awake == 0 || strategy_below(&st->st_random,
		    RANDOM_SLEEP_ENDS) == 0)
			return (strategy_below(&st->st_random, vo->vo_count));
	}
	return (strategy_ith_awake(vo, strategy_below(&st->st_random, awake)));
}

const struct strategy_class strategy_random = {
	.sy_name	= "random",
	.sy_descr	= "anyone who could go on, all alike",
	.sy_begin	= random_begin,
	.sy_choose	= random_choose,
	.sy_running	= strategy_toss,
};
