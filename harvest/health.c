#include "harvest/health.h"
#include "lib/crypto/wipe.h"

/* From which entropy on a cut-off holds. */
static const struct {
	unsigned	bits;
	unsigned	cutoff;
} apt_cutoffs[] = {
	{ 1, 329 }, { 2, 195 }, { 3, 118 }, { 4, 73 }, { 5, 48 }, { 6, 33 },
	{ 7, 23 }, { 8, 17 }, { 9, 13 }, { 10, 11 }, { 11, 9 }, { 12, 8 },
	{ 13, 7 }, { 14, 6 }, { 15, 5 }, { 17, 4 }, { 20, 3 }, { 26, 2 },
	{ 43, 1 },
};

enum { APT_CUTOFFS = sizeof(apt_cutoffs) / sizeof(apt_cutoffs[0]) };

unsigned
health_rct_limit(unsigned min_entropy)
{
	KASSERT(min_entropy >= 1 && min_entropy <= HEALTH_ENTROPY_MAX,
	    ("%u bits of min-entropy", min_entropy));
	return (1 + (HEALTH_ERROR_LOG2 + min_entropy - 1) / min_entropy);
}

unsigned
health_apt_cutoff(unsigned min_entropy)
{
	unsigned i;

	KASSERT(min_entropy >= 1 && min_entropy <= HEALTH_ENTROPY_MAX,
	    ("%u bits of min-entropy", min_entropy));
	for (i = APT_CUTOFFS - 1; apt_cutoffs[i].bits > min_entropy; i--)
		continue;
	return (apt_cutoffs[i].cutoff);
}

void
health_init(struct health_test *ht, enum random_entropy_source source,
    bool enabled, unsigned min_entropy)
{
	memset(ht, 0, sizeof(*ht));
	ht->ht_state = HEALTH_DISABLED;
	if (!enabled || source == RANDOM_CACHED ||
	    source == RANDOM_PURE_VMGENID)
		return;
	if (min_entropy == 0)
		min_entropy = source >= RANDOM_PURE_START ?
		    HEALTH_ENTROPY_PURE : HEALTH_ENTROPY_OTHER;
	ht->ht_rct_limit = health_rct_limit(min_entropy);
	ht->ht_apt_cutoff = health_apt_cutoff(min_entropy);
	ht->ht_state = HEALTH_INIT;
}

void
health_restart(struct health_test *ht)
{
	if (ht->ht_state != HEALTH_DISABLED)
		ht->ht_state = HEALTH_INIT;
}

static void
sample_of(uint8_t sample[HEALTH_SAMPLE_BYTES],
    const struct harvest_event *event)
{
	KASSERT(event->he_size <= HARVEST_ENTROPY_BYTES,
	    ("an event of %u bytes", event->he_size));
	memset(sample, 0, HEALTH_SAMPLE_BYTES);
	memcpy(sample, event->he_entropy, event->he_size);
	CTASSERT(HEALTH_SAMPLE_BYTES - HARVEST_ENTROPY_BYTES ==
	    sizeof(event->he_somecounter));
	if (event->he_source <= RANDOM_ENVIRONMENTAL_END)
		memcpy(sample + HARVEST_ENTROPY_BYTES, &event->he_somecounter,
		    sizeof(event->he_somecounter));
}

static void
rct_init(struct health_test *ht, const uint8_t sample[HEALTH_SAMPLE_BYTES])
{
	ht->ht_rct_count = 1;
	memcpy(ht->ht_rct_value, sample, HEALTH_SAMPLE_BYTES);
}

static bool
rct_next(struct health_test *ht, const uint8_t sample[HEALTH_SAMPLE_BYTES])
{
	if (memcmp(sample, ht->ht_rct_value, HEALTH_SAMPLE_BYTES) != 0) {
		rct_init(ht, sample);
		return (true);
	}
	ht->ht_rct_count++;
	return (ht->ht_rct_count < ht->ht_rct_limit);
}

static void
apt_init(struct health_test *ht, const uint8_t sample[HEALTH_SAMPLE_BYTES])
{
	ht->ht_apt_count = 1;
	ht->ht_apt_seq = 1;
	memcpy(ht->ht_apt_value, sample, HEALTH_SAMPLE_BYTES);
}

static bool
apt_next(struct health_test *ht, const uint8_t sample[HEALTH_SAMPLE_BYTES])
{
	if (ht->ht_apt_seq == 0) {
		apt_init(ht, sample);
		return (true);
	}
	if (memcmp(sample, ht->ht_apt_value, HEALTH_SAMPLE_BYTES) == 0 &&
	    ++ht->ht_apt_count >= ht->ht_apt_cutoff)
		return (false);
	ht->ht_apt_seq = (ht->ht_apt_seq + 1) % HEALTH_APT_WINDOW;
	return (true);
}

void
health_fail(struct health_test *ht)
{
	KASSERT(health_decides(ht), ("state %d", ht->ht_state));
	ht->ht_repetitions++;
	ht->ht_state = HEALTH_FAILED;
}

/* A sample after the first, from a source that has not failed. */
static bool
test_next(struct health_test *ht, const uint8_t sample[HEALTH_SAMPLE_BYTES])
{
	if (!rct_next(ht, sample)) {
		health_fail(ht);
	} else if (!apt_next(ht, sample)) {
		ht->ht_proportions++;
		ht->ht_state = HEALTH_FAILED;
	} else if (ht->ht_state == HEALTH_STARTUP &&
	    ++ht->ht_total_samples == HEALTH_STARTUP_SAMPLES) {
		ht->ht_passed++;
		ht->ht_state = HEALTH_STEADY;
	}
	return (ht->ht_state == HEALTH_STEADY);
}

bool
health_event(struct health_test *ht, const struct harvest_event *event)
{
	uint8_t sample[HEALTH_SAMPLE_BYTES];
	bool accepted = false;

	switch (ht->ht_state) {
	case HEALTH_DISABLED:
		return (true);
	case HEALTH_INIT:
		sample_of(sample, event);
		rct_init(ht, sample);
		apt_init(ht, sample);
		ht->ht_total_samples = 0;
		ht->ht_state = HEALTH_STARTUP;
		break;
	case HEALTH_STARTUP:
	case HEALTH_STEADY:
		sample_of(sample, event);
		accepted = test_next(ht, sample);
		break;
	case HEALTH_FAILED:
	case HEALTH_STATES:
		break;
	}
	if (!accepted)
		ht->ht_discarded++;
	wipe(sample, sizeof(sample));
	return (accepted);
}
