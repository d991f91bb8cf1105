/*
 * The virtual machine where nothing is drawn, against sums on paper: to the
 * picosecond.
 */
#define	MACHINE_VIRTUAL
#include <errno.h>

#include "lib/machine/machine.h"
#include "lib/vm/impl.h"
#include "tests/unit/test.h"
#include "tests/unit/vm_section.h"

/* Costs that no sum of others equals by chance. */
enum {
	HIT_PS		= 1009,
	RMW_PS		= 5003,
	SMT_PS		= 8011,
	CCX_PS		= 27017,
	SOCK_PS		= 99023,
	NEAR_PS		= 150011,
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
	    SOCK_PS, NEAR_PS, REMOTE_PS };
	struct vm_costs *vc = &mc->mc_costs;
	unsigned d;

	vm_section_machine(mc, CPUS, 2);
	mc->mc_topology.tp_cores = CPUS / 2;
	mc->mc_topology.tp_ccx_cores = 2;
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
	uint32_t	seen;	/* by the thread that tried */
} scene;

/* The scene is the first thread's. */
static void
scene_main(void *arg)
{
	void (*const *fn)(void) = arg;
	struct mthread self;

	machine_attach(&self, "main");
	(*fn)();
	machine_detach();
}

static void
scene_run(const struct machine_config *mc, void (*fn)(void))
{
	struct machine_outcome mo;
	int error;

	memset(&scene, 0, sizeof(scene));
	error = machine_run(mc, scene_main, &fn, &mo);
	ATF_REQUIRE_EQ_MSG(error, 0, "error %d: %s", error, mo.mo_stuck);
}

/* A case that plays a scene on the exact machine. */
#define	SCENE(name, text)						\
	static void name##_scene(void);					\
	TEST(name, text)						\
	{								\
		struct machine_config mc;				\
									\
		make_exact(&mc);					\
		scene_run(&mc, name##_scene);				\
	}								\
	static void name##_scene(void)

/* A thread on a CPU that goes on beside the scene. */
static void
begin_act(struct mthread *td, unsigned cpu, void (*fn)(void *), uint64_t *slot)
{
	ATF_REQUIRE_EQ(machine_spawn(td, "actor", (int)cpu, fn, slot), 0);
}

/* One thread on one CPU, from start to end. */
static void
act(unsigned cpu, void (*fn)(void *))
{
	struct mthread td;

	begin_act(&td, cpu, fn, &scene.began[cpu]);
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
	*(uint64_t *)slot = vm_self_ps(vm_get());
}

static void
end(void *slot)
{
	scene.ended[here(slot)] = vm_self_ps(vm_get());
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

/* do_NAME(): a thread's one step, and when it began and ended. */
#define	DEED(name, step)						\
static void								\
do_##name(void *slot)							\
{									\
									\
	begin(slot);							\
	step;								\
	end(slot);							\
}

/* The same after so many ns of work. */
#define	DEED_AFTER(name, ns, then)					\
static void								\
do_##name(void *slot)							\
{									\
									\
	machine_charge(COST_WORK, ns);					\
	do_##then(slot);						\
}

DEED(load, atomic_load_32(&scene.word))
DEED(store, atomic_store_32(&scene.word, 1))
DEED(clear, atomic_store_32(&scene.word, 0))
DEED(add, atomic_fetchadd_32(&scene.word, 1))

static const struct {
	unsigned	cpu;
	uint64_t	ps;
} neighbours[] = {
	{ BESIDE, SMT_PS },
	{ SAME_CACHE, CCX_PS },
	{ SAME_NODE, SOCK_PS },
	{ OTHER_NODE, REMOTE_PS },
};

/* A line goes to and fro, with each kind of access. */
SCENE(exact__lines, "Getting another CPU's line takes the latency of that "
    "distance, to the picosecond")
{
	unsigned cpu;
	uint64_t ps;

	for (unsigned i = 0; i < nitems(neighbours); i++) {
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
}

/* CPUs 0 and 1, one node; 2, near it; 4 and 6, each in a node of others. */
static void
groups_main(void)
{
	act(2, do_store);
	act(0, do_load);
	CHECK_TOOK(0, NEAR_PS, "reading a line of the node nearby");
	act(4, do_load);
	CHECK_TOOK(4, REMOTE_PS, "reading it from the others");
	act(6, do_load);
	CHECK_TOOK(6, NEAR_PS, "reading it beside them");
	act(0, do_store);
	CHECK_TOOK(0, REMOTE_PS + 2 * INVALIDATE_PS + HIT_PS,
	    "writing what all have read");
	act(2, do_load);
	act(0, do_store);
	CHECK_TOOK(0, NEAR_PS + HIT_PS, "writing what is read nearby");
}

TEST(exact__groups, "Nodes of a group are nearer than others")
{
	struct machine_config mc;

	make_exact(&mc);
	mc.mc_topology = (struct vm_topology){ .tp_cpus = 8, .tp_cores = 8,
	    .tp_nodes = 4, .tp_ccx_cores = 2, .tp_near = 2 };
	scene_run(&mc, groups_main);
}

/*
 * CPU 1 asks for the word, while CPU 0, which has just got it, goes on after so
 * many ns.
 */
static void
do_add_again(void *slot)
{
	atomic_fetchadd_32(&scene.word, 1);
	machine_charge(COST_WORK, 2);
	do_add(slot);
}

DEED_AFTER(add_later, 28, add)

static void
kept_main(void)
{
	act(SAME_CACHE, do_store);
	begin_act(&scene.td[0], 0, do_add_again, &scene.began[0]);
	begin_act(&scene.td[1], SAME_CACHE, do_add_later, &scene.began[1]);
	machine_join(&scene.td[0]);
	machine_join(&scene.td[1]);
}

TEST(exact__kept, "A line that was asked for is still its owner's for a share "
    "of the fetch")
{
	struct machine_config mc;

	make_exact(&mc);
	scene_run(&mc, kept_main);
	ATF_CHECK(took(0) >= CCX_PS);
	mc.mc_costs.vc_keep_ppm = 500000;
	scene_run(&mc, kept_main);
	CHECK_TOOK(0, RMW_PS, "an addition to a line that was asked for");
	CHECK_TOOK(1, CCX_PS + RMW_PS, "the other's");
}

DEED(request, machine_charge(COST_SYSCALL, 1))
DEED(short_work, machine_charge(COST_WORK, 100))

static void
gaps_main(void)
{
	for (unsigned cpu = 0; cpu < 2; cpu++)
		act(cpu, do_request);
	act(2, do_short_work);
}

TEST(exact__gaps, "What a thread does between holds varies by a value of its "
    "own")
{
	struct machine_config mc;

	make_exact(&mc);
	mc.mc_costs.vc_cost_ps[COST_SYSCALL] = 100 * PS_PER_NS;
	scene_run(&mc, gaps_main);
	CHECK_TOOK(0, 100 * PS_PER_NS, "a request");
	mc.mc_costs.vc_jitter[1] = 1;
	scene_run(&mc, gaps_main);
	ATF_CHECK(took(0) != 100 * PS_PER_NS && took(0) != took(1));
	CHECK_TOOK(2, 100 * PS_PER_NS, "bulk work");
}

DEED_AFTER(add_third, 40, add)

/* While CPU 2 fetches the line, the other node asks for it, then CPU 3. */
static void
turns_main(void)
{
	act(0, do_store);
	begin_act(&scene.td[0], SAME_NODE, do_add, &scene.began[0]);
	begin_act(&scene.td[1], OTHER_NODE, do_add_later, &scene.began[1]);
	begin_act(&scene.td[2], SAME_NODE + 1, do_add_third, &scene.began[2]);
	for (unsigned i = 0; i < 3; i++)
		machine_join(&scene.td[i]);
}

TEST(exact__turns, "A line goes to the oldest request, or to a near one; what "
    "a request has done before its turn is not done again")
{
	struct machine_config mc;
	uint64_t whole;

	make_exact(&mc);
	scene_run(&mc, turns_main);
	ATF_CHECK(scene.ended[1] < scene.ended[2]);
	whole = took(1);
	mc.mc_costs.vc_ahead_ppm = 500000;
	scene_run(&mc, turns_main);
	CHECK_TOOK(0, SOCK_PS + RMW_PS, "the first, which did not wait");
	CHECK_TOOK(1, REMOTE_PS + RMW_PS, "the second, which did what it could "
	    "while it waited");
	mc.mc_costs.vc_ahead_ppm = 50000;
	scene_run(&mc, turns_main);
	CHECK_TOOK(1, whole - REMOTE_PS / 20, "the second");
	mc.mc_costs.vc_local_ppm = 1000000;
	scene_run(&mc, turns_main);
	ATF_CHECK(scene.ended[2] < scene.ended[1]);
}

/* While a read from the other node is served, two with copies ask to write. */
static void
upgrades_main(void)
{
	act(0, do_store);
	act(SAME_CACHE, do_load);
	act(SAME_NODE, do_load);
	begin_act(&scene.td[0], OTHER_NODE, do_load, &scene.began[0]);
	begin_act(&scene.td[1], SAME_CACHE, do_add_later, &scene.began[1]);
	begin_act(&scene.td[2], SAME_NODE, do_add_third, &scene.began[2]);
	for (unsigned i = 0; i < 3; i++)
		machine_join(&scene.td[i]);
}

TEST(exact__upgrades, "What a request has done before its turn is done again "
    "if the copy that it was for is lost")
{
	struct machine_config mc;

	make_exact(&mc);
	mc.mc_costs.vc_local_ppm = 1;
	scene_run(&mc, upgrades_main);
	const uint64_t first = took(1), second = took(2);
	mc.mc_costs.vc_ahead_ppm = 50000;
	scene_run(&mc, upgrades_main);
	CHECK_TOOK(1, first - SOCK_PS / 20, "the first");
	CHECK_TOOK(2, second - SOCK_PS / 20, "the second, from the first on");
}

DEED_AFTER(store_later, 1000, store)
DEED(store_add, atomic_store_32(&scene.word, 1);
    atomic_fetchadd_32(&scene.own, 1))
DEED_AFTER(store_add_later, 1000, store_add)

static void
stores_main(void)
{
	act(SAME_NODE, do_store);
	act(0, do_store_later);
	CHECK_TOOK(0, HIT_PS, "a store to another's line");
	act(SAME_CACHE, do_load);
	CHECK_TOOK(SAME_CACHE, SOCK_PS - HIT_PS + CCX_PS,
	    "reading what is not stored yet");
	act(SAME_NODE, do_store_add_later);
	CHECK_TOOK(SAME_NODE, 2 * SOCK_PS + RMW_PS,
	    "an addition after a store");
}

TEST(exact__stores, "A thread waits for its stores only before an atomic, and "
    "readers wait for them")
{
	struct machine_config mc;

	make_exact(&mc);
	mc.mc_costs.vc_stores = true;
	scene_run(&mc, stores_main);
}

DEED(hold, atomic_fetchadd_32(&scene.word, 1);
    atomic_store_32(&scene.word, 0))
DEED(try, scene.seen = atomic_fetchadd_32(&scene.word, 1))
DEED_AFTER(try_later, 28, try)

/* While CPU 2 fetches the line, to hold it for no time, CPU 3 asks for it. */
static void
strict_main(void)
{
	act(0, do_clear);
	begin_act(&scene.td[0], SAME_NODE, do_hold, &scene.began[0]);
	begin_act(&scene.td[1], SAME_NODE + 1, do_try_later, &scene.began[1]);
	machine_join(&scene.td[0]);
	machine_join(&scene.td[1]);
}

TEST(exact__strict, "A store that waits for its turn is seen by the access "
    "before it, unless the profile is strict")
{
	struct machine_config mc;

	make_exact(&mc);
	mc.mc_costs.vc_stores = true;
	mc.mc_costs.vc_local_ppm = 1;
	scene_run(&mc, strict_main);
	ATF_CHECK_EQ(0, scene.seen);
	mc.mc_costs.vc_strict = true;
	scene_run(&mc, strict_main);
	ATF_CHECK_EQ(1, scene.seen);
}

DEED_AFTER(load_later, 30, load)

static void
core_main(void)
{
	act(0, do_store);
	act(BESIDE, do_add);
	CHECK_TOOK(BESIDE, SMT_PS + RMW_PS, "an addition to what the core's "
	    "other thread wrote");
	act(BESIDE, do_add);
	CHECK_TOOK(BESIDE, RMW_PS, "one to what it wrote itself");
	act(0, do_load);
	CHECK_TOOK(0, HIT_PS, "reading it");
	act(SAME_CACHE, do_load);
	act(0, do_add);
	CHECK_TOOK(0, CCX_PS + RMW_PS, "writing what another core has read");
	act(BESIDE, do_store);
	CHECK_TOOK(BESIDE, HIT_PS, "writing the core's line");
	act(0, do_store);
	begin_act(&scene.td[0], BESIDE, do_add_later, &scene.began[0]);
	begin_act(&scene.td[1], 0, do_load_later, &scene.began[1]);
	machine_join(&scene.td[0]);
	machine_join(&scene.td[1]);
	CHECK_TOOK(1, SMT_PS + RMW_PS + HIT_PS - 2 * PS_PER_NS,
	    "reading what is being added to");
}

TEST(exact__core, "A core's threads share its copies of lines, if the profile "
    "says so")
{
	struct machine_config mc;

	make_exact(&mc);
	mc.mc_costs.vc_shared = true;
	scene_run(&mc, core_main);
}

/* All of an object, one line behind the other. */
DEED(touch, machine_touch(&scene, TOUCHED_LINES))

/* CPU 0 writes what readers have copies of. */
static void
sharers_main(void)
{
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
}

/* Data that a lock guards goes with it. */
SCENE(exact__touch, "An object comes with its first line's latency, and a "
    "service for each further line")
{
	act(OTHER_NODE, do_touch);
	act(0, do_touch);
	CHECK_TOOK(0, REMOTE_PS + (TOUCHED_LINES - 1) * (REMOTE_PS / 4),
	    "another's object");
	act(0, do_touch);
	CHECK_TOOK(0, HIT_PS, "an own object");
	act(SAME_NODE, do_touch);
	CHECK_TOOK(SAME_NODE, SOCK_PS + (TOUCHED_LINES - 1) * (SOCK_PS / 4),
	    "a neighbour's object");
}

/* The same where each CPU is a node. */
static void
far_sharers_main(void)
{
	for (unsigned n = 1; n < CPUS; n++) {
		act(0, do_store);
		for (unsigned i = 1; i <= n; i++)
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
}

TEST(exact__invalidation, "A write takes what the farthest copy takes, and "
    "something for each further node")
{
	struct machine_config mc;

	make_exact(&mc);
	scene_run(&mc, sharers_main);
	mc.mc_topology = (struct vm_topology){ CPUS, CPUS, CPUS, 1, 0 };
	scene_run(&mc, far_sharers_main);
}

DEED_AFTER(load_at_once, 1000, load)
DEED_AFTER(add_at_once, 1000, add)

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

/* Two CPUs access a line of CPU 0 at the same time. */
static void
act_both(void (*fn)(void *))
{
	act(0, do_store);
	for (unsigned i = SAME_CACHE; i <= SAME_NODE; i++)
		begin_act(&scene.td[i], i, fn, &scene.began[i]);
	for (unsigned i = SAME_CACHE; i <= SAME_NODE; i++)
		machine_join(&scene.td[i]);
	ATF_CHECK_EQ(scene.began[SAME_CACHE], scene.began[SAME_NODE]);
}

SCENE(exact__home, "A line's home serves readers one by one, and writers one "
    "after the other")
{
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
}

static void
do_await(void *slot)
{
	begin(slot);
	while (atomic_load_32(&scene.word) == 0)
		machine_await_32(&scene.word, 0, 0);
	end(slot);
}

/* Two spin until CPU 0 writes; then another CPU writes. */
static void
reads_main(void)
{
	act(0, do_clear);
	begin_act(&scene.td[1], 1, do_await, &scene.began[1]);
	begin_act(&scene.td[2], SAME_NODE, do_await, &scene.began[SAME_NODE]);
	act(0, do_store_later);
	act(OTHER_NODE, do_add);
	machine_join(&scene.td[1]);
	machine_join(&scene.td[2]);
}

TEST(exact__reads, "Where caches are shared a write comes after the reads of "
    "all that spin")
{
	struct machine_config mc;

	make_exact(&mc);
	mc.mc_costs.vc_shared = true;
	scene_run(&mc, reads_main);
	CHECK_TOOK(OTHER_NODE, 2 * CCX_PS / 4 + REMOTE_PS / 4 + REMOTE_PS +
	    RMW_PS, "writing after two reads");
}

/* One spins until CPU 0 writes. */
SCENE(exact__hand_over, "A spinning waiter sees a change after one latency and "
    "half a service of its node")
{
	unsigned cpu;

	for (unsigned i = 0; i < nitems(neighbours); i++) {
		cpu = neighbours[i].cpu;
		act(0, do_clear);
		begin_act(&scene.td[1], cpu, do_await, &scene.began[cpu]);
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
}

DEED(pause, machine_pause(37))

static void
do_polls(void *slot)
{
	atomic_load_32(&scene.word);
	begin(slot);
	scene.polls = machine_await_32(&scene.word, 0, 21);
	end(slot);
}

DEED(sleep, machine_sleep(5000))
DEED(wait, machine_wait_32(&scene.word, 0, -1))
DEED(time_out, ATF_CHECK_EQ(machine_wait_32(&scene.word, 0, 7000), ETIMEDOUT))
DEED(changed, ATF_CHECK_EQ(machine_wait_32(&scene.word, 1, -1), 0))
DEED(wake, machine_wake_32(&scene.word))

/* Long after the other is asleep; its CPU stays busy with that. */
DEED_AFTER(wake_later, 100000, wake)

SCENE(exact__pauses, "Pauses, polls, sleeps and time-outs take the sum of "
    "their parts")
{
	const uint64_t poll_ps = PAUSE_PS + HIT_PS;

	act(3, do_pause);
	CHECK_TOOK(3, 37 * (uint64_t)PAUSE_PS, "37 pauses");
	act(3, do_polls);
	CHECK_TOOK(3, 21 * poll_ps, "21 polls");
	ATF_CHECK_EQ(scene.polls, 21);
	act(4, do_sleep);
	CHECK_TOOK(4, SYSCALL_PS + 5000 * PS_PER_NS + WAKE_CROSS_PS,
	    "a sleep of 5 us");
	act(3, do_time_out);
	/* The kernel's list of sleepers is in a line, which none has yet. */
	CHECK_TOOK(3, HIT_PS + SYSCALL_PS + SOCK_PS + RMW_PS + PARK_PS +
	    7000 * PS_PER_NS + WAKE_CROSS_PS, "a wait of 7 us");
	act(3, do_wake);
	CHECK_TOOK(3, HIT_PS + SYSCALL_PS, "waking none");
	act(3, do_changed);
	CHECK_TOOK(3, HIT_PS + RMW_PS + 2 * SYSCALL_PS, "a wait for nothing");
}

SCENE(exact__wakes, "Waking costs the waker its call and the sleeper the way "
    "to its CPU")
{
	uint64_t asleep_ps, woken_ps;

	begin_act(&scene.td[1], 5, do_wait, &scene.began[5]);
	act(0, do_wake_later);
	machine_join(&scene.td[1]);
	CHECK_TOOK(0, REMOTE_PS + RMW_PS + WAKE_CALL_PS, "waking a sleeper");
	ATF_CHECK_EQ(scene.ended[5], scene.ended[0] + WAKE_CROSS_PS);
	/* The same CPU: the waker ends, then the sleeper gets it. */
	begin_act(&scene.td[1], 0, do_wait, &scene.began[1]);
	act(0, do_wake_later);
	machine_join(&scene.td[1]);
	CHECK_TOOK(0, RMW_PS + WAKE_CALL_PS, "waking a sleeper of this CPU");
	ATF_CHECK_EQ(scene.ended[1], scene.ended[0] + WAKE_SAME_PS);
	/* Its waker came when it was asleep. */
	asleep_ps = scene.began[1] + HIT_PS + SYSCALL_PS + PARK_PS;
	woken_ps = scene.began[0];
	ATF_CHECK(woken_ps > asleep_ps);
}

DEED_AFTER(wait_later, 50000, wait)

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

SCENE(exact__wake_one, "Waking one wakes the first sleeper")
{
	for (unsigned i = 4; i <= 5; i++)
		begin_act(&scene.td[i], i, i == 4 ? do_wait : do_wait_later,
		    &scene.began[i]);
	act(0, do_wake_one_later);
	for (unsigned i = 4; i <= 5; i++)
		machine_join(&scene.td[i]);
	ATF_CHECK_EQ(scene.ended[4], scene.ended[0] + WAKE_CROSS_PS);
	ATF_CHECK_EQ(scene.ended[5], scene.ended[0] + 100000 * PS_PER_NS +
	    RMW_PS + WAKE_CALL_PS + WAKE_CROSS_PS);
}

enum { QUANTA = 10 };

DEED(work, machine_charge(COST_WORK, QUANTA * QUANTUM_PS / PS_PER_NS))

static void
quanta_main(void)
{
	for (unsigned i = 0; i < 2; i++)
		begin_act(&scene.td[i], 0, do_work, &scene.began[i]);
	for (unsigned i = 0; i < 2; i++)
		machine_join(&scene.td[i]);
}

/*
 * By turns, a quantum each, of which the way to the CPU is part; when the first
 * is done the other is to go on for what it lost by that.
 */
TEST(exact__quanta, "Two threads share a CPU by quanta if the profile "
    "preempts, else one after the other")
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
	struct critical_section_outcome so;
	struct critical_section se;

	vm_section_make(&se, lock, 1, think, hold);
	se.se_time_s = (double)window_ps / PS_PER_S;
	vm_section_run(&se, mc, &so);
	free(so.so_thread);
	ATF_CHECK_MSG(so.so_count + 1 >= cycles && so.so_count <= cycles,
	    "%s: %ju cycles and not %u", lock, (uintmax_t)so.so_count, cycles);
	return (so.so_machine.mo_time_ps);
}

TEST(exact__alone, "A cycle of a thread alone takes the sum of its costs")
{
	static const struct {
		const char	*lock;
		unsigned	 rmws;
	} cases[] = { { "tas", 1 }, { "ticket", 1 }, { "mcs", 2 },
	    { "clh", 1 }, { "qspin", 1 }, { "cohort", 2 }, { "hmcs", 4 },
	    { "cna", 1 }, { "futex", 2 }, { "mtx", 2 } };
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
count_note(void *context, const struct vm_note *note __unused)
{
	*(uint64_t *)context += 1;
}

/* What a run is, in numbers. */
static void
fingerprint(const char *lock, uint64_t seed, bool observed,
    struct critical_section_outcome *so)
{
	struct machine_config mc;
	uint64_t notes = 0;
	struct vm_observer vo = { .vb_note = count_note, .vb_context = &notes };
	struct critical_section se;

	make_exact(&mc);
	mc.mc_seed = seed;
	mc.mc_costs.vc_jitter[0] = mc.mc_costs.vc_jitter[1] = 0.05;
	mc.mc_costs.vc_ps[PROFILE_OS_WAKE_CROSS_P99] = 5 * WAKE_CROSS_PS;
	mc.mc_observer = observed ? &vo : NULL;
	vm_section_make(&se, lock, CPUS, 1000, 200);
	se.se_exponential = true;
	se.se_time_s = 0.0005;
	vm_section_run(&se, &mc, so);
	ATF_CHECK_EQ(notes > 0, observed);
}

static bool
same_counts(const struct critical_section_outcome *a,
    const struct critical_section_outcome *b)
{
	return (a->so_machine.mo_events == b->so_machine.mo_events &&
	    a->so_machine.mo_time_ps == b->so_machine.mo_time_ps &&
	    memcmp(a->so_thread, b->so_thread, CPUS *
	    sizeof(a->so_thread[0])) == 0);
}

TEST(determinism, "The seed, and nothing else, decides what happens; being "
    "watched does not")
{
	static const char *const locks[] = { "ticket", "tas", "mcs", "mtx",
	    "futex", "cohort", "tas-backoff" };
	struct critical_section_outcome other, once, twice, watched;
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

TEST_PROGRAM()
