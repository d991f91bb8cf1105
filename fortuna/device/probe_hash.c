/*
 * Follows hash.c in its unit: what its functions give for one message, key and
 * counter.  A source with other functions is compiled without.
 */
#ifndef KERN_NO_PROBE
#include <random_abi.h>

/* A digest, which becomes a key; its keystream, where C carries; and C. */
KERN_PLAIN void
kern_probe_hash(uint8_t *out)
{
	struct randomdev_hash hash;
	union randomdev_key key;
	uint128_t counter;

	for (u_int i = 0; i < RANDOM_ABI_HASH_BYTES; i++)
		out[i] = (uint8_t)(i < 8 ? 0xff : i);
	counter = le128dec(out);
	randomdev_hash_init(&hash);
	randomdev_hash_iterate(&hash, out, 5);
	randomdev_hash_iterate(&hash, out + 5, PAGE_SIZE);
	randomdev_hash_finish(&hash, out);
	randomdev_encrypt_init(&key, out);
	out += RANDOM_KEYSIZE;
	randomdev_keystream(&key, &counter, out, PAGE_SIZE);
	le128enc(out + PAGE_SIZE, counter);
}
#endif
