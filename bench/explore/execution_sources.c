/*
 * Compiled for the simulated machine only, where the order can be chosen.
 *
 * Sources that the harvest thread reads, one of which goes away and one comes,
 * and one of events that is masked.
 */
#include "bench/explore/execution_impl.h"

/* LEAST_BYTES: of an event for 8 bytes; it may have a hash of these. */
enum { POOLS = 32, NUMBER_BITS = 16, MASKED = RANDOM_MOUSE, LEAST_BYTES = 4,
    PAGE = 4096, CALLERS = 2, IN_A_ROW = 8,
    FEW_POOLS = 12 /* at random 28 of 32 have one of 64 events */,
    FOR_ALL = 512 /* at random 3 of a million miss one */ };

static const struct {
	const char	*ident;
	enum random_entropy_source kind;
} sources[EXECUTION_POLLED] = {
	{ "VirtIO Entropy Adapter, which goes", RANDOM_PURE_TPM },
	{ "Intel Secure Key RNG, which comes", RANDOM_PURE_RDRAND },
};

static size_t
read_source(void *state, void *buf, size_t n)
{
	struct execution_source *xs = state;
	struct execution *ex = xs->xs_execution;
	const unsigned i = (unsigned)(xs - ex->ex_source);
	/* Of no other source or call.  At times a device has nothing. */
	const uint64_t value = ((uint64_t)(uint32_t)ex->ex_seed << 32 |
	    UINT64_C(1) << 31 | (uint64_t)i << NUMBER_BITS) + xs->xs_given;

	if (xs->xs_gone)
		execution_fail(ex, EXECUTION_SOURCES, "rs_read() of source "
		    "\"%s\" (%s) is called after random_source_deregister() of "
		    "it has returned: its driver may be unloaded",
		    sources[i].ident, random_source_names[sources[i].kind]);
	n = xs->xs_given % 4 == 3 ? 0 : MIN(n, i == 0 ? sizeof(value) :
	    LEAST_BYTES);
	memcpy(buf, &value, n);
	xs->xs_bytes += (unsigned)n;
	if (xs->xs_given++ == 0)
		xs->xs_first = ex->ex_ended;
	return (n);
}

void
execution_sources_come(struct execution *ex, unsigned i)
{
	ex->ex_source[i].xs_execution = ex;
	randomdev_register(ex->ex_device, sources[i].ident, sources[i].kind,
	    read_source, &ex->ex_source[i]);
}

void
execution_sources_begin(struct execution *ex)
{
	struct kern_setting set = { .kv_name = "kern.random.harvest.mask" };
	struct kern_sysctl *kx = kern_sysctl_find(randomdev_object(
	    ex->ex_device), set.kv_name);
	const uint32_t holds = ex->ex_holds;

	if (kx != NULL) {
		set.kv_value = (kx->kx_get(kx) | 1 << MASKED) ^ 1 << MASKED;
		randomdev_set(ex->ex_device, &set);
		ex->ex_masked = (kx->kx_get(kx) & 1 << MASKED) == 0;
	}
	ex->ex_unlocked = ex->ex_holds == holds;
	execution_sources_come(ex, 0);
}

/* What sources give differs, but for what larger events begin with. */
static void
note_given(struct execution *ex, const struct random_event *event)
{
	const uint64_t large = EXECUTION_LARGE;
	const bool fortuna = design_info(ex->ex_subject->tb_design)
	    .di_poolcount == POOLS;
	const char *name = random_source_names[event->he_source];
	struct execution_pool *xp = &ex->ex_pool[event->he_source];
	uint64_t given = 0;
	int n;

	xp->xp_events = event->he_destination == xp->xp_last ?
	    xp->xp_events + 1 : 1;
	xp->xp_last = event->he_destination;
	xp->xp_pools |= UINT32_C(1) << event->he_destination % POOLS;
	if (xp->xp_events == IN_A_ROW && fortuna)
		execution_fail(ex, EXECUTION_SOURCES, "%d events of %s in a "
		    "row are for pool %u", IN_A_ROW, name,
		    event->he_destination % POOLS);
	n = __builtin_popcount(xp->xp_pools);
	if ((++xp->xp_all == FOR_ALL || (xp->xp_all == EXECUTION_GIVEN && n <
	    FEW_POOLS)) && n < POOLS && fortuna)
		execution_fail(ex, EXECUTION_SOURCES, "of %u events of %s none "
		    "is for pool %d", xp->xp_all, name,
		    ffs((int)~xp->xp_pools) - 1);
	memcpy(&given, event->he_entropy, MIN(event->he_size, sizeof(given)));
	if (event->he_size < LEAST_BYTES)
		execution_fail(ex, EXECUTION_SOURCES, "an event of %s has %u "
		    "bytes", name, event->he_size);
	if (memcmp(&given, &large, event->he_size) == 0)
		return;
	for (unsigned i = 0; i < MIN(ex->ex_gives, EXECUTION_GIVEN); i++)
		if (ex->ex_given[i] == given)
			execution_fail(ex, EXECUTION_SOURCES, "an event of %s "
			    "has the bytes of an earlier one: it was given "
			    "twice, or not all that its source gave", name);
	ex->ex_given[ex->ex_gives++ % EXECUTION_GIVEN] = given;
	given = ex->ex_seed % 2 == 0 ? given : given << 32 | given >> 32;
	if (given >> 32 == (uint32_t)ex->ex_seed && (uint32_t)given <
	    EXECUTION_GIVEN && vm_misses(ex->ex_mark[(uint32_t)given]))
		execution_fail(ex, EXECUTION_ORDERED, "an event of %s is taken "
		    "that may not be there yet: the atomic that tells of it is "
		    "stored without release, or loaded without acquire",
		    random_source_names[event->he_source]);
}

void
execution_sources_event(void *arg, const struct random_event *event)
{
	struct execution *ex = arg;

	note_given(ex, event);
	if (event->he_source == MASKED && ex->ex_masked)
		execution_fail(ex, EXECUTION_SOURCES, "an event of %s is given "
		    "to ra_event_processor(), and kern.random.harvest.mask is "
		    "without that source", random_source_names[MASKED]);
	for (unsigned i = 0; i < EXECUTION_POLLED; i++) {
		struct execution_source *xs = &ex->ex_source[i];

		if (event->he_source != sources[i].kind)
			continue;
		xs->xs_events++;
		/* Not of a hash. */
		if (event->he_entropy[2] == i && event->he_entropy[3] == 0x80)
			xs->xs_sized += event->he_size;
		if (xs->xs_sized > xs->xs_bytes)
			execution_fail(ex, EXECUTION_SOURCES, "events of %s "
			    "have %u bytes, and rs_read() returned %u",
			    random_source_names[event->he_source],
			    xs->xs_sized, xs->xs_bytes);
	}
}

/* A queue may hash these, or leave the first of them to others. */
void
execution_sources_loaded(struct execution *ex)
{
	bool last[2] = { false };

	for (unsigned i = 0; i < MIN(ex->ex_gives, EXECUTION_GIVEN); i++)
		if (~ex->ex_given[i] - (EXECUTION_GIVEN - 2) < nitems(last))
			last[~ex->ex_given[i] % 2] = true;
	if (last[0] && !last[1])
		execution_fail(ex, EXECUTION_SOURCES, "the last 8 bytes that a "
		    "loader left are not given to ra_event_processor()");
}

/*
 * No two write: releases keep what one writes in static variables.  Nor are
 * masks set while sources come and go, unless that takes a mutex: releases
 * without it lose a source then.
 */
void
execution_calls(struct execution *ex, unsigned i, unsigned k)
{
	static const uint8_t written[2 * PAGE + 1] = { 1 };
	/* Beyond its block's end only where that is looked for. */
	const size_t sizes[] = { 1, PAGE, ex->ex_seed % EXECUTION_SCANS == 0 ?
	    sizeof(written) : PAGE + 1 };
	size_t left;

	if (i < CALLERS)
		randomdev_use(ex->ex_device, written, i + k > 0 ? 0 :
		    sizes[ex->ex_seed / EXECUTION_SCANS % nitems(sizes)],
		    ex->ex_unlocked ? 0 : 2 - (int)i);
	if (i + k > 0)
		return;
	/* Of memory that the program does not have, or of nothing. */
	randomdev_use(ex->ex_device, NULL, ex->ex_seed / EXECUTION_SCANS % 2,
	    0);
	if (randomdev_read(ex->ex_device, KERNEL_CPU_HERE, NULL, PAGE, &left,
	    true) == 0)
		execution_fail(ex, EXECUTION_SERVED, "uiomove() gave EFAULT, "
		    "and the read does not return it");
}

/*
 * A queue may collect, hash, or for lack of room drop what sources give, but
 * not all of it, once a whole pass came after the first that read it.  A source
 * that is taken off is masked first.
 */
void
execution_sources_end(struct execution *ex)
{
	const struct execution_source *xs = ex->ex_source;
	const unsigned pools =
	    design_info(ex->ex_subject->tb_design).di_poolcount;
	unsigned given = 0;

	for (unsigned i = 0; i < EXECUTION_POLLED; i++)
		given += xs[i].xs_given;
	/* The last pass comes after all is registered, but not a timer's. */
	if (given == 0 && pools > 0 && !ex->ex_timers)
		execution_fail(ex, EXECUTION_SOURCES, "rs_read() of no source "
		    "is called, as \"%s\" (%s), by the harvest thread",
		    sources[0].ident, random_source_names[sources[0].kind]);
	if (pools != POOLS)
		return;
	for (unsigned i = 0; i < EXECUTION_POLLED; i++, xs++)
		if (!xs->xs_gone && xs->xs_given > 0 && xs->xs_events == 0 &&
		    ex->ex_ended - xs->xs_first > 1)
			execution_fail(ex, EXECUTION_SOURCES, "rs_read() of "
			    "source \"%s\" (%s) was called %u times, and "
			    "ra_event_processor() got its entropy %u times",
			    sources[i].ident,
			    random_source_names[sources[i].kind],
			    xs->xs_given, xs->xs_events);
}
