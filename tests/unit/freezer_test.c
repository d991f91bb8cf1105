/*
 * What lib/machine/freezer.h promises: threads stop wherever they are, their
 * clocks stand still, and nothing is lost when they go on.
 */
#include <sys/stat.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>

#include "lib/base/base.h"
#include "lib/crypto/digest.h"
#include "lib/kern/object.h"
#include "lib/machine/freezer.h"
#include "lib/machine/machine.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum {
	MEMBERS	= 4,
	ROUNDS	= 50
};

static struct mthread self;
static struct freezer freezer;
static struct m32 go, end, ready;

struct member {
	struct mthread	 me_thread;
	struct m64	 me_steps;
	int		 me_error;
	bool		 me_inherited;
};

static struct member members[MEMBERS];
static struct m32 word;		/* a lock that members fight for */

static void
step_until_end(void *arg)
{
	struct member *me = arg;
	uint64_t steps = 0;

	me->me_inherited = freezer_self == &freezer;
	atomic_fetchadd_rel_32(&ready, 1);
	while (atomic_load_acq_32(&end) == 0) {
		if (atomic_cmpset_acq_32(&word, 0, 1))
			atomic_store_rel_32(&word, 0);
		machine_note_store_64(&me->me_steps, ++steps);
	}
}

/* Members are started by a member, which leaves before they do. */
static void *
start_members(void *arg)
{
	void (*fn)(void *) = *(void (**)(void *))arg;
	struct freezer_member first;
	struct mthread td;

	freezer_enter(&freezer, &first);
	machine_attach(&td, "first");
	for (unsigned i = 0; i < MEMBERS; i++)
		support_spawn(&members[i].me_thread, "member", MACHINE_CPU_ANY,
		    fn, &members[i]);
	machine_detach();
	freezer_leave(&first);
	return (NULL);
}

static void
start(void (*fn)(void *))
{
	pthread_t first;
	sigset_t set;

	/* Members must not inherit this. */
	sigfillset(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	support_machine(&self);
	freezer_init(&freezer);
	atomic_init_32(&go, 0);
	atomic_init_32(&end, 0);
	atomic_init_32(&ready, 0);
	atomic_init_32(&word, 0);
	ATF_REQUIRE_EQ(0, pthread_create(&first, NULL, start_members, &fn));
	pthread_join(first, NULL);
	while (atomic_load_acq_32(&ready) < MEMBERS)
		machine_yield();
}

static void
finish(void)
{
	atomic_store_rel_32(&end, 1);
	for (unsigned i = 0; i < MEMBERS; i++)
		machine_join(&members[i].me_thread);
}

static void
read_steps(uint64_t steps[MEMBERS])
{
	for (unsigned i = 0; i < MEMBERS; i++)
		steps[i] = machine_note_load_64(&members[i].me_steps);
}

TEST(freezer_stop__all_stand, "When it has returned no member makes a step, "
    "whatever it was at; all go on, round after round")
{
	uint64_t before[MEMBERS], now[MEMBERS];

	start(step_until_end);
	for (unsigned round = 0; round < ROUNDS; round++) {
		freezer_stop(&freezer);
		read_steps(before);
		for (unsigned yields = 0; yields < 20; yields++)
			machine_yield();
		read_steps(now);
		for (unsigned i = 0; i < MEMBERS; i++)
			ATF_REQUIRE_EQ_MSG(before[i], now[i], "member %u moved",
			    i);
		freezer_go(&freezer);
		for (unsigned i = 0; i < MEMBERS; i++)
			while (machine_note_load_64(&members[i].me_steps) ==
			    now[i])
				machine_yield();
	}
	finish();
	for (unsigned i = 0; i < MEMBERS; i++)
		ATF_CHECK(members[i].me_inherited);
	ATF_CHECK(freezer_self == NULL);
}

/* me_steps is the number of steps back. */
static void
read_clocks(void *arg)
{
	uint64_t backward = 0, cycles, then = 0;
	int64_t ns, then_ns = 0;
	struct member *me = arg;

	atomic_fetchadd_rel_32(&ready, 1);
	while (atomic_load_acq_32(&end) == 0) {
		cycles = machine_cycles();
		ns = machine_uptime_ns();
		/* Less than any pause below, more than a counter is off. */
		backward += then > cycles + machine_ns_to_cycles(NS_PER_MS /
		    10);
		backward += ns < then_ns;
		then = cycles;
		then_ns = ns;
	}
	machine_note_store_64(&me->me_steps, backward);
}

TEST(freezer_go__clocks_read_meanwhile, "A clock that is being read when the "
    "thread stops leaves the pause out as well")
{
	int64_t began_ns;

	tick_calibrate();
	start(read_clocks);
	for (unsigned round = 0; round < 300; round++) {
		freezer_stop(&freezer);
		began_ns = tick_ns();
		while (tick_ns() - began_ns < NS_PER_MS / 5)
			machine_pause(8);
		freezer_go(&freezer);
		machine_yield();
	}
	finish();
	for (unsigned i = 0; i < MEMBERS; i++)
		ATF_CHECK_EQ(0, machine_note_load_64(&members[i].me_steps));
}

static void
sleep_a_while(void *arg)
{
	struct member *me = arg;

	atomic_fetchadd_rel_32(&ready, 1);
	while (atomic_load_acq_32(&go) == 0)
		machine_yield();
	me->me_error = machine_sleep(20 * NS_PER_MS);
	machine_note_store_64(&me->me_steps, (uint64_t)machine_uptime_ns());
}

TEST(freezer_go__clocks, "Clocks leave out what was a pause, to the ns; a "
    "sleep lasts its time by them")
{
	int64_t began_ns, paused_ns, real_ns;

	start(sleep_a_while);
	began_ns = machine_uptime_ns();
	freezer_stop(&freezer);
	real_ns = tick_ns();
	atomic_store_rel_32(&go, 1);
	while (tick_ns() - real_ns < 30 * NS_PER_MS)
		machine_yield();
	paused_ns = tick_ns() - real_ns;
	freezer_go(&freezer);
	ATF_CHECK(freezer_lost.fzl_ns >= paused_ns);
	ATF_CHECK(machine_uptime_ns() <= tick_ns() - paused_ns);
	ATF_CHECK(machine_cycles_to_ns(freezer_lost.fzl_cycles) >=
	    paused_ns / 100 * 95);
	finish();
	for (unsigned i = 0; i < MEMBERS; i++) {
		ATF_CHECK_EQ(0, members[i].me_error);
		/* Not 30 ms of pause, but 20 ms of their own. */
		ATF_CHECK((int64_t)machine_note_load_64(
		    &members[i].me_steps) >= began_ns + 20 * NS_PER_MS);
	}
}

enum { STOPS = 300 };

/* The first sleeps, the others wait; me_steps: CPU time, ours and the whole. */
static void
wait_stopped(void *arg)
{
	struct member *me = arg;
	int64_t ns, used_ns;

	ns = machine_thread_cpu_ns(&me->me_thread);
	atomic_fetchadd_rel_32(&ready, 1);
	if (me == members)
		me->me_error = machine_sleep(STOPS * NS_PER_MS);
	else
		while (atomic_load_acq_32(&end) == 0)
			machine_wait_32(&end, 0, -1);
	ns = machine_thread_cpu_ns(&me->me_thread) - ns;
	used_ns = tick_read_ns(CLOCK_THREAD_CPUTIME_ID);
	machine_note_store_64(&me->me_steps, (uint64_t)ns << 32 |
	    (uint64_t)used_ns);
}

TEST(freezer_stop__costs_nothing, "Stopping a thread that sleeps is not in its "
    "CPU time, nor is the handler in that of one that waits")
{
	uint64_t both, most_ns;
	int64_t began_ns;

	start(wait_stopped);
	for (unsigned i = 0; i < STOPS; i++) {
		freezer_stop(&freezer);
		freezer_go(&freezer);
		began_ns = tick_ns();
		while (tick_ns() - began_ns < NS_PER_MS / 5)
			machine_pause(8);
	}
	atomic_store_rel_32(&end, 1);
	machine_wake_32(&end);
	finish();
	ATF_CHECK_EQ(0, members[0].me_error);
	for (unsigned i = 0; i < MEMBERS; i++) {
		both = machine_note_load_64(&members[i].me_steps);
		/* A waiter pays for the signal's way there and back. */
		most_ns = (both & UINT32_MAX) * (i == 0 ? 1 : 8) / 9;
		ATF_CHECK_MSG(both >> 32 < most_ns, "member %u: %ju ns, of %ju",
		    i, (uintmax_t)(both >> 32), (uintmax_t)(both & UINT32_MAX));
	}
}

/* me_steps is odd inside. */
static void
step_held(void *arg)
{
	struct member *me = arg;
	uint64_t steps = 0;

	atomic_fetchadd_rel_32(&ready, 1);
	while (atomic_load_acq_32(&end) == 0) {
		hold_begin();
		hold_begin();
		machine_note_store_64(&me->me_steps, ++steps);
		hold_end();
		machine_pause(50);
		machine_note_store_64(&me->me_steps, ++steps);
		hold_end();
	}
}

TEST(freezer_stop__held, "No member stops in a part that is held; all stop "
    "after it")
{
	uint64_t before[MEMBERS], now[MEMBERS];

	start(step_held);
	for (unsigned round = 0; round < ROUNDS * 4; round++) {
		freezer_stop(&freezer);
		read_steps(before);
		machine_yield();
		read_steps(now);
		for (unsigned i = 0; i < MEMBERS; i++) {
			ATF_REQUIRE_EQ_MSG(before[i], now[i], "member %u moved",
			    i);
			ATF_REQUIRE_EQ_MSG(0, now[i] % 2, "member %u inside",
			    i);
		}
		freezer_go(&freezer);
		machine_yield();
	}
	finish();
}

static bool held[2];

static void
note_start(const struct hash *ha __unused, union hash_context *hc __unused)
{
	held[0] = hold_self.ho_depth > 0;
}

static void
note_clear(const struct hash *ha __unused, union hash_context *hc __unused)
{
	held[1] = hold_self.ho_depth > 0;
}

TEST(hash_start__held, "Hashes allocate and free where no thread stops")
{
	static const struct hash_library library = { .hl_start = note_start,
	    .hl_clear = note_clear };
	const struct hash ha = { .ha_library = &library };
	union hash_context hc;

	hash_start(&ha, &hc);
	hash_clear(&ha, &hc);
	ATF_CHECK(held[0] && held[1] && hold_self.ho_depth == 0);
}

static void *
enter_stopped(void *arg __unused)
{
	struct freezer_member member;

	atomic_store_rel_32(&ready, MEMBERS + 1);
	freezer_enter(&freezer, &member);
	atomic_store_rel_32(&go, 1);
	freezer_leave(&member);
	return (NULL);
}

/* Holds the loader's lock until what it loads has a writer that closes it. */
static void *
load(void *arg)
{
	ATF_CHECK(dlopen(arg, RTLD_NOW) == NULL);
	return (NULL);
}

TEST_CASE(kern_fault_catch__takes_no_lock);
ATF_TC_HEAD(kern_fault_catch__takes_no_lock, tc)
{
	atf_tc_set_md_var(tc, "descr", "The look at loops waits for no thread, "
	    "as one that holds the loader's lock may be stopped");
	atf_tc_set_md_var(tc, "timeout", "30");
}
ATF_TC_BODY(kern_fault_catch__takes_no_lock, tc)
{
	struct sigaction sa;
	pthread_t loading;
	int fd;

	kern_fault_catch();
	ATF_REQUIRE_EQ(0, sigaction(SIGVTALRM, NULL, &sa));
	if (sa.sa_handler == SIG_DFL)
		atf_tc_skip("this build looks at no loops");
	ATF_REQUIRE_EQ(0, mkfifo("./object.so", 0600));
	ATF_REQUIRE_EQ(0, pthread_create(&loading, NULL, load,
	    (void *)(uintptr_t)"./object.so"));
	fd = open("./object.so", O_WRONLY);
	ATF_REQUIRE(fd >= 0);
	ATF_CHECK_EQ(0, raise(SIGVTALRM));
	close(fd);
	pthread_join(loading, NULL);
}

static unsigned
count(void)
{
	unsigned n;

	pthread_mutex_lock(&freezer.fz_mutex);
	n = freezer.fz_count;
	pthread_mutex_unlock(&freezer.fz_mutex);
	return (n);
}

TEST(freezer_enter__while_stopped, "A thread that becomes a member meanwhile "
    "waits; clocks are those of the freezer that went on last")
{
	struct freezer other;
	int64_t lost_ns;
	pthread_t late;

	start(step_until_end);
	freezer_init(&other);
	freezer_stop(&freezer);
	ATF_REQUIRE_EQ(0, pthread_create(&late, NULL, enter_stopped, NULL));
	while (atomic_load_acq_32(&ready) <= MEMBERS || count() <= MEMBERS)
		machine_yield();
	for (unsigned yields = 0; yields < 100; yields++)
		machine_yield();
	ATF_CHECK_EQ(0, atomic_load_acq_32(&go));
	freezer_go(&freezer);
	pthread_join(late, NULL);
	ATF_CHECK_EQ(1, atomic_load_acq_32(&go));
	lost_ns = freezer_lost.fzl_ns;
	ATF_CHECK(lost_ns > 0);
	freezer_stop(&freezer);
	freezer_stop(&other);
	freezer_go(&other);
	ATF_CHECK(freezer_lost.fzl_ns < lost_ns + NS_PER_S);
	ATF_CHECK_EQ(other.fz_lost_ns, freezer_lost.fzl_ns);
	freezer_go(&freezer);
	ATF_CHECK(freezer_lost.fzl_ns > lost_ns);
	finish();
}

TEST_PROGRAM()
