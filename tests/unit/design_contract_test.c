/*
 * What a design and its device promise, asked of every design with every
 * cipher: a new design is tested by being in the table.
 *
 * The null design produces a pattern, needs no seed and promises nothing more;
 * cases about output leave it out.
 */
#include <ctype.h>

#include <openssl/evp.h>

#include "tests/unit/device.h"

enum {
	MEGABYTE	= 1 << 20,
	READERS		= 4,
	PASSES		= 12,		/* of each reader over the sizes */
	MOVERS		= 3,		/* readers that move between CPUs */
	MOVER_READS	= 150,
	FILL		= 0xa5,
	GUARD		= 64
};

static const int64_t HOUR_NS = 3600 * NS_PER_S;

static void
make_seeded(struct device *d, const struct design *de,
    const struct cipher *cipher)
{
	device_make(d, de, cipher);
	device_seed(d);
}

/* A case whose body gets a new device d of each design and cipher. */
#define	CONTRACT(name, make, text)					\
static void	name##_check(struct device *d);				\
DEVICE_TEST(name, text)							\
{									\
	device_walk(make, name##_check);				\
}									\
static void								\
name##_check(struct device *d)

/* What is printed as prose: a capital at each beginning, a stop at the end. */
static void
check_sentences(const char *ident, const char *text)
{
	const char *p = text;

	for (; p != NULL; p = strstr(p, ".  ")) {
		p += p == text ? 0 : 3;
		ATF_CHECK_MSG(isupper((unsigned char)*p), "%s: \"%.20s...\"",
		    ident, p);
	}
	ATF_CHECK_MSG(text[strlen(text) - 1] == '.', "%s: \"%s\"", ident, text);
}

TEST(design_at__describes_itself, "Names are there and unique, each design is "
    "found by its own, what it stands for and what is to be argued are "
    "sentences, and there is one null design")
{
	const struct design *de;
	unsigned null = 0;

	for (size_t i = 0; (de = design_at(i)) != NULL; i++) {
		ATF_REQUIRE(de->de_ident[0] != '\0' && de->de_descr[0] != '\0');
		check_sentences(de->de_ident, de->de_stands);
		check_sentences(de->de_ident, de->de_argument);
		ATF_CHECK_MSG(strpbrk(de->de_ident, ", \t\n=") == NULL, "%s",
		    de->de_ident);
		ATF_CHECK_EQ_MSG(de, design_find(de->de_ident), "%s is there "
		    "twice", de->de_ident);
		null += (de->de_flags & DE_NULL) != 0;
		ATF_CHECK((de->de_flags & (DE_NULL | DE_FORTUNA_BYTES)) !=
		    (DE_NULL | DE_FORTUNA_BYTES));
	}
	ATF_CHECK_EQ(1, null);
	ATF_CHECK(design_find("locked") != NULL);
	ATF_CHECK(design_find("concurrent") != NULL);
	ATF_CHECK_EQ(NULL, design_find(""));
	ATF_CHECK_EQ(NULL, design_find("no such design"));
}

/* Whether the design has a sysctl; 0: it takes the value. */
static int
check_setting(const struct design *de, struct kern_setting set)
{
	char range[DESIGN_RANGE_SIZE];

	return (design_check(de, HARVEST_MODEL_newest, &set, range));
}

TEST(design_sysctls__no_thread, "A thread that asks for sysctls is one of the "
    "machine afterwards if it was before")
{
	static struct mthread self;
	struct design_sysctl list[DESIGN_SYSCTLS_MAX];

	ATF_REQUIRE_EQ(0, cpu_init());
	support_crypto();
	for (unsigned i = 0; i < 2; i++) {
		ATF_CHECK(design_sysctls(design_at(0), list) > 0);
		ATF_CHECK_EQ(i == 0 ? NULL : &self, machine_curthread());
		if (i == 0)
			machine_attach(&self, "test");
	}
	crypto_fini();
}

DEVICE_TEST(design_sysctls__settable, "Each sysctl that a design lists takes "
    "the value that it has, and no other name is one")
{
	struct kern_setting minpoolsize = {
	    "kern.random.fortuna.minpoolsize", 0 }, none = { "kern.random", 0 };
	struct design_sysctl list[DESIGN_SYSCTLS_MAX];
	struct kern_setting set;
	const struct design *de;
	unsigned n;

	for (size_t i = 0; (de = design_at(i)) != NULL; i++) {
		n = design_sysctls(de, list);
		/* random(4) and the queue have some. */
		ATF_CHECK_MSG(n >= 4 && n < DESIGN_SYSCTLS_MAX, "%s: %u",
		    de->de_ident, n);
		for (unsigned k = 0; k < n; k++) {
			memcpy(set.kv_name, list[k].dy_name, KERN_NAME_SIZE);
			set.kv_value = list[k].dy_value;
			ATF_CHECK_EQ_MSG(0, check_setting(de, set), "%s: %s",
			    de->de_ident, set.kv_name);
			ATF_CHECK(list[k].dy_descr[0] != '\0');
		}
		ATF_CHECK_EQ(ENOENT, check_setting(de, none));
		if ((de->de_flags & DE_FORTUNA_BYTES) == 0)
			continue;
		for (minpoolsize.kv_value = 14; minpoolsize.kv_value < 18;
		    minpoolsize.kv_value++)
			ATF_CHECK_EQ(minpoolsize.kv_value < 16 ? EINVAL : 0,
			    check_setting(de, minpoolsize));
	}
}

CONTRACT(randomdev_new__unseeded, device_make, "A new device has no entropy "
    "and says so, whatever timers do; the null design needs none, and one that "
    "never blocks seeds itself when asked")
{
	const struct device_status ds = device_status(d);

	CHECK(d, !ds.ds_seeded);
	CHECK_EQ(d, 0, ds.ds_reseeds);
	CHECK_EQ(d, 0, ds.ds_pool0_bytes);
	if (!device_never_waits(d))
		for (unsigned hour = 1; hour < 4; hour++)
			(void)randomdev_timer(d->d_rd, hour * HOUR_NS);
	CHECK_EQ(d, device_never_waits(d), randomdev_seeded(d->d_rd));
}

CONTRACT(randomdev_deliver__seeds, device_make, "Enough events seed the "
    "device, fewer do not, and then no thread waits for it")
{
	unsigned i;

	if (device_is_null(d))
		return;
	i = device_seed(d);
	ATF_CHECK_MSG(device_never_waits(d) ? i == 0 : i > 0 && i < PATIENCE,
	    "%s: seeded after %u events", d->d_name, i);
	CHECK(d, device_status(d).ds_seeded);
	CHECK(d, device_status(d).ds_reseeds <= 1);
}

CONTRACT(randomdev_status__counts, device_make, "The status follows pool 0 and "
    "the reseeds of FreeBSD's Fortuna")
{
	struct device_status ds;
	uint8_t byte;

	if ((d->d_de->de_flags & DE_FORTUNA_BYTES) == 0)
		return;
	for (uint32_t i = 1; i <= SEED_EVENTS; i++) {
		device_feed(d, 0);
		ds = device_status(d);
		ATF_CHECK_MSG(ds.ds_pool0_bytes == EVENT_BYTES * i &&
		    ds.ds_pool0_needed_bytes == 64 && ds.ds_reseeds == 0 &&
		    !ds.ds_seeded, "%s: event %u: %u of %u bytes, %u reseeds",
		    d->d_name, i, ds.ds_pool0_bytes, ds.ds_pool0_needed_bytes,
		    ds.ds_reseeds);
	}
	randomdev_pre_read(d->d_rd);
	ds = device_status(d);
	ATF_CHECK_MSG(ds.ds_pool0_bytes == 0 && ds.ds_reseeds == 1 &&
	    ds.ds_seeded, "%s: %u bytes, %u reseeds", d->d_name,
	    ds.ds_pool0_bytes, ds.ds_reseeds);
	/* A read does that first, also of a device that is seeded. */
	device_feed_pool0(d, SEED_EVENTS);
	device_read(d, &byte, 1);
	CHECK_EQ(d, 2, device_status(d).ds_reseeds);
}

static const struct kern_setting block_seeded = {
    "kern.random.block_seeded_status", 1 };

static void
make_blocked(struct device *d, const struct design *de,
    const struct cipher *cipher)
{
	device_make_set(d, de, cipher, &block_seeded, 1);
}

CONTRACT(randomdev_seeded__block_seeded_status, make_blocked,
    "block_seeded_status denies a seeding that there was")
{
	if (check_setting(d->d_de, block_seeded) != 0)
		return;
	device_feed_pool0(d, SEED_EVENTS);
	randomdev_pre_read(d->d_rd);
	CHECK(d, !randomdev_seeded(d->d_rd));
	/* Seeded it is, or the knob would not have been what denied it. */
	CHECK(d, device_status(d).ds_seeded);
}

CONTRACT(randomdev_read__sizes, make_seeded, "Each size is filled whole and "
    "nothing else; two reads never give the same bytes, nor one of nothing "
    "any change of K")
{
	static const size_t sizes[] = { 0, 1, 15, 16, 17, 31, 32, 64, 100, 4095,
	    4096, 4097, 65536 };
	static uint8_t buf[GUARD + 65536 + GUARD], last[65536];
	struct random_state after = { .rst_reseeds = 0 }, before = after;
	uint8_t *out = buf + GUARD;
	size_t n, zeros;

	for (size_t i = 0; i < nitems(sizes); i++) {
		n = sizes[i];
		memset(buf, FILL, sizeof(buf));
		(void)randomdev_core(d->d_rd, &before, false);
		device_read(d, out, n);
		ATF_CHECK_MSG(support_all(buf, GUARD, FILL) &&
		    support_all(out + n, sizeof(buf) - GUARD - n, FILL),
		    "%s: %zu bytes: wrote outside of them", d->d_name, n);
		if (randomdev_core(d->d_rd, &after, false))
			ATF_CHECK_EQ_MSG(n == 0, memcmp(before.rst_key,
			    after.rst_key, sizeof(after.rst_key)) == 0 &&
			    before.rst_counter == after.rst_counter, "%s, %zu "
			    "bytes", d->d_name, n);
		if (device_is_null(d) || n < 15)
			continue;
		/* As long a run of one byte has a chance of 2^-120. */
		for (zeros = 0; zeros + 15 <= n; zeros++)
			if (support_all(out + zeros, 15, out[zeros]))
				break;
		ATF_CHECK_MSG(zeros + 15 > n,
		    "%s: %zu bytes: all the same from %zu", d->d_name, n,
		    zeros);
		memcpy(last, out, n);
		device_read(d, out, n);
		ATF_CHECK_MSG(memcmp(last, out, n) != 0,
		    "%s: %zu bytes: twice the same", d->d_name, n);
		/* What the device copies may be more. */
		memset(buf, FILL, sizeof(buf));
		randomdev_generate(d->d_rd, 0, out, n);
		ATF_CHECK_MSG(support_all(buf, GUARD, FILL) &&
		    support_all(out + n, sizeof(buf) - GUARD - n, FILL),
		    "%s: %zu bytes: generated outside of them", d->d_name, n);
	}
}

/* A reader thread and all it read. */
struct reader {
	struct mthread	 r_thread;
	struct device	*r_device;
	struct m32	*r_go;
	unsigned	 r_index;
	bool		 r_moves;	/* to another CPU each time */
	uint8_t		*r_out;
	uint64_t	 r_unread;
};

/* A reader's requests, in order; 0 when there are no more. */
static size_t
reader_size(bool moves, unsigned i)
{
	static const size_t sizes[] = { 16, 100, 31, 4096, 4097, 65552, 32 };

	if (moves)
		return (i < MOVER_READS ? 48 : 0);
	if (i == 0)
		return (MEGABYTE + 48);
	return (i > PASSES * nitems(sizes) ? 0 : sizes[i % nitems(sizes)]);
}

static void
reader_run(void *arg)
{
	struct reader *r = arg;
	uint8_t *out = r->r_out;
	size_t left, n;

	machine_curthread()->mt_index = r->r_index;
	support_await(r->r_go);
	for (unsigned i = 0; (n = reader_size(r->r_moves, i)) != 0; i++) {
		(void)randomdev_read(r->r_device->d_rd, (int)(r->r_moves ?
		    (r->r_index + i) % DEVICE_CPUS : r->r_index % DEVICE_CPUS),
		    out, n, &left, true);
		r->r_unread += left;
		out += n;
	}
}

static int
by_block(const void *a, const void *b)
{
	return (memcmp(a, b, 16));
}

/* Whether readers that run while events and timers come share no block. */
static void
check_readers(struct device *d, unsigned count, bool moves, unsigned events)
{
	uint8_t *blocks, *out;
	struct reader *readers;
	struct m32 go;
	size_t i, n, bytes = 0, used = 0;
	unsigned k;

	for (k = 0; (n = reader_size(moves, k)) != 0; k++)
		bytes += n;
	readers = support_alloc(count, sizeof(*readers));
	blocks = support_alloc(count, bytes);
	atomic_init_32(&go, 0);
	for (struct reader *r = readers; r < readers + count; r++) {
		r->r_device = d;
		r->r_index = (unsigned)(r - readers) + 1;
		r->r_moves = moves;
		r->r_go = &go;
		r->r_out = support_alloc(1, bytes);
		support_spawn(&r->r_thread, "reader", (int)r->r_index - 1,
		    reader_run, r);
	}
	/* The harvest thread comes in between. */
	atomic_store_rel_32(&go, 1);
	for (k = 0; k < events; k++) {
		device_feed(d, k);
		if (k % 8 == 0)
			(void)randomdev_timer(d->d_rd, k * HOUR_NS);
	}
	for (struct reader *r = readers; r < readers + count; r++) {
		machine_join(&r->r_thread);
		CHECK_EQ(d, 0, r->r_unread);
		out = r->r_out;
		for (k = 0; (n = reader_size(moves, k)) != 0; k++) {
			for (i = 0; i + 16 <= n; i += 16)
				memcpy(blocks + 16 * used++, out + i, 16);
			out += n;
		}
		free(r->r_out);
	}
	/* Less than a block of each read is left out. */
	ATF_REQUIRE(16 * used > count * (bytes - 16 * k));
	qsort(blocks, used, 16, by_block);
	for (i = 1; i < used; i++)
		if (memcmp(blocks + 16 * (i - 1), blocks + 16 * i, 16) == 0)
			break;
	ATF_CHECK_MSG(i == used, "%s: a block was handed out twice", d->d_name);
	free(blocks);
	free(readers);
}

CONTRACT(randomdev_read__threads_share_nothing, make_seeded, "Of all 16-byte "
    "blocks that concurrent readers get, no two are equal: no key and counter "
    "is used twice")
{
	if (!device_is_null(d))
		check_readers(d, READERS, false, 2000);
}

/* Concurrency Kit orders memory in assembly, which ThreadSanitizer ignores. */
static bool
lock_understood(const struct lock_class *class)
{
#if defined(__SANITIZE_THREAD__)
	if (strncmp(class->lc_name, "ck-", 3) == 0)
		return (false);
#endif
	return ((class->lc_flags & LC_EXCLUDES) != 0);
}

TEST_CASE(randomdev_read__every_lock);
ATF_TC_HEAD(randomdev_read__every_lock, tc)
{
	atf_tc_set_md_var(tc, "descr", "Each design, those that hold several "
	    "mutexes among them, works with every kind of lock while readers "
	    "move between CPUs and entropy arrives");
	atf_tc_set_md_var(tc, "timeout", "1200");
}
ATF_TC_BODY(randomdev_read__every_lock, tc)
{
	static struct mthread self;
	struct randomdev_params rp;
	const struct design *de;
	struct device d;

	support_machine(&self);
	support_crypto();
	for (size_t i = 0; (de = design_at(i)) != NULL; i++) {
		if ((de->de_flags & DE_NULL) != 0)
			continue;
		for (unsigned k = 0; k < lock_class_count; k++) {
			if (!lock_understood(lock_classes[k]))
				continue;
			rp = device_params(de, ciphers[k % cipher_count]);
			rp.rp_kernel.kp_lock = lock_classes[k];
			device_make_params(&d, &rp);
			device_seed(&d);
			check_readers(&d, MOVERS, true, MOVER_READS);
			device_free(&d);
		}
	}
	crypto_fini();
}

/* As make_seeded(), without a ledger, which keeps what it is told. */
static void
check_allocations(const struct design *de, const struct cipher *cipher)
{
	static const size_t sizes[] = { 0, 1, 16, 17, 100, 4096, 4097,
	    MEGABYTE + 32 };
	static uint8_t buf[MEGABYTE + 32];
	const struct randomdev_params rp = device_params(de, cipher);
	const volatile uint64_t *now = support_allocated();
	struct device d = { .d_de = de, .d_cipher = cipher };
	struct device_status ds;
	uint64_t before, total = 0;

	ATF_REQUIRE_EQ(0, randomdev_new(&d.d_rd, &rp));
	device_seed(&d);
	for (size_t i = 0; i < nitems(sizes); i++)
		/* What is made on first use is made in the first rounds. */
		for (unsigned round = 0; round < 12; round++) {
			before = *now;
			device_read(&d, buf, sizes[i]);
			randomdev_status(d.d_rd, &ds);
			/* A hash, each MiB pcpu's, is wiped with its memory. */
			if (round >= 2 && (sizes[i] < MEGABYTE ||
			    (de->de_flags & DE_FORTUNA_BYTES) != 0))
				total += *now - before;
		}
	ATF_CHECK_EQ_MSG(0, total, "%s, %s: %ju bytes", de->de_ident,
	    cipher->ci_name, (uintmax_t)total);
	randomdev_free(d.d_rd);
}

DEVICE_TEST(randomdev_free__frees_all, "A device that ends, or is not made, "
    "frees what it has allocated, with each lock")
{
	const volatile uint64_t *allocated = support_allocated();
	const volatile uint64_t *freed = support_freed();
	struct randomdev_params rp = device_params(design_find("concurrent"),
	    cipher_find("aes"));
	struct randomdev *rd;
	uint64_t kept = 0;

	for (unsigned i = 0; i < 2 * lock_class_count; i++) {
		rp.rp_kernel.kp_lock = lock_classes[i / 2];
		/* A kind that no option of a kernel compiles in. */
		rp.rp_included = i % 2 << RANDOM_PURE_START;
		/* What the first one makes for all stays. */
		for (unsigned k = 0; k < 3; k++) {
			kept = *allocated - *freed;
			rd = NULL;
			ATF_REQUIRE_EQ(i % 2 == 0 ? 0 : ENXIO,
			    randomdev_new(&rd, &rp));
			ATF_CHECK_EQ(i % 2 == 0, rd != NULL);
			randomdev_free(rd);
			kept = *allocated - *freed - kept;
		}
		ATF_CHECK_EQ_MSG(0, kept, "%s: %jd bytes",
		    lock_classes[i / 2]->lc_name, (intmax_t)kept);
	}
}

DEVICE_TEST(randomdev_read__allocates_nothing, "After the first of each size, "
    "reads and what comes before them allocate no memory")
{
	const struct design *de;

	for (size_t i = 0; (de = design_at(i)) != NULL; i++)
		for (unsigned c = 0; c < cipher_count; c++)
			check_allocations(de, ciphers[c]);
}

/* Waits for seeding, with no time-out. */
static void
sleeper_run(void *arg)
{
	struct device *d = arg;

	machine_curthread()->mt_index = 1;
	while (!device_status(d).ds_seeded)
		randomdev_wait_seeded(d->d_rd, -1);
}

CONTRACT(randomdev_wait_seeded__wakes_all, device_make, "The first seeding "
    "wakes all threads that wait for it, not only those whose time is up")
{
	struct mthread *sleepers;

	if (device_is_null(d))
		return;
	sleepers = support_alloc(READERS, sizeof(*sleepers));
	for (unsigned i = 0; i < READERS; i++)
		support_spawn(&sleepers[i], "sleeper", MACHINE_CPU_ANY,
		    sleeper_run, d);
	for (unsigned i = 0; i < READERS; i++)
		support_await(&sleepers[i].mt_offcpu);
	device_feed_pool0(d, SEED_EVENTS);
	device_seed(d);
	for (unsigned i = 0; i < READERS; i++)
		machine_join(&sleepers[i]);
	free(sleepers);
}

CONTRACT(randomdev_read__nonblock, device_make, "An unseeded device gives "
    "EWOULDBLOCK and no byte without waiting, for 0 bytes too; the read's own "
    "pre_read is what seeds it once it can be")
{
	uint8_t buf[64];
	size_t left;

	memset(buf, FILL, sizeof(buf));
	for (size_t n = 0; n <= sizeof(buf) && !device_never_waits(d);
	    n += sizeof(buf)) {
		CHECK_EQ(d, EWOULDBLOCK, randomdev_read(d->d_rd, 0, buf, n,
		    &left, true));
		CHECK_EQ(d, n, left);
		CHECK(d, support_all(buf, sizeof(buf), FILL));
	}
	device_feed_pool0(d, SEED_EVENTS);
	device_read(d, buf, sizeof(buf));
	CHECK(d, !support_all(buf, sizeof(buf), FILL));
}

/* A thread in a read. */
struct blocked {
	struct mthread	 b_thread;
	struct device	*b_device;
	struct m32	 b_fed;		/* to it: events were fed */
	bool		 b_after;	/* it returned after they were */
	bool		 b_signalled;	/* before it reads */
	int		 b_error;
	size_t		 b_left;
	uint8_t		*b_out;
	size_t		 b_size;
	uint8_t		 b_buf[64];
};

static void
blocked_run(void *arg)
{
	struct blocked *b = arg;

	machine_curthread()->mt_index = 1;
	if (b->b_signalled)
		machine_interrupt(machine_curthread());
	b->b_error = randomdev_read(b->b_device->d_rd, 0, b->b_out, b->b_size,
	    &b->b_left, false);
	b->b_after = atomic_load_acq_32(&b->b_fed) != 0;
}

/* Starts a read that must block, and waits until it sleeps. */
static struct blocked *
block(struct device *d)
{
	struct blocked *b;

	b = support_alloc(1, sizeof(*b));
	b->b_device = d;
	b->b_out = b->b_buf;
	b->b_size = sizeof(b->b_buf);
	support_spawn(&b->b_thread, "blocked", MACHINE_CPU_ANY, blocked_run, b);
	support_await(&b->b_thread.mt_offcpu);
	return (b);
}

static void
check_blocks(struct device *d, bool other_reads)
{
	struct blocked *b;

	if (device_never_waits(d))
		return;
	b = block(d);
	atomic_store_rel_32(&b->b_fed, 1);
	device_feed_pool0(d, SEED_EVENTS);
	if (other_reads)
		randomdev_pre_read(d->d_rd);
	machine_join(&b->b_thread);
	CHECK_EQ(d, 0, b->b_error);
	CHECK(d, b->b_after);
	CHECK_EQ(d, 0, b->b_left);
	CHECK(d, !support_all(b->b_buf, sizeof(b->b_buf), 0));
	free(b);
}

CONTRACT(randomdev_read__blocks_until_seeded, device_make, "A blocking read "
    "of an unseeded device sleeps until events were fed and a reseed used them")
{
	check_blocks(d, true);
}

CONTRACT(randomdev_read__blocked_reader_reseeds, device_make, "A blocked "
    "reader looks again by itself: no other read need come")
{
	check_blocks(d, false);
}

static void
check_interrupt(struct device *d)
{
	struct blocked *b;

	if (device_never_waits(d))
		return;
	b = block(d);
	machine_interrupt(&b->b_thread);
	machine_join(&b->b_thread);
	CHECK_EQ(d, EINTR, b->b_error);
	CHECK(d, b->b_left == sizeof(b->b_buf) && support_all(b->b_buf,
	    sizeof(b->b_buf), 0));
	free(b);
}

DEVICE_TEST(randomdev_read__interrupted_unseeded, "A signal ends the wait for "
    "seeding with EINTR and no byte, also where block_seeded_status makes it "
    "endless")
{
	device_walk(device_make, check_interrupt);
	device_walk(make_blocked, check_interrupt);
}

/* A read that is no system call is not cut. */
static bool
makes_calls(struct device *d)
{
	const struct random_object *ro = randomdev_object(d->d_rd)->ko_device();

	return (!ro->ro_claims->rm_no_call);
}

DEVICE_TEST(randomdev_read__interrupted_after_a_part, "A signal cuts a request "
    "after each 16 MiB and not before; what was read until then is a success")
{
	static const struct {
		size_t	size;
		bool	signalled;
		size_t	left;
	} rows[] = {
		{ 2 * RANDOMDEV_PIECE_BYTES, true, RANDOMDEV_PIECE_BYTES },
		{ RANDOMDEV_PIECE_BYTES + 1, true, 1 },
		{ RANDOMDEV_PIECE_BYTES + 1, false, 0 },
		{ RANDOMDEV_PIECE_BYTES, true, 0 },
		{ 100, true, 0 },
	};
	const struct design *de;
	struct blocked *b;
	struct device d;
	uint8_t *buf, *end;
	size_t left;

	b = support_alloc(1, sizeof(*b));
	buf = support_alloc(1, 2 * RANDOMDEV_PIECE_BYTES + GUARD);
	for (size_t i = 0; (de = design_at(i)) != NULL; i++) {
		make_seeded(&d, de, cipher_find("chacha20"));
		for (size_t k = 0; k < nitems(rows); k++) {
			left = makes_calls(&d) ? rows[k].left : 0;
			end = buf + rows[k].size - left;
			memset(end - 32, FILL, 32 + GUARD);
			b->b_device = &d;
			b->b_out = buf;
			b->b_size = rows[k].size;
			b->b_signalled = rows[k].signalled;
			support_spawn(&b->b_thread, "partial", MACHINE_CPU_ANY,
			    blocked_run, b);
			machine_join(&b->b_thread);
			CHECK_EQ(&d, 0, b->b_error);
			CHECK_EQ(&d, left, b->b_left);
			/* Written up to there and not beyond. */
			ATF_CHECK_MSG(!support_all(end - 32, 32, FILL) &&
			    support_all(end, GUARD, FILL), "%s, %zu bytes",
			    d.d_name, rows[k].size);
		}
		device_free(&d);
	}
	free(buf);
	free(b);
}

/*
 * Of sources that are tested SWI is stuck.  The others repeat samples as often
 * as may be: each one that is asked about twice fails.
 */
static struct random_event
event_number(unsigned i)
{
	const uint32_t value = i / 45;
	struct random_event he = {
		.he_somecounter = value,
		.he_size = HARVEST_ENTROPY_BYTES,
		.he_destination = (uint8_t)(i / 3),
		.he_source = i % 3 == 0 ? RANDOM_SWI : i % 7 == 0 ?
		    RANDOM_PURE_VMGENID : RANDOM_INTERRUPT,
	};

	if (he.he_source == RANDOM_SWI)
		he.he_somecounter = 0;
	else
		memcpy(he.he_entropy, &value, sizeof(value));
	return (he);
}

static void
check_refused(const struct design *de, const struct cipher *cipher)
{
	static const struct kern_setting set = {
	    "kern.random.nist_healthtest_enabled", 1 };
	static const size_t size = 4242;
	uint8_t one[4242], other[4242];
	struct random_event he;
	struct device plain, tested;
	uint64_t discarded = 0, refused;

	device_make_set(&tested, de, cipher, &set, 1);
	device_make(&plain, de, cipher);
	for (unsigned i = 0; i < 6000; i++) {
		he = event_number(i);
		randomdev_deliver(tested.d_rd, &he);
		refused = randomdev_totals(tested.d_rd).ht_discarded -
		    discarded;
		ATF_REQUIRE(refused <= 1);
		discarded += refused;
		if (refused == 0)
			randomdev_deliver(plain.d_rd, &he);
		if (i % 1500 != 1499 || device_is_null(&plain))
			continue;
		CHECK_EQ(&plain, device_status(&plain).ds_pool0_bytes,
		    device_status(&tested).ds_pool0_bytes);
		CHECK_EQ(&plain, randomdev_seeded(plain.d_rd),
		    randomdev_seeded(tested.d_rd));
		if (!randomdev_seeded(plain.d_rd))
			continue;
		device_read(&plain, one, size);
		device_read(&tested, other, size);
		ATF_CHECK_MSG(memcmp(one, other, size) == 0,
		    "%s: other output after %u events", plain.d_name, i);
	}
	/* SWI's all, and the start of the other one. */
	CHECK_EQ(&tested, 2000 + 1024, discarded);
	CHECK(&plain, device_is_null(&plain) || device_status(&plain).
	    ds_seeded);
	device_free(&plain);
	device_free(&tested);
}

DEVICE_TEST(random_harvest_healthtest__refused_is_nowhere, "Each design asks "
    "the health tests once for each event, and is as if it had never been "
    "given the refused ones: pools, reseeds and output")
{
	const struct design *de;

	for (size_t i = 0; (de = design_at(i)) != NULL; i++)
		for (unsigned c = 0; c < cipher_count; c++)
			check_refused(de, ciphers[c]);
}

static struct random_event noted[64];
static unsigned noted_count;

static void
note_event(void *arg __attribute__((unused)), const struct random_event *he)
{
	ATF_REQUIRE(noted_count < nitems(noted));
	noted[noted_count++] = *he;
}

static void
make_noted(struct device *d, const struct design *de,
    const struct cipher *cipher)
{
	struct randomdev_params rp = device_params(de, cipher);

	noted_count = 0;
	rp.rp_record = note_event;
	rp.rp_stamps = true;
	rp.rp_included = 1u << RANDOM_NET_ETHER | 1u << RANDOM_UMA;
	device_make_params(d, &rp);
}

CONTRACT(randomdev_use__events, make_noted, "Of each page that is written the "
    "hash is four events, for pools in turn; what is saved for a boot is whole "
    "events with numbers")
{
	static const size_t sizes[] = { 1, 4096, 4097, 10000 };
	static uint8_t buf[10000];
	const struct random_event *he = noted;
	uint8_t pool = 0;

	for (size_t i = 0; i < nitems(sizes); i++, noted_count = 0) {
		randomdev_use(d->d_rd, buf, sizes[i], 0);
		ATF_REQUIRE_EQ(4 * ((sizes[i] + 4095) / 4096), noted_count);
		for (he = noted; he < noted + noted_count; he++)
			CHECK(d, he->he_size == HARVEST_ENTROPY_BYTES &&
			    he->he_source == RANDOM_RANDOMDEV &&
			    he->he_destination == pool++ && (he == noted ||
			    memcmp(he[-1].he_entropy, he->he_entropy, 8) != 0));
	}
	randomdev_use(d->d_rd, NULL, 0, 0);
	CHECK_EQ(d, 0, noted_count);
	for (size_t i = 0; i < sizeof(buf); i++)
		buf[i] = (uint8_t)(i / 3);
	randomdev_prime(d->d_rd, buf, 33 * HARVEST_ENTROPY_BYTES + 5);
	CHECK_EQ(d, 33, noted_count);
	for (unsigned i = 0; i < noted_count; i++)
		CHECK(d, noted[i].he_source == RANDOM_CACHED &&
		    noted[i].he_somecounter == i && noted[i].he_destination ==
		    i && memcmp(noted[i].he_entropy, buf + 8 * i, 8) == 0);
}

CONTRACT(randomdev_read_kernel__bypasses, make_noted, "The kernel's own reads "
    "get zeros until there is a seed, whose time is kept; options of the "
    "kernel include kinds of sources")
{
	struct kern_sysctl *kx = kern_sysctl_find(randomdev_object(d->d_rd),
	    "kern.random.harvest.mask");
	uint8_t buf[GUARD + 100 + GUARD], *out = buf + GUARD;
	uint64_t stamp = 0;

	CHECK_EQ(d, 7135 | 1u << RANDOM_NET_ETHER | 1u << RANDOM_UMA,
	    kx->kx_get(kx));
	CHECK_EQ(d, 0, randomdev_seeded_cycles(d->d_rd));
	for (unsigned seeded = 0; seeded < 3; seeded++) {
		for (size_t n = 0; n <= 100; n += 50) {
			memset(buf, FILL, sizeof(buf));
			randomdev_read_kernel(d->d_rd, out, n);
			CHECK(d, support_all(buf, GUARD, FILL) && support_all(
			    out + n, sizeof(buf) - GUARD - n, FILL));
			CHECK(d, n == 0 || support_all(out, n, 0) ==
			    (seeded == 0 && !device_never_waits(d)));
		}
		for (unsigned i = 0; i < 2 * SEED_EVENTS; i++, noted_count = 0)
			device_feed(d, i % 2);
		CHECK(d, randomdev_seeded(d->d_rd));
		CHECK(d, seeded == 0 || randomdev_seeded_cycles(d->d_rd) ==
		    stamp);
		stamp = randomdev_seeded_cycles(d->d_rd);
		CHECK_EQ(d, stamp == 0, device_is_null(d));
	}
}

/* A block of a cipher, from libcrypto. */
static void
block_of(bool aes, const uint8_t *key, const uint8_t counter[16],
    uint8_t block[64])
{
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	uint8_t zeros[64] = { 0 };
	int n;

	ATF_REQUIRE(ctx != NULL && EVP_EncryptInit_ex(ctx, aes ?
	    EVP_aes_256_ecb() : EVP_chacha20(), NULL, key, counter) == 1 &&
	    EVP_EncryptUpdate(ctx, block, &n, aes ? counter : zeros, aes ? 16 :
	    64) == 1);
	EVP_CIPHER_CTX_free(ctx);
}

CONTRACT(randomdev_hash__as_libcrypto, device_make, "A design's hash, its "
    "cipher, where C carries, and C are libcrypto's")
{
	static uint8_t in[RANDOM_ABI_HASH_BYTES], out[RANDOM_ABI_HASH_BYTES];
	const bool aes = d->d_cipher == cipher_find("aes");
	const size_t run = aes ? 16 : 64;
	uint8_t block[64], digest[32];

	/* That has no key, which the ledger would ask for. */
	if (device_is_null(d))
		return;
	for (size_t i = 0; i < sizeof(in); i++)
		in[i] = (uint8_t)(i < 8 ? 0xff : i);
	ATF_REQUIRE_EQ(1, EVP_Digest(in, 5 + 4096, digest, NULL, EVP_sha256(),
	    NULL));
	ATF_REQUIRE(randomdev_hash(d->d_rd, out));
	CHECK(d, memcmp(digest, out, 32) == 0);
	for (size_t i = 0; i < 4096; i += run) {
		block_of(aes, digest, in, block);
		CHECK(d, memcmp(block, out + 32 + i, run) == 0);
		for (unsigned b = 0; ++in[b] == 0; b++)
			continue;
	}
	CHECK(d, memcmp(in, out + 32 + 4096, 16) == 0);
}

TEST_PROGRAM()
