/*
 * What crosses between rngsim and the random(4) of an object: ko_device() of
 * lib/kern/abi.h returns a struct random_object.  Plain C types, as there.
 */
#ifndef FORTUNA_DEVICE_ABI_H
#define FORTUNA_DEVICE_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	RANDOM_ABI_KEY_BYTES	= 32,
	RANDOM_ABI_STREAM_BYTES	= 4096,	/* of ro_hash() */
	RANDOM_ABI_HASH_BYTES	= RANDOM_ABI_KEY_BYTES +
	    RANDOM_ABI_STREAM_BYTES + 16,
	RANDOM_ABI_SOURCES_MAX	= 8,
	HARVEST_ENTROPY_BYTES	= 8,
	/* Numbers of sources: from here on generators; a clone's event. */
	RANDOM_ABI_PURE		= 13,
	RANDOM_ABI_VMGENID	= 22
};

/*
 * An entropy event.  Only he_somecounter and he_size bytes of he_entropy are
 * hashed; he_destination modulo the number of pools says into which.
 */
struct random_event {
	uint32_t	he_somecounter;	/* low bits of the cycle counter */
	uint8_t		he_entropy[HARVEST_ENTROPY_BYTES];
	uint8_t		he_size;	/* bytes valid, 1..8 */
	uint8_t		he_destination;
	uint8_t		he_source;	/* FreeBSD 15's number */
};

/* The last is the first, called by a thread that interrupts may interrupt. */
enum random_entry { RANDOM_QUEUE, RANDOM_FAST, RANDOM_DIRECT,
    RANDOM_QUEUE_THREAD };

/*
 * What the health tests said of an event.  After the last two its source has
 * failed, by repetition or by proportion.
 */
enum random_tested { RANDOM_ACCEPTED, RANDOM_REFUSED, RANDOM_REPEATED,
    RANDOM_FREQUENT };

/* What the program offers to random(4). */
struct random_host {
	void		*rh_self;
	/* Around an event that is given; or, none, before its health test. */
	void		(*rh_deliver)(void *self,
			    const struct random_event *event, bool none);
	void		(*rh_delivered)(void *self, bool changed);
	/* What the health tests said of it. */
	void		(*rh_tested)(void *self, enum random_tested tested);
	/* Threads that wait for the first seed are about to be woken. */
	void		(*rh_unblock)(void *self);
	/* Reads the i-th registered source. */
	unsigned	(*rh_source_read)(void *self, unsigned i, void *buf,
			    unsigned n);
};

/* K and C of a design that has one of each. */
struct random_state {
	__uint128_t	rst_counter;
	uint32_t	rst_reseeds, rst_pool0_bytes;
	uint8_t		rst_key[RANDOM_ABI_KEY_BYTES];
};

/*
 * What a design says of itself, as RANDOM_CLAIMS() at the end of its file: a
 * comment for rngsim's ledger and its listings.  No kernel has it.  What a
 * design does not claim, it is held to.
 */
struct random_claims {
	/*
	 * Its K, a union randomdev_key, which reseeds replace.  A source with
	 * Fortuna's names that does not claim it reads by K and C alone.
	 */
	const void	*rm_key;
	/* How many completed reseeds a read's key may be behind. */
	uint32_t	 rm_lag;
	/* The most output that it keeps for later reads. */
	uint32_t	 rm_stored_bytes;
	/* How often it was reseeded. */
	const void	*rm_reseeds;	/* 32 bits */
	/* A first read seeds it, if nothing else did. */
	bool		 rm_never_blocks;
	/* Most reads take no lock; and are no system call. */
	bool		 rm_locks_little, rm_no_call;
	/* Reads after RANDOM_PURE_VMGENID's events repeat no clone's output. */
	bool		 rm_clones;
};

#define	RANDOM_CLAIMS(...)						\
extern const struct random_claims random_claims;			\
const struct random_claims random_claims = { __VA_ARGS__ }

/* rm_lag and rm_stored_bytes without a bound. */
#define	RANDOM_ANY	UINT32_MAX

struct random_object {
	/* Members of the source's struct random_algorithm. */
	const unsigned	*ro_poolcount;
	const struct random_claims *ro_claims;	/* not NULL */
	/* Before boot. */
	void		 (*ro_attach)(const struct random_host *rh);
	/* The algorithm's. */
	void		 (*ro_pre_read)(void);
	bool		 (*ro_seeded)(void);
	void		 (*ro_read)(uint8_t *buf, size_t n);
	void		 (*ro_event)(const struct random_event *event);
	/* read_random_uio(): an errno value of the kernel; *left: not read. */
	int		 (*ro_read_uio)(void *buf, size_t n, bool nonblock,
			    size_t *left);
	/* read_random(). */
	void		 (*ro_read_kernel)(void *buf, unsigned n);
	/* Reads and sets its sysctls, then d_write.  Returns: bytes written. */
	size_t		 (*ro_use)(const void *buf, size_t n, int writes);
	/* random_harvest_queue() and its like; false: it is masked. */
	bool		 (*ro_harvest)(enum random_entry entry,
			    const void *entropy, unsigned n, uint8_t source);
	/* The i-th source.  RANDOM_ABI_SOURCES_MAX: it is never read. */
	void		 (*ro_register)(unsigned i, const char *ident,
			    uint8_t source);
	/* Where K is; NULL in a source whose private names are others. */
	const void	*(*ro_key)(void);
	/*
	 * Likewise, but only Fortuna has them.  ro_state, set: first changes
	 * the counter, and reseeds if not 0.  ro_counter: the mutex is owned.
	 */
	void		 (*ro_state)(struct random_state *rs, bool set);
	__uint128_t	 (*ro_counter)(void);
	/* What hash.c gives, RANDOM_ABI_HASH_BYTES; NULL likewise. */
	void		 (*ro_hash)(uint8_t *out);
	/* Its release has no ChaCha20. */
	bool		 ro_aes_alone;
	/* Takes off the i-th source; it is not read from then on. */
	void		 (*ro_deregister)(unsigned i);
	/*
	 * Sets the source's bit of the mask, if mask has it, as a kernel's
	 * options do that compile it in.  Returns: whether the release has it.
	 */
	bool		 (*ro_include)(uint8_t source, uint32_t mask);
};

#endif
