/*
 * Figures of one read: against libcrypto's own keystream, and against what
 * people use instead.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <openssl/evp.h>
#include <openssl/rand.h>
#include <sodium.h>

#include "bench/cell/prime.h"
#include "bench/figures/figures.h"
#include "fortuna/randomdev.h"
#include "harvest/harvestq.h"

/* A reader to compare: fills buf with n bytes. */
struct contender {
	const char	*c_name;
	const struct cipher *c_cipher;	/* ours; NULL for others */
	void		(*c_fill)(void *state, uint8_t *buf, size_t n);
};

/* One thread filling buffers until told to stop. */
struct filler {
	_Alignas(MACHINE_CACHE_LINE)
	const struct contender *fi_contender;
	struct randomdev *fi_dev;
	struct generator_reader fi_reader;
	uint8_t		*fi_buf;
	size_t		 fi_size;
	struct m32	*fi_phase;	/* 0 wait, 1 go, 2 stop */
	uint64_t	 fi_reads;
	int64_t		 fi_ns;
	struct mthread	 fi_td;
};

/* A seeded generator of the concurrent design, without profiling. */
static struct randomdev
seeded_device(const struct cipher *cipher)
{
	struct generator_params gp = { .gp_cipher = cipher,
	    .gp_lock = lock_class_find("mtx"),
	    .gp_lock_config = lock_config_default(cpu_count()),
	    .gp_config = generator_config_default() };
	struct randomdev rd = { .rd_read_rate = NULL };
	struct harvest_event event = { .he_size = HARVEST_ENTROPY_BYTES };
	unsigned i;

	if (generator_find("concurrent")->ra_init(&rd.rd_generator, &gp) != 0)
		abort();
	for (i = 0; i < 8; i++) {
		prime_fill(event.he_entropy, sizeof(event.he_entropy), NULL);
		rd.rd_generator->g_algorithm->ra_event_processor(
		    rd.rd_generator, &event);
	}
	return (rd);
}

static void
fill_ours(void *state, uint8_t *buf, size_t n)
{
	struct filler *fi = state;
	struct uio uio = uio_buffer(buf, n);

	if (read_random_uio(fi->fi_dev, &fi->fi_reader, &uio, true) != 0)
		abort();
}

static void
fill_getrandom(void *state, uint8_t *buf, size_t n)
{
	ssize_t k;

	(void)state;
	for (; n > 0; buf += k, n -= (size_t)k)
		if ((k = getrandom(buf, n, 0)) < 0)
			abort();
}

static void
fill_arc4random(void *state, uint8_t *buf, size_t n)
{

	(void)state;
	arc4random_buf(buf, n);
}

static void
fill_rand_bytes(void *state, uint8_t *buf, size_t n)
{

	(void)state;
	if (RAND_bytes(buf, (int)n) != 1)
		abort();
}

static void
fill_sodium(void *state, uint8_t *buf, size_t n)
{

	(void)state;
	randombytes_buf(buf, n);
}

static void
filler_main(void *arg)
{
	struct filler *fi = arg;
	int64_t start_ns;

	while (atomic_load_acq_32(fi->fi_phase) == 0)
		machine_wait_32(fi->fi_phase, 0, -1);
	start_ns = machine_uptime_ns();
	while (atomic_load_32(fi->fi_phase) == 1) {
		fi->fi_contender->c_fill(fi, fi->fi_buf, fi->fi_size);
		fi->fi_reads++;
	}
	fi->fi_ns = machine_uptime_ns() - start_ns;
}

/* ns that one read takes, all threads' reads counted: 1e9 / (reads/s). */
static double
contend(const struct contender *c, unsigned threads, size_t size, int64_t ns)
{
	struct randomdev rd = { .rd_generator = NULL };
	struct filler *fi;
	struct m32 phase;
	double reads_per_ns = 0;
	unsigned i;

	fi = aligned_alloc(_Alignof(struct filler), threads * sizeof(*fi));
	if (fi == NULL)
		abort();
	memset(fi, 0, threads * sizeof(*fi));
	atomic_init_32(&phase, 0);
	if (c->c_cipher != NULL)
		rd = seeded_device(c->c_cipher);
	for (i = 0; i < threads; i++) {
		fi[i].fi_contender = c;
		fi[i].fi_dev = &rd;
		fi[i].fi_size = size;
		fi[i].fi_phase = &phase;
		fi[i].fi_buf = calloc(1, size);
		if (fi[i].fi_buf == NULL || (c->c_cipher != NULL &&
		    rd.rd_generator->g_algorithm->ra_reader_init(
		    rd.rd_generator, &fi[i].fi_reader) != 0) ||
		    machine_spawn(&fi[i].fi_td, "filler", (int)i, filler_main,
		    &fi[i]) != 0)
			abort();
	}
	atomic_store_rel_32(&phase, 1);
	machine_wake_32(&phase);
	machine_sleep(ns);
	atomic_store_32(&phase, 2);
	for (i = 0; i < threads; i++) {
		machine_join(&fi[i].fi_td);
		reads_per_ns += (double)fi[i].fi_reads / (double)fi[i].fi_ns;
		if (c->c_cipher != NULL)
			rd.rd_generator->g_algorithm->ra_reader_fini(
			    rd.rd_generator, &fi[i].fi_reader);
		free(fi[i].fi_buf);
	}
	if (c->c_cipher != NULL)
		rd.rd_generator->g_algorithm->ra_fini(rd.rd_generator);
	free(fi);
	return (1 / reads_per_ns);
}

/*
 * One reader against libcrypto's own keystream of the same cipher: AES-256-CTR
 * and ChaCha20 over zeros, one key for all.
 */
static EVP_CIPHER_CTX *keystream_ctx;
static uint8_t *keystream_zeros;

static void
fill_keystream(void *state, uint8_t *buf, size_t n)
{
	int made;

	(void)state;
	if (EVP_EncryptUpdate(keystream_ctx, buf, &made, keystream_zeros,
	    (int)n) != 1)
		abort();
}

int
figures_limit(void)
{
	enum { ROUNDS = 21 };
	static const size_t sizes[] = { 4 * KIB, 64 * KIB, 1024 * KIB };
	static const char *const names[] = { "AES-256-CTR", "ChaCha20" };
	static const uint8_t key[32], iv[16];
	double ratio[ROUNDS], rate[ROUNDS];
	unsigned c, round, s;
	char buf[64], buf2[64];

	figures_heading("limit: concurrent over libcrypto's own keystream, "
	    "--crypto native, 1 reader\n  (aim: 0.95 at 64 KiB and 1 MiB, "
	    "0.85 at 4 KiB)");
	keystream_ctx = EVP_CIPHER_CTX_new();
	keystream_zeros = calloc(1, sizes[2]);
	for (c = 0; c < 2; c++) {
		struct contender ours = { "concurrent", ciphers[c],
		    fill_ours };
		struct contender evp = { names[c], NULL, fill_keystream };

		if (keystream_zeros == NULL || EVP_EncryptInit_ex2(
		    keystream_ctx, EVP_CIPHER_fetch(NULL, names[c], NULL), key,
		    iv, NULL) != 1)
			abort();
		for (s = 0; s < 3; s++) {
			for (round = 0; round < ROUNDS; round++) {
				rate[round] = contend(&evp, 1, sizes[s],
				    30 * NS_PER_MS);
				ratio[round] = rate[round] / contend(&ours, 1,
				    sizes[s], 30 * NS_PER_MS);
				rate[round] = (double)sizes[s] * 1e3 /
				    rate[round];
			}
			printf("    %-11s %4zu KiB: %s of %s MB/s\n", names[c],
			    sizes[s] / KIB,
			    figures_spread(ratio, ROUNDS, "%.3f", buf),
			    figures_spread(rate, ROUNDS, "%.0f", buf2));
		}
	}
	return (EXIT_SUCCESS);
}

int
figures_rivals(void)
{
	enum { ROUNDS = 9, CONTENDERS = 6, SIZES = 8 };
	static const size_t sizes[SIZES] = { 16, 32, 64, 256, KIB, 4 * KIB,
	    64 * KIB, 1024 * KIB };
	const struct contender all[CONTENDERS] = {
		{ "aes", cipher_find("aes"), fill_ours },
		{ "chacha20", cipher_find("chacha20"), fill_ours },
		{ "getrandom", NULL, fill_getrandom },
		{ "arc4random", NULL, fill_arc4random },
		{ "RAND_bytes", NULL, fill_rand_bytes },
		{ "sodium", NULL, fill_sodium },
	};
	double ns[CONTENDERS][ROUNDS], best, mid[CONTENDERS];
	unsigned i, round, s, t, threads;

	if (sodium_init() < 0)
		abort();
	figures_heading("rivals: ns per read, all threads together, concurrent "
	    "under mtx, --crypto\n  native (aim: both ciphers ahead of all "
	    "others; w: best rival over ours,\n  above 1 ours wins)");
	for (t = 0; t < 2; t++) {
		threads = t == 0 ? 1 : cpu_count();
		printf("\n  %u thread%s\n  %8s", threads,
		    threads == 1 ? "" : "s", "bytes");
		for (i = 0; i < CONTENDERS; i++)
			printf(" %10s", all[i].c_name);
		printf("  w aes  w cha\n");
		for (s = 0; s < SIZES; s++) {
			for (round = 0; round < ROUNDS; round++)
				for (i = 0; i < CONTENDERS; i++)
					ns[i][round] = contend(&all[i],
					    threads, sizes[s], 20 * NS_PER_MS);
			printf("  %8zu", sizes[s]);
			best = 0;
			for (i = 0; i < CONTENDERS; i++) {
				mid[i] = figures_median(ns[i], ROUNDS);
				printf(" %10.0f", mid[i]);
				if (i >= 2 && (best <= 0 || mid[i] < best))
					best = mid[i];
			}
			printf("  %5.2f  %5.2f\n", best / mid[0],
			    best / mid[1]);
		}
	}
	return (EXIT_SUCCESS);
}
