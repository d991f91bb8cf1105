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
	/* kh_lock_new() */
	KERN_LOCK_SPIN		= 1,
	/* kx_type */
	KERN_SYSCTL_BOOL	= 0,
	KERN_SYSCTL_INT		= 1,
	KERN_SYSCTL_UINT	= 2,
	/* kh_sleep()'s results: FreeBSD's numbers, or 0 */
	KERN_EINTR		= 4,
	KERN_EWOULDBLOCK	= 35
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
	 * Mutexes.  A name outlives its mutex.  at: where the source has it;
	 * kh_free() of that ends it.
	 */
	void		*(*kh_lock_new)(void *self, const char *name,
			    unsigned flags, const void *at);
	void		 (*kh_lock_free)(void *self, void *lock);
	/* Returns false only with try. */
	bool		 (*kh_lock)(void *self, void *lock,
			    const struct kern_site *site, bool try);
	void		 (*kh_unlock)(void *self, void *lock,
			    const struct kern_site *site);
	bool		 (*kh_owned)(void *self, void *lock);

	/*
	 * sleep(9).  Sleeps on ident until kh_wakeup() of it, for timeout_ns
	 * (-1: no end), or with catch until interrupted.
	 *
	 * Returns: 0, KERN_EINTR or KERN_EWOULDBLOCK.
	 */
	int		 (*kh_sleep)(void *self, const void *ident, bool catch,
			    int64_t timeout_ns);
	void		 (*kh_wakeup)(void *self, const void *ident);
	/* A kernel process that kernel_process() will run. */
	void		 (*kh_process)(void *self, const char *name,
			    void (*func)(void *), void *arg);

	/* The machine. */
	int64_t		 (*kh_uptime_ns)(void *self, bool coarse);
	uint64_t	 (*kh_cycles)(void *self);
	unsigned	 (*kh_cpu)(void *self);
	unsigned	 (*kh_thread)(void *self);
	void		 (*kh_pause)(unsigned n);
	void		 (*kh_work)(uint64_t ns);
	void		*(*kh_malloc)(void *self, size_t n, bool zero);
	/* Also ends the mutexes and the keys that are there. */
	void		 (*kh_free)(void *self, void *p, bool clear);
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

	/* kern_touch() and kern_hold() of kern.h. */
	void		 (*kh_touch)(const void *p, unsigned lines);
	void		 (*kh_hold)(void *self, uint64_t ns, bool drawn);
	/* An access to shared memory, of objects for simulated machines. */
	void		 (*kh_access)(void *self, const void *p, size_t n,
			    bool store);
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
};

#endif
