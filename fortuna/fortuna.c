/*
 * Fortuna: Ferguson, Schneier and Kohno, Cryptography Engineering, chapter 9
 * (FS&K).  What it computes is what FreeBSD 13 to 15 compute.
 *
 * One mutex protects pools, K and C.  A read generates its output with the
 * mutex owned, a page at a time; or, with fortuna_concurrent_read, it takes K
 * and a range of C, replaces K, and generates without the mutex.
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

#define	RANDOM_FORTUNA_MINPOOLSIZE	16
#define	RANDOM_FORTUNA_MAXPOOLSIZE	INT_MAX
/* Bytes, and blocks, of one AES key. */
#define	RANDOM_FORTUNA_MAX_READ		(1 << 20)
#define	RANDOM_FORTUNA_MAX_READ_BLOCKS					\
	(RANDOM_FORTUNA_MAX_READ / RANDOM_BLOCKSIZE)

CTASSERT(RANDOM_BLOCKSIZE == sizeof(uint128_t));
CTASSERT(RANDOM_KEYSIZE % RANDOM_BLOCKSIZE == 0);
CTASSERT(PAGE_SIZE % CHACHA_BLOCKLEN == 0);

static struct fortuna_state {
	struct fs_pool {		/* P_i */
		u_int	fsp_length;	/* bytes since it was emptied */
		struct randomdev_hash fsp_hash;
	} fs_pool[RANDOM_FORTUNA_NPOOLS];
	u_int		fs_reseedcount;	/* ReseedCnt */
	uint128_t	fs_counter;	/* C; 0: not seeded */
	union randomdev_key fs_key;	/* K */
	u_int		fs_minpoolsize;	/* bytes of P_0 that a reseed needs */
	sbintime_t	fs_lasttime;	/* of the last reseed */
	mtx_t		fs_mtx;
} fortuna_state;

static bool fortuna_concurrent_read __read_frequently = true;
static struct sysctl_ctx_list random_clist;

static void random_fortuna_pre_read(void);
static void random_fortuna_read(uint8_t *, size_t);
static bool random_fortuna_seeded(void);
static void random_fortuna_process_event(struct harvest_event *);

RANDOM_CHECK_UINT(fs_minpoolsize, RANDOM_FORTUNA_MINPOOLSIZE,
    RANDOM_FORTUNA_MAXPOOLSIZE)

const struct random_algorithm random_alg_context = {
	.ra_ident	= "Fortuna",
	.ra_poolcount	= RANDOM_FORTUNA_NPOOLS,
	.ra_pre_read	= random_fortuna_pre_read,
	.ra_read	= random_fortuna_read,
	.ra_seeded	= random_fortuna_seeded,
	.ra_event_processor = random_fortuna_process_event,
};

static void
random_fortuna_init_alg(void *arg __unused)
{
	struct sysctl_oid *oid;

	RANDOM_RESEED_INIT_LOCK();
	fortuna_state.fs_minpoolsize = RANDOM_FORTUNA_DEFPOOLSIZE;
	sysctl_ctx_init(&random_clist);
	oid = SYSCTL_ADD_NODE(&random_clist,
	    SYSCTL_STATIC_CHILDREN(_kern_random), OID_AUTO, "fortuna",
	    CTLFLAG_RW | CTLFLAG_MPSAFE, 0, "Fortuna");
	SYSCTL_ADD_PROC(&random_clist, SYSCTL_CHILDREN(oid), OID_AUTO,
	    "minpoolsize", CTLTYPE_UINT | CTLFLAG_RWTUN | CTLFLAG_MPSAFE,
	    &fortuna_state.fs_minpoolsize, 0, random_check_uint_fs_minpoolsize,
	    "IU", "Bytes of pool 0 that a reseed needs");
	SYSCTL_ADD_BOOL(&random_clist, SYSCTL_CHILDREN(oid), OID_AUTO,
	    "concurrent_read", CTLFLAG_RDTUN, &fortuna_concurrent_read, 0,
	    "Generate without the mutex");
	for (int i = 0; i < RANDOM_FORTUNA_NPOOLS; i++) {
		randomdev_hash_init(&fortuna_state.fs_pool[i].fsp_hash);
		fortuna_state.fs_pool[i].fsp_length = 0;
	}
	fortuna_state.fs_counter = UINT128_ZERO;
}
SYSINIT(random_alg, SI_SUB_RANDOM, SI_ORDER_SECOND, random_fortuna_init_alg,
    NULL);

/*
 * Absorbs an event into its pool: FS&K, AddRandomEvent, without the source and
 * the size.
 */
static void
random_fortuna_process_event(struct harvest_event *event)
{
	struct fs_pool *pool;
	u_int absorbed;

	RANDOM_RESEED_LOCK();
	if (!random_harvest_healthtest(event)) {
		RANDOM_RESEED_UNLOCK();
		return;
	}
	KASSERT(event->he_size <= sizeof(event->he_entropy),
	    ("an event of %u bytes", event->he_size));
	/* A machine that was cloned is to reseed soon. */
	pool = &fortuna_state.fs_pool[event->he_source == RANDOM_PURE_VMGENID ?
	    0 : event->he_destination % RANDOM_FORTUNA_NPOOLS];
	randomdev_hash_iterate(&pool->fsp_hash, &event->he_somecounter,
	    sizeof(event->he_somecounter));
	randomdev_hash_iterate(&pool->fsp_hash, event->he_entropy,
	    event->he_size);
	absorbed = sizeof(event->he_somecounter) + event->he_size;
	pool->fsp_length += MIN(absorbed,
	    RANDOM_FORTUNA_MAXPOOLSIZE - pool->fsp_length);
	RANDOM_RESEED_UNLOCK();
}

/*
 * FS&K, Reseed: K = Hd(K | s), C = C + 1, where Hd(m) = H(H(0^512 | m)) and the
 * first K has no predecessor.
 */
static void
random_fortuna_reseed_internal(const uint8_t *s, u_int pools)
{
	struct randomdev_hash context;
	uint8_t hash[RANDOM_KEYSIZE];
	const void *key;
	size_t keysize;

	RANDOM_RESEED_ASSERT_LOCK_OWNED();
	randomdev_hash_init(&context);
	randomdev_hash_iterate(&context, zero_region, RANDOM_ZERO_BLOCKSIZE);
	if (!uint128_is_zero(fortuna_state.fs_counter)) {
		randomdev_getkey(&fortuna_state.fs_key, &key, &keysize);
		KASSERT(keysize == RANDOM_KEYSIZE, ("a key of %zu bytes",
		    keysize));
		randomdev_hash_iterate(&context, key, keysize);
	}
	randomdev_hash_iterate(&context, s, pools * RANDOM_KEYSIZE);
	randomdev_hash_finish(&context, hash);
	randomdev_hash_init(&context);
	randomdev_hash_iterate(&context, hash, sizeof(hash));
	randomdev_hash_finish(&context, hash);
	randomdev_encrypt_init(&fortuna_state.fs_key, hash);
	explicit_bzero(hash, sizeof(hash));
	if (uint128_is_zero(fortuna_state.fs_counter))
		randomdev_unblock();
	uint128_increment(&fortuna_state.fs_counter);
}

/* Whether a reseed is due. */
static bool
random_fortuna_due(sbintime_t now)
{
	RANDOM_RESEED_ASSERT_LOCK_OWNED();
	if (fortuna_state.fs_pool[0].fsp_length < fortuna_state.fs_minpoolsize)
		return (false);
	if (fortuna_state.fs_reseedcount != 0 &&
	    now - fortuna_state.fs_lasttime <= SBT_1S / 10)
		return (false);
	KFAIL_POINT_CODE(DEBUG_FP, random_fortuna_pre_read, {
		return (false);
	});
	return (true);
}

/* Reseeds if that is due: FS&K, the first part of RandomData. */
static void
random_fortuna_pre_read(void)
{
	uint8_t s[RANDOM_FORTUNA_NPOOLS][RANDOM_KEYSIZE];
	struct randomdev_hash context;
	struct fs_pool *pool;
	sbintime_t now;
	u_int i;

	RANDOM_RESEED_LOCK();
	now = getsbinuptime();
	if (!random_fortuna_due(now)) {
		RANDOM_RESEED_UNLOCK();
		return;
	}
	fortuna_state.fs_lasttime = now;
	fortuna_state.fs_reseedcount++;
	/* s is of the pools i for which 2^i divides ReseedCnt. */
	for (i = 0; i < RANDOM_FORTUNA_NPOOLS &&
	    fortuna_state.fs_reseedcount % (1U << i) == 0; i++) {
		pool = &fortuna_state.fs_pool[i];
		randomdev_hash_finish(&pool->fsp_hash, s[i]);
		randomdev_hash_init(&pool->fsp_hash);
		pool->fsp_length = 0;
		randomdev_hash_init(&context);
		randomdev_hash_iterate(&context, s[i], RANDOM_KEYSIZE);
		randomdev_hash_finish(&context, s[i]);
	}
	random_fortuna_reseed_internal(s[0], i);
	RANDOM_RESEED_UNLOCK();
	explicit_bzero(s, sizeof(s));
}

/* K is the next output of K: the end of FS&K, PseudoRandomData. */
static void
random_fortuna_rekey(union randomdev_key *p_key, uint128_t *p_counter,
    uint8_t newkey[static RANDOM_KEYSIZE])
{
	randomdev_keystream(p_key, p_counter, newkey, RANDOM_KEYSIZE);
	randomdev_encrypt_init(p_key, newkey);
}

/*
 * FS&K, GenerateBlocks, of any number of bytes.  With the mutex owned it drops
 * it after each page, and returns without it.  A key of AES generates no more
 * than 1 MiB, and whole blocks: the odd end of a read is cut off one.  The
 * caller clears newkey.
 */
static void
random_fortuna_genbytes(uint8_t *buf, size_t bytecount,
    uint8_t newkey[static RANDOM_KEYSIZE], uint128_t *p_counter,
    union randomdev_key *p_key, bool locked)
{
	const size_t most = locked ? PAGE_SIZE : random_chachamode ? bytecount :
	    RANDOM_FORTUNA_MAX_READ;
	const size_t odd = random_chachamode ? 0 : bytecount % RANDOM_BLOCKSIZE;
	uint8_t block[RANDOM_BLOCKSIZE];
	size_t n;

	for (bytecount -= odd; bytecount > 0; bytecount -= n, buf += n) {
		n = MIN(bytecount, most);
		randomdev_keystream(p_key, p_counter, buf, n);
		if (n == bytecount && odd == 0)
			continue;
		/* Other keys follow, between pages and before odd bytes. */
		if (locked || n == RANDOM_FORTUNA_MAX_READ)
			random_fortuna_rekey(p_key, p_counter, newkey);
		if (locked) {
			RANDOM_RESEED_UNLOCK();
			RANDOM_RESEED_LOCK();
		}
	}
	if (odd > 0)
		randomdev_keystream(p_key, p_counter, block, sizeof(block));
	if (locked) {
		random_fortuna_rekey(p_key, p_counter, newkey);
		RANDOM_RESEED_UNLOCK();
	}
	if (odd > 0) {
		memcpy(buf, block, odd);
		explicit_bzero(block, sizeof(block));
	}
}

/* Takes K and a range of C, and generates without the mutex. */
static void
random_fortuna_read_concurrent(uint8_t *buf, size_t bytecount,
    uint8_t newkey[static RANDOM_KEYSIZE])
{
	union randomdev_key key_copy;
	uint128_t counter_copy;
	size_t blockcount;

	/* The counters of this read, with those of keys in between. */
	if (random_chachamode) {
		blockcount = howmany(bytecount, CHACHA_BLOCKLEN);
	} else {
		blockcount = howmany(bytecount, RANDOM_BLOCKSIZE);
		blockcount += RANDOM_KEYS_PER_BLOCK *
		    (blockcount / RANDOM_FORTUNA_MAX_READ_BLOCKS);
	}

	RANDOM_RESEED_LOCK();
	KASSERT(!uint128_is_zero(fortuna_state.fs_counter), ("C is 0"));
	counter_copy = fortuna_state.fs_counter;
	memcpy(&key_copy, &fortuna_state.fs_key, sizeof(key_copy));
	uint128_add64(&fortuna_state.fs_counter, blockcount);
	random_fortuna_rekey(&fortuna_state.fs_key, &fortuna_state.fs_counter,
	    newkey);
	RANDOM_RESEED_UNLOCK();

	random_fortuna_genbytes(buf, bytecount, newkey, &counter_copy,
	    &key_copy, false);
	explicit_bzero(&counter_copy, sizeof(counter_copy));
	explicit_bzero(&key_copy, sizeof(key_copy));
}

/* FS&K, the second part of RandomData. */
static void
random_fortuna_read(uint8_t *buf, size_t bytecount)
{
	uint8_t newkey[RANDOM_KEYSIZE];

	if (fortuna_concurrent_read) {
		random_fortuna_read_concurrent(buf, bytecount, newkey);
	} else {
		RANDOM_RESEED_LOCK();
		KASSERT(!uint128_is_zero(fortuna_state.fs_counter), ("C is 0"));
		random_fortuna_genbytes(buf, bytecount, newkey,
		    &fortuna_state.fs_counter, &fortuna_state.fs_key, true);
	}
	explicit_bzero(newkey, sizeof(newkey));
}

static bool block_seeded_status;
SYSCTL_BOOL(_kern_random, OID_AUTO, block_seeded_status, CTLFLAG_RWTUN,
    &block_seeded_status, 0, "Answer \"not seeded\" in any state");

static bool
random_fortuna_seeded_internal(void)
{
	return (!uint128_is_zero(fortuna_state.fs_counter));
}

static bool
random_fortuna_seeded(void)
{
	if (block_seeded_status)
		return (false);
	KFAIL_POINT_CODE(DEBUG_FP, random_fortuna_seeded, {
		return (false);
	});
	/* C is read without the mutex: a stale one costs a pre_read. */
	if (!random_fortuna_seeded_internal())
		random_fortuna_pre_read();
	return (random_fortuna_seeded_internal());
}
