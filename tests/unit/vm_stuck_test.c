/*
 * Machines that come to no good end say so, and why, and leave nothing behind.
 */
#define	FLAVOUR		virtual
#define	MACHINE_VIRTUAL

#include <sys/resource.h>
#include <sys/wait.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/lock/lock.h"
#include "lib/vm/impl.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"
#include "tests/unit/vm_fixture.h"

enum {
	CPUS	= 4,
	CAST	= 6,
	MANY	= 200
};

/* Threads and two locks that they use wrongly. */
struct cast {
	struct lock	 c_a;
	struct lock	 c_b;
	struct mthread	 c_td[MANY];
	struct m32	 c_word;
	const char	*c_kind;	/* of the locks */
	void		(*c_role[CAST])(struct cast *);
	unsigned	 c_roles;
	unsigned	 c_next;
	int		 c_error;	/* of spawning */
	unsigned	 c_spawned;
};

static const char *second_name = "B";
static struct machine_outcome outcome;
static struct cast *cast;	/* reachable after a run that was dropped */

static void
role_main(void *arg)
{
	struct cast *c = arg;
	unsigned i = c->c_next++;

	machine_curthread()->mt_index = i;
	c->c_role[i % CAST](c);
}

static void
cast_main(void *arg)
{
	static const char *const names[CAST] = { "ann", "bob", "cid", "dan",
	    "eve", "fay" };
	struct lock_config config = lock_config_default(CPUS);
	struct cast *c = arg;
	struct mthread self;
	unsigned i;

	machine_attach(&self, "first");
	lock_init(&c->c_a, lock_class_find(c->c_kind), "A", &config, NULL);
	lock_init(&c->c_b, lock_class_find(c->c_kind),
	    second_name, &config, NULL);
	for (i = 0; i < c->c_roles; i++)
		support_spawn(&c->c_td[i], names[i], (int)i, role_main, c);
	for (i = 0; i < c->c_roles; i++)
		machine_join(&c->c_td[i]);
	lock_fini(&c->c_a);
	lock_fini(&c->c_b);
	machine_detach();
}

/* Runs roles until they are stuck. */
static void
play(const char *kind, unsigned n, void (*const *role)(struct cast *),
    uint64_t limit_ps)
{
	struct machine_config mc = fixture_config(CPUS, 1);

	if (cast == NULL)
		cast = support_alloc(1, sizeof(*cast));
	memset(cast, 0, sizeof(*cast));
	cast->c_kind = kind;
	cast->c_roles = n;
	for (unsigned i = 0; i < n; i++)
		cast->c_role[i] = role[i];
	mc.mc_limit_ps = limit_ps;
	mc.mc_costs.vc_lat_ps[VM_SELF] = 0;
	ATF_CHECK_EQ_MSG(EDEADLK, vm_run(&mc, cast_main, cast, &outcome), "%s",
	    kind);
}

static void
check_says(const char *what)
{
	ATF_CHECK_MSG(strstr(outcome.mo_stuck, what) != NULL,
	    "no \"%s\" in: %s", what, outcome.mo_stuck);
}

static void
lose_wake_up(struct cast *c)
{
	machine_wait_32(&c->c_word, 0, -1);
}

static void
store_only(struct cast *c)
{
	machine_charge(COST_WORK, 5000);
	atomic_store_32(&c->c_word, 1);
}

TEST(vm_run__lost_wake_up, "A sleeper that is never woken is named")
{
	static void (*const roles[])(struct cast *) = { lose_wake_up,
	    store_only };

	play("mtx", 2, roles, 0);
	check_says("no thread can run at 0.005 ms of virtual time");
	check_says("\n  ann (asleep)");
	/* Ended threads, and threads that wait for an end, are left out. */
	ATF_CHECK(strstr(outcome.mo_stuck, "bob") == NULL);
}

static void
a_then_b(struct cast *c)
{
	struct lock_node a, b;

	lock_acquire(&c->c_a, &a, 0);
	machine_charge(COST_WORK, 100000);
	lock_acquire(&c->c_b, &b, 0);
	lock_release(&c->c_b, &b);
	lock_release(&c->c_a, &a);
}

static void
b_then_a(struct cast *c)
{
	struct lock_node a, b;

	lock_acquire(&c->c_b, &b, 0);
	machine_charge(COST_WORK, 100000);
	lock_acquire(&c->c_a, &a, 0);
	lock_release(&c->c_a, &a);
	lock_release(&c->c_b, &b);
}

static void
a_later(struct cast *c)
{
	struct lock_node a;

	machine_charge(COST_WORK, 50000);
	lock_acquire(&c->c_a, &a, 0);
	lock_release(&c->c_a, &a);
}

static void
join_first(struct cast *c)
{
	machine_charge(COST_WORK, 1000);
	machine_join(&c->c_td[0]);
}

TEST(vm_run__deadlock, "Of two threads that take two locks in both orders it "
    "is said which thread holds and awaits what, for each kind")
{
	static void (*const roles[])(struct cast *) = { a_then_b, b_then_a,
	    a_later };
	const struct lock_class *class;
	unsigned i;

	for (i = 0; i < lock_class_count; i++) {
		class = lock_classes[i];
		if ((class->lc_flags & LC_EXCLUDES) == 0)
			continue;
		play(class->lc_name, 3, roles, UINT64_C(20000000000));
		check_says(") holds A, waits for B, held by bob");
		check_says(") holds B, waits for A, held by ann");
		check_says(") waits for A, held by ann");
		check_says("\n  ann (");
		check_says("\n  bob (");
		check_says("\n  cid (");
	}
	/* Sleepers need no limit. */
	play("futex", 2, roles, 0);
	check_says("no thread can run");
	check_says("bob (asleep) holds B, waits for A, held by ann");
	/* Locks of one name get numbers. */
	second_name = "A";
	play("futex", 2, roles, 0);
	check_says("ann (asleep) holds A 1, waits for A 2, held by bob");
	check_says("bob (asleep) holds A 2, waits for A 1, held by ann");
}

static void
a_for_ever(struct cast *c)
{
	struct lock_node a;

	lock_acquire(&c->c_a, &a, 0);
}

TEST(vm_run__never_released, "Waiters that poll a lock whose owner ended "
    "without releasing it end with the limit")
{
	static void (*const roles[])(struct cast *) = { a_for_ever, a_later,
	    a_later };
	static void (*const joins[])(struct cast *) = { a_then_b, b_then_a,
	    join_first };

	play("tas-backoff", 3, roles, UINT64_C(10000000000));
	check_says("no end in sight at ");
	check_says("\n  ann (ended) holds A");
	check_says("bob (running) waits for A, held by ann");
	ATF_CHECK(outcome.mo_time_ps <= UINT64_C(10000000000));
	play("mtx", 3, joins, UINT64_C(10000000000));
	check_says("\n  cid (asleep) waits for ann to end");
}

static void
load_for_ever(struct cast *c)
{
	while (atomic_load_32(&c->c_word) == 0)
		continue;
}

static void
look_at_clock(struct cast *c __unused)
{
	int64_t start_ns = machine_uptime_ns();

	while (machine_uptime_ns() < start_ns + 1000)
		continue;
}

static void
look_at_coarse_clock(struct cast *c __unused)
{
	while (machine_uptime_coarse_ns() < 1000)
		continue;
}

TEST_CASE(vm_run__time_stands_still);
ATF_TC_HEAD(vm_run__time_stands_still, tc)
{
	atf_tc_set_md_var(tc, "descr", "A loop whose steps take no time ends");
	atf_tc_set_md_var(tc, "timeout", "1200");
}
ATF_TC_BODY(vm_run__time_stands_still, tc)
{
	static void (*const roles[])(struct cast *) = { load_for_ever,
	    look_at_clock, look_at_coarse_clock };
	unsigned i;

	for (i = 0; i < nitems(roles); i++) {
		play("mtx", 1, &roles[i], 0);
		check_says("virtual time stands still at ");
		check_says("\n  ann (running)");
	}
}

static void
spin_with_writes(struct cast *c)
{
	for (;;) {
		atomic_fetchadd_rel_32(&c->c_word, 1);
		machine_pause(1);
	}
}

static void
work_rarely(struct cast *c __unused)
{
	machine_sleep(90 * 1000 * 1000);
	machine_charge(COST_WORK, 5000);
}

TEST(vm_run__threads_only_spin, "Threads that spin and change a word while "
    "none works end with their names, 100 ms after the last that did")
{
	static void (*const roles[])(struct cast *) = { spin_with_writes,
	    work_rarely };

	play("mtx", 1, roles, 0);
	check_says("threads only spin at ");
	check_says("\n  ann (running)");
	play("mtx", 2, roles, 0);
	check_says("threads only spin at ");
	ATF_CHECK(outcome.mo_stuck[0] != '\0' &&
	    strtod(strstr(outcome.mo_stuck, " at ") + 4, NULL) > 190);
}

static void
nothing(void *arg __unused)
{
}

static void
sleep_long(void *arg __unused)
{
	machine_sleep(NS_PER_S);
}

static void
many_main(void *arg)
{
	struct lock_config config = lock_config_default(CPUS);
	struct cast *c = arg;

	config.threads = MANY;
	lock_init(&c->c_a, lock_class_find(c->c_kind), "A", &config, NULL);
	for (unsigned i = 0; i < MANY; i++)
		support_spawn(&c->c_td[i], "one of many", (int)i, role_main, c);
	for (unsigned i = 0; i < MANY; i++)
		machine_join(&c->c_td[i]);
}

TEST(vm_run__stuck_with_many, "Of more threads than find room the owners are "
    "named, and how many are left out is said")
{
	struct machine_config mc = fixture_config(CPUS, 1);
	const char *more;
	unsigned left_out;

	cast = support_alloc(1, sizeof(*cast));
	cast->c_kind = "mtx";
	mc.mc_limit_ps = UINT64_C(100000000000);
	for (unsigned i = 0; i < CAST; i++)
		cast->c_role[i] = a_later;
	cast->c_role[CAST - 1] = a_for_ever;
	cast->c_roles = CAST;
	ATF_CHECK_EQ(EDEADLK, vm_run(&mc, many_main, cast, &outcome));
	check_says("one of many (ended) holds A\n");
	more = strstr(outcome.mo_stuck, "\n  and ");
	ATF_REQUIRE(more != NULL);
	ATF_CHECK_EQ(1, sscanf(more, " and %u more", &left_out));
	ATF_CHECK(left_out > 100 && left_out < MANY);
	ATF_CHECK(strlen(outcome.mo_stuck) < VM_STUCK_SIZE);
}

/* Threads until there is no more; all of them end. */
static void
spawn_all(void *arg)
{
	struct cast *c = arg;
	struct mthread self, *tds;

	machine_attach(&self, "first");
	tds = support_alloc(VM_THREADS_MAX, sizeof(*tds));
	for (c->c_spawned = 0; c->c_spawned < VM_THREADS_MAX; c->c_spawned++) {
		c->c_error = machine_spawn(&tds[c->c_spawned], "t",
		    MACHINE_CPU_ANY, c->c_spawned % 2 == 0 ? nothing :
		    sleep_long, NULL);
		if (c->c_error != 0)
			break;
	}
	for (unsigned i = 0; i < c->c_spawned; i++)
		machine_join(&tds[i]);
	free(tds);
	machine_detach();
}

TEST(machine_spawn__too_many, "One thread too many is refused with EAGAIN, and "
    "the others do not mind")
{
	struct machine_config mc = fixture_config(CPUS, 1);

	cast = support_alloc(1, sizeof(*cast));
	ATF_CHECK_EQ(0, vm_run(&mc, spawn_all, cast, &outcome));
	ATF_CHECK_EQ_MSG(EAGAIN, cast->c_error, "%s after %u",
	    strerror(cast->c_error), cast->c_spawned);
	ATF_CHECK_EQ(VM_THREADS_MAX - 1, cast->c_spawned);
	free(cast);
}

TEST(vm_run__no_memory, "A machine without memory is refused with ENOMEM, and "
    "so is a thread")
{
	struct machine_config mc = fixture_config(CPUS, 1);
	struct rlimit limit;
	unsigned pages = 0;
	FILE *f;

	if (mallctl == NULL)
		atf_tc_skip("a sanitizer needs more memory than can be "
		    "counted");
	cast = support_alloc(1, sizeof(*cast));
	f = fopen("/proc/self/statm", "r");
	if (f == NULL || fscanf(f, "%u", &pages) != 1)
		atf_tc_skip("the amount of memory is unknown");
	fclose(f);
	ATF_CHECK_EQ(0, vm_run(&mc, spawn_all, cast, &outcome));
	/* Room for some threads. */
	limit.rlim_cur = limit.rlim_max = (rlim_t)pages *
	    (rlim_t)sysconf(_SC_PAGESIZE) + 48 * 1024 * 1024;
	ATF_REQUIRE_EQ(0, setrlimit(RLIMIT_AS, &limit));
	ATF_CHECK_EQ(0, vm_run(&mc, spawn_all, cast, &outcome));
	ATF_CHECK_EQ(ENOMEM, cast->c_error);
	ATF_CHECK(cast->c_spawned > 10 && cast->c_spawned < VM_THREADS_MAX - 1);
	/* Room for none. */
	limit.rlim_cur = 1;
	ATF_REQUIRE_EQ(0, setrlimit(RLIMIT_AS, &limit));
	ATF_CHECK_EQ(ENOMEM, vm_run(&mc, spawn_all, cast, &outcome));
}

/* Mappings of this process; 0: unknown. */
static unsigned
mappings(void)
{
	unsigned n = 0;
	FILE *f = fopen("/proc/self/maps", "r");
	int c;

	if (f == NULL)
		return (0);
	while ((c = getc(f)) != EOF)
		n += c == '\n';
	fclose(f);
	return (n);
}

TEST(vm_run__stuck_leaves_nothing, "Stuck machines leave no stack behind, and "
    "the next one runs as if they had not been")
{
	static void (*const roles[])(struct cast *) = { a_then_b, b_then_a };
	unsigned before = 0;
	uint64_t hash = 0;

	if (mappings() == 0)
		atf_tc_skip("the number of mappings is unknown");
	for (unsigned i = 0; i < 300; i++) {
		play("futex", 2, roles, 0);
		if (i == 100) {
			before = mappings();
			hash = outcome.mo_hash;
		}
	}
	ATF_CHECK_EQ(hash, outcome.mo_hash);
	ATF_CHECK_MSG(mappings() <= before + 20, "%u mappings became %u",
	    before, mappings());
}

static volatile unsigned endless = 1 << 20;

static unsigned
recurse(volatile unsigned char *above, unsigned depth)
{
	volatile unsigned char here[512];

	here[0] = above[0];
	if (depth == 0)
		return (here[0]);
	return (recurse(here, depth - 1) + here[0]);
}

static void
overflow(struct cast *c)
{
	volatile unsigned char top[1] = { 0 };

	c->c_next = recurse(top, endless);
}

TEST(vm_run__stack_overflow, "A thread that outgrows its stack kills the "
    "process, nothing else")
{
	static void (*const roles[])(struct cast *) = { a_later, overflow,
	    a_later };
	int status;
	pid_t pid;

	pid = fork();
	ATF_REQUIRE(pid >= 0);
	if (pid == 0) {
		fclose(stderr);
		play("mtx", 3, roles, 0);
		_exit(EXIT_SUCCESS);
	}
	ATF_REQUIRE_EQ(pid, waitpid(pid, &status, 0));
	/* AddressSanitizer has handlers of its own, and ends with a status. */
	if (mallctl != NULL)
		ATF_CHECK(WIFSIGNALED(status) && (WTERMSIG(status) == SIGSEGV ||
		    WTERMSIG(status) == SIGBUS));
	else
		ATF_CHECK(WIFSIGNALED(status) || WEXITSTATUS(status) != 0);
}

TEST_PROGRAM()
