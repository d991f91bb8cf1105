/*
 * Fortuna in the dialect of releases before r349154: AES alone, a block at a
 * time, and a read of whole blocks with the mutex owned.
 */
#include <sys/param.h>
#include <sys/systm.h>
#include <sys/kernel.h>
#include <sys/limits.h>
#include <sys/lock.h>
#include <sys/malloc.h>
#include <sys/mutex.h>
#include <sys/queue.h>
#include <sys/random.h>
#include <sys/sdt.h>
#include <sys/sysctl.h>

#include <machine/cpu.h>

#include <crypto/rijndael/rijndael-api-fst.h>
#include <crypto/sha2/sha256.h>

#include <dev/random/hash.h>
#include <dev/random/randomdev.h>
#include <dev/random/random_harvestq.h>
#include <dev/random/uint128.h>
#include <dev/random/fortuna.h>

#define	RANDOM_FORTUNA_NPOOLS		32
#define	RANDOM_FORTUNA_DEFPOOLSIZE	64
#define	RANDOM_FORTUNA_MAX_READ		(1 << 20)
#define	RANDOM_FORTUNA_MAXPOOLSIZE	INT_MAX

SDT_PROVIDER_DECLARE(random);
SDT_PROVIDER_DEFINE(random);
SDT_PROBE_DEFINE2(random, fortuna, event_processor, debug, "u_int",
    "struct fs_pool *");

static struct fortuna_state {
	struct fs_pool {
		u_int	fsp_length;
		struct randomdev_hash fsp_hash;
	} fs_pool[RANDOM_FORTUNA_NPOOLS];
	u_int		fs_reseedcount;
	uint128_t	fs_counter;
	struct randomdev_key fs_key;
	u_int		fs_minpoolsize;
	sbintime_t	fs_lasttime;
	mtx_t		fs_mtx;
} fortuna_state;

static struct sysctl_ctx_list random_clist;

static void random_fortuna_init_alg(void *);
static void random_fortuna_deinit_alg(void *);
static void random_fortuna_pre_read(void);
static void random_fortuna_read(uint8_t *, u_int);
static bool random_fortuna_seeded(void);
static void random_fortuna_process_event(struct harvest_event *);

struct random_algorithm random_alg_context = {
	.ra_ident	= "Fortuna",
	.ra_init_alg	= random_fortuna_init_alg,
	.ra_deinit_alg	= random_fortuna_deinit_alg,
	.ra_pre_read	= random_fortuna_pre_read,
	.ra_read	= random_fortuna_read,
	.ra_seeded	= random_fortuna_seeded,
	.ra_event_processor = random_fortuna_process_event,
	.ra_poolcount	= RANDOM_FORTUNA_NPOOLS,
};

static void
random_fortuna_init_alg(void *unused __unused)
{
	struct sysctl_oid *oid;

	RANDOM_RESEED_INIT_LOCK();
	fortuna_state.fs_minpoolsize = RANDOM_FORTUNA_DEFPOOLSIZE;
	oid = SYSCTL_ADD_NODE(&random_clist,
	    SYSCTL_STATIC_CHILDREN(_kern_random), OID_AUTO, "fortuna",
	    CTLFLAG_RW, 0, "Fortuna");
	SYSCTL_ADD_UINT(&random_clist, SYSCTL_CHILDREN(oid), OID_AUTO,
	    "minpoolsize", CTLFLAG_RWTUN, &fortuna_state.fs_minpoolsize, 0,
	    "Bytes of pool 0 that a reseed needs");
	for (int i = 0; i < RANDOM_FORTUNA_NPOOLS; i++)
		randomdev_hash_init(&fortuna_state.fs_pool[i].fsp_hash);
	fortuna_state.fs_counter = UINT128_ZERO;
	explicit_bzero(&fortuna_state.fs_key, sizeof(fortuna_state.fs_key));
}

static void
random_fortuna_deinit_alg(void *unused __unused)
{
	RANDOM_RESEED_DEINIT_LOCK();
	explicit_bzero(&fortuna_state, sizeof(fortuna_state));
	sysctl_ctx_free(&random_clist);
}

static void
random_fortuna_process_event(struct harvest_event *event)
{
	struct fs_pool *pool;

	RANDOM_RESEED_LOCK();
	pool = &fortuna_state.fs_pool[event->he_destination %
	    RANDOM_FORTUNA_NPOOLS];
	randomdev_hash_iterate(&pool->fsp_hash, event, sizeof(*event));
	pool->fsp_length = MIN(RANDOM_FORTUNA_MAXPOOLSIZE, pool->fsp_length +
	    event->he_size);
	explicit_bzero(event, sizeof(*event));
	RANDOM_RESEED_UNLOCK();
}

/* Hashes the key with its schedule. */
static void
random_fortuna_reseed_internal(uint32_t *entropy_data, u_int blockcount)
{
	struct randomdev_hash context;
	uint8_t hash[RANDOM_KEYSIZE];

	RANDOM_RESEED_ASSERT_LOCK_OWNED();
	randomdev_hash_init(&context);
	randomdev_hash_iterate(&context, zero_region, RANDOM_ZERO_BLOCKSIZE);
	randomdev_hash_iterate(&context, &fortuna_state.fs_key,
	    sizeof(fortuna_state.fs_key));
	randomdev_hash_iterate(&context, entropy_data,
	    RANDOM_KEYSIZE * blockcount);
	randomdev_hash_finish(&context, hash);
	randomdev_hash_init(&context);
	randomdev_hash_iterate(&context, hash, RANDOM_KEYSIZE);
	randomdev_hash_finish(&context, hash);
	randomdev_encrypt_init(&fortuna_state.fs_key, hash);
	explicit_bzero(hash, sizeof(hash));
	if (uint128_is_zero(fortuna_state.fs_counter))
		randomdev_unblock();
	uint128_increment(&fortuna_state.fs_counter);
}

static void
random_fortuna_genblocks(uint8_t *buf, u_int blockcount)
{
	RANDOM_RESEED_ASSERT_LOCK_OWNED();
	for (; blockcount > 0; blockcount--, buf += RANDOM_BLOCKSIZE) {
		randomdev_encrypt(&fortuna_state.fs_key,
		    &fortuna_state.fs_counter, buf, RANDOM_BLOCKSIZE);
		uint128_increment(&fortuna_state.fs_counter);
	}
}

static void
random_fortuna_pre_read(void)
{
	uint32_t s[RANDOM_FORTUNA_NPOOLS * RANDOM_KEYSIZE_WORDS];
	struct randomdev_hash context;
	uint8_t temp[RANDOM_KEYSIZE];
	struct fs_pool *pool;
	sbintime_t now;
	u_int i;

	now = getsbinuptime();
	RANDOM_RESEED_LOCK();
	if (fortuna_state.fs_pool[0].fsp_length <
	    fortuna_state.fs_minpoolsize ||
	    now - fortuna_state.fs_lasttime <= SBT_1S / 10) {
		RANDOM_RESEED_UNLOCK();
		return;
	}
	fortuna_state.fs_lasttime = now;
	fortuna_state.fs_reseedcount++;
	for (i = 0; i < RANDOM_FORTUNA_NPOOLS &&
	    fortuna_state.fs_reseedcount % (1u << i) == 0; i++) {
		pool = &fortuna_state.fs_pool[i];
		randomdev_hash_finish(&pool->fsp_hash, temp);
		randomdev_hash_init(&pool->fsp_hash);
		pool->fsp_length = 0;
		randomdev_hash_init(&context);
		randomdev_hash_iterate(&context, temp, RANDOM_KEYSIZE);
		randomdev_hash_finish(&context, s + i * RANDOM_KEYSIZE_WORDS);
	}
	SDT_PROBE2(random, fortuna, event_processor, debug,
	    fortuna_state.fs_reseedcount, fortuna_state.fs_pool);
	random_fortuna_reseed_internal(s, i);
	explicit_bzero(s, sizeof(s));
	explicit_bzero(temp, sizeof(temp));
	explicit_bzero(&context, sizeof(context));
	RANDOM_RESEED_UNLOCK();
}

static void
random_fortuna_read(uint8_t *buf, u_int bytecount)
{
	static uint8_t temp[RANDOM_KEYSIZE];

	KASSERT(bytecount % RANDOM_BLOCKSIZE == 0 &&
	    bytecount <= RANDOM_FORTUNA_MAX_READ, ("a read of %u bytes",
	    bytecount));
	RANDOM_RESEED_LOCK();
	random_fortuna_genblocks(buf, bytecount / RANDOM_BLOCKSIZE);
	random_fortuna_genblocks(temp, RANDOM_KEYS_PER_BLOCK);
	randomdev_encrypt_init(&fortuna_state.fs_key, temp);
	explicit_bzero(temp, sizeof(temp));
	RANDOM_RESEED_UNLOCK();
}

static bool
random_fortuna_seeded(void)
{
	return (!uint128_is_zero(fortuna_state.fs_counter));
}
