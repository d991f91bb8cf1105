/* What memory.c and atomic.c share: views, and who has which value. */
#pragma once

#include "lib/vm/impl.h"

enum {
	/* With a history; others have one value, and order all threads. */
	MEMORY_WORDS	= 384,
	MEMORY_SLOTS	= 1024,	/* of their table; a power of two */
	MEMORY_VALUES	= 4,	/* of a word, the latest */
	MEMORY_PENDING	= VM_EACH_STORES,	/* stores of a thread */
	MEMORY_GUARDED	= 128,	/* locks and objects */
	/*
	 * Threads: what happens-before; what else a CPU's release passes on;
	 * what atomics of a source told.  Then words.
	 */
	MEMORY_PASSED	= VM_STORES,
	MEMORY_TOLD	= 2 * VM_STORES,
	MEMORY_FIRST	= 3 * VM_STORES,
	MEMORY_VIEW	= MEMORY_FIRST + MEMORY_WORDS
};

/* The first mv_count entries; the rest are 0. */
struct memory_view {
	unsigned	 mv_count;
	uint32_t	 mv_at[MEMORY_VIEW];
};

struct memory_store {
	void		*ms_word;
	uint64_t	 ms_value;
	uint8_t		 ms_size;
	unsigned	 ms_issue;	/* of the thread's stores */
	struct memory_view ms_view;	/* its own, or a fence's */
};

/* The value at position p of a word is in mw_value[p % MEMORY_VALUES]. */
struct memory_word {
	const void	*mw_word;
	uint8_t		 mw_size;
	uint32_t	 mw_newest;	/* position */
	uint32_t	 mw_oldest;	/* that any thread may read */
	uint64_t	 mw_value[MEMORY_VALUES];
	struct memory_view mw_view[MEMORY_VALUES];
};

struct memory_thread {
	unsigned	 met_pending;
	unsigned	 met_issued;	/* stores so far */
	unsigned	 met_awaited;	/* of them by their thread */
	unsigned	 met_settled;	/* of them by any */
	struct memory_store met_store[MEMORY_PENDING];	/* oldest first */
	struct memory_view met_view;
	/* What an acquire fence adds to it; as it was at a release fence. */
	struct memory_view met_acquires, met_released;
};

/* A lock or an object: its last release or touch. */
struct memory_guarded {
	const void	*meg_object;
	unsigned	 meg_thread;
	uint32_t	 meg_clock;
};

struct memory {
	enum vm_memory	 me_kind;
	/* The write in progress: its word, its access, the word's old value. */
	void		*me_writes;
	unsigned	 me_access;	/* 0: by the first thread */
	uint64_t	 me_before;
	uint64_t	 me_read;	/* a load's value, if not memory's */
	struct memory_view me_fence;	/* of the last full fence */
	/* Where sources have words: vm_atomic(). */
	uintptr_t	 me_low, me_high;
	unsigned	 me_words, me_guarded;
	uint16_t	 me_slot[MEMORY_SLOTS];	/* index + 1; 0: none */
	struct memory_guarded me_guard[MEMORY_GUARDED];
	struct memory_thread me_thread[VM_STORES];	/* by vt_id */
	struct memory_word me_word[MEMORY_WORDS];
};

static inline uint32_t
view_at(const struct memory_view *mv, unsigned i)
{
	return (i < mv->mv_count ? mv->mv_at[i] : 0);
}

static inline void
view_set(struct memory_view *mv, unsigned i, uint32_t at)
{
	while (mv->mv_count <= i)
		mv->mv_at[mv->mv_count++] = 0;
	mv->mv_at[i] = at;
}

static inline void
view_copy(struct memory_view *to, const struct memory_view *from)
{
	to->mv_count = from->mv_count;
	memcpy(to->mv_at, from->mv_at, from->mv_count * sizeof(to->mv_at[0]));
}

static inline void
view_join(struct memory_view *to, const struct memory_view *from)
{
	for (unsigned i = 0; i < from->mv_count; i++)
		if (view_at(to, i) < from->mv_at[i])
			view_set(to, i, from->mv_at[i]);
}

static inline struct memory_thread *
memory_self(struct vm *vm)
{
	return (&vm->vm_controlled.vx_memory->me_thread[vm->vm_self->vt_id]);
}

/* The bits that a number of fewer bytes leaves in memory before it. */
static inline unsigned
memory_gap(unsigned size)
{
	return (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 64 - 8 * size);
}

static inline uint64_t
memory_get(const void *p, unsigned size)
{
	uint64_t v = 0;
	uint32_t word;

	/* Most have 4 bytes; to copy a size that is known takes no call. */
	if (size == sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		return (word);
	}
	memcpy(&v, p, size);
	return (v >> memory_gap(size));
}

static inline void
memory_put(void *p, unsigned size, uint64_t v)
{
	v <<= memory_gap(size);
	memcpy(p, &v, size);
}

/* Its place in views. */
static inline unsigned
memory_place(const struct memory *me, const struct memory_word *mw)
{
	return (MEMORY_FIRST + (unsigned)(mw - me->me_word));
}

/* Whether a thread's i-th store may be committed before the earlier ones. */
static inline bool
memory_may_commit(const struct memory *me, const struct memory_thread *mt,
    unsigned i)
{
	unsigned k = 0;

	while (k < i && me->me_kind == VM_WEAK && mt->met_store[k].ms_word !=
	    mt->met_store[i].ms_word)
		k++;
	return (k == i);
}

/* Where the n-th store of a thread would be, for those who order them. */
static inline const void *
memory_store_place(unsigned thread, unsigned n)
{
	return ((const void *)((uintptr_t)(thread << 24 | n % (1u << 24)) <<
	    3));
}

/* Where stores to a word begin, which only plain ones affect. */
static inline const void *
memory_begin_place(const void *p)
{
	return ((const void *)((uintptr_t)p | (uintptr_t)1 << 62));
}

/* Whether an access is a store that is committed later. */
static inline bool
memory_defers(unsigned access)
{
	return ((access & (VM_STORE | VM_RMW)) == VM_STORE);
}

/* Commits all stores of a thread. */
void memory_drain(struct vm *vm, unsigned thread);

/*
 * drain.c: waits for stores: MEMORY_ALL, MEMORY_OWN, or the caller's to a word;
 * false: they are not waited for.  And: one was committed.
 */
bool memory_await(struct vm *vm, const void *which);
void memory_drained(struct vm *vm);
