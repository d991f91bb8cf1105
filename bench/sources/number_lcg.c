/*
 * The linear congruential generator of ANSI C's example of rand(3), all 32 bits
 * of its state: as cheap as a number gets that depends on the one before.
 */
#include <stddef.h>

#include "bench/sources/numbers.h"

enum { LCG_STATE = 12345, LCG_INCREMENT = 12345 };

static const uint32_t lcg_multiplier = 1103515245;

static const uint32_t lcg_known[NUMBER_FIRST] = {
	0xd3dc167e, 0xa70427df, 0xd6651c2c, 0x0daa96f5
};

static void
lcg_init(struct number_state *st)
{

	st->st_word[0] = LCG_STATE;
}

static inline bool
lcg_step(struct number_state *st, uint32_t *v)
{
	uint32_t x = lcg_multiplier * st->st_word[0] + LCG_INCREMENT;

	/* Else two steps make one multiplication. */
	NUMBER_KEEP(x);
	st->st_word[0] = x;
	*v = x;
	return (true);
}

NUMBER_LOOP(lcg_32, uint32_t, lcg_step)

const struct number_source number_lcg = {
	.ns_name	= "lcg",
	.ns_descr	= "x = 1103515245 x + 12345 mod 2^32, computed",
	.ns_init	= lcg_init,
	.ns_batch	= { [NUMBER_32] = lcg_32 },
	.ns_known	= lcg_known,
};
