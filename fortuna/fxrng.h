/*
 * FenestrasX: the structures of gen_fxrng.c, and the functions of its contract
 * that have no locking choreography.
 */
#ifndef FORTUNA_FXRNG_H
#define FORTUNA_FXRNG_H

#include "fortuna/brng.h"
#include "fortuna/fxpool.h"
#include "fortuna/generator.h"

/*
 * Cache lines that a critical section uses: ChaCha20's state, generation,
 * buffer and place in it, as in the kernel; and a pool.
 */
enum {
	FXRNG_BRNG_LINES	= 4,
	FXRNG_POOL_LINES	= 4
};

/* One CPU's generator, on lines of its own. */
struct fxrng_cpu {
	struct lock	fc_mtx;
	struct brng	fc_brng;	/* fc_mtx */
};

/* Lock order: pools, root, CPU. */
struct fxrng {
	struct generator f_generator;	/* first: the two are one pointer */
	unsigned	 f_places;
	struct fxrng_cpu *f_cpu;	/* [f_places] */
	/* Written at reseeds, loaded by every read. */
	_Alignas(MACHINE_CACHE_LINE)
	struct m64	 f_generation;	/* the root's; changes with its lock */
	struct lock	 f_root_mtx;
	struct brng	 f_root;	/* f_root_mtx */
	struct blake2	 f_mix;		/* f_root_mtx; of reseeds */
	struct m32	 f_seeded;	/* f_root_mtx; waited on */
	struct lock	 f_pool_mtx;
	struct fxpool	 f_pools;	/* f_pool_mtx */
	struct fxpool_timer f_timer;	/* the harvest thread's */
};

#define	fxrng_init		FLAVOURED(fxrng_init)
#define	fxrng_fini		FLAVOURED(fxrng_fini)
#define	fxrng_wait_seeded	FLAVOURED(fxrng_wait_seeded)
#define	fxrng_status		FLAVOURED(fxrng_status)

/*
 * Members of struct random_algorithm; contracts there.  FenestrasX has neither
 * minpoolsize nor block_seeded_status; in the status, pool 0 needs 0 bytes.
 */
int fxrng_init(struct generator *g, const struct generator_params *params);
void fxrng_fini(struct generator *g);
void fxrng_wait_seeded(struct generator *g, int64_t timeout_ns);
void fxrng_status(struct generator *g, struct generator_status *gs);

/* The whole of f, from its first member. */
static inline struct fxrng *
fxrng_of(struct generator *g)
{
	return ((struct fxrng *)(void *)g);
}

#endif
