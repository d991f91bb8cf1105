/*
 * harvest/harvestq.c with both models: the harvest thread and the producers.
 */
#include <stdlib.h>
#include <string.h>

#include "harvest/mask.h"
#include "tests/unit/harvest_fixture.h"
#include "tests/unit/test.h"

TEST(harvestq_2019__feed, "32 reads per unit of read_rate, 1 to 8 of them, and "
    "the count starts anew")
{
	static const struct { uint32_t rate; unsigned reads; } cases[] = {
		{ 0, 32 }, { 1, 32 }, { 3, 96 }, { 8, 256 }, { 99, 256 },
		{ UINT32_MAX, 256 }, { 0, 32 },
	};
	struct m32 *rate;
	unsigned reads;

	settings = config_of(HARVEST_MODEL_ring, "none");
	setup();
	count_reads(&reads);
	rate = harvestq_read_rate(hq);
	ATF_REQUIRE(rate != NULL);
	for (unsigned c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		reads = 0;
		atomic_store_32(rate, cases[c].rate);
		harvestq_pass(hq);
		ATF_CHECK_EQ_MSG(cases[c].reads, reads, "rate %u: %u reads",
		    cases[c].rate, reads);
		ATF_CHECK_EQ(0, atomic_load_32(rate));
	}
	teardown();
}

TEST(harvestq_newest__feed, "4 reads, 256 while unseeded; readers are not "
    "counted")
{
	unsigned reads = 0;

	settings = config_of(HARVEST_MODEL_swap, "none");
	setup();
	count_reads(&reads);
	ATF_CHECK_EQ(NULL, harvestq_read_rate(hq));
	harvestq_pass(hq);
	ATF_CHECK_EQ(4, reads);
	nb->nb_seeded = false;
	harvestq_pass(hq);
	ATF_CHECK_EQ(4 + 256, reads);
	teardown();
}

BOTH_MODELS(feed_delivers, "what a read returns is an event of that size, "
    "nothing is none, and the mask holds")
{
	unsigned i, reads = 0;

	setup();
	count_reads(&reads);
	harvestq_pass(hq);
	ATF_REQUIRE_EQ(reads - reads / 3, nb->nb_count);
	for (i = 0; i < nb->nb_count; i++) {
		ATF_CHECK_EQ(i % 2 == 0 ? 5 : 8,
		    nb->nb_event[i].he_size);
		ATF_CHECK_EQ(i, nb->nb_event[i].he_destination);
		ATF_CHECK_EQ(RANDOM_ATTACH,
		    (int)nb->nb_event[i].he_source);
	}
	ATF_CHECK_EQ(0, mask_write(&settings.mask, 0));
	atomic_store_32(&hq->hq_mask, settings.mask);
	i = nb->nb_count;
	harvestq_pass(hq);
	ATF_CHECK_EQ(i, nb->nb_count);
}

BOTH_MODELS(stop, "looked at after each event; what is left is pending")
{
	setup();
	push(100, RANDOM_SWI);
	nb->nb_stop_at = 40;
	harvestq_run(hq);
	ATF_CHECK_EQ(40, nb->nb_count);
	ATF_CHECK_EQ(60, harvestq_totals(hq).ht_pending);
	push(2000, RANDOM_SWI);
	check_conserved();
	harvestq_pass(hq);
	harvestq_run(hq);
	ATF_CHECK_EQ(40, nb->nb_count);
}

/* The third of its numbers is the last before the thread is to stop. */
static size_t
stopping_read(void *state, void *buf, size_t len)
{
	static unsigned reads;

	(void)state;
	if (++reads % 3 == 0)
		harvestq_stop(hq);
	memset(buf, 0x77, len);
	return (len);
}

static const struct random_source stopping_source = {
	.rs_ident	= "stopping",
	.rs_source	= RANDOM_ATTACH,
	.rs_flags	= RS_POLLED,
	.rs_read	= stopping_read,
};

BOTH_MODELS(together, "events that must arrive together come in their "
    "order, none later than its pass or the stop, and are counted one by one")
{
	enum { BATCH = 16, PRIMED = 20, PUSHED = 100 };
	struct harvest_stats hs;
	uint8_t boot[PRIMED * HARVEST_ENTROPY_BYTES] = { 0 };
	unsigned i;

	setup();
	nb->nb_generator.g_batch_events = BATCH;
	harvestq_prime(hq, boot, sizeof(boot));
	ATF_CHECK_EQ(PRIMED, nb->nb_count);
	ATF_CHECK_EQ(2, nb->nb_batches);
	atomic_store_32(&hq->hq_window, 1);
	push(PUSHED, RANDOM_SWI);
	harvestq_pass(hq);
	harvestq_stats(hq, 1, &hs);
	ATF_REQUIRE_EQ(PRIMED + PUSHED, nb->nb_count);
	for (i = 0; i < PUSHED; i++)
		ATF_CHECK_EQ(0, memcmp(&i,
		    nb->nb_event[PRIMED + i].he_entropy, sizeof(i)));
	ATF_CHECK_EQ(2 + PUSHED / BATCH + 1, nb->nb_batches);
	ATF_CHECK_EQ(PUSHED, hs.hs_thread.hts_events);
	ATF_CHECK_EQ(PUSHED, hs.hs_thread.hts_by_source[RANDOM_SWI]);
	ATF_CHECK_EQ(PUSHED / BATCH + 1,
	    hs.hs_thread.hts_deliver_cycles.hi_count);
	/* Wiped where they waited. */
	for (i = 0; i < sizeof(hq->hq_batch); i++)
		if (((const uint8_t *)hq->hq_batch)[i] != 0)
			break;
	ATF_CHECK_EQ(sizeof(hq->hq_batch), i);
	hq->hq_sources.ss_list.sl_source[0] = &stopping_source;
	harvestq_run(hq);
	ATF_CHECK_EQ(PRIMED + PUSHED + 3, nb->nb_count);
	check_conserved();
}

BOTH_MODELS(windows, "each begins at zero; nothing is booked between them")
{
	struct harvest_stats hs;

	setup();
	push(10, RANDOM_SWI);
	harvestq_pass(hq);
	atomic_store_32(&hq->hq_window, 1);
	push(20, RANDOM_SWI);
	push(1100, RANDOM_INTERRUPT);
	harvestq_pass(hq);
	harvestq_pass(hq);
	atomic_store_32(&hq->hq_window, 0);
	push(10, RANDOM_SWI);
	harvestq_pass(hq);
	harvestq_stats(hq, 1, &hs);
	ATF_CHECK_EQ(1120, hs.hs_queue.hqs_queued + hs.hs_queue.hqs_dropped);
	ATF_CHECK_EQ(hs.hs_queue.hqs_queued, hs.hs_thread.hts_events);
	ATF_CHECK_EQ(20, hs.hs_thread.hts_by_source[RANDOM_SWI]);
	ATF_CHECK_EQ(hs.hs_thread.hts_events - 20,
	    hs.hs_thread.hts_by_source[RANDOM_INTERRUPT]);
	ATF_CHECK_EQ(hs.hs_thread.hts_events,
	    hs.hs_thread.hts_deliver_cycles.hi_count);
	ATF_CHECK_EQ(2, hs.hs_thread.hts_passes);
	atomic_store_32(&hq->hq_window, 2);
	harvestq_pass(hq);
	atomic_store_32(&hq->hq_window, 0);
	harvestq_stats(hq, 2, &hs);
	ATF_CHECK_EQ(1, hs.hs_thread.hts_passes);
	ATF_CHECK_EQ(0, hs.hs_thread.hts_events);
	ATF_CHECK_EQ(0, hs.hs_queue.hqs_queued);
	ATF_CHECK_EQ(0, hs.hs_queue.hqs_dropped);
}

enum { PRODUCERS = 4, PUSHES = 20000 };

struct pusher {
	struct mthread	 pu_td;
	struct m32	*pu_done;
	uint32_t	 pu_who;
};

static void
pusher_run(void *arg)
{
	struct pusher *pu = arg;
	uint32_t payload[2];

	payload[0] = pu->pu_who;
	for (payload[1] = 1; payload[1] <= PUSHES; payload[1]++)
		random_harvest_queue(hq, payload, sizeof(payload),
		    RANDOM_SWI);
	atomic_fetchadd_32(pu->pu_done, 1);
}

/* Each producer's events in the order it pushed them, none twice. */
static void
check_order(void)
{
	uint32_t payload[2], last[PRODUCERS] = { 0 };

	for (unsigned i = 0; i < nb->nb_count && i < NOTES_MAX; i++) {
		memcpy(payload, nb->nb_event[i].he_entropy, sizeof(payload));
		ATF_REQUIRE(payload[0] < PRODUCERS);
		ATF_CHECK(payload[1] > last[payload[0]]);
		last[payload[0]] = payload[1];
	}
}

BOTH_MODELS(conservation, "with producers at work, each event is processed, "
    "pending or counted as dropped")
{
	struct pusher pusher[PRODUCERS];
	struct harvest_totals t;
	struct harvest_stats hs;
	struct m32 done;

	setup();
	atomic_init_32(&done, 0);
	atomic_store_32(&hq->hq_window, 1);
	for (unsigned i = 0; i < PRODUCERS; i++) {
		pusher[i].pu_done = &done;
		pusher[i].pu_who = i;
		ATF_REQUIRE_EQ(0, machine_spawn(&pusher[i].pu_td, "pusher",
		    MACHINE_CPU_ANY, pusher_run, &pusher[i]));
	}
	while (atomic_load_32(&done) < PRODUCERS)
		harvestq_pass(hq);
	for (unsigned i = 0; i < PRODUCERS; i++)
		machine_join(&pusher[i].pu_td);
	check_conserved();
	harvestq_pass(hq);
	harvestq_pass(hq);
	check_conserved();
	t = harvestq_totals(hq);
	ATF_CHECK_EQ(PRODUCERS * PUSHES, t.ht_in);
	ATF_CHECK_EQ(0, t.ht_pending);
	ATF_CHECK_EQ(t.ht_processed, nb->nb_count);
	check_order();
	harvestq_stats(hq, 1, &hs);
	ATF_CHECK_EQ(t.ht_dropped, hs.hs_queue.hqs_dropped);
	ATF_CHECK_EQ(t.ht_processed, hs.hs_thread.hts_events);
}

static void
spawn_producer(struct mthread *td)
{
	ATF_REQUIRE_EQ(1, hq->hq_producers);
	ATF_REQUIRE_EQ(0, machine_spawn(td, "producer", MACHINE_CPU_ANY,
	    harvestq_producer_run, &hq->hq_producer[0]));
}

BOTH_MODELS(replay_is_exact, "a recorded run gives the generator the same "
    "events again, though a queue holds fewer")
{
	struct notebook *first;
	uint8_t boot[256];
	struct mthread td;
	unsigned reads = 0;

	strcpy(settings.record_file, "events");
	setup();
	count_reads(&reads);
	memset(boot, 0x33, sizeof(boot));
	harvestq_prime(hq, boot, sizeof(boot));
	for (unsigned i = 0; i < 5; i++) {
		push(700, RANDOM_INTERRUPT);
		harvestq_pass(hq);
	}
	ATF_CHECK_EQ(0, record_finish(&hq->hq_record));
	first = nb;
	nb = NULL;
	teardown();

	settings = config_of(model, "replay");
	settings.mask = 0;
	strcpy(settings.replay_file, "events");
	setup();
	spawn_producer(&td);
	while (nb->nb_count < first->nb_count)
		harvestq_pass(hq);
	machine_join(&td);
	harvestq_pass(hq);
	ATF_CHECK_EQ_MSG(first->nb_count, nb->nb_count, "exhausted");
	for (unsigned i = 0; i < first->nb_count; i++)
		ATF_CHECK_EQ(0, memcmp(&first->nb_event[i],
		    &nb->nb_event[i], EVENT_BYTES));
	ATF_CHECK_EQ(0, harvestq_totals(hq).ht_dropped);
	check_conserved();
	free(first);
}

BOTH_MODELS(interrupts, "a producer thread makes its own events and ends when "
    "it is stopped")
{
	struct mthread td;

	settings.interrupt_rate_hz = INTERRUPT_RATE_MAX_HZ;
	settings = config_of(model, "interrupt");
	setup();
	spawn_producer(&td);
	while (nb->nb_count < 2000)
		harvestq_pass(hq);
	harvestq_stop(hq);
	machine_interrupt(&td);
	machine_join(&td);
	check_conserved();
	for (unsigned i = 0; i < 2000; i++) {
		ATF_CHECK_EQ(RANDOM_INTERRUPT,
		    (int)nb->nb_event[i].he_source);
		ATF_CHECK_EQ(4, nb->nb_event[i].he_size);
		ATF_CHECK_EQ((uint8_t)i, nb->nb_event[i].he_destination);
	}
}

BOTH_MODELS(run_ends_when_interrupted, "a signal ends the thread in its "
    "sleep, without harvestq_stop()")
{
	struct mthread td;

	settings.rate_hz = HARVEST_RATE_MIN_HZ;
	setup();
	ATF_REQUIRE_EQ(0, machine_spawn(&td, "rand_harvestq", MACHINE_CPU_ANY,
	    harvestq_run, hq));
	machine_interrupt(&td);
	machine_join(&td);
}

TEST_PROGRAM()
