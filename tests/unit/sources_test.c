/*
 * bench/survey/sources.h: each source, sources that misbehave, saturation,
 * whole runs and the output.
 */
#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/format.h"
#include "bench/cli/stop.h"
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
name##_step(struct window_state *wn, uint##bits##_t *v)			\
{									\
	uint32_t *const word = &wn->wn_word[0];				\
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
never(struct window_state *wn __unused, struct window_batch *wb __unused)
{
	atf_tc_fail("an absent source was tried");
}

static bool
has_not(void)
{
	return (false);
}

static const uint32_t wrong_known[NUMBER_FIRST] = { 1, 2, 3, 5 };

static const struct number_source source_count = { .ns_name = "count",
    .ns_descr = "counts", .ns_batch = { [NUMBER_32] = count_32 } };
static const struct number_source source_wrong = { .ns_name = "wrong",
    .ns_descr = "counts, too", .ns_batch = { [NUMBER_32] = count_32 },
    .ns_known = wrong_known };
static const struct number_source source_absent = { .ns_name = "absent",
    .ns_descr = "not here", .ns_has = has_not,
    .ns_batch = { NULL, never } };
static const struct number_source source_dying = { .ns_name = "dying",
    .ns_descr = "ends",
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
		ATF_CHECK_EQ_MSG(ns->ns_has != NULL, ns->ns_known == NULL,
		    "%s", ns->ns_name);
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
			    ns->ns_name, 32u << w);
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
	struct window_state wn;

	for (unsigned size = 1; size <= BATCH_MOST; size++) {
		wn = ns->ns_state;
		for (unsigned at = size; at <= count; at += size) {
			struct window_batch wb = { .wb_count = size };

			ATF_REQUIRE_EQ(0, ns->ns_batch[NUMBER_32](&wn, &wb));
			ATF_CHECK_EQ_MSG(want[at - 1], wb.wb_last,
			    "%s, number %u in batches of %u", name, at, size);
			ATF_CHECK_EQ(0, wb.wb_failures);
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
	    .ns_batch = { [NUMBER_64] = same_64 } };
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
	    .ns_has = has_not,
	    .ns_batch = { never, never } };
	const struct number_source narrow = { .ns_name = "narrow",
	    .ns_batch = { [NUMBER_32] = never } };
	uint64_t first[NUMBER_FIRST];

	ATF_CHECK(!number_source_has(&absent));
	ATF_CHECK_EQ(ENOTSUP, number_source_check(&absent, NUMBER_32, first));
	ATF_CHECK_EQ(ENOTSUP, number_source_check(&absent, NUMBER_64, first));
	ATF_CHECK_EQ(ENOTSUP, number_source_check(&narrow, NUMBER_64, first));
}

TEST(number_loop__counts_failures, "A failed read is repeated and counted; a "
    "source without numbers is given up")
{
	struct window_state wn = { .wn_object = NULL };
	struct window_batch wb = { .wb_count = 10 };
	const struct number_source dead = { .ns_name = "dead",
	    .ns_batch = { [NUMBER_32] = dead_32 } };
	uint64_t first[NUMBER_FIRST];

	ATF_CHECK_EQ(0, shy_32(&wn, &wb));
	ATF_CHECK_EQ(10 * SHY_FAILURES, wb.wb_failures);
	ATF_CHECK_EQ(10 * (SHY_FAILURES + 1), wb.wb_last);
	/* They add up over batches. */
	wb.wb_count = 1;
	ATF_CHECK_EQ(0, shy_32(&wn, &wb));
	ATF_CHECK_EQ(11 * SHY_FAILURES, wb.wb_failures);
	memset(&wn, 0, sizeof(wn));
	memset(&wb, 0, sizeof(wb));
	wb.wb_count = 2;
	ATF_CHECK_EQ(EIO, dead_32(&wn, &wb));
	ATF_CHECK_EQ(NUMBER_TRIES, wb.wb_failures);
	ATF_CHECK_EQ(NUMBER_TRIES, wn.wn_word[0]);
	ATF_CHECK_EQ(EIO, number_source_check(&dead, NUMBER_32, first));
}

/*
 * Sources that misbehave, with one thread and with two; measured in windows of
 * that time.
 */
static int
measure(struct survey *sv, double time_s)
{
	static const struct number_source *const list[] = { &source_wrong,
	    &source_absent, &source_count, &source_dying };
	static const bool widths[NUMBER_WIDTHS] = { true, true };
	static const unsigned threads[] = { 1, 2 };
	struct mthread self;
	int error;

	support_machine(&self);
	*sv = (struct survey){ .sv_kind = &sources_kind,
	    .sv_repeats = FIXTURE_REPEATS, .sv_time_s = time_s };
	sources_make(sv, list, nitems(list), widths, threads, nitems(threads));
	error = survey_measure(sv);
	machine_detach();
	return (error);
}

TEST(window_measure__counts, "Reads and failures of all threads, of the window "
    "alone, which is at least as long as asked for")
{
	const int64_t window_ns = 2 * NS_PER_MS;
	struct window_task wt = { .wtk_batch = shy_32 };
	struct window_sample wm;
	struct mthread self;

	support_machine(&self);
	while (wt.wtk_threads++ <= cpu_count()) {
		atomic_init_64(&shy_numbers, 0);
		ATF_REQUIRE_EQ(0, window_measure(&wt, NS_PER_MS, window_ns,
		    &wm));
		ATF_CHECK(wm.wm_count >= wt.wtk_threads);
		ATF_CHECK_EQ(SHY_FAILURES * wm.wm_count, wm.wm_failures);
		/* Each read some before it began, too. */
		ATF_CHECK(wm.wm_count + wt.wtk_threads <=
		    atomic_load_64(&shy_numbers));
		ATF_CHECK(wm.wm_window_s * (double)NS_PER_S >=
		    (double)window_ns);
		ATF_CHECK(wm.wm_cpu_s > 0);
	}
	wt = (struct window_task){ .wtk_batch = dying_32, .wtk_threads = 2 };
	ATF_CHECK_EQ(EIO, window_measure(&wt, 1, window_ns, &wm));
	machine_detach();
}

TEST(survey_measure__times_what_is_right, "Sources that are wrong, absent or "
    "end are marked so and have no figures; the others have all")
{
	static const int want[] = { EILSEQ, ENOTSUP, 0, EIO };
	const struct survey_point *pt;
	struct survey sv;

	ATF_REQUIRE_EQ(0, measure(&sv, 0.001));
	ATF_CHECK(survey_complete(&sv));
	ATF_REQUIRE_EQ(nitems(want), sv.sv_count);
	for (unsigned i = 0; i < nitems(want); i++) {
		const struct survey_subject *su = &sv.sv_subjects[i];

		ATF_CHECK_EQ_MSG(want[i], su->su_error, "%u", i);
		for (unsigned k = 0; k < 2; k++) {
			pt = &su->su_points[k];
			ATF_CHECK_EQ(k + 1, pt->pt_task.wtk_threads);
			ATF_CHECK_EQ(want[i] == 0 ? FIXTURE_REPEATS : 0,
			    pt->pt_count);
			ATF_CHECK(pt->pt_count == 0 || pt->pt_per_s > 0);
			ATF_CHECK(pt->pt_ci95[0] <= pt->pt_per_s &&
			    pt->pt_per_s <= pt->pt_ci95[1]);
			ATF_CHECK_EQ(0, pt->pt_failures_percent);
		}
	}
	survey_free(&sv);
}

TEST(survey_measure__ends_on_a_signal, "It says so, is not complete, and "
    "keeps no part of a window")
{
	struct survey sv;
	char *text;
	FILE *null;

	stop_signal = SIGTERM;
	ATF_CHECK_EQ(EINTR, measure(&sv, 1000));
	ATF_CHECK(!survey_complete(&sv));
	for (unsigned i = 0; i < sv.sv_count * sv.sv_ways; i++)
		ATF_CHECK_EQ(0, sv.sv_subjects[0].su_points[i].pt_count);
	text = json_document(sources_kind.sk_json(&sv), 0);
	ATF_REQUIRE(text != NULL);
	ATF_CHECK(strstr(text, "\"complete\": false") != NULL);
	free(text);
	null = fopen("/dev/null", "w");
	ATF_REQUIRE(null != NULL);
	sources_kind.sk_table(null, &sv);
	sources_kind.sk_csv(null, &sv);
	fclose(null);
	survey_free(&sv);
}

/* Grows up to three threads; computed sources are nine times as fast. */
static void
fill_point(struct survey_point *pt, double scale)
{
	const unsigned threads = pt->pt_task.wtk_threads;

	pt->pt_count = FIXTURE_REPEATS;
	for (unsigned r = 0; r < FIXTURE_REPEATS; r++)
		pt->pt_samples[r] = (struct window_sample){
		    .wm_window_s = 1, .wm_cpu_s = 0.5, .wm_failures = 7,
		    .wm_unbound = threads == 3,
		    .wm_count = 1 + (uint64_t)(scale * (1 + 0.002 * r) *
		    (threads < 3 ? threads : 3)) };
}

/* Every source in every width, with saturation and extreme figures. */
static void
make_fixture(struct survey *sv, double scale)
{
	static const bool widths[NUMBER_WIDTHS] = { true, true };
	const struct number_source *list[16];
	unsigned threads[FIXTURE_COUNTS];

	*sv = (struct survey){ .sv_kind = &sources_kind,
	    .sv_repeats = FIXTURE_REPEATS, .sv_done = FIXTURE_REPEATS,
	    .sv_time_s = 0.1, .sv_started = "2026-11-21T00:00Z" };
	memset(sv->sv_host.cpu_model, 'm', sizeof(sv->sv_host.cpu_model) - 1);
	sv->sv_host.cpus = FIXTURE_COUNTS - 1;
	ATF_REQUIRE(number_source_count <= nitems(list));
	for (unsigned i = 0; i < number_source_count; i++)
		list[i] = &number_sources[i];
	for (unsigned k = 0; k < FIXTURE_COUNTS; k++)
		threads[k] = k + 1;
	sources_make(sv, list, number_source_count, widths, threads,
	    FIXTURE_COUNTS);
	for (unsigned i = 0; i < sv->sv_count; i++) {
		struct source_reads *nu = sv->sv_subjects[i].su_of;

		sv->sv_subjects[i].su_error = 0;
		for (unsigned k = 0; k < NUMBER_FIRST; k++)
			nu->nu_first[k] = UINT64_C(0xfefefefefefefefe) >>
			    (64 - nu->nu_bits);
		for (unsigned k = 0; k < FIXTURE_COUNTS; k++)
			fill_point(&sv->sv_subjects[i].su_points[k], scale *
			    (nu->nu_source->ns_has != NULL ? 1 : 9));
	}
	survey_summarize(sv);
}

TEST(sources_table__fits, "Tables are 80 columns wide for the slowest and the "
    "fastest")
{
	static const double scales[] = { 1, 1e3, 33e6, 1e9, 1e12 };
	char line[512], *text;
	struct survey sv;
	size_t len;
	FILE *out;

	for (size_t i = 0; i < nitems(scales); i++) {
		make_fixture(&sv, scales[i]);
		out = open_memstream(&text, &len);
		ATF_REQUIRE(out != NULL);
		sources_kind.sk_table(out, &sv);
		fclose(out);
		out = fmemopen(text, len, "r");
		ATF_REQUIRE(out != NULL);
		while (fgets(line, sizeof(line), out) != NULL)
			ATF_CHECK_MSG(strcspn(line, "\n") <= FORMAT_COLUMNS,
			    "%s", line);
		fclose(out);
		if (scales[i] > 1)
			ATF_CHECK(strstr(text, "at 3 threads") != NULL);
		free(text);
		survey_free(&sv);
	}
}

TEST(sources_json__is_json, "The document has all curves and samples")
{
	json_t *curve, *point, *root;
	struct survey sv;
	json_int_t threads;
	const char *first;
	char *text;

	make_fixture(&sv, 33e6);
	text = json_document(sources_kind.sk_json(&sv), 0);
	ATF_REQUIRE(text != NULL);
	root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	ATF_REQUIRE(root != NULL);
	ATF_CHECK_STREQ(SOURCES_SCHEMA, json_string_value(json_object_get(root,
	    "schema")));
	ATF_CHECK_EQ(sv.sv_count,
	    json_array_size(json_object_get(root, "sources")));
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
	survey_free(&sv);
}

TEST_PROGRAM()
