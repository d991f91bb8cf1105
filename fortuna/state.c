#include <limits.h>

#include "fortuna/state.h"
#include "lib/crypto/stub_cipher.h"
#include "lib/ledger/ledger.h"
#include "lib/crypto/wipe.h"

/* A new K is whole blocks of keystream, or the first part of one. */
CTASSERT(CIPHER_KEY_BYTES % 16 == 0);
CTASSERT(RANDOM_FORTUNA_PAGE % CIPHER_BLOCK_MAX_BYTES == 0);
CTASSERT(RANDOM_FORTUNA_MAX_READ % CIPHER_BLOCK_MAX_BYTES == 0);
CTASSERT((int)DIGEST_BYTES == (int)CIPHER_KEY_BYTES);
CTASSERT(RANDOM_FORTUNA_SMALL % CIPHER_BLOCK_MAX_BYTES == 0);
CTASSERT(RANDOM_FORTUNA_SMALL < RANDOM_FORTUNA_MAX_READ);

/* Reseed n empties the pools i for which 2^i divides n. */
static unsigned
pools_due(uint64_t reseed)
{
	unsigned i;

	for (i = 1; i < RANDOM_FORTUNA_NPOOLS &&
	    reseed % (UINT64_C(1) << i) == 0;)
		i++;
	return (i);
}

int
fortuna_state_init(struct fortuna_state *fs, const struct cipher *cipher,
    const struct hash *pool_hash, unsigned minpoolsize_bytes)
{
	const struct hash *own_hash = hash_sha256();
	int error;

	if (cipher_is_stub(cipher))
		own_hash = pool_hash = hash_stub();
	KASSERT(minpoolsize_bytes >= RANDOM_FORTUNA_MINPOOLSIZE &&
	    minpoolsize_bytes <= INT_MAX, ("minpoolsize %u",
	    minpoolsize_bytes));
	memset(fs, 0, sizeof(*fs));
	fs->fs_minpoolsize = minpoolsize_bytes;
	error = cipher_key_new(&fs->fs_key, cipher);
	if (error != 0)
		return (error);
	/* Its pools may have another lock than K, which is replaced. */
	fs->fs_ledger = ledger_of(cipher);
	error = digest_init_as(&fs->fs_scratch, own_hash);
	for (unsigned i = 0; i < RANDOM_FORTUNA_NPOOLS && error == 0; i++)
		error = digest_init_as(&fs->fs_pool[i].fsp_hash, pool_hash);
	if (error != 0)
		fortuna_state_fini(fs);
	else
		fs->fs_core = ledger_core(fs->fs_ledger,
		    &(struct ledger_core_rule){
			.lu_pools = RANDOM_FORTUNA_NPOOLS,
			.lu_pool0_bytes = minpoolsize_bytes,
			.lu_due = pools_due });
	return (error);
}

void
fortuna_state_fini(struct fortuna_state *fs)
{
	for (unsigned i = 0; i < RANDOM_FORTUNA_NPOOLS; i++)
		digest_fini(&fs->fs_pool[i].fsp_hash);
	digest_fini(&fs->fs_scratch);
	cipher_key_free(fs->fs_key);
	wipe(fs, sizeof(*fs));
}

/* So that the next reseed, which is part of a read, does not allocate. */
static void
prepare_reseed(struct fortuna_state *fs)
{
	for (; fs->fs_drained > 0; fs->fs_drained--)
		digest_prepare(&fs->fs_pool[fs->fs_drained - 1].fsp_hash);
	digest_prepare(&fs->fs_scratch);
}

void
fortuna_state_event(struct fortuna_state *fs, const struct harvest_event *event)
{
	struct fs_pool *pool;
	uint32_t absorbed;

	KASSERT(event->he_size >= 1 && event->he_size <= HARVEST_ENTROPY_BYTES,
	    ("an event of %u bytes", event->he_size));
	pool = &fs->fs_pool[event->he_source == RANDOM_PURE_VMGENID ? 0 :
	    event->he_destination % RANDOM_FORTUNA_NPOOLS];
	digest_update(&pool->fsp_hash, &event->he_somecounter,
	    sizeof(event->he_somecounter));
	digest_update(&pool->fsp_hash, event->he_entropy, event->he_size);
	prepare_reseed(fs);
	absorbed = (uint32_t)sizeof(event->he_somecounter) + event->he_size;
	pool->fsp_length = pool->fsp_length > INT_MAX - absorbed ? INT_MAX :
	    pool->fsp_length + absorbed;
	/* A design of several states gives such an event to all. */
	ledger_event(fs->fs_ledger, fs->fs_core,
	    (unsigned)(pool - fs->fs_pool), absorbed, pool->fsp_length,
	    event->he_source != RANDOM_PURE_VMGENID || fs->fs_core == 0);
}

/*
 * S_i = SHAd-256(P_i), or the pools' hash twice; P_i = empty.
 *
 * Returns: the length of S_i.
 */
static unsigned
pool_drain(struct fs_pool *pool, uint8_t s[HASH_BYTES_MAX])
{
	const unsigned n = digest_bytes(&pool->fsp_hash);
	uint8_t temp[HASH_BYTES_MAX];

	digest_finish(&pool->fsp_hash, temp);
	digest_reset(&pool->fsp_hash);
	digest_update(&pool->fsp_hash, temp, n);
	digest_finish(&pool->fsp_hash, s);
	digest_reset(&pool->fsp_hash);
	pool->fsp_length = 0;
	wipe(temp, sizeof(temp));
	return (n);
}

unsigned
fortuna_state_drain(struct fortuna_state *fs, int64_t now_ns, bool paced,
    struct fortuna_seed *fd)
{
	unsigned i;

	if (fs->fs_pool[0].fsp_length < fs->fs_minpoolsize)
		return (0);
	now_ns = failpoint_clock(fs->fs_failpoints, now_ns);
	if (paced && fs->fs_reseedcount != 0 &&
	    now_ns - fs->fs_lasttime_ns <= RANDOM_FORTUNA_RESEED_NS)
		return (0);
	if (failpoint_ask(fs->fs_failpoints,
	    FAILPOINT_random_fortuna_pre_read) != 0)
		return (0);
	fs->fs_lasttime_ns = now_ns;
	/* ReseedCnt = ReseedCnt + 1 */
	fs->fs_reseedcount++;
	fd->fd_bytes = 0;
	/* s = e; for i in 0, ..., 31: if 2^i divides ReseedCnt ... */
	for (i = 0; i < RANDOM_FORTUNA_NPOOLS &&
	    fs->fs_reseedcount % (1u << i) == 0; i++) {
		ledger_pool(fs->fs_ledger, fs->fs_core, i,
		    fs->fs_pool[i].fsp_length);
		fd->fd_bytes += pool_drain(&fs->fs_pool[i],
		    fd->fd_s + fd->fd_bytes);
	}
	fs->fs_drained = fd->fd_pools = i;
	ledger_drain(fs->fs_ledger, fs->fs_core, now_ns, true);
	ledger_seed_taken(fs->fs_ledger, fs->fs_core, fd->fd_s, fd->fd_bytes);
	return (i);
}

/* K is what it is from C on. */
static inline void
installed(struct fortuna_state *fs)
{
	if (fs->fs_ledger != NULL)
		ledger_install(fs->fs_ledger, fs->fs_core, fs->fs_key->ck_raw,
		    fs->fs_counter);
}

/*
 * FS&K 9.4.2: K = SHAd-256(K || s), C = C + 1.
 *
 * FreeBSD hashes 512 zero bits first, and leaves K out while it is unset.
 */
void
fortuna_state_reseed(struct fortuna_state *fs, struct fortuna_seed *fd)
{
	static const uint8_t zero_block[64];
	struct digest *dg = &fs->fs_scratch;
	uint8_t hash[DIGEST_BYTES];

	KASSERT(fd->fd_pools >= 1 && fd->fd_pools <= RANDOM_FORTUNA_NPOOLS,
	    ("a reseed from %u pools", fd->fd_pools));
	ledger_seed_used(fs->fs_ledger, fs->fs_core, fd->fd_s, fd->fd_bytes);
	digest_update(dg, zero_block, sizeof(zero_block));
	if (fortuna_state_seeded(fs))
		digest_update(dg, fs->fs_key->ck_raw, CIPHER_KEY_BYTES);
	digest_update(dg, fd->fd_s, fd->fd_bytes);
	digest_finish(dg, hash);
	digest_reset(dg);
	digest_update(dg, hash, sizeof(hash));
	digest_finish(dg, hash);
	digest_reset(dg);
	ledger_reseed_begin(fs->fs_ledger, fs->fs_core);
	cipher_key_set(fs->fs_key, hash);
	uint128_increment(&fs->fs_counter);
	installed(fs);
	ledger_reseed_end(fs->fs_ledger, fs->fs_core);
	wipe(hash, sizeof(hash));
	wipe(fd->fd_s, fd->fd_bytes);
}

unsigned
fortuna_state_pre_read(struct fortuna_state *fs, int64_t now_ns, bool paced)
{
	struct fortuna_seed fd;
	unsigned pools;

	pools = fortuna_state_drain(fs, now_ns, paced, &fd);
	if (pools != 0)
		fortuna_state_reseed(fs, &fd);
	return (pools);
}

static void
rekey(struct cipher_key *key, uint128_t *ctr)
{
	uint8_t newkey[CIPHER_KEY_BYTES];

	cipher_keystream(key, ctr, newkey, sizeof(newkey));
	cipher_key_set(key, newkey);
	wipe(newkey, sizeof(newkey));
}

void
fortuna_state_rekey(struct fortuna_state *fs)
{
	rekey(fs->fs_key, &fs->fs_counter);
	installed(fs);
}

size_t
fortuna_piece(const struct cipher *cipher, uint64_t resid)
{
	size_t n;

	KASSERT(resid > 0, ("nothing to generate"));
	n = resid < RANDOM_FORTUNA_PAGE ? (size_t)resid : RANDOM_FORTUNA_PAGE;
	/* The partial block of an AES read is a piece of its own. */
	if (cipher->ci_whole_blocks && n > cipher->ci_block_bytes)
		n -= n % cipher->ci_block_bytes;
	return (n);
}

void
fortuna_state_genbytes(struct fortuna_state *fs, uint8_t *out, size_t n)
{
	KASSERT(fortuna_piece(fs->fs_key->ck_cipher, n) == n,
	    ("%zu bytes are not one piece", n));
	cipher_keystream_cut(fs->fs_key, &fs->fs_counter, out, n);
	fortuna_state_rekey(fs);
}

void
fortuna_state_reserve(struct fortuna_state *fs, struct cipher_key **spare,
    uint64_t n, struct fortuna_private *fp)
{
	const struct cipher *cipher = fs->fs_key->ck_cipher;
	uint8_t newkey[CIPHER_KEY_BYTES];
	uint64_t blocks;

	fp->fp_key = fs->fs_key;
	fp->fp_counter = fs->fs_counter;
	fp->fp_resid = n;
	fp->fp_key_left = RANDOM_FORTUNA_MAX_READ;
	blocks = n / cipher->ci_block_bytes + (n % cipher->ci_block_bytes != 0);
	/* Counters for the keys that a long AES read draws in between. */
	if (cipher->ci_whole_blocks)
		blocks += cipher->ci_rekey_blocks *
		    (blocks / RANDOM_FORTUNA_MAX_READ_BLOCKS);
	uint128_add64(&fs->fs_counter, blocks);
	cipher_keystream(fs->fs_key, &fs->fs_counter, newkey, sizeof(newkey));
	cipher_key_set(*spare, newkey);
	wipe(newkey, sizeof(newkey));
	fs->fs_key = *spare;
	*spare = fp->fp_key;
	installed(fs);
}

size_t
fortuna_state_small(struct fortuna_state *fs,
    uint8_t scratch[FORTUNA_SMALL_SCRATCH_BYTES], size_t n)
{
	const struct cipher *cipher = fs->fs_key->ck_cipher;
	const size_t block = cipher->ci_block_bytes;
	size_t whole;

	KASSERT(n <= RANDOM_FORTUNA_SMALL, ("%zu bytes are not small", n));
	whole = (n + block - 1) / block * block;
	cipher_keystream(fs->fs_key, &fs->fs_counter, scratch,
	    whole + cipher->ci_rekey_blocks * block);
	cipher_key_set(fs->fs_key, scratch + whole);
	installed(fs);
	wipe(scratch + whole, cipher->ci_rekey_blocks * block);
	return (whole);
}

void
fortuna_private_genbytes(struct fortuna_private *fp, uint8_t *out, size_t n)
{
	bool bounded = fp->fp_key->ck_cipher->ci_whole_blocks;
	size_t piece;

	KASSERT(n <= fp->fp_resid, ("%zu bytes of a read's last %ju", n,
	    (uintmax_t)fp->fp_resid));
	KASSERT(n == fp->fp_resid || n % CIPHER_BLOCK_MAX_BYTES == 0,
	    ("%zu bytes cut a block", n));
	for (; n > 0; n -= piece, out += piece) {
		piece = n;
		if (bounded && piece > fp->fp_key_left)
			piece = fp->fp_key_left;
		cipher_keystream_cut(fp->fp_key, &fp->fp_counter, out, piece);
		fp->fp_resid -= piece;
		if (!bounded)
			continue;
		fp->fp_key_left -= piece;
		if (fp->fp_key_left == 0 && fp->fp_resid > 0) {
			rekey(fp->fp_key, &fp->fp_counter);
			fp->fp_key_left = RANDOM_FORTUNA_MAX_READ;
		}
	}
}

void
fortuna_private_fini(struct fortuna_private *fp)
{
	cipher_key_wipe(fp->fp_key);
	wipe(fp, sizeof(*fp));
}
