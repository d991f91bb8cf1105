/*
 * What lib/machine/machine.h promises of threads and sleeps.
 *
 * Sleeps that must end early are given an hour: if they do not, the test does
 * not end either.
 */
#include <errno.h>
#include <unistd.h>

#include "lib/machine/machine.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum {
	SLEEPERS	= 8,
	YIELDS_TO_WAKE	= 200
};

#define	HOUR_NS	(INT64_C(3600) * NS_PER_S)

static struct mthread self;
static struct m32 word;		/* that sleepers sleep on */

/* A thread of a test, with its input and what it found. */
struct actor {
	struct mthread	 a_thread;
	struct m32	 a_go;
	struct m32	 a_ready;
	struct actor	*a_peer;
	int		 a_error;
	int		 a_again;
	bool		 a_before;
	bool		 a_after;
	unsigned	 a_cpu;
	struct mthread	*a_self;
};

static struct actor *
actors_make(unsigned n)
{
	return (support_alloc(n, sizeof(struct actor)));
}

/* The same, and on the machine, each with a thread that does fn(actor). */
static struct actor *
actors_start(unsigned n, void (*fn)(void *))
{
	struct actor *a;

	support_machine(&self);
	atomic_init_32(&word, 0);
	a = actors_make(n);
	for (unsigned i = 0; i < n; i++)
		support_spawn(&a[i].a_thread, "actor", MACHINE_CPU_ANY, fn,
		    &a[i]);
	return (a);
}

/* Waits until td says that it sleeps of its own will. */
static void
await_asleep(struct mthread *td)
{
	support_await(&td->mt_offcpu);
}

static bool
runs_at_first_sight(struct mthread *td)
{
	struct machine_probe probe = { 0 };

	return (machine_running(td, &probe));
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

TEST(machine_sleep__interrupted_asleep, "An interrupt ends a sleep at once, "
    "and the next before it begins: the mark stays")
{
	struct actor *a = actors_start(1, sleep_an_hour);

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

TEST(machine_sleep__interrupted_before, "An interrupt that comes before the "
    "sleep is not lost; a thread spawned anew does not inherit it")
{
	struct actor *a;

	support_machine(&self);
	a = actors_make(1);
	for (unsigned round = 0; round < 2; round++) {
		atomic_store_32(&a->a_go, 0);
		support_spawn(&a->a_thread, "sleeper", MACHINE_CPU_ANY,
		    sleep_when_told, a);
		if (round == 0)
			machine_interrupt(&a->a_thread);
		atomic_store_rel_32(&a->a_go, 1);
		if (round != 0) {
			await_asleep(&a->a_thread);
			machine_interrupt(&a->a_thread);
		}
		machine_join(&a->a_thread);
		ATF_CHECK_EQ(round == 0, a->a_before);
		ATF_CHECK_EQ_MSG(EINTR, a->a_error, "%d", a->a_error);
	}
	free(a);
}

TEST(machine_sleep__whole_time, "Without an interrupt a sleep returns 0, "
    "never before its time, and uses no CPU")
{
	const int64_t sleep_ns = 50 * NS_PER_MS;
	int64_t start_ns, cpu_ns;

	support_machine(&self);
	ATF_CHECK_EQ(0, machine_sleep(0));
	/* The generation is read, not assumed. */
	atomic_store_32(&self.mt_sleep, 7);
	start_ns = machine_uptime_ns();
	cpu_ns = machine_thread_cpu_ns(&self);
	ATF_CHECK_EQ(0, machine_sleep(sleep_ns));
	ATF_CHECK(machine_thread_cpu_ns(&self) - cpu_ns < sleep_ns / 10);
	ATF_CHECK(machine_uptime_ns() - start_ns >= sleep_ns);
	ATF_CHECK_EQ(0, atomic_load_32(&self.mt_offcpu));
}

TEST(machine_wait_32__word_differs, "A thread does not sleep on a word that "
    "has changed already")
{
	support_machine(&self);
	atomic_init_32(&word, 7);
	ATF_CHECK_EQ(0, machine_wait_32(&word, 6, -1));
	ATF_CHECK_EQ(0, machine_wait_32(&word, 8, HOUR_NS));
	ATF_CHECK_EQ(0, atomic_load_32(&self.mt_offcpu));
}

TEST(machine_wait_32__times_out, "A wait without a wake-up returns ETIMEDOUT, "
    "and not before its time")
{
	int64_t start_ns;
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
wait_too_little(void *arg __unused)
{
	atomic_init_32(&word, 0);
	machine_wait_32(&word, 1, -2);
}

TEST(machine_wait_32__bad_time_out, "A negative time-out other than -1 is a "
    "miscalculated one, not for ever")
{
	support_machine(&self);
	ATF_CHECK(support_asserts(wait_too_little, NULL));
}

static void
wait_for_change(void *arg __unused)
{
	while (atomic_load_acq_32(&word) == 0)
		machine_wait_32(&word, 0, -1);
}

TEST(machine_wake_32__wakes_all, "One call wakes every sleeper on the word; "
    "none can wake by itself")
{
	struct actor *a = actors_start(SLEEPERS, wait_for_change);
	unsigned awake = 0;

	for (unsigned i = 0; i < SLEEPERS; i++)
		await_asleep(&a[i].a_thread);
	atomic_store_rel_32(&word, 1);
	machine_wake_32(&word);
	for (unsigned i = 0; i < SLEEPERS; i++) {
		machine_join(&a[i].a_thread);
		awake += atomic_load_32(&a[i].a_thread.mt_offcpu) == 0;
	}
	ATF_CHECK_EQ(SLEEPERS, awake);
	free(a);
}

static void
wait_once(void *arg __unused)
{
	machine_wait_32(&word, 0, -1);
}

TEST(machine_wake_one_32__wakes_one, "Of the sleepers on a word that stays as "
    "it is each call wakes one, and no more")
{
	unsigned awake, calls, i;
	struct actor *a = actors_start(SLEEPERS, wait_once);

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

TEST(machine_running__asleep, "A thread in machine_wait_32() is reported as "
    "not running, at first sight and ever after")
{
	struct machine_probe probe = { 0 };
	struct actor *a = actors_start(1, wait_for_change);

	while (machine_running(&a->a_thread, &probe))
		machine_yield();
	await_asleep(&a->a_thread);
	for (unsigned i = 0; i < 100; i++) {
		ATF_CHECK(!machine_running(&a->a_thread, &probe));
		ATF_CHECK(!runs_at_first_sight(&a->a_thread));
	}
	atomic_store_rel_32(&word, 1);
	machine_wake_32(&word);
	machine_join(&a->a_thread);
	free(a);
}

static int fd[2];		/* a pipe */

static void
block_in_read(void *arg)
{
	struct actor *a = arg;
	char c;

	atomic_store_rel_32(&a->a_ready, 1);
	a->a_error = read(fd[0], &c, 1) == 1 ? 0 : errno;
}

TEST(machine_running__blocked_elsewhere, "A thread that lost its CPU without "
    "saying so is found out by its CPU clock")
{
	struct machine_probe probe = { 0 };
	struct actor *a;

	ATF_REQUIRE_EQ(0, pipe(fd));
	a = actors_start(1, block_in_read);
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

TEST(machine_running__never_wrongly_false, "The one thread that certainly "
    "runs, the caller's own, is never reported as not running")
{
	static struct mthread observer;
	struct machine_probe probe = { 0 };

	/* Under a second name: no thread waits for a lock of its own. */
	support_machine(&self);
	machine_detach();
	machine_attach(&observer, "observer");
	for (unsigned i = 0; i < 1000; i++)
		ATF_REQUIRE_MSG(machine_running(&self, &probe), "call %u", i);
}

static void
do_nothing(void *arg __unused)
{
}

TEST(machine_running__ended, "A waiter may still look at an owner that "
    "released, ended and was joined, its stack long unmapped")
{
	struct machine_probe probe = { 0 };
	struct actor *a;

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
	support_spawn(&a->a_thread, "ended", MACHINE_CPU_ANY, do_nothing, NULL);
	machine_join(&a->a_thread);
	/* Nothing is certain of it; what counts is to come back. */
	for (unsigned i = 0; i < 100; i++)
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
	struct actor *a = arg;

	support_await(&a->a_peer->a_ready);
	a->a_before = runs_at_first_sight(&a->a_peer->a_thread);
}

TEST(machine_running__same_cpu, "While one runs, another that is bound to the "
    "same CPU does not")
{
	struct actor *a;

	support_machine(&self);
	a = actors_make(2);
	a[1].a_peer = &a[0];
	support_spawn(&a[0].a_thread, "owner", 0, spin_until_told, &a[0]);
	support_spawn(&a[1].a_thread, "waiter", 0, look_at_peer, &a[1]);
	machine_join(&a[1].a_thread);
	atomic_store_rel_32(&a[0].a_go, 1);
	machine_join(&a[0].a_thread);
	if (!a[0].a_thread.mt_bound || !a[1].a_thread.mt_bound)
		atf_tc_skip("binding is refused here");
	ATF_CHECK(!a[1].a_before);
	free(a);
}

static void
spin_and_announce(void *arg)
{
	struct actor *a = arg;

	spin_until_told(a);
	machine_oncpu();
	atomic_store_rel_32(&a->a_ready, 2);
	while (atomic_load_acq_32(&a->a_go) != 2)
		machine_yield();
}

TEST(machine_oncpu__another_ran, "Once another thread has run on the CPU of a "
    "bound one, that one was off it, until it says otherwise")
{
	struct actor *a;
	bool after, before, between;

	support_machine(&self);
	a = actors_make(2);
	support_spawn(&a[0].a_thread, "owner", 0, spin_and_announce, &a[0]);
	support_await(&a[0].a_ready);
	before = runs_at_first_sight(&a[0].a_thread);
	support_spawn(&a[1].a_thread, "other", 0, do_nothing, NULL);
	machine_join(&a[1].a_thread);
	between = runs_at_first_sight(&a[0].a_thread);
	atomic_store_rel_32(&a[0].a_go, 1);
	while (atomic_load_acq_32(&a[0].a_ready) != 2)
		machine_yield();
	after = runs_at_first_sight(&a[0].a_thread);
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

TEST(machine_spawn__binds, "A thread starts on the CPU asked for and says so; "
    "ranks beyond the last begin again")
{
	struct actor *a;
	unsigned n, refused = 0;

	support_machine(&self);
	n = cpu_count();
	a = actors_make(1);
	for (unsigned rank = 0; rank < n + 1; rank++) {
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

TEST(machine_spawn__floats, "An unbound thread does not claim a CPU; its "
    "storage is reset, its name is cut to fit")
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

TEST(machine_attach__pairs, "A thread is attached once at a time, and joined "
    "only if it was spawned")
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

TEST(machine_clocks__move_forward, "No clock goes backwards, work costs CPU "
    "time, and cycle counters out of step count as no time")
{
	int64_t coarse_ns, cpu_ns, first_ns, ns, now_ns;

	support_machine(&self);
	first_ns = machine_thread_cpu_ns(&self);
	ns = machine_uptime_ns();
	cpu_ns = first_ns;
	coarse_ns = machine_uptime_coarse_ns();
	for (unsigned i = 0; i < 10000; i++) {
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

TEST_PROGRAM()
