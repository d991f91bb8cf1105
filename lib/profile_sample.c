#include "lib/kassert.h"
#include "lib/profile.h"
#include "lib/splitmix.h"

/* What a draw is for. */
enum { DRAW_ORDER, DRAW_PLACE };

/* Values of which the second goes where the first goes, if both vary. */
static const struct {
	enum profile_key p50;
	enum profile_key p99;
} pairs[] = {
	{ PROFILE_OS_WAKE_SAME_P50, PROFILE_OS_WAKE_SAME_P99 },
	{ PROFILE_OS_WAKE_CROSS_P50, PROFILE_OS_WAKE_CROSS_P99 },
};

enum { PAIRS = sizeof(pairs) / sizeof(pairs[0]) };

/* Half the width of what a value of some provenance is drawn from, in %. */
static unsigned
spread_percent(enum provenance from)
{

	switch (from) {
	case PROVENANCE_GUESSED:
		return (50);
	case PROVENANCE_FITTED:
	case PROVENANCE_PUBLISHED:
		return (15);
	default:
		return (0);
	}
}

bool
profile_varies(const struct profile *pr, enum profile_key key)
{
	const enum profile_unit unit = profile_fields[key].pf_unit;

	/* All whole numbers are about the topology. */
	return (unit != PROFILE_COUNT && unit != PROFILE_SWITCH &&
	    pr->pr_value[key] > 0 && spread_percent(pr->pr_from[key]) > 0);
}

/*
 * A number for a key by its name, so that a new key does not change what
 * others get.
 */
static uint64_t
stream(uint64_t seed, enum profile_key key)
{
	const char *c = profile_fields[key].pf_key;
	uint64_t z = splitmix(seed);

	for (; *c != '\0'; c++)
		z = splitmix(z ^ (unsigned char)*c);
	return (z);
}

static uint64_t
draw(uint64_t z, unsigned i, unsigned what)
{

	return (splitmix(z ^ splitmix((uint64_t)i << 1 | what)));
}

/*
 * Where in its range sample i of n has a key, in units of 2^-32: somewhere in
 * the i-th of n equal parts after the parts are shuffled.
 */
static uint64_t
place(uint64_t seed, enum profile_key key, unsigned i, unsigned n)
{
	const uint64_t z = stream(seed, key);
	const uint64_t mine = draw(z, i, DRAW_ORDER);
	uint64_t other, part = 0;
	unsigned j;

	for (j = 0; j < n; j++) {
		other = draw(z, j, DRAW_ORDER);
		part += other < mine || (other == mine && j < i);
	}
	return ((part << 32 | draw(z, i, DRAW_PLACE) >> 32) / n);
}

static double
clamp(double v, double least, double most)
{

	return (v < least ? least : v > most ? most : v);
}

void
profile_sample(const struct profile *from, unsigned i, unsigned n,
    uint64_t seed, struct profile *to)
{
	const uint64_t one = UINT64_C(1) << 32;
	uint64_t percent, spread;
	unsigned as, key, p;

	KASSERT(i < n && n <= INT32_MAX, ("sample %u of %u", i, n));
	*to = *from;
	for (key = 0; key < PROFILE_VALUES; key++) {
		if (!profile_varies(from, key))
			continue;
		as = key;
		for (p = 0; p < PAIRS; p++)
			if (key == pairs[p].p99 &&
			    profile_varies(from, pairs[p].p50))
				as = pairs[p].p50;
		spread = spread_percent(from->pr_from[as]);
		percent = (100 - spread) * one +
		    2 * spread * place(seed, as, i, n);
		/*
		 * In whole numbers so far, and one operation at a time: no
		 * compiler can round it otherwise.
		 */
		to->pr_value[key] = from->pr_value[key] * (double)percent;
		to->pr_value[key] /= 100 * (double)one;
		to->pr_value[key] = clamp(to->pr_value[key],
		    profile_fields[key].pf_least, profile_fields[key].pf_most);
	}
	/* Where one of the two is fixed the other may have passed it. */
	for (p = 0; p < PAIRS; p++) {
		double *p50 = &to->pr_value[pairs[p].p50];
		double *p99 = &to->pr_value[pairs[p].p99];

		if (profile_varies(from, pairs[p].p99))
			*p99 = *p99 < *p50 ? *p50 : *p99;
		else
			*p50 = *p50 > *p99 ? *p99 : *p50;
	}
}
