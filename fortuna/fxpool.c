#include "fortuna/fxpool.h"
#include "lib/ledger/ledger.h"
#include "lib/machine/tick.h"
#include "lib/crypto/wipe.h"

enum { FIRST_INTERVAL_S = 1 };

CTASSERT(FXPOOL_FIRST_BYTES <= UINT8_MAX);

int
fxpool_init(struct fxpool *fp, bool stub)
{
	int error = 0;

	memset(fp, 0, sizeof(*fp));
	fp->fp_active = 1;
	for (unsigned i = 0; i < FXPOOL_POOLS && error == 0; i++) {
		if (stub)
			blake2_init_stub(&fp->fp_pool[i], BLAKE2B_BYTES);
		else
			error = blake2b_init(&fp->fp_pool[i]);
	}
	if (error != 0)
		fxpool_fini(fp);
	return (error);
}

unsigned
fxpool_watch(struct fxpool *fp, struct ledger *lg)
{
	fp->fp_ledger = lg;
	fp->fp_core = ledger_core(lg, &(struct ledger_core_rule){
	    .lu_pools = FXPOOL_POOLS });
	return (fp->fp_core);
}

void
fxpool_fini(struct fxpool *fp)
{
	for (unsigned i = 0; i < FXPOOL_POOLS; i++)
		blake2_fini(&fp->fp_pool[i]);
	wipe(fp, sizeof(*fp));
}

static bool
high_quality(unsigned source)
{
	return (source == RANDOM_CACHED || (source >= RANDOM_PURE_START &&
	    source != RANDOM_PURE_RNDTEST));
}

static void
absorb(struct fxpool *fp, unsigned pool, const void *data, size_t n)
{
	blake2_update(&fp->fp_pool[pool], data, n);
	if (pool == 0)
		fp->fp_bytes = fp->fp_bytes > UINT32_MAX - n ? UINT32_MAX :
		    fp->fp_bytes + (uint32_t)n;
	ledger_event(fp->fp_ledger, fp->fp_core, pool, n, pool == 0 ?
	    fp->fp_bytes : LEDGER_UNCOUNTED, false);
}

/* One event was absorbed, in any number of parts, or bypasses the pools. */
static void
count_event(struct fxpool *fp)
{
	ledger_event(fp->fp_ledger, fp->fp_core, 0, 0, fp->fp_bytes, true);
}

bool
fxpool_first_time(struct fxpool *fp, const struct harvest_event *event)
{
	uint32_t bit = UINT32_C(1) << event->he_source;
	bool first = (fp->fp_seen & bit) == 0;

	KASSERT(event->he_source < ENTROPYSOURCE && event->he_size >= 1 &&
	    event->he_size <= HARVEST_ENTROPY_BYTES,
	    ("an event of %u bytes", event->he_size));
	fp->fp_seen |= bit;
	if (first)
		count_event(fp);
	return (first);
}

size_t
fxpool_event_bytes(const struct harvest_event *event,
    uint8_t out[FXPOOL_EVENT_BYTES])
{
	memcpy(out, &event->he_somecounter, sizeof(event->he_somecounter));
	memcpy(out + sizeof(event->he_somecounter), event->he_entropy,
	    event->he_size);
	return (sizeof(event->he_somecounter) + event->he_size);
}

void
fxpool_event_early(struct fxpool *fp, const struct harvest_event *event)
{
	uint8_t bytes[FXPOOL_EVENT_BYTES];

	absorb(fp, 0, bytes, fxpool_event_bytes(event, bytes));
	wipe(bytes, sizeof(bytes));
}

/* How many of the event's bytes go to pool 0 first. */
static unsigned
first_bytes(struct fxpool *fp, const struct harvest_event *event)
{
	uint8_t *seen = &fp->fp_first[event->he_source];
	unsigned n;

	if (fp->fp_active == 1 || !high_quality(event->he_source))
		return (0);
	n = FXPOOL_FIRST_BYTES - *seen;
	if (n > event->he_size)
		n = event->he_size;
	*seen = (uint8_t)(*seen + n);
	return (n);
}

unsigned
fxpool_event(struct fxpool *fp, const struct harvest_event *event)
{
	unsigned first = first_bytes(fp, event);
	unsigned rest = event->he_size - first;
	unsigned pool = event->he_destination % fp->fp_active;

	if (first > 0)
		absorb(fp, 0, event->he_entropy + rest, first);
	if (rest > 0)
		absorb(fp, pool, event->he_entropy, rest);
	else
		pool = 0;
	absorb(fp, pool, &event->he_somecounter,
	    sizeof(event->he_somecounter));
	count_event(fp);
	return (1u << pool | (first > 0 ? 1u : 0));
}

void
fxpool_drain(struct fxpool *fp, unsigned pools, struct fxpool_seed *fs)
{
	KASSERT(pools >= 1 && pools <= fp->fp_active, ("%u pools of %u", pools,
	    fp->fp_active));
	for (unsigned i = 0; i < pools; i++) {
		ledger_pool(fp->fp_ledger, fp->fp_core, i, i == 0 ?
		    fp->fp_bytes : LEDGER_UNCOUNTED);
		blake2_finish(&fp->fp_pool[i], fs->fs_hash[i]);
		blake2_restart(&fp->fp_pool[i], NULL);
	}
	ledger_drain(fp->fp_ledger, fp->fp_core, 0, false);
	fs->fs_pools = pools;
	fp->fp_bytes = 0;
	memset(fp->fp_first, 0, sizeof(fp->fp_first));
}

bool
fxpool_timer_due(struct fxpool_timer *ft, int64_t now_ns)
{
	now_ns = failpoint_clock(ft->ft_failpoints, now_ns);
	if (ft->ft_interval_s != 0)
		return (now_ns >= ft->ft_due_ns &&
		    failpoint_ask(ft->ft_failpoints,
		    FAILPOINT_random_fortuna_pre_read) == 0);
	ft->ft_interval_s = FIRST_INTERVAL_S;
	ft->ft_due_ns = now_ns + FIRST_INTERVAL_S * NS_PER_S;
	return (false);
}

/* How many pools take part in this reseed. */
static unsigned
turn(uint64_t reseed, unsigned pools)
{
	unsigned i;

	for (i = 1; i < pools && reseed % FXPOOL_BASE == 0; i++)
		reseed /= FXPOOL_BASE;
	return (i);
}

void
fxpool_timer_drain(struct fxpool_timer *ft, struct fxpool *fp, int64_t now_ns,
    struct fxpool_seed *fs)
{
	const unsigned more = fp->fp_active + 1;
	unsigned pools = 1;

	if (ft->ft_interval_s < FXPOOL_MAX_INTERVAL_S) {
		ft->ft_interval_s *= FXPOOL_BASE;
		if (ft->ft_interval_s > FXPOOL_MAX_INTERVAL_S)
			ft->ft_interval_s = FXPOOL_MAX_INTERVAL_S;
	} else {
		pools = turn(++ft->ft_reseeds, more < FXPOOL_POOLS ? more :
		    FXPOOL_POOLS);
	}
	ft->ft_due_ns = now_ns + ft->ft_interval_s * NS_PER_S;
	fxpool_drain(fp, pools < more ? pools : fp->fp_active, fs);
	if (pools == more)
		fp->fp_active++;
}
