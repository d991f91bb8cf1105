/*
 * Figures of locks alone: each own kind beside its twin of the Concurrency Kit,
 * in the flavour without profiling, every one through the same indirect calls.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ck_backoff.h>
#include <gsl/gsl_randist.h>

#include "bench/figures/figures.h"
#include "bench/statistics/stats.h"
#include "lib/lock.h"

enum {
	ROUNDS		= 31,
	PAIRS		= 8,
	MEMBERS		= 2,	/* of a pair: ours, theirs */
	LOADS		= 2,	/* 1 thread, 2 threads */
	CELLS		= PAIRS * MEMBERS * LOADS,
	WINDOW_NS	= 20 * NS_PER_MS,
	SHARED_WORDS	= 4,	/* changed in a hold */
	PRIVATE_STEPS	= 50,	/* of arithmetic between two holds */
	/* Both pass a lock on as often as ck_cohort.h does by default. */
	PASS_LIMIT	= 9
};

static const char *const pairs[PAIRS][MEMBERS] = {
	{ "tas", "ck-fas" },
	{ "tas-backoff", "ck-fas-eb" },
	{ "ticket", "ck-ticket" },
	{ "ticket-pb", "ck-ticket-pb" },
	{ "anderson", "ck-anderson" },
	{ "mcs", "ck-mcs" },
	{ "clh", "ck-clh" },
	{ "cohort", "ck-cohort" },
};

/* What the threads of one measurement share. */
struct anvil {
	struct lock	an_lock;
	_Alignas(MACHINE_CACHE_LINE)
	uint64_t	an_words[SHARED_WORDS];	/* an_lock */
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	an_phase;	/* 0 wait, 1 go, 2 stop */
};

struct hammer {
	_Alignas(MACHINE_CACHE_LINE)
	struct anvil	*ha_anvil;
	unsigned	 ha_index;
	bool		 ha_alone;
	uint64_t	 ha_state;	/* of the private arithmetic */
	uint64_t	 ha_pairs;
	int64_t		 ha_ns;
	struct mthread	 ha_td;
};

/*
 * What makes the first delay of mtx(9)'s back-off, twice the base in pauses, as
 * long as the Concurrency Kit's in empty rounds: which is better is a matter of
 * the load, not of the lock.
 */
static unsigned
delay_base_alike(void)
{
	enum { TRIES = 1000 };
	int64_t start_ns, pause_ns, theirs_ns;
	unsigned i, rounds;

	start_ns = machine_uptime_ns();
	machine_pause(TRIES);
	pause_ns = machine_uptime_ns() - start_ns;
	start_ns = machine_uptime_ns();
	for (i = 0; i < TRIES; i++) {
		rounds = CK_BACKOFF_INITIALIZER;
		ck_backoff_eb(&rounds);
	}
	theirs_ns = machine_uptime_ns() - start_ns;
	return (theirs_ns < 2 * pause_ns ? 1 :
	    (unsigned)(theirs_ns / (2 * pause_ns)));
}

/* Alone: the pair and nothing else. */
static uint64_t
hammer_alone(struct anvil *an)
{
	struct lock_node node;
	uint64_t pairs_done = 0;

	for (; atomic_load_32(&an->an_phase) == 1; pairs_done++) {
		lock_acquire(&an->an_lock, &node, 0);
		lock_release(&an->an_lock, &node);
	}
	return (pairs_done);
}

/* With others: something to protect, and something to do meanwhile. */
static uint64_t
hammer_together(struct hammer *ha)
{
	struct anvil *an = ha->ha_anvil;
	struct lock_node node;
	uint64_t pairs_done = 0, x = ha->ha_state;
	unsigned i;

	for (; atomic_load_32(&an->an_phase) == 1; pairs_done++) {
		lock_acquire(&an->an_lock, &node, 0);
		for (i = 0; i < SHARED_WORDS; i++)
			an->an_words[i]++;
		lock_release(&an->an_lock, &node);
		for (i = 0; i < PRIVATE_STEPS; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
		}
	}
	ha->ha_state = x;
	return (pairs_done);
}

static void
hammer_main(void *arg)
{
	struct hammer *ha = arg;
	struct anvil *an = ha->ha_anvil;
	int64_t start_ns;

	machine_curthread()->mt_index = ha->ha_index;
	while (atomic_load_acq_32(&an->an_phase) == 0)
		machine_wait_32(&an->an_phase, 0, -1);
	start_ns = machine_uptime_ns();
	ha->ha_pairs = ha->ha_alone ? hammer_alone(an) : hammer_together(ha);
	ha->ha_ns = machine_uptime_ns() - start_ns;
}

/* ns that a pair takes, those of all threads counted; checks exclusion. */
static double
measure(const struct lock_class *class, unsigned threads, unsigned delay_base)
{
	struct lock_config config = lock_config_default(cpu_count());
	struct hammer ha[LOADS] = { 0 };
	double per_ns = 0;
	struct anvil *an;
	uint64_t sum = 0;
	unsigned i;

	config.threads = threads;
	config.pass_limit = PASS_LIMIT;
	config.delay_base = delay_base;
	/* The twins never yield, and there are no more threads than CPUs. */
	config.spin_polls = 0;
	an = aligned_alloc(_Alignof(struct anvil), sizeof(*an));
	if (an == NULL)
		abort();
	memset(an, 0, sizeof(*an));
	if (lock_init(&an->an_lock, class, "anvil", &config, NULL) != 0)
		abort();
	for (i = 0; i < threads; i++) {
		ha[i].ha_anvil = an;
		ha[i].ha_index = i;
		ha[i].ha_alone = threads == 1;
		ha[i].ha_state = i + 1;
		if (machine_spawn(&ha[i].ha_td, "hammer", (int)i, hammer_main,
		    &ha[i]) != 0)
			abort();
	}
	atomic_store_rel_32(&an->an_phase, 1);
	machine_wake_32(&an->an_phase);
	machine_sleep(WINDOW_NS);
	atomic_store_32(&an->an_phase, 2);
	for (i = 0; i < threads; i++) {
		machine_join(&ha[i].ha_td);
		per_ns += (double)ha[i].ha_pairs / (double)ha[i].ha_ns;
		sum += ha[i].ha_pairs;
	}
	if (threads > 1 && an->an_words[0] != sum) {
		fprintf(stderr, "rngsim-figures: %s does not exclude\n",
		    class->lc_name);
		exit(EXIT_FAILURE);
	}
	lock_fini(&an->an_lock);
	free(an);
	return (1 / per_ns);
}

static void
print_load(double ns[PAIRS][MEMBERS][ROUNDS])
{
	double ratio[ROUNDS];
	unsigned p, round;
	char buf[64];

	for (p = 0; p < PAIRS; p++) {
		for (round = 0; round < ROUNDS; round++)
			ratio[round] = ns[p][1][round] / ns[p][0][round];
		printf("  %-12s %-13s %7.1f %7.1f  %s\n", pairs[p][0],
		    pairs[p][1], figures_median(ns[p][0], ROUNDS),
		    figures_median(ns[p][1], ROUNDS),
		    figures_spread(ratio, ROUNDS, "%.2f", buf));
	}
}

int
figures_locks(void)
{
	static double ns[LOADS][PAIRS][MEMBERS][ROUNDS];
	const struct lock_class *class[PAIRS][MEMBERS];
	unsigned cell[CELLS], delay_base, i, k, load, m, p, round;
	unsigned loads = cpu_count() < 2 ? 1 : LOADS;
	gsl_rng *rng;

	CTASSERT(ROUNDS <= (int)FIGURES_ROUNDS_MAX);
	figures_heading("locks: ns per lock and unlock, own kinds beside the "
	    "Concurrency Kit's; the last\n  column is theirs over ours of the "
	    "same round, above 1 ours is faster (aim: at\n  least 0.91)");
	delay_base = delay_base_alike();
	printf("  debug.lock.delay_base=%u, as ck-fas-eb delays at first;\n"
	    "  rngsim.lock.pass_limit=%d, rngsim.lock.spin_polls=0\n",
	    delay_base, PASS_LIMIT);
	for (i = 0; i < CELLS; i++) {
		p = i / MEMBERS % PAIRS;
		m = i % MEMBERS;
		cell[i] = i;
		class[p][m] = lock_class_find(pairs[p][m]);
		if (class[p][m] == NULL)
			abort();
	}
	rng = stats_rng((uint64_t)machine_uptime_ns());
	if (rng == NULL)
		abort();
	for (round = 0; round < ROUNDS; round++) {
		gsl_ran_shuffle(rng, cell, CELLS, sizeof(cell[0]));
		for (i = 0; i < CELLS; i++) {
			k = cell[i];
			load = k / (MEMBERS * PAIRS);
			p = k / MEMBERS % PAIRS;
			m = k % MEMBERS;
			if (load < loads)
				ns[load][p][m][round] = measure(class[p][m],
				    load + 1, delay_base);
		}
	}
	gsl_rng_free(rng);
	for (load = 0; load < loads; load++) {
		if (load == 0)
			printf("\n  1 thread, nothing inside or between\n");
		else
			printf("\n  2 threads on 2 CPUs, %d words changed "
			    "inside, %d steps of xorshift between\n",
			    SHARED_WORDS, PRIVATE_STEPS);
		print_load(ns[load]);
	}
	return (EXIT_SUCCESS);
}
