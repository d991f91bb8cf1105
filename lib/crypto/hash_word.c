/* Hashes of one word: zlib's checksums, the CPU's CRC-32C, and the stub. */
#include <zlib.h>

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include "lib/crypto/digest.h"

enum { CHECKSUM_BYTES = 4, STUB_BYTES = 32 };

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

/* A state after n more bytes. */
static uint64_t
stub_absorb(uint64_t state, const void *data, size_t n)
{
	const uint8_t *p = data;
	uint64_t word;

	for (; n >= sizeof(word); n -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		state = splitmix(state ^ word);
	}
	if (n == 0)
		return (state);
	word = (uint64_t)n << 56;
	memcpy(&word, p, n);
	return (splitmix(state ^ word));
}

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

static const struct hash_word {
	const char	*hw_name;
	uint32_t	 hw_start;
	uint32_t	 hw_flip;	/* these bits of a checksum */
	uint64_t	(*hw_add)(uint64_t word, const void *data, size_t n);
} words[] = {
	{ "stub", 0, 0, stub_absorb },
	{ "adler32", 1, 0, adler32_add },
	{ "crc32", 0, 0, crc32_add },
	{ "crc32c", UINT32_MAX, UINT32_MAX, crc32c_add },
};

enum { WORD_STUB };

static enum hash_state
load(struct hash *ha)
{
	for (ha->ha_id = 0; strcmp(words[ha->ha_id].hw_name,
	    ha->ha_native) != 0; ha->ha_id++)
		continue;
	ha->ha_own_bytes = CHECKSUM_BYTES;
	if (ha->ha_library != &hash_cpu || there_is())
		return (HASH_READY);
	ha->ha_why = "this CPU has no instruction for it";
	return (HASH_ABSENT);
}

static void
clear(const struct hash *ha, union hash_context *hc)
{
	hc->hc_word = words[ha->ha_id].hw_start;
}

static void
update(const struct hash *ha, union hash_context *hc, const void *data,
    size_t n)
{
	if (n > 0)
		hc->hc_word = words[ha->ha_id].hw_add(hc->hc_word, data, n);
}

static void
copy(union hash_context *to, const union hash_context *from)
{
	*to = *from;
}

static bool
finish(const struct hash *ha, union hash_context *hc, uint8_t *out)
{
	uint64_t word = hc->hc_word ^ words[ha->ha_id].hw_flip;

	for (unsigned i = 0; ha->ha_id == WORD_STUB && i < STUB_BYTES;
	    i += sizeof(word)) {
		word = splitmix(word);
		memcpy(out + i, &word, sizeof(word));
	}
	for (unsigned i = 0; ha->ha_id != WORD_STUB && i < CHECKSUM_BYTES; i++)
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

#define	WORDS(name, version)						\
	{ .hl_name = name, .hl_version = version, .hl_load = load,	\
	    .hl_clear = clear, .hl_update = update, .hl_copy = copy,	\
	    .hl_finish = finish }

const struct hash_library hash_zlib = WORDS("zlib", checksum_version);
const struct hash_library hash_cpu = WORDS("cpu", cpu_version);

/* In no table, as no user chooses it by name. */
const struct hash hash_stub = { .ha_name = "stub", .ha_library = &hash_cpu,
    .ha_state = HASH_READY, .ha_bytes = STUB_BYTES, .ha_id = WORD_STUB };
