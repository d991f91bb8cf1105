/*
 * Fortuna's pools, reseeds, K and C, beside what known-answer scripts hold
 * (tests/vectors): a model in this file, which shares no code with fortuna.c,
 * keeps what each pool absorbed and hashes it with libcrypto's own function.
 */
#include <openssl/evp.h>

#include "lib/crypto/digest.h"
#include "tests/unit/device.h"
#include "tests/unit/patched.h"

enum {
	POOLS		= 32,
	/* Of the patched file. */
	POOL_MOST	= 100,
	MS		= 10,		/* of its clock */
	RESEEDS		= INT32_MAX - 1	/* before its first */
};

static struct random_state
core(struct device *d)
{
	struct random_state rs;

	ATF_REQUIRE(randomdev_core(d->d_rd, &rs, false));
	return (rs);
}

/* A device without a ledger, which would find these states wrong. */
static void
make(struct device *d, const struct randomdev_params *rp)
{
	*d = (struct device){ .d_de = rp->rp_design };
	ATF_REQUIRE_EQ(0, randomdev_new(&d->d_rd, rp));
}

static struct randomdev_params
params(const char *design)
{
	return (device_params(design_find(design), ciphers[0]));
}

/* A value of a sysctl; at boot or later. */
static struct kern_setting
set(const char *name, int64_t value)
{
	struct kern_setting kv = { .kv_value = value };

	strcpy(kv.kv_name, name);
	return (kv);
}

static void
feed(struct device *d, uint32_t counter, uint8_t first, uint8_t destination)
{
	struct random_event he = { .he_somecounter = counter, .he_size = 8,
	    .he_destination = destination, .he_source = RANDOM_CACHED };

	for (uint8_t i = 0; i < HARVEST_ENTROPY_BYTES; i++)
		he.he_entropy[i] = (uint8_t)(first + i);
	randomdev_deliver(d->d_rd, &he);
}

/* The worked example's six events. */
static void
feed_pool0(struct device *d)
{
	for (uint32_t i = 0; i < SEED_EVENTS; i++)
		feed(d, 0x01000000 + i, (uint8_t)(16 * i), 0);
}

/*
 * K after the worked example's events, and after these again with two events in
 * pool 1, by a model in Python: K = SHAd-256(0^512 || K || S_0 || S_1), S_i the
 * SHA-256 of the pool's hash, which is cut or repeated to 32 bytes.
 */
static const struct {
	const char	*pool_hash;
	const char	*key[2];
} hashed[] = {
	{ "sha256", {
	    "6e7e7afdd4fa5ff518a9526dee82206a0f13c7770a2f488ac56845a7bee03198",
	    "ed39fed1b7d733a6b7941c5a4bcff2168408eda773a608f9c629bc23123ab2dc"
	} },
	{ "sha512", {
	    "5a7b103483980fafb22e7d47daa692932687b89928388d08e9f7d8dbaab72350",
	    "57b3ef2806843b0156917d98facb78a3992dbf087d49454524570b0f5a2fad30"
	} },
	{ "blake2s-256", {
	    "45c52848fa96d7aac2a8223d37dee34c0cf467bacf0cd0233f1be1bda777a0a1",
	    "5ce2970e56ada4ccba23689619eaef005e1d713c77ec4bce65f4cd833a84faa2"
	} },
	{ "md5", {
	    "fb0ec46571d0bb1ead0ac84ff1ff6d4103db274749bf82fd372cd2db0db4c3ba",
	    "7535b943ef9d03d79a050f8039eb4c3e3d9aa75618ef5f0291913fb7a2354e4e"
	} },
	{ "crc32", {
	    "bff21c073823cebb6823471ccf7eddfefcdd4ec5d676cd6b0a34a98f0c9098a8",
	    "956cbae1e61f1c7c256e899703bf6e3a68ec2bfc3de5b68b8dad0a93166eb5e8"
	} },
	{ "null", {
	    "b3ee686e81562427379708036596b88297180714f44b2a5b8e1d1c0532367f42",
	    "c25ae5a87cb254657385d981410049daafd3c536f5ae14b5e923b48adb7bab35"
	} },
};

DEVICE_TEST(pool_hash__known_answers, "Pools hash with what they were given, "
    "of any length; K is made of it by SHA-256")
{
	struct randomdev_params rp = params("locked");
	uint8_t want[CIPHER_KEY_BYTES];
	struct device d;

	for (size_t i = 0; i < nitems(hashed); i++) {
		rp.rp_kernel.kp_pool_hash = hash_find(hashed[i].pool_hash);
		ATF_REQUIRE_EQ(HASH_READY, hash_load(hash_find(
		    hashed[i].pool_hash)));
		make(&d, &rp);
		for (unsigned k = 0; k < 2; k++) {
			feed_pool0(&d);
			randomdev_pre_read(d.d_rd);
			support_unhex(hashed[i].key[k], want, sizeof(want));
			ATF_CHECK_MSG(memcmp(core(&d).rst_key, want,
			    sizeof(want)) == 0, "%s, reseed %u",
			    hashed[i].pool_hash, k + 1);
			feed(&d, 7, 1, 1);
			feed(&d, 8, 2, 1);
		}
		randomdev_free(d.d_rd);
	}
}

/* What each pool has absorbed since it was drained, as bytes. */
struct model {
	struct {
		uint8_t	bytes[8192];
		size_t	n;
	}		m_pool[POOLS];
	uint8_t		m_key[CIPHER_KEY_BYTES];
	bool		m_keyed;	/* C is not 0 */
	uint32_t	m_reseeds;
};

static void
sha256(const uint8_t *in, size_t n, uint8_t out[DIGEST_BYTES])
{
	ATF_REQUIRE_EQ(1, EVP_Digest(in, n, out, NULL, EVP_sha256(), NULL));
}

static void
model_feed(struct model *m, const struct random_event *he)
{
	const unsigned i = he->he_source == RANDOM_PURE_VMGENID ? 0 :
	    he->he_destination % POOLS;
	uint8_t *p = m->m_pool[i].bytes + m->m_pool[i].n;

	m->m_pool[i].n += 4u + he->he_size;
	ATF_REQUIRE(m->m_pool[i].n <= sizeof(m->m_pool[i].bytes));
	for (unsigned b = 0; b < 4; b++)
		p[b] = (uint8_t)(he->he_somecounter >> 8 * b);
	memcpy(p + 4, he->he_entropy, he->he_size);
}

static void
model_reseed(struct model *m)
{
	uint8_t in[64 + 32 + 32 * POOLS] = { 0 }, once[DIGEST_BYTES];
	size_t n = 64;

	m->m_reseeds++;
	if (m->m_keyed) {
		memcpy(in + n, m->m_key, 32);
		n += 32;
	}
	for (unsigned i = 0; i < POOLS &&
	    m->m_reseeds >> i << i == m->m_reseeds; i++) {
		sha256(m->m_pool[i].bytes, m->m_pool[i].n, once);
		sha256(once, sizeof(once), in + n);
		n += 32;
		m->m_pool[i].n = 0;
	}
	sha256(in, n, once);
	sha256(once, sizeof(once), m->m_key);
	m->m_keyed = true;
}

/* An event of any kind; what is behind its bytes is not 0. */
static void
feed_any(struct device *d, struct model *m, uint64_t *draws)
{
	const uint64_t drawn = support_draw(draws);
	const uint64_t entropy = support_draw(draws);
	struct random_event he = {
		.he_somecounter = (uint32_t)drawn,
		.he_size = (uint8_t)(1 + (drawn >> 32) % HARVEST_ENTROPY_BYTES),
		.he_destination = (uint8_t)(drawn >> 40),
		.he_source = (uint8_t)((drawn >> 48) % ENTROPYSOURCE),
	};

	memcpy(he.he_entropy, &entropy, sizeof(entropy));
	model_feed(m, &he);
	randomdev_deliver(d->d_rd, &he);
}

/* A reseed after events that are drawn; keys are the model's. */
static void
check_reseed(struct device *d, struct model *m, unsigned events,
    uint64_t *draws)
{
	struct random_state rs;

	for (unsigned i = 0; i < events || m->m_pool[0].n < 64; i++)
		feed_any(d, m, draws);
	rs = core(d);
	ATF_CHECK_EQ_MSG(m->m_pool[0].n, rs.rst_pool0_bytes, "%u bytes",
	    rs.rst_pool0_bytes);
	randomdev_pre_read(d->d_rd);
	model_reseed(m);
	rs = core(d);
	ATF_CHECK_EQ_MSG(m->m_reseeds, rs.rst_reseeds, "%u reseeds",
	    rs.rst_reseeds);
	ATF_CHECK_EQ(0, rs.rst_pool0_bytes);
	ATF_CHECK_MSG(memcmp(m->m_key, rs.rst_key, sizeof(rs.rst_key)) == 0,
	    "reseed %u: another key", m->m_reseeds);
}

/* C is set so that the next reseed makes it 0. */
static void
end_counter(struct device *d)
{
	struct random_state rs = {
	    .rst_counter = uint128_make(UINT64_MAX, UINT64_MAX) };

	ATF_REQUIRE(randomdev_core(d->d_rd, &rs, true));
}

DEVICE_TEST(reseed__pools_and_keys, "Of events of all sources, sizes and "
    "destinations, every key over 70 reseeds is the model's: pool i takes part "
    "in each 2^i-th reseed; C = 0 is the only record of being unseeded, also "
    "after 2^128 blocks, and the reseed then leaves the old key out")
{
	struct randomdev_params rp = params("concurrent");
	static struct model m;
	uint64_t draws = 1;
	struct device d;

	make(&d, &rp);
	for (unsigned reseed = 1; reseed <= 70; reseed++) {
		/* Every third time there is little for the upper pools. */
		if (reseed == 40)
			end_counter(&d);
		check_reseed(&d, &m, reseed % 3 == 0 ? 0 : 300, &draws);
		if (reseed == 40) {
			ATF_CHECK(core(&d).rst_counter == 0);
			ATF_CHECK(!device_status(&d).ds_seeded);
			m.m_keyed = false;
		}
	}
	ATF_CHECK(core(&d).rst_counter == 30);
	randomdev_free(d.d_rd);
}

/* A sysctl; a tenth of a second is exact. */
#define	CLOCK	"clock / 1000 * (SBT_1S / 10) + clock % 1000 * (SBT_1S / 10000)"
/* Few bytes, many reseeds, and that clock. */
static const struct patch limits[] = {
	{ "RANDOM_FORTUNA_MAXPOOLSIZE	INT_MAX",
	    "RANDOM_FORTUNA_MAXPOOLSIZE	100", NULL },
	{ "	RANDOM_RESEED_INIT_LOCK();\n",
	    "	fortuna_state.fs_reseedcount = early ? 0 : 0x7ffffffe;\n"
	    "	RANDOM_RESEED_INIT_LOCK();\n", NULL },
	{ "static struct sysctl_ctx_list random_clist;",
	    "static struct sysctl_ctx_list random_clist;\n"
	    "static bool early;\n"
	    "static u_int clock;\n"
	    "SYSCTL_BOOL(_kern_random, OID_AUTO, early, CTLFLAG_RDTUN, &early, "
	    "0, \"\");\n"
	    "SYSCTL_UINT(_kern_random, OID_AUTO, clock, CTLFLAG_RW, &clock, 0, "
	    "\"\");", NULL },
	{ "now = getsbinuptime()", "now = " CLOCK, NULL },
};

static void
set_clock(struct device *d, uint32_t now)
{
	const struct kern_setting kv = set("kern.random.clock", now);

	randomdev_set(d->d_rd, &kv);
}

DEVICE_TEST(reseed__all_pools, "Reseed 2^31 uses all 32 pools; the one before "
    "and the one after use one")
{
	const struct design *de = patched(tc, "fortuna/fortuna.c", limits,
	    nitems(limits));
	struct randomdev_params rp = device_params(de, ciphers[0]);
	static struct model m = { .m_reseeds = RESEEDS };
	uint64_t draws = 2;
	struct device d;

	make(&d, &rp);
	for (uint32_t i = 1; i <= 3; i++) {
		set_clock(&d, i * 1000 * MS);
		/* Pool 0 gets no more than it can count. */
		check_reseed(&d, &m, i == 2 ? 150 : 0, &draws);
	}
	randomdev_free(d.d_rd);
}

DEVICE_TEST(process_event__length_saturates, "A pool that is not drained for "
    "long enough keeps the greatest length and can still reseed")
{
	const struct design *de = patched(tc, "fortuna/fortuna.c", limits,
	    nitems(limits));
	struct randomdev_params rp = device_params(de, ciphers[0]);
	struct device d;

	make(&d, &rp);
	for (uint32_t n = EVENT_BYTES; n < 2 * POOL_MOST; n += EVENT_BYTES) {
		feed(&d, 1, 2, 0);
		ATF_CHECK_EQ(n < POOL_MOST ? n : POOL_MOST,
		    core(&d).rst_pool0_bytes);
	}
	set_clock(&d, 1000 * MS);
	randomdev_pre_read(d.d_rd);
	ATF_CHECK_EQ(0, core(&d).rst_pool0_bytes);
	randomdev_free(d.d_rd);
}

/* The same clock in other designs with Fortuna's pools. */
static const struct patch other_limits[] = {
	PATCH("INT_MAX - pool->fsp_length", "100 - pool->fsp_length"),
	PATCH("RANDOM_CHECK_UINT(minpoolsize,", "static u_int clock;\n"
	    "SYSCTL_UINT(_kern_random, OID_AUTO, clock, CTLFLAG_RW, &clock, 0, "
	    "\"\");\n"
	    "#define getsbinuptime() (" CLOCK ")\n"
	    "SYSCTL_UINT(_kern_random, OID_AUTO, reseeds, CTLFLAG_RW, "
	    "&fortuna_state.fs_reseedcount, 0, \"\");\n"
	    "RANDOM_CHECK_UINT(minpoolsize,"),
};

static void
check_pace(const struct design *de, const char *file)
{
	static const struct {
		uint32_t now;
		bool	 feed;
		unsigned reseeds;	/* then */
	} rows[] = {
		{ 0, true, 1 }, { 1, true, 1 }, { 99 * MS, false, 1 },
		{ 100 * MS, false, 1 }, { 100 * MS + 1, false, 2 },
		{ 201 * MS, true, 3 }, { 300 * MS, true, 3 },
		/* A clock that goes backwards opens no gate. */
		{ 0, false, 3 }, { 301 * MS + 1, false, 4 },
		/* Too little in pool 0 starts no new time either. */
		{ 800 * MS, false, 4 }, { 800 * MS + 1, true, 5 },
		{ 900 * MS + 1, true, 5 }, { 900 * MS + 2, false, 6 },
	};
	const struct kern_setting early = set("kern.random.early", 1);
	struct randomdev_params rp = device_params(de, ciphers[1]);
	struct device d;
	uint32_t reseeds;

	rp.rp_kernel.kp_settings = &early;
	rp.rp_kernel.kp_setting_count = 1;
	make(&d, &rp);
	for (size_t i = 0; i < nitems(rows); i++) {
		if (rows[i].feed)
			feed_pool0(&d);
		set_clock(&d, rows[i].now);
		randomdev_pre_read(d.d_rd);
		reseeds = device_status(&d).ds_reseeds;
		ATF_CHECK_EQ_MSG(rows[i].reseeds, reseeds, "%s, row %zu: %u",
		    file, i, reseeds);
	}
	randomdev_free(d.d_rd);
}

DEVICE_TEST(pre_read__pacing, "More than 100 ms lie between reseeds, the first "
    "excepted; they count from the last reseed, not from the last attempt; "
    "other designs with these pools are as FreeBSD's, and keep the greatest "
    "length, too")
{
	static const char *const files[] = { "fortuna/fortuna.c",
	    "fortuna/cckprng.c", "fortuna/pcpu.c" };
	struct kern_setting kv = set("kern.random.fortuna.minpoolsize", 0);
	const struct kern_setting early = set("kern.random.reseeds", RESEEDS);
	const struct design *de;
	struct randomdev_params rp;
	struct device d;

	check_pace(patched(tc, files[0], limits, nitems(limits)), files[0]);
	for (size_t k = 1; k < nitems(files); k++) {
		de = patched(tc, files[k], other_limits, nitems(other_limits));
		check_pace(de, files[k]);
		rp = device_params(de, ciphers[0]);
		make(&d, &rp);
		for (unsigned i = 0; i <= 1; i++) {
			kv.kv_value = POOL_MOST + 1 - i;
			randomdev_set(d.d_rd, &kv);
			for (uint32_t e = 0; e < POOL_MOST / 4; e++)
				feed(&d, e, 1, 0);
			ATF_CHECK_EQ_MSG(i, randomdev_seeded(d.d_rd), "%s",
			    files[k]);
		}
		/* The next but one, 2^31, has all pools, and no more. */
		randomdev_set(d.d_rd, &early);
		for (uint32_t i = 1; i <= 3; i++) {
			set_clock(&d, i * 1000 * MS);
			for (uint32_t e = 0; e < POOL_MOST / 4; e++)
				feed(&d, e, 1, 0);
			randomdev_pre_read(d.d_rd);
			ATF_CHECK_EQ_MSG(RESEEDS + i,
			    device_status(&d).ds_reseeds, "%s", files[k]);
		}
		randomdev_free(d.d_rd);
	}
}

DEVICE_TEST(pre_read__minpoolsize, "Pool 0 reseeds from minpoolsize bytes on, "
    "set at boot or later, no matter how much the others hold")
{
	static const unsigned rows[][2] = { { 16, 2 }, { 24, 2 }, { 25, 3 },
	    { 64, 6 }, { 72, 6 }, { 73, 7 }, { 128, 11 } };
	const struct design *de;
	struct randomdev_params rp;
	struct kern_setting kv;
	struct device d;
	unsigned e;

	for (size_t i = 0; (de = design_at(i / 16)) != NULL; i++) {
		if (i % 16 >= 2 * nitems(rows))
			continue;
		rp = device_params(de, ciphers[0]);
		kv = set("kern.random.fortuna.minpoolsize",
		    rows[i % 16 / 2][0]);
		rp.rp_kernel.kp_settings = &kv;
		rp.rp_kernel.kp_setting_count = i % 2;
		make(&d, &rp);
		if (i % 2 == 0)
			randomdev_set(d.d_rd, &kv);
		/* Others have no such pool. */
		for (e = 0; e < 1000 && device_status(&d).
		    ds_pool0_needed_bytes != 0; e++)
			feed(&d, e, 1, (uint8_t)(e % 31 + 1));
		if (e == 0) {
			randomdev_free(d.d_rd);
			continue;
		}
		for (e = 0; !randomdev_seeded(d.d_rd); e++) {
			ATF_REQUIRE(e < 1000);
			feed(&d, e, 1, 0);
		}
		ATF_CHECK_EQ_MSG(rows[i % 16 / 2][1], e, "%s, %u bytes: %u "
		    "events", de->de_ident, rows[i % 16 / 2][0], e);
		randomdev_free(d.d_rd);
	}
}

/* What a device said of a thread that waits. */
struct told {
	struct m32	 to_blocked, to_signalled;
	unsigned	 to_missed;
};

static void
note_blocked(void *arg, bool signalled)
{
	struct told *to = arg;

	atomic_fetchadd_32(signalled ? &to->to_signalled : &to->to_blocked, 1);
}

static void
note_missed(void *arg)
{
	((struct told *)arg)->to_missed++;
}

static void
read_at_once(void *arg)
{
	uint8_t byte;

	machine_curthread()->mt_index = 1;
	device_read(arg, &byte, 1);
}

DEVICE_TEST(read__waits_are_told, "It is said that a read waits for the seed "
    "though it is not to, and that it slept on three times after a signal")
{
	static const struct patch deaf[] = {
		PATCH("if (nonblock) return (EWOULDBLOCK);", ""),
		PATCH("seeded(true)", "seeded(false)"),
	};
	static struct told to;
	static struct mthread td;
	struct randomdev_params rp = device_params(patched(tc,
	    "fortuna/randomdev.c", deaf, nitems(deaf)), ciphers[0]);
	struct device d;

	rp.rp_arg = &to;
	rp.rp_blocked = note_blocked;
	rp.rp_missed = note_missed;
	make(&d, &rp);
	support_spawn(&td, "reader", MACHINE_CPU_ANY, read_at_once, &d);
	support_await(&td.mt_offcpu);
	ATF_REQUIRE(atomic_load_32(&to.to_blocked) > 0);
	ATF_CHECK_EQ(0, atomic_load_32(&to.to_signalled));
	machine_interrupt(&td);
	while (atomic_load_acq_32(&to.to_signalled) == 0 &&
	    atomic_load_32(&to.to_blocked) < 10)
		machine_yield();
	feed_pool0(&d);
	machine_join(&td);
	ATF_CHECK(atomic_load_32(&to.to_blocked) >= 3 &&
	    atomic_load_32(&to.to_signalled) == 1 && to.to_missed == 0);
	randomdev_free(d.d_rd);
}

DEVICE_TEST(device__faults_are_told, "It is said that an event changed while "
    "the algorithm had it, that not all that was written was hashed, and that "
    "the kernel's own read after a seed was not made")
{
	static const struct {
		const char	*file, *says;
		struct patch	 fault;
	} rows[] = {
		{ "fortuna/fortuna.c", "an event of RANDOMDEV changed",
		    { "RANDOM_RESEED_LOCK();",
		    "event->he_entropy[0] ^= 1; RANDOM_RESEED_LOCK();",
		    "random_fortuna_process_event" } },
		{ "fortuna/randomdev.c", "of 5000 bytes that were written 0",
		    { "randomdev_accumulate(buf, n);", "continue;", NULL } },
		{ "fortuna/randomdev.c", "a read with 100 bytes",
		    { "p_random_alg_context->ra_read(buf, len);",
		    "memset(buf, 7, len);", "read_random" } },
	};
	static uint8_t buf[5000];
	struct randomdev_params rp;
	struct ledger_result le;
	struct device d;

	for (size_t i = 0; i < nitems(rows); i++) {
		rp = device_params(patched(tc, rows[i].file, &rows[i].fault,
		    1), ciphers[0]);
		/* Reads are known to have been served. */
		rp.rp_missed = note_missed;
		device_make_params(&d, &rp);
		randomdev_use(d.d_rd, buf, sizeof(buf), 0);
		device_feed_pool0(&d, SEED_EVENTS);
		device_read(&d, buf, 1);
		randomdev_read_kernel(d.d_rd, buf, 100);
		randomdev_free(d.d_rd);
		ledger_finish(d.d_lg, LEDGER_UNCOUNTED);
		ledger_result(d.d_lg, &le);
		ATF_CHECK_MSG(le.le_violated && strstr(le.le_text,
		    rows[i].says) != NULL, "%s: %s", rows[i].file, le.le_text);
		ledger_free(d.d_lg);
	}
}

TEST_PROGRAM()
