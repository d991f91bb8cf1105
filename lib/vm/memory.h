/*
 * Weak memory under the controlled scheduler: stores that others see later,
 * and, in VM_WEAK, loads that return older values.
 *
 * The store of a thread waits in the thread's buffer until it is committed, to
 * memory; the thread's own loads see it at once.  VM_TSO commits in order, and
 * atomics that read and write empty the buffer first, as an x86 does.  VM_WEAK
 * commits stores to different words in any order, but a release store and what
 * follows it only after all before it.
 *
 * In VM_WEAK each word keeps its latest values, and each thread has a view: for
 * each word the oldest value that it may still read, and for each thread how
 * much of its past happens-before now.  A release store takes the view of its
 * thread along; an acquire load of it merges that view into its own.  An atomic
 * that reads and writes acts on the latest value and passes on the view that is
 * there, so a release sequence continues.  This is the view-based semantics of
 * J. Kang et al., "A promising semantics for relaxed-memory concurrency", POPL
 * 2017, without its promises: no load sees a store that follows it in program
 * order in a cycle (load buffering).
 *
 * Plain memory has one value.  What a lock guards is checked instead: a thread
 * that acquires a lock, or touches data that was guarded by one, must have the
 * last thread's release, or touch, in its view.
 */
#ifndef LIB_VM_MEMORY_H
#define LIB_VM_MEMORY_H

#include "lib/vm/thread.h"
#include "lib/vm/vm.h"

enum {
	MEMORY_WORDS	= 384,	/* with a history; others are as in VM_SC */
	MEMORY_SLOTS	= 1024,	/* of their table; a power of two */
	MEMORY_VALUES	= 4,	/* of a word, the latest */
	MEMORY_PENDING	= 8,	/* stores of a thread */
	MEMORY_GUARDED	= 128,	/* locks and objects */
	/* Threads first, then words. */
	MEMORY_VIEW	= VM_STORES + MEMORY_WORDS
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
	struct memory_view ms_view;	/* a release's; else empty */
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
	struct memory_store met_store[MEMORY_PENDING];	/* oldest first */
	struct memory_view met_view;
};

/* A lock or an object: its last release or touch. */
struct memory_guarded {
	const void	*meg_object;
	unsigned	 meg_thread;
	uint32_t	 meg_clock;
};

struct memory {
	enum vm_memory	 me_kind;
	/* The word that is written now, by what access, and its old value. */
	void		*me_writes;
	unsigned	 me_access;	/* 0: by the first thread */
	uint64_t	 me_before;
	union {
		uint32_t v32;
		uint64_t v64;
	}		 me_read;	/* a load's value, if not memory's */
	unsigned	 me_words;
	unsigned	 me_guarded;
	uint16_t	 me_slot[MEMORY_SLOTS];	/* index + 1; 0: none */
	struct memory_guarded me_guard[MEMORY_GUARDED];
	struct memory_thread me_thread[VM_STORES];	/* by vt_id */
	struct memory_word me_word[MEMORY_WORDS];
};

struct vm;
struct vm_thread;

/* Makes the memory of a run, in the store; 0 or ENOMEM. */
int memory_init(struct vm *vm);

/* The first thread starts a thread; and joined one, perhaps the last. */
void memory_start(struct vm *vm, const struct vm_thread *vt);
void memory_join(struct vm *vm);

/* Where the value of a load is. */
const void *memory_load(struct vm *vm, const void *p, unsigned access);

/*
 * Around a store to a word, its initialisation or an atomic update.  The latter
 * returns whether others can see it now.
 */
void memory_own(struct vm *vm, const void *p, unsigned access);
bool memory_written(struct vm *vm);

/* Commits one store of a thread; the caller's up to its last one to a word. */
void memory_commit(struct vm *vm, unsigned thread);
void memory_flush(struct vm *vm, const void *p);

/* Commits all of the caller's, on every machine. */
void vm_barrier(struct vm *vm);

/*
 * VM_ACQUIRE: checks that the last release or use of an object is in the
 * caller's view.  VM_RELEASE: the caller has released or used it.
 */
void memory_guard(struct vm *vm, const void *object, const char *what,
    unsigned access);

#endif
