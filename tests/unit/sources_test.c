/*
 * bench/survey/sources.h and numbers.h: each source, sources that misbehave,
 * saturation, the kernel's report, whole runs and the output.
 */
#include <sys/stat.h>

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/format.h"
#include "bench/cli/stop.h"
#include "bench/report/plot.h"
#include "bench/survey/sources.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum {
	FIXTURE_COUNTS	= 6,
	FIXTURE_REPEATS	= 3,
	BATCH_MOST	= 5,
	SHY_FAILURES	= 3	/* before each number */
};

/* RFC 8682, figure 2: TinyMT32 with seed 1. */
static const uint32_t tinymt_published[] = {
	2545341989, 981918433, 3715302833, 2387538352, 3591001365,
	3820442102, 2114400566, 2196103051, 2783359912, 764534509,
	643179475, 1822416315, 881558334, 4207026366, 3690273640,
	3240535687, 2921447122, 3984931427, 4092394160, 44209675
};

/* The first of x = 1103515245 x + 12345 mod 2^32 from 12345. */
static const uint32_t lcg_published[] = {
	0xd3dc167e, 0xa70427df, 0xd6651c2c, 0x0daa96f5
};

/* Defines the batcher NAME_BITS of a step that is one statement. */
#define	STEP(name, bits, statement)					\
static inline bool							\
name##_step(struct number_state *st, uint##bits##_t *v)			\
{									\
	uint32_t *const word = &st->st_word[0];				\
									\
	(void)word;							\
	(void)v;							\
	statement;							\
}									\
NUMBER_LOOP(name##_##bits, uint##bits##_t, name##_step)

/* Counts the numbers of "shy", for all threads. */
static struct m64 shy_numbers;

STEP(count, 32, *v = ++*word; return (true))
STEP(same, 64, *v = UINT64_MAX; return (true))
STEP(dead, 32, ++*word; return (false))
/* Its first numbers come, and then no more. */
STEP(dying, 32, *v = *word + 1; return (++*word <= NUMBER_FIRST))
STEP(shy, 32, if (++*word % (SHY_FAILURES + 1) != 0)
	return (false);
    *v = *word;
    atomic_fetchadd_64(&shy_numbers, 1);
    return (true))

static int
never(struct number_state *st, struct number_batch *nb)
{
	(void)st;
	(void)nb;
	atf_tc_fail("an absent source was tried");
}

static bool
has_not(void)
{
	return (false);
}

static const struct number_source source_shy = { .ns_name = "shy",
    .ns_descr = "fails often", .ns_hardware = true,
    .ns_batch = { [NUMBER_32] = shy_32 } };

static const uint32_t wrong_known[NUMBER_FIRST] = { 1, 2, 3, 5 };

static const struct number_source source_count = { .ns_name = "count",
    .ns_descr = "counts", .ns_batch = { [NUMBER_32] = count_32 } };
static const struct number_source source_wrong = { .ns_name = "wrong",
    .ns_descr = "counts, too", .ns_batch = { [NUMBER_32] = count_32 },
    .ns_known = wrong_known };
static const struct number_source source_absent = { .ns_name = "absent",
    .ns_descr = "not here", .ns_hardware = true, .ns_has = has_not,
    .ns_batch = { NULL, never } };
static const struct number_source source_dying = { .ns_name = "dying",
    .ns_descr = "ends", .ns_hardware = true,
    .ns_batch = { [NUMBER_32] = dying_32 } };

static const struct number_source *
find(const char *name)
{
	unsigned i;

	for (i = 0; strcmp(number_sources[i].ns_name, name) != 0; i++)
		ATF_REQUIRE(i + 1 < number_source_count);
	return (&number_sources[i]);
}

TEST(numbers__describe_themselves, "listings and -s rely on it; what is "
    "computed has published numbers")
{
	const struct number_source *ns;
	unsigned w, widths;

	ATF_CHECK(number_source_count >= 2);
	for (unsigned i = 0; i < number_source_count; i++) {
		ns = &number_sources[i];
		ATF_CHECK_EQ_MSG(ns, find(ns->ns_name), "%s is there twice",
		    ns->ns_name);
		ATF_CHECK_EQ(strlen(ns->ns_name), strspn(ns->ns_name,
		    "abcdefghijklmnopqrstuvwxyz0123456789"));
		/* What a column of the table has room for. */
		ATF_CHECK(strlen(ns->ns_name) <= 8);
		ATF_CHECK(ns->ns_descr[0] != '\0');
		for (w = widths = 0; w < NUMBER_WIDTHS; w++)
			widths += ns->ns_batch[w] != NULL;
		ATF_CHECK_MSG(widths > 0, "%s gives nothing", ns->ns_name);
		ATF_CHECK_EQ_MSG(ns->ns_hardware, ns->ns_known == NULL, "%s",
		    ns->ns_name);
		ATF_CHECK_EQ_MSG(ns->ns_hardware, ns->ns_has != NULL, "%s",
		    ns->ns_name);
		ATF_CHECK_EQ_MSG(ns->ns_hardware, ns->ns_init == NULL, "%s",
		    ns->ns_name);
	}
}

TEST(numbers__first_are_right, "each source gives its published numbers, or is "
    "absent and gives none")
{
	uint64_t first[NUMBER_FIRST];
	const struct number_source *ns;

	for (unsigned i = 0; i < number_source_count; i++) {
		ns = &number_sources[i];
		for (unsigned w = 0; w < NUMBER_WIDTHS; w++) {
			memset(first, 0, sizeof(first));
			if (!number_source_has(ns) || ns->ns_batch[w] == NULL) {
				ATF_CHECK_EQ(ENOTSUP, number_source_check(ns,
				    (enum number_width)w, first));
				continue;
			}
			ATF_CHECK_EQ_MSG(0, number_source_check(ns,
			    (enum number_width)w, first), "%s, %u bits",
			    ns->ns_name, number_bits[w]);
			for (unsigned k = 0;
			    k < NUMBER_FIRST && ns->ns_known != NULL;
			    k++)
				ATF_CHECK_EQ(ns->ns_known[k], first[k]);
		}
	}
}

/* Reads as many numbers as want has, in batches of all sizes. */
static void
require_numbers(const char *name, const uint32_t *want, unsigned count)
{
	const struct number_source *ns = find(name);
	struct number_state st;

	ATF_REQUIRE(ns != NULL);
	for (unsigned size = 1; size <= BATCH_MOST; size++) {
		memset(&st, 0, sizeof(st));
		ns->ns_init(&st);
		for (unsigned at = size; at <= count; at += size) {
			struct number_batch nb = { .nb_reads = size };

			ATF_REQUIRE_EQ(0, ns->ns_batch[NUMBER_32](&st, &nb));
			ATF_CHECK_EQ_MSG(want[at - 1], nb.nb_last,
			    "%s, number %u in batches of %u", name, at, size);
			ATF_CHECK_EQ(0, nb.nb_failures);
		}
	}
}

TEST(numbers__as_published, "TinyMT32 and the LCG meet what is published, "
    "however many numbers a batch has")
{
	require_numbers("tinymt32", tinymt_published,
	    nitems(tinymt_published));
	require_numbers("lcg", lcg_published, nitems(lcg_published));
}

TEST(number_source_check__refuses_others, "One wrong number of those "
    "published, or the same one again and again, is noticed")
{
	uint32_t known[NUMBER_FIRST] = { 1, 2, 3, 4 };
	const struct number_source count = { .ns_name = "count",
	    .ns_batch = { [NUMBER_32] = count_32 }, .ns_known = known };
	const struct number_source unknown = { .ns_name = "unknown",
	    .ns_batch = { [NUMBER_32] = count_32 } };
	const struct number_source same = { .ns_name = "same",
	    .ns_hardware = true, .ns_batch = { [NUMBER_64] = same_64 } };
	uint64_t first[NUMBER_FIRST];
	unsigned i;

	ATF_CHECK_EQ(0, number_source_check(&count, NUMBER_32, first));
	ATF_CHECK_EQ(0, number_source_check(&unknown, NUMBER_32, first));
	for (i = 0; i < NUMBER_FIRST; i++) {
		known[i]++;
		ATF_CHECK_EQ_MSG(EILSEQ, number_source_check(&count, NUMBER_32,
		    first), "number %u", i);
		/* They are shown all the same. */
		ATF_CHECK_EQ(NUMBER_FIRST, first[NUMBER_FIRST - 1]);
		known[i]--;
	}
	ATF_CHECK_EQ(EILSEQ, number_source_check(&same, NUMBER_64, first));
	ATF_CHECK_EQ(UINT64_MAX, first[0]);
}

TEST(number_source_check__absent, "A source that this machine has not, or not "
    "of that width, is not tried")
{
	const struct number_source absent = { .ns_name = "absent",
	    .ns_hardware = true, .ns_has = has_not,
	    .ns_batch = { never, never } };
	const struct number_source narrow = { .ns_name = "narrow",
	    .ns_batch = { [NUMBER_32] = never } };
	uint64_t first[NUMBER_FIRST];

	ATF_CHECK(!number_source_has(&absent));
	ATF_CHECK_EQ(ENOTSUP, number_source_check(&absent, NUMBER_32, first));
	ATF_CHECK_EQ(ENOTSUP, number_source_check(&absent, NUMBER_64, first));
	ATF_CHECK_EQ(ENOTSUP, number_source_check(&narrow, NUMBER_64, first));
}

TEST(number_batch__counts_failures, "A failed read is repeated and counted; a "
    "source without numbers is given up")
{
	struct number_state st = { { 0 } };
	struct number_batch nb = { .nb_reads = 10 };
	const struct number_source dead = { .ns_name = "dead",
	    .ns_batch = { [NUMBER_32] = dead_32 } };
	uint64_t first[NUMBER_FIRST];

	ATF_CHECK_EQ(0, shy_32(&st, &nb));
	ATF_CHECK_EQ(10 * SHY_FAILURES, nb.nb_failures);
	ATF_CHECK_EQ(10 * (SHY_FAILURES + 1), nb.nb_last);
	/* They add up over batches. */
	nb.nb_reads = 1;
	ATF_CHECK_EQ(0, shy_32(&st, &nb));
	ATF_CHECK_EQ(11 * SHY_FAILURES, nb.nb_failures);
	memset(&st, 0, sizeof(st));
	memset(&nb, 0, sizeof(nb));
	nb.nb_reads = 2;
	ATF_CHECK_EQ(EIO, dead_32(&st, &nb));
	ATF_CHECK_EQ(NUMBER_TRIES, nb.nb_failures);
	ATF_CHECK_EQ(NUMBER_TRIES, st.st_word[0]);
	ATF_CHECK_EQ(EIO, number_source_check(&dead, NUMBER_32, first));
}

TEST(mitigation_read__reports, "the kernel's line; a file that is absent, "
    "empty, a folder or binary: a text too")
{
	char text[MITIGATION_TEXT_SIZE];

	atf_utils_create_file("srbds", "Mitigation: Microcode\nmore\n");
	mitigation_read("srbds", text);
	ATF_CHECK_STREQ("Mitigation: Microcode", text);
	mitigation_read("none/srbds", text);
	ATF_CHECK(strstr(text, "none/srbds: ") != NULL);
	atf_utils_create_file("empty", "%s", "");
	mitigation_read("empty", text);
	ATF_CHECK(strncmp(text, "empty: ", 7) == 0);
	mitigation_read(".", text);
	ATF_CHECK(strncmp(text, ".: ", 3) == 0);
	atf_utils_create_file("binary", "%s", "\033[31m\x7f\xff");
	mitigation_read("binary", text);
	ATF_CHECK_STREQ("?[31m??", text);
	mitigation_read(NULL, text);
	ATF_CHECK(text[0] != '\0');
}

static const struct sources misbehaving = {
	.sr_survey = { .sy_kind = &sources_kind,
	    .sy_repeats = FIXTURE_REPEATS, .sy_time_s = 0.001 },
	.sr_source = { &source_wrong, &source_absent, &source_count,
	    &source_dying },
	.sr_sources = 4,
	.sr_width = { true, true },
	.sr_threads = { 1, 2 },
	.sr_thread_counts = 2,
};

/* Measures what misbehaves, in windows of that time. */
static int
measure(struct sources *sr, double time_s)
{
	struct mthread self;
	int error;

	support_machine(&self);
	*sr = misbehaving;
	sr->sr_survey.sy_time_s = time_s;
	error = survey_measure(&sr->sr_survey);
	machine_detach();
	ATF_CHECK_STREQ("", sr->sr_survey.sy_why);
	return (error);
}

TEST(window_measure__counts, "Reads and failures of all threads, of the window "
    "alone, which is at least as long as asked for")
{
	const int64_t window_ns = 2 * NS_PER_MS;
	struct sources_sample sm;
	struct mthread self;
	bool unbound = false;

	support_machine(&self);
	for (unsigned threads = 1; threads <= cpu_count() + 1; threads++) {
		memset(&sm, 0, sizeof(sm));
		atomic_init_64(&shy_numbers, 0);
		ATF_REQUIRE_EQ(0, window_measure(&source_shy, NUMBER_32,
		    threads, NS_PER_MS, window_ns, &sm, &unbound));
		ATF_CHECK(sm.ss_reads >= threads);
		ATF_CHECK_EQ(SHY_FAILURES * sm.ss_reads, sm.ss_failures);
		/* Each read some before it began, too. */
		ATF_CHECK(sm.ss_reads + threads <=
		    atomic_load_64(&shy_numbers));
		ATF_CHECK(sm.ss_window_s * (double)NS_PER_S >=
		    (double)window_ns);
		ATF_CHECK(sm.ss_cpu_s > 0);
	}
	ATF_CHECK_EQ(EIO, window_measure(&source_dying, NUMBER_32, 2, 1,
	    window_ns, &sm, &unbound));
	machine_detach();
}

TEST(sources_measure__times_what_is_right, "Sources that are wrong, absent or "
    "end are marked so and have no figures; the others have all")
{
	static const enum sources_status want[] = { SOURCES_WRONG,
	    SOURCES_ABSENT, SOURCES_TIMED, SOURCES_DEAD };
	const struct sources_point *sp;
	struct sources sr;
	unsigned i, k;

	ATF_REQUIRE_EQ(0, measure(&sr, 0.001));
	ATF_CHECK(survey_complete(&sr.sr_survey));
	ATF_REQUIRE_EQ(nitems(want), sr.sr_count);
	for (i = 0; i < nitems(want); i++) {
		ATF_CHECK_EQ_MSG(want[i], sr.sr_curves[i].sc_status, "%u", i);
		ATF_CHECK_EQ(want[i] == SOURCES_TIMED, sources_any(&sr,
		    &sr.sr_curves[i]));
		for (k = 0; k < 2; k++) {
			sp = &sr.sr_curves[i].sc_points[k];
			ATF_CHECK_EQ(k + 1, sp->sp_threads);
			ATF_CHECK_EQ(want[i] == SOURCES_TIMED ?
			    FIXTURE_REPEATS : 0, sp->sp_count);
			ATF_CHECK(sp->sp_count == 0 || sp->sp_reads_per_s > 0);
			ATF_CHECK(sp->sp_ci95[0] <= sp->sp_reads_per_s &&
			    sp->sp_reads_per_s <= sp->sp_ci95[1]);
			ATF_CHECK_EQ(0, sp->sp_failures_percent);
		}
	}
	sources_free(&sr);
}

TEST(sources_measure__ends_on_a_signal, "It says so, is not complete, and "
    "keeps no part of a window")
{
	struct sources sr;
	char *text;
	FILE *null;

	stop_signal = SIGTERM;
	ATF_CHECK_EQ(EINTR, measure(&sr, 1000));
	ATF_CHECK(!survey_complete(&sr.sr_survey));
	ATF_CHECK(!sources_any(&sr, NULL));
	text = survey_json(&sr.sr_survey);
	ATF_REQUIRE(text != NULL);
	ATF_CHECK(strstr(text, "\"complete\": false") != NULL);
	free(text);
	null = fopen("/dev/null", "w");
	ATF_REQUIRE(null != NULL);
	sources_table(null, &sr.sr_survey);
	sources_csv(null, &sr.sr_survey);
	fclose(null);
	sources_free(&sr);
}

/* Every source in every width, with saturation and extreme figures. */
static void
make_fixture(struct sources *sr, double scale)
{
	struct survey *sy = &sr->sr_survey;
	struct sources_curve *sc;

	memset(sr, 0, sizeof(*sr));
	*sy = (struct survey){ .sy_kind = &sources_kind,
	    .sy_repeats = FIXTURE_REPEATS, .sy_done = FIXTURE_REPEATS,
	    .sy_time_s = 0.1, .sy_started = "2026-11-21T00:00Z" };
	memset(sy->sy_host.cpu_model, 'm', sizeof(sy->sy_host.cpu_model) - 1);
	sy->sy_host.cpus = FIXTURE_COUNTS - 1;
	sr->sr_thread_counts = FIXTURE_COUNTS;
	for (unsigned k = 0; k < FIXTURE_COUNTS; k++)
		sr->sr_threads[k] = k + 1;
	sr->sr_curves = calloc((size_t)number_source_count * NUMBER_WIDTHS,
	    sizeof(*sr->sr_curves));
	ATF_REQUIRE(sr->sr_curves != NULL);
	for (unsigned i = 0; i < number_source_count; i++) {
		for (unsigned w = 0; w < NUMBER_WIDTHS; w++) {
			if (number_sources[i].ns_batch[w] == NULL)
				continue;
			sc = &sr->sr_curves[sr->sr_count++];
			sc->sc_source = &number_sources[i];
			sc->sc_width = (enum number_width)w;
			for (unsigned k = 0; k < NUMBER_FIRST; k++)
				sc->sc_first[k] = UINT64_C(0xfefefefefefefefe)
				    >> (64 - number_bits[w]);
		}
	}
	sources_make_points(sr);
	for (unsigned i = 0; i < sy->sy_points; i++) {
		struct sources_point *sp = &sr->sr_points[i];

		sp->sp_unbound = sp->sp_threads == 3;
		sp->sp_count = FIXTURE_REPEATS;
		/* Grows up to three threads. */
		for (unsigned r = 0; r < FIXTURE_REPEATS; r++)
			sp->sp_samples[r] = (struct sources_sample){
			    .ss_window_s = 1,
			    .ss_cpu_s = 0.5, .ss_failures = 7,
			    .ss_reads = 1 + (uint64_t)(scale * (1 + 0.002 * r) *
			    (sources_curve(sr, i)->sc_source->ns_hardware ?
			    1 : 9) * (sp->sp_threads < 3 ? sp->sp_threads :
			    3)) };
	}
	sources_summarize(sr);
}

TEST(sources_print__fits, "Tables are 80 columns wide for the slowest and the "
    "fastest, and keep published apart")
{
	static const double scales[] = { 1, 1e3, 33e6, 1e9, 1e12 };
	char line[512], *place, *text;
	struct sources sr;
	size_t len;
	FILE *out;

	for (size_t i = 0; i < nitems(scales); i++) {
		make_fixture(&sr, scales[i]);
		out = open_memstream(&text, &len);
		ATF_REQUIRE(out != NULL);
		sources_table(out, &sr.sr_survey);
		fclose(out);
		out = fmemopen(text, len, "r");
		ATF_REQUIRE(out != NULL);
		while (fgets(line, sizeof(line), out) != NULL)
			ATF_CHECK_MSG(strcspn(line, "\n") <= FORMAT_COLUMNS,
			    "%s", line);
		fclose(out);
		place = strstr(text, "\npublished");
		ATF_REQUIRE(place != NULL);
		/* What is published stands below that word only. */
		ATF_CHECK(strstr(place, "i5-10210U") != NULL);
		*place = '\0';
		ATF_CHECK_EQ(NULL, strstr(text, "i5-10210U"));
		if (scales[i] > 1)
			ATF_CHECK(strstr(text, "at 3 threads") != NULL);
		free(text);
		sources_free(&sr);
	}
}

TEST(sources_format_json__is_json, "The document has all curves and samples")
{
	json_t *curve, *point, *root;
	struct sources sr;
	json_int_t threads;
	const char *first;
	char *text;

	make_fixture(&sr, 33e6);
	text = survey_json(&sr.sr_survey);
	ATF_REQUIRE(text != NULL);
	root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	ATF_REQUIRE(root != NULL);
	ATF_CHECK_STREQ(SOURCES_SCHEMA, json_string_value(json_object_get(root,
	    "schema")));
	ATF_CHECK_EQ(sr.sr_count, json_array_size(json_object_get(root,
	    "sources")));
	ATF_REQUIRE_EQ(0, json_unpack(root, "{s:[o]}", "sources", &curve));
	ATF_REQUIRE_EQ(0, json_unpack(curve, "{s:[s], s:{s:I}, s:[o]}",
	    "first", &first, "saturation", "threads", &threads, "points",
	    &point));
	ATF_CHECK_STREQ("fefefefe", first);
	ATF_CHECK_EQ(3, threads);
	ATF_CHECK_EQ(FIXTURE_COUNTS, json_array_size(json_object_get(curve,
	    "points")));
	ATF_CHECK_EQ(FIXTURE_REPEATS, json_array_size(json_object_get(point,
	    "samples")));
	ATF_CHECK_EQ(50, json_number_value(json_object_get(point,
	    "cpu_percent")));
	json_decref(root);
	free(text);
	sources_free(&sr);
}

TEST(sources_print_plot__draws, "gnuplot takes the script, for both formats, "
    "any figures, one panel and one point")
{
	static const double scales[] = { 1, 1e12, 33e6 };
	char error[GNUPLOT_ERROR_SIZE] = "", *script;
	struct sources sr;
	struct atomic_file of;
	const char *name;
	struct stat sb;
	FILE *out;
	size_t len;
	int status;

	for (unsigned i = 0; i < 2 * nitems(scales); i++) {
		make_fixture(&sr, scales[i / 2]);
		/* Then without computed sources, and with one thread only. */
		for (unsigned k = 0; i % 2 != 0 && k < sr.sr_count; k++) {
			unsigned t;

			for (t = sr.sr_curves[k].sc_source->ns_hardware;
			    t < FIXTURE_COUNTS; t++)
				sr.sr_curves[k].sc_points[t].sp_count = 0;
		}
		out = open_memstream(&script, &len);
		ATF_REQUIRE(out != NULL);
		sources_plot(out, &sr, i % 2 != 0);
		fclose(out);
		name = i % 2 != 0 ? "a.svg" : "a.png";
		ATF_REQUIRE_EQ(0, atomic_file_open(&of, name));
		status = gnuplot_draw(sources_plot, &sr, i % 2 != 0, &of,
		    error);
		if (status == ENOENT)
			atf_tc_skip("%s", error);
		ATF_CHECK_MSG(status == 0, "%s", error);
		ATF_CHECK(stat(name, &sb) == 0 && sb.st_size > 1000);
		ATF_CHECK(strstr(script, "published: 99.6 M") != NULL);
		free(script);
		sources_free(&sr);
	}
}

TEST_PROGRAM()
