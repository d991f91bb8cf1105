#undef FLAVOUR
#define	FLAVOUR		virtual
#define	MACHINE_VIRTUAL

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/cell/critical_section.h"
#include "bench/figures/figures.h"
#include "lib/machine/tick.h"

enum { CUSTOMERS = 200 * 1000, CPUS_MAX = 1024 };

#define	PROFILE		"epyc-9654-2s"
#define	LOAD		0.8		/* of the queue, as in mm1.py */
#define	MEAN_NS		1000.0		/* of a service */

static struct machine_config
config_make(unsigned cpus, uint64_t seed)
{
	static struct profile pr;
	struct machine_config mc;
	char error[PROFILE_ERROR_SIZE];

	memset(&mc, 0, sizeof(mc));
	if (profile_load(&pr, PROFILE, error) != 0 || vm_topology_make(&pr,
	    cpus, cpus < 64 ? 1 : 16, &mc.mc_topology, error) != 0)
		figures_fail(error);
	vm_costs(&pr, "chacha20", false, &mc.mc_costs);
	mc.mc_seed = seed;
	return (mc);
}

/* Runs threads that contend for a lock: the events it took. */
static uint64_t
run_lock(const char *lock, unsigned threads, double virtual_s,
    struct machine_config *mc)
{
	struct critical_section se = {
		.se_lock = lock,
		.se_lock_config = lock_config_default(threads),
		.se_threads = threads,
		.se_think_ns = 1000,
		.se_hold_ns = 200,
		.se_exponential = true,
		.se_lines = 1,
		.se_time_s = virtual_s,
		.se_seed = mc->mc_seed,
	};
	struct critical_section_outcome so;

	se.se_lock_config.spin_polls = 0;
	if (virtual_critical_section_run(&se, mc, &so) != 0)
		figures_fail(so.so_machine.mo_stuck);
	free(so.so_thread);
	return (so.so_machine.mo_events);
}

/* Prints million events a second, those of all locks together. */
void
figures_events(char *argv[])
{
	const unsigned cpus = (unsigned)figures_number(argv[0]);
	const uint64_t seed = figures_number(argv[1]);
	int64_t start_ns = tick_ns();
	struct machine_config mc;
	uint64_t events = 0;

	for (argv += 2; argv[0] != NULL && argv[1] != NULL; argv += 2) {
		mc = config_make(cpus, seed);
		events += run_lock(argv[0], cpus, strtod(argv[1], NULL), &mc);
	}
	printf("%.6g\n", (double)events * 1e3 / (double)(tick_ns() - start_ns));
}

/* What an observer sees when all threads have begun. */
struct scales {
	unsigned	sc_threads;	/* that ended */
	double		sc_bytes;	/* in memory; 0: unknown */
};

static void
weigh(void *context, const struct vm_note *vn)
{
	struct scales *sc = context;
	unsigned long pages = 0;
	FILE *f;

	/* When the first thread ends, all have run. */
	if (vn->vn_kind != VM_THREAD_END || sc->sc_threads++ > 0 ||
	    (f = fopen("/proc/self/statm", "r")) == NULL)
		return;
	if (fscanf(f, "%*u %lu", &pages) == 1)
		sc->sc_bytes = (double)pages * (double)sysconf(_SC_PAGESIZE);
	fclose(f);
}

/* Prints the bytes in memory when that many threads run. */
void
figures_memory(char *argv[])
{
	struct scales sc = { .sc_threads = 0 };
	struct vm_observer vo = { .vo_note = weigh, .vo_context = &sc };
	struct machine_config mc = config_make(CPUS_MAX, 1);

	mc.mc_observer = &vo;
	(void)run_lock("mcs", (unsigned)figures_number(argv[0]), 1e-3, &mc);
	printf("%.0f\n", sc.sc_bytes);
}

/* An M/M/1 queue: one thread makes customers, one serves them. */
struct queue {
	struct mthread	 q_producer;
	struct mthread	 q_server;
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	 q_arrived;
};

static void
work(double mean_ns)
{
	uint64_t word = 0;
	double u;

	(void)machine_draw(&word);
	u = ((double)(word >> 11) + 0.5) / 9007199254740992.0;
	machine_charge(COST_WORK, (size_t)llround(-log(u) * mean_ns));
}

static void
producer_main(void *arg)
{
	struct queue *q = arg;

	for (unsigned i = 0; i < CUSTOMERS; i++) {
		work(MEAN_NS / LOAD);
		atomic_fetchadd_rel_32(&q->q_arrived, 1);
	}
}

static void
server_main(void *arg)
{
	struct queue *q = arg;

	for (uint32_t served = 0; served < CUSTOMERS; served++) {
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
		figures_fail("no thread");
	machine_join(&q->q_producer);
	machine_join(&q->q_server);
}

/* Prints customers, events and seconds, as mm1.py does. */
void
figures_queue(char *argv[])
{
	struct machine_config mc = config_make(4, figures_number(argv[0]));
	static struct queue q;
	struct machine_outcome mo;
	int64_t start_ns = tick_ns();

	mc.mc_costs.vc_jitter[0] = mc.mc_costs.vc_jitter[1] = 0;
	if (vm_run(&mc, queue_main, &q, &mo) != 0)
		figures_fail(mo.mo_stuck);
	printf("%d %" PRIu64 " %.6f\n", CUSTOMERS, mo.mo_events,
	    (double)(tick_ns() - start_ns) / 1e9);
}
