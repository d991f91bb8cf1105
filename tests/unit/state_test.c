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
#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum {
	EVENT_BYTES	= 12,		/* a counter and eight bytes */
	SEED_EVENTS	= 6,		/* these bring pool 0 over 64 */
	MEGABYTE	= 1 << 20,
	LONGEST		= 4 * MEGABYTE + 64
};

static uint8_t output[LONGEST], again[LONGEST];

static const char *const names[] = { "aes", "chacha20" };

/* The state under test, and the spare cipher and read that belong to it. */
static struct fortuna_state fs;
static struct cipher_key *spare;
static struct fortuna_private fp;

static void
unmake(void)
{
	if (spare == NULL)
		return;
	cipher_key_free(spare);
	spare = NULL;
	fortuna_state_fini(&fs);
}

/* In place of the state there was. */
static void
make_with(const struct cipher *cipher, const struct hash *ha,
    unsigned minpoolsize)
{
	unmake();
	ATF_REQUIRE(cipher != NULL);
	ATF_REQUIRE_EQ(0, fortuna_state_init(&fs, cipher, ha, minpoolsize));
	ATF_REQUIRE_EQ(0, cipher_key_new(&spare, cipher));
}

static void
make(const char *cipher)
{
	make_with(cipher_find(cipher), hash_sha256(),
	    RANDOM_FORTUNA_DEFPOOLSIZE);
}

/* Returns how many pools were drained. */
static unsigned
pre_read(void)
{
	return (fortuna_state_pre_read(&fs, 0, false));
}

static struct harvest_event
event_make(uint32_t counter, uint8_t first, uint8_t size, uint8_t destination)
{
	struct harvest_event he = {
		.he_somecounter = counter,
		.he_size = size,
		.he_destination = destination,
		.he_source = RANDOM_CACHED,
	};

	for (uint8_t i = 0; i < HARVEST_ENTROPY_BYTES; i++)
		he.he_entropy[i] = (uint8_t)(first + i);
	return (he);
}

static void
feed(uint32_t counter, uint8_t first, uint8_t destination)
{
	struct harvest_event he = event_make(counter, first, 8, destination);

	fortuna_state_event(&fs, &he);
}

/* The worked example's six events. */
static void
feed_pool0(void)
{
	for (uint32_t i = 0; i < SEED_EVENTS; i++)
		feed(0x01000000 + i, (uint8_t)(16 * i), 0);
}

static void
make_seeded(const char *cipher)
{
	make(cipher);
	feed_pool0();
	ATF_REQUIRE_EQ(1, pre_read());
}

/* A case with libcrypto, and the state freed at its end. */
#define	STATE_TEST(name, text)						\
static void	name##_body(void);					\
TEST(name, text)							\
{									\
									\
	support_crypto();						\
	name##_body();							\
	unmake();							\
	crypto_fini();							\
}									\
static void								\
name##_body(void)

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
check_counter(uint64_t hi, uint64_t lo)
{
	ATF_CHECK_MSG(uint128_equals(fs.fs_counter, uint128_make(hi, lo)),
	    "C is %#" PRIx64 ":%016" PRIx64 ", not %#" PRIx64 ":%016" PRIx64,
	    uint128_hi(fs.fs_counter), uint128_lo(fs.fs_counter), hi, lo);
}

static const char first_key[] =
    "6e7e7afdd4fa5ff518a9526dee82206a0f13c7770a2f488ac56845a7bee03198";

STATE_TEST(worked_example__aes_locked, "Six events, a reseed and 20 bytes, "
    "byte for byte as the kernel's code: AES, a locked read")
{
	size_t n;

	make("aes");
	ATF_CHECK(!fortuna_state_seeded(&fs));
	feed_pool0();
	ATF_CHECK_EQ(72, fs.fs_pool[0].fsp_length);
	ATF_CHECK_EQ(1, pre_read());
	ATF_CHECK_EQ(1, fs.fs_reseedcount);
	ATF_CHECK(fortuna_state_seeded(&fs));
	check_counter(0, 1);
	check_bytes(fs.fs_key->ck_raw, first_key, 32, "K after the reseed");
	for (size_t done = 0; done < 20; done += n) {
		n = fortuna_piece(fs.fs_key->ck_cipher, 20 - done);
		fortuna_state_genbytes(&fs, output + done, n);
	}
	check_bytes(output, "109e3e354b8d6b0de25452d09645881d6be89e0c", 20,
	    "output");
	check_counter(0, 7);
	check_bytes(fs.fs_key->ck_raw, "52258a3768ab0fb00faafe117f280260"
	    "5752a6eb293f19617dedc58fe8b0fab4", 32, "K after the read");
}

STATE_TEST(worked_example__chacha20_concurrent, "Six events, a reseed and 20 "
    "bytes, byte for byte as the kernel's code: ChaCha20, a concurrent read")
{
	make_seeded("chacha20");
	check_counter(0, 1);
	check_bytes(fs.fs_key->ck_raw, first_key, 32, "K after the reseed");
	fortuna_state_reserve(&fs, &spare, 20, &fp);
	check_counter(0, 3);
	check_bytes(fs.fs_key->ck_raw, "f47aa71275ad7569d7d4d5337025c858"
	    "6236340dfba659e9c83fdc63bd43ba3c", 32, "K after the read");
	fortuna_private_genbytes(&fp, output, 20);
	check_bytes(output, "673a2b2ed40ac811c2cd1a87b11ec187f26a4db6", 20,
	    "output");
	fortuna_private_fini(&fp);
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

STATE_TEST(fortuna_state_init__pool_hash, "Pools hash with what they were "
    "given, of any length; K is made of it by SHA-256")
{
	struct hash *ha;

	for (size_t i = 0; i < nitems(hashed); i++) {
		ha = hash_find(hashed[i].pool_hash);
		ATF_REQUIRE_EQ_MSG(HASH_READY, hash_load(ha), "%s",
		    hashed[i].pool_hash);
		make_with(ciphers[0], ha, RANDOM_FORTUNA_DEFPOOLSIZE);
		feed_pool0();
		ATF_CHECK_EQ(1, pre_read());
		check_bytes(fs.fs_key->ck_raw, hashed[i].first, 32,
		    hashed[i].pool_hash);
		feed(7, 1, 1);
		feed(8, 2, 1);
		feed_pool0();
		ATF_CHECK_EQ(2, pre_read());
		check_bytes(fs.fs_key->ck_raw, hashed[i].second, 32,
		    hashed[i].pool_hash);
	}
}

STATE_TEST(fortuna_state_event__lengths, "An event of 8 bytes absorbs 12, so "
    "the sixth brings pool 0 over 64 and allows a reseed")
{
	struct harvest_event he;
	uint32_t length = 0;

	make("chacha20");
	for (uint32_t i = 1; i <= SEED_EVENTS; i++) {
		ATF_CHECK_EQ(0, pre_read());
		ATF_CHECK(!fortuna_state_seeded(&fs));
		feed(i, 0, 0);
		ATF_CHECK_EQ_MSG(EVENT_BYTES * i, fs.fs_pool[0].fsp_length,
		    "event %u: %u", i, fs.fs_pool[0].fsp_length);
	}
	ATF_CHECK_EQ(1, pre_read());
	ATF_CHECK_EQ(0, fs.fs_pool[0].fsp_length);
	ATF_CHECK_EQ(0, pre_read());
	for (uint8_t size = 1; size <= HARVEST_ENTROPY_BYTES; size++) {
		he = event_make(1, 2, size, 3);
		fortuna_state_event(&fs, &he);
		length += 4u + size;
		ATF_CHECK_EQ_MSG(length, fs.fs_pool[3].fsp_length, "size %u",
		    size);
	}
}

STATE_TEST(fortuna_state_event__pools, "The destination modulo 32 chooses the "
    "pool, whatever the source, but the VM generation ID's events go to pool 0")
{
	struct harvest_event he;
	uint32_t want[RANDOM_FORTUNA_NPOOLS] = { 0 };
	unsigned destination, pool;

	make("aes");
	for (unsigned source = 0; source < ENTROPYSOURCE; source++) {
		for (destination = 0; destination < 256; destination += 5) {
			he = event_make(1, 2, 8, (uint8_t)destination);
			he.he_source = (uint8_t)source;
			fortuna_state_event(&fs, &he);
			pool = source == RANDOM_PURE_VMGENID ? 0 :
			    destination % 32;
			want[pool] += EVENT_BYTES;
		}
		for (unsigned i = 0; i < RANDOM_FORTUNA_NPOOLS; i++)
			ATF_CHECK_EQ_MSG(want[i], fs.fs_pool[i].fsp_length,
			    "source %u, pool %u: %u", source, i,
			    fs.fs_pool[i].fsp_length);
	}
}

enum changed {
	NOTHING, SOURCE, PADDING, DESTINATION, COUNTER, LAST_BYTE, SIZE
};

/* The key that events with one thing changed lead to. */
static void
key_of_events(uint8_t key[CIPHER_KEY_BYTES], enum changed changed)
{
	struct harvest_event he;

	make("chacha20");
	for (uint32_t i = 0; i < 14; i++) {
		he = event_make(i, (uint8_t)i, 4, 0);
		if (changed == SOURCE)
			he.he_source = RANDOM_INTERRUPT;
		else if (changed == PADDING)
			memset(he.he_entropy + 4, 0xff, 4);
		else if (changed == DESTINATION)
			he.he_destination = 32 * 7;
		else if (changed == COUNTER)
			he.he_somecounter ^= UINT32_C(1) << 31;
		else if (changed == LAST_BYTE)
			he.he_entropy[3] ^= 0x80;
		else if (changed == SIZE)
			he.he_size = 5;
		fortuna_state_event(&fs, &he);
	}
	ATF_REQUIRE_EQ(1, pre_read());
	memcpy(key, fs.fs_key->ck_raw, CIPHER_KEY_BYTES);
}

STATE_TEST(fortuna_state_event__what_is_hashed, "The counter and he_size bytes "
    "are hashed; source, destination and the bytes after these are not")
{
	uint8_t key[CIPHER_KEY_BYTES], plain[CIPHER_KEY_BYTES];

	key_of_events(plain, NOTHING);
	for (enum changed i = NOTHING; i <= SIZE; i++) {
		key_of_events(key, i);
		ATF_CHECK_EQ_MSG(i < COUNTER, memcmp(key, plain,
		    sizeof(key)) == 0, "change %u", i);
	}
}

STATE_TEST(fortuna_state_event__length_saturates, "A pool that is not drained "
    "for long enough keeps the greatest length and can still reseed")
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

	make("chacha20");
	for (size_t i = 0; i < nitems(rows); i++) {
		fs.fs_pool[0].fsp_length = rows[i].before;
		feed(1, 2, 0);
		ATF_CHECK_EQ_MSG(rows[i].after, fs.fs_pool[0].fsp_length,
		    "%u: %u", rows[i].before, fs.fs_pool[0].fsp_length);
	}
	ATF_CHECK_EQ(1, pre_read());
	ATF_CHECK_EQ(0, fs.fs_pool[0].fsp_length);
}

static void
event_of_size(void *arg)
{
	const uint8_t *size = arg;
	struct harvest_event he = event_make(1, 2, *size, 0);

	fortuna_state_event(&fs, &he);
}

STATE_TEST(fortuna_state_event__bad_size, "An event without bytes, or with "
    "more than it can hold, is a mistake")
{
	make("aes");
	for (uint8_t size = 0; size <= HARVEST_ENTROPY_BYTES + 1; size++)
		ATF_CHECK_EQ_MSG(size == 0 || size > HARVEST_ENTROPY_BYTES,
		    support_asserts(event_of_size, &size), "%u", size);
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

	ATF_REQUIRE(m->m_pool[pool].n + EVENT_BYTES <=
	    sizeof(m->m_pool[pool].bytes));
	for (unsigned i = 0; i < 4; i++)
		p[i] = (uint8_t)(counter >> 8 * i);
	for (unsigned i = 0; i < 8; i++)
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

STATE_TEST(fortuna_state_pre_read__pools_and_keys, "Over 64 reseeds, pool i is "
    "drained exactly in each 2^i-th, and every key is the model's")
{
	static struct model model;
	uint32_t counter = 1, e, want;
	unsigned pools;

	make("chacha20");
	for (uint32_t reseed = 1; reseed <= 64; reseed++) {
		/* Pool 31 stays empty: an empty pool is hashed like others. */
		for (uint32_t i = 0; i < RANDOM_FORTUNA_NPOOLS - 1; i++) {
			/* Every third time the upper pools get nothing. */
			if (i > 0 && reseed % 3 == 0)
				continue;
			for (e = 0; e < (i == 0 ? SEED_EVENTS : 1); e++) {
				feed(counter * 0x01020305,
				    (uint8_t)counter, (uint8_t)i);
				model_feed(&model, counter * 0x01020305,
				    (uint8_t)counter, i);
				counter++;
			}
		}
		pools = pre_read();
		ATF_CHECK_EQ_MSG(model_reseed(&model), pools,
		    "reseed %u drained %u", reseed, pools);
		ATF_CHECK_EQ(reseed, fs.fs_reseedcount);
		check_counter(0, reseed);
		ATF_CHECK_MSG(memcmp(model.m_key, fs.fs_key->ck_raw,
		    CIPHER_KEY_BYTES) == 0, "reseed %u: another key", reseed);
		for (uint32_t i = 0; i < RANDOM_FORTUNA_NPOOLS; i++) {
			want = (uint32_t)model.m_pool[i].n;
			ATF_CHECK_EQ_MSG(want, fs.fs_pool[i].fsp_length,
			    "reseed %u, pool %u: %u bytes, not %u", reseed, i,
			    fs.fs_pool[i].fsp_length, want);
			ATF_CHECK_MSG(reseed % (UINT32_C(1) << i) != 0 ||
			    fs.fs_pool[i].fsp_length == 0,
			    "reseed %u: pool %u was not drained", reseed, i);
		}
	}
}

STATE_TEST(fortuna_state_pre_read__all_pools, "Reseed 2^31 drains all 32 "
    "pools; the one before and the one after drain one")
{
	static const unsigned pools[] = { 1, 32, 1 };

	make_seeded("aes");
	fs.fs_reseedcount = (UINT32_C(1) << 31) - 2;
	for (size_t i = 0; i < nitems(pools); i++) {
		feed_pool0();
		ATF_CHECK_EQ_MSG(pools[i], pre_read(), "reseed %u",
		    fs.fs_reseedcount);
	}
}

STATE_TEST(fortuna_state_pre_read__counter_wraps, "C = 0 is the only record of "
    "being unseeded, also after 2^128 blocks; the reseed then leaves the old "
    "key out")
{
	make_seeded("aes");
	fs.fs_counter = uint128_make(UINT64_MAX, UINT64_MAX);
	ATF_CHECK(fortuna_state_seeded(&fs));
	feed_pool0();
	ATF_CHECK_EQ(2, pre_read());
	ATF_CHECK(!fortuna_state_seeded(&fs));
	/* As if never seeded: the worked example's key again. */
	fs.fs_reseedcount = 0;
	feed_pool0();
	ATF_CHECK_EQ(1, pre_read());
	check_bytes(fs.fs_key->ck_raw, first_key, 32, "K");
	check_counter(0, 1);
}

STATE_TEST(fortuna_state_pre_read__pacing, "More than 100 ms lie between "
    "reseeds, the first excepted; without pacing the clock decides nothing")
{
	const int64_t ms = 1000 * 1000;
	const int64_t firsts[] = { 0, 1, 99 * ms, 100 * ms, 3600000 * ms };
	/* Those below 0: a clock that goes backwards opens no gate. */
	const int64_t after[] = { 0, 1, 99 * ms, 100 * ms - 1, 100 * ms, -1,
	    -200 * ms, 100 * ms + 1, 101 * ms, 10000 * ms };
	int64_t first, then;
	size_t i, k;
	bool early;

	for (i = 0; i < nitems(firsts); i++) {
		first = firsts[i];
		for (k = 0; k < nitems(after); k++) {
			then = first + after[k];
			early = after[k] <= 100 * ms;
			make("chacha20");
			feed_pool0();
			ATF_CHECK_EQ(1, fortuna_state_pre_read(&fs, first,
			    true));
			feed_pool0();
			ATF_CHECK_EQ_MSG(early,
			    fortuna_state_pre_read(&fs, then, true) == 0,
			    "%" PRId64 " and %" PRId64, first, then);
			if (!early)
				continue;
			ATF_CHECK_EQ(72, fs.fs_pool[0].fsp_length);
			check_counter(0, 1);
			ATF_CHECK(fortuna_state_pre_read(&fs, then, false) !=
			    0);
		}
	}
}

STATE_TEST(fortuna_state_pre_read__pace_from_last_reseed, "The time counts "
    "from the last reseed, not from the last attempt")
{
	const int64_t ms = 1000 * 1000;
	const struct {
		bool	 feed;
		int64_t	 now;
		unsigned pools;
	} rows[] = {
		{ true, 500 * ms, 1 },
		{ true, 599 * ms, 0 },
		{ false, 600 * ms, 0 },
		{ false, 600 * ms + 1, 2 },
		/* Too little in pool 0 starts no new time either. */
		{ false, 800 * ms, 0 },
		{ true, 800 * ms + 1, 1 },
		{ true, 900 * ms + 1, 0 },
		{ false, 900 * ms + 2, 3 },
	};

	make("aes");
	for (size_t i = 0; i < nitems(rows); i++) {
		if (rows[i].feed)
			feed_pool0();
		ATF_CHECK_EQ_MSG(rows[i].pools, fortuna_state_pre_read(&fs,
		    rows[i].now, true), "row %zu", i);
	}
}

STATE_TEST(fortuna_state_pre_read__minpoolsize, "Pool 0 reseeds from "
    "minpoolsize bytes on, no matter how much the others hold")
{
	static const struct {
		unsigned	minpoolsize;
		unsigned	events;
	} rows[] = {
		{ 16, 2 }, { 24, 2 }, { 25, 3 }, { 64, 6 }, { 72, 6 },
		{ 73, 7 }, { 128, 11 },
	};
	unsigned e;

	for (size_t i = 0; i < nitems(rows); i++) {
		make_with(ciphers[0], hash_sha256(), rows[i].minpoolsize);
		for (e = 0; e < 1000; e++)
			feed(e, 1, (uint8_t)(e % 31 + 1));
		for (e = 0; pre_read() == 0; e++) {
			ATF_REQUIRE(e < 1000);
			feed(e, 1, 0);
		}
		ATF_CHECK_EQ_MSG(rows[i].events, e, "%u bytes: %u events",
		    rows[i].minpoolsize, e);
	}
}

TEST(fortuna_piece__sizes, "A locked read is cut into pages, and AES's last "
    "partial block is cut off its whole ones")
{
	static const struct {
		const char	*cipher;
		uint64_t	 resid;
		size_t		 piece;
	} rows[] = {
		{ "aes", 1, 1 }, { "aes", 15, 15 }, { "aes", 16, 16 },
		{ "aes", 17, 16 }, { "aes", 31, 16 }, { "aes", 32, 32 },
		{ "aes", 4095, 4080 }, { "aes", 4096, 4096 },
		{ "aes", 4097, 4096 }, { "aes", UINT64_MAX, 4096 },
		{ "chacha20", 1, 1 }, { "chacha20", 17, 17 },
		{ "chacha20", 65, 65 }, { "chacha20", 4095, 4095 },
		{ "chacha20", 4096, 4096 }, { "chacha20", 4097, 4096 },
		{ "chacha20", UINT64_C(1) << 32, 4096 },
	};
	size_t n;

	for (size_t i = 0; i < nitems(rows); i++) {
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

STATE_TEST(fortuna_state_genbytes__counters, "A locked read uses the counters "
    "of its blocks and of one new key a piece, every piece another key")
{
	static const uint64_t sizes[] = { 1, 15, 16, 17, 31, 32, 63, 64, 65,
	    100, 4080, 4095, 4096, 4097, 4112, 4113, 8191, 8192, 8193, 65536,
	    65543 };
	uint8_t key[CIPHER_KEY_BYTES];
	uint64_t blocks, done, keys, r, start;
	size_t i, k, n;

	for (k = 0; k < nitems(names); k++) {
		make_seeded(names[k]);
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
	}
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
counters_reserved(uint64_t n)
{
	uint64_t start = uint128_lo(fs.fs_counter);

	fortuna_state_reserve(&fs, &spare, n, &fp);
	return (uint128_lo(fs.fs_counter) - start -
	    spare->ck_cipher->ci_rekey_blocks);
}

/*
 * Both sides depend on n only through its number of blocks, so the first and
 * the last n of every block are every n.
 */
STATE_TEST(fortuna_state_reserve__never_too_few, "For every size up to 4 MiB, "
    "as many counters are reserved as are used, two more just before a "
    "multiple of 2^20: never fewer, or two readers would share one")
{
	uint64_t n, reserved, used;
	unsigned block, side;
	bool aes;

	for (unsigned k = 0; k < nitems(names); k++) {
		make_seeded(names[k]);
		aes = k == 0;
		block = spare->ck_cipher->ci_block_bytes;
		ATF_CHECK_EQ(0, counters_reserved(0));
		for (n = 1; n <= LONGEST; n += side == 0 ? block - 1 : 1) {
			reserved = counters_reserved(n);
			used = counters_used(aes, n);
			if (aes && (n + 15) / 16 % 65536 == 0)
				used += 2;
			ATF_REQUIRE_MSG(reserved == used, "%s, %" PRIu64
			    " bytes: %" PRIu64 " reserved, not %" PRIu64,
			    names[k], n, reserved, used);
			side = n % block == 0;
		}
		ATF_CHECK(n > LONGEST);
	}
}

STATE_TEST(fortuna_private_genbytes__counters, "A private generator uses no "
    "counter beyond those reserved, and in (k 2^20 - 16, k 2^20] skips two")
{
	static const int offsets[] = { -33, -17, -16, -15, -1, 0, 1, 15, 16,
	    17 };
	uint64_t n, reserved, skipped, start, used;
	unsigned i, k, mega;
	bool aes;

	for (k = 0; k < nitems(names); k++) {
		make_seeded(names[k]);
		aes = k == 0;
		for (mega = 0; mega <= 4; mega++) {
			for (i = 0; i < nitems(offsets); i++) {
				if (mega == 0 && offsets[i] < 0)
					continue;
				n = (uint64_t)((int)mega * MEGABYTE +
				    offsets[i]);
				start = uint128_lo(fs.fs_counter);
				reserved = counters_reserved(n);
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
	}
}

STATE_TEST(fortuna_private_genbytes__in_parts, "How a request is cut into "
    "windows does not change its bytes, nor where keys are replaced")
{
	static const size_t parts[] = { 64, 4096, 3 * 4096, 65536, MEGABYTE,
	    MEGABYTE + 64 };
	const size_t total = 2 * MEGABYTE + 100;
	size_t done, i, n;
	unsigned k;

	for (k = 0; k < cipher_count; k++) {
		make_seeded(ciphers[k]->ci_name);
		fortuna_state_reserve(&fs, &spare, total, &fp);
		fortuna_private_genbytes(&fp, output, total);
		fortuna_private_fini(&fp);
		for (i = 0; i < nitems(parts); i++) {
			make_seeded(ciphers[k]->ci_name);
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
		}
	}
}

static void
private_draw(void *arg)
{
	const size_t *n = arg;

	fortuna_private_genbytes(&fp, output, *n);
}

STATE_TEST(fortuna_private_genbytes__misuse, "More than was reserved, or a "
    "block cut before the end, would repeat counters: neither passes")
{
	static const struct {
		size_t	n;
		bool	asserts;
	} rows[] = {
		{ 1001, true }, { 100, true }, { 64, false }, { 1000, true },
		{ 936, false }, { 1, true },
	};
	size_t n;

	make_seeded("chacha20");
	fortuna_state_reserve(&fs, &spare, 1000, &fp);
	for (size_t i = 0; i < nitems(rows); i++) {
		n = rows[i].n;
		ATF_CHECK_EQ_MSG(rows[i].asserts,
		    support_asserts(private_draw, &n), "%zu bytes", n);
	}
	fortuna_private_fini(&fp);
}

STATE_TEST(fortuna_state_reserve__takes_the_key, "The read has the old key, "
    "the state a new one, also for no bytes; the state then does not depend on "
    "what the read does")
{
	uint8_t old[CIPHER_KEY_BYTES], new[CIPHER_KEY_BYTES];
	struct cipher_key *taken;

	for (unsigned k = 0; k < cipher_count; k++) {
		make_seeded(ciphers[k]->ci_name);
		memcpy(old, fs.fs_key->ck_raw, sizeof(old));
		taken = fs.fs_key;
		fortuna_state_reserve(&fs, &spare, 0, &fp);
		ATF_CHECK(spare == taken && fs.fs_key != taken &&
		    fp.fp_key == taken);
		check_counter(0, 1 + ciphers[k]->ci_rekey_blocks);
		ATF_CHECK_EQ(0, memcmp(old, taken->ck_raw, sizeof(old)));
		memcpy(new, fs.fs_key->ck_raw, sizeof(new));
		ATF_CHECK(memcmp(old, new, sizeof(old)) != 0);
		fortuna_private_fini(&fp);
		ATF_CHECK_EQ(0, memcmp(new, fs.fs_key->ck_raw, sizeof(new)));
		/* A read of nothing in the other mode does the same. */
		make_seeded(ciphers[k]->ci_name);
		fortuna_state_rekey(&fs);
		check_counter(0, 1 + ciphers[k]->ci_rekey_blocks);
		ATF_CHECK_EQ(0, memcmp(new, fs.fs_key->ck_raw, sizeof(new)));
	}
}

STATE_TEST(fortuna_private_fini__wipes, "Once a read has ended, the object it "
    "used cannot produce its bytes again")
{
	uint128_t counter, ctr;

	for (unsigned k = 0; k < cipher_count; k++) {
		make_seeded(ciphers[k]->ci_name);
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
	}
}

/* Faults that a small read may have, for the mutants below. */
enum small_fault {
	KEY_FIRST,		/* the key's blocks come before the output's */
	BLOCK_SHORT,		/* the key is in the output's last block */
	BLOCK_OVER,		/* a counter is left out */
	KEY_KEPT,		/* K is not replaced */
	SMALL_RIGHT		/* fortuna_state_small() itself */
};

static size_t
small_mutant(struct fortuna_state *s, uint8_t *scratch, size_t n,
    enum small_fault fault)
{
	const size_t block = s->fs_key->ck_cipher->ci_block_bytes;
	const size_t key = s->fs_key->ck_cipher->ci_rekey_blocks * block;
	const size_t whole = (n + block - 1) / block * block;
	uint8_t run[FORTUNA_SMALL_SCRATCH_BYTES + CIPHER_BLOCK_MAX_BYTES];
	uint8_t *k = run + whole, *out = run;

	if (fault == KEY_FIRST) {
		k = run;
		out = run + key;
	} else if (fault == BLOCK_SHORT && whole > 0) {
		k -= block;
	}
	cipher_keystream(s->fs_key, &s->fs_counter, run, fault ==
	    BLOCK_SHORT && whole > 0 ? whole + key - block : whole + key);
	if (fault == BLOCK_OVER)
		uint128_increment(&s->fs_counter);
	memcpy(scratch, out, whole);
	if (fault != KEY_KEPT)
		cipher_key_set(s->fs_key, k);
	return (whole);
}

/*
 * Whether reads of all small sizes, one after the other, give the bytes, K and
 * C of concurrent reads, and the key is gone from the scratch.
 */
static bool
small_as_concurrent(const char *cipher, enum small_fault fault)
{
	uint8_t scratch[FORTUNA_SMALL_SCRATCH_BYTES];
	struct fortuna_state small;
	bool same = true;
	size_t used;

	make_seeded(cipher);
	small = fs;
	cipher_key_free(spare);
	spare = NULL;
	make_seeded(cipher);
	for (size_t n = 0; n <= RANDOM_FORTUNA_SMALL && same; n++) {
		memset(scratch, 0, sizeof(scratch));
		used = fault == SMALL_RIGHT ?
		    fortuna_state_small(&small, scratch, n) :
		    small_mutant(&small, scratch, n, fault);
		fortuna_state_reserve(&fs, &spare, n, &fp);
		fortuna_private_genbytes(&fp, output, n);
		fortuna_private_fini(&fp);
		same = used >= n && memcmp(scratch, output, n) == 0 &&
		    uint128_equals(small.fs_counter, fs.fs_counter) &&
		    memcmp(small.fs_key->ck_raw, fs.fs_key->ck_raw,
		    CIPHER_KEY_BYTES) == 0 && support_all(scratch + used,
		    sizeof(scratch) - used, 0);
	}
	fortuna_state_fini(&small);
	return (same);
}

STATE_TEST(fortuna_state_small__as_concurrent, "A small read in one go gives "
    "the bytes, K and C of a concurrent one, whatever its size, and leaves no "
    "key behind; what does not is found")
{
	for (unsigned k = 0; k < cipher_count; k++)
		for (enum small_fault fault = KEY_FIRST; fault <= SMALL_RIGHT;
		    fault++)
			ATF_CHECK_EQ_MSG(fault == SMALL_RIGHT,
			    small_as_concurrent(ciphers[k]->ci_name, fault),
			    "%s, fault %u", ciphers[k]->ci_name, fault);
}

TEST_PROGRAM()
