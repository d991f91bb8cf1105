/*
 * Random walk: at each choice any thread that can run, all equally likely.
 *
 * P. Thomson, A. F. Donaldson, A. Betts, "Concurrency testing using schedule
 * bounding: an empirical study", PPoPP 2014, found it to be no worse than
 * cleverer ones.  A sleep ends in one of RANDOM_SLEEP_ENDS choices only, as it
 * moves time for all.
 */
#include "bench/explore/strategy.h"

enum { RANDOM_SLEEP_ENDS = 8 };

static unsigned
random_choose(struct strategy *sg, const struct vm_choice *vo)
{
	const uint64_t awake = choice_awake(vo);

	if (vo->vo_asleep == 0 || awake == 0 ||
	    strategy_below(&sg->sg_random, RANDOM_SLEEP_ENDS) == 0)
		return (strategy_below(&sg->sg_random, vo->vo_count));
	return (strategy_draw(sg, awake));
}

const struct strategy_class strategy_random = {
	.sy_name	= "random",
	.sy_descr	= "any thread that can run, all equally likely",
	.sy_choose	= random_choose,
	.sy_running	= strategy_toss,
};
