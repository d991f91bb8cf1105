#include "fortuna/crng.h"
#include "lib/ledger/ledger.h"
#include "lib/machine/tick.h"
#include "lib/crypto/wipe.h"

enum {
	/* Four of 8 bytes: what the CPU's instruction would have given. */
	RDSEED_BYTES	= 32
};

CTASSERT((int)BLAKE2S_BYTES == (int)CIPHER_KEY_BYTES);
CTASSERT(CRNG_ERASURE_BYTES % 16 == 0);
CTASSERT((int)CRNG_ERASURE_BYTES <= (int)CIPHER_STUB_BYTES);

int
crng_pool_init(struct crng_pool *cp, bool stub)
{
	int error;

	memset(cp, 0, sizeof(*cp));
	if (stub) {
		blake2_init_stub(&cp->cp_hash, BLAKE2S_BYTES);
		blake2_init_stub(&cp->cp_scratch, BLAKE2S_BYTES);
		return (0);
	}
	error = blake2s_init(&cp->cp_hash);
	if (error == 0)
		error = blake2s_init(&cp->cp_scratch);
	if (error != 0)
		crng_pool_fini(cp);
	return (error);
}

void
crng_pool_fini(struct crng_pool *cp)
{
	blake2_fini(&cp->cp_hash);
	blake2_fini(&cp->cp_scratch);
	wipe(cp, sizeof(*cp));
}

bool
crng_pool_event(struct crng_pool *cp, const struct harvest_event *event)
{
	KASSERT(event->he_size >= 1 && event->he_size <= HARVEST_ENTROPY_BYTES,
	    ("an event of %u bytes", event->he_size));
	blake2_update(&cp->cp_hash, &event->he_somecounter,
	    sizeof(event->he_somecounter));
	blake2_update(&cp->cp_hash, event->he_entropy, event->he_size);
	ledger_event(cp->cp_ledger, cp->cp_core, 0, event->he_size,
	    LEDGER_UNCOUNTED, true);
	if (cp->cp_bits == CRNG_READY_BITS)
		return (false);
	cp->cp_bits += 8u * event->he_size;
	if (cp->cp_bits < CRNG_READY_BITS)
		return (false);
	if (failpoint_ask(cp->cp_failpoints,
	    FAILPOINT_random_fortuna_pre_read) != 0) {
		/* Not credited: the next event asks again. */
		cp->cp_bits -= 8u * event->he_size;
		return (false);
	}
	cp->cp_bits = CRNG_READY_BITS;
	return (true);
}

/* out = BLAKE2s(seed, RDSEED || counter), with zeros for RDSEED. */
static void
expand(struct crng_pool *cp, const uint8_t seed[BLAKE2S_BYTES], uint8_t counter,
    uint8_t out[BLAKE2S_BYTES])
{
	uint8_t block[RDSEED_BYTES + sizeof(uint64_t)] = { 0 };

	block[RDSEED_BYTES] = counter;
	blake2_restart(&cp->cp_scratch, seed);
	blake2_update(&cp->cp_scratch, block, sizeof(block));
	blake2_finish(&cp->cp_scratch, out);
}

void
crng_pool_extract(struct crng_pool *cp, uint8_t key[CIPHER_KEY_BYTES])
{
	uint8_t next[BLAKE2S_BYTES], seed[BLAKE2S_BYTES];

	ledger_pool(cp->cp_ledger, cp->cp_core, 0, LEDGER_UNCOUNTED);
	ledger_drain(cp->cp_ledger, cp->cp_core, 0, false);
	blake2_finish(&cp->cp_hash, seed);
	expand(cp, seed, 0, next);
	blake2_restart(&cp->cp_hash, next);
	expand(cp, seed, 1, key);
	wipe(seed, sizeof(seed));
	wipe(next, sizeof(next));
}

int
crng_init(struct crng *cr, const struct cipher *cipher, uint64_t generation)
{
	cr->cr_generation = generation;
	cr->cr_core = 0;
	return (cipher_key_init(&cr->cr_key, cipher));
}

void
crng_fini(struct crng *cr)
{
	cipher_key_fini(&cr->cr_key);
	cr->cr_generation = 0;
}

void
crng_base_set(struct crng *base, uint8_t key[CIPHER_KEY_BYTES])
{
	struct ledger *lg = ledger_of(base->cr_key.ck_cipher);

	ledger_reseed_begin(lg, base->cr_core);
	cipher_key_set(&base->cr_key, key);
	ledger_reseed_end(lg, base->cr_core);
	wipe(key, CIPHER_KEY_BYTES);
	if (++base->cr_generation == CRNG_NO_GENERATION)
		base->cr_generation++;
}

void
crng_erase(struct crng *cr, uint8_t out[CIPHER_KEY_BYTES])
{
	uint128_t ctr = uint128_make(0, 0);
	uint8_t first[CRNG_ERASURE_BYTES];

	cipher_keystream(&cr->cr_key, &ctr, first, sizeof(first));
	cipher_key_set(&cr->cr_key, first);
	memcpy(out, first + CIPHER_KEY_BYTES, CIPHER_KEY_BYTES);
	wipe(first, sizeof(first));
}

void
crng_derive(struct crng *cpu, struct crng *base)
{
	uint8_t key[CIPHER_KEY_BYTES];

	crng_erase(base, key);
	cipher_key_set(&cpu->cr_key, key);
	cpu->cr_generation = base->cr_generation;
	wipe(key, sizeof(key));
}

void
crng_watch(struct crng_pool *cp, struct crng *base)
{
	struct ledger *lg = ledger_of(base->cr_key.ck_cipher);

	cp->cp_ledger = lg;
	cp->cp_core = base->cr_core = ledger_core(lg,
	    &(struct ledger_core_rule){ .lu_pools = 1 });
}

uint128_t
crng_counter(const struct cipher *cipher)
{
	return (uint128_make(0, CRNG_ERASURE_BYTES / cipher->ci_block_bytes));
}

int64_t
crng_interval_ns(int64_t uptime_ns)
{
	int64_t s = uptime_ns / NS_PER_S;

	if (s >= 2 * CRNG_INTERVAL_S)
		s = CRNG_INTERVAL_S;
	else if (s / 2 < CRNG_START_INTERVAL_S)
		s = CRNG_START_INTERVAL_S;
	else
		s /= 2;
	return (s * NS_PER_S);
}

bool
crng_timer_due(struct crng_timer *ct, int64_t uptime_ns)
{
	bool due;

	uptime_ns = failpoint_clock(ct->ct_failpoints, uptime_ns);
	due = ct->ct_armed && uptime_ns >= ct->ct_due_ns;
	if (due && failpoint_ask(ct->ct_failpoints,
	    FAILPOINT_random_fortuna_pre_read) != 0)
		return (false);
	if (due || !ct->ct_armed)
		ct->ct_due_ns = uptime_ns + crng_interval_ns(uptime_ns);
	ct->ct_armed = true;
	return (due);
}
