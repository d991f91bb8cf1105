/*
 * A harvest queue around a generator that only takes notes.
 */
#ifndef TESTS_HARVEST_FIXTURE_H
#define TESTS_HARVEST_FIXTURE_H

#include <atf-c.h>
#include <stdlib.h>
#include <string.h>

#include "harvest/harvest_model.h"
#include "harvest/harvestq.h"

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
	struct notebook *nb = (struct notebook *)(void *)g;

	if (!generator_accepts(g, event))
		return;
	if (nb->nb_count < NOTES_MAX) {
		nb->nb_event[nb->nb_count] = *event;
		nb->nb_where[nb->nb_count] = event;
	}
	if (++nb->nb_count == nb->nb_stop_at)
		harvestq_stop(nb->nb_hq);
}

static inline void
notebook_events(struct generator *g, const struct harvest_event *events,
    unsigned n)
{
	unsigned i;

	((struct notebook *)(void *)g)->nb_batches++;
	for (i = 0; i < n; i++)
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

struct fixture {
	struct mthread	 fx_td;
	struct notebook	*fx_nb;
	struct harvestq	*fx_hq;
};

static inline void
setup(struct fixture *fx, const struct harvest_config *config)
{
	struct harvest_error error;
	struct harvest_params params = {
		.hp_config = config,
		.hp_lock = lock_class_find("mtx-spin"),
		.hp_lock_config = lock_config_default(4),
		.hp_error = &error,
	};

	machine_attach(&fx->fx_td, "test");
	fx->fx_nb = calloc(1, sizeof(*fx->fx_nb));
	ATF_REQUIRE(fx->fx_nb != NULL);
	fx->fx_nb->nb_generator.g_algorithm = &notebook_algorithm;
	fx->fx_nb->nb_generator.g_batch_events = 1;
	fx->fx_nb->nb_seeded = true;
	params.hp_generator = &fx->fx_nb->nb_generator;
	ATF_REQUIRE_EQ_MSG(0, harvestq_init(&fx->fx_hq, &params), "%s",
	    error.text);
	fx->fx_nb->nb_hq = fx->fx_hq;
}

static inline void
teardown(struct fixture *fx)
{

	harvestq_fini(fx->fx_hq);
	free(fx->fx_nb);
	machine_detach();
}

static inline struct harvest_config
config_of(unsigned model, const char *sources)
{
	struct harvest_config config = harvest_config_default();

	config.model = model;
	strcpy(config.sources, sources);
	return (config);
}

static inline void
check_conserved(struct harvestq *hq)
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
push(struct harvestq *hq, unsigned n, enum random_entropy_source origin)
{
	unsigned i;

	for (i = 0; i < n; i++)
		random_harvest_queue(hq, &i, sizeof(i), origin);
}

/* A case run with each model. */
#define	BOTH_MODELS(name, reason)					\
static void name(unsigned model);					\
ATF_TC(harvestq_2019__##name);						\
ATF_TC_HEAD(harvestq_2019__##name, tc)					\
{									\
	atf_tc_set_md_var(tc, "descr", "%s", reason);			\
}									\
ATF_TC_BODY(harvestq_2019__##name, tc)					\
{									\
	name(HARVEST_MODEL_ring);					\
}									\
ATF_TC(harvestq_newest__##name);					\
ATF_TC_HEAD(harvestq_newest__##name, tc)				\
{									\
	atf_tc_set_md_var(tc, "descr", "%s", reason);			\
}									\
ATF_TC_BODY(harvestq_newest__##name, tc)				\
{									\
	name(HARVEST_MODEL_swap);					\
}									\
static void								\
name(unsigned model)

#define	ADD_BOTH(tp, name) do {						\
	ATF_TP_ADD_TC(tp, harvestq_2019__##name);			\
	ATF_TP_ADD_TC(tp, harvestq_newest__##name);			\
} while (0)

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
count_reads(struct fixture *fx, unsigned *reads)
{

	fx->fx_hq->hq_sources.ss_list.sl_source[0] = &counting_source;
	fx->fx_hq->hq_sources.ss_state[0] = reads;
}

#endif
