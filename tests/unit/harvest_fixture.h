/*
 * A device whose harvest thread does a pass when it is asked to, and a notebook
 * of the events that the design was given.
 */
#ifndef TESTS_UNIT_HARVEST_FIXTURE_H
#define TESTS_UNIT_HARVEST_FIXTURE_H

#include "harvest/harvest.h"
#include "tests/unit/device.h"

enum {
	NOTES_MAX	= 16384,
	HARVEST_THREAD	= DEVICE_THREADS - 1	/* its mt_index */
};

static struct device dev;
static struct random_event note[NOTES_MAX];
static unsigned notes;
static struct hist delivery;

/* The thread, the passes it may begin, and those it has done. */
static struct mthread harvester;
static struct m32 passes_asked, passes_done;
static unsigned passes;

/* What else is called, in its place or before it. */
static struct randomdev_params harvested;

static inline void
note_event(void *arg __attribute__((unused)), const struct random_event *he)
{
	if (harvested.rp_record != NULL)
		harvested.rp_record(harvested.rp_arg, he);
	if (notes < NOTES_MAX)
		note[notes] = *he;
	__atomic_store_n(&notes, notes + 1, __ATOMIC_RELEASE);
}

static inline void
await_pass(void *arg __attribute__((unused)), int64_t *timeout_ns)
{
	const uint32_t done = atomic_load_32(&passes_done) + 1;

	if (harvested.rp_idle != NULL) {
		harvested.rp_idle(harvested.rp_arg, timeout_ns);
		return;
	}
	*timeout_ns = 1;
	atomic_store_rel_32(&passes_done, done);
	while (atomic_load_acq_32(&passes_asked) <= done)
		machine_yield();
}

static inline void
harvester_run(void *arg)
{
	machine_curthread()->mt_index = HARVEST_THREAD;
	randomdev_harvest_run(arg);
}

static inline void
setup_params(const struct randomdev_params *params)
{
	struct randomdev_params rp = *params;

	rp.rp_record = note_event;
	rp.rp_idle = await_pass;
	rp.rp_delivery = &delivery;
	memset(&delivery, 0, sizeof(delivery));
	notes = passes = 0;
	atomic_init_32(&passes_asked, 0);
	atomic_init_32(&passes_done, 0);
	device_make_params(&dev, &rp);
	dev.d_counted = true;
}

static inline void
setup(enum design_queue queue)
{
	struct randomdev_params rp = device_params(design_find("locked"),
	    ciphers[0]);

	rp.rp_queue = queue;
	setup_params(&rp);
}

static inline void
spawn_harvester(void)
{
	support_spawn(&harvester, "rand_harvestq", MACHINE_CPU_ANY,
	    harvester_run, dev.d_rd);
}

/* One pass, the thread's first among them. */
static inline void
pass(void)
{
	atomic_store_rel_32(&passes_asked, ++passes);
	if (passes == 1)
		spawn_harvester();
	while (atomic_load_acq_32(&passes_done) < passes)
		machine_yield();
}

/* Ends the thread, if it was begun. */
static inline void
stop(void)
{
	if (passes == 0)
		return;
	atomic_store_rel_32(&passes_asked, UINT32_MAX);
	randomdev_harvest_stop(dev.d_rd);
	machine_join(&harvester);
	passes = 0;
}

static inline struct harvest_totals
totals(void)
{
	const struct harvest_totals ht = randomdev_totals(dev.d_rd);

	ATF_CHECK_EQ_MSG(ht.ht_in, ht.ht_processed + ht.ht_pending +
	    ht.ht_dropped + ht.ht_discarded,
	    "%ju in, %ju processed, %ju pending, %ju dropped, %ju discarded",
	    (uintmax_t)ht.ht_in, (uintmax_t)ht.ht_processed,
	    (uintmax_t)ht.ht_pending, (uintmax_t)ht.ht_dropped,
	    (uintmax_t)ht.ht_discarded);
	return (ht);
}

static inline void
teardown(void)
{
	stop();
	(void)totals();
	device_free(&dev);
}

static inline void
push(unsigned n, enum random_entropy_source source)
{
	for (unsigned i = 0; i < n; i++)
		randomdev_harvest(dev.d_rd, RANDOM_QUEUE, &i, sizeof(i),
		    source);
}

/* A case run with each queue: its body calls setup() or the like. */
#define	RUN_QUEUE(title, name, which, text)				\
DEVICE_TEST(title##__##name, text)					\
{									\
	name(which);							\
	teardown();							\
}
#define	BOTH_QUEUES(name, text)						\
static void name(enum design_queue queue);				\
RUN_QUEUE(queue_2019, name, HARVEST_MODEL_ring, text)			\
RUN_QUEUE(queue_newest, name, HARVEST_MODEL_newest, text)		\
static void								\
name(enum design_queue queue)

#endif
