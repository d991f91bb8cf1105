/*
 * A device of one design and cipher under a ledger, which must have nothing to
 * say at the end.
 */
#ifndef TESTS_UNIT_DEVICE_H
#define TESTS_UNIT_DEVICE_H

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "fortuna/device/randomdev.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum {
	DEVICE_THREADS	= 8,
	DEVICE_CPUS	= 3,
	EVENT_BYTES	= 4 + HARVEST_ENTROPY_BYTES,	/* absorbed */
	SEED_EVENTS	= 6,		/* these bring pool 0 over 64 */
	PATIENCE	= 100000	/* events until any design is seeded */
};

struct device {
	const struct design *d_de;
	const struct cipher *d_cipher;
	struct randomdev *d_rd;
	struct ledger	*d_lg;
	uint32_t	 d_events;	/* fed so far */
	bool		 d_counted;	/* the ledger counts events */
	char		 d_name[64];	/* for messages */
};

/* Checks that say which device they are about. */
#define	CHECK(d, condition)						\
	ATF_CHECK_MSG(condition, "%s: %s", (d)->d_name, #condition)
#define	CHECK_EQ(d, want, got)						\
	ATF_CHECK_EQ_MSG(want, got, "%s: %s: %ju, not %ju", (d)->d_name, \
	    #got, (uintmax_t)(got), (uintmax_t)(want))

/* A case with libcrypto, on the machine. */
#define	DEVICE_TEST(name, text)						\
static void	name##_body(const atf_tc_t *tc);			\
TEST(name, text)							\
{									\
	static struct mthread self;					\
									\
	support_machine(&self);						\
	support_crypto();						\
	name##_body(tc);						\
	crypto_fini();							\
}									\
static void								\
name##_body(const atf_tc_t *tc __attribute__((unused)))

/* A source that never has anything. */
static inline size_t
device_read_nothing(void *state __unused, void *buf __unused,
    size_t len __unused)
{
	return (0);
}

static inline bool
device_is_null(const struct device *d)
{
	return ((d->d_de->de_flags & DE_NULL) != 0);
}

/* Whether reads need not wait for entropy. */
static inline bool
device_never_waits(const struct device *d)
{
	return (device_is_null(d) || design_info(d->d_de).di_never_blocks);
}

static inline struct randomdev_params
device_params(const struct design *de, const struct cipher *cipher)
{
	return ((struct randomdev_params){
		.rp_design = de,
		.rp_kernel.kp_cipher = cipher,
		.rp_kernel.kp_lock = lock_class_find("mtx"),
		.rp_kernel.kp_lock_config = lock_config_default(DEVICE_THREADS),
		.rp_kernel.kp_cpus = DEVICE_CPUS,
		.rp_kernel.kp_unpaced = true,
	});
}

static inline void
device_make_params(struct device *d, const struct randomdev_params *rp)
{
	const struct design_info di = design_info(rp->rp_design);
	struct ledger_config config = {
		.lgo_pace_ns = DESIGN_RESEED_NS,
		.lgo_lag = di.di_lag,
		.lgo_stored_bytes = di.di_stored_bytes,
		.lgo_keyless = (rp->rp_design->de_flags & DE_NULL) != 0,
		.lgo_unseen = !di.di_cored,
	};
	struct randomdev_params watched = *rp;
	int error;

	*d = (struct device){ .d_de = rp->rp_design,
	    .d_cipher = rp->rp_kernel.kp_cipher };
	snprintf(d->d_name, sizeof(d->d_name), "%s, %s, %s",
	    rp->rp_design->de_ident, rp->rp_kernel.kp_cipher->ci_name,
	    rp->rp_kernel.kp_lock->lc_name);
	ATF_REQUIRE_EQ(0, ledger_new(&d->d_lg, &config));
	watched.rp_kernel.kp_ledger = d->d_lg;
	error = randomdev_new(&d->d_rd, &watched);
	ATF_REQUIRE_MSG(error == 0, "%s: %s", d->d_name, strerror(error));
}

static inline void
device_make(struct device *d, const struct design *de,
    const struct cipher *cipher)
{
	const struct randomdev_params rp = device_params(de, cipher);

	device_make_params(d, &rp);
}

static inline void
device_make_set(struct device *d, const struct design *de,
    const struct cipher *cipher, const struct kern_setting *set, unsigned n)
{
	struct randomdev_params rp = device_params(de, cipher);

	rp.rp_kernel.kp_settings = set;
	rp.rp_kernel.kp_setting_count = n;
	device_make_params(d, &rp);
}

static inline void
device_free(struct device *d)
{
	const struct harvest_totals ht = randomdev_totals(d->d_rd);
	struct ledger_result le;

	ledger_conserved(d->d_lg, ht.ht_in, ht.ht_processed, ht.ht_pending,
	    ht.ht_dropped, ht.ht_discarded);
	randomdev_free(d->d_rd);
	ledger_finish(d->d_lg, d->d_counted ? ht.ht_delivered :
	    LEDGER_UNCOUNTED);
	ledger_result(d->d_lg, &le);
	ATF_CHECK_MSG(!le.le_violated, "%s: %s", d->d_name, le.le_text);
	CHECK_EQ(d, le.le_keys, le.le_wipes);
	ledger_free(d->d_lg);
}

/* The next event, the same in every device. */
static inline void
device_feed(struct device *d, unsigned pool)
{
	struct random_event he = {
		.he_somecounter = 0x01000000 + d->d_events,
		.he_size = HARVEST_ENTROPY_BYTES,
		.he_destination = (uint8_t)pool,
		.he_source = RANDOM_CACHED,
	};
	uint64_t entropy = d->d_events++ * UINT64_C(0x9e3779b97f4a7c15);

	memcpy(he.he_entropy, &entropy, sizeof(entropy));
	randomdev_deliver(d->d_rd, &he);
}

static inline void
device_feed_pool0(struct device *d, unsigned events)
{
	while (events-- > 0)
		device_feed(d, 0);
}

/* Returns after how many events. */
static inline unsigned
device_seed(struct device *d)
{
	unsigned i;

	for (i = 0; i < PATIENCE && !randomdev_seeded(d->d_rd); i++)
		device_feed(d, i);
	ATF_REQUIRE_MSG(randomdev_seeded(d->d_rd),
	    "%s: not seeded after %u events", d->d_name, i);
	return (i);
}

/* A read of a device that is seeded. */
static inline void
device_read(struct device *d, void *buf, size_t n)
{
	size_t left;
	int error;

	error = randomdev_read(d->d_rd, 0, buf, n, &left, true);
	ATF_REQUIRE_MSG(error == 0 && left == 0, "%s: %zu of %zu bytes not "
	    "read: %d", d->d_name, left, n, error);
}

static inline struct device_status
device_status(struct device *d)
{
	struct device_status ds;

	memset(&ds, 0xa5, sizeof(ds));
	randomdev_status(d->d_rd, &ds);
	return (ds);
}

/* Calls check with a new device of each design and cipher. */
static inline void
device_walk(void (*make)(struct device *, const struct design *,
    const struct cipher *), void (*check)(struct device *))
{
	const struct design *de;
	struct device d;

	for (size_t i = 0; (de = design_at(i)) != NULL; i++)
		for (unsigned c = 0; c < cipher_count; c++) {
			make(&d, de, ciphers[c]);
			check(&d);
			device_free(&d);
		}
}

#endif
