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
#include "tests/support.h"

enum {
	MEGABYTE	= 1 << 20,
	FEW_CALLS	= 1000 * 1000
};

static struct mthread self;

static void
setup(void)
{

	support_machine(&self);
	support_crypto();
}

static struct arithmetic_params
params_of(const struct random_algorithm *ra, const struct cipher *cipher)
{

	return ((struct arithmetic_params){
		.ap_design = ra,
		.ap_cipher = cipher,
		.ap_bytes = ARITHMETIC_BYTES,
	});
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

ATF_TC(arithmetic__every_size);
ATF_TC_HEAD(arithmetic__every_size, tc)
{

	atf_tc_set_md_var(tc, "descr", "FreeBSD's default design never "
	    "reserves too few counters: every size to 4 MiB + 64, and with "
	    "AES two more than it uses for the 16 sizes that end at a MiB");
	atf_tc_set_md_var(tc, "timeout", "1200");
}
ATF_TC_BODY(arithmetic__every_size, tc)
{
	struct arithmetic_params ap;
	struct arithmetic ar;
	struct expected ex;
	unsigned c;

	setup();
	for (c = 0; c < cipher_count; c++) {
		ap = params_of(generator_find("concurrent"), ciphers[c]);
		ex = (struct expected){ .ex_cipher = ciphers[c] };
		ap.ap_size = check_size;
		ap.ap_context = &ex;
		ATF_REQUIRE_EQ(0, arithmetic_sweep(&ap, &ar));
		ATF_CHECK_MSG(!ar.ar_failed, "%s", ar.ar_text);
		ATF_CHECK(ar.ar_line);
		ATF_CHECK_EQ(ARITHMETIC_BYTES + 1, ex.ex_next);
		ATF_CHECK_EQ(ARITHMETIC_BYTES + 1, ar.ar_sizes);
		ATF_CHECK_EQ(ARITHMETIC_BYTES, ar.ar_all);
		ATF_CHECK_EQ(ex.ex_slack, ar.ar_slack_sizes);
		ATF_CHECK_EQ(0, ar.ar_slack_min);
		if (!ciphers[c]->ci_whole_blocks) {
			ATF_CHECK_EQ(0, ar.ar_slack_max);
			continue;
		}
		ATF_CHECK_EQ(2, ar.ar_slack_max);
		ATF_CHECK_EQ(ARITHMETIC_BYTES / MEGABYTE * 16,
		    ar.ar_slack_sizes);
		ATF_CHECK_EQ(MEGABYTE - 15, ar.ar_slack_first);
	}
	crypto_fini();
}

ATF_TC(arithmetic__every_design);
ATF_TC_HEAD(arithmetic__every_design, tc)
{

	atf_tc_set_md_var(tc, "descr", "No design uses a counter twice under "
	    "a key or more than it set aside: all small sizes, and those "
	    "around each multiple of 64 KiB");
	atf_tc_set_md_var(tc, "timeout", "1200");
}
ATF_TC_BODY(arithmetic__every_design, tc)
{
	struct arithmetic_params ap;
	struct arithmetic ar;
	char text[ARITHMETIC_TEXT_SIZE];
	unsigned c, i;

	setup();
	for (i = 0; i < generator_count; i++) {
		for (c = 0; c < cipher_count; c++) {
			ap = params_of(generators[i], ciphers[c]);
			ap.ap_calls = FEW_CALLS;
			ATF_REQUIRE_EQ(0, arithmetic_sweep(&ap, &ar));
			arithmetic_format(&ar, text, sizeof(text));
			printf("%s, %s: %s\n", ap.ap_design->ra_ident,
			    ap.ap_cipher->ci_name, text);
			ATF_CHECK_MSG(!ar.ar_failed, "%s", ar.ar_text);
			ATF_CHECK_EQ((ap.ap_design->ra_flags & RA_NULL) != 0,
			    ar.ar_sizes == 0);
			if (ar.ar_sizes == 0)
				continue;
			/* Pages of a locked read make it dear. */
			ATF_CHECK_MSG(ar.ar_all >= 16 * 1024, "%s", text);
			ATF_CHECK(ar.ar_sizes > ar.ar_all + 50 *
			    ARITHMETIC_NEAR_BYTES);
			ATF_CHECK_EQ(0, ar.ar_slack_min);
		}
	}
	crypto_fini();
}

ATF_TC(arithmetic__wraps);
ATF_TC_HEAD(arithmetic__wraps, tc)
{

	atf_tc_set_md_var(tc, "descr", "The same holds where the counter "
	    "passes 2^32, 2^64, 2^96 and 2^128, for each design whose counter "
	    "can be set");
}
ATF_TC_BODY(arithmetic__wraps, tc)
{
	struct arithmetic_params ap;
	struct arithmetic ar;
	unsigned c, i, seen = 0;

	setup();
	for (i = 0; i < generator_count; i++) {
		for (c = 0; c < cipher_count; c++) {
			ap = params_of(generators[i], ciphers[c]);
			ATF_REQUIRE_EQ(0, arithmetic_wraps(&ap, &ar));
			ATF_CHECK_MSG(!ar.ar_failed, "%s", ar.ar_text);
			if ((ap.ap_design->ra_flags & RA_FORTUNA_STATE) == 0)
				continue;
			seen++;
			ATF_CHECK(ar.ar_sizes > 500);
			ATF_CHECK_EQ(0, ar.ar_slack_min);
		}
	}
	ATF_CHECK(seen >= 4);
	crypto_fini();
}

ATF_TC(brng_take__wraps);
ATF_TC_HEAD(brng_take__wraps, tc)
{

	atf_tc_set_md_var(tc, "descr", "What is taken of a buffered generator "
	    "is as many counters as its bytes use, around each wrap too");
}
ATF_TC_BODY(brng_take__wraps, tc)
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
		cipher = cipher_hollow(ciphers[c]);
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

ATF_TC(arithmetic__finds_mutants);
ATF_TC_HEAD(arithmetic__finds_mutants, tc)
{

	atf_tc_set_md_var(tc, "descr", "A design that reserves too little is "
	    "found at the first size that shows it, and the same code "
	    "unbroken passes");
}
ATF_TC_BODY(arithmetic__finds_mutants, tc)
{
	static const struct {
		uint64_t	first[2];	/* aes, chacha20; 0: none */
		const char	*words;
	} wants[MUTATIONS] = {
		[SOUND]		= { { 0, 0 }, NULL },
		[FORGETS_REKEYS] = { { MEGABYTE + 1, 0 }, "twice under one" },
		[ROUNDS_DOWN]	= { { 1, 1 }, "twice under one" },
		/* That shows when it is tried whether it can be swept. */
		[NEVER_STEPS]	= { { 512, 512 }, "twice under one key" },
		[STEPS_BEHIND]	= { { 0, 0 }, "1 counter more than it set" },
	};
	struct random_algorithm mutant = *generator_find("concurrent");
	struct arithmetic_params ap;
	struct arithmetic ar;
	char words[64];
	unsigned c, m;

	setup();
	mutant.ra_ident = "mutant";
	mutant.ra_read = mutated_read;
	for (m = 0; m < MUTATIONS; m++) {
		for (c = 0; c < cipher_count; c++) {
			mutation = (enum mutation)m;
			ap = params_of(&mutant, ciphers[c]);
			ap.ap_calls = FEW_CALLS;
			ATF_REQUIRE_EQ(0, arithmetic_sweep(&ap, &ar));
			if (wants[m].words == NULL ||
			    (m == FORGETS_REKEYS && c == 1)) {
				ATF_CHECK_MSG(!ar.ar_failed, "%s", ar.ar_text);
				continue;
			}
			ATF_CHECK_MSG(ar.ar_failed, "mutant %u, %s survives",
			    m, ciphers[c]->ci_name);
			snprintf(words, sizeof(words), "a read of %" PRIu64
			    " bytes", wants[m].first[c]);
			ATF_CHECK_MSG(strstr(ar.ar_text, words) != NULL &&
			    strstr(ar.ar_text, wants[m].words) != NULL,
			    "mutant %u: %s", m, ar.ar_text);
		}
	}
	/* Found at the wraps as well. */
	mutation = ROUNDS_DOWN;
	ap = params_of(&mutant, ciphers[0]);
	ATF_REQUIRE_EQ(0, arithmetic_wraps(&ap, &ar));
	ATF_CHECK(ar.ar_failed);
	crypto_fini();
}

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, arithmetic__every_size);
	ATF_TP_ADD_TC(tp, arithmetic__every_design);
	ATF_TP_ADD_TC(tp, arithmetic__wraps);
	ATF_TP_ADD_TC(tp, brng_take__wraps);
	ATF_TP_ADD_TC(tp, arithmetic__finds_mutants);
	return (atf_no_error());
}
