/*
 * A planted slowdown: preloaded, this library makes libcrypto's ChaCha20 slower
 * by PLANT_PERCENT in calls of more than a page.  Only the concurrent design
 * with ChaCha20 makes such calls, so one of the four cells of a sweep with one
 * reader is slower.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include <openssl/evp.h>

#include "lib/machine/tick.h"

enum {
	PLANT_PERCENT	= 3,	/* of the calls' rate */
	PLANT_PAGE_BYTES = 4096
};

static int (*update)(EVP_CIPHER_CTX *ctx, unsigned char *out, int *made,
    const unsigned char *in, int n);

static void __attribute__((constructor))
plant_find(void)
{

	/* ISO C has no conversion from what dlsym(3) returns to a function. */
	*(void **)&update = dlsym(RTLD_NEXT, "EVP_EncryptUpdate");
	if (update == NULL)
		abort();
}

int
EVP_EncryptUpdate(EVP_CIPHER_CTX *ctx, unsigned char *out, int *made,
    const unsigned char *in, int n)
{
	uint64_t start, used;
	int ok;

	if (n <= PLANT_PAGE_BYTES ||
	    EVP_CIPHER_CTX_get_nid(ctx) != NID_chacha20)
		return (update(ctx, out, made, in, n));
	start = tick_cycles();
	ok = update(ctx, out, made, in, n);
	used = tick_cycles() - start;
	while (tick_cycles() - start < used * 100 / (100 - PLANT_PERCENT))
		continue;
	return (ok);
}
