/*
 * zlib's checksums.
 */
#include <stdio.h>

#include <zlib.h>

#include "lib/hash_word.h"

static struct hash hashes[] = {
	{ .ha_name = "adler32", .ha_algorithm = "adler32",
	    .ha_native = "adler32" },
	{ .ha_name = "crc32", .ha_algorithm = "crc32", .ha_native = "crc32" },
};

static const char *
version(void)
{
	static char text[HASH_NAME_SIZE];

	snprintf(text, sizeof(text), "zlib %s", zlibVersion());
	return (text);
}

static enum hash_state
load(struct hash *ha)
{

	ha->ha_id = ha == &hashes[0];	/* whether it is Adler-32 */
	return (HASH_READY);
}

static void
start(const struct hash *ha, union hash_context *hc)
{

	/* A checksum of nothing is what a running one begins with. */
	hc->hc_word = (uint32_t)(ha->ha_id ? adler32_z(0, Z_NULL, 0) :
	    crc32_z(0, Z_NULL, 0));
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

	/* Where there are no bytes there may be no address either. */
	if (n == 0)
		return;
	hc->hc_word = (uint32_t)(ha->ha_id ? adler32_z(hc->hc_word, data, n) :
	    crc32_z(hc->hc_word, data, n));
}

static void
finish(const struct hash *ha, union hash_context *hc, uint8_t *out)
{

	(void)ha;
	hash_word_put(out, hc->hc_word);
}

const struct hash_library hash_zlib = {
	.hl_name	= "zlib",
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
