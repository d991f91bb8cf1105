#include "bench/explore/scenario.h"
#include "bench/explore/strategy.h"

enum {
	PAGE		= 4096,
	MIB		= 1 << 20,
	LARGE_ONE_IN	= 2048,	/* of AES: past a key's last block */
	QUEUE_ONE_IN	= 16,
	OWN_QUEUE_ONE_IN = 4,
	GUARDED_ONE_IN	= 8,
	OTHERS_ONE_IN	= 2,	/* where they are possible */
	REAL_ONE_IN	= 64,
	LEVEL_ONE_IN	= 2,	/* of these */
	MANY_ONE_IN	= 8,
	CALLS_ONE_IN	= 16,
	FLOOD_ONE_IN	= 64	/* with a queue of the source's own */
};

/* Two of three reads are at an edge, the rest anywhere. */
static uint32_t
draw_bytes(const struct scenario_limits *sm, uint64_t *random)
{
	const uint32_t edges[] = { 1, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65,
	    sm->lim_block_bytes, PAGE - 1, PAGE, PAGE + 1, 0, 2 * PAGE,
	    PAGE + 16 };

	if (sm->lim_sizes > 0)
		return ((uint32_t)sm->lim_size[strategy_below(random,
		    sm->lim_sizes)]);
	if (sm->lim_whole_blocks && strategy_below(random, LARGE_ONE_IN) == 0)
		return (MIB + strategy_below(random, 3) * 16 +
		    strategy_below(random, 2) * MIB);
	if (strategy_below(random, 3) > 0)
		return (edges[strategy_below(random, nitems(edges))]);
	return (strategy_below(random, strategy_below(random, 2) == 0 ? 256 :
	    2 * PAGE + 1));
}

/* About Fortuna's 100 ms between reseeds, and Linux's minute. */
static uint32_t
draw_sleep_ms(const struct scenario_limits *sm, uint64_t *random)
{
	static const uint32_t usual[] = { 0, 0, 50, 99, 100, 101, 101, 250 };

	return (sm->lim_timer && strategy_below(random, 4) == 0 ? 61 * 1000 :
	    usual[strategy_below(random, nitems(usual))]);
}

/* Enough for a search of all schedules to end; or, with time, for a copy. */
static void
draw_small(struct scenario *sn, const struct scenario_limits *sm,
    uint64_t *random)
{
	const bool clone = sm->lim_clone != CLONE_NONE;

	sn->sn_seeded = sn->sn_guarded = 1;
	sn->sn_unpaced = !clone;
	sn->sn_real = clone;
	sn->sn_copied = !clone ? 0 :
	    1 + strategy_below(random, sn->sn_readers * sm->lim_reads);
	sn->sn_vmgenid = sm->lim_clone == CLONE_VMGENID;
	sn->sn_places = sn->sn_readers;
	sn->sn_queue = sn->sn_pair = sm->lim_reads == 0;
	if (sn->sn_queue) {
		sn->sn_readers = 1;
		sn->sn_places = 2;
	}
	sn->sn_bursts = sm->lim_reseeds;
	for (unsigned k = 0; k < sn->sn_bursts; k++)
		sn->sn_burst[k] = (struct scenario_step){
		    .stp_sleep_ms = clone ? 101 : 0,
		    .stp_amount = sn->sn_queue ? SCENARIO_QUEUE_EVENTS :
		    sm->lim_events };
	for (unsigned i = 0; i < sn->sn_readers; i++) {
		sn->sn_reads[i] = sm->lim_reads;
		for (unsigned k = 0; k < sm->lim_reads; k++)
			sn->sn_read[i][k] = (struct scenario_step){
			    .stp_sleep_ms = !clone ? 0 :
			    draw_sleep_ms(sm, random),
			    .stp_amount = sm->lim_sizes == 0 ? SCENARIO_BYTES :
			    draw_bytes(sm, random) };
	}
}

void
scenario_draw(struct scenario *sn, const struct scenario_limits *sm,
    uint64_t seed)
{
	uint32_t sizes[] = { 16, 32, 64, 0 };
	uint64_t random = seed;
	bool many;

	memset(sn, 0, sizeof(*sn));
	sn->sn_readers = sm->lim_readers_least + strategy_below(&random,
	    sm->lim_readers_most - sm->lim_readers_least + 1);
	if (sm->lim_all) {
		draw_small(sn, sm, &random);
		return;
	}
	sn->sn_seeded = strategy_below(&random, 4) > 0;
	sn->sn_queue = strategy_below(&random, sm->lim_own_queue ?
	    OWN_QUEUE_ONE_IN : QUEUE_ONE_IN) == 0 || sm->lim_queue;
	sn->sn_real = strategy_below(&random, REAL_ONE_IN) == 0;
	sn->sn_places = 1 + strategy_below(&random, 3);
	for (unsigned i = 0; i < sn->sn_readers; i++) {
		/* Mostly one: long runs are few runs. */
		sn->sn_reads[i] = 1 + (strategy_below(&random, 3) == 0 ?
		    strategy_below(&random, 3) : 0);
		for (unsigned k = 0; k < sn->sn_reads[i]; k++) {
			sn->sn_read[i][k].stp_amount = draw_bytes(sm, &random);
			if (k > 0 && strategy_below(&random, 4) == 0)
				sn->sn_read[i][k].stp_sleep_ms =
				    draw_sleep_ms(sm, &random);
		}
	}
	/*
	 * Where output is looked at, some reads are all of one size, as where
	 * they get parts of what a design keeps: a usual one, or the first's.
	 */
	if (sn->sn_real && strategy_below(&random, LEVEL_ONE_IN) == 0) {
		sizes[3] = sn->sn_read[0][0].stp_amount;
		sizes[0] = sizes[sm->lim_sizes > 0 ? 3 :
		    strategy_below(&random, 4)];
		for (unsigned i = 0; i < sn->sn_readers; i++)
			for (unsigned k = 0; k < sn->sn_reads[i]; k++)
				sn->sn_read[i][k].stp_amount = sizes[0];
	}
	/* Sometimes for many reseeds, which take pools above the first. */
	many = strategy_below(&random, MANY_ONE_IN) == 0;
	sn->sn_bursts = strategy_below(&random, many ?
	    SCENARIO_BURSTS_MAX + 1 : 3);
	for (unsigned k = 0; k < sn->sn_bursts; k++)
		sn->sn_burst[k] = (struct scenario_step){
		    .stp_sleep_ms = many ? 101 : draw_sleep_ms(sm, &random),
		    .stp_amount = 1 + many + strategy_below(&random, 3) };
	sn->sn_guarded = strategy_below(&random, GUARDED_ONE_IN) == 0;
	sn->sn_sources = strategy_below(&random, OTHERS_ONE_IN) == 0 &&
	    sn->sn_queue && sn->sn_seeded && sm->lim_sources;
	sn->sn_signals = strategy_below(&random, OTHERS_ONE_IN) == 0 &&
	    !sn->sn_seeded;
	sn->sn_pair = strategy_below(&random, OTHERS_ONE_IN) == 0 &&
	    sn->sn_queue;
	if (sm->lim_own_queue && sn->sn_queue && sn->sn_bursts > 0 &&
	    strategy_below(&random, FLOOD_ONE_IN) == 0)
		sn->sn_burst[0].stp_amount = SCENARIO_EVENTS_MAX;
	sn->sn_calls = strategy_below(&random, CALLS_ONE_IN) == 0;
}

/* Takes the i-th of count elements out of an array. */
static void
take_out(void *array, size_t size, unsigned count, unsigned i)
{
	char *at = (char *)array + i * size;

	memmove(at, at + size, (count - i - 1) * size);
	memset((char *)array + (count - 1) * size, 0, size);
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
	if (i % STEP_WAYS == 0 && *count > least)
		take_out(step, sizeof(*step), (*count)--, i / STEP_WAYS);
	else if (i % STEP_WAYS == 1)
		ss->stp_sleep_ms = 0;
	else if (i % STEP_WAYS == 2)
		ss->stp_amount = ss->stp_amount > 16 ? 16 :
		    (ss->stp_amount + 1) / 2;
	else if (i % STEP_WAYS == 3 && ss->stp_amount > 1)
		ss->stp_amount = 1;
}

bool
scenario_reduce(const struct scenario *sn, unsigned i, struct scenario *smaller)
{
	enum { SWITCHES = 13, LIST_WAYS = SCENARIO_READS_MAX * STEP_WAYS };
	unsigned list;

	CTASSERT(SCENARIO_READS_MAX == SCENARIO_BURSTS_MAX);
	*smaller = *sn;
	if (i < SCENARIO_READERS_MAX) {
		if (i < sn->sn_readers && sn->sn_readers > 1) {
			take_out(smaller->sn_reads, sizeof(sn->sn_reads[0]),
			    sn->sn_readers, i);
			take_out(smaller->sn_read, sizeof(sn->sn_read[0]),
			    smaller->sn_readers--, i);
		}
		return (true);
	}
	i -= SCENARIO_READERS_MAX;
	if (i < SWITCHES) {
		smaller->sn_queue &= i != 0;
		smaller->sn_real &= i != 1;
		smaller->sn_seeded |= i == 2 && !sn->sn_signals;
		smaller->sn_guarded &= i != 4;
		smaller->sn_sources &= i != 0 && i != 5;
		smaller->sn_signals &= i != 6;
		smaller->sn_pair &= i != 0 && i != 7;
		smaller->sn_aged &= i != 8;
		smaller->sn_calls &= i != 9;
		smaller->sn_unpaced &= i != 10;
		smaller->sn_vmgenid &= i != 11;
		smaller->sn_copied >>= i == 12;
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
