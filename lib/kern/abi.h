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

struct kernel;
struct kern_lock;

enum {
	KERN_ABI		= 12,
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
	KERN_ERESTART		= -1,
	KERN_EINTR		= 4,
	KERN_EWOULDBLOCK	= 35,
	/* kh_nest(): enum vm_hold */
	KERN_PINNED		= 1 << 0,
	KERN_CRITICAL		= 1 << 1,
	KERN_MASKED		= 1 << 2,
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
    /* kh_malloc(), kh_free(): M_WAITOK, M_ZERO; of uma(9) */
    KERN_WAITOK = 2, KERN_ZERO = 0x100, KERN_ITEM = 1 << 28,
    /* kh_owned(): LA_ of sys/lock.h */
    KERN_OWNED = 1, KERN_OWNED_SHARED = 2, KERN_OWNED_ALONE = 4,
    KERN_OWNED_RECURSED = 8 };
/* enum machine_op of lib/base/atomic_op.h */
enum kern_op { KERN_LOAD, KERN_STORE, KERN_SWAP, KERN_ADD, KERN_OR, KERN_AND,
    KERN_CMPSET, KERN_FENCE };

enum kern_hash { KERN_SHA256, KERN_BLAKE2B, KERN_BLAKE2S, KERN_HASHES };

/* A call of mtx_lock(9) and the like.  Of those that lock there is an array. */
struct kern_site {
	const char	*kw_file;
	int		 kw_line;
};

/* What the program offers. */
struct kern_host {
	unsigned	 kh_cpus, kh_threads, kh_domains;
	int		 kh_stage;	/* of boot, SI_SUB_; INT_MAX: over */
	struct kernel	*kh_self;
	/* Whether kh_copying() and kh_clearing() are to be called. */
	bool		 kh_follows;
	/* The object's variables and malloc(9)'s memory, for KERN_SHARED(). */
	uintptr_t	 kh_data, kh_data_bytes, kh_heap, kh_heap_bytes;
#define	KERN_HOST(type, name, ...)					\
	type (*kh_##name)(struct kernel *k, __VA_ARGS__);
#define	KERN_HOST_AS(type, name, arguments, function)			\
	type (*kh_##name) arguments;
#include "lib/kern/host.tbl"
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
	int		 ki_sub, ki_order;
	bool		 ki_uninit, ki_ends_process;
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
	 * At a time before 0 it runs none; false: no task waits.
	 */
	bool		 (*ko_timer)(int64_t now_ns);
	/* Where it looks at its CPU; and where it is held to that. */
	const struct kern_site *ko_looks, *ko_looks_end;
	const struct kern_site *ko_holds, *ko_holds_end;
	/* The names of its fail points. */
	const char	*const *ko_points, *const *ko_points_end;
};

#endif
