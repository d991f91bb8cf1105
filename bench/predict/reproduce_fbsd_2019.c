/*
 * FreeBSD's Fortuna before and after generation moved out of the mutex that
 * all readers share: r349154 (D20313), June 2019.
 *
 * A debug kernel, a virtual machine of 4 CPUs, 3 readers.  The cost of one hold
 * of the mutex is fitted to the rate of AES under the lock.
 */
#include "bench/predict/reproduce.h"

enum {
	READERS		= 3,
	REQUEST_BYTES	= 128 * 1024,
	CELLS		= 4
};

/* Figures of a run. */
enum { RATE, HARVEST, VARIATION };

/* The design and the cipher of each. */
static const char *const cells[CELLS][2] = { { "locked", "aes" }, { "locked",
    "chacha20" }, { "concurrent", "aes" }, { "concurrent", "chacha20" } };

/* Runs of each cell: for the rates, the variation, and the fit. */
static const double windows_s[] = { 0.5, 0.1, 0.2 };

#define	EACH_READER(cell)						\
	"MB/s", (cell), RATE, NULL
#define	HARVEST_CPU(cell)						\
	"% CPU", (cell), HARVEST, NULL, REPRODUCE_PREDICTED
#define	SAID(name, cell, said)						\
	{ name, "% between readers in 100 ms", CELLS + (cell), VARIATION, \
	    said, REPRODUCE_PREDICTED, 0, 0, 0, 0 }
#define	VARIANCE							\
	"high variance in latency and throughput, depending on who got " \
	"lucky and won the lock"

enum { WORDS = CELLS };

static const struct reproduce_row rows[] = {
	/* 55 MiB/s. */
	{ "aes locked: each reader", EACH_READER(0), REPRODUCE_FITTED, 57.67,
	    0, 55, 59 },
	{ "chacha20 locked: each reader", EACH_READER(1), REPRODUCE_PREDICTED,
	    113, 0, 108, 118 },
	{ "aes concurrent: each reader", EACH_READER(2), REPRODUCE_INPUT, 197,
	    0, 190, 200 },
	{ "chacha20 concurrent: each reader", EACH_READER(3), REPRODUCE_INPUT,
	    430, 0, 415, 435 },
	/* "Double digits", and "basically zero". */
	{ "aes locked: rand_harvestq", HARVEST_CPU(0), 10, 99, 10, 99 },
	{ "chacha20 locked: rand_harvestq", HARVEST_CPU(1), 10, 99, 10, 99 },
	{ "aes concurrent: rand_harvestq", HARVEST_CPU(2), 0, 0, 0, 1 },
	{ "chacha20 concurrent: rand_harvestq", HARVEST_CPU(3), 0, 0, 0, 1 },
	SAID("aes locked", 0, VARIANCE),
	SAID("chacha20 locked", 1, VARIANCE),
	SAID("aes concurrent", 2, "much more responsive"),
	SAID("chacha20 concurrent", 3, "much more responsive"),
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

static void
configure(struct bench_config *bc, unsigned cpus)
{
	/* Others have FreeBSD's defaults. */
	static const char *const settings[] = { "rngsim.harvest.model=2019",
	    "rngsim.harvest.sources=rdrand,interrupt",
	    "rngsim.source.interrupt.rate_hz=100" };
	const struct tunable *tn;
	const char *value;
	int error;

	bench_config_default(bc, cpus);
	/* A kernel thread that holds a mutex keeps its CPU. */
	bc->bc_lock.spin_polls = 0;
	for (unsigned i = 0; i < nitems(settings); i++) {
		tn = bench_config_set(bc, settings[i], &value, &error);
		KASSERT(tn != NULL && error == 0, ("%s", settings[i]));
	}
}

static int
run(const struct profile *pr, unsigned number, uint64_t seed, double *figures,
    char why[CELL_ERROR_SIZE])
{
	struct bench_config bc;
	struct cell_measure cm;
	struct cell_params cp = {
		.cp_cell = {
			.ce_design = cells[number % CELLS][0], .ce_lock = "mtx",
			.ce_cipher = cipher_find(cells[number % CELLS][1]),
			.ce_readers = READERS,
			.ce_request_bytes = REQUEST_BYTES,
		},
		.cp_config = &bc, .cp_time_s = windows_s[number / CELLS],
		.cp_seed = seed
	};
	int error;

	configure(&bc, (unsigned)pr->pr_value[PROFILE_TOPO_CPUS]);
	memset(&cm, 0, sizeof(cm));
	error = reproduce_cell(pr, 0, &cp, &cm, why);
	figures[RATE] = cm.cm_sample.total_mb_per_s / READERS;
	figures[HARVEST] = cm.cm_sample.harvest.cpu_percent;
	figures[VARIATION] = 100 * cm.cm_sample.fairness.cov;
	cell_measure_free(&cm);
	return (error);
}

const struct reproduction reproduce_fbsd_2019 = {
	"fbsd-2019", "Fortuna's readers under FreeBSD's mutex, and out of it",
	"fbsd12-vm4-2019", .rn_run = run, .rn_runs = 2 * CELLS,
	.rn_fit_key = PROFILE_OP_LOCK_PAIR, .rn_fit_high = 20000,
	.rn_fit_row = 0, .rn_fit_run = 2 * CELLS,
	.rn_rows = rows, .rn_word_count = WORDS, .rn_remarks = remarks,
	.rn_row_count = nitems(rows) - WORDS
};
