/*
 * What a campaign uses if nothing else is said: of each hundred schedules 40
 * are a random walk, 40 by priorities of depth 2, 3 and 4 in turn, 10 starve
 * somebody, 10 are delay-bounded.
 */
#include "bench/explore/strategy.h"

/* Of each MIX_ROUND schedules; the rest is pct. */
enum {
	MIX_ROUND	= 10,
	MIX_STARVE	= 4,	/* this one */
	MIX_DELAY	= 9,	/* and this one */
	MIX_DEPTHS	= 3,
	MIX_DEPTH_LEAST	= 2
};

enum { MIX_IS_RANDOM, MIX_IS_PCT, MIX_IS_STARVE, MIX_IS_DELAY, MIX_PARTS };

struct mix {
	struct strategy	mx_part[MIX_PARTS];
	unsigned	mx_depth;	/* pct runs, for its depth */
};

static const struct strategy_class *const parts[MIX_PARTS] = {
	[MIX_IS_RANDOM]	= &strategy_random,
	[MIX_IS_PCT]	= &strategy_pct,
	[MIX_IS_STARVE]	= &strategy_starve,
	[MIX_IS_DELAY]	= &strategy_delay,
};

static void
mix_scenario(struct strategy *st)
{
	struct mix *mx = st->st_state;
	unsigned i;

	mx->mx_depth = 0;
	for (i = 0; i < MIX_PARTS; i++)
		if (mx->mx_part[i].st_class != NULL)
			strategy_scenario(&mx->mx_part[i]);
}

static unsigned
part_of(unsigned index)
{

	switch (index % MIX_ROUND) {
	case MIX_STARVE:
		return (MIX_IS_STARVE);
	case MIX_DELAY:
		return (MIX_IS_DELAY);
	default:
		/* In turn, with the two above between. */
		return ((index % MIX_ROUND + (index % MIX_ROUND >
		    MIX_STARVE)) % 2 == 0 ? MIX_IS_RANDOM : MIX_IS_PCT);
	}
}

static bool
mix_begin(struct strategy *st, unsigned index)
{
	struct mix *mx = st->st_state;
	unsigned part = part_of(index);
	struct strategy *now = &mx->mx_part[part];

	if (now->st_class == NULL && strategy_init(now, parts[part],
	    parts[part]->sy_usual) != 0) {
		st->st_no_memory = true;
		return (false);
	}
	if (part == MIX_IS_PCT)
		now->st_parameter = MIX_DEPTH_LEAST + mx->mx_depth++ %
		    MIX_DEPTHS;
	st->st_used = now;
	return (strategy_begin(now, st->st_random, index));
}

static void
mix_end(struct strategy *st)
{

	strategy_end(st->st_used);
}

static void
mix_fini(struct strategy *st)
{
	struct mix *mx = st->st_state;
	unsigned i;

	for (i = 0; i < MIX_PARTS; i++)
		if (mx->mx_part[i].st_class != NULL)
			strategy_fini(&mx->mx_part[i]);
}

const struct strategy_class strategy_mix = {
	.sy_name	= "mix",
	.sy_descr	= "4 of 10 random, 4 pct:2 to 4, 1 starve, 1 delay",
	.sy_bytes	= sizeof(struct mix),
	.sy_scenario	= mix_scenario,
	.sy_begin	= mix_begin,
	.sy_end		= mix_end,
	.sy_fini	= mix_fini,
};
