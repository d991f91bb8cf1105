/*
 * Linux's generator for each CPU: the structures of gen_percpu.c, and the
 * functions of its contract that have no locking choreography.
 */
#ifndef FORTUNA_PERCPU_H
#define FORTUNA_PERCPU_H

#include "fortuna/crng.h"
#include "fortuna/generator.h"

/*
 * Cache lines that a critical section uses: 32 bytes of key and a generation,
 * as in the kernel; and the pool.
 */
enum {
	PERCPU_KEY_LINES	= 1,
	PERCPU_POOL_LINES	= 2
};

/* One CPU's part, on lines of its own. */
struct percpu_cpu {
	struct lock	pc_mtx;		/* crngs.lock */
	struct crng	pc_crng;	/* pc_mtx */
};

struct percpu {
	struct generator p_generator;	/* first: the two are one pointer */
	bool		 p_block_seeded_status;
	unsigned	 p_places;
	struct percpu_cpu *p_cpu;	/* [p_places] */
	/* Written at reseeds, loaded by every read. */
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	 p_ready;
	_Alignas(MACHINE_CACHE_LINE)
	struct m64	 p_generation;	/* of p_base; changes with its lock */
	struct lock	 p_base_mtx;
	struct crng	 p_base;	/* p_base_mtx */
	uint32_t	 p_reseeds;	/* p_base_mtx */
	struct lock	 p_pool_mtx;
	struct crng_pool p_pool;	/* p_pool_mtx */
	struct crng_timer p_timer;	/* the harvest thread's */
};

#define	percpu_init		FLAVOURED(percpu_init)
#define	percpu_fini		FLAVOURED(percpu_fini)
#define	percpu_seeded		FLAVOURED(percpu_seeded)
#define	percpu_wait_seeded	FLAVOURED(percpu_wait_seeded)
#define	percpu_status		FLAVOURED(percpu_status)
#define	percpu_pre_read		FLAVOURED(percpu_pre_read)
#define	percpu_read		FLAVOURED(percpu_read)
#define	percpu_event		FLAVOURED(percpu_event)
#define	percpu_timer		FLAVOURED(percpu_timer)
#define	percpu_derive		FLAVOURED(percpu_derive)
#define	percpu_generate		FLAVOURED(percpu_generate)
#define	percpu_reseed		FLAVOURED(percpu_reseed)

/*
 * Members of struct random_algorithm; contracts there.  Linux has no
 * minpoolsize.  In the status, pool 0 is the one pool, and its bytes are those
 * credited until it is ready.
 */
int percpu_init(struct generator *g, const struct generator_params *params);
void percpu_fini(struct generator *g);
bool percpu_seeded(struct generator *g);
void percpu_wait_seeded(struct generator *g, int64_t timeout_ns);
void percpu_status(struct generator *g, struct generator_status *gs);
void percpu_pre_read(struct generator *g);
void percpu_read(struct generator *g, struct generator_reader *gr,
    struct uio *uio);
void percpu_event(struct generator *g, const struct harvest_event *event);
void percpu_timer(struct generator *g, int64_t now_ns);

/* Gives a CPU, whose lock is owned, a key of the base's generation. */
void percpu_derive(struct percpu *p, struct percpu_cpu *pc);

/*
 * Generates the rest of uio under a key of its own, without a lock.
 *
 *   ck   in/out  unkeyed before and after
 *   ctr  in      where the keystream begins
 */
void percpu_generate(struct cipher_key *ck,
    const uint8_t key[CIPHER_KEY_BYTES], uint128_t ctr, struct uio *uio);

/* Keys the base from the pool; the first time the generator is ready then. */
void percpu_reseed(struct percpu *p);

/* The whole of p, from its first member. */
static inline struct percpu *
percpu_of(struct generator *g)
{
	return ((struct percpu *)(void *)g);
}

#endif
