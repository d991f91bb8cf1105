#include <string.h>

#include "bench/explore/scenario.h"
#include "bench/explore/strategy.h"

enum {
	PAGE		= 4096,
	MIB		= 1 << 20,
	LARGE_ONE_IN	= 2048,	/* of AES: past a key's last block */
	QUEUE_ONE_IN	= 16,
	REAL_ONE_IN	= 64,
	LEVEL_ONE_IN	= 2,	/* of these */
	MANY_ONE_IN	= 8
};

/* Two of three reads are at an edge, the rest anywhere. */
static uint32_t
draw_bytes(const struct scenario_limits *sm, uint64_t *random)
{
	const uint32_t edges[] = { 1, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65,
	    sm->sm_block_bytes, PAGE - 1, PAGE, PAGE + 1, 0, 2 * PAGE,
	    PAGE + 16 };

	if (sm->sm_sizes > 0)
		return ((uint32_t)sm->sm_size[strategy_below(random,
		    sm->sm_sizes)]);
	if (sm->sm_whole_blocks && strategy_below(random, LARGE_ONE_IN) == 0)
		return (MIB + strategy_below(random, 3) * 16 +
		    strategy_below(random, 2) * MIB);
	if (strategy_below(random, 3) > 0)
		return (edges[strategy_below(random,
		    sizeof(edges) / sizeof(edges[0]))]);
	if (strategy_below(random, 2) == 0)
		return (strategy_below(random, 256));
	return (strategy_below(random, 2 * PAGE + 1));
}

/* About Fortuna's 100 ms between reseeds, and Linux's minute. */
static uint32_t
draw_sleep_ms(const struct scenario_limits *sm, uint64_t *random)
{
	static const uint32_t usual[] = { 0, 0, 50, 99, 100, 101, 101, 250 };

	if (sm->sm_timer && strategy_below(random, 4) == 0)
		return (61 * 1000);
	return (usual[strategy_below(random,
	    sizeof(usual) / sizeof(usual[0]))]);
}

/* Enough for a search of all schedules to end. */
static void
draw_small(struct scenario *sn, const struct scenario_limits *sm,
    uint64_t *random)
{
	sn->sn_seeded = true;
	sn->sn_places = 1;
	sn->sn_bursts = 1;
	sn->sn_burst[0] = (struct scenario_step){ .ss_amount = 2 };
	for (unsigned i = 0; i < sn->sn_readers; i++) {
		sn->sn_reads[i] = 1;
		sn->sn_read[i][0].ss_amount = sm->sm_sizes > 0 ?
		    draw_bytes(sm, random) : 16;
	}
}

/*
 * All reads are of one size, as those are that get parts of what a design
 * keeps: a usual one, or what the first has drawn.
 */
static void
draw_level(struct scenario *sn, const struct scenario_limits *sm,
    uint64_t *random)
{
	const uint32_t sizes[] = { 16, 32, 64, sn->sn_read[0][0].ss_amount };
	uint32_t bytes;

	bytes = sizes[sm->sm_sizes > 0 ? 3 : strategy_below(random,
	    sizeof(sizes) / sizeof(sizes[0]))];
	for (unsigned i = 0; i < sn->sn_readers; i++)
		for (unsigned k = 0; k < sn->sn_reads[i]; k++)
			sn->sn_read[i][k].ss_amount = bytes;
}

void
scenario_draw(struct scenario *sn, const struct scenario_limits *sm,
    uint64_t seed)
{
	uint64_t random = seed;
	bool many;

	memset(sn, 0, sizeof(*sn));
	sn->sn_readers = sm->sm_readers_least + strategy_below(&random,
	    sm->sm_readers_most - sm->sm_readers_least + 1);
	if (sm->sm_small) {
		draw_small(sn, sm, &random);
		return;
	}
	sn->sn_seeded = strategy_below(&random, 4) > 0;
	sn->sn_queue = strategy_below(&random, QUEUE_ONE_IN) == 0 ||
	    sm->sm_queue;
	sn->sn_real = strategy_below(&random, REAL_ONE_IN) == 0;
	sn->sn_places = 1 + strategy_below(&random, 3);
	for (unsigned i = 0; i < sn->sn_readers; i++) {
		/* Mostly one: long runs are few runs. */
		sn->sn_reads[i] = 1 + (strategy_below(&random, 3) == 0 ?
		    strategy_below(&random, 3) : 0);
		for (unsigned k = 0; k < sn->sn_reads[i]; k++) {
			sn->sn_read[i][k].ss_amount = draw_bytes(sm, &random);
			if (k > 0 && strategy_below(&random, 4) == 0)
				sn->sn_read[i][k].ss_sleep_ms =
				    draw_sleep_ms(sm, &random);
		}
	}
	/* Where output is looked at. */
	if (sn->sn_real && strategy_below(&random, LEVEL_ONE_IN) == 0)
		draw_level(sn, sm, &random);
	/* Sometimes for many reseeds, which take pools above the first. */
	many = strategy_below(&random, MANY_ONE_IN) == 0;
	sn->sn_bursts = strategy_below(&random, many ?
	    SCENARIO_BURSTS_MAX + 1 : 3);
	for (unsigned k = 0; k < sn->sn_bursts; k++)
		sn->sn_burst[k] = (struct scenario_step){
		    .ss_sleep_ms = many ? 101 : draw_sleep_ms(sm, &random),
		    .ss_amount = 1 + many + strategy_below(&random, 3) };
}

/* A list without its i-th step. */
static void
drop(struct scenario_step *step, unsigned *count, unsigned i)
{
	memmove(&step[i], &step[i + 1], (*count - i - 1) * sizeof(*step));
	(*count)--;
	memset(&step[*count], 0, sizeof(*step));
}

static void
drop_reader(struct scenario *sn, unsigned i)
{
	const unsigned after = --sn->sn_readers - i;

	memmove(&sn->sn_reads[i], &sn->sn_reads[i + 1],
	    after * sizeof(sn->sn_reads[0]));
	memmove(&sn->sn_read[i], &sn->sn_read[i + 1],
	    after * sizeof(sn->sn_read[0]));
	sn->sn_reads[sn->sn_readers] = 0;
	memset(&sn->sn_read[sn->sn_readers], 0, sizeof(sn->sn_read[0]));
}

/* Ways to reduce a step: 0 drops it, 1 its sleep, 2 makes it less, 3 one. */
enum { STEP_WAYS = 4 };

static void
reduce_step(struct scenario_step *step, unsigned *count, unsigned least,
    unsigned i)
{
	struct scenario_step *ss = &step[i / STEP_WAYS];

	if (i / STEP_WAYS >= *count)
		return;
	switch (i % STEP_WAYS) {
	case 0:
		if (*count > least)
			drop(step, count, i / STEP_WAYS);
		break;
	case 1:
		ss->ss_sleep_ms = 0;
		break;
	case 2:
		ss->ss_amount = ss->ss_amount > 16 ? 16 :
		    (ss->ss_amount + 1) / 2;
		break;
	default:
		ss->ss_amount = ss->ss_amount > 1 ? 1 : ss->ss_amount;
	}
}

bool
scenario_reduce(const struct scenario *sn, unsigned i, struct scenario *smaller)
{
	enum { SWITCHES = 4, LIST_WAYS = SCENARIO_READS_MAX * STEP_WAYS };
	unsigned list;

	CTASSERT(SCENARIO_READS_MAX == SCENARIO_BURSTS_MAX);
	*smaller = *sn;
	if (i < SCENARIO_READERS_MAX) {
		if (i < sn->sn_readers && sn->sn_readers > 1)
			drop_reader(smaller, i);
		return (true);
	}
	i -= SCENARIO_READERS_MAX;
	if (i < SWITCHES) {
		smaller->sn_queue &= i != 0;
		smaller->sn_real &= i != 1;
		smaller->sn_seeded |= i == 2;
		if (i == 3)
			smaller->sn_places = 1;
		return (true);
	}
	i -= SWITCHES;
	list = i / LIST_WAYS;
	if (list < SCENARIO_READERS_MAX)
		reduce_step(smaller->sn_read[list], &smaller->sn_reads[list],
		    1, i % LIST_WAYS);
	else
		reduce_step(smaller->sn_burst, &smaller->sn_bursts, 0,
		    i % LIST_WAYS);
	return (list <= SCENARIO_READERS_MAX);
}
