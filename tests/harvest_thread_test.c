/*
 * harvest/harvestq.c with both models: the harvest thread and the producers.
 */
#include <atf-c.h>
#include <stdlib.h>
#include <string.h>

#include "harvest/mask.h"
#include "tests/harvest_fixture.h"

ATF_TC(harvestq_2019__feed);
ATF_TC_HEAD(harvestq_2019__feed, tc)
{

	atf_tc_set_md_var(tc, "descr", "32 reads per unit of read_rate, 1 to 8 "
	    "of them, and the count starts anew");
}
ATF_TC_BODY(harvestq_2019__feed, tc)
{
	static const struct { uint32_t rate; unsigned reads; } cases[] = {
		{ 0, 32 }, { 1, 32 }, { 3, 96 }, { 8, 256 }, { 99, 256 },
		{ UINT32_MAX, 256 }, { 0, 32 },
	};
	struct harvest_config config = config_of(HARVEST_MODEL_ring, "none");
	struct fixture fx;
	struct m32 *rate;
	unsigned c, reads;

	setup(&fx, &config);
	count_reads(&fx, &reads);
	rate = harvestq_read_rate(fx.fx_hq);
	ATF_REQUIRE(rate != NULL);
	for (c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		reads = 0;
		atomic_store_32(rate, cases[c].rate);
		harvestq_pass(fx.fx_hq);
		ATF_CHECK_EQ_MSG(cases[c].reads, reads, "rate %u: %u reads",
		    cases[c].rate, reads);
		ATF_CHECK_EQ(0, atomic_load_32(rate));
	}
	teardown(&fx);
}

ATF_TC(harvestq_newest__feed);
ATF_TC_HEAD(harvestq_newest__feed, tc)
{

	atf_tc_set_md_var(tc, "descr", "4 reads, 256 while unseeded; readers "
	    "are not counted");
}
ATF_TC_BODY(harvestq_newest__feed, tc)
{
	struct harvest_config config = config_of(HARVEST_MODEL_swap, "none");
	struct fixture fx;
	unsigned reads = 0;

	setup(&fx, &config);
	count_reads(&fx, &reads);
	ATF_CHECK_EQ(NULL, harvestq_read_rate(fx.fx_hq));
	harvestq_pass(fx.fx_hq);
	ATF_CHECK_EQ(4, reads);
	fx.fx_nb->nb_seeded = false;
	harvestq_pass(fx.fx_hq);
	ATF_CHECK_EQ(4 + 256, reads);
	teardown(&fx);
}

BOTH_MODELS(feed_delivers, "what a read returns is an event of that size, "
    "nothing is none, and the mask holds")
{
	struct harvest_config config = config_of(model, "none");
	struct fixture fx;
	unsigned i, reads = 0;

	setup(&fx, &config);
	count_reads(&fx, &reads);
	harvestq_pass(fx.fx_hq);
	ATF_REQUIRE_EQ(reads - reads / 3, fx.fx_nb->nb_count);
	for (i = 0; i < fx.fx_nb->nb_count; i++) {
		ATF_CHECK_EQ(i % 2 == 0 ? 5 : 8,
		    fx.fx_nb->nb_event[i].he_size);
		ATF_CHECK_EQ(i, fx.fx_nb->nb_event[i].he_destination);
		ATF_CHECK_EQ(RANDOM_ATTACH,
		    (int)fx.fx_nb->nb_event[i].he_source);
	}
	ATF_CHECK_EQ(0, mask_write(&config.mask, 0));
	atomic_store_32(&fx.fx_hq->hq_mask, config.mask);
	i = fx.fx_nb->nb_count;
	harvestq_pass(fx.fx_hq);
	ATF_CHECK_EQ(i, fx.fx_nb->nb_count);
	teardown(&fx);
}

BOTH_MODELS(stop, "looked at after each event; what is left is pending")
{
	struct harvest_config config = config_of(model, "none");
	struct fixture fx;

	setup(&fx, &config);
	push(fx.fx_hq, 100, RANDOM_SWI);
	fx.fx_nb->nb_stop_at = 40;
	harvestq_run(fx.fx_hq);
	ATF_CHECK_EQ(40, fx.fx_nb->nb_count);
	ATF_CHECK_EQ(60, harvestq_totals(fx.fx_hq).ht_pending);
	push(fx.fx_hq, 2000, RANDOM_SWI);
	check_conserved(fx.fx_hq);
	harvestq_pass(fx.fx_hq);
	harvestq_run(fx.fx_hq);
	ATF_CHECK_EQ(40, fx.fx_nb->nb_count);
	teardown(&fx);
}

/* The third of its numbers is the last before the thread is to stop. */
static size_t
stopping_read(void *state, void *buf, size_t len)
{
	struct fixture *fx = state;
	static unsigned reads;

	if (++reads % 3 == 0)
		harvestq_stop(fx->fx_hq);
	memset(buf, 0x77, len);
	return (len);
}

static const struct random_source stopping_source = {
	.rs_ident	= "stopping",
	.rs_source	= RANDOM_ATTACH,
	.rs_flags	= RS_POLLED,
	.rs_read	= stopping_read,
};

BOTH_MODELS(together, "events that the generator wants together come in their "
    "order, none later than its pass or the stop, and are counted one by one")
{
	enum { BATCH = 16, PRIMED = 20, PUSHED = 100 };
	struct harvest_config config = config_of(model, "none");
	struct harvest_stats hs;
	struct fixture fx;
	uint8_t boot[PRIMED * HARVEST_ENTROPY_BYTES] = { 0 };
	unsigned i;

	setup(&fx, &config);
	fx.fx_nb->nb_generator.g_batch_events = BATCH;
	harvestq_prime(fx.fx_hq, boot, sizeof(boot));
	ATF_CHECK_EQ(PRIMED, fx.fx_nb->nb_count);
	ATF_CHECK_EQ(2, fx.fx_nb->nb_batches);
	harvestq_stats_open(fx.fx_hq, 1);
	push(fx.fx_hq, PUSHED, RANDOM_SWI);
	harvestq_pass(fx.fx_hq);
	harvestq_stats(fx.fx_hq, 1, &hs);
	ATF_REQUIRE_EQ(PRIMED + PUSHED, fx.fx_nb->nb_count);
	for (i = 0; i < PUSHED; i++)
		ATF_CHECK_EQ(0, memcmp(&i,
		    fx.fx_nb->nb_event[PRIMED + i].he_entropy, sizeof(i)));
	ATF_CHECK_EQ(2 + PUSHED / BATCH + 1, fx.fx_nb->nb_batches);
	ATF_CHECK_EQ(PUSHED, hs.hs_thread.hts_events);
	ATF_CHECK_EQ(PUSHED, hs.hs_thread.hts_by_source[RANDOM_SWI]);
	ATF_CHECK_EQ(PUSHED / BATCH + 1,
	    hs.hs_thread.hts_deliver_cycles.hi_count);
	/* Wiped where they waited. */
	for (i = 0; i < sizeof(fx.fx_hq->hq_batch); i++)
		if (((const uint8_t *)fx.fx_hq->hq_batch)[i] != 0)
			break;
	ATF_CHECK_EQ(sizeof(fx.fx_hq->hq_batch), i);
	fx.fx_hq->hq_sources.ss_list.sl_source[0] = &stopping_source;
	fx.fx_hq->hq_sources.ss_state[0] = &fx;
	harvestq_run(fx.fx_hq);
	ATF_CHECK_EQ(PRIMED + PUSHED + 3, fx.fx_nb->nb_count);
	check_conserved(fx.fx_hq);
	teardown(&fx);
}

BOTH_MODELS(windows, "each begins at zero; nothing is booked between them")
{
	struct harvest_config config = config_of(model, "none");
	struct harvest_stats hs;
	struct fixture fx;

	setup(&fx, &config);
	push(fx.fx_hq, 10, RANDOM_SWI);
	harvestq_pass(fx.fx_hq);
	harvestq_stats_open(fx.fx_hq, 1);
	push(fx.fx_hq, 20, RANDOM_SWI);
	push(fx.fx_hq, 1100, RANDOM_INTERRUPT);
	harvestq_pass(fx.fx_hq);
	harvestq_pass(fx.fx_hq);
	harvestq_stats_close(fx.fx_hq);
	push(fx.fx_hq, 10, RANDOM_SWI);
	harvestq_pass(fx.fx_hq);
	harvestq_stats(fx.fx_hq, 1, &hs);
	ATF_CHECK_EQ(1120, hs.hs_queue.hqs_queued + hs.hs_queue.hqs_dropped);
	ATF_CHECK_EQ(hs.hs_queue.hqs_queued, hs.hs_thread.hts_events);
	ATF_CHECK_EQ(20, hs.hs_thread.hts_by_source[RANDOM_SWI]);
	ATF_CHECK_EQ(hs.hs_thread.hts_events - 20,
	    hs.hs_thread.hts_by_source[RANDOM_INTERRUPT]);
	ATF_CHECK_EQ(hs.hs_thread.hts_events,
	    hs.hs_thread.hts_deliver_cycles.hi_count);
	ATF_CHECK_EQ(2, hs.hs_thread.hts_passes);
	harvestq_stats_open(fx.fx_hq, 2);
	harvestq_pass(fx.fx_hq);
	harvestq_stats_close(fx.fx_hq);
	harvestq_stats(fx.fx_hq, 2, &hs);
	ATF_CHECK_EQ(1, hs.hs_thread.hts_passes);
	ATF_CHECK_EQ(0, hs.hs_thread.hts_events);
	ATF_CHECK_EQ(0, hs.hs_queue.hqs_queued);
	ATF_CHECK_EQ(0, hs.hs_queue.hqs_dropped);
	teardown(&fx);
}

enum { PRODUCERS = 4, PUSHES = 20000 };

struct pusher {
	struct mthread	 pu_td;
	struct harvestq	*pu_hq;
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
		random_harvest_queue(pu->pu_hq, payload, sizeof(payload),
		    RANDOM_SWI);
	atomic_fetchadd_32(pu->pu_done, 1);
}

/* Each producer's events in the order it pushed them, none twice. */
static void
check_order(const struct notebook *nb)
{
	uint32_t payload[2], last[PRODUCERS] = { 0 };
	unsigned i;

	for (i = 0; i < nb->nb_count && i < NOTES_MAX; i++) {
		memcpy(payload, nb->nb_event[i].he_entropy, sizeof(payload));
		ATF_REQUIRE(payload[0] < PRODUCERS);
		ATF_CHECK(payload[1] > last[payload[0]]);
		last[payload[0]] = payload[1];
	}
}

BOTH_MODELS(conservation, "with producers at work, each event is processed, "
    "pending or counted as dropped")
{
	struct harvest_config config = config_of(model, "none");
	struct pusher pusher[PRODUCERS];
	struct harvest_totals t;
	struct harvest_stats hs;
	struct fixture fx;
	struct m32 done;
	unsigned i;

	setup(&fx, &config);
	atomic_init_32(&done, 0);
	harvestq_stats_open(fx.fx_hq, 1);
	for (i = 0; i < PRODUCERS; i++) {
		pusher[i].pu_hq = fx.fx_hq;
		pusher[i].pu_done = &done;
		pusher[i].pu_who = i;
		ATF_REQUIRE_EQ(0, machine_spawn(&pusher[i].pu_td, "pusher",
		    MACHINE_CPU_ANY, pusher_run, &pusher[i]));
	}
	while (atomic_load_32(&done) < PRODUCERS)
		harvestq_pass(fx.fx_hq);
	for (i = 0; i < PRODUCERS; i++)
		machine_join(&pusher[i].pu_td);
	check_conserved(fx.fx_hq);
	harvestq_pass(fx.fx_hq);
	harvestq_pass(fx.fx_hq);
	check_conserved(fx.fx_hq);
	t = harvestq_totals(fx.fx_hq);
	ATF_CHECK_EQ(PRODUCERS * PUSHES, t.ht_in);
	ATF_CHECK_EQ(0, t.ht_pending);
	ATF_CHECK_EQ(t.ht_processed, fx.fx_nb->nb_count);
	check_order(fx.fx_nb);
	harvestq_stats(fx.fx_hq, 1, &hs);
	ATF_CHECK_EQ(t.ht_dropped, hs.hs_queue.hqs_dropped);
	ATF_CHECK_EQ(t.ht_processed, hs.hs_thread.hts_events);
	teardown(&fx);
}

static void
spawn_producer(struct mthread *td, struct harvestq *hq)
{

	ATF_REQUIRE_EQ(1, harvestq_producers(hq));
	ATF_REQUIRE_EQ(0, machine_spawn(td, "producer", MACHINE_CPU_ANY,
	    harvestq_producer_run, harvestq_producer(hq, 0)));
}

BOTH_MODELS(replay_is_exact, "a recorded run gives the generator the same "
    "events again, though a queue holds fewer")
{
	struct harvest_config config = config_of(model, "none");
	struct notebook *first;
	uint8_t boot[256];
	struct fixture fx;
	struct mthread td;
	unsigned i, reads = 0;

	strcpy(config.record_file, "events");
	setup(&fx, &config);
	count_reads(&fx, &reads);
	memset(boot, 0x33, sizeof(boot));
	harvestq_prime(fx.fx_hq, boot, sizeof(boot));
	for (i = 0; i < 5; i++) {
		push(fx.fx_hq, 700, RANDOM_INTERRUPT);
		harvestq_pass(fx.fx_hq);
	}
	ATF_CHECK_EQ(0, harvestq_record_finish(fx.fx_hq));
	first = fx.fx_nb;
	fx.fx_nb = NULL;
	teardown(&fx);

	config = config_of(model, "replay");
	config.mask = 0;
	strcpy(config.replay_file, "events");
	setup(&fx, &config);
	spawn_producer(&td, fx.fx_hq);
	while (fx.fx_nb->nb_count < first->nb_count)
		harvestq_pass(fx.fx_hq);
	machine_join(&td);
	harvestq_pass(fx.fx_hq);
	ATF_CHECK_EQ_MSG(first->nb_count, fx.fx_nb->nb_count, "exhausted");
	for (i = 0; i < first->nb_count; i++)
		ATF_CHECK_EQ(0, memcmp(&first->nb_event[i],
		    &fx.fx_nb->nb_event[i], EVENT_BYTES));
	ATF_CHECK_EQ(0, harvestq_totals(fx.fx_hq).ht_dropped);
	check_conserved(fx.fx_hq);
	teardown(&fx);
	free(first);
}

BOTH_MODELS(interrupts, "a producer thread that nobody has to feed, and that "
    "ends when told")
{
	struct harvest_config config = config_of(model, "interrupt");
	struct fixture fx;
	struct mthread td;
	unsigned i;

	config.interrupt_rate_hz = INTERRUPT_RATE_MAX_HZ;
	setup(&fx, &config);
	spawn_producer(&td, fx.fx_hq);
	while (fx.fx_nb->nb_count < 2000)
		harvestq_pass(fx.fx_hq);
	harvestq_stop(fx.fx_hq);
	machine_interrupt(&td);
	machine_join(&td);
	check_conserved(fx.fx_hq);
	for (i = 0; i < 2000; i++) {
		ATF_CHECK_EQ(RANDOM_INTERRUPT,
		    (int)fx.fx_nb->nb_event[i].he_source);
		ATF_CHECK_EQ(4, fx.fx_nb->nb_event[i].he_size);
		ATF_CHECK_EQ((uint8_t)i, fx.fx_nb->nb_event[i].he_destination);
	}
	teardown(&fx);
}

BOTH_MODELS(run_ends_when_interrupted, "a signal ends the thread in its "
    "sleep, without harvestq_stop()")
{
	struct harvest_config config = config_of(model, "none");
	struct fixture fx;
	struct mthread td;

	config.rate_hz = HARVEST_RATE_MIN_HZ;
	setup(&fx, &config);
	ATF_REQUIRE_EQ(0, machine_spawn(&td, "rand_harvestq", MACHINE_CPU_ANY,
	    harvestq_run, fx.fx_hq));
	machine_interrupt(&td);
	machine_join(&td);
	teardown(&fx);
}

ATF_TP_ADD_TCS(tp)
{

	ADD_BOTH(tp, feed);
	ADD_BOTH(tp, feed_delivers);
	ADD_BOTH(tp, stop);
	ADD_BOTH(tp, together);
	ADD_BOTH(tp, windows);
	ADD_BOTH(tp, conservation);
	ADD_BOTH(tp, replay_is_exact);
	ADD_BOTH(tp, interrupts);
	ADD_BOTH(tp, run_ends_when_interrupted);
	return (atf_no_error());
}
