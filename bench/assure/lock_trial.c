#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "bench/assure/lock_trial.h"

enum {
	HOLD_PAUSES	= 20,
	YIELD_EVERY	= 5,	/* holds in which the owner gives its CPU up */
	TRY_EVERY	= 4,
	BUSY_NS		= 1000 * 1000	/* more than the way there takes */
};

struct member {
	_Alignas(MACHINE_CACHE_LINE)
	struct mthread	 mb_thread;
	struct trial	*mb_trial;
	unsigned	 mb_index;
	struct m32	 mb_about;	/* acquires next */
	struct m32	 mb_entered;
	uint32_t	 mb_rank;	/* how many-th it was served */
	uint64_t	 mb_acquired;
	uint64_t	 mb_overtaken;
	bool		 mb_tried;
};

/* What threads share. */
struct trial {
	struct lock	 tl_lock;
	struct lock_trial *tl_asked;
	int		 tl_error;
	struct m32	 tl_waiting;	/* members that are not there yet */
	struct m32	 tl_inside;
	struct m32	 tl_met;
	struct m32	 tl_served;
	volatile uint64_t tl_guarded;	/* tl_lock; changed in two steps */
	struct mthread	 tl_runner;
	struct member	 tl_member[];
};

/* Stays for a while, so that a thread that comes too early is met. */
static void
stay(struct trial *tl, struct member *mb, bool yields)
{
	const uint64_t guarded = tl->tl_guarded;

	if (atomic_fetchadd_32(&tl->tl_inside, 1) != 0)
		atomic_fetchadd_32(&tl->tl_met, 1);
	mb->mb_rank = atomic_fetchadd_32(&tl->tl_served, 1);
	if (yields)
		machine_yield();
	else
		machine_pause(HOLD_PAUSES);
	tl->tl_guarded = guarded + 1;
	mb->mb_acquired++;
	atomic_fetchadd_32(&tl->tl_inside, (uint32_t)-1);
}

static void
crowd_member(void *arg)
{
	struct member *mb = arg;
	struct trial *tl = mb->mb_trial;
	const struct lock_trial *lt = tl->tl_asked;
	struct lock_node node;
	uint32_t before, i;

	machine_curthread()->mt_index = mb->mb_index;
	atomic_fetchadd_rel_32(&tl->tl_waiting, (uint32_t)-1);
	while (atomic_load_acq_32(&tl->tl_waiting) != 0)
		machine_yield();
	for (i = 0; i < lt->lt_rounds; i++) {
		before = machine_note_load_32(&tl->tl_served);
		if (!lt->lt_tries || i % TRY_EVERY != TRY_EVERY - 1)
			lock_acquire(&tl->tl_lock, &node, 0);
		else if (!lock_tryacquire(&tl->tl_lock, &node, 0))
			continue;
		stay(tl, mb, i % YIELD_EVERY == mb->mb_index % YIELD_EVERY);
		if (mb->mb_rank - before > mb->mb_overtaken)
			mb->mb_overtaken = mb->mb_rank - before;
		lock_release(&tl->tl_lock, &node);
	}
}

static void
queue_member(void *arg)
{
	struct member *mb = arg;
	struct trial *tl = mb->mb_trial;
	struct lock_node node;

	machine_curthread()->mt_index = mb->mb_index;
	atomic_store_rel_32(&mb->mb_about, 1);
	lock_acquire(&tl->tl_lock, &node, 0);
	atomic_store_rel_32(&mb->mb_entered, 1);
	stay(tl, mb, true);
	lock_release(&tl->tl_lock, &node);
}

static void
try_member(void *arg)
{
	struct member *mb = arg;
	struct trial *tl = mb->mb_trial;
	struct lock_node node;

	machine_curthread()->mt_index = mb->mb_index;
	mb->mb_tried = lock_tryacquire(&tl->tl_lock, &node, 0);
	if (mb->mb_tried)
		lock_release(&tl->tl_lock, &node);
}

static void	run_crowd(struct trial *);
static void	run_queue(struct trial *);
static void	run_misuse(struct trial *);
static void	run_twice(struct trial *);

static const struct {
	void	(*run)(struct trial *);
	void	(*member)(void *);
} kinds[] = {
	[LOCK_TRIAL_CROWD] = { run_crowd, crowd_member },
	[LOCK_TRIAL_QUEUE] = { run_queue, queue_member },
	[LOCK_TRIAL_MISUSE] = { run_misuse, try_member },
	[LOCK_TRIAL_TWICE] = { run_twice, NULL },
};

static int
spawn(struct trial *tl, unsigned i)
{
	struct member *mb = &tl->tl_member[i];

	mb->mb_trial = tl;
	mb->mb_index = i + 1;
	tl->tl_error = machine_spawn(&mb->mb_thread, "member",
	    MACHINE_CPU_ANY, kinds[tl->tl_asked->lt_kind].member, mb);
	return (tl->tl_error);
}

#ifdef MACHINE_VIRTUAL
/* It has a CPU of its own, and all it does takes no longer. */
static bool
await_waiting(struct member *mb)
{

	machine_sleep(BUSY_NS);
	return (atomic_load_acq_32(&mb->mb_entered) == 0);
}
#else
/*
 * Whether a member has provably begun to wait: it sleeps, or has used more CPU
 * time than its way to the lock takes.
 */
static bool
await_waiting(struct member *mb)
{
	struct mthread *td = &mb->mb_thread;
	int64_t start_ns;

	while (atomic_load_acq_32(&mb->mb_about) == 0)
		machine_yield();
	start_ns = machine_thread_cpu_ns(td);
	while (atomic_load_acq_32(&mb->mb_entered) == 0) {
		if (atomic_load_32(&td->mt_offcpu) != 0 ||
		    machine_thread_cpu_ns(td) - start_ns > BUSY_NS)
			return (true);
		machine_yield();
	}
	return (false);
}
#endif

static void
run_crowd(struct trial *tl)
{
	struct lock_trial *lt = tl->tl_asked;
	const struct member *mb;
	unsigned i, made;

	atomic_init_32(&tl->tl_waiting, lt->lt_threads);
	for (made = 0; made < lt->lt_threads; made += tl->tl_error == 0)
		if (spawn(tl, made) != 0)
			break;
	/* Those that were made do not wait for the others. */
	atomic_fetchadd_32(&tl->tl_waiting, made - lt->lt_threads);
	for (i = 0; i < made; i++) {
		mb = &tl->tl_member[i];
		machine_join(&tl->tl_member[i].mb_thread);
		lt->lt_acquired += mb->mb_acquired;
		if (mb->mb_overtaken > lt->lt_overtaken)
			lt->lt_overtaken = mb->mb_overtaken;
	}
	lt->lt_met = atomic_load_32(&tl->tl_met);
	lt->lt_lost = lt->lt_acquired - tl->tl_guarded;
}

static void
run_queue(struct trial *tl)
{
	struct lock_trial *lt = tl->tl_asked;
	struct lock_node node;
	unsigned i, made;

	lt->lt_certain = lt->lt_ordered = true;
	lock_acquire(&tl->tl_lock, &node, 0);
	for (made = 0; made < lt->lt_threads; made++) {
		if (spawn(tl, made) != 0)
			break;
		lt->lt_certain &= await_waiting(&tl->tl_member[made]);
	}
	lock_release(&tl->tl_lock, &node);
	for (i = 0; i < made; i++) {
		machine_join(&tl->tl_member[i].mb_thread);
		lt->lt_ordered &= tl->tl_member[i].mb_rank == i;
	}
}

/* Whether another thread that tries gets the lock. */
static bool
other_tries(struct trial *tl)
{

	if (!tl->tl_asked->lt_tries || spawn(tl, 0) != 0)
		return (false);
	machine_join(&tl->tl_member[0].mb_thread);
	return (tl->tl_member[0].mb_tried);
}

static jmp_buf trap;

static void
trapped(const char *file, int line, const char *func, const char *expr,
    const char *msg)
{

	(void)file;
	(void)line;
	(void)func;
	(void)expr;
	(void)msg;
	longjmp(trap, 1);
}

/* A lock that was destroyed is as new. */
static void
run_misuse(struct trial *tl)
{
	kassert_handler *const before = kassert_failed;
	struct lock_trial *lt = tl->tl_asked;
	struct lock *l = &tl->tl_lock;
	struct lock_node node;

	lt->lt_tried_free = other_tries(tl);
	lt->lt_owned_right = !lock_owned(l);
	lock_acquire(l, &node, 0);
	lt->lt_owned_right &= lock_owned(l);
	lt->lt_tried_held = other_tries(tl);
	kassert_failed = trapped;
	if (setjmp(trap) == 0) {
		lock_fini(l);
		kassert_failed = before;
		return;
	}
	kassert_failed = before;
	lt->lt_fini_asserts = true;
	lock_release(l, &node);
	lt->lt_owned_right &= !lock_owned(l);
}

/* Does not return but for a lock that lets its owner in again. */
static void
run_twice(struct trial *tl)
{
	kassert_handler *const before = kassert_failed;
	struct lock_node again, node;

	lock_acquire(&tl->tl_lock, &node, 0);
	kassert_failed = trapped;
	if (setjmp(trap) == 0) {
		lock_acquire(&tl->tl_lock, &again, 0);
		tl->tl_asked->lt_twice = true;
		lock_release(&tl->tl_lock, &again);
	}
	kassert_failed = before;
	lock_release(&tl->tl_lock, &node);
}

/* Not the machine's first thread, which has no CPU where that is simulated. */
static void
trial_run(void *arg)
{
	struct trial *tl = arg;
	struct lock_trial *lt = tl->tl_asked;
	struct lock_config config = lt->lt_config;

	config.threads = lt->lt_threads + 1;
	tl->tl_error = lock_init(&tl->tl_lock, lt->lt_class, "lock", &config,
	    NULL);
	if (tl->tl_error != 0)
		return;
	kinds[lt->lt_kind].run(tl);
	lock_fini(&tl->tl_lock);
}

static void
trial_main(void *arg)
{
	struct trial *tl = arg;
	struct mthread self;
	int error;

	machine_attach(&self, "trial");
	error = machine_spawn(&tl->tl_runner, "runner", MACHINE_CPU_ANY,
	    trial_run, tl);
	if (error == 0)
		machine_join(&tl->tl_runner);
	else
		tl->tl_error = error;
	machine_detach();
}

int
FLAVOURED(lock_trial)(struct lock_trial *lt, const struct machine_config *mc)
{
	size_t bytes = sizeof(struct trial) + lt->lt_threads *
	    sizeof(struct member);
	struct trial *tl = aligned_alloc(MACHINE_CACHE_LINE, bytes);
	int error;

	if (tl == NULL)
		return (ENOMEM);
	memset(tl, 0, bytes);
	tl->tl_asked = lt;
	error = machine_run(mc, trial_main, tl, &lt->lt_outcome);
	if (error == 0)
		error = tl->tl_error;
	free(tl);
	return (error);
}
