/*
 * The figures that README states: "make bench".
 *
 * A program of its own, because its rivals are libraries that rngsim does not
 * need.  Each part compares what it compares in turn within one process, and
 * prints medians with the spread of the middle half.  Timings decide nothing
 * here; a figure that is not reached is printed as it is.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include <openssl/evp.h>
#include <openssl/rand.h>
#include <sodium.h>

#include "bench/cell.h"
#include "bench/prime.h"
#include "bench/stats.h"
#include "fortuna/randomdev.h"
#include "harvest/harvestq.h"
#include "lib/crypto.h"

enum {
	ROUNDS_MAX	= 31,
	THREADS_MAX	= 256,
	KIB		= 1024
};

static volatile sig_atomic_t stop;	/* never set */

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

static double
median_of(const double *v, unsigned n)
{
	double copy[ROUNDS_MAX];

	memcpy(copy, v, n * sizeof(*v));
	return (stats_median(copy, n));
}

/* "1.93 (1.90..1.97)": the median and the middle half. */
static const char *
spread(const double *v, unsigned n, const char *fmt, char buf[64])
{
	double copy[ROUNDS_MAX];
	char high[16], low[16], mid[16];

	memcpy(copy, v, n * sizeof(*v));
	snprintf(mid, sizeof(mid), fmt, median_of(v, n));
	snprintf(low, sizeof(low), fmt, stats_quantile(copy, n, 0.25));
	memcpy(copy, v, n * sizeof(*v));
	snprintf(high, sizeof(high), fmt, stats_quantile(copy, n, 0.75));
	snprintf(buf, 64, "%s (%s..%s)", mid, low, high);
	return (buf);
}

static void
heading(const char *what)
{
	struct result_host host;
	time_t now = time(NULL);
	char date[32];

	memset(&host, 0, sizeof(host));
	result_host_fill(&host);
	strftime(date, sizeof(date), "%Y-%m-%d", gmtime(&now));
	printf("\n%s\n  %s, %u of %u CPUs, %s, %s; %s\n", what,
	    host.cpu_model, host.cpus, host.cpus_machine, host.kernel,
	    host.libcrypto, date);
}

static void
run_cell(const struct engine *engine, const struct cell *ce, double time_s,
    struct result_sample *rs)
{
	static struct cell_measure cm;
	struct bench_config config;
	struct cell_params cp = { .cp_cell = *ce, .cp_config = &config,
	    .cp_time_s = time_s, .cp_stop = &stop };
	char why[CELL_ERROR_SIZE];

	bench_config_default(&config, cpu_count());
	if (engine->en_run(&cp, &cm, why) != 0) {
		fprintf(stderr, "rngsim-figures: %s\n", why);
		exit(EXIT_FAILURE);
	}
	*rs = cm.cm_sample;
	cell_measure_free(&cm);
}

/*
 * The FreeBSD effect: two designs, one reader and as many as CPUs.
 */
static void
effect_of(const char *lock)
{
	enum { ROUNDS = 15 };
	static const char *const designs[] = { "locked", "concurrent" };
	unsigned cpus = cpu_count() < 2 ? 2 : cpu_count(), d, k, round;
	double total[2][2][ROUNDS], cpu[2][2][ROUNDS], ratio[ROUNDS];
	double grow[2][ROUNDS];
	struct result_sample rs;
	char buf[64];

	for (round = 0; round < ROUNDS; round++) {
		for (k = 0; k < 2; k++) {
			for (d = 0; d < 2; d++) {
				struct cell ce = { designs[d], lock,
				    cipher_find("aes"), k == 0 ? 1 : cpus,
				    64 * KIB };

				run_cell(&ENGINE(real), &ce, 0.5, &rs);
				total[d][k][round] = rs.total_mb_per_s;
				cpu[d][k][round] = rs.harvest.cpu_percent;
			}
		}
		ratio[round] = total[1][1][round] / total[0][1][round];
		for (d = 0; d < 2; d++)
			grow[d][round] = total[d][1][round] /
			    total[d][0][round];
	}
	printf("  lock %s, %u readers\n", lock, cpus);
	for (d = 0; d < 2; d++) {
		printf("    %-10s total of 1 reader %s MB/s,\n", designs[d],
		    spread(total[d][0], ROUNDS, "%.1f", buf));
		printf("    %10s of %u readers %s MB/s,\n", "", cpus,
		    spread(total[d][1], ROUNDS, "%.1f", buf));
		printf("    %10s the second over the first %s,\n", "",
		    spread(grow[d], ROUNDS, "%.2f", buf));
		printf("    %10s harvest CPU %s %%\n", "",
		    spread(cpu[d][1], ROUNDS, "%.2f", buf));
	}
	printf("    each reader, concurrent over locked: %s\n",
	    spread(ratio, ROUNDS, "%.2f", buf));
}

static int
effect(void)
{
	static const char *const locks[] = { "mtx", "mtx-spin", "pthread" };
	unsigned i;

	heading("effect: AES, --crypto kernel, 64 KiB reads (aim: mtx at least "
	    "2.5 times,\n  concurrent grows at least 1.85 times, locked not at "
	    "all; harvest CPU at least\n  10 % locked, at most 0.5 % "
	    "concurrent)");
	for (i = 0; i < sizeof(locks) / sizeof(locks[0]); i++)
		effect_of(locks[i]);
	return (EXIT_SUCCESS);
}

/* What lock profiling takes from the readers. */
static int
profiling(void)
{
	enum { ROUNDS = 15 };
	static const uint64_t sizes[] = { 4 * KIB, 64 * KIB };
	double ratio[ROUNDS];
	struct result_sample on, off;
	unsigned c, round, s;
	char buf[64];

	heading("profiling: throughput with lock profiling over without, "
	    "--crypto native,\n  concurrent, mtx, 1 reader (aim: at least "
	    "0.98)");
	for (c = 0; c < cipher_count; c++) {
		for (s = 0; s < 2; s++) {
			struct cell ce = { "concurrent", "mtx", ciphers[c], 1,
			    sizes[s] };

			for (round = 0; round < ROUNDS; round++) {
				run_cell(&ENGINE(real), &ce, 0.3, &on);
				run_cell(&ENGINE(bare), &ce, 0.3, &off);
				ratio[round] = on.total_mb_per_s /
				    off.total_mb_per_s;
			}
			printf("    %-9s %3ju KiB: %s\n", ciphers[c]->ci_name,
			    (uintmax_t)sizes[s] / KIB,
			    spread(ratio, ROUNDS, "%.3f", buf));
		}
	}
	return (EXIT_SUCCESS);
}

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

static int
limit(void)
{
	enum { ROUNDS = 21 };
	static const size_t sizes[] = { 4 * KIB, 64 * KIB, 1024 * KIB };
	static const char *const names[] = { "AES-256-CTR", "ChaCha20" };
	static const uint8_t key[32], iv[16];
	double ratio[ROUNDS], rate[ROUNDS];
	unsigned c, round, s;
	char buf[64], buf2[64];

	heading("limit: concurrent over libcrypto's own keystream, --crypto "
	    "native, 1 reader\n  (aim: 0.95 at 64 KiB and 1 MiB, 0.85 at "
	    "4 KiB)");
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
			    sizes[s] / KIB, spread(ratio, ROUNDS, "%.3f", buf),
			    spread(rate, ROUNDS, "%.0f", buf2));
		}
	}
	return (EXIT_SUCCESS);
}

static int
rivals(void)
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
	heading("rivals: ns per read, all threads together, concurrent under "
	    "mtx, --crypto\n  native (aim: both ciphers ahead of all others; "
	    "w: best rival over ours,\n  above 1 ours wins)");
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
				mid[i] = median_of(ns[i], ROUNDS);
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

static const struct {
	const char	*name;
	enum crypto_mode mode;
	int		(*run)(void);
} parts[] = {
	{ "effect", CRYPTO_KERNEL, effect },
	{ "limit", CRYPTO_NATIVE, limit },
	{ "rivals", CRYPTO_NATIVE, rivals },
	{ "profiling", CRYPTO_NATIVE, profiling },
};

int
main(int argc, char *argv[])
{
	struct mthread self;
	const char *missing;
	unsigned i;
	int status;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (argc == 2 && strcmp(parts[i].name, argv[1]) == 0)
			break;
	if (i == sizeof(parts) / sizeof(parts[0])) {
		fprintf(stderr, "Usage: rngsim-figures effect|limit|rivals|"
		    "profiling\n");
		return (2);
	}
	if (crypto_mode_enter(parts[i].mode, argv) != 0 || cpu_init() != 0 ||
	    crypto_init(&missing) != 0) {
		fprintf(stderr, "rngsim-figures: cannot start\n");
		return (EXIT_FAILURE);
	}
	tick_calibrate();
	if (parts[i].mode == CRYPTO_NATIVE && parts[i].run != profiling)
		machine_attach(&self, "figures");
	status = parts[i].run();
	crypto_fini();
	cpu_fini();
	return (status);
}
