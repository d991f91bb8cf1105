/*
 * Ciphers, and what a core's keys are made of.
 *
 * A key is where the source has it; a thread keeps ciphers that are set up for
 * the keys that it used last.
 */
#include "lib/kern/impl.h"

void
kern_no_memory(struct kernel *k)
{
#ifdef MACHINE_VIRTUAL
	/* No fault of the source. */
	if (vm_running_machine != NULL)
		vm_abort(ENOMEM);
#endif
	kernel_stop(k, KERN_HERE, "no memory for a cipher or a hash, or "
	    "libcrypto or libgcrypt lacks BLAKE2");
}

void
kern_core_begin(struct kernel *k)
{
	const struct kernel_above *ka = k->k_params.kp_above;
	struct ledger_core_rule lu;

	if (k->k_core_key == NULL || k->k_cored)
		return;
	lu = ka->ka_core_rule(k->k_params.kp_above_arg, k->k_pools);
	k->k_core = ledger_core(k->k_params.kp_ledger, &lu);
	k->k_cored = true;
}

void
kern_take_seed(struct kern_thread *kt, const uint8_t *out)
{
	if (kt->kt_seeds < nitems(kt->kt_seed))
		memcpy(&kt->kt_seed[kt->kt_seeds++], out, sizeof(uint64_t));
}

/* Which of the seeds that a thread took begins as p; kt_seeds: none. */
static unsigned
seed_at(const struct kern_thread *kt, const void *p)
{
	uint64_t first;
	unsigned i = 0;

	memcpy(&first, p, sizeof(first));
	while (i < kt->kt_seeds && kt->kt_seed[i] != first)
		i++;
	return (i);
}

void
kern_use_seed(struct kern_thread *kt, const uint8_t *data, size_t n)
{
	unsigned i;

	for (; n >= KERN_KEY_BYTES; n -= KERN_KEY_BYTES,
	    data += KERN_KEY_BYTES) {
		i = seed_at(kt, data);
		if (i < kt->kt_seeds)
			kt->kt_seed[i] = kt->kt_seed[--kt->kt_seeds];
	}
}

/* A reseed ends with the first key after pools, or one with an event in it. */
static void
note_core_key(struct kernel *k, struct kern_thread *kt, const void *key_at,
    const void *key)
{
	const bool counted = k->k_core_counter != NULL;
	struct ledger *lg = k->k_params.kp_ledger;

	kt->kt_installed = true;
	kt->kt_locked = kt->kt_held > 0;
	kt->kt_away = key_at != kern_core_key(k);
	memcpy(kt->kt_key_set, key, KERN_KEY_BYTES);
	if (!kt->kt_drained && !kt->kt_delivering)
		return;
	kern_use_seed(kt, key, KERN_KEY_BYTES);
	if (counted && kt->kt_seeds > 0)
		ledger_seed_unused(lg, k->k_core);
	kt->kt_reseeding = true;
	kt->kt_mixed = !kt->kt_drained;
	/* What the source decided by; its clock may step. */
	if (kt->kt_drained)
		ledger_drain(lg, k->k_core, counted ? kt->kt_now_ns : 0,
		    counted && !k->k_params.kp_unpaced);
	ledger_reseed_begin(lg, k->k_core);
}

void
kern_report(struct kernel *k, struct kern_thread *kt)
{
	const bool counted = k->k_core_counter != NULL;
	struct ledger *lg = k->k_params.kp_ledger;
	bool there;

	if (kt->kt_absorbed > 0 || kt->kt_mixed) {
		/* Fortuna's come in two parts. */
		for (unsigned i = 0; i < (counted && kt->kt_parts > 2 ? 2 : 1);
		    i++)
			ledger_event(lg, k->k_core, kt->kt_mixed ? 0 :
			    (unsigned)kt->kt_pool, kt->kt_absorbed);
		kt->kt_absorbed = 0;
		kt->kt_parts = 0;
		kt->kt_mixed = false;
	}
	/* One that is made elsewhere comes there later. */
	if (!kt->kt_installed)
		return;
	there = memcmp(kern_core_key(k), kt->kt_key_set, KERN_KEY_BYTES) == 0;
	if (kt->kt_away && !there)
		return;
	kt->kt_installed = kt->kt_away = false;
	wipe(kt->kt_key_set, KERN_KEY_BYTES);
	/* Under a lock of the source's own K and C may have moved on. */
	if (counted && kt->kt_locked && there)
		ledger_install(lg, k->k_core, kern_core_key(k),
		    kern_core_counter(k));
	if (kt->kt_reseeding)
		ledger_reseed_end(lg, k->k_core);
	kt->kt_reseeding = false;
}

/* Whether both have a byte; a may have none. */
static bool
overlap(const uint8_t *a, size_t a_bytes, const void *b, size_t b_bytes)
{
	return ((uintptr_t)b - (uintptr_t)a < a_bytes || (a_bytes > 0 &&
	    (uintptr_t)a - (uintptr_t)b < b_bytes));
}

/* A range that has some of n bytes at p; NULL: none. */
static struct ahead *
ahead_of(struct kernel *k, const void *p, size_t n)
{
	for (unsigned i = 0; i < k->k_aheads && i < KERN_AHEAD_MAX; i++)
		if (overlap(k->k_ahead[i].ah_at, k->k_ahead[i].ah_bytes, p, n))
			return (&k->k_ahead[i]);
	return (NULL);
}

/* A source begins to make what it stores. */
static struct raced *
ahead_begin(struct kernel *k, const void *out, size_t n)
{
	const uint64_t lineage = ledger_lineage(k->k_params.kp_ledger);
	struct raced *ra = NULL;
	struct ahead *ah;

	kern_tables_take(k);
	if (k->k_ahead == NULL)
		k->k_ahead = xmalloc(KERN_AHEAD_MAX * sizeof(*ah));
	if ((ah = ahead_of(k, out, 1)) != NULL)
		ra = ah->ah_raced;
	else
		ah = &k->k_ahead[k->k_aheads++ % KERN_AHEAD_MAX];
	if (ra == NULL && n <= 2 * KERN_KEY_BYTES &&
	    k->k_raceds < nitems(k->k_raced) && vm_explores())
		ra = &k->k_raced[k->k_raceds++];
	*ah = (struct ahead){ out, n, lineage, ra };
	kern_tables_drop(k);
	if (ra != NULL)
		atomic_store_32(&ra->ra_version, ra->ra_made |= 1);
	return (ra);
}

static void
ahead_end(struct kernel *k, struct raced *ra)
{
	const unsigned i = ((ra->ra_made | 1) + 1) / 2 % KERN_RACED_PAST;

	ra->ra_made = (ra->ra_made | 1) + 1;
	ra->ra_past[i].lineage = ledger_lineage(k->k_params.kp_ledger);
	ra->ra_past[i].mark = vm_mark();
	atomic_store_32(&ra->ra_version, ra->ra_made);
}

void
kern_overwritten(struct kern_thread *kt, const void *p, size_t n)
{
	if (overlap(kt->kt_unseen, kt->kt_unseen_bytes, p, n))
		kt->kt_unseen_bytes = 0;
}

/*
 * The lineage of what a source stores goes with it to who copies it.  Returns:
 * the thread need not see what it copies, or not all of it.
 */
static bool
take_ahead(struct kernel *k, const void *from, size_t n)
{
	const struct ahead *ah;
	uint64_t lineage = 0;
	struct raced *ra = NULL;
	uint32_t made = 0;
	unsigned i = 0;

	kern_tables_take(k);
	if ((ah = ahead_of(k, from, n)) != NULL) {
		lineage = ah->ah_lineage;
		ra = ah->ah_raced;
	}
	kern_tables_drop(k);
	if (ra != NULL) {
		made = atomic_load_32(&ra->ra_version);
		i = made / 2 % KERN_RACED_PAST;
		lineage = ra->ra_past[i].lineage;
	}
	if (lineage != 0)
		ledger_set_lineage(k->k_params.kp_ledger, lineage);
	return (ra != NULL && (made % 2 != 0 || !vm_sees(ra->ra_past[i].mark)));
}

/* What is copied may be looked at again, and dropped, but not used. */
void
kern_check_seen(struct kernel *k, struct kern_thread *kt, const void *p,
    size_t n)
{
	if (!overlap(kt->kt_unseen, kt->kt_unseen_bytes, p, n))
		return;
	kt->kt_unseen_bytes = 0;
	ledger_kernel(k->k_params.kp_ledger, LEDGER_TORN, "a seed is used that "
	    "was copied while another thread made it, or without a release and "
	    "an acquire between");
}

/* The core's key is there; under a lock of the source's own it is used now. */
static void
arrived(struct kernel *k, struct kern_thread *kt)
{
	if (kt->kt_installed && !kt->kt_away && kt->kt_held == 0)
		kern_report(k, kt);
}

/* Keys are about to be copied; the core's may be made elsewhere first. */
static void
copying(struct kernel *k, void *to, const void *from, size_t n)
{
	struct kern_thread *kt = kern_thread_of(k);
	bool unseen = overlap(kt->kt_unseen, kt->kt_unseen_bytes, from, n);

	kern_keys_copy(k, to, from, n);
	if (kern_is_shared(k, from))
		unseen |= take_ahead(k, from, n);
	kern_overwritten(kt, to, n);
	if (unseen) {
		kt->kt_unseen = to;
		kt->kt_unseen_bytes = n;
	}
	if (kt->kt_away && (uintptr_t)kern_core_key(k) - (uintptr_t)to < n) {
		kt->kt_away = false;
		arrived(k, kt);
	}
}

void
host_key_set(struct kernel *k, void *to, const void *key)
{
	struct kern_thread *kt = kern_thread_of(k);

	kt->kt_touched = kt->kt_unlooked = true;
	kern_check_seen(k, kt, key, KERN_KEY_BYTES);
	/* Or a reseed has made it, wherever it puts it. */
	if (k->k_cored && (to == kern_core_key(k) || (kt->kt_drained &&
	    seed_at(kt, key) < kt->kt_seeds)))
		note_core_key(k, kt, to, key);
	kern_secret(k, KERN_SECRET_KEY, key, KERN_KEY_BYTES);
	kt->kt_drained = false;
	kt->kt_seeds = 0;
	if (k->k_keys != NULL)
		kern_keys_set(k, to, key, false);
	memmove(to, key, KERN_KEY_BYTES);
	arrived(k, kt);
	machine_charge(COST_KEY_SET, 1);
}

/* The thread's cipher with that key. */
static struct cipher_key *
keyed(struct kernel *k, struct kern_thread *kt, const uint8_t *key)
{
	struct cipher_key *ck = &kt->kt_cipher[kt->kt_recent];

	if (memcmp(ck->ck_raw, key, KERN_KEY_BYTES) == 0 &&
	    ck->ck_cipher != NULL)
		return (ck);
	/* The other one, or the one that was used longest ago. */
	kt->kt_recent = !kt->kt_recent;
	ck = &kt->kt_cipher[kt->kt_recent];
	if (ck->ck_cipher == NULL &&
	    cipher_key_init(ck, k->k_params.kp_cipher) != 0)
		kern_no_memory(k);
	if (memcmp(ck->ck_raw, key, KERN_KEY_BYTES) != 0)
		cipher_key_set(ck, key);
	return (ck);
}

/* cipher_keystream() for any n with any cipher. */
static void
keystream_cut(struct cipher_key *ck, uint128_t *ctr, uint8_t *out, size_t n)
{
	const size_t block_bytes = ck->ck_cipher->ci_block_bytes;
	uint8_t block[CIPHER_BLOCK_MAX_BYTES];
	const size_t cut = ck->ck_cipher->ci_whole_blocks ? n % block_bytes : 0;

	if (n > cut)
		cipher_keystream(ck, ctr, out, n - cut);
	if (cut == 0)
		return;
	cipher_keystream(ck, ctr, block, block_bytes);
	memcpy(out + n - cut, block, cut);
	wipe(block, sizeof(block));
}

/* What is kept is used in parts, also as keys: a stub's has no gaps. */
static void
generate(const struct kernel *k, struct cipher_key *ck, uint128_t *ctr,
    uint8_t *out, size_t n)
{
	size_t part = n;

	if (n > CIPHER_STUB_BYTES && cipher_is_stub(k->k_params.kp_cipher) &&
	    kern_is_shared(k, out))
		part = CIPHER_STUB_BYTES;
	for (; n > part; n -= part, out += part)
		keystream_cut(ck, ctr, out, part);
	keystream_cut(ck, ctr, out, n);
}

uint64_t
host_keystream(struct kernel *k, const void *key, uint64_t lo, uint64_t hi,
    void *out, size_t n)
{
	const struct kernel_params *kp = &k->k_params;
	const unsigned block = kp->kp_cipher->ci_block_bytes;
	const size_t end = MIN(n, 2 * KERN_KEY_BYTES);
	struct kern_thread *kt = kern_thread_of(k);
	struct cipher_key *ck = keyed(k, kt, key);
	struct raced *ra = NULL;
	uint128_t ctr = uint128_make(hi, lo);

	kt->kt_touched = kt->kt_unlooked = true;
	if (MACHINE_SIMULATED && k->k_keys != NULL)
		kern_keys_used(k, key);
	if (kp->kp_ledger != NULL)
		ledger_use(kp->kp_ledger, ck->ck_raw, ctr, n / block +
		    (n % block != 0));
	if (kp->kp_ledger != NULL && kern_is_shared(k, out))
		ra = ahead_begin(k, out, n);
	generate(k, ck, &ctr, out, n);
	kern_overwritten(kt, out, n);
	if (ra != NULL)
		ahead_end(k, ra);
	/* Both ends of it are looked for later. */
	if (k->k_secrets != NULL) {
		kern_secret(k, KERN_SECRET_STREAM, out, end);
		kern_secret(k, KERN_SECRET_STREAM, (uint8_t *)out + n - end,
		    end);
	}
	if (!ck->ck_loop)
		machine_charge(COST_KEYSTREAM, n);
	return (uint128_lo(ctr) - lo);
}

void
host_clearing(struct kernel *k, void *p, size_t n)
{
	if (k->k_keys != NULL)
		kern_keys_clear(k, p, n);
	kern_overwritten(kern_thread_of(k), p, n);
	if (MACHINE_SIMULATED && (uintptr_t)k->k_seed_at - (uintptr_t)p < n)
		machine_touch(k->k_seed_at, 1);
#ifdef MACHINE_VIRTUAL
	/*
	 * A copy of a key, which is on the caller's stack.  What lies beside
	 * that, as a heap may, differs from run to run.
	 */
	if (n >= 2 * KERN_KEY_BYTES && vm_on_stack(p))
		machine_charge(COST_WIPE, 1);
#endif
}

void
host_copying(struct kernel *k, void *to, const void *from, size_t n)
{
	if (k->k_keys != NULL)
		copying(k, to, from, n);
}

void
host_assigning(struct kernel *k, void *p, size_t n, bool store)
{
	struct kern_thread *kt = kern_thread_of(k);

	if (k->k_keys == NULL)
		return;
	if (kt->kt_range == NULL || kt->kt_range_bytes != n ||
	    kt->kt_range_store == store) {
		kt->kt_range = p;
		kt->kt_range_bytes = n;
		kt->kt_range_store = store;
		return;
	}
	copying(k, store ? p : (void *)(uintptr_t)kt->kt_range,
	    store ? kt->kt_range : p, n);
	kt->kt_range = NULL;
}
