/*
 * What single designs of Fortuna promise beyond the contract: which lock they
 * take for what, and how often.
 */
#include "fortuna/fortuna.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum {
	SEED_EVENTS	= 6,		/* these bring pool 0 over 64 */
	THREADS		= 2,
	WINDOW		= 1
};

static struct mthread self;

/* A seeded generator whose locks are counted. */
struct fixture {
	const struct random_algorithm *f_ra;
	struct generator *f_g;
	struct generator_reader f_gr;
	struct lockprof	 f_prof;
	struct generator_config f_config;
	uint32_t	 f_events;
};

static void
feed(struct fixture *f, unsigned n)
{
	struct harvest_event he = {
		.he_size = HARVEST_ENTROPY_BYTES,
		.he_source = RANDOM_CACHED,
	};

	for (; n > 0; n--) {
		he.he_somecounter = f->f_events++;
		f->f_ra->ra_event_processor(f->f_g, &he);
	}
}

static void
setup(void)
{
	support_machine(&self);
	support_crypto();
}

static void
fixture_make(struct fixture *f, const char *design)
{
	struct generator_params params;

	f->f_ra = generator_find(design);
	ATF_REQUIRE(f->f_ra != NULL);
	ATF_REQUIRE_EQ(0, lockprof_init(&f->f_prof, THREADS, GENERATOR_SITES,
	    generator_site_names));
	params = (struct generator_params){
		.gp_cipher = ciphers[0],
		.gp_lock = lock_class_find("mtx"),
		.gp_lock_config = lock_config_default(cpu_count()),
		.gp_prof = &f->f_prof,
		.gp_config = f->f_config,
	};
	ATF_REQUIRE_EQ(0, generator_new(f->f_ra, &f->f_g, &params));
	ATF_REQUIRE_EQ(0, generator_reader_init(f->f_g, &f->f_gr));
	f->f_events = 0;
	feed(f, SEED_EVENTS);
	ATF_REQUIRE(f->f_ra->ra_seeded(f->f_g));
}

static void
fixture_free(struct fixture *f)
{
	generator_reader_fini(f->f_g, &f->f_gr);
	generator_free(f->f_g);
	lockprof_fini(&f->f_prof);
}

static void
draw(struct fixture *f, size_t n)
{
	static uint8_t buf[4096];
	struct uio uio = uio_buffer(buf, n);

	ATF_REQUIRE(n <= sizeof(buf));
	f->f_ra->ra_read(f->f_g, &f->f_gr, &uio);
	ATF_REQUIRE_EQ(0, uio.uio_resid);
}

/* Acquisitions at a site since the window was opened. */
static uint64_t
taken(struct fixture *f, enum generator_site site)
{
	struct lockprof_row sum;

	lockprof_sum(&f->f_prof, WINDOW, site, 0, THREADS - 1, &sum);
	return (sum.lr_count);
}

TEST(hybrid__threshold, "Requests up to hybrid_bytes keep the key's object in "
    "its place, larger ones take it away")
{
	static const unsigned limits[] = { 0, 1, 16, 63, 64, 65,
	    RANDOM_FORTUNA_SMALL };
	const struct cipher_key *before;
	const struct fortuna_state *fs;
	struct fixture f;
	unsigned i, n;

	setup();
	for (i = 0; i < nitems(limits); i++) {
		f.f_config = generator_config_default();
		f.f_config.hybrid_bytes = limits[i];
		fixture_make(&f, "hybrid");
		fs = &fortuna_of(f.f_g)->f_state;
		for (n = 0; n <= RANDOM_FORTUNA_SMALL + 64; n++) {
			before = fs->fs_key;
			draw(&f, n);
			ATF_CHECK_EQ_MSG(n <= limits[i], fs->fs_key == before,
			    "hybrid_bytes %u, %u bytes", limits[i], n);
		}
		fixture_free(&f);
	}
	crypto_fini();
}

TEST(batch__one_acquisition, "Events together take the mutex once, one by one "
    "once each")
{
	struct harvest_event he[8];
	struct fixture f;

	setup();
	f.f_config = generator_config_default();
	f.f_config.batch_events = nitems(he);
	fixture_make(&f, "batch");
	for (unsigned i = 0; i < nitems(he); i++)
		he[i] = (struct harvest_event){ .he_size = 1 };
	lockprof_open(&f.f_prof, WINDOW);
	f.f_ra->ra_process_events(f.f_g, he, nitems(he));
	ATF_CHECK_EQ(1, taken(&f, SITE_EVENT));
	feed(&f, 3);
	ATF_CHECK_EQ(4, taken(&f, SITE_EVENT));
	fixture_free(&f);
	crypto_fini();
}

static bool
accept(struct event_filter *ef, const struct harvest_event *event)
{
	(void)ef;
	(void)event;
	return (true);
}

TEST(pernode__filter_locked, "A filter is asked under a node's mutex, which is "
    "one acquisition more")
{
	struct event_filter filter = { .ef_accept = accept };
	struct fixture f;
	uint64_t plain;

	setup();
	f.f_config = generator_config_default();
	fixture_make(&f, "pernode");
	lockprof_open(&f.f_prof, WINDOW);
	feed(&f, 1);
	plain = taken(&f, SITE_EVENT);
	f.f_g->g_filter = &filter;
	feed(&f, 1);
	ATF_CHECK_EQ(2 * plain + 1, taken(&f, SITE_EVENT));
	fixture_free(&f);
	crypto_fini();
}

/* A thread that does one thing while the test holds K and C. */
struct other {
	struct mthread	 o_thread;
	struct fixture	*o_fixture;
	struct m32	 o_done;
};

static void
feed_run(void *arg)
{
	struct other *o = arg;

	machine_curthread()->mt_index = 1;
	feed(o->o_fixture, 1);
	/* It is not time, and finding that takes no lock at all. */
	o->o_fixture->f_ra->ra_pre_read(o->o_fixture->f_g);
	atomic_store_rel_32(&o->o_done, 1);
}

TEST(splitlock__events_do_not_wait, "An event, and a pre_read that has nothing "
    "to do, pass while another thread holds K and C")
{
	struct lock_node node;
	struct fixture f;
	struct other *o;

	setup();
	f.f_config = generator_config_default();
	fixture_make(&f, "splitlock");
	o = support_alloc(1, sizeof(*o));
	o->o_fixture = &f;
	atomic_init_32(&o->o_done, 0);
	lock_acquire(&fortuna_of(f.f_g)->f_mtx, &node, SITE_READ);
	support_spawn(&o->o_thread, "other", MACHINE_CPU_ANY, feed_run, o);
	/* For ever, if it waited for this thread. */
	support_await(&o->o_done);
	lock_release(&fortuna_of(f.f_g)->f_mtx, &node);
	machine_join(&o->o_thread);
	free(o);
	fixture_free(&f);
	crypto_fini();
}

TEST(splitlock__asks_when_due, "A pre_read takes a lock when pool 0 is full "
    "and the last reseed long enough ago, and not before")
{
	struct generator_status gs;
	struct fixture f;
	int64_t *last_ns;
	uint64_t asked;

	setup();
	f.f_config = generator_config_default();
	fixture_make(&f, "splitlock");
	lockprof_open(&f.f_prof, WINDOW);
	f.f_ra->ra_pre_read(f.f_g);
	feed(&f, SEED_EVENTS - 1);
	f.f_g->g_paced = false;
	f.f_ra->ra_pre_read(f.f_g);
	ATF_CHECK_EQ(0, taken(&f, SITE_PRE_READ) + taken(&f, SITE_RESEED));
	/* Full; how long ago it was is left out of it. */
	feed(&f, 1);
	f.f_ra->ra_pre_read(f.f_g);
	ATF_CHECK_EQ(0, taken(&f, SITE_PRE_READ));
	/* The pools', and K's. */
	ATF_CHECK_EQ(1, taken(&f, SITE_RESEED));
	ATF_CHECK_EQ(1, taken(&f, SITE_ROOT));
	f.f_ra->ra_pre_read(f.f_g);
	ATF_CHECK_EQ(1, taken(&f, SITE_RESEED));
	f.f_ra->ra_status(f.f_g, &gs);
	ATF_CHECK_EQ(2, gs.gs_reseeds);
	/* Full again, and paced: only once the time has passed. */
	f.f_g->g_paced = true;
	last_ns = &fortuna_of(f.f_g)->f_state.fs_lasttime_ns;
	*last_ns += 3600 * NS_PER_S;
	feed(&f, SEED_EVENTS);
	asked = taken(&f, SITE_PRE_READ);
	f.f_ra->ra_pre_read(f.f_g);
	ATF_CHECK_EQ(asked, taken(&f, SITE_PRE_READ));
	ATF_CHECK_EQ(1, taken(&f, SITE_RESEED));
	/* It seems due, and under the lock it is not. */
	atomic_store_64(&fortuna_of(f.f_g)->f_due_ns, 0);
	f.f_ra->ra_pre_read(f.f_g);
	ATF_CHECK_EQ(asked + 1, taken(&f, SITE_PRE_READ));
	ATF_CHECK_EQ(1, taken(&f, SITE_RESEED));
	*last_ns = 0;
	feed(&f, 1);
	f.f_ra->ra_pre_read(f.f_g);
	f.f_ra->ra_status(f.f_g, &gs);
	ATF_CHECK_EQ(3, gs.gs_reseeds);
	fixture_free(&f);
	crypto_fini();
}

TEST_PROGRAM()
