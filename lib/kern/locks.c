/*
 * mtx(9), with the order of mutexes as witness(4) checks it; sleep(9), and the
 * kernel's process.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/kern/impl.h"

struct kern_lock {
	struct lock	 kl_lock;	/* first */
	struct kern_lock *kl_next;
	unsigned	 kl_class;
	bool		 kl_spin;	/* MTX_SPIN */
	const void	*kl_at;		/* the source's struct mtx */
	struct lock_node kl_node[];	/* by thread */
};

static unsigned
class_of(struct kernel *k, const char *name)
{
	unsigned i;

	for (i = 0; i < k->k_classes; i++)
		if (strcmp(k->k_class[i], name) == 0)
			return (i);
	/* The last one is for all others, and its order is not checked. */
	if (i == KERN_CLASSES_MAX - 1)
		return (i);
	k->k_class[k->k_classes++] = name;
	return (i);
}

static void *
kh_lock_new(void *self, const char *name, unsigned flags, const void *at)
{
	struct kernel *k = self;
	const struct kernel_params *kp = &k->k_params;
	const unsigned threads = kp->kp_lock_config.threads;
	struct lock_config config = kp->kp_lock_config;
	const struct lock_class *class = kp->kp_lock;
	struct kern_lock *kl;

	/* What a run chooses and sets is for MTX_DEF. */
	if ((flags & KERN_LOCK_SPIN) != 0) {
		class = lock_class_find("mtx-spin");
		config = lock_config_default(machine_cpus());
		config.threads = threads;
		config.faults = kp->kp_spin_faults;
		if (kp->kp_spin != NULL) {
			class = kp->kp_spin;
			config.spin_polls = kp->kp_lock_config.spin_polls;
		}
	}
	kl = xaligned(_Alignof(struct kern_lock), sizeof(struct kern_lock) +
	    threads * sizeof(struct lock_node));
	lock_init(&kl->kl_lock, class, name, &config, kp->kp_prof);
	kl->kl_at = at;
	kl->kl_spin = (flags & KERN_LOCK_SPIN) != 0;
	kern_tables_take(k);
	if (kern_in_heap(k, at) && (uintptr_t)at > k->k_heap_lock_last)
		k->k_heap_lock_last = (uintptr_t)at;
	kl->kl_class = class_of(k, name);
	kl->kl_next = k->k_locks;
	k->k_locks = kl;
	kern_tables_drop(k);
	return (kl);
}

void
kern_locks_end(struct kernel *k, const void *p, size_t n)
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
		lock_fini(&kl->kl_lock);
		free(kl);
	}
}

static void
kh_lock_free(void *self, void *lock)
{
	kern_locks_end(self, ((struct kern_lock *)lock)->kl_at, 1);
}

/* The first of a chain of orders from a to b; NULL: there is none. */
static const struct order *
order_between(const struct kernel *k, unsigned a, unsigned b, uint32_t *seen)
{
	if (k->k_order[a][b].first != 0)
		return (&k->k_order[a][b]);
	*seen |= 1u << a;
	for (unsigned i = 0; i < k->k_classes; i++)
		if (k->k_order[a][i].first != 0 && (*seen & 1u << i) == 0 &&
		    order_between(k, i, b, seen) != NULL)
			return (&k->k_order[a][i]);
	return (NULL);
}

/* An order that was seen the other way round is an error. */
static void
check_order(struct kernel *k, const struct kern_thread *kt,
    const struct kern_lock *kl, const struct kern_site *site)
{
	const struct kern_site *sites = k->k_object->ko_sites, *first,
	    *second;
	const struct order *before;
	struct order *now;
	unsigned held;
	uint32_t seen;

	for (unsigned i = 0; i < kt->kt_held; i++) {
		held = kt->kt_lock[i]->kl_class;
		if (kt->kt_lock[i] == kl)
			kernel_stop(k, site, "recursed on non-recursive mutex "
			    "%s, first taken at %s:%d", kl->kl_lock.lo_name,
			    kt->kt_site[i]->kw_file, kt->kt_site[i]->kw_line);
		if (held == kl->kl_class ||
		    kl->kl_class == KERN_CLASSES_MAX - 1)
			continue;
		seen = 0;
		before = order_between(k, kl->kl_class, held, &seen);
		if (before != NULL) {
			first = &sites[before->first - 1];
			second = &sites[before->second - 1];
			kernel_stop(k, site, "lock order reversal: %s (%s:%d) "
			    "then %s; before, %s (%s:%d) then %s (%s:%d)",
			    kt->kt_lock[i]->kl_lock.lo_name,
			    kt->kt_site[i]->kw_file, kt->kt_site[i]->kw_line,
			    kl->kl_lock.lo_name, kl->kl_lock.lo_name,
			    first->kw_file, first->kw_line,
			    kt->kt_lock[i]->kl_lock.lo_name,
			    second->kw_file, second->kw_line);
		}
		now = &k->k_order[held][kl->kl_class];
		if (now->first == 0)
			*now = (struct order){ (uint16_t)(kt->kt_site[i] -
			    sites + 1), (uint16_t)(site - sites + 1) };
	}
}

/* The site's row in the profile. */
static inline unsigned
site_of(struct kernel *k, const struct kern_lock *kl,
    const struct kern_site *site)
{
	unsigned i = (unsigned)(site - k->k_object->ko_sites);

	i = i < LOCKPROF_SITES_MAX ? i : LOCKPROF_SITES_MAX - 1;
	if (__builtin_expect(k->k_site_lock[i].sk_name == NULL, 0)) {
		k->k_site_lock[i].sk_spin = kl->kl_spin;
		k->k_site_lock[i].sk_name = kl->kl_lock.lo_name;
	}
	return (i);
}

const char *
kernel_site_lock(const struct kernel *k, unsigned site, bool *spin)
{
	*spin = k->k_site_lock[site].sk_spin;
	return (k->k_site_lock[site].sk_name);
}

/* Taken, or with try as far as the kind of lock has that. */
static bool
kh_lock(void *self, void *lock, const struct kern_site *site, bool try)
{
	struct kernel *k = self;
	struct kern_thread *kt = kern_thread_of(k);
	struct kern_lock *kl = lock;
	struct lock_node *node;
	unsigned row;

	if (__builtin_expect(kl == NULL, 0))
		kernel_stop(k, site, "a mutex that was not initialized");
	node = &kl->kl_node[kt - k->k_thread];
	row = site_of(k, kl, site);
	if (__builtin_expect(try, 0) &&
	    kl->kl_lock.lo_class->lc_trylock != NULL) {
		if (!lock_tryacquire(&kl->kl_lock, node, row))
			return (false);
	} else {
		if (__builtin_expect(kt->kt_held > 0, 0)) {
			kern_tables_take(k);
			check_order(k, kt, kl, site);
			kern_tables_drop(k);
		}
		lock_acquire(&kl->kl_lock, node, row);
	}
	if (kt->kt_held == KERN_HELD_MAX)
		kernel_stop(k, site, "more than %d mutexes owned",
		    KERN_HELD_MAX);
	kt->kt_lock[kt->kt_held] = kl;
	kt->kt_site[kt->kt_held++] = site;
	return (true);
}

/* Its place among the mutexes that the thread owns; kt_held: none. */
static inline unsigned
held(const struct kern_thread *kt, const void *lock)
{
	unsigned i;

	for (i = 0; i < kt->kt_held && kt->kt_lock[i] != lock;)
		i++;
	return (i);
}

static bool
kh_owned(void *self, void *lock)
{
	const struct kern_thread *kt = kern_thread_of(self);

	return (held(kt, lock) < kt->kt_held);
}

static void
kh_unlock(void *self, void *lock, const struct kern_site *site)
{
	struct kernel *k = self;
	struct kern_thread *kt = kern_thread_of(k);
	struct kern_lock *kl = lock;
	unsigned i = held(kt, lock);

	if (__builtin_expect(i == kt->kt_held, 0))
		kernel_stop(k, site, "mutex %s not owned", kl == NULL ?
		    "that was not initialized" : kl->kl_lock.lo_name);
	if (k->k_cored)
		kern_report(k, kt);
	for (kt->kt_held--; i < kt->kt_held; i++) {
		kt->kt_lock[i] = kt->kt_lock[i + 1];
		kt->kt_site[i] = kt->kt_site[i + 1];
	}
	lock_release(&kl->kl_lock, &kl->kl_node[kt - k->k_thread]);
}

/* The channel of an address; those after the last share one. */
static struct channel *
channel_of(struct kernel *k, const void *ident)
{
	unsigned i;

	kern_tables_take(k);
	for (i = 0; i < k->k_channels && k->k_channel[i].ch_ident != ident;)
		i++;
	if (i == k->k_channels && i < KERN_CHANNELS - 1) {
		k->k_channel[i].ch_ident = ident;
		k->k_channels++;
	}
	kern_tables_drop(k);
	return (&k->k_channel[i]);
}

static int
kh_sleep(void *self, const void *ident, bool catch, int64_t timeout_ns)
{
	struct kernel *k = self;
	const struct kernel_above *ka = k->k_params.kp_above;
	struct kern_thread *kt = kern_thread_of(k);
	struct channel *ch;
	uint32_t woken;
	int error;

	/* A process gives way to what is above, and ends early with it. */
	if (kt->kt_process && timeout_ns >= 0) {
		atomic_fetchadd_rel_32(&k->k_passes, 1);
		machine_wake_32(&k->k_passes);
		ka->ka_idle(k->k_params.kp_above_arg, &timeout_ns);
		if (!atomic_load(&k->k_stopping))
			(void)machine_sleep(timeout_ns);
		return (KERN_EWOULDBLOCK);
	}
	if (catch && machine_interrupted())
		return (KERN_EINTR);
	ch = channel_of(k, ident);
	woken = atomic_load_acq_32(&ch->ch_woken);
	/* Less than a tick: only signals are looked for. */
	if (timeout_ns >= 0 && timeout_ns < 1000)
		return (KERN_EWOULDBLOCK);
	ka->ka_sleeping(k->k_params.kp_above_arg);
	error = machine_wait_32(&ch->ch_woken, woken, timeout_ns);
	ka->ka_slept(k->k_params.kp_above_arg, error == 0);
	if (catch && machine_interrupted())
		return (KERN_EINTR);
	return (error == 0 ? 0 : KERN_EWOULDBLOCK);
}

static void
kh_wakeup(void *self, const void *ident)
{
	struct channel *ch = channel_of(self, ident);

	atomic_fetchadd_rel_32(&ch->ch_woken, 1);
	machine_wake_32(&ch->ch_woken);
}

static void
kh_process(void *self, const char *name, void (*func)(void *), void *arg)
{
	struct kernel *k = self;

	if (k->k_process != NULL)
		kernel_stop(k, KERN_HERE, "%s is a second process", name);
	k->k_process = func;
	k->k_process_arg = arg;
}

void
kernel_process(struct kernel *k)
{
	struct kern_thread *kt = kern_thread_of(k);

	if (k->k_process == NULL)
		return;
	kernel_enter(k, KERNEL_CPU_HERE);
	kt->kt_process = true;
	atomic_store(&k->k_processing, machine_curthread());
	k->k_process(k->k_process_arg);
	atomic_store(&k->k_processing, NULL);
	kt->kt_process = false;
	kernel_leave(k);
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
	atomic_store(&k->k_stopping, true);
	td = atomic_load(&k->k_processing);
	if (td != NULL)
		machine_interrupt(td);
	/* The end of the pass that goes on, and a whole one. */
	wait_passes(k, atomic_load_acq_32(&k->k_passes) + 2);
	kernel_enter(k, KERNEL_CPU_HERE);
	for (unsigned i = 0; i < kc->kc_uninit_count; i++)
		kc->kc_inits[kc->kc_init_count + i]->ki_func(
		    kc->kc_inits[kc->kc_init_count + i]->ki_arg);
	kernel_leave(k);
}

void
kern_host_locks(struct kern_host *kh)
{
	kh->kh_lock_new = kh_lock_new;
	kh->kh_lock_free = kh_lock_free;
	kh->kh_lock = kh_lock;
	kh->kh_unlock = kh_unlock;
	kh->kh_owned = kh_owned;
	kh->kh_sleep = kh_sleep;
	kh->kh_wakeup = kh_wakeup;
	kh->kh_process = kh_process;
}
