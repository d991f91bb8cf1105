/*
 * Health tests at work: between queue and generator, whatever the design.
 */
#include "harvest/mask.h"
#include "tests/unit/harvest_fixture.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum {
	STARTUP		= HEALTH_STARTUP_SAMPLES,
	STUCK_LIMIT	= 35
};

/* Events whose samples differ, or do not. */
static void
push_events(enum random_entropy_source source, unsigned first, unsigned n,
    bool stuck)
{
	struct harvest_event event = {
		.he_size = sizeof(first),
		.he_source = (uint8_t)source,
	};
	unsigned value;

	for (unsigned i = 0; i < n; i++) {
		value = stuck ? 0 : first + i + 1;
		event.he_destination = (uint8_t)(first + i);
		memcpy(event.he_entropy, &value, sizeof(value));
		if (harvestq_put(hq, &event) == 0)
			continue;
		harvestq_pass(hq);
		ATF_REQUIRE_EQ(0, harvestq_put(hq, &event));
	}
	harvestq_pass(hq);
	/* What the two buffers had left. */
	harvestq_pass(hq);
}

static unsigned
noted(enum random_entropy_source source)
{
	unsigned n = 0;

	for (unsigned i = 0; i < nb->nb_count && i < NOTES_MAX; i++)
		n += nb->nb_event[i].he_source == source;
	return (n);
}

BOTH_MODELS(off, "by default no source is tested, whatever it says")
{
	setup();
	ATF_CHECK(nb->nb_generator.g_filter == NULL);
	push_events(RANDOM_SWI, 0, 3000, true);
	ATF_CHECK_EQ(3000, nb->nb_count);
	ATF_CHECK_EQ(0, harvestq_totals(hq).ht_discarded);
	check_conserved();
}

BOTH_MODELS(isolation, "a stuck source contributes nothing from its failure "
    "on and others go on as if it were not there; what is known constant is "
    "not tested")
{
	struct harvest_totals t;
	uint8_t boot[64] = { 0 };

	settings.nist_healthtest_enabled = true;
	setup();
	harvestq_prime(hq, boot, sizeof(boot));
	ATF_CHECK_EQ(8, nb->nb_count);
	push_events(RANDOM_SWI, 0, STARTUP + 10, false);
	push_events(RANDOM_INTERRUPT, 0, STARTUP + 20, false);
	ATF_CHECK_EQ(10, noted(RANDOM_SWI));
	ATF_CHECK_EQ(20, noted(RANDOM_INTERRUPT));
	/* The last that passes is the one before the limit. */
	push_events(RANDOM_SWI, 0, 5000, true);
	ATF_CHECK_EQ(10 + STUCK_LIMIT - 1, noted(RANDOM_SWI));
	push_events(RANDOM_SWI, 0, 5000, false);
	ATF_CHECK_EQ(10 + STUCK_LIMIT - 1, noted(RANDOM_SWI));
	push_events(RANDOM_INTERRUPT, 5000, 30, false);
	ATF_CHECK_EQ(20 + 30, noted(RANDOM_INTERRUPT));
	ATF_CHECK_EQ(HEALTH_FAILED, hq->hq_test[RANDOM_SWI].ht_state);
	ATF_CHECK_EQ(HEALTH_STEADY, hq->hq_test[RANDOM_INTERRUPT].ht_state);
	ATF_CHECK_EQ(HEALTH_INIT, hq->hq_test[RANDOM_UMA].ht_state);
	t = harvestq_totals(hq);
	ATF_CHECK_EQ(8 + STARTUP + 10 + STARTUP + 20 + 10000 + 30, t.ht_in);
	ATF_CHECK_EQ(nb->nb_count, t.ht_processed);
	ATF_CHECK_EQ(0, t.ht_dropped);
	check_conserved();
}

BOTH_MODELS(ondemand, "a failed source that is started anew is back after a "
    "good start; the sources that were not named go on")
{
	settings.nist_healthtest_enabled = true;
	setup();
	push_events(RANDOM_INTERRUPT, 0, STARTUP + 1, false);
	push_events(RANDOM_SWI, 0, STUCK_LIMIT, true);
	push_events(RANDOM_SWI, 0, STARTUP + 10, false);
	ATF_CHECK_EQ(0, noted(RANDOM_SWI));
	harvestq_health_ondemand(hq, MASK_BIT(RANDOM_SWI));
	push_events(RANDOM_SWI, 0, STARTUP + 10, false);
	ATF_CHECK_EQ(10, noted(RANDOM_SWI));
	push_events(RANDOM_INTERRUPT, 5000, 1, false);
	ATF_CHECK_EQ(2, noted(RANDOM_INTERRUPT));
	/* A good one pays for it. */
	harvestq_health_ondemand(hq, MASK_ALL);
	push_events(RANDOM_INTERRUPT, 6000, STARTUP, false);
	ATF_CHECK_EQ(2, noted(RANDOM_INTERRUPT));
	check_conserved();
}

BOTH_MODELS(ondemand_pass, "the tunable's mask is written once, when its pass "
    "begins")
{
	settings.nist_healthtest_ondemand = MASK_BIT(RANDOM_SWI);
	settings.ondemand_pass = 7;
	settings.nist_healthtest_enabled = true;
	setup();
	push_events(RANDOM_SWI, 0, STUCK_LIMIT, true);
	for (unsigned i = 2; i < 5; i++)
		harvestq_pass(hq);
	ATF_CHECK_EQ(HEALTH_FAILED, hq->hq_test[RANDOM_SWI].ht_state);
	/* Passes six and seven. */
	push_events(RANDOM_SWI, 0, 1, false);
	ATF_CHECK_EQ(HEALTH_FAILED, hq->hq_test[RANDOM_SWI].ht_state);
	push_events(RANDOM_SWI, 0, STUCK_LIMIT + 1, true);
	ATF_CHECK_EQ(2, hq->hq_test[RANDOM_SWI].ht_repetitions);
	push_events(RANDOM_SWI, 0, STARTUP + 1, false);
	ATF_CHECK_EQ(0, nb->nb_count);
}

BOTH_MODELS(batches, "events that come together, polled ones among them, are "
    "tested one by one and all accounted for; a window counts its own")
{
	struct harvest_stats hs;
	unsigned reads = 0;

	settings.nist_healthtest_enabled = true;
	setup();
	nb->nb_generator.g_batch_events = 16;
	count_reads(&reads);
	push_events(RANDOM_SWI, 0, STARTUP + 5, false);
	ATF_CHECK_EQ(5, noted(RANDOM_SWI));
	ATF_CHECK(reads > 0);
	ATF_CHECK_EQ(0, noted(RANDOM_ATTACH));
	ATF_CHECK(harvestq_totals(hq).ht_discarded > STARTUP);
	hq->hq_sources.ss_list.sl_source[0] =
	    random_source_find("none");
	atomic_store_32(&hq->hq_window, 1);
	push_events(RANDOM_SWI, 0, 100, true);
	atomic_store_32(&hq->hq_window, 0);
	harvestq_stats(hq, 1, &hs);
	ATF_CHECK_EQ(100 - (STUCK_LIMIT - 1), hs.hs_discarded);
	ATF_CHECK_EQ(100, hs.hs_thread.hts_events);
	harvestq_stats(hq, 2, &hs);
	ATF_CHECK_EQ(0, hs.hs_discarded);
	check_conserved();
}

/* Refuses what SWI says. */
struct refusal {
	struct event_filter re_filter;
	unsigned	re_asked;
	unsigned	re_refused;
};

static bool
refuse_swi(struct event_filter *ef, const struct harvest_event *event)
{
	struct refusal *re = (struct refusal *)(void *)ef;

	re->re_asked++;
	re->re_refused += event->he_source == RANDOM_SWI;
	return (event->he_source != RANDOM_SWI);
}

static struct harvest_event
event_number(unsigned i)
{
	return ((struct harvest_event){
		.he_somecounter = i,
		.he_entropy = { (uint8_t)i, (uint8_t)(i >> 8) },
		.he_size = (uint8_t)(1 + i % 8),
		.he_destination = (uint8_t)i,
		.he_source = i % 3 == 0 ? RANDOM_SWI : i % 7 == 0 ?
		    RANDOM_PURE_VMGENID : i % 2 == 0 ? RANDOM_INTERRUPT :
		    RANDOM_PURE_RDRAND,
	});
}

static struct generator *
make(const struct random_algorithm *ra, const struct cipher *cipher,
    struct generator_reader *gr)
{
	struct generator_params params = {
		.gp_cipher = cipher,
		.gp_lock = lock_class_find("mtx"),
		.gp_lock_config = lock_config_default(4),
		.gp_config = generator_config_default(),
		.gp_places = 3,
	};
	struct generator *g;

	ATF_REQUIRE_EQ(0, generator_new(ra, &g, &params));
	ATF_REQUIRE_EQ(0, generator_reader_init(g, gr));
	gr->gr_place = 1;
	g->g_paced = false;
	return (g);
}

static void
read_some(struct generator *g, struct generator_reader *gr, uint8_t *out,
    size_t n)
{
	struct uio uio = uio_buffer(out, n);

	memset(out, 0, n);
	g->g_algorithm->ra_pre_read(g);
	if (g->g_algorithm->ra_seeded(g))
		g->g_algorithm->ra_read(g, gr, &uio);
}

/* Events number first to 3 * first, refused ones to the filtered one alone. */
static void
feed_both(struct generator *filtered, struct generator *plain, unsigned first)
{
	const struct random_algorithm *ra = plain->g_algorithm;
	struct harvest_event event;

	for (unsigned i = first; i < 3 * first; i++) {
		event = event_number(i);
		if (ra->ra_process_events != NULL && i % 2 == 0)
			ra->ra_process_events(filtered, &event, 1);
		else
			ra->ra_event_processor(filtered, &event);
		if (event.he_source != RANDOM_SWI)
			ra->ra_event_processor(plain, &event);
	}
}

static void
check_refusal(const struct random_algorithm *ra, const struct cipher *cipher)
{
	struct refusal re = { .re_filter = { refuse_swi } };
	struct generator_reader gr_filtered, gr_plain;
	struct generator *filtered, *plain;
	struct generator_status a, b;
	uint8_t one[4242], other[sizeof(one)];
	unsigned first;

	filtered = make(ra, cipher, &gr_filtered);
	plain = make(ra, cipher, &gr_plain);
	filtered->g_filter = &re.re_filter;
	for (first = 10; first < 3000; first *= 3) {
		feed_both(filtered, plain, first);
		ra->ra_status(filtered, &a);
		ra->ra_status(plain, &b);
		ATF_CHECK_EQ_MSG(b.gs_pool0_bytes, a.gs_pool0_bytes, "%s",
		    ra->ra_ident);
		read_some(filtered, &gr_filtered, one, sizeof(one));
		read_some(plain, &gr_plain, other, sizeof(other));
		ATF_CHECK_EQ_MSG(0, memcmp(one, other, sizeof(one)), "%s",
		    ra->ra_ident);
		ra->ra_status(filtered, &a);
		ra->ra_status(plain, &b);
		ATF_CHECK_EQ_MSG(b.gs_reseeds, a.gs_reseeds, "%s",
		    ra->ra_ident);
		ATF_CHECK_EQ(b.gs_seeded, a.gs_seeded);
	}
	ATF_CHECK_MSG(a.gs_seeded, "%s: never seeded", ra->ra_ident);
	ATF_CHECK_EQ_MSG(first - 10, re.re_asked, "%s: %u asked",
	    ra->ra_ident, re.re_asked);
	ATF_CHECK(re.re_refused > re.re_asked / 4);
	generator_reader_fini(filtered, &gr_filtered);
	generator_reader_fini(plain, &gr_plain);
	generator_free(filtered);
	generator_free(plain);
}

TEST(g_filter__refused_is_nowhere, "Each design asks the filter once for each "
    "event, and is as if it had never been given the refused ones: pools, "
    "reseeds and output")
{
	struct mthread td;

	support_machine(&td);
	support_crypto();
	for (unsigned i = 0; i < generator_count; i++)
		for (unsigned c = 0; c < cipher_count; c++)
			check_refusal(generators[i], ciphers[c]);
	crypto_fini();
}

TEST_PROGRAM()
