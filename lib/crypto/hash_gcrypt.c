/* libgcrypt's hashes; in mode kernel without its "hardware features". */
#include <gcrypt.h>

#include "lib/crypto/crypto.h"
#include "lib/crypto/digest.h"

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
		ha->ha_why = !started ? "libgcrypt does not start" :
		    ha->ha_id != 0 && gcry_fips_mode_active() != 0 ?
		    "libgcrypt's FIPS mode forbids it" :
		    "this libgcrypt does not have it";
		return (HASH_ABSENT);
	}
	ha->ha_own_bytes = gcry_md_get_algo_dlen(ha->ha_id);
	ha->ha_xof = ha->ha_own_bytes == 0;
	return (HASH_READY);
}

static int
init(const struct hash *ha, union hash_context *hc)
{
	/* On failure the handle is NULL. */
	gcry_md_hd_t md;
	const gcry_err_code_t error = gcry_err_code(gcry_md_open(&md,
	    ha->ha_id, 0));

	hc->hc_handle = md;
	return (error == GPG_ERR_NO_ERROR ? 0 : error == GPG_ERR_ENOMEM ?
	    ENOMEM : ENOTSUP);
}

static void
fini(union hash_context *hc)
{
	gcry_md_close(hc->hc_handle);
}

static void
clear(const struct hash *ha __unused, union hash_context *hc)
{
	/* Zeroes the state, then begins anew. */
	gcry_md_reset(hc->hc_handle);
}

static void
update(const struct hash *ha __unused, union hash_context *hc, const void *data,
    size_t n)
{
	gcry_md_write(hc->hc_handle, data, n);
}

static void
copy(union hash_context *to, const union hash_context *from)
{
	gcry_md_hd_t md;

	if (gcry_md_copy(&md, from->hc_handle) != 0) {
		crypto_fail("a copied hash");
		return;
	}
	gcry_md_close(to->hc_handle);
	to->hc_handle = md;
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

const struct hash_library hash_gcrypt = { .hl_name = "libgcrypt",
    .hl_version = version, .hl_load = load, .hl_init = init, .hl_fini = fini,
    .hl_clear = clear, .hl_update = update, .hl_copy = copy,
    .hl_finish = finish };

void
digest_key(struct digest *dg, const uint8_t key[BLAKE2S_KEY_BYTES])
{
	digest_reset(dg);
	/* Until the next reset. */
	if (gcry_md_setkey(dg->dg_ctx[dg->dg_current].hc_handle, key,
	    BLAKE2S_KEY_BYTES) != 0)
		crypto_fail(dg->dg_hash->ha_name);
}
