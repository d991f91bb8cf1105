/*
 * What lib/machine/machine.h promises of threads, sleeps and CPUs, on the
 * simulated machine, where every duration is known.
 */
#define	FLAVOUR		virtual
#define	MACHINE_VIRTUAL

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

#include "lib/vm/impl.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"
#include "tests/unit/vm_fixture.h"

enum {
	CPUS		= 4,
	ACTORS		= 16,
	ACTORS_MAX	= 25,
	LATENESSES	= 300,
	LATENESS_STEP_NS = 13,
	NS_PER_QUANTUM	= FIXTURE_QUANTUM_PS / 1000
};

struct actor;

/* What a thread does, and on which CPU. */
struct part {
	int		 p_cpu;
	void		(*p_fn)(struct actor *a);	/* NULL: nothing yet */
};

/* A thread and what it found. */
struct actor {
	struct part	 a_part;
	struct mthread	 a_td;
	unsigned	 a_index;
	unsigned	 a_order;
	int		 a_error;
	int64_t		 a_ns;
	uint64_t	 a_count;
};

/* The threads of a test and what they share; of a thread of the host. */
static _Thread_local struct stage {
	struct actor	 s_actor[ACTORS_MAX];
	unsigned	 s_actors;
	uint64_t	 s_arg;
	unsigned	 s_order;	/* of ending */
	struct m32	*s_word;	/* two, on a line of their own */
} stage;

static struct machine_outcome outcome;

/* Clears the stage for so many actors. */
static void
stage_set(unsigned actors, const struct part *part, uint64_t arg)
{
	ATF_REQUIRE(actors <= ACTORS_MAX);
	free(stage.s_word);
	memset(&stage, 0, sizeof(stage));
	stage.s_word = support_alloc(1, MACHINE_CACHE_LINE);
	stage.s_arg = arg;
	stage.s_actors = actors;
	for (unsigned i = 0; i < actors; i++) {
		if (part != NULL)
			stage.s_actor[i].a_part = part[i];
		stage.s_actor[i].a_index = i;
	}
}

static void
actor_main(void *arg)
{
	struct actor *a = arg;

	a->a_part.p_fn(a);
}

static void
start(struct actor *a, int cpu, void (*fn)(struct actor *))
{
	char name[MTHREAD_NAME_MAX + 1];

	a->a_part.p_fn = fn;
	snprintf(name, sizeof(name), "actor %u", a->a_index);
	support_spawn(&a->a_td, name, cpu, actor_main, a);
}

/* Starts the first n actors, each on a CPU of its own. */
static void
start_each(unsigned n, void (*fn)(struct actor *))
{
	for (unsigned i = 0; i < n; i++)
		start(&stage.s_actor[i], (int)i, fn);
}

static void
join_all(void)
{
	for (unsigned i = 0; i < stage.s_actors; i++)
		if (stage.s_actor[i].a_td.mt_spawned)
			machine_join(&stage.s_actor[i].a_td);
}

/* The first thread does a function, attached. */
static void
first_main(void *arg)
{
	void (*const *fn)(void) = arg;
	struct mthread self;

	machine_attach(&self, "first");
	(*fn)();
	machine_detach();
}

static void
run_config(const struct machine_config *mc, void (*fn)(void))
{
	int error;

	error = vm_run(mc, first_main, &fn, &outcome);
	ATF_REQUIRE_MSG(error == 0, "%s: %s", strerror(error),
	    outcome.mo_stuck);
}

static void
run(unsigned cpus, unsigned nodes, void (*fn)(void))
{
	struct machine_config mc = fixture_config(cpus, nodes);

	run_config(&mc, fn);
}

/* Starts the actors that have a part, and joins them. */
static void
play_parts(void)
{
	for (unsigned i = 0; i < stage.s_actors; i++)
		if (stage.s_actor[i].a_part.p_fn != NULL)
			start(&stage.s_actor[i], stage.s_actor[i].a_part.p_cpu,
			    stage.s_actor[i].a_part.p_fn);
	join_all();
}

/* The same, not attached. */
static void
play_main(void *arg __unused)
{
	play_parts();
}

/* Plays the parts on so many CPUs. */
#define	PLAY(cpus, ...) do {						\
	const struct part parts[] = { __VA_ARGS__ };			\
									\
	stage_set(nitems(parts), parts, 0);				\
	run(cpus, 1, play_parts);					\
} while (0)

static void
work_ns(uint64_t ns)
{
	machine_charge(COST_WORK, ns);
}

/* Threads, time */

static void
sleep_main(void)
{
	ATF_CHECK_STREQ("first", machine_curthread()->mt_name);
	ATF_CHECK_EQ(0, machine_uptime_ns());
	ATF_CHECK_EQ(0, machine_sleep(5 * NS_PER_MS));
	ATF_CHECK_EQ(5 * NS_PER_MS, machine_uptime_ns());
	/* Nothing it does takes time. */
	work_ns(1000);
	atomic_fetchadd_32(stage.s_word, 1);
	ATF_CHECK_EQ(1, atomic_load_32(stage.s_word));
	machine_wake_32(stage.s_word);
	ATF_CHECK_EQ(5 * NS_PER_MS, machine_uptime_ns());
	ATF_CHECK_EQ(0, machine_thread_cpu_ns(machine_curthread()));
	ATF_CHECK_EQ(CPUS, machine_cpus());
	ATF_CHECK_EQ(2, machine_nodes());
	/* But spinning does, or what it spins for would never happen. */
	machine_pause(1000);
	ATF_CHECK(machine_uptime_ns() > 5 * NS_PER_MS);
	machine_yield();
	machine_await_32(stage.s_word, 1, 0);
	ATF_CHECK(machine_uptime_ns() < 6 * NS_PER_MS);
}

TEST(vm_run__first_thread, "The first thread has no CPU: it sleeps exactly, "
    "and what it does takes no time but for spinning")
{
	stage_set(1, NULL, 0);
	run(CPUS, 2, sleep_main);
	ATF_CHECK(outcome.mo_time_ps > UINT64_C(5000000000));
	ATF_CHECK(outcome.mo_events > 0);
	ATF_CHECK_STREQ("", outcome.mo_stuck);
}

static void
ending_actor(struct actor *a)
{
	ATF_CHECK_EQ(&a->a_td, machine_curthread());
	ATF_CHECK_EQ(a->a_index, machine_cpu());
	ATF_CHECK_EQ(a->a_index / 2, machine_node());
	work_ns(1000 * (CPUS - a->a_index));
	a->a_ns = machine_uptime_ns();
	ATF_CHECK_EQ(a->a_ns, machine_thread_cpu_ns(&a->a_td));
	a->a_order = stage.s_order++;
}

static void
ending_main(void)
{
	for (unsigned i = 0; i < CPUS; i++)
		start(&stage.s_actor[i], (int)(i + CPUS), ending_actor);
	join_all();
	ATF_CHECK_EQ(CPUS * 1000, machine_uptime_ns());
	for (unsigned i = 0; i < CPUS; i++) {
		ATF_CHECK(stage.s_actor[i].a_td.mt_bound);
		ATF_CHECK_EQ(0, machine_thread_cpu_ns(&stage.s_actor[i].a_td));
	}
}

TEST(machine_spawn__binds, "Threads run at once on the CPUs of their ranks, "
    "wrapped, and are joined, ended before or not")
{
	stage_set(CPUS, NULL, 0);
	run(CPUS, 2, ending_main);
	for (unsigned i = 0; i < CPUS; i++) {
		ATF_CHECK_EQ((CPUS - i) * 1000, stage.s_actor[i].a_ns);
		ATF_CHECK_EQ(CPUS - 1 - i, stage.s_actor[i].a_order);
	}
}

static void
child_actor(struct actor *a __unused)
{
	work_ns(500);
}

/* Joins with an access that is booked but not paid. */
static void
parent_actor(struct actor *a)
{
	struct actor *child = a + 1;

	for (unsigned i = 0; i < 3; i++) {
		start(child, 1, child_actor);
		work_ns(i * 250);
		atomic_store_32(stage.s_word, i);
		atomic_load_32(stage.s_word);
		machine_join(&child->a_td);
		a->a_count++;
	}
	a->a_ns = machine_uptime_ns();
}

TEST(machine_join__by_spawned, "Any thread can start and join others, whatever "
    "it did just before")
{
	PLAY(CPUS, { 0, parent_actor }, { 0, NULL });
	ATF_CHECK_EQ(3, stage.s_actor[0].a_count);
	ATF_CHECK(stage.s_actor[0].a_ns >= 1500);
}

/* Sleep */

static void
sleeping_actor(struct actor *a)
{
	work_ns(stage.s_arg);
	a->a_error = machine_sleep(a->a_index == 0 ? INT64_C(3600) * NS_PER_S :
	    INT64_MAX);
	a->a_ns = machine_uptime_ns();
	a->a_count = machine_interrupted();
}

static void
interrupting_main(void)
{
	start_each(stage.s_actors, sleeping_actor);
	machine_sleep(1000);
	for (unsigned i = 0; i < stage.s_actors; i++)
		machine_interrupt(&stage.s_actor[i].a_td);
	join_all();
}

TEST(machine_interrupt__at_any_time, "A sleep of an hour, or of ever, ends "
    "whether the thread is about to sleep, falls asleep, or sleeps")
{
	for (unsigned i = 0; i < 200; i++) {
		stage_set(2, NULL, 850 + i);
		run(CPUS, 1, interrupting_main);
		for (unsigned k = 0; k < 2; k++) {
			ATF_CHECK_EQ(EINTR, stage.s_actor[k].a_error);
			ATF_CHECK_EQ(1, stage.s_actor[k].a_count);
			ATF_CHECK_MSG(stage.s_actor[k].a_ns < 10000,
			    "%u: %jd ns", i, (intmax_t)stage.s_actor[k].a_ns);
		}
		}
}

static void
whole_sleep_actor(struct actor *a)
{
	a->a_error = machine_sleep(NS_PER_MS);
	a->a_ns = machine_uptime_ns();
	ATF_CHECK_EQ(0, machine_sleep(0));
	ATF_CHECK_EQ(0, machine_sleep(-1));
	ATF_CHECK_EQ(a->a_ns, machine_uptime_ns());
	a->a_count = (uint64_t)machine_thread_cpu_ns(&a->a_td);
}

TEST(machine_sleep__whole_time, "A sleep takes its time, the call and the "
    "wake-up, and of CPU time the call")
{
	PLAY(CPUS, { 0, whole_sleep_actor });
	ATF_CHECK_EQ(0, stage.s_actor[0].a_error);
	ATF_CHECK_EQ(NS_PER_MS + (FIXTURE_SYSCALL_PS + FIXTURE_CROSS_PS) / 1000,
	    stage.s_actor[0].a_ns);
	ATF_CHECK_EQ(FIXTURE_SYSCALL_PS / 1000, stage.s_actor[0].a_count);
}

/* Wait and wake */

static void
waiting_actor(struct actor *a)
{
	work_ns(2000);
	while (atomic_load_acq_32(stage.s_word) == 0) {
		a->a_error = machine_wait_32(stage.s_word, 0, -1);
		a->a_count++;
	}
	a->a_ns = machine_uptime_ns();
}

static void
waking_actor(struct actor *a)
{
	work_ns(stage.s_arg);
	atomic_store_rel_32(stage.s_word, 1);
	if (a->a_index % 2 == 0)
		machine_wake_32(stage.s_word);
	else
		machine_wake_one_32(stage.s_word);
}

static void
wake_main(void)
{
	start(&stage.s_actor[0], 0, waiting_actor);
	start(&stage.s_actor[1], (int)(stage.s_arg / LATENESS_STEP_NS % 3),
	    waking_actor);
	join_all();
}

TEST(machine_wait_32__no_wake_up_lost, "A wait ends, whatever the time between "
    "it and the store and wake-up that should end it")
{
	struct machine_config mc = fixture_config(CPUS, 1);
	unsigned slept = 0;

	for (unsigned preempt = 0; preempt < 2; preempt++) {
		mc.mc_costs.vc_preempt = preempt != 0;
		for (unsigned which = 0; which < 2; which++) {
			for (unsigned i = 0; i < LATENESSES; i++) {
				stage_set(2, NULL, i * LATENESS_STEP_NS);
				stage.s_actor[1].a_index = which;
				run_config(&mc, wake_main);
				slept += stage.s_actor[0].a_count > 0;
						}
		}
	}
	/* Neither always early nor always late. */
	ATF_CHECK(slept > LATENESSES / 4 && slept < LATENESSES * 15 / 4);
}

static void
two_words_actor(struct actor *a)
{
	a->a_error = machine_wait_32(a->a_index % 2 == 0 ? stage.s_word :
	    &stage.s_word[1], 0, a->a_index == 0 ? NS_PER_MS : -1);
	a->a_ns = machine_uptime_ns();
	a->a_order = stage.s_order++;
}

static void
two_words_main(void)
{
	start_each(stage.s_actors, two_words_actor);
	machine_sleep(2 * NS_PER_MS);
	ATF_CHECK_EQ(1, stage.s_order);
	ATF_CHECK_EQ(ETIMEDOUT, stage.s_actor[0].a_error);
	/* Waking without storing is allowed, spurious for the waiter. */
	machine_wake_one_32(stage.s_word);
	machine_sleep(NS_PER_MS);
	ATF_CHECK_EQ(2, stage.s_order);
	machine_wake_32(&stage.s_word[1]);
	machine_sleep(NS_PER_MS);
	ATF_CHECK_EQ(2 + stage.s_actors / 2, stage.s_order);
	machine_wake_32(stage.s_word);
	join_all();
	for (unsigned i = 0; i < stage.s_actors; i++)
		ATF_CHECK_EQ(i % 2 == 0,
		    stage.s_actor[i].a_ns < 3 * NS_PER_MS ||
		    stage.s_actor[i].a_ns > 4 * NS_PER_MS);
}

TEST(machine_wake_32__the_right_ones, "All or one of those on the word are "
    "woken, not those on another word of its line; time-outs are returned")
{
	stage_set(8, NULL, 0);
	run(8, 1, two_words_main);
	/* The one that timed out: the call, two lines, falling asleep, up. */
	ATF_CHECK_EQ(NS_PER_MS + (FIXTURE_SYSCALL_PS + FIXTURE_PARK_PS +
	    FIXTURE_CROSS_PS + 2 * 28000 + FIXTURE_RMW_PS) / 1000,
	    stage.s_actor[0].a_ns);
}

static void
differs_main(void)
{
	ATF_CHECK_EQ(0, machine_wait_32(stage.s_word, 7, -1));
	ATF_CHECK_EQ(ETIMEDOUT, machine_wait_32(stage.s_word, 0, 0));
	ATF_CHECK_EQ(ETIMEDOUT, machine_wait_32(stage.s_word, 0, 500));
	ATF_CHECK_EQ(500, machine_uptime_ns());
}

TEST(machine_wait_32__word_differs, "A thread does not wait for a word that "
    "has changed; a time-out of 0 is one, too")
{
	stage_set(1, NULL, 0);
	run(1, 1, differs_main);
}

/* Spinning */

static void
awaiting_actor(struct actor *a)
{
	int64_t before_ns;

	work_ns(100);
	/* A few polls, and no change. */
	before_ns = machine_uptime_ns();
	ATF_CHECK_EQ(5, machine_await_32(stage.s_word, 0, 5));
	ATF_CHECK_EQ(5 * FIXTURE_POLL_PS / 1000, machine_uptime_ns() -
	    before_ns);
	/* Changed already. */
	before_ns = machine_uptime_ns();
	ATF_CHECK_EQ(1, machine_await_32(stage.s_word, 1, 5));
	ATF_CHECK_EQ(1, machine_await_is_32(stage.s_word, 0, 0));
	ATF_CHECK_EQ(2 * FIXTURE_POLL_PS / 1000, machine_uptime_ns() -
	    before_ns);
	/* Until it changes. */
	before_ns = machine_uptime_ns();
	a->a_count = machine_await_32(stage.s_word, 0, 0);
	ATF_CHECK_EQ(1, atomic_load_32(stage.s_word));
	a->a_ns = machine_uptime_ns();
	ATF_CHECK_EQ((a->a_ns - before_ns) * 1000 / FIXTURE_POLL_PS + 1,
	    (int64_t)a->a_count);
	/* Not 1 but 2 ends this one. */
	machine_await_is_32(stage.s_word, 3, 0);
	ATF_CHECK_EQ(3, atomic_load_32(stage.s_word));
	ATF_CHECK_EQ(a->a_ns + 2000, machine_uptime_ns() / 1000 * 1000 +
	    a->a_ns % 1000);
}

static void
storing_actor(struct actor *a __unused)
{
	work_ns(1000);
	for (unsigned i = 1; i <= 3; i++) {
		atomic_store_rel_32(stage.s_word, i);
		work_ns(1000);
	}
}

TEST(machine_await_32__returns_polls, "Spinning takes as long as its polls, at "
    "most those allowed, and ends when the word has changed")
{
	PLAY(CPUS, { 0, awaiting_actor }, { 1, storing_actor });
	ATF_CHECK(stage.s_actor[0].a_ns >= 1000);
	ATF_CHECK(stage.s_actor[0].a_ns < 1100);
}

/* One line, several words, and several sorts of waiters. */
struct mixture {
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	 mx_a;
	struct m32	 mx_b;
	struct mptr	 mx_p;
};

enum { MIXED = 24, MIXED_STEPS = 60 };

static struct mixture mixture;

static void
mixed_waiter(struct actor *a)
{
	uint32_t value, want = a->a_index / 4 + 1;
	uintptr_t p;

	while (want <= MIXED_STEPS) {
		switch (a->a_index % 4) {
		case 0:
			while (atomic_load_acq_32(&mixture.mx_a) != want)
				machine_await_is_32(&mixture.mx_a, want, 0);
			break;
		case 1:
			while (atomic_load_acq_32(&mixture.mx_b) != want)
				machine_await_is_32(&mixture.mx_b, want, 0);
			break;
		case 2:
			while ((value = atomic_load_acq_32(&mixture.mx_a)) <
			    want)
				machine_await_32(&mixture.mx_a, value, 0);
			break;
		default:
			while ((p = atomic_load_acq_ptr(&mixture.mx_p)) < want)
				machine_await_ptr(&mixture.mx_p, p, 0);
		}
		a->a_count++;
		want += 1 + (uint32_t)(machine_cycles() / 8 + a->a_index) % 9;
		/* Now and then there are only waiters for a value. */
		if (want % 5 == 0)
			machine_sleep(30 * 1000);
	}
}

static void
mixed_writer(struct actor *a __unused)
{
	for (uint32_t i = 1; i <= MIXED_STEPS; i++) {
		work_ns(100 * 1000);
		atomic_store_rel_ptr(&mixture.mx_p, i);
		atomic_store_rel_32(&mixture.mx_b, i);
		work_ns(i % 3 * 1000);
		atomic_fetchadd_32(&mixture.mx_a, 1);
	}
}

static void
mixed_waits_main(void)
{
	memset(&mixture, 0, sizeof(mixture));
	start_each(MIXED, mixed_waiter);
	start(&stage.s_actor[MIXED], MIXED, mixed_writer);
	join_all();
}

TEST(machine_await__of_all_sorts, "Waiters for values and for changes of "
    "several words of one line all see the change")
{
	stage_set(MIXED + 1, NULL, 0);
	run(MIXED + 1, 1, mixed_waits_main);
	for (unsigned i = 0; i < MIXED; i++)
		ATF_CHECK(stage.s_actor[i].a_count > 2);
}

static void
robbed_actor(struct actor *a)
{
	a->a_count = machine_await_32(stage.s_word, 0, 0);
	a->a_ns = machine_uptime_ns();
}

static void
robbing_actor(struct actor *a __unused)
{
	work_ns(3 * NS_PER_QUANTUM);
	atomic_store_32(stage.s_word, 1);
}

TEST(machine_await_32__without_cpu, "A spinner that has lost its CPU does not "
    "poll until it has one again")
{
	PLAY(1, { 0, robbed_actor }, { 0, robbing_actor });
	/* It looks again when it is back on its CPU, which is one return. */
	ATF_CHECK_MSG(stage.s_actor[0].a_count <= (NS_PER_QUANTUM +
	    2 * FIXTURE_SWITCH_PS / 1000) * 1000 / FIXTURE_POLL_PS + 1,
	    "%" PRIu64 " polls", stage.s_actor[0].a_count);
	ATF_CHECK(stage.s_actor[0].a_ns >= 2 * NS_PER_QUANTUM);
}

static void
noting_actor(struct actor *a)
{
	work_ns(100);
	for (uint64_t i = 0; i < stage.s_arg; i++)
		machine_note_store_32(stage.s_word,
		    machine_note_load_32(stage.s_word) + 1);
	a->a_ns = machine_uptime_ns();
}

TEST(machine_note__costs_nothing, "Notes change neither time nor events nor "
    "hash")
{
	struct machine_outcome none;

	for (uint64_t notes = 0; notes < 1000; notes += 500) {
		stage_set(1, &(struct part){ 0, noting_actor }, notes);
		run(1, 1, play_parts);
		ATF_CHECK_EQ(notes, machine_note_load_32(stage.s_word));
		ATF_CHECK_EQ(100, stage.s_actor[0].a_ns);
		if (notes == 0)
			none = outcome;
		ATF_CHECK_EQ(none.mo_hash, outcome.mo_hash);
		ATF_CHECK_EQ(none.mo_events, outcome.mo_events);
		}
}

static void
owing_actor(struct actor *a)
{
	const struct vm *vm = vm_get();
	uint64_t before_ps, most_ps = 0;

	atomic_store_32(stage.s_word, 1);
	work_ns(100);
	before_ps = vm_self_ps(vm);
	for (unsigned i = 0; i < 1000; i++) {
		if (i % 3 == 0)
			atomic_fetchadd_32(stage.s_word, 1);
		else
			atomic_load_32(stage.s_word);
		if (vm->vm_self->vt_deferred_ps > most_ps)
			most_ps = vm->vm_self->vt_deferred_ps;
	}
	ATF_CHECK(most_ps > 0);
	ATF_CHECK(most_ps <= VM_DEFERRED_MAX_PS);
	ATF_CHECK_EQ(334 * FIXTURE_RMW_PS + 666 * FIXTURE_HIT_PS,
	    vm_self_ps(vm) - before_ps);
	a->a_ns = machine_uptime_ns();
}

TEST(vm__deferred_time_is_bounded, "Accesses to a line held are booked, never "
    "more than VM_DEFERRED_MAX_PS of them, and paid in full")
{
	PLAY(1, { 0, owing_actor });
	ATF_CHECK_EQ(outcome.mo_time_ps / 1000,
	    (uint64_t)stage.s_actor[0].a_ns);
}

static void
coarse_actor(struct actor *a)
{
	int64_t coarse_ns, now_ns;

	for (unsigned i = 0; i < 100; i++) {
		work_ns(77777);
		coarse_ns = machine_uptime_coarse_ns();
		now_ns = machine_uptime_ns();
		ATF_CHECK_EQ(0, coarse_ns % (FIXTURE_TICK_PS / 1000));
		ATF_CHECK(coarse_ns <= now_ns &&
		    coarse_ns > now_ns - FIXTURE_TICK_PS / 1000);
		ATF_CHECK_EQ(now_ns, machine_cycles_to_ns(machine_cycles()));
	}
	a->a_ns = now_ns;
}

TEST(machine_clocks__agree, "The coarse clock is that of the last tick, cycles "
    "and ns are one clock")
{
	PLAY(1, { 0, coarse_actor });
	ATF_CHECK_EQ(7777700, stage.s_actor[0].a_ns);
}

/* The run as a whole */

static void
mixed_actor(struct actor *a __unused)
{
	for (unsigned i = 0; i < 200; i++) {
		work_ns(machine_curthread()->mt_index * 10 + 100);
		atomic_fetchadd_32(stage.s_word, 1);
		if (i % 10 == 0)
			machine_wait_32(&stage.s_word[1], 0, 3000);
		if (i % 17 == 0)
			machine_sleep(1000);
		if (i % 5 == 0)
			machine_yield();
	}
}

static void
mixed_main(void *arg __unused)
{
	for (unsigned i = 0; i < stage.s_actors; i++)
		start(&stage.s_actor[i], i % 3 == 0 ? MACHINE_CPU_ANY : (int)i,
		    mixed_actor);
	join_all();
}

static struct machine_outcome
mixed_run(uint64_t seed)
{
	struct machine_config mc = fixture_config(CPUS, 2);

	stage_set(ACTORS, NULL, 0);
	mc.mc_seed = seed;
	mc.mc_costs.vc_jitter[0] = mc.mc_costs.vc_jitter[1] = 0.1;
	mc.mc_costs.vc_ps[PROFILE_OS_WAKE_CROSS_P99] *= 5;
	if (vm_run(&mc, mixed_main, NULL, &outcome) != 0)
		outcome.mo_hash = 0;
	return (outcome);
}

TEST(vm_run__depends_on_seed_alone, "The same seed gives the same run, "
    "wherever memory is, another seed another one")
{
	struct machine_outcome first, same;
	void *hole[10];

	first = mixed_run(1);
	ATF_CHECK(first.mo_hash != 0);
	for (unsigned i = 0; i < nitems(hole); i++) {
		hole[i] = malloc(64 * i + 16);
		same = mixed_run(1);
		ATF_CHECK_EQ(first.mo_hash, same.mo_hash);
		ATF_CHECK_EQ(first.mo_events, same.mo_events);
		ATF_CHECK_EQ(first.mo_time_ps, same.mo_time_ps);
	}
	for (unsigned i = 0; i < nitems(hole); i++)
		free(hole[i]);
	ATF_CHECK(first.mo_hash != mixed_run(2).mo_hash);
}

/* Not the shared outcome: two at once. */
static void *
host_thread(void *arg)
{
	struct machine_config mc = fixture_config(CPUS, 2);
	struct machine_outcome *mo = arg;

	stage_set(ACTORS, NULL, 0);
	if (vm_run(&mc, mixed_main, NULL, mo) != 0)
		mo->mo_hash = 0;
	free(stage.s_word);
	stage.s_word = NULL;
	return (NULL);
}

TEST(vm_run__on_two_host_threads, "Machines on different threads of the host "
    "are independent")
{
	struct machine_outcome mo[3];
	pthread_t thread[2];

	host_thread(&mo[2]);
	ATF_CHECK(mo[2].mo_hash != 0);
	for (unsigned i = 0; i < 2; i++)
		ATF_REQUIRE_EQ(0, pthread_create(&thread[i], NULL, host_thread,
		    &mo[i]));
	for (unsigned i = 0; i < 2; i++) {
		pthread_join(thread[i], NULL);
		ATF_CHECK_EQ(mo[2].mo_hash, mo[i].mo_hash);
		ATF_CHECK_EQ(mo[2].mo_events, mo[i].mo_events);
	}
}

static volatile sig_atomic_t stop;

static void
endless_actor(struct actor *a __unused)
{
	for (;;) {
		work_ns(1000);
		if (machine_uptime_ns() >= 100 * NS_PER_MS)
			stop = 1;
	}
}

TEST(vm_run__stopped, "A stopped run ends soon, with EINTR, and has "
    "reported its progress until then")
{
	struct machine_config mc = fixture_config(1, 1);
	_Atomic uint64_t done_ps = 0;

	stage_set(1, &(struct part){ 0, endless_actor }, 0);
	mc.mc_stop = &stop;
	mc.mc_progress_ps = &done_ps;
	ATF_CHECK_EQ(EINTR, vm_run(&mc, play_main, NULL, &outcome));
	ATF_CHECK(outcome.mo_time_ps >= UINT64_C(100000000000));
	ATF_CHECK(outcome.mo_time_ps < UINT64_C(200000000000));
	ATF_CHECK_EQ(outcome.mo_time_ps, atomic_load(&done_ps));
	ATF_CHECK_STREQ("", outcome.mo_stuck);
}

TEST_PROGRAM()
