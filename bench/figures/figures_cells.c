/*
 * Figures of whole cells: what the designs and lock profiling make of them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/figures/figures.h"

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
				struct cell ce = {
					.ce_design = designs[d],
					.ce_lock = lock,
					.ce_cipher = cipher_find("aes"),
					.ce_readers = k == 0 ? 1 : cpus,
					.ce_request_bytes = 64 * KIB,
				};

				figures_run_cell(&ENGINE(real), &ce, 0.5, 0,
				    &rs);
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
		    figures_spread(total[d][0], ROUNDS, "%.1f", buf));
		printf("    %10s of %u readers %s MB/s,\n", "", cpus,
		    figures_spread(total[d][1], ROUNDS, "%.1f", buf));
		printf("    %10s the second over the first %s,\n", "",
		    figures_spread(grow[d], ROUNDS, "%.2f", buf));
		printf("    %10s harvest CPU %s %%\n", "",
		    figures_spread(cpu[d][1], ROUNDS, "%.2f", buf));
	}
	printf("    each reader, concurrent over locked: %s\n",
	    figures_spread(ratio, ROUNDS, "%.2f", buf));
}

int
figures_effect(void)
{
	static const char *const locks[] = { "mtx", "mtx-spin", "pthread" };
	unsigned i;

	figures_heading("effect: AES, --crypto kernel, 64 KiB reads (aim: mtx "
	    "at least 2.5 times,\n  concurrent grows at least 1.85 times, "
	    "locked not at all; harvest CPU at least\n  10 % locked, at most "
	    "0.5 % concurrent)");
	for (i = 0; i < sizeof(locks) / sizeof(locks[0]); i++)
		effect_of(locks[i]);
	return (EXIT_SUCCESS);
}

/* Throughput with all holds timed, and with some, over that without. */
static void
profiling_of(const struct cell *ce)
{
	enum { ROUNDS = 15 };
	static const unsigned skipcount[] = { 0, 15 };
	double ratio[2][ROUNDS];
	struct result_sample on, off;
	unsigned k, round;
	char buf[64];

	for (round = 0; round < ROUNDS; round++) {
		figures_run_cell(&ENGINE(bare), ce, 0.3, 0, &off);
		for (k = 0; k < 2; k++) {
			figures_run_cell(&ENGINE(real), ce, 0.3, skipcount[k],
			    &on);
			ratio[k][round] = on.total_mb_per_s /
			    off.total_mb_per_s;
		}
	}
	for (k = 0; k < 2; k++)
		printf("    %-9s %3ju KiB, skipcount %2u: %s\n",
		    ce->ce_cipher->ci_name,
		    (uintmax_t)ce->ce_request_bytes / KIB, skipcount[k],
		    figures_spread(ratio[k], ROUNDS, "%.3f", buf));
}

/* What lock profiling takes from the readers. */
int
figures_profiling(void)
{
	static const uint64_t sizes[] = { 4 * KIB, 64 * KIB };
	unsigned c, s;

	figures_heading("profiling: throughput with lock profiling over "
	    "without, --crypto native,\n  concurrent, mtx, 1 reader (aim: at "
	    "least 0.98)");
	for (c = 0; c < cipher_count; c++) {
		for (s = 0; s < 2; s++) {
			struct cell ce = {
				.ce_design = "concurrent",
				.ce_lock = "mtx",
				.ce_cipher = ciphers[c],
				.ce_readers = 1,
				.ce_request_bytes = sizes[s],
			};

			profiling_of(&ce);
		}
	}
	return (EXIT_SUCCESS);
}
