/*
 * What crosses between rngsim and a kernel source that was compiled as a
 * loadable object: one table each way, in plain C types, so that names of the
 * two sides cannot meet.
 *
 * An object is compiled from one file that includes the source, then
 * fortuna/kernel/glue.c.  It exports struct kernel_object kernel_object; all
 * else is hidden.  The kernel's variables are the object's, so each generator
 * loads a copy of its own, and kh_self is that generator for the program.
 */
#ifndef FORTUNA_KERNEL_ABI_H
#define FORTUNA_KERNEL_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	KERNEL_ABI		= 4,
	KERNEL_KEY_BYTES	= 32,
	KERNEL_HASH_BYTES	= 32,
	KERNEL_BLAKE2B_BYTES	= 64,
	/* What the program keeps in a cipher object or in a hash. */
	KERNEL_CIPHER_STATE	= 64,
	KERNEL_HASH_STATE	= 32,
	/* kh_lock_new() */
	KERNEL_LOCK_SPIN	= 1,
	/* kx_type */
	KERNEL_SYSCTL_BOOL	= 0,
	KERNEL_SYSCTL_INT	= 1,
	KERNEL_SYSCTL_UINT	= 2
};

/* An entropy event, independent of a release's numbers. */
struct kernel_event {
	uint32_t	ke_counter;
	uint8_t		ke_entropy[8];
	uint8_t		ke_size;
	uint8_t		ke_destination;
	uint8_t		ke_source;	/* below ke_pure: the environment */
	uint8_t		ke_pure;
	bool		ke_vmgenid;	/* the virtual machine was cloned */
	const void	*ke_event;	/* kh_accepts()'s */
};

/* A call of mtx_lock(9) and the like.  Of those that lock there is an array. */
struct kernel_site {
	const char	*kt_file;
	int		 kt_line;
};

/*
 * What the program offers.  Functions may be called by any of its threads.
 * self is kh_self.
 */
struct kernel_host {
	unsigned	 kh_abi;		/* KERNEL_ABI */
	void		*kh_self;
	bool		 kh_chacha20;		/* the cipher; else AES */
	unsigned	 kh_cpus;

	/*
	 * Mutexes.  A name outlives its mutex; NULL: no memory.  at: where the
	 * source has it; kh_free() of that ends it.
	 */
	void		*(*kh_lock_new)(void *self, const char *name,
			    unsigned flags, const void *at);
	void		 (*kh_lock_free)(void *self, void *lock);
	/* Returns false only with try. */
	bool		 (*kh_lock)(void *self, void *lock,
			    const struct kernel_site *site, bool try);
	void		 (*kh_unlock)(void *self, void *lock,
			    const struct kernel_site *site);
	bool		 (*kh_owned)(void *self, void *lock);

	/* The machine. */
	int64_t		 (*kh_uptime_ns)(void *self, bool coarse);
	uint64_t	 (*kh_cycles)(void *self);
	unsigned	 (*kh_cpu)(void *self);
	void		 (*kh_pause)(void *self);
	void		*(*kh_malloc)(void *self, size_t n, bool zero);
	/* Also ends the mutexes and the keys that are there. */
	void		 (*kh_free)(void *self, void *p);
	int		 (*kh_failpoint)(void *self, const char *name);
	/* Does not return. */
	void		 (*kh_panic)(void *self, const char *file, int line,
			    const char *text);

	/* random(4) */
	bool		 (*kh_accepts)(void *self, const void *event);
	void		 (*kh_unblock)(void *self);

	/*
	 * Ciphers, over KERNEL_CIPHER_STATE bytes that the source may copy and
	 * clear.  The last 16 bytes are the source's.  kh_keystream() returns
	 * by how much the counter moves on.
	 */
	void		 (*kh_key_set)(void *self, void *state,
			    const void *key);
	uint64_t	 (*kh_keystream)(void *self, void *state, uint64_t lo,
			    uint64_t hi, void *out, size_t n);
	const void	*(*kh_key_get)(void *self, void *state);
	/*
	 * Over KERNEL_HASH_STATE bytes; bytes, the result's, is
	 * KERNEL_HASH_BYTES for SHA-256 or KERNEL_BLAKE2B_BYTES.
	 */
	void		 (*kh_hash_init)(void *self, void *state,
			    unsigned bytes);
	void		 (*kh_hash_add)(void *self, void *state,
			    const void *data, size_t n);
	void		 (*kh_hash_finish)(void *self, void *state, void *out);
	/*
	 * Before memory is copied, KERNEL_KEY_BYTES or more, or set,
	 * KERNEL_CIPHER_STATE or more.
	 */
	void		 (*kh_copying)(void *self, void *to, const void *from,
			    size_t n);
	void		 (*kh_clearing)(void *self, void *p);

	/* A memory access, of objects for simulated machines. */
	void		 (*kh_access)(void *self, const void *p, size_t n,
			    bool store);
};

/* A sysctl(8) or tunable of the source. */
struct kernel_sysctl {
	const char	*kx_name;	/* in full */
	const char	*kx_descr;
	unsigned	 kx_type;
	void		*kx_value;
	/* Sets through the source's handler; 0 or the kernel's errno. */
	int		 (*kx_set)(struct kernel_sysctl *kx, int64_t value);
	void		*kx_oid;	/* the glue's */
};

/* The state that known-answer scripts see. */
struct kernel_state {
	uint64_t	ks_counter[2];
	uint32_t	ks_reseeds;
	uint32_t	ks_pool0_bytes;
	uint8_t		ks_key[KERNEL_KEY_BYTES];
};

/* What an object exports.  Pointers may be NULL where it says so. */
struct kernel_object {
	unsigned	 ko_abi;		/* KERNEL_ABI */
	/* Members of the source's struct random_algorithm. */
	const char *const *ko_algorithm;	/* its name */
	const unsigned	*ko_poolcount;
	/* The most output that it keeps for later reads. */
	unsigned	 ko_stored_bytes;
	const struct kernel_site *ko_sites;
	unsigned	 (*ko_site_count)(void);
	/*
	 * Starts the kernel: SYSINIT(9) in order.  Variables are as loaded;
	 * the host outlives it.
	 */
	void		 (*ko_boot)(const struct kernel_host *kh);
	/* The i-th that boot made, until the next call; NULL: no more. */
	struct kernel_sysctl *(*ko_sysctl)(unsigned i);
	void		 (*ko_pre_read)(void);
	bool		 (*ko_seeded)(void);
	void		 (*ko_read)(uint8_t *buf, size_t n);
	void		 (*ko_event)(const struct kernel_event *ke);
	/*
	 * Runs the timers and task queues that are due, counted from the first
	 * call after they were set; NULL: none.
	 */
	void		 (*ko_timer)(int64_t now_ns);
	/*
	 * The rest is NULL in a source whose private names are others.
	 * ko_state, set: first changes the counter.  ko_counter is for the
	 * mutex's owner.  ko_key: where K is.
	 */
	void		 (*ko_state)(struct kernel_state *ks, bool set);
	void		 (*ko_counter)(uint64_t ctr[2]);
	void		*(*ko_key)(void);
};

#endif
