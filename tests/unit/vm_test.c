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

/* What a thread does, and on which CPU. */
struct part {
	int		 p_cpu;
	void		(*p_fn)(void *actor);
};

struct actor {
	struct mthread	 a_td;
	struct stage	*a_stage;
	unsigned	 a_index;
	unsigned	 a_order;
	int		 a_error;
	int64_t		 a_ns;
	uint64_t	 a_count;
};

/* What the threads of a test share. */
struct stage {
	const struct part *s_part;
	unsigned	 s_parts;
	struct actor	 s_actor[ACTORS_MAX];
	unsigned	 s_actors;
	uint64_t	 s_arg;
	unsigned	 s_order;	/* of ending */
	/* A line of its own. */
	_Alignas(MACHINE_CACHE_LINE) struct m32 s_word[2];
};

static struct machine_outcome outcome;

static struct stage *
stage_make(unsigned actors)
{
	struct stage *st = support_alloc(1, sizeof(*st));

	ATF_REQUIRE(actors <= ACTORS_MAX);
	st->s_actors = actors;
	for (unsigned i = 0; i < actors; i++) {
		st->s_actor[i].a_stage = st;
		st->s_actor[i].a_index = i;
	}
	return (st);
}

static void
start(struct actor *a, int cpu, void (*fn)(void *))
{
	char name[MTHREAD_NAME_MAX + 1];

	snprintf(name, sizeof(name), "actor %u", a->a_index);
	support_spawn(&a->a_td, name, cpu, fn, a);
}

/* Starts the first n actors, each on a CPU of its own. */
static void
start_each(struct stage *st, unsigned n, void (*fn)(void *))
{
	for (unsigned i = 0; i < n; i++)
		start(&st->s_actor[i], (int)i, fn);
}

static void
join_all(struct stage *st)
{
	for (unsigned i = 0; i < st->s_actors; i++)
		machine_join(&st->s_actor[i].a_td);
}

/* The first thread does fn(stage), attached. */
struct play {
	void		(*p_fn)(void *);
	struct stage	*p_stage;
};

static void
play_main(void *arg)
{
	struct play *p = arg;
	struct mthread self;

	machine_attach(&self, "first");
	p->p_fn(p->p_stage);
	machine_detach();
}

static void
run_config(const struct machine_config *mc, void (*fn)(void *),
    struct stage *st)
{
	struct play play = { .p_fn = fn, .p_stage = st };
	int error;

	error = vm_run(mc, play_main, &play, &outcome);
	ATF_REQUIRE_MSG(error == 0, "%s: %s", strerror(error),
	    outcome.mo_stuck);
}

static void
run(unsigned cpus, unsigned nodes, void (*fn)(void *), struct stage *st)
{
	struct machine_config mc = fixture_config(cpus, nodes);

	run_config(&mc, fn, st);
}

/* Starts an actor for each part and joins them. */
static void
play_parts(void *arg)
{
	struct stage *st = arg;

	for (unsigned i = 0; i < st->s_parts; i++)
		start(&st->s_actor[i], st->s_part[i].p_cpu,
		    st->s_part[i].p_fn);
	for (unsigned i = 0; i < st->s_parts; i++)
		machine_join(&st->s_actor[i].a_td);
}

#define	PLAY(cpus, st, ...) do {					\
	const struct part parts[] = { __VA_ARGS__ };			\
									\
	(st)->s_part = parts;						\
	(st)->s_parts = nitems(parts);					\
	run(cpus, 1, play_parts, st);					\
} while (0)

static void
work_ns(uint64_t ns)
{
	machine_charge(COST_WORK, ns);
}

/* Threads, time */

static void
sleep_main(void *arg)
{
	struct stage *st = arg;

	ATF_CHECK_STREQ("first", machine_curthread()->mt_name);
	ATF_CHECK_EQ(0, machine_uptime_ns());
	ATF_CHECK_EQ(0, machine_sleep(5 * NS_PER_MS));
	ATF_CHECK_EQ(5 * NS_PER_MS, machine_uptime_ns());
	/* Nothing it does takes time. */
	work_ns(1000);
	atomic_fetchadd_32(st->s_word, 1);
	ATF_CHECK_EQ(1, atomic_load_32(st->s_word));
	machine_wake_32(st->s_word);
	ATF_CHECK_EQ(5 * NS_PER_MS, machine_uptime_ns());
	ATF_CHECK_EQ(0, machine_thread_cpu_ns(machine_curthread()));
	ATF_CHECK_EQ(CPUS, machine_cpus());
	ATF_CHECK_EQ(2, machine_nodes());
	/* But spinning does, or what it spins for would never happen. */
	machine_pause(1000);
	ATF_CHECK(machine_uptime_ns() > 5 * NS_PER_MS);
	machine_yield();
	machine_await_32(st->s_word, 1, 0);
	ATF_CHECK(machine_uptime_ns() < 6 * NS_PER_MS);
}

TEST(vm_run__first_thread, "The first thread has no CPU: it sleeps exactly, "
    "and what it does takes no time but for spinning")
{
	struct stage *st = stage_make(1);

	run(CPUS, 2, sleep_main, st);
	ATF_CHECK(outcome.mo_time_ps > UINT64_C(5000000000));
	ATF_CHECK(outcome.mo_events > 0);
	ATF_CHECK_STREQ("", outcome.mo_stuck);
	free(st);
}

static void
ending_actor(void *arg)
{
	struct actor *a = arg;

	ATF_CHECK_EQ(&a->a_td, machine_curthread());
	ATF_CHECK_EQ(a->a_index, machine_cpu());
	ATF_CHECK_EQ(a->a_index / 2, machine_node());
	work_ns(1000 * (CPUS - a->a_index));
	a->a_ns = machine_uptime_ns();
	ATF_CHECK_EQ(a->a_ns, machine_thread_cpu_ns(&a->a_td));
	a->a_order = a->a_stage->s_order++;
}

static void
ending_main(void *arg)
{
	struct stage *st = arg;

	for (unsigned i = 0; i < CPUS; i++)
		start(&st->s_actor[i], (int)(i + CPUS), ending_actor);
	join_all(st);
	ATF_CHECK_EQ(CPUS * 1000, machine_uptime_ns());
	for (unsigned i = 0; i < CPUS; i++) {
		ATF_CHECK(st->s_actor[i].a_td.mt_bound);
		ATF_CHECK_EQ(0, machine_thread_cpu_ns(&st->s_actor[i].a_td));
	}
}

TEST(machine_spawn__binds, "Threads run at once on the CPUs of their ranks, "
    "wrapped, and are joined, ended before or not")
{
	struct stage *st = stage_make(CPUS);

	run(CPUS, 2, ending_main, st);
	for (unsigned i = 0; i < CPUS; i++) {
		ATF_CHECK_EQ((CPUS - i) * 1000, st->s_actor[i].a_ns);
		ATF_CHECK_EQ(CPUS - 1 - i, st->s_actor[i].a_order);
	}
	free(st);
}

static void
child_actor(void *arg)
{
	(void)arg;
	work_ns(500);
}

/* Joins with an access that is booked but not paid. */
static void
parent_actor(void *arg)
{
	struct actor *a = arg, *child = a + 1;

	for (unsigned i = 0; i < 3; i++) {
		start(child, 1, child_actor);
		work_ns(i * 250);
		atomic_store_32(a->a_stage->s_word, i);
		atomic_load_32(a->a_stage->s_word);
		machine_join(&child->a_td);
		a->a_count++;
	}
	a->a_ns = machine_uptime_ns();
}

TEST(machine_join__by_spawned, "Any thread can start and join others, whatever "
    "it did just before")
{
	struct stage *st = stage_make(2);

	PLAY(CPUS, st, { 0, parent_actor });
	ATF_CHECK_EQ(3, st->s_actor[0].a_count);
	ATF_CHECK(st->s_actor[0].a_ns >= 1500);
	free(st);
}

/* Sleep */

static void
sleeping_actor(void *arg)
{
	struct actor *a = arg;

	work_ns(a->a_stage->s_arg);
	a->a_error = machine_sleep(a->a_index == 0 ? INT64_C(3600) * NS_PER_S :
	    INT64_MAX);
	a->a_ns = machine_uptime_ns();
	a->a_count = machine_interrupted();
}

static void
interrupting_main(void *arg)
{
	struct stage *st = arg;

	start_each(st, st->s_actors, sleeping_actor);
	machine_sleep(1000);
	for (unsigned i = 0; i < st->s_actors; i++)
		machine_interrupt(&st->s_actor[i].a_td);
	join_all(st);
}

TEST(machine_interrupt__at_any_time, "A sleep of an hour, or of ever, ends "
    "whether the thread is about to sleep, falls asleep, or sleeps")
{
	struct stage *st;

	for (unsigned i = 0; i < 200; i++) {
		st = stage_make(2);
		st->s_arg = 850 + i;
		run(CPUS, 1, interrupting_main, st);
		for (unsigned k = 0; k < 2; k++) {
			ATF_CHECK_EQ(EINTR, st->s_actor[k].a_error);
			ATF_CHECK_EQ(1, st->s_actor[k].a_count);
			ATF_CHECK_MSG(st->s_actor[k].a_ns < 10000, "%u: %jd ns",
			    i, (intmax_t)st->s_actor[k].a_ns);
		}
		free(st);
	}
}

static void
whole_sleep_actor(void *arg)
{
	struct actor *a = arg;

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
	struct stage *st = stage_make(1);

	PLAY(CPUS, st, { 0, whole_sleep_actor });
	ATF_CHECK_EQ(0, st->s_actor[0].a_error);
	ATF_CHECK_EQ(NS_PER_MS + (FIXTURE_SYSCALL_PS + FIXTURE_CROSS_PS) / 1000,
	    st->s_actor[0].a_ns);
	ATF_CHECK_EQ(FIXTURE_SYSCALL_PS / 1000, st->s_actor[0].a_count);
	free(st);
}

/* Wait and wake */

static void
waiting_actor(void *arg)
{
	struct actor *a = arg;
	struct stage *st = a->a_stage;

	work_ns(2000);
	while (atomic_load_acq_32(st->s_word) == 0) {
		a->a_error = machine_wait_32(st->s_word, 0, -1);
		a->a_count++;
	}
	a->a_ns = machine_uptime_ns();
}

static void
waking_actor(void *arg)
{
	struct actor *a = arg;
	struct stage *st = a->a_stage;

	work_ns(st->s_arg);
	atomic_store_rel_32(st->s_word, 1);
	if (a->a_index % 2 == 0)
		machine_wake_32(st->s_word);
	else
		machine_wake_one_32(st->s_word);
}

static void
wake_main(void *arg)
{
	struct stage *st = arg;

	start(&st->s_actor[0], 0, waiting_actor);
	start(&st->s_actor[1], (int)(st->s_arg / LATENESS_STEP_NS % 3),
	    waking_actor);
	join_all(st);
}

TEST(machine_wait_32__no_wake_up_lost, "A wait ends, whatever the time between "
    "it and the store and wake-up that should end it")
{
	struct machine_config mc = fixture_config(CPUS, 1);
	unsigned slept = 0;
	struct stage *st;

	for (unsigned preempt = 0; preempt < 2; preempt++) {
		mc.mc_costs.vc_preempt = preempt != 0;
		for (unsigned which = 0; which < 2; which++) {
			for (unsigned i = 0; i < LATENESSES; i++) {
				st = stage_make(2);
				st->s_actor[1].a_index = which;
				st->s_arg = i * LATENESS_STEP_NS;
				run_config(&mc, wake_main, st);
				slept += st->s_actor[0].a_count > 0;
				free(st);
			}
		}
	}
	/* Neither always early nor always late. */
	ATF_CHECK(slept > LATENESSES / 4 && slept < LATENESSES * 15 / 4);
}

static void
two_words_actor(void *arg)
{
	struct actor *a = arg;
	struct stage *st = a->a_stage;

	a->a_error = machine_wait_32(a->a_index % 2 == 0 ? st->s_word :
	    &st->s_word[1], 0, a->a_index == 0 ? NS_PER_MS : -1);
	a->a_ns = machine_uptime_ns();
	a->a_order = st->s_order++;
}

static void
two_words_main(void *arg)
{
	struct stage *st = arg;

	start_each(st, st->s_actors, two_words_actor);
	machine_sleep(2 * NS_PER_MS);
	ATF_CHECK_EQ(1, st->s_order);
	ATF_CHECK_EQ(ETIMEDOUT, st->s_actor[0].a_error);
	/* Waking without storing is allowed, spurious for the waiter. */
	machine_wake_one_32(st->s_word);
	machine_sleep(NS_PER_MS);
	ATF_CHECK_EQ(2, st->s_order);
	machine_wake_32(&st->s_word[1]);
	machine_sleep(NS_PER_MS);
	ATF_CHECK_EQ(2 + st->s_actors / 2, st->s_order);
	machine_wake_32(st->s_word);
	join_all(st);
	for (unsigned i = 0; i < st->s_actors; i++)
		ATF_CHECK_EQ(i % 2 == 0, st->s_actor[i].a_ns < 3 * NS_PER_MS ||
		    st->s_actor[i].a_ns > 4 * NS_PER_MS);
}

TEST(machine_wake_32__the_right_ones, "All or one of those on the word are "
    "woken, not those on another word of its line; time-outs are returned")
{
	struct stage *st = stage_make(8);

	run(8, 1, two_words_main, st);
	/* The one that timed out: the call, falling asleep, waking up. */
	ATF_CHECK_EQ(NS_PER_MS + (FIXTURE_SYSCALL_PS + FIXTURE_PARK_PS +
	    FIXTURE_CROSS_PS + 28000) / 1000, st->s_actor[0].a_ns);
	free(st);
}

static void
differs_main(void *arg)
{
	struct stage *st = arg;

	ATF_CHECK_EQ(0, machine_wait_32(st->s_word, 7, -1));
	ATF_CHECK_EQ(ETIMEDOUT, machine_wait_32(st->s_word, 0, 0));
	ATF_CHECK_EQ(ETIMEDOUT, machine_wait_32(st->s_word, 0, 500));
	ATF_CHECK_EQ(500, machine_uptime_ns());
}

TEST(machine_wait_32__word_differs, "A thread does not wait for a word that "
    "has changed; a time-out of 0 is one, too")
{
	struct stage *st = stage_make(1);

	run(1, 1, differs_main, st);
	free(st);
}

/* Spinning */

static void
awaiting_actor(void *arg)
{
	struct actor *a = arg;
	struct stage *st = a->a_stage;
	int64_t before_ns;

	work_ns(100);
	/* A few polls, and no change. */
	before_ns = machine_uptime_ns();
	ATF_CHECK_EQ(5, machine_await_32(st->s_word, 0, 5));
	ATF_CHECK_EQ(5 * FIXTURE_POLL_PS / 1000, machine_uptime_ns() -
	    before_ns);
	/* Changed already. */
	before_ns = machine_uptime_ns();
	ATF_CHECK_EQ(1, machine_await_32(st->s_word, 1, 5));
	ATF_CHECK_EQ(1, machine_await_is_32(st->s_word, 0, 0));
	ATF_CHECK_EQ(2 * FIXTURE_POLL_PS / 1000, machine_uptime_ns() -
	    before_ns);
	/* Until it changes. */
	before_ns = machine_uptime_ns();
	a->a_count = machine_await_32(st->s_word, 0, 0);
	ATF_CHECK_EQ(1, atomic_load_32(st->s_word));
	a->a_ns = machine_uptime_ns();
	ATF_CHECK_EQ((a->a_ns - before_ns) * 1000 / FIXTURE_POLL_PS + 1,
	    (int64_t)a->a_count);
	/* Not 1 but 2 ends this one. */
	machine_await_is_32(st->s_word, 3, 0);
	ATF_CHECK_EQ(3, atomic_load_32(st->s_word));
	ATF_CHECK_EQ(a->a_ns + 2000, machine_uptime_ns() / 1000 * 1000 +
	    a->a_ns % 1000);
}

static void
storing_actor(void *arg)
{
	struct actor *a = arg;

	work_ns(1000);
	for (unsigned i = 1; i <= 3; i++) {
		atomic_store_rel_32(a->a_stage->s_word, i);
		work_ns(1000);
	}
}

TEST(machine_await_32__returns_polls, "Spinning takes as long as its polls, at "
    "most those allowed, and ends when the word has changed")
{
	struct stage *st = stage_make(2);

	PLAY(CPUS, st, { 0, awaiting_actor }, { 1, storing_actor });
	ATF_CHECK(st->s_actor[0].a_ns >= 1000 && st->s_actor[0].a_ns < 1100);
	free(st);
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
mixed_waiter(void *arg)
{
	struct actor *a = arg;
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
mixed_writer(void *arg)
{
	(void)arg;
	for (uint32_t i = 1; i <= MIXED_STEPS; i++) {
		work_ns(100 * 1000);
		atomic_store_rel_ptr(&mixture.mx_p, i);
		atomic_store_rel_32(&mixture.mx_b, i);
		work_ns(i % 3 * 1000);
		atomic_fetchadd_32(&mixture.mx_a, 1);
	}
}

static void
mixed_waits_main(void *arg)
{
	struct stage *st = arg;

	memset(&mixture, 0, sizeof(mixture));
	start_each(st, MIXED, mixed_waiter);
	start(&st->s_actor[MIXED], MIXED, mixed_writer);
	join_all(st);
}

TEST(machine_await__of_all_sorts, "Waiters for values and for changes of "
    "several words of one line all see the change")
{
	struct stage *st = stage_make(MIXED + 1);

	run(MIXED + 1, 1, mixed_waits_main, st);
	for (unsigned i = 0; i < MIXED; i++)
		ATF_CHECK(st->s_actor[i].a_count > 2);
	free(st);
}

static void
robbed_actor(void *arg)
{
	struct actor *a = arg;

	a->a_count = machine_await_32(a->a_stage->s_word, 0, 0);
	a->a_ns = machine_uptime_ns();
}

static void
robbing_actor(void *arg)
{
	struct actor *a = arg;

	work_ns(3 * NS_PER_QUANTUM);
	atomic_store_32(a->a_stage->s_word, 1);
}

TEST(machine_await_32__without_cpu, "A spinner that has lost its CPU does not "
    "poll until it has one again")
{
	struct stage *st = stage_make(2);

	PLAY(1, st, { 0, robbed_actor }, { 0, robbing_actor });
	/* It looks again when it is back on its CPU, which is one return. */
	ATF_CHECK_MSG(st->s_actor[0].a_count <= (NS_PER_QUANTUM +
	    2 * FIXTURE_SWITCH_PS / 1000) * 1000 / FIXTURE_POLL_PS + 1,
	    "%" PRIu64 " polls", st->s_actor[0].a_count);
	ATF_CHECK(st->s_actor[0].a_ns >= 2 * NS_PER_QUANTUM);
	free(st);
}

static void
noting_actor(void *arg)
{
	struct actor *a = arg;

	work_ns(100);
	for (uint64_t i = 0; i < a->a_stage->s_arg; i++)
		machine_note_store_32(a->a_stage->s_word,
		    machine_note_load_32(a->a_stage->s_word) + 1);
	a->a_ns = machine_uptime_ns();
}

TEST(machine_note__costs_nothing, "Notes change neither time nor events nor "
    "hash")
{
	struct machine_outcome none;
	struct stage *st;

	for (uint64_t notes = 0; notes < 1000; notes += 500) {
		st = stage_make(1);
		st->s_arg = notes;
		PLAY(1, st, { 0, noting_actor });
		ATF_CHECK_EQ(notes, machine_note_load_32(st->s_word));
		ATF_CHECK_EQ(100, st->s_actor[0].a_ns);
		if (notes == 0)
			none = outcome;
		ATF_CHECK_EQ(none.mo_hash, outcome.mo_hash);
		ATF_CHECK_EQ(none.mo_events, outcome.mo_events);
		free(st);
	}
}

static void
owing_actor(void *arg)
{
	struct actor *a = arg;
	const struct vm *vm = vm_get();
	uint64_t before_ps, most_ps = 0;

	atomic_store_32(a->a_stage->s_word, 1);
	work_ns(100);
	before_ps = vm_self_ps(vm);
	for (unsigned i = 0; i < 1000; i++) {
		if (i % 3 == 0)
			atomic_fetchadd_32(a->a_stage->s_word, 1);
		else
			atomic_load_32(a->a_stage->s_word);
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
	struct stage *st = stage_make(1);

	PLAY(1, st, { 0, owing_actor });
	ATF_CHECK_EQ(outcome.mo_time_ps / 1000, (uint64_t)st->s_actor[0].a_ns);
	free(st);
}

static void
coarse_actor(void *arg)
{
	struct actor *a = arg;
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
	struct stage *st = stage_make(1);

	PLAY(1, st, { 0, coarse_actor });
	ATF_CHECK_EQ(7777700, st->s_actor[0].a_ns);
	free(st);
}

/* The run as a whole */

static void
mixed_actor(void *arg)
{
	struct actor *a = arg;
	struct stage *st = a->a_stage;

	for (unsigned i = 0; i < 200; i++) {
		work_ns(machine_curthread()->mt_index * 10 + 100);
		atomic_fetchadd_32(st->s_word, 1);
		if (i % 10 == 0)
			machine_wait_32(&st->s_word[1], 0, 3000);
		if (i % 17 == 0)
			machine_sleep(1000);
		if (i % 5 == 0)
			machine_yield();
	}
}

static void
mixed_main(void *arg)
{
	struct stage *st = arg;

	for (unsigned i = 0; i < st->s_actors; i++)
		start(&st->s_actor[i], i % 3 == 0 ? MACHINE_CPU_ANY : (int)i,
		    mixed_actor);
	join_all(st);
}

static struct machine_outcome
mixed_run(uint64_t seed)
{
	struct machine_config mc = fixture_config(CPUS, 2);
	struct stage *st = stage_make(ACTORS);

	mc.mc_seed = seed;
	mc.mc_costs.vc_jitter[0] = mc.mc_costs.vc_jitter[1] = 0.1;
	mc.mc_costs.vc_ps[PROFILE_OS_WAKE_CROSS_P99] *= 5;
	if (vm_run(&mc, mixed_main, st, &outcome) != 0)
		outcome.mo_hash = 0;
	free(st);
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
	struct stage *st = stage_make(ACTORS);

	if (vm_run(&mc, mixed_main, st, mo) != 0)
		mo->mo_hash = 0;
	free(st);
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
endless_actor(void *arg)
{
	(void)arg;
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
	static const struct part part = { 0, endless_actor };
	struct stage *st = stage_make(1);
	_Atomic uint64_t done_ps = 0;

	st->s_part = &part;
	st->s_parts = 1;
	mc.mc_stop = &stop;
	mc.mc_progress_ps = &done_ps;
	ATF_CHECK_EQ(EINTR, vm_run(&mc, play_parts, st, &outcome));
	ATF_CHECK(outcome.mo_time_ps >= UINT64_C(100000000000));
	ATF_CHECK(outcome.mo_time_ps < UINT64_C(200000000000));
	ATF_CHECK_EQ(outcome.mo_time_ps, atomic_load(&done_ps));
	ATF_CHECK_STREQ("", outcome.mo_stuck);
	free(st);
}

TEST_PROGRAM()
