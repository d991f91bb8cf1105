/*
 * libgcrypt's hashes; in mode kernel without its "hardware features".
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <gcrypt.h>

#include "lib/crypto/crypto.h"
#include "lib/crypto/hash.h"

#define	PREFIX		"gcrypt:"
#define	HASH(name, native)						\
	{ .ha_name = PREFIX name, .ha_algorithm = name, .ha_native = native, \
	    .ha_library = &hash_gcrypt }

static struct hash hashes[] = {
	HASH("md4", "MD4"),
	HASH("md5", "MD5"),
	HASH("sha1", "SHA1"),
	HASH("sha224", "SHA224"),
	HASH("sha256", "SHA256"),
	HASH("sha384", "SHA384"),
	HASH("sha512", "SHA512"),
	HASH("sha512-224", "SHA512_224"),
	HASH("sha512-256", "SHA512_256"),
	HASH("sha3-224", "SHA3-224"),
	HASH("sha3-256", "SHA3-256"),
	HASH("sha3-384", "SHA3-384"),
	HASH("sha3-512", "SHA3-512"),
	HASH("shake128", "SHAKE128"),
	HASH("shake256", "SHAKE256"),
	HASH("blake2b-512", "BLAKE2B_512"),
	HASH("blake2b-384", "BLAKE2B_384"),
	HASH("blake2b-256", "BLAKE2B_256"),
	HASH("blake2b-160", "BLAKE2B_160"),
	HASH("blake2s-256", "BLAKE2S_256"),
	HASH("blake2s-224", "BLAKE2S_224"),
	HASH("blake2s-160", "BLAKE2S_160"),
	HASH("blake2s-128", "BLAKE2S_128"),
	HASH("ripemd160", "RIPEMD160"),
	HASH("tiger192", "TIGER192"),
	HASH("tiger", "TIGER"),
	HASH("tiger2", "TIGER2"),
	HASH("whirlpool", "WHIRLPOOL"),
	HASH("gostr3411-94", "GOSTR3411_94"),
	HASH("gostr3411-cp", "GOSTR3411_CP"),
	HASH("stribog256", "STRIBOG256"),
	HASH("stribog512", "STRIBOG512"),
	HASH("sm3", "SM3"),
	HASH("crc32", "CRC32"),
	HASH("crc32rfc1510", "CRC32RFC1510"),
	HASH("crc24rfc2440", "CRC24RFC2440"),
};

/* Starts the library, once in a process. */
static bool
begin(void)
{
	if (gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P))
		return (true);
	if (crypto_mode_now() == CRYPTO_KERNEL)
		gcry_control(GCRYCTL_DISABLE_HWF, "all", NULL);
	if (gcry_check_version(NULL) == NULL)
		return (false);
	/* Contexts of hashes are never locked into memory. */
	gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
	gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
	return (true);
}

static const char *
version(void)
{
	static char text[HASH_NAME_SIZE];
	const char *number = begin() ? gcry_check_version(NULL) : NULL;

	snprintf(text, sizeof(text), "libgcrypt %s",
	    number == NULL ? "unknown" : number);
	return (text);
}

static enum hash_state
load(struct hash *ha)
{
	const bool started = begin();

	ha->ha_id = started ? gcry_md_map_name(ha->ha_native) : 0;
	if (ha->ha_id == 0 || gcry_md_test_algo(ha->ha_id) != 0) {
		if (ha->ha_id != 0 && gcry_fips_mode_active() != 0) {
			ha->ha_why = "libgcrypt's FIPS mode forbids it";
			return (HASH_FORBIDDEN);
		}
		ha->ha_why = started ? "this libgcrypt does not have it" :
		    "libgcrypt does not start";
		return (HASH_ABSENT);
	}
	ha->ha_own_bytes = gcry_md_get_algo_dlen(ha->ha_id);
	ha->ha_xof = ha->ha_own_bytes == 0;
	return (HASH_READY);
}

static void
unload(struct hash *ha)
{
	ha->ha_id = 0;
}

static int
init(const struct hash *ha, union hash_context *hc)
{
	gcry_md_hd_t md;

	hc->hc_handle = NULL;
	switch (gcry_err_code(gcry_md_open(&md, ha->ha_id, 0))) {
	case GPG_ERR_NO_ERROR:
		hc->hc_handle = md;
		return (0);
	case GPG_ERR_ENOMEM:
		return (ENOMEM);
	default:
		return (ENOTSUP);
	}
}

static void
fini(union hash_context *hc)
{
	gcry_md_close(hc->hc_handle);
	hc->hc_handle = NULL;
}

static void
start(const struct hash *ha, union hash_context *hc)
{
	(void)ha;
	(void)hc;
}

static void
clear(union hash_context *hc)
{
	/* Zeroes the state, then begins anew. */
	gcry_md_reset(hc->hc_handle);
}

static void
update(const struct hash *ha, union hash_context *hc, const void *data,
    size_t n)
{
	(void)ha;
	gcry_md_write(hc->hc_handle, data, n);
}

static bool
finish(const struct hash *ha, union hash_context *hc, uint8_t *out)
{
	if (ha->ha_xof)
		return (gcry_md_extract(hc->hc_handle, ha->ha_id, out,
		    ha->ha_bytes) == 0);
	memcpy(out, gcry_md_read(hc->hc_handle, ha->ha_id), ha->ha_bytes);
	return (true);
}

const struct hash_library hash_gcrypt = { "libgcrypt",
    HASH_TABLE(hashes), version, load, unload, init, fini, start, clear, update,
    finish };
