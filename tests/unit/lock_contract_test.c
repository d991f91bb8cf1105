/*
 * What lib/lock/lock.h promises, asked of every kind in lock_classes: a new
 * kind is tested by being in the table.
 *
 * The null kind promises no exclusion, and the tests must find that it keeps no
 * other promise by accident: where others exclude, it is shown not to.
 *
 * Compiled for the real and for the virtual flavour.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "tests/unit/lock_checks.h"
#include "tests/unit/test.h"

enum {
	ACQUISITIONS	= 1000,		/* of each thread */
	ACQUISITIONS_SLOW = 12,
	ROUNDS		= 500,		/* of two threads in turn */
	PAYLOAD_WORDS	= 32,
	FIFO_WAITERS	= 4,
	FIFO_ROUNDS	= 2,
	WRAP_SLOTS	= 4,
	POLLS_FEW	= 16,
	POLLS_MANY	= 1 << 14,
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

/* A case on the machine for each kind, and the default configuration. */
#define	LOCK_TEST(name, text)						\
static void	name##_kind(const struct lock_class *,			\
    struct lock_config);						\
									\
MACHINE_TEST(name, text)						\
{									\
	unsigned kind;							\
									\
	setup();							\
	for (kind = 0; kind < lock_class_count; kind++)			\
		name##_kind(lock_classes[kind], config_default());	\
}									\
									\
static void								\
name##_kind(const struct lock_class *class,				\
    struct lock_config config __attribute__((unused)))

TEST(lock_class__describes_itself, "Names are there and unique, every kind "
    "is found by its own, and all but the null kind exclude")
{
	const struct lock_class *class;
	unsigned flags = 0, knobs = 0, null = 0;

	ATF_REQUIRE(lock_class_count >= 2);
	for (unsigned i = 0; i < lock_class_count; i++) {
		class = lock_classes[i];
		flags |= class->lc_flags;
		knobs |= class->lc_knobs;
		ATF_CHECK_MSG(strlen(class->lc_name) > 0 &&
		    strlen(class->lc_descr) > 0 && strlen(class->lc_type) > 0,
		    "kind %u", i);
		/* "rngsim list locks" has so many columns for it. */
		ATF_CHECK_MSG(strlen(class->lc_name) <= 12 &&
		    strlen(class->lc_descr) <= 48, "%s: %zu characters",
		    class->lc_name, strlen(class->lc_descr));
		/* A sweep takes lists of names. */
		ATF_CHECK_MSG(strpbrk(class->lc_name, ", \t\n=") == NULL,
		    "%s", class->lc_name);
		ATF_CHECK_EQ_MSG(class, lock_class_find(class->lc_name), "%s",
		    class->lc_name);
		for (unsigned k = 0; k < i; k++)
			ATF_CHECK_MSG(strcmp(lock_classes[k]->lc_name,
			    class->lc_name) != 0, "%s is there twice",
			    class->lc_name);
		/* Counts, which say so, and the null kind. */
		if (!excludes(class) && strcmp(class->lc_type, "counter") != 0)
			null += strcmp(class->lc_name, "none") == 0 ? 1 : 2;
		ATF_CHECK_EQ_MSG(!excludes(class),
		    strncmp(class->lc_descr, "no exclusion", 12) == 0, "%s",
		    class->lc_descr);
		ATF_CHECK_MSG((class->lc_flags & (LC_SLEEPS | LC_SPIN)) !=
		    (LC_SLEEPS | LC_SPIN),
		    "%s sleeps and is usable where sleeping is not",
		    class->lc_name);
	}
	ATF_CHECK_EQ(1, null);
	/* Some kind is asked each question below. */
	ATF_CHECK((flags & LC_FIFO) != 0 && (knobs & LK_PASS_LIMIT) != 0);
	ATF_CHECK_EQ(NULL, lock_class_find(""));
	ATF_CHECK_EQ(NULL, lock_class_find("no such lock"));
}

LOCK_TEST(lock_tryacquire__by_another, "Trying fails while another holds "
    "the lock, except for the null kind, and succeeds when none does")
{
	if (!tries(class))
		return;
	ATF_CHECK_MSG(other_can_try(class, &config, false),
	    "%s: cannot acquire a free lock", class->lc_name);
	ATF_CHECK_MSG(other_can_try(class, &config, true) !=
	    excludes(class),
	    "%s: %s while another was inside", class->lc_name,
	    excludes(class) ? "acquired" : "did not acquire");
}

LOCK_TEST(lock_acquire__keeps_out, "A second thread gets in only after the "
    "first has left; the null kind fails this, so it can be failed")
{
	ATF_CHECK_MSG(keeps_out(class, &config) == excludes(class),
	    "%s: %s", class->lc_name, excludes(class) ?
	    "two threads were inside" : "claims not to exclude, does");
}

/*
 * Of each thread of a crowd.  Spinners that never yield may take a time slice
 * for each, as the scheduler alone lets the owner on.
 */
static unsigned
acquisitions_of(const struct lock_class *class)
{
	return (excludes(class) && (class->lc_flags & LC_SPIN) != 0 &&
	    (class->lc_knobs & LK_SPIN_POLLS) == 0 ? ACQUISITIONS_SLOW :
	    ACQUISITIONS);
}

/* The lock that n threads use, config's or with a change. */
static struct crowd *
crowd_make(const struct lock_class *class, struct lock_config config,
    unsigned n, struct lockprof *prof)
{
	struct crowd *c;

	config.threads = n;
	c = support_alloc(1, sizeof(*c));
	lock_make(&c->c_lock, class, &config, prof);
	return (c);
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
	ATF_CHECK_MSG((class->lc_flags & LC_SLEEPS) == 0 ||
	    class->lc_knobs != 0 || r->lr_spin_cycles == 0,
	    "%s sleeps at once, spun for %" PRIu64, class->lc_name,
	    r->lr_spin_cycles);
}

/* A thread's row at its site has its acquisitions, and no others. */
static void
check_rows(const struct lock_class *class, const struct lockprof *prof,
    const struct member *members, unsigned n)
{
	uint64_t contended = 0;
	struct lockprof_row r;

	for (unsigned k = 0; k < n; k++) {
		lockprof_sum(prof, k % SITES, k, k, &r);
		ATF_CHECK_MSG(r.lr_count == members[k].m_acquired,
		    "%s: thread %u acquired %" PRIu64 " times, its row says %"
		    PRIu64, class->lc_name, k, members[k].m_acquired,
		    r.lr_count);
		check_row(class, &r);
		contended += r.lr_contended;
		lockprof_sum(prof, (k + 1) % SITES, k, k, &r);
		ATF_CHECK_MSG(r.lr_count == 0, "%s: thread %u counted at the "
		    "other site", class->lc_name, k);
	}
	/* Owners lose their CPU on purpose; else nothing was tested. */
	ATF_CHECK_MSG((contended > 0) == excludes(class), "%s: %" PRIu64
	    " acquisitions waited", class->lc_name, contended);
}

/* A pair of numbers is kept whole, and no change is lost. */
static void
check_shared(const struct lock_class *class, const struct lock_config *config,
    unsigned n)
{
	uint64_t acquired = 0, torn = 0;
	struct member *members;
	struct lockprof prof;
	struct crowd *c;

	lockprof_init(&prof, n, SITES, site_names);
	c = crowd_make(class, *config, n, &prof);
	c->c_shared = excludes(class);
	lockprof_open(&prof, true);
	members = crowd_run(c, n, acquisitions_of(class));
	lockprof_open(&prof, false);
	check_rows(class, &prof, members, n);
	for (unsigned i = 0; i < n; i++) {
		acquired += members[i].m_acquired;
		torn += members[i].m_torn;
	}
	ATF_CHECK_MSG(torn == 0, "%s, %u nodes: saw %" PRIu64 " half changes",
	    class->lc_name, config->nodes, torn);
	ATF_CHECK_MSG(!c->c_shared || (c->c_left == acquired &&
	    c->c_right == acquired), "%s, %u nodes: %" PRIu64 " acquisitions "
	    "made %" PRIu64 " and %" PRIu64, class->lc_name, config->nodes,
	    acquired, c->c_left, c->c_right);
	ATF_CHECK_MSG(lock_owned(&c->c_lock) != excludes(class),
	    "%s: still owned", class->lc_name);
	lock_fini(&c->c_lock);
	lockprof_fini(&prof);
	free(members);
	free(c);
}

LOCK_TEST(lock_acquire__by_crowd, "More threads than CPUs change a pair of "
    "plain numbers under the lock, and the profile counts each exactly")
{
	const unsigned n = 2 * support_cpus() + 1;

	config.spin_polls = POLLS_FEW;
	/* Waiters look often, so that they meet. */
	config.delay_max = 1;
	check_shared(class, &config, n);
	if ((class->lc_knobs & LK_NODES) == 0)
		return;
	config.pass_limit = 2;
	for (config.nodes = 1; config.nodes <= 3; config.nodes++)
		check_shared(class, &config, n);
}

/* All n threads come to their end, after that many acquisitions. */
static void
check_progress(const struct lock_class *class, const struct lock_config *config,
    unsigned n, unsigned acquisitions)
{
	struct member *members;
	struct crowd *c;

	c = crowd_make(class, *config, n, NULL);
	members = crowd_run(c, n, acquisitions);
	for (unsigned i = 0; i < n; i++)
		ATF_CHECK_MSG(members[i].m_acquired >= acquisitions / 4 * 3,
		    "%s, %u polls: thread %u acquired %" PRIu64 " times",
		    class->lc_name, config->spin_polls, i,
		    members[i].m_acquired);
	ATF_CHECK_MSG(!excludes(class) || !lock_owned(&c->c_lock),
	    "%s: still owned", class->lc_name);
	lock_fini(&c->c_lock);
	free(members);
	free(c);
}

LOCK_TEST(lock_acquire__progress, "Four threads a CPU and one all come to "
    "their end: no wake-up is lost, an owner off its CPU is survived")
{
	const unsigned n = 4 * support_cpus() + 1;

	config.nodes = 2;
	config.spin_polls = POLLS_FEW;
	check_progress(class, &config, n, acquisitions_of(class) / 4);
	if ((class->lc_knobs & LK_SPIN_POLLS) == 0)
		return;
	config.spin_polls = POLLS_MANY;
	check_progress(class, &config, n, ACQUISITIONS_SLOW);
}

LOCK_TEST(lock_acquire__never_yields, "As many threads as CPUs, none of "
    "which ever gives its CPU up, all come to their end")
{
	config.spin_polls = 0;
	check_progress(class, &config, support_cpus(), ACQUISITIONS_SLOW);
}

LOCK_TEST(lock_init__exactly_one_thread, "A lock for one thread is acquired "
    "and released more often than it can have nodes or slots")
{
	check_progress(class, &config, 1, ACQUISITIONS);
}

/* n waiters get in one at a time, in order of arrival if the kind is FIFO. */
static void
check_line(const struct lock_class *class, const struct lock_config *config,
    void (*prepare)(struct lock *), unsigned n)
{
	static const unsigned index[FIFO_WAITERS] = { 3, 1, 2, 4 };
	uint32_t rank[FIFO_WAITERS];
	bool alone, certain;

	certain = line_up(class, config, prepare, 1, n, index, rank, &alone);
	ATF_CHECK_MSG(alone == excludes(class), "%s: %s inside",
	    class->lc_name, alone ? "only one" : "several");
	if ((class->lc_flags & LC_FIFO) == 0)
		return;
	ATF_CHECK_MSG(certain, "%s: a waiter did not wait", class->lc_name);
	for (unsigned k = 0; k < n; k++)
		ATF_CHECK_MSG(rank[k] == k, "%s: waiter %u was served as "
		    "number %u", class->lc_name, k, rank[k]);
}

LOCK_TEST(lock_acquire__in_line, "Waiters that queue up get in one at a "
    "time, and in order of arrival where the kind claims that")
{
	for (unsigned round = 0; round < FIFO_ROUNDS; round++)
		check_line(class, &config, NULL, FIFO_WAITERS);
}

/* Kinds that count, and how many counters lo_state begins with. */
static const struct {
	const char	*name;
	unsigned	 counters;
} counting[] = {
	{ "ticket", 2 }, { "ticket-pb", 2 }, { "anderson", 1 }, { "cohort", 2 },
};

/*
 * Puts an unowned lock where it will be after 2^32 - 1 acquisitions.
 * Anderson's lines are a slot for each of WRAP_SLOTS threads.
 */
static void
about_to_wrap(struct lock *l)
{
	unsigned char *line = l->lo_lines;
	uint32_t ticket;

	for (uint32_t i = 0; i < nitems(counting); i++)
		if (strcmp(counting[i].name, l->lo_class->lc_name) == 0)
			memset(l->lo_state, 0xff,
			    counting[i].counters * sizeof(uint32_t));
	if (strcmp(l->lo_class->lc_name, "anderson") != 0)
		return;
	for (uint32_t i = 0; i < WRAP_SLOTS; i++) {
		ticket = i - WRAP_SLOTS;
		memcpy(line, &ticket, sizeof(ticket));
		line += MACHINE_CACHE_LINE;
	}
}

MACHINE_TEST(lock_acquire__counters_wrap, "Tickets go on from 2^32 - 1 to 0")
{
	struct lock_config config;

	setup();
	config = config_default();
	config.threads = WRAP_SLOTS;
	for (unsigned i = 0; i < nitems(counting); i++)
		check_line(lock_class_find(counting[i].name), &config,
		    about_to_wrap, WRAP_SLOTS - 1);
}

LOCK_TEST(lock_owned__by_caller, "The owner owns the lock from acquisition "
    "to release, however it acquired it and whatever was in memory before; a "
    "lock that has ended is zeros")
{
	struct lock_node node;
	struct lock l;

	memset(&l, 0xa5, sizeof(l));
	memset(&node, 0x5a, sizeof(node));
	lock_make(&l, class, &config, NULL);
	ATF_CHECK_MSG(l.lo_class == class && l.lo_name != NULL &&
	    l.lo_prof == NULL && l.lo_config.delay_max == config.delay_max &&
	    atomic_load_64(&l.lo_owner.lpo_acquisitions) == 0 &&
	    atomic_load_32(&l.lo_owner.lpo_site) == LOCKPROF_NO_SITE, "%s",
	    class->lc_name);
	for (unsigned round = 0; round < 3; round++) {
		/* An unowned null lock is still anybody's. */
		ATF_CHECK_MSG(lock_owned(&l) != excludes(class),
		    "%s: owned before", class->lc_name);
		lock_acquire(&l, &node, 0);
		ATF_CHECK_MSG(lock_owned(&l), "%s: not owned",
		    class->lc_name);
		ATF_CHECK_MSG(strcmp(class->lc_type, "counter") != 0 ||
		    atomic_load_32((struct m32 *)(void *)l.lo_state) == 1,
		    "%s: not one inside", class->lc_name);
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
	for (unsigned round = 0; round < 2; round++) {
		lock_fini(&l);
		ATF_CHECK_MSG(support_all((const uint8_t *)&l, sizeof(l), 0),
		    "%s", class->lc_name);
	}
}

#ifndef MACHINE_VIRTUAL
/* The lines of a lock are where the next block is filled, and stays so. */
static void
check_lines(const struct lock_class *class, const struct lock_config *config)
{
	enum { BLOCKS = 64 };
	const volatile uint64_t *allocated = support_allocated();
	uint8_t *block[BLOCKS], *next = NULL;
	const uint64_t before = *allocated;
	struct lock_node node;
	struct lock l;
	size_t size;

	lock_make(&l, class, config, NULL);
	size = *allocated - before;
	lock_fini(&l);
	ATF_CHECK_MSG(size >= config->threads * class->lc_thread_bytes &&
	    size >= config->nodes * class->lc_node_bytes, "%s: %zu bytes for "
	    "%u threads", class->lc_name, size, config->threads);
	if (size == 0)
		return;
	for (unsigned i = 0; i < BLOCKS; i++) {
		block[i] = xaligned(MACHINE_CACHE_LINE, size);
		memset(block[i], 0xa5, size);
	}
	for (unsigned i = 0; i < BLOCKS * BLOCKS && next == NULL; i++)
		if (block[i / BLOCKS] + size == block[i % BLOCKS]) {
			next = block[i % BLOCKS];
			free(block[i / BLOCKS]);
			block[i / BLOCKS] = NULL;
		}
	lock_make(&l, class, config, NULL);
	for (unsigned i = 0; i < 3 * config->threads; i++) {
		self.mt_index = i % config->threads;
		lock_acquire(&l, &node, 0);
		lock_release(&l, &node);
	}
	self.mt_index = 0;
	lock_fini(&l);
	ATF_CHECK_MSG(next == NULL || support_all(next, size, 0xa5),
	    "%s: wrote beyond the lines for %u threads", class->lc_name,
	    config->threads);
	for (unsigned i = 0; i < BLOCKS; i++)
		free(block[i]);
}

LOCK_TEST(lock_init__lines, "What a kind keeps for each of 1 to 9 threads and "
    "nodes has memory of its own")
{
	for (unsigned n = 1; n < 10; n++) {
		config.threads = config.nodes = n;
		check_lines(class, &config);
	}
}

/* What a waiter sees of the CPU of a thread. */
static bool
seen_running(struct mthread *td)
{
	return (atomic_load_ptr(machine_slot(td)) == (uintptr_t)td);
}

static void
enter_after_sleep(void *arg)
{
	struct meeting *m = arg;
	struct lock_node node;

	machine_curthread()->mt_index = 1;
	lock_acquire(&m->m_lock, &node, 0);
	m->m_alone = seen_running(machine_curthread());
	lock_release(&m->m_lock, &node);
}

LOCK_TEST(lock_acquire__seen_running, "Where waiters look whether the owner "
    "runs, it is seen to, whether it found the lock free or slept before")
{
	struct lock_node node;
	struct meeting *m;

	if ((class->lc_flags & LC_SLEEPS) == 0 || class->lc_knobs == 0)
		return;
	m = support_alloc(1, sizeof(*m));
	lock_make(&m->m_lock, class, &config, NULL);
	atomic_store_ptr(machine_slot(&self), 0);
	lock_acquire(&m->m_lock, &node, 0);
	ATF_CHECK_MSG(seen_running(&self), "%s: found free", class->lc_name);
	/* As if another thread ran here. */
	atomic_store_ptr(machine_slot(&self), 0);
	support_spawn(&m->m_other, "sleeper", MACHINE_CPU_ANY,
	    enter_after_sleep, m);
	support_await(&m->m_other.mt_offcpu);
	atomic_store_ptr(machine_slot(&m->m_other), 0);
	lock_release(&m->m_lock, &node);
	machine_join(&m->m_other);
	ATF_CHECK_MSG(m->m_alone, "%s: slept", class->lc_name);
	lock_fini(&m->m_lock);
	free(m);
}
#endif

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
exchange(struct mail *m, unsigned side)
{
	struct lock_node node;
	uint64_t wrong = 0;
	unsigned turn;

	do {
		lock_acquire(&m->m_lock, &node, 0);
		turn = m->m_turn;
		if (turn % 2 == side && turn < ROUNDS) {
			for (unsigned i = 0; i < PAYLOAD_WORDS; i++) {
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

LOCK_TEST(lock_release__publishes_writes, "What was written before a "
    "release is seen whole after the next acquisition")
{
	struct mail *m;
	uint64_t wrong;

	if (!excludes(class))
		return;
	m = support_alloc(1, sizeof(*m));
	lock_make(&m->m_lock, class, &config, NULL);
	support_spawn(&m->m_other, "mail", MACHINE_CPU_ANY, exchange_other, m);
	wrong = exchange(m, 0);
	machine_join(&m->m_other);
	ATF_CHECK_MSG(wrong + m->m_wrong == 0, "%s: %" PRIu64
	    " stale words", class->lc_name, wrong + m->m_wrong);
	lock_fini(&m->m_lock);
	free(m);
}

/*
 * One acquisition that probably has to wait for the test's thread, which is
 * asleep for so long in its hold; the other's row, summed.
 */
static struct lockprof_row
contend(const struct lock_class *class, const struct lock_config *config,
    int64_t sleep_ns)
{
	const uint64_t begin = machine_cycles();
	struct lock_node node;
	struct lockprof_row r;
	struct lockprof prof;
	struct meeting *m;
	uint64_t most;

	lockprof_init(&prof, 2, SITES, site_names);
	m = support_alloc(1, sizeof(*m));
	lock_make(&m->m_lock, class, config, &prof);
	lockprof_open(&prof, true);
	support_spawn(&m->m_other, "contend", MACHINE_CPU_ANY, enter_once, m);
	lock_acquire(&m->m_lock, &node, 1);
	atomic_store_rel_32(&m->m_go, 1);
	if (sleep_ns > 0)
		(void)machine_sleep(sleep_ns);
	await_waiting(class, &m->m_other, &m->m_about, &m->m_entered);
	lock_release(&m->m_lock, &node);
	machine_join(&m->m_other);
	most = machine_cycles_since(begin, machine_cycles());
	for (unsigned k = 0; k < 2; k++) {
		lockprof_sum(&prof, 1 - k, k, k, &r);
		ATF_CHECK_MSG(r.lr_count == 1 && r.lr_contended <= k,
		    "%s: thread %u has count %" PRIu64 ", contended %" PRIu64,
		    class->lc_name, k, r.lr_count, r.lr_contended);
		ATF_CHECK_MSG(r.lr_hold_cycles <= most && r.lr_wait_max_cycles
		    <= most && r.lr_spin_cycles <= most && r.lr_block_cycles <=
		    most, "%s: hold %" PRIu64 ", spin %" PRIu64 ", block %"
		    PRIu64 " of %" PRIu64, class->lc_name, r.lr_hold_cycles,
		    r.lr_spin_cycles, r.lr_block_cycles, most);
	}
	/* A wait is for the site that had the lock. */
	ATF_CHECK_MSG(r.lr_for[0].lv_count == 0 && r.lr_for[1].lv_count ==
	    r.lr_contended && r.lr_for[1].lv_cycles == r.lr_spin_cycles +
	    r.lr_block_cycles, "%s: waited %" PRIu64 " times for its own site",
	    class->lc_name, r.lr_for[0].lv_count);
	lock_fini(&m->m_lock);
	lockprof_fini(&prof);
	free(m);
	return (r);
}

LOCK_TEST(lock__profile_sees_contention, "An acquisition that had to wait "
    "is counted as such, with its wait and the site that it waited for")
{
	struct lockprof_row r;

	/* The other may lose its CPU just before it acquires. */
	for (unsigned try = 0; try < TRIES; try++) {
		r = contend(class, &config, 0);
		check_row(class, &r);
		if (r.lr_contended != 0 || !excludes(class))
			break;
	}
	if (!excludes(class)) {
		ATF_CHECK_MSG(r.lr_contended == 0, "%s: contended",
		    class->lc_name);
		return;
	}
	ATF_CHECK_MSG(r.lr_contended == 1,
	    "%s: no contention in %d meetings", class->lc_name, TRIES);
	ATF_CHECK_MSG(r.lr_wait_max_cycles > 0 &&
	    r.lr_wait_max_cycles == r.lr_spin_cycles +
	    r.lr_block_cycles, "%s: one wait, max %" PRIu64
	    ", total %" PRIu64, class->lc_name, r.lr_wait_max_cycles,
	    r.lr_spin_cycles + r.lr_block_cycles);
}

#ifdef MACHINE_VIRTUAL
LOCK_TEST(lock__profile_divides_waits, "A spinner yields after each so many "
    "polls, or never, and its yields are counted; who waits for an owner that "
    "is asleep is asleep most of the time, after a look")
{
	const int64_t sleep_ns = NS_PER_MS;
	const bool polls = (class->lc_knobs & LK_SPIN_POLLS) != 0;
	const bool sleeps = (class->lc_flags & LC_SLEEPS) != 0;
	struct lockprof_row r, often, rarely;

	if (!excludes(class))
		return;
	config.spin_polls = 0;
	r = contend(class, &config, sleep_ns);
	config.spin_polls = 1;
	often = contend(class, &config, sleep_ns);
	config.spin_polls = 10;
	rarely = contend(class, &config, sleep_ns);
	ATF_CHECK_MSG(r.lr_yields == 0 && (sleeps || (polls ?
	    often.lr_yields > rarely.lr_yields && rarely.lr_yields > 0 &&
	    often.lr_yields < sleep_ns : often.lr_yields == 0)),
	    "%s: %" PRIu64 ", %" PRIu64 " and %" PRIu64 " yields",
	    class->lc_name, r.lr_yields, often.lr_yields, rarely.lr_yields);
	ATF_CHECK_MSG((sleeps ? r.lr_block_cycles > 10 * r.lr_spin_cycles :
	    r.lr_block_cycles == 0) && (r.lr_spin_cycles > 0) ==
	    (r.lr_contended > 0 && class->lc_knobs != 0), "%s: spun for %"
	    PRIu64 ", blocked for %" PRIu64, class->lc_name,
	    r.lr_spin_cycles, r.lr_block_cycles);
}
#endif

/*
 * Behind the test's thread, of node 0, wait one thread of each other node and
 * then six of node 0.  While the first ones wait, limit of the six get in; then
 * it is the other nodes' turn, in order.  Where the head of a queue looks for
 * its node's, three more of node 0 are ahead of all: one that waits for the
 * word, a head that saw no queue, and one that sees it.  What a lock keeps of a
 * round is not of the next one.
 */
static void
check_passes(const struct lock_class *class, unsigned nodes, unsigned limit,
    unsigned rounds)
{
	struct lock_config config = config_default();
	const unsigned ahead = (class->lc_knobs & LK_NUMA_THRESHOLD) != 0 ?
	    3 : 0;
	unsigned first, index[LINE_MAX_WAITERS], n;
	uint32_t rank[LINE_MAX_WAITERS];
	bool alone, certain;

	config.nodes = nodes;
	config.pass_limit = config.numa_threshold = limit;
	for (n = 0; n < ahead; n++)
		index[n] = (7 + n) * nodes;
	for (unsigned i = 1; i < nodes; i++)
		index[n++] = i;
	for (unsigned i = 1; i <= 6; i++)
		index[n++] = i * nodes;
	certain = line_up(class, &config, NULL, rounds, n, index, rank, &alone);
	ATF_CHECK_MSG(certain && alone, "%s, %u nodes", class->lc_name, nodes);
	first = ahead + (limit < 6 ? limit : 6);
	for (unsigned i = 0; i < nodes - 1; i++)
		ATF_CHECK_MSG(rank[ahead + i] == first + i, "%s, %u nodes, "
		    "limit %u: the waiter of node %u was served as number %u",
		    class->lc_name, nodes, limit, i + 1, rank[ahead + i]);
	for (unsigned i = ahead + nodes; i < n; i++)
		ATF_CHECK_MSG(rank[i] > rank[i - 1], "%s, %u nodes, limit %u: "
		    "node 0 is not served in order", class->lc_name, nodes,
		    limit);
}

/* Two nodes, of whose waiters two at a time get in, but one after the owner. */
static void
check_passes_again(const struct lock_class *class)
{
	static const unsigned index[] = { 1, 3, 5, 7, 2, 4, 6, 8, 10 },
	    order[] = { 1, 2, 5, 6, 0, 3, 4, 7, 8 };
	struct lock_config config = config_default();
	uint32_t rank[LINE_MAX_WAITERS];
	bool alone, certain;

	config.nodes = 2;
	config.pass_limit = 1;
	certain = line_up(class, &config, NULL, 1, nitems(index), index, rank,
	    &alone);
	ATF_CHECK_MSG(certain && alone, "%s", class->lc_name);
	for (unsigned i = 0; i < nitems(index); i++)
		ATF_CHECK_EQ_MSG(order[i], rank[i], "%s: waiter %u was served "
		    "as number %u", class->lc_name, index[i], rank[i]);
}

LOCK_TEST(lock_acquire__passes_within_node, "A kind that heeds NUMA nodes "
    "prefers its owner's, for as many hand-overs as its limit and no more")
{
	if ((class->lc_knobs & LK_LIMITS) == 0)
		return;
	check_passes(class, 1, 3, 1);
	check_passes(class, 2, 1, 1);
	check_passes(class, 2, 3, 2);
	check_passes(class, 2, 100, 1);
	check_passes(class, 3, 3, 2);
	/* On real CPUs a node's next head may come late. */
	if (MACHINE_SIMULATED && (class->lc_knobs & LK_PASS_LIMIT) != 0)
		check_passes_again(class);
}

TEST(lock_tunables__are_heeded, "Each lock tunable is heeded by some kind, "
    "but for the choice of flavour")
{
	const struct tunable *tn = lock_tunables;
	unsigned known = 0, heeded = 0;

	for (unsigned k = 0; k < lock_class_count; k++)
		heeded |= lock_classes[k]->lc_knobs;
	for (; tn->tn_name != NULL; tn++) {
		known |= tn->tn_knob;
		if (strncmp(tn->tn_name, "debug.lock.prof.", 16) == 0)
			ATF_CHECK_EQ(0, tn->tn_knob);
		else
			ATF_CHECK_MSG((heeded & tn->tn_knob) != 0, "%s",
			    tn->tn_name);
	}
	ATF_CHECK_EQ_MSG(heeded, known, "a kind heeds %#x, there are %#x",
	    heeded, known);
}

static void
init_with(void *arg)
{
	struct lock l;

	lock_init(&l, lock_classes[0], "test lock", arg, NULL);
}

TEST(lock_init__bad_config, "A lock is for 1 to LOCK_THREADS_MAX threads, and "
    "its delays are not 0 and do not cross")
{
	struct lock_config bad[] = {
		{ .delay_base = 1, .delay_max = 1, .threads = 0 },
		{ .delay_base = 1, .delay_max = 1,
		    .threads = LOCK_THREADS_MAX + 1 },
		{ .delay_base = 0, .delay_max = 1, .threads = 1 },
		{ .delay_base = 2, .delay_max = 1, .threads = 1 },
	};

	setup();
	for (unsigned i = 0; i < nitems(bad); i++)
		ATF_CHECK_MSG(support_asserts(init_with, &bad[i]), "%u", i);
}

TEST_PROGRAM()
