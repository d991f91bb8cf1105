/*
 * Figures of the designs that Fortuna's own source invites: small reads.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/figures/figures.h"

enum {
	ROUNDS	= 15,
	HYBRID	= 2,
	DESIGNS,
	LOADS	= 2	/* 1 reader, 2 readers */
};

static const char *const designs[DESIGNS] = { "locked", "concurrent",
    "hybrid" };

/* ns that a read takes, those of all readers counted. */
static double
read_ns(const char *design, const struct cipher *cipher, unsigned readers,
    uint64_t bytes)
{
	const struct cell ce = {
		.ce_design = design,
		.ce_lock = "mtx",
		.ce_cipher = cipher,
		.ce_readers = readers,
		.ce_request_bytes = bytes,
	};
	struct result_sample rs;

	figures_run_cell(&ENGINE(real), &ce, 0.1, 0, &rs);
	return ((double)bytes * 1e3 / rs.total_mb_per_s);
}

static void
small_reads(const struct cipher *cipher, unsigned readers, uint64_t bytes)
{
	double ns[DESIGNS][ROUNDS], slower[ROUNDS];
	unsigned d, round;
	char buf[64];

	/* Each round in another order: who comes first finds caches cold. */
	for (round = 0; round < ROUNDS; round++)
		for (d = 0; d < DESIGNS; d++) {
			unsigned k = (d + round) % DESIGNS;

			ns[k][round] = read_ns(designs[k], cipher, readers,
			    bytes);
		}
	printf("  %s, %u reader%s of %" PRIu64 " B\n", cipher->ci_name,
	    readers, readers == 1 ? "" : "s", bytes);
	for (d = 0; d < DESIGNS; d++) {
		printf("    %-10s %s ns", designs[d], figures_spread(ns[d],
		    ROUNDS, "%.0f", buf));
		for (round = 0; round < ROUNDS; round++)
			slower[round] = ns[d][round] / ns[HYBRID][round];
		if (d != HYBRID)
			printf(", over hybrid's %s", figures_spread(slower,
			    ROUNDS, "%.2f", buf));
		putchar('\n');
	}
}

int
figures_designs(void)
{
	static const uint64_t sizes[] = { 16, 32, 64 };
	unsigned c, r, s;

	figures_heading("designs: ns of a small read, --crypto kernel, mtx "
	    "(aim: hybrid beats locked and\n  concurrent with both ciphers at "
	    "1 and 2 readers: ratios above 1)");
	for (c = 0; c < cipher_count; c++)
		for (r = 1; r <= LOADS; r++)
			for (s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
				small_reads(ciphers[c], r, sizes[s]);
	return (EXIT_SUCCESS);
}
