#include "bench/explore/output_check.h"

enum {
	SURE		= OUTPUT_CHECK_SURE,
	NOT_CANARY	= 0x5a,
	/* oc_state */
	SERVED		= 1 << 0,
	KEY		= 1 << 1
};

CTASSERT((int)NOT_CANARY != (int)OUTPUT_CHECK_CANARY);

void
output_check_clear(struct output_check *oc)
{
	wipe(oc->oc_bytes, oc->oc_count);
	wipe(oc->oc_last, sizeof(oc->oc_last));
	oc->oc_count = 0;
	oc->oc_pieces = 0;
	oc->oc_full = false;
	memset(oc->oc_read, 0, sizeof(oc->oc_read));
}

void
output_check_begin(struct output_check *oc, unsigned thread)
{
	MPASS(thread < OUTPUT_CHECK_THREADS_MAX);
	oc->oc_read[thread]++;
}

bool
output_check_made(struct output_check *oc, unsigned thread,
    const uint8_t key[CIPHER_KEY_BYTES], uint8_t *out, size_t n)
{
	const uint8_t *p;
	unsigned served = 0;
	uint8_t *state;

	MPASS(thread < OUTPUT_CHECK_THREADS_MAX);
	for (size_t i = 0; i < n; i++)
		if (out[i] == OUTPUT_CHECK_CANARY)
			out[i] = NOT_CANARY;
	oc->oc_full |= n > OUTPUT_CHECK_BYTES_MAX - oc->oc_count ||
	    oc->oc_pieces == OUTPUT_CHECK_PIECES_MAX;
	if (oc->oc_full)
		return (true);
	oc->oc_piece[oc->oc_pieces++] = (struct output_check_piece){
		.ok_start = oc->oc_count, .ok_bytes = n, .ok_thread = thread,
		.ok_read = oc->oc_read[thread] };
	memcpy(oc->oc_bytes + oc->oc_count, out, n);
	memset(oc->oc_state + oc->oc_count, 0, n);
	oc->oc_count += n;
	if (memcmp(oc->oc_last, key, CIPHER_KEY_BYTES) == 0)
		return (true);
	memcpy(oc->oc_last, key, CIPHER_KEY_BYTES);
	p = memmem(oc->oc_bytes, oc->oc_count, key, CIPHER_KEY_BYTES);
	for (unsigned i = 0; p != NULL && i < CIPHER_KEY_BYTES; i++) {
		state = &oc->oc_state[p - oc->oc_bytes + i];
		served += (*state & SERVED) != 0;
		*state |= KEY;
	}
	return (served < SURE);
}

/*
 * The longest piece of keystream, all in one state, that the bytes begin with:
 * fresh or not; and if fresh, of the thread's current read or of all others.
 * SURE bytes are enough.
 */
static size_t
find(const struct output_check *oc, bool fresh, bool own, unsigned thread,
    const uint8_t *buf, size_t n, size_t *from)
{
	const struct output_check_piece *ok;
	size_t best = 0, end, run;

	/* The latest first. */
	for (unsigned i = oc->oc_pieces; i-- > 0;) {
		ok = &oc->oc_piece[i];
		if (fresh && own != (ok->ok_thread == thread &&
		    ok->ok_read == oc->oc_read[thread]))
			continue;
		end = ok->ok_start + ok->ok_bytes;
		for (size_t at = ok->ok_start; at < end; at++) {
			if (oc->oc_bytes[at] != buf[0] ||
			    (oc->oc_state[at] == 0) != fresh)
				continue;
			for (run = 1; run < n && at + run < end &&
			    buf[run] == oc->oc_bytes[at + run] &&
			    oc->oc_state[at + run] == oc->oc_state[at];)
				run++;
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
output_check_returned(struct output_check *oc, unsigned thread,
    const uint8_t *buf, size_t n, uint64_t stored_bytes)
{
	uint64_t stored = 0;
	size_t from = 0, more, other, run;

	if (n > 0 && memchr(buf, OUTPUT_CHECK_CANARY, n) != NULL)
		return ("not all of the buffer was written");
	if (oc->oc_full)
		return (NULL);
	for (; n > 0; n -= run, buf += run) {
		run = find(oc, true, true, thread, buf, n, &from);
		/* A few bytes are found anywhere. */
		if (run == 0 || (run < SURE && run < n && stored_bytes > 0)) {
			more = find(oc, true, false, thread, buf, n, &other);
			if (more > run) {
				run = more;
				from = other;
				stored += run < SURE / 2 && stored_bytes > 0 ?
				    0 : run;
			}
		}
		if (run == 0) {
			run = find(oc, false, false, thread, buf, n, &from);
			return (run < SURE ?
			    "there is in it what is no keystream" :
			    (oc->oc_state[from] & SERVED) != 0 ? "there is "
			    "keystream in it that was handed out before" :
			    "there is a key in it");
		}
		if (stored > stored_bytes)
			return ("there is keystream in it that was made "
			    "before it, or for another");
		for (size_t i = 0; i < run; i++)
			oc->oc_state[from + i] |= SERVED;
	}
	return (NULL);
}

void
clone_first(struct clone *cl, const uint8_t *buf, size_t n)
{
	n = MIN(n, CLONE_BYTES - cl->clo_count);
	memcpy(cl->clo_bytes + cl->clo_count, buf, n);
	cl->clo_count += n;
}

size_t
clone_second(const struct clone *cl, const uint8_t *buf, size_t n)
{
	size_t again = 0, end = 0;

	for (size_t at = 0; at < n; at++) {
		if (at + SURE <= n && memmem(cl->clo_bytes, cl->clo_count,
		    buf + at, SURE) != NULL)
			end = at + SURE;
		again += at < end;
	}
	return (again);
}
