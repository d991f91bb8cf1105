/*
 * Follows the algorithm in its unit: the private state of dev/random/fortuna.c,
 * for known-answer scripts and the ledger.  A source with other names is
 * compiled without.
 */
#include <random_abi.h>

/* FenestrasX, where it is FreeBSD's. */
#if defined(FXRNG_BUFRNG_SZ) && defined(KERN_NO_PROBE)
RANDOM_CLAIMS(.rm_stored_bytes = FXRNG_BUFRNG_SZ);
#endif

#ifndef KERN_NO_PROBE

/* In order of bytes, its words are little-endian ones. */
#ifdef RANDOM_READ_BLOCKS
#define	le128enc(p, counter)	__builtin_memcpy(p, &(counter), 16)
#define	PROBE_COUNTER(p) __builtin_memcpy(&fortuna_state.fs_counter, p, 16)
#else
#define	PROBE_COUNTER(p)	(fortuna_state.fs_counter = le128dec(p))
#endif

KERN_PLAIN __uint128_t
kern_probe_counter(void)
{
	uint8_t le[16];

	le128enc(le, fortuna_state.fs_counter);
	return ((__uint128_t)le64dec(le + 8) << 64 | le64dec(le));
}

KERN_PLAIN const void *
kern_probe_key(void)
{
#ifdef RANDOM_READ_BLOCKS
	return (fortuna_state.fs_key.key.keyMaterial);
#else
	const void *key;
	size_t n;

	/* Where hash.c has it; that panics where there is no key yet. */
	if (random_chachamode)
		return (&fortuna_state.fs_key.chacha.input[4]);
	randomdev_getkey(&fortuna_state.fs_key, &key, &n);
	return (key);
#endif
}

KERN_PLAIN void
kern_probe_state(struct random_state *rs, bool set)
{
	uint8_t le[16];

	if (set) {
		le64enc(le, (uint64_t)rs->rst_counter);
		le64enc(le + 8, (uint64_t)(rs->rst_counter >> 64));
		PROBE_COUNTER(le);
		if (rs->rst_reseeds != 0)
			fortuna_state.fs_reseedcount = rs->rst_reseeds;
	}
	rs->rst_counter = kern_probe_counter();
	rs->rst_reseeds = fortuna_state.fs_reseedcount;
	rs->rst_pool0_bytes = fortuna_state.fs_pool[0].fsp_length;
	__builtin_memcpy(rs->rst_key, kern_probe_key(), sizeof(rs->rst_key));
	kern_clearing(rs->rst_key, sizeof(rs->rst_key)); /* not the source's */
}
#endif
