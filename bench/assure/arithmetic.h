/*
 * Counters that a design reserves for a read against those that the read uses:
 * every size is read with a stub cipher that records counters.  None is used
 * twice under one key, in a read or in two consecutive ones.  And where a
 * design has one counter that only grows, no two reads use the same one,
 * whatever the key: a read has then reserved at least as many as it uses.
 * Those that it skips are its slack.
 */
#pragma once

#include "fortuna/device/design.h"

enum {
	ARITHMETIC_BYTES	= (4 << 20) + 64,	/* the largest size */
	/*
	 * After so many calls for keystream only sizes near multiples of the
	 * second are read, and after as many again near its powers of two: a
	 * design that makes a call for each page or block is slow.
	 */
	ARITHMETIC_CALLS	= 30 * 1000 * 1000,
	ARITHMETIC_EDGE_BYTES	= 1 << 16,
	ARITHMETIC_NEAR_BYTES	= 64,
	ARITHMETIC_TEXT_SIZE	= 256
};

struct arithmetic {
	const struct design *ar_design;
	const struct cipher *ar_cipher;	/* one of ciphers[] */
	uint64_t	ar_calls;	/* as above; 0: every size is read */
	/* Found; zero before. */
	uint64_t	ar_sizes;	/* reads */
	uint64_t	ar_all;		/* every size up to here was read */
	/* One counter that grows; else each key starts its own. */
	bool		ar_line;
	int64_t		ar_slack_max;
	uint64_t	ar_slack_sizes;	/* reads that had any */
	bool		ar_failed;
	char		ar_text[ARITHMETIC_TEXT_SIZE];	/* how, if it failed */
};

/*
 * Reads sizes 0, 1, ... ARITHMETIC_BYTES, up to the first failure, of a design
 * that asks for keystream.  The caller is attached to its machine.  Returns: 0,
 * also when a check failed; EINTR after a signal; what randomdev_new() did.
 */
int arithmetic_sweep(struct arithmetic *ar);

/*
 * The same around carries: counters 2^32, 2^64, 2^96 and 2^128 fall before,
 * into and behind what a read uses.  Only of designs whose state can be seen.
 */
int arithmetic_wraps(struct arithmetic *ar);
