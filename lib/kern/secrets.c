/*
 * Secrets as bytes: keys, keystream, what keys are made of.  What a call leaves
 * of them on its stack is looked for when it returns; in the source's variables
 * and its heap, at the end.
 *
 * A secret is found by two words of it that follow each other, a pool's hash on
 * a stack by one.  Words are masked where a compiler may put them on a stack.
 */
#include "lib/kern/impl.h"

enum {
	SECRETS		= 512,
	SECRETS_SHIFT	= 64 - 9,
	SERVED_PART	= 256,	/* bytes of a read that are looked for */
	LINE_WORDS	= MACHINE_CACHE_LINE / sizeof(uint64_t),
	/* So many zeros below a frame were not used. */
	UNUSED_LINES	= 4096 / MACHINE_CACHE_LINE
};

#define	MASK	UINT64_C(0x5c5c6a09e667f3bc)

/* Where bytes are: in use, given to free(9), or given to a program. */
enum place { KEPT, FREED, SHOWN };

/* Masked words of a secret; next 0: one, looked for on stacks; both 0: none. */
struct secret {
	uint64_t	 sct_word, sct_next;
	enum kern_secret sct_kind;
};

static const char *const names[] = {
	[KERN_SECRET_KEY] = "a key", [KERN_SECRET_STREAM] = "keystream",
	[KERN_SECRET_SEED] = "a seed", [KERN_SECRET_POOL] = "a pool's digest",
	[KERN_SECRET_STATE] = "a copy of a pool's hash",
	[KERN_SECRET_WRITTEN] = "a digest of what was written"
};

typedef uint64_t __attribute__((may_alias, aligned(1))) word_t;
static inline uint64_t
masked(const word_t *p)
{
	uint64_t word = *p ^ MASK;

	__asm__("" : "+r"(word));
	return (word);
}

static inline struct secret *
place_of(const struct kernel *k, uint64_t word)
{
	return (&k->k_secrets[word * UINT64_C(0x9e3779b97f4a7c15) >>
	    SECRETS_SHIFT]);
}

void
kern_secrets_init(struct kernel *k)
{
	if (MACHINE_SIMULATED && k->k_params.kp_scans && k->k_keys != NULL &&
	    cipher_is_stub(k->k_params.kp_cipher))
		k->k_secrets = xcalloc(2 * SECRETS, sizeof(struct secret));
}

void
kern_secret(struct kernel *k, enum kern_secret kind, const void *bytes,
    size_t n)
{
	const word_t *p = bytes;
	struct secret *se;
	uint64_t word;

	if (k->k_secrets == NULL)
		return;
	for (size_t i = 0; i + 1 < n / sizeof(*p); i++) {
		word = masked(p + i);
		se = place_of(k, word);
		se->sct_word = word;
		se->sct_next = masked(p + i + 1);
		se->sct_kind = kind;
		/* A mask of both words does not change what they differ in. */
		se = place_of(k, word ^ se->sct_next) + SECRETS;
		se->sct_word = word ^ masked(p + i + 1);
		se->sct_next = word;
	}
	/* A compiler that copies a hash by words may put each elsewhere. */
	if (kind == KERN_SECRET_STATE)
		*place_of(k, masked(p + 1)) =
		    (struct secret){ masked(p + 1), 0, kind };
}

/* Two words of a secret, each under the same mask of 32 bits. */
static inline bool
is_disguised(const struct kernel *k, const word_t *p)
{
	const uint64_t both = p[0] ^ p[1], word = masked(p);
	const struct secret *se = place_of(k, both) + SECRETS;
	const uint64_t mask = word ^ se->sct_next;

	return (both >> 48 != 0 && se->sct_word == both && mask != 0 &&
	    mask >> 32 == (uint32_t)mask);
}

static inline const struct secret *
secret_at(const struct kernel *k, const word_t *p)
{
	const uint64_t word = masked(p);
	const struct secret *se = place_of(k, word);

	return (word != 0 && se->sct_word == word && (se->sct_next == 0 ||
	    se->sct_next == masked(p + 1)) ? se : NULL);
}

static const char *
name_of(struct kernel *k, const word_t *p)
{
	const uint8_t *key = k->k_core_key == NULL ? NULL : kern_core_key(k);
	const struct secret *se = k->k_secrets == NULL ? NULL : secret_at(k, p);

	if (key != NULL && memmem(key, CIPHER_KEY_BYTES, p, 2 * sizeof(*p)) !=
	    NULL)
		return ("the next K");
	if (se == NULL && k->k_secrets != NULL && is_disguised(k, p))
		return ("a masked copy of a key, or of output,");
	return (names[se == NULL ? KERN_SECRET_KEY : se->sct_kind]);
}

#ifdef MACHINE_VIRTUAL
/* About the lowest address that its caller uses. */
static void *__attribute__((noinline))
here(void)
{
	return (__builtin_frame_address(0));
}

static void
left(struct kernel *k, const void *func, const char *what)
{
	char name[KERN_NAME_SIZE] = "a call";

	if (func != NULL)
		kern_copy_name(k->k_params.kp_file, k->k_copy, func, name);
	ledger_kernel(k->k_params.kp_ledger, LEDGER_RESIDUE, "%s is on the "
	    "stack that %s%s has left", what, name, func == NULL ? "" : "()");
}
#endif

/*
 * Memory below the frame has no owner, and sanitizers do not track it.  What
 * was looked at is cleared, so that the next look finds its end.
 */
void __attribute__((noinline, no_sanitize("address", "thread")))
kern_secrets_stack(struct kernel *k __unused, const void *func __unused)
{
#ifdef MACHINE_VIRTUAL
	const uintptr_t top = (uintptr_t)here();
	const word_t *bottom, *found = NULL;
	volatile pair_t *used;
	uint64_t bits;
	unsigned unused = 0;
	word_t *p;

	if (KERN_NO_STACK || vm_running_machine == NULL)
		return;
	p = (void *)(top - top % MACHINE_CACHE_LINE);
	bottom = vm_stack();
	used = (void *)p;
	while (unused < UNUSED_LINES && p - LINE_WORDS > bottom) {
		p -= LINE_WORDS;
		bits = kern_bits(p);
		unused = bits == 0 ? unused + 1 : 0;
		if (bits == 0)
			continue;
		used = (void *)p;
		/* Addresses and small numbers are no secrets. */
		for (unsigned i = 0; i < LINE_WORDS && bits >> 48 != 0 &&
		    found == NULL; i++)
			if (p[i] >> 48 != 0 && secret_at(k, p + i) != NULL)
				found = p + i;
	}
	kern_thread_of(k)->kt_unlooked = false;
	if (found != NULL)
		left(k, func, name_of(k, found));
	while ((uintptr_t)used < top - top % MACHINE_CACHE_LINE)
		*used++ = (pair_t){ 0 };
#endif
}

/*
 * A secret that should not be in n bytes at p; NULL: none.  Keys may be where
 * keys are; until its memory is freed output, unless it is masked, and a pool's
 * hash where it began, which its second word tells.
 */
static const void *
secret_in(const struct kernel *k, const uint8_t *p, size_t n, enum place place)
{
	const struct secret *se;
	const word_t *w;

	for (size_t i = 0; i + 2 * sizeof(*w) <= n; i += sizeof(*w) / 2) {
		/* Most are zeros; a secret's first word is none. */
		while (i % MACHINE_CACHE_LINE == 0 &&
		    i + 2 * MACHINE_CACHE_LINE <= n && kern_bits(p + i) == 0)
			i += MACHINE_CACHE_LINE;
		w = (const word_t *)(const void *)(p + i);
		if ((w[0] >> 48 != 0 && (se = secret_at(k, w)) != NULL &&
		    se->sct_next != 0 && (place == FREED || se->sct_kind !=
		    KERN_SECRET_STREAM) && (place != KEPT ||
		    w[1] != KERN_HASH_AT(w)) &&
		    !kern_keys_covers(k, w, 2 * sizeof(*w))) ||
		    is_disguised(k, w))
			return (w);
	}
	return (NULL);
}

void
kern_secrets_freed(struct kernel *k, const void *p, size_t n,
    const struct kern_site *from, const struct kern_site *site)
{
	/* A key in it is as bad as one that is left. */
	const void *found = MACHINE_SIMULATED && k->k_keys != NULL ?
	    kern_keys_in(k, p, n) : NULL;

	if (found == NULL && k->k_secrets != NULL)
		found = secret_in(k, p, n, from == NULL ? SHOWN : FREED);
	if (found != NULL && from == NULL)
		ledger_kernel(k->k_params.kp_ledger, LEDGER_RESIDUE, "%s is in "
		    "%zu bytes that a sysctl shows", name_of(k, found), n);
	else if (found != NULL)
		ledger_kernel(k->k_params.kp_ledger, LEDGER_RESIDUE, "%s is in "
		    "memory of %s:%d that free() at %s:%d does not clear",
		    name_of(k, found), KERN_AT(from), KERN_AT(site));
}

void
host_shown(struct kernel *k, const void *p, size_t n)
{
	kern_secrets_freed(k, p, n, NULL, NULL);
}

void
kern_secrets_finish(struct kernel *k)
{
	const struct kern_copy *kc = k->k_copy;
	struct ledger *lg = k->k_params.kp_ledger;
	const struct kern_site *site;
	const void *found;
	char name[KERN_NAME_SIZE];
	bool freed;

	if (k->k_secrets == NULL)
		return;
	found = secret_in(k, kc->kc_data, kc->kc_data_bytes, KEPT);
	if (found != NULL) {
		kern_copy_name(k->k_params.kp_file, kc, found, name);
		ledger_kernel(lg, LEDGER_RESIDUE, "%s is left in the variable "
		    "%s", name_of(k, found), name);
	}
	found = secret_in(k, kc->kc_heap, kc->kc_heap_used, KEPT);
	site = found == NULL ? NULL : kern_memory_site(k, found, &freed);
	if (site != NULL)
		ledger_kernel(lg, LEDGER_RESIDUE, "%s is left in %smemory of "
		    "%s:%d", name_of(k, found), freed ? "freed " : "",
		    KERN_AT(site));
}

void
kernel_served(struct kernel *k, const void *out, size_t n)
{
	const struct kern_copy *kc = k->k_copy;
	const size_t part = MIN(n, SERVED_PART);
	const uint8_t *p = out, *q = p + (n - part) / 2, *data = kc->kc_data;
	static _Thread_local bool seen[UINT8_MAX + 1][UINT8_MAX + 1];
	char name[KERN_NAME_SIZE];

	memset(seen, 0, sizeof(seen));
	for (size_t i = 1; i < part; i++)
		seen[p[i - 1]][p[i]] = seen[q[i - 1]][q[i]] = true;
	for (size_t i = 0; i + sizeof(uint64_t) <= kc->kc_data_bytes; i++) {
		const word_t *word = (const void *)(data + i);

		/* Small numbers are not served; of others two bytes tell. */
		if (*word >> 48 == 0 || !seen[data[i]][data[i + 1]] ||
		    (memmem(out, part, word, sizeof(*word)) == NULL &&
		    memmem(q, part, word, sizeof(*word)) == NULL))
			continue;
		kern_copy_name(k->k_params.kp_file, kc, word, name);
		ledger_kernel(k->k_params.kp_ledger, LEDGER_RESIDUE, "what a "
		    "read has returned is left in the variable %s", name);
		return;
	}
}
