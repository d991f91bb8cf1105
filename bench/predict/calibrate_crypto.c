/*
 * Probes of ciphers and hashes as the generators use them, and of reads.  They
 * run in a process whose libcrypto is in the measured mode.
 */
#include "bench/predict/calibrate.h"
#include "bench/cell/cell.h"

enum {
	KEYSTREAM_MAX	= 65536,
	BOOT_BYTES	= 4096,
	SMALL_READ	= 16,
	READ_LOCKS	= 2,		/* of a small read: pre_read, read */
	CLOCK_NS	= 10,		/* some cycle counters count these */
	JITTER_BYTES	= 4096,
	SHA256_BLOCK	= 64,
	EVENT_BYTES	= sizeof(uint32_t) + HARVEST_ENTROPY_BYTES,
	HASHED		= 16384		/* bytes of a long update */
};

static uint8_t buffer[KEYSTREAM_MAX];
static uint128_t counter;

/* Defines a loop of n operations on arg. */
#define	LOOP_OF(name, operation)					\
static void								\
name##_loop(void *arg, unsigned n)					\
{									\
	while (n-- > 0)							\
		operation;						\
}

/* So long calls that nothing but their bytes counts; one block a call. */
LOOP_OF(bytes, cipher_keystream(arg, &counter, buffer, KEYSTREAM_MAX))
LOOP_OF(block, cipher_keystream(arg, &counter, buffer,
    ((const struct cipher_key *)arg)->ck_cipher->ci_block_bytes))
LOOP_OF(wipe, cipher_key_wipe(arg))
LOOP_OF(hash, digest_update(arg, buffer, HASHED))

static void
rekey_loop(void *arg, unsigned n)
{
	while (n-- > 0) {
		cipher_keystream(arg, &counter, buffer, CIPHER_KEY_BYTES);
		cipher_key_set(arg, buffer);
		wipe(buffer, CIPHER_KEY_BYTES);
	}
}

/* In the order of the keys. */
static const struct {
	void		(*loop)(void *arg, unsigned n);
	double		 scale;
	unsigned	 part;		/* of the time, the inverse */
	const char	*note;
} cipher_loops[] = {
	{ bytes_loop, 1. / KEYSTREAM_MAX, 2, "calls for 64 KiB" },
	{ rekey_loop, 1, 4, "32 bytes of keystream, and a key set" },
	{ block_loop, 1, 8, "a call for one block, less byte" },
	{ wipe_loop, 1, 8, "a key of zeros set" },
};

CTASSERT(PROFILE_AES_KERNEL_SETUP == PROFILE_AES_KERNEL_BYTE + 1);
CTASSERT(PROFILE_AES_KERNEL_CALL == PROFILE_AES_KERNEL_BYTE + 2);
CTASSERT(PROFILE_AES_KERNEL_WIPE == PROFILE_AES_KERNEL_BYTE + 3);

/* Of the cipher pq_number, from the key pq_key on. */
void
calibrate_cipher(struct calibration *cb)
{
	static const uint8_t key[CIPHER_KEY_BYTES] = { 1 };
	const struct cipher *ci = ciphers[cb->cb_probe->pq_number];
	const enum profile_key byte = cb->cb_probe->pq_key;
	struct calibrate_spread qs;
	struct cipher_key ck;
	double less_ns;

	if ((cb->cb_error = cipher_key_init(&ck, ci)) != 0)
		return;
	cipher_key_set(&ck, key);
	for (unsigned i = 0; i < nitems(cipher_loops); i++) {
		less_ns = cipher_loops[i].loop == block_loop ?
		    calibrate_value(cb, byte) * ci->ci_block_bytes : 0;
		qs = calibrate_batches(cb, cipher_loops[i].loop, &ck,
		    cb->cb_budget_ns / cipher_loops[i].part);
		/* Simulated costs vary around the mean, not the median. */
		qs.spr_p50 = qs.spr_mean;
		calibrate_enter(cb, byte + i, &qs, cipher_loops[i].scale,
		    -less_ns, "%s", cipher_loops[i].note);
	}
	cipher_key_fini(&ck);
}

static double
time_page(void *arg)
{
	int64_t start_ns = tick_ns();

	cipher_keystream(arg, &counter, buffer, JITTER_BYTES);
	return ((double)(tick_ns() - start_ns));
}

/* The variation of calls of one length. */
void
calibrate_jitter(struct calibration *cb)
{
	struct calibrate_spread qs;
	struct cipher_key ck;
	unsigned count;

	if ((cb->cb_error = cipher_key_init(&ck, ciphers[0])) != 0)
		return;
	count = calibrate_samples(cb, 0, time_page, &ck, cb->cb_budget_ns);
	cipher_key_fini(&ck);
	if (count == 0)
		return;		/* stopped */
	qs = calibrate_spread(cb->cb_samples, count);
	calibrate_set(cb, PROFILE_JITTER_CV, PROVENANCE_MEASURED,
	    calibrate_cv(cb->cb_samples, count),
	    "median deviation of %u pages of %s, %.0f..%.0f ns", count,
	    ciphers[0]->ci_name, qs.spr_p5, qs.spr_p95);
}

static void
final_loop(void *arg, unsigned n)
{
	uint8_t out[DIGEST_BYTES];

	while (n-- > 0) {
		digest_finish(arg, out);
		digest_reset(arg);
		digest_prepare(arg);
	}
}

/* As an event goes into its pool: the counter, then the entropy. */
static void
event_loop(void *arg, unsigned n)
{
	for (; n > 0; n--) {
		digest_update(arg, &n, sizeof(uint32_t));
		digest_update(arg, buffer, HARVEST_ENTROPY_BYTES);
	}
}

void
calibrate_sha256(struct calibration *cb)
{
	const int64_t third_ns = cb->cb_budget_ns / 3;
	struct calibrate_spread qs;
	static struct digest dg;

	if ((cb->cb_error = digest_init(&dg, hash_sha256())) != 0)
		return;
	qs = calibrate_batches(cb, hash_loop, &dg, third_ns);
	calibrate_enter(cb, PROFILE_SHA256_BLOCK, &qs,
	    (double)SHA256_BLOCK / HASHED, 0, "updates of 16 KiB");
	digest_reset(&dg);
	digest_prepare(&dg);
	CALIBRATE_TIME(cb, PROFILE_SHA256_FINAL, final_loop, &dg, third_ns, 0,
	    "finish and begin, of nothing");
	/* Its bytes are charged separately. */
	CALIBRATE_TIME(cb, PROFILE_SHA256_UPDATE, event_loop, &dg, third_ns,
	    -(double)EVENT_BYTES / SHA256_BLOCK * calibrate_value(cb,
	    PROFILE_SHA256_BLOCK), "an event into its pool, less sha256.block");
	digest_fini(&dg);
}

/* What passed outside the lock, before the first acquisitions of a read. */
static struct {
	struct m64	gq_word;
	int64_t		gq_released_ns, gq_ns;
	unsigned	gq_left;	/* acquisitions that count */
} gaps;

/* A lock's atomic waits for earlier stores, and tick_ns() waits for it. */
static int64_t
stamp(void)
{
	atomic_fetchadd_64(&gaps.gq_word, 1);
	return (tick_ns());
}

static bool
gap_enter(struct lock *l __unused, struct lock_node *n __unused)
{
	if (gaps.gq_left > 0) {
		gaps.gq_left--;
		gaps.gq_ns += stamp() - gaps.gq_released_ns;
	}
	return (true);
}

static void
gap_unlock(struct lock *l __unused, struct lock_node *n __unused)
{
	gaps.gq_released_ns = stamp();
}

static bool
gap_owned(struct lock *l __unused)
{
	return (true);
}

/* Notes the time, and does nothing else. */
static const struct lock_class gap_class = { .lc_name = "gap",
    .lc_flags = LC_SPIN, .lc_enter = gap_enter, .lc_unlock = gap_unlock,
    .lc_owned = gap_owned };

/* A device with such a lock, and the bytes of a read; 0: no read. */
static struct randomdev *device;
static size_t read_bytes;

static void
read_once(void)
{
	size_t left;

	if (read_bytes > 0)
		(void)randomdev_read(device, KERNEL_CPU_HERE, buffer,
		    read_bytes, &left, true);
}

/* Of a read that follows another: ns before its two locks. */
static double
time_gaps(void *arg __unused)
{
	read_once();
	gaps.gq_left = READ_LOCKS;
	gaps.gq_ns = 0;
	read_once();
	while (gaps.gq_left > 0) {
		gap_unlock(NULL, NULL);
		(void)gap_enter(NULL, NULL);
	}
	return ((double)gaps.gq_ns);
}

/* The mean over the ciphers; bytes of 0: of stamps alone. */
static struct calibrate_spread
gaps_of(struct calibration *cb, size_t bytes)
{
	static const uint64_t seed = 1;
	struct randomdev_params rp = {
		.rp_design = design_find("locked"),
		.rp_kernel.kp_lock = &gap_class,
		.rp_kernel.kp_lock_config = lock_config_default(cpu_count()),
		.rp_kernel.kp_preload = prime_bytes(BOOT_BYTES, &seed),
		.rp_kernel.kp_preload_bytes = BOOT_BYTES,
	};
	struct calibrate_spread qs, sum = { 0 };
	const double n = cipher_count;

	if (rp.rp_kernel.kp_preload == NULL)
		cb->cb_error = errno;
	read_bytes = bytes;
	for (unsigned i = 0; i < cipher_count && cb->cb_error == 0; i++) {
		rp.rp_kernel.kp_cipher = ciphers[i];
		if ((cb->cb_error = randomdev_new(&device, &rp)) != 0)
			break;
		qs = calibrate_spread(cb->cb_samples, calibrate_samples(cb, 0,
		    time_gaps, NULL, cb->cb_budget_ns / cipher_count / 3));
		randomdev_free(device);
		sum.spr_p5 += qs.spr_p5 / n;
		sum.spr_p50 += qs.spr_p50 / n;
		sum.spr_p95 += qs.spr_p95 / n;
		sum.spr_count += qs.spr_count;
	}
	free(rp.rp_kernel.kp_preload);
	return (sum);
}

/*
 * What a request does outside the lock.  After much output it takes longer and
 * varies more, as caches hold it.  A waiter that is faster gets the lock.
 */
void
calibrate_reads(struct calibration *cb)
{
	const double stamps = gaps_of(cb, 0).spr_p50;
	struct calibrate_spread qs = gaps_of(cb, SMALL_READ);
	double cv, mean;

	calibrate_enter(cb, PROFILE_OS_READ, &qs, 1, -stamps,
	    "16-byte reads outside the lock, less stamps");
	qs = gaps_of(cb, KEYSTREAM_MAX);
	if (cb->cb_error != 0)
		return;
	calibrate_lognormal(fmax(CLOCK_NS, qs.spr_p50 - stamps),
	    qs.spr_p95 - stamps, &mean, &cv);
	calibrate_set(cb, PROFILE_MEM_COPY, PROVENANCE_MEASURED,
	    fmax(0, mean - calibrate_value(cb, PROFILE_OS_READ)) /
	    KEYSTREAM_MAX, "nothing is copied: 64-KiB reads, %.0f ns outside "
	    "the lock, less os.read", mean);
	calibrate_set(cb, PROFILE_JITTER_GAP, PROVENANCE_MEASURED, cv,
	    "the same reads; median %.0f ns, p95 %.0f", qs.spr_p50 - stamps,
	    qs.spr_p95 - stamps);
}
