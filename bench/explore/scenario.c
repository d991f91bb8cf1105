#include <errno.h>
#include <string.h>

#include "bench/explore/scenario.h"
#include "bench/explore/strategy.h"
#include "lib/number.h"

enum {
	PAGE		= 4096,
	MIB		= 1 << 20,
	LARGE_ONE_IN	= 2048,	/* of AES: past a key's last block */
	QUEUE_ONE_IN	= 16,
	REAL_ONE_IN	= 64,
	LEVEL_ONE_IN	= 2,	/* of these */
	MANY_ONE_IN	= 8,
	ITEM_SIZE	= 32
};

/* Two of three reads are at an edge, the rest anywhere. */
static uint32_t
draw_bytes(const struct scenario_limits *sm, uint64_t *random)
{
	const uint32_t edges[] = { 1, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65,
	    sm->sm_block_bytes, sm->sm_hybrid_bytes, sm->sm_hybrid_bytes + 1,
	    PAGE - 1, PAGE, PAGE + 1, 0, 2 * PAGE, PAGE + 16 };

	if (sm->sm_sizes > 0)
		return (sm->sm_size[strategy_below(random, sm->sm_sizes)]);
	if (sm->sm_whole_blocks &&
	    strategy_below(random, LARGE_ONE_IN) == 0)
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
	unsigned i;

	sn->sn_seeded = true;
	sn->sn_places = 1;
	sn->sn_bursts = 1;
	sn->sn_burst[0] = (struct scenario_step){ .ss_amount = 2 };
	for (i = 0; i < sn->sn_readers; i++) {
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
	unsigned i, k;

	bytes = sizes[sm->sm_sizes > 0 ? 3 : strategy_below(random,
	    sizeof(sizes) / sizeof(sizes[0]))];
	for (i = 0; i < sn->sn_readers; i++)
		for (k = 0; k < sn->sn_reads[i]; k++)
			sn->sn_read[i][k].ss_amount = bytes;
}

void
scenario_draw(struct scenario *sn, const struct scenario_limits *sm,
    uint64_t seed)
{
	uint64_t random = seed;
	unsigned i, k;
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
	for (i = 0; i < sn->sn_readers; i++) {
		/* Mostly one: long runs are few runs. */
		sn->sn_reads[i] = 1 + (strategy_below(&random, 3) == 0 ?
		    strategy_below(&random, 3) : 0);
		for (k = 0; k < sn->sn_reads[i]; k++) {
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
	for (k = 0; k < sn->sn_bursts; k++)
		sn->sn_burst[k] = (struct scenario_step){
		    .ss_sleep_ms = many ? 101 : draw_sleep_ms(sm, &random),
		    .ss_amount = 1 + many + strategy_below(&random, 3) };
}

unsigned
scenario_reads(const struct scenario *sn)
{
	unsigned i, n = 0;

	for (i = 0; i < sn->sn_readers; i++)
		n += sn->sn_reads[i];
	return (n);
}

unsigned
scenario_events(const struct scenario *sn)
{
	unsigned i, n = 0;

	for (i = 0; i < sn->sn_bursts; i++)
		n += sn->sn_burst[i].ss_amount;
	return (n);
}

uint32_t
scenario_bytes_max(const struct scenario *sn)
{
	uint32_t most = 0;
	unsigned i, k;

	for (i = 0; i < sn->sn_readers; i++)
		for (k = 0; k < sn->sn_reads[i]; k++)
			if (sn->sn_read[i][k].ss_amount > most)
				most = sn->sn_read[i][k].ss_amount;
	return (most);
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
drop_reader(struct scenario *sn, unsigned reader)
{
	unsigned i;

	for (i = reader; i + 1 < sn->sn_readers; i++) {
		sn->sn_reads[i] = sn->sn_reads[i + 1];
		memcpy(sn->sn_read[i], sn->sn_read[i + 1],
		    sizeof(sn->sn_read[i]));
	}
	sn->sn_readers--;
	sn->sn_reads[sn->sn_readers] = 0;
	memset(sn->sn_read[sn->sn_readers], 0,
	    sizeof(sn->sn_read[sn->sn_readers]));
}

/* Of a step: 0 leaves it out, 1 its sleep, 2 makes it less, 3 one. */
enum { STEP_WAYS = 4 };

static void
reduce_step(struct scenario_step *step, unsigned *count, unsigned i,
    unsigned way)
{
	struct scenario_step *ss = &step[i];

	if (i >= *count)
		return;
	if (way == 0)
		drop(step, count, i);
	else if (way == 1)
		ss->ss_sleep_ms = 0;
	else if (way == 2)
		ss->ss_amount = ss->ss_amount > 16 ? 16 :
		    (ss->ss_amount + 1) / 2;
	else if (ss->ss_amount > 1)
		ss->ss_amount = 1;
}

bool
scenario_reduce(const struct scenario *sn, unsigned i,
    struct scenario *smaller)
{
	enum { SWITCHES = 4 };
	unsigned reader;

	*smaller = *sn;
	if (i < SCENARIO_READERS_MAX) {
		if (i < sn->sn_readers && sn->sn_readers > 1)
			drop_reader(smaller, i);
		return (true);
	}
	i -= SCENARIO_READERS_MAX;
	if (i < SCENARIO_BURSTS_MAX * STEP_WAYS) {
		reduce_step(smaller->sn_burst, &smaller->sn_bursts,
		    i / STEP_WAYS, i % STEP_WAYS);
		return (true);
	}
	i -= SCENARIO_BURSTS_MAX * STEP_WAYS;
	if (i < SWITCHES) {
		smaller->sn_queue &= i != 0;
		smaller->sn_real &= i != 1;
		smaller->sn_seeded |= i == 2;
		if (i == 3)
			smaller->sn_places = 1;
		return (true);
	}
	i -= SWITCHES;
	reader = i / (SCENARIO_READS_MAX * STEP_WAYS);
	if (reader >= SCENARIO_READERS_MAX)
		return (false);
	i %= SCENARIO_READS_MAX * STEP_WAYS;
	if (reader < sn->sn_readers &&
	    (i % STEP_WAYS != 0 || sn->sn_reads[reader] > 1))
		reduce_step(smaller->sn_read[reader],
		    &smaller->sn_reads[reader], i / STEP_WAYS, i % STEP_WAYS);
	return (true);
}

static bool
steps_equal(const struct scenario_step *a, const struct scenario_step *b,
    unsigned count)
{
	unsigned i;

	for (i = 0; i < count; i++)
		if (a[i].ss_sleep_ms != b[i].ss_sleep_ms ||
		    a[i].ss_amount != b[i].ss_amount)
			return (false);
	return (true);
}

bool
scenario_equals(const struct scenario *a, const struct scenario *b)
{
	unsigned i;

	if (a->sn_readers != b->sn_readers || a->sn_bursts != b->sn_bursts ||
	    a->sn_seeded != b->sn_seeded || a->sn_queue != b->sn_queue ||
	    a->sn_real != b->sn_real || a->sn_places != b->sn_places ||
	    !steps_equal(a->sn_burst, b->sn_burst, a->sn_bursts))
		return (false);
	for (i = 0; i < a->sn_readers; i++)
		if (a->sn_reads[i] != b->sn_reads[i] ||
		    !steps_equal(a->sn_read[i], b->sn_read[i],
		    a->sn_reads[i]))
			return (false);
	return (true);
}

static void
print_steps(FILE *out, const char *key, const struct scenario_step *step,
    unsigned count)
{
	unsigned i;

	fputs(key, out);
	for (i = 0; i < count; i++) {
		fprintf(out, " %u", step[i].ss_amount);
		if (step[i].ss_sleep_ms > 0)
			fprintf(out, "@%u", step[i].ss_sleep_ms);
	}
	fputc('\n', out);
}

void
scenario_print(FILE *out, const struct scenario *sn)
{
	unsigned i;

	fprintf(out, "seeded %s\nqueue %s\ncrypto %s\nplaces %u\n",
	    sn->sn_seeded ? "yes" : "no", sn->sn_queue ? "yes" : "no",
	    sn->sn_real ? "real" : "ideal", sn->sn_places);
	for (i = 0; i < sn->sn_readers; i++)
		print_steps(out, "reader", sn->sn_read[i], sn->sn_reads[i]);
	print_steps(out, "bursts", sn->sn_burst, sn->sn_bursts);
}

/* "AMOUNT" or "AMOUNT@MS", separated by blanks. */
static int
parse_steps(const char *value, struct scenario_step *step, unsigned *count,
    unsigned count_max, uint32_t amount_max, char *why, size_t size)
{
	char item[ITEM_SIZE], *at;
	uint64_t amount, sleep_ms;
	size_t n;

	for (*count = 0;; value += n) {
		value += strspn(value, " ");
		n = strcspn(value, " ");
		if (n == 0)
			return (0);
		if (*count == count_max) {
			snprintf(why, size, "more than %u steps", count_max);
			return (EINVAL);
		}
		snprintf(item, sizeof(item), "%.*s", n < sizeof(item) ?
		    (int)n : 0, value);
		at = strchr(item, '@');
		if (at != NULL)
			*at++ = '\0';
		sleep_ms = 0;
		if (number_parse(item, &amount) != 0 || amount > amount_max ||
		    (at != NULL && (number_parse(at, &sleep_ms) != 0 ||
		    sleep_ms > SCENARIO_SLEEP_MAX_MS))) {
			snprintf(why, size, "\"%.*s\": expected a number up "
			    "to %u, and perhaps \"@\" and milliseconds",
			    n < ITEM_SIZE ? (int)n : ITEM_SIZE, value,
			    amount_max);
			return (EINVAL);
		}
		step[*count].ss_amount = (uint32_t)amount;
		step[(*count)++].ss_sleep_ms = (uint32_t)sleep_ms;
	}
}

static int
parse_switch(const char *value, const char *no, const char *yes, bool *out,
    char *why, size_t size)
{

	*out = strcmp(value, yes) == 0;
	if (*out || strcmp(value, no) == 0)
		return (0);
	snprintf(why, size, "\"%.20s\": expected %s or %s", value, yes, no);
	return (EINVAL);
}

int
scenario_parse_line(struct scenario *sn, const char *key, const char *value,
    char *why, size_t size)
{
	uint64_t v;

	if (strcmp(key, "seeded") == 0)
		return (parse_switch(value, "no", "yes", &sn->sn_seeded, why,
		    size));
	if (strcmp(key, "queue") == 0)
		return (parse_switch(value, "no", "yes", &sn->sn_queue, why,
		    size));
	if (strcmp(key, "crypto") == 0)
		return (parse_switch(value, "ideal", "real", &sn->sn_real,
		    why, size));
	if (strcmp(key, "bursts") == 0)
		return (parse_steps(value, sn->sn_burst, &sn->sn_bursts,
		    SCENARIO_BURSTS_MAX, SCENARIO_EVENTS_MAX, why, size));
	if (strcmp(key, "places") == 0) {
		if (number_parse(value, &v) != 0 || v < 1 ||
		    v > SCENARIO_PLACES_MAX) {
			snprintf(why, size, "\"%.20s\": expected 1..%d",
			    value, SCENARIO_PLACES_MAX);
			return (EINVAL);
		}
		sn->sn_places = (unsigned)v;
		return (0);
	}
	if (strcmp(key, "reader") != 0)
		return (ENOENT);
	if (sn->sn_readers == SCENARIO_READERS_MAX) {
		snprintf(why, size, "more than %d readers",
		    SCENARIO_READERS_MAX);
		return (EINVAL);
	}
	sn->sn_readers++;
	return (parse_steps(value, sn->sn_read[sn->sn_readers - 1],
	    &sn->sn_reads[sn->sn_readers - 1], SCENARIO_READS_MAX,
	    SCENARIO_BYTES_MAX, why, size));
}

int
scenario_check(const struct scenario *sn, char *why, size_t size)
{
	unsigned i;

	if (sn->sn_readers == 0) {
		snprintf(why, size, "no line \"reader\"");
		return (EINVAL);
	}
	for (i = 0; i < sn->sn_readers; i++)
		if (sn->sn_reads[i] == 0) {
			snprintf(why, size, "reader %u reads nothing", i + 1);
			return (EINVAL);
		}
	return (0);
}
