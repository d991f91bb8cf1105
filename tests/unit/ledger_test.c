/*
 * Each property of lib/ledger/ledger.tbl is broken by hand and reported with
 * both operations, and a correct sequence close to it is not; all of the
 * counters' range; threads; logs.
 */
#include <pthread.h>
#include <stdio.h>

#include "lib/crypto/cipher.h"
#include "lib/ledger/impl.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

#define	C(n)	uint128_make(0, (n))

enum { RULE_BYTES = 64, BLOCK_BYTES = 16 };

static const uint8_t none[CIPHER_KEY_BYTES];
static const uint8_t shared[CIPHER_KEY_BYTES] = { 1 };

/* As Fortuna's: reseed n empties the pools i for which 2^i divides n. */
static unsigned
due(uint64_t reseed)
{
	return ((unsigned)__builtin_ctzll(reseed) + 1);
}

static const struct ledger_core_rule fortuna = { .lu_pools = 32,
    .lu_pool0_bytes = RULE_BYTES, .lu_due = due };

static const struct ledger_core_rule one_pool = { .lu_pools = 1 };

/* Keys by number; 0 is none. */
static const uint8_t *
key(unsigned n)
{
	static uint8_t keys[4][CIPHER_KEY_BYTES];
	static unsigned next;
	uint8_t *k = keys[next++ % nitems(keys)];

	memset(k, 0, CIPHER_KEY_BYTES);
	memcpy(k + 7, &n, sizeof(n));
	return (k);
}

static void
set(struct ledger *lg, unsigned had, unsigned n)
{
	ledger_key_set(lg, key(had), key(n));
}

static struct ledger *
make(const struct ledger_config *config)
{
	struct ledger *lg;

	ATF_REQUIRE_EQ(0, ledger_new(&lg, config));
	return (lg);
}

static struct ledger *
make_plain(void)
{
	return (make(&(struct ledger_config){ .lgo_lag = 0 }));
}

/* Enough for a reseed, and one that gives key n, at counter n. */
static void
reseed(struct ledger *lg, unsigned core, int64_t now_ns, unsigned had,
    unsigned n)
{
	ledger_event(lg, core, 0, RULE_BYTES);
	ledger_pool(lg, core, 0);
	ledger_drain(lg, core, now_ns, true);
	ledger_reseed_begin(lg, core);
	set(lg, had, n);
	ledger_install(lg, core, key(n), C(n));
	ledger_reseed_end(lg, core);
}

static struct ledger_result
seen(struct ledger *lg)
{
	struct ledger_result le;

	ledger_result(lg, &le);
	return (le);
}

static void
check_good(struct ledger *lg, const char *when)
{
	struct ledger_result le = seen(lg);

	ATF_CHECK_MSG(!le.le_violated, "%s: %s", when, le.le_text);
	ATF_CHECK_EQ(le.le_violated, ledger_violated(lg));
}

/*
 * Each breaks one property, and says which two operations do it; before that it
 * does what is allowed.  LEDGER_OPS: there is no such operation.
 */
struct breach {
	void		(*br_do)(struct ledger *lg);
	enum ledger_op	 br_first;
	enum ledger_op	 br_second;
	const char	*br_said;	/* a part of the text, or NULL */
};

static void
break_reuse(struct ledger *lg)
{
	set(lg, 0, 1);
	ledger_use(lg, key(1), C(5), 3);
	ledger_use(lg, key(1), C(8), 2);
	ledger_use(lg, key(1), C(4), 1);
	check_good(lg, "reuse");
	ledger_use(lg, key(1), C(7), 10);
}

static void
break_kept(struct ledger *lg)
{
	reseed(lg, ledger_core(lg, &fortuna), 0, 0, 1);
	ledger_begin(lg, 10);
	ledger_use(lg, key(1), C(5), 3);
	set(lg, 1, 2);
	ledger_end(lg, 10);
	check_good(lg, "kept");
	ledger_begin(lg, 10);
	ledger_use(lg, key(2), C(5), 3);
	ledger_end(lg, 10);
}

static void
break_revived(struct ledger *lg)
{
	set(lg, 0, 1);
	set(lg, 0, 1);
	set(lg, 1, 0);
	set(lg, 0, 1);
	set(lg, 1, 0);
	check_good(lg, "revived: another object still had it");
	set(lg, 1, 0);
	set(lg, 0, 1);
}

static void
break_torn(struct ledger *lg)
{
	set(lg, 0, 1);
	ledger_use(lg, key(1), C(5), 3);
	check_good(lg, "torn");
	ledger_use(lg, key(2), C(5), 3);
}

static void
break_made(struct ledger *lg)
{
	const uint64_t bytes = 2 * BLOCK_BYTES;

	ledger_block(lg, BLOCK_BYTES);
	set(lg, 0, 1);
	ledger_begin(lg, bytes);
	ledger_use(lg, key(1), C(5), 2);
	set(lg, 1, 0);
	ledger_end(lg, bytes);
	check_good(lg, "made");
	set(lg, 0, 2);
	ledger_begin(lg, bytes);
	ledger_use(lg, key(2), C(5), 1);
	set(lg, 2, 0);
	ledger_end(lg, bytes);
}

static void
break_unseeded(struct ledger *lg)
{
	(void)ledger_core(lg, &fortuna);
	ledger_begin(lg, 10);
	ledger_end(lg, 0);
	check_good(lg, "unseeded");
	ledger_use(lg, key(0), C(0), 1);
}

static void
break_stale(struct ledger *lg)
{
	unsigned core = ledger_core(lg, &one_pool);

	reseed(lg, core, 0, 0, 1);
	ledger_use(lg, key(1), C(1), 1);
	set(lg, 0, 2);
	ledger_begin(lg, 10);
	reseed(lg, core, INT64_MAX / 2, 1, 3);
	ledger_use(lg, key(2), C(5), 3);
	check_good(lg, "stale: that reseed came after the read had begun");
	set(lg, 2, 0);
	ledger_end(lg, 10);
}

/* A key of the first reseed is used in a read that begins after the second. */
static void
break_stale_then(struct ledger *lg)
{
	unsigned core;

	break_stale(lg);
	core = ledger_core(lg, &one_pool);
	reseed(lg, core, 0, 0, 11);
	ledger_use(lg, key(11), C(20), 1);
	set(lg, 0, 12);
	reseed(lg, core, INT64_MAX / 2, 11, 13);
	ledger_begin(lg, 10);
	check_good(lg, "stale");
	ledger_use(lg, key(12), C(5), 3);
}

static void
break_pace(struct ledger *lg)
{
	unsigned core = ledger_core(lg, &fortuna);
	const int64_t pace_ns = 100 * NS_PER_MS;

	reseed(lg, core, 7, 0, 1);
	ledger_event(lg, core, 0, RULE_BYTES);
	ledger_pool(lg, core, 0);
	ledger_pool(lg, core, 1);
	ledger_drain(lg, core, 7 + pace_ns, true);
	check_good(lg, "pace");
	reseed(lg, core, 7 + 2 * pace_ns - 1, 1, 2);
}

static void
break_pools(struct ledger *lg)
{
	unsigned core = ledger_core(lg, &fortuna);

	reseed(lg, core, 0, 0, 1);
	check_good(lg, "pools");
	/* The second takes two. */
	reseed(lg, core, INT64_MAX / 2, 1, 2);
}

static void
break_events(struct ledger *lg)
{
	unsigned core = ledger_core(lg, &fortuna);

	ledger_deliver_begin(lg);
	ledger_event(lg, core, 3, 12);
	ledger_deliver_end(lg, 1);
	check_good(lg, "events");
	ledger_deliver_begin(lg);
	ledger_event(lg, core, 3, 12);
	ledger_deliver_end(lg, 2);
}

static void
break_wiped(struct ledger *lg)
{
	set(lg, 0, 1);
	set(lg, 1, 2);
	check_good(lg, "wiped");
	ledger_finish(lg, 0);
}

static void
break_hidden(struct ledger *lg)
{
	set(lg, 0, 1);
	ledger_use(lg, key(1), C(5), 3);
	set(lg, 1, 0);
	ledger_finish(lg, 0);
	check_good(lg, "hidden: nobody was served");
	ledger_begin(lg, 10);
	set(lg, 0, 2);
	ledger_use(lg, key(2), C(5), 3);
	set(lg, 2, 0);
	ledger_end(lg, 10);
	ledger_finish(lg, 0);
}

/* What others find. */
#define	BREAK_KERNEL(name, property, text)				\
static void								\
break_##name(struct ledger *lg)						\
{									\
	ledger_kernel(lg, LEDGER_##property, "%s", text);		\
}
BREAK_KERNEL(residue, RESIDUE, "a key")
BREAK_KERNEL(leaked, LEAKED, "memory")
BREAK_KERNEL(due, DUE, "no reseed")
BREAK_KERNEL(queued, QUEUED, "an event")

static const struct breach breaches[LEDGER_PROPERTIES] = {
	[LEDGER_REUSE]		= { break_reuse, LEDGER_USE, LEDGER_USE,
	    "used key 1 of generation 0 at counters 8..9; then " },
	[LEDGER_KEPT]		= { break_kept, LEDGER_USE, LEDGER_END,
	    "used key 2 of generation 1 at counters 5..7; then " },
	[LEDGER_REVIVED]	= { break_revived, LEDGER_WIPE, LEDGER_SET,
	    "wiped key 1, its last; then " },
	[LEDGER_TORN]		= { break_torn, LEDGER_SET, LEDGER_USE,
	    "used a key that was not set at counters 5..7" },
	[LEDGER_MADE]		= { break_made, LEDGER_OPS, LEDGER_END },
	[LEDGER_UNSEEDED]	= { break_unseeded, LEDGER_OPS, LEDGER_USE },
	[LEDGER_STALE]		= { break_stale_then, LEDGER_RESEED,
	    LEDGER_USE, "reseeded core 1, generation 4; then " },
	[LEDGER_PACE]		= { break_pace, LEDGER_DRAIN, LEDGER_DRAIN,
	    "emptied 2 pools of core 0 for its reseed 2, at " },
	[LEDGER_DUE]		= { break_due, LEDGER_OPS, LEDGER_OPS },
	[LEDGER_POOLS]		= { break_pools, LEDGER_DRAIN, LEDGER_DRAIN,
	    "emptied 1 pools of core 0 for its reseed 1; then " },
	[LEDGER_EVENTS]		= { break_events, LEDGER_OPS, LEDGER_OPS },
	[LEDGER_QUEUED]		= { break_queued, LEDGER_OPS, LEDGER_OPS },
	[LEDGER_WIPED]		= { break_wiped, LEDGER_OPS, LEDGER_SET },
	[LEDGER_HIDDEN]		= { break_hidden, LEDGER_OPS, LEDGER_END },
	[LEDGER_RESIDUE]	= { break_residue, LEDGER_OPS, LEDGER_OPS },
	[LEDGER_LEAKED]		= { break_leaked, LEDGER_OPS, LEDGER_OPS },
};

static void
count_call(void *context)
{
	++*(unsigned *)context;
}

static void
check_breach(enum ledger_property property, struct ledger *lg,
    const unsigned *calls)
{
	const struct ledger_property_text *lp = &ledger_properties[property];
	const struct breach *br = &breaches[property];
	struct ledger_result le;
	char begin[256];

	ATF_REQUIRE_MSG(br->br_do != NULL, "%s is not broken", lp->lgp_word);
	br->br_do(lg);
	le = seen(lg);
	ATF_REQUIRE_MSG(le.le_violated && ledger_violated(lg), "%s: not seen",
	    lp->lgp_word);
	ATF_CHECK_STREQ_MSG(lp->lgp_word, ledger_properties[le.le_property].
	    lgp_word, "%s", le.le_text);
	ATF_CHECK_EQ_MSG(br->br_first, le.le_first.lgr_op, "%s", le.le_text);
	ATF_CHECK_EQ_MSG(br->br_second, le.le_second.lgr_op, "%s", le.le_text);
	ATF_CHECK_MSG(br->br_second == LEDGER_OPS || memcmp(&le.le_first,
	    &le.le_second, sizeof(le.le_first)) != 0, "twice the same: %s",
	    le.le_text);
	snprintf(begin, sizeof(begin), "%s: %s: ", lp->lgp_word, lp->lgp_text);
	ATF_CHECK_MSG(strncmp(le.le_text, begin, strlen(begin)) == 0, "%s",
	    le.le_text);
	/* Both happened just now, and each of them is told with its time. */
	ATF_CHECK_MSG(strstr(le.le_text, "at an unknown time") == NULL, "%s",
	    le.le_text);
	ATF_CHECK_EQ_MSG(br->br_first != LEDGER_OPS,
	    strstr(le.le_text, "; then ") != NULL, "%s", le.le_text);
	ATF_CHECK_MSG(br->br_said == NULL || strstr(le.le_text, br->br_said) !=
	    NULL, "no \"%s\" in %s", br->br_said, le.le_text);
	ATF_CHECK_EQ(1, *calls);
	/* What is wrong later is not told instead. */
	set(lg, 0, 900);
	ledger_use(lg, key(901), C(1), 1);
	ATF_CHECK_EQ(le.le_property, seen(lg).le_property);
	ATF_CHECK_EQ(1, *calls);
}

TEST(ledger__tells_each_property, "Each property of the table, broken by "
    "hand, is told by its word, its sentence and both operations, once")
{
	unsigned calls;
	struct ledger *lg;
	const struct ledger_config config = {
		.lgo_pace_ns = 100 * NS_PER_MS,
		.lgo_violated = count_call,
		.lgo_context = &calls,
	};

	for (unsigned i = 0; i < LEDGER_PROPERTIES; i++) {
		calls = 0;
		lg = make(&config);
		check_breach((enum ledger_property)i, lg, &calls);
		/* And again in the next life. */
		calls = 0;
		ledger_reset(lg);
		ATF_CHECK(!ledger_violated(lg));
		check_breach((enum ledger_property)i, lg, &calls);
		ledger_free(lg);
	}
}

static void
require_told(struct ledger *lg, enum ledger_property property)
{
	struct ledger_result le = seen(lg);

	ATF_CHECK_MSG(le.le_violated, "%s: not seen",
	    ledger_properties[property].lgp_word);
	if (le.le_violated)
		ATF_CHECK_STREQ_MSG(ledger_properties[property].lgp_word,
		    ledger_properties[le.le_property].lgp_word, "%s",
		    le.le_text);
	ledger_free(lg);
}

/* K is torn, and that is told beside the installation of a key at a counter. */
static void
require_torn(struct ledger *lg, uint32_t number, uint128_t ctr)
{
	const struct ledger_record first = seen(lg).le_first;

	ATF_CHECK_EQ(LEDGER_INSTALL, first.lgr_op);
	ATF_CHECK_EQ(number, first.lgr_key);
	ATF_CHECK(ctr == first.lgr_lo);
	require_told(lg, LEDGER_TORN);
}

TEST(ledger_use__of_what_is_k, "K is used at counters from where it became K "
    "up to where the next one did, round 2^128 too")
{
	const uint128_t almost = uint128_make(UINT64_MAX, UINT64_MAX - 3);
	struct ledger *lg;
	unsigned core;

	lg = make_plain();
	core = ledger_core(lg, &fortuna);
	set(lg, 0, 1);
	ledger_install(lg, core, key(1), almost);
	set(lg, 0, 2);
	ledger_install(lg, core, key(2), C(6));
	set(lg, 0, 3);
	ledger_install(lg, core, key(3), C(20));
	/* Ten counters: four up to the end, six from 0 on. */
	ledger_use(lg, key(1), almost, 10);
	ledger_use(lg, key(2), C(6), 1);
	check_good(lg, "all of it");
	ledger_use(lg, key(1), C(6), 1);
	require_torn(lg, 2, C(6));

	lg = make_plain();
	core = ledger_core(lg, &fortuna);
	set(lg, 0, 1);
	ledger_install(lg, core, key(1), C(6));
	ledger_use(lg, key(1), C(6), 1);
	check_good(lg, "at the first counter");
	set(lg, 0, 2);
	ledger_install(lg, core, key(2), C(9));
	ledger_use(lg, key(1), C(5), 1);
	require_torn(lg, 1, C(6));

	/* One that reserved too little. */
	lg = make_plain();
	core = ledger_core(lg, &fortuna);
	set(lg, 0, 1);
	ledger_install(lg, core, key(1), C(6));
	set(lg, 0, 2);
	ledger_install(lg, core, key(2), C(9));
	ledger_use(lg, key(1), C(6), 4);
	require_torn(lg, 2, C(9));
}

/* Uses that meet [first, first + n) only if they should. */
static void
check_overlaps(uint128_t first, uint64_t n)
{
	static const struct {
		int64_t		from;	/* before first if negative */
		uint64_t	blocks;
	} uses[] = {
		{ -1, 1 }, { -1, 2 }, { -5, 5 }, { -5, 6 }, { -5, 4 },
		{ 0, 1 }, { 1, 1 }, { 9, 1 }, { 10, 1 }, { 10, 100 },
		{ -5, 1000 }, { 11, 1 }
	};
	struct ledger *lg;
	uint128_t ctr;
	bool meets;

	for (size_t i = 0; i < nitems(uses); i++) {
		lg = make_plain();
		set(lg, 0, 1);
		ledger_use(lg, key(1), first, n);
		ctr = uses[i].from < 0 ? first - (uint64_t)-uses[i].from :
		    first + (uint64_t)uses[i].from;
		ledger_use(lg, key(1), ctr, uses[i].blocks);
		meets = uses[i].from < (int64_t)n && uses[i].from +
		    (int64_t)uses[i].blocks > 0;
		ATF_CHECK_EQ_MSG(meets, ledger_violated(lg), "%zu at %jx:%jx",
		    i, (uintmax_t)uint128_hi(first),
		    (uintmax_t)uint128_lo(first));
		if (ledger_violated(lg))
			require_told(lg, LEDGER_REUSE);
		else
			ledger_free(lg);
	}
}

TEST(ledger_use__overlaps, "Ranges that share a counter are told and "
    "neighbours are not, where the low half carries and where all 128 bits "
    "wrap too")
{
	check_overlaps(C(1000), 10);
	check_overlaps(C(UINT32_MAX - 5), 10);
	check_overlaps(uint128_make(0, UINT64_MAX - 4), 10);
	check_overlaps(uint128_make(0, UINT64_MAX), 10);
	check_overlaps(uint128_make(1, 0), 10);
	check_overlaps(uint128_make(UINT64_MAX, UINT64_MAX - 4), 10);
	check_overlaps(uint128_make(UINT64_MAX, UINT64_MAX), 10);
	check_overlaps(C(0), 10);
}

TEST(ledger_use__many_ranges, "Ranges in any order, joined when their gaps "
    "are filled, say of each counter whether it was used")
{
	enum { COUNTERS = 400, EVERY = 3 };
	struct ledger *lg;
	unsigned at;

	lg = make_plain();
	set(lg, 0, 1);
	/* 7 is prime to what it goes round in. */
	for (unsigned i = 0; i < COUNTERS; i++) {
		at = i * 7 % COUNTERS;
		if (at % EVERY != 0)
			ledger_use(lg, key(1), C(at), 1);
	}
	check_good(lg, "with gaps");
	ATF_CHECK(seen(lg).le_ranges_max >= COUNTERS / EVERY);
	for (unsigned i = 0; i < COUNTERS; i += EVERY)
		ledger_use(lg, key(1), C(i), 1);
	ATF_CHECK_EQ(COUNTERS, seen(lg).le_blocks);
	check_good(lg, "without");
	/* All one: it ends where it should. */
	ledger_use(lg, key(1), C(COUNTERS), 5);
	check_good(lg, "after");
	ledger_use(lg, key(1), C(EVERY), 1);
	require_told(lg, LEDGER_REUSE);
}

TEST(ledger_end__stored, "A read returns what it made, and as much more as "
    "may be stored, and no byte beyond that")
{
	static const uint64_t stored[] = { 0, 1, 128 };
	struct ledger *lg;

	for (unsigned i = 0; i < nitems(stored); i++)
		for (unsigned more = 0; more < 2; more++) {
			lg = make(&(struct ledger_config){
			    .lgo_stored_bytes = stored[i] });
			ledger_block(lg, BLOCK_BYTES);
			set(lg, 0, 1);
			ledger_use(lg, key(1), C(1), 7);
			ledger_begin(lg, 1);
			ledger_use(lg, key(1), C(8), 3);
			set(lg, 1, 0);
			ledger_end(lg, 3 * BLOCK_BYTES + stored[i] + more);
			ATF_CHECK_EQ(more != 0, ledger_violated(lg));
			ledger_free(lg);
		}
	lg = make(&(struct ledger_config){
	    .lgo_stored_bytes = LEDGER_STORED_ANY });
	ledger_block(lg, BLOCK_BYTES);
	ledger_begin(lg, UINT64_MAX);
	ledger_end(lg, UINT64_MAX);
	check_good(lg, "any");
	ledger_free(lg);
}

TEST(ledger_seed__unused, "A seed that no key was made of is told at the end")
{
	struct ledger *lg = make_plain();
	unsigned core = ledger_core(lg, &fortuna);

	reseed(lg, core, 0, 0, 1);
	ledger_seed_unused(lg, core);
	check_good(lg, "before the end");
	ledger_finish(lg, 1);
	require_told(lg, LEDGER_POOLS);
}

TEST(ledger_use__lag, "A read may lag behind as many reseeds as it was said, "
    "of its own core")
{
	static const uint32_t lags[] = { 0, 1, 3, LEDGER_LAG_ANY };
	unsigned core, other;
	struct ledger *lg;

	for (size_t i = 0; i < nitems(lags); i++)
		for (unsigned n = 0; n < 6; n++) {
			lg = make(&(struct ledger_config){
			    .lgo_lag = lags[i] });
			core = ledger_core(lg, &one_pool);
			other = ledger_core(lg, &one_pool);
			reseed(lg, core, 0, 0, 1);
			ledger_use(lg, key(1), C(1), 1);
			set(lg, 0, 2);
			for (unsigned last = 1; last <= n; last++)
				reseed(lg, core, 0, last == 1 ? 1 :
				    10 + last, 11 + last);
			reseed(lg, other, 0, 0, 99);
			ledger_begin(lg, 1);
			ledger_use(lg, key(2), C(5), 1);
			ATF_CHECK_EQ_MSG(n > lags[i], ledger_violated(lg),
			    "%u reseeds, lag %u: %s", n, lags[i],
			    seen(lg).le_text);
			ledger_free(lg);
		}
}

TEST(ledger_finish__counts, "At the end as many events are in pools as were "
    "given, queues have lost none, and what was delivered together arrived")
{
	struct ledger *lg;
	unsigned core;

	for (unsigned given = 1; given <= 2; given++) {
		lg = make_plain();
		core = ledger_core(lg, &fortuna);
		ledger_event(lg, core, 0, 12);
		ledger_finish(lg, given);
		if (given == 1) {
			check_good(lg, "finish");
			ledger_free(lg);
		} else {
			require_told(lg, LEDGER_EVENTS);
		}
	}
	lg = make_plain();
	core = ledger_core(lg, &fortuna);
	ledger_deliver_begin(lg);
	ledger_event(lg, core, 0, 12);
	ledger_deliver_end(lg, 1);
	ledger_finish(lg, 1);
	check_good(lg, "delivered");
	ledger_deliver_begin(lg);
	ledger_deliver_end(lg, 1);
	require_told(lg, LEDGER_EVENTS);

	lg = make_plain();
	ledger_conserved(lg, 10, 5, 3, 2, 0);
	check_good(lg, "conserved");
	ledger_conserved(lg, 10, 5, 3, 1, 0);
	ATF_CHECK_MSG(strstr(seen(lg).le_text, "10 events were queued, 5 "
	    "processed, 3 are pending, 1 were dropped, 0 discarded") != NULL,
	    "%s", seen(lg).le_text);
	require_told(lg, LEDGER_EVENTS);

	/* One of three is refused; another is lost without a report. */
	lg = make_plain();
	core = ledger_core(lg, &fortuna);
	ledger_deliver_begin(lg);
	ledger_event(lg, core, 0, 12);
	ledger_refused(lg);
	ledger_event(lg, core, 1, 12);
	ledger_deliver_end(lg, 3);
	ledger_finish(lg, 3);
	ledger_conserved(lg, 3, 2, 0, 0, 1);
	check_good(lg, "refused");
	ledger_conserved(lg, 3, 1, 0, 0, 2);
	require_told(lg, LEDGER_EVENTS);
}

TEST(ledger_use__goes_back_to_a_reseed, "Reads are served from keys that go "
    "back to a reseed, also when others do")
{
	struct ledger *lg;

	for (unsigned own = 0; own < 2; own++) {
		lg = make_plain();
		reseed(lg, ledger_core(lg, &fortuna), 0, 0, 1);
		if (own == 0)
			ledger_use(lg, key(1), C(1), 1);
		set(lg, 0, 2);
		ledger_begin(lg, 10);
		ledger_use(lg, key(2), C(5), 1);
		set(lg, 2, 0);
		ledger_end(lg, 10);
		if (own == 0) {
			check_good(lg, "drawn from the reseed's");
			ledger_free(lg);
		}
	}
	ATF_CHECK_EQ(LEDGER_USE, seen(lg).le_second.lgr_op);
	require_told(lg, LEDGER_UNSEEDED);
}

TEST(ledger_finish__keyless, "A keyless design needs no core, and must not "
    "make keystream")
{
	const struct ledger_config config = { .lgo_keyless = true };
	struct ledger *lg;

	lg = make(&config);
	ledger_begin(lg, 10);
	ledger_end(lg, 10);
	ledger_finish(lg, LEDGER_UNCOUNTED);
	check_good(lg, "no key");
	set(lg, 0, 1);
	ledger_use(lg, key(1), C(5), 3);
	set(lg, 1, 0);
	ledger_finish(lg, LEDGER_UNCOUNTED);
	ATF_CHECK_EQ(LEDGER_USE, seen(lg).le_second.lgr_op);
	require_told(lg, LEDGER_HIDDEN);
}

TEST(ledger_finish__finds_the_long_gone, "A key that comes back when its "
    "place is long another's is found at the end")
{
	/* More than a piece of memory for them has. */
	enum { NUMBERS = 200000 };
	struct ledger *lg;

	for (unsigned back = 0; back < 2; back++) {
		lg = make_plain();
		for (unsigned i = 1; i <= NUMBERS; i++) {
			set(lg, 0, i);
			set(lg, i, 0);
		}
		check_good(lg, "before");
		ATF_CHECK_EQ(NUMBERS, seen(lg).le_keys);
		ATF_CHECK_EQ(NUMBERS, seen(lg).le_wipes);
		if (back != 0) {
			set(lg, 0, 17);
			set(lg, 17, 0);
		}
		ledger_finish(lg, LEDGER_UNCOUNTED);
		if (back != 0) {
			require_told(lg, LEDGER_REVIVED);
			continue;
		}
		check_good(lg, "none came back");
		/* In its next life all are new. */
		ledger_reset(lg);
		set(lg, 0, 17);
		set(lg, 17, 0);
		ledger_finish(lg, LEDGER_UNCOUNTED);
		check_good(lg, "after a reset");
		ATF_CHECK_EQ(1, seen(lg).le_keys);
		ledger_free(lg);
	}
}

struct worker {
	pthread_t	 wo_thread;
	struct ledger	*wo_lg;
	uint64_t	 wo_lineage;
	unsigned	 wo_index;
};

enum { WORKERS = 8, TURNS = 20000, ROUNDS = 300, SHARES = 1000 };

/* Runs that many threads on the ledger, with its lineage now. */
static void
run_workers(struct ledger *lg, void *(*fn)(void *))
{
	struct worker workers[WORKERS];

	for (unsigned i = 0; i < WORKERS; i++) {
		workers[i].wo_lg = lg;
		workers[i].wo_lineage = ledger_lineage(lg);
		workers[i].wo_index = i;
		ATF_REQUIRE_EQ(0, pthread_create(&workers[i].wo_thread, NULL,
		    fn, &workers[i]));
	}
	for (unsigned i = 0; i < WORKERS; i++)
		pthread_join(workers[i].wo_thread, NULL);
}

static void *
work(void *arg)
{
	struct worker *wo = arg;
	uint8_t keys[2][CIPHER_KEY_BYTES] = { { 0 }, { 0 } };

	ledger_set_lineage(wo->wo_lg, wo->wo_lineage);
	for (unsigned i = 0; i < TURNS; i++) {
		ledger_begin(wo->wo_lg, 1);
		memcpy(keys[i % 2], &i, sizeof(i));
		keys[i % 2][31] = (uint8_t)(wo->wo_index + 1);
		ledger_key_set(wo->wo_lg, i == 0 ? none : keys[(i + 1) % 2],
		    keys[i % 2]);
		ledger_use(wo->wo_lg, keys[i % 2], C(i), 3);
		ledger_key_set(wo->wo_lg, keys[i % 2], none);
		ledger_end(wo->wo_lg, 1);
		memset(keys[i % 2], 0, CIPHER_KEY_BYTES);
	}
	return (NULL);
}

TEST(ledger__many_threads, "Threads that do right are counted and never "
    "accused; a counter that two use is told once")
{
	struct ledger_result before, le;
	struct ledger *lg;

	tick_calibrate();
	lg = make_plain();
	reseed(lg, ledger_core(lg, &fortuna), 0, 0, 1);
	ledger_use(lg, key(1), C(1), 1);
	set(lg, 1, 0);
	before = seen(lg);
	run_workers(lg, work);
	ledger_finish(lg, LEDGER_UNCOUNTED);
	check_good(lg, "threads");
	le = seen(lg);
	ATF_CHECK_EQ(WORKERS * TURNS, le.le_keys - before.le_keys);
	ATF_CHECK_EQ(WORKERS * TURNS, le.le_wipes - before.le_wipes);
	ATF_CHECK_EQ(WORKERS * TURNS, le.le_reads);
	ATF_CHECK_EQ(WORKERS * TURNS * 3, le.le_blocks - before.le_blocks);
	ATF_CHECK_EQ(WORKERS * TURNS * 5, le.le_records - before.le_records);
	ledger_free(lg);
}

/* Gives one more object the key that all have, and takes it away again. */
static void *
share(void *arg)
{
	struct worker *wo = arg;

	for (unsigned i = 0; i < SHARES; i++) {
		ledger_key_set(wo->wo_lg, none, shared);
		ledger_key_set(wo->wo_lg, shared, none);
	}
	return (NULL);
}

TEST(ledger__threads_share, "A thread that was the only one loses nothing "
    "when others come while it is at it")
{
	struct ledger_result le;
	struct ledger *lg;

	tick_calibrate();
	lg = make_plain();
	for (unsigned round = 0; round < ROUNDS; round++) {
		ledger_reset(lg);
		ledger_key_set(lg, none, shared);
		run_workers(lg, share);
		ledger_key_set(lg, shared, none);
		ledger_finish(lg, LEDGER_UNCOUNTED);
		check_good(lg, "threads that share a key");
		le = seen(lg);
		ATF_REQUIRE_EQ(1, le.le_keys);
		ATF_REQUIRE_EQ(1, le.le_wipes);
		ATF_REQUIRE_EQ(2 + WORKERS * SHARES * 2, le.le_records);
	}
	ledger_free(lg);
}

/* Uses the counters that all others use too. */
static void *
collide(void *arg)
{
	struct worker *wo = arg;

	for (unsigned i = 0; i < TURNS; i++)
		ledger_use(wo->wo_lg, shared, C(i), 1);
	return (NULL);
}

TEST(ledger__threads_collide, "Two threads that use the same counters are "
    "told of, once, with the thread that came second")
{
	unsigned calls = 0;
	struct ledger *lg;

	tick_calibrate();
	lg = make(&(struct ledger_config){ .lgo_violated = count_call,
	    .lgo_context = &calls });
	ledger_key_set(lg, none, shared);
	run_workers(lg, collide);
	ATF_CHECK_EQ(1, calls);
	ATF_CHECK_EQ(LEDGER_USE, seen(lg).le_first.lgr_op);
	require_told(lg, LEDGER_REUSE);
}

TEST(ledger_log_line__each_record, "Every record is handed on in order, and "
    "its line has all of it")
{
	struct ledger_record lr;
	char line[256], want[256];
	unsigned long long seq;
	uint64_t n = 0;
	struct ledger *lg;
	FILE *f;

	f = fopen("log", "w+");
	ATF_REQUIRE(f != NULL);
	memset(&lr, 0, sizeof(lr));
	for (size_t i = 0; i < LEDGER_OPS; i++) {
		lr.lgr_seq = UINT64_MAX - i;
		lr.lgr_time_ns = -1;
		lr.lgr_lo = uint128_make(UINT64_MAX, i);
		lr.lgr_hi = uint128_make(0, 16);
		lr.lgr_key = UINT32_MAX;
		lr.lgr_thread = UINT16_MAX;
		lr.lgr_op = (uint8_t)i;
		lr.lgr_wiped = i % 2 != 0;
		lr.lgr_generation = 7;
		rewind(f);
		ledger_log_line(f, &lr);
		rewind(f);
		ATF_REQUIRE(fgets(line, sizeof(line), f) != NULL);
		snprintf(want, sizeof(want), "%ju -1 65535 %s 4294967295 "
		    "0xffffffffffffffff%016zx 0x10 7 %zu\n",
		    (uintmax_t)lr.lgr_seq, ledger_op_names[i], i, i % 2);
		ATF_CHECK_STREQ(want, line);
	}
	fclose(f);
	f = fopen("log", "w+");
	ATF_REQUIRE(f != NULL);
	tick_calibrate();
	lg = make(&(struct ledger_config){ .lgo_record = ledger_log_line,
	    .lgo_context = f });
	break_kept(lg);
	rewind(f);
	while (fgets(line, sizeof(line), f) != NULL) {
		ATF_REQUIRE_EQ(1, sscanf(line, "%llu ", &seq));
		ATF_CHECK_EQ(++n, seq);
	}
	ATF_CHECK_EQ(seen(lg).le_records, n);
	require_told(lg, LEDGER_KEPT);
	fclose(f);
}

TEST_PROGRAM()
