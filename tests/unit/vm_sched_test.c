/*
 * CPUs of the simulated machine: which threads get them, for how long, and that
 * the accounts are right.
 */
#define	FLAVOUR		virtual
#define	MACHINE_VIRTUAL

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "lib/vm/impl.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"
#include "tests/unit/vm_fixture.h"

enum {
	CPUS		= 4,
	THREADS		= 3 * CPUS + 1,
	STEP_NS		= 10 * 1000,
	NS_PER_QUANTUM	= FIXTURE_QUANTUM_PS / 1000
};

struct worker {
	struct mthread	 w_td;
	struct shop	*w_shop;
	uint64_t	 w_left_ns;	/* of work */
	uint64_t	 w_step_ns;
	uint64_t	 w_steps;	/* done */
	int64_t		 w_ended_ns;
	bool		 w_requests;	/* gives way between steps */
	bool		 w_sleeps;
	int		 w_cpu;
};

/* Threads that work, and what an observer saw of them. */
struct shop {
	struct worker	*s_worker;
	unsigned	 s_workers;
	void		(*s_work)(void *worker);
	int64_t		 s_until_ns;	/* 0: until the work is done */
	struct m32	*s_word;
	/* The observer's. */
	struct vm_observer s_observer;
	int		 s_on[CPUS];	/* thread on each CPU; -1: none */
	uint64_t	 s_since_ps[CPUS];
	uint64_t	 s_busy_ps[CPUS];
	uint64_t	 s_time_ps;
	uint64_t	 s_wrong;	/* notes that cannot be */
	bool		 s_is_on[THREADS + 2];
	uint64_t	 s_used_ps[THREADS + 2];
	unsigned	 s_ended;
};

static struct machine_outcome outcome;

static void
note(void *context, const struct vm_note *vn)
{
	struct shop *s = context;
	unsigned cpu = (unsigned)vn->vn_cpu, id = vn->vn_thread;

	/* In order of time but for what threads owe. */
	s->s_wrong += vn->vn_time_ps + VM_DEFERRED_MAX_PS < s->s_time_ps;
	if (vn->vn_time_ps > s->s_time_ps)
		s->s_time_ps = vn->vn_time_ps;
	switch (vn->vn_kind) {
	case VM_CPU_ON:
		s->s_wrong += s->s_on[cpu] != -1 || s->s_is_on[id];
		s->s_on[cpu] = (int)id;
		s->s_is_on[id] = true;
		s->s_since_ps[cpu] = vn->vn_time_ps;
		break;
	case VM_CPU_OFF:
		s->s_wrong += s->s_on[cpu] != (int)id || !s->s_is_on[id];
		s->s_on[cpu] = -1;
		s->s_is_on[id] = false;
		s->s_busy_ps[cpu] += vn->vn_time_ps - s->s_since_ps[cpu];
		s->s_used_ps[id] = vm_get()->vm_thread[id]->vt_used_ps;
		break;
	case VM_THREAD_END:
		s->s_ended++;
		break;
	default:
		break;
	}
}

static void
worker_main(void *arg)
{
	struct worker *w = arg;
	struct shop *s = w->w_shop;

	while (s->s_until_ns == 0 ? w->w_left_ns > 0 :
	    machine_uptime_ns() < s->s_until_ns) {
		if (w->w_requests)
			machine_charge(COST_SYSCALL, 1);
		machine_charge(COST_WORK, w->w_step_ns);
		w->w_left_ns -= w->w_step_ns;
		w->w_steps++;
		if (w->w_sleeps && w->w_steps % 7 == 0)
			machine_sleep((int64_t)w->w_step_ns);
		if (w->w_sleeps && w->w_steps % 5 == 0)
			machine_wait_32(s->s_word, 0, 2 * STEP_NS);
		if (w->w_sleeps && w->w_steps % 11 == 0)
			machine_wake_32(s->s_word);
		if (w->w_sleeps && w->w_steps % 13 == 0)
			machine_yield();
	}
	w->w_ended_ns = machine_uptime_ns();
}

static struct shop *
shop_make(unsigned workers)
{
	struct shop *s = support_alloc(1, sizeof(*s));

	ATF_REQUIRE(workers <= THREADS);
	s->s_workers = workers;
	s->s_work = worker_main;
	s->s_worker = support_alloc(workers, sizeof(*s->s_worker));
	s->s_word = support_alloc(1, sizeof(*s->s_word));
	s->s_observer = (struct vm_observer){ .vb_note = note,
	    .vb_context = s };
	for (unsigned i = 0; i < CPUS; i++)
		s->s_on[i] = -1;
	for (unsigned i = 0; i < workers; i++)
		s->s_worker[i] = (struct worker){ .w_shop = s,
		    .w_cpu = MACHINE_CPU_ANY, .w_step_ns = STEP_NS };
	return (s);
}

static void
shop_free(struct shop *s)
{
	free(s->s_word);
	free(s->s_worker);
	free(s);
}

static void
shop_open(struct shop *s)
{
	for (unsigned i = 0; i < s->s_workers; i++)
		support_spawn(&s->s_worker[i].w_td, "worker",
		    s->s_worker[i].w_cpu, s->s_work, &s->s_worker[i]);
}

static void
shop_close(struct shop *s)
{
	for (unsigned i = 0; i < s->s_workers; i++)
		machine_join(&s->s_worker[i].w_td);
}

static void
shop_main(void *arg)
{
	shop_open(arg);
	shop_close(arg);
}

static void
shop_run_first(struct shop *s, unsigned cpus, bool preempt,
    void (*first)(void *))
{
	struct machine_config mc = fixture_config(cpus, 1);
	int error;

	mc.mc_costs.vc_preempt = preempt;
	mc.mc_observer = &s->s_observer;
	error = vm_run(&mc, first, s, &outcome);
	ATF_REQUIRE_MSG(error == 0, "%s: %s", strerror(error),
	    outcome.mo_stuck);
	ATF_CHECK_MSG(s->s_wrong == 0, "%" PRIu64 " wrong notes", s->s_wrong);
	ATF_CHECK_EQ(s->s_workers, s->s_ended);
}

static void
shop_run(struct shop *s, unsigned cpus, bool preempt)
{
	shop_run_first(s, cpus, preempt, shop_main);
}

TEST(vm_sched__quantum, "Two on one CPU take turns of a quantum; without "
    "preemption the first works till it gives way")
{
	struct shop *s;
	int64_t apart_ns;

	/* Preempted; one piece of work; requests one behind the other. */
	for (unsigned kind = 0; kind < 3; kind++) {
		s = shop_make(2);
		for (unsigned i = 0; i < 2; i++) {
			s->s_worker[i].w_cpu = 0;
			s->s_worker[i].w_left_ns = 10 * NS_PER_QUANTUM;
			s->s_worker[i].w_step_ns = kind == 2 ? STEP_NS :
			    10 * NS_PER_QUANTUM;
			s->s_worker[i].w_requests = true;
		}
		shop_run(s, 1, kind == 0);
		apart_ns = s->s_worker[1].w_ended_ns -
		    s->s_worker[0].w_ended_ns;
		if (kind == 1)
			ATF_CHECK_EQ(10 * NS_PER_QUANTUM +
			    FIXTURE_SWITCH_PS / 1000, apart_ns);
		else
			ATF_CHECK_MSG(apart_ns > 0 && apart_ns <=
			    NS_PER_QUANTUM + STEP_NS +
			    2 * FIXTURE_SWITCH_PS / 1000, "%u: %jd ns apart",
			    kind, (intmax_t)apart_ns);
		ATF_CHECK(s->s_worker[1].w_ended_ns >= 20 * NS_PER_QUANTUM);
		ATF_CHECK(s->s_worker[1].w_ended_ns < 21 * NS_PER_QUANTUM);
		shop_free(s);
	}
}

/* Works while it is held; counts steps on another CPU than the one before. */
static unsigned held, moves;

static void
held_main(void *arg)
{
	struct worker *w = arg;
	unsigned cpu, was;

	(void)vm_hold(CPUS, held, VM_CPU_ANY);
	for (was = machine_cpu(); w->w_left_ns > 0; was = cpu) {
		machine_charge(COST_WORK, w->w_step_ns);
		w->w_left_ns -= w->w_step_ns;
		cpu = machine_cpu();
		moves += cpu != was;
	}
	w->w_ended_ns = machine_uptime_ns();
	(void)vm_hold(CPUS, 0, VM_CPU_ANY);
	/* What a critical section deferred comes before this. */
	machine_charge(COST_WORK, 2 * NS_PER_QUANTUM);
}

static int64_t
held_apart_ns(unsigned hold, unsigned workers, unsigned cpus)
{
	struct shop *s = shop_make(workers);
	int64_t apart_ns;

	held = hold;
	moves = 0;
	s->s_work = held_main;
	for (unsigned i = 0; i < workers; i++)
		s->s_worker[i].w_left_ns = 10 * NS_PER_QUANTUM;
	shop_run(s, cpus, true);
	apart_ns = s->s_worker[1].w_ended_ns - s->s_worker[0].w_ended_ns;
	shop_free(s);
	return (apart_ns);
}

TEST(vm_sched__held, "A thread in a critical section is not preempted, one "
    "that is pinned is, but not moved")
{
	int64_t apart_ns;

	apart_ns = held_apart_ns(VM_CRITICAL, 2, 1);
	/* The other one begins at once when the section ends. */
	ATF_CHECK_MSG(apart_ns >= 10 * NS_PER_QUANTUM &&
	    apart_ns < 11 * NS_PER_QUANTUM, "%jd ns", (intmax_t)apart_ns);
	apart_ns = held_apart_ns(VM_PINNED, 2, 1);
	ATF_CHECK_MSG(apart_ns < 3 * NS_PER_QUANTUM, "%jd ns",
	    (intmax_t)apart_ns);
	(void)held_apart_ns(0, 3, 2);
	ATF_CHECK(moves > 0);
	(void)held_apart_ns(VM_PINNED, 3, 2);
	ATF_CHECK_EQ(0, moves);
}

/* Every worker's share of all work done is within bounds. */
static void
check_shares(const struct shop *s, double least, double most, unsigned preempt)
{
	uint64_t sum = 0;
	double share;

	for (unsigned i = 0; i < s->s_workers; i++)
		sum += s->s_worker[i].w_steps * s->s_worker[i].w_step_ns;
	for (unsigned i = 0; i < s->s_workers; i++) {
		share = (double)(s->s_worker[i].w_steps *
		    s->s_worker[i].w_step_ns) * s->s_workers / (double)sum;
		ATF_CHECK_MSG(share > least && share < most,
		    "preempt %u: worker %u got %.3f", preempt, i, share);
	}
}

TEST(vm_sched__fair_on_a_cpu, "Threads bound to one CPU get the same of it, "
    "whether they can be preempted or not")
{
	struct shop *s;

	for (unsigned preempt = 0; preempt < 2; preempt++) {
		s = shop_make(5);
		s->s_until_ns = 200 * NS_PER_QUANTUM;
		for (unsigned i = 0; i < 5; i++) {
			s->s_worker[i].w_cpu = 0;
			s->s_worker[i].w_requests = true;
			/* Larger pieces of work get no more. */
			s->s_worker[i].w_step_ns = (i + 1) * STEP_NS;
		}
		shop_run(s, 1, preempt != 0);
		check_shares(s, 0.95, 1.05, preempt);
		shop_free(s);
	}
}

TEST(vm_sched__more_than_cpus, "With more floating threads than CPUs all get "
    "on, no CPU is idle, and none gets twice its share")
{
	struct shop *s;

	for (unsigned preempt = 0; preempt < 2; preempt++) {
		s = shop_make(THREADS);
		s->s_until_ns = 400 * NS_PER_QUANTUM;
		for (unsigned i = 0; i < THREADS; i++)
			s->s_worker[i].w_requests = true;
		shop_run(s, CPUS, preempt != 0);
		check_shares(s, 0.5, 2, preempt);
		for (unsigned i = 0; i < CPUS; i++)
			ATF_CHECK_MSG(s->s_busy_ps[i] / 1000 >=
			    (uint64_t)s->s_until_ns, "preempt %u: CPU %u was "
			    "busy for %" PRIu64 " ps", preempt, i,
			    s->s_busy_ps[i]);
		shop_free(s);
	}
}

TEST(vm_sched__floating_fill_idle, "Floating threads go to idle CPUs, also "
    "when a CPU gets free later; bound ones stay")
{
	int64_t first_ns, second_ns;
	struct shop *s;

	/* As many as CPUs: all at once. */
	s = shop_make(CPUS);
	for (unsigned i = 0; i < CPUS; i++)
		s->s_worker[i].w_left_ns = 100 * STEP_NS;
	shop_run(s, CPUS, true);
	for (unsigned i = 0; i < CPUS; i++)
		ATF_CHECK_EQ(100 * STEP_NS, s->s_worker[i].w_ended_ns);
	shop_free(s);
	/*
	 * Bound ones fill all CPUs, CPU 0 for longest; two floating ones come
	 * behind, and a bound one behind the first.
	 */
	s = shop_make(CPUS + 3);
	for (unsigned i = 0; i < CPUS; i++) {
		s->s_worker[i].w_cpu = (int)i;
		s->s_worker[i].w_left_ns = (i == 0 ? 100 : 2 * i) * STEP_NS;
	}
	s->s_worker[CPUS].w_left_ns = 10 * STEP_NS;
	s->s_worker[CPUS + 1].w_left_ns = 10 * STEP_NS;
	s->s_worker[CPUS + 2].w_left_ns = 10 * STEP_NS;
	s->s_worker[CPUS + 2].w_cpu = 0;
	shop_run(s, CPUS, false);
	/* One gets the first CPU that is free, the other the second. */
	first_ns = s->s_worker[CPUS].w_ended_ns;
	second_ns = s->s_worker[CPUS + 1].w_ended_ns;
	ATF_CHECK_EQ(12 * STEP_NS + FIXTURE_SWITCH_PS / 1000,
	    first_ns < second_ns ? first_ns : second_ns);
	ATF_CHECK_EQ(14 * STEP_NS + FIXTURE_SWITCH_PS / 1000,
	    first_ns < second_ns ? second_ns : first_ns);
	ATF_CHECK_EQ(110 * STEP_NS + FIXTURE_SWITCH_PS / 1000,
	    s->s_worker[CPUS + 2].w_ended_ns);
	shop_free(s);
}

TEST(vm_sched__books_are_right, "A CPU has one thread and a thread one CPU; "
    "CPU time of all threads is that of all CPUs but for idling")
{
	uint64_t busy_ps, used_ps;
	struct shop *s;

	for (unsigned preempt = 0; preempt < 2; preempt++) {
		for (unsigned n = 1; n <= THREADS; n += 3) {
			s = shop_make(n);
			for (unsigned i = 0; i < n; i++) {
				s->s_worker[i].w_left_ns = 300 * STEP_NS;
				s->s_worker[i].w_sleeps = true;
				s->s_worker[i].w_requests = i % 2 == 0;
				s->s_worker[i].w_step_ns = (i % 3 + 1) *
				    STEP_NS;
				if (i % 3 == 0)
					s->s_worker[i].w_cpu = (int)i;
			}
			shop_run(s, CPUS, preempt != 0);
			busy_ps = used_ps = 0;
			for (unsigned i = 0; i < CPUS; i++) {
				ATF_CHECK_EQ(-1, s->s_on[i]);
				ATF_CHECK(s->s_busy_ps[i] <=
				    outcome.mo_time_ps);
				busy_ps += s->s_busy_ps[i];
			}
			for (unsigned i = 0; i < n; i++) {
				used_ps += s->s_used_ps[i + 1];
				ATF_CHECK(s->s_used_ps[i + 1] / 1000 >=
				    300 * STEP_NS);
			}
			ATF_CHECK_EQ_MSG(busy_ps, used_ps, "%u threads, "
			    "preempt %u: %" PRIu64 " ps, %" PRIu64 " ps", n,
			    preempt, busy_ps, used_ps);
			shop_free(s);
		}
	}
}

/* Compares what the machine says with what the observer saw. */
static void
asking_main(void *arg)
{
	struct shop *s = arg;
	struct machine_probe probe = { 0 };
	struct mthread self;
	unsigned off = 0, on = 0, wrong = 0;
	bool running;

	machine_attach(&self, "first");
	shop_open(s);
	for (unsigned k = 0; k < 3000; k++) {
		machine_sleep(777);
		for (unsigned i = 0; i < s->s_workers; i++) {
			running = machine_running(&s->s_worker[i].w_td,
			    &probe);
			wrong += running != s->s_is_on[i + 1];
			on += running;
			off += !running;
		}
	}
	shop_close(s);
	for (unsigned i = 0; i < s->s_workers; i++)
		wrong += machine_running(&s->s_worker[i].w_td, &probe);
	ATF_CHECK_EQ(0, wrong);
	ATF_CHECK(on > 1000 && off > 1000);
}

TEST(machine_running__exactly_on_cpu, "A thread is running exactly while it "
    "has a CPU: not queued, asleep, waking or ended")
{
	struct shop *s;

	for (unsigned preempt = 0; preempt < 2; preempt++) {
		s = shop_make(THREADS);
		for (unsigned i = 0; i < THREADS; i++) {
			s->s_worker[i].w_left_ns = 100 * STEP_NS;
			s->s_worker[i].w_sleeps = true;
			s->s_worker[i].w_requests = true;
		}
		shop_run_first(s, CPUS, preempt != 0, asking_main);
		shop_free(s);
	}
}

static void
yielding_main(void *arg)
{
	struct worker *w = arg;
	struct shop *s = w->w_shop;

	for (unsigned i = 0; i < 100; i++) {
		/* In turn, from the first on. */
		s->s_wrong += machine_note_load_32(s->s_word) % s->s_workers !=
		    (unsigned)(w - s->s_worker);
		machine_note_store_32(s->s_word,
		    machine_note_load_32(s->s_word) + 1);
		machine_yield();
	}
}

TEST(machine_yield__in_turn, "Threads of one CPU that yield take turns; alone, "
    "one goes on at once")
{
	struct shop *s;

	for (unsigned n = 1; n <= 3; n++) {
		s = shop_make(n);
		s->s_work = yielding_main;
		for (unsigned i = 0; i < n; i++)
			s->s_worker[i].w_cpu = 0;
		shop_run(s, 1, true);
		ATF_CHECK_EQ(100 * n, machine_note_load_32(s->s_word));
		if (n == 1)
			ATF_CHECK_EQ(100 * FIXTURE_SYSCALL_PS,
			    outcome.mo_time_ps);
		shop_free(s);
	}
}

TEST_PROGRAM()
