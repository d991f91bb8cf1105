/*
 * Hashes of one word: zlib's checksums, CRC-32C by the CPU's own instruction,
 * and the stub.
 */
#include <stdio.h>

#include <zlib.h>

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include "lib/crypto/stub_cipher.h"

enum { CHECKSUM_BYTES = 4, STUB_BYTES = 32 };

struct hash_word {
	uint32_t	hw_start;
	uint32_t	hw_flip;	/* these bits of a checksum */
	uint64_t	(*hw_add)(uint64_t word, const void *data, size_t n);
};

#if defined(__x86_64__)
#define	INSTRUCTION	"SSE4.2's crc32"

static bool
there_is(void)
{
	return (__builtin_cpu_supports("sse4.2"));
}

#define	CRC_8(crc, v)	__asm__("crc32b %1, %0" : "+r"(crc) : "rm"(v))
#define	CRC_64(crc, v)	__asm__("crc32q %1, %0" : "+r"(crc) : "rm"(v))
#elif defined(__aarch64__)
#define	INSTRUCTION	"crc32c"

static bool
there_is(void)
{
	const unsigned long crc32 = 1ul << 7;	/* HWCAP_CRC32 */
	unsigned long has;

#ifdef __FreeBSD__
	if (elf_aux_info(AT_HWCAP, &has, sizeof(has)) != 0)
		has = 0;
#else
	has = getauxval(AT_HWCAP);
#endif
	return ((has & crc32) != 0);
}

#define	CRC_8(crc, v)							\
	__asm__(".arch_extension crc\n\tcrc32cb %w0, %w0, %w1" :	\
	    "+r"(crc) : "r"((uint32_t)(v)))
#define	CRC_64(crc, v)							\
	__asm__(".arch_extension crc\n\tcrc32cx %w0, %w0, %x1" :	\
	    "+r"(crc) : "r"(v))
#else
#define	INSTRUCTION		"none"
#define	there_is()		false
#define	CRC_8(crc, v)		(void)(v)
#define	CRC_64(crc, v)		(void)(v)
#endif

static uint64_t
crc32c_add(uint64_t crc, const void *data, size_t n)
{
	const uint8_t *p = data;
	uint64_t v;

	for (; n >= sizeof(v); p += sizeof(v), n -= sizeof(v)) {
		memcpy(&v, p, sizeof(v));
		CRC_64(crc, v);
	}
	for (; n > 0; p++, n--)
		CRC_8(crc, *p);
	return (crc);
}

static uint64_t
adler32_add(uint64_t word, const void *data, size_t n)
{
	return (adler32_z(word, data, n));
}

static uint64_t
crc32_add(uint64_t word, const void *data, size_t n)
{
	return (crc32_z(word, data, n));
}

static const struct hash_word adler32_word = { 1, 0, adler32_add };
static const struct hash_word crc32_word = { 0, 0, crc32_add };
static const struct hash_word crc32c_word = { UINT32_MAX, UINT32_MAX,
    crc32c_add };
static const struct hash_word stub_word = { 0, 0, stub_absorb };

static enum hash_state
load(struct hash *ha)
{
	ha->ha_own_bytes = CHECKSUM_BYTES;
	if (ha->ha_word != &crc32c_word || there_is())
		return (HASH_READY);
	ha->ha_why = "this CPU has no instruction for it";
	return (HASH_ABSENT);
}

static void
clear(union hash_context *hc)
{
	*hc = (union hash_context){ 0 };
}

static void
start(const struct hash *ha, union hash_context *hc)
{
	hc->hc_word = ha->ha_word->hw_start;
}

static int
init(const struct hash *ha, union hash_context *hc)
{
	clear(hc);
	start(ha, hc);
	return (0);
}

static void
update(const struct hash *ha, union hash_context *hc, const void *data,
    size_t n)
{
	if (n > 0)
		hc->hc_word = ha->ha_word->hw_add(hc->hc_word, data, n);
}

static bool
finish(const struct hash *ha, union hash_context *hc, uint8_t *out)
{
	const uint64_t word = hc->hc_word ^ ha->ha_word->hw_flip;

	if (ha->ha_bytes != CHECKSUM_BYTES)
		stub_expand(word, out, ha->ha_bytes);
	else
		for (unsigned i = 0; i < CHECKSUM_BYTES; i++)
			out[i] = (uint8_t)(word >> (24 - 8 * i));
	return (true);
}

static const char *
checksum_version(void)
{
	static char text[HASH_NAME_SIZE];

	snprintf(text, sizeof(text), "zlib %s", zlibVersion());
	return (text);
}

static const char *
cpu_version(void)
{
	return ("instruction " INSTRUCTION);
}

#define	WORD(name, native, word, library)				\
	{ .ha_name = name, .ha_algorithm = name, .ha_native = native,	\
	    .ha_word = word, .ha_library = library }

static struct hash zlib_hashes[] = {
	WORD("adler32", "adler32", &adler32_word, &hash_zlib),
	WORD("crc32", "crc32", &crc32_word, &hash_zlib),
};

static struct hash cpu_hashes[] = {
	WORD("crc32c", INSTRUCTION, &crc32c_word, &hash_cpu),
};

const struct hash_library hash_zlib = { "zlib", HASH_TABLE(zlib_hashes),
    checksum_version, HASH_FUNCTIONS };
const struct hash_library hash_cpu = { "cpu", HASH_TABLE(cpu_hashes),
    cpu_version, HASH_FUNCTIONS };

/* In no table, as no user chooses it by name. */
static const struct hash_library stub_library = { "stub", NULL, 0,
    cpu_version, HASH_FUNCTIONS };

static const struct hash stub = {
	.ha_name	= "stub",
	.ha_algorithm	= "stub",
	.ha_native	= "stub",
	.ha_word	= &stub_word,
	.ha_library	= &stub_library,
	.ha_state	= HASH_READY,
	.ha_bytes	= STUB_BYTES,
};

const struct hash *
hash_stub(void)
{
	return (&stub);
}
