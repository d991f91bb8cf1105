/*
 * The interrupt source on a simulated machine: when its events come, and what
 * they hold.  Its file is compiled here once more; the queue, and the host's
 * count of interrupts, are this test's.
 */
#define	FLAVOUR		virtual
#define	MACHINE_VIRTUAL
#include "harvest/harvest.h"

#undef randomdev_harvest
#define	randomdev_harvest	note_interrupt
static enum random_fate note_interrupt(struct randomdev *rd,
    enum random_entry entry, const void *entropy, size_t n,
    enum random_entropy_source source);
#include "harvest/src_interrupt.c"

#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum { EVENTS_MAX = 4000, LATE_MS = 3, READS_PER_S = 4 };

static struct note {
	int64_t		nt_ns;
	struct interrupt_entropy nt_entropy;
} note[EVENTS_MAX];
static unsigned notes, wanted;
static struct harvest hv;

/* What is read of the host later is that many interrupts. */
static void
write_host(unsigned count)
{
	atf_utils_create_file("stat", "cpu  1 2 3\ncpu0 1 2\nintr %u 7 8 9\n"
	    "ctxt 5\nintr 1\n", count);
}

static enum random_fate
note_interrupt(struct randomdev *rd, enum random_entry entry,
    const void *entropy, size_t n, enum random_entropy_source source)
{
	ATF_CHECK(rd == hv.hv_device && entry == RANDOM_QUEUE &&
	    source == RANDOM_INTERRUPT);
	ATF_REQUIRE_EQ(sizeof(note[0].nt_entropy), n);
	note[notes].nt_ns = machine_uptime_ns();
	memcpy(&note[notes].nt_entropy, entropy, n);
	if (++notes == wanted)
		harvest_stop(&hv);
	write_host(1000 + notes);
	return (RANDOM_TAKEN);
}

static void
run_source(void *arg)
{
	struct harvest_config hc = harvest_config_default();
	const uint64_t rate = *(const unsigned *)arg;
	const int64_t start_ns = machine_uptime_ns();
	struct interrupt *in;
	int64_t due_ns, read_ns = 0;
	unsigned count = 0;

	hc.interrupt_rate_hz = (unsigned)rate;
	atomic_init_32(&hv.hv_stop, 0);
	notes = 0;
	write_host(1000);
	in = interrupt_init(&hc);
#ifdef __linux__
	ATF_REQUIRE((in->in_host = fopen("stat", "r")) != NULL);
#endif
	interrupt_run(in, &hv);
	ATF_CHECK_EQ(wanted, notes);
	for (unsigned i = 0; i < notes; i++) {
		due_ns = (int64_t)(i * NS_PER_S / rate);
		ATF_CHECK_MSG(note[i].nt_ns - start_ns >= due_ns &&
		    note[i].nt_ns - start_ns < due_ns + LATE_MS * NS_PER_MS,
		    "%ju Hz: event %u after %jd ns", (uintmax_t)rate, i,
		    (intmax_t)(note[i].nt_ns - start_ns));
		ATF_CHECK(i == 0 || note[i].nt_ns == note[i - 1].nt_ns ||
		    note[i].nt_entropy.ie_cycles >
		    note[i - 1].nt_entropy.ie_cycles);
		/* The count of the first event after it was read. */
		if (in->in_host != NULL && (i == 0 || note[i].nt_ns - read_ns >=
		    NS_PER_S / READS_PER_S)) {
			read_ns = note[i].nt_ns;
			count = 1000 + i;
		}
		ATF_CHECK_EQ_MSG(count, note[i].nt_entropy.ie_host_count,
		    "%ju Hz: event %u has %ju, not %u", (uintmax_t)rate, i,
		    (uintmax_t)note[i].nt_entropy.ie_host_count, count);
	}
	interrupt_fini(in);
}

TEST(interrupt_run__events, "The i-th event comes i/rate seconds after the "
    "first, never before; the host's count is read four times a second")
{
	static const unsigned rates[][2] = { { 3, 10 }, { 7, 30 },
	    { 1000, 1001 }, { 1024, 2049 } };
	struct machine_outcome mo;

	for (size_t i = 0; i < nitems(rates); i++) {
		wanted = rates[i][1];
		ATF_CHECK_EQ(0, support_run(run_source, (void *)(uintptr_t)
		    &rates[i][0], SUPPORT_LIMIT_PS, &mo));
	}
}

TEST_PROGRAM()
