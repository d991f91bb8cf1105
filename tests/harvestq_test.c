/*
 * harvest/harvestq.c with both models: the ways into the queue.
 */
#include <atf-c.h>
#include <errno.h>
#include <string.h>

#include "harvest/jenkins.h"
#include "harvest/mask.h"
#include "tests/harvest_fixture.h"

BOTH_MODELS(capacity, "one slot of the ring stays empty, the buffer fills to "
    "the last; the rest is counted")
{
	struct harvest_config config = config_of(model, "none");
	unsigned capacity = model == HARVEST_MODEL_ring ? 1023 : 1024;
	struct harvest_totals t;
	struct fixture fx;
	unsigned round;

	setup(&fx, &config);
	/* More than once, so that the ring is full at every position. */
	for (round = 1; round <= 3; round++) {
		push(fx.fx_hq, capacity + 5, RANDOM_SWI);
		t = harvestq_totals(fx.fx_hq);
		ATF_CHECK_EQ(capacity, t.ht_pending);
		ATF_CHECK_EQ(5 * round, t.ht_dropped);
		check_conserved(fx.fx_hq);
		harvestq_pass(fx.fx_hq);
		ATF_CHECK_EQ(capacity * round, fx.fx_nb->nb_count);
		ATF_CHECK_EQ(0, harvestq_totals(fx.fx_hq).ht_pending);
		check_conserved(fx.fx_hq);
	}
	teardown(&fx);
}

BOTH_MODELS(fifo_and_round_robin, "events keep their order, and each source "
    "has destinations of its own that wrap at 256")
{
	struct harvest_config config = config_of(model, "none");
	const struct harvest_event *event;
	struct fixture fx;
	unsigned i;

	setup(&fx, &config);
	for (i = 0; i < 600; i++) {
		random_harvest_queue(fx.fx_hq, &i, sizeof(i),
		    i % 2 == 0 ? RANDOM_SWI : RANDOM_INTERRUPT);
		if (i % 100 == 99)
			harvestq_pass(fx.fx_hq);
	}
	ATF_REQUIRE_EQ(600, fx.fx_nb->nb_count);
	for (i = 0; i < 600; i++) {
		event = &fx.fx_nb->nb_event[i];
		ATF_CHECK_EQ(0, memcmp(&i, event->he_entropy, sizeof(i)));
		ATF_CHECK_EQ(sizeof(i), event->he_size);
		ATF_CHECK_EQ((uint8_t)(i / 2), event->he_destination);
		ATF_CHECK_EQ(i % 2 == 0 ? RANDOM_SWI : RANDOM_INTERRUPT,
		    (int)event->he_source);
	}
	/* Direct events of a source share its destinations. */
	random_harvest_direct(fx.fx_hq, &i, sizeof(i), RANDOM_SWI);
	ATF_CHECK_EQ((uint8_t)300, fx.fx_nb->nb_event[600].he_destination);
	teardown(&fx);
}

BOTH_MODELS(mask, "a masked source's events are nowhere, not even dropped")
{
	struct harvest_config config = config_of(model, "none");
	struct fixture fx;

	config.mask &= ~MASK_BIT(RANDOM_INTERRUPT);
	setup(&fx, &config);
	ATF_CHECK_EQ(config.mask, harvestq_mask(fx.fx_hq));
	push(fx.fx_hq, 10, RANDOM_INTERRUPT);
	push(fx.fx_hq, 10, RANDOM_NET_ETHER);
	push(fx.fx_hq, 3, RANDOM_SWI);
	random_harvest_direct(fx.fx_hq, "12345678", 8, RANDOM_INTERRUPT);
	random_harvest_fast(fx.fx_hq, "12345678", 8, RANDOM_UMA);
	harvestq_pass(fx.fx_hq);
	ATF_CHECK_EQ(3, fx.fx_nb->nb_count);
	ATF_CHECK_EQ(3, harvestq_totals(fx.fx_hq).ht_in);
	teardown(&fx);
}

BOTH_MODELS(payload, "8 bytes are copied; more become four, Jenkins' hash "
    "with the slot's address")
{
	struct harvest_config config = config_of(model, "none");
	static const uint8_t bytes[20] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
	const struct harvest_event *event;
	struct fixture fx;
	uint32_t hash;
	size_t size;

	setup(&fx, &config);
	for (size = 1; size <= sizeof(bytes); size++)
		random_harvest_queue(fx.fx_hq, bytes, size, RANDOM_SWI);
	harvestq_pass(fx.fx_hq);
	ATF_REQUIRE_EQ(sizeof(bytes), fx.fx_nb->nb_count);
	for (size = 1; size <= sizeof(bytes); size++) {
		event = &fx.fx_nb->nb_event[size - 1];
		if (size <= 8) {
			ATF_CHECK_EQ(size, event->he_size);
			ATF_CHECK_EQ(0, memcmp(bytes, event->he_entropy, size));
			continue;
		}
		hash = jenkins_hash(bytes, size,
		    (uint32_t)(uintptr_t)fx.fx_nb->nb_where[size - 1]);
		ATF_CHECK_EQ(4, event->he_size);
		ATF_CHECK_EQ(0, memcmp(&hash, event->he_entropy, 4));
		ATF_CHECK_EQ(0, memcmp("\0\0\0", event->he_entropy + 4, 4));
	}
	random_harvest_direct(fx.fx_hq, bytes, sizeof(bytes), RANDOM_SWI);
	event = &fx.fx_nb->nb_event[sizeof(bytes)];
	ATF_CHECK_EQ_MSG(8, event->he_size, "direct events are cut");
	ATF_CHECK_EQ(0, memcmp(bytes, event->he_entropy, 8));
	teardown(&fx);
}

BOTH_MODELS(slots_are_wiped, "what was delivered is nowhere else")
{
	static const struct harvest_event zero;
	struct harvest_config config = config_of(model, "none");
	struct fixture fx;
	unsigned i;

	setup(&fx, &config);
	push(fx.fx_hq, 100, RANDOM_SWI);
	harvestq_pass(fx.fx_hq);
	ATF_REQUIRE_EQ(100, fx.fx_nb->nb_count);
	for (i = 0; i < 100; i++)
		ATF_CHECK_EQ(0, memcmp(&zero, fx.fx_nb->nb_where[i],
		    EVENT_BYTES));
	teardown(&fx);
}

BOTH_MODELS(fast_accumulator, "eight words, taken as UMA events of four bytes "
    "and zeroed")
{
	struct harvest_config config = config_of(model, "none");
	static const struct { unsigned calls, events; } cases[] = {
		{ 0, 0 }, { 1, 1 }, { 3, 3 }, { 8, 8 }, { 30, 8 }, { 0, 0 },
	};
	struct fixture fx;
	unsigned c, i, before;

	config.compiled = MASK_BIT(RANDOM_UMA);
	setup(&fx, &config);
	for (c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		before = fx.fx_nb->nb_count;
		for (i = 0; i < cases[c].calls; i++)
			random_harvest_fast(fx.fx_hq, &i, sizeof(i),
			    RANDOM_UMA);
		harvestq_pass(fx.fx_hq);
		ATF_CHECK_EQ_MSG(before + cases[c].events, fx.fx_nb->nb_count,
		    "case %u", c);
		for (i = before; i < fx.fx_nb->nb_count; i++) {
			ATF_CHECK_EQ(RANDOM_UMA,
			    (int)fx.fx_nb->nb_event[i].he_source);
			ATF_CHECK_EQ(4, fx.fx_nb->nb_event[i].he_size);
		}
	}
	teardown(&fx);
}

ATF_TC(harvestq__fast_xors);
ATF_TC_HEAD(harvestq__fast_xors, tc)
{

	atf_tc_set_md_var(tc, "descr", "a second turn stirs words, it does not "
	    "replace them, and moves on by one word each time");
}
ATF_TC_BODY(harvestq__fast_xors, tc)
{
	struct harvest_config config = config_of(HARVEST_MODEL_ring, "none");
	struct fixture fx;
	unsigned i, turn;

	config.compiled = MASK_BIT(RANDOM_UMA);
	setup(&fx, &config);
	for (turn = 0; turn < 2 * RANDOM_ACCUM_MAX; turn++) {
		ATF_CHECK_EQ(turn % RANDOM_ACCUM_MAX,
		    atomic_load_32(&fx.fx_hq->hq_fast_pos));
		for (i = 0; i < RANDOM_ACCUM_MAX; i++)
			atomic_store_32(&fx.fx_hq->hq_fast[i], i);
		/* The empty message hashes to 0xdeadbeef + the cycle count. */
		random_harvest_fast(fx.fx_hq, "", 0, RANDOM_UMA);
		for (i = 0; i < RANDOM_ACCUM_MAX; i++)
			ATF_CHECK_EQ(i == turn % RANDOM_ACCUM_MAX,
			    atomic_load_32(&fx.fx_hq->hq_fast[i]) != i);
	}
	teardown(&fx);
}

BOTH_MODELS(prime, "whole events, whatever the mask; the loader's copy is "
    "wiped to its last byte")
{
	static const uint8_t zero[21];
	struct harvest_config config = config_of(model, "none");
	uint8_t boot[21];
	struct fixture fx;
	unsigned i;

	config.mask = 0;
	setup(&fx, &config);
	for (i = 0; i < sizeof(boot); i++)
		boot[i] = (uint8_t)(i + 1);
	harvestq_prime(fx.fx_hq, boot, sizeof(boot));
	ATF_REQUIRE_EQ(2, fx.fx_nb->nb_count);
	for (i = 0; i < 2; i++) {
		ATF_CHECK_EQ(RANDOM_CACHED,
		    (int)fx.fx_nb->nb_event[i].he_source);
		ATF_CHECK_EQ(i, fx.fx_nb->nb_event[i].he_destination);
		ATF_CHECK_EQ(8, fx.fx_nb->nb_event[i].he_size);
		ATF_CHECK_EQ(8 * i + 1, fx.fx_nb->nb_event[i].he_entropy[0]);
		ATF_CHECK_EQ(8 * i + 8, fx.fx_nb->nb_event[i].he_entropy[7]);
	}
	ATF_CHECK_EQ(0, memcmp(zero, boot, sizeof(boot)));
	harvestq_prime(fx.fx_hq, NULL, 0);
	ATF_CHECK_EQ(2, fx.fx_nb->nb_count);
	teardown(&fx);
}

ATF_TC(harvestq__init_fails);
ATF_TC_HEAD(harvestq__init_fails, tc)
{

	atf_tc_set_md_var(tc, "descr", "each failure says why and leaves "
	    "nothing behind");
}
ATF_TC_BODY(harvestq__init_fails, tc)
{
	struct harvest_config config = config_of(HARVEST_MODEL_ring, "nothing");
	struct harvest_error error;
	struct harvest_params params = {
		.hp_config = &config,
		.hp_lock = lock_class_find("mtx-spin"),
		.hp_lock_config = lock_config_default(4),
		.hp_error = &error,
	};
	struct harvestq *hq;

	ATF_CHECK_EQ(EINVAL, harvestq_init(&hq, &params));
	ATF_CHECK(strstr(error.text, "\"nothing\"") != NULL);
	strcpy(config.sources, "interrupt,replay");
	ATF_CHECK_EQ(EINVAL, harvestq_init(&hq, &params));
	ATF_CHECK(strstr(error.text, "replay.file") != NULL);
	strcpy(config.sources, "none");
	config.mask = MASK_ALL + 1;
	ATF_CHECK_EQ(EINVAL, harvestq_init(&hq, &params));
	ATF_CHECK(strstr(error.text, "accepted: 0..536870911") != NULL);
	config.mask = MASK_DEFAULT;
	strcpy(config.record_file, "no/such/folder");
	ATF_CHECK_EQ(ENOENT, harvestq_init(&hq, &params));
	ATF_CHECK(strstr(error.text, "no/such/folder") != NULL);
}

ATF_TC(harvestq__pure_sources_set_their_bits);
ATF_TC_HEAD(harvestq__pure_sources_set_their_bits, tc)
{

	atf_tc_set_md_var(tc, "descr", "registering does it; a write cannot "
	    "undo it");
}
ATF_TC_BODY(harvestq__pure_sources_set_their_bits, tc)
{
	struct harvest_config config = config_of(HARVEST_MODEL_ring,
	    "rdseed,interrupt");
	struct fixture fx;

	if (random_source_find("rdseed")->rs_probe() != 0)
		atf_tc_skip("this CPU has no rdseed instruction");
	setup(&fx, &config);
	ATF_CHECK_EQ(39903, harvestq_mask(fx.fx_hq));
	ATF_CHECK_EQ(2, harvestq_sources(fx.fx_hq)->sl_count);
	ATF_CHECK_EQ(1, harvestq_producers(fx.fx_hq));
	teardown(&fx);
	config.mask = 0;
	setup(&fx, &config);
	ATF_CHECK_EQ(32768, harvestq_mask(fx.fx_hq));
	teardown(&fx);
}

ATF_TP_ADD_TCS(tp)
{

	ADD_BOTH(tp, capacity);
	ADD_BOTH(tp, fifo_and_round_robin);
	ADD_BOTH(tp, mask);
	ADD_BOTH(tp, payload);
	ADD_BOTH(tp, slots_are_wiped);
	ADD_BOTH(tp, fast_accumulator);
	ADD_BOTH(tp, prime);
	ATF_TP_ADD_TC(tp, harvestq__fast_xors);
	ATF_TP_ADD_TC(tp, harvestq__init_fails);
	ATF_TP_ADD_TC(tp, harvestq__pure_sources_set_their_bits);
	return (atf_no_error());
}
