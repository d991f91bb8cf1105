/*
 * The pure core: pools, reseeds, K and C.
 *
 * Expected bytes come from a worked example and from a model in this file that
 * shares no code with the core: it keeps what each pool absorbed and hashes it
 * with libcrypto's one-shot function.
 */
#include <inttypes.h>
#include <limits.h>

#include <openssl/evp.h>

#include "fortuna/state.h"
#include "tests/support.h"

enum {
	EVENT_BYTES	= 12,		/* a counter and eight bytes */
	SEED_EVENTS	= 6,		/* these bring pool 0 over 64 */
	MEGABYTE	= 1 << 20,
	LONGEST		= 4 * MEGABYTE + 64
};

static uint8_t output[LONGEST], again[LONGEST];

static struct harvest_event
event_make(uint32_t counter, uint8_t first, uint8_t size, uint8_t destination)
{
	struct harvest_event he = {
		.he_somecounter = counter,
		.he_size = size,
		.he_destination = destination,
		.he_source = RANDOM_CACHED,
	};
	uint8_t i;

	for (i = 0; i < HARVEST_ENTROPY_BYTES; i++)
		he.he_entropy[i] = (uint8_t)(first + i);
	return (he);
}

static void
feed(struct fortuna_state *fs, uint32_t counter, uint8_t first,
    uint8_t destination)
{
	struct harvest_event he = event_make(counter, first, 8, destination);

	fortuna_state_event(fs, &he);
}

/* The worked example's six events. */
static void
feed_pool0(struct fortuna_state *fs)
{
	uint32_t i;

	for (i = 0; i < SEED_EVENTS; i++)
		feed(fs, 0x01000000 + i, (uint8_t)(16 * i), 0);
}

static void
state_make(struct fortuna_state *fs, const char *name)
{
	const struct cipher *cipher;

	cipher = cipher_find(name);
	ATF_REQUIRE_MSG(cipher != NULL, "there is no %s", name);
	ATF_REQUIRE_EQ(0, fortuna_state_init(fs, cipher, hash_sha256(),
	    RANDOM_FORTUNA_DEFPOOLSIZE));
}

static void
state_make_seeded(struct fortuna_state *fs, const char *name)
{

	state_make(fs, name);
	feed_pool0(fs);
	ATF_REQUIRE_EQ(1, fortuna_state_pre_read(fs, 0, false));
}

static struct cipher_key *
spare_make(const char *name)
{
	struct cipher_key *ck;

	ck = malloc(sizeof(*ck));
	ATF_REQUIRE(ck != NULL);
	ATF_REQUIRE_EQ(0, cipher_key_init(ck, cipher_find(name)));
	return (ck);
}

static void
spare_free(struct cipher_key *ck)
{

	cipher_key_fini(ck);
	free(ck);
}

static void
check_bytes(const uint8_t *got, const char *hex, size_t n, const char *what)
{
	uint8_t want[64];

	ATF_REQUIRE(n <= sizeof(want));
	support_unhex(hex, want, n);
	ATF_CHECK_MSG(memcmp(got, want, n) == 0,
	    "%s: %02x%02x%02x%02x..., not %.8s...", what, got[0], got[1],
	    got[2], got[3], hex);
}

static void
check_counter(const struct fortuna_state *fs, uint64_t hi, uint64_t lo)
{

	ATF_CHECK_MSG(uint128_equals(fs->fs_counter, uint128_make(hi, lo)),
	    "C is %#" PRIx64 ":%016" PRIx64 ", not %#" PRIx64 ":%016" PRIx64,
	    uint128_hi(fs->fs_counter), uint128_lo(fs->fs_counter), hi, lo);
}

static const char first_key[] =
    "6e7e7afdd4fa5ff518a9526dee82206a0f13c7770a2f488ac56845a7bee03198";

ATF_TC(worked_example__aes_locked);
ATF_TC_HEAD(worked_example__aes_locked, tc)
{

	atf_tc_set_md_var(tc, "descr", "Six events, a reseed and 20 bytes, "
	    "byte for byte as the kernel's code: AES, a locked read");
}
ATF_TC_BODY(worked_example__aes_locked, tc)
{
	struct fortuna_state fs;
	size_t done, n;

	support_crypto();
	state_make(&fs, "aes");
	ATF_CHECK(!fortuna_state_seeded(&fs));
	feed_pool0(&fs);
	ATF_CHECK_EQ(72, fs.fs_pool[0].fsp_length);
	ATF_CHECK_EQ(1, fortuna_state_pre_read(&fs, 0, false));
	ATF_CHECK_EQ(1, fs.fs_reseedcount);
	ATF_CHECK(fortuna_state_seeded(&fs));
	check_counter(&fs, 0, 1);
	check_bytes(fs.fs_key->ck_raw, first_key, 32, "K after the reseed");
	for (done = 0; done < 20; done += n) {
		n = fortuna_piece(fs.fs_key->ck_cipher, 20 - done);
		fortuna_state_genbytes(&fs, output + done, n);
	}
	check_bytes(output, "109e3e354b8d6b0de25452d09645881d6be89e0c", 20,
	    "output");
	check_counter(&fs, 0, 7);
	check_bytes(fs.fs_key->ck_raw, "52258a3768ab0fb00faafe117f280260"
	    "5752a6eb293f19617dedc58fe8b0fab4", 32, "K after the read");
	fortuna_state_fini(&fs);
	crypto_fini();
}

ATF_TC(worked_example__chacha20_concurrent);
ATF_TC_HEAD(worked_example__chacha20_concurrent, tc)
{

	atf_tc_set_md_var(tc, "descr", "Six events, a reseed and 20 bytes, "
	    "byte for byte as the kernel's code: ChaCha20, a concurrent read");
}
ATF_TC_BODY(worked_example__chacha20_concurrent, tc)
{
	struct fortuna_private fp;
	struct cipher_key *spare;
	struct fortuna_state fs;

	support_crypto();
	state_make_seeded(&fs, "chacha20");
	spare = spare_make("chacha20");
	check_counter(&fs, 0, 1);
	check_bytes(fs.fs_key->ck_raw, first_key, 32, "K after the reseed");
	fortuna_state_reserve(&fs, &spare, 20, &fp);
	check_counter(&fs, 0, 3);
	check_bytes(fs.fs_key->ck_raw, "f47aa71275ad7569d7d4d5337025c858"
	    "6236340dfba659e9c83fdc63bd43ba3c", 32, "K after the read");
	fortuna_private_genbytes(&fp, output, 20);
	check_bytes(output, "673a2b2ed40ac811c2cd1a87b11ec187f26a4db6", 20,
	    "output");
	fortuna_private_fini(&fp);
	spare_free(spare);
	fortuna_state_fini(&fs);
	crypto_fini();
}

/*
 * K after the worked example's events, and after these again with two events in
 * pool 1, by a model in Python: K = SHAd-256(0^512 || K || S_0 || S_1), S_i the
 * pools' hash of their hash.
 */
static const struct {
	const char	*pool_hash;
	const char	*first;
	const char	*second;
} hashed[] = {
	{ "sha256",
	    "6e7e7afdd4fa5ff518a9526dee82206a"
	    "0f13c7770a2f488ac56845a7bee03198",
	    "ed39fed1b7d733a6b7941c5a4bcff216"
	    "8408eda773a608f9c629bc23123ab2dc" },
	{ "sha512",
	    "b177855dab34734136c26468eb6e60fa"
	    "547631c27cfc9b6693f717ad97fa6801",
	    "51c40c1ef305f7fc0b8eabe53c39e417"
	    "b25d66a25464279b4a25900dc038fc33" },
	{ "blake2s-256",
	    "ffa0215aa6732a448a11891bb1cb6455"
	    "5d65b6b35a8ed8cf5915fdf54e1b7b03",
	    "2db55d23e108167ec605bd57cfbd1006"
	    "d5e6949ccf4c13d5068d6f8101fab50d" },
	{ "md5",
	    "ea9cfbac120fb063b0697b51ed04f17f"
	    "3a4a6d2430c2ee34373dd82e181a2452",
	    "0aab70f7bda4b986c5e338b5adb60218"
	    "f1b39dc8cd815aaf4848af00b0702110" },
	{ "crc32",
	    "a39d1aa98412f5afcf930849a1c79965"
	    "822b204c3764bb05a49171c132ce9cdd",
	    "d765b5486d37b220681c1535c676b14b"
	    "57bc8d197315025ed1b2b4bfe6463fb6" },
	{ "null",
	    "e2f61c3f71d1defd3fa999dfa3695375"
	    "5c690689799962b48bebd836974e8cf9",
	    "88e42425b54ae7b184df84421fb58ef1"
	    "b7bbc0cd0c08a193e1ada65dd859c4c5" },
};

ATF_TC(fortuna_state_init__pool_hash);
ATF_TC_HEAD(fortuna_state_init__pool_hash, tc)
{

	atf_tc_set_md_var(tc, "descr", "Pools hash with what they were given, "
	    "of any length; K is made of it by SHA-256");
}
ATF_TC_BODY(fortuna_state_init__pool_hash, tc)
{
	struct fortuna_state fs;
	struct hash *ha;
	size_t i;

	support_crypto();
	for (i = 0; i < nitems(hashed); i++) {
		ha = hash_find(hashed[i].pool_hash);
		ATF_REQUIRE_EQ_MSG(HASH_READY, hash_load(ha), "%s",
		    hashed[i].pool_hash);
		ATF_REQUIRE_EQ(0, fortuna_state_init(&fs, ciphers[0], ha,
		    RANDOM_FORTUNA_DEFPOOLSIZE));
		feed_pool0(&fs);
		ATF_CHECK_EQ(1, fortuna_state_pre_read(&fs, 0, false));
		check_bytes(fs.fs_key->ck_raw, hashed[i].first, 32,
		    hashed[i].pool_hash);
		feed(&fs, 7, 1, 1);
		feed(&fs, 8, 2, 1);
		feed_pool0(&fs);
		ATF_CHECK_EQ(2, fortuna_state_pre_read(&fs, 0, false));
		check_bytes(fs.fs_key->ck_raw, hashed[i].second, 32,
		    hashed[i].pool_hash);
		fortuna_state_fini(&fs);
	}
	crypto_fini();
}

ATF_TC(fortuna_state_event__lengths);
ATF_TC_HEAD(fortuna_state_event__lengths, tc)
{

	atf_tc_set_md_var(tc, "descr", "An event of 8 bytes absorbs 12, so "
	    "the sixth brings pool 0 over 64 and allows a reseed");
}
ATF_TC_BODY(fortuna_state_event__lengths, tc)
{
	struct harvest_event he;
	struct fortuna_state fs;
	uint32_t i, length = 0;
	uint8_t size;

	support_crypto();
	state_make(&fs, "chacha20");
	for (i = 1; i <= SEED_EVENTS; i++) {
		ATF_CHECK_EQ(0, fortuna_state_pre_read(&fs, 0, false));
		ATF_CHECK(!fortuna_state_seeded(&fs));
		feed(&fs, i, 0, 0);
		ATF_CHECK_EQ_MSG(EVENT_BYTES * i, fs.fs_pool[0].fsp_length,
		    "event %u: %u", i, fs.fs_pool[0].fsp_length);
	}
	ATF_CHECK_EQ(1, fortuna_state_pre_read(&fs, 0, false));
	ATF_CHECK_EQ(0, fs.fs_pool[0].fsp_length);
	ATF_CHECK_EQ(0, fortuna_state_pre_read(&fs, 0, false));
	for (size = 1; size <= HARVEST_ENTROPY_BYTES; size++) {
		he = event_make(1, 2, size, 3);
		fortuna_state_event(&fs, &he);
		length += 4u + size;
		ATF_CHECK_EQ_MSG(length, fs.fs_pool[3].fsp_length, "size %u",
		    size);
	}
	fortuna_state_fini(&fs);
	crypto_fini();
}

ATF_TC(fortuna_state_event__pools);
ATF_TC_HEAD(fortuna_state_event__pools, tc)
{

	atf_tc_set_md_var(tc, "descr", "The destination modulo 32 chooses the "
	    "pool, whatever the source, but the VM generation ID's events go "
	    "to pool 0");
}
ATF_TC_BODY(fortuna_state_event__pools, tc)
{
	struct harvest_event he;
	struct fortuna_state fs;
	uint32_t want[RANDOM_FORTUNA_NPOOLS] = { 0 };
	unsigned destination, i, pool, source;

	support_crypto();
	state_make(&fs, "aes");
	for (source = 0; source < ENTROPYSOURCE; source++) {
		for (destination = 0; destination < 256; destination += 5) {
			he = event_make(1, 2, 8, (uint8_t)destination);
			he.he_source = (uint8_t)source;
			fortuna_state_event(&fs, &he);
			pool = source == RANDOM_PURE_VMGENID ? 0 :
			    destination % 32;
			want[pool] += EVENT_BYTES;
		}
		for (i = 0; i < RANDOM_FORTUNA_NPOOLS; i++)
			ATF_CHECK_EQ_MSG(want[i], fs.fs_pool[i].fsp_length,
			    "source %u, pool %u: %u", source, i,
			    fs.fs_pool[i].fsp_length);
	}
	fortuna_state_fini(&fs);
	crypto_fini();
}

/* The key that six events, each changed by how, lead to. */
static void
key_of_events(uint8_t key[CIPHER_KEY_BYTES],
    void (*change)(struct harvest_event *))
{
	struct harvest_event he;
	struct fortuna_state fs;
	uint32_t i;

	state_make(&fs, "chacha20");
	for (i = 0; i < 14; i++) {
		he = event_make(i, (uint8_t)i, 4, 0);
		change(&he);
		fortuna_state_event(&fs, &he);
	}
	ATF_REQUIRE_EQ(1, fortuna_state_pre_read(&fs, 0, false));
	memcpy(key, fs.fs_key->ck_raw, CIPHER_KEY_BYTES);
	fortuna_state_fini(&fs);
}

static void
as_is(struct harvest_event *he)
{

	(void)he;
}

static void
other_source(struct harvest_event *he)
{

	he->he_source = RANDOM_INTERRUPT;
}

static void
other_padding(struct harvest_event *he)
{

	memset(he->he_entropy + he->he_size, 0xff,
	    HARVEST_ENTROPY_BYTES - he->he_size);
}

static void
other_destination(struct harvest_event *he)
{

	he->he_destination = 32 * 7;
}

static void
other_counter(struct harvest_event *he)
{

	he->he_somecounter ^= UINT32_C(1) << 31;
}

static void
other_bytes(struct harvest_event *he)
{

	he->he_entropy[3] ^= 0x80;
}

static void
other_size(struct harvest_event *he)
{

	he->he_size = 5;
}

ATF_TC(fortuna_state_event__what_is_hashed);
ATF_TC_HEAD(fortuna_state_event__what_is_hashed, tc)
{

	atf_tc_set_md_var(tc, "descr", "The counter and he_size bytes are "
	    "hashed; source, destination and the bytes behind are not");
}
ATF_TC_BODY(fortuna_state_event__what_is_hashed, tc)
{
	static const struct {
		const char	*what;
		void		(*change)(struct harvest_event *);
		bool		 same;
	} rows[] = {
		{ "as they are", as_is, true },
		{ "source", other_source, true },
		{ "bytes behind he_size", other_padding, true },
		{ "destination, same pool", other_destination, true },
		{ "counter's highest bit", other_counter, false },
		{ "last byte's highest bit", other_bytes, false },
		{ "size", other_size, false },
	};
	uint8_t key[CIPHER_KEY_BYTES], plain[CIPHER_KEY_BYTES];
	size_t i;

	support_crypto();
	key_of_events(plain, as_is);
	for (i = 0; i < nitems(rows); i++) {
		key_of_events(key, rows[i].change);
		ATF_CHECK_MSG((memcmp(key, plain, sizeof(key)) == 0) ==
		    rows[i].same, "%s: the key is %s", rows[i].what,
		    rows[i].same ? "another" : "the same");
	}
	crypto_fini();
}

ATF_TC(fortuna_state_event__length_saturates);
ATF_TC_HEAD(fortuna_state_event__length_saturates, tc)
{

	atf_tc_set_md_var(tc, "descr", "A pool that is not drained for long "
	    "enough keeps the greatest length and can still reseed");
}
ATF_TC_BODY(fortuna_state_event__length_saturates, tc)
{
	static const struct {
		uint32_t	before;
		uint32_t	after;
	} rows[] = {
		{ INT_MAX - 13, INT_MAX - 1 },
		{ INT_MAX - 12, INT_MAX },
		{ INT_MAX - 11, INT_MAX },
		{ INT_MAX - 1, INT_MAX },
		{ INT_MAX, INT_MAX },
	};
	struct fortuna_state fs;
	size_t i;

	support_crypto();
	state_make(&fs, "chacha20");
	for (i = 0; i < nitems(rows); i++) {
		fs.fs_pool[0].fsp_length = rows[i].before;
		feed(&fs, 1, 2, 0);
		ATF_CHECK_EQ_MSG(rows[i].after, fs.fs_pool[0].fsp_length,
		    "%u: %u", rows[i].before, fs.fs_pool[0].fsp_length);
	}
	ATF_CHECK_EQ(1, fortuna_state_pre_read(&fs, 0, false));
	ATF_CHECK_EQ(0, fs.fs_pool[0].fsp_length);
	fortuna_state_fini(&fs);
	crypto_fini();
}

static struct fortuna_state misused;

static void
event_of_size(void *arg)
{
	const uint8_t *size = arg;
	struct harvest_event he = event_make(1, 2, *size, 0);

	fortuna_state_event(&misused, &he);
}

ATF_TC(fortuna_state_event__bad_size);
ATF_TC_HEAD(fortuna_state_event__bad_size, tc)
{

	atf_tc_set_md_var(tc, "descr", "An event without bytes, or with more "
	    "than it can hold, is a mistake");
}
ATF_TC_BODY(fortuna_state_event__bad_size, tc)
{
	uint8_t size;

	support_crypto();
	state_make(&misused, "aes");
	size = 0;
	ATF_CHECK(support_asserts(event_of_size, &size));
	size = HARVEST_ENTROPY_BYTES + 1;
	ATF_CHECK(support_asserts(event_of_size, &size));
	size = HARVEST_ENTROPY_BYTES;
	ATF_CHECK(!support_asserts(event_of_size, &size));
	fortuna_state_fini(&misused);
	crypto_fini();
}

/* What a pool has absorbed since it was drained, as bytes. */
struct model {
	struct {
		uint8_t	bytes[8192];
		size_t	n;
	}		m_pool[RANDOM_FORTUNA_NPOOLS];
	uint8_t		m_key[CIPHER_KEY_BYTES];
	uint32_t	m_reseeds;
};

static void
sha256(const uint8_t *in, size_t n, uint8_t out[32])
{

	ATF_REQUIRE_EQ(1, EVP_Digest(in, n, out, NULL, EVP_sha256(), NULL));
}

static void
model_feed(struct model *m, uint32_t counter, uint8_t first, unsigned pool)
{
	uint8_t *p = m->m_pool[pool].bytes + m->m_pool[pool].n;
	unsigned i;

	ATF_REQUIRE(m->m_pool[pool].n + EVENT_BYTES <=
	    sizeof(m->m_pool[pool].bytes));
	for (i = 0; i < 4; i++)
		p[i] = (uint8_t)(counter >> 8 * i);
	for (i = 0; i < 8; i++)
		p[4 + i] = (uint8_t)(first + i);
	m->m_pool[pool].n += EVENT_BYTES;
}

/* Returns how many pools took part. */
static unsigned
model_reseed(struct model *m)
{
	uint8_t in[64 + 32 + 32 * 32] = { 0 }, once[32];
	size_t n = 64;
	unsigned i;

	if (m->m_reseeds++ > 0) {
		memcpy(in + n, m->m_key, 32);
		n += 32;
	}
	for (i = 0; i < 32 && m->m_reseeds >> i << i == m->m_reseeds; i++) {
		sha256(m->m_pool[i].bytes, m->m_pool[i].n, once);
		sha256(once, sizeof(once), in + n);
		n += 32;
		m->m_pool[i].n = 0;
	}
	sha256(in, n, once);
	sha256(once, sizeof(once), m->m_key);
	return (i);
}

ATF_TC(fortuna_state_pre_read__pools_and_keys);
ATF_TC_HEAD(fortuna_state_pre_read__pools_and_keys, tc)
{

	atf_tc_set_md_var(tc, "descr", "Over 64 reseeds, pool i is drained "
	    "exactly in each 2^i-th, and every key is the model's");
}
ATF_TC_BODY(fortuna_state_pre_read__pools_and_keys, tc)
{
	static struct model model;
	struct fortuna_state fs;
	uint32_t counter = 1, e, i, reseed, want;
	unsigned pools;

	support_crypto();
	state_make(&fs, "chacha20");
	for (reseed = 1; reseed <= 64; reseed++) {
		/* Pool 31 stays empty: an empty pool is hashed like others. */
		for (i = 0; i < RANDOM_FORTUNA_NPOOLS - 1; i++) {
			/* Every third time the upper pools get nothing. */
			if (i > 0 && reseed % 3 == 0)
				continue;
			for (e = 0; e < (i == 0 ? SEED_EVENTS : 1); e++) {
				feed(&fs, counter * 0x01020305,
				    (uint8_t)counter, (uint8_t)i);
				model_feed(&model, counter * 0x01020305,
				    (uint8_t)counter, i);
				counter++;
			}
		}
		pools = fortuna_state_pre_read(&fs, 0, false);
		ATF_CHECK_EQ_MSG(model_reseed(&model), pools,
		    "reseed %u drained %u", reseed, pools);
		ATF_CHECK_EQ(reseed, fs.fs_reseedcount);
		check_counter(&fs, 0, reseed);
		ATF_CHECK_MSG(memcmp(model.m_key, fs.fs_key->ck_raw,
		    CIPHER_KEY_BYTES) == 0, "reseed %u: another key", reseed);
		for (i = 0; i < RANDOM_FORTUNA_NPOOLS; i++) {
			want = (uint32_t)model.m_pool[i].n;
			ATF_CHECK_EQ_MSG(want, fs.fs_pool[i].fsp_length,
			    "reseed %u, pool %u: %u bytes, not %u", reseed, i,
			    fs.fs_pool[i].fsp_length, want);
			ATF_CHECK_MSG(reseed % (UINT32_C(1) << i) != 0 ||
			    fs.fs_pool[i].fsp_length == 0,
			    "reseed %u: pool %u was not drained", reseed, i);
		}
	}
	fortuna_state_fini(&fs);
	crypto_fini();
}

ATF_TC(fortuna_state_pre_read__all_pools);
ATF_TC_HEAD(fortuna_state_pre_read__all_pools, tc)
{

	atf_tc_set_md_var(tc, "descr", "Reseed 2^31 drains all 32 pools; the "
	    "one before and the one after drain one");
}
ATF_TC_BODY(fortuna_state_pre_read__all_pools, tc)
{
	static const unsigned pools[] = { 1, 32, 1 };
	struct fortuna_state fs;
	size_t i;

	support_crypto();
	state_make_seeded(&fs, "aes");
	fs.fs_reseedcount = (UINT32_C(1) << 31) - 2;
	for (i = 0; i < nitems(pools); i++) {
		feed_pool0(&fs);
		ATF_CHECK_EQ_MSG(pools[i],
		    fortuna_state_pre_read(&fs, 0, false), "reseed %u",
		    fs.fs_reseedcount);
	}
	fortuna_state_fini(&fs);
	crypto_fini();
}

ATF_TC(fortuna_state_pre_read__counter_wraps);
ATF_TC_HEAD(fortuna_state_pre_read__counter_wraps, tc)
{

	atf_tc_set_md_var(tc, "descr", "C = 0 is the only record of being "
	    "unseeded, also after 2^128 blocks; the reseed then leaves the "
	    "old key out");
}
ATF_TC_BODY(fortuna_state_pre_read__counter_wraps, tc)
{
	struct fortuna_state fs;

	support_crypto();
	state_make_seeded(&fs, "aes");
	fs.fs_counter = uint128_make(UINT64_MAX, UINT64_MAX);
	ATF_CHECK(fortuna_state_seeded(&fs));
	feed_pool0(&fs);
	ATF_CHECK_EQ(2, fortuna_state_pre_read(&fs, 0, false));
	ATF_CHECK(!fortuna_state_seeded(&fs));
	/* As if never seeded: the worked example's key again. */
	fs.fs_reseedcount = 0;
	feed_pool0(&fs);
	ATF_CHECK_EQ(1, fortuna_state_pre_read(&fs, 0, false));
	check_bytes(fs.fs_key->ck_raw, first_key, 32, "K");
	check_counter(&fs, 0, 1);
	fortuna_state_fini(&fs);
	crypto_fini();
}

ATF_TC(fortuna_state_pre_read__pacing);
ATF_TC_HEAD(fortuna_state_pre_read__pacing, tc)
{

	atf_tc_set_md_var(tc, "descr", "More than 100 ms lie between reseeds, "
	    "the first excepted; without pacing the clock decides nothing");
}
ATF_TC_BODY(fortuna_state_pre_read__pacing, tc)
{
	static const int64_t firsts[] = { 0, 1, 99 * 1000 * 1000,
	    100 * 1000 * 1000, INT64_C(3600) * 1000 * 1000 * 1000 };
	static const struct {
		int64_t	delta_ns;
		bool	reseeds;
	} rows[] = {
		{ 0, false },
		{ 1, false },
		{ 99 * 1000 * 1000, false },
		{ 100 * 1000 * 1000 - 1, false },
		{ 100 * 1000 * 1000, false },
		{ 100 * 1000 * 1000 + 1, true },
		{ 101 * 1000 * 1000, true },
		{ INT64_C(10) * 1000 * 1000 * 1000, true },
		/* A clock that goes backwards opens no gate. */
		{ -1, false },
		{ -200 * 1000 * 1000, false },
	};
	struct fortuna_state fs;
	size_t i, k;
	unsigned pools;

	support_crypto();
	for (i = 0; i < nitems(firsts); i++) {
		for (k = 0; k < nitems(rows); k++) {
			state_make(&fs, "chacha20");
			feed_pool0(&fs);
			ATF_CHECK_EQ_MSG(1, fortuna_state_pre_read(&fs,
			    firsts[i], true), "first at %" PRId64, firsts[i]);
			feed_pool0(&fs);
			pools = fortuna_state_pre_read(&fs, firsts[i] +
			    rows[k].delta_ns, true);
			ATF_CHECK_EQ_MSG(rows[k].reseeds, pools != 0,
			    "%" PRId64 " and %" PRId64 " ns later", firsts[i],
			    rows[k].delta_ns);
			if (pools == 0) {
				ATF_CHECK_EQ(72, fs.fs_pool[0].fsp_length);
				check_counter(&fs, 0, 1);
				pools = fortuna_state_pre_read(&fs, firsts[i] +
				    rows[k].delta_ns, false);
				ATF_CHECK_MSG(pools != 0, "not paced");
			}
			fortuna_state_fini(&fs);
		}
	}
	crypto_fini();
}

ATF_TC(fortuna_state_pre_read__pace_from_last_reseed);
ATF_TC_HEAD(fortuna_state_pre_read__pace_from_last_reseed, tc)
{

	atf_tc_set_md_var(tc, "descr", "The time counts from the last reseed, "
	    "not from the last attempt");
}
ATF_TC_BODY(fortuna_state_pre_read__pace_from_last_reseed, tc)
{
	const int64_t ms = 1000 * 1000;
	struct fortuna_state fs;

	support_crypto();
	state_make(&fs, "aes");
	feed_pool0(&fs);
	ATF_CHECK_EQ(1, fortuna_state_pre_read(&fs, 500 * ms, true));
	feed_pool0(&fs);
	ATF_CHECK_EQ(0, fortuna_state_pre_read(&fs, 599 * ms, true));
	ATF_CHECK_EQ(0, fortuna_state_pre_read(&fs, 600 * ms, true));
	ATF_CHECK_EQ(2, fortuna_state_pre_read(&fs, 600 * ms + 1, true));
	/* An attempt with too little in pool 0 moves nothing either. */
	ATF_CHECK_EQ(0, fortuna_state_pre_read(&fs, 800 * ms, true));
	feed_pool0(&fs);
	ATF_CHECK_EQ(1, fortuna_state_pre_read(&fs, 800 * ms + 1, true));
	/* And the second reseed moved it. */
	feed_pool0(&fs);
	ATF_CHECK_EQ(0, fortuna_state_pre_read(&fs, 900 * ms + 1, true));
	ATF_CHECK_EQ(3, fortuna_state_pre_read(&fs, 900 * ms + 2, true));
	fortuna_state_fini(&fs);
	crypto_fini();
}

ATF_TC(fortuna_state_pre_read__minpoolsize);
ATF_TC_HEAD(fortuna_state_pre_read__minpoolsize, tc)
{

	atf_tc_set_md_var(tc, "descr", "Pool 0 reseeds from minpoolsize bytes "
	    "on, no matter how much the others hold");
}
ATF_TC_BODY(fortuna_state_pre_read__minpoolsize, tc)
{
	static const struct {
		unsigned	minpoolsize;
		unsigned	events;
	} rows[] = {
		{ 16, 2 }, { 24, 2 }, { 25, 3 }, { 64, 6 }, { 72, 6 },
		{ 73, 7 }, { 128, 11 },
	};
	struct fortuna_state fs;
	unsigned e;
	size_t i;

	support_crypto();
	for (i = 0; i < nitems(rows); i++) {
		ATF_REQUIRE_EQ(0, fortuna_state_init(&fs, ciphers[0],
		    hash_sha256(), rows[i].minpoolsize));
		for (e = 0; e < 1000; e++)
			feed(&fs, e, 1, (uint8_t)(e % 31 + 1));
		for (e = 0; fortuna_state_pre_read(&fs, 0, false) == 0; e++) {
			ATF_REQUIRE(e < 1000);
			feed(&fs, e, 1, 0);
		}
		ATF_CHECK_EQ_MSG(rows[i].events, e, "%u bytes: %u events",
		    rows[i].minpoolsize, e);
		fortuna_state_fini(&fs);
	}
	crypto_fini();
}

ATF_TC(fortuna_piece__sizes);
ATF_TC_HEAD(fortuna_piece__sizes, tc)
{

	atf_tc_set_md_var(tc, "descr", "A locked read is cut into pages, and "
	    "AES's last partial block is cut off its whole ones");
}
ATF_TC_BODY(fortuna_piece__sizes, tc)
{
	static const struct {
		const char	*cipher;
		uint64_t	 resid;
		size_t		 piece;
	} rows[] = {
		{ "aes", 1, 1 },
		{ "aes", 15, 15 },
		{ "aes", 16, 16 },
		{ "aes", 17, 16 },
		{ "aes", 31, 16 },
		{ "aes", 32, 32 },
		{ "aes", 4095, 4080 },
		{ "aes", 4096, 4096 },
		{ "aes", 4097, 4096 },
		{ "aes", UINT64_MAX, 4096 },
		{ "chacha20", 1, 1 },
		{ "chacha20", 17, 17 },
		{ "chacha20", 65, 65 },
		{ "chacha20", 4095, 4095 },
		{ "chacha20", 4096, 4096 },
		{ "chacha20", 4097, 4096 },
		{ "chacha20", UINT64_C(1) << 32, 4096 },
	};
	size_t i, n;

	for (i = 0; i < nitems(rows); i++) {
		n = fortuna_piece(cipher_find(rows[i].cipher), rows[i].resid);
		ATF_CHECK_EQ_MSG(rows[i].piece, n, "%s, %" PRIu64 ": %zu",
		    rows[i].cipher, rows[i].resid, n);
	}
}

static uint64_t
max64(uint64_t a, uint64_t b)
{

	return (a > b ? a : b);
}

ATF_TC(fortuna_state_genbytes__counters);
ATF_TC_HEAD(fortuna_state_genbytes__counters, tc)
{

	atf_tc_set_md_var(tc, "descr", "A locked read uses the counters of its "
	    "blocks and of one new key a piece, every piece another key");
}
ATF_TC_BODY(fortuna_state_genbytes__counters, tc)
{
	static const uint64_t sizes[] = { 1, 15, 16, 17, 31, 32, 63, 64, 65,
	    100, 4080, 4095, 4096, 4097, 4112, 4113, 8191, 8192, 8193, 65536,
	    65543 };
	static const char *const names[] = { "aes", "chacha20" };
	uint8_t key[CIPHER_KEY_BYTES];
	struct fortuna_state fs;
	uint64_t blocks, done, keys, r, start;
	size_t i, k, n;

	support_crypto();
	for (k = 0; k < nitems(names); k++) {
		state_make_seeded(&fs, names[k]);
		for (i = 0; i < nitems(sizes); i++) {
			start = uint128_lo(fs.fs_counter);
			for (done = 0; done < sizes[i]; done += n) {
				memcpy(key, fs.fs_key->ck_raw, sizeof(key));
				n = fortuna_piece(fs.fs_key->ck_cipher,
				    sizes[i] - done);
				fortuna_state_genbytes(&fs, output, n);
				ATF_CHECK(memcmp(key, fs.fs_key->ck_raw,
				    sizeof(key)) != 0);
			}
			r = sizes[i] % 4096;
			if (k == 0) {
				blocks = (sizes[i] + 15) / 16;
				keys = 2 * max64(1, sizes[i] / 4096 +
				    (r >= 16) + (sizes[i] % 16 != 0));
			} else {
				blocks = (sizes[i] + 63) / 64;
				keys = (sizes[i] + 4095) / 4096;
			}
			ATF_CHECK_EQ_MSG(start + blocks + keys,
			    uint128_lo(fs.fs_counter), "%s, %" PRIu64
			    " bytes: %" PRIu64 " more", names[k], sizes[i],
			    uint128_lo(fs.fs_counter) - start);
		}
		fortuna_state_fini(&fs);
	}
	crypto_fini();
}

/* Counters that a private generator needs for n bytes, keys included. */
static uint64_t
counters_used(bool aes, uint64_t n)
{

	if (!aes)
		return ((n + 63) / 64);
	/* A new key after each 2^20 bytes, if any come after them. */
	return ((n + 15) / 16 + (n == 0 ? 0 : 2 * ((n - 1) / MEGABYTE)));
}

/* Counters reserved for n bytes, the new K's not among them. */
static uint64_t
counters_reserved(struct fortuna_state *fs, struct cipher_key **spare,
    uint64_t n, struct fortuna_private *fp)
{
	uint64_t start = uint128_lo(fs->fs_counter);

	fortuna_state_reserve(fs, spare, n, fp);
	return (uint128_lo(fs->fs_counter) - start -
	    (*spare)->ck_cipher->ci_rekey_blocks);
}

/*
 * Both sides depend on n only through its number of blocks, so the first and
 * the last n of every block are every n.
 */
ATF_TC(fortuna_state_reserve__never_too_few);
ATF_TC_HEAD(fortuna_state_reserve__never_too_few, tc)
{

	atf_tc_set_md_var(tc, "descr", "For every size up to 4 MiB, as many "
	    "counters are reserved as are used, two more just before a "
	    "multiple of 2^20: never fewer, or two readers would share one");
}
ATF_TC_BODY(fortuna_state_reserve__never_too_few, tc)
{
	static const char *const names[] = { "aes", "chacha20" };
	struct fortuna_private fp;
	struct fortuna_state fs;
	struct cipher_key *spare;
	uint64_t n, reserved, used;
	unsigned block, k, side;
	bool aes;

	support_crypto();
	for (k = 0; k < nitems(names); k++) {
		state_make_seeded(&fs, names[k]);
		spare = spare_make(names[k]);
		aes = k == 0;
		block = spare->ck_cipher->ci_block_bytes;
		ATF_CHECK_EQ(0, counters_reserved(&fs, &spare, 0, &fp));
		for (n = 1; n <= LONGEST; n += side == 0 ? block - 1 : 1) {
			reserved = counters_reserved(&fs, &spare, n, &fp);
			used = counters_used(aes, n);
			if (aes && (n + 15) / 16 % 65536 == 0)
				used += 2;
			ATF_REQUIRE_MSG(reserved == used, "%s, %" PRIu64
			    " bytes: %" PRIu64 " reserved, not %" PRIu64,
			    names[k], n, reserved, used);
			side = n % block == 0;
		}
		ATF_CHECK(n > LONGEST);
		spare_free(spare);
		fortuna_state_fini(&fs);
	}
	crypto_fini();
}

ATF_TC(fortuna_private_genbytes__counters);
ATF_TC_HEAD(fortuna_private_genbytes__counters, tc)
{

	atf_tc_set_md_var(tc, "descr", "A private generator uses no counter "
	    "beyond those reserved, and in (k 2^20 - 16, k 2^20] skips two");
}
ATF_TC_BODY(fortuna_private_genbytes__counters, tc)
{
	static const int offsets[] = { -33, -17, -16, -15, -1, 0, 1, 15, 16,
	    17 };
	static const char *const names[] = { "aes", "chacha20" };
	struct fortuna_private fp;
	struct fortuna_state fs;
	struct cipher_key *spare;
	uint64_t n, reserved, skipped, start, used;
	unsigned i, k, mega;
	bool aes;

	support_crypto();
	for (k = 0; k < nitems(names); k++) {
		state_make_seeded(&fs, names[k]);
		spare = spare_make(names[k]);
		aes = k == 0;
		for (mega = 0; mega <= 4; mega++) {
			for (i = 0; i < nitems(offsets); i++) {
				if (mega == 0 && offsets[i] < 0)
					continue;
				n = (uint64_t)((int)mega * MEGABYTE +
				    offsets[i]);
				start = uint128_lo(fs.fs_counter);
				reserved = counters_reserved(&fs, &spare, n,
				    &fp);
				fortuna_private_genbytes(&fp, output,
				    (size_t)n);
				used = uint128_lo(fp.fp_counter) - start;
				ATF_CHECK_EQ(0, fp.fp_resid);
				ATF_CHECK_EQ_MSG(counters_used(aes, n), used,
				    "%s, %" PRIu64 " bytes: %" PRIu64, names[k],
				    n, used);
				skipped = aes && mega > 0 &&
				    offsets[i] > -16 && offsets[i] <= 0 ? 2 :
				    0;
				ATF_CHECK_EQ_MSG(skipped, reserved - used,
				    "%s, %" PRIu64 " bytes: %" PRIu64
				    " reserved, %" PRIu64 " used", names[k], n,
				    reserved, used);
				fortuna_private_fini(&fp);
			}
		}
		spare_free(spare);
		fortuna_state_fini(&fs);
	}
	crypto_fini();
}

ATF_TC(fortuna_private_genbytes__in_parts);
ATF_TC_HEAD(fortuna_private_genbytes__in_parts, tc)
{

	atf_tc_set_md_var(tc, "descr", "How a request is cut into windows does "
	    "not change its bytes, nor where keys are replaced");
}
ATF_TC_BODY(fortuna_private_genbytes__in_parts, tc)
{
	static const size_t parts[] = { 64, 4096, 3 * 4096, 65536, MEGABYTE,
	    MEGABYTE + 64 };
	const size_t total = 2 * MEGABYTE + 100;
	struct fortuna_private fp;
	struct fortuna_state fs;
	struct cipher_key *spare;
	size_t done, i, n;
	unsigned k;

	support_crypto();
	for (k = 0; k < cipher_count; k++) {
		state_make_seeded(&fs, ciphers[k]->ci_name);
		spare = spare_make(ciphers[k]->ci_name);
		fortuna_state_reserve(&fs, &spare, total, &fp);
		fortuna_private_genbytes(&fp, output, total);
		fortuna_private_fini(&fp);
		spare_free(spare);
		fortuna_state_fini(&fs);
		for (i = 0; i < nitems(parts); i++) {
			state_make_seeded(&fs, ciphers[k]->ci_name);
			spare = spare_make(ciphers[k]->ci_name);
			memset(again, 0, total);
			fortuna_state_reserve(&fs, &spare, total, &fp);
			for (done = 0; done < total; done += n) {
				n = total - done < parts[i] ? total - done :
				    parts[i];
				fortuna_private_genbytes(&fp, again + done, n);
			}
			n = support_mismatch(output, again, total);
			ATF_CHECK_MSG(n == total,
			    "%s, parts of %zu: differ at %zu",
			    ciphers[k]->ci_name, parts[i], n);
			fortuna_private_fini(&fp);
			spare_free(spare);
			fortuna_state_fini(&fs);
		}
	}
	crypto_fini();
}

static struct fortuna_private misused_private;

static void
private_draw(void *arg)
{
	const size_t *n = arg;

	fortuna_private_genbytes(&misused_private, output, *n);
}

ATF_TC(fortuna_private_genbytes__misuse);
ATF_TC_HEAD(fortuna_private_genbytes__misuse, tc)
{

	atf_tc_set_md_var(tc, "descr", "More than was reserved, or a block cut "
	    "before the end, would repeat counters: neither passes");
}
ATF_TC_BODY(fortuna_private_genbytes__misuse, tc)
{
	struct cipher_key *spare;
	size_t n;

	support_crypto();
	state_make_seeded(&misused, "chacha20");
	spare = spare_make("chacha20");
	fortuna_state_reserve(&misused, &spare, 1000, &misused_private);
	n = 1001;
	ATF_CHECK(support_asserts(private_draw, &n));
	n = 100;
	ATF_CHECK(support_asserts(private_draw, &n));
	n = 64;
	ATF_CHECK(!support_asserts(private_draw, &n));
	n = 1000;
	ATF_CHECK(support_asserts(private_draw, &n));
	n = 936;
	ATF_CHECK(!support_asserts(private_draw, &n));
	n = 1;
	ATF_CHECK(support_asserts(private_draw, &n));
	fortuna_private_fini(&misused_private);
	spare_free(spare);
	fortuna_state_fini(&misused);
	crypto_fini();
}

ATF_TC(fortuna_state_reserve__takes_the_key);
ATF_TC_HEAD(fortuna_state_reserve__takes_the_key, tc)
{

	atf_tc_set_md_var(tc, "descr", "The read has the old key, the state a "
	    "new one, also for no bytes; the state then does not depend on "
	    "what the read does");
}
ATF_TC_BODY(fortuna_state_reserve__takes_the_key, tc)
{
	uint8_t old[CIPHER_KEY_BYTES], new[CIPHER_KEY_BYTES];
	struct cipher_key *spare, *taken;
	struct fortuna_private fp;
	struct fortuna_state fs;
	unsigned k;

	support_crypto();
	for (k = 0; k < cipher_count; k++) {
		state_make_seeded(&fs, ciphers[k]->ci_name);
		spare = spare_make(ciphers[k]->ci_name);
		memcpy(old, fs.fs_key->ck_raw, sizeof(old));
		taken = fs.fs_key;
		fortuna_state_reserve(&fs, &spare, 0, &fp);
		ATF_CHECK(spare == taken && fs.fs_key != taken &&
		    fp.fp_key == taken);
		check_counter(&fs, 0, 1 + ciphers[k]->ci_rekey_blocks);
		ATF_CHECK_EQ(0, memcmp(old, taken->ck_raw, sizeof(old)));
		memcpy(new, fs.fs_key->ck_raw, sizeof(new));
		ATF_CHECK(memcmp(old, new, sizeof(old)) != 0);
		fortuna_private_fini(&fp);
		ATF_CHECK_EQ(0, memcmp(new, fs.fs_key->ck_raw, sizeof(new)));
		/* A read of nothing in the other mode does the same. */
		fortuna_state_fini(&fs);
		state_make_seeded(&fs, ciphers[k]->ci_name);
		fortuna_state_rekey(&fs);
		check_counter(&fs, 0, 1 + ciphers[k]->ci_rekey_blocks);
		ATF_CHECK_EQ(0, memcmp(new, fs.fs_key->ck_raw, sizeof(new)));
		spare_free(spare);
		fortuna_state_fini(&fs);
	}
	crypto_fini();
}

ATF_TC(fortuna_private_fini__wipes);
ATF_TC_HEAD(fortuna_private_fini__wipes, tc)
{

	atf_tc_set_md_var(tc, "descr", "Once a read has ended, the object it "
	    "used cannot produce its bytes again");
}
ATF_TC_BODY(fortuna_private_fini__wipes, tc)
{
	struct fortuna_private fp;
	struct cipher_key *spare;
	struct fortuna_state fs;
	uint128_t counter, ctr;
	unsigned k;

	support_crypto();
	for (k = 0; k < cipher_count; k++) {
		state_make_seeded(&fs, ciphers[k]->ci_name);
		spare = spare_make(ciphers[k]->ci_name);
		counter = fs.fs_counter;
		fortuna_state_reserve(&fs, &spare, 4096, &fp);
		fortuna_private_genbytes(&fp, output, 4096);
		/* Still there before, or the rest proves nothing. */
		ctr = counter;
		cipher_keystream(spare, &ctr, again, 4096);
		ATF_REQUIRE_EQ_MSG(0, memcmp(output, again, 4096), "%s",
		    ciphers[k]->ci_name);
		fortuna_private_fini(&fp);
		ctr = counter;
		cipher_keystream(spare, &ctr, again, 4096);
		ATF_CHECK_MSG(memcmp(output, again, 4096) != 0,
		    "%s: the key is still in its schedule",
		    ciphers[k]->ci_name);
		ATF_CHECK_MSG(support_all(spare->ck_raw, CIPHER_KEY_BYTES, 0),
		    "%s: the raw key is still there", ciphers[k]->ci_name);
		ATF_CHECK(fp.fp_key == NULL && fp.fp_resid == 0);
		ATF_CHECK(uint128_is_zero(fp.fp_counter));
		spare_free(spare);
		fortuna_state_fini(&fs);
	}
	crypto_fini();
}

/* Something that says it does what fortuna_state_small() does. */
typedef size_t	small_maker(struct fortuna_state *fs,
		    uint8_t scratch[FORTUNA_SMALL_SCRATCH_BYTES], size_t n);

/* Faults that such a thing may have: a mutant of each. */
enum small_fault {
	KEY_FIRST,		/* the key's blocks come before the output's */
	BLOCK_SHORT,		/* the key is in the output's last block */
	BLOCK_OVER,		/* a counter is left out */
	KEY_KEPT,		/* K is not replaced */
	SMALL_FAULTS
};

static size_t
small_mutant(struct fortuna_state *fs, uint8_t *scratch, size_t n,
    enum small_fault fault)
{
	const size_t block = fs->fs_key->ck_cipher->ci_block_bytes;
	const size_t key = fs->fs_key->ck_cipher->ci_rekey_blocks * block;
	const size_t whole = (n + block - 1) / block * block;
	uint8_t run[FORTUNA_SMALL_SCRATCH_BYTES + CIPHER_BLOCK_MAX_BYTES];
	uint8_t *k = run + whole, *out = run;

	if (fault == KEY_FIRST) {
		k = run;
		out = run + key;
	} else if (fault == BLOCK_SHORT && whole > 0) {
		k -= block;
	}
	cipher_keystream(fs->fs_key, &fs->fs_counter, run, fault ==
	    BLOCK_SHORT && whole > 0 ? whole + key - block : whole + key);
	if (fault == BLOCK_OVER)
		uint128_increment(&fs->fs_counter);
	memcpy(scratch, out, whole);
	if (fault != KEY_KEPT)
		cipher_key_set(fs->fs_key, k);
	return (whole);
}

#define	SMALL_MUTANT(name, fault)					\
static size_t								\
name(struct fortuna_state *fs,						\
    uint8_t scratch[FORTUNA_SMALL_SCRATCH_BYTES], size_t n)		\
{									\
									\
	return (small_mutant(fs, scratch, n, fault));			\
}
SMALL_MUTANT(key_first, KEY_FIRST)
SMALL_MUTANT(block_short, BLOCK_SHORT)
SMALL_MUTANT(block_over, BLOCK_OVER)
SMALL_MUTANT(key_kept, KEY_KEPT)

/*
 * Whether reads of all small sizes, one after the other, give the bytes, K and
 * C of concurrent reads, and the key is gone from the scratch.
 */
static bool
small_as_concurrent(small_maker *make, const char *cipher)
{
	uint8_t scratch[FORTUNA_SMALL_SCRATCH_BYTES];
	struct fortuna_private fp;
	struct fortuna_state fs, want;
	struct cipher_key *spare;
	bool same = true;
	size_t n, used;

	state_make_seeded(&fs, cipher);
	state_make_seeded(&want, cipher);
	spare = spare_make(cipher);
	for (n = 0; n <= RANDOM_FORTUNA_SMALL && same; n++) {
		memset(scratch, 0, sizeof(scratch));
		used = make(&fs, scratch, n);
		fortuna_state_reserve(&want, &spare, n, &fp);
		fortuna_private_genbytes(&fp, output, n);
		fortuna_private_fini(&fp);
		same = used >= n && memcmp(scratch, output, n) == 0 &&
		    uint128_equals(fs.fs_counter, want.fs_counter) &&
		    memcmp(fs.fs_key->ck_raw, want.fs_key->ck_raw,
		    CIPHER_KEY_BYTES) == 0 && support_all(scratch + used,
		    sizeof(scratch) - used, 0);
	}
	spare_free(spare);
	fortuna_state_fini(&fs);
	fortuna_state_fini(&want);
	return (same);
}

ATF_TC(fortuna_state_small__as_concurrent);
ATF_TC_HEAD(fortuna_state_small__as_concurrent, tc)
{

	atf_tc_set_md_var(tc, "descr", "A small read in one go gives the "
	    "bytes, K and C of a concurrent one, whatever its size, and "
	    "leaves no key behind; what does not is found");
}
ATF_TC_BODY(fortuna_state_small__as_concurrent, tc)
{
	static small_maker *const mutants[] = { key_first, block_short,
	    block_over, key_kept };
	unsigned i, k;

	CTASSERT(nitems(mutants) == SMALL_FAULTS);
	support_crypto();
	for (k = 0; k < cipher_count; k++) {
		ATF_CHECK_MSG(small_as_concurrent(fortuna_state_small,
		    ciphers[k]->ci_name), "%s", ciphers[k]->ci_name);
		for (i = 0; i < nitems(mutants); i++)
			ATF_CHECK_MSG(!small_as_concurrent(mutants[i],
			    ciphers[k]->ci_name), "%s: mutant %u passes",
			    ciphers[k]->ci_name, i);
	}
	crypto_fini();
}

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, worked_example__aes_locked);
	ATF_TP_ADD_TC(tp, worked_example__chacha20_concurrent);
	ATF_TP_ADD_TC(tp, fortuna_state_init__pool_hash);
	ATF_TP_ADD_TC(tp, fortuna_state_event__lengths);
	ATF_TP_ADD_TC(tp, fortuna_state_event__pools);
	ATF_TP_ADD_TC(tp, fortuna_state_event__what_is_hashed);
	ATF_TP_ADD_TC(tp, fortuna_state_event__length_saturates);
	ATF_TP_ADD_TC(tp, fortuna_state_event__bad_size);
	ATF_TP_ADD_TC(tp, fortuna_state_pre_read__pools_and_keys);
	ATF_TP_ADD_TC(tp, fortuna_state_pre_read__all_pools);
	ATF_TP_ADD_TC(tp, fortuna_state_pre_read__counter_wraps);
	ATF_TP_ADD_TC(tp, fortuna_state_pre_read__pacing);
	ATF_TP_ADD_TC(tp, fortuna_state_pre_read__pace_from_last_reseed);
	ATF_TP_ADD_TC(tp, fortuna_state_pre_read__minpoolsize);
	ATF_TP_ADD_TC(tp, fortuna_piece__sizes);
	ATF_TP_ADD_TC(tp, fortuna_state_genbytes__counters);
	ATF_TP_ADD_TC(tp, fortuna_state_reserve__never_too_few);
	ATF_TP_ADD_TC(tp, fortuna_private_genbytes__counters);
	ATF_TP_ADD_TC(tp, fortuna_private_genbytes__in_parts);
	ATF_TP_ADD_TC(tp, fortuna_private_genbytes__misuse);
	ATF_TP_ADD_TC(tp, fortuna_state_reserve__takes_the_key);
	ATF_TP_ADD_TC(tp, fortuna_private_fini__wipes);
	ATF_TP_ADD_TC(tp, fortuna_state_small__as_concurrent);
	return (atf_no_error());
}
