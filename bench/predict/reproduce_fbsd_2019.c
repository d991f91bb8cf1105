/*
 * FreeBSD's Fortuna before and after generation moved out of the mutex that
 * all readers share: r349154 (D20313), June 2019.
 *
 * A debug kernel, a virtual machine of 4 CPUs, 3 readers.  The cost of one hold
 * of the mutex is fitted to the rate of AES under the lock.
 */
#include "bench/cell/virtual.h"
#include "bench/cli/stop.h"
#include "bench/predict/reproduce.h"

enum {
	READERS		= 3,
	REQUEST_BYTES	= 128 * 1024,
	CELLS		= 4
};

/* Figures of a run. */
enum { RATE, HARVEST, VARIATION };

static const struct {
	const char	*design;
	const char	*cipher;
} cells[CELLS] = {
	{ "locked", "aes" }, { "locked", "chacha20" },
	{ "concurrent", "aes" }, { "concurrent", "chacha20" }
};

/* Runs of each cell: for the rates, the variation, and the fits. */
static const double windows_s[] = { 2, 0.1, 1 };

#define	EACH_READER(cell)	{ (cell), RATE, REPRODUCE_ABSOLUTE }
#define	HARVEST_CPU(cell)	{ (cell), HARVEST, REPRODUCE_ABSOLUTE }
#define	BETWEEN_READERS(cell)						\
	"% between readers in 100 ms",					\
	{ CELLS + (cell), VARIATION, REPRODUCE_ABSOLUTE }
#define	FIT_RATE(cell)							\
	(cell), { 2 * CELLS + (cell), RATE, REPRODUCE_ABSOLUTE }

static const struct reproduce_row rows[] = {
	/* 55 MiB/s. */
	{ "aes locked: each reader", "MB/s", REPRODUCE_FITTED, 57.67, 0,
	    55, 59, EACH_READER(0) },
	{ "chacha20 locked: each reader", "MB/s", REPRODUCE_PREDICTED, 113, 0,
	    108, 118, EACH_READER(1) },
	{ "aes concurrent: each reader", "MB/s", REPRODUCE_INPUT, 197, 0,
	    190, 200, EACH_READER(2) },
	{ "chacha20 concurrent: each reader", "MB/s", REPRODUCE_INPUT, 430, 0,
	    415, 435, EACH_READER(3) },
	/* "Double digits", and "basically zero". */
	{ "aes locked: rand_harvestq", "% CPU", REPRODUCE_PREDICTED, 10, 99,
	    10, 99, HARVEST_CPU(0) },
	{ "chacha20 locked: rand_harvestq", "% CPU", REPRODUCE_PREDICTED, 10,
	    99, 10, 99, HARVEST_CPU(1) },
	{ "aes concurrent: rand_harvestq", "% CPU", REPRODUCE_PREDICTED, 0, 0,
	    0, 1, HARVEST_CPU(2) },
	{ "chacha20 concurrent: rand_harvestq", "% CPU", REPRODUCE_PREDICTED,
	    0, 0, 0, 1, HARVEST_CPU(3) },
};

#define	VARIANCE							\
	"high variance in latency and throughput, depending on who got " \
	"lucky and won the lock"

static const struct reproduce_words words[] = {
	{ "aes locked", VARIANCE, BETWEEN_READERS(0) },
	{ "chacha20 locked", VARIANCE, BETWEEN_READERS(1) },
	{ "aes concurrent", "much more responsive", BETWEEN_READERS(2) },
	{ "chacha20 concurrent", "much more responsive", BETWEEN_READERS(3) },
};

static const struct reproduce_fit fits[] = {
	{ PROFILE_OP_LOCK_PAIR, 20000, FIT_RATE(0) },
};

static const char *const remarks[] = {
	"Not published and so guessed: requests of 128 KiB, what else the "
	    "machine did (100 events a second are harvested beside rdrand), "
	    "and the CPU; see the profile.",
	"The concurrent rates gave the profile what a byte costs, so their "
	    "rows test only that the lock costs nothing there.",
	"Published as 55 MiB/s and 113 MB/s; the harvest thread's CPU time as "
	    "\"double digits\" before and \"basically zero\" after, for "
	    "no cipher in particular.",
	"The harvest thread's time under the lock depends on which thread "
	    "polls when the lock is free: with cpu.pause from 1 to 40 ns, that "
	    "of chacha20 is anything between 10 and 33 %.",
	NULL
};

/* Other tunables have FreeBSD's defaults. */
static const struct {
	const char	*name;
	const char	*value;
} settings[] = {
	{ "rngsim.harvest.model", "2019" },
	{ "rngsim.harvest.sources", "rdrand,interrupt" },
	{ "rngsim.source.interrupt.rate_hz", "100" },
};

static void
configure(struct bench_config *bc, unsigned cpus)
{
	struct tunable_set sets[BENCH_TUNABLE_SETS];
	const struct tunable_set *set;
	const struct tunable *tn;
	int error;

	bench_config_default(bc, cpus);
	/* A kernel thread that holds a mutex keeps its CPU. */
	bc->bc_lock.spin_polls = 0;
	bench_config_sets(bc, sets);
	for (unsigned i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		tn = tunable_find(sets, BENCH_TUNABLE_SETS, settings[i].name,
		    &set);
		MPASS(tn != NULL);
		error = tunable_set_text(tn, set->ts_base, settings[i].value);
		KASSERT(error == 0, ("%s: %d", settings[i].name, error));
	}
}

static int
run(const struct profile *pr, unsigned number, double fitted, uint64_t seed,
    double *figures, char why[CELL_ERROR_SIZE])
{
	struct virtual_machine vi = { .vi_profile = *pr };
	struct bench_config bc;
	struct cell_measure cm;
	struct machine_config mc;
	struct pinning place;
	struct cell_params cp = {
		.cp_cell = {
			.ce_design = cells[number % CELLS].design,
			.ce_lock = "mtx",
			.ce_cipher = cipher_find(cells[number % CELLS].cipher),
			.ce_readers = READERS,
			.ce_request_bytes = REQUEST_BYTES,
		},
		.cp_config = &bc,
		.cp_place = &place,
		.cp_time_s = windows_s[number / CELLS],
		.cp_seed = seed,
		.cp_machine = &mc,
		.cp_stop = &stop_signal,
	};
	int error;

	(void)fitted;
	error = vm_topology_make(pr, 0, 0, &vi.vi_topology, why);
	if (error == 0)
		error = pinning_parse(&place, "compact", &vi.vi_topology, why);
	if (error != 0)
		return (error);
	configure(&bc, vi.vi_topology.vt_cpus);
	virtual_config(&vi, pr, &cp, false, virtual_seed(seed, 0, &cp.cp_cell),
	    &mc);
	memset(&cm, 0, sizeof(cm));
	error = ENGINE(virtual).en_run(&cp, &cm, why);
	pinning_free(&place);
	if (error != 0)
		return (error);
	figures[RATE] = cm.cm_sample.total_mb_per_s / READERS;
	figures[HARVEST] = cm.cm_sample.harvest.cpu_percent;
	figures[VARIATION] = 100 * cm.cm_sample.fairness.cov;
	cell_measure_free(&cm);
	return (0);
}

const struct reproduction reproduce_fbsd_2019 = {
	.rd_name	= "fbsd-2019",
	.rd_descr	= "Fortuna's readers under FreeBSD's mutex, and out of "
	    "it",
	.rd_profile	= "fbsd12-vm4-2019",
	.rd_run		= run,
	.rd_runs	= 2 * CELLS,
	.rd_fits	= fits,
	.rd_fit_count	= sizeof(fits) / sizeof(fits[0]),
	.rd_rows	= rows,
	.rd_row_count	= sizeof(rows) / sizeof(rows[0]),
	.rd_words	= words,
	.rd_word_count	= sizeof(words) / sizeof(words[0]),
	.rd_remarks	= remarks,
};
