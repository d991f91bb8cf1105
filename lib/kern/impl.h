/* The parts of a kernel; for lib/kern only. */
#pragma once

#include "lib/kern/kernel.h"
#ifndef MACHINE_VIRTUAL
#define	vm_explores()	false
#define	vm_mark()	0
#define	vm_sees(mark)	((mark) == 0)
#define	vm_monitored(p, store)
#endif

/* ThreadSanitizer keeps registers on stacks, so none is looked at. */
#if defined(__SANITIZE_THREAD__)
#define	KERN_NO_STACK	1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define	KERN_NO_STACK	1
#endif
#endif
#ifndef KERN_NO_STACK
#define	KERN_NO_STACK	0
#endif

enum {
	KERN_HELD_MAX		= 32,	/* locks and sections of one thread */
	KERN_CLASSES_MORE	= 8,	/* of locks, a time */
	KERN_POOLS_MAX		= LEDGER_POOLS_MAX,
	KERN_KEYS_CACHED	= 2,	/* set up, for each thread */
	KERN_KEY_BUCKETS	= 64,	/* a bit each */
	KERN_AHEAD_MAX		= 512,
	KERN_RACED_MAX		= 32,
	KERN_RACED_PAST		= 4,
	KERN_EVENT_STORES	= 4,	/* at least, with its time stamp */
	KERN_STACK_BYTES	= 64 * 1024	/* of a source's functions */
};

struct kern_lock {
	struct lock	 kl_lock;	/* first */
	struct kern_lock *kl_next;
	unsigned	 kl_class;
	enum kern_kind	 kl_kind;
	unsigned	 kl_flags;	/* KERN_RECURSE and so on */
	const void	*kl_at;		/* the source's struct lock_object */
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	 kl_wakes[2];	/* of readers; of writers */
	struct m32	 kl_sequence;	/* of sections; odd */
	atomic_uint	 kl_writers;	/* asleep, or about to be */
	/* By thread.  Of a section ln_state is its mark. */
	struct lock_node kl_node[];
};

/* A lock that a thread has, or a section that it is in. */
struct kern_held {
	struct kern_lock *hd_lock;
	const struct kern_site *hd_site;	/* the first */
	unsigned	 hd_depth;
	bool		 hd_shared;
};

/* What a thread has done and not reported; where it is. */
struct kern_thread {
	_Alignas(MACHINE_CACHE_LINE) unsigned kt_held;
	bool		 kt_filter;	/* an interrupt's filter called */
	struct kern_held kt_hold[KERN_HELD_MAX];
	unsigned	 kt_shared;	/* of them, locks with a word */
	/* Of these and of what holds it to its CPU, before a delivery. */
	unsigned	 kt_outer_held, kt_outer_critical, kt_outer_pinned;
	/* Asleep on, or NULL; since; the next sleeper. */
	const void	*kt_channel;
	struct kern_lock *kt_interlock;
	uint64_t	 kt_slept;
	struct kern_thread *kt_sleeper;
	struct m32	 kt_wakes;
	/* Ciphers with the keys that it used last; which was the last one. */
	struct cipher_key kt_cipher[KERN_KEYS_CACHED];
	bool		 kt_recent;	/* so they are two */
	struct hash_slot *kt_spare;	/* a hash that it keeps */
	struct block	*kt_block;	/* memory that it freed last; or NULL */
	uint64_t	 kt_tag;	/* that it gave last */
	int64_t		 kt_now_ns;	/* the uptime it decides by */
	bool		 kt_decides;	/* it has a lock since before that */
	bool		 kt_coarse;	/* that is the clock it looks at */
	int64_t		 kt_timer_ns;	/* of kernel_timer(), or 0 */
	int		 kt_cpu;	/* of the call, or KERNEL_CPU_HERE */
	unsigned	 kt_stores;	/* of shared memory, by the call */
	bool		 kt_writes;	/* KERNEL_CPU_WRITE; of many events */
	bool		 kt_process;	/* it runs one of the kernel's */
	bool		 kt_drained;	/* pools, and has set no key since */
	bool		 kt_reseeding;
	bool		 kt_installed;	/* the core's key */
	bool		 kt_delivering;	/* it was given an event */
	bool		 kt_mixed;	/* and mixed it into the core's key */
	int		 kt_pool;	/* that took an event; -1: none */
	bool		 kt_bare;	/* that event was tested with no lock */
	unsigned	 kt_parts;	/* of it */
	uint64_t	 kt_absorbed;	/* bytes */
	size_t		 kt_hashed;	/* bytes, by this call */
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
	unsigned	 kt_kept;	/* enum vm_hold of all these */
	int		 kt_at;		/* where it is held; or -1 */
	int		 kt_home;	/* before it interrupted; or -1 */
	/* Of the outermost. */
	const struct kern_site *kt_critical_site, *kt_pinned_site;
	uint64_t	 kt_calls;	/* of kernel_enter() and _leave() */
	unsigned	 kt_td[4];	/* host_curthread()'s */
	bool		 kt_locked;	/* kt_installed, under a mutex */
	bool		 kt_away;	/* kt_installed is, of that key: */
	uint8_t		 kt_key_set[KERN_KEY_BYTES];
	const void	*kt_entry;	/* its stack when the call began */
	bool		 kt_touched;	/* secrets, in this call */
	bool		 kt_unlooked;	/* since its stack was looked at */
	const uint8_t	*kt_unseen;	/* a copy that it may not use */
	size_t		 kt_unseen_bytes;
	/* The last whole structure that it accessed. */
	const void	*kt_range;
	size_t		 kt_range_bytes;
	bool		 kt_range_store;
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
	struct raced	*ah_raced;	/* NULL: it is large, or not explored */
};

/* One that threads may race for by design, as for a published seed. */
struct raced {
	/* As threads see its bytes; odd while they are made. */
	struct m32	 ra_version;
	uint32_t	 ra_made;	/* the latest */
	/* Of the last even ones. */
	struct {
		uint64_t lineage, mark;
	}		 ra_past[KERN_RACED_PAST];
};

/* Where keys are: keys.c. */
struct key_table {
	_Atomic uint64_t kb_used;	/* a bit for each bucket that is */
	struct key_place *kb_bucket[KERN_KEY_BUCKETS], *kb_spare;
};

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
	/* Of locks, orders, sleepers, keys, k_ahead and the heap. */
	atomic_flag	 k_busy;
	struct kern_lock *k_locks;
	char		(*k_class)[KERN_NAME_SIZE];
	unsigned	 k_classes, k_class_room;
	struct order	*k_order;	/* [k_class_room][k_class_room] */
	struct block	*k_free;	/* of the heap */
	/* In malloc(9)'s memory, which ends them. */
	atomic_uint	 k_heap_hashes;
	atomic_uintptr_t k_heap_lock_last;	/* the highest lock; 0: none */
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
	struct secret	*k_secrets;	/* NULL: bytes are not looked for */
	bool		 k_booted;
	const struct kern_site *k_preloaded;	/* a loader's bytes, by */
	uint64_t	 k_settings_read;	/* tunables that were set */
	unsigned	 k_core;
	/* Of the core that the ledger is to have, or NULL. */
	const void	*(*k_core_key)(void);
	const void	*k_seed_at;	/* pool 0's digest, if in a variable */
	uint128_t	(*k_core_counter)(void);
	bool		 k_looking;	/* with these; of simulated machines */
	bool		 k_cored;	/* and has */
	_Atomic int64_t	 k_unpaced_ns;
	void		(*k_process)(void *);	/* the kernel's, or NULL */
	void		*k_process_arg;
	struct mthread	*_Atomic k_processing;	/* runs it */
	atomic_uint	 k_stopping;	/* since so many sleeps of it; or 0 */
	struct kern_thread *k_sleepers;	/* the first to begin */
	uint64_t	 k_sleeps;
	struct m32	 k_sleepq;	/* written by all, as a lock */
	struct m32	 k_passes;	/* sleeps of processes */
	struct m64	 k_draw;	/* state of drawn holds */
	struct ahead	*k_ahead;	/* or NULL */
	struct raced	 k_raced[KERN_RACED_MAX];
	unsigned	 k_raceds;	/* of them in use */
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

/* The core's key and counter, which the source gives without other threads. */
#define	KERN_CORE(what, type)						\
static inline type							\
kern_core_##what(struct kernel *k)					\
{									\
	type value;							\
									\
	if (MACHINE_SIMULATED)						\
		k->k_looking = true;					\
	value = k->k_core_##what();					\
	if (MACHINE_SIMULATED)						\
		k->k_looking = false;					\
	return (value);							\
}
KERN_CORE(key, const void *)
KERN_CORE(counter, uint128_t)

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

#define	kern_word_class		FLAVOURED(lock_word)

/* A site as "%s:%d". */
#define	KERN_AT(site)	(site)->kw_file, (site)->kw_line
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

/* Whether output is a stub's, which is neither looked at nor a secret. */
static inline bool
kern_is_unread(const struct kernel *k)
{
	return (MACHINE_SIMULATED && cipher_is_stub(k->k_params.kp_cipher));
}

/* Makes the ledger's core, if there is to be one and it is not there yet. */
void kern_core_begin(struct kernel *k);

/* Tells the ledger what was done under the locks that the caller has. */
void kern_report(struct kernel *k, struct kern_thread *kt);

/*
 * Ends all locks, hashes or keys in n bytes at p, as what is there is freed
 * or set.  SIZE_MAX bytes at NULL: all.  Locks are free, unless site is NULL.
 */
void kern_locks_end(struct kernel *k, const void *p, size_t n,
    const struct kern_site *site);
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

/* n bytes at p are read, so are no unseen copy; or others are written there. */
void kern_check_seen(struct kernel *k, struct kern_thread *kt, const void *p,
    size_t n);
void kern_overwritten(struct kern_thread *kt, const void *p, size_t n);

/*
 * A key is put where it was not, unseen: by a thread that need not see it;
 * n bytes, with all keys, are copied.
 */
void kern_keys_set(struct kernel *k, void *at, const uint8_t *key, bool unseen);
void kern_keys_copy(struct kernel *k, void *to, const void *from, size_t n);

/*
 * What witness(4) and INVARIANTS check, each with both places, beside
 * host.tbl's: a lock that is about to be taken; that one is held, so; the end
 * of a call, which may not leave its thread held to its CPU.
 */
void kern_check_lock(struct kernel *k, const struct kern_thread *kt,
    const struct kern_lock *kl, const struct kern_site *site, unsigned how);
struct kern_held *kern_check_held(struct kernel *k, struct kern_thread *kt,
    const struct kern_lock *kl, const struct kern_site *site, unsigned how);
void kern_check_leave(struct kernel *k, const struct kern_thread *kt);

/* The kernel's word for a lock's kind; the number of a name in orders. */
const char *kern_kind_name(const struct kern_lock *kl);
unsigned kern_class_of(struct kernel *k, const char *name);

/* words.c: locks with a word of the source's, and sections. */
extern const struct lock_class kern_word_class;
void kern_word_init(struct kern_lock *kl);
bool kern_lock_shared(struct kern_thread *kt, struct kern_lock *kl,
    struct lock_node *node, unsigned row, bool try);
void kern_unlock_shared(struct kern_thread *kt, struct kern_lock *kl,
    struct lock_node *node);

/* A hash's address, as no word but its own is. */
#define	KERN_HASH_AT(p)		((uintptr_t)(p) ^ UINT64_C(0x5a5a) << 48)

/* Whether it is entered and no lock; whether that disables preemption. */
static inline bool
kern_is_section(const struct kern_lock *kl)
{
	return (kl->kl_kind >= KERN_EPOCH);
}

static inline bool
kern_is_critical(const struct kern_lock *kl)
{
	return (kl->kl_kind == KERN_SPIN || kl->kl_kind == KERN_EPOCH ||
	    kl->kl_kind == KERN_SMR);
}

/* Its place among what the thread has; kt_held: it has not. */
static inline unsigned
kern_held_at(const struct kern_thread *kt, const struct kern_lock *kl)
{
	unsigned i;

	for (i = kt->kt_held; i > 0 && kt->kt_hold[i - 1].hd_lock != kl;)
		i--;
	return (i > 0 ? i - 1 : kt->kt_held);
}

/* Whether it has a lock: sections are none. */
bool kern_locked(const struct kern_thread *kt);

/* Whether it may wait for no lock that sleeps. */
static inline bool
kern_cannot_block(const struct kern_thread *kt)
{
	return (kt->kt_critical + kt->kt_masked + kt->kt_filter > 0);
}

/* A call of the caller's is, or was, one of an interrupt. */
void kern_interrupt(struct kernel *k, bool begins);

/* A key is about to be used. */
void kern_keys_used(struct kernel *k, const uint8_t *key);

/*
 * Keys are where their bytes are: takes note of those in n bytes at p that were
 * overwritten, where no other thread writes now.
 */
void kern_keys_look(struct kernel *k, const void *p, size_t n);

/* Whether n bytes at p are of the key, or schedule, of an object there. */
bool kern_keys_covers(const struct kernel *k, const void *p, size_t n);

/* A key in n bytes at p; NULL: none. */
const void *kern_keys_in(struct kernel *k, const void *p, size_t n);

/* Two words at a time; the bits of all words of MACHINE_CACHE_LINE bytes. */
typedef uint64_t __attribute__((may_alias, vector_size(16), aligned(1))) pair_t;

__attribute__((no_sanitize("address", "thread")))
static inline uint64_t
kern_bits(const void *line)
{
	const pair_t *p = line, any = p[0] | p[1] | p[2] | p[3];

	return (any[0] | any[1]);
}

/* Secrets, of which no bytes are to be left: secrets.c. */
enum kern_secret { KERN_SECRET_KEY, KERN_SECRET_STREAM, KERN_SECRET_SEED,
    KERN_SECRET_POOL, KERN_SECRET_STATE, KERN_SECRET_WRITTEN };

void kern_secrets_init(struct kernel *k);
void kern_secret(struct kernel *k, enum kern_secret kind, const void *bytes,
    size_t n);
/*
 * Looks at the stack below the caller, which a function of the source or, NULL,
 * all of a call had; at what is freed; at all memory.
 */
void kern_secrets_stack(struct kernel *k, const void *func);
void kern_secrets_freed(struct kernel *k, const void *p, size_t n,
    const struct kern_site *from, const struct kern_site *site);
void kern_secrets_finish(struct kernel *k);

/* Where memory of the heap was allocated, and whether it is free; or NULL. */
const struct kern_site *kern_memory_site(struct kernel *k, const void *p,
    bool *freed);
/* Looks for memory that no pointer of the source refers to. */
void kern_memory_leaks(struct kernel *k);
void kern_block_give(struct kernel *k, struct block *b);

/* What sources call. */
void host_await(const volatile void *word, uint32_t seen);
uint64_t host_cycles(struct kernel *k);
unsigned *host_curthread(struct kernel *k);
#define	KERN_HOST(type, name, ...)					\
	type host_##name(struct kernel *k, __VA_ARGS__);
#define	KERN_HOST_AS(type, name, arguments, function)
#include "lib/kern/host.tbl"
