/*
 * What a read sets aside and what it uses: every size, every design; and that
 * designs which are broken on purpose are found so.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench/assure/arithmetic.h"
#include "fortuna/brng.h"
#include "fortuna/fortuna.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum {
	MEGABYTE	= 1 << 20,
	FEW_CALLS	= 1000 * 1000
};

static void
setup(void)
{
	static struct mthread self;

	support_machine(&self);
	support_crypto();
}

/* Tries sizes, or with "wraps" counters about to wrap. */
static struct arithmetic
run(const struct random_algorithm *ra, const struct cipher *cipher,
    uint64_t calls, bool wraps)
{
	struct arithmetic ar = { .ar_design = ra, .ar_cipher = cipher,
	    .ar_calls = calls };

	ATF_REQUIRE_EQ(0, wraps ? arithmetic_wraps(&ar) :
	    arithmetic_sweep(&ar));
	return (ar);
}

/* Sizes in order, each with its slack. */
struct expected {
	const struct cipher *ex_cipher;
	uint64_t	ex_next;
	uint64_t	ex_slack;	/* sizes that have any */
};

/*
 * What FreeBSD's formula reserves is the blocks and two for each 65536 of them;
 * what is used is the blocks and two for each MiB that is not the last.
 */
static int64_t
expected_slack(const struct cipher *cipher, uint64_t n)
{
	uint64_t blocks = (n + 15) / 16;

	if (!cipher->ci_whole_blocks || n == 0)
		return (0);
	return (2 * (int64_t)(blocks / 65536) -
	    2 * (int64_t)((n - 1) / MEGABYTE));
}

static void
check_size(void *context, uint64_t n, int64_t slack)
{
	struct expected *ex = context;

	ATF_REQUIRE_EQ(ex->ex_next++, n);
	ATF_REQUIRE_MSG(expected_slack(ex->ex_cipher, n) == slack,
	    "%s, %" PRIu64 " bytes: %" PRId64 " spare", ex->ex_cipher->ci_name,
	    n, slack);
	ex->ex_slack += slack != 0;
}

TEST(arithmetic__every_size, "FreeBSD's default design never reserves too few "
    "counters: every size to 4 MiB + 64, and with AES two more than it uses "
    "for the 16 sizes that end at a MiB")
{
	struct arithmetic ar;
	struct expected ex;
	bool blocks;

	setup();
	for (unsigned c = 0; c < cipher_count; c++) {
		ex = (struct expected){ .ex_cipher = ciphers[c] };
		ar = (struct arithmetic){ .ar_cipher = ciphers[c],
		    .ar_design = generator_find("concurrent"),
		    .ar_size = check_size, .ar_context = &ex };
		ATF_REQUIRE_EQ(0, arithmetic_sweep(&ar));
		ATF_CHECK_MSG(!ar.ar_failed, "%s", ar.ar_text);
		ATF_CHECK(ar.ar_line);
		ATF_CHECK_EQ(ARITHMETIC_BYTES + 1, ex.ex_next);
		ATF_CHECK_EQ(ARITHMETIC_BYTES + 1, ar.ar_sizes);
		ATF_CHECK_EQ(ARITHMETIC_BYTES, ar.ar_all);
		ATF_CHECK_EQ(ex.ex_slack, ar.ar_slack_sizes);
		ATF_CHECK_EQ(0, ar.ar_slack_min);
		blocks = ciphers[c]->ci_whole_blocks;
		ATF_CHECK_EQ(blocks ? 2 : 0, ar.ar_slack_max);
		if (!blocks)
			continue;
		ATF_CHECK_EQ(ARITHMETIC_BYTES / MEGABYTE * 16,
		    ar.ar_slack_sizes);
		ATF_CHECK_EQ(MEGABYTE - 15, ar.ar_slack_first);
	}
	crypto_fini();
}

TEST(arithmetic__every_design, "No design uses a counter twice under a key or "
    "more than it set aside: all small sizes, and those around each multiple "
    "of 64 KiB; nor, if its counter can be set, where it passes 2^32, 2^64, "
    "2^96 and 2^128")
{
	struct arithmetic ar;
	unsigned c, seen = 0;

	setup();
	for (unsigned i = 0; i < generator_count * cipher_count; i++) {
		const struct random_algorithm *ra =
		    generators[i / cipher_count];

		c = i % cipher_count;
		ar = run(ra, ciphers[c], FEW_CALLS, false);
		ATF_CHECK_MSG(!ar.ar_failed, "%s", ar.ar_text);
		ATF_CHECK_EQ((ra->ra_flags & RA_NULL) != 0, ar.ar_sizes == 0);
		if (ar.ar_sizes != 0) {
			/* Pages of a locked read take long. */
			ATF_CHECK_MSG(ar.ar_all >= 16 * 1024, "%s, %s: %ju",
			    ra->ra_ident, ciphers[c]->ci_name,
			    (uintmax_t)ar.ar_all);
			ATF_CHECK(ar.ar_sizes > ar.ar_all + 50 *
			    ARITHMETIC_NEAR_BYTES);
			ATF_CHECK_EQ(0, ar.ar_slack_min);
		}
		ar = run(ra, ciphers[c], 0, true);
		ATF_CHECK_MSG(!ar.ar_failed, "%s", ar.ar_text);
		if (ra->ra_core == NULL)
			continue;
		seen++;
		ATF_CHECK(ar.ar_sizes > 500);
		ATF_CHECK_EQ(0, ar.ar_slack_min);
	}
	ATF_CHECK(seen >= 4);
	crypto_fini();
}

TEST(brng_take__wraps, "What is taken of a buffered generator is as many "
    "counters as its bytes use, around each wrap too")
{
	static uint8_t out[ARITHMETIC_BYTES];
	static const uint64_t sizes[] = { 128, 129, 4096, MEGABYTE,
	    ARITHMETIC_BYTES };
	const uint128_t wraps[] = { uint128_make(0, UINT64_C(1) << 32),
	    uint128_make(1, 0), uint128_make(UINT64_C(1) << 32, 0),
	    uint128_make(0, 0) };
	const struct cipher *cipher;
	struct brng_private bp;
	struct cipher_key *spare;
	struct brng b;
	uint64_t back;
	unsigned c, i, k;

	for (c = 0; c < cipher_count; c++) {
		cipher = cipher_stub(ciphers[c]);
		ATF_REQUIRE_EQ(0, brng_init(&b, cipher));
		ATF_REQUIRE_EQ(0, cipher_key_new(&spare, cipher));
		b.b_generation = 1;
		for (i = 0; i < nitems(wraps); i++) {
			for (k = 0; k < nitems(sizes) * 8; k++) {
				back = k % 8 == 7 ? sizes[k / 8] /
				    cipher->ci_block_bytes : k % 8;
				b.b_counter = uint128_make(
				    uint128_hi(wraps[i]) -
				    (uint128_lo(wraps[i]) < back),
				    uint128_lo(wraps[i]) - back);
				brng_take(&b, &spare, sizes[k / 8], &bp);
				brng_private_genbytes(&bp, out,
				    (size_t)sizes[k / 8]);
				ATF_CHECK_MSG(uint128_equals(bp.bp_counter,
				    b.b_counter), "%s, %" PRIu64 " bytes, "
				    "%" PRIu64 " before wrap %u",
				    cipher->ci_name, sizes[k / 8], back, i);
				brng_private_fini(&bp);
			}
		}
		cipher_key_free(spare);
		brng_fini(&b);
	}
}

/* How concurrent's critical section is broken. */
enum mutation {
	SOUND,
	FORGETS_REKEYS,		/* that a long AES read makes itself */
	ROUNDS_DOWN,		/* the last, partial block */
	NEVER_STEPS,
	STEPS_BEHIND,		/* by one, after the new key was drawn */
	MUTATIONS
};

static enum mutation mutation;

static uint64_t
mutated_blocks(const struct cipher *cipher, uint64_t n)
{
	uint64_t blocks = n / cipher->ci_block_bytes;

	if (mutation != ROUNDS_DOWN)
		blocks += n % cipher->ci_block_bytes != 0;
	if (mutation != FORGETS_REKEYS && cipher->ci_whole_blocks)
		blocks += 2 * (blocks / 65536);
	return (mutation == NEVER_STEPS ? 0 : blocks);
}

static void
mutated_read(struct generator *g, struct generator_reader *gr, struct uio *uio)
{
	struct fortuna_state *fs = &fortuna_of(g)->f_state;
	const uint64_t n = uio->uio_resid;
	uint8_t key[CIPHER_KEY_BYTES];
	struct fortuna_private fp = {
		.fp_key = fs->fs_key,
		.fp_counter = fs->fs_counter,
		.fp_resid = n,
		.fp_key_left = RANDOM_FORTUNA_MAX_READ,
	};

	uint128_add64(&fs->fs_counter,
	    mutated_blocks(fs->fs_key->ck_cipher, n));
	cipher_keystream(fs->fs_key, &fs->fs_counter, key, sizeof(key));
	cipher_key_set(gr->gr_spare, key);
	fs->fs_key = gr->gr_spare;
	gr->gr_spare = fp.fp_key;
	if (mutation == STEPS_BEHIND)
		fs->fs_counter = uint128_make(uint128_hi(fs->fs_counter) -
		    (uint128_lo(fs->fs_counter) == 0),
		    uint128_lo(fs->fs_counter) - 1);
	fortuna_private_genbytes(&fp, uio->uio_base, (size_t)n);
	uio_advance(uio, (size_t)n);
	fortuna_private_fini(&fp);
}

TEST(arithmetic__finds_mutants, "A design that reserves too little is found at "
    "the first size that shows it, and the same code unbroken passes")
{
	static const struct {
		uint64_t	first[2];	/* aes, chacha20; 0: none */
		const char	*words;
	} expect[MUTATIONS] = {
		[SOUND]		= { { 0, 0 }, NULL },
		[FORGETS_REKEYS] = { { MEGABYTE + 1, 0 }, "twice under one" },
		[ROUNDS_DOWN]	= { { 1, 1 }, "twice under one" },
		/* That shows when it is tried whether it can be swept. */
		[NEVER_STEPS]	= { { 512, 512 }, "twice under one key" },
		[STEPS_BEHIND]	= { { 0, 0 }, "1 counter more" },
	};
	struct random_algorithm mutant = *generator_find("concurrent");
	struct arithmetic ar;
	char words[64];

	setup();
	mutant.ra_ident = "mutant";
	mutant.ra_read = mutated_read;
	for (unsigned m = 0; m < MUTATIONS; m++) {
		for (unsigned c = 0; c < cipher_count; c++) {
			mutation = (enum mutation)m;
			ar = run(&mutant, ciphers[c], FEW_CALLS, false);
			if (expect[m].words == NULL ||
			    (m == FORGETS_REKEYS && c == 1)) {
				ATF_CHECK_MSG(!ar.ar_failed, "%s", ar.ar_text);
				continue;
			}
			ATF_CHECK_MSG(ar.ar_failed, "mutant %u, %s survives",
			    m, ciphers[c]->ci_name);
			snprintf(words, sizeof(words), "a read of %" PRIu64
			    " bytes", expect[m].first[c]);
			ATF_CHECK_MSG(strstr(ar.ar_text, words) != NULL &&
			    strstr(ar.ar_text, expect[m].words) != NULL,
			    "mutant %u: %s", m, ar.ar_text);
		}
	}
	/* Found at the wraps as well. */
	mutation = ROUNDS_DOWN;
	ar = run(&mutant, ciphers[0], 0, true);
	ATF_CHECK(ar.ar_failed);
	crypto_fini();
}

TEST_PROGRAM()
