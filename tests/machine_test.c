/*
 * What lib/machine.h promises of threads and sleeps.
 *
 * Sleeps that must end early are given an hour: if they do not, the test does
 * not end either.
 */
#include <errno.h>
#include <unistd.h>

#include "lib/machine.h"
#include "tests/support.h"

enum {
	SLEEPERS	= 8,
	YIELDS_TO_WAKE	= 200
};

#define	HOUR_NS	(INT64_C(3600) * NS_PER_S)

static struct mthread self;

/* A thread of a test, with what it is told and what it found. */
struct actor {
	struct mthread	 a_thread;
	struct m32	*a_word;
	struct m32	 a_go;
	struct m32	 a_ready;
	struct actor	*a_peer;
	int		 a_error;
	int		 a_again;
	bool		 a_before;
	bool		 a_after;
	unsigned	 a_cpu;
	struct mthread	*a_self;
	int		 a_pipe;
};

static struct actor *
actors_make(unsigned n)
{

	return (support_alloc(n, sizeof(struct actor)));
}

/* Waits until td says that it sleeps of its own will. */
static void
await_asleep(struct mthread *td)
{

	support_await(&td->mt_offcpu);
}

static void
sleep_an_hour(void *arg)
{
	struct actor *a = arg;

	a->a_before = machine_interrupted();
	a->a_error = machine_sleep(HOUR_NS);
	a->a_after = machine_interrupted();
	a->a_again = machine_sleep(HOUR_NS);
}

ATF_TC(machine_sleep__interrupted_asleep);
ATF_TC_HEAD(machine_sleep__interrupted_asleep, tc)
{

	atf_tc_set_md_var(tc, "descr", "An interrupt ends a sleep at once, and "
	    "the next before it begins: the mark stays");
}
ATF_TC_BODY(machine_sleep__interrupted_asleep, tc)
{
	struct actor *a;

	support_machine(&self);
	a = actors_make(1);
	support_spawn(&a->a_thread, "sleeper", MACHINE_CPU_ANY, sleep_an_hour,
	    a);
	await_asleep(&a->a_thread);
	machine_interrupt(&a->a_thread);
	machine_join(&a->a_thread);
	ATF_CHECK(!a->a_before);
	ATF_CHECK_EQ_MSG(EINTR, a->a_error, "%d", a->a_error);
	ATF_CHECK(a->a_after);
	ATF_CHECK_EQ_MSG(EINTR, a->a_again, "%d", a->a_again);
	/* Only that thread was meant. */
	ATF_CHECK(!machine_interrupted());
	free(a);
}

static void
sleep_when_told(void *arg)
{
	struct actor *a = arg;

	support_await(&a->a_go);
	sleep_an_hour(a);
}

ATF_TC(machine_sleep__interrupted_before);
ATF_TC_HEAD(machine_sleep__interrupted_before, tc)
{

	atf_tc_set_md_var(tc, "descr", "An interrupt that comes before the "
	    "sleep is not lost; a thread spawned anew does not inherit it");
}
ATF_TC_BODY(machine_sleep__interrupted_before, tc)
{
	struct actor *a;
	unsigned round;

	support_machine(&self);
	a = actors_make(1);
	for (round = 0; round < 2; round++) {
		atomic_store_32(&a->a_go, 0);
		support_spawn(&a->a_thread, "sleeper", MACHINE_CPU_ANY,
		    sleep_when_told, a);
		if (round == 0) {
			machine_interrupt(&a->a_thread);
			atomic_store_rel_32(&a->a_go, 1);
		} else {
			atomic_store_rel_32(&a->a_go, 1);
			await_asleep(&a->a_thread);
			machine_interrupt(&a->a_thread);
		}
		machine_join(&a->a_thread);
		ATF_CHECK_EQ(round == 0, a->a_before);
		ATF_CHECK_EQ_MSG(EINTR, a->a_error, "%d", a->a_error);
	}
	free(a);
}

ATF_TC(machine_sleep__whole_time);
ATF_TC_HEAD(machine_sleep__whole_time, tc)
{

	atf_tc_set_md_var(tc, "descr", "Without an interrupt a sleep returns "
	    "0 and never before its time");
}
ATF_TC_BODY(machine_sleep__whole_time, tc)
{
	int64_t start_ns;

	support_machine(&self);
	ATF_CHECK_EQ(0, machine_sleep(0));
	start_ns = machine_uptime_ns();
	ATF_CHECK_EQ(0, machine_sleep(2 * NS_PER_MS));
	ATF_CHECK(machine_uptime_ns() - start_ns >= 2 * NS_PER_MS);
	ATF_CHECK_EQ(0, atomic_load_32(&self.mt_offcpu));
}

ATF_TC(machine_wait_32__word_differs);
ATF_TC_HEAD(machine_wait_32__word_differs, tc)
{

	atf_tc_set_md_var(tc, "descr", "Nobody sleeps on a word that has "
	    "changed already");
}
ATF_TC_BODY(machine_wait_32__word_differs, tc)
{
	struct m32 word;

	support_machine(&self);
	atomic_init_32(&word, 7);
	ATF_CHECK_EQ(0, machine_wait_32(&word, 6, -1));
	ATF_CHECK_EQ(0, machine_wait_32(&word, 8, HOUR_NS));
	ATF_CHECK_EQ(0, atomic_load_32(&self.mt_offcpu));
}

ATF_TC(machine_wait_32__times_out);
ATF_TC_HEAD(machine_wait_32__times_out, tc)
{

	atf_tc_set_md_var(tc, "descr", "A wait that nobody ends says "
	    "ETIMEDOUT, and not before its time");
}
ATF_TC_BODY(machine_wait_32__times_out, tc)
{
	int64_t start_ns;
	struct m32 word;
	int error;

	support_machine(&self);
	atomic_init_32(&word, 7);
	start_ns = machine_uptime_ns();
	/* It may wake for no reason: then it returns 0. */
	while ((error = machine_wait_32(&word, 7, NS_PER_MS)) == 0)
		continue;
	ATF_CHECK_EQ_MSG(ETIMEDOUT, error, "%d", error);
	ATF_CHECK(machine_uptime_ns() - start_ns >= NS_PER_MS);
	while ((error = machine_wait_32(&word, 7, 0)) == 0)
		continue;
	ATF_CHECK_EQ_MSG(ETIMEDOUT, error, "%d", error);
}

static void
wait_too_little(void *arg)
{
	struct m32 word;

	(void)arg;
	atomic_init_32(&word, 0);
	machine_wait_32(&word, 1, -2);
}

ATF_TC(machine_wait_32__bad_time_out);
ATF_TC_HEAD(machine_wait_32__bad_time_out, tc)
{

	atf_tc_set_md_var(tc, "descr", "A negative time-out other than -1 is "
	    "a miscalculated one, not for ever");
}
ATF_TC_BODY(machine_wait_32__bad_time_out, tc)
{

	support_machine(&self);
	ATF_CHECK(support_asserts(wait_too_little, NULL));
}

static void
wait_for_change(void *arg)
{
	struct actor *a = arg;

	while (atomic_load_acq_32(a->a_word) == 0)
		machine_wait_32(a->a_word, 0, -1);
}

ATF_TC(machine_wake_32__wakes_all);
ATF_TC_HEAD(machine_wake_32__wakes_all, tc)
{

	atf_tc_set_md_var(tc, "descr", "One call wakes every sleeper on the "
	    "word; none can wake by itself");
}
ATF_TC_BODY(machine_wake_32__wakes_all, tc)
{
	struct actor *a;
	struct m32 word;
	unsigned i, awake = 0;

	support_machine(&self);
	atomic_init_32(&word, 0);
	a = actors_make(SLEEPERS);
	for (i = 0; i < SLEEPERS; i++) {
		a[i].a_word = &word;
		support_spawn(&a[i].a_thread, "sleeper", MACHINE_CPU_ANY,
		    wait_for_change, &a[i]);
	}
	for (i = 0; i < SLEEPERS; i++)
		await_asleep(&a[i].a_thread);
	atomic_store_rel_32(&word, 1);
	machine_wake_32(&word);
	for (i = 0; i < SLEEPERS; i++) {
		machine_join(&a[i].a_thread);
		awake += atomic_load_32(&a[i].a_thread.mt_offcpu) == 0;
	}
	ATF_CHECK_EQ(SLEEPERS, awake);
	free(a);
}

static void
wait_once(void *arg)
{
	struct actor *a = arg;

	machine_wait_32(a->a_word, 0, -1);
}

ATF_TC(machine_wake_one_32__wakes_one);
ATF_TC_HEAD(machine_wake_one_32__wakes_one, tc)
{

	atf_tc_set_md_var(tc, "descr", "Of those who sleep on a word that "
	    "stays as it is each call wakes one, and no more");
}
ATF_TC_BODY(machine_wake_one_32__wakes_one, tc)
{
	unsigned awake, calls, i;
	struct actor *a;
	struct m32 word;

	support_machine(&self);
	atomic_init_32(&word, 0);
	a = actors_make(SLEEPERS);
	for (i = 0; i < SLEEPERS; i++) {
		a[i].a_word = &word;
		support_spawn(&a[i].a_thread, "sleeper", MACHINE_CPU_ANY,
		    wait_once, &a[i]);
	}
	for (i = 0; i < SLEEPERS; i++)
		await_asleep(&a[i].a_thread);
	/* One that is only about to sleep misses its call: so call on. */
	for (calls = 1, awake = 0; awake < SLEEPERS; calls++) {
		machine_wake_one_32(&word);
		for (i = 0; i < YIELDS_TO_WAKE; i++)
			machine_yield();
		for (i = 0, awake = 0; i < SLEEPERS; i++)
			awake += atomic_load_32(&a[i].a_thread.mt_offcpu) == 0;
		ATF_CHECK_MSG(awake <= calls, "%u calls, %u awake", calls,
		    awake);
	}
	for (i = 0; i < SLEEPERS; i++)
		machine_join(&a[i].a_thread);
	free(a);
}

ATF_TC(machine_running__asleep);
ATF_TC_HEAD(machine_running__asleep, tc)
{

	atf_tc_set_md_var(tc, "descr", "A thread in machine_wait_32() is "
	    "reported as not running, at first sight and ever after");
}
ATF_TC_BODY(machine_running__asleep, tc)
{
	struct machine_probe fresh, probe = { 0 };
	struct actor *a;
	struct m32 word;
	unsigned i;

	support_machine(&self);
	atomic_init_32(&word, 0);
	a = actors_make(1);
	a->a_word = &word;
	support_spawn(&a->a_thread, "sleeper", MACHINE_CPU_ANY,
	    wait_for_change, a);
	while (machine_running(&a->a_thread, &probe))
		machine_yield();
	await_asleep(&a->a_thread);
	for (i = 0; i < 100; i++) {
		ATF_CHECK(!machine_running(&a->a_thread, &probe));
		memset(&fresh, 0, sizeof(fresh));
		ATF_CHECK(!machine_running(&a->a_thread, &fresh));
	}
	atomic_store_rel_32(&word, 1);
	machine_wake_32(&word);
	machine_join(&a->a_thread);
	free(a);
}

static void
block_in_read(void *arg)
{
	struct actor *a = arg;
	char c;

	atomic_store_rel_32(&a->a_ready, 1);
	a->a_error = read(a->a_pipe, &c, 1) == 1 ? 0 : errno;
}

ATF_TC(machine_running__blocked_elsewhere);
ATF_TC_HEAD(machine_running__blocked_elsewhere, tc)
{

	atf_tc_set_md_var(tc, "descr", "A thread that lost its CPU without "
	    "saying so is found out by its CPU clock");
}
ATF_TC_BODY(machine_running__blocked_elsewhere, tc)
{
	struct machine_probe probe = { 0 };
	struct actor *a;
	int fd[2];

	support_machine(&self);
	ATF_REQUIRE_EQ(0, pipe(fd));
	a = actors_make(1);
	a->a_pipe = fd[0];
	support_spawn(&a->a_thread, "reader", MACHINE_CPU_ANY, block_in_read,
	    a);
	support_await(&a->a_ready);
	while (machine_running(&a->a_thread, &probe))
		machine_yield();
	ATF_CHECK_EQ(0, atomic_load_32(&a->a_thread.mt_offcpu));
	ATF_REQUIRE_EQ(1, write(fd[1], "x", 1));
	machine_join(&a->a_thread);
	ATF_CHECK_EQ(0, a->a_error);
	close(fd[0]);
	close(fd[1]);
	free(a);
}

ATF_TC(machine_running__never_wrongly_false);
ATF_TC_HEAD(machine_running__never_wrongly_false, tc)
{

	atf_tc_set_md_var(tc, "descr", "The one thread that certainly runs, "
	    "the caller's own, is never reported as not running");
}
ATF_TC_BODY(machine_running__never_wrongly_false, tc)
{
	static struct mthread observer;
	struct machine_probe probe = { 0 };
	unsigned i;

	/* Under a second name: nobody waits for a lock of his own. */
	support_machine(&self);
	machine_detach();
	machine_attach(&observer, "observer");
	for (i = 0; i < 1000; i++)
		ATF_REQUIRE_MSG(machine_running(&self, &probe), "call %u", i);
}

static void
do_nothing(void *arg)
{

	(void)arg;
}

ATF_TC(machine_running__ended);
ATF_TC_HEAD(machine_running__ended, tc)
{

	atf_tc_set_md_var(tc, "descr", "A waiter may still look at an owner "
	    "that released, ended and was joined, its stack long unmapped");
}
ATF_TC_BODY(machine_running__ended, tc)
{
	struct machine_probe probe = { 0 };
	struct actor *a;
	unsigned i;

	support_machine(&self);
#ifdef __GLIBC__
	/* More than the C library keeps mapped for the next thread. */
	pthread_attr_t attr;

	ATF_REQUIRE_EQ(0, pthread_attr_init(&attr));
	ATF_REQUIRE_EQ(0, pthread_attr_setstacksize(&attr, 128 << 20));
	ATF_REQUIRE_EQ(0, pthread_setattr_default_np(&attr));
	pthread_attr_destroy(&attr);
#endif
	a = actors_make(1);
	support_spawn(&a->a_thread, "ended", MACHINE_CPU_ANY, do_nothing,
	    NULL);
	machine_join(&a->a_thread);
	/* Nothing is certain of it; what counts is to come back. */
	for (i = 0; i < 100; i++)
		machine_running(&a->a_thread, &probe);
	free(a);
}

static void
spin_until_told(void *arg)
{
	struct actor *a = arg;

	atomic_store_rel_32(&a->a_ready, 1);
	support_await(&a->a_go);
}

static void
look_at_peer(void *arg)
{
	struct machine_probe probe = { 0 };
	struct actor *a = arg;

	support_await(&a->a_peer->a_ready);
	a->a_before = machine_running(&a->a_peer->a_thread, &probe);
}

ATF_TC(machine_running__same_cpu);
ATF_TC_HEAD(machine_running__same_cpu, tc)
{

	atf_tc_set_md_var(tc, "descr", "While one runs, another that is bound "
	    "to the same CPU does not");
}
ATF_TC_BODY(machine_running__same_cpu, tc)
{
	struct actor *a;
	bool bound;

	support_machine(&self);
	a = actors_make(2);
	a[1].a_peer = &a[0];
	support_spawn(&a[0].a_thread, "owner", 0, spin_until_told, &a[0]);
	support_spawn(&a[1].a_thread, "waiter", 0, look_at_peer, &a[1]);
	machine_join(&a[1].a_thread);
	atomic_store_rel_32(&a[0].a_go, 1);
	machine_join(&a[0].a_thread);
	bound = a[0].a_thread.mt_bound && a[1].a_thread.mt_bound;
	if (!bound)
		atf_tc_skip("binding is refused here");
	ATF_CHECK(!a[1].a_before);
	free(a);
}

static void
spin_and_announce(void *arg)
{
	struct actor *a = arg;

	atomic_store_rel_32(&a->a_ready, 1);
	support_await(&a->a_go);
	machine_oncpu();
	atomic_store_rel_32(&a->a_ready, 2);
	while (atomic_load_acq_32(&a->a_go) != 2)
		machine_yield();
}

ATF_TC(machine_oncpu__another_ran);
ATF_TC_HEAD(machine_oncpu__another_ran, tc)
{

	atf_tc_set_md_var(tc, "descr", "Once another thread has run on the CPU "
	    "of a bound one, that one was off it, until it says otherwise");
}
ATF_TC_BODY(machine_oncpu__another_ran, tc)
{
	struct machine_probe probe;
	struct actor *a;
	bool after, before, between;

	support_machine(&self);
	a = actors_make(2);
	support_spawn(&a[0].a_thread, "owner", 0, spin_and_announce, &a[0]);
	support_await(&a[0].a_ready);
	memset(&probe, 0, sizeof(probe));
	before = machine_running(&a[0].a_thread, &probe);
	support_spawn(&a[1].a_thread, "other", 0, do_nothing, NULL);
	machine_join(&a[1].a_thread);
	memset(&probe, 0, sizeof(probe));
	between = machine_running(&a[0].a_thread, &probe);
	atomic_store_rel_32(&a[0].a_go, 1);
	while (atomic_load_acq_32(&a[0].a_ready) != 2)
		machine_yield();
	memset(&probe, 0, sizeof(probe));
	after = machine_running(&a[0].a_thread, &probe);
	atomic_store_rel_32(&a[0].a_go, 2);
	machine_join(&a[0].a_thread);
	if (!a[0].a_thread.mt_bound || !a[1].a_thread.mt_bound)
		atf_tc_skip("binding is refused here");
	ATF_CHECK(before);
	ATF_CHECK(!between);
	ATF_CHECK(after);
	free(a);
}

static void
look_around(void *arg)
{
	struct actor *a = arg;

	a->a_self = machine_curthread();
	a->a_cpu = machine_cpu();
	a->a_before = a->a_thread.mt_bound;
}

ATF_TC(machine_spawn__binds);
ATF_TC_HEAD(machine_spawn__binds, tc)
{

	atf_tc_set_md_var(tc, "descr", "A thread starts on the CPU asked for "
	    "and says so; ranks beyond the last begin again");
}
ATF_TC_BODY(machine_spawn__binds, tc)
{
	struct actor *a;
	unsigned n, rank, refused = 0;

	support_machine(&self);
	n = cpu_count();
	a = actors_make(1);
	for (rank = 0; rank < n + 1; rank++) {
		support_spawn(&a->a_thread, "bound", (int)rank, look_around,
		    a);
		machine_join(&a->a_thread);
		ATF_CHECK_EQ_MSG((int)(rank % n), a->a_thread.mt_cpu,
		    "rank %u: %d", rank, a->a_thread.mt_cpu);
		ATF_CHECK_EQ(a->a_before, a->a_thread.mt_bound);
		if (!a->a_before) {
			refused++;
			continue;
		}
		ATF_CHECK_EQ_MSG(cpu_os_index(rank % n), a->a_cpu,
		    "rank %u runs on %u", rank, a->a_cpu);
	}
	free(a);
	if (refused == n + 1)
		atf_tc_skip("binding is refused here");
	ATF_CHECK_EQ(0, refused);
}

ATF_TC(machine_spawn__floats);
ATF_TC_HEAD(machine_spawn__floats, tc)
{

	atf_tc_set_md_var(tc, "descr", "An unbound thread does not claim a "
	    "CPU; its storage is reset, its name is cut to fit");
}
ATF_TC_BODY(machine_spawn__floats, tc)
{
	struct actor *a;

	support_machine(&self);
	a = actors_make(1);
	memset(&a->a_thread, 0xff, sizeof(a->a_thread));
	support_spawn(&a->a_thread, "a name that is too long",
	    MACHINE_CPU_ANY, look_around, a);
	machine_join(&a->a_thread);
	ATF_CHECK_EQ(&a->a_thread, a->a_self);
	ATF_CHECK_EQ(MACHINE_CPU_ANY, a->a_thread.mt_cpu);
	ATF_CHECK(!a->a_thread.mt_bound);
	ATF_CHECK_EQ(0, a->a_thread.mt_index);
	ATF_CHECK_EQ(0, atomic_load_32(&a->a_thread.mt_signalled));
	ATF_CHECK_STREQ("a name that is ", a->a_thread.mt_name);
	free(a);
}

static void
join_unspawned(void *arg)
{

	machine_join(arg);
}

static void
attach_again(void *arg)
{

	machine_attach(arg, "again");
}

ATF_TC(machine_attach__pairs);
ATF_TC_HEAD(machine_attach__pairs, tc)
{

	atf_tc_set_md_var(tc, "descr", "A thread is attached once at a time, "
	    "and joined only if it was spawned");
}
ATF_TC_BODY(machine_attach__pairs, tc)
{
	static struct mthread other;

	support_machine(&self);
	ATF_CHECK_EQ(&self, machine_curthread());
	ATF_CHECK(support_asserts(attach_again, &other));
	ATF_CHECK(support_asserts(join_unspawned, &self));
	machine_detach();
	machine_attach(&other, "other");
	ATF_CHECK_EQ(&other, machine_curthread());
	ATF_CHECK_STREQ("other", other.mt_name);
	machine_detach();
}

ATF_TC(machine_clocks__move_forward);
ATF_TC_HEAD(machine_clocks__move_forward, tc)
{

	atf_tc_set_md_var(tc, "descr", "No clock goes backwards, work costs "
	    "CPU time, and cycle counters out of step count as no time");
}
ATF_TC_BODY(machine_clocks__move_forward, tc)
{
	int64_t coarse_ns, cpu_ns, first_ns, ns, now_ns;
	unsigned i;

	support_machine(&self);
	first_ns = machine_thread_cpu_ns(&self);
	ns = machine_uptime_ns();
	cpu_ns = first_ns;
	coarse_ns = machine_uptime_coarse_ns();
	for (i = 0; i < 10000; i++) {
		now_ns = machine_uptime_ns();
		ATF_REQUIRE(now_ns >= ns);
		ns = now_ns;
		now_ns = machine_uptime_coarse_ns();
		ATF_REQUIRE(now_ns >= coarse_ns);
		coarse_ns = now_ns;
		ATF_REQUIRE(coarse_ns <= machine_uptime_ns());
		now_ns = machine_thread_cpu_ns(&self);
		ATF_REQUIRE(now_ns >= cpu_ns);
		cpu_ns = now_ns;
	}
	ATF_CHECK(cpu_ns > first_ns);
	ATF_CHECK_EQ(0, machine_cycles_to_ns(0));
	ATF_CHECK_EQ(0, machine_cycles_to_ns((uint64_t)-5));
	ATF_CHECK(machine_cycles_to_ns(UINT64_C(1) << 40) > 0);
}

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, machine_sleep__interrupted_asleep);
	ATF_TP_ADD_TC(tp, machine_sleep__interrupted_before);
	ATF_TP_ADD_TC(tp, machine_sleep__whole_time);
	ATF_TP_ADD_TC(tp, machine_wait_32__word_differs);
	ATF_TP_ADD_TC(tp, machine_wait_32__times_out);
	ATF_TP_ADD_TC(tp, machine_wait_32__bad_time_out);
	ATF_TP_ADD_TC(tp, machine_wake_32__wakes_all);
	ATF_TP_ADD_TC(tp, machine_wake_one_32__wakes_one);
	ATF_TP_ADD_TC(tp, machine_running__asleep);
	ATF_TP_ADD_TC(tp, machine_running__blocked_elsewhere);
	ATF_TP_ADD_TC(tp, machine_running__never_wrongly_false);
	ATF_TP_ADD_TC(tp, machine_running__ended);
	ATF_TP_ADD_TC(tp, machine_running__same_cpu);
	ATF_TP_ADD_TC(tp, machine_oncpu__another_ran);
	ATF_TP_ADD_TC(tp, machine_spawn__binds);
	ATF_TP_ADD_TC(tp, machine_spawn__floats);
	ATF_TP_ADD_TC(tp, machine_attach__pairs);
	ATF_TP_ADD_TC(tp, machine_clocks__move_forward);
	return (atf_no_error());
}
