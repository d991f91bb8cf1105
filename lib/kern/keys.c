/* Where keys are, for the ledger: from set or copied to overwritten, freed. */
#include "lib/kern/impl.h"

enum {
	BUCKETS		= KERN_KEY_BUCKETS,
	BUCKET_BYTES	= 64,	/* of addresses that share one */
	COPIED_MAX	= 64,	/* keys in what is copied at once */
	/* From a key object's key to the end of its schedule's first keys. */
	OBJECT_BYTES	= 128
};

#define	ALL_BUCKETS	UINT64_MAX	/* as a set */

struct key_place {
	struct key_place *ky_next;	/* in its bucket */
	const uint8_t	*ky_at;
	uint8_t		 ky_key[CIPHER_KEY_BYTES];
	uint64_t	 ky_mark;	/* of the thread that put it there */
	bool		 ky_unseen;	/* it copied what it need not see */
};

static const uint8_t no_key[CIPHER_KEY_BYTES];
/* Known to no compiler, which could leave half of a copied key on the stack. */
static const volatile size_t key_bytes = CIPHER_KEY_BYTES;

static unsigned
bucket_of(const void *p)
{
	return ((uintptr_t)p / BUCKET_BYTES % BUCKETS);
}

/* The set of the buckets with the keys that have a byte of n bytes at p. */
static uint64_t
buckets_of(const void *p, size_t n)
{
	/* A key may begin before it. */
	const uintptr_t first = ((uintptr_t)p - CIPHER_KEY_BYTES + 1) /
	    BUCKET_BYTES, more = ((uintptr_t)p + n - 1) / BUCKET_BYTES - first;
	const uint64_t set = ALL_BUCKETS >> (BUCKETS - 1 -
	    MIN(more, BUCKETS - 1));

	return (set << first % BUCKETS | set >> (-first % BUCKETS));
}

/* The first place of a set of buckets for which is_so() holds; NULL: none. */
static struct key_place **
search(const struct kernel *k, uint64_t set,
    bool (*is_so)(const struct key_place *ky, const uint8_t *p, size_t n),
    const uint8_t *p, size_t n)
{
	struct key_table *kb = k->k_keys;
	struct key_place **at;

	for (set &= kb->kb_used; set != 0; set &= set - 1)
		for (at = &kb->kb_bucket[__builtin_ctzll(set)]; *at != NULL;
		    at = &(*at)->ky_next)
			if (is_so(*at, p, n))
				return (at);
	return (NULL);
}

/* Takes what search() finds out of its bucket. */
static struct key_place *
take_out(struct kernel *k, uint64_t set,
    bool (*is_so)(const struct key_place *ky, const uint8_t *p, size_t n),
    const void *p, size_t n)
{
	struct key_table *kb = k->k_keys;
	struct key_place **at, *ky = NULL;

	kern_tables_take(k);
	if ((at = search(k, set, is_so, p, n)) != NULL) {
		ky = *at;
		*at = ky->ky_next;
		if (kb->kb_bucket[bucket_of(ky->ky_at)] == NULL)
			kb->kb_used &= ~(UINT64_C(1) << bucket_of(ky->ky_at));
	}
	kern_tables_drop(k);
	return (ky);
}

/* It has left the table. */
static void
end_place(struct kernel *k, struct key_place *ky)
{
	struct key_table *kb = k->k_keys;

	ledger_key_set(k->k_params.kp_ledger, ky->ky_key, no_key);
	wipe(ky->ky_key, sizeof(ky->ky_key));
	kern_tables_take(k);
	ky->ky_next = kb->kb_spare;
	kb->kb_spare = ky;
	kern_tables_drop(k);
}

void
kern_keys_free(struct kernel *k)
{
	struct key_table *kb = k->k_keys;
	struct key_place *ky;

	if (kb == NULL)
		return;
	for (unsigned i = 0; i < BUCKETS; i++)
		while ((ky = kb->kb_bucket[i]) != NULL) {
			kb->kb_bucket[i] = ky->ky_next;
			end_place(k, ky);
		}
	while ((ky = kb->kb_spare) != NULL) {
		kb->kb_spare = ky->ky_next;
		free(ky);
	}
	free(kb);
}

/* Its variable may be one that the stack no longer has. */
__attribute__((no_sanitize("address", "thread")))
static bool
is_gone(const struct key_place *ky, const uint8_t *p, size_t n)
{
	uint64_t left = 0, was, is;

	if ((uintptr_t)ky->ky_at - (uintptr_t)p >= n)
		return (false);
	for (unsigned i = 0; i < CIPHER_KEY_BYTES; i += sizeof(is)) {
		memcpy(&was, ky->ky_key + i, sizeof(was));
		memcpy(&is, ky->ky_at + i, sizeof(is));
		left |= was ^ is;
	}
	return (left != 0);
}

static bool
is_of_object(const struct key_place *ky, const uint8_t *p, size_t n)
{
	return ((size_t)(p - ky->ky_at) <= OBJECT_BYTES - n &&
	    memmem(ky->ky_key, CIPHER_KEY_BYTES, p, n) != NULL);
}

static bool
is_within(const struct key_place *ky, const uint8_t *p, size_t n)
{
	return (n >= CIPHER_KEY_BYTES && (size_t)(ky->ky_at - p) <=
	    n - CIPHER_KEY_BYTES);
}

static bool
is_same(const struct key_place *ky, const uint8_t *p, size_t n __unused)
{
	return (memcmp(ky->ky_key, p, CIPHER_KEY_BYTES) == 0);
}

static bool
is_touched(const struct key_place *ky, const uint8_t *p, size_t n)
{
	return (ky->ky_at + CIPHER_KEY_BYTES > p && ky->ky_at < p + n);
}

/* Whether all buckets of n bytes at p are empty. */
static bool
none_in(const struct key_table *kb, const void *p, size_t n)
{
	return ((atomic_load_explicit(&kb->kb_used, memory_order_relaxed) &
	    buckets_of(p, n)) == 0);
}

void
kern_keys_clear(struct kernel *k, const void *p, size_t n)
{
	struct key_place *ky;

	while (!none_in(k->k_keys, p, n) &&
	    (ky = take_out(k, buckets_of(p, n), is_touched, p, n)) != NULL)
		end_place(k, ky);
}

void
kern_keys_look(struct kernel *k, const void *p, size_t n)
{
	struct key_place *ky;

	while ((ky = take_out(k, ALL_BUCKETS, is_gone, p, n)) != NULL)
		end_place(k, ky);
}

bool
kern_keys_covers(const struct kernel *k, const void *p, size_t n)
{
	return (search(k, ALL_BUCKETS, is_of_object, p, n) != NULL);
}

const void *
kern_keys_in(struct kernel *k, const void *p, size_t n)
{
	struct key_place **at;

	kern_keys_look(k, p, n);
	at = search(k, ALL_BUCKETS, is_within, p, n);
	return (at == NULL ? NULL : (*at)->ky_at);
}

/* Whether the key is known to be at p; sees, unless NULL: to this thread. */
static bool
has_place(struct kernel *k, const uint8_t *p, const uint8_t *key, bool *sees)
{
	const struct key_place *ky;

	kern_tables_take(k);
	ky = k->k_keys->kb_bucket[bucket_of(p)];
	while (ky != NULL && (ky->ky_at != p || memcmp(ky->ky_key, key,
	    CIPHER_KEY_BYTES) != 0))
		ky = ky->ky_next;
	if (sees != NULL)
		*sees = ky == NULL || (!ky->ky_unseen &&
		    vm_sees(ky->ky_mark));
	kern_tables_drop(k);
	return (ky != NULL);
}

/* It may have been copied by other means than kern_keys_copy() sees. */
void
kern_keys_used(struct kernel *k, const uint8_t *key)
{
	bool sees;

	if (!has_place(k, key, key, &sees) &&
	    search(k, ALL_BUCKETS, is_same, key, 0) != NULL)
		kern_keys_set(k, (void *)(uintptr_t)key, key, false);
	if (!sees)
		ledger_kernel(k->k_params.kp_ledger, LEDGER_TORN, "the key's "
		    "bytes are not ordered before its use, by a release and an "
		    "acquire");
}

/*
 * A key is about to go from where it was.  On a real machine nothing has seen a
 * copy on the stack that an assignment made.
 */
__attribute__((noinline, no_sanitize("address", "thread")))
static void
find_copies(struct kernel *k, const uint8_t *key)
{
	const uint8_t *end = kern_thread_of(k)->kt_entry;
	const volatile uint32_t *p = __builtin_frame_address(0);
	unsigned i, same;

	for (; (const uint8_t *)(p + CIPHER_KEY_BYTES / sizeof(*p)) <= end;
	    p++) {
		for (i = same = 0; i < CIPHER_KEY_BYTES / sizeof(*p); i++)
			same += memcmp(&(uint32_t){ p[i] }, key +
			    i * sizeof(*p), sizeof(*p)) == 0;
		if (same == i && !has_place(k, (const void *)(uintptr_t)p, key,
		    NULL))
			kern_keys_set(k, (void *)(uintptr_t)p, key, false);
	}
}

void
kern_keys_set(struct kernel *k, void *at, const uint8_t *key, bool unseen)
{
	struct key_table *kb = k->k_keys;
	struct key_place *ky = take_out(k, buckets_of(at, 1), is_touched, at,
	    1);
	struct key_place **first = &kb->kb_bucket[bucket_of(at)];

	if (!MACHINE_SIMULATED && !KERN_NO_STACK && ky != NULL)
		find_copies(k, ky->ky_key);
	ledger_key_set(k->k_params.kp_ledger, ky != NULL ? ky->ky_key : no_key,
	    key);
	kern_tables_take(k);
	if (ky == NULL && (ky = kb->kb_spare) != NULL)
		kb->kb_spare = ky->ky_next;
	if (ky == NULL)
		ky = xmalloc(sizeof(*ky));
	kb->kb_used |= UINT64_C(1) << bucket_of(at);
	*ky = (struct key_place){ .ky_next = *first, .ky_at = at,
	    .ky_mark = vm_mark(), .ky_unseen = unseen };
	memcpy(ky->ky_key, key, key_bytes);
	*first = ky;
	kern_tables_drop(k);
}

void
kern_keys_copy(struct kernel *k, void *to, const void *from, size_t n)
{
	struct kern_thread *kt = kern_thread_of(k);
	struct key_table *kb = k->k_keys;
	struct { size_t off; bool unseen; uint8_t key[CIPHER_KEY_BYTES]; }
	    copied[COPIED_MAX];
	const struct key_place *ky;
	unsigned count = 0;

	if (none_in(kb, from, n)) {
		kern_keys_clear(k, to, n);
		return;
	}
	kern_tables_take(k);
	for (uint64_t set = buckets_of(from, n); set != 0; set &= set - 1)
		for (ky = kb->kb_bucket[__builtin_ctzll(set)]; ky != NULL;
		    ky = ky->ky_next)
			if (is_within(ky, from, n) && count < COPIED_MAX) {
				copied[count].off = (size_t)(ky->ky_at -
				    (const uint8_t *)from);
				copied[count].unseen = ky->ky_unseen ||
				    !vm_sees(ky->ky_mark);
				memcpy(copied[count++].key, ky->ky_key,
				    CIPHER_KEY_BYTES);
			}
	kern_tables_drop(k);
	kern_keys_clear(k, to, n);
	kt->kt_touched |= count > 0;
	kt->kt_unlooked |= count > 0;
	for (unsigned i = 0; i < count; i++)
		kern_keys_set(k, (uint8_t *)to + copied[i].off, copied[i].key,
		    copied[i].unseen);
	wipe(copied, count * sizeof(copied[0]));
}
