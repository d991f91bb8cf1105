/*
 * FreeBSD's Fortuna with its readers under one mutex, and with generation moved
 * out from under it: r349154 (D20313), June 2019.
 *
 * A debug kernel on a virtual machine of 4 CPUs, 3 readers.  What a hold of the
 * mutex costs such a kernel is fitted to AES under the lock.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bench/cell/virtual.h"
#include "bench/console/stop.h"
#include "bench/reproduce/reproduce.h"

enum {
	READERS		= 3,
	REQUEST_BYTES	= 128 * 1024
};

static const double window_s = 2;
static const double part_s = 0.1;

enum { AES, CHACHA20, CIPHERS };
enum { LOCKED, CONCURRENT, DESIGNS };
enum { RATE, HARVEST, VARIATION };	/* figures of a run */

static const char *const cipher_names[CIPHERS] = { "aes", "chacha20" };
static const char *const design_names[DESIGNS] = { "locked", "concurrent" };

/* Rows: rates by design and cipher, then the harvest thread's CPU time. */
static unsigned
row_of(unsigned figure, unsigned design, unsigned cipher)
{

	return ((figure * DESIGNS + design) * CIPHERS + cipher);
}

static const struct reproduce_row rows[] = {
	/* 55 MiB/s. */
	{ "aes locked: each reader", "MB/s", REPRODUCE_FITTED, 57.67, 0,
	    55, 59 },
	{ "chacha20 locked: each reader", "MB/s", REPRODUCE_PREDICTED, 113, 0,
	    108, 118 },
	{ "aes concurrent: each reader", "MB/s", REPRODUCE_INPUT, 197, 0,
	    190, 200 },
	{ "chacha20 concurrent: each reader", "MB/s", REPRODUCE_INPUT, 430, 0,
	    415, 435 },
	/* "Double digits", and "basically zero". */
	{ "aes locked: rand_harvestq", "% CPU", REPRODUCE_PREDICTED, 10, 99,
	    10, 99 },
	{ "chacha20 locked: rand_harvestq", "% CPU", REPRODUCE_PREDICTED, 10,
	    99, 10, 99 },
	{ "aes concurrent: rand_harvestq", "% CPU", REPRODUCE_PREDICTED, 0, 0,
	    0, 1 },
	{ "chacha20 concurrent: rand_harvestq", "% CPU", REPRODUCE_PREDICTED,
	    0, 0, 0, 1 },
};

#define	VARIANCE							\
	"high variance in latency and throughput, depending on who got " \
	"lucky and won the lock"

static const struct reproduce_words words[] = {
	{ "aes locked", VARIANCE, "% between readers in 100 ms" },
	{ "chacha20 locked", VARIANCE, "% between readers in 100 ms" },
	{ "aes concurrent", "much more responsive",
	    "% between readers in 100 ms" },
	{ "chacha20 concurrent", "much more responsive",
	    "% between readers in 100 ms" },
};

static const char *const remarks[] = {
	"Not published and so guessed: requests of 128 KiB, what else the "
	    "machine did (100 events a second are harvested beside rdrand), "
	    "and the CPU; see the profile.",
	"The concurrent rates gave the profile what a byte costs, so their "
	    "rows test only that the lock costs nothing there.",
	"Published as 55 MiB/s and 113 MB/s; the harvest thread's CPU time as "
	    "\"double digits\" before and \"basically zero\" after, of which "
	    "cipher is not said.",
	"The harvest thread's time under the lock follows from who polls when "
	    "the lock is free: with cpu.pause from 1 to 40 ns, that of "
	    "chacha20 is anything between 10 and 33 %.",
	NULL
};

/* Beside FreeBSD's defaults. */
static const struct {
	const char	*name;
	const char	*value;
} settings[] = {
	{ "rngsim.harvest.model", "2019" },
	{ "rngsim.harvest.sources", "rdrand,interrupt" },
	{ "rngsim.source.interrupt.rate_hz", "100" },
};

enum { SETTINGS = sizeof(settings) / sizeof(settings[0]) };

struct point {
	const struct profile *po_profile;
	unsigned	 po_design;
	unsigned	 po_cipher;
	double		 po_time_s;
};

static void
configure(const struct profile *pr, struct bench_config *bc)
{
	struct tunable_set sets[BENCH_TUNABLE_SETS];
	const struct tunable_set *set;
	const struct tunable *tn;
	unsigned i;
	int error;

	bench_config_default(bc, (unsigned)pr->pr_value[PROFILE_TOPO_CPUS]);
	/* A kernel thread in a mutex keeps its CPU. */
	bc->bc_lock.spin_polls = 0;
	bench_config_sets(bc, sets);
	for (i = 0; i < SETTINGS; i++) {
		tn = tunable_find(sets, BENCH_TUNABLE_SETS, settings[i].name,
		    &set);
		MPASS(tn != NULL);
		error = tunable_set_text(tn, set->ts_base, settings[i].value);
		KASSERT(error == 0, ("%s: %d", settings[i].name, error));
	}
}

static int
run_cell(const struct point *po, uint64_t seed, const struct place *place,
    const struct virtual_machine *vi, double figures[REPRODUCE_FIGURES],
    char why[CELL_ERROR_SIZE])
{
	struct bench_config bc;
	struct cell_measure cm;
	struct machine_config mc;
	struct cell_params cp = {
		.cp_cell = {
			.ce_design = design_names[po->po_design],
			.ce_lock = "mtx",
			.ce_cipher = cipher_find(cipher_names[po->po_cipher]),
			.ce_readers = READERS,
			.ce_request_bytes = REQUEST_BYTES,
		},
		.cp_config = &bc,
		.cp_place = place,
		.cp_time_s = po->po_time_s,
		.cp_seed = seed,
		.cp_machine = &mc,
		.cp_stop = &stop_signal,
	};
	int error;

	configure(&vi->vi_profile, &bc);
	virtual_config(vi, &vi->vi_profile, &cp, false, virtual_seed(seed, 0,
	    &cp.cp_cell), &mc);
	memset(&cm, 0, sizeof(cm));
	error = ENGINE(virtual).en_run(&cp, &cm, why);
	if (error != 0)
		return (error);
	figures[RATE] = cm.cm_sample.total_mb_per_s / READERS;
	figures[HARVEST] = cm.cm_sample.harvest.cpu_percent;
	figures[VARIATION] = 100 * cm.cm_sample.fairness.cov;
	cell_measure_free(&cm);
	return (0);
}

static int
run_point(const void *what, uint64_t seed, double figures[REPRODUCE_FIGURES],
    char why[CELL_ERROR_SIZE])
{
	const struct point *po = what;
	struct virtual_machine vi = { .vi_profile = *po->po_profile };
	char profile_error[PROFILE_ERROR_SIZE], place_error[PLACE_ERROR_SIZE];
	struct place place;
	int error;

	error = vm_topology_make(&vi.vi_profile, 0, 0, &vi.vi_topology,
	    profile_error);
	if (error != 0) {
		snprintf(why, CELL_ERROR_SIZE, "%s", profile_error);
		return (error);
	}
	error = place_parse_virtual(&place, "compact", &vi.vi_topology,
	    place_error);
	if (error != 0) {
		snprintf(why, CELL_ERROR_SIZE, "%s", place_error);
		return (error);
	}
	error = run_cell(po, seed, &place, &vi, figures, why);
	place_free(&place);
	return (error);
}

static int
medians(struct reproducing *rg, unsigned design, unsigned cipher,
    double time_s, double figures[REPRODUCE_FIGURES])
{
	const struct point po = { &rg->rg_profile, design, cipher, time_s };

	return (reproduce_medians(rg, run_point, &po, figures));
}

static int
rate(struct reproducing *rg, unsigned design, unsigned cipher, double *value)
{
	double figures[REPRODUCE_FIGURES];
	int error;

	error = medians(rg, design, cipher, window_s / 2, figures);
	*value = figures[RATE];
	return (error);
}

static int
rate_aes_locked(struct reproducing *rg, double *value)
{

	return (rate(rg, LOCKED, AES, value));
}

static int
rate_aes(struct reproducing *rg, double *value)
{

	return (rate(rg, CONCURRENT, AES, value));
}

static int
rate_chacha20(struct reproducing *rg, double *value)
{

	return (rate(rg, CONCURRENT, CHACHA20, value));
}

static int
fit_hold(struct reproducing *rg)
{

	return (reproduce_fit(rg, PROFILE_OP_LOCK_PAIR, 0, 20000,
	    rows[row_of(RATE, LOCKED, AES)].rr_published, rate_aes_locked));
}

static int
run(struct reproducing *rg)
{
	double figures[REPRODUCE_FIGURES];
	unsigned cipher, design;
	int error;

	error = fit_hold(rg);
	for (design = 0; design < DESIGNS; design++) {
		for (cipher = 0; error == 0 && cipher < CIPHERS; cipher++) {
			error = medians(rg, design, cipher, window_s, figures);
			if (error != 0)
				break;
			rg->rg_predicted[row_of(RATE, design, cipher)] =
			    figures[RATE];
			rg->rg_predicted[row_of(HARVEST, design, cipher)] =
			    figures[HARVEST];
			error = medians(rg, design, cipher, part_s, figures);
			rg->rg_worded[row_of(0, design, cipher)] =
			    figures[VARIATION];
		}
	}
	return (error);
}

/*
 * What a byte costs depends on what a hold does and the other way round, but
 * little: twice is enough.
 */
static int
refit(struct reproducing *rg)
{
	unsigned i;
	int error = 0;

	for (i = 0; i < 2 && error == 0; i++) {
		error = fit_hold(rg);
		if (error == 0)
			error = reproduce_fit(rg, PROFILE_AES_KERNEL_BYTE, 0,
			    20, rows[row_of(RATE, CONCURRENT,
			    AES)].rr_published, rate_aes);
		if (error == 0)
			error = reproduce_fit(rg, PROFILE_CHACHA20_KERNEL_BYTE,
			    0, 20, rows[row_of(RATE, CONCURRENT,
			    CHACHA20)].rr_published, rate_chacha20);
	}
	return (error);
}

const struct reproduction reproduce_fbsd_2019 = {
	.rd_name	= "fbsd-2019",
	.rd_descr	= "Fortuna's readers under FreeBSD's mutex, and out of "
	    "it",
	.rd_profile	= "fbsd12-vm4-2019",
	.rd_key		= PROFILE_OP_LOCK_PAIR,
	.rd_rows	= rows,
	.rd_row_count	= sizeof(rows) / sizeof(rows[0]),
	.rd_words	= words,
	.rd_word_count	= sizeof(words) / sizeof(words[0]),
	.rd_remarks	= remarks,
	.rd_runs	= 14,
	.rd_run		= run,
	.rd_refit	= refit,
};
