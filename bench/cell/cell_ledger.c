/*
 * A cell's ledgers.
 */
#include <stdlib.h>

#include "bench/cell/cell_run.h"
#include "bench/cli/memory.h"

#if defined(MACHINE_VIRTUAL)
/* Ends the simulated machine. */
static void
end_machine(void *context)
{
	(void)context;
	vm_abort(EPROTO);
}
#endif

int
cell_ledgers_make(struct cell_ledgers *cw, const struct cell_params *cp)
{
	const struct cell *ce = &cp->cp_cell;
	const struct design *de = design_find(ce->ce_design);
	const struct design_info di = design_info(de);
	struct ledger_config config = {
		.lgo_pace_ns = DESIGN_RESEED_NS,
		.lgo_lag = di.di_lag,
		.lgo_stored_bytes = di.di_stored_bytes,
		.lgo_keyless = (de->de_flags & DE_NULL) != 0,
		.lgo_unseen = !di.di_cored,
		.lgo_record = cp->cp_ledger_log == NULL ? NULL :
		    ledger_log_line,
		.lgo_context = cp->cp_ledger_log,
#if defined(MACHINE_VIRTUAL)
		.lgo_violated = end_machine,
#endif
	};
	unsigned n = 1;
	int error = 0;

	memset(cw, 0, sizeof(*cw));
	if (!cp->cp_ledger)
		return (0);
	if (cell_apart(ce->ce_design, ce->ce_lock))
		n += ce->ce_readers;
	cw->cw_ledger = xcalloc(n, sizeof(struct ledger *));
	if (cp->cp_ledger_log != NULL)
		fprintf(cp->cp_ledger_log, "%s\n", LEDGER_LOG_HEAD);
	for (; error == 0 && cw->cw_count < n; config.lgo_record = NULL) {
		error = ledger_new(&cw->cw_ledger[cw->cw_count], &config);
		cw->cw_count += error == 0;
	}
	return (error);
}

void
cell_ledgers_finish(struct cell_ledgers *cw)
{
	const struct harvest_totals *ht = &cw->cw_totals;

	if (cw->cw_count > 0 && cw->cw_ended)
		ledger_conserved(cw->cw_ledger[0], ht->ht_in, ht->ht_processed,
		    ht->ht_pending, ht->ht_dropped, ht->ht_discarded);
	for (unsigned i = 0; i < cw->cw_count; i++)
		ledger_finish(cw->cw_ledger[i], i == 0 && cw->cw_ended ?
		    ht->ht_delivered : LEDGER_UNCOUNTED);
}

bool
cell_violated(const struct cell_ledgers *cw)
{
	for (unsigned i = 0; i < cw->cw_count; i++)
		if (ledger_violated(cw->cw_ledger[i]))
			return (true);
	return (false);
}

static void
add(struct result_ledger *rl, const struct ledger_result *le)
{
	rl->records += (double)le->le_records;
	rl->blocks += (double)le->le_blocks;
	rl->keys += (double)le->le_keys;
	rl->wipes += (double)le->le_wipes;
	rl->reads += (double)le->le_reads;
	rl->reseeds += (double)le->le_reseeds;
	rl->events += (double)le->le_events;
	rl->forgotten += (double)le->le_forgotten;
	if (le->le_ranges_max > rl->ranges_max)
		rl->ranges_max = le->le_ranges_max;
}

int
cell_ledgers_free(struct cell_ledgers *cw, struct result_ledger *rl,
    char error[CELL_ERROR_SIZE])
{
	struct ledger_result le;
	int status = 0;

	memset(rl, 0, sizeof(*rl));
	for (unsigned i = 0; i < cw->cw_count; i++) {
		ledger_result(cw->cw_ledger[i], &le);
		add(rl, &le);
		if (le.le_violated && status != EPROTO) {
			snprintf(error, CELL_ERROR_SIZE, "ledger: %s",
			    le.le_text);
			status = EPROTO;
		} else if (le.le_error != 0 && status == 0) {
			snprintf(error, CELL_ERROR_SIZE, "no memory for the "
			    "ledger");
			status = le.le_error;
		}
		ledger_free(cw->cw_ledger[i]);
	}
	free(cw->cw_ledger);
	return (status);
}
