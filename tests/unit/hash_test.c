/*
 * The family of hashes: each test walks all that can be used here.
 */
#include <stdio.h>

#include <gcrypt.h>
#include <openssl/crypto.h>
#include <zlib.h>

#include "lib/crypto/digest.h"
#include "tests/unit/crypto_test.h"

enum { MESSAGE = 600, SECRET = 16 };

static bool spoiled;

/*
 * Replaces zlib's own in this program: Adler-32 by its definition, RFC 1950, or
 * wrong when "spoiled" is set.
 */
uLong
adler32_z(uLong adler, const Bytef *buf, z_size_t n)
{
	uLong a = adler & 0xffff, b = adler >> 16;

	if (buf == NULL)
		return (1);
	for (; n > 0; n--, buf++) {
		a = (a + *buf) % 65521;
		b = (b + a) % 65521;
	}
	return ((b << 16 | a) ^ spoiled);
}

/* The next hash that can be used, after it was called with *i of 0. */
static struct hash *
next(unsigned *i)
{
	struct hash *ha;

	while (*i < hash_count()) {
		ha = hash_get((*i)++);
		if (hash_load(ha) == HASH_READY)
			return (ha);
	}
	return (NULL);
}

/* Of a message in one piece, by a context of its own. */
static void
whole(const struct hash *ha, const uint8_t *bytes, size_t n, uint8_t *out)
{
	union hash_context hc;

	ATF_REQUIRE_EQ_MSG(0, hash_init(ha, &hc), "%s", ha->ha_name);
	hash_update(ha, &hc, bytes, n);
	hash_finish(ha, &hc, out);
	hash_fini(ha, &hc);
}

static void
fill(uint8_t *bytes, size_t n)
{
	uint64_t state = 1;

	for (; n > 0; n--)
		*bytes++ = (uint8_t)(support_draw(&state) >> 32);
}

TEST(hash_load__all, "Every hash gives its known answers or says why it "
    "cannot, and its name and length are its own")
{
	unsigned ready = 0;
	struct hash *ha;

	for (unsigned i = 0; i < hash_count(); i++) {
		ha = hash_get(i);
		ATF_CHECK_EQ(ha, hash_find(ha->ha_name));
		for (unsigned k = 0; k < i; k++)
			ATF_CHECK_MSG(strcmp(hash_get(k)->ha_name,
			    ha->ha_name) != 0, "%s is there twice",
			    ha->ha_name);
		switch (hash_load(ha)) {
		case HASH_READY:
			ready++;
			ATF_CHECK_MSG(ha->ha_bytes > 0 ||
			    strcmp(ha->ha_name, "null") == 0, "%s",
			    ha->ha_name);
			break;
		case HASH_ABSENT:
			ATF_CHECK_MSG(ha->ha_why != NULL, "%s", ha->ha_name);
			break;
		default:
			atf_tc_fail_nonfatal("%s: %s", ha->ha_name,
			    ha->ha_why);
		}
		ATF_CHECK_EQ(ha->ha_state, hash_load(ha));
		ATF_CHECK(ha->ha_bytes <= HASH_BYTES_MAX);
		ATF_CHECK_EQ(strncmp(ha->ha_name, "gcrypt:", 7) == 0,
		    strcmp(ha->ha_library->hl_name, "libgcrypt") == 0);
	}
	/* SHA-256 and zlib's are never forbidden. */
	ATF_CHECK_MSG(ready >= 3, "%u hashes", ready);
	ATF_CHECK_EQ(HASH_READY, hash_load(hash_sha256()));
	ATF_CHECK(hash_find("sha257") == NULL && hash_find("") == NULL);
	hash_unload_all();
	for (unsigned i = 0; i < hash_count(); i++)
		ATF_CHECK_EQ(HASH_UNLOADED, hash_get(i)->ha_state);
	ATF_CHECK_EQ(HASH_READY, hash_load(hash_sha256()));
	hash_unload_all();
}

TEST(hash_load__a_wrong_answer, "A library that computes wrongly is found out")
{
	ATF_CHECK_EQ(HASH_READY, hash_load(hash_find("adler32")));
	hash_unload_all();
	spoiled = true;
	ATF_CHECK_EQ(HASH_WRONG, hash_load(hash_find("adler32")));
	ATF_CHECK_EQ(HASH_WRONG, hash_load(hash_find("adler32")));
	ATF_CHECK_EQ(HASH_READY, hash_load(hash_find("crc32")));
	hash_unload_all();
}

TEST(hash_load__same_algorithm, "One algorithm in two libraries is one "
    "function, of messages of any length")
{
	uint8_t a[HASH_BYTES_MAX], b[HASH_BYTES_MAX], bytes[MESSAGE];
	struct hash *one, *two;
	unsigned i = 0, pairs = 0;

	fill(bytes, sizeof(bytes));
	while ((one = next(&i)) != NULL) {
		for (unsigned k = i; (two = next(&k)) != NULL;) {
			if (two->ha_algorithm == NULL ||
			    strcmp(one->ha_algorithm, two->ha_algorithm) != 0)
				continue;
			pairs++;
			for (size_t n = 0; n <= MESSAGE; n += 7) {
				whole(one, bytes, n, a);
				whole(two, bytes, n, b);
				ATF_CHECK_MSG(memcmp(a, b, one->ha_bytes) == 0,
				    "%s and %s of %zu bytes", one->ha_name,
				    two->ha_name, n);
			}
		}
	}
	ATF_CHECK_MSG(pairs > 0, "nothing to compare");
	hash_unload_all();
}

TEST(hash_update__any_split, "A running context gives what one piece gives, "
    "wherever the message is cut, and is as new after a reset, finished or "
    "not")
{
	uint8_t bytes[MESSAGE], got[HASH_BYTES_MAX + 1], want[HASH_BYTES_MAX];
	struct digest dg;
	struct hash *ha;
	unsigned i = 0;

	fill(bytes, sizeof(bytes));
	while ((ha = next(&i)) != NULL) {
		whole(ha, bytes, MESSAGE, want);
		ATF_REQUIRE_EQ(0, digest_init(&dg, ha));
		ATF_CHECK_EQ(ha->ha_bytes, digest_bytes(&dg));
		for (size_t cut = 0; cut <= MESSAGE; cut += 5) {
			/* As pools: a counter, then bytes, and nothing. */
			digest_update(&dg, bytes, cut / 2);
			digest_update(&dg, NULL, 0);
			digest_update(&dg, bytes + cut / 2, cut - cut / 2);
			digest_update(&dg, bytes + cut, MESSAGE - cut);
			got[ha->ha_bytes] = 0x5a;
			digest_finish(&dg, got);
			ATF_CHECK_MSG(memcmp(got, want, ha->ha_bytes) == 0,
			    "%s cut at %zu", ha->ha_name, cut);
			ATF_CHECK_MSG(got[ha->ha_bytes] == 0x5a,
			    "%s is longer than it says", ha->ha_name);
			digest_reset(&dg);
			digest_update(&dg, bytes, cut);
			digest_reset(&dg);
			if (cut % 2 == 0)
				digest_prepare(&dg);
		}
		digest_fini(&dg);
	}
	hash_unload_all();
}

TEST(hash_finish__depends_on_all, "Every bit of a harvested event changes a "
    "pool's hash, of null alone it does not")
{
	uint8_t got[HASH_BYTES_MAX], event[12], want[HASH_BYTES_MAX];
	unsigned i = 0;
	struct hash *ha;

	fill(event, sizeof(event));
	while ((ha = next(&i)) != NULL) {
		whole(ha, event, sizeof(event), want);
		for (unsigned bit = 0; bit < 8 * sizeof(event); bit++) {
			event[bit / 8] ^= (uint8_t)(1u << bit % 8);
			whole(ha, event, sizeof(event), got);
			event[bit / 8] ^= (uint8_t)(1u << bit % 8);
			ATF_CHECK_EQ_MSG(memcmp(got, want, ha->ha_bytes) == 0,
			    strcmp(ha->ha_name, "null") == 0, "%s, bit %u",
			    ha->ha_name, bit);
		}
	}
	hash_unload_all();
}

/*
 * Memory that libraries have, and what they give back: after a context was
 * cleared or released none of it may hold what that had absorbed.
 */
struct block {
	struct block	*b_next;
	struct block	*b_prev;
	size_t		 b_size;
	_Alignas(max_align_t) uint8_t b_bytes[];
};

static const uint8_t secret[SECRET] = "absorbed secret";
static struct block blocks = { &blocks, &blocks, 0 };
static unsigned leaks;

static struct block *
block_of(void *p)
{
	return ((struct block *)(void *)((uint8_t *)p -
	    offsetof(struct block, b_bytes)));
}

static bool
holds(const struct block *b)
{
	return (memmem(b->b_bytes, b->b_size, secret, sizeof(secret)) != NULL);
}

static unsigned
holding(void)
{
	unsigned count = 0;

	for (const struct block *b = blocks.b_next; b != &blocks; b = b->b_next)
		count += holds(b);
	return (count);
}

static void *
watch_malloc(size_t n)
{
	struct block *b;

	b = calloc(1, sizeof(*b) + n);
	if (b == NULL)
		return (NULL);
	b->b_size = n;
	b->b_next = blocks.b_next;
	b->b_prev = &blocks;
	b->b_next->b_prev = blocks.b_next = b;
	return (b->b_bytes);
}

static void
watch_free(void *p)
{
	struct block *b;

	if (p == NULL)
		return;
	b = block_of(p);
	leaks += holds(b);
	b->b_next->b_prev = b->b_prev;
	b->b_prev->b_next = b->b_next;
	free(b);
}

static void *
watch_realloc(void *p, size_t n)
{
	uint8_t *grown;
	size_t before;

	grown = watch_malloc(n);
	if (p != NULL && grown != NULL) {
		before = block_of(p)->b_size;
		memcpy(grown, p, before < n ? before : n);
		watch_free(p);
	}
	return (grown);
}

static void *
crypto_malloc(size_t n, const char *file __unused, int line __unused)
{
	return (watch_malloc(n));
}

static void *
crypto_realloc(void *p, size_t n, const char *file __unused, int line __unused)
{
	return (watch_realloc(p, n));
}

static void
crypto_free(void *p, const char *file __unused, int line __unused)
{
	watch_free(p);
}

static int
not_secure(const void *p __unused)
{
	return (0);
}

static void
watch_memory(void)
{
	ATF_REQUIRE_EQ(1, CRYPTO_set_mem_functions(crypto_malloc,
	    crypto_realloc, crypto_free));
	gcry_set_allocation_handler(watch_malloc, watch_malloc, not_secure,
	    watch_realloc, watch_free);
}

TEST(hash_clear__wipes, "What a context has absorbed is in no memory that it "
    "keeps or gives back, reset or released, finished or not")
{
	uint8_t out[HASH_BYTES_MAX];
	unsigned held = 0, i = 0;
	union hash_context hc;
	struct hash *ha;

	watch_memory();
	while ((ha = next(&i)) != NULL) {
		for (unsigned way = 0; way < 4; way++) {
			leaks = 0;
			ATF_REQUIRE_EQ(0, hash_init(ha, &hc));
			hash_update(ha, &hc, secret, sizeof(secret));
			held += holding();
			if (way % 2 != 0)
				hash_finish(ha, &hc, out);
			if (way / 2 != 0) {
				hash_clear(ha, &hc);
				ATF_CHECK_EQ_MSG(0, holding(), "%s, way %u",
				    ha->ha_name, way);
				hash_start(ha, &hc);
			}
			hash_fini(ha, &hc);
			ATF_CHECK_MSG(support_all((uint8_t *)&hc, sizeof(hc),
			    0), "%s: a context is left", ha->ha_name);
			ATF_CHECK_EQ_MSG(0, leaks + holding(), "%s, way %u",
			    ha->ha_name, way);
		}
	}
	/* Contexts did hold it. */
	ATF_CHECK_MSG(held >= 4 * 4, "%u", held);
	hash_unload_all();
}

TEST(digest_key__wipes, "BLAKE2s of a key is the reference's, again and "
    "again, and the key is in no memory once it has begun another, nor after "
    "the end")
{
	static const char *const answers[] = {
	    "48a8997da407876b3d79c0d92325ad3b89cbb754d86ab71aee047ad345fd2c49",
	    "3fb735061abc519dfe979e54c1ee5bfad0a9d858b3315bad34bde999efd724dd"
	};
	uint8_t counting[255], out[DIGEST_BYTES], want[DIGEST_BYTES];
	uint8_t key[2 * SECRET];
	struct digest dg;
	unsigned held = 0;

	watch_memory();
	support_crypto();
	ATF_REQUIRE_EQ(HASH_READY, hash_load(hash_blake2s_keyed()));
	ATF_REQUIRE_EQ(0, digest_init(&dg, hash_blake2s_keyed()));
	for (unsigned i = 0; i < sizeof(counting); i++)
		counting[i] = (uint8_t)i;
	for (unsigned i = 0; i < 6; i++) {
		/* What was absorbed and not asked for is forgotten. */
		digest_key(&dg, counting);
		digest_update(&dg, "abc", 3);
		digest_key(&dg, counting);
		digest_update(&dg, counting, i % 2 == 0 ? 0 :
		    sizeof(counting));
		digest_finish(&dg, out);
		support_unhex(answers[i % 2], want, sizeof(want));
		ATF_CHECK_EQ(0, memcmp(out, want, sizeof(want)));
	}
	memcpy(key, secret, SECRET);
	memcpy(key + SECRET, secret, SECRET);
	for (unsigned way = 0; way < 4; way++) {
		digest_key(&dg, key);
		held += holding();
		if (way % 2 != 0)
			digest_finish(&dg, out);
		if (way / 2 == 0)
			digest_reset(&dg);
		else
			digest_key(&dg, counting);
		ATF_CHECK_EQ_MSG(0, holding(), "way %u", way);
	}
	/* There was something to be found each time. */
	ATF_CHECK_MSG(held >= 4, "%u", held);
	digest_key(&dg, key);
	leaks = 0;
	digest_fini(&dg);
	ATF_CHECK_EQ(0, leaks + holding());
	crypto_fini();
}

TEST(hash_update__allocates_nothing, "Pools absorb, finish and, as often as "
    "they have spares, reset under the mutex, where nothing may enter the "
    "allocator")
{
	const volatile uint64_t *allocated = support_allocated();
	uint8_t out[HASH_BYTES_MAX];
	struct digest dg;
	struct hash *ha;
	unsigned i = 0;
	uint64_t before;

	while ((ha = next(&i)) != NULL) {
		ATF_REQUIRE_EQ(0, digest_init(&dg, ha));
		for (unsigned round = 0; round < 20; round++) {
			before = *allocated;
			for (unsigned k = 0; k < DIGEST_SPARES; k++) {
				digest_update(&dg, secret, sizeof(secret));
				digest_finish(&dg, out);
				digest_reset(&dg);
			}
			ATF_CHECK_MSG(*allocated == before, "%s: %ju bytes",
			    ha->ha_name, (uintmax_t)(*allocated - before));
			digest_prepare(&dg);
		}
		digest_fini(&dg);
	}
	hash_unload_all();
}

CRYPTO_TEST(digest_update__contexts_are_apart, "32 pools run at once; one must "
    "not see another's bytes")
{
	uint8_t got[DIGEST_BYTES], want[DIGEST_BYTES];
	struct digest one, other;

	whole(hash_sha256(), (const uint8_t *)"abc", 3, want);
	ATF_REQUIRE_EQ(0, digest_init(&one, hash_sha256()));
	ATF_REQUIRE_EQ(0, digest_init(&other, hash_sha256()));
	digest_update(&one, "a", 1);
	digest_update(&other, "x", 1);
	digest_update(&one, "b", 1);
	digest_reset(&other);
	digest_update(&one, "c", 1);
	digest_finish(&one, got);
	ATF_CHECK(memcmp(got, want, sizeof(got)) == 0);
	whole(hash_sha256(), NULL, 0, want);
	digest_finish(&other, got);
	ATF_CHECK(memcmp(got, want, sizeof(got)) == 0);
	digest_fini(&other);
	digest_fini(&one);
}

TEST(hash_stub__differs, "The stand-in differs for different input of any "
    "length, forgets at a reset and allocates nothing")
{
	static uint8_t input[64], out[2 * sizeof(input)][DIGEST_BYTES];
	const volatile uint64_t *allocated = support_allocated();
	const uint64_t before = *allocated;
	struct digest dg;

	ATF_REQUIRE_EQ(0, digest_init(&dg, &hash_stub));
	ATF_REQUIRE_EQ(DIGEST_BYTES, digest_bytes(&dg));
	for (unsigned i = 0; i < nitems(out); i++) {
		/* Zeros of each length; then one bit in each byte. */
		if (i >= sizeof(input))
			input[i - sizeof(input)] ^= 1;
		digest_update(&dg, input, i < sizeof(input) ? i :
		    sizeof(input));
		digest_finish(&dg, out[i]);
		digest_reset(&dg);
		for (unsigned k = 0; k < i; k++)
			ATF_CHECK_MSG(memcmp(out[i], out[k],
			    sizeof(out[i])) != 0, "%u and %u", i, k);
	}
	digest_finish(&dg, out[1]);
	ATF_CHECK(memcmp(out[0], out[1], sizeof(out[0])) == 0);
	digest_fini(&dg);
	ATF_CHECK_EQ(before, *allocated);
}

TEST_PROGRAM()
