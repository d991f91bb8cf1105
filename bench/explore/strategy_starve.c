/*
 * Starvation: now and then some threads, the victims, do not run for a while,
 * in windows of 1 to 2048 steps; otherwise a random walk.
 *
 * After rr's chaos mode (R. O'Callahan, 2016): a thread is a victim with
 * probability 1/10, lengths are powers of two, all alike, and windows are a
 * fifth of all steps at most.  A victim runs where no other thread can.
 * Spinners go on polling beside a victim that owns their lock.
 */
#include <string.h>

#include "bench/explore/strategy.h"

enum {
	STARVE_VICTIMS		= 10,	/* one in so many */
	STARVE_LENGTHS		= 12,
	STARVE_SHARE		= 5,	/* one step in so many */
	STARVE_BEGINS		= 16	/* a window, in one step of so many */
};

struct starve {
	uint32_t	sv_steps;
	uint32_t	sv_starved;	/* of these */
	uint32_t	sv_left;	/* of the window */
	uint32_t	sv_victims;	/* a bit each */
};

static bool
starve_begin(struct strategy *st)
{
	struct starve *sv = st->st_state;
	uint64_t aside = ~st->st_random;

	memset(sv, 0, sizeof(*sv));
	/* The draws of threads' stores change no other. */
	for (unsigned i = 0; i < STRATEGY_THREADS_MAX; i++)
		if (strategy_below(i < VM_STORES ? &st->st_random : &aside,
		    STARVE_VICTIMS) == 0)
			sv->sv_victims |= 1u << i;
	return (true);
}

static bool
is_victim(const struct starve *sv, const struct vm_choice *vo, unsigned i)
{
	return ((sv->sv_victims >> vo->vo_thread[i] & 1) != 0);
}

/* A thread that is awake and no victim; -1: there is none. */
static int
choose_other(struct strategy *st, const struct starve *sv,
    const struct vm_choice *vo)
{
	unsigned count = 0, pick;

	for (unsigned i = 0; i < vo->vo_count; i++)
		count += choice_awake(vo, i) && !is_victim(sv, vo, i);
	if (count == 0)
		return (-1);
	pick = strategy_below(&st->st_random, count);
	for (unsigned i = 0;; i++)
		if (choice_awake(vo, i) && !is_victim(sv, vo, i) && pick-- == 0)
			return ((int)i);
}

static unsigned
starve_choose(struct strategy *st, const struct vm_choice *vo)
{
	struct starve *sv = st->st_state;
	int other;

	sv->sv_steps++;
	if (vo->vo_count == 1)
		return (0);
	if (sv->sv_left == 0 && sv->sv_starved * STARVE_SHARE <= sv->sv_steps &&
	    strategy_below(&st->st_random, STARVE_BEGINS) == 0) {
		sv->sv_left = 1u << strategy_below(&st->st_random,
		    STARVE_LENGTHS);
		/* There must be a victim, a thread. */
		if (sv->sv_victims % (1u << VM_STORES) == 0)
			sv->sv_victims |= 1u << vo->vo_thread[
			    strategy_below(&st->st_random, vo->vo_count)];
	}
	if (sv->sv_left > 0) {
		sv->sv_left--;
		sv->sv_starved++;
		other = choose_other(st, sv, vo);
		if (other >= 0)
			return ((unsigned)other);
	}
	return (strategy_random.sy_choose(st, vo));
}

const struct strategy_class strategy_starve = {
	.sy_name	= "starve",
	.sy_descr	= "random, but some threads do not run for a while",
	.sy_bytes	= sizeof(struct starve),
	.sy_begin	= starve_begin,
	.sy_choose	= starve_choose,
	.sy_running	= strategy_toss,
	.sy_polls	= true,
};
