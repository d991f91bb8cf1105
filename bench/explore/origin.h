/*
 * Where bytes that were read came from: the keystream of a run is kept, and
 * each read's output is looked for in it.
 *
 * The ledger knows that a read made keystream, not that this is what it handed
 * out.  Here a read is given what its own thread made during it, or some that a
 * buffer had; no byte twice; none that was a key; and none that nobody wrote,
 * for which keystream has no byte ORIGIN_CANARY.
 */
#ifndef BENCH_ORIGIN_H
#define BENCH_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cipher.h"

enum {
	ORIGIN_CANARY	= 0xa5,	/* what buffers are filled with before */
	ORIGIN_BYTES_MAX = 1 << 18, /* of a run with more, nothing is said */
	ORIGIN_PIECES_MAX = 1024,
	ORIGIN_THREADS_MAX = 16
};

/* Keystream that was made at once. */
struct origin_piece {
	size_t		op_start;
	size_t		op_bytes;
	unsigned	op_thread;
	unsigned	op_read;	/* of that thread's */
};

struct origin {
	uint8_t		*or_bytes;	/* all keystream of the run */
	uint8_t		*or_state;	/* what became of each byte */
	size_t		or_count;
	struct origin_piece *or_piece;
	unsigned	or_pieces;
	bool		or_full;	/* there was more */
	unsigned	or_read[ORIGIN_THREADS_MAX];	/* that have begun */
	uint8_t		or_last[CIPHER_KEY_BYTES];	/* the key last used */
};

/* Returns: 0 or ENOMEM.  Wiped and released by origin_fini(), also if zero. */
int origin_init(struct origin *or);
void origin_fini(struct origin *or);

/* A run begins. */
void origin_clear(struct origin *or);

/* A read begins on that thread. */
void origin_begin(struct origin *or, unsigned thread);

/*
 * The thread has made keystream.
 *
 *   out  in/out  a byte that is ORIGIN_CANARY becomes another
 *
 * Returns: false if the key is one that was handed out as output.
 */
bool origin_made(struct origin *or, unsigned thread,
    const uint8_t key[CIPHER_KEY_BYTES], uint8_t *out, size_t n);

/*
 * The thread's read returned these.
 *
 *   stored_bytes  in  that may be from elsewhere
 *
 * Returns: NULL, or what is wrong with them.
 */
const char *origin_returned(struct origin *or, unsigned thread,
    const uint8_t *buf, size_t n, uint64_t stored_bytes);

#endif
