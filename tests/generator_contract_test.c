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
#include "fortuna/randomdev.h"
#include "tests/support.h"

enum {
	SEED_EVENTS	= 6,		/* these bring pool 0 over 64 */
	PATIENCE	= 100000,	/* events until any design is seeded */
	MEGABYTE	= 1 << 20,
	READERS		= 4,
	NODES		= 3,		/* pretended, where there are some */
	PASSES		= 12,		/* of each reader over the sizes */
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
	const char	*f_name;	/* for messages */
	struct generator *f_g;
	struct generator_reader f_gr;
	struct randomdev f_rd;
	struct ledger	*f_lg;
	uint32_t	 f_events;	/* fed so far */
	int64_t		 f_timer_ns;	/* what timers were told last */
	char		 f_name_buf[96];
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
	watched.gp_cipher = cipher_ledgered(params->gp_cipher, f->f_lg);
	snprintf(f->f_name_buf, sizeof(f->f_name_buf), "%s, %s, %s, %u nodes",
	    ra->ra_ident, params->gp_cipher->ci_name,
	    params->gp_lock->lc_name, params->gp_lock_config.nodes);
	f->f_name = f->f_name_buf;
	error = ra->ra_init(&f->f_g, &watched);
	ATF_REQUIRE_MSG(error == 0, "%s: ra_init: %s", f->f_name,
	    strerror(error));
	error = ra->ra_reader_init(f->f_g, &f->f_gr);
	ATF_REQUIRE_MSG(error == 0, "%s: ra_reader_init: %s", f->f_name,
	    strerror(error));
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

	f->f_ra->ra_reader_fini(f->f_g, &f->f_gr);
	f->f_ra->ra_fini(f->f_g);
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

static void
seed(struct fixture *f)
{
	unsigned i;

	for (i = 0; i < PATIENCE && !f->f_ra->ra_seeded(f->f_g); i++)
		feed_pool(f, i);
	ATF_REQUIRE_MSG(f->f_ra->ra_seeded(f->f_g),
	    "%s: not seeded after %u events", f->f_name, i);
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

	support_machine(&self);
	support_crypto();
}

static bool
is_null(const struct random_algorithm *ra)
{

	return ((ra->ra_flags & RA_NULL) != 0);
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
	unsigned c, i;

	setup();
	for (i = 0; i < generator_count; i++) {
		for (c = 0; c < cipher_count; c++) {
			make(&f, generators[i], ciphers[c]);
			check(&f);
			fixture_free(&f);
			if ((generators[i]->ra_flags & RA_NODES) == 0)
				continue;
			pretended_nodes = NODES;
			make(&f, generators[i], ciphers[c]);
			check(&f);
			fixture_free(&f);
			pretended_nodes = 0;
		}
	}
	crypto_fini();
}

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

ATF_TC(random_algorithm__describes_itself);
ATF_TC_HEAD(random_algorithm__describes_itself, tc)
{

	atf_tc_set_md_var(tc, "descr", "Names are there and unique, each "
	    "design is found by its own, what it stands for and what is to be "
	    "argued are sentences, and there is one null design");
}
ATF_TC_BODY(random_algorithm__describes_itself, tc)
{
	const struct random_algorithm *ra;
	unsigned i, k, null = 0;

	for (i = 0; i < generator_count; i++) {
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
		for (k = 0; k < i; k++)
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

static void
check_unseeded(struct fixture *f)
{
	struct generator_status gs;

	memset(&gs, FILL, sizeof(gs));
	f->f_ra->ra_status(f->f_g, &gs);
	ATF_CHECK_EQ_MSG(never_waits(f->f_ra), f->f_ra->ra_seeded(f->f_g),
	    "%s", f->f_name);
	ATF_CHECK_EQ_MSG(is_null(f->f_ra), gs.gs_seeded, "%s", f->f_name);
	ATF_CHECK_EQ_MSG(0, gs.gs_reseeds, "%s: %u", f->f_name,
	    gs.gs_reseeds);
	ATF_CHECK_EQ_MSG(0, gs.gs_pool0_bytes, "%s: %u", f->f_name,
	    gs.gs_pool0_bytes);
	ATF_CHECK_EQ_MSG(f->f_ra, f->f_g->g_algorithm, "%s", f->f_name);
}

ATF_TC(ra_init__unseeded);
ATF_TC_HEAD(ra_init__unseeded, tc)
{

	atf_tc_set_md_var(tc, "descr", "A new generator has no entropy and "
	    "says so; the null design needs none, and one that never blocks "
	    "seeds itself when asked");
}
ATF_TC_BODY(ra_init__unseeded, tc)
{

	walk(fixture_make, check_unseeded);
}

static void
check_seeds(struct fixture *f)
{
	struct generator_status gs;
	unsigned i;

	if (is_null(f->f_ra))
		return;
	for (i = 0; i < PATIENCE && !f->f_ra->ra_seeded(f->f_g); i++)
		feed_pool(f, i);
	ATF_CHECK_MSG(never_waits(f->f_ra) ? i == 0 : i > 0 && i < PATIENCE,
	    "%s: seeded after %u events", f->f_name, i);
	f->f_ra->ra_status(f->f_g, &gs);
	ATF_CHECK_MSG(gs.gs_seeded && gs.gs_reseeds == 1,
	    "%s: seeded %d, %u reseeds", f->f_name, gs.gs_seeded,
	    gs.gs_reseeds);
	/* For ever, if it waited now. */
	f->f_ra->ra_wait_seeded(f->f_g, -1);
}

ATF_TC(ra_event_processor__seeds);
ATF_TC_HEAD(ra_event_processor__seeds, tc)
{

	atf_tc_set_md_var(tc, "descr", "Enough events seed the generator, "
	    "fewer do not, and then nobody waits for it");
}
ATF_TC_BODY(ra_event_processor__seeds, tc)
{

	walk(fixture_make, check_seeds);
}

static void
check_status(struct fixture *f)
{
	struct generator_status gs;
	uint32_t i;

	if ((f->f_ra->ra_flags & RA_FORTUNA_BYTES) == 0)
		return;
	for (i = 1; i <= SEED_EVENTS; i++) {
		feed(f, 1);
		f->f_ra->ra_status(f->f_g, &gs);
		ATF_CHECK_MSG(gs.gs_pool0_bytes == 12 * i &&
		    gs.gs_pool0_needed_bytes == 64 && gs.gs_reseeds == 0 &&
		    !gs.gs_seeded, "%s: event %u: %u of %u bytes, %u reseeds",
		    f->f_name, i, gs.gs_pool0_bytes, gs.gs_pool0_needed_bytes,
		    gs.gs_reseeds);
	}
	f->f_ra->ra_pre_read(f->f_g);
	f->f_ra->ra_status(f->f_g, &gs);
	ATF_CHECK_MSG(gs.gs_pool0_bytes == 0 && gs.gs_reseeds == 1 &&
	    gs.gs_seeded, "%s: %u bytes, %u reseeds", f->f_name,
	    gs.gs_pool0_bytes, gs.gs_reseeds);
}

ATF_TC(ra_status__counts);
ATF_TC_HEAD(ra_status__counts, tc)
{

	atf_tc_set_md_var(tc, "descr", "The status follows pool 0 and the "
	    "reseeds of FreeBSD's Fortuna");
}
ATF_TC_BODY(ra_status__counts, tc)
{

	walk(fixture_make, check_status);
}

ATF_TC(ra_init__config);
ATF_TC_HEAD(ra_init__config, tc)
{

	atf_tc_set_md_var(tc, "descr", "minpoolsize decides when the first "
	    "reseed comes");
}
ATF_TC_BODY(ra_init__config, tc)
{
	struct generator_config config;
	struct fixture f;
	unsigned c, i;

	setup();
	for (i = 0; i < generator_count; i++) {
		if ((generators[i]->ra_flags & RA_FORTUNA_BYTES) == 0)
			continue;
		for (c = 0; c < cipher_count; c++) {
			config = generator_config_default();
			config.minpoolsize = 128;
			fixture_make_config(&f, generators[i], ciphers[c],
			    &config);
			feed(&f, 10);
			ATF_CHECK_MSG(!f.f_ra->ra_seeded(f.f_g), "%s",
			    f.f_name);
			feed(&f, 1);
			ATF_CHECK_MSG(f.f_ra->ra_seeded(f.f_g), "%s",
			    f.f_name);
			fixture_free(&f);
		}
	}
	crypto_fini();
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

static void
check_denies(struct fixture *f)
{
	struct generator_status gs;

	if (never_waits(f->f_ra))
		return;
	f->f_ra->ra_status(f->f_g, &gs);
	ATF_CHECK_MSG(!gs.gs_seeded && !f->f_ra->ra_seeded(f->f_g),
	    "%s: not blocked", f->f_name);
	/* Seeded it is, or the knob would not have been what denied it. */
	ATF_CHECK_EQ_MSG(1, gs.gs_reseeds, "%s: %u reseeds", f->f_name,
	    gs.gs_reseeds);
}

ATF_TC(ra_init__block_seeded_status);
ATF_TC_HEAD(ra_init__block_seeded_status, tc)
{

	atf_tc_set_md_var(tc, "descr", "block_seeded_status denies a seeding "
	    "that there was");
}
ATF_TC_BODY(ra_init__block_seeded_status, tc)
{

	walk(fixture_make_blocked, check_denies);
}

static void
check_sizes(struct fixture *f)
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

ATF_TC(ra_read__sizes);
ATF_TC_HEAD(ra_read__sizes, tc)
{

	atf_tc_set_md_var(tc, "descr", "Each size is filled whole and nothing "
	    "else; two reads never give the same bytes");
}
ATF_TC_BODY(ra_read__sizes, tc)
{

	walk(fixture_make_seeded, check_sizes);
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

ATF_TC(ra_read__windows);
ATF_TC_HEAD(ra_read__windows, tc)
{

	atf_tc_set_md_var(tc, "descr", "A request drained through a small "
	    "window gives the bytes that one buffer gets");
}
ATF_TC_BODY(ra_read__windows, tc)
{
	static const size_t windows[] = { 4096, 3 * 4096, 65536 };
	static uint8_t one[MEGABYTE + 4099], many[MEGABYTE + 4099];
	static uint8_t window[sizeof(uint8_t *) + 65536];
	uint8_t *place;
	struct fixture f;
	struct uio uio;
	unsigned c, i;
	size_t at, w;

	setup();
	for (i = 0; i < generator_count; i++) {
		for (c = 0; c < cipher_count; c++) {
			fixture_make_seeded(&f, generators[i], ciphers[c]);
			draw(&f, one, sizeof(one));
			fixture_free(&f);
			for (w = 0; w < nitems(windows); w++) {
				fixture_make_seeded(&f, generators[i],
				    ciphers[c]);
				memset(many, 0, sizeof(many));
				place = many;
				memcpy(window, &place, sizeof(place));
				uio = (struct uio){
					.uio_base = window + sizeof(place),
					.uio_room = windows[w],
					.uio_resid = sizeof(many),
					.uio_drain = drain_window,
				};
				f.f_ra->ra_read(f.f_g, &f.f_gr, &uio);
				ATF_CHECK_EQ(0, uio.uio_resid);
				at = support_mismatch(one, many, sizeof(one));
				ATF_CHECK_MSG(at == sizeof(one),
				    "%s, window %zu: differ at %zu", f.f_name,
				    windows[w], at);
				fixture_free(&f);
			}
		}
	}
	crypto_fini();
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
	unsigned i;

	fs[0] = &fortuna_of(locked->f_g)->f_state;
	fs[1] = &fortuna_of(concurrent->f_g)->f_state;
	for (i = 0; i < sizeof(key); i++)
		key[i] = (uint8_t)support_draw(draws);
	ctr = uint128_make(0, support_draw(draws));
	for (i = 0; i < 2; i++) {
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
	bool bytes_differ = false;
	unsigned try;
	size_t prefix;

	ATF_REQUIRE(n <= sizeof(a));
	fa = &fortuna_of(locked->f_g)->f_state;
	fb = &fortuna_of(concurrent->f_g)->f_state;
	prefix = same_in_both(cipher, n) ? n : same_prefix(cipher, n);
	/*
	 * Where a single byte should differ it may be the same by chance, once
	 * in 256, but not eight times in a row.
	 */
	for (try = 0; try < 8; try++) {
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
		bytes_differ = memcmp(a, b, n) != 0;
		if (bytes_differ)
			return;
	}
	ATF_CHECK_MSG(bytes_differ, "%s, %zu bytes: the same output",
	    cipher->ci_name, n);
}

ATF_TC(ra_read__locked_and_concurrent);
ATF_TC_HEAD(ra_read__locked_and_concurrent, tc)
{

	atf_tc_set_md_var(tc, "descr", "The two modes give the same bytes, K "
	    "and C for exactly the sizes for which FreeBSD's do, and equal "
	    "prefixes otherwise");
}
ATF_TC_BODY(ra_read__locked_and_concurrent, tc)
{
	static const size_t sizes[] = { 8191, 8192, 8193, 65536, 65543,
	    MEGABYTE - 16, MEGABYTE - 15, MEGABYTE, MEGABYTE + 1,
	    MEGABYTE + 16 };
	struct fixture concurrent, locked;
	uint64_t draws = 42;
	unsigned c;
	size_t i, n;

	setup();
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
	crypto_fini();
}

enum { STREAM_BYTES = 20 + 4097 + 100 + 33 + 64 };

/* Reads of several sizes, each after more events: what K and C became shows. */
static void
stream(const struct random_algorithm *ra, const struct cipher *cipher,
    uint8_t out[STREAM_BYTES])
{
	static const size_t sizes[] = { 20, 4097, 100, 0, 33, 64 };
	struct fixture f;
	size_t i, used = 0;

	fixture_make(&f, ra, cipher);
	feed(&f, SEED_EVENTS);
	f.f_ra->ra_pre_read(f.f_g);
	for (i = 0; i < nitems(sizes); i++) {
		draw(&f, out + used, sizes[i]);
		used += sizes[i];
		feed(&f, 1);
	}
	ATF_REQUIRE_EQ(STREAM_BYTES, used);
	fixture_free(&f);
}

ATF_TC(ra_read__fortuna_bytes);
ATF_TC_HEAD(ra_read__fortuna_bytes, tc)
{

	atf_tc_set_md_var(tc, "descr", "A design that claims Fortuna's bytes "
	    "gives those of the locked or of the concurrent mode, with every "
	    "cipher those of the same; and they are repeatable");
}
ATF_TC_BODY(ra_read__fortuna_bytes, tc)
{
	static uint8_t bytes[STREAM_BYTES], concurrent[STREAM_BYTES];
	static uint8_t locked[STREAM_BYTES];
	bool as_concurrent, as_locked;
	unsigned c, i;

	setup();
	for (i = 0; i < generator_count; i++) {
		if ((generators[i]->ra_flags & RA_FORTUNA_BYTES) == 0)
			continue;
		as_concurrent = as_locked = true;
		for (c = 0; c < cipher_count; c++) {
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
	crypto_fini();
}

static void
check_zero_length(struct fixture *f)
{
	struct fortuna_state *fs;
	uint8_t key[CIPHER_KEY_BYTES];
	struct uio uio;
	uint128_t want;
	uint8_t byte;

	if ((f->f_ra->ra_flags & RA_FORTUNA_BYTES) == 0)
		return;
	/* Only what the two modes share can be looked into. */
	if ((f->f_ra->ra_flags & RA_FORTUNA_STATE) == 0)
		return;
	fs = &fortuna_of(f->f_g)->f_state;
	memcpy(key, fs->fs_key->ck_raw, sizeof(key));
	want = fs->fs_counter;
	uint128_add64(&want, fs->fs_key->ck_cipher->ci_rekey_blocks);
	uio = uio_buffer(NULL, 0);
	f->f_ra->ra_read(f->f_g, &f->f_gr, &uio);
	ATF_CHECK_MSG(uint128_equals(fs->fs_counter, want), "%s: C",
	    f->f_name);
	ATF_CHECK_MSG(memcmp(key, fs->fs_key->ck_raw, sizeof(key)) != 0,
	    "%s: K", f->f_name);
	/* The device does not ask the generator for nothing. */
	memcpy(key, fs->fs_key->ck_raw, sizeof(key));
	uio = uio_buffer(&byte, 0);
	ATF_CHECK_EQ(0, read_random_uio(&f->f_rd, &f->f_gr, &uio, false));
	ATF_CHECK_EQ(0, read_random(&f->f_rd, &f->f_gr, &byte, 0, false));
	ATF_CHECK_MSG(uint128_equals(fs->fs_counter, want) &&
	    memcmp(key, fs->fs_key->ck_raw, sizeof(key)) == 0,
	    "%s: a device read of no bytes changed K or C", f->f_name);
}

ATF_TC(ra_read__zero_length);
ATF_TC_HEAD(ra_read__zero_length, tc)
{

	atf_tc_set_md_var(tc, "descr", "A generator's read of nothing replaces "
	    "K once, in both modes; a device's does not reach it");
}
ATF_TC_BODY(ra_read__zero_length, tc)
{

	walk(fixture_make_seeded, check_zero_length);
}

/* A reader thread and all it read. */
struct reader {
	struct mthread	 r_thread;
	struct fixture	*r_fixture;
	struct generator_reader r_gr;
	struct m32	*r_go;
	unsigned	 r_index;
	uint8_t		*r_out;
	uint64_t	 r_unread;
};

static const size_t reader_sizes[] = { 16, 100, 31, 4096, 4097, 65552, 32 };

/* A reader's requests, in order; 0 when there are no more. */
static size_t
reader_size(unsigned i)
{

	if (i == 0)
		return (MEGABYTE + 48);
	if (i > PASSES * nitems(reader_sizes))
		return (0);
	return (reader_sizes[i % nitems(reader_sizes)]);
}

static size_t
reader_bytes(void)
{
	size_t total = 0;
	unsigned i;

	for (i = 0; reader_size(i) != 0; i++)
		total += reader_size(i);
	return (total);
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
	unsigned i;

	machine_curthread()->mt_index = r->r_index;
	support_await(r->r_go);
	for (i = 0; (n = reader_size(i)) != 0; i++) {
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

static void
check_threads(struct fixture *f)
{
	uint8_t *blocks, *out;
	struct reader *readers;
	struct m32 go;
	size_t bytes, i, k, n, count = 0;
	unsigned r;
	int error;

	if (is_null(f->f_ra))
		return;
	bytes = reader_bytes();
	readers = support_alloc(READERS, sizeof(*readers));
	blocks = support_alloc(READERS, bytes);
	atomic_init_32(&go, 0);
	for (r = 0; r < READERS; r++) {
		readers[r].r_fixture = f;
		readers[r].r_index = r + 1;
		readers[r].r_go = &go;
		readers[r].r_out = support_alloc(1, bytes);
		error = f->f_ra->ra_reader_init(f->f_g, &readers[r].r_gr);
		ATF_REQUIRE_MSG(error == 0, "%s: %s", f->f_name,
		    strerror(error));
		support_spawn(&readers[r].r_thread, "reader", (int)r,
		    reader_run, &readers[r]);
	}
	/* The harvest thread comes in between. */
	atomic_store_rel_32(&go, 1);
	for (i = 0; i < 2000; i++) {
		feed_pool(f, (unsigned)i);
		pass_time(f, i % 16 == 0 ? HOUR_NS : 0);
	}
	for (r = 0; r < READERS; r++) {
		machine_join(&readers[r].r_thread);
		ATF_CHECK_EQ_MSG(0, readers[r].r_unread, "%s", f->f_name);
		f->f_ra->ra_reader_fini(f->f_g, &readers[r].r_gr);
		out = readers[r].r_out;
		for (k = 0; (n = reader_size((unsigned)k)) != 0; k++) {
			for (i = 0; i + 16 <= n; i += 16)
				memcpy(blocks + 16 * count++, out + i, 16);
			out += n;
		}
		free(readers[r].r_out);
	}
	ATF_REQUIRE(count > READERS * (size_t)MEGABYTE / 16);
	qsort(blocks, count, 16, by_block);
	for (i = 1; i < count; i++)
		if (memcmp(blocks + 16 * (i - 1), blocks + 16 * i, 16) == 0)
			break;
	ATF_CHECK_MSG(i == count, "%s: a block was handed out twice",
	    f->f_name);
	free(blocks);
	free(readers);
}

ATF_TC(ra_read__threads_share_nothing);
ATF_TC_HEAD(ra_read__threads_share_nothing, tc)
{

	atf_tc_set_md_var(tc, "descr", "Of all 16-byte blocks that concurrent "
	    "readers get, no two are equal: no key and counter is used twice");
}
ATF_TC_BODY(ra_read__threads_share_nothing, tc)
{

	walk(fixture_make_seeded, check_threads);
}

enum {
	MOVERS		= 3,
	MOVER_READS	= 150,
	MOVER_BYTES	= 48,
	MOVER_PLACES	= 2
};

/* A reader that is on another CPU or node with each read. */
struct mover {
	struct mthread	 m_thread;
	struct fixture	*m_fixture;
	struct generator_reader m_gr;
	struct m32	*m_go;
	unsigned	 m_index;
	uint8_t		 m_out[MOVER_READS * MOVER_BYTES];
};

static void
mover_run(void *arg)
{
	struct mover *m = arg;
	struct fixture *f = m->m_fixture;
	struct uio uio;
	unsigned i;

	machine_curthread()->mt_index = m->m_index;
	support_await(m->m_go);
	for (i = 0; i < MOVER_READS; i++) {
		m->m_gr.gr_place = (int)((m->m_index + i) % MOVER_PLACES);
		f->f_ra->ra_pre_read(f->f_g);
		/* Some in the buffer that a design may keep, some not. */
		uio = uio_buffer(m->m_out + i * MOVER_BYTES, MOVER_BYTES);
		f->f_ra->ra_read(f->f_g, &m->m_gr, &uio);
	}
}

/* Movers, events and timers at once; prof has a row for each. */
static void
check_movers(struct fixture *f, struct lockprof *prof)
{
	struct lockprof_row sum;
	struct mover *movers;
	unsigned i, k, m;
	struct m32 go;
	uint8_t *all;

	movers = support_alloc(MOVERS, sizeof(*movers));
	all = support_alloc(MOVERS, sizeof(movers->m_out));
	atomic_init_32(&go, 0);
	lockprof_open(prof, 1);
	for (m = 0; m < MOVERS; m++) {
		movers[m].m_fixture = f;
		movers[m].m_index = m + 1;
		movers[m].m_go = &go;
		ATF_REQUIRE_EQ(0, f->f_ra->ra_reader_init(f->f_g,
		    &movers[m].m_gr));
		support_spawn(&movers[m].m_thread, "mover", (int)m, mover_run,
		    &movers[m]);
	}
	atomic_store_rel_32(&go, 1);
	for (i = 0; i < MOVER_READS; i++) {
		feed_pool(f, i);
		pass_time(f, i % 8 == 0 ? HOUR_NS : 0);
	}
	for (m = 0; m < MOVERS; m++) {
		machine_join(&movers[m].m_thread);
		f->f_ra->ra_reader_fini(f->f_g, &movers[m].m_gr);
		memcpy(all + m * sizeof(movers->m_out), movers[m].m_out,
		    sizeof(movers->m_out));
	}
	lockprof_close(prof);
	lockprof_sum(prof, 1, SITE_EVENT, 0, 0, &sum);
	ATF_CHECK_MSG(sum.lr_count >= MOVER_READS, "%s: %" PRIu64 " events",
	    f->f_name, sum.lr_count);
	lockprof_sum(prof, 1, SITE_READ, 1, MOVERS, &sum);
	ATF_CHECK_MSG(sum.lr_count >= MOVERS * MOVER_READS, "%s: %" PRIu64
	    " reads", f->f_name, sum.lr_count);
	k = MOVERS * MOVER_READS * (MOVER_BYTES / 16);
	qsort(all, k, 16, by_block);
	for (i = 1; i < k; i++)
		if (memcmp(all + 16 * (i - 1), all + 16 * i, 16) == 0)
			break;
	ATF_CHECK_MSG(i == k || is_null(f->f_ra),
	    "%s: a block was handed out twice", f->f_name);
	free(all);
	free(movers);
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

ATF_TC(ra_read__every_lock);
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
	unsigned i, k;

	setup();
	for (i = 0; i < generator_count; i++) {
		if ((generators[i]->ra_flags & RA_MANY_LOCKS) == 0)
			continue;
		for (k = 0; k < lock_class_count; k++) {
			if (!lock_understood(lock_classes[k]))
				continue;
			ATF_REQUIRE_EQ(0, lockprof_init(&prof, MOVERS + 1,
			    GENERATOR_SITES, generator_site_names));
			params = params_default(ciphers[k % cipher_count]);
			params.gp_lock = lock_classes[k];
			params.gp_lock_config.threads = MOVERS + 1;
			params.gp_prof = &prof;
			params.gp_places = MOVER_PLACES;
			fixture_make_params(&f, generators[i], &params);
			seed(&f);
			check_movers(&f, &prof);
			fixture_free(&f);
			lockprof_fini(&prof);
		}
	}
	crypto_fini();
}

static void
check_timer(struct fixture *f)
{
	struct generator_status gs;
	uint32_t before;

	if (f->f_ra->ra_timer == NULL)
		return;
	/* Of an unseeded generator timers do not make a seeded one. */
	pass_time(f, HOUR_NS);
	pass_time(f, HOUR_NS);
	f->f_ra->ra_status(f->f_g, &gs);
	ATF_CHECK_MSG(!gs.gs_seeded && gs.gs_reseeds == 0, "%s: %u reseeds",
	    f->f_name, gs.gs_reseeds);
	seed(f);
	pass_time(f, 0);
	f->f_ra->ra_status(f->f_g, &gs);
	before = gs.gs_reseeds;
	pass_time(f, 2 * HOUR_NS);
	f->f_ra->ra_status(f->f_g, &gs);
	ATF_CHECK_EQ_MSG(before + 1, gs.gs_reseeds, "%s: %u reseeds, then %u",
	    f->f_name, before, gs.gs_reseeds);
	/* Not because it is asked again. */
	pass_time(f, 0);
	f->f_ra->ra_status(f->f_g, &gs);
	ATF_CHECK_EQ_MSG(before + 1, gs.gs_reseeds, "%s: %u reseeds, then %u",
	    f->f_name, before, gs.gs_reseeds);
}

ATF_TC(ra_timer__reseeds);
ATF_TC_HEAD(ra_timer__reseeds, tc)
{

	atf_tc_set_md_var(tc, "descr", "Time reseeds a seeded generator that "
	    "has a timer, once when it is due, and no unseeded one");
}
ATF_TC_BODY(ra_timer__reseeds, tc)
{

	walk(fixture_make, check_timer);
}

/* By events, pre_reads and time, a source's first event among them. */
static void
check_reseed_site(struct fixture *f, struct lockprof *prof)
{
	struct harvest_event first = { .he_size = 1 };
	struct generator_status gs;
	struct lockprof_row sum;
	unsigned round;

	f->f_g->g_paced = false;
	lockprof_open(prof, 1);
	seed(f);
	for (round = 0; round < 4; round++) {
		first.he_source = (uint8_t)(RANDOM_INTERRUPT + round);
		f->f_ra->ra_event_processor(f->f_g, &first);
		/* Where they are dealt, a pool of this thread's part fills. */
		feed(f, 1024);
		f->f_ra->ra_pre_read(f->f_g);
		pass_time(f, HOUR_NS);
	}
	lockprof_close(prof);
	lockprof_sum(prof, 1, SITE_RESEED, 0, 0, &sum);
	f->f_ra->ra_status(f->f_g, &gs);
	ATF_CHECK_MSG(gs.gs_reseeds == sum.lr_count && (gs.gs_reseeds >= 4 ||
	    is_null(f->f_ra)), "%s: %u reseeds, %" PRIu64 " at the site",
	    f->f_name, gs.gs_reseeds, sum.lr_count);
}

ATF_TC(ra_status__reseeds_at_a_site);
ATF_TC_HEAD(ra_status__reseeds_at_a_site, tc)
{

	atf_tc_set_md_var(tc, "descr", "Profiles have as many acquisitions "
	    "for reseeds as there were reseeds, however many locks one takes");
}
ATF_TC_BODY(ra_status__reseeds_at_a_site, tc)
{
	struct generator_params params;
	struct lockprof prof;
	struct fixture f;
	unsigned i;

	setup();
	for (i = 0; i < generator_count; i++) {
		ATF_REQUIRE_EQ(0, lockprof_init(&prof, 1, GENERATOR_SITES,
		    generator_site_names));
		params = params_default(ciphers[0]);
		params.gp_prof = &prof;
		params.gp_places = MOVER_PLACES;
		fixture_make_params(&f, generators[i], &params);
		check_reseed_site(&f, &prof);
		fixture_free(&f);
		lockprof_fini(&prof);
	}
	crypto_fini();
}

static void
check_allocates_nothing(struct fixture *f)
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
	ATF_CHECK_MSG(total == 0, "%s: allocated %" PRIu64 " bytes",
	    f->f_name, total);
}

ATF_TC(ra_read__allocates_nothing);
ATF_TC_HEAD(ra_read__allocates_nothing, tc)
{

	atf_tc_set_md_var(tc, "descr", "After the first of each kind, reads "
	    "and what comes before them allocate no memory");
}
ATF_TC_BODY(ra_read__allocates_nothing, tc)
{

	walk(fixture_make_seeded, check_allocates_nothing);
}

/*
 * Reseeds at every sixth event, so that all pools take their turns.  Only the
 * two modes can be told not to wait in between.
 */
static void
check_reseed_allocates(struct fixture *f, bool all_pools)
{
	const volatile uint64_t *now = support_allocated();
	struct generator_status gs;
	uint64_t before;
	uint32_t reseed;
	unsigned i;

	if ((f->f_ra->ra_flags & RA_FORTUNA_STATE) == 0)
		return;
	f->f_g->g_paced = false;
	for (reseed = 1; reseed <= 64; reseed++) {
		feed(f, SEED_EVENTS);
		for (i = 1; all_pools && i < RANDOM_FORTUNA_NPOOLS; i++)
			feed_pool(f, i);
		before = *now;
		f->f_ra->ra_pre_read(f->f_g);
		ATF_REQUIRE_MSG(*now == before,
		    "%s: reseed %u allocated %" PRIu64 " bytes", f->f_name,
		    reseed, *now - before);
		f->f_ra->ra_status(f->f_g, &gs);
		ATF_REQUIRE_EQ_MSG(reseed, gs.gs_reseeds, "%s: %u", f->f_name,
		    gs.gs_reseeds);
	}
}

static void
check_reseed_allocates_all(struct fixture *f)
{

	check_reseed_allocates(f, true);
}

static void
check_reseed_allocates_one(struct fixture *f)
{

	check_reseed_allocates(f, false);
}

ATF_TC(ra_pre_read__allocates_nothing);
ATF_TC_HEAD(ra_pre_read__allocates_nothing, tc)
{

	atf_tc_set_md_var(tc, "descr", "A reseed is part of a read and "
	    "allocates nothing, however many pools it drains");
}
ATF_TC_BODY(ra_pre_read__allocates_nothing, tc)
{

	walk(fixture_make, check_reseed_allocates_all);
}

ATF_TC(ra_pre_read__allocates_nothing_for_idle_pools);
ATF_TC_HEAD(ra_pre_read__allocates_nothing_for_idle_pools, tc)
{

	atf_tc_set_md_var(tc, "descr", "Nor when a pool got no event since it "
	    "was drained last, as with few events and a small minpoolsize");
}
ATF_TC_BODY(ra_pre_read__allocates_nothing_for_idle_pools, tc)
{

	walk(fixture_make, check_reseed_allocates_one);
}

/* A thread that waits for seeding, with no time-out. */
struct sleeper {
	struct mthread	 s_thread;
	struct fixture	*s_fixture;
};

static void
sleeper_run(void *arg)
{
	struct sleeper *s = arg;
	struct fixture *f = s->s_fixture;
	struct generator_status gs;

	machine_curthread()->mt_index = 1;
	for (;;) {
		f->f_ra->ra_status(f->f_g, &gs);
		if (gs.gs_seeded)
			break;
		f->f_ra->ra_wait_seeded(f->f_g, -1);
	}
}

static void
check_wakes(struct fixture *f)
{
	struct sleeper *sleepers;
	unsigned i;

	if (is_null(f->f_ra))
		return;
	sleepers = support_alloc(READERS, sizeof(*sleepers));
	for (i = 0; i < READERS; i++) {
		sleepers[i].s_fixture = f;
		support_spawn(&sleepers[i].s_thread, "sleeper",
		    MACHINE_CPU_ANY, sleeper_run, &sleepers[i]);
	}
	for (i = 0; i < READERS; i++)
		support_await(&sleepers[i].s_thread.mt_offcpu);
	feed(f, SEED_EVENTS);
	for (i = 0; i < PATIENCE && !f->f_ra->ra_seeded(f->f_g); i++)
		feed_pool(f, i);
	for (i = 0; i < READERS; i++)
		machine_join(&sleepers[i].s_thread);
	free(sleepers);
}

ATF_TC(ra_wait_seeded__wakes_all);
ATF_TC_HEAD(ra_wait_seeded__wakes_all, tc)
{

	atf_tc_set_md_var(tc, "descr", "The first seeding wakes everybody who "
	    "waits for it, not only those whose time is up");
}
ATF_TC_BODY(ra_wait_seeded__wakes_all, tc)
{

	walk(fixture_make, check_wakes);
}

static void
check_forgets(struct fixture *f)
{
	static const size_t sizes[] = { 0, 20, 4096, MEGABYTE + 100 };
	static uint8_t buf[MEGABYTE + 100];
	static const uint8_t zero_key[CIPHER_KEY_BYTES];
	uint8_t got[128], want[128];
	const struct cipher *cipher;
	struct cipher_key unkeyed;
	uint128_t ctr;
	size_t i;

	if (f->f_gr.gr_spare == NULL)
		return;
	/* Not for the ledger to see: it is what nobody should do. */
	cipher = f->f_gr.gr_spare->ck_cipher->ci_base;
	ATF_REQUIRE_EQ(0, cipher_key_init(&unkeyed, cipher));
	cipher_key_set(&unkeyed, zero_key);
	for (i = 0; i < nitems(sizes); i++) {
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

ATF_TC(ra_read__leaves_no_key);
ATF_TC_HEAD(ra_read__leaves_no_key, tc)
{

	atf_tc_set_md_var(tc, "descr", "Between reads a reader's spare cipher "
	    "has no key: what was read cannot be computed again");
}
ATF_TC_BODY(ra_read__leaves_no_key, tc)
{

	walk(fixture_make_seeded, check_forgets);
}

static void
check_nonblock(struct fixture *f)
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
		ATF_CHECK_EQ_MSG(EWOULDBLOCK, read_random_uio(&f->f_rd,
		    &f->f_gr, &uio, true), "%s", f->f_name);
		ATF_CHECK_MSG(uio.uio_resid == sizeof(buf) &&
		    memcmp(buf, filled, sizeof(buf)) == 0,
		    "%s: wrote while unseeded", f->f_name);
		/* Also for nothing: the question comes first. */
		uio = uio_buffer(buf, 0);
		ATF_CHECK_EQ_MSG(EWOULDBLOCK, read_random_uio(&f->f_rd,
		    &f->f_gr, &uio, true), "%s", f->f_name);
		ATF_CHECK_EQ(0, atomic_load_32(&rate));
	}
	/* The read's own pre_read is what seeds it now. */
	feed(f, SEED_EVENTS);
	uio = uio_buffer(buf, sizeof(buf));
	ATF_CHECK_EQ_MSG(0, read_random_uio(&f->f_rd, &f->f_gr, &uio, true),
	    "%s", f->f_name);
	ATF_CHECK_MSG(uio.uio_resid == 0 && uio.uio_base == buf + sizeof(buf) &&
	    memcmp(buf, filled, sizeof(buf)) != 0, "%s", f->f_name);
	/* Words, rounded up and one for a whole number of them. */
	ATF_CHECK_EQ_MSG(17, atomic_load_32(&rate), "%s: %u", f->f_name,
	    atomic_load_32(&rate));
	uio = uio_buffer(buf, 0);
	ATF_CHECK_EQ(0, read_random_uio(&f->f_rd, &f->f_gr, &uio, true));
	ATF_CHECK_EQ(18, atomic_load_32(&rate));
}

ATF_TC(read_random_uio__nonblock);
ATF_TC_HEAD(read_random_uio__nonblock, tc)
{

	atf_tc_set_md_var(tc, "descr", "An unseeded device gives EWOULDBLOCK "
	    "and no byte to who will not wait; a read of nothing asks too");
}
ATF_TC_BODY(read_random_uio__nonblock, tc)
{

	walk(fixture_make, check_nonblock);
}

/* A thread in a blocking read. */
struct blocked {
	struct mthread	 b_thread;
	struct fixture	*b_fixture;
	struct m32	 b_fed;		/* to it: events were fed */
	bool		 b_after;	/* it returned after they were */
	bool		 b_kernel;	/* read_random() */
	int		 b_error;
	uint64_t	 b_resid;
	uint8_t		 b_buf[64];
};

static void
blocked_run(void *arg)
{
	struct blocked *b = arg;
	struct fixture *f = b->b_fixture;
	struct uio uio = uio_buffer(b->b_buf, sizeof(b->b_buf));

	machine_curthread()->mt_index = 1;
	if (b->b_kernel)
		b->b_error = read_random(&f->f_rd, &f->f_gr, b->b_buf,
		    sizeof(b->b_buf), false);
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
	support_spawn(&b->b_thread, "blocked", MACHINE_CPU_ANY, blocked_run,
	    b);
	support_await(&b->b_thread.mt_offcpu);
	return (b);
}

static void
check_blocks(struct fixture *f, bool kernel)
{
	struct blocked *b;

	if (never_waits(f->f_ra))
		return;
	b = block(f, kernel);
	atomic_store_rel_32(&b->b_fed, 1);
	feed(f, SEED_EVENTS);
	f->f_ra->ra_pre_read(f->f_g);
	machine_join(&b->b_thread);
	ATF_CHECK_EQ_MSG(0, b->b_error, "%s: %d", f->f_name, b->b_error);
	ATF_CHECK_MSG(b->b_after, "%s: did not block", f->f_name);
	ATF_CHECK_MSG(kernel || b->b_resid == 0, "%s: %" PRIu64 " left",
	    f->f_name, b->b_resid);
	ATF_CHECK_MSG(!support_all(b->b_buf, sizeof(b->b_buf), 0),
	    "%s: read nothing", f->f_name);
	free(b);
}

static void
check_blocks_uio(struct fixture *f)
{

	check_blocks(f, false);
}

static void
check_blocks_kernel(struct fixture *f)
{

	check_blocks(f, true);
}

ATF_TC(read_random_uio__blocks_until_seeded);
ATF_TC_HEAD(read_random_uio__blocks_until_seeded, tc)
{

	atf_tc_set_md_var(tc, "descr", "A blocking read of an unseeded device "
	    "sleeps until events were fed and a reseed used them");
}
ATF_TC_BODY(read_random_uio__blocks_until_seeded, tc)
{

	walk(fixture_make, check_blocks_uio);
}

ATF_TC(read_random__blocks_until_seeded);
ATF_TC_HEAD(read_random__blocks_until_seeded, tc)
{

	atf_tc_set_md_var(tc, "descr", "The kernel's own read waits likewise "
	    "when it may not bypass");
}
ATF_TC_BODY(read_random__blocks_until_seeded, tc)
{

	walk(fixture_make, check_blocks_kernel);
}

/* Nobody but the sleeping reader itself tries a pre_read here. */
static void
check_polls(struct fixture *f)
{
	struct blocked *b;

	if (never_waits(f->f_ra))
		return;
	b = block(f, false);
	atomic_store_rel_32(&b->b_fed, 1);
	feed(f, SEED_EVENTS);
	machine_join(&b->b_thread);
	ATF_CHECK_EQ_MSG(0, b->b_error, "%s: %d", f->f_name, b->b_error);
	ATF_CHECK_MSG(b->b_after, "%s: did not block", f->f_name);
	free(b);
}

ATF_TC(read_random_uio__blocked_reader_reseeds);
ATF_TC_HEAD(read_random_uio__blocked_reader_reseeds, tc)
{

	atf_tc_set_md_var(tc, "descr", "A blocked reader looks again by "
	    "itself: no other read need come");
}
ATF_TC_BODY(read_random_uio__blocked_reader_reseeds, tc)
{

	walk(fixture_make, check_polls);
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
	ATF_CHECK_EQ_MSG(EINTR, b->b_error, "%s: %d", f->f_name, b->b_error);
	ATF_CHECK_MSG(b->b_resid == sizeof(b->b_buf) &&
	    support_all(b->b_buf, sizeof(b->b_buf), 0), "%s: read something",
	    f->f_name);
	free(b);
}

static void
check_interrupts(struct fixture *f)
{

	check_interrupt(f, false);
	check_interrupt(f, true);
}

ATF_TC(read_random_uio__interrupted_unseeded);
ATF_TC_HEAD(read_random_uio__interrupted_unseeded, tc)
{

	atf_tc_set_md_var(tc, "descr", "A signal ends the wait for seeding "
	    "with EINTR and no byte, also where block_seeded_status keeps it "
	    "from ever ending");
}
ATF_TC_BODY(read_random_uio__interrupted_unseeded, tc)
{
	struct fixture f;
	unsigned i;

	walk(fixture_make, check_interrupts);
	support_crypto();
	for (i = 0; i < generator_count; i++) {
		if (never_waits(generators[i]))
			continue;
		fixture_make_blocked(&f, generators[i], ciphers[0]);
		check_interrupt(&f, false);
		fixture_free(&f);
	}
	crypto_fini();
}

/* A large read by a thread that already has a signal pending. */
struct partial {
	struct mthread	 p_thread;
	struct fixture	*p_fixture;
	uint8_t		*p_buf;
	size_t		 p_size;
	bool		 p_signalled;
	int		 p_error;
	uint64_t	 p_resid;
};

static void
partial_run(void *arg)
{
	struct partial *p = arg;
	struct uio uio = uio_buffer(p->p_buf, p->p_size);

	machine_curthread()->mt_index = 1;
	if (p->p_signalled)
		machine_interrupt(machine_curthread());
	p->p_error = read_random_uio(&p->p_fixture->f_rd, &p->p_fixture->f_gr,
	    &uio, false);
	p->p_resid = uio.uio_resid;
}

ATF_TC(read_random_uio__interrupted_after_a_part);
ATF_TC_HEAD(read_random_uio__interrupted_after_a_part, tc)
{

	atf_tc_set_md_var(tc, "descr", "A signal cuts a request after each "
	    "16 MiB and not before; what was read until then is a success");
}
ATF_TC_BODY(read_random_uio__interrupted_after_a_part, tc)
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
	struct partial *p;
	struct fixture f;
	uint8_t *buf, *end;
	unsigned i;
	size_t k;

	setup();
	p = support_alloc(1, sizeof(*p));
	buf = malloc(2 * RANDOMDEV_BUFFER_BYTES + GUARD);
	ATF_REQUIRE(buf != NULL);
	for (i = 0; i < generator_count; i++) {
		fixture_make_seeded(&f, generators[i],
		    cipher_find("chacha20"));
		for (k = 0; k < nitems(rows); k++) {
			end = buf + rows[k].size - rows[k].resid;
			memset(end - 32, FILL, 32 + GUARD);
			p->p_fixture = &f;
			p->p_buf = buf;
			p->p_size = rows[k].size;
			p->p_signalled = rows[k].signalled;
			support_spawn(&p->p_thread, "partial", MACHINE_CPU_ANY,
			    partial_run, p);
			machine_join(&p->p_thread);
			ATF_CHECK_EQ_MSG(0, p->p_error, "%s, %zu bytes: %d",
			    f.f_name, rows[k].size, p->p_error);
			ATF_CHECK_EQ_MSG(rows[k].resid, p->p_resid,
			    "%s, %zu bytes: %" PRIu64 " left", f.f_name,
			    rows[k].size, p->p_resid);
			/* Written up to there and not beyond. */
			ATF_CHECK_MSG(!support_all(end - 32, 32, FILL) &&
			    support_all(end, GUARD, FILL), "%s, %zu bytes",
			    f.f_name, rows[k].size);
		}
		fixture_free(&f);
	}
	free(buf);
	free(p);
	crypto_fini();
}

static void
check_bypass(struct fixture *f)
{
	uint8_t buf[64 + GUARD];

	memset(buf, FILL, sizeof(buf));
	if (!never_waits(f->f_ra)) {
		ATF_CHECK_EQ_MSG(0, read_random(&f->f_rd, &f->f_gr, buf, 64,
		    true), "%s", f->f_name);
		ATF_CHECK_MSG(support_all(buf, 64, 0) &&
		    support_all(buf + 64, GUARD, FILL), "%s: not 64 zeros",
		    f->f_name);
		ATF_CHECK_MSG(!f->f_ra->ra_seeded(f->f_g), "%s", f->f_name);
		/* No bytes, no wait, although it may not bypass. */
		ATF_CHECK_EQ_MSG(0, read_random(&f->f_rd, &f->f_gr, buf, 0,
		    false), "%s", f->f_name);
	}
	feed(f, SEED_EVENTS);
	ATF_CHECK_EQ_MSG(0, read_random(&f->f_rd, &f->f_gr, buf, 64, true),
	    "%s", f->f_name);
	ATF_CHECK_MSG(!support_all(buf, 64, 0) &&
	    support_all(buf + 64, GUARD, FILL), "%s: bypassed while seeded",
	    f->f_name);
}

ATF_TC(read_random__bypass);
ATF_TC_HEAD(read_random__bypass, tc)
{

	atf_tc_set_md_var(tc, "descr", "With bypass_before_seeding the "
	    "kernel's reads get zeros while unseeded, and only then");
}
ATF_TC_BODY(read_random__bypass, tc)
{

	walk(fixture_make, check_bypass);
}

/* What one fixture was fed in one go, another one by one, ends the same. */
static void
compare_fed(struct fixture *a, struct fixture *b)
{
	struct generator_status ga, gb;
	uint8_t one[100], other[100];

	a->f_ra->ra_pre_read(a->f_g);
	b->f_ra->ra_pre_read(b->f_g);
	a->f_ra->ra_status(a->f_g, &ga);
	b->f_ra->ra_status(b->f_g, &gb);
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
	unsigned i, n, round, rounds = 3;

	config.batch_events = batch;
	fixture_make_config(&a, ra, cipher, &config);
	fixture_make_config(&b, ra, cipher, &config);
	ATF_CHECK_EQ_MSG(batch, a.f_g->g_batch_events, "%s: %u", a.f_name,
	    a.f_g->g_batch_events);
	a.f_g->g_paced = b.f_g->g_paced = false;
	for (round = 0; round < rounds; round++) {
		n = round == 0 ? batch : 1 + batch / (round + 1);
		for (i = 0; i < n; i++)
			he[i] = (struct harvest_event){
				.he_somecounter = 77 * round + i,
				.he_entropy = { (uint8_t)i, (uint8_t)round },
				.he_size = (uint8_t)(1 + i % 8),
				.he_destination = (uint8_t)(i / 2),
				.he_source = i % 5 == 0 ?
				    RANDOM_PURE_VMGENID : RANDOM_INTERRUPT,
			};
		ra->ra_process_events(a.f_g, he, n);
		for (i = 0; i < n; i++)
			ra->ra_event_processor(b.f_g, &he[i]);
		compare_fed(&a, &b);
	}
	fixture_free(&a);
	fixture_free(&b);
}

ATF_TC(ra_process_events__as_one_by_one);
ATF_TC_HEAD(ra_process_events__as_one_by_one, tc)
{

	atf_tc_set_md_var(tc, "descr", "Several events together do what they "
	    "do one by one, as many as the tunable says; other designs want "
	    "one at a time");
}
ATF_TC_BODY(ra_process_events__as_one_by_one, tc)
{
	static const unsigned batches[] = { 1, 2, 17, 256,
	    GENERATOR_BATCH_MAX };
	struct fixture f;
	unsigned c, i, k, seen = 0;

	setup();
	for (i = 0; i < generator_count; i++) {
		if (generators[i]->ra_process_events == NULL) {
			fixture_make(&f, generators[i], ciphers[0]);
			ATF_CHECK_EQ_MSG(1, f.f_g->g_batch_events, "%s",
			    f.f_name);
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
	crypto_fini();
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

ATF_TC(read_random__calls);
ATF_TC_HEAD(read_random__calls, tc)
{

	atf_tc_set_md_var(tc, "descr", "Each request tries a pre_read, asks "
	    "whether it may, and reads: from a device 16 MiB at a time, in "
	    "the kernel all at once");
}
ATF_TC_BODY(read_random__calls, tc)
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
	size_t i;
	int error, want;

	setup();
	buf = malloc(2 * RANDOMDEV_BUFFER_BYTES + 5);
	ATF_REQUIRE(buf != NULL);
	for (i = 0; i < nitems(rows); i++) {
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
	crypto_fini();
}

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, random_algorithm__describes_itself);
	ATF_TP_ADD_TC(tp, ra_init__unseeded);
	ATF_TP_ADD_TC(tp, ra_init__config);
	ATF_TP_ADD_TC(tp, ra_init__block_seeded_status);
	ATF_TP_ADD_TC(tp, ra_event_processor__seeds);
	ATF_TP_ADD_TC(tp, ra_status__counts);
	ATF_TP_ADD_TC(tp, ra_read__sizes);
	ATF_TP_ADD_TC(tp, ra_read__windows);
	ATF_TP_ADD_TC(tp, ra_read__locked_and_concurrent);
	ATF_TP_ADD_TC(tp, ra_read__fortuna_bytes);
	ATF_TP_ADD_TC(tp, ra_read__zero_length);
	ATF_TP_ADD_TC(tp, ra_read__threads_share_nothing);
	ATF_TP_ADD_TC(tp, ra_read__every_lock);
	ATF_TP_ADD_TC(tp, ra_timer__reseeds);
	ATF_TP_ADD_TC(tp, ra_status__reseeds_at_a_site);
	ATF_TP_ADD_TC(tp, ra_read__allocates_nothing);
	ATF_TP_ADD_TC(tp, ra_process_events__as_one_by_one);
	ATF_TP_ADD_TC(tp, ra_pre_read__allocates_nothing);
	ATF_TP_ADD_TC(tp, ra_pre_read__allocates_nothing_for_idle_pools);
	ATF_TP_ADD_TC(tp, ra_read__leaves_no_key);
	ATF_TP_ADD_TC(tp, ra_wait_seeded__wakes_all);
	ATF_TP_ADD_TC(tp, read_random_uio__nonblock);
	ATF_TP_ADD_TC(tp, read_random_uio__blocks_until_seeded);
	ATF_TP_ADD_TC(tp, read_random__blocks_until_seeded);
	ATF_TP_ADD_TC(tp, read_random_uio__blocked_reader_reseeds);
	ATF_TP_ADD_TC(tp, read_random_uio__interrupted_unseeded);
	ATF_TP_ADD_TC(tp, read_random_uio__interrupted_after_a_part);
	ATF_TP_ADD_TC(tp, read_random__bypass);
	ATF_TP_ADD_TC(tp, read_random__calls);
	return (atf_no_error());
}
