#include "fortuna/brng.h"
#include "lib/base/kassert.h"
#include "lib/ledger/ledger.h"
#include "lib/crypto/wipe.h"

CTASSERT(BRNG_BUFFER_BYTES % CIPHER_BLOCK_MAX_BYTES == 0);
CTASSERT((int)CIPHER_KEY_BYTES <= (int)BLAKE2B_BYTES);
CTASSERT((int)BRNG_BUFFER_BYTES <= (int)CIPHER_STUB_BYTES);

/* The ledger that monitors it; or NULL. */
static inline struct ledger *
watcher(const struct brng *b)
{
	return (ledger_of(b->b_key->ck_cipher));
}

int
brng_init(struct brng *b, const struct cipher *cipher)
{
	memset(b, 0, sizeof(*b));
	b->b_next = BRNG_BUFFER_BYTES;
	return (cipher_key_new(&b->b_key, cipher));
}

void
brng_fini(struct brng *b)
{
	cipher_key_free(b->b_key);
	wipe(b, sizeof(*b));
}

void
brng_reseed(struct brng *root, struct blake2 *scratch, const void *input,
    size_t n)
{
	uint8_t hash[BLAKE2B_BYTES];

	if (root->b_generation != 0) {
		cipher_keystream(root->b_key, &root->b_counter, hash,
		    CIPHER_KEY_BYTES);
		blake2_update(scratch, hash, CIPHER_KEY_BYTES);
	}
	blake2_update(scratch, input, n);
	blake2_finish(scratch, hash);
	blake2_restart(scratch, NULL);
	ledger_reseed_begin(watcher(root), root->b_core);
	cipher_key_set(root->b_key, hash);
	ledger_reseed_end(watcher(root), root->b_core);
	root->b_generation++;
	wipe(hash, sizeof(hash));
}

void
brng_follow(struct brng *b, uint8_t key[CIPHER_KEY_BYTES], uint64_t generation)
{
	cipher_key_set(b->b_key, key);
	wipe(key, CIPHER_KEY_BYTES);
	b->b_generation = generation;
	wipe(b->b_buffer, sizeof(b->b_buffer));
	b->b_next = BRNG_BUFFER_BYTES;
}

static void
refill(struct brng *b)
{
	uint8_t newkey[CIPHER_KEY_BYTES];

	cipher_keystream(b->b_key, &b->b_counter, newkey, sizeof(newkey));
	cipher_keystream(b->b_key, &b->b_counter, b->b_buffer,
	    sizeof(b->b_buffer));
	b->b_lineage = ledger_lineage(watcher(b));
	cipher_key_set(b->b_key, newkey);
	wipe(newkey, sizeof(newkey));
	b->b_next = 0;
}

static void
hand_out(struct brng *b, uint8_t *out, size_t n)
{
	memcpy(out, b->b_buffer + b->b_next, n);
	wipe(b->b_buffer + b->b_next, n);
	b->b_next += (unsigned)n;
}

bool
brng_get(struct brng *b, uint8_t *out, size_t n)
{
	size_t left = BRNG_BUFFER_BYTES - b->b_next;

	KASSERT(n < BRNG_BUFFER_BYTES && b->b_generation != 0,
	    ("%zu bytes of generation %ju", n, (uintmax_t)b->b_generation));
	if (n <= left) {
		if (n > 0)
			hand_out(b, out, n);
		ledger_set_lineage(watcher(b), b->b_lineage);
		return (false);
	}
	hand_out(b, out, left);
	refill(b);
	hand_out(b, out + left, n - left);
	return (true);
}

void
brng_take(struct brng *b, struct cipher_key **spare, uint64_t n,
    struct brng_private *bp)
{
	const unsigned block_bytes = b->b_key->ck_cipher->ci_block_bytes;
	uint8_t newkey[CIPHER_KEY_BYTES];

	KASSERT(b->b_generation != 0, ("read while unseeded"));
	cipher_keystream(b->b_key, &b->b_counter, newkey, sizeof(newkey));
	bp->bp_key = b->b_key;
	bp->bp_counter = b->b_counter;
	uint128_add64(&b->b_counter, n / block_bytes + (n % block_bytes != 0));
	cipher_key_set(*spare, newkey);
	wipe(newkey, sizeof(newkey));
	b->b_key = *spare;
	*spare = bp->bp_key;
}

void
brng_private_genbytes(struct brng_private *bp, uint8_t *out, size_t n)
{
	cipher_keystream_cut(bp->bp_key, &bp->bp_counter, out, n);
}

void
brng_private_fini(struct brng_private *bp)
{
	cipher_key_wipe(bp->bp_key);
	wipe(bp, sizeof(*bp));
}
