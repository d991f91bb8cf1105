/*
 * TinyMT32, a Mersenne Twister with a state of 127 bits: M. Saito and
 * M. Matsumoto, RFC 8682, with that document's parameters and seed 1.
 */
#include <stddef.h>

#include "bench/sources/numbers.h"

enum {
	TINYMT_WORDS	= 4,		/* of state */
	TINYMT_SEED	= 1,
	TINYMT_MIX	= 8		/* rounds of seeding, and idle ones */
};

static const uint32_t tinymt_mat1 = 0x8f7011ee;
static const uint32_t tinymt_mat2 = 0xfc78ff1f;
static const uint32_t tinymt_tmat = 0x3793fdff;
static const uint32_t tinymt_factor = 1812433253;
static const uint32_t tinymt_mask = 0x7fffffff;

static const uint32_t tinymt_known[NUMBER_FIRST] = {
	2545341989, 981918433, 3715302833, 2387538352
};

/* One step of the recursion. */
static inline void
advance(uint32_t s[TINYMT_WORDS])
{
	uint32_t odd, x, y;

	x = (s[0] & tinymt_mask) ^ s[1] ^ s[2];
	x ^= x << 1;
	y = s[3] ^ (s[3] >> 1) ^ x;
	odd = -(y & 1);
	s[0] = s[1];
	s[1] = s[2] ^ (odd & tinymt_mat1);
	s[2] = x ^ (y << 10) ^ (odd & tinymt_mat2);
	s[3] = y;
}

/* The number that a state stands for. */
static inline uint32_t
temper(const uint32_t s[TINYMT_WORDS])
{
	uint32_t t = s[0] + (s[2] >> 8);

	return (s[3] ^ t ^ (-(t & 1) & tinymt_tmat));
}

static void
tinymt32_init(struct number_state *st)
{
	uint32_t *s = st->st_word, before;
	unsigned i;

	s[0] = TINYMT_SEED;
	s[1] = tinymt_mat1;
	s[2] = tinymt_mat2;
	s[3] = tinymt_tmat;
	for (i = 1; i < TINYMT_MIX; i++) {
		before = s[(i - 1) % TINYMT_WORDS];
		s[i % TINYMT_WORDS] ^= i + tinymt_factor * (before ^
		    (before >> 30));
	}
	for (i = 0; i < TINYMT_MIX; i++)
		advance(s);
}

static inline bool
tinymt32_step(struct number_state *st, uint32_t *v)
{

	advance(st->st_word);
	*v = temper(st->st_word);
	return (true);
}

NUMBER_LOOP(tinymt32_32, uint32_t, tinymt32_step)

const struct number_source number_tinymt32 = {
	.ns_name	= "tinymt32",
	.ns_descr	= "Mersenne Twister with a state of 127 bits, computed",
	.ns_init	= tinymt32_init,
	.ns_batch	= { [NUMBER_32] = tinymt32_32 },
	.ns_known	= tinymt_known,
};
