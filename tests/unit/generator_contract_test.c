/*
 * What fortuna/generator.h and fortuna/randomdev.h promise, asked of every
 * design in generators with every cipher: a new design is tested by being in
 * the table.
 *
 * The null design produces a pattern, needs no seed and promises nothing more;
 * cases about output leave it out.
 *
 * All of it is done under a ledger, which must have nothing to say.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "fortuna/fortuna.h"
#include "fortuna/kernel/design.h"
#include "fortuna/randomdev.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum {
	SEED_EVENTS	= 6,		/* these bring pool 0 over 64 */
	PATIENCE	= 100000,	/* events until any design is seeded */
	MEGABYTE	= 1 << 20,
	READERS		= 4,
	NODES		= 3,		/* pretended, where there are some */
	PASSES		= 12,		/* of each reader over the sizes */
	MOVERS		= 3,		/* readers that move */
	MOVER_READS	= 150,
	PLACES		= 2,
	FILL		= 0xa5,
	GUARD		= 64
};

static const int64_t HOUR_NS = 3600 * NS_PER_S;

static struct mthread self;

/* Nodes that generators are told there are; 0: the host's. */
static unsigned pretended_nodes;

/* A generator of one design and cipher, and its device. */
struct fixture {
	const struct random_algorithm *f_ra;
	const struct cipher *f_cipher;
	struct generator *f_g;
	struct generator_reader f_gr;
	struct randomdev f_rd;
	struct ledger	*f_lg;
	uint32_t	 f_events;	/* fed so far */
	int64_t		 f_timer_ns;	/* what timers were told last */
	char		 f_name[96];	/* for messages */
};

static struct generator_params
params_default(const struct cipher *cipher)
{
	struct generator_params params = {
		.gp_cipher = cipher,
		.gp_lock = lock_class_find("mtx"),
		.gp_lock_config = lock_config_default(cpu_count()),
		.gp_prof = NULL,
		.gp_config = generator_config_default(),
	};

	params.gp_lock_config.nodes = pretended_nodes;
	return (params);
}

static void
fixture_make_params(struct fixture *f, const struct random_algorithm *ra,
    const struct generator_params *params)
{
	struct ledger_config config = { .lc_lag = ra->ra_lag,
	    .lc_stored_bytes = ra->ra_stored_bytes,
	    .lc_keyless = (ra->ra_flags & RA_NULL) != 0 };
	struct generator_params watched = *params;
	int error;

	memset(f, 0, sizeof(*f));
	f->f_ra = ra;
	ATF_REQUIRE_EQ(0, ledger_new(&f->f_lg, &config));
	watched.gp_cipher = ledger_cipher(f->f_lg, params->gp_cipher);
	f->f_cipher = params->gp_cipher;
	snprintf(f->f_name, sizeof(f->f_name), "%s, %s, %s, %u nodes",
	    ra->ra_ident, params->gp_cipher->ci_name,
	    params->gp_lock->lc_name, params->gp_lock_config.nodes);
	error = generator_new(ra, &f->f_g, &watched);
	ATF_REQUIRE_MSG(error == 0, "%s: ra_init: %s", f->f_name,
	    strerror(error));
	error = generator_reader_init(f->f_g, &f->f_gr);
	ATF_REQUIRE_MSG(error == 0, "%s: ra_reader_init: %s", f->f_name,
	    strerror(error));
	/* This thread may be on another CPU when it reads again. */
	f->f_gr.gr_place = 0;
	f->f_rd.rd_generator = f->f_g;
	f->f_rd.rd_ledger = f->f_lg;
}

static void
fixture_make_config(struct fixture *f, const struct random_algorithm *ra,
    const struct cipher *cipher, const struct generator_config *config)
{
	struct generator_params params = params_default(cipher);

	params.gp_config = *config;
	fixture_make_params(f, ra, &params);
}

static void
fixture_make(struct fixture *f, const struct random_algorithm *ra,
    const struct cipher *cipher)
{
	struct generator_params params = params_default(cipher);

	fixture_make_params(f, ra, &params);
}

static void
fixture_free(struct fixture *f)
{
	struct ledger_result le;

	generator_reader_fini(f->f_g, &f->f_gr);
	generator_free(f->f_g);
	ledger_finish(f->f_lg, LEDGER_UNCOUNTED);
	ledger_result(f->f_lg, &le);
	ATF_REQUIRE_MSG(!le.le_violated, "%s: %s", f->f_name, le.le_text);
	ATF_REQUIRE_EQ(le.le_keys, le.le_wipes);
	ledger_free(f->f_lg);
}

/* The next event, the same in every fixture. */
static void
feed_pool(struct fixture *f, unsigned pool)
{
	struct harvest_event he = {
		.he_somecounter = 0x01000000 + f->f_events,
		.he_size = HARVEST_ENTROPY_BYTES,
		.he_destination = (uint8_t)pool,
		.he_source = RANDOM_CACHED,
	};
	uint64_t entropy = f->f_events * UINT64_C(0x9e3779b97f4a7c15);

	memcpy(he.he_entropy, &entropy, sizeof(entropy));
	f->f_events++;
	f->f_ra->ra_event_processor(f->f_g, &he);
}

static void
feed(struct fixture *f, unsigned events)
{
	while (events-- > 0)
		feed_pool(f, 0);
}

/* Returns after how many events. */
static unsigned
seed(struct fixture *f)
{
	unsigned i;

	for (i = 0; i < PATIENCE && !f->f_ra->ra_seeded(f->f_g); i++)
		feed_pool(f, i);
	ATF_REQUIRE_MSG(f->f_ra->ra_seeded(f->f_g),
	    "%s: not seeded after %u events", f->f_name, i);
	return (i);
}

static void
fixture_make_seeded(struct fixture *f, const struct random_algorithm *ra,
    const struct cipher *cipher)
{
	fixture_make(f, ra, cipher);
	seed(f);
}

static void
draw(struct fixture *f, void *buf, size_t n)
{
	struct uio uio = uio_buffer(buf, n);

	f->f_ra->ra_read(f->f_g, &f->f_gr, &uio);
	ATF_REQUIRE_MSG(uio.uio_resid == 0, "%s: %" PRIu64 " of %zu bytes not "
	    "read", f->f_name, uio.uio_resid, n);
}

static void
setup(void)
{
	char why[KERNEL_ERROR_SIZE];

	support_machine(&self);
	support_crypto();
	if (generator_find("pcpu") == NULL)
		ATF_REQUIRE_MSG(kernel_built_in(why) == 0, "%s", why);
}

static struct generator_status
status(struct fixture *f)
{
	struct generator_status again, gs;

	memset(&gs, FILL, sizeof(gs));
	memset(&again, 0, sizeof(again));
	f->f_ra->ra_status(f->f_g, &gs);
	f->f_ra->ra_status(f->f_g, &again);
	/* All of it is filled in. */
	ATF_CHECK_EQ(gs.gs_reseeds, again.gs_reseeds);
	ATF_CHECK_EQ(gs.gs_pool0_bytes, again.gs_pool0_bytes);
	ATF_CHECK_EQ(gs.gs_pool0_needed_bytes, again.gs_pool0_needed_bytes);
	return (gs);
}

static bool
is_null(const struct random_algorithm *ra)
{
	return ((ra->ra_flags & RA_NULL) != 0);
}

/* Its state is behind ra_core, its profile has rows of its own. */
static bool
is_kernel_source(const struct random_algorithm *ra)
{
	return (ra->ra_sites != NULL);
}

/* Whether reads need not wait for entropy. */
static bool
never_waits(const struct random_algorithm *ra)
{
	return ((ra->ra_flags & (RA_NULL | RA_NEVER_BLOCKS)) != 0);
}

/* What kernel timers do by the time f_timer_ns. */
static void
pass_time(struct fixture *f, int64_t ns)
{
	f->f_timer_ns += ns;
	if (f->f_ra->ra_timer != NULL)
		f->f_ra->ra_timer(f->f_g, f->f_timer_ns);
}

/*
 * Calls check with a new fixture of each design and cipher, with one more on
 * pretended nodes where that makes a difference.
 */
static void
walk(void (*make)(struct fixture *, const struct random_algorithm *,
    const struct cipher *), void (*check)(struct fixture *))
{
	struct fixture f;

	for (unsigned i = 0; i < generator_count; i++) {
		for (unsigned c = 0; c < cipher_count; c++) {
			for (unsigned pretend = 0; pretend < 2; pretend++) {
				if (pretend != 0 && (generators[i]->ra_flags &
				    RA_NODES) == 0)
					continue;
				pretended_nodes = pretend * NODES;
				make(&f, generators[i], ciphers[c]);
				check(&f);
				fixture_free(&f);
			}
			pretended_nodes = 0;
		}
	}
}

/* Checks that say which fixture they are about. */
#define	CHECK(f, condition)						\
	ATF_CHECK_MSG(condition, "%s: %s", (f)->f_name, #condition)
#define	CHECK_EQ(f, want, got)						\
	ATF_CHECK_EQ_MSG(want, got, "%s: %s: %ju, not %ju", (f)->f_name, \
	    #got, (uintmax_t)(got), (uintmax_t)(want))

/* A case with libcrypto. */
#define	CASE(name, text)						\
static void	name##_body(void);					\
TEST(name, text)							\
{									\
									\
	setup();							\
	name##_body();							\
	crypto_fini();							\
}									\
static void								\
name##_body(void)

/* A case whose body gets a new fixture f of each design and cipher. */
#define	CONTRACT(name, make, text)					\
static void	name##_check(struct fixture *f);			\
CASE(name, text)							\
{									\
									\
	walk(make, name##_check);					\
}									\
static void								\
name##_check(struct fixture *f)

/* What is printed as prose: a capital at each beginning, a stop at the end. */
static void
check_sentences(const char *ident, const char *text)
{
	const char *p = text;

	for (; p != NULL; p = strstr(p, ".  ")) {
		p += p == text ? 0 : 3;
		ATF_CHECK_MSG(*p >= 'A' && *p <= 'Z', "%s: \"%.20s...\"",
		    ident, p);
	}
	ATF_CHECK_MSG(text[strlen(text) - 1] == '.', "%s: \"%s\"", ident,
	    text);
}

TEST(random_algorithm__describes_itself, "Names are there and unique, each "
    "design is found by its own, what it stands for and what is to be argued "
    "are sentences, and there is one null design")
{
	const struct random_algorithm *ra;
	unsigned null = 0;

	for (unsigned i = 0; i < generator_count; i++) {
		ra = generators[i];
		ATF_REQUIRE_MSG(strlen(ra->ra_ident) > 0 &&
		    strlen(ra->ra_descr) > 0 && ra->ra_stands != NULL &&
		    isupper((unsigned char)ra->ra_stands[0]) &&
		    isupper((unsigned char)ra->ra_argument[0]),
		    "design %u", i);
		check_sentences(ra->ra_ident, ra->ra_stands);
		check_sentences(ra->ra_ident, ra->ra_argument);
		ATF_CHECK_MSG(strpbrk(ra->ra_ident, ", \t\n=") == NULL, "%s",
		    ra->ra_ident);
		ATF_CHECK_EQ_MSG(ra, generator_find(ra->ra_ident), "%s",
		    ra->ra_ident);
		for (unsigned k = 0; k < i; k++)
			ATF_CHECK_MSG(strcmp(generators[k]->ra_ident,
			    ra->ra_ident) != 0, "%s is there twice",
			    ra->ra_ident);
		null += is_null(ra);
		ATF_CHECK_MSG(!is_null(ra) ||
		    (ra->ra_flags & RA_FORTUNA_BYTES) == 0, "%s",
		    ra->ra_ident);
	}
	ATF_CHECK_EQ(1, null);
	ATF_CHECK(generator_find("locked") != NULL);
	ATF_CHECK(generator_find("concurrent") != NULL);
	ATF_CHECK_EQ(NULL, generator_find(""));
	ATF_CHECK_EQ(NULL, generator_find("no such design"));
}

CONTRACT(ra_init__unseeded, fixture_make, "A new generator has no entropy and "
    "says so; the null design needs none, and one that never blocks seeds "
    "itself when asked")
{
	struct generator_status gs = status(f);

	CHECK_EQ(f, never_waits(f->f_ra), f->f_ra->ra_seeded(f->f_g));
	CHECK_EQ(f, is_null(f->f_ra), gs.gs_seeded);
	CHECK_EQ(f, 0, gs.gs_reseeds);
	CHECK_EQ(f, 0, gs.gs_pool0_bytes);
	CHECK(f, f->f_ra == f->f_g->g_algorithm);
}

CONTRACT(ra_event_processor__seeds, fixture_make, "Enough events seed the "
    "generator, fewer do not, and then no thread waits for it")
{
	struct generator_status gs;
	unsigned i;

	if (is_null(f->f_ra))
		return;
	i = seed(f);
	ATF_CHECK_MSG(never_waits(f->f_ra) ? i == 0 : i > 0 && i < PATIENCE,
	    "%s: seeded after %u events", f->f_name, i);
	gs = status(f);
	ATF_CHECK_MSG(gs.gs_seeded && gs.gs_reseeds == 1,
	    "%s: seeded %d, %u reseeds", f->f_name, gs.gs_seeded,
	    gs.gs_reseeds);
	/* For ever, if it waited now. */
	f->f_ra->ra_wait_seeded(f->f_g, -1);
}

CONTRACT(ra_status__counts, fixture_make, "The status follows pool 0 and the "
    "reseeds of FreeBSD's Fortuna")
{
	struct generator_status gs;

	if ((f->f_ra->ra_flags & RA_FORTUNA_BYTES) == 0)
		return;
	for (uint32_t i = 1; i <= SEED_EVENTS; i++) {
		feed(f, 1);
		gs = status(f);
		ATF_CHECK_MSG(gs.gs_pool0_bytes == 12 * i &&
		    gs.gs_pool0_needed_bytes == 64 && gs.gs_reseeds == 0 &&
		    !gs.gs_seeded, "%s: event %u: %u of %u bytes, %u reseeds",
		    f->f_name, i, gs.gs_pool0_bytes, gs.gs_pool0_needed_bytes,
		    gs.gs_reseeds);
	}
	f->f_ra->ra_pre_read(f->f_g);
	gs = status(f);
	ATF_CHECK_MSG(gs.gs_pool0_bytes == 0 && gs.gs_reseeds == 1 &&
	    gs.gs_seeded, "%s: %u bytes, %u reseeds", f->f_name,
	    gs.gs_pool0_bytes, gs.gs_reseeds);
}

static void
fixture_make_minpoolsize(struct fixture *f, const struct random_algorithm *ra,
    const struct cipher *cipher)
{
	struct generator_config config = generator_config_default();

	config.minpoolsize = 128;
	fixture_make_config(f, ra, cipher, &config);
}

CONTRACT(ra_init__config, fixture_make_minpoolsize, "minpoolsize decides when "
    "the first reseed comes")
{
	if ((f->f_ra->ra_flags & RA_FORTUNA_BYTES) == 0)
		return;
	feed(f, 10);
	CHECK(f, !f->f_ra->ra_seeded(f->f_g));
	feed(f, 1);
	CHECK(f, f->f_ra->ra_seeded(f->f_g));
}

static void
fixture_make_blocked(struct fixture *f, const struct random_algorithm *ra,
    const struct cipher *cipher)
{
	struct generator_config config = generator_config_default();

	config.block_seeded_status = true;
	fixture_make_config(f, ra, cipher, &config);
	feed(f, SEED_EVENTS);
	ra->ra_pre_read(f->f_g);
}

CONTRACT(ra_init__block_seeded_status, fixture_make_blocked,
    "block_seeded_status denies a seeding that there was")
{
	if (never_waits(f->f_ra))
		return;
	CHECK(f, !status(f).gs_seeded && !f->f_ra->ra_seeded(f->f_g));
	/* Seeded it is, or the knob would not have been what denied it. */
	CHECK_EQ(f, 1, status(f).gs_reseeds);
}

CONTRACT(ra_read__sizes, fixture_make_seeded, "Each size is filled whole and "
    "nothing else; two reads never give the same bytes")
{
	static const size_t sizes[] = { 0, 1, 15, 16, 17, 31, 32, 64, 100, 4095,
	    4096, 4097, 65536 };
	static uint8_t buf[GUARD + 65536 + GUARD], last[65536];
	uint8_t *out = buf + GUARD;
	size_t i, n, zeros;

	for (i = 0; i < nitems(sizes); i++) {
		n = sizes[i];
		memset(buf, FILL, sizeof(buf));
		draw(f, out, n);
		ATF_CHECK_MSG(support_all(buf, GUARD, FILL) &&
		    support_all(out + n, sizeof(buf) - GUARD - n, FILL),
		    "%s: %zu bytes: wrote outside of them", f->f_name, n);
		if (is_null(f->f_ra) || n < 15)
			continue;
		/* As long a run of one byte has a chance of 2^-120. */
		for (zeros = 0; zeros + 15 <= n; zeros++)
			if (support_all(out + zeros, 15, out[zeros]))
				break;
		ATF_CHECK_MSG(zeros + 15 > n,
		    "%s: %zu bytes: all the same from %zu", f->f_name, n,
		    zeros);
		memcpy(last, out, n);
		draw(f, out, n);
		ATF_CHECK_MSG(memcmp(last, out, n) != 0,
		    "%s: %zu bytes: twice the same", f->f_name, n);
	}
}

static void
drain_window(struct uio *uio, size_t n)
{
	/* The stream's place is in front of the window. */
	uint8_t *stream;

	memcpy(&stream, uio->uio_base - sizeof(stream), sizeof(stream));
	memcpy(stream, uio->uio_base, n);
	stream += n;
	memcpy(uio->uio_base - sizeof(stream), &stream, sizeof(stream));
	memset(uio->uio_base, FILL, n);
}

CONTRACT(ra_read__windows, fixture_make_seeded, "A request drained through a "
    "small window gives the bytes that one buffer gets")
{
	static const size_t windows[] = { 4096, 3 * 4096, 65536 };
	static uint8_t one[MEGABYTE + 4099], many[MEGABYTE + 4099];
	static uint8_t window[sizeof(uint8_t *) + 65536];
	uint8_t *place;
	struct fixture w;
	struct uio uio;
	size_t at;

	draw(f, one, sizeof(one));
	for (size_t i = 0; i < nitems(windows); i++) {
		fixture_make_seeded(&w, f->f_ra, f->f_cipher);
		memset(many, 0, sizeof(many));
		place = many;
		memcpy(window, &place, sizeof(place));
		uio = (struct uio){
			.uio_base = window + sizeof(place),
			.uio_room = windows[i],
			.uio_resid = sizeof(many),
			.uio_drain = drain_window,
		};
		w.f_ra->ra_read(w.f_g, &w.f_gr, &uio);
		ATF_CHECK_EQ(0, uio.uio_resid);
		at = support_mismatch(one, many, sizeof(one));
		ATF_CHECK_MSG(at == sizeof(one), "%s, window %zu: differ at "
		    "%zu", w.f_name, windows[i], at);
		fixture_free(&w);
	}
}

/* Whether a read of n bytes is the same locked and concurrent. */
static bool
same_in_both(const struct cipher *cipher, size_t n)
{
	if (strcmp(cipher->ci_name, "aes") == 0)
		return (n <= 16 || (n <= 4096 && n % 16 == 0));
	return (n <= 4096);
}

/* How far the two outputs are equal in any case. */
static size_t
same_prefix(const struct cipher *cipher, size_t n)
{
	if (strcmp(cipher->ci_name, "aes") == 0)
		n -= n < 16 ? 0 : n % 16;
	return (n < 4096 ? n : 4096);
}

/* Puts both into the same state and reads n bytes from each. */
static void
draw_both(struct fixture *locked, struct fixture *concurrent, uint8_t *a,
    uint8_t *b, size_t n, uint64_t *draws)
{
	struct fortuna_state *fs[2];
	uint8_t key[CIPHER_KEY_BYTES];
	uint128_t ctr;

	fs[0] = &fortuna_of(locked->f_g)->f_state;
	fs[1] = &fortuna_of(concurrent->f_g)->f_state;
	for (unsigned i = 0; i < sizeof(key); i++)
		key[i] = (uint8_t)support_draw(draws);
	ctr = uint128_make(0, support_draw(draws));
	for (unsigned i = 0; i < 2; i++) {
		cipher_key_set(fs[i]->fs_key, key);
		fs[i]->fs_counter = ctr;
	}
	draw(locked, a, n);
	draw(concurrent, b, n);
}

static void
check_both(struct fixture *locked, struct fixture *concurrent,
    const struct cipher *cipher, size_t n, uint64_t *draws)
{
	static uint8_t a[MEGABYTE + 64], b[MEGABYTE + 64];
	struct fortuna_state *fa, *fb;
	size_t prefix;

	ATF_REQUIRE(n <= sizeof(a));
	fa = &fortuna_of(locked->f_g)->f_state;
	fb = &fortuna_of(concurrent->f_g)->f_state;
	prefix = same_in_both(cipher, n) ? n : same_prefix(cipher, n);
	/*
	 * Where a single byte should differ it may be the same by chance, once
	 * in 256, but not eight times in a row.
	 */
	for (unsigned try = 0; try < 8; try++) {
		draw_both(locked, concurrent, a, b, n, draws);
		ATF_REQUIRE_MSG(memcmp(a, b, prefix) == 0,
		    "%s, %zu bytes: differ within the first %zu",
		    cipher->ci_name, n, prefix);
		if (prefix == n && same_in_both(cipher, n)) {
			ATF_REQUIRE_MSG(memcmp(fa->fs_key->ck_raw,
			    fb->fs_key->ck_raw, CIPHER_KEY_BYTES) == 0 &&
			    uint128_equals(fa->fs_counter, fb->fs_counter),
			    "%s, %zu bytes: K or C differ afterwards",
			    cipher->ci_name, n);
			return;
		}
		ATF_REQUIRE_MSG(memcmp(fa->fs_key->ck_raw, fb->fs_key->ck_raw,
		    CIPHER_KEY_BYTES) != 0 &&
		    !uint128_equals(fa->fs_counter, fb->fs_counter),
		    "%s, %zu bytes: the same K or C afterwards",
		    cipher->ci_name, n);
		if (memcmp(a, b, n) != 0)
			return;
	}
	atf_tc_fail_nonfatal("%s, %zu bytes: the same output",
	    cipher->ci_name, n);
}

CASE(ra_read__locked_and_concurrent, "The two modes give the same bytes, K and "
    "C for exactly the sizes for which FreeBSD's do, and equal prefixes "
    "otherwise")
{
	static const size_t sizes[] = { 8191, 8192, 8193, 65536, 65543,
	    MEGABYTE - 16, MEGABYTE - 15, MEGABYTE, MEGABYTE + 1,
	    MEGABYTE + 16 };
	struct fixture concurrent, locked;
	uint64_t draws = 42;
	unsigned c;
	size_t i, n;

	for (c = 0; c < cipher_count; c++) {
		fixture_make_seeded(&locked, generator_find("locked"),
		    ciphers[c]);
		fixture_make_seeded(&concurrent, generator_find("concurrent"),
		    ciphers[c]);
		for (n = 0; n <= 4096 + 130; n++)
			check_both(&locked, &concurrent, ciphers[c], n,
			    &draws);
		for (i = 0; i < nitems(sizes); i++)
			check_both(&locked, &concurrent, ciphers[c], sizes[i],
			    &draws);
		fixture_free(&locked);
		fixture_free(&concurrent);
	}
}

enum { STREAM_BYTES = 20 + 4097 + 100 + 33 + 64 };

/* Reads of several sizes, each after more events: what K and C became shows. */
static void
stream(const struct random_algorithm *ra, const struct cipher *cipher,
    uint8_t out[STREAM_BYTES])
{
	static const size_t sizes[] = { 20, 4097, 100, 0, 33, 64 };
	struct fixture f;
	size_t used = 0;

	fixture_make(&f, ra, cipher);
	feed(&f, SEED_EVENTS);
	f.f_ra->ra_pre_read(f.f_g);
	for (size_t i = 0; i < nitems(sizes); i++) {
		draw(&f, out + used, sizes[i]);
		used += sizes[i];
		feed(&f, 1);
	}
	ATF_REQUIRE_EQ(STREAM_BYTES, used);
	fixture_free(&f);
}

CASE(ra_read__fortuna_bytes, "A design that claims Fortuna's bytes gives those "
    "of the locked or of the concurrent mode, with every cipher those of the "
    "same; and they are repeatable")
{
	static uint8_t bytes[STREAM_BYTES], concurrent[STREAM_BYTES];
	static uint8_t locked[STREAM_BYTES];
	bool as_concurrent, as_locked;

	for (unsigned i = 0; i < generator_count; i++) {
		if ((generators[i]->ra_flags & RA_FORTUNA_BYTES) == 0)
			continue;
		as_concurrent = as_locked = true;
		for (unsigned c = 0; c < cipher_count; c++) {
			stream(generator_find("locked"), ciphers[c], locked);
			stream(generator_find("concurrent"), ciphers[c],
			    concurrent);
			ATF_REQUIRE(memcmp(locked, concurrent,
			    STREAM_BYTES) != 0);
			stream(generators[i], ciphers[c], bytes);
			as_locked = as_locked &&
			    memcmp(bytes, locked, STREAM_BYTES) == 0;
			as_concurrent = as_concurrent &&
			    memcmp(bytes, concurrent, STREAM_BYTES) == 0;
		}
		ATF_CHECK_MSG(as_locked || as_concurrent,
		    "%s: neither mode's bytes", generators[i]->ra_ident);
	}
}

CONTRACT(ra_read__zero_length, fixture_make_seeded, "A generator's read of "
    "nothing replaces K once, in both modes; a device's does not reach it")
{
	struct fortuna_state *fs;
	uint8_t key[CIPHER_KEY_BYTES];
	struct uio uio;
	uint128_t want;
	uint8_t byte;

	/* Only what the two modes share can be looked into. */
	if ((f->f_ra->ra_flags & RA_FORTUNA_BYTES) == 0 ||
	    f->f_ra->ra_core == NULL || is_kernel_source(f->f_ra))
		return;
	fs = &fortuna_of(f->f_g)->f_state;
	memcpy(key, fs->fs_key->ck_raw, sizeof(key));
	want = fs->fs_counter;
	uint128_add64(&want, fs->fs_key->ck_cipher->ci_rekey_blocks);
	uio = uio_buffer(NULL, 0);
	f->f_ra->ra_read(f->f_g, &f->f_gr, &uio);
	CHECK(f, uint128_equals(fs->fs_counter, want));
	CHECK(f, memcmp(key, fs->fs_key->ck_raw, sizeof(key)) != 0);
	/* The device does not ask the generator for nothing. */
	memcpy(key, fs->fs_key->ck_raw, sizeof(key));
	uio = uio_buffer(&byte, 0);
	ATF_CHECK_EQ(0, read_random_uio(&f->f_rd, &f->f_gr, &uio, false));
	ATF_CHECK_EQ(0, read_random(&f->f_rd, &f->f_gr, &byte, 0, false));
	CHECK(f, uint128_equals(fs->fs_counter, want) && memcmp(key,
	    fs->fs_key->ck_raw, sizeof(key)) == 0);
}

/* A reader thread and all it read. */
struct reader {
	struct mthread	 r_thread;
	struct fixture	*r_fixture;
	struct generator_reader r_gr;
	struct m32	*r_go;
	unsigned	 r_index;
	bool		 r_moves;	/* to another CPU or node each time */
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
	const struct random_algorithm *ra = r->r_fixture->f_ra;
	struct generator *g = r->r_fixture->f_g;
	uint8_t *out = r->r_out;
	struct uio uio;
	size_t n;

	machine_curthread()->mt_index = r->r_index;
	support_await(r->r_go);
	for (unsigned i = 0; (n = reader_size(r->r_moves, i)) != 0; i++) {
		if (r->r_moves)
			r->r_gr.gr_place = (int)((r->r_index + i) % PLACES);
		ra->ra_pre_read(g);
		uio = uio_buffer(out, n);
		ra->ra_read(g, &r->r_gr, &uio);
		r->r_unread += uio.uio_resid;
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
check_readers(struct fixture *f, unsigned count, bool moves, unsigned events)
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
		r->r_fixture = f;
		r->r_index = (unsigned)(r - readers) + 1;
		r->r_moves = moves;
		r->r_go = &go;
		r->r_out = support_alloc(1, bytes);
		ATF_REQUIRE_EQ(0, generator_reader_init(f->f_g, &r->r_gr));
		support_spawn(&r->r_thread, "reader", (int)r->r_index - 1,
		    reader_run, r);
	}
	/* The harvest thread comes in between. */
	atomic_store_rel_32(&go, 1);
	for (k = 0; k < events; k++) {
		feed_pool(f, k);
		pass_time(f, k % 8 == 0 ? HOUR_NS : 0);
	}
	for (struct reader *r = readers; r < readers + count; r++) {
		machine_join(&r->r_thread);
		CHECK_EQ(f, 0, r->r_unread);
		generator_reader_fini(f->f_g, &r->r_gr);
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
	ATF_CHECK_MSG(i == used || is_null(f->f_ra),
	    "%s: a block was handed out twice", f->f_name);
	free(blocks);
	free(readers);
}

CONTRACT(ra_read__threads_share_nothing, fixture_make_seeded, "Of all 16-byte "
    "blocks that concurrent readers get, no two are equal: no key and counter "
    "is used twice")
{
	if (!is_null(f->f_ra))
		check_readers(f, READERS, false, 2000);
}

/* Readers that move, with a profile of each. */
static void
check_movers(struct fixture *f, struct lockprof *prof)
{
	struct lockprof_row sum;

	lockprof_open(prof, 1);
	check_readers(f, MOVERS, true, MOVER_READS);
	lockprof_close(prof);
	if (is_kernel_source(f->f_ra))
		return;
	lockprof_sum(prof, 1, SITE_EVENT, 0, 0, &sum);
	ATF_CHECK_MSG(sum.lr_count >= MOVER_READS, "%s: %" PRIu64 " events",
	    f->f_name, sum.lr_count);
	lockprof_sum(prof, 1, SITE_READ, 1, MOVERS, &sum);
	ATF_CHECK_MSG((f->f_ra->ra_flags & RA_LOCKS_LITTLE) != 0 ||
	    sum.lr_count >= MOVERS * MOVER_READS, "%s: %" PRIu64
	    " reads", f->f_name, sum.lr_count);
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

TEST_CASE(ra_read__every_lock);
ATF_TC_HEAD(ra_read__every_lock, tc)
{
	atf_tc_set_md_var(tc, "descr", "A design that holds several locks at "
	    "once can do so with every kind, profiled, while readers move "
	    "between its parts and entropy arrives");
	atf_tc_set_md_var(tc, "timeout", "1200");
}
ATF_TC_BODY(ra_read__every_lock, tc)
{
	struct generator_params params;
	struct lockprof prof;
	struct fixture f;

	setup();
	for (unsigned i = 0; i < generator_count; i++) {
		if ((generators[i]->ra_flags & RA_MANY_LOCKS) == 0)
			continue;
		for (unsigned k = 0; k < lock_class_count; k++) {
			if (!lock_understood(lock_classes[k]))
				continue;
			ATF_REQUIRE_EQ(0, lockprof_init(&prof, MOVERS + 1,
			    GENERATOR_SITES, generator_site_names));
			params = params_default(ciphers[k % cipher_count]);
			params.gp_lock = lock_classes[k];
			params.gp_lock_config.threads = MOVERS + 1;
			params.gp_prof = &prof;
			params.gp_places = PLACES;
			fixture_make_params(&f, generators[i], &params);
			seed(&f);
			check_movers(&f, &prof);
			fixture_free(&f);
			lockprof_fini(&prof);
		}
	}
	crypto_fini();
}

CONTRACT(ra_timer__reseeds, fixture_make, "Time reseeds a seeded generator "
    "that has a timer, once when it is due, and no unseeded one")
{
	uint32_t before;

	if (f->f_ra->ra_timer == NULL || is_kernel_source(f->f_ra))
		return;
	/* Of an unseeded generator timers do not make a seeded one. */
	pass_time(f, HOUR_NS);
	pass_time(f, HOUR_NS);
	CHECK(f, !status(f).gs_seeded);
	CHECK_EQ(f, 0, status(f).gs_reseeds);
	seed(f);
	pass_time(f, 0);
	before = status(f).gs_reseeds;
	pass_time(f, 2 * HOUR_NS);
	CHECK_EQ(f, before + 1, status(f).gs_reseeds);
	/* Not because it is asked again. */
	pass_time(f, 0);
	CHECK_EQ(f, before + 1, status(f).gs_reseeds);
}

/* By events, pre_reads and time, a source's first event among them. */
static void
check_reseed_site(struct fixture *f, struct lockprof *prof)
{
	struct harvest_event first = { .he_size = 1 };
	struct lockprof_row sum;
	unsigned reseeds;

	f->f_g->g_paced = false;
	lockprof_open(prof, 1);
	seed(f);
	for (unsigned round = 0; round < 4; round++) {
		first.he_source = (uint8_t)(RANDOM_INTERRUPT + round);
		f->f_ra->ra_event_processor(f->f_g, &first);
		/* Where they are dealt, a pool of this thread's part fills. */
		feed(f, 1024);
		f->f_ra->ra_pre_read(f->f_g);
		pass_time(f, HOUR_NS);
	}
	lockprof_close(prof);
	lockprof_sum(prof, 1, SITE_RESEED, 0, 0, &sum);
	reseeds = status(f).gs_reseeds;
	ATF_CHECK_MSG(reseeds == sum.lr_count && (reseeds >= 4 ||
	    is_null(f->f_ra)), "%s: %u reseeds, %" PRIu64 " at the site",
	    f->f_name, reseeds, sum.lr_count);
}

CASE(ra_status__reseeds_at_a_site, "Profiles have as many acquisitions for "
    "reseeds as there were reseeds, however many locks one takes")
{
	struct generator_params params;
	struct lockprof prof;
	struct fixture f;

	for (unsigned i = 0; i < generator_count; i++) {
		if (is_kernel_source(generators[i]))
			continue;
		ATF_REQUIRE_EQ(0, lockprof_init(&prof, 1, GENERATOR_SITES,
		    generator_site_names));
		params = params_default(ciphers[0]);
		params.gp_prof = &prof;
		params.gp_places = PLACES;
		fixture_make_params(&f, generators[i], &params);
		check_reseed_site(&f, &prof);
		fixture_free(&f);
		lockprof_fini(&prof);
	}
}

CONTRACT(ra_read__allocates_nothing, fixture_make_seeded, "After the first of "
    "each kind, reads and what comes before them allocate no memory")
{
	static const size_t sizes[] = { 0, 1, 16, 17, 100, 4096, 4097,
	    MEGABYTE + 32 };
	static uint8_t buf[MEGABYTE + 32];
	const volatile uint64_t *now = support_allocated();
	struct generator_status gs;
	uint64_t before, total = 0;
	unsigned i, round;
	struct uio uio;

	/* What is made on first use, libcrypto's included, is made here. */
	for (i = 0; i < nitems(sizes); i++)
		draw(f, buf, sizes[i]);
	f->f_ra->ra_status(f->f_g, &gs);
	for (round = 0; round < 10; round++) {
		for (i = 0; i < nitems(sizes); i++) {
			feed_pool(f, round);
			pass_time(f, HOUR_NS);
			before = *now;
			uio = uio_buffer(buf, sizes[i]);
			f->f_ra->ra_pre_read(f->f_g);
			f->f_ra->ra_read(f->f_g, &f->f_gr, &uio);
			f->f_ra->ra_seeded(f->f_g);
			f->f_ra->ra_status(f->f_g, &gs);
			total += *now - before;
		}
	}
	/* Of a source, places of hashes are made at their first use. */
	ATF_CHECK_MSG(total == 0 || is_kernel_source(f->f_ra), "%s: allocated "
	    "%" PRIu64 " bytes",
	    f->f_name, total);
}

/*
 * Reseeds at every sixth event, so that all pools take their turns.  Only the
 * two modes can be told not to wait in between.
 */
static void
check_reseed_allocates(struct fixture *f, bool all_pools)
{
	const volatile uint64_t *now = support_allocated();
	uint64_t before;

	/* Places for a source's keys and hashes are made at their first use. */
	if (f->f_ra->ra_core == NULL || is_kernel_source(f->f_ra))
		return;
	f->f_g->g_paced = false;
	for (uint32_t reseed = 1; reseed <= 64; reseed++) {
		feed(f, SEED_EVENTS);
		for (unsigned i = 1; all_pools && i < RANDOM_FORTUNA_NPOOLS;
		    i++)
			feed_pool(f, i);
		before = *now;
		f->f_ra->ra_pre_read(f->f_g);
		ATF_REQUIRE_MSG(*now == before,
		    "%s: reseed %u allocated %" PRIu64 " bytes", f->f_name,
		    reseed, *now - before);
		ATF_REQUIRE_EQ_MSG(reseed, status(f).gs_reseeds, "%s: %u",
		    f->f_name, status(f).gs_reseeds);
	}
}

CONTRACT(ra_pre_read__allocates_nothing, fixture_make, "A reseed is part of a "
    "read and allocates nothing, however many pools it drains")
{
	check_reseed_allocates(f, true);
}

CONTRACT(ra_pre_read__allocates_nothing_for_idle_pools, fixture_make, "Nor "
    "when a pool got no event since it was drained last, as with few events "
    "and a small minpoolsize")
{
	check_reseed_allocates(f, false);
}

/* Waits for seeding, with no time-out. */
static void
sleeper_run(void *arg)
{
	struct fixture *f = arg;

	machine_curthread()->mt_index = 1;
	while (!status(f).gs_seeded)
		f->f_ra->ra_wait_seeded(f->f_g, -1);
}

CONTRACT(ra_wait_seeded__wakes_all, fixture_make, "The first seeding wakes "
    "all threads that wait for it, not only those whose time is up")
{
	struct mthread *sleepers;

	if (is_null(f->f_ra))
		return;
	sleepers = support_alloc(READERS, sizeof(*sleepers));
	for (unsigned i = 0; i < READERS; i++)
		support_spawn(&sleepers[i], "sleeper", MACHINE_CPU_ANY,
		    sleeper_run, f);
	for (unsigned i = 0; i < READERS; i++)
		support_await(&sleepers[i].mt_offcpu);
	feed(f, SEED_EVENTS);
	seed(f);
	for (unsigned i = 0; i < READERS; i++)
		machine_join(&sleepers[i]);
	free(sleepers);
}

CONTRACT(ra_read__leaves_no_key, fixture_make_seeded, "Between reads a "
    "reader's spare cipher has no key: what was read cannot be computed again")
{
	static const size_t sizes[] = { 0, 20, 4096, MEGABYTE + 100 };
	static uint8_t buf[MEGABYTE + 100];
	static const uint8_t zero_key[CIPHER_KEY_BYTES];
	uint8_t got[128], want[128];
	const struct cipher *cipher;
	struct cipher_key unkeyed;
	uint128_t ctr;

	if (f->f_gr.gr_spare == NULL)
		return;
	/* The ledger must not see this: it is what no design should do. */
	cipher = f->f_gr.gr_spare->ck_cipher->ci_base;
	ATF_REQUIRE_EQ(0, cipher_key_init(&unkeyed, cipher));
	cipher_key_set(&unkeyed, zero_key);
	for (size_t i = 0; i < nitems(sizes); i++) {
		draw(f, buf, sizes[i]);
		ATF_CHECK_MSG(support_all(f->f_gr.gr_spare->ck_raw,
		    CIPHER_KEY_BYTES, 0), "%s, %zu bytes: a key is left",
		    f->f_name, sizes[i]);
		ctr = uint128_make(0, 1);
		cipher_keystream(&unkeyed, &ctr, want, sizeof(want));
		ctr = uint128_make(0, 1);
		cipher->ci_keystream(f->f_gr.gr_spare, &ctr, got, sizeof(got));
		ATF_CHECK_MSG(memcmp(got, want, sizeof(got)) == 0,
		    "%s, %zu bytes: a schedule is left", f->f_name, sizes[i]);
	}
	cipher_key_fini(&unkeyed);
}

CONTRACT(read_random_uio__nonblock, fixture_make, "An unseeded device gives "
    "EWOULDBLOCK and no byte without waiting; a read of 0 bytes too")
{
	uint8_t buf[64], filled[64];
	struct m32 rate;
	struct uio uio;

	memset(filled, FILL, sizeof(filled));
	memcpy(buf, filled, sizeof(buf));
	atomic_init_32(&rate, 0);
	f->f_rd.rd_read_rate = &rate;
	if (!never_waits(f->f_ra)) {
		uio = uio_buffer(buf, sizeof(buf));
		CHECK_EQ(f, EWOULDBLOCK, read_random_uio(&f->f_rd, &f->f_gr,
		    &uio, true));
		CHECK(f, uio.uio_resid == sizeof(buf) && memcmp(buf, filled,
		    sizeof(buf)) == 0);
		/* Also for nothing: the question comes first. */
		uio = uio_buffer(buf, 0);
		CHECK_EQ(f, EWOULDBLOCK, read_random_uio(&f->f_rd, &f->f_gr,
		    &uio, true));
		ATF_CHECK_EQ(0, atomic_load_32(&rate));
	}
	/* The read's own pre_read is what seeds it now. */
	feed(f, SEED_EVENTS);
	uio = uio_buffer(buf, sizeof(buf));
	CHECK_EQ(f, 0, read_random_uio(&f->f_rd, &f->f_gr, &uio, true));
	CHECK(f, uio.uio_resid == 0 && uio.uio_base == buf + sizeof(buf) &&
	    memcmp(buf, filled, sizeof(buf)) != 0);
	/* Words, rounded up and one for a whole number of them. */
	CHECK_EQ(f, 17, atomic_load_32(&rate));
	uio = uio_buffer(buf, 0);
	ATF_CHECK_EQ(0, read_random_uio(&f->f_rd, &f->f_gr, &uio, true));
	ATF_CHECK_EQ(18, atomic_load_32(&rate));
}

/* A thread in a blocking read. */
struct blocked {
	struct mthread	 b_thread;
	struct fixture	*b_fixture;
	struct m32	 b_fed;		/* to it: events were fed */
	bool		 b_after;	/* it returned after they were */
	bool		 b_kernel;	/* read_random() */
	bool		 b_signalled;	/* before it reads */
	int		 b_error;
	uint64_t	 b_resid;
	uint8_t		*b_out;
	size_t		 b_size;
	uint8_t		 b_buf[64];
};

static void
blocked_run(void *arg)
{
	struct blocked *b = arg;
	struct fixture *f = b->b_fixture;
	struct uio uio = uio_buffer(b->b_out, b->b_size);

	machine_curthread()->mt_index = 1;
	if (b->b_signalled)
		machine_interrupt(machine_curthread());
	if (b->b_kernel)
		b->b_error = read_random(&f->f_rd, &f->f_gr, b->b_out,
		    b->b_size, false);
	else
		b->b_error = read_random_uio(&f->f_rd, &f->f_gr, &uio, false);
	b->b_resid = uio.uio_resid;
	b->b_after = atomic_load_acq_32(&b->b_fed) != 0;
}

/* Starts a read that must block, and waits until it sleeps. */
static struct blocked *
block(struct fixture *f, bool kernel)
{
	struct blocked *b;

	b = support_alloc(1, sizeof(*b));
	b->b_fixture = f;
	b->b_kernel = kernel;
	b->b_out = b->b_buf;
	b->b_size = sizeof(b->b_buf);
	support_spawn(&b->b_thread, "blocked", MACHINE_CPU_ANY, blocked_run,
	    b);
	support_await(&b->b_thread.mt_offcpu);
	return (b);
}

static void
check_blocks(struct fixture *f, bool kernel, bool other_reads)
{
	struct blocked *b;

	if (never_waits(f->f_ra))
		return;
	b = block(f, kernel);
	atomic_store_rel_32(&b->b_fed, 1);
	feed(f, SEED_EVENTS);
	if (other_reads)
		f->f_ra->ra_pre_read(f->f_g);
	machine_join(&b->b_thread);
	CHECK_EQ(f, 0, b->b_error);
	CHECK(f, b->b_after);
	CHECK(f, kernel || b->b_resid == 0);
	CHECK(f, !support_all(b->b_buf, sizeof(b->b_buf), 0));
	free(b);
}

CONTRACT(read_random_uio__blocks_until_seeded, fixture_make, "A blocking read "
    "of an unseeded device sleeps until events were fed and a reseed used them")
{
	check_blocks(f, false, true);
}

CONTRACT(read_random__blocks_until_seeded, fixture_make, "The kernel's own "
    "read waits likewise when it may not bypass")
{
	check_blocks(f, true, true);
}

CONTRACT(read_random_uio__blocked_reader_reseeds, fixture_make, "A blocked "
    "reader looks again by itself: no other read need come")
{
	check_blocks(f, false, false);
}

static void
check_interrupt(struct fixture *f, bool kernel)
{
	struct blocked *b;

	if (never_waits(f->f_ra))
		return;
	b = block(f, kernel);
	machine_interrupt(&b->b_thread);
	machine_join(&b->b_thread);
	CHECK_EQ(f, EINTR, b->b_error);
	CHECK(f, b->b_resid == sizeof(b->b_buf) && support_all(b->b_buf,
	    sizeof(b->b_buf), 0));
	free(b);
}

static void
check_interrupts(struct fixture *f)
{
	check_interrupt(f, false);
	check_interrupt(f, true);
}

CASE(read_random_uio__interrupted_unseeded, "A signal ends the wait for "
    "seeding with EINTR and no byte, also where block_seeded_status makes it "
    "endless")
{
	walk(fixture_make, check_interrupts);
	walk(fixture_make_blocked, check_interrupts);
}

CASE(read_random_uio__interrupted_after_a_part, "A signal cuts a request after "
    "each 16 MiB and not before; what was read until then is a success")
{
	static const struct {
		size_t		size;
		bool		signalled;
		uint64_t	resid;
	} rows[] = {
		{ 2 * RANDOMDEV_BUFFER_BYTES, true, RANDOMDEV_BUFFER_BYTES },
		{ RANDOMDEV_BUFFER_BYTES + 1, true, 1 },
		{ RANDOMDEV_BUFFER_BYTES + 1, false, 0 },
		{ RANDOMDEV_BUFFER_BYTES, true, 0 },
		{ 100, true, 0 },
	};
	struct blocked *b;
	struct fixture f;
	uint8_t *buf, *end;

	b = support_alloc(1, sizeof(*b));
	buf = malloc(2 * RANDOMDEV_BUFFER_BYTES + GUARD);
	ATF_REQUIRE(buf != NULL);
	for (unsigned i = 0; i < generator_count; i++) {
		fixture_make_seeded(&f, generators[i],
		    cipher_find("chacha20"));
		for (size_t k = 0; k < nitems(rows); k++) {
			end = buf + rows[k].size - rows[k].resid;
			memset(end - 32, FILL, 32 + GUARD);
			b->b_fixture = &f;
			b->b_out = buf;
			b->b_size = rows[k].size;
			b->b_signalled = rows[k].signalled;
			support_spawn(&b->b_thread, "partial", MACHINE_CPU_ANY,
			    blocked_run, b);
			machine_join(&b->b_thread);
			ATF_CHECK_EQ_MSG(0, b->b_error, "%s, %zu bytes: %d",
			    f.f_name, rows[k].size, b->b_error);
			ATF_CHECK_EQ_MSG(rows[k].resid, b->b_resid,
			    "%s, %zu bytes: %" PRIu64 " left", f.f_name,
			    rows[k].size, b->b_resid);
			/* Written up to there and not beyond. */
			ATF_CHECK_MSG(!support_all(end - 32, 32, FILL) &&
			    support_all(end, GUARD, FILL), "%s, %zu bytes",
			    f.f_name, rows[k].size);
		}
		fixture_free(&f);
	}
	free(buf);
	free(b);
}

CONTRACT(read_random__bypass, fixture_make, "With bypass_before_seeding the "
    "kernel's reads get zeros while unseeded, and only then")
{
	uint8_t buf[64 + GUARD];

	memset(buf, FILL, sizeof(buf));
	if (!never_waits(f->f_ra)) {
		CHECK_EQ(f, 0, read_random(&f->f_rd, &f->f_gr, buf, 64, true));
		CHECK(f, support_all(buf, 64, 0) && support_all(buf + 64, GUARD,
		    FILL));
		CHECK(f, !f->f_ra->ra_seeded(f->f_g));
		/* No bytes, no wait, although it may not bypass. */
		CHECK_EQ(f, 0, read_random(&f->f_rd, &f->f_gr, buf, 0, false));
	}
	feed(f, SEED_EVENTS);
	CHECK_EQ(f, 0, read_random(&f->f_rd, &f->f_gr, buf, 64, true));
	CHECK(f, !support_all(buf, 64, 0) && support_all(buf + 64, GUARD,
	    FILL));
}

/* What one fixture was fed in one go, another one by one, ends the same. */
static void
compare_fed(struct fixture *a, struct fixture *b)
{
	struct generator_status ga, gb;
	uint8_t one[100], other[100];

	a->f_ra->ra_pre_read(a->f_g);
	b->f_ra->ra_pre_read(b->f_g);
	ga = status(a);
	gb = status(b);
	ATF_CHECK_MSG(ga.gs_reseeds == gb.gs_reseeds && ga.gs_pool0_bytes ==
	    gb.gs_pool0_bytes && ga.gs_seeded == gb.gs_seeded,
	    "%s: status differs", a->f_name);
	if (!ga.gs_seeded)
		return;
	draw(a, one, sizeof(one));
	draw(b, other, sizeof(other));
	ATF_CHECK_MSG(memcmp(one, other, sizeof(one)) == 0, "%s: output "
	    "differs", a->f_name);
}

/* Events of all pools, as many at a time as the design takes, and fewer. */
static void
check_batches(const struct random_algorithm *ra, const struct cipher *cipher,
    unsigned batch)
{
	struct generator_config config = generator_config_default();
	struct harvest_event he[GENERATOR_BATCH_MAX];
	struct fixture a, b;
	unsigned n, rounds = 3;

	config.batch_events = batch;
	fixture_make_config(&a, ra, cipher, &config);
	fixture_make_config(&b, ra, cipher, &config);
	ATF_CHECK_EQ_MSG(batch, a.f_g->g_batch_events, "%s: %u", a.f_name,
	    a.f_g->g_batch_events);
	a.f_g->g_paced = b.f_g->g_paced = false;
	for (unsigned round = 0; round < rounds; round++) {
		n = round == 0 ? batch : 1 + batch / (round + 1);
		for (unsigned i = 0; i < n; i++)
			he[i] = (struct harvest_event){
				.he_somecounter = 77 * round + i,
				.he_entropy = { (uint8_t)i, (uint8_t)round },
				.he_size = (uint8_t)(1 + i % 8),
				.he_destination = (uint8_t)(i / 2),
				.he_source = i % 5 == 0 ?
				    RANDOM_PURE_VMGENID : RANDOM_INTERRUPT,
			};
		ra->ra_process_events(a.f_g, he, n);
		for (unsigned i = 0; i < n; i++)
			ra->ra_event_processor(b.f_g, &he[i]);
		compare_fed(&a, &b);
	}
	fixture_free(&a);
	fixture_free(&b);
}

CASE(ra_process_events__as_one_by_one, "Several events together do what they "
    "do one by one, as many as the tunable says; other designs want one at a "
    "time")
{
	static const unsigned batches[] = { 1, 2, 17, 256,
	    GENERATOR_BATCH_MAX };
	struct fixture f;
	unsigned c, i, k, seen = 0;

	for (i = 0; i < generator_count; i++) {
		if (generators[i]->ra_process_events == NULL) {
			fixture_make(&f, generators[i], ciphers[0]);
			CHECK_EQ(&f, 1, f.f_g->g_batch_events);
			fixture_free(&f);
			ATF_CHECK((generators[i]->ra_knobs &
			    RK_BATCH_EVENTS) == 0);
			continue;
		}
		seen++;
		for (c = 0; c < cipher_count; c++)
			for (k = 0; k < nitems(batches); k++)
				check_batches(generators[i], ciphers[c],
				    batches[k]);
	}
	ATF_CHECK(seen > 0);
}

/* A design that writes down what it is asked. */
static struct {
	bool	seeded;
	char	log[256];
} mock;

static void
mock_log(const char *what, uint64_t n)
{
	size_t used = strlen(mock.log);

	snprintf(mock.log + used, sizeof(mock.log) - used, "%s%.0" PRIu64 " ",
	    what, n);
}

static void
mock_pre_read(struct generator *g)
{
	(void)g;
	mock_log("pre_read", 0);
}

static bool
mock_seeded(struct generator *g)
{
	(void)g;
	mock_log("seeded", 0);
	return (mock.seeded);
}

static void
mock_read(struct generator *g, struct generator_reader *gr, struct uio *uio)
{
	(void)g;
	(void)gr;
	mock_log("read:", uio->uio_resid);
	uio_advance(uio, (size_t)uio->uio_resid);
}

static const struct random_algorithm mock_algorithm = {
	.ra_ident	= "mock",
	.ra_pre_read	= mock_pre_read,
	.ra_seeded	= mock_seeded,
	.ra_read	= mock_read,
};

CASE(read_random__calls, "Each request tries a pre_read, asks whether it may, "
    "and reads: from a device 16 MiB at a time, in the kernel all at once")
{
	static const struct {
		bool		 seeded;
		bool		 kernel;
		size_t		 size;
		const char	*calls;
	} rows[] = {
		{ true, false, 100, "pre_read seeded read:100 " },
		{ true, false, 0, "pre_read seeded " },
		{ false, false, 100, "pre_read seeded " },
		{ false, false, 0, "pre_read seeded " },
		{ true, false, RANDOMDEV_BUFFER_BYTES,
		    "pre_read seeded read:16777216 " },
		{ true, false, 2 * RANDOMDEV_BUFFER_BYTES + 5,
		    "pre_read seeded read:16777216 read:16777216 read:5 " },
		{ true, true, 100, "pre_read seeded read:100 " },
		{ true, true, 0, "pre_read " },
		{ false, true, 0, "pre_read " },
		{ false, true, 100, "pre_read seeded " },
		{ true, true, 2 * RANDOMDEV_BUFFER_BYTES + 5,
		    "pre_read seeded read:33554437 " },
	};
	struct generator g = { .g_algorithm = &mock_algorithm };
	struct randomdev rd = { .rd_generator = &g };
	struct generator_reader gr = { .gr_spare = NULL };
	struct uio uio;
	uint8_t *buf;
	int error, want;

	buf = malloc(2 * RANDOMDEV_BUFFER_BYTES + 5);
	ATF_REQUIRE(buf != NULL);
	for (size_t i = 0; i < nitems(rows); i++) {
		memset(&mock, 0, sizeof(mock));
		mock.seeded = rows[i].seeded;
		uio = uio_buffer(buf, rows[i].size);
		if (rows[i].kernel)
			error = read_random(&rd, &gr, buf, rows[i].size, true);
		else
			error = read_random_uio(&rd, &gr, &uio, true);
		want = rows[i].kernel || rows[i].seeded ? 0 : EWOULDBLOCK;
		ATF_CHECK_EQ_MSG(want, error, "row %zu: %d", i, error);
		ATF_CHECK_STREQ_MSG(rows[i].calls, mock.log, "row %zu", i);
	}
	free(buf);
}

TEST_PROGRAM()
