#include "bench/survey/sources.h"
#include "lib/machine/cpurand.h"

/*
 * The linear congruential generator of ANSI C's example of rand(3) with all 32
 * bits of its state: the cheapest number that depends on the one before.
 */
static const uint32_t lcg_known[NUMBER_FIRST] = { 0xd3dc167e, 0xa70427df,
    0xd6651c2c, 0x0daa96f5 };

static inline bool
lcg_step(struct window_state *wn, uint32_t *v)
{
	uint32_t x = 1103515245 * wn->wn_word[0] + 12345;

	/* Without this, two steps become one multiplication. */
	NUMBER_KEEP(x);
	wn->wn_word[0] = x;
	*v = x;
	return (true);
}

NUMBER_LOOP(lcg_32, uint32_t, lcg_step)

/*
 * TinyMT32, a Mersenne Twister with a state of 127 bits: M. Saito and
 * M. Matsumoto, RFC 8682, with the parameters and the first numbers of that
 * document, and the state that seed 1 becomes.
 */
static const uint32_t tinymt_mat1 = 0x8f7011ee, tinymt_mat2 = 0xfc78ff1f;
static const uint32_t tinymt_tmat = 0x3793fdff;
static const uint32_t tinymt_known[NUMBER_FIRST] = { 2545341989, 981918433,
    3715302833, 2387538352 };

static inline bool
tinymt_step(struct window_state *wn, uint32_t *v)
{
	uint32_t *s = wn->wn_word, odd, t, x, y;

	x = (s[0] & 0x7fffffff) ^ s[1] ^ s[2];
	x ^= x << 1;
	y = s[3] ^ (s[3] >> 1) ^ x;
	odd = -(y & 1);
	s[0] = s[1];
	s[1] = s[2] ^ (odd & tinymt_mat1);
	s[2] = x ^ (y << 10) ^ (odd & tinymt_mat2);
	s[3] = y;
	t = s[0] + (s[2] >> 8);
	*v = s[3] ^ t ^ (-(t & 1) & tinymt_tmat);
	return (true);
}

NUMBER_LOOP(tinymt_32, uint32_t, tinymt_step)

/* Defines the window_batcher INSN_BITS of an instruction. */
#define	NUMBER_INSN(insn, bits)						\
static inline bool							\
insn##_##bits##_step(struct window_state *wn, uint##bits##_t *v)	\
{									\
	(void)wn;							\
	return (cpurand_##insn##_##bits(v));				\
}									\
									\
NUMBER_LOOP(insn##_##bits, uint##bits##_t, insn##_##bits##_step)

NUMBER_INSN(rdrand, 32) NUMBER_INSN(rdrand, 64) NUMBER_INSN(rdseed, 32)
NUMBER_INSN(rdseed, 64) NUMBER_INSN(rndr, 64) NUMBER_INSN(rndrrs, 64)

const struct number_source number_sources[] = {
	{ "lcg", "x = 1103515245 x + 12345 mod 2^32, computed",
	    { lcg_32, NULL }, NULL, { .wn_word = { 12345 } }, lcg_known },
	{ "tinymt32", "Mersenne Twister with a state of 127 bits, computed",
	    { tinymt_32, NULL }, NULL,
	    { .wn_word = { 0x0cca24d8, 0x11ba5ad5, 0xf2dad045, 0xd95dd7b2 } },
	    tinymt_known },
	{ "rdrand", "RDRAND instruction: the CPU's generator",
	    { rdrand_32, rdrand_64 }, .ns_has = cpurand_has_rdrand },
	{ "rdseed", "RDSEED instruction: the CPU's noise, conditioned",
	    { rdseed_32, rdseed_64 }, .ns_has = cpurand_has_rdseed },
	{ "rndr", "RNDR instruction: the CPU's generator",
	    { NULL, rndr_64 }, .ns_has = cpurand_has_rndr },
	{ "rndrrs", "RNDRRS instruction: the same, reseeded each time",
	    { NULL, rndrrs_64 }, .ns_has = cpurand_has_rndr },
};

const unsigned number_source_count = nitems(number_sources);

bool
number_source_has(const struct number_source *ns)
{
	return (ns->ns_has == NULL || ns->ns_has());
}

int
number_source_check(const struct number_source *ns, enum number_width width,
    uint64_t first[NUMBER_FIRST])
{
	struct window_state wn = ns->ns_state;
	unsigned same = 0, wrong = 0;
	int error;

	if (!number_source_has(ns) || ns->ns_batch[width] == NULL)
		return (ENOTSUP);
	for (unsigned i = 0; i < NUMBER_FIRST; i++) {
		struct window_batch wb = { .wb_count = 1 };

		if ((error = ns->ns_batch[width](&wn, &wb)) != 0)
			return (error);
		first[i] = wb.wb_last;
		same += first[i] == first[0];
		wrong += ns->ns_known != NULL && first[i] != ns->ns_known[i];
	}
	/* The generator of a CPU can be stuck at one number. */
	return (wrong > 0 || same == NUMBER_FIRST ? EILSEQ : 0);
}
