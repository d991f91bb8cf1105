/*
 * The controlled scheduler: every order of threads can be chosen, none twice,
 * and the same choices make the same run.
 */
#define	FLAVOUR		virtual
#define	MACHINE_VIRTUAL

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bench/timeline/timeline.h"
#include "lib/lock/lock.h"
#include "lib/vm/impl.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"
#include "tests/unit/vm_fixture.h"

enum {
	CPUS		= 8,
	ROLES_MAX	= 4,
	WORDS		= 4,
	DEPTH_MAX	= 4096,
	RUNS_MAX	= 200 * 1000,
	STEPS_MAX	= 100 * 1000,
	MS_NS		= 1000 * 1000
};

/* Threads, what they share, and what they found. */
struct play {
	void		(*p_role[ROLES_MAX])(struct play *, unsigned i);
	unsigned	 p_roles;
	struct m32	 p_word[WORDS];
	unsigned	 p_plain;	/* guarded by nothing, or by the lock */
	unsigned	 p_found[ROLES_MAX];
	int64_t		 p_time_ns[ROLES_MAX];
	const struct lock_class *p_class;	/* or NULL */
	struct lock	 p_lock;
	struct mthread	 p_td[ROLES_MAX];
	void		(*p_first)(struct play *);	/* or NULL */
};

static struct play *play;
static struct machine_outcome outcome;
static const struct vm_observer *observer;	/* or NULL */

static void
role_main(void *arg)
{
	struct play *p = arg;
	unsigned i;

	for (i = 0; machine_curthread() != &p->p_td[i]; i++)
		;
	machine_curthread()->mt_index = i;
	p->p_role[i](p, i);
}

static void
play_main(void *arg)
{
	struct lock_config config = lock_config_default(CPUS);
	struct play *p = arg;
	struct mthread self;
	char name[] = "role0";

	machine_attach(&self, "first");
	for (unsigned i = 0; i < WORDS; i++)
		atomic_init_32(&p->p_word[i], 0);
	if (p->p_class != NULL)
		lock_init(&p->p_lock, p->p_class, "L",
		    &config, NULL);
	for (unsigned i = 0; i < p->p_roles; i++) {
		name[4] = (char)('0' + i);
		support_spawn(&p->p_td[i], name, (int)i, role_main, p);
	}
	if (p->p_first != NULL)
		p->p_first(p);
	for (unsigned i = 0; i < p->p_roles; i++)
		machine_join(&p->p_td[i]);
	if (p->p_class != NULL)
		lock_fini(&p->p_lock);
	machine_detach();
}

/* A play of so many threads that all do the same. */
static void
cast(unsigned n, void (*role)(struct play *, unsigned))
{
	if (play == NULL)
		play = support_alloc(1, sizeof(*play));
	memset(play, 0, sizeof(*play));
	play->p_roles = n;
	for (unsigned i = 0; i < n; i++)
		play->p_role[i] = role;
}

/* The same, with a lock of a kind. */
static void
cast_lock(unsigned n, void (*role)(struct play *, unsigned),
    const struct lock_class *class)
{
	cast(n, role);
	play->p_class = class;
}

static int
run_with(const struct vm_control *vh, struct vm *store)
{
	struct machine_config mc = fixture_config(CPUS, 1);
	struct vm_control bounded = *vh;
	struct play fresh = *play;
	int error;

	if (bounded.vh_steps_max == 0)
		bounded.vh_steps_max = STEPS_MAX;
	mc.mc_control = &bounded;
	mc.mc_store = store;
	mc.mc_observer = observer;
	error = vm_run(&mc, play_main, play, &outcome);
	/* What it found stays, all else is as before. */
	memcpy(fresh.p_found, play->p_found, sizeof(fresh.p_found));
	memcpy(fresh.p_time_ns, play->p_time_ns, sizeof(fresh.p_time_ns));
	fresh.p_plain = play->p_plain;
	*play = fresh;
	return (error);
}

/* All orders, one behind the other: the last choice that has a next. */
struct search {
	unsigned	 s_depth;
	unsigned	 s_known;
	unsigned	 s_choice[DEPTH_MAX];
	unsigned	 s_count[DEPTH_MAX];
	enum vm_point	 s_point[DEPTH_MAX];
};

static unsigned
search_choose(void *context, const struct vm_choice *vo)
{
	struct search *s = context;

	ATF_REQUIRE(s->s_depth < DEPTH_MAX);
	ATF_REQUIRE(vo->vo_count >= 2 && vo->vo_count <= VM_CONTROLLED_MAX);
	for (unsigned i = 1; i < vo->vo_count; i++)
		ATF_REQUIRE(vo->vo_thread[i] > vo->vo_thread[i - 1]);
	ATF_REQUIRE(vo->vo_thread[0] > 0);
	ATF_REQUIRE(vo->vo_self >= -1 && vo->vo_self < (int)vo->vo_count);
	if (s->s_depth == s->s_known) {
		s->s_choice[s->s_known] = 0;
		s->s_count[s->s_known] = vo->vo_count;
		s->s_point[s->s_known++] = vo->vo_point;
	}
	ATF_REQUIRE_EQ(s->s_count[s->s_depth], vo->vo_count);
	ATF_REQUIRE_EQ(s->s_point[s->s_depth], vo->vo_point);
	return (s->s_choice[s->s_depth++]);
}

static bool
search_next(struct search *s)
{
	while (s->s_known > 0 && s->s_choice[s->s_known - 1] + 1 ==
	    s->s_count[s->s_known - 1])
		s->s_known--;
	if (s->s_known == 0)
		return (false);
	s->s_choice[s->s_known - 1]++;
	s->s_depth = 0;
	return (true);
}

/* What a search has come upon. */
struct tally {
	unsigned	 t_runs;
	unsigned	 t_stuck;
	unsigned	 t_plain[16];	/* runs by what is in p_plain */
	uint64_t	 t_hash[1024];	/* of the first ones */
};

static void
search_all(struct tally *t)
{
	static struct search s;
	struct vm_control vh = { .vh_choose = search_choose,
	    .vh_context = &s };
	int error;

	memset(&s, 0, sizeof(s));
	memset(t, 0, sizeof(*t));
	do {
		play->p_plain = 0;
		error = run_with(&vh, NULL);
		ATF_REQUIRE_MSG(error == 0 || error == EDEADLK, "%s",
		    strerror(error));
		t->t_stuck += error == EDEADLK;
		ATF_REQUIRE(play->p_plain < nitems(t->t_plain));
		t->t_plain[play->p_plain]++;
		if (t->t_runs < nitems(t->t_hash))
			t->t_hash[t->t_runs] = outcome.mo_hash;
		ATF_REQUIRE(++t->t_runs < RUNS_MAX);
	} while (search_next(&s));
}

/* All orders of n threads that do the same, or all but the first. */
static void
search_cast(struct tally *t, unsigned n, void (*role)(struct play *, unsigned),
    void (*first)(struct play *, unsigned))
{
	cast(n, role);
	if (first != NULL)
		play->p_role[0] = first;
	search_all(t);
}

static void
check_hashes_differ(const struct tally *t)
{
	for (unsigned i = 0; i < t->t_runs && i < nitems(t->t_hash); i++)
		for (unsigned k = 0; k < i; k++)
			ATF_CHECK(t->t_hash[i] != t->t_hash[k]);
}

/* Random ones, and what was chosen. */
struct dice {
	uint64_t	 d_state;
	unsigned	 d_count;
	uint8_t		 d_choice[STEPS_MAX];
	bool		 d_replay;
	bool		 d_owners_run;	/* for all that others can see */
};

static struct dice dice;

static unsigned
dice_any(struct dice *d, unsigned n)
{
	unsigned i = d->d_count;

	ATF_REQUIRE(i < STEPS_MAX);
	if (!d->d_replay)
		d->d_choice[i] = (uint8_t)(splitmix_next(&d->d_state) % n);
	d->d_count++;
	return (d->d_choice[i]);
}

static unsigned
dice_choose(void *context, const struct vm_choice *vo)
{
	return (dice_any(context, vo->vo_count));
}

static bool
dice_running(void *context)
{
	return (dice_any(context, 2) != 0);
}

static int
roll(struct vm *store)
{
	struct vm_control vh = { .vh_choose = dice_choose,
	    .vh_running = dice.d_owners_run ? NULL : dice_running,
	    .vh_context = &dice };

	dice.d_count = 0;
	return (run_with(&vh, store));
}

static int
run_dice(uint64_t seed, struct vm *store)
{
	dice.d_state = seed;
	dice.d_replay = false;
	return (roll(store));
}

static void
increment(struct play *p, unsigned i __unused)
{
	uint32_t v;

	v = atomic_load_32(&p->p_word[0]);
	atomic_store_32(&p->p_word[0], v + 1);
	p->p_plain = machine_note_load_32(&p->p_word[0]);
}

static void
increment_at_once(struct play *p, unsigned i __unused)
{
	atomic_fetchadd_32(&p->p_word[0], 1);
	p->p_plain = machine_note_load_32(&p->p_word[0]);
}

TEST(vm_controlled__lost_update, "two increments: each order once, and those "
    "that lose one")
{
	struct tally t;

	/*
	 * Three parts each, up to the load, up to the store, and the rest: 6
	 * over 3 orders.  None is lost if one's parts but the first come after
	 * all of the other's: the first has 4 places.
	 */
	search_cast(&t, 2, increment, NULL);
	ATF_CHECK_EQ(20, t.t_runs);
	ATF_CHECK_EQ(8, t.t_plain[2]);
	ATF_CHECK_EQ(12, t.t_plain[1]);
	ATF_CHECK_EQ(0, t.t_stuck);
	check_hashes_differ(&t);
	/* Three threads of two parts: 6! / 2!^3. */
	search_cast(&t, 3, increment_at_once, NULL);
	ATF_CHECK_EQ(90, t.t_runs);
	ATF_CHECK_EQ(90, t.t_plain[3]);
	check_hashes_differ(&t);
}

/* Threads of a kernel that are held so increment their CPU's word. */
static unsigned held[ROLES_MAX], kernel_cpus;

static void
increment_held(struct play *p, unsigned i)
{
	unsigned cpu;
	uint32_t v;

	if (held[i] != 0)
		ATF_CHECK(vm_hold(kernel_cpus, held[i], VM_CPU_ANY));
	cpu = vm_kernel_cpu(kernel_cpus);
	v = atomic_load_32(&p->p_word[cpu]);
	ATF_CHECK(held[i] == 0 || cpu == vm_kernel_cpu(kernel_cpus));
	atomic_store_32(&p->p_word[cpu], v + 1);
	if (held[i] != 0)
		ATF_CHECK(vm_hold(kernel_cpus, 0, VM_CPU_ANY));
	p->p_plain = 0;
	for (unsigned k = 0; k < kernel_cpus; k++)
		p->p_plain += machine_note_load_32(&p->p_word[k]);
}

TEST(vm_controlled__held, "A CPU's data are one thread's in a critical "
    "section, and an interrupt's there unless those are off")
{
	static const struct {
		unsigned	held[2];
		bool		lost;	/* an update, in some order */
	} rows[] = {
		{ { 0, 0 }, true },
		{ { VM_PINNED, VM_PINNED }, true },
		{ { VM_CRITICAL, 0 }, true },
		{ { VM_CRITICAL, VM_PINNED }, true },
		{ { VM_CRITICAL, VM_CRITICAL }, false },
		{ { VM_CRITICAL, VM_PINNED | VM_CRITICAL }, false },
		{ { VM_CRITICAL, VM_INTERRUPT }, true },
		{ { VM_CRITICAL, VM_MASKED }, false },
		{ { VM_MASKED, VM_INTERRUPT }, false },
		{ { VM_INTERRUPT, VM_INTERRUPT }, false },
	};
	struct tally t;

	for (unsigned i = 0; i < nitems(rows); i++)
		for (kernel_cpus = 1; kernel_cpus <= 2; kernel_cpus++) {
			memcpy(held, rows[i].held, sizeof(rows[i].held));
			search_cast(&t, 2, increment_held, NULL);
			ATF_CHECK_EQ(0, t.t_stuck);
			ATF_CHECK_EQ(t.t_runs, t.t_plain[1] + t.t_plain[2]);
			ATF_CHECK_MSG((t.t_plain[1] > 0) == rows[i].lost,
			    "row %u, %u CPUs: %u of %u lost one", i,
			    kernel_cpus, t.t_plain[1], t.t_runs);
			check_hashes_differ(&t);
		}
}

static void
say(struct play *p, unsigned i __unused)
{
	atomic_store_32(&p->p_word[0], 1);
}

static void
await(struct play *p, unsigned i __unused)
{
	while (atomic_load_32(&p->p_word[0]) == 0)
		machine_await_32(&p->p_word[0], 0, 0);
	p->p_plain++;
}

static void
await_limited(struct play *p, unsigned i __unused)
{
	while (atomic_load_32(&p->p_word[0]) == 0)
		machine_await_32(&p->p_word[0], 0, 3);
	p->p_plain++;
}

static void
give_up(struct play *p, unsigned i __unused)
{
	if (atomic_load_32(&p->p_word[0]) == 0 &&
	    machine_await_32(&p->p_word[0], 0, 3) == 3)
		return;
	p->p_plain++;
}

static void
pause_until(struct play *p, unsigned i __unused)
{
	while (atomic_load_32(&p->p_word[0]) == 0)
		machine_pause(1);
	p->p_plain++;
}

static void
yield_until(struct play *p, unsigned i __unused)
{
	while (atomic_load_32(&p->p_word[0]) == 0)
		machine_yield();
	p->p_plain++;
}

TEST(vm_controlled__spins, "a spinner runs a bounded number of times")
{
	void (*const spin[])(struct play *, unsigned) = { await_limited,
	    pause_until, yield_until };
	struct tally t;
	unsigned i, n;

	/* Two parts each; with the load first, the rest has one order. */
	search_cast(&t, 2, await, say);
	ATF_CHECK_EQ(6, t.t_runs);
	ATF_CHECK_EQ(6, t.t_plain[1]);
	for (i = 0; i < nitems(spin); i++) {
		for (n = 2; n <= 3; n++) {
			search_cast(&t, n, spin[i], say);
			ATF_CHECK_EQ(0, t.t_stuck);
			ATF_CHECK_EQ(t.t_runs, t.t_plain[n - 1]);
			ATF_CHECK_MSG(n > 2 || t.t_runs < 20, "%u: %u", i,
			    t.t_runs);
		}
	}
	/* A limit may be reached before and after. */
	search_cast(&t, 2, give_up, say);
	ATF_CHECK(t.t_plain[0] > 0);
	ATF_CHECK(t.t_plain[1] > 0);
	ATF_CHECK_EQ(0, t.t_stuck);
	/* The word never changes. */
	for (i = 0; i < nitems(spin); i++) {
		search_cast(&t, 2, spin[i], NULL);
		ATF_CHECK_EQ(t.t_runs, t.t_stuck);
		ATF_CHECK(strstr(outcome.mo_stuck, "all that can run spin") !=
		    NULL);
	}
}

/* Gives up after so many polls of its own, and says so. */
static void
count_polls(struct play *p, unsigned i)
{
	unsigned k;

	for (k = 0; k < 100 && atomic_load_32(&p->p_word[0]) == 0; k++)
		machine_pause(1);
	p->p_found[i] = k;
	atomic_store_32(&p->p_word[1], 1);
}

static void
await_second(struct play *p, unsigned i __unused)
{
	while (atomic_load_32(&p->p_word[1]) == 0)
		machine_await_32(&p->p_word[1], 0, 0);
	p->p_plain++;
}

TEST(vm_controlled__spin_counted, "a thread that counts its polls reaches its "
    "limit when all others wait for it")
{
	struct tally t;

	search_cast(&t, 2, await_second, count_polls);
	ATF_CHECK_EQ(0, t.t_stuck);
	ATF_CHECK_EQ(t.t_runs, t.t_plain[1]);
	ATF_CHECK_EQ(100, play->p_found[0]);
}

static void
nest(struct play *p, unsigned i)
{
	for (unsigned k = 0; k < 2; k++)
		while (!atomic_cmpset_acq_32(&p->p_word[(i + k) % 2], 0, i + 1))
			machine_await_32(&p->p_word[(i + k) % 2], (i + 1) % 2 +
			    1, 0);
	for (unsigned k = 0; k < 2; k++)
		atomic_store_rel_32(&p->p_word[k], 0);
	p->p_plain++;
}

TEST(vm_controlled__deadlock, "two locks taken in opposite orders: some orders "
    "are stuck, and no others")
{
	struct tally t;

	search_cast(&t, 2, nest, NULL);
	ATF_CHECK(t.t_stuck > 0);
	ATF_CHECK(t.t_plain[2] > 0);
	ATF_CHECK_EQ(t.t_runs, t.t_stuck + t.t_plain[2]);
	ATF_CHECK_EQ(t.t_stuck, t.t_plain[0]);
}

static void
park(struct play *p, unsigned i __unused)
{
	while (atomic_load_32(&p->p_word[0]) == 0)
		ATF_CHECK_EQ(0, machine_wait_32(&p->p_word[0], 0, -1));
	p->p_plain++;
}

static void
unpark(struct play *p, unsigned i __unused)
{
	atomic_store_32(&p->p_word[0], 1);
	machine_wake_32(&p->p_word[0]);
}

/* Wakes first: a wake-up may be lost. */
static void
unpark_wrong(struct play *p, unsigned i __unused)
{
	machine_wake_32(&p->p_word[0]);
	atomic_store_32(&p->p_word[0], 1);
}

TEST(vm_controlled__park, "sleepers are woken in every order, and a wake-up "
    "that comes too early is found")
{
	struct tally t;

	cast(3, park);
	play->p_role[1] = unpark;
	search_all(&t);
	ATF_CHECK_EQ(0, t.t_stuck);
	ATF_CHECK_EQ(t.t_runs, t.t_plain[2]);
	search_cast(&t, 2, park, unpark_wrong);
	ATF_CHECK(t.t_stuck > 0);
	ATF_CHECK(t.t_plain[1] > 0);
	ATF_CHECK_EQ(t.t_runs, t.t_stuck + t.t_plain[1]);
	ATF_CHECK(strstr(outcome.mo_stuck, "no thread can run") == NULL ||
	    strstr(outcome.mo_stuck, "role1 (asleep)") != NULL);
}

static void
park_briefly(struct play *p, unsigned i __unused)
{
	p->p_plain = machine_wait_32(&p->p_word[0], 0, MS_NS) == 0 ? 1 : 2;
	p->p_time_ns[i] = machine_uptime_ns();
}

static void
sleep_some(struct play *p, unsigned i)
{
	ATF_CHECK_EQ(0, machine_sleep((int64_t)(i + 1) * MS_NS));
	p->p_time_ns[i] = machine_uptime_ns();
	ATF_CHECK(p->p_time_ns[i] >= (int64_t)(i + 1) * MS_NS);
	p->p_plain = p->p_plain * 2 + i;
}

TEST(vm_controlled__time_outs, "a sleep may end at its time, also while "
    "other threads can run")
{
	struct tally t;

	search_cast(&t, 2, park_briefly, unpark);
	ATF_CHECK_EQ(0, t.t_stuck);
	ATF_CHECK(t.t_plain[1] > 0);
	ATF_CHECK(t.t_plain[2] > 0);
	ATF_CHECK_EQ(t.t_runs, t.t_plain[1] + t.t_plain[2]);
	/* Either of two sleepers ends first: the other is slow. */
	search_cast(&t, 2, sleep_some, NULL);
	ATF_CHECK(t.t_plain[1] > 0);
	ATF_CHECK(t.t_plain[2] > 0);
	ATF_CHECK_EQ(t.t_runs, t.t_plain[1] + t.t_plain[2]);
}

enum { NAPS = 20, NAP_LATE = 3 };	/* the latter in naps, and a half */

static void
nap(struct play *p, unsigned i)
{
	if (i == 1)
		ATF_CHECK_EQ(0, machine_sleep(NAP_LATE * MS_NS + MS_NS / 2));
	else
		for (unsigned k = 0; k < NAPS; k++)
			ATF_CHECK_EQ(0, machine_sleep(MS_NS));
	p->p_time_ns[i] = machine_uptime_ns();
}

/* The last thread that is awake, or else the first sleeper. */
static unsigned
choose_awake(void *context __unused, const struct vm_choice *vo)
{
	for (unsigned i = vo->vo_count; i-- > 0;)
		if ((vo->vo_asleep >> i & 1) == 0)
			return (i);
	return (0);
}

TEST(vm_controlled__sleep_over, "a thread whose sleep is over by the clock is "
    "awake, and runs before another's next sleep ends")
{
	const struct vm_control vh = { .vh_choose = choose_awake };

	cast(2, nap);
	ATF_REQUIRE_EQ(0, run_with(&vh, NULL));
	ATF_CHECK(play->p_time_ns[1] > NAP_LATE * MS_NS);
	ATF_CHECK(play->p_time_ns[1] < (NAP_LATE + 2) * MS_NS);
	ATF_CHECK(play->p_time_ns[0] >= NAPS * MS_NS);
}

static void
critical(struct play *p, unsigned i __unused)
{
	_Alignas(MACHINE_CACHE_LINE) struct lock_node n;
	unsigned v;

	for (unsigned k = 0; k < 2; k++) {
		lock_acquire(&p->p_lock, &n, 0);
		v = p->p_plain;
		machine_charge(COST_WORK, 1);
		p->p_plain = v + 1;
		lock_release(&p->p_lock, &n);
	}
}

TEST(vm_controlled__locks, "every lock excludes in random orders, and none is "
    "stuck")
{
	unsigned excluded, seed;
	int error;

	for (unsigned i = 0; i < lock_class_count; i++) {
		excluded = 0;
		for (seed = 0; seed < 2000; seed++) {
			cast_lock(3, critical, lock_classes[i]);
			dice.d_owners_run = seed % 2 != 0;
			error = run_dice(seed, NULL);
			ATF_REQUIRE_MSG(error == 0, "%s, %u: %s",
			    lock_classes[i]->lc_name, seed, outcome.mo_stuck);
			excluded += play->p_plain == 6;
		}
		if ((lock_classes[i]->lc_flags & LC_EXCLUDES) != 0)
			ATF_CHECK_EQ_MSG(seed, excluded, "%s: %u",
			    lock_classes[i]->lc_name, excluded);
		else
			ATF_CHECK(excluded < seed);
	}
}

static void
mark(struct play *p __unused)
{
	machine_event(VM_MARK, NULL, "window");
}

TEST(vm_controlled__replay, "the same choices make the same run, others "
    "another")
{
	struct machine_outcome first, last = { .mo_hash = 0 };
	unsigned choices;

	for (unsigned i = 0; i < lock_class_count; i++) {
		for (unsigned seed = 0; seed < 20; seed++) {
			cast_lock(3, critical, lock_classes[i]);
			ATF_REQUIRE_EQ(0, run_dice(seed, NULL));
			first = outcome;
			choices = dice.d_count;
			ATF_CHECK(first.mo_hash != last.mo_hash);
			dice.d_replay = true;
			ATF_REQUIRE_EQ(0, roll(NULL));
			ATF_CHECK_EQ(choices, dice.d_count);
			ATF_CHECK_EQ(first.mo_hash, outcome.mo_hash);
			ATF_CHECK_EQ(first.mo_events, outcome.mo_events);
			ATF_CHECK_EQ(first.mo_time_ps, outcome.mo_time_ps);
			last = first;
		}
	}
}

static void
work_for_ever(struct play *p __unused, unsigned i __unused)
{
	for (;;)
		machine_charge(COST_WORK, 1);
}

static void
abort_run(struct play *p, unsigned i)
{
	increment(p, i);
	vm_abort(EPROTO);
}

static void
spawn_too_many(struct play *p)
{
	static struct mthread td[CPUS];
	unsigned spawned = p->p_roles;
	int error = 0;

	for (unsigned i = 0; i < CPUS && error == 0; i++) {
		error = machine_spawn(&td[i], "more", 0, role_main, p);
		spawned += error == 0;
		td[i].mt_spawned = false;
	}
	p->p_found[0] = spawned;
	ATF_CHECK_EQ(EAGAIN, error);
	vm_abort(ECANCELED);
}

TEST(vm_controlled__limits, "a run ends after so many steps, and when a thread "
    "aborts it; there are as many threads as CPUs")
{
	struct vm_control vh = { .vh_choose = dice_choose, .vh_context = &dice,
	    .vh_steps_max = 500 };

	cast(2, work_for_ever);
	ATF_CHECK_EQ(EDEADLK, run_with(&vh, NULL));
	ATF_CHECK(strstr(outcome.mo_stuck, "too many choices") != NULL);
	ATF_CHECK_EQ(501, outcome.mo_events);
	/* A lone one has no choice, and an end. */
	cast(1, work_for_ever);
	ATF_CHECK_EQ(EDEADLK, run_with(&vh, NULL));
	ATF_CHECK_EQ(501, outcome.mo_events);
	cast(2, work_for_ever);
	play->p_role[1] = abort_run;
	ATF_CHECK_EQ(EPROTO, run_dice(1, NULL));
	cast(2, increment);
	play->p_first = spawn_too_many;
	ATF_CHECK_EQ(ECANCELED, run_dice(1, NULL));
	ATF_CHECK_EQ(CPUS, play->p_found[0]);
}

TEST(vm_controlled__timeline, "an observer sees what is possible, and "
    "changes nothing")
{
	const struct timeline_span span = { 0, UINT64_MAX / 4 };
	char remark[TIMELINE_REMARK_SIZE];
	uint64_t hash;

	for (unsigned i = 0; i < lock_class_count; i++) {
		if ((lock_classes[i]->lc_flags & LC_EXCLUDES) == 0)
			continue;
		for (unsigned seed = 0; seed < 10; seed++) {
			cast_lock(3, critical, lock_classes[i]);
			play->p_first = mark;
			observer = NULL;
			ATF_REQUIRE_EQ(0, run_dice(seed, NULL));
			hash = outcome.mo_hash;
			observer = timeline_new(CPUS, &span,
			    TIMELINE_EVENTS_MAX);
			ATF_REQUIRE_EQ(0, run_dice(seed, NULL));
			ATF_CHECK_EQ(hash, outcome.mo_hash);
			free(timeline_end(observer, NULL, remark));
			ATF_CHECK_STREQ("", remark);
		}
	}
	observer = NULL;
}

/* A run of so many threads by time, and its hash. */
static uint64_t
timed_hash(unsigned threads, unsigned cpus, struct vm *store)
{
	struct machine_config mc = fixture_config(cpus, 1);

	cast_lock(threads, critical, lock_class_find("mtx"));
	mc.mc_store = store;
	ATF_REQUIRE_EQ(0, vm_run(&mc, play_main, play, &outcome));
	return (outcome.mo_hash);
}

/* What a call would leave on its stack, if it returned; and looks for it. */
#define	LEFT	UINT64_C(0x1ef70f5ec4e75a11)

static void
leave_and_abort(struct play *p, unsigned thread)
{
	uint64_t left[64];

	for (unsigned i = 0; i < nitems(left); i++)
		*(volatile uint64_t *)&left[i] = LEFT;
	abort_run(p, thread);
}

static void
look_for_left(struct play *p, unsigned thread __unused)
{
	const volatile uint64_t *word = vm_stack();

	for (; (const void *)word < __builtin_frame_address(0); word++)
		p->p_plain += *word == LEFT;
}

TEST(vm_store__same, "what one run leaves to the next does not change it, not "
    "even an aborted one")
{
	struct vm *store = vm_store_new();
	uint64_t hash[ROLES_MAX + 1], timed[2];

	ATF_REQUIRE(store != NULL);
	vm_store_free(NULL);
	timed[0] = timed_hash(3, 1, NULL);
	timed[1] = timed_hash(4, 1024, NULL);
	for (unsigned round = 0; round < 4; round++) {
		for (unsigned n = 1; n <= ROLES_MAX; n++) {
			cast_lock(n, critical, lock_class_find("mtx"));
			ATF_REQUIRE_EQ(0, run_dice(n, round == 0 ? NULL :
			    store));
			if (round == 0)
				hash[n] = outcome.mo_hash;
			ATF_CHECK_EQ(hash[n], outcome.mo_hash);
			if (round == 0)
				continue;
			cast(n, abort_run);
			ATF_CHECK_EQ(EPROTO, run_dice(n, store));
			cast(n, leave_and_abort);
			ATF_CHECK_EQ(EPROTO, run_dice(n, store));
			cast(n, look_for_left);
			ATF_CHECK_EQ(0, run_dice(n, store));
			ATF_CHECK_EQ(0, play->p_plain);
			cast(n, pause_until);
			ATF_CHECK_EQ(EDEADLK, run_dice(n, store));
			ATF_CHECK_EQ(timed[0], timed_hash(3, 1, store));
			ATF_CHECK_EQ(timed[1], timed_hash(4, 1024, store));
		}
	}
	vm_store_free(store);
}

static void
see_cpu_main(void *arg)
{
	struct play *p = arg;

	atomic_load_32(&p->p_word[0]);
	p->p_plain |= 1u << machine_cpu();
}

/* All ask for the first CPU. */
static void
spawn_on_one(struct play *p)
{
	static struct mthread td[ROLES_MAX];

	for (unsigned i = 0; i < ROLES_MAX; i++)
		support_spawn(&td[i], "one", 0, see_cpu_main, p);
	for (unsigned i = 0; i < ROLES_MAX; i++)
		machine_join(&td[i]);
}

TEST(vm_controlled__cpus, "each thread has a CPU of its own")
{
	cast(0, NULL);
	play->p_first = spawn_on_one;
	ATF_CHECK_EQ(0, run_dice(1, NULL));
	ATF_CHECK_EQ((1u << ROLES_MAX) - 1, play->p_plain);
}

static void
host_polls(struct play *p)
{
	while (atomic_load_32(&p->p_word[0]) != 2)
		machine_yield();
	ATF_CHECK_EQ(0, machine_sleep(MS_NS));
	atomic_store_32(&p->p_word[1], 1);
}

static void
polled(struct play *p, unsigned i __unused)
{
	atomic_fetchadd_32(&p->p_word[0], 1);
	while (atomic_load_32(&p->p_word[1]) == 0)
		machine_pause(1);
	p->p_plain++;
}

TEST(vm_controlled__first, "the first thread polls and sleeps, and others spin "
    "until it stores")
{
	for (unsigned seed = 0; seed < 50; seed++) {
		cast(2, polled);
		play->p_first = host_polls;
		ATF_CHECK_EQ(0, run_dice(seed, NULL));
		ATF_CHECK_EQ(2, play->p_plain);
		ATF_CHECK(outcome.mo_time_ps >= UINT64_C(1000) * MS_NS);
	}
}

TEST_PROGRAM()
