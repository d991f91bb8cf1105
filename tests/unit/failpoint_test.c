/*
 * Fail points: fail(9)'s grammar, what terms do in turn, and that asking them
 * changes nothing in a device.
 */
#include "bench/cell/failpoints.h"
#include "tests/unit/device.h"

enum {
	EVENTS		= 200,	/* seed each design */
	BYTES		= 100,
	DRAWS		= 100000
};

static int64_t slept_ns, delayed_ns;
static unsigned opened, waited, yielded;

static int
note_sleep(int64_t ns)
{
	slept_ns += ns;
	return (0);
}

static void
note_delay(int64_t ns)
{
	delayed_ns += ns;
}

static void
note_yield(void)
{
	yielded++;
}

static void
note_wait(uint32_t *gate, int64_t ns)
{
	ATF_CHECK_EQ(0, *gate);
	ATF_CHECK_EQ(-1, ns);
	waited++;
}

static void
note_open(uint32_t *gate)
{
	*gate = 1;
	opened++;
}

static const struct failpoint_machine notes = { note_sleep, note_delay,
    note_yield, note_wait, note_open };

static const struct failpoint_def def = { "test_point", "here", "A test." };

static struct failpoint_spec spec;

/* A point that does what text says. */
static struct failpoint *
point(const char *text)
{
	static struct failpoint fp;
	char why[FAILPOINT_ERROR_SIZE];

	ATF_REQUIRE_EQ_MSG(0, failpoint_parse(&spec, text, why), "%s: %s",
	    text, why);
	failpoint_init(&fp, &def, &spec, &notes, 1);
	return (&fp);
}

TEST(parse__accepts, "every form of fail(9)'s grammar")
{
	static const struct {
		const char	*text;
		enum failpoint_action action;
		int		argument;
		uint32_t	probability, count;
	} good[] = {
		{ "off", FAILPOINT_OFF, 0, 1000000, 0 },
		{ "return", FAILPOINT_RETURN, 0, 1000000, 0 },
		{ "return(5)", FAILPOINT_RETURN, 5, 1000000, 0 },
		{ "return(-7)", FAILPOINT_RETURN, -7, 1000000, 0 },
		{ "return(0x10)", FAILPOINT_RETURN, 16, 1000000, 0 },
		{ "2.1%return(5)", FAILPOINT_RETURN, 5, 21000, 0 },
		{ ".5%return(5)", FAILPOINT_RETURN, 5, 5000, 0 },
		{ "0.0001%off", FAILPOINT_OFF, 0, 1, 0 },
		{ "0.00005%off", FAILPOINT_OFF, 0, 1, 0 },
		{ "0.00004%off", FAILPOINT_OFF, 0, 0, 0 },
		{ "99.99999%off", FAILPOINT_OFF, 0, 1000000, 0 },
		{ "100%off", FAILPOINT_OFF, 0, 1000000, 0 },
		{ "0%off", FAILPOINT_OFF, 0, 0, 0 },
		{ "5*sleep(50)", FAILPOINT_SLEEP, 50, 1000000, 5 },
		{ "2%5*panic", FAILPOINT_PANIC, 0, 20000, 5 },
		{ "5*2%break", FAILPOINT_BREAK, 0, 20000, 5 },
		{ "1.2%2%3*4*print(1)", FAILPOINT_PRINT, 1, 20000, 4 },
		{ "pause", FAILPOINT_PAUSE, 0, 1000000, 0 },
		{ "yield", FAILPOINT_YIELD, 0, 1000000, 0 },
		{ "delay(2147483647)", FAILPOINT_DELAY, 2147483647, 1000000,
		    0 },
	};
	char why[FAILPOINT_ERROR_SIZE];

	for (unsigned i = 0; i < nitems(good); i++) {
		ATF_CHECK_EQ_MSG(0, failpoint_parse(&spec, good[i].text, why),
		    "%s: %s", good[i].text, why);
		ATF_CHECK_EQ_MSG(1, spec.fps_terms, "%s", good[i].text);
		ATF_CHECK_EQ_MSG(good[i].action, spec.fps_term[0].fpt_action,
		    "%s", good[i].text);
		ATF_CHECK_EQ_MSG(good[i].argument,
		    spec.fps_term[0].fpt_argument, "%s", good[i].text);
		ATF_CHECK_EQ_MSG(good[i].probability,
		    spec.fps_term[0].fpt_probability, "%s: %u", good[i].text,
		    spec.fps_term[0].fpt_probability);
		ATF_CHECK_EQ_MSG(good[i].count, spec.fps_term[0].fpt_count,
		    "%s", good[i].text);
	}
	/* Twenty terms. */
	ATF_CHECK_EQ(0, failpoint_parse(&spec, "off->off->off->off->off->off->"
	    "off->off->off->off->off->off->off->off->off->off->off->off->off->"
	    "return(9)", why));
	ATF_CHECK_EQ(20, spec.fps_terms);
	ATF_CHECK_EQ(9, spec.fps_term[19].fpt_argument);
}

TEST(parse__refuses, "a message has the place of the first error")
{
	static const struct {
		const char	*text;
		unsigned	at;
	} bad[] = {
		{ "", 1 }, { " off", 1 }, { "of", 1 }, { "offf", 1 },
		{ "OFF", 1 }, { "off ", 4 }, { "off->", 6 }, { "off-off", 4 },
		{ "off->return(1", 14 }, { "return(1 )", 9 },
		{ "return()", 8 }, { "return(-)", 8 }, { "return( 1)", 8 },
		{ "return(99999999999)", 8 }, { "return(08)", 9 },
		{ "sleep(-1)", 7 }, { "delay(-1)", 7 }, { "5off", 2 },
		{ "0*off", 1 }, { "1.5*off", 1 }, { "5.%off", 1 },
		{ "%off", 1 }, { "*off", 1 }, { "101%off", 1 },
		{ "100.0001%off", 1 }, { "4294967297%off", 1 },
		{ "99999999999999999999%off", 1 }, { "4294967296*off", 1 },
		{ "99999999999999999999*off", 1 }, { "-5*off", 1 },
		{ "off[pid 1]", 4 }, { "off\n", 4 },
		{ "off->off->off->off->off->off->off->off->off->off->off->"
		    "off->off->off->off->off->off->off->off->off->off", 101 },
	};
	char why[FAILPOINT_ERROR_SIZE], want[40];

	for (unsigned i = 0; i < nitems(bad); i++) {
		why[0] = '\0';
		ATF_CHECK_EQ_MSG(EINVAL, failpoint_parse(&spec, bad[i].text,
		    why), "\"%s\" was taken", bad[i].text);
		snprintf(want, sizeof(want), "at character %u,", bad[i].at);
		ATF_CHECK_MSG(strstr(why, want) != NULL &&
		    strstr(why, "expected") != NULL, "\"%s\": %s", bad[i].text,
		    why);
	}
}

TEST(eval__counts, "counts end a term, and off does nothing")
{
	struct failpoint *fp = point("5*return(7)->2*off->return(-3)");

	for (unsigned i = 0; i < 5; i++)
		ATF_CHECK_EQ(7, failpoint_eval(fp));
	for (unsigned i = 0; i < 2; i++)
		ATF_CHECK_EQ(0, failpoint_eval(fp));
	for (unsigned i = 0; i < 100; i++)
		ATF_CHECK_EQ(-3, failpoint_eval(fp));
	ATF_CHECK_EQ(107, fp->fp_evaluated);
	/* off does nothing. */
	ATF_CHECK_EQ(105, fp->fp_executed);
}

/* Times that a point answers want, of DRAWS. */
static unsigned
answers(const char *text, uint64_t seed, int want)
{
	struct failpoint *fp = point(text);
	unsigned n = 0;

	failpoint_init(fp, &def, &spec, &notes, seed);
	for (unsigned i = 0; i < DRAWS; i++)
		n += failpoint_eval(fp) == want;
	return (n);
}

TEST(eval__draws, "probabilities, before counts and in turn")
{
	unsigned n;

	/* Six standard deviations; the seeds are given, so it is no chance. */
	n = answers("50%return(1)", 1, 1);
	ATF_CHECK_MSG(n > 49051 && n < 50949, "%u", n);
	n = answers("0.1%return(1)", 2, 1);
	ATF_CHECK_MSG(n > 40 && n < 160, "%u", n);
	ATF_CHECK_EQ(0, answers("0%return(1)", 3, 1));
	ATF_CHECK_EQ(DRAWS, answers("100%return(1)", 4, 1));
	/* Probability before count: so many in all, after so many draws. */
	ATF_CHECK_EQ(5, answers("2%5*return(1)", 5, 1));
	ATF_CHECK_EQ(0, answers("2%5*return(1)", 5, 2));
	/* What the first does not do is left to the second. */
	n = answers("20%return(1)->50%return(2)", 6, 2);
	ATF_CHECK_MSG(n > 39070 && n < 40930, "%u", n);
	ATF_CHECK(answers("50%return(1)", 7, 1) !=
	    answers("50%return(1)", 8, 1));
}

TEST(eval__streams, "each point draws from its own stream")
{
	static struct failpoints both, one;
	static struct failpoint_list fl;
	char why[FAILPOINTS_ERROR_SIZE];
	unsigned same = 0;

	ATF_REQUIRE_EQ(0, failpoints_parse(&fl, "clock_step=50%return(1)",
	    why));
	failpoints_make(&one, &fl, &notes, 3, -1, 0, 1);
	ATF_REQUIRE_EQ(0, failpoints_parse(&fl,
	    "harvest_ring_full=50%return(1)", why));
	failpoints_make(&both, &fl, &notes, 3, -1, 0, 1);
	for (unsigned i = 0; i < 1000; i++) {
		int a, b[FAILPOINTS];

		for (unsigned k = 0; k < FAILPOINTS; k++)
			b[k] = failpoint_eval(&both.fa_point[k]);
		a = failpoint_eval(&one.fa_point[FAILPOINT_clock_step]);
		ATF_CHECK_EQ(a, b[FAILPOINT_clock_step]);
		same += a == b[FAILPOINT_harvest_ring_full];
	}
	ATF_CHECK_MSG(same > 400 && same < 600, "%u", same);
}

TEST(eval__cascades,
    "a term without an effect on the caller passes to the next")
{
	ATF_CHECK_EQ(4, failpoint_eval(point("return(4)->return(5)")));
	ATF_CHECK_EQ(5, failpoint_eval(point("0%return(4)->return(5)")));
	ATF_CHECK_EQ(0, failpoint_eval(point("off->return(5)")));
	ATF_CHECK_EQ(5, failpoint_eval(point("print(1)->return(5)")));
	ATF_CHECK_EQ(0, failpoint_eval(point("print->return(5)")));
	ATF_CHECK_EQ(0, failpoint_eval(point("sleep(1)->return(5)")));
	ATF_CHECK_EQ(0, failpoint_eval(point("yield->return(5)")));
	ATF_CHECK_EQ(0, failpoint_eval(point("delay(1)->return(5)")));
	ATF_CHECK_EQ(0, failpoint_eval(point("pause->return(5)")));
}

TEST(eval__acts, "sleep, delay, yield and pause act on the machine")
{
	struct failpoint *fp;

	failpoint_eval(point("sleep(3)"));
	ATF_CHECK_EQ(3000000, slept_ns);
	failpoint_eval(point("delay(4)"));
	ATF_CHECK_EQ(4000, delayed_ns);
	failpoint_eval(point("yield"));
	ATF_CHECK_EQ(1, yielded);
	fp = point("pause");
	failpoint_eval(fp);
	ATF_CHECK_EQ(1, waited);
	failpoint_release(fp);
	ATF_CHECK_EQ(1, opened);
	/* Released is released. */
	failpoint_eval(fp);
	ATF_CHECK_EQ(1, waited);
	ATF_CHECK_EQ(1, fp->fp_executed);
	ATF_CHECK_EQ(2, fp->fp_evaluated);
}

static struct failpoint paused;

static void
pauser(void *arg)
{
	failpoint_eval(&paused);
	atomic_store_rel_32(arg, 1);
}

TEST(pause__waits, "a pause of threads ends with the release, not with time")
{
	static struct mthread self, td[3];
	static struct m32 done[3];
	char why[FAILPOINT_ERROR_SIZE];

	support_machine(&self);
	ATF_REQUIRE_EQ(0, failpoint_parse(&spec, "pause", why));
	failpoint_init(&paused, &def, &spec, &FLAVOURED(failpoint_machine), 1);
	for (unsigned i = 0; i < nitems(td); i++)
		support_spawn(&td[i], "pauser", MACHINE_CPU_ANY, pauser,
		    &done[i]);
	for (unsigned i = 0; i < nitems(td); i++)
		while (!support_asleep(&td[i]))
			machine_yield();
	for (unsigned i = 0; i < nitems(td); i++)
		ATF_CHECK_EQ(0, atomic_load_32(&done[i]));
	failpoint_release(&paused);
	for (unsigned i = 0; i < nitems(td); i++)
		machine_join(&td[i]);
	ATF_CHECK_EQ(3, paused.fp_executed);
	for (unsigned i = 0; i < nitems(td); i++)
		ATF_CHECK_EQ(1, atomic_load_32(&done[i]));
}

/* A device of EVENTS events, with fail points or without. */
static void
make(struct device *d, const struct design *de, const struct cipher *cipher,
    struct failpoints *fa)
{
	struct randomdev_params rp = device_params(de, cipher);

	if (fa != NULL)
		failpoints_set(fa, &rp);
	device_make_params(d, &rp);
	for (unsigned i = 0; i < EVENTS; i++)
		device_feed(d, i);
}

static void
set_points(struct failpoints *fa, const char *injection)
{
	static struct failpoint_list fl;
	char why[FAILPOINTS_ERROR_SIZE];

	memset(&fl, 0, sizeof(fl));
	ATF_REQUIRE_EQ(0, failpoints_parse(&fl, injection, why));
	failpoints_make(fa, &fl, &FLAVOURED(failpoint_machine), 1, -1, 0, 1);
}

/* Three reads of both; the first was refused so often before. */
static void
check_twins(struct device *faulted, struct device *plain, unsigned want_refused,
    const char *injection)
{
	uint8_t got[BYTES], want[BYTES];
	unsigned refused;
	size_t left;

	for (unsigned k = 0; k < 3; k++) {
		memset(got, 0x55, sizeof(got));
		for (refused = 0; randomdev_read(faulted->d_rd, 0, got, BYTES,
		    &left, true) == EWOULDBLOCK; refused++)
			ATF_REQUIRE_MSG(support_all(got, sizeof(got), 0x55),
			    "%s: refused and written", faulted->d_name);
		CHECK_EQ(faulted, k == 0 ? want_refused : 0, refused);
		device_read(plain, want, BYTES);
		ATF_CHECK_MSG(memcmp(got, want, BYTES) == 0,
		    "%s, %s: another output", faulted->d_name, injection);
	}
}

DEVICE_TEST(state__untouched,
    "reads after a point are those of a device without points")
{
	static const char *const injections[] = {
		/* Three reads return "not seeded". */
		"random_fortuna_seeded=3*return(1)",
		/* And others pass by with an answer that changes nothing. */
		"random_fortuna_pre_read=return(0)",
		"fortuna_snapshot_pause=yield",
		"fortuna_unlock_pause=yield",
		"lock_owner_preempt=delay(1)",
		"clock_step=return(5)",
	};
	static struct failpoints fa;
	struct device faulted, plain;
	const struct design *de;

	for (unsigned i = 0; i < nitems(injections); i++)
	for (size_t d = 0; (de = design_at(d)) != NULL; d++)
	for (unsigned c = 0; c < cipher_count; c++) {
		/* The null design has no such state. */
		if (i == 0 && (de->de_flags & DE_NULL) != 0)
			continue;
		set_points(&fa, injections[i]);
		make(&plain, de, ciphers[c], NULL);
		make(&faulted, de, ciphers[c], &fa);
		check_twins(&faulted, &plain, i == 0 ? 3 : 0, injections[i]);
		device_free(&plain);
		device_free(&faulted);
	}
}

DEVICE_TEST(state__reseed_put_off,
    "a reseed that is put off is the same reseed, later")
{
	static struct failpoints fa;
	struct device faulted, plain;
	struct device_status ds;
	const struct design *de;

	for (size_t d = 0; (de = design_at(d)) != NULL; d++) {
		if ((de->de_flags & DE_FORTUNA_BYTES) == 0)
			continue;
		set_points(&fa, "random_fortuna_pre_read=4*return(1)");
		make(&plain, de, ciphers[0], NULL);
		make(&faulted, de, ciphers[0], &fa);
		for (unsigned i = 0; i < 4; i++) {
			randomdev_pre_read(faulted.d_rd);
			ds = device_status(&faulted);
			CHECK(&faulted, ds.ds_reseeds == 0 && !ds.ds_seeded &&
			    ds.ds_pool0_bytes >= ds.ds_pool0_needed_bytes);
		}
		check_twins(&faulted, &plain, 0, "put off");
		device_free(&plain);
		device_free(&faulted);
	}
}

TEST_PROGRAM()
