/* malloc(9), of a heap of the copy's own. */
#include "lib/kern/impl.h"

/* After boot a block of so many bytes is a buffer of a read. */
enum { BUFFER_BYTES = 4096 };

/* Of the heap; what the source gets is behind a line with this. */
struct block {
	size_t		 b_bytes;	/* whole lines */
	size_t		 b_asked;	/* of them */
	struct block	*b_next;	/* of those that are free */
	const struct kern_site *b_site;	/* that allocated it, or */
	const struct kern_site *b_freed;	/* freed it; NULL: in use */
	bool		 b_own;		/* the host's: too large for the heap */
	bool		 b_boot;	/* allocated before the end of boot */
	bool		 b_kept;	/* it is no leak */
	bool		 b_item;	/* uma(9)'s */
};

CTASSERT(sizeof(struct block) <= MACHINE_CACHE_LINE);

static inline uint8_t *
memory_of(const struct block *b)
{
	return ((uint8_t *)(uintptr_t)b + MACHINE_CACHE_LINE);
}

/* Marks a block's lines, for host_access(): all, or the last one. */
static void
mark(struct kernel *k, const struct block *b, bool freed)
{
	bool *line;

	if (!MACHINE_SIMULATED || b->b_own)
		return;
	line = &k->k_copy->kc_freed[(size_t)(memory_of(b) -
	    k->k_copy->kc_heap) / MACHINE_CACHE_LINE];
	memset(line, freed, b->b_bytes / MACHINE_CACHE_LINE);
	if (b->b_bytes > 0)
		line[b->b_bytes / MACHINE_CACHE_LINE - 1] = true;
}

/* After NULL the first; NULL: none. */
static struct block *
next_block(const struct kern_copy *kc, const struct block *b)
{
	uint8_t *at = b == NULL ? kc->kc_heap : memory_of(b) + b->b_bytes;

	return (at < kc->kc_heap + kc->kc_heap_used ?
	    (struct block *)(void *)at : NULL);
}

/* The block that p is in, or in the line behind it. */
static struct block *
block_at(const struct kern_copy *kc, const void *p)
{
	struct block *b = NULL;

	while ((b = next_block(kc, b)) != NULL &&
	    (uintptr_t)p - (uintptr_t)memory_of(b) >= b->b_bytes +
	    MACHINE_CACHE_LINE)
		continue;
	return (b);
}

const struct kern_site *
kern_memory_site(struct kernel *k, const void *p, bool *freed)
{
	const struct block *b = block_at(k->k_copy, p);

	*freed = b != NULL && b->b_freed != NULL;
	return (b == NULL ? NULL : b->b_site);
}

/* At the line that uses the memory, if that can be found. */
static void __attribute__((cold, noinline, noreturn))
misused(struct kernel *k, const struct block *b)
{
	char text[256];

	if (b->b_freed != NULL)
		snprintf(text, sizeof(text), "memory of %s:%d, freed at %s:%d, "
		    "is used", KERN_AT(b->b_site), KERN_AT(b->b_freed));
	else
		snprintf(text, sizeof(text), "memory of %s:%d, %zu bytes, is "
		    "used beyond its end", KERN_AT(b->b_site), b->b_asked);
	kern_fault_here(text);
	kernel_stop(k, b->b_site, "%s", text);
}

static inline void
check_use(struct kernel *k, const void *p, size_t n)
{
	const size_t at = (uintptr_t)p - k->k_host.kh_heap;
	const struct block *b;

	if (__builtin_expect(at < k->k_host.kh_heap_bytes &&
	    (n > MACHINE_CACHE_LINE ||
	    k->k_copy->kc_freed[at / MACHINE_CACHE_LINE] ||
	    k->k_copy->kc_freed[(at + n) / MACHINE_CACHE_LINE]), 0) &&
	    (b = block_at(k->k_copy, p)) != NULL &&
	    (b->b_freed != NULL || n > SIZE_MAX / 2 || (const uint8_t *)p + n >
	    memory_of(b) + b->b_asked))
		misused(k, b);
}

void
host_access(struct kernel *k, const void *p, size_t n, bool store)
{
	if (k->k_looking)
		return;
	if (store)
		kern_thread_of(k)->kt_stores += n > sizeof(uint64_t) ?
		    KERN_EVENT_STORES : 1;
	check_use(k, p, n);
	machine_access(p, n, store);
}

uint64_t
host_atomic(struct kernel *k, void *p, unsigned how, uint64_t v, uint64_t old)
{
	check_use(k, p, how >> 8);
	return (machine_atomic(p, how, v, old));
}

/* A free block of n bytes, or a new one; NULL: there is no room. */
static struct block *
take_block(struct kernel *k, size_t n)
{
	struct kern_copy *kc = k->k_copy;
	struct block *b, **at;

	for (at = &k->k_free; *at != NULL && (*at)->b_bytes != n;)
		at = &(*at)->b_next;
	if ((b = *at) != NULL) {
		*at = b->b_next;
	} else if (n < KERN_HEAP_BYTES - kc->kc_heap_used) {
		b = (struct block *)(void *)(kc->kc_heap + kc->kc_heap_used);
		b->b_bytes = n;
		kc->kc_heap_used += MACHINE_CACHE_LINE + n;
		kc->kc_freed[kc->kc_heap_used / MACHINE_CACHE_LINE] = true;
	}
	return (b);
}

void *
host_malloc(struct kernel *k, size_t n, int flags, const struct kern_site *site)
{
	struct kern_thread *kt = kern_thread_of(k);
	struct block *b = kt->kt_block;
	const size_t asked = n;
	void *p;

	host_may_block(k, site, "malloc: called");
	if ((flags & KERN_WAITOK) != 0)
		host_may_sleep(k, site, "malloc(M_WAITOK)");
	if (n > SIZE_MAX / 2 && (flags & KERN_WAITOK) != 0)
		kernel_stop(k, site, "malloc: no memory has %zu bytes", n);
	if (n > SIZE_MAX / 2 || (k->k_params.kp_scarce && k->k_booted &&
	    (flags & KERN_WAITOK) == 0 &&
	    (kt->kt_calls / 2 + k->k_params.kp_cpus) % 3 == 0))
		return (NULL);
	n += -n % MACHINE_CACHE_LINE;
	if (b != NULL && b->b_bytes == n) {
		kt->kt_block = NULL;
	/* A page is of the heap where leaks are looked for. */
	} else if (k->k_booted && n + !k->k_params.kp_scans > BUFFER_BYTES) {
		b = NULL;
	} else {
		kern_tables_take(k);
		b = take_block(k, n);
		kern_tables_drop(k);
	}
	if (b == NULL) {
		hold_begin();
		b = aligned_alloc(MACHINE_CACHE_LINE, MACHINE_CACHE_LINE + n);
		hold_end();
		/* A prediction must not depend on the host's memory. */
		if (b == NULL && MACHINE_SIMULATED)
			kern_no_memory(k);
		if (b == NULL)
			return (NULL);
		*b = (struct block){ .b_bytes = n, .b_own = true };
	}
	b->b_asked = asked;
	b->b_site = site;
	b->b_freed = NULL;
	b->b_boot = !k->k_booted;
	b->b_item = (flags & KERN_ITEM) != 0;
	mark(k, b, false);
	p = memory_of(b);
	return ((flags & KERN_ZERO) != 0 ? memset(p, 0, n) : p);
}

void
kern_block_give(struct kernel *k, struct block *b)
{
	if (b == NULL || b->b_own) {
		xfree(b);
		return;
	}
	kern_tables_take(k);
	b->b_next = k->k_free;
	k->k_free = b;
	kern_tables_drop(k);
}

/* Locks in it need not be destroyed before. */
void
host_free(struct kernel *k, void *p, unsigned how, const struct kern_site *site)
{
	struct kern_thread *kt = kern_thread_of(k);
	struct block *b;

	host_may_block(k, site, "free: called");
	if (p == NULL)
		return;
	b = (struct block *)(void *)((uint8_t *)p - MACHINE_CACHE_LINE);
	if (b->b_freed != NULL)
		kernel_stop(k, site, "memory of %s:%d is freed, which was "
		    "freed at %s:%d", KERN_AT(b->b_site), KERN_AT(b->b_freed));
	if (b->b_item != ((how & KERN_ITEM) != 0))
		kernel_stop(k, site, "memory of %s:%d is freed as if it were "
		    "%s uma(9)", KERN_AT(b->b_site), b->b_item ? "not of" :
		    "of");
	if ((how & KERN_ZERO) == 0)
		kern_secrets_freed(k, p, b->b_bytes, b->b_site, site);
	else if (!b->b_own || !kern_is_unread(k) || k->k_secrets != NULL)
		wipe(p, b->b_bytes);
	if ((uintptr_t)p <= k->k_heap_lock_last)
		kern_locks_end(k, p, b->b_bytes, site);
	if (k->k_heap_hashes > 0)
		kern_hashes_end(k, p, b->b_bytes);
	if (k->k_keys != NULL)
		kern_keys_clear(k, p, b->b_bytes);
	b->b_freed = site;
	mark(k, b, true);
	/* As uma(9) has caches of CPUs. */
	kern_block_give(k, kt->kt_block);
	kt->kt_block = b;
}

/* Marks blocks, but for one at p, that a word of n bytes at p refers to. */
static void
refer(const struct kern_copy *kc, const uint8_t *p, size_t n)
{
	const uintptr_t heap = (uintptr_t)kc->kc_heap;
	struct block *b;
	uintptr_t word;

	for (size_t i = 0; i + sizeof(word) <= n; i += sizeof(word)) {
		while (i % MACHINE_CACHE_LINE == 0 &&
		    i + 2 * MACHINE_CACHE_LINE <= n && kern_bits(p + i) == 0)
			i += MACHINE_CACHE_LINE;
		memcpy(&word, p + i, sizeof(word));
		b = __builtin_expect(word - heap >= kc->kc_heap_used, 1) ?
		    NULL : block_at(kc, (const void *)word);
		if (b != NULL && p != memory_of(b))
			b->b_kept = true;
	}
}

void
kern_memory_leaks(struct kernel *k)
{
	const struct kern_copy *kc = k->k_copy;
	struct block *b = NULL;
	bool all = true;

	while ((b = next_block(kc, b)) != NULL) {
		b->b_kept = b->b_freed != NULL || b->b_boot;
		all &= b->b_kept;
	}
	if (all)
		return;
	refer(kc, kc->kc_data, kc->kc_data_bytes);
	while ((b = next_block(kc, b)) != NULL)
		if (b->b_freed == NULL)
			refer(kc, memory_of(b), b->b_bytes);
	while ((b = next_block(kc, b)) != NULL)
		if (!b->b_kept)
			ledger_kernel(k->k_params.kp_ledger, LEDGER_LEAKED,
			    "memory of %s:%d is neither freed nor referred to",
			    KERN_AT(b->b_site));
}

size_t
host_size(struct kernel *k __unused, const void *p)
{
	return (((const struct block *)(const void *)((const uint8_t *)p -
	    MACHINE_CACHE_LINE))->b_asked);
}
