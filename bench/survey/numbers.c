#include "bench/survey/numbers.h"
#include "lib/machine/cpurand.h"

const unsigned number_bits[NUMBER_WIDTHS] = {
	[NUMBER_32] = 32,
	[NUMBER_64] = 64
};

/*
 * The linear congruential generator of ANSI C's example of rand(3) with all 32
 * bits of its state: the cheapest number that depends on the one before.
 */
static const uint32_t lcg_known[NUMBER_FIRST] = {
	0xd3dc167e, 0xa70427df, 0xd6651c2c, 0x0daa96f5
};

static void
lcg_init(struct number_state *st)
{
	st->st_word[0] = 12345;
}

static inline bool
lcg_step(struct number_state *st, uint32_t *v)
{
	uint32_t x = 1103515245 * st->st_word[0] + 12345;

	/* Without this, two steps become one multiplication. */
	NUMBER_KEEP(x);
	st->st_word[0] = x;
	*v = x;
	return (true);
}

NUMBER_LOOP(lcg_32, uint32_t, lcg_step)

/*
 * TinyMT32, a Mersenne Twister with a state of 127 bits: M. Saito and
 * M. Matsumoto, RFC 8682, with the parameters of that document and seed 1.
 */
enum { TINYMT_WORDS = 4, TINYMT_MIX = 8 };	/* rounds of seeding */

static const uint32_t tinymt_mat1 = 0x8f7011ee;
static const uint32_t tinymt_mat2 = 0xfc78ff1f;
static const uint32_t tinymt_tmat = 0x3793fdff;

static const uint32_t tinymt_known[NUMBER_FIRST] = {
	2545341989, 981918433, 3715302833, 2387538352
};

static inline void
tinymt_advance(uint32_t s[TINYMT_WORDS])
{
	uint32_t odd, x, y;

	x = (s[0] & 0x7fffffff) ^ s[1] ^ s[2];
	x ^= x << 1;
	y = s[3] ^ (s[3] >> 1) ^ x;
	odd = -(y & 1);
	s[0] = s[1];
	s[1] = s[2] ^ (odd & tinymt_mat1);
	s[2] = x ^ (y << 10) ^ (odd & tinymt_mat2);
	s[3] = y;
}

static inline bool
tinymt_step(struct number_state *st, uint32_t *v)
{
	uint32_t *s = st->st_word, t;

	tinymt_advance(s);
	t = s[0] + (s[2] >> 8);
	*v = s[3] ^ t ^ (-(t & 1) & tinymt_tmat);
	return (true);
}

static void
tinymt_init(struct number_state *st)
{
	uint32_t *s = st->st_word, before;

	s[0] = 1;
	s[1] = tinymt_mat1;
	s[2] = tinymt_mat2;
	s[3] = tinymt_tmat;
	for (unsigned i = 1; i < TINYMT_MIX; i++) {
		before = s[(i - 1) % TINYMT_WORDS];
		s[i % TINYMT_WORDS] ^= i + 1812433253 * (before ^
		    (before >> 30));
	}
	for (unsigned i = 0; i < TINYMT_MIX; i++)
		tinymt_advance(s);
}

NUMBER_LOOP(tinymt_32, uint32_t, tinymt_step)

/* Defines the number_batcher INSN_BITS of an instruction. */
#define	NUMBER_INSN(insn, bits)						\
static inline bool							\
insn##_##bits##_step(struct number_state *st, uint##bits##_t *v)	\
{									\
									\
	(void)st;							\
	return (cpurand_##insn##_##bits(v));				\
}									\
									\
NUMBER_LOOP(insn##_##bits, uint##bits##_t, insn##_##bits##_step)

NUMBER_INSN(rdrand, 32)
NUMBER_INSN(rdrand, 64)
NUMBER_INSN(rdseed, 32)
NUMBER_INSN(rdseed, 64)
NUMBER_INSN(rndr, 64)
NUMBER_INSN(rndrrs, 64)

const struct number_source number_sources[] = {
	{
		.ns_name	= "lcg",
		.ns_descr	= "x = 1103515245 x + 12345 mod 2^32, computed",
		.ns_init	= lcg_init,
		.ns_batch	= { [NUMBER_32] = lcg_32 },
		.ns_known	= lcg_known,
	},
	{
		.ns_name	= "tinymt32",
		.ns_descr	= "Mersenne Twister with a state of 127 bits, "
		    "computed",
		.ns_init	= tinymt_init,
		.ns_batch	= { [NUMBER_32] = tinymt_32 },
		.ns_known	= tinymt_known,
	},
	{
		.ns_name	= "rdrand",
		.ns_descr	= "RDRAND instruction: the CPU's generator",
		.ns_hardware	= true,
		.ns_has		= cpurand_has_rdrand,
		.ns_batch	= { rdrand_32, rdrand_64 },
	},
	{
		.ns_name	= "rdseed",
		.ns_descr	= "RDSEED instruction: the CPU's noise, "
		    "conditioned",
		.ns_hardware	= true,
		.ns_has		= cpurand_has_rdseed,
		.ns_batch	= { rdseed_32, rdseed_64 },
	},
	{
		.ns_name	= "rndr",
		.ns_descr	= "RNDR instruction: the CPU's generator",
		.ns_hardware	= true,
		.ns_has		= cpurand_has_rndr,
		.ns_batch	= { [NUMBER_64] = rndr_64 },
	},
	{
		.ns_name	= "rndrrs",
		.ns_descr	= "RNDRRS instruction: the same, reseeded each "
		    "time",
		.ns_hardware	= true,
		.ns_has		= cpurand_has_rndr,
		.ns_batch	= { [NUMBER_64] = rndrrs_64 },
	},
};

const unsigned number_source_count = sizeof(number_sources) /
    sizeof(number_sources[0]);

bool
number_source_has(const struct number_source *ns)
{
	return (ns->ns_has == NULL || ns->ns_has());
}

int
number_source_check(const struct number_source *ns, enum number_width width,
    uint64_t first[NUMBER_FIRST])
{
	struct number_state st = { { 0 } };
	unsigned same = 0, wrong = 0;
	int error;

	if (!number_source_has(ns) || ns->ns_batch[width] == NULL)
		return (ENOTSUP);
	if (ns->ns_init != NULL)
		ns->ns_init(&st);
	for (unsigned i = 0; i < NUMBER_FIRST; i++) {
		struct number_batch nb = { .nb_reads = 1 };

		error = ns->ns_batch[width](&st, &nb);
		if (error != 0)
			return (error);
		first[i] = nb.nb_last;
		same += first[i] == first[0];
		wrong += ns->ns_known != NULL && first[i] != ns->ns_known[i];
	}
	/* The generator of a CPU can be stuck at one number. */
	return (wrong > 0 || same == NUMBER_FIRST ? EILSEQ : 0);
}
