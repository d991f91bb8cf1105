#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench/cli/memory.h"
#include "bench/cli/progress.h"
#include "bench/cli/stop.h"
#include "bench/sweep/pool.h"
#include "bench/sweep/sweep.h"
#include "lib/machine/cpu.h"

enum {
	MAPPINGS_EACH	= 2,	/* of a thread: its stack and the guard page */
	THREADS_BESIDE	= 64	/* readers: harvest, producers, spare ones */
};

/* The progress bar's unit of virtual time. */
static const uint64_t ps_per_step = UINT64_C(1000) * 1000 * 1000;

/* A run that is under way, or done and not taken yet. */
struct slot {
	struct cell_measure sl_measure;
	char		 sl_why[CELL_ERROR_SIZE];
	int		 sl_error;
	_Atomic uint64_t sl_progress_ps;
};

struct replicating {
	const struct replicate *rg_what;
	struct slot	*rg_slots;
	unsigned	 rg_slot_count;
	unsigned	 rg_taken;
	uint64_t	 rg_each_steps;	/* of one run */
	struct progress	 rg_progress;
};

static uint64_t
largest(const struct option_list *ol)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < ol->ol_count; i++)
		v = ol->ol_value[i] > v ? ol->ol_value[i] : v;
	return (v);
}

uint64_t
replicate_memory_bytes(void)
{
	struct rlimit limit;
	uint64_t bytes;

	bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) *
	    (uint64_t)sysconf(_SC_PAGESIZE);
	return (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur < bytes ?
	    limit.rlim_cur : bytes);
}

/* The mappings that a process may have, where the host has a limit. */
static double
mappings(void)
{
	FILE *f = fopen("/proc/sys/vm/max_map_count", "re");
	double most;

	if (f == NULL || fscanf(f, "%lf", &most) != 1)
		most = HUGE_VAL;
	if (f != NULL)
		fclose(f);
	return (most);
}

/* Whether a design of the grid has a part for each CPU. */
static bool
has_parts(const struct options *op)
{
	for (unsigned i = 0; i < op->op_designs.ol_count; i++)
		if ((generators[op->op_designs.ol_value[i]]->ra_flags &
		    RA_MANY_LOCKS) != 0)
			return (true);
	return (false);
}

unsigned
replicate_threads(const struct options *op, uint64_t *needed)
{
	unsigned threads = op->op_config.bc_program.virtual_threads;
	double quota = cpu_quota();
	uint64_t fit;
	double each;

	*needed = virtual_memory_bytes(&op->op_machine,
	    (unsigned)largest(&op->op_readers),
	    workload_max_bytes(&op->op_workload, largest(&op->op_sizes)),
	    op->op_verify, has_parts(op));
	if (threads == 0) {
		threads = cpu_count();
		if (quota > 0 && quota < threads)
			threads = (unsigned)fmax(1, floor(quota));
	}
	fit = replicate_memory_bytes() / 4 * 3 / *needed;
	each = MAPPINGS_EACH * (double)(largest(&op->op_readers) +
	    THREADS_BESIDE);
	if ((double)fit * each > mappings() / 4 * 3)
		fit = (uint64_t)fmax(fit > 0, mappings() / 4 * 3 / each);
	return (fit < threads ? (unsigned)fit : threads);
}

static bool
skips(const struct replicate *rp, unsigned task)
{
	return (rp->rp_skip(rp->rp_context, task % rp->rp_cell_count,
	    task / rp->rp_cell_count));
}

static void
work(void *context, unsigned task, unsigned slot)
{
	struct replicating *rg = context;
	const struct replicate *rp = rg->rg_what;
	const struct options *op = rp->rp_options;
	const unsigned round = task / rp->rp_cell_count;
	const unsigned repeat = round % op->op_repeats;
	struct slot *sl = &rg->rg_slots[slot];
	struct machine_config mc;
	struct cell_params cp = {
		.cp_cell = *rp->rp_cells[task % rp->rp_cell_count],
		.cp_config = &op->op_config,
		.cp_place = &op->op_place,
		.cp_time_s = op->op_time_s,
		.cp_seed = op->op_seed + repeat,
		.cp_machine = &mc,
		.cp_bytes = op->op_verify,
		.cp_ledger = op->op_ledger,
		.cp_ledger_log = op->op_ledger_log,
		.cp_stop = &stop_signal,
	};

	if (skips(rp, task)) {
		sl->sl_error = ECANCELED;
		return;
	}
	virtual_config(&op->op_machine, rp->rp_profiles == NULL ?
	    &op->op_machine.vi_profile :
	    &rp->rp_profiles[round / op->op_repeats], &cp,
	    op->op_crypto == CRYPTO_NATIVE,
	    virtual_seed(op->op_seed, repeat, &cp.cp_cell), &mc);
	mc.mc_progress_ps = &sl->sl_progress_ps;
	mc.mc_stop = cp.cp_stop;
	mc.mc_observer = op->op_observer;
	sl->sl_error = ENGINE(virtual).en_run(&cp, &sl->sl_measure, sl->sl_why);
}

static void
idle(void *context)
{
	struct replicating *rg = context;
	uint64_t done, each;
	char label[64];

	done = rg->rg_taken * rg->rg_each_steps;
	for (unsigned i = 0; i < rg->rg_slot_count; i++) {
		each = rg->rg_slots[i].sl_progress_ps / ps_per_step;
		done += each < rg->rg_each_steps ? each : rg->rg_each_steps;
	}
	if (done > rg->rg_progress.pr_total)
		done = rg->rg_progress.pr_total;
	snprintf(label, sizeof(label), "%s, %.2f of %.2f virtual s",
	    rg->rg_what->rp_label, (double)done / 1e3,
	    (double)rg->rg_progress.pr_total / 1e3);
	progress_update(&rg->rg_progress, done, label);
}

static int
take(void *context, unsigned task, unsigned slot)
{
	struct replicating *rg = context;
	const struct replicate *rp = rg->rg_what;
	struct slot *sl = &rg->rg_slots[slot];
	int error = 0;

	if (sl->sl_error != ECANCELED) {
		/* A message must not be printed behind the bar. */
		if (sl->sl_error != 0)
			progress_fini(&rg->rg_progress);
		error = rp->rp_take(rp->rp_context, task % rp->rp_cell_count,
		    task / rp->rp_cell_count, sl->sl_error, sl->sl_why,
		    &sl->sl_measure);
	}
	if (sl->sl_error == 0)
		cell_measure_free(&sl->sl_measure);
	sl->sl_error = ECANCELED;
	sl->sl_progress_ps = 0;
	rg->rg_taken++;
	idle(context);
	return (error);
}

int
replicate_run(const struct replicate *rp)
{
	const struct options *op = rp->rp_options;
	const unsigned tasks = rp->rp_cell_count * rp->rp_rounds;
	struct replicating rg = { .rg_what = rp };
	const struct pool_job pj = {
		.pj_tasks = tasks,
		.pj_work = work,
		.pj_take = take,
		.pj_idle = idle,
		.pj_context = &rg,
	};
	unsigned before = 0, threads;
	uint64_t needed;
	int error;

	if (tasks == 0)
		return (0);
	threads = replicate_threads(op, &needed);
	if (threads == 0)
		return (ENOMEM);
	if (threads > tasks)
		threads = tasks;
	rg.rg_slot_count = pool_slots(threads);
	rg.rg_slots = xcalloc(rg.rg_slot_count, sizeof(*rg.rg_slots));
	for (unsigned i = 0; i < tasks; i++)
		before += skips(rp, i);
	for (unsigned i = 0; i < rg.rg_slot_count; i++)
		rg.rg_slots[i].sl_error = ECANCELED;
	rg.rg_each_steps = (uint64_t)(op->op_time_s * 1e3) +
	    op->op_config.bc_program.warmup_ms + 1;
	progress_init(&rg.rg_progress, tasks * rg.rg_each_steps,
	    before * rg.rg_each_steps);
	error = pool_run(&pj, threads);
	progress_fini(&rg.rg_progress);
	/* Those behind one that ended all. */
	for (unsigned i = 0; i < rg.rg_slot_count; i++)
		if (rg.rg_slots[i].sl_error == 0)
			cell_measure_free(&rg.rg_slots[i].sl_measure);
	free(rg.rg_slots);
	return (error);
}
