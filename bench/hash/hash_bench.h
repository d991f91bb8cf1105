/*
 * What hashes cost: to hash messages, and to condition what is harvested.
 */
#ifndef BENCH_HASH_BENCH_H
#define BENCH_HASH_BENCH_H

#include <stdbool.h>
#include <stdio.h>

#include "bench/result/result.h"
#include "lib/crypto.h"
#include "lib/hash.h"

#define	HASH_BENCH_SCHEMA	"rngsim-hash/1"

enum {
	HASH_BENCH_SIZES_MAX	= 32,
	HASH_BENCH_BYTES_MAX	= 1 << 24,	/* of a message */
	HASH_BENCH_REPEATS_MAX	= 1000
};

/* What is timed of each hash. */
enum hash_bench_what {
	/*
	 * An event of 12 bytes absorbed by a running context in two parts, 4
	 * and 8, as fortuna_state_event() does.
	 */
	HASH_BENCH_EVENT,
	/*
	 * A pool drained: hash, reset, hash of the hash, reset, and contexts
	 * started in place of those used up, as part of a reseed.
	 */
	HASH_BENCH_FINISH,
	/*
	 * A message of the first size in one part, by a context made for it
	 * and released after it.  The other sizes follow.
	 */
	HASH_BENCH_MESSAGE
};

/* Over the repeats, each the median of short batches. */
struct hash_cost {
	double		hc_ns;		/* median */
	double		hc_p25_ns;
	double		hc_p75_ns;
};

struct hash_row {
	const struct hash *hr_hash;	/* HASH_READY */
	struct hash_cost hr_cost[HASH_BENCH_MESSAGE + HASH_BENCH_SIZES_MAX];
};

/* One that is not timed, and why. */
struct hash_skip {
	char		 hs_name[HASH_NAME_SIZE];
	const char	*hs_why;
};

struct hash_bench {
	enum crypto_mode hb_crypto;	/* libraries were loaded in */
	unsigned	 hb_repeats;	/* asked for, 1 or more */
	double		 hb_time_s;	/* of each repeat of each figure */
	unsigned	 hb_size[HASH_BENCH_SIZES_MAX];	/* bytes */
	unsigned	 hb_sizes;
	struct hash_row	*hb_row;
	unsigned	 hb_rows;
	struct hash_skip *hb_skip;
	unsigned	 hb_skips;
	unsigned	 hb_done;	/* complete repeats; costs are theirs */
	char		 hb_started[RESULT_NAME_SIZE];	/* RFC 3339 */
};

/*
 * Times all rows, in every repeat one after the other, and draws progress.
 * stop_catch_signals() was called.
 *
 * Returns: 0; EINTR when it was stopped: costs are then of the repeats that
 * hb_done counts, if any; EIO once crypto_failed(), and hb_done is 0; ENOMEM;
 * or what a library said.
 */
int hash_bench_run(struct hash_bench *hb);

/*
 * Sorts the rows.
 *
 *   by  in  a hash_bench_what, of which the cheapest comes first; or -1 for
 *           names
 */
void hash_bench_sort(struct hash_bench *hb, int by);

/* Releases the rows and what was skipped. */
void hash_bench_free(struct hash_bench *hb);

/*
 * Prints a table of at most FIGURE_COLUMNS.
 *
 *   sizes   in  indices of hb_size to show
 *   count   in  of them
 */
void hash_bench_print_table(FILE *out, const struct hash_bench *hb,
    const unsigned *sizes, unsigned count);

/* Prints a line of RFC 4180 for each figure. */
void hash_bench_print_csv(FILE *out, const struct hash_bench *hb);

/*
 * All of it as JSON text, ending in a newline, in a malloc(3)ed string.
 *
 * Returns: NULL when there is no memory.
 */
char *hash_bench_format_json(const struct hash_bench *hb);

/* MB/s of messages that take ns each. */
static inline double
hash_bench_mb_per_s(unsigned bytes, double ns)
{

	return (ns > 0 ? bytes * 1e3 / ns : 0);
}

#endif
