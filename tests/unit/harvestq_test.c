/*
 * harvest/harvestq.c with both models: the ways into the queue.
 */
#include <errno.h>
#include <string.h>

#include "harvest/jenkins.h"
#include "harvest/mask.h"
#include "tests/unit/harvest_fixture.h"
#include "tests/unit/test.h"

BOTH_MODELS(capacity, "one slot of the ring stays empty, the buffer fills to "
    "the last; the rest is counted")
{
	unsigned capacity = model == HARVEST_MODEL_ring ? 1023 : 1024;
	struct harvest_totals t;

	setup();
	/* More than once, so that the ring is full at every position. */
	for (unsigned round = 1; round <= 3; round++) {
		push(capacity + 5, RANDOM_SWI);
		t = harvestq_totals(hq);
		ATF_CHECK_EQ(capacity, t.ht_pending);
		ATF_CHECK_EQ(5 * round, t.ht_dropped);
		check_conserved();
		harvestq_pass(hq);
		ATF_CHECK_EQ(capacity * round, nb->nb_count);
		ATF_CHECK_EQ(0, harvestq_totals(hq).ht_pending);
		check_conserved();
	}
}

BOTH_MODELS(fifo_and_round_robin, "events keep their order, and each source "
    "has destinations of its own that wrap at 256")
{
	const struct harvest_event *event;

	setup();
	for (unsigned i = 0; i < 600; i++) {
		random_harvest_queue(hq, &i, sizeof(i),
		    i % 2 == 0 ? RANDOM_SWI : RANDOM_INTERRUPT);
		if (i % 100 == 99)
			harvestq_pass(hq);
	}
	ATF_REQUIRE_EQ(600, nb->nb_count);
	for (unsigned i = 0; i < 600; i++) {
		event = &nb->nb_event[i];
		ATF_CHECK_EQ(0, memcmp(&i, event->he_entropy, sizeof(i)));
		ATF_CHECK_EQ(sizeof(i), event->he_size);
		ATF_CHECK_EQ((uint8_t)(i / 2), event->he_destination);
		ATF_CHECK_EQ(i % 2 == 0 ? RANDOM_SWI : RANDOM_INTERRUPT,
		    (int)event->he_source);
	}
}

BOTH_MODELS(mask, "a masked source's events are nowhere, not even dropped")
{
	settings.mask &= ~MASK_BIT(RANDOM_INTERRUPT);
	setup();
	ATF_CHECK_EQ(settings.mask, atomic_load_32(&hq->hq_mask));
	push(10, RANDOM_INTERRUPT);
	push(10, RANDOM_NET_ETHER);
	push(3, RANDOM_SWI);
	harvestq_pass(hq);
	ATF_CHECK_EQ(3, nb->nb_count);
	ATF_CHECK_EQ(3, harvestq_totals(hq).ht_in);
}

BOTH_MODELS(payload, "8 bytes are copied; more become four, Jenkins' hash "
    "with the slot's address")
{
	static const uint8_t bytes[20] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
	const struct harvest_event *event;
	uint32_t hash;

	setup();
	for (size_t size = 1; size <= sizeof(bytes); size++)
		random_harvest_queue(hq, bytes, size, RANDOM_SWI);
	harvestq_pass(hq);
	ATF_REQUIRE_EQ(sizeof(bytes), nb->nb_count);
	for (size_t size = 1; size <= sizeof(bytes); size++) {
		event = &nb->nb_event[size - 1];
		if (size <= 8) {
			ATF_CHECK_EQ(size, event->he_size);
			ATF_CHECK_EQ(0, memcmp(bytes, event->he_entropy, size));
			continue;
		}
		hash = jenkins_hash(bytes, size,
		    (uint32_t)(uintptr_t)nb->nb_where[size - 1]);
		ATF_CHECK_EQ(4, event->he_size);
		ATF_CHECK_EQ(0, memcmp(&hash, event->he_entropy, 4));
		ATF_CHECK_EQ(0, memcmp("\0\0\0", event->he_entropy + 4, 4));
	}
}

BOTH_MODELS(slots_are_wiped, "what was delivered is nowhere else")
{
	static const struct harvest_event zero;

	setup();
	push(100, RANDOM_SWI);
	harvestq_pass(hq);
	ATF_REQUIRE_EQ(100, nb->nb_count);
	for (unsigned i = 0; i < 100; i++)
		ATF_CHECK_EQ(0, memcmp(&zero, nb->nb_where[i],
		    EVENT_BYTES));
}

BOTH_MODELS(prime, "whole events, whatever the mask; the loader's copy is "
    "wiped to its last byte")
{
	static const uint8_t zero[21];
	uint8_t boot[21];

	settings.mask = 0;
	setup();
	for (unsigned i = 0; i < sizeof(boot); i++)
		boot[i] = (uint8_t)(i + 1);
	harvestq_prime(hq, boot, sizeof(boot));
	ATF_REQUIRE_EQ(2, nb->nb_count);
	for (unsigned i = 0; i < 2; i++) {
		ATF_CHECK_EQ(RANDOM_CACHED,
		    (int)nb->nb_event[i].he_source);
		ATF_CHECK_EQ(i, nb->nb_event[i].he_destination);
		ATF_CHECK_EQ(8, nb->nb_event[i].he_size);
		ATF_CHECK_EQ(8 * i + 1, nb->nb_event[i].he_entropy[0]);
		ATF_CHECK_EQ(8 * i + 8, nb->nb_event[i].he_entropy[7]);
	}
	ATF_CHECK_EQ(0, memcmp(zero, boot, sizeof(boot)));
	harvestq_prime(hq, NULL, 0);
	ATF_CHECK_EQ(2, nb->nb_count);
}

TEST(harvestq__init_fails, "each failure says why and leaves nothing behind")
{
	struct harvest_error error;
	struct harvest_params params = {
		.hp_config = &settings,
		.hp_lock = lock_class_find("mtx-spin"),
		.hp_lock_config = lock_config_default(4),
		.hp_error = &error,
	};

	settings = config_of(HARVEST_MODEL_ring, "nothing");
	ATF_CHECK_EQ(EINVAL, harvestq_init(&hq, &params));
	ATF_CHECK(strstr(error.text, "\"nothing\"") != NULL);
	strcpy(settings.sources, "interrupt,replay");
	ATF_CHECK_EQ(EINVAL, harvestq_init(&hq, &params));
	ATF_CHECK(strstr(error.text, "replay.file") != NULL);
	strcpy(settings.sources, "none");
	settings.mask = MASK_ALL + 1;
	ATF_CHECK_EQ(EINVAL, harvestq_init(&hq, &params));
	ATF_CHECK(strstr(error.text, "accepted: 0..536870911") != NULL);
	settings.mask = MASK_DEFAULT;
	strcpy(settings.record_file, "no/such/folder");
	ATF_CHECK_EQ(ENOENT, harvestq_init(&hq, &params));
	ATF_CHECK(strstr(error.text, "no/such/folder") != NULL);
}

TEST(harvestq__pure_sources_set_their_bits, "registering does it; a write "
    "cannot undo it")
{
	if (!random_source_present(random_source_find("rdseed")))
		atf_tc_skip("this CPU has no rdseed instruction");
	settings = config_of(HARVEST_MODEL_ring, "rdseed,interrupt");
	setup();
	ATF_CHECK_EQ(39903, atomic_load_32(&hq->hq_mask));
	ATF_CHECK_EQ(2, hq->hq_sources.ss_list.sl_count);
	ATF_CHECK_EQ(1, hq->hq_producers);
	teardown();
	settings.mask = 0;
	setup();
	ATF_CHECK_EQ(32768, atomic_load_32(&hq->hq_mask));
	teardown();
}

TEST_PROGRAM()
