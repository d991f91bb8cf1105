/*
 * What crosses between rngsim and kernel sources that were compiled as a
 * loadable object: one table each way, in plain C types, so that names of the
 * two sides cannot meet.
 *
 * An object exports struct kern_object kern_object; all else is hidden.  The
 * kernel's variables are the object's, so each kernel loads a copy of its own,
 * and kh_self is that kernel for the program.
 */
#ifndef LIB_KERN_ABI_H
#define LIB_KERN_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	KERN_ABI		= 8,
	KERN_KEY_BYTES		= 32,
	/* What the program keeps in a hash. */
	KERN_HASH_STATE		= 32,
	/* Where a lock's word is behind its struct lock_object's begin. */
	KERN_LOCK_WORD		= 24,
	/* kx_type */
	KERN_SYSCTL_BOOL	= 0,
	KERN_SYSCTL_INT		= 1,
	KERN_SYSCTL_UINT	= 2,
	/* kh_sleep()'s results: FreeBSD's numbers, or 0 */
	KERN_EINTR		= 4,
	KERN_EWOULDBLOCK	= 35,
	/* kh_returned() */
	KERN_LOOK_BYTES		= 768
};

/*
 * Kinds of locks, and of sections that are entered as locks are taken shared.
 * MTX_DEF is the run's kind of lock.
 */
enum kern_kind { KERN_MTX, KERN_SPIN, KERN_SX, KERN_RW, KERN_RM,
    KERN_RM_SLEEPABLE, KERN_EPOCH, KERN_EPOCH_PREEMPT, KERN_SMR, KERN_KINDS,
    /* kh_lock_new(): beside the kind */
    KERN_RECURSE = 1 << 8, KERN_DUPOK = 1 << 9, KERN_NOWITNESS = 1 << 10 };

/*
 * How a lock is taken or released.  SPINS: by a function for spin mutexes, or
 * EITHER way that it is held.
 */
enum kern_how { KERN_SHARES = 1, KERN_TRIES = 2, KERN_SPINS = 4,
    KERN_RECURSES = 8, KERN_DUPES = 16, KERN_EITHER = 32,
    /* kh_sleep() */
    KERN_CATCH = 1, KERN_DROP = 2,
    /* kh_malloc(): M_WAITOK, M_ZERO */
    KERN_WAITOK = 2, KERN_ZERO = 0x100,
    /* kh_owned(): LA_ of sys/lock.h */
    KERN_OWNED = 1, KERN_OWNED_SHARED = 2, KERN_OWNED_ALONE = 4,
    KERN_OWNED_RECURSED = 8 };
/* enum machine_op of lib/base/atomic_op.h */
enum kern_op {
	KERN_LOAD, KERN_STORE, KERN_SWAP, KERN_ADD, KERN_OR, KERN_AND,
	KERN_CMPSET, KERN_FENCE
};

enum kern_hash { KERN_SHA256, KERN_BLAKE2B, KERN_BLAKE2S, KERN_HASHES };

/* A call of mtx_lock(9) and the like.  Of those that lock there is an array. */
struct kern_site {
	const char	*kw_file;
	int		 kw_line;
};

/*
 * What the program offers.  Functions may be called by any of its threads.
 * self is kh_self.
 */
struct kern_host {
	unsigned	 kh_cpus;
	unsigned	 kh_threads;
	void		*kh_self;
	/* Whether kh_copying() and kh_clearing() are to be called. */
	bool		 kh_follows;
	/* The object's variables and malloc(9)'s memory, for KERN_SHARED(). */
	uintptr_t	 kh_data, kh_data_bytes;
	uintptr_t	 kh_heap, kh_heap_bytes;

	/*
	 * Locks.  A name outlives its lock; type: the name of its class in
	 * orders, or NULL.  at: where the source has it; kh_free() of that ends
	 * it.
	 */
	void		*(*kh_lock_new)(void *self, const char *name,
			    const char *type, unsigned kind, const void *at,
			    const struct kern_site *site);
	void		 (*kh_lock_free)(void *self, void *lock,
			    const struct kern_site *site);
	/* Returns false only with KERN_TRIES. */
	bool		 (*kh_lock)(void *self, void *lock,
			    const struct kern_site *site, unsigned how);
	void		 (*kh_unlock)(void *self, void *lock,
			    const struct kern_site *site, unsigned how);
	unsigned	 (*kh_owned)(void *self, void *lock);

	/*
	 * sleep(9).  Sleeps on ident until kh_wakeup() of it, for timeout_ns
	 * (-1: no end), or with KERN_CATCH until interrupted.  Meanwhile lock,
	 * unless it is NULL, is free.
	 *
	 * Returns: 0, KERN_EINTR or KERN_EWOULDBLOCK.
	 */
	int		 (*kh_sleep)(void *self, const void *ident, void *lock,
			    unsigned how, int64_t timeout_ns, const char *wmesg,
			    const struct kern_site *site);
	void		 (*kh_wakeup)(void *self, const void *ident, bool one);
	/* A kernel process that kernel_process() will run. */
	void		 (*kh_process)(void *self, const char *name,
			    void (*func)(void *), void *arg);

	/* The machine. */
	int64_t		 (*kh_uptime_ns)(void *self, bool coarse);
	uint64_t	 (*kh_cycles)(void *self);
	unsigned	 (*kh_cpu)(void *self, const struct kern_site *site);
	unsigned	 (*kh_thread)(void *self);
	void		 (*kh_pause)(unsigned n);
	void		 (*kh_work)(uint64_t ns);
	/* flags: of malloc(9). */
	void		*(*kh_malloc)(void *self, size_t n, int flags,
			    const struct kern_site *site);
	/* Also ends the locks and the keys that are there. */
	void		 (*kh_free)(void *self, void *p, bool clear,
			    const struct kern_site *site);
	/* The value that a sysctl is to have at boot; false: its own. */
	bool		 (*kh_tunable)(void *self, const char *name,
			    int64_t *value);
	/* Bytes that the loader left, of that type; NULL: none. */
	void		*(*kh_preload)(void *self, const char *type,
			    size_t *n);
	void		 (*kh_copyout)(void *self, void *to, const void *from,
			    size_t n);
	int		 (*kh_failpoint)(void *self, const char *name);
	/* Does not return. */
	void		 (*kh_panic)(void *self, const char *file, int line,
			    const char *text);
	/* td_tid, td_critnest and td_pinned, always at one place. */
	unsigned	*(*kh_curthread)(void *self);
	/* Held to its CPU once more, delta 1, or less, -1. */
	void		 (*kh_critical)(void *self, int delta,
			    const struct kern_site *site);
	void		 (*kh_spinlock)(void *self, int delta,
			    const struct kern_site *site);
	void		 (*kh_interrupts_off)(void *self, int delta,
			    const struct kern_site *site);
	void		 (*kh_pin)(void *self, int delta,
			    const struct kern_site *site);
	/* Goes to a CPU and stays, or interrupts there; -1: that ends. */
	void		 (*kh_bind)(void *self, int cpu, bool interrupt,
			    const struct kern_site *site);

	/*
	 * Ciphers.  kh_key_set() copies KERN_KEY_BYTES to where the source has
	 * the key.  kh_keystream() returns by how much the counter moves on.
	 */
	void		 (*kh_key_set)(void *self, void *to, const void *key);
	uint64_t	 (*kh_keystream)(void *self, const void *key,
			    uint64_t lo, uint64_t hi, void *out, size_t n);
	/* Over KERN_HASH_STATE bytes.  key: of KERN_BLAKE2S alone; or NULL. */
	void		 (*kh_hash_init)(void *self, void *state,
			    enum kern_hash hash, const void *key);
	void		 (*kh_hash_add)(void *self, void *state,
			    const void *data, size_t n);
	void		 (*kh_hash_finish)(void *self, void *state, void *out);
	/* Before memory is copied or set, KERN_KEY_BYTES or more. */
	void		 (*kh_copying)(void *self, void *to, const void *from,
			    size_t n);
	void		 (*kh_clearing)(void *self, void *p, size_t n);
	/* Before a structure is loaded or stored; both are an assignment. */
	void		 (*kh_assigning)(void *self, void *p, size_t n,
			    bool store);

	/*
	 * A function has returned, which had its stack KERN_LOOK_BYTES below
	 * the caller's.  For objects for simulated machines.
	 */
	void		 (*kh_returned)(void *self, const void *func);

	/* kern_touch() and kern_hold() of kern.h. */
	void		 (*kh_touch)(const void *p, unsigned lines);
	void		 (*kh_hold)(void *self, uint64_t ns, bool drawn);
	/* An access to shared memory, of objects for simulated machines. */
	void		 (*kh_access)(void *self, const void *p, size_t n,
			    bool store);

	/* Alone from shared, if no other thread has it; and back. */
	bool		 (*kh_upgrade)(void *self, void *lock,
			    const struct kern_site *site);
	void		 (*kh_downgrade)(void *self, void *lock,
			    const struct kern_site *site);
	/*
	 * Sections.  Those entered from now on have another number, which is
	 * returned, or if it is deferred the next one.  Whether all before a
	 * number have ended, or waits for that.
	 */
	uint32_t	 (*kh_advance)(void *self, void *lock, bool deferred);
	bool		 (*kh_poll)(void *self, void *lock, uint32_t goal,
			    bool wait, const struct kern_site *site);
	/* Polls until a word may differ. */
	void		 (*kh_await)(const volatile void *word, uint32_t seen);
	/* Whether the thread may sleep, or be in a critical section, here. */
	void		 (*kh_may_sleep)(void *self, const char *what,
			    const struct kern_site *site);
	/* An atomic of theirs, as machine_atomic(). */
	uint64_t	 (*kh_atomic)(void *self, void *p, unsigned how,
			    uint64_t v, uint64_t old);
	/* Bytes at p of kh_malloc(), at least as many as were asked for. */
	size_t		 (*kh_size)(void *self, const void *p);
};

/* A sysctl(8) or tunable of the source. */
struct kern_sysctl {
	const char	*kx_name;	/* in full */
	const char	*kx_descr;
	unsigned	 kx_type;
	bool		 kx_tunable;	/* read at boot */
	bool		 kx_stored;	/* as it is given */
	/* Sets through the source's handler; 0 or the kernel's errno. */
	int		 (*kx_set)(struct kern_sysctl *kx, int64_t value);
	/* The value, through the handler. */
	int64_t		 (*kx_get)(struct kern_sysctl *kx);
	void		*kx_oid;	/* the object's */
};

/* A call at boot: SYSINIT(9), or at the end: SYSUNINIT(9). */
struct kern_sysinit {
	int		 ki_sub;
	int		 ki_order;
	bool		 ki_uninit;
	void		(*ki_func)(void *);
	void		*ki_arg;
};

/* What an object exports. */
struct kern_object {
	unsigned	 ko_abi;		/* KERN_ABI */
	/* For the layer above lib; see fortuna/device/abi.h. */
	const void	*(*ko_device)(void);
	const struct kern_site *ko_sites, *ko_sites_end;
	const struct kern_sysinit *ko_sysinits, *ko_sysinits_end;
	/* Set before any function is called; variables are as loaded. */
	const struct kern_host **ko_host;
	/* The i-th that there is now, until the next call; NULL: no more. */
	struct kern_sysctl *(*ko_sysctl)(unsigned i);
	/*
	 * Runs the tasks that are due, counted from the first call after they
	 * were enqueued; then now_ns is the uptime.  false: it has no tasks.
	 */
	bool		 (*ko_timer)(int64_t now_ns);
	/* Where it looks at its CPU; and where it is held to that. */
	const struct kern_site *ko_looks, *ko_looks_end;
	const struct kern_site *ko_holds, *ko_holds_end;
	/* The names of its fail points. */
	const char	*const *ko_points, *const *ko_points_end;
};

#endif
