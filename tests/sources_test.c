/*
 * What rngsim sources makes of numbers: saturation, the kernel's words, whole
 * runs of sources that misbehave, and what is printed of them.
 */
#include <atf-c.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "bench/console/figure.h"
#include "bench/console/gnuplot.h"
#include "bench/console/stop.h"
#include "bench/sources/published.h"
#include "bench/sources/sources_print.h"
#include "bench/sources/window.h"
#include "lib/cpu.h"
#include "lib/tick.h"

#ifndef nitems
#define	nitems(x)	(sizeof(x) / sizeof((x)[0]))
#endif

enum {
	FIXTURE_COUNTS	= 6,
	FIXTURE_REPEATS	= 3,
	SHY_FAILURES	= 3	/* before each number */
};

/* Threads and medians, with an interval of +-spread around each. */
static struct saturation
saturate(unsigned n, const unsigned *threads, const double *medians,
    double spread)
{
	struct saturation_point points[FIXTURE_COUNTS] = { { 0 } };
	struct saturation sa;
	unsigned i;

	for (i = 0; i < n; i++)
		points[i] = (struct saturation_point){ threads[i], medians[i],
		    medians[i] * (1 - spread), medians[i] * (1 + spread) };
	saturation_find(points, n, &sa);
	return (sa);
}

ATF_TC(saturation_find__where_growth_ends);
ATF_TC_HEAD(saturation_find__where_growth_ends, tc)
{

	atf_tc_set_md_var(tc, "descr", "The smallest number of threads within "
	    "5 %% of the most, for the curves that sources have");
}
ATF_TC_BODY(saturation_find__where_growth_ends, tc)
{
	static const unsigned dense[] = { 1, 2, 3, 4, 5, 6 };
	static const unsigned sparse[] = { 1, 4, 8, 16 };
	static const double bus[] = { 33, 66, 99, 99.6, 99.5, 99.6 };
	static const double flat[] = { 2.1, 2.09, 2.11, 2.1, 2.1, 2.08 };
	static const double linear[] = { 1, 2, 3, 4, 5, 6 };
	static const double falls[] = { 1, 2, 1.8, 1.5, 1.2, 1 };
	static const double sparsely[] = { 30, 99, 99.6, 99.6 };
	struct saturation sa;

	(void)tc;
	sa = saturate(6, dense, bus, 0.01);
	ATF_CHECK_EQ(SATURATION_REACHED, sa.sa_verdict);
	ATF_CHECK_EQ(3, sa.sa_threads);
	ATF_CHECK(sa.sa_least == 3 && sa.sa_most == 3);
	sa = saturate(6, dense, flat, 0.005);
	ATF_CHECK_EQ(SATURATION_REACHED, sa.sa_verdict);
	ATF_CHECK(sa.sa_threads == 1 && sa.sa_least == 1 && sa.sa_most == 1);
	sa = saturate(6, dense, linear, 0.01);
	ATF_CHECK_EQ(SATURATION_NOT_REACHED, sa.sa_verdict);
	ATF_CHECK(sa.sa_threads == 6 && sa.sa_least == 6);
	sa = saturate(6, dense, falls, 0.01);
	ATF_CHECK_EQ(SATURATION_REACHED, sa.sa_verdict);
	ATF_CHECK_EQ(2, sa.sa_threads);
	/* Two and three threads were not measured and may be the place. */
	sa = saturate(4, sparse, sparsely, 0.01);
	ATF_CHECK_EQ(SATURATION_REACHED, sa.sa_verdict);
	ATF_CHECK(sa.sa_threads == 4 && sa.sa_least == 2 && sa.sa_most == 4);
}

ATF_TC(saturation_find__says_what_it_cannot_know);
ATF_TC_HEAD(saturation_find__says_what_it_cannot_know, tc)
{

	atf_tc_set_md_var(tc, "descr", "Too few points and wide intervals give "
	    "no place; the limit is 5 %%, and intervals widen it");
}
ATF_TC_BODY(saturation_find__says_what_it_cannot_know, tc)
{
	static const unsigned threads[] = { 1, 2, 3 };
	static const double below[] = { 94.9, 100 };
	static const double above[] = { 95.1, 100 };
	static const double grows[] = { 100, 150, 200 };
	static const double stops[] = { 60, 97, 100 };
	struct saturation sa;

	(void)tc;
	sa = saturate(0, threads, grows, 0);
	ATF_CHECK(sa.sa_verdict == SATURATION_UNKNOWN && sa.sa_threads == 0);
	sa = saturate(1, threads, grows, 0);
	ATF_CHECK(sa.sa_verdict == SATURATION_UNKNOWN && sa.sa_threads == 0);
	ATF_CHECK_EQ(SATURATION_NOT_REACHED, saturate(2, threads, below,
	    0).sa_verdict);
	ATF_CHECK_EQ(SATURATION_REACHED, saturate(2, threads, above,
	    0).sa_verdict);
	ATF_CHECK_EQ(SATURATION_UNCLEAR, saturate(2, threads, above,
	    0.02).sa_verdict);
	ATF_CHECK_EQ(SATURATION_UNCLEAR, saturate(2, threads, below,
	    0.02).sa_verdict);
	ATF_CHECK_EQ(SATURATION_NOT_REACHED, saturate(3, threads, grows,
	    0.1).sa_verdict);
	sa = saturate(3, threads, grows, 0.5);
	ATF_CHECK_EQ(SATURATION_UNCLEAR, sa.sa_verdict);
	ATF_CHECK(sa.sa_threads == 3 && sa.sa_most == 0);
	/* Reached for certain, but where is not. */
	sa = saturate(3, threads, stops, 0.005);
	ATF_CHECK(sa.sa_verdict == SATURATION_REACHED && sa.sa_least == 2 &&
	    sa.sa_most == 2);
}

static void
write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	ATF_REQUIRE(f != NULL);
	ATF_REQUIRE(fputs(text, f) >= 0);
	ATF_REQUIRE_EQ(0, fclose(f));
}

ATF_TC(mitigation_read__kernels_words);
ATF_TC_HEAD(mitigation_read__kernels_words, tc)
{

	atf_tc_set_md_var(tc, "descr", "All that Linux and FreeBSD write");
}
ATF_TC_BODY(mitigation_read__kernels_words, tc)
{
	static const struct {
		const char	*text;
		enum mitigation_state state;
	} kernels[] = {
		{ "Not affected\n", MITIGATION_NOT_AFFECTED },
		{ "Vulnerable\n", MITIGATION_OFF },
		{ "Vulnerable: No microcode\n", MITIGATION_OFF },
		{ "Mitigation: Microcode\n", MITIGATION_ON },
		{ "Mitigation: TSX disabled\n", MITIGATION_OFF },
		{ "Unknown: Dependent on hypervisor status\n",
		    MITIGATION_NOT_KNOWN },
		{ "Not applicable", MITIGATION_NOT_AFFECTED },
		{ "RDSEED not serialized", MITIGATION_OFF },
		{ "Mitigated", MITIGATION_ON },
		{ "\n", MITIGATION_NOT_KNOWN },
		{ "mitigation: what is this\n", MITIGATION_NOT_KNOWN },
	};
	struct mitigation mi;
	size_t i;

	(void)tc;
	for (i = 0; i < nitems(kernels); i++) {
		write_file("srbds", kernels[i].text);
		mitigation_read("srbds", &mi);
		ATF_CHECK_EQ_MSG(kernels[i].state, mi.mi_state, "%s",
		    kernels[i].text);
		ATF_CHECK_EQ(0, strncmp(mi.mi_text, kernels[i].text,
		    strlen(mi.mi_text)));
		ATF_CHECK_EQ(NULL, strchr(mi.mi_text, '\n'));
		ATF_CHECK(mitigation_meaning(mi.mi_state)[0] != '\0');
	}
}

ATF_TC(mitigation_read__not_known);
ATF_TC_HEAD(mitigation_read__not_known, tc)
{

	atf_tc_set_md_var(tc, "descr", "A file that is absent, empty, a folder "
	    "or binary: not known, and why");
}
ATF_TC_BODY(mitigation_read__not_known, tc)
{
	struct mitigation mi;

	(void)tc;
	mitigation_read("none/srbds", &mi);
	ATF_CHECK_EQ(MITIGATION_NOT_KNOWN, mi.mi_state);
	ATF_CHECK(strstr(mi.mi_text, "none/srbds") != NULL);
	write_file("empty", "");
	mitigation_read("empty", &mi);
	ATF_CHECK_EQ(MITIGATION_NOT_KNOWN, mi.mi_state);
	ATF_CHECK(mi.mi_text[0] != '\0');
	mitigation_read(".", &mi);
	ATF_CHECK_EQ(MITIGATION_NOT_KNOWN, mi.mi_state);
	write_file("binary", "\033[31m\x7f\xff");
	mitigation_read("binary", &mi);
	ATF_CHECK_STREQ("?[31m??", mi.mi_text);
	/* Whatever this system says is one of the states. */
	mitigation_read(NULL, &mi);
	ATF_CHECK(mi.mi_state < MITIGATION_STATES && mi.mi_text[0] != '\0');
}

static inline bool
count_step(struct number_state *st, uint32_t *v)
{

	*v = ++st->st_word[0];
	return (true);
}
NUMBER_LOOP(count_32, uint32_t, count_step)

/* Its first numbers come, and then no more. */
static inline bool
dying_step(struct number_state *st, uint32_t *v)
{

	if (st->st_word[0] == NUMBER_FIRST)
		return (false);
	*v = ++st->st_word[0];
	return (true);
}
NUMBER_LOOP(dying_32, uint32_t, dying_step)

static bool
has_not(void)
{

	return (false);
}

/* Counts its numbers for all threads. */
static struct m64 shy_numbers;

static inline bool
shy_step(struct number_state *st, uint32_t *v)
{

	if (++st->st_word[0] % (SHY_FAILURES + 1) != 0)
		return (false);
	*v = st->st_word[0];
	atomic_fetchadd_64(&shy_numbers, 1);
	return (true);
}
NUMBER_LOOP(shy_32, uint32_t, shy_step)

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
    .ns_batch = { NULL, count_32 } };
static const struct number_source source_dying = { .ns_name = "dying",
    .ns_descr = "ends", .ns_hardware = true,
    .ns_batch = { [NUMBER_32] = dying_32 } };

static const struct sources_options misbehaving = {
	.so_source = { &source_wrong, &source_absent, &source_count,
	    &source_dying },
	.so_sources = 4,
	.so_width = { true, true },
	.so_threads = { 1, 2 },
	.so_thread_counts = 2,
	.so_repeats = FIXTURE_REPEATS,
	.so_time_s = 0.001,
};

static int
measure(struct sources *sr, const struct sources_options *so)
{
	char why[SOURCES_TEXT_SIZE];
	struct mthread self;
	int error;

	ATF_REQUIRE_EQ(0, cpu_init());
	tick_calibrate();
	machine_attach(&self, "test");
	error = sources_measure(sr, so, why);
	machine_detach();
	ATF_CHECK_EQ_MSG(error == 0, why[0] == '\0', "%d: %s", error, why);
	return (error);
}

ATF_TC(window_measure__counts);
ATF_TC_HEAD(window_measure__counts, tc)
{

	atf_tc_set_md_var(tc, "descr", "Reads and failures of all threads, of "
	    "the window alone, which is at least as long as asked for");
}
ATF_TC_BODY(window_measure__counts, tc)
{
	const int64_t window_ns = 2 * NS_PER_MS;
	struct sources_sample sm;
	struct mthread self;
	bool unbound = false;
	unsigned threads;

	(void)tc;
	ATF_REQUIRE_EQ(0, cpu_init());
	tick_calibrate();
	machine_attach(&self, "test");
	for (threads = 1; threads <= cpu_count() + 1; threads++) {
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

/* Each window was undisturbed, or measured as often as may be. */
static void
require_quiet(const struct sources_point *sp)
{
	const struct sources_sample *sm;
	unsigned i;

	for (i = 0; i < sp->sp_count; i++) {
		sm = &sp->sp_samples[i];
		if (sp->sp_oversubscribed)
			ATF_CHECK_EQ(1, sm->ss_tries);
		else
			ATF_CHECK(sm->ss_tries == SOURCES_TRIES ||
			    (sm->ss_tries > 0 && 100 * sm->ss_cpu_s >=
			    SOURCES_CPU_PERCENT * sm->ss_window_s *
			    sp->sp_threads));
	}
}

ATF_TC(sources_measure__times_what_is_right);
ATF_TC_HEAD(sources_measure__times_what_is_right, tc)
{

	atf_tc_set_md_var(tc, "descr", "Sources that are wrong, absent or end "
	    "are marked so and have no figures; the others have all");
}
ATF_TC_BODY(sources_measure__times_what_is_right, tc)
{
	static const enum sources_status want[] = { SOURCES_WRONG,
	    SOURCES_ABSENT, SOURCES_TIMED, SOURCES_DEAD };
	const struct sources_point *sp;
	struct sources sr;
	unsigned i, k;

	(void)tc;
	ATF_REQUIRE_EQ(0, measure(&sr, &misbehaving));
	ATF_CHECK(sr.sr_complete);
	ATF_REQUIRE_EQ(nitems(want), sr.sr_count);
	for (i = 0; i < nitems(want); i++) {
		ATF_CHECK_EQ_MSG(want[i], sr.sr_curves[i].sc_status, "%u", i);
		ATF_CHECK_EQ(want[i] == SOURCES_TIMED, sources_curve_any(&sr,
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
			require_quiet(sp);
		}
	}
	ATF_CHECK_EQ(&sr.sr_curves[2], sources_find(&sr, "count", NUMBER_32));
	ATF_CHECK_EQ(NULL, sources_find(&sr, "wrong", NUMBER_32));
	sources_free(&sr);
}

ATF_TC(sources_measure__ends_on_a_signal);
ATF_TC_HEAD(sources_measure__ends_on_a_signal, tc)
{

	atf_tc_set_md_var(tc, "descr", "It says so, is not complete, and keeps "
	    "no part of a window");
}
ATF_TC_BODY(sources_measure__ends_on_a_signal, tc)
{
	struct sources_options so = misbehaving;
	struct sources sr;
	char *text;
	FILE *null;

	(void)tc;
	so.so_time_s = 1000;
	stop_signal = SIGTERM;
	ATF_CHECK_EQ(EINTR, measure(&sr, &so));
	ATF_CHECK(!sr.sr_complete);
	ATF_CHECK(!sources_any(&sr));
	text = sources_format_json(&sr);
	ATF_REQUIRE(text != NULL);
	ATF_CHECK(strstr(text, "\"complete\": false") != NULL);
	free(text);
	null = fopen("/dev/null", "w");
	ATF_REQUIRE(null != NULL);
	sources_print_table(null, &sr);
	sources_print_csv(null, &sr);
	fclose(null);
	sources_free(&sr);
}

/* Every source in every width, with saturation and extreme figures. */
static void
make_fixture(struct sources *sr, double scale)
{
	struct sources_curve *sc;
	unsigned i, k, r, w;

	memset(sr, 0, sizeof(*sr));
	sr->sr_options.so_repeats = FIXTURE_REPEATS;
	sr->sr_options.so_time_s = 0.1;
	sr->sr_options.so_thread_counts = FIXTURE_COUNTS;
	for (k = 0; k < FIXTURE_COUNTS; k++)
		sr->sr_options.so_threads[k] = k + 1;
	sr->sr_complete = true;
	snprintf(sr->sr_started, sizeof(sr->sr_started), "2026-11-21T00:00Z");
	memset(sr->sr_host.cpu_model, 'm', sizeof(sr->sr_host.cpu_model) - 1);
	sr->sr_host.cpus = FIXTURE_COUNTS - 1;
	sr->sr_curves = calloc((size_t)number_source_count * NUMBER_WIDTHS,
	    sizeof(*sr->sr_curves));
	ATF_REQUIRE(sr->sr_curves != NULL);
	for (i = 0; i < number_source_count; i++) {
		for (w = 0; w < NUMBER_WIDTHS; w++) {
			if (number_sources[i]->ns_batch[w] == NULL)
				continue;
			sc = &sr->sr_curves[sr->sr_count++];
			sc->sc_source = number_sources[i];
			sc->sc_width = (enum number_width)w;
			for (k = 0; k < NUMBER_FIRST; k++)
				sc->sc_first[k] = UINT64_C(0xfefefefefefefefe)
				    >> (64 - number_bits[w]);
			sc->sc_points = calloc(FIXTURE_COUNTS,
			    sizeof(*sc->sc_points));
			ATF_REQUIRE(sc->sc_points != NULL);
		}
	}
	for (i = 0; i < sr->sr_count * FIXTURE_COUNTS; i++) {
		struct sources_point *sp;

		sc = &sr->sr_curves[i / FIXTURE_COUNTS];
		k = i % FIXTURE_COUNTS;
		sp = &sc->sc_points[k];
		sp->sp_threads = k + 1;
		sp->sp_oversubscribed = sp->sp_threads > sr->sr_host.cpus;
		sp->sp_unbound = k == 2;
		sp->sp_count = FIXTURE_REPEATS;
		sp->sp_samples = calloc(FIXTURE_REPEATS,
		    sizeof(*sp->sp_samples));
		ATF_REQUIRE(sp->sp_samples != NULL);
		/* Grows up to three threads. */
		for (r = 0; r < FIXTURE_REPEATS; r++)
			sp->sp_samples[r] = (struct sources_sample){
			    .ss_order = i, .ss_window_s = 1,
			    .ss_cpu_s = 0.5, .ss_failures = 7,
			    .ss_reads = 1 + (uint64_t)(scale * (1 + 0.002 * r) *
			    (sc->sc_source->ns_hardware ? 1 : 9) *
			    (k < 2 ? k + 1 : 3)) };
	}
	ATF_REQUIRE_EQ(0, sources_summarize(sr));
}

ATF_TC(sources_print__fits);
ATF_TC_HEAD(sources_print__fits, tc)
{

	atf_tc_set_md_var(tc, "descr", "Tables are 80 columns wide for the "
	    "slowest and the fastest, and keep published apart");
}
ATF_TC_BODY(sources_print__fits, tc)
{
	static const double scales[] = { 1, 1e3, 33e6, 1e9, 1e12 };
	char line[512], *place, *text;
	struct sources sr;
	size_t i, len;
	FILE *out;

	(void)tc;
	for (i = 0; i < nitems(scales); i++) {
		make_fixture(&sr, scales[i]);
		out = open_memstream(&text, &len);
		ATF_REQUIRE(out != NULL);
		sources_print_table(out, &sr);
		fclose(out);
		out = fmemopen(text, len, "r");
		ATF_REQUIRE(out != NULL);
		while (fgets(line, sizeof(line), out) != NULL)
			ATF_CHECK_MSG(strcspn(line, "\n") <= FIGURE_COLUMNS,
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

ATF_TC(sources_format_json__is_json);
ATF_TC_HEAD(sources_format_json__is_json, tc)
{

	atf_tc_set_md_var(tc, "descr", "The document has all curves and "
	    "samples, and what is published in a member of its own");
}
ATF_TC_BODY(sources_format_json__is_json, tc)
{
	json_t *curve, *point, *root;
	struct sources sr;
	char *text;

	(void)tc;
	make_fixture(&sr, 33e6);
	text = sources_format_json(&sr);
	ATF_REQUIRE(text != NULL);
	root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	ATF_REQUIRE(root != NULL);
	ATF_CHECK_STREQ(SOURCES_SCHEMA, json_string_value(json_object_get(root,
	    "schema")));
	ATF_CHECK_EQ(sr.sr_count, json_array_size(json_object_get(root,
	    "sources")));
	curve = json_array_get(json_object_get(root, "sources"), 0);
	ATF_CHECK_STREQ("fefefefe", json_string_value(json_array_get(
	    json_object_get(curve, "first"), 0)));
	ATF_CHECK_EQ(3, json_integer_value(json_object_get(json_object_get(
	    curve, "saturation"), "threads")));
	ATF_CHECK_EQ(FIXTURE_COUNTS, json_array_size(json_object_get(curve,
	    "points")));
	point = json_array_get(json_object_get(curve, "points"), 0);
	ATF_CHECK_EQ(FIXTURE_REPEATS, json_array_size(json_object_get(point,
	    "samples")));
	ATF_CHECK_EQ(50, json_number_value(json_object_get(point,
	    "cpu_percent")));
	ATF_CHECK_EQ(published_machine_count, json_array_size(json_object_get(
	    json_object_get(root, "published"), "machines")));
	json_decref(root);
	free(text);
	sources_free(&sr);
}

ATF_TC(sources_print_plot__draws);
ATF_TC_HEAD(sources_print_plot__draws, tc)
{

	atf_tc_set_md_var(tc, "descr", "gnuplot takes the script, for both "
	    "formats, any figures, one panel and one point");
}
ATF_TC_BODY(sources_print_plot__draws, tc)
{
	static const double scales[] = { 1, 1e12, 33e6 };
	char error[GNUPLOT_ERROR_SIZE] = "", *script;
	struct sources sr;
	FILE *out, *picture;
	size_t len;
	unsigned i, k;
	int status;

	(void)tc;
	for (i = 0; i < 2 * nitems(scales); i++) {
		make_fixture(&sr, scales[i / 2]);
		/* Then without computed sources, and with one thread only. */
		for (k = 0; i % 2 != 0 && k < sr.sr_count; k++) {
			unsigned t;

			for (t = sr.sr_curves[k].sc_source->ns_hardware;
			    t < FIXTURE_COUNTS; t++)
				sr.sr_curves[k].sc_points[t].sp_count = 0;
		}
		out = open_memstream(&script, &len);
		ATF_REQUIRE(out != NULL);
		sources_print_plot(out, &sr, i % 2 != 0);
		fclose(out);
		picture = fopen(i % 2 != 0 ? "a.svg" : "a.png", "w");
		ATF_REQUIRE(picture != NULL);
		status = gnuplot_draw(script, len, fileno(picture), error);
		if (status == ENOENT)
			atf_tc_skip("%s", error);
		ATF_CHECK_MSG(status == 0, "%s", error);
		ATF_REQUIRE_EQ(0, fseek(picture, 0, SEEK_END));
		ATF_CHECK(ftell(picture) > 1000);
		fclose(picture);
		ATF_CHECK(strstr(script, "published: 99.6 M") != NULL);
		free(script);
		sources_free(&sr);
	}
}

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, saturation_find__where_growth_ends);
	ATF_TP_ADD_TC(tp, saturation_find__says_what_it_cannot_know);
	ATF_TP_ADD_TC(tp, mitigation_read__kernels_words);
	ATF_TP_ADD_TC(tp, mitigation_read__not_known);
	ATF_TP_ADD_TC(tp, window_measure__counts);
	ATF_TP_ADD_TC(tp, sources_measure__times_what_is_right);
	ATF_TP_ADD_TC(tp, sources_measure__ends_on_a_signal);
	ATF_TP_ADD_TC(tp, sources_print__fits);
	ATF_TP_ADD_TC(tp, sources_format_json__is_json);
	ATF_TP_ADD_TC(tp, sources_print_plot__draws);
	return (atf_no_error());
}
