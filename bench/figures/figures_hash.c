/*
 * Figures of hashes: what "rngsim hash" calls against the call that "openssl
 * speed" times, EVP_Digest().
 *
 * In one process and in short batches, so that it holds on a busy machine too,
 * where a second of openssl speed has other programs' work in it.
 */
#include <stdio.h>
#include <stdlib.h>

#include <openssl/evp.h>

#include "bench/figures/figures.h"
#include "lib/hash.h"
#include "lib/tick.h"

enum { ROUNDS = 31, BATCHES = 25, BATCH_BYTES = 1 << 16 };

static uint8_t message[8 * KIB];

static double
time_ours(const struct hash *ha, size_t n, unsigned calls)
{
	uint8_t out[HASH_BYTES_MAX];
	union hash_context hc;
	int64_t start_ns = tick_ns();
	unsigned i;

	for (i = 0; i < calls; i++) {
		if (hash_init(ha, &hc) != 0)
			abort();
		hash_update(ha, &hc, message, n);
		hash_finish(ha, &hc, out);
		hash_fini(ha, &hc);
	}
	return ((double)(tick_ns() - start_ns) / calls);
}

static double
time_evp(const EVP_MD *md, size_t n, unsigned calls)
{
	uint8_t out[EVP_MAX_MD_SIZE];
	int64_t start_ns = tick_ns();
	unsigned i;

	for (i = 0; i < calls; i++)
		if (EVP_Digest(message, n, out, NULL, md, NULL) != 1)
			abort();
	return ((double)(tick_ns() - start_ns) / calls);
}

/* Their MB/s over each other, each the median of batches, in turn. */
static double
ratio(const struct hash *ha, const EVP_MD *md, size_t n)
{
	unsigned calls = (unsigned)(BATCH_BYTES / (n + 256)), i;
	double evp[BATCHES], ours[BATCHES];

	for (i = 0; i < BATCHES; i++) {
		ours[i] = time_ours(ha, n, calls);
		evp[i] = time_evp(md, n, calls);
	}
	return (figures_median(evp, BATCHES) / figures_median(ours, BATCHES));
}

int
figures_hash(void)
{
	static const char *const names[] = { "md5", "sha1", "sha256", "sha512",
	    "sha3-256", "blake2s-256", "ripemd160", "whirlpool" };
	static const size_t sizes[] = { 16, 256, 8 * KIB };
	double ratios[ROUNDS];
	unsigned i, round, s;
	char buf[64];

	CTASSERT((int)ROUNDS <= (int)FIGURES_ROUNDS_MAX);
	CTASSERT((int)BATCHES <= (int)FIGURES_ROUNDS_MAX);
	figures_heading("hash: MB/s of messages as rngsim hash times them, "
	    "over EVP_Digest(), which\n  openssl speed times, at 16, 256 and "
	    "8192 bytes (aim: 0.90 to 1.10)");
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct hash *ha = hash_find(names[i]);
		EVP_MD *md;

		if (hash_load(ha) != HASH_READY) {
			printf("    %-12s %s\n", names[i], ha->ha_why);
			continue;
		}
		md = EVP_MD_fetch(NULL, ha->ha_native, NULL);
		if (md == NULL)
			abort();
		printf("    %-12s", names[i]);
		for (s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
			for (round = 0; round < ROUNDS; round++)
				ratios[round] = ratio(ha, md, sizes[s]);
			printf("  %s", figures_spread(ratios, ROUNDS, "%.3f",
			    buf));
		}
		printf("\n");
		EVP_MD_free(md);
	}
	return (EXIT_SUCCESS);
}
