/*
 * Both harvest queues, through random_harvest_queue() and its like: the ways
 * into a queue, the harvest thread, and the producers of harvest/.
 */
#include "tests/unit/harvest_fixture.h"

#define	BIT(source)	(UINT32_C(1) << (source))

BOTH_QUEUES(capacity, "one slot of the ring stays empty, the buffer fills to "
    "the last; the rest is counted")
{
	const unsigned room = queue == HARVEST_MODEL_ring ? 1023 : 1024;

	setup(queue);
	/* More than once, so that the ring is full at every position. */
	for (unsigned round = 1; round <= 3; round++) {
		push(room + 5, RANDOM_SWI);
		ATF_CHECK_EQ(room, totals().ht_pending);
		ATF_CHECK_EQ(5 * round, totals().ht_dropped);
		pass();
		ATF_CHECK_EQ(room * round, notes);
		ATF_CHECK_EQ(0, totals().ht_pending);
	}
}

BOTH_QUEUES(order, "events keep their order, and each source has destinations "
    "of its own that wrap at 256")
{
	setup(queue);
	for (unsigned i = 0; i < 600; i++) {
		randomdev_harvest(dev.d_rd, RANDOM_QUEUE, &i, sizeof(i),
		    i % 2 == 0 ? RANDOM_SWI : RANDOM_INTERRUPT);
		if (i % 100 == 99)
			pass();
	}
	ATF_REQUIRE_EQ(600, notes);
	for (unsigned i = 0; i < 600; i++) {
		ATF_CHECK_EQ(0, memcmp(&i, note[i].he_entropy, sizeof(i)));
		ATF_CHECK_EQ(sizeof(i), note[i].he_size);
		ATF_CHECK_EQ((uint8_t)(i / 2), note[i].he_destination);
		ATF_CHECK_EQ(i % 2 == 0 ? RANDOM_SWI : RANDOM_INTERRUPT,
		    (int)note[i].he_source);
	}
}

static struct kern_sysctl *
mask(void)
{
	struct kern_sysctl *kx = kern_sysctl_find(randomdev_object(dev.d_rd),
	    "kern.random.harvest.mask");

	ATF_REQUIRE(kx != NULL);
	return (kx);
}

static void
enlist(enum random_entropy_source source, randomdev_read_source *read,
    void *state)
{
	randomdev_register(dev.d_rd, "test", source, read, state);
}

BOTH_QUEUES(mask_values, "what sysctl(8) shows after boot; immutable bits keep "
    "their value, bits of no source are refused, registering sets a bit")
{
	static const struct {
		int64_t	value;
		int64_t	mask;	/* then; -1: refused */
	} rows[] = {
		{ 0, 32768 }, { 7135, 39903 }, { 511, 32768 | (511 & ~32) },
		{ (1 << ENTROPYSOURCE) - 1, 39903 },
		{ 1 << ENTROPYSOURCE, -1 }, { UINT32_MAX, -1 },
		{ 0x1fff, 39903 },
	};
	int64_t before;

	setup(queue);
	ATF_CHECK_EQ(7135, mask()->kx_get(mask()));
	enlist(RANDOM_PURE_RDSEED, device_read_nothing, NULL);
	ATF_CHECK_EQ(39903, mask()->kx_get(mask()));
	for (size_t i = 0; i < nitems(rows); i++) {
		before = mask()->kx_get(mask());
		ATF_CHECK_EQ_MSG(rows[i].mask < 0, mask()->kx_set(mask(),
		    rows[i].value) != 0, "row %zu", i);
		ATF_CHECK_EQ_MSG(rows[i].mask < 0 ? before : rows[i].mask,
		    mask()->kx_get(mask()), "row %zu: %jd", i,
		    (intmax_t)mask()->kx_get(mask()));
	}
}

BOTH_QUEUES(masked, "a masked source's events are nowhere, not even dropped, "
    "whichever way they come")
{
	setup(queue);
	ATF_CHECK_EQ(0, mask()->kx_set(mask(), 7135 & ~BIT(RANDOM_INTERRUPT)));
	push(10, RANDOM_INTERRUPT);
	push(10, RANDOM_NET_ETHER);
	for (enum random_entry e = RANDOM_QUEUE; e <= RANDOM_DIRECT; e++)
		randomdev_harvest(dev.d_rd, e, "masked", 6, RANDOM_INTERRUPT);
	push(3, RANDOM_SWI);
	pass();
	ATF_CHECK_EQ(3, notes);
	ATF_CHECK_EQ(3, totals().ht_in);
}

/* hashlittle() of lookup3.c, written from its description. */
static uint32_t
lookup3(const uint8_t *p, size_t n, uint32_t init)
{
	static const uint8_t mix[] = { 4, 6, 8, 16, 19, 4 };
	static const uint8_t final[] = { 14, 11, 25, 16, 4, 14, 24 };
	uint32_t x[3];
	unsigned a, b, r;

	x[0] = x[1] = x[2] = 0xdeadbeef + (uint32_t)n + init;
	for (; n > 12; n -= 12, p += 12) {
		for (unsigned i = 0; i < 12; i++)
			x[i / 4] += (uint32_t)p[i] << 8 * (i % 4);
		for (unsigned i = 0; i < nitems(mix); i++) {
			a = i % 3;
			b = (i + 2) % 3;
			x[a] -= x[b];
			x[a] ^= x[b] << mix[i] | x[b] >> (32 - mix[i]);
			x[b] += x[(i + 1) % 3];
		}
	}
	for (unsigned i = 0; i < n; i++)
		x[i / 4] += (uint32_t)p[i] << 8 * (i % 4);
	for (unsigned i = 0; n > 0 && i < nitems(final); i++) {
		a = (i + 2) % 3;
		b = (i + 1) % 3;
		r = final[i];
		x[a] = (x[a] ^ x[b]) - (x[b] << r | x[b] >> (32 - r));
	}
	return (x[2]);
}

TEST(lookup3__published, "lookup3.c's own driver states these")
{
	static const char text[] = "Four score and seven years ago";
	const uint8_t *p = (const uint8_t *)text;

	ATF_CHECK_EQ(0xdeadbeef, lookup3(p, 0, 0));
	ATF_CHECK_EQ(0xbd5b7dde, lookup3(p, 0, 0xdeadbeef));
	ATF_CHECK_EQ(0x17770551, lookup3(p, 30, 0));
	ATF_CHECK_EQ(0xcd628161, lookup3(p, 30, 1));
}

/*
 * Whether events 8 and on are hashes with slots' addresses, the slots one
 * behind the other from address "at" on.
 */
static bool
hashed_from(const uint8_t *bytes, size_t most, uint32_t at)
{
	const uint32_t slot = 16;
	uint32_t hash;

	for (size_t size = 9; size <= most; size++) {
		hash = lookup3(bytes, size, at + slot * (uint32_t)(size - 9));
		if (memcmp(&hash, note[size - 1].he_entropy, 4) != 0)
			return (false);
	}
	return (true);
}

BOTH_QUEUES(payload, "8 bytes are copied, at any alignment; more become four, "
    "Jenkins' hash with the slot's address; in a direct event they are cut")
{
	static const uint8_t bytes[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
	    0xff, 0x80, 0, 0, 0, 7, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
	const size_t most = sizeof(bytes) - 1;
	uint32_t at, near;

	setup(queue);
	for (size_t size = 1; size <= most; size++)
		randomdev_harvest(dev.d_rd, RANDOM_QUEUE, bytes + 1, size,
		    RANDOM_SWI);
	pass();
	ATF_REQUIRE_EQ(most, notes);
	for (size_t size = 1; size <= most; size++) {
		ATF_CHECK_EQ(size <= 8 ? size : 4, note[size - 1].he_size);
		ATF_CHECK(size > 8 || memcmp(bytes + 1,
		    note[size - 1].he_entropy, size) == 0);
	}
	/* The queue is a variable of the object, not far from another. */
	near = (uint32_t)(uintptr_t)randomdev_object(dev.d_rd)->ko_device();
	for (at = near - (1 << 20); at != near + (1 << 20); at++)
		if (hashed_from(bytes + 1, most, at))
			break;
	ATF_CHECK(at != near + (1 << 20));
	randomdev_harvest(dev.d_rd, RANDOM_DIRECT, bytes, 9, RANDOM_ATTACH);
	ATF_REQUIRE_EQ(most + 1, notes);
	ATF_CHECK_EQ(8, note[most].he_size);
	ATF_CHECK(memcmp(bytes, note[most].he_entropy, 8) == 0);
}

/* How often a text is among the object's variables: .data and .bss. */
static unsigned
copies(const char *text)
{
	const uintptr_t at = (uintptr_t)randomdev_object(dev.d_rd)->ko_device();
	uintptr_t begin, end, next = 0;
	unsigned found = 0;
	char line[512];
	const char *p;
	FILE *maps = fopen("/proc/self/maps", "r");

	if (maps == NULL)
		atf_tc_skip("no /proc/self/maps");
	while (fgets(line, sizeof(line), maps) != NULL) {
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &begin, &end) != 2 ||
		    (begin != next && (at < begin || at >= end)))
			continue;
		next = next == 0 ? end : 0;
		for (p = (const char *)begin; (p = memmem(p, end -
		    (uintptr_t)p, text, strlen(text))) != NULL; p++)
			found++;
	}
	fclose(maps);
	return (found);
}

BOTH_QUEUES(slots_are_wiped, "what was delivered is in the queue no longer")
{
	static const char text[] = "aSecret7";

	setup(queue);
	for (unsigned i = 0; i < 100; i++)
		randomdev_harvest(dev.d_rd, RANDOM_QUEUE, text, 8, RANDOM_SWI);
	ATF_CHECK_EQ(100, copies(text));
	pass();
	ATF_REQUIRE_EQ(100, notes);
	ATF_CHECK_EQ(0, copies(text));
}

BOTH_QUEUES(preload, "what a loader left is delivered in whole events, to each "
    "pool in turn, and wiped to its last byte")
{
	struct randomdev_params rp = device_params(design_find("locked"),
	    ciphers[0]);
	uint8_t boot[8 * 33 + 5];

	memset(boot, 0x33, sizeof(boot));
	rp.rp_queue = queue;
	rp.rp_kernel.kp_preload = boot;
	rp.rp_kernel.kp_preload_bytes = sizeof(boot);
	setup_params(&rp);
	ATF_CHECK_EQ(33, totals().ht_delivered);
	ATF_CHECK_EQ(2 * EVENT_BYTES, device_status(&dev).ds_pool0_bytes);
	ATF_CHECK(support_all(boot, sizeof(boot), 0));
}

BOTH_QUEUES(fast, "the accumulator gives an event of four bytes for each of "
    "its "
    "eight words that got something since the last pass")
{
	setup(queue);
	/* No kernel counts these by default. */
	randomdev_harvest(dev.d_rd, RANDOM_FAST, "x", 1, RANDOM_UMA);
	pass();
	ATF_CHECK_EQ(0, notes);
	enlist(RANDOM_UMA, device_read_nothing, NULL);
	for (unsigned n = 0; n <= 10; n++) {
		notes = 0;
		for (unsigned i = 0; i < n; i++)
			randomdev_harvest(dev.d_rd, RANDOM_FAST, &i, sizeof(i),
			    RANDOM_UMA);
		pass();
		ATF_CHECK_EQ_MSG(n < 8 ? n : 8, notes, "%u of %u", notes, n);
		for (unsigned i = 0; i < notes; i++)
			ATF_CHECK(note[i].he_size == 4 &&
			    note[i].he_source == RANDOM_UMA);
	}
}

static size_t
counting_read(void *state, void *buf, size_t len)
{
	unsigned *reads = state;

	++*reads;
	ATF_CHECK_EQ(8, len);
	memset(buf, 0x77, len);
	/* Nothing, a part, all, in turn. */
	return (*reads % 3 == 0 ? 0 : *reads % 3 == 1 ? 5 : 8);
}

/* Reads in the next pass. */
static unsigned
reads_of_pass(unsigned *reads)
{
	*reads = 0;
	pass();
	return (*reads);
}

DEVICE_TEST(queue_2019__feed, "32 reads of a source for each word that was "
    "read, 1 to 8, and the count starts anew")
{
	static const unsigned rows[][2] = { { 0, 32 }, { 1, 32 }, { 8, 96 },
	    { 28, 256 }, { 100, 256 }, { 0, 32 } };
	uint8_t buf[100];
	unsigned reads;

	setup(HARVEST_MODEL_ring);
	device_feed_pool0(&dev, SEED_EVENTS);
	ATF_REQUIRE(randomdev_seeded(dev.d_rd));
	enlist(RANDOM_ATTACH, counting_read, &reads);
	for (size_t i = 0; i < nitems(rows); i++) {
		if (rows[i][0] > 0)
			device_read(&dev, buf, rows[i][0]);
		ATF_CHECK_EQ_MSG(rows[i][1], reads_of_pass(&reads), "row %zu: "
		    "%u", i, reads);
	}
	teardown();
}

DEVICE_TEST(queue_newest__feed, "4 reads of a source, 256 while unseeded; what "
    "was read is not counted")
{
	uint8_t buf[100];
	unsigned reads;

	setup(HARVEST_MODEL_newest);
	device_feed_pool0(&dev, SEED_EVENTS);
	ATF_REQUIRE(randomdev_seeded(dev.d_rd));
	device_read(&dev, buf, sizeof(buf));
	enlist(RANDOM_ATTACH, counting_read, &reads);
	for (unsigned i = 0; i < 3; i++)
		ATF_CHECK_EQ(4, reads_of_pass(&reads));
	teardown();
	setup(HARVEST_MODEL_newest);
	enlist(RANDOM_ATTACH, counting_read, &reads);
	ATF_CHECK_EQ(256, reads_of_pass(&reads));
	teardown();
}

BOTH_QUEUES(feed_delivers, "what a read of a source returns is an event of "
    "that "
    "size, nothing is none, and the mask holds")
{
	static unsigned reads;	/* the last pass is after this function */
	unsigned delivered;

	setup(queue);
	enlist(RANDOM_ATTACH, counting_read, &reads);
	(void)reads_of_pass(&reads);
	ATF_REQUIRE_EQ(reads - reads / 3, notes);
	for (unsigned i = 0; i < notes; i++) {
		ATF_CHECK_EQ(i % 2 == 0 ? 5 : 8, note[i].he_size);
		ATF_CHECK_EQ((uint8_t)i, note[i].he_destination);
		ATF_CHECK_EQ(RANDOM_ATTACH, (int)note[i].he_source);
		ATF_CHECK_EQ(0x77, note[i].he_entropy[4]);
	}
	delivered = notes;
	ATF_CHECK_EQ(0, mask()->kx_set(mask(), 0));
	pass();
	ATF_CHECK_EQ(delivered, notes);
}

BOTH_QUEUES(deregistered, "of three sources the one that is gone is read no "
    "more and not in the mask, the others are")
{
	static unsigned reads[3];	/* the last pass is after this */
	int64_t before;

	setup(queue);
	for (unsigned i = 0; i < nitems(reads); i++)
		enlist(RANDOM_PURE_START + i, counting_read, &reads[i]);
	pass();
	for (unsigned i = 0; i < nitems(reads); i++) {
		ATF_CHECK_MSG(reads[i] > 0, "source %u", i);
		reads[i] = 0;
	}
	before = mask()->kx_get(mask());
	randomdev_deregister(dev.d_rd, 1);
	ATF_CHECK_EQ(before - BIT(RANDOM_PURE_START + 1),
	    mask()->kx_get(mask()));
	pass();
	for (unsigned i = 0; i < nitems(reads); i++)
		ATF_CHECK_EQ_MSG(i != 1, reads[i] > 0, "source %u", i);
}

BOTH_QUEUES(stop_empties, "the thread ends after a whole pass: nothing that "
    "was "
    "queued before is left")
{
	setup(queue);
	pass();
	push(100, RANDOM_SWI);
	stop();
	ATF_CHECK_EQ(100, notes);
	push(7, RANDOM_SWI);
	ATF_CHECK_EQ(7, totals().ht_pending);
}

BOTH_QUEUES(window, "deliveries are timed while a window is open, one by one")
{
	setup(queue);
	push(10, RANDOM_SWI);
	pass();
	randomdev_window(dev.d_rd, true);
	push(20, RANDOM_SWI);
	pass();
	randomdev_window(dev.d_rd, false);
	push(10, RANDOM_SWI);
	pass();
	stop();
	ATF_CHECK_EQ(20, delivery.hi_count);
}

enum { PRODUCERS = 4, PUSHES = 20000 };

struct pusher {
	struct mthread	 pu_td;
	struct m32	*pu_done;
	uint32_t	 pu_who;
};

/* Each has a source of its own. */
static void
pusher_run(void *arg)
{
	struct pusher *pu = arg;
	uint32_t payload[2];

	machine_curthread()->mt_index = 1 + pu->pu_who;
	payload[0] = pu->pu_who;
	for (payload[1] = 1; payload[1] <= PUSHES; payload[1]++)
		randomdev_harvest(dev.d_rd, RANDOM_QUEUE, payload,
		    sizeof(payload), RANDOM_ATTACH + pu->pu_who);
	atomic_fetchadd_32(pu->pu_done, 1);
}

/* Each producer's events in the order it pushed them, none twice. */
static void
check_order(void)
{
	uint32_t payload[2], last[PRODUCERS] = { 0 };

	for (unsigned i = 0; i < notes && i < NOTES_MAX; i++) {
		memcpy(payload, note[i].he_entropy, sizeof(payload));
		ATF_REQUIRE(payload[0] < PRODUCERS);
		ATF_CHECK(payload[1] > last[payload[0]]);
		last[payload[0]] = payload[1];
	}
}

BOTH_QUEUES(conservation, "with producers at work, each event is processed, "
    "pending or counted as dropped")
{
	struct pusher *pusher = support_alloc(PRODUCERS, sizeof(*pusher));
	struct harvest_totals ht;
	struct m32 done;

	setup(queue);
	ATF_CHECK_EQ(0, mask()->kx_set(mask(), 0x1fff));
	atomic_init_32(&done, 0);
	for (unsigned i = 0; i < PRODUCERS; i++) {
		pusher[i].pu_done = &done;
		pusher[i].pu_who = i;
		support_spawn(&pusher[i].pu_td, "pusher", MACHINE_CPU_ANY,
		    pusher_run, &pusher[i]);
	}
	while (atomic_load_32(&done) < PRODUCERS)
		pass();
	for (unsigned i = 0; i < PRODUCERS; i++)
		machine_join(&pusher[i].pu_td);
	pass();
	pass();
	ht = totals();
	ATF_CHECK_EQ(PRODUCERS * PUSHES, ht.ht_in);
	ATF_CHECK_EQ(0, ht.ht_pending);
	ATF_CHECK_EQ(ht.ht_processed, notes);
	check_order();
	free(pusher);
}

/* What harvest/ makes of a configuration. */

static struct harvest hv;

static struct harvest_config
config_of(const char *sources)
{
	struct harvest_config hc = harvest_config_default();

	strcpy(hc.sources, sources);
	hc.rate_hz = HARVEST_RATE_MAX_HZ;
	return (hc);
}

static void
begin(const struct harvest_config *hc, unsigned producers)
{
	char error[HARVEST_ERROR_SIZE];

	ATF_REQUIRE_EQ_MSG(0, harvest_init(&hv, hc, error), "%s", error);
	harvest_params(&hv, &harvested);
	harvest_attach(&hv, dev.d_rd);
	ATF_REQUIRE_EQ(producers, hv.hv_producers);
	spawn_harvester();
}

static void
end(void)
{
	randomdev_harvest_stop(dev.d_rd);
	machine_join(&harvester);
	harvested = (struct randomdev_params){ .rp_arg = NULL };
}

static void
await(unsigned want)
{
	while (__atomic_load_n(&notes, __ATOMIC_ACQUIRE) < want)
		machine_yield();
}

static void
producer_run(void *arg __unused)
{
	machine_curthread()->mt_index = 1;
	harvest_run(&hv, 0);
}

BOTH_QUEUES(interrupts, "a producer thread makes its own events and ends when "
    "it is stopped")
{
	struct harvest_config hc = config_of("interrupt");
	static struct mthread td;

	hc.interrupt_rate_hz = INTERRUPT_RATE_MAX_HZ;
	setup(queue);
	begin(&hc, 1);
	support_spawn(&td, "producer", MACHINE_CPU_ANY, producer_run, NULL);
	await(2000);
	harvest_stop(&hv);
	machine_interrupt(&td);
	machine_join(&td);
	end();
	for (unsigned i = 0; i < 2000; i++) {
		ATF_CHECK_EQ(RANDOM_INTERRUPT, (int)note[i].he_source);
		ATF_CHECK_EQ(4, note[i].he_size);
		ATF_CHECK_EQ((uint8_t)i, note[i].he_destination);
	}
	harvest_fini(&hv);
}

DEVICE_TEST(harvest_init__fails, "each failure says why and leaves nothing "
    "behind")
{
	static const struct {
		const char	*sources, *record;
		int		 error;
		const char	*says;
	} rows[] = {
		{ "nothing", "", EINVAL, "\"nothing\"" },
		{ "none", "no/such/folder", ENOENT, "no/such/folder" },
		{ "interrupt", "no/such/folder", ENOENT, "no/such/folder" },
		{ "interrupt,nothing", "", EINVAL, "\"nothing\"" },
	};
	const volatile uint64_t *allocated = support_allocated();
	const volatile uint64_t *freed = support_freed();
	struct harvest_config hc;
	char error[HARVEST_ERROR_SIZE];
	uint64_t kept = 0;

	setup(HARVEST_MODEL_newest);
	for (size_t i = 0; i < nitems(rows); i++) {
		hc = config_of(rows[i].sources);
		strcpy(hc.record_file, rows[i].record);
		/* What the first one makes for all stays. */
		for (unsigned k = 0; k < 2; k++) {
			kept = *allocated - *freed;
			ATF_CHECK_EQ(rows[i].error, harvest_init(&hv, &hc,
			    error));
			ATF_CHECK_MSG(strstr(error, rows[i].says) != NULL,
			    "%s", error);
		}
		ATF_CHECK_EQ_MSG(kept, *allocated - *freed, "row %zu", i);
	}
	teardown();
}

DEVICE_TEST(harvest_init__any_memory, "in any memory, a source is polled or a "
    "producer; the thread sleeps as its rate says, or as it would; events are "
    "recorded, and no memory is left")
{
	const volatile uint64_t *allocated = support_allocated();
	const volatile uint64_t *freed = support_freed();
	const struct random_source *rs;
	struct randomdev_params rp;
	struct harvest_config hc;
	char error[HARVEST_ERROR_SIZE];
	uint64_t kept = 0;
	bool present, records;
	int64_t timeout_ns;

	for (unsigned i = 0; i < 2 * RANDOM_SOURCES; i++) {
		rs = random_sources[i / 2];
		present = random_source_present(rs);
		records = i % 2 == 0;
		hc = config_of(rs->rs_ident);
		hc.rate_hz = records ? 0 : 50;
		strcpy(hc.record_file, records ? "r" : "");
		/* What the first one makes for all stays. */
		for (unsigned k = 0; k < 3; k++) {
			kept = *allocated - *freed;
			memset(&hv, 0xa5, sizeof(hv));
			ATF_REQUIRE_EQ(0, harvest_init(&hv, &hc, error));
			harvest_fini(&hv);
			harvest_fini(&hv);
		}
		ATF_CHECK_EQ_MSG(kept, *allocated - *freed, "%s", hc.sources);
		setup(HARVEST_MODEL_newest);
		ATF_REQUIRE_EQ(0, harvest_init(&hv, &hc, error));
		ATF_CHECK_EQ(present, hv.hv_sources.rsl_count);
		ATF_CHECK_EQ(!present, hv.hv_sources.rsl_skipped_count);
		rp.rp_record = note_event;
		harvest_params(&hv, &rp);
		timeout_ns = 7;
		rp.rp_idle(rp.rp_arg, &timeout_ns);
		ATF_CHECK_EQ(records ? 7 : NS_PER_S / 50, timeout_ns);
		ATF_CHECK_EQ(records, rp.rp_record != note_event);
		rp.rp_record(rp.rp_arg, &(struct random_event){ .he_size = 1 });
		ATF_CHECK_EQ(records, hv.hv_record.rc_count);
		harvest_attach(&hv, dev.d_rd);
		ATF_CHECK_EQ(present && rs->rs_run != NULL, hv.hv_producers);
		/* Its bit is set; CACHED's always is. */
		ATF_CHECK_EQ(present && rs->rs_read != NULL, rs->rs_source ==
		    RANDOM_CACHED || mask()->kx_get(mask()) != 7135);
		ATF_CHECK(!harvest_stopping(&hv));
		harvest_stop(&hv);
		ATF_CHECK(harvest_stopping(&hv));
		harvest_fini(&hv);
		dev.d_counted = false;
		teardown();
	}
}

TEST_PROGRAM()
