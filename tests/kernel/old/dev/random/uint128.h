/*
 * A counter of two words.
 */
#ifndef DEV_RANDOM_UINT128_H
#define	DEV_RANDOM_UINT128_H

typedef struct {
	uint64_t u128t_word0;	/* the low one */
	uint64_t u128t_word1;
} uint128_t;

static const uint128_t very_long_zero = { 0, 0 };
#define	UINT128_ZERO	very_long_zero

static __inline void
uint128_increment(uint128_t *counter)
{
	if (++counter->u128t_word0 == 0)
		counter->u128t_word1++;
}

static __inline int
uint128_is_zero(uint128_t counter)
{
	return (counter.u128t_word0 == 0 && counter.u128t_word1 == 0);
}

#endif
