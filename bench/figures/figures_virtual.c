/*
 * Figures of the virtual machine: how fast it is, and how large.
 */
#undef FLAVOUR
#define	FLAVOUR		virtual
#define	MACHINE_VIRTUAL

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/cell/section.h"
#include "bench/figures/figures.h"

enum {
	ROUNDS		= 9,
	CUSTOMERS	= 200 * 1000,
	SIZES		= 2,		/* 4 CPUs, 1024 CPUs */
	THREADS_MEMORY	= 1023
};

#define	PROFILE		"epyc-9654-2s"
#define	LOAD		0.8		/* of the queue; as mm1.py has it */
#define	MEAN_NS		1000.0		/* of a service */

static const char *const mix[] = { "mtx", "tas-backoff", "ticket", "mcs",
    "cna", "futex" };

enum { MIX = sizeof(mix) / sizeof(mix[0]) };

static void __attribute__((noreturn))
fail(const char *what)
{

	fprintf(stderr, "rngsim-figures: %s\n", what);
	exit(EXIT_FAILURE);
}

static struct machine_config
config_make(unsigned cpus, unsigned nodes, uint64_t seed)
{
	static struct profile pr;
	struct machine_config mc;
	char error[PROFILE_ERROR_SIZE];

	memset(&mc, 0, sizeof(mc));
	if (profile_load(&pr, PROFILE, error) != 0 ||
	    vm_topology_make(&pr, cpus, nodes, &mc.mc_topology, error) != 0)
		fail(error);
	vm_costs(&pr, "chacha20", false, &mc.mc_costs);
	mc.mc_seed = seed;
	return (mc);
}

/* Events of the mix and the seconds they took, added to. */
static void
run_lock(const char *lock, unsigned cpus, uint64_t seed, double virtual_s,
    uint64_t *events, double *seconds)
{
	struct machine_config mc = config_make(cpus, cpus < 64 ? 1 : 16, seed);
	struct section se = {
		.se_lock = lock,
		.se_lock_config = lock_config_default(cpus),
		.se_threads = cpus,
		.se_think_ns = 1000,
		.se_hold_ns = 200,
		.se_exponential = true,
		.se_lines = 1,
		.se_time_s = virtual_s,
		.se_seed = seed,
	};
	struct section_outcome so;
	int64_t start_ns;

	se.se_lock_config.spin_polls = 0;
	start_ns = tick_ns();
	if (virtual_section_run(&se, &mc, &so) != 0)
		fail(so.so_machine.mo_stuck);
	*seconds += (double)(tick_ns() - start_ns) / 1e9;
	*events += so.so_machine.mo_events;
	free(so.so_thread);
}

static void
figures_speed(void)
{
	/* Each long enough that starting the threads matters little. */
	static const struct {
		unsigned cpus;
		double	 aim;
		double	 virtual_s[MIX];
	} size[SIZES] = {
		{ 4, 10, { 0.1, 0.1, 0.1, 0.1, 0.1, 0.1 } },
		{ 1024, 4, { 0.1, 0.1, 2, 0.4, 0.4, 0.3 } },
	};
	double each[MIX][ROUNDS], rate[ROUNDS], seconds, sum_s;
	uint64_t events, sum;
	unsigned i, k, round;
	char buf[64];

	for (k = 0; k < SIZES; k++) {
		for (round = 0; round < ROUNDS; round++) {
			sum = 0;
			sum_s = 0;
			for (i = 0; i < MIX; i++) {
				events = 0;
				seconds = 0;
				run_lock(mix[i], size[k].cpus, round + 1,
				    size[k].virtual_s[i], &events, &seconds);
				each[i][round] = (double)events / seconds /
				    1e6;
				sum += events;
				sum_s += seconds;
			}
			rate[round] = (double)sum / sum_s / 1e6;
		}
		printf("  %4u CPUs, all six  %s million events/s "
		    "(aim: %.0f)\n", size[k].cpus, figures_spread(rate,
		    ROUNDS, "%.2f", buf), size[k].aim);
		for (i = 0; i < MIX; i++)
			printf("             %-11s %s\n", mix[i],
			    figures_spread(each[i], ROUNDS, "%.2f", buf));
	}
}

/* Bytes of this process that are in memory; 0: nobody says. */
static double
resident_bytes(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f == NULL)
		return (0);
	if (fscanf(f, "%*u %lu", &pages) != 1)
		pages = 0;
	fclose(f);
	return ((double)pages * (double)sysconf(_SC_PAGESIZE));
}

/* What an observer sees when all threads have begun. */
struct scales {
	unsigned	sc_threads;
	double		sc_bytes;	/* most */
};

static void
weigh(void *context, const struct vm_note *vn)
{
	struct scales *sc = context;

	/* At the end of the first one that ends all have run. */
	if (vn->vn_kind == VM_THREAD_END && sc->sc_threads++ == 0)
		sc->sc_bytes = resident_bytes();
}

static double
weight(unsigned threads)
{
	struct scales sc = { .sc_threads = 0 };
	struct vm_observer vo = { .vo_note = weigh, .vo_context = &sc };
	struct machine_config mc = config_make(1024, 16, 1);
	struct section se = {
		.se_lock = "mcs",
		.se_lock_config = lock_config_default(1024),
		.se_threads = threads,
		.se_think_ns = 1000,
		.se_hold_ns = 200,
		.se_time_s = 1e-3,
		.se_seed = 1,
	};
	struct section_outcome so;

	mc.mc_observer = &vo;
	if (virtual_section_run(&se, &mc, &so) != 0)
		fail(so.so_machine.mo_stuck);
	free(so.so_thread);
	return (sc.sc_bytes);
}

static void
figures_memory(void)
{
	double one;

	one = weight(1);
	if (one == 0) {
		printf("  memory: nobody tells it here\n");
		return;
	}
	printf("  memory: %.1f KiB per thread, %d threads more than one "
	    "(aim: at most 64)\n", (weight(THREADS_MEMORY + 1) - one) /
	    THREADS_MEMORY / KIB, THREADS_MEMORY);
}

/* An M/M/1 queue: a thread that brings customers, and one that serves them. */
struct queue {
	struct mthread	 q_producer;
	struct mthread	 q_server;
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	 q_arrived;
};

static void
work(double mean_ns)
{
	double u = ((double)(vm_draw() >> 11) + 0.5) / 9007199254740992.0;

	machine_charge(COST_WORK, (size_t)llround(-log(u) * mean_ns));
}

static void
producer_main(void *arg)
{
	struct queue *q = arg;
	unsigned i;

	for (i = 0; i < CUSTOMERS; i++) {
		work(MEAN_NS / LOAD);
		atomic_fetchadd_rel_32(&q->q_arrived, 1);
	}
}

static void
server_main(void *arg)
{
	struct queue *q = arg;
	uint32_t served;

	for (served = 0; served < CUSTOMERS; served++) {
		while (atomic_load_acq_32(&q->q_arrived) == served)
			machine_await_32(&q->q_arrived, served, 0);
		work(MEAN_NS);
	}
}

static void
queue_main(void *arg)
{
	struct queue *q = arg;

	if (machine_spawn(&q->q_producer, "producer", 0, producer_main, q) !=
	    0 || machine_spawn(&q->q_server, "server", 1, server_main, q) != 0)
		fail("no thread");
	machine_join(&q->q_producer);
	machine_join(&q->q_server);
}

static void
run_ours(uint64_t seed, double *events, double *seconds)
{
	struct machine_config mc = config_make(4, 1, seed);
	static struct queue q;
	struct machine_outcome mo;
	int64_t start_ns = tick_ns();

	memset(&q, 0, sizeof(q));
	mc.mc_costs.vc_jitter = 0;
	if (vm_run(&mc, queue_main, &q, &mo) != 0)
		fail(mo.mo_stuck);
	*events = (double)mo.mo_events;
	*seconds = (double)(tick_ns() - start_ns) / 1e9;
}

/* False: SimPy is not at hand. */
static bool
run_theirs(uint64_t seed, double *events, double *seconds)
{
	const char *python = getenv("FIGURES_SIMPY");
	char command[512];
	bool done;
	FILE *f;

	if (python == NULL || python[0] == '\0')
		return (false);
	snprintf(command, sizeof(command),
	    "%s bench/figures/mm1.py %d %" PRIu64, python, CUSTOMERS, seed);
	f = popen(command, "r");
	if (f == NULL)
		return (false);
	done = fscanf(f, "%*d %lf %lf", events, seconds) == 2;
	return (pclose(f) == 0 && done);
}

static void
figures_queue(void)
{
	double customers[2][ROUNDS], rate[2][ROUNDS], ratio[2][ROUNDS];
	double events[2], seconds[2];
	unsigned k, round;
	char buf[64];

	for (round = 0; round < ROUNDS; round++) {
		run_ours(round + 1, &events[0], &seconds[0]);
		if (!run_theirs(round + 1, &events[1], &seconds[1])) {
			printf("  M/M/1: no SimPy here, and so no peer\n");
			return;
		}
		for (k = 0; k < 2; k++) {
			rate[k][round] = events[k] / seconds[k] / 1e6;
			customers[k][round] = CUSTOMERS / seconds[k] / 1e6;
		}
		ratio[0][round] = rate[0][round] / rate[1][round];
		ratio[1][round] = customers[0][round] / customers[1][round];
	}
	printf("  M/M/1 at load %.1f, %d customers, ours beside SimPy's\n",
	    LOAD, CUSTOMERS);
	for (k = 0; k < 2; k++)
		printf("    %-8s %s million events/s\n", k == 0 ? "rngsim" :
		    "SimPy", figures_spread(rate[k], ROUNDS, "%.3f", buf));
	printf("    ratio    %s; of customers/s", figures_spread(ratio[0],
	    ROUNDS, "%.1f", buf));
	printf(" %s\n", figures_spread(ratio[1], ROUNDS, "%.1f", buf));
}

int
figures_virtual(void)
{

	CTASSERT(ROUNDS <= (int)FIGURES_ROUNDS_MAX);
	figures_heading("virtual: speed and size of the virtual machine, one "
	    "thread a CPU, profile\n  " PROFILE ", 1024 CPUs in 16 nodes; mean "
	    "1000 ns between holds of 200 ns");
	figures_memory();
	figures_speed();
	figures_queue();
	return (EXIT_SUCCESS);
}
