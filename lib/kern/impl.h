/*
 * The parts of a kernel; for lib/kern only.
 */
#ifndef LIB_KERN_IMPL_H
#define LIB_KERN_IMPL_H

#include <stdatomic.h>

#include "lib/crypto/digest.h"
#include "lib/crypto/wipe.h"
#include "lib/kern/kernel.h"

enum {
	KERN_HELD_MAX		= 8,	/* mutexes of one thread */
	KERN_CLASSES_MAX	= 32,	/* mutexes of different names */
	KERN_POOLS_MAX		= LEDGER_POOLS_MAX,
	KERN_CHANNELS		= 8,
	KERN_KEYS_CACHED	= 2,	/* set up, for each thread */
	KERN_KEY_BUCKETS	= 64,	/* a bit each */
	KERN_AHEAD_MAX		= 512
};

struct kern_lock;
struct hash_slot;
struct block;
struct key_place;

/* What a thread has done and not reported; where it is. */
struct kern_thread {
	_Alignas(MACHINE_CACHE_LINE)
	unsigned	 kt_held;
	struct kern_lock *kt_lock[KERN_HELD_MAX];
	const struct kern_site *kt_site[KERN_HELD_MAX];
	/* Ciphers with the keys that it used last, the last one first. */
	struct cipher_key *kt_key[KERN_KEYS_CACHED];
	struct cipher_key kt_cipher[KERN_KEYS_CACHED];
	struct hash_slot *kt_spare;	/* a hash that it keeps */
	struct block	*kt_block;	/* memory that it freed last; or NULL */
	uint64_t	 kt_tag;	/* that it gave last */
	int64_t		 kt_now_ns;	/* the last coarse uptime it got */
	int64_t		 kt_timer_ns;	/* of kernel_timer(), or 0 */
	int		 kt_cpu;	/* of the call, or KERNEL_CPU_HERE */
	bool		 kt_stamped;
	bool		 kt_process;	/* it runs one of the kernel's */
	bool		 kt_drained;	/* pools, and has set no key since */
	bool		 kt_reseeding;
	bool		 kt_installed;	/* the core's key */
	bool		 kt_delivering;	/* it was given an event */
	bool		 kt_mixed;	/* and mixed it into the core's key */
	int		 kt_pool;	/* that took an event; -1: none */
	unsigned	 kt_parts;	/* of it */
	uint64_t	 kt_absorbed;	/* bytes */
	/* How hashes begin that a reseed took from pools and has not used. */
	unsigned	 kt_seeds;
	uint64_t	 kt_seed[KERN_POOLS_MAX + 2];
	/* What holds it to its CPU: cpus.c. */
	unsigned	 kt_critical;	/* sections, of spin mutexes too */
	unsigned	 kt_masked;	/* times that interrupts are off */
	unsigned	 kt_pinned;	/* with kt_bound */
	bool		 kt_bound;
	bool		 kt_interrupt;	/* it runs as an interrupt */
	bool		 kt_alone;	/* it has its CPU's word */
	unsigned	 kt_hold;	/* enum vm_hold of all these */
	int		 kt_at;		/* where it is held; or -1 */
	int		 kt_home;	/* before it interrupted; or -1 */
	/* Of the outermost. */
	const struct kern_site *kt_critical_site, *kt_pinned_site;
	uint64_t	 kt_calls;	/* of kernel_enter() and _leave() */
	unsigned	 kt_td[3];	/* kh_curthread()'s */
};

/* A thread looked at its CPU, and could be preempted. */
struct kern_look {
	const struct kern_thread *kk_thread;
	const struct kern_site *kk_by;
	uint64_t	 kk_call;
	unsigned	 kk_hold;
};

/* Sites, from 1, where the second class was taken under the first. */
struct order {
	uint16_t	 first, second;
};

/* Keystream in the source's variables, made for later reads. */
struct ahead {
	const uint8_t	*ah_at;
	size_t		 ah_bytes;
	uint64_t	 ah_lineage;
};

/* The mutex that was taken first at a site. */
struct site_lock {
	_Atomic(const char *) sk_name;
	atomic_bool	 sk_spin;
};

/* Where keys are: keys.c. */
struct key_table {
	_Atomic uint64_t kb_used;	/* a bit for each bucket that is */
	struct key_place *kb_bucket[KERN_KEY_BUCKETS];
	struct key_place *kb_spare;
};

/* An address that threads sleep on. */
struct channel {
	_Alignas(MACHINE_CACHE_LINE)
	const void	*ch_ident;
	struct m32	 ch_woken;	/* times */
};

/* A CPU. */
struct kern_cpu {
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	 kq_alone;	/* a thread has it for itself */
	struct kern_look kq_look;	/* the last */
};

struct kernel {
	struct kernel_params k_params;
	struct kern_copy *k_copy;
	const struct kern_object *k_object;
	struct kern_host k_host;
	struct kern_thread *k_thread;	/* [kp_lock_config.threads] */
	/* Of mutexes, orders, channels, keys, k_ahead and the heap. */
	atomic_flag	 k_busy;
	struct kern_lock *k_locks;
	const char	*k_class[KERN_CLASSES_MAX];
	unsigned	 k_classes;
	struct site_lock k_site_lock[LOCKPROF_SITES_MAX];
	struct block	*k_free;	/* of the heap */
	/* In malloc(9)'s memory, which ends them. */
	atomic_uint	 k_heap_hashes;
	atomic_uintptr_t k_heap_lock_last;	/* the highest mutex; 0: none */
	struct hash_slot *k_slot;
	unsigned	 k_slots;
	atomic_uint	 k_slots_looked;	/* at, for a free one */
	unsigned	 k_pools;
	struct hash_slot *k_pool[KERN_POOLS_MAX];
	const void	*k_pool_at[KERN_POOLS_MAX];
	uintptr_t	 k_pool_last;	/* the highest address of one */
	const struct hash *k_hash[KERN_HASHES];
	const struct hash *k_keyed;	/* KERN_BLAKE2S with a key */
	unsigned	 k_aheads;	/* that were added */
	struct key_table *k_keys;	/* NULL: without a ledger */
	bool		 k_booted;
	unsigned	 k_settings_read;	/* tunables that were set */
	unsigned	 k_core;
	/* Of the core that the ledger is to have, or NULL. */
	const void	*(*k_core_key)(void);
	uint128_t	(*k_core_counter)(void);
	bool		 k_cored;	/* and has */
	_Atomic int64_t	 k_unpaced_ns;
	void		(*k_process)(void *);	/* the kernel's, or NULL */
	void		*k_process_arg;
	struct mthread	*_Atomic k_processing;	/* runs it */
	atomic_bool	 k_stopping;
	unsigned	 k_channels;
	struct channel	 k_channel[KERN_CHANNELS];
	struct m32	 k_passes;	/* sleeps of processes */
	struct m64	 k_draw;	/* state of drawn holds */
	struct order	 k_order[KERN_CLASSES_MAX][KERN_CLASSES_MAX];
	struct ahead	 k_ahead[KERN_AHEAD_MAX];
	struct kern_cpu	*k_cpu;		/* NULL: the source does not look */
	/* The last two threads that were on one CPU. */
	struct kern_look k_shared[2];
	unsigned	 k_shared_cpu;
};

static inline struct kern_thread *
kern_thread_of(struct kernel *k)
{
	const unsigned i = machine_curthread()->mt_index;

	KASSERT(i < k->k_params.kp_lock_config.threads, ("thread %u of %u", i,
	    k->k_params.kp_lock_config.threads));
	return (&k->k_thread[i]);
}

static inline void
kern_tables_take(struct kernel *k)
{
	while (atomic_flag_test_and_set_explicit(&k->k_busy,
	    memory_order_acquire))
		machine_yield();
}

static inline void
kern_tables_drop(struct kernel *k)
{
	atomic_flag_clear_explicit(&k->k_busy, memory_order_release);
}

#define	kern_locks_end		FLAVOURED(kern_locks_end)
#define	kern_hashes_init	FLAVOURED(kern_hashes_init)
#define	kern_hashes_end		FLAVOURED(kern_hashes_end)
#define	kern_report		FLAVOURED(kern_report)
#define	kern_core_begin		FLAVOURED(kern_core_begin)
#define	kern_keys_free		FLAVOURED(kern_keys_free)
#define	kern_keys_set		FLAVOURED(kern_keys_set)
#define	kern_keys_copy		FLAVOURED(kern_keys_copy)
#define	kern_keys_clear		FLAVOURED(kern_keys_clear)
#define	kern_host_locks		FLAVOURED(kern_host_locks)
#define	kern_host_crypto	FLAVOURED(kern_host_crypto)
#define	kern_host_hashes	FLAVOURED(kern_host_hashes)
#define	kern_hashes_fini	FLAVOURED(kern_hashes_fini)
#define	kern_no_memory		FLAVOURED(kern_no_memory)
#define	kern_host_cpus		FLAVOURED(kern_host_cpus)
#define	kern_critical		FLAVOURED(kern_critical)
#define	kern_interrupt		FLAVOURED(kern_interrupt)
#define	kern_held_on		FLAVOURED(kern_held_on)
#define	kern_take_seed		FLAVOURED(kern_take_seed)
#define	kern_use_seed		FLAVOURED(kern_use_seed)

/* A place of rngsim's own, in messages of kernel_stop(). */
#define	KERN_HERE	(&(const struct kern_site){ __FILE__, __LINE__ })

/* Whether p is malloc(9)'s, if it is no variable of the source. */
static inline bool
kern_in_heap(const struct kernel *k, const void *p)
{
	return ((uintptr_t)p - k->k_host.kh_data >= k->k_host.kh_data_bytes);
}

/* Whether p is a variable of the source or in its heap, not on a stack. */
static inline bool
kern_is_shared(const struct kernel *k, const void *p)
{
	return (!kern_in_heap(k, p) ||
	    (uintptr_t)p - k->k_host.kh_heap < k->k_host.kh_heap_bytes);
}

/* Makes the ledger's core, if there is to be one and it is not there yet. */
void kern_core_begin(struct kernel *k);

/* Tells the ledger what was done under the mutexes that the caller owns. */
void kern_report(struct kernel *k, struct kern_thread *kt);

/*
 * Ends all mutexes, hashes or keys in n bytes at p, as what is there is freed
 * or set.  SIZE_MAX bytes at NULL: all.
 */
void kern_locks_end(struct kernel *k, const void *p, size_t n);
void kern_hashes_end(struct kernel *k, void *p, size_t n);
void kern_keys_clear(struct kernel *k, const void *p, size_t n);

void kern_hashes_init(struct kernel *k);
void kern_hashes_fini(struct kernel *k);

/* There is no memory for a cipher or a hash, or a library lacks one. */
void kern_no_memory(struct kernel *k) __attribute__((noreturn));

/*
 * A reseed has made a hash of its pools; hashes n bytes, or sets them as a key,
 * which may be such hashes.
 */
void kern_take_seed(struct kern_thread *kt, const uint8_t *out);
void kern_use_seed(struct kern_thread *kt, const uint8_t *data, size_t n);
void kern_keys_free(struct kernel *k);

/* A key is put where it was not; n bytes, with all keys, are copied. */
void kern_keys_set(struct kernel *k, void *at, const uint8_t *key);
void kern_keys_copy(struct kernel *k, void *to, const void *from, size_t n);

/* As spinlock_enter(9) or, with delta -1, spinlock_exit(9) at a site. */
void kern_critical(struct kernel *k, int delta, const struct kern_site *site);

/* A call of the caller's is, or was, one of an interrupt. */
void kern_interrupt(struct kernel *k, bool begins);

/* Ends the run if the caller, which returns, is held to its CPU. */
void kern_held_on(struct kernel *k, const struct kern_thread *kt);

/* Each part's members of struct kern_host. */
void kern_host_cpus(struct kernel *k, struct kern_host *kh);
void kern_host_locks(struct kern_host *kh);
void kern_host_crypto(struct kern_host *kh);
void kern_host_hashes(struct kern_host *kh);

#endif
