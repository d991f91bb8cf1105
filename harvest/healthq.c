/*
 * Health tests as the generator's event filter, called with the generator's
 * mutex held, as in the kernel.
 */
#include "harvest/harvestq.h"
#include "harvest/mask.h"

enum {
	/* Cache lines of a source's tests that an event uses. */
	HEALTH_LINES = (sizeof(struct health_test) + MACHINE_CACHE_LINE - 1) /
	    MACHINE_CACHE_LINE
};

static void
count_discarded(struct harvestq *hq)
{
	uint64_t *discarded;

	hq->hq_discarded++;
	discarded = harvest_row(hq, &hq->hq_discard_window,
	    &hq->hq_window_discarded, sizeof(*discarded));
	if (discarded != NULL)
		++*discarded;
}

static bool
health_accept(struct event_filter *ef, const struct harvest_event *event)
{
	struct harvestq *hq = (struct harvestq *)(void *)((char *)ef -
	    offsetof(struct harvestq, hq_filter));
	struct m32 *ondemand = &hq->hq_ondemand[event->he_source];
	struct health_test *ht = &hq->hq_test[event->he_source];

	machine_touch(ht, HEALTH_LINES);
	if (atomic_load_acq_32(ondemand) != 0) {
		atomic_store_32(ondemand, 0);
		health_restart(ht);
	}
	if (health_decides(ht) && failpoint_ask(hq->hq_failpoints,
	    FAILPOINT_healthtest_force_fail) != 0)
		health_fail(ht);
	if (health_event(ht, event))
		return (true);
	count_discarded(hq);
	ledger_refused(hq->hq_ledger);
	return (false);
}

void
harvest_health_init(struct harvestq *hq, const struct harvest_config *config)
{
	for (uint8_t i = 0; i < ENTROPYSOURCE; i++)
		health_init(&hq->hq_test[i], i,
		    config->nist_healthtest_enabled, 0);
	hq->hq_ondemand_mask = config->nist_healthtest_ondemand;
	hq->hq_ondemand_pass = config->ondemand_pass;
	hq->hq_filter.ef_accept = health_accept;
	if (config->nist_healthtest_enabled)
		hq->hq_generator->g_filter = &hq->hq_filter;
}

void
harvest_health_pass(struct harvestq *hq)
{
	if (hq->hq_passes == hq->hq_ondemand_pass)
		return;
	if (++hq->hq_passes == hq->hq_ondemand_pass)
		harvestq_health_ondemand(hq, hq->hq_ondemand_mask);
}

void
harvestq_health_ondemand(struct harvestq *hq, uint32_t mask)
{
	for (unsigned i = 0; i < ENTROPYSOURCE; i++)
		if ((mask & MASK_BIT(i)) != 0)
			atomic_store_rel_32(&hq->hq_ondemand[i], 1);
}
