/*
 * Locks with a fault, each of a sort that the kinds could have, and that the
 * checks of lock_contract_test find it.  Each check also passes a lock without
 * the fault, which is shown here or there.
 *
 * Compiled for the real and for the virtual flavour.
 */
#include <sys/time.h>
#include <sys/wait.h>

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "lib/lock/spin.h"
#include "tests/unit/lock_checks.h"
#include "tests/unit/test.h"

enum {
	/* CPU time in which a lock is handed over, and a spinner hangs. */
	HANG_US		= 300 * 1000,
	CROWD		= 5,
	ACQUISITIONS	= 1000,
	TRIES		= 100,
	WAITERS		= 4,
	HANGS		= 5
};

static struct mthread self;

static void
setup(void)
{
	support_machine(&self);
	self.mt_index = 0;
}

/* What the mutants keep: a ticket lock, or a list of waiters. */
struct mutant {
	struct m32	mu_next;
	struct m32	mu_serving;
	struct mptr	mu_list;	/* its tail, or the stack's top */
	struct m32	mu_looked;	/* a release has looked for a next */
};

struct mutant_node {
	struct mptr	mn_next;
	struct m32	mn_granted;
	struct mutant_node *mn_last;
	uint32_t	mn_ticket;
};

LOCK_STATE(struct mutant)
LOCK_NODE(struct mutant_node)

static void
mutant_fini(struct lock *l __unused)
{
}

static bool
mutant_owned(struct lock *l __unused)
{
	return (true);
}

/* A ticket lock that is right; the mutants change one of its parts. */
static bool
ticket_enter(struct lock *l, struct lock_node *n)
{
	node_of(n)->mn_ticket = atomic_fetchadd_32(&state_of(l)->mu_next, 1);
	return (false);
}

static void
ticket_wait(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	struct m32 *serving = &state_of(l)->mu_serving;
	uint32_t v;

	while ((v = atomic_load_acq_32(serving)) != node_of(n)->mn_ticket)
		lock_spin_32(w, serving, v);
}

static bool
ticket_trylock(struct lock *l, struct lock_node *n __unused)
{
	struct mutant *mu = state_of(l);
	uint32_t serving;

	serving = atomic_load_acq_32(&mu->mu_serving);
	return (atomic_cmpset_acq_32(&mu->mu_next, serving, serving + 1));
}

/* Two owners may release at once: neither gets lost, so no thread hangs. */
static void
ticket_unlock(struct lock *l, struct lock_node *n __unused)
{
	atomic_fetchadd_rel_32(&state_of(l)->mu_serving, 1);
}

/* Draws a number and does not wait. */
static bool
skipping_enter(struct lock *l, struct lock_node *n)
{
	return (!ticket_enter(l, n));
}

/* The third to come gets in together with the second. */
static void
doubling_wait(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	const uint32_t ticket = node_of(n)->mn_ticket;
	struct m32 *serving = &state_of(l)->mu_serving;
	uint32_t v;

	/* A thread that missed its turn may come in later. */
	while ((int32_t)((v = atomic_load_acq_32(serving)) - ticket) < 0 &&
	    !(ticket == 2 && v == 1))
		lock_spin_32(w, serving, v);
}

/* The first release is lost. */
static void
losing_unlock(struct lock *l, struct lock_node *n __unused)
{
	if (atomic_fetchadd_32(&state_of(l)->mu_looked, 1) > 0)
		ticket_unlock(l, n);
}

static bool
eager_trylock(struct lock *l, struct lock_node *n __unused)
{
	atomic_fetchadd_32(&state_of(l)->mu_next, 1);
	return (true);
}

static bool
shy_trylock(struct lock *l __unused, struct lock_node *n __unused)
{
	return (false);
}

static void
await_flag(struct lock_wait *w, struct m32 *flag)
{
	while (atomic_load_acq_32(flag) == 0)
		lock_spin_32(w, flag, 0);
}

/*
 * MCS, with the gap between swap and link held open until the owner's release
 * has looked for a next one.
 */
static bool
gap_enter(struct lock *l, struct lock_node *n)
{
	struct mutant_node *me = node_of(n);

	atomic_init_ptr(&me->mn_next, 0);
	atomic_init_32(&me->mn_granted, 0);
	me->mn_last = (struct mutant_node *)atomic_swap_acq_rel_ptr(
	    &state_of(l)->mu_list, (uintptr_t)me);
	return (me->mn_last == NULL);
}

static void
gap_wait(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	struct mutant_node *me = node_of(n);

	await_flag(w, &state_of(l)->mu_looked);
	atomic_store_rel_ptr(&me->mn_last->mn_next, (uintptr_t)me);
	await_flag(w, &me->mn_granted);
}

/* The next one, as a release sees it at first; NULL and released: none. */
static struct mutant_node *
gap_next(struct lock *l, struct mutant_node *me, bool *released)
{
	struct mutant *mu = state_of(l);
	uintptr_t next;

	next = atomic_load_acq_ptr(&me->mn_next);
	*released = next == 0 && atomic_cmpset_rel_ptr(&mu->mu_list,
	    (uintptr_t)me, 0);
	if (!*released)
		atomic_store_rel_32(&mu->mu_looked, 1);
	return ((struct mutant_node *)next);
}

static void
gap_unlock(struct lock *l, struct lock_node *n)
{
	struct lock_wait w = lock_wait_init(l);
	struct mutant_node *me = node_of(n), *next;
	bool released;

	next = gap_next(l, me, &released);
	if (released)
		return;
	while (next == NULL) {
		lock_spin_ptr(&w, &me->mn_next, 0);
		next = (struct mutant_node *)atomic_load_acq_ptr(&me->mn_next);
	}
	atomic_store_rel_32(&next->mn_granted, 1);
}

/* Takes a next one that has not linked itself for none. */
static void
hasty_unlock(struct lock *l, struct lock_node *n)
{
	struct mutant_node *next;
	bool released;

	next = gap_next(l, node_of(n), &released);
	if (next != NULL)
		atomic_store_rel_32(&next->mn_granted, 1);
}

/* Waiters on a stack: the last to come is served first. */
static bool
stack_enter(struct lock *l, struct lock_node *n __unused)
{
	return (atomic_swap_acq_32(&state_of(l)->mu_next, 1) == 0);
}

static void
stack_wait(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	struct mutant *mu = state_of(l);
	struct mutant_node *me = node_of(n);
	uintptr_t top;

	atomic_init_32(&me->mn_granted, 0);
	do {
		top = atomic_load_ptr(&mu->mu_list);
		atomic_init_ptr(&me->mn_next, top);
	} while (!atomic_cmpset_rel_ptr(&mu->mu_list, top, (uintptr_t)me));
	await_flag(w, &me->mn_granted);
}

/* Good enough where none comes while the waiters leave. */
static void
stack_unlock(struct lock *l, struct lock_node *n __unused)
{
	struct mutant *mu = state_of(l);
	struct mutant_node *top;

	top = (struct mutant_node *)atomic_load_acq_ptr(&mu->mu_list);
	if (top == NULL) {
		atomic_store_rel_32(&mu->mu_next, 0);
		return;
	}
	atomic_store_ptr(&mu->mu_list, atomic_load_ptr(&top->mn_next));
	atomic_store_rel_32(&top->mn_granted, 1);
}

#define	MUTANT(name, enter, wait, trylock, unlock)			\
static const struct lock_class mutant_##name = {			\
	.lc_name	= #name,					\
	.lc_descr	= "a mutant",					\
	.lc_type	= "mutant",					\
	.lc_flags	= LC_EXCLUDES | LC_SPIN | LC_FIFO,		\
	.lc_knobs	= LK_SPIN_POLLS,				\
	.lc_fini	= mutant_fini,					\
	.lc_enter	= enter,					\
	.lc_wait	= wait,						\
	.lc_trylock	= trylock,					\
	.lc_unlock	= unlock,					\
	.lc_owned	= mutant_owned,					\
}

MUTANT(sound, ticket_enter, ticket_wait, ticket_trylock, ticket_unlock);
MUTANT(skipping, skipping_enter, NULL, ticket_trylock, ticket_unlock);
MUTANT(doubling, ticket_enter, doubling_wait, ticket_trylock, ticket_unlock);
MUTANT(losing, ticket_enter, ticket_wait, ticket_trylock, losing_unlock);
MUTANT(eager, ticket_enter, ticket_wait, eager_trylock, ticket_unlock);
MUTANT(shy, ticket_enter, ticket_wait, shy_trylock, ticket_unlock);
MUTANT(gap, gap_enter, gap_wait, NULL, gap_unlock);
MUTANT(hasty, gap_enter, gap_wait, NULL, hasty_unlock);
MUTANT(stack, stack_enter, stack_wait, NULL, stack_unlock);

enum { LET_IN, NOT_LET_IN, HUNG };	/* exit status of a child */

static int	verdict;	/* of the child's only question */

static void
ask(void *arg)
{
	struct lock_config config = config_default();

	verdict = keeps_out(arg, &config) ? NOT_LET_IN : LET_IN;
}

/*
 * Asks whether a lock keeps others out, and ends the process with the answer: a
 * real one that hangs when it has used the CPU for as long as no hand-over
 * takes, a simulated one when the machine says so.
 */
static void __attribute__((noreturn))
ask_and_exit(const struct lock_class *class)
{
#ifdef MACHINE_VIRTUAL
	struct machine_outcome mo;
	int error;

	error = support_run(ask, (void *)(uintptr_t)class,
	    (uint64_t)HANG_US * 1000 * 1000, &mo);
	_exit(error == EDEADLK ? HUNG : verdict);
#else
	struct itimerval cpu = { .it_value.tv_usec = HANG_US };

	if (setitimer(ITIMER_PROF, &cpu, NULL) == 0)
		ask((void *)(uintptr_t)class);
	_exit(verdict);
#endif
}

/* Whether a waiter is left waiting, asked in a process of its own. */
static bool
hangs(const struct lock_class *class)
{
	int status;
	pid_t pid;

	verdict = LET_IN;
	pid = fork();
	ATF_REQUIRE(pid >= 0);
	if (pid == 0)
		ask_and_exit(class);
	ATF_REQUIRE_EQ(pid, waitpid(pid, &status, 0));
	if (WIFSIGNALED(status)) {
		ATF_REQUIRE_EQ_MSG(SIGPROF, WTERMSIG(status), "%s",
		    class->lc_name);
		return (true);
	}
	if (WEXITSTATUS(status) == HUNG)
		return (true);
	ATF_REQUIRE_EQ_MSG(NOT_LET_IN, WEXITSTATUS(status), "%s",
	    class->lc_name);
	return (false);
}

/* On a machine that is busy enough a sound lock may seem to, but not always. */
static bool
always_hangs(const struct lock_class *class)
{
	unsigned i;

	for (i = 0; i < HANGS && hangs(class); i++)
		continue;
	return (i == HANGS);
}

/* Whether a crowd's pair of numbers came to harm. */
static bool
spoils(const struct lock_class *class)
{
	struct lock_config config = config_default();
	uint64_t acquired = 0, torn = 0;
	struct member *members;
	struct crowd *c;
	bool spoilt;

	config.spin_polls = 1;
	c = support_alloc(1, sizeof(*c));
	lock_make(&c->c_lock, class, &config, NULL);
	c->c_shared = true;
	members = crowd_run(c, CROWD, ACQUISITIONS);
	for (unsigned i = 0; i < CROWD; i++) {
		acquired += members[i].m_acquired;
		torn += members[i].m_torn;
	}
	spoilt = torn > 0 || c->c_left != acquired || c->c_right != acquired;
	lock_fini(&c->c_lock);
	free(members);
	free(c);
	return (spoilt);
}

/* Lines up waiters; whether they were served alone, and whether in order. */
static void
queue(const struct lock_class *class, bool *alone, bool *ordered)
{
	static const unsigned index[WAITERS] = { 1, 2, 3, 4 };
	struct lock_config config = config_default();
	uint32_t rank[WAITERS];

	ATF_CHECK_MSG(line_up(class, &config, NULL, 1, WAITERS, index,
	    rank, alone),
	    "%s: a waiter did not wait", class->lc_name);
	*ordered = true;
	for (unsigned i = 0; i < WAITERS; i++)
		*ordered = *ordered && rank[i] == i;
}

MACHINE_TEST(mutant__does_not_exclude, "A lock without waiting is found "
    "by two threads that meet and by a crowd, a sound one is not")
{
	struct lock_config config;
#if !defined(__SANITIZE_THREAD__)
	unsigned i;
#endif

	setup();
	config = config_default();
	ATF_CHECK(keeps_out(&mutant_sound, &config));
	ATF_CHECK(!keeps_out(&mutant_skipping, &config));
	ATF_CHECK(!spoils(&mutant_sound));
#if !defined(__SANITIZE_THREAD__)
	/* It would say so, too. */
	for (i = 0; i < TRIES && !spoils(&mutant_skipping); i++)
		continue;
	ATF_CHECK(i < TRIES);
#endif
}

MACHINE_TEST(mutant__admits_two, "A lock that is wrong for the third thread "
    "only is found by a queue")
{
	struct lock_config config;
	bool alone = true, ordered;

	setup();
	config = config_default();
	ATF_CHECK(keeps_out(&mutant_doubling, &config));
	/* Two that may be inside together need not meet each time. */
	for (unsigned i = 0; i < TRIES && alone; i++)
		queue(&mutant_doubling, &alone, &ordered);
	ATF_CHECK(!alone);
	queue(&mutant_sound, &alone, &ordered);
	ATF_CHECK(alone && ordered);
}

MACHINE_TEST(mutant__is_not_fifo, "A lock that excludes but serves the last to "
    "come first is found by a queue")
{
	bool alone, ordered;

	setup();
	queue(&mutant_stack, &alone, &ordered);
	ATF_CHECK(alone);
	ATF_CHECK(!ordered);
}

TEST(mutant__hangs, "A release that is lost, and one that takes a waiter "
    "between swap and link for none, leave one waiting")
{
	setup();
	ATF_CHECK(!always_hangs(&mutant_sound));
	ATF_CHECK(always_hangs(&mutant_losing));
	ATF_CHECK(!always_hangs(&mutant_gap));
	ATF_CHECK(always_hangs(&mutant_hasty));
}

MACHINE_TEST(mutant__tries_wrongly, "Trying that never fails and trying that "
    "never succeeds are found by another thread")
{
	struct lock_config config;

	setup();
	config = config_default();
	ATF_CHECK(!other_can_try(&mutant_sound, &config, true));
	ATF_CHECK(other_can_try(&mutant_eager, &config, true));
	ATF_CHECK(other_can_try(&mutant_sound, &config, false));
	ATF_CHECK(!other_can_try(&mutant_shy, &config, false));
}

TEST_PROGRAM()
