/*
 * How many schedules of a small scene are run in a second: three readers of 32
 * bytes and one that delivers events, the order chosen at random.
 */
#undef FLAVOUR
#define	FLAVOUR		virtual
#define	MACHINE_VIRTUAL

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/figures/figures.h"
#include "fortuna/generator.h"
#include "lib/hash.h"
#include "lib/profile.h"

enum {
	ROUNDS		= 9,
	SCHEDULES	= 20 * 1000,	/* of a round */
	READERS		= 3,
	THREADS		= READERS + 2,	/* and who delivers, and the first */
	EVENTS		= 2,
	READ_BYTES	= 32,
	AIM		= 100 * 1000
};

#define	PROFILE		"epyc-9654-2s"

struct scene {
	const struct random_algorithm *sc_algorithm;
	const struct lock_class *sc_lock;
	struct lock_config sc_lock_config;
	struct generator *sc_generator;
	struct mthread	 sc_td[THREADS];
	uint8_t		 sc_buf[READERS][READ_BYTES];
};

static void __attribute__((noreturn))
fail(const char *what)
{

	fprintf(stderr, "rngsim-figures: %s\n", what);
	exit(EXIT_FAILURE);
}

static void
read_main(void *arg)
{
	struct scene *sc = arg;
	struct generator *g = sc->sc_generator;
	struct generator_reader gr;
	struct uio uio;
	unsigned i = (unsigned)(machine_curthread() - sc->sc_td);

	machine_curthread()->mt_index = i;
	if (g->g_algorithm->ra_reader_init(g, &gr) != 0)
		fail("no memory for a reader");
	uio = uio_buffer(sc->sc_buf[i], READ_BYTES);
	machine_charge(COST_SYSCALL, 1);
	g->g_algorithm->ra_pre_read(g);
	g->g_algorithm->ra_read(g, &gr, &uio);
	g->g_algorithm->ra_reader_fini(g, &gr);
}

static void
deliver(struct generator *g, unsigned pool)
{
	const struct harvest_event event = { .he_somecounter = pool,
	    .he_size = HARVEST_ENTROPY_BYTES, .he_source = RANDOM_INTERRUPT,
	    .he_destination = (uint8_t)pool };

	g->g_algorithm->ra_event_processor(g, &event);
}

static void
deliver_main(void *arg)
{
	struct scene *sc = arg;
	unsigned i;

	machine_curthread()->mt_index = READERS;
	for (i = 0; i < EVENTS; i++)
		deliver(sc->sc_generator, i);
}

static void
scene_main(void *arg)
{
	struct scene *sc = arg;
	struct generator_params gp = {
		.gp_cipher = cipher_hollow(cipher_find("chacha20")),
		.gp_lock = sc->sc_lock,
		.gp_lock_config = sc->sc_lock_config,
		.gp_config = generator_config_default(),
	};
	struct mthread self;
	struct generator *g;
	unsigned i;

	machine_attach(&self, "first");
	self.mt_index = THREADS - 1;
	if (sc->sc_algorithm->ra_init(&g, &gp) != 0)
		fail("cannot make a generator");
	sc->sc_generator = g;
	while (!g->g_algorithm->ra_seeded(g))
		deliver(g, 0);
	for (i = 0; i <= READERS; i++)
		if (machine_spawn(&sc->sc_td[i], i < READERS ? "reader" :
		    "rand_harvestq", (int)i, i < READERS ? read_main :
		    deliver_main, sc) != 0)
			fail("cannot start a thread");
	for (i = 0; i <= READERS; i++)
		machine_join(&sc->sc_td[i]);
	g->g_algorithm->ra_fini(g);
	machine_detach();
}

/* xorshift64* */
static uint64_t
draw(void *context)
{
	uint64_t *state = context;

	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (*state * UINT64_C(0x2545f4914f6cdd1d) >> 32);
}

static unsigned
any(void *context, const struct vm_choice *vo)
{

	return ((unsigned)(draw(context) * vo->vo_count >> 32));
}

static bool
either(void *context)
{

	return ((draw(context) & 1) != 0);
}

static double
cpu_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ((double)ts.tv_sec + (double)ts.tv_nsec / 1e9);
}

/* Schedules each second of this thread's CPU time, and steps of one. */
static double
run_round(struct scene *sc, struct machine_config *mc, double *steps)
{
	struct machine_outcome mo;
	uint64_t events = 0;
	double start_s;
	unsigned i;

	start_s = cpu_s();
	for (i = 0; i < SCHEDULES; i++) {
		if (vm_run(mc, scene_main, sc, &mo) != 0)
			fail(mo.mo_stuck);
		events += mo.mo_events;
	}
	*steps = (double)events / SCHEDULES;
	return (SCHEDULES / (cpu_s() - start_s));
}

static void
figure(const char *design, const char *lock, struct machine_config *mc)
{
	static struct scene sc;
	double rate[ROUNDS], steps = 0;
	unsigned round;
	char buf[64];

	sc.sc_algorithm = generator_find(design);
	sc.sc_lock = lock_class_find(lock);
	sc.sc_lock_config = lock_config_default(THREADS);
	sc.sc_lock_config.threads = THREADS;
	sc.sc_lock_config.spin_polls = 0;
	for (round = 0; round < ROUNDS; round++)
		rate[round] = run_round(&sc, mc, &steps) / 1e3;
	printf("    %-10s %-7s %s thousand schedules/s, %.0f steps each\n",
	    design, lock, figures_spread(rate, ROUNDS, "%.0f", buf), steps);
}

int
figures_explore(void)
{
	static const char *const designs[] = { "locked", "concurrent" };
	static const char *const locks[] = { "mtx", "ticket" };
	struct vm_chooser vh = { .vh_choose = any, .vh_running = either };
	char error[PROFILE_ERROR_SIZE];
	struct machine_config mc;
	struct profile pr;
	uint64_t state = 1;
	unsigned i, k;

	CTASSERT(ROUNDS <= (int)FIGURES_ROUNDS_MAX);
	figures_heading("explore: schedules chosen at random, made, run and "
	    "freed; 3 readers of 32 bytes\n  and one thread that delivers 2 "
	    "events");
	memset(&mc, 0, sizeof(mc));
	if (profile_load(&pr, PROFILE, error) != 0 ||
	    vm_topology_make(&pr, 0, 0, &mc.mc_topology, error) != 0)
		fail(error);
	vm_costs(&pr, "chacha20", false, &mc.mc_costs);
	vh.vh_context = &state;
	mc.mc_chooser = &vh;
	mc.mc_store = vm_store_new();
	if (mc.mc_store == NULL)
		fail("no memory");
	printf("  aim: %d thousand schedules/s of CPU time\n", AIM / 1000);
	for (i = 0; i < sizeof(designs) / sizeof(designs[0]); i++)
		for (k = 0; k < sizeof(locks) / sizeof(locks[0]); k++)
			figure(designs[i], locks[k], &mc);
	vm_store_free(mc.mc_store);
	return (EXIT_SUCCESS);
}
