/*
 * A ledger from its start to its result.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/crypto/wipe.h"
#include "lib/ledger/impl.h"
#include "lib/machine/tick.h"

void
ledger_block(struct ledger *lg, unsigned bytes)
{
	if (lg != NULL && bytes > lg->lg_block_bytes)
		lg->lg_block_bytes = bytes;
}

unsigned
ledger_core(struct ledger *lg, const struct ledger_core_rule *rule)
{
	struct ledger_core *lc;
	unsigned core;

	if (lg == NULL)
		return (0);
	MPASS(rule->lu_pools <= LEDGER_POOLS_MAX);
	ledger_lock(lg);
	core = lg->lg_cores;
	lg->lg_cores += core < CORES_MAX;
	ledger_unlock(lg);
	KASSERT(core < CORES_MAX, ("ledger: more than %u cores", core));
	lc = &lg->lg_core[core];
	memset(lc, 0, sizeof(*lc));
	lc->lgc_rule = *rule;
	lc->lgc_drained = ledger_nothing;
	return (core);
}

static void
restart(struct ledger *lg)
{
	lg->lg_id = ledger_identity();
	lg->lg_epoch++;
	lg->lg_start_ns = tick_ns();
	lg->lg_start_cycles = tick_cycles();
}

int
ledger_new(struct ledger **lgp, const struct ledger_config *config)
{
	struct ledger *lg;
	int error;

	lg = aligned_alloc(_Alignof(struct ledger), sizeof(*lg));
	if (lg == NULL)
		return (ENOMEM);
	memset(lg, 0, sizeof(*lg));
	lg->lg_config = *config;
	error = getentropy(lg->lg_secret, sizeof(lg->lg_secret)) != 0 ? errno :
	    ledger_keys_init(lg);
	if (error != 0) {
		ledger_free(lg);
		return (error);
	}
	restart(lg);
	*lgp = lg;
	return (0);
}

void
ledger_reset(struct ledger *lg)
{
	lg->lg_threads = 0;
	atomic_store(&lg->lg_violated, false);
	atomic_store(&lg->lg_told, false);
	atomic_store(&lg->lg_ended, 0);
	lg->lg_reseeds = 0;
	lg->lg_cores = 0;
	lg->lg_given = lg->lg_refused = 0;
	memset(&lg->lg_result, 0, sizeof(lg->lg_result));
	restart(lg);
}

void
ledger_free(struct ledger *lg)
{
	if (lg == NULL)
		return;
	for (unsigned i = 0; i < THREADS_MAX && lg->lg_thread[i] != NULL; i++)
		free(lg->lg_thread[i]);
	ledger_keys_fini(lg);
	wipe(lg, sizeof(*lg));
	free(lg);
}

bool
ledger_violated(const struct ledger *lg)
{
	return (atomic_load_explicit(&lg->lg_violated, memory_order_acquire));
}

void
ledger_result(struct ledger *lg, struct ledger_result *le)
{
	*le = lg->lg_result;
	if (le->le_wipes > LEDGER_RETIRED_MAX)
		le->le_forgotten = le->le_wipes - LEDGER_RETIRED_MAX;
}

void
ledger_finish(struct ledger *lg, uint64_t delivered)
{
	const struct ledger_result *le = &lg->lg_result;
	struct ledger_record what = ledger_nothing;

	if (is_violated(lg))
		return;
	if (delivered != LEDGER_UNCOUNTED && lg->lg_given != delivered &&
	    lg->lg_cores > 0)
		ledger_wrong_note(lg, LEDGER_EVENTS, "%ju events were given, "
		    "%ju went into pools or were refused",
		    (uintmax_t)delivered, (uintmax_t)lg->lg_given);
	/* Without a core most properties would hold of themselves. */
	if (lg->lg_config.lgo_keyless && le->le_blocks > 0)
		what.lgr_op = LEDGER_USE;
	else if (!lg->lg_config.lgo_keyless && !lg->lg_config.lgo_unseen &&
	    le->le_reads > 0 && lg->lg_cores == 0)
		what.lgr_op = LEDGER_END;
	if (what.lgr_op != LEDGER_OPS) {
		what = ledger_search(lg, NULL, ledger_same_op, what);
		ledger_wrong(lg, LEDGER_HIDDEN, &ledger_nothing, &what);
	}
	ledger_cores_finish(lg);
	ledger_keys_finish(lg);
	ledger_tell(lg);
}

void
ledger_conserved(struct ledger *lg, uint64_t in, uint64_t processed,
    uint64_t pending, uint64_t dropped, uint64_t discarded)
{
	if (in != processed + pending + dropped + discarded)
		ledger_wrong_note(lg, LEDGER_EVENTS, "%ju events were queued, "
		    "%ju processed, %ju are pending, %ju were dropped, %ju "
		    "discarded", (uintmax_t)in, (uintmax_t)processed,
		    (uintmax_t)pending, (uintmax_t)dropped,
		    (uintmax_t)discarded);
	if (lg->lg_refused != discarded)
		ledger_wrong_note(lg, LEDGER_EVENTS, "%ju events were "
		    "discarded, %ju refused", (uintmax_t)discarded,
		    (uintmax_t)lg->lg_refused);
	ledger_tell(lg);
}
