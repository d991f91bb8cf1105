/*
 * Fortuna in the kernel's dialect, for tests of kernel sources as designs.
 * Its bytes are those of FreeBSD 15.
 *
 * Variants are files that include this one.  They define OWN_PRE_READ, OWN_READ
 * or OWN_EVENT where they bring a function of their own; FORTUNA_MTX,
 * FORTUNA_LOCK() and FORTUNA_UNLOCK() for another kind of mutex;
 * FORTUNA_COUNT(n), what a read of n bytes does under it; FORTUNA_MADE(n), how
 * many bytes it generates; and FORTUNA_COPY() and FORTUNA_CLEAR(), how it
 * copies the key and clears the copy.
 */
#include <sys/param.h>
#include <sys/systm.h>
#include <sys/fail.h>
#include <sys/kernel.h>
#include <sys/limits.h>
#include <sys/lock.h>
#include <sys/mutex.h>
#include <sys/random.h>
#include <sys/sysctl.h>

#include <dev/random/fortuna.h>
#include <dev/random/hash.h>
#include <dev/random/random_harvestq.h>
#include <dev/random/randomdev.h>
#include <dev/random/uint128.h>

#define	FORTUNA_PACE		(SBT_1S / 10)
/* Bytes, and blocks, that one AES key generates at most. */
#define	FORTUNA_AES_MAX		(1 << 20)
#define	FORTUNA_AES_MAX_BLOCKS	(FORTUNA_AES_MAX / RANDOM_BLOCKSIZE)

#ifndef FORTUNA_MTX
#define	FORTUNA_MTX		MTX_DEF
#define	FORTUNA_LOCK()		RANDOM_RESEED_LOCK()
#define	FORTUNA_UNLOCK()	RANDOM_RESEED_UNLOCK()
#endif
#ifndef FORTUNA_COUNT
#define	FORTUNA_COUNT(n)	(void)0
#endif
#ifndef FORTUNA_COPY
#define	FORTUNA_COPY(to, from)	memcpy(to, from, sizeof(*(to)))
#endif
#ifndef FORTUNA_CLEAR
#define	FORTUNA_CLEAR(p)	explicit_bzero(p, sizeof(*(p)))
#endif
#ifndef FORTUNA_MADE
#define	FORTUNA_MADE(n)		(n)
#endif

CTASSERT(RANDOM_KEYSIZE % RANDOM_BLOCKSIZE == 0);
CTASSERT(PAGE_SIZE % CHACHA_BLOCKLEN == 0);

static struct fortuna_state {
	struct fs_pool {
		u_int	fsp_length;	/* bytes since the last reseed */
		struct randomdev_hash fsp_hash;
	} fs_pool[RANDOM_FORTUNA_NPOOLS];
	u_int		fs_reseedcount;
	uint128_t	fs_counter;	/* C; 0: not seeded */
	union randomdev_key fs_key;	/* K */
	u_int		fs_minpoolsize;
	sbintime_t	fs_lasttime;	/* of the last reseed */
	mtx_t		fs_mtx;
} fortuna_state = {
	.fs_minpoolsize	= RANDOM_FORTUNA_DEFPOOLSIZE,
};

/* Digests of the pools that a reseed empties. */
struct fortuna_seed {
	uint8_t		fd_s[RANDOM_FORTUNA_NPOOLS][RANDOM_KEYSIZE];
	u_int		fd_pools;
};

static bool fortuna_concurrent = true;
static bool fortuna_blocked;
static struct sysctl_ctx_list fortuna_sysctls;

static void random_fortuna_pre_read(void);
static void random_fortuna_read_concurrent(uint8_t *, size_t);
static void random_fortuna_process_event(struct harvest_event *);

RANDOM_CHECK_UINT(minpoolsize, 16, INT_MAX)

SYSCTL_BOOL(_kern_random, OID_AUTO, block_seeded_status, CTLFLAG_RWTUN,
    &fortuna_blocked, 0, "Report an unseeded generator");
SYSCTL_NODE(_kern_random, OID_AUTO, fortuna, CTLFLAG_RW | CTLFLAG_MPSAFE, 0,
    "Fortuna");
SYSCTL_PROC(_kern_random_fortuna, OID_AUTO, minpoolsize,
    CTLTYPE_UINT | CTLFLAG_RWTUN | CTLFLAG_MPSAFE,
    &fortuna_state.fs_minpoolsize, 0, random_check_uint_minpoolsize, "IU",
    "Bytes of pool 0 that a reseed needs");

static void
random_fortuna_init(void *arg __unused)
{
	mtx_init(&fortuna_state.fs_mtx, "reseed mutex", NULL, FORTUNA_MTX);
	for (u_int i = 0; i < RANDOM_FORTUNA_NPOOLS; i++)
		randomdev_hash_init(&fortuna_state.fs_pool[i].fsp_hash);
	sysctl_ctx_init(&fortuna_sysctls);
	SYSCTL_ADD_BOOL(&fortuna_sysctls,
	    SYSCTL_STATIC_CHILDREN(_kern_random_fortuna), OID_AUTO,
	    "concurrent_read", CTLFLAG_RDTUN, &fortuna_concurrent, 0,
	    "Generate output without the mutex");
}
SYSINIT(random_fortuna, SI_SUB_RANDOM, SI_ORDER_SECOND, random_fortuna_init,
    NULL);

static void
random_fortuna_fini(void *arg __unused)
{
	sysctl_ctx_free(&fortuna_sysctls);
	mtx_destroy(&fortuna_state.fs_mtx);
	explicit_bzero(&fortuna_state, sizeof(fortuna_state));
}
SYSUNINIT(random_fortuna, SI_SUB_RANDOM, SI_ORDER_SECOND, random_fortuna_fini,
    NULL);

static bool
random_fortuna_is_seeded(void)
{
	return (!uint128_is_zero(fortuna_state.fs_counter));
}

static void
random_fortuna_rekey(union randomdev_key *key, uint128_t *counter)
{
	uint8_t newkey[RANDOM_KEYSIZE];

	randomdev_keystream(key, counter, newkey, sizeof(newkey));
	randomdev_encrypt_init(key, newkey);
	explicit_bzero(newkey, sizeof(newkey));
}

/* Generates n bytes; of AES, with a new key after each FORTUNA_AES_MAX. */
static void
random_fortuna_generate(union randomdev_key *key, uint128_t *counter,
    uint8_t *buf, size_t n)
{
	uint8_t block[RANDOM_BLOCKSIZE];
	size_t tail;

	if (random_chachamode) {
		randomdev_keystream(key, counter, buf, n);
		return;
	}
	for (; n > FORTUNA_AES_MAX; n -= FORTUNA_AES_MAX) {
		randomdev_keystream(key, counter, buf, FORTUNA_AES_MAX);
		random_fortuna_rekey(key, counter);
		buf += FORTUNA_AES_MAX;
	}
	tail = n % RANDOM_BLOCKSIZE;
	if (n >= RANDOM_BLOCKSIZE)
		randomdev_keystream(key, counter, buf, n - tail);
	if (tail == 0)
		return;
	randomdev_keystream(key, counter, block, sizeof(block));
	memcpy(buf + n - tail, block, tail);
	explicit_bzero(block, sizeof(block));
}

/* Empties the pools of the next reseed, if that is due; else returns false. */
static bool
random_fortuna_drain(struct fortuna_seed *fd, sbintime_t now)
{
	struct randomdev_hash hash;
	struct fs_pool *pool;
	u_int i;

	if (fortuna_state.fs_pool[0].fsp_length < fortuna_state.fs_minpoolsize)
		return (false);
	if (fortuna_state.fs_reseedcount != 0 &&
	    now - fortuna_state.fs_lasttime <= FORTUNA_PACE)
		return (false);
	KFAIL_POINT_CODE(DEBUG_FP, random_fortuna_pre_read, {
		return (false);
	});
	fortuna_state.fs_lasttime = now;
	fortuna_state.fs_reseedcount++;
	for (i = 0; i < RANDOM_FORTUNA_NPOOLS &&
	    fortuna_state.fs_reseedcount % (1U << i) == 0; i++) {
		pool = &fortuna_state.fs_pool[i];
		randomdev_hash_finish(&pool->fsp_hash, fd->fd_s[i]);
		randomdev_hash_init(&pool->fsp_hash);
		pool->fsp_length = 0;
		randomdev_hash_init(&hash);
		randomdev_hash_iterate(&hash, fd->fd_s[i], RANDOM_KEYSIZE);
		randomdev_hash_finish(&hash, fd->fd_s[i]);
	}
	fd->fd_pools = i;
	return (true);
}

/* K is the hash's hash of zeros, the old K if there is one, and the seed. */
static void
random_fortuna_reseed(struct fortuna_seed *fd)
{
	static const uint8_t zeros[RANDOM_ZERO_BLOCKSIZE];
	uint8_t digest[RANDOM_KEYSIZE];
	struct randomdev_hash hash;
	const void *key;
	size_t keysize;

	randomdev_hash_init(&hash);
	randomdev_hash_iterate(&hash, zeros, sizeof(zeros));
	if (random_fortuna_is_seeded()) {
		randomdev_getkey(&fortuna_state.fs_key, &key, &keysize);
		KASSERT(keysize == RANDOM_KEYSIZE, ("a key of %zu bytes",
		    keysize));
		randomdev_hash_iterate(&hash, key, keysize);
	}
	randomdev_hash_iterate(&hash, fd->fd_s, fd->fd_pools * RANDOM_KEYSIZE);
	randomdev_hash_finish(&hash, digest);
	randomdev_hash_init(&hash);
	randomdev_hash_iterate(&hash, digest, sizeof(digest));
	randomdev_hash_finish(&hash, digest);
	randomdev_encrypt_init(&fortuna_state.fs_key, digest);
	if (!random_fortuna_is_seeded())
		randomdev_unblock();
	uint128_increment(&fortuna_state.fs_counter);
	explicit_bzero(digest, sizeof(digest));
	explicit_bzero(fd, sizeof(*fd));
}

#ifndef OWN_PRE_READ
static void
random_fortuna_pre_read(void)
{
	struct fortuna_seed fd;

	FORTUNA_LOCK();
	if (random_fortuna_drain(&fd, getsbinuptime()))
		random_fortuna_reseed(&fd);
	FORTUNA_UNLOCK();
}
#endif

static bool
random_fortuna_seeded(void)
{
	if (fortuna_blocked)
		return (false);
	/* A stale C costs a pre_read. */
	if (!random_fortuna_is_seeded())
		random_fortuna_pre_read();
	return (random_fortuna_is_seeded());
}

/* The first piece of a read under the mutex: a page, or AES's odd bytes. */
static size_t
random_fortuna_piece(size_t n)
{
	n = MIN(n, PAGE_SIZE);
	if (!random_chachamode && n > RANDOM_BLOCKSIZE)
		n = rounddown2(n, RANDOM_BLOCKSIZE);
	return (n);
}

static void
random_fortuna_read_locked(uint8_t *buf, size_t n)
{
	size_t piece;

	FORTUNA_LOCK();
	KASSERT(random_fortuna_is_seeded(), ("read while unseeded"));
	for (;;) {
		piece = random_fortuna_piece(n);
		random_fortuna_generate(&fortuna_state.fs_key,
		    &fortuna_state.fs_counter, buf, piece);
		random_fortuna_rekey(&fortuna_state.fs_key,
		    &fortuna_state.fs_counter);
		FORTUNA_UNLOCK();
		buf += piece;
		n -= piece;
		if (n == 0)
			break;
		FORTUNA_LOCK();
	}
}

/* Blocks that a read of n bytes uses, with those for its keys. */
static uint64_t
random_fortuna_blocks(size_t n)
{
	uint64_t blocks;

	if (random_chachamode)
		return (howmany(n, CHACHA_BLOCKLEN));
	blocks = howmany(n, RANDOM_BLOCKSIZE);
	return (blocks + RANDOM_KEYS_PER_BLOCK *
	    (blocks / FORTUNA_AES_MAX_BLOCKS));
}

#ifndef OWN_READ
static void
random_fortuna_read_concurrent(uint8_t *buf, size_t n)
{
	const uint64_t blocks = random_fortuna_blocks(n);
	union randomdev_key key;
	uint128_t counter;

	FORTUNA_LOCK();
	KASSERT(random_fortuna_is_seeded(), ("read while unseeded"));
	FORTUNA_COPY(&key, &fortuna_state.fs_key);
	counter = fortuna_state.fs_counter;
	FORTUNA_COUNT(n);
	uint128_add64(&fortuna_state.fs_counter, blocks);
	random_fortuna_rekey(&fortuna_state.fs_key, &fortuna_state.fs_counter);
	FORTUNA_UNLOCK();
	random_fortuna_generate(&key, &counter, buf, FORTUNA_MADE(n));
	FORTUNA_CLEAR(&key);
	explicit_bzero(&counter, sizeof(counter));
}
#endif

static void
random_fortuna_read(uint8_t *buf, size_t n)
{
	if (fortuna_concurrent)
		random_fortuna_read_concurrent(buf, n);
	else
		random_fortuna_read_locked(buf, n);
}

static void
random_fortuna_absorb(const struct harvest_event *event)
{
	u_int i = event->he_destination % RANDOM_FORTUNA_NPOOLS;
	struct fs_pool *pool;
	u_int n;

	KASSERT(event->he_size >= 1 &&
	    event->he_size <= sizeof(event->he_entropy),
	    ("an event of %u bytes", event->he_size));
	if (event->he_source == RANDOM_PURE_VMGENID)
		i = 0;
	pool = &fortuna_state.fs_pool[i];
	randomdev_hash_iterate(&pool->fsp_hash, &event->he_somecounter,
	    sizeof(event->he_somecounter));
	randomdev_hash_iterate(&pool->fsp_hash, event->he_entropy,
	    event->he_size);
	n = sizeof(event->he_somecounter) + event->he_size;
	pool->fsp_length += MIN(n, INT_MAX - pool->fsp_length);
}

#ifndef OWN_EVENT
static void
random_fortuna_process_event(struct harvest_event *event)
{
	FORTUNA_LOCK();
	if (random_harvest_healthtest(event))
		random_fortuna_absorb(event);
	FORTUNA_UNLOCK();
}
#endif

const struct random_algorithm random_alg_context = {
	.ra_ident	= "Fortuna",
	.ra_poolcount	= RANDOM_FORTUNA_NPOOLS,
	.ra_pre_read	= random_fortuna_pre_read,
	.ra_read	= random_fortuna_read,
	.ra_seeded	= random_fortuna_seeded,
	.ra_event_processor = random_fortuna_process_event,
};
