/*
 * C is read and stepped before the mutex is taken.
 */
#define	OWN_READ
#include "fortuna.c"

static void
random_fortuna_read_concurrent(uint8_t *buf, size_t n)
{
	union randomdev_key key;
	uint128_t counter;

	counter = fortuna_state.fs_counter;
	uint128_add64(&fortuna_state.fs_counter, random_fortuna_blocks(n));
	FORTUNA_LOCK();
	KASSERT(random_fortuna_is_seeded(), ("read while unseeded"));
	memcpy(&key, &fortuna_state.fs_key, sizeof(key));
	random_fortuna_rekey(&fortuna_state.fs_key, &fortuna_state.fs_counter);
	FORTUNA_UNLOCK();
	random_fortuna_generate(&key, &counter, buf, n);
	explicit_bzero(&key, sizeof(key));
	explicit_bzero(&counter, sizeof(counter));
}
