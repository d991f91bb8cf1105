/*
 * Kernel sources as designs: ciphers and hashes.
 *
 * An object of the source begins with the number of a slot, in which the
 * program has the keyed cipher or the hash, and the slot's tag.  The source may
 * copy a cipher object and clear it; a slot counts the copies and is wiped with
 * the last one, so the ledger sees a key go when all copies are gone.
 */
#include <errno.h>
#include <stdlib.h>

#include "fortuna/kernel/impl.h"
#include "fortuna/state.h"
#include "lib/crypto/stub_cipher.h"

enum {
	SLOTS_MORE	= 128,		/* beside each thread's */
	SLOTS_EACH	= 6
};

struct ref {
	uint64_t	 r_slot;	/* from 1 */
	uint64_t	 r_tag;
};

struct cipher_state {
	struct ref	 cs_ref;	/* first */
	uint8_t		 cs_raw[KERNEL_KEY_BYTES];
};

CTASSERT(sizeof(struct cipher_state) <= KERNEL_CIPHER_STATE);
CTASSERT(sizeof(struct ref) <= KERNEL_HASH_STATE);

/*
 * Bookkeeping that no kernel has: C11's atomics, which take no simulated time.
 * A free slot keeps its cipher and its hash, without key and input.
 */
struct slot {
	_Alignas(MACHINE_CACHE_LINE)
	_Atomic uint32_t sl_copies;	/* 0: free */
	_Atomic uint32_t sl_busy;	/* a thread makes keystream with it */
	_Atomic uint64_t sl_tag;	/* of objects that have it; 0: none */
	int		 sl_pool;	/* its number, or one of these */
#define	SLOT_KEY	(-2)
#define	SLOT_HASH	(-1)
	const void	*_Atomic sl_at;	/* a pool's place */
	struct cipher_key *sl_key;
	bool		 sl_hashes;	/* sl_digest was made */
	struct digest	 sl_digest;
};

/* p: what may be a reference, or any memory of a copy, of any alignment. */
static inline struct slot *
slot_of(struct kernel *k, const void *p)
{
	struct slot *sl;
	struct ref r;

	memcpy(&r, p, sizeof(r));
	if (r.r_slot - 1 >= k->k_slots || r.r_tag == 0)
		return (NULL);
	sl = &k->k_slot[r.r_slot - 1];
	return (atomic_load_explicit(&sl->sl_tag, memory_order_relaxed) ==
	    r.r_tag ? sl : NULL);
}

/* One of a cipher; else of a hash. */
static inline struct slot *
slot_of_kind(struct kernel *k, const struct ref *r, bool key)
{
	struct slot *sl = slot_of(k, r);

	return (sl != NULL && (sl->sl_pool == SLOT_KEY) == key ? sl : NULL);
}

static inline uint32_t
copies_of(struct slot *sl)
{
	return (atomic_load_explicit(&sl->sl_copies, memory_order_acquire));
}

/* One object less; the last one frees the slot, or the thread keeps it. */
static void
slot_put(struct kernel_thread *kt, struct slot *sl)
{
	uint32_t copies = copies_of(sl);

	while (copies > 1)
		if (atomic_compare_exchange_weak(&sl->sl_copies, &copies,
		    copies - 1))
			return;
	/* No other object has it, so none can be copied. */
	atomic_store_explicit(&sl->sl_tag, 0, memory_order_relaxed);
	if (sl->sl_pool == SLOT_KEY) {
		cipher_key_wipe(sl->sl_key);
		machine_charge(COST_WIPE, 1);
	}
	if (kt->kt_spare[sl->sl_pool == SLOT_KEY] == NULL)
		kt->kt_spare[sl->sl_pool == SLOT_KEY] = sl;
	else
		atomic_store_explicit(&sl->sl_copies, 0, memory_order_release);
}

static struct slot *
slot_get(struct kernel *k, struct kernel_thread *kt, bool key)
{
	struct slot *sl = kt->kt_spare[key];
	uint32_t none;

	kt->kt_spare[key] = NULL;
	if (sl != NULL)
		return (sl);
	for (unsigned i = 0; i < k->k_slots; i++) {
		sl = &k->k_slot[i];
		none = 0;
		if (copies_of(sl) == 0 &&
		    atomic_compare_exchange_strong(&sl->sl_copies, &none, 1))
			return (sl);
	}
	kernel_stop(k, &(struct kernel_site){ __FILE__, __LINE__ },
	    "no room for another key or hash: copies of keys are not cleared, "
	    "or hashes are begun and not finished");
}

static void __attribute__((noreturn))
no_memory(struct kernel *k)
{
	kernel_stop(k, &(struct kernel_site){ __FILE__, __LINE__ },
	    "no memory for a cipher or a hash, or libcrypto lacks BLAKE2b");
}

static void
bind(const struct kernel *k, struct kernel_thread *kt, struct slot *sl,
    struct ref *r)
{
	r->r_slot = (uint64_t)(sl - k->k_slot) + 1;
	r->r_tag = ++kt->kt_tag;
	atomic_store_explicit(&sl->sl_tag, r->r_tag, memory_order_relaxed);
}

static bool
is_core(const struct kernel *k, const void *state)
{
	return (k->k_object->ko_key != NULL && k->k_object->ko_key() == state);
}

/* The first key after pools were drained ends a reseed. */
static void
note_key(struct kernel *k, struct kernel_thread *kt)
{
	kt->kt_installed = true;
	if (!kt->kt_drained)
		return;
	kt->kt_reseeding = true;
	/* What the source decided by; its clock may step. */
	ledger_drain(k->k_ledger, k->k_core, kt->kt_now_ns,
	    k->k_generator.g_paced);
	ledger_reseed_begin(k->k_ledger, k->k_core);
}

void
kernel_report(struct kernel *k, struct kernel_thread *kt)
{
	const struct cipher_state *cs;
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
	cs = k->k_object->ko_key();
	ledger_install(k->k_ledger, k->k_core, cs->cs_raw,
	    uint128_make(ctr[1], ctr[0]));
	if (kt->kt_reseeding)
		ledger_reseed_end(k->k_ledger, k->k_core);
	kt->kt_reseeding = false;
}

static void
kh_key_set(void *self, void *state, const void *key)
{
	struct kernel *k = self;
	struct cipher_state *cs = state;
	struct slot *sl = slot_of_kind(k, &cs->cs_ref, true), *old = NULL;
	struct kernel_thread *kt = kernel_thread_of(k);

	if (k->k_ledger != NULL && is_core(k, state))
		note_key(k, kt);
	kt->kt_drained = false;
	if (sl == NULL || copies_of(sl) > 1) {
		old = sl;
		sl = slot_get(k, kt, true);
		sl->sl_pool = SLOT_KEY;
		if (sl->sl_key == NULL && cipher_key_new(&sl->sl_key,
		    k->k_generator.g_cipher) != 0)
			no_memory(k);
	}
	cipher_key_set(sl->sl_key, key);
	memcpy(cs->cs_raw, key, sizeof(cs->cs_raw));
	bind(k, kt, sl, &cs->cs_ref);
	machine_charge(COST_KEY_SET, 1);
	if (old != NULL)
		slot_put(kt, old);
}

/* With the thread's own cipher: the object was not made here, or is shared. */
static void
keystream_alone(struct kernel *k, const struct cipher_state *cs,
    uint128_t *ctr, void *out, size_t n)
{
	struct kernel_thread *kt = kernel_thread_of(k);

	if (kt->kt_key == NULL && cipher_key_new(&kt->kt_key,
	    k->k_generator.g_cipher) != 0)
		no_memory(k);
	cipher_key_set(kt->kt_key, cs->cs_raw);
	cipher_keystream_cut(kt->kt_key, ctr, out, n);
	cipher_key_wipe(kt->kt_key);
}

/* The range that has p; or a place for a new one. */
static struct ahead *
ahead_of(struct kernel *k, const void *p)
{
	unsigned i;

	for (i = 0; i < KERNEL_AHEAD_MAX && k->k_ahead[i].ah_bytes > 0; i++)
		if ((uintptr_t)p - (uintptr_t)k->k_ahead[i].ah_at <
		    k->k_ahead[i].ah_bytes)
			return (&k->k_ahead[i]);
	return (&k->k_ahead[i < KERNEL_AHEAD_MAX ? i :
	    k->k_aheads++ % KERNEL_AHEAD_MAX]);
}

/* The lineage of what a source stores goes with it to who copies it. */
static void
keep_lineage(struct kernel *k, const void *out, size_t n)
{
	const uint64_t lineage = ledger_lineage(k->k_ledger);

	kernel_tables_take(k);
	*ahead_of(k, out) = (struct ahead){ out, n, lineage };
	kernel_tables_drop(k);
}

static void
take_lineage(struct kernel *k, const void *from)
{
	const struct ahead *ah;
	uint64_t lineage = 0;

	kernel_tables_take(k);
	ah = ahead_of(k, from);
	if ((uintptr_t)from - (uintptr_t)ah->ah_at < ah->ah_bytes)
		lineage = ah->ah_lineage;
	kernel_tables_drop(k);
	if (lineage != 0)
		ledger_set_lineage(k->k_ledger, lineage);
}

static uint64_t
kh_keystream(void *self, void *state, uint64_t lo, uint64_t hi, void *out,
    size_t n)
{
	struct kernel *k = self;
	struct cipher_state *cs = state;
	struct slot *sl = slot_of_kind(k, &cs->cs_ref, true);
	uint128_t ctr = uint128_make(hi, lo);

	/* Threads with copies of one key may use them at the same time. */
	if (sl != NULL && copies_of(sl) == 1) {
		cipher_keystream_cut(sl->sl_key, &ctr, out, n);
	} else if (sl != NULL && atomic_exchange_explicit(&sl->sl_busy, 1,
	    memory_order_acquire) == 0) {
		cipher_keystream_cut(sl->sl_key, &ctr, out, n);
		atomic_store_explicit(&sl->sl_busy, 0, memory_order_release);
	} else {
		keystream_alone(k, cs, &ctr, out, n);
	}
	machine_charge(COST_KEYSTREAM, n);
	if (k->k_ledger != NULL && kernel_is_variable(k, out))
		keep_lineage(k, out, n);
	return (uint128_lo(ctr) - lo);
}

static const void *
kh_key_get(void *self, void *state)
{
	(void)self;
	return (((struct cipher_state *)state)->cs_raw);
}

/* A pool stays, as hashes are cleared when they are finished. */
static void
kh_clearing(void *self, void *p)
{
	struct kernel *k = self;
	struct slot *sl = slot_of(k, p);

	if (sl == NULL || sl->sl_pool >= 0)
		return;
	((struct ref *)p)->r_tag = 0;
	slot_put(kernel_thread_of(k), sl);
}

static void
kh_copying(void *self, void *to, const void *from, size_t n)
{
	struct kernel *k = self;
	struct slot *sl;

	if (k->k_ledger != NULL && kernel_is_variable(k, from))
		take_lineage(k, from);
	if (n < KERNEL_CIPHER_STATE)
		return;
	sl = slot_of(k, from);
	if (sl != NULL)
		atomic_fetch_add(&sl->sl_copies, 1);
	kh_clearing(k, to);
}

void
kernel_slots_end(struct kernel *k, void *p, size_t n)
{
	for (size_t i = 0; i + sizeof(struct ref) <= n; i += sizeof(uint64_t))
		kh_clearing(k, (uint8_t *)p + i);
}

/* The pool there, also where the source has cleared it. */
static struct slot *
pool_at(struct kernel *k, const void *state)
{
	for (unsigned i = 0; i < k->k_slots; i++)
		if (k->k_slot[i].sl_at == state)
			return (&k->k_slot[i]);
	return (NULL);
}

/* Pools are the hashes among the source's variables, in the order of boot. */
static struct slot *
hash_slot(struct kernel *k, void *state, const struct hash *hash)
{
	const bool variable = kernel_is_variable(k, state);
	struct slot *sl = variable ? pool_at(k, state) : NULL;

	if (sl == NULL)
		sl = slot_get(k, kernel_thread_of(k), false);
	if (sl->sl_hashes && sl->sl_digest.dg_hash != hash) {
		digest_fini(&sl->sl_digest);
		sl->sl_hashes = false;
	}
	if (hash->ha_state != HASH_READY || (!sl->sl_hashes &&
	    digest_init_as(&sl->sl_digest, hash) != 0))
		no_memory(k);
	sl->sl_hashes = true;
	if (sl->sl_at != NULL)
		return (sl);
	sl->sl_pool = SLOT_HASH;
	if (variable && k->k_pools < KERNEL_POOLS_MAX) {
		sl->sl_pool = (int)k->k_pools++;
		sl->sl_at = state;
	}
	return (sl);
}

static void
kh_hash_init(void *self, void *state, unsigned bytes)
{
	struct kernel *k = self;
	struct slot *sl = slot_of_kind(k, state, false);

	if (sl == NULL) {
		sl = hash_slot(k, state, bytes == KERNEL_HASH_BYTES ?
		    k->k_sha256 : k->k_blake2b);
		bind(k, kernel_thread_of(k), sl, state);
	}
	digest_reset(&sl->sl_digest);
}

static struct slot *
hash_begun(struct kernel *k, const void *state)
{
	struct slot *sl = slot_of_kind(k, state, false);

	if (sl == NULL || copies_of(sl) > 1)
		kernel_stop(k, &(struct kernel_site){ __FILE__, __LINE__ },
		    "a hash that was not begun, or was copied");
	return (sl);
}

static void
kh_hash_add(void *self, void *state, const void *data, size_t n)
{
	struct kernel *k = self;
	struct slot *sl = hash_begun(k, state);
	struct kernel_thread *kt;

	digest_update(&sl->sl_digest, data, n);
	if (sl->sl_pool < 0)
		return;
	digest_prepare(&sl->sl_digest);
	kt = kernel_thread_of(k);
	/* An event comes in two parts; its cost is of both together. */
	machine_charge(kt->kt_absorbed == 0 ? COST_ABSORB : COST_ABSORB_MORE,
	    n);
	kt->kt_pool = sl->sl_pool;
	kt->kt_absorbed += n;
}

static void
kh_hash_finish(void *self, void *state, void *out)
{
	struct kernel *k = self;
	struct slot *sl = hash_begun(k, state);
	struct kernel_thread *kt = kernel_thread_of(k);

	digest_finish(&sl->sl_digest, out);
	/* What a reseed does with pools is in the cost of their digests. */
	if (sl->sl_pool >= 0 || !kt->kt_drained)
		machine_charge(COST_DIGEST, 1);
	if (sl->sl_pool < 0) {
		digest_reset(&sl->sl_digest);
		kh_clearing(k, state);
		return;
	}
	kt->kt_drained = true;
	if (k->k_ledger != NULL)
		ledger_pool(k->k_ledger, k->k_core, (unsigned)sl->sl_pool,
		    LEDGER_UNCOUNTED);
}

int
kernel_slots_init(struct kernel *k)
{
	static _Atomic uint64_t made;
	const bool stub = cipher_is_stub(k->k_generator.g_cipher);
	uint64_t number = atomic_fetch_add(&made, 1);

	k->k_slots = SLOTS_EACH * k->k_threads + SLOTS_MORE +
	    generator_places(&k->k_params);
	k->k_slot = generator_alloc(k->k_slots * sizeof(*k->k_slot));
	if (k->k_slot == NULL)
		return (ENOMEM);
	/* A stack may have objects of an earlier generator. */
	for (unsigned i = 0; i < k->k_threads; i++)
		k->k_thread[i].kt_tag = (uint64_t)i << 53 |
		    (number & 0x1fffff) << 32;
	k->k_sha256 = stub ? hash_stub() : hash_sha256();
	k->k_blake2b = stub ? hash_stub() : hash_find("blake2b-512");
	return (0);
}

void
kernel_slots_fini(struct kernel *k)
{
	struct slot *sl;

	for (unsigned i = 0; k->k_slot != NULL && i < k->k_slots; i++) {
		sl = &k->k_slot[i];
		cipher_key_free(sl->sl_key);
		if (sl->sl_hashes)
			digest_fini(&sl->sl_digest);
	}
	for (unsigned i = 0; k->k_thread != NULL && i < k->k_threads; i++)
		cipher_key_free(k->k_thread[i].kt_key);
	free(k->k_slot);
}

void
kernel_host_ciphers(struct kernel_host *kh)
{
	kh->kh_key_set = kh_key_set;
	kh->kh_keystream = kh_keystream;
	kh->kh_key_get = kh_key_get;
	kh->kh_hash_init = kh_hash_init;
	kh->kh_hash_add = kh_hash_add;
	kh->kh_hash_finish = kh_hash_finish;
	kh->kh_copying = kh_copying;
	kh->kh_clearing = kh_clearing;
}
