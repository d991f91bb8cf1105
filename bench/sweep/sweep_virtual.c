#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/sweep/replicate.h"
#include "bench/sweep/sweep_virtual.h"

struct sweep_virtual {
	const struct options *sv_options;
	struct checkpoint *sv_checkpoint;
	struct sweep_cell *sv_cells;
	unsigned	 sv_count;
	/* By cell; set by take(), whose order is that of replicas. */
	atomic_bool	*sv_stuck;
	unsigned	 sv_stuck_count;
	char		*sv_error;
};

/* All cells once, then again: an interruption leaves something of each. */
static void
choose(void *context, unsigned i, struct replica *re)
{
	const struct sweep_virtual *sv = context;

	re->re_cell = &sv->sv_cells[i % sv->sv_count].sc_cell;
	re->re_repeat = i / sv->sv_count;
	re->re_profile = &sv->sv_options->op_machine.vi_profile;
	re->re_skip = sv->sv_stuck[i % sv->sv_count] ||
	    checkpoint_has(sv->sv_checkpoint, i % sv->sv_count,
	    i / sv->sv_count);
}

/* In several lines, each ending as it comes. */
static void
say_stuck(const struct sweep_virtual *sv, const struct cell *ce,
    const char *why)
{
	size_t n = strlen(why);

	fprintf(stderr, "rngsim: %s: %s %s %s, %u reader%s: %s%s",
	    sv->sv_options->op_command, ce->ce_design, ce->ce_lock,
	    ce->ce_cipher->ci_name, ce->ce_readers,
	    ce->ce_readers == 1 ? "" : "s", why,
	    n > 0 && why[n - 1] == '\n' ? "" : "\n");
}

static int
take(void *context, unsigned i, int error, const char *why,
    struct cell_measure *cm)
{
	struct sweep_virtual *sv = context;
	unsigned which = i % sv->sv_count;

	if (sv->sv_stuck[which] || checkpoint_has(sv->sv_checkpoint, which,
	    i / sv->sv_count))
		return (0);
	if (error == EDEADLK) {
		sv->sv_stuck[which] = true;
		sv->sv_stuck_count++;
		say_stuck(sv, &sv->sv_cells[which].sc_cell, why);
		return (0);
	}
	if (error != 0) {
		snprintf(sv->sv_error, CELL_ERROR_SIZE, "%s", why);
		return (error);
	}
	error = checkpoint_add(sv->sv_checkpoint,
	    &sv->sv_cells[which].sc_cell, which, i / sv->sv_count, i, cm,
	    sv->sv_error);
	if (error != 0)
		return (error);
	return (summary_add(&sv->sv_cells[which], cm, i));
}

int
sweep_virtual(const struct options *op, struct checkpoint *ck,
    struct sweep_cell *cells, unsigned count,
    const volatile sig_atomic_t *stop, char error_text[CELL_ERROR_SIZE])
{
	struct sweep_virtual sv = { .sv_options = op, .sv_checkpoint = ck,
	    .sv_cells = cells, .sv_count = count, .sv_error = error_text };
	struct replicate rp = {
		.rp_options = op,
		.rp_replicas = count * op->op_repeats,
		.rp_before = checkpoint_repeats_before(ck),
		.rp_stop = stop,
		.rp_label = "cells",
		.rp_choose = choose,
		.rp_take = take,
		.rp_context = &sv,
	};
	unsigned i;
	int error;

	sv.sv_stuck = calloc(count, sizeof(*sv.sv_stuck));
	if (sv.sv_stuck == NULL) {
		snprintf(error_text, CELL_ERROR_SIZE, "no memory");
		return (ENOMEM);
	}
	error = replicate_run(&rp);
	for (i = 0; i < count; i++)
		/* What was measured of it before says nothing. */
		if (sv.sv_stuck[i])
			summary_forget(&cells[i]);
	if (error == 0 && sv.sv_stuck_count > 0) {
		snprintf(error_text, CELL_ERROR_SIZE, "%u of %u cell%s could "
		    "not go on", sv.sv_stuck_count, count, count == 1 ? "" :
		    "s");
		error = EDEADLK;
	} else if (error != 0 && error_text[0] == '\0') {
		snprintf(error_text, CELL_ERROR_SIZE, "%s", strerror(error));
	}
	free(sv.sv_stuck);
	return (error);
}
