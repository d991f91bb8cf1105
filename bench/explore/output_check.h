/*
 * Checks of what a read returns.
 *
 * The ledger records which keystream a read made, not what it returned.  So the
 * keystream of a run is kept, and each read's output is searched in it.  A read
 * may return keystream that its own thread made during it, or bytes of a
 * buffer; no byte twice, none of a key, and none that was never written:
 * buffers are filled with OUTPUT_CHECK_CANARY, which keystream never contains.
 */
#pragma once

#include "lib/crypto/cipher.h"

enum {
	OUTPUT_CHECK_CANARY	= 0xa5,
	/* A run with more passes; its buffers must be written, though. */
	OUTPUT_CHECK_BYTES_MAX	= 1 << 18,
	OUTPUT_CHECK_PIECES_MAX	= 1024,
	OUTPUT_CHECK_THREADS_MAX = 16,
	OUTPUT_CHECK_SURE	= 8,	/* equal bytes are no accident */
	CLONE_BYTES		= 1 << 10	/* more than --clone has */
};

/* Keystream of one call of the cipher. */
struct output_check_piece {
	size_t		ok_start, ok_bytes;
	unsigned	ok_thread;
	unsigned	ok_read;	/* of that thread */
};

/* All zero: of no run. */
struct output_check {
	uint8_t		oc_bytes[OUTPUT_CHECK_BYTES_MAX];	/* keystream */
	uint8_t		oc_state[OUTPUT_CHECK_BYTES_MAX];	/* of each */
	size_t		oc_count;
	struct output_check_piece oc_piece[OUTPUT_CHECK_PIECES_MAX];
	unsigned	oc_pieces;
	bool		oc_full;	/* there was more */
	unsigned	oc_read[OUTPUT_CHECK_THREADS_MAX];	/* begun */
	uint8_t		oc_last[CIPHER_KEY_BYTES];	/* key used last */
};

/* Wipes it: a run begins, or all are over. */
void output_check_clear(struct output_check *oc);

/* A read begins on that thread. */
void output_check_begin(struct output_check *oc, unsigned thread);

/*
 * The thread has made keystream, in which OUTPUT_CHECK_CANARY is replaced by
 * another byte.  Returns: false if the key was handed out as output.
 */
bool output_check_made(struct output_check *oc, unsigned thread,
    const uint8_t key[CIPHER_KEY_BYTES], uint8_t *out, size_t n);

/*
 * The thread's read returned n bytes, of which that many may have been made
 * before, or by others.  Returns: NULL, or what is wrong with them.
 */
const char *output_check_returned(struct output_check *oc, unsigned thread,
    const uint8_t *buf, size_t n, uint64_t stored_bytes);

/* Of two machines that go on from one snapshot the first one's output, or 0. */
struct clone {
	uint8_t		 clo_bytes[CLONE_BYTES];
	size_t		 clo_count;
};

/* The first machine returned n bytes; what is too much is forgotten. */
void clone_first(struct clone *cl, const uint8_t *buf, size_t n);

/* The second one did.  Returns: how many of them the first one returned. */
size_t clone_second(const struct clone *cl, const uint8_t *buf, size_t n);
