/*
 * Hashes.
 *
 * A hash of the source begins with the tag of a slot, in which the program has
 * it, its address, and the slot's number.
 */
#include "lib/kern/impl.h"

enum {
	SLOTS_MORE	= 64,		/* beside each thread's */
	SLOTS_EACH	= 4
};

/* How the source's hash begins. */
struct hash_ref {
	uint64_t	 hr_tag;
	uint64_t	 hr_at;		/* where it began; elsewhere: a copy */
	uint64_t	 hr_slot;	/* from 1 */
} __attribute__((packed, may_alias));

CTASSERT(sizeof(struct hash_ref) <= KERN_HASH_STATE);
CTASSERT(KERN_POOLS_MAX <= INT8_MAX);

/* C11's atomics: no kernel has these slots.  Free ones keep an empty hash. */
struct hash_slot {
	_Alignas(MACHINE_CACHE_LINE) _Atomic uint32_t hsl_used;
	int8_t		 hsl_pool;	/* its number; -1: none */
	bool		 hsl_heap;	/* in malloc(9)'s memory */
	bool		 hsl_taken;	/* a pool that is to begin anew */
	bool		 hsl_left;	/* by a pool, for a copy of it */
	uint8_t		 hsl_bytes;	/* of the source's result */
	_Atomic uint64_t hsl_tag;	/* of the hash that has it; 0: none */
	struct digest	 hsl_digest;
};

/* p: a reference or any memory, read in place: copies on stacks are found. */
static inline struct hash_slot *
slot_of(struct kernel *k, const void *p, bool copied)
{
	struct hash_slot *sl;
	const struct hash_ref *r = p;

	if (r->hr_slot - 1 >= k->k_slots || r->hr_tag == 0 ||
	    (r->hr_at != KERN_HASH_AT(p)) != copied)
		return (NULL);
	sl = &k->k_slot[r->hr_slot - 1];
	return (atomic_load_explicit(&sl->hsl_tag, memory_order_relaxed) ==
	    r->hr_tag ? sl : NULL);
}

/* A hash ends: its slot is free, or the thread keeps it. */
static void
slot_put(struct kernel *k, struct kern_thread *kt, struct hash_slot *sl)
{
	if (sl->hsl_heap)
		k->k_heap_hashes--;
	sl->hsl_heap = false;
	atomic_store_explicit(&sl->hsl_tag, 0, memory_order_relaxed);
	if (kt->kt_spare == NULL)
		kt->kt_spare = sl;
	else
		atomic_store_explicit(&sl->hsl_used, 0, memory_order_release);
}

static struct hash_slot *
slot_get(struct kernel *k, struct kern_thread *kt)
{
	struct hash_slot *sl = kt->kt_spare;
	unsigned at = atomic_load_explicit(&k->k_slots_looked,
	    memory_order_relaxed);
	uint32_t none;

	kt->kt_spare = NULL;
	if (sl != NULL)
		return (sl);
	for (unsigned i = 0; i < k->k_slots; i++) {
		at = at < k->k_slots ? at : 0;
		sl = &k->k_slot[at++];
		atomic_store_explicit(&k->k_slots_looked, at,
		    memory_order_relaxed);
		none = 0;
		if (atomic_load_explicit(&sl->hsl_used,
		    memory_order_relaxed) == 0 &&
		    atomic_compare_exchange_strong(&sl->hsl_used, &none, 1))
			return (sl);
	}
	kernel_stop(k, KERN_HERE, "no room for another hash: hashes are begun "
	    "and not finished");
}

/* Makes a slot's digest one of that hash.  Returns: it is new, so empty. */
static bool
slot_make(struct kernel *k, struct hash_slot *sl, const struct hash *hash)
{
	if (sl->hsl_digest.dg_hash == hash)
		return (false);
	digest_fini(&sl->hsl_digest);
	if (hash->ha_state != HASH_READY ||
	    digest_init(&sl->hsl_digest, hash) != 0)
		kern_no_memory(k);
	return (true);
}

/* A slot for what is at state; pools keep theirs, in the order of boot. */
static struct hash_slot *
slot_for(struct kernel *k, struct kern_thread *kt, const void *state)
{
	const bool shared = kern_is_shared(k, state);
	struct hash_slot *sl;

	for (unsigned i = 0; shared && i < k->k_pools &&
	    (uintptr_t)state <= k->k_pool_last; i++)
		if (k->k_pool_at[i] == state)
			return (k->k_pool[i]);
	sl = slot_get(k, kt);
	/* What is on a stack ends with its function, finished or not. */
	sl->hsl_heap = shared && kern_in_heap(k, state);
	if (sl->hsl_heap)
		k->k_heap_hashes++;
	sl->hsl_pool = -1;
	if (shared && !kt->kt_writes && k->k_pools < KERN_POOLS_MAX) {
		sl->hsl_pool = (int8_t)k->k_pools;
		k->k_pool_at[k->k_pools] = state;
		k->k_pool_last = MAX(k->k_pool_last, (uintptr_t)state);
		k->k_pool[k->k_pools++] = sl;
	}
	return (sl);
}

/* A pool that a reseed takes; what a copy gives is owed to the next key. */
static void
pool_taken(struct kernel *k, struct kern_thread *kt, struct hash_slot *sl,
    const struct hash_slot *copy)
{
	const uint64_t tag = copy == NULL ? 0 : copy->hsl_tag;

	sl->hsl_taken = true;
	kt->kt_drained = kt->kt_touched = kt->kt_unlooked = true;
	if (copy != NULL)
		kern_take_seed(kt, (const uint8_t *)&tag);
	if (k->k_cored)
		ledger_pool(k->k_params.kp_ledger, k->k_core,
		    (unsigned)sl->hsl_pool);
}

/* A slot in which what is at state begins, or goes on as a copy. */
static struct hash_slot *
slot_begin(struct kernel *k, struct kern_thread *kt, void *state)
{
	struct hash_slot *const had = slot_of(k, state, false);
	struct hash_slot *left, *sl = had != NULL ? had :
	    slot_for(k, kt, state);
	struct hash_ref *r = state;

	/* A pool that was not finished was copied: the copy has its slot. */
	if (sl->hsl_pool >= 0 && !sl->hsl_taken && sl->hsl_tag != 0 &&
	    k->k_booted) {
		left = sl;
		pool_taken(k, kt, left, left);
		sl = slot_get(k, kt);
		sl->hsl_heap = left->hsl_heap;
		sl->hsl_pool = left->hsl_pool;
		k->k_pool[sl->hsl_pool] = sl;
		left->hsl_left = true;
		left->hsl_heap = false;
		left->hsl_pool = -1;
	}
	sl->hsl_taken = sl->hsl_left = false;
	if (sl != had)
		*r = (struct hash_ref){ ++kt->kt_tag, KERN_HASH_AT(state),
		    (uint64_t)(sl - k->k_slot) + 1 };
	atomic_store_explicit(&sl->hsl_tag, r->hr_tag, memory_order_relaxed);
	return (sl);
}

void
host_hash_init(struct kernel *k, void *state, enum kern_hash hash,
    const void *key)
{
	struct hash_slot *sl = slot_begin(k, kern_thread_of(k), state);
	const bool stub = cipher_is_stub(k->k_params.kp_cipher);
	const bool own = sl->hsl_pool < 0 || k->k_params.kp_pool_hash == NULL;
	bool made;

	sl->hsl_bytes = hash == KERN_BLAKE2B ? 64 : 32;
	made = slot_make(k, sl, stub ? &hash_stub : !own ?
	    k->k_params.kp_pool_hash : key != NULL ? k->k_keyed :
	    k->k_hash[hash]);
	if (key != NULL && own && !stub) {
		digest_key(&sl->hsl_digest, key);
		return;
	}
	if (!made)
		digest_reset(&sl->hsl_digest);
	if (key != NULL)
		digest_update(&sl->hsl_digest, key, BLAKE2S_KEY_BYTES);
}

/* The slot of a hash that has begun; the first use of a copy makes its own. */
static struct hash_slot *
hash_begun(struct kernel *k, struct kern_thread *kt, void *state)
{
	struct hash_slot *sl = slot_of(k, state, false), *from;

	if (sl != NULL)
		return (sl);
	from = slot_of(k, state, true);
	if (from == NULL)
		kernel_stop(k, KERN_HERE, "a hash that was not begun, or was "
		    "copied and has ended");
	if (from->hsl_left) {
		((struct hash_ref *)state)->hr_at = KERN_HASH_AT(state);
		from->hsl_left = false;
		return (from);
	}
	sl = slot_begin(k, kt, state);
	if (from->hsl_pool >= 0 && sl->hsl_pool < 0)
		pool_taken(k, kt, from, sl);
	sl->hsl_bytes = from->hsl_bytes;
	(void)slot_make(k, sl, from->hsl_digest.dg_hash);
	digest_copy(&sl->hsl_digest, &from->hsl_digest);
	return (sl);
}

void
host_hash_add(struct kernel *k, void *state, const void *data, size_t n)
{
	struct kern_thread *kt = kern_thread_of(k);
	struct hash_slot *sl = hash_begun(k, kt, state);
	const struct hash_ref *r = state;

	kern_check_seen(k, kt, data, n);
	digest_update(&sl->hsl_digest, data, n);
	kt->kt_hashed += n;
	if (sl->hsl_pool < 0) {
		if (kt->kt_seeds > 0)
			kern_use_seed(kt, data, n);
		return;
	}
	/* Boot entropy comes while the kernel boots. */
	kern_core_begin(k);
	digest_prepare(&sl->hsl_digest);
	/* An event comes in two parts; its cost is of both together. */
	machine_charge(kt->kt_absorbed == 0 ? COST_ABSORB : COST_ABSORB_MORE,
	    n);
	if (sl->hsl_taken)
		ledger_kernel(k->k_params.kp_ledger, LEDGER_POOLS, "pool %d "
		    "takes an event, but did not begin anew after a reseed",
		    sl->hsl_pool);
	if (k->k_booted)
		kern_secret(k, KERN_SECRET_STATE, r, 2 * sizeof(r->hr_at));
	if (__builtin_expect(kt->kt_bare, 0) && kern_locked(kt))
		kernel_stop(k, KERN_HERE, "random_harvest_healthtest() was "
		    "called without the lock under which a pool takes the "
		    "event: two threads count at once");
	kt->kt_unlooked = true;
	kt->kt_pool = sl->hsl_pool;
	kt->kt_absorbed += n;
	kt->kt_parts++;
}

/* Another hash than the source's has another length. */
static void
finish(struct hash_slot *sl, uint8_t *out)
{
	const unsigned n = digest_bytes(&sl->hsl_digest);
	uint8_t made[HASH_BYTES_MAX];

	digest_finish(&sl->hsl_digest, made);
	memset(out, 0, sl->hsl_bytes);
	for (unsigned i = 0; n > 0 && i < sl->hsl_bytes; i += n)
		memcpy(out + i, made, MIN(n, sl->hsl_bytes - i));
	wipe(made, sizeof(made));
}

void
host_hash_finish(struct kernel *k, void *state, void *out)
{
	struct kern_thread *kt = kern_thread_of(k);
	struct hash_slot *sl = hash_begun(k, kt, state);
	const uint64_t owed[KERN_KEY_BYTES / 8] = { sl->hsl_tag };

	finish(sl, out);
	kern_overwritten(kt, out, sl->hsl_bytes);
	/* The kernel's has cleared its state. */
	sl->hsl_tag = ((struct hash_ref *)state)->hr_tag = ++kt->kt_tag;
	/* What a reseed does with pools is in the cost of their digests. */
	if (sl->hsl_pool >= 0 || !kt->kt_drained)
		machine_charge(COST_DIGEST, 1);
	if (sl->hsl_pool < 0) {
		digest_reset(&sl->hsl_digest);
		slot_put(k, kt, sl);
		if (kt->kt_drained) {
			kern_use_seed(kt, (const uint8_t *)owed, sizeof(owed));
			kern_take_seed(kt, out);
			kern_secret(k, KERN_SECRET_SEED, out, sl->hsl_bytes);
		} else if (kt->kt_writes)
			kern_secret(k, KERN_SECRET_WRITTEN, out, sl->hsl_bytes);
		return;
	}
	kern_secret(k, KERN_SECRET_POOL, out, sl->hsl_bytes);
	kern_take_seed(kt, out);
	if (MACHINE_SIMULATED && sl->hsl_pool == 0 && !kern_in_heap(k, out))
		machine_touch(k->k_seed_at = out, 1);
	pool_taken(k, kt, sl, NULL);
}

/* Pools stay. */
void
kern_hashes_end(struct kernel *k, void *p, size_t n)
{
	struct hash_slot *sl;

	for (size_t i = 0; i + sizeof(struct hash_ref) <= n;
	    i += sizeof(uint64_t)) {
		sl = slot_of(k, (uint8_t *)p + i, false);
		if (sl != NULL && sl->hsl_pool < 0)
			slot_put(k, kern_thread_of(k), sl);
	}
}

void
kern_hashes_init(struct kernel *k)
{
	static _Atomic uint64_t made;
	const unsigned threads = k->k_params.kp_lock_config.threads;
	const uint64_t number = atomic_fetch_add(&made, 1);

	k->k_slots = SLOTS_EACH * threads + SLOTS_MORE;
	k->k_slot = xaligned(_Alignof(struct hash_slot),
	    k->k_slots * sizeof(*k->k_slot));
	/* A stack may have hashes of an earlier kernel. */
	for (unsigned i = 0; i < threads; i++)
		k->k_thread[i].kt_tag = (uint64_t)(i + 1) << 53 |
		    (number & 0x1fffff) << 32;
	if (cipher_is_stub(k->k_params.kp_cipher))
		return;
	k->k_hash[KERN_SHA256] = hash_sha256();
	k->k_hash[KERN_BLAKE2B] = hash_find("blake2b-512");
	k->k_hash[KERN_BLAKE2S] = hash_find("blake2s-256");
	k->k_keyed = hash_blake2s_keyed();
}

void
kern_hashes_fini(struct kernel *k)
{
	for (unsigned i = 0; i < k->k_slots; i++)
		digest_fini(&k->k_slot[i].hsl_digest);
	free(k->k_slot);
}
