/*
 * What a lock is asked, as verdicts: lock_contract_test asks every kind in the
 * table, lock_mutant_test shows that each question finds its fault.
 *
 * How long anything takes decides nothing; threads meet at flags.
 */
#ifndef TESTS_UNIT_LOCK_CHECKS_H
#define TESTS_UNIT_LOCK_CHECKS_H

#include "lib/lock/lock.h"
#include "tests/unit/support.h"

enum {
	HOLD_PAUSES	= 20,
	LINE_MAX_WAITERS = 16,
	SITES		= 2,
	/* Yields in which a thread that could go on would go on. */
	PATIENCE	= 2000,
	OVERLAP_YIELDS	= 20,
	YIELD_EVERY	= 5
};

static inline bool
excludes(const struct lock_class *class)
{
	return ((class->lc_flags & LC_EXCLUDES) != 0);
}

static inline bool
tries(const struct lock_class *class)
{
	return (class->lc_trylock != NULL);
}

static inline struct lock_config
config_default(void)
{
	return (lock_config_default(support_cpus()));
}

static inline void
lock_make(struct lock *l, const struct lock_class *class,
    const struct lock_config *config, struct lockprof *prof)
{
	lock_init(l, class, "test lock", config, prof);
}

/* What the test's thread and another share. */
struct meeting {
	struct lock	 m_lock;
	struct mthread	 m_other;
	struct m32	 m_go;		/* to the other: begin */
	struct m32	 m_about;	/* from it: acquiring next */
	struct m32	 m_entered;	/* from it: acquired */
	struct m32	 m_leaving;	/* to it: the holder releases next */
	struct m32	 m_done;	/* from it */
	bool		 m_tried;	/* its lock_tryacquire() succeeded */
	bool		 m_alone;	/* it entered after the holder left */
};

/*
 * Waits until td has provably begun to wait for a lock: it sleeps, or it has
 * used more CPU time than the way from its flag to the lock takes.  False when
 * it got through, or when the kind sleeps outside the machine's calls, which
 * cannot be seen.
 */
static inline bool
await_waiting(const struct lock_class *class, struct mthread *td,
    struct m32 *about, struct m32 *through)
{
	int64_t start_ns;

	support_await(about);
	start_ns = machine_thread_cpu_ns(td);
	for (unsigned i = 0; (class->lc_flags & LC_SPIN) != 0 || i < PATIENCE;
	    i++) {
		if (atomic_load_acq_32(through) != 0)
			return (false);
		if (support_asleep(td) ||
		    machine_thread_cpu_ns(td) - start_ns > NS_PER_MS)
			return (true);
		machine_yield();
	}
	return (false);
}

static inline void
try_once(void *arg)
{
	struct meeting *m = arg;
	struct lock_node node;

	machine_curthread()->mt_index = 1;
	support_await(&m->m_go);
	m->m_tried = lock_tryacquire(&m->m_lock, &node, 0);
	if (m->m_tried)
		lock_release(&m->m_lock, &node);
	atomic_store_rel_32(&m->m_done, 1);
}

/* Whether another thread that tries gets the lock, held or not. */
static inline bool
other_can_try(const struct lock_class *class, const struct lock_config *config,
    bool held)
{
	struct lock_node node;
	struct meeting *m;
	bool tried;

	m = support_alloc(1, sizeof(*m));
	lock_make(&m->m_lock, class, config, NULL);
	support_spawn(&m->m_other, "try", MACHINE_CPU_ANY, try_once, m);
	if (held)
		lock_acquire(&m->m_lock, &node, 0);
	atomic_store_rel_32(&m->m_go, 1);
	support_await(&m->m_done);
	if (held)
		lock_release(&m->m_lock, &node);
	machine_join(&m->m_other);
	tried = m->m_tried;
	lock_fini(&m->m_lock);
	free(m);
	return (tried);
}

static inline void
enter_once(void *arg)
{
	struct meeting *m = arg;
	struct lock_node node;

	machine_curthread()->mt_index = 1;
	support_await(&m->m_go);
	atomic_store_rel_32(&m->m_about, 1);
	lock_acquire(&m->m_lock, &node, 0);
	m->m_alone = atomic_load_32(&m->m_leaving) != 0;
	atomic_store_rel_32(&m->m_entered, 1);
	lock_release(&m->m_lock, &node);
}

/*
 * Whether a second thread gets in only after the first has left.  The test's
 * thread stays inside until the other is in too or has provably waited.  A kind
 * that lets it in is found out whichever of them is quicker.
 */
static inline bool
keeps_out(const struct lock_class *class, const struct lock_config *config)
{
	struct lock_node node;
	struct meeting *m;
	bool alone;

	m = support_alloc(1, sizeof(*m));
	lock_make(&m->m_lock, class, config, NULL);
	support_spawn(&m->m_other, "enter", MACHINE_CPU_ANY, enter_once, m);
	lock_acquire(&m->m_lock, &node, 0);
	atomic_store_rel_32(&m->m_go, 1);
	if (excludes(class)) {
		await_waiting(class, &m->m_other, &m->m_about, &m->m_entered);
		for (unsigned i = 0; i < PATIENCE / 10; i++)
			machine_yield();
	} else {
		support_await(&m->m_entered);
	}
	atomic_store_32(&m->m_leaving, 1);
	lock_release(&m->m_lock, &node);
	machine_join(&m->m_other);
	alone = m->m_alone;
	lock_fini(&m->m_lock);
	free(m);
	return (alone);
}

/* A queue of waiters, each knowing when it got in. */
struct line {
	struct lock	 l_lock;
	struct m32	 l_served;
	struct m32	 l_inside;
	struct m32	 l_met;		/* times that not only one was */
};

struct waiter {
	struct mthread	 w_thread;
	struct line	*w_line;
	struct m32	 w_about;
	struct m32	 w_entered;
	uint32_t	 w_rank;
	unsigned	 w_index;
};

/* Stays for a while, so that a thread that comes too early is met. */
static inline void
waiter_run(void *arg)
{
	struct waiter *w = arg;
	struct line *line = w->w_line;
	struct lock_node node;

	machine_curthread()->mt_index = w->w_index;
	atomic_store_rel_32(&w->w_about, 1);
	lock_acquire(&line->l_lock, &node, 0);
	w->w_rank = atomic_fetchadd_32(&line->l_served, 1);
	if (atomic_fetchadd_32(&line->l_inside, 1) != 0)
		atomic_fetchadd_32(&line->l_met, 1);
	atomic_store_rel_32(&w->w_entered, 1);
	for (unsigned i = 0; i < OVERLAP_YIELDS; i++)
		machine_yield();
	atomic_fetchadd_32(&line->l_inside, (uint32_t)-1);
	lock_release(&line->l_lock, &node);
}

/*
 * Lines up waiters behind the test's thread, one after the other, and lets go.
 *
 *   prepare  in   what is done to the lock before, or NULL
 *   rounds   in   how often, with one lock; but for the first time the test's
 *                 thread tries, if that is possible
 *   index    in   their mt_index, in this order; the test's thread has 0
 *   rank     out  as how many-th each was served, from 0, the last time
 *   alone    out  whether only one was inside at a time
 *
 * Returns: whether it is certain that they queued in that order.
 */
static inline bool
line_up(const struct lock_class *class, const struct lock_config *config,
    void (*prepare)(struct lock *), unsigned rounds, unsigned n,
    const unsigned *index, uint32_t *rank, bool *alone)
{
	struct lock_node node;
	struct waiter *waiters;
	struct line *line;
	bool certain = true;

	ATF_REQUIRE(n <= LINE_MAX_WAITERS);
	line = support_alloc(1, sizeof(*line));
	lock_make(&line->l_lock, class, config, NULL);
	if (prepare != NULL)
		prepare(&line->l_lock);
	for (unsigned round = 0; round < rounds; round++) {
		waiters = support_alloc(n, sizeof(*waiters));
		if (round == 0 || !tries(class))
			lock_acquire(&line->l_lock, &node, 0);
		else
			ATF_REQUIRE(lock_tryacquire(&line->l_lock, &node, 0));
		atomic_store_32(&line->l_served, 0);
		atomic_store_32(&line->l_inside, 1);
		for (unsigned i = 0; i < n; i++) {
			waiters[i].w_line = line;
			waiters[i].w_index = index[i];
			support_spawn(&waiters[i].w_thread, "waiter",
			    MACHINE_CPU_ANY, waiter_run, &waiters[i]);
			certain = await_waiting(class, &waiters[i].w_thread,
			    &waiters[i].w_about, &waiters[i].w_entered) &&
			    certain;
		}
		atomic_fetchadd_32(&line->l_inside, (uint32_t)-1);
		lock_release(&line->l_lock, &node);
		for (unsigned i = 0; i < n; i++) {
			machine_join(&waiters[i].w_thread);
			rank[i] = waiters[i].w_rank;
		}
		free(waiters);
	}
	*alone = atomic_load_32(&line->l_met) == 0;
	lock_fini(&line->l_lock);
	free(line);
	return (certain);
}

/* What the threads of one crowd share. */
struct crowd {
	struct lock	 c_lock;
	struct m32	 c_waiting;	/* members not there yet */
	unsigned	 c_acquisitions;	/* of each thread */
	bool		 c_shared;	/* change the pair below */
	volatile uint64_t c_left;	/* c_lock; always the same */
	volatile uint64_t c_right;	/* c_lock */
};

struct member {
	struct mthread	 m_thread;
	struct crowd	*m_crowd;
	unsigned	 m_index;
	uint64_t	 m_acquired;
	uint64_t	 m_torn;	/* times the pair was not a pair */
};

/* In some holds the owner gives its CPU away, so that others find it owned. */
static inline void
member_inside(struct member *m, struct crowd *c, bool yields)
{
	uint64_t left = 0, right = 0;

	if (c->c_shared) {
		left = c->c_left;
		right = c->c_right;
		m->m_torn += left != right;
		c->c_left = left + 1;
	}
	if (yields)
		machine_yield();
	else
		machine_pause(HOLD_PAUSES);
	if (c->c_shared)
		c->c_right = right + 1;
}

/* Every fourth acquisition only tries, where that is possible. */
static inline void
member_run(void *arg)
{
	struct member *m = arg;
	struct crowd *c = m->m_crowd;
	struct lock_node node;
	unsigned site;

	machine_curthread()->mt_index = m->m_index;
	site = m->m_index % SITES;
	atomic_fetchadd_rel_32(&c->c_waiting, (uint32_t)-1);
	while (atomic_load_acq_32(&c->c_waiting) != 0)
		machine_yield();
	for (unsigned i = 0; i < c->c_acquisitions; i++) {
		if (i % 4 != 3 || !tries(c->c_lock.lo_class))
			lock_acquire(&c->c_lock, &node, site);
		else if (!lock_tryacquire(&c->c_lock, &node, site))
			continue;
		m->m_acquired++;
		member_inside(m, c,
		    i % YIELD_EVERY == m->m_index % YIELD_EVERY);
		lock_release(&c->c_lock, &node);
	}
}

/* Runs n threads to the end of their acquisitions. */
static inline struct member *
crowd_run(struct crowd *c, unsigned n, unsigned acquisitions)
{
	struct member *members;

	c->c_acquisitions = acquisitions;
	atomic_store_32(&c->c_waiting, n);
	members = support_alloc(n, sizeof(*members));
	for (unsigned i = 0; i < n; i++) {
		members[i].m_crowd = c;
		members[i].m_index = i;
		support_spawn(&members[i].m_thread, "member",
		    i % 2 == 0 ? (int)i : MACHINE_CPU_ANY, member_run,
		    &members[i]);
	}
	for (unsigned i = 0; i < n; i++)
		machine_join(&members[i].m_thread);
	return (members);
}

#endif
