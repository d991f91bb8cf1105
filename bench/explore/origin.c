#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/explore/origin.h"
#include "lib/kassert.h"
#include "lib/wipe.h"

enum {
	/* So many bytes are alike by no accident. */
	SURE		= 8,
	NOT_CANARY	= 0x5a,
	/* or_state */
	SERVED		= 1 << 0,
	KEY		= 1 << 1
};

CTASSERT((int)NOT_CANARY != (int)ORIGIN_CANARY);

int
origin_init(struct origin *or)
{

	memset(or, 0, sizeof(*or));
	or->or_bytes = malloc(ORIGIN_BYTES_MAX);
	or->or_state = malloc(ORIGIN_BYTES_MAX);
	or->or_piece = malloc(ORIGIN_PIECES_MAX * sizeof(*or->or_piece));
	if (or->or_bytes != NULL && or->or_state != NULL &&
	    or->or_piece != NULL)
		return (0);
	origin_fini(or);
	return (ENOMEM);
}

void
origin_fini(struct origin *or)
{

	if (or->or_bytes != NULL)
		wipe(or->or_bytes, or->or_count);
	free(or->or_bytes);
	free(or->or_state);
	free(or->or_piece);
	wipe(or, sizeof(*or));
}

void
origin_clear(struct origin *or)
{

	or->or_count = 0;
	or->or_pieces = 0;
	or->or_full = false;
	memset(or->or_read, 0, sizeof(or->or_read));
	memset(or->or_last, 0, sizeof(or->or_last));
}

void
origin_begin(struct origin *or, unsigned thread)
{

	MPASS(thread < ORIGIN_THREADS_MAX);
	or->or_read[thread]++;
}

/* Marks where the key is from.  Returns: whether some of it was handed out. */
static bool
key_served(struct origin *or, const uint8_t key[CIPHER_KEY_BYTES])
{
	const uint8_t *end = or->or_bytes + or->or_count, *p = or->or_bytes;
	unsigned served = 0;
	size_t i;

	for (; end - p >= CIPHER_KEY_BYTES; p++) {
		p = memchr(p, key[0], (size_t)(end - p) - CIPHER_KEY_BYTES + 1);
		if (p == NULL)
			return (false);
		if (memcmp(p, key, CIPHER_KEY_BYTES) == 0)
			break;
	}
	if (end - p < CIPHER_KEY_BYTES)
		return (false);
	for (i = 0; i < CIPHER_KEY_BYTES; i++) {
		uint8_t *state = &or->or_state[(size_t)(p - or->or_bytes) + i];

		served += (*state & SERVED) != 0;
		*state |= KEY;
	}
	return (served >= SURE);
}

bool
origin_made(struct origin *or, unsigned thread,
    const uint8_t key[CIPHER_KEY_BYTES], uint8_t *out, size_t n)
{
	size_t i;

	MPASS(thread < ORIGIN_THREADS_MAX);
	for (i = 0; i < n; i++)
		if (out[i] == ORIGIN_CANARY)
			out[i] = NOT_CANARY;
	if (or->or_full)
		return (true);
	if (n > ORIGIN_BYTES_MAX - or->or_count ||
	    or->or_pieces == ORIGIN_PIECES_MAX) {
		or->or_full = true;
		return (true);
	}
	or->or_piece[or->or_pieces++] = (struct origin_piece){
		.op_start = or->or_count, .op_bytes = n, .op_thread = thread,
		.op_read = or->or_read[thread] };
	memcpy(or->or_bytes + or->or_count, out, n);
	memset(or->or_state + or->or_count, 0, n);
	or->or_count += n;
	if (memcmp(or->or_last, key, CIPHER_KEY_BYTES) == 0)
		return (true);
	memcpy(or->or_last, key, CIPHER_KEY_BYTES);
	return (!key_served(or, key));
}

/*
 * How many bytes agree from there on: up to the end of either, or to a byte
 * that is of another state.
 */
static size_t
agree(const struct origin *or, size_t from, size_t end, const uint8_t *buf,
    size_t n)
{
	size_t i;

	for (i = 0; i < n && from + i < end &&
	    buf[i] == or->or_bytes[from + i] &&
	    or->or_state[from + i] == or->or_state[from]; i++)
		;
	return (i);
}

/*
 * The longest run that the bytes can begin with, of pieces of that read or of
 * all others, and of bytes that are in that state or in any other.
 */
static size_t
find(const struct origin *or, bool own, bool fresh, unsigned thread,
    const uint8_t *buf, size_t n, size_t *from)
{
	const struct origin_piece *op;
	size_t at, best = 0, end, run;
	unsigned i;

	/* The latest first. */
	for (i = or->or_pieces; i-- > 0;) {
		op = &or->or_piece[i];
		if ((op->op_thread == thread && op->op_read ==
		    or->or_read[thread]) != own)
			continue;
		end = op->op_start + op->op_bytes;
		for (at = op->op_start; at < end; at++) {
			if (or->or_bytes[at] != buf[0] ||
			    (or->or_state[at] == 0) != fresh)
				continue;
			run = agree(or, at, end, buf, n);
			if (run > best) {
				best = run;
				*from = at;
			}
			if (best == n || best >= SURE)
				return (best);
		}
	}
	return (best);
}

const char *
origin_returned(struct origin *or, unsigned thread, const uint8_t *buf,
    size_t n, uint64_t stored_bytes)
{
	uint64_t stored = 0;
	size_t from = 0, i, run;

	if (n > 0 && memchr(buf, ORIGIN_CANARY, n) != NULL)
		return ("not all of the buffer was written");
	if (or->or_full)
		return (NULL);
	for (; n > 0; n -= run, buf += run) {
		run = find(or, true, true, thread, buf, n, &from);
		if (run == 0 || (run < SURE && run < n && stored_bytes > 0)) {
			/* Few bytes are anywhere. */
			size_t other, more;

			more = find(or, false, true, thread, buf, n, &other);
			if (more > run) {
				run = more;
				from = other;
				stored += run;
			}
		}
		if (run > 0) {
			for (i = 0; i < run; i++)
				or->or_state[from + i] |= SERVED;
			if (stored > stored_bytes)
				return ("there is keystream in it that was "
				    "made before it, or for another");
			continue;
		}
		run = find(or, true, false, thread, buf, n, &from);
		if (run < SURE)
			run = find(or, false, false, thread, buf, n, &from);
		if (run < SURE)
			return ("there is in it what is no keystream");
		return ((or->or_state[from] & SERVED) != 0 ?
		    "there is keystream in it that was handed out before" :
		    "there is a key in it");
	}
	return (NULL);
}
