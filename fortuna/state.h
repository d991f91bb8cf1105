/*
 * Fortuna's state and what can be done to it: pools, reseed, K and C.
 *
 * The pure core.  It takes no lock, reads no clock and allocates only in
 * fortuna_state_init(); the caller ensures exclusion.  Symbols in
 * comments are those of Ferguson, Schneier and Kohno, Cryptography Engineering
 * (FS&K), chapter 9; where FreeBSD differs from the book, FreeBSD is followed.
 *
 * Stands for the locked parts of sys/dev/random/fortuna.c, FreeBSD 14 and 15.
 *
 * Events, pools, reseeds and K are reported to the cipher's ledger, if any.
 */
#ifndef FORTUNA_STATE_H
#define FORTUNA_STATE_H

#include "fortuna/event.h"
#include "fortuna/failpoint.h"
#include "lib/crypto/cipher.h"
#include "lib/crypto/digest.h"

enum {
	RANDOM_FORTUNA_NPOOLS		= 32,
	RANDOM_FORTUNA_DEFPOOLSIZE	= 64,	/* bytes pool 0 needs */
	RANDOM_FORTUNA_MINPOOLSIZE	= 16,
	RANDOM_FORTUNA_MAX_READ_BLOCKS	= 1 << 16, /* per AES key */
	RANDOM_FORTUNA_MAX_READ		= RANDOM_FORTUNA_MAX_READ_BLOCKS * 16,
	RANDOM_FORTUNA_PAGE		= 4096,	/* PAGE_SIZE: a locked piece */
	RANDOM_FORTUNA_RESEED_NS	= 100 * 1000 * 1000,
	/* The most bytes of fortuna_state_small(), and its scratch. */
	RANDOM_FORTUNA_SMALL		= 1024,
	FORTUNA_SMALL_SCRATCH_BYTES	= RANDOM_FORTUNA_SMALL +
	    CIPHER_BLOCK_MAX_BYTES
};

/*
 * The state.  fs_counter is the only record of being seeded: 0 means not.
 */
struct fortuna_state {
	struct fs_pool {
		uint32_t	fsp_length;	/* bytes, up to INT_MAX */
		struct digest	fsp_hash;
	}		 fs_pool[RANDOM_FORTUNA_NPOOLS];	/* P_i */
	uint32_t	 fs_reseedcount;	/* ReseedCnt */
	uint128_t	 fs_counter;		/* C */
	struct cipher_key *fs_key;		/* K */
	_Alignas(CIPHER_KEY_ALIGN)	/* as FreeBSD's, not on C's line */
	int64_t		 fs_lasttime_ns;	/* of the last reseed */
	unsigned	 fs_minpoolsize;	/* bytes */
	unsigned	 fs_drained;		/* pools 0.. to be prepared */
	struct digest	 fs_scratch;		/* of reseeds; empty between */
	struct ledger	*fs_ledger;		/* monitors it, or NULL */
	unsigned	 fs_core;		/* the ledger's, if any */
	struct failpoint *fs_failpoints;	/* the owner's, or NULL */
};

/*
 * Empty pools, no key, C = 0.
 *
 *   pool_hash  in  HASH_READY; hashes P_i to S_i.  K is always made of those
 *                  by SHA-256.
 *
 * Returns: 0, or an errno value of the cipher or digest layer.
 */
int fortuna_state_init(struct fortuna_state *fs, const struct cipher *cipher,
    const struct hash *pool_hash, unsigned minpoolsize_bytes);

/* Wipes and releases. */
void fortuna_state_fini(struct fortuna_state *fs);

/* Whether output may be generated: C != 0. */
static inline bool
fortuna_state_seeded(const struct fortuna_state *fs)
{
	return (!uint128_is_zero(fs->fs_counter));
}

/*
 * Absorbs an event into its pool.  Allocates, so that reseeds need not.
 *
 * Source: FS&K 9.5.6 AddRandomEvent; random_fortuna_process_event().
 * Departs from the book: counter and bytes, without source and length; events
 * of the VM generation ID go to pool 0.
 */
void fortuna_state_event(struct fortuna_state *fs,
    const struct harvest_event *event);

/* The digests S_i of a reseed, concatenated. */
struct fortuna_seed {
	unsigned	fd_pools;
	unsigned	fd_bytes;	/* of fd_s */
	uint8_t		fd_s[RANDOM_FORTUNA_NPOOLS * HASH_BYTES_MAX];
};

/*
 * Drains the pools that take part in the next reseed, if one is due.
 *
 *   now_ns  in   uptime; recorded, and compared if paced
 *   paced   in   require RANDOM_FORTUNA_RESEED_NS since the last reseed
 *   fd      out  for fortuna_state_reseed(); written only if pools were drained
 *
 * Uses the pools, the scratch digest, the count and time of reseeds; not K, C.
 *
 * Returns: the number of pools drained; 0 when no reseed is due.
 * Source: FS&K 9.5.5 RandomData; random_fortuna_pre_read().
 */
unsigned fortuna_state_drain(struct fortuna_state *fs, int64_t now_ns,
    bool paced, struct fortuna_seed *fd);

/*
 * Makes a new K of the old one and fd; C moves on by one.
 *
 *   fd  in/out  wiped
 *
 * Source: FS&K 9.4.2 Reseed; random_fortuna_reseed_internal().
 */
void fortuna_state_reseed(struct fortuna_state *fs, struct fortuna_seed *fd);

/*
 * Drains and reseeds, if a reseed is due.
 *
 * Returns: as fortuna_state_drain().
 */
unsigned fortuna_state_pre_read(struct fortuna_state *fs, int64_t now_ns,
    bool paced);

/*
 * Replaces K by the next 32 bytes of keystream; C moves on by the cipher's
 * ci_rekey_blocks.
 *
 * Source: the end of FS&K 9.4.4 PseudoRandomData.
 */
void fortuna_state_rekey(struct fortuna_state *fs);

/*
 * The size of the next piece that a locked read generates in one critical
 * section.
 *
 *   resid  in  bytes still to generate, > 0
 *
 * Returns: 1..min(resid, RANDOM_FORTUNA_PAGE).
 * Source: random_fortuna_genbytes().
 */
size_t fortuna_piece(const struct cipher *cipher, uint64_t resid);

/*
 * Generates one such piece and re-keys.
 *
 *   out  out  n bytes, n from fortuna_piece()
 *
 * Source: FS&K 9.4.4; random_fortuna_genbytes().
 */
void fortuna_state_genbytes(struct fortuna_state *fs, uint8_t *out, size_t n);

/* A private generator: the (K, C) that one concurrent read has taken. */
struct fortuna_private {
	struct cipher_key *fp_key;
	uint128_t	 fp_counter;
	uint64_t	 fp_resid;	/* bytes to come */
	size_t		 fp_key_left;	/* bytes until this key is replaced */
};

/*
 * Takes (K, C) for a read of n bytes: reserves its counters and re-keys.
 *
 *   spare  in/out  an unkeyed cipher of the same kind; on return it holds the
 *                  new K in the state, and *spare is the state's former one,
 *                  which fp uses
 *   fp     out     generates exactly n bytes
 *
 * Taking the keyed object instead of copying the key saves expanding it twice.
 * Source: random_fortuna_read_concurrent(), its critical section.
 */
void fortuna_state_reserve(struct fortuna_state *fs, struct cipher_key **spare,
    uint64_t n, struct fortuna_private *fp);

/*
 * Generates n bytes and re-keys with one run of keystream.  Output, K and C are
 * those of fortuna_state_reserve() and the private generator.
 *
 *   scratch  out  the output and surplus keystream; the key has been wiped
 *   n        in   0..RANDOM_FORTUNA_SMALL
 *
 * Returns: how many bytes of scratch the caller has to wipe.
 */
size_t fortuna_state_small(struct fortuna_state *fs,
    uint8_t scratch[FORTUNA_SMALL_SCRATCH_BYTES], size_t n);

/*
 * The next n bytes of a private generator; needs no exclusion.
 *
 *   out  out  n bytes
 *   n    in   fp_resid, or less and then a multiple of CIPHER_BLOCK_MAX_BYTES
 *
 * Source: random_fortuna_genbytes() with a private key.
 */
void fortuna_private_genbytes(struct fortuna_private *fp, uint8_t *out,
    size_t n);

/* Wipes a private generator, its key included. */
void fortuna_private_fini(struct fortuna_private *fp);

#endif
