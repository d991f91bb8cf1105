/*
 * What the parts of a kernel source's design share: its generator, and the
 * calls of the source that each part serves.
 */
#ifndef FORTUNA_KERNEL_IMPL_H
#define FORTUNA_KERNEL_IMPL_H

#include "fortuna/kernel/object.h"

enum {
	KERNEL_HELD_MAX		= 8,	/* mutexes of one thread */
	KERNEL_CLASSES_MAX	= 32,	/* mutexes of different names */
	KERNEL_POOLS_MAX	= LEDGER_POOLS_MAX
};

struct kernel_lock;
struct slot;
struct block;

/* What a thread has done and not reported; where it is. */
struct kernel_thread {
	_Alignas(MACHINE_CACHE_LINE)
	unsigned	 kt_held;
	struct kernel_lock *kt_lock[KERNEL_HELD_MAX];
	const struct kernel_site *kt_site[KERNEL_HELD_MAX];
	struct slot	*kt_spare[2];	/* it keeps: of a hash, of a key */
	uint64_t	 kt_tag;	/* that it gave last */
	int64_t		 kt_now_ns;	/* the last coarse uptime it got */
	int		 kt_place;	/* the CPU that a read is on */
	bool		 kt_drained;	/* pools, and has set no key since */
	bool		 kt_reseeding;
	bool		 kt_installed;	/* the core's key */
	int		 kt_pool;	/* that took an event; -1: none */
	uint64_t	 kt_absorbed;	/* bytes */
	struct cipher_key *kt_key;	/* for objects that have no slot */
};

/* Where a mutex of the second class was taken under the first. */
struct order {
	const struct kernel_site *first, *second;
};

enum { KERNEL_AHEAD_MAX = 8 };

/* Keystream in the source's variables, made for later reads. */
struct ahead {
	const uint8_t	*ah_at;
	size_t		 ah_bytes;
	uint64_t	 ah_lineage;
};

struct kernel {
	struct generator k_generator;	/* first */
	struct kernel_source *k_source;
	struct kernel_file *k_file;
	struct kernel_copy *k_copy;
	const struct kernel_object *k_object;
	struct kernel_host k_host;
	struct generator_params k_params;
	unsigned	 k_threads;
	struct kernel_thread *k_thread;
	/* Of mutexes, orders, k_ahead and the arena, while they change. */
	atomic_flag	 k_busy;
	struct kernel_lock *k_locks;
	const char	*k_class[KERNEL_CLASSES_MAX];
	unsigned	 k_classes;
	struct order	 k_order[KERNEL_CLASSES_MAX][KERNEL_CLASSES_MAX];
	uint8_t		*_Atomic k_arena;
	_Atomic size_t	 k_arena_used;
	struct block	*k_free;
	struct slot	*k_slot;
	unsigned	 k_slots;
	unsigned	 k_pools;
	const struct hash *k_sha256, *k_blake2b;
	struct ahead	 k_ahead[KERNEL_AHEAD_MAX];
	unsigned	 k_aheads;	/* that were replaced */
	struct ledger	*k_ledger;
	unsigned	 k_core;
	_Atomic int64_t	 k_unpaced_ns;
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	 k_unblocked;
};

static inline struct kernel_thread *
kernel_thread_of(struct kernel *k)
{
	const unsigned i = machine_curthread()->mt_index;

	KASSERT(i < k->k_threads, ("thread %u of %u", i, k->k_threads));
	return (&k->k_thread[i]);
}

static inline void
kernel_tables_take(struct kernel *k)
{
	while (atomic_flag_test_and_set(&k->k_busy))
		machine_yield();
}

static inline void
kernel_tables_drop(struct kernel *k)
{
	atomic_flag_clear(&k->k_busy);
}

#define	kernel_design_make	FLAVOURED(kernel_design_make)
#define	kernel_boot		FLAVOURED(kernel_boot)
#define	kernel_is_variable	FLAVOURED(kernel_is_variable)
#define	kernel_stop		FLAVOURED(kernel_stop)
#define	kernel_report		FLAVOURED(kernel_report)
#define	kernel_locks_end	FLAVOURED(kernel_locks_end)
#define	kernel_slots_init	FLAVOURED(kernel_slots_init)
#define	kernel_slots_fini	FLAVOURED(kernel_slots_fini)
#define	kernel_slots_end	FLAVOURED(kernel_slots_end)
#define	kernel_host_machine	FLAVOURED(kernel_host_machine)
#define	kernel_host_locks	FLAVOURED(kernel_host_locks)
#define	kernel_host_ciphers	FLAVOURED(kernel_host_ciphers)

/* Whether p is one of the source's variables, not on a stack. */
bool kernel_is_variable(const struct kernel *k, const void *p);

/* Ends the run at a place of the source, as panic(9). */
void kernel_stop(struct kernel *k, const struct kernel_site *site,
    const char *fmt, ...) __attribute__((format(printf, 3, 4), noreturn));

/* Tells the ledger what was done under the mutexes that the caller owns. */
void kernel_report(struct kernel *k, struct kernel_thread *kt);

/*
 * Ends all mutexes, or keys and hashes, of n bytes at p, as what is there is
 * freed.  SIZE_MAX bytes at NULL: all.
 */
void kernel_locks_end(struct kernel *k, const void *p, size_t n);
void kernel_slots_end(struct kernel *k, void *p, size_t n);

/* Returns: 0 or ENOMEM. */
int kernel_slots_init(struct kernel *k);
void kernel_slots_fini(struct kernel *k);

/* Each part's members of struct kernel_host. */
void kernel_host_machine(struct kernel_host *kh);
void kernel_host_locks(struct kernel_host *kh);
void kernel_host_ciphers(struct kernel_host *kh);

#endif
