/*
 * What a read sets aside and what it uses: every size, every design; and that
 * designs which are broken on purpose are found so.
 */
#include "bench/assure/arithmetic.h"
#include "tests/unit/device.h"
#include "tests/unit/patched.h"

enum {
	MEGABYTE	= 1 << 20,
	FEW_CALLS	= 100 * 1000
};

/* Tries sizes, or with "wraps" counters about to wrap. */
static struct arithmetic
run(const struct design *de, const struct cipher *cipher, uint64_t calls,
    bool wraps)
{
	struct arithmetic ar = { .ar_design = de, .ar_cipher = cipher,
	    .ar_calls = calls };

	ATF_REQUIRE_EQ(0, wraps ? arithmetic_wraps(&ar) :
	    arithmetic_sweep(&ar));
	return (ar);
}

/*
 * What FreeBSD's formula reserves is the blocks and two for each 65536 of them;
 * what is used is the blocks and two for each MiB that is not the last.
 */
DEVICE_TEST(arithmetic__every_size, "FreeBSD's default design never reserves "
    "too few counters: with ChaCha20 every size to 4 MiB + 64, with AES, where "
    "it is slow, those near edges, and two more than it uses for the 16 sizes "
    "that end at a MiB")
{
	struct arithmetic ar;
	bool blocks;

	for (unsigned c = 0; c < cipher_count; c++) {
		blocks = ciphers[c]->ci_whole_blocks;
		ar = (struct arithmetic){ .ar_cipher = ciphers[c],
		    .ar_calls = blocks ? FEW_CALLS : 0,
		    .ar_design = design_find("concurrent") };
		ATF_REQUIRE_EQ(0, arithmetic_sweep(&ar));
		ATF_CHECK_MSG(!ar.ar_failed, "%s", ar.ar_text);
		ATF_CHECK(ar.ar_line);
		ATF_CHECK_EQ(blocks, ar.ar_sizes < ARITHMETIC_BYTES + 1);
		ATF_CHECK_EQ(blocks, ar.ar_all < ARITHMETIC_BYTES);
		ATF_CHECK_EQ(blocks ? 2 : 0, ar.ar_slack_max);
		ATF_CHECK_EQ(blocks ? ARITHMETIC_BYTES / MEGABYTE * 16 : 0,
		    ar.ar_slack_sizes);
	}
}

DEVICE_TEST(arithmetic__every_design, "No design uses a counter twice under a "
    "key or more than it set aside: all small sizes, and those around each "
    "multiple of 64 KiB; nor, if its counter can be set, where it passes 2^32, "
    "2^64, 2^96 and 2^128")
{
	const struct design *de;
	struct arithmetic ar;

	for (size_t i = 0; (de = design_at(i / cipher_count)) != NULL; i++) {
		const struct cipher *cipher = ciphers[i % cipher_count];

		/* A sanitizer takes minutes for each: one cipher of each. */
		if (getenv("RNGSIM_SANITIZER") != NULL &&
		    (i + i / cipher_count) % cipher_count != 0)
			continue;
		ar = run(de, cipher, FEW_CALLS, false);
		ATF_CHECK_MSG(!ar.ar_failed, "%s", ar.ar_text);
		ATF_CHECK_EQ((de->de_flags & DE_NULL) != 0, ar.ar_sizes == 0);
		/* Pages of a locked read take long. */
		ATF_CHECK_MSG(ar.ar_sizes == 0 || (ar.ar_all >= 4 * 1024 &&
		    ar.ar_sizes > ar.ar_all + 50 * ARITHMETIC_NEAR_BYTES),
		    "%s, %s: %ju", de->de_ident, cipher->ci_name,
		    (uintmax_t)ar.ar_all);
		ar = run(de, cipher, 0, true);
		ATF_CHECK_MSG(!ar.ar_failed, "%s", ar.ar_text);
		ATF_CHECK_EQ(design_info(de).di_probed, ar.ar_sizes > 500);
	}
	ATF_CHECK(design_info(design_find("concurrent")).di_probed);
}

/* How the critical section of a concurrent read is broken. */
enum fault {
	SOUND,
	FORGETS_REKEYS,		/* that a long AES read makes itself */
	ROUNDS_DOWN,		/* the last, partial block */
	NEVER_STEPS,
	STEPS_BEHIND,		/* by one, after the new key was drawn */
	FAULTS
};

static const struct patch faults[] = {
	PATCH("static struct sysctl_ctx_list random_clist;",
	    "static struct sysctl_ctx_list random_clist;\n"
	    "static u_int fault;\n"
	    "SYSCTL_UINT(_kern_random, OID_AUTO, fault, CTLFLAG_RDTUN, &fault, "
	    "0, \"\");\n"
	    "#define	BLOCKS(n, b)	(fault == 2 ? (n) / (b) : fault == 3 ?"
	    " 0 : howmany(n, b))"),
	PATCH("blockcount = howmany(bytecount, CHACHA_BLOCKLEN)",
	    "blockcount = BLOCKS(bytecount, CHACHA_BLOCKLEN)"),
	PATCH("blockcount = howmany(bytecount, RANDOM_BLOCKSIZE)",
	    "blockcount = BLOCKS(bytecount, RANDOM_BLOCKSIZE)"),
	PATCH("blockcount += RANDOM_KEYS_PER_BLOCK",
	    "blockcount += (fault != 1) * RANDOM_KEYS_PER_BLOCK"),
	PATCH("	random_fortuna_genbytes(buf, bytecount, newkey, "
	    "&counter_copy,",
	    "	fortuna_state.fs_counter -= fault == 4;\n"
	    "	random_fortuna_genbytes(buf, bytecount, newkey, "
	    "&counter_copy,"),
};

DEVICE_TEST(arithmetic__finds_faults, "A design that reserves too little is "
    "found at the first size that shows it, and the same code unbroken passes")
{
	static const struct {
		uint64_t	first[2];	/* aes, chacha20; 0: none */
		const char	*words;
	} expect[FAULTS] = {
		[SOUND]		= { { 0, 0 }, NULL },
		[FORGETS_REKEYS] = { { MEGABYTE + 1, 0 }, "twice under one" },
		[ROUNDS_DOWN]	= { { 1, 1 }, "twice under one" },
		/* That shows when it is tried whether it can be swept. */
		[NEVER_STEPS]	= { { 512, 512 }, "twice under one key" },
		[STEPS_BEHIND]	= { { 0, 0 }, "1 counter more" },
	};
	struct design broken = *patched(tc, "fortuna/fortuna.c", faults,
	    nitems(faults));
	struct arithmetic ar;
	char words[64];

	for (unsigned m = 0; m < FAULTS; m++) {
		broken.de_setting = (struct kern_setting){
		    "kern.random.fault", m };
		for (unsigned c = 0; c < cipher_count; c++) {
			ar = run(&broken, ciphers[c], FEW_CALLS, false);
			if (m == SOUND || (m == FORGETS_REKEYS && c == 1)) {
				ATF_CHECK_MSG(!ar.ar_failed, "%s", ar.ar_text);
				continue;
			}
			snprintf(words, sizeof(words), "a read of %" PRIu64
			    " bytes", expect[m].first[c]);
			ATF_CHECK_MSG(ar.ar_failed && strstr(ar.ar_text,
			    words) != NULL && strstr(ar.ar_text,
			    expect[m].words) != NULL, "fault %u, %s: %s", m,
			    ciphers[c]->ci_name, ar.ar_text);
		}
	}
	/* Found at the wraps as well. */
	broken.de_setting.kv_value = ROUNDS_DOWN;
	ar = run(&broken, ciphers[0], 0, true);
	ATF_CHECK(ar.ar_failed);
}

TEST_PROGRAM()
