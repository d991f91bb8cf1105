/*
 * What a ledger costs: each cell without one and with one in turn.
 *
 * CPU time of a read is what the ledger adds to; a rate also says who else was
 * on the machine.
 */
#include <stdio.h>

#include "bench/figures/figures.h"
#include "fortuna/generator.h"
#include "lib/crypto.h"

enum { ROUNDS = 15 };

static const double time_s = 0.1;
static const double aim_percent = 5;

/* CPU time of one read, ns. */
static double
cpu_ns(const struct result_sample *rs)
{

	return (rs->readers_cpu_percent * 1e7 / rs->reads_per_s);
}

static void
measure(const struct cell *ce)
{
	double cost[ROUNDS], plain[ROUNDS], rate[ROUNDS];
	struct result_sample with, without;
	char texts[3][64];
	unsigned i;

	for (i = 0; i < ROUNDS; i++) {
		figures_run_cell(&ENGINE(real), ce, time_s, 0, &without);
		figures_run_ledgered(&ENGINE(real), ce, time_s, &with);
		plain[i] = cpu_ns(&without) / 1e3;
		cost[i] = 100 * (cpu_ns(&with) / cpu_ns(&without) - 1);
		rate[i] = 100 * (1 - with.total_mb_per_s /
		    without.total_mb_per_s);
	}
	printf("  %-10s %-8s %u  %-22s %-22s %-22s%s\n", ce->ce_design,
	    ce->ce_cipher->ci_name, ce->ce_readers,
	    figures_spread(plain, ROUNDS, "%.2f", texts[0]),
	    figures_spread(cost, ROUNDS, "%.1f", texts[1]),
	    figures_spread(rate, ROUNDS, "%.1f", texts[2]),
	    figures_median(cost, ROUNDS) <= aim_percent ? "" : " above");
}

int
figures_ledger(void)
{
	static const char *const designs[] = { "locked", "concurrent" };
	unsigned c, d, readers;

	figures_heading(crypto_mode_now() == CRYPTO_NATIVE ?
	    "The ledger at reads of 4 KiB, native crypto: aimed at 5 % of a "
	    "read's CPU time or less" :
	    "The ledger at reads of 4 KiB, kernel-style crypto: aimed at 5 % "
	    "of a read's CPU time or less");
	printf("  %-21s %-22s %-22s %-22s\n", "", "us a read", "more, %",
	    "less MB/s, %");
	for (d = 0; d < sizeof(designs) / sizeof(designs[0]); d++)
		for (c = 0; c < cipher_count; c++)
			for (readers = 1; readers <= 2; readers++)
				measure(&(struct cell){
					.ce_design = designs[d],
					.ce_lock = "mtx",
					.ce_cipher = ciphers[c],
					.ce_readers = readers,
					.ce_request_bytes = 4 * KIB });
	return (0);
}
