/*
 * Everything that is done with keys, pools and reseeds, checked while it is
 * done: on this machine's CPUs and on many simulated ones.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bench/assure/evidence.h"
#include "bench/cell/cell.h"
#include "bench/cell/virtual.h"
#include "bench/console/figure.h"
#include "bench/console/stop.h"
#include "lib/cpu.h"

enum {
	READERS_MAX	= 8,
	VIRTUAL_READERS	= 64
};

#define	VIRTUAL_PROFILE	"epyc-9654-2s"

static const double virtual_time_s = 0.005;	/* of one cell */
static const double real_time_least_s = 0.05;

/* Below, at and above a block, a page and AES's longest run of one key. */
static const uint64_t sizes[] = { 17, 512, 4096, 65536, (1 << 20) + 17 };

static const char *const locks[] = { "mtx", "mtx-spin" };

enum {
	SIZES = sizeof(sizes) / sizeof(sizes[0]),
	LOCKS = sizeof(locks) / sizeof(locks[0])
};

/* What an engine has checked so far. */
struct checked {
	const struct engine *ch_engine;
	struct bench_config ch_config;
	struct place	 ch_place;
	const struct virtual_machine *ch_machine;	/* or NULL */
	struct result_ledger ch_sum;
	unsigned	 ch_cells;
	unsigned	 ch_readers;
	unsigned	 ch_cpus;
};

static void
add(struct result_ledger *sum, const struct result_ledger *rl)
{

	sum->records += rl->records;
	sum->blocks += rl->blocks;
	sum->keys += rl->keys;
	sum->wipes += rl->wipes;
	sum->reads += rl->reads;
	sum->reseeds += rl->reseeds;
	sum->events += rl->events;
	if (rl->ranges_max > sum->ranges_max)
		sum->ranges_max = rl->ranges_max;
}

/* One cell; whether to go on. */
static bool
check(struct checked *ch, const struct assure_params *ap, const char *lock,
    const struct cipher *cipher, uint64_t bytes, double time_s,
    struct evidence_row *row)
{
	struct cell_params cp = {
		.cp_cell = {
			.ce_design = ap->ap_design,
			.ce_lock = lock,
			.ce_cipher = cipher,
			.ce_readers = ch->ch_readers,
			.ce_request_bytes = bytes,
		},
		.cp_config = &ch->ch_config,
		.cp_place = &ch->ch_place,
		.cp_time_s = time_s,
		.cp_seed = ap->ap_seed,
		.cp_ledger = true,
		.cp_stop = &stop_signal,
	};
	char error[CELL_ERROR_SIZE] = "";
	struct machine_config mc;
	struct cell_measure cm;
	int rc;

	if (ch->ch_machine != NULL) {
		virtual_config(ch->ch_machine, &ch->ch_machine->vi_profile,
		    &cp, false, virtual_seed(ap->ap_seed, 0, &cp.cp_cell),
		    &mc);
		cp.cp_machine = &mc;
	}
	rc = ch->ch_engine->en_run(&cp, &cm, error);
	if (rc != 0) {
		evidence_fail(row, "%s engine, %s, %s, %u readers of %ju "
		    "bytes: %s. ", ch->ch_engine->en_name, lock,
		    cipher->ci_name, ch->ch_readers, (uintmax_t)bytes, error);
		return (false);
	}
	add(&ch->ch_sum, &cm.cm_ledger);
	ch->ch_cells++;
	cell_measure_free(&cm);
	return (true);
}

static bool
check_all(struct checked *ch, const struct assure_params *ap, double time_s,
    struct evidence_row *row)
{
	unsigned c, i, k;

	for (i = 0; i < LOCKS; i++)
		for (c = 0; c < cipher_count; c++)
			for (k = 0; k < SIZES; k++)
				if (!check(ch, ap, locks[i], ciphers[c],
				    sizes[k], time_s, row))
					return (false);
	return (true);
}

static void
say(const struct checked *ch, struct evidence_row *row)
{
	char blocks[FIGURE_SIZE], keys[FIGURE_SIZE], reads[FIGURE_SIZE];
	const struct result_ledger *rl = &ch->ch_sum;

	evidence_say(row, "On the %s engine %s million blocks of %s million "
	    "keys in %s million reads, %.0f reseeds, %.0f events: no property "
	    "broken, %s. ", ch->ch_engine->en_name,
	    figure_real(blocks, rl->blocks / 1e6),
	    figure_real(keys, rl->keys / 1e6),
	    figure_real(reads, rl->reads / 1e6), rl->reseeds, rl->events,
	    rl->wipes == rl->keys ? "every key wiped" :
	    "BUT NOT EVERY KEY WIPED");
	if (rl->wipes != rl->keys)
		row->er_state = EVIDENCE_FAILS;
	evidence_bound(row, "%s engine, %u readers on %u CPUs, %u cells; ",
	    ch->ch_engine->en_name, ch->ch_readers, ch->ch_cpus,
	    ch->ch_cells);
}

/* Returns: whether the simulated machine is to be tried, too. */
static bool
on_real(const struct assure_params *ap, struct evidence_row *row)
{
	struct checked ch = { .ch_engine = &ENGINE(real) };
	double time_s = ap->ap_budget_s / 2 / (LOCKS * SIZES * cipher_count);
	char error[PLACE_ERROR_SIZE];
	bool right = false;

	ch.ch_cpus = cpu_count();
	bench_config_default(&ch.ch_config, ch.ch_cpus);
	ch.ch_config.bc_program.warmup_ms = 0;
	/* One more than CPUs, so that somebody is without one. */
	ch.ch_readers = ch.ch_cpus + 1 < READERS_MAX ? ch.ch_cpus + 1 :
	    READERS_MAX;
	if (place_parse(&ch.ch_place, "none", error) == 0) {
		right = check_all(&ch, ap, time_s < real_time_least_s ?
		    real_time_least_s : time_s, row);
		place_free(&ch.ch_place);
	}
	if (right)
		say(&ch, row);
	return (right);
}

static void
on_virtual(const struct assure_params *ap, struct evidence_row *row)
{
	struct checked ch = { .ch_engine = &ENGINE(virtual),
	    .ch_readers = VIRTUAL_READERS, .ch_cpus = VIRTUAL_READERS };
	char error[PROFILE_ERROR_SIZE], why[PLACE_ERROR_SIZE];
	static struct virtual_machine vi;

	if (virtual_make(&vi, VIRTUAL_PROFILE, VIRTUAL_READERS, 2, error) !=
	    0 || place_parse_virtual(&ch.ch_place, "none", &vi.vi_topology,
	    why) != 0) {
		row->er_state = EVIDENCE_MISSING;
		evidence_say(row, "%s", error);
		return;
	}
	bench_config_default(&ch.ch_config, VIRTUAL_READERS);
	ch.ch_config.bc_program.warmup_ms = 0;
	ch.ch_machine = &vi;
	if (check_all(&ch, ap, virtual_time_s, row))
		say(&ch, row);
	place_free(&ch.ch_place);
}

static void
gather(const struct assure_params *ap, struct evidence_row *row)
{

	CTASSERT(LOCKS == 2);
	if (on_real(ap, row))
		on_virtual(ap, row);
	if (row->er_bounds[0] != '\0')
		evidence_bound(row, "%s and %s, both ciphers, reads of %ju to "
		    "%ju bytes.", locks[0], locks[1], (uintmax_t)sizes[0],
		    (uintmax_t)sizes[SIZES - 1]);
	snprintf(row->er_replay, sizeof(row->er_replay), "rngsim sweep -d %s "
	    "--ledger", ap->ap_design);
}

const struct evidence evidence_ledger = {
	.ev_name	= "ledger",
	.ev_descr	= "uses of keys, pools and reseeds, as they happen",
	.ev_share	= 0.2,
	.ev_gather	= gather,
};
