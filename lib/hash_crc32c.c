/*
 * CRC-32C by the CPU's own instruction, eight bytes at a time.  Where it has
 * none the hash is absent.
 */
#include <stdbool.h>
#include <string.h>

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include "lib/hash_word.h"

#if defined(__x86_64__)
#define	INSTRUCTION	"SSE4.2's crc32"
#elif defined(__aarch64__)
#define	INSTRUCTION	"crc32c"
#else
#define	INSTRUCTION	"none"
#endif

#if defined(__x86_64__)
static bool
there_is(void)
{

	return (__builtin_cpu_supports("sse4.2"));
}

static inline uint32_t
crc_8(uint32_t crc, uint8_t v)
{

	__asm__("crc32b %1, %0" : "+r"(crc) : "rm"(v));
	return (crc);
}

static inline uint32_t
crc_64(uint32_t crc, uint64_t v)
{
	uint64_t wide = crc;

	__asm__("crc32q %1, %0" : "+r"(wide) : "rm"(v));
	return ((uint32_t)wide);
}
#elif defined(__aarch64__)
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

static inline uint32_t
crc_8(uint32_t crc, uint8_t v)
{

	__asm__(".arch_extension crc\n\tcrc32cb %w0, %w0, %w1" :
	    "+r"(crc) : "r"((uint32_t)v));
	return (crc);
}

static inline uint32_t
crc_64(uint32_t crc, uint64_t v)
{

	__asm__(".arch_extension crc\n\tcrc32cx %w0, %w0, %x1" :
	    "+r"(crc) : "r"(v));
	return (crc);
}
#else
static bool
there_is(void)
{

	return (false);
}

static inline uint32_t
crc_8(uint32_t crc, uint8_t v)
{

	(void)v;
	return (crc);
}

static inline uint32_t
crc_64(uint32_t crc, uint64_t v)
{

	(void)v;
	return (crc);
}
#endif

static struct hash hashes[] = {
	{ .ha_name = "crc32c", .ha_algorithm = "crc32c",
	    .ha_native = INSTRUCTION },
};

static const char *
version(void)
{

	return ("instruction " INSTRUCTION);
}

static enum hash_state
load(struct hash *ha)
{

	if (there_is())
		return (HASH_READY);
	ha->ha_why = "this CPU has no instruction for it";
	return (HASH_ABSENT);
}

static void
start(const struct hash *ha, union hash_context *hc)
{

	(void)ha;
	hc->hc_word = UINT32_MAX;
}

static int
init(const struct hash *ha, union hash_context *hc)
{

	hash_word_wipe(ha, hc);
	start(ha, hc);
	return (0);
}

static void
update(const struct hash *ha, union hash_context *hc, const void *data,
    size_t n)
{
	const uint8_t *p = data;
	uint32_t crc = hc->hc_word;
	uint64_t v;

	(void)ha;
	for (; n >= sizeof(v); p += sizeof(v), n -= sizeof(v)) {
		memcpy(&v, p, sizeof(v));
		crc = crc_64(crc, v);
	}
	for (; n > 0; p++, n--)
		crc = crc_8(crc, *p);
	hc->hc_word = crc;
}

static void
finish(const struct hash *ha, union hash_context *hc, uint8_t *out)
{

	(void)ha;
	hash_word_put(out, ~hc->hc_word);
}

const struct hash_library hash_crc32c = {
	.hl_name	= "cpu",
	.hl_hashes	= hashes,
	.hl_count	= sizeof(hashes) / sizeof(hashes[0]),
	.hl_version	= version,
	.hl_load	= load,
	.hl_unload	= hash_word_unload,
	.hl_init	= init,
	.hl_fini	= hash_word_wipe,
	.hl_start	= start,
	.hl_clear	= hash_word_wipe,
	.hl_update	= update,
	.hl_finish	= finish,
};
