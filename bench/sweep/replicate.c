#include <sys/resource.h>

#include "bench/cli/progress.h"
#include "bench/sweep/pool.h"
#include "bench/sweep/sweep.h"

enum {
	MAPPINGS_EACH	= 2,	/* of a thread: its stack and the guard page */
	THREADS_BESIDE	= 64	/* readers: harvest, producers, spare ones */
};

/* The progress bar's unit of virtual time. */
static const uint64_t ps_per_step = UINT64_C(1000) * 1000 * 1000;

/* A run that is under way, or done and not taken yet. */
struct slot {
	struct cell_measure slt_measure;
	char		 slt_why[CELL_ERROR_SIZE];
	int		 slt_error;
	_Atomic uint64_t slt_progress_ps;
};

struct replicating {
	struct sweeping	*rg_sweep;
	struct slot	*rg_slots;
	unsigned	 rg_slot_count, rg_taken;
	unsigned	 rg_stuck;	/* cells */
	uint64_t	 rg_each_steps;	/* of one run */
};

uint64_t
replicate_memory_bytes(void)
{
	struct rlimit limit;
	uint64_t bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) *
	    (uint64_t)sysconf(_SC_PAGESIZE);

	/* FreeBSD's are signed. */
	return (getrlimit(RLIMIT_AS, &limit) != 0 ? bytes :
	    MIN(bytes, (uint64_t)limit.rlim_cur));
}

unsigned
replicate_threads(const struct options *op, uint64_t *needed)
{
	const unsigned readers = (unsigned)(option_list_max(&op->op_readers) +
	    option_list_max(&op->op_producers));
	const double each = MAPPINGS_EACH * (double)(readers + THREADS_BESIDE);
	const double quota = cpu_quota();
	unsigned threads = op->op_config.bc_program.virtual_threads;
	bool parts = false;
	double mappings;
	uint64_t fit;

	for (unsigned i = 0; i < op->op_designs.ol_count; i++)
		parts |= (design_at(op->op_designs.ol_value[i])->de_flags &
		    DE_MANY_LOCKS) != 0;
	*needed = virtual_memory_bytes(&op->op_machine, readers,
	    workload_max_bytes(&op->op_workload,
	    option_list_max(&op->op_sizes)), op->op_verify, parts);
	if (threads == 0) {
		threads = cpu_count();
		if (quota > 0 && quota < threads)
			threads = (unsigned)fmax(1, floor(quota));
	}
	fit = replicate_memory_bytes() / 4 * 3 / *needed;
	if (system_numbers(&mappings, 1, "/proc/sys/vm/max_map_count") == 1 &&
	    (double)fit * each > mappings / 4 * 3)
		fit = (uint64_t)fmax(fit > 0, mappings / 4 * 3 / each);
	return (fit < threads ? (unsigned)fit : threads);
}

static bool
skips(const struct sweeping *sw, unsigned task)
{
	const unsigned cell = task % sw->sw_grid;

	return (sw->sw_cells[cell].sc_stuck || !grid_in_part(sw->sw_options,
	    cell) || *grid_has(sw, cell, task / sw->sw_grid));
}

static void
work(void *context, unsigned task, unsigned slot)
{
	struct replicating *rg = context;
	const struct sweeping *sw = rg->rg_sweep;
	const struct options *op = sw->sw_options;
	const unsigned round = task / sw->sw_grid;
	const unsigned repeat = round % op->op_repeats;
	struct slot *sl = &rg->rg_slots[slot];
	struct machine_config mc;
	struct cell_params cp = grid_params(op,
	    &sw->sw_cells[task % sw->sw_grid].sc_cell, repeat);

	if (skips(sw, task)) {
		sl->slt_error = ECANCELED;
		return;
	}
	grid_machine(op, round < op->op_repeats ? &op->op_machine.vi_profile :
	    &sw->sw_profiles[round / op->op_repeats - 1], repeat, &cp, &mc);
	mc.mc_progress_ps = &sl->slt_progress_ps;
	mc.mc_observer = op->op_observer;
	sl->slt_error = ENGINE(virtual).en_run(&cp, &sl->slt_measure,
	    sl->slt_why);
}

static void
idle(void *context)
{
	struct replicating *rg = context;
	const struct sweeping *sw = rg->rg_sweep;
	uint64_t done = rg->rg_taken * rg->rg_each_steps, each;

	for (unsigned i = 0; i < rg->rg_slot_count; i++) {
		each = rg->rg_slots[i].slt_progress_ps / ps_per_step;
		done += MIN(each, rg->rg_each_steps);
	}
	done = MIN(done, progress_line.prg_total);
	progress_update(done, FORMATF("%s, %.2f of %.2f virtual s",
	    rg->rg_taken / sw->sw_grid < sw->sw_options->op_repeats ?
	    "cells" : "drawn profiles", (double)done / 1e3,
	    (double)progress_line.prg_total / 1e3));
}

/* What ends a run ends all, but for a deadlock with the options' machine. */
static int
take_failed(struct replicating *rg, unsigned cell, unsigned round,
    const struct slot *sl)
{
	struct sweeping *sw = rg->rg_sweep;
	struct sweep_cell *sc = &sw->sw_cells[cell];
	const unsigned repeats = sw->sw_options->op_repeats;
	const size_t n = strlen(sl->slt_why);

	/* A message must not be printed behind the bar. */
	progress_fini();
	if (round >= repeats)
		snprintf(sw->sw_error, CELL_ERROR_SIZE, "with profile %u of "
		    "%u drawn: %.*s", round / repeats,
		    sw->sw_options->op_uncertainty, CELL_ERROR_SIZE - 64,
		    sl->slt_why);
	else if (sl->slt_error != EDEADLK)
		snprintf(sw->sw_error, CELL_ERROR_SIZE, "%s", sl->slt_why);
	if (round >= repeats || sl->slt_error != EDEADLK)
		return (sl->slt_error);
	sc->sc_stuck = true;
	rg->rg_stuck++;
	/* The reason has several lines. */
	fprintf(stderr, "rngsim: %s: %s: %s%s", usage_command,
	    TEXT_OF(grid_text, &sc->sc_cell), sl->slt_why,
	    n > 0 && sl->slt_why[n - 1] == '\n' ? "" : "\n");
	return (0);
}

static int
take(void *context, unsigned task, unsigned slot)
{
	struct replicating *rg = context;
	struct sweeping *sw = rg->rg_sweep;
	const unsigned cell = task % sw->sw_grid, round = task / sw->sw_grid;
	struct slot *sl = &rg->rg_slots[slot];
	int error = 0;

	if (sl->slt_error == 0 && !sw->sw_cells[cell].sc_stuck)
		error = checkpoint_take(sw, cell, round, task,
		    &sl->slt_measure);
	else if (sl->slt_error == 0)
		cell_measure_free(&sl->slt_measure);
	else if (sl->slt_error != ECANCELED && !sw->sw_cells[cell].sc_stuck)
		error = take_failed(rg, cell, round, sl);
	sl->slt_error = ECANCELED;
	sl->slt_progress_ps = 0;
	rg->rg_taken++;
	idle(context);
	return (error);
}

int
replicate_run(struct sweeping *sw)
{
	const struct options *op = sw->sw_options;
	struct replicating rg = { .rg_sweep = sw };
	struct pool_job pj = { .pj_tasks = sw->sw_grid * sw->sw_rounds,
	    .pj_work = work, .pj_take = take, .pj_idle = idle,
	    .pj_context = &rg };
	unsigned before = 0, i, threads;
	uint64_t needed;
	int error;

	if ((threads = replicate_threads(op, &needed)) == 0)
		return (ENOMEM);
	threads = MIN(threads, pj.pj_tasks);
	rg.rg_slot_count = POOL_AHEAD * threads;
	rg.rg_slots = xcalloc(rg.rg_slot_count, sizeof(*rg.rg_slots));
	for (i = 0; i < rg.rg_slot_count; i++)
		rg.rg_slots[i].slt_error = ECANCELED;
	for (i = 0; i < pj.pj_tasks; i++)
		before += skips(sw, i);
	rg.rg_each_steps = (uint64_t)(op->op_time_s * 1e3) +
	    op->op_config.bc_program.warmup_ms + 1;
	progress_init(pj.pj_tasks * rg.rg_each_steps,
	    before * rg.rg_each_steps);
	error = pool_run(&pj, threads);
	progress_fini();
	/* Those behind one that ended all. */
	for (i = 0; i < rg.rg_slot_count; i++)
		if (rg.rg_slots[i].slt_error == 0)
			cell_measure_free(&rg.rg_slots[i].slt_measure);
	free(rg.rg_slots);
	for (i = 0; i < sw->sw_grid; i++)
		/* Its earlier repeats alone would mislead. */
		if (sw->sw_cells[i].sc_stuck)
			grid_clear(&sw->sw_cells[i]);
	if (error != 0 || rg.rg_stuck == 0)
		return (error);
	snprintf(sw->sw_error, CELL_ERROR_SIZE, "%u of %u cell%s could not go "
	    "on", rg.rg_stuck, sw->sw_grid, PLURAL(sw->sw_grid));
	return (EDEADLK);
}
