#include "lib/profile/profile.h"

/* Purposes of draws. */
enum { DRAW_ORDER, DRAW_PLACE };

enum profile_key
profile_median(enum profile_key key)
{
	return (key == PROFILE_OS_WAKE_SAME_P99 ? PROFILE_OS_WAKE_SAME_P50 :
	    key == PROFILE_OS_WAKE_CROSS_P99 ? PROFILE_OS_WAKE_CROSS_P50 : key);
}

/* Half the width of the range of draws, in %, by provenance. */
static unsigned
spread_percent(enum provenance from)
{
	return (from == PROVENANCE_GUESSED ? 50 : from == PROVENANCE_FITTED ||
	    from == PROVENANCE_PUBLISHED ? 15 : 0);
}

bool
profile_varies(const struct profile *pr, enum profile_key key)
{
	const enum profile_unit unit = profile_fields[key].pf_unit;

	/* Whole numbers are topology; the model's errors are no part of it. */
	return (unit != PROFILE_COUNT && unit != PROFILE_SWITCH &&
	    key < PROFILE_MODEL_FIFO &&
	    pr->pr_value[key] > 0 && spread_percent(pr->pr_from[key]) > 0);
}

static uint64_t
draw(uint64_t z, unsigned i, unsigned what)
{
	return (splitmix(z ^ splitmix((uint64_t)i << 1 | what)));
}

/* The n equal parts of the range are shuffled; it is drawn from the i-th. */
uint64_t
profile_place(uint64_t seed, enum profile_key key, unsigned i, unsigned n)
{
	uint64_t z = splitmix(seed), mine, other, part = 0;

	/* Of the key's name: a new key does not change others' draws. */
	for (const char *c = profile_fields[key].pf_key; *c != '\0'; c++)
		z = splitmix(z ^ (unsigned char)*c);
	mine = draw(z, i, DRAW_ORDER);
	for (unsigned j = 0; j < n; j++) {
		other = draw(z, j, DRAW_ORDER);
		part += other < mine || (other == mine && j < i);
	}
	return ((part << 32 | draw(z, i, DRAW_PLACE) >> 32) / n);
}

void
profile_sample(const struct profile *from, unsigned i, unsigned n,
    uint64_t seed, struct profile *to)
{
	const uint64_t one = UINT64_C(1) << 32;
	uint64_t percent, spread;
	unsigned as;
	double *p50, *p99, v;

	KASSERT(i < n && n <= INT32_MAX, ("sample %u of %u", i, n));
	*to = *from;
	for (unsigned key = 0; key < PROFILE_VALUES; key++) {
		if (!profile_varies(from, key))
			continue;
		/* Percentiles of one quantity vary together. */
		as = profile_median(key);
		if (!profile_varies(from, as))
			as = key;
		spread = spread_percent(from->pr_from[as]);
		percent = (100 - spread) * one +
		    2 * spread * profile_place(seed, as, i, n);
		/* One operation at a time: all compilers round alike. */
		v = from->pr_value[key] * (double)percent;
		v /= 100 * (double)one;
		to->pr_value[key] = fmin(profile_fields[key].pf_most,
		    fmax(profile_fields[key].pf_least, v));
	}
	/* Where one of the two is fixed, the other must not pass it. */
	for (unsigned key = 0; key < PROFILE_VALUES; key++) {
		p50 = &to->pr_value[profile_median(key)];
		p99 = &to->pr_value[key];
		if (profile_varies(from, key))
			*p99 = fmax(*p99, *p50);
		else
			*p50 = fmin(*p50, *p99);
	}
}
