/*
 * rngsim-battery: what "make stat" needs beside rngsim and the batteries: the
 * exact search for duplicates, streams that are broken on purpose, and
 * p-values.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <openssl/evp.h>

#include "bench/assure/duplicates.h"
#include "lib/base/base.h"

enum {
	READERS		= 4,		/* of broken streams */
	GRAIN_BYTES	= 64,
	ROUND_BYTES	= READERS * GRAIN_BYTES,
	PAGE_BYTES	= 4096,
	RARE		= 1000,		/* one round in so many */
	READERS_MAX	= 1024,
	GRAIN_MAX	= 1 << 16,
	BLOCKS_MAX	= 1000000000,
	BINS		= 10,		/* of p-values */
	USAGE		= 2
};

/*
 * The probability that rngtest(1) fails a block of 2500 random bytes, measured
 * on AES-256-CTR: 1,298 of 1,600,000 blocks, +/- 0.23e-4.  Theory gives
 * 1.035e-4 (monobit) + 0.992e-4 (poker) + 2.98e-4 (long run); the run counts
 * add the rest.
 */
#define	BLOCK_FAILS	8.11e-4

static _Noreturn void
die(int status, const char *what, const char *why)
{
	fprintf(stderr, "rngsim-battery: %s: %s\n", what, why);
	exit(status);
}

static uint64_t
size_of(const char *text, uint64_t low, uint64_t high)
{
	uint64_t v;

	if (parse_size(text, &v) != 0 || v < low || v > high)
		die(USAGE, text, "expected a number in its range");
	return (v);
}

static double
real_of(const char *text, double low, double high)
{
	char *end;
	double v = strtod(text, &end);

	/* parse_real() takes no exponents. */
	if (end == text || *end != '\0' || !(v >= low && v <= high))
		die(USAGE, text, "expected a number in its range");
	return (v);
}

static size_t
get(void *buf, size_t n)
{
	size_t got = fread(buf, 1, n, stdin);

	if (ferror(stdin))
		die(EXIT_FAILURE, "stdin", strerror(errno));
	return (got);
}

/* False: the reader of the pipe has ended. */
static bool
put(const void *buf, size_t n)
{
	if (fwrite(buf, 1, n, stdout) == n)
		return (true);
	if (errno != EPIPE)
		die(EXIT_FAILURE, "stdout", strerror(errno));
	return (false);
}

static void
print_place(uint64_t at, uint64_t readers, uint64_t grain)
{
	printf("reader %ju byte %ju", (uintmax_t)(at / grain % readers),
	    (uintmax_t)(at / grain / readers * grain + at % grain));
}

/*
 * Prints "BLOCKS blocks, N duplicates", and where the first of them are: N is
 * the blocks less the different ones.  Status 1 when there are any.
 */
static int
run_duplicates(char *argv[])
{
	const uint64_t readers = size_of(argv[0], 1, READERS_MAX);
	const uint64_t grain = size_of(argv[1], 1, 1 << 30);
	struct duplicates du = { .du_block_bytes = DUPLICATES_KEPT_BYTES };
	struct duplicates_found df;
	size_t blocks;

	duplicates_read(&du, stdin);
	if (ferror(stdin))
		die(EXIT_FAILURE, "stdin", strerror(errno));
	duplicates_find(&du, &df);
	blocks = du.du_count;
	duplicates_fini(&du);
	printf("%ju blocks, %ju duplicates", (uintmax_t)blocks,
	    (uintmax_t)df.df_duplicates);
	if (df.df_duplicates > 0) {
		printf("; first: ");
		print_place(df.df_first, readers, grain);
		printf(", ");
		print_place(df.df_again, readers, grain);
	}
	putchar('\n');
	return (df.df_duplicates > 0 ? EXIT_FAILURE : EXIT_SUCCESS);
}

/* Writes the XOR of two readers' streams, taken from the interleaved ones. */
static int
run_xor(char *argv[])
{
	const uint64_t readers = size_of(argv[0], 2, READERS_MAX);
	const uint64_t grain = size_of(argv[1], 1, GRAIN_MAX);
	const uint64_t a = size_of(argv[2], 0, readers - 1);
	const uint64_t b = size_of(argv[3], 0, readers - 1);
	uint8_t *round = malloc(readers * grain);

	if (round == NULL)
		die(EXIT_FAILURE, "xor", "no memory");
	while (get(round, readers * grain) == readers * grain) {
		for (size_t i = 0; i < grain; i++)
			round[i] = (uint8_t)(round[a * grain + i] ^
			    round[b * grain + i]);
		if (!put(round, grain))
			break;
	}
	free(round);
	return (EXIT_SUCCESS);
}

/* AES-256-CTR with the same key in every run: results repeat. */
static void
keystream(uint8_t *out, int n)
{
	static const uint8_t key[32] = "rngsim-battery", iv[16];
	static EVP_CIPHER_CTX *ctx;
	int made = 0;

	if (ctx == NULL) {
		ctx = EVP_CIPHER_CTX_new();
		if (ctx == NULL || EVP_EncryptInit_ex(ctx, EVP_aes_256_ctr(),
		    NULL, key, iv) != 1)
			die(EXIT_FAILURE, "broken", "no AES-256-CTR");
	}
	memset(out, 0, (size_t)n);
	if (EVP_EncryptUpdate(ctx, out, &made, out, n) != 1 || made != n)
		die(EXIT_FAILURE, "broken", "AES-256-CTR failed");
}

enum { COPIED, RARE_COPIED, PAGE, RANDU, BROKEN };

/* Breaks a round of all readers. */
static void
spoil(unsigned how, uint8_t round[ROUND_BYTES], uint64_t number)
{
	static uint8_t page[PAGE_BYTES / ROUND_BYTES][ROUND_BYTES];
	const uint64_t rounds = PAGE_BYTES / ROUND_BYTES;
	static uint32_t x = 1;

	switch (how) {
	case RARE_COPIED:
		if (number % RARE != RARE - 1)
			return;
		/* FALLTHROUGH */
	case COPIED:	/* the second reader gets what the first one got */
		memcpy(round + GRAIN_BYTES, round, GRAIN_BYTES);
		return;
	case PAGE:	/* one page again and again */
		if (number < rounds)
			memcpy(page[number], round, ROUND_BYTES);
		else
			memcpy(round, page[number % rounds], ROUND_BYTES);
		return;
	default:	/* the upper 16 bits of RANDU, x = 65539 x mod 2^31 */
		for (unsigned i = 0; i < ROUND_BYTES; i += 2) {
			x = x * 65539u & 0x7fffffffu;
			round[i] = (uint8_t)(x >> 15);
			round[i + 1] = (uint8_t)(x >> 23);
		}
	}
}

/* Writes a broken stream of four readers, interleaved by 64; 0 is endless. */
static int
run_broken(char *argv[])
{
	static const char *const names[BROKEN] = { "copied", "rare", "page",
	    "randu" };
	uint64_t left = size_of(argv[1], 0, UINT64_MAX), number;
	uint8_t round[ROUND_BYTES];
	unsigned i = 0;
	size_t n;

	while (i < BROKEN && strcmp(names[i], argv[0]) != 0)
		i++;
	if (i == BROKEN)
		die(USAGE, argv[0], "expected copied, rare, page or randu");
	if (left == 0)
		left = UINT64_MAX;
	for (number = 0; left > 0; number++, left -= n) {
		keystream(round, ROUND_BYTES);
		spoil(i, round, number);
		n = left < ROUND_BYTES ? (size_t)left : ROUND_BYTES;
		if (!put(round, n))
			break;
	}
	return (EXIT_SUCCESS);
}

/* Prints the two-sided probability of that many failing blocks. */
static int
run_binomial(char *argv[])
{
	unsigned blocks = (unsigned)size_of(argv[0], 1, BLOCKS_MAX);
	unsigned failures = (unsigned)size_of(argv[1], 0, blocks);
	double more = failures == 0 ? 1 :
	    gsl_cdf_binomial_Q(failures - 1, BLOCK_FAILS, blocks);

	printf("%.6g\n", fmin(1, 2 * fmin(more,
	    gsl_cdf_binomial_P(failures, BLOCK_FAILS, blocks))));
	return (EXIT_SUCCESS);
}

/* Prints the two-sided probability of a chi-square statistic. */
static int
run_chisq(char *argv[])
{
	double degrees = real_of(argv[0], 1, 1e9);
	double statistic = real_of(argv[1], 0, 1e300);

	printf("%.6g\n", 2 * fmin(gsl_cdf_chisq_P(statistic, degrees),
	    gsl_cdf_chisq_Q(statistic, degrees)));
	return (EXIT_SUCCESS);
}

/* Prints the error of each of NUMBER tests when all together err by ALPHA. */
static int
run_sidak(char *argv[])
{
	double alpha = real_of(argv[0], 0, 1);

	printf("%.6g\n", -expm1(log1p(-alpha) / real_of(argv[1], 1, 1e9)));
	return (EXIT_SUCCESS);
}

/* Reads p-values and prints the probability of their unevenness over bins. */
static int
run_uniform(char *argv[])
{
	double bins[BINS] = { 0 }, chisq = 0, count = 0, p;
	int items;

	(void)argv;
	while ((items = scanf("%lf", &p)) == 1 && p >= 0 && p <= 1) {
		bins[p < 1 ? (unsigned)(p * BINS) : BINS - 1]++;
		count++;
	}
	if (items != EOF || count == 0)
		die(USAGE, "stdin", "expected p-values of 0..1");
	for (unsigned i = 0; i < BINS; i++)
		chisq += (bins[i] - count / BINS) * (bins[i] - count / BINS) /
		    (count / BINS);
	printf("%.6g\n", gsl_cdf_chisq_Q(chisq, BINS - 1));
	return (EXIT_SUCCESS);
}

int
main(int argc, char *argv[])
{
	static const struct {
		const char	*name;
		const char	*operands;
		int		 count;		/* of them */
		int		(*run)(char *argv[]);
	} commands[] = {
		{ "duplicates", "READERS GRAIN", 2, run_duplicates },
		{ "xor", "READERS GRAIN I J", 4, run_xor },
		{ "broken", "NAME BYTES", 2, run_broken },
		{ "binomial", "BLOCKS FAILURES", 2, run_binomial },
		{ "chisq", "DEGREES STATISTIC", 2, run_chisq },
		{ "sidak", "ALPHA NUMBER", 2, run_sidak },
		{ "uniform", "", 0, run_uniform },
	};
	const unsigned n = sizeof(commands) / sizeof(commands[0]);
	unsigned i = 0;
	int status;

	signal(SIGPIPE, SIG_IGN);
	while (i < n && (argc < 2 || strcmp(commands[i].name, argv[1]) != 0))
		i++;
	if (i == n || argc - 2 != commands[i].count) {
		for (i = 0; i < n; i++)
			fprintf(stderr, "Usage: rngsim-battery %s %s\n",
			    commands[i].name, commands[i].operands);
		return (USAGE);
	}
	status = commands[i].run(argv + 2);
	errno = 0;
	if (fflush(stdout) != 0 && errno != EPIPE)
		die(EXIT_FAILURE, "stdout", strerror(errno));
	return (status);
}
