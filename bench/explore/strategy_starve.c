/*
 * Starvation: now and then some threads, the victims, do not run for a while,
 * in windows of 1 to 2048 steps; otherwise a random walk.
 *
 * After rr's chaos mode (R. O'Callahan, 2016): a thread is a victim with
 * probability 1/10, lengths are powers of two, all alike, and windows are a
 * fifth of all steps at most.  A victim runs where no other thread can.
 * Spinners go on polling beside a victim that owns their lock.
 */
#include "bench/explore/strategy.h"

enum {
	STARVE_VICTIMS		= 10,	/* one in so many */
	STARVE_LENGTHS		= 12,
	STARVE_SHARE		= 5,	/* one step in so many */
	STARVE_BEGINS		= 16	/* a window, in one step of so many */
};

struct starve {
	uint32_t	stv_starved;	/* steps */
	uint32_t	stv_left;	/* of the window */
	uint32_t	stv_victims;	/* a bit each */
};

CTASSERT(sizeof(struct starve) <= STRATEGY_STATE_WORDS * sizeof(uint64_t));

static bool
starve_begin(struct strategy *sg)
{
	struct starve *sv = (void *)sg->sg_state;

	memset(sv, 0, sizeof(*sv));
	for (unsigned i = 0; i < STRATEGY_THREADS_MAX; i++)
		if (strategy_below(&sg->sg_random, STARVE_VICTIMS) == 0)
			sv->stv_victims |= 1u << i;
	return (true);
}

static unsigned
starve_choose(struct strategy *sg, const struct vm_choice *vo)
{
	struct starve *sv = (void *)sg->sg_state;
	uint64_t others;

	if (sv->stv_left == 0 && sv->stv_starved *
	    STARVE_SHARE <= sg->sg_steps &&
	    strategy_below(&sg->sg_random, STARVE_BEGINS) == 0) {
		sv->stv_left = 1u << strategy_below(&sg->sg_random,
		    STARVE_LENGTHS);
		/* There must be a victim, a thread. */
		if (sv->stv_victims % (1u << VM_STORES) == 0)
			sv->stv_victims |= 1u << vo->vo_thread[
			    strategy_below(&sg->sg_random, vo->vo_count)];
	}
	if (sv->stv_left > 0) {
		sv->stv_left--;
		sv->stv_starved++;
		others = choice_awake(vo);
		for (unsigned i = 0; i < vo->vo_count; i++)
			others &= ~((uint64_t)(sv->stv_victims >>
			    vo->vo_thread[i] & 1) << i);
		if (others != 0)
			return (strategy_draw(sg, others));
	}
	return (strategy_random.sy_choose(sg, vo));
}

const struct strategy_class strategy_starve = {
	.sy_name	= "starve",
	.sy_descr	= "random, but some threads do not run for a while",
	.sy_begin	= starve_begin,
	.sy_choose	= starve_choose,
	.sy_running	= strategy_toss,
	.sy_polls	= VM_POLLS_ANY,
};
