/*
 * A harvest queue around a generator that only takes notes.
 */
#ifndef TESTS_UNIT_HARVEST_FIXTURE_H
#define TESTS_UNIT_HARVEST_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "harvest/harvestq.h"
#include "tests/unit/test.h"

enum {
	NOTES_MAX	= 16384,
	POOLS		= 32,
	/* An event without the padding behind it. */
	EVENT_BYTES	= offsetof(struct harvest_event, he_source) + 1
};

/* The generator: what it was given, in order. */
struct notebook {
	struct generator nb_generator;
	bool		 nb_seeded;
	unsigned	 nb_count;
	unsigned	 nb_stop_at;	/* calls harvestq_stop() then; 0: no */
	unsigned	 nb_batches;	/* of events that came together */
	struct harvestq	*nb_hq;
	struct harvest_event nb_event[NOTES_MAX];
	const struct harvest_event *nb_where[NOTES_MAX];
};

static inline void
notebook_event(struct generator *g, const struct harvest_event *event)
{
	struct notebook *n = (struct notebook *)(void *)g;

	if (!generator_accepts(g, event))
		return;
	if (n->nb_count < NOTES_MAX) {
		n->nb_event[n->nb_count] = *event;
		n->nb_where[n->nb_count] = event;
	}
	if (++n->nb_count == n->nb_stop_at)
		harvestq_stop(n->nb_hq);
}

static inline void
notebook_events(struct generator *g, const struct harvest_event *events,
    unsigned n)
{
	((struct notebook *)(void *)g)->nb_batches++;
	for (unsigned i = 0; i < n; i++)
		notebook_event(g, &events[i]);
}

static inline bool
notebook_seeded(struct generator *g)
{
	return (((struct notebook *)(void *)g)->nb_seeded);
}

static const struct random_algorithm notebook_algorithm = {
	.ra_ident	= "notebook",
	.ra_poolcount	= POOLS,
	.ra_event_processor = notebook_event,
	.ra_process_events = notebook_events,
	.ra_seeded	= notebook_seeded,
};

/* What a case works with; setup() makes it of the settings. */
static struct harvest_config settings;
static struct notebook *nb;
static struct harvestq *hq;

static inline void
setup(void)
{
	static struct mthread td;
	struct harvest_error error;
	struct harvest_params params = {
		.hp_config = &settings,
		.hp_lock = lock_class_find("mtx-spin"),
		.hp_lock_config = lock_config_default(4),
		.hp_error = &error,
	};

	memset(&td, 0, sizeof(td));
	machine_attach(&td, "test");
	nb = calloc(1, sizeof(*nb));
	ATF_REQUIRE(nb != NULL);
	nb->nb_generator.g_algorithm = &notebook_algorithm;
	nb->nb_generator.g_batch_events = 1;
	nb->nb_seeded = true;
	params.hp_generator = &nb->nb_generator;
	ATF_REQUIRE_EQ_MSG(0, harvestq_init(&hq, &params), "%s", error.text);
	nb->nb_hq = hq;
}

static inline void
teardown(void)
{
	harvestq_fini(hq);
	free(nb);
	machine_detach();
}

static inline struct harvest_config
config_of(unsigned model, const char *sources)
{
	struct harvest_config hc = harvest_config_default();

	hc.model = model;
	strcpy(hc.sources, sources);
	return (hc);
}

static inline void
check_conserved(void)
{
	struct harvest_totals t = harvestq_totals(hq);

	ATF_CHECK_EQ_MSG(t.ht_in, t.ht_processed + t.ht_pending +
	    t.ht_dropped + t.ht_discarded,
	    "%ju in, %ju processed, %ju pending, %ju dropped, %ju discarded",
	    (uintmax_t)t.ht_in, (uintmax_t)t.ht_processed,
	    (uintmax_t)t.ht_pending, (uintmax_t)t.ht_dropped,
	    (uintmax_t)t.ht_discarded);
}

static inline void
push(unsigned n, enum random_entropy_source origin)
{
	for (unsigned i = 0; i < n; i++)
		random_harvest_queue(hq, &i, sizeof(i), origin);
}

/* A case run with each model: its body calls setup(). */
#define	RUN_MODEL(title, name, which, text)				\
TEST(title##__##name, text)						\
{									\
									\
	settings = config_of(which, "none");				\
	name(which);							\
	teardown();							\
}
#define	BOTH_MODELS(name, text)						\
static void name(unsigned model);					\
RUN_MODEL(harvestq_2019, name, HARVEST_MODEL_ring, text)		\
RUN_MODEL(harvestq_newest, name, HARVEST_MODEL_swap, text)		\
static void								\
name(unsigned model __attribute__((unused)))

static inline size_t
counting_read(void *state, void *buf, size_t len)
{
	unsigned *reads = state;

	++*reads;
	ATF_CHECK_EQ(8, len);
	memset(buf, 0x77, len);
	/* Nothing, a part, all, in turn. */
	return (*reads % 3 == 0 ? 0 : *reads % 3 == 1 ? 5 : 8);
}

static const struct random_source counting_source = {
	.rs_ident	= "counting",
	.rs_source	= RANDOM_ATTACH,
	.rs_flags	= RS_POLLED,
	.rs_read	= counting_read,
};

/* Puts the counting source in the place of the null source. */
static inline void
count_reads(unsigned *reads)
{
	hq->hq_sources.ss_list.sl_source[0] = &counting_source;
	hq->hq_sources.ss_state[0] = reads;
}

#endif
