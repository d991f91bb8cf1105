/*
 * Locks that are a word in the source: sx(9), rwlock(9) and rmlock(9); and the
 * marks of threads in sections: epoch(9) and smr(9).
 *
 * A word counts the threads that share the lock, or has its owner, as
 * rwlock(9)'s.  A thread that finds it owned spins while the owner runs, and
 * else sleeps; a writer spins on readers for a while, and keeps new ones out
 * meanwhile; on release writers are woken before readers.  A lock that is
 * released is free for any thread.
 *
 * A section's mark is on a line of the thread's own, so that entering writes
 * nothing that is shared.  The writer, too, swaps each mark: then either it
 * finds the mark, or the thread sees what it has written before.  FreeBSD
 * interrupts all CPUs for that, once for many readers, where rmlock(9) does.
 */
#include "lib/kern/impl.h"
#include "lib/lock/spin.h"

enum {
	WORD_READ	= 1,		/* not owned; alone: free */
	WORD_READERS	= 2,		/* sleep */
	WORD_WRITERS	= 4,
	WORD_SPINNER	= 8,		/* a writer spins on readers */
	WORD_WAITERS	= WORD_READERS | WORD_WRITERS,
	WORD_ONE	= 16,		/* a thread that shares it */
	SPINS_MAX	= 10,		/* delays, on readers */
	POLLS		= 100		/* before a CPU is given up */
};

CTASSERT(_Alignof(struct mthread) * 2 >= WORD_ONE);

static inline struct mptr *
word_of(const struct kern_lock *kl)
{
	return ((struct mptr *)((uintptr_t)kl->kl_at + KERN_LOCK_WORD));
}

static inline struct m32 *
mark_of(struct lock_node *node)
{
	return ((struct m32 *)(void *)node->ln_state);
}

void
kern_word_init(struct kern_lock *kl)
{
	if (kl->kl_kind > KERN_SPIN && !kern_is_section(kl))
		atomic_init_ptr(word_of(kl), WORD_READ);
	for (unsigned i = 0; i < 2; i++)
		atomic_init_32(&kl->kl_wakes[i], 0);
	atomic_init_32(&kl->kl_sequence, 1);
	for (unsigned i = 0; kl->kl_kind >= KERN_RM &&
	    i < kl->kl_lock.lo_config.threads; i++)
		atomic_init_32(mark_of(&kl->kl_node[i]), 0);
}

static uintptr_t
self_word(void)
{
	return ((uintptr_t)machine_curthread() * 2);
}

static bool
owner_runs(uintptr_t v, struct machine_probe *probe)
{
	return (machine_running((struct mthread *)(v / WORD_ONE *
	    (WORD_ONE / 2)), probe));
}

/* A word that keeps its caller out; sleeps until it was released. */
static void
word_sleep(struct kern_lock *kl, uintptr_t v, uintptr_t waiter, uintptr_t drop,
    struct lock_wait *w)
{
	struct m32 *wakes = &kl->kl_wakes[waiter == WORD_WRITERS];
	const uint32_t seen = atomic_load_acq_32(wakes);
	const uintptr_t marked = (v | waiter) & ~drop;
	const uint64_t start = lockprof_stamp();
	const unsigned writers = waiter == WORD_WRITERS;

	kl->kl_writers += writers;
	if (v == marked ? atomic_load_ptr(word_of(kl)) == marked :
	    atomic_cmpset_acq_ptr(word_of(kl), v, marked)) {
		machine_wait_32(wakes, seen, -1);
		w->lw_block_cycles += lockprof_stamp() - start;
	}
	kl->kl_writers -= writers;
}

static void
word_wake(struct kern_lock *kl, bool writers)
{
	atomic_fetchadd_rel_32(&kl->kl_wakes[writers], 1);
	machine_wake_32(&kl->kl_wakes[writers]);
}

/*
 * Stores what is left of a word that is released, and wakes sleepers.  Readers
 * are left to a writer that will have the lock; the mark alone may be an old
 * one, of a writer that did not sleep.
 */
static bool
word_free(struct kern_lock *kl, uintptr_t *v, uintptr_t keep)
{
	const bool writers = (*v & WORD_WRITERS) != 0;
	const bool later = writers && kl->kl_writers > 0;
	const bool readers = (*v & WORD_READERS) != 0 && !later;
	const uintptr_t left = WORD_READ | keep |
	    (later ? *v & WORD_READERS : 0);

	if (!atomic_fcmpset_rel_ptr(word_of(kl), v, left))
		return (false);
	if (writers)
		word_wake(kl, true);
	if (readers)
		word_wake(kl, false);
	return (true);
}

static bool
try_read(struct kern_lock *kl, const struct kern_thread *kt, uintptr_t *v)
{
	/* One that reads already may not wait: the writer waits for it. */
	while ((*v & WORD_READ) != 0 && (kt->kt_shared > 0 ||
	    (*v & (WORD_WRITERS | WORD_SPINNER)) == 0))
		if (atomic_fcmpset_acq_ptr(word_of(kl), v, *v + WORD_ONE))
			return (true);
	return (false);
}

static void
wait_read(struct kern_lock *kl, const struct kern_thread *kt, uintptr_t v,
    struct lock_wait *w)
{
	struct lock_delay_arg lda = lock_delay_arg_init(&kl->kl_lock.lo_config);
	struct machine_probe probe = { 0 };
	unsigned spins = 0;

	for (; !try_read(kl, kt, &v); v = atomic_load_ptr(word_of(kl)))
		if ((v & WORD_READ) != 0 ? spins++ < SPINS_MAX :
		    owner_runs(v, &probe)) {
			machine_pause(lock_delay_next(&lda));
		} else {
			word_sleep(kl, v, WORD_READERS, 0, w);
			probe = (struct machine_probe){ 0 };
		}
}

static void
read_word(struct kern_lock *kl, const struct kern_thread *kt,
    struct lock_wait *w, bool *waited)
{
	uintptr_t v = atomic_load_ptr(word_of(kl));

	*waited = !try_read(kl, kt, &v);
	if (!*waited)
		return;
	*w = lock_wait_init(&kl->kl_lock);
	w->lw_holder = machine_note_load_32(&kl->kl_lock.lo_owner.lpo_site);
	w->lw_start_cycles = lockprof_stamp();
	wait_read(kl, kt, v, w);
	w->lw_spin_cycles = machine_cycles_since(w->lw_start_cycles,
	    lockprof_stamp());
	w->lw_spin_cycles -= MIN(w->lw_block_cycles, w->lw_spin_cycles);
}

static void
leave_word(struct kern_lock *kl)
{
	uintptr_t v = atomic_load_ptr(word_of(kl));

	while (!(v / WORD_ONE > 1 ? atomic_fcmpset_rel_ptr(word_of(kl), &v,
	    v - WORD_ONE) : word_free(kl, &v, v & WORD_SPINNER)))
		continue;
}

/* A reader of an rmlock; its writer takes the word and waits for marks. */
static bool
rm_read(struct kern_thread *kt, struct kern_lock *kl, struct m32 *mark,
    bool try)
{
	struct lock_wait w;
	bool waited;

	atomic_swap_acq_rel_32(mark, 1);
	if ((atomic_load_acq_ptr(word_of(kl)) & WORD_READ) != 0)
		return (true);
	atomic_store_rel_32(mark, 0);
	if (try)
		return (false);
	read_word(kl, kt, &w, &waited);
	atomic_swap_acq_rel_32(mark, 1);
	leave_word(kl);
	return (true);
}

bool
kern_lock_shared(struct kern_thread *kt, struct kern_lock *kl,
    struct lock_node *node, unsigned row, bool try)
{
	struct lock_wait w;
	uintptr_t v;
	bool waited = false;

	if (kern_is_section(kl)) {
		atomic_swap_acq_rel_32(mark_of(node),
		    atomic_load_acq_32(&kl->kl_sequence));
		return (true);
	}
	if (kl->kl_kind >= KERN_RM)
		return (rm_read(kt, kl, mark_of(node), try));
	if (try) {
		v = atomic_load_ptr(word_of(kl));
		if (!try_read(kl, kt, &v))
			return (false);
	} else
		read_word(kl, kt, &w, &waited);
	kt->kt_shared++;
	lockprof_acquired(kl->kl_lock.lo_prof, &kl->kl_lock.lo_owner,
	    &node->ln_hold, row, waited ? &w : NULL);
	machine_charge(COST_LOCK, 1);
	return (true);
}

void
kern_unlock_shared(struct kern_thread *kt, struct kern_lock *kl,
    struct lock_node *node)
{
	struct lockprof *lp = kl->kl_lock.lo_prof;
	uint64_t now;

	if (kl->kl_kind >= KERN_RM) {
		atomic_store_rel_32(mark_of(node), 0);
		return;
	}
	now = lockprof_releasing(lp, &node->ln_hold);
	kt->kt_shared--;
	leave_word(kl);
	lockprof_released(lp, &node->ln_hold, now);
	machine_charge(COST_UNLOCKED, 1);
}

/* Whether sections before goal, or 0: all, have ended, or waits for that. */
static bool
marks_over(struct kern_lock *kl, uint32_t goal, bool wait)
{
	struct m32 *mark;
	unsigned polls = 0;
	uint32_t v;

	for (unsigned i = 0; i < kl->kl_lock.lo_config.threads; i++) {
		mark = mark_of(&kl->kl_node[i]);
		while (!atomic_cmpset_acq_rel_32(mark, 0, 0)) {
			if ((v = atomic_load_acq_32(mark)) == 0)
				continue;
			if (goal != 0 && (int32_t)(v - goal) >= 0)
				break;
			if (!wait)
				return (false);
			(void)machine_await_32(mark, v, 0);
			if (++polls % POLLS == 0)
				machine_yield();
		}
	}
	return (true);
}

/* The class of such locks, as they are taken alone. */

static inline struct kern_lock *
lock_of(struct lock *l)
{
	return ((struct kern_lock *)(void *)l);
}

static bool
take_word(struct kern_lock *kl, uintptr_t *v)
{
	while ((*v & ~(uintptr_t)(WORD_WAITERS | WORD_SPINNER)) == WORD_READ)
		if (atomic_fcmpset_acq_ptr(word_of(kl), v, self_word() |
		    (*v & WORD_WAITERS)))
			return (true);
	return (false);
}

static bool
word_enter(struct lock *l, struct lock_node *n __unused)
{
	uintptr_t v = atomic_load_ptr(word_of(lock_of(l)));

	machine_oncpu();
	/* The writer of an rmlock has to wait for readers, too. */
	return (take_word(lock_of(l), &v) && lock_of(l)->kl_kind < KERN_RM);
}

static void
word_wait(struct lock *l, struct lock_node *n __unused, struct lock_wait *w)
{
	struct kern_lock *kl = lock_of(l);
	struct lock_delay_arg lda = lock_delay_arg_init(&l->lo_config);
	struct machine_probe probe = { 0 };
	uintptr_t v = atomic_load_ptr(word_of(kl)), mine = 0;
	unsigned spins = 0;

	while ((v & WORD_READ) != 0 || v / WORD_ONE != self_word() / WORD_ONE) {
		if (take_word(kl, &v))
			break;
		if ((v & WORD_READ) != 0 && spins++ < SPINS_MAX) {
			if ((v & WORD_SPINNER) == 0 && atomic_cmpset_acq_ptr(
			    word_of(kl), v, v | WORD_SPINNER))
				mine = WORD_SPINNER;
			machine_pause(lock_delay_next(&lda));
		} else if ((v & WORD_READ) == 0 && owner_runs(v, &probe)) {
			machine_pause(lock_delay_next(&lda));
		} else {
			word_sleep(kl, v, WORD_WRITERS, mine, w);
			probe = (struct machine_probe){ 0 };
		}
		machine_oncpu();
		v = atomic_load_ptr(word_of(kl));
	}
	if (kl->kl_kind >= KERN_RM)
		(void)marks_over(kl, 0, true);
}

static void
word_unlock(struct lock *l, struct lock_node *n __unused)
{
	uintptr_t v = atomic_load_ptr(word_of(lock_of(l)));

	while (!word_free(lock_of(l), &v, 0))
		;
}

static bool
word_try(struct lock *l, struct lock_node *n)
{
	uintptr_t v = atomic_load_ptr(word_of(lock_of(l)));

	machine_oncpu();
	if (!take_word(lock_of(l), &v))
		return (false);
	if (lock_of(l)->kl_kind < KERN_RM || marks_over(lock_of(l), 0, false))
		return (true);
	word_unlock(l, n);
	return (false);
}

/* The memory may be gone. */
static void word_fini(struct lock *l __unused) { }

LOCK_KIND(word, word, "word", "sx(9), rwlock(9), rmlock(9)", "lock", LC_SLEEPS,
    0, .lc_fini = word_fini, .lc_trylock = word_try);

bool
host_upgrade(struct kernel *k, struct kern_lock *kl,
    const struct kern_site *site)
{
	struct kern_thread *kt = kern_thread_of(k);
	struct kern_held *hd = kern_check_held(k, kt, kl, site, KERN_SHARES);
	uintptr_t v = atomic_load_ptr(word_of(kl));

	if (hd->hd_depth > 1)
		return (false);
	machine_oncpu();
	do {
		if (v / WORD_ONE != 1)
			return (false);
	} while (!atomic_fcmpset_acq_ptr(word_of(kl), &v, self_word() |
	    (v & WORD_WAITERS)));
	kt->kt_shared--;
	hd->hd_shared = false;
	machine_event(VM_LOCK_HELD, &kl->kl_lock, kl->kl_lock.lo_name);
	return (true);
}

void
host_downgrade(struct kernel *k, struct kern_lock *kl,
    const struct kern_site *site)
{
	struct kern_thread *kt = kern_thread_of(k);
	struct kern_held *hd = kern_check_held(k, kt, kl, site, 0);
	uintptr_t v = atomic_load_ptr(word_of(kl));

	if (hd->hd_depth > 1)
		kernel_stop(k, site, "downgrade of a recursed lock (%s) %s",
		    kern_kind_name(kl), kl->kl_lock.lo_name);
	if (k->k_cored)
		kern_report(k, kt);
	machine_event(VM_LOCK_FREE, &kl->kl_lock, kl->kl_lock.lo_name);
	/* Writers that sleep keep new readers out, and so those that do. */
	while (!atomic_fcmpset_rel_ptr(word_of(kl), &v, (WORD_ONE + WORD_READ) |
	    ((v & WORD_WRITERS) != 0 ? v & WORD_WAITERS : 0)))
		continue;
	kt->kt_shared++;
	hd->hd_shared = true;
	if ((v & WORD_WAITERS) == WORD_READERS)
		word_wake(kl, false);
}

uint32_t
host_advance(struct kernel *k __unused, struct kern_lock *kl, bool deferred)
{
	return ((deferred ? atomic_load_acq_32(&kl->kl_sequence) :
	    atomic_fetchadd_rel_32(&kl->kl_sequence, 2)) + 2);
}

bool
host_poll(struct kernel *k, struct kern_lock *kl, uint32_t goal, bool wait,
    const struct kern_site *site)
{
	const struct kern_thread *kt = kern_thread_of(k);
	const unsigned i = kern_held_at(kt, kl);
	uint32_t v;

	if (wait && i < kt->kt_held)
		kernel_stop(k, site, "waits for the end of sections of %s %s "
		    "in one, entered at %s:%d", kern_kind_name(kl),
		    kl->kl_lock.lo_name, KERN_AT(kt->kt_hold[i].hd_site));
	/* A goal that was deferred begins now. */
	v = atomic_load_acq_32(&kl->kl_sequence);
	if ((int32_t)(v - goal) < 0)
		(void)atomic_fetchadd_rel_32(&kl->kl_sequence, 2);
	return (marks_over(kl, goal, wait));
}

void
host_await(const volatile void *word, uint32_t seen)
{
	/* Plain stores of the source end no wait. */
	(void)machine_await_32((struct m32 *)(uintptr_t)word, seen, POLLS);
}
