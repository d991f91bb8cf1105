#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/assure/counting.h"

enum {
	/* Keystream up to here is written, of more its ends: keys are there. */
	WHOLE_BYTES	= 2048,
	END_BYTES	= 128,
	UNIT_BYTES	= 16,
	FIRST_USES	= 64,
	FEW_USES	= 16
};

static void
fill(uint8_t *out, size_t from, size_t to, uint64_t serial)
{
	uint64_t unit[2] = { serial, 0 };
	size_t n;

	for (; from < to; from += n) {
		unit[1] = from;
		n = to - from < UNIT_BYTES ? to - from : UNIT_BYTES;
		memcpy(out + from, unit, n);
	}
}

static bool
grow(struct counting *cn)
{
	size_t room = cn->cn_room == 0 ? FIRST_USES : 2 * cn->cn_room;
	struct use **order, *use;

	use = realloc(cn->cn_use, room * sizeof(*use));
	if (use != NULL)
		cn->cn_use = use;
	order = realloc(cn->cn_order, room * sizeof(*order));
	if (order != NULL)
		cn->cn_order = order;
	cn->cn_no_memory = use == NULL || order == NULL;
	if (!cn->cn_no_memory)
		cn->cn_room = room;
	return (!cn->cn_no_memory);
}

/* What a cipher does, without the cipher: counters go on, keys differ. */
static void
counting_keystream(struct cipher_key *ck, uint128_t *ctr, uint8_t *out,
    size_t n)
{
	struct counting *cn = (struct counting *)(uintptr_t)ck->ck_cipher;
	const size_t block = cn->cn_cipher.ci_block_bytes;
	const uint64_t blocks = n / block + (n % block != 0);
	struct use *u = NULL;

	cn->cn_calls++;
	cn->cn_blocks += blocks;
	cn->cn_serial++;
	if (n <= WHOLE_BYTES) {
		fill(out, 0, n, cn->cn_serial);
	} else {
		fill(out, 0, END_BYTES, cn->cn_serial);
		fill(out, (n - END_BYTES) / UNIT_BYTES * UNIT_BYTES, n,
		    cn->cn_serial);
	}
	if (cn->cn_count > cn->cn_old)
		u = &cn->cn_use[cn->cn_count - 1];
	if (u != NULL && uint128_equals(*ctr, counting_end(u)) &&
	    memcmp(u->u_key, ck->ck_raw, CIPHER_KEY_BYTES) == 0) {
		u->u_blocks += blocks;
	} else if (blocks > 0 &&
	    (cn->cn_count < cn->cn_room || grow(cn))) {
		u = &cn->cn_use[cn->cn_count++];
		memcpy(u->u_key, ck->ck_raw, CIPHER_KEY_BYTES);
		u->u_lo = *ctr;
		u->u_blocks = blocks;
	}
	uint128_add64(ctr, blocks);
}

int
counting_init(struct counting *cn, const struct cipher *cipher)
{

	memset(cn, 0, sizeof(*cn));
	cn->cn_cipher = *cipher_hollow(cipher);
	cn->cn_cipher.ci_keystream = counting_keystream;
	return (grow(cn) ? 0 : ENOMEM);
}

void
counting_fini(struct counting *cn)
{

	free(cn->cn_use);
	free(cn->cn_order);
}

void
counting_next(struct counting *cn)
{

	cn->cn_count -= cn->cn_old;
	memmove(cn->cn_use, cn->cn_use + cn->cn_old,
	    cn->cn_count * sizeof(cn->cn_use[0]));
	cn->cn_old = cn->cn_count;
}

void
counting_forget(struct counting *cn)
{

	cn->cn_old = cn->cn_count = 0;
}

static int
compare_128(uint128_t a, uint128_t b)
{

	if (uint128_hi(a) != uint128_hi(b))
		return (uint128_hi(a) < uint128_hi(b) ? -1 : 1);
	return ((uint128_lo(a) > uint128_lo(b)) -
	    (uint128_lo(a) < uint128_lo(b)));
}

static int
compare_at(const void *a, const void *b)
{
	const struct use *const *x = a, *const *y = b;

	return (compare_128((*x)->u_at, (*y)->u_at));
}

static int
compare_key(const void *a, const void *b)
{
	const struct use *const *x = a, *const *y = b;
	int c;

	c = memcmp((*x)->u_key, (*y)->u_key, CIPHER_KEY_BYTES);
	return (c != 0 ? c : compare_at(a, b));
}

static size_t
order(struct counting *cn, size_t from, uint128_t base,
    int (*compare)(const void *, const void *))
{
	size_t i, k, n;

	for (i = from; i < cn->cn_count; i++) {
		cn->cn_use[i].u_at = counting_before(cn->cn_use[i].u_lo,
		    base);
		cn->cn_order[i - from] = &cn->cn_use[i];
	}
	n = cn->cn_count - from;
	if (n > FEW_USES) {
		qsort(cn->cn_order, n, sizeof(cn->cn_order[0]), compare);
		return (n);
	}
	for (i = 1; i < n; i++) {
		struct use *u = cn->cn_order[i];

		for (k = i; k > 0 && compare(&cn->cn_order[k - 1], &u) > 0; k--)
			cn->cn_order[k] = cn->cn_order[k - 1];
		cn->cn_order[k] = u;
	}
	return (n);
}

int64_t
counting_twice(struct counting *cn, uint128_t base)
{
	const struct use *u, *v;
	size_t i, n;
	int64_t gap;

	n = order(cn, 0, base, compare_key);
	for (i = 1; i < n; i++) {
		u = cn->cn_order[i - 1];
		v = cn->cn_order[i];
		if (memcmp(u->u_key, v->u_key, CIPHER_KEY_BYTES) != 0)
			continue;
		gap = counting_gap(counting_end(u), v->u_lo);
		if (gap < 0)
			return (-gap);
	}
	return (0);
}

size_t
counting_order(struct counting *cn, uint128_t base)
{

	return (order(cn, cn->cn_old, base, compare_at));
}
