/*
 * Probes of ciphers and hashes as the generators use them, and of small reads.
 *
 * They run in a process whose libcrypto is in the measured mode.
 */
#include "bench/predict/calibrate_probe.h"
#include "bench/cell/prime.h"
#include "fortuna/randomdev.h"
#include "fortuna/state.h"

enum {
	KEYSTREAM_MAX	= 65536,
	BOOT_BYTES	= 4096,
	SMALL_READ	= 16,
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

static double
kernel_value(const struct calibration *cb, const struct cipher *ci,
    const char *what)
{
	return (calibrate_value(cb, cipher_key(ci->ci_name, CRYPTO_KERNEL,
	    what)));
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

/* A device without locks, and one reader. */
struct reading_device {
	struct randomdev	 rv_dev;
	struct generator_reader	 rv_reader;
};

static int
device_init(struct reading_device *rv, const struct cipher *ci)
{
	static const uint64_t seed = 1;
	struct generator_params gp = {
		.gp_cipher = ci,
		.gp_lock = lock_class_find("none"),
		.gp_lock_config = lock_config_default(cpu_count()),
		.gp_config = generator_config_default(),
	};
	int error;

	memset(rv, 0, sizeof(*rv));
	error = generator_new(generator_find("concurrent"),
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
read_loop(void *arg, unsigned n)
{
	struct reading_device *rv = arg;
	struct uio uio;

	while (n-- > 0) {
		uio = uio_buffer(buffer, SMALL_READ);
		(void)read_random_uio(&rv->rv_dev, &rv->rv_reader, &uio, true);
	}
}

/*
 * The part of a small read that is neither lock nor cipher: the mean over the
 * ciphers.
 */
static void
probe_read(struct calibration *cb)
{
	struct calibrate_spread sp, sum = { 0 };
	static struct reading_device rv;
	double charged, n = cipher_count;

	for (unsigned i = 0; i < cipher_count; i++) {
		cb->cb_error = device_init(&rv, ciphers[i]);
		if (cb->cb_error != 0)
			return;
		sp = calibrate_batches(cb, read_loop, &rv,
		    cb->cb_budget_ns / cipher_count);
		device_fini(&rv);
		charged = ciphers[i]->ci_block_bytes *
		    kernel_value(cb, ciphers[i], "byte") +
		    kernel_value(cb, ciphers[i], "call") +
		    kernel_value(cb, ciphers[i], "setup") +
		    kernel_value(cb, ciphers[i], "wipe");
		sum.sp_p5 += (sp.sp_p5 - charged) / n;
		sum.sp_p50 += (sp.sp_p50 - charged) / n;
		sum.sp_p95 += (sp.sp_p95 - charged) / n;
		sum.sp_count += sp.sp_count;
	}
	calibrate_enter(cb, PROFILE_OS_READ, &sum, 1, 0,
	    "16-byte concurrent reads, no lock, less what the cipher takes");
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
