/*
 * The virtual machine where nothing is drawn, against sums on paper: to the
 * picosecond.
 */
#define	MACHINE_VIRTUAL
#include <errno.h>

#include "lib/machine.h"
#include "tests/vm_section.h"

#ifndef nitems
#define	nitems(x)	(sizeof(x) / sizeof((x)[0]))
#endif

/* Costs that no sum of others equals by chance. */
enum {
	HIT_PS		= 1009,
	RMW_PS		= 5003,
	SMT_PS		= 8011,
	CCX_PS		= 27017,
	SOCK_PS		= 99023,
	REMOTE_PS	= 192029,
	INVALIDATE_PS	= 19031,
	PAUSE_PS	= 10007,
	SYSCALL_PS	= 60013,
	WAKE_CALL_PS	= 801001,
	WAKE_SAME_PS	= 1501003,
	WAKE_CROSS_PS	= 4001009,
	PARK_PS		= 601021,
	LOCK_PS		= 12037,
	SWITCH_PS	= 1001027,
	QUANTUM_PS	= 100000000
};

/* Two nodes of four cores, two behind each cache, two threads a core. */
enum {
	CPUS		= 16,
	BESIDE		= 8,	/* CPUs near CPU 0, by distance */
	SAME_CACHE	= 1,
	SAME_NODE	= 2,
	OTHER_NODE	= 4,
	LAST_NODE	= 7,
	TOUCHED_LINES	= 5
};

static void
make_exact(struct machine_config *mc)
{
	static const uint64_t lat[VM_DISTANCES] = { HIT_PS, SMT_PS, CCX_PS,
	    SOCK_PS, REMOTE_PS };
	struct vm_costs *vc = &mc->mc_costs;
	unsigned d;

	vm_section_machine(mc, CPUS, 2);
	mc->mc_topology.vt_cores = CPUS / 2;
	mc->mc_topology.vt_ccx_cores = 2;
	for (d = 0; d < VM_DISTANCES; d++) {
		vc->vc_lat_ps[d] = lat[d];
		vc->vc_service_ps[d] = lat[d] / 4;
	}
	vc->vc_cost_ps[COST_LOCK] = LOCK_PS;
	vc->vc_ps[PROFILE_LAT_RMW] = RMW_PS;
	vc->vc_ps[PROFILE_LINE_INVALIDATE] = INVALIDATE_PS;
	vc->vc_ps[PROFILE_CPU_PAUSE] = PAUSE_PS;
	vc->vc_ps[PROFILE_OS_SYSCALL] = SYSCALL_PS;
	vc->vc_ps[PROFILE_OS_WAKE_CALL] = WAKE_CALL_PS;
	vc->vc_ps[PROFILE_OS_WAKE_SAME_P50] = WAKE_SAME_PS;
	vc->vc_ps[PROFILE_OS_WAKE_SAME_P99] = WAKE_SAME_PS;
	vc->vc_ps[PROFILE_OS_WAKE_CROSS_P50] = WAKE_CROSS_PS;
	vc->vc_ps[PROFILE_OS_WAKE_CROSS_P99] = WAKE_CROSS_PS;
	vc->vc_ps[PROFILE_OS_PARK] = PARK_PS;
	vc->vc_ps[PROFILE_OS_SWITCH] = SWITCH_PS;
	vc->vc_ps[PROFILE_OS_QUANTUM] = QUANTUM_PS;
}

/* A line of words that a scene's threads act on, and when they did. */
static struct {
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	word;
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	own;
	_Alignas(MACHINE_CACHE_LINE)
	struct mthread	td[CPUS];
	uint64_t	began[CPUS];
	uint64_t	ended[CPUS];
	unsigned	polls;
} scene;

static void
scene_run(const struct machine_config *mc, void (*fn)(void *))
{
	struct machine_outcome mo;
	int error;

	memset(&scene, 0, sizeof(scene));
	error = machine_run(mc, fn, NULL, &mo);
	ATF_REQUIRE_EQ_MSG(error, 0, "error %d: %s", error, mo.mo_stuck);
}

/* One thread on one CPU, from start to end. */
static void
act(unsigned cpu, void (*fn)(void *))
{
	struct mthread td;

	ATF_REQUIRE_EQ(machine_spawn(&td, "actor", (int)cpu, fn,
	    &scene.began[cpu]), 0);
	machine_join(&td);
}

static unsigned
here(const uint64_t *slot)
{

	return ((unsigned)(slot - scene.began));
}

static void
begin(void *slot)
{

	*(uint64_t *)slot = vm_now_ps();
}

static void
end(void *slot)
{

	scene.ended[here(slot)] = vm_now_ps();
}

static uint64_t
took(unsigned cpu)
{

	return (scene.ended[cpu] - scene.began[cpu]);
}

#define	CHECK_TOOK(cpu, ps, what) do {					\
	uint64_t took_ps = took(cpu), should_ps = (ps);			\
									\
	ATF_CHECK_EQ_MSG(took_ps, should_ps, "%s takes %ju ps and not "	\
	    "%ju", what, (uintmax_t)took_ps, (uintmax_t)should_ps);	\
} while (0)

static void
do_load(void *slot)
{

	begin(slot);
	atomic_load_32(&scene.word);
	end(slot);
}

static void
do_store(void *slot)
{

	begin(slot);
	atomic_store_32(&scene.word, 1);
	end(slot);
}

static void
do_clear(void *slot)
{

	begin(slot);
	atomic_store_32(&scene.word, 0);
	end(slot);
}

static void
do_add(void *slot)
{

	begin(slot);
	atomic_fetchadd_32(&scene.word, 1);
	end(slot);
}

static const struct {
	unsigned	cpu;
	uint64_t	ps;
} neighbours[] = {
	{ BESIDE, SMT_PS },
	{ SAME_CACHE, CCX_PS },
	{ SAME_NODE, SOCK_PS },
	{ OTHER_NODE, REMOTE_PS },
};

/* A line goes to and fro, each of the ways that a CPU can want it. */
static void
lines_main(void *arg)
{
	static struct mthread self;
	unsigned cpu, i;
	uint64_t ps;

	(void)arg;
	machine_attach(&self, "main");
	for (i = 0; i < nitems(neighbours); i++) {
		cpu = neighbours[i].cpu;
		ps = neighbours[i].ps;
		act(0, do_store);
		act(cpu, do_add);
		CHECK_TOOK(cpu, ps + RMW_PS, "an addition to another's line");
		act(0, do_add);
		CHECK_TOOK(0, ps + RMW_PS, "and back");
		act(0, do_add);
		CHECK_TOOK(0, RMW_PS, "an addition to an own line");
		act(cpu, do_load);
		CHECK_TOOK(cpu, ps, "reading another's line");
		act(cpu, do_load);
		CHECK_TOOK(cpu, HIT_PS, "reading it again");
		act(0, do_load);
		CHECK_TOOK(0, HIT_PS, "reading what the other has read");
		act(0, do_store);
		CHECK_TOOK(0, ps + HIT_PS, "writing what another has read");
		act(0, do_store);
		CHECK_TOOK(0, HIT_PS, "writing an own line");
		act(cpu, do_store);
		CHECK_TOOK(cpu, ps + HIT_PS, "writing another's line");
	}
	machine_detach();
}

ATF_TC(exact__lines);
ATF_TC_HEAD(exact__lines, tc)
{

	atf_tc_set_md_var(tc, "descr", "Getting another CPU's line takes the "
	    "latency of that distance, to the picosecond");
}
ATF_TC_BODY(exact__lines, tc)
{
	struct machine_config mc;

	make_exact(&mc);
	scene_run(&mc, lines_main);
}

/* All of an object, one line behind the other. */
static void
do_touch(void *slot)
{

	begin(slot);
	machine_touch(&scene, TOUCHED_LINES);
	end(slot);
}

/* CPU 0 writes what readers have copies of. */
static void
sharers_main(void *arg)
{
	static struct mthread self;

	(void)arg;
	machine_attach(&self, "main");
	act(0, do_store);
	act(SAME_CACHE, do_load);
	act(SAME_NODE, do_load);
	act(BESIDE, do_load);
	act(0, do_store);
	CHECK_TOOK(0, SOCK_PS + HIT_PS, "three readers in the node");
	act(OTHER_NODE, do_load);
	act(LAST_NODE, do_load);
	CHECK_TOOK(LAST_NODE, SOCK_PS, "a copy is in the node already:");
	act(SAME_CACHE, do_load);
	act(0, do_store);
	CHECK_TOOK(0, REMOTE_PS + HIT_PS, "readers in two nodes");
	act(OTHER_NODE, do_load);
	act(SAME_CACHE, do_add);
	CHECK_TOOK(SAME_CACHE, REMOTE_PS + RMW_PS, "taking a line of which "
	    "the other node has a copy");
	act(OTHER_NODE, do_store);
	act(SAME_CACHE, do_load);
	act(0, do_store);
	CHECK_TOOK(0, REMOTE_PS + HIT_PS, "a copy is near, the owner's far");
	machine_detach();
}

/* Data that a lock guards goes with it. */
static void
touch_main(void *arg)
{
	static struct mthread self;

	(void)arg;
	machine_attach(&self, "main");
	act(OTHER_NODE, do_touch);
	act(0, do_touch);
	CHECK_TOOK(0, REMOTE_PS + (TOUCHED_LINES - 1) * (REMOTE_PS / 4),
	    "another's object");
	act(0, do_touch);
	CHECK_TOOK(0, HIT_PS, "an own object");
	act(SAME_NODE, do_touch);
	CHECK_TOOK(SAME_NODE, SOCK_PS + (TOUCHED_LINES - 1) * (SOCK_PS / 4),
	    "a neighbour's object");
	machine_detach();
}

/* The same where each CPU is a node. */
static void
far_sharers_main(void *arg)
{
	static struct mthread self;
	unsigned i, n;

	(void)arg;
	machine_attach(&self, "main");
	for (n = 1; n < CPUS; n++) {
		act(0, do_store);
		for (i = 1; i <= n; i++)
			act(i, do_load);
		act(0, do_store);
		CHECK_TOOK(0, REMOTE_PS + (n - 1) * INVALIDATE_PS + HIT_PS,
		    "writing what many nodes have read");
	}
	act(1, do_store);
	act(2, do_load);
	act(0, do_store);
	CHECK_TOOK(0, REMOTE_PS + INVALIDATE_PS + HIT_PS, "owner and reader "
	    "in two nodes");
	machine_detach();
}

ATF_TC(exact__invalidation);
ATF_TC_HEAD(exact__invalidation, tc)
{

	atf_tc_set_md_var(tc, "descr", "A write takes what the farthest copy "
	    "takes, and something for each further node");
}
ATF_TC_BODY(exact__invalidation, tc)
{
	struct machine_config mc;

	make_exact(&mc);
	scene_run(&mc, sharers_main);
	mc.mc_topology = (struct vm_topology){ CPUS, CPUS, CPUS, 1 };
	scene_run(&mc, far_sharers_main);
}

ATF_TC(exact__touch);
ATF_TC_HEAD(exact__touch, tc)
{

	atf_tc_set_md_var(tc, "descr", "An object comes with its first line's "
	    "latency, and a service for each further line");
}
ATF_TC_BODY(exact__touch, tc)
{
	struct machine_config mc;

	make_exact(&mc);
	scene_run(&mc, touch_main);
}

static void
do_load_at_once(void *slot)
{

	machine_charge(COST_WORK, 1000);
	do_load(slot);
}

static void
do_add_at_once(void *slot)
{

	machine_charge(COST_WORK, 1000);
	do_add(slot);
}

/* Hits, which are paid for with what comes next. */
static void
do_hits_and_add(void *slot)
{

	atomic_store_32(&scene.own, 1);
	begin(slot);
	atomic_load_32(&scene.own);
	atomic_load_32(&scene.own);
	atomic_fetchadd_32(&scene.word, 1);
	end(slot);
}

/* Two CPUs want a line of CPU 0 at the same time. */
static void
act_both(void (*fn)(void *))
{
	unsigned i;

	act(0, do_store);
	for (i = SAME_CACHE; i <= SAME_NODE; i++)
		ATF_REQUIRE_EQ(machine_spawn(&scene.td[i], "actor", (int)i, fn,
		    &scene.began[i]), 0);
	for (i = SAME_CACHE; i <= SAME_NODE; i++)
		machine_join(&scene.td[i]);
	ATF_CHECK_EQ(scene.began[SAME_CACHE], scene.began[SAME_NODE]);
}

static void
home_main(void *arg)
{
	static struct mthread self;

	(void)arg;
	machine_attach(&self, "main");
	act_both(do_load_at_once);
	CHECK_TOOK(SAME_CACHE, CCX_PS, "reading first");
	CHECK_TOOK(SAME_NODE, CCX_PS / 4 + SOCK_PS, "reading second");
	act_both(do_add_at_once);
	CHECK_TOOK(SAME_CACHE, CCX_PS + RMW_PS, "writing first");
	CHECK_TOOK(SAME_NODE, CCX_PS + SOCK_PS + RMW_PS, "writing second");
	act(0, do_store);
	act(OTHER_NODE, do_hits_and_add);
	CHECK_TOOK(OTHER_NODE, 2 * HIT_PS + REMOTE_PS + RMW_PS, "two hits and "
	    "an addition");
	machine_detach();
}

ATF_TC(exact__home);
ATF_TC_HEAD(exact__home, tc)
{

	atf_tc_set_md_var(tc, "descr", "A line's home serves readers one by "
	    "one, and writers one after the other");
}
ATF_TC_BODY(exact__home, tc)
{
	struct machine_config mc;

	make_exact(&mc);
	scene_run(&mc, home_main);
}

static void
do_await(void *slot)
{

	begin(slot);
	while (atomic_load_32(&scene.word) == 0)
		machine_await_32(&scene.word, 0, 0);
	end(slot);
}

static void
do_store_later(void *slot)
{

	machine_charge(COST_WORK, 1000);
	do_store(slot);
}

/* One spins until CPU 0 writes. */
static void
hand_over_main(void *arg)
{
	static struct mthread self;
	unsigned cpu, i;

	(void)arg;
	machine_attach(&self, "main");
	for (i = 0; i < nitems(neighbours); i++) {
		cpu = neighbours[i].cpu;
		act(0, do_clear);
		ATF_REQUIRE_EQ(machine_spawn(&scene.td[1], "waiter", (int)cpu,
		    do_await, &scene.began[cpu]), 0);
		act(0, do_store_later);
		machine_join(&scene.td[1]);
		CHECK_TOOK(0, neighbours[i].ps + HIT_PS, "writing what a "
		    "waiter reads");
		ATF_CHECK_EQ_MSG(scene.ended[cpu], scene.ended[0] +
		    neighbours[i].ps + HIT_PS + (uint64_t)
		    (cpu == OTHER_NODE ? REMOTE_PS : SOCK_PS) / 4 / 2,
		    "a waiter sees it %ju ps later", (uintmax_t)
		    (scene.ended[cpu] - scene.ended[0]));
	}
	machine_detach();
}

ATF_TC(exact__hand_over);
ATF_TC_HEAD(exact__hand_over, tc)
{

	atf_tc_set_md_var(tc, "descr", "A spinning waiter sees a change after "
	    "one latency and half a service of its node");
}
ATF_TC_BODY(exact__hand_over, tc)
{
	struct machine_config mc;

	make_exact(&mc);
	scene_run(&mc, hand_over_main);
}

static void
do_pause(void *slot)
{

	begin(slot);
	machine_pause(37);
	end(slot);
}

static void
do_polls(void *slot)
{

	atomic_load_32(&scene.word);
	begin(slot);
	scene.polls = machine_await_32(&scene.word, 0, 21);
	end(slot);
}

static void
do_sleep(void *slot)
{

	begin(slot);
	machine_sleep(5000);
	end(slot);
}

static void
do_wait(void *slot)
{

	begin(slot);
	machine_wait_32(&scene.word, 0, -1);
	end(slot);
}

static void
do_time_out(void *slot)
{

	begin(slot);
	ATF_CHECK_EQ(machine_wait_32(&scene.word, 0, 7000), ETIMEDOUT);
	end(slot);
}

static void
do_wake(void *slot)
{

	begin(slot);
	machine_wake_32(&scene.word);
	end(slot);
}

/* Long after the other is asleep; its CPU stays busy with that. */
static void
do_wake_later(void *slot)
{

	machine_charge(COST_WORK, 100000);
	do_wake(slot);
}

static void
pauses_main(void *arg)
{
	static struct mthread self;
	const uint64_t poll_ps = PAUSE_PS + HIT_PS;

	(void)arg;
	machine_attach(&self, "main");
	act(3, do_pause);
	CHECK_TOOK(3, 37 * (uint64_t)PAUSE_PS, "37 pauses");
	act(3, do_polls);
	CHECK_TOOK(3, 21 * poll_ps, "21 polls");
	ATF_CHECK_EQ(scene.polls, 21);
	act(4, do_sleep);
	CHECK_TOOK(4, SYSCALL_PS + 5000 * PS_PER_NS + WAKE_CROSS_PS,
	    "a sleep of 5 us");
	act(3, do_time_out);
	CHECK_TOOK(3, HIT_PS + SYSCALL_PS + PARK_PS + 7000 * PS_PER_NS +
	    WAKE_CROSS_PS, "a wait of 7 us");
	act(3, do_wake);
	CHECK_TOOK(3, SYSCALL_PS, "waking nobody");
	machine_detach();
}

ATF_TC(exact__pauses);
ATF_TC_HEAD(exact__pauses, tc)
{

	atf_tc_set_md_var(tc, "descr", "Pauses, polls, sleeps and time-outs "
	    "take the sum of their parts");
}
ATF_TC_BODY(exact__pauses, tc)
{
	struct machine_config mc;

	make_exact(&mc);
	scene_run(&mc, pauses_main);
}

static void
wakes_main(void *arg)
{
	static struct mthread self;
	uint64_t asleep_ps, woken_ps;

	(void)arg;
	machine_attach(&self, "main");
	ATF_REQUIRE_EQ(machine_spawn(&scene.td[1], "sleeper", 5, do_wait,
	    &scene.began[5]), 0);
	act(0, do_wake_later);
	machine_join(&scene.td[1]);
	CHECK_TOOK(0, WAKE_CALL_PS, "waking a sleeper");
	ATF_CHECK_EQ(scene.ended[5], scene.ended[0] + WAKE_CROSS_PS);
	/* The same CPU: the waker ends, then the sleeper gets it. */
	ATF_REQUIRE_EQ(machine_spawn(&scene.td[1], "sleeper", 0, do_wait,
	    &scene.began[1]), 0);
	act(0, do_wake_later);
	machine_join(&scene.td[1]);
	CHECK_TOOK(0, WAKE_CALL_PS, "waking a sleeper of this CPU");
	ATF_CHECK_EQ(scene.ended[1], scene.ended[0] + WAKE_SAME_PS);
	/* Its waker came when it was asleep. */
	asleep_ps = scene.began[1] + HIT_PS + SYSCALL_PS + PARK_PS;
	woken_ps = scene.began[0];
	ATF_CHECK(woken_ps > asleep_ps);
	machine_detach();
}

ATF_TC(exact__wakes);
ATF_TC_HEAD(exact__wakes, tc)
{

	atf_tc_set_md_var(tc, "descr", "Waking costs the waker its call and "
	    "the sleeper the way to its CPU");
}
ATF_TC_BODY(exact__wakes, tc)
{
	struct machine_config mc;

	make_exact(&mc);
	scene_run(&mc, wakes_main);
}

static void
do_wait_later(void *slot)
{

	machine_charge(COST_WORK, 50000);
	do_wait(slot);
}

static void
do_wake_one_later(void *slot)
{

	machine_charge(COST_WORK, 100000);
	begin(slot);
	machine_wake_one_32(&scene.word);
	end(slot);
	machine_charge(COST_WORK, 100000);
	machine_wake_one_32(&scene.word);
}

static void
wake_one_main(void *arg)
{
	static struct mthread self;
	unsigned i;

	(void)arg;
	machine_attach(&self, "main");
	for (i = 4; i <= 5; i++)
		ATF_REQUIRE_EQ(machine_spawn(&scene.td[i], "sleeper", (int)i,
		    i == 4 ? do_wait : do_wait_later, &scene.began[i]), 0);
	act(0, do_wake_one_later);
	for (i = 4; i <= 5; i++)
		machine_join(&scene.td[i]);
	ATF_CHECK_EQ(scene.ended[4], scene.ended[0] + WAKE_CROSS_PS);
	ATF_CHECK_EQ(scene.ended[5], scene.ended[0] + 100000 * PS_PER_NS +
	    WAKE_CALL_PS + WAKE_CROSS_PS);
	machine_detach();
}

ATF_TC(exact__wake_one);
ATF_TC_HEAD(exact__wake_one, tc)
{

	atf_tc_set_md_var(tc, "descr", "Waking one wakes one, who slept first");
}
ATF_TC_BODY(exact__wake_one, tc)
{
	struct machine_config mc;

	make_exact(&mc);
	scene_run(&mc, wake_one_main);
}

enum { QUANTA = 10 };

static void
do_work(void *slot)
{

	begin(slot);
	machine_charge(COST_WORK, QUANTA * QUANTUM_PS / PS_PER_NS);
	end(slot);
}

static void
quanta_main(void *arg)
{
	static struct mthread self;
	unsigned i;

	(void)arg;
	machine_attach(&self, "main");
	for (i = 0; i < 2; i++)
		ATF_REQUIRE_EQ(machine_spawn(&scene.td[i], "worker", 0, do_work,
		    &scene.began[i]), 0);
	for (i = 0; i < 2; i++)
		machine_join(&scene.td[i]);
	machine_detach();
}

/*
 * By turns, a quantum each, of which the way to the CPU is part; when the first
 * is done the other is to go on for what it lost by that.
 */
ATF_TC(exact__quanta);
ATF_TC_HEAD(exact__quanta, tc)
{

	atf_tc_set_md_var(tc, "descr", "Two threads share a CPU by quanta if "
	    "the profile preempts, else one after the other");
}
ATF_TC_BODY(exact__quanta, tc)
{
	const uint64_t work_ps = (uint64_t)QUANTA * QUANTUM_PS;
	struct machine_config mc;

	make_exact(&mc);
	scene_run(&mc, quanta_main);
	CHECK_TOOK(0, work_ps, "work that is not preempted");
	ATF_CHECK_EQ(scene.began[1], work_ps + SWITCH_PS);
	CHECK_TOOK(1, work_ps, "the other's");
	mc.mc_costs.vc_preempt = true;
	mc.mc_costs.vc_ps[PROFILE_OS_SWITCH] = 0;
	scene_run(&mc, quanta_main);
	ATF_CHECK_EQ(scene.began[1], QUANTUM_PS);
	ATF_CHECK_EQ(scene.ended[0], 2 * work_ps - QUANTUM_PS);
	ATF_CHECK_EQ(scene.ended[1], 2 * work_ps);
	mc.mc_costs.vc_ps[PROFILE_OS_SWITCH] = SWITCH_PS;
	scene_run(&mc, quanta_main);
	ATF_CHECK_EQ(scene.began[1], QUANTUM_PS + SWITCH_PS);
	/* What ways cost, but the first's to its first turn, comes at last. */
	ATF_CHECK_EQ(scene.ended[0], 2 * work_ps + QUANTA *
	    (uint64_t)SWITCH_PS);
	ATF_CHECK_EQ(scene.ended[1], 2 * work_ps + (2 * QUANTA + 1) *
	    (uint64_t)SWITCH_PS);
}

/* How long a thread alone is at so many cycles of that length, and to start. */
static uint64_t
alone(const char *lock, const struct machine_config *mc, unsigned think,
    unsigned hold, uint64_t window_ps, unsigned cycles)
{
	struct section_outcome so;
	struct section se;

	vm_section_make(&se, lock, 1, think, hold);
	se.se_time_s = (double)window_ps / PS_PER_S;
	vm_section_run(&se, mc, &so);
	free(so.so_thread);
	ATF_CHECK_MSG(so.so_count + 1 >= cycles && so.so_count <= cycles,
	    "%s: %ju cycles and not %u", lock, (uintmax_t)so.so_count, cycles);
	return (so.so_machine.mo_time_ps);
}

ATF_TC(exact__alone);
ATF_TC_HEAD(exact__alone, tc)
{

	atf_tc_set_md_var(tc, "descr", "A cycle of a thread alone takes the "
	    "sum of its costs");
}
ATF_TC_BODY(exact__alone, tc)
{
	static const struct {
		const char	*lock;
		unsigned	 rmws;
	} cases[] = { { "tas", 1 }, { "ticket", 1 }, { "mcs", 2 },
	    { "clh", 1 }, { "qspin", 2 }, { "cohort", 2 }, { "cna", 2 },
	    { "futex", 2 }, { "mtx", 2 } };
	const unsigned cycles = 1000, hold = 321, think = 1234;
	uint64_t cycle_ps, ps;
	struct machine_config mc;
	unsigned i;

	for (i = 0; i < nitems(cases); i++) {
		make_exact(&mc);
		/* How often each reads its own line is its own affair. */
		mc.mc_costs.vc_lat_ps[VM_SELF] = 0;
		cycle_ps = (think + hold) * PS_PER_NS + LOCK_PS +
		    cases[i].rmws * (uint64_t)RMW_PS;
		ps = alone(cases[i].lock, &mc, think, hold, 3 * cycles *
		    cycle_ps, 3 * cycles) - alone(cases[i].lock, &mc, think,
		    hold, cycles * cycle_ps, cycles);
		ATF_CHECK_EQ_MSG(ps, 2 * cycles * cycle_ps, "%s: %u cycles "
		    "take %ju ps and not %ju", cases[i].lock, 2 * cycles,
		    (uintmax_t)ps, (uintmax_t)(2 * cycles * cycle_ps));
	}
}

static void
count_note(void *context, const struct vm_note *note)
{

	*(uint64_t *)context += 1 + note->vn_ps;
}

/* What a run is, in numbers. */
static void
fingerprint(const char *lock, uint64_t seed, bool observed,
    struct section_outcome *so)
{
	struct machine_config mc;
	uint64_t notes = 0;
	struct vm_observer vo = { count_note, &notes };
	struct section se;

	make_exact(&mc);
	mc.mc_seed = seed;
	mc.mc_costs.vc_jitter = 0.05;
	mc.mc_costs.vc_ps[PROFILE_OS_WAKE_CROSS_P99] = 5 * WAKE_CROSS_PS;
	mc.mc_observer = observed ? &vo : NULL;
	vm_section_make(&se, lock, CPUS, 1000, 200);
	se.se_exponential = true;
	se.se_time_s = 0.0005;
	vm_section_run(&se, &mc, so);
	ATF_CHECK_EQ(notes > 0, observed);
}

static bool
same_counts(const struct section_outcome *a, const struct section_outcome *b)
{

	return (a->so_machine.mo_events == b->so_machine.mo_events &&
	    a->so_machine.mo_time_ps == b->so_machine.mo_time_ps &&
	    memcmp(a->so_thread, b->so_thread, CPUS *
	    sizeof(a->so_thread[0])) == 0);
}

ATF_TC(determinism);
ATF_TC_HEAD(determinism, tc)
{

	atf_tc_set_md_var(tc, "descr", "The seed, and nothing else, decides "
	    "what happens; being watched does not");
}
ATF_TC_BODY(determinism, tc)
{
	static const char *const locks[] = { "ticket", "tas", "mcs", "mtx",
	    "futex", "cohort", "tas-backoff" };
	struct section_outcome other, once, twice, watched;
	unsigned i;

	for (i = 0; i < nitems(locks); i++) {
		fingerprint(locks[i], 7, false, &once);
		fingerprint(locks[i], 8, false, &other);
		fingerprint(locks[i], 7, false, &twice);
		fingerprint(locks[i], 7, true, &watched);
		ATF_CHECK_MSG(once.so_machine.mo_hash ==
		    twice.so_machine.mo_hash && same_counts(&once, &twice),
		    "%s: two runs differ", locks[i]);
		ATF_CHECK_MSG(once.so_machine.mo_hash ==
		    watched.so_machine.mo_hash && same_counts(&once, &watched),
		    "%s: watching changes it", locks[i]);
		ATF_CHECK_MSG(once.so_machine.mo_hash !=
		    other.so_machine.mo_hash && !same_counts(&once, &other),
		    "%s: two seeds do the same", locks[i]);
		free(once.so_thread);
		free(twice.so_thread);
		free(watched.so_thread);
		free(other.so_thread);
	}
}

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, exact__lines);
	ATF_TP_ADD_TC(tp, exact__invalidation);
	ATF_TP_ADD_TC(tp, exact__touch);
	ATF_TP_ADD_TC(tp, exact__home);
	ATF_TP_ADD_TC(tp, exact__hand_over);
	ATF_TP_ADD_TC(tp, exact__pauses);
	ATF_TP_ADD_TC(tp, exact__wakes);
	ATF_TP_ADD_TC(tp, exact__wake_one);
	ATF_TP_ADD_TC(tp, exact__quanta);
	ATF_TP_ADD_TC(tp, exact__alone);
	ATF_TP_ADD_TC(tp, determinism);
	return (atf_no_error());
}
