/*
 * rngsim-figures: one measurement of what rngsim(1) itself cannot measure, in a
 * line on standard output.  bench.sh repeats and compares them.
 */
#include <stdlib.h>
#include <sys/random.h>

#include <openssl/evp.h>
#include <openssl/rand.h>
#include <sodium.h>

#include "bench/cell/critical_section.h"
#include "bench/cell/prime.h"
#include "bench/figures/figures.h"
#include "fortuna/kernel/design.h"
#include "fortuna/randomdev.h"
#include "lib/base/parse_number.h"
#include "lib/crypto/crypto.h"
#include "lib/machine/tick.h"

static const int64_t fill_ns = 30 * NS_PER_MS;

enum { WAIT, GO, STOP };

/* A thread that fills a buffer until it is stopped. */
struct filler {
	_Alignas(MACHINE_CACHE_LINE)
	struct randomdev *fi_dev;	/* of rngsim's generator */
	struct generator_reader fi_reader;
	void		(*fi_fill)(struct filler *fi);
	uint8_t		*fi_buf;
	size_t		 fi_size;
	struct m32	*fi_phase;
	uint64_t	 fi_reads;
	int64_t		 fi_ns;
	struct mthread	 fi_td;
	unsigned	 fi_index;
};

static EVP_CIPHER_CTX *keystream_ctx;

void
figures_fail(const char *what)
{
	fprintf(stderr, "rngsim-figures: %s\n", what);
	exit(EXIT_FAILURE);
}

uint64_t
figures_number(const char *text)
{
	uint64_t v;

	if (parse_size(text, &v) != 0)
		figures_fail("an operand is no number");
	return (v);
}

static void
fill_rngsim(struct filler *fi)
{
	struct uio uio = uio_buffer(fi->fi_buf, fi->fi_size);

	if (read_random_uio(fi->fi_dev, &fi->fi_reader, &uio, true) != 0)
		figures_fail("a read failed");
}

static void
fill_getrandom(struct filler *fi)
{
	ssize_t k;

	for (size_t done = 0; done < fi->fi_size; done += (size_t)k)
		if ((k = getrandom(fi->fi_buf + done, fi->fi_size - done,
		    0)) < 0)
			figures_fail("getrandom failed");
}

static void
fill_arc4random(struct filler *fi)
{
	arc4random_buf(fi->fi_buf, fi->fi_size);
}

static void
fill_rand_bytes(struct filler *fi)
{
	if (RAND_bytes(fi->fi_buf, (int)fi->fi_size) != 1)
		figures_fail("RAND_bytes failed");
}

static void
fill_sodium(struct filler *fi)
{
	randombytes_buf(fi->fi_buf, fi->fi_size);
}

static void
fill_keystream(struct filler *fi)
{
	static uint8_t zeros[1 << 20];
	int made;

	if (EVP_EncryptUpdate(keystream_ctx, fi->fi_buf, &made, zeros,
	    (int)fi->fi_size) != 1)
		figures_fail("libcrypto failed");
}

/* A seeded generator. */
static void
seed_device(struct randomdev *rd, const char *design, const char *cipher)
{
	char why[KERNEL_ERROR_SIZE];
	struct generator_params gp = { .gp_cipher = cipher_find(cipher),
	    .gp_lock = lock_class_find("mtx"),
	    .gp_lock_config = lock_config_default(cpu_count()),
	    .gp_config = generator_config_default() };

	if (kernel_built_in(why) != 0 || generator_new(generator_find(design),
	    &rd->rd_generator, &gp) != 0 ||
	    prime_generator(rd->rd_generator, 2048, NULL) != 0)
		figures_fail("cannot make a generator");
}

static void
start_keystream(const char *cipher)
{
	static const uint8_t key[32], iv[16];

	keystream_ctx = EVP_CIPHER_CTX_new();
	if (keystream_ctx == NULL || EVP_EncryptInit_ex2(keystream_ctx,
	    EVP_CIPHER_fetch(NULL, cipher, NULL), key, iv, NULL) != 1)
		figures_fail("libcrypto lacks a cipher");
}

static void
filler_main(void *arg)
{
	struct filler *fi = arg;
	int64_t start_ns;

	machine_curthread()->mt_index = fi->fi_index;
	while (atomic_load_acq_32(fi->fi_phase) == WAIT)
		machine_wait_32(fi->fi_phase, WAIT, -1);
	start_ns = machine_uptime_ns();
	while (atomic_load_32(fi->fi_phase) == GO) {
		fi->fi_fill(fi);
		fi->fi_reads++;
	}
	fi->fi_ns = machine_uptime_ns() - start_ns;
}

/* Prints the ns of a read, the reads of all threads counted. */
static void
fill(char *argv[])
{
	static const struct {
		const char	*name;
		void		(*fill)(struct filler *fi);
		const char	*design, *cipher;
	} sources[] = {
		{ "aes", fill_rngsim, "concurrent", "aes" },
		{ "chacha20", fill_rngsim, "concurrent", "chacha20" },
		{ "pcpu-aes", fill_rngsim, "pcpu", "aes" },
		{ "pcpu-chacha20", fill_rngsim, "pcpu", "chacha20" },
		{ .name = "AES-256-CTR", .fill = fill_keystream },
		{ .name = "ChaCha20", .fill = fill_keystream },
		{ .name = "getrandom", .fill = fill_getrandom },
		{ .name = "arc4random", .fill = fill_arc4random },
		{ .name = "RAND_bytes", .fill = fill_rand_bytes },
		{ .name = "sodium", .fill = fill_sodium },
	};
	enum { SOURCES = sizeof(sources) / sizeof(sources[0]) };
	const unsigned threads = (unsigned)figures_number(argv[1]);
	const size_t size = (size_t)figures_number(argv[2]);
	struct filler *fi = aligned_alloc(_Alignof(struct filler), threads *
	    sizeof(*fi));
	struct randomdev rd = { .rd_generator = NULL };
	double reads_per_ns = 0;
	unsigned i, s = 0;
	struct m32 phase;

	while (s < SOURCES && strcmp(sources[s].name, argv[0]) != 0)
		s++;
	if (s == SOURCES || fi == NULL || sodium_init() < 0)
		figures_fail("no such source, or it does not start");
	if (sources[s].fill == fill_rngsim)
		seed_device(&rd, sources[s].design, sources[s].cipher);
	else if (sources[s].fill == fill_keystream)
		start_keystream(argv[0]);
	memset(fi, 0, threads * sizeof(*fi));
	atomic_init_32(&phase, WAIT);
	for (i = 0; i < threads; i++) {
		fi[i].fi_dev = &rd;
		fi[i].fi_fill = sources[s].fill;
		fi[i].fi_buf = calloc(1, size);
		fi[i].fi_size = size;
		fi[i].fi_phase = &phase;
		fi[i].fi_index = i;
		if (fi[i].fi_buf == NULL || (rd.rd_generator != NULL &&
		    generator_reader_init(rd.rd_generator,
		    &fi[i].fi_reader) != 0) || machine_spawn(&fi[i].fi_td,
		    "filler", (int)i, filler_main, &fi[i]) != 0)
			figures_fail("cannot start a reader");
	}
	atomic_store_rel_32(&phase, GO);
	machine_wake_32(&phase);
	machine_sleep(fill_ns);
	atomic_store_32(&phase, STOP);
	for (i = 0; i < threads; i++) {
		machine_join(&fi[i].fi_td);
		reads_per_ns += (double)fi[i].fi_reads / (double)fi[i].fi_ns;
	}
	printf("%.6g\n", 1 / reads_per_ns);
}

/* Prints the ns of a lock and unlock, those of all threads counted. */
static void
lock(char *argv[])
{
	const unsigned threads = (unsigned)figures_number(argv[1]);
	struct critical_section se = {
		.se_lock = argv[0],
		.se_lock_config = lock_config_default(cpu_count()),
		.se_threads = threads,
		/* With others: something to protect, something to do. */
		.se_think_ns = threads == 1 ? 0 : 50,
		.se_lines = threads == 1 ? 0 : 1,
		.se_warmup_s = 0.002,
		.se_time_s = 0.02,
	};
	struct critical_section_outcome so;

	se.se_lock_config.threads = threads;
	/* Both pass a lock on as often as ck_cohort.h does by default. */
	se.se_lock_config.pass_limit = 9;
	/* The twins never yield, and there are no more threads than CPUs. */
	se.se_lock_config.spin_polls = 0;
	if (bare_critical_section_run(&se, NULL, &so) != 0)
		figures_fail("cannot measure a lock");
	printf("%.6g\n", 1e9 / so.so_rate_per_s);
}

int
main(int argc, char *argv[])
{
	static const struct {
		const char	*name;
		const char	*operands;
		int		 least;		/* operands */
		bool		 attach;	/* it needs a machine thread */
		void		(*run)(char *argv[]);
	} parts[] = {
		{ "fill", "SOURCE THREADS BYTES", 3, true, fill },
		{ "lock", "NAME THREADS", 2, false, lock },
		{ "events", "CPUS SEED LOCK SECONDS...", 4, false,
		    figures_events },
		{ "memory", "THREADS", 1, false, figures_memory },
		{ "queue", "SEED", 1, false, figures_queue },
	};
	enum { PARTS = sizeof(parts) / sizeof(parts[0]) };
	struct mthread self;
	const char *missing;
	unsigned i = 0;

	while (i < PARTS && (argc < 2 || strcmp(parts[i].name, argv[1]) != 0))
		i++;
	if (i == PARTS || argc - 2 < parts[i].least) {
		for (i = 0; i < PARTS; i++)
			fprintf(stderr, "Usage: rngsim-figures %s %s\n",
			    parts[i].name, parts[i].operands);
		return (2);
	}
	if (crypto_mode_enter(CRYPTO_NATIVE, argv) != 0 || cpu_init() != 0 ||
	    crypto_init(&missing) != 0)
		figures_fail("cannot start");
	tick_calibrate();
	if (parts[i].attach)
		machine_attach(&self, "figures");
	parts[i].run(argv + 2);
	return (EXIT_SUCCESS);
}
