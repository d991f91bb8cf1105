/*
 * Health tests of noise sources: is one stuck, or one value too frequent?
 *
 * NIST SP 800-90B's repetition count and adaptive proportion tests, for one
 * source at a time.  The pure core: it takes no lock, reads no clock and does
 * not allocate; the caller excludes others throughout.
 *
 * Stands for random_harvest_healthtest() of sys/dev/random/random_harvestq.c,
 * FreeBSD 15.
 */
#ifndef HARVEST_HEALTH_H
#define HARVEST_HEALTH_H

#include "fortuna/event.h"

enum {
	HEALTH_ERROR_LOG2	= 34,	/* cut-offs are for errors of 2^-34 */
	HEALTH_STARTUP_SAMPLES	= 1024,	/* the first of them not counted */
	HEALTH_APT_WINDOW	= 512,	/* samples */
	HEALTH_ENTROPY_MAX	= 64,	/* bits that a sample can hold */
	/* Assumed for a source without an estimate. */
	HEALTH_ENTROPY_PURE	= 8,
	HEALTH_ENTROPY_OTHER	= 1,
	HEALTH_SAMPLE_BYTES	= HARVEST_ENTROPY_BYTES + 4
};

/* Whether a source is tested, and its progress. */
enum health_state {
	HEALTH_DISABLED,	/* not tested: all is accepted */
	HEALTH_INIT,		/* its next sample is the first */
	HEALTH_STARTUP,		/* nothing is accepted yet */
	HEALTH_STEADY,		/* tested and accepted */
	HEALTH_FAILED,		/* nothing is accepted any more */
	HEALTH_STATES
};

/* One source's tests. */
struct health_test {
	enum health_state ht_state;
	unsigned	ht_rct_limit;	/* equal samples in a row that fail */
	unsigned	ht_apt_cutoff;	/* or of a window, like its first */
	unsigned	ht_rct_count;
	unsigned	ht_apt_count;
	unsigned	ht_apt_seq;	/* samples of the window; 0: none */
	unsigned	ht_total_samples;	/* while in HEALTH_STARTUP */
	uint8_t		ht_rct_value[HEALTH_SAMPLE_BYTES];
	uint8_t		ht_apt_value[HEALTH_SAMPLE_BYTES];
	/* Since it was made: FreeBSD prints these on the console. */
	uint64_t	ht_passed;	/* starts that ended well */
	uint64_t	ht_repetitions;	/* failures of the one test */
	uint64_t	ht_proportions;	/* and of the other */
	uint64_t	ht_discarded;	/* events not accepted */
};

/*
 * Makes a source's tests, which start with its first event.
 *
 *   enabled      in  test it; boot entropy and the VM generation ID, a few
 *                    constants each, are never tested
 *   min_entropy  in  bits per sample, to HEALTH_ENTROPY_MAX; 0: assumed
 *
 * Source: random_healthtest_init().
 */
void health_init(struct health_test *ht, enum random_entropy_source source,
    bool enabled, unsigned min_entropy);

/*
 * Restarts the tests with the next event, in any state; a disabled source stays
 * disabled.
 *
 * Departs: FreeBSD's sysctl also starts disabled ones, with cut-offs of 0, and
 * the first repeated sample fails them.
 */
void health_restart(struct health_test *ht);

/*
 * Tests an event of the source.
 *
 * A sample is the entropy and, except for pure sources, the counter.  The first
 * HEALTH_STARTUP_SAMPLES after a start are not accepted; once all passed, the
 * following ones are.
 *
 * Returns: whether the event may be used.
 */
bool health_event(struct health_test *ht, const struct harvest_event *event);

/* Whether the next event's sample may fail the tests. */
static inline bool
health_decides(const struct health_test *ht)
{
	return (ht->ht_state == HEALTH_STARTUP ||
	    ht->ht_state == HEALTH_STEADY);
}

/* Fails the tests like the repetition count test; needs health_decides(). */
void health_fail(struct health_test *ht);

/*
 * How many equal samples in a row, and how many of a window equal to its first,
 * that included, are a failure.
 *
 * A source that has min_entropy bits in each independent sample repeats one so
 * often with a probability of 2^-HEALTH_ERROR_LOG2 at most.  The second is 1
 * more than the binomial distribution's critical value for the samples of a
 * window after its first; the test fails at that count and not above it,
 * so more windows fail than the formula gives: rngsim(7) has the rates.
 *
 * Source: SP 800-90B 4.4.1 and 4.4.2; random_healthtest_init()'s table.
 */
unsigned health_rct_limit(unsigned min_entropy);
unsigned health_apt_cutoff(unsigned min_entropy);

#endif
