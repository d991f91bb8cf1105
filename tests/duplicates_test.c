/*
 * The scan for blocks that come twice: what it counts and where it finds it,
 * and what it says of each design's readers.
 */
#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#include "bench/assure/duplicates.h"
#include "tests/support.h"

enum {
	READERS		= 4,
	REQUESTS	= 40
};

static void
add(struct duplicates *du, unsigned reader, uint64_t byte, const char *text)
{

	ATF_REQUIRE_EQ(0, duplicates_add(du, (struct duplicates_place){ reader,
	    byte }, text, strlen(text)));
}

ATF_TC(duplicates_find__counts_and_places);
ATF_TC_HEAD(duplicates_find__counts_and_places, tc)
{

	atf_tc_set_md_var(tc, "descr", "Duplicates are counted to the block "
	    "and the first is named, across readers and requests; halves, "
	    "other alignments and incomplete blocks are none");
}
ATF_TC_BODY(duplicates_find__counts_and_places, tc)
{
	struct duplicates_found df;
	struct duplicates du;

	duplicates_init(&du, 16);
	duplicates_find(&du, &df);
	ATF_CHECK_EQ(0, df.df_blocks + df.df_duplicates + df.df_pieces);
	add(&du, 0, 0, "aaaaaaaabbbbbbbbaaaaaaaaccccccccrest");
	add(&du, 1, 0, "ddddddddbbbbbbbbxaaaaaaaabbbbbbbb");
	add(&du, 1, 33, "short");
	duplicates_find(&du, &df);
	ATF_CHECK_EQ(4, df.df_blocks);
	ATF_CHECK_EQ(3, df.df_pieces);
	ATF_CHECK_EQ(0, df.df_duplicates);
	add(&du, 2, 100, "aaaaaaaaccccccccaaaaaaaabbbbbbbb");
	add(&du, 3, 7, "aaaaaaaabbbbbbbb");
	duplicates_find(&du, &df);
	ATF_CHECK_EQ(7, df.df_blocks);
	ATF_CHECK_EQ(3, df.df_duplicates);
	ATF_CHECK_EQ(0, df.df_first.dp_reader);
	ATF_CHECK_EQ(16, df.df_first.dp_byte);
	ATF_CHECK_EQ(2, df.df_again.dp_reader);
	ATF_CHECK_EQ(100, df.df_again.dp_byte);
	duplicates_fini(&du);
	/* Larger blocks begin a block's length apart. */
	duplicates_init(&du, 64);
	add(&du, 0, 0, "0123456789abcdef................................"
	    "................0123456789abcdee................................"
	    "................0123456789abcdef");
	duplicates_find(&du, &df);
	ATF_CHECK_EQ(2, df.df_blocks);
	ATF_CHECK_EQ(0, df.df_duplicates);
	duplicates_fini(&du);
}

/* What each design's readers get, in requests of one size. */
static void
check_design(const struct random_algorithm *ra, const struct cipher *cipher,
    size_t request_bytes)
{
	const struct duplicates_run dr = {
		.dr_design = ra,
		.dr_cipher = cipher,
		.dr_lock = lock_class_find("mtx"),
		.dr_readers = READERS,
		.dr_request_bytes = request_bytes,
		.dr_requests = REQUESTS,
	};
	const size_t block_bytes = request_bytes < cipher->ci_block_bytes ?
	    request_bytes : cipher->ci_block_bytes;
	struct duplicates_found df, planted;

	ATF_REQUIRE_EQ_MSG(0, duplicates_run(&dr, &df, &planted), "%s",
	    ra->ra_ident);
	ATF_CHECK_EQ(READERS * REQUESTS, df.df_pieces);
	ATF_CHECK_EQ(READERS * REQUESTS * (request_bytes /
	    block_bytes), df.df_blocks);
	/* The null design answers all with the same. */
	if ((ra->ra_flags & RA_NULL) != 0)
		ATF_CHECK(df.df_duplicates > 0);
	else
		ATF_CHECK_EQ_MSG(0, df.df_duplicates, "%s, %s, %zu bytes: "
		    "%ju; reader %u byte %ju, reader %u byte %ju",
		    ra->ra_ident, cipher->ci_name, request_bytes,
		    (uintmax_t)df.df_duplicates, df.df_first.dp_reader,
		    (uintmax_t)df.df_first.dp_byte, df.df_again.dp_reader,
		    (uintmax_t)df.df_again.dp_byte);
	ATF_CHECK_EQ(df.df_duplicates + 1, planted.df_duplicates);
	ATF_CHECK_EQ(df.df_blocks + 1, planted.df_blocks);
	if (df.df_duplicates > 0)
		return;
	ATF_CHECK_EQ(READERS - 1, planted.df_again.dp_reader);
	ATF_CHECK_EQ(REQUESTS * request_bytes, planted.df_again.dp_byte);
}

ATF_TC(duplicates_run__every_design);
ATF_TC_HEAD(duplicates_run__every_design, tc)
{

	atf_tc_set_md_var(tc, "descr", "No block of what several readers get "
	    "at once comes twice, for every design and cipher; a planted one "
	    "is found, and the null design's are");
}
ATF_TC_BODY(duplicates_run__every_design, tc)
{
	static const size_t sizes[] = { 16, 17, 32, 64, 256, 4096 + 64 };
	struct mthread td;
	unsigned c, i, k;

	support_machine(&td);
	support_crypto();
	for (i = 0; i < generator_count; i++)
		for (c = 0; c < cipher_count; c++)
			for (k = 0; k < nitems(sizes); k++)
				check_design(generators[i], ciphers[c],
				    sizes[k]);
	crypto_fini();
}

/* One whose reads of that many bytes come in pairs that are the same. */
enum { PAIRED_BYTES = 16 };

static const struct random_algorithm *paired_base;
static struct random_algorithm paired;

static int
paired_init(struct generator **g, const struct generator_params *params)
{
	int error;

	error = paired_base->ra_init(g, params);
	if (error == 0)
		(*g)->g_algorithm = &paired;
	return (error);
}

static void
paired_read(struct generator *g, struct generator_reader *gr, struct uio *uio)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static uint8_t kept[PAIRED_BYTES];
	static bool have;
	uint8_t *out = uio->uio_base;
	const bool small = uio->uio_resid == PAIRED_BYTES;

	paired_base->ra_read(g, gr, uio);
	if (!small)
		return;
	pthread_mutex_lock(&mutex);
	have = !have;
	if (have)
		memcpy(kept, out, sizeof(kept));
	else
		memcpy(out, kept, sizeof(kept));
	pthread_mutex_unlock(&mutex);
}

ATF_TC(duplicates_run__small_requests);
ATF_TC_HEAD(duplicates_run__small_requests, tc)
{

	atf_tc_set_md_var(tc, "descr", "A part of a block that two readers get "
	    "is found in requests that are as long, with either cipher");
}
ATF_TC_BODY(duplicates_run__small_requests, tc)
{
	struct duplicates_run dr = { .dr_design = &paired,
	    .dr_readers = READERS, .dr_requests = REQUESTS };
	struct duplicates_found df, planted;
	struct mthread td;
	unsigned c;

	support_machine(&td);
	support_crypto();
	paired_base = generator_find("concurrent");
	paired = *paired_base;
	paired.ra_init = paired_init;
	paired.ra_read = paired_read;
	dr.dr_lock = lock_class_find("mtx");
	for (c = 0; c < cipher_count; c++) {
		dr.dr_cipher = ciphers[c];
		dr.dr_request_bytes = PAIRED_BYTES;
		ATF_REQUIRE_EQ(0, duplicates_run(&dr, &df, &planted));
		ATF_CHECK_EQ(READERS * REQUESTS, df.df_blocks);
		ATF_CHECK_EQ(READERS * REQUESTS / 2, df.df_duplicates);
		dr.dr_request_bytes = 4096;
		ATF_REQUIRE_EQ(0, duplicates_run(&dr, &df, &planted));
		ATF_CHECK_EQ(0, df.df_duplicates);
	}
	crypto_fini();
}

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, duplicates_find__counts_and_places);
	ATF_TP_ADD_TC(tp, duplicates_run__every_design);
	ATF_TP_ADD_TC(tp, duplicates_run__small_requests);
	return (atf_no_error());
}
