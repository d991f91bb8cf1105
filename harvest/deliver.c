/*
 * Delivery of events to the generator, one at a time or several together.
 */
#include "harvest/harvest_model.h"
#include "lib/wipe.h"

/* Delivery by the harvest thread: recorded, timed, wiped. */
static void
deliver_all(struct harvestq *hq, struct harvest_event *events, unsigned n)
{
	struct generator *g = hq->hq_generator;
	struct harvest_thread_stats *hts;
	uint64_t start = 0;
	unsigned i;

	for (i = 0; hq->hq_recording && i < n; i++)
		record_add(&hq->hq_record, &events[i]);
	hts = harvest_thread_row(hq);
	if (hts != NULL)
		start = machine_cycles();
	if (hq->hq_ledger != NULL)
		ledger_deliver_begin(hq->hq_ledger);
	if (n == 1)
		g->g_algorithm->ra_event_processor(g, events);
	else
		g->g_algorithm->ra_process_events(g, events, n);
	if (hq->hq_ledger != NULL)
		ledger_deliver_end(hq->hq_ledger, n, true);
	hq->hq_given += n;
	if (hts != NULL) {
		hist_add(&hts->hts_deliver_cycles, machine_cycles() - start);
		hts->hts_events += n;
		for (i = 0; i < n; i++)
			hts->hts_by_source[events[i].he_source]++;
	}
	wipe(events, n * sizeof(*events));
}

void
harvest_deliver_batch(struct harvestq *hq)
{

	if (hq->hq_batched > 0)
		deliver_all(hq, hq->hq_batch, hq->hq_batched);
	hq->hq_batched = 0;
}

void
harvest_deliver(struct harvestq *hq, struct harvest_event *event)
{

	if (hq->hq_generator->g_batch_events == 1) {
		deliver_all(hq, event, 1);
		return;
	}
	hq->hq_batch[hq->hq_batched++] = *event;
	wipe(event, sizeof(*event));
	if (hq->hq_batched == hq->hq_generator->g_batch_events)
		harvest_deliver_batch(hq);
}

void
harvest_process_event(struct harvestq *hq, struct harvest_event *event)
{

	(void)failpoint_ask(hq->hq_failpoints, FAILPOINT_harvest_swap_pause);
	harvest_deliver(hq, event);
	hq->hq_delivered++;
}
