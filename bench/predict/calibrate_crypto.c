/*
 * Probes of ciphers and hashes as the generators use them, and of reads.
 *
 * They run in a process whose libcrypto is in the measured mode.
 */
#include <math.h>

#include "bench/predict/calibrate_probe.h"
#include "bench/cell/prime.h"
#include "fortuna/randomdev.h"
#include "fortuna/state.h"

enum {
	KEYSTREAM_MAX	= 65536,
	BOOT_BYTES	= 4096,
	SMALL_READ	= 16,
	READ_LOCKS	= 2,		/* of a small read: pre_read, read */
	CLOCK_NS	= 10,		/* some cycle counters count these */
	JITTER_BYTES	= 4096,
	SIZES		= 3,
	ROUND_BYTES	= 65536		/* of each size */
};

static uint8_t buffer[KEYSTREAM_MAX];

static enum profile_key
cipher_key(const char *cipher, enum crypto_mode mode,
    const char *what)
{
	char name[PROFILE_NAME_SIZE];
	unsigned i;

	snprintf(name, sizeof(name), "%s.%s.%s", cipher,
	    crypto_mode_names[mode], what);
	for (i = 0; i < PROFILE_VALUES; i++)
		if (strcmp(profile_fields[i].pf_key, name) == 0)
			break;
	KASSERT(i < PROFILE_VALUES, ("%s is no key", name));
	return ((enum profile_key)i);
}

/* Calls of several sizes, in turn. */
struct sized {
	void		(*si_fn)(void *arg, size_t n);
	void		*si_arg;
	const double	*si_sizes;	/* SIZES of them */
};

/* The ns of one more byte in a call. */
static double
time_sizes(void *arg)
{
	const struct sized *si = arg;
	double ns[SIZES];
	int64_t start_ns;
	unsigned calls;

	for (unsigned i = 0; i < SIZES; i++) {
		calls = (unsigned)(ROUND_BYTES / si->si_sizes[i]);
		start_ns = tick_ns();
		for (unsigned k = 0; k < calls; k++)
			si->si_fn(si->si_arg, (size_t)si->si_sizes[i]);
		ns[i] = (double)(tick_ns() - start_ns) / calls;
	}
	return (calibrate_slope(si->si_sizes, ns, SIZES));
}

static struct calibrate_spread
slopes(struct calibration *cb, void (*fn)(void *arg, size_t n), void *arg,
    const double *sizes, int64_t budget_ns)
{
	struct sized si = { .si_fn = fn, .si_arg = arg, .si_sizes = sizes };

	(void)time_sizes(&si);
	return (calibrate_spread(cb->cb_samples, calibrate_samples(cb, 0,
	    1, time_sizes, &si, budget_ns)));
}

static void
keystream(void *arg, size_t n)
{
	static uint128_t ctr;

	cipher_keystream(arg, &ctr, buffer, n);
}

static void
rekey_loop(void *arg, unsigned n)
{
	while (n-- > 0)
		fortuna_state_rekey(arg);
}

/* One block a call. */
static void
block_loop(void *arg, unsigned n)
{
	struct cipher_key *ck = arg;

	while (n-- > 0)
		keystream(ck, ck->ck_cipher->ci_block_bytes);
}

static void
wipe_loop(void *arg, unsigned n)
{
	while (n-- > 0)
		cipher_key_wipe(arg);
}

/* Measured with a key of their own. */
static const struct {
	const char	*what;
	void		(*loop)(void *arg, unsigned n);
	unsigned	 part;		/* of the time, the inverse */
	const char	*note;
} cipher_loops[] = {
	{ "setup", rekey_loop, 4, "32 bytes of keystream, and a key set" },
	{ "call", block_loop, 8, "a call for one block, less byte" },
	{ "wipe", wipe_loop, 8, "a key of zeros set" },
};

static void
cipher(struct calibration *cb, const struct cipher *ci, enum crypto_mode mode,
    int64_t budget_ns)
{
	static const double sizes[SIZES] = { 1024, 4096, 65536 };
	static struct fortuna_state fs;
	struct calibrate_spread sp;
	enum profile_key byte;
	double less_ns;

	cb->cb_error = fortuna_state_init(&fs, ci, hash_sha256(),
	    RANDOM_FORTUNA_DEFPOOLSIZE);
	if (cb->cb_error != 0)
		return;
	fs.fs_counter = uint128_make(0, 1);
	fortuna_state_rekey(&fs);
	/* The mean: simulated costs vary around it, not around the median. */
	sp = slopes(cb, keystream, fs.fs_key, sizes, budget_ns / 2);
	sp.sp_p50 = sp.sp_mean;
	byte = cipher_key(ci->ci_name, mode, "byte");
	calibrate_enter(cb, byte, &sp, 1, 0, "slope of 1, 4 and 64 KiB");
	for (unsigned i = 0; i < sizeof(cipher_loops) / sizeof(cipher_loops[0]);
	    i++) {
		less_ns = cipher_loops[i].loop == block_loop ?
		    calibrate_value(cb, byte) * ci->ci_block_bytes : 0;
		sp = calibrate_batches(cb, cipher_loops[i].loop,
		    cipher_loops[i].loop == rekey_loop ? (void *)&fs :
		    (void *)fs.fs_key, budget_ns / cipher_loops[i].part);
		sp.sp_p50 = sp.sp_mean;
		calibrate_enter(cb, cipher_key(ci->ci_name, mode,
		    cipher_loops[i].what), &sp, 1, -less_ns, "%s",
		    cipher_loops[i].note);
	}
	fortuna_state_fini(&fs);
}

static void
probe_ciphers(struct calibration *cb)
{
	for (unsigned i = 0; i < cipher_count && cb->cb_error == 0; i++)
		cipher(cb, ciphers[i],
		    (enum crypto_mode)cb->cb_probe->pb_number,
		    cb->cb_budget_ns / cipher_count);
}

static double
time_page(void *arg)
{
	int64_t start_ns = tick_ns();

	keystream(arg, JITTER_BYTES);
	return ((double)(tick_ns() - start_ns));
}

/* The variation of calls of one length. */
static void
probe_jitter(struct calibration *cb)
{
	struct calibrate_spread sp;
	struct cipher_key ck;
	unsigned count;

	cb->cb_error = cipher_key_init(&ck, ciphers[0]);
	if (cb->cb_error != 0)
		return;
	count = calibrate_samples(cb, 0, 1, time_page, &ck, cb->cb_budget_ns);
	cipher_key_fini(&ck);
	if (count == 0)
		return;		/* stopped */
	sp = calibrate_spread(cb->cb_samples, count);
	calibrate_set(cb, PROFILE_JITTER_CV, PROVENANCE_MEASURED,
	    calibrate_cv(cb->cb_samples, count),
	    "median deviation of %u pages of %s, %.0f..%.0f ns", count,
	    ciphers[0]->ci_name, sp.sp_p5, sp.sp_p95);
}

static void
hash(void *arg, size_t n)
{
	digest_update(arg, buffer, n);
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

static void
event_loop(void *arg, unsigned n)
{
	struct harvest_event event = { .he_source = RANDOM_CACHED,
	    .he_size = HARVEST_ENTROPY_BYTES };

	for (; n > 0; n--) {
		event.he_destination = (uint8_t)n;
		fortuna_state_event(arg, &event);
	}
}

static void
probe_sha256(struct calibration *cb)
{
	static const double sizes[SIZES] = { 64, 1024, 4096 };
	static struct fortuna_state fs;
	struct calibrate_spread sp;
	double hashed;

	cb->cb_error = fortuna_state_init(&fs, ciphers[0], hash_sha256(),
	    RANDOM_FORTUNA_DEFPOOLSIZE);
	if (cb->cb_error != 0)
		return;
	sp = slopes(cb, hash, &fs.fs_scratch, sizes, cb->cb_budget_ns / 3);
	calibrate_enter(cb, PROFILE_SHA256_BLOCK, &sp, 64, 0,
	    "slope of 64, 1024 and 4096 bytes");
	digest_reset(&fs.fs_scratch);
	digest_prepare(&fs.fs_scratch);
	sp = calibrate_batches(cb, final_loop, &fs.fs_scratch,
	    cb->cb_budget_ns / 3);
	calibrate_enter(cb, PROFILE_SHA256_FINAL, &sp, 1, 0,
	    "finish and begin, of nothing");
	/* Its bytes are charged separately. */
	hashed = (double)(sizeof(uint32_t) + HARVEST_ENTROPY_BYTES) / 64 *
	    calibrate_value(cb, PROFILE_SHA256_BLOCK);
	sp = calibrate_batches(cb, event_loop, &fs, cb->cb_budget_ns / 3);
	calibrate_enter(cb, PROFILE_SHA256_UPDATE, &sp, 1, -hashed,
	    "an event into its pool, less sha256.block");
	fortuna_state_fini(&fs);
}

/* What passed outside the lock, before the first acquisitions of a read. */
static struct {
	struct m64	ga_word;
	int64_t		ga_released_ns;
	int64_t		ga_ns;
	unsigned	ga_left;	/* acquisitions that count */
} gaps;

/* A lock's atomic waits for earlier stores, and tick_ns() waits for it. */
static int64_t
stamp(void)
{
	atomic_fetchadd_64(&gaps.ga_word, 1);
	return (tick_ns());
}

static bool
gap_lock(struct lock *l, struct lock_node *n, struct lock_wait *w)
{
	(void)l;
	(void)n;
	(void)w;
	if (gaps.ga_left > 0) {
		gaps.ga_left--;
		gaps.ga_ns += stamp() - gaps.ga_released_ns;
	}
	return (false);
}

static void
gap_unlock(struct lock *l, struct lock_node *n)
{
	(void)l;
	(void)n;
	gaps.ga_released_ns = stamp();
}

static bool
gap_owned(struct lock *l)
{
	(void)l;
	return (true);
}

/* Notes the time, and does nothing else. */
static const struct lock_class gap_class = {
	.lc_name	= "gap",
	.lc_flags	= LC_SPIN,
	.lc_lock	= gap_lock,
	.lc_unlock	= gap_unlock,
	.lc_owned	= gap_owned,
};

/* A device with such a lock, and one reader. */
struct reading_device {
	struct randomdev	 rv_dev;
	struct generator_reader	 rv_reader;
	size_t			 rv_bytes;	/* of a read; 0: no read */
};

static int
device_init(struct reading_device *rv, const struct cipher *ci)
{
	static const uint64_t seed = 1;
	struct generator_params gp = {
		.gp_cipher = ci,
		.gp_lock = &gap_class,
		.gp_lock_config = lock_config_default(cpu_count()),
		.gp_config = generator_config_default(),
	};
	int error;

	memset(rv, 0, sizeof(*rv));
	error = generator_new(generator_find("locked"),
	    &rv->rv_dev.rd_generator, &gp);
	if (error != 0)
		return (error);
	error = prime_generator(rv->rv_dev.rd_generator, BOOT_BYTES, &seed);
	if (error == 0)
		error = generator_reader_init(rv->rv_dev.rd_generator,
		    &rv->rv_reader);
	if (error != 0)
		generator_free(rv->rv_dev.rd_generator);
	return (error);
}

static void
device_fini(struct reading_device *rv)
{
	generator_reader_fini(rv->rv_dev.rd_generator, &rv->rv_reader);
	generator_free(rv->rv_dev.rd_generator);
}

static void
read_once(struct reading_device *rv)
{
	struct uio uio = uio_buffer(buffer, rv->rv_bytes);

	(void)read_random_uio(&rv->rv_dev, &rv->rv_reader, &uio, true);
}

/* Of a read that follows another: ns before its two locks. */
static double
time_gaps(void *arg)
{
	struct reading_device *rv = arg;

	if (rv->rv_bytes > 0)
		read_once(rv);
	gaps.ga_left = READ_LOCKS;
	gaps.ga_ns = 0;
	if (rv->rv_bytes > 0)
		read_once(rv);
	while (gaps.ga_left > 0) {
		gap_unlock(NULL, NULL);
		(void)gap_lock(NULL, NULL, NULL);
	}
	return ((double)gaps.ga_ns);
}

/* The mean over the ciphers; bytes of 0: of stamps alone. */
static struct calibrate_spread
gaps_of(struct calibration *cb, size_t bytes)
{
	struct calibrate_spread sp, sum = { 0 };
	static struct reading_device rv;
	const double n = cipher_count;

	for (unsigned i = 0; i < cipher_count && cb->cb_error == 0; i++) {
		cb->cb_error = device_init(&rv, ciphers[i]);
		if (cb->cb_error != 0)
			break;
		rv.rv_bytes = bytes;
		sp = calibrate_spread(cb->cb_samples, calibrate_samples(cb, 0,
		    1, time_gaps, &rv, cb->cb_budget_ns / cipher_count / 3));
		device_fini(&rv);
		sum.sp_p5 += sp.sp_p5 / n;
		sum.sp_p50 += sp.sp_p50 / n;
		sum.sp_p95 += sp.sp_p95 / n;
		sum.sp_count += sp.sp_count;
	}
	return (sum);
}

/*
 * What a request does outside the lock.  After much output it takes longer and
 * varies more, as other lines have left the caches.  A waiter gets the lock if
 * it is faster.
 */
static void
probe_read(struct calibration *cb)
{
	const double stamps = gaps_of(cb, 0).sp_p50;
	struct calibrate_spread sp = gaps_of(cb, SMALL_READ);
	double cv, mean;

	calibrate_enter(cb, PROFILE_OS_READ, &sp, 1, -stamps,
	    "16-byte reads outside the lock, less stamps");
	sp = gaps_of(cb, KEYSTREAM_MAX);
	if (cb->cb_error != 0)
		return;
	calibrate_lognormal(fmax(CLOCK_NS, sp.sp_p50 - stamps),
	    sp.sp_p95 - stamps, &mean, &cv);
	calibrate_set(cb, PROFILE_MEM_COPY, PROVENANCE_MEASURED,
	    fmax(0, mean - calibrate_value(cb, PROFILE_OS_READ)) /
	    KEYSTREAM_MAX, "nothing is copied: 64-KiB reads, %.0f ns outside "
	    "the lock, less os.read", mean);
	calibrate_set(cb, PROFILE_JITTER_GAP, PROVENANCE_MEASURED, cv,
	    "the same reads; median %.0f ns, p95 %.0f", sp.sp_p50 - stamps,
	    sp.sp_p95 - stamps);
}

#define	CIPHERS(mode)							\
	"ciphers", 4, .pb_run = probe_ciphers, .pb_number = mode

const struct calibrate_probe calibrate_kernel_probes[] = {
	{ CIPHERS(CRYPTO_KERNEL) },
	{ "SHA-256", 2, .pb_run = probe_sha256 },
	{ "reads", 2, .pb_run = probe_read },
	{ "jitter", 1, .pb_run = probe_jitter },
	{ .pb_label = NULL }
};

const struct calibrate_probe calibrate_native_probes[] = {
	{ CIPHERS(CRYPTO_NATIVE) },
	{ .pb_label = NULL }
};
