/*
 * Counters that a design sets aside for a read, against those the read uses: by
 * reading every size, with a stand-in for the cipher that only counts.
 *
 * What is looked at is what keystream was asked for, under which key and at
 * which counters, so it holds for any design as it is, without knowing how it
 * reserves.  Two things are checked.  No counter is used twice under one key,
 * in a read or in two that follow each other.  And where a design has one
 * counter that only grows, it is used once whatever the key, so that a read has
 * at least as many counters as it uses; those that it passes over are its
 * slack.
 */
#ifndef BENCH_ASSURE_ARITHMETIC_H
#define BENCH_ASSURE_ARITHMETIC_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "fortuna/generator.h"

enum {
	/* What is swept if nothing else is said: sizes 0 to 4 MiB + 64. */
	ARITHMETIC_BYTES	= (4 << 20) + 64,
	/*
	 * Once a sweep has made so many calls for keystream, as it has soon
	 * where each page is one, sizes near these multiples are left.
	 */
	ARITHMETIC_CALLS	= 30 * 1000 * 1000,
	ARITHMETIC_EDGE_BYTES	= 1 << 16,
	ARITHMETIC_NEAR_BYTES	= 64,
	ARITHMETIC_TEXT_SIZE	= 256
};

struct arithmetic_params {
	const struct random_algorithm *ap_design;
	const struct cipher *ap_cipher;	/* one of ciphers[] */
	uint64_t	ap_bytes;	/* the largest size */
	uint64_t	ap_calls;	/* as above; 0: every size is read */
	/* NULL; or told the slack of each size, in order. */
	void		(*ap_size)(void *context, uint64_t bytes,
			    int64_t slack);
	void		*ap_context;
	/* NULL; or set by a signal handler: end soon. */
	const volatile sig_atomic_t *ap_stop;
};

struct arithmetic {
	uint64_t	ar_sizes;	/* reads */
	uint64_t	ar_all;		/* every size up to here was one */
	uint64_t	ar_calls;
	uint64_t	ar_blocks;	/* counters used */
	bool		ar_wraps;	/* by arithmetic_wraps() */
	/* One counter that grows; else each key has its own, from the start. */
	bool		ar_line;
	/* Of a line, counters set aside but not used, over all sizes. */
	int64_t		ar_slack_min;	/* negative: too few */
	int64_t		ar_slack_max;
	uint64_t	ar_slack_sizes;	/* reads that had any */
	uint64_t	ar_slack_first;	/* the smallest of them */
	bool		ar_failed;
	char		ar_text[ARITHMETIC_TEXT_SIZE];	/* how, if it failed */
};

/*
 * Reads sizes 0, 1, ... ap_bytes.  crypto_init() has been called and the caller
 * is attached to its machine.  Ends
 * at the first failure; of a design that asks for no keystream nothing is read.
 *
 * Returns: 0, also when a check failed; EINTR when *ap_stop was set; ENOMEM, or
 * what the design's ra_init said; *ar is undefined then.
 */
int arithmetic_sweep(const struct arithmetic_params *ap, struct arithmetic *ar);

/*
 * The same at counters around which a carry goes from one word into the next,
 * and past the last: 2^32, 2^64, 2^96 and 2^128 fall before, into and behind
 * what a read uses.  For designs with struct fortuna only, RA_FORTUNA_STATE;
 * of others nothing is read.
 */
int arithmetic_wraps(const struct arithmetic_params *ap, struct arithmetic *ar);

/* What a sweep found, in a line for people. */
void arithmetic_format(const struct arithmetic *ar, char *buf, size_t size);

#endif
