/*
 * Health tests between the harvest queue and its generator, which asks them
 * with its mutex held, as in the kernel.
 */
#include <stddef.h>

#include "harvest/harvest_model.h"
#include "harvest/mask.h"

enum {
	/* Cache lines of a source's tests that an event uses. */
	HEALTH_LINES = (sizeof(struct health_test) + MACHINE_CACHE_LINE - 1) /
	    MACHINE_CACHE_LINE
};

static void
count_discarded(struct harvestq *hq)
{
	uint32_t window;

	hq->hq_discarded++;
	window = atomic_load_32(&hq->hq_window);
	if (window == 0)
		return;
	if (hq->hq_discard_window != window) {
		hq->hq_window_discarded = 0;
		hq->hq_discard_window = window;
	}
	hq->hq_window_discarded++;
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
	if (hq->hq_ledger != NULL)
		ledger_refused(hq->hq_ledger);
	return (false);
}

void
harvest_health_init(struct harvestq *hq, const struct harvest_config *config)
{
	uint8_t i;

	for (i = 0; i < ENTROPYSOURCE; i++)
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
	unsigned i;

	for (i = 0; i < ENTROPYSOURCE; i++)
		if ((mask & MASK_BIT(i)) != 0)
			atomic_store_rel_32(&hq->hq_ondemand[i], 1);
}

const struct health_test *
harvestq_health_test(const struct harvestq *hq,
    enum random_entropy_source source)
{

	MPASS(source < ENTROPYSOURCE);
	return (&hq->hq_test[source]);
}
