/*
 * Kernel sources as designs: mtx(9), and the order of mutexes as witness(4)
 * checks it.
 */
#include <stdlib.h>

#include "fortuna/kernel/impl.h"

struct kernel_lock {
	struct lock	 kl_lock;	/* first */
	struct kernel_lock *kl_next;
	unsigned	 kl_class;
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
	if (i < KERNEL_CLASSES_MAX - 1)
		k->k_class[k->k_classes++] = name;
	return (i);
}

static void *
kh_lock_new(void *self, const char *name, unsigned flags, const void *at)
{
	struct kernel *k = self;
	const struct lock_class *class = k->k_params.gp_lock;
	struct kernel_lock *kl;

	if ((flags & KERNEL_LOCK_SPIN) != 0 &&
	    strcmp(class->lc_name, "mtx") == 0)
		class = lock_class_find("mtx-spin");
	kl = generator_alloc(sizeof(*kl) +
	    k->k_threads * sizeof(kl->kl_node[0]));
	if (kl == NULL)
		return (NULL);
	if (lock_init(&kl->kl_lock, class, name, &k->k_params.gp_lock_config,
	    k->k_params.gp_prof) != 0) {
		free(kl);
		return (NULL);
	}
	kl->kl_at = at;
	kernel_tables_take(k);
	kl->kl_class = class_of(k, name);
	kl->kl_next = k->k_locks;
	k->k_locks = kl;
	kernel_tables_drop(k);
	return (kl);
}

void
kernel_locks_end(struct kernel *k, const void *p, size_t n)
{
	struct kernel_lock *kl, *ended = NULL;

	kernel_tables_take(k);
	for (struct kernel_lock **at = &k->k_locks; (kl = *at) != NULL;) {
		if ((uintptr_t)kl->kl_at - (uintptr_t)p >= n) {
			at = &kl->kl_next;
			continue;
		}
		*at = kl->kl_next;
		kl->kl_next = ended;
		ended = kl;
	}
	kernel_tables_drop(k);
	while ((kl = ended) != NULL) {
		ended = kl->kl_next;
		lock_fini(&kl->kl_lock);
		free(kl);
	}
}

static void
kh_lock_free(void *self, void *lock)
{
	kernel_locks_end(self, ((struct kernel_lock *)lock)->kl_at, 1);
}

/* The first of a chain of orders from a to b; NULL: there is none. */
static const struct order *
order_between(const struct kernel *k, unsigned a, unsigned b, uint32_t *seen)
{
	if (k->k_order[a][b].first != NULL)
		return (&k->k_order[a][b]);
	*seen |= 1u << a;
	for (unsigned i = 0; i < k->k_classes; i++)
		if (k->k_order[a][i].first != NULL && (*seen & 1u << i) == 0 &&
		    order_between(k, i, b, seen) != NULL)
			return (&k->k_order[a][i]);
	return (NULL);
}

/* An order that was seen the other way round is an error. */
static void
check_order(struct kernel *k, const struct kernel_thread *kt,
    const struct kernel_lock *kl, const struct kernel_site *site)
{
	const struct order *before;
	struct order *now;
	unsigned held;
	uint32_t seen;

	for (unsigned i = 0; i < kt->kt_held; i++) {
		held = kt->kt_lock[i]->kl_class;
		if (kt->kt_lock[i] == kl)
			kernel_stop(k, site, "recursed on non-recursive mutex "
			    "%s, first taken at %s:%d", kl->kl_lock.lo_name,
			    kt->kt_site[i]->kt_file, kt->kt_site[i]->kt_line);
		if (held == kl->kl_class ||
		    kl->kl_class == KERNEL_CLASSES_MAX - 1)
			continue;
		seen = 0;
		before = order_between(k, kl->kl_class, held, &seen);
		if (before != NULL)
			kernel_stop(k, site, "lock order reversal: %s (%s:%d) "
			    "then %s; before, %s (%s:%d) then %s (%s:%d)",
			    kt->kt_lock[i]->kl_lock.lo_name,
			    kt->kt_site[i]->kt_file, kt->kt_site[i]->kt_line,
			    kl->kl_lock.lo_name, kl->kl_lock.lo_name,
			    before->first->kt_file, before->first->kt_line,
			    kt->kt_lock[i]->kl_lock.lo_name,
			    before->second->kt_file, before->second->kt_line);
		now = &k->k_order[held][kl->kl_class];
		if (now->first == NULL)
			*now = (struct order){ kt->kt_site[i], site };
	}
}

static inline unsigned
site_of(const struct kernel *k, const struct kernel_site *site)
{
	const unsigned i = (unsigned)(site - k->k_object->ko_sites);

	return (i < LOCKPROF_SITES_MAX ? i : LOCKPROF_SITES_MAX - 1);
}

/* Taken, or with try as far as the kind of lock has that. */
static bool
kh_lock(void *self, void *lock, const struct kernel_site *site, bool try)
{
	struct kernel *k = self;
	struct kernel_thread *kt = kernel_thread_of(k);
	struct kernel_lock *kl = lock;
	struct lock_node *node;

	if (__builtin_expect(kl == NULL, 0))
		kernel_stop(k, site, "a mutex that was not initialized");
	node = &kl->kl_node[kt - k->k_thread];
	if (__builtin_expect(try, 0) &&
	    kl->kl_lock.lo_class->lc_trylock != NULL) {
		if (!lock_tryacquire(&kl->kl_lock, node, site_of(k, site)))
			return (false);
	} else {
		if (__builtin_expect(kt->kt_held > 0, 0)) {
			kernel_tables_take(k);
			check_order(k, kt, kl, site);
			kernel_tables_drop(k);
		}
		lock_acquire(&kl->kl_lock, node, site_of(k, site));
	}
	if (kt->kt_held == KERNEL_HELD_MAX)
		kernel_stop(k, site, "more than %d mutexes owned",
		    KERNEL_HELD_MAX);
	kt->kt_lock[kt->kt_held] = kl;
	kt->kt_site[kt->kt_held++] = site;
	return (true);
}

/* Its place among the mutexes that the thread owns; kt_held: none. */
static inline unsigned
held(const struct kernel_thread *kt, const void *lock)
{
	unsigned i;

	for (i = 0; i < kt->kt_held && kt->kt_lock[i] != lock;)
		i++;
	return (i);
}

static bool
kh_owned(void *self, void *lock)
{
	const struct kernel_thread *kt = kernel_thread_of(self);

	return (held(kt, lock) < kt->kt_held);
}

static void
kh_unlock(void *self, void *lock, const struct kernel_site *site)
{
	struct kernel *k = self;
	struct kernel_thread *kt = kernel_thread_of(k);
	struct kernel_lock *kl = lock;
	unsigned i = held(kt, lock);

	if (__builtin_expect(i == kt->kt_held, 0))
		kernel_stop(k, site, "mutex %s not owned", kl == NULL ?
		    "that was not initialized" : kl->kl_lock.lo_name);
	if (k->k_ledger != NULL)
		kernel_report(k, kt);
	for (kt->kt_held--; i < kt->kt_held; i++) {
		kt->kt_lock[i] = kt->kt_lock[i + 1];
		kt->kt_site[i] = kt->kt_site[i + 1];
	}
	lock_release(&kl->kl_lock, &kl->kl_node[kt - k->k_thread]);
}

void
kernel_host_locks(struct kernel_host *kh)
{
	kh->kh_lock_new = kh_lock_new;
	kh->kh_lock_free = kh_lock_free;
	kh->kh_lock = kh_lock;
	kh->kh_unlock = kh_unlock;
	kh->kh_owned = kh_owned;
}
