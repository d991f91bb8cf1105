/*
 * The default of a campaign: of each ten schedules 4 are a random walk, 4 by
 * priorities of depth 2, 3 and 4 in turn, 1 starves some threads, and 1 is
 * delay-bounded.
 */
#include "bench/explore/strategy.h"

enum { ROUND = 10, DEPTHS = 3, DEPTH_LEAST = 2 };

struct mix {
	struct strategy	mx_part[strategy_count];	/* those begun */
	unsigned	mx_depth;	/* schedules of pct, for its depth */
};

static const struct strategy_class *const turns[ROUND] = {
	&strategy_random, &strategy_pct, &strategy_random, &strategy_pct,
	&strategy_starve, &strategy_random, &strategy_pct, &strategy_random,
	&strategy_pct, &strategy_delay
};

static bool
mix_begin(struct strategy *st)
{
	struct mix *mx = st->st_state;
	const struct strategy_class *class = turns[st->st_index % ROUND];
	struct strategy *now = &mx->mx_part[strategy_index(class)];

	if (st->st_index == 0) {
		mx->mx_depth = 0;
		for (unsigned i = 0; i < strategy_count; i++)
			mx->mx_part[i].st_most_steps = 0;
	}
	if (now->st_class == NULL)
		strategy_init(now, class, class->sy_usual);
	if (class == &strategy_pct)
		now->st_parameter = DEPTH_LEAST + mx->mx_depth++ % DEPTHS;
	st->st_used = now;
	return (strategy_begin(now, st->st_random, st->st_index));
}

static void
mix_fini(struct strategy *st)
{
	struct mix *mx = st->st_state;

	for (unsigned i = 0; i < strategy_count; i++)
		if (mx->mx_part[i].st_class != NULL)
			strategy_fini(&mx->mx_part[i]);
}

const struct strategy_class strategy_mix = {
	.sy_name	= "mix",
	.sy_descr	= "4 of 10 random, 4 pct:2 to 4, 1 starve, 1 delay",
	.sy_bytes	= sizeof(struct mix),
	.sy_begin	= mix_begin,
	.sy_fini	= mix_fini,
};
