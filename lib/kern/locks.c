/* Locks of all kinds, which threads have, and mtx(9); the kernel's process. */
#include "lib/kern/impl.h"

void *
host_lock_new(struct kernel *k, const char *name, const char *type,
    unsigned kind, const void *at, const struct kern_site *site)
{
	const struct kernel_params *kp = &k->k_params;
	const unsigned threads = kp->kp_lock_config.threads;
	struct lock_config config = kp->kp_lock_config;
	const struct lock_class *class = kp->kp_lock;
	struct kern_lock *other, *kl = xaligned(_Alignof(struct kern_lock),
	    sizeof(*kl) + threads * sizeof(struct lock_node));

	kl->kl_kind = (enum kern_kind)(kind & 0xff);
	kl->kl_flags = kind;
	kl->kl_at = at;
	/* What a run chooses and sets is for MTX_DEF. */
	if (kl->kl_kind != KERN_MTX) {
		class = kl->kl_kind == KERN_SPIN ? lock_class_find("mtx-spin") :
		    &kern_word_class;
		config = lock_config_default(machine_cpus());
		config.threads = threads;
		if (kl->kl_kind == KERN_SPIN)
			config.faults = kp->kp_spin_faults;
	}
	if (kl->kl_kind == KERN_SPIN && kp->kp_spin != NULL) {
		class = kp->kp_spin;
		config.spin_polls = kp->kp_lock_config.spin_polls;
	}
	lock_init(&kl->kl_lock, class, name, &config, kp->kp_prof);
	kern_word_init(kl);
	kern_tables_take(k);
	if (kern_in_heap(k, at) && (uintptr_t)at > k->k_heap_lock_last)
		k->k_heap_lock_last = (uintptr_t)at;
	kl->kl_class = kern_class_of(k, type != NULL ? type : name);
	for (other = k->k_locks; other != NULL && other->kl_at != at;)
		other = other->kl_next;
	kl->kl_next = k->k_locks;
	k->k_locks = kl;
	kern_tables_drop(k);
	if (other != NULL)
		kernel_stop(k, site, "lock \"%s\" already initialized", name);
	return (kl);
}

/*
 * A lock that ends is free, or a mutex of the caller's.  What other threads
 * have is only known on a simulated machine, where they stand still.
 */
static void
check_end(struct kernel *k, struct kern_lock *kl, const struct kern_site *site)
{
	const unsigned threads = k->k_params.kp_lock_config.threads;
	const struct kern_held *hd;
	struct kern_thread *kt;
	unsigned at;

	for (kt = k->k_thread; kt < &k->k_thread[threads]; kt++) {
		if ((!MACHINE_SIMULATED && kt != kern_thread_of(k)) ||
		    (at = kern_held_at(kt, kl)) == kt->kt_held)
			continue;
		hd = &kt->kt_hold[at];
		if (kt != kern_thread_of(k) || kl->kl_kind > KERN_SPIN ||
		    hd->hd_depth > 1)
			kernel_stop(k, site, "%s %s destroyed, but locked at "
			    "%s:%d", kern_kind_name(kl), kl->kl_lock.lo_name,
			    KERN_AT(hd->hd_site));
		host_unlock(k, kl, site, kl->kl_kind == KERN_SPIN ?
		    KERN_SPINS : 0);
	}
}

void
kern_locks_end(struct kernel *k, const void *p, size_t n,
    const struct kern_site *site)
{
	struct kern_lock *kl, *ended = NULL;

	kern_tables_take(k);
	for (struct kern_lock **at = &k->k_locks; (kl = *at) != NULL;) {
		if ((uintptr_t)kl->kl_at - (uintptr_t)p >= n) {
			at = &kl->kl_next;
			continue;
		}
		*at = kl->kl_next;
		kl->kl_next = ended;
		ended = kl;
	}
	kern_tables_drop(k);
	while ((kl = ended) != NULL) {
		ended = kl->kl_next;
		if (site != NULL)
			check_end(k, kl, site);
		lock_fini(&kl->kl_lock);
		xfree(kl);
	}
}

void
host_lock_free(struct kernel *k, struct kern_lock *kl,
    const struct kern_site *site)
{
	if (kl == NULL)
		kernel_stop(k, site, "a lock that was not initialized");
	kern_locks_end(k, kl->kl_at, 1, site);
}

/* The site's row in the profile. */
static inline unsigned
site_of(struct kernel *k, const struct kern_lock *kl,
    const struct kern_site *site)
{
	unsigned i = (unsigned)(site - k->k_object->ko_sites);
	struct lockprof *lp = k->k_params.kp_prof;

	i = i < LOCKPROF_SITES_MAX ? i : LOCKPROF_SITES_MAX - 1;
	if (__builtin_expect(lp != NULL && lp->lp_site_lock[i] == NULL, 0)) {
		lp->lp_site_spins[i] = kl->kl_kind == KERN_SPIN;
		lp->lp_site_lock[i] = kl->kl_lock.lo_name;
	}
	return (i);
}

/* A lock the thread has, checked unless tried; whether it has it once more. */
static bool
again(struct kernel *k, struct kern_held *hd, const struct kern_site *site,
    unsigned how)
{
	const struct kern_lock *kl = hd->hd_lock;
	const bool shares = (how & KERN_SHARES) != 0;

	if (kl->kl_kind == KERN_SMR)
		kernel_stop(k, site, "smr_enter(%s) does not support recursion:"
		    " entered at %s:%d", kl->kl_lock.lo_name,
		    KERN_AT(hd->hd_site));
	if ((how & KERN_TRIES) != 0 && (hd->hd_shared != shares || (!shares &&
	    ((kl->kl_flags | how << 5) & KERN_RECURSE) == 0)))
		return (false);
	hd->hd_depth++;
	return (true);
}

static inline bool
take(struct kern_thread *kt, struct kern_lock *kl, struct lock_node *node,
    unsigned row, unsigned how)
{
	if (__builtin_expect((how & KERN_SHARES) != 0, 0))
		return (kern_lock_shared(kt, kl, node, row,
		    (how & KERN_TRIES) != 0));
	if (__builtin_expect((how & KERN_TRIES) == 0, 1)) {
		lock_acquire(&kl->kl_lock, node, row);
		return (true);
	}
	return (lock_tryacquire(&kl->kl_lock, node, row));
}

/* Of what is held already, and of functions for another kind. */
static void
check(struct kernel *k, struct kern_thread *kt, struct kern_lock *kl,
    const struct kern_site *site, unsigned how)
{
	const bool spins = (how & KERN_SPINS) != 0;

	if (kl == NULL)
		kernel_stop(k, site, "a lock that was not initialized");
	if (kl->kl_kind <= KERN_SPIN && spins != (kl->kl_kind == KERN_SPIN))
		kernel_stop(k, site, "mtx_%slock%s() of %s %s",
		    (how & KERN_TRIES) != 0 ? "try" : "", spins ? "_spin" : "",
		    kern_kind_name(kl), kl->kl_lock.lo_name);
	if ((how & KERN_TRIES) != 0 && kl->kl_lock.lo_class->lc_trylock == NULL)
		kernel_stop(k, site, "mtx_trylock(), which lock kind %s lacks: "
		    "choose another", kl->kl_lock.lo_class->lc_name);
	if (kl->kl_kind != KERN_SPIN && (how & KERN_TRIES) != 0 &&
	    (kt->kt_filter || kt->kt_interrupt))
		kernel_stop(k, site, "an interrupt, of the idle thread perhaps,"
		    " tries %s %s", kern_kind_name(kl), kl->kl_lock.lo_name);
	if ((how & KERN_TRIES) == 0 && !kern_is_section(kl))
		kern_check_lock(k, kt, kl, site, how);
}

/* As critical_enter(9) or spinlock_enter(9), or with delta -1 their ends. */
static inline void
nest(struct kernel *k, const struct kern_lock *kl, int delta,
    const struct kern_site *site)
{
	if (__builtin_expect(kern_is_critical(kl), 0))
		host_nest(k, kl->kl_kind == KERN_SPIN ? KERN_CRITICAL |
		    KERN_MASKED : KERN_CRITICAL, delta, site);
}

bool
host_lock(struct kernel *k, struct kern_lock *kl, const struct kern_site *site,
    unsigned how)
{
	struct kern_thread *kt = kern_thread_of(k);
	unsigned at;

	if (__builtin_expect(kl == NULL || ((unsigned)kl->kl_kind | how |
	    kt->kt_held | kt->kt_kept | kt->kt_filter) > 0, 0)) {
		check(k, kt, kl, site, how);
		at = kern_held_at(kt, kl);
		if (at < kt->kt_held)
			return (again(k, &kt->kt_hold[at], site, how));
	}
	if (kt->kt_held == KERN_HELD_MAX)
		kernel_stop(k, site, "more than %d locks and sections held",
		    KERN_HELD_MAX);
	nest(k, kl, 1, site);
	if (!take(kt, kl, &kl->kl_node[kt - k->k_thread], kern_is_section(kl) ?
	    0 : site_of(k, kl, site), how)) {
		nest(k, kl, -1, site);
		return (false);
	}
	kt->kt_hold[kt->kt_held++] = (struct kern_held){ kl, site, 1,
	    (how & KERN_SHARES) != 0 };
	return (true);
}

unsigned
host_owned(struct kernel *k, struct kern_lock *kl)
{
	const struct kern_thread *kt = kern_thread_of(k);
	const unsigned i = kern_held_at(kt, kl);

	if (i == kt->kt_held)
		return (0);
	return (KERN_OWNED | (kt->kt_hold[i].hd_shared ? KERN_OWNED_SHARED :
	    KERN_OWNED_ALONE) | (kt->kt_hold[i].hd_depth > 1 ?
	    KERN_OWNED_RECURSED : 0u));
}

void
host_unlock(struct kernel *k, struct kern_lock *kl,
    const struct kern_site *site, unsigned how)
{
	struct kern_thread *kt = kern_thread_of(k);
	struct kern_held *hd = kern_check_held(k, kt, kl, site, how);
	struct lock_node *node = &kl->kl_node[kt - k->k_thread];
	const bool shared = hd->hd_shared;

	if (__builtin_expect(kl->kl_kind <= KERN_SPIN &&
	    ((how & KERN_SPINS) != 0) != (kl->kl_kind == KERN_SPIN), 0))
		kernel_stop(k, site, "mtx_unlock%s() of %s %s",
		    (how & KERN_SPINS) != 0 ? "_spin" : "", kern_kind_name(kl),
		    kl->kl_lock.lo_name);
	if (__builtin_expect(--hd->hd_depth > 0, 0))
		return;
	if (k->k_cored)
		kern_report(k, kt);
	kt->kt_decides = false;
	for (kt->kt_held--; hd < &kt->kt_hold[kt->kt_held]; hd++)
		hd[0] = hd[1];
	if (__builtin_expect(shared, 0))
		kern_unlock_shared(kt, kl, node);
	else
		lock_release(&kl->kl_lock, node);
	nest(k, kl, -1, site);
}

void
host_process(struct kernel *k, void (*func)(void *), void *arg)
{
	k->k_process = func;
	k->k_process_arg = arg;
}

void
kernel_process(struct kernel *k)
{
	struct kern_thread *kt = kern_thread_of(k);

	if (k->k_process == NULL)
		kernel_stop(k, KERN_HERE, "no kproc_start() was seen: rngsim "
		    "runs queues with a process, not a task or callout");
	kernel_enter(k, KERNEL_CPU_HERE);
	kt->kt_process = true;
	atomic_store(&k->k_processing, machine_curthread());
	k->k_process(k->k_process_arg);
	atomic_store(&k->k_processing, NULL);
	/* It may end where it is bound. */
	kernel_leave(k);
	kt->kt_process = false;
}

static void
wait_passes(struct kernel *k, uint32_t until)
{
	uint32_t passes;

	while ((int32_t)((passes = atomic_load_acq_32(&k->k_passes)) -
	    until) < 0)
		machine_wait_32(&k->k_passes, passes, -1);
}

void
kernel_shutdown(struct kernel *k)
{
	const struct kern_copy *kc = k->k_copy;
	struct mthread *td;

	/* One that has not begun would not see that it is to end. */
	wait_passes(k, 1);
	atomic_store(&k->k_stopping, 1);
	if ((td = atomic_load(&k->k_processing)) != NULL)
		machine_interrupt(td);
	/* The end of the pass that goes on, and a whole one. */
	wait_passes(k, atomic_load_acq_32(&k->k_passes) + 2);
	/* A caller has joined all others, whose stores are done then. */
	if (MACHINE_SIMULATED)
		vm_settle();
	kernel_enter(k, KERNEL_CPU_HERE);
	for (unsigned i = 0; i < kc->kc_uninit_count; i++)
		kc->kc_inits[kc->kc_init_count + i]->ki_func(
		    kc->kc_inits[kc->kc_init_count + i]->ki_arg);
	kernel_leave(k);
}
