#include <setjmp.h>

#include "bench/assure/lock_trial.h"
#include "bench/cli/format.h"

enum {
	HOLD_PAUSES	= 20,
	YIELD_EVERY	= 5,	/* holds in which the owner gives its CPU up */
	FEW_POLLS	= 16,
	BRIEF_PAUSES	= 4,	/* longer than a line's way */
	AWAY_PAUSES	= 8,	/* after a brief hold */
	LOOK_EVERY	= 256,	/* rounds: at the time */
	BUSY_NS		= 1000 * 1000,	/* more than the way there takes */
	RUSH_NS		= 100 * 1000	/* for all of a rush */
};

struct member {
	_Alignas(MACHINE_CACHE_LINE)
	struct mthread	 mb_thread;
	struct trial	*mb_trial;
	struct m32	 mb_past;	/* its first acquisition or try */
	struct m32	 mb_done;	/* its last one */
	uint32_t	 mb_rank;	/* how many-th it was served */
	uint64_t	 mb_acquired, mb_overtaken;
};

/* What threads share. */
struct trial {
	struct lock	 tl_lock;
	struct lock_trial *tl_asked;
	int		 tl_error;
	struct m32	 tl_come;	/* members; they begin when so many */
	uint32_t	 tl_together;	/* have come */
	struct m32	 tl_inside, tl_met;
	struct m32	 tl_late;	/* lt_until_ns has come */
	struct m32	 tl_served;
	uint64_t	 tl_guarded;	/* tl_lock; changed in two steps */
	struct mthread	 tl_runner;
	struct member	 tl_member[];
};

/* Inside, for a while, so that a thread that comes too early is met. */
static void
hold(struct trial *tl, struct member *mb, unsigned index, uint32_t i)
{
	const uint64_t guarded = __atomic_load_n(&tl->tl_guarded,
	    __ATOMIC_RELAXED);

	if (atomic_fetchadd_32(&tl->tl_inside, 1) != 0)
		atomic_fetchadd_32(&tl->tl_met, 1);
	mb->mb_rank = atomic_fetchadd_32(&tl->tl_served, 1);
	if (i % YIELD_EVERY == index % YIELD_EVERY)
		machine_yield();
	else
		machine_pause(HOLD_PAUSES);
	__atomic_store_n(&tl->tl_guarded, guarded + 1, __ATOMIC_RELAXED);
	atomic_fetchadd_32(&tl->tl_inside, (uint32_t)-1);
}

/* Without atomics, which take longer than all else. */
static void
hold_briefly(struct trial *tl)
{
	const uint64_t guarded = __atomic_load_n(&tl->tl_guarded,
	    __ATOMIC_RELAXED);

	if (machine_note_load_32(&tl->tl_inside) != 0)
		atomic_fetchadd_32(&tl->tl_met, 1);
	machine_note_store_32(&tl->tl_inside, 1);
	machine_pause(MACHINE_SIMULATED ? HOLD_PAUSES : BRIEF_PAUSES);
	__atomic_store_n(&tl->tl_guarded, guarded + 1, __ATOMIC_RELAXED);
	machine_note_store_32(&tl->tl_inside, 0);
}

static void
member_main(void *arg)
{
	struct member *mb = arg;
	struct trial *tl = mb->mb_trial;
	const struct lock_trial *lt = tl->tl_asked;
	const unsigned index = (unsigned)(mb - tl->tl_member) + 1;
	struct lock_node node;
	uint32_t before;

	machine_curthread()->mt_index = index;
	atomic_fetchadd_rel_32(&tl->tl_come, 1);
	while (atomic_load_acq_32(&tl->tl_come) < tl->tl_together)
		machine_yield();
	for (uint32_t i = 0; i < lt->lt_rounds &&
	    machine_note_load_32(&tl->tl_late) == 0; i++) {
		before = machine_note_load_32(&tl->tl_served);
		if (lt->lt_try_every == 0 || (i + 1) % lt->lt_try_every != 0)
			lock_acquire(&tl->tl_lock, &node, 0);
		else if (!lock_tryacquire(&tl->tl_lock, &node, 0))
			continue;
		machine_note_store_32(&mb->mb_past, 1);
		mb->mb_acquired++;
		if (lt->lt_brief)
			hold_briefly(tl);
		else
			hold(tl, mb, index, i);
		mb->mb_overtaken = MAX(mb->mb_overtaken, mb->mb_rank - before);
		lock_release(&tl->tl_lock, &node);
		/* Others get in, so that all wait. */
		if (lt->lt_brief)
			machine_pause(AWAY_PAUSES);
		if (lt->lt_late != NULL && (i + 1) % LOOK_EVERY == 0 &&
		    lt->lt_late(lt))
			machine_note_store_32(&tl->tl_late, 1);
	}
	machine_note_store_32(&mb->mb_past, 1);
	machine_note_store_32(&mb->mb_done, 1);
}

/*
 * Whether a member, the last of so many, has provably begun to wait: it sleeps,
 * or has used more CPU time than its way to the lock takes.  On a simulated
 * machine it has a CPU of its own.
 */
static bool
await_waiting(struct member *mb, unsigned members __unused)
{
#ifdef MACHINE_VIRTUAL
	machine_sleep(BUSY_NS);
#else
	struct mthread *td = &mb->mb_thread;
	int64_t start_ns;

	while (atomic_load_acq_32(&mb->mb_trial->tl_come) < members)
		machine_yield();
	start_ns = machine_thread_cpu_ns(td);
	while (machine_note_load_32(&mb->mb_past) == 0 &&
	    atomic_load_32(&td->mt_offcpu) == 0 &&
	    machine_thread_cpu_ns(td) - start_ns <= BUSY_NS)
		machine_yield();
#endif
	return (machine_note_load_32(&mb->mb_past) == 0);
}

static void
run_members(struct trial *tl)
{
	struct lock_trial *lt = tl->tl_asked;
	const bool rush = lt->lt_kind == LOCK_TRIAL_RUSH;
	const bool held = lt->lt_kind == LOCK_TRIAL_HELD || rush;
	struct lock_node node;
	struct member *mb;
	unsigned made;

	lt->lt_certain = lt->lt_ordered = true;
	tl->tl_together = held ? 1 : lt->lt_threads;
	if (held)
		lock_acquire(&tl->tl_lock, &node, 0);
	for (made = 0; made < lt->lt_threads; made++) {
		mb = &tl->tl_member[made];
		mb->mb_trial = tl;
		tl->tl_error = machine_spawn(&mb->mb_thread, FORMATF("member "
		    "%u", made + 1), MACHINE_CPU_ANY, member_main, mb);
		if (tl->tl_error != 0)
			break;
		if (held && !rush)
			lt->lt_certain &= await_waiting(mb, made + 1);
	}
	/* Those that were made do not wait for the others. */
	atomic_fetchadd_rel_32(&tl->tl_come, lt->lt_threads - made);
	if (rush)
		machine_sleep(RUSH_NS);
	/* One that only tries has come to its end. */
	for (unsigned i = 0; held && lt->lt_try_every == 1 && i < made; i++)
		while (machine_note_load_32(&tl->tl_member[i].mb_done) == 0)
			machine_yield();
	if (held)
		lock_release(&tl->tl_lock, &node);
	for (unsigned i = 0; i < made; i++) {
		mb = &tl->tl_member[i];
		machine_join(&mb->mb_thread);
		lt->lt_acquired += mb->mb_acquired;
		lt->lt_ordered &= mb->mb_rank == i;
		lt->lt_overtaken = MAX(lt->lt_overtaken, mb->mb_overtaken);
	}
	lt->lt_met = atomic_load_32(&tl->tl_met);
	lt->lt_lost = lt->lt_acquired - tl->tl_guarded;
}

static jmp_buf trap;

static void
trapped(const char *file __unused, int line __unused, const char *func __unused,
    const char *expr __unused, const char *msg __unused)
{
	longjmp(trap, 1);
}

static void
misuse(struct trial *tl)
{
	kassert_handler *const before = kassert_failed;
	struct lock_trial *lt = tl->tl_asked;
	struct lock *l = &tl->tl_lock;
	struct lock_node again, node;

	lt->lt_owned_right = !lock_owned(l);
	lock_acquire(l, &node, 0);
	lt->lt_owned_right &= lock_owned(l);
	kassert_failed = trapped;
	if (setjmp(trap) == 0) {
		if (lt->lt_kind == LOCK_TRIAL_FINI)
			lock_fini(l);
		else
			lock_acquire(l, &again, 0);
		lt->lt_permitted = true;
	}
	kassert_failed = before;
	if (lt->lt_permitted)
		return;
	lock_release(l, &node);
	lt->lt_owned_right &= !lock_owned(l);
}

/* Not the machine's first thread, which has no CPU where that is simulated. */
static void
trial_run(void *arg)
{
	struct trial *tl = arg;
	struct lock_trial *lt = tl->tl_asked;
	struct lock_config config = lock_config_default(LOCK_TRIAL_CPUS);

	/* Waiters look often, so that they meet. */
	config.delay_max = 1;
	config.spin_polls = FEW_POLLS;
	config.pass_limit = config.numa_threshold = LOCK_TRIAL_PASS_LIMIT;
	config.nodes = LOCK_TRIAL_NODES;
	config.threads = lt->lt_threads + 1;
	lock_init(&tl->tl_lock, lt->lt_class, "lock", &config, NULL);
	if (lt->lt_kind <= LOCK_TRIAL_RUSH)
		run_members(tl);
	else
		misuse(tl);
	if (!lt->lt_permitted)
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
	struct trial *tl = xaligned(MACHINE_CACHE_LINE, sizeof(*tl) +
	    lt->lt_threads * sizeof(struct member));
	int error;

	tl->tl_asked = lt;
	if ((error = machine_run(mc, trial_main, tl, &lt->lt_outcome)) == 0)
		error = tl->tl_error;
	free(tl);
	return (error);
}
