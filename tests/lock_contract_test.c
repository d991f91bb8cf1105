/*
 * What lib/lock.h promises, asked of every kind in lock_classes: a new kind is
 * tested by being in the table.
 *
 * The null kind promises no exclusion, and the tests must find that it keeps no
 * other promise by accident: where others exclude, it is shown not to.  How
 * long anything takes decides nothing; threads meet at flags.
 */
#include <inttypes.h>
#include <stdio.h>

#include "lib/lock.h"
#include "tests/support.h"

enum {
	SITES		= 2,
	ACQUISITIONS	= 2000,		/* of each thread */
	ROUNDS		= 500,		/* of two threads in turn */
	PAYLOAD_WORDS	= 32,
	HOLD_PAUSES	= 20,
	FIFO_WAITERS	= 3,
	/* Yields in which a thread that could go on would go on. */
	PATIENCE	= 2000,
	TRIES		= 100
};

static const char *const site_names[SITES] = { "even", "odd" };

static struct mthread self;

static void
setup(void)
{

	support_machine(&self);
	self.mt_index = 0;
}

static void
lock_make(struct lock *l, const struct lock_class *class,
    struct lockprof *prof)
{
	struct lock_config config = lock_config_default(cpu_count());
	int error;

	error = lock_init(l, class, "test lock", &config, prof);
	ATF_REQUIRE_MSG(error == 0, "%s: lock_init: %s", class->lc_name,
	    strerror(error));
}

static bool
excludes(const struct lock_class *class)
{

	return ((class->lc_flags & LC_EXCLUDES) != 0);
}

static bool
tries(const struct lock_class *class)
{

	return (class->lc_trylock != NULL);
}

/* What two threads, the test's and another, know of each other. */
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
 * used more CPU time than the way from its flag to the lock takes.  A kind
 * that sleeps without the machine's knowledge does neither; the caller then
 * does not know.
 */
static bool
await_waiting(struct mthread *td, struct m32 *about)
{
	int64_t start_ns;
	unsigned i;

	support_await(about);
	start_ns = machine_thread_cpu_ns(td);
	for (i = 0; i < PATIENCE; i++) {
		if (atomic_load_32(&td->mt_offcpu) != 0 ||
		    machine_thread_cpu_ns(td) - start_ns > NS_PER_MS)
			return (true);
		machine_yield();
	}
	return (false);
}

ATF_TC(lock_class__describes_itself);
ATF_TC_HEAD(lock_class__describes_itself, tc)
{

	atf_tc_set_md_var(tc, "descr", "Names are there and unique, every kind "
	    "is found by its own, and all but the null kind exclude");
}
ATF_TC_BODY(lock_class__describes_itself, tc)
{
	const struct lock_class *class;
	unsigned i, k, null = 0;

	ATF_REQUIRE(lock_class_count >= 2);
	for (i = 0; i < lock_class_count; i++) {
		class = lock_classes[i];
		ATF_CHECK_MSG(strlen(class->lc_name) > 0 &&
		    strlen(class->lc_descr) > 0 && strlen(class->lc_type) > 0,
		    "kind %u", i);
		/* A sweep takes lists of names. */
		ATF_CHECK_MSG(strpbrk(class->lc_name, ", \t\n=") == NULL,
		    "%s", class->lc_name);
		ATF_CHECK_EQ_MSG(class, lock_class_find(class->lc_name), "%s",
		    class->lc_name);
		for (k = 0; k < i; k++)
			ATF_CHECK_MSG(strcmp(lock_classes[k]->lc_name,
			    class->lc_name) != 0, "%s is there twice",
			    class->lc_name);
		if (!excludes(class)) {
			null++;
			ATF_CHECK_STREQ("none", class->lc_name);
		}
		ATF_CHECK_MSG((class->lc_flags & (LC_SLEEPS | LC_SPIN)) !=
		    (LC_SLEEPS | LC_SPIN),
		    "%s sleeps and is usable where sleeping is not",
		    class->lc_name);
	}
	ATF_CHECK_EQ(1, null);
	ATF_CHECK_EQ(NULL, lock_class_find(""));
	ATF_CHECK_EQ(NULL, lock_class_find("no such lock"));
}

static void
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

/* Another thread tries, while the test's holds the lock or does not. */
static bool
other_can_try(const struct lock_class *class, bool held)
{
	struct lock_node node;
	struct meeting *m;
	bool tried;

	m = support_alloc(1, sizeof(*m));
	lock_make(&m->m_lock, class, NULL);
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

ATF_TC(lock_tryacquire__by_another);
ATF_TC_HEAD(lock_tryacquire__by_another, tc)
{

	atf_tc_set_md_var(tc, "descr", "Trying fails while another holds the "
	    "lock, except for the null kind, and succeeds when nobody does");
}
ATF_TC_BODY(lock_tryacquire__by_another, tc)
{
	const struct lock_class *class;
	unsigned i;

	setup();
	for (i = 0; i < lock_class_count; i++) {
		class = lock_classes[i];
		if (!tries(class))
			continue;
		ATF_CHECK_MSG(other_can_try(class, false),
		    "%s: cannot acquire a free lock", class->lc_name);
		ATF_CHECK_MSG(other_can_try(class, true) != excludes(class),
		    "%s: %s while another was inside", class->lc_name,
		    excludes(class) ? "acquired" : "did not acquire");
	}
}

static void
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
 * The test's thread stays inside until the other is in too or has provably
 * waited.  A kind that lets it in is found out whichever of them is quicker.
 */
static bool
keeps_out(const struct lock_class *class)
{
	struct lock_node node;
	struct meeting *m;
	unsigned i;
	bool alone;

	m = support_alloc(1, sizeof(*m));
	lock_make(&m->m_lock, class, NULL);
	support_spawn(&m->m_other, "enter", MACHINE_CPU_ANY, enter_once, m);
	lock_acquire(&m->m_lock, &node, 0);
	atomic_store_rel_32(&m->m_go, 1);
	if (excludes(class)) {
		await_waiting(&m->m_other, &m->m_about);
		for (i = 0; i < PATIENCE / 10; i++)
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

ATF_TC(lock_acquire__keeps_out);
ATF_TC_HEAD(lock_acquire__keeps_out, tc)
{

	atf_tc_set_md_var(tc, "descr", "A second thread gets in only after the "
	    "first has left; the null kind fails this, so it can be failed");
	/* A null kind that excluded would never let the test go on. */
	atf_tc_set_md_var(tc, "timeout", "60");
}
ATF_TC_BODY(lock_acquire__keeps_out, tc)
{
	const struct lock_class *class;
	unsigned i;

	setup();
	for (i = 0; i < lock_class_count; i++) {
		class = lock_classes[i];
		ATF_CHECK_MSG(keeps_out(class) == excludes(class),
		    "%s: %s", class->lc_name, excludes(class) ?
		    "two threads were inside" : "claims not to exclude, does");
	}
}

/* What the threads of one crowd share. */
struct crowd {
	struct lock	 c_lock;
	struct m32	 c_go;
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

static void
member_run(void *arg)
{
	struct member *m = arg;
	struct crowd *c = m->m_crowd;
	struct lock_node node;
	unsigned i, site;

	machine_curthread()->mt_index = m->m_index;
	site = m->m_index % SITES;
	support_await(&c->c_go);
	for (i = 0; i < ACQUISITIONS; i++) {
		if (i % 4 != 3 || !tries(c->c_lock.lo_class))
			lock_acquire(&c->c_lock, &node, site);
		else if (!lock_tryacquire(&c->c_lock, &node, site))
			continue;
		m->m_acquired++;
		if (c->c_shared) {
			uint64_t left = c->c_left, right = c->c_right;

			m->m_torn += left != right;
			c->c_left = left + 1;
			machine_pause(m->m_index % 8);
			c->c_right = right + 1;
		} else {
			machine_pause(HOLD_PAUSES);
		}
		lock_release(&c->c_lock, &node);
	}
}

/* Runs n threads to the end of their acquisitions. */
static struct member *
crowd_run(struct crowd *c, unsigned n)
{
	struct member *members;
	unsigned i;

	members = support_alloc(n, sizeof(*members));
	for (i = 0; i < n; i++) {
		members[i].m_crowd = c;
		members[i].m_index = i;
		support_spawn(&members[i].m_thread, "member",
		    i % 2 == 0 ? (int)i : MACHINE_CPU_ANY, member_run,
		    &members[i]);
	}
	atomic_store_rel_32(&c->c_go, 1);
	for (i = 0; i < n; i++)
		machine_join(&members[i].m_thread);
	return (members);
}

ATF_TC(lock_acquire__read_modify_write);
ATF_TC_HEAD(lock_acquire__read_modify_write, tc)
{

	atf_tc_set_md_var(tc, "descr", "More threads than CPUs change a pair "
	    "of plain numbers under the lock and lose no change");
}
ATF_TC_BODY(lock_acquire__read_modify_write, tc)
{
	const struct lock_class *class;
	struct member *members;
	struct crowd *c;
	uint64_t acquired, torn;
	unsigned i, k, n;

	setup();
	n = 2 * cpu_count() + 1;
	for (i = 0; i < lock_class_count; i++) {
		class = lock_classes[i];
		if (!excludes(class))
			continue;
		c = support_alloc(1, sizeof(*c));
		lock_make(&c->c_lock, class, NULL);
		c->c_shared = true;
		members = crowd_run(c, n);
		acquired = torn = 0;
		for (k = 0; k < n; k++) {
			acquired += members[k].m_acquired;
			torn += members[k].m_torn;
		}
		ATF_CHECK_MSG(torn == 0, "%s: saw %" PRIu64 " half changes",
		    class->lc_name, torn);
		ATF_CHECK_MSG(c->c_left == acquired && c->c_right == acquired,
		    "%s: %" PRIu64 " acquisitions made %" PRIu64 " and %"
		    PRIu64, class->lc_name, acquired, c->c_left, c->c_right);
		lock_fini(&c->c_lock);
		free(members);
		free(c);
	}
}

ATF_TC(lock_acquire__progress);
ATF_TC_HEAD(lock_acquire__progress, tc)
{

	atf_tc_set_md_var(tc, "descr", "Four threads a CPU all come to their "
	    "end: no wake-up is lost and an owner off its CPU is survived");
	/* A lost wake-up shows as a thread that never comes to its end. */
	atf_tc_set_md_var(tc, "timeout", "120");
}
ATF_TC_BODY(lock_acquire__progress, tc)
{
	const struct lock_class *class;
	struct member *members;
	struct crowd *c;
	unsigned i, k, n;

	setup();
	n = 4 * cpu_count();
	for (i = 0; i < lock_class_count; i++) {
		class = lock_classes[i];
		c = support_alloc(1, sizeof(*c));
		lock_make(&c->c_lock, class, NULL);
		members = crowd_run(c, n);
		for (k = 0; k < n; k++)
			ATF_CHECK_MSG(members[k].m_acquired >=
			    ACQUISITIONS / 4 * 3, "%s: thread %u acquired %"
			    PRIu64 " times", class->lc_name, k,
			    members[k].m_acquired);
		ATF_CHECK_MSG(!excludes(class) || !lock_owned(&c->c_lock),
		    "%s: still owned", class->lc_name);
		lock_fini(&c->c_lock);
		free(members);
		free(c);
	}
}

ATF_TC(lock_owned__by_caller);
ATF_TC_HEAD(lock_owned__by_caller, tc)
{

	atf_tc_set_md_var(tc, "descr", "The owner owns the lock from "
	    "acquisition to release, however it acquired it");
}
ATF_TC_BODY(lock_owned__by_caller, tc)
{
	const struct lock_class *class;
	struct lock_node node;
	struct lock l;
	unsigned i, round;

	setup();
	for (i = 0; i < lock_class_count; i++) {
		class = lock_classes[i];
		lock_make(&l, class, NULL);
		ATF_CHECK_MSG(l.lo_class == class, "%s", class->lc_name);
		for (round = 0; round < 3; round++) {
			/* An unowned null lock is still anybody's. */
			ATF_CHECK_MSG(lock_owned(&l) != excludes(class),
			    "%s: owned before", class->lc_name);
			lock_acquire(&l, &node, 0);
			ATF_CHECK_MSG(lock_owned(&l), "%s: not owned",
			    class->lc_name);
			lock_release(&l, &node);
			ATF_CHECK_MSG(lock_owned(&l) != excludes(class),
			    "%s: owned after", class->lc_name);
			if (!tries(class))
				continue;
			ATF_CHECK_MSG(lock_tryacquire(&l, &node, 0),
			    "%s: cannot acquire a free lock", class->lc_name);
			ATF_CHECK_MSG(lock_owned(&l), "%s: not owned",
			    class->lc_name);
			lock_release(&l, &node);
		}
		lock_fini(&l);
	}
}

/* A message that one thread leaves for the other in plain memory. */
struct mail {
	struct lock	 m_lock;
	struct mthread	 m_other;
	unsigned	 m_turn;	/* m_lock; whose, by its low bit */
	uint64_t	 m_payload[PAYLOAD_WORDS];	/* m_lock */
	uint64_t	 m_wrong;	/* the other's; read when it ended */
};

/* Takes turns: reads what the last turn wrote and writes its own. */
static uint64_t
exchange(struct mail *m, unsigned who)
{
	struct lock_node node;
	uint64_t wrong = 0;
	unsigned i, turn;

	do {
		lock_acquire(&m->m_lock, &node, 0);
		turn = m->m_turn;
		if (turn % 2 == who && turn < ROUNDS) {
			for (i = 0; i < PAYLOAD_WORDS; i++) {
				wrong += m->m_payload[i] != turn;
				m->m_payload[i] = turn + 1;
			}
			m->m_turn = turn + 1;
		}
		lock_release(&m->m_lock, &node);
		machine_yield();
	} while (turn < ROUNDS);
	return (wrong);
}

static void
exchange_other(void *arg)
{
	struct mail *m = arg;

	machine_curthread()->mt_index = 1;
	m->m_wrong = exchange(m, 1);
}

ATF_TC(lock_release__publishes_writes);
ATF_TC_HEAD(lock_release__publishes_writes, tc)
{

	atf_tc_set_md_var(tc, "descr", "What was written before a release is "
	    "seen whole after the next acquisition");
}
ATF_TC_BODY(lock_release__publishes_writes, tc)
{
	const struct lock_class *class;
	struct mail *m;
	uint64_t wrong;
	unsigned i;

	setup();
	for (i = 0; i < lock_class_count; i++) {
		class = lock_classes[i];
		if (!excludes(class))
			continue;
		m = support_alloc(1, sizeof(*m));
		lock_make(&m->m_lock, class, NULL);
		support_spawn(&m->m_other, "mail", MACHINE_CPU_ANY,
		    exchange_other, m);
		wrong = exchange(m, 0);
		machine_join(&m->m_other);
		ATF_CHECK_MSG(wrong + m->m_wrong == 0, "%s: %" PRIu64
		    " stale words", class->lc_name, wrong + m->m_wrong);
		lock_fini(&m->m_lock);
		free(m);
	}
}

/* Relations between a row's figures that hold for every kind. */
static void
check_row(const struct lock_class *class, const struct lockprof_row *r)
{

	ATF_CHECK_MSG(r->lr_hold_cycles > 0 && r->lr_hold_max_cycles > 0 &&
	    r->lr_hold_max_cycles <= r->lr_hold_cycles,
	    "%s: hold max %" PRIu64 ", total %" PRIu64, class->lc_name,
	    r->lr_hold_max_cycles, r->lr_hold_cycles);
	ATF_CHECK_MSG(r->lr_contended <= r->lr_count, "%s: %" PRIu64 " of %"
	    PRIu64 " had to wait", class->lc_name, r->lr_contended,
	    r->lr_count);
	ATF_CHECK_MSG(r->lr_wait_max_cycles <= r->lr_spin_cycles +
	    r->lr_block_cycles, "%s: wait max %" PRIu64 ", total %" PRIu64,
	    class->lc_name, r->lr_wait_max_cycles, r->lr_spin_cycles +
	    r->lr_block_cycles);
	ATF_CHECK_MSG(r->lr_contended > 0 || r->lr_spin_cycles +
	    r->lr_block_cycles == 0, "%s: waited without contention",
	    class->lc_name);
	ATF_CHECK_MSG((class->lc_flags & LC_SLEEPS) != 0 ||
	    r->lr_block_cycles == 0, "%s never sleeps, blocked for %" PRIu64,
	    class->lc_name, r->lr_block_cycles);
}

ATF_TC(lock__profile_counts_exactly);
ATF_TC_HEAD(lock__profile_counts_exactly, tc)
{

	atf_tc_set_md_var(tc, "descr", "Each thread's row at its site has its "
	    "acquisitions, tried ones included, and no others");
}
ATF_TC_BODY(lock__profile_counts_exactly, tc)
{
	const struct lock_class *class;
	struct lockprof_row r;
	struct member *members;
	struct lockprof prof;
	struct crowd *c;
	unsigned i, k, n;

	setup();
	n = cpu_count() + 2;
	for (i = 0; i < lock_class_count; i++) {
		class = lock_classes[i];
		ATF_REQUIRE_EQ(0, lockprof_init(&prof, n, SITES, site_names));
		c = support_alloc(1, sizeof(*c));
		lock_make(&c->c_lock, class, &prof);
		lockprof_open(&prof, i + 1);
		members = crowd_run(c, n);
		lockprof_close(&prof);
		for (k = 0; k < n; k++) {
			lockprof_sum(&prof, i + 1, k % SITES, k, k, &r);
			ATF_CHECK_MSG(r.lr_count == members[k].m_acquired,
			    "%s: thread %u acquired %" PRIu64 " times, its row "
			    "says %" PRIu64, class->lc_name, k,
			    members[k].m_acquired, r.lr_count);
			check_row(class, &r);
			ATF_CHECK_MSG(excludes(class) || r.lr_contended == 0,
			    "%s: contended", class->lc_name);
			lockprof_sum(&prof, i + 1, (k + 1) % SITES, k, k, &r);
			ATF_CHECK_MSG(r.lr_count == 0,
			    "%s: thread %u counted at the other site",
			    class->lc_name, k);
		}
		lock_fini(&c->c_lock);
		lockprof_fini(&prof);
		free(members);
		free(c);
	}
}

/* One acquisition that probably has to wait; the other's row, summed. */
static struct lockprof_row
contend(const struct lock_class *class)
{
	struct lock_node node;
	struct lockprof_row r;
	struct lockprof prof;
	struct meeting *m;

	ATF_REQUIRE_EQ(0, lockprof_init(&prof, 2, SITES, site_names));
	m = support_alloc(1, sizeof(*m));
	lock_make(&m->m_lock, class, &prof);
	lockprof_open(&prof, 1);
	support_spawn(&m->m_other, "contend", MACHINE_CPU_ANY, enter_once, m);
	lock_acquire(&m->m_lock, &node, 1);
	atomic_store_rel_32(&m->m_go, 1);
	await_waiting(&m->m_other, &m->m_about);
	lock_release(&m->m_lock, &node);
	machine_join(&m->m_other);
	lockprof_sum(&prof, 1, 1, 0, 0, &r);
	ATF_CHECK_MSG(r.lr_count == 1 && r.lr_contended == 0,
	    "%s: the first to come has count %" PRIu64 ", contended %" PRIu64,
	    class->lc_name, r.lr_count, r.lr_contended);
	lockprof_sum(&prof, 1, 0, 1, 1, &r);
	ATF_CHECK_MSG(r.lr_count == 1, "%s: count %" PRIu64, class->lc_name,
	    r.lr_count);
	lock_fini(&m->m_lock);
	lockprof_fini(&prof);
	free(m);
	return (r);
}

ATF_TC(lock__profile_sees_contention);
ATF_TC_HEAD(lock__profile_sees_contention, tc)
{

	atf_tc_set_md_var(tc, "descr", "An acquisition that had to wait is "
	    "counted as such, with its wait");
}
ATF_TC_BODY(lock__profile_sees_contention, tc)
{
	const struct lock_class *class;
	struct lockprof_row r;
	unsigned i, try;

	setup();
	for (i = 0; i < lock_class_count; i++) {
		class = lock_classes[i];
		/* The other may lose its CPU just before it acquires. */
		for (try = 0; try < TRIES; try++) {
			r = contend(class);
			check_row(class, &r);
			if (r.lr_contended != 0 || !excludes(class))
				break;
		}
		if (!excludes(class)) {
			ATF_CHECK_MSG(r.lr_contended == 0, "%s: contended",
			    class->lc_name);
			continue;
		}
		ATF_CHECK_MSG(r.lr_contended == 1,
		    "%s: no contention in %d meetings", class->lc_name, TRIES);
		ATF_CHECK_MSG(r.lr_wait_max_cycles > 0 &&
		    r.lr_wait_max_cycles == r.lr_spin_cycles +
		    r.lr_block_cycles, "%s: one wait, max %" PRIu64
		    ", total %" PRIu64, class->lc_name, r.lr_wait_max_cycles,
		    r.lr_spin_cycles + r.lr_block_cycles);
	}
}

/* A queue of waiters, each knowing when it got in. */
struct queue {
	struct lock	 q_lock;
	struct m32	 q_served;
};

struct waiter {
	struct mthread	 w_thread;
	struct queue	*w_queue;
	struct m32	 w_about;
	uint32_t	 w_rank;
	unsigned	 w_index;
};

static void
waiter_run(void *arg)
{
	struct waiter *w = arg;
	struct lock_node node;

	machine_curthread()->mt_index = w->w_index;
	atomic_store_rel_32(&w->w_about, 1);
	lock_acquire(&w->w_queue->q_lock, &node, 0);
	w->w_rank = atomic_fetchadd_32(&w->w_queue->q_served, 1);
	lock_release(&w->w_queue->q_lock, &node);
}

/*
 * Lines up waiters one after the other and lets go.  False when it is not
 * certain that they queued in that order; *ordered says whether they were
 * served so.
 */
static bool
line_up(const struct lock_class *class, bool *ordered)
{
	struct lock_node node;
	struct waiter *waiters;
	struct queue *q;
	unsigned i, up;
	bool certain = true;

	q = support_alloc(1, sizeof(*q));
	waiters = support_alloc(FIFO_WAITERS, sizeof(*waiters));
	lock_make(&q->q_lock, class, NULL);
	lock_acquire(&q->q_lock, &node, 0);
	for (up = 0; up < FIFO_WAITERS && certain; up++) {
		waiters[up].w_queue = q;
		waiters[up].w_index = up + 1;
		support_spawn(&waiters[up].w_thread, "waiter", MACHINE_CPU_ANY,
		    waiter_run, &waiters[up]);
		certain = await_waiting(&waiters[up].w_thread,
		    &waiters[up].w_about);
	}
	lock_release(&q->q_lock, &node);
	*ordered = true;
	for (i = 0; i < up; i++) {
		machine_join(&waiters[i].w_thread);
		*ordered = *ordered && waiters[i].w_rank == i;
	}
	lock_fini(&q->q_lock);
	free(waiters);
	free(q);
	return (certain);
}

ATF_TC(lock_acquire__fifo);
ATF_TC_HEAD(lock_acquire__fifo, tc)
{

	atf_tc_set_md_var(tc, "descr", "A kind that claims to grant in order "
	    "of arrival does so");
}
ATF_TC_BODY(lock_acquire__fifo, tc)
{
	const struct lock_class *class;
	unsigned claimed = 0, i, round, sure;
	bool ordered;

	setup();
	for (i = 0; i < lock_class_count; i++) {
		class = lock_classes[i];
		if ((class->lc_flags & LC_FIFO) == 0)
			continue;
		claimed++;
		sure = 0;
		for (round = 0; round < TRIES && sure < 5; round++) {
			if (!line_up(class, &ordered))
				continue;
			sure++;
			ATF_CHECK_MSG(ordered, "%s: out of order",
			    class->lc_name);
		}
		ATF_CHECK_MSG(sure > 0, "%s: no waiter was seen to wait",
		    class->lc_name);
	}
	if (claimed == 0)
		atf_tc_skip("no kind claims to be FIFO");
}

static void
init_without_delay(void *arg)
{
	struct lock_config config = { .delay_base = 0, .delay_max = 1,
	    .threads = 1 };
	struct lock l;

	(void)arg;
	lock_init(&l, lock_classes[0], "test lock", &config, NULL);
}

static void
init_with_delays_crossed(void *arg)
{
	struct lock_config config = { .delay_base = 2, .delay_max = 1,
	    .threads = 1 };
	struct lock l;

	(void)arg;
	lock_init(&l, lock_classes[0], "test lock", &config, NULL);
}

ATF_TC(lock_init__bad_delays);
ATF_TC_HEAD(lock_init__bad_delays, tc)
{

	atf_tc_set_md_var(tc, "descr", "Delays of nothing, or of less at most "
	    "than at first, never reach a waiter");
}
ATF_TC_BODY(lock_init__bad_delays, tc)
{

	ATF_CHECK(support_asserts(init_without_delay, NULL));
	ATF_CHECK(support_asserts(init_with_delays_crossed, NULL));
}

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, lock_class__describes_itself);
	ATF_TP_ADD_TC(tp, lock_tryacquire__by_another);
	ATF_TP_ADD_TC(tp, lock_acquire__keeps_out);
	ATF_TP_ADD_TC(tp, lock_acquire__read_modify_write);
	ATF_TP_ADD_TC(tp, lock_acquire__progress);
	ATF_TP_ADD_TC(tp, lock_owned__by_caller);
	ATF_TP_ADD_TC(tp, lock_release__publishes_writes);
	ATF_TP_ADD_TC(tp, lock__profile_counts_exactly);
	ATF_TP_ADD_TC(tp, lock__profile_sees_contention);
	ATF_TP_ADD_TC(tp, lock_acquire__fifo);
	ATF_TP_ADD_TC(tp, lock_init__bad_delays);
	return (atf_no_error());
}
