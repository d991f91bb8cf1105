/*
 * Kernel sources as designs: the kernel's calls on this machine.
 *
 * A cipher object of the source holds the raw key and the number of a slot, in
 * which the program keeps the keyed cipher.  The source may copy such an object
 * and clear it; a slot counts its copies and is wiped with the last one, so the
 * ledger sees a key go when all copies that were made with memcpy(3) are gone.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fortuna/kernel/object.h"
#include "fortuna/state.h"
#include "lib/crypto/stub_cipher.h"
#include "lib/crypto/wipe.h"

enum {
	HELD_MAX	= 8,		/* mutexes of one thread */
	CLASSES_MAX	= 32,		/* mutexes of different names */
	SLOTS_MORE	= 64,		/* keys beside each thread's */
	SLOTS_EACH	= 4,
	HASHES_MORE	= 64,
	POOLS_MAX	= LEDGER_POOLS_MAX,
	ARENA_BYTES	= 1 << 20,
	UNPACED_STEP_NS	= 1000 * 1000 * 1000
};

struct kernel_lock {
	struct lock	 kl_lock;
	struct kernel_lock *kl_next;
	unsigned	 kl_class;
	struct lock_node kl_node[];	/* by thread */
};

/* What the source keeps in a cipher object, and in a hash. */
struct cipher_state {
	uint8_t		 cs_raw[KERNEL_KEY_BYTES];
	uint64_t	 cs_slot;
	uint64_t	 cs_tag;
};

struct hash_ref {
	uint64_t	 hs_slot;
	uint64_t	 hs_tag;
};

CTASSERT(sizeof(struct cipher_state) <= KERNEL_CIPHER_STATE);
CTASSERT(sizeof(struct hash_ref) <= KERNEL_HASH_STATE);

/*
 * Bookkeeping that no kernel has: C11's atomics, which take no simulated time.
 */
struct slot {
	_Alignas(MACHINE_CACHE_LINE)
	_Atomic uint32_t sl_copies;	/* 0: free */
	_Atomic uint32_t sl_busy;	/* a thread makes keystream with it */
	_Atomic uint64_t sl_tag;	/* of the objects that have it */
	struct cipher_key *sl_key;
};

struct hash_slot {
	_Alignas(MACHINE_CACHE_LINE)
	_Atomic uint32_t hs_used;
	bool		 hs_made;
	int		 hs_pool;	/* its number; -1: none */
	_Atomic uint64_t hs_tag;
	struct digest	 hs_digest;
};

/* What a thread has done and not reported; where it is. */
struct kernel_thread {
	_Alignas(MACHINE_CACHE_LINE)
	unsigned	 kt_held;
	struct kernel_lock *kt_lock[HELD_MAX];
	const struct kernel_site *kt_site[HELD_MAX];
	unsigned	 kt_hint;	/* the slot that it freed last */
	uint64_t	 kt_tag;	/* that it gave last */
	int64_t		 kt_now_ns;	/* the last coarse uptime it got */
	bool		 kt_drained;	/* pools, and has set no key since */
	bool		 kt_reseeding;
	bool		 kt_installed;	/* the core's key */
	int		 kt_pool;	/* that took an event; -1: none */
	uint64_t	 kt_absorbed;	/* bytes */
	struct cipher_key *kt_key;	/* for objects that have no slot */
};

struct kernel {
	struct generator k_generator;	/* first */
	struct kernel_source *k_source;
	struct kernel_copy *k_copy;
	const struct kernel_object *k_object;
	struct kernel_host k_host;
	struct generator_params k_params;
	unsigned	 k_threads;
	struct kernel_thread *k_thread;
	struct kernel_lock *k_locks;
	const char	*k_class[CLASSES_MAX];
	unsigned	 k_classes;
	/* Where a mutex of the second class was taken under the first. */
	struct order {
		const struct kernel_site *first, *second;
	}		 k_order[CLASSES_MAX][CLASSES_MAX];
	atomic_flag	 k_order_busy;
	struct slot	*k_slot;
	unsigned	 k_slots;
	struct hash_slot *k_hash;
	unsigned	 k_hashes;
	unsigned	 k_pools;
	const struct hash *k_sha256;
	struct ledger	*k_ledger;
	unsigned	 k_core;
	uint8_t		*k_arena;
	size_t		 k_arena_used;
	_Atomic int64_t	 k_unpaced_ns;
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	 k_unblocked;
};

/* Generators made so far. */
static _Atomic uint64_t made;

static inline struct kernel *
kernel_of(struct generator *g)
{

	return ((struct kernel *)(void *)g);
}

static inline struct kernel_thread *
thread_of(struct kernel *k)
{
	const unsigned i = machine_curthread()->mt_index;

	KASSERT(i < k->k_threads, ("thread %u of %u", i, k->k_threads));
	return (&k->k_thread[i]);
}

/* Ends the run, as the kernel would stop. */
static void
kh_panic(void *self, const char *file, int line, const char *text)
{
	const struct kernel *k = self;

	kassert_panic(file, line, k->k_source->ks_name, text);
}

static void __attribute__((format(printf, 3, 4), noreturn))
stop(struct kernel *k, const struct kernel_site *site, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	kh_panic(k, site->kt_file, site->kt_line, text);
	__builtin_unreachable();
}

/* Whether p is one of the source's variables, not on a stack. */
static inline bool
is_variable(const struct kernel *k, const void *p)
{

	return ((uintptr_t)p - (uintptr_t)k->k_copy->kc_data <
	    k->k_copy->kc_data_bytes ||
	    (uintptr_t)p - (uintptr_t)k->k_arena < k->k_arena_used);
}

/* Reports what was done under the mutexes that the caller still owns. */
static void
flush(struct kernel *k, struct kernel_thread *kt)
{
	struct cipher_state cs;
	uint64_t ctr[2];

	if (kt->kt_absorbed > 0) {
		ledger_event(k->k_ledger, k->k_core, (unsigned)kt->kt_pool,
		    kt->kt_absorbed, LEDGER_UNCOUNTED, true);
		kt->kt_absorbed = 0;
	}
	if (!kt->kt_installed)
		return;
	kt->kt_installed = false;
	k->k_object->ko_counter(ctr);
	memcpy(&cs, k->k_object->ko_key(), sizeof(cs));
	ledger_install(k->k_ledger, k->k_core, cs.cs_raw,
	    uint128_make(ctr[1], ctr[0]));
	if (kt->kt_reseeding)
		ledger_reseed_end(k->k_ledger, k->k_core);
	kt->kt_reseeding = false;
	wipe(&cs, sizeof(cs));
}

/* Mutexes. */

static unsigned
class_of(struct kernel *k, const char *name)
{
	unsigned i;

	for (i = 0; i < k->k_classes; i++)
		if (strcmp(k->k_class[i], name) == 0)
			return (i);
	/* The last one is for all others, and its order is not checked. */
	if (i < CLASSES_MAX - 1)
		k->k_class[k->k_classes++] = name;
	return (i);
}

static void *
kh_lock_new(void *self, const char *name, unsigned flags)
{
	struct kernel *k = self;
	const struct lock_class *class = k->k_params.gp_lock;
	const size_t n = sizeof(struct kernel_lock) +
	    k->k_threads * sizeof(struct lock_node);
	struct kernel_lock *kl;

	if ((flags & KERNEL_LOCK_SPIN) != 0 &&
	    strcmp(class->lc_name, "mtx") == 0)
		class = lock_class_find("mtx-spin");
	kl = generator_alloc(n);
	if (kl == NULL)
		return (NULL);
	if (lock_init(&kl->kl_lock, class, name, &k->k_params.gp_lock_config,
	    k->k_params.gp_prof) != 0) {
		free(kl);
		return (NULL);
	}
	kl->kl_class = class_of(k, name);
	kl->kl_next = k->k_locks;
	k->k_locks = kl;
	return (kl);
}

static void
kh_lock_free(void *self, void *lock)
{
	struct kernel *k = self;
	struct kernel_lock **at, *kl = lock;

	for (at = &k->k_locks; *at != kl; at = &(*at)->kl_next)
		continue;
	*at = kl->kl_next;
	lock_fini(&kl->kl_lock);
	free(kl);
}

/* The first of a chain of orders from a to b; NULL: there is none. */
static const struct order *
order_between(const struct kernel *k, unsigned a, unsigned b, uint32_t *seen)
{
	unsigned i;

	if (k->k_order[a][b].first != NULL)
		return (&k->k_order[a][b]);
	*seen |= 1u << a;
	for (i = 0; i < k->k_classes; i++)
		if (k->k_order[a][i].first != NULL && (*seen & 1u << i) == 0 &&
		    order_between(k, i, b, seen) != NULL)
			return (&k->k_order[a][i]);
	return (NULL);
}

/* As witness(4): an order that was seen the other way round is an error. */
static void
check_order(struct kernel *k, const struct kernel_thread *kt,
    const struct kernel_lock *kl, const struct kernel_site *site)
{
	const struct order *before;
	struct order *now;
	unsigned i, held;
	uint32_t seen;

	for (i = 0; i < kt->kt_held; i++) {
		held = kt->kt_lock[i]->kl_class;
		if (kt->kt_lock[i] == kl)
			stop(k, site, "recursed on non-recursive mutex %s, "
			    "first taken at %s:%d", kl->kl_lock.lo_name,
			    kt->kt_site[i]->kt_file, kt->kt_site[i]->kt_line);
		if (held == kl->kl_class || kl->kl_class == CLASSES_MAX - 1)
			continue;
		seen = 0;
		before = order_between(k, kl->kl_class, held, &seen);
		if (before != NULL)
			stop(k, site, "lock order reversal: %s (%s:%d) then "
			    "%s; before, %s (%s:%d) then %s (%s:%d)",
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

static unsigned
site_of(const struct kernel *k, const struct kernel_site *site)
{
	const unsigned i = (unsigned)(site - k->k_object->ko_sites);

	return (i < LOCKPROF_SITES_MAX ? i : LOCKPROF_SITES_MAX - 1);
}

static void
push(struct kernel *k, struct kernel_thread *kt, struct kernel_lock *kl,
    const struct kernel_site *site)
{

	if (kt->kt_held == HELD_MAX)
		stop(k, site, "more than %d mutexes owned", HELD_MAX);
	kt->kt_lock[kt->kt_held] = kl;
	kt->kt_site[kt->kt_held++] = site;
}

static void
kh_lock(void *self, void *lock, const struct kernel_site *site)
{
	struct kernel *k = self;
	struct kernel_thread *kt = thread_of(k);
	struct kernel_lock *kl = lock;

	if (__builtin_expect(kt->kt_held > 0, 0)) {
		while (atomic_flag_test_and_set(&k->k_order_busy))
			machine_yield();
		check_order(k, kt, kl, site);
		atomic_flag_clear(&k->k_order_busy);
	}
	lock_acquire(&kl->kl_lock, &kl->kl_node[kt - k->k_thread],
	    site_of(k, site));
	push(k, kt, kl, site);
}

static bool
kh_trylock(void *self, void *lock, const struct kernel_site *site)
{
	struct kernel *k = self;
	struct kernel_thread *kt = thread_of(k);
	struct kernel_lock *kl = lock;

	if (kl->kl_lock.lo_class->lc_trylock == NULL) {
		kh_lock(k, kl, site);
		return (true);
	}
	if (!lock_tryacquire(&kl->kl_lock, &kl->kl_node[kt - k->k_thread],
	    site_of(k, site)))
		return (false);
	push(k, kt, kl, site);
	return (true);
}

static bool
kh_owned(void *self, void *lock)
{
	const struct kernel_thread *kt = thread_of(self);
	unsigned i;

	for (i = 0; i < kt->kt_held; i++)
		if (kt->kt_lock[i] == lock)
			return (true);
	return (false);
}

static void
kh_unlock(void *self, void *lock)
{
	struct kernel *k = self;
	struct kernel_thread *kt = thread_of(k);
	struct kernel_lock *kl = lock;
	unsigned i;

	if (k->k_ledger != NULL)
		flush(k, kt);
	for (i = 0; kt->kt_lock[i] != kl; i++)
		continue;
	kt->kt_held--;
	for (; i < kt->kt_held; i++) {
		kt->kt_lock[i] = kt->kt_lock[i + 1];
		kt->kt_site[i] = kt->kt_site[i + 1];
	}
	lock_release(&kl->kl_lock, &kl->kl_node[kt - k->k_thread]);
}

/* The machine. */

/* Known-answer scripts know no time: each look is long after the last. */
static int64_t
kh_uptime_ns(void *self, bool coarse)
{
	struct kernel *k = self;
	int64_t now_ns;

	if (!k->k_generator.g_paced)
		return (atomic_fetch_add(&k->k_unpaced_ns, UNPACED_STEP_NS) +
		    UNPACED_STEP_NS);
	now_ns = coarse ? machine_uptime_coarse_ns() : machine_uptime_ns();
	/* FreeBSD's sources take 0 for "never". */
	now_ns = failpoint_clock(k->k_generator.g_failpoints, now_ns);
	now_ns = now_ns > 0 ? now_ns : 1;
	if (coarse)
		thread_of(k)->kt_now_ns = now_ns;
	return (now_ns);
}

static uint64_t
kh_cycles(void *self)
{

	(void)self;
	return (machine_cycles());
}

static unsigned
kh_cpu(void *self)
{
	const struct kernel *k = self;

	return (machine_cpu() % k->k_host.kh_cpus);
}

static void
kh_pause(void *self)
{

	(void)self;
	machine_pause(1);
}

/* Kept until the generator ends: sources allocate when they start. */
static void *
kh_malloc(void *self, size_t n, bool zero)
{
	struct kernel *k = self;
	void *p;

	(void)zero;
	n += -n % MACHINE_CACHE_LINE;
	if (k->k_arena == NULL)
		k->k_arena = generator_alloc(ARENA_BYTES);
	if (k->k_arena == NULL || n > ARENA_BYTES - k->k_arena_used)
		return (NULL);
	p = k->k_arena + k->k_arena_used;
	k->k_arena_used += n;
	return (p);
}

static void
kh_free(void *self, void *p)
{

	(void)self;
	(void)p;
}

static int
kh_failpoint(void *self, const char *name)
{
	const struct kernel *k = self;
	unsigned i;

	for (i = 0; i < FORTUNA_FAILPOINTS; i++)
		if (strcmp(fortuna_failpoints[i].fd_name, name) == 0)
			return (failpoint_ask(k->k_generator.g_failpoints, i));
	return (0);
}

static void
kh_load(void *self, const void *p, size_t n)
{

	if (is_variable(self, p))
		machine_access(p, n, false);
}

static void
kh_store(void *self, const void *p, size_t n)
{

	if (is_variable(self, p))
		machine_access(p, n, true);
}

/* random(4). */

static bool
kh_accepts(void *self, const void *event)
{

	return (generator_accepts(self, event));
}

static void
kh_unblock(void *self)
{
	struct kernel *k = self;

	atomic_store_rel_32(&k->k_unblocked, 1);
	machine_wake_32(&k->k_unblocked);
}

/* Ciphers. */

static struct slot *
slot_of(struct kernel *k, const struct cipher_state *cs)
{
	struct slot *sl;

	if (cs->cs_slot == 0 || cs->cs_slot > k->k_slots)
		return (NULL);
	sl = &k->k_slot[cs->cs_slot - 1];
	return (cs->cs_tag != 0 && atomic_load_explicit(&sl->sl_tag,
	    memory_order_relaxed) == cs->cs_tag ? sl : NULL);
}

static inline uint32_t
copies_of(struct slot *sl)
{

	return (atomic_load_explicit(&sl->sl_copies, memory_order_acquire));
}

static void
slot_put(struct kernel *k, struct kernel_thread *kt, struct slot *sl)
{
	uint32_t copies = copies_of(sl);

	while (copies > 1)
		if (atomic_compare_exchange_weak(&sl->sl_copies, &copies,
		    copies - 1))
			return;
	/* No other object has it, so none can be copied. */
	atomic_store_explicit(&sl->sl_tag, 0, memory_order_relaxed);
	cipher_key_wipe(sl->sl_key);
	machine_charge(COST_WIPE, 1);
	kt->kt_hint = (unsigned)(sl - k->k_slot);
	atomic_store_explicit(&sl->sl_copies, 0, memory_order_release);
}

/* A free slot; a thread looks first where it freed one. */
static struct slot *
slot_get(struct kernel *k, const struct kernel_thread *kt)
{
	struct slot *sl;
	uint32_t none;
	unsigned i;

	for (i = 0; i < k->k_slots; i++) {
		sl = &k->k_slot[(kt->kt_hint + i) % k->k_slots];
		none = 0;
		if (copies_of(sl) != 0 ||
		    !atomic_compare_exchange_strong(&sl->sl_copies, &none, 1))
			continue;
		if (sl->sl_key == NULL && cipher_key_new(&sl->sl_key,
		    k->k_generator.g_cipher) != 0)
			break;
		return (sl);
	}
	kh_panic(k, __FILE__, __LINE__, "no room for another key: copies of "
	    "keys are not cleared");
	return (NULL);
}

/* Whether the object is the core's K. */
static bool
is_core(const struct kernel *k, const void *state)
{

	return (k->k_object->ko_key != NULL && k->k_object->ko_key() == state);
}

/* The first key after pools were drained ends a reseed. */
static void
report_key(struct kernel *k, struct kernel_thread *kt)
{

	kt->kt_installed = true;
	if (!kt->kt_drained)
		return;
	kt->kt_drained = false;
	kt->kt_reseeding = true;
	/* What the source decided by; its clock may step. */
	ledger_drain(k->k_ledger, k->k_core, kt->kt_now_ns,
	    k->k_generator.g_paced);
	ledger_reseed_begin(k->k_ledger, k->k_core);
}

static void
kh_key_set(void *self, void *state, const void *key)
{
	struct kernel *k = self;
	struct cipher_state *cs = state;
	struct slot *sl = slot_of(k, cs), *old = NULL;
	struct kernel_thread *kt = thread_of(k);

	if (k->k_ledger != NULL && is_core(k, state))
		report_key(k, kt);
	if (sl == NULL || copies_of(sl) > 1) {
		old = sl;
		sl = slot_get(k, kt);
	}
	cipher_key_set(sl->sl_key, key);
	memcpy(cs->cs_raw, key, sizeof(cs->cs_raw));
	cs->cs_slot = (uint64_t)(sl - k->k_slot) + 1;
	cs->cs_tag = ++kt->kt_tag;
	atomic_store_explicit(&sl->sl_tag, cs->cs_tag, memory_order_relaxed);
	machine_charge(COST_KEY_SET, 1);
	if (old != NULL)
		slot_put(k, kt, old);
}

/* With the thread's own cipher: the object was not made here, or is shared. */
static void
keystream_alone(struct kernel *k, const struct cipher_state *cs,
    uint128_t *ctr, void *out, size_t n)
{
	struct kernel_thread *kt = thread_of(k);

	if (kt->kt_key == NULL && cipher_key_new(&kt->kt_key,
	    k->k_generator.g_cipher) != 0)
		kh_panic(k, __FILE__, __LINE__, "no memory for a cipher");
	cipher_key_set(kt->kt_key, cs->cs_raw);
	cipher_keystream(kt->kt_key, ctr, out, n);
	cipher_key_wipe(kt->kt_key);
}

static void
kh_keystream(void *self, void *state, uint64_t words[2], void *out, size_t n)
{
	struct kernel *k = self;
	struct cipher_state *cs = state;
	struct slot *sl = slot_of(k, cs);
	uint128_t ctr = uint128_make(words[1], words[0]);

	/* Threads with copies of one key may use them at the same time. */
	if (sl != NULL && copies_of(sl) == 1) {
		cipher_keystream(sl->sl_key, &ctr, out, n);
	} else if (sl != NULL && atomic_exchange_explicit(&sl->sl_busy, 1,
	    memory_order_acquire) == 0) {
		cipher_keystream(sl->sl_key, &ctr, out, n);
		atomic_store_explicit(&sl->sl_busy, 0, memory_order_release);
	} else {
		keystream_alone(k, cs, &ctr, out, n);
	}
	machine_charge(COST_KEYSTREAM, n);
	words[0] = uint128_lo(ctr);
	words[1] = uint128_hi(ctr);
}

static const void *
kh_key_get(void *self, void *state)
{

	(void)self;
	return (((struct cipher_state *)state)->cs_raw);
}

static void
kh_clearing(void *self, void *p, size_t n)
{
	struct kernel *k = self;
	struct slot *sl = slot_of(k, p);

	(void)n;
	if (sl == NULL)
		return;
	((struct cipher_state *)p)->cs_slot = 0;
	slot_put(k, thread_of(k), sl);
}

static void
kh_copying(void *self, void *to, const void *from, size_t n)
{
	struct kernel *k = self;
	struct slot *sl = slot_of(k, from);

	if (sl != NULL)
		atomic_fetch_add(&sl->sl_copies, 1);
	kh_clearing(k, to, n);
}

/* Hashes. */

static struct hash_slot *
hash_of(struct kernel *k, const struct hash_ref *hs)
{
	struct hash_slot *slot;

	if (hs->hs_slot == 0 || hs->hs_slot > k->k_hashes)
		return (NULL);
	slot = &k->k_hash[hs->hs_slot - 1];
	return (hs->hs_tag != 0 && slot->hs_tag == hs->hs_tag ? slot : NULL);
}

static struct hash_slot *
hash_take(struct kernel *k)
{
	struct hash_slot *slot;
	uint32_t none;
	unsigned i;

	for (i = 0; i < k->k_hashes; i++) {
		slot = &k->k_hash[i];
		none = 0;
		if (!atomic_compare_exchange_strong(&slot->hs_used, &none, 1))
			continue;
		if (!slot->hs_made && digest_init_as(&slot->hs_digest,
		    k->k_sha256) != 0)
			break;
		slot->hs_made = true;
		slot->hs_pool = -1;
		return (slot);
	}
	kh_panic(k, __FILE__, __LINE__, "no room for another hash: hashes "
	    "are begun and not finished");
	return (NULL);
}

/* Pools are the hashes among the source's variables, in the order of boot. */
static void
kh_hash_init(void *self, void *state)
{
	struct kernel *k = self;
	struct hash_ref *hs = state;
	struct hash_slot *slot = hash_of(k, hs);

	if (slot == NULL) {
		slot = hash_take(k);
		if (is_variable(k, state) && k->k_pools < POOLS_MAX)
			slot->hs_pool = (int)k->k_pools++;
		hs->hs_slot = (uint64_t)(slot - k->k_hash) + 1;
		hs->hs_tag = ++thread_of(k)->kt_tag;
		atomic_store(&slot->hs_tag, hs->hs_tag);
	}
	digest_reset(&slot->hs_digest);
}

static struct hash_slot *
hash_begun(struct kernel *k, const void *state)
{
	struct hash_slot *slot = hash_of(k, state);

	if (slot == NULL)
		kh_panic(k, __FILE__, __LINE__, "a hash that was not begun");
	return (slot);
}

static void
kh_hash_add(void *self, void *state, const void *data, size_t n)
{
	struct kernel *k = self;
	struct hash_slot *slot = hash_begun(k, state);
	struct kernel_thread *kt;

	digest_update(&slot->hs_digest, data, n);
	if (slot->hs_pool < 0)
		return;
	digest_prepare(&slot->hs_digest);
	kt = thread_of(k);
	/* An event comes in two parts; its cost is of both together. */
	machine_charge(kt->kt_absorbed == 0 ? COST_ABSORB : COST_ABSORB_MORE,
	    n);
	kt->kt_pool = slot->hs_pool;
	kt->kt_absorbed += n;
}

static void
kh_hash_finish(void *self, void *state, void *out)
{
	struct kernel *k = self;
	struct hash_slot *slot = hash_begun(k, state);

	digest_finish(&slot->hs_digest, out);
	if (slot->hs_pool >= 0) {
		machine_charge(COST_DIGEST, 1);
		if (k->k_ledger == NULL)
			return;
		ledger_pool(k->k_ledger, k->k_core, (unsigned)slot->hs_pool,
		    LEDGER_UNCOUNTED);
		thread_of(k)->kt_drained = true;
		return;
	}
	((struct hash_ref *)state)->hs_slot = 0;
	digest_reset(&slot->hs_digest);
	atomic_store(&slot->hs_tag, 0);
	atomic_store(&slot->hs_used, 0);
}

/* The design. */

static unsigned
pools_due(uint64_t reseed)
{
	unsigned n = 1;

	while (n < POOLS_MAX && reseed % (UINT64_C(1) << n) == 0)
		n++;
	return (n);
}

static void
kernel_fini(struct generator *g)
{
	struct kernel *k = kernel_of(g);
	struct kernel_lock *kl, *next;
	unsigned i;

	for (kl = k->k_locks; kl != NULL; kl = next) {
		next = kl->kl_next;
		lock_fini(&kl->kl_lock);
		free(kl);
	}
	for (i = 0; k->k_slot != NULL && i < k->k_slots; i++)
		cipher_key_free(k->k_slot[i].sl_key);
	for (i = 0; k->k_hash != NULL && i < k->k_hashes; i++)
		if (k->k_hash[i].hs_made)
			digest_fini(&k->k_hash[i].hs_digest);
	for (i = 0; k->k_thread != NULL && i < k->k_threads; i++)
		cipher_key_free(k->k_thread[i].kt_key);
	free(k->k_slot);
	free(k->k_hash);
	free(k->k_thread);
	if (k->k_arena != NULL)
		wipe(k->k_arena, k->k_arena_used);
	free(k->k_arena);
	if (k->k_copy != NULL) {
		wipe(k->k_copy->kc_data, k->k_copy->kc_data_bytes);
		kernel_copy_put(k->k_source, k->k_copy);
	}
}

static const struct kernel_host host_calls = {
	.kh_abi = KERNEL_ABI,
	.kh_lock_new = kh_lock_new,
	.kh_lock_free = kh_lock_free,
	.kh_lock = kh_lock,
	.kh_trylock = kh_trylock,
	.kh_unlock = kh_unlock,
	.kh_owned = kh_owned,
	.kh_uptime_ns = kh_uptime_ns,
	.kh_cycles = kh_cycles,
	.kh_cpu = kh_cpu,
	.kh_pause = kh_pause,
	.kh_malloc = kh_malloc,
	.kh_free = kh_free,
	.kh_failpoint = kh_failpoint,
	.kh_panic = kh_panic,
	.kh_accepts = kh_accepts,
	.kh_unblock = kh_unblock,
	.kh_key_set = kh_key_set,
	.kh_keystream = kh_keystream,
	.kh_key_get = kh_key_get,
	.kh_hash_init = kh_hash_init,
	.kh_hash_add = kh_hash_add,
	.kh_hash_finish = kh_hash_finish,
	.kh_copying = kh_copying,
	.kh_clearing = kh_clearing,
	.kh_load = kh_load,
	.kh_store = kh_store,
};

/* Sets what -S set of the names that the source has. */
static void
set_sysctls(struct kernel *k)
{
	const struct generator_config *gc = &k->k_params.gp_config;
	struct kernel_sysctl *kx;
	unsigned i;
	int error;

	for (i = 0; (kx = k->k_object->ko_sysctl(i)) != NULL; i++) {
		if (strcmp(kx->kx_name, "kern.random.fortuna.minpoolsize") == 0)
			(void)kx->kx_set(kx, gc->minpoolsize);
		else if (strcmp(kx->kx_name,
		    "kern.random.block_seeded_status") == 0)
			(void)kx->kx_set(kx, gc->block_seeded_status);
	}
	for (i = 0; i < k->k_source->ks_setting_count; i++)
		(void)kernel_setting_apply(k->k_object,
		    &k->k_source->ks_setting[i], &error);
}

static int
kernel_init(struct generator *g, const struct generator_params *params)
{
	struct kernel *k = kernel_of(g);
	const uint64_t number = atomic_fetch_add(&made, 1);
	unsigned i;

	/* ra_algorithm is the source's first member. */
	k->k_source = (struct kernel_source *)(uintptr_t)g->g_algorithm;
	k->k_params = *params;
	atomic_flag_clear(&k->k_order_busy);
	k->k_threads = params->gp_lock_config.threads;
	k->k_slots = SLOTS_EACH * k->k_threads + SLOTS_MORE;
	k->k_hashes = k->k_threads + HASHES_MORE;
	k->k_thread = generator_alloc(k->k_threads * sizeof(*k->k_thread));
	k->k_slot = generator_alloc(k->k_slots * sizeof(*k->k_slot));
	k->k_hash = generator_alloc(k->k_hashes * sizeof(*k->k_hash));
	if (k->k_thread != NULL && k->k_slot != NULL && k->k_hash != NULL)
		k->k_copy = kernel_copy_get(k->k_source, machine_run_number());
	if (k->k_copy == NULL) {
		kernel_fini(g);
		return (errno != 0 ? errno : ENOMEM);
	}
	for (i = 0; i < k->k_threads; i++) {
		k->k_thread[i].kt_hint = i * SLOTS_EACH;
		k->k_thread[i].kt_pool = -1;
		/* A stack may have objects of an earlier generator. */
		k->k_thread[i].kt_tag = (uint64_t)i << 53 |
		    (number & 0x1fffff) << 32;
	}
	k->k_object = k->k_copy->kc_object;
	k->k_sha256 = cipher_is_stub(params->gp_cipher) ? hash_stub() :
	    hash_sha256();
	atomic_init_32(&k->k_unblocked, 0);
	k->k_host = host_calls;
	k->k_host.kh_self = k;
	k->k_host.kh_chacha20 = strcmp(params->gp_cipher->ci_name,
	    "chacha20") == 0;
	k->k_host.kh_cpus = generator_places(params);
	k->k_object->ko_boot(&k->k_host);
	set_sysctls(k);
	if (k->k_object->ko_counter == NULL)
		return (0);
	k->k_ledger = ledger_of(params->gp_cipher);
	k->k_core = ledger_core(k->k_ledger, &(struct ledger_core_rule){
	    .lu_pools = k->k_pools,
	    .lu_pool0_bytes = params->gp_config.minpoolsize,
	    .lu_due = k->k_pools == POOLS_MAX ? pools_due : NULL });
	return (0);
}

/* A call of the source has returned. */
static void
returned(struct kernel *k)
{
	struct kernel_thread *kt = thread_of(k);

	if (__builtin_expect(kt->kt_held > 0, 0))
		stop(k, kt->kt_site[0], "returned with mutex %s owned",
		    kt->kt_lock[0]->kl_lock.lo_name);
	kt->kt_absorbed = 0;
}

static void
kernel_pre_read(struct generator *g)
{
	struct kernel *k = kernel_of(g);

	k->k_object->ko_pre_read();
	returned(k);
}

static bool
kernel_seeded(struct generator *g)
{

	return (kernel_of(g)->k_object->ko_seeded());
}

/* The source makes all of a read at once; a stream has windows. */
static void
read_stream(struct kernel *k, struct uio *uio)
{
	const size_t all = (size_t)uio->uio_resid;
	uint8_t *buf = malloc(all);
	size_t n;

	if (buf == NULL)
		kh_panic(k, __FILE__, __LINE__, "no memory for a read");
	k->k_object->ko_read(buf, all);
	for (; uio->uio_resid > 0; uio_advance(uio, n)) {
		n = uio_room(uio);
		memcpy(uio->uio_base, buf + all - uio->uio_resid, n);
	}
	wipe(buf, all);
	free(buf);
}

static void
kernel_read(struct generator *g, struct generator_reader *gr, struct uio *uio)
{
	struct kernel *k = kernel_of(g);
	const size_t n = uio_room(uio);

	(void)gr;
	if (n < uio->uio_resid) {
		read_stream(k, uio);
	} else {
		k->k_object->ko_read(uio->uio_base, n);
		uio_advance(uio, n);
	}
	returned(k);
}

static void
kernel_event(struct generator *g, const struct harvest_event *event)
{
	struct kernel *k = kernel_of(g);
	struct kernel_event ke = {
		.ke_counter = event->he_somecounter,
		.ke_size = event->he_size,
		.ke_destination = event->he_destination,
		.ke_pure = event->he_source >= RANDOM_PURE_START,
		.ke_vmgenid = event->he_source == RANDOM_PURE_VMGENID,
		.ke_event = event,
	};

	CTASSERT(sizeof(ke.ke_entropy) == sizeof(event->he_entropy));
	memcpy(ke.ke_entropy, event->he_entropy, sizeof(ke.ke_entropy));
	k->k_object->ko_event(&ke);
	returned(k);
}

static void
kernel_timer(struct generator *g, int64_t now_ns)
{
	struct kernel *k = kernel_of(g);

	if (k->k_object->ko_timer == NULL)
		return;
	k->k_object->ko_timer(now_ns);
	returned(k);
}

static void
kernel_wait_seeded(struct generator *g, int64_t timeout_ns)
{
	struct kernel *k = kernel_of(g);

	/* The source unblocks once, and may deny that it is seeded later. */
	if (atomic_load_acq_32(&k->k_unblocked) == 0)
		machine_wait_32(&k->k_unblocked, 0, timeout_ns);
	else if (!kernel_seeded(g))
		machine_sleep(timeout_ns);
}

static void
kernel_core(struct generator *g, struct generator_core *gc, bool set)
{
	struct kernel *k = kernel_of(g);
	struct kernel_state ks = { .ks_counter = {
	    uint128_lo(gc->gc_counter), uint128_hi(gc->gc_counter) } };

	k->k_object->ko_state(&ks, set);
	*gc = (struct generator_core){
		.gc_counter = uint128_make(ks.ks_counter[1], ks.ks_counter[0]),
		.gc_reseeds = ks.ks_reseeds,
		.gc_pool0_bytes = ks.ks_pool0_bytes,
	};
	memcpy(gc->gc_key, ks.ks_key, sizeof(gc->gc_key));
	wipe(&ks, sizeof(ks));
}

static void
kernel_status(struct generator *g, struct generator_status *gs)
{
	struct generator_core gc = { .gc_reseeds = 0 };
	struct kernel *k = kernel_of(g);

	if (k->k_source->ks_probed)
		kernel_core(g, &gc, false);
	*gs = (struct generator_status){
		.gs_reseeds = gc.gc_reseeds,
		.gs_pool0_bytes = gc.gc_pool0_bytes,
		.gs_pool0_needed_bytes = k->k_params.gp_config.minpoolsize,
		.gs_seeded = k->k_source->ks_probed ?
		    !k->k_params.gp_config.block_seeded_status &&
		    !uint128_is_zero(gc.gc_counter) : kernel_seeded(g),
	};
	wipe(&gc, sizeof(gc));
}

int
kernel_boot(struct kernel_source *ks, struct generator **g,
    const struct kernel_object **ko)
{
	const struct generator_params gp = {
		.gp_cipher = cipher_stub(ciphers[0]),
		.gp_lock = lock_class_find("mtx"),
		.gp_lock_config = lock_config_default(1),
		.gp_config = generator_config_default(),
	};
	int error = generator_new(&ks->ks_algorithm, g, &gp);

	if (error == 0)
		*ko = kernel_of(*g)->k_object;
	return (error);
}

int
kernel_design_make(const char *name, const char *object,
    struct kernel_source **ksp, char error[KERNEL_ERROR_SIZE])
{
	struct kernel_source *ks = calloc(1, sizeof(*ks));
	int e;

	if (ks == NULL)
		return (ENOMEM);
	e = kernel_source_open(ks, name, object, error);
	if (e == 0 && !generator_add(&ks->ks_algorithm))
		e = ENOSPC;
	if (e != 0) {
		free(ks);
		return (e);
	}
	ks->ks_algorithm = (struct random_algorithm){
		.ra_ident = ks->ks_name,
		.ra_descr = ks->ks_descr,
		.ra_stands = "A kernel source, as it is.",
		.ra_argument = "The source's own.",
		.ra_flags = ks->ks_probed ? 0 : RA_UNSEEN,
		.ra_poolcount = ks->ks_algorithm.ra_poolcount,
		.ra_size = sizeof(struct kernel),
		.ra_sites = ks->ks_sites,
		.ra_site_count = ks->ks_site_count,
		.ra_init = kernel_init,
		.ra_fini = kernel_fini,
		.ra_pre_read = kernel_pre_read,
		.ra_seeded = kernel_seeded,
		.ra_read = kernel_read,
		.ra_event_processor = kernel_event,
		.ra_timer = kernel_timer,
		.ra_wait_seeded = kernel_wait_seeded,
		.ra_status = kernel_status,
		.ra_core = ks->ks_probed ? kernel_core : NULL,
	};
	*ksp = ks;
	return (0);
}
